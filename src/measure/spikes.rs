//! Spikes of joint rotations, and the jerk of joint positions.
//!
//!   ω_{t+½} = log(q_{t+1} q_t⁻¹) / h        rotation of a joint against its parent
//!   j_t = ‖ω_{t+½} − ω_{t−½}‖               how much its angular velocity jumps
//!
//! A frame is a spike when, for some joint, j_t is a local maximum above 5 rad/s and above 4 times the median of j over
//! the half second around: a single bad frame counts once, although it disturbs three of the j.

use crate::contacts::signal::percentile;
use crate::dynamics::Placement;
use crate::math::{Quat, Real, Vec3, real};
use crate::motion::Clip;

/// rad/s.
const LEAST_JUMP: Real = 5.0;
const TIMES_MEDIAN: Real = 4.0;
/// Half width of the window of the median, seconds.
const AROUND: Real = 0.25;

/// Jumps of the angular velocity of one joint, frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Jumps {
    /// rad/s; nothing for the first frame.
    pub sizes: Vec<Real>,
    /// Frames to both sides that a jump is compared with.
    around: usize,
}

impl Jumps {
    /// Jumps of a series of orientations against the parent, at a rate in Hz.
    pub fn of(rotations: impl Iterator<Item = Quat>, rate: Real) -> Jumps {
        let around = ((AROUND * rate).round().min(1e6) as usize).max(3);
        let mut sizes = Vec::with_capacity(rotations.size_hint().0);
        let (mut last, mut before): (Option<Quat>, Option<Vec3>) = (None, None);
        for rotation in rotations {
            if let Some(last) = last {
                let speed = turned(&last, &rotation) * rate;
                sizes.push(before.map_or(0.0, |before| (speed - before).norm()));
                before = Some(speed);
            }
            last = Some(rotation);
        }
        Jumps { sizes, around }
    }

    /// Jumps of one joint of a clip.
    pub fn of_joint(clip: &Clip, joint: usize) -> Jumps {
        Self::of((0..clip.frames()).map(|frame| clip.rotations(frame)[joint]), clip.rate_hz())
    }

    /// Returns true if there is a spike at a frame.
    pub fn is_spike(&self, frame: usize) -> bool {
        let at = |frame: Option<usize>| frame.and_then(|frame| self.sizes.get(frame)).copied().unwrap_or(0.0);
        let jump = at(Some(frame));
        if jump <= LEAST_JUMP || jump <= at(frame.checked_sub(1)) || jump < at(Some(frame + 1)) {
            return false;
        }
        let near = frame.saturating_sub(self.around)..(frame + self.around + 1).min(self.sizes.len());
        percentile(&mut self.sizes[near].to_vec(), 0.5).is_some_and(|median| jump > TIMES_MEDIAN * median)
    }

    /// The frames at which it is.
    pub fn spikes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.sizes.len()).filter(|&frame| self.is_spike(frame))
    }
}

/// Number of frames with a spike.
pub(super) fn count_spikes(clip: &Clip) -> usize {
    let mut spiky = vec![false; clip.frames()];
    for joint in 0..clip.joints() {
        Jumps::of_joint(clip, joint).spikes().for_each(|frame| spiky[frame] = true);
    }
    spiky.into_iter().filter(|&spiky| spiky).count()
}

/// The turn from one orientation to another, radians about its axis, the shorter way.
fn turned(from: &Quat, to: &Quat) -> Vec3 {
    let q = to * from.inverse();
    let v = q.imag();
    let sine = v.norm();
    if sine < 1e-12 { Vec3::zeros() } else { v * (2.0 * real::atan2(sine, q.w.abs()) / sine * q.w.signum()) }
}

/// Third differences of the places of all segments' joints.
pub(super) struct Jerk {
    cube_of_rate: Real,
    /// The last three frames.
    past: [Vec<Vec3>; 3],
    seen: usize,
    sum: Real,
    count: usize,
    most: Real,
}

impl Jerk {
    pub fn new(rate: Real) -> Self {
        let cube_of_rate = rate.powi(3);
        Self { cube_of_rate, past: Default::default(), seen: 0, sum: 0.0, count: 0, most: 0.0 }
    }

    pub fn add(&mut self, placements: &[Placement]) {
        let [first, second, third] = &self.past;
        if self.seen >= 3 {
            for (k, placement) in placements.iter().enumerate() {
                let jerk = (placement.position - third[k] * 3.0 + second[k] * 3.0 - first[k]).norm();
                self.sum += jerk * self.cube_of_rate;
                self.most = self.most.max(jerk * self.cube_of_rate);
                self.count += 1;
            }
        }
        self.past.rotate_left(1);
        self.past[2].clear();
        self.past[2].extend(placements.iter().map(|placement| placement.position));
        self.seen += 1;
    }

    /// Mean over joints and frames, and largest, m/s³; none with fewer than four frames.
    pub fn finish(&self) -> Option<(Real, Real)> {
        (self.count > 0).then(|| (self.sum / self.count as Real, self.most))
    }
}
