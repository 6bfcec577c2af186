//! Derivatives and forces.

use super::super::body::{self, Body, Places, Sums};
use super::super::forces::{Amounts, Demand, Edges};
use super::super::problem::Motion;
use super::super::result::PartialSolution;
use super::super::weights::Weights;
use super::super::window::{Piece, Track};
use super::*;
use crate::math::Vec6;
use crate::measure::ConeFit;

fn waves(count: usize, size: Real) -> Vec<Real> {
    (0..count).map(|k| size * (1.7 * k as Real + 0.3 * (k * k % 17) as Real).sin()).collect()
}

/// Everything that an optimiser believes about its cost is in the gradient: along some direction it must be the
/// difference quotient of the cost.
#[test]
fn the_gradient_is_that_of_the_cost() {
    let (figure, clip) = walk();
    let plan = measured_plan(&figure, &clip);
    for looped in [false, true] {
        let solve =
            Solve { figure: &figure, clip: &clip, plan: &plan, options: SolveOptions { looped, ..Default::default() } };
        let body = Body::new(&figure, &vec![true; figure.segments().len()], true);
        let weights = Weights::new(&figure, &body, 1.0, clip.rate_hz());
        let track = Track::new(&solve, &body, &weights);
        let piece = match looped {
            true => Piece { from: 0, to: clip.frames() - 1, fixed: 0, keep: clip.frames() - 1, tail: 0 },
            false => Piece { from: 3, to: 13, fixed: 2, keep: 13, tail: 0 },
        };
        let problem = track.problem(&piece, &PartialSolution::new(clip.frames(), plan.interval_count(), &body));
        let count = problem.frames.len() * body.unknowns;
        let demand = Demand { residual: 0.1, barrier: 1e-3, firmness: 0.3 };
        let at = |x: Vec<Real>| {
            let mut motion = Motion { x, ..Motion::default() };
            problem.evaluate(&mut motion, &demand);
            motion
        };
        let x = waves(count, 0.02);
        let mut direction = waves(count, 1.0);
        direction[..piece.fixed * body.unknowns].fill(0.0);
        let motion = at(x.clone());
        let mut equations = problem.equations();
        problem.assemble(&motion, &demand, 0.0, &mut equations, |_, _, _| Ok(())).unwrap();
        let width = equations.band.width();
        let free = direction.chunks(body.unknowns).skip(piece.fixed);
        let slope: Real = free
            .zip(equations.right.chunks(width))
            .map(|(d, g)| -2.0 * d.iter().zip(g).map(|(d, g)| d * g).sum::<Real>())
            .sum();
        let step = 1e-6;
        let along = |sign: Real| at(x.iter().zip(&direction).map(|(x, d)| x + sign * step * d).collect()).cost;
        let quotient = (along(1.0) - along(-1.0)) / (2.0 * step);
        assert!((slope - quotient).abs() < 1e-4 * quotient.abs(), "loop {looped}: {slope} instead of {quotient}");
    }
}

/// ∂w/∂x of all three frames against differences of w.
#[test]
fn derivatives_of_the_wrench_are_its_differences() {
    let (figure, clip) = walk();
    let body = Body::new(&figure, &vec![true; figure.segments().len()], true);
    let mut held = Vec::new();
    for frame in 4..7 {
        body.relative_joints(&figure.placements(&clip.pose(figure.skeleton(), frame)), &mut held);
    }
    let (n, parts) = (body.unknowns, body.parts.len());
    let x = waves(3 * n, 0.2);
    let places = |x: &[Real]| {
        [0, 1, 2].map(|k| {
            let mut places = Places::default();
            places.set(&body, &held[k * parts..(k + 1) * parts], 0.4, &x[k * n..(k + 1) * n]);
            places
        })
    };
    let origin = Vec3::new(0.1, 0.9, 0.2);
    let wrench = |x: &[Real]| {
        let [before, now, after] = &places(x);
        body::wrench(&body, &body::Moment { before, now, after, origin, step: 1.0 / 30.0 })
    };
    let [before, now, after] = &places(&x);
    let mut out = [(); 3].map(|()| vec![0.0; 6 * n]);
    let [b, c, a] = &mut out;
    let moment = body::Moment { before, now, after, origin, step: 1.0 / 30.0 };
    body::derivatives(&body, &moment, &mut Sums::default(), [b, c, a], n);
    for frame in 0..3 {
        for column in 0..n {
            let shifted = |sign: Real| {
                let mut x = x.clone();
                x[frame * n + column] += sign * 1e-5;
                wrench(&x)
            };
            let quotient = (shifted(1.0) - shifted(-1.0)) / 2e-5;
            let found = Vec6::from_fn(|row, _| out[frame][row * n + column]);
            let error = (found - quotient).norm();
            assert!(error < 1e-6 * (1.0 + quotient.norm()), "frame {frame}, {column}: {found} instead of {quotient}");
        }
    }
}

