//! A uniformly sampled motion of a skeleton.

use super::{Pose, Skeleton};
use crate::{Quat, Real, Vec3};

/// Why samples do not make a clip.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClipError {
    #[error("a clip needs a frame rate above zero, not {0} Hz")]
    Rate(Real),
    #[error("{what}: {found} values where {expected} were expected")]
    Length { what: &'static str, found: usize, expected: usize },
    #[error("frame {frame}: {what} is not a finite number")]
    NotFinite { frame: usize, what: &'static str },
    #[error("joint {0} is listed out of order or twice among the moved joints")]
    TrackOrder(usize),
    #[error("the clip was made for {found} joints, the skeleton has {expected}")]
    Joints { found: usize, expected: usize },
    #[error("the clip has no frames")]
    NoFrames,
    #[error("frames {start}..{end} do not lie within the clip's {frames} frames")]
    Range { start: usize, end: usize, frames: usize },
    #[error("the clips run at {0} and {1} Hz; resample one of them first")]
    RateMismatch(Real, Real),
    #[error("a cross-fade of {fade} frames does not fit clips of {first} and {second} frames")]
    Fade { fade: usize, first: usize, second: usize },
    #[error("a window of {window} frames does not fit a clip of {frames} frames")]
    Window { window: usize, frames: usize },
}

/// Values of some joints over time: `values[frame * joints.len() + k]` belongs to joint `joints[k]`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Tracks {
    /// The joints that have a value of their own, ascending.
    pub joints: Vec<usize>,
    /// Frame by frame.
    pub values: Vec<Vec3>,
}

/// A motion sampled at a constant rate: a rotation for every joint and frame, translations for the joints that
/// move (always the roots), scales for the joints that are scaled.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    pub name: String,
    rate: Real,
    frames: usize,
    joints: usize,
    /// Frame by frame, joint by joint, in the parent's frame.
    rotations: Vec<Quat>,
    /// Replaces the joint's rest offset, metres.
    translations: Tracks,
    scales: Tracks,
}

impl Clip {
    /// `rotations` holds `frames × joints` values, frame by frame. Joints that are not in `translations` keep
    /// their rest offset, joints that are not in `scales` keep scale 1.
    pub fn new(
        name: impl Into<String>,
        rate_hz: Real,
        joints: usize,
        rotations: Vec<Quat>,
        translations: Tracks,
        scales: Tracks,
    ) -> Result<Self, ClipError> {
        if !(rate_hz.is_finite() && rate_hz > 0.0) {
            return Err(ClipError::Rate(rate_hz));
        }
        let frames = rotations.len().checked_div(joints).unwrap_or(0);
        if rotations.len() != frames * joints {
            let expected = frames * joints;
            return Err(ClipError::Length { what: "rotations", found: rotations.len(), expected });
        }
        if let Some(at) = rotations.iter().position(|q| !q.coords.iter().all(|x| x.is_finite())) {
            return Err(ClipError::NotFinite { frame: at / joints, what: "a rotation" });
        }
        for (what, tracks) in [("a translation", &translations), ("a scale", &scales)] {
            let width = tracks.joints.len();
            if tracks.values.len() != frames * width {
                return Err(ClipError::Length { what, found: tracks.values.len(), expected: frames * width });
            }
            if let Some(pair) = tracks.joints.windows(2).find(|w| w[0] >= w[1]) {
                return Err(ClipError::TrackOrder(pair[1]));
            }
            if let Some(&last) = tracks.joints.last().filter(|&&j| j >= joints) {
                return Err(ClipError::TrackOrder(last));
            }
            if let Some(at) = tracks.values.iter().position(|v| !v.iter().all(|x| x.is_finite())) {
                return Err(ClipError::NotFinite { frame: at / width, what });
            }
        }
        Ok(Self { name: name.into(), rate: rate_hz, frames, joints, rotations, translations, scales })
    }

    /// Samples per second.
    pub fn rate_hz(&self) -> Real {
        self.rate
    }

    /// Seconds between samples.
    pub fn frame_time(&self) -> Real {
        1.0 / self.rate
    }

    /// Number of samples.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Number of joints of the skeleton it was made for.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// Time of the last sample, seconds; the first is at 0.
    pub fn duration(&self) -> Real {
        self.frames.saturating_sub(1) as Real / self.rate
    }

    /// All joint rotations of one frame.
    pub fn rotations(&self, frame: usize) -> &[Quat] {
        &self.rotations[frame * self.joints..(frame + 1) * self.joints]
    }

    /// The joints with a translation track of their own.
    pub fn translations(&self) -> &Tracks {
        &self.translations
    }

    /// The joints with a scale track.
    pub fn scales(&self) -> &Tracks {
        &self.scales
    }

    /// The posture at one sample.
    pub fn pose(&self, skeleton: &Skeleton, frame: usize) -> Pose {
        let mut pose = skeleton.rest_pose();
        self.pose_into(frame, &mut pose);
        pose
    }

    /// Overwrites the rotations of `pose` and what the clip moves; translations without a track stay as they are.
    pub fn pose_into(&self, frame: usize, pose: &mut Pose) {
        pose.rotations.copy_from_slice(self.rotations(frame));
        let width = self.translations.joints.len();
        for (k, &joint) in self.translations.joints.iter().enumerate() {
            pose.translations[joint] = self.translations.values[frame * width + k];
        }
        let width = self.scales.joints.len();
        if width > 0 {
            let scales = pose.scales.get_or_insert_with(|| vec![Vec3::repeat(1.0); self.joints]);
            for (k, &joint) in self.scales.joints.iter().enumerate() {
                scales[joint] = self.scales.values[frame * width + k];
            }
        }
    }
}
