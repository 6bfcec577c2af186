//! Assembly of mechanisms given in pieces, and its report of constraints that cannot be met.

use super::scenes::*;
use sinew_dynamics::{Constraint, Joint, MassProperties, Placement, SolverKind};
use sinew_dynamics::{Quat, Vec3};

/// Six scattered beams become a closed ring with one nail; the report follows each constraint down.
#[test]
fn scattered_pieces_become_a_ring() {
    let mut world = space(rk4());
    let mut bodies = Vec::new();
    for i in 0..6 {
        let angle = i as f64 * std::f64::consts::PI / 3.0;
        let rotation = Quat::from_axis_angle(&Vec3::z_axis(), angle + 1.7);
        let scatter = v(0.3 * (i % 2) as f64, -0.2 * (i % 3) as f64, 0.1 * i as f64);
        let place = Placement::new(v(angle.cos(), angle.sin(), 0.0) + scatter, rotation);
        bodies.push(add(&mut world, &format!("beam {i}"), MassProperties::cylinder(1.0, 0.05, 0.5), place));
    }
    let mut joints = Vec::new();
    for i in 0..6 {
        let (a, b) = (bodies[i], bodies[(i + 1) % 6]);
        let joint = Joint::ball(Some(a), at(0.5, 0.0, 0.0), Some(b), at(-0.5, 0.0, 0.0));
        joints.push(world.add_constraint(Constraint::new(joint).named(format!("corner {i}"))).unwrap());
    }
    let nail = Joint::ball(None, at(3.0, 0.0, 0.0), Some(bodies[0]), at(-0.5, 0.0, 0.0));
    joints.push(world.add_constraint(Constraint::new(nail).named("nail")).unwrap());
    let report = world.assemble(1e-5, 3.0).unwrap();
    assert!(report.met(), "{:?}", report.unmet().map(|d| &d.name).collect::<Vec<_>>());
    assert!(report.time < 3.0);
    for &joint in &joints {
        small(gap(&world, joint), 2e-5);
    }
    // 36 freedoms less 21 rows; nothing says anything twice.
    assert_eq!(report.freedoms, 15);
    assert!(report.overlaps.is_empty());
    for deviation in &report.deviations {
        assert_eq!(deviation.history.len(), report.times.len());
        assert!(deviation.history[0] > 0.05 && *deviation.history.last().unwrap() <= 1e-5);
    }
    // The world's own stepper takes over without a jolt.
    run(&mut world, 0.5, H, |world| small(joints.iter().map(|&j| gap(world, j)).fold(0.0, f64::max), 1e-3));
}

/// A rod with both ends on nails too far apart cannot be met: the report names both, and how far they are off.
#[test]
fn contradicting_nails_are_reported() {
    let mut world = space(rk4());
    let rod = add(&mut world, "rod", MassProperties::cylinder(1.0, 0.02, 0.5), at(0.05, 0.0, 0.0));
    for (side, name) in [(-1.0, "left"), (1.0, "right")] {
        let nail = Joint::ball(None, at(0.6 * side, 0.0, 0.0), Some(rod), at(0.5 * side, 0.0, 0.0));
        world.add_constraint(Constraint::new(nail).named(name)).unwrap();
    }
    let report = world.assemble(1e-6, 2.0).unwrap();
    assert!(!report.met());
    let unmet: Vec<&str> = report.unmet().map(|d| d.name.as_str()).collect();
    assert_eq!(unmet, ["left", "right"]);
    for deviation in report.unmet() {
        close(*deviation.history.last().unwrap(), 0.1, 1e-2);
    }
    let fight = &report.overlaps[0];
    assert_eq!((fight.constraints.len(), fight.spare_rows), (2, 1));
    assert!(fight.conflict > 0.05, "{}", fight.conflict);
    small(position(&world, rod).norm(), 1e-3);
}

/// Repeated constraints that agree are met, and reported as redundant.
#[test]
fn agreeing_repetitions_are_reported_as_spare() {
    let mut world = space(rk4());
    world.set_solver(SolverKind::Dense);
    let rod = add(&mut world, "rod", MassProperties::cylinder(1.0, 0.02, 0.5), at(1.0, 2.0, 0.0));
    for _ in 0..2 {
        join(&mut world, Joint::ball(None, Placement::IDENTITY, Some(rod), at(0.5, 0.0, 0.0)));
    }
    let report = world.assemble(1e-6, 2.0).unwrap();
    assert!(report.met());
    assert_eq!(report.freedoms, 3);
    assert_eq!(report.overlaps.iter().map(|o| o.spare_rows).sum::<usize>(), 3);
    assert!(report.overlaps.iter().all(|o| o.conflict <= 1e-6));
}
