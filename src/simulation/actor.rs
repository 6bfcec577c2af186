//! Actor: a figure in a world with a controller on every joint and on its root.
//!
//! Each segment has a strength from 0 (its joint is loose, with only its own damping) to 1 (it follows with the full gains).
//! Joint limits act where muscles are weak; a strong muscle keeps its target, which is within the limits.

use super::assist::AssistBound;
use super::feed_forward::FeedForwardModel;
use super::target_dynamics::TargetDynamics;
use crate::control::{
    AngleController, Backend, Gains, RootAxis, RootController, RotationAxes, carried_inertia, carried_mass, holder,
    joint_strengths, read_joint,
};
use crate::dynamics::{BodyId, ConstraintId, DynamicsError, JointTarget, Placement, World};
use crate::figure::{AttachmentKind, Figure, FigureInstance, PlaceOptions};
use crate::math::{Real, Vec3, Vec6};
use crate::motion::{FrameMotion, PoseMotion, REFERENCE_HEIGHT, Role};
use std::sync::Arc;

/// Settings of an actor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActorSettings {
    /// Gains of all muscles.
    pub gains: Gains,
    /// Method by which muscles make their torques.
    pub backend: Backend,
    /// Control of the root axes: x, y, z, then the rotations about them.
    pub root: [RootAxis; 6],
    /// Bound of the root assistance as a whole vector: force (N) and torque (N·m, about the root joint); none for the limits of the
    /// axes alone.
    pub assist: Option<[Real; 2]>,
    /// Torque limits as a multiple of what a strong person can do (see [`joint_strengths`]); infinite for none.
    pub torque: Real,
    /// Damping of the joints themselves, as the rate at which a loose limb's swing dies out, Hz.
    pub looseness: Real,
    /// Lets segments of the figure collide with each other while muscles hold it. Once it is let go they always collide.
    pub self_contact: bool,
    /// Options of placing the figure into the world.
    pub place: PlaceOptions,
}

impl Default for ActorSettings {
    fn default() -> Self {
        Self {
            gains: Gains::default(),
            backend: Backend::Row,
            root: [RootAxis::default(); 6],
            assist: None,
            torque: Real::INFINITY,
            looseness: 0.1,
            self_contact: false,
            place: PlaceOptions::default(),
        }
    }
}

impl ActorSettings {
    /// Settings of a limp figure: no root assistance, and segments that collide with each other.
    pub fn limp() -> Self {
        let off = RootAxis { on: false, ..RootAxis::default() };
        Self { root: [off; 6], self_contact: true, ..Self::default() }
    }
}

/// Least inertia that sizes the gains of a joint, as a share of mass × height². Joints of toes and paws carry next to nothing,
/// but tendons and skin keep them stiff.
const LEAST_INERTIA: Real = 5e-5;

/// Behaviour of loose joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RagDoll {
    /// Angular velocity is held at zero with this damping, as a frequency, Hz: that of arms and legs of a figure 1.75 m high;
    /// larger ones fall more slowly, by the square root of their height, and are damped as much less. The trunk, the neck,
    /// hands and feet, whose joints are many small ones in a sleeve of tissue, have four times as much.
    Stiffness(Real),
    /// Joints are drawn to the posture they have when this is chosen.
    Attraction(Gains),
}

/// Damping of the joints of a sleeping body, Hz.
const LIMP: Real = 0.5;

impl Default for RagDoll {
    /// Damping of a sleeping body.
    fn default() -> Self {
        RagDoll::Stiffness(LIMP)
    }
}

/// Returns the damping of the tissue around a joint relative to that of an elbow or a knee.
fn tissue(role: Option<Role>) -> Real {
    match role {
        Some(Role::Hips | Role::Spine(_) | Role::Neck(_) | Role::Head | Role::Shoulder(_)) => 4.0,
        Some(Role::Hand(_) | Role::Foot(_) | Role::Toes(_) | Role::Tail(_)) => 4.0,
        _ => 1.0,
    }
}

