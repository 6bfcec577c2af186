//! Postures become clips.

use super::body::{Body, HIPS};
use super::posture::Posture;
use sinew::Real;
use sinew::motion::{Clip, ClipError, Pose, Tracks};

/// Samples per second of every built-in clip.
pub const RATE: Real = 60.0;

/// A clip of poses at [`RATE`]; only the first joint is moved.
pub fn from_poses(name: &str, poses: impl IntoIterator<Item = Pose>) -> Result<Clip, ClipError> {
    let (mut rotations, mut travel, mut joints) = (Vec::new(), Vec::new(), 0);
    for pose in poses {
        joints = pose.rotations.len();
        travel.push(pose.translations[HIPS]);
        rotations.extend(pose.rotations);
    }
    let translations = Tracks { joints: vec![HIPS], values: travel };
    Clip::new(name, RATE, joints, rotations, translations, Tracks::default())
}

/// A clip of `seconds`, first and last moment included; `posture` is asked for the time in seconds.
pub fn of_postures(
    name: &str,
    body: &Body,
    seconds: Real,
    posture: impl Fn(Real) -> Posture,
) -> Result<Clip, ClipError> {
    let frames = (seconds * RATE).round() as usize + 1;
    from_poses(name, (0..frames).map(|frame| posture(frame as Real / RATE).solve(body)))
}
