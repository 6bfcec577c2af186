//! Recordings, films, comparisons, measurements.

use super::{act, data, opened, painted, patient, step};
use sinew::Vec3;
use sinew::figure::{Figure, FigureOptions};
use sinew::formats;
use sinew::record::Recording;
use sinew::show::{Action, ForceSource, Layers, OpenOptions, Workspace};

/// What is played back is where it was, to the last bit, and so are its forces.
#[test]
fn a_recording_of_a_live_session_plays_back_exactly() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.json");
    let mut workspace = opened(&["clips/idle.bvh"]);
    assert!(workspace.save_recording(&path).is_err() && !path.exists(), "nothing was simulated yet");
    act(&mut workspace, Action::Live(true));
    step(&mut workspace, 16);
    act(
        &mut workspace,
        Action::Throw { from: Vec3::new(0.0, 1.5, 1.0), velocity: -6.0 * Vec3::z(), mass: 2.0, radius: 0.1 },
    );
    step(&mut workspace, 64);
    let layers = Layers { shapes: true, contacts: true, contact_forces: true, ..Layers::NONE };
    let seen = painted(&workspace, &layers);
    workspace.save_recording(&path).expect("a recording");
    let take = Recording::load(&path).expect("it can be read");
    assert_eq!(Recording::read(&take.to_json().expect("text")).expect("again"), take);
    let mut again = Workspace::open(&[path], &patient()).expect("a recording");
    assert_eq!(again.status().forces, ForceSource::Measured);
    act(&mut again, Action::Seek(take.duration()));
    let played = painted(&again, &layers);
    for solid in &seen.solids {
        let there = played.solids.iter().any(|other| other.placement == solid.placement);
        assert!(there, "{:?}", solid.placement);
    }
    assert_eq!(seen.dots.len(), played.dots.len());
    assert!(!seen.dots.is_empty());
    for (a, b) in seen.dots.iter().zip(&played.dots) {
        assert_eq!(a.at, b.at);
    }
    let pick = again.pick(Vec3::new(0.0, 1.0, 5.0), -Vec3::z()).expect("the figure");
    assert!(!pick.movable);
    assert!(again.timeline().curves.iter().any(|curve| curve.name == "contact force"));
}

