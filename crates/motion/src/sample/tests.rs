//! The sampler against closed forms.

use super::spline::{Place, Spline};
use super::*;
use crate::{FrameMotion, Joint, Tracks};
use nalgebra::{SVector, Vector1};
use std::f64::consts::{PI, TAU};

fn chain(links: &[Vec3]) -> Skeleton {
    let joint = |(k, &offset): (usize, &Vec3)| Joint::new(format!("j{k}"), k.checked_sub(1), offset);
    Skeleton::new(links.iter().enumerate().map(joint).collect()).unwrap()
}

/// Samples a rotation per joint given as functions of time.
fn clip_of(joints: &[&dyn Fn(Real) -> Quat], root: &dyn Fn(Real) -> Vec3, rate: Real, frames: usize) -> Clip {
    let times = (0..frames).map(|k| k as Real / rate);
    let rotations = times.clone().flat_map(|t| joints.iter().map(move |q| q(t)).collect::<Vec<_>>()).collect();
    let translations = Tracks { joints: vec![0], values: times.map(root).collect() };
    Clip::new("closed form", rate, joints.len(), rotations, translations, Tracks::default()).unwrap()
}

fn turn(axis: &Vec3, angle: Real) -> Quat {
    Quat::new(axis.normalize() * angle)
}

fn still(_: Real) -> Vec3 {
    Vec3::zeros()
}

/// A swing 0.8 sin(5t) about a fixed axis: errors of angle, velocity and acceleration, largest over `times`.
fn swing_errors(rate: Real, times: &[Real]) -> [Real; 3] {
    let axis = Vec3::new(1.0, 2.0, -0.5).normalize();
    let angle = |t: Real| 0.8 * (5.0 * t).sin();
    let frames = (2.0 * rate) as usize + 1;
    let skeleton = chain(&[Vec3::zeros()]);
    let clip = clip_of(&[&|t| turn(&axis, angle(t))], &still, rate, frames);
    let sampler = Sampler::new(&skeleton, &clip).unwrap();
    let mut worst = [0.0; 3];
    for &t in times {
        let m = sampler.sample(t);
        let errors = [
            m.pose.rotations[0].angle_to(&turn(&axis, angle(t))),
            (m.angular_velocities[0] - axis * (4.0 * (5.0 * t).cos())).norm(),
            (m.angular_accelerations[0] - axis * (-20.0 * (5.0 * t).sin())).norm(),
        ];
        for (w, e) in worst.iter_mut().zip(errors) {
            *w = Real::max(*w, e);
        }
    }
    worst
}

fn orders(times: &[Real]) -> [Real; 3] {
    let (coarse, fine) = (swing_errors(40.0, times), swing_errors(80.0, times));
    std::array::from_fn(|k| (coarse[k] / fine[k]).log2())
}

#[test]
fn a_sinusoidal_joint_converges_with_orders_4_3_2_inside() {
    let times: Vec<Real> = (0..400).map(|k| 0.5 + k as Real * 0.0025).collect();
    let [value, velocity, acceleration] = orders(&times);
    assert!(value > 3.8 && velocity > 2.8 && acceleration > 1.8, "{value} {velocity} {acceleration}");
    let [value, velocity, acceleration] = swing_errors(120.0, &times);
    assert!(value < 1e-6 && velocity < 1e-4 && acceleration < 0.02, "{value} {velocity} {acceleration}");
}

#[test]
fn the_ends_of_a_clip_converge_with_orders_4_3_2_as_well() {
    // Within the first coarse interval, ends included.
    let times: Vec<Real> = (0..=20).map(|k| k as Real * 0.025 / 20.0).collect();
    let [value, velocity, acceleration] = orders(&times);
    assert!(value > 3.5 && velocity > 2.7 && acceleration > 1.7, "{value} {velocity} {acceleration}");
    let at_end = orders(&[2.0]);
    assert!(at_end[1] > 2.7 && at_end[2] > 1.7, "{at_end:?}");
}

