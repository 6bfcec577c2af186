//! Node tree of a glTF file: local transforms and parents.
//!
//! Nothing here recurses, so that a chain of a hundred thousand nodes can be read. Cycles, nodes
//! with two parents and numbers that are not finite are refused with the JSON pointer of the node.

use super::schema::{self, Node};
use crate::files::limits::{LONGEST_QUATERNION, SMALLEST_SCALE};
use crate::formats::FormatError;
use crate::math::Mat3;
use crate::{Quat, Vec3};
use nalgebra as na;
use serde_json::Value;

/// Affine map: `x ↦ linear · x + shift`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Affine {
    pub linear: Mat3,
    pub shift: Vec3,
}

impl Affine {
    pub const IDENTITY: Affine =
        Affine { linear: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), shift: Vec3::new(0.0, 0.0, 0.0) };

    /// First `inner`, then `self`.
    pub fn after(&self, inner: &Affine) -> Affine {
        Affine { linear: self.linear * inner.linear, shift: self.linear * inner.shift + self.shift }
    }
}

/// Transform of a node in its parent's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Local {
    pub translation: Vec3,
    pub rotation: Quat,
    pub scale: Vec3,
    /// Linear part of a matrix node that rotation and scale cannot express.
    pub sheared: Option<Mat3>,
}

impl Local {
    pub fn linear(&self) -> Mat3 {
        self.sheared.unwrap_or_else(|| {
            let mut linear = self.rotation.to_rotation_matrix().into_inner();
            for (mut column, factor) in linear.column_iter_mut().zip(self.scale.iter()) {
                column *= *factor;
            }
            linear
        })
    }

    pub fn affine(&self) -> Affine {
        Affine { linear: self.linear(), shift: self.translation }
    }

    fn from_matrix(m: &[f64; 16]) -> Local {
        let linear = Mat3::new(m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]);
        let mut scale = Vec3::new(linear.column(0).norm(), linear.column(1).norm(), linear.column(2).norm());
        if linear.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        let mut turned = linear;
        for (mut column, factor) in turned.column_iter_mut().zip(scale.iter()) {
            column /= *factor;
        }
        let slant = (turned.transpose() * turned - Mat3::identity()).amax();
        let (rotation, sheared) =
            if slant < 1e-6 { (quaternion(&turned), None) } else { (super::polar::rotation_of(&linear), Some(linear)) };
        Local { translation: Vec3::new(m[12], m[13], m[14]), rotation, scale, sheared }
    }
}

/// Returns the quaternion of a matrix that is a rotation but for rounding.
pub(super) fn quaternion(rotation: &Mat3) -> Quat {
    let mut q = Quat::from_rotation_matrix(&na::Rotation3::from_matrix_unchecked(*rotation));
    q.renormalize();
    q
}

/// All nodes of a file.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    pub locals: Vec<Local>,
    pub parents: Vec<Option<usize>>,
}

impl Tree {
    pub fn read(json: &Value) -> Result<Tree, FormatError> {
        let nodes: Vec<Node> = schema::list(json, "nodes")?;
        let mut parents = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for &child in &node.children {
                let slot = parents
                    .get_mut(child)
                    .ok_or_else(|| schema::no_node(&format!("/nodes/{index}/children"), child, nodes.len()))?;
                if let Some(other) = slot.replace(index) {
                    let message = format!("is a child of node {other} and of node {index}");
                    return Err(schema::fault(&format!("/nodes/{child}"), message));
                }
            }
        }
        let locals = nodes.iter().enumerate().map(|(i, n)| local(i, n)).collect::<Result<_, _>>()?;
        let tree = Tree { nodes, locals, parents };
        tree.refuse_cycles()?;
        Ok(tree)
    }

    /// Refuses cycles: as each node has one parent, the nodes that no root reaches are those on and below a cycle.
    fn refuse_cycles(&self) -> Result<(), FormatError> {
        let mut reached = vec![false; self.nodes.len()];
        let mut open: Vec<usize> = (0..self.nodes.len()).filter(|&n| self.parents[n].is_none()).collect();
        while let Some(node) = open.pop() {
            reached[node] = true;
            open.extend(&self.nodes[node].children);
        }
        match reached.iter().position(|r| !r) {
            None => Ok(()),
            Some(node) => {
                Err(schema::fault(&format!("/nodes/{node}"), "is its own ancestor, or lies below one that is"))
            }
        }
    }

    pub fn name(&self, node: usize) -> String {
        match &self.nodes[node].name {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("node_{node}"),
        }
    }
}

fn local(index: usize, node: &Node) -> Result<Local, FormatError> {
    let vector = |v: Option<[f64; 3]>, default| v.map_or(default, |v| Vec3::new(v[0], v[1], v[2]));
    let local = match &node.matrix {
        Some(matrix) => Local::from_matrix(matrix),
        None => {
            let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
            let quaternion = na::Quaternion::new(w, x, y, z);
            let length = quaternion.norm();
            if !(1.0 / LONGEST_QUATERNION..=LONGEST_QUATERNION).contains(&length) {
                let message = format!("is not a rotation: its length is {length:.1e}, not 1");
                return Err(schema::fault(&format!("/nodes/{index}/rotation"), message));
            }
            let rotation = Quat::from_quaternion(quaternion);
            Local {
                translation: vector(node.translation, Vec3::zeros()),
                rotation,
                scale: vector(node.scale, Vec3::repeat(1.0)).map(|s| if s.abs() < SMALLEST_SCALE { 0.0 } else { s }),
                sheared: None,
            }
        }
    };
    // Far beyond any file, and small enough that products of a few stay finite.
    let tame = |x: &f64| x.abs() < 1e30;
    if local.translation.iter().chain(local.linear().iter()).chain(local.rotation.coords.iter()).all(tame) {
        Ok(local)
    } else {
        Err(schema::fault(
            &format!("/nodes/{index}"),
            "has a transform with numbers that are not finite or absurdly large",
        ))
    }
}
