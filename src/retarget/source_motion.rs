//! Motion of the source, frame by frame, with its contacts.

use super::Retarget;
use super::hands::{Hands, Near};
use super::limb_pair::{LimbPair, end_of};
use super::limits::LimitCheck;
use super::source_contacts::{FloorLevel, Released, Step, Thresholds};
use super::transfer::Transfer;
use super::velocity_spikes::rotation_vector;
use crate::contacts::ground_level::ground_level;
use crate::contacts::signal::percentile;
use crate::contacts::signal::rise_of;
use crate::contacts::treadmill::Walker;
use crate::figure::body::Body;
use crate::math::{GRAVITY, Quat, Real, Vec3};
use crate::motion::{Clip, Frame, Pose, REFERENCE_HEIGHT};

/// Length of the end of a clip that is tested for motion in place, seconds.
const TREADMILL_WINDOW: Real = 2.0;

/// Greatest displacement of a treadmill between frames, over the length of a leg. A faster one carries feet away before their
/// contacts can be detected.
const FASTEST_TREADMILL: Real = 0.2;

/// Motion of the source on the target's joints.
pub(super) struct SourceMotion {
    pub frames: usize,
    /// World orientations of the target's joints, frame by frame.
    pub world: Vec<Quat>,
    /// Root point of the source relative to its treadmill, metres.
    pub root_points: Vec<Vec3>,
    /// Velocity of the treadmill below a clip in place, m/s; 0 for all other clips.
    pub treadmill: Vec3,
    /// Sole points of the source relative to its treadmill, frame by frame, metres.
    points: Vec<Vec3>,
    width: usize,
    rate: Real,
    /// Velocity change of the source's joints, frame by frame, rad/s.
    velocity_changes: Vec<Real>,
    joints: usize,
    /// Hands and nearby bones, where hands keep their distance.
    pub near: Vec<Near>,
}

impl SourceMotion {
    /// Reads the source.
    pub fn of(job: &Retarget, transfer: &Transfer, pairs: &[LimbPair], hands: Option<&Hands>) -> SourceMotion {
        let Retarget { source, target, clip, options } = *job;
        let frames = clip.frames();
        let width = pairs.iter().map(|pair| pair.source.soles.len()).sum();
        let mut source_motion = SourceMotion {
            frames,
            world: Vec::with_capacity(frames * target.skeleton.len()),
            root_points: Vec::with_capacity(frames),
            treadmill: Vec3::zeros(),
            points: Vec::with_capacity(frames * width),
            width,
            rate: clip.rate_hz(),
            velocity_changes: Vec::with_capacity(frames * clip.joints()),
            joints: clip.joints(),
            near: Vec::new(),
        };
        let limits = if options.limits { LimitCheck::new(source, target, |j| transfer.follows(j)) } else { None };
        let joints = target.skeleton.len();
        let mut root = Vec::with_capacity(frames);
        let mut pose: Pose = source.skeleton.rest_pose();
        let mut world: Vec<Frame> = Vec::new();
        for frame in 0..frames {
            clip.pose_into(frame, &mut pose);
            pose.world_into(&source.skeleton, &mut world);
            source_motion.record_velocity_changes(clip, frame);
            transfer.orientations(&world, &mut source_motion.world);
            if let Some(limits) = &limits {
                limits.apply(&world, &mut source_motion.world[frame * joints..]);
            }
            if let Some(hands) = hands {
                source_motion.near.push(hands.observe(&|j| world[j].position, &|j| world[j].rotation));
            }
            source_motion.root_points.push(transfer.source_point(&world));
            root.push(world[transfer.source_hips()].position);
            for pair in pairs {
                let end = end_of(pair.source, |j| world[j].position, |j| world[j].rotation);
                source_motion.points.extend(pair.source.soles.iter().map(|sole| end.point(&sole.at)));
            }
        }
        if options.hold_contacts {
            source_motion.remove_treadmill(&root, pairs, source, options.ground);
        }
        source_motion
    }

    /// Expresses root and sole points of a clip in place relative to its treadmill. Only the end of the clip is tested, so that
    /// the treadmill does not depend on a cut at its beginning.
    fn remove_treadmill(&mut self, root: &[Vec3], pairs: &[LimbPair], source: &Body, ground: Option<Real>) {
        let feet = feet(pairs, source);
        let first = self.frames.saturating_sub((TREADMILL_WINDOW * self.rate).round() as usize);
        let rise = rise_of(self.root_points[first..].iter().map(|point| point.y), self.rate);
        let at = |sole: usize, frame: usize| self.points[(first + frame) * self.width + feet[sole]];
        let floor = ground.or_else(|| percentile(&mut self.lowest(&feet), 0.25)).unwrap_or(0.0);
        let limb = |foot: &usize| pairs.iter().rposition(|pair| pair.first <= *foot).unwrap_or(0);
        let limbs: Vec<usize> = feet.iter().map(limb).collect();
        let (rate, root, size_scale) = (self.rate, &root[first..], source.height() / REFERENCE_HEIGHT);
        let velocity = Walker { rate, root, rise: &rise, limbs: &limbs, place: &at, floor, size_scale }.steady();
        let fastest = FASTEST_TREADMILL * source.leg_length().unwrap_or(0.0) * rate;
        let Some(velocity) = velocity.filter(|velocity| velocity.norm() < fastest) else { return };
        self.treadmill = velocity;
        for frame in 0..self.frames {
            let treadmill_offset = self.treadmill_offset(frame);
            self.root_points[frame] -= treadmill_offset;
            self.points[frame * self.width..(frame + 1) * self.width]
                .iter_mut()
                .for_each(|point| *point -= treadmill_offset);
        }
    }

