//! Feet that still slide in a result: the plan is made from the capture, and what it does not hold may come out low and slow.

use super::feature::Features;
use super::follow::level;
use super::refine::{Look, SLIDE};
use super::trajectories::Survey;
use super::{ContactPlan, Corner, Hover};
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use crate::measure::poses::Poses;
use crate::measure::standing;
use crate::motion::{Clip, GroundMove};

/// Steps of a foot that are slower than this are no slide, m/s per a.
const STILL: Real = 0.03;
/// A foot is held where it stood this long before, or will stand this long after, seconds.
const NEAR: Real = 0.1;

/// Looks for feet that slide.
#[derive(Clone, Copy)]
pub(super) struct Slides<'a> {
    pub figure: &'a Figure,
    /// Of level ground, metres.
    pub ground: Real,
    pub looped: bool,
}

impl Look for Slides<'_> {
    const ROUNDS: usize = 3;
    const SAME: Real = 0.1;

    /// How fast feet slide on the whole, m/s.
    fn fault(&self, clip: &Clip) -> Real {
        let enough = self.figure.scaled_length(SLIDE);
        standing(self.figure, clip, self.ground).1.filter(|&speed| speed > enough).unwrap_or(0.0)
    }

    /// Holds in the plan, without a force, whatever slides and does not stand by it.
    fn hold(&self, clip: &Clip, plan: &mut ContactPlan) -> Vec<usize> {
        let features = Features::of(self.figure);
        let survey = Survey::of(self.figure, &features, clip);
        let (contacts, _) = standing(self.figure, clip, self.ground);
        let frames = clip.frames();
        let mut on = vec![vec![false; frames]; features.list.len()];
        contacts.iter().for_each(|contact| on[contact.point][contact.frames.clone()].fill(true));
        let still = self.figure.scaled_length(STILL) / clip.rate_hz();
        let near = ((NEAR * clip.rate_hz()).round() as usize).max(1);
        let mut poses = Poses::new(self.figure, clip);
        let mut wanted: Vec<(usize, Hover)> = Vec::new();
        for limb in features.limbs.iter().filter(|limb| limb.iter().any(|&f| features.list[f].is_foot())) {
            let owns = |corner: usize| limb.iter().any(|&f| features.list[f].corners.contains(&corner));
            let pinned: Vec<bool> = plan.pins.iter().map(|pins| pins.iter().any(|pin| owns(pin.corner))).collect();
            let hovers: Vec<bool> = plan.hovers.iter().map(|all| all.iter().any(|h| owns(h.corner))).collect();
            // For every frame one in which the foot is where it has to be.
            let mut known: Vec<Option<usize>> = (0..frames).map(|t| (pinned[t] || hovers[t]).then_some(t)).collect();
            for t in 0..frames.saturating_sub(1) {
                let step = |f: usize| level(&(survey.place(f, t + 1) - survey.place(f, t)));
                let both = limb.iter().copied().filter(|&f| on[f][t] && on[f][t + 1]);
                // A foot turns about what moves least.
                let Some(f) = both.min_by(|&f, &g| step(f).total_cmp(&step(g))) else { continue };
                let loose: Vec<usize> = [t, t + 1].into_iter().filter(|&s| known[s].is_none()).collect();
                if step(f) <= still || loose.is_empty() {
                    continue;
                }
                let before = (t.saturating_sub(near)..=t).rev().find_map(|s| Some((t + 1 - s, known[s]?)));
                let after = (t + 1..frames.min(t + 1 + near)).find_map(|s| Some((s - t, known[s]?)));
                let nearest = before.into_iter().chain(after).min_by_key(|(apart, _)| *apart);
                let stands = nearest.map_or(t, |(_, frame)| frame);
                let pins = plan.pins[stands].iter().filter(|pin| owns(pin.corner)).map(|pin| pin.stance);
                let above = plan.hovers[stands].iter().filter(|hover| owns(hover.corner)).map(|hover| hover.stance);
                let stance = pins.chain(above).next().flatten();
                let placements = poses.at(stands);
                let place = |corner: usize| {
                    let Corner { segment, local, .. } = &features.corners[corner];
                    let at = placements[*segment].point(&(local + self.figure.segment(*segment).centre));
                    Vec3::new(at.x, self.ground, at.z)
                };
                for frame in loose {
                    known[frame] = Some(stands);
                    let hover = |corner| Hover { corner, place: place(corner), normal: Vec3::y(), stance };
                    wanted.extend(features.list[f].corners.clone().map(|corner| (frame, hover(corner))));
                }
            }
        }
        let mut changed = Vec::new();
        for (frame, hover) in wanted {
            changed.push(frame);
            // The last frame of a loop is its first one.
            if self.looped && frame + 1 == frames {
                let place = self.cycle(clip).inverse().point(&hover.place);
                plan.hovers[0].push(Hover { place, ..hover.clone() });
                changed.push(0);
            }
            plan.hovers[frame].push(hover);
        }
        changed
    }
}

impl Slides<'_> {
    /// What one cycle of a loop adds.
    fn cycle(&self, clip: &Clip) -> GroundMove {
        let root = |frame: usize| self.figure.placements(&clip.pose(self.figure.skeleton(), frame))[0];
        let (first, last) = (root(0), root(clip.frames() - 1));
        GroundMove::between((&first.position, &first.rotation), (&last.position, &last.rotation))
    }
}
