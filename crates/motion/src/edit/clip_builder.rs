//! Clip under construction, and checks that the operations share.

use crate::{Clip, ClipError, Pose, Skeleton, Tracks};
use crate::{Quat, Real, Vec3};

/// Clip under construction: the joints that have tracks, and the frames so far.
pub(super) struct ClipBuilder {
    moved: Vec<usize>,
    scaled: Vec<usize>,
    rotations: Vec<Quat>,
    translations: Vec<Vec3>,
    scales: Vec<Vec3>,
}

impl ClipBuilder {
    /// Starts a clip with the tracks that any of `clips` has.
    pub fn like(clips: &[&Clip]) -> ClipBuilder {
        let union = |tracks: fn(&Clip) -> &Tracks| {
            let mut joints: Vec<usize> = clips.iter().flat_map(|c| tracks(c).joints.iter().copied()).collect();
            joints.sort_unstable();
            joints.dedup();
            joints
        };
        Self::with_tracks(union(Clip::translations), union(Clip::scales))
    }

    /// Starts a clip with tracks for these joints, ascending.
    pub fn with_tracks(moved: Vec<usize>, scaled: Vec<usize>) -> ClipBuilder {
        ClipBuilder { moved, scaled, rotations: Vec::new(), translations: Vec::new(), scales: Vec::new() }
    }

    /// Adds translation tracks for joints that will be moved.
    pub fn with_translations(mut self, joints: &[usize]) -> ClipBuilder {
        self.moved.extend(joints);
        self.moved.sort_unstable();
        self.moved.dedup();
        self
    }

    /// Adds a frame.
    pub fn push(&mut self, pose: &Pose) {
        self.rotations.extend(&pose.rotations);
        self.translations.extend(self.moved.iter().map(|&j| pose.translations[j]));
        let one = Vec3::repeat(1.0);
        self.scales.extend(self.scaled.iter().map(|&j| pose.scales.as_ref().map_or(one, |s| s[j])));
    }

    /// Returns the frames as a clip of `joints` joints.
    pub fn finish(self, name: &str, rate: Real, joints: usize) -> Result<Clip, ClipError> {
        let translations = Tracks { joints: self.moved, values: self.translations };
        let scales = Tracks { joints: self.scaled, values: self.scales };
        Clip::new(name, rate, joints, self.rotations, translations, scales)
    }
}

/// Refuses a clip of another skeleton, and an empty one.
pub(super) fn check(skeleton: &Skeleton, clip: &Clip) -> Result<(), ClipError> {
    if clip.joints() != skeleton.len() {
        return Err(ClipError::Joints { found: clip.joints(), expected: skeleton.len() });
    }
    if clip.frames() == 0 { Err(ClipError::NoFrames) } else { Ok(()) }
}

/// Refuses clips that cannot be joined.
pub(super) fn check_both(skeleton: &Skeleton, first: &Clip, second: &Clip) -> Result<(), ClipError> {
    check(skeleton, first)?;
    check(skeleton, second)?;
    // Rates come from frame times with few digits: 0.0083333 s is 120 Hz.
    if (first.rate_hz() / second.rate_hz() - 1.0).abs() > 1e-4 {
        return Err(ClipError::RateMismatch(first.rate_hz(), second.rate_hz()));
    }
    Ok(())
}

/// C² ramp from 0 at 0 to 1 at 1, flat at both ends.
pub(super) fn smooth(u: Real) -> Real {
    u * u * u * (10.0 - u * (15.0 - 6.0 * u))
}
