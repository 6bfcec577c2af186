//! Finding a clip by the name that was typed.

use super::failure::Failure;
use sinew::files::nearest;
use sinew::motion::Clip;
use std::path::Path;

/// Index of the clip of that name in a file's clips.
pub fn find_clip(file: &Path, clips: &[Clip], name: &str) -> Result<usize, Failure> {
    if let Some(exact) = clips.iter().position(|clip| clip.name == name) {
        return Ok(exact);
    }
    let names = || clips.iter().map(|clip| clip.name.as_str());
    let failure = Failure::usage(format!("{}: has no clip {name:?}", file.display()));
    Err(match (nearest(name, names()), clips.len()) {
        (_, 0) => failure.help("the file holds a skeleton alone"),
        (Some(near), _) => failure.help(format!("did you mean {near:?}? sinew info lists all {}", clips.len())),
        (None, 1..=8) => {
            failure.help(format!("it has {}", names().map(|n| format!("{n:?}")).collect::<Vec<_>>().join(", ")))
        }
        (None, n) => failure.help(format!("sinew info --all lists its {n} clips")),
    })
}
