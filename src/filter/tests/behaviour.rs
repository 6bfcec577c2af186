//! Whole solutions against the laws of motion.

use super::*;
use crate::math::{Quat, Vec6};
use crate::measure::{Cutoff, Key};
use crate::motion::{Joint, Skeleton, Tracks};

fn solve(figure: &Figure, clip: &Clip, plan: &ContactPlan, options: SolveOptions) -> Solved {
    Solve { figure, clip, plan, options }.run(&mut |_| true).unwrap()
}

fn nothing_touches(frames: usize) -> ContactPlan {
    let ground = Box::new(Level(-1e3));
    ContactPlan {
        corners: Vec::new(),
        targets: vec![Vec::new(); frames],
        unloaded: Vec::new(),
        clearance: vec![Vec::new(); frames],
        acceleration_limited: Vec::new(),
        ground,
    }
}

fn prepared(figure: &Figure, clip: &Clip) -> Prepared {
    Prepare { figure, clip, options: PrepareOptions::default() }.run().unwrap()
}

/// A trunk with a tail of two parts.
fn tumbler() -> (Skeleton, Figure) {
    let mut joints = vec![Joint::new("trunk", None, Vec3::y())];
    joints.push(Joint::new("upper", Some(0), Vec3::new(0.5, 0.0, 0.0)));
    joints.push(Joint::new("lower", Some(1), Vec3::new(0.3, 0.1, 0.0)));
    joints[2].tip = Some(Vec3::new(0.3, 0.0, 0.0));
    let skeleton = Skeleton::new(joints).unwrap();
    let figure = Figure::build(&skeleton, &FigureOptions { mass: Some(20.0), ..FigureOptions::default() }).unwrap();
    (skeleton, figure)
}

fn clip_of(frames: usize, rate: Real, joints: usize, pose: impl Fn(usize) -> (Vec3, Vec<Quat>)) -> Clip {
    let (mut rotations, mut values) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        let (place, turned) = pose(frame);
        values.push(place);
        rotations.extend(turned);
    }
    Clip::new("made", rate, joints, rotations, Tracks { joints: vec![0], values }, Tracks::default()).unwrap()
}

/// A body thrown with waving limbs, captured with a root that hovers: the result falls with g, on a parabola, and
/// keeps its angular momentum.
#[test]
fn what_nothing_touches_flies_on_a_parabola_with_constant_angular_momentum() {
    let (skeleton, figure) = tumbler();
    let (frames, rate) = (60, 100.0);
    let clip = clip_of(frames, rate, skeleton.len(), |frame| {
        let t = frame as Real / rate;
        let place = Vec3::new(1.5 * t, 1.0 + 2.5 * t - 4.4 * t * t + 0.01 * (9.0 * t).sin(), 0.1 * t);
        let rotation = |axis: Vec3| Quat::new(axis);
        let spin = rotation(Vec3::new(0.4, 0.5, 2.0) * t);
        (
            place,
            vec![spin, rotation(Vec3::z() * (0.6 * (8.0 * t).sin())), rotation(Vec3::y() * (0.5 * (7.0 * t).cos()))],
        )
    });
    let solved = solve(&figure, &clip, &nothing_touches(frames), SolveOptions { limits: false, ..Default::default() });
    let placements: Vec<_> = (0..frames).map(|frame| figure.placements(&solved.clip.pose(&skeleton, frame))).collect();
    let centres: Vec<Vec3> = placements.iter().map(|placements| figure.centre_of_mass(placements)).collect();
    let fall = |frame: usize| Vec3::y() * (-0.5 * 9.81 * (frame as Real / rate).powi(2));
    let start = centres[0];
    let speed = (centres[frames - 1] - fall(frames - 1) - start) / (frames - 1) as Real;
    for (frame, centre) in centres.iter().enumerate() {
        let off = (centre - (start + speed * frame as Real + fall(frame))).norm();
        assert!(off < 1e-3, "frame {frame} is {off} m off its parabola");
    }
    // Momentum between frames: Σ m x × Δx / h of points is what the equations keep.
    let momentum = |frame: usize| -> Vec3 {
        let mut sum = Vec3::zeros();
        for (k, segment) in figure.segments().iter().enumerate() {
            let (now, next) = (&placements[frame][k], &placements[frame + 1][k]);
            let velocity =
                (next.point(&segment.centre) - now.point(&segment.centre) - centres[frame + 1] + centres[frame]) * rate;
            let arm =
                0.5 * (now.point(&segment.centre) + next.point(&segment.centre) - centres[frame] - centres[frame + 1]);
            let spin = (next.rotation * now.rotation.inverse()).scaled_axis() * rate;
            let middle = now.rotation.slerp(&next.rotation, 0.5);
            sum += arm.cross(&velocity) * segment.mass.mass;
            sum += middle * (segment.mass.inertia * middle.inverse_transform_vector(&spin));
        }
        sum
    };
    let first = momentum(0);
    for frame in 1..frames - 1 {
        let off = (momentum(frame) - first).norm();
        assert!(off < 0.01 * first.norm(), "frame {frame}: angular momentum changed by {}", off / first.norm());
    }
}

