//! Coulomb's law at one point, for the solvers that use the true cone.
//!
//! Two tangential multipliers λ with w = A λ + g obey the law of greatest dissipation within a disc: ‖λ‖ ≤ r; w = 0
//! inside, w opposite to λ on the rim. That is the minimum of ½ λᵀ A λ + gᵀ λ over the disc. Inside it is −A⁻¹ g; on
//! the rim (A + γ) λ = −g with the one γ > 0 that makes ‖λ‖ = r, found by Newton's method on 1/‖λ(γ)‖, which is nearly
//! straight (Moré and Sorensen 1983). In the axes of A's eigenvectors both are divisions.
//!
//! A point's own law is the half-line λ_n ≥ 0 and then a disc of radius µ λ_n.

use crate::math::Real;

/// Bound on the Newton steps on the rim. Two or three are usual.
const RIM_STEPS: usize = 30;

/// Relative distance from the rim below which a further step would be rounding.
const RIM_TOLERANCE: Real = 1e-13;

/// Multipliers or velocities along the two tangents.
pub(super) type Vec2 = [Real; 2];

/// Response of two tangential rows to each other, by eigenvectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Disc {
    /// Cosine and sine of the rotation to the eigenvectors.
    rotation: Vec2,
    /// Eigenvalues, the larger first.
    eigenvalues: Vec2,
    /// Inverse eigenvalues; zero for a direction without response.
    inverses: Vec2,
}

impl Disc {
    /// Decomposes the symmetric matrix [[xx, xy], [xy, yy]].
    pub fn new(xx: Real, xy: Real, yy: Real) -> Disc {
        let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
        let radius = (half * half + xy * xy).sqrt();
        // The eigenvector of the larger eigenvalue, from whichever row gives it without cancellation.
        let (x, y) = if half >= 0.0 { (half + radius, xy) } else { (xy, radius - half) };
        let length = (x * x + y * y).sqrt();
        let rotation = if length > 0.0 { [x / length, y / length] } else { [1.0, 0.0] };
        let (larger, smaller) = (mean + radius, (mean - radius).max(0.0));
        let inverse = |e: Real, least: Real| if e > least { 1.0 / e } else { 0.0 };
        let least = Real::MIN_POSITIVE;
        let inverses = [inverse(larger, least), inverse(smaller, least.max(1e-12 * larger))];
        Disc { rotation, eigenvalues: [larger, smaller], inverses }
    }

    /// Returns the multipliers that obey the law, given w at `lambda`.
    #[inline(always)]
    pub fn solve(&self, w: Vec2, lambda: Vec2, radius: Real) -> Vec2 {
        if radius <= 0.0 || self.eigenvalues[0] <= 0.0 {
            return [0.0, 0.0];
        }
        let [c, s] = self.rotation;
        let into = |[x, y]: Vec2| [c * x + s * y, c * y - s * x];
        let out = |[x, y]: Vec2| [c * x - s * y, c * y + s * x];
        let (w, l) = (into(w), into(lambda));
        let g = [w[0] - self.eigenvalues[0] * l[0], w[1] - self.eigenvalues[1] * l[1]];
        // A direction without response keeps its multiplier.
        let free = [-g[0] * self.inverses[0], if self.inverses[1] > 0.0 { -g[1] * self.inverses[1] } else { l[1] }];
        if free[0] * free[0] + free[1] * free[1] <= radius * radius {
            return out(free);
        }
        let load = (g[0] * g[0] + g[1] * g[1]).sqrt();
        let per_radius = 1.0 / radius;
        // The rim is met no earlier than if both eigenvalues were the larger one. A point that slides on as
        // before is there already: w = −γ λ.
        let least = (load * per_radius - self.eigenvalues[0]).max(0.0);
        let (along, square) = (-(w[0] * l[0] + w[1] * l[1]), l[0] * l[0] + l[1] * l[1]);
        let mut gamma = if along > least * square { along / square } else { least };
        let mut x = [0.0; 2];
        for _ in 0..RIM_STEPS {
            let inverse = |e: Real| if e + gamma > 0.0 { 1.0 / (e + gamma) } else { 0.0 };
            let inverse = self.eigenvalues.map(inverse);
            x = [-g[0] * inverse[0], -g[1] * inverse[1]];
            let square = x[0] * x[0] + x[1] * x[1];
            let slope = x[0] * x[0] * inverse[0] + x[1] * x[1] * inverse[1];
            let length = square.sqrt();
            if slope <= 0.0 || (length - radius).abs() <= RIM_TOLERANCE * radius {
                break;
            }
            gamma = (gamma + square / slope * (length - radius) * per_radius).max(least);
        }
        out(onto_rim(x, radius))
    }

