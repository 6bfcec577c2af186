//! By how much the speed of joints jumps, and by how much it may.
//!
//! With the rotation q of a joint against its parent in frame t, and h between frames,
//!
//!   ω_{t+½} = log(q_{t+1} q_t⁻¹) / h,   j_{t+1} = |ω_{t+3/2} − ω_{t+½}|
//!
//! A jump of 5 rad/s that is four times as large as most around it is seen as a spike (`sinew report`). Going backwards, frames t + 1 and t + 2
//! are done when q_t is sought. A joint of the target may jump by a little less than that; by as much as its posture does while
//! everything is lively; and by as much as its posture does where its counterpart in the source spikes.

use super::body::Body;
use super::seen::Seen;
use crate::math::{Quat, Real, Vec3};
use crate::motion::Role;

/// Any joint may jump by as much, rad/s.
const MAY_JUMP: Real = 4.5;
/// Or by so many times what a quarter of the jumps of the quarter of a second to come are smaller than.
const TIMES_CALM: Real = 3.5;
const QUARTER: Real = 0.25;
const AROUND: Real = 0.25;
/// What the source does counts for so long, seconds.
const NEAR: Real = 0.05;
/// What a spike of the source is: rad/s, and times the median.
const SPIKE: Real = 5.0;
const TIMES: Real = 4.0;

/// The turn from one orientation to another, the shorter way, radians about its axis.
pub(super) fn turn(from: &Quat, to: &Quat) -> Vec3 {
    let by = to * from.inverse();
    if by.w < 0.0 { Quat::new_unchecked(-by.into_inner()).scaled_axis() } else { by.scaled_axis() }
}

/// A joint as far as it is known, from the frame after on.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    rotation: Option<Quat>,
    /// How fast it turns from there on.
    speed: Option<Vec3>,
    /// Its jumps, the nearest one last.
    jumps: Vec<Real>,
}

impl Past {
    /// How much the speed changes in the frame after if this one is so, rad/s.
    fn change(&self, now: &Quat, rate: Real) -> Option<Vec3> {
        Some(self.speed? - turn(now, self.rotation.as_ref()?) * rate)
    }

    /// By how much the speed then jumps, rad/s.
    pub fn jump(&self, now: &Quat, rate: Real) -> Real {
        self.change(now, rate).map_or(0.0, |change| change.norm())
    }

    pub fn go_on(&mut self, now: &Quat, rate: Real) {
        if let Some(after) = &self.rotation {
            if self.speed.is_some() {
                let most = around(rate);
                if self.jumps.len() >= 2 * most {
                    self.jumps.drain(..most);
                }
                self.jumps.push(self.jump(now, rate));
            }
            self.speed = Some(turn(now, after) * rate);
        }
        self.rotation = Some(*now);
    }

    /// What a quarter of the jumps to come are smaller than, rad/s; nothing at the very end of a clip.
    fn calm(&self, rate: Real) -> Option<Real> {
        let from = self.jumps.len().checked_sub(around(rate))?;
        Some(part(&self.jumps[from..], QUARTER))
    }

    /// The orientation nearest to `now` with which the speed jumps by no more than `most`, rad/s.
    fn within(&self, now: &Quat, most: Real, rate: Real) -> Quat {
        let (Some(after), Some(speed), Some(change)) = (&self.rotation, &self.speed, self.change(now, rate)) else {
            return *now;
        };
        match change.norm() {
            jump if jump > most => Quat::from_scaled_axis((change * (most / jump) - speed) / rate) * after,
            _ => *now,
        }
    }
}

fn around(rate: Real) -> usize {
    ((AROUND * rate).round().min(1e6) as usize).max(3)
}

/// What this part of some values is smaller than.
fn part(values: &[Real], part: Real) -> Real {
    let mut values = values.to_vec();
    match values.len() {
        0 => 0.0,
        count => *values.select_nth_unstable_by((part * count as Real) as usize, Real::total_cmp).1,
    }
}

