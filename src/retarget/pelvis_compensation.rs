//! The pelvis goes with the feet that stand.
//!
//! A foot that is held is not where the posture has it: hips are wider, feet longer, floors and captures less exact. If only the
//! leg gave way, thigh and shank would point elsewhere, and a leg that is nearly straight would bend by 8° for a hundredth of its
//! length. So the pelvis is moved too, in two ways.
//!
//! At once, by the least that leaves every standing leg as long as the posture has it. With the root r of leg i, the place p of its
//! end, the length l between them in the posture, and the unit vector u from r to p, the move m solves, step by step,
//!
//!   (Σ w u uᵀ + λ) m = Σ w u (|p − r| − l)
//!
//! One leg pulls along itself alone; two that part pull each along itself; two that stand side by side share what they disagree about,
//! as λ sees to it. A leg may then turn about its root, which bends no knee. What legs agree on, along the middle between them, stays with
//! the pelvis; what they part it by is found anew in every frame, or it would add up.
//!
//! And in time, by what the standing feet are moved by across their legs, as far as they agree, so that legs point where they did.
//!
//! Time runs backwards (see `ground`): a frame gets what those after it asked for, so that the body does not jump when the
//! weight goes from one foot to the other.

use super::limb_contact::Eased;
use crate::math::{Mat3, Real, Vec3};

/// How fast the pelvis follows, seconds.
const FOLLOWS: Real = 0.04;
/// How fast it goes back to where the posture has it while nothing stands, seconds.
const RETURNS: Real = 0.5;
/// By how much at most, over the length of the legs.
const MOST: Real = 0.2;
/// λ: legs that part by less than about a quarter of a right angle do not tear the pelvis aside.
const SHARED: Real = 0.05;
/// Steps of the solution.
const STEPS: usize = 4;

/// A leg that stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct SupportLeg {
    pub root: Vec3,
    /// Where its end stands.
    pub place: Vec3,
    /// From root to end, as the posture has it, metres.
    pub length: Real,
    /// 1 in a stance, fading before it.
    pub weight: Real,
}

/// What standing legs move the pelvis by at once, metres.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ImmediateShift {
    /// What they agree on.
    pub common: Vec3,
    /// What they pull it aside by, each to its own side.
    pub opposing: Vec3,
}

impl ImmediateShift {
    pub fn all(&self) -> Vec3 {
        self.common + self.opposing
    }

    fn of(legs: &[SupportLeg]) -> ImmediateShift {
        let mut moved = ImmediateShift::default();
        for _ in 0..STEPS {
            let rows = rows(legs, &moved.all());
            let middle: Vec3 = rows.iter().map(|row| row.along * row.weight).sum();
            let Some(middle) = middle.try_normalize(1e-6) else { break };
            let (missing, sum) = rows.iter().fold((0.0, 1e-9), |(missing, sum), row| {
                let share = row.along.dot(&middle);
                (missing + row.weight * share * row.missing, sum + row.weight * share * share)
            });
            moved.common += middle * (missing / sum);
            if legs.len() < 2 {
                continue;
            }
            let (mut matrix, mut side) = (Mat3::identity() * SHARED, -moved.opposing * SHARED);
            for row in self::rows(legs, &moved.all()) {
                matrix += row.along * row.along.transpose() * row.weight;
                side += row.along * (row.weight * row.missing);
            }
            let Some(inverse) = matrix.try_inverse() else { break };
            moved.opposing += inverse * side;
        }
        moved
    }
}

/// A leg that is too short, along itself.
struct Row {
    along: Vec3,
    missing: Real,
    weight: Real,
}

fn rows(legs: &[SupportLeg], moved: &Vec3) -> Vec<Row> {
    let row = |leg: &SupportLeg| {
        let way = leg.place - leg.root - moved;
        Some(Row { along: way.try_normalize(1e-6)?, missing: way.norm() - leg.length, weight: leg.weight })
    };
    legs.iter().filter_map(row).collect()
}

/// What the pelvis is moved by.
#[derive(Clone, Debug)]
pub(super) struct PelvisCompensation {
    /// Metres; none for bodies whose pelvis stays.
    most: Option<Real>,
    /// The pelvis rises and sinks, and goes nowhere else.
    only_up: bool,
    moved: [Eased; 3],
    asked: Vec3,
    weight: Real,
}

impl PelvisCompensation {
    /// For legs of this length, metres; `only_up` where the way of the pelvis is given.
    pub fn new(leg: Option<Real>, only_up: bool) -> Self {
        Self { most: leg.map(|leg| MOST * leg), only_up, moved: Default::default(), asked: Vec3::zeros(), weight: 0.0 }
    }

    /// What the pelvis is moved by in this frame, metres.
    pub fn now(&self) -> Vec3 {
        Vec3::from(self.moved.map(|part| part.value))
    }

    fn allowed(&self, by: Vec3) -> Vec3 {
        if self.only_up { Vec3::y() * by.y } else { by }
    }

    /// A foot that bears with this weight, 0 to 1, is moved by this much against the pelvis, metres.
    pub fn ask(&mut self, by: &Vec3, weight: Real) {
        self.asked += by * weight;
        self.weight += weight;
    }

