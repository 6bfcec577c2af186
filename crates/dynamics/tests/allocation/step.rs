//! A steady step allocates nothing once its buffers have grown.

use super::counting::allocations;
use sinew_dynamics::{
    Axis, Body, Collider, Constraint, Element, Joint, MassProperties, Placement, Response, Shape, World,
};
use sinew_dynamics::{Quat, Real, Vec3};

/// A zigzag of motorised links whose far end is tied back to the world, so that trees, saturating motors and a loop
/// closure all take part.
fn chain(links: usize) -> World {
    let mut world = World::new();
    let end = |x: Real| Placement::at(Vec3::new(x, 0.0, 0.0));
    let mut joint_at = Vec3::zeros();
    let mut parent = None;
    for index in 0..links {
        let rotation = Quat::from_axis_angle(&Vec3::z_axis(), if index % 2 == 0 { 0.5 } else { -0.5 });
        let along = rotation * Vec3::new(0.3, 0.0, 0.0);
        let at = Placement::new(joint_at + along / 2.0, rotation);
        let link = Body::dynamic(format!("link {index}"), MassProperties::capsule(1.0, 0.03, 0.12), at);
        let link = world.add_body(link).expect("a sound body");
        let from = if parent.is_some() { end(0.15) } else { Placement::IDENTITY };
        let mut joint = Joint::ball(parent, from, Some(link), end(-0.15));
        for axis in Axis::ALL {
            let motor = Response::Spring { stiffness: 20.0, damping: 1.0 };
            joint = joint.driven(Element::Angular(axis), motor, if index % 3 == 0 { 2.0 } else { Real::INFINITY });
        }
        world.add_constraint(Constraint::new(joint)).expect("a sound joint");
        joint_at += along;
        parent = Some(link);
    }
    let tie = Joint::ball(None, Placement::at(joint_at), parent, end(0.15));
    world.add_constraint(Constraint::new(tie)).expect("a sound joint");
    world
}

/// A floor with the chain lying on it, and a tower of boxes beside.
fn with_contact(mut world: World) -> World {
    let floor = world.add_body(Body::fixed("floor", Placement::at(Vec3::new(0.0, -0.5, 0.0)))).expect("a sound body");
    world.add_collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::y() })).expect("a sound shape");
    let links: Vec<_> = world.bodies().filter(|(_, body)| body.is_dynamic()).map(|(id, _)| id).collect();
    for link in links {
        let shape = Shape::Capsule { a: Vec3::new(-0.12, 0.0, 0.0), b: Vec3::new(0.12, 0.0, 0.0), radius: 0.03 };
        world.add_collider(link, Collider::new(shape).of_family(1)).expect("a sound shape");
    }
    let half = Vec3::repeat(0.1);
    for k in 0..4 {
        let at = Placement::at(Vec3::new(0.0, -0.4 + 0.2 * k as Real, 2.0));
        let id = world.add_body(Body::dynamic("box", MassProperties::cuboid(1.0, half), at)).expect("a sound body");
        world.add_collider(id, Collider::new(Shape::Box { half_extents: half })).expect("a sound shape");
    }
    world.sleeping.enabled = false;
    world
}

/// Two worlds: the chain in the air, and the chain with contact.
#[test]
fn a_steady_step_allocates_nothing() {
    for world in [chain(24), with_contact(chain(24))] {
        step_steadily(world);
    }
}

fn step_steadily(mut world: World) {
    world.parallel = false;
    for _ in 0..480 {
        world.step(1.0 / 240.0).expect("a finite step");
    }
    let before = allocations().1;
    for _ in 0..240 {
        world.step(1.0 / 240.0).expect("a finite step");
    }
    assert_eq!(allocations().1 - before, 0);
}
