use super::*;
use crate::solve::DenseSolver;
use crate::solve::random::{Random, Recipe, Sample, at_bounds, gap, multiplier_gap, run};
use crate::{Axis, Body, Constraint, Element, Joint, MassProperties, Placement, Response, World};

/// The solution is that of the dense solver for any limits, loops, repeats and mass ratios.
#[test]
fn trees_agree_with_the_dense_solver() {
    let mut dense = DenseSolver::default();
    let mut failures = Vec::new();
    for seed in 0..2000 {
        let sample = Recipe::mixed(seed).build();
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
        let sample = Recipe::forest(seed, 20).build();
        let mut tree = TreeSolver::new();
        run(&mut tree, &sample);
        assert_eq!(tree.auxiliary_rows(), 0, "seed {seed}");
    }
}

/// One solver used on several problems of one topology gives the results of a fresh one.
#[test]
fn warm_state_does_not_change_answers() {
    let mut warm = TreeSolver::new();
    for seed in 0..200 {
        let sample = Recipe::mixed(seed % 7).build();
        let (_, expected, _) = run(&mut TreeSolver::new(), &sample);
        let (_, velocity, _) = run(&mut warm, &sample);
        assert!(gap(&velocity, &expected) < 1e-10, "seed {seed}");
    }
}

/// A correction shifts J v + S λ of every row that is not at a limit by exactly its target.
#[test]
fn corrections_agree_with_the_dense_solver() {
    let mut dense = DenseSolver::default();
    let mut compared = 0;
    for seed in 0..400 {
        let sample = Recipe { loops: 0, redundant: 0, ..Recipe::mixed(seed) }.build();
        let mut tree = TreeSolver::new();
        let (mut exact, mut v_exact, _) = run(&mut dense, &sample);
        let (mut lambda, mut velocity, _) = run(&mut tree, &sample);
        let held = |lambda: &[Real]| at_bounds(&sample.problem, lambda);
        if held(&lambda) != held(&exact) {
            continue; // a row just on its bound may be seen from either side
        }
        compared += 1;
        let target = Random::new(seed).targets(lambda.len());
        dense.correct(&sample.problem, &target, &mut exact, &mut v_exact);
        tree.correct(&sample.problem, &target, &mut lambda, &mut velocity);
        assert!(gap(&velocity, &v_exact) <= 1e-8, "seed {seed}: {:e}", gap(&velocity, &v_exact));
    }
    assert!(compared > 200, "{compared}");
}

/// Random tree of pivots (ball, hinge, universal, weld; motors, some of them limited), some with a loop closure, in the
/// layout of a world.
fn figure(seed: u64) -> Sample {
    use crate::{Axis, Body, BodyId, Constraint, Element, Joint, MassProperties, Placement, Response, World};
    let mut random = Random::new(seed);
    let mut world = World::new();
    let mut bodies: Vec<BodyId> = Vec::new();
    for index in 0..3 + random.below(12) {
        let mass = MassProperties::cuboid(random.range(0.1, 10.0), Vec3::new(0.1, 0.2, 0.3));
        let body = Body::dynamic(format!("{index}"), mass, Placement::new(random.vector(), random.rotation()))
            .with_velocity(random.vector(), random.vector());
        let body = world.add_body(body).expect("a sound body");
        let parent =
            if bodies.is_empty() || random.chance(0.05) { None } else { Some(bodies[random.below(bodies.len())]) };
        let free = parent.is_none() && random.chance(0.3);
        bodies.push(body);
        if free {
            continue;
        }
        let (mut a, mut b) = (parent, Some(body));
        if random.chance(0.3) {
            std::mem::swap(&mut a, &mut b);
        }
        let frame = |random: &mut Random| Placement::new(random.vector() * 0.3, random.rotation());
        let (frame_a, frame_b) = (frame(&mut random), frame(&mut random));
        let kinds = [Joint::ball, Joint::hinge, Joint::universal, Joint::weld];
        let kind = random.below(4);
        let mut joint = kinds[kind](a, frame_a, b, frame_b);
        let motors: &[Axis] = [&Axis::ALL[..], &[Axis::Z], &[Axis::X, Axis::Y], &[]][kind];
        for &axis in motors {
            if random.chance(0.6) {
                let response =
                    Response::Spring { stiffness: random.range(1.0, 100.0), damping: random.range(0.0, 5.0) };
                let limit = if random.chance(0.4) { random.range(0.1, 20.0) } else { Real::INFINITY };
                joint = joint.driven(Element::Angular(axis), response, limit);
            }
        }
        world.add_constraint(Constraint::new(joint)).expect("a sound joint");
    }
    if random.chance(0.5) && bodies.len() > 2 {
        let tie =
            Joint::ball(Some(bodies[0]), Placement::IDENTITY, Some(bodies[bodies.len() - 1]), Placement::IDENTITY);
        // Soft, because a hard one between bodies that are welded together would contradict the welds.
        let tie = tie.responding(Response::Spring { stiffness: 1e4, damping: 1e2 });
        world.add_constraint(Constraint::new(tie)).expect("a sound joint");
    }
    world.step(0.01).expect("a finite step");
    let problem = world.last_assembly().problem;
    let free = problem.inertias.iter().map(|_| Vec6::from_fn(|_, _| random.signed())).collect();
    Sample { problem, free, centres: Vec::new(), regular: false, tree_blocks: 0 }
}

