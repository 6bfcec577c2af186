//! Loops: clips whose end continues at their start.

use crate::math::Real;
use crate::motion::edit::{CycleTravel, close_loop};
use crate::motion::root_motion::{cycle_move, move_pose, moved_joints, travel_joint};
use crate::motion::{Clip, ClipError, GroundMove, REFERENCE_HEIGHT, Skeleton, Tracks};

/// Largest difference of joints between the ends of a loop, radians.
const CLOSED: Real = 0.01;

/// Returns true if the last frame repeats the first, displaced along the ground.
pub(crate) fn is_closed(skeleton: &Skeleton, clip: &Clip, height: Real) -> bool {
    let Some(last) = clip.frames().checked_sub(1).filter(|last| *last as Real > 0.4 * clip.rate_hz()) else {
        return false;
    };
    let moved = moved_joints(skeleton, travel_joint(skeleton, clip));
    let (mut first, end) = (clip.pose(skeleton, 0), clip.pose(skeleton, last));
    move_pose(skeleton, &mut first, &moved, &cycle_move(skeleton, clip));
    let turned = first.rotations.iter().zip(&end.rotations).map(|(a, b)| a.angle_to(b));
    let moved = first.translations.iter().zip(&end.translations).map(|(a, b)| (a - b).norm());
    let moves = (1..=last).any(|t| {
        let now = clip.rotations(t).iter().zip(clip.rotations(0));
        now.map(|(a, b)| a.angle_to(b)).fold(0.0, Real::max) > 5.0 * CLOSED
    });
    moves && turned.fold(0.0, Real::max) < CLOSED && moved.fold(0.0, Real::max) < 0.005 * height / REFERENCE_HEIGHT
}

/// Returns true if a cycle ends in another direction than it begins, by a visible amount.
pub(crate) fn turns(skeleton: &Skeleton, clip: &Clip) -> bool {
    cycle_move(skeleton, clip).yaw.abs() > CLOSED
}

/// Returns the clip with its end blended into its start.
pub(crate) fn closed(skeleton: &Skeleton, clip: &Clip) -> Result<Clip, ClipError> {
    let window = ((0.3 * clip.rate_hz()).round() as usize).clamp(1, (clip.frames() / 3).max(1));
    close_loop(skeleton, clip, window, CycleTravel::Keep)
}

/// Returns a closed clip with a cycle before it and one behind it: frames − 1 more at both ends.
pub(crate) fn unrolled(skeleton: &Skeleton, clip: &Clip) -> Result<Clip, ClipError> {
    let last = clip.frames().saturating_sub(1);
    let moved = moved_joints(skeleton, travel_joint(skeleton, clip));
    let on = cycle_move(skeleton, clip);
    let mut joints: Vec<usize> = clip.translations().joints.iter().chain(&moved).copied().collect();
    joints.sort_unstable();
    joints.dedup();
    let (mut rotations, mut values, mut scales) = (Vec::new(), Vec::new(), Vec::new());
    let mut pose = skeleton.rest_pose();
    for (cycle, by) in [on.inverse(), GroundMove::NONE, on].into_iter().enumerate() {
        for t in 0..=last {
            if t == last && cycle < 2 {
                continue;
            }
            clip.pose_into(t, &mut pose);
            if cycle != 1 {
                move_pose(skeleton, &mut pose, &moved, &by);
            }
            rotations.extend_from_slice(&pose.rotations);
            values.extend(joints.iter().map(|&j| pose.translations[j]));
            let width = clip.scales().joints.len();
            scales.extend_from_slice(&clip.scales().values[t * width..(t + 1) * width]);
        }
    }
    let scales = Tracks { joints: clip.scales().joints.clone(), values: scales };
    Clip::new(clip.name.clone(), clip.rate_hz(), clip.joints(), rotations, Tracks { joints, values }, scales)
}
