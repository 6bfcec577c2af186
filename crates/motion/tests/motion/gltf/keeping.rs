//! Taking animations out of a document, so that changed clips stand in their place.

use super::builder::{Glb, open, unpack};
use serde_json::json;
use sinew_motion::formats::{ExportOptions, Source, gltf};

/// Two clips that move the joint, one of them a morph too, and between them an animation of the morph alone.
fn actor() -> Glb {
    let nodes = json!([
        {"name": "hips", "translation": [0, 1, 0]},
        {"name": "skin", "mesh": 0, "skin": 0}
    ]);
    let mut glb = Glb::new(nodes, &[0]);
    let turn = [0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8];
    for (name, path) in [("walk", "rotation"), ("blink", "weights"), ("talk", "both")] {
        let animation = glb.animation(name);
        if path != "weights" {
            glb.channel(animation, 0, "rotation", "LINEAR", &[0.0, 1.0], &turn);
        }
        if path != "rotation" {
            let (times, weights) = (glb.floats("SCALAR", &[0.0, 1.0]), glb.floats("SCALAR", &[0.0, 1.0]));
            glb.link(animation, 1, "weights", "LINEAR", times, weights);
        }
    }
    glb
}

fn names_written(bytes: &[u8]) -> Vec<String> {
    let (json, _) = unpack(bytes);
    let animations = json["animations"].as_array().cloned().unwrap_or_default();
    animations.iter().map(|animation| animation["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn clips_that_are_not_kept_leave_and_animations_that_are_no_clips_stay() {
    let mut capture = open(&actor().bytes()).unwrap();
    assert_eq!(capture.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["walk", "talk"]);
    capture.clips.remove(0);
    let Some(Source::Gltf(document)) = &mut capture.source else { panic!("read from glTF") };
    assert!(document.keep_only(&capture.clips).is_empty(), "the walk moved joints only");
    let written = gltf::write_glb(&capture, &ExportOptions::default()).unwrap();
    assert_eq!(names_written(&written), ["blink", "talk"]);
}

#[test]
fn a_changed_clip_takes_its_name_over_and_the_morphs_it_loses_are_told() {
    let mut capture = open(&actor().bytes()).unwrap();
    for clip in &mut capture.clips {
        *clip = sinew_motion::edit::reversed(clip).unwrap();
    }
    let Some(Source::Gltf(document)) = &mut capture.source else { panic!("read from glTF") };
    assert_eq!(document.keep_only(&capture.clips), ["talk"]);
    let written = gltf::write_glb(&capture, &ExportOptions::default()).unwrap();
    assert_eq!(names_written(&written), ["walk", "talk", "blink"]);
}
