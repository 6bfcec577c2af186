//! What stands on the ground in the source, and when.
//!
//! Frames are looked at from the last to the first, and what is said of a frame depends on it and on those after it. So the
//! frames of a clip get the same answer wherever the clip was cut before them.
//!
//! The ground is the plane y = 0 of the world, as capture volumes have it; feet that stand far from it say that it is elsewhere, and
//! then it is put to a whole 5 cm. Floors are not quite level and soles not quite known: the *level* follows the lowest points
//! that rest. As far as it is within 6 cm of the ground it is an error of the capture and is taken out; from 10 cm on it is
//! a step, a stone, a terrain, and stays.

use crate::math::Real;

/// Thresholds for a body of a = height / 1.75 m, as in the figures of a report: lower than the height and slower than the
/// speed is contact; it ends beyond the larger ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    enter: Real,
    leave: Real,
    speed: Real,
    /// Fast steps of no more than this in all may be a jerk, metres.
    jerk: Real,
    /// So far what is low and slow may slide before it is seen to stand, metres.
    doubt: Real,
}

impl Thresholds {
    pub fn of(a: Real) -> Self {
        Self { enter: 0.025 * a, leave: 0.04 * a, speed: 0.25 * a, jerk: 0.016 * a, doubt: 0.12 * a }
    }

    /// Slower than this is slow, when the whole body moves at `carried`, m/s.
    fn slow(&self, root_speed: Real) -> Real {
        self.speed.max(0.2 * root_speed)
    }

    /// What is lower than this and slower than `most_speed` may be seen as in contact, metres.
    pub fn most_height(&self) -> Real {
        self.leave
    }

    /// A little more than where contact ends, m/s: the centre of mass is not as fast as the pelvis.
    pub fn most_speed(&self, root_speed: Real) -> Real {
        2.1 * self.slow(root_speed)
    }

    /// Whether what is so high and goes on so fast may still be seen as in contact.
    pub fn released(&self, height: Real, speed: Real, root_speed: Real) -> Released {
        let most = self.most_speed(root_speed);
        match height < self.leave {
            true if speed < most => Released::Stays,
            true if speed < JERKS * most => Released::Jerks,
            _ => Released::Leaves,
        }
    }
}

/// The height of the ground, from the lowest foot point of each of some frames.
pub(crate) fn ground_height(lowest: &mut [Real], a: Real) -> Real {
    if lowest.is_empty() {
        return 0.0;
    }
    let at = (lowest.len() - 1) / 20;
    let (_, height, _) = lowest.select_nth_unstable_by(at, Real::total_cmp);
    const GRID: Real = 0.05;
    if height.abs() < ERROR * a { 0.0 } else { (*height / GRID).round() * GRID }
}

/// One point that may touch, followed from the last frame to the first.
///
/// It is met at the end of a contact, where it begins to move: what is low and slow enough to be at such an end counts for a
/// while, and for longer only when it is seen to stand before. A foot that slides over the ground is let go.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointContact {
    /// In contact, beginning and end included.
    pub on: bool,
    /// Standing: low, and at rest for a while.
    pub stands: bool,
    stood: bool,
    waited: Real,
    /// How far it has moved since, metres.
    slid: Real,
    /// How far it has gone since it was seen to leave, and was held nevertheless, metres.
    strayed: Real,
}

/// A single step that is faster than this, over what ends a contact, leaves.
const JERKS: Real = 1.4;
/// How long an end of a contact may take, seconds.
const END: Real = 0.12;

/// What a point does in a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Above the local level, metres.
    pub height: Real,
    /// From here on for a thirtieth of a second, m/s.
    pub speed: Real,
    /// To the next frame, if that is slower.
    pub next_speed: Real,
    /// What the point of the target does there if nothing holds it.
    pub released: Released,
}

/// How a point of the target that is let go looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Released {
    /// It leaves.
    #[default]
    Leaves,
    /// It would leave if it were as fast in the frame before.
    Jerks,
    /// Low and slow enough to be in contact.
    Stays,
}

impl PointContact {
    /// One frame, `time` seconds before the last; `carried` is the speed of the body.
    pub fn update(&mut self, thresholds: &Thresholds, step: &Step, root_speed: Real, time: Real) {
        let slow = thresholds.slow(root_speed);
        let near = step.height < thresholds.leave && step.next_speed < 2.0 * slow;
        let (near, was_near) = (near || step.released == Released::Stays, near);
        self.stands = was_near && step.height < thresholds.enter && step.speed < slow;
        if !near {
            // A few small steps are no end of a contact: they would be seen as a slide within one.
            let strayed = self.strayed + step.next_speed * time;
            let jerks = step.height < thresholds.leave && strayed < thresholds.jerk;
            let jerk = self.on && (jerks || (self.strayed == 0.0 && step.released == Released::Jerks));
            *self = if jerk { PointContact { strayed, stands: false, ..*self } } else { PointContact::default() };
            return;
        }
        self.strayed = 0.0;
        self.stood |= self.stands;
        self.waited += time;
        self.slid += step.next_speed * time;
        self.on = self.stood || self.waited < END || self.slid < thresholds.doubt;
    }
}

