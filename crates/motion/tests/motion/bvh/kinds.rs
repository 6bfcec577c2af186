//! Kinds of files: the built-in clips, rewritten as other programs would have written them, are read as the same motion.

use super::guess;
use sinew_motion::formats::bvh::{self, Channel, Damage, Document, Node};
use sinew_motion::formats::{Capture, ImportOptions, Unit, UpAxis};
use sinew_motion::{Clip, Quat, Tracks, Vec3};
use std::path::Path;

/// A built-in clip as it stands in its file.
pub fn clip(name: &str) -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/clips").join(format!("{name}.bvh"));
    Document::parse(&std::fs::read(path).unwrap(), Damage::Refuse).unwrap().0
}

pub fn read(document: &Document) -> Capture {
    bvh::read(&document.to_bytes(), &ImportOptions::default()).unwrap()
}

/// World positions of the joints from `first` on, in some frames spread over the clip, metres.
pub fn places(capture: &Capture, first: usize) -> Vec<Vec3> {
    let (skeleton, clip) = (&capture.skeleton, &capture.clips[0]);
    let frames = (0..6).map(|k| k * (clip.frames() - 1) / 5);
    frames.flat_map(|frame| clip.pose(skeleton, frame).world(skeleton)[first..].to_vec()).map(|j| j.position).collect()
}

/// Largest distance between two lists of places, metres.
pub fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Values of the rows, one list a node.
fn by_node(document: &Document) -> Vec<Vec<Vec<f64>>> {
    let width: usize = document.nodes.iter().map(|node| node.channels.len()).sum();
    let split = |row: &[f64]| {
        let mut rest = row;
        let part = |node: &Node| {
            let (own, others) = rest.split_at(node.channels.len());
            rest = others;
            own.to_vec()
        };
        document.nodes.iter().map(part).collect()
    };
    document.motion.as_ref().unwrap().values.chunks_exact(width).map(split).collect()
}

fn set_rows(document: &mut Document, rows: Vec<Vec<Vec<f64>>>) {
    document.motion.as_mut().unwrap().values = rows.into_iter().flatten().flatten().collect();
}

/// Gives every joint below the root position channels; `value` says what stands in them in a frame.
fn six_channels(document: &mut Document, value: impl Fn(usize, &Node, usize) -> [f64; 3]) {
    let mut rows = by_node(document);
    for (j, node) in document.nodes.iter_mut().enumerate().skip(1) {
        for (frame, row) in rows.iter_mut().enumerate() {
            let position = value(j, node, frame);
            row[j].splice(0..0, position);
        }
        node.channels.splice(0..0, [0, 1, 2].map(Channel::position));
    }
    set_rows(document, rows);
}

/// Puts a root without motion above the hips; these get an OFFSET, and travel in their own position channels.
fn under_a_still_root(document: &mut Document, offset: [f64; 3], adds: bool) {
    let mut rows = by_node(document);
    for row in &mut rows {
        if adds {
            (0..3).for_each(|axis| row[0][axis] -= offset[axis]);
        }
        row.insert(0, vec![0.0; 6]);
    }
    for node in &mut document.nodes {
        node.parent = Some(node.parent.map_or(0, |parent| parent + 1));
    }
    let channels = document.nodes[0].channels.clone();
    document.nodes[0].offset = offset;
    let root = Node { name: "joint_Root".to_owned(), parent: None, offset: [0.0; 3], channels, end_sites: Vec::new() };
    document.nodes.insert(0, root);
    set_rows(document, rows);
}

/// Hips travel under a still root, and every other joint repeats its OFFSET, or stays at zero.
#[test]
fn travelling_hips_take_the_meaning_that_the_other_joints_show() {
    for name in ["walk", "run", "dog_walk"] {
        let plain = places(&read(&clip(name)), 0);
        for (adds, offset) in [(false, [3.0, 92.0, -1.0]), (false, [0.0, 15.0, 440.0]), (true, [3.0, 92.0, -400.0])] {
            let mut document = clip(name);
            six_channels(&mut document, |_, node, _| if adds { [0.0; 3] } else { node.offset });
            under_a_still_root(&mut document, offset, adds);
            let capture = read(&document);
            assert_eq!(guess(&capture, "joint offset").as_deref(), Some(if adds { "add" } else { "replace" }));
            let found = places(&capture, 1);
            assert!(apart(&found, &plain) < 1e-9, "{name}, adds {adds}: {}", apart(&found, &plain));
        }
    }
}

