//! Sharing of ground forces between feet and their corners, over time.
//!
//! The motion gives the wrench of a frame, not its distribution. People pass their weight on gradually, so that among all
//! distributions those with the least rate of change are taken: with the forces y of all frames, inside their cones,
//!
//!   minimise  Σ_t φ-cost(y_t) + λ Σ_t ‖y_t − y_{t−1}‖²,
//!
//! where an edge that is not in contact has y = 0. The problem is convex; Gauss–Seidel sweeps over frames, forwards and backwards,
//! keep every frame at its wrench and remove what changes from frame to frame.

use super::forces::{Amounts, Demand, Drawn};
use super::problem::{Motion, Problem};
use crate::math::{Real, Vec6};

/// Rate of change of the force along one edge that costs 1, body weights per second: a walking foot is loaded by eight edges
/// within a tenth of a second.
const RATE: Real = 2.0;
/// Sweeps over all frames, forwards and backwards in turn.
const SWEEPS: usize = 8;
/// Tolerance of the wrench and barrier, a tenth of those of the search: smooth forces must not cost any residual.
const SHARING: Demand = Demand { residual: 2e-4, barrier: 1e-4, firmness: 1.0 };

/// Forces of all frames of a piece.
pub(super) struct SharedForces {
    pub amounts: Vec<Amounts>,
    /// Residual wrench of each frame; `None` at the ends of a clip.
    pub left: Vec<Option<Vec6>>,
}

impl Problem<'_> {
    /// Shares the wrenches of an evaluated motion between the contacts of each frame.
    pub fn share_forces(&self, motion: &Motion) -> SharedForces {
        let mut shared = SharedForces {
            amounts: motion.amounts.clone(),
            left: motion.responses.iter().map(|response| response.as_ref().map(|response| response.left)).collect(),
        };
        let count = self.frames.len();
        let mut drawn = Drawn::default();
        for sweep in 0..SWEEPS {
            for k in 0..count {
                let t = if sweep % 2 == 0 { k } else { count - 1 - k };
                if motion.responses[t].is_none() || self.frames[t].targets.is_empty() {
                    continue;
                }
                self.draw(t, motion, &shared.amounts, &mut drawn);
                let amounts = &mut shared.amounts[t];
                let response = motion.edges[t].drawn_response(&motion.wrenches[t], &SHARING, Some(&drawn), amounts);
                shared.left[t] = Some(response.left);
            }
        }
        shared
    }

    /// Collects the pull of both neighbours on the edges of a frame.
    fn draw(&self, t: usize, motion: &Motion, amounts: &[Amounts], drawn: &mut Drawn) {
        let lambda = (self.step * RATE).powi(-2);
        let targets = self.frames[t].targets;
        drawn.pull.clear();
        drawn.pull.resize(4 * targets.len(), 0.0);
        drawn.weight = 0.0;
        // Directions of edges do not rotate with the seam of a loop that turns.
        let turns = self.cycle.is_some_and(|cycle| cycle.yaw != 0.0);
        for neighbour in self.neighbours(t).into_iter().flatten() {
            if motion.responses[neighbour].is_none() || (turns && neighbour.abs_diff(t) != 1) {
                continue;
            }
            drawn.weight += lambda;
            for (index, target) in targets.iter().enumerate() {
                let others = self.frames[neighbour].targets;
                let Some(same) = others.iter().position(|other| other.corner == target.corner) else { continue };
                let Some(edges) = amounts[neighbour].of(same) else { continue };
                edges.iter().enumerate().for_each(|(edge, y)| drawn.pull[4 * index + edge] += lambda * y);
            }
        }
    }
}
