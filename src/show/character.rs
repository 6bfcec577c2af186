//! Captured character: figure, clip, and posture at a time.

use super::meshes::Meshes;
use super::{MeshId, OpenError};
use crate::control::{Animation, held_ground_height};
use crate::dynamics::{Placement, World};
use crate::figure::{CaptureFigure, Figure};
use crate::formats::{Capture, FormatError};
use crate::math::{Real, Vec3};
use crate::measure::{Measure, MeasureOptions};
use crate::motion::{Clip, Frame, PoseMotion};
use crate::simulation::Actor;
use std::path::Path;
use std::sync::Arc;

/// Figure and the captured motion that it follows.
pub(crate) struct Character {
    pub capture: Arc<Capture>,
    pub figure: Figure,
    pub animation: Animation,
    /// True if the file has no clip and the rest pose is shown.
    pub still: bool,
    /// Height of the motion's ground, shown during playback, metres.
    pub ground: Real,
    /// Height of the ground under physics, which starts with the root held, metres.
    pub held_ground: Real,
    /// Mesh of each segment, in the frame of its body.
    pub meshes: Vec<Option<MeshId>>,
}

impl Character {
    pub fn new(
        path: &Path,
        capture: Arc<Capture>,
        body: CaptureFigure,
        meshes: &mut Meshes,
    ) -> Result<Self, OpenError> {
        let CaptureFigure { figure, clip, at_rest: still, .. } = body;
        let told = |error: crate::motion::ClipError| FormatError::new(error.to_string()).in_file(path);
        let animation = Animation::new(&capture.skeleton, &clip).map_err(told)?;
        let ground = ground(&figure, &clip);
        let held_ground = held_ground_height(&figure, &clip).unwrap_or(0.0);
        let segment_meshes = segment_meshes(&figure, meshes);
        Ok(Self { capture, figure, animation, still, ground, held_ground, meshes: segment_meshes })
    }

    /// Replaces the figure.
    pub fn set_figure(&mut self, figure: Figure, meshes: &mut Meshes) {
        self.meshes = segment_meshes(&figure, meshes);
        self.ground = ground(&figure, self.animation.clip());
        self.held_ground = held_ground_height(&figure, self.animation.clip()).unwrap_or(0.0);
        self.figure = figure;
    }

    /// Duration of the clip, seconds.
    pub fn duration(&self) -> Real {
        self.animation.clip().duration()
    }

    /// Frame rate of the clip, Hz.
    pub fn rate_hz(&self) -> Real {
        self.animation.clip().rate_hz()
    }
}

/// Height of the ground below a motion, metres: the one that reports measure from.
fn ground(figure: &Figure, clip: &Clip) -> Real {
    Measure { figure, clip, options: MeasureOptions::default() }.ground().unwrap_or(0.0)
}

/// Creates the meshes of a figure's segments, in the frames of their bodies.
pub(crate) fn segment_meshes(figure: &Figure, meshes: &mut Meshes) -> Vec<Option<MeshId>> {
    let mesh = |segment: &crate::figure::Segment| {
        meshes.of_shapes(segment.shapes.iter().map(|part| {
            let placement = Placement { position: part.placement.position - segment.centre, ..part.placement };
            (&part.shape, placement)
        }))
    };
    figure.segments().iter().map(mesh).collect()
}

/// Pose of a figure at one moment. Its buffers are reused from frame to frame.
#[derive(Clone, Debug)]
pub(crate) struct Posture {
    pub motion: PoseMotion,
    /// Frames of all joints of the skeleton, world space.
    pub frames: Vec<Frame>,
    /// Frames of the joints that carry segments, world space.
    pub placements: Vec<Placement>,
}

impl Posture {
    pub fn new(animation: &Animation) -> Self {
        Self { motion: animation.buffer(), frames: Vec::new(), placements: Vec::new() }
    }

    /// Samples the captured pose, `time` seconds from the first frame.
    pub fn capture(&mut self, figure: &Figure, animation: &Animation, time: Real) {
        animation.sample_into(time.clamp(0.0, animation.duration()), &mut self.motion);
        figure.placements_into(&self.motion.pose, &mut self.frames, &mut self.placements);
    }

    /// Reads the pose out of a world. Joints without a segment keep their captured rotation at this time.
    pub fn simulated(&mut self, actor: &Actor, animation: &Animation, time: Real, world: &World) {
        animation.sample_into(time.max(0.0), &mut self.motion);
        let Self { motion, frames, placements } = self;
        actor.instance().pose_with(actor.figure(), world, &mut motion.pose, placements, frames);
    }

    /// Bounding box of all joints, metres.
    pub fn extent(&self) -> Option<(Vec3, Vec3)> {
        let places = self.frames.iter().map(|frame| (frame.position, frame.position));
        places.reduce(|(low, high), (a, b)| (low.inf(&a), high.sup(&b)))
    }
}
