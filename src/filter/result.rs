//! Conversion of the unknowns to a clip, with its ground forces and joint torques.
//!
//! Torques follow from leaf to root, about the joint p_k of each segment:
//!
//!   F_k = m (a − γ) − Σ ground forces on k + Σ children F
//!   τ_k = spin + (c − p_k) × m (a − γ) − Σ (x − p_k) × ground force + Σ children τ + (p_child − p_k) × F_child
//!
//! with the spin Σ m (R s) × (R̈ s) of the segment about its centre.

use super::body::{Body, CapturedJoint, Freedom, Moment};
use super::forces::Edges;
use super::plan::ContactPlan;
use super::problem::{Motion, Problem};
use super::refine::Solution;
use super::solve::{SolveError, Solved, WindowReport};
use super::window::{Piece, Track};
use crate::dynamics::Placement;
use crate::math::{GRAVITY, Quat, Real, Vec3, Vec6};
use crate::motion::{Clip, Tracks};

/// Solution of the pieces so far.
pub(super) struct PartialSolution {
    unknowns: usize,
    /// Unknowns, frame by frame.
    x: Vec<Real>,
    /// Offset of each contact interval, metres, and flags of those that are settled.
    pub offsets: Vec<Vec3>,
    pub settled: Vec<bool>,
    forces: Vec<Vec<Vec3>>,
    /// Residual wrench, newtons and newton metres about the root joint.
    residual: Vec<Vec6>,
    torques: Vec<Vec<Vec3>>,
}

impl PartialSolution {
    pub fn new(frames: usize, interval_count: usize, body: &Body) -> Self {
        Self {
            unknowns: body.unknowns,
            x: vec![0.0; frames * body.unknowns],
            offsets: vec![Vec3::zeros(); interval_count],
            settled: vec![false; interval_count],
            forces: vec![Vec::new(); frames],
            residual: vec![Vec6::zeros(); frames],
            torques: vec![Vec::new(); frames],
        }
    }

    /// Starts from an earlier solution for a plan that differs in few frames.
    pub fn of(before: &Solution, interval_count: usize, body: &Body) -> Self {
        let Solved { forces, residual, torques, .. } = &before.solved;
        Self {
            unknowns: body.unknowns,
            x: before.x.clone(),
            offsets: vec![Vec3::zeros(); interval_count],
            settled: vec![true; interval_count],
            forces: forces.clone(),
            residual: residual.clone(),
            torques: torques.clone(),
        }
    }

    /// Frees the offsets of contact intervals that lie wholly in frames solved again.
    pub fn loosen(&mut self, plan: &ContactPlan, frames: usize, pieces: &[(usize, Piece)]) {
        let mut free = vec![false; frames];
        for (_, piece) in pieces {
            free[piece.from + piece.fixed..piece.to - piece.tail].fill(true);
        }
        self.settled.fill(false);
        for t in (0..frames).filter(|&t| !free[t]) {
            let stand = plan.targets[t].iter().filter_map(|target| target.interval);
            let contact = plan.unloaded.get(t).into_iter().flatten().filter_map(|contact| contact.interval);
            stand.chain(contact).for_each(|interval| self.settled[interval] = true);
        }
    }

    /// Returns the unknowns of some frames.
    pub fn x(&self, from: usize, count: usize) -> &[Real] {
        &self.x[from * self.unknowns..(from + count) * self.unknowns]
    }

