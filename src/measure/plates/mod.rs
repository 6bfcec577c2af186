//! Force plates: measured ground forces, and their comparison with those that a motion requires.
//!
//! [`Plates::read`] reads OpenSim's MOT and STO files and CSV. [`PlateComparison::between`] puts a clip's forces on the clock
//! and the axes of the plates, gives every measured footfall to a foot, and compares curves, peaks, event times and centres
//! of pressure. Time, axes and mass are taken as stated where they are, else found, and the alignment says which.

mod align;
mod compare;
mod footfall;
mod read;
mod table;

#[cfg(test)]
mod tests;

pub use align::Alignment;
pub use compare::{EventPair, FootComparison, FootCurve, PlateComparison, PlateError, PlateOptions};

use crate::math::{Real, Vec3};

/// Measured forces of one or more plates, N and metres, Y up, acting on the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Plates {
    /// Times of the samples, seconds, ascending.
    pub times: Vec<Real>,
    /// Plates in the order of the file.
    pub plates: Vec<Plate>,
    /// Remarks on the reading: units, axes and signs that were changed.
    pub remarks: Vec<String>,
}

/// Samples of one plate.
#[derive(Clone, Debug, PartialEq)]
pub struct Plate {
    /// Name by its columns, such as `ground_force_r`.
    pub name: String,
    /// Force on the body, N.
    pub force: Vec<Vec3>,
    /// Centre of pressure, metres; of no meaning without load. `None` where the file has none.
    pub point: Option<Vec<Vec3>>,
}

/// Forces of the ground on the feet, as a motion requires them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FootForces {
    /// Frames per second.
    pub rate_hz: Real,
    /// Force on the left and right foot in each frame, N; `None` where a clip has no accelerations.
    pub force: Vec<Option<[Vec3; 2]>>,
    /// Centres of pressure of both feet, metres; `None` for feet without load.
    pub pressure: Vec<[Option<Vec3>; 2]>,
    /// Middle of both soles, metres.
    pub soles: Vec<[Vec3; 2]>,
    /// Weight of the figure, N.
    pub weight: Real,
}
