//! Programs disagree on whether position channels replace an OFFSET or add to it; what is written here looks the
//! same to both kinds.

use super::{positions, read, standing};
use sinew_motion::formats::bvh::{self, Document};
use sinew_motion::formats::{Capture, ExportOptions, Source};
use sinew_motion::{Clip, Tracks};
use sinew_motion::{Quat, Real, Vec3};

/// The standing body with a track of positions for its head, as if it came from a file that is no BVH.
fn with_head(place: impl Fn(usize) -> Vec3) -> Capture {
    let mut capture = read(&standing(5)).unwrap();
    capture.source = None;
    put_head(&mut capture, place);
    capture
}

fn put_head(capture: &mut Capture, place: impl Fn(usize) -> Vec3) {
    let clip = &capture.clips[0];
    let rotations: Vec<Quat> = (0..5).flat_map(|frame| clip.rotations(frame).to_vec()).collect();
    let values = (0..5).flat_map(|frame| [clip.translations().values[frame], place(frame)]).collect();
    let translations = Tracks { joints: vec![0, 1], values };
    capture.clips[0] = Clip::new("c", 25.0, 4, rotations, translations, Tracks::default()).unwrap();
}

fn rewritten(capture: &Capture) -> (Capture, Document) {
    let bytes = bvh::write(capture, &ExportOptions::default()).unwrap();
    let again = read(&String::from_utf8(bytes).unwrap()).unwrap();
    let Some(Source::Bvh(document)) = again.source.clone() else { panic!("comes from a BVH") };
    (again, document)
}

fn has_positions(document: &Document, joint: usize) -> bool {
    document.nodes[joint].channels.iter().any(|channel| !channel.is_rotation())
}

fn assert_same_motion(a: &Capture, b: &Capture) {
    for frame in 0..5 {
        for (a, b) in positions(a, frame).iter().zip(positions(b, frame)) {
            assert!((a - b).norm() < 1e-6, "{a:?} became {b:?} in frame {frame}");
        }
    }
}

#[test]
fn a_joint_that_stays_where_it_is_has_an_offset_and_no_position_channels() {
    // Elsewhere than in the rest pose, and trembling as 32-bit numbers do.
    for tremble in [0.0, 4e-8] {
        let capture = with_head(|frame| Vec3::new(0.1, 0.7, 0.02) + Vec3::repeat(tremble * (frame % 2) as Real));
        let (again, document) = rewritten(&capture);
        assert!(!has_positions(&document, 1));
        assert!((Vec3::from(document.nodes[1].offset) - Vec3::new(10.0, 70.0, 2.0)).norm() < 1e-5);
        assert_same_motion(&capture, &again);
    }
}

#[test]
fn a_joint_that_moves_has_position_channels_and_no_offset() {
    // Near the rest pose, and near zero.
    for height in [0.6, 0.01] {
        let capture = with_head(|frame| Vec3::new(0.0, height + 0.01 * frame as Real, 0.0));
        let (again, document) = rewritten(&capture);
        assert!(has_positions(&document, 1));
        assert_eq!(document.nodes[1].offset, [0.0; 3]);
        // Nothing is left to guess.
        assert!(again.report.guesses.iter().all(|guess| !guess.what.ends_with("offset")));
        assert_same_motion(&capture, &again);
    }
}

#[test]
fn a_joint_of_a_bvh_that_begins_to_move_gives_up_its_offset() {
    let mut capture = read(&standing(5)).unwrap();
    put_head(&mut capture, |frame| Vec3::new(0.0, 0.6 + 0.01 * frame as Real, 0.0));
    let (again, document) = rewritten(&capture);
    assert!(has_positions(&document, 1));
    assert_eq!(document.nodes[1].offset, [0.0; 3]);
    assert_eq!(document.nodes[2].offset, [10.0, -90.0, 0.0]);
    assert_same_motion(&capture, &again);
}

#[test]
fn a_skeleton_alone_is_written_with_one_frame_of_its_rest_pose() {
    for is_new in [true, false] {
        let mut capture = read(&standing(2).replacen("OFFSET 0 0 0", "OFFSET 0 90 0", 1)).unwrap();
        let rest = capture.skeleton.joints().iter().map(|joint| joint.offset).collect::<Vec<_>>();
        capture.clips.clear();
        if is_new {
            capture.source = None;
        }
        let (again, document) = rewritten(&capture);
        assert_eq!((again.skeleton.len(), again.clips.len(), document.frames()), (4, 1, 1));
        assert!(!is_new || document.nodes[0].offset == [0.0; 3]);
        let found = positions(&again, 0);
        for (joint, offset) in rest.iter().enumerate() {
            let expected = if joint == 0 { *offset } else { rest[0] + offset };
            assert!((found[joint] - expected).norm() < 1e-12, "joint {joint}");
        }
    }
}
