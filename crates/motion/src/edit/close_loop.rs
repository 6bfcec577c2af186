//! Closing of loops: the end of a clip is led into its start.
//!
//! A closed loop's last frame is its first, up to the ground covered and the heading gained in a cycle.
//! The difference is added over a window before the end, as a correction c(u), u = 0 … 1, that starts from zero and
//! arrives with the difference Δ and the difference of velocities Δ̇ times the window's length:
//!
//!   c(u) = Δ s(u) + Δ̇ r(u),   s = 10u³ − 15u⁴ + 6u⁵,   r = −4u³ + 7u⁴ − 3u⁵
//!
//! s and r and their first two derivatives vanish at 0; at 1, s = 1, s' = s'' = 0, r = 0, r' = 1, r'' = 0. So the
//! motion stays C² where the window begins, and position and velocity meet at the seam. Rotations are corrected by
//! q exp(c), with c a rotation vector in the joint's own axes.

use super::clip_builder::{ClipBuilder, check, smooth};
use crate::math::{real, skew};
use crate::{Clip, ClipError, GroundMove, PoseMotion, Sampler, Skeleton, root_motion};
use crate::{Quat, Real, Vec3};

/// Treatment of the ground that a figure covers in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CycleTravel {
    /// Kept: the loop walks on ([`Looping::Travel`](crate::Looping::Travel)).
    #[default]
    Keep,
    /// Removed evenly over the cycle: the figure walks in place and the last frame is the first
    /// ([`Looping::Return`](crate::Looping::Return)).
    Remove,
}

/// Makes the end of a clip lead into its start, by changing the last `window` frames.
///
/// A clip that already is a loop stays the same, up to rounding and the small error of the velocities at its ends.
///
/// ```
/// # use sinew_motion::{Clip, Joint, Looping, Sampler, Skeleton, Tracks, edit::{self, CycleTravel}};
/// # use sinew_motion::{Quat, Vec3};
/// # let skeleton = Skeleton::new(vec![Joint::new("hips", None, Vec3::zeros())])?;
/// # let turn = |k| Quat::from_axis_angle(&Vec3::z_axis(), 0.3 * (0.2 * k as f64).sin());
/// # let walk = (0..32).map(|k| Vec3::new(0.0, 1.0, 0.04 * k as f64)).collect();
/// # let places = Tracks { joints: vec![0], values: walk };
/// # let clip = Clip::new("", 30.0, 1, (0..32).map(turn).collect(), places, Tracks::default())?;
/// let cycle = edit::close_loop(&skeleton, &clip, 10, CycleTravel::Keep)?;
/// let sampler = Sampler::looping(&skeleton, &cycle, Looping::Travel)?;
/// assert!((sampler.travel().translation.z - 0.04 * 31.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn close_loop(skeleton: &Skeleton, clip: &Clip, window: usize, travel: CycleTravel) -> Result<Clip, ClipError> {
    check(skeleton, clip)?;
    let frames = clip.frames();
    if window == 0 || window >= frames {
        return Err(ClipError::Window { window, frames });
    }
    let moved = root_motion::moved_joints(skeleton, root_motion::travel_joint(skeleton, clip));
    let last = frames - 1;
    let whole = root_motion::cycle_move(skeleton, clip);

    // First the motion in place, if that is wanted; then the seam.
    let mut level = ClipBuilder::like(&[clip]).with_translations(&moved);
    let undone = if travel == CycleTravel::Remove { whole.inverse() } else { GroundMove::NONE };
    for frame in 0..frames {
        let mut pose = clip.pose(skeleton, frame);
        if travel == CycleTravel::Remove {
            let by = undone.fraction(frame as Real / last as Real);
            root_motion::move_pose(skeleton, &mut pose, &moved, &by);
        }
        level.push(&pose);
    }
    let level = level.finish(&clip.name, clip.rate_hz(), clip.joints())?;
    let seam = if travel == CycleTravel::Remove { GroundMove::NONE } else { whole };

    let sampler = Sampler::new(skeleton, &level)?;
    let arrival = sampler.sample(level.duration());
    let mut target = sampler.sample(0.0);
    move_motion(skeleton, &mut target, &moved, &seam);
    let length = window as Real * level.frame_time();
    let corrections = Corrections::between(&arrival, &target);
    let mut builder = ClipBuilder::like(&[&level]);
    for frame in 0..frames {
        let mut pose = level.pose(skeleton, frame);
        if frame == last {
            // Exactly the first frame, whatever the arithmetic says.
            pose = level.pose(skeleton, 0);
            root_motion::move_pose(skeleton, &mut pose, &moved, &seam);
        } else if let Some(k) = (frame + window).checked_sub(last) {
            corrections.apply(&mut pose, k as Real / window as Real, length);
        }
        builder.push(&pose);
    }
    builder.finish(&clip.name, clip.rate_hz(), clip.joints())
}

