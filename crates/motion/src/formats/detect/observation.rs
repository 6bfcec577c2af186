//! Points of a body at moments of its motion, in the file's own unit and axes, and what can be read from them.

use super::landmarks::Landmarks;
use super::largest_side;
use crate::{Real, Skeleton, Vec3};
use std::ops::Range;

/// World positions of everything in a file, at rest and at moments of the motion.
pub(crate) struct Observation {
    /// Joints first, then the ends of bones, in the rest pose.
    pub rest: Vec<Vec3>,
    /// The same points at moments of the motion; may be empty.
    pub frames: Vec<Vec<Vec3>>,
    /// Runs of frames that follow each other at `interval`.
    windows: Vec<Range<usize>>,
    /// Time between the frames of a window, seconds.
    interval: Real,
    /// Offsets by which the whole motion may have to be moved, one for each meaning of the root offset.
    pub shifts: Vec<Vec3>,
    pub landmarks: Option<Landmarks>,
    /// Length of the body, file units.
    pub height: Real,
    /// Points that belong to the body; others only carry it.
    is_body: Vec<bool>,
    /// Centre of the body in each frame, every bone weighted by its length.
    pub centres: Vec<Vec3>,
}

/// Frames that are looked at: this many windows of this many frames, a thirtieth of a second apart.
const WINDOWS: usize = 12;
const WINDOW_FRAMES: usize = 40;
const SAMPLES_PER_SECOND: Real = 30.0;

/// Frames of a motion that are looked at.
pub(crate) struct Sampling {
    /// Frames of the file.
    pub frames: Vec<usize>,
    windows: Vec<Range<usize>>,
    interval: Real,
}

/// Chooses the frames of a motion to look at, from `first` on.
pub(crate) fn sample(first: usize, frames: usize, rate_hz: Real) -> Sampling {
    let stride = ((rate_hz / SAMPLES_PER_SECOND).round() as usize).max(1);
    let count = frames.saturating_sub(first).div_ceil(stride);
    let interval = stride as Real / rate_hz;
    let frame = |k: usize| first + k * stride;
    if count <= WINDOWS * WINDOW_FRAMES {
        let windows = std::iter::once(0..count).collect();
        return Sampling { frames: (0..count).map(frame).collect(), windows, interval };
    }
    let start = |window: usize| window * (count - WINDOW_FRAMES) / (WINDOWS - 1);
    let frames = (0..WINDOWS).flat_map(|w| (start(w)..start(w) + WINDOW_FRAMES).map(frame)).collect();
    let windows = (0..WINDOWS).map(|w| w * WINDOW_FRAMES..(w + 1) * WINDOW_FRAMES).collect();
    Sampling { frames, windows, interval }
}

/// Tree of joints in the file's unit and axes, as it is in the motion.
pub(crate) struct Bones<'a> {
    pub skeleton: &'a Skeleton,
    /// Joint of each bone end that is no joint, in the order of the points.
    pub ends: &'a [usize],
}

impl Observation {
    /// Gathers what is seen: points at rest and in the chosen frames, joints first, then the ends of bones.
    pub fn new(bones: Option<&Bones>, rest: Vec<Vec3>, frames: Vec<Vec<Vec3>>, sampling: Sampling) -> Observation {
        let landmarks = bones.and_then(|bones| Landmarks::find(bones.skeleton));
        let length = landmarks.as_ref().and_then(|found| found.length);
        let height = length.unwrap_or_else(|| {
            let mut sides: Vec<Real> = frames.iter().map(|points| largest_side(points)).collect();
            sides.sort_by(Real::total_cmp);
            sides.get(sides.len() / 2).copied().unwrap_or_else(|| largest_side(&rest))
        });
        let is_body = body_points(bones.zip(landmarks.as_ref()), &frames, rest.len());
        let weights = bones.map_or_else(|| vec![1.0; rest.len()], |bones| weights(bones, &rest, &is_body));
        let total: Real = weights.iter().sum();
        let centre =
            |points: &Vec<Vec3>| points.iter().zip(&weights).map(|(p, w)| p * *w).sum::<Vec3>() / total.max(1e-300);
        let centres = frames.iter().map(centre).collect();
        let Sampling { windows, interval, .. } = sampling;
        Observation {
            rest,
            frames,
            windows,
            interval,
            shifts: vec![Vec3::zeros()],
            landmarks,
            height,
            is_body,
            centres,
        }
    }

