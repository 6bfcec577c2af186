//! Rows of constraints at velocity level: the numbers k and s of stage 2, and the targets of stage 3.

use crate::body::State;
use crate::math::{Mat3, Real, Vec3, Vec6, real};
use crate::rows::{Anchor, Muscle, Response, RowBuilder, RowSink, RowSpec, Scope, Sense};
use crate::solve::{Entry, Problem, Row};

/// Square of the rotation within a substep, radians², up to which curvature is compensated in full.
const SMALL_ROTATION: Real = 0.25;

/// Share of the violation of one-sided rows that is corrected per substep.
const PULL_BACK: Real = 0.2;

/// Sink that turns the statements of constraints into rows at velocity level.
pub(super) struct VelocitySink<'a> {
    pub problem: &'a mut Problem,
    pub exact: &'a mut Vec<bool>,
    /// True if an exactly held row has limits.
    pub limited: bool,
    /// Largest deviation of the exactly held rows before the step.
    pub open: Real,
    pub scope: &'a Scope<'a>,
    /// Mean spin of the free rotation less the spin, rad/s.
    pub ahead: &'a [Vec3],
    /// One-sided rows past their ends, and the speeds at which they are brought back, m/s or rad/s.
    pub past_ends: &'a mut Vec<(u32, Real)>,
    /// Violation that is not corrected, metres or radians.
    pub end_slop: Real,
    pub h: Real,
    pub recovery: Real,
}

impl RowSink for VelocitySink<'_> {
    #[inline(always)]
    fn wants(&self, _response: Response) -> bool {
        true
    }

    #[inline(always)]
    fn row(&mut self, error: Real, build: impl FnOnce(&mut RowBuilder)) {
        let mut spec = RowSpec::held(error);
        let first = self.problem.entries.len();
        build(&mut RowBuilder::new(&mut spec, &mut self.problem.entries, self.scope, true));
        let entries = &self.problem.entries[first..];
        let (target, softness) = self.numbers(&spec, entries);
        let (lo, hi) = (spec.lo * self.h, spec.hi * self.h);
        let (first, count) = (first as u32, entries.len() as u32);
        // Springs answer to the speed, all others are about the way.
        let springy = matches!(spec.response, Response::Spring { .. } | Response::Oscillator { .. });
        let aside = if springy { 0.0 } else { self.aside(entries) };
        let target = target - spec.known_rate - aside;
        if spec.response == Response::Hard && spec.sense == Sense::AtLeast && spec.error < -self.end_slop {
            let back = PULL_BACK * (-spec.error - 0.5 * self.end_slop) / self.h;
            self.past_ends.push((self.problem.rows.len() as u32, back.min(self.recovery)));
        }
        self.problem.rows.push(Row { first, count, target, softness, lo, hi });
        let exact = spec.response == Response::Hard && spec.sense == Sense::Equal;
        if exact {
            // The target is taken at the end of the step; what was open belongs to its start.
            self.open = self.open.max((spec.error + self.h * spec.rate).abs());
            self.limited |= lo.is_finite() || hi.is_finite();
        }
        self.exact.push(exact);
    }

    #[inline(always)]
    fn takes_muscles(&self) -> bool {
        true
    }

    #[inline(always)]
    fn muscle(&mut self, muscle: &Muscle) {
        let h = self.h;
        let (a, b) = (self.scope.movable_slot(muscle.a), self.scope.movable_slot(muscle.b));
        let mut known = Vec3::zeros();
        if let (Some(_), None) = (muscle.a, a) {
            known -= muscle.axes.tr_mul(&self.scope.state(muscle.a).angular());
        }
        if let (Some(_), None) = (muscle.b, b) {
            known += muscle.axes.tr_mul(&self.scope.state(muscle.b).angular());
        }
        let entry = |body: u32, axes: &Mat3, k: usize| Entry {
            body,
            jacobian: Vec6::new(0.0, 0.0, 0.0, axes[(0, k)], axes[(1, k)], axes[(2, k)]),
        };
        let entries = |body: u32, axes: &Mat3| [entry(body, axes, 0), entry(body, axes, 1), entry(body, axes, 2)];
        let a = a.map(|a| entries(a, &-muscle.axes));
        let b = b.map(|b| entries(b, muscle.axes));
        let numbers = |k: usize| {
            let (stiffness, damping, limit) = muscle.springs[k];
            let (target, softness) = implicit_spring(stiffness, damping, muscle.error[k], muscle.rate[k], h);
            (target - known[k], softness, limit * h)
        };
        self.three_rows(a, b, [numbers(0), numbers(1), numbers(2)]);
        self.exact.extend_from_slice(&[false; 3]);
    }

    #[inline(always)]
    fn anchor(&mut self, anchor: &Anchor) {
        let (a, b) = (self.scope.movable_slot(anchor.a), self.scope.movable_slot(anchor.b));
        let aside =
            |slot: Option<u32>, lever: &Vec3| slot.map_or_else(Vec3::zeros, |s| self.spin_aside(s).cross(lever));
        let aside = aside(b, &anchor.lever_b) - aside(a, &anchor.lever_a);
        let a = a.map(|a| Anchor::entries(a, &anchor.lever_a, -1.0));
        let b = b.map(|b| Anchor::entries(b, &anchor.lever_b, 1.0));
        let curvature_share = -0.5 * self.h * self.curvature_share([anchor.state_a, anchor.state_b]);
        let mut target = (anchor.curvature() * curvature_share).map(|miss| miss.clamp(-self.recovery, self.recovery));
        let speed = |state: &State, lever: &Vec3| state.linear() + state.angular().cross(lever);
        if a.is_none() {
            target += speed(anchor.state_a, &anchor.lever_a);
        }
        if b.is_none() {
            target -= speed(anchor.state_b, &anchor.lever_b);
        }
        target -= aside;
        self.open = self.open.max(anchor.gap.amax());
        let exactly = |k: usize| (target[k], 0.0, Real::INFINITY);
        self.three_rows(a, b, [exactly(0), exactly(1), exactly(2)]);
        self.exact.extend_from_slice(&[true; 3]);
    }
}

