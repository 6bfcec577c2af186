//! The pelvis goes with the feet that stand.
//!
//! A foot that is held is not where the posture has it: hips are wider, feet longer, floors and captures less exact. If only the
//! leg gave way, thigh and shank would point elsewhere, and a leg that is nearly straight would bend by 8° for a hundredth of its
//! length. So the pelvis is moved by what the standing feet are moved by, as far as they agree, and legs stay as they were.
//!
//! Time runs backwards (see `ground`): a frame gets what those after it asked for, eased, so that the body does not jump when the
//! weight goes from one foot to the other.

use super::stance::Eased;
use crate::math::{Real, Vec3};

/// How fast the pelvis follows, seconds.
const FOLLOWS: Real = 0.08;
/// How fast it goes back to where the posture has it while nothing stands, seconds.
const FORGETS: Real = 0.5;
/// By how much at most, over the length of the legs.
const MOST: Real = 0.2;

/// What the pelvis is moved by.
#[derive(Clone, Debug)]
pub(super) struct Sway {
    /// Metres; none for bodies whose pelvis stays.
    most: Option<Real>,
    moved: [Eased; 3],
    asked: Vec3,
    weight: Real,
}

impl Sway {
    /// For legs of this length, metres.
    pub fn new(leg: Option<Real>) -> Self {
        Self { most: leg.map(|leg| MOST * leg), moved: Default::default(), asked: Vec3::zeros(), weight: 0.0 }
    }

    /// What the pelvis is moved by in this frame, metres.
    pub fn now(&self) -> Vec3 {
        Vec3::from(self.moved.map(|part| part.value))
    }

    /// A foot that bears with this weight, 0 to 1, is moved by this much against the pelvis, metres.
    pub fn ask(&mut self, by: &Vec3, weight: Real) {
        self.asked += by * weight;
        self.weight += weight;
    }

    /// Goes on to the frame before.
    pub fn follow(&mut self, step: Real) {
        let Some(most) = self.most else { return };
        let share = self.weight.min(1.0);
        // What was asked for is what is missing still.
        let wanted = self.now() * share + self.asked / self.weight.max(1.0);
        let wanted = wanted / (wanted.norm() / most).hypot(1.0);
        let time = 1.0 / ((1.0 - share) / FORGETS + share / FOLLOWS);
        for (moved, wanted) in self.moved.iter_mut().zip(wanted.iter()) {
            moved.follow(*wanted, time, step);
        }
        (self.asked, self.weight) = (Vec3::zeros(), 0.0);
    }
}
