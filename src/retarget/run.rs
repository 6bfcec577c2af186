//! Retargeting of one clip, from its inputs to the clip of the target.
//!
//! A forward pass ([`SourceMotion`]) reads the source and puts its postures on the target. A backward pass ([`BackwardPass`])
//! holds the contacts of the source on the target, lowers the pelvis where a leg would be too short, and bends the limbs.

use super::backward_pass::{BackwardPass, Solution};
use super::ground_clearance::{self, Clearance, ROUNDS, Solved};
use super::hands::Hands;
use super::limb_pair::pair_limbs;
use super::source_motion::SourceMotion;
use super::transfer::Transfer;
use super::{Path, Whose};
use crate::figure::body::Body;
use crate::math::{Real, Vec3};
use crate::motion::{Clip, ClipError};

/// Moves a clip from one body to another.
#[derive(Clone, Copy, Debug)]
pub struct Retarget<'a> {
    /// Body that the motion belongs to.
    pub source: &'a Body,
    /// Body that the motion is moved to. [`JointMap::between`](super::JointMap::between) refuses pairs of bodies whose limbs
    /// cannot be matched with confidence.
    pub target: &'a Body,
    /// Captured motion of the source, metres, world space.
    pub clip: &'a Clip,
    /// Options of the transfer.
    pub options: RetargetOptions,
}

/// Options of a transfer; the defaults suit most clips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetargetOptions {
    /// Path of the root along the ground.
    pub path: Path,
    /// Height of the ground, metres. `None` takes 0, or the height of the source's feet where they rest far from 0.
    pub ground: Option<Real>,
    /// Holds contacts in place, sets soles on the ground and lifts them out of it.
    pub hold_contacts: bool,
    /// Keeps the distance of the hands from each other and from the body where they come near.
    pub keep_hands: bool,
    /// Keeps joints of the target within their limits, as far as the source keeps within its own.
    pub limits: bool,
}

impl Default for RetargetOptions {
    fn default() -> Self {
        Self { path: Path::default(), ground: None, hold_contacts: true, keep_hands: false, limits: true }
    }
}

/// Reasons why a clip cannot be moved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RetargetError {
    /// The clip belongs to another skeleton.
    #[error("the clip was made for {found} joints, the source has {expected}")]
    Joints {
        /// Joints of the clip.
        found: usize,
        /// Joints of the source.
        expected: usize,
    },
    /// The clip is empty.
    #[error("the clip has no frames")]
    NoFrames,
    /// The pelvis of a body was not recognised.
    #[error("no joint of the {0} is known as its hips")]
    NoHips(Whose),
    /// The height of the ground is not finite.
    #[error("the ground must be a height in metres, not {0}")]
    Ground(Real),
    /// The frames do not make a clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// A clip on its new body.
#[derive(Clone, Debug, PartialEq)]
pub struct Retargeted {
    /// Motion of the target's skeleton, metres, world space.
    pub clip: Clip,
    /// Length of the target's legs over that of the source's. Where one of them has no legs, the ratio of the trunks or heights.
    pub scale: Real,
    /// True if [`Retargeted::scale`] is the ratio of the legs.
    pub by_legs: bool,
    /// Assumed height of the ground, metres.
    pub ground: Real,
    /// Velocity of the treadmill below a clip in place, at the target's scale, m/s; 0 for all other clips.
    pub treadmill: Vec3,
    /// True if source and target are the same skeleton, and the clip is unchanged.
    pub same: bool,
}

impl Retarget<'_> {
    /// Moves the clip to the target.
    pub fn run(&self) -> Result<Retargeted, RetargetError> {
        let (found, expected) = (self.clip.joints(), self.source.skeleton.len());
        if found != expected {
            return Err(RetargetError::Joints { found, expected });
        }
        if self.clip.frames() == 0 {
            return Err(RetargetError::NoFrames);
        }
        if let Some(ground) = self.options.ground.filter(|ground| !ground.is_finite()) {
            return Err(RetargetError::Ground(ground));
        }
        if is_same(self.source, self.target) {
            let ground = self.options.ground.unwrap_or(0.0);
            let (clip, treadmill) = (self.clip.clone(), Vec3::zeros());
            return Ok(Retargeted { clip, scale: 1.0, by_legs: true, ground, treadmill, same: true });
        }
        let mut transfer =
            Transfer::new(self.source, self.target, self.options.path, 0.0).map_err(RetargetError::NoHips)?;
        let pairs = pair_limbs(self.source, self.target);
        let hands = if self.options.keep_hands { Hands::new(self.source, self.target) } else { None };
        let source_motion = SourceMotion::of(self, &transfer, &pairs, hands.as_ref());
        transfer.ground = self.options.ground.unwrap_or_else(|| source_motion.ground(&pairs, self.source));
        let clip = self.solve(&transfer, &source_motion, hands.as_ref())?;
        let by_legs = self.source.leg_length().is_some() && self.target.leg_length().is_some();
        let treadmill = source_motion.treadmill * transfer.way();
        Ok(Retargeted { clip, scale: transfer.scale, by_legs, ground: transfer.ground, treadmill, same: false })
    }

    /// Solves all frames, and again as long as the body sinks into the ground or floats above it.
    fn solve(&self, transfer: &Transfer, motion: &SourceMotion, hands: Option<&Hands>) -> Result<Clip, ClipError> {
        let mut clearance = Clearance::default();
        let mut solution = BackwardPass::new(*self, transfer, motion, hands, &clearance).run()?;
        let Some(figure) = self.target.figure.as_ref().filter(|_| self.options.hold_contacts) else {
            return Ok(solution.clip);
        };
        let lies = ground_clearance::lies(self.source, self.clip, &solution.source_grounds);
        for _ in 0..ROUNDS {
            let Solution { clip, heights, grounds, .. } = &solution;
            if !clearance.adapt(figure, &Solved { clip, heights, grounds, lies: &lies }) {
                break;
            }
            solution = BackwardPass::new(*self, transfer, motion, hands, &clearance).run()?;
        }
        Ok(solution.clip)
    }
}

/// Returns true if two bodies have the same joints in the same rest pose.
fn is_same(a: &Body, b: &Body) -> bool {
    let (a, b) = (&a.given, &b.given);
    let size = a.bone_lengths().iter().sum::<Real>().max(1e-9);
    a.len() == b.len()
        && a.joints().iter().zip(b.joints()).all(|(a, b)| {
            let apart = if a.parent.is_some() { (a.offset - b.offset).norm() } else { 0.0 };
            a.parent == b.parent && apart < 1e-5 * size && a.rest.angle_to(&b.rest) < 1e-4
        })
}
