//! Laws of the mannequin: it faces as the body moves, whatever the rest pose of the file, and its parts hold together.

use super::*;
use crate::figure::{CaptureOptions, for_capture, for_skeleton};
use crate::formats::{self, ImportOptions};
use crate::math::Quat;
use crate::motion::{Clip, Skeleton, edit};
use crate::show::character::Posture;
use std::path::Path;

const SIDES: [Side; 2] = [Side::Left, Side::Right];

fn read(name: &str) -> (Skeleton, Clip) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/clips").join(name);
    let capture = formats::read(&path, &ImportOptions::default()).unwrap();
    (capture.skeleton, capture.clips[0].clone())
}

/// The same motion on rest poses that recorders write: as it is, all bones along an axis, random axes of every joint.
fn variants(skeleton: &Skeleton, clip: &Clip) -> Vec<(Skeleton, Clip)> {
    let random = |j: usize| {
        let angle = |k: usize| ((7 * j + 3 * k) as Real * 0.618).fract() * 6.0 - 3.0;
        Quat::from_euler_angles(angle(1), angle(2), angle(3))
    };
    let along = [Vec3::x(), -Vec3::y(), Vec3::z()].map(|axis| edit::axes_along(skeleton, &axis, |_| true));
    let mut axes = along.to_vec();
    axes.push((0..skeleton.len()).map(random).collect());
    let rewritten = axes.iter().map(|axes| {
        let clip = edit::clip_with_joint_axes(skeleton, clip, axes).unwrap();
        (edit::with_joint_axes(skeleton, axes).unwrap(), clip)
    });
    std::iter::once((skeleton.clone(), clip.clone())).chain(rewritten).collect()
}

/// Fronts of all segments in the world, frame by frame.
fn each_frame(figure: &Figure, clip: &Clip, mut check: impl FnMut(&[Placement], &dyn Fn(Role) -> (usize, Vec3))) {
    let facing = Facing::of(figure);
    let animation = crate::control::Animation::new(figure.skeleton(), clip).unwrap();
    let mut posture = Posture::new(&animation);
    for frame in (0..clip.frames()).step_by(9) {
        posture.capture(figure, &animation, frame as Real / clip.rate_hz());
        let front = |role: Role| {
            let k = figure.with_role(role).unwrap();
            (k, posture.placements[k].rotation * facing.front[k].unwrap())
        };
        check(&posture.placements, &front);
    }
}

/// Knees bend backwards and elbows forwards: the kneecap lies on the outer side of the bend, the crook of the elbow on the
/// inner one. A walking body faces the way that it goes.
#[test]
fn bodies_face_as_they_move_from_any_rest_pose() {
    for name in ["walk.bvh", "jump.bvh"] {
        let (skeleton, clip) = read(name);
        for (variant, (skeleton, clip)) in variants(&skeleton, &clip).into_iter().enumerate() {
            let figure = for_skeleton(&skeleton, Some(&clip), None, &CaptureOptions::default()).unwrap().0;
            let (mut bends, mut start) = (0, None);
            each_frame(&figure, &clip, |placements, front| {
                for side in SIDES {
                    for (upper, lower, is_knee) in [
                        (Role::UpperLeg(side), Role::LowerLeg(side), true),
                        (Role::UpperArm(side), Role::LowerArm(side), false),
                    ] {
                        let (k, facing) = front(lower);
                        let (top, _) = front(upper);
                        let end = placements[k].point(&figure.segment(k).end);
                        let outer = placements[k].position - 0.5 * (placements[top].position + end);
                        if outer.norm() > 0.03 {
                            let agrees = facing.dot(&outer.normalize()) * if is_knee { 1.0 } else { -1.0 };
                            assert!(agrees > 0.5, "{name}, rest pose {variant}: {lower:?} {agrees:.2}");
                            bends += 1;
                        }
                    }
                }
                if name == "walk.bvh" {
                    let way = placements[0].position - *start.get_or_insert(placements[0].position);
                    if way.norm() > 0.5 {
                        for role in [Role::Hips, Role::Head] {
                            let ahead = front(role).1.dot(&way.normalize());
                            assert!(ahead > 0.8, "rest pose {variant}: {role:?} faces {ahead:.2} of the way");
                        }
                    }
                }
            });
            assert!(bends > 20, "{name}: {bends} bends seen");
        }
    }
}

/// A joint lies inside of the mesh of its segment and of its parent: each of them has vertices on all sides of it, a good part
/// of the shared radius away.
#[test]
fn neighbours_enclose_their_joint() {
    for name in ["walk.bvh", "dog_walk.bvh"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/clips").join(name);
        let capture = formats::read(&path, &ImportOptions::default()).unwrap();
        let figure = for_capture(&capture, &CaptureOptions::default()).unwrap().figure;
        let mut meshes = Meshes::default();
        let looks = mannequin(&figure, &mut meshes);
        let encloses = |k: usize, joint: &Vec3, least: Real| {
            let centre = figure.segment(k).centre;
            let vertices = looks[k].iter().flat_map(|look| &meshes.all()[look.mesh.0].positions);
            let offsets: Vec<Vec3> =
                vertices.map(|p| Vec3::new(p[0].into(), p[1].into(), p[2].into()) + centre - joint).collect();
            let axes = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(1.0, 1.0, 1.0).normalize()];
            axes.iter().flat_map(|axis| [*axis, -axis]).all(|axis| offsets.iter().any(|v| v.dot(&axis) > least))
        };
        for (k, segment) in figure.segments().iter().enumerate() {
            let Some(parent) = segment.parent else { continue };
            let least = 0.004 * figure.height;
            assert!(encloses(k, &Vec3::zeros(), least), "{name}: {} gapes at its joint", segment.name);
            let joint = segment.attachment.frame_a.position;
            assert!(encloses(parent, &joint, least), "{name}: {} is apart from its parent", segment.name);
        }
    }
}

/// Left and right limbs differ in colour, and every limb is light in front and dark behind.
#[test]
fn sides_and_faces_differ_in_colour() {
    let (skeleton, clip) = read("walk.bvh");
    let figure = for_skeleton(&skeleton, Some(&clip), None, &CaptureOptions::default()).unwrap().0;
    let looks = mannequin(&figure, &mut Meshes::default());
    let colors = |role: Role| looks[figure.with_role(role).unwrap()].iter().map(|look| look.color).collect::<Vec<_>>();
    for part in [Role::UpperLeg, Role::LowerLeg, Role::UpperArm, Role::LowerArm, Role::Hand] {
        let [left, right] = SIDES.map(|side| colors(part(side)));
        assert!(left.len() >= 2 && left[0] != left[1], "front and back of {:?}", part(Side::Left));
        assert!(left[..2].iter().all(|color| !right.contains(color)), "{:?}", part(Side::Left));
    }
}
