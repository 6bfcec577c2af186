//! Reads the forces of a captured walk: what the ground gives to each foot, and the torques at the knees.
//!
//!     cargo run --release --example forces

use sinew::figure::{Figure, FigureOptions};
use sinew::formats::{self, ImportOptions};
use sinew::math::GRAVITY;
use sinew::measure::{Measure, MeasureOptions};
use sinew::motion::{Role, Side};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/data/clips/walk.bvh");
    let capture = formats::read(input.as_ref(), &ImportOptions::default())?;
    let clip = &capture.clips[0];
    let figure = Figure::build(&capture.skeleton, &FigureOptions { clip: Some(clip), ..FigureOptions::default() })?;

    // Inverse dynamics: the forces follow from the poses, the masses and the contacts that were found.
    let curves = Measure { figure: &figure, clip, options: MeasureOptions::default() }.curves()?;
    let knee = |side| figure.segments().iter().position(|segment| segment.role == Some(Role::LowerLeg(side)));
    let knees = [knee(Side::Left).ok_or("no left knee")?, knee(Side::Right).ok_or("no right knee")?];

    let weight = figure.mass() * GRAVITY;
    println!("{:.1} kg, {:.0} N", figure.mass(), weight);
    println!("{:>6}  {:>12}  {:>6}  {:>22}", "time s", "ground BW", "points", "knees left, right N·m");
    // The first and the last frames have no accelerations.
    for frame in (12..clip.frames()).step_by(24) {
        let forces = &curves.frames[frame];
        let up: f64 = forces.ground.iter().map(|(_, force)| force.y).sum();
        let torque = knees.map(|knee| forces.torques.get(knee).map_or(0.0, |torque| torque.norm()));
        let time = frame as f64 * clip.frame_time();
        let loaded = forces.ground.iter().filter(|(_, force)| force.y > 1.0).count();
        println!("{time:>6.2}  {:>12.3}  {loaded:>6}  {:>10.1}  {:>10.1}", up / weight, torque[0], torque[1]);
    }
    for contact in curves.contacts.iter().filter(|contact| contact.part.is_some()).take(3) {
        let seconds = |frame: usize| frame as f64 * clip.frame_time();
        let segment = &figure.segment(contact.segment).name;
        println!(
            "{segment} in contact from {:.2} to {:.2} s",
            seconds(contact.frames.start),
            seconds(contact.frames.end)
        );
    }
    Ok(())
}
