//! Builders of floors, boxes and balls, shared by the scenes.

use sinew_dynamics::{Body, BodyId, Collider, MassProperties, Material, Placement, Shape, World};
use sinew_dynamics::{Quat, Real, Vec3};

pub use crate::acceptance::scenes::{G, set_velocity as push};

pub fn material(friction: Real, restitution: Real) -> Material {
    Material { friction, restitution, ..Material::default() }
}

/// World with a floor at y = 0, or one inclined by `slope` radians, down towards +x.
pub fn world_with_floor(slope: Real, material: Material) -> World {
    let mut world = World::new();
    let tilt = Quat::from_axis_angle(&Vec3::z_axis(), -slope);
    let floor = world.add_body(Body::fixed("floor", Placement::new(Vec3::zeros(), tilt))).expect("a sound body");
    let shape = Shape::HalfSpace { normal: Vec3::y() };
    world.add_collider(floor, Collider::new(shape).with_material(material)).expect("a sound shape");
    world
}

pub fn add(world: &mut World, body: Body, shape: Shape, material: Material) -> BodyId {
    let id = world.add_body(body).expect("a sound body");
    world.add_collider(id, Collider::new(shape).with_material(material)).expect("a sound shape");
    id
}

pub fn add_box(world: &mut World, mass: Real, half: Vec3, at: Placement, material: Material) -> BodyId {
    let body = Body::dynamic("box", MassProperties::cuboid(mass, half), at);
    add(world, body, Shape::Box { half_extents: half }, material)
}

pub fn add_ball(world: &mut World, mass: Real, radius: Real, at: Vec3, material: Material) -> BodyId {
    let body = Body::dynamic("ball", MassProperties::sphere(mass, radius), Placement::at(at));
    add(world, body, Shape::Sphere { radius }, material)
}

pub fn run(world: &mut World, seconds: Real, h: Real) {
    for _ in 0..(seconds / h).round() as usize {
        world.step(h).expect("a finite step");
    }
}

pub fn at(world: &World, id: BodyId) -> Vec3 {
    world.state(id).placement.position
}
