//! Joints of a file's skins, and the exact map between their nodes and the scale-free skeleton.
//!
//!   W_j = F_j · C_j
//!
//! `W_j` is the joint's world matrix in the file, `F_j` its frame in our skeleton (metres, Y up; rotation, position
//! and animated scale), `C_j` a linear residual that holds what a [`Skeleton`] has no place for: units and static
//! scales. With `A` the nodes between the joint and its parent joint (for a root: everything above it, and the turn
//! and scale from the file's world to ours) and `B = C_parent · A`:
//!
//!   translation in our skeleton   t = B · T
//!   linear part                   B · R · S = r · σ · C_j
//!
//! `T R S` are the node's own. Where `B` is a similarity `b·Q` the rotation is `r = Q·R`, the residual stays
//! `b · S_rest` and an animated scale is `σ = S / S_rest`: exact both ways. Below a non-uniform scale `r` is the
//! polar rotation and the residual changes with time; joint positions stay exact because translations follow it.

use super::polar::{rotation_of, similarity};
use super::schema::{self, Skin};
use super::tree::{Affine, Local, Tree};
use crate::files::limits::SMALLEST_SCALE;
use crate::formats::{FormatError, UpAxis};
use crate::math::Mat3;
use crate::{Joint, Pose, Skeleton};
use crate::{Quat, Real, Vec3};
use serde_json::Value;

/// A node above or between joints that is no joint itself.
#[derive(Clone, Debug)]
pub(super) struct Carrier {
    pub node: usize,
    above: Above,
    /// The nearest joint above.
    parent: Option<usize>,
}

/// Parent of a joint or carrier.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Above {
    World,
    Joint(usize),
    Carrier(usize),
}

#[derive(Clone, Debug)]
pub(super) struct RigJoint {
    pub node: usize,
    /// The nearest joint above.
    pub parent: Option<usize>,
    above: Above,
    /// The node's static scale, with ones in place of zeros.
    pub scale: Vec3,
}

/// The joints of all skins, parents first, and the nodes that carry them.
#[derive(Clone, Debug)]
pub(super) struct Rig {
    pub joints: Vec<RigJoint>,
    /// Parents first.
    pub carriers: Vec<Carrier>,
    /// Map from the file's world to metres, Y up.
    border: Affine,
}

/// A joint node's local transform beside what it is in our skeleton.
#[derive(Clone, Copy, Debug)]
pub(super) struct InSkeleton {
    pub translation: Vec3,
    pub rotation: Quat,
    pub scale: Vec3,
}

impl Rig {
    /// The union of the joints of all skins, in the order the skins list them but for parents coming first.
    pub fn read(json: &Value, tree: &Tree) -> Result<Rig, FormatError> {
        let mut listed = Vec::new();
        let mut is_joint = vec![false; tree.nodes.len()];
        for (index, skin) in schema::list::<Skin>(json, "skins")?.into_iter().enumerate() {
            for node in skin.joints {
                let seen = is_joint
                    .get_mut(node)
                    .ok_or_else(|| schema::no_node(&format!("/skins/{index}/joints"), node, tree.nodes.len()))?;
                if !std::mem::replace(seen, true) {
                    listed.push(node);
                }
            }
        }
        let mut rig = Rig { joints: Vec::with_capacity(listed.len()), carriers: Vec::new(), border: Affine::IDENTITY };
        let mut placed: Vec<Option<Above>> = vec![None; tree.nodes.len()];
        let mut pending = Vec::new();
        for node in listed {
            let mut above = Above::World;
            let mut next = Some(node);
            while let Some(n) = next {
                if let Some(place) = placed[n] {
                    above = place;
                    break;
                }
                pending.push(n);
                next = tree.parents[n];
            }
            while let Some(n) = pending.pop() {
                above = rig.place(n, above, is_joint[n], tree);
                placed[n] = Some(above);
            }
        }
        Ok(rig)
    }

    fn place(&mut self, node: usize, above: Above, is_joint: bool, tree: &Tree) -> Above {
        let parent = match above {
            Above::World => None,
            Above::Joint(joint) => Some(joint),
            Above::Carrier(carrier) => self.carriers[carrier].parent,
        };
        if !is_joint {
            self.carriers.push(Carrier { node, above, parent });
            return Above::Carrier(self.carriers.len() - 1);
        }
        let scale = tree.locals[node].scale.map(|s| if s.abs() < SMALLEST_SCALE { 1.0 } else { s });
        self.joints.push(RigJoint { node, parent, above, scale });
        Above::Joint(self.joints.len() - 1)
    }

