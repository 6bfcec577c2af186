//! Figures that need no forces.

use super::*;
use crate::dynamics::{Placement, Shape};
use crate::figure::{Limits, SegmentShape, SolePart, SolePoint};
use crate::measure::Jumps;
use crate::motion::Side;

#[test]
fn the_ground_is_where_the_feet_are() {
    let (figure, pose) = person();
    let raised = clip(&figure, &pose, 100.0, 50, |_, pose| pose.translations[0].y += 0.3);
    let report = measure(&figure, &raised, MeasureOptions::default());
    is(&report, Key::Ground, 0.3, 0.002);
    is(&report, Key::PenetrationMax, 0.0, 2.0);
}

/// Both feet slide at 100 mm/s, slow enough to be in contact.
#[test]
fn sliding_feet_skate_at_their_speed() {
    let (figure, pose) = person();
    let sliding = clip(&figure, &pose, 100.0, 201, |t, pose| pose.translations[0].x += 0.001 * t as Real);
    let report = measure(&figure, &sliding, exact());
    is(&report, Key::SkatePath, 100.0, 1e-6);
    is(&report, Key::SkateFoot, 100.0, 1e-6);
    // Soles are within a millimetre of the ground, where the weight is 1 to 3 %.
    is(&report, Key::SkateWeighted, 1.0, 0.03);
    let feet = report.contacts.iter().filter(|contact| contact.part != Some(SolePart::Palm));
    assert_eq!(feet.map(|contact| contact.frames.clone()).collect::<Vec<_>>(), vec![0..201; 6]);
}

/// The left foot turns about a point of its sole that stays where it is, by an angle that grows up to 0.4 rad.
fn turning_about(part: SolePart, axis: &nalgebra::Unit<Vec3>, sense: Real) -> Report {
    let (figure, mut pose) = person();
    // The other foot is up behind.
    let knee = figure.skeleton().find("RightLowerLeg").unwrap();
    pose.rotations[knee] *= turn(&Vec3::x_axis(), 1.5);
    let is_it = |sole: &&SolePoint| sole.part == part && sole.side == Some(Side::Left);
    let sole = *figure.sole_points().iter().find(is_it).unwrap();
    let place = |pose: &Pose| figure.placements(pose)[sole.segment].point(&sole.point);
    let stays = place(&pose);
    let turning = clip(&figure, &pose, 100.0, 101, |t, pose| {
        pose.rotations[0] = turn(axis, sense * 0.004 * t as Real) * pose.rotations[0];
        let by = stays - place(pose);
        pose.translations[0] += by;
    });
    let report = measure(&figure, &turning, exact());
    assert!(report.contacts.iter().all(|contact| contact.side == Some(Side::Left)), "{:?}", report.contacts);
    report
}

/// Rigid rotation about a point: that point has no velocity, whatever the others do.
#[test]
fn feet_that_roll_or_spin_do_not_slide() {
    let x = Vec3::x_axis();
    for (part, axis, sense) in
        [(SolePart::Tip, x, 1.0), (SolePart::Heel, x, -1.0), (SolePart::Ball, Vec3::y_axis(), 1.0)]
    {
        let report = turning_about(part, &axis, sense);
        is(&report, Key::SkateFoot, 0.0, 1e-9);
        let points = report.get(Key::SkatePath).unwrap();
        assert!(points > 2.0, "{part:?}: points of the foot move by {points} mm/s");
    }
}

#[test]
fn a_sunk_figure_is_as_deep_as_it_was_sunk() {
    let (figure, pose) = person();
    let depth = |frame: usize| if frame < 25 { 0.04 } else { 0.0 };
    let sunk = clip(&figure, &pose, 50.0, 100, |t, pose| pose.translations[0].y -= depth(t));
    let report = measure(&figure, &sunk, exact());
    is(&report, Key::PenetrationMax, 40.0, 1e-9);
    is(&report, Key::PenetrationMean, 10.0, 1e-9);
    is(&report, Key::PenetrationShare, 25.0, 0.0);
}

