//! Steps a small busy world for a long time and tells whether it stayed sound: `soak [STEPS]`, 20 000 without a number.
//!
//! Two chains and some boxes are thrown about in a box whose floor shakes. Every body must stay finite and inside, and the
//! memory of the process must not grow.

use sinew::dynamics::{
    Body, BodyId, Collider, Constraint, Joint, MassProperties, Motion, Placement, Script, Shape, World,
};
use sinew::math::Vec6;
use sinew::{Real, Vec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let steps: usize = std::env::args().nth(1).map_or(Ok(20_000), |text| text.parse())?;
    let mut world = busy_world()?;
    let mut early = 0;
    for step in 0..steps {
        world.step(1.0 / 120.0)?;
        for (id, body) in world.bodies().filter(|(_, body)| body.is_dynamic()) {
            let p = world.state(id).placement.position;
            if !(p.x.abs() < 1.1 && p.z.abs() < 1.1 && p.y > -0.2) {
                return Err(format!("step {step}: {} is at {p}", body.name).into());
            }
        }
        if step == steps / 10 {
            early = memory_in_use();
        }
    }
    println!("{steps} steps, {} s, state {:016x}", world.time(), world.state_hash());
    println!("memory: {early} kB after a tenth, {} kB at the end", memory_in_use());
    Ok(())
}

fn busy_world() -> Result<World, Box<dyn std::error::Error>> {
    let mut world = World::new();
    let shake = Script::new(|t: Real| Motion {
        placement: Placement::at(Vec3::new(0.0, -1.0 + 0.03 * (6.0 * t).sin(), 0.0)),
        velocity: Vec6::new(0.0, 0.18 * (6.0 * t).cos(), 0.0, 0.0, 0.0, 0.0),
        acceleration: Vec6::new(0.0, -1.08 * (6.0 * t).sin(), 0.0, 0.0, 0.0, 0.0),
    });
    let floor = world.add_body(Body::scripted("floor", shake))?;
    world.add_collider(floor, Collider::new(Shape::Box { half_extents: Vec3::new(3.0, 1.0, 3.0) }))?;
    for (x, z) in [(1.5, 0.0), (-1.5, 0.0), (0.0, 1.5), (0.0, -1.5)] {
        let wall = world.add_body(Body::fixed("wall", Placement::at(Vec3::new(x, 2.0, z))))?;
        let half = if x != 0.0 { Vec3::new(0.5, 4.0, 2.0) } else { Vec3::new(2.0, 4.0, 0.5) };
        world.add_collider(wall, Collider::new(Shape::Box { half_extents: half }))?;
    }
    for chain in 0..2 {
        let mut parent: Option<BodyId> = None;
        for link in 0..5 {
            let place = Placement::at(Vec3::new(-0.4 + 0.2 * link as Real, 0.6, 0.5 * chain as Real));
            let id = world.add_body(Body::dynamic("link", MassProperties::capsule(1.0, 0.04, 0.06), place))?;
            let shape = Shape::Capsule { a: Vec3::new(-0.06, 0.0, 0.0), b: Vec3::new(0.06, 0.0, 0.0), radius: 0.04 };
            world.add_collider(id, Collider::new(shape).of_family(chain + 1))?;
            if let Some(parent) = parent {
                let end = |x: Real| Placement::at(Vec3::new(x, 0.0, 0.0));
                world.add_constraint(Constraint::new(Joint::ball(Some(parent), end(0.1), Some(id), end(-0.1))))?;
            }
            parent = Some(id);
        }
    }
    let half = Vec3::new(0.12, 0.06, 0.08);
    for k in 0..6 {
        let place = Placement::at(Vec3::new(0.3 * (k % 3) as Real - 0.3, 1.0 + 0.2 * k as Real, -0.4));
        let id = world.add_body(Body::dynamic("box", MassProperties::cuboid(0.8, half), place))?;
        world.add_collider(id, Collider::new(Shape::Box { half_extents: half }))?;
    }
    Ok(world)
}

/// Resident memory in kilobytes where the system tells it, else 0.
fn memory_in_use() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kb| kb.parse().ok()).unwrap_or(0)
}
