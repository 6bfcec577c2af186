//! A gait that its feet can carry.
//!
//! Drawn by joint angles alone, a walk asks the ground for forces that feet cannot give: the point where the ground would have to
//! push lies beside them. How the body above the legs moves decides that, so the chest is tilted a little further, over and over
//! the same in each cycle. A tilt θ of the share s of the weight, r above the hips and h above the ground, moves the point by
//!
//!   s (r θ − (r h + k²) θ̈ / g),
//!
//! k being its radius of gyration, which in harmonics is a number for each. Step by step the chest is tilted by what brings the
//! point into the polygon of the feet, until it is there in every frame. Legs, hips and prints stay as they are drawn.

use super::body::{Body, SIDES};
use super::clip::RATE;
use super::curve::Fourier;
use super::gait::Gait;
use sinew::dynamics::Placement;
use sinew::figure::Figure;
use sinew::motion::Pose;
use sinew::{Quat, Real, Vec3};
use std::f64::consts::TAU;

/// m/s².
const GRAVITY: Real = 9.81;
/// What is tilted, about: share of the weight; over the standing height its own above the hips and above the ground, and its
/// radius of gyration. It need not be exact: what it leaves, the next step takes.
const TILTED: Real = 0.6;
const ABOVE_HIPS: Real = 0.17;
const ABOVE_GROUND: Real = 0.71;
const GYRATION: Real = 0.14;
/// Sole points lower than this are on the ground, metres.
const DOWN: Real = 0.3e-3;
/// Half of the width that is trusted to carry, metres: at the heel, the ball, the tip.
const HALF_WIDTH: [Real; 3] = [0.02, 0.025, 0.015];
/// Harmonics of the tilt.
const HARMONICS: usize = 10;
/// Share of what is missing that a round is to bring.
const STEP: Real = 0.7;
/// Rounds of correction. They end for good where all is carried.
const ROUNDS: usize = 300;
/// As near as this is inside, metres.
const INSIDE: Real = 2e-4;

/// A point of the ground: x, and z against the steady travel.
type Spot = [Real; 2];

/// The tilt of the chest over one cycle, to the right and forwards, radians; `frames` poses are one cycle.
pub fn tilt<'a>(
    body: &'a Body,
    figure: &Figure,
    frames: usize,
    gait: impl Fn([Fourier; 2]) -> Gait<'a>,
) -> [Fourier; 2] {
    let mut harmonics = vec![[(0.0, 0.0); 2]; HARMONICS + 1];
    for _ in 0..ROUNDS {
        let gait = gait(of(&harmonics));
        let missing = missing(body, figure, frames, &gait);
        let most = missing.iter().map(|m| m[0].hypot(m[1])).fold(0.0, Real::max);
        if most < INSIDE {
            break;
        }
        for (k, harmonic) in harmonics.iter_mut().enumerate() {
            let angle = |t: usize| TAU * (k * t % frames) as Real / frames as Real;
            let rate = TAU * k as Real * RATE / frames as Real;
            // Harmonics bring it with small tilts; a lean that lasts is taken only for what they leave.
            let share = if k == 0 { 0.2 } else { 2.0 } / frames as Real;
            let [arm, up, spread] = [ABOVE_HIPS, ABOVE_GROUND, GYRATION].map(|part| part * body.height);
            let moves = TILTED * (arm + (arm * up + spread * spread) * rate * rate / GRAVITY);
            for (axis, (cosine, sine)) in harmonic.iter_mut().enumerate() {
                // Leaning to the right is towards −x.
                let gain = STEP * share / if axis == 0 { -moves } else { moves };
                *cosine += gain * missing.iter().enumerate().map(|(t, m)| m[axis] * angle(t).cos()).sum::<Real>();
                *sine += gain * missing.iter().enumerate().map(|(t, m)| m[axis] * angle(t).sin()).sum::<Real>();
            }
        }
    }
    of(&harmonics)
}

fn of(harmonics: &[[(Real, Real); 2]]) -> [Fourier; 2] {
    [0, 1].map(|axis| {
        let own = |harmonic: &[(Real, Real); 2]| harmonic[axis];
        Fourier::new(own(&harmonics[0]).0, harmonics[1..].iter().map(own).collect())
    })
}