/// The walker's rest posture, upright, on its soles.
fn standing(lean: Real) -> (Figure, Clip, ContactPlan) {
    let (figure, _) = walk();
    let rest = figure.skeleton().rest_pose();
    let frames = 40;
    let place = rest.translations[0];
    let clip = clip_of(frames, 60.0, figure.skeleton().len(), |_| (place, rest.rotations.clone()));
    let mut plan = measured_plan(&figure, &clip);
    // Leaning: the ground is shifted away below the body, and the pins with it.
    for target in plan.targets.iter_mut().flatten() {
        target.place.z -= lean;
    }
    (figure, clip, plan)
}

/// Feet that may be put elsewhere come below a body that leans, and it stays where it is; fixed ones draw it to them.
#[test]
fn a_stance_comes_to_meet_the_body() {
    let (figure, clip, mut plan) = standing(0.12);
    let moved = |solved: &Solved| {
        let root = |clip: &Clip| figure.placements(&clip.pose(figure.skeleton(), 20))[0].position;
        (root(&solved.clip) - root(&clip)).norm()
    };
    let fixed = moved(&solve(&figure, &clip, &plan, SolveOptions::default()));
    plan.targets.iter_mut().flatten().for_each(|target| target.interval = Some(0));
    let met = solve(&figure, &clip, &plan, SolveOptions::default());
    assert!((met.offsets[0] - Vec3::z() * 0.12).norm() < 0.01, "the interval went by {}", met.offsets[0]);
    assert!(moved(&met) < 0.1 * fixed, "{} instead of {fixed} m", moved(&met));
}

/// Newton's first law: Σ F = m g, and the moment of all forces about the centre of mass is nothing.
#[test]
fn whoever_stands_is_carried_by_his_weight_below_his_centre_of_mass() {
    for lean in [0.0, 0.12] {
        let (figure, clip, plan) = standing(lean);
        assert!(plan.targets[20].len() >= 8, "both feet stand");
        let solved = solve(&figure, &clip, &plan, SolveOptions::default());
        let frame = 20;
        let placements = figure.placements(&solved.clip.pose(figure.skeleton(), frame));
        let centre = figure.centre_of_mass(&placements);
        let (mut sum, mut moment) = (Vec3::zeros(), Vec3::zeros());
        for (target, force) in plan.targets[frame].iter().zip(&solved.forces[frame]) {
            assert!(force.y >= 0.0 && force.x.hypot(force.z) <= 0.8 * force.y + 1e-9, "{force} is outside of the cone");
            sum += force;
            moment += (target.place - centre).cross(force);
        }
        let weight = figure.mass() * 9.81;
        assert!((sum - Vec3::y() * weight).norm() < 0.01 * weight, "lean {lean}: {sum} carries {weight} N");
        assert!(moment.norm() < 0.002 * weight * figure.height, "lean {lean}: {moment} turns it");
        // Torques: what roots need is what nothing gives.
        assert!(solved.torques[frame][0].norm() < 0.01 * weight * figure.height);
        assert!(solved.residual[frame].fixed_rows::<3>(0).norm() < 0.01 * weight);
    }
}

fn judged(figure: &Figure, clip: &Clip, plan: &ContactPlan) -> crate::measure::Report {
    let ground = plan.ground.under(&Vec3::zeros());
    let options =
        MeasureOptions { cutoff: Cutoff::None, made: true, ground: Some(-ground.height), ..Default::default() };
    Measure { figure, clip, options }.run().unwrap()
}

fn farthest(figure: &Figure, a: &Clip, b: &Clip) -> Real {
    let mut worst = 0.0;
    for frame in 0..a.frames() {
        let [a, b] = [a, b].map(|clip| clip.pose(figure.skeleton(), frame).world(figure.skeleton()));
        worst = a.iter().zip(&b).map(|(a, b)| (a.position - b.position).norm()).fold(worst, Real::max);
    }
    worst
}

