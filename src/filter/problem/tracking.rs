//! Tracking of the capture, Σ ‖p − p_captured‖²/σ² over segments, and assembly of all terms that depend on places.
//!
//! Terms of one frame are gathered for each segment as a spatial information matrix K about a common point, summed over
//! subtrees, and projected on the coordinates: H_ij = s_iᵀ K s_j for i above j.

use super::equations::Equations;
use super::{Motion, Problem};
use crate::filter::body::Places;
use crate::math::{Mat3, Real, Vec3, skew};

/// Spatial information of a segment about the origin of the frame: translations v, rotations δ.
#[derive(Clone, Copy)]
pub(super) struct Info {
    vv: Mat3,
    vd: Mat3,
    dd: Mat3,
    /// Half of the gradient.
    v: Vec3,
    d: Vec3,
}

impl Info {
    const fn zero() -> Self {
        let (m, v) = (Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 0.0));
        Self { vv: m, vd: m, dd: m, v, d: v }
    }

    /// Adds a point at `arm` with precision `w`; `pull` = w · error.
    fn add_point(&mut self, arm: &Vec3, w: &Mat3, pull: &Vec3) {
        let cross = skew(arm);
        let turned = w * cross;
        self.vv += w;
        self.vd -= turned;
        self.dd -= cross * turned;
        self.v += pull;
        self.d += arm.cross(pull);
    }

    fn add(&mut self, other: &Info) {
        self.vv += other.vv;
        self.vd += other.vd;
        self.dd += other.dd;
        self.v += other.v;
        self.d += other.d;
    }
}

impl Problem<'_> {
    /// Returns the cost of the places of one frame.
    pub(super) fn cost_of_places(&self, t: usize, motion: &Motion, firmness: Real) -> Real {
        let (places, captured) = (&motion.places[t], &self.captured[t]);
        let mut cost = 0.0;
        let place = self.weights.place * self.tracking_weight;
        for (k, part) in self.body.parts.iter().enumerate() {
            let off = places.centres[k] - captured.centres[k];
            let turned = places.rotations[k] - captured.rotations[k];
            let spread = (turned * part.second_moment).component_mul(&turned).sum();
            cost += place * off.norm_squared() + self.weights.second_moment * self.tracking_weight * spread;
        }
        self.for_each_target(t, motion, firmness, |_, _, error, weight, _| cost += weight * error.norm_squared());
        self.for_each_unloaded(t, motion, firmness, |_, _, along, _, weight, _| cost += weight * along.norm_squared());
        self.for_each_depth(t, places, firmness, |_, _, _, depth, weight| cost += weight * depth * depth);
        for segment_contact in &self.frames[t].segment_contacts {
            cost += firmness * self.weights.overlap * self.segment_contact(segment_contact, places).0.max(0.0).powi(2);
        }
        self.for_each_excess(t, motion, |_, depth, _| cost += firmness * self.weights.limit * depth * depth);
        cost
    }

    /// Adds all terms that depend on the places of one frame.
    pub(super) fn add_places(&self, t: usize, motion: &Motion, firmness: Real, equations: &mut Equations) {
        let (places, captured, frame) = (&motion.places[t], &self.captured[t], &self.frames[t]);
        let origin = frame.origin;
        let (place, turned) =
            (self.weights.place * self.tracking_weight, self.weights.second_moment * self.tracking_weight);
        let mut info = std::mem::take(&mut equations.info);
        info.clear();
        for (k, part) in self.body.parts.iter().enumerate() {
            let mut own = Info::zero();
            let (arm, off) = (places.centres[k] - origin, places.centres[k] - captured.centres[k]);
            own.add_point(&arm, &Mat3::from_diagonal_element(place), &(off * place));
            // Second moment of the segment: Σ m (R s) × (R − R₀) s = −Σ m (R s) × (R₀ s).
            let spread = part.second_moment * places.rotations[k].transpose();
            let now = places.rotations[k] * spread;
            own.dd += (Mat3::identity() * now.trace() - now) * turned;
            let m = captured.rotations[k] * spread;
            let antisymmetric = Vec3::new(m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)]);
            own.d -= antisymmetric * turned;
            info.push(own);
        }
        self.for_each_target(t, motion, firmness, |segment, point, error, weight, _| {
            info[segment].add_point(&(point - origin), &Mat3::from_diagonal_element(weight), &(error * weight));
        });
        self.for_each_unloaded(t, motion, firmness, |segment, point, along, normal, weight, _| {
            let w = (Mat3::identity() - normal * normal.transpose()) * weight;
            info[segment].add_point(&(point - origin), &w, &(along * weight));
        });
        self.for_each_depth(t, places, firmness, |segment, point, normal, depth, weight| {
            let w = normal * (normal * weight).transpose();
            info[segment].add_point(&(point - origin), &w, &(normal * (-depth * weight)));
        });
        for k in (0..info.len()).rev() {
            if let Some(parent) = self.body.parts[k].parent {
                let own = info[k];
                info[parent].add(&own);
            }
        }
        let mut block = equations.block(t - self.fixed);
        let axis = |column: usize| self.coordinate(places, &origin, column);
        for (k, own) in info.iter().enumerate() {
            let part = &self.body.parts[k];
            let end = part.first + part.freedom.count() + 3 * usize::from(part.translates);
            for j in part.first..end {
                let (v, d) = axis(j);
                block.right[j] -= v.dot(&own.v) + d.dot(&own.d);
                let (force, torque) = (own.vv * v + own.vd * d, own.vd.tr_mul(&v) + own.dd * d);
                let mut above = Some(k);
                while let Some(segment) = above {
                    let part = &self.body.parts[segment];
                    let end = part.first + part.freedom.count() + 3 * usize::from(part.translates);
                    for i in (part.first..end).filter(|&i| i <= j) {
                        let (v, d) = axis(i);
                        block.add(i, j, v.dot(&force) + d.dot(&torque));
                    }
                    above = part.parent;
                }
            }
        }
        self.add_limits(t, motion, firmness, &mut block);
        self.add_overlaps(t, motion, firmness, &mut block);
        equations.info = info;
        self.add_offsets_of_targets(t, motion, firmness, equations);
    }

    /// Returns the translation and rotation of the subtree per unit of a coordinate, at the origin of the frame.
    pub(super) fn coordinate(&self, places: &Places, origin: &Vec3, column: usize) -> (Vec3, Vec3) {
        let segment = self.body.carrier[column];
        let part = &self.body.parts[segment];
        let axis = places.axes[column];
        if part.translates && column < part.first + 3 {
            return (axis, Vec3::zeros());
        }
        (axis.cross(&(origin - places.joints[segment])), axis)
    }
}
