//! What the ground does to a clip: which points of the body stand where in which frame.
//!
//! The plan is made once, from the captured motion, and is then fixed: the solver moves the body to it and finds
//! the forces that act at its places.

use crate::{Real, Vec3};

/// A point of the body that can stand on something.
#[derive(Clone, Debug, PartialEq)]
pub struct Corner {
    pub segment: usize,
    /// In the segment's body frame, metres from its centre of mass.
    pub local: Vec3,
    /// Round parts touch the ground this far below the point, whichever way they are turned, metres; 0 for corners. A pin
    /// holds the point this far over its place, along the normal; clearance counts from the surface, too.
    pub radius: Real,
}

/// A corner that stands in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactTarget {
    /// Index into [`ContactPlan::corners`].
    pub corner: usize,
    /// Where it stands, metres, world.
    pub place: Vec3,
    /// Out of the ground, of length 1.
    pub normal: Vec3,
    /// From 0 to 1: how readily it carries force. Rises at the start of a stance and falls at its end.
    pub load: Real,
    /// The stance it belongs to, where that may be put elsewhere on the ground as a whole: all of its places go by the same step.
    pub interval: Option<usize>,
}

/// A corner on its way up from the ground, or down to it: what has let go peels off, and does not drag.
#[derive(Clone, Debug, PartialEq)]
pub struct UnloadedContact {
    /// Index into [`ContactPlan::corners`].
    pub corner: usize,
    /// Where it stands otherwise, metres, world.
    pub place: Vec3,
    /// Out of the ground, of length 1: along it the corner is free.
    pub normal: Vec3,
    /// As of a [`Pin`]: where the stance goes, this goes, too.
    pub interval: Option<usize>,
}

/// The ground under a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Under {
    /// Height of the point over the ground along the normal, metres; negative inside.
    pub height: Real,
    /// Out of the ground, of length 1.
    pub normal: Vec3,
}

/// What the body may stand on and must not sink into.
pub trait Surface: Send + Sync {
    fn under(&self, point: &Vec3) -> Under;
}

/// Who stands where, frame by frame.
pub struct ContactPlan {
    pub corners: Vec<Corner>,
    /// The pins of each frame, in the order of their corners.
    pub targets: Vec<Vec<ContactTarget>>,
    /// Corners that are just above the place where they stood, or are about to stand, frame by frame.
    pub unloaded: Vec<Vec<UnloadedContact>>,
    /// For each frame and corner: the height over the ground that it keeps while it does not stand, metres.
    pub clearance: Vec<Vec<Real>>,
    /// For each frame the segments whose change must go on evenly around it; may be empty for none at all.
    pub acceleration_limited: Vec<Vec<usize>>,
    pub ground: Box<dyn Surface>,
}

impl ContactPlan {
    /// How many stances are counted.
    pub(crate) fn interval_count(&self) -> usize {
        let targets = self.targets.iter().flatten().filter_map(|target| target.interval);
        targets
            .chain(self.unloaded.iter().flatten().filter_map(|contact| contact.interval))
            .max()
            .map_or(0, |last| last + 1)
    }

    /// In a loop what stands in the last frame is what stands in the first, one cycle on. Where a cycle turns, such stances stay
    /// where they are, for their steps would turn with it.
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

    /// Puts every stance elsewhere, metres.
    pub(crate) fn shift(&mut self, offsets: &[Vec3]) {
        let step = |interval: Option<usize>| interval.and_then(|k| offsets.get(k)).copied().unwrap_or_else(Vec3::zeros);
        self.targets.iter_mut().flatten().for_each(|target| target.place += step(target.interval));
        self.unloaded.iter_mut().flatten().for_each(|contact| contact.place += step(contact.interval));
    }
}
