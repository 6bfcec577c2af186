//! The real binary.

use crate::built_in;
use assert_cmd::Command;
use serde_json::Value;
use sinew::formats::{self, ImportOptions};
use tempfile::TempDir;

fn sinew(folder: &TempDir, arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::new(env!("CARGO_BIN_EXE_sinew")).current_dir(folder.path()).args(arguments).assert()
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[test]
fn a_clip_is_filtered_with_everything_that_can_be_written() {
    let folder = TempDir::new().expect("a folder");
    let input = built_in("clips/turn.bvh");
    let done = sinew(
        &folder,
        &[
            "filter",
            input.to_str().expect("a path"),
            "-o",
            "turn.glb",
            "--curves",
            "turn.csv",
            "--report",
            "turn.json",
            "--save-contacts",
            "turn.toml",
            "-v",
        ],
    )
    .success();
    let told = text(&done.get_output().stdout);
    for word in ["contacts", "LeftFoot heel", "before", "after", "residual_force_mean_bw", "× real time"] {
        assert!(told.contains(word), "{word} is missing:\n{told}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("was written");
    let curves = read("turn.csv");
    let columns = curves.lines().next().expect("a header").split(',').count();
    assert!(curves.lines().all(|line| line.split(',').count() == columns) && curves.lines().count() == 230);
    let report: Value = serde_json::from_str(&read("turn.json")).expect("JSON");
    assert!(report["after"]["residual_force_mean_bw"].as_f64().is_some_and(|force| force < 0.002));
    assert_eq!(report["curves"]["contact_forces"].as_array().map(Vec::len), Some(229));
    // What was saved is taken back.
    let again = sinew(
        &folder,
        &["filter", input.to_str().expect("a path"), "-o", "again.bvh", "--contacts", "turn.toml", "--json"],
    )
    .success();
    let again: Value = serde_json::from_slice(&again.get_output().stdout).expect("JSON");
    assert_eq!(again["found"]["contacts"], report["found"]["contacts"]);
    assert!(folder.path().join("again.bvh").exists());
}

#[test]
fn refusals_name_the_reason_and_leave_nothing_behind() {
    let folder = TempDir::new().expect("a folder");
    let walk = built_in("clips/walk.bvh");
    let walk = walk.to_str().expect("a path");
    std::fs::write(
        folder.path().join("wrong.toml"),
        "format = \"sinew contacts 1\"\n\n[[contact]]\nfeature = \"LeftFoot heal\"\nseconds = [[0, 1]]\n",
    )
    .expect("writes");
    let refused: [(&[&str], i32, &[&str]); 5] = [
        (&["--ground", "-3"], 1, &["ever stands on the ground", "--ground"]),
        (&["--contacts", "wrong.toml"], 1, &["wrong.toml", "4", "LeftFoot heel"]),
        (&["--contacts", "missing.toml"], 2, &["missing.toml"]),
        (&["--friction", "0"], 2, &["--friction"]),
        (&["--slope", "70"], 2, &["--slope"]),
    ];
    for (arguments, code, words) in refused {
        let mut all = vec!["filter", walk, "-o", "out.glb"];
        all.extend_from_slice(arguments);
        let failed = sinew(&folder, &all).failure().code(code);
        let said = text(&failed.get_output().stderr);
        for word in words {
            assert!(said.contains(word), "{arguments:?}: {word} is missing:\n{said}");
        }
        let left: Vec<_> = std::fs::read_dir(folder.path()).expect("lists").collect();
        assert_eq!(left.len(), 1, "{arguments:?} left something behind");
    }
}

#[test]
fn the_character_keeps_its_mesh_and_its_other_clips() {
    let folder = TempDir::new().expect("a folder");
    let actor = built_in("characters/actor.glb");
    let done =
        sinew(&folder, &["filter", actor.to_str().expect("a path"), "--clip", "idle", "-o", "idle.glb", "--json"]);
    let done: Value = serde_json::from_slice(&done.success().get_output().stdout).expect("JSON");
    assert_eq!(done["clip"], "idle");
    let info = sinew(&folder, &["info", "idle.glb", "--json"]).success();
    let info: Value = serde_json::from_slice(&info.get_output().stdout).expect("JSON");
    let names: Vec<&str> = info["clips"].as_array().expect("clips").iter().filter_map(|c| c["name"].as_str()).collect();
    assert_eq!(
        (names.len(), names.first()),
        (8, Some(&"idle")),
        "the other clips are kept, and the result is the first, which viewers play: {names:?}"
    );
    let size = std::fs::metadata(folder.path().join("idle.glb")).expect("was written").len();
    assert!(size > 100_000, "the mesh is still in it: {size} bytes");
}

/// Feet stand on what a scene has fixed; a scene without anything fixed is refused with its name and the way out.
#[test]
fn a_scene_is_ground() {
    let folder = TempDir::new().expect("a folder");
    let input = built_in("clips/turn.bvh");
    let input = input.to_str().expect("a path");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("is written");
    write("floor.toml", "title = \"A floor\"\n[ground]\nheight = \"20 cm\"\n");
    let done = sinew(&folder, &["filter", input, "--scene", "floor.toml", "--json"]).success();
    let told: Value = serde_json::from_slice(&done.get_output().stdout).expect("JSON");
    let ground = told["found"]["ground_m"].as_f64().expect("a height");
    assert!((ground - 0.2).abs() < 5e-3, "stands at {ground} m");
    let ball = "title = \"A ball\"\n[[body]]\nname = \"ball\"\nmass = 1\nshape = { kind = \"sphere\", radius = 1 }\n";
    write("ball.toml", ball);
    let refused = sinew(&folder, &["filter", input, "--scene", "ball.toml", "-o", "out.bvh"]).failure().code(1);
    let told = text(&refused.get_output().stderr);
    assert!(told.contains("ball.toml") && told.contains("nothing in this scene is fixed"), "{told}");
    assert!(!folder.path().join("out.bvh").exists());
}

/// A jump that is ten times too large cannot be made physical without making another motion of it. The table is shown, contacts can be
/// looked at, and the motion is written only if that is asked for.
#[test]
fn a_result_that_is_not_physical_is_not_written() {
    let folder = TempDir::new().expect("a folder");
    let jump = built_in("clips/jump.bvh");
    let large = [
        "filter",
        jump.to_str().expect("a path"),
        "--unit",
        "0.1",
        "--any-size",
        "-o",
        "out.bvh",
        "--save-contacts",
        "who.toml",
    ];
    let refused = sinew(&folder, &large).failure().code(1);
    let (shown, said) = (text(&refused.get_output().stdout), text(&refused.get_output().stderr));
    assert!(shown.lines().next().is_some_and(|first| first.contains("jump.bvh: not good, ")), "{shown}");
    assert!(shown.contains("force the ground cannot give") && !shown.contains("out.bvh"), "{shown}");
    for word in ["not physical", "joints moved by", "--contacts", "--write-anyway"] {
        assert!(said.contains(word), "{word} is missing:\n{said}");
    }
    assert!(folder.path().join("who.toml").exists() && !folder.path().join("out.bvh").exists());
    let mut told = large.to_vec();
    told.extend(["--json", "--force"]);
    let told = sinew(&folder, &told).failure().code(1);
    let told: Value = serde_json::from_slice(&told.get_output().stdout).expect("one object");
    assert!(told["error"]["message"].as_str().is_some_and(|message| message.contains("not physical")), "{told}");
    assert!(told["after"].is_object() && told["output"].is_null());
    let mut forced = large.to_vec();
    forced.extend(["--write-anyway", "--force"]);
    sinew(&folder, &forced).success();
    assert!(folder.path().join("out.bvh").exists());
}

/// The report of a simulated clip tells one motion: curves have the rate and the frames of the written poses, and forces are those of
/// the simulation. Without root assistance the wrench at the root is exactly zero in every frame.
#[test]
fn a_report_of_a_simulated_clip_tells_the_simulated_motion() {
    let folder = TempDir::new().expect("a folder");
    let walk = built_in("clips/walk.bvh");
    sinew(&folder, &["convert", walk.to_str().expect("a path"), "-o", "few.bvh", "--rate", "30"]).success();
    let call = [
        "filter",
        "few.bvh",
        "--simulate",
        "--root-assist",
        "0",
        "--write-anyway",
        "-o",
        "out.bvh",
        "--report",
        "out.json",
    ];
    sinew(&folder, &call).success();
    let out = formats::read(&folder.path().join("out.bvh"), &ImportOptions::default()).expect("reads");
    let report = std::fs::read(folder.path().join("out.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("one object");
    let curves = &report["curves"];
    let wrenches = curves["root_residual_n_nm"].as_array().expect("a wrench for each frame");
    assert_eq!(curves["rate_hz"].as_f64(), Some(30.0));
    assert_eq!(wrenches.len(), out.clips[0].frames());
    assert!(wrenches.iter().all(|wrench| wrench.as_array().is_some_and(|w| w.iter().all(|x| x.as_f64() == Some(0.0)))));
}

/// The simple body that a GLB gets where the capture had none is no flesh: whoever filters the written file finds the same figure, and
/// nothing left to do.
#[test]
fn a_written_glb_is_filtered() {
    let folder = TempDir::new().expect("a folder");
    let walk = built_in("clips/walk.bvh");
    sinew(&folder, &["filter", walk.to_str().expect("a path"), "-o", "once.glb"]).success();
    let written = formats::read(&folder.path().join("once.glb"), &ImportOptions::default()).expect("reads");
    assert_eq!(formats::gltf::skin_vertices(&written).expect("reads"), None, "capsules about bones are no skin");
    let told = sinew(&folder, &["filter", "once.glb", "--json"]).success();
    let told: Value = serde_json::from_slice(&told.get_output().stdout).expect("one object");
    assert_eq!(told["found"]["physical"], true, "{}", told["before"]);
    assert!(told["moved_mm"].as_f64().is_some_and(|moved| moved <= 1.0), "{}", told["moved_mm"]);
}

/// Between two of few frames a simulated body would need forces that nobody knows: it gets frames between, and is written at its own rate.
#[test]
fn few_frames_are_simulated_with_frames_between() {
    let folder = TempDir::new().expect("a folder");
    let turn = built_in("clips/turn.bvh");
    sinew(&folder, &["convert", turn.to_str().expect("a path"), "-o", "few.bvh", "--rate", "20"]).success();
    let few = formats::read(&folder.path().join("few.bvh"), &ImportOptions::default()).expect("reads");
    let told = sinew(&folder, &["filter", "few.bvh", "-o", "out.bvh", "--simulate", "--json"]).success();
    let told: Value = serde_json::from_slice(&told.get_output().stdout).expect("one object");
    let (frames, between) = (few.clips[0].frames() as u64, told["frames"].as_u64().expect("a number"));
    assert_eq!(between, 3 * (frames - 1) + 1, "60 frames a second for 20");
    let out = formats::read(&folder.path().join("out.bvh"), &ImportOptions::default()).expect("reads");
    assert_eq!((out.clips[0].frames() as u64, out.clips[0].rate_hz().round()), (frames, 20.0));
    let told = sinew(&folder, &["filter", "few.bvh", "--json"]).success();
    let told: Value = serde_json::from_slice(&told.get_output().stdout).expect("one object");
    assert_eq!(told["frames"].as_u64(), Some(frames), "what is only filtered stays at its rate");
}
