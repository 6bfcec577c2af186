//! `sinew report`.

use super::*;
use serde_json::Value;
use sinew::measure::Key;

fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name).display().to_string()
}

fn json(desk: &Desk, arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["report", "--json"].into_iter().chain(arguments.iter().copied()).collect();
    serde_json::from_str(&out(&desk.sinew(&all).success())).expect("one JSON object")
}

/// Every key is a number, or null with a reason.
fn assert_complete(figures: &Value, notes: &Value) {
    for key in Key::ALL {
        let (value, note) = (&figures[key.name()], &notes[key.name()]);
        assert!(figures.get(key.name()).is_some(), "{key} is missing");
        assert!(value.is_number() && note.is_null() || value.is_null() && note.is_string(), "{key}: {value} {note}");
    }
    assert!(figures["contacts"].is_array());
}

#[test]
fn one_clip_gives_all_figures() {
    let desk = Desk::new();
    let told = json(&desk, &[&data("clips/walk.bvh")]);
    assert_eq!(told["clip"], "walk");
    assert_complete(&told["figures"], &told["notes"]);
    let mean = told["figures"]["grf_mean_bw"].as_f64().expect("a number");
    assert!((mean - 1.0).abs() < 0.01, "{mean}");
    assert_eq!(told["basis"]["cutoff_hz"], 12.0);
    assert!(told["figures"]["mpjpe_mm"].is_null(), "there is no source");
    let first = &told["figures"]["contacts"][0];
    assert_eq!((&first["part"], &first["side"], &first["start_s"]), (&"heel".into(), &"left".into(), &0.0.into()));
}

#[test]
fn two_clips_show_before_and_after_and_what_became_worse() {
    let desk = Desk::new();
    let (whole, skating) = (data("clips/walk.bvh"), data("damaged/walk_skating.bvh"));
    let told = json(&desk, &[&skating, &whole]);
    assert_complete(&told["before"], &told["notes"]["before"]);
    assert_complete(&told["after"], &told["notes"]["after"]);
    let skate = |side: &str| told[side]["skate_mm_s"].as_f64().expect("a number");
    assert!(skate("before") > 5.0 * skate("after"), "{} then {}", skate("before"), skate("after"));
    assert!(told["after"]["mpjpe_mm"].as_f64().is_some_and(|mm| mm > 100.0));

    let short = out(&desk.sinew(&["report", &whole, &skating]).success());
    let first = short.lines().next().expect("a sentence");
    assert!(first.contains("not good, feet in contact slide by 19") && first.contains("(4 in the source)"), "{short}");
    assert!(
        short.contains("foot sliding") && !short.contains("skate_foot_mm_s") && short.lines().count() < 20,
        "{short}"
    );
    let text = out(&desk.sinew(&["report", &whole, &skating, "-v"]).success());
    let row = |key: &str| text.lines().find(|line| line.contains(key)).expect("a row").to_owned();
    assert!(text.contains("before") && text.contains("after"), "{text}");
    assert!(row("skate_mm_s").ends_with("worse"), "{text}");
    assert!(row("penetration_mean_mm").ends_with("same"), "{text}");
    assert!(row("mpjpe_mm").contains('–'), "a source has no distance from itself\n{text}");
    assert!(!text.contains('\u{1b}'), "no colours in a pipe");
}

/// Sunk and raised walks look alike until the ground is known.
#[test]
fn a_given_ground_shows_what_is_sunk_and_what_floats() {
    let desk = Desk::new();
    let sunk = json(&desk, &["--ground", "0", &data("damaged/walk_sinking.bvh")]);
    let depth = sunk["figures"]["penetration_mean_mm"].as_f64().expect("a number");
    assert!((depth - 40.0).abs() < 2.0, "{depth}");
    let raised = json(&desk, &["--ground", "0", &data("damaged/walk_floating.bvh")]);
    let height = raised["figures"]["float_mean_mm"].as_f64().expect("a number");
    assert!((height - 40.0).abs() < 3.0, "{height}");
    assert_eq!(raised["figures"]["float_pct"], 100.0);
}

