//! The physical filter, from detection to the written file, on built-in clips and on clips made here with known answers.

#![allow(clippy::disallowed_methods)] // Expectations are computed with the functions of the system.

mod clips;
mod contacts;
mod damage;
mod ground;
mod odd;
mod verb;

use sinew::figure::{Figure, FigureOptions};
use sinew::filter::{Filter, FilterError, FilterOptions, Filtered, Prepare, PrepareError, PrepareOptions, Prepared};
use sinew::formats::{self, ImportOptions};
use sinew::measure::{Cutoff, Measure, MeasureOptions, Moved, Report, Tracking};
use sinew::motion::{Clip, Tracks};
use sinew::{Real, Vec3};
use std::path::{Path, PathBuf};

/// A clip with a body.
struct Take {
    figure: Figure,
    clip: Clip,
}

/// A file of the built-in data.
fn built_in(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

impl Take {
    fn read(name: &str) -> Self {
        let capture = formats::read(&built_in(name), &ImportOptions::default()).expect("built-in data reads");
        Self::new(&capture.skeleton, capture.clips.into_iter().next().expect("a clip"))
    }

    fn new(skeleton: &sinew::motion::Skeleton, clip: Clip) -> Self {
        let options = FigureOptions { clip: Some(&clip), ..FigureOptions::default() };
        let mut figure = Figure::build(skeleton, &options).expect("a figure");
        figure.widen_to_hold(&clip);
        Self { figure, clip }
    }

    /// The same body doing something else.
    fn with(&self, clip: Clip) -> Self {
        Self { figure: self.figure.clone(), clip }
    }

    fn prepare(&self, options: PrepareOptions) -> Result<Prepared, PrepareError> {
        Prepare { figure: &self.figure, clip: &self.clip, options }.run()
    }

    fn filter(&self, options: FilterOptions) -> Result<Filtered, FilterError> {
        Filter { figure: &self.figure, clip: &self.clip, options }.run(&mut |_| true)
    }

    /// Mean distance of joints to another motion of the same body, metres.
    fn apart(&self, other: &Clip) -> Real {
        apart(&self.figure, &self.clip, other)
    }

    /// What the checker says about a result: poses as they are, contacts of any length, ground as its feet tell.
    fn judge(&self, result: &Clip) -> Report {
        let source = Moved { skeleton: self.figure.skeleton(), clip: &self.clip };
        let options =
            MeasureOptions { cutoff: Cutoff::None, made: true, source: Some(source), ..MeasureOptions::default() };
        Measure { figure: &self.figure, clip: result, options }.run().expect("the result can be measured")
    }
}

fn apart(figure: &Figure, one: &Clip, other: &Clip) -> Real {
    let moved = |clip| Moved { skeleton: figure.skeleton(), clip };
    Tracking::between(&moved(one), &moved(other)).expect("both are motions of this body").position
}

/// A clip whose frame t shows frame `of(t)` of another, moved by `by(t)`.
fn remade(clip: &Clip, frames: usize, of: impl Fn(usize) -> usize, by: impl Fn(usize) -> Vec3) -> Clip {
    let tracks = clip.translations();
    let width = tracks.joints.len();
    assert_eq!(tracks.joints.first(), Some(&0), "the root moves");
    let (mut rotations, mut values) = (Vec::new(), Vec::new());
    for t in 0..frames {
        rotations.extend_from_slice(clip.rotations(of(t)));
        let row = &tracks.values[of(t) * width..(of(t) + 1) * width];
        values.push(row[0] + by(t));
        values.extend_from_slice(&row[1..]);
    }
    let moved = Tracks { joints: tracks.joints.clone(), values };
    Clip::new("made", clip.rate_hz(), clip.joints(), rotations, moved, Tracks::default()).expect("a clip")
}

/// Standing still for so many frames.
fn standing(frames: usize) -> Take {
    let idle = Take::read("clips/idle.bvh");
    let clip = remade(&idle.clip, frames, |_| 0, |_| Vec3::zeros());
    idle.with(clip)
}
