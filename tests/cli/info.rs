//! `sinew info`.

use super::*;

#[test]
fn the_tree_names_roles_lengths_and_clip_facts() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31));
    let text = out(&desk.sinew(&["info", "walk.bvh"]).success());
    for expected in ["walk.bvh", "BVH, 17 joints", "31 frames at 30 Hz, 1 s", "cm (0.01 m)", "+Y"] {
        assert!(text.contains(expected), "{expected:?} is missing in\n{text}");
    }
    let knee = text.lines().find(|line| line.contains("LeftLeg")).expect("a line for the knee");
    assert!(knee.contains("└─ LeftLeg") && knee.contains("left lower leg") && knee.contains("42.0 cm"), "{knee}");
    let heading = text.lines().find(|line| line.ends_with("from parent")).expect("names of the columns");
    assert!(heading.trim_start().starts_with("joint ") && heading.contains(" role "), "{heading}");
    assert!(text.contains("m, sole to crown, added up along the bones"), "height says what it is\n{text}");
    assert!(text.contains("--unit") && text.contains("--up"), "guesses name the option that overrides them\n{text}");
    assert!(!text.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn json_has_the_promised_keys_in_metres() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31));
    let facts = desk.facts("walk.bvh");
    assert_eq!(facts["format"], "BVH");
    assert_eq!(facts["joints"], 17);
    assert_eq!(facts["frames"], 31);
    assert!((facts["rate_hz"].as_f64().expect("a rate") - 30.0).abs() < 1e-3);
    assert_eq!(facts["unit"], "cm");
    assert_eq!(facts["up"], "+Y");
    let height = facts["height_m"].as_f64().expect("a height");
    assert!((1.7..1.8).contains(&height), "{height}");
    assert_eq!(facts["clips"].as_array().expect("clips").len(), 1);
    assert_eq!(facts["warnings"].as_array().expect("warnings").len(), 0);
    let skeleton = facts["skeleton"].as_array().expect("a skeleton");
    assert_eq!(skeleton[0]["parent"], serde_json::Value::Null);
    assert_eq!(skeleton[5]["name"], "LeftForeArm");
    assert_eq!(skeleton[5]["parent"], 4);
    assert_eq!(skeleton[5]["role"], "left lower arm");
    assert!((skeleton[5]["length_m"].as_f64().expect("a length") - 0.28).abs() < 1e-9);
    let guesses = facts["guesses"].as_array().expect("guesses");
    assert!(guesses.iter().any(|guess| guess["what"] == "unit" && guess["option"] == "--unit"), "{guesses:?}");
}

#[test]
fn unit_and_up_are_believed_when_given() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(5));
    let inches = desk.sinew(&["info", "--json", "--unit", "inch", "--up=-y", "--any-size", "walk.bvh"]).success();
    let inches: serde_json::Value = serde_json::from_str(&out(&inches)).expect("JSON");
    assert_eq!((inches["unit"].as_str(), inches["up"].as_str()), (Some("inch"), Some("-Y")));
    let length = |facts: &serde_json::Value| facts["skeleton"][5]["length_m"].as_f64().expect("a length");
    assert!((length(&inches) / length(&desk.facts("walk.bvh")) - 2.54).abs() < 1e-9);
    assert_eq!(inches["guesses"].as_array().map(|all| all.iter().filter(|g| g["what"] == "unit").count()), Some(0));
}

#[test]
fn units_may_be_written_in_full_or_short() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(3));
    for (written, unit) in
        [("in", "inch"), ("inches", "inch"), ("ft", "foot"), ("feet", "foot"), ("metre", "m"), ("Centimeters", "cm")]
    {
        let assert = desk.sinew(&["info", "--json", "--any-size", "--unit", written, "walk.bvh"]).success();
        let facts: serde_json::Value = serde_json::from_str(&out(&assert)).expect("JSON");
        assert_eq!(facts["unit"], unit, "{written}");
    }
}