/// Which joints of the source a joint of the target is compared with.
pub(super) struct Counterparts {
    /// For every joint of the target.
    of: Vec<Vec<usize>>,
    rate: Real,
}

impl Counterparts {
    pub fn new(source: &Body, target: &Body, rate: Real) -> Counterparts {
        let is_trunk = |role: Role| matches!(role, Role::Spine(_) | Role::Neck(_) | Role::Head);
        let role = |body: &Body, j: usize| body.guesses()[j].role;
        let of = |j: usize| {
            let Some(own) = role(target, j) else { return Vec::new() };
            // Joints of spine and neck are spread over each other.
            let same = |&k: &usize| role(source, k).is_some_and(|k| k == own || (is_trunk(k) && is_trunk(own)));
            (0..source.skeleton().len()).filter(same).collect()
        };
        Counterparts { of: (0..target.skeleton().len()).map(of).collect(), rate }
    }

    /// Whether one of them spikes in the frame after `frame` or soon after that, as far as what is to come tells.
    fn spike(&self, joint: usize, seen: &Seen, frame: usize) -> bool {
        let near = (NEAR * self.rate).ceil() as usize;
        let spikes = |joint: usize, at: usize| {
            let jump = seen.jump(at, joint);
            let to_come = || (at..seen.frames.min(at + around(self.rate))).map(|at| seen.jump(at, joint));
            jump > SPIKE && jump > TIMES * part(&to_come().collect::<Vec<_>>(), 0.5)
        };
        self.of[joint].iter().any(|&k| (frame + 1..seen.frames.min(frame + 2 + near)).any(|at| spikes(k, at)))
    }

    /// By how much a joint may jump in the frame after `frame`, when its posture does so by `posed`, rad/s.
    pub fn bound(&self, joint: usize, posed: Real, past: &Past, seen: &Seen, frame: usize) -> Real {
        if posed <= MAY_JUMP {
            return MAY_JUMP;
        }
        match past.calm(self.rate) {
            Some(calm) if !self.spike(joint, seen, frame) => posed.min(TIMES_CALM * calm).max(MAY_JUMP),
            _ => posed,
        }
    }
}

/// The joints above the legs, from the last frame on.
pub(super) struct Smooth {
    /// Joint, and the joint it hangs on, parents first.
    joints: Vec<(usize, usize)>,
    pasts: Vec<Past>,
    locals: Vec<Quat>,
}

impl Smooth {
    /// `legs` says which joints legs are made of.
    pub fn new(target: &Body, legs: impl Fn(usize) -> bool) -> Smooth {
        let mut above = vec![false; target.skeleton().len()];
        let mut joints = Vec::new();
        for (j, joint) in target.skeleton().joints().iter().enumerate() {
            let Some(parent) = joint.parent.filter(|_| !legs(j)) else { continue };
            above[j] = above[parent] || target.guesses()[parent].role == Some(Role::Hips);
            if above[j] {
                joints.push((j, parent));
            }
        }
        Smooth { pasts: vec![Past::default(); joints.len()], locals: Vec::with_capacity(joints.len()), joints }
    }

    /// Goes on to the frame before. What hangs on a joint that gives turns with it.
    pub fn step(&mut self, partners: &Counterparts, seen: &Seen, frame: usize, world: &mut [Quat]) {
        self.locals.clear();
        self.locals.extend(self.joints.iter().map(|&(joint, parent)| world[parent].inverse() * world[joint]));
        let mut gives = false;
        for ((&(joint, parent), past), now) in self.joints.iter().zip(&mut self.pasts).zip(&mut self.locals) {
            let posed = past.jump(now, partners.rate);
            if posed > MAY_JUMP {
                let most = partners.bound(joint, posed, past, seen, frame);
                *now = past.within(now, most, partners.rate);
                gives |= most < posed;
            }
            past.go_on(now, partners.rate);
            if gives {
                world[joint] = world[parent] * *now;
            }
        }
    }
}