/// A figure in a world, with muscles.
#[derive(Clone, Debug)]
pub struct Actor {
    figure: Arc<Figure>,
    instance: Arc<FigureInstance>,
    /// Segments collide with each other while muscles hold the figure.
    self_contact: bool,
    /// Segments collide with each other now.
    touching: bool,
    muscles: Vec<Option<AngleController>>,
    /// Root controllers with the segments they lead.
    roots: Vec<(usize, RootController)>,
    roots_held: bool,
    assist: Option<AssistBound>,
    gains: Gains,
    /// Largest torques of a strong person's joints, by segment, N·m.
    torques: Vec<Real>,
    looseness: Real,
    /// Strength by segment, 0 to 1.
    strengths: Vec<Real>,
    /// Factor of all strengths, 0 to 1.
    activation: Real,
    /// Flags of the segments whose joint limits are on.
    limited: Vec<bool>,
    /// Posture that joints are drawn to instead of their targets.
    posture: Option<Vec<crate::Quat>>,
    /// Model of the figure for torques that are computed before the step.
    model: Option<FeedForwardModel>,
    /// Velocities and torques of the targets in the coming step.
    target_dynamics: TargetDynamics,
    /// Torques known beforehand from elsewhere, by segment, N·m, world axes.
    feed_forward: Vec<Vec3>,
    /// Targets of the last step.
    targets: Vec<JointTarget>,
    forwards: Vec<Vec3>,
    frames: Vec<FrameMotion>,
    motions: Vec<FrameMotion>,
}

/// See [`Actor::pace`].
pub(super) fn pace(figure: &Figure) -> Real {
    (REFERENCE_HEIGHT / figure.height.max(1e-3)).sqrt()
}

impl Actor {
    /// Puts a figure into a world as a motion has it at one moment.
    pub fn place(
        world: &mut World,
        figure: &Figure,
        start: &PoseMotion,
        settings: &ActorSettings,
    ) -> Result<Self, DynamicsError> {
        let (mut frames, mut motions) = (Vec::new(), Vec::new());
        figure.motions_into(start, &mut frames, &mut motions);
        figure.close_joints_moving(&mut motions);
        Self::place_moving(world, figure, &motions, settings)
    }

