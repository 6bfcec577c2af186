//! Pelvis compensation: the pelvis moves with the feet in contact.
//!
//! A held foot is not where the posture has it: hips are wider, feet longer, floors and captures inexact. If only the leg
//! yielded, thigh and shank would point elsewhere, and a leg that is nearly straight would bend by 8° for a hundredth of its
//! length. The pelvis is therefore displaced as well, in two ways.
//!
//! Immediately, by the least displacement that keeps every supporting leg as long as in the posture. With the root r of leg i,
//! the place p of its end, the length l between them in the posture, and the unit vector u from r to p, the displacement m
//! solves, step by step,
//!
//!   (Σ w u uᵀ + λ) m = Σ w u (|p − r| − l)
//!
//! One leg pulls along itself. Two that diverge pull each along itself. Two side by side share their disagreement, by λ. A leg
//! may then rotate about its root, which bends no knee. The common part, along the middle between the legs, stays with the
//! pelvis; the opposing part is found anew in every frame, because it would accumulate.
//!
//! And gradually, by the displacement of the held feet across their legs, as far as they agree, so that legs keep their
//! directions.
//!
//! The pass runs backwards (see `source_contacts`): a frame gets what later frames asked for, so that the body moves smoothly
//! when its weight shifts from one foot to the other.

use super::limb_contact::Eased;
use crate::math::{Mat3, Real, Vec3, real};

/// Time constant with which the pelvis follows, seconds.
const FOLLOWS: Real = 0.04;
/// Time constant with which it returns to the posture without contacts, seconds.
const RETURNS: Real = 0.5;
/// Largest displacement, over the length of the legs.
const MOST: Real = 0.2;
/// Regularisation λ: legs that diverge by less than about a quarter of a right angle do not pull the pelvis aside.
const SHARED: Real = 0.05;
/// Steps of the iteration.
const STEPS: usize = 4;

/// Leg in contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct SupportLeg {
    pub root: Vec3,
    /// Place of its end, metres.
    pub place: Vec3,
    /// Distance from root to end in the posture, metres.
    pub length: Real,
    /// Weight of the contact: 1 within it, blending out before it.
    pub weight: Real,
}

/// Immediate displacement of the pelvis by the supporting legs, metres.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ImmediateShift {
    /// Displacement that the legs agree on.
    pub common: Vec3,
    /// Displacement by legs that pull to opposite sides.
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

/// Missing length of a leg, along itself.
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

/// State of the compensation.
#[derive(Clone, Debug)]
pub(super) struct PelvisCompensation {
    /// Largest displacement, metres; `None` for bodies whose pelvis stays.
    most: Option<Real>,
    /// Restricts the displacement to the vertical.
    only_up: bool,
    moved: [Eased; 3],
    asked: Vec3,
    weight: Real,
}

impl PelvisCompensation {
    /// Starts for legs of this length, metres; `only_up` where the path of the pelvis is given.
    pub fn new(leg: Option<Real>, only_up: bool) -> Self {
        Self { most: leg.map(|leg| MOST * leg), only_up, moved: Default::default(), asked: Vec3::zeros(), weight: 0.0 }
    }

    /// Returns the displacement of the pelvis in this frame, metres.
    pub fn now(&self) -> Vec3 {
        Vec3::from(self.moved.map(|part| part.value))
    }

    fn allowed(&self, by: Vec3) -> Vec3 {
        if self.only_up { Vec3::y() * by.y } else { by }
    }

    /// Requests a displacement of the pelvis, metres, for a foot of this weight, 0 to 1.
    pub fn ask(&mut self, by: &Vec3, weight: Real) {
        self.asked += by * weight;
        self.weight += weight;
    }

    /// Returns the immediate displacement by the supporting legs, metres.
    pub fn immediate_shift(&mut self, legs: &[SupportLeg]) -> ImmediateShift {
        let Some(most) = self.most.filter(|_| !legs.is_empty()) else { return ImmediateShift::default() };
        let ImmediateShift { common, opposing } = ImmediateShift::of(legs);
        let within = |by: Vec3| self.allowed(by) / real::hypot(by.norm() / most, 1.0);
        // The total stays within reach as well. Feet held far away would otherwise pull the pelvis on without end.
        let moved = self.now() + within(common);
        let common = moved * (most / moved.norm().max(most)) - self.now();
        let by = ImmediateShift { common, opposing: within(opposing) };
        // Requests count from the earlier position of the pelvis. The opposing part lasts only as long as the legs disagree.
        self.asked -= by.common * self.weight;
        for (moved, by) in self.moved.iter_mut().zip(by.common.iter()) {
            moved.shift(*by);
        }
        by
    }

    /// Advances to the frame before; returns the further displacement of the pelvis there, metres.
    pub fn follow(&mut self, step: Real) -> Vec3 {
        let Some(most) = self.most else { return Vec3::zeros() };
        let before = self.now();
        let share = self.weight.min(1.0);
        // The request is what is still missing.
        let wanted = self.now() * share + self.asked / self.weight.max(1.0);
        let wanted = self.allowed(wanted) / real::hypot(wanted.norm() / most, 1.0);
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

    /// The least displacement to a sphere is along its radius.
    #[test]
    fn one_leg_moves_the_pelvis_along_itself() {
        let leg = leg(Vec3::new(0.1, 0.9, 0.0), Vec3::new(0.15, 0.1, 0.3), 0.82);
        let moved = ImmediateShift::of(&[leg]).all();
        assert!(left_over(&leg, &moved) < 1e-6, "{}", left_over(&leg, &moved));
        assert!(moved.cross(&(leg.place - leg.root)).norm() < 1e-6, "{moved}");
    }

    /// Two spheres intersect: both legs of a long step keep their lengths, but for λ / (λ + 1 − cos φ) of their disagreement, a
    /// tenth at φ = 60°.
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

    /// A foot held out of reach pulls the pelvis in every frame, but no farther than its bound.
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

    /// Legs side by side that differ by a centimetre would need half a metre of lateral displacement to be both right.
    #[test]
    fn legs_side_by_side_share_what_they_disagree_about() {
        let left = leg(Vec3::new(0.1, 0.9, 0.0), Vec3::new(0.11, 0.08, 0.0), 0.825);
        let right = leg(Vec3::new(-0.1, 0.9, 0.0), Vec3::new(-0.11, 0.08, 0.0), 0.815);
        let by = ImmediateShift::of(&[left, right]);
        assert!(by.all().x.abs() < 0.01 && by.common.x.abs() < 1e-3, "{by:?}");
        assert!(left_over(&left, &by.all()) < 0.007 && left_over(&right, &by.all()) < 0.007);
        // The disagreement does not accumulate.
        let mut compensation = PelvisCompensation::new(Some(0.85), false);
        for _ in 0..600 {
            compensation.immediate_shift(&[left, right]);
            compensation.follow(1.0 / 60.0);
        }
        assert!(compensation.now().x.abs() < 0.005, "{}", compensation.now());
    }
}
