//! Figures for captures: the one way from a capture, or a skeleton with a clip, to a body.
//!
//! The figure is built by [`Figure::build`], or loaded from a figure file. Its joint limits in use are widened so that the clip can be
//! followed; the limits of the anatomy stay.
//!
//! Soles are guessed where a rest pose is not set on the ground: from the frames of the clip in which the feet are lowest, which is
//! right for captures. A retargeted motion was placed on the soles of the common posture instead, which depend on no clip.
//! It is recognised by its contact heights: on those soles, and on no others, it reaches the same ground height again and again
//! and never sinks below it.

use super::body::{Body, BodyOptions};
use super::{Figure, FigureError, FigureOptions, Widened};
use crate::contacts::ground_level::ground_level;
use crate::files::FormatError;
use crate::formats::{Capture, gltf};
use crate::math::{Real, Vec3};
use crate::motion::{Clip, ClipError, Pose, REFERENCE_HEIGHT, Skeleton, Tracks};
use std::path::Path;

/// Properties of the figure that a capture gets; what is left open is found from the capture.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaptureOptions<'a> {
    /// Name of the clip to follow; the first clip if none is named.
    pub clip: Option<&'a str>,
    /// Total mass, kg.
    pub mass: Option<Real>,
    /// Standing height, metres.
    pub height: Option<Real>,
    /// Accepts a capture without clips: its rest pose becomes a clip of one frame.
    pub allow_rest: bool,
    /// Figure file in place of a figure that is built; mass and height are then those of the file.
    pub file: Option<FigureFile<'a>>,
    /// Factor of all shapes across their bones (see [`Figure::thicken`]); masses stay.
    pub thickness: Option<Real>,
}

/// Figure file, by its path or by its text.
#[derive(Clone, Copy, Debug)]
pub enum FigureFile<'a> {
    /// File to load.
    Path(&'a Path),
    /// Text of a file.
    Text(&'a str),
}

/// A figure and the clip it follows.
#[derive(Clone, Debug)]
pub struct CaptureFigure {
    /// Body of the capture, with limits in use that hold the clip.
    pub figure: Figure,
    /// Clip that was chosen, or the rest pose.
    pub clip: Clip,
    /// True if the capture has no clip and `clip` is its rest pose.
    pub at_rest: bool,
    /// Limits that had to be widened for the clip.
    pub widened: Vec<Widened>,
}

/// Reason why a capture gets no figure, or has nothing to follow.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CaptureError {
    /// The capture has no clips, and its rest pose is not accepted.
    #[error("holds a skeleton alone, no clip")]
    NoClip,
    /// No clip has the name that was asked for.
    #[error("has no clip {0:?}")]
    UnknownClip(String),
    /// The clip of this name is empty.
    #[error("the clip {0:?} has no frames")]
    NoFrames(String),
    /// The figure has no segments.
    #[error("no joint of the skeleton carries a body")]
    NoBody,
    /// The figure cannot be built.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// The rest pose cannot be made a clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The figure file cannot be read, or does not fit the skeleton.
    #[error(transparent)]
    File(#[from] FormatError),
}

/// Builds or loads the figure of a capture, for one of its clips.
///
/// ```
/// use sinew::figure::{CaptureOptions, for_capture};
/// use sinew::formats::{self, ImportOptions};
/// use std::path::Path;
///
/// let capture = formats::read(Path::new("data/clips/walk.bvh"), &ImportOptions::default())?;
/// let body = for_capture(&capture, &CaptureOptions { mass: Some(80.0), ..CaptureOptions::default() })?;
/// assert!((body.figure.mass() - 80.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn for_capture(capture: &Capture, options: &CaptureOptions) -> Result<CaptureFigure, CaptureError> {
    let chosen = match options.clip {
        None => capture.clips.first(),
        Some(name) => {
            let found = capture.clips.iter().find(|clip| clip.name == name);
            Some(found.ok_or_else(|| CaptureError::UnknownClip(name.to_owned()))?)
        }
    };
    let clip = match chosen {
        Some(clip) => clip.clone(),
        None if options.allow_rest => rest_clip(&capture.skeleton)?,
        None => return Err(CaptureError::NoClip),
    };
    if clip.frames() == 0 {
        return Err(CaptureError::NoFrames(clip.name));
    }
    let (figure, widened) = for_clips(capture, std::slice::from_ref(&clip), options)?;
    Ok(CaptureFigure { figure, at_rest: chosen.is_none(), clip, widened })
}

/// Builds or loads the figure of a capture for clips that it follows one after the other; the first one shows its soles. Tells
/// which limits were widened. The clip of the options has no meaning here.
pub fn for_clips(
    capture: &Capture,
    clips: &[Clip],
    options: &CaptureOptions,
) -> Result<(Figure, Vec<Widened>), CaptureError> {
    // A skin that cannot be read is no reason to refuse the skeleton.
    let skin = gltf::skin_vertices(capture).ok().flatten();
    let (mut figure, mut widened) = for_skeleton(&capture.skeleton, clips.first(), skin.as_deref(), options)?;
    if figure.segments().is_empty() {
        return Err(CaptureError::NoBody);
    }
    widened.extend(clips.iter().skip(1).flat_map(|clip| figure.widen_to_hold(clip)));
    Ok((figure, widened))
}

