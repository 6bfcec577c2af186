//! What the tests share.

use sinew::control::{Animation, ground_height};

use sinew::dynamics::State;
use sinew::figure::{Figure, FigureOptions};
use sinew::formats;
use sinew::motion::Clip;
use sinew::record::Recording;
use sinew::simulation::{Run, RunSettings, Tally, Verdict, clip_of};
use std::path::{Path, PathBuf};

pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

pub struct Captured {
    pub figure: Figure,
    pub clip: Clip,
    pub ground: f64,
}

impl Captured {
    pub fn of(clip: &str) -> Self {
        let capture = formats::read(&data(&format!("clips/{clip}.bvh")), &Default::default()).expect("a clip");
        let clip = capture.clips[0].clone();
        let mut figure = Figure::build(&capture.skeleton, &FigureOptions { clip: Some(&clip), ..Default::default() })
            .expect("a figure");
        figure.widen_to_hold(&clip);
        let ground = ground_height(&figure, &clip).expect("frames");
        Self { figure, clip, ground }
    }

    pub fn animation(&self) -> Animation {
        Animation::new(self.figure.skeleton(), &self.clip).expect("a sound clip")
    }

    pub fn settings(&self) -> RunSettings {
        RunSettings { ground: self.ground, ..RunSettings::default() }
    }

    pub fn run(&self, settings: RunSettings) -> Run {
        Run::new(&self.figure, self.animation(), settings).expect("a sound run")
    }
}

/// Runs for some seconds and looks at every step.
pub fn record(run: &mut Run, seconds: f64, mut look: impl FnMut(&Run)) -> (Recording, Verdict) {
    let mut tally = Tally::default();
    run.start_recording("figure");
    let steps = (seconds / run.step_length()).round() as usize;
    for _ in 0..steps {
        run.step().expect("a finite step");
        tally.add(run, 0);
        look(run);
    }
    (run.finish_recording(), tally.verdict(run, 0))
}

/// States of the figure's segments in a frame.
pub fn states(recording: &Recording, frame: usize) -> Vec<State> {
    let recorded = recording.figure(0).expect("a figure");
    (0..recorded.segments()).map(|k| recorded.state(frame, k)).collect()
}

/// The recorded motion as a clip on the figure's skeleton.
pub fn clip(recording: &Recording, run: &Run) -> Clip {
    clip_of(recording, run.followers[0].actor.figure(), &run.followers[0].animation).expect("a clip")
}