    /// Puts a figure into a world with its segments' joints moving as given.
    pub fn place_moving(
        world: &mut World,
        figure: &Figure,
        motions: &[FrameMotion],
        settings: &ActorSettings,
    ) -> Result<Self, DynamicsError> {
        let assist = settings.assist.map(|bounds| AssistBound::new(settings.root, bounds));
        let settings = &ActorSettings { root: assist.map_or(settings.root, |assist| assist.axes()), ..*settings };
        let instance = figure.place_moving(world, motions, &settings.place)?;
        let placements: Vec<Placement> =
            motions.iter().map(|m| Placement { position: m.position, rotation: m.rotation }).collect();
        let floating = !settings.root.iter().any(|axis| axis.on && axis.limit > 0.0);
        let least = LEAST_INERTIA * figure.mass() * figure.height * figure.height;
        let mut inertia = carried_inertia(figure, &placements, floating);
        inertia.iter_mut().for_each(|moment| *moment = moment.max(least));
        let (torques, masses) = (joint_strengths(figure), carried_mass(figure));
        let (mut muscles, mut roots) = (Vec::new(), Vec::new());
        for (k, segment) in figure.segments().iter().enumerate() {
            let axes = match segment.attachment.kind {
                AttachmentKind::Hinge => Some(RotationAxes::Z),
                AttachmentKind::Ball | AttachmentKind::Universal => Some(RotationAxes::All),
                AttachmentKind::Free | AttachmentKind::Fixed => None,
            };
            muscles.push(match (instance.joints[k], axes) {
                (Some(joint), Some(axes)) => {
                    let mut muscle =
                        AngleController::new(world, joint, axes, settings.backend, inertia[k], settings.gains);
                    muscle.torque_limit =
                        if settings.torque.is_finite() { settings.torque * torques[k] } else { Real::INFINITY };
                    muscle.passive = Gains::critical(settings.looseness).spring(inertia[k]).1;
                    Some(muscle)
                }
                _ => None,
            });
            if holder(figure, k).is_none() {
                let frame = Placement::at(-segment.centre);
                let root = RootController::new(world, instance.bodies[k], frame, masses[k], inertia[k], settings.root)?;
                roots.push((k, root));
            }
        }
        let model = match settings.backend {
            Backend::Row | Backend::Pid { .. } => None,
            Backend::StablePd => {
                let led: Vec<_> = roots.iter().map(|(k, _)| (*k, masses[*k], inertia[*k])).collect();
                let mut model = FeedForwardModel::new(figure, motions, &settings.place, &led, settings.root)?;
                for (k, muscle) in muscles.iter().enumerate() {
                    if let (Some(muscle), Some(joint)) = (muscle, model.joint(k)) {
                        AngleController::add_rows(muscle, model.world_mut(), joint);
                    }
                }
                Some(model)
            }
        };
        for limit in instance.limits.iter().flatten() {
            world.constraint_mut(*limit).enabled = false;
        }
        let count = figure.segments().len();
        let mut actor = Self {
            self_contact: settings.self_contact,
            touching: false,
            figure: Arc::new(figure.clone()),
            instance: Arc::new(instance),
            muscles,
            roots,
            roots_held: true,
            assist,
            gains: settings.gains,
            torques,
            looseness: settings.looseness,
            strengths: vec![1.0; count],
            activation: 1.0,
            limited: vec![false; count],
            posture: None,
            model,
            target_dynamics: TargetDynamics::new(figure, motions, world.time()),
            feed_forward: Vec::new(),
            targets: vec![JointTarget::default(); count],
            forwards: vec![Vec3::zeros(); count],
            frames: Vec::new(),
            motions: motions.to_vec(),
        };
        actor.set_self_collision(world, settings.self_contact);
        Ok(actor)
    }

    /// Switches collisions between segments of the figure. A capture may hold a hand inside a hip, which muscles have to allow;
    /// a limp body must not rest inside itself.
    fn set_self_collision(&mut self, world: &mut World, on: bool) {
        if self.touching == on {
            return;
        }
        self.touching = on;
        let bodies = &self.instance.bodies;
        for a in 0..bodies.len() {
            for b in (a + 1..bodies.len()).filter(|&b| self.figure.may_meet(a, b)) {
                match on {
                    true => world.pair_filter_mut().allow(bodies[a], bodies[b]),
                    false => world.pair_filter_mut().forget(bodies[a], bodies[b]),
                }
            }
        }
    }

    /// Figure of the actor.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// Bodies and joints of the figure in the world.
    pub fn instance(&self) -> &FigureInstance {
        &self.instance
    }

    /// The figure and its bodies in the world, shared.
    pub(crate) fn shared(&self) -> (Arc<Figure>, Arc<FigureInstance>) {
        (self.figure.clone(), self.instance.clone())
    }

    /// The controller of a segment's joint.
    pub fn muscle(&self, segment: usize) -> Option<&AngleController> {
        self.muscles[segment].as_ref()
    }

    /// The controller of a segment's joint, to change its gains or limit.
    pub fn muscle_mut(&mut self, segment: usize) -> Option<&mut AngleController> {
        self.muscles[segment].as_mut()
    }

    /// The controllers of free segments, with the segments they lead.
    pub fn roots(&self) -> impl Iterator<Item = (usize, &RootController)> {
        self.roots.iter().map(|(k, root)| (*k, root))
    }

    /// Changes the control of all roots.
    pub fn set_root(&mut self, world: &mut World, axes: [RootAxis; 6]) {
        for (_, root) in &mut self.roots {
            root.set_axes(world, axes);
            root.set_held(world, self.roots_held);
        }
    }

