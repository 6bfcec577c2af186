//! Contact detection in the source, from the last frame to the first.
//!
//! The state of a frame depends on it and on later frames only, so that it does not change when the clip is cut before it.
//!
//! The ground is the plane y = 0 of the world, as in capture volumes. Where feet rest far from it, the ground is at their
//! height, rounded to 5 cm. Floors are not quite level and soles not exactly known: the *level* follows the lowest points at
//! rest. Within 6 cm of the ground it is an error of the capture and is removed; from 10 cm on it is a step or terrain and
//! stays.

use crate::contacts::ground_level::LEVEL_ERROR as ERROR;
use crate::math::{Real, real};

/// Contact thresholds for a size scale `a` (height over the reference height), as in a report. Contact starts below the lower
/// height and speed and ends beyond the higher ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    enter: Real,
    leave: Real,
    speed: Real,
    /// Length of a fast movement that may be a jerk within a contact, metres.
    jerk: Real,
    /// Distance that a low and slow point may slide before it is seen at rest, metres.
    doubt: Real,
}

impl Thresholds {
    pub fn of(a: Real) -> Self {
        Self { enter: 0.025 * a, leave: 0.04 * a, speed: 0.25 * a, jerk: 0.016 * a, doubt: 0.12 * a }
    }

    /// Returns the speed below which a point is slow, when the root moves at `root_speed`, m/s.
    fn slow(&self, root_speed: Real) -> Real {
        self.speed.max(0.2 * root_speed)
    }

    /// Height below which a slow point may be measured as in contact, metres.
    pub fn most_height(&self) -> Real {
        self.leave
    }

    /// Speed below which a low point may be measured as in contact, m/s: a little more than the end of a contact, because the
    /// centre of mass is slower than the pelvis.
    pub fn most_speed(&self, root_speed: Real) -> Real {
        2.1 * self.slow(root_speed)
    }

    /// Tells whether a point of this height and speed may be measured as in contact.
    pub fn released(&self, height: Real, speed: Real, root_speed: Real) -> Released {
        let most = self.most_speed(root_speed);
        match height < self.leave {
            true if speed < most => Released::Stays,
            true if speed < JERKS * most => Released::Jerks,
            _ => Released::Leaves,
        }
    }
}

/// Contact state of one sole point, followed from the last frame to the first.
///
/// The pass meets a contact at its end, where the point begins to move. A low and slow point counts for a while, and longer
/// only once it is seen at rest. A foot that slides over the ground is released.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointContact {
    /// Contact flag, set from touchdown to lift-off.
    pub on: bool,
    /// Rest flag: low and slow for a while.
    pub at_rest: bool,
    rested: bool,
    waited: Real,
    /// Distance moved since, metres.
    slid: Real,
    /// Distance moved since it left and was held nevertheless, metres.
    strayed: Real,
}

/// Speed of a single step that ends a contact, over the usual end speed.
const JERKS: Real = 1.4;
/// Longest duration of the end of a contact, seconds.
const END: Real = 0.12;

/// Movement of a point in a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Height above the local level, metres.
    pub height: Real,
    /// Mean speed over the next thirtieth of a second, m/s.
    pub speed: Real,
    /// Speed to the next frame, if that is slower, m/s.
    pub next_speed: Real,
    /// Movement of the target's point without contact.
    pub released: Released,
}

/// Movement of a point of the target without contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Released {
    /// Leaves the ground.
    #[default]
    Leaves,
    /// Would leave if it were as fast in the frame before.
    Jerks,
    /// Low and slow enough to be measured as in contact.
    Stays,
}

impl PointContact {
    /// Advances by one frame, `time` seconds earlier; `root_speed` in m/s.
    pub fn update(&mut self, thresholds: &Thresholds, step: &Step, root_speed: Real, time: Real) {
        let slow = thresholds.slow(root_speed);
        let near = step.height < thresholds.leave && step.next_speed < 2.0 * slow;
        let (near, was_near) = (near || step.released == Released::Stays, near);
        self.at_rest = was_near && step.height < thresholds.enter && step.speed < slow;
        if !near {
            // A few small steps do not end a contact, because a report would count them as sliding within it.
            let strayed = self.strayed + step.next_speed * time;
            let jerks = step.height < thresholds.leave && strayed < thresholds.jerk;
            let jerk = self.on && (jerks || (self.strayed == 0.0 && step.released == Released::Jerks));
            *self = if jerk { PointContact { strayed, at_rest: false, ..*self } } else { PointContact::default() };
            return;
        }
        self.strayed = 0.0;
        self.rested |= self.at_rest;
        self.waited += time;
        self.slid += step.next_speed * time;
        self.on = self.rested || self.waited < END || self.slid < thresholds.doubt;
    }
}

