//! Lo-hi complementarity problem, by Dantzig's method.
//!
//! ```text
//!   A λ + b = w,   lo < λ < hi ⇒ w = 0,   λ = lo ⇒ w ≥ 0,   λ = hi ⇒ w ≤ 0
//! ```
//!
//! Rows are settled one after the other (Baraff, "Fast contact force computation for nonpenetrating rigid bodies",
//! 1994; boxes after Vondrák 2005 §6.2.5). While row i is driven to its condition, the settled ones keep theirs: rows
//! in the free set C move so that w stays 0, and whenever one reaches a bound, or a held row's w reaches 0, it changes
//! sides.
//!
//! ```text
//!   Δλ_i = ±1,  Δλ_C = −A_CC⁻¹ A_Ci Δλ_i,  Δw = A Δλ            A_CC = L D Lᵀ, one row in or out per pivot
//! ```
//!
//! **Dependent rows.** A may be only positive *semi*-definite. When the pivot of row i vanishes, Δλ is a null vector
//! of A: no w moves at all, and λ may slide along it. If w_i = 0 already, the row is *parked*: its condition holds for
//! as long as C spans it, so it is offered to C again whenever a row leaves. If w_i ≠ 0 the slide continues until some
//! λ reaches its bound; if none does, no solution exists, and the row is left as a *conflict*. "Vanishes" means that
//! the Rayleigh quotient of Δλ, measured against the diagonal, is below [`DEPENDENT`].
//!
//! **Guards.** Steps of length zero could cycle: the index sets visited since the last real step are remembered by
//! hash, a repeat switches to the least-index rule, a second one, or too many pivots, restarts with a small
//! regularisation that proximal rounds remove. The method always ends and reports the remaining violation.

mod free_set;
#[cfg(test)]
mod tests;

use crate::math::{Buffer, Real};

use super::ldlt::Ldlt;

/// Pivot at or below which a row is dependent on others, relative to the diagonal entries it was formed from.
const DEPENDENT: Real = 1e-12;
/// Component of Δw or Δλ that is rounding, relative to the terms it was formed from.
const ROUNDING: Real = 1e-13;
/// w that counts as zero, relative to the terms it was summed from.
const SETTLED: Real = 1e-12;
/// Relative regularisation of a restart.
const RESTART_SHIFT: Real = 1e-7;
/// Proximal rounds of a restart; each one reduces the error of regularising by orders of magnitude.
const PROXIMAL_ROUNDS: usize = 8;
/// Rounds in which rows that rounding moved off their condition are driven again.
const REPAIR_ROUNDS: usize = 4;

/// Problem: A (n × n, row major, symmetric positive semi-definite), b and the bounds, `lo ≤ 0 ≤ hi`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lcp<'a> {
    pub matrix: &'a [Real],
    pub b: &'a [Real],
    pub lo: &'a [Real],
    pub hi: &'a [Real],
    /// Diagonal entries before elimination; the diagonal of A without any. It identifies a zero diagonal of a Schur
    /// complement that is all cancellation.
    pub scale: &'a [Real],
    /// Size of the terms that b was summed from; 0 where b is exact.
    pub magnitude: Real,
}

/// Result of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LcpOutcome {
    pub pivots: usize,
    /// Number of rows driven a second time because rounding had moved them off their condition.
    pub repairs: usize,
    /// Largest violation of the row conditions.
    pub residual: Real,
    /// Number of rows for which no bounded λ exists.
    pub conflicts: usize,
    /// Set if the guard against cycling or the pivot cap caused a restart.
    pub restarted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Open: not settled yet, or being driven.
    Open,
    /// Member of C.
    Free,
    /// Held at λ = lo.
    Low,
    /// Held at λ = hi.
    High,
    /// Spanned by C: between its bounds with w = 0.
    Parked,
    /// Unsolvable; left where it was.
    Conflict,
}

/// Row that changes sides while another is driven, and the length of the drive until then.
#[derive(Clone, Copy, Debug)]
struct Event {
    step: Real,
    winner: usize,
    to: State,
}

/// Reason for which driving stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Halt {
    PivotCap,
    Cycle,
}

/// Solver with its buffers. Nothing allocates once they have grown.
#[derive(Clone, Debug, Default)]
pub(crate) struct LcpSolver {
    factor: Ldlt,
    /// Members of C in the order of the factor.
    free: Vec<usize>,
    state: Vec<State>,
    w: Vec<Real>,
    delta_w: Vec<Real>,
    /// A_CC⁻¹ A_Ci.
    response: Vec<Real>,
    visited: Vec<u64>,
    /// Regularisation, relative to `scale`.
    shift: Real,
    /// Point that the regularisation pulls to.
    anchor: Vec<Real>,
    pivots: usize,
    repairs: usize,
    cap: usize,
}

