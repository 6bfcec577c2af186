//! Root control: leads a figure's first segment through the world, axis by axis, with external forces.
//!
//! Six soft rows between the world and the segment's joint frame: three positions along and three rotations about the
//! world's axes. Their force is the *root residual*: assistance that a body alone would not have. It can be bounded,
//! switched off axis by axis, and is always readable.

use super::Gains;
use crate::dynamics::{
    Axis, BodyId, Constraint, ConstraintId, Drive, DynamicsError, Element, Joint, JointTarget, Placement, Response,
    World,
};
use crate::math::{Quat, Real, Vec3, Vec6};

/// Control of one axis of the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootAxis {
    /// Frequency and damping ratio of the spring.
    pub gains: Gains,
    /// Largest force (N) or torque (N·m).
    pub limit: Real,
    /// Switch: false leaves the axis free.
    pub on: bool,
}

impl Default for RootAxis {
    fn default() -> Self {
        Self { gains: Gains::critical(60.0), limit: Real::INFINITY, on: true }
    }
}

/// Turns of the target stay small where the spring is linear, radians.
const LEAN: Real = 0.3;

/// Leads one free segment.
#[derive(Clone, Debug, PartialEq)]
pub struct RootController {
    constraint: ConstraintId,
    body: BodyId,
    /// Mass and moment it moves.
    inertia: (Real, Real),
    axes: [RootAxis; 6],
}

impl RootController {
    /// Leads the frame `frame` of a body that carries `mass` kg with `moment` kg·m² about the frame.
    pub fn new(
        world: &mut World,
        body: BodyId,
        frame: Placement,
        mass: Real,
        moment: Real,
        axes: [RootAxis; 6],
    ) -> Result<Self, DynamicsError> {
        let joint = Joint::new(None, Placement::IDENTITY, Some(body), frame);
        let mut constraint = Constraint::new(joint).named("root");
        constraint.enabled = false;
        let constraint = world.add_constraint(constraint)?;
        let mut controller =
            Self { constraint, body, inertia: (mass, moment.max(1e-9)), axes: [RootAxis::default(); 6] };
        controller.set_axes(world, axes);
        Ok(controller)
    }

    /// Constraint between the world and the root.
    pub fn constraint(&self) -> ConstraintId {
        self.constraint
    }

    /// Mass that the controller leads, kg.
    pub(crate) fn mass(&self) -> Real {
        self.inertia.0
    }

    /// Control of the axes: x, y, z, then the rotations about them.
    pub fn axes(&self) -> &[RootAxis; 6] {
        &self.axes
    }

    /// Changes the control of the axes: x, y, z, then the rotations about them.
    pub fn set_axes(&mut self, world: &mut World, axes: [RootAxis; 6]) {
        self.axes = axes;
        let (mass, moment) = self.inertia;
        let drive = |(k, axis): (usize, &RootAxis)| {
            let element = if k < 3 { Element::Linear(Axis::ALL[k]) } else { Element::Angular(Axis::ALL[k - 3]) };
            let (stiffness, damping) = axis.gains.spring(if k < 3 { mass } else { moment });
            Drive { element, response: Response::Spring { stiffness, damping }, max_force: axis.limit }
        };
        let in_use = |axis: &RootAxis| axis.on && axis.limit > 0.0 && axis.gains.frequency > 0.0;
        let constraint = world.constraint_mut(self.constraint);
        constraint.enabled = axes.iter().any(in_use);
        if let Some(joint) = constraint.joint_mut() {
            joint.drives.clear();
            joint.drives.extend(axes.iter().enumerate().filter(|(_, axis)| in_use(axis)).map(drive));
        }
    }

    /// Lets go of the root, or takes it again as it was held.
    pub fn set_held(&mut self, world: &mut World, held: bool) {
        if held {
            self.set_axes(world, self.axes);
        } else {
            world.constraint_mut(self.constraint).enabled = false;
        }
    }

    /// A target moved by as much as lets the springs of the axes that are held without a limit exert a force (N) and a torque
    /// (N·m, about the frame) that are known to be needed when the frame is at the target itself.
    pub(crate) fn leaning(&self, mut target: JointTarget, force: &Vec3, torque: &Vec3) -> JointTarget {
        let lean = |k: usize, known: Real, carried: Real| {
            let axis = &self.axes[k];
            let stiffness = axis.gains.spring(carried).0;
            if axis.on && axis.limit.is_infinite() && stiffness > 0.0 { known / stiffness } else { 0.0 }
        };
        let turn = Vec3::from_fn(|k, _| lean(k + 3, torque[k], self.inertia.1).clamp(-LEAN, LEAN));
        target.position += Vec3::from_fn(|k, _| lean(k, force[k], self.inertia.0));
        target.rotation = Quat::from_scaled_axis(turn) * target.rotation;
        target
    }

    /// Aims at where the frame should be; see [`JointTarget`].
    pub fn aim(&self, world: &mut World, target: JointTarget) {
        if world.constraint(self.constraint).enabled {
            world.aim(self.constraint, target);
        }
    }

    /// Force (N) and torque (N·m, about the segment's centre of mass) on the figure in the last step, world axes.
    pub fn residual(&self, world: &World) -> Vec6 {
        if world.constraint(self.constraint).enabled {
            world.wrench_on(self.constraint, self.body)
        } else {
            Vec6::zeros()
        }
    }
}
