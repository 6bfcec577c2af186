//! Body model of the optimiser: coordinates, places, the wrench that a motion requires, and its derivatives.
//!
//! A coordinate turns (or shifts) a segment and everything that hangs on it. With the world axis u of a turn about the
//! joint p and the spread Σ = ∫ s sᵀ dm of a segment about its centre c, points x of frame t and y of the frames before
//! and after (both seen from a fixed o) ask for
//!
//!   F = Σ m (ÿ_c − γ)         τ = Σ m x × (y₊ + y₋)/h² − x × m γ          (x × x = 0 takes the −2x out of ÿ)
//!
//! Sums over the points of a segment are closed: Σ m y xᵀ = m y_c x_cᵀ + R₊ Σ Rᵀ. A turn moves points by u × (x − p), so
//!
//!   ∂τ/∂(turn in t ± 1) = (tr A − A) u / h²,   A = Σ m (y − p) xᵀ      over the subtree
//!   ∂τ/∂(turn in t)     = (B − tr B) u,        B = Σ m (x − p) (y₊ + y₋ − h² γ)ᵀ / h²
//!
//! exactly: nothing is differentiated twice, no logarithms. Sums over subtrees are made once, leaf to root.

use crate::dynamics::Placement;
use crate::figure::{AttachmentKind, Figure, Limits};
use crate::math::{GRAVITY, Mat3, Quat, Real, Vec3, Vec6, real, skew};
use crate::motion::{GroundMove, Role};

/// Rotational degrees of freedom of a segment against its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Freedom {
    /// None: the captured rotation.
    None,
    /// Rotation about an axis of its own.
    One(Vec3),
    Three,
}

impl Freedom {
    pub fn count(self) -> usize {
        match self {
            Freedom::None => 0,
            Freedom::One(_) => 1,
            Freedom::Three => 3,
        }
    }
}

/// Segment of the model.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Parent segment; `None` for free segments.
    pub parent: Option<usize>,
    pub mass: Real,
    /// Second moment of mass ∫ s sᵀ dm about the centre of mass, segment axes.
    pub second_moment: Mat3,
    /// Centre of mass, joint frame.
    pub centre: Vec3,
    pub freedom: Freedom,
    /// Index of its first coordinate: translations of free segments, then rotations.
    pub first: usize,
    /// True if its position is unknown as well.
    pub translates: bool,
}

/// Captured placement of a segment in the frame of its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapturedJoint {
    pub position: Vec3,
    pub rotation: Quat,
}

/// Body and its coordinates.
pub(super) struct Body {
    pub parts: Vec<Part>,
    /// Number of coordinates of a frame.
    pub unknowns: usize,
    pub mass: Real,
    pub height: Real,
    /// Segment of each coordinate.
    pub carrier: Vec<usize>,
}

/// Mass of a subtree below which its joint keeps the captured rotation, over that of the body.
const LIGHT: Real = 0.015;

impl Body {
    /// Builds the model. `bears[k]` tells that segment k is in contact at some time, `root` that the positions of free segments
    /// are unknown.
    pub fn new(figure: &Figure, bears: &[bool], root: bool) -> Self {
        let segments = figure.segments();
        let parent_of = |k: usize| segments[k].parent.filter(|_| segments[k].attachment.kind != AttachmentKind::Free);
        let mass = figure.mass();
        let mut subtree_mass: Vec<Real> = segments.iter().map(|segment| segment.mass.mass).collect();
        let mut needed = bears.to_vec();
        for k in (0..segments.len()).rev() {
            if let Some(parent) = parent_of(k) {
                subtree_mass[parent] += subtree_mass[k];
                needed[parent] |= needed[k];
            }
        }
        let (mut unknowns, mut carrier) = (0, Vec::new());
        let mut parts = Vec::with_capacity(segments.len());
        for (k, segment) in segments.iter().enumerate() {
            let parent = parent_of(k);
            let free = parent.is_none();
            let is_fixed = match segment.role {
                _ if needed[k] => false,
                // Neighbouring joints have the same effect at less cost.
                Some(Role::Neck(_) | Role::Head | Role::Shoulder(_)) => true,
                _ => subtree_mass[k] < LIGHT * mass,
            };
            let freedom = match segment.attachment.kind {
                _ if free && root => Freedom::Three,
                _ if free || is_fixed => Freedom::None,
                AttachmentKind::Fixed => Freedom::None,
                AttachmentKind::Hinge => Freedom::One(segment.attachment.frame_b * Vec3::z()),
                AttachmentKind::Ball | AttachmentKind::Universal | AttachmentKind::Free => Freedom::Three,
            };
            let translates = free && root;
            let first = unknowns;
            unknowns += freedom.count() + if translates { 3 } else { 0 };
            carrier.resize(unknowns, k);
            let inertia = segment.mass.inertia;
            let second_moment = Mat3::identity() * (0.5 * inertia.trace()) - inertia;
            let centre = segment.centre;
            parts.push(Part { parent, mass: segment.mass.mass, second_moment, centre, freedom, first, translates });
        }
        Self { parts, unknowns, mass, height: figure.height, carrier }
    }

