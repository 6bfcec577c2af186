//! Smooth motion of a clip: the pose at any time, with velocity and acceleration.
//!
//! Translations and scales are C² cubic splines through the samples ([`spline`](self) explains the ends).
//!
//! Rotations are splined as 4-vectors, the quaternions of a joint with their signs chosen so that neighbours lie on
//! one hemisphere, and normalised: q = s/|s|. The curve is C², lies on the sphere, passes through the samples, and
//! its derivatives are exact, in the axes of the joint's parent:
//!
//!   ω = 2 vec(ṡ s*) / |s|²           (q̇ = ½ ω q; the part of ṡ along s drops out of the vector part)
//!   α = 2 vec(s̈ s*) / |s|² − 2 ω (s·ṡ) / |s|²
//!
//! |s| stays away from zero: s is a weighted sum of samples. The two neighbours of an instant, at most 90° apart
//! on the sphere (a rotation by 180°), give at least √(w₁² + w₂²), all others take at most the sum of their |w|;
//! the difference is above 0.3 at every instant, for any samples and any length (there is a test of this).
//!
//! Rotations up to 90° between samples are followed faithfully (the chord of two unit quaternions 45° apart is 8 %
//! short at its middle, which the cubic terms mend). Up to 180° the curve still is smooth and goes the short way,
//! with uneven speed. A rotation by more than 180° between two samples cannot be told from a shorter one the other way:
//! sampled rotations alias like every sampled signal.

mod spline;

use super::kinematics::PoseMotion;
use super::{Clip, ClipError, Pose, Skeleton};
use super::{GroundMove, root_motion};
use crate::{Quat, Real, Vec3};
use nalgebra::{Quaternion, Vector4};
use spline::{Jet, Place, Spline};

/// Continuation of a clip after its last sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Looping {
    /// None: before the first and after the last sample the pose is held, at rest.
    #[default]
    Once,
    /// Repetition. The last sample of the clip is the first of the next cycle and is taken to be equal to it; [`close_loop`](super::edit::close_loop) makes it so.
    Return,
    /// Repetition in which the ground covered and the heading gained in one cycle add up: a walk walks on.
    Travel,
}

/// C² motion of a clip. All coefficients are computed once; sampling allocates nothing.
///
/// ```
/// use sinew_motion::{Clip, Joint, Sampler, Skeleton, Tracks};
/// use sinew_motion::{Quat, Vec3};
/// // A wheel that turns by 0.1 rad per frame at 30 Hz: 3 rad/s.
/// let wheel = Skeleton::new(vec![Joint::new("wheel", None, Vec3::zeros())])?;
/// let turns = (0..31).map(|k| Quat::from_axis_angle(&Vec3::x_axis(), 0.1 * k as f64)).collect();
/// let clip = Clip::new("roll", 30.0, 1, turns, Tracks::default(), Tracks::default())?;
///
/// let sampler = Sampler::new(&wheel, &clip)?;
/// let mut motion = sampler.buffer();
/// sampler.sample_into(0.51, &mut motion);
/// assert!((motion.pose.rotations[0].angle() - 1.53).abs() < 1e-6);
/// assert!((motion.angular_velocities[0] - Vec3::new(3.0, 0.0, 0.0)).norm() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sampler {
    rest: Pose,
    looping: Looping,
    rate: Real,
    /// Intervals between samples.
    intervals: usize,
    rotations: Spline<4>,
    moved: Vec<usize>,
    translations: Spline<3>,
    scaled: Vec<usize>,
    scales: Spline<3>,
    /// Move that one cycle adds to the local frame of a joint, for the joints that a move of the whole body changes.
    cycle_moves: Vec<(usize, LocalMove)>,
    travel: GroundMove,
}

/// Move of one cycle in the frame of a joint's parent.
#[derive(Clone, Copy, Debug)]
struct LocalMove {
    rotation: Quat,
    /// Metres, in the parent's frame.
    translation: Vec3,
}

impl LocalMove {
    /// Returns `cycles` such moves in a row; negative ones undo.
    fn repeated(&self, cycles: isize) -> LocalMove {
        let one = if cycles >= 0 {
            *self
        } else {
            let back = self.rotation.inverse();
            LocalMove { rotation: back, translation: -(back * self.translation) }
        };
        // Squaring keeps a sample an hour into a loop as quick and exact as one in its first cycle.
        let (mut result, mut power) = (LocalMove { rotation: Quat::identity(), translation: Vec3::zeros() }, one);
        let mut left = cycles.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                result = power.after(&result);
            }
            power = power.after(&power);
            left >>= 1;
        }
        result
    }

    fn after(&self, first: &LocalMove) -> LocalMove {
        LocalMove {
            rotation: self.rotation * first.rotation,
            translation: self.rotation * first.translation + self.translation,
        }
    }
}

