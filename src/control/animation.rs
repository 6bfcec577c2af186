//! Playing captured motion: clips in a row, faded into each other, looped, faster or slower.
//!
//! At the frames of a clip, outside of fades, the posture is the captured one exactly. Behind the end of a clip that is not
//! looped the motion comes to a stand: a target that stopped dead would ask for forces without bound. With u the share of
//! `STOPS_IN` that has passed, every velocity goes on as v (1 − 3u² + 2u³), so that neither it nor the acceleration jumps,
//! and every place ends ½ v `STOPS_IN` behind the last one. Everything is worked out beforehand, so that a sample allocates
//! nothing.

use crate::math::{Quat, Real, Vec3};
use crate::motion::edit::{self, Join};
use crate::motion::{Clip, ClipError, Looping, PoseMotion, Sampler, Skeleton};
use std::sync::Arc;

/// Time in which a motion comes to rest after its end, seconds.
const STOPS_IN: Real = 0.25;

/// Gives the wanted motion at any time. Copies share the clip.
#[derive(Clone, Debug)]
pub struct Animation {
    clip: Arc<Clip>,
    sampler: Arc<Sampler>,
    speed: Real,
    looping: Looping,
}

impl Animation {
    /// Plays a clip once.
    pub fn new(skeleton: &Skeleton, clip: &Clip) -> Result<Self, ClipError> {
        Self::of(skeleton, clip.clone(), Looping::Once)
    }

    /// Plays a clip over and over, going on from where it ends.
    pub fn looped(skeleton: &Skeleton, clip: &Clip) -> Result<Self, ClipError> {
        Self::of(skeleton, clip.clone(), Looping::Travel)
    }

    /// Plays clips in a row; each begins `overlap` seconds before the one before it ends, where it ends, and fades in.
    /// Clips of other rates are resampled to that of the first.
    pub fn sequence(skeleton: &Skeleton, clips: &[&Clip], overlap: Real) -> Result<Self, ClipError> {
        let (first, others) = clips.split_first().ok_or(ClipError::NoFrames)?;
        let mut whole = (*first).clone();
        for next in others {
            let resampled = (next.rate_hz() != whole.rate_hz())
                .then(|| edit::resample(skeleton, next, whole.rate_hz()))
                .transpose()?;
            let next = resampled.as_ref().unwrap_or(next);
            let fade = (overlap.max(0.0) * whole.rate_hz()).round() as usize;
            let fade = fade.min(whole.frames()).min(next.frames());
            whole = edit::cross_fade(skeleton, &whole, next, fade, Join::Continue)?;
        }
        Self::of(skeleton, whole, Looping::Once)
    }

    fn of(skeleton: &Skeleton, clip: Clip, looping: Looping) -> Result<Self, ClipError> {
        let sampler = Sampler::looping(skeleton, &clip, looping)?;
        Ok(Self { clip: Arc::new(clip), sampler: Arc::new(sampler), speed: 1.0, looping })
    }

    /// Plays `speed` times as fast.
    pub fn at_speed(mut self, speed: Real) -> Self {
        self.speed = speed;
        self
    }

    /// Changes how fast it plays.
    pub fn set_speed(&mut self, speed: Real) {
        self.speed = speed;
    }

    /// All clips as one.
    pub fn clip(&self) -> &Clip {
        &self.clip
    }

    /// Seconds from the first posture to the last; a loop has no end.
    pub fn duration(&self) -> Real {
        if self.looping == Looping::Once { self.clip.duration() / self.speed } else { Real::INFINITY }
    }

    /// A buffer for [`Animation::sample_into`].
    pub fn buffer(&self) -> PoseMotion {
        self.sampler.buffer()
    }

    /// The wanted motion at a time, seconds.
    pub fn sample(&self, time: Real) -> PoseMotion {
        let mut motion = self.buffer();
        self.sample_into(time, &mut motion);
        motion
    }