#[test]
fn a_contact_holds_up_to_4_cm_and_begins_below_2_5_cm() {
    let (figure, pose) = person();
    // Up to 3 cm and back again, then to 3 cm from above.
    let height = |t: usize| match t {
        0..100 => 0.03 * (t as Real * 0.0314).sin().abs(),
        100..200 => 0.1,
        _ => 0.03,
    };
    let lifted = clip(&figure, &pose, 100.0, 300, |t, pose| pose.translations[0].y += height(t));
    let report = measure(&figure, &lifted, exact());
    assert!(!report.contacts.is_empty());
    assert!(report.contacts.iter().all(|contact| contact.frames == (0..100)), "{:?}", report.contacts);
}

#[test]
fn short_contacts_count_only_in_motions_that_were_made() {
    let (figure, pose) = person();
    let tap = clip(&figure, &pose, 100.0, 100, |t, pose| {
        pose.translations[0].y += if (50..53).contains(&t) { 0.0 } else { 0.1 }
    });
    assert!(measure(&figure, &tap, exact()).contacts.is_empty());
    let made = measure(&figure, &tap, MeasureOptions { made: true, ..exact() });
    assert_eq!(made.contacts.len(), 6);
    assert!(made.contacts.iter().all(|contact| contact.frames == (50..53)));
}

/// The step from the frame before touchdown is fast, the one after it is not: the first frame on the ground counts.
#[test]
fn the_first_frame_on_the_ground_is_in_contact() {
    let (figure, pose) = person();
    let landing =
        clip(&figure, &pose, 100.0, 60, |t, pose| pose.translations[0].y += 0.02 * 30_usize.saturating_sub(t) as Real);
    let report = measure(&figure, &landing, exact());
    assert_eq!(report.contacts[0].frames, 30..60);
}

#[test]
fn one_bad_frame_is_one_spike() {
    let (figure, pose) = person();
    let elbow = figure.skeleton().find("LeftLowerArm").unwrap();
    let spike = clip(&figure, &pose, 60.0, 120, |t, pose| {
        pose.rotations[elbow] *= turn(&Vec3::x_axis(), 0.1 * (t as Real * 0.1).sin() + if t == 60 { 0.8 } else { 0.0 })
    });
    is(&measure(&figure, &spike, exact()), Key::Spikes, 1.0, 0.0);
    // And it is told which joint it is, and when: 0.8 rad there and back again within two steps.
    let jumps = |joint| Jumps::of_joint(&spike, joint);
    assert_eq!(jumps(elbow).spikes().collect::<Vec<usize>>(), [60]);
    assert!((jumps(elbow).sizes[60] - 2.0 * 0.8 * 60.0).abs() < 1.0, "{}", jumps(elbow).sizes[60]);
    assert!((0..spike.joints()).all(|joint| joint == elbow || jumps(joint).spikes().next().is_none()));
    let pop = clip(&figure, &pose, 60.0, 120, |t, pose| {
        pose.rotations[elbow] *= turn(&Vec3::x_axis(), if t >= 60 { 0.8 } else { 0.0 })
    });
    is(&measure(&figure, &pop, exact()), Key::Spikes, 1.0, 0.0);
    let smooth = clip(&figure, &pose, 60.0, 120, |t, pose| {
        pose.rotations[elbow] *= turn(&Vec3::x_axis(), 1.2 * (t as Real * 0.1).sin())
    });
    is(&measure(&figure, &smooth, exact()), Key::Spikes, 0.0, 0.0);
}

/// x = 5 t³ has the jerk 30 m/s³ everywhere.
#[test]
fn a_cubic_has_constant_jerk() {
    let (figure, pose) = person();
    let cubic = clip(&figure, &pose, 100.0, 80, |t, pose| pose.translations[0].x += 5.0 * (t as Real / 100.0).powi(3));
    let report = measure(&figure, &cubic, exact());
    is(&report, Key::JerkMean, 30.0, 1e-6);
    is(&report, Key::JerkMax, 30.0, 1e-6);
}

