//! Broad phase: boxes sorted along the axis of widest spread, cut into bands along the next, then swept band by band.
//!
//! The order of the last sweep is kept, as bodies move little relative to each other within a step. The result does not
//! depend on it.

use crate::math::{Buffer, Real, Vec3};

/// Bounding box in the sweep, rounded outwards to single precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    low: [f32; 3],
    high: [f32; 3],
    pub(super) collider: u32,
    /// Body of the collider; the highest bit is set if it is active.
    body: u32,
}

const ACTIVE: u32 = 1 << 31;

impl Slab {
    #[inline]
    pub(super) fn new(low: &Vec3, high: &Vec3, collider: u32, body: u32, active: bool) -> Self {
        // By more than a rounding; numbers too large for single precision become infinite.
        let room = |x: f32| x.abs() * f32::EPSILON + f32::MIN_POSITIVE;
        let down = |x: Real| (x as f32 - room(x as f32)).max(f32::NEG_INFINITY);
        let up = |x: Real| (x as f32 + room(x as f32)).min(f32::INFINITY);
        Self {
            low: [down(low.x), down(low.y), down(low.z)],
            high: [up(high.x), up(high.y), up(high.z)],
            collider,
            body: body | if active { ACTIVE } else { 0 },
        }
    }

    /// Returns the lowest coordinate along a direction.
    #[inline]
    pub(super) fn lowest(&self, up: &Vec3) -> Real {
        (0..3).map(|k| up[k] * Real::from(if up[k] > 0.0 { self.low[k] } else { self.high[k] })).sum()
    }

    #[inline]
    fn key(&self, axis: usize) -> (f32, u32) {
        (self.low[axis], self.collider)
    }
}

/// Sort and sweep, with the order that is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Broad {
    pub(super) slabs: Vec<Slab>,
    /// Colliders in the order of the last sweep.
    order: Vec<u32>,
    places: Vec<u32>,
    spare: Vec<Slab>,
    /// Slabs of the first band, of the second, and so on.
    banded: Vec<Slab>,
    /// End of each band in `banded`.
    ends: Vec<u32>,
    axis: usize,
}

const MOST_BANDS: usize = 256;

/// Number of boxes up to which all pairs are compared: sorting would cost more than it saves.
const FEW: usize = 32;

/// Equal bands across an axis; the outer ones reach to infinity.
#[derive(Clone, Copy, Debug)]
struct Bands {
    axis: usize,
    low: f32,
    scale: f32,
    count: usize,
}

impl Bands {
    /// Returns the band of a coordinate; monotonic in the coordinate.
    #[inline]
    fn of(&self, x: f32) -> usize {
        // Coordinates below the first band, and NaN, are cast to it.
        (((x - self.low) * self.scale) as usize).min(self.count - 1)
    }
}

impl Broad {
    /// Calls `found` once for each pair of overlapping slabs on different bodies, at least one of them active, in no
    /// particular order, until it returns false.
    pub(super) fn sweep(&mut self, mut found: impl FnMut(u32, u32) -> bool) {
        if self.slabs.len() <= FEW {
            return self.compare_all(found);
        }
        let (axis, bands) = self.survey();
        self.restore_order(axis);
        self.sort(axis);
        self.order.assign(self.slabs.iter().map(|s| s.collider));
        let all = [self.slabs.len() as u32];
        let (dealt, ends) = if bands.count > 1 {
            self.cut(&bands);
            (&self.banded, &self.ends[..])
        } else {
            (&self.slabs, &all[..])
        };
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut start = 0;
        for (band, &end) in ends.iter().enumerate() {
            let slabs = &dealt[start..end as usize];
            start = end as usize;
            for (k, slab) in slabs.iter().enumerate() {
                let until = slab.high[axis];
                for other in &slabs[k + 1..] {
                    if other.low[axis] > until {
                        break;
                    }
                    let overlap = (slab.low[next] <= other.high[next])
                        & (other.low[next] <= slab.high[next])
                        & (slab.low[last] <= other.high[last])
                        & (other.low[last] <= slab.high[last]);
                    if overlap
                        && (slab.body | other.body) & ACTIVE != 0
                        && (slab.body ^ other.body) & !ACTIVE != 0
                        // A pair that shares several bands is reported in the first of these.
                        && bands.of(slab.low[bands.axis].max(other.low[bands.axis])) == band
                        && !found(slab.collider, other.collider)
                    {
                        return;
                    }
                }
            }
        }
    }

    fn compare_all(&self, mut found: impl FnMut(u32, u32) -> bool) {
        for (k, slab) in self.slabs.iter().enumerate() {
            for other in &self.slabs[k + 1..] {
                let meet = |axis: usize| (slab.low[axis] <= other.high[axis]) & (other.low[axis] <= slab.high[axis]);
                // Figures are taller than wide.
                if meet(1)
                    && (meet(0) & meet(2))
                    && (slab.body | other.body) & ACTIVE != 0
                    && (slab.body ^ other.body) & !ACTIVE != 0
                    && !found(slab.collider, other.collider)
                {
                    return;
                }
            }
        }
    }

