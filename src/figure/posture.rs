//! Reference pose: the pose in which shapes, soles and joint axes are found, with its up and forward directions.
//!
//! The rest pose serves where it stands. Rigs that rest in no posture (every bone along one axis) are brought into the posture that all bodies
//! share, by what their segments face in the motion ([`evidence`]). Animals are taken from the frame of the
//! clip in which their legs are most upright.

use crate::anatomy::evidence;
use crate::math::{Real, Vec3};
use crate::motion::{BodyPlan, Clip, DetectedBody, Frame, Pose, Role, Side, Skeleton};

pub(super) const SIDES: [Side; 2] = [Side::Left, Side::Right];

/// The reference pose.
pub(super) struct Posture {
    pub frames: Vec<Frame>,
    /// Unit axes of the body, world space.
    pub up: Vec3,
    pub forward: Vec3,
    pub left: Vec3,
    /// The body stands upright along the world's Y.
    pub stands: bool,
    /// The clip shows it, the rest pose does not.
    pub from_clip: bool,
}

impl Posture {
    pub fn find(skeleton: &Skeleton, body: &DetectedBody, clip: Option<&Clip>) -> Posture {
        let roles = &body.sure_roles();
        let shown = clip.filter(|clip| clip.frames() > 0 && !body.rests_upright);
        let shown = shown.and_then(|clip| match body.plan {
            BodyPlan::Biped => common(skeleton, body, clip).or_else(|| upright(skeleton, body, clip)),
            _ => upright(skeleton, body, clip),
        });
        let from_clip = shown.is_some();
        let pose = Pose { scales: None, ..shown.unwrap_or_else(|| skeleton.rest_pose()) };
        let frames = pose.world(skeleton);
        let stands = body.rests_upright || from_clip;
        let mut posture = Posture { frames, up: Vec3::y(), forward: Vec3::z(), left: Vec3::x(), stands, from_clip };
        posture.find_axes(roles);
        posture
    }

    pub fn position(&self, joint: usize) -> Vec3 {
        self.frames[joint].position
    }

    /// A world point in a joint's frame.
    pub fn local(&self, joint: usize, point: &Vec3) -> Vec3 {
        self.frames[joint].rotation.inverse_transform_vector(&(point - self.frames[joint].position))
    }

    /// A world direction in a joint's axes.
    pub fn turned_in(&self, joint: usize, direction: &Vec3) -> Vec3 {
        self.frames[joint].rotation.inverse_transform_vector(direction)
    }

    /// Away from the middle of the body, to a side.
    pub fn outward(&self, side: Option<Side>) -> Vec3 {
        match side {
            Some(Side::Right) => -self.left,
            _ => self.left,
        }
    }

    fn find_axes(&mut self, roles: &[Option<Role>]) {
        let at = |role: Role| roles.iter().position(|&r| r == Some(role)).map(|j| self.frames[j].position);
        if !self.stands
            && let (Some(hips), Some(head)) = (at(Role::Hips), at(Role::Head))
            && let Some(up) = (head - hips).try_normalize(1e-6)
        {
            self.up = up;
        }
        let pairs: [fn(Side) -> Role; 3] = [Role::UpperLeg, Role::UpperArm, Role::Shoulder];
        let across = pairs.into_iter().find_map(|role| {
            let way = at(role(Side::Left))? - at(role(Side::Right))?;
            (way - self.up * way.dot(&self.up)).try_normalize(1e-6)
        });
        let any = if self.up.x.abs() < 0.9 { Vec3::x() } else { Vec3::z() };
        let any = (any - self.up * any.dot(&self.up)).normalize();
        self.left = across.unwrap_or(any);
        self.forward = self.left.cross(&self.up);
    }
}

/// Returns the posture that all bodies share, with the joints where the first frame of the clip has them in their parents.
fn common(skeleton: &Skeleton, body: &DetectedBody, clip: &Clip) -> Option<Pose> {
    let references = evidence::find(skeleton, &body.roles, clip)?.references;
    let mut pose = clip.pose(skeleton, 0);
    for (j, joint) in skeleton.joints().iter().enumerate() {
        pose.rotations[j] = joint.parent.map_or(references[j], |parent| references[parent].inverse() * references[j]);
    }
    Some(pose)
}

/// Returns the most upright frame of a clip, if any of them stands.
fn upright(skeleton: &Skeleton, body: &DetectedBody, clip: &Clip) -> Option<Pose> {
    most_upright(skeleton, &body.sure_roles(), body.plan, clip).map(|frame| clip.pose(skeleton, frame))
}

/// Returns the frame whose legs, and the trunk of a body on two, stand most upright, if any of them does.
fn most_upright(skeleton: &Skeleton, roles: &[Option<Role>], plan: BodyPlan, clip: &Clip) -> Option<usize> {
    let find = |role: Role| roles.iter().position(|&r| r == Some(role));
    let on_four = plan == BodyPlan::Quadruped;
    let trunk = (find(Role::Hips), find(Role::Head).or_else(|| find(Role::Neck(0))).filter(|_| !on_four));
    let leg = |side: Side| (find(Role::Foot(side)), find(Role::UpperLeg(side)));
    let front = |side: Side| (find(Role::Hand(side)).filter(|_| on_four), find(Role::UpperArm(side)));
    let limbs = SIDES.into_iter().flat_map(|side| [leg(side), front(side)]);
    let chains: Vec<(usize, usize)> = limbs.chain([trunk]).filter_map(|(low, high)| low.zip(high)).collect();
    let step = clip.frames().div_ceil(200).max(1);
    let mut best: Option<(Real, usize)> = None;
    let mut frames = Vec::new();
    for frame in (0..clip.frames()).step_by(step) {
        let pose = Pose { scales: None, ..clip.pose(skeleton, frame) };
        pose.world_into(skeleton, &mut frames);
        let rise = |&(low, high): &(usize, usize)| {
            let way: Vec3 = frames[high].position - frames[low].position;
            way.y / way.norm().max(1e-9)
        };
        let score: Real = chains.iter().map(rise).sum();
        if best.is_none_or(|(most, _)| score > most + 1e-9) {
            best = Some((score, frame));
        }
    }
    best.filter(|(score, _)| *score > 0.5 * chains.len() as Real).map(|(_, frame)| frame)
}