#[test]
fn a_constant_spin_has_constant_velocity_and_no_acceleration() {
    let axis = Vec3::new(0.3, -1.0, 0.2).normalize();
    let skeleton = chain(&[Vec3::zeros()]);
    let clip = clip_of(&[&|t| turn(&axis, 7.0 * t)], &still, 60.0, 121);
    let sampler = Sampler::new(&skeleton, &clip).unwrap();
    for k in 0..=400 {
        let t = k as Real * 0.005;
        let m = sampler.sample(t);
        assert!(m.pose.rotations[0].angle_to(&turn(&axis, 7.0 * t)) < 1e-5);
        assert!((m.angular_velocities[0] - axis * 7.0).norm() < 2e-4);
        assert!(m.angular_accelerations[0].norm() < 0.1);
    }
}

/// A cone: the axis of spin itself turns. q = Ry(at) Rx(b), so ω = a ŷ and the body axis circles.
/// With a further spin c about the own axis, ω = a ŷ + c Ry(at) Rx(b) ẑ and α = a ŷ × that.
#[test]
fn conical_motion_matches_its_closed_form() {
    let (a, b, c) = (3.0, 0.6, 2.0);
    let lean = move |t: Real| turn(&Vec3::y(), a * t) * turn(&Vec3::x(), b);
    let skeleton = chain(&[Vec3::zeros()]);
    let clip = clip_of(&[&|t| lean(t) * turn(&Vec3::z(), c * t)], &still, 120.0, 241);
    let sampler = Sampler::new(&skeleton, &clip).unwrap();
    for k in 1..200 {
        let t = k as Real * 0.00997;
        let m = sampler.sample(t);
        let own = lean(t) * Vec3::z() * c;
        assert!((m.angular_velocities[0] - Vec3::y() * a - own).norm() < 1e-4);
        assert!((m.angular_accelerations[0] - (Vec3::y() * a).cross(&own)).norm() < 1e-2);
    }
}

#[test]
fn the_motion_is_twice_continuously_differentiable_across_samples() {
    let skeleton = chain(&[Vec3::zeros(), Vec3::x()]);
    let rough = |t: Real| turn(&Vec3::new((31.0 * t).sin(), (17.0 * t).cos(), 1.0), 1.3 * (23.0 * t).sin());
    let clip = clip_of(&[&rough, &rough], &|t| Vec3::new((9.0 * t).sin(), t, 0.0), 30.0, 40);
    for looping in [Looping::Once, Looping::Return, Looping::Travel] {
        let sampler = Sampler::looping(&skeleton, &clip, looping).unwrap();
        let seam = if looping == Looping::Once { 39 } else { 100 };
        for k in 1..seam {
            let (t, e) = (k as Real / 30.0, 1e-9);
            let (before, after) = (sampler.sample(t - e), sampler.sample(t + e));
            for j in 0..2 {
                assert!((before.angular_velocities[j] - after.angular_velocities[j]).norm() < 1e-4);
                assert!((before.angular_accelerations[j] - after.angular_accelerations[j]).norm() < 1e-2);
            }
            assert!((before.velocities[0] - after.velocities[0]).norm() < 1e-5);
            assert!((before.accelerations[0] - after.accelerations[0]).norm() < 1e-3);
        }
    }
}

/// Turns of 60° to 170° from sample to sample: |s| is far from 1 in between, and the derivatives still are exact.
#[test]
fn wild_rotations_have_exact_derivatives() {
    let skeleton = chain(&[Vec3::zeros()]);
    let wild = |t: Real| turn(&Vec3::new((7.0 * t).sin(), (5.0 * t).cos(), (11.0 * t).sin()), 2.5 * (13.0 * t).sin());
    let clip = clip_of(&[&wild], &still, 10.0, 30);
    let sampler = Sampler::new(&skeleton, &clip).unwrap();
    let h = 1e-6;
    for k in 1..280 {
        let t = k as Real * 0.01013;
        let (before, now, after) = (sampler.sample(t - h), sampler.sample(t), sampler.sample(t + h));
        let spin = (after.pose.rotations[0] * before.pose.rotations[0].inverse()).scaled_axis() / (2.0 * h);
        assert!((now.angular_velocities[0] - spin).norm() < 1e-6 * (1.0 + spin.norm()));
        let change = (after.angular_velocities[0] - before.angular_velocities[0]) / (2.0 * h);
        assert!((now.angular_accelerations[0] - change).norm() < 1e-4 * (1.0 + change.norm()));
    }
}

