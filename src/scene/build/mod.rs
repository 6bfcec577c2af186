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
use super::objects::Objects;
use crate::dynamics::{DynamicsError, World};
use crate::formats::FormatError;

/// World and objects under construction.
pub(crate) struct Builder<'a> {
    pub world: &'a mut World,
    pub objects: &'a mut Objects,
}

/// Error of the world, reported at its entry.
pub(crate) fn refused(context: &Context<'_>, error: &DynamicsError) -> FormatError {
    context.fault("", error.to_string())
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
