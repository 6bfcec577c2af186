//! First lines: every verb begins with one sentence that says whether the result is good, and tells what is uncertain.

use super::{Desk, Person, out, person_bvh};
use serde_json::Value;

fn data(name: &str) -> String {
    format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Calls of all verbs that read a capture, without outputs where these are optional.
fn calls(file: &str) -> Vec<Vec<String>> {
    let actor = data("characters/actor.glb");
    let words: [&[&str]; 7] = [
        &["info"],
        &["convert", "-o", "out.bvh", "--force"],
        &["report"],
        &["retarget", "--to", &actor, "-o", "moved.glb", "--force"],
        &["filter", "--write-anyway"],
        &["simulate", "--for", "0.1"],
        &["ragdoll", "--for", "0.1"],
    ];
    words.iter().map(|words| words.iter().map(|word| (*word).to_owned()).chain([file.to_owned()]).collect()).collect()
}

fn run(desk: &Desk, words: &[String], more: &[&str]) -> String {
    let all: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).collect();
    out(&desk.sinew(&all))
}

#[test]
fn every_verb_begins_with_a_sentence_that_says_whether_the_result_is_good() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31));
    let scene = vec!["run".to_owned(), "gears".to_owned(), "--for".to_owned(), "0.05".to_owned()];
    for words in calls("walk.bvh").into_iter().chain([scene]) {
        let text = run(&desk, &words, &[]);
        let first = text.lines().next().unwrap_or_default();
        let graded = [": good, ", ": usable, ", ": not good, "].iter().any(|grade| first.contains(grade));
        assert!(graded && first.ends_with('.'), "{words:?} begins with {first:?}");
        let told: Value = serde_json::from_str(&run(&desk, &words, &["--json"])).expect("one JSON object");
        let told = if words[0] == "retarget" { &told["inputs"][0] } else { &told };
        let (grade, sentence) = (told["grade"].as_str().expect("a grade"), told["sentence"].as_str().expect("one"));
        assert!(sentence.starts_with(grade) && sentence.ends_with('.') && first.ends_with(sentence), "{told}");
    }
}

/// A body of 42 units is a child in inches or a man in the unit of the CMU database.
#[test]
fn a_guess_with_a_close_rival_is_told_by_every_verb_that_uses_it() {
    let desk = Desk::new();
    desk.put("child.bvh", Person { units: 4.15, ..Person::default() }.bvh());
    for words in calls("child.bvh") {
        let text = run(&desk, &words, &[]);
        assert!(text.contains("uncertain, perhaps") && text.contains("--unit"), "{words:?}\n{text}");
        let told: Value = serde_json::from_str(&run(&desk, &words, &["--json"])).expect("one JSON object");
        let told = if words[0] == "retarget" { &told["inputs"][0] } else { &told };
        let guesses = told["guesses"].as_array().expect("guesses");
        assert!(guesses.iter().any(|guess| guess["what"] == "unit" && guess["runner_up"].is_string()), "{told}");
        assert_ne!(told["grade"], "good", "{told}");
    }
}

#[test]
fn a_few_rows_are_shown_and_all_of_them_with_v() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31));
    let few = out(&desk.sinew(&["report", "walk.bvh"]).success());
    let all = out(&desk.sinew(&["report", "walk.bvh", "-v"]).success());
    assert!(few.lines().count() < 14 && !few.contains("_mm") && few.contains("foot sliding"), "{few}");
    assert!(all.lines().count() > 30 && all.contains("skate_mm_frame"), "{all}");
}

/// A fault that did not prevent reading stands in the sentence of every verb: here, rows that the header does not announce.
#[test]
fn a_fault_of_the_file_is_told_by_every_verb() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31).replacen("Frames: 31", "Frames: 40", 1));
    for words in calls("walk.bvh") {
        let text = run(&desk, &words, &[]);
        let first = text.lines().next().unwrap_or_default();
        assert!(first.contains("usable") || first.contains("not good"), "{words:?}: {first}");
        assert!(text.contains("promises 40 frames"), "{words:?} does not tell the number of rows:\n{text}");
    }
}