#[test]
fn broken_recordings_are_refused() {
    for (text, reason) in [
        ("{", "is no recording"),
        (r#"{"rate_hz":60,"times_s":[],"bodies":[]}"#, "no frames"),
        (r#"{"rate_hz":60,"times_s":[0,0],"bodies":[]}"#, "do not ascend"),
        (r#"{"rate_hz":0,"times_s":[0],"bodies":[]}"#, "above 0 Hz"),
        (
            r#"{"rate_hz":60,"times_s":[0],"bodies":[{"name":"a","position_m":[],"rotation_wxyz":[[1,0,0,0]]}]}"#,
            "0 entries",
        ),
        (
            r#"{"rate_hz":60,"times_s":[0],"bodies":[{"name":"a","position_m":[[0,0,0]],"rotation_wxyz":[[0,0,0,0]]}]}"#,
            "that is none",
        ),
        (
            r#"{"rate_hz":60,"times_s":[0],"bodies":[],"contacts":[[{"bodies":[0,1],"point_m":[0,0,0],"force_n":[0,0,0]}]]}"#,
            "names body 0",
        ),
    ] {
        let told = Recording::read(text.as_bytes()).expect_err(text).to_string();
        assert!(told.contains(reason), "{told}");
    }
}

#[test]
fn a_live_session_becomes_a_glb_with_its_skin_and_what_was_thrown() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.glb");
    let mut workspace = opened(&["characters/actor.glb"]);
    act(&mut workspace, Action::Live(true));
    act(&mut workspace, Action::Drop { at: Vec3::new(1.0, 1.0, 0.0), mass: 1.0, size: 0.2 });
    step(&mut workspace, 48);
    workspace.export_glb(&path).expect("a film");
    let capture = formats::read(&path, &Default::default()).expect("a character");
    assert_eq!(capture.clips.len(), 1);
    assert!(capture.clips[0].frames() >= 6, "{}", capture.clips[0].frames());
    let json = String::from_utf8_lossy(&std::fs::read(&path).expect("bytes")).into_owned();
    assert!(json.contains("\"name\":\"box\""), "the box is there");
    let mut again = Workspace::open(&[path], &patient()).expect("it opens");
    let count = |workspace: &Workspace| painted(workspace, &Layers::default()).skins.len();
    let before = count(&again);
    let end = again.status().duration;
    act(&mut again, Action::Seek(end));
    assert_eq!(count(&again), before + 1, "the box appears");
}

#[test]
fn several_live_figures_and_a_scene_become_one_recording_and_one_glb() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut workspace = opened(&["clips/idle.bvh", "clips/wave.bvh"]);
    workspace.add("mobile".as_ref()).expect("a scene");
    act(&mut workspace, Action::Live(true));
    step(&mut workspace, 20);
    let (json, glb) = (folder.path().join("all.json"), folder.path().join("all.glb"));
    workspace.save_recording(&json).expect("a recording");
    let take = Recording::load(&json).expect("it can be read");
    assert_eq!(take.figures.len(), 2);
    workspace.export_glb(&glb).expect("a film");
    assert!(Workspace::open(&[glb], &patient()).is_ok());
}

#[test]
fn what_run_records_can_be_looked_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let files = sinew::scene::Files::open("chain".as_ref()).expect("a scene");
    let mut run = sinew::scene::SceneRun::new(files, Some(0.3)).expect("a run");
    run.finish(|_| ()).expect("it runs");
    std::fs::write(&path, run.to_json().expect("a recording").to_string()).expect("a file");
    let mut workspace = Workspace::open(&[path], &patient()).expect("a recording");
    act(&mut workspace, Action::Seek(0.2));
    assert!(!painted(&workspace, &Layers::default()).solids.is_empty());
}

#[test]
fn a_result_is_shown_with_its_source_as_a_ghost_at_the_same_place() {
    let paths = [data("clips/walk.bvh"), data("damaged/walk_sinking.bvh")];
    let options = OpenOptions { compare: true, ..patient() };
    let mut workspace = Workspace::open(&paths, &options).expect("a pair");
    assert_eq!((workspace.len(), workspace.name(0)), (1, "walk_sinking.bvh"));
    let layers = Layers { shapes: true, ghost: true, ..Layers::NONE };
    let picture = painted(&workspace, &layers);
    let (solid, ghost) = picture.solids.split_at(picture.solids.len() / 2);
    assert!(solid.iter().all(|s| s.color[3] == 1.0) && ghost.iter().all(|s| s.color[3] < 1.0));
    let shift = solid[0].placement.position - ghost[0].placement.position;
    assert!(shift.x.abs() < 0.2 && shift.norm() > 1e-3, "{shift}");
    act(&mut workspace, Action::Swap);
    let swapped = painted(&workspace, &layers);
    assert_eq!(swapped.solids[0].placement.position, ghost[0].placement.position);
    let odd = Workspace::open(&paths[..1], &options).err().expect("one file alone").to_string();
    assert!(odd.contains("pairs"), "{odd}");
}

