//! The contact forces inside their friction cones that come nearest to a wanted wrench.
//!
//!   minimise  ½ ‖w − Σ Aᵢ fᵢ‖² + ½ ε Σ ‖fᵢ‖²/ρᵢ²   over   fᵢ ∈ K = { |f_horizontal| ≤ µ f_up }
//!
//! with Aᵢ = [1; (xᵢ − o)×] (rows scaled so that a body weight and a body weight times height are 1). The small ε picks
//! the evenest of all forces that do equally well, by the readiness ρ of each point. With fᵢ = ρᵢ gᵢ and Aᵢ replaced by ρᵢ Aᵢ that
//! is the case of ρ = 1. With the remainder r = w − Σ Aᵢ fᵢ the optimum is
//! fᵢ = P_K(Aᵢᵀ r) / ε, P_K being the nearest point of the cone, so that all of it is one equation in six unknowns,
//!
//!   ∇φ(r) = r + Σ Aᵢ P_K(Aᵢᵀ r) / ε − w = 0,   φ(r) = ½ ‖r‖² + Σ ‖P_K(Aᵢᵀ r)‖² / 2ε − wᵀ r,
//!
//! the gradient of a strongly convex φ. Newton's method with the generalised derivative of P_K and a line search on φ
//! finds the minimum whatever the start (Qi and Sun 1993 for the semismooth step): no edges that approximate the
//! cone, no active set to cycle in, a few 6×6 factorisations. A small ε makes φ stiff, so ε comes down step by step, and r
//! follows it on the tangent.

use crate::math::{Mat3, Mat6, Real, Vec3, Vec6, real, skew};

/// Cost of the forces relative to that of the residual.
const EPSILON: Real = 1e-7;
/// The first ε; each next one is smaller by a factor.
const START: Real = 1e-1;
const SHRINK: Real = 0.1;
const TOLERANCE: Real = 1e-9;
const MOST_STEPS: usize = 50;

/// Forces at some points.
#[derive(Default)]
pub(crate) struct ConeFit {
    /// Six rows, three columns each: force over force.
    arms: Vec<Mat3>,
    /// Readiness ρ of each point.
    ready: Vec<Real>,
    /// Forces in the order of the points.
    pub forces: Vec<Vec3>,
}

impl ConeFit {
    /// Residual of `wanted` (force, then torque) after the best forces at points with these arms; `friction` is µ of
    /// horizontal ground. Arms and torques are over the same length, forces come in the unit of `wanted`.
    pub fn solve(&mut self, wanted: &Vec6, arms: impl Iterator<Item = Vec3>, friction: Real) -> Vec6 {
        self.solve_ready(wanted, arms.map(|arm| (arm, 1.0)), friction)
    }

    /// The same for points that are not all as ready to carry force: arms with ρ, above 0 to 1.
    pub fn solve_ready(&mut self, wanted: &Vec6, arms: impl Iterator<Item = (Vec3, Real)>, friction: Real) -> Vec6 {
        self.arms.clear();
        self.ready.clear();
        for (arm, ready) in arms {
            self.arms.push(skew(&arm));
            self.ready.push(ready);
        }
        self.forces.clear();
        self.forces.resize(self.arms.len(), Vec3::zeros());
        if self.arms.is_empty() {
            return *wanted;
        }
        let mut r = *wanted;
        let mut epsilon = START;
        loop {
            let curve = self.descend(&mut r, wanted, friction, epsilon);
            for ((force, arm), ready) in self.forces.iter_mut().zip(&self.arms).zip(&self.ready) {
                *force = nearest(&along(arm, &r), friction).0 * (ready * ready / epsilon);
            }
            if epsilon <= EPSILON {
                break;
            }
            // Where r goes as ε shrinks: H dr = Σ A f dε / ε.
            let next = (epsilon * SHRINK).max(EPSILON);
            let given = self.arms.iter().zip(&self.forces).map(|(arm, force)| acting(arm, force)).sum::<Vec6>();
            if let Some(factor) = curve.cholesky() {
                r += factor.solve(&given) * ((next - epsilon) / epsilon);
            }
            epsilon = next;
        }
        // What the forces leave over in fact, whether or not the last step was exact.
        self.arms.iter().zip(&self.forces).fold(*wanted, |left, (arm, force)| left - acting(arm, force))
    }

