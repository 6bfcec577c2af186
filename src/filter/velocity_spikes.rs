//! Check for velocity spikes of joints that the capture does not have. A corner that leaves its place within a frame starts the
//! leg above it at once where frames are few.

use super::ContactPlan;
use super::refine::Check;
use crate::figure::Figure;
use crate::math::Real;
use crate::measure::Jumps;
use crate::motion::Clip;

/// Check for velocity spikes.
#[derive(Clone, Copy)]
pub(super) struct VelocitySpikes<'a> {
    pub figure: &'a Figure,
    /// Captured motion.
    pub clip: &'a Clip,
}

impl Check for VelocitySpikes<'_> {
    const ROUNDS: usize = 2;
    const SAME: Real = 0.0;

    /// Counts the frames with a spike, where they are more than in the capture.
    fn fault(&self, clip: &Clip) -> Real {
        let count = |clip: &Clip| spikes(clip).iter().filter(|joints| !joints.is_empty()).count();
        let (before, after) = (count(self.clip), count(clip));
        if after > before { after as Real } else { 0.0 }
    }

    /// Limits accelerations wherever a joint spikes and none did in the capture.
    fn amend(&self, clip: &Clip, plan: &mut ContactPlan) -> Vec<usize> {
        let (captured, found) = (spikes(self.clip), spikes(clip));
        let frames = clip.frames();
        plan.acceleration_limited.resize(frames, Vec::new());
        let mut changed = Vec::new();
        for (t, joints) in found.iter().enumerate().filter(|(t, _)| captured[*t].is_empty()) {
            let segments = self.figure.segments().iter().enumerate();
            for (k, _) in segments.filter(|(_, segment)| joints.contains(&segment.joint)) {
                for frame in t.saturating_sub(1)..(t + 2).min(frames) {
                    if !plan.acceleration_limited[frame].contains(&k) {
                        plan.acceleration_limited[frame].push(k);
                        changed.push(frame);
                    }
                }
            }
        }
        plan.acceleration_limited.iter_mut().for_each(|acceleration_limited| acceleration_limited.sort_unstable());
        changed
    }
}

/// Returns the joints with a spike in each frame.
fn spikes(clip: &Clip) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); clip.frames()];
    for joint in 0..clip.joints() {
        Jumps::of_joint(clip, joint).spikes().for_each(|frame| found[frame].push(joint));
    }
    found
}
