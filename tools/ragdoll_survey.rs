//! Drops the body of every file as a rag-doll and says, one line per file, when it slept, how far its joints left their
//! limits, how much energy rose from nothing, how wide joints gaped, how deep it sank in, and how fast it went.
//!
//! `cargo run --release -p sinew-tools --bin ragdoll_survey -- [--drop METRES] [--for SECONDS] FILE…`

use sinew::Real;
use sinew::control::{Animation, ground_height, read_joint};
use sinew::figure::{CaptureOptions, for_capture};
use sinew::formats::{self, ImportOptions};
use sinew::simulation::{RagDoll, Run, RunSettings};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut drop, mut patience, mut files) = (0.5, 10.0, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--drop" => drop = words.next().ok_or("--drop needs metres")?.parse()?,
            "--for" => patience = words.next().ok_or("--for needs seconds")?.parse()?,
            _ => files.push(word),
        }
    }
    println!(
        "{:<36} {:>5} {:>7} {:>8} {:>9} {:>8} {:>8} {:>8} {:>7}",
        "file", "parts", "rest s", "limits °", "rise J", "share", "gap mm", "deep mm", "factor"
    );
    for file in &files {
        let name = file.rsplit('/').next().unwrap_or(file);
        match fall(file, drop, patience) {
            Ok(told) => println!("{name:<36.36} {told}"),
            Err(error) => println!("{name:<36.36} refused: {error}"),
        }
    }
    Ok(())
}

fn fall(file: &str, drop: Real, patience: Real) -> Result<String, Box<dyn Error>> {
    let capture = formats::read(file.as_ref(), &ImportOptions { drop_tpose: true, ..ImportOptions::default() })?;
    let body = for_capture(&capture, &CaptureOptions { allow_rest: true, ..CaptureOptions::default() })?;
    let (figure, clip) = (&body.figure, &body.clip);
    let ground = ground_height(figure, clip).unwrap_or(0.0) - drop;
    let settings = RunSettings { ground, moving: !body.at_rest, ..RunSettings::limp() };
    let mut run = Run::new(figure, Animation::new(&capture.skeleton, clip)?, settings)?;
    run.let_go(0);
    run.followers[0].actor.relax(&mut run.world, RagDoll::default());
    // Energy is counted from the ground, which is as low as it can come to lie.
    let floor = figure.mass() * run.world.gravity.y * ground;
    let first = run.world.energy() + floor;
    let (mut least, mut rise, mut excess, mut gap, mut deep) = (first, 0.0, 0.0, 0.0, 0.0);
    let started = std::time::Instant::now();
    while !run.is_at_rest() && run.world.time() < patience {
        run.step()?;
        let energy = run.world.energy() + floor;
        rise = Real::max(rise, energy - least);
        least = least.min(energy);
        (gap, deep) = (Real::max(gap, run.worst_gap()), Real::max(deep, run.depth()));
        for (segment, joint) in figure.segments().iter().zip(&run.followers[0].actor.instance().joints) {
            if let Some(reading) = joint.and_then(|joint| read_joint(&run.world, joint)) {
                excess = Real::max(excess, segment.attachment.limits.excess(&reading.rotation));
            }
        }
    }
    let time = run.world.time();
    let rest = if run.is_at_rest() { format!("{time:.2}") } else { format!(">{time:.1}") };
    Ok(format!(
        "{:>5} {rest:>7} {:>8.2} {rise:>9.2e} {:>8.1e} {:>8.4} {:>8.3} {:>7.2}",
        figure.segments().len(),
        excess.to_degrees(),
        rise / first,
        gap * 1e3,
        deep * 1e3,
        time / started.elapsed().as_secs_f64()
    ))
}