/// The independent judge finds no hand that holds the walker; the result stays near the capture; and what is
/// physical already is left alone.
#[test]
fn a_walk_is_made_physical_and_then_left_alone() {
    let (mut figure, raw) = heavy_walk();
    figure.widen_to_hold(&raw);
    let Prepared { clip, mut plan, .. } = prepared(&figure, &raw);
    let solved = solve(&figure, &clip, &plan, SolveOptions::default());
    plan.shift(&solved.offsets);
    let report = judged(&figure, &solved.clip, &plan);
    let captured = judged(&figure, &raw, &plan).get(Key::LimitsWorst).unwrap();
    let get = |key| report.get(key).unwrap();
    assert!(get(Key::ResidualForceMean) < 2e-3, "{}", get(Key::ResidualForceMean));
    assert!(get(Key::ResidualForceMax) < 0.05, "{}", get(Key::ResidualForceMax));
    assert!(get(Key::PenetrationMax) < 3.0, "{} mm", get(Key::PenetrationMax));
    // Limits in use are two degrees wider than the capture needs, and the solution may pass them by one.
    assert!(get(Key::LimitsWorst) < captured + 2.0 + 1.0, "{}° from {captured}°", get(Key::LimitsWorst));
    assert!(!solved.windows.is_empty() && solved.windows.iter().all(|window| window.converged));
    assert!(farthest(&figure, &clip, &solved.clip) < 0.15);
    let again = solve(&figure, &solved.clip, &plan, SolveOptions::default());
    assert!(again.windows.is_empty() && farthest(&figure, &solved.clip, &again.clip) < 1e-6);
    let (once, twice): (Vec3, Vec3) = (solved.forces[60].iter().sum(), again.forces[60].iter().sum());
    assert!((once - twice).norm() < 0.02 * figure.mass() * 9.81, "{once} and {twice}");
}

/// Filtering twice is filtering once.
#[test]
fn a_filtered_clip_is_filtered() {
    let (mut figure, clip) = read(Path::new("data/clips/turn.bvh"));
    figure.widen_to_hold(&clip);
    let filter = |clip: &Clip| {
        Filter { figure: &figure, clip, options: FilterOptions::default() }.run(&mut |_| true).unwrap().solved.clip
    };
    let once = filter(&clip);
    let moved = farthest(&figure, &once, &filter(&once));
    assert!(moved < 1e-3, "the second time moved something by {moved} m");
}

/// A loop stays one: its last frame is its first, moved on, and the ground carries it across the seam.
#[test]
fn a_loop_closes_and_its_seam_is_carried() {
    let (figure, clip) = walk();
    let skeleton = figure.skeleton();
    let plan = measured_plan(&figure, &clip);
    let closed = crate::motion::edit::close_loop(skeleton, &clip, 8, crate::motion::edit::CycleTravel::Keep).unwrap();
    let solved = solve(&figure, &closed, &plan, SolveOptions { looped: true, ..Default::default() });
    let last = clip.frames() - 1;
    let [first, end] = [0, last].map(|frame| figure.placements(&solved.clip.pose(skeleton, frame)));
    let travel = crate::motion::GroundMove::between(
        (&first[0].position, &first[0].rotation),
        (&end[0].position, &end[0].rotation),
    );
    for (a, b) in first.iter().zip(&end) {
        assert!((travel.point(&a.position) - b.position).norm() < 1e-9);
        assert!((travel.rotation() * a.rotation).angle_to(&b.rotation) < 1e-7);
    }
    // The acceleration of the centre of mass across the seam is what the forces there give.
    let centre = |frame: usize| figure.centre_of_mass(&figure.placements(&solved.clip.pose(skeleton, frame)));
    let before = travel.inverse().point(&centre(last - 1));
    let acceleration = (centre(1) - centre(0) * 2.0 + before) * clip.rate_hz().powi(2);
    let force: Vec3 = solved.forces[0].iter().sum();
    let weight = figure.mass() * 9.81;
    let missing = (acceleration + Vec3::y() * 9.81) * figure.mass() - force;
    assert!(missing.norm() < 0.01 * weight, "{missing} N of {weight} N");
}