    /// Newton's method for one ε; gives the Hessian where it ends.
    fn descend(&self, r: &mut Vec6, wanted: &Vec6, friction: Real, epsilon: Real) -> Mat6 {
        let (mut value, mut slope, mut curve) = self.look(r, wanted, friction, epsilon);
        let enough = TOLERANCE * (1.0 + wanted.norm());
        for _ in 0..MOST_STEPS {
            let Some(factor) = curve.cholesky().filter(|_| slope.norm() > enough) else { break };
            let step = -factor.solve(&slope);
            let descent = slope.dot(&step);
            let mut length = 1.0;
            let found = loop {
                let found = self.look(&(*r + step * length), wanted, friction, epsilon);
                // Near the minimum rounding hides what φ loses, and the gradient alone tells.
                let unseen = found.0 <= value + 1e-13 * (1.0 + value.abs()) && found.1.norm() < slope.norm();
                if found.0 <= value + 1e-4 * length * descent || unseen {
                    break Some(found);
                }
                if length < 1e-8 {
                    break None;
                }
                length *= 0.5;
            };
            let Some(found) = found else { break };
            *r += step * length;
            (value, slope, curve) = found;
        }
        curve
    }

    /// φ, its gradient and a generalised Hessian.
    fn look(&self, r: &Vec6, wanted: &Vec6, friction: Real, epsilon: Real) -> (Real, Vec6, Mat6) {
        let (mut value, mut slope, mut curve) = (0.5 * r.norm_squared() - wanted.dot(r), r - wanted, Mat6::identity());
        for (arm, ready) in self.arms.iter().zip(&self.ready) {
            // The nearest point of a cone grows with the point itself: P(ρ z) = ρ P(z).
            let (p, d) = nearest(&along(arm, r), friction);
            let scale = ready * ready / epsilon;
            value += 0.5 * scale * p.norm_squared();
            slope += acting(arm, &p) * scale;
            // A D Aᵀ with A = [1; S].
            let d = d * scale;
            let lower = arm * d;
            let corner = lower * arm.transpose();
            let mut block = |row: usize, column: usize, m: &Mat3| {
                let mut view = curve.fixed_view_mut::<3, 3>(row, column);
                view += m;
            };
            block(0, 0, &d);
            block(3, 0, &lower);
            block(0, 3, &lower.transpose());
            block(3, 3, &corner);
        }
        (value, slope, curve)
    }
}

/// A f: the wrench of a force.
fn acting(arm: &Mat3, force: &Vec3) -> Vec6 {
    let torque = arm * force;
    Vec6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z)
}

/// Aᵀ r.
fn along(arm: &Mat3, r: &Vec6) -> Vec3 {
    r.fixed_rows::<3>(0) + arm.transpose() * r.fixed_rows::<3>(3)
}

