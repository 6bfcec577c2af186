//! Random numbers and random problems for tests of solvers.
//!
//! All of it is a function of a seed, so that a failing case is reproduced by its number.

use crate::math::{Mat3, Quat, Real, Vec3, Vec6, real};

use super::{Block, Contact, Entry, Inertia, Outcome, Problem, Row, Solver};

/// SplitMix64 generator: small, sufficient for tests, and the same on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6a09_e667_f3bc_c908)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in [0, 1).
    pub(crate) fn unit(&mut self) -> Real {
        (self.bits() >> 11) as Real / (1u64 << 53) as Real
    }

    /// Returns a number in [−1, 1).
    pub(crate) fn signed(&mut self) -> Real {
        2.0 * self.unit() - 1.0
    }

    pub(crate) fn range(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as Real) as usize).min(n.saturating_sub(1))
    }

    pub(crate) fn chance(&mut self, probability: Real) -> bool {
        self.unit() < probability
    }

    /// Returns `count` targets of rows in [−1, 1).
    pub(crate) fn targets(&mut self, count: usize) -> Vec<Real> {
        (0..count).map(|_| self.signed()).collect()
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        let axis = self.vector() * std::f64::consts::PI;
        Quat::from_scaled_axis(axis)
    }
}

/// Parameters of a random problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    pub seed: u64,
    /// Number of bodies; some of them may be immovable.
    pub bodies: usize,
    /// Probability that a body has no parent.
    pub roots: Real,
    /// Probability that a body without a parent is joined to the world.
    pub world_joints: Real,
    /// Additional joints between bodies that are connected already (or between a body and the world).
    pub loops: usize,
    /// Blocks repeated with mixed rows: dependent on the original, and consistent with it.
    pub redundant: usize,
    /// Share of blocks that are limits or motors (bounds on λ).
    pub bounded: Real,
    /// Share of blocks with softness.
    pub soft: Real,
    /// Heaviest over lightest body.
    pub mass_ratio: Real,
    /// One-sided rows beyond the persistent ones.
    pub loose: usize,
    /// Points of contact, between two bodies or with the world.
    pub contacts: usize,
    /// Largest µ.
    pub friction: Real,
}

impl Recipe {
    /// Forest of hard joints: every row independent of the others.
    pub(crate) fn forest(seed: u64, bodies: usize) -> Self {
        Recipe {
            seed,
            bodies,
            roots: 0.15,
            world_joints: 0.7,
            loops: 0,
            redundant: 0,
            bounded: 0.0,
            soft: 0.0,
            mass_ratio: 10.0,
            loose: 0,
            contacts: 0,
            friction: 0.0,
        }
    }

    /// Mix of all kinds of rows, chosen by the seed.
    pub(crate) fn mixed(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x5eed);
        Recipe {
            seed,
            bodies: 1 + random.below(12),
            roots: 0.15,
            world_joints: random.unit(),
            loops: random.below(4),
            redundant: random.below(3),
            bounded: if random.chance(0.7) { 0.5 * random.unit() } else { 0.0 },
            soft: if random.chance(0.5) { random.unit() } else { 0.0 },
            mass_ratio: real::powf(10.0 as Real, 4.0 * random.unit()),
            loose: 0,
            contacts: 0,
            friction: 0.0,
        }
    }

    /// Mix of all kinds of rows with contacts and a moderate mass ratio.
    pub(crate) fn touching(seed: u64, friction: Real) -> Self {
        let mixed = Recipe::mixed(seed);
        let mut random = Random::new(seed ^ 0x70c4);
        Recipe {
            mass_ratio: mixed.mass_ratio.sqrt(),
            loose: random.below(4),
            contacts: 1 + random.below(10),
            friction,
            ..mixed
        }
    }

    /// Bodies without joints that touch each other and the world.
    pub(crate) fn loose_bodies(seed: u64, friction: Real) -> Self {
        let mut random = Random::new(seed ^ 0x10053);
        let bodies = 1 + random.below(8);
        let contacts = bodies + random.below(2 * bodies);
        Recipe { roots: 1.0, world_joints: 0.0, contacts, friction, ..Recipe::forest(seed, bodies) }
    }
}

/// Random problem that has a solution.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub problem: Problem,
    /// Free velocities u, one per body; zero for immovable ones.
    pub free: Vec<Vec6>,
    /// Centres of mass, metres, one per body.
    pub centres: Vec<Vec3>,
    /// Set if A is positive definite by construction, so that λ is unique. Otherwise only v is.
    pub regular: bool,
    /// Number of blocks that are parent joints of bodies; they come first, loops and repeats after them.
    pub tree_blocks: usize,
}

