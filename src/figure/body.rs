//! A skeleton as a body: what its joints are, how it stands, how long its limbs are and what it stands on.
//!
//! Everything follows from the skeleton (and its skin). A motion is looked at only where the rest pose is no posture, and
//! then only for what no cut of it changes (`stand`); and, of the body that is to move, for joints that the other lacks (`habit`).

use super::{Figure, FigureOptions, SolePart};
use crate::anatomy::evidence;
use crate::anatomy::reference::{Axes, Posture};
use crate::dynamics::Shape;
use crate::math::{Quat, Real, Vec3};
use crate::motion::{BodyPlan, Clip, DetectedRole, Role, Side, Skeleton, detect_body};

/// A limb that rests bent by more than this at a joint bends there, radians.
const BENT: Real = 0.25;

/// A skeleton whose joints are known.
#[derive(Clone, Debug)]
pub struct Body {
    /// The skeleton as it was given.
    pub(crate) given: Skeleton,
    /// The joints with their roles, in a rest pose that stands.
    pub(crate) skeleton: Skeleton,
    pub(crate) guesses: Vec<DetectedRole>,
    /// Limbs that it stands on.
    pub(crate) plan: BodyPlan,
    pub(crate) axes: Option<Axes>,
    /// Orientation of every joint in the posture that all bodies share (`reference`).
    pub(crate) references: Vec<Quat>,
    /// Standard deviation of the references that were taken from a motion, radians.
    pub(crate) uncertainty: Vec<Option<Real>>,
    /// Masses and shapes, for soles and joint limits.
    pub(crate) figure: Option<Figure>,
    pub(crate) limbs: Vec<Limb>,
    /// The same body in the common posture, for limits that mean the same on all bodies.
    pub(crate) limits: Option<Figure>,
    /// Some postures of a motion of its own: rotations of all joints against their parents.
    pub(crate) own_postures: Vec<Vec<Quat>>,
}

/// An arm or a leg of two long bones, or more, and an end that can stand on the ground.
#[derive(Clone, Debug)]
pub(crate) struct Limb {
    pub side: Side,
    /// A leg, or an arm (a front leg).
    pub is_leg: bool,
    pub upper: usize,
    pub end: usize,
    /// The joints that bend, from the upper one to the last before the end.
    pub joints: Vec<usize>,
    pub toes: Option<usize>,
    /// All bones together, metres.
    pub length: Real,
    /// Height of the end joint above the sole in the reference posture, metres.
    pub drop: Real,
    pub soles: Vec<Sole>,
    /// Corners of the shapes on end and toes.
    pub corners: Vec<Corner>,
}

/// A point that a limb stands on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sole {
    pub part: SolePart,
    pub at: Corner,
}

/// A point on the end of a limb, or on its toes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub on_toes: bool,
    /// Metres, joint frame of the end or of the toes.
    pub local: Vec3,
    /// The skin lies this far below it, however it is turned.
    pub radius: Real,
}

/// Additional information about a skeleton.
#[derive(Clone, Copy, Debug, Default)]
pub struct BodyOptions<'a> {
    /// A motion of the skeleton, for rest poses that are no posture, and for how it holds joints that another body lacks.
    pub example: Option<&'a Clip>,
    /// Skin vertices of every joint, those that it moves most, metres, joint frame at rest.
    pub skin: Option<&'a [Vec<Vec3>]>,
    /// Roles of joints that override those detected from names and shape.
    pub told: &'a [(usize, Role)],
}

/// No more of the postures of a motion are looked at.
const POSTURES: usize = 64;

/// Postures all along a clip.
fn postures(clip: &Clip, joints: usize) -> Vec<Vec<Quat>> {
    let frames = if clip.joints() == joints { clip.frames() } else { 0 };
    let every = frames.div_ceil(POSTURES).max(1);
    (0..frames).step_by(every).map(|frame| clip.rotations(frame).to_vec()).collect()
}

