//! Laws of contact and friction, tested on all three solvers.

mod random_laws;

use super::random::{Random, gap, run_on as run};
use super::{Block, Contact, DenseSolver, Entry, Inertia, IterativeSolver, Problem, Row, Solver, TreeSolver};
use crate::math::{Mat3, Real, Vec3, Vec6};

const G: Real = 9.81;
const STEP: Real = 0.01;

fn tree() -> TreeSolver {
    let mut solver = TreeSolver::new();
    (solver.contact_tolerance, solver.contact_sweeps) = (1e-12, 20_000);
    solver
}

fn iterative() -> IterativeSolver {
    let mut solver = IterativeSolver::default();
    (solver.settings.max_sweeps, solver.settings.tolerance) = (50_000, 1e-12);
    solver
}

fn all() -> [(&'static str, Box<dyn Solver>); 3] {
    [("tree", Box::new(tree())), ("iterative", Box::new(iterative())), ("dense", Box::new(DenseSolver::default()))]
}

/// Inertia of a cube of side 1 m.
fn cube(mass: Real) -> Inertia {
    let inertia = mass / 6.0;
    Inertia {
        mass,
        inverse_mass: 1.0 / mass,
        inertia: Mat3::identity() * inertia,
        inverse_inertia: Mat3::identity() / inertia,
    }
}

fn hard(first: usize, count: usize) -> Row {
    let (first, count) = (first as u32, count as u32);
    Row { first, count, target: 0.0, softness: 0.0, lo: Real::NEG_INFINITY, hi: Real::INFINITY }
}

fn add_row(problem: &mut Problem, sides: &[(usize, Real, Vec3)], force: Vec3, torque: Vec3) {
    let first = problem.entries.len();
    for &(body, sign, arm) in sides {
        if problem.inertias[body].inverse_mass > 0.0 {
            let moment = arm.cross(&force) + torque;
            let jacobian = sign * Vec6::new(force.x, force.y, force.z, moment.x, moment.y, moment.z);
            problem.entries.push(Entry { body: body as u32, jacobian });
        }
    }
    problem.rows.push(hard(first, problem.entries.len() - first));
}

/// Adds a contact point whose normal is y, with arms from the bodies' centres. `sides`: (body, sign, arm).
fn touch(problem: &mut Problem, sides: &[(usize, Real, Vec3)], friction: Real, angular: Option<(Real, Real)>) {
    let first = problem.rows.len() as u32;
    for axis in [1, 0, 2] {
        add_row(problem, sides, Vec3::ith(axis, 1.0), Vec3::zeros());
    }
    if angular.is_some() {
        for axis in [0, 2, 1] {
            add_row(problem, sides, Vec3::zeros(), Vec3::ith(axis, 1.0));
        }
    }
    let (rolling, spinning) = angular.unwrap_or_default();
    problem.contacts.push(Contact { first, angular: angular.is_some(), friction, rolling, spinning });
}

fn corners() -> impl Iterator<Item = Vec3> {
    (0..4).map(|i| Vec3::new([-0.5, 0.5][i % 2], -0.5, [-0.5, 0.5][i / 2]))
}

/// Tower of cubes, the lowest on the ground, four points each.
fn tower(masses: &[Real], friction: Real) -> Problem {
    let mut problem = Problem { inertias: masses.iter().map(|&m| cube(m)).collect(), ..Problem::default() };
    for body in 0..masses.len() {
        for arm in corners() {
            let above = (body, 1.0, arm);
            match body.checked_sub(1) {
                Some(below) => touch(&mut problem, &[above, (below, -1.0, arm + Vec3::y())], friction, None),
                None => touch(&mut problem, &[above], friction, None),
            }
        }
    }
    problem
}

fn moving(x: Real, y: Real, z: Real) -> Vec6 {
    Vec6::new(x, y, z, 0.0, 0.0, 0.0)
}

/// Returns the violation of Coulomb's law with the true cone, in velocity units.
fn off_the_law(problem: &Problem, contact: &Contact, lambda: &[Real], velocity: &[Vec6]) -> Real {
    let n = contact.first as usize;
    let w = |i: usize| problem.rate(i, velocity) + problem.rows[i].softness * lambda[i] - problem.rows[i].target;
    let own = |i: usize| -> Real {
        let entries = problem.entries(i).iter();
        let own = entries.map(|e| e.jacobian.dot(&problem.inertias[e.body as usize].apply_inverse(&e.jacobian)));
        own.sum::<Real>() + problem.rows[i].softness
    };
    let load = lambda[n];
    assert!(load >= 0.0);
    let mut worst: Real = (-w(n)).max(0.0).max((load * own(n)).min(w(n).abs()));
    let mut disc = |rows: &[usize], radius: Real| {
        let l: Vec<Real> = rows.iter().map(|&i| lambda[i]).collect();
        let w: Vec<Real> = rows.iter().map(|&i| w(i)).collect();
        let length = |x: &[Real]| x.iter().map(|x| x * x).sum::<Real>().sqrt();
        let scale = rows.iter().map(|&i| own(i)).fold(0.0, Real::max);
        worst = worst.max((length(&l) - radius) * scale);
        // Either it does not slide, or λ is −radius along w.
        let (speed, mut aside) = (length(&w), 0.0);
        for (l, w) in l.iter().zip(&w) {
            aside += (l + radius * w / speed.max(1e-300)).powi(2);
        }
        worst = worst.max(speed.min(aside.sqrt() * scale));
    };
    disc(&[n + 1, n + 2], contact.friction * load);
    if contact.angular {
        disc(&[n + 3, n + 4], contact.rolling * load);
        disc(&[n + 5], contact.spinning * load);
    }
    worst
}

#[test]
fn a_block_on_a_plane_rests_and_its_corners_carry_equal_shares() {
    let problem = tower(&[3.0], 0.5);
    for (name, mut solver) in all() {
        let (lambda, velocity, outcome) = run(&mut *solver, &problem, &[moving(0.0, -G * STEP, 0.0)]);
        assert!(velocity[0].amax() <= 1e-12, "{name}: {velocity:?} {outcome:?}");
        let total: Real = problem.contacts.iter().map(|c| lambda[c.first as usize]).sum();
        assert!((total - 3.0 * G * STEP).abs() <= 1e-10, "{name}");
        if name == "tree" {
            for contact in &problem.contacts {
                assert!((lambda[contact.first as usize] - total / 4.0).abs() <= 1e-6 * total, "{name}: {lambda:?}");
            }
        }
    }
}

#[test]
fn a_block_slides_with_mu_g_and_sticks_below_the_edge_of_the_cone() {
    // A flat block, so that it does not topple: its points lie on the plane through the centre.
    for (push, direction) in [(0.2, 0.0), (0.2, 0.7), (0.04, 0.0), (0.04, 0.7)] {
        let mut problem = Problem { inertias: vec![cube(2.0)], ..Problem::default() };
        for arm in corners() {
            touch(&mut problem, &[(0, 1.0, Vec3::new(arm.x, 0.0, arm.z))], 0.5, None);
        }
        let direction: Real = direction;
        let along = Vec3::new(direction.cos(), 0.0, direction.sin());
        for (name, mut solver) in all() {
            let free = moving(push * along.x, -G * STEP, push * along.z);
            let (_, velocity, _) = run(&mut *solver, &problem, &[free]);
            let left: Real = (push - 0.5 * G * STEP).max(0.0);
            let expected = moving(left * along.x, 0.0, left * along.z);
            if name != "dense" || direction == 0.0 {
                assert!((velocity[0] - expected).amax() <= 1e-9, "{name}, {push}, {direction}: {velocity:?}");
            } else if left > 0.0 {
                // The tangents of the pyramid have independent boxes.
                let boxed = |speed: Real| speed - speed.signum() * speed.abs().min(0.5 * G * STEP);
                let expected = moving(boxed(free[0]), 0.0, boxed(free[2]));
                assert!((velocity[0] - expected).amax() <= 1e-9, "{name}: {velocity:?}");
            } else {
                assert!(velocity[0].amax() <= 1e-9, "{name}: {velocity:?}");
            }
        }
    }
}

#[test]
fn two_bodies_that_touch_keep_their_momentum() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let mut problem = Problem { inertias: vec![cube(1.0), cube(3.0)], ..Problem::default() };
        let offset = Vec3::new(0.3, 1.0, -0.2);
        for _ in 0..1 + random.below(4) {
            let arm = Vec3::new(random.signed(), 0.5, random.signed());
            touch(&mut problem, &[(0, -1.0, arm), (1, 1.0, arm - offset)], random.unit(), None);
        }
        let free: Vec<Vec6> = (0..2).map(|_| Vec6::from_fn(|_, _| random.signed())).collect();
        let momentum = |v: &[Vec6]| -> Vec6 {
            let mut sum = Vec6::zeros();
            for (body, centre) in [Vec3::zeros(), offset].iter().enumerate() {
                let p = problem.inertias[body].apply(&v[body]);
                let moment = centre.cross(&Vec3::new(p[0], p[1], p[2]));
                sum += p + Vec6::new(0.0, 0.0, 0.0, moment.x, moment.y, moment.z);
            }
            sum
        };
        for (name, mut solver) in all() {
            let (_, velocity, _) = run(&mut *solver, &problem, &free);
            assert!((momentum(&velocity) - momentum(&free)).amax() <= 1e-12, "{name}, seed {seed}");
        }
    }
}

