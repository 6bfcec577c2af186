//! Solution of a clip in pieces, so that memory does not grow with its length.
//!
//! ```text
//!   |──────── piece 1 ────────|
//!                     |==|──────── piece 2 ────────|          == two frames held as piece 1 left them
//!                        |overlap|
//! ```
//!
//! A piece has a free end. Its last frames are discarded and solved again by the next piece, which begins with two known
//! frames, so that positions and velocities are continuous. A loop is one piece whose end couples with its start.

use super::bandwidth;
use super::body::{Body, Places};
use super::budget::Budget;
use super::forces::{Demand, Edges};
use super::problem::{Equations, Frame, Motion, Problem, SurfacePoint};
use super::proximity;
use super::result::PartialSolution;
use super::solve::{Solve, SolveError, WindowReport};
use super::weights::Weights;
use crate::math::{Real, Vec3};
use crate::measure::SelfContact;
use crate::motion::GroundMove;
use std::cell::Cell;

/// Frames of one piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    pub from: usize,
    pub to: usize,
    /// Number of frames at its start that the previous piece has solved.
    pub fixed: usize,
    /// First frame that the next piece solves again.
    pub keep: usize,
    /// Number of frames at its end that stay in place because the next piece does.
    pub tail: usize,
}

impl Piece {
    /// Returns the number of frames that may change.
    fn free(&self) -> usize {
        self.to - self.from - self.fixed - self.tail
    }
}

/// Iterator over the pieces of a clip.
pub(super) struct Pieces {
    frames: usize,
    length: usize,
    overlap: usize,
    next: Option<Piece>,
}

/// Number of frames that fix positions and velocities between two pieces.
const SHARED: usize = 2;
/// Length of a piece, and overlap of two of them, seconds.
const LENGTH: Real = 6.0;
const OVERLAP: Real = 0.6;
/// Largest number of values in the equations of a piece: 256 MB.
const MOST_NUMBERS: usize = 32 << 20;
/// Fewest frames of a loop.
const SHORTEST_LOOP: usize = 8;

impl Pieces {
    /// Divides a clip of `frames` with `unknowns` in each.
    pub fn of(unknowns: usize, frames: usize, rate: Real, window: Option<Real>, looped: bool) -> Self {
        let fits = MOST_NUMBERS / (3 * unknowns * unknowns).max(1);
        let overlap = ((OVERLAP * rate).round() as usize).min(fits / 3).max(8);
        let length = window.map_or((LENGTH * rate).min(fits as Real), |window| window * rate);
        let length = (length.min(1e9).round() as usize).max(3 * overlap);
        let frames = if looped { frames - 1 } else { frames };
        let length = if looped { frames } else { length };
        let mut pieces = Self { frames, length, overlap, next: None };
        pieces.next = Some(pieces.piece(0, 0));
        pieces
    }

    fn piece(&self, from: usize, fixed: usize) -> Piece {
        let to = from + self.length;
        // The remainder of a clip joins the last piece if it is short.
        if to + 2 * self.overlap >= self.frames {
            return Piece { from, to: self.frames, fixed, keep: self.frames, tail: 0 };
        }
        Piece { from, to, fixed, keep: to - self.overlap, tail: 0 }
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let piece = self.next.take()?;
        if piece.to < self.frames {
            self.next = Some(self.piece(piece.keep - SHARED, SHARED));
        }
        Some(piece)
    }
}

/// Returns the pieces to solve again after the plan has changed in some frames, with their indices. A piece whose successor has
/// not changed ends in the frames that its successor begins with.
pub(super) fn changed_pieces(pieces: &[Piece], changed: &[usize]) -> Vec<(usize, Piece)> {
    let has = |piece: &Piece| changed.iter().any(|frame| (piece.from..piece.to).contains(frame));
    let chosen = pieces.iter().enumerate().filter(|(_, piece)| has(piece));
    chosen
        .map(|(index, piece)| match pieces.get(index + 1) {
            Some(next) if !has(next) => (index, Piece { to: piece.keep, tail: SHARED, ..*piece }),
            _ => (index, *piece),
        })
        .collect()
}

