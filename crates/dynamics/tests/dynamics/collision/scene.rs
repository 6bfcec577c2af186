//! Scene of colliders, each on a body of its own, with the engine's results.

use sinew_dynamics::{
    Body, BodyId, Collider, CollisionEngine, CollisionScene, Manifold, MassProperties, PairFilter, ParryEngine,
    Placement, Shape, State, World,
};
use sinew_dynamics::{Quat, Real, Vec3};

#[derive(Clone, Default)]
pub struct Scene {
    pub colliders: Vec<(BodyId, Collider)>,
    pub states: Vec<State>,
    pub active: Vec<bool>,
    pub reach: Vec<Real>,
    pub margin: Real,
    pub filter: PairFilter,
    pub engine: ParryEngine,
    ids: World,
}

impl Scene {
    pub fn new(margin: Real) -> Self {
        Self { margin, ..Self::default() }
    }

    /// Adds a body with one collider.
    pub fn add(&mut self, shape: Shape, placement: Placement) -> BodyId {
        self.add_collider(Collider::new(shape), placement)
    }

    pub fn add_collider(&mut self, collider: Collider, placement: Placement) -> BodyId {
        let mass = MassProperties::sphere(1.0, 0.1);
        let body = self.ids.add_body(Body::dynamic("any", mass, placement)).expect("a sound body");
        self.active.push(collider.shape.is_solid());
        self.colliders.push((body, collider));
        self.states.push(State { placement, velocity: sinew_dynamics::math::Vec6::zeros() });
        self.reach.push(0.0);
        body
    }

    pub fn view(&self) -> CollisionScene<'_> {
        let Scene { colliders, states, active, reach, margin, filter, .. } = self;
        CollisionScene { colliders, states, active, reach, margin: *margin, filter }
    }

    pub fn collide(&mut self) -> Vec<Manifold> {
        let Scene { colliders, states, active, reach, margin, filter, engine, .. } = self;
        let mut manifolds = Vec::new();
        let scene = CollisionScene { colliders, states, active, reach, margin: *margin, filter };
        engine.collide(&scene, &mut manifolds);
        manifolds.iter().for_each(|m| self.check(m));
        manifolds
    }

    /// Checks the laws of every manifold: unit normal, finite numbers, points on both bodies that are `distance` apart
    /// along it.
    fn check(&self, m: &Manifold) {
        assert!((m.normal.norm() - 1.0).abs() < 1e-9, "{m:?}");
        assert!(!m.points().is_empty() && m.a < m.b && m.body_a != m.body_b);
        for p in m.points() {
            let (a, b) = self.world(m, p);
            assert!(a.iter().chain(b.iter()).all(|x| x.is_finite()) && p.distance.is_finite(), "{m:?}");
            let along = (b - a).dot(&m.normal);
            assert!((along - p.distance).abs() < 2e-2, "{along} {m:?}");
        }
        let mut features: Vec<u32> = m.points().iter().map(|p| p.feature).collect();
        features.sort_unstable();
        features.dedup();
        assert_eq!(features.len(), m.points().len(), "features tell points apart: {m:?}");
    }

    /// Returns a contact point in the world, on A and on B.
    pub fn world(&self, m: &Manifold, p: &sinew_dynamics::ContactPoint) -> (Vec3, Vec3) {
        let place = |body: BodyId, local: &Vec3| self.states[body.index()].placement.point(local);
        (place(m.body_a, &p.on_a), place(m.body_b, &p.on_b))
    }
}

/// Returns the least distance of all points.
pub fn least(manifolds: &[Manifold]) -> Option<Real> {
    manifolds.iter().flat_map(|m| m.points()).map(|p| p.distance).reduce(Real::min)
}

pub fn at(x: Real, y: Real, z: Real) -> Placement {
    Placement::at(Vec3::new(x, y, z))
}

pub fn rotated(x: Real, y: Real, z: Real, axis: Vec3, angle: Real) -> Placement {
    Placement::new(Vec3::new(x, y, z), Quat::new(axis.normalize() * angle))
}

pub fn floor() -> Shape {
    Shape::HalfSpace { normal: Vec3::y() }
}

pub fn ball(radius: Real) -> Shape {
    Shape::Sphere { radius }
}

pub fn cube(half: Real) -> Shape {
    Shape::Box { half_extents: Vec3::repeat(half) }
}

/// Capsule along x.
pub fn capsule(half: Real, radius: Real) -> Shape {
    Shape::Capsule { a: Vec3::new(-half, 0.0, 0.0), b: Vec3::new(half, 0.0, 0.0), radius }
}

/// A cube as a hull.
pub fn cube_hull(half: Real) -> Shape {
    let corners = (0..8).map(|k| {
        let sign = |bit: u32| if k & bit != 0 { half } else { -half };
        Vec3::new(sign(1), sign(2), sign(4))
    });
    Shape::Hull { points: corners.collect() }
}

/// A small generator, so that scenes are the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as Real / (1u64 << 53) as Real
    }

    pub fn within(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }

    pub fn vector(&mut self, size: Real) -> Vec3 {
        Vec3::new(self.within(-size, size), self.within(-size, size), self.within(-size, size))
    }

    pub fn placement(&mut self, size: Real) -> Placement {
        Placement::new(self.vector(size), Quat::new(self.vector(3.0)))
    }

    pub fn solid(&mut self, kind: usize) -> Shape {
        let mut size = || self.within(0.1, 0.5);
        match kind % 4 {
            0 => Shape::Sphere { radius: size() },
            1 => capsule(size(), size()),
            2 => Shape::Box { half_extents: Vec3::new(size(), size(), size()) },
            _ => {
                let (a, b, c) = (size(), size(), size());
                let points = [[a, 0.0, 0.0], [-a, b, 0.0], [-a, -b, c], [0.0, 0.0, -c], [0.1, c, b]];
                Shape::Hull { points: points.iter().map(|p| Vec3::new(p[0], p[1], p[2])).collect() }
            }
        }
    }
}
