//! Trajectories of the features of a body over a clip.

use super::feature::Features;
use crate::contacts::signal::rise_of;
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use crate::measure::poses::Poses;
use crate::motion::{Clip, Role, Side};

/// Positions over time, metres, world space.
pub(crate) struct Trajectories {
    pub rate: Real,
    pub frames: usize,
    features: usize,
    /// Lowest point of each feature's surface, frame by frame.
    places: Vec<Vec3>,
    /// Centre of mass of each frame.
    pub centre: Vec<Vec3>,
    /// Joint of the first segment, in each frame.
    pub root: Vec<Vec3>,
}

impl Trajectories {
    pub fn of(figure: &Figure, features: &Features, clip: &Clip) -> Self {
        let frames = clip.frames();
        let mut poses = Poses::new(figure, clip);
        let (mut places, mut centre, mut root) = (Vec::new(), Vec::new(), Vec::new());
        for frame in 0..frames {
            let placements = poses.at(frame);
            places.extend(features.list.iter().map(|f| f.middle(placements) - Vec3::y() * f.radius));
            centre.push(figure.centre_of_mass(placements));
            root.push(placements.first().map_or(Vec3::zeros(), |p| p.position));
        }
        Self { rate: clip.rate_hz(), frames, features: features.list.len(), places, centre, root }
    }

    pub fn place(&self, feature: usize, frame: usize) -> &Vec3 {
        &self.places[frame * self.features + feature]
    }

    /// Returns the smaller of the speeds from the previous frame and to the next one, m/s.
    pub fn speed(&self, feature: usize, frame: usize) -> Real {
        let step = |a: usize, b: usize| (self.place(feature, a) - self.place(feature, b)).norm() * self.rate;
        let before = frame.checked_sub(1).map(|before| step(before, frame));
        let after = (frame + 1 < self.frames).then(|| step(frame, frame + 1));
        match (before, after) {
            (Some(a), Some(b)) => a.min(b),
            (a, b) => a.or(b).unwrap_or(0.0),
        }
    }

    /// Returns the speed of the centre of mass, m/s.
    pub fn centre_speed(&self, frame: usize) -> Real {
        speed_of(&self.centre, frame, self.rate).norm()
    }

    /// Returns the upward acceleration of the centre of mass, m/s²; at the ends that of the nearest frame that has one.
    pub fn rise(&self) -> Vec<Real> {
        rise_of(self.centre.iter().map(|c| c.y), self.rate)
    }
}

/// Velocity by central difference, one-sided at the ends.
pub(crate) fn speed_of(path: &[Vec3], frame: usize, rate: Real) -> Vec3 {
    let (before, after) = (frame.saturating_sub(1), (frame + 1).min(path.len() - 1));
    (path[after] - path[before]) * (rate / (after - before).max(1) as Real)
}

/// Returns the horizontal facing direction of a figure in the first frame of a clip.
pub(crate) fn facing(figure: &Figure, clip: &Clip, trajectories: &Trajectories) -> Vec3 {
    let mut poses = Poses::new(figure, clip);
    let placements = poses.at(0);
    let level = |v: Vec3| Vec3::new(v.x, 0.0, v.z).try_normalize(1e-3);
    let hip = |side: Side| figure.with_role(Role::UpperLeg(side)).map(|k| placements[k].position);
    let across = hip(Side::Left).zip(hip(Side::Right)).map(|(left, right)| (left - right).cross(&Vec3::y()));
    let way = trajectories.root.last().map(|end| end - trajectories.root[0]);
    across.and_then(level).or_else(|| way.and_then(level)).unwrap_or_else(Vec3::z)
}
