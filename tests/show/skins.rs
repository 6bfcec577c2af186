//! Meshes bent by their skeletons.

use super::{act, data, opened, painted, patient};
use sinew::Vec3;
use sinew::formats::{self, ImportOptions};
use sinew::show::{Action, Layers, Workspace};
use std::io::Write;

fn vec(p: &[f32; 3]) -> Vec3 {
    Vec3::new(p[0].into(), p[1].into(), p[2].into())
}

/// Where the joints stand as they did when the mesh was bound, every vertex is where the file has it.
#[test]
fn a_skin_at_rest_is_the_mesh_it_was_bound_with() {
    for name in ["actor", "heavy", "dog"] {
        // Without its clips the character stands at rest.
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rest.glb");
        let mut capture =
            formats::read(&data(&format!("characters/{name}.glb")), &ImportOptions::default()).expect("a character");
        if let Some(formats::Source::Gltf(document)) = &mut capture.source {
            document.keep_only(&[]);
        }
        capture.clips.clear();
        formats::write(&path, &capture, &Default::default()).expect("a file");
        let workspace = Workspace::open(&[path], &patient()).expect("a character");
        let picture = painted(&workspace, &Layers { mesh: true, ..Layers::NONE });
        assert!(!picture.skins.is_empty() && picture.solids.is_empty(), "{name}: the skin, not the shapes");
        for skin in &picture.skins {
            let mesh = &workspace.meshes()[skin.mesh.0];
            assert_eq!(mesh.positions.len(), skin.positions.len());
            assert!(mesh.triangles.iter().flatten().all(|k| (*k as usize) < mesh.positions.len()));
            for (bound, drawn) in mesh.positions.iter().zip(&skin.positions) {
                assert!((vec(bound) - vec(drawn)).norm() < 1e-5, "{name}: {bound:?} is drawn at {drawn:?}");
            }
            assert!(skin.normals.iter().all(|n| (vec(n).norm() - 1.0).abs() < 1e-4));
        }
    }
}

/// A mesh that one bone moves is rigid: no two of its vertices come nearer or go apart, and it goes where the bone goes.
#[test]
fn vertices_of_a_single_joint_follow_it_rigidly() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bar.gltf");
    let mut file = std::fs::File::create(&path).expect("a file");
    file.write_all(bar().as_bytes()).expect("written");
    let mut workspace = Workspace::open(&[path], &patient()).expect("a bar");
    let layers = Layers { mesh: true, ..Layers::NONE };
    let start = painted(&workspace, &layers).skins[0].positions.clone();
    act(&mut workspace, Action::Seek(1.0));
    let end = painted(&workspace, &layers).skins[0].positions.clone();
    for (a, p) in start.iter().zip(&end) {
        for (b, q) in start.iter().zip(&end) {
            let (before, after) = ((vec(a) - vec(b)).norm(), (vec(p) - vec(q)).norm());
            assert!((before - after).abs() < 1e-5, "{before} {after}");
        }
    }
    // The joint at (0, 1, 0) turns by 90° about z: what was 1 m above it is 1 m to its left.
    assert!((vec(&start[2]) - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-5, "{:?}", start[2]);
    assert!((vec(&end[2]) - Vec3::new(-1.0, 1.0, 0.0)).norm() < 1e-4, "{:?}", end[2]);
}

/// Two joints, one above the other; a triangle that the upper one carries; a quarter turn of it in a second.
fn bar() -> String {
    let mut bytes: Vec<u8> = Vec::new();
    let mut put = |values: &[f32]| {
        let at = bytes.len();
        values.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        (at, 4 * values.len())
    };
    let positions = put(&[-0.1, 1.0, 0.0, 0.1, 1.0, 0.0, 0.0, 2.0, 0.0]);
    let weights = put(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let joints = put(&[f32::from_bits(1), 0.0, 0.0]);
    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let mut upper = identity;
    upper[13] = -1.0;
    let binds = put(&[identity, upper].concat());
    let times = put(&[0.0, 1.0]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turns = put(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half]);
    // Joint 1 for each of the three vertices, as bytes.
    bytes[joints.0..joints.0 + 12].copy_from_slice(&[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    let views: Vec<String> = [positions, weights, joints, binds, times, turns]
        .iter()
        .map(|(at, length)| format!(r#"{{"buffer":0,"byteOffset":{at},"byteLength":{length}}}"#))
        .collect();
    let uri = {
        use std::fmt::Write;
        let table = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for chunk in bytes.chunks(3) {
            let word = chunk.iter().fold(0u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
            for k in 0..4 {
                let letter = if k <= chunk.len() { table[(word >> (18 - 6 * k) & 63) as usize] as char } else { '=' };
                write!(text, "{letter}").expect("a letter");
            }
        }
        text
    };
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0,2]}}],
        "nodes":[{{"name":"lower","children":[1]}},{{"name":"upper","translation":[0,1,0]}},{{"mesh":0,"skin":0}}],
        "skins":[{{"joints":[0,1],"inverseBindMatrices":3}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"WEIGHTS_0":1,"JOINTS_0":2}}}}]}}],
        "animations":[{{"name":"turn","channels":[{{"sampler":0,"target":{{"node":1,"path":"rotation"}}}}],
            "samplers":[{{"input":4,"output":5}}]}}],
        "accessors":[
            {{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[-0.1,1,0],"max":[0.1,2,0]}},
            {{"bufferView":1,"componentType":5126,"count":3,"type":"VEC4"}},
            {{"bufferView":2,"componentType":5121,"count":3,"type":"VEC4"}},
            {{"bufferView":3,"componentType":5126,"count":2,"type":"MAT4"}},
            {{"bufferView":4,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]}},
            {{"bufferView":5,"componentType":5126,"count":2,"type":"VEC4"}}],
        "bufferViews":[{}],
        "buffers":[{{"byteLength":{},"uri":"data:application/octet-stream;base64,{uri}"}}]}}"#,
        views.join(","),
        bytes.len()
    )
}

/// While physics is on the skin goes with the bodies, and the ghost is the same mesh in another colour.
#[test]
fn a_live_character_keeps_its_skin_and_its_ghost() {
    let mut workspace = opened(&["characters/actor.glb"]);
    act(&mut workspace, Action::Live(true));
    (0..12).for_each(|_| act(&mut workspace, Action::StepForward));
    let picture = painted(&workspace, &Layers { mesh: true, ghost: true, ..Layers::NONE });
    assert!(picture.skins.len() >= 2 && picture.skins.len().is_multiple_of(2));
    let (own, ghost) = (&picture.skins[picture.skins.len() - 1], &picture.skins[0]);
    assert_eq!(own.mesh, ghost.mesh);
    assert!(own.color[3] == 1.0 && ghost.color[3] < 1.0);
    let apart = own.positions.iter().zip(&ghost.positions).map(|(a, b)| (vec(a) - vec(b)).norm()).fold(0.0, f64::max);
    assert!(apart < 0.2, "physics follows: {apart}");
}
