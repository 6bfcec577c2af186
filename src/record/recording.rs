//! Frame by frame.

use crate::control::Animation;

use crate::dynamics::{BodyId, Contact, State, World};
use crate::figure::Figure;
use crate::math::{Quat, Real, Vec3, Vec6};
use crate::motion::{Clip, ClipError, Tracks};
use crate::simulation::Actor;

/// What a figure did and felt, at a constant rate. Forces are averages over the last step before the frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    rate: Real,
    bodies: Vec<BodyId>,
    /// Frame by frame, segment by segment.
    states: Vec<State>,
    torques: Vec<Vec3>,
    reactions: Vec<Vec6>,
    residuals: Vec<Vec6>,
    contacts: Vec<Contact>,
    /// Where the contacts of each frame end.
    contact_ends: Vec<usize>,
}

impl Recording {
    /// An empty recording of an actor, with this many frames per second.
    pub fn new(actor: &Actor, rate_hz: Real) -> Self {
        Self {
            rate: rate_hz,
            bodies: actor.instance().bodies.clone(),
            states: Vec::new(),
            torques: Vec::new(),
            reactions: Vec::new(),
            residuals: Vec::new(),
            contacts: Vec::new(),
            contact_ends: Vec::new(),
        }
    }

    /// Writes down the next frame.
    pub fn take(&mut self, world: &World, actor: &Actor) {
        let instance = actor.instance();
        for (k, &body) in self.bodies.iter().enumerate() {
            self.states.push(*world.state(body));
            self.torques.push(actor.muscle(k).map_or_else(Vec3::zeros, |muscle| muscle.torque(world)));
            self.reactions.push(instance.joints[k].map_or_else(Vec6::zeros, |joint| world.wrench_on(joint, body)));
        }
        self.residuals.push(actor.residual(world));
        let ours = |contact: &&Contact| contact.bodies.iter().any(|b| self.bodies.contains(b));
        self.contacts.extend(world.contacts().iter().filter(ours));
        self.contact_ends.push(self.contacts.len());
    }

    /// Forgets all frames but the first ones.
    pub fn truncate(&mut self, frames: usize) {
        let width = self.bodies.len();
        self.states.truncate(frames * width);
        self.torques.truncate(frames * width);
        self.reactions.truncate(frames * width);
        self.residuals.truncate(frames);
        self.contact_ends.truncate(frames);
        self.contacts.truncate(self.contact_ends.last().copied().unwrap_or(0));
    }

    pub fn rate_hz(&self) -> Real {
        self.rate
    }

    pub fn frames(&self) -> usize {
        self.contact_ends.len()
    }

    /// The bodies of the segments, in order.
    pub fn bodies(&self) -> &[BodyId] {
        &self.bodies
    }

    fn row<'a, T>(&self, values: &'a [T], frame: usize) -> &'a [T] {
        let width = self.bodies.len();
        &values[frame * width..(frame + 1) * width]
    }

    /// Where the segments' bodies are and how they move.
    pub fn states(&self, frame: usize) -> &[State] {
        self.row(&self.states, frame)
    }

    /// Torque of each segment's muscle, N·m, axes of its joint.
    pub fn torques(&self, frame: usize) -> &[Vec3] {
        self.row(&self.torques, frame)
    }

    /// Force and torque of each segment's joint on the segment about its centre of mass, muscles included, world axes.
    pub fn reactions(&self, frame: usize) -> &[Vec6] {
        self.row(&self.reactions, frame)
    }

    /// Force and torque that the roots were given from outside, world axes.
    pub fn residual(&self, frame: usize) -> &Vec6 {
        &self.residuals[frame]
    }

    /// Where the figure touched something.
    pub fn contacts(&self, frame: usize) -> &[Contact] {
        let start = frame.checked_sub(1).map_or(0, |before| self.contact_ends[before]);
        &self.contacts[start..self.contact_ends[frame]]
    }

    /// Force of all contacts with other bodies on the figure, N.
    pub fn contact_force(&self, frame: usize) -> Vec3 {
        self.contacts(frame).iter().map(|contact| self.force_of(contact)).sum()
    }

    /// Force of a contact on the figure, N; none where the figure touches itself.
    pub fn force_of(&self, contact: &Contact) -> Vec3 {
        let force = contact.normal * contact.normal_force + contact.friction_force;
        match contact.bodies.map(|body| self.bodies.contains(&body)) {
            [true, false] => -force,
            [false, true] => force,
            _ => Vec3::zeros(),
        }
    }

    /// The recorded motion on the skeleton of the source, at the recording's rate. Joints that are folded into segments,
    /// bone lengths and scales are those of the animation at the same time.
    pub fn to_clip(&self, figure: &Figure, animation: &Animation) -> Result<Clip, ClipError> {
        let skeleton = figure.skeleton();
        let source = animation.clip();
        let mut moved = source.translations().joints.clone();
        let placed = (0..figure.segments().len()).filter(|&k| figure.is_placed(k));
        let free = placed.map(|k| figure.segment(k).joint);
        moved.extend(free.chain(skeleton.roots()));
        moved.sort_unstable();
        moved.dedup();
        let mut translations = Tracks { joints: moved, values: Vec::new() };
        let mut scales = Tracks { joints: source.scales().joints.clone(), values: Vec::new() };
        let mut rotations: Vec<Quat> = Vec::with_capacity(self.frames() * skeleton.len());
        let (mut motion, mut placements, mut frames) = (animation.buffer(), Vec::new(), Vec::new());
        for frame in 0..self.frames() {
            animation.sample_into(frame as Real / self.rate, &mut motion);
            let pose = &mut motion.pose;
            placements.clear();
            let segments = figure.segments().iter().zip(self.states(frame));
            placements.extend(segments.map(|(segment, state)| segment.joint_frame(&state.placement)));
            figure.pose_with(&placements, pose, &mut frames);
            rotations.extend_from_slice(&pose.rotations);
            translations.values.extend(translations.joints.iter().map(|&j| pose.translations[j]));
            let ones = Vec3::repeat(1.0);
            let scale = |&j: &usize| pose.scales.as_ref().map_or(ones, |s| s[j]);
            scales.values.extend(scales.joints.iter().map(scale));
        }
        Clip::new(source.name.clone(), self.rate, skeleton.len(), rotations, translations, scales)
    }
}
