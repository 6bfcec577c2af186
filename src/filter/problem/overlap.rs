//! Self-contact: segments do not penetrate each other, Σ max(0, overlap)²/σ².

use super::equations::Block;
use super::{Motion, Problem};
use crate::filter::body::Places;
use crate::math::{Real, Vec3};

/// Contact of two segments: points from the centres of mass, and the normal from one to the other.
#[derive(Clone, Copy, Debug)]
pub(in crate::filter) struct SegmentContact {
    pub segments: [usize; 2],
    pub locals: [Vec3; 2],
    pub normal: Vec3,
    /// Allowed depth, metres.
    pub allowed: Real,
}

impl Problem<'_> {
    /// Returns the depth beyond the allowed one (positive), and the two points.
    pub(super) fn segment_contact(&self, segment_contact: &SegmentContact, places: &Places) -> (Real, [Vec3; 2]) {
        let [a, b] = [0, 1].map(|side| places.point(segment_contact.segments[side], &segment_contact.locals[side]));
        (-(b - a).dot(&segment_contact.normal) - segment_contact.allowed, [a, b])
    }

    pub(super) fn add_overlaps(&self, t: usize, motion: &Motion, firmness: Real, block: &mut Block) {
        let (places, weight) = (&motion.places[t], self.weights.overlap * firmness);
        for segment_contact in &self.frames[t].segment_contacts {
            let (depth, points) = self.segment_contact(segment_contact, places);
            if depth > 0.0 {
                let row = self.segment_contact_row(segment_contact, places, &points);
                for j in 0..row.len() {
                    block.right[j] -= weight * depth * row[j];
                    for i in 0..=j {
                        block.add(i, j, weight * row[i] * row[j]);
                    }
                }
            }
        }
    }

    /// Returns the gradient of the depth by the coordinates.
    fn segment_contact_row(&self, segment_contact: &SegmentContact, places: &Places, points: &[Vec3; 2]) -> Vec<Real> {
        let mut row = vec![0.0; self.body.unknowns];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let mut above = Some(segment_contact.segments[side]);
            while let Some(segment) = above {
                let part = &self.body.parts[segment];
                let end = part.first + part.freedom.count() + 3 * usize::from(part.translates);
                for (column, entry) in row.iter_mut().enumerate().take(end).skip(part.first) {
                    let (v, _) = self.coordinate(places, &points[side], column);
                    *entry += sign * segment_contact.normal.dot(&v);
                }
                above = part.parent;
            }
        }
        row
    }
}