/// Kind of the rows of a block.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Hard,
    Soft,
    Limit,
    Motor,
}

struct Builder {
    random: Random,
    problem: Problem,
    centres: Vec<Vec3>,
    movable: Vec<bool>,
    /// Velocities that satisfy every hard row and every one-sided row: the witness that a solution exists.
    witness: Vec<Vec6>,
}

impl Builder {
    fn entry(&self, body: usize, sign: Real, point: &Vec3, wrench: &Vec6) -> Option<Entry> {
        let force: Vec3 = wrench.fixed_rows::<3>(0).into();
        let torque: Vec3 = wrench.fixed_rows::<3>(3).into();
        let moment = (point - self.centres[body]).cross(&force) + torque;
        let jacobian = sign * Vec6::new(force.x, force.y, force.z, moment.x, moment.y, moment.z);
        self.movable[body].then_some(Entry { body: body as u32, jacobian })
    }

    /// Adds one row whose wrench about `point` acts on `b` and, reversed, on `a` (or on the world).
    fn row(&mut self, a: Option<usize>, b: usize, point: &Vec3, wrench: &Vec6, kind: Kind) {
        let first = self.problem.entries.len();
        if let Some(entry) = a.and_then(|a| self.entry(a, -1.0, point, wrench)) {
            self.problem.entries.push(entry);
        }
        if let Some(entry) = self.entry(b, 1.0, point, wrench) {
            self.problem.entries.push(entry);
        }
        let count = self.problem.entries.len() - first;
        let mut row = Row {
            first: first as u32,
            count: count as u32,
            target: 0.0,
            softness: 0.0,
            lo: Real::NEG_INFINITY,
            hi: Real::INFINITY,
        };
        let entries = &self.problem.entries[first..];
        let rate: Real = entries.iter().map(|e| e.jacobian.dot(&self.witness[e.body as usize])).sum();
        let own: Real = entries
            .iter()
            .map(|e| e.jacobian.dot(&self.problem.inertias[e.body as usize].apply_inverse(&e.jacobian)))
            .sum();
        let random = &mut self.random;
        match kind {
            Kind::Hard => row.target = rate,
            Kind::Soft => {
                row.target = random.signed();
                row.softness = own.max(1e-3) * random.range(0.01, 1.0);
            }
            Kind::Limit if random.chance(0.5) => {
                row.target = rate - random.unit();
                row.lo = 0.0;
            }
            Kind::Limit => {
                row.target = rate + random.unit();
                row.hi = 0.0;
            }
            Kind::Motor => {
                let strength = random.unit() / own.max(1e-3);
                row.target = random.signed();
                row.lo = -strength;
                row.hi = strength * random.unit();
            }
        }
        self.problem.rows.push(row);
    }

    /// Adds a constraint of `count` rows about a random point near `b`, its wrenches orthonormal.
    fn block(&mut self, a: Option<usize>, b: usize, count: usize, kind: Kind) {
        let point = self.centres[b] + 0.3 * self.random.vector();
        let (rotation, twist) = (self.random.rotation(), self.random.rotation());
        let first = self.problem.rows.len();
        let offset = self.random.below(6);
        for i in 0..count {
            let axis = (i + offset) % 6;
            let force = if axis < 3 { rotation * Vec3::ith(axis, 1.0) } else { Vec3::zeros() };
            let torque = if axis < 3 { Vec3::zeros() } else { twist * Vec3::ith(axis - 3, 0.3) };
            let wrench = Vec6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
            self.row(a, b, &point, &wrench, kind);
        }
        self.problem.blocks.push(Block { first: first as u32, count: count as u32, pivot: false });
    }

    /// Repeats a hard block with its rows mixed among themselves.
    fn repeat(&mut self, block: Block) {
        let rows = block.rows();
        let first = self.problem.rows.len();
        for i in rows.clone() {
            let mut copy = self.problem.rows[i];
            let entries_first = self.problem.entries.len();
            let source: Vec<Entry> = self.problem.entries(i).to_vec();
            self.problem.entries.extend(source);
            for j in rows.clone() {
                let factor = 0.5 * self.random.signed();
                copy.target += factor * self.problem.rows[j].target;
                let other: Vec<Entry> = self.problem.entries(j).to_vec();
                for (entry, other) in self.problem.entries[entries_first..].iter_mut().zip(other) {
                    entry.jacobian += factor * other.jacobian;
                }
            }
            copy.first = entries_first as u32;
            self.problem.rows.push(copy);
        }
        self.problem.blocks.push(Block { first: first as u32, count: block.count, pivot: false });
    }

