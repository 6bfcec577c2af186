//! Auxiliary rows, which fit no tree: loop closures, one-sided limits, rows over many bodies, contacts.
//!
//! They are coupled by the response of the trees (see `walk`). Without contacts they are one dense complementarity
//! problem, solved exactly; with contacts they are solved by sweeps (see `relaxation`).

use super::TreeSolver;
use super::forest::NONE;
use super::kernel::{Lanes, Six};
use super::relaxation::{FEW, Law, Relaxation, Unit};
use super::sweep::push_on;
use super::walk::Paths;
use crate::math::{Buffer, Real, Vec6};
use crate::solve::lcp::{Lcp, LcpSolver};
use crate::solve::{Contact, FrictionBound, Outcome, Problem};

/// Problem of the auxiliary rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Auxiliary {
    /// Single rows: those the forest left over, then those beyond the persistent ones. Each is a unit.
    pub rows: Vec<u32>,
    pub paths: Paths,
    /// Units (single rows, then those of the contacts) and their multipliers.
    pub relaxation: Relaxation,
    matrix: Vec<Real>,
    scale: Vec<Real>,
    b: Vec<Real>,
    lo: Vec<Real>,
    hi: Vec<Real>,
    lambda: Vec<Real>,
    /// Rows between their bounds after the last solve; the others are left out of corrections.
    pub free: Vec<bool>,
    /// Free part of the problem, for corrections.
    part: Vec<u32>,
    part_matrix: Vec<Real>,
    part_scale: Vec<Real>,
    part_b: Vec<Real>,
    part_bound: Vec<Real>,
    part_lambda: Vec<Real>,
    image: Vec<Lanes>,
    lcp: LcpSolver,
}

impl Auxiliary {
    pub fn has_units(&self) -> bool {
        !self.relaxation.units.is_empty()
    }

    /// Computes A of the rows `part`, row major.
    fn form_matrix(&mut self, part: &[u32], matrix: &mut Vec<Real>) {
        let Auxiliary { paths, relaxation, image, .. } = self;
        let n = part.len();
        matrix.reset(n * n, 0.0);
        image.reset(paths.weights.len(), [0.0; 4]);
        for (i, &unit) in part.iter().enumerate() {
            paths.push_row(unit as usize, 0, 1.0, image);
            for (j, &other) in part[..i].iter().enumerate() {
                let value = paths.rate(other as usize, 0, image);
                matrix[i * n + j] = value;
                matrix[j * n + i] = value;
            }
            matrix[i * n + i] = relaxation.units[unit as usize].triple.own[0][0];
            paths.wipe(unit as usize, image);
        }
    }

    /// Computes the diagonal of A before elimination.
    fn form_scale(&mut self, problem: &Problem) {
        self.scale.assign(self.rows.iter().map(|&row| size_of(problem, row as usize)));
    }
}

/// Returns [`size_of`] within a factor of three, at a fraction of the cost.
#[inline(always)]
fn rough_size_of(problem: &Problem, row: usize) -> Real {
    let mut size = problem.rows[row].softness;
    for entry in problem.entries(row) {
        let (j, inertia) = (&entry.jacobian, &problem.inertias[entry.body as usize]);
        let inverse = &inertia.inverse_inertia;
        size += inertia.inverse_mass * (j[0] * j[0] + j[1] * j[1] + j[2] * j[2])
            + (inverse.m11 + inverse.m22 + inverse.m33) * (j[3] * j[3] + j[4] * j[4] + j[5] * j[5]) / 3.0;
    }
    size
}

/// Returns A_ii of a row without regard to joints.
#[inline(always)]
fn size_of(problem: &Problem, row: usize) -> Real {
    let own = problem.entries(row).iter().map(|entry| {
        let inertia = &problem.inertias[entry.body as usize];
        entry.jacobian.dot(&inertia.apply_inverse(&entry.jacobian))
    });
    own.sum::<Real>() + problem.rows[row].softness
}

