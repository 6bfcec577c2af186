//! The figures of a report frame by frame, for eyes: the same poses, contacts and forces that a [`super::Report`] sums up.

use super::contacts::Holding;
use super::effort::Effort;
use super::instant::Instant;
use super::kinetics;
use super::points::{lowest_of_shapes, points};
use super::poses::Poses;
use super::{Contact, Key, Measure, MeasureError, MeasureOptions, balance};
use crate::contacts::low_pass::LowPass;
use crate::math::{Real, Vec3, Vec6, real};

/// Quality of a clip frame by frame. Forces are estimates: the best that the ground can supply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// Frames per second.
    pub rate_hz: Real,
    /// Contact intervals.
    pub contacts: Vec<Contact>,
    /// Depth of the body in the ground, metres; 0 above it.
    pub depth: Vec<f32>,
    /// Speed of the fastest sole in contact along the ground, m/s.
    pub slide: Vec<f32>,
    /// Force that the ground cannot supply, body weights; missing where there are no accelerations.
    pub residual: Vec<f32>,
    /// Vertical force that the motion asks for, body weights.
    pub reaction: Vec<f32>,
    /// Distance from the zero-moment point to the support polygon, metres; missing in the air.
    pub balance: Vec<f32>,
    /// Sum over joints of |torque · angular velocity|, W.
    pub power: Vec<f32>,
    /// Forces frame by frame.
    pub frames: Vec<FrameForces>,
}

/// The forces of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameForces {
    /// Ground reaction forces: point of application, metres, and force, N, world space.
    pub ground: Vec<(Vec3, Vec3)>,
    /// Wrench that the ground cannot supply: force over body weight, torque about the root joint over body weight and
    /// height.
    pub residual: Vec6,
    /// Point at which the ground reaction would have to act; none where the body hardly loads the ground.
    pub zero_moment_point: Option<Vec3>,
    /// Torque of each segment's parent on it, N·m, world axes; roots have none.
    pub torques: Vec<Vec3>,
}

impl Measure<'_> {
    /// Everything frame by frame in world space: in-place motion stays in place.
    pub fn curves(&self) -> Result<Curves, MeasureError> {
        let options = MeasureOptions { treadmill: false, ..self.options };
        let report = Measure { options, ..*self }.run()?;
        let (figure, clip) = (self.figure, self.clip);
        let (frames, rate) = (clip.frames(), clip.rate_hz());
        let mut curves = Curves { rate_hz: rate, contacts: report.contacts.clone(), ..Curves::default() };
        let points = points(figure);
        let (found, _) = self.survey(&points);
        let ground = self.options.ground.map(super::ground::Ground::level).or(found);
        let Some(ground) = ground.filter(|_| report.get(Key::Ground).is_some()) else { return Ok(curves) };
        let missing = vec![f32::NAN; frames];
        let Curves { depth, slide, residual, reaction, balance, power, .. } = &mut curves;
        for list in [&mut *residual, reaction, balance, power] {
            list.clone_from(&missing);
        }
        let mut poses = Poses::new(figure, clip);
        let mut holding = Holding::new(&report.contacts);
        let mut before: Vec<Vec3> = Vec::new();
        for frame in 0..frames {
            let placements = poses.at(frame);
            depth.push((-lowest_of_shapes(figure, placements, &ground)).max(0.0) as f32);
            let places: Vec<Vec3> = points.iter().map(|point| point.world(placements)).collect();
            holding.advance(frame);
            let speed = |contact: &&&Contact| {
                let way = places[contact.point] - before.get(contact.point)?;
                Some(real::hypot(way.x, way.z) * rate)
            };
            let held = holding.now.iter().filter(|c| c.part.is_some() && c.frames.start < frame);
            slide.push(held.filter_map(|c| speed(&c)).fold(0.0, Real::max) as f32);
            before = places;
        }
        let low_pass = self.cutoff_hz().and_then(|hz| LowPass::new(hz, rate));
        let mut instant = Instant::new(figure, &points, ground, self.options.friction);
        let mut holding = Holding::new(&report.contacts);
        let (mut effort, mut feet, mut hull) = (Effort::default(), Vec::new(), Vec::new());
        let mut felt = vec![FrameForces::default(); frames];
        kinetics::for_each_instant(figure, clip, low_pass.as_ref(), |frame, bodies| {
            holding.advance(frame);
            instant.set(bodies, &holding.now);
            let used = effort.add(figure, bodies, &instant);
            let forces = &mut felt[frame];
            forces.ground.extend(instant.ground_forces.iter().map(|force| (force.at, force.force)));
            forces.residual = instant.residual;
            forces.torques.extend_from_slice(effort.torques());
            residual[frame] = instant.residual.fixed_rows::<3>(0).norm() as f32;
            reaction[frame] = (instant.force.y / instant.weight) as f32;
            power[frame] = used as f32;
            if let Some([x, z]) = balance::balance_point(&instant, &ground) {
                let at = Vec3::new(x, 0.0, z);
                forces.zero_moment_point = Some(Vec3::new(x, ground.below(&at), z));
                feet.clear();
                feet.extend(instant.ground_forces.iter().map(|force| [force.at.x, force.at.z]));
                balance::convex_hull(&mut feet, &mut hull);
                balance[frame] = balance::distance(&hull, [x, z]) as f32;
            }
        });
        curves.frames = felt;
        Ok(curves)
    }
}
