//! Piles of many bodies: none is lost, and energy does not rise.

use super::scenes::*;
use sinew_dynamics::{Body, Collider, MassProperties, Material, Placement, Shape, World};
use sinew_dynamics::{Quat, Real, Vec3};

/// A pool of four walls into which bodies of three kinds fall, layer by layer.
fn pool(count: usize) -> World {
    // Ideal balls would spin on their spot for ever.
    let m = Material { friction: 0.5, rolling: 1e-3, spinning: 1e-3, ..Material::default() };
    let mut world = world_with_floor(0.0, m);
    for (x, z) in [(1.1, 0.0), (-1.1, 0.0), (0.0, 1.1), (0.0, -1.1)] {
        let wall = world.add_body(Body::fixed("wall", Placement::at(Vec3::new(x, 2.0, z)))).expect("a sound body");
        let half = if x != 0.0 { Vec3::new(0.1, 2.0, 1.2) } else { Vec3::new(1.2, 2.0, 0.1) };
        world.add_collider(wall, Collider::new(Shape::Box { half_extents: half }).with_material(m)).expect("sound");
    }
    for index in 0..count {
        let (layer, place) = (index / 16, index % 16);
        let (x, z) = ((place % 4) as Real - 1.5, (place / 4) as Real - 1.5);
        let at = Vec3::new(0.45 * x + 0.01 * (layer % 3) as Real, 0.3 + 0.3 * layer as Real, 0.45 * z);
        let rotation = Quat::from_scaled_axis(Vec3::new(0.7, 1.3, 0.4) * index as Real);
        let at = Placement::new(at, rotation);
        match index % 3 {
            0 => add_box(&mut world, 1.0, Vec3::new(0.12, 0.08, 0.1), at, m),
            1 => add_ball(&mut world, 1.0, 0.1, at.position, m),
            _ => {
                let body = Body::dynamic("capsule", MassProperties::capsule(1.0, 0.07, 0.08), at);
                let ends = (Vec3::new(-0.08, 0.0, 0.0), Vec3::new(0.08, 0.0, 0.0));
                add(&mut world, body, Shape::Capsule { a: ends.0, b: ends.1, radius: 0.07 }, m)
            }
        };
    }
    world
}

/// 200 bodies fall into a pool: none escapes, energy never rises by more than 1 %, all sleep within ten seconds after
/// the last has landed.
#[test]
fn two_hundred_bodies_come_to_rest_in_a_pool() {
    let mut world = pool(200);
    let mut energy = world.energy();
    let first = energy;
    let mut asleep_at = None;
    for step in 0..60 * 14 {
        world.step(1.0 / 60.0).expect("a finite step");
        let now = world.energy();
        assert!(now <= energy + 0.01 * first, "step {step}: {energy} → {now}");
        energy = energy.min(now);
        let moving = world.bodies().filter(|(id, b)| b.is_dynamic() && !world.is_asleep(*id)).count();
        if moving == 0 {
            asleep_at = Some(world.time());
            break;
        }
    }
    for (_, body, state) in world.bodies().map(|(id, b)| (id, b, world.state(id))).filter(|(_, b, _)| b.is_dynamic()) {
        let p = state.placement.position;
        assert!(p.y > 0.0 && p.x.abs() < 1.0 && p.z.abs() < 1.0, "{} escaped to {p}", body.name);
    }
    assert!(asleep_at.is_some_and(|t| t < 13.0), "{asleep_at:?}");
    let deepest = world.contacts().iter().map(|c| -c.distance).fold(0.0, Real::max);
    assert!(deepest < 2e-3, "{deepest}");
}
