use super::*;
use crate::math::{Mat3, Vec3, skew};
use crate::solve::random::{Random, Recipe, run_on};
use crate::solve::{Block, Entry, Inertia, Row};

fn unit_body() -> Inertia {
    Inertia { mass: 1.0, inverse_mass: 1.0, inertia: Mat3::identity(), inverse_inertia: Mat3::identity() }
}

/// Appends the three rows that fix a point of a body.
fn pin(problem: &mut Problem, body: u32, point: Vec3, target: Vec3) {
    let arm = -skew(&point);
    let first = problem.rows.len() as u32;
    for axis in 0..3 {
        let mut jacobian = Vec6::zeros();
        jacobian[axis] = 1.0;
        jacobian.fixed_rows_mut::<3>(3).copy_from(&arm.row(axis).transpose());
        problem.rows.push(Row {
            first: problem.entries.len() as u32,
            count: 1,
            target: target[axis],
            softness: 0.0,
            lo: Real::NEG_INFINITY,
            hi: Real::INFINITY,
        });
        problem.entries.push(Entry { body, jacobian });
    }
    problem.blocks.push(Block { first, count: 3, pivot: false });
}

fn left_over(problem: &Problem, lambda: &[Real], velocity: &[Vec6]) -> Real {
    let bounds: Vec<(Real, Real)> = problem.rows.iter().map(|row| (row.lo, row.hi)).collect();
    largest_violation(problem, &bounds, lambda, velocity)
}

fn run(problem: &Problem, free: &[Vec6]) -> (Vec<Real>, Vec<Vec6>, Outcome) {
    run_on(&mut DenseSolver::default(), problem, free)
}

#[test]
fn a_doubled_ball_joint_carries_half_on_each_side() {
    let mut single = Problem { inertias: vec![unit_body()], ..Problem::default() };
    pin(&mut single, 0, Vec3::new(0.3, 0.1, -0.2), Vec3::zeros());
    let mut double = single.clone();
    pin(&mut double, 0, Vec3::new(0.3, 0.1, -0.2), Vec3::zeros());
    let free = [Vec6::new(1.0, -2.0, 0.5, 0.3, 0.2, -1.0)];
    let (one, v_one, _) = run(&single, &free);
    let (two, v_two, outcome) = run(&double, &free);
    for i in 0..3 {
        assert!((two[i] - 0.5 * one[i]).abs() <= 1e-12 && (two[i + 3] - 0.5 * one[i]).abs() <= 1e-12);
    }
    assert!((v_one[0] - v_two[0]).amax() <= 1e-12);
    assert_eq!(outcome.residual, 0.0);
}

#[test]
fn contradicting_joints_compromise_and_report_it() {
    let mut problem = Problem { inertias: vec![unit_body()], ..Problem::default() };
    pin(&mut problem, 0, Vec3::zeros(), Vec3::new(1.0, 0.0, 0.0));
    pin(&mut problem, 0, Vec3::zeros(), Vec3::new(-0.5, 0.0, 0.0));
    let (lambda, velocity, outcome) = run(&problem, &[Vec6::zeros()]);
    assert!(lambda.iter().all(|l| l.is_finite()));
    assert!((velocity[0].x - 0.25).abs() <= 1e-12);
    assert!((outcome.residual - 0.75).abs() <= 1e-12);
}

#[test]
fn random_problems_are_solved_to_the_conditions() {
    let mut solver = DenseSolver::default();
    let mut worst: Real = 0.0;
    for seed in 0..600 {
        let sample = Recipe::mixed(seed).build();
        let mut lambda = vec![0.0; sample.problem.rows.len()];
        let mut velocity = sample.free.clone();
        solver.prepare(&sample.problem);
        let outcome = solver.solve(&sample.problem, &mut lambda, &mut velocity);
        for (row, &l) in sample.problem.rows.iter().zip(&lambda) {
            assert!(row.lo <= l && l <= row.hi, "seed {seed}: {l} outside of its bounds");
        }
        let left = left_over(&sample.problem, &lambda, &velocity);
        worst = worst.max(left);
        assert!(left <= 1e-9, "seed {seed}: {left:e}, {outcome:?}");
        assert_eq!(outcome.residual, 0.0, "seed {seed}");
    }
    println!("worst {worst:e}");
}