    /// Returns the violation of the law, in velocity units: the change that a projected step would make.
    #[inline]
    pub fn violation(&self, w: Vec2, lambda: Vec2, radius: Real) -> Real {
        if self.eigenvalues[0] <= 0.0 {
            return 0.0;
        }
        let step = [lambda[0] - w[0] * self.inverses[0], lambda[1] - w[1] * self.inverses[0]];
        let [x, y] = into_disc(step, radius);
        ((x - lambda[0]).powi(2) + (y - lambda[1]).powi(2)).sqrt() * self.eigenvalues[0]
    }
}

/// Three rows of one point, one between bounds and two in a disc: a normal with its tangents, or spinning with rolling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triple {
    /// Response of the rows to each other, softness included.
    pub own: [[Real; 3]; 3],
    /// Inverse of the first row's own response; zero without response.
    inverse: Real,
    disc: Disc,
}

/// Violation of all laws, in velocity units.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Violation {
    pub largest: Real,
    pub squares: Real,
}

impl Violation {
    #[inline(always)]
    pub fn add(&mut self, violation: Real) {
        self.largest = self.largest.max(violation);
        self.squares += violation * violation;
    }
}

/// Step length of sweeps. Full steps can cycle for ever where a normal reduces the friction that reduces the normal;
/// shorter ones converge.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelaxationFactor {
    factor: Real,
    best: Real,
    stalled: usize,
}

impl Default for RelaxationFactor {
    fn default() -> Self {
        RelaxationFactor { factor: 1.0, best: Real::INFINITY, stalled: 0 }
    }
}

impl RelaxationFactor {
    const STALLED_ROUNDS: usize = 8;
    const SMALLEST: Real = 0.1;

    /// Returns the share of a full step for the next round, after a round that left `residual`.
    pub fn next(&mut self, residual: Real) -> Real {
        if residual < 0.9 * self.best {
            (self.best, self.stalled) = (residual, 0);
        } else {
            self.stalled += 1;
            if self.stalled >= Self::STALLED_ROUNDS {
                self.stalled = 0;
                self.factor = if self.factor <= Self::SMALLEST { 1.0 } else { self.factor * 0.6 };
            }
        }
        self.factor
    }
}

/// Bounds of the three multipliers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub lo: Real,
    pub hi: Real,
    /// Radius of the disc per unit of the first multiplier.
    pub friction: Real,
    /// Constant part of the disc's radius.
    pub radius: Real,
}

impl Bounds {
    /// Makes the bounds of a normal and its tangents by Coulomb's law.
    pub fn point(friction: Real) -> Bounds {
        Bounds { lo: 0.0, hi: Real::INFINITY, friction, radius: 0.0 }
    }

    /// Makes the bounds of the resistance to spinning and rolling under a given normal load.
    pub fn angular(spinning: Real, rolling: Real, normal: Real) -> Bounds {
        Bounds { lo: -spinning * normal, hi: spinning * normal, friction: 0.0, radius: rolling * normal }
    }

    #[inline(always)]
    pub fn disc(&self, first: Real) -> Real {
        self.friction * first + self.radius
    }

    #[inline(always)]
    pub fn clamp(&self, first: Real) -> Real {
        first.max(self.lo).min(self.hi)
    }

    /// Returns the nearest multipliers within the bounds, the first one by itself.
    #[inline(always)]
    fn project(&self, lambda: [Real; 3]) -> [Real; 3] {
        let [first, x, y] = lambda.map(|l| if l.is_finite() { l } else { 0.0 });
        let first = self.clamp(first);
        let [x, y] = into_disc([x, y], self.disc(first));
        [first, x, y]
    }

    /// Returns the largest step of λ along a direction that stays in its disc, coming from inside.
    pub fn largest_step(&self, lambda: &[Real; 3], along: &[Real; 3]) -> Real {
        let (radius, growth) = (self.disc(lambda[0]), self.friction * along[0]);
        let ([_, x, y], [_, dx, dy]) = (lambda, along);
        // ‖λ + α d‖² = (r + α r')²: a α² + 2 b α + c = 0 with c < 0.
        let a = dx * dx + dy * dy - growth * growth;
        let b = x * dx + y * dy - radius * growth;
        let c = (x * x + y * y - radius * radius).min(0.0);
        let root = b * b - a * c;
        // The smaller positive root, in the form that does not cancel.
        if root < 0.0 || (a <= 0.0 && b <= 0.0) { Real::INFINITY } else { -c / (b + root.sqrt()) }
    }

    /// Returns true if the two rows of the disc are off its rim.
    #[inline(always)]
    pub fn is_inside(&self, lambda: &[Real; 3]) -> bool {
        let radius = self.disc(lambda[0]);
        radius > 0.0 && lambda[1] * lambda[1] + lambda[2] * lambda[2] < radius * radius * (1.0 - 1e-12)
    }
}

impl Triple {
    pub fn new(own: [[Real; 3]; 3]) -> Triple {
        let inverse = if own[0][0] > Real::MIN_POSITIVE { 1.0 / own[0][0] } else { 0.0 };
        Triple { own, inverse, disc: Disc::new(own[1][1], own[1][2], own[2][2]) }
    }

