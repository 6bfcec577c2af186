//! Replays a walk with a physical body whose left arm hangs loose, pushes its head, and writes what happened.
//!
//!     cargo run --release --example push

use sinew::Vec3;
use sinew::control::{Animation, Gains, ground_height};
use sinew::figure::{Figure, FigureOptions};
use sinew::formats::{self, ExportOptions, ImportOptions};
use sinew::motion::{Role, Side};
use sinew::simulation::{ActorSettings, Event, EventKind, Run, RunSettings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/data/clips/walk.bvh");
    let mut capture = formats::read(input.as_ref(), &ImportOptions::default())?;
    let clip = &capture.clips[0];
    let figure = Figure::build(&capture.skeleton, &FigureOptions { clip: Some(clip), ..FigureOptions::default() })?;
    let segment = |role| figure.segments().iter().position(|segment| segment.role == Some(role));

    // Muscles that answer at 5 Hz give way to a push; the default is stiffer.
    let actor = ActorSettings { gains: Gains::critical(5.0), ..ActorSettings::default() };
    let ground = ground_height(&figure, clip).unwrap_or(0.0);
    let settings = RunSettings { actor, ground, ..RunSettings::default() };
    let mut run = Run::new(&figure, Animation::new(&capture.skeleton, clip)?, settings)?;
    for role in [Role::UpperArm(Side::Left), Role::LowerArm(Side::Left), Role::Hand(Side::Left)] {
        run.followers[0].actor.set_strength(segment(role).ok_or("no left arm")?, 0.0);
    }
    let head = segment(Role::Head).ok_or("no head")?;
    run.schedule(Event {
        time: 1.0,
        follower: 0,
        what: EventKind::Push { segment: head, impulse: Vec3::new(8.0, 0.0, 0.0) },
    })?;

    run.start_recording("walk");
    let (mut error, mut gap) = (0.0, 0.0);
    for _ in 1..clip.frames() {
        for _ in 0..run.steps_per_frame() {
            run.step()?;
        }
        error = run.followers[0].actor.error(&run.world, head).max(error);
        gap = run.worst_gap().max(gap);
    }
    println!("{:.1} s in steps of {:.1} ms", run.world.time(), 1e3 * run.step_length());
    println!("the push turns the head by {:.1}°, joints stay within {gap:.1e} m", error.to_degrees());

    let output = std::env::temp_dir().join("sinew-example-push.glb");
    capture.clips = vec![run.recorded_clip()?];
    formats::write(&output, &capture, &ExportOptions::default())?;
    println!("wrote {}", output.display());
    Ok(())
}
