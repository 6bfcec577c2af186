//! Distance of a result from its source.

use super::MeasureError;
use super::residual::Spread;
use crate::contacts::signal::percentile;
use crate::math::{Quat, Real, Vec3};
use crate::motion::{Clip, ClipError, Frame, Pose, Sampler, Skeleton};

/// A motion with the skeleton it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Moved<'a> {
    /// Skeleton of the motion.
    pub skeleton: &'a Skeleton,
    /// Motion of that skeleton.
    pub clip: &'a Clip,
}

/// Distance of a result from its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracking {
    /// Mean distance of joints, metres.
    pub position: Real,
    /// Mean distance of joints with the roots aligned, metres.
    pub position_root: Real,
    /// The 95th percentile of the distances, metres.
    pub position_p95: Real,
    /// Mean angle between rotations of joints against their parents, radians.
    pub angle: Real,
    /// Mean difference of second differences, metres per frame²; none with fewer than three frames.
    pub acceleration: Option<Real>,
    /// Number of joints of the source that were found in the result.
    pub joints: usize,
    /// Number of frames of the source that the result covers.
    pub frames: usize,
}

impl Tracking {
    /// Compares a result with its source, joint by joint of the same name, at the times of the source's frames.
    ///
    /// ```
    /// use sinew::formats::{self, ImportOptions};
    /// use sinew::measure::{Moved, Tracking};
    /// use std::path::Path;
    ///
    /// let walk = formats::read(Path::new("data/clips/walk.bvh"), &ImportOptions::default())?;
    /// let moved = Moved { skeleton: &walk.skeleton, clip: &walk.clips[0] };
    /// assert_eq!(Tracking::between(&moved, &moved)?.position, 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(source: &Moved, result: &Moved) -> Result<Tracking, MeasureError> {
        source.check()?;
        result.check()?;
        let pairs = pairs(source.skeleton, result.skeleton);
        if pairs.is_empty() {
            return Err(MeasureError::NothingInCommon);
        }
        let rate = source.clip.rate_hz();
        let mut other = Times::new(result, rate)?;
        let frames = source.clip.frames().min(other.frames());
        let root = pairs.iter().position(|&(j, _)| source.skeleton.joint(j).parent.is_none()).unwrap_or(0);
        let rests: Vec<[Quat; 2]> = pairs
            .iter()
            .map(|&(j, k)| [source.skeleton.joint(j).rest.inverse(), result.skeleton.joint(k).rest.inverse()])
            .collect();
        let mut own = Shown::new(source.skeleton);
        let mut errors: Vec<Real> = Vec::with_capacity(frames * pairs.len());
        let (mut rooted, mut angle, mut acceleration) = (Spread::default(), Spread::default(), Spread::default());
        // Offsets of the last two frames: the difference of second differences is the second difference of the offsets.
        let mut past: [Vec<Vec3>; 2] = Default::default();
        for frame in 0..frames {
            own.show(|pose| source.clip.pose_into(frame, pose));
            other.show(frame);
            let apart = |&(j, k): &(usize, usize)| other.shown.frames[k].position - own.frames[j].position;
            let base = apart(&pairs[root]);
            let now: Vec<Vec3> = pairs.iter().map(apart).collect();
            for (index, (offset, &(j, k))) in now.iter().zip(&pairs).enumerate() {
                errors.push(offset.norm());
                rooted.add((offset - base).norm());
                let [rest, other_rest] = rests[index];
                angle.add((rest * own.pose.rotations[j]).angle_to(&(other_rest * other.shown.pose.rotations[k])));
                if frame >= 2 {
                    acceleration.add((offset - past[1][index] * 2.0 + past[0][index]).norm());
                }
            }
            past.rotate_left(1);
            past[1] = now;
        }
        let position = errors.iter().sum::<Real>() / errors.len().max(1) as Real;
        Ok(Tracking {
            position,
            position_root: rooted.mean(),
            position_p95: percentile(&mut errors, 0.95).unwrap_or(0.0),
            angle: angle.mean(),
            acceleration: (acceleration.count > 0).then(|| acceleration.mean()),
            joints: pairs.len(),
            frames,
        })
    }
}

impl Moved<'_> {
    fn check(&self) -> Result<(), MeasureError> {
        if self.clip.joints() != self.skeleton.len() {
            let (found, expected) = (self.clip.joints(), self.skeleton.len());
            return Err(MeasureError::Joints { found, expected });
        }
        if self.clip.frames() == 0 { Err(MeasureError::NoFrames) } else { Ok(()) }
    }
}

/// Joints of the same name, else of the same role.
fn pairs(source: &Skeleton, result: &Skeleton) -> Vec<(usize, usize)> {
    let same = source.len() == result.len()
        && source.joints().iter().zip(result.joints()).all(|(a, b)| a.name == b.name && a.parent == b.parent);
    if same {
        return (0..source.len()).map(|j| (j, j)).collect();
    }
    let partner = |j: usize| {
        let joint = source.joint(j);
        let by_role = || joint.role.and_then(|role| result.with_role(role));
        result.find(&joint.name).or_else(by_role).map(|k| (j, k))
    };
    (0..source.len()).filter_map(partner).collect()
}

/// A pose and its joints in the world.
struct Shown<'a> {
    skeleton: &'a Skeleton,
    pose: Pose,
    frames: Vec<Frame>,
}

impl<'a> Shown<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        Self { skeleton, pose: skeleton.rest_pose(), frames: Vec::new() }
    }

    fn show(&mut self, fill: impl FnOnce(&mut Pose)) {
        fill(&mut self.pose);
        self.pose.world_into(self.skeleton, &mut self.frames);
    }
}

/// A clip seen at the frames of another rate.
struct Times<'a> {
    moved: Moved<'a>,
    /// Smooth motion through the samples, for another rate than that of the clip.
    between: Option<(Sampler, crate::motion::PoseMotion)>,
    rate: Real,
    shown: Shown<'a>,
}

impl<'a> Times<'a> {
    fn new(moved: &Moved<'a>, rate: Real) -> Result<Self, ClipError> {
        let same = (moved.clip.rate_hz() / rate - 1.0).abs() < 1e-4;
        let between = match same {
            true => None,
            false => {
                let sampler = Sampler::new(moved.skeleton, moved.clip)?;
                let buffer = sampler.buffer();
                Some((sampler, buffer))
            }
        };
        Ok(Self { moved: *moved, between, rate, shown: Shown::new(moved.skeleton) })
    }

    /// Frames of the other rate that it covers.
    fn frames(&self) -> usize {
        match self.between {
            None => self.moved.clip.frames(),
            Some(_) => (self.moved.clip.duration() * self.rate + 1e-6).floor() as usize + 1,
        }
    }

    fn show(&mut self, frame: usize) {
        match &mut self.between {
            None => self.shown.show(|pose| self.moved.clip.pose_into(frame, pose)),
            Some((sampler, motion)) => {
                sampler.sample_into(frame as Real / self.rate, motion);
                self.shown.show(|pose| pose.clone_from(&motion.pose));
            }
        }
    }
}
