//! `sinew convert`.

use super::*;

/// Largest distance between two paths, metres; they must have equally many frames.
fn apart(a: &[sinew::Vec3], b: &[sinew::Vec3]) -> f64 {
    assert_eq!(a.len(), b.len(), "frames");
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

fn walking() -> Desk {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31));
    desk
}

#[test]
fn every_joint_keeps_its_path_through_each_format() {
    let desk = walking();
    for chain in [&["a.glb"][..], &["b.gltf"], &["c.bvh"], &["d.glb", "d.bvh", "e.gltf"]] {
        let mut from = "walk.bvh";
        for to in chain {
            desk.sinew(&["convert", from, "-o", to]).success();
            from = to;
        }
        assert_eq!(desk.facts(from)["joints"], 17, "{from}");
        for joint in ["Hips", "Head", "LeftHand", "RightToeBase"] {
            let moved = apart(&path_of(&desk.path(from), joint), &path_of(&desk.path("walk.bvh"), joint));
            assert!(moved < 1e-5, "{joint} moved by {moved} m in {from}");
        }
    }
}

#[test]
fn the_story_tells_frames_rate_joints_and_size() {
    let desk = walking();
    let assert = desk.sinew(&["convert", "walk.bvh", "-o", "walk.glb"]).success();
    let told = out(&assert);
    assert!(told.starts_with("walk.bvh → walk.glb: good, everything in it was converted.\n"), "{told}");
    for expected in ["31 frames at 30 Hz, 1 s", "17 joints", "cm → m", "kB"] {
        assert!(told.contains(expected), "{expected:?} is missing in {told}");
    }
    assert_eq!(desk.files(), ["walk.bvh", "walk.glb"], "no half file beside the result");
}

#[test]
fn json_tells_the_same() {
    let desk = walking();
    let assert = desk.sinew(&["convert", "walk.bvh", "-o", "walk.glb", "--mirror", "--json"]).success();
    let done: serde_json::Value = serde_json::from_str(&out(&assert)).expect("JSON");
    assert_eq!(done["output"], "walk.glb");
    assert_eq!(done["clips"][0]["frames"], 31);
    assert_eq!(done["unit"], "cm");
    assert_eq!(done["changes"], serde_json::json!(["cm → m", "mirrored"]));
    let bytes = std::fs::metadata(desk.path("walk.glb")).expect("written").len();
    assert_eq!(done["bytes"].as_u64(), Some(bytes));
}

#[test]
fn a_unit_that_cannot_reach_the_output_is_told() {
    let desk = walking();
    desk.sinew(&["convert", "walk.bvh", "-o", "walk.glb", "--unit", "cm"]).success();
    let assert = desk.sinew(&["convert", "walk.glb", "-o", "again.glb", "--unit", "cm", "--any-size"]).success();
    assert!(out(&assert).contains("--unit and --up have no effect"), "{}", out(&assert));
    let assert = desk.sinew(&["convert", "walk.glb", "-o", "again.glb", "--force"]).success();
    assert!(!out(&assert).contains("no effect"), "{}", out(&assert));
}

#[test]
fn several_roots_in_a_bvh_are_told() {
    let desk = Desk::new();
    let tree = |name: &str| {
        format!(
            "ROOT {name}\n{{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{{\nOFFSET 0 50 0\n}}\n}}\n"
        )
    };
    let text = format!("HIERARCHY\n{}{}MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0\n", tree("a"), tree("b"));
    desk.put("two.bvh", text);
    let assert = desk.sinew(&["convert", "two.bvh", "-o", "out.bvh", "--unit", "cm"]).success();
    assert!(out(&assert).contains("2 roots"), "{}", out(&assert));
}

#[test]
fn resampling_keeps_the_duration_and_the_path() {
    let desk = walking();
    desk.sinew(&["convert", "walk.bvh", "-o", "fine.bvh", "--rate", "120"]).success();
    let facts = desk.facts("fine.bvh");
    assert_eq!(facts["frames"], 121);
    assert!((facts["rate_hz"].as_f64().expect("a rate") - 120.0).abs() < 0.01);
    let fine: Vec<_> = path_of(&desk.path("fine.bvh"), "LeftHand").into_iter().step_by(4).collect();
    let moved = apart(&fine, &path_of(&desk.path("walk.bvh"), "LeftHand"));
    assert!(moved < 1e-5, "{moved}");
}

