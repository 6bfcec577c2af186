//! Facing of a figure's segments: the direction in which each of them faces in the anatomical position (standing, palms
//! forward), in the frame of its own joint.
//!
//! It follows from the figure alone, not from the way its bones lie in a rest pose: trunk and pelvis face across their
//! pairs of limbs, thighs and shanks across the axis of the knee, arms across that of the elbow, hands away from the backs
//! of their fingers, feet along their soles. A segment without such a mark takes the facing of its neighbour in the middle
//! of the joint's range.

use super::loft::across;
use crate::dynamics::Shape;
use crate::figure::{Figure, Segment, SegmentShape, SolePart};
use crate::math::{Quat, Real, Vec3};
use crate::motion::{Role, Side, detect_body};

/// Directions of all segments.
pub(super) struct Facing {
    /// Direction from a segment's joint along its bone, unit length.
    pub along: Vec<Vec3>,
    /// Direction that a segment faces, unit length, across its bone: the face, the chest, the kneecap, the crook of the
    /// elbow, the palm, the back of the foot. None for bodies whose left and right are unknown.
    pub front: Vec<Option<Vec3>>,
    /// Direction of the thumb, across the bone of a hand.
    pub thumb: Vec<Option<Vec3>>,
}

impl Facing {
    pub fn of(figure: &Figure) -> Facing {
        let along: Vec<Vec3> = figure.segments().iter().map(direction).collect();
        let left = lefts(figure);
        let mut facing = Facing { front: vec![None; along.len()], thumb: vec![None; along.len()], along };
        let is_person = is_person(figure);
        for (k, segment) in figure.segments().iter().enumerate() {
            let along = facing.along[k];
            let beside = left[k].map(|left| match segment.role {
                Some(Role::UpperLeg(_) | Role::LowerLeg(_) | Role::UpperArm(_) | Role::LowerArm(_)) => {
                    along.cross(&left)
                }
                _ => left.cross(&along),
            });
            let front = match segment.role {
                Some(Role::UpperLeg(side) | Role::LowerLeg(side)) if is_person => {
                    bending_axis(figure, k, Role::LowerLeg(side)).map(|axis| along.cross(&axis))
                }
                Some(Role::UpperArm(side) | Role::LowerArm(side)) if is_person => {
                    bending_axis(figure, k, Role::LowerArm(side)).map(|axis| axis.cross(&along))
                }
                Some(Role::Foot(_) | Role::Toes(_)) => sole_axes(figure, k).map(|(_, up)| up),
                _ => None,
            };
            facing.front[k] = front.or(beside).and_then(|front| across(&along, &front)).map(|(_, front)| front);
        }
        for side in [Side::Left, Side::Right] {
            facing.find_palm(figure, side);
        }
        facing
    }

    fn find_palm(&mut self, figure: &Figure, side: Side) {
        let Some(hand) = figure.with_role(Role::Hand(side)) else { return };
        let Some(thumb) = thumb_side(figure, hand, side) else { return };
        let Some((along, thumb)) = across(&self.along[hand], &thumb) else { return };
        let palm = along.cross(&thumb);
        self.front[hand] = Some(if side == Side::Left { palm } else { -palm });
        self.thumb[hand] = Some(thumb);
    }
}

/// Returns true for pelvis and spine.
pub(super) fn is_trunk(segment: &Segment) -> bool {
    match segment.role {
        Some(role) => matches!(role, Role::Hips | Role::Spine(_)),
        None => segment.parent.is_none(),
    }
}

/// Direction of a segment's bone. Boxes of the trunk have it as their first axis: the joint of a short pelvis may lie above
/// its end.
fn direction(segment: &Segment) -> Vec3 {
    match segment.shapes[..] {
        [SegmentShape { shape: Shape::Box { .. }, placement }] if is_trunk(segment) => placement.rotation * Vec3::x(),
        _ => segment.end.try_normalize(1e-9).unwrap_or_else(Vec3::y),
    }
}

/// Returns true for a figure with the build of a human body.
pub(super) fn is_person(figure: &Figure) -> bool {
    figure.sole_points().iter().any(|sole| sole.part == SolePart::Heel)
        || [Role::UpperLeg(Side::Left), Role::LowerArm(Side::Left), Role::Head].iter().all(|role| {
            figure.with_role(*role).is_some() && figure.source == crate::figure::SegmentSource::Anthropometric
        })
}