    /// Points of the body in a frame.
    fn body_of<'p>(&'p self, points: &'p [Vec3]) -> impl Iterator<Item = (usize, &'p Vec3)> {
        points.iter().enumerate().filter(|(k, _)| self.is_body[*k])
    }

    /// Returns true if the hips, or without landmarks the first point, stay in one place while the body moves.
    pub fn is_pinned(&self) -> bool {
        /// Travel of hips that are held, and of the centre of a body that moves, over its height.
        const HELD: Real = 0.005;
        const MOVING: Real = 0.02;
        let hips = self.landmarks.as_ref().map_or(0, |found| found.hips);
        let range = |places: &mut dyn Iterator<Item = Vec3>| {
            let first = places.next().unwrap_or_else(Vec3::zeros);
            let (low, high) = places.fold((first, first), |(low, high), p| (low.inf(&p), high.sup(&p)));
            (high - low).norm() / self.height
        };
        range(&mut self.frames.iter().map(|points| points[hips])) < HELD
            && range(&mut self.centres.iter().copied()) > MOVING
    }

    /// Returns the lowest point along a direction: its median over the frames and how far the middle half of them spreads, both over the height
    /// of the body.
    pub fn ground(&self, up: &Vec3) -> Option<(Real, Real)> {
        self.ground_of(&self.frames, up)
    }

    /// Returns the same of other frames.
    pub fn ground_of(&self, frames: &[Vec<Vec3>], up: &Vec3) -> Option<(Real, Real)> {
        let lowest = |points: &Vec<Vec3>| self.body_of(points).map(|(_, p)| p.dot(up)).fold(Real::INFINITY, Real::min);
        let mut floors: Vec<Real> = frames.iter().map(lowest).filter(|x| x.is_finite()).collect();
        floors.sort_by(Real::total_cmp);
        let at = |quarter: usize| {
            floors.get(((floors.len().max(1) - 1) * quarter).div_ceil(4)).map(|x| x / self.height.max(1e-9))
        };
        Some((at(2)?, at(3)? - at(1)?))
    }

    /// Returns the direction in which the body stands: the mean of the directions from feet to hips and from hips to head. Shorter than 1 where
    /// they differ; legs count twice, as the trunk of an animal is level.
    pub fn posture(&self, points: &[Vec3]) -> Option<Vec3> {
        let found = self.landmarks.as_ref()?;
        let direction = |from: usize, to: usize| (points[to] - points[from]).try_normalize(1e-9 * self.height);
        let legs: Vec<Vec3> = found.legs.iter().filter_map(|&[top, foot]| direction(foot, top)).collect();
        let head = found.head.and_then(|head| direction(found.hips, head));
        let legs = (!legs.is_empty()).then(|| legs.iter().sum::<Vec3>() / legs.len() as Real);
        let mean = match (legs, head) {
            (Some(legs), Some(head)) => (legs * 2.0 + head) / 3.0,
            (legs, head) => legs.or(head)?,
        };
        mean.iter().all(|x| x.is_finite()).then_some(mean)
    }

    /// Returns the direction from one hip to the other, or between the shoulders.
    pub fn lateral(&self, points: &[Vec3]) -> Option<Vec3> {
        let found = self.landmarks.as_ref()?;
        let across = |limbs: &[[usize; 2]]| match limbs {
            [a, b] => (points[a[0]] - points[b[0]]).try_normalize(0.01 * self.height),
            _ => None,
        };
        across(&found.legs).or_else(|| across(&found.arms))
    }

    /// Returns for every direction the share of the moving frames in which a point near the lowest level is still. A direction with another one's
    /// share by chance has few such frames.
    pub fn contact_shares(&self) -> [Real; 6] {
        /// Heights above the lowest level at which a joint can be of a part in contact, over the height of the body.
        const NEAR_GROUND: Real = 0.05;
        /// Speed of a point in contact, and of a body that moves, heights of the body per second.
        const STILL: Real = 0.06;
        const MOVING: Real = 0.12;
        /// Frames below which a share means less.
        const ENOUGH: Real = 15.0;
        let levels = super::up::AXES.map(|up| self.ground(&up.vector()).map(|(level, _)| level * self.height));
        let (mut moving, mut counts) = (0.0, [0.0; 6]);
        for window in &self.windows {
            for pair in self.frames[window.clone()].windows(2) {
                let speed = |k: usize| (pair[1][k] - pair[0][k]).norm() / (self.interval * self.height);
                let speeds: Vec<(usize, Real)> = self.body_of(&pair[0]).map(|(k, _)| (k, speed(k))).collect();
                let mean = speeds.iter().map(|(_, speed)| speed).sum::<Real>() / speeds.len().max(1) as Real;
                if mean < MOVING {
                    continue;
                }
                moving += 1.0;
                let still: Vec<Vec3> =
                    speeds.iter().filter(|(_, speed)| *speed < STILL).map(|(k, _)| pair[0][*k]).collect();
                for ((count, level), up) in counts.iter_mut().zip(levels).zip(super::up::AXES.map(|up| up.vector())) {
                    let limit = level.unwrap_or(0.0) + NEAR_GROUND * self.height;
                    *count += Real::from(u8::from(still.iter().any(|point| point.dot(&up) < limit)));
                }
            }
        }
        counts.map(|count| count / Real::max(moving, ENOUGH))
    }

    /// Returns the acceleration of the centre of the body in the windows, file units per second squared, each from a parabola through
    /// five frames; one list for every window.
    pub fn accelerations(&self) -> Vec<Vec<Vec3>> {
        let parabola =
            |c: &[Vec3]| (2.0 * c[0] - c[1] - 2.0 * c[2] - c[3] + 2.0 * c[4]) / (7.0 * self.interval.powi(2));
        // Of anything but a person the size is not known.
        let is_sized = self.landmarks.as_ref().is_some_and(|found| found.length.is_some());
        let windows = self.windows.iter().filter(|_| is_sized);
        windows.map(|window| self.centres[window.clone()].windows(5).map(parabola).collect()).collect()
    }

    /// Returns the strides per second of a body that walks or runs; `None` where its legs do not swing in turn.
    ///
    /// With d the difference of the unit vectors along left and right leg, which swings about zero, 2πf = rms ḋ / rms d for a sine.
    pub fn stride_hz(&self) -> Option<Real> {
        /// Swing of legs in locomotion, rms of d: those of a slow walk open by 15° to both sides.
        const SWING: Real = 0.25;
        /// Mean of d over its rms from which legs do not take turns.
        const IN_TURN: Real = 0.4;
        /// Strides that must be seen.
        const STRIDES: Real = 1.5;
        let [left, right] = self.landmarks.as_ref()?.legs[..] else { return None };
        let along = |points: &Vec<Vec3>, [top, foot]: [usize; 2]| {
            (points[foot] - points[top]).try_normalize(1e-9 * self.height).unwrap_or_else(Vec3::zeros)
        };
        let swings: Vec<Vec3> = self.frames.iter().map(|points| along(points, left) - along(points, right)).collect();
        let rms = |sum: Real, count: usize| (sum / count.max(1) as Real).sqrt();
        let size = rms(swings.iter().map(Vec3::norm_squared).sum(), swings.len());
        let mean = swings.iter().sum::<Vec3>() / swings.len().max(1) as Real;
        let steps: Vec<Real> = self
            .windows
            .iter()
            .flat_map(|window| swings[window.clone()].windows(2).map(|pair| (pair[1] - pair[0]).norm_squared()))
            .collect();
        let rate = rms(steps.iter().sum(), steps.len()) / self.interval;
        let hertz = rate / (std::f64::consts::TAU * size.max(1e-9));
        let seen = steps.len() as Real * self.interval;
        (size > SWING && mean.norm() < IN_TURN * size && seen * hertz > STRIDES).then_some(hertz)
    }

    /// Returns the height of the hips over the lowest point of the body, file units, the median over the frames.
    pub fn hip_height(&self, up: &Vec3) -> Option<Real> {
        let legs = &self.landmarks.as_ref()?.legs;
        let height = |points: &Vec<Vec3>| {
            let hips = legs.iter().map(|leg| points[leg[0]].dot(up)).sum::<Real>() / legs.len() as Real;
            hips - self.body_of(points).map(|(_, p)| p.dot(up)).fold(Real::INFINITY, Real::min)
        };
        let mut heights: Vec<Real> = self.frames.iter().map(height).collect();
        heights.sort_by(Real::total_cmp);
        heights.get(heights.len() / 2).copied().filter(|height| height.is_finite() && *height > 0.0)
    }
}

