//! Chains: reactions, motion and closed joints.

use super::scenes::*;
use sinew_dynamics::{BodyId, ConstraintId, Joint, Law, MassProperties, Placement, Stepper, World};
use sinew_dynamics::{Real, Vec3};

/// `count` equal cubes joined corner to corner, the first one pinned to the world; each next one lies `step` further.
fn cubes(world: &mut World, count: usize, first: Vec3, corner: Vec3) -> (Vec<BodyId>, Vec<ConstraintId>) {
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for i in 0..count {
        let place = Placement::at(first - corner * (2.0 * i as Real));
        let body = add(world, &format!("cube {i}"), MassProperties::new(1.0, v(1.0, 1.0, 1.0)), place);
        let (above, anchor) = match bodies.last() {
            Some(&above) => (Some(above), Placement::at(-corner)),
            None => (None, Placement::at(first + corner)),
        };
        joints.push(join(world, Joint::ball(above, anchor, Some(body), Placement::at(corner))));
        bodies.push(body);
    }
    (bodies, joints)
}

/// The k-th joint from below reads k·m·g at rest, and nothing sideways.
#[test]
fn hanging_chain_carries_its_weight_joint_by_joint() {
    for stepper in both() {
        let mut world = world(stepper);
        let (bodies, joints) = cubes(&mut world, 15, Vec3::zeros(), v(0.0, 1.0, 0.0));
        run(&mut world, 0.25, H, |_| ());
        for (i, (&body, &joint)) in bodies.iter().zip(&joints).enumerate() {
            let force = force_on(&world, joint, body);
            close(force.y, (15 - i) as Real * G, 1e-6);
            small(force.x.hypot(force.z), 1e-6 * G);
        }
    }
}

fn swinging(stepper: Stepper) -> (World, Vec<BodyId>, Vec<ConstraintId>) {
    let mut world = world(stepper);
    world.gravity = v(0.0, -1.0, 0.0);
    let (bodies, joints) = cubes(&mut world, 15, v(11.25, 26.25, 60.0), v(1.0, 1.0, 1.0));
    (world, bodies, joints)
}

fn kinetic(world: &World) -> Real {
    let potential: Real = world.bodies().map(|(id, b)| -b.mass.mass * world.gravity.dot(&position(world, id))).sum();
    world.energy() - potential
}

/// Fifteen cubes on a diagonal, let go (Barenbrug 2000, App. I, without its damping): the last cube is at
/// (−0.4036, −17.3801, 48.3464) after 8 s, the chain is never faster than 147.17 J, and no energy is lost.
#[test]
fn swinging_chain_of_cubes_ends_where_converged_integrations_end() {
    let (mut world, bodies, _) = swinging(rk4());
    let (energy, mut fastest): (Real, Real) = (world.energy(), 0.0);
    run(&mut world, 8.0, 0.01, |world| fastest = fastest.max(kinetic(world)));
    small((position(&world, bodies[14]) - v(-0.4036, -17.3801, 48.3464)).amax(), 1e-3);
    close(fastest, 147.17, 1e-4);
    small(world.energy() - energy, 1e-5 * 147.0);
}

/// The reaction at the root has no part that flips from step to step: its second difference falls with h².
#[test]
fn root_reaction_of_the_swinging_chain_is_smooth() {
    let roughness = |h: Real| {
        let (mut world, bodies, joints) = swinging(rk4());
        let mut forces = Vec::new();
        run(&mut world, 4.0, h, |world| forces.push(force_on(world, joints[0], bodies[0])));
        forces.windows(3).map(|f| (f[0] - f[1] * 2.0 + f[2]).norm()).fold(0.0, Real::max)
    };
    let ratio = roughness(0.02) / roughness(0.01);
    assert!((3.5..4.5).contains(&ratio), "{ratio}");
}

/// The lower half, let go at 7 s: its centre of mass flies a parabola and it keeps its angular momentum.
#[test]
fn released_half_of_the_chain_flies_freely() {
    let (mut world, bodies, joints) = swinging(rk4());
    run(&mut world, 7.0, 0.02, |_| ());
    world.constraint_mut(joints[7]).enabled = false;
    let freed = &bodies[7..];
    let centre = |world: &World| freed.iter().map(|&b| position(world, b)).sum::<Vec3>() / freed.len() as Real;
    let drift = |world: &World| freed.iter().map(|&b| world.state(b).linear()).sum::<Vec3>() / freed.len() as Real;
    let spin = |world: &World| {
        let (c, u) = (centre(world), drift(world));
        freed
            .iter()
            .map(|&b| (position(world, b) - c).cross(&(world.state(b).linear() - u)) + world.state(b).angular())
            .sum::<Vec3>()
    };
    let (c, u, l) = (centre(&world), drift(&world), spin(&world));
    run(&mut world, 3.0, 0.02, |_| ());
    let expected = c + u * 3.0 + world.gravity * 4.5;
    small((centre(&world) - expected).norm(), 1e-9);
    small((spin(&world) - l).norm() / l.norm(), 1e-6);
}

