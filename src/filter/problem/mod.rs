//! Least-squares problem of one piece of a clip: its cost and the normal equations of the next step.
//!
//! The unknowns x of a frame rotate the joints and translate the root away from the capture. The cost is a sum of squares,
//!
//!   Σ x²/σ² + Σ ẍ²/σ² + Σ ‖p − p_captured‖²/σ² + Σ_targets ‖c − place‖²/σ² + Σ_points min(0, height)²/σ²
//!   + limits² /σ² + overlaps²/σ² + ‖w − w_captured‖²/σ² + φ(w)
//!
//! with φ of [`super::forces`]. Each term has a file of its own.

mod contact_targets;
mod equations;
mod interval_offsets;
mod limits;
mod overlap;
mod penetration;
mod physical;
mod tracking;
mod wrench;

pub(super) use equations::Equations;
pub(super) use overlap::SegmentContact;
pub(super) use penetration::SurfacePoint;

use super::body::{self, Body, CapturedJoint, Moment, Places};
use super::forces::{Amounts, Demand, Edges, GroundResponse};
use super::plan::{ContactPlan, ContactTarget, UnloadedContact};
use super::weights::Weights;
use crate::figure::Figure;
use crate::math::{Real, Vec3, Vec6};
use crate::motion::GroundMove;

/// Known quantities of a frame.
pub(super) struct Frame<'a> {
    pub targets: &'a [ContactTarget],
    pub unloaded: &'a [UnloadedContact],
    /// Height that each corner keeps while it is not in contact, metres.
    pub clearance: &'a [Real],
    /// Contact flags of the corners.
    pub in_contact: Vec<bool>,
    /// Directions in which the ground may push.
    pub edges: Edges,
    /// Reference point of torques: the captured centre of mass.
    pub origin: Vec3,
    /// Wrench that the captured motion requires; `None` at the ends of a clip.
    pub asked: Option<Vec6>,
    /// Points that may meet the ground, as indices of the surface points.
    pub near_ground: Vec<usize>,
    /// Segments near each other.
    pub segment_contacts: Vec<SegmentContact>,
    /// Overlaps that pairs of segments may keep, metres; `None` before they are evaluated.
    pub allowed_overlaps: Option<Vec<([usize; 2], Real)>>,
    /// Direction of the axes of translation, radians about the vertical.
    pub heading: Real,
    /// Rotation of each joint that keeps it within its limits for certain, radians.
    pub slack: Vec<Real>,
    /// 1/σ² of the second differences around the frame, where accelerations are limited.
    pub smooth: Option<Vec<Real>>,
}

/// Motion during the search.
#[derive(Clone, Default)]
pub(super) struct Motion {
    /// Unknowns, frame by frame.
    pub x: Vec<Real>,
    pub places: Vec<Places>,
    pub amounts: Vec<Amounts>,
    /// Directions in which the ground may push, at the current offsets.
    pub edges: Vec<Edges>,
    /// Horizontal offset of each contact interval, metres.
    pub offsets: Vec<Vec3>,
    pub responses: Vec<Option<GroundResponse>>,
    pub wrenches: Vec<Vec6>,
    /// Neighbours across the seam of a loop: the last frame before the first, and the first after the last.
    pub around: [Places; 2],
    pub cost: Real,
    /// Newton steps for the forces, times edges, of the last evaluation.
    pub edge_steps: usize,
}

/// Problem of one piece of a clip.
pub(super) struct Problem<'a> {
    pub figure: &'a Figure,
    pub body: &'a Body,
    pub weights: &'a Weights,
    /// Weight of tracking the captured places, relative to the usual one.
    pub tracking_weight: Real,
    pub plan: &'a ContactPlan,
    pub surface_points: &'a [SurfacePoint],
    pub frames: Vec<Frame<'a>>,
    /// Captured joints in the frames of their parents, frame by frame, segment by segment.
    pub held: Vec<CapturedJoint>,
    pub captured: Vec<Places>,
    /// Number of frames at the start that are known already.
    pub fixed: usize,
    /// Number of frames at the end that are known as well.
    pub tail: usize,
    /// Index of each contact interval among the unknown ones.
    pub slots: Vec<Option<usize>>,
    /// Displacement of one cycle of a loop.
    pub cycle: Option<GroundMove>,
    /// Time between frames, seconds.
    pub step: Real,
    /// Keeps joints within their limits.
    pub limits: bool,
}

