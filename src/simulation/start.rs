//! Plausible start velocities of a figure that is let go.
//!
//! A capture that jumps within a frame (a corrected hip, a swapped marker) has velocities that no body reaches, and a figure
//! let go with them bursts. A velocity beyond what bodies reach counts only if the frames after it confirm it. Else it is
//! replaced by the medoid of the velocities of the following frames.
//!
//! Limits for a person of 1.75 m, in round figures: the elbow of a pitcher turns by some 2300° in a second (Fleisig et
//! al. 1999; only the shoulder turns faster), and the fastest run is 12.4 m/s (20 m in 1.61 s, the 100 m of 2009). A
//! whole body turns twice in a second in a tucked somersault; skaters turn faster, but for much longer than the
//! window here. Smaller bodies turn faster and go more slowly, by the square root of their height.

use super::actor::pace;
use crate::control::Animation;
use crate::dynamics::{BodyId, DynamicsError, World};
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use crate::motion::{FrameMotion, PoseMotion};

/// Largest angular velocity of a joint, rad/s, at 1.75 m.
const JOINT: Real = 40.0;
/// Largest angular velocity of the whole body, rad/s, at 1.75 m.
const WHOLE: Real = 13.0;
/// Largest speed of the whole body, m/s, at 1.75 m.
const SPEED: Real = 12.4;

/// Length of the clip that confirms a velocity, seconds.
const WINDOW: Real = 0.1;
/// Least number of frames that confirm a velocity.
const FRAMES: usize = 5;

/// Captured velocity that was limited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedVelocity {
    /// Index of the joint in the skeleton.
    pub joint: usize,
    /// Kind: true for an angular velocity (rad/s), false for the velocity of the whole body (m/s).
    pub angular: bool,
    /// Captured speed, rad/s or m/s.
    pub captured: Real,
    /// Speed after limiting, rad/s or m/s.
    pub limited: Real,
}

/// Limits velocities of the motion at a time that are implausible and that the frames after it do not confirm. Returns them.
pub(super) fn limit_velocities(
    figure: &Figure,
    animation: &Animation,
    time: Real,
    start: &mut PoseMotion,
) -> Vec<LimitedVelocity> {
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
    let mut limited = Vec::new();
    for (joint, turn) in wild {
        let of = |motion: &PoseMotion| if turn { motion.angular_velocities[joint] } else { motion.velocities[joint] };
        let said: Vec<Vec3> = later.iter().map(of).collect();
        let (captured, taken) = (of(start), medoid(&said));
        if taken.norm() < captured.norm() {
            let own = if turn { &mut start.angular_velocities } else { &mut start.velocities };
            own[joint] = taken;
            limited.push(LimitedVelocity { joint, angular: turn, captured: captured.norm(), limited: taken.norm() });
        }
    }
    limited
}

/// Limits velocities of the bodies of a figure that followed the motion up to now, joint by joint. Only a body that took over
/// the captured velocity is changed: with weak muscles it did not, and its velocity is real.
pub(super) fn limit_body_velocities(
    world: &mut World,
    figure: &Figure,
    bodies: &[BodyId],
    animation: &Animation,
) -> Result<Vec<LimitedVelocity>, DynamicsError> {
    let captured = animation.sample(world.time());
    let mut taken = captured.clone();
    let limited = limit_velocities(figure, animation, world.time(), &mut taken);
    if limited.is_empty() {
        return Ok(limited);
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
    // Changes of the velocity of each segment's joint and of its angular velocity.
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
        turn += correction(&own, &spin(&captured), &spin(&taken));
        if holder.is_none() {
            let arm = joints[k] - state.placement.position;
            let goes = state.linear() + state.angular().cross(&arm);
            way += correction(&goes, &captured[k].velocity, &taken[k].velocity);
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
    Ok(limited)
}

/// Returns the change from a captured velocity to the limited one, zero if the body's own is nearer to the limited one.
fn correction(own: &Vec3, captured: &Vec3, taken: &Vec3) -> Vec3 {
    if (own - captured).norm() < (own - taken).norm() { taken - captured } else { Vec3::zeros() }
}

/// Returns the vector with the least sum of distances to all others.
fn medoid(of: &[Vec3]) -> Vec3 {
    let away = |one: &Vec3| of.iter().map(|other| (one - other).norm()).sum::<Real>();
    of.iter().copied().min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or_default()
}
