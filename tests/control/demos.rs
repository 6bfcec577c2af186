//! The demonstrations of Vondrák's figure library (2005, 9.2), each with its number.

use super::scenes::{Captured, clip, data, record, states};
use sinew::control::{Animation, Backend, Gains, MarkerController, Terrain};
use sinew::dynamics::{
    Anchor, Body, BodyId, Collider, Constraint, Distance, MassProperties, Placement, Response, Shape,
};
use sinew::figure::{Figure, FigureOptions, SolePart};
use sinew::measure::{Key, Measure, MeasureOptions};
use sinew::motion::{Role, Side, edit};
use sinew::simulation::{ActorSettings, Event, EventKind, Grip, Prop, RagDoll, Run, RunSettings};
use sinew::{Quat, Real, Vec3};

fn is_arm(role: Option<Role>, wanted: Side) -> bool {
    matches!(role, Some(Role::UpperArm(side) | Role::LowerArm(side) | Role::Hand(side)) if side == wanted)
}

fn weaken(run: &mut Run, side: Side, strength: Real) {
    let roles: Vec<Option<Role>> = run.followers[0].actor.figure().segments().iter().map(|s| s.role).collect();
    for k in (0..roles.len()).filter(|&k| is_arm(roles[k], side)) {
        run.followers[0].actor.set_strength(k, strength);
    }
}

fn looped(captured: &Captured, settings: RunSettings) -> Run {
    let animation = Animation::looped(captured.figure.skeleton(), &captured.clip).expect("a clip");
    Run::new(&captured.figure, animation, settings).expect("a run")
}

/// Overlap of two bodies of the figure, metres.
fn touches_itself(run: &Run) -> Real {
    let own = &run.followers[0].actor.instance().bodies;
    let both = |bodies: &[BodyId; 2]| bodies.iter().all(|b| own.contains(b));
    run.world.contacts().iter().filter(|c| both(&c.bodies)).map(|c| -c.distance).fold(0.0, Real::max)
}

/// An umbrella held upright in front of the head while the body walks: a hand drawn to a place, an axis drawn upwards, and
/// the rest of the arm finds its own way.
#[test]
fn an_umbrella_stays_upright_in_front_of_the_walking_head() {
    let captured = Captured::of("walk");
    let mut run = looped(&captured, RunSettings { terrain: Terrain::Nothing, ..captured.settings() });
    weaken(&mut run, Side::Right, 0.003);
    let find = |role: Role| captured.figure.with_role(role).expect("that part");
    let (hand, shoulder) = (find(Role::Hand(Side::Right)), find(Role::UpperArm(Side::Right)));
    let body = run.followers[0].actor.instance().bodies[hand];
    // The stick is held across the palm: any axis of the hand will do that is not its own.
    let along = captured.figure.segment(hand).end.normalize();
    let stick = along.cross(&Vec3::new(0.3, 0.5, 0.8)).normalize();
    let turn = Quat::rotation_between(&Vec3::y(), &stick).expect("not opposite");
    let umbrella = Prop {
        name: "umbrella".into(),
        mass: 0.5,
        shape: Shape::Capsule { a: Vec3::new(0.0, -0.1, 0.0), b: Vec3::new(0.0, 0.8, 0.0), radius: 0.01 },
        at: Placement::new(captured.figure.segment(hand).end * 0.5, turn),
        held_at: captured.figure.segment(hand).end * 0.5,
        grip: Grip::Firm,
    };
    let umbrella = run.attach(&umbrella, 0, hand).expect("an umbrella");
    let grip_at_start = {
        let state = |b: BodyId| run.world.state(b).placement.rotation;
        state(body).inverse() * state(umbrella.body)
    };
    let pin =
        run.followers[0].actor.pin(&mut run.world, hand, &Vec3::zeros(), Gains::critical(3.0), 400.0).expect("a pin");
    run.followers[0]
        .actor
        .face(&mut run.world, hand, &stick, &Vec3::y(), Response::Decay { tau: 0.05 }, Real::INFINITY)
        .expect("an axis");
    let (mut tilted, mut frames, mut far, mut loose, mut gap): (usize, usize, Real, Real, Real) = (0, 0, 0.0, 0.0, 0.0);
    for step in 0..(4.0 / run.step_length()) as usize {
        let wanted = run.followers[0].actor.wanted()[shoulder];
        let h = if step == 0 { 0.0 } else { run.step_length() };
        let goal = wanted.position + run.forward() * 0.3 + Vec3::y() * 0.05 + wanted.velocity * h;
        let time = run.world.time() + run.step_length();
        pin.aim(&mut run.world, time, goal, wanted.velocity);
        run.step().expect("a finite step");
        if run.world.time() < 1.0 {
            continue;
        }
        let rotation = |b: BodyId| run.world.state(b).placement.rotation;
        frames += 1;
        tilted += usize::from((rotation(umbrella.body) * Vec3::y()).angle(&Vec3::y()).to_degrees() > 5.0);
        far = far.max((pin.position(&run.world) - goal).norm());
        loose = loose.max(grip_at_start.angle_to(&(rotation(body).inverse() * rotation(umbrella.body))));
        gap = gap.max(run.worst_gap());
    }
    assert!(tilted * 100 <= frames, "tilted in {tilted} of {frames} steps");
    assert!(far < 0.05, "the hand is {far} m from its place");
    assert!(loose.to_degrees() < 2.0 && gap < 1e-4, "the grip turned by {}°, gap {gap} m", loose.to_degrees());
}

