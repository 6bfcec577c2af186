//! Capsule body for a skeleton: one tapered capsule per bone, each moved by one joint.
//!
//! Thickness comes from the joint's role where it is known, else from the bone's length, always as a share of the
//! figure's size, so that it fits an adult, a child and a fox. Helpers that lie between parts of the
//! body (twist joints, half-way joints) are parts of it. Bones that only carry the rig (root to hips from the ground,
//! weapon slots, far-away helpers) get no capsule, nor do the many small ones of a face.

use crate::math::real;
use crate::{Frame, Pose, Role, Skeleton, detect_roles};
use crate::{Real, Vec3};
use std::f64::consts::FRAC_PI_4;

/// Triangles whose vertices each follow one joint. Rest pose, metres, world space.
pub(super) struct Mesh {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub joints: Vec<u16>,
    pub indices: Vec<u32>,
}

/// Points around a capsule.
const AROUND: usize = 12;
/// Rings on each of its round ends.
const RINGS: usize = 4;
/// Largest length of a bone as a share of the size; the thigh, the longest, has a quarter.
const LONGEST_BONE: Real = 0.4;
/// Number of joints below which every bone gets a capsule.
const BODY: usize = 8;

/// Confidence below which a role is left open.
const SURE: Real = 0.5;

/// Number of joints on a head, above which they are a face rather than ears, jaw and hair.
const FACE: usize = 4;

/// Builds the body in the rest pose. Roles are detected if no joint has one. `seen` is a pose of the motion, for skeletons
/// whose rest pose is no posture.
pub(super) fn build(skeleton: &Skeleton, seen: &Pose) -> Mesh {
    let mut named = skeleton.clone();
    if skeleton.joints().iter().all(|joint| joint.role.is_none()) {
        for (joint, found) in detect_roles(skeleton).into_iter().enumerate().filter(|(_, g)| g.confidence >= SURE) {
            named.set_role(joint, found.role);
        }
    }
    join_limbs(&mut named);
    let skeleton = &named;
    let frames = skeleton.rest_pose().world(skeleton);
    let seen = seen.world(skeleton);
    let mut mesh = Mesh { positions: Vec::new(), normals: Vec::new(), joints: Vec::new(), indices: Vec::new() };
    let mut children = vec![0usize; skeleton.len()];
    for parent in skeleton.joints().iter().filter_map(|joint| joint.parent) {
        children[parent] += 1;
    }
    let body = skeleton.len() >= BODY;
    let has_child: Vec<bool> = children.iter().map(|&count| count > 0).collect();
    let size = size(skeleton, &frames.iter().map(|f| f.position).collect::<Vec<_>>(), &has_child);
    // True if the bone that ends at a joint has a capsule, and if one with a capsule leaves it.
    let mut has_capsule = vec![false; skeleton.len()];
    let mut continues = vec![false; skeleton.len()];
    let mut face = vec![false; skeleton.len()];
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let Some(parent) = joint.parent else { continue };
        let length = (frames[index].position - frames[parent].position).norm();
        let above = skeleton.joint(parent);
        let carries_rig =
            above.parent.is_none() && above.role.is_none() && children[parent] == 1 && length > 0.2 * size;
        face[index] = face[parent] || (above.role == Some(Role::Head) && children[parent] > FACE);
        let bare = carries_rig || face[index] || is_helper(skeleton, parent) || is_helper(skeleton, index);
        has_capsule[index] = !body || !(bare || matches!(joint.role, Some(Role::Eye(_))));
        continues[parent] |= has_capsule[index] && joint.role != Some(Role::Jaw);
    }
    for (index, joint) in skeleton.joints().iter().enumerate() {
        if let Some(parent) = joint.parent.filter(|_| has_capsule[index]) {
            let (from, to) = (frames[parent].position, frames[index].position);
            let ends = (thickness(skeleton, parent, index), thickness(skeleton, index, index));
            mesh.bone(parent, from, to, ends, size, body);
        }
        // A joint without a capsule has none to end.
        let reached = joint.parent.is_none() || has_capsule[index];
        if !continues[index] && reached && !is_helper(skeleton, index) {
            let tip = joint.tip.map(|tip| straightened(skeleton, index, &seen, tip, size).unwrap_or(tip));
            let tip = tip.map(|tip| frames[index].rotation * tip);
            let end = frames[index].position + tip.unwrap_or_else(|| beyond(skeleton, index, &frames, size));
            let ends = (thickness(skeleton, index, index), 0.75 * thickness(skeleton, index, index));
            mesh.bone(index, frames[index].position, end, ends, size, body);
        }
    }
    if mesh.positions.is_empty() {
        mesh.capsule(0, frames[0].position, frames[0].position + Vec3::y() * (0.02 * size), 0.03 * size, 0.03 * size);
    }
    mesh
}