    /// Appends the captured joints of one frame, each in the frame of its parent.
    pub fn relative_joints(&self, placements: &[Placement], out: &mut Vec<CapturedJoint>) {
        out.extend(self.parts.iter().zip(placements).map(|(part, own)| match part.parent {
            None => CapturedJoint { position: own.position, rotation: own.rotation },
            Some(parent) => {
                let above = &placements[parent];
                CapturedJoint {
                    position: above.local_point(&own.position),
                    rotation: above.rotation.inverse() * own.rotation,
                }
            }
        }));
    }

    /// Returns the rotation from the capture within which each joint stays inside its limits for certain, radians.
    pub fn slack(&self, figure: &Figure, held: &[CapturedJoint]) -> Vec<Real> {
        let slack = |(k, (part, held)): (usize, (&Part, &CapturedJoint))| {
            let attachment = &figure.segment(k).attachment;
            if part.freedom == Freedom::None || part.parent.is_none() || attachment.limits == Limits::None {
                return Real::INFINITY;
            }
            let relative = attachment.relative(&held.rotation);
            let least = match attachment.limits {
                Limits::None => Real::INFINITY,
                Limits::Hinge { range } => 0.5 * (range[1] - range[0]),
                Limits::SwingTwist { swing, twist } => swing[0].min(swing[1]).min(0.5 * (twist[1] - twist[0])),
            };
            let within =
                |room: &Real| 2.2 * room < least && narrowed(attachment.limits, 2.0 * room).excess(&relative) == 0.0;
            [0.3, 0.15, 0.08, 0.04].into_iter().find(within).unwrap_or(0.0)
        };
        self.parts.iter().zip(held).enumerate().map(slack).collect()
    }

    /// Weight of the body, newtons.
    pub fn weight(&self) -> Real {
        self.mass * GRAVITY
    }
}

/// Places of all segments in a frame, world space, metres.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pub joints: Vec<Vec3>,
    pub rotations: Vec<Mat3>,
    pub centres: Vec<Vec3>,
    /// World axis of each coordinate.
    pub axes: Vec<Vec3>,
}

impl Places {
    /// Returns a point of a segment in world space, given from its centre of mass along segment axes, metres.
    pub fn point(&self, segment: usize, local: &Vec3) -> Vec3 {
        self.centres[segment] + self.rotations[segment] * local
    }

    /// Places the segments with the capture changed by `x`; the axes of translation are rotated about the vertical by
    /// `heading`.
    pub fn set(&mut self, body: &Body, held: &[CapturedJoint], heading: Real, x: &[Real]) {
        self.joints.clear();
        self.rotations.clear();
        self.centres.clear();
        self.axes.clear();
        for (part, held) in body.parts.iter().zip(held) {
            let (mut position, above) = match part.parent {
                None => (held.position, None),
                Some(parent) => {
                    let above = self.rotations[parent];
                    (self.joints[parent] + above * held.position, Some(above))
                }
            };
            let mut first = part.first;
            if part.translates {
                let rotation = Quat::from_axis_angle(&Vec3::y_axis(), heading);
                for (k, axis) in [Vec3::x(), Vec3::y(), Vec3::z()].iter().enumerate() {
                    let axis = rotation * axis;
                    position += axis * x[first + k];
                    self.axes.push(axis);
                }
                first += 3;
            }
            let (rotation, steps) = match part.freedom {
                Freedom::None => (held.rotation, None),
                Freedom::One(axis) => (held.rotation * Quat::new(axis * x[first]), None),
                Freedom::Three => {
                    let theta = Vec3::new(x[first], x[first + 1], x[first + 2]);
                    (held.rotation * Quat::new(theta), Some(right_jacobian(&theta)))
                }
            };
            let rotation = rotation.to_rotation_matrix().into_inner();
            let rotation = above.map_or(rotation, |above| above * rotation);
            match (part.freedom, steps) {
                (Freedom::One(axis), _) => self.axes.push(rotation * axis),
                (_, Some(steps)) => {
                    let axes = rotation * steps;
                    self.axes.extend(axes.column_iter().map(|axis| axis.into_owned()));
                }
                _ => {}
            }
            self.joints.push(position);
            self.rotations.push(rotation);
            self.centres.push(position + rotation * part.centre);
        }
    }

