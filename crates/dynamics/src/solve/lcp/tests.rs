use super::*;
use crate::solve::random::Random;

/// Problem that owns its numbers.
#[derive(Clone, Debug, Default)]
struct Owned {
    matrix: Vec<Real>,
    b: Vec<Real>,
    lo: Vec<Real>,
    hi: Vec<Real>,
    scale: Vec<Real>,
}

impl Owned {
    fn new(matrix: Vec<Real>, b: Vec<Real>, lo: Vec<Real>, hi: Vec<Real>) -> Self {
        let n = b.len();
        let scale = (0..n).map(|i| matrix[i * n + i]).collect();
        Owned { matrix, b, lo, hi, scale }
    }

    fn view(&self) -> Lcp<'_> {
        Lcp {
            matrix: &self.matrix,
            b: &self.b,
            lo: &self.lo,
            hi: &self.hi,
            scale: &self.scale,
            magnitude: self.b.iter().fold(0.0, |m: Real, b| m.max(b.abs())),
        }
    }

    /// Largest violation of the conditions over 1e-9·max(1, ‖b‖∞), by plain summation; bounds must hold exactly.
    fn check(&self, lambda: &[Real]) -> Real {
        let n = self.b.len();
        let mut worst: Real = 0.0;
        for i in 0..n {
            assert!(lambda[i].is_finite() && self.lo[i] <= lambda[i] && lambda[i] <= self.hi[i]);
            let w: Real = (0..n).map(|j| self.matrix[i * n + j] * lambda[j]).sum::<Real>() + self.b[i];
            worst = worst.max(violation(w, lambda[i], self.lo[i], self.hi[i]));
        }
        worst / self.b.iter().fold(1.0, |m: Real, b| m.max(b.abs()))
    }
}

/// Returns G Gᵀ of an n × r matrix, row major.
fn gram(g: &[Real], n: usize) -> Vec<Real> {
    let r = g.len() / n;
    let row = |i: usize| &g[i * r..(i + 1) * r];
    (0..n * n).map(|k| row(k / n).iter().zip(row(k % n)).map(|(x, y)| x * y).sum()).collect()
}

/// Makes bounds of unbounded, one-sided, boxed and dead rows.
fn random_bounds(random: &mut Random, n: usize) -> (Vec<Real>, Vec<Real>) {
    (0..n)
        .map(|_| match random.below(6) {
            0 | 1 => (Real::NEG_INFINITY, Real::INFINITY),
            2 => (0.0, Real::INFINITY),
            3 => (Real::NEG_INFINITY, 0.0),
            4 => (-random.unit(), random.unit()),
            _ => (0.0, if random.chance(0.2) { 0.0 } else { random.unit() }),
        })
        .unzip()
}

/// Makes A of rank r ≤ n whose dependent rows leave a solution: b = G c − p with p ≥ 0 on rows that only push up, p ≤ 0
/// on rows that only push down, p = 0 on unbounded ones and anything on boxes.
fn semidefinite(random: &mut Random, n: usize, r: usize) -> Owned {
    let mut g: Vec<Real> = (0..n * r).map(|_| random.signed()).collect();
    for i in 1..n {
        // Exact copies too: the hardest dependence to see by size alone.
        if random.chance(0.15) {
            let source = random.below(i);
            g.copy_within(source * r..(source + 1) * r, i * r);
        }
    }
    let (lo, hi) = random_bounds(random, n);
    let c: Vec<Real> = (0..r).map(|_| 3.0 * random.signed()).collect();
    let free: Vec<Real> = (0..r).map(|_| 3.0 * random.signed()).collect();
    let b = (0..n)
        .map(|i| {
            let row = &g[i * r..(i + 1) * r];
            let witness: Real = row.iter().zip(&c).map(|(g, c)| g * c).sum();
            let start: Real = row.iter().zip(&free).map(|(g, u)| g * u).sum();
            let slack = match (lo[i].is_finite(), hi[i].is_finite()) {
                (false, false) => 0.0,
                (true, false) => -random.unit(),
                (false, true) => random.unit(),
                (true, true) => random.signed(),
            };
            start - (witness + slack)
        })
        .collect();
    Owned::new(gram(&g, n), b, lo, hi)
}

