//! A file made for a skeleton that never had one.

use super::builder::{open, unpack};
use sinew_motion::formats::{Capture, ExportOptions, Format, ImportReport, Unit, UpAxis, gltf};
use sinew_motion::{Clip, Joint, Role, Side, Skeleton, Tracks};
use sinew_motion::{Quat, Vec3};

/// A figure of a dozen joints that stands on a far-away root.
pub fn figure() -> Skeleton {
    let mut joints = vec![Joint::new("root", None, Vec3::new(5.0, 0.0, 0.0))];
    let mut add = |name: &str, parent: usize, x: f64, y: f64, z: f64, role: Option<Role>| {
        let mut joint = Joint::new(name, Some(parent), Vec3::new(x, y, z));
        joint.role = role;
        joints.push(joint);
        joints.len() - 1
    };
    let hips = add("hips", 0, 0.0, 0.95, 0.0, Some(Role::Hips));
    let chest = add("chest", hips, 0.0, 0.35, 0.0, Some(Role::Spine(0)));
    let head = add("head", chest, 0.0, 0.25, 0.0, Some(Role::Head));
    for (side, sign, letter) in [(Side::Left, 1.0, "l"), (Side::Right, -1.0, "r")] {
        let leg = add(&format!("{letter} leg"), hips, 0.1 * sign, 0.0, 0.0, Some(Role::UpperLeg(side)));
        let shin = add(&format!("{letter} shin"), leg, 0.0, -0.45, 0.0, Some(Role::LowerLeg(side)));
        add(&format!("{letter} foot"), shin, 0.0, -0.45, 0.0, Some(Role::Foot(side)));
        let arm = add(&format!("{letter} arm"), chest, 0.2 * sign, 0.15, 0.0, Some(Role::UpperArm(side)));
        let hand = add(&format!("{letter} hand"), arm, 0.55 * sign, 0.0, 0.0, Some(Role::Hand(side)));
        add(&format!("{letter} finger"), hand, 0.09 * sign, 0.0, 0.0, Some(Role::Finger(side, 1, 0)));
    }
    add("weapon", chest, 0.0, 0.0, 3.0, Some(Role::Helper));
    joints[head].tip = Some(Vec3::new(0.0, 0.2, 0.0));
    joints[chest].rest = Quat::from_euler_angles(0.2, 0.0, 0.1);
    Skeleton::new(joints).unwrap()
}

pub fn capture(skeleton: Skeleton, clips: Vec<Clip>) -> Capture {
    let report = ImportReport::new(Format::Bvh, Unit::METRE, UpAxis::PlusY);
    Capture { skeleton, clips, report, source: None }
}

/// Every joint swings in its own way.
pub fn swinging(skeleton: &Skeleton, frames: usize, rate: f64) -> Clip {
    let (mut rotations, mut places) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        let t = frame as f64 / rate;
        for (j, joint) in skeleton.joints().iter().enumerate() {
            let angle = 0.4 * (t * (1.0 + 0.1 * j as f64)).sin();
            rotations.push(joint.rest * Quat::from_euler_angles(angle, 0.5 * angle, -angle));
        }
        places.push(Vec3::new(t, 0.0, 0.1 * t.sin()));
    }
    let translations = Tracks { joints: vec![0], values: places };
    Clip::new("swing", rate, skeleton.len(), rotations, translations, Tracks::default()).unwrap()
}

#[test]
fn skeleton_and_clip_come_back_as_they_were() {
    let skeleton = figure();
    let clip = swinging(&skeleton, 61, 60.0);
    let bytes = gltf::write_glb(&capture(skeleton.clone(), vec![clip.clone()]), &ExportOptions::default()).unwrap();
    let back = open(&bytes).unwrap();
    assert_eq!(back.skeleton.len(), skeleton.len());
    for (a, b) in back.skeleton.joints().iter().zip(skeleton.joints()) {
        assert_eq!((&a.name, a.parent), (&b.name, b.parent));
        assert!((a.offset - b.offset).norm() < 1e-6 && a.rest.angle_to(&b.rest) < 1e-6);
        assert!((a.tip.unwrap_or_default() - b.tip.unwrap_or_default()).norm() < 1e-6, "{}", a.name);
    }
    assert_eq!((back.clips[0].rate_hz(), back.clips[0].frames()), (60.0, 61));
    for frame in 0..61 {
        let (a, b) = (back.clips[0].pose(&back.skeleton, frame), clip.pose(&skeleton, frame));
        for (a, b) in a.world(&back.skeleton).iter().zip(b.world(&skeleton)) {
            assert!((a.position - b.position).norm() < 2e-6 && a.rotation.angle_to(&b.rotation) < 2e-6);
        }
    }
}