    /// Shares a bounded root assistance out anew, by the last step.
    pub(super) fn share_assist(&mut self, world: &mut World) {
        if let Some(mut assist) = self.assist {
            assist.share(&self.residual(world));
            self.set_root(world, assist.axes());
            self.assist = Some(assist);
        }
    }

    /// Sets the strength with which a segment follows its target, 0 to 1.
    pub fn set_strength(&mut self, segment: usize, strength: Real) {
        self.strengths[segment] = strength;
    }

    /// Changes the gains of all muscles. Joints that are drawn to a posture keep theirs until [`Actor::recover`].
    pub fn set_gains(&mut self, gains: Gains) {
        self.gains = gains;
        if self.posture.is_none() {
            self.muscles.iter_mut().flatten().for_each(|muscle| muscle.gains = gains);
        }
    }

    /// Changes all torque limits, as a multiple of what a strong person can do.
    pub fn set_torque(&mut self, multiple: Real) {
        for (muscle, own) in self.muscles.iter_mut().zip(&self.torques) {
            if let Some(muscle) = muscle {
                muscle.torque_limit = if multiple.is_finite() { multiple * own } else { Real::INFINITY };
            }
        }
    }

    /// Changes the damping of the joints themselves while muscles hold them, Hz.
    pub fn set_looseness(&mut self, frequency: Real) {
        self.looseness = frequency;
        if self.roots_held {
            self.dampen(frequency, |_| 1.0);
        }
    }

    /// Strength with which a segment follows its target, 0 to 1.
    pub fn strength(&self, segment: usize) -> Real {
        self.strengths[segment]
    }

    /// Sets the factor of all strengths, 0 to 1. At 0 the roots are let go, and segments collide with each other.
    pub fn set_activation(&mut self, world: &mut World, activation: Real) {
        self.activation = activation.clamp(0.0, 1.0);
        let held = self.activation > 0.0;
        if held != self.roots_held {
            self.roots_held = held;
            self.roots.iter_mut().for_each(|(_, root)| root.set_held(world, held));
            self.set_self_collision(world, !held || self.self_contact);
            match held {
                true => self.dampen(self.looseness, |_| 1.0),
                false => self.dampen_limp(LIMP),
            }
        }
    }

    /// Damping of a limp body, Hz for a figure of 1.75 m.
    fn dampen_limp(&mut self, frequency: Real) {
        self.dampen(frequency * self.pace(), tissue);
    }

    /// Returns the rate of a fall relative to that of a figure of 1.75 m: times scale with √(height/g).
    pub(super) fn pace(&self) -> Real {
        pace(&self.figure)
    }

    /// Damping of all joints themselves, as a frequency, with a factor by role.
    fn dampen(&mut self, frequency: Real, factor: impl Fn(Option<Role>) -> Real) {
        for (muscle, segment) in self.muscles.iter_mut().zip(self.figure.segments()) {
            if let Some(muscle) = muscle {
                let frequency = frequency * factor(segment.role);
                muscle.passive = Gains::critical(frequency).spring(muscle.inertia).1;
            }
        }
    }

    /// Factor of all strengths, 0 to 1.
    pub fn activation(&self) -> Real {
        self.activation
    }

    /// Makes all joints loose and lets go of the roots.
    pub fn relax(&mut self, world: &mut World, how: RagDoll) {
        self.set_activation(world, 0.0);
        match how {
            RagDoll::Stiffness(frequency) => {
                self.posture = None;
                self.dampen_limp(frequency);
            }
            RagDoll::Attraction(gains) => {
                let turn = |muscle: &Option<AngleController>| {
                    let joint = muscle.as_ref().map(|m| m.joint());
                    joint.and_then(|j| read_joint(world, j)).map_or(crate::Quat::identity(), |r| r.rotation)
                };
                self.posture = Some(self.muscles.iter().map(turn).collect());
                for muscle in self.muscles.iter_mut().flatten() {
                    muscle.gains = gains;
                }
            }
        }
    }

