//! Skeletons of all shapes come in with the joint positions that the file's own matrices give.

use super::builder::{Glb, distance, matrix, open, positions, world};
use nalgebra::Vector3;
use serde_json::{Value, json};
use sinew_motion::Vec3;
use sinew_motion::formats::{Format, ImportOptions, Unit, UpAxis};
use sinew_motion::{Role, Side};

fn rest_error(glb: &Glb, metres: f64) -> f64 {
    let options = ImportOptions { unit: Some(Unit { metres }), ..ImportOptions::default() };
    let capture = glb.read_with(&options);
    let frames = capture.skeleton.rest_pose().world(&capture.skeleton);
    let joints: Vec<_> =
        capture.skeleton.joints().iter().zip(frames).map(|(j, f)| (j.name.clone(), f.position)).collect();
    let nodes = &glb.json["nodes"];
    let mut truth = world(nodes, |n| matrix(&nodes[n], &[]));
    truth.iter_mut().for_each(|(_, p)| *p *= metres);
    distance(&joints, &truth)
}

#[test]
fn joints_listed_before_their_parents_are_put_in_order() {
    let nodes = json!([
        {"name": "hand", "translation": [0.3, 0, 0]},
        {"name": "elbow", "translation": [0.2, 0, 0], "children": [0]},
        {"name": "shoulder", "translation": [0, 1.4, 0], "rotation": [0, 0, 0.6, 0.8], "children": [1]}
    ]);
    let glb = Glb::new(nodes, &[0, 1, 2]);
    let capture = glb.read();
    let names: Vec<_> = capture.skeleton.joints().iter().map(|j| (j.name.as_str(), j.parent)).collect();
    assert_eq!(names, [("shoulder", None), ("elbow", Some(0)), ("hand", Some(1))]);
    assert!(rest_error(&glb, 1.0) < 1e-9);
}

#[test]
fn a_z_up_matrix_and_a_hundredfold_scale_above_the_skeleton_fold_away() {
    let nodes = json!([
        {"name": "Z_UP", "matrix": [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1], "children": [1]},
        {"name": "Armature", "scale": [0.01, 0.01, 0.01], "translation": [0, 0.5, 0], "children": [2]},
        {"name": "hips", "translation": [0, 0, 95], "rotation": [0.5, 0.5, 0.5, 0.5], "children": [3]},
        {"name": "spine", "translation": [20, 1, 0], "scale": [2, 2, 2], "children": [4]},
        {"name": "head", "translation": [20, 0, 0]}
    ]);
    let glb = Glb::new(nodes, &[2, 3, 4]);
    assert!(rest_error(&glb, 1.0) < 1e-9);
    let capture = glb.read();
    assert_eq!(capture.skeleton.len(), 3);
    assert!((capture.skeleton.joint(0).offset - Vec3::new(0.0, 0.95, -0.5)).norm() < 1e-9);
    assert!((capture.skeleton.bone_length(2) - 0.4).abs() < 1e-9);
}

#[test]
fn nodes_between_joints_and_several_roots_and_skins_make_one_skeleton() {
    let nodes = json!([
        {"name": "scene", "children": [1, 4], "rotation": [0, 0.6, 0, 0.8]},
        {"name": "a", "translation": [1, 0, 0], "children": [2]},
        {"name": "between", "translation": [0, 0.5, 0], "rotation": [0.6, 0, 0, 0.8], "scale": [1.5, 1.5, 1.5], "children": [3]},
        {"name": "b", "translation": [0, 0.2, 0.1]},
        {"name": "c", "matrix": [0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 3, 1, 0, 1], "children": [5]},
        {"name": "d", "translation": [0, 0.7, 0]}
    ]);
    let mut glb = Glb::new(nodes, &[3, 1]);
    glb.json["skins"].as_array_mut().unwrap().push(json!({"joints": [1, 4, 5], "skeleton": 0}));
    let capture = glb.read();
    let parents: Vec<_> = capture.skeleton.joints().iter().map(|j| (j.name.as_str(), j.parent)).collect();
    assert_eq!(parents, [("a", None), ("b", Some(0)), ("c", None), ("d", Some(2))]);
    assert!(rest_error(&glb, 1.0) < 1e-9);
}

