//! Laws that hold for any problem, tested on random ones.

use super::super::lcp::violation;
use super::super::random::{Recipe, Sample};
use super::*;

/// Returns true if the joints alone fix some row of a contact: its multiplier has no effect then.
fn is_held_fast(problem: &Problem, contact: &Contact) -> bool {
    let mut joints = problem.clone();
    joints.contacts.clear();
    joints.rows.truncate(problem.contact_start());
    let mut solver = DenseSolver::default();
    let (_, still, _) = run(&mut solver, &joints, &vec![Vec6::zeros(); problem.inertias.len()]);
    let mut response = |push: usize, row: usize| {
        let mut pushed = vec![Vec6::zeros(); problem.inertias.len()];
        problem.apply(push, 1e-3, &mut pushed);
        let (_, velocity, _) = run(&mut solver, &joints, &pushed);
        (problem.rate(row, &velocity) - problem.rate(row, &still)) * 1e3
    };
    let n = contact.first as usize;
    let mut pairs = vec![(n, n), (n + 1, n + 2)];
    if contact.angular {
        pairs.extend([(n + 3, n + 4), (n + 5, n + 5)]);
    }
    pairs.into_iter().any(|(x, y)| {
        let (xx, xy, yy) = (response(x, x), response(x, y), response(y, y));
        let determinant = if x == y { xx * xx } else { xx * yy - xy * xy };
        determinant <= 1e-12 * (xx + yy).powi(2).max(1.0)
    })
}

#[test]
fn without_friction_all_solvers_give_the_same_velocities() {
    let mut failures = Vec::new();
    let mut touching = 0;
    for seed in 0..300 {
        for recipe in [Recipe::touching(seed, 0.0), Recipe::loose_bodies(seed, 0.0)] {
            let Sample { problem, free, .. } = recipe.build();
            let (_, expected, _) = run(&mut DenseSolver::default(), &problem, &free);
            for (name, mut solver) in all() {
                let (lambda, velocity, outcome) = run(&mut *solver, &problem, &free);
                touching += problem.contacts.iter().filter(|c| lambda[c.first as usize] > 0.0).count();
                let off = gap(&velocity, &expected);
                if off > 1e-8 {
                    failures.push(format!("{name}, seed {seed}, {} bodies: {off:e} {outcome:?}", recipe.bodies));
                }
            }
        }
    }
    assert!(touching > 2000, "{touching}");
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures[..failures.len().min(20)].join("\n"));
}

#[test]
fn with_friction_points_obey_coulombs_cone() {
    let mut failures = Vec::new();
    let (mut sliding, mut sticking) = (0, 0);
    let (mut most, mut unsettled, mut solved) = ([0, 0], [0, 0], 0);
    for seed in 0..300 {
        // Friction within a locked mechanism may have no solution: no closures here.
        let joined = Recipe { loops: 0, redundant: 0, ..Recipe::touching(seed, 0.6) };
        for (recipe, solvers) in [(joined, 1), (Recipe::loose_bodies(seed, 0.6), 2)] {
            let Sample { problem, free, .. } = recipe.build();
            for (name, mut solver) in all().into_iter().take(solvers) {
                let (lambda, velocity, outcome) = run(&mut *solver, &problem, &free);
                let mut off: Real = 0.0;
                for contact in &problem.contacts {
                    let left = off_the_law(&problem, contact, &lambda, &velocity);
                    off = off.max(if left > 1e-8 && is_held_fast(&problem, contact) { 0.0 } else { left });
                    let [n, x, y] = std::array::from_fn(|k| lambda[contact.first as usize + k]);
                    let at_edge = (x * x + y * y).sqrt() >= contact.friction * n * (1.0 - 1e-9);
                    if n > 0.0 {
                        *if at_edge { &mut sliding } else { &mut sticking } += 1;
                    }
                }
                let which = (name == "iterative") as usize;
                most[which] = most[which].max(outcome.iterations);
                for (i, row) in problem.rows[..problem.contact_start()].iter().enumerate() {
                    let w = problem.rate(i, &velocity) + row.softness * lambda[i] - row.target;
                    off = off.max(violation(w, lambda[i], row.lo, row.hi));
                }
                solved += 1;
                if outcome.residual > 1e-10 {
                    // It reports so itself: some points wedge each other without convergence.
                    unsettled[which] += 1;
                } else if off > 1e-8 {
                    let kind = if recipe.roots == 1.0 { "loose" } else { "joined" };
                    failures
                        .push(format!("{name}, {kind}, seed {seed}, {} bodies: {off:e} {outcome:?}", recipe.bodies));
                }
            }
        }
    }
    failures.sort_by_key(|text| !text.starts_with("tree"));
    println!("{sliding} sliding, {sticking} sticking, most iterations {most:?}, {unsettled:?} of {solved} unsettled");
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures[..failures.len().min(40)].join("\n"));
    assert!(sliding > 1000 && sticking > 50, "{sliding} {sticking}");
    assert!(unsettled.iter().all(|&count| count <= 2), "{unsettled:?}");
}

