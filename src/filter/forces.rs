//! Ground forces of one frame, eliminated: the best forces for a required wrench, the residual they leave, and the stiffness of
//! the ground against a change of the wrench.
//!
//! Each corner in contact may push along the four edges of a pyramid inside its friction cone. With the edges as the
//! columns of B (force over weight, torque over weight and height) and their amounts y > 0,
//!
//!   φ(w) = min over y  ‖w − B y‖²/σ² + Σ s y² − 2 µ Σ log y
//!
//! by primal–dual Newton steps with z ≈ µ/y:
//!
//!   D = 1/(s + z/y),   g = −Bᵀr/σ² + s y − µ/y,   dy = −D g + D Bᵀ (σ² 1 + B D Bᵀ)⁻¹ B D g,
//!
//! where only a 6×6 matrix is factored. At the minimum ∇φ = 2 r/σ² and ∇²φ = 2 S with S = (σ² 1 + B D Bᵀ)⁻¹. The logarithm
//! keeps forces from switching on and off between steps, which would stall the optimiser around it.
//!
//! The wrench leaves open how feet and their corners share it. [`super::force_sharing`] settles that over time: it adds
//! λ Σ (y − y_neighbour)² over the same edges in neighbouring frames, which is s + λ in place of s, and −λ y_neighbour in g.

use crate::math::{Mat6, Real, Vec3, Vec6, real};

/// Directions in which the ground may push in a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    /// Columns of B, four for each contact target.
    columns: Vec<[Real; 6]>,
    /// Cost s of the force along each edge.
    softness: Vec<Real>,
    /// Force directions over the weight, four for each contact target.
    directions: Vec<Vec3>,
}

/// Amounts of the edges and their multipliers, kept as the start of the next search.
#[derive(Clone, Debug, Default)]
pub(super) struct Amounts {
    y: Vec<Real>,
    z: Vec<Real>,
}

/// Pull of the amounts of neighbouring frames on those of a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawn {
    /// λ, times the number of neighbours.
    pub weight: Real,
    /// λ Σ y of the neighbours, for each edge.
    pub pull: Vec<Real>,
}

impl Amounts {
    /// Returns the amounts of the four edges of a contact target; `None` before the first response.
    pub fn of(&self, target: usize) -> Option<[Real; 4]> {
        self.y.get(4 * target..4 * target + 4).and_then(|edges| edges.try_into().ok())
    }
}

/// Tolerance of the forces and weight of the contact terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// Residual σ that costs 1, over the weight.
    pub residual: Real,
    /// Parameter µ of the barrier.
    pub barrier: Real,
    /// Weight of contact targets, limits and depths, relative to the final one.
    pub firmness: Real,
}

/// Best forces of the ground for a wrench, as the optimiser needs them.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroundResponse {
    /// Cost φ.
    pub value: Real,
    /// Residual r = w − B y.
    pub left: Vec6,
    /// Half of ∇φ: r/σ².
    pub pull: Vec6,
    /// Half of ∇²φ: S.
    pub precision: Mat6,
    /// Newton steps, times edges.
    pub edge_steps: usize,
}

/// Force at one edge that costs 1, body weights.
const USUAL_FORCE: Real = 3.0;
/// Least share of that force for a corner that has just touched down.
const LEAST_LOAD: Real = 0.1;
/// The same for a corner that is held without load.
const NO_LOAD: Real = 1e-3;
/// Share of the usual σ in flight, where residuals add up to a wrong parabola.
const FLIGHT: Real = 0.1;
const MOST_STEPS: usize = 60;
/// Share of the distance to the boundary that a step may go.
const SHORT_OF: Real = 0.95;
const SMALL: Real = 1e-9;

impl Edges {
    /// Adds a corner in contact at `arm` from the reference point of torques, over the height.
    pub fn add(&mut self, arm: &Vec3, normal: &Vec3, friction: Real, load: Real) {
        let (along, across) = tangents(normal);
        let limit = USUAL_FORCE * if load > 0.0 { load.clamp(LEAST_LOAD, 1.0) } else { NO_LOAD };
        for side in [along, -along, across, -across] {
            let direction = normal + side * friction;
            let torque = arm.cross(&direction);
            self.columns.push([direction.x, direction.y, direction.z, torque.x, torque.y, torque.z]);
            self.softness.push(1.0 / (limit * limit));
            self.directions.push(direction);
        }
    }

    /// Copies edges with every corner moved by a step of its own, over the height.
    pub fn move_from(&mut self, from: &Edges, step: impl Fn(usize) -> Vec3) {
        self.columns.clone_from(&from.columns);
        self.softness.clone_from(&from.softness);
        self.directions.clone_from(&from.directions);
        for (edge, (column, direction)) in self.columns.iter_mut().zip(&self.directions).enumerate() {
            let torque = step(edge / 4).cross(direction);
            (0..3).for_each(|k| column[3 + k] += torque[k]);
        }
    }

    pub fn targets(&self) -> usize {
        self.columns.len() / 4
    }

