//! Velocity changes of joints from frame to frame, and their bounds.
//!
//! With the rotation q of a joint against its parent in frame t, and h between frames,
//!
//!   ω_{t+½} = log(q_{t+1} q_t⁻¹) / h,   j_{t+1} = |ω_{t+3/2} − ω_{t+½}|
//!
//! A change of 5 rad/s that is four times as large as most around it counts as a spike (`sinew report`). In the backward pass,
//! frames t + 1 and t + 2 are known when q_t is solved. A joint of the target may change its velocity by a little less than a
//! spike; by as much as its posture does while all around is as lively; and by as much as its posture does where its
//! counterpart in the source spikes.

use super::source_motion::SourceMotion;
use crate::figure::body::Body;
use crate::math::{Quat, Real, Vec3};
use crate::motion::Role;

/// Velocity change that every joint may have, rad/s.
pub(super) const MAX_VELOCITY_CHANGE: Real = 4.5;
/// Factor on the lower quartile of the changes in the next quarter of a second, which a joint may have as well.
const TIMES_QUARTILE: Real = 3.5;
const QUARTER: Real = 0.25;
/// Toes of captures follow a marker or two and are noisy, while on the target they lie still in contact, so that usual changes
/// of the source would be spikes. Largest acceleration of toes, rad/s², and change below which spikes of the source are not
/// followed because the toes catch up within three frames, rad/s.
const TOES_ACCELERATE: Real = 590.0;
const CAUGHT_UP: Real = 3.0 * MAX_VELOCITY_CHANGE;
/// Tenths of that window that suffice for a quartile.
const FEW: usize = 3;
const WINDOW: Real = 0.25;
/// Time for which a spike of the source counts, seconds.
const NEAR: Real = 0.05;
/// Size of a spike of the source, rad/s, and its ratio to the median.
const SPIKE: Real = 5.0;
const TIMES: Real = 4.0;

/// Returns the rotation vector from one orientation to another, the shorter way, radians.
pub(super) fn rotation_vector(from: &Quat, to: &Quat) -> Vec3 {
    let by = to * from.inverse();
    if by.w < 0.0 { Quat::new_unchecked(-by.into_inner()).scaled_axis() } else { by.scaled_axis() }
}

/// Next frames of a joint, as far as the backward pass has solved them.
#[derive(Clone, Debug, Default)]
pub(super) struct NextFrames {
    rotation: Option<Quat>,
    /// Angular velocity from the next frame on, rad/s.
    speed: Option<Vec3>,
    /// Velocity changes, the nearest one last, rad/s.
    velocity_changes: Vec<Real>,
}

impl NextFrames {
    /// Returns the vector of the velocity change in the next frame, given the orientation of this one, rad/s.
    fn change(&self, now: &Quat, rate: Real) -> Option<Vec3> {
        Some(self.speed? - rotation_vector(now, self.rotation.as_ref()?) * rate)
    }

    /// Returns the size of that velocity change, rad/s.
    pub fn velocity_change(&self, now: &Quat, rate: Real) -> Real {
        self.change(now, rate).map_or(0.0, |change| change.norm())
    }

    pub fn push(&mut self, now: &Quat, rate: Real) {
        if let Some(after) = &self.rotation {
            if self.speed.is_some() {
                let most = window(rate);
                if self.velocity_changes.len() >= 2 * most {
                    self.velocity_changes.drain(..most);
                }
                self.velocity_changes.push(self.velocity_change(now, rate));
            }
            self.speed = Some(rotation_vector(now, after) * rate);
        }
        self.rotation = Some(*now);
    }

    /// Returns the lower quartile of the velocity changes to come, rad/s; `None` at the very end of a clip.
    fn lower_quartile(&self, rate: Real) -> Option<Real> {
        let from = self.velocity_changes.len().saturating_sub(window(rate));
        (self.velocity_changes.len() >= FEW * window(rate) / 10).then(|| part(&self.velocity_changes[from..], QUARTER))
    }

    /// Returns the orientation nearest to `now` whose velocity change is at most `most`, rad/s.
    fn within(&self, now: &Quat, most: Real, rate: Real) -> Quat {
        let (Some(after), Some(speed), Some(change)) = (&self.rotation, &self.speed, self.change(now, rate)) else {
            return *now;
        };
        match change.norm() {
            size if size > most => Quat::from_scaled_axis((change * (most / size) - speed) / rate) * after,
            _ => *now,
        }
    }
}

fn window(rate: Real) -> usize {
    ((WINDOW * rate).round().min(1e6) as usize).max(3)
}

