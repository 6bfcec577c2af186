//! Linear blend skinning on the processor, single precision, into reused buffers.
//!
//!   p' = Σ w_b (L_b p + s_b),   n' ∝ Σ w_b L_b n
//!
//! where (L, s) is the world transform of the bone's parent times the bone's transform beside the mesh.

use super::character::Posture;
use super::meshes::Meshes;
use super::painter::Painter;
use super::picture::Color;
use super::{Mesh, MeshId};
use crate::formats::gltf::appearance::{Appearance, BoneParent, MeshPiece};
use crate::math::{Mat3, Real, Vec3};
use crate::motion::{Pose, Skeleton};
use std::sync::Arc;

/// Meshes of one file with their numbers in the workspace.
pub(crate) struct SkinMeshes {
    appearance: Arc<Appearance>,
    meshes: Vec<MeshId>,
    /// Number of the file's first image among those of the workspace.
    first_image: usize,
}

/// Three rows of a linear map with the translation in the last column.
type Matrix = [[f32; 4]; 3];

impl SkinMeshes {
    /// Adds the meshes and images of a file to those of the workspace; none if there is nothing to draw.
    pub fn new(appearance: Appearance, meshes: &mut Meshes) -> Option<Self> {
        if appearance.pieces.is_empty() {
            return None;
        }
        let first_image = meshes.images.len();
        meshes.images.extend(appearance.images.iter().cloned());
        let mesh = |piece: &MeshPiece| {
            let MeshPiece { positions, normals, triangles, uvs, .. } = piece.clone();
            meshes.add(Mesh { positions, normals, triangles, uvs })
        };
        let numbers = appearance.pieces.iter().map(mesh).collect();
        Some(Self { appearance: Arc::new(appearance), meshes: numbers, first_image })
    }

    /// Duration of the motion of nodes without joints, seconds.
    pub fn duration(&self) -> Real {
        self.appearance.duration
    }

    /// Bounding box of the pieces that no joint carries, at a time.
    pub fn extent(&self, time: Real) -> Option<(Vec3, Vec3)> {
        let mut all: Option<(Vec3, Vec3)> = None;
        for piece in &self.appearance.pieces {
            let [bone] = &piece.bones[..] else { continue };
            let BoneParent::Node(node) = bone.parent else { continue };
            let (linear, shift) = self.appearance.node_tracks[node].at(time);
            if linear.determinant().abs() < 1e-12 {
                continue;
            }
            for p in &piece.positions {
                let p = linear * Vec3::new(p[0].into(), p[1].into(), p[2].into()) + shift;
                all = Some(all.map_or((p, p), |(low, high)| (low.inf(&p), high.sup(&p))));
            }
        }
        all
    }

    /// Paints the pieces in a pose. `tint` replaces the file's own colours and textures.
    pub fn paint(&self, figure: Option<(&Skeleton, &Posture)>, time: Real, tint: Option<Color>, painter: &mut Painter) {
        let mut palette = std::mem::take(&mut painter.picture.palette);
        palette.joints.clear();
        if let Some((skeleton, posture)) = figure {
            joint_matrices(skeleton, &posture.motion.pose, &posture.frames, &mut palette.joints);
        }
        for (piece, mesh) in self.appearance.pieces.iter().zip(&self.meshes) {
            palette.matrices.clear();
            let mut seen = true;
            for bone in &piece.bones {
                let (linear, shift) = match bone.parent {
                    BoneParent::Joint(joint) => match palette.joints.get(joint) {
                        Some(known) => *known,
                        None => (Mat3::identity(), Vec3::zeros()),
                    },
                    BoneParent::Node(node) => self.appearance.node_tracks[node].at(time),
                };
                seen &= piece.bones.len() > 1 || linear.determinant().abs() > 1e-12;
                let (rows, place) = (linear * bone.linear, linear * bone.shift + shift + painter.offset);
                palette.matrices.push(std::array::from_fn(|r| {
                    [rows[(r, 0)] as f32, rows[(r, 1)] as f32, rows[(r, 2)] as f32, place[r] as f32]
                }));
            }
            if !seen {
                continue;
            }
            let texture = piece.image.map(|image| image + self.first_image).filter(|_| tint.is_none());
            let skin = painter.skin(*mesh, tint.unwrap_or(piece.color), texture);
            deform(piece, &palette.matrices, &mut skin.positions, &mut skin.normals);
        }
        painter.picture.palette = palette;
    }
}

/// Reused buffers of skinning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Palette {
    joints: Vec<(Mat3, Vec3)>,
    matrices: Vec<Matrix>,
}

/// World matrices of all joints; with scales, those of the full product.
fn joint_matrices(skeleton: &Skeleton, pose: &Pose, frames: &[crate::motion::Frame], out: &mut Vec<(Mat3, Vec3)>) {
    for (j, frame) in frames.iter().enumerate() {
        let linear = match &pose.scales {
            None => frame.rotation.to_rotation_matrix().into_inner(),
            Some(scales) => {
                let own = pose.rotations[j].to_rotation_matrix().into_inner() * Mat3::from_diagonal(&scales[j]);
                skeleton.joint(j).parent.map_or(own, |parent| out[parent].0 * own)
            }
        };
        out.push((linear, frame.position));
    }
}

fn deform(piece: &MeshPiece, matrices: &[Matrix], positions: &mut Vec<[f32; 3]>, normals: &mut Vec<[f32; 3]>) {
    positions.clear();
    normals.clear();
    positions.reserve(piece.positions.len());
    normals.reserve(piece.positions.len());
    let mut first = 0;
    for ((p, n), end) in piece.positions.iter().zip(&piece.normals).zip(&piece.ends) {
        let end = *end as usize;
        let mixed = match piece.influences[first..end] {
            [(only, _)] => matrices[only as usize],
            ref several => {
                let mut sum = [[0.0f32; 4]; 3];
                for (bone, weight) in several {
                    let matrix = &matrices[*bone as usize];
                    for (row, other) in sum.iter_mut().zip(matrix) {
                        for (x, y) in row.iter_mut().zip(other) {
                            *x += weight * y;
                        }
                    }
                }
                sum
            }
        };
        first = end;
        positions.push(mixed.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3]));
        let turned = mixed.map(|row| row[0] * n[0] + row[1] * n[1] + row[2] * n[2]);
        let length = (turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2]).sqrt();
        normals.push(if length > 1e-20 { turned.map(|x| x / length) } else { *n });
    }
}