#[test]
fn the_table_tells_its_basis_contacts_and_meanings() {
    let desk = Desk::new();
    let walk = data("clips/walk.bvh");
    let text = out(&desk.sinew(&["report", &walk, "-v", "--explain", "--mass", "80", "--cutoff", "6"]).success());
    for expected in
        ["80 kg", "smoothed at 6 Hz", "friction 0.8", "LeftFoot heel", "residual_force_mean_bw", "friction cones"]
    {
        assert!(text.contains(expected), "{expected:?} is missing in\n{text}");
    }
    let alone = out(&desk.sinew(&["report", "--explain"]).success());
    assert!(Key::ALL.iter().all(|key| alone.contains(key.name())), "{alone}");
    let rough = json(&desk, &[&walk, "--cutoff", "none"]);
    assert!(rough["basis"]["cutoff_hz"].is_null());
}

#[test]
fn the_shortest_files_have_reasons_instead_of_numbers() {
    let desk = Desk::new();
    for frames in [1, 2, 3] {
        desk.put("short.bvh", person_bvh(frames));
        let told = json(&desk, &["short.bvh"]);
        assert_complete(&told["figures"], &told["notes"]);
    }
    desk.put("one.bvh", person_bvh(1));
    let text = out(&desk.sinew(&["report", "one.bvh"]).success());
    assert!(text.contains("accelerations need three frames"), "{text}");
}

#[test]
fn clips_are_chosen_by_name() {
    let desk = Desk::new();
    let actor = data("characters/actor.glb");
    let told = json(&desk, &[&actor, "--clip", "walk"]);
    assert_eq!(told["clip"], "walk");
    let against = json(&desk, &[&data("clips/run.bvh"), &actor]);
    assert!(against["basis"]["after"]["remarks"].to_string().contains("run"), "the clip of the same name is compared");
    let refused = err(&desk.sinew(&["report", &actor, "--clip", "wlak"]).code(2));
    assert!(refused.contains("did you mean \"walk\"?"), "{refused}");
}

#[test]
fn faults_are_told_as_by_other_verbs() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(5));
    desk.put("bad.bvh", "HIERARCHY\nnonsense\n");
    desk.sinew(&["report"]).code(2);
    desk.sinew(&["report", "missing.bvh"]).code(2);
    let bad = desk.sinew(&["report", "--json", "bad.bvh"]).code(1);
    let told: Value = serde_json::from_str(&out(&bad)).expect("one JSON object");
    assert!(told["error"]["message"].is_string() && err(&bad).contains("bad.bvh"));
    desk.sinew(&["report", "walk.bvh", "bad.bvh"]).code(1);
    for wrong in [["--mass", "-3"], ["--cutoff", "0"], ["--friction", "-1"], ["--ground", "low"], ["--height", "nan"]] {
        desk.sinew(&["report", "walk.bvh", wrong[0], wrong[1]]).code(2);
    }
}

/// Plates that carry what the built-in walk requires by its own weight agree with it; a missing column is refused.
#[test]
fn a_walk_is_compared_with_plates() {
    let desk = Desk::new();
    let walk = data("clips/walk.bvh");
    let mut table = String::from("# up = y\ntime,left_fx,left_fy,left_fz,left_px,left_py,left_pz\n");
    // The left foot is down for the first half second of each second.
    for k in 0..320 {
        let time = f64::from(k) * 0.01;
        let load = (500.0 * (std::f64::consts::TAU * time).sin()).max(0.0);
        table.push_str(&format!("{time:.2},0,{load:.3},0,0,0,0\n"));
    }
    let file = desk.path("grf.csv");
    std::fs::write(&file, &table).expect("a file");
    let file = file.display().to_string();
    let told = json(&desk, &[&walk, "--plates", &file, "--plates-start", "0"]);
    let plates = &told["plates"];
    assert_eq!((&plates["alignment"]["start_s"], &plates["alignment"]["start_found"]), (&0.0.into(), &false.into()));
    assert!(plates["left"]["rms_pct_bw"]["vertical"].is_number() && plates["right"].is_null(), "{plates}");
    assert_eq!(
        plates["left"]["curves"]["frame"].as_array().map(Vec::len),
        plates["left"]["curves"]["clip_bw"].as_array().map(Vec::len)
    );
    let text = out(&desk.sinew(&["report", &walk, "--plates", &file]).success());
    assert!(text.contains("vertical difference") && text.contains("touch-down"), "{text}");

    std::fs::write(&file, table.replace("left_fz", "left_up")).expect("a file");
    let refused = desk.sinew(&["report", &walk, "--plates", &file]).failure().code(1);
    assert!(err(&refused).contains("has no forces"), "{}", err(&refused));
    let refused = desk.sinew(&["report", &walk, "--plates", &walk]).failure().code(2);
    assert!(err(&refused).contains(".mot, .sto and .csv"), "{}", err(&refused));
}
