//! Feet in swing: unloaded contacts next to a contact interval, and clearance over the ground.

use super::contact_targets::TargetPlacer;
use super::detect::runs;
use super::follow::level;
use super::{ContactTarget, UnloadedContact};
use crate::math::Real;

/// Time in which a foot must be gone for its swing to count as peeling off, seconds; the same before a touchdown.
const PEEL: Real = 0.1;
/// Greatest horizontal distance from its place meanwhile, metres for the reference height.
const PEEL_REACH: Real = 0.03;

impl TargetPlacer<'_> {
    /// Adds unloaded contacts after lift-off and before touchdown, while a foot is so low and slow that it would seem to slide.
    /// Only the lowest feature of a foot is held, since all others rotate about it. Features that the capture has in the ground
    /// do not rise, and features that stay low drag along; both are left alone.
    pub(super) fn peel(&self, limb: usize, targets: &[Vec<ContactTarget>], unloaded: &mut [Vec<UnloadedContact>]) {
        let members = &self.features.limbs[limb];
        let (frames, size_scale) = (self.trajectories.frames, self.size_scale());
        let in_contact = |t: usize| members.iter().any(|&f| self.intervals[f].iter().any(|run| run.contains(&t)));
        let any: Vec<bool> = (0..frames).map(in_contact).collect();
        let most = (PEEL * self.trajectories.rate).round() as usize;
        let lowest = |t: usize| {
            let heights = members.iter().map(|&f| self.trajectories.place(f, t).y);
            heights.fold(Real::INFINITY, Real::min)
        };
        // Thresholds of the report with some margin, because it measures the result and not the capture.
        let slow = |t: usize| 1.3 * (0.25 * size_scale).max(0.2 * self.trajectories.centre_speed(t));
        for interval in runs(&any) {
            let up: Vec<usize> = (interval.end..frames.min(interval.end + most)).collect();
            let down: Vec<usize> = (interval.start.saturating_sub(most)..interval.start).rev().collect();
            for (edge, way, fast, high) in [(interval.end - 1, up, 2.0, 0.04), (interval.start, down, 1.0, 0.025)] {
                for target in &targets[edge] {
                    let owns = |f: &&usize| self.features.list[**f].corners.contains(&target.corner);
                    let Some(&f) = members.iter().find(owns) else { continue };
                    let place = |t: usize| self.trajectories.place(f, t);
                    let over = |t: usize| self.surface.under(place(t)).height;
                    let gone =
                        |t: usize| over(t) >= high * size_scale || self.trajectories.speed(f, t) >= fast * slow(t);
                    // A leaving foot may go as far as a slow foot does in a frame. A foot that comes down that fast just lands.
                    let reach = |t: usize| if fast > 1.0 { fast * slow(t) / self.trajectories.rate } else { 0.0 };
                    let near = |t: usize| level(&(place(t) - place(edge))) < reach(t).max(PEEL_REACH * size_scale);
                    let peels = |t: usize| {
                        !any[t]
                            && !gone(t)
                            && over(t) > -0.01 * size_scale
                            && place(t).y < lowest(t) + 0.003 * size_scale
                            && near(t)
                    };
                    let count = way.iter().take_while(|&&t| peels(t)).count();
                    if way.get(count).is_some_and(|&t| gone(t)) {
                        let held = UnloadedContact {
                            corner: target.corner,
                            place: target.place,
                            normal: target.normal,
                            interval: target.interval,
                        };
                        way[..count].iter().for_each(|&t| unloaded[t].push(held.clone()));
                    }
                }
            }
        }
    }

    /// Returns the clearance of all corners: half a millimetre, and 12 mm more for feet in mid-swing.
    pub(super) fn clearance(&self) -> Vec<Vec<Real>> {
        let (frames, rate) = (self.trajectories.frames, self.trajectories.rate);
        let mut clearance = vec![vec![0.5e-3; self.features.corners.len()]; frames];
        for limb in &self.features.limbs {
            if !limb.iter().any(|&f| self.features.list[f].is_foot()) {
                continue;
            }
            let contact_frames: Vec<usize> =
                limb.iter().flat_map(|&f| self.intervals[f].iter().flat_map(Clone::clone)).collect();
            let mut near = vec![frames; frames];
            contact_frames.iter().for_each(|&t| near[t] = 0);
            (1..frames).for_each(|t| near[t] = near[t].min(near[t - 1] + 1));
            (0..frames.saturating_sub(1)).rev().for_each(|t| near[t] = near[t].min(near[t + 1] + 1));
            for (t, row) in clearance.iter_mut().enumerate() {
                let ramp = ((near[t] as Real / rate - 0.03) / 0.06).clamp(0.0, 1.0);
                for corner in limb.iter().flat_map(|&f| self.features.list[f].corners.clone()) {
                    row[corner] += 0.012 * self.size_scale() * ramp;
                }
            }
        }
        clearance
    }
}
