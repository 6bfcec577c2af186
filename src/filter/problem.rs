//! One piece of a clip as a least-squares problem: what a motion costs, and the equations of the next step.
//!
//! The unknowns x of a frame turn the joints and shift the root away from the capture. The cost is a sum of squares,
//!
//!   Σ x²/σ² + Σ ẍ²/σ² + Σ m ‖p − p_captured‖²/σ² + Σ_pins ‖c − place‖²/σ² + Σ_points min(0, height)²/σ²
//!   + limits² /σ² + overlaps²/σ² + ‖w − w_captured‖²/σ² + φ(w)
//!
//! with φ of [`super::forces`]. Terms of one frame are gathered for each segment as a spatial information matrix K about a
//! common point, summed over subtrees, and projected on the coordinates: H_ij = s_iᵀ K s_j for i above j.

use super::band::{Band, NotPositive};
use super::body::{self, Body, Held, Moment, Places, Sums};
use super::forces::{Amounts, Answer, Demand, Edges};
use super::kernel::{Columns, Size, subtract_product};
use super::plan::{ContactPlan, Pin};
use super::weights::{LIMIT_MARGIN, SOFTEST_PIN, Weights};
use crate::figure::Figure;
use crate::math::{Mat3, Mat6, Real, Vec3, Vec6, skew};
use crate::motion::GroundMove;

/// A point of the body that must not sink into the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skin {
    pub segment: usize,
    /// From the centre of mass, own axes.
    pub local: Vec3,
    /// The surface is this far around it.
    pub radius: Real,
}

/// Two segments that touch: points from the centres of mass, and the way from one to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub segments: [usize; 2],
    pub locals: [Vec3; 2],
    pub normal: Vec3,
}

/// What is known of a frame.
pub(super) struct Frame<'a> {
    pub pins: &'a [Pin],
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
    pub near: Vec<usize>,
    pub meetings: Vec<Meeting>,
    /// Direction of the axes of shifts, radians.
    pub heading: Real,
    /// How far each joint may turn before its limits have to be asked, radians.
    pub slack: Vec<Real>,
}

/// The motion at some stage of the search.
#[derive(Clone, Default)]
pub(super) struct Motion {
    /// Frame by frame.
    pub x: Vec<Real>,
    pub places: Vec<Places>,
    pub amounts: Vec<Amounts>,
    pub answers: Vec<Option<Answer>>,
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
    pub plan: &'a ContactPlan,
    pub skin: &'a [Skin],
    pub frames: Vec<Frame<'a>>,
    /// Frame by frame, segment by segment.
    pub held: Vec<Held>,
    pub captured: Vec<Places>,
    /// Frames at the start that are known already.
    pub fixed: usize,
    /// What one cycle adds, in a loop.
    pub cycle: Option<GroundMove>,
    /// Seconds between frames.
    pub step: Real,
    pub limits: bool,
}

/// What a physical clip may show: residuals over the weight, metres for a figure of 1.75 m, radians.
mod seen {
    use crate::math::Real;

    pub const RESIDUAL_MEAN: Real = 1e-3;
    pub const RESIDUAL_MAX: Real = 0.03;
    pub const PIN_MEAN: Real = 4e-3;
    /// Of a corner that is just coming down, and is said to stand a frame early.
    pub const PIN_MAX: Real = 0.02;
    /// Corners that should clear the ground by more than they do are seen even less.
    pub const DEPTH: Real = 3e-3;
    pub const EXCESS: Real = 0.02;
    pub const OVERLAP: Real = 8e-3;
}

/// Work space of the equations.
pub(super) struct Equations {
    pub band: Band,
    pub right: Vec<Real>,
    sums: Sums,
    /// Derivatives of a wrench by three frames, six columns each; the same times the root of the precision, and negated.
    slopes: [Vec<Real>; 3],
    roots: [Vec<Real>; 3],
    minus: [Vec<Real>; 3],
    info: Vec<Info>,
}