    /// Ends [`Actor::relax`]: the actor follows its targets again.
    pub fn recover(&mut self, world: &mut World) {
        self.posture = None;
        let gains = self.gains;
        self.muscles.iter_mut().flatten().for_each(|muscle| muscle.gains = gains);
        self.set_activation(world, 1.0);
    }

    /// Aims at where a motion is at the end of the coming step. Call it before every step.
    pub fn aim(&mut self, world: &mut World, motion: &PoseMotion, step: Real) -> Result<(), DynamicsError> {
        sinew_math::wide!(fn(actor: &mut Actor = self, world: &mut World, motion: &PoseMotion, step: Real)
            -> Result<(), DynamicsError> {
            actor.aim_all(world, motion, step)
        })
    }

    #[inline(always)]
    fn aim_all(&mut self, world: &mut World, motion: &PoseMotion, step: Real) -> Result<(), DynamicsError> {
        self.figure.motions_into(motion, &mut self.frames, &mut self.motions);
        self.figure.close_joints_moving(&mut self.motions);
        let time = world.time() + step;
        // A limp body has no targets.
        if self.activation > 0.0 {
            self.target_dynamics.update(&self.figure, &self.motions, world.time(), step, &world.gravity);
        }
        for k in 0..self.muscles.len() {
            let strength = if self.posture.is_some() { 1.0 } else { self.strengths[k] * self.activation };
            let still = || JointTarget { time, ..JointTarget::default() };
            let foreseen;
            (self.targets[k], foreseen) = match &self.posture {
                Some(posture) => (JointTarget { rotation: posture[k], ..still() }, Vec3::zeros()),
                // A loose joint has no target: a moving one would keep the figure awake.
                None if strength == 0.0 && self.muscles[k].is_some() => (still(), Vec3::zeros()),
                None => self.target(k, time, step),
            };
            let forward = self.forward(k, strength);
            self.forwards[k] = forward;
            if let Some(muscle) = &mut self.muscles[k] {
                if muscle.strength() != strength {
                    muscle.set_strength(strength);
                }
                if self.model.is_none() {
                    let amiss = foreseen * muscle.gains.spring(muscle.inertia).0;
                    muscle.aim(world, &self.targets[k], &(forward + amiss), step)?;
                }
            }
            self.limit(world, k, strength < 0.5 || self.posture.is_some());
        }
        for (k, root) in &self.roots {
            if self.feed_forward.is_empty() {
                let (force, torque) = self.target_dynamics.wrench(*k);
                // Not the weight: a root that sags by a hair lets the feet press on the ground.
                let force = force + world.gravity * root.mass();
                self.targets[*k] = root.leaning(self.targets[*k], &force, &torque);
            }
            root.aim(world, self.targets[*k]);
        }
        self.apply_model_torques(world, step)
    }

    /// Computes the torques of all muscles together and applies them, if the back-end asks for it.
    fn apply_model_torques(&mut self, world: &mut World, step: Real) -> Result<(), DynamicsError> {
        let Self { model: Some(model), muscles, roots, targets, forwards, instance, roots_held, .. } = self else {
            return Ok(());
        };
        model.copy_state(world, &instance.bodies)?;
        for (k, muscle) in muscles.iter().enumerate() {
            if let Some(muscle) = muscle {
                model.aim(k, muscle, &targets[k], &forwards[k], step);
            }
        }
        for (at, (k, root)) in roots.iter().enumerate() {
            model.lead(at, root.axes(), *roots_held, targets[*k], step);
        }
        model.step(step)?;
        for (k, muscle) in muscles.iter_mut().enumerate() {
            if let Some(muscle) = muscle {
                muscle.push_with(world, &model.torque(k, muscle))?;
            }
        }
        Ok(())
    }

    /// Returns the feed-forward torque of a joint in the coming step, N·m, axes of its frame A.
    #[inline(always)]
    fn forward(&self, segment: usize, strength: Real) -> Vec3 {
        match self.feed_forward.get(segment) {
            Some(torque) => self.in_joint(segment, torque),
            None if strength > 0.0 && self.posture.is_none() => {
                self.in_joint(segment, &self.target_dynamics.wrench(segment).1)
            }
            None => Vec3::zeros(),
        }
    }