impl TreeSolver {
    /// Walks the auxiliary rows to the root, and computes their response to each other.
    pub(super) fn walk_auxiliary(&mut self, problem: &Problem) {
        // Taken out of the workspace while the trees are read.
        let mut auxiliary = std::mem::take(&mut *self.auxiliary);
        let Auxiliary { rows, paths, relaxation, .. } = &mut auxiliary;
        let first_contact = problem.contacts.first().map_or(problem.rows.len() as u32, |contact| contact.first);
        rows.assign(self.forest.auxiliary.iter().copied());
        rows.extend(problem.persistent_rows..first_contact);
        paths.clear();
        relaxation.units.clear();
        relaxation.forget();
        if !rows.is_empty() || !problem.contacts.is_empty() {
            self.lay_out_weights(problem, paths);
            self.walk_units(problem, rows, &problem.contacts, paths, relaxation);
        }
        if problem.contacts.is_empty() && !rows.is_empty() {
            auxiliary.form_scale(problem);
            auxiliary.part.assign(0..auxiliary.rows.len() as u32);
            let (part, mut matrix) = (std::mem::take(&mut auxiliary.part), std::mem::take(&mut auxiliary.matrix));
            auxiliary.form_matrix(&part, &mut matrix);
            (auxiliary.part, auxiliary.matrix) = (part, matrix);
        }
        *self.auxiliary = auxiliary;
        self.list_touched(problem);
    }

    /// Walks the contacts that were added behind the others.
    pub(super) fn walk_more(&mut self, problem: &Problem) {
        let known = self.auxiliary.relaxation.units.len() - self.auxiliary.rows.len();
        if known == 0 || problem.contacts.iter().any(|contact| contact.angular) {
            self.walk_auxiliary(problem);
            return;
        }
        let mut auxiliary = std::mem::take(&mut *self.auxiliary);
        self.walk_units(problem, &[], &problem.contacts[known..], &mut auxiliary.paths, &mut auxiliary.relaxation);
        *self.auxiliary = auxiliary;
        self.list_touched(problem);
    }

    fn walk_units(
        &self,
        problem: &Problem,
        rows: &[u32],
        contacts: &[Contact],
        paths: &mut Paths,
        relaxation: &mut Relaxation,
    ) {
        crate::math::wide!(fn(solver: &TreeSolver = self, problem: &Problem, rows: &[u32], contacts: &[Contact],
            paths: &mut Paths, relaxation: &mut Relaxation) {
            let singles = rows.iter().map(|&row| [row, NONE, NONE]);
            let points = contacts.iter().map(|contact| std::array::from_fn(|k| contact.first + k as u32));
            let angular = contacts.iter().filter(|contact| contact.angular);
            let angular = angular.map(|contact| [contact.first + 5, contact.first + 3, contact.first + 4]);
            for unit in singles.chain(points).chain(angular) {
                solver.walk(problem, &unit, paths);
                let (mut softness, mut size) = ([0.0; 3], [0.0; 3]);
                for (k, &row) in unit.iter().enumerate().take_while(|(_, row)| **row != NONE) {
                    softness[k] = problem.rows[row as usize].softness;
                    size[k] = rough_size_of(problem, row as usize);
                }
                let own = paths.own(relaxation.units.len());
                relaxation.units.push(Unit::new(unit, softness, size, own));
            }
        });
    }

    /// Solves the auxiliary rows after a glance; returns true if any multiplier is not zero.
    pub(super) fn settle_auxiliary(&mut self, problem: &Problem, outcome: &mut Outcome) -> bool {
        let n = self.auxiliary.rows.len();
        let mut magnitude: Real = 0.0;
        self.auxiliary.b.clear();
        self.auxiliary.lo.clear();
        self.auxiliary.hi.clear();
        for i in 0..n {
            let row = self.auxiliary.rows[i];
            let rate = self.glanced_rate(problem, row);
            let wanted = self.wanted[row as usize];
            magnitude = magnitude.max(rate.abs()).max(wanted.abs());
            self.auxiliary.b.push(rate - wanted);
            self.auxiliary.lo.push(problem.rows[row as usize].lo);
            self.auxiliary.hi.push(problem.rows[row as usize].hi);
        }
        let a = &mut self.auxiliary;
        a.lambda.reset(n, 0.0);
        let lcp = Lcp { matrix: &a.matrix, b: &a.b, lo: &a.lo, hi: &a.hi, scale: &a.scale, magnitude };
        let settled = a.lcp.solve(&lcp, &mut a.lambda);
        outcome.iterations += settled.pivots;
        outcome.residual = outcome.residual.max(settled.residual);
        a.free.assign((0..n).map(|i| a.lo[i] < a.lambda[i] && a.lambda[i] < a.hi[i]));
        for (unit, &lambda) in a.relaxation.lambda.iter_mut().zip(&a.lambda) {
            unit[0] = lambda;
        }
        a.lambda.iter().any(|&x| x != 0.0)
    }

