//! Detection of the body in a skeleton: the anatomical role of every joint, and the number of legs that it stands on.
//!
//! Names ([`names`]), the shape of the body ([`shape`]) and its motion are separate evidence. [`weighing`] combines names and shape,
//! [`plan`] decides between two and four legs. Shape is read from a posture: the rest pose if it is one, else the frames of a clip in
//! which the body stands ([`posture`]).
//!
//! Every role comes with a confidence. A role that a joint already has is kept, and is certain.

mod names;
mod plan;
mod posture;
mod shape;
mod weighing;

use crate::stature::{humanity, stature_in};
use crate::{Clip, Frame, Real, Role, Skeleton, Stature};
use posture::View;

pub(crate) use names::pairs_by_name;

/// Role of one joint with its confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectedRole {
    /// Detected role; `None` if nothing is known.
    pub role: Option<Role>,
    /// Confidence from 0, unknown, to 1, certain: about the share of such answers that are right.
    pub confidence: Real,
}

impl DetectedRole {
    /// Answer for a joint of which nothing is known.
    pub const UNKNOWN: DetectedRole = DetectedRole { role: None, confidence: 0.0 };
}

/// Limbs that a body stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyPlan {
    /// Upright on two legs: people, most characters, humanoid robots.
    Biped,
    /// On four legs, with a level trunk: dogs, horses, lizards. The front legs have the roles of arms.
    Quadruped,
    /// No body of either kind is recognised.
    Other,
}

/// Body that was found in a skeleton.
#[derive(Clone, Debug)]
pub struct DetectedBody {
    /// Role of every joint.
    pub roles: Vec<DetectedRole>,
    /// Limbs that the body stands on.
    pub plan: BodyPlan,
    /// Confidence in the plan, 0.5 to 1; 1 for [`BodyPlan::Other`].
    pub plan_confidence: Real,
    /// The joints in a standing rest pose taken from the clip; `None` where the rest pose is a posture itself, or no frame stands.
    pub standing: Option<Skeleton>,
    /// True if the rest pose is a posture, along Y: hips above the feet, and the head of a body on two legs above the hips. Skeletons without
    /// hips, feet and head count as upright.
    pub rests_upright: bool,
    /// Stature of a body on two legs; `None` for other bodies, and where bones show too little of it.
    pub stature: Option<Stature>,
    /// Probability that a body on two legs has the size of a person, by its proportions, 0 to 1; 0 for other bodies. Below
    /// [`HUMAN`] it is a cartoon, a toy or a robot, which may have any size.
    pub human: Real,
}

/// Probability from which a body counts as that of a person.
pub const HUMAN: Real = 0.5;

/// Least share of a stature that bones must show.
const SHOWN: Real = 0.3;

/// Confidence below which a role is not used.
pub const SURE: Real = 0.5;

impl DetectedBody {
    /// Returns the roles that are sure enough to be used, by joint.
    pub fn sure_roles(&self) -> Vec<Option<Role>> {
        self.roles.iter().map(|detected| detected.role.filter(|_| detected.confidence >= SURE)).collect()
    }
}

/// Detects the body in a skeleton. A clip shows how it stands and faces where the rest pose does not.
///
/// ```
/// use sinew_motion::{BodyPlan, Joint, Role, Side, Skeleton, Vec3, detect_body};
/// let legs = Skeleton::new(vec![
///     Joint::new("Hips", None, Vec3::y()),
///     Joint::new("LeftHip", Some(0), Vec3::x() * 0.1),
///     Joint::new("LeftKnee", Some(1), Vec3::y() * -0.5),
/// ])?;
/// let body = detect_body(&legs, None);
/// let roles: Vec<_> = body.roles.iter().map(|detected| detected.role).collect();
/// assert_eq!(roles, [Some(Role::Hips), Some(Role::UpperLeg(Side::Left)), Some(Role::LowerLeg(Side::Left))]);
/// assert_eq!(body.plan, BodyPlan::Biped);
/// # Ok::<(), sinew_motion::SkeletonError>(())
/// ```
pub fn detect_body(skeleton: &Skeleton, clip: Option<&Clip>) -> DetectedBody {
    let clip = clip.filter(|clip| clip.frames() > 0 && clip.joints() == skeleton.len());
    let views = clip.map_or(Vec::new(), |clip| posture::views(skeleton, clip));
    let rests = posture::is_posture(skeleton);
    let standing = if rests { None } else { posture::standing(skeleton, &views) };
    let upright = posture::on_its_feet(standing.as_ref().unwrap_or(skeleton));
    let rest = [View::at_rest(&upright)];
    let groups: &[&[View]] = if rests || views.is_empty() { &[&rest, &views] } else { &[&views] };
    let shaped = shape::roles_by_shape(&upright, groups);
    let roles = weighing::weigh_evidence(skeleton, shaped);
    let known: Vec<Option<Role>> = roles.iter().map(|d| d.role.filter(|_| d.confidence > SURE)).collect();
    let (plan, plan_confidence) = plan::decide(&upright, &known, rests, &views);
    let mut body =
        DetectedBody { roles, plan, plan_confidence, standing, rests_upright: false, stature: None, human: 0.0 };
    let (sure, at_rest) = (body.sure_roles(), View::at_rest(skeleton));
    body.rests_upright = rests && plan::is_upright(&sure, plan, &at_rest.frames);
    let mut poses: Vec<&[Frame]> = views.iter().filter(|v| v.stands && !rests).map(|v| v.frames.as_slice()).collect();
    if poses.is_empty() {
        poses.push(&at_rest.frames);
    }
    let person = stature_in(skeleton, &sure, &poses).filter(|_| plan == BodyPlan::Biped);
    body.stature = person.filter(|person| person.shown > SHOWN);
    body.human = if plan == BodyPlan::Biped { humanity(skeleton, &sure, &poses) } else { 0.0 };
    body
}

/// Detects the roles that are sure enough to be used from names and lengths of bones, whatever the rest pose, the unit and the axes. Where names
/// do not tell, left and right are arbitrary.
pub(crate) fn roles_in_any_axes(skeleton: &Skeleton) -> Vec<Option<Role>> {
    let roles = weighing::weigh_evidence(skeleton, shape::roles_by_lengths(skeleton));
    roles.iter().map(|detected| detected.role.filter(|_| detected.confidence >= SURE)).collect()
}

/// Detects the role of every joint, as [`detect_body`] does without a clip.
pub fn detect_roles(skeleton: &Skeleton) -> Vec<DetectedRole> {
    detect_body(skeleton, None).roles
}
