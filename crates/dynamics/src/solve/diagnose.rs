//! Diagnosis of redundant and conflicting constraints.
//!
//! Hard rows that depend on each other have a null vector n with Jᵀ n = 0 (and S n = 0): no velocity can change nᵀ J v,
//! so the targets must obey nᵀ k = 0. With the orthogonal projector P = N Nᵀ on all such n,
//!
//! ```text
//!   P k = 0   redundant but consistent: forces are not unique, motion is
//!   P k ≠ 0   conflict: P k is the residual of the least-squares solution, row by row
//! ```
//!
//! P does not depend on the choice of N. It is block diagonal for independent dependencies; each block is reported by
//! itself, with the share of every constraint in it.

use std::fmt;

use crate::math::Real;

use super::pseudo_inverse::PseudoInverse;
use super::{DenseSolver, Problem};

/// Entry of P below which it is rounding.
const COUPLED: Real = 1e-9;
/// Residual of a consistent system, relative to the largest target (at least 1).
const CONSISTENT: Real = 1e-9;

/// Result of [`DenseSolver::diagnose`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// Number of two-sided rows, which are those examined.
    pub rows: usize,
    /// Number of independent ones among them.
    pub rank: usize,
    /// Largest |J v + S λ − k| of a row in the least-squares solution, in velocity units.
    pub residual: Real,
    /// Independent sets of dependent constraints, in the order of their first row.
    pub redundancies: Vec<Redundancy>,
}

/// Set of constraints that depend on each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Redundancy {
    /// Rows that could be left out.
    pub nullity: usize,
    /// Largest part of a target that cannot be met, in velocity units.
    pub residual: Real,
    /// Conflict flag: set if the residual is more than rounding.
    pub conflicting: bool,
    /// Constraints of the set, the largest share first; shares add up to 1. In a conflict these are shares of the
    /// residual, otherwise of the dependency itself.
    pub blocks: Vec<Share>,
}

/// Share of one constraint in a redundancy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Index into [`Problem::blocks`].
    pub block: usize,
    /// Share, 0 to 1.
    pub share: Real,
}

impl Diagnosis {
    /// Rows that could be left out.
    pub fn nullity(&self) -> usize {
        self.rows - self.rank
    }

    /// Lists the redundancies whose targets contradict each other.
    pub fn conflicts(&self) -> impl Iterator<Item = &Redundancy> {
        self.redundancies.iter().filter(|r| r.conflicting)
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} rows are independent", self.rank, self.rows)?;
        for redundancy in &self.redundancies {
            if redundancy.conflicting {
                write!(f, "\nconflict of {:.3e} between constraints", redundancy.residual)?;
            } else {
                write!(f, "\n{} spare rows in constraints", redundancy.nullity)?;
            }
            for (k, part) in redundancy.blocks.iter().enumerate() {
                let comma = if k == 0 { "" } else { "," };
                write!(f, "{comma} {} ({:.0} %)", part.block, 100.0 * part.share)?;
            }
        }
        Ok(())
    }
}

