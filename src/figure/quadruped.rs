//! Mass of a body on four legs, by the volumes of its parts.
//!
//! With the trunk from the point of the shoulder to the point of the buttock of length L and its circumference c at the heart, all parts have the
//! density of water:
//!
//!   trunk   0.85 c² L / 4π           a cylinder of circumference c, narrower at the loin
//!   limb    Σ π l (a² + a b + b²) / 12   truncated cones of diameters a and b along the bones of length l
//!   neck    (c / 2)² n / 4π          n from the shoulders to the base of the skull
//!   head    0.15 s³                  the skull of length s = 0.37 L
//!
//! c = 1.2 L holds for horses and Labradors alike: C. L. Carroll and P. J. Huntington, *Body condition scoring and weight estimation of horses*,
//! Equine Veterinary Journal 20(1), 41–45 (1988), and breed standards. The shares of the parts are about those of cadavers: two thirds of the body
//! for the trunk, a fifth for the limbs, H. H. F. Buchner et al., *Inertial properties of Dutch Warmblood horses*, Journal of Biomechanics
//! 30(6), 653–658 (1997).

use super::build::Draft;
use super::posture::SIDES;
use super::segment_shapes::DENSITY;
use crate::math::{Real, Vec3};
use crate::motion::{BodyPlan, Role, Side};
use std::f64::consts::PI;

/// Lengths of an animal between its joints, metres.
#[derive(Clone, Debug)]
struct Lengths {
    /// Middle of the hip joints to the middle of the shoulder joints.
    trunk: Real,
    /// Shoulders to the base of the skull; `None` if no joint shows it.
    neck: Option<Real>,
    /// Upper and lower bone of every limb.
    limbs: Vec<[Real; 2]>,
}

/// Circumference at the heart over the length of the trunk.
const CIRCUMFERENCE: Real = 1.2;
/// Distance between hip and shoulder joints over the length of the trunk: the hip joint lies before the point of the buttock.
const BETWEEN_JOINTS: Real = 0.88;
/// Volume of a trunk over that of a cylinder with its largest circumference.
const TAPER: Real = 0.85;
/// Lengths of neck and skull over that of the trunk.
const HEAD: Real = 0.37;
/// Diameters of a limb at its top and at knee or elbow, over the upper bone, and at its end, over the lower bone.
const DIAMETERS: [Real; 3] = [0.6, 0.26, 0.13];

impl Lengths {
    /// Mass, kg.
    fn mass(&self) -> Real {
        let length = self.trunk / BETWEEN_JOINTS;
        let circumference = CIRCUMFERENCE * length;
        let round = |circumference: Real, length: Real| circumference * circumference * length / (4.0 * PI);
        let cone = |length: Real, a: Real, b: Real| PI * length * (a * a + a * b + b * b) / 12.0;
        let limb = |&[upper, lower]: &[Real; 2]| {
            let knee = DIAMETERS[1] * upper;
            cone(upper, DIAMETERS[0] * upper, knee) + cone(lower, knee, DIAMETERS[2] * lower)
        };
        let skull = HEAD * length;
        let neck = round(0.5 * circumference, self.neck.unwrap_or(HEAD * length));
        let limbs: Real = self.limbs.iter().map(limb).sum();
        DENSITY * (TAPER * round(circumference, length) + limbs + neck + 0.15 * skull.powi(3))
    }
}

