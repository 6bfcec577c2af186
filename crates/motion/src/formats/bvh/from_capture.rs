//! BVH document of a [`Capture`].
//!
//! A capture that came from a BVH and was not touched is its source document, number for number. Otherwise a
//! document is built. BVH joints have no rest rotation, so rest rotations are applied to offsets and rotations:
//! with W the rest rotation of a joint in the world and A the rotation from Y up to the file's axes, V = A·W and
//!
//!   offset′   = V_parent · offset
//!   rotation′ = V_parent · rotation · V⁻¹
//!
//! and every joint keeps its world position. For a root, V_parent is A.

use super::channels::{self, Kept};
use super::detect;
use super::document::{Document, LineEnd, Motion, Node};
use super::interpret::{self, Conventions, PLAUSIBLE_FRAME_TIMES, Plan};
use super::read::metres;
use crate::formats::{Capture, FormatError, ImportOptions, ImportReport, PositionChannels, Source, Unit, UpAxis};
use crate::{Clip, Skeleton};
use crate::{Quat, Real, Vec3};
use std::borrow::Cow;
use std::collections::HashMap;

/// Returns the document to write for a capture.
pub(super) fn document(capture: &Capture) -> Result<Cow<'_, Document>, FormatError> {
    let source = match &capture.source {
        Some(Source::Bvh(source)) if has_tree_of(&capture.skeleton, source) => Some(source),
        _ => None,
    };
    match source {
        Some(source) if is_unchanged(capture, source)? => Ok(Cow::Borrowed(source)),
        source => {
            let builder = Builder::new(capture, source);
            let document = builder.build()?;
            refuse_unreadable(&document, builder.conventions.unit)?;
            Ok(Cow::Owned(document))
        }
    }
}

/// Refuses what the reader of BVH files would refuse: a file that is written can be read.
fn refuse_unreadable(document: &Document, unit: Unit) -> Result<(), FormatError> {
    let advice = "write .glb or .gltf instead, or name the unit of the source with --unit";
    if let Some((joint, length)) = interpret::overlong_bone(document, unit) {
        let (name, length) = (&document.nodes[joint].name, metres(length));
        let message = format!("joint {name:?} has a bone of {length} m, longer than readers of BVH files believe");
        return Err(FormatError::new(message).help(advice));
    }
    if let Some(frame) = interpret::first_implausible_frame(document, &Plan::new(document), unit, 0) {
        let message = format!("frame {} lies farther away than readers of BVH files believe", frame + 1);
        return Err(FormatError::new(message).help(advice));
    }
    match &document.motion {
        Some(motion) if document.frames() > 1 && !PLAUSIBLE_FRAME_TIMES.contains(&motion.frame_time) => {
            let message =
                format!("a frame time of {:?} s is none that readers of BVH files believe", motion.frame_time);
            Err(FormatError::new(message).help("resample the clip with --rate"))
        }
        _ => Ok(()),
    }
}

/// Returns true if the skeleton has the source's joints, by name and parent.
fn has_tree_of(skeleton: &Skeleton, source: &Document) -> bool {
    skeleton.len() == source.nodes.len()
        && skeleton.joints().iter().zip(&source.nodes).all(|(a, b)| a.name == b.name && a.parent == b.parent)
}

/// Returns the conventions of a source as it was read: written back in its own unit and axes, a file stays comparable with
/// itself even where they were guessed wrong.
fn conventions_of(report: &ImportReport, source: &Document) -> Conventions {
    let ImportReport { unit, up, ref position_channels, .. } = *report;
    let positions = match position_channels.len() == source.nodes.len() {
        true => position_channels.clone(),
        // The report was made by hand.
        false => {
            let options = ImportOptions { unit: Some(unit), up: Some(up), ..ImportOptions::default() };
            detect::detect(source, &Plan::new(source), &options).conventions.positions
        }
    };
    Conventions { unit, up, positions }
}

/// Returns true if the source, read under the capture's conventions, gives exactly what the capture holds.
fn is_unchanged(capture: &Capture, source: &Document) -> Result<bool, FormatError> {
    let conventions = conventions_of(&capture.report, source);
    let skeleton = interpret::skeleton(source, &conventions)?;
    let same_joint =
        |(a, b): (&crate::Joint, &crate::Joint)| a.offset == b.offset && a.rest == b.rest && a.tip == b.tip;
    if !skeleton.joints().iter().zip(capture.skeleton.joints()).all(same_joint) {
        return Ok(false);
    }
    Ok(match (interpret::clip(source, &Plan::new(source), &conventions)?, capture.clips.first()) {
        (Some(mut clip), Some(ours)) => {
            clip.name.clone_from(&ours.name);
            clip == *ours
        }
        (None, None) => true,
        _ => false,
    })
}

/// Motion below which a joint stays at rest, metres.
const SAME_POSITION: Real = 1e-7;

/// Position of a joint in its parent, in the file's unit and axes.
struct LocalPosition {
    offset: Vec3,
    /// Values of position channels, frame by frame; empty if the OFFSET is enough.
    positions: Vec<Vec3>,
}

