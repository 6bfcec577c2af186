//! The built-in data is what its generator makes, and has the properties its README states.

#![allow(clippy::disallowed_methods)] // Expectations are computed with the functions of the system.

#[path = "../tools/make_data/studio/mod.rs"]
mod studio;

use sinew::figure::{Figure, FigureOptions};
use sinew::formats::{self, ImportOptions};
use sinew::measure::{Cutoff, Key, Measure, MeasureOptions};
use sinew::motion::{Clip, Frame, Skeleton};
use sinew::{Real, Vec3};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use studio::body::{Body, FootShape};
use studio::curve::Fourier;
use studio::files::DataFile;
use studio::{cast, files, jump, mass, run, walk};

/// What the generator makes; made once for all tests.
static MADE: LazyLock<Vec<DataFile>> = LazyLock::new(|| files::all().expect("the generator works"));

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

/// The skeleton and first clip of a built-in file.
fn load(path: &str) -> (Skeleton, Clip) {
    let mut capture = formats::read(&data().join(path), &ImportOptions::default()).expect(path);
    (capture.skeleton, capture.clips.swap_remove(0))
}

fn worlds(skeleton: &Skeleton, clip: &Clip) -> Vec<Vec<Frame>> {
    (0..clip.frames()).map(|frame| clip.pose(skeleton, frame).world(skeleton)).collect()
}

/// Heel, ball and toe tip of one foot, as points of the sole.
fn sole(shape: &FootShape, foot: &Frame, toes: &Frame) -> [Vec3; 3] {
    [
        foot.position + foot.rotation * Vec3::new(0.0, -shape.ankle_height, -shape.heel_back),
        toes.position + toes.rotation * Vec3::new(0.0, -shape.ball_height, 0.0),
        toes.position + toes.rotation * Vec3::new(0.0, -shape.ball_height, shape.toes),
    ]
}

/// Sole points of both feet, frame by frame: `[side][heel, ball, tip]`. The heavy character's files have turned joint
/// axes, so its rest rotations are taken out first.
fn soles(body: &Body, skeleton: &Skeleton, clip: &Clip) -> Vec<[[Vec3; 3]; 2]> {
    let rest = skeleton.rest_pose().world(skeleton);
    let find = |joint: usize| skeleton.find(&body.skeleton.joint(joint).name).expect("a leg joint");
    let straight = |frames: &[Frame], joint: usize| Frame {
        position: frames[joint].position,
        rotation: frames[joint].rotation * rest[joint].rotation.inverse(),
    };
    let at = |frames: &Vec<Frame>| {
        body.legs
            .map(|[_, _, foot, toes]| sole(&body.foot, &straight(frames, find(foot)), &straight(frames, find(toes))))
    };
    worlds(skeleton, clip).iter().map(at).collect()
}

const MILLIMETRE: Real = 1e-3;

/// The farthest a point goes sideways while it stays on the ground (below 0.3 mm), metres.
fn slide(places: &[Vec3]) -> Real {
    let mut worst: Real = 0.0;
    let mut landed: Option<Vec3> = None;
    for &place in places {
        if place.y > 0.3 * MILLIMETRE {
            landed = None;
        } else {
            worst = worst.max((place - *landed.get_or_insert(place)).xz().norm());
        }
    }
    worst
}

/// The worst slide of any sole point.
fn worst_slide(soles: &[[[Vec3; 3]; 2]]) -> Real {
    let points = (0..2).flat_map(|side| (0..3).map(move |point| (side, point)));
    let places = |(side, point): (usize, usize)| soles.iter().map(|frame| frame[side][point]).collect::<Vec<_>>();
    points.map(|which| slide(&places(which))).fold(0.0, Real::max)
}

fn lowest(frame: &[[Vec3; 3]; 2]) -> Real {
    frame.iter().flatten().map(|point| point.y).fold(Real::INFINITY, Real::min)
}

#[test]
fn the_generator_makes_the_committed_bytes() {
    for file in MADE.iter() {
        let committed = std::fs::read(data().join(&file.path)).unwrap_or_default();
        assert!(
            committed == file.bytes,
            "{} differs: run `cargo run --release -p sinew-tools --bin make_data`",
            file.path
        );
    }
    let total: usize = MADE.iter().map(|file| file.bytes.len()).sum();
    assert!(total < 3_000_000, "{total} bytes are too many to clone for everybody");
}