    /// Writes the places displaced along the ground.
    pub fn moved(&self, by: &GroundMove, out: &mut Places) {
        let rotation = by.rotation().to_rotation_matrix().into_inner();
        let step = by.translation;
        out.clone_from(self);
        out.joints.iter_mut().chain(&mut out.centres).for_each(|p| *p = rotation * *p + step);
        out.rotations.iter_mut().for_each(|r| *r = rotation * *r);
        out.axes.iter_mut().for_each(|u| *u = rotation * *u);
    }

    /// Returns the centre of mass of the body.
    pub fn centre(&self, body: &Body) -> Vec3 {
        let sum: Vec3 = body.parts.iter().zip(&self.centres).map(|(part, c)| c * part.mass).sum();
        sum / body.mass
    }
}

/// Right Jacobian of the exponential map: exp(θ + d) = exp(θ) exp(J d), J = 1 − a [θ] + b [θ]².
pub(super) fn right_jacobian(theta: &Vec3) -> Mat3 {
    let square = theta.norm_squared();
    let (a, b) = if square < 1e-6 {
        (0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0)
    } else {
        let angle = square.sqrt();
        ((1.0 - real::cos(angle)) / square, (angle - real::sin(angle)) / (square * angle))
    };
    let cross = skew(theta);
    Mat3::identity() - cross * a + cross * cross * b
}

/// Three consecutive frames and the reference point of torques.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    pub before: &'a Places,
    pub now: &'a Places,
    pub after: &'a Places,
    pub origin: Vec3,
    /// Time between frames, seconds.
    pub step: Real,
}

/// Sums over subtrees, reused from frame to frame.
#[derive(Default)]
pub(super) struct Sums {
    mass: Vec<Real>,
    /// Σ m x, y₊, y₋ and Z of the centres.
    vectors: Vec<[Vec3; 4]>,
    /// A₊, A₋ and B, with o in place of the joint.
    matrices: Vec<[Mat3; 3]>,
}

/// Returns the required wrench of a motion: force over weight, torque over weight times height.
pub(super) fn wrench(body: &Body, moment: &Moment) -> Vec6 {
    let rate = 1.0 / (moment.step * moment.step);
    let (mut force, mut torque) = (Vec3::zeros(), Vec3::zeros());
    let mut turning = Mat3::zeros();
    for (k, part) in body.parts.iter().enumerate() {
        let [x, before, after] =
            [moment.now, moment.before, moment.after].map(|places| places.centres[k] - moment.origin);
        let asked = ((after - x) - (x - before)) * rate + Vec3::y() * GRAVITY;
        force += asked * part.mass;
        torque += x.cross(&asked) * part.mass;
        let [now, before, after] = [moment.now, moment.before, moment.after].map(|places| places.rotations[k]);
        turning += (before + after) * part.second_moment * now.transpose();
    }
    torque += axial(&turning) * rate;
    let (force, torque) = (force / body.weight(), torque / (body.weight() * body.height));
    Vec6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z)
}

/// Returns Σ x × y from Σ y xᵀ.
pub(super) fn axial(m: &Mat3) -> Vec3 {
    Vec3::new(m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)])
}

