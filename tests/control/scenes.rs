//! What the tests share.

use sinew::control::{Animation, Stage, StageSettings, ground_height};
use sinew::figure::{Figure, FigureOptions};
use sinew::formats;
use sinew::motion::Clip;
use sinew::record::{Recording, Tally, Verdict};
use std::path::{Path, PathBuf};

pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

pub struct Actor {
    pub figure: Figure,
    pub clip: Clip,
    pub ground: f64,
}

impl Actor {
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

    pub fn settings(&self) -> StageSettings {
        StageSettings { ground: self.ground, ..StageSettings::default() }
    }

    pub fn stage(&self, settings: StageSettings) -> Stage {
        Stage::new(&self.figure, self.animation(), settings).expect("a sound stage")
    }
}

/// Runs a stage for some seconds and looks at every step.
pub fn run(stage: &mut Stage, seconds: f64, mut look: impl FnMut(&Stage)) -> (Recording, Verdict) {
    let mut tally = Tally::default();
    let mut recording = Recording::new(&stage.puppet, stage.animation.clip().rate_hz());
    recording.take(&stage.world, &stage.puppet);
    let steps = (seconds / stage.step_length()).round() as usize;
    for step in 1..=steps {
        stage.step().expect("a finite step");
        tally.add(stage);
        look(stage);
        if step % stage.steps_per_frame() == 0 {
            recording.take(&stage.world, &stage.puppet);
        }
    }
    let verdict = tally.verdict(stage);
    (recording, verdict)
}
