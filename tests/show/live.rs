//! Physics on: what a person does to a figure, and the way back.

use super::{act, data, opened, painted, pass, patient, step};
use sinew::Vec3;
use sinew::control::{Animation, held_ground_height};
use sinew::figure::{CaptureOptions, for_capture};
use sinew::formats::{self, ImportOptions};
use sinew::scene::{Files, SceneRun};
use sinew::show::{Action, Grip, Layers, Pick, Workspace};
use sinew::simulation::{Run, RunSettings};
use std::path::Path;

fn live(names: &[&str]) -> Workspace {
    let mut workspace = opened(names);
    act(&mut workspace, Action::Live(true));
    workspace
}

const SHAPES: Layers = Layers { shapes: true, ..Layers::NONE };

fn hash(workspace: &Workspace) -> u64 {
    workspace.state_hash(0).expect("a world")
}

/// The body of a segment, by the end of its name.
fn grip(workspace: &mut Workspace, name: &str) -> Grip {
    let names = workspace.segments(0);
    let k = names.iter().position(|(other, _)| other.ends_with(name)).unwrap_or_else(|| panic!("{name} of {names:?}"));
    Grip { item: 0, body: k + 1, at: Vec3::zeros() }
}

/// Where a body is drawn.
fn place(workspace: &Workspace, grip: &Grip) -> Vec3 {
    let picture = painted(workspace, &Layers { shapes: true, ..Layers::NONE });
    // The ground, body 0, is not drawn.
    picture.solids[grip.body - 1].placement.position
}

/// Looking at a simulation does not change it: the same bits as the same run without a show.
#[test]
fn a_run_that_is_watched_is_the_run_that_is_not() {
    let mut workspace = live(&["clips/walk.bvh"]);
    let options = ImportOptions { drop_tpose: true, ..ImportOptions::default() };
    let capture = formats::read(&data("clips/walk.bvh"), &options).expect("a clip");
    let body = for_capture(&capture, &CaptureOptions::default()).expect("a body");
    let animation = Animation::new(&capture.skeleton, &body.clip).expect("frames");
    let ground = held_ground_height(&body.figure, &body.clip).expect("feet");
    let settings = RunSettings { ground, ..RunSettings::default() };
    let mut run = Run::new(&body.figure, animation, settings).expect("a run");
    assert_eq!(hash(&workspace), run.world.state_hash());
    act(&mut workspace, Action::Play);
    while run.world.time() < 0.5 {
        run.step().expect("a step");
    }
    while workspace.status().time < run.world.time() - 1e-9 {
        let left = run.world.time() - workspace.status().time;
        workspace.advance(left.min(1.0 / 60.0));
        let _ = (painted(&workspace, &Layers::ALL), workspace.timeline(), workspace.status());
        let _ = workspace.pick(Vec3::new(0.0, 1.0, 5.0), -Vec3::z());
    }
    assert_eq!(hash(&workspace), run.world.state_hash());
}

/// The programs themselves: `sinew simulate` and `sinew run` tell the hash that the show has at the same time.
#[test]
fn the_verbs_without_a_window_tell_the_same_hash() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("walk.json");
    let walk = data("clips/walk.bvh").display().to_string();
    // It goes below the ground, which is then lower under a held root.
    let sinking = data("clips/fall.bvh").display().to_string();
    let record = record.display().to_string();
    for arguments in [
        &["simulate", &walk, "--for", "0.4", "--record", &record, "--json"][..],
        &["simulate", &sinking, "--for", "0.4", "--json"],
        &["run", "chain", "--for", "0.4", "--json"],
    ] {
        let told = std::process::Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).output().expect("it runs");
        let told: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
        let end = told["simulated_s"].as_f64().expect("seconds");
        let mut workspace = Workspace::open(&[arguments[1].into()], &patient()).expect("it opens");
        act(&mut workspace, Action::Live(true));
        while workspace.status().time < end - 1e-6 {
            act(&mut workspace, Action::StepForward);
        }
        assert_eq!(told["state_hash"], format!("{:016x}", hash(&workspace)), "{}", arguments[0]);
    }
    let take = sinew::record::Recording::load(record.as_ref()).expect("a recording");
    assert!(take.frames() > 10 && take.figures.len() == 1 && take.contacts.iter().any(|frame| !frame.is_empty()));
    assert!(Workspace::open(&[record.into()], &patient()).is_ok());
}

