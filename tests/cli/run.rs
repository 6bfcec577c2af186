//! `sinew run`.

use super::{Desk, err, out};

const DROP: &str = "title = 'A drop'\n[world]\nduration = 0.5\n[[body]]\nname = 'ball'\nmass = 1\nshape = { kind = 'sphere', radius = 0.1 }\n[expect.it_falls]\nvalue = 'ball.vy'\nis = '-g/2'\nwithin = '1 %'\n";

#[test]
fn a_scene_that_keeps_its_promises_ends_well_and_is_written() {
    let desk = Desk::new();
    desk.put("drop.toml", DROP);
    let told = desk.sinew(&["run", "drop.toml", "-o", "drop.glb", "--record", "drop.json"]).success();
    assert!(out(&told).contains(": good, its expectation held."), "{}", out(&told));
    assert_eq!(desk.files(), ["drop.glb", "drop.json", "drop.toml"]);
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(desk.path("drop.json")).expect("a record")).expect("JSON");
    assert_eq!(record["bodies"][0]["name"], "ball");
}

#[test]
fn a_failed_expectation_is_exit_code_1_and_told() {
    let desk = Desk::new();
    desk.put("drop.toml", DROP.replace("-g/2", "-g/3"));
    let told = desk.sinew(&["run", "drop.toml"]).code(1);
    assert!(out(&told).contains("FAILED  it falls: found -4.9"), "{}", out(&told));
    let told = desk.sinew(&["run", "drop.toml", "--json"]).code(1);
    let told: serde_json::Value = serde_json::from_str(&out(&told)).expect("one JSON object");
    assert_eq!((&told["holds"], &told["expect"][0]["outcome"]), (&false.into(), &"failed".into()));
    // Ended before its time, nothing can be said about it.
    desk.sinew(&["run", "drop.toml", "--for", "0.1"]).success();
}

#[test]
fn built_in_scenes_are_listed_and_run_anywhere() {
    let desk = Desk::new();
    let list = out(&desk.sinew(&["run", "--list"]).success());
    assert!(list.lines().count() >= 40 && list.contains("mobile  "), "{list}");
    desk.sinew(&["run", "gears"]).success();
    let schema = out(&desk.sinew(&["run", "--schema"]).success());
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("a JSON Schema");
    assert!(schema["properties"]["joint"].is_object());
}

#[test]
fn mistakes_are_shown_with_their_line_and_nothing_is_written() {
    let desk = Desk::new();
    desk.put("drop.toml", DROP.replace("radius", "raduis"));
    let told = desk.sinew(&["run", "drop.toml", "-o", "drop.glb"]).code(1);
    for word in ["\"raduis\" is no entry", "drop.toml:7:", "did you mean \"radius\"?"] {
        assert!(err(&told).contains(word), "{word} in {}", err(&told));
    }
    assert_eq!(desk.files(), ["drop.toml"]);
    desk.sinew(&["run", "nowhere.toml"]).code(2);
    let told = desk.sinew(&["run", "mobiel"]).code(2);
    assert!(err(&told).contains("did you mean \"mobile\"?"), "{}", err(&told));
    desk.sinew(&["run", "gears", "-o", "gears.bvh"]).code(2);
    desk.sinew(&["run"]).code(2);
}