    /// Solves the auxiliary rows and contacts from the multipliers in `warm`, which receive the solution; returns true
    /// if any multiplier is not zero.
    pub(super) fn settle_contacts(&mut self, problem: &Problem, warm: &mut [Real], outcome: &mut Outcome) -> bool {
        let mut relaxation = std::mem::take(&mut self.auxiliary.relaxation);
        relaxation.lambda.clear();
        relaxation.b.clear();
        for unit in &relaxation.units {
            let (mut lambda, mut b) = ([0.0; 3], [0.0; 3]);
            for (k, &row) in unit.rows.iter().enumerate().take_while(|(_, row)| **row != NONE) {
                lambda[k] = warm[row as usize];
                b[k] = self.glanced_rate(problem, row) - self.wanted[row as usize];
            }
            relaxation.lambda.push(lambda);
            relaxation.b.push(b);
        }
        let singles = self.auxiliary.rows.len() as u32;
        relaxation.laws.assign(self.auxiliary.rows.iter().map(|&row| {
            let row = &problem.rows[row as usize];
            Law::Range { lo: row.lo, hi: row.hi }
        }));
        relaxation.laws.extend(problem.contacts.iter().map(|contact| Law::Point { friction: contact.friction }));
        let angular = problem.contacts.iter().enumerate().filter(|(_, contact)| contact.angular);
        relaxation.laws.extend(angular.map(|(at, contact)| Law::Angular {
            point: singles + at as u32,
            spinning: contact.spinning,
            rolling: contact.rolling,
        }));
        let points = singles as usize..singles as usize + problem.contacts.len();
        if self.friction_bound == FrictionBound::SmoothLoad {
            relaxation.laws[points.clone()].fill(Law::Point { friction: 0.0 });
            let (sweeps, _) = relaxation.run(&self.auxiliary.paths, self.contact_tolerance, self.contact_sweeps);
            outcome.iterations += sweeps;
            for (at, contact) in points.zip(&problem.contacts) {
                relaxation.laws[at] = Law::Held { radius: contact.friction * relaxation.lambda[at][0] };
            }
        }
        let (sweeps, left) = relaxation.run(&self.auxiliary.paths, self.contact_tolerance, self.contact_sweeps);
        outcome.iterations += sweeps;
        outcome.residual = outcome.residual.max(left);
        let mut pushes = false;
        for (unit, lambda) in relaxation.units.iter().zip(&relaxation.lambda) {
            pushes |= *lambda != [0.0; 3];
            for (&row, &value) in unit.rows.iter().zip(lambda).filter(|(row, _)| **row != NONE) {
                warm[row as usize] = value;
            }
        }
        let a = &mut self.auxiliary;
        a.free.assign(a.rows.iter().zip(&relaxation.lambda).map(|(&row, lambda)| {
            let row = &problem.rows[row as usize];
            row.lo < lambda[0] && lambda[0] < row.hi
        }));
        a.relaxation = relaxation;
        pushes
    }