/// Left of every segment in its own frame, where pairs of limbs or a neighbour tell it.
fn lefts(figure: &Figure) -> Vec<Option<Vec3>> {
    let segments = figure.segments();
    let mut left: Vec<Option<Vec3>> = vec![None; segments.len()];
    let pairs: [fn(Side) -> Role; 3] = [Role::UpperLeg, Role::Shoulder, Role::UpperArm];
    for pair in pairs {
        let [a, b] = [Side::Left, Side::Right].map(|side| figure.with_role(pair(side)));
        let (Some(a), Some(b)) = (a, b) else { continue };
        if let (Some(on), true) = (segments[a].parent, segments[a].parent == segments[b].parent) {
            let way = segments[a].attachment.frame_a.position - segments[b].attachment.frame_a.position;
            left[on] = left[on].or(way.try_normalize(1e-3 * figure.height));
        }
    }
    // Outwards and inwards from known segments, one joint at a time.
    for _ in 0..segments.len() {
        let before = left.clone();
        for (k, segment) in segments.iter().enumerate() {
            let Some(parent) = segment.parent else { continue };
            let turn = segment.attachment.turn(&Quat::identity());
            match (before[parent], before[k]) {
                (Some(known), None) if left[k].is_none() => left[k] = Some(turn.inverse() * known),
                (None, Some(known)) if left[parent].is_none() => left[parent] = Some(turn * known),
                _ => {}
            }
        }
        if left == before {
            break;
        }
    }
    left
}

/// Axis of a knee or elbow in the frame of the segment below it, or of the one above it. A positive rotation bends.
fn bending_axis(figure: &Figure, segment: usize, joint: Role) -> Option<Vec3> {
    let lower = figure.with_role(joint)?;
    let attachment = &figure.segment(lower).attachment;
    if lower == segment {
        return Some(attachment.frame_b * Vec3::z());
    }
    (figure.segment(lower).parent == Some(segment)).then(|| attachment.frame_a.rotation * Vec3::z())
}

/// Forward and upward directions of a foot or of toes, from the points of its sole.
pub(super) fn sole_axes(figure: &Figure, segment: usize) -> Option<(Vec3, Vec3)> {
    let points = || figure.sole_points().iter().filter(move |sole| sole.segment == segment);
    let across = points().map(|sole| sole.across).max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
    let of = |part: SolePart| points().find(|sole| sole.part == part).map(|sole| sole.point);
    let forward = match (of(SolePart::Heel), of(SolePart::Tip).or(of(SolePart::Ball))) {
        (Some(heel), Some(front)) => front - heel,
        (None, Some(tip)) => tip,
        _ => return None,
    };
    let lateral = across.try_normalize(1e-9)?;
    let forward = (forward - lateral * lateral.dot(&forward)).try_normalize(1e-9)?;
    Some((forward, forward.cross(&lateral)))
}

/// Direction from the little finger towards the thumb in the frame of a hand: by the roots of the fingers where the
/// skeleton has them, else by the width of the hand, whose shape is set up with the thumb to the front.
fn thumb_side(figure: &Figure, hand: usize, side: Side) -> Option<Vec3> {
    let skeleton = figure.skeleton();
    let carrier = figure.segment(hand).joint;
    let roles = detect_body(skeleton, None).roles;
    let root = |finger: u8| {
        let joint = roles.iter().position(|guess| guess.role == Some(Role::Finger(side, finger, 0)))?;
        // The offset of a finger's root is fixed in the hand, unlike the rotation of its joints.
        (skeleton.joint(joint).parent == Some(carrier)).then(|| skeleton.joint(joint).offset)
    };
    let knuckles: Vec<Vec3> = (1..5).filter_map(root).collect();
    if let [first, .., last] = knuckles[..] {
        return Some(first - last);
    }
    if let (Some(thumb), Some(finger)) = (root(0), knuckles.first()) {
        return Some(thumb - finger);
    }
    figure.segment(hand).shapes.first().map(|shape| shape.placement.rotation * Vec3::y())
}

/// Largest coordinate along a direction over the shapes of a segment, frame of its joint, metres.
pub(super) fn reach(figure: &Figure, segment: usize, direction: &Vec3) -> Option<Real> {
    let shapes = figure.segment(segment).shapes.iter();
    let farthest = shapes.filter_map(|part| {
        let local = part.placement.rotation.inverse_transform_vector(direction);
        part.shape.support(&local).map(|point| part.placement.point(&point).dot(direction))
    });
    farthest.reduce(Real::max)
}
