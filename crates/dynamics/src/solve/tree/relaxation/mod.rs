//! Relaxation of contacts and all other rows outside the trees: block Gauss–Seidel along the paths of [`super::walk`].
//!
//! * A **sweep** solves one unit after the other by its own law: a point's normal, then its tangents within the disc
//!   that the normal allows; forwards and backwards in alternation, so that neither end of a stack is favoured.
//! * Between sweeps a **subspace step** solves all rows together that are free at present (loaded normals, sticking
//!   tangents, limits and closures between their bounds), sliding friction following its normals: by the pseudo-inverse
//!   where they are few, which also shares the load evenly among redundant points, else by conjugate gradients.
//!   (Subspace minimisation: Silcowitz, Niebe and Erleben 2010.) The step is shortened until it reduces the violation
//!   of all laws.
//! * Sweeps skip units **at rest**: those whose trees received no impulse since they were solved. The cost of a heap is
//!   then that of its moving part. Trees stay exact in any case: the sweeps only choose the impulses of the points.

mod activity;
mod subspace;

use self::activity::Activity;

use super::forest::NONE;
use super::kernel::Lanes;
use super::walk::Paths;
use crate::math::{Buffer, Real};
use crate::solve::cone::{Bounds, RelaxationFactor, Triple, Violation};
use crate::solve::pseudo_inverse::PseudoInverse;

/// Number of free rows up to which they are solved by the pseudo-inverse.
pub(super) const FEW: usize = 60;
/// Returns the number of sweeps after which a subspace step over n units is tried. It costs as much as n/2 sweeps or
/// more, up to some dozens. It pays after as many sweeps without convergence, half as many between later ones, and if
/// as many more would not suffice. Points that land change between loaded and unloaded, sticking and sliding, from
/// sweep to sweep: a joint solution is wasted until their states have become steady.
fn worth(units: usize) -> usize {
    (units / 2).clamp(4, 24)
}

/// Share of its response without joints below which a row is held by them.
const HELD_FAST: Real = 1e-12;

/// Law of the multipliers of a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    /// Excluded; λ = 0.
    Out,
    /// One row between bounds.
    Range { lo: Real, hi: Real },
    /// A normal and two tangents.
    Point { friction: Real },
    /// Normal and two tangents with a disc that does not grow with the normal.
    Held { radius: Real },
    /// Spinning about the normal and rolling about two tangents, bounded by the normal of another unit.
    Angular { point: u32, spinning: Real, rolling: Real },
}

impl Law {
    /// One row without bounds.
    pub const FREE: Law = Law::Range { lo: Real::NEG_INFINITY, hi: Real::INFINITY };

    #[inline(always)]
    fn bounds(&self, lambda: &[[Real; 3]]) -> Bounds {
        match *self {
            Law::Out => Bounds { lo: 0.0, hi: 0.0, friction: 0.0, radius: 0.0 },
            Law::Range { lo, hi } => Bounds { lo, hi, friction: 0.0, radius: 0.0 },
            Law::Point { friction } => Bounds::point(friction),
            Law::Held { radius } => Bounds { lo: 0.0, hi: Real::INFINITY, friction: 0.0, radius },
            Law::Angular { point, spinning, rolling } => Bounds::angular(spinning, rolling, lambda[point as usize][0]),
        }
    }
}

/// Group of up to three rows that share a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    /// Row numbers, `NONE` for unused places. An angular unit has its spinning row first.
    pub rows: [u32; 3],
    pub softness: [Real; 3],
    /// Response of the rows to themselves before elimination of the trees.
    pub size: [Real; 3],
    pub triple: Triple,
}

impl Unit {
    pub fn new(rows: [u32; 3], softness: [Real; 3], size: [Real; 3], mut own: [[Real; 3]; 3]) -> Unit {
        for k in 0..3 {
            own[k][k] += softness[k];
            // A row that the trees fix has no response but rounding.
            if own[k][k] <= HELD_FAST * size[k] {
                own[k] = [0.0; 3];
                own.iter_mut().for_each(|row| row[k] = 0.0);
            }
        }
        Unit { rows, softness, size, triple: Triple::new(own) }
    }

    #[inline(always)]
    fn is_single(&self) -> bool {
        self.rows[1] == NONE
    }
}

