//! Timeline of a scene: events are planned before the run and carried out step by step.

use super::build::{Builder, add_body, add_force, add_joint, unknown_name};
use super::context::{Constants, Context};
use super::files::{Files, KeyPath};
use super::objects::{ObjectId, Objects, Origin, matches};
use super::run::{SceneError, SceneRun};
use super::schema::Event;
use super::setup::MOST_REPETITIONS;
use super::unit::{IMPULSE, LENGTH, TIME};
use crate::formats::FormatError;
use crate::math::{Real, Vec3};
use crate::simulation::RagDoll;

/// An event that is to come.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    time: Real,
    which: usize,
    index: u32,
    count: u32,
}

/// All events of a scene, the soonest last.
pub(crate) fn plan(files: &Files, constants: &Constants) -> Result<Vec<Planned>, FormatError> {
    let mut planned = Vec::new();
    for (which, event) in files.scene.event.iter().enumerate() {
        let key_path = KeyPath::entry("event", which);
        let count = event.repeat.unwrap_or(1);
        if count > MOST_REPETITIONS {
            return Err(
                files.fault(&key_path.key("repeat"), format!("at most {MOST_REPETITIONS} repetitions are made"))
            );
        }
        for index in 0..count {
            let context = Context::new(files, constants, key_path.clone(), 0.0).repetition(index, count);
            let every = context.fixed("every", &event.every, TIME)?.unwrap_or(0.0);
            let first = context.fixed("at", &Some(event.at.clone()), TIME)?.unwrap_or(0.0);
            let time = first + every * Real::from(index);
            context.not_negative("at", time)?;
            planned.push(Planned { time, which, index, count });
        }
    }
    // Those of one time happen in the order of the file.
    planned.reverse();
    planned.sort_by(|a, b| b.time.total_cmp(&a.time));
    Ok(planned)
}

impl SceneRun {
    /// Lets everything happen whose time has come.
    pub(crate) fn run_due_events(&mut self) -> Result<(), SceneError> {
        let now = self.run.world.time() + 0.5 * self.step_length();
        while self.planned.last().is_some_and(|event| event.time <= now) {
            let Some(planned) = self.planned.pop() else { break };
            let event = self.files.scene.event[planned.which].clone();
            let origin =
                Origin { key_path: KeyPath::entry("event", planned.which), index: planned.index, count: planned.count };
            self.run_event(&event, &origin)?;
        }
        Ok(())
    }

    fn run_event(&mut self, event: &Event, origin: &Origin) -> Result<(), SceneError> {
        self.create(event, origin)?;
        for (key, names, on) in [("on", &event.on, true), ("off", &event.off, false)] {
            if let Some(names) = names {
                for name in self.context(origin).fill_all(key, names)? {
                    self.switch(origin, key, &name, on)?;
                }
            }
        }
        if let Some(names) = &event.remove {
            for name in self.context(origin).fill_all("remove", names)? {
                self.remove(origin, &name)?;
            }
        }
        for (path, value) in &event.set {
            self.set(origin, path, value)?;
        }
        if let Some(push) = &event.push {
            let (id, impulse, point) = {
                let context = self.context(origin);
                let name = context.fill("push.on", &push.on)?;
                let (id, centre) = super::build::body_of(&self.objects, &name)
                    .ok_or_else(|| unknown_name(&self.objects, &context, "push.on", &name, "body"))?;
                let impulse = context.vector("push.impulse", &push.impulse, IMPULSE)?;
                let local =
                    context.maybe_vector("push.at", &push.at, LENGTH)?.map_or_else(Vec3::zeros, |at| at - centre);
                (id, impulse, self.run.world.state(id).placement.point(&local))
            };
            self.run.world.apply_impulse(id, impulse, point)?;
        }
        for (key, names) in [("let_go", &event.let_go), ("follow", &event.follow)] {
            for name in names.as_ref().map_or(&[][..], |names| names.as_slice()) {
                let Some(ObjectId::Figure(k)) = self.objects.find(name) else {
                    return Err(unknown_name(&self.objects, &self.context(origin), key, name, "figure").into());
                };
                let follower = &mut self.run.followers[k];
                if key == "let_go" {
                    follower.actor.relax(&mut self.run.world, RagDoll::default());
                    follower.trip = None;
                } else {
                    follower.actor.recover(&mut self.run.world);
                }
            }
        }
        Ok(())
    }