impl VelocitySink<'_> {
    #[inline(always)]
    fn spin_aside(&self, slot: u32) -> Vec3 {
        self.ahead[slot as usize]
    }

    /// J times what the free rotation goes beside the spin.
    #[inline(always)]
    fn aside(&self, entries: &[Entry]) -> Real {
        let of = |e: &Entry| Vec3::new(e.jacobian[3], e.jacobian[4], e.jacobian[5]).dot(&self.spin_aside(e.body));
        entries.iter().map(of).sum()
    }

    /// Three rows over the same bodies, each with target, softness and limit either way.
    #[inline(always)]
    fn three_rows(&mut self, a: Option<[Entry; 3]>, b: Option<[Entry; 3]>, numbers: [(Real, Real, Real); 3]) {
        let start = self.problem.entries.len() as u32;
        let count = match (a, b) {
            (Some([a0, a1, a2]), Some([b0, b1, b2])) => {
                self.problem.entries.extend_from_slice(&[a0, b0, a1, b1, a2, b2]);
                2
            }
            (Some(one), None) | (None, Some(one)) => {
                self.problem.entries.extend_from_slice(&one);
                1
            }
            (None, None) => 0,
        };
        let row = |k: usize| {
            let (target, softness, limit) = numbers[k];
            Row { first: start + k as u32 * count, count, target, softness, lo: -limit, hi: limit }
        };
        self.problem.rows.extend_from_slice(&[row(0), row(1), row(2)]);
    }

    /// Share of J̇v that is compensated, 0 to 1. Full for paths that bend a little within a step; at fast spins it would only
    /// add energy.
    #[inline(always)]
    fn curvature_share<'s>(&self, states: impl IntoIterator<Item = &'s State>) -> Real {
        let fastest = states.into_iter().map(|state| state.angular().norm_squared()).fold(0.0, Real::max);
        let rotation = fastest * self.h * self.h;
        if rotation <= SMALL_ROTATION { 1.0 } else { (SMALL_ROTATION / rotation).powi(2) }
    }

    /// k (before scripted bodies are taken off) and s.
    #[inline(always)]
    fn numbers(&self, spec: &RowSpec, entries: &[Entry]) -> (Real, Real) {
        let h = self.h;
        // Springs do not ask for it.
        if let Response::Spring { stiffness, damping } = spec.response {
            return implicit_spring(stiffness, damping, spec.error, spec.rate, h);
        }
        let curvature_share = self.curvature_share(entries.iter().map(|e| &self.scope.states[e.body as usize]));
        let bend = (0.5 * h * curvature_share * spec.curvature).clamp(-self.recovery, self.recovery);
        match (spec.response, spec.sense) {
            (Response::Hard, Sense::Equal) if spec.lo.is_finite() || spec.hi.is_finite() => {
                // A limited row goes for its target here, where the limit counts; stage 3 knows none.
                let predicted = spec.rate - 0.5 * h * spec.acceleration - bend;
                let all_of_it = -spec.error / h - bend;
                (all_of_it.clamp(predicted - self.recovery, predicted + self.recovery), 0.0)
            }
            // Where the rows curve, going straight misses by ½h² J̇v: compensated here, so that little is left for stage 3.
            (Response::Hard | Response::Rate, Sense::Equal) | (Response::Rate, Sense::AtLeast) => {
                (spec.rate - 0.5 * h * spec.acceleration - bend, 0.0)
            }
            (Response::Hard, Sense::AtLeast) => {
                // Approach the end, never pass it. What has passed it is brought back by shifting, not by speed.
                (-spec.error.max(0.0) / h - bend, 0.0)
            }
            (Response::Decay { tau }, _) => {
                let rate: Real =
                    entries.iter().map(|e| e.jacobian.dot(&self.scope.states[e.body as usize].velocity)).sum();
                // The recurrence below wants C now and its mean rate over the last step. Targets and scripted bodies are
                // given for the end of this step, J̇v bends what J v says of the last one.
                let error = spec.error + h * (spec.rate - 0.5 * h * spec.acceleration);
                let known = spec.known_rate - h * spec.known_acceleration;
                let slip = rate - self.aside(entries) + known - bend - (spec.rate - 1.5 * h * spec.acceleration);
                // Samples of the exact solution obey C'' = 2p C' − p² C, p = exp(−h/τ).
                let p = real::exp(-h / tau);
                let next = (2.0 * p - 1.0) * error - p * p * (error - h * slip);
                (spec.rate + next / h - 0.5 * h * spec.acceleration - bend, 0.0)
            }
            (Response::Spring { stiffness, damping }, _) => {
                implicit_spring(stiffness, damping, spec.error, spec.rate, h)
            }
            (Response::Oscillator { frequency, damping_ratio }, _) => {
                let inertias = &self.problem.inertias;
                let ease = |e: &Entry| e.jacobian.dot(&inertias[e.body as usize].apply_inverse(&e.jacobian));
                let mass = 1.0 / entries.iter().map(ease).sum::<Real>();
                let omega = 2.0 * std::f64::consts::PI * frequency;
                implicit_spring(mass * omega * omega, 2.0 * damping_ratio * mass * omega, spec.error, spec.rate, h)
            }
        }
    }
}

