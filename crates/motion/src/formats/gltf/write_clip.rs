//! Writing of a clip as an animation: poses are mapped through the rig to the transforms of nodes.
//!
//! A channel is written if it differs from the node's static transform; a channel that never changes has one key. All values are 32-bit floats, rotations keep to one side of the quaternion sphere.

use super::assembly::{Assembly, Use};
use super::curve::Path;
use super::key_reduction::{self, Keys};
use super::rig::{InSkeleton, Rig};
use super::tree::{Local, Tree};
use crate::formats::FormatError;
use crate::{Clip, Skeleton};
use crate::{Real, Vec3};
use serde_json::{Value, json};

/// Operation that adds a clip to a file.
pub(super) struct Animate<'a> {
    pub rig: &'a Rig,
    pub tree: &'a Tree,
    pub skeleton: &'a Skeleton,
    pub clip: &'a Clip,
    /// The clip's joint that moves each joint of the rig; none leaves it at rest.
    pub sources: &'a [Option<usize>],
    pub name: String,
    /// Largest error that dropping keys may bring to a joint's world position, metres.
    pub reduce: Option<Real>,
}

/// Values of one channel, frame by frame, in the file's units and axes.
struct Channel {
    node: usize,
    path: Path,
    values: Vec<f32>,
    /// The frames that are written; all when absent.
    keys: Option<Vec<u32>>,
}

