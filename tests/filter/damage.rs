//! Damaged walks come out as the undamaged walk: at most half of what a damage did to it is left.

use crate::{Take, remade};
use sinew::Vec3;
use sinew::filter::{FilterOptions, PrepareOptions};

fn halves(damage: &str) -> sinew::filter::PreparationReport {
    let (walk, damaged) = (Take::read("clips/walk.bvh"), Take::read(&format!("damaged/walk_{damage}.bvh")));
    let before = walk.apart(&damaged.clip);
    let mended = damaged.filter(FilterOptions::default()).expect("filters");
    let after = walk.apart(&mended.clip);
    assert!(after <= 0.5 * before, "{damage}: {:.1} mm before, {:.1} mm after", 1e3 * before, 1e3 * after);
    mended.preparation
}

#[test]
fn a_skating_walk_gets_its_travel_back() {
    let found = halves("skating");
    let factor = found.repairs.travel;
    assert!((factor - 1.0 / 0.85).abs() < 0.03, "travel × {factor}");
}

#[test]
fn a_sinking_walk_is_lifted_to_the_ground() {
    let found = halves("sinking");
    assert!((found.repairs.lift - 0.04).abs() < 0.002, "{:?}", found.repairs);
}

#[test]
fn a_floating_walk_is_lowered_to_the_ground() {
    let found = halves("floating");
    assert!((found.repairs.lift + 0.04).abs() < 0.002, "{:?}", found.repairs);
}

#[test]
fn a_jittering_walk_is_calmed() {
    let found = halves("jittering");
    assert!(found.cutoff_hz.is_some_and(|hz| hz <= 8.0), "{found:?}");
}

#[test]
fn a_bobbing_walk_is_steadied() {
    let found = halves("bobbing");
    // A sine of 2 cm has a root mean square of 14 mm.
    assert!((found.repairs.bob - 0.0141).abs() < 0.003, "{:?}", found.repairs);
}

/// What a damage is done to must be something that a body can do, or nothing could come back to it.
#[test]
fn the_undamaged_walk_is_left_as_it_is() {
    let walk = Take::read("clips/walk.bvh");
    let filtered = walk.filter(FilterOptions::default()).expect("filters");
    assert!(filtered.preparation.physical && walk.apart(&filtered.clip) < 1e-6, "{:?}", filtered.preparation);
}

/// Newton and Euler: what the motion asks for is what the told forces give, also where a heel that rolls over its edge is above
/// where it will rest.
#[test]
fn the_forces_of_a_clip_that_stays_carry_it() {
    let walk = Take::read("clips/walk.bvh");
    let filtered = walk.filter(FilterOptions::default()).expect("filters");
    let weight = walk.figure.mass() * 9.81;
    for (frame, left) in filtered.solved.residual.iter().enumerate() {
        let (force, torque) = (left.fixed_rows::<3>(0).norm(), left.fixed_rows::<3>(3).norm());
        let share = (force / weight).max(torque / (weight * walk.figure.height));
        assert!(share < 5e-3, "{share} of the weight is missing in frame {frame}");
    }
}

/// How high soles are is guessed where no rest pose shows them: a floor that is as near to y = 0 as the guess is good stays where it is; and
/// one that is farther off than any guess is elsewhere.
#[test]
fn a_floor_that_soles_may_be_off_stays() {
    let walk = Take::read("clips/walk.bvh");
    for height in [0.03, -0.03, 0.08] {
        let raised = walk.with(remade(&walk.clip, walk.clip.frames(), |t| t, |_| Vec3::y() * height));
        let found = raised.prepare(PrepareOptions::default()).expect("prepares").preparation;
        assert!(found.repairs.lift == 0.0 && (found.ground - height).abs() < 2e-3, "{height}: {:?}", found.repairs);
    }
    let sunk = Take::read("damaged/walk_sinking.bvh");
    let found =
        sunk.prepare(PrepareOptions { repair: false, ..PrepareOptions::default() }).expect("prepares").preparation;
    assert_eq!(found.repairs.lift, 0.0, "--no-repair leaves it where it is");
}