#[test]
fn a_cut_holds_both_ends_in_seconds_and_in_frames() {
    let desk = walking();
    let whole = path_of(&desk.path("walk.bvh"), "LeftHand");
    for (start, end) in [("0.2", "0.5"), ("7f", "16f"), ("0.2s", "16f")] {
        let assert =
            desk.sinew(&["convert", "walk.bvh", "-o", "cut.glb", "--force", "--start", start, "--end", end]).success();
        assert!(out(&assert).contains("frames 7 to 16 kept"), "{}", out(&assert));
        let cut = path_of(&desk.path("cut.glb"), "LeftHand");
        assert!(apart(&cut, &whole[6..=15]) < 1e-5, "{start}..{end}");
    }
    desk.sinew(&["convert", "walk.bvh", "-o", "tail.glb", "--start", "21f"]).success();
    assert_eq!(desk.facts("tail.glb")["frames"], 11);
}

#[test]
fn a_cut_outside_the_clip_is_refused_with_its_true_end() {
    let desk = walking();
    for arguments in [["--start", "32f"], ["--end", "1.1"]] {
        let assert = desk.sinew(&[&["convert", "walk.bvh", "-o", "cut.glb"], &arguments[..]].concat()).code(2);
        assert!(err(&assert).contains("its last frame is 31f, at 1 s"), "{}", err(&assert));
    }
    desk.sinew(&["convert", "walk.bvh", "-o", "cut.glb", "--start", "0.5", "--end", "0.2"]).code(2);
    assert_eq!(desk.files(), ["walk.bvh"]);
}

#[test]
fn mirroring_gives_each_side_the_path_of_the_other() {
    let desk = walking();
    desk.sinew(&["convert", "walk.bvh", "-o", "mirrored.bvh", "--mirror"]).success();
    for (left, right) in [("LeftHand", "RightHand"), ("RightFoot", "LeftFoot"), ("Head", "Head")] {
        let mut expected = path_of(&desk.path("walk.bvh"), left);
        expected.iter_mut().for_each(|position| position.x = -position.x);
        let moved = apart(&path_of(&desk.path("mirrored.bvh"), right), &expected);
        assert!(moved < 1e-5, "{right} is {moved} m off");
    }
    // The person lifts one arm only, so an unmirrored file would be found out.
    let wrong = apart(&path_of(&desk.path("mirrored.bvh"), "LeftHand"), &path_of(&desk.path("walk.bvh"), "LeftHand"));
    assert!(wrong > 0.1, "{wrong}");
}

#[test]
fn reduced_keys_stay_within_the_bound_and_make_a_smaller_file() {
    let desk = walking();
    desk.sinew(&["convert", "walk.bvh", "-o", "full.glb"]).success();
    desk.sinew(&["convert", "walk.bvh", "-o", "few.glb", "--reduce", "2"]).success();
    let size = |name: &str| std::fs::metadata(desk.path(name)).expect("written").len();
    assert!(size("few.glb") < size("full.glb"), "{} against {}", size("few.glb"), size("full.glb"));
    for joint in ["LeftHand", "RightToeBase", "Head"] {
        let moved = apart(&path_of(&desk.path("few.glb"), joint), &path_of(&desk.path("full.glb"), joint));
        assert!(moved <= 0.002 + 1e-6, "{joint} moved by {moved} m");
    }
}

