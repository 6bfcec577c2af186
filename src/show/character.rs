//! A captured character: its figure, its clips, and its posture at any time.

use super::embody::Embodied;
use super::meshes::Meshes;
use super::{MeshId, OpenError};
use crate::control::{Animation, ground_height, held_ground_height};
use crate::dynamics::{Placement, World};
use crate::figure::Figure;
use crate::formats::{Capture, FormatError};
use crate::math::{Real, Vec3};
use crate::motion::{Frame, PoseMotion};
use crate::simulation::Actor;
use std::path::Path;
use std::sync::Arc;

/// A figure and the captured motion it follows.
pub(crate) struct Character {
    pub capture: Arc<Capture>,
    pub figure: Figure,
    pub animation: Animation,
    /// The file has no clip; it stands in its rest pose.
    pub still: bool,
    /// Height of the ground, metres.
    pub ground: Real,
    /// …and under physics, which begins with the root held.
    pub held_ground: Real,
    /// What each segment looks like, in the frame of its body.
    pub looks: Vec<Option<MeshId>>,
}

impl Character {
    pub fn new(path: &Path, capture: Arc<Capture>, body: Embodied, meshes: &mut Meshes) -> Result<Self, OpenError> {
        let Embodied { figure, clip, still } = body;
        let told = |error: crate::motion::ClipError| FormatError::new(error.to_string()).in_file(path);
        let animation = Animation::new(&capture.skeleton, &clip).map_err(told)?;
        let ground = ground_height(&figure, &clip).unwrap_or(0.0);
        let held_ground = held_ground_height(&figure, &clip).unwrap_or(0.0);
        let looks = looks(&figure, meshes);
        Ok(Self { capture, figure, animation, still, ground, held_ground, looks })
    }

    /// Takes another body.
    pub fn set_figure(&mut self, figure: Figure, meshes: &mut Meshes) {
        self.looks = looks(&figure, meshes);
        self.ground = ground_height(&figure, self.animation.clip()).unwrap_or(0.0);
        self.held_ground = held_ground_height(&figure, self.animation.clip()).unwrap_or(0.0);
        self.figure = figure;
    }

    /// Seconds from the first posture to the last.
    pub fn duration(&self) -> Real {
        self.animation.clip().duration()
    }

    /// Frames per second.
    pub fn rate_hz(&self) -> Real {
        self.animation.clip().rate_hz()
    }
}

/// What the segments of a figure look like, in the frames of their bodies.
pub(crate) fn looks(figure: &Figure, meshes: &mut Meshes) -> Vec<Option<MeshId>> {
    let look = |segment: &crate::figure::Segment| {
        meshes.of_shapes(segment.shapes.iter().map(|part| {
            let placement = Placement { position: part.placement.position - segment.centre, ..part.placement };
            (&part.shape, placement)
        }))
    };
    figure.segments().iter().map(look).collect()
}

/// Where everything of a figure is at one moment; kept, so that nothing is allocated from frame to frame.
#[derive(Clone, Debug)]
pub(crate) struct Posture {
    pub motion: PoseMotion,
    /// Of all joints of the skeleton, world space.
    pub frames: Vec<Frame>,
    /// Of the joints that carry segments.
    pub placements: Vec<Placement>,
}

impl Posture {
    pub fn new(animation: &Animation) -> Self {
        Self { motion: animation.buffer(), frames: Vec::new(), placements: Vec::new() }
    }

    /// As the capture has it, `time` seconds from its first frame.
    pub fn capture(&mut self, figure: &Figure, animation: &Animation, time: Real) {
        animation.sample_into(time.clamp(0.0, animation.duration()), &mut self.motion);
        figure.placements_into(&self.motion.pose, &mut self.frames, &mut self.placements);
    }

    /// As a world has it. Joints that ride on others are as the capture has them at this time.
    pub fn simulated(&mut self, actor: &Actor, animation: &Animation, time: Real, world: &World) {
        animation.sample_into(time.max(0.0), &mut self.motion);
        let Self { motion, frames, placements } = self;
        actor.instance().pose_with(actor.figure(), world, &mut motion.pose, placements, frames);
    }

    /// The box around all joints.
    pub fn extent(&self) -> Option<(Vec3, Vec3)> {
        let places = self.frames.iter().map(|frame| (frame.position, frame.position));
        places.reduce(|(low, high), (a, b)| (low.inf(&a), high.sup(&b)))
    }
}