#[test]
fn samples_are_met_and_flipped_quaternions_change_nothing() {
    let skeleton = chain(&[Vec3::zeros()]);
    let clip = clip_of(&[&|t| turn(&Vec3::new(1.0, t, 0.0), 9.0 * t)], &still, 30.0, 50);
    let flipped: Vec<Quat> = (0..50)
        .map(|f| {
            let q = clip.rotations(f)[0];
            if f % 3 == 1 || f > 40 { Quat::new_unchecked(-q.into_inner()) } else { q }
        })
        .collect();
    let other = Clip::new("", 30.0, 1, flipped, clip.translations().clone(), Tracks::default()).unwrap();
    let (a, b) = (Sampler::new(&skeleton, &clip).unwrap(), Sampler::new(&skeleton, &other).unwrap());
    for k in 0..500 {
        let t = k as Real * 0.0032;
        let (a, b) = (a.sample(t), b.sample(t));
        assert!(a.pose.rotations[0].angle_to(&b.pose.rotations[0]) < 1e-12);
        assert!((a.angular_velocities[0] - b.angular_velocities[0]).norm() < 1e-9);
        assert!((a.angular_accelerations[0] - b.angular_accelerations[0]).norm() < 1e-7);
    }
    for f in 0..50 {
        assert!(a.sample(f as Real / 30.0).pose.rotations[0].angle_to(&clip.rotations(f)[0]) < 1e-12);
    }
}

/// Planar two-link arm, lengths 1 and 0.7, absolute angles A = sin 3t and B = A + cos 2t.
fn two_links() -> (Skeleton, Sampler) {
    let skeleton = chain(&[Vec3::new(0.0, 1.0, 0.0), Vec3::x(), Vec3::x() * 0.7]);
    let first = |t: Real| turn(&Vec3::z(), (3.0 * t).sin());
    let second = |t: Real| turn(&Vec3::z(), (2.0 * t).cos());
    let root = |t: Real| Vec3::new(0.5 * t * t, 1.0, (4.0 * t).sin());
    let clip = clip_of(&[&first, &second, &|_| Quat::identity()], &root, 240.0, 481);
    let sampler = Sampler::new(&skeleton, &clip).unwrap();
    (skeleton, sampler)
}

#[test]
fn the_tip_of_a_two_link_arm_has_the_closed_form_acceleration() {
    let (skeleton, sampler) = two_links();
    for k in 10..190 {
        let t = k as Real * 0.01003;
        let tip = sampler.sample(t).world(&skeleton)[2];
        // x = cos A, y = sin A and their derivatives, for both links.
        let link = |length: Real, a: Real, a1: Real, a2: Real| {
            let (along, across) = (Vec3::new(a.cos(), a.sin(), 0.0), Vec3::new(-a.sin(), a.cos(), 0.0));
            [along * length, across * (length * a1), across * (length * a2) - along * (length * a1 * a1)]
        };
        let (a, a1, a2) = ((3.0 * t).sin(), 3.0 * (3.0 * t).cos(), -9.0 * (3.0 * t).sin());
        let (b, b1, b2) = (a + (2.0 * t).cos(), a1 - 2.0 * (2.0 * t).sin(), a2 - 4.0 * (2.0 * t).cos());
        let (p, q) = (link(1.0, a, a1, a2), link(0.7, b, b1, b2));
        let root = [
            Vec3::new(0.5 * t * t, 1.0, (4.0 * t).sin()),
            Vec3::new(t, 0.0, 4.0 * (4.0 * t).cos()),
            Vec3::new(1.0, 0.0, -16.0 * (4.0 * t).sin()),
        ];
        assert!((tip.position - root[0] - p[0] - q[0]).norm() < 1e-7);
        assert!((tip.velocity - root[1] - p[1] - q[1]).norm() < 1e-5);
        assert!((tip.acceleration - root[2] - p[2] - q[2]).norm() < 5e-3);
        assert!((tip.angular_velocity - Vec3::z() * b1).norm() < 1e-5);
        assert!((tip.angular_acceleration - Vec3::z() * b2).norm() < 5e-3);
    }
}

