//! The velocities that a captured body is let go with.
//!
//! A capture that jumps within a frame (a hip put where it belongs, a marker taken for another) says velocities that no body
//! has, and a figure let go with them bursts. A velocity beyond what bodies reach counts only if the frames after it
//! bear it out: else it is that one of theirs that is nearest to all others.
//!
//! What bodies reach, for a person of 1.75 m, in round figures: the elbow of a pitcher turns by some 2300° in a second (Fleisig et
//! al. 1999; only the shoulder turns faster), and nobody runs faster than 12.4 m/s (20 m in 1.61 s, the 100 m of 2009). A
//! whole body turns twice in a second in a tucked somersault; skaters turn faster, but for much longer than is asked
//! here. Smaller bodies turn faster and go more slowly, by the square root of their height.

use super::actor::pace;
use crate::control::Animation;
use crate::dynamics::{BodyId, DynamicsError, World};
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use crate::motion::{FrameMotion, PoseMotion};

/// Of joints, of the whole body, rad/s, and of the whole body, m/s; at 1.75 m.
const JOINT: Real = 40.0;
const WHOLE: Real = 13.0;
const SPEED: Real = 12.4;

/// How much of the clip is asked: so many seconds, and not less than so many frames.
const WINDOW: Real = 0.1;
const FRAMES: usize = 5;

/// A velocity that the capture says only for a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calmed {
    /// The joint of the skeleton.
    pub joint: usize,
    /// Whether it is a turn (rad/s), or the way of the whole body (m/s).
    pub turn: bool,
    /// As captured, and what was taken for it.
    pub captured: Real,
    pub taken: Real,
}

/// Takes velocities out of the motion at a time that no body has and the frames after it do not bear out; tells which.
pub(super) fn calm(figure: &Figure, animation: &Animation, time: Real, start: &mut PoseMotion) -> Vec<Calmed> {
    let pace = pace(figure);
    let skeleton = figure.skeleton();
    let mut placing = vec![false; skeleton.len()];
    for root in figure.segments().iter().filter(|segment| segment.parent.is_none()) {
        let mut joint = Some(root.joint);
        while let Some(index) = joint {
            placing[index] = true;
            joint = skeleton.joints()[index].parent;
        }
    }
    let fastest = |joint: usize| pace * if placing[joint] { WHOLE } else { JOINT };
    let turns = (0..skeleton.len()).filter(|&joint| start.angular_velocities[joint].norm() > fastest(joint));
    let ways = (0..skeleton.len()).filter(|&joint| placing[joint] && start.velocities[joint].norm() > SPEED / pace);
    let wild: Vec<(usize, bool)> = turns.map(|joint| (joint, true)).chain(ways.map(|joint| (joint, false))).collect();
    if wild.is_empty() {
        return Vec::new();
    }
    let rate = animation.clip().rate_hz();
    let frames = ((WINDOW * rate).ceil() as usize).max(FRAMES).min(animation.clip().frames().saturating_sub(1));
    let later: Vec<PoseMotion> = (0..=frames).map(|frame| animation.sample(time + frame as Real / rate)).collect();
    let mut calmed = Vec::new();
    for (joint, turn) in wild {
        let of = |motion: &PoseMotion| if turn { motion.angular_velocities[joint] } else { motion.velocities[joint] };
        let said: Vec<Vec3> = later.iter().map(of).collect();
        let (captured, taken) = (of(start), middle(&said));
        if taken.norm() < captured.norm() {
            let own = if turn { &mut start.angular_velocities } else { &mut start.velocities };
            own[joint] = taken;
            calmed.push(Calmed { joint, turn, captured: captured.norm(), taken: taken.norm() });
        }
    }
    calmed
}

/// The same for a figure that followed the motion up to now: what its bodies took over from a jump is taken out of them,
/// joint by joint, where they did take it over. Weak muscles do not, and then the speed is a real one.
pub(super) fn calm_down(
    world: &mut World,
    figure: &Figure,
    bodies: &[BodyId],
    animation: &Animation,
) -> Result<Vec<Calmed>, DynamicsError> {
    let captured = animation.sample(world.time());
    let mut taken = captured.clone();
    let calmed = calm(figure, animation, world.time(), &mut taken);
    if calmed.is_empty() {
        return Ok(calmed);
    }
    let [captured, taken] = [captured, taken].map(|motion| {
        let (mut frames, mut motions) = (Vec::new(), Vec::new());
        figure.motions_into(&motion, &mut frames, &mut motions);
        figure.close_joints_moving(&mut motions);
        motions
    });
    let segments = figure.segments();
    let joints: Vec<Vec3> = (segments.iter().zip(bodies))
        .map(|(segment, &body)| segment.joint_frame(&world.state(body).placement).position)
        .collect();
    let spins: Vec<Vec3> = bodies.iter().map(|&body| world.state(body).angular()).collect();
    // By how much the joint of each segment goes and its body turns otherwise.
    let mut changes: Vec<[Vec3; 2]> = Vec::with_capacity(segments.len());
    for (k, &body) in bodies.iter().enumerate() {
        let holder = figure.held_by(k);
        let state = world.state(body);
        let (mut way, mut turn) = holder.map_or_else(Default::default, |parent| {
            let [way, turn] = changes[parent];
            (way + turn.cross(&(joints[k] - joints[parent])), turn)
        });
        let spin = |motions: &[FrameMotion]| {
            motions[k].angular_velocity - holder.map_or_else(Vec3::zeros, |parent| motions[parent].angular_velocity)
        };
        let own = spins[k] - holder.map_or_else(Vec3::zeros, |parent| spins[parent]);
        turn += otherwise(&own, &spin(&captured), &spin(&taken));
        if holder.is_none() {
            let arm = joints[k] - state.placement.position;
            let goes = state.linear() + state.angular().cross(&arm);
            way += otherwise(&goes, &captured[k].velocity, &taken[k].velocity);
        }
        changes.push([way, turn]);
    }
    for (k, &body) in bodies.iter().enumerate() {
        let ([way, turn], mut state) = (changes[k], *world.state(body));
        let centre = way + turn.cross(&(state.placement.position - joints[k]));
        for axis in 0..3 {
            state.velocity[axis] += centre[axis];
            state.velocity[3 + axis] += turn[axis];
        }
        world.set_state(body, state)?;
    }
    Ok(calmed)
}

/// The change from a captured velocity to the one taken for it, if a body has the captured one rather than the other.
fn otherwise(own: &Vec3, captured: &Vec3, taken: &Vec3) -> Vec3 {
    if (own - captured).norm() < (own - taken).norm() { taken - captured } else { Vec3::zeros() }
}

/// The one that is nearest to all others.
fn middle(of: &[Vec3]) -> Vec3 {
    let away = |one: &Vec3| of.iter().map(|other| (one - other).norm()).sum::<Real>();
    of.iter().copied().min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or_default()
}
