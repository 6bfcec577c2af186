//! Cubic splines through points: twice continuously differentiable, as paths and tracks must be.
//!
//! ```text
//!  on [t_i, t_{i+1}], h = t_{i+1} − t_i, a = (t_{i+1} − t)/h, b = 1 − a:
//!    p = a p_i + b p_{i+1} + ((a³ − a) m_i + (b³ − b) m_{i+1}) h²/6          m the second derivatives
//!  continuous first derivatives:
//!    h_{i−1} m_{i−1} + 2(h_{i−1} + h_i) m_i + h_i m_{i+1} = 6((p_{i+1} − p_i)/h_i − (p_i − p_{i−1})/h_{i−1})
//! ```
//!
//! The natural spline has m = 0 at both ends and continues straight beyond them, which keeps it twice differentiable
//! there. The closed one returns to its start.

use crate::error::DynamicsError;
use crate::math::{Real, Vec3};

/// Point with its first and second derivative by the parameter.
pub type Sample = (Vec3, Vec3, Vec3);

/// Cubic spline through points at given parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct CubicSpline {
    knots: Vec<Real>,
    points: Vec<Vec3>,
    seconds: Vec<Vec3>,
    closed: bool,
}

impl CubicSpline {
    /// Interpolates `points` at rising `knots` by the natural spline.
    pub fn natural(knots: Vec<Real>, points: Vec<Vec3>) -> Result<Self, DynamicsError> {
        check(&knots, &points)?;
        let seconds = second_derivatives(&knots, &points, false);
        Ok(Self { knots, points, seconds, closed: false })
    }

    /// Interpolates `points` at rising `knots` by the closed spline; the last point repeats the first.
    pub fn closed(knots: Vec<Real>, mut points: Vec<Vec3>) -> Result<Self, DynamicsError> {
        check(&knots, &points)?;
        if let (Some(first), Some(last)) = (points.first().copied(), points.last_mut()) {
            if (first - *last).norm() > 1e-9 * (1.0 + first.norm()) || knots.len() < 4 {
                return Err(refused("a closed spline needs at least three points and its first point again as last"));
            }
            *last = first;
        }
        let seconds = second_derivatives(&knots, &points, true);
        Ok(Self { knots, points, seconds, closed: true })
    }

    /// Interpolates points spaced by their distances, so that the parameter is about the length in metres.
    pub fn through(points: &[Vec3]) -> Result<Self, DynamicsError> {
        Self::natural(chord_knots(points), points.to_vec())
    }

    /// Interpolates points spaced by their distances by the closed spline; the first point is not repeated.
    pub fn loop_through(points: &[Vec3]) -> Result<Self, DynamicsError> {
        let mut points = points.to_vec();
        points.extend(points.first().copied());
        Self::closed(chord_knots(&points), points)
    }

    /// Returns the first and last parameter.
    pub fn domain(&self) -> (Real, Real) {
        (self.knots[0], self.knots[self.knots.len() - 1])
    }

    /// Returns the number of cubics.
    pub fn pieces(&self) -> usize {
        self.knots.len() - 1
    }

    /// Returns true for a closed spline.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns point and derivatives at a parameter.
    pub fn sample(&self, t: Real) -> Sample {
        let (first, last) = self.domain();
        let t = if self.closed { first + (t - first).rem_euclid(last - first) } else { t };
        let i = self.knots.partition_point(|&k| k <= t).clamp(1, self.knots.len() - 1) - 1;
        let h = self.knots[i + 1] - self.knots[i];
        let (p, q, m, n) = (self.points[i], self.points[i + 1], self.seconds[i], self.seconds[i + 1]);
        let at = |t: Real| {
            let b = (t - self.knots[i]) / h;
            let a = 1.0 - b;
            let point = p * a + q * b + (m * (a * a * a - a) + n * (b * b * b - b)) * (h * h / 6.0);
            let slope = (q - p) / h + (n * (3.0 * b * b - 1.0) - m * (3.0 * a * a - 1.0)) * (h / 6.0);
            (point, slope, m * a + n * b)
        };
        let inside = t.clamp(first, last);
        let (point, slope, second) = at(inside);
        if inside == t { (point, slope, second) } else { (point + slope * (t - inside), slope, Vec3::zeros()) }
    }
}

/// Refuses knots that do not rise and numbers that are not finite.
fn check(knots: &[Real], points: &[Vec3]) -> Result<(), DynamicsError> {
    if knots.len() != points.len() || knots.len() < 2 {
        return Err(refused("a spline needs at least two points, each with its parameter"));
    }
    if !knots.windows(2).all(|w| w[0] < w[1]) || !knots.iter().all(|k| k.is_finite()) {
        return Err(refused("the parameters of a spline's points must rise, and neighbours must differ"));
    }
    if !points.iter().all(|p| p.iter().all(|x| x.is_finite())) {
        return Err(refused("the points of a spline must be finite"));
    }
    Ok(())
}

fn refused(what: &str) -> DynamicsError {
    DynamicsError::Constraint { name: "spline".into(), what: what.into() }
}

/// Returns the summed distances up to each point.
fn chord_knots(points: &[Vec3]) -> Vec<Real> {
    let mut length = 0.0;
    let mut knots = vec![0.0; points.len().min(1)];
    for pair in points.windows(2) {
        length += (pair[1] - pair[0]).norm();
        knots.push(length);
    }
    knots
}

