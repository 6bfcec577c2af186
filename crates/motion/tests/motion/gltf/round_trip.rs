//! Any tree of nodes, scaled, mirrored and moved in any way, comes in and goes out with its joints in place.

use super::builder::{Glb, distance, matrix, open, positions, world};
use proptest::prelude::*;
use serde_json::{Value, json};
use sinew_motion::formats::{ExportOptions, gltf};

const FRAMES: usize = 4;

/// One node: where it hangs, its transform, and what moves.
#[derive(Clone, Debug)]
struct Part {
    hang: usize,
    joint: bool,
    as_matrix: bool,
    translation: [f64; 3],
    rotation: [f64; 4],
    scale: [f64; 3],
    moves: [bool; 3],
    turns: Vec<[f64; 4]>,
    steps: Vec<[f64; 3]>,
    grows: Vec<f64>,
}

fn rotation() -> impl Strategy<Value = [f64; 4]> {
    prop::array::uniform4(-1.0..1.0f64).prop_filter_map("not a rotation", |q| {
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        (norm > 0.2).then(|| q.map(|x| f64::from((x / norm) as f32)))
    })
}

fn scale() -> impl Strategy<Value = [f64; 3]> {
    prop_oneof![
        4 => Just([1.0; 3]),
        2 => prop_oneof![Just(0.01), Just(100.0), Just(0.5), Just(-1.0)].prop_map(|s| [s; 3]),
        1 => Just([-1.0, 1.0, 1.0]),
        1 => prop::array::uniform3(0.5..2.0f64),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let vector = || prop::array::uniform3(-1.0..1.0f64).prop_map(|v| v.map(|x| f64::from(x as f32)));
    (
        (any::<usize>(), prop::bool::weighted(0.7), prop::bool::weighted(0.2)),
        (vector(), rotation(), scale()),
        prop::array::uniform3(prop::bool::weighted(0.4)),
        prop::collection::vec(rotation(), FRAMES),
        prop::collection::vec(vector(), FRAMES),
        prop::collection::vec(0.5..1.5f64, FRAMES),
    )
        .prop_map(|((hang, joint, as_matrix), (translation, rotation, scale), moves, turns, steps, grows)| Part {
            hang,
            joint,
            as_matrix,
            translation,
            rotation,
            scale,
            moves: if as_matrix { [false; 3] } else { moves },
            turns,
            steps,
            grows,
        })
}

impl Part {
    fn json(&self, name: &str) -> Value {
        let parts = json!({"translation": self.translation, "rotation": self.rotation, "scale": self.scale});
        if self.as_matrix {
            return json!({"name": name, "matrix": matrix(&parts, &[]).as_slice()});
        }
        let mut node = parts;
        node["name"] = json!(name);
        node
    }

    fn grown(&self, frame: usize) -> [f64; 3] {
        // Uneven growth of an even scale, so that scale tracks with shear below them occur.
        let g = self.grows[frame];
        [self.scale[0] * g, self.scale[1], self.scale[2] * g]
    }

    fn moved(&self, frame: usize) -> Vec<(&'static str, Vec<f64>)> {
        let f32s = |v: &[f64]| v.iter().map(|&x| f64::from(x as f32)).collect::<Vec<_>>();
        let mut moved = Vec::new();
        if self.moves[0] {
            moved.push(("translation", f32s(&self.steps[frame])));
        }
        if self.moves[1] {
            moved.push(("rotation", f32s(&self.turns[frame])));
        }
        if self.moves[2] {
            moved.push(("scale", f32s(&self.grown(frame))));
        }
        moved
    }
}

fn build(parts: &[Part]) -> Glb {
    let mut nodes: Vec<Value> = parts.iter().enumerate().map(|(k, p)| p.json(&format!("n{k}"))).collect();
    for (k, part) in parts.iter().enumerate().skip(1) {
        // One in five is a root; parents may come later in the file than their children.
        let parent = part.hang % (k + k / 4 + 1);
        if parent < k {
            let entry = nodes[parent].as_object_mut().unwrap().entry("children").or_insert(json!([]));
            entry.as_array_mut().unwrap().push(json!(k));
        }
    }
    let joints: Vec<usize> = (0..parts.len()).rev().filter(|&k| parts[k].joint || k + 1 == parts.len()).collect();
    let mut glb = Glb::new(json!(nodes), &joints);
    let clip = glb.animation("any");
    let times: Vec<f32> = (0..FRAMES).map(|k| k as f32 / 30.0).collect();
    glb.channel(clip, joints[0], "rotation", "LINEAR", &times, &[0.0, 0.0, 0.0, 1.0].repeat(FRAMES));
    for (node, part) in parts.iter().enumerate() {
        for (at, path) in ["translation", "rotation", "scale"].into_iter().enumerate() {
            if part.moves[at] {
                let frames = (0..FRAMES).map(|f| part.moved(f));
                let keys = frames.flat_map(|m| m.into_iter().find(|(p, _)| *p == path).unwrap().1);
                let keys: Vec<f32> = keys.map(|x| x as f32).collect();
                glb.channel(clip, node, path, "LINEAR", &times, &keys);
            }
        }
    }
    glb
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn joints_stay_where_the_files_matrices_put_them(parts in prop::collection::vec(part(), 1..9)) {
        let mut parts = parts;
        // The last node, always a joint, must not be a matrix: it is animated.
        let last = parts.len() - 1;
        parts[last].as_matrix = false;
        parts[last].moves[1] = true;
        let mut glb = build(&parts);
        glb.json["animations"][0]["channels"].as_array_mut().unwrap().remove(0);
        let capture = open(&glb.bytes()).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let nodes = &glb.json["nodes"];
        let metres = capture.report.unit.metres;
        let truth: Vec<_> = (0..FRAMES)
            .map(|frame| {
                let mut places = world(nodes, |n| matrix(&nodes[n], &parts[n].moved(frame)));
                places.iter_mut().for_each(|(_, p)| *p *= metres);
                places
            })
            .collect();
        let far = truth.iter().flatten().map(|(_, p)| p.norm()).fold(1.0, f64::max);
        for (frame, places) in truth.iter().enumerate() {
            let error = distance(&positions(&capture, 0, frame), places);
            prop_assert!(error < 1e-5 * far, "read, frame {frame}: {error} of {far}");
        }
        let mut changed = capture.clone();
        changed.clips[0].name = "again".into();
        let written = gltf::write_glb(&changed, &ExportOptions::default()).unwrap();
        let back = open(&written).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(back.clips.len(), 2);
        for (frame, places) in truth.iter().enumerate() {
            let error = distance(&positions(&back, 1, frame), places);
            prop_assert!(error < 3e-5 * far, "written, frame {frame}: {error} of {far}");
        }
    }
}