    /// Returns true if none of the rows moves a body.
    #[inline(always)]
    pub fn is_unresponsive(&self) -> bool {
        self.own[0][0] <= 0.0 && self.disc.eigenvalues[0] <= 0.0
    }

    /// Returns the first multiplier by itself.
    #[inline(always)]
    pub fn solve_first(&self, w: Real, lambda: Real, bounds: &Bounds) -> Real {
        if self.inverse > 0.0 { bounds.clamp(lambda - w * self.inverse) } else { 0.0 }
    }

    /// Returns the nearest multipliers within the bounds; zero for rows without response.
    #[inline(always)]
    pub fn project(&self, lambda: [Real; 3], bounds: &Bounds) -> [Real; 3] {
        let first = if self.own[0][0] > 0.0 { lambda[0] } else { 0.0 };
        let tangential = if self.disc.eigenvalues[0] > 0.0 { [lambda[1], lambda[2]] } else { [0.0; 2] };
        bounds.project([first, tangential[0], tangential[1]])
    }

    /// Solves the first row by itself, then the disc that it leaves; given w at `lambda`.
    #[inline(always)]
    pub fn solve(&self, w: &[Real; 3], lambda: &[Real; 3], bounds: &Bounds) -> [Real; 3] {
        let first = self.solve_first(w[0], lambda[0], bounds);
        let change = first - lambda[0];
        let tangential = [w[1] + self.own[1][0] * change, w[2] + self.own[2][0] * change];
        let [x, y] = self.solve_disc(tangential, lambda, bounds.disc(first));
        [first, x, y]
    }

    /// Solves the two rows of the disc alone.
    #[inline(always)]
    pub fn solve_disc(&self, w: Vec2, lambda: &[Real; 3], radius: Real) -> Vec2 {
        self.disc.solve(w, [lambda[1], lambda[2]], radius)
    }

    /// Returns the square of a change of the multipliers in velocity units: the larger of the first one and the other
    /// two.
    #[inline(always)]
    pub fn speed_squared_of(&self, change: &[Real; 3]) -> Real {
        let (along, largest) = (change[0] * self.own[0][0], self.disc.eigenvalues[0]);
        (along * along).max((change[1] * change[1] + change[2] * change[2]) * (largest * largest))
    }

    /// Returns the violation of the law, in velocity units: the change that a projected step would make.
    #[inline(always)]
    pub fn violation(&self, w: &[Real; 3], lambda: &[Real; 3], bounds: &Bounds) -> (Real, Real) {
        let along = (self.solve_first(w[0], lambda[0], bounds) - lambda[0]).abs() * self.own[0][0];
        (along, self.disc.violation([w[1], w[2]], [lambda[1], lambda[2]], bounds.disc(lambda[0])))
    }
}

fn onto_rim([x, y]: Vec2, radius: Real) -> Vec2 {
    let length = (x * x + y * y).sqrt();
    if length > 0.0 { [x * radius / length, y * radius / length] } else { [0.0, 0.0] }
}

/// Returns the nearest point of the disc.
#[inline]
fn into_disc([x, y]: Vec2, radius: Real) -> Vec2 {
    if x * x + y * y <= radius * radius { [x, y] } else { onto_rim([x, y], radius) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::random::Random;

    /// Inside the disc w vanishes, on the rim it is opposite to λ.
    #[test]
    fn friction_is_the_most_dissipative_within_its_disc() {
        let (mut inside, mut rim) = (0, 0);
        for seed in 0..2000 {
            let mut random = Random::new(seed);
            let (p, q, r) = (random.signed(), random.signed(), random.signed());
            // A random positive matrix, now and then a singular one.
            let (xx, xy, yy) = (p * p + r * r, q * p, q * q);
            let g = [random.signed(), random.signed()];
            let radius = 3.0 * random.unit();
            let disc = Disc::new(xx, xy, yy);
            let start = [random.signed(), random.signed()];
            let at = |l: Vec2| [xx * l[0] + xy * l[1] + g[0], xy * l[0] + yy * l[1] + g[1]];
            let lambda = disc.solve(at(start), start, radius);
            let w = at(lambda);
            let length = (lambda[0] * lambda[0] + lambda[1] * lambda[1]).sqrt();
            assert!(length <= radius * (1.0 + 1e-14), "seed {seed}");
            assert!(disc.violation(w, lambda, radius) <= 1e-10, "seed {seed}: {w:?}");
            if length < radius * (1.0 - 1e-9) {
                inside += 1;
                assert!(w[0].abs().max(w[1].abs()) <= 1e-9, "seed {seed}: {w:?}");
            } else {
                rim += 1;
                let cross = w[0] * lambda[1] - w[1] * lambda[0];
                assert!(cross.abs() <= 1e-10 * radius && w[0] * lambda[0] + w[1] * lambda[1] <= 1e-10, "seed {seed}");
            }
        }
        assert!(inside > 100 && rim > 100, "{inside} {rim}");
    }
}
