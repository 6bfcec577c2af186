//! Inverse kinematics of a chain of any number of bones: hind legs of animals, legs of four bones, spines.
//!
//! Bone k leaves its parent by the shortest rotation, about an axis wₖ by an angle |wₖ|. All these rotations are scaled by one
//! factor s, which keeps the axes and the twist of every joint:
//!
//!   Tₖ = Tₖ₋₁ exp((s − 1) wₖ),   T₀ = 1,   end(s) = Σ Tₖ bₖ
//!
//! At s = 0 the chain is straight, at s = 1 unchanged. s is found such that |end(s)| is the distance to the place. The chain
//! then swings as a whole, first so that its end has its earlier direction, then by the shortest rotation to the place. For two
//! bones that is the law of cosines (`two_bone_ik`).

use crate::anatomy::reference::swing;
use crate::math::{Quat, Real, Vec3};

/// Halvings of an interval, to machine precision.
const HALVINGS: usize = 60;
/// Steps in which a chain is rolled up to bracket a distance.
const STEPS: usize = 64;
/// Largest bend of a joint, radians.
const MOST: Real = 0.95 * std::f64::consts::PI;

/// Bones of a chain, from joint to joint, world space, metres.
pub(super) struct Chain<'a> {
    bones: &'a [Vec3],
    /// Rotation vector of each bone against its parent; zero for the first.
    bends: Vec<Vec3>,
    /// Factor of the chain as it is.
    now: Real,
}

impl<'a> Chain<'a> {
    /// Prepares a chain; `towards` is the direction in which the middle of a straight chain bends.
    pub fn new(bones: &'a [Vec3], towards: &Vec3) -> Self {
        let rotation = |pair: &[Vec3]| swing(&pair[0], &pair[1]).scaled_axis();
        let mut bends: Vec<Vec3> = std::iter::once(Vec3::zeros()).chain(bones.windows(2).map(rotation)).collect();
        let mut now = 1.0;
        if bends.iter().all(|bend| bend.norm() < 1e-6) {
            // Nominal bends of 1 rad at all joints.
            let along: Vec3 = bones.iter().sum();
            let axis = towards.cross(&along).try_normalize(1e-9).unwrap_or_else(Vec3::x);
            bends.iter_mut().skip(1).for_each(|bend| *bend = axis);
            now = 0.0;
        }
        Self { bones, bends, now }
    }

    pub fn length(&self) -> Real {
        self.bones.iter().map(|bone| bone.norm()).sum()
    }

    /// Computes the world rotations of all bones at a factor; returns the end relative to the root.
    fn bent(&self, factor: Real, rotations: &mut Vec<Quat>) -> Vec3 {
        rotations.clear();
        let (mut rotation, mut end) = (Quat::identity(), Vec3::zeros());
        for (bone, bend) in self.bones.iter().zip(&self.bends) {
            rotation *= Quat::from_scaled_axis(bend * (factor - self.now));
            end += rotation * bone;
            rotations.push(rotation);
        }
        end
    }

    /// Returns the world rotations of the bones that bring the end to `wanted`, relative to the root, or as near as possible.
    pub fn reach(&self, wanted: &Vec3) -> Vec<Quat> {
        let mut rotations = Vec::with_capacity(self.bones.len());
        let factor = self.factor(wanted.norm().min(self.length() * (1.0 - 1e-9)), &mut rotations);
        let (end, now) = (self.bent(factor, &mut rotations), self.bones.iter().sum::<Vec3>());
        if end.norm().min(now.norm()).min(wanted.norm()) > 1e-9 {
            // Back to the earlier direction within the plane of the limb, then with that plane to the place.
            let whole = swing(&now, wanted) * swing(&end, &now);
            rotations.iter_mut().for_each(|rotation| *rotation = whole * *rotation);
        }
        rotations
    }

    /// Returns the factor at which the ends are this far apart.
    fn factor(&self, distance: Real, rotations: &mut Vec<Quat>) -> Real {
        let mut apart = |factor: Real| self.bent(factor, rotations).norm();
        let sharpest = self.bends.iter().map(|bend| bend.norm()).fold(0.0, Real::max);
        if sharpest < 1e-9 {
            return self.now;
        }
        // Bracket: one end too far apart, the other too close.
        let (mut far, mut close) = (0.0, self.now);
        if apart(self.now) > distance {
            far = self.now;
            let step = (MOST / sharpest - self.now).max(0.0) / STEPS as Real;
            let mut closest = (apart(self.now), self.now);
            let found = (1..=STEPS).map(|k| self.now + step * k as Real).find(|&factor| {
                let there = apart(factor);
                if there < closest.0 {
                    closest = (there, factor);
                }
                if there > distance {
                    far = factor;
                }
                there <= distance
            });
            match found {
                Some(factor) => close = factor,
                None => return closest.1,
            }
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (far + close);
            if apart(middle) > distance { far = middle } else { close = middle }
        }
        0.5 * (far + close)
    }
}

