//! Reading of animations into clips: every channel is sampled at one rate and mapped through the rig to the skeleton.

use super::accessor::Accessors;
use super::curve::{Curve, Interpolation, Path};
use super::rig::{Rig, RigJoint};
use super::sampling_rate::{self, Origin};
use super::schema::{self, Animation, fault};
use super::tree::{Local, Tree};
use crate::formats::{FormatError, Warning};
use crate::{Clip, Skeleton, Tracks};
use crate::{Quat, Real, Vec3};
use serde_json::Value;
use std::collections::HashMap;

/// Relative difference from the static scale below which a scale is not animated but rounded.
const SCALE_NOISE: Real = 1e-5;
/// Distance from the rest offset, as a share of the longest bone, below which a translation is not animated.
const OFFSET_NOISE: Real = 1e-5;

/// Reads the animations of a file.
pub(super) struct Reader<'a> {
    pub json: &'a Value,
    pub tree: &'a Tree,
    pub rig: &'a Rig,
    pub skeleton: &'a Skeleton,
    pub accessors: Accessors<'a>,
    /// The user's rate for clips whose keys have none of their own.
    pub wished_rate: Option<Real>,
    /// Joint samples that may still be made: a short file with absurd times must not fill the memory.
    pub budget: Real,
    pub warnings: Vec<Warning>,
    /// Sampling rates that were chosen, per clip that needed a choice.
    pub resampled: Vec<(String, Real)>,
    /// Clips that have another rate than the user's, theirs and whether the file says it.
    pub unlike_wish: Vec<(String, Real, bool)>,
    /// The index of the animation that each clip was.
    pub animations: Vec<usize>,
}

/// The curves of one animation, by node.
type Curves = HashMap<usize, Moved>;

/// The curves of one node.
#[derive(Default)]
struct Moved {
    translation: Option<Curve>,
    rotation: Option<Curve>,
    scale: Option<Curve>,
}

/// Node with its curves.
struct AnimatedNode<'a> {
    rest: &'a Local,
    curves: Option<&'a Moved>,
}

impl<'a> AnimatedNode<'a> {
    fn new(node: usize, tree: &'a Tree, curves: &'a Curves) -> Self {
        Self { rest: &tree.locals[node], curves: curves.get(&node) }
    }

    fn local(&self, time: Real) -> Local {
        let mut local = *self.rest;
        if let Some(moved) = self.curves {
            if let Some(curve) = &moved.translation {
                local.translation = curve.vector(time);
            }
            if let Some(curve) = &moved.rotation {
                local.rotation = curve.rotation(time);
            }
            if let Some(curve) = &moved.scale {
                local.scale = curve.vector(time);
            }
        }
        local
    }

    fn scale(&self) -> Option<&Curve> {
        self.curves.and_then(|moved| moved.scale.as_ref())
    }
}

