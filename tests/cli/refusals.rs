//! Bad input: what is said, the exit code, and that nothing is left behind.

use super::*;

#[test]
fn a_missing_file_is_named_and_exits_2() {
    let assert = Desk::new().sinew(&["info", "nowhere.bvh"]).code(2);
    assert!(err(&assert).contains("nowhere.bvh: there is no such file"), "{}", err(&assert));
    assert_eq!(out(&assert), "");
}

#[test]
fn a_slip_in_a_name_is_answered_with_the_name_that_is_there() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("takes")).expect("a folder");
    desk.put("takes/walk_01.bvh", person_bvh(3));
    let calls: [&[&str]; 4] = [
        &["info", "takes/wlak_01.bvh"],
        &["report", "takes/walk_01.bvh", "--like", "takes/walk_1.bvh"],
        &["filter", "takes/walk_01.bvh", "--contacts", "takes/walk_01.bvg"],
        &["retarget", "takes/walk_01.bvh", "--to", "takes/walk_02.bvh", "-o", "out.glb"],
    ];
    for call in calls {
        let told = err(&desk.sinew(call).code(2));
        assert!(told.contains("there is no such file") && told.contains("did you mean takes/walk_01.bvh?"), "{told}");
    }
}

#[test]
fn a_motion_is_no_scene() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(3));
    let told = err(&desk.sinew(&["run", "walk.bvh"]).code(2));
    assert!(told.contains("not a scene") && told.contains("sinew simulate"), "{told}");
}

/// The dog in a unit of a tenth of a millimetre is smaller than a flea.
#[test]
fn an_animal_of_a_wrong_unit_is_refused_with_the_unit_that_fits() {
    let dog = format!("{}/data/characters/dog.glb", env!("CARGO_MANIFEST_DIR"));
    let told = err(&Desk::new().sinew(&["filter", &dog, "--unit", "0.0001"]).code(1));
    assert!(told.contains("the animal in it is less than 1 cm tall") && told.contains("--unit m makes it"), "{told}");
}

#[test]
fn a_folder_is_called_a_folder() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("takes.bvh")).expect("a folder");
    for name in ["takes.bvh", "."] {
        let assert = desk.sinew(&["info", name]).code(2);
        assert!(err(&assert).contains("is a folder"), "{}", err(&assert));
    }
}

#[test]
fn an_unknown_extension_is_refused_with_the_list_of_known_ones() {
    let desk = Desk::new();
    desk.put("walk.fbx", "?");
    desk.put("walk", "?");
    desk.put("walk.bvh", person_bvh(2));
    for name in ["walk.fbx", "walk"] {
        let assert = desk.sinew(&["info", name]).code(2);
        assert!(err(&assert).contains("sinew reads .bvh, .glb, .gltf, .vrm, .asf and .amc"), "{}", err(&assert));
    }
    for name in ["out.fbx", "out", "out.asf"] {
        let assert = desk.sinew(&["convert", "walk.bvh", "-o", name]).code(2);
        assert!(err(&assert).contains("sinew writes .bvh, .glb and .gltf"), "{}", err(&assert));
    }
}

#[test]
fn empty_files_and_garbage_exit_1_with_the_file_named() {
    let desk = Desk::new();
    let noise: Vec<u8> = (0..5000_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for extension in ["bvh", "glb", "gltf", "vrm", "asf"] {
        for (kind, content) in [("empty", &[][..]), ("noise", &noise)] {
            let name = format!("{kind}.{extension}");
            desk.put(&name, content);
            let assert = desk.sinew(&["info", &name]).code(1);
            assert!(err(&assert).contains(&name), "{}", err(&assert));
            assert!(!err(&assert).contains("panicked"), "{}", err(&assert));
            desk.sinew(&["convert", &name, "-o", "out.glb"]).code(1);
        }
    }
    assert!(!desk.files().iter().any(|name| name.starts_with("out")), "{:?}", desk.files());
}

#[test]
fn a_wrong_number_is_shown_with_its_line() {
    let desk = Desk::new();
    let text = person_bvh(3).replacen("OFFSET 25 0 0", "OFFSET 25 zero 0", 1);
    let line = 1 + text.lines().position(|line| line.contains("zero")).expect("the broken line");
    desk.put("walk.bvh", text);
    let assert = desk.sinew(&["info", "walk.bvh"]).code(1);
    let said = err(&assert);
    assert!(said.contains(&format!("walk.bvh:{line}:")), "{said}");
    assert!(said.contains("OFFSET 25 zero 0"), "the line itself is shown\n{said}");
}

#[test]
fn a_short_row_is_refused_unless_complete_frames_are_kept() {
    let desk = Desk::new();
    let whole = person_bvh(20);
    let cut = whole.trim_end().rfind(' ').expect("a last value");
    desk.put("walk.bvh", &whole[..cut]);
    let assert = desk.sinew(&["convert", "walk.bvh", "-o", "out.glb"]).code(1);
    assert!(err(&assert).contains("--keep-complete"), "{}", err(&assert));
    assert_eq!(desk.files(), ["walk.bvh"]);
    desk.sinew(&["convert", "walk.bvh", "--keep-complete", "-o", "out.glb"]).success();
    assert_eq!(desk.facts("out.glb")["frames"], 19);
}

#[test]
fn an_existing_output_survives_a_failed_conversion() {
    let desk = Desk::new();
    desk.put("bad.bvh", "HIERARCHY\nROOT\n");
    desk.put("out.glb", "precious");
    desk.sinew(&["convert", "bad.bvh", "-o", "out.glb", "--force"]).code(1);
    assert_eq!(std::fs::read(desk.path("out.glb")).expect("still there"), b"precious");
    assert_eq!(desk.files(), ["bad.bvh", "out.glb"]);
}

#[test]
fn an_output_that_cannot_be_written_is_refused_and_leaves_nothing() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(2));
    let assert = desk.sinew(&["convert", "walk.bvh", "-o", "no/such/folder/out.glb"]).code(2);
    assert!(err(&assert).contains("there is no folder no/such/folder"), "{}", err(&assert));
    std::fs::create_dir(desk.path("folder.glb")).expect("a folder");
    let assert = desk.sinew(&["convert", "walk.bvh", "-o", "folder.glb"]).code(2);
    assert!(err(&assert).contains("is a folder"), "{}", err(&assert));
    assert_eq!(desk.files(), ["folder.glb", "walk.bvh"]);
}

