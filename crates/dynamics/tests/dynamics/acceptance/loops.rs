//! Closed loops: the parallelogram.

use super::scenes::*;
use sinew_dynamics::{BodyId, Joint, Placement, Stepper, World};
use sinew_dynamics::{Quat, Vec3};

/// Two 1 m cranks hang from level hinges 1 m apart, a 1 m coupler joins their lower ends; all masses 1 kg. Four hinges are
/// twenty rows for eighteen freedoms, and it still moves: three of them are redundant.
fn parallelogram(stepper: Stepper, angle: f64) -> (World, [BodyId; 3]) {
    let mut world = world(stepper);
    let rotation = Quat::from_axis_angle(&Vec3::z_axis(), angle - std::f64::consts::FRAC_PI_2);
    let along = rotation * v(1.0, 0.0, 0.0);
    let left = add(&mut world, "left crank", slender(1.0, 1.0), Placement::new(along * 0.5, rotation));
    let right =
        add(&mut world, "right crank", slender(1.0, 1.0), Placement::new(v(1.0, 0.0, 0.0) + along * 0.5, rotation));
    let coupler = add(&mut world, "coupler", slender(1.0, 1.0), Placement::at(along + v(0.5, 0.0, 0.0)));
    let (near, far) = (at(-0.5, 0.0, 0.0), at(0.5, 0.0, 0.0));
    join(&mut world, Joint::hinge(None, Placement::IDENTITY, Some(left), near));
    join(&mut world, Joint::hinge(None, at(1.0, 0.0, 0.0), Some(right), near));
    join(&mut world, Joint::hinge(Some(left), far, Some(coupler), near));
    join(&mut world, Joint::hinge(Some(right), far, Some(coupler), far));
    (world, [left, right, coupler])
}

/// T = ½(2/3 + 1)θ̇², V = −2g cos θ: small swings take 2π/√(6g/5) = 1.8313 s.
#[test]
fn parallelogram_swings_with_its_small_swing_period() {
    for stepper in both() {
        let (mut world, [left, ..]) = parallelogram(stepper, 0.05);
        let turns = sign_changes(&mut world, 4.0, H, |world| world.state(left).angular().z);
        close(turns[3] / 2.0, 1.8313, 2e-3);
    }
}

/// The coupler of a parallelogram never turns, in a minute of swinging.
#[test]
fn parallelogram_keeps_its_coupler_level() {
    for stepper in both() {
        let (mut world, [_, _, coupler]) = parallelogram(stepper, 0.6);
        run(&mut world, 60.0, H, |world| {
            small(angle_between(&world.state(coupler).placement.rotation, &Quat::identity()), 1e-6);
        });
    }
}