/// The local level of the floor, followed from the last frame to the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloorLevel {
    a: Real,
    thresholds: Thresholds,
    /// Above the ground, metres.
    height: Option<Real>,
    /// The same, but slower; for what moves the whole body.
    slow_height: Real,
    /// No frame has been seen yet.
    fresh: bool,
}

/// A floor that is off by no more is one of a capture that is not exact, metres for a body of 1.75 m.
const ERROR: Real = 0.06;
/// How fast the level follows, seconds: within a floor, to another step, and for the body.
const FOLLOWS: Real = 0.15;
const STEPS: Real = 0.05;
const BODY_FOLLOWS: Real = 0.3;

impl FloorLevel {
    pub fn new(a: Real, thresholds: Thresholds) -> Self {
        Self { a, thresholds, height: None, slow_height: 0.0, fresh: true }
    }

    /// One frame: heights above the ground and speeds of all points that stand, whether the body falls freely.
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
        // Nothing goes through a floor, however fast it slides: where a foot is lower, the floor is, as far as that may be an error. What
        // rests alone tells of steps.
        let through = lowest.max(-ERROR * self.a);
        let resting = if through < self.height() { resting.min(through) } else { resting };
        if falling || !resting.is_finite() {
            return;
        }
        let height = self.height.get_or_insert(resting);
        let time = if (resting - *height).abs() > 0.06 * self.a { STEPS } else { FOLLOWS };
        *height += (resting - *height) * (1.0 - (-step / time).exp());
        let slow_height = *height;
        // A body that was in the air until now is not jerked to a floor it meets.
        self.slow_height = if fresh {
            slow_height
        } else {
            self.slow_height + (slow_height - self.slow_height) * (1.0 - (-step / BODY_FOLLOWS).exp())
        };
    }

    /// Above the ground, metres.
    pub fn height(&self) -> Real {
        self.height.unwrap_or(0.0)
    }

    /// How high the floor really is: nothing as long as it may be an error.
    pub fn terrain(&self) -> Real {
        terrain(self.height(), self.a)
    }

    /// How much the floor of the capture is off the ground, metres, changing slowly.
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

    #[test]
    fn a_floor_near_zero_is_zero_and_another_is_on_the_grid() {
        assert_eq!(ground_height(&mut [0.012, 0.03, 0.2], 1.0), 0.0);
        assert!((ground_height(&mut [-0.176, -0.17, 0.1], 1.0) + 0.2).abs() < 1e-12);
        assert_eq!(ground_height(&mut [], 1.0), 0.0);
    }

    /// A report takes the slower one of two steps: one fast step between slow ones is a slide within a contact. A foot that is let go and held
    /// again slides as well, so what goes no farther in all is held.
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

    /// The same for a foot of the target that is held there although the source has left: one step that is a little too fast.
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

    /// A foot that slides is in no floor: the floor is as low, and the body with it, not its knee, gets out of the way.
    #[test]
    fn a_floor_is_no_higher_than_what_slides_over_it() {
        let mut level = FloorLevel::new(1.0, Thresholds::of(1.0));
        for _ in 0..200 {
            level.update([(-0.03, 1.5), (0.2, 0.1)].into_iter(), false, 0.0, 0.01);
        }
        assert!((level.error() + 0.03).abs() < 1e-3, "{}", level.error());
        // What is above it says nothing as long as it slides.
        level.update([(0.02, 1.5)].into_iter(), false, 0.0, 0.01);
        assert!((level.error() + 0.03).abs() < 1e-3, "{}", level.error());
    }

    /// A pointed toe that sweeps nine centimetres below the ground is no pit: the floor is off by what an error may be, and nothing is lower on the
    /// target. What rests down there is a step.
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

    /// What comes out of the air is not jerked to the floor that it meets; what stands in the last frame is there at once.
    #[test]
    fn a_floor_that_is_met_late_is_gone_to_softly() {
        let stands = [(0.02, 0.0)].into_iter();
        let mut level = FloorLevel::new(1.0, Thresholds::of(1.0));
        level.update(stands.clone(), false, 0.0, 0.01);
        assert!((level.error() - 0.02).abs() < 1e-12);
        let mut level = FloorLevel::new(1.0, Thresholds::of(1.0));
        level.update([(0.4, 2.0)].into_iter(), false, 0.0, 0.01);
        level.update(stands.clone(), false, 0.0, 0.01);
        assert!(level.error() > 0.0 && level.error() < 0.001, "{}", level.error());
        (0..200).for_each(|_| level.update(stands.clone(), false, 0.0, 0.01));
        assert!((level.error() - 0.02).abs() < 1e-3, "{}", level.error());
    }

    /// By the law of a report a contact goes on at up to twice the speed at which it began; how it began is not known yet.
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
