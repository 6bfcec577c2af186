//! What preparation tells of a clip.

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

/// What preparation found and did.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparationReport {
    /// Deviation of the noise in the capture, metres.
    pub noise: Real,
    /// The clip was physical already; all that is left to do is to find its forces.
    pub physical: bool,
    /// Hz; none where the poses were left as they are.
    pub cutoff_hz: Option<Real>,
    /// Height of the ground where the figure starts, metres.
    pub ground: Real,
    pub repairs: Repairs,
    /// Where the ground below a body that walks in place has gone by each frame, metres; empty for all others.
    pub treadmill_path: Vec<Vec3>,
    /// Frames that jumped out of the motion and were drawn again.
    pub outlier_frames: Vec<usize>,
    /// The clip goes on where it begins.
    pub looped: bool,
    /// It was bent so that its end leads into its start.
    pub closed: bool,
    /// It was captured on level ground and carried to the terrain.
    pub mapped_to_terrain: bool,
    /// Who stands when.
    pub contacts: ContactList,
    /// Frames of contact that only the dynamics asked for, summed over features.
    pub added: usize,
    /// Features that rest in the air and are brought down, with their height, metres.
    pub lowered: Vec<(String, Real)>,
    /// Stances that turn or slide.
    pub moving_contacts: Vec<MovingContact>,
    /// How fast the body falls while nothing carries it, over gravity; none where it never does for long.
    pub flight_acceleration: Option<Real>,
    /// For each feature the corners of the plan it has.
    pub corners: Vec<Range<usize>>,
}

impl PreparationReport {
    /// A clip that walks in place, with the ground standing still instead; any other as it is.
    pub fn without_treadmill(&self, figure: &Figure, clip: Clip) -> Result<Clip, ClipError> {
        self.moved_with_treadmill(figure, clip, -1.0)
    }

    /// The inverse of [`Findings::without_belt`].
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

/// How fast a body falls that nothing carries, over gravity: wrong units and rates cannot hide there.
pub(super) fn flight_acceleration(
    features: &Features,
    trajectories: &Trajectories,
    contacts: &Contacts,
    surface: &dyn Surface,
    height: Real,
) -> Option<Real> {
    let rise = trajectories.rise();
    let stands = |t: usize| contacts.intervals.iter().flatten().any(|run| run.contains(&t));
    let up = |t: usize| {
        let mut heights = (0..features.list.len()).map(|f| surface.under(trajectories.place(f, t)).height);
        heights.all(|h| h > 0.03 * height / REFERENCE_HEIGHT)
    };
    let free: Vec<Real> =
        (0..trajectories.frames).filter(|&t| !stands(t) && up(t)).map(|t| -rise[t] / GRAVITY).collect();
    (free.len() as Real > 0.1 * trajectories.rate).then(|| median(&free))
}
