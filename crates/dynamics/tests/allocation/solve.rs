//! Solvers allocate nothing once their buffers have grown.

use super::counting;
use sinew_dynamics::math::{Mat3, Real, Vec6};
use sinew_dynamics::solve::{
    Block, Contact, DenseSolver, Entry, Inertia, IterativeSolver, Problem, Row, Solver, TreeSolver,
};

/// A chain of bodies whose links are doubled (redundant), soft, motors and limits in turn.
fn chain(bodies: usize) -> Problem {
    let mut problem = Problem::default();
    for body in 0..bodies {
        let mass = 1.0 + body as Real;
        problem.inertias.push(Inertia {
            mass,
            inverse_mass: 1.0 / mass,
            inertia: Mat3::identity(),
            inverse_inertia: Mat3::identity(),
        });
        for copy in 0..if body % 4 == 0 { 2 } else { 1 } {
            let block = problem.rows.len() as u32;
            for axis in 0..3 {
                let first = problem.entries.len() as u32;
                let mut jacobian = Vec6::zeros();
                jacobian[axis] = 1.0;
                jacobian[3 + (axis + 1) % 3] = 0.3;
                problem.entries.push(Entry { body: body as u32, jacobian });
                if body > 0 {
                    problem.entries.push(Entry { body: body as u32 - 1, jacobian: -jacobian });
                }
                let (lo, hi, softness) = match (body % 4, copy) {
                    (0, _) => (Real::NEG_INFINITY, Real::INFINITY, 0.0),
                    (1, _) => (Real::NEG_INFINITY, Real::INFINITY, 0.1),
                    (2, _) => (-0.2, 0.2, 0.0),
                    _ => (0.0, Real::INFINITY, 0.0),
                };
                let count = if body > 0 { 2 } else { 1 };
                problem.rows.push(Row { first, count, target: 0.1, softness, lo, hi });
            }
            problem.blocks.push(Block { first: block, count: 3, pivot: false });
        }
    }
    problem.persistent_rows = problem.rows.len() as u32;
    problem
}

/// The chain again, every other body touching the ground at two points.
fn chain_on_the_ground(bodies: usize) -> Problem {
    let mut problem = chain(bodies);
    for body in (0..bodies as u32).flat_map(|body| [body, body]).filter(|body| body % 2 == 0) {
        let first = problem.rows.len() as u32;
        for axis in [1, 0, 2] {
            let mut jacobian = Vec6::zeros();
            jacobian[axis] = 1.0;
            jacobian[3 + (axis + 2) % 3] = 0.1 + 0.05 * (problem.contacts.len() % 2) as Real;
            let entry = problem.entries.len() as u32;
            problem.entries.push(Entry { body, jacobian });
            problem.rows.push(Row { first: entry, count: 1, target: -0.5, softness: 0.01, lo: 0.0, hi: 0.0 });
        }
        problem.contacts.push(Contact { first, angular: false, friction: 0.3, rolling: 0.0, spinning: 0.0 });
    }
    problem
}

/// Steps the same scene with changing velocities and counts what the later steps allocate.
fn allocations(solver: &mut dyn Solver, problem: &Problem) -> usize {
    let mut lambda = vec![0.0; problem.rows.len()];
    let mut velocity = vec![Vec6::zeros(); problem.inertias.len()];
    let target = vec![0.01; problem.rows.len()];
    let mut parting = vec![0.0; problem.rows.len()];
    for contact in &problem.contacts {
        parting[contact.first as usize] = 0.02;
    }
    // The first round goes through all active sets that the second will meet, so that every buffer has its size.
    let mut before = 0;
    for round in 0..2 {
        before = counting::allocations().1;
        for step in 0..20 {
            let angle = step as Real;
            velocity.iter_mut().enumerate().for_each(|(i, v)| v.fill((angle + i as Real).sin()));
            solver.prepare(problem);
            let outcome = solver.solve(problem, &mut lambda, &mut velocity);
            solver.correct(problem, &target, &mut lambda, &mut velocity);
            solver.separate(problem, &parting, &mut velocity);
            let settled = outcome.residual <= 1e-6 || !problem.contacts.is_empty();
            assert!(settled, "round {round}, step {step}: {outcome:?}");
        }
    }
    counting::allocations().1 - before
}

#[test]
fn the_dense_solver_allocates_nothing_in_steady_state() {
    for problem in [chain(12), chain_on_the_ground(12)] {
        assert_eq!(allocations(&mut DenseSolver::default(), &problem), 0);
    }
}

#[test]
fn the_iterative_solver_allocates_nothing_in_steady_state() {
    for problem in [chain(12), chain_on_the_ground(12)] {
        assert_eq!(allocations(&mut IterativeSolver::default(), &problem), 0);
    }
}

#[test]
fn the_tree_solver_allocates_nothing_in_steady_state() {
    for problem in [chain(12), chain_on_the_ground(12)] {
        assert_eq!(allocations(&mut TreeSolver::default(), &problem), 0);
    }
}