#[test]
fn towers_settle_within_the_cap() {
    let even: Vec<Real> = vec![1.0; 20];
    let heavy_on_top: Vec<Real> = (0..10).map(|i| if i == 9 { 15.0 } else { 1.0 }).collect();
    for masses in [even, heavy_on_top] {
        let problem = tower(&masses, 0.5);
        let free = vec![moving(0.0, -G * STEP, 0.0); masses.len()];
        let (lambda, velocity, outcome) = run(&mut TreeSolver::default(), &problem, &free);
        println!("{outcome:?}");
        let off = problem.contacts.iter().map(|c| off_the_law(&problem, c, &lambda, &velocity)).fold(0.0, Real::max);
        assert!(off <= 1e-8 && outcome.residual <= 1e-8, "{off:e} {outcome:?}");
        assert!(outcome.iterations <= 400);
        assert!(velocity.iter().all(|v| v.amax() <= 1e-6), "{velocity:?}");
    }
}

#[test]
fn a_flat_impact_gives_no_spin() {
    let mut problem = tower(&[2.0], 0.5);
    problem.contacts.iter().for_each(|c| problem.rows[c.first as usize].target = 0.3);
    for (name, mut solver) in all() {
        let (_, velocity, _) = run(&mut *solver, &problem, &[moving(0.0, -1.0, 0.0)]);
        assert!((velocity[0] - moving(0.0, 0.3, 0.0)).amax() <= 1e-12, "{name}: {:?}", velocity[0]);
    }
}