/// A basket that swings on the hand of a walking figure stays on it, and lowers the arm at the shoulder by the moment of its pull over K.
#[test]
fn a_basket_hangs_on_a_walking_hand() {
    let captured = Captured::of("walk");
    let mut run = looped(&captured, RunSettings { terrain: Terrain::Nothing, ..captured.settings() });
    let hand = captured.figure.with_role(Role::Hand(Side::Left)).expect("a hand");
    let end = captured.figure.segment(hand).end;
    let mut basket = Prop::ball(3.0, 0.12, end, Grip::Swinging);
    basket.at = Placement::at(end + Vec3::new(0.15, 0.0, 0.0));
    let basket = run.attach(&basket, 0, hand).expect("a basket");
    let (mut worst, mut lowered, mut expected): (Real, Real, Real) = (0.0, 0.0, 0.0);
    let shoulder = captured.figure.with_role(Role::UpperArm(Side::Left)).expect("a shoulder");
    let (_, verdict) = record(&mut run, 3.0, |run| {
        let bodies = &run.followers[0].actor.instance().bodies;
        let pivot =
            captured.figure.segment(shoulder).joint_frame(&run.world.state(bodies[shoulder]).placement).position;
        let held = run.world.state(bodies[hand]).placement.position;
        let reaction = run.world.reaction(basket.joint);
        let pull = reaction.wrenches.iter().find(|(body, _)| *body == bodies[hand]);
        let pull = pull.map_or(Vec3::zeros(), |(_, wrench)| wrench.fixed_rows::<3>(0).into_owned());
        let stiffness = run.followers[0].actor.muscle(shoulder).expect("a muscle").spring().0;
        lowered += run.followers[0].actor.error(&run.world, shoulder).powi(2);
        expected += ((held - pivot).cross(&pull).norm() / stiffness).powi(2);
        let joint = run.world.constraint(basket.joint).joint().expect("a joint");
        let place = |body: Option<BodyId>, frame: &Placement| {
            run.world.state(body.expect("a body")).placement.point(&frame.position)
        };
        worst = worst.max((place(joint.a, &joint.frame_a) - place(joint.b, &joint.frame_b)).norm());
    });
    assert!(worst < 1e-3, "{worst} m");
    let ratio = (lowered / expected).sqrt();
    assert!((ratio - 1.0).abs() < 0.2, "lowered by {ratio} of what the pull takes");
    assert!(verdict.tracking_rms.to_degrees() < 0.5, "{}°", verdict.tracking_rms.to_degrees());
}

