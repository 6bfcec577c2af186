//! Whole bodies on the ground: nothing sinks, whatever the proportions, and what lies in the source lies on the target.

use super::bodies::{body, clip, open};
use sinew::measure::{Key, Measure, MeasureOptions};
use sinew::motion::edit::slice;
use sinew::motion::{Clip, Joint, Role, Skeleton};
use sinew::retarget::{Body, Retarget, RetargetOptions, Retargeted};
use sinew::{Real, Vec3};

fn moved(source: &Body, target: &Body, clip: &Clip) -> Retargeted {
    Retarget { source, target, clip, options: RetargetOptions::default() }.run().unwrap()
}

/// The actor with other proportions: lengths of legs, arms and head over its own.
fn resized(skeleton: &Skeleton, legs: Real, arms: Real, head: Real) -> Skeleton {
    let joint = |joint: &Joint| {
        let (own, tip) = match joint.role {
            Some(Role::LowerLeg(_) | Role::Foot(_)) => (legs, 1.0),
            Some(Role::LowerArm(_) | Role::Hand(_)) => (arms, 1.0),
            Some(Role::Head) => (1.0, head),
            _ => (1.0, 1.0),
        };
        Joint { offset: joint.offset * own, tip: joint.tip.map(|end| end * tip), ..joint.clone() }
    };
    Skeleton::new(skeleton.joints().iter().map(joint).collect()).unwrap()
}

/// Depth of the deepest point, and largest height of the lowest one in some frames, millimetres.
fn clearance(target: &Body, result: &Retargeted, lying: std::ops::Range<usize>) -> (Real, Real) {
    let figure = target.figure().unwrap();
    let options = MeasureOptions { ground: Some(result.ground), made: true, ..MeasureOptions::default() };
    let report = Measure { figure, clip: &result.clip, options }.run().unwrap();
    let mut highest: Real = 0.0;
    for frame in lying {
        let placements = figure.placements(&result.clip.pose(figure.skeleton(), frame));
        let mut lowest = Real::INFINITY;
        for (segment, placement) in figure.segments().iter().zip(&placements) {
            for shape in &segment.shapes {
                let at = placement.then(&shape.placement);
                let corner = shape.shape.support(&(at.rotation.inverse() * -Vec3::y())).unwrap();
                lowest = lowest.min(at.point(&corner).y);
            }
        }
        highest = highest.max(lowest - result.ground);
    }
    (report.get(Key::PenetrationMax).unwrap(), 1e3 * highest)
}

/// A fall to the ground on bodies that are stouter than the actor, or have legs and arms of other lengths: they lie on the ground,
/// not in it and not above it.
#[test]
fn a_body_that_falls_lies_on_the_ground_whatever_its_proportions() {
    let (skeleton, fall) = clip("clips/fall.bvh");
    let targets = [
        ("heavy", open("characters/heavy.glb").skeleton),
        ("chibi", resized(&skeleton, 0.4, 0.5, 2.5)),
        ("long legs", resized(&skeleton, 1.4, 0.8, 1.0)),
    ];
    for (name, target) in targets {
        let target = body(&target);
        let lying = fall.frames() - 60..fall.frames() - 15;
        let (deep, high) = clearance(&target, &moved(&body(&skeleton), &target, &fall), lying);
        assert!(deep < 3.0 && high < 5.0, "{name}: {deep:.1} mm deep, {high:.1} mm above the ground");
    }
}

/// A rise out of the ground reaches half a second, so that a cut changes nothing farther away.
#[test]
fn a_cut_changes_nothing_half_a_second_away() {
    let (skeleton, fall) = clip("clips/fall.bvh");
    let (source, target) = (body(&skeleton), body(&open("characters/heavy.glb").skeleton));
    let start = fall.frames() / 2;
    let whole = moved(&source, &target, &fall).clip;
    let cut = moved(&source, &target, &slice(&fall, start..fall.frames()).unwrap()).clip;
    let later = start + (0.6 * fall.rate_hz()) as usize;
    let mut apart: Real = 0.0;
    for frame in later..fall.frames() {
        let place = |clip: &Clip, frame: usize| clip.pose(target.skeleton(), frame).world(target.skeleton());
        let both = place(&whole, frame).into_iter().zip(place(&cut, frame - start));
        apart = both.map(|(a, b)| 1e3 * (a.position - b.position).norm()).fold(apart, Real::max);
    }
    assert!(apart < 0.1, "{apart} mm");
}
