//! Reports as a whole: clips of any size, and captures.

use super::*;
use crate::measure::{Family, MeasureError};
use crate::motion::root_motion::offset_clip;

fn read(name: &str) -> (Figure, Clip) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/clips").join(name);
    let mut capture = formats::read(&path, &ImportOptions::default()).unwrap();
    let clip = capture.clips.remove(0);
    let options = FigureOptions { clip: Some(&clip), ..FigureOptions::default() };
    (Figure::build(&capture.skeleton, &options).unwrap(), clip)
}

/// A number or a reason, never both, never neither.
fn assert_complete(report: &Report) {
    for &key in Key::ALL {
        assert!(report.get(key).is_some() != report.note(key).is_some(), "{key}");
    }
}

#[test]
fn every_figure_has_a_number_or_a_reason_at_any_length() {
    let (figure, pose) = person();
    for frames in [0, 1, 2, 3, 4, 5, 40] {
        let clip = clip(&figure, &pose, 60.0, frames, |t, pose| pose.translations[0].x += 0.01 * t as Real);
        for options in [exact(), MeasureOptions::default()] {
            let report = measure(&figure, &clip, options);
            assert_complete(&report);
            assert_eq!(report.get(Key::ResidualForceMean).is_some(), frames >= 3, "{frames} frames");
        }
    }
}

#[test]
fn bodies_of_one_joint_and_of_three_hundred_are_measured() {
    for links in [1, 2, 300] {
        let figure = chain(links);
        let pose = figure.skeleton().rest_pose();
        let waving = clip(&figure, &pose, 60.0, 20, |t, pose| {
            for (k, rotation) in pose.rotations.iter_mut().enumerate() {
                *rotation = turn(&Vec3::z_axis(), 0.1 * (0.3 * t as Real + k as Real).sin());
            }
        });
        let report = measure(&figure, &waving, MeasureOptions::default());
        assert_complete(&report);
        assert!(report.get(Key::ResidualForceMean).is_some(), "{links} links");
    }
}

#[test]
fn every_built_in_clip_carries_its_weight() {
    for (name, travels) in [("walk.bvh", true), ("idle.bvh", false), ("turn.bvh", false), ("dog_walk.bvh", true)] {
        let (figure, clip) = read(name);
        let report = measure(&figure, &clip, MeasureOptions::default());
        assert_complete(&report);
        is(&report, Key::ReactionMean, 1.0, 0.02);
        is(&report, Key::FloatShare, 0.0, 0.0);
        // The dog's paws end above their pads.
        is(&report, Key::Ground, 0.0, if name.starts_with("dog") { 0.02 } else { 0.002 });
        assert!(report.get(Key::ResidualForceMean).unwrap() < 0.05, "{name}");
        assert!(!travels || report.get(Key::Cost).is_some(), "{name}");
        assert_eq!(report.basis.ground_rise, [0.0; 2]);
    }
}

#[test]
fn the_feet_of_a_walk_take_turns() {
    use crate::motion::Side;
    let (figure, clip) = read("walk.bvh");
    let report = measure(&figure, &clip, MeasureOptions::default());
    let heels = report.contacts.iter().filter(|contact| contact.part == Some(crate::figure::SolePart::Heel));
    let sides: Vec<Option<Side>> = heels.map(|contact| contact.side).collect();
    assert!(sides.len() >= 5, "{sides:?}");
    assert!(sides.windows(2).all(|pair| pair[0] != pair[1]), "{sides:?}");
}

/// Floors of captures are off level; contacts must not depend on it.
#[test]
fn a_walk_on_a_floor_off_level_keeps_its_contacts() {
    let (figure, walk) = read("walk.bvh");
    let level = measure(&figure, &walk, MeasureOptions::default());
    let pose = figure.skeleton().rest_pose();
    let tilted = clip(&figure, &pose, walk.rate_hz(), walk.frames(), |t, pose| {
        walk.pose_into(t, pose);
        pose.translations[0].y += 0.016 * pose.translations[0].z;
    });
    let report = measure(&figure, &tilted, MeasureOptions::default());
    let slope = report.basis.ground_rise[1];
    assert!((slope - 0.016).abs() < 0.003, "{slope}");
    assert_eq!(report.contacts.len(), level.contacts.len());
    let force = |report: &Report| report.get(Key::ResidualForceMean).unwrap();
    assert!(force(&report) < 1.3 * force(&level), "{} against {}", force(&report), force(&level));
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let (figure, pose) = person();
    let clip = clip(&figure, &pose, 60.0, 5, |_, _| {});
    let other = chain(2);
    let run = |figure: &Figure, options| Measure { figure, clip: &clip, options }.run();
    assert!(matches!(run(&other, exact()), Err(MeasureError::Joints { .. })));
    for options in [
        MeasureOptions { ground: Some(Real::NAN), ..exact() },
        MeasureOptions { cutoff: Cutoff::At(-1.0), ..exact() },
        MeasureOptions { friction: -0.1, ..exact() },
    ] {
        assert!(matches!(run(&figure, options), Err(MeasureError::Option { .. })));
    }
}

