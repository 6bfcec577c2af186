//! Systems without a unique solution: shared loads and contradictions.

use super::scenes::*;
use sinew_dynamics::{Joint, MassProperties, Placement, Response, SolverKind, World};
use sinew_dynamics::{Real, Vec3};

/// A plate on four symmetric nails: twelve rows for six freedoms. The least-norm answer gives each nail a quarter.
#[test]
fn plate_on_four_nails_loads_each_with_a_quarter() {
    for stepper in both() {
        let mut world = world(stepper);
        world.set_solver(SolverKind::Dense);
        let plate = add(&mut world, "plate", MassProperties::cuboid(8.0, v(0.5, 0.05, 0.4)), Placement::IDENTITY);
        let corners = [(0.5, 0.4), (0.5, -0.4), (-0.5, 0.4), (-0.5, -0.4)];
        let nails =
            corners.map(|(x, z)| join(&mut world, Joint::ball(None, at(x, 0.0, z), Some(plate), at(x, 0.0, z))));
        world.step(H).unwrap();
        for nail in nails {
            close(force_on(&world, nail, plate).y, 2.0 * G, 1e-9);
        }
    }
}

/// A rod whose ends are pulled to nails 2δ further apart than it is long comes to rest in the middle, each end off by
/// δ, and the two forces, which cancel, go to zero in the least-norm answer.
#[test]
fn rod_between_nails_too_far_apart_rests_in_the_middle() {
    let (length, delta) = (1.0, 0.1);
    let mut world = space(rk4());
    world.set_solver(SolverKind::Dense);
    let rod = add(&mut world, "rod", MassProperties::cylinder(1.0, 0.02, 0.5 * length), at(0.07, 0.0, 0.0));
    let reach = 0.5 * length + delta;
    let nails = [-1.0, 1.0].map(|side| {
        let nail = Joint::ball(None, at(side * reach, 0.0, 0.0), Some(rod), at(side * 0.5 * length, 0.0, 0.0));
        join(&mut world, nail.responding(Response::Decay { tau: 0.1 }))
    });
    run(&mut world, 4.0, H, |_| ());
    small(position(&world, rod).norm(), 1e-4);
    for nail in nails {
        small(gap(&world, nail) - delta, 1e-3);
        small(force_on(&world, nail, rod).norm(), 1e-9);
    }
}

/// A door on a level axis, held at its edge by `hinges`, dropped from level.
fn door(hinges: &[Real]) -> (World, sinew_dynamics::BodyId, Vec<sinew_dynamics::ConstraintId>) {
    let mut world = world(rk4());
    world.set_solver(SolverKind::Dense);
    let door = add(&mut world, "door", MassProperties::cuboid(5.0, v(0.4, 0.02, 1.0)), at(0.4, 0.0, 0.0));
    let ids =
        hinges.iter().map(|&z| join(&mut world, Joint::hinge(None, at(0.0, 0.0, z), Some(door), at(-0.4, 0.0, z))));
    let ids = ids.collect();
    (world, door, ids)
}

/// Two hinges on one axis (ten rows, rank five) move a door as one hinge does, and carry together what one carries.
#[test]
fn door_on_two_hinges_moves_as_on_one() {
    let (mut single, one_door, one) = door(&[0.0]);
    let (mut double, two_door, two) = door(&[-0.8, 0.8]);
    for _ in 0..2400 {
        single.step(H).unwrap();
        double.step(H).unwrap();
        let rotation =
            angle_between(&single.state(one_door).placement.rotation, &double.state(two_door).placement.rotation);
        small(rotation, 1e-6);
        let together = force_on(&double, two[0], two_door) + force_on(&double, two[1], two_door);
        small((together - force_on(&single, one[0], one_door)).norm(), 1e-6 * 5.0 * G);
    }
    let diagnosis = double.diagnose();
    assert_eq!((diagnosis.rows, diagnosis.rank), (10, 5));
}

/// The same ball joint twice: each carries half.
#[test]
fn doubled_ball_joint_shares_evenly() {
    for stepper in both() {
        let mut world = world(stepper);
        world.set_solver(SolverKind::Dense);
        let (rod, hinge) = rod_pendulum(&mut world, 2.0, 1.0);
        world.constraint_mut(hinge).enabled = false;
        let twins =
            [0; 2].map(|_| join(&mut world, Joint::ball(None, Placement::IDENTITY, Some(rod), at(-0.5, 0.0, 0.0))));
        run(&mut world, 2.0, H, |world| {
            let [a, b] = twins.map(|id| force_on(world, id, rod));
            small((a - b).norm(), 1e-6 * 2.0 * G);
        });
        // The tree solver gives the whole to one of them, and the same motion.
        let mut tree = world.clone();
        tree.set_solver(SolverKind::Tree);
        run(&mut world, 1.0, H, |_| ());
        run(&mut tree, 1.0, H, |_| ());
        small((position(&world, rod) - position(&tree, rod)).norm(), 1e-6);
    }
}

/// Hinge about z for 2.5 s, then about y: the row that is violated at the change dies out like
/// [C₀ + (Ċ₀ + C₀/τ)t]e^(−t/τ), and all rows are met after 12 τ.
#[test]
fn morphing_hinge_follows_the_critically_damped_decay() {
    use sinew_dynamics::{Axis, Constraint, Element};
    let (tau, change) = (0.1, 2.5);
    let mut world = space(rk4());
    let wheel = add(&mut world, "wheel", MassProperties::cylinder(1.0, 0.5, 0.05), Placement::IDENTITY);
    let frame = Joint::new(None, Placement::IDENTITY, Some(wheel), Placement::IDENTITY);
    join(&mut world, Joint::ball(None, Placement::IDENTITY, Some(wheel), Placement::IDENTITY));
    let about_z =
        frame.clone().holding(&[Element::Perpendicular(Axis::Z, Axis::X), Element::Perpendicular(Axis::Z, Axis::Y)]);
    let about_y = frame
        .holding(&[Element::Perpendicular(Axis::Y, Axis::X), Element::Perpendicular(Axis::Y, Axis::Z)])
        .responding(Response::Decay { tau });
    world.add_constraint(Constraint::new(about_z).during(0.0, change)).unwrap();
    world.add_constraint(Constraint::new(about_y).during(change, Real::INFINITY)).unwrap();
    // Turned to 30° at the change.
    let rate = std::f64::consts::PI / 6.0 / change;
    set_velocity(&mut world, wheel, Vec3::zeros(), v(0.0, 0.0, rate));
    run(&mut world, change, 0.005, |_| ());
    let lean = |world: &World| (world.state(wheel).placement.rotation * Vec3::x()).y;
    let c0 = lean(&world);
    close(c0, 0.5, 1e-6);
    let slip = rate * (std::f64::consts::PI / 6.0).cos();
    run(&mut world, 12.0 * tau, 0.005, |world| {
        let t = world.time() - change;
        let expected = (c0 + (slip + c0 / tau) * t) * (-t / tau).exp();
        small(lean(world) - expected, 0.01 * c0);
    });
    small(lean(&world), 1e-3);
}
