//! Writing: what was read comes back number for number; everything else keeps every joint where it is.

use super::{positions, read, standing};
use proptest::prelude::*;
use sinew_motion::formats::bvh::{self, Channel, Damage, Document, LineEnd, Motion, Node};
use sinew_motion::formats::{Capture, ExportOptions, ImportOptions, PositionChannels, Source, Unit, UpAxis};
use sinew_motion::{Clip, Joint, Skeleton, Tracks};
use sinew_motion::{Quat, Real, Vec3};

fn written(capture: &Capture) -> Vec<u8> {
    bvh::write(capture, &ExportOptions::default()).unwrap()
}

/// Options under which a file is read with nothing left to guess.
fn as_is(unit: Unit, up: UpAxis) -> ImportOptions {
    ImportOptions { unit: Some(unit), up: Some(up), ..Default::default() }
}

fn rotation() -> impl Strategy<Value = Quat> {
    prop::array::uniform4(-1.0..1.0f64)
        .prop_filter("not a direction", |v| v.iter().map(|x| x * x).sum::<Real>() > 0.01)
        .prop_map(|[w, x, y, z]| Quat::new_normalize(nalgebra::Quaternion::new(w, x, y, z)))
}

fn vector(size: Real) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// Numbers of every size, zeros of both signs among them.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(-0.0), -400.0..400.0f64, prop::num::f64::NORMAL, prop::num::f64::SUBNORMAL]
}

fn document() -> impl Strategy<Value = Document> {
    let channels = prop::sample::subsequence(Channel::ALL.to_vec(), 0..=6).prop_shuffle();
    let sites = prop::collection::vec(prop::array::uniform3(number()), 0..3);
    let node = ("[a-zA-Z:_é.][a-zA-Z0-9:_ .|-]{0,8}[a-z]", prop::array::uniform3(number()), channels, sites, 0usize..4);
    (prop::collection::vec(node, 1..12), 0usize..5, 1e-4..10.0f64, any::<bool>(), any::<bool>()).prop_flat_map(
        |(raw, frames, frame_time, crlf, still)| {
            let mut nodes: Vec<Node> = Vec::new();
            // The parent of each joint is an ancestor-or-self of the joint before it: a depth-first order.
            for (name, offset, channels, end_sites, up) in raw {
                let mut parent = nodes.len().checked_sub(1);
                for _ in 0..up {
                    parent = parent.and_then(|p| nodes[p].parent);
                }
                nodes.push(Node { name, parent, offset, channels, end_sites });
            }
            let width: usize = nodes.iter().map(|node| node.channels.len()).sum();
            prop::collection::vec(number(), width * frames).prop_map(move |values| Document {
                nodes: nodes.clone(),
                motion: (!still).then_some(Motion { frame_time, values }),
                line_end: if crlf { LineEnd::CrLf } else { LineEnd::Lf },
            })
        },
    )
}

/// Equality that tells 0 from −0.
fn bits(document: &Document) -> Vec<u64> {
    let offsets = document.nodes.iter().flat_map(|n| n.offset.into_iter().chain(n.end_sites.iter().flatten().copied()));
    let values = document.motion.iter().flat_map(|motion| motion.values.iter().copied());
    offsets.chain(values).map(f64::to_bits).collect()
}