impl Body {
    /// Looks at a skeleton. Any skeleton will do; whether a motion can be moved to it is for
    /// [`JointMap::between`](crate::retarget::JointMap::between) to say.
    pub fn new(skeleton: &Skeleton, options: &BodyOptions) -> Body {
        let mut told = skeleton.clone();
        for &(joint, role) in options.told {
            // Whoever had the role before was guessed.
            if let Some(before) = told.with_role(role).filter(|_| role != Role::Helper) {
                told.set_role(before, None);
            }
            told.set_role(joint, Some(role));
        }
        let detected = detect_body(&told, options.example);
        let made_up = detected.standing.is_some();
        let mut own = detected.standing.unwrap_or_else(|| skeleton.clone());
        let mut guesses = detected.roles;
        for &(joint, role) in options.told {
            for (j, guess) in guesses.iter_mut().enumerate() {
                if j != joint && guess.role == Some(role) && role != Role::Helper {
                    *guess = DetectedRole { role: None, confidence: 0.0 };
                }
            }
            guesses[joint] = DetectedRole { role: Some(role), confidence: 1.0 };
        }
        for (j, guess) in guesses.iter().enumerate() {
            own.set_role(j, guess.role);
        }
        let mut body = Body {
            given: skeleton.clone(),
            skeleton: own,
            guesses,
            plan: detected.plan,
            axes: None,
            references: Vec::new(),
            uncertainty: vec![None; skeleton.len()],
            figure: None,
            limbs: Vec::new(),
            limits: None,
            own_postures: options.example.map_or(Vec::new(), |clip| postures(clip, skeleton.len())),
        };
        body.stand(made_up, options.example);
        let figure = FigureOptions { skin: options.skin, ..FigureOptions::default() };
        // Soles are those of legs that hang straight down; a rest pose that stands says itself where they are.
        let hangs = body.is_upright() && !body.is_grounded();
        let straight = if hangs { body.in_common_posture() } else { None };
        body.figure = Figure::build(straight.as_ref().unwrap_or(&body.skeleton), &figure).ok();
        body.limbs = body.find_limbs();
        body.limits =
            body.in_common_posture().and_then(|skeleton| Figure::build(&skeleton, &FigureOptions::default()).ok());
        body
    }

    /// Finds axes and references; lays a rest pose that does not stand upright.
    fn stand(&mut self, made_up: bool, example: Option<&Clip>) {
        let rest = self.skeleton.rest_pose().world(&self.skeleton);
        let grounded = self.is_grounded();
        let posture = Posture { skeleton: &self.skeleton, roles: &self.guesses, rest, grounded };
        self.axes = posture.axes();
        if let Some(axes) = self.axes.as_mut().filter(|_| self.plan != BodyPlan::Other) {
            axes.upright = self.plan == BodyPlan::Biped;
        }
        let identity = vec![Quat::identity(); self.skeleton.len()];
        let turns = self.axes.as_ref().map_or(identity, |axes| posture.rotations(axes));
        self.references = turns.iter().zip(&posture.rest).map(|(turn, frame)| turn * frame.rotation).collect();
        let shown = example.filter(|_| self.is_upright());
        let shown = shown.and_then(|clip| evidence::find(&self.given, &self.guesses, clip));
        let mut relaid = made_up || self.axes.is_some_and(|axes| !axes.stands);
        if let Some(shown) = shown {
            let wrong = match made_up {
                true => vec![true; self.references.len()],
                false => shown.contradicts(&self.references, &self.guesses),
            };
            for (j, _) in wrong.iter().enumerate().filter(|(_, wrong)| **wrong) {
                self.references[j] = shown.references[j];
                self.uncertainty[j] = Some(shown.uncertainty[j]);
                relaid |= !matches!(
                    self.guesses[j].role,
                    Some(Role::UpperArm(_) | Role::LowerArm(_) | Role::Hand(_) | Role::Finger(..))
                );
            }
        }
        if relaid {
            self.skeleton = self.in_common_posture().unwrap_or_else(|| self.skeleton.clone());
        }
    }

    /// Returns true if the rest pose stands on the ground, which is deliberate.
    fn is_grounded(&self) -> bool {
        (-0.002..0.035 * self.skeleton.height()).contains(&self.skeleton.rest_box().0.y)
    }