/// Units and buffers of the relaxation.
#[derive(Clone, Debug, Default)]
pub(super) struct Relaxation {
    pub units: Vec<Unit>,
    pub laws: Vec<Law>,
    /// Values of w at λ = 0.
    pub b: Vec<[Real; 3]>,
    /// Multipliers: the warm start on entry, the solution on exit.
    pub lambda: Vec<[Real; 3]>,
    y: Vec<Lanes>,
    activity: Activity,
    free: Vec<(u32, u8)>,
    /// Free rows that `inverse` belongs to.
    factored: Vec<(u32, u8)>,
    matrix: Vec<Real>,
    inverse: PseudoInverse,
    places: Vec<usize>,
    image: Vec<Lanes>,
    change: Vec<Real>,
    dropped: Vec<u32>,
    origin: Vec<[Real; 3]>,
    goal: Vec<[Real; 3]>,
    conjugate: Conjugate,
}

#[derive(Clone, Debug, Default)]
struct Conjugate {
    residual: Vec<Real>,
    direction: Vec<Real>,
    /// Product of A with the direction.
    result: Vec<Real>,
    /// Inverse of the diagonal of A, and the softness in it.
    inverse_diagonal: Vec<Real>,
    softness: Vec<Real>,
}

impl Relaxation {
    /// Drops the factor of the last free set, since the trees changed.
    pub fn forget(&mut self) {
        self.factored.clear();
    }

    /// Sets λ = 0 and w = 0 for all units, all under one law.
    pub fn clear_state(&mut self, law: Law) {
        let count = self.units.len();
        self.laws.reset(count, law);
        self.b.reset(count, [0.0; 3]);
        self.rest();
    }

    /// Sets all multipliers to zero.
    pub fn rest(&mut self) {
        self.lambda.reset(self.units.len(), [0.0; 3]);
    }

    /// Solves all units; returns the number of sweeps and the remaining violation.
    pub fn run(&mut self, paths: &Paths, tolerance: Real, most: usize) -> (usize, Real) {
        crate::math::wide!(fn(relaxation: &mut Relaxation = self, paths: &Paths, tolerance: Real, most: usize)
            -> (usize, Real) {
            relaxation.run_all(paths, tolerance, most)
        })
    }

    #[inline(always)]
    fn run_all(&mut self, paths: &Paths, tolerance: Real, most: usize) -> (usize, Real) {
        let fresh = self.lambda.iter().all(|l| *l == [0.0; 3]);
        self.project();
        self.gather(paths);
        // A warm start that is worse than none would add energy if the sweeps end early.
        if !fresh && self.value(paths) > 0.0 {
            self.lambda.fill([0.0; 3]);
            self.y.fill([0.0; 4]);
        }
        // Points that were not loaded before get their shares from a subspace step, which shares evenly among few
        // points.
        let mut shared = !fresh || self.units.len() > FEW;
        let worth = worth(self.units.len());
        let mut sweeps = worth;
        let (mut iterations, mut backwards) = (0, false);
        let mut left = Real::INFINITY;
        let mut relaxation_factor = RelaxationFactor::default();
        self.activity.begin(paths.tree_count(), if paths.spread { None } else { Some(tolerance) });
        while iterations < most {
            let factor = relaxation_factor.next(left);
            let until = (iterations + sweeps).min(most);
            while iterations < most {
                let before = std::mem::replace(&mut left, self.sweep(paths, factor, backwards));
                backwards = !backwards;
                iterations += 1;
                // Sweeps that are about to converge continue.
                let soon = shared && left * (left / before).powi(worth as i32) <= tolerance;
                // Many small changes may add up for skipped units: they are solved last.
                if left <= tolerance && self.activity.activate_all() {
                    continue;
                }
                if left <= tolerance || (iterations >= until && !soon) {
                    break;
                }
            }
            if left <= tolerance && shared {
                break;
            }
            if iterations >= most {
                break;
            }
            let (steps, improved) = self.subspace(paths, tolerance, most - iterations);
            shared = true;
            iterations += steps;
            if let Some(violation) = improved {
                left = violation;
                self.activity.activate_all();
                sweeps = worth / 2;
                if left <= tolerance {
                    break;
                }
            } else {
                sweeps = (2 * sweeps).min(4 * worth);
            }
        }
        // Angular rows may have been solved before the load that bounds them.
        self.project();
        (iterations, left)
    }

    /// Recomputes y = W Uᵀ λ.
    #[inline(always)]
    fn gather(&mut self, paths: &Paths) {
        self.y.reset(paths.weights.len(), [0.0; 4]);
        for (unit, lambda) in self.lambda.iter().enumerate() {
            if *lambda != [0.0; 3] {
                paths.push(unit, lambda, &mut self.y);
            }
        }
    }