#[test]
fn a_scene_that_is_watched_is_the_scene_that_is_not() {
    for name in ["chain_release", "card_house", "loose_arms"] {
        let mut workspace = Workspace::open(&[name.into()], &patient()).expect("a scene");
        let mut run = SceneRun::new(Files::open(Path::new(name)).expect("a scene"), None).expect("a run");
        act(&mut workspace, Action::Live(true));
        for _ in 0..60 {
            run.step().expect("a step");
            act(&mut workspace, Action::StepForward);
        }
        assert_eq!(hash(&workspace), run.world().state_hash(), "{name}");
    }
}

/// Figures of scenes that follow a capture have a ghost, those that were let go have none.
#[test]
fn figures_of_scenes_have_ghosts_while_they_follow() {
    let ghosts = |name: &str| {
        let mut workspace = Workspace::open(&[name.into()], &patient()).expect("a scene");
        step(&mut workspace, 1);
        let picture = painted(&workspace, &Layers { shapes: true, ghost: true, ..Layers::NONE });
        picture.solids.iter().filter(|solid| solid.color[3] < 1.0).count()
    };
    assert!(ghosts("loose_arms") >= 10);
    assert_eq!(ghosts("staircase"), 0);
}

/// Going back, by single steps and by far, gives the bits that were there before; going on gives the same future.
#[test]
fn steps_back_restore_the_earlier_state_bit_for_bit() {
    let mut workspace = live(&["clips/idle.bvh"]);
    let hand = grip(&mut workspace, "RightHand");
    let mut hashes = vec![hash(&workspace)];
    for k in 0..150 {
        match k {
            20 => act(&mut workspace, Action::Push { grip: hand, impulse: Vec3::new(3.0, 1.0, 0.0) }),
            40 => act(
                &mut workspace,
                Action::Throw { from: Vec3::new(0.0, 1.2, 2.0), velocity: -4.0 * Vec3::z(), mass: 2.0, radius: 0.1 },
            ),
            // A world is kept at this very step.
            64 => {
                let to = place(&workspace, &hand) + Vec3::new(0.1, 0.2, 0.2);
                act(&mut workspace, Action::Grab { grip: hand, to });
            }
            75 => act(&mut workspace, Action::Twist(Vec3::new(0.3, 0.0, 0.0))),
            80 => act(&mut workspace, Action::Release),
            90 => act(&mut workspace, Action::Wind(Vec3::new(5.0, 0.0, 0.0))),
            100 => act(&mut workspace, Action::RagDoll { item: 0, limp: true }),
            130 => act(&mut workspace, Action::RagDoll { item: 0, limp: false }),
            _ => {}
        }
        // What was done at a step belongs to it.
        hashes[k] = hash(&workspace);
        act(&mut workspace, Action::StepForward);
        hashes.push(hash(&workspace));
    }
    for k in (50..150).rev() {
        act(&mut workspace, Action::StepBack);
        assert_eq!(hash(&workspace), hashes[k], "back to step {k}");
    }
    act(&mut workspace, Action::Seek(0.0));
    assert_eq!(hash(&workspace), hashes[0]);
    for (k, known) in hashes.iter().enumerate().skip(1) {
        act(&mut workspace, Action::StepForward);
        assert_eq!(hash(&workspace), *known, "once more, step {k}");
    }
    let length = workspace.status().time / 150.0;
    act(&mut workspace, Action::Seek(50.5 * length));
    assert_eq!(hash(&workspace), hashes[50]);
    act(&mut workspace, Action::Push { grip: hand, impulse: Vec3::new(0.0, 5.0, 0.0) });
    act(&mut workspace, Action::StepForward);
    assert_ne!(hash(&workspace), hashes[51], "another past has another future");
    act(&mut workspace, Action::Reset);
    assert_eq!(hash(&workspace), hashes[0]);
    step(&mut workspace, 10);
    assert_eq!(hash(&workspace), hashes[10], "nothing done is left after a reset");
}