impl Draft<'_> {
    /// Mass of a four-legged animal by its build, kg; shapes, and the skin around them, only tell how it is distributed.
    pub(super) fn mass_on_four_legs(&self) -> Option<Real> {
        if self.plan.body != BodyPlan::Quadruped {
            return None;
        }
        let bones = |roles: [Role; 3]| {
            let [top, bend, end] = roles.map(|role| self.joint(role));
            Some([self.way(top?, bend?)?, self.way(bend?, end?)?])
        };
        let limbs = SIDES.into_iter().flat_map(|side| {
            let leg = [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)];
            [leg, [Role::UpperArm(side), Role::LowerArm(side), Role::Hand(side)]].map(bones)
        });
        let limbs = limbs.flatten().collect();
        let trunk = self.trunk_on_four_legs()?;
        let neck = self.joint(Role::Neck(0)).zip(self.joint(Role::Head)).and_then(|(neck, head)| self.way(neck, head));
        (trunk > 0.0).then(|| Lengths { trunk, neck, limbs }.mass())
    }

    /// Length of the trunk between the lines of the hip joints and of the shoulder joints, metres.
    ///
    /// It is added up along the bones, so that a trunk that bends keeps it. Shoulder blades slant: half of their length counts.
    fn trunk_on_four_legs(&self) -> Option<Real> {
        let pair = |role: fn(Side) -> Role| Some([self.joint(role(Side::Left))?, self.joint(role(Side::Right))?]);
        let (legs, arms) = (pair(Role::UpperLeg)?, pair(Role::UpperArm)?);
        let blades = pair(Role::Shoulder).filter(|blades| self.way(blades[0], arms[0]).is_some());
        let tops = blades.unwrap_or(arms);
        let above = |j: usize| std::iter::successors(Some(j), |&j| self.skeleton.joint(j).parent);
        let meeting = |[a, b]: [usize; 2]| above(a).find(|&j| above(b).any(|k| k == j));
        let (hips, chest) = (meeting(legs)?, meeting(tops)?);
        // Distance of a joint from the line through a pair.
        let rise = |joint: usize, [a, b]: [usize; 2]| {
            let [a, b] = [a, b].map(|j| self.posture.position(j));
            let way = self.posture.position(joint) - 0.5 * (a + b);
            let across = (a - b).try_normalize(1e-9).unwrap_or_else(Vec3::zeros);
            (way - across * way.dot(&across)).norm()
        };
        let first = above(chest).take_while(|&j| j != hips).last().filter(|_| above(chest).any(|j| j == hips));
        let spine = match first {
            Some(first) => rise(first, legs) + self.way(first, chest)? + rise(chest, tops),
            None => {
                let middle = |[a, b]: [usize; 2]| 0.5 * (self.posture.position(a) + self.posture.position(b));
                (middle(tops) - middle(legs)).norm()
            }
        };
        Some(spine + blades.and_then(|blades| self.way(blades[0], arms[0])).map_or(0.0, |blade| 0.5 * blade))
    }

    /// Joint with a role.
    fn joint(&self, role: Role) -> Option<usize> {
        self.plan.roles.iter().position(|&found| found == Some(role))
    }

    /// Length along the bones from a joint down to one below it, metres; `None` if it is not below.
    fn way(&self, from: usize, to: usize) -> Option<Real> {
        let parents = |&j: &usize| self.skeleton.joint(j).parent;
        let path: Vec<usize> = std::iter::successors(Some(to), parents).take_while(|&j| j != from).collect();
        let arrives = path.last().map_or(from == to, |last| self.skeleton.joint(*last).parent == Some(from));
        arrives.then(|| path.iter().map(|&j| self.skeleton.bone_length(j)).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bones as anatomy books give them and masses by breed standards and weighing: a Labrador of 58 cm at the withers, a riding horse of 1.6 m, a
    /// house cat, a standard dachshund.
    #[test]
    fn animals_have_the_mass_of_their_build() {
        let animal = |length: Real, neck: Real, hind: [Real; 2], fore: [Real; 2]| {
            Lengths { trunk: BETWEEN_JOINTS * length, neck: Some(neck), limbs: vec![hind, hind, fore, fore] }.mass()
        };
        for (name, mass, range) in [
            ("Labrador", animal(0.6, 0.22, [0.19, 0.2], [0.16, 0.165]), 25.0..36.0),
            ("horse", animal(1.6, 0.7, [0.42, 0.38], [0.31, 0.42]), 450.0..550.0),
            ("cat", animal(0.3, 0.1, [0.115, 0.12], [0.1, 0.1]), 3.5..5.0),
            ("dachshund", animal(0.43, 0.15, [0.09, 0.09], [0.08, 0.08]), 7.0..12.0),
        ] {
            assert!(range.contains(&mass), "{name}: {mass} kg");
        }
    }

    /// Of two animals with the same trunk, the one with longer limbs is heavier, and a body twice as large is eight times as heavy.
    #[test]
    fn limbs_count_and_mass_grows_with_the_cube_of_size() {
        let dog = Lengths { trunk: 0.5, neck: Some(0.2), limbs: vec![[0.2, 0.2]; 4] };
        let short = Lengths { limbs: vec![[0.1, 0.1]; 4], ..dog.clone() };
        assert!(dog.mass() > 1.1 * short.mass());
        let large = Lengths { trunk: 1.0, neck: Some(0.4), limbs: vec![[0.4, 0.4]; 4] };
        assert!((large.mass() / dog.mass() - 8.0).abs() < 1e-9);
    }
}
