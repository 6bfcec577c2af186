//! Accelerations from poses alone.
//!
//! Segment centres c and orientations q are smoothed, then, with the frame time h:
//!
//!   a_t   = (c_{t+1} − 2 c_t + c_{t−1}) / h²
//!   ω_{t+½} = log(q_{t+1} q_t⁻¹) / h,   α_t = (ω_{t+½} − ω_{t−½}) / h,   ω_t = ½ (ω_{t+½} + ω_{t−½})
//!
//! Nothing here shares code with the splines that controllers and optimisers follow: a fault there cannot hide itself
//! here. Long clips go window by window, each with enough of its neighbours for the filter to forget where it began, so
//! memory does not grow with the clip.

use super::poses::Poses;
use crate::contacts::low_pass::LowPass;
use crate::figure::Figure;
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::motion::Clip;
use nalgebra::{Quaternion, SVector};

/// Motion of a segment at an instant, world axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyMotion {
    /// Centre of mass, metres.
    pub centre: Vec3,
    pub rotation: Quat,
    /// Acceleration of the centre of mass, m/s².
    pub acceleration: Vec3,
    /// Angular velocity, rad/s.
    pub spin: Vec3,
    /// Angular acceleration, rad/s².
    pub spin_rate: Vec3,
}

impl BodyMotion {
    /// Torque of this motion: I α + ω × I ω, for an inertia in its own axes.
    pub fn torque(&self, inertia: &Mat3) -> Vec3 {
        let times = |v: &Vec3| self.rotation * (inertia * self.rotation.inverse_transform_vector(v));
        times(&self.spin_rate) + self.spin.cross(&times(&self.spin))
    }

    /// A point fixed in the frame of its joint, world space.
    pub fn point(&self, local: &Vec3, centre: &Vec3) -> Vec3 {
        self.centre + self.rotation * (local - centre)
    }
}

/// Frames worked on at a time.
const WINDOW: usize = 2048;

/// A centre and an orientation.
type Sample = SVector<Real, 7>;

/// Shows the motion of all segments in every frame that has one before and one after it.
pub(crate) fn for_each_instant(
    figure: &Figure,
    clip: &Clip,
    low_pass: Option<&LowPass>,
    mut show: impl FnMut(usize, &[BodyMotion]),
) {
    let (frames, segments) = (clip.frames(), figure.segments());
    let mut poses = Poses::new(figure, clip);
    let mut tracks: Vec<Vec<Sample>> = vec![Vec::new(); segments.len()];
    let mut bodies = Vec::with_capacity(segments.len());
    let margin = 1 + low_pass.map_or(0, |low_pass| low_pass.memory);
    let window = WINDOW.max(4 * margin);
    let mut start = 1;
    while start + 1 < frames {
        let end = (start + window).min(frames - 1);
        let (from, to) = (start.saturating_sub(margin), (end + margin).min(frames));
        tracks.iter_mut().for_each(Vec::clear);
        for frame in from..to {
            let placements = poses.at(frame);
            for ((track, segment), placement) in tracks.iter_mut().zip(segments).zip(placements) {
                let (c, q) = (placement.point(&segment.centre), placement.rotation.coords);
                let flip = track.last().is_some_and(|last| last.fixed_rows::<4>(3).dot(&q) < 0.0);
                let q = if flip { -q } else { q };
                track.push(Sample::from([c.x, c.y, c.z, q.x, q.y, q.z, q.w]));
            }
        }
        if let Some(low_pass) = low_pass {
            tracks.iter_mut().for_each(|track| low_pass.run(track));
        }
        for frame in start..end {
            let at = frame - from;
            bodies.clear();
            bodies.extend(tracks.iter().map(|track| motion(&track[at - 1..=at + 1], clip.rate_hz())));
            show(frame, &bodies);
        }
        start = end;
    }
}

fn motion(samples: &[Sample], rate: Real) -> BodyMotion {
    let centre = |k: usize| Vec3::new(samples[k][0], samples[k][1], samples[k][2]);
    let turn = |k: usize| {
        let q = Quaternion::new(samples[k][6], samples[k][3], samples[k][4], samples[k][5]);
        Quat::from_quaternion(q)
    };
    let (before, now, after) = (turn(0), turn(1), turn(2));
    let (to_now, on) = ((now * before.inverse()).scaled_axis() * rate, (after * now.inverse()).scaled_axis() * rate);
    BodyMotion {
        centre: centre(1),
        rotation: now,
        acceleration: (centre(2) - centre(1) * 2.0 + centre(0)) * (rate * rate),
        spin: 0.5 * (to_now + on),
        spin_rate: (on - to_now) * rate,
    }
}