/// Returns the quantile of some values.
fn part(values: &[Real], part: Real) -> Real {
    let mut values = values.to_vec();
    match values.len() {
        0 => 0.0,
        count => *values.select_nth_unstable_by((part * count as Real) as usize, Real::total_cmp).1,
    }
}

/// Joints of the source that each joint of the target is compared with.
pub(super) struct Counterparts {
    /// Counterparts of every joint of the target.
    of: Vec<Vec<usize>>,
    /// Flags of the target's toes.
    is_toe: Vec<bool>,
    rate: Real,
}

impl Counterparts {
    pub fn new(source: &Body, target: &Body, rate: Real) -> Counterparts {
        let is_trunk = |role: Role| matches!(role, Role::Spine(_) | Role::Neck(_) | Role::Head);
        let role = |body: &Body, j: usize| body.guesses()[j].role;
        let of = |j: usize| {
            let Some(own) = role(target, j) else { return Vec::new() };
            // Joints of spine and neck are distributed over each other.
            let same = |&k: &usize| role(source, k).is_some_and(|k| k == own || (is_trunk(k) && is_trunk(own)));
            (0..source.skeleton().len()).filter(same).collect()
        };
        let is_toe = |j: usize| matches!(role(target, j), Some(Role::Toes(_)));
        let joints = 0..target.skeleton().len();
        Counterparts { of: joints.clone().map(of).collect(), is_toe: joints.map(is_toe).collect(), rate }
    }

    /// Returns true if a counterpart spikes in the frame after `frame` or soon after, as far as later frames tell.
    fn spike(&self, joint: usize, source_motion: &SourceMotion, frame: usize) -> bool {
        let near = (NEAR * self.rate).ceil() as usize;
        let spikes = |joint: usize, at: usize| {
            let change = source_motion.velocity_change(at, joint);
            let to_come = at..source_motion.frames.min(at + window(self.rate));
            let few = to_come.len() < FEW * window(self.rate) / 10;
            let most =
                || TIMES * part(&to_come.map(|at| source_motion.velocity_change(at, joint)).collect::<Vec<_>>(), 0.5);
            change > SPIKE && (few || change > most())
        };
        self.of[joint].iter().any(|&k| (frame + 1..source_motion.frames.min(frame + 2 + near)).any(|at| spikes(k, at)))
    }

    /// Returns the largest velocity change of the counterparts in the frame after `frame`, rad/s.
    fn velocity_change(&self, joint: usize, source_motion: &SourceMotion, frame: usize) -> Real {
        let at = (frame + 1).min(source_motion.frames - 1);
        self.of[joint].iter().map(|&k| source_motion.velocity_change(at, k)).fold(0.0, Real::max)
    }

    /// Returns the absolute limit of a joint's velocity change, rad/s.
    fn most(&self, joint: usize) -> Real {
        if self.is_toe[joint] { TOES_ACCELERATE / self.rate } else { Real::INFINITY }
    }

    /// Returns the bound of the velocity change of a joint in the frame after `frame`, whose posture changes by `posed`, rad/s.
    pub fn bound(
        &self,
        joint: usize,
        posed: Real,
        next: &NextFrames,
        source_motion: &SourceMotion,
        frame: usize,
    ) -> Real {
        if posed <= MAX_VELOCITY_CHANGE {
            return MAX_VELOCITY_CHANGE;
        }
        let spikes = || (!self.is_toe[joint] || posed > CAUGHT_UP) && self.spike(joint, source_motion, frame);
        match next.lower_quartile(self.rate) {
            Some(_) if spikes() => posed,
            Some(lower_quartile) => {
                posed.min(TIMES_QUARTILE * lower_quartile).min(self.most(joint)).max(MAX_VELOCITY_CHANGE)
            }
            // At the very end of a clip only the source tells.
            None => posed.min(self.velocity_change(joint, source_motion, frame)).max(MAX_VELOCITY_CHANGE),
        }
    }
}

/// Velocity limits for the joints above the legs, from the last frame on.
pub(super) struct UpperBodySmoothing {
    /// Joints with their parents, parents first.
    joints: Vec<(usize, usize)>,
    nexts: Vec<NextFrames>,
    locals: Vec<Quat>,
}