#[test]
fn wrong_options_exit_2_and_say_what_was_expected() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(4));
    let cases: [(&[&str], &str); 8] = [
        (&["info", "walk.bvh", "--unit", "furlong"], "expected m, dm, cm"),
        (&["info", "walk.bvh", "--up", "w"], "expected x, y, z"),
        (&["convert", "walk.bvh", "-o", "a.glb", "--rate", "0"], "frames per second"),
        (&["convert", "walk.bvh", "-o", "a.glb", "--reduce", "-1"], "millimetres"),
        (&["convert", "walk.bvh", "-o", "a.bvh", "--reduce", "1"], "no keys to drop"),
        (&["convert", "walk.bvh", "-o", "a.glb", "--start", "later"], "120f"),
        (&["convert", "walk.bvh", "-o", "a.glb", "--start", "0f"], "frames are counted from 1"),
        (&["convert", "walk.bvh", "-o", "a.glb", "--into", "walk.bvh"], "only into glTF files"),
    ];
    for (arguments, expected) in cases {
        let assert = desk.sinew(arguments).code(2);
        assert!(err(&assert).contains(expected), "{arguments:?}\n{}", err(&assert));
    }
    assert_eq!(desk.files(), ["walk.bvh"]);
}

#[test]
fn what_is_done_to_clips_is_refused_where_there_is_none() {
    let desk = Desk::new();
    let skeleton = ":version 1.10\n:name bones\n:units\nlength 0.45\nangle deg\n:root\norder TX TY TZ RX RY RZ\naxis XYZ\n\
                    position 0 0 0\norientation 0 0 0\n:bonedata\nbegin\nid 1\nname lowerback\ndirection 0 1 0\n\
                    length 2\naxis 0 0 0 XYZ\ndof rx ry rz\nend\n:hierarchy\nbegin\nroot lowerback\nend\n";
    desk.put("bones.asf", skeleton);
    for arguments in [&["--rate", "30"][..], &["--start", "1"], &["--mirror"], &["--reduce", "1"]] {
        let assert = desk.sinew(&[&["convert", "bones.asf", "-o", "out.glb"], arguments].concat()).code(2);
        let expected = format!("bones.asf: has no clip, so there is nothing for {}", arguments[0]);
        assert!(err(&assert).contains(&expected), "{}", err(&assert));
    }
    assert_eq!(desk.files(), ["bones.asf"]);
    let assert = desk.sinew(&["convert", "bones.asf", "-o", "out.glb"]).success();
    assert!(out(&assert).contains("no clip, the skeleton alone"), "{}", out(&assert));
}

#[test]
fn a_failed_conversion_is_a_json_object_too() {
    let desk = Desk::new();
    desk.put("bad.bvh", "HIERARCHY\nnonsense\n");
    for (input, code) in [("bad.bvh", 1), ("nowhere.bvh", 2)] {
        let assert = desk.sinew(&["convert", input, "-o", "out.glb", "--json"]).code(code);
        let told: serde_json::Value = serde_json::from_str(&out(&assert)).expect("one JSON object");
        assert_eq!((told["input"].as_str(), told["output"].as_str()), (Some(input), Some("out.glb")));
        assert!(told["error"]["message"].as_str().is_some_and(|message| message.contains(input)), "{told}");
        assert!(err(&assert).contains(input), "the diagnostic stays");
    }
}

#[test]
fn help_tells_the_exit_codes() {
    let assert = Desk::new().sinew(&["--help"]).success();
    assert!(out(&assert).contains("Exit codes:"));
    Desk::new().sinew(&[]).code(2);
}

/// Values of options say what they expect, in every verb that has them.
#[test]
fn values_that_are_no_numbers_are_answered_with_what_is_expected() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(31));
    let cases: [(&[&str], &str); 7] = [
        (&["report", "--ground", "floor"], "expected a height in metres"),
        (&["simulate", "--ground", "floor"], "expected a height in metres"),
        (&["filter", "--friction", "abc"], "expected a number from 0 on"),
        (&["simulate", "--slope", "abc"], "expected an angle"),
        (&["simulate", "--substeps", "1.5"], "expected a whole number from 1 to 64"),
        (&["simulate", "--push", "arms:1,0,0@0.1"], "are several segments, and one is expected"),
        (&["simulate", "--ragdoll-at", "90"], "--ragdoll-at is set to 90 s, behind the end"),
    ];
    for (words, expected) in cases {
        let words: Vec<&str> = words.iter().copied().chain(["walk.bvh"]).collect();
        let told = desk.sinew(&words).code(2);
        let told = String::from_utf8_lossy(&told.get_output().stderr).replace(['\n', '│'], " ");
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(expected), "{words:?}: {told}");
    }
}