/// A hand that is asked for what it cannot reach pulls with its limit and no more, and the legs do not care.
#[test]
fn a_hand_that_cannot_reach_pulls_with_its_limit() {
    let captured = Captured::of("walk");
    let mut run = captured.run(RunSettings { terrain: Terrain::Nothing, ..captured.settings() });
    weaken(&mut run, Side::Right, 0.003);
    let hand = captured.figure.with_role(Role::Hand(Side::Right)).expect("a hand");
    let limit = 100.0;
    let pin =
        run.followers[0].actor.pin(&mut run.world, hand, &Vec3::zeros(), Gains::critical(3.0), limit).expect("a pin");
    let far = pin.position(&run.world) + Vec3::new(0.0, 30.0, 0.0);
    let (mut most, mut legs): (Real, Real) = (0.0, 0.0);
    for _ in 0..(1.5 / run.step_length()) as usize {
        let time = run.world.time() + run.step_length();
        pin.aim(&mut run.world, time, far, Vec3::zeros());
        run.step().expect("a finite step");
        assert!(pin.force(&run.world).amax() <= limit * 1.0001, "{}", pin.force(&run.world));
        most = most.max(pin.force(&run.world).y);
        for role in [Role::UpperLeg(Side::Left), Role::LowerLeg(Side::Right)] {
            let leg = captured.figure.with_role(role).expect("a leg");
            legs = legs.max(run.followers[0].actor.error(&run.world, leg));
        }
    }
    assert!(most > 0.999 * limit, "{most} N of {limit} N");
    assert!(legs.to_degrees() < 1.0, "{}°", legs.to_degrees());
}

/// Pulled at the hand with 200 N for half a second, the arm gives way, and a second later it is back within 3°.
#[test]
fn an_arm_that_was_dragged_comes_back_within_a_second() {
    let captured = Captured::of("idle");
    let mut settings = RunSettings { terrain: Terrain::Nothing, ..captured.settings() };
    settings.actor.gains = Gains::critical(8.0);
    let mut run = captured.run(settings);
    let hand = captured.figure.with_role(Role::Hand(Side::Left)).expect("a hand");
    let body = run.followers[0].actor.instance().bodies[hand];
    let pull = run.forward() * 200.0;
    let mut dragged: Real = 0.0;
    while run.world.time() < 2.0 {
        if (0.5..1.0).contains(&run.world.time()) {
            run.world.apply(body, pull, Vec3::zeros()).expect("a force");
            dragged = run.followers[0].actor.control_error(&run.world).max(dragged);
        }
        run.step().expect("a finite step");
    }
    let after = run.followers[0].actor.control_error(&run.world).to_degrees();
    assert!(dragged.to_degrees() > 5.0 && after < 3.0, "{}° then {after}°", dragged.to_degrees());
}

/// Loose arms swing with the gait: the strongest frequency of the hand against the shoulder is that of the foot against the
/// hip.
#[test]
fn loose_arms_swing_with_the_frequency_of_the_gait() {
    let captured = Captured::of("walk");
    let mut run = looped(&captured, RunSettings { terrain: Terrain::Nothing, ..captured.settings() });
    weaken(&mut run, Side::Left, 0.0);
    weaken(&mut run, Side::Right, 0.0);
    let find = |role: Role| captured.figure.with_role(role).expect("that part");
    let (arm, leg) =
        ([Role::UpperArm(Side::Left), Role::Hand(Side::Left)], [Role::UpperLeg(Side::Left), Role::Foot(Side::Left)]);
    let (arm, leg) = (arm.map(find), leg.map(find));
    let forward = run.forward();
    let (mut hand, mut foot) = (Vec::new(), Vec::new());
    record(&mut run, 9.0, |run| {
        if run.world.time() > 3.0 {
            let place = |k: usize| run.world.state(run.followers[0].actor.instance().bodies[k]).placement.position;
            hand.push((place(arm[1]) - place(arm[0])).dot(&forward));
            foot.push((place(leg[1]) - place(leg[0])).dot(&forward));
        }
    });
    let h = run.step_length();
    let (of_hand, of_foot) = (strongest(&hand, h), strongest(&foot, h));
    assert!((of_hand / of_foot - 1.0).abs() < 0.1, "{of_hand} Hz against {of_foot} Hz");
}

/// The strongest frequency of samples `h` apart, Hz.
fn strongest(samples: &[Real], h: Real) -> Real {
    let mean = samples.iter().sum::<Real>() / samples.len() as Real;
    let power = |hz: Real| {
        let phase = |k: usize| std::f64::consts::TAU * hz * h * k as Real;
        let part =
            |f: fn(Real) -> Real| -> Real { samples.iter().enumerate().map(|(k, x)| (x - mean) * f(phase(k))).sum() };
        part(Real::cos).powi(2) + part(Real::sin).powi(2)
    };
    let all = (20..=300).map(|k| 0.01 * k as Real);
    all.max_by(|a, b| power(*a).total_cmp(&power(*b))).expect("some")
}