    /// The joints, resting in the posture that all bodies share.
    fn in_common_posture(&self) -> Option<Skeleton> {
        let mut joints = self.skeleton.joints().to_vec();
        for (j, joint) in joints.iter_mut().enumerate() {
            let own = self.references[j];
            joint.rest = joint.parent.map_or(own, |parent: usize| self.references[parent].inverse() * own);
        }
        Skeleton::new(joints).ok()
    }

    /// The joints, in a rest pose that stands, with their roles.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Role of every joint, with its confidence.
    pub fn guesses(&self) -> &[DetectedRole] {
        &self.guesses
    }

    /// The figure that soles and limits were taken from.
    pub fn figure(&self) -> Option<&Figure> {
        self.figure.as_ref()
    }

    /// Returns true if the trunk rises from the hips; that of four-legged animals is level.
    pub fn is_upright(&self) -> bool {
        self.axes.is_none_or(|axes| axes.upright)
    }

    pub(crate) fn joint(&self, role: Role) -> Option<usize> {
        self.guesses.iter().position(|guess| guess.role == Some(role))
    }

    /// All joints of a chain, from the first to the last.
    pub(crate) fn chain(&self, numbered: fn(u8) -> Role) -> Vec<usize> {
        (0..u8::MAX).map_while(|k| self.joint(numbered(k))).collect()
    }

    /// The limb of a side.
    pub(crate) fn limb(&self, is_leg: bool, side: Side) -> Option<&Limb> {
        self.limbs.iter().find(|limb| limb.is_leg == is_leg && limb.side == side)
    }

    /// Standing height, metres.
    pub(crate) fn height(&self) -> Real {
        self.figure.as_ref().map_or_else(|| self.skeleton.height(), |figure| figure.height)
    }

    /// Mean length of the legs, hip to ankle, metres.
    pub(crate) fn leg_length(&self) -> Option<Real> {
        let legs: Vec<Real> = self.limbs.iter().filter(|limb| limb.is_leg).map(|limb| limb.length).collect();
        (!legs.is_empty()).then(|| legs.iter().sum::<Real>() / legs.len() as Real)
    }

    /// Length from the hips along the spine to the head, metres.
    pub(crate) fn trunk_length(&self) -> Option<Real> {
        let (hips, mut at) = (self.joint(Role::Hips)?, self.joint(Role::Head).or_else(|| self.joint(Role::Neck(0)))?);
        let mut length = 0.0;
        while at != hips {
            length += self.skeleton.bone_length(at);
            at = self.skeleton.joint(at).parent?;
        }
        (length > 0.0).then_some(length)
    }

    fn find_limbs(&self) -> Vec<Limb> {
        let mut limbs = Vec::new();
        for is_leg in [true, false] {
            for side in [Side::Left, Side::Right] {
                limbs.extend(self.find_limb(is_leg, side));
            }
        }
        limbs
    }

