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