/// A pool of balls and boxes in the way: they are kicked aside, nothing sinks in, no joint opens.
#[test]
fn a_walk_through_a_pool_of_things_keeps_its_joints() {
    let captured = Captured::of("walk");
    let mut settings = captured.settings();
    settings.actor.torque = 2.0;
    let mut run = looped(&captured, settings);
    let start = run.followers[0].actor.wanted()[0].position;
    let across = run.forward().cross(&Vec3::y());
    let mut pool = Vec::new();
    for k in 0..24 {
        let (row, column) = ((k / 4) as Real, (k % 4) as Real);
        let place = start + run.forward() * (0.6 + 0.45 * row) + across * (0.3 * (column - 1.5) + 0.07 * (row % 2.0));
        let place = Vec3::new(place.x, captured.ground + 0.1, place.z);
        let (shape, mass) = match k % 2 {
            0 => (Shape::Sphere { radius: 0.1 }, MassProperties::sphere(0.6, 0.1)),
            _ => (Shape::Box { half_extents: Vec3::repeat(0.1) }, MassProperties::cuboid(1.2, Vec3::repeat(0.1))),
        };
        let thing = run.world.add_body(Body::dynamic(format!("thing {k}"), mass, Placement::at(place))).expect("it");
        run.world.add_collider(thing, Collider::new(shape)).expect("a shape");
        pool.push((thing, place));
    }
    let mut deepest: Real = 0.0;
    let (_, verdict) = record(&mut run, 4.0, |run| {
        deepest = run.world.contacts().iter().map(|c| -c.distance).fold(deepest, Real::max);
    });
    assert!(deepest < 5e-3 && verdict.worst_gap < 2e-3, "{deepest} m deep, gap {} m", verdict.worst_gap);
    let kicked = pool.iter().filter(|(b, at)| (run.world.state(*b).placement.position - at).norm() > 0.1).count();
    assert!(kicked >= 4, "only {kicked} things were moved");
}

/// The motion of a slim captured on a body of twice the mass, as thick as that asks for: belly and thighs are in the way of
/// the arms, the data stays as it is, and the body does not pass through itself.
#[test]
fn a_fat_man_walks_the_same_walk_without_passing_through_himself() {
    let slim = Captured::of("walk");
    let skeleton = slim.figure.skeleton();
    let options = FigureOptions { mass: Some(2.0 * slim.figure.mass()), clip: Some(&slim.clip), ..Default::default() };
    let mut figure = Figure::build(skeleton, &options).expect("a figure");
    figure.widen_to_hold(&slim.clip);
    let ground = sinew::control::ground_height(&figure, &slim.clip).expect("frames");
    let mut settings = RunSettings { ground, rate: 120.0, ..RunSettings::default() };
    settings.actor = ActorSettings { self_contact: true, torque: 2.0, ..settings.actor };
    let animation = Animation::looped(skeleton, &slim.clip).expect("a clip");
    let mut run = Run::new(&figure, animation, settings).expect("a run");
    let mut deepest: Real = 0.0;
    let (_, verdict) = record(&mut run, 20.0, |run| deepest = deepest.max(touches_itself(run)));
    assert!(verdict.tracking_rms.to_degrees() < 5.0, "{}°", verdict.tracking_rms.to_degrees());
    assert!(deepest < 0.01, "{deepest} m");
    assert!(verdict.worst_gap < 1e-3, "{} m", verdict.worst_gap);
}

