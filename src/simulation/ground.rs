//! Ground of a run: terrain laid out from a point in the direction that the figure faces.

use crate::control::{Terrain, depth_below};
use crate::dynamics::{BodyId, DynamicsError, Material, World};
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use crate::motion::{FrameMotion, Role, Side};

use super::Actor;

/// Ground under the figure of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    /// Its body; none where there is nothing to stand on.
    pub body: Option<BodyId>,
    pub terrain: Terrain,
    /// Point of the ground under the figure at the start, metres.
    pub origin: Vec3,
    /// Level direction that the figure faces at the start.
    pub forward: Vec3,
}

impl Ground {
    /// Lays terrain out under a figure whose joints move as given, at a height in metres.
    pub fn build(
        world: &mut World,
        figure: &Figure,
        motions: &[FrameMotion],
        (terrain, height, material): (Terrain, Real, Material),
    ) -> Result<Self, DynamicsError> {
        let forward = facing(figure, motions);
        let under = motions.first().map_or(Vec3::zeros(), |m| m.position);
        let origin = Vec3::new(under.x, height, under.z);
        let body = terrain.build(world, &origin, &forward, material)?;
        Ok(Self { body, terrain, origin, forward })
    }

    /// Returns the depth of an actor in the ground, metres: of its shapes for a plane, else of its contacts.
    pub fn depth(&self, world: &World, actor: &Actor) -> Real {
        let (figure, bodies) = (actor.figure(), &actor.instance().bodies);
        if self.terrain.is_plane() {
            let frames = figure.segments().iter().zip(bodies);
            let frames = frames.map(|(segment, &body)| segment.joint_frame(&world.state(body).placement));
            return depth_below(figure, frames, &self.origin, &self.terrain.normal(&self.forward));
        }
        let on_ground = world.contacts().iter().filter(|c| c.bodies.iter().any(|b| Some(*b) == self.body));
        on_ground.map(|c| -c.distance).fold(0.0, Real::max)
    }
}

/// Returns the level direction that a figure faces: across its hips, else along its velocity, else +z.
pub(super) fn facing(figure: &Figure, motions: &[FrameMotion]) -> Vec3 {
    let level = |v: Vec3| Vec3::new(v.x, 0.0, v.z).try_normalize(1e-3);
    let hip = |side: Side| figure.with_role(Role::UpperLeg(side)).map(|k| motions[k].position);
    let across = hip(Side::Left).zip(hip(Side::Right)).map(|(left, right)| (left - right).cross(&Vec3::y()));
    let moving = motions.first().map(|m| m.velocity * 0.01);
    across.and_then(level).or_else(|| moving.and_then(level)).unwrap_or_else(Vec3::z)
}