    /// Sets length unit and up direction of the file.
    pub fn set_border(&mut self, metres: Real, up: UpAxis) {
        let turn = up.to_y_up().to_rotation_matrix().into_inner();
        self.border = Affine { linear: turn * metres, shift: Vec3::zeros() };
    }

    /// Returns the map from the file's world to metres, Y up.
    pub fn border(&self) -> Affine {
        self.border
    }

    /// The carriers' transforms relative to the joint above them (or our world), given each carrier's local one.
    pub fn carried(&self, local: impl Fn(usize) -> Local, out: &mut Vec<Affine>) {
        out.clear();
        for (index, carrier) in self.carriers.iter().enumerate() {
            let own = local(index).affine();
            out.push(self.under(carrier.above, out).after(&own));
        }
    }

    /// Returns [`Rig::carried`] in the rest pose.
    pub fn carried_at_rest(&self, tree: &Tree) -> Vec<Affine> {
        let mut carried = Vec::new();
        self.carried(|c| tree.locals[self.carriers[c].node], &mut carried);
        carried
    }

    fn under(&self, above: Above, carried: &[Affine]) -> Affine {
        match above {
            Above::World => self.border,
            Above::Joint(_) => Affine::IDENTITY,
            Above::Carrier(carrier) => carried[carrier],
        }
    }

    /// `B` of one joint.
    fn base(&self, joint: &RigJoint, carried: &[Affine], residuals: &[Mat3]) -> Affine {
        let between = self.under(joint.above, carried);
        match joint.parent {
            None => between,
            Some(parent) => Affine { linear: residuals[parent], shift: Vec3::zeros() }.after(&between),
        }
    }

    /// Maps a node's transform to the skeleton: one call per joint, parents first; `residuals` grows by one.
    /// `scaled` says that the joint's scale is animated.
    pub fn enter(
        &self,
        index: usize,
        local: &Local,
        scaled: bool,
        carried: &[Affine],
        residuals: &mut Vec<Mat3>,
    ) -> InSkeleton {
        let joint = &self.joints[index];
        let base = self.base(joint, carried, residuals);
        let translation = base.linear * local.translation + base.shift;
        let unscaled = Vec3::repeat(1.0);
        match similarity(&base.linear).filter(|_| local.sheared.is_none()) {
            Some((size, turn)) => {
                let kept = if scaled { joint.scale } else { local.scale };
                residuals.push(Mat3::from_diagonal(&(kept * size)));
                let scale = if scaled { local.scale.component_div(&joint.scale) } else { unscaled };
                InSkeleton { translation, rotation: turn * local.rotation, scale }
            }
            None => {
                let linear = base.linear * local.linear();
                let rotation = rotation_of(&linear);
                residuals.push(rotation.inverse().to_rotation_matrix().into_inner() * linear);
                InSkeleton { translation, rotation, scale: unscaled }
            }
        }
    }

    /// Maps a joint's transform back to its node, the inverse of [`Rig::enter`]. `rest` is the node's static transform, which
    /// stays where a collapsed scale above leaves nothing to choose.
    pub fn leave(
        &self,
        index: usize,
        wanted: &InSkeleton,
        rest: &Local,
        carried: &[Affine],
        residuals: &mut Vec<Mat3>,
    ) -> Local {
        let joint = &self.joints[index];
        let base = self.base(joint, carried, residuals);
        // Below a node that is flat but for rounding, as below one that is flat, no translation reaches what is wanted.
        let is_sound = |inverse: &Mat3| inverse.amax() * base.linear.amax() < 1.0 / SMALLEST_SCALE;
        let translation = match base.linear.try_inverse().filter(is_sound) {
            Some(inverse) => inverse * (wanted.translation - base.shift),
            None => rest.translation,
        };
        let scale = joint.scale.component_mul(&wanted.scale);
        if let Some((size, turn)) = similarity(&base.linear) {
            residuals.push(Mat3::from_diagonal(&(joint.scale * size)));
            return Local { translation, rotation: turn.inverse() * wanted.rotation, scale, sheared: None };
        }
        // No closed form: correct the node's rotation by what its polar rotation misses, until it does not.
        let mut local = Local { translation, rotation: wanted.rotation, scale, sheared: None };
        for _ in 0..40 {
            let missing = rotation_of(&(base.linear * local.linear())).inverse() * wanted.rotation;
            local.rotation *= missing;
            if missing.angle() < 1e-9 {
                break;
            }
        }
        let unscale = wanted.scale.map(|s| if s.abs() < 1e-9 { 1.0 } else { 1.0 / s });
        let unturn = wanted.rotation.inverse().to_rotation_matrix().into_inner();
        residuals.push(Mat3::from_diagonal(&unscale) * unturn * base.linear * local.linear());
        local
    }

