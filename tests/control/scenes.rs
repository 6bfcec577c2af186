//! What the tests share.

use sinew::control::{Animation, ground_height};

use sinew::figure::{Figure, FigureOptions};
use sinew::formats;
use sinew::motion::Clip;
use sinew::record::{Recording, Tally, Verdict};
use sinew::simulation::{Run, RunSettings};
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

/// Runs a run for some seconds and looks at every step.
pub fn record(run: &mut Run, seconds: f64, mut look: impl FnMut(&Run)) -> (Recording, Verdict) {
    let mut tally = Tally::default();
    let mut recording = Recording::new(&run.actor, run.animation.clip().rate_hz());
    recording.take(&run.world, &run.actor);
    let steps = (seconds / run.step_length()).round() as usize;
    for step in 1..=steps {
        run.step().expect("a finite step");
        tally.add(run);
        look(run);
        if step % run.steps_per_frame() == 0 {
            recording.take(&run.world, &run.actor);
        }
    }
    let verdict = tally.verdict(run);
    (recording, verdict)
}
