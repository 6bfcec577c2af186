//! Trajectories: a figure without muscles, led by markers.

use super::scenes::Captured;
use sinew::control::{Animation, Gains, MarkerController, RootAxis};
use sinew::dynamics::World;
use sinew::simulation::{Actor, ActorSettings};
use sinew::{Real, Vec3};

/// Three markers a segment, not in a line, metres from the segment's centre.
const SPREAD: [Vec3; 3] = [Vec3::new(0.06, 0.0, 0.0), Vec3::new(-0.03, 0.05, 0.0), Vec3::new(-0.03, -0.02, 0.06)];

/// Numbers of a normal distribution, the same every time.
struct Noise(u64);

impl Noise {
    fn unit(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as Real / (1u64 << 53) as Real
    }

    /// The sum of twelve even numbers is normal enough.
    fn normal(&mut self) -> Real {
        (0..12).map(|_| self.unit()).sum::<Real>() - 6.0
    }
}

struct Led {
    /// RMS distance of the markers from where the motion has them, metres.
    place: Real,
    /// RMS angle of the joints against those of the motion, radians.
    angle: Real,
    /// Largest distance of the segment whose marker is hidden, metres.
    hidden: Real,
}

/// Leads the captured of a clip for a second and a half by markers with noise, frame by frame as captures come. From 0.5 s to
/// 1 s one marker of `hide` is not seen.
fn led(clip: &str, sigma: Real, hide: Option<usize>) -> Led {
    let captured = Captured::of(clip);
    let (figure, rate) = (&captured.figure, captured.clip.rate_hz());
    let animation = Animation::new(figure.skeleton(), &captured.clip).expect("frames");
    let mut world = World::new();
    world.gravity = Vec3::zeros();
    let free = RootAxis { on: false, ..RootAxis::default() };
    let settings = ActorSettings { root: [free; 6], ..ActorSettings::default() };
    let mut actor = Actor::place(&mut world, figure, &animation.sample(0.0), &settings).expect("an actor");
    let count = figure.segments().len();
    (0..count).for_each(|k| actor.set_strength(k, 0.0));
    // One pair of numbers for all markers.
    let (mass, gains) = (figure.mass() / (3 * count) as Real, Gains::critical(20.0));
    let mut markers: Vec<(usize, Vec3, MarkerController)> = Vec::new();
    for k in 0..count {
        for spread in SPREAD {
            let body = actor.instance().bodies[k];
            let marker =
                MarkerController::new(&mut world, body, spread, mass, gains, Real::INFINITY).expect("a marker");
            markers.push((k, figure.segment(k).centre + spread, marker));
        }
    }
    // What a camera would have seen: places at the frames, with noise.
    let frames = (1.5 * rate) as usize + 8;
    let mut noise = Noise(7);
    let (mut joints, mut motions) = (Vec::new(), Vec::new());
    let mut seen: Vec<Vec<Vec3>> = Vec::new();
    for frame in 0..frames {
        figure.motions_into(&animation.sample(frame as Real / rate), &mut joints, &mut motions);
        figure.close_joints_moving(&mut motions);
        seen.push(
            markers
                .iter()
                .map(|(k, point, _)| {
                    let shake = Vec3::new(noise.normal(), noise.normal(), noise.normal()) * sigma;
                    motions[*k].position + motions[*k].rotation * point + shake
                })
                .collect(),
        );
    }
    let step = 1.0 / 240.0;
    let mut wanted = animation.buffer();
    let (mut squares, mut angles, mut places, mut turns, mut hidden) = (0.0, 0.0, 0, 0, 0.0);
    while world.time() < 1.5 {
        let time = world.time() + step;
        animation.sample_into(time, &mut wanted);
        actor.aim(&mut world, &wanted, step).expect("a sound target");
        let at = time * rate;
        let frame = (at.floor() as usize).min(frames - 2);
        for (m, (k, _, marker)) in markers.iter().enumerate() {
            let (before, after) = (seen[frame][m], seen[frame + 1][m]);
            // The speed over a few frames: that between two of them would be noise alone.
            let (first, last) = (frame.saturating_sub(2), (frame + 3).min(frames - 1));
            let speed = (seen[last][m] - seen[first][m]) * (rate / (last - first) as Real);
            marker.aim(&mut world, time, before.lerp(&after, at - frame as Real), speed);
            let away = Some(*k) == hide && m % 3 == 0 && (0.5..1.0).contains(&time);
            marker.set_on(&mut world, !away);
        }
        world.step(step).expect("a finite step");
        // From where the motion has it: `wanted` of the actor is at the end of this step.
        let motions = actor.wanted();
        let bodies = &actor.instance().bodies;
        for (k, point, marker) in &markers {
            let off = marker.position(&world) - (motions[*k].position + motions[*k].rotation * point);
            squares += off.norm_squared();
            places += 1;
            if Some(*k) == hide {
                hidden = off.norm().max(hidden);
            }
        }
        for (k, segment) in figure.segments().iter().enumerate() {
            let Some(parent) = segment.parent else { continue };
            let is = |k: usize| world.state(bodies[k]).placement.rotation;
            let turn =
                (is(parent).inverse() * is(k)).angle_to(&(motions[parent].rotation.inverse() * motions[k].rotation));
            angles += turn * turn;
            turns += 1;
        }
    }
    Led { place: (squares / places as Real).sqrt(), angle: (angles / turns as Real).sqrt(), hidden }
}

#[test]
fn clean_markers_lead_within_five_millimetres_and_half_a_degree() {
    let clean = led("walk", 0.0, None);
    assert!(clean.place < 5e-3, "{} m", clean.place);
    assert!(clean.angle.to_degrees() < 0.5, "{}°", clean.angle.to_degrees());
}

/// Joints and inertia average: 5 mm of noise along every axis (8.7 mm in space) come out as less than 7.5 mm.
#[test]
fn noise_of_five_millimetres_is_softened_by_joints_and_inertia() {
    let noisy = led("walk", 5e-3, None);
    assert!(noisy.place < 7.5e-3, "{} m", noisy.place);
    assert!(noisy.place > 1e-3, "noise does something: {} m", noisy.place);
}

/// A marker that is not seen for half a second binds nothing; two others and the joints hold the segment.
#[test]
fn a_hidden_marker_leaves_its_segment_where_it_was() {
    let captured = Captured::of("walk");
    let hand = captured.figure.with_role(sinew::motion::Role::Hand(sinew::motion::Side::Left)).expect("a hand");
    let hidden = led("walk", 0.0, Some(hand)).hidden;
    assert!(hidden < 0.03, "{hidden} m");
}
