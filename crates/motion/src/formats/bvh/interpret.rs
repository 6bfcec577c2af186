//! Interpretation of a document: once its conventions are known, every number of a file has one place in a skeleton and a
//! clip.

use super::document::{Document, Node};
use super::rotation::{Order, half_sin_cos};
use crate::files::limits::LARGEST_ANGLE;
use crate::formats::{FormatError, PositionChannels, Unit, UpAxis};
use crate::{Clip, Joint, Skeleton, Tracks};
use crate::{Quat, Real, Vec3};

/// Conventions of a file that the file does not say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conventions {
    pub unit: Unit,
    pub up: UpAxis,
    /// Meaning of the position channels of each joint.
    pub positions: Vec<PositionChannels>,
}

/// Largest distance from the origin, metres: trackers that lost their target write larger ones.
pub(crate) const FARTHEST: Real = 500.0;

/// Frame times that are no mistake (most often a 0), seconds.
pub(crate) const PLAUSIBLE_FRAME_TIMES: std::ops::RangeInclusive<Real> = 1e-6..=1e6;

/// Map from the channels of one joint to its local transform.
pub(crate) struct JointPlan {
    /// Columns of the rotation channels.
    rotation_columns: Vec<usize>,
    /// True if the rotation columns are neighbours.
    together: bool,
    order: Order,
    /// Axis and column of each position channel.
    positions: Vec<(usize, usize)>,
    offset: Vec3,
    root: bool,
}

/// Map from a row of numbers to local transforms, in the file's own unit and axes.
pub(crate) struct Plan {
    joints: Vec<JointPlan>,
    channels: usize,
    /// Columns that hold positions.
    position_columns: Vec<usize>,
}

impl Plan {
    pub fn new(document: &Document) -> Plan {
        let mut column = 0;
        let joints: Vec<JointPlan> = document
            .nodes
            .iter()
            .map(|node| {
                let plan = JointPlan::new(node, column);
                column += node.channels.len();
                plan
            })
            .collect();
        let position_columns = joints.iter().flat_map(|joint| joint.positions.iter().map(|p| p.1)).collect();
        Plan { joints, channels: column, position_columns }
    }

    pub fn joints(&self) -> &[JointPlan] {
        &self.joints
    }

    /// Appends the local rotations of one row.
    #[inline]
    pub fn rotations(&self, row: &[Real], half: &mut Vec<(Real, Real)>, out: &mut Vec<Quat>) {
        half.clear();
        half.extend(row.iter().map(|&value| half_sin_cos(value)));
        out.extend(self.joints.iter().map(|joint| {
            if joint.together {
                let first = joint.rotation_columns[0];
                joint.order.compose(&half[first..first + joint.rotation_columns.len()])
            } else {
                let own: Vec<_> = joint.rotation_columns.iter().map(|&column| half[column]).collect();
                joint.order.compose(&own)
            }
        }));
    }

    /// Returns true if every number of a row can belong to a captured body; `unit` in metres.
    fn is_plausible(&self, row: &[Real], unit: Real) -> bool {
        // Only where something is large is it worth looking what it is.
        let limit = FARTHEST / unit;
        let either = LARGEST_ANGLE.min(limit);
        if row.iter().all(|value| value.abs() <= either) {
            return true;
        }
        self.position_columns.iter().all(|&column| row[column].abs() <= limit)
            && self.joints.iter().all(|j| j.rotation_columns.iter().all(|&c| row[c].abs() <= LARGEST_ANGLE))
    }
}

impl JointPlan {
    fn new(node: &Node, first_column: usize) -> JointPlan {
        let mut rotation_columns = Vec::new();
        let mut axes = Vec::new();
        let mut positions = Vec::new();
        for (k, channel) in node.channels.iter().enumerate() {
            if channel.is_rotation() {
                rotation_columns.push(first_column + k);
                axes.push(channel.axis());
            } else {
                positions.push((channel.axis(), first_column + k));
            }
        }
        let together = !axes.is_empty() && rotation_columns.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let offset = Vec3::from(node.offset);
        JointPlan {
            rotation_columns,
            together,
            order: Order::of(&axes),
            positions,
            offset,
            root: node.parent.is_none(),
        }
    }

    pub fn is_root(&self) -> bool {
        self.root
    }

    /// Returns true if the joint has position channels.
    pub fn moves(&self) -> bool {
        !self.positions.is_empty()
    }

    pub fn offset(&self) -> &Vec3 {
        &self.offset
    }

    /// Returns true if replacing the OFFSET and adding to it are different readings.
    pub fn is_ambiguous(&self) -> bool {
        self.open_offset() != Vec3::zeros()
    }

    /// Returns the part of the OFFSET along axes that have a position channel: elsewhere both readings agree.
    pub fn open_offset(&self) -> Vec3 {
        let mut open = Vec3::zeros();
        for &(axis, _) in &self.positions {
            open[axis] = self.offset[axis];
        }
        open
    }