struct Builder<'a> {
    skeleton: &'a Skeleton,
    clip: Option<&'a Clip>,
    source: Option<&'a Document>,
    conventions: Conventions,
    /// V of every joint.
    rest_rotations: Vec<Quat>,
    /// Rotation from Y up to the file's axes.
    axes: Quat,
    is_leaf: Vec<bool>,
}

impl<'a> Builder<'a> {
    fn new(capture: &'a Capture, source: Option<&'a Document>) -> Self {
        let conventions = match source {
            Some(source) => conventions_of(&capture.report, source),
            None => Conventions {
                unit: Unit::CENTIMETRE,
                up: UpAxis::PlusY,
                positions: vec![PositionChannels::Replace; capture.skeleton.len()],
            },
        };
        let axes = conventions.up.to_y_up().inverse();
        let skeleton = &capture.skeleton;
        let mut rest_rotations: Vec<Quat> = Vec::with_capacity(skeleton.len());
        for joint in skeleton.joints() {
            rest_rotations.push(joint.parent.map_or(axes, |parent| rest_rotations[parent]) * joint.rest);
        }
        let mut is_leaf = vec![true; skeleton.len()];
        for parent in skeleton.joints().iter().filter_map(|joint| joint.parent) {
            is_leaf[parent] = false;
        }
        Self { skeleton, clip: capture.clips.first(), source, conventions, rest_rotations, axes, is_leaf }
    }

    fn build(&self) -> Result<Document, FormatError> {
        let scales = channels::world_scales(self.skeleton, self.clip)?;
        let order = depth_first(self.skeleton);
        let mut place = vec![0; order.len()];
        for (k, &joint) in order.iter().enumerate() {
            place[joint] = k;
        }
        let names = self.names(&order);
        let frames = self.frames();
        let mut nodes = Vec::with_capacity(order.len());
        let mut columns = Vec::new();
        for (&joint, name) in order.iter().zip(names) {
            let parent = self.skeleton.joint(joint).parent;
            let scale = parent.map_or(1.0, |parent| scales[parent]);
            let LocalPosition { offset, positions } = self.local_position(joint, scale);
            let rotations = self.rotations(joint);
            let kept = self.source.map(|source| Kept { channels: &source.nodes[joint].channels });
            let is_new_root = parent.is_none() && kept.is_none();
            let channels = channels::channels(kept, is_new_root, &offset, &positions, &rotations);
            let base = match self.conventions.positions[joint] {
                PositionChannels::Add => offset,
                PositionChannels::Replace => Vec3::zeros(),
            };
            columns.extend(channels::columns(&channels, frames, &base, &offset, &positions, &rotations));
            nodes.push(Node {
                name,
                parent: parent.map(|parent| place[parent]),
                offset: offset.into(),
                channels,
                end_sites: self.end_sites(joint, scales[joint]),
            });
        }
        let mut values = Vec::with_capacity(frames * columns.len());
        for frame in 0..frames {
            values.extend(columns.iter().map(|column| column[frame]));
        }
        let motion = Some(Motion { frame_time: self.frame_time(), values });
        let line_end = self.source.map_or(LineEnd::Lf, |source| source.line_end);
        Ok(Document { nodes, motion, line_end })
    }

    /// V of the parent.
    fn parent_rotation(&self, joint: usize) -> Quat {
        self.skeleton.joint(joint).parent.map_or(self.axes, |parent| self.rest_rotations[parent])
    }

    /// Positions of the joint in its parent, frame by frame, in the file's unit and axes; empty without a track.
    fn positions(&self, joint: usize, scale: Real) -> Vec<Vec3> {
        let Some(clip) = self.clip else { return Vec::new() };
        let tracks = clip.translations();
        let Ok(k) = tracks.joints.binary_search(&joint) else { return Vec::new() };
        let rotation = self.parent_rotation(joint);
        let width = tracks.joints.len();
        let unit = self.conventions.unit.metres;
        tracks.values.iter().skip(k).step_by(width).map(|value| rotation * (value * scale) / unit).collect()
    }

    /// OFFSET of a joint and values of its position channels. Programs disagree on whether channels
    /// replace the OFFSET or add to it, so a joint never has both unless its file had.
    fn local_position(&self, joint: usize, scale: Real) -> LocalPosition {
        let rest = self.rest_offset(joint, scale);
        let positions = self.positions(joint, scale);
        let is_root = self.skeleton.joint(joint).parent.is_none();
        match self.source {
            // Every program expects a root to have position channels.
            None if is_root => {
                let positions = if positions.is_empty() { vec![rest; self.frames()] } else { positions };
                return LocalPosition { offset: Vec3::zeros(), positions };
            }
            Some(source) if channels::suffice(&source.nodes[joint].channels, &rest, &positions) => {
                return LocalPosition { offset: rest, positions };
            }
            _ => {}
        }
        match channels::common_position(&positions, SAME_POSITION / self.conventions.unit.metres) {
            _ if positions.is_empty() => LocalPosition { offset: rest, positions },
            Some(place) => LocalPosition { offset: place, positions: Vec::new() },
            None => LocalPosition { offset: Vec3::zeros(), positions },
        }
    }

