//! How long it takes to find all contacts: 1 800 capsules and boxes that lie in heaps on a floor, moving a little from
//! one call to the next.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use sinew::dynamics::{
    Body, BodyId, Collider, CollisionEngine, CollisionScene, MassProperties, PairFilter, ParryEngine, Placement, Shape,
    State, World,
};
use sinew::{Quat, Real, Vec3};

struct Heap {
    colliders: Vec<(BodyId, Collider)>,
    states: Vec<State>,
    active: Vec<bool>,
    reach: Vec<Real>,
}

struct Random(u64);

impl Random {
    fn within(&mut self, low: Real, high: Real) -> Real {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        low + (high - low) * ((self.0 >> 11) as Real / (1u64 << 53) as Real)
    }
}

/// Figures of 18 segments, each figure a heap of its own, ten by ten of them 1.5 m apart.
fn heaps(boxes: bool, hulls: bool) -> Heap {
    let mut random = Random(7);
    let mut world = World::new();
    let mut heap = Heap { colliders: Vec::new(), states: Vec::new(), active: Vec::new(), reach: Vec::new() };
    let mut add = |collider: Collider, placement: Placement| {
        let body = Body::dynamic("segment", MassProperties::sphere(1.0, 0.1), placement);
        let id = world.add_body(body).expect("a sound body");
        heap.active.push(collider.shape.is_solid());
        heap.reach.push(0.01);
        heap.states.push(*world.state(id));
        heap.colliders.push((id, collider));
    };
    add(Collider::new(Shape::HalfSpace { normal: Vec3::y() }), Placement::IDENTITY);
    for figure in 0..100 {
        let middle = Vec3::new(1.5 * (figure % 10) as Real, 0.0, 1.5 * (figure / 10) as Real);
        for segment in 0..18 {
            let (length, radius) = (random.within(0.1, 0.25), random.within(0.04, 0.08));
            let shape = if hulls && segment % 3 == 1 {
                let corner = |k: u32, bit: u32, size: Real| if k & bit != 0 { size } else { -size };
                let point = |k| Vec3::new(corner(k, 1, length), corner(k, 2, radius), corner(k, 4, radius));
                Shape::Hull { points: (0..8).map(point).collect() }
            } else if boxes && segment % 3 == 0 {
                Shape::Box { half_extents: Vec3::new(length, radius, radius) }
            } else {
                Shape::Capsule { a: Vec3::new(-length, 0.0, 0.0), b: Vec3::new(length, 0.0, 0.0), radius }
            };
            let mut spread = |size: Real| random.within(-size, size);
            let at = middle + Vec3::new(spread(0.5), 0.0, spread(0.5)) + Vec3::y() * (spread(0.12) + 0.17);
            let turn = Quat::new(Vec3::new(0.2 * spread(1.0), spread(3.0), 0.2 * spread(1.0)));
            add(Collider::new(shape), Placement::new(at, turn));
        }
    }
    heap
}

fn collide(c: &mut Criterion) {
    for (name, boxes, hulls) in
        [("capsules", false, false), ("capsules and boxes", true, false), ("capsules, boxes and hulls", true, true)]
    {
        let mut heap = heaps(boxes, hulls);
        let (mut engine, filter, mut manifolds) = (ParryEngine::new(), PairFilter::default(), Vec::new());
        let mut random = Random(3);
        let mut points = 0;
        c.bench_function(&format!("1800 {name} in heaps"), |b| {
            b.iter(|| {
                for state in &mut heap.states[1..] {
                    state.placement.position.x += random.within(-1e-4, 1e-4);
                }
                let Heap { colliders, states, active, reach } = &heap;
                let scene = CollisionScene { colliders, states, active, reach, margin: 0.005, filter: &filter };
                engine.collide(&scene, &mut manifolds);
                points = manifolds.iter().map(|m| m.points().len()).sum();
                black_box(&manifolds);
            });
        });
        println!("{} manifolds, {points} points", manifolds.len());
    }
}

criterion_group!(benches, collide);
criterion_main!(benches);
