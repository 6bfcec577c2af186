//! Camera work of a film whose motion is known in advance: one box that holds all of it, or a smooth path beside it.

use super::camera::Bounds;
use super::render::with_margin;
use crate::math::{Real, Vec3};
use crate::show::Workspace;

/// Time over which the path of the camera is averaged, seconds: longer than a step, so that it does not bob.
const SMOOTHING: Real = 0.8;
/// Samples in that time.
const SAMPLES: usize = 17;

pub(super) struct Shot {
    /// Box around the motion in all frames. With a moving camera, as seen from its first position.
    all: Bounds,
    /// Way of the camera since the first frame, metres; empty if it stands still.
    path: Vec<Vec3>,
}

impl Shot {
    /// Plans the camera for frames from a time on.
    pub fn new(workspace: &Workspace, start: Real, frames: usize, rate: Real, follow: bool) -> Self {
        let items = 0..workspace.len();
        let moment = |frame: usize| (start + frame as Real / rate).min(workspace.duration());
        let mut path = Vec::new();
        if follow {
            let smooth = |frame: usize| {
                let at = |k: usize| moment(frame) + SMOOTHING * (k as Real / (SAMPLES - 1) as Real - 0.5);
                let sum: Vec3 = (0..SAMPLES).map(|k| workspace.middle_at(items.clone(), at(k))).sum();
                sum / SAMPLES as Real
            };
            let first = smooth(0);
            path = (0..frames).map(|frame| smooth(frame) - first).collect();
            path.iter_mut().for_each(|way| way.y = 0.0);
        }
        let travel = |frame: usize| path.get(frame).copied().unwrap_or_default();
        let boxes = (0..frames).map(|frame| {
            let (low, high) = with_margin(workspace.bounds_at(items.clone(), moment(frame)));
            (low - travel(frame), high - travel(frame))
        });
        let all = boxes.reduce(|(low, high), (a, b)| (low.inf(&a), high.sup(&b)));
        let all = all.unwrap_or_else(|| with_margin(workspace.bounds()));
        Shot { all, path }
    }

    /// Box to be seen, extended by the one of the first picture.
    pub fn bounds(&self, now: &Bounds) -> Bounds {
        (self.all.0.inf(&now.0), self.all.1.sup(&now.1))
    }

    /// Way of the camera from the first frame to another, metres.
    pub fn travel(&self, frame: usize) -> Vec3 {
        self.path.get(frame).copied().unwrap_or_default()
    }
}
