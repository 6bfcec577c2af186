//! Contact intervals of the points of a body with the ground, and the distance that each slides.
//!
//! A point comes into contact when it is lower than 2.5 cm·a and slower than v = max(0.25 m/s·a, 0.2 · speed of the
//! centre of mass); it leaves when it is higher than 4 cm·a or faster than 2 v. Its speed is the smaller one of the
//! steps from the frame before and to the frame after: the first and the last planted frame have the swing on one side
//! only, and a central difference would lose just these.

use super::points::Point;
use super::skate::FootSkate;
use crate::figure::{Figure, SolePart};
use crate::math::{Real, Vec3, real};
use crate::motion::{REFERENCE_HEIGHT, Side};
use std::ops::Range;

/// A point of the body on the ground, from the first to the last frame of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// The segment of the figure.
    pub segment: usize,
    /// Heel, ball, tip or palm; none for other parts of the body.
    pub part: Option<SolePart>,
    /// Side of the body; none where the limb has none.
    pub side: Option<Side>,
    /// Frames in contact, counted from 0, end excluded.
    pub frames: Range<usize>,
    /// Horizontal path of the point during the contact, metres.
    pub path: Real,
    /// Index among the points that may touch.
    pub(crate) point: usize,
}

/// Thresholds for a figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    pub enter_height: Real,
    leave_height: Real,
    speed: Real,
    share_of_centre: Real,
}

impl Thresholds {
    /// Thresholds for a figure of this standing height, metres.
    pub fn of(height: Real) -> Self {
        let size_scale = height / REFERENCE_HEIGHT;
        Self {
            enter_height: 0.025 * size_scale,
            leave_height: 0.04 * size_scale,
            speed: 0.25 * size_scale,
            share_of_centre: 0.2,
        }
    }
}

/// A contact that has not ended yet.
#[derive(Clone)]
struct Open {
    first: usize,
    last_place: Vec3,
    /// Horizontal way from each frame to the next, metres.
    steps: Vec<Real>,
}

/// Follows all points from frame to frame.
pub(super) struct ContactFinder {
    thresholds: Thresholds,
    rate: Real,
    /// Contacts of fewer frames do not count.
    least_frames: usize,
    open: Vec<Option<Open>>,
    found: Vec<Contact>,
    /// Path of sole points and palms, metres, and its number of steps.
    path: Real,
    steps: usize,
    feet: FootSkate,
}

/// All contacts of a clip.
pub(super) struct Contacts {
    pub intervals: Vec<Contact>,
    /// Mean sliding speed of points in contact, m/s; none where nothing is in contact for two frames in a row.
    pub slide: Option<Real>,
    /// Mean sliding speed of feet and hands, each at the point it turns about, m/s.
    pub foot_slide: Option<Real>,
}

impl ContactFinder {
    pub fn new(figure: &Figure, points: &[Point], height: Real, rate: Real, min_contact: Real) -> Self {
        // A duration of n frames is n / rate; a whisker of tolerance for rates like 119.88 Hz.
        let least_frames = (min_contact * rate - 1e-3).ceil().max(1.0) as usize;
        Self {
            thresholds: Thresholds::of(height),
            rate,
            least_frames,
            open: vec![None; points.len()],
            found: Vec::new(),
            path: 0.0,
            steps: 0,
            feet: FootSkate::new(figure),
        }
    }

    /// One frame of one point: its places before, now and after, relative to the ground.
    pub fn add(&mut self, frame: usize, at: (usize, &Point), places: [Option<Vec3>; 3], centre_speed: Real) {
        let (index, point) = at;
        let [before, Some(now), after] = places else { return };
        let step = |other: Option<Vec3>| other.map(|other| (other - now).norm() * self.rate);
        let speed = step(before).unwrap_or(Real::INFINITY).min(step(after).unwrap_or(Real::INFINITY));
        let speed = if speed.is_finite() { speed } else { 0.0 };
        let Thresholds { enter_height, leave_height, speed: slow, share_of_centre } = self.thresholds;
        let slow = slow.max(share_of_centre * centre_speed);
        match &mut self.open[index] {
            None if now.y < enter_height && speed < slow => {
                self.open[index] = Some(Open { first: frame, last_place: now, steps: Vec::new() });
            }
            Some(_) if now.y > leave_height || speed > 2.0 * slow => self.close(frame, index, point),
            Some(open) => {
                let way = now - open.last_place;
                open.steps.push(real::hypot(way.x, way.z));
                open.last_place = now;
            }
            None => {}
        }
    }

    fn close(&mut self, end: usize, index: usize, point: &Point) {
        let Some(open) = self.open[index].take() else { return };
        if end - open.first < self.least_frames {
            return;
        }
        let Point { segment, part, side, .. } = *point;
        let path = open.steps.iter().sum();
        self.found.push(Contact { segment, part, side, frames: open.first..end, path, point: index });
        // Other parts of the body roll; only soles and palms can skate.
        if part.is_some() {
            self.path += path;
            self.steps += open.steps.len();
            self.feet.add(segment, open.first, &open.steps);
        }
    }

    pub fn finish(mut self, points: &[Point], frames: usize) -> Contacts {
        for (index, point) in points.iter().enumerate() {
            self.close(frames, index, point);
        }
        self.found.sort_by_key(|contact| (contact.frames.start, contact.point));
        let slide = (self.steps > 0).then(|| self.path * self.rate / self.steps as Real);
        let foot_slide = self.feet.mean_step().map(|step| step * self.rate);
        Contacts { intervals: self.found, slide, foot_slide }
    }
}

/// Walks through frames and keeps the contacts that hold at each.
pub(super) struct Holding<'a> {
    contacts: &'a [Contact],
    next: usize,
    pub now: Vec<&'a Contact>,
}

impl<'a> Holding<'a> {
    /// `contacts` in order of their first frames.
    pub fn new(contacts: &'a [Contact]) -> Self {
        Self { contacts, next: 0, now: Vec::new() }
    }

    /// Goes on to a frame, never back.
    pub fn advance(&mut self, frame: usize) {
        self.now.retain(|contact| contact.frames.end > frame);
        while let Some(contact) = self.contacts.get(self.next).filter(|contact| contact.frames.start <= frame) {
            self.next += 1;
            if contact.frames.end > frame {
                self.now.push(contact);
            }
        }
    }
}
