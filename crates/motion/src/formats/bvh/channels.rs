//! Channels that a joint needs and the numbers in them, for documents built from a capture.

use super::document::Channel;
use super::rotation::decompose;
use crate::formats::FormatError;
use crate::{Clip, Skeleton};
use crate::{Quat, Real, Vec3};

/// Order of rotations where no source gives one: Z, X, Y keeps gimbal lock far from usual postures.
const USUAL_ORDER: [usize; 3] = [2, 0, 1];

/// Distance below which positions are the same, file units.
const SAME_PLACE: Real = 1e-10;

/// Difference below which angles are the same, degrees.
const SAME_ANGLE: Real = 1e-10;

/// Relative difference below which scales are the same but for the noise of 32-bit files; a bone is then off by a tenth
/// of a millimetre at most.
const SAME_SCALE: Real = 3e-4;

/// Channels that the source file had on a joint.
pub(super) struct Kept<'a> {
    pub channels: &'a [Channel],
}

/// Returns the rotation axes of some channels, and the same list extended to three different axes.
fn rotation_axes(channels: &[Channel]) -> (Vec<usize>, [usize; 3]) {
    let axes: Vec<usize> = channels.iter().filter(|c| c.is_rotation()).map(|c| c.axis()).collect();
    let repeats = axes.iter().enumerate().any(|(k, axis)| axes[..k].contains(axis));
    if axes.is_empty() || repeats {
        return (axes, USUAL_ORDER);
    }
    let missing = (0..3).filter(|axis| !axes.contains(axis));
    let full: Vec<usize> = axes.iter().copied().chain(missing).collect();
    (axes, [full[0], full[1], full[2]])
}

/// Returns the angles of every frame, each near its predecessor, degrees.
fn angles(rotations: &[Quat], order: [usize; 3]) -> Vec<[Real; 3]> {
    let mut previous = [0.0; 3];
    rotations
        .iter()
        .map(|rotation| {
            previous = decompose(rotation, order, previous);
            previous
        })
        .collect()
}

/// Returns true if a joint leaves its OFFSET along an axis.
fn moves(positions: &[Vec3], offset: &Vec3, axis: usize) -> bool {
    positions.iter().any(|p| (p[axis] - offset[axis]).abs() > SAME_PLACE)
}

/// Returns true if these channels, or the OFFSET where there is none, can hold the positions.
pub(super) fn suffice(channels: &[Channel], offset: &Vec3, positions: &[Vec3]) -> bool {
    (0..3).all(|axis| !moves(positions, offset, axis) || channels.contains(&Channel::position(axis)))
}

/// Returns a position from which none is farther than half of `tolerance` along any axis, if there is one.
pub(super) fn common_position(positions: &[Vec3], tolerance: Real) -> Option<Vec3> {
    let first = positions.first()?;
    let (low, high) = positions.iter().fold((*first, *first), |(low, high), p| (low.inf(p), high.sup(p)));
    // Half of the sum of two equal numbers is that number: what is exactly constant stays exact.
    ((high - low).amax() <= tolerance).then(|| (low + high) / 2.0)
}

/// Returns the channels of a joint: those it had if they still suffice, else as many as are needed.
pub(super) fn channels(
    kept: Option<Kept>,
    is_new_root: bool,
    offset: &Vec3,
    positions: &[Vec3],
    rotations: &[Quat],
) -> Vec<Channel> {
    let is_moved = (0..3).any(|axis| moves(positions, offset, axis));
    let Some(kept) = kept else {
        let positions: &[usize] = if is_new_root || is_moved { &[0, 1, 2] } else { &[] };
        let positions = positions.iter().map(|&axis| Channel::position(axis));
        return positions.chain(USUAL_ORDER.map(Channel::rotation)).collect();
    };
    let (axes, full) = rotation_axes(kept.channels);
    let positions_suffice = suffice(kept.channels, offset, positions);
    let unused = |k: usize| !axes.contains(&full[k]);
    let rotations_suffice = axes.iter().all(|axis| full.contains(axis))
        && axes.len() <= 3
        && angles(rotations, full).iter().all(|a| (0..3).all(|k| !unused(k) || a[k].abs() < SAME_ANGLE))
        && (axes.is_empty() || axes.iter().zip(full).all(|(&axis, other)| axis == other));
    if positions_suffice && rotations_suffice {
        return kept.channels.to_vec();
    }
    let had_position = kept.channels.iter().any(|c| !c.is_rotation());
    let positions: &[usize] = if is_moved || had_position { &[0, 1, 2] } else { &[] };
    let axes: &[usize] = if rotations_suffice { &axes } else { &full };
    let positions = positions.iter().map(|&axis| Channel::position(axis));
    positions.chain(axes.iter().map(|&axis| Channel::rotation(axis))).collect()
}

/// Returns one list of values, frame by frame, for each channel. Position channels add to `base`.
pub(super) fn columns(
    channels: &[Channel],
    frames: usize,
    base: &Vec3,
    offset: &Vec3,
    positions: &[Vec3],
    rotations: &[Quat],
) -> Vec<Vec<Real>> {
    let (_, full) = rotation_axes(channels);
    let angles = angles(rotations, full);
    let column = |channel: &Channel| -> Vec<Real> {
        let axis = channel.axis();
        if !channel.is_rotation() {
            let at = |frame: usize| positions.get(frame).unwrap_or(offset)[axis] - base[axis];
            return (0..frames).map(at).collect();
        }
        let k = full.iter().position(|&other| other == axis).unwrap_or(0);
        angles.iter().map(|angles| angles[k]).collect()
    };
    channels.iter().map(column).collect()
}

/// Returns the scale of everything below each joint. BVH has no scales: one that is equal along all axes and in all
/// frames is applied to the offsets, any other is refused.
pub(super) fn world_scales(skeleton: &Skeleton, clip: Option<&Clip>) -> Result<Vec<Real>, FormatError> {
    let mut scales = vec![1.0; skeleton.len()];
    if let Some(tracks) = clip.map(Clip::scales).filter(|tracks| !tracks.values.is_empty()) {
        let width = tracks.joints.len();
        for (k, &joint) in tracks.joints.iter().enumerate() {
            let first = tracks.values[k].x;
            let odd = |value: &Vec3| value.iter().any(|s| (s - first).abs() > SAME_SCALE * first.abs());
            if let Some(frame) = tracks.values.iter().skip(k).step_by(width).position(odd) {
                let name = &skeleton.joint(joint).name;
                let value = tracks.values[frame * width + k].map(|scale| (scale * 1e4).round() / 1e4);
                let message = format!(
                    "joint {name:?} is scaled by {} × {} × {} in frame {}, which a BVH cannot hold",
                    value.x,
                    value.y,
                    value.z,
                    frame + 1
                );
                return Err(FormatError::new(message).help("write .glb or .gltf instead; they have scales"));
            }
            scales[joint] = first;
        }
    }
    for (joint, parent) in skeleton.joints().iter().enumerate().filter_map(|(j, joint)| Some((j, joint.parent?))) {
        scales[joint] *= scales[parent];
    }
    Ok(scales)
}