/// Tolerances of the forces, stage by stage, and the largest number of steps of each. With a tight tolerance from the start,
/// the search stalls at the first corner that would have to pull.
const STAGES: [(Demand, usize); 3] = [
    (Demand { residual: 3e-2, barrier: 1e-3, firmness: 0.06 }, 2),
    (Demand { residual: 1e-2, barrier: 1e-3, firmness: 0.25 }, 2),
    (Demand { residual: 2e-3, barrier: 1e-3, firmness: 1.0 }, 40),
];
/// Steps of the last stage that a search takes even if its budget is spent.
const LEAST_LAST_STEPS: usize = 3;
/// Tolerance of the last stage.
pub(super) const LAST: Demand = STAGES[2].0;
/// Relative decrease of the cost below which a stage ends.
const ENOUGH: Real = 1e-3;
/// Weights of tracking, tried in this order while forces are missing or the body is in the ground. A later result replaces an
/// earlier one if its support deficit is smaller by [`IMPROVEMENT`].
const TRACKING_WEIGHTS: [Real; 3] = [1.0, 0.5625, 0.25];
const IMPROVEMENT: Real = 0.7;
/// Height below which captured points may meet the ground, metres for the reference height, in addition to the largest lowering
/// that contact targets ask for.
pub(super) const LOW: Real = 0.15;

/// Earlier solution for a plan that differs in few frames.
#[derive(Clone, Copy)]
pub(super) struct WarmStart<'a> {
    /// Unknowns of the whole clip.
    pub x: &'a [Real],
    /// Weight of tracking with which the piece was solved.
    pub tracking_weight: Real,
}

/// Account of the work of a search.
struct Account<'a> {
    report: &'a mut WindowReport,
    budget: &'a mut Budget,
    go_on: &'a mut dyn FnMut(Real) -> bool,
}

/// Clip on its body, ready to be solved.
pub(super) struct Track<'a> {
    pub solve: &'a Solve<'a>,
    pub body: &'a Body,
    pub weights: &'a Weights,
    pub(super) surface_points: Vec<SurfacePoint>,
    /// Displacement of one cycle of a loop.
    pub cycle: Option<GroundMove>,
    /// Time that the searches so far count as, seconds.
    pub spent: Cell<Real>,
}

impl<'a> Track<'a> {
    pub fn new(solve: &'a Solve<'a>, body: &'a Body, weights: &'a Weights) -> Self {
        let looped = solve.options.looped && solve.clip.frames() > SHORTEST_LOOP;
        let cycle = looped.then(|| {
            let root = |frame: usize| solve.figure.placements(&solve.clip.pose(solve.figure.skeleton(), frame))[0];
            let (first, last) = (root(0), root(solve.clip.frames() - 1));
            GroundMove::between((&first.position, &first.rotation), (&last.position, &last.rotation))
        });
        let surface_points = proximity::surface_points(solve.figure);
        Self { solve, body, weights, surface_points, cycle, spent: Cell::new(0.0) }
    }

    /// Returns true if the whole capture is physical, or cannot or may not be moved; `found` then has its forces.
    pub fn stays(&self, pieces: impl Iterator<Item = Piece>, found: &mut PartialSolution) -> bool {
        let mut check = self.solve.options.self_contact.then(|| SelfContact::new(self.solve.figure)).flatten();
        for piece in pieces {
            let mut problem = self.problem(&piece, found);
            let mut motion = Motion { x: vec![0.0; self.body.unknowns * (piece.to - piece.from)], ..Motion::default() };
            if let Some(check) = &mut check {
                self.find_segment_contacts(check, &mut problem, &mut motion);
            }
            problem.evaluate(&mut motion, &LAST);
            if !self.solve.options.forces_only && self.body.unknowns > 0 && !problem.is_physical(&motion) {
                return false;
            }
            found.take(&piece, &problem, &motion);
        }
        true
    }