proptest! {
    #[test]
    fn every_document_survives_being_written_and_read(document in document()) {
        let bytes = document.to_bytes();
        let (again, _) = Document::parse(&bytes, Damage::Refuse).unwrap();
        prop_assert_eq!(bits(&again), bits(&document));
        prop_assert_eq!(&again, &document);
        prop_assert_eq!(again.to_bytes(), bytes);
    }

    /// Rest rotations, a shuffled order of joints, translation tracks: every joint and tip stays within 1e-9 m.
    #[test]
    fn a_skeleton_with_rest_rotations_moves_the_same_when_written(
        joints in prop::collection::vec((any::<prop::sample::Index>(), vector(0.5), rotation(), prop::option::of(vector(0.2))), 1..9),
        frames in prop::collection::vec(prop::collection::vec((rotation(), vector(0.5)), 9), 1..4),
        moved in prop::collection::vec(any::<bool>(), 9),
        scale in prop::option::of(0.01..100.0f64),
    ) {
        let skeleton = Skeleton::new(joints.iter().enumerate().map(|(j, (parent, offset, rest, tip))| Joint {
            name: format!("joint {}", j % 3),
            parent: (j > 0).then(|| parent.index(j)),
            offset: *offset,
            rest: *rest,
            tip: *tip,
            role: None,
        }).collect()).unwrap();
        let count = skeleton.len();
        let tracked: Vec<usize> = (0..count).filter(|&j| j == 0 || moved[j]).collect();
        let values = frames.iter().flat_map(|frame| tracked.iter().map(|&j| frame[j].1)).collect();
        let rotations = frames.iter().flat_map(|frame| frame[..count].iter().map(|f| f.0)).collect();
        let scales = Tracks {
            joints: scale.iter().map(|_| 0).collect(),
            values: scale.iter().flat_map(|&s| vec![Vec3::repeat(s); frames.len()]).collect(),
        };
        let clip = Clip::new("c", 60.0, count, rotations, Tracks { joints: tracked, values }, scales).unwrap();
        let mut capture = read(&standing(1)).unwrap();
        capture.source = None;
        capture.skeleton = skeleton;
        capture.clips = vec![clip];
        let bytes = written(&capture);
        let options = ImportOptions { root_offset: Some(PositionChannels::Replace), ..as_is(Unit::CENTIMETRE, UpAxis::PlusY) };
        let again = bvh::read(&bytes, &options).unwrap();
        prop_assert_eq!(again.clips[0].frames(), frames.len());
        let Some(Source::Bvh(document)) = &again.source else { panic!("comes from a BVH") };
        for node in document.nodes.iter().filter(|node| node.channels.iter().any(|c| !c.is_rotation())) {
            prop_assert_eq!(node.offset, [0.0; 3]);
        }
        prop_assert_eq!(again.clips[0].rate_hz(), 60.0);
        // Joints come back depth first; the place of each follows from its tree.
        let order = depth_first(&capture.skeleton);
        for frame in 0..frames.len() {
            let (ours, theirs) = (positions(&capture, frame), positions(&again, frame));
            for (k, &j) in order.iter().enumerate() {
                prop_assert!((ours[j] - theirs[k]).norm() < 1e-9, "joint {} in frame {}", j, frame);
            }
        }
    }

    /// An edited clip keeps the file's own unit, axes, orders and channels.
    #[test]
    fn an_edited_clip_is_written_in_the_manner_of_its_file(turn in rotation(), shift in vector(0.3), joint in 0usize..4) {
        let text = standing(4)
            .replacen("CHANNELS 3 Zrotation Xrotation Yrotation", "CHANNELS 3 Yrotation Xrotation Zrotation", 1);
        let mut capture = bvh::read(text.as_bytes(), &as_is(Unit::INCH, UpAxis::PlusZ)).unwrap();
        edit(&mut capture, joint, turn, shift);
        let bytes = written(&capture);
        let again = bvh::read(&bytes, &as_is(Unit::INCH, UpAxis::PlusZ)).unwrap();
        let (Some(Source::Bvh(before)), Some(Source::Bvh(after))) = (&capture.source, &again.source) else {
            panic!("both come from a BVH");
        };
        for (a, b) in before.nodes.iter().zip(&after.nodes) {
            prop_assert_eq!((&a.name, &a.offset, &a.channels, &a.end_sites), (&b.name, &b.offset, &b.channels, &b.end_sites));
        }
        prop_assert_eq!(before.motion.as_ref().unwrap().frame_time, after.motion.as_ref().unwrap().frame_time);
        for frame in 0..4 {
            for (a, b) in positions(&capture, frame).iter().zip(positions(&again, frame)) {
                prop_assert!((a - b).norm() < 1e-9);
            }
        }
    }
}