/// A chain of 32 links of 0.3 m and 1 kg, let go level, the last one's place taken by `end` of a given reach: the
/// widest gap in ten seconds at 1/240 s, whip cracks included, with default settings.
fn widest_gap(end: MassProperties, reach: Real) -> Real {
    let mut world = world(Stepper::default());
    let (mut joints, mut above) = (Vec::new(), None);
    for i in 0..32 {
        let (mass, reach) = if i == 31 { (end, reach) } else { (MassProperties::capsule(1.0, 0.03, 0.12), 0.15) };
        let body = add(&mut world, &format!("link {i}"), mass, at(0.3 * i as Real + reach, 0.0, 0.0));
        let anchor = if above.is_some() { at(0.15, 0.0, 0.0) } else { Placement::IDENTITY };
        joints.push(join(&mut world, Joint::ball(above, anchor, Some(body), at(-reach, 0.0, 0.0))));
        above = Some(body);
    }
    let mut widest: Real = 0.0;
    run(&mut world, 10.0, H, |world| {
        widest = joints.iter().map(|&j| gap(world, j)).fold(widest, Real::max);
    });
    widest
}

/// Trees stay joined: equal links.
#[test]
fn chain_of_equal_links_stays_joined() {
    small(widest_gap(MassProperties::capsule(1.0, 0.03, 0.12), 0.15), 1e-6);
}

/// Trees stay joined: ten thousand links' mass at the end, as a ball.
#[test]
fn chain_with_a_heavy_ball_stays_joined() {
    small(widest_gap(MassProperties::sphere(1e4, 0.5), 0.5), 1e-5);
}

/// Trees stay joined: ten thousand links' mass in the last link itself.
#[test]
fn chain_with_a_heavy_link_stays_joined() {
    small(widest_gap(MassProperties::capsule(1e4, 0.03, 0.12), 0.15), 1e-5);
}

/// A chain between two level towers, damped to rest: each tower lifts half of it, and the horizontal pull is the same
/// at every joint.
#[test]
fn chain_between_towers_shares_its_weight() {
    for stepper in both() {
        let mut world = world(stepper);
        let count = 9;
        let (mut joints, mut bodies) = (Vec::new(), Vec::new());
        // An arch hanging down between towers 6 m apart, of nine 1 m links.
        let half: Real = 3.0;
        let depth = (4.5_f64 * 4.5 - half * half).sqrt();
        let corner = |i: usize| {
            let s = i as Real / 4.5 - 1.0;
            v(half * s, -depth * (1.0 - s.abs()), 0.0)
        };
        for i in 0..count {
            let (from, to) =
                if i == 4 { (v(-0.5, -depth, 0.0), v(0.5, -depth, 0.0)) } else { (corner(i), corner(i + 1)) };
            let rotation =
                sinew_dynamics::Quat::rotation_between(&Vec3::x(), &(to - from)).expect("never turned right back");
            let place = Placement::new((from + to) / 2.0, rotation);
            let link = add(&mut world, &format!("link {i}"), slender(2.0, 1.0), place);
            world.add_force(Law::Damping { body: link, rate: 3.0 }).unwrap();
            bodies.push(link);
        }
        for i in 0..=count {
            let a = if i == 0 { (None, at(-half, 0.0, 0.0)) } else { (Some(bodies[i - 1]), at(0.5, 0.0, 0.0)) };
            let b = if i == count { (None, at(half, 0.0, 0.0)) } else { (Some(bodies[i]), at(-0.5, 0.0, 0.0)) };
            joints.push(join(&mut world, Joint::ball(a.0, a.1, b.0, b.1)));
        }
        // The middle link was put a little off; the chain pulls itself together first.
        world.assemble(1e-6, 1.0).unwrap();
        run(&mut world, 12.0, H, |_| ());
        let pull = |world: &World, i: usize| {
            if i == count { -force_on(world, joints[i], bodies[i - 1]) } else { force_on(world, joints[i], bodies[i]) }
        };
        close(pull(&world, 0).y, 0.5 * count as Real * 2.0 * G, 1e-3);
        close(-pull(&world, count).y, 0.5 * count as Real * 2.0 * G, 1e-3);
        let level = pull(&world, 0).x;
        for (i, &joint) in joints.iter().enumerate() {
            close(pull(&world, i).x, level, 1e-3);
            small(gap(&world, joint), 1e-5);
        }
    }
}
