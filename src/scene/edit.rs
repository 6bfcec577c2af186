//! Edits of a running scene: one entry of a body, joint, force or figure gets another value.

use super::build::{Builder, group, refresh_body, restate_force, restate_joint, span, unknown_name};
use super::context::Context;
use super::files::KeyPath;
use super::objects::{ObjectId, Origin};
use super::run::{SceneError, SceneRun};
use crate::files::nearest;
use crate::formats::FormatError;
use crate::math::Real;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// New value of one key of an object.
struct Edit<'a> {
    key: &'a str,
    value: &'a toml::Value,
    /// Place of the edit in the scene file, where its faults are told.
    key_path: KeyPath,
}

/// Keys of a body that can be edited.
const OF_BODY: [&str; 9] =
    ["mass", "density", "inertia", "damping", "angular_damping", "friction", "restitution", "rolling", "spinning"];

impl SceneRun {
    /// Edits one entry of an object: "spring.stiffness", "ball.mass", "man.arms".
    pub(super) fn set(&mut self, origin: &Origin, path: &str, value: &toml::Value) -> Result<(), SceneError> {
        let key_path = origin.key_path.key("set").key(path);
        let Some((name, key)) = path.split_once('.') else {
            let message = format!("{path:?} says not what of it: write \"{path}.stiffness\", …");
            return Err(self.files.fault(&key_path, message).into());
        };
        let name = self.context(origin).fill("set", name)?;
        let edit = Edit { key, value, key_path };
        match self.objects.find(&name) {
            Some(ObjectId::Joint(k)) => self.set_joint(k, &edit)?,
            Some(ObjectId::Force(k)) => self.set_force(k, &edit)?,
            Some(ObjectId::Body(k)) => self.set_body(k, &edit)?,
            Some(ObjectId::Figure(k)) => self.set_strength(k, &edit)?,
            _ => {
                // Faults of the changed entry are told where it was changed.
                let here = Origin { key_path: origin.key_path.key("set"), ..origin.clone() };
                let what = "body, joint, force or figure";
                return Err(unknown_name(&self.objects, &self.context(&here), "", &name, what).into());
            }
        }
        Ok(())
    }

    /// Entry with the edited key.
    fn edited<T: Serialize + DeserializeOwned>(&self, entry: &T, edit: &Edit<'_>) -> Result<T, FormatError> {
        let fault = |message: String| self.files.fault(&edit.key_path, message);
        let mut table = toml::Table::try_from(entry).map_err(|error| fault(error.to_string()))?;
        table.insert(edit.key.to_owned(), edit.value.clone());
        table.try_into().map_err(|error: toml::de::Error| fault(error.message().replace('`', "\"")))
    }

    fn set_joint(&mut self, k: usize, edit: &Edit<'_>) -> Result<(), FormatError> {
        self.objects.joints[k].entry = self.edited(&self.objects.joints[k].entry, edit)?;
        let own = self.objects.joints[k].origin.clone();
        let SceneRun { files, constants, run, objects, .. } = self;
        let context = Context::of(files, constants, &own, run.world.time());
        restate_joint(&mut Builder { run, objects }, &context, k)?;
        let joint = &mut objects.joints[k];
        let constraint = run.world.constraint_mut(joint.id);
        (constraint.start, constraint.end) = span(&context, &joint.entry.start, &joint.entry.end)?;
        joint.varies = context.varies();
        Ok(())
    }

    fn set_force(&mut self, k: usize, edit: &Edit<'_>) -> Result<(), FormatError> {
        self.objects.forces[k].entry = self.edited(&self.objects.forces[k].entry, edit)?;
        let own = self.objects.forces[k].origin.clone();
        let SceneRun { files, constants, run, objects, .. } = self;
        let context = Context::of(files, constants, &own, run.world.time());
        restate_force(&mut Builder { run, objects }, &context, k)?;
        let force = &mut objects.forces[k];
        let acts = span(&context, &force.entry.start, &force.entry.end)?;
        for id in &force.ids {
            let known = run.world.force_mut(*id);
            (known.start, known.end) = acts;
        }
        force.pid.iter_mut().for_each(|pid| pid.acts = acts);
        force.varies = context.varies() && force.pid.is_none();
        Ok(())
    }

    fn set_body(&mut self, k: usize, edit: &Edit<'_>) -> Result<(), FormatError> {
        if !OF_BODY.contains(&edit.key) {
            let error = self.files.fault(&edit.key_path, format!("{:?} of a body cannot be changed", edit.key));
            let listed = OF_BODY.join(", ");
            return Err(match nearest(edit.key, OF_BODY) {
                Some(near) => error.help(format!("did you mean {near:?}? expected {listed}")),
                None => error.help(format!("expected {listed}")),
            });
        }
        self.objects.bodies[k].entry = self.edited(&self.objects.bodies[k].entry, edit)?;
        let own = self.objects.bodies[k].origin.clone();
        let SceneRun { files, constants, run, objects, .. } = self;
        let context = Context::of(files, constants, &own, run.world.time());
        refresh_body(&mut Builder { run, objects }, &context, k)
    }

    /// Sets the strength of a part of a figure.
    fn set_strength(&mut self, k: usize, edit: &Edit<'_>) -> Result<(), FormatError> {
        let fault = |message: String| self.files.fault(&edit.key_path, message);
        let share = match edit.value {
            toml::Value::Float(share) => *share,
            toml::Value::Integer(share) => *share as Real,
            _ => return Err(fault("the strength of a part is a number from 0 to 1".into())),
        };
        let parts = group(&self.objects.figures[k].figure, edit.key);
        for part in parts.ok_or_else(|| fault(format!("the figure has no part {:?}", edit.key)))? {
            self.run.followers[k].actor.set_strength(part, share.clamp(0.0, 1.0));
        }
        Ok(())
    }
}