impl Sampler {
    /// Samples a clip that is played once.
    pub fn new(skeleton: &Skeleton, clip: &Clip) -> Result<Self, ClipError> {
        Self::looping(skeleton, clip, Looping::Once)
    }

    /// Samples a clip that is continued as `looping` says. A clip of one frame is played once.
    pub fn looping(skeleton: &Skeleton, clip: &Clip, looping: Looping) -> Result<Self, ClipError> {
        if clip.joints() != skeleton.len() {
            return Err(ClipError::Joints { found: clip.joints(), expected: skeleton.len() });
        }
        if clip.frames() == 0 {
            return Err(ClipError::NoFrames);
        }
        let (joints, frames, step) = (clip.joints(), clip.frames(), clip.frame_time());
        // A clip of one sample has no cycle.
        let looping = if frames < 2 { Looping::Once } else { looping };
        let mut quaternions: Vec<Vector4<Real>> = Vec::with_capacity(frames * joints);
        for frame in 0..frames {
            for (j, q) in clip.rotations(frame).iter().enumerate() {
                let flip = frame > 0 && quaternions[(frame - 1) * joints + j].dot(&q.coords) < 0.0;
                quaternions.push(if flip { -q.coords } else { q.coords });
            }
        }
        let moved = clip.translations().joints.clone();
        let scaled = clip.scales().joints.clone();
        let mut translations = clip.translations().values.clone();
        let mut scale_values = clip.scales().values.clone();
        let mut sampler = Self {
            rest: clip.pose(skeleton, 0),
            looping,
            rate: clip.rate_hz(),
            intervals: frames - 1,
            rotations: Spline::open(Vec::new(), joints, step),
            translations: Spline::open(Vec::new(), moved.len(), step),
            scales: Spline::open(Vec::new(), scaled.len(), step),
            moved,
            scaled,
            cycle_moves: Vec::new(),
            travel: GroundMove::NONE,
        };
        let (wide, deep) = (sampler.moved.len(), sampler.scaled.len());
        if looping == Looping::Once {
            sampler.rotations = Spline::open(quaternions, joints, step);
            sampler.translations = Spline::open(translations, wide, step);
            sampler.scales = Spline::open(scale_values, deep, step);
            return Ok(sampler);
        }
        if looping == Looping::Travel {
            sampler.find_travel(skeleton, clip);
        }
        // The last row becomes what the cycle makes of the first, on the hemisphere the samples arrived at.
        let last = frames - 1;
        let one_cycle = |joint: usize| sampler.cycle_move_of(joint).unwrap_or(LocalMove::NONE);
        let mut signs = vec![1.0; joints];
        for j in 0..joints {
            let closed = (one_cycle(j).rotation.quaternion() * Quaternion::from(quaternions[j])).coords;
            let before = if last > 0 { quaternions[(last - 1) * joints + j] } else { quaternions[j] };
            signs[j] = if before.dot(&closed) < 0.0 { -1.0 } else { 1.0 };
            quaternions[last * joints + j] = closed * signs[j];
        }
        for (k, &j) in sampler.moved.iter().enumerate() {
            let by = one_cycle(j);
            translations[last * wide + k] = by.rotation * translations[k] + by.translation;
        }
        for k in 0..deep {
            scale_values[last * deep + k] = scale_values[k];
        }
        let cycle_moves: Vec<LocalMove> = (0..joints).map(one_cycle).collect();
        let rotations = Spline::cyclic(quaternions, joints, step, |j, cycles, q| {
            let sign = if cycles % 2 == 0 { 1.0 } else { signs[j] };
            (cycle_moves[j].repeated(cycles).rotation.quaternion() * Quaternion::from(q)).coords * sign
        });
        let places = Spline::cyclic(translations, wide, step, |k, cycles, p| {
            let by = cycle_moves[sampler.moved[k]].repeated(cycles);
            by.rotation * p + by.translation
        });
        sampler.scales = Spline::cyclic(scale_values, deep, step, |_, _, s| s);
        sampler.rotations = rotations;
        sampler.translations = places;
        Ok(sampler)
    }

    fn find_travel(&mut self, skeleton: &Skeleton, clip: &Clip) {
        let first = clip.pose(skeleton, 0);
        self.travel = root_motion::cycle_move(skeleton, clip);
        self.cycle_moves = root_motion::moved_joints(skeleton, root_motion::travel_joint(skeleton, clip))
            .into_iter()
            .map(|joint| {
                let (rotation, translation) = root_motion::in_parent(skeleton, &first, joint, &self.travel);
                (joint, LocalMove { rotation, translation })
            })
            .collect();
    }

    fn cycle_move_of(&self, joint: usize) -> Option<LocalMove> {
        self.cycle_moves.iter().find(|(j, _)| *j == joint).map(|(_, by)| *by)
    }

