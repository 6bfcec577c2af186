//! Additional support of a clip that is physical already: all contacts that the report finds in it.
//!
//! Contacts of such a clip are detected to a millimetre or two. A heel that has come down and rolls over its edge is higher
//! than that and carries force nevertheless. It is added in frames whose forces are not found without it.

use super::feature::Features;
use super::{ContactPlan, ContactTarget, PreparationReport, Solved};
use crate::figure::Figure;
use crate::math::{GRAVITY, Vec3};
use crate::measure::acceptance::solver::SUPPORT_DEFICIT;
use crate::measure::poses::Poses;
use crate::measure::standing;
use crate::motion::Clip;
use std::ops::Range;

/// Adds all contacts that a report of the clip finds, in frames in which forces are missing; returns true if there was any.
pub(super) fn support(
    figure: &Figure,
    clip: &Clip,
    solved: &Solved,
    plan: &mut ContactPlan,
    preparation: &mut PreparationReport,
) -> bool {
    let weight = figure.mass() * GRAVITY;
    let lacks = |t: usize| {
        let left = &solved.residual[t];
        let (force, torque) = (left.fixed_rows::<3>(0).norm(), left.fixed_rows::<3>(3).norm());
        force > SUPPORT_DEFICIT * weight || torque > SUPPORT_DEFICIT * weight * figure.height
    };
    let lacking: Vec<bool> = (0..clip.frames()).map(lacks).collect();
    if !lacking.contains(&true) {
        return false;
    }
    let features = Features::of(figure);
    let mut poses = Poses::new(figure, clip);
    let mut any = false;
    for contact in standing(figure, clip, preparation.ground).0 {
        for t in contact.frames.clone().filter(|&t| lacking[t]) {
            let placements = poses.at(t);
            let free = |corner: &usize| plan.targets[t].iter().all(|target| target.corner != *corner);
            let corners: Vec<usize> = features.list[contact.point].corners.clone().filter(free).collect();
            for corner in corners {
                let segment = features.corners[corner].segment;
                let at = placements[segment].point(&(features.corners[corner].local + figure.segment(segment).centre));
                let place = Vec3::new(at.x, preparation.ground, at.z);
                plan.targets[t].push(ContactTarget { corner, place, normal: Vec3::y(), load: 1.0, interval: None });
                any = true;
            }
            plan.targets[t].sort_by_key(|target| target.corner);
            if let Some((_, intervals)) = preparation.contacts.features.get_mut(contact.point) {
                include(intervals, t);
            }
        }
    }
    any
}

/// Adds a frame to intervals that are sorted and disjoint.
fn include(intervals: &mut Vec<Range<usize>>, frame: usize) {
    if intervals.iter().any(|run| run.contains(&frame)) {
        return;
    }
    let next = intervals.partition_point(|run| run.end <= frame);
    intervals.insert(next, frame..frame + 1);
    intervals.dedup_by(|after, before| {
        let touch = before.end == after.start;
        if touch {
            before.end = after.end;
        }
        touch
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_joins_what_it_touches() {
        let after = |frame: usize| {
            let mut intervals = vec![2..4, 5..6, 9..10];
            include(&mut intervals, frame);
            intervals
        };
        assert_eq!(after(0), [0..1, 2..4, 5..6, 9..10]);
        assert_eq!(after(1), [1..4, 5..6, 9..10]);
        assert_eq!(after(3), [2..4, 5..6, 9..10]);
        assert_eq!(after(4), [2..6, 9..10]);
        assert_eq!(after(6), [2..4, 5..7, 9..10]);
        assert_eq!(after(8), [2..4, 5..6, 8..10]);
    }
}