    /// Returns the rest pose of the skeleton.
    pub fn rest(&self, tree: &Tree) -> Pose {
        let carried = self.carried_at_rest(tree);
        let mut residuals = Vec::with_capacity(self.joints.len());
        let mut pose = Pose { translations: Vec::new(), rotations: Vec::new(), scales: None };
        for (index, joint) in self.joints.iter().enumerate() {
            let rest = tree.locals[joint.node];
            let rest = if rest.sheared.is_none() { Local { scale: joint.scale, ..rest } } else { rest };
            let entered = self.enter(index, &rest, false, &carried, &mut residuals);
            pose.translations.push(entered.translation);
            pose.rotations.push(entered.rotation);
        }
        pose
    }

    /// Returns `C` of every joint in the rest pose.
    pub fn residuals(&self, tree: &Tree) -> Vec<Mat3> {
        let carried = self.carried_at_rest(tree);
        let mut residuals = Vec::with_capacity(self.joints.len());
        for (index, joint) in self.joints.iter().enumerate() {
            self.enter(index, &tree.locals[joint.node], false, &carried, &mut residuals);
        }
        residuals
    }

    /// Returns the joints whose bones change length as they rotate, because a node above scales unevenly.
    pub fn unevenly_scaled(&self, tree: &Tree) -> Vec<usize> {
        let carried = self.carried_at_rest(tree);
        let mut residuals = Vec::with_capacity(self.joints.len());
        let mut found = Vec::new();
        for (index, joint) in self.joints.iter().enumerate() {
            let base = self.base(joint, &carried, &residuals);
            let rest = tree.locals[joint.node];
            if similarity(&base.linear).is_none() || rest.sheared.is_some() {
                found.push(index);
            }
            self.enter(index, &rest, false, &carried, &mut residuals);
        }
        found
    }

    /// Returns the skeleton of these joints. End nodes (a leaf joint's only child, named as one) become tips.
    pub fn skeleton(&self, tree: &Tree) -> Result<Skeleton, FormatError> {
        let pose = self.rest(tree);
        let carried = self.carried_at_rest(tree);
        let mut residuals = Vec::with_capacity(self.joints.len());
        let mut joints = Vec::with_capacity(self.joints.len());
        for (index, joint) in self.joints.iter().enumerate() {
            self.enter(index, &tree.locals[joint.node], false, &carried, &mut residuals);
            joints.push(Joint {
                name: tree.name(joint.node),
                parent: joint.parent,
                offset: pose.translations[index],
                rest: pose.rotations[index],
                tip: end_node(tree, joint.node).map(|end| residuals[index] * tree.locals[end].translation),
                role: None,
            });
        }
        for joint in &self.joints {
            if let Some(parent) = joint.parent {
                joints[parent].tip = None;
            }
        }
        Skeleton::new(joints).map_err(|error| FormatError::new(format!("/skins do not make a skeleton: {error}")))
    }
}

fn end_node(tree: &Tree, node: usize) -> Option<usize> {
    let [end] = tree.nodes[node].children[..] else { return None };
    let plain = tree.nodes[end].children.is_empty() && tree.nodes[end].mesh.is_none();
    let name = tree.name(end).to_ascii_lowercase();
    let named = ["end", "tip", "nub", "end site"].iter().any(|word| name.ends_with(word));
    (plain && named && tree.locals[end].translation.norm() > 0.0).then_some(end)
}
