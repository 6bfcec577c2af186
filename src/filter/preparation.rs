//! Report of the preparation of a clip.

use super::Surface;
use super::contact_list::ContactList;
use super::contact_targets::MovingContact;
use super::detect::{Contacts, median};
use super::feature::Features;
use super::repair::{self, Repairs};
use super::trajectories::Trajectories;
use crate::figure::Figure;
use crate::math::{GRAVITY, Real, Vec3};
use crate::motion::{Clip, ClipError, REFERENCE_HEIGHT};
use std::ops::Range;

/// Facts found and repairs made by preparation.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparationReport {
    /// Standard deviation of the noise in the capture, metres.
    pub noise: Real,
    /// True if the clip was physical already, so that only its forces are computed.
    pub physical: bool,
    /// Cut-off of the low-pass, Hz; `None` where the poses were left unchanged.
    pub cutoff_hz: Option<Real>,
    /// Height of the ground where the figure starts, metres.
    pub ground: Real,
    /// Repairs of the root.
    pub repairs: Repairs,
    /// Position of the treadmill below a body that moves in place, metres, for each frame; empty for all other clips.
    pub treadmill_path: Vec<Vec3>,
    /// Outlier frames that were replaced by interpolation.
    pub outlier_frames: Vec<usize>,
    /// True if the end of the clip continues at its start.
    pub looped: bool,
    /// True if the clip was blended so that its end leads into its start.
    pub closed: bool,
    /// True if the clip was captured on level ground and mapped to the terrain.
    pub mapped_to_terrain: bool,
    /// Contact intervals of each feature.
    pub contacts: ContactList,
    /// Frames of contact required by the dynamics alone, summed over features.
    pub added: usize,
    /// Features at rest above the ground that are lowered to it, with their height, metres.
    pub lowered: Vec<(String, Real)>,
    /// Contacts that rotate or slide.
    pub moving_contacts: Vec<MovingContact>,
    /// Downward acceleration of the body in flight, over gravity; `None` where no flight is long enough.
    pub flight_acceleration: Option<Real>,
    /// Corners of the plan that belong to each feature.
    pub corners: Vec<Range<usize>>,
}

impl PreparationReport {
    /// Returns a clip in place as it travels on fixed ground; any other clip unchanged.
    pub fn without_treadmill(&self, figure: &Figure, clip: Clip) -> Result<Clip, ClipError> {
        self.moved_with_treadmill(figure, clip, -1.0)
    }

    /// Inverse of [`PreparationReport::without_treadmill`].
    pub fn with_treadmill(&self, figure: &Figure, clip: Clip) -> Result<Clip, ClipError> {
        self.moved_with_treadmill(figure, clip, 1.0)
    }

    fn moved_with_treadmill(&self, figure: &Figure, clip: Clip, times: Real) -> Result<Clip, ClipError> {
        if self.treadmill_path.is_empty() {
            return Ok(clip);
        }
        let way: Vec<Vec3> = self.treadmill_path.iter().map(|at| at * times).collect();
        repair::moved_along(figure, &clip, &way, 0)
    }
}

/// Returns the downward acceleration of a body in flight, over gravity. It reveals wrong units and frame rates.
pub(super) fn flight_acceleration(
    features: &Features,
    trajectories: &Trajectories,
    contacts: &Contacts,
    surface: &dyn Surface,
    height: Real,
) -> Option<Real> {
    let rise = trajectories.rise();
    let in_contact = |t: usize| contacts.intervals.iter().flatten().any(|run| run.contains(&t));
    let up = |t: usize| {
        let mut heights = (0..features.list.len()).map(|f| surface.under(trajectories.place(f, t)).height);
        heights.all(|h| h > 0.03 * height / REFERENCE_HEIGHT)
    };
    let free: Vec<Real> =
        (0..trajectories.frames).filter(|&t| !in_contact(t) && up(t)).map(|t| -rise[t] / GRAVITY).collect();
    (free.len() as Real > 0.1 * trajectories.rate).then(|| median(&free))
}
