//! Strength of a body: the largest torques of its joints.
//!
//! People: peak voluntary torques of strong grown people about each joint, as shares of body weight × height (1200 N·m for
//! 70 kg and 1.75 m), of the order that dynamometers show (Anderson, Madigan & Nussbaum 2007 for hip, knee and ankle; Harbo,
//! Brincks & Andersen 2012 for all large muscle groups). All else: joints above what the figure stands on bear a fifth of
//! weight × height, others five times what lifts everything they carry.

use super::inertia::{carried_mass, holder};
use crate::figure::{Figure, SolePart};
use crate::math::{GRAVITY, Real};
use crate::motion::Role;

/// Returns the largest torque of each segment's joint, N·m.
pub fn joint_strengths(figure: &Figure) -> Vec<Real> {
    let whole = figure.mass() * GRAVITY * figure.height;
    let carried = carried_mass(figure);
    let mut bears = vec![false; figure.segments().len()];
    for sole in figure.sole_points().iter().filter(|sole| sole.part != SolePart::Palm) {
        let mut at = Some(sole.segment);
        while let Some(segment) = at {
            bears[segment] = true;
            at = holder(figure, segment);
        }
    }
    figure
        .segments()
        .iter()
        .enumerate()
        .map(|(k, segment)| match segment.role.and_then(share) {
            Some(share) => share * whole,
            None if bears[k] => 0.2 * whole,
            None => 5.0 * carried[k] * GRAVITY * segment.length().max(0.1 * figure.height),
        })
        .collect()
}

/// Share of body weight × height.
fn share(role: Role) -> Option<Real> {
    Some(match role {
        Role::UpperLeg(_) => 0.25,
        Role::LowerLeg(_) => 0.22,
        Role::Foot(_) => 0.14,
        Role::Toes(_) => 0.03,
        Role::Spine(_) => 0.25,
        Role::Neck(_) | Role::Head => 0.04,
        Role::Shoulder(_) | Role::UpperArm(_) => 0.08,
        Role::LowerArm(_) => 0.05,
        Role::Hand(_) => 0.012,
        Role::Hips | Role::Jaw | Role::Eye(_) | Role::Finger(..) | Role::Tail(_) | Role::Helper => return None,
    })
}
