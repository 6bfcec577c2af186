//! Inverse kinematics of two bones, in closed form.
//!
//! With bones a and b and the distance d from the root of the limb to the place, the angle at the root is
//!
//!   cos α = (a² + d² − b²) / (2 a d)
//!
//! The limb first bends in its own plane until its end is at the distance, then swings as a whole by the shortest rotation. The
//! plane rotates with it, so that knees and elbows keep their directions.

use crate::anatomy::reference::swing;
use crate::math::{Quat, Real, Vec3, real};

/// Offset of the middle joint beyond which a limb bends in its own plane, over the upper bone.
const STRAIGHT: Real = 0.05;
/// Offset up to which a limb bent the wrong way is folded back, over the upper bone, as soon as it has to bend a quarter more,
/// and the rate of that.
const BEYOND: Real = 0.15;
const FOLD_BACK: Real = 4.0;

/// Joints of a limb, world space, metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bones {
    pub root: Vec3,
    pub middle: Vec3,
    pub end: Vec3,
}

/// World rotations of the upper and the lower bone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub upper: Quat,
    pub lower: Quat,
}

/// Returns a place that a limb reaches without snapping straight: the straighter it is, the less it is stretched. A foot in
/// contact misses its place by fractions of a millimetre, as the pelvis follows. `end` is the current end of the limb of this
/// `length`, metres.
pub(super) fn ease(root: &Vec3, end: &Vec3, length: Real, place: &Vec3) -> Vec3 {
    let (now, wanted) = ((end - root).norm(), (place - root).norm());
    let (room, more) = ((length - now).max(1e-9), wanted - now);
    if more <= 0.0 || wanted < 1e-9 {
        return *place;
    }
    let eased = now + room * (1.0 - real::exp(-more / room));
    root + (place - root) * (eased / wanted)
}

impl Bones {
    /// Returns the rotations that bring the end to `place`; `towards` is the direction of the middle joint when the limb is
    /// straight.
    pub fn reach(&self, place: &Vec3, towards: &Vec3) -> Reached {
        let (upper, lower) = (self.middle - self.root, self.end - self.middle);
        let (a, b) = (upper.norm(), lower.norm());
        let still = Reached { upper: Quat::identity(), lower: Quat::identity() };
        let wanted = place - self.root;
        let Some(now) = (self.end - self.root).try_normalize(1e-9) else { return still };
        let Some(then) = wanted.try_normalize(1e-9).filter(|_| a > 1e-9 && b > 1e-9) else { return still };
        if (place - self.end).norm() < 1e-12 {
            return still;
        }
        let d = wanted.norm().clamp((a - b).abs() + 1e-6 * (a + b), (a + b) * (1.0 - 1e-9));
        let cosine = ((a * a + d * d - b * b) / (2.0 * a * d)).clamp(-1.0, 1.0);
        let across = |v: &Vec3| v - now * v.dot(&now);
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let bent = across(&upper) / a;
        // A straight limb has no plane of its own and bends in the direction of knees and elbows.
        let ahead = across(towards).try_normalize(1e-6).unwrap_or_else(Vec3::zeros);
        // A limb bent beyond straight would fold the wrong way.
        let straight = match bent.dot(&ahead) < 0.0 {
            true => FOLD_BACK * (1.0 - bent.norm() / BEYOND).max(0.0),
            false => (1.0 - bent.norm() / STRAIGHT).max(0.0).powi(2),
        };
        let ahead = ahead * (straight * (sine - bent.norm()).max(0.0));
        let Some(aside) = (bent + ahead).try_normalize(1e-6) else { return still };
        let bent_middle = now * (a * cosine) + aside * (a * sine);
        let bent_end = now * d;
        let whole = swing(&now, &then);
        Reached { upper: whole * swing(&upper, &bent_middle), lower: whole * swing(&lower, &(bent_end - bent_middle)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the resulting middle and end.
    fn places(bones: &Bones, reached: &Reached) -> (Vec3, Vec3) {
        let middle = bones.root + reached.upper * (bones.middle - bones.root);
        (middle, middle + reached.lower * (bones.end - bones.middle))
    }

    /// Law of cosines: bones of 3 and 4 that reach 5 stand at a right angle.
    #[test]
    fn bones_of_three_and_four_reach_five_at_a_right_angle() {
        let middle = Vec3::new(0.0, -3.0, 0.1).normalize() * 3.0;
        let end = middle + Vec3::new(0.0, -4.0, -0.2).normalize() * 4.0;
        let bones = Bones { root: Vec3::zeros(), middle, end };
        let place = Vec3::new(3.0, -4.0, 0.0);
        let (middle, end) = places(&bones, &bones.reach(&place, &Vec3::z()));
        assert!((end - place).norm() < 1e-9, "{end}");
        assert!(middle.dot(&(end - middle)).abs() < 1e-9, "{middle}");
    }

    #[test]
    fn what_is_out_of_reach_is_pointed_at() {
        let bones = Bones { root: Vec3::y(), middle: Vec3::new(0.0, 0.5, 0.1), end: Vec3::new(0.0, 0.02, 0.0) };
        let (_, end) = places(&bones, &bones.reach(&Vec3::new(5.0, 1.0, 0.0), &Vec3::z()));
        let straight = (bones.middle - bones.root).norm() + (bones.end - bones.middle).norm();
        assert!((end - Vec3::new(straight, 1.0, 0.0)).norm() < 1e-4, "{end}");
    }

    /// A knee that a capture has a little beyond straight does not fold the leg backwards.
    #[test]
    fn a_limb_beyond_straight_bends_towards_the_front() {
        let bones = Bones { root: Vec3::y(), middle: Vec3::new(0.0, 0.5, -0.01), end: Vec3::zeros() };
        let (middle, end) = places(&bones, &bones.reach(&(Vec3::y() * 0.2), &Vec3::z()));
        assert!((end - Vec3::y() * 0.2).norm() < 1e-9 && middle.z > 0.1, "{middle} {end}");
    }

    /// A limb bent beyond straight by five degrees folds the right way once it has to bend a quarter more; before, it stays.
    #[test]
    fn a_limb_well_beyond_straight_bends_the_right_way_too() {
        let bones = Bones { root: Vec3::y(), middle: Vec3::new(0.0, 0.5, -0.02), end: Vec3::zeros() };
        let bent_by = |shorter: Real| {
            let (middle, end) = places(&bones, &bones.reach(&(Vec3::y() * shorter), &Vec3::z()));
            assert!((end - Vec3::y() * shorter).norm() < 1e-9);
            middle.z
        };
        assert!(bent_by(1e-4) < -0.019, "{}", bent_by(1e-4));
        for shorter in [0.003, 0.01, 0.1] {
            assert!(bent_by(shorter) > 0.02, "{shorter}: {}", bent_by(shorter));
        }
    }

    /// A straight limb has no plane; it bends in the given direction.
    #[test]
    fn a_straight_limb_bends_towards_the_front() {
        let bones = Bones { root: Vec3::y(), middle: Vec3::y() * 0.5, end: Vec3::zeros() };
        let (middle, end) = places(&bones, &bones.reach(&(Vec3::y() * 0.2), &Vec3::z()));
        assert!((end - Vec3::y() * 0.2).norm() < 1e-9 && middle.z > 0.1, "{middle} {end}");
    }
}
