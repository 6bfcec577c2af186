//! Filter of a clip: preparation, solution, and refinement of the solution.

use super::ContactPlan;
use super::foot_sliding::FootSliding;
use super::refine::{Refine, Solution};
use super::smooth::is_noisy;
use super::support::support;
use super::velocity_spikes::VelocitySpikes;
use super::{
    PreparationReport, Prepare, PrepareError, PrepareOptions, Prepared, Solve, SolveError, SolveOptions, Solved,
};
use crate::control::Terrain;
use crate::figure::Figure;
use crate::math::Real;
use crate::measure::Cutoff;
use crate::motion::Clip;
use std::cell::Cell;

/// Makes a captured clip physical.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    /// Body that the clip moves.
    pub figure: &'a Figure,
    /// Captured motion, on the figure's skeleton.
    pub clip: &'a Clip,
    /// Options of both stages.
    pub options: FilterOptions<'a>,
}

/// Options of a filter; the defaults suit a captured clip.
#[derive(Clone, Copy, Debug, Default)]
pub struct FilterOptions<'a> {
    /// Options of the preparation.
    pub prepare: PrepareOptions<'a>,
    /// Options of the solver. Preparation decides whether the motion is a loop.
    pub solve: SolveOptions,
}

/// Physical clip, with the plan and the forces that belong to it.
pub struct Filtered {
    /// Result, with the skeleton, rate and number of frames of the capture.
    pub clip: Clip,
    /// Start of the solver: the capture smoothed, levelled and repaired.
    pub source: Clip,
    /// Contact plan of the result.
    pub plan: ContactPlan,
    /// Report of the preparation.
    pub preparation: PreparationReport,
    /// Solution with all forces. Its clip travels where the result moves in place
    /// ([`Repairs::treadmill`](super::Repairs::treadmill)).
    pub solved: Solved,
}

/// Reasons why a clip cannot be filtered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FilterError {
    /// The clip cannot be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The clip cannot be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// Tracking factor for captures with excess noise. Such a clip is smooth after preparation, so that close tracking adds no
/// shaking. Other captures have touchdowns that contradict contact targets.
const NOISY_TRACKING: Real = 5.0;

/// Shares of the effort that is left for the first search, and for each refinement.
const FIRST_SEARCH: Real = 0.75;
const REFINEMENT: Real = 0.5;
/// Effort of a search that has none left.
const SMALL: Real = 1e-9;

/// Share of the remaining progress that is attributed to one search.
const SEARCH: Real = 0.6;

impl Filter<'_> {
    fn is_level(&self) -> bool {
        matches!(self.options.prepare.terrain, Terrain::Flat) && self.options.prepare.scenery.is_none()
    }

    /// Filters the clip. `progress` gets the share done, 0 to 1, and returns whether to continue.
    pub fn run(&self, progress: &mut dyn FnMut(Real) -> bool) -> Result<Filtered, FilterError> {
        let (figure, clip) = (self.figure, self.clip);
        let Prepared { clip: source, mut plan, mut preparation } =
            Prepare { figure, clip, options: self.options.prepare }.run()?;
        // A clip that is physical at the usual friction may not be so at a lower one.
        let forces_only = preparation.physical && self.options.solve.friction >= SolveOptions::default().friction;
        let usual = matches!(self.options.prepare.cutoff, Cutoff::Usual) && !preparation.physical;
        let tracking = if usual && is_noisy(clip.rate_hz(), preparation.noise) { NOISY_TRACKING } else { 1.0 };
        let tracking = tracking * self.options.solve.tracking;
        let options = SolveOptions { looped: preparation.looped, forces_only, tracking, ..self.options.solve };
        let refines = self.is_level() && !preparation.physical;
        let left = Cell::new(options.effort);
        let mut done = 0.0;
        let mut solve = |plan: &mut ContactPlan, before: Option<(&Solution, &[usize])>| {
            // The number of refinements is not known in advance.
            let share = if refines { SEARCH * (1.0 - done) } else { 1.0 };
            let mut go_on = |part: Real| progress(done + share * part);
            let effort = left.get().max(SMALL) * if before.is_some() { REFINEMENT } else { FIRST_SEARCH };
            let solve = Solve { figure, clip: &source, plan, options: SolveOptions { effort, ..options } };
            let found = match before {
                None => solve.start_at_capture(&mut go_on)?,
                Some((before, changed)) => solve.refine(before, changed, &mut go_on)?,
            };
            done += share;
            left.set(left.get() - found.spent / clip.duration().max(clip.frame_time()));
            // Later searches start from the places that this solution has given its contact intervals.
            plan.shift(&found.solved.offsets);
            Ok::<_, SolveError>(found)
        };
        let mut solution = solve(&mut plan, None)?;
        let told = self.options.prepare.contacts.is_some();
        if forces_only && !told && support(figure, &source, &solution.solved, &mut plan, &mut preparation) {
            solution = solve(&mut plan, None)?;
        }
        if refines {
            let refine = Refine { figure, ground: preparation.ground, effort: &left };
            let mut solve =
                |plan: &mut ContactPlan, before: &Solution, changed: &[usize]| solve(plan, Some((before, changed)));
            let sliding = FootSliding { figure, ground: preparation.ground, looped: preparation.looped };
            solution = refine.run(&sliding, solution, &mut plan, &mut solve)?;
            solution = refine.run(&VelocitySpikes { figure, clip }, solution, &mut plan, solve)?;
            progress(1.0);
        }
        let solved = solution.solved;
        let clip = preparation.with_treadmill(figure, solved.clip.clone()).map_err(PrepareError::from)?;
        Ok(Filtered { clip, source, plan, preparation, solved })
    }
}