#[test]
fn travelling_hips_alone_are_put_on_the_ground() {
    let plain = places(&read(&clip("walk")), 0);
    for adds in [false, true] {
        let mut document = clip("walk");
        under_a_still_root(&mut document, [0.0, 60.0, 0.0], adds);
        assert!(apart(&places(&read(&document), 1), &plain) < 1e-9, "adds {adds}");
    }
}

/// Joints that replace beside joints that add, a bone that stretches, and a prop that travels.
#[test]
fn every_joint_has_its_own_meaning() {
    let plain = clip("walk");
    let head = plain.nodes.iter().position(|node| node.name == "Head").unwrap();
    let hand = plain.nodes.iter().position(|node| node.name == "LeftHand").unwrap();
    let stretch = |frame: usize| 0.3 * (frame as f64 * 0.1).sin();
    let expected = {
        let mut document = plain.clone();
        six_channels(&mut document, |j, node, frame| {
            if j == head { node.offset.map(|x| x * (1.0 + stretch(frame))) } else { node.offset }
        });
        places(&read(&document), 0)
    };
    let mut document = plain.clone();
    six_channels(&mut document, |j, node, frame| match () {
        _ if j == head => node.offset.map(|x| x * stretch(frame)),
        _ if j == hand => [0.0; 3],
        _ => node.offset,
    });
    let capture = read(&document);
    assert_eq!(guess(&capture, "joint offset").as_deref(), Some("replace and add"));
    let why = &capture.report.guesses.iter().find(|guess| guess.what == "joint offset").unwrap().why;
    assert!(why.contains("\"Head\", \"LeftHand\""), "{why}");
    assert!(apart(&places(&capture, 0), &expected) < 1e-9);
}

/// A clip written in another way: `world` turns everything, and `rest` turns the rest pose of each joint, without another motion.
/// Offsets and positions are multiplied by `scale`.
pub fn rewritten(capture: &Capture, world: Quat, rest: impl Fn(usize) -> Quat, scale: f64) -> Document {
    let (skeleton, clip) = (&capture.skeleton, &capture.clips[0]);
    let parent_turn = |j: usize| skeleton.joint(j).parent.map_or(world, &rest);
    let axes = [2, 0, 1].map(Channel::rotation);
    let node = |j: usize| {
        let joint = skeleton.joint(j);
        let is_root = joint.parent.is_none();
        let offset = if is_root { Vec3::zeros() } else { rest(joint.parent.unwrap()) * joint.offset * scale };
        let positions = if is_root { vec![0, 1, 2] } else { Vec::new() };
        Node {
            name: joint.name.clone(),
            parent: joint.parent,
            offset: offset.into(),
            channels: positions.into_iter().map(Channel::position).chain(axes).collect(),
            end_sites: joint.tip.map(|tip| (rest(j) * tip * scale).into()).into_iter().collect(),
        }
    };
    let mut values = Vec::new();
    for frame in 0..clip.frames() {
        let pose = clip.pose(skeleton, frame).world(skeleton);
        for (j, place) in pose.iter().enumerate() {
            if skeleton.joint(j).parent.is_none() {
                values.extend((world * place.position * scale).iter());
            }
            let local = clip.rotations(frame)[j];
            values.extend(zxy(&(parent_turn(j) * local * rest(j).inverse())));
        }
    }
    let motion = Some(bvh::Motion { frame_time: clip.frame_time(), values });
    Document { nodes: (0..skeleton.len()).map(node).collect(), motion, line_end: Default::default() }
}

/// Angles about Z, X and Y in this order, degrees.
fn zxy(rotation: &Quat) -> [f64; 3] {
    let m = rotation.to_rotation_matrix();
    let (z, y) = ((-m[(0, 1)]).atan2(m[(1, 1)]), (-m[(2, 0)]).atan2(m[(2, 2)]));
    [z, m[(2, 1)].clamp(-1.0, 1.0).asin(), y].map(f64::to_degrees)
}

/// Rotations that lay the bone of every joint along a direction.
pub fn bones_along(capture: &Capture, direction: Vec3) -> Vec<Quat> {
    let skeleton = &capture.skeleton;
    let bone = |j: usize| {
        let child = skeleton.children(j).map(|child| skeleton.joint(child).offset).find(|offset| offset.norm() > 1e-6);
        child.or(skeleton.joint(j).tip).filter(|bone| bone.norm() > 1e-6)
    };
    let turn = |bone: Vec3| Quat::rotation_between(&bone, &direction);
    let half = Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::PI);
    (0..skeleton.len()).map(|j| bone(j).map_or(Quat::identity(), |bone| turn(bone).unwrap_or(half))).collect()
}