impl DenseSolver {
    /// Finds redundant and conflicting constraints.
    ///
    /// One-sided rows are left out, since a limit that is not reached has no force. Motors count as unlimited. The free
    /// velocities do not matter. It takes cubic time and is not meant for every step.
    ///
    /// ```
    /// use sinew_dynamics::solve::{Block, DenseSolver, Entry, Inertia, Problem, Row};
    /// use sinew_dynamics::math::{Mat3, Vec6};
    ///
    /// let inertia = Inertia {
    ///     mass: 1.0,
    ///     inverse_mass: 1.0,
    ///     inertia: Mat3::identity(),
    ///     inverse_inertia: Mat3::identity(),
    /// };
    /// // One row drives the body up with 1 m/s, the other down with 1 m/s.
    /// let row = |first, target| Row {
    ///     first,
    ///     count: 1,
    ///     target,
    ///     softness: 0.0,
    ///     lo: f64::NEG_INFINITY,
    ///     hi: f64::INFINITY,
    /// };
    /// let up = Entry { body: 0, jacobian: Vec6::new(0., 1., 0., 0., 0., 0.) };
    /// let problem = Problem {
    ///     inertias: vec![inertia],
    ///     rows: vec![row(0, 1.0), row(1, -1.0)],
    ///     entries: vec![up, up],
    ///     blocks: vec![Block { first: 0, count: 1, pivot: false }, Block { first: 1, count: 1, pivot: false }],
    ///     persistent_rows: 2,
    ///     ..Problem::default()
    /// };
    /// let diagnosis = DenseSolver::diagnose(&problem);
    /// assert_eq!(
    ///     diagnosis.to_string(),
    ///     "1 of 2 rows are independent\nconflict of 1.000e0 between constraints 0 (50 %), 1 (50 %)"
    /// );
    /// ```
    pub fn diagnose(problem: &Problem) -> Diagnosis {
        let chosen: Vec<usize> = (0..problem.contact_start()).filter(|&i| problem.rows[i].has_inner_bounds()).collect();
        let mut solver = DenseSolver::default();
        let mut inverse = PseudoInverse::default();
        inverse.factor(solver.assemble(problem), problem.rows.len(), &chosen);
        let null: Vec<&[Real]> = inverse.null_vectors().collect();

        let n = chosen.len();
        let targets: Vec<Real> = chosen.iter().map(|&i| problem.rows[i].target).collect();
        let mut leftover = vec![0.0; n];
        for vector in &null {
            let along: Real = vector.iter().zip(&targets).map(|(n, k)| n * k).sum();
            leftover.iter_mut().zip(*vector).for_each(|(l, n)| *l += along * n);
        }
        let largest = targets.iter().fold(1.0, |m: Real, k| m.max(k.abs()));
        let block_of = |row: usize| problem.blocks.partition_point(|b| b.rows().end <= row);

        let redundancies = components(&null, n).into_iter().map(|rows| {
            let projector = |i: usize| null.iter().map(|vector| vector[i] * vector[i]).sum::<Real>();
            let nullity: Real = rows.iter().map(|&i| projector(i)).sum();
            let residual = rows.iter().fold(0.0, |m: Real, &i| m.max(leftover[i].abs()));
            let conflicting = residual > CONSISTENT * largest;
            let weight = |i: usize| if conflicting { leftover[i] * leftover[i] } else { projector(i) };
            let total: Real = rows.iter().map(|&i| weight(i)).sum();
            let mut blocks: Vec<Share> = Vec::new();
            for &i in &rows {
                let (block, share) = (block_of(chosen[i]), weight(i) / total);
                match blocks.last_mut() {
                    Some(last) if last.block == block => last.share += share,
                    _ => blocks.push(Share { block, share }),
                }
            }
            blocks.retain(|part| part.share > COUPLED);
            blocks.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.block.cmp(&b.block)));
            Redundancy { nullity: nullity.round() as usize, residual, conflicting, blocks }
        });
        Diagnosis {
            rows: n,
            rank: inverse.rank(),
            residual: leftover.iter().fold(0.0, |m: Real, l| m.max(l.abs())),
            redundancies: redundancies.collect(),
        }
    }
}

