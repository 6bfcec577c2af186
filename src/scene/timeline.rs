//! What happens when: events are planned before the run and carried out step by step.

use super::build::{Site, add_body, add_force, add_joint, nobody, refresh_body, restate_force, restate_joint, span};
use super::cast::{Cast, Origin, Thing, matches};
use super::desk::{Constants, Desk};
use super::files::{Files, Trail};
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
        let trail = Trail::entry("event", which);
        let count = event.repeat.unwrap_or(1);
        if count > MOST_REPETITIONS {
            return Err(files.fault(&trail.key("repeat"), format!("at most {MOST_REPETITIONS} repetitions are made")));
        }
        for index in 0..count {
            let desk = Desk::new(files, constants, trail.clone(), 0.0).repetition(index, count);
            let every = desk.fixed("every", &event.every, TIME)?.unwrap_or(0.0);
            let first = desk.fixed("at", &Some(event.at.clone()), TIME)?.unwrap_or(0.0);
            let time = first + every * Real::from(index);
            desk.not_negative("at", time)?;
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
    pub(crate) fn happen(&mut self) -> Result<(), SceneError> {
        let now = self.world.time() + 0.5 * self.step_length();
        while self.planned.last().is_some_and(|event| event.time <= now) {
            let Some(planned) = self.planned.pop() else { break };
            let event = self.files.scene.event[planned.which].clone();
            let origin =
                Origin { trail: Trail::entry("event", planned.which), index: planned.index, count: planned.count };
            self.carry_out(&event, &origin)?;
        }
        Ok(())
    }

    fn carry_out(&mut self, event: &Event, origin: &Origin) -> Result<(), SceneError> {
        self.create(event, origin)?;
        for (key, names, on) in [("on", &event.on, true), ("off", &event.off, false)] {
            if let Some(names) = names {
                for name in self.desk(origin).fill_all(key, names)? {
                    self.switch(origin, key, &name, on)?;
                }
            }
        }
        if let Some(names) = &event.remove {
            for name in self.desk(origin).fill_all("remove", names)? {
                self.remove(origin, &name)?;
            }
        }
        for (path, value) in &event.set {
            self.set(origin, path, value)?;
        }
        if let Some(push) = &event.push {
            let (id, impulse, point) = {
                let desk = self.desk(origin);
                let name = desk.fill("push.on", &push.on)?;
                let (id, centre) = super::build::body_of(&self.cast, &name)
                    .ok_or_else(|| nobody(&self.cast, &desk, "push.on", &name, "body"))?;
                let impulse = desk.vector("push.impulse", &push.impulse, IMPULSE)?;
                let local = desk.maybe_vector("push.at", &push.at, LENGTH)?.map_or_else(Vec3::zeros, |at| at - centre);
                (id, impulse, self.world.state(id).placement.point(&local))
            };
            self.world.apply_impulse(id, impulse, point)?;
        }
        for (key, names) in [("let_go", &event.let_go), ("follow", &event.follow)] {
            for name in names.as_ref().map_or(&[][..], |names| names.as_slice()) {
                let Some(Thing::Figure(k)) = self.cast.find(name) else {
                    return Err(nobody(&self.cast, &self.desk(origin), key, name, "figure").into());
                };
                let figure = &mut self.cast.figures[k];
                if key == "let_go" {
                    figure.actor.relax(&mut self.world, RagDoll::default());
                    figure.trip = None;
                } else {
                    figure.actor.recover(&mut self.world);
                }
                figure.relaxed = key == "let_go";
            }
        }
        Ok(())
    }

    /// Bodies, joints and forces that appear.
    fn create(&mut self, event: &Event, origin: &Origin) -> Result<(), SceneError> {
        let (first_body, first_joint, first_force) =
            (self.cast.bodies.len(), self.cast.joints.len(), self.cast.forces.len());
        let time = self.world.time();
        let SceneRun { files, constants, world, cast, .. } = self;
        let mut site = Site { world, cast };
        let each = |key: String, repeat: Option<u32>, add: &mut dyn FnMut(&Desk<'_>) -> Result<(), FormatError>| {
            let trail = origin.trail.to(&key);
            // Within an event that is repeated, i counts its repetitions; an entry's own repetitions come first.
            let (own, outer) = (repeat.unwrap_or(1), origin.count);
            for k in 0..own.min(MOST_REPETITIONS) {
                let (index, count) = if repeat.is_some() { (k, own) } else { (origin.index, outer) };
                add(&Desk::new(files, constants, trail.clone(), time).repetition(index, count))?;
            }
            Ok::<(), FormatError>(())
        };
        for (k, entry) in event.body.iter().enumerate() {
            each(format!("body.{k}"), entry.repeat, &mut |desk| add_body(&mut site, desk, entry, time))?;
        }
        for (k, entry) in event.joint.iter().enumerate() {
            each(format!("joint.{k}"), entry.repeat, &mut |desk| add_joint(&mut site, desk, entry))?;
        }
        for (k, entry) in event.force.iter().enumerate() {
            each(format!("force.{k}"), entry.repeat, &mut |desk| add_force(&mut site, desk, entry))?;
        }
        let Cast { bodies, joints, forces, .. } = &self.cast;
        let new: Vec<String> = (bodies[first_body..].iter().map(|body| &body.name))
            .chain(joints[first_joint..].iter().map(|joint| &joint.name))
            .chain(forces[first_force..].iter().map(|force| &force.name))
            .cloned()
            .collect();
        self.welcome(&new).map_err(|message| self.files.fault(&origin.trail, message))?;
        if self.cast.forces.len() > first_force {
            self.find_senses(first_force)?;
        }
        Ok(())
    }

    fn switch(&mut self, origin: &Origin, key: &str, pattern: &str, on: bool) -> Result<(), SceneError> {
        let mut found = false;
        for which in 0..self.cast.joints.len() {
            if matches(pattern, &self.cast.joints[which].name) && !self.cast.joints[which].removed {
                self.world.constraint_mut(self.cast.joints[which].id).enabled = on;
                found = true;
            }
        }
        for which in 0..self.cast.forces.len() {
            if matches(pattern, &self.cast.forces[which].name) && !self.cast.forces[which].removed {
                for id in self.cast.forces[which].ids.clone() {
                    self.world.force_mut(id).enabled = on;
                }
                if let Some(pid) = &mut self.cast.forces[which].pid {
                    (pid.on, pid.integral, pid.last_error) = (on, 0.0, None);
                }
                found = true;
            }
        }
        if found { Ok(()) } else { Err(nobody(&self.cast, &self.desk(origin), key, pattern, "joint or force").into()) }
    }

    fn remove(&mut self, origin: &Origin, pattern: &str) -> Result<(), SceneError> {
        let mut found = false;
        let time = self.world.time();
        for body in &mut self.cast.bodies {
            if body.gone.is_none() && matches(pattern, &body.name) {
                self.world.remove_body(body.id);
                body.gone = Some(time);
                found = true;
            }
        }
        for joint in &mut self.cast.joints {
            if !joint.removed && matches(pattern, &joint.name) {
                self.world.constraint_mut(joint.id).enabled = false;
                joint.removed = true;
                found = true;
            }
        }
        for force in &mut self.cast.forces {
            if !force.removed && matches(pattern, &force.name) {
                for id in &force.ids {
                    self.world.force_mut(*id).enabled = false;
                }
                force.removed = true;
                found = true;
            }
        }
        if found {
            return Ok(());
        }
        Err(nobody(&self.cast, &self.desk(origin), "remove", pattern, "body, joint or force").into())
    }

    /// Changes one entry of something: "spring.stiffness", "ball.mass", "man.arms".
    fn set(&mut self, origin: &Origin, path: &str, value: &toml::Value) -> Result<(), SceneError> {
        let fault = |run: &SceneRun, message: String| run.files.fault(&origin.trail.key("set").key(path), message);
        let Some((name, key)) = path.split_once('.') else {
            return Err(fault(self, format!("{path:?} says not what of it: write \"{path}.stiffness\", …")).into());
        };
        let name = self.desk(origin).fill("set", name)?;
        let changed =
            |run: &SceneRun, table: Result<toml::Table, toml::ser::Error>| -> Result<toml::Table, FormatError> {
                let mut table = table.map_err(|error| fault(run, error.to_string()))?;
                table.insert(key.to_owned(), value.clone());
                Ok(table)
            };
        let thing = self.cast.find(&name);
        let told = |run: &SceneRun, error: toml::de::Error| fault(run, error.message().replace('`', "\""));
        // Faults of the changed entry are told where it was changed.
        let here = Origin { trail: origin.trail.key("set"), ..origin.clone() };
        match thing {
            Some(Thing::Joint(k)) => {
                let table = changed(self, toml::Table::try_from(&self.cast.joints[k].entry))?;
                let entry = table.try_into().map_err(|error| told(self, error))?;
                self.cast.joints[k].entry = entry;
                let own = self.cast.joints[k].origin.clone();
                let moves = {
                    let SceneRun { files, constants, world, cast, .. } = self;
                    let desk = Desk::new(files, constants, own.trail, world.time()).repetition(own.index, own.count);
                    restate_joint(&mut Site { world, cast }, &desk, k)?;
                    let joint = &cast.joints[k];
                    let constraint = world.constraint_mut(joint.id);
                    (constraint.start, constraint.end) = span(&desk, &joint.entry.start, &joint.entry.end)?;
                    desk.moves()
                };
                self.cast.joints[k].moves = moves;
            }
            Some(Thing::Force(k)) => {
                let table = changed(self, toml::Table::try_from(&self.cast.forces[k].entry))?;
                let entry = table.try_into().map_err(|error| told(self, error))?;
                self.cast.forces[k].entry = entry;
                let own = self.cast.forces[k].origin.clone();
                let moves = {
                    let SceneRun { files, constants, world, cast, .. } = self;
                    let desk = Desk::new(files, constants, own.trail, world.time()).repetition(own.index, own.count);
                    restate_force(&mut Site { world, cast }, &desk, k)?;
                    let force = &mut cast.forces[k];
                    let acts = span(&desk, &force.entry.start, &force.entry.end)?;
                    for id in &force.ids {
                        (world.force_mut(*id).start, world.force_mut(*id).end) = acts;
                    }
                    force.pid.iter_mut().for_each(|pid| pid.acts = acts);
                    desk.moves()
                };
                self.cast.forces[k].moves = moves && self.cast.forces[k].pid.is_none();
            }
            Some(Thing::Body(k)) => {
                let known = [
                    "mass",
                    "density",
                    "inertia",
                    "damping",
                    "angular_damping",
                    "friction",
                    "restitution",
                    "rolling",
                    "spinning",
                ];
                if !known.contains(&key) {
                    let near = crate::files::nearest(key, known);
                    let error = fault(self, format!("{key:?} of a body cannot be changed"));
                    let listed = known.join(", ");
                    return Err(match near {
                        Some(near) => error.help(format!("did you mean {near:?}? expected {listed}")),
                        None => error.help(format!("expected {listed}")),
                    }
                    .into());
                }
                let table = changed(self, toml::Table::try_from(&self.cast.bodies[k].entry))?;
                let entry = table.try_into().map_err(|error| told(self, error))?;
                self.cast.bodies[k].entry = entry;
                let own = self.cast.bodies[k].origin.clone();
                let SceneRun { files, constants, world, cast, .. } = self;
                let desk = Desk::new(files, constants, own.trail, world.time()).repetition(own.index, own.count);
                refresh_body(&mut Site { world, cast }, &desk, k)?;
            }
            Some(Thing::Figure(k)) => {
                let share = match value {
                    toml::Value::Float(share) => *share,
                    toml::Value::Integer(share) => *share as Real,
                    _ => return Err(fault(self, "the strength of a part is a number from 0 to 1".into()).into()),
                };
                let figure = &mut self.cast.figures[k];
                let Some(parts) = super::build::group(figure.actor.figure(), key) else {
                    return Err(fault(self, format!("the figure has no part {key:?}")).into());
                };
                for part in parts {
                    figure.actor.set_strength(part, share.clamp(0.0, 1.0));
                }
            }
            _ => return Err(nobody(&self.cast, &self.desk(&here), "", &name, "body, joint, force or figure").into()),
        }
        Ok(())
    }
}