/// Gives helpers between two parts of the body the role of the first: a twist joint in a shin is shin. Those that lead
/// only to eyes and a jaw stay helpers.
fn join_limbs(skeleton: &mut Skeleton) {
    let mut leads_on = vec![false; skeleton.len()];
    for index in (0..skeleton.len()).rev() {
        let joint = skeleton.joint(index);
        let part = joint.role.is_some_and(|role| !matches!(role, Role::Helper | Role::Eye(_) | Role::Jaw));
        if let Some(parent) = joint.parent.filter(|_| part || leads_on[index]) {
            leads_on[parent] = true;
        }
    }
    // Parents come first, so that a row of helpers takes its role from one to the next.
    for (index, leads_on) in leads_on.into_iter().enumerate() {
        if leads_on
            && is_helper(skeleton, index)
            && let Some(parent) = skeleton.joint(index).parent
        {
            skeleton.set_role(index, skeleton.joint(parent).role);
        }
    }
}

/// Returns a corrected tip of the head, in its own frame, if its tip points neither along the neck nor away from the hips:
/// some producers let every end point along one axis.
fn straightened(skeleton: &Skeleton, joint: usize, seen: &[Frame], tip: Vec3, size: Real) -> Option<Vec3> {
    let parent = skeleton.joint(joint).parent.filter(|_| skeleton.joint(joint).role == Some(Role::Head))?;
    let hips = skeleton.joints().iter().position(|joint| joint.role == Some(Role::Hips)).unwrap_or(0);
    let from = |other: usize| seen[joint].rotation.inverse() * (seen[joint].position - seen[other].position);
    let along_neck = from(parent).try_normalize(1e-9)?;
    let aside = tip.angle(&along_neck) > FRAC_PI_4 && tip.angle(&from(hips)) > FRAC_PI_4;
    aside.then(|| along_neck * (0.1 * size))
}

/// Returns the longest side of the box around the joints. Roots and leaves on very long bones may lie far from the body and
/// do not count.
fn size(skeleton: &Skeleton, positions: &[Vec3], has_child: &[bool]) -> Real {
    let body = skeleton.len() >= BODY;
    let mut counted: Vec<usize> = (0..skeleton.len())
        .filter(|&j| !body || (skeleton.joint(j).parent.is_some() && !is_helper(skeleton, j)))
        .collect();
    let mut size = 1.0;
    // Each round may show more leaves to be far out; a few are enough for any rig.
    for _ in 0..8 {
        let points = || counted.iter().map(|&j| positions[j]);
        let low = points().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = points().reduce(|a, b| a.sup(&b)).unwrap_or_default();
        let extent = (high - low).amax();
        let before = counted.len();
        if body {
            counted.retain(|&j| has_child[j] || skeleton.bone_length(j) <= LONGEST_BONE * extent);
        }
        let tips = skeleton.joints().iter().filter_map(|j| j.tip).map(|t| t.norm()).fold(0.0, Real::max);
        size = if body { extent } else { extent.max(tips) };
        if counted.len() == before || counted.is_empty() {
            break;
        }
    }
    if size > 1e-6 { size } else { 1.0 }
}

fn is_helper(skeleton: &Skeleton, joint: usize) -> bool {
    skeleton.joint(joint).role == Some(Role::Helper)
}

