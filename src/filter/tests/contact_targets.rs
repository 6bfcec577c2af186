//! Contact targets, and the ground and body overlaps that they are found from.

use super::super::body::Body;
use super::super::problem::Motion;
use super::super::proximity::captured_overlaps;
use super::super::result::PartialSolution;
use super::super::weights::Weights;
use super::super::window::{Piece, Track};
use super::*;
use crate::math::Quat;
use crate::measure::SelfContact;
use crate::motion::Role;
use crate::motion::root_motion::{offset_clip, vertical_offsets};

/// A contact across the seam of a loop is one interval: its targets in the last frame are those of the first, one cycle on.
#[test]
fn a_stance_goes_over_the_seam_of_a_loop() {
    let (figure, clip) = heavy_walk();
    let filtered = Filter { figure: &figure, clip: &clip, options: FilterOptions::default() }.run(&mut |_| true);
    let filtered = filtered.unwrap();
    let [first, .., last] = &filtered.plan.targets[..] else { panic!("no frames") };
    assert!(filtered.preparation.looped && first.len() == last.len() && !first.is_empty());
    let cycle = last[0].place - first[0].place;
    for (a, b) in first.iter().zip(last) {
        assert!(a.interval.is_some() && a.interval == b.interval, "{:?} and {:?}", a.interval, b.interval);
        assert!((b.place - a.place - cycle).norm() < 1e-6, "{} apart", (b.place - a.place - cycle).norm());
    }
    assert!(filtered.solved.offsets.iter().any(|step| step.norm() > 1e-3), "no interval has gone anywhere");
    assert!(filtered.solved.offsets.iter().all(|step| step.y == 0.0));
}

/// A tenth of the frames 2 cm lower says nothing of the floor on which all others stand.
#[test]
fn the_floor_is_where_feet_stand_and_not_where_they_are_lowest() {
    let (figure, clip) = walk();
    let options = PrepareOptions { looped: Some(false), repair: false, ..PrepareOptions::default() };
    let ground = |clip: &Clip| Prepare { figure: &figure, clip, options }.run().unwrap().preparation.ground;
    let dip = (0..clip.frames()).map(|frame| {
        let t = (frame as Real - 90.0) / 12.0;
        -0.02 * (1.0 - t * t).max(0.0).sqrt().min(0.7) / 0.7
    });
    let lower = offset_clip(figure.skeleton(), &clip, &vertical_offsets(dip)).unwrap();
    let (before, after) = (ground(&clip), ground(&lower));
    assert!((before - after).abs() < 4e-3, "{before} became {after}");
}

/// The floor to which a body is brought is the one that its feet stand on afterwards: filtered again it would be brought elsewhere otherwise.
#[test]
fn a_body_that_is_brought_to_the_ground_stands_on_it() {
    // Its rest pose shows the soles, so that half a centimetre is off.
    let (figure, clip) = read(Path::new("data/characters/actor.glb"));
    assert!(figure.skeleton().rests_on_ground(figure.height));
    // A tenth of the frames are lower by 2 cm, and there the floor is looked for first.
    let lower = clip.frames() / 2..clip.frames() / 2 + clip.frames() / 10;
    let dip = (0..clip.frames()).map(|frame| if lower.contains(&frame) { -0.02 } else { 0.0 });
    let lower = offset_clip(figure.skeleton(), &clip, &vertical_offsets(dip)).unwrap();
    let options = PrepareOptions { looped: Some(false), ..PrepareOptions::default() };
    let preparation = Prepare { figure: &figure, clip: &lower, options }.run().unwrap().preparation;
    assert!(preparation.ground.abs() < 5e-3, "the floor is at {} m", preparation.ground);
    assert!(preparation.repairs.lift.abs() < 5e-3, "the body is lifted by {} m", preparation.repairs.lift);
}

/// A body that is moved into the ground feels it with parts that were captured out of its reach.
#[test]
fn what_comes_near_the_ground_is_felt() {
    let (figure, clip) = walk();
    let plan = measured_plan(&figure, &clip);
    let solve = Solve { figure: &figure, clip: &clip, plan: &plan, options: SolveOptions::default() };
    let body = Body::new(&figure, &vec![true; figure.segments().len()], true);
    let weights = Weights::new(&figure, &body, 1.0, clip.rate_hz());
    let track = Track::new(&solve, &body, &weights);
    let piece = Piece { from: 0, to: 5, fixed: 0, keep: 5, tail: 0 };
    let mut problem = track.problem(&piece, &PartialSolution::new(clip.frames(), 0, &body));
    let head = figure.with_role(Role::Head).unwrap();
    let feels = |problem: &crate::filter::problem::Problem| {
        problem.frames[2].near_ground.iter().any(|&k| track.surface_points[k].segment == head)
    };
    assert!(!feels(&problem));
    let mut motion = Motion { x: vec![0.0; 5 * body.unknowns], ..Motion::default() };
    motion.x.chunks_mut(body.unknowns).for_each(|x| x[body.parts[0].first + 1] = -1.6);
    track.find_near_ground(&mut problem, &mut motion);
    assert!(feels(&problem));
}

/// Legs that the capture has within each other by more than flesh is known may stay there by the rest, up to 3 cm.
#[test]
fn flesh_that_is_captured_within_flesh_may_stay() {
    let (figure, _) = walk();
    let mut check = SelfContact::new(&figure).unwrap();
    let mut pose = figure.skeleton().rest_pose();
    let thigh = figure.with_role(Role::UpperLeg(crate::motion::Side::Left)).unwrap();
    let joint = figure.segment(thigh).joint;
    // The left leg goes over into the right one.
    for sign in [1.0, -1.0] {
        pose.rotations[joint] = Quat::from_axis_angle(&Vec3::z_axis(), 0.16 * sign) * pose.rotations[joint];
        let placements = figure.placements(&pose);
        let depth = check.depth(&placements);
        if depth < 0.03 {
            pose = figure.skeleton().rest_pose();
            continue;
        }
        let body = Body::new(&figure, &vec![true; figure.segments().len()], true);
        let mut held = Vec::new();
        body.relative_joints(&placements, &mut held);
        let mut places = super::super::body::Places::default();
        places.set(&body, &held, 0.0, &vec![0.0; body.unknowns]);
        let allowed = captured_overlaps(&mut check, &places, 0.02);
        let most = allowed.iter().map(|(_, depth)| *depth).fold(0.0, Real::max);
        assert!((most - (depth - 0.02).min(0.03)).abs() < 1e-6, "{most} of {depth}");
        assert!(captured_overlaps(&mut check, &places, depth + 1e-3).is_empty());
        return;
    }
    panic!("legs do not meet");
}
