//! The character file that `--into` names: what it had before clips were put into it, and what became of them.

use crate::cli::failure::Failure;
use crate::cli::output::count;
use sinew::formats::{self, ImportOptions};
use sinew::motion::Clip;
use std::path::Path;

pub struct Character<'a> {
    file: &'a Path,
    /// Flag for each added clip: the file already holds an identical one, which is not written again.
    has: Vec<bool>,
}

impl<'a> Character<'a> {
    /// Reads the character.
    pub fn before(file: &'a Path, clips: &[Clip]) -> Result<Self, Failure> {
        let own = formats::read(file, &ImportOptions::default())?.clips;
        let has = clips.iter().map(|clip| own.contains(clip)).collect();
        Ok(Self { file, has })
    }

    /// Gives the clips the names they got in what was written: where a character has another clip of the same
    /// name, the new one is numbered.
    pub fn take_written_names(&self, output: &Path, bytes: &[u8], clips: &mut [Clip]) -> Result<(), Failure> {
        let written = formats::read_bytes(bytes, &output.to_string_lossy(), &ImportOptions::default())?.clips;
        // New clips stand before those that the character had.
        let new = clips.iter_mut().zip(&self.has).filter(|(_, has)| !**has);
        for ((clip, _), written) in new.zip(&written) {
            clip.name.clone_from(&written.name);
        }
        Ok(())
    }

    /// Names of the clips that were not added because the character had them.
    pub fn already_there(&self, clips: &[Clip]) -> Vec<String> {
        clips.iter().zip(&self.has).filter(|(_, has)| **has).map(|(clip, _)| clip.name.clone()).collect()
    }

    /// Describes the change of the character file.
    pub fn to_text(&self) -> String {
        let (file, known) = (self.file.display(), self.has.iter().filter(|&&has| has).count());
        match self.has.len() - known {
            _ if known == 0 => format!("put into {file}"),
            0 if known == 1 => format!("nothing added, {file} has exactly this clip already"),
            0 => format!("nothing added, {file} has exactly these clips already"),
            added => format!("{} put into {file}, which has the other {known} already", count(added, "clip")),
        }
    }
}