/// Among the multipliers with the same effect, equalities take the shortest: nothing of λ lies in the null space of A.
#[test]
fn redundant_equalities_get_multipliers_of_least_norm() {
    for seed in 0..100 {
        let recipe = Recipe { redundant: 2, loops: 2, ..Recipe::forest(seed, 4) };
        let sample = recipe.build();
        let n = sample.problem.rows.len();
        let (lambda, ..) = run(&sample.problem, &sample.free);
        let a = nalgebra::DMatrix::from_row_slice(n, n, DenseSolver::default().assemble(&sample.problem));
        let b =
            nalgebra::DVector::from_fn(n, |i, _| sample.problem.rows[i].target - sample.problem.rate(i, &sample.free));
        let eigen = a.symmetric_eigen();
        let largest = eigen.eigenvalues.amax();
        if eigen.eigenvalues.iter().any(|e| (1e-13..1e-7).contains(&(e.abs() / largest))) {
            continue; // the rank is a matter of taste
        }
        let inverse = eigen.eigenvalues.map(|e| if e > 1e-10 * largest { 1.0 / e } else { 0.0 });
        let turned = eigen.eigenvectors.transpose() * b;
        let expected = &eigen.eigenvectors * turned.component_mul(&inverse);
        for i in 0..n {
            assert!((lambda[i] - expected[i]).abs() <= 1e-7 * expected.amax().max(1.0), "seed {seed}");
        }
    }
}

#[test]
fn limits_may_change_between_prepare_and_solve() {
    let mut solver = DenseSolver::default();
    for seed in 0..60 {
        let mut sample = Recipe { bounded: 0.4, ..Recipe::forest(seed, 6) }.build();
        solver.prepare(&sample.problem);
        let mut random = Random::new(seed);
        for row in &mut sample.problem.rows {
            if random.chance(0.3) {
                (row.lo, row.hi) = (Real::NEG_INFINITY, Real::INFINITY);
            } else if random.chance(0.3) {
                (row.lo, row.hi) = (-random.unit(), random.unit());
            }
        }
        let mut lambda = vec![0.0; sample.problem.rows.len()];
        let mut velocity = sample.free.clone();
        solver.solve(&sample.problem, &mut lambda, &mut velocity);
        assert!(sample.problem.rows.iter().zip(&lambda).all(|(row, &l)| row.lo <= l && l <= row.hi), "seed {seed}");
        assert!(left_over(&sample.problem, &lambda, &velocity) <= 1e-9, "seed {seed}");
    }
}

/// J v + S λ takes the asked values on the rows that are free to move; rows at a limit get no multiplier.
#[test]
fn a_correction_shifts_the_free_rows_by_its_target() {
    let mut solver = DenseSolver::default();
    for seed in 0..200 {
        let sample = Recipe { bounded: 0.5, soft: 0.3, ..Recipe::forest(seed, 6) }.build();
        let problem = &sample.problem;
        let mut lambda = vec![0.0; problem.rows.len()];
        let mut velocity = sample.free.clone();
        solver.prepare(problem);
        solver.solve(problem, &mut lambda, &mut velocity);
        let held: Vec<bool> = problem.rows.iter().zip(&lambda).map(|(row, &l)| l == row.lo || l == row.hi).collect();
        let mut random = Random::new(seed);
        let target: Vec<Real> = held.iter().map(|_| random.signed()).collect();
        solver.correct(problem, &target, &mut lambda, &mut velocity);
        for i in 0..held.len() {
            if held[i] {
                assert_eq!(lambda[i], 0.0);
            } else {
                let value = problem.rate(i, &velocity) + problem.rows[i].softness * lambda[i];
                assert!((value - target[i]).abs() <= 1e-9, "seed {seed}, row {i}: {value} for {}", target[i]);
            }
        }
    }
}
