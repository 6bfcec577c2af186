//! Figures that fall.

use super::scenes::{data, record};
use sinew::Real;
use sinew::control::{Animation, Gains, Terrain, ground_height, read_joint};
use sinew::figure::{Figure, FigureOptions};
use sinew::formats;
use sinew::motion::{Clip, Tracks};
use sinew::simulation::{RagDoll, Run, RunSettings};

fn character(name: &str) -> (Figure, Clip) {
    let capture = formats::read(&data(&format!("characters/{name}.glb")), &Default::default()).expect("a character");
    let skin = formats::gltf::skin_vertices(&capture).expect("a skin");
    let options = FigureOptions { skin: skin.as_deref(), ..FigureOptions::default() };
    let figure = Figure::build(&capture.skeleton, &options).expect("a figure");
    let rest = capture.skeleton.rest_pose();
    let none = Tracks::default;
    let clip = Clip::new("rest", 30.0, capture.skeleton.len(), rest.rotations, none(), none()).expect("a clip");
    (figure, clip)
}

fn dropped(name: &str, height: Real, terrain: Terrain) -> Run {
    let (mut figure, clip) = character(name);
    figure.widen_to_hold(&clip);
    let ground = ground_height(&figure, &clip).expect("a frame") - height;
    let settings = RunSettings { ground, terrain, moving: false, ..RunSettings::limp() };
    let animation = Animation::new(figure.skeleton(), &clip).expect("a clip");
    let mut run = Run::new(&figure, animation, settings).expect("a run");
    run.let_go(0);
    run.followers[0].actor.relax(&mut run.world, RagDoll::default());
    run
}

/// Share of energy to which contact forces are settled.
const SETTLED: Real = 1e-7;
/// Share on edges of steps, which limbs slip off: 1e-6 was seen once in a fall, within one step.
const ON_EDGES: Real = 2e-6;

/// Steps until everything sleeps; gives the time, the worst excess of a limit (radians) and the deepest penetration. A limp
/// body only loses energy: in no step does it gain more than this share of what a fall from its own height would give.
fn fall(run: &mut Run, patience: Real, share: Real) -> (Real, Real, Real) {
    let (mut excess, mut depth): (Real, Real) = (0.0, 0.0);
    let figure = run.followers[0].actor.figure();
    let rounding = share * figure.mass() * 9.81 * figure.height;
    let mut least = run.world.energy();
    while !run.is_at_rest() && run.world.time() < patience {
        run.step().expect("a finite step");
        let energy = run.world.energy();
        assert!(energy < least + rounding, "at {} s energy rose by {} J", run.world.time(), energy - least);
        least = least.min(energy);
        depth = depth.max(run.depth());
        for (segment, joint) in
            run.followers[0].actor.figure().segments().iter().zip(&run.followers[0].actor.instance().joints)
        {
            if let Some(reading) = joint.and_then(|joint| read_joint(&run.world, joint)) {
                excess = excess.max(segment.attachment.limits.excess(&reading.rotation));
            }
        }
    }
    (run.world.time(), excess, depth)
}

#[test]
fn every_character_dropped_comes_to_rest_within_its_limits() {
    for name in ["actor", "dog", "heavy"] {
        let mut run = dropped(name, 0.5, Terrain::Flat);
        let (time, excess, depth) = fall(&mut run, 10.0, SETTLED);
        assert!(run.is_at_rest(), "{name} still moves after {time} s");
        assert!(excess.to_degrees() < 2.0, "{name}: {}°", excess.to_degrees());
        assert!(depth < 5e-3, "{name}: {depth} m");
    }
}

/// A body that lies on the limits of its joints presses on them with what it pressed with before, so that its forces are found
/// in some dozens of sweeps. Where every step looked for them anew it took hundreds, many did not end, and limbs that sank in
/// meanwhile and were lifted out again gave the body energy.
#[test]
fn bodies_that_lie_on_their_limits_settle_in_few_sweeps() {
    let captured = super::scenes::Captured::of("crouch");
    let settings = RunSettings { ground: captured.ground - 0.5, ..RunSettings::limp() };
    let mut run = captured.run(settings);
    run.let_go(0);
    run.followers[0].actor.relax(&mut run.world, RagDoll::default());
    let (mut sweeps, mut inner) = (0, 0);
    while !run.is_at_rest() && run.world.time() < 10.0 {
        let report = run.step().expect("a finite step");
        (sweeps, inner) = (sweeps + report.iterations, inner + report.substeps);
    }
    let each = sweeps as Real / inner as Real;
    assert!(each < 60.0, "{each} sweeps per inner step");
}

