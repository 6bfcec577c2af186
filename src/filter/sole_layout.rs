//! Layout of a sole: a foot laid flat, from which every corner gets its place.

use super::contact_targets::TargetPlacer;
use super::detect::median;
use super::feature::Feature;
use crate::figure::SolePart;
use crate::math::{Real, Vec3, real};
use crate::measure::poses::Poses;

/// Positions of features and corners in the plane of the sole, metres, u forward and w across.
pub(super) struct Flat {
    /// Segment that defines the heading, and its forward direction in the joint frame.
    pub segment: usize,
    pub forward: Vec3,
    /// Middle and corners of each feature, by its position in the limb.
    pub middles: Vec<[Real; 2]>,
    pub corners: Vec<Vec<[Real; 2]>>,
}

/// Axes in the plane of the ground.
#[derive(Clone, Copy)]
pub(super) struct Axes {
    forward: Vec3,
    across: Vec3,
}

impl Axes {
    /// Builds the axes of a heading about the vertical, radians from +Z towards +X.
    pub fn new(heading: Real, normal: &Vec3) -> Self {
        let level = Vec3::new(real::sin(heading), 0.0, real::cos(heading));
        let forward = (level - normal * level.dot(normal)).normalize();
        Self { forward, across: normal.cross(&forward) }
    }

    pub fn point(&self, [u, w]: [Real; 2]) -> Vec3 {
        self.forward * u + self.across * w
    }
}

impl TargetPlacer<'_> {
    /// Lays out the foot of a limb with heel and ball on one segment.
    pub(super) fn flat(&self, limb: usize) -> Option<Flat> {
        let limb = &self.features.limbs[limb];
        let list = &self.features.list;
        let find = |part: SolePart| limb.iter().map(|&f| &list[f]).find(|f| f.part == Some(part));
        let (heel, ball) = (find(SolePart::Heel)?, find(SolePart::Ball)?);
        if heel.segment != ball.segment {
            return None;
        }
        let forward = (ball.local - heel.local).try_normalize(1e-6)?;
        let aside = self.across(ball).or_else(|| self.across(heel)).unwrap_or_else(Vec3::zeros);
        let aside = (aside - forward * aside.dot(&forward)).try_normalize(1e-6)?;
        let up = aside.cross(&forward);
        // The ankle is above the sole.
        let up = if up.dot(&-heel.local) < 0.0 { -up } else { up };
        let across = up.cross(&forward);
        let plane = |p: &Vec3| [(p - heel.local).dot(&forward), (p - heel.local).dot(&across)];
        let (mut middles, mut corners) = (Vec::new(), Vec::new());
        for &f in limb {
            let feature = &list[f];
            let own = |c: usize| self.features.corners[c].local + self.figure.segment(feature.segment).centre;
            if feature.segment == heel.segment {
                middles.push(plane(&feature.local));
                corners.push(feature.corners.clone().map(|c| plane(&own(c))).collect());
                continue;
            }
            // Toes lie straight ahead of their joint, as far as they are long.
            let joint = self.figure.segment(feature.segment).attachment.frame_a.position;
            let [u, w] = plane(&joint);
            let over = (joint - heel.local).dot(&up);
            let reach = (feature.local.norm_squared() - over * over).max(0.0).sqrt();
            let aside = self.captured_aside(f, heel.segment, &across).clamp(-0.5 * reach, 0.5 * reach);
            let at = [u + (reach * reach - aside * aside).max(0.0).sqrt(), w + aside];
            let half = self.across(feature).map_or(0.0, |v| v.norm());
            middles.push(at);
            let sides = if feature.corners.len() == 2 { vec![half, -half] } else { vec![0.0] };
            // Order of the corners, as on the ball.
            let sign = self.side_sign(feature, heel.segment, &across);
            corners.push(sides.into_iter().map(|half| [at[0], at[1] + sign * half]).collect());
        }
        Some(Flat { segment: heel.segment, forward, middles, corners })
    }

    /// Returns the vector from the middle of a feature to its first corner, joint frame.
    fn across(&self, feature: &Feature) -> Option<Vec3> {
        let centre = self.figure.segment(feature.segment).centre;
        let first = self.features.corners[feature.corners.start].local + centre;
        (feature.corners.len() == 2).then(|| first - feature.local)
    }

    /// Returns 1 if the first corner of a feature on the toes is on the same side as `across` of the foot, else −1.
    fn side_sign(&self, feature: &Feature, foot: usize, across: &Vec3) -> Real {
        let Some(own) = self.across(feature) else { return 1.0 };
        let mut poses = Poses::new(self.figure, self.clip);
        let placements = poses.at(0);
        let dot = (placements[feature.segment].rotation * own).dot(&(placements[foot].rotation * across));
        if dot < 0.0 { -1.0 } else { 1.0 }
    }

    /// Returns the lateral offset of the toes as captured while they are down, metres.
    fn captured_aside(&self, f: usize, foot: usize, across: &Vec3) -> Real {
        let feature = &self.features.list[f];
        let joint = self.figure.segment(feature.segment).attachment.frame_a.position;
        let mut poses = Poses::new(self.figure, self.clip);
        let mut seen = Vec::new();
        for t in self.intervals[f].iter().flat_map(|run| run.clone().step_by((run.len() / 8).max(1))) {
            let placements = poses.at(t);
            let local = placements[foot].local_point(&feature.middle(placements)) - joint;
            seen.push(local.dot(across));
        }
        median(&seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_lie_in_the_ground() {
        let normal = Vec3::new(0.1, 1.0, -0.2).normalize();
        let axes = Axes::new(0.7, &normal);
        assert!(axes.forward.dot(&normal).abs() < 1e-12 && axes.across.dot(&normal).abs() < 1e-12);
        assert!(axes.forward.dot(&Vec3::new(0.7_f64.sin(), 0.0, 0.7_f64.cos())) > 0.9);
    }
}
