use super::*;
use crate::solve::DenseSolver;
use crate::solve::random::{Random, Recipe, at_bounds, gap, multiplier_gap, run};

fn converged() -> IterativeSolver {
    let settings = SweepSettings { max_sweeps: 20_000, tolerance: 1e-12, ..SweepSettings::default() };
    IterativeSolver { settings, ..IterativeSolver::default() }
}

#[test]
fn converged_iterations_agree_with_the_dense_solver() {
    let (mut dense, mut iterative) = (DenseSolver::default(), converged());
    let (mut worst_v, mut worst_l, mut most, mut total): (Real, Real, usize, usize) = Default::default();
    for seed in 0..400 {
        let sample = Recipe::mixed(seed).build();
        let (exact, v_exact, _) = run(&mut dense, &sample);
        let (lambda, velocity, outcome) = run(&mut iterative, &sample);
        let off = gap(&velocity, &v_exact);
        assert!(off <= 1e-8, "seed {seed}: velocities differ by {off:e}, {outcome:?}");
        worst_v = worst_v.max(off);
        if sample.regular {
            let off = multiplier_gap(&lambda, &exact);
            assert!(off <= 1e-8, "seed {seed}: multipliers differ by {off:e}, {outcome:?}");
            worst_l = worst_l.max(off);
        }
        most = most.max(outcome.iterations);
        total += outcome.iterations;
    }
    println!("velocities to {worst_v:e}, multipliers to {worst_l:e}, at most {most} rounds, mean {}", total / 400);
}

#[test]
fn a_solution_as_warm_start_needs_no_sweep() {
    let mut solver = converged();
    for seed in 0..100 {
        let sample = Recipe::mixed(seed).build();
        let (mut lambda, before, _) = run(&mut solver, &sample);
        let mut velocity = sample.free.clone();
        let again = solver.solve(&sample.problem, &mut lambda, &mut velocity);
        assert_eq!(again.iterations, 0, "seed {seed}");
        assert_eq!(gap(&velocity, &before), 0.0, "seed {seed}");
    }
}

#[test]
fn corrections_agree_with_the_dense_solver() {
    let (mut dense, mut iterative) = (DenseSolver::default(), converged());
    let mut compared = 0;
    for seed in 0..200 {
        let sample = Recipe { loops: 0, redundant: 0, ..Recipe::mixed(seed) }.build();
        let (mut exact, mut v_exact, _) = run(&mut dense, &sample);
        let (mut lambda, mut velocity, _) = run(&mut iterative, &sample);
        let held = |lambda: &[Real]| at_bounds(&sample.problem, lambda);
        if held(&lambda) != held(&exact) {
            continue; // a row just on its bound may be seen from either side
        }
        compared += 1;
        let target = Random::new(seed).targets(lambda.len());
        dense.correct(&sample.problem, &target, &mut exact, &mut v_exact);
        iterative.correct(&sample.problem, &target, &mut lambda, &mut velocity);
        assert!(gap(&velocity, &v_exact) <= 1e-8, "seed {seed}");
        assert!(multiplier_gap(&lambda, &exact) <= 1e-8, "seed {seed}");
    }
    assert!(compared > 150, "{compared}");
}

/// However early it stops, multipliers respect their bounds and the energy function never rises.
#[test]
fn every_sweep_lowers_the_energy_and_keeps_the_bounds() {
    for accelerate in [false, true] {
        for seed in 0..60 {
            let sample = Recipe::mixed(seed).build();
            let mut last = Real::INFINITY;
            for max_sweeps in 0..12 {
                let settings = SweepSettings { max_sweeps, accelerate, ..SweepSettings::default() };
                let mut solver = IterativeSolver { settings, ..IterativeSolver::default() };
                let (lambda, velocity, outcome) = run(&mut solver, &sample);
                assert!(outcome.iterations <= max_sweeps);
                // E = ½ λᵀ(A λ + b) + ½ bᵀ λ.
                let mut energy = 0.0;
                for (i, (row, &l)) in sample.problem.rows.iter().zip(&lambda).enumerate() {
                    assert!(row.lo <= l && l <= row.hi);
                    let w = sample.problem.rate(i, &velocity) + row.softness * l - row.target;
                    let b = sample.problem.rate(i, &sample.free) - row.target;
                    energy += 0.5 * l * (w + b);
                }
                assert!(energy <= last + 1e-12 * energy.abs().max(1.0), "seed {seed}, {max_sweeps}: {energy} {last}");
                last = energy;
            }
        }
    }
}

#[test]
fn contradictions_leave_finite_numbers_and_a_residual() {
    let mut sample = Recipe::forest(3, 3).build();
    let rows = sample.problem.rows.len() as u32;
    for i in 0..rows as usize {
        let row = sample.problem.rows[i];
        sample.problem.rows.push(super::super::Row { target: row.target + 1.0, ..row });
    }
    sample.problem.blocks.push(super::super::Block { first: rows, count: rows, pivot: false });
    let (lambda, velocity, outcome) = run(&mut IterativeSolver::default(), &sample);
    assert!(lambda.iter().all(|l| l.is_finite()) && velocity.iter().all(|v| v.iter().all(|x| x.is_finite())));
    assert!(outcome.residual > 0.1);
}