    /// Chooses the axis to sort along, and the bands along the axis of the next widest spread.
    fn survey(&self) -> (usize, Bands) {
        let (mut sum, mut squares, mut size) = ([0.0f64; 3], [0.0f64; 3], [0.0f64; 3]);
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let mut count = 0.0;
        // Ground and walls would spread by their own size.
        for slab in self.slabs.iter().filter(|s| s.body & ACTIVE != 0) {
            count += 1.0;
            for k in 0..3 {
                let middle = 0.5 * (f64::from(slab.low[k]) + f64::from(slab.high[k]));
                sum[k] += middle;
                squares[k] += middle * middle;
                size[k] += f64::from(slab.high[k]) - f64::from(slab.low[k]);
                low[k] = low[k].min(slab.low[k]);
                high[k] = high[k].max(slab.high[k]);
            }
        }
        let count = f64::max(count, 1.0);
        let spread = |k: usize| squares[k] - sum[k] * sum[k] / count;
        // Another axis must be clearly better to be worth the loss of the order.
        let axis = (0..3).fold(self.axis, |best, k| if spread(k) > 1.2 * spread(best) { k } else { best });
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        let across = if spread(next) >= spread(last) { next } else { last };
        // Twice as wide as the boxes, so that most lie in one or two.
        let width = (2.0 * size[across] / count) as f32;
        let extent = high[across] - low[across];
        let number = extent / width;
        let count = if number.is_finite() { (number as usize).clamp(1, MOST_BANDS) } else { 1 };
        let scale = if count > 1 { count as f32 / extent } else { 0.0 };
        let low = if low[across].is_finite() { low[across] } else { 0.0 };
        (axis, Bands { axis: across, low, scale, count })
    }

    /// Copies the sorted slabs to all bands they reach into, in their order.
    fn cut(&mut self, bands: &Bands) {
        let Broad { slabs, banded, ends, .. } = self;
        ends.reset(bands.count, 0);
        let span = |s: &Slab| bands.of(s.low[bands.axis])..=bands.of(s.high[bands.axis]);
        let mut total = 0;
        for slab in slabs.iter() {
            span(slab).for_each(|band| ends[band] += 1);
        }
        for end in ends.iter_mut() {
            (*end, total) = (total, total + *end);
        }
        banded.reset(total as usize, Slab::new(&Vec3::zeros(), &Vec3::zeros(), 0, 0, false));
        for slab in slabs.iter() {
            for band in span(slab) {
                banded[ends[band] as usize] = *slab;
                ends[band] += 1;
            }
        }
    }

    /// Permutes the slabs from the order of their colliders into that of the last sweep.
    fn restore_order(&mut self, axis: usize) {
        let Broad { slabs, order, places, spare, .. } = self;
        if order.len() != slabs.len() || axis != self.axis {
            self.axis = axis;
            return;
        }
        let highest = slabs.last().map_or(0, |s| s.collider as usize + 1);
        places.reset(highest, u32::MAX);
        for (place, slab) in slabs.iter().enumerate() {
            places[slab.collider as usize] = place as u32;
        }
        spare.clear();
        for &collider in order.iter() {
            match places.get(collider as usize) {
                Some(&place) if place != u32::MAX => spare.push(slabs[place as usize]),
                _ => return,
            }
        }
        std::mem::swap(slabs, spare);
    }

    /// Sorts by insertion while little is out of order, else from scratch.
    fn sort(&mut self, axis: usize) {
        let slabs = &mut self.slabs;
        let mut moves = 16 * slabs.len();
        for k in 1..slabs.len() {
            let slab = slabs[k];
            let key = slab.key(axis);
            let mut place = k;
            while place > 0 && slabs[place - 1].key(axis) > key {
                slabs[place] = slabs[place - 1];
                place -= 1;
            }
            slabs[place] = slab;
            moves = moves.saturating_sub(k - place);
            if moves == 0 {
                let total = |s: &Slab, t: &Slab| s.low[axis].total_cmp(&t.low[axis]).then(s.collider.cmp(&t.collider));
                slabs.sort_unstable_by(total);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::random::Random;

    /// Few boxes, compared pair by pair, and many, sorted: the pairs are those that overlap, each reported once.
    #[test]
    fn few_and_many_boxes_give_the_pairs_that_overlap() {
        for (seed, count) in [(1, 5), (2, FEW), (3, FEW + 1), (4, 150)] {
            let mut random = Random::new(seed);
            let mut broad = Broad::default();
            for collider in 0..count as u32 {
                let mut vector = || Vec3::new(random.signed(), random.signed(), random.signed());
                let (centre, half) = (vector(), vector().abs() * 0.3);
                // Two boxes to a body, and one body in three at rest.
                let (body, active) = (collider / 2, collider / 2 % 3 != 0);
                broad.slabs.push(Slab::new(&(centre - half), &(centre + half), collider, body, active));
            }
            let slabs = broad.slabs.clone();
            let mut wanted = Vec::new();
            for (i, s) in slabs.iter().enumerate() {
                for (j, t) in slabs.iter().enumerate().skip(i + 1) {
                    let overlap = (0..3).all(|k| s.low[k] <= t.high[k] && t.low[k] <= s.high[k]);
                    if overlap && (s.body | t.body) & ACTIVE != 0 && (s.body ^ t.body) & !ACTIVE != 0 {
                        wanted.push((i as u32, j as u32));
                    }
                }
            }
            let mut found = Vec::new();
            broad.sweep(|a, b| {
                found.push((a.min(b), a.max(b)));
                true
            });
            found.sort_unstable();
            assert!(!wanted.is_empty() && found == wanted, "{count}: {} for {}", found.len(), wanted.len());
        }
    }

    /// A slab covers its box, however large or small the numbers.
    #[test]
    fn slabs_are_rounded_outwards() {
        let mut random = Random::new(7);
        for power in -50..50 {
            let x = random.signed() * (10.0 as Real).powi(power);
            let slab = Slab::new(&Vec3::repeat(x), &Vec3::repeat(x), 0, 0, true);
            assert!(Real::from(slab.low[0]) < x && x < Real::from(slab.high[0]), "{x}: {slab:?}");
        }
    }
}
