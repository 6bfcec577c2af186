//! Joints that jump in a result although they do not in the capture: what was held to its place lets go within a frame, and at few
//! frames a second the leg above it starts all at once.

use super::{ContactPlan, Hover, Pin, SolveError, Solved};
use crate::figure::Figure;
use crate::math::Real;
use crate::measure::{Jumps, standing};
use crate::motion::Clip;

/// A result is looked at so often.
const ROUNDS: usize = 2;
/// What slides more slowly than this on the whole is no reason against a calmer result, m/s per a.
const SLIDE: Real = 8e-3;

/// Looks for joints that jump.
#[derive(Clone, Copy)]
pub(super) struct Sudden<'a> {
    pub figure: &'a Figure,
    /// As captured.
    pub clip: &'a Clip,
    /// Of level ground, metres.
    pub ground: Real,
}

/// A result, the plan it was found with, and its faults.
struct Trial {
    solved: Solved,
    pins: Vec<Vec<Pin>>,
    hovers: Vec<Vec<Hover>>,
    calm: Vec<Vec<usize>>,
    /// Frames in which a joint jumps.
    spikes: usize,
    slide: Real,
    lacking: Real,
}

impl Sudden<'_> {
    /// Looks at a result; where more frames have a spike than in the capture, the change of the joints that jump must go on evenly, and
    /// it is solved again from the unknowns `x` where it was. Of all that was found so, gives the one with the fewest, if
    /// no more slides or is missing.
    pub fn calm(
        &self,
        solved: Solved,
        mut x: Vec<Real>,
        plan: &mut ContactPlan,
        mut solve: impl FnMut(&mut ContactPlan, Option<&[Real]>) -> Result<(Solved, Vec<Real>), SolveError>,
    ) -> Result<Solved, SolveError> {
        let before = spikes(self.clip).iter().filter(|joints| !joints.is_empty()).count();
        let mut best = self.trial(solved, plan);
        let mut clip = best.solved.clip.clone();
        for _ in 0..ROUNDS {
            if best.spikes <= before || !self.hold(&clip, plan) {
                break;
            }
            let (solved, found) = solve(plan, Some(&x))?;
            x = found;
            clip = solved.clip.clone();
            let next = self.trial(solved, plan);
            let no_worse = next.slide <= best.slide.max(SLIDE * self.figure.height / 1.75)
                && next.lacking <= best.lacking.max(1.0);
            if next.spikes < best.spikes && no_worse {
                best = next;
            }
        }
        (plan.pins, plan.hovers, plan.calm) = (best.pins, best.hovers, best.calm);
        Ok(best.solved)
    }

    fn trial(&self, solved: Solved, plan: &ContactPlan) -> Trial {
        let spikes = spikes(&solved.clip).iter().filter(|joints| !joints.is_empty()).count();
        let slide = standing(self.figure, &solved.clip, self.ground).1.unwrap_or(0.0);
        let lacking = solved.windows.iter().map(|window| window.lacking).fold(0.0, Real::max);
        let (pins, hovers, calm) = (plan.pins.clone(), plan.hovers.clone(), plan.calm.clone());
        Trial { solved, pins, hovers, calm, spikes, slide, lacking }
    }

    /// Asks the plan for calm wherever a joint jumps and none did in the capture; says whether there was any.
    fn hold(&self, clip: &Clip, plan: &mut ContactPlan) -> bool {
        let (captured, found) = (spikes(self.clip), spikes(clip));
        let frames = clip.frames();
        plan.calm.resize(frames, Vec::new());
        let mut any = false;
        for (t, joints) in found.iter().enumerate().filter(|(t, _)| captured[*t].is_empty()) {
            let segments = self.figure.segments().iter().enumerate();
            for (k, _) in segments.filter(|(_, segment)| joints.contains(&segment.joint)) {
                for calm in &mut plan.calm[t.saturating_sub(1)..(t + 2).min(frames)] {
                    any |= !calm.contains(&k);
                    calm.push(k);
                }
            }
        }
        plan.calm.iter_mut().for_each(|calm| {
            calm.sort_unstable();
            calm.dedup();
        });
        any
    }
}

/// The joints that jump in each frame.
fn spikes(clip: &Clip) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); clip.frames()];
    for joint in 0..clip.joints() {
        Jumps::of_joint(clip, joint).spikes().for_each(|frame| found[frame].push(joint));
    }
    found
}