/// Radius at `joint` of the bone that ends at `end`, as a share of the figure's size; 0 means by length.
fn thickness(skeleton: &Skeleton, joint: usize, end: usize) -> Real {
    use Role::*;
    match (skeleton.joint(joint).role, skeleton.joint(end).role) {
        (_, Some(Finger(..))) | (Some(Finger(..)), _) => 0.0065,
        (_, Some(Eye(_) | Jaw)) => 0.012,
        (Some(Hips), Some(UpperLeg(_))) => 0.06,
        (Some(Hips), _) => 0.072,
        (Some(Spine(_)), Some(Shoulder(_) | UpperArm(_))) => 0.04,
        (Some(Spine(_)), _) => 0.07,
        (Some(Neck(_)), _) => 0.032,
        (Some(Head), _) => 0.05,
        (Some(Shoulder(_)), _) => 0.032,
        (Some(UpperArm(_)), _) => 0.028,
        (Some(LowerArm(_)), _) => 0.022,
        (Some(Hand(_)), _) => 0.018,
        (Some(UpperLeg(_)), _) => 0.046,
        (Some(LowerLeg(_)), _) => 0.032,
        (Some(Foot(_)), _) => 0.022,
        (Some(Toes(_)), _) => 0.016,
        (Some(Tail(_)), _) => 0.015,
        _ => 0.0,
    }
}

/// Returns the end of the bone of a leaf joint without a known tip.
fn beyond(skeleton: &Skeleton, joint: usize, frames: &[Frame], size: Real) -> Vec3 {
    let along = match skeleton.joint(joint).parent {
        Some(parent) => frames[joint].position - frames[parent].position,
        None => Vec3::zeros(),
    };
    let direction = along.try_normalize(1e-9).unwrap_or(Vec3::y());
    let share = match skeleton.joint(joint).role {
        Some(Role::Head) => 0.1,
        Some(Role::Finger(..) | Role::Eye(_)) => 0.015,
        _ => 0.04,
    };
    direction * (0.5 * along.norm()).clamp(0.01 * size, share * size).max(if share > 0.05 { share * size } else { 0.0 })
}

impl Mesh {
    fn bone(&mut self, joint: usize, from: Vec3, to: Vec3, shares: (Real, Real), size: Real, body: bool) {
        let length = (to - from).norm();
        if length < 1e-3 * size || (body && length > LONGEST_BONE * size) {
            return;
        }
        let by_length = (0.16 * length).clamp(0.006 * size, 0.04 * size);
        let radius = |share: Real| if share > 0.0 { share * size } else { by_length };
        // A capsule much thicker than long is a ball that hides its neighbours.
        let (start, end) = (radius(shares.0).min(0.7 * length), radius(shares.1).min(0.7 * length));
        self.capsule(joint, from, to, start, end);
    }

    /// Adds two half-balls of different radius and the cone that touches both: the surface is inclined by `tilt`.
    fn capsule(&mut self, joint: usize, from: Vec3, to: Vec3, start: Real, end: Real) {
        let Ok(joint) = u16::try_from(joint) else { return };
        let length = (to - from).norm();
        let axis = (to - from) / length;
        let side = axis.cross(&if axis.y.abs() < 0.9 { Vec3::y() } else { Vec3::x() }).normalize();
        let front = axis.cross(&side);
        let tilt = real::asin(((start - end) / length).clamp(-0.95, 0.95));
        let first = self.positions.len() as u32;
        // Latitudes from the start's pole to the end's; the cone joins the two rings at `tilt`.
        let quarter = std::f64::consts::FRAC_PI_2;
        let ring = |k: usize, low: Real, high: Real| low + (high - low) * k as Real / RINGS as Real;
        let bottom = (0..=RINGS).map(|k| (from, start, ring(k, -quarter, tilt)));
        let top = (0..=RINGS).map(|k| (to, end, ring(k, tilt, quarter)));
        let rings: Vec<_> = bottom.chain(top).collect();
        for &(centre, radius, latitude) in &rings {
            for k in 0..AROUND {
                let turn = std::f64::consts::TAU * k as Real / AROUND as Real;
                let out = (side * real::cos(turn) + front * real::sin(turn)) * real::cos(latitude)
                    + axis * real::sin(latitude);
                let out = out.normalize();
                let place = centre + out * radius;
                self.positions.push([place.x as f32, place.y as f32, place.z as f32]);
                self.normals.push([out.x as f32, out.y as f32, out.z as f32]);
                self.joints.push(joint);
            }
        }
        let around = AROUND as u32;
        for band in 0..rings.len() as u32 - 1 {
            for k in 0..around {
                let (a, b) = (first + band * around + k, first + band * around + (k + 1) % around);
                let (c, d) = (a + around, b + around);
                // At the poles one of the two triangles has no area.
                if band > 0 {
                    self.indices.extend([a, b, d]);
                }
                if band + 2 < rings.len() as u32 {
                    self.indices.extend([a, d, c]);
                }
            }
        }
    }
}
