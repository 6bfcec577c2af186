//! Segments that go through each other, asked of the collision engine that simulations use.

use crate::dynamics::{
    BodyId, Collider, CollisionEngine, CollisionScene, Manifold, PairFilter, ParryEngine, Placement, Shape, State,
};
use crate::figure::Figure;
use crate::math::{Real, Vec6};

pub(crate) struct SelfContact {
    engine: ParryEngine,
    colliders: Vec<(BodyId, Collider)>,
    states: Vec<State>,
    active: Vec<bool>,
    reach: Vec<Real>,
    filter: PairFilter,
    manifolds: Vec<Manifold>,
}

impl SelfContact {
    /// None where no two segments of the figure may touch.
    pub fn new(figure: &Figure) -> Option<Self> {
        let count = figure.segments().len();
        let body = BodyId::from_index;
        let mut colliders = Vec::new();
        for (k, segment) in figure.segments().iter().enumerate() {
            let solid = |shape: &Shape| shape.mass_properties(1.0).is_some();
            for shape in segment.shapes.iter().filter(|shape| solid(&shape.shape)) {
                colliders.push((body(k), Collider::new(shape.shape.clone()).at(shape.placement)));
            }
        }
        let mut filter = PairFilter::default();
        for &[a, b] in figure.apart() {
            filter.exclude(body(a), body(b));
        }
        if !(0..count).any(|a| (a + 1..count).any(|b| figure.may_meet(a, b))) {
            return None;
        }
        let mut engine = ParryEngine::new();
        engine.prepare(&colliders);
        let rest = State { placement: Placement::IDENTITY, velocity: Vec6::zeros() };
        let (states, active, reach) = (vec![rest; count], vec![true; count], vec![0.0; count]);
        Some(Self { engine, colliders, states, active, reach, filter, manifolds: Vec::new() })
    }

    /// The deepest overlap of two segments, metres; 0 where none touch.
    pub fn depth(&mut self, placements: &[Placement]) -> Real {
        let points = self.near(placements, 0.0).iter().flat_map(|manifold| manifold.points());
        points.map(|point| -point.distance).fold(0.0, Real::max)
    }

    /// Contacts of segments that are nearer to each other than a margin, metres; points are in the frames of the joints.
    pub fn near(&mut self, placements: &[Placement], margin: Real) -> &[Manifold] {
        for (state, placement) in self.states.iter_mut().zip(placements) {
            state.placement = *placement;
        }
        let scene = CollisionScene {
            colliders: &self.colliders,
            states: &self.states,
            active: &self.active,
            reach: &self.reach,
            margin,
            filter: &self.filter,
        };
        self.engine.collide(&scene, &mut self.manifolds);
        &self.manifolds
    }
}
