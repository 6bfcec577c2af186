//! Distances of hands from each other and from the body.
//!
//! Arms of another length would bring clapping hands apart and folded arms into the chest. Where a palm of the source is within
//! a hand's breadth of the other one, or of a bone of head, trunk, legs or the other arm, the palm of the target is led to the
//! same place beside the same bone: at the same share of the bone's length, in the same direction, at the same distance from
//! the skin. The weight falls with the distance, to zero at two hands' breadths.

use crate::dynamics::Shape;
use crate::figure::body::Body;
use crate::figure::{Figure, SolePart};
use crate::math::{Quat, Real, Vec3};
use crate::motion::{REFERENCE_HEIGHT, Role, Side};

/// Point on a joint.
#[derive(Clone, Copy, Debug)]
struct Place {
    joint: usize,
    local: Vec3,
}

impl Place {
    fn world(&self, place: &dyn Fn(usize) -> Vec3, rotation: &dyn Fn(usize) -> Quat) -> Vec3 {
        place(self.joint) + rotation(self.joint) * self.local
    }
}

/// Bone that a hand may come near to.
#[derive(Clone, Copy, Debug)]
struct Bone {
    ends: [Place; 2],
    radius: Real,
}

/// Bone on both bodies, and the arm it belongs to.
struct Shared {
    source: Bone,
    target: Bone,
    arm: Option<Side>,
}

/// Bones and palms whose distances are kept.
pub(super) struct Hands {
    bones: Vec<Shared>,
    palms: [[Place; 2]; 2],
    /// Size scale of the source.
    size: Real,
}

/// Positions of palms and bones of the source in a frame, metres.
pub(super) struct Near {
    palms: [Vec3; 2],
    bones: Vec<[Vec3; 2]>,
}

/// Distance up to which it is kept wholly, and beyond which not at all, metres for the reference height.
const NEAR: Real = 0.1;
const FAR: Real = 0.25;

impl Hands {
    pub fn new(source: &Body, target: &Body) -> Option<Hands> {
        let palms = |body: &Body| {
            let palm = |side: Side| {
                let limb = body.limb(false, side)?;
                let at = limb.soles.iter().find(|sole| sole.part == SolePart::Palm)?.at;
                Some(Place { joint: limb.end, local: at.local })
            };
            Some([palm(Side::Left)?, palm(Side::Right)?])
        };
        let (Some(from), Some(to)) = (source.figure.as_ref(), target.figure.as_ref()) else { return None };
        let mut roles: Vec<(Role, Option<Side>)> = vec![(Role::Head, None), (Role::Hips, None)];
        roles.extend((0..8).map(|k| (Role::Spine(k), None)));
        for side in [Side::Left, Side::Right] {
            roles.extend([(Role::UpperLeg(side), None), (Role::LowerLeg(side), None)]);
            roles.extend([(Role::UpperArm(side), Some(side)), (Role::LowerArm(side), Some(side))]);
        }
        let bones = roles
            .into_iter()
            .filter_map(|(role, arm)| Some(Shared { source: bone(from, role)?, target: bone(to, role)?, arm }));
        Some(Hands {
            bones: bones.collect(),
            palms: [palms(source)?, palms(target)?],
            size: source.height() / REFERENCE_HEIGHT,
        })
    }

    /// Returns the positions of palms and bones of the source.
    pub fn observe(&self, place: &dyn Fn(usize) -> Vec3, rotation: &dyn Fn(usize) -> Quat) -> Near {
        let bones = self.bones.iter().map(|shared| shared.source.ends.map(|end| end.world(place, rotation)));
        Near { palms: self.palms[0].map(|palm| palm.world(place, rotation)), bones: bones.collect() }
    }

    /// Returns the displacements of the target's hands, left and right, metres.
    pub fn moves(&self, near: &Near, place: &dyn Fn(usize) -> Vec3, rotation: &dyn Fn(usize) -> Quat) -> [Vec3; 2] {
        let palms = self.palms[1].map(|palm| palm.world(place, rotation));
        let mut moves = [Vec3::zeros(); 2];
        for (hand, side) in [Side::Left, Side::Right].into_iter().enumerate() {
            let (mut sum, mut weights) = (Vec3::zeros(), 0.0);
            for (shared, [a, b]) in self.bones.iter().zip(&near.bones).filter(|(shared, _)| shared.arm != Some(side)) {
                let along = (b - a).norm_squared().max(1e-12);
                let share = ((near.palms[hand] - a).dot(&(b - a)) / along).clamp(0.0, 1.0);
                let away = near.palms[hand] - (a + (b - a) * share);
                let weight = self.weight(away.norm() - shared.source.radius);
                if weight > 0.0 {
                    let [a, b] = shared.target.ends.map(|end| end.world(place, rotation));
                    let distance = away.norm() - shared.source.radius + shared.target.radius;
                    let wanted = a + (b - a) * share + away.try_normalize(1e-6).unwrap_or_else(Vec3::zeros) * distance;
                    sum += (wanted - palms[hand]) * weight;
                    weights += weight;
                }
            }
            // One near bone decides alone; several share.
            moves[hand] = sum / Real::max(weights, 1.0);
        }
        let apart = near.palms[0] - near.palms[1];
        let weight = self.weight(apart.norm());
        let missing = (apart - (palms[0] + moves[0] - palms[1] - moves[1])) * (0.5 * weight);
        [moves[0] + missing, moves[1] - missing]
    }

    fn weight(&self, distance: Real) -> Real {
        let share = ((FAR - distance / self.size) / (FAR - NEAR)).clamp(0.0, 1.0);
        share * share * (3.0 - 2.0 * share)
    }
}

fn bone(figure: &Figure, role: Role) -> Option<Bone> {
    let segment = figure.segment(figure.with_role(role)?);
    let radius = segment.shapes.iter().map(|shape| match &shape.shape {
        Shape::Capsule { radius, .. } | Shape::Sphere { radius } => *radius,
        Shape::Box { half_extents } => half_extents.amin(),
        _ => 0.0,
    });
    let radius = radius.fold(0.0, Real::max);
    let place = |local: Vec3| Place { joint: segment.joint, local };
    Some(Bone { ends: [place(Vec3::zeros()), place(segment.end)], radius })
}
