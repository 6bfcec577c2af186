//! Construction of a figure from a skeleton, step by step.

use super::fold::{Plan, roles_of};
use super::options::{FigureError, FigureOptions};
use super::posture::{Posture, SIDES};
use super::{
    Attachment, AttachmentKind, Figure, Limits, Note, Segment, SegmentShape, SegmentSource, SolePart, SolePoint,
    anthropometry, flesh,
};
use crate::dynamics::{MassProperties, Placement};
use crate::math::{Quat, Real, Vec3};
use crate::motion::{REFERENCE_HEIGHT, Role, Skeleton};

/// Working state of the construction of a figure.
pub(super) struct Draft<'a> {
    pub skeleton: &'a Skeleton,
    pub options: &'a FigureOptions<'a>,
    pub plan: Plan,
    pub posture: Posture,
    /// Standing height, metres.
    pub height: Real,
    /// Default mass of a humanoid of that height, kg.
    pub usual_mass: Real,
    pub notes: Vec<Note>,
}

/// Mass and shapes of a segment, in the frame of its joint.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub mass: MassProperties,
    pub centre: Vec3,
    pub end: Vec3,
    pub shapes: Vec<SegmentShape>,
}

impl Figure {
    /// Gives a skeleton a body. Any skeleton will do: humanoids get the proportions of a human body by the roles of
    /// their joints, everything else a body by the lengths of its bones.
    ///
    /// ```
    /// use sinew::figure::{Figure, FigureOptions};
    /// use sinew::formats::{self, ImportOptions};
    /// use std::path::Path;
    ///
    /// let capture = formats::read(Path::new("data/clips/walk.bvh"), &ImportOptions::default())?;
    /// let options = FigureOptions { clip: capture.clips.first(), ..FigureOptions::default() };
    /// let figure = Figure::build(&capture.skeleton, &options)?;
    /// assert!((50.0..90.0).contains(&figure.mass()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build(skeleton: &Skeleton, options: &FigureOptions) -> Result<Figure, FigureError> {
        for (what, value) in [("mass", options.mass), ("height", options.height)] {
            if let Some(value) = value.filter(|v| !(v.is_finite() && *v > 0.0)) {
                return Err(FigureError::Quantity { what, value });
            }
        }
        let expected = skeleton.len();
        let counts = [("clip", options.clip.map(|c| c.joints())), ("skin", options.skin.map(|s| s.len()))];
        if let Some((what, Some(found))) = counts.into_iter().find(|(_, n)| n.is_some_and(|n| n != expected)) {
            return Err(FigureError::Joints { what, found, expected });
        }
        Ok(Draft::new(skeleton, options).finish())
    }
}

impl<'a> Draft<'a> {
    fn new(skeleton: &'a Skeleton, options: &'a FigureOptions<'a>) -> Self {
        let roles = roles_of(skeleton);
        let posture = Posture::find(skeleton, &roles, options.clip);
        let plan = Plan::make(skeleton, roles, &posture, options.clip, options.skin);
        let mut draft = Draft { skeleton, options, plan, posture, height: 0.0, usual_mass: 0.0, notes: Vec::new() };
        draft.height = options.height.unwrap_or_else(|| draft.measure());
        draft.usual_mass = anthropometry::usual_mass(draft.height);
        draft
    }

