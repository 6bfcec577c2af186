//! Activity of trees, so that sweeps can skip units at rest.

use crate::math::{Buffer, Real};

/// Share of the tolerance below which a change does not activate a tree.
const STILL: Real = 0.5;

#[derive(Clone, Debug, Default)]
pub(super) struct Activity {
    /// Squares of the largest change at each tree, in velocity units, in the last sweep and in this one.
    last: Vec<Real>,
    now: Vec<Real>,
    still: Real,
    passed: bool,
}

impl Activity {
    /// Starts with all trees active; they stay so without a `tolerance`.
    pub fn begin(&mut self, trees: usize, tolerance: Option<Real>) {
        self.still = tolerance.map_or(-1.0, |tolerance| (STILL * tolerance) * (STILL * tolerance));
        self.passed = false;
        // Rows without bodies count as those of the first tree.
        let trees = trees.max(1);
        self.last.reset(trees, Real::INFINITY);
        self.now.reset(trees, 0.0);
    }

    /// Returns true if neither tree changed since a unit between them was solved, and records that one was skipped.
    #[inline(always)]
    pub fn skips(&mut self, [a, b]: [usize; 2]) -> bool {
        let passes = self.last[a].max(self.now[a]).max(self.last[b]).max(self.now[b]) <= self.still;
        self.passed |= passes;
        passes
    }

    /// Records the squared change of a unit between two trees.
    #[inline(always)]
    pub fn note(&mut self, [a, b]: [usize; 2], square: Real) {
        self.now[a] = self.now[a].max(square);
        self.now[b] = self.now[b].max(square);
    }

    /// Ends a sweep.
    #[inline(always)]
    pub fn end_sweep(&mut self) {
        std::mem::swap(&mut self.last, &mut self.now);
        self.now.fill(0.0);
    }

    /// Activates all trees for the next sweep; returns true if any unit was skipped since that was last done.
    #[inline(always)]
    pub fn activate_all(&mut self) -> bool {
        self.last.fill(Real::INFINITY);
        std::mem::take(&mut self.passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three trees in a row, a unit between each two: a change at one end activates its neighbour, not the far unit.
    #[test]
    fn only_units_of_active_trees_are_solved() {
        let (near, far) = ([0, 1], [2, 3]);
        let mut activity = Activity::default();
        activity.begin(4, Some(1e-2));
        assert!(!activity.skips(near) && !activity.skips(far), "all are called on at first");
        activity.note(near, 1.0);
        activity.note(far, 1e-6);
        activity.end_sweep();
        assert!(!activity.skips([1, 2]) && activity.skips(far));
        // A unit activated within a sweep is solved in the same sweep.
        activity.note([1, 2], 1.0);
        assert!(!activity.skips(far));
        activity.end_sweep();
        assert!(!activity.skips(far), "and in the next one");
    }

    /// Skipped units are solved once more before the end.
    #[test]
    fn skipped_units_are_solved_before_the_end() {
        let mut activity = Activity::default();
        activity.begin(2, Some(1e-2));
        assert!(!activity.activate_all(), "nobody was passed over");
        activity.end_sweep();
        assert!(activity.skips([0, 1]));
        assert!(activity.activate_all() && !activity.skips([0, 1]));
        assert!(!activity.activate_all());
    }

    /// No unit is skipped without a tolerance (a unit acts on more than two trees).
    #[test]
    fn without_a_tolerance_no_unit_is_skipped() {
        let mut activity = Activity::default();
        activity.begin(1, None);
        activity.end_sweep();
        assert!(!activity.skips([0, 0]));
    }
}
