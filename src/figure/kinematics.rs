//! Kinematics of a figure: poses to segments and back, centre of mass and momentum.
//!
//! A segment's placement is the frame of the joint that carries it. The way back needs a pose to begin with: it gives
//! the local frames of folded joints, and the distances between joints, which a rigid figure does not change.

use super::{Attachment, AttachmentKind, Figure};
use crate::dynamics::Placement;
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::motion::{Frame, FrameMotion, Pose, PoseMotion};

/// Linear momentum and spin of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum {
    /// kg·m/s.
    pub linear: Vec3,
    /// About the figure's own centre of mass, kg·m²/s.
    pub angular: Vec3,
    /// Centre of mass, metres.
    pub centre: Vec3,
}

impl Figure {
    /// Placements of the segments' joints in a pose, world space.
    pub fn placements(&self, pose: &Pose) -> Vec<Placement> {
        let (mut frames, mut out) = (Vec::new(), Vec::new());
        self.placements_into(pose, &mut frames, &mut out);
        out
    }

    /// [`Figure::placements`] into buffers that are reused; `frames` gets the world frames of all joints.
    pub fn placements_into(&self, pose: &Pose, frames: &mut Vec<Frame>, out: &mut Vec<Placement>) {
        pose.world_into(&self.skeleton, frames);
        out.clear();
        out.extend(
            self.segments
                .iter()
                .map(|s| Placement { position: frames[s.joint].position, rotation: frames[s.joint].rotation }),
        );
    }

    /// Motions of the segments' joints, into buffers that are reused; `frames` gets the motion of all joints.
    #[inline(always)]
    pub fn motions_into(&self, motion: &PoseMotion, frames: &mut Vec<FrameMotion>, out: &mut Vec<FrameMotion>) {
        motion.world_into(&self.skeleton, frames);
        out.clear();
        out.extend(self.segments.iter().map(|s| frames[s.joint]));
    }

    /// Pulls the segments of a pose together so that all joints close: roots stay, every other segment goes where its
    /// parent holds it, and hinges turn about their axis alone.
    pub fn close_joints(&self, placements: &mut [Placement]) {
        for (k, segment) in self.segments.iter().enumerate() {
            if let Some(parent) = self.held_by(k) {
                let holder = placements[parent];
                placements[k] = Placement {
                    position: holder.point(&segment.attachment.frame_a.position),
                    rotation: segment.attachment.allowed(&holder.rotation, &placements[k].rotation),
                };
            }
        }
    }

    /// The same for frames that move; velocities and accelerations follow.
    #[inline(always)]
    pub fn close_joints_moving(&self, motions: &mut [FrameMotion]) {
        for (k, segment) in self.segments.iter().enumerate() {
            let Some(parent) = self.held_by(k) else { continue };
            let attachment = &segment.attachment;
            let (holder, own) = (motions[parent], &mut motions[k]);
            own.position = holder.position + holder.rotation * attachment.frame_a.position;
            (own.velocity, own.acceleration) = holder.point(&attachment.frame_a.position);
            own.rotation = attachment.allowed(&holder.rotation, &own.rotation);
            let axis = match attachment.kind {
                AttachmentKind::Hinge => holder.rotation * (attachment.frame_a.rotation * Vec3::z()),
                AttachmentKind::Fixed => Vec3::zeros(),
                AttachmentKind::Ball | AttachmentKind::Universal | AttachmentKind::Free => continue,
            };
            let along = |v: Vec3| axis * axis.dot(&v);
            let spin = along(own.angular_velocity - holder.angular_velocity);
            own.angular_velocity = holder.angular_velocity + spin;
            own.angular_acceleration = holder.angular_acceleration
                + along(own.angular_acceleration - holder.angular_acceleration)
                + holder.angular_velocity.cross(&spin);
        }
    }

    /// The parent, unless the segment is free.
    pub(crate) fn held_by(&self, segment: usize) -> Option<usize> {
        let segment = &self.segments[segment];
        segment.parent.filter(|_| segment.attachment.kind != AttachmentKind::Free)
    }

    /// Turn of every segment against its parent segment; of free ones against the world.
    pub fn turns_into(&self, placements: &[Placement], out: &mut Vec<Quat>) {
        out.clear();
        out.extend(self.segments.iter().enumerate().map(|(k, _)| match self.held_by(k) {
            Some(parent) => placements[parent].rotation.inverse() * placements[k].rotation,
            None => placements[k].rotation,
        }));
    }

    /// Centre of mass of segments whose joints are at these placements, metres, world.
    pub fn centre_of_mass(&self, placements: &[Placement]) -> Vec3 {
        let sum: Vec3 = self.segments.iter().zip(placements).map(|(s, p)| p.point(&s.centre) * s.mass.mass).sum();
        sum / self.mass()
    }