/// Computes the derivatives of [`wrench`] by the coordinates of the previous, this and the next frame. `out[b]` holds six
/// columns of `stride` rows, one for each coordinate.
pub(super) fn derivatives(body: &Body, moment: &Moment, sums: &mut Sums, out: [&mut [Real]; 3], stride: usize) {
    let rate = 1.0 / (moment.step * moment.step);
    let parts = &body.parts;
    let frames = [moment.before, moment.now, moment.after];
    sums.mass.clear();
    sums.vectors.clear();
    sums.matrices.clear();
    for (k, part) in parts.iter().enumerate() {
        let m = part.mass;
        let [before, x, after] = frames.map(|places| places.centres[k] - moment.origin);
        let [turned_before, turned, turned_after] = frames.map(|places| places.rotations[k]);
        let z = (before + after) * rate + Vec3::y() * GRAVITY;
        let spread = part.second_moment * turned.transpose();
        let (to_after, to_before) = (turned_after * spread, turned_before * spread);
        sums.mass.push(m);
        sums.vectors.push([x * m, after * m, before * m, z * m]);
        sums.matrices.push([
            (after * m) * x.transpose() + to_after,
            (before * m) * x.transpose() + to_before,
            (x * m) * z.transpose() + (to_after + to_before).transpose() * rate,
        ]);
    }
    for k in (0..parts.len()).rev() {
        let Some(parent) = parts[k].parent else { continue };
        sums.mass[parent] += sums.mass[k];
        for i in 0..4 {
            let own = sums.vectors[k][i];
            sums.vectors[parent][i] += own;
        }
        for i in 0..3 {
            let own = sums.matrices[k][i];
            sums.matrices[parent][i] += own;
        }
    }
    let scale = 1.0 / body.weight();
    let scale_torque = scale / body.height;
    let [out_before, out_now, out_after] = out;
    let write = |out: &mut [Real], column: usize, force: Vec3, torque: Vec3| {
        for i in 0..3 {
            out[i * stride + column] = force[i] * scale;
            out[(3 + i) * stride + column] = torque[i] * scale_torque;
        }
    };
    for (k, part) in parts.iter().enumerate() {
        let mass = sums.mass[k];
        let [x, after, before, z] = sums.vectors[k];
        let [a_after, a_before, b] = sums.matrices[k];
        let mut column = part.first;
        if part.translates {
            for _ in 0..3 {
                // A translation by u moves x or y by u.
                let [u_before, u, u_after] = frames.map(|places| places.axes[column]);
                write(out_before, column, u_before * (mass * rate), x.cross(&u_before) * rate);
                write(out_after, column, u_after * (mass * rate), x.cross(&u_after) * rate);
                write(out_now, column, u * (-2.0 * mass * rate), u.cross(&z));
                column += 1;
            }
        }
        if part.freedom == Freedom::None {
            continue;
        }
        let [p_before, p, p_after] = frames.map(|places| places.joints[k] - moment.origin);
        let about = |a: Mat3, p: Vec3, others: Vec3| a - p * others.transpose();
        let (a_before, a_after, b) = (about(a_before, p_before, x), about(a_after, p_after, x), about(b, p, z));
        let (moved_before, moved, moved_after) = (before - p_before * mass, x - p * mass, after - p_after * mass);
        for _ in 0..part.freedom.count() {
            let [u_before, u, u_after] = frames.map(|places| places.axes[column]);
            let inertia_times = |a: &Mat3, u: &Vec3| u * a.trace() - a * u;
            write(out_before, column, u_before.cross(&moved_before) * rate, inertia_times(&a_before, &u_before) * rate);
            write(out_after, column, u_after.cross(&moved_after) * rate, inertia_times(&a_after, &u_after) * rate);
            write(out_now, column, u.cross(&moved) * (-2.0 * rate), -inertia_times(&b, &u));
            column += 1;
        }
    }
}

/// Returns the angle by which a joint exceeds its limits, radians, and its gradient by the coordinates of the part.
pub(super) fn beyond_limits(
    figure: &Figure,
    k: usize,
    part: &Part,
    held: &CapturedJoint,
    x: &[Real],
    margin: Real,
) -> Option<(Real, Vec3)> {
    let segment = figure.segment(k);
    let limits = segment.attachment.limits;
    if limits == Limits::None || part.parent.is_none() {
        return None;
    }
    let limits = narrowed(limits, margin);
    let (rotation, steps) = match part.freedom {
        Freedom::None => return None,
        Freedom::One(axis) => (held.rotation * Quat::new(axis * x[part.first]), None),
        Freedom::Three => {
            let theta = Vec3::new(x[part.first], x[part.first + 1], x[part.first + 2]);
            (held.rotation * Quat::new(theta), Some(theta))
        }
    };
    let excess = |rotation: &Quat| limits.excess(&segment.attachment.relative(rotation));
    let depth = excess(&rotation);
    if depth <= 0.0 {
        return None;
    }
    let slope = |axis: Vec3| {
        let step = 1e-6;
        (excess(&(rotation * Quat::new(axis * step))) - excess(&(rotation * Quat::new(axis * -step)))) / (2.0 * step)
    };
    let slope = match (part.freedom, steps) {
        (Freedom::One(axis), _) => Vec3::new(slope(axis), 0.0, 0.0),
        (_, Some(theta)) => {
            right_jacobian(&theta).transpose() * Vec3::new(slope(Vec3::x()), slope(Vec3::y()), slope(Vec3::z()))
        }
        _ => Vec3::zeros(),
    };
    Some((depth, slope))
}

/// Returns limits narrowed by a margin, so that a soft limit still keeps within them.
fn narrowed(limits: Limits, margin: Real) -> Limits {
    let range =
        |[low, high]: [Real; 2]| if high - low > 4.0 * margin { [low + margin, high - margin] } else { [low, high] };
    match limits {
        Limits::None => Limits::None,
        Limits::Hinge { range: [low, high] } => Limits::Hinge { range: range([low, high]) },
        Limits::SwingTwist { swing, twist } => {
            Limits::SwingTwist { swing: swing.map(|angle| angle - margin.min(0.9 * angle)), twist: range(twist) }
        }
    }
}
