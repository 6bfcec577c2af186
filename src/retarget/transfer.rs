//! Posture transfer: postures of the source on the target, frame by frame, before contacts are held.
//!
//! Every joint of the target with a counterpart gets the rotation of that counterpart from the reference posture. Joints of
//! chains of different length (spine, neck, tail) lie between two counterparts and interpolate their rotations:
//!
//!   R_t = slerp(R_a Q_a⁻¹, R_b Q_b⁻¹, w) Q_t
//!
//! Spines of different shape bend alike and lead elsewhere. The spine of the target therefore rotates as a whole until the
//! shoulders are in the same direction from the hips as those of the source, so that arms and legs keep their directions
//! relative to the body.
//!
//! Joints without a counterpart keep their rest rotation. The middle of the hip joints follows that of the source, scaled by
//! the length of the legs and counted from the ground. The height below the ankle is the target's own:
//!
//!   y_t = g + s (y_s − g − drop_s) + drop_t

use super::unmapped_joints::unmapped_offsets;
use super::{Path, Whose};
use crate::anatomy::reference::swing;
use crate::figure::body::Body;
use crate::math::{Quat, Real, Vec3};
use crate::motion::{Frame, Role, Side, Skeleton};

/// Driver of a joint of the target.
#[derive(Clone, Copy, Debug)]
enum Driver {
    Rest,
    Follow { from: usize, to: usize, share: Real },
}

/// Mapping of postures from one body to another.
pub(super) struct Transfer<'a> {
    target: &'a Body,
    drivers: Vec<Driver>,
    /// Offset of each joint of the target, its own frame (`unmapped_joints`).
    offsets: Vec<Quat>,
    /// Q_s⁻¹ of every source joint.
    from_reference: Vec<Quat>,
    /// Length of the target's legs over that of the source's.
    pub scale: Real,
    /// Path of the root along the ground.
    path: Path,
    /// Height of the ground, metres.
    pub ground: Real,
    /// Height of the ankles of source and target above their soles, metres.
    drops: [Real; 2],
    root_points: [RootPoint; 2],
    /// Trunks of source and target, where both have one from legs to arms.
    trunks: Option<[Trunk; 2]>,
}

/// Trunk of an upright body, from the hip joints to the shoulders.
#[derive(Clone, Debug)]
struct Trunk {
    /// Upper legs and upper arms.
    ends: [[usize; 2]; 2],
    /// First joint of the spine, and the parent of the arms, if that is another one.
    spine: usize,
    chest: Option<usize>,
    /// Flags of the joints that rotate with the spine, but not neck and arms.
    rides: Vec<bool>,
}

impl Trunk {
    fn of(body: &Body) -> Option<Trunk> {
        let both = |role: fn(Side) -> Role| Some([body.joint(role(Side::Left))?, body.joint(role(Side::Right))?]);
        let ends = [both(Role::UpperLeg)?, both(Role::UpperArm)?];
        let spine = body.joint(Role::Spine(0)).filter(|_| body.is_upright())?;
        let above = std::iter::successors(Some(ends[1][0]), |&j| body.skeleton.joint(j).parent);
        let chest = above.into_iter().find(|&j| matches!(body.guesses[j].role, Some(Role::Spine(_))));
        let chest = chest.filter(|chest| *chest != spine);
        Some(Trunk { ends, spine, chest, rides: rides(body, spine, None) })
    }

    /// Returns the trunks of two bodies. The chest keeps its orientation, with its children, where both have enough of a spine
    /// below it. In one of them alone, the mapping would not be reversible.
    fn both(source: &Body, target: &Body) -> Option<[Trunk; 2]> {
        let (from, to) = (Trunk::of(source)?, Trunk::of(target)?);
        Some(match (from.below_chest(source), to.below_chest(target)) {
            (Some(from), Some(to)) => [from, to],
            _ => [from, to],
        })
    }

    /// Returns the trunk with a fixed chest; `None` where too little of it rotates.
    fn below_chest(&self, body: &Body) -> Option<Trunk> {
        let below = Trunk { rides: rides(body, self.spine, Some(self.chest?)), ..self.clone() };
        let [still, moved] = below.way(&body.skeleton, &body.references).map(|way| way.norm());
        (moved > LEVER * (still + moved)).then_some(below)
    }