#[test]
fn a_scene_steps_back_bit_for_bit() {
    let mut workspace = Workspace::open(&["card_house".into()], &patient()).expect("a scene");
    act(&mut workspace, Action::Live(true));
    let mut hashes = vec![hash(&workspace)];
    for _ in 0..80 {
        step(&mut workspace, 1);
        hashes.push(hash(&workspace));
    }
    for k in (0..80).rev().step_by(9) {
        let time = (k as f64 + 0.5) * workspace.status().time / 80.0;
        let mut other = Workspace::open(&["card_house".into()], &patient()).expect("a scene");
        act(&mut other, Action::Seek(time));
        assert_eq!(hash(&other), hashes[k]);
    }
    for k in (60..80).rev() {
        act(&mut workspace, Action::StepBack);
        assert_eq!(hash(&workspace), hashes[k], "step {k}");
    }
}

#[test]
fn a_dragged_hand_moves_toward_the_cursor_and_comes_back() {
    let mut workspace = live(&["clips/idle.bvh"]);
    let hand = grip(&mut workspace, "RightHand");
    pass(&mut workspace, 0.1);
    let start = place(&workspace, &hand);
    let to = start + Vec3::new(0.0, 0.25, 0.25);
    act(&mut workspace, Action::Grab { grip: hand, to });
    assert!(workspace.status().holding);
    let mut last = (start - to).norm();
    for _ in 0..4 {
        pass(&mut workspace, 0.125);
        let now = (place(&workspace, &hand) - to).norm();
        assert!(now < last + 0.01, "{now} after {last}");
        last = now;
    }
    assert!(last < 0.3 * (start - to).norm(), "{last}");
    act(&mut workspace, Action::Release);
    pass(&mut workspace, 1.5);
    assert!((place(&workspace, &hand) - start).norm() < 0.05, "the muscles take it back");
}

#[test]
fn a_thrown_ball_hits() {
    let mut workspace = live(&["clips/idle.bvh"]);
    let before = painted(&workspace, &SHAPES).solids.len();
    let chest = grip(&mut workspace, "Chest");
    let aim = place(&workspace, &chest);
    let (flight, speed) = (0.3, 8.0);
    let from = aim + Vec3::new(0.0, 0.5 * 9.81 * flight * flight, speed * flight);
    act(&mut workspace, Action::Throw { from, velocity: -speed * Vec3::z(), mass: 3.0, radius: 0.1 });
    let picture = painted(&workspace, &SHAPES);
    assert_eq!(picture.solids.len(), before + 1, "the ball is drawn");
    assert_eq!(picture.solids.last().expect("a ball").placement.position, from);
    let mut hit = false;
    for _ in 0..100 {
        step(&mut workspace, 1);
        let picture = painted(&workspace, &Layers { contacts: true, ..Layers::NONE });
        hit |= picture.dots.iter().any(|dot| (dot.at - aim).norm() < 0.35);
    }
    assert!(hit, "a contact near the chest");
}

/// Newton's third law at the ground: the forces drawn under a box at rest are its weight, to the scale of the figure beside
/// it, whose weight is 0.4 of its height.
#[test]
fn arrows_under_a_box_at_rest_are_its_weight() {
    let mut workspace = live(&["clips/idle.bvh"]);
    let mass = 2.0;
    let at = Vec3::new(2.0, 0.3, 0.0);
    act(&mut workspace, Action::Drop { at, mass, size: 0.2 });
    pass(&mut workspace, 1.5);
    let picture = painted(&workspace, &Layers { contact_forces: true, ..Layers::NONE });
    let under = picture.arrows.iter().filter(|arrow| (arrow.from - at).norm() < 0.5);
    let sum: Vec3 = under.map(|arrow| arrow.to - arrow.from).sum();
    let capture = formats::read(&data("clips/idle.bvh"), &ImportOptions::default()).expect("a clip");
    let figure = for_capture(&capture, &CaptureOptions::default()).expect("a body").figure;
    let expected = 0.4 * figure.height * mass / figure.mass();
    assert!((sum - Vec3::new(0.0, expected, 0.0)).norm() < 0.01 * expected, "{sum} instead of {expected}");
}