#[test]
fn a_joint_turned_beyond_its_limit_is_told_by_how_much() {
    let mut figure = chain(3);
    for segment in figure.segments_mut() {
        segment.attachment.set_limits(Limits::None);
    }
    figure.segments_mut()[1].attachment.set_limits(Limits::Hinge { range: [-0.2, 0.3] });
    let attachment = figure.segment(1).attachment.clone();
    let pose = figure.skeleton().rest_pose();
    let bent = clip(&figure, &pose, 50.0, 40, |t, pose| {
        let angle = if t < 10 { 0.3 + 12_f64.to_radians() } else { 0.0 };
        pose.rotations[1] = attachment.turn(&turn(&Vec3::z_axis(), angle));
    });
    let report = measure(&figure, &bent, exact());
    is(&report, Key::LimitsWorst, 12.0, 1e-9);
    is(&report, Key::LimitsShare, 25.0, 1e-9);
    figure.widen_to_hold(&bent);
    assert_eq!(figure.segment(1).attachment.limits.excess(&turn(&Vec3::z_axis(), 0.3 + 12_f64.to_radians())), 0.0);
    let widened = measure(&figure, &bent, exact());
    is(&widened, Key::LimitsWorst, 12.0, 1e-9);
    is(&widened, Key::LimitsShare, 25.0, 1e-9);
    figure.segments_mut()[1].attachment.set_limits(Limits::None);
    assert!(measure(&figure, &bent, exact()).note(Key::LimitsWorst).is_some());
}

#[test]
fn segments_in_each_other_are_told_how_deep() {
    let mut figure = chain(5);
    for (k, segment) in figure.segments_mut().iter_mut().enumerate() {
        let radius = if k == 0 || k == 4 { 0.1 } else { 0.001 };
        segment.shapes = vec![SegmentShape { shape: Shape::Sphere { radius }, placement: Placement::IDENTITY }];
    }
    (1..4).for_each(|k| figure.set_may_meet(k, 4, false));
    figure.set_may_meet(0, 4, true);
    let pose = figure.skeleton().rest_pose();
    // The last ball stands 15 cm from the first in one frame of four.
    let near = clip(&figure, &pose, 50.0, 40, |t, pose| {
        pose.translations[4].x += if t % 4 == 0 { 0.15 - 0.8 } else { 0.0 };
    });
    let report = measure(&figure, &near, exact());
    is(&report, Key::SelfContactMax, 50.0, 1e-6);
    is(&report, Key::SelfContactShare, 25.0, 1e-9);
}

#[test]
fn a_shifted_copy_is_as_far_as_it_was_shifted() {
    use crate::measure::Moved;
    let (figure, pose) = person();
    let elbow = figure.skeleton().find("LeftHand").unwrap();
    let source = clip(&figure, &pose, 60.0, 50, |t, pose| pose.translations[0].x += 0.01 * t as Real);
    let moved = Moved { skeleton: figure.skeleton(), clip: &source };
    let with = |result: &Clip| measure(&figure, result, MeasureOptions { source: Some(moved), ..exact() });
    let same = with(&source);
    for key in crate::measure::Family::Tracking.keys() {
        is(&same, key, 0.0, 1e-9);
    }
    let shifted = clip(&figure, &pose, 60.0, 50, |t, pose| {
        pose.translations[0] += Vec3::new(0.01 * t as Real, 0.0, 0.03);
        pose.rotations[elbow] *= turn(&Vec3::y_axis(), 0.2);
    });
    let report = with(&shifted);
    is(&report, Key::PositionMean, 30.0, 1e-6);
    is(&report, Key::PositionP95, 30.0, 1e-6);
    is(&report, Key::PositionRootMean, 0.0, 1e-6);
    is(&report, Key::Angle, 0.2_f64.to_degrees() / figure.skeleton().len() as Real, 1e-6);
    is(&report, Key::Acceleration, 0.0, 1e-6);
    // The same motion at twice the rate is still the same motion.
    let finer = clip(&figure, &pose, 120.0, 99, |t, pose| pose.translations[0].x += 0.005 * t as Real);
    is(&with(&finer), Key::PositionMean, 0.0, 1e-6);
}
