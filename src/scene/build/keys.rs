//! Keys of each kind of joint and force, so that a misplaced key is an error.

use crate::files::nearest;
use crate::formats::FormatError;
use crate::scene::context::Context;
use crate::scene::schema::{Force, ForceKind, Joint, JointKind};
use serde::Serialize;

/// Keys of every joint.
const TERMS: &[&str] = &["name", "repeat", "kind", "start", "end", "breaks_at", "off"];
const HOW: &[&str] = &["tau", "stiffness", "damping", "frequency", "damping_ratio"];
const ENDS: &[&str] = &["a", "b", "at", "at_a", "at_b"];
const AXES: &[&str] = &["axis", "axis_a", "axis_b"];

/// Keys of a kind of joint beside [`TERMS`].
pub(crate) fn joint_entries(kind: JointKind) -> Vec<&'static str> {
    let groups: &[&[&str]] = match kind {
        JointKind::Ball => &[ENDS, HOW],
        JointKind::Hinge
        | JointKind::Slider
        | JointKind::Cylinder
        | JointKind::Plane
        | JointKind::Line
        | JointKind::OnPlane => &[ENDS, AXES, HOW],
        JointKind::Universal => &[ENDS, AXES, HOW, &["second_axis"]],
        JointKind::Weld => &[ENDS, HOW],
        JointKind::Perpendicular | JointKind::Align => &[&["a", "b"], AXES, HOW, &["max_torque"]],
        JointKind::Rows => &[ENDS, AXES, HOW, &["rows", "target", "target_turn", "max_force"]],
        JointKind::Motor => &[ENDS, HOW, &["target", "target_turn", "max_force", "max_torque"]],
        JointKind::Path => &[&["a", "b", "at_b", "path", "path_points", "path_of", "max_force"], HOW],
        JointKind::Curve => &[ENDS, HOW, &["curve", "leaves_at_ends"]],
        JointKind::Surface => &[ENDS, HOW, &["surface", "outside"]],
        JointKind::Bar | JointKind::Rope | JointKind::Strut => &[ENDS, HOW, &["length"]],
        JointKind::Pulley => &[&["a", "b", "at_a", "at_b", "wheel_a", "wheel_b", "ratio", "slack", "length"], HOW],
        JointKind::Gear => &[&["of", "freedom", "factors", "toothed"]],
        JointKind::Rolling => &[&["a", "b", "at", "axis", "radius", "axle", "touching"]],
        JointKind::Limit => &[&["of", "freedom", "lower", "upper", "max_force"], HOW],
        JointKind::SwingTwist => &[&["of", "swing", "twist", "max_torque"], HOW],
        JointKind::Euler => &[&["of", "ranges", "order", "max_torque"], HOW],
        JointKind::LimitedSpring => &[&["of", "freedom", "lower", "upper", "rest", "stiffness", "damping"]],
        JointKind::PoweredAxis => &[&["of", "freedom", "lower", "upper", "speed", "position", "max_force"], HOW],
    };
    groups.concat()
}

/// Keys of a kind of force.
pub(crate) fn force_entries(kind: ForceKind) -> Vec<&'static str> {
    let own: &[&str] = match kind {
        ForceKind::Spring => &["a", "b", "at_a", "at_b", "rest_length", "stiffness", "damping"],
        ForceKind::Rubber => &["a", "b", "at_a", "at_b", "rest_length", "stiffness", "closing", "smoothing"],
        ForceKind::Torsion => &["a", "b", "axis", "rest_angle", "stiffness", "damping"],
        ForceKind::Drag => &["on", "linear", "quadratic", "angular"],
        ForceKind::Damping => &["on", "rate"],
        ForceKind::Field => &["on", "acceleration"],
        ForceKind::Push => &["on", "at", "force", "torque", "turns_with_body"],
        ForceKind::Support => &["on", "at", "height", "stiffness", "damping"],
        ForceKind::Wind => &[
            "on",
            "velocity",
            "from",
            "towards",
            "strength",
            "narrowness",
            "reach",
            "blow",
            "density",
            "drag_coefficient",
        ],
        ForceKind::Pid => {
            &["on", "sense", "target", "proportional", "integral", "derivative", "limit", "along", "about"]
        }
    };
    own.to_vec()
}

/// Refuses keys that do not belong to this kind.
pub(crate) fn check_joint(context: &Context<'_>, entry: &Joint) -> Result<(), FormatError> {
    check(context, entry, &word(&entry.kind), &joint_entries(entry.kind), TERMS, "joint")
}

pub(crate) fn check_force(context: &Context<'_>, entry: &Force) -> Result<(), FormatError> {
    check(context, entry, &word(&entry.kind), &force_entries(entry.kind), TERMS, "force")
}

/// Name of a kind in scene files.
pub(crate) fn word<T: Serialize>(kind: &T) -> String {
    match toml::Value::try_from(kind) {
        Ok(toml::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn check<T: Serialize>(
    context: &Context<'_>,
    entry: &T,
    kind: &str,
    own: &[&'static str],
    terms: &[&'static str],
    what: &str,
) -> Result<(), FormatError> {
    let table = toml::Table::try_from(entry).map_err(|error| context.fault("", error.to_string()))?;
    for key in table.keys() {
        if !own.contains(&key.as_str()) && !terms.contains(&key.as_str()) {
            let error = context.fault(key, format!("{key:?} says nothing to a {what} of kind {kind:?}"));
            let expected = format!("expected {}", own.join(", "));
            return Err(match nearest(key, own.iter().copied()) {
                Some(near) => error.help(format!("did you mean {near:?}? {expected}")),
                None => error.help(expected),
            });
        }
    }
    Ok(())
}
