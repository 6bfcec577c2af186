//! Free set C: its factor, its response, and the rows that enter and leave it.

use crate::math::{Buffer, Real};

use super::{DEPENDENT, Lcp, LcpSolver, State};

impl LcpSolver {
    /// Returns A_ii + ε, where ε is the regularisation of a restart.
    fn diagonal(&self, lcp: &Lcp, i: usize) -> Real {
        lcp.matrix[i * lcp.b.len() + i] + self.shift * lcp.scale[i]
    }

    /// Fills `response` with A_CC⁻¹ A_Ci and returns the pivot of row i with the size of what it was formed from.
    pub(super) fn respond(&mut self, lcp: &Lcp, i: usize) -> (Real, Real) {
        let row = &lcp.matrix[i * lcp.b.len()..][..lcp.b.len()];
        self.response.assign(self.free.iter().map(|&j| row[j]));
        let diagonal = self.diagonal(lcp, i);
        let slope = self.factor.probe(&mut self.response, diagonal);
        let reach: Real = self.free.iter().zip(&self.response).map(|(&j, r)| r * r * lcp.scale[j]).sum();
        (slope, reach + lcp.scale[i])
    }

    /// Computes Δw of all rows from the response of C to row i.
    pub(super) fn form_delta_w(&mut self, lcp: &Lcp, i: usize, direction: Real) {
        let n = lcp.b.len();
        for (change, a) in self.delta_w.iter_mut().zip(&lcp.matrix[i * n..][..n]) {
            *change = direction * a;
        }
        self.delta_w[i] += direction * self.shift * lcp.scale[i];
        for (&j, &r) in self.free.iter().zip(&self.response) {
            let factor = direction * r;
            for (change, a) in self.delta_w.iter_mut().zip(&lcp.matrix[j * n..][..n]) {
                *change -= factor * a;
            }
        }
        for &j in &self.free {
            self.delta_w[j] = 0.0;
        }
    }

    /// Adds row i to C, unless C spans it already.
    pub(super) fn admit(&mut self, lcp: &Lcp, i: usize) -> bool {
        self.admit_above(lcp, i, DEPENDENT)
    }

    /// Adds the parked rows that C does not span. Nearly dependent rows wait until the clear ones are in, which keeps
    /// C well conditioned without a full search for the largest pivot.
    pub(super) fn admit_parked(&mut self, lcp: &Lcp) {
        for least in [1e-2, 1e-5, 1e-8, DEPENDENT] {
            for i in 0..self.state.len() {
                if self.state[i] == State::Parked {
                    self.admit_above(lcp, i, least);
                }
            }
        }
    }

    fn admit_above(&mut self, lcp: &Lcp, i: usize, least: Real) -> bool {
        let (_, reach) = self.respond(lcp, i);
        let row = &lcp.matrix[i * lcp.b.len()..][..lcp.b.len()];
        self.response.assign(self.free.iter().map(|&j| row[j]));
        let diagonal = self.diagonal(lcp, i);
        let admitted = self.factor.append(&self.response, diagonal, least * reach).is_some();
        if admitted {
            self.free.push(i);
            self.state[i] = State::Free;
        }
        admitted
    }

    /// Removes row j from C, and adds the parked row that was spanned with its help, if there is one.
    ///
    /// C loses one dimension, so one row at most can be missing. With y = A_CC⁻¹ e_j, parked row p depends on row j by
    /// the factor y·A_Cp, and would enter with the pivot (y·A_Cp)² / y_j; the largest is taken.
    pub(super) fn dismiss(&mut self, lcp: &Lcp, j: usize, to: State) {
        let n = lcp.b.len();
        let mut heir = None;
        if let Some(slot) = self.free.iter().position(|&k| k == j) {
            if self.state.contains(&State::Parked) {
                self.response.reset(self.free.len(), 0.0);
                self.response[slot] = 1.0;
                self.factor.solve(&mut self.response);
                let mut largest = 0.0;
                for p in (0..n).filter(|&p| self.state[p] == State::Parked) {
                    let row = &lcp.matrix[p * n..][..n];
                    let share: Real = self.free.iter().zip(&self.response).map(|(&k, y)| y * row[k]).sum();
                    let gain = share * share / (self.response[slot] * lcp.scale[p]);
                    if gain > largest {
                        (largest, heir) = (gain, Some(p));
                    }
                }
            }
            self.factor.delete(slot);
            self.free.remove(slot);
        }
        self.state[j] = to;
        if let Some(p) = heir {
            self.admit(lcp, p);
        }
    }

    /// Solves for λ_C anew with the other λ fixed, which removes accumulated rounding.
    pub(super) fn refine(&mut self, lcp: &Lcp, lambda: &mut [Real]) {
        for _ in 0..2 {
            let mut correction = std::mem::take(&mut self.response);
            correction.assign(self.free.iter().map(|&i| -self.row_value(lcp, lambda, i)));
            self.factor.solve(&mut correction);
            for (&i, change) in self.free.iter().zip(&correction) {
                lambda[i] = (lambda[i] + change).max(lcp.lo[i]).min(lcp.hi[i]);
            }
            self.response = correction;
        }
        for i in 0..lcp.b.len() {
            self.w[i] = self.row_value(lcp, lambda, i);
        }
    }

    /// Returns (A λ + b)_i, with the regularisation of a restart.
    pub(super) fn row_value(&self, lcp: &Lcp, lambda: &[Real], i: usize) -> Real {
        let n = lcp.b.len();
        let product: Real = lcp.matrix[i * n..][..n].iter().zip(lambda).map(|(a, l)| a * l).sum();
        product + lcp.b[i] + self.shift * lcp.scale[i] * (lambda[i] - self.anchor[i])
    }
}
