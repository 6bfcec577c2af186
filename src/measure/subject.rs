//! Files as subjects of a report: the body, the ground and the options by which every verb measures a source and its result.

use super::{Cutoff, FootForces, Measure, MeasureError, MeasureOptions, Moved, Report};
use crate::figure::{CaptureError, CaptureOptions, Figure, for_skeleton};
use crate::formats::{Capture, gltf};
use crate::math::Real;
use crate::motion::{Clip, Skeleton};
use std::path::{Path, PathBuf};

/// A motion to measure, with its body.
#[derive(Clone, Debug)]
pub struct Subject {
    /// File that the motion was read from, or is to be written to.
    pub file: PathBuf,
    /// Motion to measure.
    pub clip: Clip,
    /// Body that it is measured on.
    pub figure: Figure,
    /// Remarks for a reader of the figures.
    pub remarks: Vec<String>,
}

/// Options of a report, the same for a source and its result.
#[derive(Clone, Copy, Debug)]
pub struct SubjectOptions {
    /// Height of the ground, metres; found from the motion where it is not given.
    pub ground: Option<Real>,
    /// Total mass, kg.
    pub mass: Option<Real>,
    /// Standing height, metres.
    pub height: Option<Real>,
    /// Smoothing before accelerations are taken.
    pub cutoff: Cutoff,
    /// Coulomb's µ of the ground.
    pub friction: Real,
    /// The source was simulated or optimised, too; a result always is.
    pub made: bool,
}

impl Default for SubjectOptions {
    fn default() -> Self {
        let MeasureOptions { ground, cutoff, friction, made, .. } = MeasureOptions::default();
        Self { ground, mass: None, height: None, cutoff, friction, made }
    }
}

impl Subject {
    /// Gives a clip of a capture its body. A result on the skeleton of its source gets the very same body; one of about the same size gets
    /// the same mass and height.
    pub fn new(
        file: &Path,
        capture: &Capture,
        clip: Clip,
        options: &SubjectOptions,
        source: Option<&Subject>,
    ) -> Result<Self, CaptureError> {
        let mut remarks = Vec::new();
        let figure = match source.filter(|source| same_bones(source.figure.skeleton(), &capture.skeleton)) {
            Some(source) => source.figure.clone(),
            None => {
                let of_source =
                    |own: Option<Real>, known: fn(&Figure) -> Real| own.or(source.map(|s| known(&s.figure)));
                let resized = source.is_some_and(|source| {
                    let ratio = capture.skeleton.height() / source.figure.skeleton().height();
                    !(0.9..=1.1).contains(&ratio)
                });
                if source.is_some() {
                    remarks.push("its skeleton is not that of the source, so it has a body of its own".to_owned());
                }
                let (mass, height) = match resized {
                    true => (options.mass, options.height),
                    false => (of_source(options.mass, Figure::mass), of_source(options.height, |f| f.height)),
                };
                let skin = gltf::skin_vertices(capture).ok().flatten();
                let options = CaptureOptions { mass, height, ..CaptureOptions::default() };
                for_skeleton(&capture.skeleton, Some(&clip), skin.as_deref(), &options)?.0
            }
        };
        Ok(Self { file: file.to_owned(), clip, figure, remarks })
    }

    /// Finds the ground forces on both feet; `made` for results, whose contacts of any length count.
    pub fn foot_forces(&self, options: &SubjectOptions, made: bool) -> Result<FootForces, MeasureError> {
        let options = MeasureOptions {
            ground: options.ground,
            cutoff: options.cutoff,
            friction: options.friction,
            made: options.made || made,
            ..MeasureOptions::default()
        };
        Measure { figure: &self.figure, clip: &self.clip, options }.foot_forces()
    }

    /// Measures the motion, as a result if its source is given.
    pub fn measure(&self, options: &SubjectOptions, source: Option<&Subject>) -> Result<Report, MeasureError> {
        let options = MeasureOptions {
            ground: options.ground,
            cutoff: options.cutoff,
            friction: options.friction,
            made: options.made || source.is_some(),
            source: source.map(|source| Moved { skeleton: source.figure.skeleton(), clip: &source.clip }),
            ..MeasureOptions::default()
        };
        Measure { figure: &self.figure, clip: &self.clip, options }.run()
    }
}

/// Returns true if two skeletons have the same joints in the same places, to a millimetre and a tenth of a degree.
fn same_bones(a: &Skeleton, b: &Skeleton) -> bool {
    a.len() == b.len()
        && a.joints().iter().zip(b.joints()).all(|(a, b)| {
            a.name == b.name
                && a.parent == b.parent
                && (a.parent.is_none() || (a.offset - b.offset).norm() < 1e-3)
                && a.rest.angle_to(&b.rest) < 2e-3
        })
}
