//! From a capture to a figure with a motion to follow: what every run of a captured clip begins with.

use crate::figure::{Figure, FigureError, FigureOptions};
use crate::formats::{Capture, gltf};
use crate::math::Real;
use crate::motion::{Clip, ClipError, Tracks};

/// Whose motion, and what its body is like; what is left open is found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish<'a> {
    /// Name of the clip; the first one without it.
    pub clip: Option<&'a str>,
    /// Total mass, kg.
    pub mass: Option<Real>,
    /// Standing height, metres.
    pub height: Option<Real>,
}

/// A figure and the motion it follows.
#[derive(Clone, Debug)]
pub struct Embodied {
    pub figure: Figure,
    pub clip: Clip,
    /// The file has no clip: this one is its rest pose.
    pub still: bool,
}

/// Why a capture gets no body, or has nothing to follow.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EmbodyError {
    #[error("holds a skeleton alone, no clip")]
    NoClip,
    #[error("has no clip {0:?}")]
    UnknownClip(String),
    #[error("the clip {0:?} has no frames")]
    NoFrames(String),
    #[error("no joint of the skeleton carries a body")]
    NoBody,
    #[error(transparent)]
    Figure(#[from] FigureError),
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Builds the figure of a capture, wide enough in its limits for the motion it follows. A file without clips is its rest
/// pose, if `at_rest` allows that.
pub fn embody(capture: &Capture, wish: &Wish, at_rest: bool) -> Result<Embodied, EmbodyError> {
    let chosen = match wish.clip {
        None => capture.clips.first(),
        Some(name) => {
            let found = capture.clips.iter().find(|clip| clip.name == name);
            Some(found.ok_or_else(|| EmbodyError::UnknownClip(name.to_owned()))?)
        }
    };
    let clip = match chosen {
        Some(clip) => clip.clone(),
        None if at_rest => still(capture)?,
        None => return Err(EmbodyError::NoClip),
    };
    if clip.frames() == 0 {
        return Err(EmbodyError::NoFrames(clip.name));
    }
    // A skin that cannot be read is no reason to refuse the skeleton.
    let skin = gltf::skin_vertices(capture).ok().flatten();
    let options = FigureOptions {
        mass: wish.mass,
        height: wish.height,
        clip: Some(&clip),
        skin: skin.as_deref(),
        ..FigureOptions::default()
    };
    let mut figure = Figure::build(&capture.skeleton, &options)?;
    if figure.segments().is_empty() {
        return Err(EmbodyError::NoBody);
    }
    figure.widen_to_hold(&clip);
    Ok(Embodied { figure, still: chosen.is_none(), clip })
}

/// A clip of one frame: the rest pose.
fn still(capture: &Capture) -> Result<Clip, ClipError> {
    let rest = capture.skeleton.rest_pose();
    Clip::new("rest", 30.0, capture.skeleton.len(), rest.rotations, Tracks::default(), Tracks::default())
}
