//! The trunk, sliced: pelvis and spine segments share its mass by how much of the way from the hip line to the base of the
//! neck each of them covers.
//!
//! ```text
//!   share of the trunk's mass up to t      M(t), straight between the cuts of the table
//!   a slice from t₀ to t₁                  m = M(t₁) − M(t₀),  centre t = ∫ t dM / m
//! ```

use super::anthropometry::TRUNK_CUTS;
use super::build::{Draft, Part};
use super::posture::SIDES;
use super::segment_shapes::{DENSITY, axes, cuboid};
use crate::dynamics::MassProperties;
use crate::math::{Real, Vec3};
use crate::motion::Role;

/// Share of one segment in the trunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    /// Lower end, on the line from the hips (0) to the neck (1).
    pub from: Real,
    /// Upper end, on the same line.
    pub to: Real,
    /// Share of the body.
    pub mass: Real,
    /// Centre of mass on the way.
    pub centre: Real,
}

/// No slice is thinner than this.
const THINNEST: Real = 0.06;

impl Draft<'_> {
    /// The segments that make up the trunk, upwards.
    fn trunk(&self) -> Vec<usize> {
        let first = (0..self.plan.joints.len()).filter(|&k| match self.role(k) {
            Some(Role::Hips | Role::Spine(_)) => true,
            role => role.is_none() && self.plan.parents[k].is_none(),
        });
        first.collect()
    }

    /// Middle of the hip joints and base of the neck, world space.
    fn trunk_line(&self) -> (Vec3, Vec3) {
        let trunk = self.trunk();
        let middle = |role: fn(crate::motion::Side) -> Role| {
            let ends: Vec<Vec3> =
                SIDES.into_iter().filter_map(|s| self.with_role(role(s))).map(|k| self.origin(k)).collect();
            (ends.len() == 2).then(|| 0.5 * (ends[0] + ends[1]))
        };
        let lowest = trunk.first().map_or(Vec3::zeros(), |&k| self.origin(k));
        let low = middle(Role::UpperLeg).unwrap_or(lowest);
        let neck = self.with_role(Role::Neck(0)).or(self.with_role(Role::Head)).map(|k| self.origin(k));
        let high = neck.or_else(|| middle(Role::UpperArm)).or_else(|| middle(Role::Shoulder));
        let high = high.filter(|h| (h - low).norm() > 0.1 * self.height);
        (low, high.unwrap_or(low + self.posture.up * (0.3 * self.height)))
    }

    pub(super) fn trunk_slices(&self, masses: &[Real; 3]) -> Vec<(usize, Slice)> {
        let trunk = self.trunk();
        let (low, high) = self.trunk_line();
        let way = high - low;
        let mut cuts: Vec<Real> =
            trunk.iter().map(|&k| (self.origin(k) - low).dot(&way) / way.norm_squared()).collect();
        if let Some(first) = cuts.first_mut() {
            *first = 0.0;
        }
        cuts.push(1.0);
        let count = trunk.len();
        let thin = THINNEST.min(0.8 / count.max(1) as Real);
        for i in 1..count {
            let least = if i == 1 { (2.0 * thin).min(0.5 / count as Real) } else { cuts[i - 1] + thin };
            cuts[i] = cuts[i].max(least);
        }
        for i in (1..count).rev() {
            cuts[i] = cuts[i].min(cuts[i + 1] - thin);
        }
        let slice = |from: Real, to: Real| {
            let knots = [0.0, TRUNK_CUTS[0], TRUNK_CUTS[1], 1.0];
            let (mut mass, mut moment) = (0.0, 0.0);
            for part in 0..3 {
                let (a, b) = (from.max(knots[part]), to.min(knots[part + 1]));
                if b > a {
                    let piece = masses[part] * (b - a) / (knots[part + 1] - knots[part]);
                    mass += piece;
                    moment += piece * 0.5 * (a + b);
                }
            }
            Slice { from, to, mass, centre: moment / mass }
        };
        trunk.iter().enumerate().map(|(i, &k)| (k, slice(cuts[i], cuts[i + 1]))).collect()
    }

    /// A box half as wide again as it is deep, as heavy as water of its size.
    pub(super) fn trunk_part(&self, segment: usize, kilograms: Real, slices: &[(usize, Slice)]) -> Part {
        let (low, high) = self.trunk_line();
        let way = high - low;
        let found = slices.iter().find(|(k, _)| *k == segment);
        let (from, to, centre) = found.map_or((0.0, 0.1, 0.05), |(_, s)| (s.from, s.to, s.centre));
        let tall = (to - from) * way.norm();
        let depth = (kilograms / (DENSITY * tall * 1.5)).sqrt();
        let half = Vec3::new(0.5 * tall, 0.75 * depth, 0.5 * depth);
        let rotation = axes(&self.turned_in(segment, &way), &self.turned_in(segment, &self.posture.left));
        let middle = self.local(segment, &(low + way * (0.5 * (from + to))));
        let end = self.local(segment, &(low + way * to));
        Part {
            mass: MassProperties::cuboid(kilograms, half).rotated(&rotation),
            centre: self.local(segment, &(low + way * centre)),
            end,
            shapes: vec![cuboid(middle, rotation, half)],
        }
    }
}