    /// Sets feed-forward torques for the coming steps, by segment, exerted by the parent, N·m, world axes. They replace those
    /// computed from the targets; muscles add only the difference. An empty slice removes them.
    pub fn set_feed_forward(&mut self, torques: &[Vec3]) {
        self.feed_forward.clear();
        self.feed_forward.extend_from_slice(torques);
    }

    /// A world vector in the axes of a segment's joint.
    #[inline(always)]
    fn in_joint(&self, segment: usize, vector: &Vec3) -> Vec3 {
        let Some(parent) = holder(&self.figure, segment) else { return Vec3::zeros() };
        let attachment = &self.figure.segment(segment).attachment;
        attachment.frame_a.rotation.inverse_transform_vector(&self.target_dynamics.in_axes_of(parent, vector))
    }

    #[inline(always)]
    fn limit(&mut self, world: &mut World, segment: usize, on: bool) {
        if let Some(limit) = self.instance.limits[segment].filter(|_| self.limited[segment] != on) {
            world.constraint_mut(limit).enabled = on;
            self.limited[segment] = on;
        }
    }

    /// Returns the target of a segment's joint, relative to its parent in the joint's axes, for roots in the world. The second
    /// value is the error that a row predicts at the target although there is none.
    #[inline(always)]
    fn target(&self, segment: usize, time: Real, step: Real) -> (JointTarget, Vec3) {
        let own = &self.motions[segment];
        let (velocity, turn) = self.target_dynamics.rate(segment);
        let Some(parent) = holder(&self.figure, segment) else {
            let (position, rotation) = (own.position, own.rotation);
            let target =
                JointTarget { time, position, rotation, velocity, angular_velocity: turn, ..JointTarget::default() };
            return (target, Vec3::zeros());
        };
        let attachment = &self.figure.segment(segment).attachment;
        let axes = self.motions[parent].rotation * attachment.frame_a.rotation;
        let rotation = axes.inverse() * own.rotation * attachment.frame_b;
        let [angular_velocity, foreseen] = self.target_dynamics.relative(parent, segment, attachment, step);
        (JointTarget { time, rotation, angular_velocity, ..JointTarget::default() }, foreseen)
    }

    /// Returns the targets of the segments' joints in the last [`Actor::aim`], world space.
    pub fn wanted(&self) -> &[FrameMotion] {
        &self.motions
    }

    /// Returns the angle between a segment's joint and its target, radians.
    pub fn error(&self, world: &World, segment: usize) -> Real {
        self.muscles[segment].as_ref().map_or(0.0, |muscle| muscle.error(world, &self.targets[segment]).norm())
    }

    /// The largest error of the joints that should follow (strength above a half), radians.
    pub fn control_error(&self, world: &World) -> Real {
        let followed = (0..self.muscles.len()).filter(|&k| self.strengths[k] > 0.5);
        followed.map(|k| self.error(world, k)).fold(0.0, Real::max)
    }

    /// The largest distance between the two ends of a joint, metres.
    pub fn worst_gap(&self, world: &World) -> Real {
        let gap = |id: &ConstraintId| {
            let joint = world.constraint(*id).joint()?;
            let end = |body: Option<BodyId>, frame: &Placement| {
                body.map_or(frame.position, |b| world.state(b).placement.point(&frame.position))
            };
            Some((end(joint.a, &joint.frame_a) - end(joint.b, &joint.frame_b)).norm())
        };
        self.instance.joints.iter().flatten().filter_map(gap).fold(0.0, Real::max)
    }

    /// Returns the root assistance in the last step: force (N) and torque (N·m) about each root's centre of mass, summed.
    pub fn residual(&self, world: &World) -> Vec6 {
        self.roots.iter().map(|(_, root)| root.residual(world)).sum()
    }
}