/// Free chain of links on ball joints; arms along x.
fn chain(links: usize) -> Problem {
    let mut problem = Problem { inertias: vec![cube(1.0); links], ..Problem::default() };
    for link in 1..links {
        let first = problem.rows.len() as u32;
        for axis in 0..3 {
            let arm = Vec3::new(0.5, 0.0, 0.0);
            add_row(&mut problem, &[(link - 1, -1.0, arm), (link, 1.0, -arm)], Vec3::ith(axis, 1.0), Vec3::zeros());
        }
        problem.blocks.push(Block { first, count: 3, pivot: link % 2 == 0 });
    }
    problem.persistent_rows = problem.rows.len() as u32;
    problem
}

#[test]
fn an_impact_at_the_end_of_a_chain_never_opens_its_joints() {
    let mut problem = chain(12);
    touch(&mut problem, &[(11, 1.0, Vec3::new(0.5, -0.1, 0.05))], 0.7, None);
    touch(&mut problem, &[(4, 1.0, Vec3::new(0.0, -0.1, 0.0))], 0.7, None);
    let free: Vec<Vec6> = (0..12).map(|i| Vec6::new(1.0, -3.0, 0.3, 0.1 * i as Real, 0.2, -0.3)).collect();
    for (name, mut solver) in all() {
        let (lambda, velocity, outcome) = run(&mut *solver, &problem, &free);
        assert!(lambda[problem.persistent_rows as usize] > 0.1, "{name}: {outcome:?}");
        for row in 0..problem.persistent_rows as usize {
            let off = problem.rate(row, &velocity).abs();
            assert!(off <= 1e-10, "{name}: joint row {row} opens with {off:e}");
        }
    }
}