/// Local level of the floor, followed from the last frame to the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloorLevel {
    a: Real,
    thresholds: Thresholds,
    /// Height above the ground, metres.
    height: Option<Real>,
    /// The same with a longer time constant, for the motion of the whole body.
    slow_height: Real,
    /// True before the first update.
    fresh: bool,
}

/// Time constants of the level, seconds: within a floor, to another step, and for the body.
const FOLLOWS: Real = 0.15;
const STEPS: Real = 0.05;
const BODY_FOLLOWS: Real = 0.3;

impl FloorLevel {
    pub fn new(a: Real, thresholds: Thresholds) -> Self {
        Self { a, thresholds, height: None, slow_height: 0.0, fresh: true }
    }

    /// Advances by one frame, given heights above the ground and speeds of all points, and whether the body falls freely.
    pub fn update(
        &mut self,
        points: impl Iterator<Item = (Real, Real)> + Clone,
        falling: bool,
        root_speed: Real,
        step: Real,
    ) {
        let fresh = std::mem::take(&mut self.fresh);
        let lowest = points.clone().map(|(height, _)| height).fold(Real::INFINITY, Real::min);
        let slow = 0.5 * self.thresholds.slow(root_speed);
        let resting = points.filter(|&(height, speed)| speed < slow && height < lowest + 0.02 * self.a);
        let resting = resting.map(|(height, _)| height).fold(Real::INFINITY, Real::min);
        // A foot below the floor lowers it however fast it slides, within the error of a capture. Steps are told by points at
        // rest alone.
        let through = lowest.max(-ERROR * self.a);
        let resting = if through < self.height() { resting.min(through) } else { resting };
        if falling || !resting.is_finite() {
            return;
        }
        let height = self.height.get_or_insert(resting);
        let time = if (resting - *height).abs() > 0.06 * self.a { STEPS } else { FOLLOWS };
        *height += (resting - *height) * (1.0 - real::exp(-step / time));
        let slow_height = *height;
        // A body in flight is not pulled abruptly to a floor it meets.
        self.slow_height = if fresh {
            slow_height
        } else {
            self.slow_height + (slow_height - self.slow_height) * (1.0 - real::exp(-step / BODY_FOLLOWS))
        };
    }

    /// Height above the ground, metres.
    pub fn height(&self) -> Real {
        self.height.unwrap_or(0.0)
    }

    /// Height of the terrain, metres; 0 within the error of a capture.
    pub fn terrain(&self) -> Real {
        terrain(self.height(), self.a)
    }

    /// Slowly changing error of the floor of the capture, metres.
    pub fn error(&self) -> Real {
        self.slow_height - terrain(self.slow_height, self.a)
    }
}