/// Spatial information of a segment about the origin of the frame: shifts v, turns δ.
#[derive(Clone, Copy)]
struct Info {
    vv: Mat3,
    vd: Mat3,
    dd: Mat3,
    /// Half of the gradient.
    v: Vec3,
    d: Vec3,
}

impl Info {
    const fn zero() -> Self {
        let (m, v) = (Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 0.0));
        Self { vv: m, vd: m, dd: m, v, d: v }
    }

    /// A point at `arm` with precision `w`; `pull` = w · error.
    fn add_point(&mut self, arm: &Vec3, w: &Mat3, pull: &Vec3) {
        let cross = skew(arm);
        let turned = w * cross;
        self.vv += w;
        self.vd -= turned;
        self.dd -= cross * turned;
        self.v += pull;
        self.d += arm.cross(pull);
    }

    fn add(&mut self, other: &Info) {
        self.vv += other.vv;
        self.vd += other.vd;
        self.dd += other.dd;
        self.v += other.v;
        self.d += other.d;
    }
}

/// Something that pulls at a point of the body.
enum Pull {
    /// Towards a place: error.
    Place(Vec3),
    /// Out along a normal: depth, positive.
    Out(Vec3, Real),
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

    /// The wrench that each frame asks for; frames at the ends ask for none.
    pub fn ask(&self, motion: &Motion, out: &mut Vec<Option<Vec6>>) {
        out.clear();
        out.extend((0..self.count()).map(|t| self.moment(t, motion).map(|moment| body::wrench(self.body, &moment))));
    }

