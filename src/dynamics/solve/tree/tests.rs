use super::*;
use crate::dynamics::solve::DenseSolver;
use crate::dynamics::solve::random::{Random, Recipe, Sample};

fn run(solver: &mut dyn Solver, sample: &Sample) -> (Vec<Real>, Vec<Vec6>, Outcome) {
    let mut lambda = vec![0.0; sample.problem.rows.len()];
    let mut velocity = sample.free.clone();
    solver.prepare(&sample.problem);
    let outcome = solver.solve(&sample.problem, &mut lambda, &mut velocity);
    (lambda, velocity, outcome)
}

fn gap(a: &[Vec6], b: &[Vec6]) -> Real {
    a.iter().zip(b).map(|(a, b)| (a - b).amax()).fold(0.0, Real::max)
}

fn multiplier_gap(a: &[Real], b: &[Real]) -> Real {
    let size = b.iter().fold(1.0, |m: Real, l| m.max(l.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max) / size
}

/// The law of this solver: whatever the limits, loops, repeats and mass ratios, it answers as the dense one does.
#[test]
fn trees_agree_with_the_dense_solver() {
    let mut dense = DenseSolver::default();
    let mut failures = Vec::new();
    for seed in 0..2000 {
        let sample = Recipe::mixed(seed).cook();
        let mut tree = TreeSolver::new();
        let (exact, v_exact, _) = run(&mut dense, &sample);
        let (lambda, velocity, outcome) = run(&mut tree, &sample);
        let off = gap(&velocity, &v_exact);
        let off_lambda = if sample.regular { multiplier_gap(&lambda, &exact) } else { 0.0 };
        if !(off <= 1e-8 && off_lambda <= 1e-8) {
            failures.push(format!("seed {seed}: v {off:e}, λ {off_lambda:e}, {outcome:?}"));
        }
    }
    assert!(failures.is_empty(), "{} of 2000:\n{}", failures.len(), failures[..failures.len().min(12)].join("\n"));
}

/// Pure trees of hard joints have no auxiliary rows at all.
#[test]
fn forests_need_no_auxiliary_rows() {
    for seed in 0..50 {
        let sample = Recipe::forest(seed, 20).cook();
        let mut tree = TreeSolver::new();
        run(&mut tree, &sample);
        assert_eq!(tree.auxiliary_rows(), 0, "seed {seed}");
    }
}

/// One solver used on problem after problem of one shape gives what a fresh one gives.
#[test]
fn warm_state_does_not_change_answers() {
    let mut warm = TreeSolver::new();
    for seed in 0..200 {
        let sample = Recipe::mixed(seed % 7).cook();
        let (_, expected, _) = run(&mut TreeSolver::new(), &sample);
        let (_, velocity, _) = run(&mut warm, &sample);
        assert!(gap(&velocity, &expected) < 1e-10, "seed {seed}");
    }
}

/// A correction shifts J v + S λ of every row that is not at a limit by just what was asked.
#[test]
fn corrections_agree_with_the_dense_solver() {
    let mut dense = DenseSolver::default();
    let mut compared = 0;
    for seed in 0..400 {
        let sample = Recipe { loops: 0, redundant: 0, ..Recipe::mixed(seed) }.cook();
        let mut tree = TreeSolver::new();
        let (mut exact, mut v_exact, _) = run(&mut dense, &sample);
        let (mut lambda, mut velocity, _) = run(&mut tree, &sample);
        let held = |lambda: &[Real]| -> Vec<bool> {
            lambda.iter().zip(&sample.problem.rows).map(|(&l, row)| l <= row.lo || l >= row.hi).collect()
        };
        if held(&lambda) != held(&exact) {
            continue; // a row just on its bound may be seen from either side
        }
        compared += 1;
        let mut random = Random::new(seed);
        let target: Vec<Real> = lambda.iter().map(|_| random.signed()).collect();
        dense.correct(&sample.problem, &target, &mut exact, &mut v_exact);
        tree.correct(&sample.problem, &target, &mut lambda, &mut velocity);
        assert!(gap(&velocity, &v_exact) <= 1e-8, "seed {seed}: {:e}", gap(&velocity, &v_exact));
    }
    assert!(compared > 200, "{compared}");
}