#[test]
fn several_files_give_one_json_line_each_and_a_bad_one_does_not_stop_the_others() {
    let desk = Desk::new();
    desk.put("a.bvh", person_bvh(3));
    desk.put("bad.bvh", "HIERARCHY\nnonsense\n");
    desk.put("c.bvh", person_bvh(4));
    let assert = desk.sinew(&["info", "--json", "a.bvh", "bad.bvh", "c.bvh"]).code(1);
    let text = out(&assert);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["frames"], 3);
    assert!(lines[1]["error"]["message"].is_string());
    assert_eq!(lines[2]["frames"], 4);
    assert!(err(&assert).contains("bad.bvh"));
    desk.sinew(&["info", "a.bvh", "missing.bvh", "bad.bvh"]).code(2);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(2));
    // Far more than a pipe holds, so that the writer meets the closed end for sure.
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sinew"));
    command.current_dir(desk.0.path()).arg("info").args(vec!["walk.bvh"; 400]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the binary ends");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn the_content_decides_where_the_extension_is_wrong() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(3));
    desk.sinew(&["convert", "walk.bvh", "-o", "walk.glb"]).success();
    std::fs::rename(desk.path("walk.glb"), desk.path("really_glb.bvh")).expect("renamed");
    std::fs::rename(desk.path("walk.bvh"), desk.path("really_bvh.txt")).expect("renamed");
    assert_eq!(desk.facts("really_glb.bvh")["format"], "GLB");
    assert_eq!(desk.facts("really_bvh.txt")["format"], "BVH");
}

#[test]
fn a_figure_is_shown_with_masses_joints_and_plausibility() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31));
    let text = out(&desk.sinew(&["info", "--mass", "70", "walk.bvh"]).success());
    for expected in ["segments, 70 kg", "de Leva 1996", "left lower leg", "hinge", "swing", "free"] {
        assert!(text.contains(expected), "{expected:?} is missing in\n{text}");
    }
    let json = out(&desk.sinew(&["info", "--figure", "--mass", "70", "--json", "walk.bvh"]).success());
    let facts: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let figure = &facts["figure"];
    assert!((figure["mass_kg"].as_f64().expect("a mass") - 70.0).abs() < 1e-9);
    let segments = figure["segments"].as_array().expect("segments");
    let sum: f64 = segments.iter().map(|s| s["mass_kg"].as_f64().expect("a mass")).sum();
    assert!((sum - 70.0).abs() < 1e-9);
    assert_eq!(segments[0]["joint"], "free");
    assert_eq!(desk.facts("walk.bvh")["figure"], serde_json::Value::Null, "only when asked");
}

#[test]
fn a_figure_is_saved_whole_and_only_one() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31));
    desk.sinew(&["info", "--save-figure", "person.toml", "walk.bvh"]).success();
    let text = std::fs::read_to_string(desk.path("person.toml")).expect("text");
    assert!(text.contains("format = \"sinew figure 1\"") && text.contains("joint = \"LeftLeg\""), "{text}");
    desk.sinew(&["info", "--save-figure", "person.toml", "walk.bvh", "walk.bvh"]).code(2);
    desk.sinew(&["info", "--mass", "-3", "walk.bvh"]).code(2);
}

/// A body saved over the file it was built from would be the end of the capture.
#[test]
fn a_figure_is_not_saved_over_its_own_capture() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(3));
    let told = desk.sinew(&["info", "walk.bvh", "--save-figure", "./walk.bvh", "--force"]).code(2);
    assert!(err(&told).contains("--save-figure writes a .toml file"), "{}", err(&told));
    assert_eq!(std::fs::read_to_string(desk.path("walk.bvh")).expect("the capture"), person_bvh(3));
    let told = desk.sinew(&["info", "walk.bvh", "--figure", "--mass", "-3"]).code(2);
    assert!(err(&told).contains("a positive number"), "{}", err(&told));
}
