//! Curves over time.

use crate::dynamics::CubicSpline;
use crate::math::jet::Jet;
use crate::math::{Real, Vec3};

/// Value over time. Before the first and after the last point it is constant, or it repeats.
#[derive(Clone, Debug)]
pub struct TimeCurve {
    times: Vec<Real>,
    values: Vec<Real>,
    spline: Option<CubicSpline>,
    repeats: bool,
}

impl TimeCurve {
    /// Creates a curve through points at ascending times: straight lines, or a cubic spline.
    pub fn new(points: &[[Real; 2]], smooth: bool, repeats: bool) -> Result<Self, String> {
        if points.is_empty() {
            return Err("a curve needs at least one point".into());
        }
        if !points.iter().flatten().all(|x| x.is_finite()) {
            return Err("a curve needs finite numbers".into());
        }
        if let Some(at) = points.windows(2).position(|pair| pair[0][0] >= pair[1][0]) {
            return Err(format!(
                "the times of a curve rise from point to point, but {} s comes behind {} s",
                points[at + 1][0],
                points[at][0]
            ));
        }
        let (times, values): (Vec<Real>, Vec<Real>) = points.iter().map(|p| (p[0], p[1])).unzip();
        let spline = if smooth && points.len() > 1 {
            let knots = values.iter().map(|v| Vec3::new(*v, 0.0, 0.0)).collect();
            Some(CubicSpline::natural(times.clone(), knots).map_err(|error| error.to_string())?)
        } else {
            None
        };
        Ok(Self { times, values, spline, repeats })
    }

    /// Value at a time with its derivatives.
    pub fn at(&self, time: Real) -> Jet {
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let time = if self.repeats && last > first { first + (time - first).rem_euclid(last - first) } else { time };
        if time <= first {
            return Jet::constant(self.values[0]);
        }
        if time >= last {
            return Jet::constant(self.values[self.values.len() - 1]);
        }
        if let Some(spline) = &self.spline {
            let (value, rate, second) = spline.sample(time);
            return Jet { value: value.x, rate: rate.x, second: second.x };
        }
        let k = self.times.partition_point(|t| *t <= time).clamp(1, self.times.len() - 1);
        let slope = (self.values[k] - self.values[k - 1]) / (self.times[k] - self.times[k - 1]);
        Jet { value: self.values[k - 1] + slope * (time - self.times[k - 1]), rate: slope, second: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_pass_their_points_and_hold_their_ends() {
        let points = [[0.0, 1.0], [1.0, 3.0], [3.0, -1.0]];
        for smooth in [false, true] {
            let curve = TimeCurve::new(&points, smooth, false).expect("a curve");
            for [t, v] in points {
                assert!((curve.at(t).value - v).abs() < 1e-12, "{t}");
            }
            assert_eq!(curve.at(-5.0).value, 1.0);
            assert_eq!(curve.at(9.0), Jet::constant(-1.0));
        }
        let again = TimeCurve::new(&points, false, true).expect("a curve");
        assert_eq!(again.at(3.5).value, again.at(0.5).value);
        assert_eq!(again.at(0.5).rate, 2.0);
        assert!(TimeCurve::new(&[[1.0, 0.0], [1.0, 2.0]], false, false).is_err());
    }
}