fn depth_first(skeleton: &Skeleton) -> Vec<usize> {
    fn visit(skeleton: &Skeleton, joint: usize, order: &mut Vec<usize>) {
        order.push(joint);
        for child in skeleton.children(joint) {
            visit(skeleton, child, order);
        }
    }
    let mut order = Vec::new();
    for root in skeleton.roots() {
        visit(skeleton, root, &mut order);
    }
    order
}

/// Turns one joint and shifts the root in every frame.
fn edit(capture: &mut Capture, joint: usize, turn: Quat, shift: Vec3) {
    let clip = &capture.clips[0];
    let mut rotations: Vec<Quat> = (0..clip.frames()).flat_map(|frame| clip.rotations(frame).to_vec()).collect();
    for rotation in rotations.iter_mut().skip(joint).step_by(clip.joints()) {
        *rotation = turn * *rotation;
    }
    let mut translations = clip.translations().clone();
    for value in &mut translations.values {
        *value += shift;
    }
    let clip = Clip::new("edited", clip.rate_hz(), clip.joints(), rotations, translations, Tracks::default());
    capture.clips[0] = clip.unwrap();
}

#[test]
fn an_untouched_file_comes_back_number_for_number() {
    let text = standing(5)
        .replace('\n', "\r\n")
        .replace("91", "91.00000000000001")
        .replace("Frame Time: 0.04", "Frame Time: .0416667");
    let capture = read(&text).unwrap();
    let Some(Source::Bvh(document)) = &capture.source else { panic!("comes from a BVH") };
    assert_eq!(written(&capture), document.to_bytes());
    assert_eq!(Document::parse(&written(&capture), Damage::Refuse).unwrap().0, *document);
    // A dropped T-pose stays dropped, an edit is written.
    let mut edited = capture.clone();
    edit(&mut edited, 1, Quat::from_euler_angles(0.1, 0.0, 0.0), Vec3::zeros());
    assert_ne!(written(&edited), written(&capture));
}

#[test]
fn joints_that_start_to_turn_or_move_get_the_channels_they_need() {
    let text = standing(3)
        .replacen("CHANNELS 3 Zrotation Xrotation Yrotation", "CHANNELS 1 Xrotation", 1)
        .replace(" 1 2 3 ", " 20 ");
    let mut capture = read(&text).unwrap();
    // A turn about X needs no other channel, one about Y does.
    for (turn, count) in [(Quat::from_euler_angles(0.3, 0.0, 0.0), 1), (Quat::from_euler_angles(0.0, 0.3, 0.0), 3)] {
        edit(&mut capture, 1, turn, Vec3::zeros());
        let again = read(&String::from_utf8(written(&capture)).unwrap()).unwrap();
        let Some(Source::Bvh(document)) = &again.source else { panic!("comes from a BVH") };
        assert_eq!(document.nodes[1].channels.len(), count);
        for (a, b) in positions(&capture, 1).iter().zip(positions(&again, 1)) {
            assert!((a - b).norm() < 1e-9);
        }
    }
}

#[test]
fn a_scale_that_changes_is_refused_by_joint_and_frame() {
    let mut capture = read(&standing(3)).unwrap();
    capture.source = None;
    let clip = &capture.clips[0];
    let rotations = (0..3).flat_map(|frame| clip.rotations(frame).to_vec()).collect();
    let scales =
        Tracks { joints: vec![1], values: vec![Vec3::repeat(1.0), Vec3::repeat(1.0), Vec3::new(1.0, 2.0, 1.0)] };
    capture.clips[0] = Clip::new("c", 25.0, 4, rotations, clip.translations().clone(), scales).unwrap();
    let error = bvh::write(&capture, &ExportOptions::default()).unwrap_err();
    assert_eq!(error.message, "joint \"Head\" is scaled by 1 × 2 × 1 in frame 3, which a BVH cannot hold");
    assert!(error.help.is_some());
}