/// Pieces give what the whole gives.
#[test]
fn pieces_agree_with_the_whole() {
    let (figure, clip) = walk();
    // Two cycles of the walk.
    let sampler = crate::motion::Sampler::looping(figure.skeleton(), &clip, crate::motion::Looping::Travel).unwrap();
    let frames = 2 * (clip.frames() - 1);
    let long = clip_of(frames, clip.rate_hz(), clip.joints(), |frame| {
        let motion = sampler.sample(frame as Real / clip.rate_hz());
        (motion.pose.translations[0], motion.pose.rotations)
    });
    let Prepared { clip: long, plan, .. } = prepared(&figure, &long);
    let whole = solve(&figure, &long, &plan, SolveOptions { window: Some(1e3), ..Default::default() });
    let parts = solve(&figure, &long, &plan, SolveOptions { window: Some(2.0), ..Default::default() });
    assert!(whole.windows.len() == 1 && parts.windows.len() > 1);
    let apart = farthest(&figure, &whole.clip, &parts.clip);
    assert!(apart < 5e-3, "{apart} m apart");
    let weight = figure.mass() * 9.81;
    let worst = parts.residual.iter().map(|w: &Vec6| w.fixed_rows::<3>(0).norm()).fold(0.0, Real::max);
    assert!(worst < 0.02 * weight, "{worst} N held by nothing where pieces meet");
}

#[test]
fn odd_clips_are_solved_or_refused_with_the_reason() {
    let (figure, clip) = walk();
    let plan = measured_plan(&figure, &clip);
    let run = |clip: &Clip, plan: &ContactPlan| {
        Solve { figure: &figure, clip, plan, options: SolveOptions::default() }.run(&mut |_| true)
    };
    let cut = |frames: std::ops::Range<usize>| {
        let plan = ContactPlan {
            corners: plan.corners.clone(),
            targets: plan.targets[frames.clone()].to_vec(),
            unloaded: Vec::new(),
            clearance: plan.clearance[frames.clone()].to_vec(),
            acceleration_limited: Vec::new(),
            ground: Box::new(Level(0.0)),
        };
        (crate::motion::edit::slice(&clip, frames), plan)
    };
    for count in [1, 2, 3, 5] {
        let (clip, plan) = cut(0..count);
        let solved = run(&clip.unwrap(), &plan).unwrap();
        assert!(solved.clip.frames() == count && solved.forces.len() == count && solved.torques.len() == count);
    }
    let empty =
        Clip::new("", 30.0, clip.joints(), Vec::new(), Tracks { joints: vec![0], values: vec![] }, Tracks::default());
    let (_, none) = cut(0..0);
    assert_eq!(run(&empty.unwrap(), &none).unwrap_err(), SolveError::NoFrames);
    assert!(matches!(run(&clip, &none).unwrap_err(), SolveError::PlanFrames { found: 0, .. }));
    let stopped =
        Solve { figure: &figure, clip: &clip, plan: &plan, options: SolveOptions::default() }.run(&mut |_| false);
    assert_eq!(stopped.unwrap_err(), SolveError::Stopped);
    let options = SolveOptions { friction: -1.0, ..Default::default() };
    let refused = Solve { figure: &figure, clip: &clip, plan: &plan, options }.run(&mut |_| true).unwrap_err();
    assert!(matches!(refused, SolveError::Option { what: "friction", .. }));
}

/// One segment whose root is kept cannot be moved at all.
#[test]
fn what_cannot_move_is_left() {
    let skeleton = Skeleton::new(vec![{
        let mut joint = Joint::new("stone", None, Vec3::y());
        joint.tip = Some(Vec3::new(0.3, 0.0, 0.0));
        joint
    }]);
    let skeleton = skeleton.unwrap();
    let figure = Figure::build(&skeleton, &FigureOptions::default()).unwrap();
    let clip = clip_of(10, 30.0, 1, |frame| (Vec3::y() * frame as Real, vec![Quat::identity()]));
    let solved = solve(&figure, &clip, &nothing_touches(10), SolveOptions { keep_root: true, ..Default::default() });
    assert_eq!(farthest(&figure, &clip, &solved.clip), 0.0);
    let weight = figure.mass() * 9.81;
    assert!((solved.residual[5][1] - weight).abs() < 1e-6 * weight, "a hand carries it");
}

/// The root goes its captured way, to the bit of a rounding, when it must.
#[test]
fn a_kept_root_stays() {
    let (figure, clip) = walk();
    let plan = measured_plan(&figure, &clip);
    let solved = solve(&figure, &clip, &plan, SolveOptions { keep_root: true, ..Default::default() });
    for frame in 0..clip.frames() {
        let [a, b] = [&clip, &solved.clip].map(|clip| figure.placements(&clip.pose(figure.skeleton(), frame))[0]);
        assert!((a.position - b.position).norm() < 1e-12 && a.rotation.angle_to(&b.rotation) < 1e-7);
    }
}

