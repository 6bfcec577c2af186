//! A figure in a world: bodies, joints, limits and colliders, and the way back to a pose.

use super::{AttachmentKind, Figure, Limits};
use crate::dynamics::{
    Axis, Body, BodyId, Collider, ColliderId, Constraint, ConstraintId, DynamicsError, Element, Joint, Limit, Material,
    Placement, Response, State, SwingTwist, World,
};
use crate::math::{Real, Vec3};
use crate::motion::{Frame, FrameMotion, Pose, PoseMotion};

/// Options for adding a figure to a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaceOptions {
    /// Collision family: colliders of one family do not collide. Give each figure its own number.
    pub family: u32,
    /// Surface properties of the colliders.
    pub material: Material,
    /// Adds constraints for the joint limits.
    pub limits: bool,
    /// Stiffness of the limits.
    pub limit_response: Response,
    /// Greatest torque of a limit, N·m.
    pub limit_torque: Real,
    /// Adds colliders for the shapes.
    pub colliders: bool,
}

impl Default for PlaceOptions {
    fn default() -> Self {
        Self {
            family: 1,
            material: Material::default(),
            limits: true,
            limit_response: Response::Hard,
            limit_torque: Real::INFINITY,
            colliders: true,
        }
    }
}

/// The parts of a figure in a world, one entry per segment.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureInstance {
    /// Rigid bodies.
    pub bodies: Vec<BodyId>,
    /// The joint to the parent; `None` for free segments.
    pub joints: Vec<Option<ConstraintId>>,
    /// The joint's limits, where it has any.
    pub limits: Vec<Option<ConstraintId>>,
    /// Colliders, one for each shape of the segment; empty where none were asked for.
    pub colliders: Vec<Vec<ColliderId>>,
}

impl Figure {
    /// Puts the figure into a world as a motion has it at one moment, velocities included. Joints are closed first: where
    /// the pose stretches a bone or turns a knee off its axis, the body does not (see [`Figure::losses`]).
    ///
    /// On an error the world may hold a part of the figure.
    pub fn place(
        &self,
        world: &mut World,
        motion: &PoseMotion,
        options: &PlaceOptions,
    ) -> Result<FigureInstance, DynamicsError> {
        let (mut frames, mut motions) = (Vec::new(), Vec::new());
        self.motions_into(motion, &mut frames, &mut motions);
        self.close_joints_moving(&mut motions);
        self.place_moving(world, &motions, options)
    }

    /// Puts the figure into a world with each segment's joint moving exactly as given, whether the joints close or not.
    pub fn place_moving(
        &self,
        world: &mut World,
        motions: &[FrameMotion],
        options: &PlaceOptions,
    ) -> Result<FigureInstance, DynamicsError> {
        let mut instance =
            FigureInstance { bodies: Vec::new(), joints: Vec::new(), limits: Vec::new(), colliders: Vec::new() };
        for (k, (segment, motion)) in self.segments.iter().zip(motions).enumerate() {
            let frame = Placement { position: motion.position, rotation: motion.rotation };
            let body = Body::dynamic(segment.name.clone(), segment.mass, segment.body(&frame))
                .with_velocity(motion.point(&segment.centre).0, motion.angular_velocity);
            let body = world.add_body(body)?;
            instance.bodies.push(body);

            let mut colliders = Vec::new();
            for shape in segment.shapes.iter().filter(|_| options.colliders) {
                let placement = Placement { position: shape.placement.position - segment.centre, ..shape.placement };
                let collider = Collider::new(shape.shape.clone())
                    .at(placement)
                    .with_material(options.material)
                    .of_family(options.family);
                colliders.push(world.add_collider(body, collider)?);
            }
            instance.colliders.push(colliders);

            let joint = self.held_by(k).map(|parent| self.joint_between(k, parent, &instance.bodies));
            let limit = joint.as_ref().filter(|_| options.limits).and_then(|joint| self.limit_of(k, joint, options));
            instance.joints.push(match joint {
                Some(joint) => Some(world.add_constraint(Constraint::new(joint).named(segment.name.clone()))?),
                None => None,
            });
            instance.limits.push(match limit {
                Some(limit) => Some(world.add_constraint(limit.named(format!("{} limit", segment.name)))?),
                None => None,
            });
        }
        Ok(instance)
    }