    /// Returns the force at a contact target, over the weight.
    pub fn force(&self, amounts: &Amounts, target: usize) -> Vec3 {
        (4 * target..4 * target + 4).map(|edge| self.directions[edge] * amounts.y[edge]).sum()
    }

    /// Finds the forces for a wrench.
    pub fn response(&self, wanted: &Vec6, demand: &Demand, amounts: &mut Amounts) -> GroundResponse {
        self.drawn_response(wanted, demand, None, amounts)
    }

    /// Finds the forces for a wrench, drawn to those of neighbouring frames.
    pub fn drawn_response(
        &self,
        wanted: &Vec6,
        demand: &Demand,
        drawn: Option<&Drawn>,
        amounts: &mut Amounts,
    ) -> GroundResponse {
        if self.columns.is_empty() {
            let variance = (FLIGHT * demand.residual).powi(2);
            let precision = Mat6::identity() / variance;
            return GroundResponse {
                value: wanted.norm_squared() / variance,
                left: *wanted,
                pull: wanted / variance,
                precision,
                edge_steps: 0,
            };
        }
        let variance = demand.residual * demand.residual;
        let stiff = |i: usize| self.softness[i] + drawn.map_or(0.0, |drawn| drawn.weight);
        let pulled = |i: usize| drawn.map_or(0.0, |drawn| drawn.pull[i]);
        self.begin(demand.barrier, amounts);
        let count = self.columns.len();
        let Amounts { y, z } = amounts;
        let (mut d, mut g, mut step) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
        let mut left = self.left(wanted, y);
        let mut precision;
        let mut steps = 0;
        loop {
            let mut held = Mat6::identity() * variance;
            let mut pushed = Vec6::zeros();
            for i in 0..count {
                let column = &self.columns[i];
                let along: Real = (0..6).map(|k| column[k] * left[k]).sum();
                d[i] = 1.0 / (stiff(i) + z[i] / y[i]);
                g[i] = -along / variance + stiff(i) * y[i] - pulled(i) - demand.barrier / y[i];
                for k in 0..6 {
                    let part = d[i] * column[k];
                    pushed[k] += part * g[i];
                    for l in k..6 {
                        held[(l, k)] += part * column[l];
                    }
                }
            }
            let factor = nalgebra::Cholesky::new_unchecked(held);
            let solved = factor.solve(&pushed);
            let (mut decrement, mut off_centre) = (0.0, 0.0);
            let (mut room_y, mut room_z) = (Real::INFINITY, Real::INFINITY);
            for i in 0..count {
                let column = &self.columns[i];
                let back: Real = (0..6).map(|k| column[k] * solved[k]).sum();
                step[i] = d[i] * (back - g[i]);
                decrement -= g[i] * step[i];
                off_centre = Real::max(off_centre, (y[i] * z[i] / demand.barrier - 1.0).abs());
                let step_z = demand.barrier / y[i] - z[i] - z[i] / y[i] * step[i];
                if step[i] < 0.0 {
                    room_y = room_y.min(-y[i] / step[i]);
                }
                if step_z < 0.0 {
                    room_z = room_z.min(-z[i] / step_z);
                }
            }
            precision = factor;
            if (decrement.abs() < SMALL && off_centre < 0.02) || steps == MOST_STEPS {
                break;
            }
            let (length_y, length_z) = ((SHORT_OF * room_y).min(1.0), (SHORT_OF * room_z).min(1.0));
            for i in 0..count {
                let step_z = demand.barrier / y[i] - z[i] - z[i] / y[i] * step[i];
                y[i] += length_y * step[i];
                z[i] += length_z * step_z;
            }
            left = self.left(wanted, y);
            steps += 1;
        }
        let own: Real =
            (0..count).map(|i| self.softness[i] * y[i] * y[i] - 2.0 * demand.barrier * real::ln(y[i])).sum();
        let value = left.norm_squared() / variance + own;
        GroundResponse { value, left, pull: left / variance, precision: precision.inverse(), edge_steps: steps * count }
    }

    /// Sets a first guess where there is none, and multipliers that fit another barrier parameter.
    fn begin(&self, barrier: Real, amounts: &mut Amounts) {
        let count = self.columns.len();
        if amounts.y.len() != count {
            amounts.y = vec![1.0 / count as Real; count];
            amounts.z = vec![barrier * count as Real; count];
        }
        for (y, z) in amounts.y.iter_mut().zip(&mut amounts.z) {
            *y = y.max(1e-7);
            *z = z.clamp(0.1 * barrier / *y, 10.0 * barrier / *y);
        }
    }

    fn left(&self, wanted: &Vec6, y: &[Real]) -> Vec6 {
        let mut left = *wanted;
        for (column, amount) in self.columns.iter().zip(y) {
            for k in 0..6 {
                left[k] -= column[k] * amount;
            }
        }
        left
    }
}

/// Returns two unit vectors across a normal and each other.
fn tangents(normal: &Vec3) -> (Vec3, Vec3) {
    let other = if normal.x.abs() < 0.7 { Vec3::x() } else { Vec3::z() };
    let along = (other - normal * normal.dot(&other)).normalize();
    (along, normal.cross(&along))
}