    /// Cost of the motion, with everything that the equations need to know of it.
    pub fn evaluate(&self, motion: &mut Motion, demand: &Demand) {
        self.place(motion);
        let unknowns = self.body.unknowns;
        let count = self.count();
        motion.amounts.resize_with(count, Amounts::default);
        motion.answers.clear();
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
                    .map(|i| self.weights.smooth[i] * (before[i] - 2.0 * now[i] + after[i]).powi(2))
                    .sum::<Real>();
            }
            let (wrench, answer) = match self.moment(t, motion) {
                None => (Vec6::zeros(), None),
                Some(moment) => {
                    let wrench = body::wrench(self.body, &moment);
                    let answer = frame.edges.answer(&wrench, demand, &mut motion.amounts[t]);
                    (wrench, Some(answer))
                }
            };
            if let (Some(answer), Some(asked)) = (&answer, &frame.asked) {
                cost += answer.value + self.weights.wrench * (wrench - asked).norm_squared();
            }
            motion.wrenches.push(wrench);
            motion.answers.push(answer);
        }
        motion.cost = cost;
    }

    /// All that pulls at points of the body in a frame: segment, place, what, weight.
    fn pulls(&self, t: usize, places: &Places, firmness: Real, mut show: impl FnMut(usize, Vec3, Pull, Real)) {
        let frame = &self.frames[t];
        let (pinned, deep) = (self.weights.pin * firmness, self.weights.depth * firmness);
        let at = |segment: usize, local: &Vec3| places.centres[segment] + places.rotations[segment] * local;
        for pin in frame.pins {
            let corner = &self.plan.corners[pin.corner];
            let point = at(corner.segment, &corner.local);
            let place = pin.place + pin.normal * corner.radius;
            show(corner.segment, point, Pull::Place(point - place), pinned * pin.load.clamp(SOFTEST_PIN, 1.0).powi(2));
        }
        for (index, corner) in self.plan.corners.iter().enumerate().filter(|(index, _)| !frame.stands[*index]) {
            let point = at(corner.segment, &corner.local);
            let under = self.plan.ground.under(&point);
            let depth = frame.clearance[index] + corner.radius - under.height;
            if depth > 0.0 {
                show(corner.segment, point, Pull::Out(under.normal, depth), deep);
            }
        }
        for &index in &frame.near {
            let skin = &self.skin[index];
            let point = at(skin.segment, &skin.local);
            let under = self.plan.ground.under(&point);
            let depth = skin.radius - under.height;
            if depth > 0.0 {
                show(
                    skin.segment,
                    point - under.normal * skin.radius,
                    Pull::Out(under.normal, depth),
                    self.weights.depth,
                );
            }
        }
    }

    /// Depth of a meeting (positive where segments overlap) and its two points.
    fn meeting(&self, meeting: &Meeting, places: &Places) -> (Real, [Vec3; 2]) {
        let [a, b] = [0, 1].map(|side| {
            let segment = meeting.segments[side];
            places.centres[segment] + places.rotations[segment] * meeting.locals[side]
        });
        (-(b - a).dot(&meeting.normal), [a, b])
    }

    fn cost_of_places(&self, t: usize, motion: &Motion, firmness: Real) -> Real {
        let (places, captured) = (&motion.places[t], &self.captured[t]);
        let mut cost = 0.0;
        for (k, part) in self.body.parts.iter().enumerate() {
            let off = places.centres[k] - captured.centres[k];
            let turned = places.rotations[k] - captured.rotations[k];
            let spread = (turned * part.spread).component_mul(&turned).sum();
            cost += self.weights.place * (part.mass * off.norm_squared() + spread);
        }
        self.pulls(t, places, firmness, |_, _, pull, weight| {
            cost += weight
                * match pull {
                    Pull::Place(error) => error.norm_squared(),
                    Pull::Out(_, depth) => depth * depth,
                };
        });
        for meeting in &self.frames[t].meetings {
            cost += firmness * self.weights.overlap * self.meeting(meeting, places).0.max(0.0).powi(2);
        }
        self.for_each_excess(t, motion, |_, depth, _| cost += firmness * self.weights.limit * depth * depth);
        cost
    }

    /// Whether the motion, as evaluated, is physical already, but for what nobody sees.
    pub fn is_physical(&self, motion: &Motion) -> bool {
        let a = self.figure.height / 1.75;
        let (mut force, mut frames) = (0.0, 0);
        let (mut squares, mut pins) = (0.0, 0);
        let mut fine = true;
        for t in self.fixed..self.count() {
            if let Some(answer) = &motion.answers[t] {
                let (own, turning) = (answer.left.fixed_rows::<3>(0).norm(), answer.left.fixed_rows::<3>(3).norm());
                force += own.max(turning);
                frames += 1;
                fine &= own.max(turning) < seen::RESIDUAL_MAX;
            }
            let places = &motion.places[t];
            self.pulls(t, places, 1.0, |_, _, pull, _| match pull {
                Pull::Place(error) => {
                    fine &= error.norm() < seen::PIN_MAX * a;
                    squares += error.norm_squared();
                    pins += 1;
                }
                Pull::Out(_, depth) => fine &= depth < seen::DEPTH * a,
            });
            self.for_each_excess(t, motion, |_, depth, _| fine &= depth < seen::EXCESS);
            fine &= self.frames[t].meetings.iter().all(|m| self.meeting(m, places).0 < seen::OVERLAP * a);
            if !fine {
                return false;
            }
        }
        force <= seen::RESIDUAL_MEAN * frames as Real && squares <= (seen::PIN_MEAN * a).powi(2) * pins as Real
    }

    fn for_each_excess(&self, t: usize, motion: &Motion, mut show: impl FnMut(usize, Real, Vec3)) {
        if !self.limits {
            return;
        }
        let (unknowns, parts) = (self.body.unknowns, self.body.parts.len());
        let x = &motion.x[t * unknowns..(t + 1) * unknowns];
        for (k, part) in self.body.parts.iter().enumerate() {
            let held = &self.held[t * parts + k];
            let first = part.first + 3 * usize::from(part.shifts);
            let turned: Real = x[first..first + part.turns.count()].iter().map(|x| x * x).sum();
            if turned < self.frames[t].slack[k].powi(2) {
                continue;
            }
            if let Some((depth, slope)) = body::beyond_limits(self.figure, k, part, held, x, LIMIT_MARGIN) {
                show(k, depth, slope);
            }
        }
    }

    pub fn equations(&self) -> Equations {
        let free = self.count() - self.fixed;
        let band = Band::new(self.body.unknowns, free, self.cycle.is_some());
        let width = band.width();
        let six = || [(); 3].map(|()| vec![0.0; 6 * width]);
        Equations {
            right: vec![0.0; free * width],
            band,
            sums: Sums::default(),
            slopes: six(),
            roots: six(),
            minus: six(),
            info: Vec::new(),
        }
    }

    /// Solves for the next step of all unknowns, into `equations.right`. `damping` is Levenberg's λ.
    pub fn step(
        &self,
        motion: &Motion,
        demand: &Demand,
        damping: Real,
        equations: &mut Equations,
    ) -> Result<(), NotPositive> {
        self.assemble(motion, demand, damping, equations, |band, right, frame| {
            band.eliminate(frame)?;
            band.forward(frame, right);
            Ok(())
        })?;
        equations.band.eliminate_border()?;
        equations.band.backward(&mut equations.right);
        Ok(())
    }

    /// Puts half of the Hessian together, and half of the gradient, negated. `complete` is called for each frame outside
    /// of the border as soon as nothing more will be added to its panel.
    pub fn assemble(
        &self,
        motion: &Motion,
        demand: &Demand,
        damping: Real,
        equations: &mut Equations,
        mut complete: impl FnMut(&mut Band, &mut [Real], usize) -> Result<(), NotPositive>,
    ) -> Result<(), NotPositive> {
        let (count, inner) = (self.count(), equations.band.inner());
        let frames = count - self.fixed;
        equations.right.fill(0.0);
        equations.band.clear_border();
        (0..inner.min(2)).for_each(|frame| equations.band.clear(frame));
        let add = |t: usize, equations: &mut Equations| {
            self.add_wrench(t, motion, equations);
            self.add_coordinates(t, motion, damping, equations);
            if t >= self.fixed {
                self.add_places(t, motion, demand.firmness, equations);
            }
        };
        // The last frame of a loop acts on the first.
        let last = self.cycle.map(|_| count - 1);
        if let Some(last) = last {
            add(last, equations);
        }
        for t in 0..count {
            if Some(t) != last {
                // A frame acts on the panels of the one before, itself, and the one after.
                if let Some(ahead) = (t + 1).checked_sub(self.fixed).filter(|&ahead| ahead >= 2 && ahead < inner) {
                    equations.band.clear(ahead);
                }
                add(t, equations);
            }
            if let Some(done) = t.checked_sub(self.fixed + 1).filter(|&done| done < inner) {
                complete(&mut equations.band, &mut equations.right, done)?;
            }
        }
        if frames == inner && frames > 0 {
            complete(&mut equations.band, &mut equations.right, frames - 1)?;
        }
        Ok(())
    }

    /// ‖w − w_captured‖²/σ² + φ(w).
    fn add_wrench(&self, t: usize, motion: &Motion, equations: &mut Equations) {
        let (Some(moment), Some([before, after])) = (self.moment(t, motion), self.neighbours(t)) else { return };
        let (Some(answer), Some(asked)) = (&motion.answers[t], &self.frames[t].asked) else { return };
        let width = equations.band.width();
        let Equations { band, right, sums, slopes, roots, minus, .. } = equations;
        let [b, n, a] = slopes;
        body::derivatives(self.body, &moment, sums, [b, n, a], width);
        let pull = answer.pull + (motion.wrenches[t] - asked) * self.weights.wrench;
        let precision = answer.precision + Mat6::identity() * self.weights.wrench;
        let root = nalgebra::Cholesky::new_unchecked(precision).unpack_dirty();
        let frames = [before, t, after];
        for (side, frame) in frames.iter().enumerate() {
            let Some(at) = frame.checked_sub(self.fixed) else { continue };
            let slope = &slopes[side];
            let right = &mut right[at * width..(at + 1) * width];
            for row in 0..6 {
                let values = &slope[row * width..(row + 1) * width];
                right.iter_mut().zip(values).for_each(|(right, slope)| *right -= slope * pull[row]);
            }
            for column in 0..6 {
                let to = &mut roots[side][column * width..(column + 1) * width];
                to.fill(0.0);
                for row in column..6 {
                    let values = &slope[row * width..(row + 1) * width];
                    let factor = root[(row, column)];
                    to.iter_mut().zip(values).for_each(|(to, slope)| *to += slope * factor);
                }
                let negative = &mut minus[side][column * width..(column + 1) * width];
                negative.iter_mut().zip(&*to).for_each(|(negative, to)| *negative = -to);
            }
        }
        for i in 0..3 {
            for j in 0..=i {
                let (Some(p), Some(q)) = (frames[i].checked_sub(self.fixed), frames[j].checked_sub(self.fixed)) else {
                    continue;
                };
                // Rows belong to the later frame of the elimination.
                let (rows, columns, low, high) = if p >= q { (i, j, q, p) } else { (j, i, p, q) };
                let (values, offset, stride) = band.block(high, low);
                let size = Size { rows: width, columns: width, depth: 6, lower: i == j };
                let left = Columns { values: &minus[rows], stride: width };
                let right = Columns { values: &roots[columns], stride: width };
                subtract_product(&mut values[offset..], stride, left, right, size);
            }
        }
    }

    /// Σ x²/σ² + Σ ẍ²/σ² of the second difference around a frame.
    fn add_coordinates(&self, t: usize, motion: &Motion, damping: Real, equations: &mut Equations) {
        let (unknowns, width) = (self.body.unknowns, equations.band.width());
        if let Some(at) = t.checked_sub(self.fixed) {
            let (values, offset, stride) = equations.band.block(at, at);
            for i in 0..width {
                let stay = self.weights.stay.get(i).copied();
                // Coordinates that only fill up the block stand for themselves.
                values[offset + i * stride + i] += stay.map_or(1.0, |stay| stay * (1.0 + damping));
                if let Some(stay) = stay {
                    equations.right[at * width + i] -= stay * motion.x[t * unknowns + i];
                }
            }
        }
        let Some([before, after]) = self.neighbours(t) else { return };
        let share = [(before, 1.0), (t, -2.0), (after, 1.0)];
        for i in 0..3 {
            let (frame, own) = share[i];
            let Some(at) = frame.checked_sub(self.fixed) else { continue };
            for k in 0..unknowns {
                let bend: Real = share.iter().map(|(frame, part)| part * motion.x[frame * unknowns + k]).sum();
                equations.right[at * width + k] -= self.weights.smooth[k] * own * bend;
            }
            for &(other, part) in &share[..=i] {
                let Some(other) = other.checked_sub(self.fixed) else { continue };
                let (values, offset, stride) = equations.band.block(at.max(other), at.min(other));
                for k in 0..unknowns {
                    values[offset + k * stride + k] += self.weights.smooth[k] * own * part;
                }
            }
        }
    }

    /// Everything that depends on the places of one frame.
    fn add_places(&self, t: usize, motion: &Motion, firmness: Real, equations: &mut Equations) {
        let (limit, overlap) = (self.weights.limit * firmness, self.weights.overlap * firmness);
        let (places, captured, frame) = (&motion.places[t], &self.captured[t], &self.frames[t]);
        let origin = frame.origin;
        let info = &mut equations.info;
        info.clear();
        for (k, part) in self.body.parts.iter().enumerate() {
            let mut own = Info::zero();
            let weight = self.weights.place * part.mass;
            let (arm, off) = (places.centres[k] - origin, places.centres[k] - captured.centres[k]);
            own.add_point(&arm, &Mat3::from_diagonal_element(weight), &(off * weight));
            // The spread of the segment: Σ m (R s) × (R − R₀) s = −Σ m (R s) × (R₀ s).
            let spread = part.spread * places.rotations[k].transpose();
            let now = places.rotations[k] * spread;
            own.dd += (Mat3::identity() * now.trace() - now) * self.weights.place;
            let m = captured.rotations[k] * spread;
            let turn = Vec3::new(m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)]);
            own.d -= turn * self.weights.place;
            info.push(own);
        }
        self.pulls(t, places, firmness, |segment, point, pull, weight| match pull {
            Pull::Place(error) => {
                info[segment].add_point(&(point - origin), &Mat3::from_diagonal_element(weight), &(error * weight));
            }
            Pull::Out(normal, depth) => {
                let w = normal * (normal * weight).transpose();
                info[segment].add_point(&(point - origin), &w, &(normal * (-depth * weight)));
            }
        });
        for k in (0..info.len()).rev() {
            if let Some(parent) = self.body.parts[k].parent {
                let own = info[k];
                info[parent].add(&own);
            }
        }
        let width = equations.band.width();
        let at = t - self.fixed;
        let right = &mut equations.right[at * width..(at + 1) * width];
        let (values, offset, stride) = equations.band.block(at, at);
        let axis = |column: usize| self.coordinate(places, &origin, column);
        for (k, own) in info.iter().enumerate() {
            let part = &self.body.parts[k];
            let end = part.first + part.turns.count() + 3 * usize::from(part.shifts);
            for j in part.first..end {
                let (v, d) = axis(j);
                right[j] -= v.dot(&own.v) + d.dot(&own.d);
                let (force, torque) = (own.vv * v + own.vd * d, own.vd.tr_mul(&v) + own.dd * d);
                let mut above = Some(k);
                while let Some(segment) = above {
                    let part = &self.body.parts[segment];
                    let end = part.first + part.turns.count() + 3 * usize::from(part.shifts);
                    for i in (part.first..end).filter(|&i| i <= j) {
                        let (v, d) = axis(i);
                        values[offset + i * stride + j] += v.dot(&force) + d.dot(&torque);
                    }
                    above = part.parent;
                }
            }
        }
        self.for_each_excess(t, motion, |k, depth, slope| {
            let part = &self.body.parts[k];
            let first = part.first + 3 * usize::from(part.shifts);
            for j in 0..part.turns.count() {
                right[first + j] -= limit * depth * slope[j];
                for i in 0..=j {
                    values[offset + (first + i) * stride + first + j] += limit * slope[i] * slope[j];
                }
            }
        });
        for meeting in &frame.meetings {
            let (depth, points) = self.meeting(meeting, places);
            if depth > 0.0 {
                let row = self.meeting_row(meeting, places, &points);
                for j in 0..row.len() {
                    right[j] -= overlap * depth * row[j];
                    for i in 0..=j {
                        values[offset + i * stride + j] += overlap * row[i] * row[j];
                    }
                }
            }
        }
    }

    /// How a coordinate shifts and turns what hangs on it, seen at the origin of the frame.
    fn coordinate(&self, places: &Places, origin: &Vec3, column: usize) -> (Vec3, Vec3) {
        let segment = self.body.carrier[column];
        let part = &self.body.parts[segment];
        let axis = places.axes[column];
        if part.shifts && column < part.first + 3 {
            return (axis, Vec3::zeros());
        }
        (axis.cross(&(origin - places.joints[segment])), axis)
    }

    /// How the depth of a meeting grows with the coordinates.
    fn meeting_row(&self, meeting: &Meeting, places: &Places, points: &[Vec3; 2]) -> Vec<Real> {
        let mut row = vec![0.0; self.body.unknowns];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let mut above = Some(meeting.segments[side]);
            while let Some(segment) = above {
                let part = &self.body.parts[segment];
                let end = part.first + part.turns.count() + 3 * usize::from(part.shifts);
                for (column, entry) in row.iter_mut().enumerate().take(end).skip(part.first) {
                    let (v, d) = self.coordinate(places, &points[side], column);
                    debug_assert!(d.norm() >= 0.0);
                    *entry += sign * meeting.normal.dot(&v);
                }
                above = part.parent;
            }
        }
        row
    }
}

fn weighted(weights: &[Real], values: &[Real]) -> Real {
    weights.iter().zip(values).map(|(weight, value)| weight * value * value).sum()
}
