//! A figure carried through a clip, frame by frame.

use crate::dynamics::Placement;
use crate::figure::Figure;
use crate::motion::{Clip, Frame, Pose};

/// Forward kinematics with buffers that are kept.
pub(crate) struct Poses<'a> {
    figure: &'a Figure,
    clip: &'a Clip,
    pose: Pose,
    frames: Vec<Frame>,
    placements: Vec<Placement>,
}

impl<'a> Poses<'a> {
    pub fn new(figure: &'a Figure, clip: &'a Clip) -> Self {
        let pose = figure.skeleton().rest_pose();
        Self { figure, clip, pose, frames: Vec::new(), placements: Vec::new() }
    }

    /// Placements of the segments' joints in a frame.
    pub fn at(&mut self, frame: usize) -> &[Placement] {
        self.clip.pose_into(frame, &mut self.pose);
        self.figure.placements_into(&self.pose, &mut self.frames, &mut self.placements);
        &self.placements
    }
}