    /// Solves one piece into `found`, from the capture or from an earlier solution.
    pub fn solve(
        &self,
        piece: &Piece,
        before: Option<WarmStart>,
        found: &mut PartialSolution,
        go_on: &mut dyn FnMut(Real) -> bool,
    ) -> Result<WindowReport, SolveError> {
        let unknowns = self.body.unknowns;
        let mut problem = self.problem(piece, found);
        let mut start = match before {
            Some(WarmStart { x, .. }) => x[piece.from * unknowns..piece.to * unknowns].to_vec(),
            None => vec![0.0; unknowns * (piece.to - piece.from)],
        };
        start[..piece.fixed * unknowns].copy_from_slice(found.x(piece.from, piece.fixed));
        let mut equations = problem.equations();
        let mut report = WindowReport {
            frames: [piece.from, piece.to],
            iterations: 0,
            costs: Vec::new(),
            converged: false,
            support_deficit: 0.0,
            tracking_weight: 1.0,
        };
        let mut best: Option<(Real, Motion, bool, Real)> = None;
        let seconds = self.solve.options.effort * piece.free() as Real * problem.step;
        let mut budget = Budget::new(seconds, piece.free(), unknowns, before.is_none());
        // Closer tracking than usual comes first, if asked for.
        let near = self.solve.options.tracking.powi(2);
        let weights_to_try = (near > 1.0).then_some(near).into_iter().chain(TRACKING_WEIGHTS);
        // Weights that left a deficit before would leave it again.
        let first = before.map_or(Real::INFINITY, |before| before.tracking_weight);
        for tracking_weight in weights_to_try.filter(|&tracking_weight| tracking_weight <= first) {
            problem.tracking_weight = tracking_weight;
            let mut motion = Motion { x: start.clone(), offsets: found.offsets.clone(), ..Motion::default() };
            let mut account = Account { report: &mut report, budget: &mut budget, go_on: &mut *go_on };
            self.search(piece, &mut problem, &mut motion, &mut equations, &mut account)?;
            let support_deficit = problem.support_deficit(&motion);
            if best.as_ref().is_none_or(|(least, ..)| support_deficit < IMPROVEMENT * least) {
                best = Some((support_deficit, motion, report.converged, tracking_weight));
            }
            if support_deficit <= 1.0 || budget.is_spent() {
                break;
            }
        }
        self.spent.set(self.spent.get() + budget.spent());
        if let Some((support_deficit, motion, converged, tracking_weight)) = best {
            (report.converged, report.support_deficit, report.tracking_weight) =
                (converged, support_deficit, tracking_weight);
            found.take(piece, &problem, &motion);
        }
        Ok(report)
    }