/// Builds or loads the figure of a skeleton that follows a clip, and tells which limits were widened for it.
///
/// `skin` holds the vertices that each joint moves (see [`FigureOptions::skin`]). The clip of the options and `allow_rest` have no
/// meaning here.
pub fn for_skeleton(
    skeleton: &Skeleton,
    clip: Option<&Clip>,
    skin: Option<&[Vec<Vec3>]>,
    options: &CaptureOptions,
) -> Result<(Figure, Vec<Widened>), CaptureError> {
    let clip = clip.filter(|clip| clip.frames() > 0);
    let (mass, height) = (options.mass, options.height);
    let mut figure = match options.file {
        Some(FigureFile::Path(file)) => Figure::load(file, skeleton)?,
        Some(FigureFile::Text(text)) => Figure::from_toml(text, skeleton)?,
        None => build(skeleton, &FigureOptions { mass, height, clip, skin, ..FigureOptions::default() })?,
    };
    if let Some(factor) = options.thickness {
        figure.thicken(factor, clip);
    }
    let widened = clip.map(|clip| figure.widen_to_hold(clip)).unwrap_or_default();
    Ok((figure, widened))
}

/// Makes the rest pose a clip of one frame.
pub(crate) fn rest_clip(skeleton: &Skeleton) -> Result<Clip, ClipError> {
    let rest = skeleton.rest_pose();
    Clip::new("rest", 30.0, skeleton.len(), rest.rotations, Tracks::default(), Tracks::default())
}

/// Distance from the ground that counts as contact on the soles a motion was made for, over the standing height.
const EXACT: Real = 0.0006;
/// Least share of frames in such contact, and most share of frames below it, for a motion that is on the ground.
const IN_CONTACT: Real = 0.05;
/// The same for a motion that is mostly in the air: least share of all frames, and of the frames in which a foot is lower than `NEAR`,
/// over the standing height. Heights in a capture are spread evenly there: one in twelve is exact by chance.
const LEAST: Real = 0.01;
const OF_NEAR: Real = 0.15;
const NEAR: Real = 0.014;
const SINKS: Real = 0.005;
/// Most frames that are examined.
const FRAMES: usize = 2000;

/// Builds a figure on the soles that the clip was made for: those of the common posture ([`Body`]) if the clip is in contact on them
/// exactly, else those of [`Figure::build`].
fn build(skeleton: &Skeleton, options: &FigureOptions) -> Result<Figure, FigureError> {
    let built = Figure::build(skeleton, options)?;
    let Some(clip) = options.clip.filter(|clip| options.height.is_none() && clip.frames() > 0) else {
        return Ok(built);
    };
    let body = Body::new(skeleton, &BodyOptions { example: Some(clip), skin: options.skin, told: &[] });
    let Some(mut figure) = body.figure().filter(|figure| is_made_for(figure, clip)).cloned() else { return Ok(built) };
    figure.rest_as(skeleton);
    if let Some(mass) = options.mass {
        figure.set_mass(mass);
    }
    Ok(figure)
}

/// Returns true if a clip reaches the ground on the soles of a figure exactly, and does not sink below it.
fn is_made_for(figure: &Figure, clip: &Clip) -> bool {
    let skeleton = figure.skeleton();
    let step = clip.frames().div_ceil(FRAMES).max(1);
    let (mut frames, mut placements) = (Vec::new(), Vec::new());
    let mut heights = Vec::with_capacity(clip.frames() / step + 1);
    for frame in (0..clip.frames()).step_by(step) {
        let pose = Pose { scales: None, ..clip.pose(skeleton, frame) };
        figure.placements_into(&pose, &mut frames, &mut placements);
        let corners = figure.sole_points().iter().flat_map(|sole| sole.corners().map(|corner| (sole.segment, corner)));
        heights.push(corners.map(|(k, corner)| placements[k].point(&corner).y).fold(Real::INFINITY, Real::min));
    }
    are_exact(&heights, figure.height)
}

/// Returns true if the heights of the lowest sole, one per frame, metres, are those of a motion made for a body of this height, metres.
fn are_exact(heights: &[Real], height: Real) -> bool {
    let ground = ground_level(&mut heights.to_vec(), height / REFERENCE_HEIGHT);
    let (exact, near) = (EXACT * height, NEAR * height);
    let share = |of: &dyn Fn(Real) -> bool| {
        heights.iter().filter(|&&height| of(height - ground)).count() as Real / heights.len() as Real
    };
    let in_contact = share(&|height| height.abs() < exact);
    let often =
        in_contact > IN_CONTACT || (in_contact > LEAST && in_contact > OF_NEAR * share(&|height| height < near));
    often && share(&|height| height < -exact) < SINKS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A motion in the air in nine of ten frames has exact contact in few frames, but in many of those in which a foot is low. Heights of a
    /// capture are spread evenly there.
    #[test]
    fn a_motion_mostly_in_the_air_shows_its_soles() {
        let flies = |down: &dyn Fn(usize) -> Real| -> Vec<Real> {
            (0..1000).map(|k| if k % 10 == 0 { down(k / 10) } else { 0.3 }).collect()
        };
        let made = flies(&|k| if k % 3 == 0 { 0.0 } else { 0.005 + 0.0001 * k as Real });
        assert!(are_exact(&made, 1.75));
        let captured = flies(&|k| 0.024 * (k as Real * 0.618).fract());
        assert!(!are_exact(&captured, 1.75));
        // A motion that sinks was not made for these soles, however often it is in contact on them.
        let sinks = flies(&|k| if k % 3 == 0 { 0.0 } else { -0.004 });
        assert!(!are_exact(&sinks, 1.75));
    }
}
