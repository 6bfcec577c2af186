//! One motion, one set of numbers: the tables of all verbs are those of `sinew report` for the same two files.

use super::{Desk, out};
use serde_json::Value;
use sinew::measure::Key;

fn data(file: &str) -> String {
    format!("{}/data/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// The object that a verb prints with `--json`.
fn told(desk: &Desk, arguments: &[&str]) -> Value {
    serde_json::from_str(&out(&desk.sinew(arguments).success())).expect("one JSON object")
}

/// Asserts that the figures of a verb before and after are those of a report of the two files.
fn assert_agrees(desk: &Desk, source: &str, result: &str, figures: &Value, options: &[&str]) {
    let arguments: Vec<&str> =
        ["report", "--json", source, result].into_iter().chain(options.iter().copied()).collect();
    let report = told(desk, &arguments);
    for side in ["before", "after"] {
        for key in Key::ALL {
            let (own, reported) = (&figures[side][key.name()], &report[side][key.name()]);
            assert!(figures[side].get(key.name()).is_some(), "{key} is missing {side}");
            assert_eq!(own, reported, "{key} {side}, {source} → {result}");
        }
    }
}

#[test]
fn a_filtered_clip_has_the_figures_of_its_report() {
    let desk = Desk::new();
    let skating = data("damaged/walk_skating.bvh");
    for output in ["out.bvh", "out.glb"] {
        let figures = told(&desk, &["filter", &skating, "-o", output, "--json"]);
        assert_agrees(&desk, &skating, output, &figures, &[]);
    }
    let figures = told(&desk, &["filter", &skating, "-o", "heavy.bvh", "--mass", "95", "--ground", "0", "--json"]);
    assert_agrees(&desk, &skating, "heavy.bvh", &figures, &["--mass", "95", "--ground", "0"]);
}

#[test]
fn a_moved_clip_has_the_figures_of_its_report() {
    let desk = Desk::new();
    let (walk, actor) = (data("clips/heavy_walk.bvh"), data("characters/actor.glb"));
    for (output, clip, options) in [("out.glb", "heavy_walk", &[][..]), ("physical.glb", "heavy_walk", &["--physics"])]
    {
        let mut arguments = vec!["retarget", &walk, "--to", &actor, "-o", output, "--json"];
        arguments.extend(options);
        let figures = told(&desk, &arguments);
        assert_agrees(&desk, &walk, output, &figures["inputs"][0]["clips"][0], &["--clip", clip]);
    }
}

#[test]
fn a_simulated_clip_has_the_figures_of_its_report() {
    let desk = Desk::new();
    let turn = data("clips/turn.bvh");
    let printed = told(&desk, &["simulate", &turn, "-o", "out.bvh", "--report", "out.json", "--json"]);
    let text = std::fs::read_to_string(desk.path("out.json")).expect("a report");
    let written: Value = serde_json::from_str(&text).expect("one JSON object");
    for figures in [&printed, &written] {
        assert_agrees(&desk, &turn, "out.bvh", figures, &[]);
    }
    // The table is that of the report, row by row.
    let rows = |text: &str| -> Vec<String> {
        let rows = text.lines().skip_while(|line| !line.split_whitespace().eq(["before", "after"]));
        rows.filter(|line| !line.contains("--explain")).map(str::to_owned).collect()
    };
    let report = rows(&out(&desk.sinew(&["report", &turn, "out.bvh"]).success()));
    let own = rows(&out(&desk.sinew(&["simulate", &turn, "-o", "again.bvh"]).success()));
    assert!(report.len() > 5 && own == report, "{own:#?}\n{report:#?}");
}

/// Heights and masses of the bodies in a JSON object, however deep; those of segments are parts of bodies.
fn sizes<'v>(value: &'v Value, key: &str, found: &mut Vec<&'v Value>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get(key));
            map.iter().filter(|(name, _)| *name != "segments").for_each(|(_, value)| sizes(value, key, found));
        }
        Value::Array(values) => values.iter().for_each(|value| sizes(value, key, found)),
        _ => {}
    }
}

/// One file has one body: height and mass are the same in all verbs, for every kind of file.
#[test]
fn all_verbs_tell_the_same_body() {
    use sinew::formats::{self, ExportOptions, ImportOptions};
    use sinew::motion::edit::{axes_along, clip_with_joint_axes, slice, with_joint_axes};
    let desk = Desk::new();
    let mut capture = formats::read(data("clips/turn.bvh").as_ref(), &ImportOptions::default()).expect("a clip");
    capture.source = None;
    capture.clips[0] = slice(&capture.clips[0], 0..45).expect("some frames");
    let put = |name: &str, capture: &formats::Capture| {
        formats::write(&desk.path(name), capture, &ExportOptions::default()).expect("a file");
    };
    put("plain.bvh", &capture);
    put("character.glb", &capture);
    let axes = axes_along(&capture.skeleton, &sinew::Vec3::x(), |_| true);
    let clip = clip_with_joint_axes(&capture.skeleton, &capture.clips[0], &axes).expect("a clip");
    let along = with_joint_axes(&capture.skeleton, &axes).expect("a skeleton");
    put("along_x.bvh", &formats::Capture { skeleton: along, clips: vec![clip], ..capture.clone() });
    for file in ["plain.bvh", "character.glb", "along_x.bvh"] {
        let info = told(&desk, &["info", "--json", file]);
        let figure = told(&desk, &["info", "--figure", "--json", file]);
        let report = told(&desk, &["report", "--json", file]);
        let filtered = told(&desk, &["filter", file, "-o", "filtered.bvh", "--force", "--json"]);
        desk.sinew(&["simulate", file, "-o", "out.bvh", "--force", "--report", "out.json"]).success();
        let text = std::fs::read_to_string(desk.path("out.json")).expect("a report");
        let simulated: Value = serde_json::from_str(&text).expect("one JSON object");
        for key in ["height_m", "mass_kg"] {
            let expected = info[key].as_f64().expect("a size");
            assert!(if key == "height_m" { (1.7..1.8).contains(&expected) } else { (60.0..75.0).contains(&expected) });
            for (verb, told) in
                [("figure", &figure), ("report", &report), ("filter", &filtered), ("simulate", &simulated)]
            {
                let mut found = Vec::new();
                sizes(told, key, &mut found);
                assert!(key == "height_m" || !found.is_empty(), "{verb} of {file} tells no mass");
                for size in found.iter().filter_map(|size| size.as_f64()) {
                    assert!((size / expected - 1.0).abs() < 1e-3, "{verb} of {file}: {key} {size}, {expected}");
                }
            }
        }
    }
}
