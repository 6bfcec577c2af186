//! The same input gives the same bits: again, with other thread counts, after a snapshot, and for a long time.

use super::scenes::*;
use sinew_dynamics::{Body, BodyId, Collider, Constraint, History, Joint, MassProperties, Placement, Shape, World};
use sinew_dynamics::{Quat, Real, Vec3};

/// Several rag-doll-like chains and boxes fall and collide.
fn scene() -> World {
    let m = material(0.6, 0.1);
    let mut world = world_with_floor(0.0, m);
    for figure in 0..6 {
        let mut parent: Option<BodyId> = None;
        let origin = Vec3::new(0.35 * (figure % 3) as Real, 0.5 + 0.25 * (figure / 3) as Real, 0.1 * figure as Real);
        let rotation = Quat::from_scaled_axis(Vec3::new(0.1, 0.7, 0.3) * figure as Real);
        for link in 0..5 {
            let place = Placement::new(origin + rotation * Vec3::new(0.2 * link as Real, 0.0, 0.0), rotation);
            let body = Body::dynamic("link", MassProperties::capsule(1.0, 0.04, 0.1), place);
            let shape = Shape::Capsule { a: Vec3::new(-0.06, 0.0, 0.0), b: Vec3::new(0.06, 0.0, 0.0), radius: 0.04 };
            let id = world.add_body(body).expect("a sound body");
            let collider = Collider::new(shape).with_material(m).of_family(figure + 1);
            world.add_collider(id, collider).expect("a sound shape");
            if let Some(parent) = parent {
                let end = |x: Real| Placement::at(Vec3::new(x, 0.0, 0.0));
                world
                    .add_constraint(Constraint::new(Joint::ball(Some(parent), end(0.1), Some(id), end(-0.1))))
                    .expect("sound");
            }
            parent = Some(id);
        }
        let at = Placement::at(origin + Vec3::new(0.0, 1.5, 0.0));
        add_box(&mut world, 0.5, Vec3::new(0.1, 0.05, 0.08), at, m);
    }
    world
}

fn hash_after(threads: usize, steps: usize) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        let mut world = scene();
        for _ in 0..steps {
            world.step(1.0 / 120.0).expect("a finite step");
        }
        world.state_hash()
    })
}

#[test]
fn two_runs_and_any_number_of_threads_give_the_same_bits() {
    let one = hash_after(1, 300);
    assert_eq!(one, hash_after(1, 300), "two runs");
    assert_eq!(one, hash_after(2, 300), "two threads");
    assert_eq!(one, hash_after(5, 300), "five threads");
}

#[test]
fn a_run_resumed_from_a_snapshot_gives_the_same_bits() {
    let mut world = scene();
    run(&mut world, 1.0, 1.0 / 120.0);
    let middle = world.snapshot();
    run(&mut world, 1.5, 1.0 / 120.0);
    let hash = world.state_hash();
    let mut other = scene();
    other.restore(&middle);
    run(&mut other, 1.5, 1.0 / 120.0);
    assert_eq!(other.state_hash(), hash);
    world.restore(&middle);
    run(&mut world, 1.5, 1.0 / 120.0);
    assert_eq!(world.state_hash(), hash);
}

#[test]
fn stepping_back_restores_earlier_states_exactly() {
    let mut world = scene();
    let mut history = History::new(50);
    let mut hashes = Vec::new();
    for _ in 0..80 {
        history.keep(&world);
        hashes.push(world.state_hash());
        world.step(1.0 / 120.0).expect("a finite step");
    }
    for _ in 0..50 {
        assert!(history.step_back(&mut world));
        assert_eq!(world.state_hash(), hashes.pop().expect("one per step"));
    }
    assert!(!history.step_back(&mut world));
}

/// Islands change only the speed: bodies that never touch move as they do in worlds of their own.
#[test]
fn bodies_that_never_meet_move_as_if_alone() {
    let lone = |x: Real| {
        let mut world = world_with_floor(0.0, material(0.5, 0.3));
        let at = Placement::new(Vec3::new(x, 0.7, 0.0), Quat::from_scaled_axis(Vec3::new(0.5, 0.1, x)));
        let id = add_box(&mut world, 1.0, Vec3::new(0.2, 0.1, 0.15), at, material(0.5, 0.3));
        run(&mut world, 1.0, 1.0 / 120.0);
        *world.state(id)
    };
    let mut both = world_with_floor(0.0, material(0.5, 0.3));
    let ids: Vec<BodyId> = [0.0, 5.0]
        .into_iter()
        .map(|x: Real| {
            let at = Placement::new(Vec3::new(x, 0.7, 0.0), Quat::from_scaled_axis(Vec3::new(0.5, 0.1, x)));
            add_box(&mut both, 1.0, Vec3::new(0.2, 0.1, 0.15), at, material(0.5, 0.3))
        })
        .collect();
    run(&mut both, 1.0, 1.0 / 120.0);
    assert_eq!(*both.state(ids[0]), lone(0.0));
    assert_eq!(*both.state(ids[1]), lone(5.0));
}
