//! Mirroring: left and right exchanged.
//!
//! The rotation away from a symmetric reference pose (the rest pose) is D = W W₀⁻¹ for every joint, in world axes. With the reflections M across the plane of motion and M₀ across the plane of symmetry of the reference, the
//! mirrored figure's joint j does what its partner p did: D' = M D_p M₀, W' = D' W₀. This needs no relation between
//! the axes of the two sides, so it works for any rest rotations. Positions are mirrored as offsets from the reference in
//! the same way. Mirroring twice gives everything back, whatever the pairs, as M M = 1.
//!
//! When the reference is symmetric, the mirrored joint positions are exactly the reflected ones. When bones differ
//! in length, or the rest pose is no posture (rigs with all bones along one axis), the rotations are still those
//! of the other side but the positions are not; [`Mirror::asymmetry`] tells.

use super::clip_builder::{ClipBuilder, check};
use crate::{Clip, ClipError, Frame, Pose, Role, Skeleton, detect_roles, role_detection};
use crate::{Quat, Real, Vec3};

/// Exchanges left and right of a skeleton's motion.
///
/// ```
/// # use sinew_motion::{Clip, Joint, Skeleton, Tracks, edit::Mirror};
/// # use sinew_motion::{Quat, Vec3};
/// let arms = Skeleton::new(vec![
///     Joint::new("Chest", None, Vec3::y()),
///     Joint::new("LeftArm", Some(0), Vec3::x() * 0.2),
///     Joint::new("RightArm", Some(0), Vec3::x() * -0.2),
/// ])?;
/// let raise = Quat::from_axis_angle(&Vec3::z_axis(), 0.7);
/// let left_up = vec![Quat::identity(), raise, Quat::identity()];
/// let clip = Clip::new("", 30.0, 3, left_up, Tracks::default(), Tracks::default())?;
/// let right_up = Mirror::of(&arms).clip(&arms, &clip)?;
/// assert!(right_up.rotations(0)[2].angle_to(&raise.inverse()) < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mirror {
    /// Joint on the other side for every joint, itself for joints of the middle. A partner's partner is the joint itself.
    pub partners: Vec<usize>,
    /// Symmetric pose that rotations are measured from.
    pub reference: Pose,
    /// Normal of the reference's plane of symmetry, unit length, world axes.
    pub reference_normal: Vec3,
    /// Normal of the plane that the motion is mirrored across, unit length, world axes, horizontal.
    pub normal: Vec3,
}

/// Confidence below which a detected role pairs no joints.
const SURE: Real = 0.5;

impl Mirror {
    /// Pairs joints by role (given or detected), else by name, else by the symmetry of the rest pose.
    pub fn of(skeleton: &Skeleton) -> Mirror {
        Self::about(skeleton, skeleton.rest_pose())
    }

    /// Pairs joints as [`of`](Self::of) does, with another symmetric pose as reference, for rigs whose rest pose is none.
    pub fn about(skeleton: &Skeleton, reference: Pose) -> Mirror {
        let mut partners: Vec<Option<usize>> = vec![None; skeleton.len()];
        let roles: Vec<Option<Role>> = detect_roles(skeleton)
            .iter()
            .map(|g| g.role.filter(|&r| g.confidence >= SURE && r != Role::Helper && r.side().is_some()))
            .collect();
        let by_role = |j: usize| roles[j].and_then(|r| roles.iter().position(|&o| o == Some(r.mirrored())));
        pair(&mut partners, by_role);
        let named = role_detection::pairs_by_name(skeleton);
        pair(&mut partners, |j| named[j]);
        let frames = reference.world(skeleton);
        let reference_normal = normal_of(&partners, &frames);
        pair(&mut partners, |j| by_place(skeleton, &frames, &reference_normal, j));
        // A skeleton that lies on its side at rest is mirrored across an upright plane, too.
        let upright = reference_normal.y.abs() < 0.5;
        let flat = Vec3::new(reference_normal.x, 0.0, reference_normal.z);
        let normal = if upright { flat.normalize() } else { Vec3::x() };
        let reference_normal = if upright { normal } else { reference_normal };
        let partners = partners.iter().enumerate().map(|(j, p)| p.unwrap_or(j)).collect();
        Mirror { partners, reference, reference_normal, normal }
    }

    /// Returns the asymmetry of the reference: the largest distance between a joint and its reflected partner, as a
    /// fraction of the extent. 0 is perfectly symmetric; above 0.05 expect errors.
    pub fn asymmetry(&self, skeleton: &Skeleton) -> Real {
        let frames = self.reference.world(skeleton);
        let origin = plane_origin(&self.partners, &frames);
        let extent = frames.iter().map(|f| (f.position - origin).norm()).fold(Real::MIN_POSITIVE, Real::max);
        let off = |(j, f): (usize, &Frame)| {
            let partner = frames[self.partners[j]].position - origin;
            (f.position - origin - reflect(&self.reference_normal, &partner)).norm()
        };
        frames.iter().enumerate().map(off).fold(0.0, Real::max) / extent
    }

