//! Playing captured motion: clips in a row, faded into each other, looped, faster or slower.
//!
//! At the frames of a clip, outside of fades, the posture is the captured one exactly. Everything is worked out beforehand,
//! so that a sample allocates nothing.

use crate::math::Real;
use crate::motion::edit::{self, Join};
use crate::motion::{Clip, ClipError, Looping, PoseMotion, Sampler, Skeleton};

/// Gives the wanted motion at any time.
#[derive(Clone, Debug)]
pub struct Animation {
    clip: Clip,
    sampler: Sampler,
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
        Ok(Self { clip, sampler, speed: 1.0, looping })
    }

    /// Plays `speed` times as fast.
    pub fn at_speed(mut self, speed: Real) -> Self {
        self.speed = speed;
        self
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
        self.sampler.sample_into(time * self.speed, motion);
        if self.speed != 1.0 {
            let (s, s2) = (self.speed, self.speed * self.speed);
            motion.velocities.iter_mut().chain(&mut motion.angular_velocities).for_each(|v| *v *= s);
            motion.accelerations.iter_mut().chain(&mut motion.angular_accelerations).for_each(|a| *a *= s2);
            if let Some(scales) = &mut motion.scales {
                scales.velocities.iter_mut().for_each(|v| *v *= s);
                scales.accelerations.iter_mut().for_each(|a| *a *= s2);
            }
        }
    }
}
