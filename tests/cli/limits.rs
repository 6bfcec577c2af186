//! Hostile files: nothing is read without end, no memory is taken on the word of a file, and no file of the machine is shown
//! or copied because another file names it.

use crate::{Desk, err, out, person_bvh};
use std::fs;
use std::os::unix::fs::symlink;

/// A link to a device never ends, whatever it is called and whichever option reads it.
#[test]
fn devices_are_refused_before_memory_is_taken() {
    let desk = Desk::new();
    desk.put("in.bvh", person_bvh(20));
    for kind in ["bvh", "glb", "gltf", "asf", "amc", "toml", "json"] {
        symlink("/dev/zero", desk.path(&format!("zero.{kind}"))).expect("a link");
    }
    for words in [
        &["info", "zero.bvh"][..],
        &["info", "zero.glb"],
        &["info", "zero.gltf"],
        &["info", "zero.asf"],
        &["convert", "zero.amc", "-o", "out.glb"],
        &["run", "zero.toml"],
        &["filter", "in.bvh", "--contacts", "zero.toml", "-o", "out.glb"],
        &["simulate", "in.bvh", "--figure", "zero.toml", "-o", "out.glb"],
        &["retarget", "in.bvh", "--to", "in.bvh", "--map", "zero.toml", "-o", "out.glb"],
    ] {
        let refused = desk.sinew(words).failure();
        assert!(err(&refused).contains("is a device, not a file"), "{words:?}: {}", err(&refused));
    }
    assert!(!desk.path("out.glb").exists());
}

/// 59 frames at 0.01 Hz are 98 minutes, at 10 000 Hz 59 million frames.
#[test]
fn a_resampled_clip_that_does_not_fit_into_memory_is_refused_first() {
    let desk = Desk::new();
    desk.put("in.bvh", person_bvh(60));
    let words = ["convert", "in.bvh", "--source-rate", "0.01", "--rate", "10000", "-o", "out.bvh"];
    let refused = desk.sinew(&words).failure();
    assert!(err(&refused).contains("are more than fit into memory"), "{}", err(&refused));
    assert_eq!(desk.files(), ["in.bvh"]);
}

/// An archive can hold links. What they lead to must neither be shown nor go into a file that is passed on.
#[test]
fn no_file_from_outside_of_the_folder_is_shown_or_copied() {
    let desk = Desk::new();
    let secret = b"\x89PNG\r\n\x1a\nthe secret of the machine";
    desk.put("secret.png", secret);
    desk.put("secret.toml", "password = \"the secret of the machine\"\n");
    fs::create_dir(desk.path("archive")).expect("a folder");
    symlink("../secret.png", desk.path("archive/skin.png")).expect("a link");
    symlink("../secret.toml", desk.path("archive/link.toml")).expect("a link");
    desk.put("in.bvh", person_bvh(5));
    desk.sinew(&["convert", "in.bvh", "-o", "archive/hero.gltf"]).success();
    let whole = fs::read_to_string(desk.path("archive/hero.gltf")).expect("is there");
    let mut json: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
    json["images"] = serde_json::json!([{"uri": "skin.png"}]);
    let buffers = json["buffers"].as_array_mut().expect("buffers");
    buffers.push(serde_json::json!({"uri": "skin.png", "byteLength": 4}));
    desk.put("archive/hero.gltf", json.to_string());
    let told = desk.sinew(&["convert", "archive/hero.gltf", "-o", "out.glb"]).success();
    assert!(out(&told).contains("a link to a file outside of its folder"), "{}", out(&told));
    let written = fs::read(desk.path("out.glb")).expect("is there");
    assert!(!written.windows(10).any(|part| part == b"the secret"));
    for include in ["../secret.toml", "link.toml", &desk.path("secret.toml").display().to_string()] {
        desk.put("archive/scene.toml", format!("include = [{include:?}]\n"));
        let refused = desk.sinew(&["run", "archive/scene.toml"]).failure();
        assert!(err(&refused).contains("lies outside of the folder of the scene"), "{}", err(&refused));
        assert!(!err(&refused).contains("the secret"), "{}", err(&refused));
    }
}

/// Repetitions of entries and of events that make entries multiply.
#[test]
fn a_scene_of_more_objects_than_can_be_simulated_is_refused_before_the_first_is_made() {
    let desk = Desk::new();
    let body = "name = \"b{i}\"\nmass = 1\nshape = { kind = 'sphere', radius = 0.1 }\n";
    let list = format!("[[body]]\nrepeat = 60000\n{body}").replace("b{i}", "a{i}");
    for scene in [
        format!("{list}[[body]]\nrepeat = 60000\n{body}"),
        format!("[[event]]\nat = 1\nrepeat = 1000\n[[event.body]]\nrepeat = 1000\n{body}"),
        format!("[[body]]\nrepeat = 4000000000\n{body}"),
    ] {
        desk.put("many.toml", scene);
        let refused = desk.sinew(&["run", "many.toml"]).failure();
        assert!(err(&refused).contains("makes more than 100000 objects"), "{}", err(&refused));
    }
}