    /// OFFSET of the rest pose.
    fn rest_offset(&self, joint: usize, scale: Real) -> Vec3 {
        let ours = self.skeleton.joint(joint);
        if let Some(source) = self.source {
            // The number that stood in the file, where it is still the same.
            let written = Vec3::from(source.nodes[joint].offset);
            let metres = written * self.conventions.unit.metres;
            let read = if ours.parent.is_none() { self.conventions.up.to_y_up() * metres } else { metres };
            if read == ours.offset && scale == 1.0 {
                return written;
            }
        }
        self.parent_rotation(joint) * (ours.offset * scale) / self.conventions.unit.metres
    }

    /// Number of rows: a skeleton alone gets one of its rest pose, as many programs refuse a file without frames.
    fn frames(&self) -> usize {
        self.clip.map_or(1, Clip::frames)
    }

    /// Rotations of the joint in the file, frame by frame.
    fn rotations(&self, joint: usize) -> Vec<Quat> {
        let Some(clip) = self.clip else { return vec![Quat::identity(); self.frames()] };
        let (parent, own) = (self.parent_rotation(joint), self.rest_rotations[joint].inverse());
        (0..clip.frames()).map(|frame| parent * clip.rotations(frame)[joint] * own).collect()
    }

    fn end_sites(&self, joint: usize, scale: Real) -> Vec<[f64; 3]> {
        let unit = self.conventions.unit.metres;
        let ours = self.skeleton.joint(joint);
        if let Some(source) = self.source {
            let written = &source.nodes[joint].end_sites;
            if written.first().map(|&site| Vec3::from(site) * unit) == ours.tip && scale == 1.0 {
                return written.clone();
            }
        }
        let is_leaf = self.is_leaf[joint];
        // Many programs lose a leaf joint that has no End Site.
        let tip = ours.tip.filter(|_| is_leaf).or(is_leaf.then(Vec3::zeros));
        tip.map(|tip| (self.rest_rotations[joint] * (tip * scale) / unit).into()).into_iter().collect()
    }

    fn frame_time(&self) -> Real {
        let written = self.source.and_then(|source| source.motion.as_ref()).map(|motion| motion.frame_time);
        match (self.clip, written) {
            (Some(clip), Some(written)) if interpret::rate(written) == clip.rate_hz() => written,
            (Some(clip), _) => clip.frame_time(),
            (None, written) => written.unwrap_or(1.0 / 30.0),
        }
    }

    /// Names in file order: those of the source, or ones that every program can read.
    fn names(&self, order: &[usize]) -> Vec<String> {
        let names = order.iter().map(|&joint| self.skeleton.joint(joint).name.as_str());
        if self.source.is_some() { names.map(str::to_owned).collect() } else { plain_unique_names(names) }
    }
}

/// Returns the joints depth first, children in their own order.
fn depth_first(skeleton: &Skeleton) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); skeleton.len()];
    for (joint, parent) in skeleton.joints().iter().enumerate().filter_map(|(j, joint)| Some((j, joint.parent?))) {
        children[parent].push(joint);
    }
    let mut order = Vec::with_capacity(skeleton.len());
    let mut waiting: Vec<usize> = skeleton.roots().collect();
    waiting.reverse();
    while let Some(joint) = waiting.pop() {
        order.push(joint);
        waiting.extend(children[joint].iter().rev());
    }
    order
}

/// Makes names without blanks and braces, none empty, no two alike.
fn plain_unique_names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let awkward = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '{' | '}');
    let mut taken: HashMap<String, usize> = HashMap::new();
    let mut unique = Vec::new();
    for name in names {
        let plain: String = name.trim().chars().map(|c| if awkward(c) { '_' } else { c }).collect();
        let plain = if plain.is_empty() { "joint".to_owned() } else { plain };
        let mut candidate = plain.clone();
        while taken.contains_key(&candidate) {
            let count = taken.entry(plain.clone()).or_insert(1);
            *count += 1;
            candidate = format!("{plain}_{count}");
        }
        taken.insert(candidate.clone(), 1);
        unique.push(candidate);
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::super::document::Channel;
    use super::*;

    #[test]
    fn names_become_plain_and_stay_unique() {
        let names = plain_unique_names(["a b", "a_b", "", " a b", "a_b_2", "x{}", "mixamorig:Hips"].into_iter());
        assert_eq!(names, ["a_b", "a_b_2", "joint", "a_b_3", "a_b_2_2", "x__", "mixamorig:Hips"]);
    }

    #[test]
    fn positions_keep_all_three_axes_of_new_roots() {
        let channels = channels::channels(None, true, &Vec3::zeros(), &[Vec3::zeros()], &[Quat::identity()]);
        let expected = [0, 1, 2].map(Channel::position).into_iter().chain([2, 0, 1].map(Channel::rotation));
        assert_eq!(channels, expected.collect::<Vec<_>>());
    }
}