    /// Returns the vector from the hip joints to the shoulders: the part that does not rotate with the spine, and the part that
    /// does.
    fn way(&self, skeleton: &Skeleton, world: &[Quat]) -> [Vec3; 2] {
        let mut way = [Vec3::zeros(); 2];
        for (ends, sign) in self.ends.iter().zip([-0.5, 0.5]) {
            for &end in ends {
                let mut joint = end;
                while let Some(parent) = skeleton.joint(joint).parent {
                    way[usize::from(self.rides[parent])] += world[parent] * skeleton.joint(joint).offset * sign;
                    joint = parent;
                }
            }
        }
        way
    }

    /// Returns the direction from the hip joints to the shoulders.
    fn direction(&self, frames: &[Frame]) -> Option<Vec3> {
        let [legs, arms] = self.ends.map(|[left, right]| 0.5 * (frames[left].position + frames[right].position));
        (arms - legs).try_normalize(1e-6)
    }

    /// Returns the rotation of the spine that aligns hips and shoulders with a direction.
    fn rotation_along(&self, skeleton: &Skeleton, world: &[Quat], direction: &Vec3) -> Option<Quat> {
        let [still, moved] = self.way(skeleton, world);
        // |λ d − still| = |moved|
        let along = still.dot(direction);
        let square = along * along + moved.norm_squared() - still.norm_squared();
        let wanted = direction * (along + square.max(0.0).sqrt()) - still;
        (square > 0.0 && moved.norm() > 1e-6 && moved.angle(&wanted) < MAX_ROTATION).then(|| swing(&moved, &wanted))
    }
}

/// Returns the joints that rotate with the spine, from its first one up to another one.
fn rides(body: &Body, spine: usize, up_to: Option<usize>) -> Vec<bool> {
    let mut rides = vec![false; body.skeleton.len()];
    for (j, joint) in body.skeleton.joints().iter().enumerate() {
        let leaves = matches!(body.guesses[j].role, Some(Role::Neck(_) | Role::Head | Role::UpperArm(_)));
        let leaves = leaves || Some(j) == up_to;
        rides[j] = j == spine || (!leaves && joint.parent.is_some_and(|parent| rides[parent]));
    }
    rides
}

/// Least share of the trunk that must rotate for the chest to stay fixed.
const LEVER: Real = 0.3;

/// Largest rotation of the spine, radians. Beyond it the two spines have nothing in common.
const MAX_ROTATION: Real = 0.6;

/// Root point of a body: the middle between the hip joints, else the pelvis joint.
#[derive(Clone, Copy, Debug)]
struct RootPoint {
    hips: usize,
    legs: Option<[usize; 2]>,
    /// Offset from the pelvis joint to the root point, metres, frame of the joint at rest.
    offset: Vec3,
}

impl RootPoint {
    fn of(body: &Body, by_legs: bool) -> Option<RootPoint> {
        let hips = body.joint(Role::Hips)?;
        let legs = [Side::Left, Side::Right].map(|side| body.joint(Role::UpperLeg(side)));
        let legs = if let ([Some(left), Some(right)], true) = (legs, by_legs) { Some([left, right]) } else { None };
        let rest = body.skeleton.rest_pose().world(&body.skeleton);
        let point = legs.map_or(rest[hips].position, |[l, r]| 0.5 * (rest[l].position + rest[r].position));
        Some(RootPoint { hips, legs, offset: rest[hips].rotation.inverse() * (point - rest[hips].position) })
    }

    fn point(&self, frames: &[Frame]) -> Vec3 {
        match self.legs {
            Some([left, right]) => 0.5 * (frames[left].position + frames[right].position),
            None => frames[self.hips].position,
        }
    }
}

impl<'a> Transfer<'a> {
    pub fn new(source: &'a Body, target: &'a Body, path: Path, ground: Real) -> Result<Self, Whose> {
        let mut transfer = Self::bare(source, target, path, ground)?;
        if let Ok(there) = Self::bare(target, source, path, ground) {
            transfer.offsets = unmapped_offsets(&there, &transfer, source, target);
        }
        Ok(transfer)
    }

