//! Joint limits of the target.
//!
//! Limits are those of the figures, taken in the reference posture, so that the same limit means the same posture on both
//! bodies. The target may exceed its limits by as much as the source exceeds its own, or as a motion of the target's own does.

use crate::figure::body::Body;
use crate::figure::{Figure, Limits};
use crate::math::{Quat, Real, Vec3, real};
use crate::motion::Frame;

/// Excess that is not visible, radians.
const NOTED: Real = 0.5 * std::f64::consts::PI / 180.0;

/// Joints of two bodies with limits.
pub(super) struct LimitCheck<'a> {
    source: &'a Figure,
    target: &'a Figure,
    /// Segments of the target with limits, parents first.
    limited: Vec<Limited>,
}

struct Limited {
    segment: usize,
    /// Corresponding segment of the source.
    partner: Option<usize>,
    /// Joints that move with it.
    riders: Vec<usize>,
    /// Largest excess in a motion of its own, radians.
    own: Real,
}

impl<'a> LimitCheck<'a> {
    /// Collects the limits; `follows` tells that a joint of the target follows the source, whatever its parent does.
    pub fn new(source: &'a Body, target: &'a Body, follows: impl Fn(usize) -> bool) -> Option<Self> {
        let (from, to) = (source.limits.as_ref()?, target.limits.as_ref()?);
        let limited = |k: &usize| to.segment(*k).parent.is_some() && to.segment(*k).attachment.limits != Limits::None;
        let mut own = vec![0.0; to.segments().len()];
        let (mut pose, mut frames) = (target.skeleton.rest_pose(), Vec::new());
        for posture in &target.own_postures {
            pose.rotations.copy_from_slice(posture);
            pose.world_into(&target.skeleton, &mut frames);
            let excesses = (0..own.len()).map(|k| excess(to, k, |j| frames[j].rotation));
            own.iter_mut().zip(excesses).for_each(|(most, excess)| *most = Real::max(*most, excess));
        }
        let limited = (0..to.segments().len()).filter(limited).map(|segment| {
            let partner = to.segment(segment).role.and_then(|role| from.with_role(role));
            let partner = partner.filter(|&k| from.segment(k).parent.is_some());
            let riders = to.folded(segment).filter(|&j| !follows(j)).collect();
            Limited { segment, partner, riders, own: own[segment] }
        });
        Some(LimitCheck { source: from, target: to, limited: limited.collect() })
    }

    /// Limits joints whose excess is larger than that of the source.
    pub fn apply(&self, source: &[Frame], world: &mut [Quat]) {
        for Limited { segment: k, partner, riders, own } in &self.limited {
            let segment = self.target.segment(*k);
            let Some(parent) = segment.parent else { continue };
            let above = world[self.target.segment(parent).joint];
            let relative = segment.attachment.relative(&(above.inverse() * world[segment.joint]));
            let excess = segment.attachment.limits.excess(&relative);
            if excess < NOTED {
                continue;
            }
            let shown = partner.map_or(0.0, |k| self::excess(self.source, k, |j| source[j].rotation)).max(*own);
            if excess > shown + NOTED {
                let within = nearest_within(&segment.attachment.limits, &relative, shown);
                let turned = above * segment.attachment.turn(&within);
                let by = turned * world[segment.joint].inverse();
                world[segment.joint] = turned;
                riders.iter().for_each(|&j| world[j] = by * world[j]);
            }
        }
    }
}

/// Returns the excess of a segment over its limits, radians, for world orientations of the joints.
fn excess(figure: &Figure, k: usize, turned: impl Fn(usize) -> Quat) -> Real {
    let segment = figure.segment(k);
    let above = segment.parent.map_or(Quat::identity(), |p| turned(figure.segment(p).joint));
    segment.attachment.limits.excess(&segment.attachment.relative(&(above.inverse() * turned(segment.joint))))
}

/// Returns the nearest orientation whose excess is at most `beyond`, radians.
fn nearest_within(limits: &Limits, relative: &Quat, beyond: Real) -> Quat {
    match *limits {
        Limits::None => *relative,
        Limits::Hinge { range } => {
            let angle = 2.0 * real::atan2(relative.k, relative.w);
            let middle = 0.5 * (range[0] + range[1]);
            let angle = angle + std::f64::consts::TAU * ((middle - angle) / std::f64::consts::TAU).round();
            let within = angle.clamp(range[0] - beyond, range[1] + beyond);
            relative * Quat::from_axis_angle(&Vec3::z_axis(), within - angle)
        }
        Limits::SwingTwist { swing, twist } => {
            // relative = swing about an axis across x, after a twist about x.
            let x = relative * Vec3::x();
            let sine = real::hypot(x.y, x.z);
            let full = real::atan2(sine, x.x);
            let [y, z] = if sine < 1e-9 { [0.0; 2] } else { [-x.z, x.y].map(|part| part * full / sine) };
            let part = real::hypot(y / swing[0], z / swing[1]);
            let angle = real::hypot(y, z);
            let scale = if part > 1.0 { ((angle / part + beyond) / angle).min(1.0) } else { 1.0 };
            let swung = Quat::from_scaled_axis(Vec3::new(0.0, y, z));
            let turned = swung.inverse() * relative;
            let about = 2.0 * real::atan2(turned.i, turned.w);
            let about = about - std::f64::consts::TAU * (about / std::f64::consts::TAU).round();
            let within = about.clamp(twist[0] - beyond, twist[1] + beyond);
            Quat::from_scaled_axis(Vec3::new(0.0, y, z) * scale) * Quat::from_axis_angle(&Vec3::x_axis(), within)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orientations outside move to the edge of cones, twists and hinges, and those inside stay.
    #[test]
    fn the_nearest_orientation_within_limits_is_on_their_edge() {
        let cone = Limits::SwingTwist { swing: [0.5, 0.9], twist: [-0.3, 0.4] };
        let hinge = Limits::Hinge { range: [-0.1, 2.0] };
        for (limits, rotation_vector) in [
            (cone, Vec3::new(0.0, 0.9, 0.7)),
            (cone, Vec3::new(1.2, 0.0, 0.1)),
            (cone, Vec3::new(-0.9, 0.8, -1.4)),
            (hinge, Vec3::new(0.0, 0.0, 2.6)),
            (hinge, Vec3::new(0.05, 0.0, -0.7)),
        ] {
            let relative = Quat::from_scaled_axis(rotation_vector);
            let excess = limits.excess(&relative);
            assert!(excess > 0.05, "{limits:?} {rotation_vector}");
            assert!(limits.excess(&nearest_within(&limits, &relative, 0.0)) < 1e-9, "{limits:?} {rotation_vector}");
            let half = limits.excess(&nearest_within(&limits, &relative, 0.5 * excess));
            assert!((half - 0.5 * excess).abs() < 1e-9, "{limits:?} {rotation_vector} {half} {excess}");
        }
        let inside = Quat::from_scaled_axis(Vec3::new(0.1, 0.2, -0.3));
        assert!(nearest_within(&cone, &inside, 0.0).angle_to(&inside) < 1e-9);
    }
}