impl UpperBodySmoothing {
    /// Collects the joints; `legs` tells which joints belong to legs.
    pub fn new(target: &Body, legs: impl Fn(usize) -> bool) -> UpperBodySmoothing {
        let mut above = vec![false; target.skeleton().len()];
        let mut joints = Vec::new();
        for (j, joint) in target.skeleton().joints().iter().enumerate() {
            let Some(parent) = joint.parent.filter(|_| !legs(j)) else { continue };
            above[j] = above[parent] || target.guesses()[parent].role == Some(Role::Hips);
            if above[j] {
                joints.push((j, parent));
            }
        }
        UpperBodySmoothing {
            nexts: vec![NextFrames::default(); joints.len()],
            locals: Vec::with_capacity(joints.len()),
            joints,
        }
    }

    /// Advances to the frame before. Children rotate with a joint that is limited. No contact holds these joints, so that they
    /// may change their velocity as the source does.
    pub fn step(&mut self, partners: &Counterparts, source_motion: &SourceMotion, frame: usize, world: &mut [Quat]) {
        self.locals.clear();
        self.locals.extend(self.joints.iter().map(|&(joint, parent)| world[parent].inverse() * world[joint]));
        let mut gives = false;
        for ((&(joint, parent), next), now) in self.joints.iter().zip(&mut self.nexts).zip(&mut self.locals) {
            let posed = next.velocity_change(now, partners.rate);
            if posed > MAX_VELOCITY_CHANGE {
                let most = partners.bound(joint, posed, next, source_motion, frame).max(partners.velocity_change(
                    joint,
                    source_motion,
                    frame,
                ));
                *now = next.within(now, most, partners.rate);
                gives |= most < posed;
            }
            next.push(now, partners.rate);
            if gives {
                world[joint] = world[parent] * *now;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::limb_pair::pair_limbs;
    use super::super::transfer::Transfer;
    use super::super::{BodyOptions, Path, Retarget, RetargetOptions};
    use super::*;
    use crate::formats::{self, ImportOptions};
    use crate::motion::{Clip, Side, Tracks};

    fn about_x(angle: Real) -> Quat {
        Quat::from_axis_angle(&Vec3::x_axis(), angle)
    }

    /// A joint that rotates at 9 rad/s until a frame and then rests starts within a step in the backward pass. Limited, it
    /// never exceeds the bound and catches up within a tenth of a second.
    #[test]
    fn what_is_held_back_jumps_by_no_more_than_it_may_and_catches_up() {
        let (rate, speed) = (120.0, 9.0);
        let mut next = NextFrames::default();
        let mut apart = Vec::new();
        for frame in 0..40 {
            let posed = about_x(speed * Real::from((frame - 10).max(0)) / rate);
            let now = next.within(&posed, MAX_VELOCITY_CHANGE, rate);
            assert!(
                next.velocity_change(&now, rate) < MAX_VELOCITY_CHANGE + 1e-6,
                "frame {frame}: {}",
                next.velocity_change(&now, rate)
            );
            next.push(&now, rate);
            apart.push(now.angle_to(&posed));
        }
        assert!(apart.iter().copied().fold(0.0, Real::max) > 0.5 * speed / rate / 2.0, "{apart:?}");
        assert!(apart[22..].iter().all(|apart| *apart < 1e-9), "{apart:?}");
    }

    /// Definition of the report, j = |ω − ω'|, for both signs of the quaternions.
    #[test]
    fn jumps_are_those_of_a_report() {
        let (rate, angles) = (60.0, [0.0, 0.1, 0.25, 0.2, 0.2]);
        let mut rotations = angles.map(about_x);
        rotations[2] = Quat::new_unchecked(-rotations[2].into_inner());
        let known = crate::measure::Jumps::of(rotations.iter().copied(), rate);
        let mut next = NextFrames::default();
        for (frame, now) in rotations.iter().enumerate().rev() {
            if frame + 2 < rotations.len() {
                assert!((next.velocity_change(now, rate) - known.sizes[frame + 1]).abs() < 1e-9, "{frame}");
            }
            next.push(now, rate);
        }
        assert_eq!(next.velocity_changes.len(), 3);
    }

    /// The built-in walk at 60 Hz with shank and toes rotated by `by` more, frame by frame; its body, motion, left shank and
    /// toes.
    fn source_motion(by: impl Fn(usize) -> Real) -> (Body, SourceMotion, [usize; 2]) {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/data/clips/walk.bvh");
        let capture = formats::read(file.as_ref(), &ImportOptions::default()).unwrap();
        let body = Body::new(&capture.skeleton, &BodyOptions::default());
        let joints = [Role::LowerLeg(Side::Left), Role::Toes(Side::Left)].map(|role| body.joint(role).unwrap());
        let still = capture.clips[0].rotations(0).to_vec();
        let frames = 120;
        let mut rotations: Vec<Quat> = (0..frames).flat_map(|_| still.clone()).collect();
        for frame in 0..frames {
            for joint in joints {
                rotations[frame * still.len() + joint] *= about_x(by(frame));
            }
        }
        let places = Tracks { joints: vec![0], values: vec![Vec3::y(); frames] };
        let clip = Clip::new("still", 60.0, still.len(), rotations, places, Tracks::default()).unwrap();
        let job = Retarget { source: &body, target: &body, clip: &clip, options: RetargetOptions::default() };
        let transfer = Transfer::new(&body, &body, Path::Scaled, 0.0).unwrap();
        let source_motion = SourceMotion::of(&job, &transfer, &pair_limbs(&body, &body), None);
        (body, source_motion, joints)
    }

    /// Next frames of a joint of the target that does what the source does.
    fn next(frame: usize, by: impl Fn(usize) -> Real) -> NextFrames {
        let mut next = NextFrames::default();
        (frame + 1..120).rev().for_each(|frame| next.push(&about_x(by(frame)), 60.0));
        next
    }

    /// The source spikes where a change of more than 5 rad/s is four times the usual one in the next quarter of a second, and
    /// the target may for 50 ms before it. The same change among others like it is no spike.
    #[test]
    fn a_source_spikes_where_it_jumps_out_of_calm() {
        let pop = |frame: usize| if frame == 60 { 0.1 } else { 0.0 };
        let (body, source_motion, [shank, _]) = self::source_motion(pop);
        let partners = Counterparts::new(&body, &body, 60.0);
        // A displaced frame changes the velocity in three frames, and 50 ms are three more before them.
        let spikes: Vec<usize> = (0..118).filter(|&frame| partners.spike(shank, &source_motion, frame)).collect();
        assert_eq!(spikes, (55..=60).collect::<Vec<_>>());
        let posed = 12.0;
        assert_eq!(partners.bound(shank, posed, &next(59, pop), &source_motion, 59), posed);
        assert_eq!(partners.bound(shank, posed, &next(40, |_| 0.0), &source_motion, 40), MAX_VELOCITY_CHANGE);
        let noise = |frame: usize| if frame.is_multiple_of(2) { 0.1 } else { 0.0 };
        let (body, source_motion, [shank, _]) = self::source_motion(noise);
        let partners = Counterparts::new(&body, &body, 60.0);
        assert!(
            source_motion.velocity_change(60, shank) > SPIKE
                && (0..100).all(|frame| !partners.spike(shank, &source_motion, frame))
        );
        // All around is as lively, so that the joint may change as its posture does.
        assert_eq!(partners.bound(shank, posed, &next(59, noise), &source_motion, 59), posed);
    }

    /// Toes are less noisy than those of the source, and do not follow spikes that they catch up with at once.
    #[test]
    fn toes_jump_by_less_than_those_of_the_source() {
        let noise = |frame: usize| if frame.is_multiple_of(2) { 0.1 } else { 0.0 };
        let (body, source_motion, [_, toes]) = self::source_motion(noise);
        let partners = Counterparts::new(&body, &body, 60.0);
        assert_eq!(partners.bound(toes, 12.0, &next(59, noise), &source_motion, 59), TOES_ACCELERATE / 60.0);
        let pop = |frame: usize| if frame == 60 { 0.1 } else { 0.0 };
        let (body, source_motion, [_, toes]) = self::source_motion(pop);
        let partners = Counterparts::new(&body, &body, 60.0);
        assert_eq!(partners.bound(toes, 12.0, &next(59, pop), &source_motion, 59), MAX_VELOCITY_CHANGE);
        assert_eq!(partners.bound(toes, 14.0, &next(59, pop), &source_motion, 59), 14.0);
    }

    /// A joint changes its velocity at the end of a clip by no more than its counterpart does.
    #[test]
    fn at_the_end_of_a_clip_the_source_tells_how_much_a_joint_may_jump() {
        let pop = |frame: usize| if frame == 118 { 0.05 } else { 0.0 };
        let (body, source_motion, [shank, _]) = self::source_motion(pop);
        let partners = Counterparts::new(&body, &body, 60.0);
        let most = partners.bound(shank, 12.0, &next(117, pop), &source_motion, 117);
        assert!((most - source_motion.velocity_change(118, shank)).abs() < 1e-9 && most > 5.5 && most < 6.5, "{most}");
    }
}