    /// Returns the position channels alone; axes without one are 0.
    pub fn channel_position(&self, row: &[Real]) -> Vec3 {
        let mut position = Vec3::zeros();
        for &(axis, column) in &self.positions {
            position[axis] = row[column];
        }
        position
    }

    /// Returns the local position; axes without a channel keep their OFFSET.
    pub fn position(&self, row: &[Real], meaning: PositionChannels) -> Vec3 {
        let mut position = self.offset;
        for &(axis, column) in &self.positions {
            match meaning {
                PositionChannels::Replace => position[axis] = row[column],
                PositionChannels::Add => position[axis] += row[column],
            }
        }
        position
    }
}

/// Returns the first joint with a bone longer than any captured motion is wide, and that length in metres.
pub(crate) fn overlong_bone(document: &Document, unit: Unit) -> Option<(usize, Real)> {
    let length = |node: &Node| {
        let ends = [&node.offset].into_iter().chain(&node.end_sites).flatten();
        ends.fold(0.0, |longest: Real, part| longest.max(part.abs())) * unit.metres
    };
    document.nodes.iter().map(length).enumerate().find(|(_, length)| *length > FARTHEST)
}

/// Returns the first implausible frame from `from` on.
pub(crate) fn first_implausible_frame(document: &Document, plan: &Plan, unit: Unit, from: usize) -> Option<usize> {
    let values = &document.motion.as_ref()?.values;
    let mut rows = values.chunks_exact(plan.channels.max(1)).skip(from);
    rows.position(|row| !plan.is_plausible(row, unit.metres)).map(|at| at + from)
}

/// Makes the skeleton of a document.
pub(crate) fn skeleton(document: &Document, conventions: &Conventions) -> Result<Skeleton, FormatError> {
    let to_y_up = conventions.up.to_y_up();
    let metres = |v: &[f64; 3]| Vec3::from(*v) * conventions.unit.metres;
    let joints = document
        .nodes
        .iter()
        .map(|node| {
            let mut joint = Joint::new(node.name.clone(), node.parent, metres(&node.offset));
            if node.parent.is_none() {
                joint.offset = to_y_up * joint.offset;
                joint.rest = to_y_up;
            }
            joint.tip = node.end_sites.first().map(metres);
            joint
        })
        .collect();
    Skeleton::new(joints).map_err(|error| FormatError::new(error.to_string()))
}

/// Makes the clip of a document; `None` without frames.
pub(crate) fn clip(document: &Document, plan: &Plan, conventions: &Conventions) -> Result<Option<Clip>, FormatError> {
    let frames = document.frames();
    let Some(motion) = document.motion.as_ref().filter(|_| frames > 0) else { return Ok(None) };
    let to_y_up = conventions.up.to_y_up();
    let unit = conventions.unit.metres;
    let joint_count = plan.joints.len();
    let mut rotations: Vec<Quat> = Vec::with_capacity(frames * joint_count);
    let tracked: Vec<usize> = (0..joint_count).filter(|&j| plan.joints[j].root || plan.joints[j].moves()).collect();
    let roots: Vec<usize> = (0..joint_count).filter(|&j| plan.joints[j].root).collect();
    let mut positions: Vec<Vec3> = Vec::with_capacity(frames * tracked.len());
    let mut half = Vec::with_capacity(plan.channels);
    for row in motion.values.chunks_exact(plan.channels) {
        let first = rotations.len();
        plan.rotations(row, &mut half, &mut rotations);
        if conventions.up != UpAxis::PlusY {
            for &root in &roots {
                rotations[first + root] = to_y_up * rotations[first + root];
            }
        }
        for &j in &tracked {
            let joint = &plan.joints[j];
            let position = joint.position(row, conventions.positions[j]) * unit;
            positions.push(if joint.root { to_y_up * position } else { position });
        }
    }
    let translations = Tracks { joints: tracked, values: positions };
    Clip::new("motion", rate(motion.frame_time), joint_count, rotations, translations, Tracks::default())
        .map(Some)
        .map_err(|error| FormatError::new(error.to_string()))
}

/// Returns frames per second. Files round the frame time to a few digits (.0083333, 0.033333): a rate within 0.015 % of a
/// whole number is that number. 23.976, 29.97 and their kin are 0.1 % away and stay.
pub(crate) fn rate(frame_time: Real) -> Real {
    if !PLAUSIBLE_FRAME_TIMES.contains(&frame_time) {
        // Only a single frame comes here; a posture without duration has any rate.
        return 30.0;
    }
    let rate = 1.0 / frame_time;
    let whole = rate.round();
    if (1.0..1000.0).contains(&whole) && (rate - whole).abs() <= 1.5e-4 * whole { whole } else { rate }
}