    /// Adds a contact point of `b` with `a` or the world; some are soft.
    fn contact(&mut self, a: Option<usize>, b: usize, friction: Real) {
        let point = self.centres[b] + 0.3 * self.random.vector();
        let axes = self.random.rotation();
        let angular = self.random.chance(0.2);
        let first = self.problem.rows.len();
        for i in 0..if angular { 6 } else { 3 } {
            // Normal, tangents; rolling about the tangents, spinning about the normal.
            let d = axes * Vec3::ith([0, 1, 2, 1, 2, 0][i], 1.0);
            let wrench = if i < 3 { [d.x, d.y, d.z, 0.0, 0.0, 0.0] } else { [0.0, 0.0, 0.0, d.x, d.y, d.z] };
            self.row(a, b, &point, &Vec6::from_column_slice(&wrench), Kind::Hard);
            let slack = self.random.unit();
            let row = &mut self.problem.rows[first + i];
            // Bodies that must separate against friction may have no solution: with friction no target is positive.
            let most = if friction > 0.0 { 0.0 } else { Real::INFINITY };
            row.target = if i == 0 { (row.target - slack).min(most) } else { 0.0 };
        }
        if self.random.chance(0.2) {
            self.problem.rows[first].softness = 0.01;
        }
        let mut share = |most: Real| most * self.random.unit();
        let (friction, rolling, spinning) = (share(friction), share(0.1 * friction), share(0.1 * friction));
        self.problem.contacts.push(Contact { first: first as u32, angular, friction, rolling, spinning });
    }

    fn kind(&mut self, recipe: &Recipe) -> Kind {
        let draw = self.random.unit();
        if draw < recipe.bounded {
            if self.random.chance(0.5) { Kind::Limit } else { Kind::Motor }
        } else if draw < recipe.bounded + (1.0 - recipe.bounded) * recipe.soft {
            Kind::Soft
        } else {
            Kind::Hard
        }
    }
}

impl Recipe {
    /// Builds the problem and its free velocities.
    ///
    /// Every internal row applies opposite wrenches about a common point to its two bodies, as real joints do. Hard and
    /// one-sided rows are all satisfied by one hidden velocity field, and soft or boxed rows always have a solution, so
    /// a solution exists however many loops and repeats there are.
    pub(crate) fn build(&self) -> Sample {
        let mut builder = Builder {
            random: Random::new(self.seed),
            problem: Problem { topology: self.seed.wrapping_mul(2).wrapping_add(1), ..Problem::default() },
            centres: Vec::new(),
            movable: Vec::new(),
            witness: Vec::new(),
        };
        let mut free = Vec::new();
        for body in 0..self.bodies {
            let random = &mut builder.random;
            let movable = body == 0 || !random.chance(0.05);
            let mass = real::powf(self.mass_ratio, random.signed() / 2.0);
            let size = random.range(0.1, 0.4);
            let rotation = random.rotation().to_rotation_matrix().into_inner();
            let principal = Vec3::new(random.range(0.5, 1.0), random.range(0.5, 1.0), random.range(0.5, 1.0));
            let principal = principal * (mass * size * size);
            let inertia = rotation * Mat3::from_diagonal(&principal) * rotation.transpose();
            let inverse = rotation * Mat3::from_diagonal(&principal.map(|i| 1.0 / i)) * rotation.transpose();
            builder.centres.push(2.0 * random.vector());
            let spatial = |random: &mut Random| {
                let (v, w) = (random.vector(), random.vector());
                if movable { Vec6::new(v.x, v.y, v.z, w.x, w.y, w.z) } else { Vec6::zeros() }
            };
            builder.witness.push(spatial(random));
            free.push(spatial(random));
            builder.movable.push(movable);
            builder.problem.inertias.push(if movable {
                Inertia { mass, inverse_mass: 1.0 / mass, inertia, inverse_inertia: inverse }
            } else {
                Inertia::IMMOVABLE
            });
        }

        // The forest: each body is joined to an earlier one, to the world, or to nothing.
        for body in 0..self.bodies {
            if !builder.movable[body] {
                continue;
            }
            let root = body == 0 || builder.random.chance(self.roots);
            let parent = if root { None } else { Some(builder.random.below(body)) };
            if root && !builder.random.chance(self.world_joints) {
                continue;
            }
            let count = 1 + builder.random.below(6);
            let kind = builder.kind(self);
            builder.block(parent, body, count, kind);
        }
        let tree_blocks = builder.problem.blocks.len();

        for _ in 0..self.loops {
            let b = builder.random.below(self.bodies);
            let a = builder.random.below(self.bodies);
            if !builder.movable[b] {
                continue;
            }
            let count = 1 + builder.random.below(5);
            let kind = builder.kind(self);
            builder.block((a != b).then_some(a), b, count, kind);
        }
        for _ in 0..self.redundant {
            let hard: Vec<Block> = (builder.problem.blocks.iter().copied())
                .filter(|b| builder.problem.rows[b.first as usize].is_equality())
                .filter(|b| builder.problem.rows[b.first as usize].softness == 0.0)
                .collect();
            if !hard.is_empty() {
                let block = hard[builder.random.below(hard.len())];
                builder.repeat(block);
            }
        }
        builder.problem.persistent_rows = builder.problem.rows.len() as u32;
        for i in 0..self.loose + self.contacts {
            let (a, b) = (builder.random.below(self.bodies), builder.random.below(self.bodies));
            let a = (a != b && builder.random.chance(0.7)).then_some(a);
            if !builder.movable[b] {
                continue;
            }
            if i < self.loose {
                builder.block(a, b, 1, Kind::Limit);
            } else {
                builder.contact(a, b, self.friction);
            }
        }
        let regular = builder.problem.blocks.len() == tree_blocks && builder.problem.contacts.is_empty();
        Sample { problem: builder.problem, free, centres: builder.centres, regular, tree_blocks }
    }
}

