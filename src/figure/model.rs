//! Data model of a figure: segments, joints, limits, soles.

use crate::dynamics::{MassProperties, Placement, Shape};
use crate::math::{Quat, Real, Vec3};
use crate::motion::{REFERENCE_HEIGHT, Role, Side, Skeleton};

/// A skeleton with a body: rigid segments, the joints between them, and the segment that each skeleton joint moves with.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Name of the figure, shown in tables and written to files.
    pub name: String,
    /// Standing height, crown to sole, metres; for animals and machines the height of their highest point.
    pub height: Real,
    /// Source of the masses.
    pub source: SegmentSource,
    /// Decisions of the construction that a user should know.
    pub notes: Vec<Note>,
    pub(super) skeleton: Skeleton,
    pub(super) segments: Vec<Segment>,
    /// Segment that each joint of the skeleton moves with; `None` where it is fixed in the world.
    pub(super) rides: Vec<Option<usize>>,
    /// Pairs that never meet, smaller number first, ascending.
    pub(super) apart: Vec<[usize; 2]>,
    pub(super) soles: Vec<SolePoint>,
}

/// Source of the masses of a figure's segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentSource {
    /// Shares of a grown body by role (see [`super::Table`]).
    Anthropometric,
    /// Volume of the shapes.
    Volume,
}

/// A decision of the construction of a figure that a user should know.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Index of the segment concerned; `None` for the whole figure.
    pub segment: Option<usize>,
    /// Text for the user.
    pub message: String,
}

/// A rigid part of a figure. All geometry is in the frame of the skeleton joint that carries it.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The name of the joint that carries it.
    pub name: String,
    /// Index of that joint in the skeleton.
    pub joint: usize,
    /// The segment it hangs on; always a smaller index than its own.
    pub parent: Option<usize>,
    /// Anatomical role, where it was recognised.
    pub role: Option<Role>,
    /// Mass, and inertia about the centre of mass in the joint's axes.
    pub mass: MassProperties,
    /// Centre of mass, metres, joint frame.
    pub centre: Vec3,
    /// End of its main bone, metres, joint frame.
    pub end: Vec3,
    /// Solids that make up its surface, for contact and drawing.
    pub shapes: Vec<SegmentShape>,
    /// Joint to the parent segment.
    pub attachment: Attachment,
}

impl Segment {
    /// Length of the main bone, metres.
    pub fn length(&self) -> Real {
        self.end.norm()
    }

    /// Placement of the rigid body (centre of mass, joint's axes) for a joint frame at `joint`.
    #[inline]
    pub fn body(&self, joint: &Placement) -> Placement {
        Placement { position: joint.point(&self.centre), rotation: joint.rotation }
    }

    /// The inverse of [`Segment::body`].
    #[inline]
    pub fn joint_frame(&self, body: &Placement) -> Placement {
        Placement { position: body.point(&-self.centre), rotation: body.rotation }
    }
}

/// A solid on a segment.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentShape {
    /// Geometry of the solid.
    pub shape: Shape,
    /// Placement of the solid in the joint's frame.
    pub placement: Placement,
}

/// Joint of a segment to its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// Degrees of freedom of the joint.
    pub kind: AttachmentKind,
    /// The joint on the parent segment, in the frame of the parent's own joint; of no meaning for a free segment.
    pub frame_a: Placement,
    /// The joint's axes on this segment, in the frame of its own joint, whose origin is the pivot.
    pub frame_b: Quat,
    /// Limits in use by simulation and filter: those of the anatomy, widened so that a clip can be followed.
    pub limits: Limits,
    /// Limits of the anatomy, never widened: reports count excess against them.
    pub anatomy: Limits,
}

impl Attachment {
    /// Sets the limits of the anatomy, which are then in use as well.
    pub fn set_limits(&mut self, limits: Limits) {
        (self.limits, self.anatomy) = (limits, limits);
    }

    /// Orientation of frame B in frame A for a rotation of the segment against its parent segment.
    #[inline]
    pub fn relative(&self, turn: &Quat) -> Quat {
        self.frame_a.rotation.inverse() * turn * self.frame_b
    }

    /// The inverse of [`Attachment::relative`].
    #[inline]
    pub fn turn(&self, relative: &Quat) -> Quat {
        self.frame_a.rotation * relative * self.frame_b.inverse()
    }
}

/// Degrees of freedom of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachmentKind {
    /// All six: a root.
    Free,
    /// Three rotations.
    Ball,
    /// One rotation, about z of the joint's frames.
    Hinge,
    /// Two rotations, about x of frame A and y of frame B.
    Universal,
    /// None.
    Fixed,
}

impl AttachmentKind {
    /// All kinds.
    pub const ALL: [AttachmentKind; 5] = [
        AttachmentKind::Free,
        AttachmentKind::Ball,
        AttachmentKind::Hinge,
        AttachmentKind::Universal,
        AttachmentKind::Fixed,
    ];

    /// The word used in files and tables.
    pub fn word(self) -> &'static str {
        match self {
            AttachmentKind::Free => "free",
            AttachmentKind::Ball => "ball",
            AttachmentKind::Hinge => "hinge",
            AttachmentKind::Universal => "universal",
            AttachmentKind::Fixed => "fixed",
        }
    }
}