    fn finish(mut self) -> Figure {
        let by_table = self.plan.humanoid && !self.options.mass_by_volume;
        let (mut parts, mut soles) = self.parts();
        if let Some(height) = self.stature(&parts, &soles) {
            // Thicknesses and hidden lengths follow the height that the body turned out to have.
            self.height = height;
            self.usual_mass = anthropometry::usual_mass(height);
            (parts, soles) = self.parts();
        }
        if let Some(skin) = self.options.skin {
            self.fit_to_skin(skin, &mut parts);
        }
        if !by_table {
            flesh::weigh(&mut parts);
        }
        if let Some(frame) = self.posture.from_clip {
            self.note(None, format!("the rest pose does not stand; frame {} of the clip shows how it does", frame + 1));
        }
        let attachments = self.attachments(&parts);
        let segments = parts.into_iter().zip(attachments).enumerate().map(|(k, (part, attachment))| Segment {
            name: self.skeleton.joint(self.plan.joints[k]).name.clone(),
            joint: self.plan.joints[k],
            parent: self.plan.parents[k],
            role: self.role(k),
            // Turning it leaves rounding behind.
            mass: MassProperties { inertia: 0.5 * (part.mass.inertia + part.mass.inertia.transpose()), ..part.mass },
            centre: part.centre,
            end: part.end,
            shapes: part.shapes,
            attachment,
        });
        let mut figure = Figure {
            name: self.skeleton.joint(self.skeleton.root()).name.clone(),
            height: self.height,
            source: if by_table { SegmentSource::Anthropometric } else { SegmentSource::Volume },
            notes: Vec::new(),
            skeleton: self.skeleton.clone(),
            segments: segments.collect(),
            rides: std::mem::take(&mut self.plan.rides),
            apart: Vec::new(),
            soles,
        };
        figure.notes = self.notes;
        if let Some(mass) = self.options.mass {
            figure.set_mass(mass);
        }
        figure.keep_apart(&self.posture.frames, self.options.clip);
        figure
    }

    fn parts(&mut self) -> (Vec<Part>, Vec<SolePoint>) {
        let mut parts = if self.plan.humanoid { self.humanoid_parts() } else { self.generic_parts() };
        let soles = self.soles(&mut parts);
        (parts, soles)
    }

