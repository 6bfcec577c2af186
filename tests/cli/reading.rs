//! Reading: sizes that no person has, and what files of one recorder tell about each other.

use super::{Desk, Person, err, out, person_bvh};
use serde_json::Value;

fn data(name: &str) -> String {
    format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A file in centimetres that is read in metres holds a person of 175 m; one in millimetres read as centimetres, another.
#[test]
fn a_person_of_a_wrong_unit_is_refused_by_every_verb_with_the_unit_that_fits() {
    let desk = Desk::new();
    desk.put("walk.bvh", person_bvh(12));
    let actor = data("characters/actor.glb");
    let calls: [&[&str]; 6] = [
        &["convert", "-o", "out.glb"],
        &["report"],
        &["retarget", "--to", &actor, "-o", "out.glb"],
        &["filter", "-o", "out.glb"],
        &["simulate", "-o", "out.glb"],
        &["ragdoll", "-o", "out.glb"],
    ];
    for call in calls {
        for (unit, size) in [("m", "17"), ("mm", "0.18 m")] {
            let refused = desk.sinew(&[call, &["walk.bvh", "--unit", unit]].concat()).code(1);
            let told = err(&refused);
            assert!(told.contains("the person in it is") && told.contains(size), "{call:?}: {told}");
            assert!(told.contains("--unit cm makes it 1.7"), "{call:?}: {told}");
        }
    }
    assert_eq!(desk.files(), ["walk.bvh"]);
    let shown = out(&desk.sinew(&["info", "walk.bvh", "--unit", "m"]).code(1));
    assert!(
        shown.lines().next().is_some_and(|first| first.contains("not good") && first.contains("--unit cm")),
        "{shown}"
    );
    desk.sinew(&["convert", "walk.bvh", "--unit", "mm", "--any-size", "-o", "doll.glb"]).success();
}

fn up_axes(desk: &Desk, files: &[&str]) -> Vec<(String, String)> {
    let told = out(&desk.sinew(&[&["info", "--json"], files].concat()).success());
    let objects = told.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let of = |object: Value| {
        let guess = object["guesses"].as_array().and_then(|all| all.iter().find(|guess| guess["what"] == "up"));
        let why = guess.and_then(|guess| guess["why"].as_str()).unwrap_or_default().to_owned();
        (object["up"].as_str().unwrap_or_default().to_owned(), why)
    };
    objects.map(of).collect()
}

/// A person who only lies there seems to stand along another axis; those who walk in files of the same recorder know better.
#[test]
fn files_of_one_folder_and_skeleton_agree_on_what_is_up() {
    let desk = Desk::new();
    let walks = Person { z_up: true, frames: 61, ..Person::default() };
    desk.put("a.bvh", walks.bvh());
    desk.put("b.bvh", walks.bvh());
    desk.put("lies.bvh", Person { lies: true, ..walks }.bvh());
    std::fs::create_dir(desk.path("elsewhere")).expect("a folder");
    desk.put("elsewhere/lies.bvh", Person { lies: true, ..walks }.bvh());
    assert_eq!(up_axes(&desk, &["lies.bvh"])[0].0, "+Y", "alone it seems to stand");
    let together = up_axes(&desk, &["a.bvh", "lies.bvh", "b.bvh", "elsewhere/lies.bvh"]);
    let axes: Vec<&str> = together.iter().map(|(up, _)| up.as_str()).collect();
    assert_eq!(axes, ["+Z", "+Z", "+Z", "+Y"]);
    assert!(together[1].1.contains("3 files of this skeleton"), "{}", together[1].1);
    let told = out(&desk.sinew(&["info", "--json", "--up", "y", "a.bvh", "lies.bvh"]).success());
    assert_eq!(told.matches("\"up\":\"+Y\"").count(), 2, "what is typed is believed: {told}");
}

#[test]
fn a_file_of_the_same_recorder_lends_its_unit_and_up_axis() {
    let desk = Desk::new();
    let inches = Person { units: 2.54, z_up: true, ..Person::default() };
    desk.put("known.bvh", inches.bvh());
    desk.put("lies.bvh", Person { lies: true, ..inches }.bvh());
    let read = |options: &[&str]| -> Value {
        let told = out(&desk.sinew(&[&["info", "--json", "lies.bvh"], options].concat()).success());
        serde_json::from_str(&told).expect("JSON")
    };
    let like = read(&["--like", "known.bvh"]);
    assert_eq!((like["unit"].as_str(), like["up"].as_str()), (Some("inch"), Some("+Z")));
    let why: Vec<&str> = like["guesses"].as_array().expect("all").iter().filter_map(|g| g["why"].as_str()).collect();
    assert_eq!(why, ["as in known.bvh"; 2]);
    assert_eq!(read(&["--like", "known.bvh", "--up", "-x"])["up"], "-X", "what is typed comes first");
    for (file, code, words) in
        [("missing.bvh", 2, "no such file"), (&*data("characters/actor.glb"), 2, "states its unit")]
    {
        let refused = desk.sinew(&["report", "lies.bvh", "--like", file]).code(code);
        assert!(err(&refused).contains(words), "{}", err(&refused));
    }
    let refused = desk.sinew(&["convert", "lies.bvh", "--like", "known.bvh", "-o", "known.bvh", "--force"]).code(2);
    assert!(err(&refused).contains("would overwrite an input"), "{}", err(&refused));
}
