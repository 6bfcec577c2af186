//! `sinew simulate` and `sinew ragdoll`.

use super::{Desk, err, out, path_of, person_bvh};
use std::path::Path;

fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name).display().to_string()
}

#[test]
fn a_clip_is_replayed_and_written_with_the_figures_told() {
    let desk = Desk::new();
    let clip = data("clips/wave.bvh");
    let told = desk.sinew(&["simulate", &clip, "-o", "out.bvh", "--for", "1", "--report", "out.json", "-v"]).success();
    for word in ["off the targets", "joints apart", "below the floor", "help at the root", "× real time"] {
        assert!(out(&told).contains(word), "{}", out(&told));
    }
    let (source, result) = (path_of(clip.as_ref(), "LeftHand"), path_of(&desk.path("out.bvh"), "LeftHand"));
    assert_eq!(result.len(), 61);
    let worst = source.iter().zip(&result).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(worst < 0.02, "{worst} m");
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(desk.path("out.json")).expect("a report")).expect("JSON");
    assert!(report["simulated"]["target_error_rms_deg"].as_f64().is_some_and(|degrees| degrees < 0.5), "{report}");
    assert_eq!(report["curves"]["contact_force_n"].as_array().map(Vec::len), Some(61));
}

#[test]
fn meshes_stay_in_the_file_and_a_figure_let_go_comes_to_rest() {
    let desk = Desk::new();
    let told = desk.sinew(&["ragdoll", &data("characters/actor.glb"), "-o", "fall.glb", "--json"]).success();
    let told: serde_json::Value = serde_json::from_str(&out(&told)).expect("one JSON object");
    assert!(told["at_rest_at_s"].as_f64().is_some_and(|seconds| seconds < 10.0), "{told}");
    assert!(told["simulated"]["depth_max_mm"].as_f64().is_some_and(|depth| depth < 5.0), "{told}");
    let facts = desk.facts("fall.glb");
    assert_eq!(facts["clips"].as_array().map(Vec::len), Some(8), "the other clips are kept: {facts}");
    assert_eq!(facts["clips"][0]["frames"], told["frames"], "viewers play the first clip, so that is the fall");
    let size = std::fs::metadata(desk.path("fall.glb")).expect("a file").len();
    assert!(size > std::fs::metadata(data("characters/actor.glb")).expect("a file").len() / 2, "meshes are kept");
}

#[test]
fn pushes_loads_loose_parts_and_root_wishes_all_act() {
    let desk = Desk::new();
    let clip = data("clips/idle.bvh");
    let run = |arguments: &[&str]| {
        let mut all = vec!["simulate", &clip, "--for", "0.6", "--json"];
        all.extend_from_slice(arguments);
        let told: serde_json::Value = serde_json::from_str(&out(&desk.sinew(&all).success())).expect("JSON");
        told
    };
    let pushed = run(&["--push", "chest:0,0,-60@0.2", "--strength", "1", "--trip", "4"]);
    assert!(pushed["fell_at_s"].as_f64().is_some_and(|t| t > 0.2 && t < 0.4), "{pushed}");
    let thrown = run(&["--throw", "6:14@0.3", "--strength", "1", "--trip", "4"]);
    assert!(thrown["fell_at_s"].as_f64().is_some_and(|t| t > 0.2 && t < 0.6), "{thrown}");
    let free = run(&["--root-assist", "y=0"]);
    assert!(free["simulated"]["contact_force_mean_bw"].as_f64().is_some_and(|w| (w - 1.0).abs() < 0.05), "{free}");
    let loaded = run(&["--attach", "left hand:3", "--loose", "right arm,head"]);
    assert_eq!(loaded["done"].as_array().map(Vec::len), Some(2), "{loaded}");
}