/// Who stands still stands with the zero-moment point under the centre of mass and inside the polygon of support.
#[test]
fn who_stands_still_is_in_balance() {
    let mut workspace = live(&["clips/idle.bvh"]);
    pass(&mut workspace, 0.5);
    let point = |layers: Layers| painted(&workspace, &layers).dots[0].at;
    let zero = point(Layers { zero_moment_point: true, ..Layers::NONE });
    let centre = point(Layers { centre_of_mass: true, ..Layers::NONE });
    assert!((zero.x - centre.x).hypot(zero.z - centre.z) < 0.05, "{zero} {centre}");
    let polygon = painted(&workspace, &Layers { support: true, ..Layers::NONE }).lines;
    assert!(polygon.len() >= 3);
    // The lines go round one way; a point inside is on the same side of all.
    let sides: Vec<f64> = polygon
        .iter()
        .map(|line| {
            let (way, to) = (line.to - line.from, zero - line.from);
            way.x * to.z - way.z * to.x
        })
        .collect();
    assert!(sides.iter().all(|side| *side > -1e-6) || sides.iter().all(|side| *side < 1e-6), "{sides:?}");
}

/// The wanted orientation is turned, and the segment turns with it.
#[test]
fn a_held_hand_can_be_twisted() {
    let mut workspace = live(&["clips/idle.bvh"]);
    let hand = grip(&mut workspace, "RightHand");
    pass(&mut workspace, 0.1);
    let turned = |workspace: &Workspace| painted(workspace, &SHAPES).solids[hand.body - 1].placement.rotation;
    let (start, at) = (turned(&workspace), place(&workspace, &hand));
    let axis = Vec3::y();
    act(&mut workspace, Action::Grab { grip: hand, to: at });
    (0..10).for_each(|_| act(&mut workspace, Action::Twist(axis * 0.06)));
    pass(&mut workspace, 0.4);
    let turn = (turned(&workspace) * start.inverse()).scaled_axis();
    assert!(turn.dot(&axis) > 0.3, "{turn}");
    act(&mut workspace, Action::Release);
}

/// A long session keeps few worlds, and any moment of it can still be gone to exactly.
#[test]
fn any_moment_of_a_long_session_comes_back() {
    let mut workspace = live(&["clips/fall.bvh"]);
    let mut known = Vec::new();
    for _ in 0..20 {
        step(&mut workspace, 97);
        known.push((workspace.status().time, hash(&workspace)));
    }
    for (time, hash) in known.iter().rev().step_by(3).chain(known.iter().step_by(4)) {
        act(&mut workspace, Action::Seek(*time));
        assert_eq!(workspace.state_hash(0), Some(*hash), "at {time} s");
    }
}

#[test]
fn knobs_act_at_once() {
    let mut workspace = live(&["clips/idle.bvh"]);
    act(&mut workspace, Action::Drop { at: Vec3::new(1.5, 1.0, 0.0), mass: 1.0, size: 0.2 });
    let falling = |workspace: &Workspace| painted(workspace, &SHAPES).solids.last().expect("a box").placement.position;
    act(&mut workspace, Action::Gravity(Vec3::zeros()));
    pass(&mut workspace, 0.1);
    assert!((falling(&workspace).y - 1.0).abs() < 1e-9, "nothing falls without gravity");
    act(&mut workspace, Action::Wind(Vec3::new(8.0, 0.0, 0.0)));
    pass(&mut workspace, 0.2);
    assert!(falling(&workspace).x > 1.5 + 1e-3, "the wind blows: {}", falling(&workspace));
    act(&mut workspace, Action::Wind(Vec3::zeros()));
    act(&mut workspace, Action::Gravity(Vec3::new(0.0, -9.81, 0.0)));
    act(&mut workspace, Action::Friction(0.1));
    act(&mut workspace, Action::Substeps(3));
    let status = workspace.status();
    assert_eq!((status.friction, status.substeps, status.wind), (0.1, 3, Vec3::zeros()));
    pass(&mut workspace, 0.6);
    assert!(falling(&workspace).y < 0.3);
    act(&mut workspace, Action::Strength { item: 0, segment: Some(3), share: 0.25 });
    assert_eq!(workspace.segments(0)[3].1, 0.25);
    act(&mut workspace, Action::Strength { item: 0, segment: None, share: 0.5 });
    assert!(workspace.segments(0).iter().all(|(_, share)| *share == 0.5));
    assert!(workspace.act(Action::Strength { item: 0, segment: Some(999), share: 0.5 }).is_err());
    assert!(workspace.act(Action::Strength { item: 7, segment: None, share: 0.5 }).is_err());
}