#[test]
fn a_single_point_has_one_answer_and_friction_opposes_its_sliding() {
    let (mut slid, mut missed) = (0, 0);
    for seed in 0..300 {
        let recipe =
            Recipe { loops: 0, redundant: 0, bounded: 0.0, loose: 0, contacts: 1, ..Recipe::touching(seed, 0.5) };
        let Sample { problem, free, .. } = recipe.build();
        let (_, expected, other) = run(&mut iterative(), &problem, &free);
        let (lambda, velocity, outcome) = run(&mut tree(), &problem, &free);
        assert!(outcome.residual <= 1e-10, "seed {seed}: {outcome:?}");
        if other.residual > 1e-11 {
            missed += 1; // the iterative solver ran out of sweeps over the joints
            continue;
        }
        assert!(gap(&velocity, &expected) <= 1e-8, "seed {seed}: {:e} {outcome:?}", gap(&velocity, &expected));
        let Some(contact) = problem.contacts.first() else { continue };
        let [n, x, y] = std::array::from_fn(|k| contact.first as usize + k);
        let (rate, pushed) = ([x, y].map(|row| problem.rate(row, &velocity)), [x, y].map(|row| lambda[row]));
        let (speed, push) = (rate[0].hypot(rate[1]), pushed[0].hypot(pushed[1]));
        if speed > 1e-6 && lambda[n] > 1e-6 && !is_held_fast(&problem, contact) {
            slid += 1;
            assert!((push - contact.friction * lambda[n]).abs() <= 1e-9 * lambda[n], "seed {seed}");
            assert!(
                (rate[0] * pushed[0] + rate[1] * pushed[1] + speed * push).abs() <= 1e-9 * speed * push,
                "seed {seed}"
            );
        }
    }
    assert!(slid > 50 && missed < 20, "{slid} {missed}");
}

/// Contacts and limits that come and go leave no state in a solver.
#[test]
fn contacts_come_and_go_without_a_change_of_topology() {
    let mut warm = tree();
    for seed in 0..120 {
        let base = Recipe { bodies: 6, ..Recipe::touching(seed % 4, 0.3) };
        let Sample { problem: full, free, .. } = base.build();
        let mut problem = full.clone();
        // Same pattern, other numbers.
        let (mass, inertia_factor) = (1.0 + 0.3 * (seed % 5) as Real, 1.0 + 0.2 * (seed % 3) as Real);
        problem.inertias.iter_mut().for_each(|inertia| *inertia = inertia.scaled(mass, inertia_factor));
        let keep = seed as usize % (full.contacts.len() + 1);
        problem.contacts.truncate(keep);
        problem.rows.truncate(full.contacts.get(keep).map_or(full.rows.len(), |c| c.first as usize));
        let (_, expected, fresh) = run(&mut tree(), &problem, &free);
        let (_, velocity, _) = run(&mut warm, &problem, &free);
        if fresh.residual <= 1e-10 {
            assert!(gap(&velocity, &expected) <= 1e-8, "seed {seed}: {:e}", gap(&velocity, &expected));
        }
    }
}
