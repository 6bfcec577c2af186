//! Collision filters and the order of manifolds.

use super::scene::{Random, Scene, at, ball, cube, floor};
use sinew_dynamics::Vec3;
use sinew_dynamics::{Collider, CollisionEngine, Groups, Manifold, Placement};

fn pairs(manifolds: &[Manifold]) -> Vec<(usize, usize)> {
    manifolds.iter().map(|m| (m.a.index(), m.b.index())).collect()
}

#[test]
fn groups_meet_when_both_agree() {
    let groups = [(1, 2), (2, 1), (2, 2), (4, u32::MAX)];
    let mut scene = Scene::new(0.01);
    for (member, mask) in groups {
        scene.add_collider(Collider::new(ball(0.5)).in_groups(Groups { member, mask }), at(0.0, 0.0, 0.0));
    }
    // 0–1 agree; 0–2: 2 does not meet group 1; 1–2: 1 does not meet group 2; 3 is met by none.
    assert_eq!(pairs(&scene.collide()), [(0, 1)]);
}

#[test]
fn one_family_keeps_apart_unless_a_pair_is_let_in() {
    let mut scene = Scene::new(0.01);
    let mut bodies = Vec::new();
    for family in [3, 3, 3, 0, 0] {
        bodies.push(scene.add_collider(Collider::new(ball(0.5)).of_family(family), at(0.0, 0.0, 0.0)));
    }
    let others = [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    assert_eq!(pairs(&scene.collide()), others);
    scene.filter.allow(bodies[1], bodies[0]);
    assert!(pairs(&scene.collide()).contains(&(0, 1)));
    scene.filter.exclude(bodies[4], bodies[3]);
    scene.filter.exclude(bodies[0], bodies[1]);
    let found = pairs(&scene.collide());
    assert!(!found.contains(&(3, 4)) && !found.contains(&(0, 1)) && found.len() == 6);
    scene.filter.forget(bodies[3], bodies[4]);
    scene.filter.forget(bodies[0], bodies[1]);
    assert_eq!(pairs(&scene.collide()), others);
}

#[test]
fn colliders_of_one_body_never_meet_and_sleepers_are_passed_over() {
    let mut scene = Scene::new(0.01);
    scene.add(floor(), at(0.0, 0.0, 0.0));
    let body = scene.add(cube(0.5), at(0.0, 0.5, 0.0));
    scene.colliders.push((body, Collider::new(cube(0.4))));
    scene.add(cube(0.5), at(0.0, 1.5, 0.0));
    assert_eq!(pairs(&scene.collide()), [(0, 1), (1, 3)]);
    scene.active[body.index()] = false;
    assert_eq!(pairs(&scene.collide()), [(1, 3)]);
    scene.active[2] = false;
    assert!(scene.collide().is_empty());
}

#[test]
fn a_pair_rubs_with_the_mean_and_bounces_with_the_larger_value() {
    let mut scene = Scene::new(0.01);
    let with = |friction, restitution| {
        let mut collider = Collider::new(ball(0.5));
        (collider.material.friction, collider.material.restitution) = (friction, restitution);
        collider
    };
    scene.add_collider(with(0.4, 0.1), at(0.0, 0.0, 0.0));
    scene.add_collider(with(0.9, 0.7), at(0.9, 0.0, 0.0));
    let material = scene.collide()[0].material;
    assert!((material.friction - 0.6).abs() < 1e-15 && material.restitution == 0.7);
}

/// A heap given in another order has the same pairs, points and normals, bit by bit where the pair keeps its order.
#[test]
fn the_order_of_colliders_does_not_change_what_is_found() {
    let mut random = Random(21);
    let heap: Vec<_> = (0..60).map(|k| (random.solid(k), random.placement(1.0))).collect();
    let mut straight = Scene::new(0.02);
    for (shape, place) in &heap {
        straight.add(shape.clone(), *place);
    }
    let found = straight.collide();
    assert!(found.len() > 100);
    assert!(pairs(&found).is_sorted());

    // The same again, with an engine that has seen something else before.
    let moved = straight.states.clone();
    straight.states.iter_mut().for_each(|s| s.placement = random.placement(1.0));
    straight.collide();
    straight.states = moved;
    assert_eq!(straight.collide(), found);

    let count = heap.len();
    let shuffled: Vec<usize> = (0..count).map(|k| (k * 37 + 11) % count).collect();
    let mut other = Scene::new(0.02);
    for &k in &shuffled {
        other.add(heap[k].0.clone(), heap[k].1);
    }
    let mut again: Vec<_> = other
        .collide()
        .iter()
        .map(|m| {
            let (a, b) = (shuffled[m.a.index()], shuffled[m.b.index()]);
            let least = m.points().iter().map(|p| p.distance).fold(f64::INFINITY, f64::min);
            if a < b { ((a, b), m.normal, least) } else { ((b, a), -m.normal, least) }
        })
        .collect();
    again.sort_by_key(|(pair, ..)| *pair);
    assert_eq!(again.iter().map(|(pair, ..)| *pair).collect::<Vec<_>>(), pairs(&found));
    for ((_, normal, least), m) in again.iter().zip(&found) {
        let depth = m.points().iter().map(|p| p.distance).fold(f64::INFINITY, f64::min);
        assert!((least - depth).abs() < 1e-4, "{least} {depth} {m:?}");
        assert!(normal.dot(&m.normal) > 0.9 || depth < -0.05, "{normal} {m:?}");
    }
}

/// The sweep finds exactly the pairs that a test of each pair alone finds, in 1 000 frames of moving solids.
#[test]
fn the_broad_phase_equals_brute_force() {
    let mut random = Random(22);
    let mut scene = Scene::new(0.02);
    scene.add(floor(), at(0.0, -1.5, 0.0));
    for k in 0..14 {
        scene.add(random.solid(k % 3), random.placement(1.5));
    }
    let mut met = 0;
    for frame in 0..1000 {
        for state in &mut scene.states[1..] {
            state.placement.position += random.vector(0.05);
            state.placement.rotation = sinew_dynamics::Quat::new(random.vector(0.1)) * state.placement.rotation;
            if state.placement.position.norm() > 2.5 {
                state.placement.position = Vec3::zeros();
            }
        }
        scene.reach[1 + frame % 14] = 0.1 * random.unit();
        let found = scene.collide();
        let mut alone = Vec::new();
        for i in 0..scene.colliders.len() {
            for j in i + 1..scene.colliders.len() {
                let mut two = Scene::new(0.02);
                for k in [i, j] {
                    two.add_collider(scene.colliders[k].1.clone(), scene.states[k].placement);
                }
                two.reach = vec![scene.reach[i], scene.reach[j]];
                alone.extend(two.collide().iter().map(|_| (i, j)));
            }
        }
        assert_eq!(pairs(&found), alone, "frame {frame}");
        met += alone.len();
    }
    assert!(met > 5_000, "{met}");
}

/// A cloned engine gives the same results, behind the trait too.
#[test]
fn a_cloned_engine_answers_alike() {
    let mut scene = Scene::new(0.02);
    scene.add(cube(0.5), at(0.0, 0.0, 0.0));
    scene.add(cube(0.5), Placement::at(Vec3::new(0.1, 0.9, 0.2)));
    let found = scene.collide();
    let boxed: Box<dyn CollisionEngine> = Box::new(scene.engine.clone());
    let mut again = Vec::new();
    boxed.clone().collide(&scene.view(), &mut again);
    assert_eq!(again, found);
}