/// Solves the tridiagonal system above; for a closed spline by the Sherman–Morrison formula.
fn second_derivatives(knots: &[Real], points: &[Vec3], closed: bool) -> Vec<Vec3> {
    let n = knots.len();
    let h: Vec<Real> = knots.windows(2).map(|w| w[1] - w[0]).collect();
    let bend = |before: usize, i: usize, after: usize, left: Real, right: Real| {
        ((points[after] - points[i]) / right - (points[i] - points[before]) / left) * 6.0
    };
    if !closed {
        let inner: Vec<usize> = (1..n - 1).collect();
        let diagonal = inner.iter().map(|&i| 2.0 * (h[i - 1] + h[i])).collect();
        let right = inner.iter().map(|&i| bend(i - 1, i, i + 1, h[i - 1], h[i])).collect();
        let off = inner.iter().map(|&i| h[i]).collect::<Vec<_>>();
        let mut seconds = vec![Vec3::zeros(); n];
        for (second, solved) in seconds[1..].iter_mut().zip(tridiagonal(diagonal, &off, right)) {
            *second = solved;
        }
        return seconds;
    }
    // Unknowns 0..m, m = n − 1 intervals, with corner entries h[m − 1].
    let m = n - 1;
    let left = |i: usize| h[(i + m - 1) % m];
    let mut diagonal: Vec<Real> = (0..m).map(|i| 2.0 * (left(i) + h[i])).collect();
    let right: Vec<Vec3> = (0..m).map(|i| bend((i + m - 1) % m, i, i + 1, left(i), h[i])).collect();
    let corner = h[m - 1];
    let gamma = -diagonal[0];
    diagonal[0] -= gamma;
    diagonal[m - 1] -= corner * corner / gamma;
    let mut rank_one = vec![Vec3::zeros(); m];
    rank_one[0] = Vec3::repeat(gamma);
    rank_one[m - 1] += Vec3::repeat(corner);
    let plain = tridiagonal(diagonal.clone(), &h[..m], right);
    let response = tridiagonal(diagonal, &h[..m], rank_one);
    let reach = |x: &[Vec3]| x[0] + x[m - 1] * (corner / gamma);
    let scale = reach(&plain) / (1.0 + reach(&response).x);
    let mut seconds: Vec<Vec3> = plain.iter().zip(&response).map(|(p, r)| p - scale * r.x).collect();
    seconds.push(seconds[0]);
    seconds
}

/// Solves a symmetric tridiagonal system with `off[i]` between i and i + 1 (Thomas's algorithm).
fn tridiagonal(mut diagonal: Vec<Real>, off: &[Real], mut right: Vec<Vec3>) -> Vec<Vec3> {
    let n = diagonal.len();
    for i in 1..n {
        let factor = off[i - 1] / diagonal[i - 1];
        diagonal[i] -= factor * off[i - 1];
        let above = right[i - 1];
        right[i] -= above * factor;
    }
    for i in (0..n).rev() {
        let below = if i + 1 < n { right[i + 1] * off[i] } else { Vec3::zeros() };
        right[i] = (right[i] - below) / diagonal[i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A closed spline through 16 points of a circle has radius 1 and curvature 1 all around, seam included.
    #[test]
    fn closed_spline_through_a_circle_is_round_at_the_seam() {
        let points: Vec<Vec3> = (0..16)
            .map(|i| i as Real * std::f64::consts::TAU / 16.0)
            .map(|a| Vec3::new(a.cos(), a.sin(), 0.0))
            .collect();
        let spline = CubicSpline::loop_through(&points).expect("points are distinct");
        let (first, last) = spline.domain();
        for i in 0..=200 {
            let t = first + (last - first) * i as Real / 200.0;
            let (p, d, dd) = spline.sample(t);
            let curvature = d.cross(&dd).norm() / d.norm().powi(3);
            assert!((p.norm() - 1.0).abs() < 1e-3 && (curvature - 1.0).abs() < 0.02, "{t}: {} {curvature}", p.norm());
        }
    }

    /// Inside, at the knots and beyond the ends, the derivatives are those of the points (central differences).
    #[test]
    fn natural_spline_is_twice_differentiable_everywhere() {
        let knots = vec![0.0, 0.7, 1.0, 2.5, 3.0];
        let points =
            [(0.0, 1.0), (1.0, -0.5), (0.3, 2.0), (2.0, 0.0), (1.0, 1.0)].map(|(x, y)| Vec3::new(x, y, x * y)).to_vec();
        let spline = CubicSpline::natural(knots.clone(), points.clone()).expect("rising knots");
        for (knot, point) in knots.iter().zip(&points) {
            assert!((spline.sample(*knot).0 - point).norm() < 1e-12);
        }
        let e = 1e-5;
        for t in [-0.5, 0.0, 0.3, 0.7, 1.0, 1.7, 2.5, 2.9, 3.0, 4.0] {
            let (before, here, after) = (spline.sample(t - e), spline.sample(t), spline.sample(t + e));
            assert!(((after.0 - before.0) / (2.0 * e) - here.1).norm() < 1e-6, "slope at {t}");
            assert!(((after.1 - before.1) / (2.0 * e) - here.2).norm() < 2e-3, "second derivative at {t}");
        }
    }

    #[test]
    fn unordered_knots_are_refused() {
        assert!(CubicSpline::natural(vec![0.0, 0.0], vec![Vec3::zeros(), Vec3::x()]).is_err());
        assert!(CubicSpline::closed(vec![0.0, 1.0], vec![Vec3::zeros(), Vec3::x()]).is_err());
    }
}