#[test]
fn a_told_up_axis_that_the_motion_speaks_against_is_told() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31));
    let first = out(&desk.sinew(&["info", "walk.bvh", "--up", "z"]));
    assert!(first.contains("--up makes +Z up, and the motion shows +Y"), "{first}");
    let first = out(&desk.sinew(&["info", "walk.bvh", "--up", "y"]));
    assert!(first.contains(": good, "), "{first}");
}

#[test]
fn files_of_another_skeleton_are_told_by_like() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31));
    let told = out(&desk.sinew(&["info", "walk.bvh", "--like", &data("clips/walk.bvh")]));
    assert!(told.contains("its skeleton is another one"), "{told}");
    desk.put("again.bvh", person_bvh(20));
    let told = out(&desk.sinew(&["info", "walk.bvh", "--like", "again.bvh"]));
    assert!(!told.contains("another one"), "{told}");
}

/// A result whose name the character has already is written under another, and judged, not the clip of the character.
#[test]
fn a_moved_clip_is_judged_and_not_its_namesake_in_the_character() {
    let desk = Desk::new();
    let actor = data("characters/actor.glb");
    let walk = std::fs::read_to_string(data("clips/heavy_walk.bvh")).expect("a built-in clip");
    desk.put("walk.bvh", walk);
    let moved = out(&desk.sinew(&["retarget", "walk.bvh", "--to", &actor, "-o", "moved.glb", "--json"]));
    let moved: Value = serde_json::from_str(&moved).expect("one JSON object");
    let clip = &moved["inputs"][0]["clips"][0];
    let name = clip["clip"].as_str().expect("a name");
    assert_ne!(name, "walk");
    let report = out(&desk.sinew(&["report", "moved.glb", "--clip", name, "--simulated", "--json"]));
    let report: Value = serde_json::from_str(&report).expect("one JSON object");
    let after = clip["after"].as_object().expect("figures");
    let compared = after.iter().filter(|(key, value)| value.is_number() && report["figures"][key.as_str()].is_number());
    let compared: Vec<_> = compared.map(|(key, value)| (value, &report["figures"][key.as_str()])).collect();
    let differing: Vec<_> = compared.iter().filter(|(moved, read)| moved != read).collect();
    assert!(compared.len() > 10 && differing.is_empty(), "{differing:?}");
}

#[test]
fn a_replay_says_that_the_figure_falls_and_that_loose_joints_do_not_follow() {
    let desk = Desk::new();
    let idle = data("clips/idle.bvh");
    let fallen = out(&desk.sinew(&["simulate", &idle, "--root-assist", "0", "--for", "3"]));
    assert!(fallen.lines().next().is_some_and(|first| first.contains("it falls and lies from 1.")), "{fallen}");
    let held = out(&desk.sinew(&["simulate", &idle, "--for", "0.5"]));
    assert!(held.lines().next().is_some_and(|first| first.contains("follows the clip to its end")), "{held}");
    let loose = out(&desk.sinew(&["simulate", &idle, "--loose", "all", "--for", "0.1"]));
    assert!(loose.lines().next().is_some_and(|first| first.contains("all its joints loose")), "{loose}");
}

#[test]
fn an_empty_scene_and_a_single_frame_are_no_good_results() {
    let desk = Desk::new();
    desk.put("empty.toml", "[world]\nduration = 0.1\n");
    let told = out(&desk.sinew(&["run", "empty.toml"]));
    assert!(told.contains("usable") && told.contains("nothing that moves"), "{told}");
    desk.put("walk.bvh", person_bvh(31));
    let told = out(&desk.sinew(&["convert", "walk.bvh", "--rate", "0.01", "-o", "one.bvh"]));
    assert!(told.contains("is one frame"), "{told}");
}

#[test]
fn body_options_count_in_the_sentence() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31));
    let told = out(&desk.sinew(&["info", "walk.bvh", "--mass", "80", "--height", "1.6"]));
    assert!(told.contains("a person of 1.6 m and 80 kg"), "{told}");
    desk.sinew(&["info", "walk.bvh", "--height", "175"]).code(2);
}