impl Animate<'_> {
    /// Adds the animation; nodes that hold a matrix and move get the same transform as separate parts.
    pub fn run(&self, file: &mut Assembly) -> Result<(), FormatError> {
        let frames = self.clip.frames();
        if frames == 0 {
            return Ok(());
        }
        let reducible = self.rig.unevenly_scaled(self.tree).is_empty();
        let allowed = self.reduce.filter(|_| reducible);
        let reduced = allowed.map(|allowed| key_reduction::reduce(self.skeleton, self.clip, allowed));
        let mut channels = self.channels(reduced.as_ref().map(|r| &r.keys));
        if let Some(channel) = channels.iter().find(|c| c.values.iter().any(|x| !x.is_finite())) {
            let (clip, joint) = (&self.clip.name, self.tree.name(channel.node));
            let what = channel.path.name();
            return Err(FormatError::new(format!("clip {clip:?}: a {what} of joint {joint:?} is too large for glTF")));
        }
        self.drop_constant(&mut channels);
        for channel in &channels {
            self.split_matrix(file, channel.node)?;
        }
        let mut animation = self.write(file, &channels);
        // Few keys do not show how often the motion was sampled.
        animation["extras"] = json!({super::sampling_rate::EXTRA: self.clip.rate_hz()});
        if let Some(reduced) = &reduced {
            animation["extras"]["keyReduction"] =
                json!({"allowedMetres": self.reduce, "largestErrorMetres": reduced.largest_error});
        }
        file.push("animations", animation);
        Ok(())
    }

    fn channels(&self, keys: Option<&Keys>) -> Vec<Channel> {
        let (rig, clip) = (self.rig, self.clip);
        let frames = clip.frames();
        let mut channels = Vec::with_capacity(rig.joints.len() * 2);
        // Which channels of each joint may differ from the node: translations and scales only with a track, unless a
        // changing residual makes translations follow.
        let moves = |joint: Option<usize>| joint.is_some_and(|j| clip.translations().joints.binary_search(&j).is_ok());
        let scales = |joint: Option<usize>| joint.is_some_and(|j| clip.scales().joints.binary_search(&j).is_ok());
        let uneven = !rig.unevenly_scaled(self.tree).is_empty();
        let mut slots = Vec::with_capacity(rig.joints.len());
        for (index, joint) in rig.joints.iter().enumerate() {
            let source = self.sources[index];
            let mut slot = |wanted: bool, path: Path| {
                wanted.then(|| {
                    let keys = keys.zip(source).map(|(keys, source)| match path {
                        Path::Translation => keys.translations[source].clone(),
                        Path::Rotation => keys.rotations[source].clone(),
                        Path::Scale => keys.scales[source].clone(),
                    });
                    let values = Vec::with_capacity(frames * path.width());
                    channels.push(Channel { node: joint.node, path, values, keys });
                    channels.len() - 1
                })
            };
            slots.push([
                slot(moves(source) || uneven, Path::Translation),
                slot(source.is_some() || uneven, Path::Rotation),
                slot(scales(source), Path::Scale),
            ]);
        }
        let rest = rig.rest(self.tree);
        let mut pose = self.skeleton.rest_pose();
        let carried = rig.carried_at_rest(self.tree);
        let mut residuals = Vec::with_capacity(rig.joints.len());
        for frame in 0..frames {
            clip.pose_into(frame, &mut pose);
            residuals.clear();
            for (index, joint) in rig.joints.iter().enumerate() {
                let wanted = match self.sources[index] {
                    Some(j) => InSkeleton {
                        translation: pose.translations[j],
                        rotation: pose.rotations[j],
                        scale: pose.scales.as_ref().map_or(Vec3::repeat(1.0), |s| s[j]),
                    },
                    None => InSkeleton {
                        translation: rest.translations[index],
                        rotation: rest.rotations[index],
                        scale: Vec3::repeat(1.0),
                    },
                };
                let local = rig.leave(index, &wanted, &self.tree.locals[joint.node], &carried, &mut residuals);
                let [translation, rotation, scale] = slots[index];
                if let Some(at) = translation {
                    channels[at].values.extend(local.translation.iter().map(|&x| x as f32));
                }
                if let Some(at) = rotation {
                    push_rotation(&mut channels[at].values, &local);
                }
                if let Some(at) = scale {
                    channels[at].values.extend(local.scale.iter().map(|&x| x as f32));
                }
            }
        }
        channels
    }

    /// Drops channels that repeat the node's static transform, and all keys but one of constant channels.
    fn drop_constant(&self, channels: &mut Vec<Channel>) {
        channels.retain(|channel| {
            let local = &self.tree.locals[channel.node];
            let still: [Real; 4] = match channel.path {
                Path::Translation => [local.translation.x, local.translation.y, local.translation.z, 0.0],
                Path::Rotation => [local.rotation.i, local.rotation.j, local.rotation.k, local.rotation.w],
                Path::Scale => [local.scale.x, local.scale.y, local.scale.z, 0.0],
            };
            let width = channel.path.width();
            let near = |sign: Real| {
                channel.values.chunks_exact(width).all(|value| {
                    value.iter().zip(&still).all(|(v, s)| (Real::from(*v) - sign * s).abs() <= 2e-7 * (1.0 + s.abs()))
                })
            };
            !(near(1.0) || channel.path == Path::Rotation && near(-1.0))
        });
        for channel in channels.iter_mut() {
            let (first, rest) = channel.values.split_at(channel.path.width());
            if rest.chunks_exact(first.len()).all(|value| value == first) {
                channel.keys = Some(vec![0]);
            }
        }
        // One channel must tell how long the clip lasts, and an animation must have a channel.
        let last = self.clip.frames() as u32 - 1;
        let tells = |channel: &Channel| channel.keys.as_ref().is_none_or(|keys| keys.last() == Some(&last));
        if !channels.iter().any(tells) {
            let ends = if last == 0 { vec![0] } else { vec![0, last] };
            match channels.first_mut() {
                Some(channel) => channel.keys = Some(ends),
                None => {
                    let node = self.rig.joints[0].node;
                    let mut values = Vec::new();
                    for _ in 0..self.clip.frames() {
                        push_rotation(&mut values, &self.tree.locals[node]);
                    }
                    channels.push(Channel { node, path: Path::Rotation, values, keys: Some(ends) });
                }
            }
        }
    }

    /// Replaces the matrix of a node by its parts, as glTF does not animate nodes that hold a matrix.
    fn split_matrix(&self, file: &mut Assembly, node: usize) -> Result<(), FormatError> {
        let local = &self.tree.locals[node];
        let Some(object) = file.array("nodes")[node].as_object_mut() else { return Ok(()) };
        if !object.contains_key("matrix") {
            return Ok(());
        }
        if local.sheared.is_some() {
            let message = "is a joint with a sheared matrix, which glTF cannot animate";
            return Err(super::schema::fault(&format!("/nodes/{node}"), message)
                .help("apply the transforms of the armature in the program that made the file, and export it again"));
        }
        object.shift_remove("matrix");
        let (t, q, s) = (local.translation, local.rotation, local.scale);
        object.insert("translation".into(), json!([t.x, t.y, t.z]));
        object.insert("rotation".into(), json!([q.i, q.j, q.k, q.w]));
        object.insert("scale".into(), json!([s.x, s.y, s.z]));
        Ok(())
    }

    fn write(&self, file: &mut Assembly, channels: &[Channel]) -> Value {
        let frames = self.clip.frames();
        let mut bytes = Vec::new();
        // Channels with the same keys share their times.
        let mut inputs: Vec<(Option<&[u32]>, usize)> = Vec::new();
        let mut input_places = Vec::with_capacity(channels.len());
        for channel in channels {
            let keys = channel.keys.as_deref();
            let known = inputs.iter().rev().take(64).find(|(k, _)| *k == keys).map(|(_, accessor)| *accessor);
            input_places.push(known.unwrap_or_else(|| {
                let offset = bytes.len();
                let mut time = |frame: usize| {
                    let t = (frame as Real / self.clip.rate_hz()) as f32;
                    bytes.extend_from_slice(&t.to_le_bytes());
                    t
                };
                let (count, low, high) = match keys {
                    None => {
                        let times: Vec<f32> = (0..frames).map(time).collect();
                        (frames, times[0], times[frames - 1])
                    }
                    Some(keys) => {
                        let times: Vec<f32> = keys.iter().map(|&k| time(k as usize)).collect();
                        (keys.len(), times[0], times[keys.len() - 1])
                    }
                };
                let accessor = json!({
                    "byteOffset": offset, "componentType": 5126, "count": count, "type": "SCALAR",
                    "min": [low], "max": [high]
                });
                let place = file.push("accessors", accessor);
                inputs.push((keys, place));
                place
            }));
        }
        let mut samplers = Vec::with_capacity(channels.len());
        let mut targets = Vec::with_capacity(channels.len());
        let mut outputs = Vec::with_capacity(channels.len());
        for (channel, input) in channels.iter().zip(input_places) {
            let (width, offset) = (channel.path.width(), bytes.len());
            let mut count = 0;
            let mut put = |frame: usize| {
                let value = &channel.values[frame * width..(frame + 1) * width];
                value.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
                count += 1;
            };
            match &channel.keys {
                None => (0..frames).for_each(&mut put),
                Some(keys) => keys.iter().for_each(|&k| put(k as usize)),
            }
            let output = file.push(
                "accessors",
                json!({"byteOffset": offset, "componentType": 5126, "count": count, "type": channel.path.shape()}),
            );
            outputs.push(output);
            targets.push(json!({
                "sampler": samplers.len(),
                "target": {"node": channel.node, "path": channel.path.name()}
            }));
            samplers.push(json!({"input": input, "output": output, "interpolation": "LINEAR"}));
        }
        let view = file.view(&bytes, Use::Other);
        for accessor in inputs.iter().map(|(_, place)| *place).chain(outputs) {
            file.array("accessors")[accessor]["bufferView"] = json!(view);
        }
        json!({"name": self.name, "channels": targets, "samplers": samplers})
    }
}

/// Appends a rotation, with the sign that is nearer to the one before.
fn push_rotation(values: &mut Vec<f32>, local: &Local) {
    let q = local.rotation.coords.map(|x| x as f32);
    let opposite =
        values.len() >= 4 && values[values.len() - 4..].iter().zip(q.iter()).map(|(a, b)| a * b).sum::<f32>() < 0.0;
    let sign = if opposite { -1.0 } else { 1.0 };
    values.extend(q.iter().map(|x| x * sign));
}
