//! Deep runs: damaged captures that open are given a body, measured, dropped, moved to another body and filtered. Each of
//! these may refuse; none may panic, and nothing that comes out may be infinite.

use sinew::control::Animation;
use sinew::figure::{CaptureOptions, for_capture};
use sinew::filter::{Filter, FilterOptions};
use sinew::formats::{Capture, ImportOptions, bvh};
use sinew::measure::{Measure, MeasureOptions};
use sinew::motion::Clip;
use sinew::retarget::{Body, BodyOptions, JointMap, Retarget, RetargetOptions};
use sinew::simulation::{RagDoll, Run, RunSettings};
use std::sync::OnceLock;

/// Frames of the damaged clip: enough for contacts and accelerations.
const FRAMES: usize = 24;
/// Steps of a fall.
const STEPS: usize = 24;

/// The first frames of the built-in walk, as a file.
pub fn seed() -> Vec<u8> {
    let text = String::from_utf8_lossy(include_bytes!("../../data/clips/walk.bvh")).into_owned();
    let (hierarchy, motion) = text.split_once("MOTION").expect("a motion block");
    let mut lines = motion.lines().skip(2);
    let time = lines.next().expect("a frame time");
    let rows: Vec<&str> = lines.take(FRAMES).collect();
    format!("{hierarchy}MOTION\nFrames: {}\n{time}\n{}\n", rows.len(), rows.join("\n")).into_bytes()
}

fn is_finite(clip: &Clip) -> bool {
    let rotations =
        (0..clip.frames()).all(|f| clip.rotations(f).iter().all(|q| q.coords.iter().all(|x| x.is_finite())));
    rotations && clip.translations().values.iter().all(|value| value.iter().all(|x| x.is_finite()))
}

fn target() -> &'static Capture {
    static TARGET: OnceLock<Capture> = OnceLock::new();
    TARGET.get_or_init(|| bvh::read(&seed(), &ImportOptions::default()).expect("the built-in walk"))
}

/// Runs everything on a file that opens.
pub fn run(bytes: &[u8]) {
    let options = ImportOptions { keep_complete: true, ..ImportOptions::default() };
    let Ok(capture) = bvh::read(bytes, &options) else { return };
    retarget(&capture);
    let Ok(body) = for_capture(&capture, &CaptureOptions { allow_rest: true, ..CaptureOptions::default() }) else {
        return;
    };
    let (figure, clip) = (&body.figure, &body.clip);
    assert!(figure.mass().is_finite() && figure.mass() > 0.0, "a body of {} kg", figure.mass());
    let _ = Measure { figure, clip, options: MeasureOptions::default() }.run();
    if let Ok(animation) = Animation::new(&capture.skeleton, clip)
        && let Ok(mut run) = Run::new(figure, animation, RunSettings::limp())
    {
        run.let_go(0);
        run.followers[0].actor.relax(&mut run.world, RagDoll::default());
        // A step may fail with an error; what it leaves is finite.
        let _ = (0..STEPS).try_for_each(|_| run.step().map(drop));
        assert!(run.world.energy().is_finite(), "a fall with an energy of {}", run.world.energy());
    }
    if let Ok(filtered) = (Filter { figure, clip, options: FilterOptions::default() }).run(&mut |_| true) {
        assert!(is_finite(&filtered.clip), "the filter gave a clip that is not finite");
    }
}

fn retarget(capture: &Capture) {
    let Some(clip) = capture.clips.first() else { return };
    let from = Body::new(&capture.skeleton, &BodyOptions { example: Some(clip), ..BodyOptions::default() });
    let to = Body::new(&target().skeleton, &BodyOptions { example: target().clips.first(), ..BodyOptions::default() });
    let Ok(_) = JointMap::between(&from, &to) else { return };
    if let Ok(moved) = (Retarget { source: &from, target: &to, clip, options: RetargetOptions::default() }).run() {
        assert!(is_finite(&moved.clip), "retargeting gave a clip that is not finite");
    }
}
