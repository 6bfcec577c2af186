//! Which trees were pushed on lately, so that sweeps can pass over what lies still.

use crate::math::Real;

/// Changes below this share of the tolerance stir nobody.
const STILL: Real = 0.5;

#[derive(Clone, Debug, Default)]
pub(super) struct Stir {
    /// The square of the largest change at each tree, in velocity units, in the last sweep and in this one.
    last: Vec<Real>,
    now: Vec<Real>,
    still: Real,
    passed: bool,
}

impl Stir {
    /// Everyone is called on in the first sweep; in all of them if there is no `tolerance`.
    pub fn begin(&mut self, trees: usize, tolerance: Option<Real>) {
        self.still = tolerance.map_or(-1.0, |tolerance| (STILL * tolerance) * (STILL * tolerance));
        self.passed = false;
        // Rows that act on nothing count as the first tree's.
        let trees = trees.max(1);
        self.last.clear();
        self.last.resize(trees, Real::INFINITY);
        self.now.clear();
        self.now.resize(trees, 0.0);
    }

    /// Whether neither tree was pushed on since a unit between them had its turn; it is remembered that one was passed over.
    #[inline(always)]
    pub fn passes_over(&mut self, [a, b]: [usize; 2]) -> bool {
        let passes = self.last[a].max(self.now[a]).max(self.last[b]).max(self.now[b]) <= self.still;
        self.passed |= passes;
        passes
    }

    /// A unit between two trees changed by so much.
    #[inline(always)]
    pub fn note(&mut self, [a, b]: [usize; 2], square: Real) {
        self.now[a] = self.now[a].max(square);
        self.now[b] = self.now[b].max(square);
    }

    /// After a sweep.
    #[inline(always)]
    pub fn turn(&mut self) {
        std::mem::swap(&mut self.last, &mut self.now);
        self.now.fill(0.0);
    }

    /// Calls on everyone in the next sweep; whether anyone was passed over since that was last done.
    #[inline(always)]
    pub fn rouse_all(&mut self) -> bool {
        self.last.fill(Real::INFINITY);
        std::mem::take(&mut self.passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three trees in a row, a unit between each two: a push at one end calls on its neighbour, not on the far unit.
    #[test]
    fn only_units_of_stirred_trees_are_called_on() {
        let (near, far) = ([0, 1], [2, 3]);
        let mut stir = Stir::default();
        stir.begin(4, Some(1e-2));
        assert!(!stir.passes_over(near) && !stir.passes_over(far), "all are called on at first");
        stir.note(near, 1.0);
        stir.note(far, 1e-6);
        stir.turn();
        assert!(!stir.passes_over([1, 2]) && stir.passes_over(far));
        // Whoever is pushed on within the sweep is heard in the same sweep.
        stir.note([1, 2], 1.0);
        assert!(!stir.passes_over(far));
        stir.turn();
        assert!(!stir.passes_over(far), "and in the next one");
    }

    /// Those who were passed over have the last word, once.
    #[test]
    fn all_are_called_on_before_the_end() {
        let mut stir = Stir::default();
        stir.begin(2, Some(1e-2));
        assert!(!stir.rouse_all(), "nobody was passed over");
        stir.turn();
        assert!(stir.passes_over([0, 1]));
        assert!(stir.rouse_all() && !stir.passes_over([0, 1]));
        assert!(!stir.rouse_all());
    }

    /// Where a unit acts on more trees than two, nobody is passed over.
    #[test]
    fn without_a_tolerance_nobody_is_passed_over() {
        let mut stir = Stir::default();
        stir.begin(1, None);
        stir.turn();
        assert!(!stir.passes_over([0, 0]));
    }
}