    /// Builds the mapping without offsets.
    fn bare(source: &'a Body, target: &'a Body, path: Path, ground: Real) -> Result<Self, Whose> {
        let both_legs =
            |body: &Body| [Side::Left, Side::Right].iter().all(|&s| body.joint(Role::UpperLeg(s)).is_some());
        let by_legs = both_legs(source) && both_legs(target);
        let root_points = [
            RootPoint::of(source, by_legs).ok_or(Whose::Source)?,
            RootPoint::of(target, by_legs).ok_or(Whose::Target)?,
        ];
        let ratio =
            |of: fn(&Body) -> Option<Real>| Some(of(target)? / of(source)?).filter(|r| r.is_finite() && *r > 0.0);
        let scale = ratio(Body::leg_length)
            .or_else(|| ratio(Body::trunk_length))
            .or_else(|| ratio(|body| Some(body.height())))
            .unwrap_or(1.0);
        let drop = |body: &Body| {
            let legs: Vec<Real> = body.limbs.iter().filter(|limb| limb.is_leg).map(|limb| limb.drop).collect();
            legs.iter().sum::<Real>() / legs.len().max(1) as Real
        };
        let drops = match by_legs {
            true => [drop(source), drop(target)],
            false => [0.0; 2],
        };
        let drivers = (0..target.skeleton.len()).map(|j| driver(source, target, j)).collect();
        let from_reference = source.references.iter().map(Quat::inverse).collect();
        let trunks = Trunk::both(source, target);
        let offsets = vec![Quat::identity(); target.skeleton.len()];
        Ok(Transfer { target, drivers, offsets, from_reference, scale, path, ground, drops, root_points, trunks })
    }

    /// Returns the root point of the source, metres.
    pub fn source_point(&self, frames: &[Frame]) -> Vec3 {
        self.root_points[0].point(frames)
    }

    /// Appends the world orientations of the target's joints for a frame of the source.
    pub fn orientations(&self, source: &[Frame], world: &mut Vec<Quat>) {
        let base = world.len();
        self.driven(source, world);
        if let Some([from, to]) = &self.trunks
            && let Some(direction) = from.direction(source)
            && let Some(rotation) = to.rotation_along(&self.target.skeleton, &world[base..], &direction)
        {
            world[base..].iter_mut().zip(&to.rides).filter(|(_, rides)| **rides).for_each(|(q, _)| *q = rotation * *q);
        }
    }

    /// Appends the orientations before the spine is aligned.
    pub fn driven(&self, source: &[Frame], world: &mut Vec<Quat>) {
        let base = world.len();
        let rotation = |j: usize| source[j].rotation * self.from_reference[j];
        for (j, joint) in self.target.skeleton.joints().iter().enumerate() {
            let orientation = match self.drivers[j] {
                Driver::Rest => joint.parent.map_or(joint.rest, |p| world[base + p] * joint.rest),
                Driver::Follow { from, to, share } => {
                    let turned = if from == to || share == 0.0 {
                        rotation(from)
                    } else {
                        between(&rotation(from), &rotation(to), share)
                    };
                    turned * self.target.references[j]
                }
            };
            world.push(orientation * self.offsets[j]);
        }
    }

    /// Returns the root point of the target, metres; `floor` is the error of the source's floor.
    pub fn target_point(&self, source: &Vec3, floor: Real) -> Vec3 {
        let height = self.scale * (source.y - self.ground - floor - self.drops[0]) + self.drops[1];
        let way = self.way();
        Vec3::new(way * source.x, self.ground + height, way * source.z)
    }

    /// Returns the scale of horizontal displacements.
    pub fn way(&self) -> Real {
        match self.path {
            Path::Scaled => self.scale,
            Path::Kept => 1.0,
        }
    }

    pub fn source_hips(&self) -> usize {
        self.root_points[0].hips
    }

    /// Returns the displacement of the end of a limb that adapts the length of steps to the path, metres.
    pub fn longer_steps(&self, upper: &Vec3, end: &Vec3) -> Vec3 {
        match self.path {
            Path::Scaled => Vec3::zeros(),
            Path::Kept => {
                let way = (end - upper) * (1.0 - self.scale);
                Vec3::new(way.x, 0.0, way.z)
            }
        }
    }