#[test]
fn clips_are_measured_when_asked_for() {
    let mut workspace = opened(&["clips/walk.bvh"]);
    assert!(workspace.timeline().curves.is_empty() && workspace.status().forces == ForceSource::None);
    workspace.analyse();
    workspace.wait_for_analysis();
    let timeline = workspace.timeline();
    assert!(!timeline.pending && workspace.status().forces == ForceSource::Estimated);
    for name in ["penetration", "skate", "residual force", "ground reaction", "balance"] {
        let curve = timeline.curves.iter().find(|curve| curve.name == name).unwrap_or_else(|| panic!("no {name}"));
        let (time, value) = curve.worst.expect("a worst frame");
        assert!((0.0..=timeline.duration).contains(&time));
        assert!(curve.values.iter().filter(|v| v.is_finite()).all(|v| v.abs() <= value.abs()));
    }
    // A walk carries its weight, no more.
    let reaction = timeline.curves.iter().find(|curve| curve.name == "ground reaction").expect("forces");
    let known: Vec<f32> = reaction.values.iter().copied().filter(|v| v.is_finite()).collect();
    let mean = known.iter().sum::<f32>() / known.len() as f32;
    assert!((mean - 1.0).abs() < 0.05, "{mean}");
    assert!(timeline.contacts.iter().any(|track| track.label.contains("left") && !track.intervals.is_empty()));
    act(&mut workspace, Action::Seek(0.5));
    let picture = painted(&workspace, &Layers { contact_forces: true, support: true, ..Layers::NONE });
    assert!(!picture.arrows.is_empty() && !picture.lines.is_empty());
}

/// Opened alone, a figure file brings the capture that it names, from wherever both lie.
#[test]
fn a_figure_file_alone_brings_its_capture() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bodies, clips) = (folder.path().join("bodies"), folder.path().join("clips"));
    for folder in [&bodies, &clips] {
        std::fs::create_dir(folder).expect("a folder");
    }
    let (path, clip) = (bodies.join("body.toml"), clips.join("idle.bvh"));
    std::fs::copy(data("clips/idle.bvh"), &clip).expect("a copy");
    let capture = formats::read(&clip, &Default::default()).expect("a clip");
    let mut figure = Figure::build(&capture.skeleton, &FigureOptions::default()).expect("a figure");
    figure.set_mass(123.0);
    figure.save_of(&path, &clip).expect("a file");
    let text = std::fs::read_to_string(&path).expect("a text");
    assert!(text.contains("capture = \"../clips/idle.bvh\""), "{text}");
    assert_eq!(Figure::load(&path, &capture.skeleton).expect("a figure"), figure);
    let workspace = Workspace::open(std::slice::from_ref(&path), &patient()).expect("it opens");
    assert_eq!((workspace.len(), workspace.name(0)), (1, "idle.bvh"));
    std::fs::remove_file(&clip).expect("it goes");
    let told = Workspace::open(std::slice::from_ref(&path), &patient()).err().expect("no capture");
    assert!(told.to_string().contains("idle.bvh"), "{told}");
    assert!(told.help.as_deref().is_some_and(|help| help.contains("body.toml")), "{told:?}");
}

#[test]
fn a_figure_file_gives_its_body_to_the_captures_it_fits() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("body.toml");
    let capture = formats::read(&data("clips/idle.bvh"), &Default::default()).expect("a clip");
    let mut figure = Figure::build(&capture.skeleton, &FigureOptions::default()).expect("a figure");
    figure.set_mass(123.0);
    figure.save(&path).expect("a file");
    let alone = Workspace::open(std::slice::from_ref(&path), &patient()).err().expect("no skeleton");
    assert!(alone.to_string().contains("figure file") && alone.help.is_some(), "{alone}");
    let mut workspace = Workspace::open(&[path, data("clips/idle.bvh")], &patient()).expect("a body and a clip");
    act(&mut workspace, Action::Live(true));
    assert_eq!(workspace.len(), 1);
    let head = workspace.segments(0).len();
    let mass: f64 = (1..=head)
        .filter_map(|body| {
            let grip = sinew::show::Grip { item: 0, body, at: Vec3::zeros() };
            let pick = sinew::show::Pick {
                grip,
                segment: None,
                point: Vec3::zeros(),
                normal: Vec3::y(),
                distance: 0.0,
                movable: true,
            };
            let facts = workspace.describe(&pick);
            let mass = facts.iter().find(|(what, _)| what == "mass")?.1.clone();
            mass.trim_end_matches(" kg").parse::<f64>().ok()
        })
        .sum();
    assert!((mass - 123.0).abs() < 0.05, "{mass}");
}
