//! How long the solvers take: a complementarity problem of contacts only, and a long chain of joints.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use sinew::dynamics::solve::{Block, DenseSolver, Entry, Inertia, IterativeSolver, Problem, Row, Solver};
use sinew::math::{Mat3, Real, Vec3, Vec6};

fn body(mass: Real) -> Inertia {
    let inertia = 0.1 * mass;
    Inertia {
        mass,
        inverse_mass: 1.0 / mass,
        inertia: Mat3::identity() * inertia,
        inverse_inertia: Mat3::identity() / inertia,
    }
}

fn add_row(problem: &mut Problem, below: Option<usize>, above: usize, force: Vec3, arm: Vec3, lo: Real) {
    let first = problem.entries.len() as u32;
    let wrench = |sign: Real, arm: Vec3| {
        let torque = arm.cross(&force);
        sign * Vec6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z)
    };
    problem.entries.push(Entry { body: above as u32, jacobian: wrench(1.0, arm) });
    if let Some(below) = below {
        let arm = arm + Vec3::y();
        problem.entries.push(Entry { body: below as u32, jacobian: wrench(-1.0, arm) });
    }
    let count = if below.is_some() { 2 } else { 1 };
    problem.rows.push(Row { first, count, target: 0.0, softness: 0.0, lo, hi: Real::INFINITY });
}

/// A tower of unit cubes, four contacts between each two: redundant, one-sided rows only.
fn tower(rows: usize) -> Problem {
    let mut problem = Problem::default();
    for cube in 0..rows / 4 {
        problem.inertias.push(body(1.0 + (cube % 3) as Real));
        let first = problem.rows.len() as u32;
        for corner in 0..4 {
            let arm = Vec3::new([-0.5, 0.5][corner % 2], -0.5, [-0.5, 0.5][corner / 2]);
            add_row(&mut problem, cube.checked_sub(1), cube, Vec3::y(), arm, 0.0);
        }
        problem.blocks.push(Block { first, count: 4, pivot: false });
    }
    problem
}

/// Bodies on a string of ball joints.
fn chain(bodies: usize) -> Problem {
    let mut problem = Problem::default();
    for link in 0..bodies {
        problem.inertias.push(body(1.0 + (link % 5) as Real));
        let first = problem.rows.len() as u32;
        for axis in 0..3 {
            let arm = Vec3::new(0.1, -0.5, 0.05);
            add_row(&mut problem, link.checked_sub(1), link, Vec3::ith(axis, 1.0), arm, Real::NEG_INFINITY);
        }
        problem.blocks.push(Block { first, count: 3, pivot: false });
    }
    problem
}

/// Falling, each body tumbling its own way.
fn falling(problem: &Problem) -> Vec<Vec6> {
    let tumble = |i: usize| Vec6::new(0.0, -1.0, 0.0, (i as Real).sin(), 0.0, (3.0 * i as Real).cos());
    (0..problem.inertias.len()).map(tumble).collect()
}

fn time(c: &mut Criterion, name: &str, size: usize, problem: &Problem, solver: &mut dyn Solver) {
    let free = falling(problem);
    let mut lambda = vec![0.0; problem.rows.len()];
    let mut velocity = free.clone();
    c.bench_function(&format!("{name}, {size}"), |bencher| {
        bencher.iter(|| {
            lambda.fill(0.0);
            velocity.copy_from_slice(&free);
            solver.prepare(black_box(problem));
            solver.solve(black_box(problem), &mut lambda, &mut velocity)
        })
    });
}

fn solvers(c: &mut Criterion) {
    for rows in [32, 128] {
        let problem = tower(rows);
        time(c, "dense, tower of contacts", rows, &problem, &mut DenseSolver::default());
        time(c, "iterative, tower of contacts", rows, &problem, &mut IterativeSolver::default());
    }
    for bodies in [32, 128] {
        let problem = chain(bodies);
        time(c, "dense, chain of ball joints", bodies, &problem, &mut DenseSolver::default());
        time(c, "iterative, chain of ball joints", bodies, &problem, &mut IterativeSolver::default());
    }
}

criterion_group!(benches, solvers);
criterion_main!(benches);