    #[inline(always)]
    fn w(&self, paths: &Paths, unit: usize) -> [Real; 3] {
        let (u, b, l) = (&self.units[unit], &self.b[unit], &self.lambda[unit]);
        if u.is_single() {
            return [paths.rate(unit, 0, &self.y) + b[0] + u.softness[0] * l[0], 0.0, 0.0];
        }
        let rates = paths.rates(unit, &self.y);
        std::array::from_fn(|k| rates[k] + b[k] + u.softness[k] * l[k])
    }

    /// Returns ½ λᵀ A λ + bᵀ λ, which sweeps lower: the energy that rigid contacts take out of the bodies.
    #[inline(always)]
    fn value(&self, paths: &Paths) -> Real {
        let mut sum = 0.0;
        for (at, lambda) in self.lambda.iter().enumerate().filter(|(_, lambda)| **lambda != [0.0; 3]) {
            let (w, b) = (self.w(paths, at), &self.b[at]);
            sum += (0..3).map(|k| 0.5 * lambda[k] * (w[k] + b[k])).sum::<Real>();
        }
        sum
    }

    /// Solves one unit after the other, but for those whose trees are at rest; returns the largest change, in velocity
    /// units.
    #[inline(always)]
    fn sweep(&mut self, paths: &Paths, factor: Real, backwards: bool) -> Real {
        let count = self.units.len();
        // Largest of the squares of all changes.
        let mut largest: Real = 0.0;
        for k in 0..count {
            let at = if backwards { count - 1 - k } else { k };
            let unit = &self.units[at];
            if self.laws[at] == Law::Out || unit.triple.is_unresponsive() {
                continue;
            }
            let trees = paths.trees(at);
            if self.activity.skips(trees) {
                continue;
            }
            let old = self.lambda[at];
            // Many points are unloaded, as their normal shows.
            let idle = matches!(self.laws[at], Law::Point { .. }) && old == [0.0; 3];
            let smooth = self.laws[at] == Law::Point { friction: 0.0 } && old[1] == 0.0 && old[2] == 0.0;
            if idle || smooth || unit.is_single() {
                let w = paths.rate(at, 0, &self.y) + self.b[at][0] + unit.softness[0] * old[0];
                if idle && w >= 0.0 {
                    continue;
                }
                if smooth || unit.is_single() {
                    let bounds = self.laws[at].bounds(&self.lambda);
                    let own = unit.triple.own[0][0];
                    let change = unit.triple.solve_first(w, old[0], &bounds) - old[0];
                    if change != 0.0 {
                        let change = if smooth { factor * change } else { change };
                        self.lambda[at][0] += change;
                        paths.push_row(at, 0, change, &mut self.y);
                        let square = (change * own) * (change * own);
                        largest = largest.max(square);
                        self.activity.note(trees, square);
                    }
                    continue;
                }
            }
            let w = self.w(paths, at);
            let bounds = self.laws[at].bounds(&self.lambda);
            let new = unit.triple.solve(&w, &old, &bounds);
            let change: [Real; 3] = std::array::from_fn(|k| new[k] - old[k]);
            if change != [0.0; 3] {
                let square = unit.triple.speed_squared_of(&change);
                largest = largest.max(square);
                self.activity.note(trees, square);
                if factor == 1.0 {
                    self.lambda[at] = new;
                    paths.push(at, &change, &mut self.y);
                } else {
                    let change = change.map(|change| factor * change);
                    self.lambda[at] = std::array::from_fn(|k| old[k] + change[k]);
                    paths.push(at, &change, &mut self.y);
                }
            }
        }
        self.activity.end_sweep();
        largest.sqrt()
    }

    /// Projects every λ into its bounds.
    #[inline(always)]
    fn project(&mut self) {
        for at in 0..self.units.len() {
            let bounds = self.laws[at].bounds(&self.lambda);
            self.lambda[at] = self.units[at].triple.project(self.lambda[at], &bounds);
        }
    }

    #[inline(always)]
    fn violation(&self, paths: &Paths) -> Violation {
        let mut violation = Violation::default();
        for (at, (unit, law)) in self.units.iter().zip(&self.laws).enumerate() {
            if *law == Law::Out || unit.triple.is_unresponsive() {
                continue;
            }
            let bounds = law.bounds(&self.lambda);
            let (along, tangential) = unit.triple.violation(&self.w(paths, at), &self.lambda[at], &bounds);
            violation.add(along);
            violation.add(tangential);
        }
        violation
    }
}
