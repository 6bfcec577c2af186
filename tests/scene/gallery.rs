//! Every built-in scene runs to its end and keeps what it promises.

use sinew::scene::{Files, Outcome, SceneRun, gallery};
use std::path::{Path, PathBuf};

/// The scene as it stands in the repository; the built-in one is the same.
fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/scenes").join(name).with_extension("toml")
}

fn holds(name: &str) {
    let files = Files::open(&file(name)).unwrap_or_else(|error| panic!("{error}: {:?}", error.help));
    let mut run = SceneRun::new(files, None).unwrap_or_else(|error| panic!("{error}"));
    run.finish(|_| ()).unwrap_or_else(|error| panic!("{error}"));
    let verdicts = run.verdicts();
    assert!(!verdicts.is_empty(), "{name} expects nothing");
    let failed: Vec<String> = verdicts
        .iter()
        .filter(|verdict| verdict.outcome != Outcome::Held)
        .map(|v| format!("{}: found {:?}, expected {}", v.name, v.found, v.wanted))
        .collect();
    assert!(failed.is_empty(), "{name}:\n{}", failed.join("\n"));
}

macro_rules! scenes {
    ($($name:ident),* $(,)?) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            holds(stringify!($name));
        })*
    };
}

scenes!(
    contact_impacts,
    contact_friction,
    contact_overlaps,
    joints,
    chain,
    structure,
    cycles,
    carousel,
    carousel_euler,
    carousel_midpoint,
    carousel_velocity,
    falling_objects,
    vehicle,
    vehicle_stop,
    animation,
    loose_arms,
    limited_forces,
    obstacles,
    pointing_arm,
    basket,
    umbrella,
    fat_man,
    combined_animation,
    markers,
    hanged_man,
    staircase,
    chain_release,
    bicycle_bent,
    bicycle_straight,
    coupled_pendula,
    door_closer,
    roller_coaster,
    trapeze,
    ball_to_nail,
    compound_pendulum,
    path,
    towers,
    space_station,
    card_house,
    pandora,
    nail_pendulum,
    windmill,
    transition,
    gears,
    mobile,
    clock_retainer,
    tensegrity,
    police_car,
    three_bar,
    four_bar,
    can_car,
);

#[test]
fn no_built_in_scene_goes_without_a_test() {
    let all: Vec<&str> = gallery::ALL.iter().map(|entry| entry.name).collect();
    assert_eq!(all, NAMES);
}

#[test]
fn built_in_scenes_are_those_of_the_repository() {
    for entry in gallery::ALL {
        let text = std::fs::read_to_string(file(entry.name)).expect("a file");
        assert!(text == entry.text, "{} was built from another text", entry.name);
    }
}

#[test]
fn every_scene_has_a_title_of_its_own() {
    let mut titles: Vec<String> =
        gallery::ALL.iter().map(|entry| Files::open(Path::new(entry.name)).expect("a scene").scene.title).collect();
    assert!(titles.iter().all(|title| title.len() > 10));
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), gallery::ALL.len());
}

/// A scene edited to be wrong fails: another gravity, another mass, another expectation.
#[test]
fn a_scene_edited_to_be_wrong_fails() {
    let edits = [
        ("ball_to_nail", "mass = 2", "mass = 3"),
        ("ball_to_nail", "tau_nail = 0.1", "tau_nail = 0.12"),
        ("gears", "factors = [0.10, 0.05]", "factors = [0.10, 0.06]"),
        ("compound_pendulum", "length = 1 }", "length = 1.1 }"),
        ("clock_retainer", "-9.8", "-9.9"),
        ("transition", "is = \"30 deg\"", "is = \"31 deg\""),
    ];
    for (name, from, to) in edits {
        let entry = gallery::find(name).expect("a built-in scene");
        assert!(entry.text.contains(from), "{name} has no {from}");
        let text = entry.text.replacen(from, to, 1);
        let mut run =
            SceneRun::new(Files::read(&text, Path::new(entry.file), None).expect("a scene"), None).expect("it runs");
        run.finish(|_| ()).expect("it goes on");
        assert!(!run.holds(), "{name} with {to:?} holds as well");
    }
}

/// The same scene gives the same bits.
#[test]
fn a_scene_runs_the_same_way_twice() {
    let hash = || {
        let mut run = SceneRun::new(Files::open(Path::new("windmill")).expect("a scene"), Some(1.0)).expect("it runs");
        run.finish(|_| ()).expect("it goes on");
        run.world().state_hash()
    };
    assert_eq!(hash(), hash());
}