/// Moves a pose with its velocities on the ground.
fn move_motion(skeleton: &Skeleton, motion: &mut PoseMotion, moved: &[usize], by: &GroundMove) {
    for &j in moved {
        let (rotation, _) = root_motion::in_parent(skeleton, &motion.pose, j, by);
        motion.velocities[j] = rotation * motion.velocities[j];
        motion.angular_velocities[j] = rotation * motion.angular_velocities[j];
    }
    root_motion::move_pose(skeleton, &mut motion.pose, moved, by);
}

/// Differences between the end of a cycle and its start: of values, and of their velocities.
struct Corrections {
    /// Rotation vectors in the joints' own axes.
    rotations: Vec<(Vec3, Vec3)>,
    translations: Vec<(Vec3, Vec3)>,
    scales: Option<Vec<(Vec3, Vec3)>>,
}

impl Corrections {
    fn between(from: &PoseMotion, to: &PoseMotion) -> Corrections {
        let joints = from.pose.rotations.len();
        let rotation = |j: usize| {
            let (q, p) = (from.pose.rotations[j], to.pose.rotations[j]);
            let missing = shorter(&(q.inverse() * p)).scaled_axis();
            // ω of q exp(c), in its own axes, is exp(−c) ω_q + J(c) ċ, with the right Jacobian J of exp.
            let wanted = p.inverse() * to.angular_velocities[j];
            let given = p.inverse() * from.angular_velocities[j];
            (missing, inverse_right_jacobian(&missing, &(wanted - given)))
        };
        let difference = |a: &[Vec3], b: &[Vec3], a1: &[Vec3], b1: &[Vec3]| {
            (0..joints).map(|j| (b[j] - a[j], b1[j] - a1[j])).collect::<Vec<_>>()
        };
        let scales = match (&from.pose.scales, &to.pose.scales, &from.scales, &to.scales) {
            (Some(a), Some(b), Some(a1), Some(b1)) => Some(difference(a, b, &a1.velocities, &b1.velocities)),
            _ => None,
        };
        Corrections {
            rotations: (0..joints).map(rotation).collect(),
            translations: difference(&from.pose.translations, &to.pose.translations, &from.velocities, &to.velocities),
            scales,
        }
    }

    fn apply(&self, pose: &mut crate::Pose, u: Real, length: Real) {
        let value = smooth(u);
        let rate = u * u * u * (-4.0 + u * (7.0 - 3.0 * u)) * length;
        let at = |&(missing, speed): &(Vec3, Vec3)| missing * value + speed * rate;
        for (q, change) in pose.rotations.iter_mut().zip(&self.rotations) {
            *q *= Quat::new(at(change));
        }
        for (p, change) in pose.translations.iter_mut().zip(&self.translations) {
            *p += at(change);
        }
        if let (Some(scales), Some(changes)) = (&mut pose.scales, &self.scales) {
            for (s, change) in scales.iter_mut().zip(changes) {
                *s += at(change);
            }
        }
    }
}

/// Returns the same rotation with the quaternion of the shorter arc.
fn shorter(q: &Quat) -> Quat {
    if q.w < 0.0 { Quat::new_unchecked(-q.into_inner()) } else { *q }
}

/// Inverse of the right Jacobian of exp: J(c)⁻¹ v = v + ½ c × v + k c × (c × v), k = 1/θ² − (1 + cos θ)/(2 θ sin θ), θ = |c|.
fn inverse_right_jacobian(c: &Vec3, v: &Vec3) -> Vec3 {
    let angle = c.norm();
    let k = if angle < 1e-3 {
        1.0 / 12.0 + angle * angle / 720.0
    } else {
        // (1 + cos θ)/sin θ = 1/tan(θ/2), which is tame up to the largest difference of two postures, π.
        1.0 / (angle * angle) - 0.5 / (angle * real::tan(angle / 2.0))
    };
    let cross = skew(c);
    v + cross * v * 0.5 + cross * (cross * v) * k
}