    /// Mirrors a clip.
    pub fn clip(&self, skeleton: &Skeleton, clip: &Clip) -> Result<Clip, ClipError> {
        check(skeleton, clip)?;
        let partnered = |joints: &[usize]| {
            let mut partners: Vec<usize> = joints.iter().map(|&j| self.partners[j]).collect();
            partners.sort_unstable();
            partners
        };
        let mut builder =
            ClipBuilder::with_tracks(partnered(&clip.translations().joints), partnered(&clip.scales().joints));
        let rest_rotations: Vec<Quat> = self.reference.world(skeleton).iter().map(|f| f.rotation).collect();
        let mut pose = skeleton.rest_pose();
        for frame in 0..clip.frames() {
            clip.pose_into(frame, &mut pose);
            builder.push(&self.mirrored(skeleton, &pose, &rest_rotations));
        }
        builder.finish(&clip.name, clip.rate_hz(), clip.joints())
    }

    /// Mirrors a pose.
    pub fn pose(&self, skeleton: &Skeleton, pose: &Pose) -> Pose {
        let rest_rotations: Vec<Quat> = self.reference.world(skeleton).iter().map(|f| f.rotation).collect();
        self.mirrored(skeleton, pose, &rest_rotations)
    }

    fn mirrored(&self, skeleton: &Skeleton, pose: &Pose, rest_rotations: &[Quat]) -> Pose {
        let unscaled = Pose { scales: None, ..pose.clone() };
        let world = unscaled.world(skeleton);
        // M D M₀ = (M M₀)(M₀ D M₀): the two planes differ by a rotation, 1 when they are the same.
        let between = if self.normal == self.reference_normal {
            Quat::identity()
        } else {
            let half = Quat::rotation_between(&self.reference_normal, &self.normal).unwrap_or_else(Quat::identity);
            half * half
        };
        let turns: Vec<Quat> = (0..skeleton.len())
            .map(|j| {
                let p = self.partners[j];
                let turn = world[p].rotation * rest_rotations[p].inverse();
                between * reflect_turn(&self.reference_normal, &turn) * rest_rotations[j]
            })
            .collect();
        let axes = |joint: usize| skeleton.joint(joint).parent.map_or(Quat::identity(), |p| rest_rotations[p]);
        let local = |j: usize| match skeleton.joint(j).parent {
            Some(parent) => turns[parent].inverse() * turns[j],
            None => turns[j],
        };
        let place = |j: usize| {
            let p = self.partners[j];
            let normal = if skeleton.joint(p).parent.is_none() { &self.normal } else { &self.reference_normal };
            let step = axes(p) * (pose.translations[p] - self.reference.translations[p]);
            self.reference.translations[j] + axes(j).inverse() * reflect(normal, &step)
        };
        Pose {
            translations: (0..skeleton.len()).map(place).collect(),
            rotations: (0..skeleton.len()).map(local).collect(),
            scales: pose.scales.as_ref().map(|s| self.partners.iter().map(|&p| s[p]).collect()),
        }
    }
}

/// Pairs the joints that are still single with what `partner` says, where both sides agree.
fn pair(partners: &mut [Option<usize>], partner: impl Fn(usize) -> Option<usize>) {
    for j in 0..partners.len() {
        if partners[j].is_none()
            && let Some(p) = partner(j)
            && p != j
            && partners[p].is_none()
            && partner(p) == Some(j)
        {
            partners[j] = Some(p);
            partners[p] = Some(j);
        }
    }
}

/// The direction from the right joints to the left ones, snapped to an axis it is close to; X without pairs.
fn normal_of(partners: &[Option<usize>], frames: &[Frame]) -> Vec3 {
    let mut sum = Vec3::zeros();
    for (j, partner) in partners.iter().enumerate() {
        let Some(p) = *partner else { continue };
        let across = frames[j].position - frames[p].position;
        // Either order of a pair spans the same line.
        sum += if sum.dot(&across) < 0.0 { -across } else { across };
    }
    let Some(normal) = sum.try_normalize(1e-9) else { return Vec3::x() };
    // Capture leaves a degree or two of crookedness; a figure is built along an axis.
    let near = [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().find(|axis| axis.dot(&normal).abs() > 0.98);
    near.unwrap_or(normal)
}

/// A point of the plane of symmetry: the middle of the joints without a partner, else of all.
fn plane_origin(partners: &[usize], frames: &[Frame]) -> Vec3 {
    let middle: Vec<usize> = (0..frames.len()).filter(|&j| partners[j] == j).collect();
    let joints = if middle.is_empty() { (0..frames.len()).collect() } else { middle };
    joints.iter().map(|&j| frames[j].position).sum::<Vec3>() / joints.len().max(1) as Real
}

/// The joint at the reflected place, within a hundredth of the figure's extent.
fn by_place(skeleton: &Skeleton, frames: &[Frame], normal: &Vec3, joint: usize) -> Option<usize> {
    let root = skeleton.roots().next()?;
    let origin = frames[root].position;
    let extent = frames.iter().map(|f| (f.position - origin).norm()).fold(0.0, Real::max);
    let image = reflect(normal, &(frames[joint].position - origin)) + origin;
    let distance = |j: &usize| (frames[*j].position - image).norm();
    let nearest = (0..frames.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    (distance(&nearest) < 0.01 * extent).then_some(nearest)
}

fn reflect(normal: &Vec3, v: &Vec3) -> Vec3 {
    v - normal * (2.0 * normal.dot(v))
}

/// M R M: the axis of a turn is no arrow, its part in the plane changes sign and that along the normal stays.
fn reflect_turn(normal: &Vec3, q: &Quat) -> Quat {
    let axis = -reflect(normal, &q.imag());
    Quat::new_unchecked(nalgebra::Quaternion::from_parts(q.w, axis))
}