/// Names that say nothing.
fn scrambled(mut document: Document) -> Document {
    document.nodes.iter_mut().enumerate().for_each(|(k, node)| node.name = format!("j{k}"));
    document
}

const CLIPS: [&str; 9] = ["walk", "run", "jump", "turn", "wave", "crouch", "fall", "idle", "dog_walk"];

/// The rest pose of a file says little: it stands, all its bones lie along one axis, or it belongs to another up axis than the motion.
#[test]
fn the_up_axis_is_found_whatever_the_rest_pose_and_the_names() {
    for name in CLIPS {
        let plain = read(&clip(name));
        let expected = places(&plain, 0);
        let standing = vec![Quat::identity(); plain.skeleton.len()];
        let rests = [standing, bones_along(&plain, Vec3::x()), bones_along(&plain, Vec3::z())];
        for up in [UpAxis::PlusY, UpAxis::PlusZ] {
            let world = up.to_y_up().inverse();
            for (k, rest) in rests.iter().enumerate() {
                // A standing rest pose may have been left behind by the motion; one that is no posture looks the same either way.
                for with_motion in [true, false].into_iter().filter(|with| *with || k == 0) {
                    let turn = |j: usize| if with_motion { world * rest[j] } else { rest[j] };
                    let document = rewritten(&plain, world, turn, 100.0);
                    for document in [scrambled(document.clone()), document] {
                        let found = read(&document);
                        let kind = format!("{name} {up} rest {k} {with_motion} {}", document.nodes[0].name);
                        assert_eq!((found.report.up, found.report.unit), (up, Unit::CENTIMETRE), "{kind}");
                        assert!(apart(&places(&found, 0), &expected) < 1e-9, "{kind}");
                    }
                }
            }
        }
    }
}

/// Axes that hardly any program uses need a motion that shows them.
#[test]
fn unusual_up_axes_are_found_where_the_motion_shows_them() {
    for name in ["walk", "run", "jump", "dog_walk"] {
        let plain = read(&clip(name));
        for up in UpAxis::ALL {
            let world = up.to_y_up().inverse();
            let found = read(&rewritten(&plain, world, |_| world, 100.0));
            assert_eq!(found.report.up, up, "{name}");
            assert!(apart(&places(&found, 0), &places(&plain, 0)) < 1e-9, "{name} {up}");
        }
    }
}

#[test]
fn the_unit_is_found_whatever_the_rest_pose_and_the_names() {
    for name in ["walk", "fall", "heavy_walk"] {
        let plain = read(&clip(name));
        let expected = places(&plain, 0);
        for unit in
            [Unit::METRE, Unit::DECIMETRE, Unit::CENTIMETRE, Unit::MILLIMETRE, Unit::INCH, Unit::FOOT, Unit::CMU]
        {
            for rest in [vec![Quat::identity(); plain.skeleton.len()], bones_along(&plain, Vec3::x())] {
                let document = rewritten(&plain, Quat::identity(), |j| rest[j], 1.0 / unit.metres);
                for document in [scrambled(document.clone()), document] {
                    let found = read(&document);
                    assert_eq!(found.report.unit, unit, "{name} {}", document.nodes[0].name);
                    assert!(apart(&places(&found, 0), &expected) < 1e-9, "{name} {unit}");
                }
            }
        }
    }
}

/// The first frames of a clip with the whole body turned about its hips, and set on the ground.
fn turned(name: &str, turn: Quat, travel: Vec3) -> Capture {
    let capture = read(&clip(name));
    let (skeleton, clip) = (&capture.skeleton, &capture.clips[0]);
    let (mut rotations, mut places) = (Vec::new(), Vec::new());
    for frame in 0..clip.frames() {
        let mut pose = clip.pose(skeleton, frame);
        pose.rotations[0] = turn * pose.rotations[0];
        let world = pose.world(skeleton);
        let lowest = world.iter().map(|joint| joint.position.y - world[0].position.y).fold(0.0, f64::min);
        places.push(Vec3::new(0.0, 0.06 - lowest, 0.0) + travel * frame as f64 / clip.rate_hz());
        rotations.extend(pose.rotations);
    }
    let tracks = Tracks { joints: vec![0], values: places };
    let clip = Clip::new("c", clip.rate_hz(), skeleton.len(), rotations, tracks, Tracks::default()).unwrap();
    Capture { clips: vec![clip], ..capture }
}

