//! Builds a slider-crank by hand, with no skeleton and no file: a motor turns a crank, a rod moves a piston.
//!
//!     cargo run --release --example machine

use sinew::dynamics::{Axis, Body, Constraint, Joint, MassProperties, Placement, PoweredAxis, World};
use sinew::{Real, Vec3};

/// Lengths of crank and rod, metres.
const CRANK: Real = 0.1;
const ROD: Real = 0.3;
/// Speed of the motor, rad/s.
const SPEED: Real = 10.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let at = |x: Real| Placement::at(Vec3::new(x, 0.0, 0.0));

    // Everything lies along x at first; the crank turns about z.
    let crank = world.add_body(Body::dynamic("crank", MassProperties::rod(1.0, CRANK), at(CRANK / 2.0)))?;
    let rod = world.add_body(Body::dynamic("rod", MassProperties::rod(0.5, ROD), at(CRANK + ROD / 2.0)))?;
    let piston = MassProperties::cuboid(2.0, Vec3::repeat(0.05));
    let piston = world.add_body(Body::dynamic("piston", piston, at(CRANK + ROD)))?;

    let shaft = Joint::hinge(None, at(0.0), Some(crank), at(-CRANK / 2.0));
    let motor = PoweredAxis::new(shaft.rotation(Axis::Z), 500.0).at_speed(SPEED);
    let shaft = world.add_constraint(Constraint::new(shaft).named("shaft"))?;
    let motor = world.add_constraint(Constraint::new(motor).named("motor"))?;
    world.add_constraint(Constraint::new(Joint::ball(Some(crank), at(CRANK / 2.0), Some(rod), at(-ROD / 2.0))))?;
    world.add_constraint(Constraint::new(Joint::ball(Some(rod), at(ROD / 2.0), Some(piston), at(0.0))))?;
    // A slider moves along the x axis of its first frame.
    world.add_constraint(Constraint::new(Joint::slider(None, at(0.0), Some(piston), at(0.0))).named("guide"))?;

    let (mut low, mut high, mut torque, mut load): (Real, Real, Real, Real) = (Real::INFINITY, 0.0, 0.0, 0.0);
    let mut gap: Real = 0.0;
    for _ in 0..1000 {
        gap = gap.max(world.step(1e-3)?.worst_error);
        let x = world.state(piston).placement.position.x;
        (low, high) = (low.min(x), high.max(x));
        torque = torque.max(world.wrench_on(motor, crank).fixed_rows::<3>(3).norm());
        load = load.max(world.wrench_on(shaft, crank).fixed_rows::<3>(0).norm());
    }
    println!("after {:.1} s the piston has moved between {low:.4} and {high:.4} m", world.time());
    println!("a stroke is twice the crank: {:.4} m of {:.4} m", high - low, 2.0 * CRANK);
    println!("the motor gives up to {torque:.1} N·m, the shaft carries up to {load:.0} N");
    println!("joints stay within {gap:.1e} m");
    Ok(())
}