/// An elbow that the capture bends too far comes back to its limit; arms that hang through the trunk come out.
#[test]
fn limits_hold_and_segments_part() {
    let (figure, clip, plan) = standing(0.0);
    let arm = figure.with_role(crate::motion::Role::UpperArm(crate::motion::Side::Left)).unwrap();
    let joint = figure.segment(arm).joint;
    let rest = clip.pose(figure.skeleton(), 0);
    let bent = |angle: Real| {
        clip_of(clip.frames(), clip.rate_hz(), clip.joints(), |_| {
            let mut rotations = rest.rotations.clone();
            // Down, and through the trunk.
            rotations[joint] *= Quat::from_axis_angle(&Vec3::z_axis(), angle);
            (rest.translations[0], rotations)
        })
    };
    let worst = |clip: &Clip, key: Key| judged(&figure, clip, &plan).get(key).unwrap();
    let angles = (0..24).map(|k| Real::from(k) * 0.27);
    let inside = angles.max_by(|a, b| {
        let depth = |angle: &Real| worst(&bent(*angle), Key::SelfContactMax) + worst(&bent(*angle), Key::LimitsWorst);
        depth(a).total_cmp(&depth(b))
    });
    let clip = bent(inside.unwrap());
    let before = (worst(&clip, Key::SelfContactMax), worst(&clip, Key::LimitsWorst));
    assert!(before.0 > 10.0 || before.1 > 10.0, "nothing to mend: {before:?}");
    let solved = solve(&figure, &clip, &plan, SolveOptions::default());
    assert!(worst(&solved.clip, Key::SelfContactMax) < (0.5 * before.0).max(5.0), "of {before:?}");
    assert!(worst(&solved.clip, Key::LimitsWorst) < (0.2 * before.1).max(1.0), "of {before:?}");
}

/// A local change of the plan leads to a local solution: far from it nothing moves at all, and at the seams the motion goes
/// on as before, with the same forces.
#[test]
fn only_the_surroundings_of_a_changed_plan_are_solved_again() {
    let (figure, clip) = heavy_walk();
    let options = PrepareOptions { looped: Some(false), ..PrepareOptions::default() };
    let Prepared { clip, mut plan, .. } = Prepare { figure: &figure, clip: &clip, options }.run().unwrap();
    let options = SolveOptions { window: Some(0.9), ..SolveOptions::default() };
    let first = Solve { figure: &figure, clip: &clip, plan: &plan, options }.start_at_capture(&mut |_| true).unwrap();
    plan.shift(&first.solved.offsets);
    let [one, other, ..] = &first.solved.windows[..] else { panic!("one piece") };
    // A joint of the first piece, before any frame of the second, must not jump.
    let changed = [20, 21, 22];
    assert!(changed[2] < other.frames[0] && other.frames[0] < one.frames[1]);
    plan.acceleration_limited = vec![Vec::new(); clip.frames()];
    changed.iter().for_each(|&t| plan.acceleration_limited[t] = (0..figure.segments().len()).collect());
    let again = Solve { figure: &figure, clip: &clip, plan: &plan, options };
    let again = again.refine(&first, &changed, &mut |_| true).unwrap();
    let moved = |t: usize| {
        let [a, b] = [&first, &again].map(|solution| solution.solved.clip.pose(figure.skeleton(), t).rotations);
        a.iter().zip(&b).map(|(a, b)| a.angle_to(b)).fold(0.0, Real::max)
    };
    assert!(moved(21) > 1e-6, "what changed is solution again");
    let seam = other.frames[0];
    for t in seam..clip.frames() {
        assert_eq!(first.solved.clip.rotations(t), again.solved.clip.rotations(t), "frame {t}");
        if t > seam {
            assert_eq!(first.solved.forces[t], again.solved.forces[t], "frame {t}");
        }
    }
    assert_eq!(again.solved.windows[1..], first.solved.windows[1..]);
    let weight = figure.mass() * 9.81;
    for t in 1..=seam {
        let left = again.solved.residual[t].fixed_rows::<3>(0).norm() / weight;
        assert!(left < 5e-3, "{left} of the weight is missing in frame {t}, before the seam at {seam}");
    }
}