    /// What the standing legs move the pelvis by at once, metres.
    pub fn immediate_shift(&mut self, legs: &[SupportLeg]) -> ImmediateShift {
        let Some(most) = self.most.filter(|_| !legs.is_empty()) else { return ImmediateShift::default() };
        let ImmediateShift { common, opposing } = ImmediateShift::of(legs);
        let within = |by: Vec3| self.allowed(by) / (by.norm() / most).hypot(1.0);
        // All of it together stays within reach as well, or feet that are held far away would draw the pelvis on and on.
        let moved = self.now() + within(common);
        let common = moved * (most / moved.norm().max(most)) - self.now();
        let by = ImmediateShift { common, opposing: within(opposing) };
        // What was asked for is counted from where the pelvis was. What legs do not agree on lasts as long as they do not.
        self.asked -= by.common * self.weight;
        for (moved, by) in self.moved.iter_mut().zip(by.common.iter()) {
            moved.shift(*by);
        }
        by
    }

    /// Goes on to the frame before; says by how much the pelvis is moved more there, metres.
    pub fn follow(&mut self, step: Real) -> Vec3 {
        let Some(most) = self.most else { return Vec3::zeros() };
        let before = self.now();
        let share = self.weight.min(1.0);
        // What was asked for is what is missing still.
        let wanted = self.now() * share + self.asked / self.weight.max(1.0);
        let wanted = self.allowed(wanted) / (wanted.norm() / most).hypot(1.0);
        let time = 1.0 / ((1.0 - share) / RETURNS + share / FOLLOWS);
        for (moved, wanted) in self.moved.iter_mut().zip(wanted.iter()) {
            moved.follow(*wanted, time, step);
        }
        (self.asked, self.weight) = (Vec3::zeros(), 0.0);
        self.now() - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(root: Vec3, place: Vec3, length: Real) -> SupportLeg {
        SupportLeg { root, place, length, weight: 1.0 }
    }

    fn left_over(leg: &SupportLeg, moved: &Vec3) -> Real {
        ((leg.place - leg.root - moved).norm() - leg.length).abs()
    }

    /// The least move to a sphere is along its radius.
    #[test]
    fn one_leg_moves_the_pelvis_along_itself() {
        let leg = leg(Vec3::new(0.1, 0.9, 0.0), Vec3::new(0.15, 0.1, 0.3), 0.82);
        let moved = ImmediateShift::of(&[leg]).all();
        assert!(left_over(&leg, &moved) < 1e-6, "{}", left_over(&leg, &moved));
        assert!(moved.cross(&(leg.place - leg.root)).norm() < 1e-6, "{moved}");
    }

    /// Two spheres that cross: both legs of a long step are as long as they are to be, but for λ / (λ + 1 − cos φ) of what they part by,
    /// a tenth at φ = 60°.
    #[test]
    fn legs_of_a_step_are_both_as_long_as_they_are_to_be() {
        let ahead = leg(Vec3::new(0.1, 0.85, 0.0), Vec3::new(0.1, 0.08, 0.45), 0.88);
        let behind = leg(Vec3::new(-0.1, 0.85, 0.0), Vec3::new(-0.1, 0.15, -0.4), 0.815);
        let moved = ImmediateShift::of(&[ahead, behind]).all();
        for leg in [ahead, behind] {
            let missing = left_over(&leg, &Vec3::zeros());
            assert!(left_over(&leg, &moved) < 0.12 * missing, "{} of {missing}", left_over(&leg, &moved));
        }
    }

    /// A foot that is held out of reach draws the pelvis on in every frame, and no further than it may go.
    #[test]
    fn the_pelvis_is_drawn_no_further_than_its_bound() {
        let mut compensation = PelvisCompensation::new(Some(0.85), false);
        for _ in 0..120 {
            let root = Vec3::new(0.1, 0.9, 0.0) + compensation.now();
            compensation.immediate_shift(&[leg(root, Vec3::new(2.0, 0.08, 0.0), 0.83)]);
            assert!(compensation.now().norm() < MOST * 0.85 + 1e-9, "{}", compensation.now());
            compensation.follow(1.0 / 60.0);
        }
        assert!(compensation.now().norm() > 0.5 * MOST * 0.85, "{}", compensation.now());
    }

    /// Legs side by side that differ by a centimetre would have to be torn aside by half a metre to be both right.
    #[test]
    fn legs_side_by_side_share_what_they_disagree_about() {
        let left = leg(Vec3::new(0.1, 0.9, 0.0), Vec3::new(0.11, 0.08, 0.0), 0.825);
        let right = leg(Vec3::new(-0.1, 0.9, 0.0), Vec3::new(-0.11, 0.08, 0.0), 0.815);
        let by = ImmediateShift::of(&[left, right]);
        assert!(by.all().x.abs() < 0.01 && by.common.x.abs() < 1e-3, "{by:?}");
        assert!(left_over(&left, &by.all()) < 0.007 && left_over(&right, &by.all()) < 0.007);
        // What they do not agree on does not add up in time.
        let mut compensation = PelvisCompensation::new(Some(0.85), false);
        for _ in 0..600 {
            compensation.immediate_shift(&[left, right]);
            compensation.follow(1.0 / 60.0);
        }
        assert!(compensation.now().x.abs() < 0.005, "{}", compensation.now());
    }
}
