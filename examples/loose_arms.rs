//! A captured walk gets a body, muscles follow the capture, the arms hang loose: clip → world → clip → file.
//!
//!     cargo run --release --example loose_arms [IN [OUT.glb]]

use sinew::dynamics::{Axis, Body, Constraint, Element, Joint, JointTarget, Kind, MassProperties, Placement, Response};
use sinew::dynamics::{BodyId, ConstraintId, World};
use sinew::formats::{self, ExportOptions, ImportOptions};
use sinew::motion::{Clip, Role, Sampler, Skeleton, Tracks};
use sinew::{Quat, Real, Vec3};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let built_in = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data/clips/walk.bvh"));
    // A pose that was inserted before the motion would tear the body.
    let options = ImportOptions { drop_tpose: true, ..ImportOptions::default() };
    let mut capture = formats::read(&arguments.next().unwrap_or_else(built_in), &options)?;
    let skeleton = &capture.skeleton;
    let clip = capture.clips.first().ok_or("the file holds no clip")?;
    let sampler = Sampler::new(skeleton, clip)?;

    let mut world = World::new();
    let (bodies, muscles) = embody(&mut world, skeleton, &sampler)?;
    let (mut rotations, mut roots): (Vec<Quat>, Vec<Vec3>) = Default::default();
    let mut motion = sampler.buffer();
    let (mut worst_gap, mut worst_arm): (Real, Real) = (0.0, 0.0);
    for frame in 0..clip.frames() {
        if frame > 0 {
            // Aim every joint at where the capture will be when the step ends, and step.
            sampler.sample_into(frame as Real / clip.rate_hz(), &mut motion);
            for (joint, &muscle) in muscles.iter().enumerate() {
                let Kind::Joint(muscle) = &mut world.constraint_mut(muscle).kind else {
                    unreachable!("made of joints")
                };
                muscle.target = JointTarget {
                    time: frame as Real / clip.rate_hz(),
                    position: if joint == 0 { motion.pose.translations[0] } else { Vec3::zeros() },
                    velocity: if joint == 0 { motion.velocities[0] } else { Vec3::zeros() },
                    rotation: motion.pose.rotations[joint],
                    angular_velocity: motion.angular_velocities[joint],
                    ..JointTarget::default()
                };
            }
            worst_gap = worst_gap.max(world.step(clip.frame_time())?.worst_error);
        }
        let turn = |joint: usize| world.state(bodies[joint]).placement.rotation;
        for (joint, target) in motion.pose.rotations.iter().enumerate() {
            let parent = skeleton.joint(joint).parent.map_or(Quat::identity(), turn);
            let local = parent.inverse() * turn(joint);
            if frame > 0 && matches!(skeleton.joint(joint).role, Some(Role::LowerArm(_))) {
                worst_arm = worst_arm.max(local.angle_to(target));
            }
            rotations.push(local);
        }
        roots.push(world.state(bodies[0]).placement.point(&-half_bone(skeleton, 0)));
    }
    println!("joints stayed within {:.1e} m; elbows swung up to {:.0}° away", worst_gap, worst_arm.to_degrees());

    let tracks = Tracks { joints: vec![0], values: roots };
    let result = Clip::new("loose arms", clip.rate_hz(), skeleton.len(), rotations, tracks, Tracks::default())?;
    capture.clips = vec![result];
    if let Some(out) = arguments.next() {
        formats::write(&out, &capture, &ExportOptions::default())?;
    }
    Ok(())
}

/// A capsule per bone, a ball joint per joint, a muscle in each; the hips are led along the captured path.
fn embody(
    world: &mut World,
    skeleton: &Skeleton,
    sampler: &Sampler,
) -> Result<(Vec<BodyId>, Vec<ConstraintId>), Box<dyn Error>> {
    let (mut bodies, mut muscles): (Vec<BodyId>, Vec<ConstraintId>) = Default::default();
    let start = sampler.sample(0.0).world(skeleton);
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let half = half_bone(skeleton, index);
        let (centre, rotation) = (start[index].position + start[index].rotation * half, start[index].rotation);
        let radius = 0.04;
        let lie = Quat::rotation_between(&Vec3::x(), &half).unwrap_or_else(Quat::identity);
        let mass = MassProperties::capsule(0.5 + 20.0 * half.norm(), radius, half.norm().max(0.02)).rotated(&lie);
        let mut body = Body::dynamic(joint.name.clone(), mass, Placement::new(centre, rotation));
        let (spin, lever) = (start[index].angular_velocity, start[index].rotation * half);
        body = body.with_velocity(start[index].velocity + spin.cross(&lever), spin);
        let body = world.add_body(body)?;

        let anchor = Placement::at(-half);
        let mut muscle = match joint.parent {
            None => Joint::weld(None, Placement::IDENTITY, Some(body), anchor),
            Some(p) => {
                let socket = Placement::at(joint.offset - half_bone(skeleton, p));
                Joint::ball(Some(bodies[p]), socket, Some(body), anchor)
            }
        };
        if joint.parent.is_some() {
            let loose = matches!(joint.role, Some(Role::UpperArm(_) | Role::LowerArm(_) | Role::Hand(_)));
            let frequency = if loose { 1.0 } else { 30.0 };
            for axis in Axis::ALL {
                let spring = Response::Oscillator { frequency, damping_ratio: 1.0 };
                muscle = muscle.driven(Element::Angular(axis), spring, Real::INFINITY);
            }
        }
        bodies.push(body);
        muscles.push(world.add_constraint(Constraint::new(muscle).named(joint.name.clone()))?);
    }
    Ok((bodies, muscles))
}

/// From a joint to the middle of its bone, in the joint's axes.
fn half_bone(skeleton: &Skeleton, joint: usize) -> Vec3 {
    let ends: Vec<Vec3> =
        skeleton.children(joint).map(|c| skeleton.joint(c).offset).chain(skeleton.joint(joint).tip).collect();
    if ends.is_empty() { Vec3::zeros() } else { ends.iter().sum::<Vec3>() / (2.0 * ends.len() as Real) }
}
