//! Clips that are hardly any.

use super::scenes::record;
use sinew::control::{Animation, ground_height};
use sinew::figure::{Figure, FigureOptions};
use sinew::motion::{Clip, ClipError, Joint, Skeleton, Tracks};
use sinew::simulation::{Event, EventKind, Run, RunSettings};
use sinew::{Quat, Real, Vec3};

fn chain(joints: usize) -> Skeleton {
    let joint = |k: usize| match k {
        0 => Joint::new("root", None, Vec3::y()),
        k => Joint::new(format!("joint {k}"), Some(k - 1), Vec3::new(0.02, 0.0, 0.0)),
    };
    Skeleton::new((0..joints).map(joint).collect()).expect("a chain")
}

fn wiggle(skeleton: &Skeleton, frames: usize) -> Clip {
    let turn = |k: usize| {
        let (frame, joint) = (k / skeleton.len(), k % skeleton.len());
        Quat::from_axis_angle(&Vec3::z_axis(), 0.02 * (frame as Real * 0.1 + joint as Real).sin())
    };
    let rotations = (0..frames * skeleton.len()).map(turn).collect();
    Clip::new("wiggle", 30.0, skeleton.len(), rotations, Tracks::default(), Tracks::default()).expect("a clip")
}

fn stage_of(skeleton: &Skeleton, clip: &Clip, above: Real) -> Run {
    let figure = Figure::build(skeleton, &FigureOptions { clip: Some(clip), ..Default::default() }).expect("a figure");
    let ground = ground_height(&figure, clip).unwrap_or(0.0) - above;
    let animation = Animation::new(skeleton, clip).expect("frames");
    Run::new(&figure, animation, RunSettings { ground, ..Default::default() }).expect("a run")
}

#[test]
fn a_single_joint_a_single_frame_and_three_hundred_joints_all_run() {
    for (joints, frames, above) in [(1, 30, 0.0), (3, 1, 0.0), (300, 5, 0.5)] {
        let skeleton = chain(joints);
        let clip = wiggle(&skeleton, frames);
        let mut run = stage_of(&skeleton, &clip, above);
        let (recording, verdict) = record(&mut run, 0.1, |_| ());
        let back = super::scenes::clip(&recording, &run);
        assert_eq!(back.joints(), joints);
        assert!(verdict.depth < 2e-3 && verdict.worst_gap < 1e-3, "{joints}×{frames}: {verdict:?}");
    }
}

#[test]
fn a_clip_without_frames_is_refused() {
    let skeleton = chain(2);
    assert_eq!(Animation::new(&skeleton, &wiggle(&skeleton, 0)).err(), Some(ClipError::NoFrames));
    assert_eq!(Animation::sequence(&skeleton, &[], 0.5).err(), Some(ClipError::NoFrames));
}

#[test]
fn events_before_the_beginning_are_refused() {
    let skeleton = chain(2);
    let mut run = stage_of(&skeleton, &wiggle(&skeleton, 5), 0.0);
    for time in [-1.0, Real::NAN, Real::INFINITY] {
        assert!(run.schedule(Event { time, follower: 0, what: EventKind::LetGo }).is_err());
    }
}