    /// Takes the solution of a piece. The wrench of its last frame depends on the next one, so that the next piece computes it
    /// again.
    pub fn take(&mut self, piece: &Piece, problem: &Problem, motion: &Motion) {
        let n = self.unknowns;
        let kept = piece.keep - piece.from;
        self.x[piece.from * n..piece.keep * n].copy_from_slice(&motion.x[..kept * n]);
        for interval in
            problem.frames[..kept].iter().flat_map(|frame| frame.targets).filter_map(|target| target.interval)
        {
            self.settled[interval] = true;
            if let Some(step) = motion.offsets.get(interval) {
                self.offsets[interval] = *step;
            }
        }
        let body = problem.body;
        let weight = body.weight();
        let first = piece.fixed.saturating_sub(1);
        let shared = problem.share_forces(motion);
        // A fixed tail keeps the wrench of its last frame, which depends on the frame after it.
        for t in first..kept - piece.tail.min(1) {
            // The ends of a clip have no acceleration and take that of their neighbours.
            let last = problem.frames.len() - 1;
            let alive =
                if problem.cycle.is_some() { t } else { t.clamp(1.min(last), last.saturating_sub(1).max(1.min(last))) };
            let frame = &problem.frames[t];
            let mut amounts = shared.amounts[t].clone();
            let (forces, left) = match (problem.moment(alive, motion), &shared.left[alive]) {
                (Some(_), Some(left)) if alive == t => (
                    (0..frame.edges.targets()).map(|target| motion.edges[t].force(&amounts, target) * weight).collect(),
                    *left,
                ),
                (Some(_), Some(_)) => {
                    let mut wanted = motion.wrenches[alive];
                    let shift = (problem.frames[alive].origin - frame.origin) / body.height;
                    let force = wanted.fixed_rows::<3>(0).into_owned();
                    let mut torque = wanted.fixed_rows_mut::<3>(3);
                    torque += shift.cross(&force);
                    let mut edges = Edges::default();
                    let step = |target: usize| problem.offset_of(frame.targets[target].interval, motion) / body.height;
                    edges.move_from(&frame.edges, step);
                    edges.response(&wanted, &super::window::LAST, &mut amounts);
                    let forces = (0..edges.targets()).map(|target| edges.force(&amounts, target) * weight);
                    // The residual of a borrowed acceleration says nothing about the clip.
                    (forces.collect(), Vec6::zeros())
                }
                _ => (vec![Vec3::zeros(); frame.edges.targets()], Vec6::zeros()),
            };
            let root = motion.places[t].joints[0];
            let force = left.fixed_rows::<3>(0) * weight;
            let torque = left.fixed_rows::<3>(3) * (weight * body.height) + (frame.origin - root).cross(&force);
            self.residual[piece.from + t] = Vec6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
            self.torques[piece.from + t] = match problem.moment(alive, motion) {
                Some(moment) => torques(problem, t, &moment, motion, &forces),
                None => vec![Vec3::zeros(); body.parts.len()],
            };
            self.forces[piece.from + t] = forces;
        }
    }
}

/// Computes the torques of all joints of a frame, N·m, world axes.
fn torques(problem: &Problem, t: usize, moment: &Moment, motion: &Motion, ground: &[Vec3]) -> Vec<Vec3> {
    let (body, places) = (problem.body, &motion.places[t]);
    let rate = 1.0 / (moment.step * moment.step);
    let count = body.parts.len();
    let (mut forces, mut torques) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (k, part) in body.parts.iter().enumerate() {
        let [before, now, after] = [moment.before, moment.now, moment.after].map(|places| places.centres[k]);
        let asked = ((after - now) - (now - before)) * rate + Vec3::y() * GRAVITY;
        let force = asked * part.mass;
        let turning = (moment.before.rotations[k] + moment.after.rotations[k])
            * part.second_moment
            * moment.now.rotations[k].transpose();
        let spin = super::body::axial(&turning) * rate;
        torques.push(spin + (places.centres[k] - places.joints[k]).cross(&force));
        forces.push(force);
    }
    for (target, force) in problem.frames[t].targets.iter().zip(ground) {
        let segment = problem.plan.corners[target.corner].segment;
        forces[segment] -= force;
        let place = target.place + problem.offset_of(target.interval, motion);
        torques[segment] -= (place - places.joints[segment]).cross(force);
    }
    for k in (0..count).rev() {
        if let Some(parent) = body.parts[k].parent {
            let (force, torque): (Vec3, Vec3) = (forces[k], torques[k]);
            forces[parent] += force;
            torques[parent] += torque + (places.joints[k] - places.joints[parent]).cross(&force);
        }
    }
    torques
}

