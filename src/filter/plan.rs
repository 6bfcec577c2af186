//! Contact plan: the points of the body in contact in each frame, and their places on the ground.
//!
//! The plan is made once, from the captured motion. The solver moves the body to it and finds the forces that act at its
//! places.

use crate::{Real, Vec3};

/// Point of the body that can be in contact with the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Corner {
    /// Index of its segment in the figure.
    pub segment: usize,
    /// Position in the segment's body frame, metres from its centre of mass.
    pub local: Vec3,
    /// Distance from the point to the surface of a round part, metres; 0 for corners. A contact target keeps the point this far
    /// above its place, along the normal. Clearance counts from the surface as well.
    pub radius: Real,
}

/// Corner in contact in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactTarget {
    /// Index into [`ContactPlan::corners`].
    pub corner: usize,
    /// Place of the contact on the ground, metres, world space.
    pub place: Vec3,
    /// Unit normal, out of the ground.
    pub normal: Vec3,
    /// Readiness to carry force, 0 to 1. Rises at the start of a contact interval and falls at its end.
    pub load: Real,
    /// Contact interval whose places all move by one common offset; `None` where places are fixed.
    pub interval: Option<usize>,
}

/// Corner just above its place, before touchdown or after lift-off. It carries no force and keeps its horizontal place, so that
/// a foot peels off instead of dragging.
#[derive(Clone, Debug, PartialEq)]
pub struct UnloadedContact {
    /// Index into [`ContactPlan::corners`].
    pub corner: usize,
    /// Place of the contact next to it in time, metres, world space.
    pub place: Vec3,
    /// Unit normal, out of the ground; the corner is free along it.
    pub normal: Vec3,
    /// Contact interval whose offset it shares, as of a [`ContactTarget`].
    pub interval: Option<usize>,
}

/// Ground under a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Under {
    /// Height of the point over the ground along the normal, metres; negative inside.
    pub height: Real,
    /// Unit normal, out of the ground.
    pub normal: Vec3,
}

/// Ground that the body may be in contact with and must not penetrate.
pub trait Surface: Send + Sync {
    /// Returns the ground under a point, metres, world space.
    fn under(&self, point: &Vec3) -> Under;
}

/// Contacts of a clip, frame by frame.
pub struct ContactPlan {
    /// All points that can be in contact, or must stay out of the ground.
    pub corners: Vec<Corner>,
    /// Contact targets of each frame, in the order of their corners.
    pub targets: Vec<Vec<ContactTarget>>,
    /// Unloaded contacts of each frame: corners just above the place of a contact.
    pub unloaded: Vec<Vec<UnloadedContact>>,
    /// Height over the ground that each corner keeps while it is not in contact, metres, for each frame.
    pub clearance: Vec<Vec<Real>>,
    /// Segments whose acceleration is limited around each frame. May be empty for no limits at all.
    pub acceleration_limited: Vec<Vec<usize>>,
    /// Ground of the clip.
    pub ground: Box<dyn Surface>,
}

impl ContactPlan {
    /// Returns the number of contact intervals.
    pub(crate) fn interval_count(&self) -> usize {
        let targets = self.targets.iter().flatten().filter_map(|target| target.interval);
        targets
            .chain(self.unloaded.iter().flatten().filter_map(|contact| contact.interval))
            .max()
            .map_or(0, |last| last + 1)
    }

    /// Identifies contacts of the last frame of a loop with those of the first, one cycle later. Where a cycle rotates, such
    /// intervals stay in place, because their offsets would rotate with it.
    pub(crate) fn close(&mut self, turns: bool) {
        let [first, .., last] = &self.targets[..] else { return };
        let same = |target: &ContactTarget| {
            let begins = first.iter().find(|other| other.corner == target.corner)?;
            Some((target.interval?, begins.interval?))
        };
        let pairs: Vec<(usize, usize)> = last.iter().filter_map(same).collect();
        let renamed = |interval: Option<usize>| match pairs
            .iter()
            .find(|(end, start)| interval == Some(*end) || interval == Some(*start))
        {
            Some(_) if turns => None,
            Some((_, start)) => Some(*start),
            None => interval,
        };
        self.targets.iter_mut().flatten().for_each(|target| target.interval = renamed(target.interval));
        self.unloaded.iter_mut().flatten().for_each(|contact| contact.interval = renamed(contact.interval));
    }

    /// Moves the places of each contact interval by its offset, metres.
    pub(crate) fn shift(&mut self, offsets: &[Vec3]) {
        let step = |interval: Option<usize>| interval.and_then(|k| offsets.get(k)).copied().unwrap_or_else(Vec3::zeros);
        self.targets.iter_mut().flatten().for_each(|target| target.place += step(target.interval));
        self.unloaded.iter_mut().flatten().for_each(|contact| contact.place += step(contact.interval));
    }
}
