//! Contact features of a body: heels, balls and tips of its feet, palms, knees, elbows, back and head.
//!
//! A feature touches the ground as a whole. It has one corner, or the two of a heel, ball or tip. Features of one foot (or
//! other rigid end) belong to one limb and are placed together. Corners without a feature are only kept out of the ground.

use super::Corner;
use crate::dynamics::{Placement, Shape};
use crate::figure::{Figure, SolePart};
use crate::math::{Real, Vec3};
use crate::measure::points::points;
use crate::motion::Side;
use std::ops::Range;

/// Least height of the bones of a supporting palm above the ground, metres for the reference height: the wrist behind it is
/// thicker than the hand.
const PALM: Real = 0.018;

/// Part of the body that touches the ground as a whole.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Feature {
    /// Name, such as `LeftFoot heel`. Features of a segment without a sole part are numbered.
    pub name: String,
    pub segment: usize,
    pub part: Option<SolePart>,
    pub side: Option<Side>,
    /// Middle of its corners, metres, frame of the segment's joint.
    pub local: Vec3,
    /// Distance from its middle down to its surface, metres.
    pub radius: Real,
    /// Its corners in [`Features::corners`].
    pub corners: Range<usize>,
    /// Limb whose features are placed together.
    pub limb: usize,
}

impl Feature {
    /// Returns the middle in world space, metres.
    pub fn middle(&self, placements: &[Placement]) -> Vec3 {
        placements[self.segment].point(&self.local)
    }

    /// Returns true for heel, ball or tip.
    pub fn is_foot(&self) -> bool {
        matches!(self.part, Some(SolePart::Heel | SolePart::Ball | SolePart::Tip))
    }
}

/// Features of a figure, and all corners that must stay out of the ground.
#[derive(Clone, Debug)]
pub(crate) struct Features {
    pub list: Vec<Feature>,
    /// Corners of the features first, feature by feature.
    pub corners: Vec<Corner>,
    /// Features of each limb.
    pub limbs: Vec<Vec<usize>>,
}

impl Features {
    pub fn of(figure: &Figure) -> Self {
        let segments = figure.segments();
        let (mut list, mut corners): (Vec<Feature>, Vec<Corner>) = (Vec::new(), Vec::new());
        let mut bears = vec![false; segments.len()];
        figure.sole_points().iter().for_each(|sole| bears[sole.segment] = true);
        for point in points(figure) {
            let segment = &segments[point.segment];
            let radius = match point.part {
                // A hand lies on its flesh, not on its bones.
                Some(SolePart::Palm) => half_thickness(figure, point.segment).max(figure.scaled_length(PALM)),
                _ => point.radius,
            };
            let first = corners.len();
            let sides =
                if point.across == Vec3::zeros() { vec![Vec3::zeros()] } else { vec![point.across, -point.across] };
            for across in sides {
                let local = point.local + across - segment.centre;
                corners.push(Corner { segment: point.segment, local, radius });
            }
            let name = match point.part {
                Some(part) => format!("{} {}", segment.name, part.word()),
                None => {
                    let same = list.iter().filter(|f| f.segment == point.segment && f.part.is_none()).count();
                    format!("{} {}", segment.name, same + 1)
                }
            };
            list.push(Feature {
                name,
                segment: point.segment,
                part: point.part,
                side: point.side,
                local: point.local,
                radius,
                corners: first..corners.len(),
                limb: 0,
            });
        }
        // The other corners of feet and hands must not penetrate the ground either.
        for (k, segment) in segments.iter().enumerate().filter(|(k, _)| bears[*k]) {
            let corner_points: Vec<Vec3> = corners.iter().filter(|c| c.segment == k).map(|c| c.local).collect();
            for shape in &segment.shapes {
                for (local, radius) in extremes(&shape.shape) {
                    let local = shape.placement.point(&local) - segment.centre;
                    if corner_points.iter().all(|p| (p - local).norm() > 2e-3) {
                        corners.push(Corner { segment: k, local, radius });
                    }
                }
            }
        }
        // A foot and its toes form one limb. Every other segment is a limb of its own.
        let limb_segment = |k: usize| match segments[k].parent {
            Some(parent) if bears[k] && bears[parent] => parent,
            _ => k,
        };
        let mut heads: Vec<usize> = Vec::new();
        for feature in &mut list {
            let head = limb_segment(feature.segment);
            feature.limb = heads.iter().position(|&h| h == head).unwrap_or_else(|| {
                heads.push(head);
                heads.len() - 1
            });
        }
        let mut limbs = vec![Vec::new(); heads.len()];
        list.iter().enumerate().for_each(|(index, feature)| limbs[feature.limb].push(index));
        Self { list, corners, limbs }
    }
}

/// Returns ends of round shapes and corners of angular ones, with their radius.
fn extremes(shape: &Shape) -> Vec<(Vec3, Real)> {
    match shape {
        Shape::Sphere { radius } => vec![(Vec3::zeros(), *radius)],
        Shape::Capsule { a, b, radius } => vec![(*a, *radius), (*b, *radius)],
        Shape::Box { half_extents } => (0..8u32)
            .map(|corner| {
                let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
                (half_extents.component_mul(&Vec3::new(sign(0), sign(1), sign(2))), 0.0)
            })
            .collect(),
        Shape::Hull { points } => points.iter().map(|point| (*point, 0.0)).collect(),
        Shape::HalfSpace { .. } | Shape::HeightField { .. } | Shape::Mesh { .. } => Vec::new(),
    }
}

/// Returns half of the smallest width of a segment's shapes, metres.
fn half_thickness(figure: &Figure, segment: usize) -> Real {
    let thin = figure.segment(segment).shapes.iter().map(|shape| match &shape.shape {
        Shape::Box { half_extents } => half_extents.min(),
        Shape::Capsule { radius, .. } | Shape::Sphere { radius } => *radius,
        _ => 0.0,
    });
    thin.fold(0.0, Real::max)
}