/// Let go in the middle of a motion a body has fast limbs when it arrives: toes that are flung against their limits stay within
/// them, because what whips along gets shorter steps.
#[test]
fn bodies_let_go_in_motion_stay_within_their_limits() {
    let capture = formats::read(&data("characters/heavy.glb"), &Default::default()).expect("a character");
    let skin = formats::gltf::skin_vertices(&capture).expect("a skin");
    let clip = &capture.clips[0];
    let options = FigureOptions { skin: skin.as_deref(), clip: Some(clip), ..FigureOptions::default() };
    let mut figure = Figure::build(&capture.skeleton, &options).expect("a figure");
    figure.widen_to_hold(clip);
    let ground = ground_height(&figure, clip).expect("a frame") - 0.5;
    let animation = Animation::new(&capture.skeleton, clip).expect("a clip");
    let mut run = Run::new(&figure, animation, RunSettings { ground, ..RunSettings::limp() }).expect("a run");
    run.let_go(0);
    run.followers[0].actor.relax(&mut run.world, RagDoll::default());
    let (time, excess, _) = fall(&mut run, 10.0, SETTLED);
    assert!(run.is_at_rest() && excess.to_degrees() < 2.0, "{time} s, {}°", excess.to_degrees());
}

/// Falls of similar bodies look alike in time √(height/g), so a limp body four times as high is damped at half the frequency.
#[test]
fn damping_of_limp_bodies_goes_with_the_pace_of_their_fall() {
    let (figure, _) = character("actor");
    let large = Figure::build(&figure.skeleton().scaled(4.0), &FigureOptions::default()).expect("a figure");
    let small = Figure::build(figure.skeleton(), &FigureOptions::default()).expect("a figure");
    let frequency = |figure: &Figure| {
        let mut world = sinew::dynamics::World::new();
        let start = sinew::motion::PoseMotion::at_rest(figure.skeleton().rest_pose());
        let settings = sinew::simulation::ActorSettings::limp();
        let mut actor = sinew::simulation::Actor::place(&mut world, figure, &start, &settings).expect("an actor");
        actor.relax(&mut world, RagDoll::default());
        let knee = figure.with_role(sinew::motion::Role::LowerLeg(sinew::motion::Side::Left)).expect("a knee");
        let muscle = actor.muscle(knee).expect("a muscle");
        muscle.passive / (2.0 * muscle.inertia * std::f64::consts::TAU)
    };
    assert!((frequency(&small) / frequency(&large) - 2.0).abs() < 0.01, "{} {}", frequency(&small), frequency(&large));
}

#[test]
fn a_fall_on_stairs_ends_at_rest() {
    for (terrain, leads) in [(Terrain::STAIRS, -1.0), (Terrain::STAIRS_UP, 1.0)] {
        let mut run = dropped("actor", 0.0, terrain);
        let (figure, clip) = character("actor");
        let landing = ground_height(&figure, &clip).expect("a frame");
        let forward = run.forward();
        for &body in &run.followers[0].actor.instance().bodies.clone() {
            let mut state = *run.world.state(body);
            state.velocity.fixed_rows_mut::<3>(0).copy_from(&(forward * 1.5));
            run.world.set_state(body, state).expect("a state");
        }
        let (time, excess, depth) = fall(&mut run, 10.0, ON_EDGES);
        assert!(run.is_at_rest() && excess.to_degrees() < 2.0 && depth < 5e-3, "{time} {excess} {depth}");
        // Some part of it lies on a step, which is lower or higher than the landing.
        let points: Vec<Real> = run.world.contacts().iter().map(|c| c.point.y - landing).collect();
        assert!(points.iter().any(|y| y * leads > 0.1), "{leads}: {points:?}");
    }
}

/// A figure deeper in the ground than it is high is refused with both lengths; pushing it out would take minutes and keep no posture.
#[test]
fn a_body_under_the_ground_is_refused() {
    let (figure, clip) = character("actor");
    let ground = ground_height(&figure, &clip).expect("a frame") + 100.0;
    let animation = Animation::new(figure.skeleton(), &clip).expect("a clip");
    let run = Run::new(&figure, animation, RunSettings { ground, ..RunSettings::limp() });
    let told = run.expect_err("buried").to_string();
    assert!(told.contains("100.000 m deep") && told.contains("lower"), "{told}");
}