impl Track<'_> {
    /// Builds the clip of the solution.
    pub fn finish(&self, mut found: PartialSolution, windows: Vec<WindowReport>) -> Result<Solution, SolveError> {
        let (figure, clip) = (self.solve.figure, self.solve.clip);
        let (frames, joints) = (clip.frames(), clip.joints());
        let scaled = clip.scales().clone();
        let mut moved = clip.translations().joints.clone();
        let placed = (0..self.body.parts.len()).filter(|&k| figure.is_placed(k));
        moved.extend(placed.map(|k| figure.segment(k).joint));
        moved.sort_unstable();
        moved.dedup();
        let (mut rotations, mut translations) = (Vec::with_capacity(frames * joints), Vec::new());
        let mut pose = figure.skeleton().rest_pose();
        let (mut world, mut placements, mut held) = (Vec::new(), Vec::new(), Vec::<CapturedJoint>::new());
        for frame in 0..frames {
            let wraps = self.cycle.filter(|_| frame + 1 == frames);
            let shown = if wraps.is_some() { 0 } else { frame };
            clip.pose_into(shown, &mut pose);
            figure.placements_into(&pose, &mut world, &mut placements);
            held.clear();
            self.body.relative_joints(&placements, &mut held);
            let heading = self.cycle.map_or(0.0, |cycle| cycle.yaw * shown as Real / (frames - 1) as Real);
            self.placements(&held, heading, found.x(shown, 1), &mut placements);
            if let Some(cycle) = wraps {
                clip.pose_into(frame, &mut pose);
                for placement in &mut placements {
                    placement.position = cycle.point(&placement.position);
                    placement.rotation = cycle.rotation() * placement.rotation;
                }
            }
            figure.pose_with(&placements, &mut pose, &mut world);
            rotations.extend_from_slice(&pose.rotations);
            translations.extend(moved.iter().map(|&joint| pose.translations[joint]));
        }
        if let (Some(cycle), true) = (self.cycle, frames > 1) {
            let last = frames - 1;
            let rotation = cycle.rotation();
            // Contact targets of the first and the last frame are the same only if the plan has as many.
            let same = self.solve.plan.targets[last].len() == found.forces[0].len();
            let none = vec![Vec3::zeros(); self.solve.plan.targets[last].len()];
            found.forces[last] = if same { found.forces[0].iter().map(|f| rotation * f).collect() } else { none };
            found.torques[last] = found.torques[0].iter().map(|torque| rotation * torque).collect();
            let wrench = found.residual[0];
            let (force, torque) = (rotation * wrench.fixed_rows::<3>(0), rotation * wrench.fixed_rows::<3>(3));
            found.residual[last] = Vec6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
        }
        let translations = Tracks { joints: moved, values: translations };
        let clip = Clip::new(clip.name.clone(), clip.rate_hz(), joints, rotations, translations, scaled)?;
        let PartialSolution { x, offsets, forces, residual, torques, .. } = found;
        let solved = Solved { clip, offsets, forces, residual, torques, windows };
        Ok(Solution { solved, x, spent: self.spent.get() })
    }

    /// Computes the placements of all segments' joints, with quaternions.
    fn placements(&self, held: &[CapturedJoint], heading: Real, x: &[Real], out: &mut Vec<Placement>) {
        out.clear();
        for (part, held) in self.body.parts.iter().zip(held) {
            let above = part.parent.map(|parent| out[parent]);
            let mut first = part.first;
            let mut own = Placement { position: held.position, rotation: held.rotation };
            if part.translates {
                let shift = Vec3::new(x[first], x[first + 1], x[first + 2]);
                own.position += Quat::from_axis_angle(&Vec3::y_axis(), heading) * shift;
                first += 3;
            }
            own.rotation *= match part.freedom {
                Freedom::None => Quat::identity(),
                Freedom::One(axis) => Quat::new(axis * x[first]),
                Freedom::Three => Quat::new(Vec3::new(x[first], x[first + 1], x[first + 2])),
            };
            out.push(above.map_or(own, |above| above.then(&own)));
        }
    }
}
