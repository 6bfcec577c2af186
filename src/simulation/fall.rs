//! Fall of a figure that follows an animation.

use super::Run;
use crate::dynamics::Placement;
use crate::math::Real;
use crate::motion::Frame;

/// Vertical extent of a fallen figure, over that of the animation at the same time.
const FALLEN: Real = 0.6;

/// Monitor of the posture of a follower: a figure has fallen when it is lower than its animation is then, from its lowest to its highest
/// segment. Slopes and stairs do not count, and neither does an animation that lies down.
#[derive(Clone, Debug, Default)]
pub struct FallMonitor {
    since: Option<Real>,
    frames: Vec<Frame>,
    placements: Vec<Placement>,
}

impl FallMonitor {
    /// Looks at the state after a frame, of the follower of this index.
    pub fn observe(&mut self, run: &Run, follower: usize) {
        let follower = &run.followers[follower];
        let figure = follower.actor.figure();
        figure.placements_into(&follower.wanted().pose, &mut self.frames, &mut self.placements);
        let wanted = extent(self.placements.iter().map(|placement| placement.position.y));
        let bodies = follower.actor.instance().bodies.iter();
        let extent = extent(bodies.map(|&body| run.world.state(body).placement.position.y));
        self.since = (extent < FALLEN * wanted).then(|| self.since.unwrap_or(run.world.time()));
    }

    /// Time from which on the figure lies, seconds; none for one that stands, or stands again.
    pub fn fallen_since(&self) -> Option<Real> {
        self.since
    }
}

/// Difference between the largest and the smallest height.
fn extent(heights: impl Iterator<Item = Real>) -> Real {
    let (low, high) = heights.fold((Real::INFINITY, Real::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    high - low
}