#[test]
fn a_rag_doll_falls_and_stands_up_again() {
    let mut workspace = live(&["clips/idle.bvh"]);
    let head = grip(&mut workspace, "Head");
    let height = place(&workspace, &head).y;
    act(&mut workspace, Action::RagDoll { item: 0, limp: true });
    pass(&mut workspace, 1.0);
    assert!(place(&workspace, &head).y < 0.6 * height, "{}", place(&workspace, &head).y);
    act(&mut workspace, Action::RagDoll { item: 0, limp: false });
    pass(&mut workspace, 4.5);
    assert!(place(&workspace, &head).y > 0.95 * height, "{}", place(&workspace, &head).y);
}

#[test]
fn physics_begins_where_the_slider_is() {
    let mut workspace = opened(&["clips/walk.bvh"]);
    act(&mut workspace, Action::Seek(0.5));
    let layers = Layers { shapes: true, ..Layers::NONE };
    let before = painted(&workspace, &layers).solids[0].placement.position;
    act(&mut workspace, Action::Live(true));
    assert!((workspace.status().time - 0.5).abs() < 0.01);
    assert!(workspace.timeline().curves.is_empty(), "no step was taken to get there");
    assert!((painted(&workspace, &layers).solids[0].placement.position - before).norm() < 0.03);
    act(&mut workspace, Action::Live(false));
    assert!(!workspace.status().live && workspace.state_hash(0).is_none());
}

#[test]
fn picks_of_a_live_figure_name_the_body_to_hold() {
    let mut workspace = live(&["clips/idle.bvh"]);
    let head = grip(&mut workspace, "Head");
    let at = place(&workspace, &head);
    let pick: Pick = workspace.pick(at + Vec3::new(0.0, 0.0, 3.0), -Vec3::z()).expect("the head");
    assert!(pick.movable);
    assert_eq!((pick.grip.item, pick.grip.body), (head.item, head.body));
    step(&mut workspace, 2);
    let facts = workspace.describe(&pick);
    for what in ["mass", "speed", "torque", "joint reaction", "joint angle", "strength"] {
        assert!(facts.iter().any(|(name, _)| name == what), "{what} of {facts:?}");
    }
}

#[test]
fn what_needs_physics_says_so_without_it() {
    let mut workspace = opened(&["clips/idle.bvh"]);
    let hand = grip(&mut workspace, "RightHand");
    for action in [
        Action::Push { grip: hand, impulse: Vec3::x() },
        Action::Grab { grip: hand, to: Vec3::zeros() },
        Action::Drag(Vec3::zeros()),
        Action::Gravity(Vec3::zeros()),
        Action::Throw { from: Vec3::zeros(), velocity: Vec3::z(), mass: 1.0, radius: 0.1 },
        Action::RagDoll { item: 0, limp: true },
    ] {
        assert!(workspace.act(action.clone()).is_err(), "{action:?}");
    }
    act(&mut workspace, Action::Live(true));
    for action in [
        Action::Push { grip: Grip { body: 0, ..hand }, impulse: Vec3::x() },
        Action::Grab { grip: Grip { body: 500, ..hand }, to: Vec3::zeros() },
        Action::Grab { grip: Grip { item: 5, ..hand }, to: Vec3::zeros() },
        Action::Throw { from: Vec3::zeros(), velocity: Vec3::z(), mass: 1.0, radius: -0.1 },
        Action::Throw { from: Vec3::zeros(), velocity: Vec3::z(), mass: -1.0, radius: 0.1 },
        Action::Drop { at: Vec3::repeat(f64::NAN), mass: 1.0, size: 0.1 },
    ] {
        assert!(workspace.act(action.clone()).is_err(), "{action:?}");
    }
    step(&mut workspace, 3);
    assert!(workspace.status().failure.is_none());
}