    /// Searches for the nearest physical motion, stage by stage.
    fn search(
        &self,
        piece: &Piece,
        problem: &mut Problem,
        motion: &mut Motion,
        equations: &mut Equations,
        account: &mut Account,
    ) -> Result<(), SolveError> {
        let Account { report, budget, go_on } = account;
        let unknowns = self.body.unknowns;
        let mut trial = motion.clone();
        let mut check = self.solve.options.self_contact.then(|| SelfContact::new(self.solve.figure)).flatten();
        let mut damping = 1e-3;
        let most: usize = STAGES.iter().map(|stage| stage.1).sum();
        let mut before = 0;
        for (stage, &(demand, steps)) in STAGES.iter().enumerate() {
            self.find_near_ground(problem, motion);
            if stage != 1
                && let Some(check) = &mut check
            {
                self.find_segment_contacts(check, problem, motion);
            }
            problem.evaluate(motion, &demand);
            report.converged = false;
            for step in 0..steps {
                // The first steps of the last stage are always taken.
                if budget.is_spent() && (stage + 1 < STAGES.len() || step >= LEAST_LAST_STEPS) {
                    break;
                }
                if !go_on((before + step) as Real / most as Real) {
                    return Err(SolveError::Stopped);
                }
                report.iterations += 1;
                budget.take_step();
                let mut tries = 0;
                while let Err(fault) = problem.step(motion, &demand, damping, equations) {
                    damping *= 30.0;
                    tries += 1;
                    if tries == 8 {
                        return Err(SolveError::Singular { frame: piece.from + piece.fixed + fault.frame });
                    }
                }
                let width = equations.band.width();
                let mut length = 1.0;
                let cost = motion.cost;
                loop {
                    trial.x.clone_from(&motion.x);
                    trial.amounts.clone_from(&motion.amounts);
                    trial.offsets.clone_from(&motion.offsets);
                    for (step, slot) in trial.offsets.iter_mut().zip(&problem.slots) {
                        *step += slot.map_or_else(Vec3::zeros, |slot| equations.offsets()[slot] * length);
                    }
                    let free = trial.x.chunks_mut(unknowns).skip(piece.fixed).take(piece.free());
                    for (x, step) in free.zip(equations.right.chunks(width)) {
                        x.iter_mut().zip(step).for_each(|(x, step)| *x += length * step);
                    }
                    problem.evaluate(&mut trial, &demand);
                    budget.take_edges(trial.edge_steps);
                    if trial.cost < cost || length < 1e-3 {
                        break;
                    }
                    length *= 0.4;
                }
                if trial.cost < cost {
                    std::mem::swap(motion, &mut trial);
                }
                report.costs.push(motion.cost);
                damping = if length == 1.0 { (damping * 0.3).max(1e-6) } else { damping * 3.0 };
                if cost - motion.cost <= ENOUGH * cost && (length == 1.0 || step > 0) {
                    report.converged = true;
                    break;
                }
            }
            before += steps;
        }
        Ok(())
    }