impl Reader<'_> {
    /// Reads all animations that move the skeleton.
    pub fn run(&mut self) -> Result<Vec<Clip>, FormatError> {
        let mut concerns = vec![false; self.tree.nodes.len()];
        let joints = self.rig.joints.iter().map(|j| j.node);
        for node in joints.chain(self.rig.carriers.iter().map(|c| c.node)) {
            concerns[node] = true;
        }
        let mut clips = Vec::new();
        for index in 0..schema::array(self.json, "animations")?.len() {
            let animation: Animation = schema::at(self.json, "animations", index)?;
            if let Some(clip) = self.clip(index, &animation, &concerns)? {
                clips.push(clip);
                self.animations.push(index);
            }
        }
        Ok(clips)
    }

    fn warn(&mut self, message: String) {
        self.warnings.push(Warning { line: None, message });
    }

    fn clip(&mut self, index: usize, animation: &Animation, concerns: &[bool]) -> Result<Option<Clip>, FormatError> {
        let name = animation.name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("animation_{index}"));
        let mut curves = Curves::new();
        let (mut keys, mut end, mut spline) = (Vec::new(), 0.0, false);
        for (k, channel) in animation.channels.iter().enumerate() {
            let pointer = format!("/animations/{index}/channels/{k}");
            let sampler = animation
                .samplers
                .get(channel.sampler)
                .ok_or_else(|| fault(&pointer, format!("names sampler {}, which does not exist", channel.sampler)))?;
            let path = Path::parse(&channel.target.path);
            // Morph weights, extension targets and props do not move joints, but players count their time.
            let node = channel.target.node.filter(|&node| concerns.get(node) == Some(&true));
            let (Some(path), Some(node)) = (path, node) else {
                if let Ok(times) = self.accessors.get(sampler.input) {
                    end = times.values.iter().fold(end, |end: Real, &t| end.max(Real::from(t)));
                }
                continue;
            };
            let pointer = format!("/animations/{index}/samplers/{}", channel.sampler);
            let curve = Curve::read(sampler, path, &pointer, &mut self.accessors)?;
            end = end.max(curve.times().last().map_or(0.0, |&t| Real::from(t)));
            spline |= curve.interpolation == Interpolation::CubicSpline;
            keys.extend_from_slice(curve.times());
            if keys.len() > 1 << 16 {
                tidy(&mut keys);
            }
            let moved = curves.entry(node).or_default();
            match path {
                Path::Translation => moved.translation = Some(curve),
                Path::Rotation => moved.rotation = Some(curve),
                Path::Scale => moved.scale = Some(curve),
            }
        }
        if curves.is_empty() {
            self.warn(format!("animation {name:?} moves no joint and was left out; it stays in the file"));
            return Ok(None);
        }
        tidy(&mut keys);
        let stated = animation.extras.as_ref().and_then(|extras| extras.get(sampling_rate::EXTRA)?.as_f64());
        let sampling = sampling_rate::choose(&keys, end, spline, stated, self.wished_rate);
        let nodes = (self.rig.joints.len() + self.rig.carriers.len()) as Real;
        if sampling.frames * nodes > self.budget {
            self.warn(format!(
                "animation {name:?} lasts {end} s with {} key times: too long to sample, it was left out",
                keys.len()
            ));
            return Ok(None);
        }
        self.budget -= sampling.frames * nodes;
        if sampling.origin == Origin::Choice {
            self.resampled.push((name.clone(), sampling.rate_hz));
        }
        if self.wished_rate.is_some_and(|wish| (sampling.rate_hz / wish - 1.0).abs() > 1e-6) {
            self.unlike_wish.push((name.clone(), sampling.rate_hz, sampling.origin == Origin::File));
        }
        let clip = self.sample(name, &curves, sampling.rate_hz, sampling.frames as usize);
        clip.map(Some).map_err(|error| fault(&format!("/animations/{index}"), format!("does not make a clip: {error}")))
    }

    fn sample(&mut self, name: String, curves: &Curves, rate: Real, frames: usize) -> Result<Clip, crate::ClipError> {
        let (rig, tree, skeleton) = (self.rig, self.tree, self.skeleton);
        let count = rig.joints.len();
        let joints: Vec<AnimatedNode> = rig.joints.iter().map(|j| AnimatedNode::new(j.node, tree, curves)).collect();
        let carriers: Vec<AnimatedNode> =
            rig.carriers.iter().map(|c| AnimatedNode::new(c.node, tree, curves)).collect();
        let varies = |(node, joint): (&AnimatedNode, &RigJoint)| {
            node.scale().is_some_and(|curve| curve.leaves(&joint.scale, SCALE_NOISE))
        };
        let scaled: Vec<bool> = joints.iter().zip(&rig.joints).map(varies).collect();
        let carriers_move = carriers.iter().any(|carrier| carrier.curves.is_some());
        if carriers.iter().any(|c| c.scale().is_some_and(|curve| curve.leaves(&c.rest.scale, SCALE_NOISE))) {
            let message =
                format!("clip {name:?} scales a node above the joints: bones follow in length, not in thickness");
            self.warnings.push(Warning { line: None, message });
        }
        let mut carried = Vec::new();
        let mut residuals = Vec::with_capacity(count);
        let mut rotations: Vec<Quat> = Vec::with_capacity(frames * count);
        let mut translations = Vec::with_capacity(frames * count);
        let mut scales = Tracks { joints: (0..count).filter(|&j| scaled[j]).collect(), values: Vec::new() };
        for frame in 0..frames {
            let time = frame as Real / rate;
            if frame == 0 || carriers_move {
                rig.carried(|carrier| carriers[carrier].local(time), &mut carried);
            }
            residuals.clear();
            for (j, joint) in rig.joints.iter().enumerate() {
                let mut local = joints[j].local(time);
                if !scaled[j] && local.sheared.is_none() {
                    local.scale = joint.scale;
                }
                let entered = rig.enter(j, &local, scaled[j], &carried, &mut residuals);
                // Of the two quaternions of a rotation, the one nearer to the frame before.
                let before = if frame == 0 { skeleton.joint(j).rest } else { rotations[(frame - 1) * count + j] };
                let opposite = before.coords.dot(&entered.rotation.coords) < 0.0;
                rotations.push(if opposite { flipped(&entered.rotation) } else { entered.rotation });
                translations.push(entered.translation);
                if scaled[j] {
                    scales.values.push(entered.scale);
                }
            }
        }
        let translations = self.moving(&translations, frames);
        Clip::new(name, rate, count, rotations, translations, scales)
    }

    /// Returns the tracks of the roots and of the joints that leave their rest offset.
    fn moving(&self, all: &[Vec3], frames: usize) -> Tracks {
        let count = self.skeleton.len();
        let size = (0..count).map(|j| self.skeleton.bone_length(j)).fold(0.0, Real::max);
        let mut tracks = Tracks::default();
        for (j, joint) in self.skeleton.joints().iter().enumerate() {
            let noise = OFFSET_NOISE * size.max(joint.offset.norm());
            let moves = || (0..frames).any(|f| (all[f * count + j] - joint.offset).amax() > noise);
            if joint.parent.is_none() || moves() {
                tracks.joints.push(j);
            }
        }
        tracks.values.reserve(frames * tracks.joints.len());
        for f in 0..frames {
            tracks.values.extend(tracks.joints.iter().map(|j| all[f * count + j]));
        }
        tracks
    }
}

fn flipped(q: &Quat) -> Quat {
    Quat::new_unchecked(-q.into_inner())
}

/// Sorts key times and drops repeated ones.
fn tidy(keys: &mut Vec<f32>) {
    keys.sort_by(f32::total_cmp);
    keys.dedup_by(|a, b| (*a - *b).abs() <= 4.0 * f32::EPSILON * b.abs());
}