fn floats(json: &serde_json::Value, bin: &[u8], accessor: usize) -> Vec<f32> {
    let accessor = &json["accessors"][accessor];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    let bytes = &bin[start..start + view["byteLength"].as_u64().unwrap() as usize];
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn the_body_lies_around_its_bones_and_nowhere_else() {
    let skeleton = figure();
    let bytes = gltf::write_glb(&capture(skeleton.clone(), Vec::new()), &ExportOptions::default()).unwrap();
    let (json, bin) = unpack(&bytes);
    assert!(json.get("animations").is_none());
    let places: Vec<Vec3> =
        floats(&json, &bin, 0).chunks_exact(3).map(|p| Vec3::new(p[0].into(), p[1].into(), p[2].into())).collect();
    let (low, high) = places.iter().fold((places[0], places[0]), |(l, h), p| (l.inf(p), h.sup(p)));
    assert_eq!(json["accessors"][0]["min"][1].as_f64().unwrap() as f32, low.y as f32);
    // A person of 1.75 m: as wide as the arms, as thick as a body, nothing at the root, the slot or below the feet.
    assert!((1.6..1.85).contains(&high.y) && (-0.1..0.05).contains(&low.y), "{low} {high}");
    assert!((high.x - low.x) < 2.0 && (high.z - low.z) < 0.5, "{low} {high}");
    assert!(places.iter().all(|p| (p.x - 5.0).abs() < 1.0), "no flesh between the world and the root");
}

#[test]
fn the_body_is_a_closed_surface_that_faces_outwards() {
    let bytes = gltf::write_glb(&capture(figure(), Vec::new()), &ExportOptions::default()).unwrap();
    let (json, bin) = unpack(&bytes);
    let (places, normals) = (floats(&json, &bin, 0), floats(&json, &bin, 1));
    let vector = |list: &[f32], k: usize| Vec3::new(list[3 * k].into(), list[3 * k + 1].into(), list[3 * k + 2].into());
    let indices: Vec<usize> = floats(&json, &bin, 4).iter().map(|x| x.to_bits() as usize).collect();
    let mut volume = 0.0;
    for triangle in indices.chunks_exact(3) {
        let [a, b, c] = [0, 1, 2].map(|k| vector(&places, triangle[k]));
        let face = (b - a).cross(&(c - a));
        assert!(face.norm() > 0.0, "no triangle without area");
        assert!(face.dot(&vector(&normals, triangle[0])) > 0.0, "normals and winding agree");
        volume += a.dot(&b.cross(&c)) / 6.0;
    }
    // Overlapping parts count twice, so only the order is checked: a person has 0.07 m³.
    assert!((0.03..0.2).contains(&volume), "{volume} m³");
    assert!(normals.chunks_exact(3).all(|n| (n.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5));
}

#[test]
fn several_roots_single_joints_and_still_clips_can_be_written() {
    let two = Skeleton::new(vec![
        Joint::new("a", None, Vec3::zeros()),
        Joint::new("b", None, Vec3::new(1.0, 0.0, 0.0)),
        Joint::new("c", Some(1), Vec3::new(0.0, 1.0, 0.0)),
    ])
    .unwrap();
    let one = Skeleton::new(vec![Joint::new("only", None, Vec3::zeros())]).unwrap();
    for skeleton in [two, one] {
        let still = |frames: usize| {
            let rest = skeleton.rest_pose().rotations;
            let values = skeleton.roots().map(|j| skeleton.joint(j).offset).collect::<Vec<_>>().repeat(frames);
            let translations = Tracks { joints: skeleton.roots().collect(), values };
            Clip::new("still", 30.0, skeleton.len(), rest.repeat(frames), translations, Tracks::default()).unwrap()
        };
        for frames in [1, 2, 31] {
            let bytes =
                gltf::write_glb(&capture(skeleton.clone(), vec![still(frames)]), &ExportOptions::default()).unwrap();
            let back = open(&bytes).unwrap();
            assert_eq!(back.skeleton.len(), skeleton.len());
            assert_eq!(back.clips[0].frames(), frames, "a clip that says nothing still lasts as long");
        }
    }
}

#[test]
fn clips_of_another_skeleton_are_refused() {
    let skeleton = figure();
    let clip = swinging(&skeleton, 3, 30.0);
    let one = Skeleton::new(vec![Joint::new("only", None, Vec3::zeros())]).unwrap();
    let error = gltf::write_glb(&capture(one, vec![clip]), &ExportOptions::default()).unwrap_err();
    assert!(error.message.contains("\"swing\" cannot be written"), "{error}");
}

/// The rest positions of the body's vertices.
fn flesh(skeleton: Skeleton) -> Vec<Vec3> {
    let bytes = gltf::write_glb(&capture(skeleton, Vec::new()), &ExportOptions::default()).unwrap();
    let (json, bin) = unpack(&bytes);
    let positions = json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap() as usize;
    let values = floats(&json, &bin, positions);
    values.chunks_exact(3).map(|p| Vec3::new(p[0].into(), p[1].into(), p[2].into())).collect()
}

/// The figure with changed joints.
fn changed(change: impl Fn(&mut Vec<Joint>)) -> Skeleton {
    let mut joints = figure().joints().to_vec();
    change(&mut joints);
    Skeleton::new(joints).unwrap()
}

fn find(joints: &[Joint], name: &str) -> usize {
    joints.iter().position(|joint| joint.name == name).unwrap()
}

#[test]
fn a_helper_within_a_limb_is_part_of_it() {
    let skeleton = changed(|joints| {
        let (shin, foot) = (find(joints, "l shin"), find(joints, "l foot"));
        let mut joints_after = joints.split_off(foot);
        let mut twist = Joint::new("l shin twist", Some(shin), Vec3::new(0.0, -0.2, 0.0));
        twist.role = Some(Role::Helper);
        joints.push(twist);
        joints_after[0].offset = Vec3::new(0.0, -0.25, 0.0);
        joints_after[0].parent = Some(foot);
        for joint in &mut joints_after[1..] {
            joint.parent = joint.parent.map(|parent| if parent >= foot { parent + 1 } else { parent });
        }
        joints.append(&mut joints_after);
    });
    let world = skeleton.rest_pose().world(&skeleton);
    let joints = skeleton.joints();
    let (knee, foot) = (world[find(joints, "l shin")].position, world[find(joints, "l foot")].position);
    let flesh = flesh(skeleton.clone());
    for k in 0..=20 {
        let place = knee + (foot - knee) * (f64::from(k) / 20.0);
        let nearest = flesh.iter().map(|p| (p - place).norm()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 0.14, "a gap of {nearest} m at {k}/20 of the shin");
    }
    let on_twist = |p: &&Vec3| (p.x - knee.x).abs() < 0.08 && p.y < knee.y - 0.19 && p.y > knee.y - 0.21;
    assert!(flesh.iter().any(|p| on_twist(&p)), "two bones meet at the twist joint");
}

#[test]
fn a_helper_that_carries_the_rig_has_no_flesh() {
    for children in [1, 2] {
        let skeleton = changed(|joints| {
            joints[0].role = Some(Role::Helper);
            if children == 2 {
                let mut target = Joint::new("target", Some(0), Vec3::new(0.3, 0.0, 0.0));
                target.role = Some(Role::Helper);
                joints.push(target);
            }
        });
        let pole = |p: &&Vec3| (p.x - 5.0).abs() < 0.04 && p.y < 0.7;
        assert_eq!(flesh(skeleton).iter().filter(pole).count(), 0, "{children} children");
    }
}

#[test]
fn a_face_has_no_flesh_but_the_head_is_there() {
    let skeleton = changed(|joints| {
        let head = find(joints, "head");
        joints[head].tip = None;
        let brow = joints.len();
        for (name, parent, offset, role) in [
            ("brow", head, Vec3::new(0.0, 0.1, 0.15), Role::Helper),
            ("brow end", brow, Vec3::new(0.0, 0.0, 0.15), Role::Helper),
            ("eye holder", head, Vec3::new(0.05, 0.08, 0.1), Role::Helper),
            ("eye", brow + 2, Vec3::new(0.0, 0.0, 0.15), Role::Eye(Side::Left)),
        ] {
            let mut joint = Joint::new(name, Some(parent), offset);
            joint.role = Some(role);
            joints.push(joint);
        }
    });
    let world = skeleton.rest_pose().world(&skeleton);
    let head = world[find(skeleton.joints(), "head")].position;
    let local: Vec<Vec3> = flesh(skeleton).iter().map(|p| p - head).filter(|p| p.y > 0.05).collect();
    assert!(local.iter().any(|p| p.y > 0.15), "a skull");
    assert!(local.iter().all(|p| p.z < 0.2), "no brim");
}

#[test]
fn a_head_whose_end_points_aside_is_drawn_along_the_neck() {
    let skeleton = changed(|joints| {
        let head = find(joints, "head");
        joints[head].tip = Some(Vec3::new(0.0, 0.0, 0.25));
    });
    let world = skeleton.rest_pose().world(&skeleton);
    let head = world[find(skeleton.joints(), "head")].position;
    let above: Vec<Vec3> = flesh(skeleton).iter().map(|p| p - head).filter(|p| p.y > 0.0).collect();
    assert!(above.iter().any(|p| p.y > 0.15) && above.iter().all(|p| p.z < 0.2));
}

#[test]
fn a_still_clip_keeps_its_rate_without_a_guess() {
    let skeleton = figure();
    for (rate, frames) in [(60.0, 121), (72.5, 2), (120.0, 1)] {
        let rotations = (0..frames).flat_map(|_| skeleton.joints().iter().map(|joint| joint.rest)).collect();
        let clip = Clip::new("still", rate, skeleton.len(), rotations, Tracks::default(), Tracks::default()).unwrap();
        let bytes = gltf::write_glb(&capture(skeleton.clone(), vec![clip]), &ExportOptions::default()).unwrap();
        let back = open(&bytes).unwrap();
        assert_eq!((back.clips[0].rate_hz(), back.clips[0].frames()), (rate, frames));
        assert!(back.report.guesses.is_empty(), "{:?}", back.report.guesses);
    }
}

#[test]
fn a_head_is_straight_in_the_pose_that_is_seen_not_at_rest() {
    let skeleton = figure();
    let head = find(skeleton.joints(), "head");
    let mut rotations: Vec<Quat> = skeleton.joints().iter().map(|joint| joint.rest).collect();
    let nod = Quat::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
    rotations[head] *= nod;
    let clip = Clip::new("seen", 60.0, skeleton.len(), rotations, Tracks::default(), Tracks::default()).unwrap();
    let bytes = gltf::write_glb(&capture(skeleton.clone(), vec![clip]), &ExportOptions::default()).unwrap();
    let (json, bin) = unpack(&bytes);
    let positions = json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap() as usize;
    let frame = skeleton.rest_pose().world(&skeleton)[head];
    let values = floats(&json, &bin, positions);
    let reach = values.chunks_exact(3).map(|p| {
        let place = Vec3::new(p[0].into(), p[1].into(), p[2].into()) - frame.position;
        (nod * (frame.rotation.inverse() * place)).y
    });
    assert!(reach.fold(0.0, f64::max) > 0.15, "the head ends above the neck in the clip");
}

#[test]
fn the_many_joints_of_a_face_have_no_flesh_whatever_they_are_called() {
    let skeleton = changed(|joints| {
        let head = find(joints, "head");
        joints[head].tip = None;
        for k in 0..5 {
            joints.push(Joint::new(format!("muscle {k}"), Some(head), Vec3::new(0.0, 0.02 * f64::from(k), 0.25)));
        }
    });
    let world = skeleton.rest_pose().world(&skeleton);
    let head = world[find(skeleton.joints(), "head")].position;
    let local: Vec<Vec3> = flesh(skeleton).iter().map(|p| p - head).filter(|p| p.y > 0.0).collect();
    assert!(local.iter().any(|p| p.y > 0.15) && local.iter().all(|p| p.z < 0.2));
}