/// The frames of a capture, and those of others of the same skeleton after them.
fn joined(parts: &[(&Capture, Vec<usize>)]) -> Capture {
    let (first, _) = &parts[0];
    let frames = || parts.iter().flat_map(|(capture, frames)| frames.iter().map(|&frame| (&capture.clips[0], frame)));
    let rotations = frames().flat_map(|(clip, frame)| clip.rotations(frame).to_vec()).collect();
    let values = frames().map(|(clip, frame)| clip.translations().values[frame]).collect();
    let (rate, joints) = (first.clips[0].rate_hz(), first.skeleton.len());
    let clip = Clip::new("c", rate, joints, rotations, Tracks { joints: vec![0], values }, Tracks::default()).unwrap();
    Capture { clips: vec![clip], ..(*first).clone() }
}

/// Someone who lies, crawls or stands on the hands is no reason to turn the world, and where it might be one, the import says so.
#[test]
fn bodies_that_do_not_stand_do_not_turn_the_world() {
    let about = |axis: Vec3, degrees: f64| Quat::from_scaled_axis(axis * degrees.to_radians());
    let fall = read(&clip("fall"));
    let head_down = turned("idle", about(Vec3::x(), 180.0), Vec3::zeros());
    let idle = read(&clip("idle"));
    for (kind, capture) in [
        ("lies on the back", turned("idle", about(Vec3::x(), -90.0), Vec3::zeros())),
        ("lies on the side", turned("wave", about(Vec3::z(), 90.0), Vec3::zeros())),
        ("crawls", turned("walk", about(Vec3::x(), 75.0), Vec3::z() * 0.4)),
        (
            "stands on the head, then on the feet",
            joined(&[(&head_down, (0..80).collect()), (&idle, (0..150).collect())]),
        ),
        ("falls and lies", joined(&[(&fall, (0..181).collect()), (&fall, vec![180; 200])])),
        ("lies and gets up", joined(&[(&fall, vec![180; 60]), (&fall, (0..181).rev().collect())])),
    ] {
        for up in [UpAxis::PlusY, UpAxis::PlusZ] {
            let world = up.to_y_up().inverse();
            for rest in [vec![Quat::identity(); capture.skeleton.len()], bones_along(&capture, Vec3::x())] {
                let found = read(&rewritten(&capture, world, |j| world * rest[j], 100.0));
                let guess = found.report.guesses.iter().find(|guess| guess.what == "up").unwrap();
                let is_told = guess.runner_up.as_deref() == Some(up.to_string().as_str());
                assert!(found.report.up == up || is_told, "{kind} {up}: {guess:?}");
                assert!(
                    up != UpAxis::PlusY || rest[1] != Quat::identity() || found.report.up == up,
                    "{kind} {up}: {guess:?}"
                );
                assert_eq!(found.report.unit, Unit::CENTIMETRE, "{kind}");
            }
        }
    }
}

/// A dog whose rest pose lies flat, legs spread, nose up or belly up.
#[test]
fn a_dog_with_a_sprawled_rest_pose_walks_on_its_feet() {
    let plain = read(&clip("dog_walk"));
    let expected = places(&plain, 0);
    let about = |axis: Vec3, degrees: f64| Quat::from_scaled_axis(axis * degrees.to_radians());
    let side = |j: usize| if plain.skeleton.joint(j).name.starts_with("Left") { 1.0 } else { -1.0 };
    let is_limb =
        |j: usize| plain.skeleton.joint(j).name.contains("Left") || plain.skeleton.joint(j).name.contains("Right");
    for body in [Quat::identity(), about(Vec3::x(), -90.0), about(Vec3::x(), 90.0), about(Vec3::z(), 180.0)] {
        for up in [UpAxis::PlusY, UpAxis::PlusZ, UpAxis::MinusZ] {
            let spread = |j: usize| if is_limb(j) { about(Vec3::z(), 85.0 * side(j)) } else { Quat::identity() };
            let world = up.to_y_up().inverse();
            let document = rewritten(&plain, world, |j| body * spread(j), 100.0);
            for document in [scrambled(document.clone()), document] {
                let found = read(&document);
                assert_eq!((found.report.up, found.report.unit), (up, Unit::CENTIMETRE), "{}", document.nodes[0].name);
                assert!(apart(&places(&found, 0), &expected) < 1e-9);
            }
        }
    }
}