/// Solves a problem from λ = 0; returns λ, v and the outcome.
pub(crate) fn run_on(solver: &mut dyn Solver, problem: &Problem, free: &[Vec6]) -> (Vec<Real>, Vec<Vec6>, Outcome) {
    let mut lambda = vec![0.0; problem.rows.len()];
    let mut velocity = free.to_vec();
    solver.prepare(problem);
    let outcome = solver.solve(problem, &mut lambda, &mut velocity);
    (lambda, velocity, outcome)
}

/// Solves a sample from λ = 0; returns λ, v and the outcome.
pub(crate) fn run(solver: &mut dyn Solver, sample: &Sample) -> (Vec<Real>, Vec<Vec6>, Outcome) {
    run_on(solver, &sample.problem, &sample.free)
}

/// Returns the largest difference of two lists of velocities, relative to the largest of the second (at least 1).
pub(crate) fn gap(a: &[Vec6], b: &[Vec6]) -> Real {
    let size = b.iter().fold(1.0, |m: Real, v| m.max(v.amax()));
    a.iter().zip(b).map(|(a, b)| (a - b).amax()).fold(0.0, Real::max) / size
}

/// Returns the largest difference of two lists of multipliers, relative to the largest of the second (at least 1).
pub(crate) fn multiplier_gap(a: &[Real], b: &[Real]) -> Real {
    let size = b.iter().fold(1.0, |m: Real, l| m.max(l.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max) / size
}

/// Returns the flags of the rows at a bound.
pub(crate) fn at_bounds(problem: &Problem, lambda: &[Real]) -> Vec<bool> {
    lambda.iter().zip(&problem.rows).map(|(&l, row)| l <= row.lo || l >= row.hi).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::DenseSolver;

    /// A rigid motion of all bodies has no rate in any internal row: action equals reaction.
    #[test]
    fn internal_rows_obey_action_equals_reaction() {
        let mut seen = 0;
        for seed in 0..100 {
            let Sample { problem, centres, .. } = Recipe::mixed(seed).build();
            let (v, w) = (Vec3::new(0.3, -1.0, 2.0), Vec3::new(-0.7, 0.4, 1.1));
            let rigid: Vec<Vec6> = centres
                .iter()
                .map(|x| {
                    let at = v + w.cross(x);
                    Vec6::new(at.x, at.y, at.z, w.x, w.y, w.z)
                })
                .collect();
            for row in (0..problem.rows.len()).filter(|&row| problem.entries(row).len() == 2) {
                seen += 1;
                assert!(problem.rate(row, &rigid).abs() <= 1e-12, "seed {seed}, row {row}");
            }
        }
        assert!(seen > 1000);
    }

    /// The tree part is independent, blocks cover the rows without gaps, and immovable bodies have no entries.
    #[test]
    fn problems_are_well_formed() {
        for seed in 0..100 {
            let Sample { mut problem, tree_blocks, .. } = Recipe::mixed(seed).build();
            let mut next = 0;
            for block in &problem.blocks {
                assert_eq!(block.first, next);
                next += block.count;
            }
            assert_eq!(next as usize, problem.rows.len());
            assert!(problem.entries.iter().all(|e| problem.inertias[e.body as usize].inverse_mass > 0.0));
            let tree_rows = problem.blocks[..tree_blocks].last().map_or(0, |b| (b.first + b.count) as usize);
            problem.rows.truncate(tree_rows);
            assert_eq!(DenseSolver::diagnose(&problem).nullity(), 0, "seed {seed}");
        }
    }
}
