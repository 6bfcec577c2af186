//! Reading, writing, including, the schema, and what a run becomes.

use sinew::scene::schema::{Body, Expect, Joint, Scene};
use sinew::scene::{Files, Number, SceneRun, gallery, json_schema};
use std::path::Path;

/// What is written is read again to the last bit, for every built-in scene.
#[test]
fn scenes_survive_being_written_and_read() {
    for entry in gallery::ALL {
        let scene = Scene::from_toml(entry.text).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        let text = scene.to_toml().expect("it can be written");
        let again = Scene::from_toml(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", entry.name));
        assert_eq!(again, scene, "{}", entry.name);
        // Written once more, not a letter changes.
        assert_eq!(again.to_toml().expect("it can be written"), text, "{}", entry.name);
    }
}

/// Numbers that no decimal of usual length holds come back with the same bits.
#[test]
fn numbers_keep_their_last_bit() {
    let mut scene = Scene { title: "bits".into(), ..Scene::default() };
    for (k, value) in [0.1 + 0.2, 1.0 / 3.0, f64::MIN_POSITIVE, 1e300, -0.0].into_iter().enumerate() {
        scene.body.push(Body { name: format!("b{k}"), mass: Some(Number::Plain(value)), ..Body::default() });
    }
    scene.joint.push(Joint {
        length: Some(Number::Curve { points: vec![[0.0, 0.1 + 0.2], [1.0, 2.0]], smooth: true, repeats: false }),
        ..Joint::default()
    });
    scene.expect.insert(
        "x".into(),
        Expect { value: Some("1".into()), is: Some(Number::Formula("1/3".into())), ..Expect::default() },
    );
    let again = Scene::from_toml(&scene.to_toml().expect("written")).expect("read");
    assert_eq!(again, scene);
    let bits = |scene: &Scene| match &scene.body[0].mass {
        Some(Number::Plain(value)) => value.to_bits(),
        other => panic!("{other:?}"),
    };
    assert_eq!(bits(&again), (0.1_f64 + 0.2).to_bits());
}

#[test]
fn included_files_come_first_and_the_including_file_has_the_last_word() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write(
        "base.toml",
        "title = 'base'\n[let]\nheight = 1\n[world]\nduration = 1\nstep = 0.01\n[[body]]\nname = 'a'\nmass = 1\nshape = { kind = 'sphere', radius = 0.1 }\nat = [0, 'height', 0]\n[expect.e]\nvalue = 'a.y'\nabove = 100\n",
    );
    write(
        "top.toml",
        "include = ['base.toml']\n[let]\nheight = 50\n[world]\ngravity = [0, 0, 0]\n[[point]]\nname = 'p'\non = 'a'\n[expect.e]\nvalue = 'p.y'\nis = 50\nwithin = 1e-9\n",
    );
    let files = Files::open(&folder.path().join("top.toml")).expect("a scene");
    assert_eq!(files.paths().count(), 2);
    assert_eq!((files.scene.title.as_str(), &files.scene.world.duration), ("base", &Some(Number::Plain(1.0))));
    let mut run = SceneRun::new(files, None).expect("it runs");
    run.finish(|_| ()).expect("it goes on");
    assert!(run.holds(), "{:?}", run.verdicts());
    // A fault of the base is told in the base.
    write("base.toml", "[[body]]\nname = 'a'\nmass = -1\nshape = { kind = 'sphere', radius = 0.1 }\n");
    let error =
        SceneRun::new(Files::open(&folder.path().join("top.toml")).expect("it reads"), None).err().expect("refused");
    assert!(error.to_string().contains("base.toml:3"), "{error}");
}

#[test]
fn the_schema_knows_every_table_and_refuses_unknown_ones() {
    let schema = json_schema();
    let properties = schema["properties"].as_object().expect("tables");
    for table in [
        "title", "include", "let", "world", "ground", "body", "point", "figure", "joint", "force", "event", "camera",
        "expect",
    ] {
        assert!(properties.contains_key(table), "{table}");
    }
    assert_eq!(schema["additionalProperties"], false);
    // Its words for people are those of the types.
    assert!(schema.to_string().contains("Load at which it breaks"));
}

/// Numbers of a GLB file's JSON.
fn glb_json(bytes: &[u8]) -> serde_json::Value {
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("a header")) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).expect("JSON")
}

#[test]
fn everything_that_moves_is_in_the_glb() {
    let mut run = SceneRun::new(Files::open(Path::new("mobile")).expect("a scene"), Some(1.0)).expect("it runs");
    run.finish(|_| ()).expect("it goes on");
    let json = glb_json(&run.to_glb().expect("a GLB"));
    let names: Vec<&str> = json["nodes"].as_array().expect("nodes").iter().filter_map(|n| n["name"].as_str()).collect();
    for name in ["beam", "twig", "leaf0", "leaf1", "leaf2", "Camera"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let channels = json["animations"][0]["channels"].as_array().expect("channels");
    assert!(channels.len() >= 8, "{}", channels.len());
    assert_eq!(run.frames(), 61);
}

#[test]
fn a_figure_from_a_glb_keeps_its_skin_beside_the_props() {
    let mut run = SceneRun::new(Files::open(Path::new("basket")).expect("a scene"), Some(0.1)).expect("it runs");
    run.finish(|_| ()).expect("it goes on");
    let bytes = run.to_glb().expect("a GLB");
    let json = glb_json(&bytes);
    assert_eq!(json["skins"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["animations"].as_array().map(Vec::len), Some(1));
    let names: Vec<&str> = json["nodes"].as_array().expect("nodes").iter().filter_map(|n| n["name"].as_str()).collect();
    assert!(names.contains(&"basket") && names.contains(&"LeftHand"), "{names:?}");
    // It can be read again as a capture.
    let capture = sinew::formats::read_bytes(&bytes, "basket", &Default::default()).expect("a capture");
    assert_eq!(capture.clips.len(), 1);
}

#[test]
fn a_record_tells_places_forces_and_verdicts() {
    let mut run = SceneRun::new(Files::open(Path::new("gears")).expect("a scene"), None).expect("it runs");
    run.finish(|_| ()).expect("it goes on");
    let json = run.to_json().expect("a recording");
    assert_eq!(json["bodies"].as_array().map(Vec::len), Some(4));
    let frames = json["times_s"].as_array().expect("times").len();
    assert_eq!(json["bodies"][3]["position_m"].as_array().map(Vec::len), Some(frames));
    assert_eq!(json["joints"][0]["force_torque_on_b"].as_array().map(Vec::len), Some(frames));
    assert!(json["expect"].as_array().expect("verdicts").iter().all(|v| v["outcome"] == "held"));
}