    fn joint_between(&self, child: usize, parent: usize, bodies: &[BodyId]) -> Joint {
        let (segment, holder) = (&self.segments[child], &self.segments[parent]);
        let attachment = &segment.attachment;
        let frame_a =
            Placement { position: attachment.frame_a.position - holder.centre, rotation: attachment.frame_a.rotation };
        let frame_b = Placement { position: -segment.centre, rotation: attachment.frame_b };
        let (a, b) = (Some(bodies[parent]), Some(bodies[child]));
        match attachment.kind {
            AttachmentKind::Hinge => Joint::hinge(a, frame_a, b, frame_b),
            AttachmentKind::Universal => Joint::universal(a, frame_a, b, frame_b),
            // Not `weld`: with three point rows first the joint is a pivot, which solvers know well.
            AttachmentKind::Fixed => Joint::ball(a, frame_a, b, frame_b).holding(&Axis::ALL.map(Element::Angular)),
            AttachmentKind::Ball | AttachmentKind::Free => Joint::ball(a, frame_a, b, frame_b),
        }
    }

    fn limit_of(&self, segment: usize, joint: &Joint, options: &PlaceOptions) -> Option<Constraint> {
        match self.segments[segment].attachment.limits {
            Limits::None => None,
            Limits::SwingTwist { swing, twist } => {
                let mut limit = SwingTwist::new(joint.orientations(), swing, twist).responding(options.limit_response);
                limit.max_torque = options.limit_torque;
                Some(Constraint::new(limit))
            }
            Limits::Hinge { range } => {
                let mut limit =
                    Limit::new(joint.rotation(Axis::Z), range[0], range[1]).responding(options.limit_response);
                limit.max_force = options.limit_torque;
                Some(Constraint::new(limit))
            }
        }
    }
}

impl FigureInstance {
    /// Placements of the segments' joints, into a buffer that is reused.
    pub fn placements_into(&self, figure: &Figure, world: &World, out: &mut Vec<Placement>) {
        out.clear();
        let frame = |(segment, &body): (&super::Segment, &BodyId)| segment.joint_frame(&world.state(body).placement);
        out.extend(figure.segments.iter().zip(&self.bodies).map(frame));
    }

    /// The pose of the skeleton; folded joints are at rest in their segments.
    pub fn pose(&self, figure: &Figure, world: &World) -> Pose {
        let mut pose = figure.skeleton.rest_pose();
        self.pose_into(figure, world, &mut pose);
        pose
    }

    /// The pose of the skeleton; folded joints, bone lengths and scales stay as `pose` had them.
    pub fn pose_into(&self, figure: &Figure, world: &World, pose: &mut Pose) {
        self.pose_with(figure, world, pose, &mut Vec::new(), &mut Vec::new());
    }

    /// [`FigureInstance::pose_into`] with buffers that are reused.
    pub fn pose_with(
        &self,
        figure: &Figure,
        world: &World,
        pose: &mut Pose,
        placements: &mut Vec<Placement>,
        frames: &mut Vec<Frame>,
    ) {
        self.placements_into(figure, world, placements);
        figure.pose_with(placements, pose, frames);
    }

    /// Puts the bodies where a motion has them, as [`Figure::place`] did.
    pub fn set(&self, figure: &Figure, world: &mut World, motion: &PoseMotion) -> Result<(), DynamicsError> {
        let (mut frames, mut motions) = (Vec::new(), Vec::new());
        figure.motions_into(motion, &mut frames, &mut motions);
        figure.close_joints_moving(&mut motions);
        for ((segment, motion), &body) in figure.segments.iter().zip(&motions).zip(&self.bodies) {
            let frame = Placement { position: motion.position, rotation: motion.rotation };
            let (v, w) = (motion.point(&segment.centre).0, motion.angular_velocity);
            let velocity = crate::math::Vec6::new(v.x, v.y, v.z, w.x, w.y, w.z);
            world.set_state(body, State { placement: segment.body(&frame), velocity })?;
        }
        Ok(())
    }

    /// The pairs of colliders of this figure that may touch each other (see [`Figure::may_meet`]).
    pub fn meeting(&self, figure: &Figure) -> Vec<(ColliderId, ColliderId)> {
        let mut pairs = Vec::new();
        for a in 0..self.colliders.len() {
            for b in (a + 1..self.colliders.len()).filter(|&b| figure.may_meet(a, b)) {
                for &first in &self.colliders[a] {
                    pairs.extend(self.colliders[b].iter().map(|&second| (first, second)));
                }
            }
        }
        pairs
    }

    /// Centre of mass of the figure as it is in the world, metres.
    pub fn centre_of_mass(&self, figure: &Figure, world: &World) -> Vec3 {
        let sum: Vec3 = figure
            .segments
            .iter()
            .zip(&self.bodies)
            .map(|(segment, &body)| world.state(body).placement.position * segment.mass.mass)
            .sum();
        sum / figure.mass()
    }
}