    /// Solves the free auxiliary rows as equalities, after a sweep without them.
    pub(super) fn correct_auxiliary(&mut self, problem: &Problem) -> bool {
        let n = self.auxiliary.rows.len();
        self.auxiliary.part.assign((0..n as u32).filter(|&i| self.auxiliary.free.get(i as usize) == Some(&true)));
        let m = self.auxiliary.part.len();
        if m == 0 {
            return false;
        }
        let mut magnitude: Real = 0.0;
        self.auxiliary.part_b.clear();
        for at in 0..m {
            let row = self.auxiliary.rows[self.auxiliary.part[at] as usize];
            let rate = self.swept_rate(problem, row);
            magnitude = magnitude.max(rate.abs()).max(self.wanted[row as usize].abs());
            self.auxiliary.part_b.push(rate - self.wanted[row as usize]);
        }
        if magnitude == 0.0 {
            return false;
        }
        let a = &mut self.auxiliary;
        if !problem.contacts.is_empty() {
            if m > FEW {
                // Too many for a dense problem.
                a.relax_equalities(self.contact_tolerance, self.contact_sweeps);
                return true;
            }
            a.form_scale(problem);
            let (part, mut matrix) = (std::mem::take(&mut a.part), std::mem::take(&mut a.part_matrix));
            a.form_matrix(&part, &mut matrix);
            (a.part, a.part_matrix) = (part, matrix);
        } else {
            a.part_matrix.clear();
            for &i in &a.part {
                a.part_matrix.extend(a.part.iter().map(|&j| a.matrix[i as usize * n + j as usize]));
            }
        }
        a.part_scale.assign(a.part.iter().map(|&i| a.scale[i as usize]));
        a.part_bound.reset(m, Real::NEG_INFINITY);
        a.part_bound.resize(2 * m, Real::INFINITY);
        a.part_lambda.reset(m, 0.0);
        let (lo, hi) = a.part_bound.split_at(m);
        let lcp = Lcp { matrix: &a.part_matrix, b: &a.part_b, lo, hi, scale: &a.part_scale, magnitude };
        a.lcp.solve(&lcp, &mut a.part_lambda);
        for (&i, &lambda) in a.part.iter().zip(&a.part_lambda) {
            a.relaxation.lambda[i as usize][0] = lambda;
        }
        true
    }

    /// Separates the contact points with all other rows held; returns true if any multiplier is not zero.
    pub(super) fn separate_contacts(&mut self, problem: &Problem, target: &[Real]) -> bool {
        let a = &mut self.auxiliary;
        let singles = a.rows.len();
        let relaxation = &mut a.relaxation;
        relaxation.clear_state(Law::Out);
        if target.iter().all(|&target| target <= 0.0) {
            return false;
        }
        for (i, &row) in a.rows.iter().enumerate() {
            let (row, target) = (&problem.rows[row as usize], target[row as usize]);
            let inner = row.has_inner_bounds();
            if a.free.get(i) == Some(&true) || (target > 0.0 && !inner) {
                relaxation.laws[i] = if inner { Law::FREE } else { Law::Range { lo: row.lo, hi: row.hi } };
                relaxation.b[i][0] = -target;
            }
        }
        for (i, contact) in problem.contacts.iter().enumerate() {
            relaxation.laws[singles + i] = Law::Point { friction: 0.0 };
            relaxation.b[singles + i][0] = -target[contact.first as usize];
        }
        relaxation.run(&a.paths, self.contact_tolerance, self.contact_sweeps);
        true
    }

    /// Adds the velocity changes of bodies without joints.
    pub(super) fn move_lone(&self, problem: &Problem, velocity: &mut [Vec6]) {
        if self.auxiliary.has_units() {
            for (&body, push) in self.forest.lone.iter().zip(&self.flow[self.forest.nodes.len()..]) {
                let body = body as usize;
                velocity[body] += problem.inertias[body].apply_inverse(&Vec6::from_column_slice(push));
            }
        }
    }
}

impl Auxiliary {
    /// Adds the impulses of its rows on the bodies, by node.
    pub fn push_bodies(&self, problem: &Problem, node_of: &[u32], pushes: &mut [Six]) {
        for (unit, lambda) in self.relaxation.units.iter().zip(&self.relaxation.lambda) {
            for (&row, &value) in unit.rows.iter().zip(lambda).filter(|(_, value)| **value != 0.0) {
                for entry in problem.entries(row as usize) {
                    push_on(&mut pushes[node_of[entry.body as usize] as usize], &entry.jacobian, value);
                }
            }
        }
    }

    /// Solves the rows `part` as equalities with w = `part_b` at λ = 0, by sweeps.
    fn relax_equalities(&mut self, tolerance: Real, sweeps: usize) {
        self.relaxation.clear_state(Law::Out);
        for (&i, &b) in self.part.iter().zip(&self.part_b) {
            self.relaxation.laws[i as usize] = Law::FREE;
            self.relaxation.b[i as usize][0] = b;
        }
        self.relaxation.run(&self.paths, tolerance, sweeps);
    }
}