    /// Builds the problem of a piece. `found` holds the interval offsets that earlier pieces have settled.
    pub fn problem(&self, piece: &Piece, found: &PartialSolution) -> Problem<'_> {
        let (figure, clip, plan) = (self.solve.figure, self.solve.clip, self.solve.plan);
        let frames = piece.to - piece.from;
        let size_scale = figure.size_scale();
        let (mut held, mut captured) = (Vec::new(), Vec::with_capacity(frames));
        let (mut pose, mut world, mut placements) = (figure.skeleton().rest_pose(), Vec::new(), Vec::new());
        let zero = vec![0.0; self.body.unknowns];
        let mut known: Vec<Frame> = Vec::with_capacity(frames);
        let mut farthest: Real = 0.0;
        for frame in piece.from..piece.to {
            clip.pose_into(frame, &mut pose);
            figure.placements_into(&pose, &mut world, &mut placements);
            let start = held.len();
            self.body.relative_joints(&placements, &mut held);
            let heading = self.cycle.map_or(0.0, |cycle| cycle.yaw * frame as Real / frames as Real);
            let mut places = Places::default();
            places.set(self.body, &held[start..], heading, &zero);
            let origin = places.centre(self.body);
            let targets = &plan.targets[frame][..];
            let mut in_contact = vec![false; plan.corners.len()];
            let mut edges = Edges::default();
            for target in targets {
                in_contact[target.corner] = true;
                let arm = (target.place - origin) / figure.height;
                edges.add(&arm, &target.normal, self.solve.options.friction, target.load);
            }
            let slack = self.body.slack(figure, &held[start..]);
            for target in targets {
                let corner = &plan.corners[target.corner];
                let up =
                    (places.point(corner.segment, &corner.local) - target.place).dot(&target.normal) - corner.radius;
                farthest = farthest.max(up);
            }
            captured.push(places);
            known.push(Frame {
                targets,
                unloaded: plan.unloaded.get(frame).map_or(&[], Vec::as_slice),
                clearance: &plan.clearance[frame],
                in_contact,
                edges,
                origin,
                asked: None,
                near_ground: Vec::new(),
                segment_contacts: Vec::new(),
                allowed_overlaps: None,
                heading,
                slack,
                smooth: plan.acceleration_limited.get(frame).and_then(|acceleration_limited| {
                    self.weights.with_limited_acceleration(self.body, acceleration_limited)
                }),
            });
        }
        // Lowering a limb brings its neighbours near the ground.
        for (frame, places) in known.iter_mut().zip(&captured) {
            let low = |surface_points: &SurfacePoint| {
                let point = places.point(surface_points.segment, &surface_points.local);
                plan.ground.under(&point).height - surface_points.radius < LOW * size_scale + farthest
            };
            frame.near_ground = (0..self.surface_points.len()).filter(|&k| low(&self.surface_points[k])).collect();
        }
        let mut problem = Problem {
            slots: self.slots(piece, found),
            figure,
            body: self.body,
            weights: self.weights,
            tracking_weight: 1.0,
            plan,
            surface_points: &self.surface_points,
            frames: known,
            held,
            captured,
            fixed: piece.fixed,
            tail: piece.tail,
            cycle: self.cycle,
            step: clip.frame_time(),
            limits: self.solve.options.limits,
        };
        let mut still = Motion { x: vec![0.0; self.body.unknowns * frames], ..Motion::default() };
        problem.place(&mut still);
        let mut asked = Vec::new();
        problem.ask(&still, &mut asked);
        let aloft: Vec<bool> = problem.frames.iter().map(|frame| frame.targets.is_empty()).collect();
        bandwidth::limit(&mut asked, &aloft, clip.rate_hz(), self.cycle.as_ref());
        problem.frames.iter_mut().zip(asked).for_each(|(frame, asked)| frame.asked = asked);
        problem
    }

    /// Returns the contact intervals that are unknown in a piece: those in contact within it and not settled before.
    fn slots(&self, piece: &Piece, found: &PartialSolution) -> Vec<Option<usize>> {
        let mut slots = vec![None; found.offsets.len()];
        let mut count = 0;
        for target in self.solve.plan.targets[piece.from..piece.to].iter().flatten() {
            let Some(interval) = target.interval.filter(|&interval| !found.settled[interval]) else { continue };
            if slots[interval].is_none() {
                slots[interval] = Some(count);
                count += 1;
            }
        }
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of large bodies are short enough for the memory limit, down to the shortest possible piece.
    #[test]
    fn pieces_of_large_bodies_are_short() {
        for unknowns in [60, 200, 480] {
            let pieces: Vec<Piece> = Pieces::of(unknowns, 100_000, 120.0, None, false).collect();
            let longest = pieces.iter().map(|piece| piece.to - piece.from).max().unwrap_or(0);
            let last = pieces.last().map_or(0, |last| last.to);
            assert!(3 * unknowns * unknowns * longest <= 2 * MOST_NUMBERS && last == 100_000, "{unknowns}: {longest}");
        }
    }

    #[test]
    fn pieces_without_a_change_stay_and_so_do_their_first_frames() {
        let pieces: Vec<Piece> = Pieces::of(10, 1000, 60.0, Some(3.0), false).collect();
        let of = |changed: &[usize]| changed_pieces(&pieces, changed);
        assert!(of(&[]).is_empty());
        let [first, second, ..] = pieces[..] else { panic!("one piece") };
        // Change in the first piece alone: it ends where the second begins.
        let ends = Piece { to: first.keep, tail: SHARED, ..first };
        assert_eq!(of(&[5]), [(0, ends)]);
        assert_eq!(ends.to - ends.tail, second.from);
        // Change in frames of both: the first keeps its free end.
        let both = of(&[second.from + 1]);
        assert_eq!((both[0], both[1].0, both[1].1.tail), ((0, first), 1, SHARED));
        let last = pieces.len() - 1;
        assert_eq!(of(&[999]), [(last, pieces[last])]);
    }
}
