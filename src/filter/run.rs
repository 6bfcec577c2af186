//! The whole filter: preparation, then solution.

use super::ContactPlan;
use super::foot_sliding::Slides;
use super::refine::{Again, Sought};
use super::smooth::trembles;
use super::support::support;
use super::velocity_spikes::Sudden;
use super::{Findings, Prepare, PrepareError, PrepareOptions, Prepared, Solve, SolveError, SolveOptions, Solved};
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
    pub findings: Findings,
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
const CALMED_NEAR: Real = 5.0;

/// Of what is left, the share that one search is told to take.
const SEARCH: Real = 0.6;

impl Filter<'_> {
    fn is_level(&self) -> bool {
        matches!(self.options.prepare.terrain, Terrain::Flat) && self.options.prepare.scenery.is_none()
    }

    /// `progress` is told the share done, 0 to 1, and says whether to go on.
    pub fn run(&self, progress: &mut dyn FnMut(Real) -> bool) -> Result<Filtered, FilterError> {
        let (figure, clip) = (self.figure, self.clip);
        let Prepared { clip: source, mut plan, mut findings } =
            Prepare { figure, clip, options: self.options.prepare }.run()?;
        // What was judged physical on usual ground may not be so on ground that is more slippery.
        let still = findings.physical && self.options.solve.friction >= SolveOptions::default().friction;
        let usual = matches!(self.options.prepare.cutoff, Cutoff::Usual) && !findings.physical;
        let near = if usual && trembles(clip.rate_hz(), findings.noise) { CALMED_NEAR } else { 1.0 };
        let near = near * self.options.solve.near;
        let options = SolveOptions { looped: findings.looped, still, near, ..self.options.solve };
        let looks = self.is_level() && !findings.physical;
        let mut done = 0.0;
        let mut solve = |plan: &mut ContactPlan, before: Option<(&Sought, &[usize])>| {
            // How often it is sought again is not known before.
            let share = if looks { SEARCH * (1.0 - done) } else { 1.0 };
            let mut go_on = |part: Real| progress(done + share * part);
            let solve = Solve { figure, clip: &source, plan, options };
            let found = match before {
                None => solve.first(&mut go_on)?,
                Some((before, changed)) => solve.again(before, changed, &mut go_on)?,
            };
            done += share;
            // Stances are where the result has put them, for whoever seeks on from it.
            plan.shift(&found.solved.steps);
            Ok::<_, SolveError>(found)
        };
        let mut sought = solve(&mut plan, None)?;
        let told = self.options.prepare.contacts.is_some();
        if still && !told && support(figure, &source, &sought.solved, &mut plan, &mut findings) {
            sought = solve(&mut plan, None)?;
        }
        if looks {
            let again = Again { figure, ground: findings.ground };
            let mut solve =
                |plan: &mut ContactPlan, before: &Sought, changed: &[usize]| solve(plan, Some((before, changed)));
            let slides = Slides { figure, ground: findings.ground, looped: findings.looped };
            sought = again.run(&slides, sought, &mut plan, &mut solve)?;
            sought = again.run(&Sudden { figure, clip }, sought, &mut plan, solve)?;
            progress(1.0);
        }
        let solved = sought.solved;
        let clip = findings.with_belt(figure, solved.clip.clone()).map_err(PrepareError::from)?;
        Ok(Filtered { clip, source, plan, findings, solved })
    }
}