/// Returns the diagonal blocks of P = N Nᵀ: lists of rows, each ascending, ordered by their first row. Independent rows
/// are in none.
fn components(null: &[&[Real]], n: usize) -> Vec<Vec<usize>> {
    let coupled = |i: usize, j: usize| null.iter().map(|v| v[i] * v[j]).sum::<Real>().abs() > COUPLED;
    let mut seen: Vec<bool> = (0..n).map(|i| !coupled(i, i)).collect();
    let mut parts = Vec::new();
    for first in 0..n {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let mut part = vec![first];
        let mut next = 0;
        while next < part.len() {
            let i = part[next];
            next += 1;
            for (j, seen) in seen.iter_mut().enumerate() {
                if !*seen && coupled(i, j) {
                    *seen = true;
                    part.push(j);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::random::Recipe;
    use crate::solve::{Block, Row};
    use nalgebra::DMatrix;

    /// Repeats one block of a problem with its targets moved by `shift`.
    fn repeat(problem: &mut Problem, block: usize, shift: Real) {
        let Block { first, count, .. } = problem.blocks[block];
        let start = problem.rows.len() as u32;
        for i in first..first + count {
            let row = problem.rows[i as usize];
            problem.rows.push(Row { target: row.target + shift, ..row });
        }
        problem.blocks.push(Block { first: start, count, pivot: false });
    }

    #[test]
    fn a_tree_of_joints_has_no_redundancy() {
        for seed in 0..50 {
            let sample = Recipe::forest(seed, 6).build();
            let diagnosis = DenseSolver::diagnose(&sample.problem);
            assert_eq!((diagnosis.nullity(), diagnosis.redundancies.len()), (0, 0), "seed {seed}");
        }
    }

    #[test]
    fn repeats_are_separate_from_conflicts_and_from_each_other() {
        let mut found = 0;
        for seed in 0..100 {
            let mut sample = Recipe::forest(seed, 6).build();
            let blocks = sample.problem.blocks.len();
            if blocks < 2 {
                continue;
            }
            found += 1;
            let last = blocks - 1;
            let (spare, fighting) = (sample.problem.blocks[0].count, sample.problem.blocks[last].count);
            repeat(&mut sample.problem, 0, 0.0);
            repeat(&mut sample.problem, last, 0.5);
            let diagnosis = DenseSolver::diagnose(&sample.problem);
            assert_eq!(diagnosis.nullity() as u32, spare + fighting, "seed {seed}");
            assert!((diagnosis.residual - 0.25).abs() <= 1e-9, "seed {seed}");
            let sides = |r: &Redundancy| {
                let mut sides: Vec<usize> = r.blocks.iter().map(|b| b.block).collect();
                sides.sort_unstable();
                assert!(r.blocks.iter().all(|b| (b.share * sides.len() as Real - 1.0).abs() <= 1e-6), "seed {seed}");
                sides
            };
            // Each row and its copy form a part of their own.
            for redundancy in &diagnosis.redundancies {
                let expected = if redundancy.conflicting { [last, blocks + 1] } else { [0, blocks] };
                assert_eq!(sides(redundancy), expected, "seed {seed}");
            }
            assert_eq!(diagnosis.conflicts().count() as u32, fighting, "seed {seed}");
        }
        assert!(found > 50);
    }

    #[test]
    fn the_rank_is_that_of_the_eigenvalues_and_consistent_loops_never_conflict() {
        for seed in 0..150 {
            let sample = Recipe { loops: 3, redundant: 2, ..Recipe::forest(seed, 5) }.build();
            let diagnosis = DenseSolver::diagnose(&sample.problem);
            let n = sample.problem.rows.len();
            let matrix = DMatrix::from_row_slice(n, n, DenseSolver::default().assemble(&sample.problem));
            let values = matrix.symmetric_eigenvalues();
            let largest = values.amax();
            if values.iter().any(|v| (1e-14..1e-7).contains(&(v.abs() / largest))) {
                continue; // the rank is a matter of taste
            }
            assert_eq!(diagnosis.rank, values.iter().filter(|&&v| v > 1e-10 * largest).count(), "seed {seed}");
            assert_eq!(diagnosis.conflicts().count(), 0, "seed {seed}: {diagnosis}");
            let spare: usize = diagnosis.redundancies.iter().map(|r| r.nullity).sum();
            assert_eq!(spare, diagnosis.nullity(), "seed {seed}");
            for redundancy in &diagnosis.redundancies {
                let total: Real = redundancy.blocks.iter().map(|b| b.share).sum();
                assert!((total - 1.0).abs() <= 1e-6);
            }
        }
    }
}