#[test]
fn data_holds_nothing_but_what_the_generator_makes_and_its_readme() {
    let mut expected: BTreeSet<String> = MADE.iter().map(|file| file.path.clone()).collect();
    expected.insert("README.md".into());
    let mut found = BTreeSet::new();
    let mut folders = vec![data()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("data can be listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let below = path.strip_prefix(data()).expect("below data");
                let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
                // Scenes are written by hand; `tests/scene` runs them.
                if path.extension().is_none_or(|extension| extension != "toml") || parts[0] != "scenes" {
                    found.insert(parts.join("/"));
                }
            }
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn readme_names_every_file() {
    let readme = std::fs::read_to_string(data().join("README.md")).expect("a README");
    for file in MADE.iter() {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        assert!(readme.contains(name), "README.md does not speak of {name}");
    }
}

#[test]
fn standing_feet_neither_slide_nor_sink_nor_hover() {
    let actor = cast::actor().expect("a body");
    let heavy = cast::heavy().expect("a body");
    let grounded = [("idle", &actor), ("walk", &actor), ("turn", &actor), ("wave", &actor), ("crouch", &actor)];
    let heavies = [("heavy_walk", &heavy), ("heavy_idle", &heavy)];
    for (name, body) in grounded.into_iter().chain(heavies) {
        let (skeleton, clip) = load(&format!("clips/{name}.bvh"));
        let soles = soles(body, &skeleton, &clip);
        for (k, frame) in soles.iter().enumerate() {
            assert!(lowest(frame).abs() < MILLIMETRE, "{name}, frame {k}: lowest sole point at {} m", lowest(frame));
        }
        assert!(worst_slide(&soles) < MILLIMETRE, "{name}: slides {} m", worst_slide(&soles));
    }
    for name in ["run", "jump", "fall"] {
        let (skeleton, clip) = load(&format!("clips/{name}.bvh"));
        let soles = soles(&actor, &skeleton, &clip);
        let deepest = soles.iter().map(lowest).fold(Real::INFINITY, Real::min);
        assert!(deepest.abs() < MILLIMETRE, "{name}: deepest sole point at {deepest} m");
        assert!(worst_slide(&soles) < MILLIMETRE, "{name}: slides {} m", worst_slide(&soles));
    }
}

#[test]
fn walk_and_run_repeat_after_whole_strides() {
    let walking = walk::Style::actor();
    for (name, travel) in
        [("walk", files::STRIDES * walking.stride), ("run", files::RUN_STRIDES * run::Style::actor().stride)]
    {
        let (skeleton, clip) = load(&format!("clips/{name}.bvh"));
        let (first, last) = (clip.pose(&skeleton, 0), clip.pose(&skeleton, clip.frames() - 1));
        for (joint, (a, b)) in first.rotations.iter().zip(&last.rotations).enumerate() {
            assert!(a.angle_to(b).to_degrees() < 0.01, "{name}: joint {joint} turns {}", a.angle_to(b).to_degrees());
        }
        let way = last.translations[0] - first.translations[0];
        assert!((way - Vec3::new(0.0, 0.0, travel)).norm() < 1e-5, "{name}: {way}");
    }
}

/// The ground can give every force that the walk asks for, within a five-hundredth of the weight. Drawn by joint angles alone it left 0.085.
#[test]
fn the_walk_is_carried_by_its_feet() {
    let (skeleton, clip) = load("clips/walk.bvh");
    let figure = Figure::build(&skeleton, &FigureOptions { clip: Some(&clip), ..FigureOptions::default() });
    let options = MeasureOptions { cutoff: Cutoff::None, made: true, ..MeasureOptions::default() };
    let report = Measure { figure: &figure.expect("a figure"), clip: &clip, options }.run().expect("a report");
    let most = report.get(Key::ResidualForceMax).expect("a number");
    assert!(most < 0.002, "{most} body weights come from nowhere");
}

/// Winter (1991), Perry and Burnfield (1992): knee and ankle of the walk stay near the normal curves it was made from.
#[test]
fn walk_has_the_published_joint_angles() {
    let actor = cast::actor().expect("a body");
    let (skeleton, clip) = load("clips/walk.bvh");
    let [_, shank, foot, _] =
        actor.legs[0].map(|joint| skeleton.find(&actor.skeleton.joint(joint).name).expect("a joint"));
    let frames = (walk::Style::actor().period * clip.rate_hz()).round() as usize;
    for (joint, table, sign) in [(shank, &walk::KNEE[..], 1.0), (foot, &walk::ANKLE[..], -1.0)] {
        let curve = Fourier::fit(table, 8);
        let squares = (0..frames).map(|k| {
            let forward = clip.rotations(k)[joint] * Vec3::z();
            let angle = sign * (-forward.y).atan2(forward.z).to_degrees();
            (angle - curve.at(k as Real / frames as Real)).powi(2)
        });
        let deviation = (squares.sum::<Real>() / frames as Real).sqrt();
        assert!(deviation < 6.0, "{}: {deviation}° from the normal curve", skeleton.joint(joint).name);
    }
}

/// The centre of mass (Winter's table 4.1) of a clip read back from its file, frame by frame.
fn centres(name: &str) -> Vec<Vec3> {
    let actor = cast::actor().expect("a body");
    let (skeleton, clip) = load(&format!("clips/{name}.bvh"));
    // BVH lists joints depth first.
    let order: Vec<usize> =
        actor.skeleton.joints().iter().map(|joint| skeleton.find(&joint.name).expect("a joint")).collect();
    (0..clip.frames())
        .map(|frame| {
            let read = clip.pose(&skeleton, frame);
            let mut pose = actor.skeleton.rest_pose();
            for (ours, &theirs) in order.iter().enumerate() {
                pose.rotations[ours] = read.rotations[theirs];
            }
            pose.translations[0] = read.translations[order[0]];
            mass::centre_of_mass(&actor, &pose)
        })
        .collect()
}

/// y = y₀ + v t − g t²/2 through the first and last point; the largest distance of the others from it.
fn off_parabola(centres: &[Vec3]) -> Real {
    let steps = (centres.len() - 1) as Real;
    let span = steps / 60.0;
    let (first, last) = (centres[0], centres[centres.len() - 1]);
    let speed = (last - first) / span + Vec3::new(0.0, 0.5 * 9.81 * span, 0.0);
    let distance = |(k, centre): (usize, &Vec3)| {
        let t = k as Real / 60.0;
        (first + speed * t - Vec3::new(0.0, 0.5 * 9.81 * t * t, 0.0) - centre).norm()
    };
    centres.iter().enumerate().map(distance).fold(0.0, Real::max)
}

#[test]
fn jump_flies_on_the_parabola_of_gravity() {
    let (up, down) = jump::FLIGHT;
    let frames = (up * 60.0).ceil() as usize..=(down * 60.0).floor() as usize;
    let flight = &centres("jump")[frames];
    assert!(flight.len() >= 25);
    assert!(off_parabola(flight) < 0.05 * MILLIMETRE, "{} m off", off_parabola(flight));
    let top = flight.iter().map(|centre| centre.y).fold(0.0, Real::max);
    assert!(top - flight[0].y > 0.15, "rises {} m", top - flight[0].y);
}

#[test]
fn run_is_in_the_air_twice_a_stride_on_the_parabola_of_gravity() {
    let actor = cast::actor().expect("a body");
    let (skeleton, clip) = load("clips/run.bvh");
    let airborne: Vec<bool> = soles(&actor, &skeleton, &clip).iter().map(|frame| lowest(frame) > MILLIMETRE).collect();
    let centres = centres("run");
    let mut flights = 0;
    let mut frame = 0;
    while frame < airborne.len() {
        let length = airborne[frame..].iter().take_while(|air| **air).count();
        if length >= 3 {
            flights += 1;
            let flight = &centres[frame..frame + length];
            assert!(off_parabola(flight) < 0.1 * MILLIMETRE, "flight at {frame}: {} m off", off_parabola(flight));
        }
        frame += length.max(1);
    }
    assert_eq!(flights, 2 * files::RUN_STRIDES as usize);
}

#[test]
fn fall_ends_lying_still_on_the_ground() {
    let (skeleton, clip) = load("clips/fall.bvh");
    let worlds = worlds(&skeleton, &clip);
    let height = |frame: usize, name: &str| worlds[frame][skeleton.find(name).expect("a joint")].position.y;
    assert!(height(0, "Head") > 1.5);
    let last = clip.frames() - 1;
    for name in ["Hips", "Chest", "Head", "LeftUpperArm", "RightLowerLeg"] {
        assert!(height(last, name) < 0.25, "{name} at {} m", height(last, name));
    }
    for joint in 0..skeleton.len() {
        let moved = (worlds[last][joint].position - worlds[last - 30][joint].position).norm();
        assert!(moved < MILLIMETRE, "{} still moves {moved} m", skeleton.joint(joint).name);
        let deepest = worlds.iter().map(|frames| frames[joint].position.y).fold(Real::INFINITY, Real::min);
        assert!(deepest > 0.0, "{} is {deepest} m high", skeleton.joint(joint).name);
    }
}

#[test]
fn damaged_walks_differ_from_the_walk_by_the_stated_amounts() {
    let (skeleton, clean) = load("clips/walk.bvh");
    let hips = |clip: &Clip, frame: usize| clip.pose(&skeleton, frame).translations[0];
    let table = std::fs::read_to_string(data().join("damage.toml")).expect("a table");
    let stated = |section: &str, key: &str| -> Real {
        let below = table.split(&format!("[{section}]")).nth(1).expect(section);
        let line = below.lines().find(|line| line.starts_with(key)).expect(key);
        line.split('=').nth(1).and_then(|value| value.trim().parse().ok()).expect("a number")
    };
    let damaged = |name: &str| load(&format!("damaged/walk_{name}.bvh")).1;
    let last = clean.frames() - 1;

    let skating = damaged("skating");
    let travel = |clip: &Clip| hips(clip, last).z - hips(clip, 0).z;
    assert!((travel(&skating) / travel(&clean) - stated("skating", "travel_factor")).abs() < 1e-5);

    for name in ["sinking", "floating"] {
        let clip = damaged(name);
        for frame in 0..=last {
            let shift = hips(&clip, frame) - hips(&clean, frame);
            assert!((shift - Vec3::new(0.0, stated(name, "height_m"), 0.0)).norm() < 1e-5, "{name}, frame {frame}");
        }
    }

    let bobbing = damaged("bobbing");
    for frame in 0..=last {
        let angle = std::f64::consts::TAU * stated("bobbing", "frequency_hz") * frame as Real / 60.0;
        let shift = hips(&bobbing, frame).y - hips(&clean, frame).y;
        assert!((shift - stated("bobbing", "amplitude_m") * angle.sin()).abs() < 1e-5, "frame {frame}");
    }

    let jittering = damaged("jittering");
    let mut squares = Vec::new();
    for frame in 0..=last {
        for (a, b) in clean.rotations(frame).iter().zip(jittering.rotations(frame)) {
            squares.extend((a.inverse() * b).scaled_axis().map(|x| x.to_degrees().powi(2)).iter());
        }
    }
    let deviation = (squares.iter().sum::<Real>() / squares.len() as Real).sqrt();
    assert!((deviation - stated("jittering", "deviation_deg_per_axis")).abs() < 0.02, "{deviation}°");
}

/// Hildebrand (1989): left hind, left fore, right hind, right fore; each foot down for about 64 % of the stride.
#[test]
fn dog_walks_in_lateral_sequence() {
    let (skeleton, clip) = load("clips/dog_walk.bvh");
    let worlds = worlds(&skeleton, &clip);
    let stride = 48;
    let mut contacts = Vec::new();
    for name in ["LeftHindToes", "LeftForeToes", "RightHindToes", "RightForeToes"] {
        let paw = skeleton.find(name).expect("a paw");
        let tip = skeleton.joint(paw).tip.expect("toes");
        // The tip's point of the sole: it is the last to leave the ground.
        let place = |frame: usize| {
            let at = worlds[frame][paw];
            at.position + at.rotation * Vec3::new(0.0, -0.028, tip.z)
        };
        let down: Vec<bool> = (0..stride).map(|frame| place(frame).y < 0.3 * MILLIMETRE).collect();
        let duty = down.iter().filter(|down| **down).count() as Real / stride as Real;
        assert!((duty - 0.64).abs() < 0.04, "{name} is down for {duty} of the stride");
        let contact = (0..stride).find(|&k| down[k] && !down[(k + stride - 1) % stride]).expect("a contact");
        contacts.push(contact as Real / stride as Real);
        let places: Vec<Vec3> = (0..clip.frames()).map(place).collect();
        assert!(places.iter().all(|place| place.y > -MILLIMETRE), "{name} is in the ground");
        assert!(slide(&places) < MILLIMETRE, "{name} slides {} m", slide(&places));
    }
    for (found, expected) in contacts.iter().zip([0.0, 0.20, 0.50, 0.70]) {
        let apart = (found - expected + 0.5).rem_euclid(1.0) - 0.5;
        assert!(apart.abs() < 0.04, "contacts at {contacts:?}");
    }
}

#[test]
fn characters_hold_their_clips() {
    for (file, clips, joints) in [("actor", 8, 22), ("heavy", 2, 25), ("dog", 1, 28)] {
        let path = data().join(format!("characters/{file}.glb"));
        let capture = formats::read(&path, &ImportOptions::default()).expect(file);
        assert_eq!(capture.clips.len(), clips, "{file}");
        assert_eq!(capture.skeleton.len(), joints, "{file}");
        let turned = capture.skeleton.joints().iter().filter(|joint| joint.rest.angle() > 0.01).count();
        assert_eq!(turned > 0, file == "heavy", "{file}: {turned} joints are turned at rest");
    }
}

/// Keys that were left out of the characters and digits that were left out of the clips move nothing that can be seen.
#[test]
fn characters_and_clips_show_the_same_motion() {
    for file in ["actor", "heavy", "dog"] {
        let path = data().join(format!("characters/{file}.glb"));
        let character = formats::read(&path, &ImportOptions::default()).expect(file);
        for clip in &character.clips {
            let (skeleton, same) = load(&format!("clips/{}.bvh", clip.name));
            assert_eq!(clip.frames(), same.frames(), "{}", clip.name);
            let (ours, theirs) = (worlds(&character.skeleton, clip), worlds(&skeleton, &same));
            for (joint, other) in character
                .skeleton
                .joints()
                .iter()
                .zip(0..)
                .filter_map(|(joint, index): (_, usize)| Some((index, skeleton.find(&joint.name)?)))
            {
                for (frame, (a, b)) in ours.iter().zip(&theirs).enumerate() {
                    let apart = (a[joint].position - b[other].position).norm();
                    assert!(apart < 0.3 * MILLIMETRE, "{}, frame {frame}, joint {joint}: {apart} m", clip.name);
                }
            }
        }
    }
}

/// A straight hinge is where inverse kinematics jumps, a backward one is where a viewer winces.
#[test]
fn knees_and_elbows_are_always_bent_the_way_they_can() {
    let (actor, heavy) = (cast::actor().expect("a body"), cast::heavy().expect("a body"));
    let actors = ["idle", "walk", "run", "jump", "turn", "wave", "crouch", "fall"].map(|name| (name, &actor));
    let heavies = ["heavy_walk", "heavy_idle"].map(|name| (name, &heavy));
    for (name, body) in actors.into_iter().chain(heavies) {
        let (skeleton, clip) = load(&format!("clips/{name}.bvh"));
        let find = |joint: usize| skeleton.find(&body.skeleton.joint(joint).name).expect("a joint");
        let thighs = body.legs.map(|[thigh, shank, foot, _]| [thigh, shank, foot].map(find));
        let arms = body.arms.map(|[_, upper, lower, hand]| [upper, lower, hand].map(find));
        for (frame, world) in worlds(&skeleton, &clip).iter().enumerate() {
            for [top, hinge, end] in thighs.into_iter().chain(arms) {
                let (upper, lower) =
                    (world[hinge].position - world[top].position, world[end].position - world[hinge].position);
                let bend = upper.angle(&lower).to_degrees();
                assert!((3.0..150.0).contains(&bend), "{name}, frame {frame}, joint {hinge}: bent by {bend}°");
            }
        }
        // In the T-pose frame of the actor a knee turns about +X.
        if std::ptr::eq(body, &actor) {
            for (frame, [_, knee, _]) in (0..clip.frames()).flat_map(|frame| thighs.map(|leg| (frame, leg))) {
                let turn = clip.rotations(frame)[knee].scaled_axis();
                assert!(turn.x > 0.0 && turn.yz().norm() < 1e-3, "{name}, frame {frame}: the knee turns by {turn}");
            }
        }
    }
}

#[test]
fn standing_bodies_have_their_weight_over_their_feet() {
    let actor = cast::actor().expect("a body");
    for name in ["idle", "wave", "crouch"] {
        let (skeleton, clip) = load(&format!("clips/{name}.bvh"));
        for (frame, (centre, soles)) in centres(name).iter().zip(soles(&actor, &skeleton, &clip)).enumerate() {
            let points = soles.as_flattened();
            let low = points.iter().copied().reduce(|a, b| a.inf(&b)).expect("points");
            let high = points.iter().copied().reduce(|a, b| a.sup(&b)).expect("points");
            let inside = (0..3).filter(|axis| *axis != 1).all(|axis| (low[axis]..high[axis]).contains(&centre[axis]));
            assert!(inside, "{name}, frame {frame}: {centre}");
        }
    }
}
