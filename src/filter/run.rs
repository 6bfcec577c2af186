//! The whole filter: preparation, then solution.

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

/// Makes a captured clip physical.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    pub figure: &'a Figure,
    /// As captured, on the figure's skeleton.
    pub clip: &'a Clip,
    pub options: FilterOptions<'a>,
}

/// What the filter may be told; the defaults suit a captured clip.
#[derive(Clone, Copy, Debug, Default)]
pub struct FilterOptions<'a> {
    pub prepare: PrepareOptions<'a>,
    /// Whether it is a loop is said by preparation.
    pub solve: SolveOptions,
}

/// A physical clip, and how it came about.
pub struct Filtered {
    /// The result: same skeleton, rate and number of frames as what was captured.
    pub clip: Clip,
    /// What the solver started from: smoothed, levelled, mended.
    pub source: Clip,
    pub plan: ContactPlan,
    pub preparation: PreparationReport,
    /// What the solver found, with all forces. Its clip gets on where the result walks in place
    /// ([`Repairs::belt`](super::Repairs::belt)).
    pub solved: Solved,
}

/// Why a clip cannot be filtered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FilterError {
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// How many times nearer than usual a capture that trembled is followed. What is left of it is smooth, and following that shakes nothing;
/// other captures have touchdowns of their own, at odds with feet that stand.
const NOISY_TRACKING: Real = 5.0;

/// Of what is left, the share that one search is told to take.
const SEARCH: Real = 0.6;

impl Filter<'_> {
    fn is_level(&self) -> bool {
        matches!(self.options.prepare.terrain, Terrain::Flat) && self.options.prepare.scenery.is_none()
    }

    /// `progress` is told the share done, 0 to 1, and says whether to go on.
    pub fn run(&self, progress: &mut dyn FnMut(Real) -> bool) -> Result<Filtered, FilterError> {
        let (figure, clip) = (self.figure, self.clip);
        let Prepared { clip: source, mut plan, mut preparation } =
            Prepare { figure, clip, options: self.options.prepare }.run()?;
        // What was judged physical on usual ground may not be so on ground that is more slippery.
        let forces_only = preparation.physical && self.options.solve.friction >= SolveOptions::default().friction;
        let usual = matches!(self.options.prepare.cutoff, Cutoff::Usual) && !preparation.physical;
        let tracking = if usual && is_noisy(clip.rate_hz(), preparation.noise) { NOISY_TRACKING } else { 1.0 };
        let tracking = tracking * self.options.solve.tracking;
        let options = SolveOptions { looped: preparation.looped, forces_only, tracking, ..self.options.solve };
        let refines = self.is_level() && !preparation.physical;
        let mut done = 0.0;
        let mut solve = |plan: &mut ContactPlan, before: Option<(&Solution, &[usize])>| {
            // How often it is sought again is not known before.
            let share = if refines { SEARCH * (1.0 - done) } else { 1.0 };
            let mut go_on = |part: Real| progress(done + share * part);
            let solve = Solve { figure, clip: &source, plan, options };
            let found = match before {
                None => solve.from_capture(&mut go_on)?,
                Some((before, changed)) => solve.refine(before, changed, &mut go_on)?,
            };
            done += share;
            // Stances are where the result has put them, for whoever seeks on from it.
            plan.shift(&found.solved.offsets);
            Ok::<_, SolveError>(found)
        };
        let mut solution = solve(&mut plan, None)?;
        let told = self.options.prepare.contacts.is_some();
        if forces_only && !told && support(figure, &source, &solution.solved, &mut plan, &mut preparation) {
            solution = solve(&mut plan, None)?;
        }
        if refines {
            let refine = Refine { figure, ground: preparation.ground };
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