/// Sink that turns the deviations of exactly held rows on trial into targets of stage 3.
pub(super) struct CorrectionSink<'a> {
    pub exact: &'a [bool],
    pub targets: &'a mut Vec<Real>,
    pub worst: Real,
    pub per_h: Real,
    pub recovery: Real,
}

impl RowSink for CorrectionSink<'_> {
    #[inline(always)]
    fn wants(&self, response: Response) -> bool {
        response == Response::Hard
    }

    #[inline(always)]
    fn row(&mut self, error: Real, _build: impl FnOnce(&mut RowBuilder)) {
        let exact = self.exact.get(self.targets.len()).is_some_and(|exact| *exact);
        let error = if exact { error } else { 0.0 };
        self.worst = self.worst.max(error.abs());
        self.targets.push((-error * self.per_h).clamp(-self.recovery, self.recovery));
    }

    #[inline(always)]
    fn anchor(&mut self, anchor: &Anchor) {
        self.worst = self.worst.max(anchor.gap.amax());
        self.targets.extend(anchor.gap.iter().map(|gap| (-gap * self.per_h).clamp(-self.recovery, self.recovery)));
    }
}

/// k and s of an implicit spring and damper.
#[inline(always)]
fn implicit_spring(stiffness: Real, damping: Real, error: Real, rate: Real, h: Real) -> (Real, Real) {
    let both = h * stiffness + damping;
    let inverse = 1.0 / (h * both);
    ((damping * rate - stiffness * error) * (h * inverse), inverse)
}
