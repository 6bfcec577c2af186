//! Lets a character fall from half a metre until it is at rest.
//!
//!     cargo run --release --example ragdoll

use sinew::control::{Animation, ground_height};
use sinew::figure::{Figure, FigureOptions};
use sinew::formats::{self, ImportOptions};
use sinew::simulation::{RagDoll, Run, RunSettings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/data/characters/actor.glb");
    let capture = formats::read(input.as_ref(), &ImportOptions::default())?;
    let clip = &capture.clips[0];
    let figure = Figure::build(&capture.skeleton, &FigureOptions { clip: Some(clip), ..FigureOptions::default() })?;

    // It begins with the posture and the velocities of the clip's first frame.
    let ground = ground_height(&figure, clip).unwrap_or(0.0) - 0.5;
    let settings = RunSettings { ground, ..RunSettings::limp() };
    let mut run = Run::new(&figure, Animation::new(&capture.skeleton, clip)?, settings)?;
    run.let_go(0);
    run.followers[0].actor.relax(&mut run.world, RagDoll::default());

    let start = run.world.energy();
    let (mut hardest, mut deepest) = (0.0, 0.0);
    while !run.is_at_rest() && run.world.time() < 10.0 {
        run.step()?;
        let force: f64 = run.world.contacts().iter().map(|contact| contact.normal_force).sum();
        hardest = force.max(hardest);
        deepest = run.depth().max(deepest);
    }
    let weight = figure.mass() * run.world.gravity.norm();
    let state = if run.is_at_rest() { "at rest" } else { "still moving" };
    println!("{:.1} kg {state} after {:.2} s", figure.mass(), run.world.time());
    println!("{:.0} J went into the ground and the joints", start - run.world.energy());
    println!("contact forces of up to {:.1} body weights, {:.2} mm deep", hardest / weight, 1e3 * deepest);
    println!("the head lies {:.2} m above the ground", lowest_head(&run) - ground);
    Ok(())
}

fn lowest_head(run: &Run) -> f64 {
    let segments = run.followers[0].actor.figure().segments().iter().zip(&run.followers[0].actor.instance().bodies);
    let heads = segments.filter(|(segment, _)| segment.role == Some(sinew::motion::Role::Head));
    heads.map(|(_, &body)| run.world.state(body).placement.position.y).fold(f64::INFINITY, f64::min)
}