/// Pivots give the velocities, multipliers and corrections of the general elimination.
#[test]
fn pivots_agree_with_the_general_elimination() {
    let mut pivots = 0;
    for seed in 0..600 {
        let sample = figure(seed);
        pivots += sample.problem.blocks.iter().filter(|b| b.pivot).count();
        let mut general = sample.clone();
        general.problem.blocks.iter_mut().for_each(|b| b.pivot = false);
        general.problem.topology ^= 1;
        let (mut short, mut long) = (TreeSolver::new(), TreeSolver::new());
        let (mut lambda, mut velocity, _) = run(&mut short, &sample);
        let (mut expected, mut v_expected, _) = run(&mut long, &general);
        assert!(gap(&velocity, &v_expected) <= 1e-8, "seed {seed}: v {:e}", gap(&velocity, &v_expected));
        assert!(multiplier_gap(&lambda, &expected) <= 1e-8, "seed {seed}: λ {:e}", multiplier_gap(&lambda, &expected));
        let (_, v_dense, _) = run(&mut DenseSolver::default(), &sample);
        assert!(gap(&velocity, &v_dense) <= 1e-7, "seed {seed}: dense {:e}", gap(&velocity, &v_dense));
        let target = Random::new(seed).targets(lambda.len());
        short.correct(&sample.problem, &target, &mut lambda, &mut velocity);
        long.correct(&general.problem, &target, &mut expected, &mut v_expected);
        assert!(gap(&velocity, &v_expected) <= 1e-8, "seed {seed}: correction {:e}", gap(&velocity, &v_expected));
    }
    assert!(pivots > 1000, "{pivots}");
}

/// Only the first links of a long level chain carry the force of its nail. The rest of it must fade to zero, not to
/// denormal numbers.
#[test]
fn impulses_that_fade_along_a_chain_end_at_zero() {
    let mut world = World::new();
    let half = Vec3::new(0.1, 0.0, 0.0);
    let mut last = None;
    for index in 0..1500 {
        let at = Placement::at(half * (2 * index + 1) as Real);
        let link = world.add_body(Body::dynamic("link", MassProperties::rod(1.0, 0.2), at)).expect("a sound body");
        let from = if last.is_some() { Placement::at(half) } else { Placement::IDENTITY };
        let mut joint = Joint::ball(last, from, Some(link), Placement::at(-half));
        for axis in Axis::ALL {
            let spring = Response::Spring { stiffness: 60.0, damping: 6.0 };
            joint = joint.driven(Element::Angular(axis), spring, Real::INFINITY);
        }
        world.add_constraint(Constraint::new(joint)).expect("a sound joint");
        last = Some(link);
    }
    for _ in 0..3 {
        world.step(1.0 / 240.0).expect("the chain falls");
    }
    let spins: Vec<Real> = world.bodies().map(|(id, _)| world.state(id).angular().amax()).collect();
    assert!(spins[0] > 0.01 && spins[1499] == 0.0, "{} {}", spins[0], spins[1499]);
    let faintest = spins.iter().copied().filter(|&spin| spin > 0.0).fold(Real::INFINITY, Real::min);
    assert!(faintest > 1e-100, "{faintest:e}");
}