/// Target speeds of contacts, by row.
fn by_row(problem: &Problem, contacts: &[Real]) -> Vec<Real> {
    let mut rows = vec![0.0; problem.rows.len()];
    for (contact, target) in problem.contacts.iter().zip(contacts) {
        rows[contact.first as usize] = *target;
    }
    rows
}

#[test]
fn separating_pushes_points_apart_without_opening_joints() {
    let mut problem = chain(6);
    touch(&mut problem, &[(5, 1.0, Vec3::new(0.5, -0.1, 0.0))], 0.7, None);
    touch(&mut problem, &[(2, 1.0, Vec3::new(0.0, -0.1, 0.2))], 0.7, None);
    touch(&mut problem, &[(0, 1.0, Vec3::new(0.0, -0.1, 0.0))], 0.7, None);
    problem.inertias.push(cube(2.0));
    touch(&mut problem, &[(6, 1.0, Vec3::new(0.1, -0.5, 0.0)), (1, -1.0, Vec3::new(0.0, 0.1, 0.0))], 0.7, None);
    let target = [0.4, 0.2, -0.1, 0.3];
    let by_row = |target: [Real; 4]| by_row(&problem, &target);
    let mut answers = Vec::new();
    for (name, mut solver) in all() {
        run(&mut *solver, &problem, &[Vec6::zeros(); 7]);
        let mut velocity = vec![Vec6::repeat(1.0); 7];
        solver.separate(&problem, &by_row(target), &mut velocity);
        for row in 0..problem.persistent_rows as usize {
            assert!(problem.rate(row, &velocity).abs() <= 1e-10, "{name}: joint row {row}");
        }
        for (contact, target) in problem.contacts.iter().zip(target) {
            let speed = problem.rate(contact.first as usize, &velocity);
            assert!(speed >= target - 1e-9, "{name}: {speed} of {target}");
        }
        answers.push(velocity);
    }
    assert!(gap(&answers[0], &answers[2]) <= 1e-8 && gap(&answers[1], &answers[2]) <= 1e-8);
    let mut still = vec![Vec6::repeat(1.0); 7];
    let mut solver = tree();
    run(&mut solver, &problem, &[Vec6::zeros(); 7]);
    solver.separate(&problem, &by_row([0.0, -1.0, 0.0, 0.0]), &mut still);
    assert!(still.iter().all(|v| v.amax() == 0.0), "nothing to push, nothing moves");
}