/// Velocities are the differences of positions, accelerations those of velocities, whatever moves.
#[test]
fn world_derivatives_agree_with_finite_differences_with_sliding_joints_and_scales() {
    let skeleton = chain(&[Vec3::zeros(), Vec3::x(), Vec3::new(0.2, 0.5, 0.0), Vec3::y()]);
    let (rate, frames) = (60.0, 60);
    let times = (0..frames).map(|k| k as Real / rate);
    let rotations = times
        .clone()
        .flat_map(|t| {
            (0..4).map(move |j| turn(&Vec3::new(1.0, j as Real, (4.0 * t).sin()), (3.0 * t + j as Real).sin()))
        })
        .collect();
    let slide = |t: Real| [Vec3::new(t, (5.0 * t).sin(), 0.0), Vec3::new(0.2 + 0.3 * (6.0 * t).sin(), 0.5, t * t)];
    let translations = Tracks { joints: vec![0, 2], values: times.clone().flat_map(slide).collect() };
    let swell = |t: Real| [Vec3::repeat(1.0 + 0.2 * (4.0 * t).sin()), Vec3::new(1.0, 1.0 + 0.3 * t, 0.8)];
    for scales in [Tracks::default(), Tracks { joints: vec![1, 2], values: times.flat_map(swell).collect() }] {
        let clip = Clip::new("", rate, 4, Clone::clone(&rotations), translations.clone(), scales).unwrap();
        let sampler = Sampler::new(&skeleton, &clip).unwrap();
        let h = 1e-5;
        for t in [0.1, 0.234, 0.5, 0.777] {
            let at = |t: Real| -> Vec<FrameMotion> { sampler.sample(t).world(&skeleton) };
            let (before, now, after) = (at(t - h), at(t), at(t + h));
            let plain = sampler.sample(t).pose.world(&skeleton);
            for j in 0..4 {
                assert!((now[j].position - plain[j].position).norm() < 1e-12);
                let velocity = (after[j].position - before[j].position) / (2.0 * h);
                assert!((now[j].velocity - velocity).norm() < 1e-6 * (1.0 + velocity.norm()));
                let acceleration = (after[j].velocity - before[j].velocity) / (2.0 * h);
                assert!((now[j].acceleration - acceleration).norm() < 1e-5 * (1.0 + acceleration.norm()));
                let spin = (after[j].rotation * before[j].rotation.inverse()).scaled_axis() / (2.0 * h);
                assert!((now[j].angular_velocity - spin).norm() < 1e-6 * (1.0 + spin.norm()));
                let change = (after[j].angular_velocity - before[j].angular_velocity) / (2.0 * h);
                assert!((now[j].angular_acceleration - change).norm() < 1e-5 * (1.0 + change.norm()));
            }
        }
    }
}

#[test]
fn a_point_fixed_in_a_frame_moves_as_a_child_joint_there() {
    let (skeleton, sampler) = two_links();
    let frames = sampler.sample(0.9).world(&skeleton);
    let (velocity, acceleration) = frames[1].point(&(Vec3::x() * 0.7));
    assert!((velocity - frames[2].velocity).norm() < 1e-12);
    assert!((acceleration - frames[2].acceleration).norm() < 1e-11);
}

/// One period of a sinus, looped: as accurate at the seam as elsewhere, unlike anything with ends.
#[test]
fn a_loop_has_no_seam() {
    let skeleton = chain(&[Vec3::zeros()]);
    let angle = |t: Real| 0.9 * (TAU * t).sin();
    let clip = clip_of(&[&|t| turn(&Vec3::x(), angle(t))], &|t| Vec3::y() * (TAU * t).cos(), 40.0, 41);
    let sampler = Sampler::looping(&skeleton, &clip, Looping::Return).unwrap();
    for k in -300..300 {
        let t = k as Real * 0.011;
        let m = sampler.sample(t);
        assert!(m.pose.rotations[0].angle_to(&turn(&Vec3::x(), angle(t))) < 1e-5);
        assert!((m.angular_velocities[0].x - 0.9 * TAU * (TAU * t).cos()).abs() < 1e-3);
        assert!((m.angular_accelerations[0].x + 0.9 * TAU * TAU * (TAU * t).sin()).abs() < 0.1);
        assert!((m.pose.translations[0].y - (TAU * t).cos()).abs() < 1e-5);
        assert!((m.accelerations[0].y + TAU * TAU * (TAU * t).cos()).abs() < 0.1);
    }
}