fn terrain(height: Real, a: Real) -> Real {
    let share = ((height.abs() / a - ERROR) / 0.04).clamp(0.0, 1.0);
    height * share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report takes the slower of two steps, so that one fast step between slow ones is sliding within a contact. A foot that
    /// is released and held again slides as well, so that short movements stay in contact.
    #[test]
    fn steps_of_sixteen_millimetres_in_all_are_no_end_of_a_contact() {
        let thresholds = Thresholds::of(1.0);
        let (rests, jerks) = ((0.01, 0.05), (0.01, 1.2));
        let held = |steps: &[(Real, Real)]| {
            let mut contact = PointContact::default();
            let seen = steps.iter().map(|&(height, speed)| {
                let step = Step { height, speed, next_speed: speed, released: Released::Leaves };
                contact.update(&thresholds, &step, 0.0, 1.0 / 120.0);
                contact.on
            });
            seen.collect::<Vec<bool>>()
        };
        assert_eq!(held(&[rests, rests, jerks, rests]), [true; 4]);
        assert_eq!(held(&[rests, rests, jerks, jerks]), [true, true, true, false]);
        assert_eq!(held(&[rests, rests, (0.01, 4.0)]), [true, true, false]);
        let strays = (0.01, 0.6);
        assert_eq!(held(&[rests, strays, strays, strays, rests, strays]), [true; 6]);
        assert_eq!(held(&[rests, strays, strays, strays, strays]), [true, true, true, true, false]);
    }

    /// A point of the target whose source has left stays in contact over one step that is a little too fast.
    #[test]
    fn one_step_of_the_target_is_no_end_of_a_contact_and_two_are() {
        let thresholds = Thresholds::of(1.0);
        assert_eq!(thresholds.released(0.01, 0.6, 0.0), Released::Jerks);
        assert_eq!(thresholds.released(0.01, 0.4, 0.0), Released::Stays);
        assert_eq!(thresholds.released(0.05, 0.1, 0.0), Released::Leaves);
        let held = |released: &[Released]| {
            let mut contact = PointContact::default();
            let seen = released.iter().map(|&released| {
                let step = Step { height: 0.3, speed: 2.0, next_speed: 2.0, released };
                contact.update(&thresholds, &step, 0.0, 1.0 / 120.0);
                contact.on
            });
            seen.collect::<Vec<bool>>()
        };
        use Released::{Jerks, Leaves, Stays};
        assert_eq!(held(&[Stays, Jerks, Stays, Stays]), [true; 4]);
        assert_eq!(held(&[Stays, Jerks, Jerks, Stays]), [true, true, false, true]);
        assert_eq!(held(&[Jerks, Stays, Leaves]), [false, true, false]);
    }

    /// A sliding foot is not inside the floor: the floor, and with it the body, is lowered instead.
    #[test]
    fn a_floor_is_no_higher_than_what_slides_over_it() {
        let mut level = FloorLevel::new(1.0, Thresholds::of(1.0));
        for _ in 0..200 {
            level.update([(-0.03, 1.5), (0.2, 0.1)].into_iter(), false, 0.0, 0.01);
        }
        assert!((level.error() + 0.03).abs() < 1e-3, "{}", level.error());
        // A sliding point above the floor does not change it.
        level.update([(0.02, 1.5)].into_iter(), false, 0.0, 0.01);
        assert!((level.error() + 0.03).abs() < 1e-3, "{}", level.error());
    }

    /// A pointed toe that sweeps nine centimetres below the ground is an error, limited to that of a capture. A point at rest
    /// there is a step.
    #[test]
    fn what_sweeps_below_the_ground_is_an_error_and_what_rests_there_a_step() {
        let follow = |speed: Real| {
            let mut level = FloorLevel::new(1.0, Thresholds::of(1.0));
            (0..200).for_each(|_| level.update([(-0.09, speed)].into_iter(), false, 0.0, 0.01));
            level
        };
        assert!(follow(2.0).terrain().abs() < 1e-6 && (follow(2.0).error() + 0.06).abs() < 1e-3);
        assert!(follow(0.0).terrain() < -0.07, "{}", follow(0.0).terrain());
    }

    /// A body in flight approaches the floor smoothly; one at rest in the last frame takes it at once.
    #[test]
    fn a_floor_that_is_met_late_is_gone_to_softly() {
        let at_rest = [(0.02, 0.0)].into_iter();
        let mut level = FloorLevel::new(1.0, Thresholds::of(1.0));
        level.update(at_rest.clone(), false, 0.0, 0.01);
        assert!((level.error() - 0.02).abs() < 1e-12);
        let mut level = FloorLevel::new(1.0, Thresholds::of(1.0));
        level.update([(0.4, 2.0)].into_iter(), false, 0.0, 0.01);
        level.update(at_rest.clone(), false, 0.0, 0.01);
        assert!(level.error() > 0.0 && level.error() < 0.001, "{}", level.error());
        (0..200).for_each(|_| level.update(at_rest.clone(), false, 0.0, 0.01));
        assert!((level.error() - 0.02).abs() < 1e-3, "{}", level.error());
    }

    /// A report continues contacts at up to twice the speed at which they began, which the backward pass does not know yet.
    #[test]
    fn what_slides_slowly_is_held_for_twelve_centimetres() {
        let thresholds = Thresholds::of(1.0);
        let step = Step { height: 0.01, speed: 0.4, next_speed: 0.4, released: Released::Leaves };
        let mut contact = PointContact::default();
        let mut held = 0.0;
        for _ in 0..24 {
            contact.update(&thresholds, &step, 0.0, 1.0 / 24.0);
            held += if contact.on { 0.4 / 24.0 } else { 0.0 };
        }
        assert!((0.1..0.13).contains(&held), "{held} m");
    }

    #[test]
    fn small_levels_are_errors_and_large_ones_steps() {
        assert_eq!(terrain(0.055, 1.0), 0.0);
        assert_eq!(terrain(-0.17, 1.0), -0.17);
    }
}