/// A body saved by `info`, edited by hand, is the one that moves; a slip of the pen is refused with its line.
#[test]
fn an_edited_figure_file_is_the_body_that_moves() {
    let desk = Desk::new();
    let clip = data("clips/idle.bvh");
    desk.sinew(&["info", &clip, "--save-figure", "body.toml"]).success();
    let text = std::fs::read_to_string(desk.path("body.toml")).expect("a figure");
    let at = text.find("\nmass = ").expect("a mass") + 1;
    let end = at + text[at..].find('\n').expect("a line");
    let own: f64 = text[at + 7..end].trim().parse().expect("a number");
    desk.put("heavy.toml", format!("{}mass = {}{}", &text[..at], own + 20.0, &text[end..]));
    desk.put("wrong.toml", text.replacen("\nmass = ", "\nmas = ", 1));
    let mass = |verb: &str, arguments: &[&str]| {
        let mut all = vec![verb, &clip, "--for", "0.1", "--json"];
        all.extend_from_slice(arguments);
        let told: serde_json::Value = serde_json::from_str(&out(&desk.sinew(&all).success())).expect("JSON");
        told["mass_kg"].as_f64().expect("a mass")
    };
    let built = mass("simulate", &[]);
    assert!((mass("simulate", &["--figure", "body.toml"]) - built).abs() < 1e-9);
    for verb in ["simulate", "ragdoll"] {
        assert!((mass(verb, &["--figure", "heavy.toml"]) - built - 20.0).abs() < 1e-9);
    }
    let line = text[..at].lines().count() + 1;
    let told = desk.sinew(&["simulate", &clip, "--figure", "wrong.toml"]).code(1);
    assert!(err(&told).contains(&format!("wrong.toml:{line}")) && err(&told).contains("mass"), "{}", err(&told));
}

/// A root that is led through a slope pushes against it with the weight of dozens; that is told, with the way out.
#[test]
fn a_held_root_that_fights_the_ground_is_told() {
    let desk = Desk::new();
    let clip = data("clips/walk.bvh");
    let fights = out(&desk.sinew(&["simulate", &clip, "--slope", "10"]).success());
    assert!(fights.contains("push against each other") && fights.contains("--root-assist y=0"), "{fights}");
    let carried = out(&desk.sinew(&["simulate", &clip, "--slope", "10", "--root-assist", "y=0"]).success());
    assert!(!carried.contains("push against each other"), "{carried}");
}

#[test]
fn what_cannot_be_done_is_refused_with_help_and_nothing_is_written() {
    let desk = Desk::new();
    let clip = data("clips/idle.bvh");
    for (arguments, code, words) in [
        (&["--push", "LeftHnd:0,0,1@1"][..], 2, "LeftHand"),
        (&["--push", "LeftHand:0,0@1"], 2, "PART:X,Y,Z@T"),
        (&["--push", "LeftHand:0,0,1@99"], 2, "behind the end"),
        (&["--loose", "wings"], 2, "no bone or part"),
        (&["--root-assist", "q"], 2, "rx, ry, rz"),
        (&["--slope", "89"], 2, "between -80 and 80"),
        (&["--substeps", "0"], 2, "1 to 64"),
        (&["--substeps", "-2"], 2, "1 to 64"),
        (&["--strength", "-1"], 2, "a positive number"),
        (&["--mass", "-70"], 2, "a positive number"),
        (&["--friction", "-1"], 2, "from 0 on"),
        (&["--root-assist", "-1"], 2, "from 0 on"),
        (&["--ragdoll-at", "-1"], 2, "a time in seconds"),
        (&["--throw", "-3:8@1"], 2, "KG:SPEED@T"),
        (&["--figure", "nowhere.toml"], 2, "nowhere.toml"),
        (&["--report", "nowhere/out.json"], 2, "no folder nowhere"),
        (&["--record", "nowhere/out.json"], 2, "no folder nowhere"),
        (&["--report", "idle.bvh"], 2, ".json"),
        (&["--figure", "nowhere.toml", "--mass", "70"], 2, "cannot be used with"),
        (&["--clip", "idel"], 2, "idle"),
    ] {
        let mut all = vec!["simulate", &clip, "-o", "out.bvh"];
        all.extend_from_slice(arguments);
        let told = desk.sinew(&all).code(code);
        assert!(err(&told).contains(words), "{arguments:?}: {}", err(&told));
    }
    desk.sinew(&["simulate", &clip, "-o", "out.xyz"]).code(2);
    assert_eq!(desk.files(), Vec::<String>::new());
    desk.put("empty.bvh", person_bvh(0));
    let told = desk.sinew(&["simulate", "empty.bvh"]).code(1);
    assert!(err(&told).contains("no clip") || err(&told).contains("no frames"), "{}", err(&told));
}