/// Returns the points that are of the body: those of the hips and below. Without landmarks, all that move, if any does.
fn body_points(known: Option<(&Bones, &Landmarks)>, frames: &[Vec<Vec3>], points: usize) -> Vec<bool> {
    let mut is_body = vec![true; points];
    if let Some((bones, landmarks)) = known {
        let joints = bones.skeleton.len();
        for j in 0..joints {
            let parent = bones.skeleton.joint(j).parent;
            is_body[j] = j == landmarks.hips || parent.is_some_and(|parent| is_body[parent]);
        }
        for (k, &joint) in bones.ends.iter().enumerate() {
            is_body[joints + k] = is_body[joint];
        }
        return is_body;
    }
    let Some(first) = frames.first() else { return is_body };
    let travel = |k: usize| frames.iter().map(|frame| (frame[k] - first[k]).norm()).fold(0.0, Real::max);
    let travels: Vec<Real> = (0..points).map(travel).collect();
    let most = travels.iter().copied().fold(0.0, Real::max);
    travels.iter().map(|&travel| travel >= 0.01 * most).collect()
}

/// Returns the weight of every point in the centre of the body: half of each bone that begins or ends there.
fn weights(bones: &Bones, rest: &[Vec3], is_body: &[bool]) -> Vec<Real> {
    let joints = bones.skeleton.len();
    let mut weights = vec![0.0; rest.len()];
    let mut add = |a: usize, b: usize, length: Real| {
        if is_body[a] && is_body[b] {
            weights[a] += 0.5 * length;
            weights[b] += 0.5 * length;
        }
    };
    for (j, joint) in bones.skeleton.joints().iter().enumerate() {
        if let Some(parent) = joint.parent {
            add(parent, j, bones.skeleton.bone_length(j));
        }
    }
    for (k, &joint) in bones.ends.iter().enumerate() {
        add(joint, joints + k, (rest[joints + k] - rest[joint]).norm());
    }
    weights
}