    /// Bodies, joints and forces that appear.
    fn create(&mut self, event: &Event, origin: &Origin) -> Result<(), SceneError> {
        let (first_body, first_joint, first_force) =
            (self.objects.bodies.len(), self.objects.joints.len(), self.objects.forces.len());
        let time = self.run.world.time();
        let SceneRun { files, constants, run, objects, .. } = self;
        let mut builder = Builder { run, objects };
        let each = |key: String, repeat: Option<u32>, add: &mut dyn FnMut(&Context<'_>) -> Result<(), FormatError>| {
            let key_path = origin.key_path.to(&key);
            // Within an event that is repeated, i counts its repetitions; an entry's own repetitions come first.
            let (own, outer) = (repeat.unwrap_or(1), origin.count);
            for k in 0..own.min(MOST_REPETITIONS) {
                let (index, count) = if repeat.is_some() { (k, own) } else { (origin.index, outer) };
                add(&Context::new(files, constants, key_path.clone(), time).repetition(index, count))?;
            }
            Ok::<(), FormatError>(())
        };
        for (k, entry) in event.body.iter().enumerate() {
            each(format!("body.{k}"), entry.repeat, &mut |context| add_body(&mut builder, context, entry, time))?;
        }
        for (k, entry) in event.joint.iter().enumerate() {
            each(format!("joint.{k}"), entry.repeat, &mut |context| add_joint(&mut builder, context, entry))?;
        }
        for (k, entry) in event.force.iter().enumerate() {
            each(format!("force.{k}"), entry.repeat, &mut |context| add_force(&mut builder, context, entry))?;
        }
        let Objects { bodies, joints, forces, .. } = &self.objects;
        let new: Vec<String> = (bodies[first_body..].iter().map(|body| &body.name))
            .chain(joints[first_joint..].iter().map(|joint| &joint.name))
            .chain(forces[first_force..].iter().map(|force| &force.name))
            .cloned()
            .collect();
        self.join_patterns(&new).map_err(|message| self.files.fault(&origin.key_path, message))?;
        if self.objects.forces.len() > first_force {
            self.find_senses(first_force)?;
        }
        Ok(())
    }

    fn switch(&mut self, origin: &Origin, key: &str, pattern: &str, on: bool) -> Result<(), SceneError> {
        let mut found = false;
        for which in 0..self.objects.joints.len() {
            if matches(pattern, &self.objects.joints[which].name) && !self.objects.joints[which].removed {
                self.run.world.constraint_mut(self.objects.joints[which].id).enabled = on;
                found = true;
            }
        }
        for which in 0..self.objects.forces.len() {
            if matches(pattern, &self.objects.forces[which].name) && !self.objects.forces[which].removed {
                for id in self.objects.forces[which].ids.clone() {
                    self.run.world.force_mut(id).enabled = on;
                }
                if let Some(pid) = &mut self.objects.forces[which].pid {
                    (pid.on, pid.integral, pid.last_error) = (on, 0.0, None);
                }
                found = true;
            }
        }
        if found {
            Ok(())
        } else {
            Err(unknown_name(&self.objects, &self.context(origin), key, pattern, "joint or force").into())
        }
    }

    fn remove(&mut self, origin: &Origin, pattern: &str) -> Result<(), SceneError> {
        let mut found = false;
        let time = self.run.world.time();
        for body in &mut self.objects.bodies {
            if body.removed.is_none() && matches(pattern, &body.name) {
                self.run.world.remove_body(body.id);
                body.removed = Some(time);
                found = true;
            }
        }
        for joint in &mut self.objects.joints {
            if !joint.removed && matches(pattern, &joint.name) {
                self.run.world.constraint_mut(joint.id).enabled = false;
                joint.removed = true;
                found = true;
            }
        }
        for force in &mut self.objects.forces {
            if !force.removed && matches(pattern, &force.name) {
                for id in &force.ids {
                    self.run.world.force_mut(*id).enabled = false;
                }
                force.removed = true;
                found = true;
            }
        }
        if found {
            return Ok(());
        }
        Err(unknown_name(&self.objects, &self.context(origin), "remove", pattern, "body, joint or force").into())
    }
}