    /// Returns the position of the target's pelvis joint for a root point.
    pub fn hips_place(&self, point: &Vec3, world: &[Quat]) -> Vec3 {
        let root_points = &self.root_points[1];
        point - world[root_points.hips] * root_points.offset
    }

    /// Returns the pelvis joint of the target.
    pub fn hips(&self) -> usize {
        self.root_points[1].hips
    }

    /// Returns true if a joint of the target follows the source, whatever its parent does.
    pub fn follows(&self, joint: usize) -> bool {
        matches!(self.drivers[joint], Driver::Follow { .. })
    }

    /// Computes the world positions of the target's joints with the pelvis joint at `hips`.
    pub fn places(&self, hips: &Vec3, world: &[Quat], places: &mut Vec<Vec3>) {
        let skeleton: &Skeleton = &self.target.skeleton;
        places.clear();
        for (j, joint) in skeleton.joints().iter().enumerate() {
            places.push(match joint.parent {
                _ if j == self.root_points[1].hips => *hips,
                None => joint.offset,
                Some(p) => places[p] + world[p] * joint.offset,
            });
        }
    }
}

/// Interpolates between orientations, the shorter way.
fn between(a: &Quat, b: &Quat, share: Real) -> Quat {
    a.try_slerp(b, share, 1e-12).unwrap_or(if share < 0.5 { *a } else { *b })
}

fn driver(source: &Body, target: &Body, joint: usize) -> Driver {
    let Some(role) = target.guesses[joint].role else { return Driver::Rest };
    // Driver at a position along a list of source joints.
    let along = |joints: &[usize], place: Real| match joints {
        [] => Driver::Rest,
        joints => {
            let last = joints.len() - 1;
            let place = place.clamp(0.0, last as Real);
            let at = (place.floor() as usize).min(last);
            let share = place - at as Real;
            // Rounding must not mix two joints.
            let share = if share < 1e-9 { 0.0 } else { share };
            Driver::Follow { from: joints[at], to: joints[(at + 1).min(last)], share }
        }
    };
    let chain = |numbered: fn(u8) -> Role, k: u8, end: Option<usize>| {
        let (own, mut from) = (target.chain(numbered).len(), source.chain(numbered));
        from.extend(end);
        let steps = from.len() as Real;
        let count = own as Real + if end.is_some() { 1.0 } else { 0.0 };
        (from, (Real::from(k) + 1.0) / count * steps)
    };
    let follow = |role: Role| source.joint(role).map(|from| Driver::Follow { from, to: from, share: 0.0 });
    match role {
        Role::Spine(k) => {
            let (from, place) = chain(Role::Spine, k, None);
            let mut joints: Vec<usize> = source.joint(Role::Hips).into_iter().collect();
            joints.extend(from);
            along(&joints, place)
        }
        Role::Neck(k) => {
            let head = source.joint(Role::Head).filter(|_| target.joint(Role::Head).is_some());
            let (from, place) = chain(Role::Neck, k, head);
            let chest = source.chain(Role::Spine).last().copied().or(source.joint(Role::Hips));
            let mut joints: Vec<usize> = chest.into_iter().collect();
            joints.extend(from);
            along(&joints, place)
        }
        Role::Head => follow(Role::Head)
            .or_else(|| source.chain(Role::Neck).last().map(|&from| Driver::Follow { from, to: from, share: 0.0 }))
            .unwrap_or(Driver::Rest),
        Role::Tail(k) if !source.chain(Role::Tail).is_empty() => {
            let (from, place) = chain(Role::Tail, k, None);
            let mut joints: Vec<usize> = source.joint(Role::Hips).into_iter().collect();
            joints.extend(from);
            along(&joints, place)
        }
        Role::Finger(side, finger, k) => {
            let own = (0..=k).rev().find_map(|k| source.joint(Role::Finger(side, finger, k)));
            // A mitten moves all fingers but the thumb.
            let mitten = || (finger > 0).then(|| source.joint(Role::Finger(side, 2, k))).flatten();
            own.or_else(mitten).map_or(Driver::Rest, |from| Driver::Follow { from, to: from, share: 0.0 })
        }
        Role::Helper | Role::Tail(_) => Driver::Rest,
        role => follow(role).unwrap_or(Driver::Rest),
    }
}
