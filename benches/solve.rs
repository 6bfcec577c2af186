//! How long the solvers take: a complementarity problem of contacts only, a long chain of joints, and figures that lie on
//! the ground and on each other, friction and all.

#![allow(clippy::disallowed_methods)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use sinew::dynamics::solve::{
    Block, Contact, DenseSolver, Entry, Inertia, IterativeSolver, Problem, Row, Solver, TreeSolver,
};
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
    problem.persistent_rows = problem.rows.len() as u32;
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
    problem.persistent_rows = problem.rows.len() as u32;
    problem
}

/// The segment that each of a figure's 18 hangs on: torso, head, arms of three, legs of four.
const PARENTS: [usize; 18] = [0, 0, 1, 2, 2, 4, 5, 2, 7, 8, 0, 10, 11, 12, 0, 14, 15, 16];
/// Segments of a figure that touch something, one entry per point.
const TOUCHING: [usize; 10] = [0, 3, 6, 9, 9, 13, 13, 17, 17, 11];

/// One row of wrenches on up to two bodies.
fn add_wrenches(problem: &mut Problem, sides: &[(usize, Real, Vec3)], force: Vec3, torque: Vec3, softness: Real) {
    let first = problem.entries.len() as u32;
    for &(body, sign, arm) in sides {
        let moment = arm.cross(&force) + torque;
        let jacobian = sign * Vec6::new(force.x, force.y, force.z, moment.x, moment.y, moment.z);
        problem.entries.push(Entry { body: body as u32, jacobian });
    }
    let (count, free) = (sides.len() as u32, Real::INFINITY);
    problem.rows.push(Row { first, count, target: 0.0, softness, lo: -free, hi: free });
}

/// Figures of 18 segments on ball joints with muscles, ten points of contact each. Every other one lies on the one
/// before with half of its points.
fn figures(count: usize) -> Problem {
    let mut problem = Problem::default();
    for segment in 0..18 * count {
        problem.inertias.push(body(1.0 + (segment % 5) as Real));
    }
    for figure in 0..count {
        for (segment, &parent) in PARENTS.iter().enumerate().skip(1) {
            let first = problem.rows.len() as u32;
            let (parent, child) = (18 * figure + parent, 18 * figure + segment);
            let arms = (Vec3::new(0.1, 0.02 * segment as Real, 0.15), Vec3::new(-0.12, 0.03, -0.1));
            let sides = [(parent, -1.0, arms.0), (child, 1.0, arms.1)];
            for axis in 0..3 {
                add_wrenches(&mut problem, &sides, Vec3::ith(axis, 1.0), Vec3::zeros(), 0.0);
            }
            for axis in 0..3 {
                add_wrenches(&mut problem, &sides, Vec3::zeros(), Vec3::ith(axis, 1.0), 20.0);
            }
            problem.blocks.push(Block { first, count: 6, pivot: true });
        }
    }
    problem.persistent_rows = problem.rows.len() as u32;
    for figure in 0..count {
        for (point, &segment) in TOUCHING.iter().enumerate() {
            let first = problem.rows.len() as u32;
            let arm = Vec3::new(0.05 * (point as Real).sin(), -0.1, 0.06 * (1.7 * point as Real).cos());
            let above = (18 * figure + segment, 1.0, arm);
            let below = (18 * (figure / 2 * 2) + (segment + point) % 18, -1.0, -arm);
            let sides = [above, below];
            let on_another = figure % 2 == 1 && point % 2 == 0;
            for axis in [1, 0, 2] {
                let sides = if on_another { &sides[..] } else { &sides[..1] };
                add_wrenches(&mut problem, sides, Vec3::ith(axis, 1.0), Vec3::zeros(), 0.0);
            }
            problem.contacts.push(Contact { first, angular: false, friction: 0.6, rolling: 0.0, spinning: 0.0 });
        }
    }
    problem
}

/// Resting figures from step to step: the multipliers of the last one, velocities that differ by a percent.
fn time_resting(c: &mut Criterion, count: usize) {
    let problem = figures(count);
    let sway = |i: usize| {
        let s = i as Real;
        Vec6::new(0.05 * s.sin(), -0.041, 0.05 * (2.0 * s).cos(), 0.1 * s.cos(), 0.0, 0.05)
    };
    let free: Vec<Vec6> = (0..problem.inertias.len()).map(|i| sway(i % 18)).collect();
    let mut solver = TreeSolver::new();
    solver.contact_tolerance = 1e-4;
    let (mut settled, mut velocity) = (vec![0.0; problem.rows.len()], free.clone());
    solver.prepare(&problem);
    solver.solve(&problem, &mut settled, &mut velocity);
    let mut lambda = settled.clone();
    let mut step = 0;
    c.bench_function(&format!("tree, resting figures with 10 contacts each, {count}"), |bencher| {
        bencher.iter(|| {
            step += 1;
            let share = 1.0 + 0.01 * ((step % 7) as Real - 3.0);
            velocity.iter_mut().zip(&free).for_each(|(v, u)| *v = u * share);
            lambda.copy_from_slice(&settled);
            solver.prepare(black_box(&problem));
            solver.solve(black_box(&problem), &mut lambda, &mut velocity)
        })
    });
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
    for count in [1, 100] {
        time_resting(c, count);
    }
}

criterion_group!(benches, solvers);
criterion_main!(benches);
