//! Playing a clip allocates nothing once its buffers exist.

#[path = "../../../tests/counting/mod.rs"]
mod counting;

use counting::allocations;
use sinew_motion::{Clip, Joint, Looping, Sampler, Skeleton, Tracks};
use sinew_motion::{Quat, Real, Vec3};
#[test]
fn sampling_and_forward_kinematics_allocate_nothing() {
    let joints = (0..20).map(|k: usize| Joint::new(format!("j{k}"), k.checked_sub(1), Vec3::y()));
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let turn = |f: usize, k: usize| Quat::new(Vec3::new(0.1 * f as Real, 0.2 * k as Real, 0.3));
    let rotations = (0..50).flat_map(|f| (0..20).map(move |k| turn(f, k))).collect();
    let places = Tracks { joints: vec![0], values: (0..50).map(|f| Vec3::z() * (0.1 * f as Real)).collect() };
    let clip = Clip::new("", 30.0, 20, rotations, places, Tracks::default()).unwrap();
    for looping in [Looping::Once, Looping::Return, Looping::Travel] {
        let sampler = Sampler::looping(&skeleton, &clip, looping).unwrap();
        let (mut motion, mut world, mut frames) = (sampler.buffer(), Vec::new(), Vec::new());
        motion.world_into(&skeleton, &mut world);
        motion.pose.world_into(&skeleton, &mut frames);
        let before = allocations().1;
        for k in 0..1000 {
            sampler.sample_into(k as Real * 0.037 - 3.0, &mut motion);
            motion.world_into(&skeleton, &mut world);
            motion.pose.world_into(&skeleton, &mut frames);
        }
        assert_eq!(allocations().1 - before, 0, "{looping:?}");
    }
}