/// A wheel that makes one full turn per cycle comes back with the other quaternion; the loop must spin on.
#[test]
fn a_full_turn_per_cycle_loops_at_constant_speed() {
    let skeleton = chain(&[Vec3::zeros(), Vec3::x()]);
    let spin = |t: Real| turn(&Vec3::x(), TAU * t);
    let clip = clip_of(&[&|_| Quat::identity(), &spin], &still, 30.0, 31);
    let sampler = Sampler::looping(&skeleton, &clip, Looping::Return).unwrap();
    for k in 0..400 {
        let m = sampler.sample(k as Real * 0.0093);
        assert!((m.angular_velocities[1] - Vec3::x() * TAU).norm() < 1e-3);
        assert!(m.angular_accelerations[1].norm() < 0.05);
    }
}

/// A walk on a circle, bobbing: cycle after cycle, the loop stays on the circle it was cut from.
#[test]
fn a_travelling_loop_walks_on_along_its_circle() {
    // Half a turn per 2 s at radius 3; the hips sit below a root that stands off the centre, turned.
    let stand = turn(&Vec3::x(), -PI / 2.0);
    let mut root = Joint::new("stand", None, Vec3::new(1.0, 0.0, 2.0));
    root.rest = stand;
    let skeleton =
        Skeleton::new(vec![root, Joint::new("hips", Some(0), Vec3::z()), Joint::new("leg", Some(1), -Vec3::y())])
            .unwrap();
    let world = |t: Real| {
        let a = PI * t / 2.0;
        let p = Vec3::new(3.0 * a.sin(), 1.0 + 0.05 * (TAU * t).cos(), 3.0 * a.cos());
        (p, turn(&Vec3::y(), a) * turn(&Vec3::x(), 0.2 * (PI * t).sin()))
    };
    let (rate, frames) = (30.0, 61);
    let (mut rotations, mut values) = (vec![], vec![]);
    for f in 0..frames {
        let (p, q) = world(f as Real / rate);
        rotations.extend([stand, stand.inverse() * q, Quat::identity()]);
        values.push(stand.inverse() * (p - Vec3::new(1.0, 0.0, 2.0)));
    }
    let translations = Tracks { joints: vec![1], values };
    let clip = Clip::new("circle", rate, 3, rotations, translations, Tracks::default()).unwrap();
    let sampler = Sampler::looping(&skeleton, &clip, Looping::Travel).unwrap();
    assert!((sampler.travel().yaw.abs() - PI).abs() < 1e-9);
    for k in -200..600 {
        let t = k as Real * 0.0371;
        let hips = sampler.sample(t).world(&skeleton)[1];
        let (p, q) = world(t);
        assert!((hips.position - p).norm() < 1e-4, "{t}: {:?} {p:?}", hips.position);
        assert!(hips.rotation.angle_to(&q) < 1e-4);
        let e = 1e-5;
        let velocity = (world(t + e).0 - world(t - e).0) / (2.0 * e);
        assert!((hips.velocity - velocity).norm() < 1e-3);
    }
    let far = sampler.sample(1e7 + 0.5).world(&skeleton)[1];
    assert!((far.position - world(1e7 % 4.0 + 0.5).0).norm() < 1e-3);
}

#[test]
fn outside_a_clip_played_once_the_figure_stands_in_the_end_posture() {
    let (skeleton, sampler) = two_links();
    for (t, end) in [(-3.0, 0.0), (99.0, sampler.duration()), (Real::NAN, 0.0)] {
        let (m, expected) = (sampler.sample(t), sampler.sample(end));
        assert_eq!(m.pose, expected.pose);
        if !t.is_nan() {
            assert!(m.world(&skeleton).iter().all(|f| f.velocity.norm() == 0.0 && f.acceleration.norm() == 0.0));
        }
        assert!(expected.angular_velocities[0].norm() > 0.1);
    }
}

