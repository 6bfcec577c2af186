//! Several files at once, parts of clips, and clips that are kept.

use super::{Desk, err, out, person_bvh};
use serde_json::Value;

fn data(name: &str) -> String {
    format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn one_bad_file_does_not_stop_the_others_and_the_last_line_sums_up() {
    let desk = Desk::new();
    for name in ["a.bvh", "c.bvh"] {
        desk.put(name, person_bvh(12));
    }
    desk.put("bad.bvh", "HIERARCHY\nnonsense\n");
    let files = ["a.bvh", "bad.bvh", "c.bvh"];
    for call in
        [&["filter", "--write-anyway", "-o", "filtered/"][..], &["simulate", "-o", "simulated/", "--report", "told/"]]
    {
        let done = desk.sinew(&[call, &files].concat()).code(1);
        let last = out(&done).lines().last().expect("a line").to_owned();
        assert!(last.starts_with("3 files: ") && last.ends_with("1 failed (bad.bvh)."), "{last}");
        assert!(err(&done).contains("bad.bvh"), "{}", err(&done));
    }
    for name in ["filtered/a.bvh", "filtered/c.bvh", "simulated/a.bvh", "simulated/c.bvh", "told/a.json", "told/c.json"]
    {
        assert!(desk.path(name).is_file(), "{name} is missing");
    }
    let told = desk.sinew(&[&["report", "--json"], &files[..]].concat()).code(1);
    let objects: Vec<Value> = out(&told).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(objects.len(), 3);
    assert!(objects[0]["figures"].is_object() && objects[1]["error"].is_object() && objects[2]["figures"].is_object());
    let each = out(&desk.sinew(&["report", "--each", "a.bvh", "c.bvh"]).success());
    assert!(each.lines().last().is_some_and(|last| last.starts_with("2 files: ")), "{each}");
}

#[test]
fn several_results_need_folders_and_names_of_their_own() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("other")).expect("a folder");
    for name in ["a.bvh", "b.bvh", "other/a.bvh"] {
        desk.put(name, person_bvh(12));
    }
    for (words, told) in [
        (&["filter", "a.bvh", "b.bvh", "-o", "out.glb"][..], "one file for the results of 2 inputs"),
        (&["filter", "a.bvh", "b.bvh", "-o", "out/", "--curves", "all.csv"], "--curves all.csv: one file"),
        (&["filter", "a.bvh", "b.bvh", "-o", "out/", "--contacts", "c.toml"], "one by one"),
        (&["simulate", "a.bvh", "b.bvh", "-o", "out/", "--record", "r.json"], "--record r.json: one file"),
        (&["simulate", "a.bvh", "other/a.bvh", "-o", "out/"], "both would be written to"),
        (&["simulate", "a.bvh", "b.bvh", "-o", "./"], "would overwrite an input"),
    ] {
        let refused = desk.sinew(words).code(2);
        assert!(err(&refused).contains(told), "{words:?}: {}", err(&refused));
    }
    assert!(!desk.path("out").exists());
}

#[test]
fn parts_of_a_clip_are_filtered_simulated_and_measured() {
    let desk = Desk::new();
    let turn = data("clips/turn.bvh");
    let frames = |words: &[&str], of: fn(&Value) -> &Value| {
        let cut = ["--start", "31f", "--end", "1.5", "--json"];
        let told = out(&desk.sinew(&[words, &[turn.as_str()], &cut].concat()).success());
        of(&serde_json::from_str(&told).expect("JSON")).as_u64()
    };
    assert_eq!(frames(&["report"], |told| &told["basis"]["frames"]), Some(61));
    assert_eq!(frames(&["filter", "-o", "filtered.bvh"], |told| &told["frames"]), Some(61));
    assert_eq!(frames(&["simulate", "-o", "simulated.bvh"], |told| &told["frames"]), Some(61));
    for name in ["filtered.bvh", "simulated.bvh"] {
        assert_eq!(desk.facts(name)["frames"], 61);
    }
    for verb in ["report", "filter", "simulate"] {
        let refused = desk.sinew(&[verb, &turn, "--start", "99"]).code(2);
        assert!(err(&refused).contains("its last frame is"), "{verb}: {}", err(&refused));
        let refused = desk.sinew(&[verb, &turn, "--start", "1", "--end", "0.5"]).code(2);
        assert!(err(&refused).contains("behind --end"), "{verb}: {}", err(&refused));
    }
}

#[test]
fn the_other_clips_of_a_character_stay_in_its_file() {
    let desk = Desk::new();
    let actor = data("characters/actor.glb");
    let names = |file: &str| -> Vec<String> {
        let facts = desk.facts(file);
        let clips = facts["clips"].as_array().expect("clips").clone();
        clips.iter().map(|clip| clip["name"].as_str().expect("a name").to_owned()).collect()
    };
    let told = out(&desk.sinew(&["simulate", &actor, "--clip", "wave", "--for", "0.1", "-o", "out.glb"]).success());
    assert!(told.contains("the other 7 clips of the character are kept"), "{told}");
    let (mut before, after) = (names(&actor), names("out.glb"));
    assert_eq!(after.first().map(String::as_str), Some("wave"), "viewers play the first clip");
    before.retain(|name| name != "wave");
    assert_eq!(after[1..], before);
    desk.sinew(&["simulate", &actor, "--clip", "wave", "--for", "0.1", "-o", "out.bvh"]).success();
    assert_eq!(names("out.bvh").len(), 1);
}
