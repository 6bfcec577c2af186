//! Forces of the ground on the feet of a motion, frame by frame.
//!
//! The contacts of a report begin and end by thresholds. Here every sole point near the ground carries force as its height and
//! speed let it ([`readiness`]), so that load passes from foot to foot as the motion requires it.

use super::contacts::Holding;
use super::ground::Ground;
use super::instant::Instant;
use super::kinetics;
use super::plates::FootForces;
use super::points::{Point, points};
use super::poses::Poses;
use super::{Key, Measure, MeasureError, MeasureOptions, treadmill};
use crate::contacts::evidence::{LEAST_READINESS, readiness};
use crate::contacts::low_pass::LowPass;
use crate::math::{GRAVITY, Real, Vec3};
use crate::motion::{Clip, Side};

/// Load from which a foot has a centre of pressure, over the weight.
const LOADED: Real = 0.01;

impl Measure<'_> {
    /// Forces on both feet, in the world of the clip. Those of in-place motion are found as on a treadmill.
    pub fn foot_forces(&self) -> Result<FootForces, MeasureError> {
        let points = points(self.figure);
        let (found, _) = self.survey(&points);
        let ground = self.options.ground.map(Ground::level).or(found);
        let on_treadmill = ground
            .filter(|_| self.options.treadmill)
            .and_then(|ground| treadmill::from_treadmill(self.figure, &points, self.clip, ground.height));
        let soles = self.soles(&points, self.clip);
        let Some((clip, _)) = on_treadmill else { return self.forces_in_world(&points, soles) };
        let options = MeasureOptions { treadmill: false, source: None, ..self.options };
        let moved = Measure { figure: self.figure, clip: &clip, options };
        let mut forces = moved.forces_in_world(&points, moved.soles(&points, &clip))?;
        for (frame, own) in soles.into_iter().enumerate() {
            for (foot, own) in own.iter().enumerate() {
                let step = own - forces.soles[frame][foot];
                forces.pressure[frame][foot].iter_mut().for_each(|pressure| *pressure += step);
            }
            forces.soles[frame] = own;
        }
        Ok(forces)
    }

    fn forces_in_world(&self, points: &[Point], soles: Vec<[Vec3; 2]>) -> Result<FootForces, MeasureError> {
        let options = MeasureOptions { treadmill: false, source: None, ..self.options };
        let report = Measure { options, ..*self }.run()?;
        let (figure, clip) = (self.figure, self.clip);
        let (frames, rate) = (clip.frames(), clip.rate_hz());
        let weight = figure.mass() * GRAVITY;
        let (force, pressure) = (vec![None; frames], vec![[None; 2]; frames]);
        let mut forces = FootForces { rate_hz: rate, force, pressure, soles, weight };
        let (found, _) = self.survey(points);
        let ground = self.options.ground.map(Ground::level).or(found);
        let Some(ground) = ground.filter(|_| report.get(Key::Ground).is_some()) else { return Ok(forces) };
        let ready = self.readiness(points, &ground);
        let low_pass = self.cutoff_hz().and_then(|hz| LowPass::new(hz, rate));
        let mut instant = Instant::new(figure, points, ground, self.options.friction);
        let mut holding = Holding::new(&report.contacts);
        kinetics::for_each_instant(figure, clip, low_pass.as_ref(), |frame, bodies| {
            holding.advance(frame);
            let others = holding.now.iter().map(|contact| contact.point).filter(|&k| !points[k].is_foot());
            let feet = (0..points.len()).map(|k| (k, ready[frame * points.len() + k]));
            let feet = feet.filter(|(_, ready)| *ready > LEAST_READINESS);
            instant.set_ready(bodies, others.map(|k| (k, 1.0)).chain(feet));
            let (mut sums, mut moments) = ([Vec3::zeros(); 2], [Vec3::zeros(); 2]);
            for given in &instant.ground_forces {
                let point = &points[given.point];
                if let Some(side) = point.side.filter(|_| point.is_foot()) {
                    sums[foot_of(side)] += given.force;
                    moments[foot_of(side)] += given.at * given.force.y;
                }
            }
            forces.force[frame] = Some(sums);
            forces.pressure[frame] =
                [0, 1].map(|foot| (sums[foot].y > LOADED * weight).then(|| moments[foot] / sums[foot].y));
        });
        Ok(forces)
    }

    /// Readiness of each foot point in each frame to carry force; 0 for all other points.
    fn readiness(&self, points: &[Point], ground: &Ground) -> Vec<Real> {
        let (frames, rate) = (self.clip.frames(), self.clip.rate_hz());
        let size_scale = self.figure.size_scale();
        let mut poses = Poses::new(self.figure, self.clip);
        let mut places: Vec<Vec3> = Vec::with_capacity(frames * points.len());
        for frame in 0..frames {
            let placements = poses.at(frame);
            places.extend(points.iter().map(|point| ground.seen_from(point.world(placements))));
        }
        let at = |frame: usize, k: usize| &places[frame * points.len() + k];
        let ready = |frame: usize, k: usize| {
            if !points[k].is_foot() {
                return 0.0;
            }
            let before = frame.checked_sub(1).map(|before| (at(frame, k) - at(before, k)).norm() * rate);
            let after = (frame + 1 < frames).then(|| (at(frame + 1, k) - at(frame, k)).norm() * rate);
            let speed = before.into_iter().chain(after).fold(Real::INFINITY, Real::min);
            readiness(at(frame, k).y, if speed.is_finite() { speed } else { 0.0 }, size_scale)
        };
        (0..frames)
            .flat_map(|frame| (0..points.len()).map(move |k| (frame, k)))
            .map(|(frame, k)| ready(frame, k))
            .collect()
    }

    /// Middle of the heel and ball points of both feet in each frame, metres.
    fn soles(&self, points: &[Point], clip: &Clip) -> Vec<[Vec3; 2]> {
        let mut poses = Poses::new(self.figure, clip);
        let middle = |placements: &[crate::dynamics::Placement], side: Side| {
            let own: Vec<Vec3> = points
                .iter()
                .filter(|point| point.is_sole() && point.side == Some(side))
                .map(|point| point.world(placements))
                .collect();
            own.iter().sum::<Vec3>() / own.len().max(1) as Real
        };
        (0..clip.frames())
            .map(|frame| {
                let placements = poses.at(frame);
                [Side::Left, Side::Right].map(|side| middle(placements, side))
            })
            .collect()
    }
}

/// Index of a foot: left, right.
fn foot_of(side: Side) -> usize {
    usize::from(side == Side::Right)
}