#[test]
fn conditions_hold_on_a_thousand_random_problems() {
    let mut repairs = 0;
    let mut solver = LcpSolver::default();
    let (mut worst, mut rows, mut pivots, mut most, mut restarts): (Real, usize, usize, Real, usize) =
        Default::default();
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let n = 1 + random.below(64);
        let rank = if seed % 2 == 0 { n + 2 } else { 1 + random.below(n) };
        let owned = semidefinite(&mut random, n, rank);
        let mut lambda = vec![0.0; n];
        let outcome = solver.solve(&owned.view(), &mut lambda);
        let off = owned.check(&lambda);
        assert!(off <= 1e-9, "seed {seed}, {n} rows of rank {rank}: {off:e}, {outcome:?}");
        assert_eq!(outcome.conflicts, 0, "seed {seed}");
        worst = worst.max(off);
        rows += n;
        pivots += outcome.pivots;
        most = most.max(outcome.pivots as Real / n as Real);
        restarts += usize::from(outcome.restarted);
        repairs += outcome.repairs;
    }
    // The repair hides slips of the pivoting; well-conditioned problems must not need it.
    assert_eq!((restarts, repairs), (0, 0));
    println!(
        "worst {worst:e}, {:.3} pivots per row, at most {most:.2}, {restarts} restarts, {repairs} repairs",
        pivots as Real / rows as Real
    );
}

#[test]
fn duplicated_equalities_are_all_met() {
    let mut random = Random::new(7);
    let (n, r) = (12, 5);
    let g: Vec<Real> = (0..n * r).map(|_| random.signed()).collect();
    let c: Vec<Real> = (0..r).map(|_| random.signed()).collect();
    let b = (0..n).map(|i| (0..r).map(|k| g[i * r + k] * c[k]).sum()).collect();
    let owned = Owned::new(gram(&g, n), b, vec![Real::NEG_INFINITY; n], vec![Real::INFINITY; n]);
    let mut lambda = vec![0.0; n];
    let outcome = LcpSolver::default().solve(&owned.view(), &mut lambda);
    assert!(owned.check(&lambda) <= 1e-9);
    assert_eq!(outcome.conflicts, 0);
}

#[test]
fn contradicting_equalities_end_with_a_report() {
    let infinite = Real::INFINITY;
    let matrix = vec![2.0, 2.0, 1.0, 2.0, 2.0, 1.0, 1.0, 1.0, 3.0];
    let owned = Owned::new(matrix, vec![1.0, -1.0, -2.0], vec![-infinite, -infinite, 0.0], vec![infinite; 3]);
    let mut lambda = vec![0.0; 3];
    let outcome = LcpSolver::default().solve(&owned.view(), &mut lambda);
    assert!(lambda.iter().all(|l| l.is_finite()));
    assert_eq!(outcome.conflicts, 1);
    assert!((outcome.residual - 2.0).abs() <= 1e-12, "{outcome:?}");
    // The consistent rows are met.
    let w: Real = lambda[0] + lambda[1] + 3.0 * lambda[2] - 2.0;
    assert!(w.abs() <= 1e-12 && lambda[2] > 0.0);
}

#[test]
fn random_contradictions_never_leave_nan_or_hang() {
    let mut solver = LcpSolver::default();
    let mut conflicts = 0;
    for seed in 0..300 {
        let mut random = Random::new(10_000 + seed);
        let n = 2 + random.below(30);
        let rank = 1 + random.below(n / 2);
        let mut owned = semidefinite(&mut random, n, rank);
        for b in &mut owned.b {
            *b += random.signed();
        }
        let mut lambda = vec![0.0; n];
        let outcome = solver.solve(&owned.view(), &mut lambda);
        assert!(lambda.iter().all(|l| l.is_finite()), "seed {seed}");
        let off = owned.check(&lambda);
        assert!(off <= 1e-9 || outcome.residual > 0.0, "seed {seed}");
        assert!(off <= 1e-9 || outcome.conflicts > 0 || outcome.restarted, "seed {seed}: {off:e} {outcome:?}");
        conflicts += usize::from(outcome.conflicts > 0);
    }
    assert!(conflicts > 100, "the generator should contradict itself: {conflicts}");
}