#[cfg(test)]
mod tests {
    use super::super::two_bone_ik::Bones;
    use super::*;

    fn end(bones: &[Vec3], rotations: &[Quat]) -> Vec3 {
        bones.iter().zip(rotations).map(|(bone, rotation)| rotation * bone).sum()
    }

    /// Two bones have one solution by the law of cosines, and both solvers give it.
    #[test]
    fn two_bones_bend_by_the_law_of_cosines() {
        let bones = [Vec3::new(0.02, -0.45, 0.03), Vec3::new(-0.01, -0.4, -0.06)];
        for place in [Vec3::new(0.1, -0.5, 0.3), Vec3::new(-0.3, -0.78, 0.0), Vec3::new(0.0, -0.12, 0.05)] {
            let rotations = Chain::new(&bones, &Vec3::z()).reach(&place);
            let limb = Bones { root: Vec3::zeros(), middle: bones[0], end: bones[0] + bones[1] };
            let exact = limb.reach(&place, &Vec3::z());
            assert!((end(&bones, &rotations) - place).norm() < 1e-9, "{place}");
            assert!((rotations[0] * bones[0] - exact.upper * bones[0]).norm() < 1e-9, "{place}");
        }
    }

    /// n equal bones that all bend by φ lie on a circle: the chord is b sin(nφ/2)/sin(φ/2).
    #[test]
    fn equal_bends_lie_on_a_circle() {
        for count in [3, 4, 7] {
            let bones = vec![Vec3::new(0.0, -0.2, 0.0); count];
            let bend: Real = 0.35;
            let chord = 0.2 * (0.5 * count as Real * bend).sin() / (0.5 * bend).sin();
            let rotations = Chain::new(&bones, &Vec3::z()).reach(&Vec3::new(0.0, -chord, 0.0));
            assert!((end(&bones, &rotations) - Vec3::new(0.0, -chord, 0.0)).norm() < 1e-9);
            for pair in rotations.windows(2) {
                assert!((pair[0].angle_to(&pair[1]) - bend).abs() < 1e-7, "{count}: {}", pair[0].angle_to(&pair[1]));
            }
            // The middle went to the front.
            assert!((rotations[0] * bones[0]).z > 0.0);
        }
    }

    /// A leg that zigzags keeps to its plane and its senses of bending, and no bone twists about itself.
    #[test]
    fn a_hind_leg_stays_in_its_plane_and_does_not_twist() {
        let bones = [Vec3::new(0.0, -0.2, 0.1), Vec3::new(0.0, -0.2, -0.12), Vec3::new(0.0, -0.15, 0.03)];
        for place in [Vec3::new(0.0, -0.45, 0.1), Vec3::new(0.0, -0.52, -0.1), Vec3::new(0.0, -0.3, 0.0)] {
            let rotations = Chain::new(&bones, &Vec3::z()).reach(&place);
            assert!((end(&bones, &rotations) - place).norm() < 1e-9, "{}", end(&bones, &rotations));
            for rotation in &rotations {
                let about = rotation.scaled_axis();
                assert!(about.y.hypot(about.z) < 1e-9, "{about}");
            }
            let bent: Vec<Vec3> = bones.iter().zip(&rotations).map(|(bone, rotation)| rotation * bone).collect();
            for k in 0..2 {
                assert!(bent[k].cross(&bent[k + 1]).x * bones[k].cross(&bones[k + 1]).x > 0.0);
            }
        }
    }

    #[test]
    fn what_is_out_of_reach_is_pointed_at_and_what_is_there_is_left_alone() {
        let bones = [Vec3::new(0.0, -0.2, 0.1), Vec3::new(0.02, -0.2, -0.12), Vec3::new(0.0, -0.15, 0.03)];
        let chain = Chain::new(&bones, &Vec3::z());
        let far = end(&bones, &chain.reach(&Vec3::new(3.0, 0.0, 0.0)));
        assert!((far - Vec3::new(chain.length(), 0.0, 0.0)).norm() < 1e-3, "{far}");
        let here: Vec3 = bones.iter().sum();
        assert!(chain.reach(&here).iter().all(|rotation| rotation.angle() < 1e-7));
    }
}
