//! Check for feet that slide in a result. A foot that the plan does not hold may come out low and slow.

use super::feature::Features;
use super::follow::level;
use super::refine::{Check, SLIDE};
use super::trajectories::Trajectories;
use super::{ContactPlan, Corner, UnloadedContact};
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use crate::measure::poses::Poses;
use crate::measure::standing;
use crate::motion::{Clip, GroundMove};

/// Speed below which the step of a foot is no slide, m/s for the reference height.
const STILL: Real = 0.03;
/// Time within which a foot takes the place of a neighbouring contact, seconds.
const NEAR: Real = 0.1;

/// Check for sliding feet.
#[derive(Clone, Copy)]
pub(super) struct FootSliding<'a> {
    pub figure: &'a Figure,
    /// Height of the level ground, metres.
    pub ground: Real,
    pub looped: bool,
}

impl Check for FootSliding<'_> {
    const ROUNDS: usize = 3;
    const SAME: Real = 0.1;

    /// Returns the mean sliding speed of feet, m/s.
    fn fault(&self, clip: &Clip) -> Real {
        let enough = self.figure.scaled_length(SLIDE);
        standing(self.figure, clip, self.ground).1.filter(|&speed| speed > enough).unwrap_or(0.0)
    }

    /// Adds unloaded contacts wherever a foot slides without a contact target.
    fn amend(&self, clip: &Clip, plan: &mut ContactPlan) -> Vec<usize> {
        let features = Features::of(self.figure);
        let trajectories = Trajectories::of(self.figure, &features, clip);
        let (contacts, _) = standing(self.figure, clip, self.ground);
        let frames = clip.frames();
        let mut on = vec![vec![false; frames]; features.list.len()];
        contacts.iter().for_each(|contact| on[contact.point][contact.frames.clone()].fill(true));
        let still = self.figure.scaled_length(STILL) / clip.rate_hz();
        let near = ((NEAR * clip.rate_hz()).round() as usize).max(1);
        let mut poses = Poses::new(self.figure, clip);
        let mut wanted: Vec<(usize, UnloadedContact)> = Vec::new();
        for limb in features.limbs.iter().filter(|limb| limb.iter().any(|&f| features.list[f].is_foot())) {
            let owns = |corner: usize| limb.iter().any(|&f| features.list[f].corners.contains(&corner));
            let targeted: Vec<bool> =
                plan.targets.iter().map(|targets| targets.iter().any(|target| owns(target.corner))).collect();
            let unloaded: Vec<bool> = plan.unloaded.iter().map(|all| all.iter().any(|h| owns(h.corner))).collect();
            // For every frame, a frame in which the foot is at its place.
            let mut known: Vec<Option<usize>> =
                (0..frames).map(|t| (targeted[t] || unloaded[t]).then_some(t)).collect();
            for t in 0..frames.saturating_sub(1) {
                let step = |f: usize| level(&(trajectories.place(f, t + 1) - trajectories.place(f, t)));
                let both = limb.iter().copied().filter(|&f| on[f][t] && on[f][t + 1]);
                // A foot pivots about the feature that moves least.
                let Some(f) = both.min_by(|&f, &g| step(f).total_cmp(&step(g))) else { continue };
                let loose: Vec<usize> = [t, t + 1].into_iter().filter(|&s| known[s].is_none()).collect();
                if step(f) <= still || loose.is_empty() {
                    continue;
                }
                let before = (t.saturating_sub(near)..=t).rev().find_map(|s| Some((t + 1 - s, known[s]?)));
                let after = (t + 1..frames.min(t + 1 + near)).find_map(|s| Some((s - t, known[s]?)));
                let nearest = before.into_iter().chain(after).min_by_key(|(apart, _)| *apart);
                let contact_frame = nearest.map_or(t, |(_, frame)| frame);
                let targets = plan.targets[contact_frame]
                    .iter()
                    .filter(|target| owns(target.corner))
                    .map(|target| target.interval);
                let above = plan.unloaded[contact_frame]
                    .iter()
                    .filter(|contact| owns(contact.corner))
                    .map(|contact| contact.interval);
                let interval = targets.chain(above).next().flatten();
                let placements = poses.at(contact_frame);
                let place = |corner: usize| {
                    let Corner { segment, local, .. } = &features.corners[corner];
                    let at = placements[*segment].point(&(local + self.figure.segment(*segment).centre));
                    Vec3::new(at.x, self.ground, at.z)
                };
                for frame in loose {
                    known[frame] = Some(contact_frame);
                    let contact =
                        |corner| UnloadedContact { corner, place: place(corner), normal: Vec3::y(), interval };
                    wanted.extend(features.list[f].corners.clone().map(|corner| (frame, contact(corner))));
                }
            }
        }
        let mut changed = Vec::new();
        for (frame, contact) in wanted {
            changed.push(frame);
            // The last frame of a loop repeats the first.
            if self.looped && frame + 1 == frames {
                let place = self.cycle(clip).inverse().point(&contact.place);
                plan.unloaded[0].push(UnloadedContact { place, ..contact.clone() });
                changed.push(0);
            }
            plan.unloaded[frame].push(contact);
        }
        changed
    }
}

impl FootSliding<'_> {
    /// Returns the displacement of one cycle of a loop.
    fn cycle(&self, clip: &Clip) -> GroundMove {
        let root = |frame: usize| self.figure.placements(&clip.pose(self.figure.skeleton(), frame))[0];
        let (first, last) = (root(0), root(clip.frames() - 1));
        GroundMove::between((&first.position, &first.rotation), (&last.position, &last.rotation))
    }
}
