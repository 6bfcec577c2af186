//! Limbs that turn too far within a step, in steps that may not be cut.

use super::scenes::*;
use sinew::dynamics::{Body, BodyId, Constraint, Joint, MassProperties, Placement, Stepper, TimeStepping, World};
use sinew::{Quat, Real, Vec3};

/// One inner step per step, whatever happens.
fn uncut(mut world: World) -> World {
    world.stepper = Stepper::TimeStepping(TimeStepping { tolerance: 1e-4, max_substeps: 1, ..TimeStepping::default() });
    world
}

/// The largest distance between the two ends of any ball joint.
fn gap(world: &World, joints: &[(BodyId, Vec3, BodyId, Vec3)]) -> Real {
    let apart = |(a, on_a, b, on_b): &(BodyId, Vec3, BodyId, Vec3)| {
        (world.state(*a).placement.point(on_a) - world.state(*b).placement.point(on_b)).norm()
    };
    joints.iter().map(apart).fold(0.0, Real::max)
}

/// Nothing acts from outside on a chain of three rods whose last one whirls by 2.5 radians per step: their joints stay
/// closed, their centre of mass goes straight on, and their energy never passes what it began with.
#[test]
fn whirling_rods_stay_together_and_gain_nothing() {
    let mut world = uncut(World::new());
    world.gravity = Vec3::zeros();
    let half = Vec3::new(0.15, 0.0, 0.0);
    let rods: Vec<BodyId> = (0..3)
        .map(|k| {
            let mass = MassProperties::cuboid(1.0, Vec3::new(0.15, 0.03, 0.03));
            let place = Placement::at(Vec3::new(0.3 * k as Real, 0.0, 0.0));
            // The last one turns about the joint that it hangs on.
            let spin = if k == 2 { Vec3::new(0.0, 20.0, 150.0) } else { Vec3::zeros() };
            let drift = Vec3::new(0.3, 0.1, -0.2);
            let body = Body::dynamic(format!("rod {k}"), mass, place);
            world.add_body(body.with_velocity(drift + spin.cross(&half), spin)).expect("a body")
        })
        .collect();
    let joints: Vec<_> = rods.windows(2).map(|pair| (pair[0], half, pair[1], -half)).collect();
    for &(a, on_a, b, on_b) in &joints {
        let joint = Joint::ball(Some(a), Placement::at(on_a), Some(b), Placement::at(on_b));
        world.add_constraint(Constraint::new(joint)).expect("a joint");
    }
    let centre = |world: &World| rods.iter().map(|id| at(world, *id)).sum::<Vec3>() / 3.0;
    let (start, drift) = (centre(&world), world.momentum().0 / 3.0);
    let energy = world.energy();
    for step in 1..=120 {
        world.step(1.0 / 60.0).expect("a finite step");
        let open = gap(&world, &joints);
        assert!(open < 5e-4, "joints open by {open} m in step {step}");
        let went = centre(&world) - start - drift * (step as Real / 60.0);
        assert!(went.norm() < 1e-9, "the centre of mass strayed by {} m", went.norm());
        let now = world.energy();
        assert!(now <= energy, "energy grew from {energy} J to {now} J in step {step}");
    }
}

/// A foot that comes down on a corner at 5 m/s below a leg tumbles by half a radian within the step that it hits in. The
/// corners that come down after the first one stop at the ground as well.
#[test]
fn tumbling_foot_does_not_sink_in() {
    let mut deepest: Real = 0.0;
    for tilt in [0.2, 0.5, 0.8, 1.1] {
        let mut world = uncut(world_with_floor(0.0, material(0.6, 0.0)));
        (world.contact.tolerance, world.contact.slop) = (1e-3, 1e-3);
        let half = Vec3::new(0.045, 0.04, 0.09);
        let turn = Quat::from_axis_angle(&Vec3::x_axis(), tilt);
        let fall = Vec3::new(0.0, -5.0, 0.0);
        let place = Placement::new(Vec3::new(0.0, 0.2, 0.0), turn);
        let foot = add_box(&mut world, 0.8, half, place, material(0.6, 0.0));
        push(&mut world, foot, fall, Vec3::zeros());
        let ankle = Vec3::new(0.0, 0.04, -0.05);
        let top = world.state(foot).placement.point(&ankle);
        let leg = MassProperties::cuboid(10.0, Vec3::new(0.06, 0.4, 0.06));
        let leg = Body::dynamic("leg", leg, Placement::at(top + Vec3::new(0.0, 0.4, 0.0)));
        let leg = world.add_body(leg.with_velocity(fall, Vec3::zeros())).expect("a body");
        let hung = Placement::at(Vec3::new(0.0, -0.4, 0.0));
        let joint = Joint::ball(Some(leg), hung, Some(foot), Placement::at(ankle));
        world.add_constraint(Constraint::new(joint)).expect("a joint");
        for _ in 0..8 {
            world.step(1.0 / 60.0).expect("a finite step");
            let place = world.state(foot).placement;
            let down = place.rotation.inverse() * Vec3::y();
            deepest = deepest.max(down.abs().dot(&half) - place.position.y);
        }
    }
    assert!(deepest < 0.012, "{deepest} m deep");
}
