//! Joints that stay within what they can.
//!
//! Limits are those of the figures, taken in the posture that all bodies share, so that the same limit means the same posture on
//! both. A source that goes beyond its limits shows that it can; the target may do as much, and no more.

use super::body::Body;
use crate::figure::{Figure, Limits};
use crate::math::{Quat, Real, Vec3};
use crate::motion::Frame;

/// Nobody sees less than this, radians.
const NOTED: Real = 0.5 * std::f64::consts::PI / 180.0;

/// The joints of two bodies that have limits.
pub(super) struct LimitCheck<'a> {
    source: &'a Figure,
    target: &'a Figure,
    /// Segments of the target with the same part of the source, parents first, and the joints that ride on them.
    pairs: Vec<(usize, Option<usize>, Vec<usize>)>,
}

impl<'a> LimitCheck<'a> {
    /// `follows` says of a joint of the target that it goes where the source leads it, whatever it hangs on.
    pub fn new(source: &'a Body, target: &'a Body, follows: impl Fn(usize) -> bool) -> Option<Self> {
        let (from, to) = (source.limits.as_ref()?, target.limits.as_ref()?);
        let limited = |k: &usize| to.segment(*k).parent.is_some() && to.segment(*k).attachment.limits != Limits::None;
        let pairs = (0..to.segments().len()).filter(limited).map(|k| {
            let partner = to.segment(k).role.and_then(|role| from.with_role(role));
            let riders = to.folded(k).filter(|&j| !follows(j)).collect();
            (k, partner.filter(|&k| from.segment(k).parent.is_some()), riders)
        });
        Some(LimitCheck { source: from, target: to, pairs: pairs.collect() })
    }

    /// Takes joints back that are farther outside of their limits than those of the source.
    pub fn apply(&self, source: &[Frame], world: &mut [Quat]) {
        for (k, partner, riders) in &self.pairs {
            let segment = self.target.segment(*k);
            let Some(parent) = segment.parent else { continue };
            let above = world[self.target.segment(parent).joint];
            let relative = segment.attachment.relative(&(above.inverse() * world[segment.joint]));
            let excess = segment.attachment.limits.excess(&relative);
            if excess < NOTED {
                continue;
            }
            let shown = partner.map_or(0.0, |k| {
                let segment = self.source.segment(k);
                let above = segment.parent.map_or(Quat::identity(), |p| source[self.source.segment(p).joint].rotation);
                segment
                    .attachment
                    .limits
                    .excess(&segment.attachment.relative(&(above.inverse() * source[segment.joint].rotation)))
            });
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

/// The nearest orientation that is outside of limits by no more than `beyond`, radians.
fn nearest_within(limits: &Limits, relative: &Quat, beyond: Real) -> Quat {
    match *limits {
        Limits::None => *relative,
        Limits::Hinge { range } => {
            let angle = 2.0 * relative.k.atan2(relative.w);
            let middle = 0.5 * (range[0] + range[1]);
            let angle = angle + std::f64::consts::TAU * ((middle - angle) / std::f64::consts::TAU).round();
            let within = angle.clamp(range[0] - beyond, range[1] + beyond);
            relative * Quat::from_axis_angle(&Vec3::z_axis(), within - angle)
        }
        Limits::SwingTwist { swing, twist } => {
            // relative = swing about an axis across x, after a twist about x.
            let x = relative * Vec3::x();
            let sine = x.y.hypot(x.z);
            let full = sine.atan2(x.x);
            let [y, z] = if sine < 1e-9 { [0.0; 2] } else { [-x.z, x.y].map(|part| part * full / sine) };
            let part = (y / swing[0]).hypot(z / swing[1]);
            let angle = y.hypot(z);
            let scale = if part > 1.0 { ((angle / part + beyond) / angle).min(1.0) } else { 1.0 };
            let swung = Quat::from_scaled_axis(Vec3::new(0.0, y, z));
            let turned = swung.inverse() * relative;
            let about = 2.0 * turned.i.atan2(turned.w);
            let about = about - std::f64::consts::TAU * (about / std::f64::consts::TAU).round();
            let within = about.clamp(twist[0] - beyond, twist[1] + beyond);
            Quat::from_scaled_axis(Vec3::new(0.0, y, z) * scale) * Quat::from_axis_angle(&Vec3::x_axis(), within)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was outside is on the edge, what was inside stays, for cones, twists and hinges.
    #[test]
    fn the_nearest_orientation_within_limits_is_on_their_edge() {
        let cone = Limits::SwingTwist { swing: [0.5, 0.9], twist: [-0.3, 0.4] };
        let hinge = Limits::Hinge { range: [-0.1, 2.0] };
        for (limits, turn) in [
            (cone, Vec3::new(0.0, 0.9, 0.7)),
            (cone, Vec3::new(1.2, 0.0, 0.1)),
            (cone, Vec3::new(-0.9, 0.8, -1.4)),
            (hinge, Vec3::new(0.0, 0.0, 2.6)),
            (hinge, Vec3::new(0.05, 0.0, -0.7)),
        ] {
            let relative = Quat::from_scaled_axis(turn);
            let excess = limits.excess(&relative);
            assert!(excess > 0.05, "{limits:?} {turn}");
            assert!(limits.excess(&nearest_within(&limits, &relative, 0.0)) < 1e-9, "{limits:?} {turn}");
            let half = limits.excess(&nearest_within(&limits, &relative, 0.5 * excess));
            assert!((half - 0.5 * excess).abs() < 1e-9, "{limits:?} {turn} {half} {excess}");
        }
        let inside = Quat::from_scaled_axis(Vec3::new(0.1, 0.2, -0.3));
        assert!(nearest_within(&cone, &inside, 0.0).angle_to(&inside) < 1e-9);
    }
}
