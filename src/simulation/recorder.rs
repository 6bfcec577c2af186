//! Recorder: fills a recording while a run goes on.

use super::Actor;
use crate::control::read_joint;
use crate::dynamics::{BodyId, ConstraintId, Contact, World};
use crate::math::{Real, Vec3};
use crate::record::{RecordedBody, RecordedContact, RecordedFigure, RecordedJoint, Recording, shapes_of, wxyz};

/// Records frames of a world at a constant rate.
#[derive(Clone, Debug)]
pub struct Recorder {
    recording: Recording,
    /// Time by which a step may come before its frame, seconds.
    slack: Real,
}

impl Recorder {
    /// Empty recorder with so many frames per second.
    pub fn new(title: impl Into<String>, rate_hz: Real) -> Self {
        Self { recording: Recording::new(title, rate_hz), slack: 1e-9 }
    }

    /// Recorder for steps of which a whole number makes a frame: time that is added up drifts, and the nearest step counts.
    pub fn in_step(title: impl Into<String>, rate_hz: Real, step: Real) -> Self {
        Self { recording: Recording::new(title, rate_hz), slack: 0.5 * step }
    }

    /// Empty recorder with the same title and rate.
    pub(crate) fn blank(&self) -> Self {
        Self { recording: Recording::new(self.recording.title.clone(), self.recording.rate_hz), slack: self.slack }
    }

    /// Frames so far.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Ends the recorder and gives its frames.
    pub fn finish(self) -> Recording {
        self.recording
    }

    /// Forgets the frames behind a time, seconds.
    pub(crate) fn cut(&mut self, time: Real) {
        self.recording.cut(time);
    }

    /// Records a frame if its time has come. `joints` are constraints beside those of the actors, by name.
    pub fn observe<'a>(
        &mut self,
        world: &World,
        actors: impl Iterator<Item = (&'a str, &'a Actor)>,
        joints: impl Iterator<Item = (&'a str, ConstraintId)>,
    ) {
        let Recording { times_s, rate_hz, .. } = &self.recording;
        let start = times_s.first().copied().unwrap_or(world.time());
        if world.time() >= start + times_s.len() as Real / rate_hz - self.slack {
            self.record(world, actors, joints);
        }
    }

    /// Records a frame. Bodies added since the last frame get their present placement in all frames before it.
    pub fn record<'a>(
        &mut self,
        world: &World,
        actors: impl Iterator<Item = (&'a str, &'a Actor)>,
        joints: impl Iterator<Item = (&'a str, ConstraintId)>,
    ) {
        let before = self.recording.frames();
        self.recording.times_s.push(world.time());
        self.bodies(world, before);
        let mut next = 0;
        for (which, (name, actor)) in actors.enumerate() {
            self.actor(which, name, actor, world, &mut next);
        }
        for (name, id) in joints {
            let wrench = world.reaction(id).wrenches.last().map_or([0.0; 6], |(_, wrench)| (*wrench).into());
            let new = || RecordedJoint {
                name: name.to_owned(),
                force_torque_on_b: Vec::new(),
                body: None,
                at_m: [0.0; 3],
                muscle_nm: Vec::new(),
            };
            let joint = self.joint(&mut next, new);
            // Nothing was felt before it came.
            joint.force_torque_on_b.resize(before, [0.0; 6]);
            joint.force_torque_on_b.push(wrench);
        }
        self.recording.joints.truncate(next);
        let contact = |contact: &Contact| RecordedContact {
            bodies: contact.bodies.map(BodyId::index),
            point_m: contact.point.into(),
            force_n: (contact.normal * contact.normal_force + contact.friction_force).into(),
        };
        self.recording.contacts.push(world.contacts().iter().map(contact).collect());
    }

    fn bodies(&mut self, world: &World, before: usize) {
        let recording = &mut self.recording;
        for (id, body) in world.bodies().skip(recording.bodies.len()) {
            let place = world.state(id).placement;
            recording.bodies.push(RecordedBody {
                name: body.name.clone(),
                mass_kg: if body.is_dynamic() { body.mass.mass } else { 0.0 },
                position_m: vec![place.position.into(); before],
                rotation_wxyz: vec![wxyz(&place.rotation); before],
                velocity_m_s: vec![[0.0; 3]; before],
                angular_velocity_rad_s: vec![[0.0; 3]; before],
                shapes: shapes_of(world, id),
                color: None,
                from_s: (before > 0).then_some(world.time()),
                until_s: None,
            });
        }
        for (body, (id, _)) in recording.bodies.iter_mut().zip(world.bodies()) {
            let state = world.state(id);
            body.position_m.push(state.placement.position.into());
            body.rotation_wxyz.push(wxyz(&state.placement.rotation));
            body.velocity_m_s.push(state.linear().into());
            body.angular_velocity_rad_s.push(state.angular().into());
        }
    }

    fn joint(&mut self, next: &mut usize, new: impl FnOnce() -> RecordedJoint) -> &mut RecordedJoint {
        if self.recording.joints.len() == *next {
            self.recording.joints.push(new());
        }
        *next += 1;
        &mut self.recording.joints[*next - 1]
    }

    fn actor(&mut self, which: usize, name: &str, actor: &Actor, world: &World, next: &mut usize) {
        let (figure, instance) = (actor.figure(), actor.instance());
        if self.recording.figures.len() == which {
            let bodies = instance.bodies.iter().map(|id| id.index()).collect();
            let (name, height_m) = (name.to_owned(), figure.height);
            self.recording.figures.push(RecordedFigure { name, height_m, bodies, root_force_torque: Vec::new() });
        }
        self.recording.figures[which].root_force_torque.push(actor.residual(world).into());
        for (k, joint) in instance.joints.iter().enumerate() {
            let Some(joint) = joint else { continue };
            let (segment, body) = (figure.segment(k), instance.bodies[k]);
            let known = self.joint(next, || RecordedJoint {
                name: format!("{name}.{}", segment.name),
                force_torque_on_b: Vec::new(),
                body: Some(body.index()),
                at_m: (-segment.centre).into(),
                muscle_nm: Vec::new(),
            });
            known.force_torque_on_b.push(world.wrench_on(*joint, body).into());
            let torque = actor.muscle(k).and_then(|muscle| {
                let reading = read_joint(world, muscle.joint())?;
                Some(reading.axes * muscle.torque(world))
            });
            known.muscle_nm.push(torque.unwrap_or_else(Vec3::zeros).into());
        }
    }
}