/// The point of the cone about y nearest to z, and how it moves with z.
fn nearest(z: &Vec3, friction: Real) -> (Vec3, Mat3) {
    let side = real::hypot(z.x, z.z);
    if side <= friction * z.y {
        return (*z, Mat3::identity());
    }
    if friction * side <= -z.y {
        return (Vec3::zeros(), Mat3::zeros());
    }
    let u = Vec3::new(z.x / side, 0.0, z.z / side);
    let edge = Vec3::y() + u * friction;
    let height = z.dot(&edge) / edge.norm_squared();
    let across = Vec3::new(-u.z, 0.0, u.x);
    let turn = across * across.transpose() * (friction * height / side);
    (edge * height, edge * edge.transpose() / edge.norm_squared() + turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cost(wanted: &Vec6, arms: &[Vec3], forces: &[Vec3]) -> Real {
        let left = arms.iter().zip(forces).fold(*wanted, |left, (arm, force)| left - acting(&skew(arm), force));
        0.5 * left.norm_squared() + 0.5 * EPSILON * forces.iter().map(Vec3::norm_squared).sum::<Real>()
    }

    fn vector(range: Real) -> impl Strategy<Value = Vec3> {
        [-range..range, -range..range, -range..range].prop_map(Vec3::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Karush–Kuhn–Tucker for a convex cone: forces in it, the gradient g of the cost in its dual, g · f = 0.
        #[test]
        fn the_optimum_meets_the_kkt_conditions(
            arms in prop::collection::vec(vector(0.6), 1..14),
            (force, torque) in (vector(4.0), vector(1.0)),
            friction in 0.05..1.2,
        ) {
            let wanted = Vec6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
            let mut fit = ConeFit::default();
            let left = fit.solve(&wanted, arms.iter().copied(), friction);
            for (arm, f) in arms.iter().zip(&fit.forces) {
                prop_assert!(f.x.hypot(f.z) <= friction * f.y + 1e-9, "{f} is outside of the cone");
                let gradient = f * EPSILON - along(&skew(arm), &left);
                // The dual cone of slope µ has slope 1/µ.
                let dual = gradient.x.hypot(gradient.z) * friction <= gradient.y + 1e-6;
                prop_assert!(dual, "{gradient} is outside of the dual cone");
                prop_assert!(gradient.dot(f).abs() < 1e-6 * (1.0 + f.norm()), "force and gradient meet");
            }
        }

        #[test]
        fn no_other_forces_do_better(
            arms in prop::collection::vec(vector(0.6), 1..8),
            force in vector(3.0),
            changes in prop::collection::vec(vector(0.3), 8),
        ) {
            let wanted = Vec6::new(force.x, force.y, force.z, 0.1, -0.2, 0.05);
            let mut fit = ConeFit::default();
            fit.solve(&wanted, arms.iter().copied(), 0.8);
            let best = cost(&wanted, &arms, &fit.forces);
            let others: Vec<Vec3> = fit.forces.iter().zip(&changes).map(|(f, c)| nearest(&(f + c), 0.8).0).collect();
            prop_assert!(cost(&wanted, &arms, &others) >= best - 1e-9);
        }
    }

    #[test]
    fn a_force_beyond_friction_leaves_its_distance_from_the_cone() {
        // Straight below the reference point: torque plays no part.
        let wanted = Vec6::new(2.0, 1.0, 0.0, 0.0, 0.0, 0.0);
        let left = ConeFit::default().solve(&wanted, std::iter::once(Vec3::zeros()), 0.5);
        let expected = (2.0 - 0.5) / (1.0_f64 + 0.25).sqrt();
        assert!((left.norm() - expected).abs() < 1e-6, "{left}");
    }

    /// Two points at the same place share a force as ρ²: minimal f₁²/ρ₁² + f₂²/ρ₂² for a given sum.
    #[test]
    fn points_share_a_force_by_the_square_of_their_readiness() {
        let wanted = Vec6::new(0.0, 1.0, 0.0, 0.0, 0.0, 0.0);
        let mut fit = ConeFit::default();
        fit.solve_ready(&wanted, [(Vec3::zeros(), 1.0), (Vec3::zeros(), 0.5)].into_iter(), 0.8);
        assert!((fit.forces[0].y - 0.8).abs() < 1e-5 && (fit.forces[1].y - 0.2).abs() < 1e-5, "{:?}", fit.forces);
    }

    #[test]
    fn ground_does_not_pull() {
        let wanted = Vec6::new(0.0, -0.4, 0.0, 0.0, 0.0, 0.0);
        let mut fit = ConeFit::default();
        let left = fit.solve(&wanted, std::iter::once(Vec3::zeros()), 0.8);
        assert!((left - wanted).norm() < 1e-12 && fit.forces[0].norm() < 1e-12);
    }

    #[test]
    fn the_derivative_is_that_of_the_nearest_point() {
        for z in
            [Vec3::new(0.3, 0.1, -0.2), Vec3::new(0.1, 2.0, 0.0), Vec3::new(0.1, -2.0, 0.3), Vec3::new(1.0, -0.2, 0.5)]
        {
            let (_, d) = nearest(&z, 0.7);
            for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
                let step = 1e-6;
                let change = (nearest(&(z + axis * step), 0.7).0 - nearest(&(z - axis * step), 0.7).0) / (2.0 * step);
                assert!((change - d * axis).norm() < 1e-6, "at {z}");
            }
        }
    }
}
