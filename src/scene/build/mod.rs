//! Building of a world from the entries of a scene: bodies, joints, forces, figures.

mod bodies;
mod coupling;
mod figures;
mod forces;
mod frames;
mod guides;
mod joints;
mod keys;
mod muscles;

pub(crate) use bodies::{add_body, add_ground, add_point, refresh_body};
pub(crate) use figures::{add_figure, group};
pub(crate) use forces::{add_force, push_of_pid, restate_force};
pub(crate) use frames::body_of;
pub(crate) use joints::{add_joint, restate_joint, span};
pub(crate) use muscles::tune_figure;

use super::context::Context;
use super::objects::{ObjectId, Objects};
use crate::dynamics::{BodyId, DynamicsError, World};
use crate::formats::FormatError;
use crate::math::{Quat, Vec3};
use crate::simulation::{Follower, Run};

/// Run and objects under construction.
pub(crate) struct Builder<'a> {
    pub run: &'a mut Run,
    pub objects: &'a mut Objects,
}

/// Read access to the scene while one entry is evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub world: &'a World,
    pub followers: &'a [Follower],
    pub objects: &'a Objects,
    pub context: &'a Context<'a>,
}

impl Scope<'_> {
    /// Body or segment that an entry names, with its centre of mass.
    fn body(&self, key: &str, name: &str) -> Result<(BodyId, Vec3), FormatError> {
        known_body(self.objects, self.context, key, &self.context.fill(key, name)?)
    }

    /// Bodies of the two ends of an entry; none is the world.
    fn bodies(&self, a: &Option<String>, b: &Option<String>) -> Result<[Option<BodyId>; 2], FormatError> {
        let body = |key: &str, name: &Option<String>| -> Result<Option<BodyId>, FormatError> {
            name.as_ref().map(|name| self.body(key, name).map(|(id, _)| id)).transpose()
        };
        Ok([body("a", a)?, body("b", b)?])
    }

    /// Rotation of a body now; none is the world.
    fn rotation(&self, body: Option<BodyId>) -> Quat {
        body.map_or(Quat::identity(), |id| self.world.state(id).placement.rotation)
    }
}

impl Builder<'_> {
    /// Read access for the evaluation of an entry.
    fn scope<'a>(&'a self, context: &'a Context<'a>) -> Scope<'a> {
        Scope { world: &self.run.world, followers: &self.run.followers, objects: self.objects, context }
    }

    /// Gives a name to an object; refuses one that is taken.
    fn claim_name(&mut self, context: &Context<'_>, name: &str, id: ObjectId) -> Result<(), FormatError> {
        match self.objects.name(name, id) {
            true => Ok(()),
            false => Err(context.fault("name", format!("there is something called {name:?} already"))),
        }
    }
}

/// Error of the world, reported at its entry.
pub(crate) fn refused(context: &Context<'_>) -> impl Fn(DynamicsError) -> FormatError {
    |error| context.fault("", error.to_string())
}

/// Body or segment of this name with its centre of mass, or the error at its key.
fn known_body(objects: &Objects, context: &Context<'_>, key: &str, name: &str) -> Result<(BodyId, Vec3), FormatError> {
    body_of(objects, name).ok_or_else(|| unknown_name(objects, context, key, name, "body"))
}

/// Error of an unknown name.
pub(crate) fn unknown_name(
    objects: &Objects,
    context: &Context<'_>,
    keys: &str,
    name: &str,
    what: &str,
) -> FormatError {
    let error = context.fault(keys, format!("there is no {what} {name:?}"));
    match objects.nearest(name) {
        Some(near) => error.help(format!("did you mean {near:?}?")),
        None => error.help(format!("names of the scene: {}", some(&objects.all_names()))),
    }
}

fn some(names: &[String]) -> String {
    const SHOWN: usize = 8;
    if names.is_empty() {
        return "none yet".into();
    }
    let more = if names.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
}

/// Requires a name to be one word, so that formulas can use it.
pub(crate) fn check_name(context: &Context<'_>, name: &str, what: &str) -> Result<(), FormatError> {
    let mut letters = name.chars();
    let sound = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_');
    if sound {
        return Ok(());
    }
    if name.is_empty() {
        return Err(context
            .fault("", format!("this {what} has no name"))
            .help(format!("give it one: name = \"my_{what}\"")));
    }
    let help = "a name begins with a letter and goes on with letters, digits and _, so that formulas can read it";
    Err(context.fault("name", format!("{name:?} is no name")).help(help))
}