/// Range of motion of a joint, radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limits {
    /// No limits.
    None,
    /// Frame B's x axis stays in an elliptic cone about frame A's, with half angles about y and z of A, and twists
    /// about it within a range.
    SwingTwist {
        /// Half angles of the cone about y and z of frame A.
        swing: [Real; 2],
        /// Least and greatest twist about x.
        twist: [Real; 2],
    },
    /// The rotation about z stays in a range.
    Hinge {
        /// Least and greatest angle.
        range: [Real; 2],
    },
}

/// A part of a foot (or hand) that touches the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolePart {
    /// The heel.
    Heel,
    /// The ball of the foot.
    Ball,
    /// The tip of the toes, or the end of a paw or any other leg.
    Tip,
    /// The palm.
    Palm,
}

impl SolePart {
    /// All parts, from heel to toe, then the palm.
    pub const ALL: [SolePart; 4] = [SolePart::Heel, SolePart::Ball, SolePart::Tip, SolePart::Palm];

    /// The word used in files and tables.
    pub fn word(self) -> &'static str {
        match self {
            SolePart::Heel => "heel",
            SolePart::Ball => "ball",
            SolePart::Tip => "tip",
            SolePart::Palm => "palm",
        }
    }
}

/// A point that a figure stands on, with the corners to both sides of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolePoint {
    /// Index of the segment that it lies on.
    pub segment: usize,
    /// Part of the foot or hand.
    pub part: SolePart,
    /// Side of the body; `None` where the limb has none.
    pub side: Option<Side>,
    /// Position, metres, frame of the segment's joint.
    pub point: Vec3,
    /// Vector from the point to one of the two corners beside it, metres, frame of the segment's joint.
    pub across: Vec3,
}

impl SolePoint {
    /// The two corners of the sole beside the point.
    pub fn corners(&self) -> [Vec3; 2] {
        [self.point + self.across, self.point - self.across]
    }
}

impl Figure {
    /// The skeleton it was made from.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Puts the figure on the same joints in another rest pose.
    pub(crate) fn rest_as(&mut self, skeleton: &Skeleton) {
        debug_assert_eq!(self.skeleton.len(), skeleton.len());
        self.skeleton = skeleton.clone();
    }

    /// All segments, parents first.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// All segments, to change masses, shapes or limits. Joints and parents are checked only when a figure is loaded.
    pub fn segments_mut(&mut self) -> &mut [Segment] {
        &mut self.segments
    }

    /// The segment at an index.
    ///
    /// # Panics
    /// If there is no such segment.
    pub fn segment(&self, index: usize) -> &Segment {
        &self.segments[index]
    }

    /// The segment with this role.
    pub fn with_role(&self, role: Role) -> Option<usize> {
        self.segments.iter().position(|s| s.role == Some(role))
    }

    /// The segment of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.segments.iter().position(|s| s.name == name)
    }

    /// The segment that a joint of the skeleton rides on; `None` where it only stands in the world.
    pub fn segment_of(&self, joint: usize) -> Option<usize> {
        self.rides[joint]
    }

    /// The joints folded into a segment, besides the one that carries it.
    pub fn folded(&self, segment: usize) -> impl Iterator<Item = usize> + '_ {
        let carrier = self.segments[segment].joint;
        (0..self.rides.len()).filter(move |&j| self.rides[j] == Some(segment) && j != carrier)
    }

    /// Total mass, kg.
    pub fn mass(&self) -> Real {
        self.segments.iter().map(|s| s.mass.mass).sum()
    }

    /// Height over [`REFERENCE_HEIGHT`]: lengths and speeds in thresholds are multiplied by it.
    pub fn size_scale(&self) -> Real {
        self.height / REFERENCE_HEIGHT
    }

    /// A length or speed that is given for a body of [`REFERENCE_HEIGHT`], scaled to this one.
    pub fn scaled_length(&self, of_reference: Real) -> Real {
        of_reference * self.height / REFERENCE_HEIGHT
    }

    /// Multiplies all masses and inertias so that the figure weighs this much, kg.
    pub fn set_mass(&mut self, kilograms: Real) {
        let factor = kilograms / self.mass();
        for segment in &mut self.segments {
            segment.mass.mass *= factor;
            segment.mass.inertia *= factor;
        }
    }

    /// The points it stands on: heel, ball and toe tip of each foot, the ends of other legs, the palms.
    pub fn sole_points(&self) -> &[SolePoint] {
        &self.soles
    }

    /// Returns true if two segments of this figure may touch each other.
    pub fn may_meet(&self, a: usize, b: usize) -> bool {
        a != b && self.apart.binary_search(&[a.min(b), a.max(b)]).is_err()
    }

    /// The pairs of segments that never touch each other.
    pub fn apart(&self) -> &[[usize; 2]] {
        &self.apart
    }

    /// Says whether two segments may touch each other.
    pub fn set_may_meet(&mut self, a: usize, b: usize, may: bool) {
        let pair = [a.min(b), a.max(b)];
        match (self.apart.binary_search(&pair), may) {
            (Ok(at), true) => drop(self.apart.remove(at)),
            (Err(at), false) if a != b => self.apart.insert(at, pair),
            _ => {}
        }
    }
}
