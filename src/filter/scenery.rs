//! Fixed bodies of a world as ground: floors, ramps, steps, boxes, height fields, meshes.
//!
//! The ground under a point is the first surface that a downward ray from a little above the point meets. This finds surfaces
//! that a foot has penetrated and ignores those overhead. Bodies that rise higher than that above a point are walls, which the
//! filter does not know.

use super::{Surface, Under};
use crate::dynamics::{Body, BodyKind, DynamicsError, Placement, Ray, World};
use crate::math::{Real, Vec3};
use std::sync::Arc;

/// Height above a point from which the ground is searched, metres.
const ABOVE: Real = 0.6;
/// Height over empty space, metres.
const NOTHING: Real = 1e3;

/// Fixed bodies of a world.
#[derive(Clone, Debug)]
pub struct Scenery {
    /// One world for each body, so that a ray that begins inside of one still meets the others.
    things: Arc<Vec<World>>,
}

impl Scenery {
    /// Collects all shapes on fixed bodies; `None` where there are none.
    pub fn of(world: &World) -> Result<Option<Self>, DynamicsError> {
        let mut things = Vec::new();
        for (_, body, collider) in world.colliders() {
            if matches!(world.body(body).kind, BodyKind::Fixed) {
                let mut thing = World::new();
                let placed: Placement = world.state(body).placement;
                let own = thing.add_body(Body::fixed(world.body(body).name.clone(), placed))?;
                thing.add_collider(own, collider.clone())?;
                things.push(thing);
            }
        }
        Ok((!things.is_empty()).then(|| Self { things: Arc::new(things) }))
    }
}

impl Surface for Scenery {
    fn under(&self, point: &Vec3) -> Under {
        self.find(point).unwrap_or(Under { height: NOTHING, normal: Vec3::y() })
    }
}

impl Scenery {
    /// Returns the ground under a point, if there is any.
    pub(crate) fn find(&self, point: &Vec3) -> Option<Under> {
        let ray = Ray::new(point + Vec3::y() * ABOVE, -Vec3::y());
        let mut inside = false;
        let mut nearest: Option<(Real, Vec3)> = None;
        for hit in self.things.iter().filter_map(|thing| thing.cast_ray(&ray)) {
            if hit.distance <= 0.0 {
                inside = true;
            } else if nearest.is_none_or(|(distance, _)| hit.distance < distance) {
                nearest = Some((hit.distance, hit.normal));
            }
        }
        match nearest {
            Some((distance, normal)) => Some(Under { height: (distance - ABOVE) * normal.y, normal }),
            None => inside.then_some(Under { height: -ABOVE, normal: Vec3::y() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::{Collider, MassProperties, Shape};
    use crate::math::Quat;

    fn world() -> World {
        let mut world = World::new();
        let floor = world.add_body(Body::fixed("floor", Placement::at(Vec3::zeros()))).unwrap();
        world.add_collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::y() })).unwrap();
        let step = world.add_body(Body::fixed("step", Placement::at(Vec3::new(0.0, 0.0, 1.0)))).unwrap();
        let shape = Shape::Box { half_extents: Vec3::new(0.5, 0.2, 0.5) };
        world.add_collider(step, Collider::new(shape)).unwrap();
        let roof = world.add_body(Body::fixed("roof", Placement::at(Vec3::y() * 2.2))).unwrap();
        world.add_collider(roof, Collider::new(Shape::Box { half_extents: Vec3::new(9.0, 0.1, 9.0) })).unwrap();
        let ball = Body::dynamic("ball", MassProperties::new(1.0, Vec3::repeat(0.1)), Placement::at(Vec3::x() * 3.0));
        let ball = world.add_body(ball).unwrap();
        world.add_collider(ball, Collider::new(Shape::Sphere { radius: 0.5 })).unwrap();
        world
    }

    /// Floor, step and roof: heights count from what a foot could stand on; what moves is no ground.
    #[test]
    fn heights_count_from_what_is_below() {
        let scenery = Scenery::of(&world()).unwrap().unwrap();
        let height = |x: Real, y: Real, z: Real| scenery.under(&Vec3::new(x, y, z)).height;
        assert!((height(0.0, 0.3, 0.0) - 0.3).abs() < 1e-9);
        assert!((height(0.0, 0.3, 1.0) - 0.1).abs() < 1e-9);
        assert!((height(0.0, 0.15, 1.0) + 0.05).abs() < 1e-9, "sunk into the step");
        assert!((height(0.0, -0.01, 0.0) + 0.01).abs() < 1e-9);
        assert!((height(3.0, 0.3, 0.0) - 0.3).abs() < 1e-9, "a ball is no ground");
        assert!(Scenery::of(&World::new()).unwrap().is_none());
    }

    /// The height along the normal of a ramp is the upright height times the cosine of the slope.
    #[test]
    fn ramps_have_normals() {
        let (mut world, slope) = (World::new(), 0.2_f64);
        let rotation = Quat::from_axis_angle(&Vec3::z_axis(), slope);
        let ramp = world.add_body(Body::fixed("ramp", Placement::new(Vec3::zeros(), rotation))).unwrap();
        world.add_collider(ramp, Collider::new(Shape::Box { half_extents: Vec3::new(5.0, 0.5, 5.0) })).unwrap();
        let scenery = Scenery::of(&world).unwrap().unwrap();
        let up = rotation * Vec3::y();
        let point = rotation * Vec3::new(1.0, 0.5, 0.3) + up * 0.07;
        let under = scenery.under(&point);
        assert!((under.height - 0.07).abs() < 1e-9 && (under.normal - up).norm() < 1e-9, "{under:?}");
    }
}
