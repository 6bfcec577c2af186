//! Scenes that distinguish a converged solver from one that only looks stable: a great mass on a light chain, and a
//! tree whose sag depends on the gains of its motors alone.

use super::scenes::*;
use sinew_dynamics::math::Vec6;
use sinew_dynamics::{
    Axis, Body, BodyId, ConstraintId, Element, Joint, MassProperties, Motion, Response, Script, SolverKind, Stepper,
    World,
};
use sinew_dynamics::{Real, Vec3};

fn link() -> MassProperties {
    MassProperties::capsule(1.0, 0.03, 0.12)
}

/// Ten links of 1 kg let go level with 10 t at the end: the joints stay within 0.1 mm, energy within 1 % of the drop.
#[test]
fn ten_tonnes_on_a_light_chain_keep_energy_and_joints() {
    let mut world = world(Stepper::default());
    let (mut joints, mut above, mut drop) = (Vec::new(), None, 0.0);
    for i in 0..11 {
        let (mass, reach) = if i == 10 { (MassProperties::sphere(1e4, 0.5), 0.5) } else { (link(), 0.15) };
        let place = at(0.3 * i as Real + reach, 0.0, 0.0);
        drop += mass.mass * G * place.position.x;
        let body = add(&mut world, &format!("link {i}"), mass, place);
        let anchor = if above.is_some() { at(0.15, 0.0, 0.0) } else { at(0.0, 0.0, 0.0) };
        joints.push(join(&mut world, Joint::ball(above, anchor, Some(body), at(-reach, 0.0, 0.0))));
        above = Some(body);
    }
    let before = world.energy();
    let (mut widest, mut off): (Real, Real) = (0.0, 0.0);
    run(&mut world, 2.0, H, |world| {
        widest = joints.iter().map(|&j| gap(world, j)).fold(widest, Real::max);
        off = off.max((world.energy() - before).abs() / drop);
    });
    small(widest, 1e-4);
    small(off, 0.01);
}

/// A full binary tree of seven levels, every joint held by a critically damped 2 Hz spring about what it carries.
fn tree(world: &mut World) -> (Vec<BodyId>, Vec<ConstraintId>) {
    let (count, length): (usize, Real) = (127, 0.3);
    let side = |i: usize| if i % 2 == 1 { 0.1 } else { -0.1 };
    let mut starts = vec![Vec3::zeros()];
    for i in 1..count {
        starts.push(starts[(i - 1) / 2] + v(length, 0.0, side(i)));
    }
    let centre = |i: usize| starts[i] + v(length / 2.0, 0.0, 0.0);
    let carried_by = |i: usize, mut j: usize| {
        while j > i {
            j = (j - 1) / 2;
        }
        j == i
    };
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for i in 0..count {
        let parts: Vec<_> = (i..count).filter(|&j| carried_by(i, j)).map(|j| (link(), centre(j) - starts[i])).collect();
        let (whole, middle) = MassProperties::combined(&parts);
        let about_joint = whole.inertia
            + (sinew_dynamics::math::Mat3::identity() * middle.norm_squared() - middle * middle.transpose())
                * whole.mass;
        let (inertia, omega) = (about_joint.diagonal().max(), 2.0 * std::f64::consts::PI * 2.0);
        let motor = Response::Spring { stiffness: inertia * omega * omega, damping: 2.0 * inertia * omega };
        let place = centre(i);
        let body = add(world, &format!("link {i}"), link(), at(place.x, place.y, place.z));
        let (parent, anchor) = match i {
            0 => (None, at(0.0, 0.0, 0.0)),
            _ => (Some(bodies[(i - 1) / 2]), at(length / 2.0, 0.0, side(i))),
        };
        let mut joint = Joint::ball(parent, anchor, Some(body), at(-length / 2.0, 0.0, 0.0));
        for axis in Axis::ALL {
            joint = joint.driven(Element::Angular(axis), motor, Real::INFINITY);
        }
        joints.push(join(world, joint));
        bodies.push(body);
    }
    (bodies, joints)
}

fn mean_sag(world: &World, leaves: &[BodyId]) -> Real {
    -leaves.iter().map(|&b| position(world, b).y).sum::<Real>() / leaves.len() as Real
}

/// The tree's leaves sag by 413 mm in 2 s with any solver that converged.
#[test]
fn tree_of_127_motors_sags_as_its_gains_say() {
    let mut world = world(Stepper::default());
    let (bodies, joints) = tree(&mut world);
    let mut widest: Real = 0.0;
    run(&mut world, 2.0, H, |world| widest = joints.iter().map(|&j| gap(world, j)).fold(widest, Real::max));
    close(mean_sag(&world, &bodies[63..]), 0.413, 0.01);
    small(widest, 1e-6);
}

/// The iterative solver, run to convergence, gives the same sag.
#[test]
fn iterating_to_convergence_sags_the_same() {
    let mut exact = world(Stepper::default());
    let (leaves, _) = tree(&mut exact);
    let mut iterated = exact.clone();
    iterated.set_solver(SolverKind::Iterative { max_sweeps: 20_000, tolerance: 1e-11 });
    for world in [&mut exact, &mut iterated] {
        run(world, 0.05, H, |_| ());
    }
    close(mean_sag(&iterated, &leaves[63..]), mean_sag(&exact, &leaves[63..]), 1e-6);
}

/// A capture often begins with an inserted pose metres away. Bodies joined to one that jumps so are torn off at first
/// (nothing physical could follow), then come together again instead of flying apart.
#[test]
fn joints_torn_by_a_jump_close_again() {
    let mut world = world(Stepper::default());
    let script = Script::new(|t| Motion {
        placement: if t < 0.1 { at(0.0, 0.0, 0.0) } else { at(2.0, 0.5, -1.0) },
        velocity: Vec6::zeros(),
        acceleration: Vec6::zeros(),
    });
    let mut above = world.add_body(Body::scripted("hand", script)).unwrap();
    let mut joints = Vec::new();
    for i in 0..6 {
        let body = add(&mut world, &format!("link {i}"), link(), at(0.3 * i as Real + 0.15, 0.0, 0.0));
        let anchor = at(if i == 0 { 0.0 } else { 0.15 }, 0.0, 0.0);
        let mut joint = Joint::ball(Some(above), anchor, Some(body), at(-0.15, 0.0, 0.0));
        for axis in Axis::ALL {
            joint =
                joint.driven(Element::Angular(axis), Response::Spring { stiffness: 5.0, damping: 0.5 }, Real::INFINITY);
        }
        joints.push(join(&mut world, joint));
        above = body;
    }
    run(&mut world, 4.0, H, |_| ());
    small(joints.iter().map(|&j| gap(&world, j)).fold(0.0, Real::max), 1e-6);
    let fastest = world.bodies().map(|(id, _)| world.state(id).velocity.amax()).fold(0.0, Real::max);
    // The jump itself was made at 550 m/s.
    small(fastest, 150.0);
}