#[test]
fn clips_put_into_a_character_are_added_to_what_it_has() {
    let desk = walking();
    // The character rests elsewhere than the capture, which is no difference in the bones.
    desk.put("stand.bvh", person_bvh(5).replacen("OFFSET 0 0 0", "OFFSET 0 93 0", 1));
    desk.sinew(&["convert", "stand.bvh", "-o", "hero.glb"]).success();
    desk.sinew(&["convert", "walk.bvh", "--into", "hero.glb", "-o", "hero2.glb"]).success();
    let clips = desk.facts("hero2.glb")["clips"].clone();
    let frames: Vec<_> = clips.as_array().expect("clips").iter().map(|clip| clip["frames"].as_u64()).collect();
    assert_eq!(frames, [Some(31), Some(5)], "the new clip comes first: {clips}");
    desk.sinew(&["convert", "hero2.glb", "--clip", "walk", "-o", "walk2.glb"]).success();
    let moved = apart(&path_of(&desk.path("walk2.glb"), "LeftHand"), &path_of(&desk.path("walk.bvh"), "LeftHand"));
    assert!(moved < 1e-5, "{moved}");
    // A name that is taken is numbered, and told so.
    let assert = desk.sinew(&["convert", "walk.bvh", "--into", "hero2.glb", "-o", "hero3.glb"]).success();
    assert!(out(&assert).contains("clip \"walk 2\""), "{}", out(&assert));
    // The character itself may be the output, if that is asked for: nothing of it is lost.
    desk.sinew(&["convert", "walk.bvh", "--into", "hero.glb", "-o", "hero.glb", "--force"]).code(2);
    desk.sinew(&["convert", "walk.bvh", "--into", "hero.glb", "-o", "hero.glb", "--in-place"]).success();
    assert_eq!(desk.facts("hero.glb")["clips"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_clip_that_the_character_has_already_is_told_by_its_own_name_and_not_added() {
    let desk = walking();
    desk.put("stand.bvh", person_bvh(5));
    desk.sinew(&["convert", "walk.bvh", "-o", "hero.glb"]).success();
    desk.sinew(&["convert", "stand.bvh", "--into", "hero.glb", "-o", "hero.glb", "--in-place"]).success();
    let assert =
        desk.sinew(&["convert", "hero.glb", "--clip", "walk", "--into", "hero.glb", "-o", "same.glb"]).success();
    let told = out(&assert);
    assert!(told.contains("clip \"walk\", 31 frames"), "{told}");
    assert!(told.contains("nothing added, hero.glb has exactly this clip already"), "{told}");
    assert_eq!(desk.facts("same.glb")["clips"].as_array().map(Vec::len), Some(2));

    // One that is there and one that is not.
    desk.sinew(&["convert", "hero.glb", "--clip", "walk", "-o", "one.glb"]).success();
    let both = ["convert", "hero.glb", "--into", "one.glb", "-o", "two.glb", "--json"];
    let done: serde_json::Value = serde_json::from_str(&out(&desk.sinew(&both).success())).expect("JSON");
    assert_eq!(done["already_there"], serde_json::json!(["walk"]));
    assert_eq!((done["clips"][0]["name"].as_str(), done["clips"][1]["name"].as_str()), (Some("stand"), Some("walk")));
    assert_eq!(done["changes"], serde_json::json!(["1 clip put into one.glb, which has the other 1 already"]));
}

#[test]
fn an_end_that_fills_no_frame_of_the_new_rate_is_told() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(30));
    let assert = desk.sinew(&["convert", "walk.bvh", "-o", "slow.glb", "--rate", "20"]).success();
    // 29/30 s are 19 whole frames of 1/20 s and a third of one.
    assert!(out(&assert).contains("0.95 s"), "{}", out(&assert));
    assert!(out(&assert).contains("the last 17 ms fill no frame and are cut off"), "{}", out(&assert));
    let assert = desk.sinew(&["convert", "walk.bvh", "-o", "fast.glb", "--rate", "60"]).success();
    assert!(!out(&assert).contains("cut off"), "{}", out(&assert));
}

#[test]
fn many_clips_are_counted_and_not_all_named() {
    let desk = walking();
    desk.sinew(&["convert", "walk.bvh", "-o", "hero.glb"]).success();
    for take in 0..11 {
        desk.put("take.bvh", person_bvh(3 + take));
        desk.sinew(&["convert", "take.bvh", "--into", "hero.glb", "-o", "hero.glb", "--in-place"]).success();
    }
    let assert = desk.sinew(&["convert", "hero.glb", "-o", "first.bvh"]).success();
    let told = out(&assert);
    let line = told.lines().find(|line| line.contains("left out")).expect("a line about the others");
    assert!(line.contains("11 clips") && line.ends_with("take 3 … and 3 more."), "{line}");
    let told = out(&desk.sinew(&["info", "hero.glb"]).success());
    assert!(told.contains("take 4 ") && !told.contains("take 3 ") && told.contains("… and 4 more (--all"), "{told}");
}

#[test]
fn what_several_changed_clips_lose_is_one_warning() {
    let desk = walking();
    desk.put("stand.bvh", person_bvh(5));
    desk.sinew(&["convert", "walk.bvh", "-o", "hero.gltf"]).success();
    desk.sinew(&["convert", "stand.bvh", "--into", "hero.gltf", "-o", "hero.gltf", "--in-place"]).success();
    // Both clips also carry a prop about, as the hips go.
    let text = std::fs::read(desk.path("hero.gltf")).expect("written");
    let mut file: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let nodes = file["nodes"].as_array_mut().expect("nodes");
    nodes.push(serde_json::json!({ "name": "prop" }));
    let prop = nodes.len() - 1;
    file["scenes"][0]["nodes"].as_array_mut().expect("a scene").push(prop.into());
    for animation in file["animations"].as_array_mut().expect("animations") {
        let channels = animation["channels"].as_array_mut().expect("channels");
        let moves = |channel: &&serde_json::Value| channel["target"]["path"] == "translation";
        let mut channel = channels.iter().find(moves).expect("moving hips").clone();
        channel["target"]["node"] = prop.into();
        channels.push(channel);
    }
    desk.put("hero.gltf", file.to_string());
    let told = out(&desk.sinew(&["convert", "hero.gltf", "--mirror", "-o", "mirrored.glb"]).success());
    let warnings: Vec<&str> = told.lines().filter(|line| line.contains("morphs or props")).collect();
    assert_eq!(warnings.len(), 1, "{told}");
    assert!(warnings[0].contains("2 clips") && warnings[0].ends_with("\"stand\", \"walk\"."), "{told}");
}

#[test]
fn a_clip_is_chosen_by_name_and_a_near_miss_is_corrected() {
    let desk = walking();
    desk.put("stand.bvh", person_bvh(5));
    desk.sinew(&["convert", "stand.bvh", "-o", "stand.glb"]).success();
    desk.sinew(&["convert", "walk.bvh", "--into", "stand.glb", "-o", "both.glb"]).success();
    let names: Vec<String> = desk.facts("both.glb")["clips"]
        .as_array()
        .expect("clips")
        .iter()
        .map(|clip| clip["name"].as_str().expect("a name").to_owned())
        .collect();
    // The clip that was put in stands before that of the character.
    let wanted = names.first().expect("a clip");
    desk.sinew(&["convert", "both.glb", "--clip", wanted, "-o", "one.bvh"]).success();
    assert_eq!(desk.facts("one.bvh")["frames"], 31);

    desk.sinew(&["convert", "both.glb", "--clip", wanted, "-o", "one.glb"]).success();
    assert_eq!(desk.facts("one.glb")["clips"].as_array().map(Vec::len), Some(1));

    let misspelt = format!("{}x", &wanted[..wanted.len() - 1]);
    let assert = desk.sinew(&["convert", "both.glb", "--clip", &misspelt, "-o", "none.bvh"]).code(2);
    assert!(err(&assert).contains(&format!("did you mean {wanted:?}")), "{}", err(&assert));

    // Two clips do not fit into a BVH file, and a cut needs one clip.
    let assert = desk.sinew(&["convert", "both.glb", "-o", "first.bvh"]).success();
    assert!(out(&assert).contains("--clip"), "{}", out(&assert));
    let assert = desk.sinew(&["convert", "both.glb", "--start", "0.1", "-o", "cut.glb"]).code(2);
    assert!(err(&assert).contains("choose one with --clip"), "{}", err(&assert));
}

#[test]
fn changed_clips_of_a_character_take_the_place_of_the_old_ones() {
    let desk = walking();
    desk.sinew(&["convert", "walk.bvh", "-o", "hero.glb"]).success();
    desk.sinew(&["convert", "hero.glb", "--rate", "60", "-o", "fast.glb"]).success();
    let clips = desk.facts("fast.glb")["clips"].clone();
    assert_eq!(clips.as_array().map(Vec::len), Some(1), "{clips}");
    assert_eq!((clips[0]["name"].as_str(), clips[0]["frames"].as_u64()), (Some("walk"), Some(61)));
    desk.sinew(&["convert", "hero.glb", "--reduce", "5", "-o", "few.glb"]).success();
    let size = |name: &str| desk.facts(name)["clips"].as_array().map(Vec::len);
    assert_eq!(size("few.glb"), Some(1));
    assert!(apart(&path_of(&desk.path("few.glb"), "LeftHand"), &path_of(&desk.path("hero.glb"), "LeftHand")) > 1e-6);
}

#[test]
fn an_inserted_t_pose_is_dropped_on_request() {
    let desk = Desk::new();
    let text = person_bvh(60);
    // A first row of zeros at the origin, as the CMU files have it.
    let row = text.lines().nth_back(59).expect("the first frame");
    let zeros = vec!["0"; row.split_whitespace().count()].join(" ");
    let text = text.replacen(row, &format!("{zeros}\n{row}"), 1).replacen("Frames: 60", "Frames: 61", 1);
    desk.put("take.bvh", text);
    assert_eq!(desk.facts("take.bvh")["inserted_tpose"], 1);
    let assert = desk.sinew(&["convert", "take.bvh", "--drop-tpose", "-o", "take.glb"]).success();
    assert!(out(&assert).contains("T-pose at frame 1 dropped"), "{}", out(&assert));
    assert_eq!(desk.facts("take.glb")["frames"], 60);
    // A cut counts what is left, from 1.
    desk.sinew(&["convert", "take.bvh", "--drop-tpose", "--start", "1f", "-o", "rest.glb"]).success();
    assert_eq!(desk.facts("rest.glb")["frames"], 60);
}

#[test]
fn its_own_input_is_replaced_only_on_request() {
    let desk = walking();
    let before = std::fs::read(desk.path("walk.bvh")).expect("the input");
    let assert = desk.sinew(&["convert", "walk.bvh", "--mirror", "-o", "./walk.bvh"]).code(2);
    assert!(err(&assert).contains("--in-place"), "{}", err(&assert));
    assert_eq!(std::fs::read(desk.path("walk.bvh")).expect("the input"), before);
    desk.sinew(&["convert", "walk.bvh", "--mirror", "-o", "walk.bvh", "--in-place"]).success();
    assert_ne!(std::fs::read(desk.path("walk.bvh")).expect("the input"), before);
    assert_eq!(desk.files(), ["walk.bvh"]);
}