impl LcpSolver {
    /// Finds λ; its values on entry are ignored.
    pub(crate) fn solve(&mut self, lcp: &Lcp, lambda: &mut [Real]) -> LcpOutcome {
        let n = lcp.b.len();
        debug_assert_eq!(lcp.matrix.len(), n * n);
        self.pivots = 0;
        self.repairs = 0;
        self.shift = 0.0;
        self.anchor.reset(n, 0.0);
        self.cap = pivot_cap(n);
        let mut restarted = false;
        if self.settle_all(lcp, lambda).is_err() {
            restarted = true;
            self.restart(lcp, lambda);
        }
        let residual = self.residual(lcp, lambda);
        let conflicts = self.state.iter().filter(|&&s| s == State::Conflict).count();
        LcpOutcome { pivots: self.pivots, repairs: self.repairs, residual, conflicts, restarted }
    }

    /// Solves with A + ε diag, which is positive definite, so that no direction is degenerate. The proximal rounds
    /// converge to a solution of the problem without ε, since A is monotone.
    fn restart(&mut self, lcp: &Lcp, lambda: &mut [Real]) {
        self.shift = RESTART_SHIFT;
        for _ in 0..PROXIMAL_ROUNDS {
            self.cap = self.pivots + pivot_cap(lcp.b.len());
            let halted = self.settle_all(lcp, lambda).is_err();
            self.anchor.copy_from_slice(lambda);
            if halted {
                break;
            }
        }
        self.shift = 0.0;
    }

    /// Starts from λ = 0 and settles every row, then repairs rows that rounding moved off their condition.
    fn settle_all(&mut self, lcp: &Lcp, lambda: &mut [Real]) -> Result<(), Halt> {
        let n = lcp.b.len();
        self.factor.clear();
        self.free.clear();
        self.state.reset(n, State::Open);
        self.w.assign(lcp.b.iter().copied());
        self.delta_w.reset(n, 0.0);
        lambda.fill(0.0);

        let unbounded = |i: usize| lcp.lo[i] == Real::NEG_INFINITY && lcp.hi[i] == Real::INFINITY;
        for i in (0..n).filter(|&i| unbounded(i)) {
            self.state[i] = State::Parked;
        }
        self.admit_parked(lcp);
        self.refine(lcp, lambda);
        for i in 0..n {
            match self.state[i] {
                State::Open => self.settle(lcp, lambda, i)?,
                // Dependent on other unbounded rows: if it is inconsistent with them it has no solution.
                State::Parked if !self.is_settled(lcp, lambda, i) => self.state[i] = State::Conflict,
                _ => {}
            }
        }
        for _ in 0..REPAIR_ROUNDS {
            self.refine(lcp, lambda);
            let mut loose = false;
            for i in 0..n {
                if self.violation(lcp, lambda, i) > self.tolerance(lcp, lambda, i) {
                    if self.state[i] == State::Conflict && unbounded(i) {
                        continue;
                    }
                    if self.state[i] == State::Free {
                        self.dismiss(lcp, i, State::Open);
                    }
                    loose = true;
                    self.repairs += 1;
                    self.settle(lcp, lambda, i)?;
                }
            }
            if !loose {
                break;
            }
        }
        Ok(())
    }

    /// Brings row i to its condition; the settled rows keep theirs.
    fn settle(&mut self, lcp: &Lcp, lambda: &mut [Real], i: usize) -> Result<(), Halt> {
        self.state[i] = State::Open;
        self.w[i] = self.row_value(lcp, lambda, i);
        self.visited.clear();
        let mut least_index = false;
        loop {
            let w = self.w[i];
            let tolerance = self.tolerance(lcp, lambda, i);
            if lambda[i] == lcp.lo[i] && w >= -tolerance {
                self.state[i] = State::Low;
                return Ok(());
            }
            if lambda[i] == lcp.hi[i] && w <= tolerance {
                self.state[i] = State::High;
                return Ok(());
            }
            if w.abs() <= tolerance {
                self.state[i] = if self.admit(lcp, i) { State::Free } else { State::Parked };
                return Ok(());
            }

            let direction = -w.signum();
            let (slope, reach) = self.respond(lcp, i);
            let dependent = slope <= DEPENDENT * reach;
            if dependent {
                self.delta_w.fill(0.0);
            } else {
                self.form_delta_w(lcp, i, direction);
            }

            let event = self.first_event(lcp, lambda, i, direction, (slope, reach), least_index);
            let Event { step, winner, to } = event;
            if !step.is_finite() {
                self.state[i] = State::Conflict;
                return Ok(());
            }

            for (&j, &r) in self.free.iter().zip(&self.response) {
                lambda[j] -= step * direction * r;
            }
            lambda[i] += step * direction;
            if !dependent {
                for (w, change) in self.w.iter_mut().zip(&self.delta_w) {
                    *w += step * change;
                }
            }
            self.pivots += 1;
            match to {
                State::Low => lambda[winner] = lcp.lo[winner],
                State::High => lambda[winner] = lcp.hi[winner],
                _ => self.w[winner] = 0.0,
            }
            if winner == i {
                self.state[i] = to;
                if to == State::Free && !self.admit(lcp, i) {
                    self.state[i] = State::Parked;
                }
                return Ok(());
            }
            if to == State::Free {
                if !self.admit(lcp, winner) {
                    self.state[winner] = State::Parked;
                }
            } else {
                self.dismiss(lcp, winner, to);
            }

            if self.pivots >= self.cap {
                return Err(Halt::PivotCap);
            }
            if step > 0.0 {
                self.visited.clear();
            }
            let mark = self.mark();
            if self.visited.contains(&mark) {
                if least_index {
                    return Err(Halt::Cycle);
                }
                least_index = true;
                self.visited.clear();
            }
            self.visited.push(mark);
        }
    }