    fn find_limb(&self, is_leg: bool, side: Side) -> Option<Limb> {
        let roles = match is_leg {
            true => [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)],
            false => [Role::UpperArm(side), Role::LowerArm(side), Role::Hand(side)],
        };
        let [upper, lower, end] = [self.joint(roles[0])?, self.joint(roles[1])?, self.joint(roles[2])?];
        let below = |joint: usize, above: usize| {
            std::iter::successors(Some(joint), |&j| self.skeleton.joint(j).parent).any(|j| j == above)
        };
        if !(below(lower, upper) && below(end, lower)) {
            return None;
        }
        let rest = self.skeleton.rest_pose().world(&self.skeleton);
        let joints = self.bending(upper, lower, end, &rest);
        let stops = joints.iter().skip(1).chain([&end]);
        let length = joints.iter().zip(stops).map(|(&a, &b)| (rest[b].position - rest[a].position).norm()).sum();
        let toes = match is_leg {
            true => self.joint(Role::Toes(side)),
            false => self.joint(Role::Finger(side, 2, 0)).filter(|_| !self.is_upright()),
        };
        let toes = toes.filter(|&toes| below(toes, end));
        let mut limb =
            Limb { side, is_leg, upper, end, joints, toes, length, drop: 0.0, soles: Vec::new(), corners: Vec::new() };
        self.find_soles(&mut limb, &rest, &below);
        let toe_offset = toes.map(|toes| rest[end].rotation.inverse() * (rest[toes].position - rest[end].position));
        let height = |corner: &Corner| match (corner.on_toes, toes, toe_offset) {
            (true, Some(toes), Some(offset)) => {
                (self.references[end] * offset + self.references[toes] * corner.local).y - corner.radius
            }
            _ => (self.references[end] * corner.local).y - corner.radius,
        };
        let soles =
            limb.soles.iter().filter(|sole| matches!(sole.part, SolePart::Heel | SolePart::Ball | SolePart::Tip));
        limb.drop = soles.map(|sole| -height(&sole.at)).fold(0.0, Real::max);
        Some(limb)
    }

    /// The joints of a limb that bend: the knee, and all others at which the limb is bent as it rests. What lies along a bone
    /// twists with it.
    fn bending(&self, upper: usize, lower: usize, end: usize, rest: &[crate::motion::Frame]) -> Vec<usize> {
        let parent = |&j: &usize| self.skeleton.joint(j).parent;
        let mut way: Vec<usize> = std::iter::successors(parent(&end), parent).take_while(|&j| j != upper).collect();
        way.reverse();
        let mut joints = vec![upper];
        for (k, &j) in way.iter().enumerate() {
            let next = way.get(k + 1).copied().unwrap_or(end);
            let from = rest[joints[joints.len() - 1]].position;
            let (before, behind) = (rest[j].position - from, rest[next].position - rest[j].position);
            let is_long = before.norm().min(behind.norm()) > 0.1 * (rest[end].position - rest[upper].position).norm();
            if j == lower || (is_long && before.angle(&behind) > BENT) {
                joints.push(j);
            }
        }
        joints
    }

    /// Sole points and corners of the shapes on the end of a limb.
    fn find_soles(&self, limb: &mut Limb, rest: &[crate::motion::Frame], below: &dyn Fn(usize, usize) -> bool) {
        let Some(figure) = &self.figure else { return };
        // A point on any joint of the end, as the end or the toes carry it.
        let carried = |joint: usize, local: &Vec3, radius: Real| {
            let on_toes = limb.toes.filter(|&toes| below(joint, toes));
            let holder = on_toes.or_else(|| below(joint, limb.end).then_some(limb.end))?;
            let world = rest[joint].position + rest[joint].rotation * local;
            let local = rest[holder].rotation.inverse() * (world - rest[holder].position);
            Some(Corner { on_toes: on_toes.is_some(), local, radius })
        };
        for sole in figure.sole_points() {
            let joint = figure.segment(sole.segment).joint;
            let round = figure.segment(sole.segment).shapes.iter().map(|shape| match shape.shape {
                Shape::Capsule { radius, .. } | Shape::Sphere { radius } => radius,
                _ => 0.0,
            });
            let radius = round.fold(0.0, Real::max);
            if let Some(at) = carried(joint, &sole.point, radius) {
                limb.soles.push(Sole { part: sole.part, at });
                limb.corners.extend(sole.corners().iter().filter_map(|corner| carried(joint, corner, radius)));
            }
        }
        // A forearm that lies on the ground is thicker than the hand.
        let forearm = figure.with_role(Role::LowerArm(limb.side)).filter(|_| !limb.is_leg && self.is_upright());
        limb.corners.extend(forearm.and_then(|forearm| {
            let capsule = figure.segment(forearm).shapes.iter().find_map(|shape| match shape.shape {
                Shape::Capsule { radius, .. } => Some(radius),
                _ => None,
            });
            Some(Corner { on_toes: false, local: Vec3::zeros(), radius: capsule? })
        }));
        for segment in figure.segments() {
            for shape in &segment.shapes {
                let mut add = |point: Vec3, radius| {
                    limb.corners.extend(carried(segment.joint, &shape.placement.point(&point), radius))
                };
                match &shape.shape {
                    Shape::Hull { points } => points.iter().for_each(|point| add(*point, 0.0)),
                    Shape::Capsule { a, b, radius } => [a, b].into_iter().for_each(|end| add(*end, *radius)),
                    Shape::Box { half_extents } => (0..8u32).for_each(|corner| {
                        let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
                        add(half_extents.component_mul(&Vec3::new(sign(0), sign(1), sign(2))), 0.0);
                    }),
                    _ => {}
                }
            }
        }
    }
}