    /// Momentum of segments whose joints move like this (see [`Figure::motions_into`]).
    pub fn momentum(&self, motions: &[FrameMotion]) -> Momentum {
        let (mut linear, mut centre) = (Vec3::zeros(), Vec3::zeros());
        for (segment, motion) in self.segments.iter().zip(motions) {
            linear += motion.point(&segment.centre).0 * segment.mass.mass;
            centre += (motion.position + motion.rotation * segment.centre) * segment.mass.mass;
        }
        let mass = self.mass();
        centre /= mass;
        let drift = linear / mass;
        let mut angular = Vec3::zeros();
        for (segment, motion) in self.segments.iter().zip(motions) {
            let arm = motion.position + motion.rotation * segment.centre - centre;
            let velocity = motion.point(&segment.centre).0 - drift;
            let spin = motion.rotation.inverse_transform_vector(&motion.angular_velocity);
            angular += arm.cross(&velocity) * segment.mass.mass + motion.rotation * (segment.mass.inertia * spin);
        }
        Momentum { linear, angular, centre }
    }

    /// The pose in which the segments' joints are at these placements: turns of all segments and places of the free
    /// ones are taken from them, everything else stays as `pose` had it.
    ///
    /// ```
    /// # use sinew::figure::{Figure, FigureOptions};
    /// # use sinew::motion::{Joint, Skeleton};
    /// # use sinew::Vec3;
    /// # let skeleton = Skeleton::new(vec![Joint::new("a", None, Vec3::y()), Joint::new("b", Some(0), Vec3::x())])?;
    /// let figure = Figure::build(&skeleton, &FigureOptions::default())?;
    /// let rest = skeleton.rest_pose();
    /// let mut pose = rest.clone();
    /// figure.pose_into(&figure.placements(&rest), &mut pose);
    /// assert_eq!(pose, rest);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pose_into(&self, placements: &[Placement], pose: &mut Pose) {
        self.pose_with(placements, pose, &mut Vec::new());
    }

    /// [`Figure::pose_into`] with a buffer that is reused. Poses with scales need room for their matrices.
    pub fn pose_with(&self, placements: &[Placement], pose: &mut Pose, frames: &mut Vec<Frame>) {
        // The linear part of each joint's world matrix, where scales make it more than a rotation.
        let mut linear: Vec<Mat3> = Vec::new();
        frames.clear();
        for (j, joint) in self.skeleton.joints().iter().enumerate() {
            let above = joint.parent.map(|p| frames[p]);
            let carried = self.rides[j].filter(|&s| self.segments[s].joint == j);
            if let Some(segment) = carried {
                let wanted = &placements[segment];
                let turn = above.map_or(Quat::identity(), |a| a.rotation);
                pose.rotations[j] = turn.inverse() * wanted.rotation;
                if self.is_placed(segment) {
                    let way = wanted.position - above.map_or(Vec3::zeros(), |a| a.position);
                    let matrix = joint.parent.and_then(|p| linear.get(p));
                    pose.translations[j] = match matrix {
                        Some(matrix) => matrix.try_inverse().map_or(pose.translations[j], |inverse| inverse * way),
                        None => turn.inverse_transform_vector(&way),
                    };
                }
            }
            let (translation, rotation) = (pose.translations[j], pose.rotations[j]);
            let matrix = joint.parent.and_then(|p| linear.get(p));
            // Where a segment is known its own turn goes on: products of turns and their inverses would double what rounding
            // did to their length at every joint of a long chain.
            let known = carried.map(|segment| placements[segment].rotation);
            frames.push(match above {
                None => Frame { position: translation, rotation: known.unwrap_or(rotation) },
                Some(above) => Frame {
                    position: above.position + matrix.map_or(above.rotation * translation, |m| m * translation),
                    rotation: known.unwrap_or(above.rotation * rotation),
                },
            });
            if let Some(scales) = &pose.scales {
                let own = rotation.to_rotation_matrix().into_inner() * Mat3::from_diagonal(&scales[j]);
                linear.push(matrix.map_or(own, |m| m * own));
            }
        }
    }

    /// Height of the lowest sole point of segments at these placements, metres; without soles, of the lowest joint.
    pub fn lowest_point(&self, placements: &[Placement]) -> Real {
        let soles = self.soles.iter().map(|s| placements[s.segment].point(&s.point).y);
        let lowest = soles.fold(Real::INFINITY, Real::min);
        if lowest.is_finite() { lowest } else { placements.iter().map(|p| p.position.y).fold(lowest, Real::min) }
    }
}

impl Attachment {
    /// The orientation nearest to `child` that hinges and fixed joints leave a segment whose parent is turned so.
    fn allowed(&self, parent: &Quat, child: &Quat) -> Quat {
        let relative = match self.kind {
            AttachmentKind::Ball | AttachmentKind::Universal | AttachmentKind::Free => return *child,
            AttachmentKind::Fixed => Quat::identity(),
            AttachmentKind::Hinge => {
                let q = self.relative(&(parent.inverse() * child));
                let about = nalgebra::Quaternion::new(q.w, 0.0, 0.0, q.k);
                if about.norm() < 1e-9 { Quat::identity() } else { Quat::from_quaternion(about) }
            }
        };
        parent * self.turn(&relative)
    }
}