#[test]
fn mirrored_and_uneven_scales_keep_joint_positions_and_say_so() {
    let nodes = json!([
        {"name": "mirror", "scale": [-1, 1, 1], "children": [1]},
        {"name": "a", "translation": [0.3, 1, 0], "rotation": [0.6, 0, 0, 0.8], "scale": [1, 2, 3], "children": [2]},
        {"name": "b", "translation": [0, 0.5, 0.1], "rotation": [0, 0, 0.6, 0.8], "children": [3]},
        {"name": "c", "translation": [0.2, 0.5, 0.1]}
    ]);
    let glb = Glb::new(nodes, &[1, 2, 3]);
    assert!(rest_error(&glb, 1.0) < 1e-9);
    assert!(glb.read().report.warnings.iter().any(|w| w.message.contains("differs by axis")));
}

#[test]
fn animated_scales_become_scale_tracks_over_the_static_ones() {
    let nodes = json!([
        {"name": "root", "scale": [2, 2, 2], "children": [1]},
        {"name": "arm", "translation": [0, 0.5, 0], "scale": [3, 3, 3], "children": [2]},
        {"name": "hand", "translation": [0, 0.1, 0]}
    ]);
    let mut glb = Glb::new(nodes, &[0, 1, 2]);
    let clip = glb.animation("grow");
    glb.channel(clip, 1, "scale", "LINEAR", &[0.0, 1.0], &[3.0, 3.0, 3.0, 6.0, 3.0, 3.0]);
    glb.channel(clip, 0, "scale", "LINEAR", &[0.0, 1.0], &[2.0; 6]);
    let capture = glb.read();
    let scales = capture.clips[0].scales();
    assert_eq!(scales.joints, [1], "a constant scale is no track");
    assert_eq!(scales.values[0], Vec3::repeat(1.0));
    assert!((scales.values[capture.clips[0].frames() - 1] - Vec3::new(2.0, 1.0, 1.0)).norm() < 1e-6);
    assert_eq!(capture.clips[0].translations().joints, [0]);
}

#[test]
fn moving_nodes_above_the_skeleton_are_folded_into_every_frame() {
    let nodes = json!([
        {"name": "carrier", "translation": [0, 0, 1], "children": [1]},
        {"name": "a", "translation": [0, 1, 0], "children": [2]},
        {"name": "wobble", "rotation": [0, 0, 0.6, 0.8], "children": [3]},
        {"name": "b", "translation": [0, 0.5, 0]}
    ]);
    let mut glb = Glb::new(nodes, &[1, 3]);
    let clip = glb.animation("carried");
    let quarter = [0.0, (0.5f32).sqrt(), 0.0, (0.5f32).sqrt()];
    glb.channel(clip, 0, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 1.0, 4.0, 0.0, 1.0]);
    glb.channel(clip, 2, "rotation", "STEP", &[0.0, 1.0], &[[0.0, 0.0, 0.0, 1.0], quarter].concat());
    let capture = glb.read();
    let last = capture.clips[0].frames() - 1;
    let truth = world(&glb.json["nodes"], |n| match n {
        0 => matrix(&glb.json["nodes"][0], &[("translation", vec![4.0, 0.0, 1.0])]),
        2 => matrix(&glb.json["nodes"][2], &[("rotation", quarter.map(f64::from).to_vec())]),
        _ => matrix(&glb.json["nodes"][n], &[]),
    });
    assert!(distance(&positions(&capture, 0, last), &truth) < 1e-6);
}

#[test]
fn an_implausible_height_is_taken_for_centimetres_unless_told() {
    let nodes = json!([{"name": "paw", "children": [1]}, {"name": "ear", "translation": [0, 79, 10]}]);
    let glb = Glb::new(nodes, &[0, 1]);
    let capture = glb.read();
    assert_eq!(capture.report.unit, Unit::CENTIMETRE);
    assert_eq!(capture.report.guesses[0].option, "--unit");
    assert!((capture.skeleton.joint(1).offset.y - 0.79).abs() < 1e-12);
    let inches = glb.read_with(&ImportOptions { unit: Some(Unit::INCH), ..ImportOptions::default() });
    assert!((inches.skeleton.joint(1).offset.y - 79.0 * 0.0254).abs() < 1e-12 && inches.report.guesses.is_empty());
    assert!(rest_error(&glb, 0.0254) < 1e-9);
}

