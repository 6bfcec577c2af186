//! Load over time: feet take it up and pass it on gradually.

use super::super::body::Body;
use super::super::contact_ends::ContactEnds;
use super::super::detect::Contacts;
use super::super::feature::Features;
use super::super::forces::Demand;
use super::super::problem::Motion;
use super::super::required_wrench::RequiredWrench;
use super::super::result::PartialSolution;
use super::super::surface::Plane;
use super::super::trajectories::Trajectories;
use super::super::weights::Weights;
use super::super::window::{Piece, Track};
use super::*;

/// Forces shared over time give the wrench of every frame as those of each frame alone do, inside the friction cone, and change
/// less from frame to frame.
#[test]
fn shared_forces_give_the_same_wrench_with_less_change() {
    let (figure, clip) = walk();
    let options = PrepareOptions { looped: Some(false), ..PrepareOptions::default() };
    let prepared = Prepare { figure: &figure, clip: &clip, options }.run().unwrap();
    let (clip, plan) = (&prepared.clip, &prepared.plan);
    let solve = Solve { figure: &figure, clip, plan, options: SolveOptions::default() };
    let body = Body::new(&figure, &vec![true; figure.segments().len()], true);
    let weights = Weights::new(&figure, &body, 1.0, clip.rate_hz());
    let track = Track::new(&solve, &body, &weights);
    let piece = Piece { from: 0, to: 80, fixed: 0, keep: 80, tail: 0 };
    let problem = track.problem(&piece, &PartialSolution::new(clip.frames(), plan.interval_count(), &body));
    let x = vec![0.0; problem.frames.len() * body.unknowns];
    let offsets = vec![Vec3::zeros(); plan.interval_count()];
    let mut motion = Motion { x, offsets, ..Motion::default() };
    problem.evaluate(&mut motion, &Demand { residual: 2e-3, barrier: 1e-3, firmness: 1.0 });
    let shared = problem.share_forces(&motion);

    let mut change = [0.0; 2];
    for t in 2..problem.frames.len() - 1 {
        let left = shared.left[t].unwrap().norm();
        let alone = motion.responses[t].as_ref().unwrap().left.norm();
        assert!(left <= alone + 5e-4, "frame {t}: {left} instead of {alone}");
        let force = |frame: usize, amounts: &[super::super::forces::Amounts], corner: usize| {
            let index = problem.frames[frame].targets.iter().position(|target| target.corner == corner);
            index.map_or_else(Vec3::zeros, |index| motion.edges[frame].force(&amounts[frame], index))
        };
        for corner in 0..plan.corners.len() {
            for (change, amounts) in change.iter_mut().zip([&motion.amounts, &shared.amounts]) {
                *change += (force(t, amounts, corner) - force(t - 1, amounts, corner)).norm_squared();
            }
            let f = force(t, &shared.amounts, corner);
            assert!(f.x.hypot(f.z) <= 0.8 * f.y + 1e-9, "frame {t}: {f}");
        }
    }
    assert!(change[1] < 0.95 * change[0], "{change:?}");
}

/// Standing on both feet, a body moves its left foot aside over the ground at 0.6 m/s. The foot stays in contact longer where the body is
/// above it, because nothing else can carry the body, than where the body is above the other foot.
#[test]
fn the_missing_wrench_lengthens_a_contact() {
    let (figure, idle) = read(Path::new("data/clips/idle.bvh"));
    let features = Features::of(&figure);
    let plane = Plane { origin: Vec3::zeros(), normal: Vec3::y() };
    let end = |aside: Real| {
        let clip = leaning(&figure, &idle, aside);
        let trajectories = Trajectories::of(&figure, &features, &clip);
        let required = &RequiredWrench::of(&figure, &clip, &trajectories, &plane);
        let mut intervals = vec![Vec::new(); features.list.len()];
        for (f, feature) in features.list.iter().enumerate().filter(|(_, feature)| feature.is_foot()) {
            let left = feature.side == Some(crate::motion::Side::Left);
            intervals[f].push(0..if left { 30 } else { clip.frames() });
        }
        let mut contacts = Contacts { intervals, added: 0, hanging: Vec::new() };
        let size_scale = figure.size_scale();
        ContactEnds { features: &features, trajectories: &trajectories, surface: &plane, required, size_scale }
            .run(&mut contacts);
        let heel = features.list.iter().position(|feature| feature.name == "LeftFoot heel").unwrap();
        contacts.intervals[heel][0].end
    };
    let [over_left, over_right] = [0.18, -0.18].map(end);
    assert!(over_left > over_right && over_right >= 30, "{over_left} and {over_right}");
}

/// Standing still with the body beside the middle of its feet, metres to the left; from frame 30 on the left leg swings out at 0.6 m/s.
fn leaning(figure: &Figure, idle: &Clip, aside: Real) -> Clip {
    const LEG: Real = 0.9;
    let skeleton = figure.skeleton();
    let joint = |name: &str| skeleton.find(name).unwrap();
    let placed = |clip: &Clip, name: &str| {
        let placements = figure.placements(&clip.pose(skeleton, 0));
        placements[figure.segments().iter().position(|segment| segment.name == name).unwrap()].position
    };
    let left = (placed(idle, "LeftFoot") - placed(idle, "RightFoot")).normalize();
    let forward = left.cross(&Vec3::y());
    let made = |up: Real| {
        let tracks = idle.translations();
        let width = tracks.joints.len();
        let (mut rotations, mut values) = (Vec::new(), Vec::new());
        for t in 0..60 {
            let mut row = idle.rotations(0).to_vec();
            let out = 0.6 * (t as Real - 29.0).max(0.0) / idle.rate_hz();
            for (side, way) in [("Left", out - aside), ("Right", -aside)] {
                // The leg leans, the foot stays level.
                let lean = crate::math::Quat::from_scaled_axis(forward * (way / LEG));
                let [leg, foot] = ["UpperLeg", "Foot"].map(|part| joint(&format!("{side}{part}")));
                (row[leg], row[foot]) = (lean * row[leg], lean.inverse() * row[foot]);
            }
            rotations.extend(row);
            let mut own = tracks.values[..width].to_vec();
            own[0] += Vec3::y() * up;
            values.extend(own);
        }
        let moved = crate::motion::Tracks { joints: tracks.joints.clone(), values };
        Clip::new("leaning", idle.rate_hz(), idle.joints(), rotations, moved, crate::motion::Tracks::default()).unwrap()
    };
    let high = made(0.0);
    made(placed(idle, "RightFoot").y - placed(&high, "RightFoot").y)
}

/// Effort limits the number of steps, and with it the time, whatever the clip.
#[test]
fn a_search_ends_when_its_effort_is_spent() {
    let (figure, clip) = heavy_walk();
    let options = PrepareOptions { looped: Some(false), ..PrepareOptions::default() };
    let prepared = Prepare { figure: &figure, clip: &clip, options }.run().unwrap();
    let steps = |effort: Real| {
        // Ice, on which nothing walks like that.
        let options = SolveOptions { effort, friction: 0.02, ..SolveOptions::default() };
        let solve = Solve { figure: &figure, clip: &prepared.clip, plan: &prepared.plan, options };
        let solved = solve.run(&mut |_| true).unwrap();
        solved.windows.iter().map(|window| window.iterations).max().unwrap()
    };
    // Twelve steps are the least budget, and three of the last stage are always taken.
    let [few, many] = [1e-6, 1e3].map(steps);
    assert!(few <= 15 && many > 15, "{few} and {many} steps");
}
