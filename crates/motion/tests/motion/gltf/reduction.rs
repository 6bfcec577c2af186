//! Dropped keys never move a joint further than allowed.

use super::builder::{open, unpack};
use super::new_file::{capture, figure, swinging};
use proptest::prelude::*;
use sinew_motion::formats::{ExportOptions, gltf};
use sinew_motion::{Clip, Skeleton, Tracks};
use sinew_motion::{Quat, Vec3};

fn reduced(skeleton: &Skeleton, clip: &Clip, allowed: f64) -> Vec<u8> {
    let options = ExportOptions { into: None, reduce: Some(allowed) };
    gltf::write_glb(&capture(skeleton.clone(), vec![clip.clone()]), &options).unwrap()
}

fn keys(bytes: &[u8]) -> u64 {
    let (json, _) = unpack(bytes);
    let samplers = json["animations"][0]["samplers"].as_array().unwrap();
    samplers.iter().map(|s| json["accessors"][s["output"].as_u64().unwrap() as usize]["count"].as_u64().unwrap()).sum()
}

/// The largest distance of any joint at any frame between a clip and what was written of it.
fn error(skeleton: &Skeleton, clip: &Clip, bytes: &[u8]) -> f64 {
    let back = open(bytes).unwrap();
    let mut largest: f64 = 0.0;
    for frame in 0..clip.frames() {
        // Few keys may ask for another rate; frames that are samples of both are compared.
        let at = frame as f64 / clip.rate_hz() * back.clips[0].rate_hz();
        if (at - at.round()).abs() > 1e-6 {
            continue;
        }
        let written = back.clips[0].pose(&back.skeleton, at.round() as usize).world(&back.skeleton);
        for (a, b) in written.iter().zip(clip.pose(skeleton, frame).world(skeleton)) {
            largest = largest.max((a.position - b.position).norm());
        }
    }
    largest
}

fn noise(skeleton: &Skeleton, frames: usize, size: f64, seeds: &[f64]) -> Clip {
    let count = skeleton.len();
    let wave = |k: usize, f: usize| (seeds[k % seeds.len()] * (f as f64 * 0.37 + k as f64)).sin() * size;
    let rotations = (0..frames * count)
        .map(|i| {
            let (f, j) = (i / count, i % count);
            skeleton.joint(j).rest * Quat::from_euler_angles(wave(3 * j, f), wave(3 * j + 1, f), wave(3 * j + 2, f))
        })
        .collect();
    let values = (0..frames).map(|f| Vec3::new(wave(1, f), wave(2, f), wave(5, f))).collect();
    let tracks = Tracks { joints: vec![0], values };
    Clip::new("noise", 30.0, count, rotations, tracks, Tracks::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_joint_moves_further_than_allowed(
        size in 0.0..1.5f64,
        allowed in prop_oneof![Just(1e-4), Just(1e-3), Just(1e-2), 1e-5..0.1f64],
        frames in 3usize..60,
        seeds in prop::collection::vec(0.0..3.0f64, 7),
    ) {
        let skeleton = figure();
        let clip = noise(&skeleton, frames, size, &seeds);
        let bytes = reduced(&skeleton, &clip, allowed);
        let found = error(&skeleton, &clip, &bytes);
        // 2 µm for the 32-bit floats of the file, 5 m away from its origin.
        prop_assert!(found <= allowed + 2e-6, "{found} m where {allowed} m were allowed");
    }
}

#[test]
fn slow_motion_needs_few_keys_and_the_file_says_how_true_they_are() {
    let skeleton = figure();
    let clip = swinging(&skeleton, 601, 120.0);
    let full = keys(&reduced(&skeleton, &clip, 0.0));
    let thin = reduced(&skeleton, &clip, 0.001);
    assert!(keys(&thin) * 5 < full, "{} of {full} keys", keys(&thin));
    let (json, _) = unpack(&thin);
    let said = json["animations"][0]["extras"]["keyReduction"]["largestErrorMetres"].as_f64().unwrap();
    assert!((1e-5..=0.001).contains(&said), "{said}");
    assert!((error(&skeleton, &clip, &thin) - said).abs() < said);
    assert_eq!(json["animations"][0]["extras"]["keyReduction"]["allowedMetres"], 0.001);
}