#[test]
fn an_up_axis_that_is_told_turns_the_world() {
    let nodes = json!([{"name": "a", "children": [1]}, {"name": "b", "translation": [0, 0, 1.5]}]);
    let capture =
        Glb::new(nodes, &[0, 1]).read_with(&ImportOptions { up: Some(UpAxis::PlusZ), ..ImportOptions::default() });
    let top = capture.skeleton.rest_pose().world(&capture.skeleton)[1].position;
    assert!((top - Vector3::new(0.0, 1.5, 0.0)).norm() < 1e-12);
}

fn humanoid() -> Value {
    let names = ["J_hips", "J_spine", "J_chest", "J_head", "J_thumb1", "J_thumb2", "J_toe"];
    let mut nodes: Vec<Value> = names.iter().map(|n| json!({"name": n, "translation": [0, 0.3, 0]})).collect();
    nodes[0]["children"] = json!([1, 2, 3, 4, 5, 6]);
    json!(nodes)
}

#[test]
fn the_bone_maps_of_both_vrm_versions_set_roles() {
    let old = json!([
        {"bone": "hips", "node": 0}, {"bone": "spine", "node": 1}, {"bone": "upperChest", "node": 2},
        {"bone": "head", "node": 3}, {"bone": "leftThumbProximal", "node": 4},
        {"bone": "leftThumbIntermediate", "node": 5}, {"bone": "rightToes", "node": 6}
    ]);
    let new = json!({
        "hips": {"node": 0}, "spine": {"node": 1}, "upperChest": {"node": 2}, "head": {"node": 3},
        "leftThumbMetacarpal": {"node": 4}, "leftThumbProximal": {"node": 5}, "rightToes": {"node": 6}
    });
    for (extension, bones) in [("VRM", old), ("VRMC_vrm", new)] {
        let mut glb = Glb::new(humanoid(), &[0, 1, 2, 3, 4, 5, 6]);
        glb.json["extensions"] = json!({extension: {"humanoid": {"humanBones": bones}}});
        let capture = glb.read();
        assert_eq!(capture.report.format, Format::Vrm);
        let roles: Vec<_> = capture.skeleton.joints().iter().map(|j| j.role.unwrap()).collect();
        let thumb = |k| Role::Finger(Side::Left, 0, k);
        let spine = [Role::Spine(0), Role::Spine(1)];
        let expected = [Role::Hips, spine[0], spine[1], Role::Head, thumb(0), thumb(1), Role::Toes(Side::Right)];
        assert_eq!(roles, expected, "{extension}");
    }
}

#[test]
fn end_nodes_become_tips_of_leaf_joints() {
    let nodes = json!([
        {"name": "arm", "children": [1]},
        {"name": "hand", "translation": [0, 0.5, 0], "scale": [2, 2, 2], "children": [2]},
        {"name": "hand_end", "translation": [0, 0.1, 0]}
    ]);
    let capture = Glb::new(nodes, &[0, 1]).read();
    assert!((capture.skeleton.joint(1).tip.unwrap() - Vec3::new(0.0, 0.2, 0.0)).norm() < 1e-12);
}

#[test]
fn a_file_without_a_skin_says_what_it_holds() {
    let mut glb = Glb::new(json!([{"name": "cube", "mesh": 0}]), &[]);
    glb.json["skins"] = json!([]);
    glb.json["meshes"] = json!([{"primitives": []}]);
    glb.animation("spin");
    let error = open(&glb.bytes()).unwrap_err();
    assert_eq!(error.message, "has no skin, so there is no skeleton in it; it holds 1 node, 1 mesh, 1 node animation");
    assert!(error.help.unwrap().contains("armature"));
}
