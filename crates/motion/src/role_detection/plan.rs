//! Decision between two legs and four.
//!
//! Three witnesses vote, from −1 for two legs to 1 for four: the rest pose if it is a posture, the frames of the clip, and the proportions.
//! A person who crawls has the proportions of a person, a stout character stands upright, and a dog in the rest pose of a person walks on
//! four legs: two of three are right.

use super::BodyPlan;
use super::posture::{View, stands_on_four};
use crate::math::real;
use crate::{Frame, Real, Role, Side, Skeleton, Vec3};

/// Length of the trunk over that of the hind legs at which proportions say nothing, and the change that makes a full vote. People have 0.3
/// to 0.9, dogs and foxes 1.2 to 1.7.
const TRUNK: [Real; 2] = [1.0, 0.2];
/// The same for the arms over the legs, and its weight. People have 0.55 to 0.7, dogs 0.8 to 1.1.
const ARMS: [Real; 3] = [0.75, 0.1, 0.3];
/// Strongest votes of the proportions: those of a person are rare in animals, but characters may have any.
const STRONGEST: [Real; 2] = [-1.2, 0.9];
/// Vote of a tail.
const TAIL: Real = 0.3;

/// Decides on the plan of a body with these roles, in a standing rest pose, and its confidence. `rests` is true if the rest pose of the file is
/// a posture.
pub(super) fn decide(upright: &Skeleton, roles: &[Option<Role>], rests: bool, views: &[View]) -> (BodyPlan, Real) {
    let body = Parts { skeleton: upright, roles };
    if !body.has_limbs_and_trunk() {
        return (BodyPlan::Other, 1.0);
    }
    let at_rest = View::at_rest(upright);
    let rest = if rests { body.vote(std::slice::from_ref(&at_rest)) } else { 0.0 };
    let sum = rest + body.vote(views) + body.proportions();
    let plan = if sum > 0.0 { BodyPlan::Quadruped } else { BodyPlan::Biped };
    (plan, 1.0 / (1.0 + real::exp(-2.0 * sum.abs())))
}

/// Returns true if a body with these roles is upright along Y: hips above the feet, and the head of a body on two legs above the hips.
pub(super) fn is_upright(roles: &[Option<Role>], plan: BodyPlan, frames: &[Frame]) -> bool {
    let place = |role: Role| roles.iter().position(|&r| r == Some(role)).map(|j| frames[j].position);
    let is_above = |high: Option<Vec3>, low: Option<Vec3>| {
        let way = high.zip(low).map(|(high, low)| high - low);
        way.is_none_or(|way| way.y > 0.5 * way.norm())
    };
    let hips = place(Role::Hips);
    let leg = |side: Side| is_above(place(Role::UpperLeg(side)).or(hips), place(Role::Foot(side)));
    let head = place(Role::Head).or_else(|| place(Role::Neck(0)));
    [Side::Left, Side::Right].into_iter().all(leg) && (plan == BodyPlan::Quadruped || is_above(head, hips))
}

struct Parts<'a> {
    skeleton: &'a Skeleton,
    roles: &'a [Option<Role>],
}

impl Parts<'_> {
    fn find(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|&r| r == Some(role))
    }

    fn has_limbs_and_trunk(&self) -> bool {
        let limb = |upper: fn(Side) -> Role, lower: fn(Side) -> Role| {
            let both = |side: Side| self.find(upper(side)).is_some() && self.find(lower(side)).is_some();
            both(Side::Left) || both(Side::Right)
        };
        (limb(Role::UpperLeg, Role::LowerLeg) || limb(Role::UpperArm, Role::LowerArm))
            && (self.find(Role::Hips).is_some() || self.find(Role::Spine(0)).is_some())
    }

    /// Middle of a pair, or the one that is there.
    fn middle(&self, frames: &[Frame], role: fn(Side) -> Role) -> Option<Vec3> {
        let found: Vec<Vec3> =
            [Side::Left, Side::Right].into_iter().filter_map(|s| Some(frames[self.find(role(s))?].position)).collect();
        (!found.is_empty()).then(|| found.iter().sum::<Vec3>() / found.len() as Real)
    }

    /// Mean vote of views in which the body is upright or on four legs; 0 if there is none.
    fn vote(&self, views: &[View]) -> Real {
        let votes: Vec<Real> = views.iter().filter_map(|view| self.posture(&view.frames)).collect();
        votes.iter().sum::<Real>() / votes.len().max(1) as Real
    }

    /// −1 for a body that is upright, 1 for one on four legs; `None` for one that lies, sits or bends.
    fn posture(&self, frames: &[Frame]) -> Option<Real> {
        let at = |role: Role| self.find(role).map(|j| frames[j].position);
        let hips = self.middle(frames, Role::UpperLeg).or_else(|| at(Role::Hips))?;
        let shoulders = self.middle(frames, Role::UpperArm);
        let top = shoulders.or_else(|| at(Role::Neck(0))).or_else(|| at(Role::Head))?;
        let trunk = (top - hips).try_normalize(1e-6)?;
        if trunk.y > 0.8 {
            return Some(-1.0);
        }
        let feet = self.middle(frames, Role::Foot).or_else(|| self.middle(frames, Role::LowerLeg))?;
        let hands = self.middle(frames, Role::Hand).or_else(|| self.middle(frames, Role::LowerArm))?;
        let legs_down = hips.y - feet.y > 0.5 * (hips - feet).norm();
        (legs_down && stands_on_four([hips, feet, shoulders?, hands])).then_some(1.0)
    }

    fn proportions(&self) -> Real {
        let length = |above: Option<usize>, below: Option<usize>| {
            let (above, mut joint, mut length) = (above?, below?, 0.0);
            while joint != above {
                length += self.skeleton.bone_length(joint);
                joint = self.skeleton.joint(joint).parent?;
            }
            Some(length)
        };
        let limb = |upper: fn(Side) -> Role, end: fn(Side) -> Role| {
            let side = |s: Side| length(self.find(upper(s)), self.find(end(s)));
            side(Side::Left).or_else(|| side(Side::Right)).filter(|&length| length > 1e-9)
        };
        let leg = limb(Role::UpperLeg, Role::Foot);
        let top = self.find(Role::Neck(0)).or_else(|| self.find(Role::Head));
        let trunk = length(self.find(Role::Hips), top);
        let mut vote = 0.0;
        if let (Some(trunk), Some(leg)) = (trunk, leg) {
            vote += (trunk / leg - TRUNK[0]) / TRUNK[1];
        }
        if let (Some(arm), Some(leg)) = (limb(Role::UpperArm, Role::Hand), leg) {
            vote += ((arm / leg - ARMS[0]) / ARMS[1]).clamp(-1.0, 1.0) * ARMS[2];
        }
        if self.find(Role::Tail(1)).is_some() {
            vote += TAIL;
        }
        vote.clamp(STRONGEST[0], STRONGEST[1])
    }
}