/// The residual is zero where the ground can supply the wrench. Elsewhere it is that of an independent fit to the round
/// cones, but for the pyramid inside of the cone.
#[test]
fn eliminated_forces_leave_what_an_independent_fit_leaves() {
    let arms: Vec<Vec3> =
        [(-0.1, 0.05), (-0.1, 0.1), (0.08, 0.05), (0.08, 0.12)].iter().map(|&(x, z)| Vec3::new(x, -0.55, z)).collect();
    let friction = 0.8;
    let mut edges = Edges::default();
    arms.iter().for_each(|arm| edges.add(arm, &Vec3::y(), friction, 1.0));
    let demand = Demand { residual: 1e-4, barrier: 1e-7, firmness: 1.0 };
    for (wanted, within) in [
        (Vec6::new(0.05, 1.1, -0.1, -0.02, 0.01, 0.03), 2e-3),
        (Vec6::new(0.0, 1.0, 0.0, 0.3, 0.0, 0.0), 2e-3),
        (Vec6::new(0.0, -0.5, 0.0, 0.0, 0.0, 0.0), 2e-3),
        (Vec6::new(1.5, 1.0, 0.0, 0.0, 0.0, 0.4), 0.1),
    ] {
        let response = edges.response(&wanted, &demand, &mut Amounts::default());
        let left = ConeFit::default().solve(&wanted, arms.iter().copied(), friction);
        assert!(
            (response.left.norm() - left.norm()).abs() < within,
            "{} instead of {}",
            response.left.norm(),
            left.norm()
        );
    }
}

/// ∇φ = 2 r/σ² and ∇²φ = 2 S.
#[test]
fn the_precision_of_the_ground_is_the_curvature_of_its_cost() {
    let mut edges = Edges::default();
    for (x, z) in [(-0.1, 0.05), (0.1, 0.05), (0.0, 0.15)] {
        edges.add(&Vec3::new(x, -0.5, z), &Vec3::new(0.1, 1.0, 0.0).normalize(), 0.6, 0.7);
    }
    let demand = Demand { residual: 0.05, barrier: 1e-3, firmness: 1.0 };
    let wanted = Vec6::new(0.1, 0.9, 0.05, 0.02, 0.0, -0.03);
    let response = |w: &Vec6| edges.response(w, &demand, &mut Amounts::default());
    let slope = |w: &Vec6| response(w).left * (2.0 / demand.residual.powi(2));
    for axis in 0..6 {
        let step = Vec6::from_fn(|row, _| if row == axis { 1e-4 } else { 0.0 });
        let (more, less) = (wanted + step, wanted - step);
        let quotient = (response(&more).value - response(&less).value) / 2e-4;
        assert!((quotient - slope(&wanted)[axis]).abs() < 1e-4 * (1.0 + quotient.abs()));
        let bend = (slope(&more) - slope(&less)) / 2e-4;
        let expected = response(&wanted).precision.column(axis) * 2.0;
        assert!((bend - expected).norm() < 1e-3 * (1.0 + expected.norm()), "{bend} instead of {expected}");
    }
}
