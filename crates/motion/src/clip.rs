//! Uniformly sampled motion of a skeleton.

use super::{Pose, Skeleton};
use crate::{Quat, Real, Vec3};

/// Reason why samples make no clip, or why clips do not go together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClipError {
    /// Frame rate that is not above zero, Hz.
    #[error("a clip needs a frame rate above zero, not {0} Hz")]
    Rate(Real),
    /// Number of samples that is no whole number of frames.
    #[error("{what}: {found} values where {expected} were expected")]
    Length {
        /// Kind of sample.
        what: &'static str,
        /// Number of values given.
        found: usize,
        /// Number of values needed.
        expected: usize,
    },
    /// Infinite or undefined sample.
    #[error("frame {frame}: {what} is not a finite number")]
    NotFinite {
        /// Frame, from 0.
        frame: usize,
        /// Kind of sample.
        what: &'static str,
    },
    /// Track of this joint out of ascending order.
    #[error("joint {0} is listed out of order or twice among the moved joints")]
    TrackOrder(usize),
    /// Clip of another skeleton.
    #[error("the clip was made for {found} joints, the skeleton has {expected}")]
    Joints {
        /// Joints of the clip.
        found: usize,
        /// Joints of the skeleton.
        expected: usize,
    },
    /// Clip without a frame.
    #[error("the clip has no frames")]
    NoFrames,
    /// More samples than fit into memory.
    #[error(
        "{frames:.0} frames of {joints} joints are more than fit into memory; choose a lower rate or a shorter clip"
    )]
    TooLong {
        /// Number of frames.
        frames: Real,
        /// Joints of the clip.
        joints: usize,
    },
    /// Range of frames outside of the clip.
    #[error("frames {start}..{end} do not lie within the clip's {frames} frames")]
    Range {
        /// First frame wanted.
        start: usize,
        /// Frame after the last one wanted.
        end: usize,
        /// Frames of the clip.
        frames: usize,
    },
    /// Clips of two rates, Hz.
    #[error("the clips run at {0} and {1} Hz; resample one of them first")]
    RateMismatch(Real, Real),
    /// Cross-fade longer than a clip.
    #[error("a cross-fade of {fade} frames does not fit clips of {first} and {second} frames")]
    Fade {
        /// Frames of the overlap.
        fade: usize,
        /// Frames of the first clip.
        first: usize,
        /// Frames of the second clip.
        second: usize,
    },
    /// Window that is empty or as long as the clip.
    #[error("a window of {window} frames does not fit a clip of {frames} frames")]
    Window {
        /// Frames of the window.
        window: usize,
        /// Frames of the clip.
        frames: usize,
    },
}

/// Values of some joints over time: `values[frame * joints.len() + k]` belongs to joint `joints[k]`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Tracks {
    /// Joints that have a value of their own, ascending.
    pub joints: Vec<usize>,
    /// Values, frame by frame.
    pub values: Vec<Vec3>,
}

/// Motion sampled at a constant rate: a rotation for every joint and frame, translations for the joints that
/// move (always the roots), scales for the joints that are scaled.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Name, as animation programs list it; may be empty.
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
    /// Makes a clip. `rotations` holds `frames × joints` values, frame by frame. Joints that are not in `translations` keep
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

    /// Returns the frame rate, samples per second.
    pub fn rate_hz(&self) -> Real {
        self.rate
    }

    /// Returns the time between samples, seconds.
    pub fn frame_time(&self) -> Real {
        1.0 / self.rate
    }

    /// Returns the number of samples.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Returns the number of joints of the skeleton that the clip was made for.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// Returns the time of the last sample, seconds; the first is at 0.
    pub fn duration(&self) -> Real {
        self.frames.saturating_sub(1) as Real / self.rate
    }

    /// Returns all joint rotations of one frame, in the frames of the parents.
    pub fn rotations(&self, frame: usize) -> &[Quat] {
        &self.rotations[frame * self.joints..(frame + 1) * self.joints]
    }

    /// Returns the translation tracks, metres, in the frames of the parents.
    pub fn translations(&self) -> &Tracks {
        &self.translations
    }

    /// Returns the scale tracks.
    pub fn scales(&self) -> &Tracks {
        &self.scales
    }

    /// Returns the pose of one frame.
    pub fn pose(&self, skeleton: &Skeleton, frame: usize) -> Pose {
        let mut pose = skeleton.rest_pose();
        self.pose_into(frame, &mut pose);
        pose
    }

    /// Overwrites the rotations of `pose` and the values that have a track; other translations and scales stay.
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
