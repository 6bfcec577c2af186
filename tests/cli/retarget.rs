//! `sinew retarget` as it is typed.

use super::{Desk, err, out};
use serde_json::Value;
use sinew::formats::{self, Capture, ImportOptions};
use std::path::Path;

fn data(file: &str) -> String {
    format!("{}/data/{file}", env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &Path) -> Capture {
    formats::read(file, &ImportOptions::default()).expect("a readable file")
}

#[test]
fn a_motion_goes_to_another_character_and_keeps_its_file() {
    let desk = Desk::new();
    let (clip, heavy) = (data("clips/turn.bvh"), data("characters/heavy.glb"));
    let assert =
        desk.sinew(&["retarget", &clip, "--to", &heavy, "-o", "turn.glb", "--report", "turn.json", "-v"]).success();
    let text = out(&assert);
    for expected in ["left upper leg", "99 %", "before", "after", "foot sliding", "velocity spikes"] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
    let (before, after) = (read(heavy.as_ref()), read(&desk.path("turn.glb")));
    assert_eq!(after.skeleton, before.skeleton);
    assert_eq!(after.clips.len(), before.clips.len() + 1);
    assert_eq!(after.clips[0].name, "turn", "viewers play the first clip");
    assert!(formats::gltf::skin_vertices(&after).expect("a skin").is_some(), "the mesh is kept");
    let told = std::fs::read_to_string(desk.path("turn.json")).expect("a report");
    let told: Value = serde_json::from_str(&told).expect("one JSON object");
    assert!(told["inputs"][0]["clips"][0]["after"]["skate_mm_s"].as_f64().is_some());
    assert_eq!(told["inputs"][0]["map"][0]["role"], "hips");
}

#[test]
fn several_clips_go_into_one_file_or_into_a_folder() {
    let desk = Desk::new();
    let (crouch, wave, heavy) = (data("clips/crouch.bvh"), data("clips/wave.bvh"), data("characters/heavy.glb"));
    desk.sinew(&["retarget", &crouch, &wave, "--to", &heavy, "--json", "-o", "both.glb"]).success();
    assert_eq!(read(&desk.path("both.glb")).clips.len(), read(heavy.as_ref()).clips.len() + 2);
    let idle = data("clips/heavy_idle.bvh");
    desk.sinew(&["retarget", &crouch, &wave, "--to", &idle, "-o", "."]).success();
    assert_eq!(desk.files(), ["both.glb", "crouch.bvh", "wave.bvh"]);
    let refused = desk.sinew(&["retarget", &crouch, &wave, "--to", &idle, "-o", "one.bvh"]).code(2);
    assert!(err(&refused).contains("holds one clip"), "{}", err(&refused));
    // A folder that is not there yet is made.
    desk.sinew(&["retarget", &crouch, &wave, "--to", &heavy, "-o", "new/"]).success();
    assert!(desk.path("new/crouch.glb").is_file() && desk.path("new/wave.glb").is_file());
    let refused = desk.sinew(&["retarget", &crouch, &wave, "--to", &heavy, "-o", "folder"]).code(2);
    assert!(err(&refused).contains("a / at its end"), "{}", err(&refused));
}

/// A folder may hold the takes themselves, and takes of other days have the same names.
#[test]
fn nothing_is_written_over_a_take_or_over_another_result() {
    let desk = Desk::new();
    let (crouch, idle) = (data("clips/crouch.bvh"), data("clips/heavy_idle.bvh"));
    std::fs::create_dir(desk.path("day")).expect("a folder");
    for copy in ["crouch.bvh", "day/crouch.bvh"] {
        std::fs::copy(&crouch, desk.path(copy)).expect("a copy");
    }
    let refused = desk.sinew(&["retarget", "crouch.bvh", "--to", &idle, "-o", "./"]).code(2);
    assert!(err(&refused).contains("would overwrite an input of this call"), "{}", err(&refused));
    let refused = desk.sinew(&["retarget", "crouch.bvh", "day/crouch.bvh", "--to", &idle, "-o", "new/"]).code(2);
    assert!(err(&refused).contains("both would be written to new/crouch.bvh"), "{}", err(&refused));
    assert_eq!(std::fs::read(desk.path("crouch.bvh")).expect("the take"), std::fs::read(&crouch).expect("the take"));
    assert!(!desk.path("new").exists());
}

#[test]
fn a_map_is_saved_and_read_again() {
    let desk = Desk::new();
    let (crouch, idle) = (data("clips/crouch.bvh"), data("clips/heavy_idle.bvh"));
    let run = |option: &str| {
        desk.sinew(&["retarget", &crouch, "--to", &idle, option, "map.toml", "-o", "out.bvh", "--force"])
    };
    run("--save-map").success();
    let map = std::fs::read_to_string(desk.path("map.toml")).expect("a map file");
    assert!(map.contains("= \"left upper leg\""), "{map}");
    run("--map").success();
    desk.put("map.toml", "[target]\n\"nobody\" = \"hips\"\n");
    let refused = run("--map").code(1);
    assert!(err(&refused).contains("map.toml:2"), "{}", err(&refused));
}

/// Left taken for right: the limbs of the result bend where none can. It is refused with the joints named, and written if that is asked for.
#[test]
fn joints_that_no_body_has_are_refused() {
    let desk = Desk::new();
    let (walk, heavy) = (data("clips/walk.bvh"), data("characters/heavy.glb"));
    desk.sinew(&["retarget", &walk, "--to", &heavy, "-o", "walk.glb", "--save-map", "map.toml"]).success();
    let map = std::fs::read_to_string(desk.path("map.toml")).expect("a map file");
    let source = map.split("[target]").next().expect("a source");
    let swapped = source.replace("\"left ", "\"~ ").replace("\"right ", "\"left ").replace("\"~ ", "\"right ");
    desk.put("swapped.toml", &swapped);
    let run = |more: &[&str]| {
        desk.sinew(&[&["retarget", &walk, "--to", &heavy, "-o", "out.glb", "--map", "swapped.toml"], more].concat())
    };
    let refused = run(&[]).code(1);
    for expected in ["beyond what a body can do", "thigh_l", "--write-anyway"] {
        assert!(err(&refused).contains(expected), "{expected} is missing in\n{}", err(&refused));
    }
    assert!(!desk.path("out.glb").exists());
    run(&["--write-anyway"]).success();
    assert!(desk.path("out.glb").exists());
}

#[test]
fn what_cannot_be_moved_is_refused_and_nothing_is_written() {
    let desk = Desk::new();
    let walk = data("clips/walk.bvh");
    for (target, code, reason) in [("characters/dog.glb", 1, "four legs"), ("characters/nobody.glb", 2, "no such file")]
    {
        let refused = desk.sinew(&["retarget", &walk, "--to", &data(target), "-o", "out.glb"]).code(code);
        assert!(err(&refused).contains(reason), "{}", err(&refused));
        assert!(desk.files().is_empty());
    }
}

#[test]
fn physics_takes_the_hand_off_a_moved_walk() {
    let desk = Desk::new();
    let (walk, heavy) = (data("clips/walk.bvh"), data("characters/heavy.glb"));
    let force = |options: &[&str]| {
        let mut words = vec!["retarget", &walk, "--to", &heavy, "-o", "walk.glb", "--json", "--force"];
        words.extend(options);
        let told: Value = serde_json::from_str(&out(&desk.sinew(&words).success())).expect("one JSON object");
        let figures = told["inputs"][0]["clips"][0]["after"].clone();
        ["residual_force_mean_bw", "residual_force_max_bw"].map(|key| figures[key].as_f64().expect("a number"))
    };
    let (without, with) = (force(&[]), force(&["--physics"]));
    assert!(without[0] > 0.01, "the moved walk asks for {without:?} body weights from nowhere");
    assert!(with[0] < 0.002 && with[1] < 0.05, "{with:?} body weights are left");
}

/// A jump four times as fast cannot be made physical without making another motion of it: as with the filter itself, nothing is written.
#[test]
fn what_the_filter_would_not_write_is_not_written_after_a_move_either() {
    let desk = Desk::new();
    let jump = std::fs::read_to_string(data("clips/jump.bvh")).expect("built-in data");
    let fast = jump.lines().map(|line| match line.strip_prefix("Frame Time:") {
        Some(time) => format!("Frame Time: {}", 0.25 * time.trim().parse::<f64>().expect("a time")),
        None => line.to_owned(),
    });
    std::fs::write(desk.path("fast.bvh"), fast.collect::<Vec<_>>().join("\n")).expect("is written");
    let words = ["retarget", "fast.bvh", "--to", &data("characters/actor.glb"), "-o", "out.glb"];
    let refused = desk.sinew(&[&words[..], &["--physics"]].concat()).code(1);
    assert!(err(&refused).contains("not physical") && err(&refused).contains("without --physics"), "{}", err(&refused));
    assert!(!desk.path("out.glb").exists());
    desk.sinew(&words).success();
}

/// Nothing that is read is written over, and no two results go to one file.
#[test]
fn reports_and_maps_replace_nothing_that_is_read() {
    let desk = Desk::new();
    let walk = std::fs::read(data("clips/walk.bvh")).expect("built-in data");
    let heavy = std::fs::read(data("characters/heavy.glb")).expect("built-in data");
    std::fs::write(desk.path("walk.bvh"), &walk).expect("is written");
    std::fs::write(desk.path("other.bvh"), &walk).expect("is written");
    std::fs::write(desk.path("heavy.glb"), &heavy).expect("is written");
    let words = ["retarget", "walk.bvh", "--to", "heavy.glb", "-o", "out.glb"];
    for more in [
        &["--save-map", "walk.bvh"][..],
        &["--save-map", "heavy.glb"],
        &["--report", "heavy.glb"],
        &["--report", "out.glb"],
        &["--report", "./out.glb"],
        &["--report", "told", "--save-map", "told"],
        &["--report", "nowhere/told.json"],
    ] {
        desk.sinew(&[&words[..], more].concat()).code(2);
    }
    desk.sinew(&["retarget", "walk.bvh", "--to", "other.bvh", "-o", "other.bvh"]).code(2);
    assert!(!desk.path("out.glb").exists() && !desk.path("told").exists());
    // A report beside the results goes to the folder that is made for them.
    let folder = ["retarget", "walk.bvh", "--to", "heavy.glb", "-o", "results/", "--report", "results/told.json"];
    desk.sinew(&folder).success();
    assert!(desk.path("results/told.json").exists());
    // A motion on its own skeleton is as it was, in every number, and nowhere else.
    let same = out(&desk.sinew(&["retarget", "walk.bvh", "--to", "other.bvh", "-o", "same.bvh", "--json"]).success());
    let same: Value = serde_json::from_str(&same).expect("one JSON object");
    let clip = &same["inputs"][0]["clips"][0];
    assert_eq!(clip["before"]["skate_foot_mm_s"], clip["after"]["skate_foot_mm_s"]);
    assert_eq!(clip["after"]["mpjpe_mm"].as_f64(), Some(0.0));
    assert!(std::fs::read(desk.path("walk.bvh")).expect("is there") == walk);
    assert!(std::fs::read(desk.path("other.bvh")).expect("is there") == walk);
    assert!(std::fs::read(desk.path("heavy.glb")).expect("is there") == heavy);
}

/// Game engines move characters by themselves, or by a root bone that carries the travel.
#[test]
fn travel_is_kept_left_out_or_carried_by_a_root() {
    let desk = Desk::new();
    let (walk, heavy) = (data("clips/walk.bvh"), data("characters/heavy.glb"));
    desk.sinew(&["retarget", &walk, "--to", &heavy, "-o", "kept.glb"]).success();
    desk.sinew(&["retarget", &walk, "--to", &heavy, "--root-motion", "in-place", "-o", "still.glb"]).success();
    let travel = |file: &str| {
        let capture = read(&desk.path(file));
        let clip = capture.clips.first().expect("the walk");
        let place = |frame: usize| clip.pose(&capture.skeleton, frame).world(&capture.skeleton)[0].position;
        let way = place(clip.frames() - 1) - place(0);
        way.x.hypot(way.z)
    };
    assert!(travel("kept.glb") > 1.0 && travel("still.glb") < 1e-5, "{}", travel("still.glb"));
    let refused =
        desk.sinew(&["retarget", &walk, "--to", &heavy, "--root-motion", "extract", "-o", "root.glb"]).code(1);
    let text = err(&refused);
    assert!(text.contains("no bone above its hips, \"pelvis\"") && text.contains("in-place"), "{text}");
    assert!(!desk.path("root.glb").exists());
}
