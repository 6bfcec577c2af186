//! Collision detection allocates nothing once its buffers have grown: heaps of all kinds of shapes on all kinds of
//! ground.

use super::counting::allocations;
use sinew_dynamics::{
    Body, BodyId, Collider, CollisionEngine, CollisionScene, MassProperties, PairFilter, ParryEngine, Placement, Shape,
    State, World,
};
use sinew_dynamics::{Quat, Real, Vec3};

struct Random(u64);

impl Random {
    fn within(&mut self, low: Real, high: Real) -> Real {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        low + (high - low) * ((self.0 >> 11) as Real / (1u64 << 53) as Real)
    }

    fn vector(&mut self, size: Real) -> Vec3 {
        Vec3::new(self.within(-size, size), self.within(-size, size), self.within(-size, size))
    }
}

fn solid(kind: usize) -> Shape {
    match kind % 4 {
        0 => Shape::Sphere { radius: 0.2 },
        1 => Shape::Capsule { a: Vec3::new(-0.2, 0.0, 0.0), b: Vec3::new(0.2, 0.0, 0.0), radius: 0.1 },
        2 => Shape::Box { half_extents: Vec3::new(0.3, 0.2, 0.1) },
        _ => {
            let corner = |k: usize, bit: usize| if k & bit != 0 { 0.2 } else { -0.2 };
            Shape::Hull { points: (0..8).map(|k| Vec3::new(corner(k, 1), corner(k, 2), corner(k, 4))).collect() }
        }
    }
}

#[test]
fn finding_contacts_again_allocates_nothing() {
    let mut world = World::new();
    let mut random = Random(5);
    let mut colliders: Vec<(BodyId, Collider)> = Vec::new();
    let mut add = |shape: Shape, place: Placement| {
        let body = Body::dynamic("any", MassProperties::sphere(1.0, 0.1), place);
        colliders.push((world.add_body(body).expect("sound"), Collider::new(shape)));
    };
    add(Shape::HalfSpace { normal: Vec3::y() }, Placement::at(Vec3::new(0.0, -0.6, 0.0)));
    let heights = (0..81).map(|k| 0.1 * (k as Real).sin() - 0.4).collect();
    add(Shape::HeightField { rows: 9, columns: 9, heights, size: [4.0, 4.0] }, Placement::IDENTITY);
    let vertices = [[-2.0, 0.0, -2.0], [2.0, 0.0, -2.0], [2.0, 0.3, 2.0], [-2.0, 0.0, 2.0]];
    let vertices = vertices.iter().map(|p| Vec3::from(*p)).collect();
    add(Shape::Mesh { vertices, triangles: [[0, 2, 1], [0, 3, 2]].into() }, Placement::IDENTITY);
    for kind in 0..60 {
        let place = Placement::new(random.vector(0.8), Quat::new(random.vector(2.0)));
        add(solid(kind), place);
    }
    let mut states: Vec<State> = colliders.iter().map(|(body, _)| *world.state(*body)).collect();
    let active: Vec<bool> = colliders.iter().map(|(_, c)| c.shape.is_solid()).collect();
    let (reach, filter) = (vec![0.01; states.len()], PairFilter::default());
    let (mut engine, mut manifolds) = (ParryEngine::new(), Vec::new());
    let mut frames = |states: &mut [State], count: usize| {
        let mut found = 0;
        for frame in 0..count {
            // Back and forth: the same frames come again.
            let sway = 0.05 * (frame as Real * 0.1 * std::f64::consts::PI).sin();
            for (k, state) in states.iter_mut().enumerate().skip(3) {
                let start = world.state(colliders[k].0).placement.position;
                state.placement.position = start + Vec3::new(sway, 0.0, if k % 2 == 0 { sway } else { -sway });
            }
            let scene = CollisionScene {
                colliders: &colliders,
                states,
                active: &active,
                reach: &reach,
                margin: 0.01,
                filter: &filter,
            };
            engine.collide(&scene, &mut manifolds);
            found += manifolds.len();
        }
        found
    };
    assert!(frames(&mut states, 40) > 40 * 100);
    let before = allocations().1;
    frames(&mut states, 40);
    assert_eq!(allocations().1 - before, 0);
}
