//! One figure of a recording: its segments' states, torques, contacts and root assistance, and the way back to a clip.

use super::{RecordedContact, Recording};
use crate::dynamics::{Placement, State};
use crate::figure::Figure;
use crate::math::{Real, Vec3, Vec6};
use crate::motion::{Clip, ClipError, Pose, Tracks};

/// View of one figure in a recording, by segment. Forces are averages over the last step before the frame.
#[derive(Clone, Debug)]
pub struct FigureRecording<'a> {
    recording: &'a Recording,
    /// Numbers of the segments' bodies.
    bodies: &'a [usize],
    residuals: &'a [[Real; 6]],
    /// Numbers of the segments' joints among those of the recording.
    joints: Vec<Option<usize>>,
}

impl<'a> FigureRecording<'a> {
    pub(super) fn new(recording: &'a Recording, figure: usize) -> Option<Self> {
        let figure = recording.figures.get(figure)?;
        let joint =
            |body: &usize| recording.joints.iter().position(|j| j.body == Some(*body) && !j.muscle_nm.is_empty());
        let joints = figure.bodies.iter().map(joint).collect();
        Some(Self { recording, bodies: &figure.bodies, residuals: &figure.root_force_torque, joints })
    }

    /// Frames per second.
    pub fn rate_hz(&self) -> Real {
        self.recording.rate_hz
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.recording.frames()
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.bodies.len()
    }

    /// Placement of a segment's body, world space.
    pub fn placement(&self, frame: usize, segment: usize) -> Placement {
        self.recording.placement(self.bodies[segment], frame)
    }

    /// State of a segment's body, world space; at rest where the recording has no velocities.
    pub fn state(&self, frame: usize, segment: usize) -> State {
        self.recording.state(self.bodies[segment], frame)
    }

    /// Torque of a segment's muscle, N·m, world axes; zero where there is none.
    pub fn torque(&self, frame: usize, segment: usize) -> Vec3 {
        self.joints[segment].map_or_else(Vec3::zeros, |joint| self.recording.joints[joint].muscle_nm[frame].into())
    }

    /// Force (N) and torque (N·m, about its centre of mass) of a segment's joint on the segment, muscle included, world axes.
    pub fn reaction(&self, frame: usize, segment: usize) -> Vec6 {
        let series = self.joints[segment].map(|joint| &self.recording.joints[joint].force_torque_on_b);
        series.map_or_else(Vec6::zeros, |series| series[frame].into())
    }

    /// Force (N) and torque (N·m, about the root's centre of mass) of the root assistance, world axes.
    pub fn residual(&self, frame: usize) -> Vec6 {
        self.residuals.get(frame).map_or_else(Vec6::zeros, |wrench| (*wrench).into())
    }

    /// Contacts of the figure with other bodies: segment, point (metres) and force on the figure (N), world axes.
    pub fn contacts(&self, frame: usize) -> impl Iterator<Item = (usize, Vec3, Vec3)> {
        let contacts = self.recording.contacts.get(frame).map_or(&[][..], Vec::as_slice);
        contacts.iter().filter_map(|contact| self.on_figure(contact))
    }

    fn on_figure(&self, contact: &RecordedContact) -> Option<(usize, Vec3, Vec3)> {
        let (point, force) = (Vec3::from(contact.point_m), Vec3::from(contact.force_n));
        match contact.bodies.map(|body| self.bodies.iter().position(|own| *own == body)) {
            [Some(segment), None] => Some((segment, point, -force)),
            [None, Some(segment)] => Some((segment, point, force)),
            _ => None,
        }
    }

    /// Force of all contacts with other bodies on the figure, N.
    pub fn contact_force(&self, frame: usize) -> Vec3 {
        self.contacts(frame).map(|(_, _, force)| force).sum()
    }

    /// Recorded motion on the figure's skeleton, at the recording's rate. Joints that are folded into segments, bone lengths
    /// and scales are those of `source` at the same time; `sample` gives its poses by time in seconds.
    pub fn to_clip(
        &self,
        figure: &Figure,
        source: &Clip,
        mut sample: impl FnMut(Real) -> Pose,
    ) -> Result<Clip, ClipError> {
        let skeleton = figure.skeleton();
        let mut moved = source.translations().joints.clone();
        let placed = (0..figure.segments().len()).filter(|&k| figure.is_placed(k));
        let free = placed.map(|k| figure.segment(k).joint);
        moved.extend(free.chain(skeleton.roots()));
        moved.sort_unstable();
        moved.dedup();
        let mut translations = Tracks { joints: moved, values: Vec::new() };
        let mut scales = Tracks { joints: source.scales().joints.clone(), values: Vec::new() };
        let mut rotations = Vec::with_capacity(self.frames() * skeleton.len());
        let (mut placements, mut frames) = (Vec::new(), Vec::new());
        for frame in 0..self.frames() {
            let pose = &mut sample(frame as Real / self.rate_hz());
            placements.clear();
            let segments = figure.segments().iter().enumerate();
            placements.extend(segments.map(|(k, segment)| segment.joint_frame(&self.placement(frame, k))));
            figure.pose_with(&placements, pose, &mut frames);
            rotations.extend_from_slice(&pose.rotations);
            translations.values.extend(translations.joints.iter().map(|&j| pose.translations[j]));
            let ones = Vec3::repeat(1.0);
            let scale = |&j: &usize| pose.scales.as_ref().map_or(ones, |s| s[j]);
            scales.values.extend(scales.joints.iter().map(scale));
        }
        Clip::new(source.name.clone(), self.rate_hz(), skeleton.len(), rotations, translations, scales)
    }
}