/// Feet of a walk that slides, pinned where they are in the middle of each stance: they stay.
#[test]
fn pinned_feet_do_not_slide_where_the_capture_does() {
    let capture = sinew::formats::read(&data("damaged/walk_skating.bvh"), &Default::default()).expect("a clip");
    let clip = capture.clips[0].clone();
    let options = FigureOptions { clip: Some(&clip), ..Default::default() };
    let mut figure = Figure::build(&capture.skeleton, &options).expect("a figure");
    figure.widen_to_hold(&clip);
    let report = Measure { figure: &figure, clip: &clip, options: MeasureOptions::default() }.run().expect("a report");
    let rate = clip.rate_hz();
    let sole = |segment: usize, part: SolePart| {
        figure.sole_points().iter().find(|s| s.segment == segment && s.part == part).map(|s| s.point)
    };
    let animation = Animation::new(figure.skeleton(), &clip).expect("frames");
    let (mut frames, mut motions) = (Vec::new(), Vec::new());
    let mut captured = |segment: usize, point: &Vec3, time: Real| {
        figure.motions_into(&animation.sample(time), &mut frames, &mut motions);
        motions[segment].position + motions[segment].rotation * point
    };
    let level = |v: Vec3| Vec3::new(v.x, 0.0, v.z);
    // Whole stances of the balls, a quarter of a second or longer.
    let stances: Vec<(usize, Vec3, Real, Real)> = (report.contacts.iter())
        .filter(|c| c.part == Some(SolePart::Ball) && c.frames.len() as Real > 0.25 * rate && c.frames.start > 6)
        .filter_map(|c| {
            Some((
                c.segment,
                sole(c.segment, SolePart::Ball)?,
                c.frames.start as Real / rate,
                (c.frames.end - 1) as Real / rate,
            ))
        })
        .filter(|stance| stance.3 < 2.5)
        .collect();
    assert!(stances.len() >= 2, "{stances:?}");
    let settings = RunSettings { terrain: Terrain::Nothing, ..RunSettings::default() };
    let mut run = Run::new(&figure, animation.clone(), settings).expect("a run");
    for k in 0..figure.segments().len() {
        if matches!(figure.segment(k).role, Some(Role::UpperLeg(_) | Role::LowerLeg(_) | Role::Foot(_))) {
            run.followers[0].actor.set_strength(k, 0.1);
        }
    }
    let mut pins: Vec<(MarkerController, Vec3)> = Vec::new();
    for (segment, point, from, to) in &stances {
        let place = captured(*segment, point, 0.5 * (from + to));
        let pin = run.followers[0]
            .actor
            .pin(&mut run.world, *segment, point, Gains::critical(10.0), Real::INFINITY)
            .expect("a pin");
        pin.set_on(&mut run.world, false);
        pins.push((pin, place));
    }
    let (mut pinned, mut slid): (Real, Real) = (0.0, 0.0);
    while run.world.time() < 2.5 {
        let time = run.world.time() + run.step_length();
        for ((pin, place), (segment, point, from, to)) in pins.iter().zip(&stances) {
            let stands = (*from..=*to).contains(&time);
            pin.set_on(&mut run.world, stands);
            if stands {
                let height = captured(*segment, point, time).y;
                pin.aim(&mut run.world, time, Vec3::new(place.x, height, place.z), Vec3::zeros());
            }
        }
        run.step().expect("a finite step");
        for ((pin, place), (segment, point, from, to)) in pins.iter().zip(&stances) {
            // It takes a tenth of a second to come there from where the capture puts the foot down.
            if (*from + 0.1..=*to).contains(&time) {
                pinned = pinned.max(level(pin.position(&run.world) - place).norm());
                slid = slid.max(level(captured(*segment, point, time) - place).norm());
            }
        }
    }
    assert!(slid > 0.02 && pinned < 0.005, "captured {slid} m off, pinned {pinned} m");
}

/// Once it is let go a figure touches itself: no limb lies in another, whatever its muscles had to allow before.
#[test]
fn a_figure_that_gave_up_does_not_lie_in_itself() {
    let captured = Captured::of("walk");
    let mut run = captured.run(captured.settings());
    run.schedule(Event { time: 0.3, follower: 0, what: EventKind::LetGo }).expect("a time");
    let (recording, _) = record(&mut run, 2.5, |_| ());
    let clip = clip(&recording, &run);
    let late = clip.frames() - 30..clip.frames();
    let late = edit::slice(&clip, late).expect("frames");
    let report =
        Measure { figure: &captured.figure, clip: &late, options: MeasureOptions::default() }.run().expect("a report");
    let deepest = report.get(Key::SelfContactMax).expect("segments that may touch");
    assert!(deepest < 10.0, "{deepest} mm");
}