/// A boxed row that opposes an equality along a dependent direction saturates, and that is a solution.
#[test]
fn a_box_against_an_equality_saturates() {
    let owned = Owned::new(vec![1.0; 4], vec![0.0, -1.0], vec![Real::NEG_INFINITY, -0.25], vec![Real::INFINITY, 0.25]);
    let mut lambda = vec![0.0; 2];
    let outcome = LcpSolver::default().solve(&owned.view(), &mut lambda);
    assert_eq!(lambda, [-0.25, 0.25]);
    assert_eq!(outcome.conflicts, 0);
}

#[test]
fn rows_that_nothing_moves_are_reported_or_ignored() {
    let infinite = Real::INFINITY;
    let owned = Owned::new(vec![0.0; 4], vec![0.0, 1.0], vec![-infinite; 2], vec![infinite; 2]);
    let mut lambda = vec![0.0; 2];
    let outcome = LcpSolver::default().solve(&owned.view(), &mut lambda);
    assert_eq!(lambda, [0.0, 0.0]);
    assert_eq!((outcome.conflicts, outcome.residual), (1, 1.0));
}

/// Small integers make many ties, at which pivoting rules may cycle.
#[test]
fn degenerate_integer_problems_end_and_hold() {
    let mut solver = LcpSolver::default();
    for seed in 0..500 {
        let mut random = Random::new(20_000 + seed);
        let n = 2 + random.below(40);
        let r = 1 + random.below(n);
        let g: Vec<Real> = (0..n * r).map(|_| random.below(3) as Real - 1.0).collect();
        let u: Vec<Real> = (0..r).map(|_| random.below(5) as Real - 2.0).collect();
        let (lo, hi): (Vec<Real>, Vec<Real>) =
            (0..n).map(|_| if random.chance(0.7) { (0.0, Real::INFINITY) } else { (-1.0, 1.0) }).unzip();
        let b = (0..n).map(|i| (0..r).map(|k| g[i * r + k] * u[k]).sum()).collect();
        let owned = Owned::new(gram(&g, n), b, lo, hi);
        let mut lambda = vec![0.0; n];
        let outcome = solver.solve(&owned.view(), &mut lambda);
        let off = owned.check(&lambda);
        assert!(off <= 1e-9 && outcome.conflicts == 0, "seed {seed}: {off:e}, {outcome:?}");
    }
}

#[test]
fn a_regularised_restart_reaches_the_same_conditions() {
    let mut solver = LcpSolver::default();
    for seed in 0..100 {
        let mut random = Random::new(30_000 + seed);
        let n = 1 + random.below(32);
        let rank = 1 + random.below(n);
        let owned = semidefinite(&mut random, n, rank);
        let mut lambda = vec![0.0; n];
        solver.anchor.reset(n, 0.0);
        solver.restart(&owned.view(), &mut lambda);
        let off = owned.check(&lambda);
        assert!(off <= 1e-9, "seed {seed}: {off:e}");
    }
}

/// Rows 0 and 1 are copies. Row 1 is parked while row 0 is free, and takes over when row 0 reaches its bound.
#[test]
fn a_parked_row_takes_over_when_its_twin_meets_its_bound() {
    let matrix = vec![1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 2.0];
    let (lo, hi) = (vec![-1.0, -1.0, 0.0], vec![1.0, 1.0, Real::INFINITY]);
    let owned = Owned::new(matrix, vec![-0.5, -0.5, -0.7], lo, hi);
    let mut lambda = vec![0.0; 3];
    let outcome = LcpSolver::default().solve(&owned.view(), &mut lambda);
    for (found, expected) in lambda.iter().zip([1.0, 0.7, 1.2]) {
        assert!((found - expected).abs() <= 1e-12, "{lambda:?}");
    }
    assert_eq!(outcome.repairs, 0);
}