/// Drawn back to its posture by a strongly damped spring, a joint's error dies out as e^(−Kt/D).
#[test]
fn attraction_to_a_posture_decays_at_the_rate_of_the_spring() {
    let mut run = dropped("actor", 5.0, Terrain::Nothing);
    run.world.gravity = sinew::Vec3::zeros();
    let gains = Gains { frequency: 1.0, damping_ratio: 3.0 };
    run.followers[0].actor.relax(&mut run.world, RagDoll::Attraction(gains));
    let head = run.followers[0].actor.figure().with_role(sinew::motion::Role::Head).expect("a head");
    let body = run.followers[0].actor.instance().bodies[head];
    let mut state = *run.world.state(body);
    let joint = run.followers[0].actor.figure().segment(head).joint_frame(&state.placement);
    let turn = sinew::Quat::from_axis_angle(&sinew::Vec3::x_axis(), 0.2);
    state.placement = run.followers[0]
        .actor
        .figure()
        .segment(head)
        .body(&sinew::dynamics::Placement { rotation: turn * joint.rotation, ..joint });
    run.world.set_state(body, state).expect("a state");
    let mut errors = Vec::new();
    for step in 0..240 {
        run.step().expect("a finite step");
        if step % 60 == 59 {
            errors.push(run.followers[0].actor.error(&run.world, head));
        }
    }
    // Strongly damped, it creeps back with D + the joint's own damping against K.
    let muscle = run.followers[0].actor.muscle(head).expect("a muscle");
    let slow = muscle.spring().0 / (muscle.spring().1 + muscle.passive);
    let rate = (errors[1] / errors[3]).ln() / 0.5;
    assert!((rate / slow - 1.0).abs() < 0.1, "{rate} against {slow}: {errors:?}");
}

#[test]
fn a_stage_without_ground_lets_a_figure_fall_freely() {
    let mut run = dropped("actor", 1.0, Terrain::Nothing);
    let before = run.world.momentum().0.y / run.followers[0].actor.figure().mass();
    record(&mut run, 0.5, |_| ());
    let after = run.world.momentum().0.y / run.followers[0].actor.figure().mass();
    assert!((before - after - 0.5 * 9.81).abs() < 1e-6, "{before} {after}");
}

/// A walk whose first frame is turned away from all others says that the body spins at tens of rad/s and that a knee snaps.
/// Nobody does that for a frame: the fall begins as the frames after it have it. A turn that goes on is believed.
#[test]
fn a_jump_where_a_fall_begins_is_not_taken_for_speed() {
    let captured = super::scenes::Captured::of("walk");
    let knee = captured.figure.with_role(sinew::motion::Role::LowerLeg(sinew::motion::Side::Left)).expect("a knee");
    let (root, knee) = (captured.figure.segment(0).joint, captured.figure.segment(knee).joint);
    let turned = |angle: &dyn Fn(usize) -> Real| {
        let clip = &captured.clip;
        let mut rotations: Vec<sinew::Quat> = Vec::new();
        for frame in 0..clip.frames() {
            let first = rotations.len();
            rotations.extend_from_slice(clip.rotations(frame));
            let turn = sinew::Quat::from_axis_angle(&sinew::Vec3::y_axis(), angle(frame));
            rotations[first + root] = turn * rotations[first + root];
            if frame == 0 && angle(0) != 0.0 {
                rotations[first + knee] = turn * rotations[first + knee];
            }
        }
        let (places, scales) = (clip.translations().clone(), clip.scales().clone());
        Clip::new("turned", clip.rate_hz(), clip.joints(), rotations, places, scales).expect("a clip")
    };
    let start = |clip: &Clip| {
        let animation = Animation::new(captured.figure.skeleton(), clip).expect("a clip");
        let settings = RunSettings { ground: captured.ground - 1.0, ..RunSettings::limp() };
        Run::new(&captured.figure, animation, settings).expect("a run")
    };
    let spin = |run: &Run| run.world.state(run.followers[0].actor.instance().bodies[0]).angular().norm();
    let plain = start(&captured.clip);
    assert!(plain.followers[0].limited_velocities().is_empty());
    let jumps = start(&turned(&|frame| if frame == 0 { 1.0 } else { 0.0 }));
    let told: Vec<usize> = jumps.followers[0].limited_velocities().iter().map(|limited| limited.joint).collect();
    assert!(
        told == [root, knee] && jumps.followers[0].limited_velocities()[0].captured > 30.0,
        "{:?}",
        jumps.followers[0].limited_velocities()
    );
    assert!(spin(&jumps) < spin(&plain) + 1.0, "{} against {}", spin(&jumps), spin(&plain));
    let spins = start(&turned(&|frame| 20.0 * frame as Real / captured.clip.rate_hz()));
    assert!((spin(&spins) - 20.0).abs() < 1.0, "{}", spin(&spins));
}