impl Problem<'_> {
    fn count(&self) -> usize {
        self.frames.len()
    }

    /// Returns the previous and next frame, across the seam in a loop.
    pub(super) fn neighbours(&self, t: usize) -> Option<[usize; 2]> {
        let last = self.count() - 1;
        match self.cycle {
            Some(_) => Some([if t == 0 { last } else { t - 1 }, if t == last { 0 } else { t + 1 }]),
            None if t == 0 || t == last => None,
            None => Some([t - 1, t + 1]),
        }
    }

    /// Returns 1/σ² of the second difference of each coordinate around a frame.
    fn smooth(&self, t: usize) -> &[Real] {
        self.frames[t].smooth.as_ref().unwrap_or(&self.weights.smooth)
    }

    pub fn moment<'p>(&self, t: usize, motion: &'p Motion) -> Option<Moment<'p>> {
        let [before, after] = self.neighbours(t)?;
        let before = if before < t { &motion.places[before] } else { &motion.around[0] };
        let after = if after > t { &motion.places[after] } else { &motion.around[1] };
        Some(Moment { before, now: &motion.places[t], after, origin: self.frames[t].origin, step: self.step })
    }

    /// Places the body by the unknowns.
    pub fn place(&self, motion: &mut Motion) {
        let (unknowns, parts) = (self.body.unknowns, self.body.parts.len());
        motion.places.resize_with(self.count(), Places::default);
        for (t, places) in motion.places.iter_mut().enumerate() {
            let (held, x) = (&self.held[t * parts..(t + 1) * parts], &motion.x[t * unknowns..(t + 1) * unknowns]);
            places.set(self.body, held, self.frames[t].heading, x);
        }
        if let (Some(cycle), [first, .., last]) = (&self.cycle, &motion.places[..]) {
            last.moved(&cycle.inverse(), &mut motion.around[0]);
            first.moved(cycle, &mut motion.around[1]);
        }
    }

    /// Evaluates the cost of the motion, with all that the equations need of it.
    pub fn evaluate(&self, motion: &mut Motion, demand: &Demand) {
        self.place(motion);
        let unknowns = self.body.unknowns;
        let count = self.count();
        motion.amounts.resize_with(count, Amounts::default);
        motion.edges.resize_with(count, Edges::default);
        motion.responses.clear();
        motion.wrenches.clear();
        let mut cost = 0.0;
        for t in 0..count {
            let x = |frame: usize| &motion.x[frame * unknowns..(frame + 1) * unknowns];
            let frame = &self.frames[t];
            if t >= self.fixed {
                cost += weighted(&self.weights.stay, x(t));
                cost += self.cost_of_places(t, motion, demand.firmness);
            }
            if let Some([before, after]) = self.neighbours(t) {
                let (before, now, after) = (x(before), x(t), x(after));
                cost += (0..unknowns)
                    .map(|i| self.smooth(t)[i] * (before[i] - 2.0 * now[i] + after[i]).powi(2))
                    .sum::<Real>();
            }
            let (wrench, response) = match self.moment(t, motion) {
                None => (Vec6::zeros(), None),
                Some(moment) => {
                    let wrench = body::wrench(self.body, &moment);
                    let step = |target: usize| {
                        let interval = frame.targets[target].interval.and_then(|k| motion.offsets.get(k));
                        interval.map_or_else(Vec3::zeros, |step| step / self.body.height)
                    };
                    motion.edges[t].move_from(&frame.edges, step);
                    let response = motion.edges[t].response(&wrench, demand, &mut motion.amounts[t]);
                    (wrench, Some(response))
                }
            };
            if let (Some(response), Some(asked)) = (&response, &frame.asked) {
                cost += response.value + self.weights.wrench * (wrench - asked).norm_squared();
            }
            motion.wrenches.push(wrench);
            motion.responses.push(response);
        }
        motion.cost = cost;
        motion.edge_steps = motion.responses.iter().flatten().map(|response| response.edge_steps).sum();
    }
}

fn weighted(weights: &[Real], values: &[Real]) -> Real {
    weights.iter().zip(values).map(|(weight, value)| weight * value * value).sum()
}
