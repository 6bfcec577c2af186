//! Clips without physics.

use super::{act, opened, painted};
use approx::assert_relative_eq;
use sinew::Vec3;
use sinew::figure::{CaptureOptions, for_capture};
use sinew::formats;
use sinew::show::{Action, Layers};

#[test]
fn frames_go_forward_and_back_and_the_clock_loops_at_the_end() {
    let mut workspace = opened(&["clips/wave.bvh"]);
    let status = workspace.status();
    assert!(status.duration > 1.0 && !status.playing && !status.live);
    act(&mut workspace, Action::StepForward);
    act(&mut workspace, Action::StepForward);
    assert_relative_eq!(workspace.status().time, 2.0 / status.frame_rate, epsilon = 1e-12);
    act(&mut workspace, Action::StepBack);
    assert_relative_eq!(workspace.status().time, 1.0 / status.frame_rate, epsilon = 1e-12);
    act(&mut workspace, Action::Seek(status.duration - 0.01));
    act(&mut workspace, Action::Play);
    workspace.advance(0.03);
    assert_relative_eq!(workspace.status().time, 0.02, epsilon = 1e-9);
    act(&mut workspace, Action::Speed(-0.5));
    workspace.advance(0.02);
    assert_relative_eq!(workspace.status().time, 0.01, epsilon = 1e-9);
    act(&mut workspace, Action::Loop(false));
    act(&mut workspace, Action::Speed(1.0));
    act(&mut workspace, Action::Seek(status.duration));
    workspace.advance(0.05);
    assert!(!workspace.status().playing, "it stops at the end");
    assert_eq!(workspace.status().time, status.duration);
}

/// The drawn centre of mass is that of the figure in the pose of the frame.
#[test]
fn the_centre_of_mass_is_the_figures() {
    let mut workspace = opened(&["clips/walk.bvh"]);
    let capture = formats::read(&super::data("clips/walk.bvh"), &Default::default()).expect("a clip");
    let clip = &capture.clips[0];
    let figure = for_capture(&capture, &CaptureOptions::default()).expect("a figure").figure;
    let frame = 20;
    act(&mut workspace, Action::Seek(frame as f64 / clip.rate_hz()));
    let picture = painted(&workspace, &Layers { centre_of_mass: true, ..Layers::NONE });
    let expected = figure.centre_of_mass(&figure.placements(&clip.pose(&capture.skeleton, frame)));
    assert_eq!(picture.dots.len(), 1);
    assert_relative_eq!(picture.dots[0].at, expected, epsilon = 1e-9);
}

#[test]
fn several_files_stand_side_by_side() {
    let mut workspace = opened(&["clips/idle.bvh", "clips/wave.bvh", "clips/dog_walk.bvh"]);
    assert_eq!(workspace.len(), 3);
    let xs: Vec<f64> = (0..3).map(|k| workspace.offset(k).x).collect();
    assert!(xs[0] == 0.0 && xs[1] > xs[0] && xs[2] > xs[1], "{xs:?}");
    let alone = painted(&opened(&["clips/wave.bvh"]), &Layers::default());
    let together = painted(&workspace, &Layers::default());
    let first = together.solids.len() - alone.solids.len();
    assert!(first > 0);
    let moved = alone.solids.iter().all(|solid| {
        let at = solid.placement.position + workspace.offset(1);
        together.solids.iter().any(|other| (other.placement.position - at).norm() < 1e-12)
    });
    assert!(moved, "only the place differs");
    let floor = |item: usize| workspace.ground(item).expect("a ground") + workspace.offset(item).y;
    assert!((0..3).all(|item| (floor(item) - floor(0)).abs() < 1e-12), "one floor for all");
    act(&mut workspace, Action::Seek(0.5));
}

/// Poses before and after are drawn paler the farther they are, those of a run only before.
#[test]
fn onion_skins_fade() {
    let mut workspace = opened(&["clips/walk.bvh"]);
    act(&mut workspace, Action::Seek(1.0));
    let layers = Layers { onion: true, ..Layers::NONE };
    let count = painted(&workspace, &Layers { mesh: true, ..Layers::NONE }).solids.len();
    let alphas: Vec<f32> = painted(&workspace, &layers).solids.chunks(count).map(|pose| pose[0].color[3]).collect();
    assert_eq!(alphas.len(), 6);
    assert!(alphas.windows(3).all(|three| three[2] > three[0]), "the farthest first: {alphas:?}");
    act(&mut workspace, Action::Live(true));
    assert!(painted(&workspace, &layers).solids.is_empty());
    super::pass(&mut workspace, 0.7);
    assert_eq!(painted(&workspace, &layers).solids.len() / count, 3);
}

/// Rays from the front hit the segment that is drawn there.
#[test]
fn picks_hit_the_segment_under_the_ray() {
    let mut workspace = opened(&["clips/idle.bvh", "clips/wave.bvh"]);
    for item in 0..2 {
        let picture = painted(&workspace, &Layers { shapes: true, ..Layers::NONE });
        let names = workspace.segments(item);
        let first = if item == 0 { 0 } else { picture.solids.len() - names.len() };
        let mut hits = 0;
        for (k, (name, _)) in names.iter().enumerate() {
            let at = picture.solids[first + k].placement.position;
            let Some(pick) = workspace.pick(at + Vec3::new(0.0, 0.0, 3.0), -Vec3::z()) else { continue };
            assert_eq!(pick.grip.item, item);
            let (_, segment) = pick.segment.unwrap_or_else(|| panic!("the ray at {name} hits {pick:?}"));
            assert!(pick.point.z >= at.z, "the side that faces the ray");
            hits += usize::from(segment == k);
            let facts = workspace.describe(&pick);
            assert!(facts.iter().any(|(what, value)| what == "body" && *value == names[segment].0), "{facts:?}");
        }
        // A few lie behind others.
        assert!(2 * hits > names.len(), "{hits} of {}", names.len());
    }
    assert!(workspace.pick(Vec3::new(0.0, 50.0, 0.0), Vec3::y()).is_none());
}