    /// Returns the position of the treadmill in a frame, metres, counted from the last frame.
    pub fn treadmill_offset(&self, frame: usize) -> Vec3 {
        self.treadmill * ((frame as Real - (self.frames - 1) as Real) / self.rate)
    }

    /// Returns the lowest of some points in each frame of the last second, metres, which does not depend on a cut at the
    /// beginning.
    fn lowest(&self, points: &[usize]) -> Vec<Real> {
        let first = self.frames.saturating_sub((self.rate.round() as usize).max(1));
        let lowest = |frame: usize| {
            points.iter().map(|&k| self.points[frame * self.width + k].y).fold(Real::INFINITY, Real::min)
        };
        (first..self.frames).map(lowest).collect()
    }

    fn record_velocity_changes(&mut self, clip: &Clip, frame: usize) {
        if frame == 0 || frame + 1 >= clip.frames() {
            self.velocity_changes.resize(self.velocity_changes.len() + self.joints, 0.0);
            return;
        }
        let [before, now, after] = [frame - 1, frame, frame + 1].map(|frame| clip.rotations(frame));
        let jump =
            |j: usize| (rotation_vector(&now[j], &after[j]) - rotation_vector(&before[j], &now[j])).norm() * self.rate;
        self.velocity_changes.extend((0..self.joints).map(jump));
    }

    /// Returns the velocity change of a joint of the source in a frame, rad/s.
    pub fn velocity_change(&self, frame: usize, joint: usize) -> Real {
        self.velocity_changes[frame * self.joints + joint]
    }

    /// Estimates the height of the ground from the feet, metres.
    pub fn ground(&self, pairs: &[LimbPair], source: &Body) -> Real {
        let feet = feet(pairs, source);
        if feet.is_empty() {
            return 0.0;
        }
        let mut heights = self.lowest(&feet);
        ground_level(&mut heights, source.height() / REFERENCE_HEIGHT)
    }

    /// Returns the mean speed over the next `far` frames, m/s; the last frame takes that of the step to it.
    fn speed(&self, frame: usize, far: usize, of: impl Fn(usize) -> Vec3) -> Real {
        let last = self.frames - 1;
        let to = (frame + far).min(last);
        let from = if to > frame { frame } else { last.saturating_sub(1) };
        (of(to) - of(from)).norm() * self.rate / (to - from).max(1) as Real
    }

    /// Number of frames in a thirtieth of a second, over which speeds are averaged because single steps of fast captures are
    /// noisy.
    fn contact_frames(&self) -> usize {
        ((self.rate / 30.0).round() as usize).max(1)
    }

    /// Returns the speed of the root point, m/s.
    pub fn root_speed(&self, frame: usize) -> Real {
        self.speed(frame, self.contact_frames(), |frame| self.root_points[frame])
    }

    /// Returns height over the ground and speeds of a point of the source in a frame.
    fn step(&self, k: usize, frame: usize, ground: Real) -> Step {
        let at = |frame: usize| self.points[frame * self.width + k];
        let sustained = self.speed(frame, self.contact_frames(), at);
        let next_speed = sustained.min(self.speed(frame, 1, at));
        Step { height: at(frame).y - ground, speed: sustained, next_speed, released: Released::Leaves }
    }

    /// Updates the level of the floor for a frame.
    pub fn follow(&self, pairs: &[LimbPair], level: &mut FloorLevel, ground: Real, upright: bool, frame: usize) {
        let standing: Vec<(Real, Real)> = pairs
            .iter()
            .filter(|pair| pair.source.is_leg || !upright)
            .flat_map(|pair| pair.first..pair.first + pair.source.soles.len())
            .map(|k| self.step(k, frame, ground))
            .map(|step| (step.height, step.speed))
            .collect();
        level.update(standing.iter().copied(), self.falls(frame), self.root_speed(frame), 1.0 / self.rate);
    }

    /// Updates the contacts of a limb for a frame; `released` tells how a point of the target moves without contact.
    pub fn update_contacts(
        &self,
        pair: &mut LimbPair,
        thresholds: &Thresholds,
        level: Real,
        frame: usize,
        released: impl Fn(usize) -> Released,
    ) {
        for (k, &sole) in pair.soles.iter().enumerate() {
            let step = Step { released: released(k), ..self.step(pair.first + sole, frame, level) };
            pair.contacts[k].update(thresholds, &step, self.root_speed(frame), 1.0 / self.rate);
        }
    }

    /// Returns true in free fall: the root point accelerates downwards by more than half of g.
    fn falls(&self, frame: usize) -> bool {
        let far = ((0.05 * self.rate).round() as usize).max(1);
        let (Some(b), Some(c)) = (self.root_points.get(frame + far), self.root_points.get(frame + 2 * far)) else {
            return false;
        };
        let time = far as Real / self.rate;
        (self.root_points[frame].y - 2.0 * b.y + c.y) / (time * time) < -0.5 * GRAVITY
    }
}

/// Returns the sole points of the limbs that a body stands on.
fn feet(pairs: &[LimbPair], source: &Body) -> Vec<usize> {
    let stand = pairs.iter().filter(|pair| pair.source.is_leg || !source.is_upright());
    stand.flat_map(|pair| pair.first..pair.first + pair.source.soles.len()).collect()
}
