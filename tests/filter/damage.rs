//! Damaged walks come out as the undamaged walk does.
//!
//! The undamaged walk is itself not physical, so the filter moves it. What a damage leaves behind is therefore measured
//! against the filtered walk: at most half of what it did before.

use crate::{Take, apart};
use sinew::filter::{FilterOptions, PrepareOptions};
use sinew::motion::Clip;
use std::sync::OnceLock;

fn filtered_walk() -> &'static Clip {
    static WALK: OnceLock<Clip> = OnceLock::new();
    WALK.get_or_init(|| Take::read("clips/walk.bvh").filter(FilterOptions::default()).expect("filters").clip)
}

fn halves(damage: &str, options: PrepareOptions) -> sinew::filter::Findings {
    let (walk, damaged) = (Take::read("clips/walk.bvh"), Take::read(&format!("damaged/walk_{damage}.bvh")));
    let before = walk.apart(&damaged.clip);
    let mended = damaged.filter(FilterOptions { prepare: options, ..FilterOptions::default() }).expect("filters");
    let after = apart(&walk.figure, filtered_walk(), &mended.clip);
    assert!(after <= 0.5 * before, "{damage}: {:.1} mm before, {:.1} mm after", 1e3 * before, 1e3 * after);
    mended.findings
}

#[test]
fn a_skating_walk_gets_its_travel_back() {
    let found = halves("skating", PrepareOptions::default());
    let factor = found.repairs.travel;
    assert!((factor - 1.0 / 0.85).abs() < 0.03, "travel × {factor}");
}

#[test]
fn a_sinking_walk_is_lifted_to_the_given_ground() {
    let found = halves("sinking", PrepareOptions { ground: Some(0.0), ..PrepareOptions::default() });
    assert!((found.repairs.lift - 0.04).abs() < 0.002, "{:?}", found.repairs);
}

#[test]
fn a_floating_walk_is_lowered_to_the_given_ground() {
    let found = halves("floating", PrepareOptions { ground: Some(0.0), ..PrepareOptions::default() });
    assert!((found.repairs.lift + 0.04).abs() < 0.002, "{:?}", found.repairs);
}

#[test]
fn a_jittering_walk_is_calmed() {
    let found = halves("jittering", PrepareOptions::default());
    assert!(found.cutoff_hz.is_some_and(|hz| hz <= 8.0), "{found:?}");
}

#[test]
fn a_bobbing_walk_is_steadied() {
    let found = halves("bobbing", PrepareOptions::default());
    // A sine of 2 cm has a root mean square of 14 mm.
    assert!((found.repairs.bob - 0.0141).abs() < 0.003, "{:?}", found.repairs);
}
