//! Construction of a figure from a skeleton, step by step.

use super::fold::Plan;
use super::options::{FigureError, FigureOptions};
use super::posture::Posture;
use super::{
    Attachment, AttachmentKind, Figure, Limits, Note, Segment, SegmentShape, SegmentSource, SolePoint, anthropometry,
    segment_shapes,
};
use crate::dynamics::{MassProperties, Placement};
use crate::math::{Quat, Real, Vec3};
use crate::motion::{Role, Skeleton, detect_body};

/// Working state of the construction of a figure.
pub(super) struct Draft<'a> {
    pub skeleton: &'a Skeleton,
    pub options: &'a FigureOptions<'a>,
    pub plan: Plan,
    pub posture: Posture,
    /// Standing height, metres.
    pub height: Real,
    /// Stature of a humanoid by its bones, metres.
    stature: Option<Real>,
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
        let body = detect_body(skeleton, options.clip);
        let posture = Posture::find(skeleton, &body, options.clip);
        let plan = Plan::make(skeleton, &body, &posture, options.clip, options.skin);
        let stature = body.stature.map(|stature| stature.height);
        let mut draft =
            Draft { skeleton, options, plan, posture, height: 0.0, stature, usual_mass: 0.0, notes: Vec::new() };
        draft.height = options.height.unwrap_or_else(|| draft.measure());
        draft.usual_mass = anthropometry::usual_mass(draft.height);
        draft
    }

    fn finish(mut self) -> Figure {
        let by_table = self.plan.humanoid && !self.options.mass_by_volume;
        let (mut parts, soles) = self.parts();
        if let Some(skin) = self.options.skin {
            self.fit_to_skin(skin, &mut parts);
        }
        if !by_table {
            segment_shapes::weigh(&mut parts);
        } else if let Some(excess) = self.options.skin.and_then(|skin| self.add_build(skin, &mut parts)) {
            let usual = self.usual_mass;
            self.note(
                None,
                format!("the skin holds {excess:.0} kg more than the {usual:.0} kg of a usual body as tall"),
            );
        }
        if self.posture.from_clip {
            self.note(None, "the rest pose does not stand; the clip shows how the body does".to_owned());
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
        figure.notes = std::mem::take(&mut self.notes);
        if let Some(mass) = self.options.mass.or_else(|| self.mass_on_four_legs()) {
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

    /// Standing height: that of the skin, else the stature of a humanoid, else the extent of the reference pose.
    fn measure(&self) -> Real {
        self.skin_height().or(self.stature).unwrap_or_else(|| {
            let heights = || self.posture.frames.iter().map(|frame| frame.position.y);
            let extent = heights().fold(Real::NEG_INFINITY, Real::max) - heights().fold(Real::INFINITY, Real::min);
            let (low, high) = self.skeleton.rest_box();
            if extent > 1e-6 { extent } else { (high - low).amax().max(0.1) }
        })
    }

    /// Height of the skin of a standing body, metres. The skin of a humanoid counts only if it covers head and feet.
    fn skin_height(&self) -> Option<Real> {
        let stands = !self.posture.from_clip && self.posture.stands;
        let skin = self.options.skin.filter(|_| stands)?;
        if self.plan.humanoid && !self.covers_body(skin) {
            return None;
        }
        let heights = skin.iter().enumerate().flat_map(|(j, vertices)| {
            let frame = &self.posture.frames[j];
            vertices.iter().map(move |v| (frame.position + frame.rotation * v).y)
        });
        let (low, high) = heights.fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
        let bones = self.posture.frames.iter().map(|frame| frame.position.y);
        let (lowest, highest) = bones.fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
        Some(high - low).filter(|height| *height > 0.5 * (highest - lowest))
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