/// Limits that were passed are corrected together with the points, those under load are not passed, and no joint opens.
#[test]
fn separating_brings_one_sided_rows_back_too() {
    let mut problem = chain(6);
    for (body, axis) in [(2, Vec3::z()), (4, Vec3::x())] {
        let first = problem.rows.len() as u32;
        add_row(&mut problem, &[(body, 1.0, Vec3::zeros()), (body - 1, -1.0, Vec3::zeros())], Vec3::zeros(), axis);
        problem.rows[first as usize].lo = 0.0;
        problem.blocks.push(Block { first, count: 1, pivot: false });
    }
    let ends = [problem.rows.len() - 2, problem.rows.len() - 1];
    touch(&mut problem, &[(5, 1.0, Vec3::new(0.5, -0.1, 0.0))], 0.7, None);
    touch(&mut problem, &[(2, 1.0, Vec3::new(0.0, -0.1, 0.2))], 0.7, None);
    let mut target = by_row(&problem, &[0.4, -0.1]);
    target[ends[0]] = 0.7;
    // The first end is left, the second is pressed on.
    let mut free = [Vec6::zeros(); 6];
    (free[2][5], free[4][3]) = (1.0, -1.0);
    let mut answers = Vec::new();
    for (name, mut solver) in all() {
        let (lambda, ..) = run(&mut *solver, &problem, &free);
        assert!(lambda[ends[0]] == 0.0 && lambda[ends[1]] > 0.0, "{name}: {lambda:?}");
        let mut velocity = vec![Vec6::repeat(1.0); 6];
        solver.separate(&problem, &target, &mut velocity);
        for row in 0..problem.persistent_rows as usize {
            assert!(problem.rate(row, &velocity).abs() <= 1e-10, "{name}: joint row {row}");
        }
        for (row, least) in [(ends[0], 0.7), (ends[1], 0.0), (problem.contacts[0].first as usize, 0.4)] {
            let speed = problem.rate(row, &velocity);
            assert!(speed >= least - 1e-9, "{name}: {speed} of {least}");
        }
        answers.push(velocity);
    }
    assert!(gap(&answers[0], &answers[2]) <= 1e-8 && gap(&answers[1], &answers[2]) <= 1e-8);
}

#[test]
fn rolling_and_spinning_are_resisted_within_their_bounds() {
    // A ball that presses with an impulse of 1 N·s, spinning about the normal and rolling along x.
    let mut problem = Problem { inertias: vec![cube(1.0)], ..Problem::default() };
    touch(&mut problem, &[(0, 1.0, Vec3::new(0.0, -0.5, 0.0))], 10.0, Some((0.01, 0.02)));
    for (name, mut solver) in all() {
        let rolling = Vec6::new(2.0, -1.0, 0.0, 0.0, 3.0, -4.0);
        let (lambda, velocity, _) = run(&mut *solver, &problem, &[rolling]);
        assert!((lambda[0] - 1.0).abs() <= 1e-9, "{name}: {lambda:?}");
        assert!((lambda[4] - 0.01).abs() <= 1e-9 && lambda[3].abs() <= 1e-9, "{name}: {lambda:?}");
        assert!((lambda[5] + 0.02).abs() <= 1e-9, "{name}: {lambda:?}");
        assert!((velocity[0][4] - (3.0 - 0.02 * 6.0)).abs() <= 1e-9, "{name}: {velocity:?}");
        // Slow enough, it comes to rest.
        let slow = Vec6::new(0.005, -1.0, 0.0, 0.0, 0.01, -0.01);
        let (_, velocity, _) = run(&mut *solver, &problem, &[slow]);
        assert!(velocity[0].amax() <= 1e-9, "{name}: {velocity:?}");
    }
}

#[test]
fn repeated_empty_and_missing_contacts_are_harmless() {
    for (name, mut solver) in all() {
        // Parallel copies of the same points.
        let mut problem = tower(&[1.0, 2.0], 0.5);
        for arm in corners().chain(corners()) {
            touch(&mut problem, &[(0, 1.0, arm)], 0.5, None);
        }
        // Between bodies that nothing moves: no entries at all.
        problem.inertias.push(Inertia::IMMOVABLE);
        touch(&mut problem, &[(2, 1.0, Vec3::zeros())], 0.5, Some((0.1, 0.1)));
        // Any friction at all.
        problem.contacts[0].friction = 1e9;
        let free = [moving(0.02, -G * STEP, 0.01), moving(0.0, -G * STEP, 0.0), Vec6::zeros()];
        let (lambda, velocity, outcome) = run(&mut *solver, &problem, &free);
        assert!(velocity.iter().all(|v| v.amax() <= 1e-8), "{name}: {velocity:?} {outcome:?}");
        assert!(lambda.iter().all(|l| l.is_finite()), "{name}: {lambda:?}");
        // And then none are left.
        problem.contacts.clear();
        problem.rows.clear();
        problem.entries.clear();
        let (_, velocity, outcome) = run(&mut *solver, &problem, &free);
        assert_eq!((velocity.as_slice(), outcome.residual), (&free[..], 0.0), "{name}");
    }
}
