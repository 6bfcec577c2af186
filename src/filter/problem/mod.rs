//! One piece of a clip as a least-squares problem: what a motion costs, and the equations of the next step.
//!
//! The unknowns x of a frame turn the joints and shift the root away from the capture. The cost is a sum of squares,
//!
//!   Σ x²/σ² + Σ ẍ²/σ² + Σ ‖p − p_captured‖²/σ² + Σ_pins ‖c − place‖²/σ² + Σ_points min(0, height)²/σ²
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

/// What is known of a frame.
pub(super) struct Frame<'a> {
    pub targets: &'a [ContactTarget],
    pub unloaded: &'a [UnloadedContact],
    /// Height that each corner keeps, unless it stands.
    pub clearance: &'a [Real],
    /// Corners that stand.
    pub stands: Vec<bool>,
    pub edges: Edges,
    /// Torques are taken about it: the captured centre of mass.
    pub origin: Vec3,
    /// What the captured motion asks for; none at the ends of a clip.
    pub asked: Option<Vec6>,
    /// Points that the ground may meet (indices into the skin).
    pub near_ground: Vec<usize>,
    pub segment_contacts: Vec<SegmentContact>,
    /// Pairs of segments that the capture has within each other, and by how much they may stay so, metres; once it was asked.
    pub allowed_overlaps: Option<Vec<([usize; 2], Real)>>,
    /// Direction of the axes of shifts, radians.
    pub heading: Real,
    /// How far each joint may turn before its limits have to be asked, radians.
    pub slack: Vec<Real>,
    /// 1/σ² of the second differences around it, where that is not as usual.
    pub smooth: Option<Vec<Real>>,
}

/// The motion at some stage of the search.
#[derive(Clone, Default)]
pub(super) struct Motion {
    /// Frame by frame.
    pub x: Vec<Real>,
    pub places: Vec<Places>,
    pub amounts: Vec<Amounts>,
    /// Where the ground may push, with stances where they are now.
    pub edges: Vec<Edges>,
    /// How far each stance of the plan was put elsewhere, metres, level.
    pub offsets: Vec<Vec3>,
    pub responses: Vec<Option<GroundResponse>>,
    pub wrenches: Vec<Vec6>,
    /// In a loop: the last frame before the first, and the first after the last.
    pub around: [Places; 2],
    pub cost: Real,
}

/// One piece of a clip.
pub(super) struct Problem<'a> {
    pub figure: &'a Figure,
    pub body: &'a Body,
    pub weights: &'a Weights,
    /// Share of the weight that the captured places have.
    pub tracking_weight: Real,
    pub plan: &'a ContactPlan,
    pub surface_points: &'a [SurfacePoint],
    pub frames: Vec<Frame<'a>>,
    /// Frame by frame, segment by segment.
    pub held: Vec<CapturedJoint>,
    pub captured: Vec<Places>,
    /// Frames at the start that are known already.
    pub fixed: usize,
    /// Frames at the end that are known, too.
    pub tail: usize,
    /// For each stance of the plan: which of the unknown ones it is.
    pub slots: Vec<Option<usize>>,
    /// What one cycle adds, in a loop.
    pub cycle: Option<GroundMove>,
    /// Seconds between frames.
    pub step: Real,
    pub limits: bool,
}

impl Problem<'_> {
    fn count(&self) -> usize {
        self.frames.len()
    }

    /// The frames before and after, in a loop round the corner.
    fn neighbours(&self, t: usize) -> Option<[usize; 2]> {
        let last = self.count() - 1;
        match self.cycle {
            Some(_) => Some([if t == 0 { last } else { t - 1 }, if t == last { 0 } else { t + 1 }]),
            None if t == 0 || t == last => None,
            None => Some([t - 1, t + 1]),
        }
    }

    /// 1/σ² of the second difference of each coordinate around a frame.
    fn smooth(&self, t: usize) -> &[Real] {
        self.frames[t].smooth.as_ref().unwrap_or(&self.weights.smooth)
    }

    pub fn moment<'p>(&self, t: usize, motion: &'p Motion) -> Option<Moment<'p>> {
        let [before, after] = self.neighbours(t)?;
        let before = if before < t { &motion.places[before] } else { &motion.around[0] };
        let after = if after > t { &motion.places[after] } else { &motion.around[1] };
        Some(Moment { before, now: &motion.places[t], after, origin: self.frames[t].origin, step: self.step })
    }

    /// Puts the body where `x` says.
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

    /// Cost of the motion, with everything that the equations need to know of it.
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
    }
}

fn weighted(weights: &[Real], values: &[Real]) -> Real {
    weights.iter().zip(values).map(|(weight, value)| weight * value * value).sum()
}
