//! Clips on ground that is not level: captured there, or mapped to it from level ground.

use super::detect::median;
use super::feature::Features;
use super::prepare::{Prepare, PrepareError};
use super::repair::Repairs;
use super::surface::Ground;
use super::trajectories::{Trajectories, facing};
use super::{Scenery, Surface};
use crate::contacts::signal::smoothed_signal;
use crate::control::Terrain;
use crate::math::{Real, Vec3};
use crate::motion::Clip;
use crate::motion::root_motion::{offset_clip, vertical_offsets};

impl Prepare<'_> {
    /// Returns the clip on its terrain, the ground, and true if the clip was mapped to it from level ground.
    pub(super) fn on_terrain(
        &self,
        clip: Clip,
        features: &Features,
        height: Real,
    ) -> Result<(Clip, Ground, bool), PrepareError> {
        let trajectories = Trajectories::of(self.figure, features, &clip);
        let start = trajectories.root[0];
        let origin = Vec3::new(start.x, height, start.z);
        let forward = facing(self.figure, &clip, &trajectories);
        let Some(ground) = Ground::new(self.options.terrain, origin, forward) else {
            return Err(PrepareError::NoGround);
        };
        if self.is_flat() {
            return Ok((clip, ground, false));
        }
        // Feet that already rest at the height of the terrain were captured on it.
        let surface = ground.clone().boxed();
        let (mut level, mut there) = (0.0, 0.0);
        for t in 0..trajectories.frames {
            for f in (0..features.list.len()).filter(|&f| features.list[f].is_foot() && trajectories.speed(f, t) < 0.3)
            {
                let place = trajectories.place(f, t);
                level += (place.y - height).abs().min(0.1);
                there += surface.under(place).height.abs().min(0.1);
            }
        }
        if there < level {
            return Ok((clip, ground, false));
        }
        let steps = trajectories.root.iter().map(|root| ground.lift(root));
        let carried = offset_clip(self.figure.skeleton(), &clip, &vertical_offsets(steps))?;
        Ok((carried, ground, true))
    }

    /// Returns the clip on the ground of a scene, the ground, and true if the clip was mapped. Feet that rest at equal heights
    /// over the scene were captured on it, and the clip is only moved up or down. Otherwise it was captured on level ground and
    /// follows the heights of the scene.
    pub(super) fn on_scenery(
        &self,
        clip: Clip,
        features: &Features,
        height: Real,
        scenery: &Scenery,
        repairs: &mut Repairs,
    ) -> Result<(Clip, Ground, bool), PrepareError> {
        let trajectories = Trajectories::of(self.figure, features, &clip);
        let skeleton = self.figure.skeleton();
        let (mut level, mut there) = (Vec::new(), Vec::new());
        for t in 0..trajectories.frames {
            let feet = (0..features.list.len()).filter(|&f| features.list[f].is_foot());
            let over = |f: usize| {
                let under = scenery.under(trajectories.place(f, t));
                under.height / under.normal.y
            };
            let lowest = feet.map(|f| (f, over(f))).min_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((f, over)) = lowest.filter(|(f, _)| trajectories.speed(*f, t) < 0.3) {
                level.push(trajectories.place(f, t).y - height);
                there.push(over);
            }
        }
        let strays = |heights: &[Real]| {
            let middle = median(heights);
            heights.iter().map(|h| (h - middle).abs().min(0.1)).sum::<Real>()
        };
        let start = trajectories.root[0];
        let from = Ground::Scenery(scenery.clone(), Vec3::new(start.x, height, start.z));
        let captured_there = strays(&there) <= strays(&level) + 1e-6;
        let lifts = match captured_there {
            true => vec![-median(&there); trajectories.frames],
            // The root follows steps smoothly.
            false => smoothed_signal(
                &trajectories.root.iter().map(|root| from.lift(root)).collect::<Vec<_>>(),
                1.0,
                trajectories.rate,
            ),
        };
        if captured_there {
            repairs.lift = lifts[0];
        }
        let origin = Vec3::new(start.x, height + lifts[0], start.z);
        let clip = offset_clip(skeleton, &clip, &vertical_offsets(lifts))?;
        Ok((clip, Ground::Scenery(scenery.clone(), origin), !captured_there))
    }

    /// Returns true if the ground is level everywhere.
    pub(super) fn is_flat(&self) -> bool {
        matches!(self.options.terrain, Terrain::Flat) && self.options.scenery.is_none()
    }
}