#[test]
fn one_two_and_three_samples_give_constant_line_and_parabola() {
    let line = |values: &[Real]| {
        let rows = values.iter().map(|&v| Vector1::new(v)).collect();
        Spline::open(rows, 1, 0.5)
    };
    let at = |s: &Spline<1>, row, u| s.jet(Place { row, u }, 0);
    let jet = at(&line(&[3.0]), 0, 0.0);
    assert_eq!((jet.value.x, jet.velocity.x, jet.acceleration.x), (3.0, 0.0, 0.0));
    let jet = at(&line(&[1.0, 2.0]), 0, 0.25);
    assert_eq!((jet.value.x, jet.velocity.x, jet.acceleration.x), (1.25, 2.0, 0.0));
    // y = 4 t² at t = 0, ½, 1.
    for (row, u, t) in [(0, 0.3, 0.15), (1, 0.5, 0.75)] {
        let jet = at(&line(&[0.0, 1.0, 4.0]), row, u);
        assert!((jet.value.x - 4.0 * t * t).abs() < 1e-12 && (jet.velocity.x - 8.0 * t).abs() < 1e-12);
        assert!((jet.acceleration.x - 8.0).abs() < 1e-12);
    }
}

/// Not-a-knot splines reproduce every cubic; four samples already fix one.
#[test]
fn an_open_spline_reproduces_cubics_of_any_length() {
    let cubic = |t: Real| 2.0 * t * t * t - t * t + 0.5 * t - 1.0;
    for rows in 4..12 {
        let values = (0..rows).map(|k| Vector1::new(cubic(k as Real * 0.2))).collect();
        let spline = Spline::open(values, 1, 0.2);
        for row in 0..rows - 1 {
            let t = (row as Real + 0.37) * 0.2;
            let jet = spline.jet(Place { row, u: 0.37 }, 0);
            assert!((jet.value.x - cubic(t)).abs() < 1e-12, "{rows} rows");
            assert!((jet.velocity.x - (6.0 * t * t - 2.0 * t + 0.5)).abs() < 1e-11);
            assert!((jet.acceleration.x - (12.0 * t - 2.0)).abs() < 1e-10);
        }
    }
}

/// The claim of the module: with neighbours at most 90° apart on the sphere, |s| > 0.3 everywhere and about 0.5 far from
/// the ends (so also in loops, which have none: their continuation into other cycles keeps all lengths).
/// Each sample's weight at an instant is the spline through a 1 in its place and 0 elsewhere.
#[test]
fn the_quaternion_spline_never_comes_near_zero() {
    const ROWS: usize = 24;
    let (mut least, mut least_inside) = (Real::MAX, Real::MAX);
    for rows in 2..=ROWS {
        let unit = |row: usize| SVector::<Real, ROWS>::from_fn(|k, _| if k == row { 1.0 } else { 0.0 });
        let spline = Spline::open((0..rows).map(unit).collect(), 1, 1.0);
        for row in 0..rows - 1 {
            for k in 0..=20 {
                let weights = spline.jet(Place { row, u: k as Real / 20.0 }, 0).value;
                let near = Real::hypot(weights[row], weights[row + 1]);
                let others = weights.abs().sum() - weights[row].abs() - weights[row + 1].abs();
                least = least.min(near - others);
                if rows == ROWS && row == ROWS / 2 {
                    least_inside = least_inside.min(near - others);
                }
            }
        }
    }
    assert!(least > 0.3 && least_inside > 0.49, "{least} {least_inside}");
}

#[test]
fn a_clip_for_another_skeleton_or_without_frames_is_refused() {
    let skeleton = chain(&[Vec3::zeros(), Vec3::x()]);
    let clip = clip_of(&[&|_| Quat::identity()], &still, 30.0, 3);
    assert_eq!(Sampler::new(&skeleton, &clip).unwrap_err(), ClipError::Joints { found: 1, expected: 2 });
    let empty = Clip::new("", 30.0, 2, vec![], Tracks::default(), Tracks::default()).unwrap();
    assert_eq!(Sampler::new(&skeleton, &empty).unwrap_err(), ClipError::NoFrames);
}