    /// Crown to sole of a body that stands at rest, unless the height is known better: from the crown down to the hip
    /// joints, on along the bones of a leg, however they are spread, and down to its sole.
    fn stature(&self, parts: &[Part], soles: &[SolePoint]) -> Option<Real> {
        let stands = self.plan.humanoid && self.skeleton.rests_upright() && self.posture.from_clip.is_none();
        let unknown = self.options.height.is_none() && self.skin_height().is_none();
        let head = self.with_role(Role::Head).filter(|_| stands && unknown)?;
        let frame = &self.posture.frames[self.plan.joints[head]];
        let crown = frame.position + frame.rotation * parts[head].end;
        let legs: Vec<Real> = SIDES
            .into_iter()
            .filter_map(|side| {
                let [hip, knee, foot] =
                    [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)].map(|role| self.with_role(role));
                let (hip, knee, ankle) = (self.origin(hip?), self.origin(knee?), self.origin(foot?));
                let heel = soles.iter().find(|s| Some(s.segment) == foot && s.part == SolePart::Heel)?;
                let ball = soles.iter().find(|s| Some(s.segment) == foot && s.part == SolePart::Ball)?;
                let normal = (ball.point - heel.point).cross(&heel.across).try_normalize(1e-12)?;
                let drop = heel.point.dot(&normal).abs();
                Some((crown - hip).dot(&self.posture.up) + (knee - hip).norm() + (ankle - knee).norm() + drop)
            })
            .collect();
        let height = legs.iter().sum::<Real>() / legs.len().max(1) as Real;
        ((height / self.height - 1.0).abs() < 0.15).then_some(height)
    }

    pub fn note(&mut self, segment: Option<usize>, message: String) {
        self.notes.push(Note { segment, message });
    }

    pub fn role(&self, segment: usize) -> Option<Role> {
        self.plan.roles[self.plan.joints[segment]]
    }

    /// The segment with a role.
    pub fn with_role(&self, role: Role) -> Option<usize> {
        (0..self.plan.joints.len()).find(|&k| self.role(k) == Some(role))
    }

    /// Position of a segment's joint, world space of the reference pose.
    pub fn origin(&self, segment: usize) -> Vec3 {
        self.posture.position(self.plan.joints[segment])
    }

    /// A world point in the frame of a segment's joint.
    pub fn local(&self, segment: usize, point: &Vec3) -> Vec3 {
        self.posture.local(self.plan.joints[segment], point)
    }

    /// A world direction in the axes of a segment's joint.
    pub fn turned_in(&self, segment: usize, direction: &Vec3) -> Vec3 {
        self.posture.turned_in(self.plan.joints[segment], direction)
    }

    /// The segments that hang on this one.
    pub fn children(&self, segment: usize) -> impl Iterator<Item = usize> + '_ {
        (segment + 1..self.plan.joints.len()).filter(move |&k| self.plan.parents[k] == Some(segment))
    }

    /// Ends of the segment's own bones that carry no segment: tips and folded joints, joint frame.
    pub fn loose_ends(&self, segment: usize) -> Vec<Vec3> {
        let carrier = self.plan.joints[segment];
        let mut ends = Vec::new();
        for j in (0..self.skeleton.len()).filter(|&j| self.plan.rides[j] == Some(segment)) {
            let frame = &self.posture.frames[j];
            ends.extend((j != carrier).then_some(frame.position));
            ends.extend(self.skeleton.joint(j).tip.map(|tip| frame.position + frame.rotation * tip));
        }
        ends.iter().map(|end| self.local(segment, end)).filter(|end| end.norm() > 1e-9).collect()
    }

    /// The way from the parent segment's joint to this one, as a direction in this joint's axes.
    pub fn incoming(&self, segment: usize) -> Option<Vec3> {
        let parent = self.plan.parents[segment]?;
        self.turned_in(segment, &(self.origin(segment) - self.origin(parent))).try_normalize(1e-9)
    }

    /// Standing height of the body around the bones.
    fn measure(&self) -> Real {
        let bones = self.skeleton.height();
        if let Some(height) = self.skin_height() {
            return height;
        }
        if !self.plan.humanoid {
            let (low, high) = self.skeleton.rest_box();
            return if bones > 1e-6 { bones } else { (high - low).amax().max(0.1) };
        }
        let mut height = bones;
        if let Some(head) = self.with_role(Role::Head) {
            let skull = self.loose_ends(head).iter().map(|end| end.norm()).fold(0.0, Real::max);
            // A bone that ends in the middle of the head is no crown.
            if skull < 0.05 * bones {
                height += anthropometry::lengths::SKULL * bones - skull;
            }
        }
        // Bones end at the ankle or a little above the floor.
        let lowest_is_ankle = !self.skeleton.rests_upright();
        height + bones * if lowest_is_ankle { anthropometry::lengths::ANKLE } else { 0.025 / REFERENCE_HEIGHT }
    }

    /// Height of the skin of a standing body, metres. The skin of a humanoid counts only if it covers head and feet.
    fn skin_height(&self) -> Option<Real> {
        let stands = self.posture.from_clip.is_none() && self.posture.stands;
        let skin = self.options.skin.filter(|_| stands)?;
        let covered = |role: Role| self.with_role(role).is_some_and(|k| self.skin_of(k, skin).len() >= 8);
        if self.plan.humanoid && !(covered(Role::Head) && SIDES.into_iter().all(|side| covered(Role::Foot(side)))) {
            return None;
        }
        let heights = skin.iter().enumerate().flat_map(|(j, vertices)| {
            let frame = &self.posture.frames[j];
            vertices.iter().map(move |v| (frame.position + frame.rotation * v).y)
        });
        let (low, high) = heights.fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
        Some(high - low).filter(|height| *height > 0.5 * self.skeleton.height())
    }

    /// One free joint per root, balls and hinges elsewhere.
    fn attachments(&mut self, parts: &[Part]) -> Vec<Attachment> {
        (0..parts.len()).map(|k| self.attachment(k, parts)).collect()
    }
}

impl Attachment {
    pub(super) fn free() -> Self {
        Attachment {
            kind: AttachmentKind::Free,
            frame_a: Placement::IDENTITY,
            frame_b: Quat::identity(),
            limits: Limits::None,
            anatomy: Limits::None,
        }
    }
}
