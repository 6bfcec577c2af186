//! A figure and a clip: limits that hold it, and what a rigid figure loses of it.

use super::{AttachmentKind, Figure, Limits};
use crate::dynamics::Placement;
use crate::math::{Quat, Real, Vec3, real};
use crate::motion::Clip;
use std::f64::consts::{PI, TAU};

/// A limit that was widened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Widened {
    /// Index of the segment whose joint has the limit.
    pub segment: usize,
    /// Growth of its widest part, radians; infinite where the limit was given up because the clip turns all the way
    /// round.
    pub by: Real,
}

/// Deviation of a rigid figure from a clip at one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Index of the segment whose joint deviates.
    pub segment: usize,
    /// Largest distance of the joint in the clip from its place on the parent, metres.
    pub stretch: Real,
    /// Largest angle between a hinge's axis and the axis of the clip, radians.
    pub off_axis: Real,
}

/// Limits end this far beyond the clip, radians.
const MARGIN: Real = 0.035;
/// No cone is wider.
const WIDEST: Real = PI - 0.05;

/// Swing of the x axis about y and z, and twist about x, of an orientation: the angles that limits speak of.
pub(super) fn swing_twist(q: &Quat) -> ([Real; 2], Real) {
    let x = q * Vec3::x();
    let sine = (x.y * x.y + x.z * x.z).sqrt();
    let swing = match (sine < 1e-9, x.x < 0.0) {
        (true, true) => [PI, 0.0],
        (true, false) => [-x.z, x.y],
        (false, _) => [-x.z, x.y].map(|part| part * real::atan2(sine, x.x) / sine),
    };
    (swing, nearest(2.0 * real::atan2(q.i, q.w), 0.0))
}

/// The same angle within half a turn of `middle`.
fn nearest(angle: Real, middle: Real) -> Real {
    angle + TAU * ((middle - angle) / TAU).round()
}

fn middle(range: [Real; 2]) -> Real {
    let middle = 0.5 * (range[0] + range[1]);
    if middle.is_finite() { middle } else { 0.0 }
}

impl Limits {
    /// Excess of an orientation of frame B in frame A over the limits, radians; 0 inside.
    pub fn excess(&self, relative: &Quat) -> Real {
        let beyond = |angle: Real, range: [Real; 2]| {
            let angle = nearest(angle, middle(range));
            (range[0] - angle).max(angle - range[1]).max(0.0)
        };
        match *self {
            Limits::None => 0.0,
            Limits::SwingTwist { swing, twist } => {
                let ([y, z], turned) = swing_twist(relative);
                let part = ((y / swing[0]).powi(2) + (z / swing[1]).powi(2)).sqrt();
                let angle = (y * y + z * z).sqrt();
                let outside = if part > 1.0 { angle - angle / part } else { 0.0 };
                outside.max(beyond(turned, twist))
            }
            Limits::Hinge { range } => beyond(2.0 * real::atan2(relative.k, relative.w), range),
        }
    }

    /// Widens just as far as needed to hold all orientations with a margin; says by how much.
    fn widen(&mut self, seen: &[Quat]) -> Real {
        if seen.iter().all(|q| self.excess(q) == 0.0) {
            return 0.0;
        }
        let reach = |range: &mut [Real; 2], angles: &mut dyn Iterator<Item = Real>| -> Real {
            let before = *range;
            let centre = middle(before);
            for angle in angles.map(|angle| nearest(angle, centre)) {
                if angle < before[0] {
                    range[0] = range[0].min(angle - MARGIN);
                }
                if angle > before[1] {
                    range[1] = range[1].max(angle + MARGIN);
                }
            }
            if range[1] - range[0] >= TAU {
                *range = [Real::NEG_INFINITY, Real::INFINITY];
            }
            (before[0] - range[0]).max(range[1] - before[1])
        };
        match self {
            Limits::None => 0.0,
            Limits::Hinge { range } => reach(range, &mut seen.iter().map(|q| 2.0 * real::atan2(q.k, q.w))),
            Limits::SwingTwist { swing, twist } => {
                let by = reach(twist, &mut seen.iter().map(|q| swing_twist(q).1));
                // Beyond half a turn to either side the twist is counted from no fixed end.
                if twist[0] < -PI || twist[1] > PI {
                    *twist = [Real::NEG_INFINITY, Real::INFINITY];
                }
                let points: Vec<[Real; 2]> = seen.iter().map(|q| swing_twist(q).0).collect();
                let wider = widen_cone(swing, &points);
                by.max(wider).max(if twist[0].is_finite() { 0.0 } else { by })
            }
        }
    }
}

