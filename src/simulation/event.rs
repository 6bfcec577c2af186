//! Scheduled events of a run: pushes, thrown balls, muscles that are switched off.

use super::ground::facing;
use super::{Run, RunError};
use crate::dynamics::{Body, Collider, DynamicsError, MassProperties, Placement, Shape};
use crate::math::{Real, Vec3, real};

/// Action on a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventKind {
    /// Impulse on the centre of mass of a segment.
    Push {
        /// Index of the segment.
        segment: usize,
        /// Impulse, N·s, world axes.
        impulse: Vec3,
    },
    /// Ball that reaches a segment at the time of the event, thrown from in front of the figure.
    Throw {
        /// Index of the segment.
        segment: usize,
        /// Mass of the ball, kg.
        mass: Real,
        /// Horizontal speed of the ball, m/s.
        speed: Real,
    },
    /// Switches off all muscles and the root assistance.
    LetGo,
}

/// Scheduled action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Time from the start of the run, seconds.
    pub time: Real,
    /// Index of the follower that it happens to.
    pub follower: usize,
    /// Action.
    pub what: EventKind,
}

/// Time of flight of a thrown ball, seconds.
const FLIGHT: Real = 0.25;

impl Event {
    /// Time at which the run has to act, seconds: a ball is thrown before it arrives.
    fn due(&self) -> Real {
        match self.what {
            EventKind::Throw { .. } => self.time - FLIGHT,
            _ => self.time,
        }
    }
}

impl Run {
    /// Schedules an event.
    pub fn schedule(&mut self, event: Event) -> Result<(), RunError> {
        if !(event.time.is_finite() && event.time >= 0.0) {
            return Err(RunError::EventTime(event.time));
        }
        if event.follower >= self.followers.len() {
            return Err(RunError::EventFollower { found: event.follower, followers: self.followers.len() });
        }
        self.events.push(event);
        self.events.sort_by(|a, b| b.due().total_cmp(&a.due()));
        Ok(())
    }

    /// Applies the events that are due; impulses act for `lasting` seconds.
    pub(super) fn apply_events(&mut self, lasting: Real) -> Result<(), RunError> {
        let now = self.world.time() + 0.5 * self.step_length();
        while let Some(event) = self.events.last().copied().filter(|event| event.due() <= now) {
            let follower = &mut self.followers[event.follower];
            match event.what {
                EventKind::Push { segment, impulse } => {
                    let body = follower.actor.instance().bodies[segment];
                    self.world.apply(body, impulse / lasting, Vec3::zeros())?;
                }
                EventKind::LetGo => {
                    follower.limit_velocities(&mut self.world)?;
                    follower.let_go(&mut self.world);
                }
                EventKind::Throw { segment, mass, speed } => self.throw(&event, segment, mass, speed)?,
            }
            self.events.pop();
        }
        Ok(())
    }

    fn throw(&mut self, event: &Event, segment: usize, mass: Real, speed: Real) -> Result<(), DynamicsError> {
        let follower = &self.followers[event.follower];
        let flight = (event.time - self.world.time()).max(self.step_length());
        let (mut frames, mut motions) = (Vec::new(), Vec::new());
        let figure = follower.actor.figure();
        figure.motions_into(&follower.animation.sample(event.time), &mut frames, &mut motions);
        let aim = motions[segment].position + motions[segment].rotation * figure.segment(segment).centre;
        let forward = facing(figure, &motions);
        // As dense as water; its surface, not its centre, meets the body about then.
        let radius = real::cbrt(3.0 * mass / (4.0 * std::f64::consts::PI * 1000.0));
        let from = aim + forward * (speed * flight + radius) - 0.5 * self.world.gravity * (flight * flight);
        let velocity = -forward * speed;
        // Thrown so that gravity brings it down to the aim: v t + ½ g t² = aim − from.
        let ball = Body::dynamic("ball", MassProperties::sphere(mass, radius), Placement::at(from));
        let ball = self.world.add_body(ball.with_velocity(velocity, Vec3::zeros()).watched_closely())?;
        self.world.add_collider(ball, Collider::new(Shape::Sphere { radius }))?;
        self.thrown.push(ball);
        Ok(())
    }
}