#[test]
fn worse_is_what_goes_the_wrong_way() {
    let (figure, pose) = person();
    let still = clip(&figure, &pose, 60.0, 30, |_, _| {});
    let sunk = clip(&figure, &pose, 60.0, 30, |_, pose| pose.translations[0].y -= 0.02);
    let (still, sunk) = (measure(&figure, &still, exact()), measure(&figure, &sunk, exact()));
    assert_eq!(sunk.worse_than(&still, Key::PenetrationMean), Some(true));
    assert_eq!(still.worse_than(&sunk, Key::PenetrationMean), Some(false));
    assert_eq!(still.worse_than(&still, Key::ReactionMean), Some(false));
    assert_eq!(still.worse_than(&sunk, Key::PositionMean), None);
}

/// The page of definitions names every key and every family.
#[test]
fn the_documentation_knows_all_figures() {
    let page = include_str!("../../../docs/measures.md");
    for family in Family::ALL {
        assert!(family.keys().all(|key| page.contains(&format!("`{key}`"))), "{}", family.word());
    }
    assert!(page.contains("`contacts`"));
}

/// Galileo: seen from a treadmill that goes evenly, all distances between body and ground, and all forces, are those of the walk over ground. Its
/// velocity is that of the soles that stand.
#[test]
fn a_walk_on_a_treadmill_is_the_walk_over_ground() {
    let (figure, over_ground) = read("walk.bvh");
    let root = |frame: usize| over_ground.pose(figure.skeleton(), frame).translations[0];
    let frames = over_ground.frames();
    let way = (root(frames - 1) - root(0)) / over_ground.duration();
    let carried = |velocity: Vec3| {
        let step = velocity / over_ground.rate_hz();
        let steps: Vec<Vec3> = (0..frames).map(|frame| step * frame as Real).collect();
        offset_clip(figure.skeleton(), &over_ground, &steps).unwrap()
    };
    let level = Vec3::new(way.x, 0.0, way.z);
    let (before, on_treadmill) = (measure(&figure, &over_ground, exact()), measure(&figure, &carried(-level), exact()));
    assert_eq!(before.basis.treadmill, Vec3::zeros());
    assert!(
        (on_treadmill.basis.treadmill + level).norm() < 0.01 * level.norm(),
        "{:?} {level:?}",
        on_treadmill.basis.treadmill
    );
    for key in [Key::SkateFoot, Key::SkatePath, Key::ResidualForceMean, Key::BalanceMean, Key::TorqueMean] {
        let (ground, treadmill) = (before.get(key).unwrap(), on_treadmill.get(key).unwrap());
        assert!(
            (ground - treadmill).abs() < 0.02 * ground.abs() + 5.0 * f64::from(key.unit() == "mm/s"),
            "{key}: {ground} {treadmill}"
        );
    }
    // A body that is drawn over the ground and gets on slides.
    let drawn = measure(&figure, &carried(0.15 * level), exact());
    assert_eq!(drawn.basis.treadmill, Vec3::zeros());
    assert!(drawn.get(Key::SkateFoot).unwrap() > 0.1 * 1e3 * level.norm(), "{:?}", drawn.get(Key::SkateFoot));
    let told = MeasureOptions { treadmill: false, ..exact() };
    assert!(measure(&figure, &carried(-level), told).get(Key::SkateFoot).is_none_or(|skate| skate > 100.0));
}

/// Feet that slide over the ground together, as of a body that gets up, all have one velocity. Without alternating limbs
/// there is no treadmill.
#[test]
fn feet_that_slide_together_are_on_no_treadmill() {
    let (figure, pose) = person();
    let sliding = clip(&figure, &pose, 60.0, 90, |t, pose| {
        // There and back again, so that the body gets nowhere: one way slowly, the other in a few frames.
        let way = if t < 80 { t as Real / 80.0 } else { (90 - t) as Real / 10.0 };
        pose.translations[0].z += 0.9 * way;
    });
    let report = measure(&figure, &sliding, MeasureOptions::default());
    assert_eq!(report.basis.treadmill, Vec3::zeros());
}