/// Grows the axis of an elliptic cone that its worst point needs most, until all points are inside.
fn widen_cone(swing: &mut [Real; 2], points: &[[Real; 2]]) -> Real {
    let before = *swing;
    let parts = |swing: &[Real; 2], p: &[Real; 2]| [(p[0] / swing[0]).powi(2), (p[1] / swing[1]).powi(2)];
    for _ in 0..100 {
        let worst = points.iter().map(|p| (parts(swing, p), p)).max_by(|a, b| {
            let (a, b) = (a.0[0] + a.0[1], b.0[0] + b.0[1]);
            a.total_cmp(&b)
        });
        let Some((part, point)) = worst.filter(|(part, _)| part[0] + part[1] > 1.0) else { break };
        let axis = usize::from(part[1] > part[0]);
        let room = 1.0 - part[1 - axis];
        // Where the other axis leaves little room, both grow.
        if room > 0.3 {
            swing[axis] = (point[axis].abs() / room.sqrt() + MARGIN).min(WIDEST);
        } else {
            let factor = (part[0] + part[1]).sqrt();
            *swing = swing.map(|angle| (angle * factor + MARGIN).min(WIDEST));
        }
        if swing.iter().all(|&angle| angle >= WIDEST) {
            break;
        }
    }
    (swing[0] - before[0]).max(swing[1] - before[1])
}

impl Figure {
    /// Widens joint limits so that the whole clip lies inside of them, and says which.
    ///
    /// # Panics
    /// If the clip was made for another number of joints.
    pub fn widen_to_hold(&mut self, clip: &Clip) -> Vec<Widened> {
        let mut seen: Vec<Vec<Quat>> = vec![Vec::new(); self.segments.len()];
        self.for_each_frame(clip, |figure, placements| {
            for (k, segment) in figure.segments.iter().enumerate() {
                if let Some(parent) = figure.held_by(k) {
                    let turn = placements[parent].rotation.inverse() * placements[k].rotation;
                    seen[k].push(segment.attachment.relative(&turn));
                }
            }
        });
        let mut widened = Vec::new();
        for (segment, (part, seen)) in self.segments.iter_mut().zip(&seen).enumerate() {
            let limits = &mut part.attachment.limits;
            let mut by = limits.widen(seen);
            if by > 0.0 && seen.iter().any(|q| limits.excess(q) > 0.0) {
                *limits = Limits::None;
                by = Real::INFINITY;
            }
            if by > 0.0 {
                widened.push(Widened { segment, by });
            }
        }
        widened
    }

    /// Deviations of the rigid figure from a clip: segments whose joint is moved against its parent by more than a tenth
    /// of a millimetre, and hinges turned off their axis by more than a tenth of a degree.
    ///
    /// # Panics
    /// If the clip was made for another number of joints.
    pub fn losses(&self, clip: &Clip) -> Vec<Loss> {
        let mut worst: Vec<Loss> =
            (0..self.segments.len()).map(|segment| Loss { segment, stretch: 0.0, off_axis: 0.0 }).collect();
        self.for_each_frame(clip, |figure, placements| {
            for (k, segment) in figure.segments.iter().enumerate() {
                let Some(parent) = figure.held_by(k) else { continue };
                let held = placements[parent].point(&segment.attachment.frame_a.position);
                worst[k].stretch = worst[k].stretch.max((placements[k].position - held).norm());
                if segment.attachment.kind == AttachmentKind::Hinge {
                    let turn = placements[parent].rotation.inverse() * placements[k].rotation;
                    let axis = segment.attachment.relative(&turn) * Vec3::z();
                    worst[k].off_axis = worst[k].off_axis.max(axis.angle(&Vec3::z()));
                }
            }
        });
        worst.retain(|loss| loss.stretch > 1e-4 || loss.off_axis > 0.1_f64.to_radians());
        worst
    }

    fn for_each_frame(&self, clip: &Clip, mut look: impl FnMut(&Figure, &[Placement])) {
        let mut pose = self.skeleton.rest_pose();
        let (mut frames, mut placements) = (Vec::new(), Vec::new());
        for frame in 0..clip.frames() {
            clip.pose_into(frame, &mut pose);
            self.placements_into(&pose, &mut frames, &mut placements);
            look(self, &placements);
        }
    }
}