/// A rag-doll on a rope, in air: at rest the rope bears the weight, and nothing moves any more. Joints alone would not stop a
/// body that turns on its rope as one; the air does, here with a time constant of a second.
#[test]
fn a_hanged_figure_comes_to_rest_and_the_rope_bears_its_weight() {
    let captured = Captured::of("idle");
    let settings = RunSettings { terrain: Terrain::Nothing, rate: 120.0, ..RunSettings::limp() };
    let mut run = captured.run(RunSettings { ground: captured.ground, ..settings });
    run.let_go(0);
    run.followers[0].actor.relax(&mut run.world, RagDoll::default());
    let bodies = run.followers[0].actor.instance().bodies.clone();
    let head = bodies[captured.figure.with_role(Role::Head).expect("a head")];
    let grip = run.world.state(head).placement.position;
    let nail = Anchor::world(grip + Vec3::new(0.0, 0.5, 0.0));
    let rope = Constraint::new(Distance::rope(nail, Anchor::centre(head), 0.5));
    let rope = run.world.add_constraint(rope).expect("a rope");
    while run.world.time() < 20.0 {
        for &body in &bodies {
            let (state, mass) = (*run.world.state(body), run.world.body(body).mass);
            let spin = state.placement.rotation.inverse_transform_vector(&state.angular());
            let drag = state.placement.rotation * -(mass.inertia * spin);
            run.world.apply(body, -state.linear() * mass.mass, drag).expect("a drag");
        }
        run.step().expect("a finite step");
    }
    let kinetic = |&b: &BodyId| {
        let (state, mass) = (run.world.state(b), &run.world.body(b).mass);
        let spin = state.placement.rotation.inverse_transform_vector(&state.angular());
        0.5 * mass.mass * state.linear().norm_squared() + 0.5 * spin.dot(&(mass.inertia * spin))
    };
    let kinetic: Real = bodies.iter().map(kinetic).sum();
    let tension = run.world.wrench_on(rope, head).fixed_rows::<3>(0).norm();
    let weight = captured.figure.mass() * 9.81;
    assert!(kinetic < 1e-3, "{kinetic} J");
    assert!((tension / weight - 1.0).abs() < 0.01, "{tension} N of {weight} N");
}

/// Behind the end of a run the target does not stop dead: what the root is asked for stays of the order of the run itself.
#[test]
fn the_end_of_a_clip_asks_for_no_blow() {
    let captured = Captured::of("run");
    let mut run = captured.run(RunSettings { terrain: Terrain::Nothing, ..captured.settings() });
    let end = captured.clip.duration();
    let (mut within, mut behind): (Real, Real) = (0.0, 0.0);
    record(&mut run, end + 0.5, |run| {
        let force = run.followers[0].actor.residual(&run.world).fixed_rows::<3>(0).norm();
        let most = if run.world.time() < end - 0.05 { &mut within } else { &mut behind };
        if run.world.time() > 0.05 {
            *most = most.max(force);
        }
    });
    assert!(behind < 2.0 * within, "{behind} N behind the end, {within} N before it");
}

/// The three back-ends on a whole figure: what theory says. The row takes the spring at the end of the step, stable PD at
/// h ω from its start, so they come together as the step shrinks; the integral takes away what the spring leaves.
#[test]
fn the_back_ends_agree_on_a_walk() {
    let captured = Captured::of("walk");
    let rms = |backend: Backend, rate: Real| {
        let mut settings = RunSettings { terrain: Terrain::Nothing, rate, ..captured.settings() };
        settings.actor.backend = backend;
        let mut run = captured.run(settings);
        let (recording, verdict) = record(&mut run, 1.0, |_| ());
        let last = states(&recording, recording.frames() - 1);
        (verdict.tracking_rms.to_degrees(), last)
    };
    let apart = |a: &[sinew::dynamics::State], b: &[sinew::dynamics::State]| {
        let each = a.iter().zip(b).map(|(a, b)| a.placement.rotation.angle_to(&b.placement.rotation).to_degrees());
        each.fold(0.0, Real::max)
    };
    let pid = Backend::Pid { integral_time: 0.1 };
    let (row, stable, integral) = (rms(Backend::Row, 240.0), rms(Backend::StablePd, 240.0), rms(pid, 240.0));
    let (fine_row, fine_stable) = (rms(Backend::Row, 960.0), rms(Backend::StablePd, 960.0));
    let (coarse, fine) = (apart(&row.1, &stable.1), apart(&fine_row.1, &fine_stable.1));
    println!("row {}° stable {}° pid {}°; apart {coarse}° at 240 Hz, {fine}° at 960 Hz", row.0, stable.0, integral.0);
    assert!(row.0 < 0.5 && integral.0 < row.0, "row {}°, PID {}°", row.0, integral.0);
    assert!(fine < 0.6 * coarse, "{coarse}° apart at 240 Hz, {fine}° at 960 Hz");
    assert!(fine_stable.0 < 0.5, "stable PD {}°", fine_stable.0);
}
