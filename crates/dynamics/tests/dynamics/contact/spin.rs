//! Contact of bodies that spin fast, are thin, or are tiny: energy never rises.

use super::random_scenes::{random_scene, watch};
use sinew_dynamics::{Body, Collider, MassProperties, Material, Placement, Shape, World};
use sinew_dynamics::{Quat, Real, Vec3};

fn ground(world: &mut World, friction: Real, restitution: Real) {
    let ground = world.add_body(Body::fixed("ground", Placement::IDENTITY)).unwrap();
    let material = Material { friction, restitution, ..Material::default() };
    let floor = Collider { material, ..Collider::new(Shape::HalfSpace { normal: Vec3::y() }) };
    world.add_collider(ground, floor).unwrap();
}

fn drop(world: &mut World, shape: Shape, mass: MassProperties, place: Placement, restitution: Real) -> Body {
    let body = Body::dynamic("body", mass, place);
    let id = world.add_body(body.clone()).unwrap();
    let material = Material { friction: 0.4, restitution, ..Material::default() };
    world.add_collider(id, Collider { material, ..Collider::new(shape) }).unwrap();
    body
}

/// Largest energy less the least one before it, as a share of the first.
fn rise(world: &mut World, steps: usize, h: Real) -> Real {
    let start = world.energy();
    let (mut least, mut rise) = (start, 0.0);
    for _ in 0..steps {
        world.step(h).unwrap();
        rise = Real::max(rise, world.energy() - least);
        least = least.min(world.energy());
    }
    rise / start
}

fn disc(radius: Real, thick: Real) -> Shape {
    let corner = |k: usize| {
        let angle = (k / 2) as Real * std::f64::consts::TAU / 16.0;
        Vec3::new(radius * angle.cos(), if k.is_multiple_of(2) { 0.5 } else { -0.5 } * thick, radius * angle.sin())
    };
    Shape::Hull { points: (0..32).map(corner).collect() }
}

/// A coin of 24 mm tossed at up to 160 turns a second lands and settles; it turns by up to four radians within a step.
#[test]
fn tossed_coin_gains_no_energy() {
    for spin in [50.0, 250.0, 1000.0] {
        for restitution in [0.0, 0.5, 1.0] {
            let mut world = World::new();
            ground(&mut world, 0.4, restitution);
            let mass = MassProperties::cuboid(0.008, Vec3::new(0.021, 0.002, 0.021));
            let turn = Quat::from_scaled_axis(Vec3::z() * 0.7);
            drop(&mut world, disc(0.012, 0.002), mass, Placement::new(Vec3::new(0.0, 0.2, 0.0), turn), restitution);
            let id = world.bodies().nth(1).unwrap().0;
            let mut state = *world.state(id);
            state.velocity = Body::fixed("", Placement::IDENTITY)
                .with_velocity(Vec3::new(0.0, 1.0, 0.0), Vec3::new(spin, 0.1 * spin, 0.0))
                .state
                .velocity;
            world.set_state(id, state).unwrap();
            let rise = rise(&mut world, 360, 1.0 / 240.0);
            assert!(rise < 0.01, "{spin} rad/s, restitution {restitution}: rise of {rise}");
        }
    }
}

/// A plate of 1:100 falls on a drum that bounces perfectly; in metres and in millimetres.
#[test]
fn plate_on_a_bouncing_drum_gains_no_energy() {
    for size in [1.0, 0.1, 1e-3] {
        for restitution in [0.5, 1.0] {
            let mut world = World::new();
            ground(&mut world, 0.5, restitution);
            let mass = MassProperties::cuboid(1.0, Vec3::new(1.7, 1.0, 1.7) * size);
            drop(&mut world, disc(size, size), mass, Placement::at(Vec3::new(0.07, 2.5, 0.0) * size), restitution);
            let plate = Vec3::new(1.0, 0.01, 1.0) * size;
            let shape = Shape::Box { half_extents: plate * 0.5 };
            let place = Placement::at(Vec3::new(-0.06, 7.7, -0.06) * size);
            drop(&mut world, shape, MassProperties::cuboid(1.0, plate), place, 0.0);
            let rise = rise(&mut world, 360, 1.0 / 240.0);
            assert!(rise < 0.01, "size {size} m, restitution {restitution}: rise of {rise}");
        }
    }
}

/// Plates, rods and discs that meet in the void at 30 rad/s, with and without friction and bounces, keep their common momentum, also where
/// the energy bound takes something back.
#[test]
fn bodies_that_meet_in_the_void_keep_their_momentum() {
    for (friction, restitution) in [(0.0, 0.0), (0.0, 1.0), (0.6, 0.0), (0.6, 1.0)] {
        let mut world = World::new();
        world.gravity = Vec3::zeros();
        for k in 0..5 {
            let thin = Vec3::new(0.5, [0.5, 0.01, 0.02][k % 3], [0.5, 0.4, 0.02][k % 3]);
            let place = Placement::at(Vec3::new(0.6 * k as Real, 0.05 * k as Real, -0.03 * k as Real));
            let spin = Vec3::new(3.0, 30.0, -8.0) * if k % 2 == 0 { 1.0 } else { -0.4 };
            let body = Body::dynamic("body", MassProperties::cuboid(1.0 + k as Real, thin), place)
                .with_velocity(Vec3::new(2.0 - k as Real, 0.1, 0.0), spin);
            let id = world.add_body(body).unwrap();
            let material = Material { friction, restitution, ..Material::default() };
            let shape = Shape::Box { half_extents: thin * 0.5 };
            world.add_collider(id, Collider { material, ..Collider::new(shape) }).unwrap();
        }
        let (start, energy) = (world.momentum().0, world.energy());
        for _ in 0..240 {
            world.step(1.0 / 120.0).unwrap();
            let off = (world.momentum().0 - start).norm();
            assert!(off < 1e-12 * start.norm(), "friction {friction}, restitution {restitution}: off by {off}");
            assert!(world.energy() <= energy * (1.0 + 1e-9), "{} of {energy} J", world.energy());
        }
    }
}

/// Steps of a second: bodies end up wherever, but nothing works on them.
#[test]
fn steps_of_a_second_gain_no_energy() {
    let mut world = World::new();
    ground(&mut world, 0.5, 0.5);
    for k in 0..4 {
        let half = Vec3::new(0.23, 0.23 + k as Real, 0.1);
        let place = Placement::at(Vec3::new(0.3 * k as Real, 5.0 + 8.0 * k as Real, 0.1));
        drop(&mut world, Shape::Box { half_extents: half }, MassProperties::cuboid(1.0, half * 2.0), place, 0.5);
    }
    let rise = rise(&mut world, 20, 1.0);
    assert!(rise < 0.01, "rise of {rise}");
}

/// Sizes from a millimetre to ten metres, thinness to 1:1000, spins to 1000 rad/s, restitution from 0 to 1, steps from 1/1000 to
/// 1/30 s. `extreme_scenes` among the tools runs more of them, for longer.
#[test]
fn random_extreme_scenes_gain_no_energy() {
    for number in 0..40 {
        let mut scene = random_scene(number);
        let run = watch(&mut scene, 150).unwrap();
        assert!(run.rise <= 0.01 * run.energy, "{}: {run:?}", scene.title);
    }
}