    /// Returns the time from the first sample to the last, one cycle of a loop, seconds.
    pub fn duration(&self) -> Real {
        self.intervals as Real / self.rate
    }

    /// Returns the move that one cycle of [`Looping::Travel`] adds; [`GroundMove::NONE`] otherwise.
    pub fn travel(&self) -> GroundMove {
        self.travel
    }

    /// Returns a buffer for [`sample_into`](Self::sample_into), holding the first pose at rest.
    pub fn buffer(&self) -> PoseMotion {
        PoseMotion::at_rest(self.rest.clone())
    }

    /// Returns the motion at a time in seconds; the first sample is at 0.
    pub fn sample(&self, time: Real) -> PoseMotion {
        let mut motion = self.buffer();
        self.sample_into(time, &mut motion);
        motion
    }

    /// Writes the motion at a time in seconds into a buffer of [`buffer`](Self::buffer). Allocates nothing.
    ///
    /// A time that is not a number counts as 0.
    pub fn sample_into(&self, time: Real, motion: &mut PoseMotion) {
        let (place, cycles, outside) = self.place(time);
        for j in 0..self.rest.rotations.len() {
            let jet = self.rotations.jet(place, j);
            let (rotation, velocity, acceleration) = rotation_of(&jet);
            motion.pose.rotations[j] = rotation;
            motion.angular_velocities[j] = velocity;
            motion.angular_accelerations[j] = acceleration;
        }
        if place.u == 0.0 {
            // On a sample, the sample itself rather than its normalised copy.
            for j in 0..self.rest.rotations.len() {
                motion.pose.rotations[j] = Quat::new_unchecked(self.rotations.sample(place.row, j).into());
            }
        }
        for (k, &j) in self.moved.iter().enumerate() {
            let jet = self.translations.jet(place, k);
            motion.pose.translations[j] = jet.value;
            motion.velocities[j] = jet.velocity;
            motion.accelerations[j] = jet.acceleration;
        }
        if let Some(scales) = &mut motion.scales {
            for (k, &j) in self.scaled.iter().enumerate() {
                let jet = self.scales.jet(place, k);
                scales.velocities[j] = jet.velocity;
                scales.accelerations[j] = jet.acceleration;
                if let Some(values) = &mut motion.pose.scales {
                    values[j] = jet.value;
                }
            }
        }
        if cycles != 0 {
            for (joint, by) in &self.cycle_moves {
                let (j, by) = (*joint, by.repeated(cycles));
                motion.pose.rotations[j] = by.rotation * motion.pose.rotations[j];
                motion.pose.translations[j] = by.rotation * motion.pose.translations[j] + by.translation;
                for vector in [
                    &mut motion.velocities[j],
                    &mut motion.accelerations[j],
                    &mut motion.angular_velocities[j],
                    &mut motion.angular_accelerations[j],
                ] {
                    *vector = by.rotation * *vector;
                }
            }
        }
        if outside {
            motion.stop();
        }
    }

    /// Returns the place of a time on the splines, its cycle, and true if it is outside a clip that is played once.
    fn place(&self, time: Real) -> (Place, isize, bool) {
        let mut at = time * self.rate;
        if !at.is_finite() {
            at = 0.0;
        }
        // A time that was computed as frame / rate means that frame.
        if (at - at.round()).abs() <= at.abs().max(1.0) * 4.0 * Real::EPSILON {
            at = at.round();
        }
        let intervals = self.intervals as Real;
        let (mut cycles, mut outside) = (0.0, false);
        if self.looping == Looping::Once {
            outside = at < 0.0 || at > intervals;
            at = at.clamp(0.0, intervals);
        } else {
            cycles = (at / intervals).floor();
            at = (at - cycles * intervals).clamp(0.0, intervals);
        }
        let row = (at.floor() as usize).min(self.intervals.saturating_sub(1));
        (Place { row, u: at - row as Real }, cycles as isize, outside)
    }
}

impl LocalMove {
    const NONE: LocalMove = LocalMove {
        rotation: Quat::new_unchecked(Quaternion::from_vector(Vector4::new(0.0, 0.0, 0.0, 1.0))),
        translation: Vec3::new(0.0, 0.0, 0.0),
    };
}

/// Rotation, angular velocity and angular acceleration of a quaternion curve that is not normalised.
#[inline]
fn rotation_of(jet: &Jet<4>) -> (Quat, Vec3, Vec3) {
    let s = Quaternion::from(jet.value);
    let conjugate = s.conjugate();
    let square = jet.value.norm_squared();
    let omega = (Quaternion::from(jet.velocity) * conjugate).vector() * (2.0 / square);
    let along = jet.value.dot(&jet.velocity);
    let alpha = ((Quaternion::from(jet.acceleration) * conjugate).vector() - omega * along) * (2.0 / square);
    (Quat::new_unchecked(s / square.sqrt()), omega, alpha)
}

#[cfg(test)]
mod tests;
