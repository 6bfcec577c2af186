//! Pelvis, spine, chest and head of a person.

use super::facing::is_trunk;
use super::{Loft, Parts, Sculptor, Shade, Station, Thickness, across, ellipsoid, reach};
use crate::math::{Quat, Real, Vec3};
use crate::motion::Role;
use crate::motion::proportions::HEAD;

/// Factor from the half sides of a box to the half axes of an ellipse with the same area, √(4 / π).
const ELLIPSE: Real = 1.128;

impl Sculptor<'_> {
    /// Models a part of the trunk: elliptic rings whose sizes are shared with the parts above and below, wide enough for
    /// the hips and the shoulders on it.
    pub(super) fn trunk(&self, k: usize, parts: &mut Parts) {
        let along = self.facing.along[k];
        let Some((along, front)) = across(&along, &self.front(k)) else { return self.shapes(k, parts) };
        let side = front.cross(&along);
        let (Some(high), Some(low)) = (reach(self.figure, k, &along), reach(self.figure, k, &-along)) else { return };
        let middle = |axis: &Vec3| {
            let far = |axis: &Vec3| reach(self.figure, k, axis).unwrap_or(0.0);
            axis * (0.5 * (far(axis) - far(&-axis)))
        };
        let centre = middle(&side) + middle(&front);
        let (from, to) = (centre - along * low, centre + along * high);
        let parent = self.figure.segment(k).parent.filter(|&parent| self.is_trunk(parent));
        let above = self.children(k).find(|&child| self.is_trunk(child));
        let own = self.half_axes(k);
        let shared = |other: Option<usize>| match other.map(|other| self.half_axes(other)) {
            Some(other) => (0.5 * (own.0 + other.0), 0.5 * (own.1 + other.1)),
            None => own,
        };
        let (bottom, top) = (shared(parent), shared(above));
        let wide = |of: fn(&Role) -> bool| self.half_width(k, &side, of);
        let hips = wide(|role| matches!(role, Role::UpperLeg(_)));
        let shoulders = wide(|role| matches!(role, Role::Shoulder(_) | Role::UpperArm(_)));
        let mut stations = vec![Station::oval(0.0, bottom.0, bottom.1)];
        if let Some(half) = hips {
            stations[0] = Station::oval(0.0, half.max(0.85 * own.0), own.1);
            stations.push(Station::oval(0.35, half.max(0.95 * own.0), 1.02 * own.1));
        }
        match shoulders {
            Some(half) => {
                let half = half.max(0.9 * own.0);
                stations.push(Station { share: 0.62, side: 0.9 * half, front: 1.08 * own.1, back: own.1 });
                stations.push(Station { share: 0.86, side: 0.8 * half, front: 0.9 * own.1, back: 0.95 * own.1 });
                stations.push(Station::oval(1.0, 0.45 * half, 0.6 * own.1));
            }
            None => stations.push(Station::oval(1.0, top.0, top.1)),
        }
        let ends = [0.7 * stations[0].front, if shoulders.is_some() { 0.35 } else { 0.7 } * top.1];
        parts.loft(&Loft { from, to, front, stations: &stations, ends });
        if shoulders.is_some() {
            let at = from + (to - from) * 0.55 + front * (1.02 * own.1);
            let tall = 0.2 * (high + low).max(own.1);
            ellipsoid(parts.of(Shade::Mark), &at, &[side * (0.3 * own.0), front * (0.12 * own.1), along * tall]);
        }
    }

    fn is_trunk(&self, k: usize) -> bool {
        is_trunk(self.figure.segment(k))
    }

    /// Half axes of a part of the trunk to the side and to the front, metres. Where a skeleton cuts the trunk into thin slices,
    /// their boxes bulge; a slice stays near the mean of the whole trunk.
    fn half_axes(&self, k: usize) -> (Real, Real) {
        let parts = (0..self.thickness.len()).filter(|&other| self.is_trunk(other));
        let (mut length, mut side, mut depth) = (0.0, 0.0, 0.0);
        for part in parts {
            let along = self.facing.along[part];
            let far = |axis: &Vec3| reach(self.figure, part, axis).unwrap_or(0.0);
            let tall = (far(&along) + far(&-along)).max(0.0);
            length += tall;
            side += tall * self.thickness[part].side.powi(2);
            depth += tall * self.thickness[part].depth.powi(2);
        }
        let mean = |sum: Real| (sum / length.max(1e-9)).sqrt();
        let near = |own: Real, mean: Real| ELLIPSE * own.clamp(0.9 * mean, 1.08 * mean);
        let Thickness { side: own_side, depth: own_depth } = self.thickness[k];
        (near(own_side, mean(side)), near(own_depth, mean(depth)))
    }

    /// Half the distance between the limbs of a kind that hang on a part of the trunk, metres.
    fn half_width(&self, k: usize, side: &Vec3, of: fn(&Role) -> bool) -> Option<Real> {
        let limbs = self.children(k).filter(|&child| self.figure.segment(child).role.as_ref().is_some_and(of));
        let places = limbs.map(|child| {
            let at = self.joint_on_parent(child);
            match self.figure.segment(child).role {
                // The arm hangs at the end of the clavicle.
                Some(Role::Shoulder(_)) => {
                    let turn = self.figure.segment(child).attachment.turn(&Quat::identity());
                    at + turn * self.figure.segment(child).end
                }
                _ => at,
            }
        });
        let (low, high) = places
            .map(|at| at.dot(side))
            .fold((Real::INFINITY, Real::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        (high > low).then_some(0.5 * (high - low)).map(|half| half + 0.3 * self.limb_radius(k, of))
    }

    fn limb_radius(&self, k: usize, of: fn(&Role) -> bool) -> Real {
        let limbs = self.children(k).filter(|&child| self.figure.segment(child).role.as_ref().is_some_and(of));
        limbs.map(|child| self.thickness[child].mean()).fold(0.0, Real::max)
    }

    /// Models a head below its crown: the face light, with nose and eyes, the back of the head dark.
    pub(super) fn head(&self, k: usize, crown: &Vec3, parts: &mut Parts) {
        let Some((along, front)) = across(&self.facing.along[k], &self.front(k)) else { return self.bones(k, parts) };
        let side = front.cross(&along);
        let own_bone = if matches!(self.figure.segment(k).role, Some(Role::Head)) { crown.norm() } else { 0.0 };
        // A head that reaches farther from its joint than a human one is a large head.
        let size = (HEAD * self.figure.height).max(own_bone);
        let centre = crown - along * (0.5 * size);
        let stations = [
            Station { share: 0.0, side: 0.2 * size, front: 0.3 * size, back: 0.16 * size },
            Station { share: 0.35, side: 0.3 * size, front: 0.36 * size, back: 0.34 * size },
            Station { share: 0.7, side: 0.35 * size, front: 0.36 * size, back: 0.42 * size },
            Station { share: 1.0, side: 0.31 * size, front: 0.29 * size, back: 0.36 * size },
        ];
        let (from, to) = (centre - along * (0.42 * size), centre + along * (0.27 * size));
        let loft = Loft { from, to, front, stations: &stations, ends: [0.06 * size, 0.23 * size] };
        let (light, dark) = parts.0.split_at_mut(Shade::Hair as usize);
        loft.add(&mut light[Shade::Skin as usize], &mut dark[0]);
        let face = |up: Real, ahead: Real, aside: Real| {
            centre + along * (up * size) + front * (ahead * size) + side * (aside * size)
        };
        let axes =
            |wide: Real, deep: Real, tall: Real| [side * (wide * size), front * (deep * size), along * (tall * size)];
        ellipsoid(parts.of(Shade::Skin), &face(-0.08, 0.38, 0.0), &axes(0.06, 0.13, 0.09));
        ellipsoid(parts.of(Shade::Hair), &face(0.23, -0.07, 0.0), &axes(0.36, 0.4, 0.29));
        for sign in [-1.0, 1.0] {
            ellipsoid(parts.of(Shade::Ink), &face(0.06, 0.325, 0.14 * sign), &axes(0.06, 0.05, 0.045));
        }
        // The neck of a skeleton without one.
        if from.dot(&along) > 0.0 && k > 0 {
            let radius = self.joint_radius(k).min(0.25 * size);
            let stations = [Station::round(0.0, radius), Station::round(1.0, radius)];
            parts.loft(&Loft {
                from: Vec3::zeros(),
                to: from + along * (0.2 * size),
                front,
                stations: &stations,
                ends: [radius, 0.0],
            });
        }
    }
}