/// Muscles that follow a capture through a jump give the body its speed; it is not let loose with that. Weak muscles do not
/// follow, and a body that they let go keeps the speed it has.
#[test]
fn a_body_let_go_within_a_jump_is_not_flung() {
    let captured = super::scenes::Captured::of("idle");
    let root = captured.figure.segment(0).joint;
    let (clip, jump) = (&captured.clip, 30);
    let mut rotations: Vec<sinew::Quat> = Vec::new();
    for frame in 0..clip.frames() {
        let first = rotations.len();
        rotations.extend_from_slice(clip.rotations(frame));
        if frame >= jump {
            let turn = sinew::Quat::from_axis_angle(&sinew::Vec3::y_axis(), 1.0);
            rotations[first + root] = turn * rotations[first + root];
        }
    }
    let (places, scales) = (clip.translations().clone(), clip.scales().clone());
    let jumps = Clip::new("jumps", clip.rate_hz(), clip.joints(), rotations, places, scales).expect("a clip");
    // In the middle between the two frames.
    let time = (jump as Real - 0.5) / clip.rate_hz();
    let let_go = |clip: &Clip, weak: bool| {
        let animation = Animation::new(captured.figure.skeleton(), clip).expect("a clip");
        let mut settings = RunSettings { ground: captured.ground - 1.0, ..RunSettings::default() };
        if weak {
            settings.actor.root = sinew::simulation::ActorSettings::limp().root;
            settings.actor.torque = 0.1;
        }
        let mut run = Run::new(&captured.figure, animation, settings).expect("a run");
        let what = sinew::simulation::EventKind::LetGo;
        run.schedule(sinew::simulation::Event { time, follower: 0, what }).expect("a time");
        let mut before = 0.0;
        let spin = |run: &Run| run.world.momentum().1.norm();
        while run.followers[0].actor.activation() > 0.0 {
            before = spin(&run);
            run.step().expect("a finite step");
        }
        (before, spin(&run), run)
    };
    let (_, plain, quiet) = let_go(clip, false);
    assert!(quiet.followers[0].limited_velocities().is_empty());
    let (before, after, run) = let_go(&jumps, false);
    assert!(before > 50.0 && (after - plain).abs() < 0.05 * before, "{before} → {after}, without a jump {plain}");
    assert!(
        run.followers[0].limited_velocities().iter().any(|limited| limited.joint == root && limited.captured > 30.0),
        "{:?}",
        run.followers[0].limited_velocities()
    );
    assert!(run.worst_gap() < 1e-6, "{}", run.worst_gap());
    let (before, after, _) = let_go(&jumps, true);
    assert!((after - before).abs() < 0.2 * before.max(1.0), "{before} → {after}");
}

/// Flesh that lies on something does not go on rolling; what flies, and who gets up again, is not held back.
#[test]
fn limp_parts_that_touched_something_turn_against_a_drag() {
    let damping = |run: &Run, body| run.world.body(body).angular_damping;
    let mut flying = dropped("actor", 0.5, Terrain::Nothing);
    record(&mut flying, 0.2, |_| ());
    assert!(flying.followers[0].actor.instance().bodies.iter().all(|body| damping(&flying, *body) == 0.0));
    let mut fallen = dropped("actor", 0.5, Terrain::Flat);
    fall(&mut fallen, 10.0, SETTLED);
    let touching = fallen.world.contacts().iter().flat_map(|contact| contact.bodies);
    let lying: Vec<_> = touching.filter(|body| Some(*body) != fallen.ground()).collect();
    assert!(!lying.is_empty() && lying.iter().all(|body| damping(&fallen, *body) > 0.5), "{lying:?}");
    fallen.followers[0].trip = None;
    fallen.followers[0].actor.recover(&mut fallen.world);
    fallen.step().expect("a finite step");
    assert!(lying.iter().all(|body| damping(&fallen, *body) == 0.0));
}