    /// The wanted motion at a time, into a buffer. Allocates nothing.
    pub fn sample_into(&self, time: Real, motion: &mut PoseMotion) {
        let end = self.duration();
        // The last posture itself, not `end * speed`: behind it the sampler stands still.
        let played = if time < end { time * self.speed } else { self.clip.duration() };
        self.sampler.sample_into(played, motion);
        if self.speed != 1.0 {
            let (s, s2) = (self.speed, self.speed * self.speed);
            motion.velocities.iter_mut().chain(&mut motion.angular_velocities).for_each(|v| *v *= s);
            motion.accelerations.iter_mut().chain(&mut motion.angular_accelerations).for_each(|a| *a *= s2);
            if let Some(scales) = &mut motion.scales {
                scales.velocities.iter_mut().for_each(|v| *v *= s);
                scales.accelerations.iter_mut().for_each(|a| *a *= s2);
            }
        }
        if time > end {
            come_to_a_stand(motion, time - end);
        }
    }
}

/// Lets the motion at an end go on for so many seconds while it slows down.
fn come_to_a_stand(motion: &mut PoseMotion, seconds: Real) {
    let u = (seconds / STOPS_IN).min(1.0);
    let way = STOPS_IN * u * (1.0 - u * u * (1.0 - 0.5 * u));
    let (left, slowing) = (1.0 - u * u * (3.0 - 2.0 * u), -6.0 * u * (1.0 - u) / STOPS_IN);
    let PoseMotion { pose, velocities, accelerations, angular_velocities, angular_accelerations, scales } = motion;
    let go_on = |velocities: &mut [Vec3], accelerations: &mut [Vec3]| {
        for (velocity, acceleration) in velocities.iter_mut().zip(accelerations) {
            (*velocity, *acceleration) = (*velocity * left, *velocity * slowing);
        }
    };
    for (place, velocity) in pose.translations.iter_mut().zip(&*velocities) {
        *place += velocity * way;
    }
    for (turn, velocity) in pose.rotations.iter_mut().zip(&*angular_velocities) {
        *turn = Quat::from_scaled_axis(velocity * way) * *turn;
    }
    go_on(velocities, accelerations);
    go_on(angular_velocities, angular_accelerations);
    // Scales do not overshoot: they stay as they are.
    if let Some(scales) = scales {
        scales.velocities.fill(Vec3::zeros());
        scales.accelerations.fill(Vec3::zeros());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Joint, Tracks};

    /// A joint that glides at 2 m/s and turns at 3 rad/s when its clip ends: place, speed and acceleration go on without a
    /// jump, and it stands a quarter of a second later.
    #[test]
    fn behind_its_end_a_motion_comes_to_a_stand_without_a_jump() {
        let skeleton = Skeleton::new(vec![Joint::new("a", None, Vec3::zeros())]).expect("a tree");
        let turns = (0..31).map(|k| Quat::from_axis_angle(&Vec3::y_axis(), 0.1 * k as Real)).collect();
        let places = (0..31).map(|k| Vec3::new(2.0 / 30.0 * k as Real, 0.0, 0.0)).collect();
        let places = Tracks { joints: vec![0], values: places };
        let clip = Clip::new("glide", 30.0, 1, turns, places, Tracks::default()).expect("a clip");
        for speed in [1.0, 2.0] {
            let animation = Animation::new(&skeleton, &clip).expect("frames").at_speed(speed);
            let end = animation.duration();
            let h = 1e-4;
            let mut last = animation.sample(end - h);
            for k in 0..(0.4 / h) as usize {
                let now = animation.sample(end + k as Real * h);
                let moved = (now.pose.translations[0] - last.pose.translations[0]) / h;
                let turned = (now.pose.rotations[0] * last.pose.rotations[0].inverse()).scaled_axis() / h;
                assert!((moved - 0.5 * (now.velocities[0] + last.velocities[0])).norm() < 2e-3, "{k} {moved}");
                let spin = 0.5 * (now.angular_velocities[0] + last.angular_velocities[0]);
                assert!((turned - spin).norm() < 2e-3, "{k}: {turned}");
                assert!((now.velocities[0] - last.velocities[0]).norm() < 13.0 * speed * h, "{k}");
                last = now;
            }
            assert_eq!(last.velocities[0], Vec3::zeros());
            assert!(
                (last.pose.translations[0].x - 2.0 - speed * STOPS_IN).abs() < 1e-9,
                "{}",
                last.pose.translations[0].x
            );
        }
    }
}
