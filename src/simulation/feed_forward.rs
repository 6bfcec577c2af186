//! Stable PD for a whole figure: torques from the predicted state at the end of the step.
//!
//! ```text
//!  τ = −K (C + hω) − D (ω + h ω̇ − ω̄),     M ω̇ = τ + everything else        (Tan, Liu & Turk 2011)
//! ```
//!
//! ω̇ of one joint depends on the torques of all others, and a joint's own moment is no measure of that: with M replaced by
//! its diagonal, a figure of twenty segments diverges at any gain. So the equation is solved as it stands, by the rows of
//! a world of its own that holds the figure and nothing else: with a damper D alone and a target rate of
//! ω̄ − K (C + hω)/D, a soft row is that equation. A torque known beforehand is
//! one more f/D of that rate. It costs a second step.
//!
//! Contacts are taken from the last step, as the method has it. Props and pins on the figure are not predicted.

use crate::control::{AngleController, RootAxis, RootController, read_joint};
use crate::dynamics::{BodyId, ConstraintId, DynamicsError, JointTarget, Response, Stepper, TimeStepping, World};
use crate::figure::{Figure, FigureInstance, PlaceOptions};
use crate::math::{Real, Vec3};
use crate::motion::FrameMotion;

/// Figure alone in a world of its own, to predict a step.
#[derive(Clone, Debug)]
pub(super) struct FeedForwardModel {
    world: World,
    instance: FigureInstance,
    roots: Vec<RootController>,
}

impl FeedForwardModel {
    /// Builds the model. `roots` lists the segments that are led, with mass (kg) and moment (kg·m²).
    pub fn new(
        figure: &Figure,
        motions: &[FrameMotion],
        place: &PlaceOptions,
        roots: &[(usize, Real, Real)],
        axes: [RootAxis; 6],
    ) -> Result<Self, DynamicsError> {
        let mut world = World::new();
        world.stepper = Stepper::TimeStepping(TimeStepping { max_substeps: 1, ..TimeStepping::default() });
        world.parallel = false;
        world.sleeping.enabled = false;
        let instance = figure.place_moving(&mut world, motions, place)?;
        for limit in instance.limits.iter().flatten() {
            world.constraint_mut(*limit).enabled = false;
        }
        let mut led = Vec::new();
        for &(segment, mass, moment) in roots {
            let frame = crate::dynamics::Placement::at(-figure.segment(segment).centre);
            led.push(RootController::new(&mut world, instance.bodies[segment], frame, mass, moment, axes)?);
        }
        Ok(Self { world, instance, roots: led })
    }

    /// The joint of a segment in this world.
    pub fn joint(&self, segment: usize) -> Option<ConstraintId> {
        self.instance.joints[segment]
    }

    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Copies placements, velocities and contact forces of the figure.
    pub fn copy_state(&mut self, world: &World, bodies: &[BodyId]) -> Result<(), DynamicsError> {
        self.world.gravity = world.gravity;
        for (&own, &body) in self.instance.bodies.iter().zip(bodies) {
            self.world.set_state(own, *world.state(body))?;
            let (force, torque) = world.contact_load(body);
            self.world.apply(own, force, torque)?;
        }
        Ok(())
    }

    /// Aims a muscle of the model.
    pub fn aim(&mut self, segment: usize, muscle: &AngleController, target: &JointTarget, forward: &Vec3, step: Real) {
        let Some(joint) = self.instance.joints[segment] else { return };
        let Some(reading) = read_joint(&self.world, joint) else { return };
        let (stiffness, damping) = muscle.spring();
        let both = muscle.damping();
        let error = reading.error(&target.rotation) + reading.rate * step;
        let rate = (target.angular_velocity * damping - error * stiffness + forward * muscle.strength()) / both;
        let response = Response::Spring { stiffness: 0.0, damping: both };
        self.world.tune(joint, &[(response, muscle.limit()); 3][..muscle.axes().len()]);
        let time = self.world.time() + step;
        self.world.aim(joint, JointTarget { time, rotation: target.rotation, angular_velocity: rate, ..*target });
    }

    /// Aims a root of the model.
    pub fn lead(&mut self, root: usize, axes: &[RootAxis; 6], held: bool, target: JointTarget, step: Real) {
        let Self { world, roots, .. } = self;
        if roots[root].axes() != axes {
            roots[root].set_axes(world, *axes);
        }
        roots[root].set_held(world, held);
        let time = world.time() + step;
        roots[root].aim(world, JointTarget { time, ..target });
    }

    /// Predicts the step.
    pub fn step(&mut self, step: Real) -> Result<(), DynamicsError> {
        self.world.step(step).map(|_| ())
    }

    /// The torque of a segment's muscle in the predicted step, N·m, axes of frame A.
    pub fn torque(&self, segment: usize, muscle: &AngleController) -> Vec3 {
        let (mut torque, mut values) = (Vec3::zeros(), [0.0; 3]);
        let axes = muscle.axes();
        if let Some(joint) = self.instance.joints[segment]
            && self.world.last_multipliers(joint, &mut values[..axes.len()])
        {
            axes.iter().zip(values).for_each(|(axis, value)| torque[axis.index()] = value);
        }
        torque
    }
}