/// For each frame: the way from where the ground would have to push to where the feet are, metres.
fn missing(body: &Body, figure: &Figure, frames: usize, gait: &Gait) -> Vec<Spot> {
    let poses: Vec<Pose> =
        (0..frames + 2).map(|t| gait.posture((t as Real - 1.0) / frames as Real).solve(body)).collect();
    let placed: Vec<Vec<Placement>> = poses.iter().map(|pose| figure.placements(pose)).collect();
    (1..=frames)
        .map(|t| {
            let [x, z] = pressure(figure, [&placed[t - 1], &placed[t], &placed[t + 1]]);
            let mut standing = standing(body, &poses[t]);
            let near = nearest(&hull(&mut standing), [x, z]);
            [near[0] - x, near[1] - z]
        })
        .collect()
}

/// Where the ground, at y = 0, would have to push to move a figure so: three frames, the one in the middle.
fn pressure(figure: &Figure, [before, now, after]: [&Vec<Placement>; 3]) -> Spot {
    let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
    for (k, segment) in figure.segments().iter().enumerate() {
        let centre = |placed: &[Placement]| placed[k].point(&segment.centre);
        let rate = (centre(after) - centre(now) * 2.0 + centre(before)) * (RATE * RATE);
        let push = (rate + Vec3::y() * GRAVITY) * segment.mass.mass;
        let turn = |from: &Quat, to: &Quat| (to * from.inverse()).scaled_axis() * RATE;
        let spins = [(before, now), (now, after)].map(|(a, b)| turn(&a[k].rotation, &b[k].rotation));
        let (spin, spin_rate) = (0.5 * (spins[0] + spins[1]), (spins[1] - spins[0]) * RATE);
        let own = now[k].rotation;
        let times = |v: &Vec3| own * (segment.mass.inertia * own.inverse_transform_vector(v));
        force += push;
        moment += centre(now).cross(&push) + times(&spin_rate) + spin.cross(&times(&spin));
    }
    [moment.z / force.y, -moment.x / force.y]
}

/// The corners of all soles that are on the ground.
fn standing(body: &Body, pose: &Pose) -> Vec<Spot> {
    let frames = pose.world(&body.skeleton);
    let shape = &body.foot;
    let mut corners = Vec::new();
    for side in SIDES {
        let [_, _, foot, toes] = body.legs[side as usize].map(|joint| &frames[joint]);
        let heel = foot.position + foot.rotation * Vec3::new(0.0, -shape.ankle_height, -shape.heel_back);
        let ball = toes.position + toes.rotation * Vec3::new(0.0, -shape.ball_height, 0.0);
        let tip = toes.position + toes.rotation * Vec3::new(0.0, -shape.ball_height, shape.toes);
        for ((point, across), half) in [(heel, foot), (ball, toes), (tip, toes)].into_iter().zip(HALF_WIDTH) {
            if point.y < DOWN {
                let across = across.rotation * Vec3::new(half, 0.0, 0.0);
                corners.extend([point - across, point + across].map(|corner| [corner.x, corner.z]));
            }
        }
    }
    corners
}

fn turn(o: &Spot, a: &Spot, b: &Spot) -> Real {
    (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
}

/// The corners of the convex hull, one after the other.
fn hull(points: &mut [Spot]) -> Vec<Spot> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut hull: Vec<Spot> = Vec::new();
    let there = 0..points.len();
    for (half, order) in [there.clone().collect::<Vec<_>>(), there.rev().collect()].into_iter().enumerate() {
        let start = if half == 0 { 0 } else { hull.len() - 1 };
        for k in order {
            while hull.len() >= start + 2 && turn(&hull[hull.len() - 2], &hull[hull.len() - 1], &points[k]) <= 0.0 {
                hull.pop();
            }
            hull.push(points[k]);
        }
    }
    hull
}

/// The point of a convex polygon that is nearest to another; that point itself if it is inside.
fn nearest(hull: &[Spot], point: Spot) -> Spot {
    if hull.len() > 3 && hull.windows(2).all(|edge| turn(&edge[0], &edge[1], &point) >= 0.0) {
        return point;
    }
    let on = |edge: &[Spot]| {
        let [a, b] = [edge[0], edge[1]];
        let (way, off) = ([b[0] - a[0], b[1] - a[1]], [point[0] - a[0], point[1] - a[1]]);
        let length = way[0] * way[0] + way[1] * way[1];
        let share = ((way[0] * off[0] + way[1] * off[1]) / length.max(1e-12)).clamp(0.0, 1.0);
        [a[0] + share * way[0], a[1] + share * way[1]]
    };
    let apart = |spot: &Spot| (spot[0] - point[0]).hypot(spot[1] - point[1]);
    hull.windows(2).map(on).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(point)
}