    /// Finds the first event while row i is driven in `direction`, its response known. Row i's own events come first,
    /// so that it wins ties. A step of infinite length means that there is none.
    fn first_event(
        &self,
        lcp: &Lcp,
        lambda: &[Real],
        i: usize,
        direction: Real,
        (slope, reach): (Real, Real),
        least_index: bool,
    ) -> Event {
        let dependent = slope <= DEPENDENT * reach;
        let mut first = Event { step: Real::INFINITY, winner: i, to: State::Conflict };
        if !dependent {
            first = Event { step: self.w[i].abs() / slope, winner: i, to: State::Free };
        }
        let (room, end) =
            if direction > 0.0 { (lcp.hi[i] - lambda[i], State::High) } else { (lambda[i] - lcp.lo[i], State::Low) };
        if room < first.step {
            first = Event { step: room, winner: i, to: end };
        }
        let consider = |first: &mut Event, step: Real, winner: usize, to: State| {
            let tied = least_index && step == first.step && first.winner != i && winner < first.winner;
            if step < first.step || tied {
                *first = Event { step, winner, to };
            }
        };
        let least = ROUNDING * self.response.iter().fold(1.0, |m: Real, r| m.max(r.abs()));
        for (&j, &r) in self.free.iter().zip(&self.response) {
            let change = -r * direction;
            if change.abs() > least {
                let (bound, to) = if change > 0.0 { (lcp.hi[j], State::High) } else { (lcp.lo[j], State::Low) };
                consider(&mut first, ((bound - lambda[j]) / change).max(0.0), j, to);
            }
        }
        if dependent {
            return first;
        }
        for (j, &change) in self.delta_w.iter().enumerate() {
            let meets = match self.state[j] {
                State::Low => change < 0.0,
                State::High => change > 0.0,
                _ => false,
            };
            if meets && change.abs() > ROUNDING * (lcp.scale[j] * reach).sqrt() && lcp.lo[j] < lcp.hi[j] {
                consider(&mut first, (-self.w[j] / change).max(0.0), j, State::Free);
            }
        }
        first
    }

    /// Returns the magnitude below which w_i counts as 0.
    fn tolerance(&self, lcp: &Lcp, lambda: &[Real], i: usize) -> Real {
        let n = lcp.b.len();
        let terms: Real = lcp.matrix[i * n..][..n].iter().zip(lambda).map(|(a, l)| (a * l).abs()).sum();
        SETTLED * (terms + lcp.b[i].abs()) + 0.1 * SETTLED * lcp.magnitude
    }

    fn is_settled(&self, lcp: &Lcp, lambda: &[Real], i: usize) -> bool {
        self.row_value(lcp, lambda, i).abs() <= self.tolerance(lcp, lambda, i)
    }

    /// Returns the violation of row i's condition.
    fn violation(&self, lcp: &Lcp, lambda: &[Real], i: usize) -> Real {
        violation(self.row_value(lcp, lambda, i), lambda[i], lcp.lo[i], lcp.hi[i])
    }

    fn residual(&self, lcp: &Lcp, lambda: &[Real]) -> Real {
        (0..lcp.b.len()).map(|i| self.violation(lcp, lambda, i)).fold(0.0, Real::max)
    }

    /// Returns the FNV-1a hash of the index sets.
    fn mark(&self) -> u64 {
        self.state.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &s| (hash ^ s as u64).wrapping_mul(0x0100_0000_01b3))
    }
}

/// Returns a number of pivots far above that of any well-posed problem. Usually it is about one per row; a tower of
/// cubes, whose contacts are settled from the ground up, took 760 for 128 rows.
fn pivot_cap(n: usize) -> usize {
    50 + 10 * n + n * n / 8
}

/// Returns the violation of the condition of a row with this w and λ.
pub(crate) fn violation(w: Real, lambda: Real, lo: Real, hi: Real) -> Real {
    if lo == hi {
        0.0
    } else if lambda <= lo {
        (-w).max(0.0)
    } else if lambda >= hi {
        w.max(0.0)
    } else {
        w.abs()
    }
}
