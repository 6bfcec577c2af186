//! Channels mean what the glTF standard says they mean.

use super::builder::Glb;
use serde_json::json;
use sinew_motion::{Quat, Vec3};

/// A root with one child 1 m above it.
fn arm() -> Glb {
    Glb::new(json!([{"name": "root", "children": [1]}, {"name": "tip", "translation": [0, 1, 0]}]), &[0, 1])
}

fn about_z(angle: f64) -> [f32; 4] {
    [0.0, 0.0, (angle / 2.0).sin() as f32, (angle / 2.0).cos() as f32]
}

/// The joint's rotation at a time that is a sample of the clip.
fn rotation(glb: &Glb, joint: usize, time: f64) -> Quat {
    let capture = glb.read();
    let clip = &capture.clips[0];
    let frame = time * clip.rate_hz();
    assert!((frame - frame.round()).abs() < 1e-6, "{time} s is not a sample at {} Hz", clip.rate_hz());
    clip.rotations(frame.round() as usize)[joint]
}

#[test]
fn linear_rotations_go_the_shorter_way_at_constant_speed() {
    let mut glb = arm();
    let clip = glb.animation("turn");
    // The second key is written with the opposite sign: the same rotation, 90° away, not 270°.
    let end = about_z(std::f64::consts::FRAC_PI_2).map(|x| -x);
    glb.channel(clip, 0, "rotation", "LINEAR", &[0.0, 1.0], &[about_z(0.0), end].concat());
    for time in [0.0, 0.1, 0.5, 0.9, 1.0] {
        let expected = Quat::from_axis_angle(&Vec3::z_axis(), time * std::f64::consts::FRAC_PI_2);
        assert!(rotation(&glb, 0, time).angle_to(&expected) < 1e-6, "at {time} s");
    }
}

#[test]
fn step_channels_hold_until_the_next_key() {
    let mut glb = arm();
    let clip = glb.animation("snap");
    let keys = [about_z(0.1), about_z(0.7), about_z(1.3)].concat();
    glb.channel(clip, 0, "rotation", "STEP", &[0.0, 0.1, 0.3], &keys);
    for (time, angle) in [(0.0, 0.1), (1.0 / 15.0, 0.1), (0.1, 0.7), (4.0 / 15.0, 0.7), (0.3, 1.3)] {
        assert!((rotation(&glb, 0, time).angle() - angle).abs() < 1e-6, "at {time} s");
    }
}

/// The Hermite basis by hand: from 0 with slope 2 to 1 with slope −1 over half a second.
#[test]
fn cubic_splines_are_hermite_curves_with_tangents_per_second() {
    let mut glb = arm();
    let clip = glb.animation("curve");
    let mut values = vec![0.0f32; 18];
    (values[6], values[3], values[9], values[12]) = (2.0, 0.0, -1.0, 1.0);
    glb.channel(clip, 0, "translation", "CUBICSPLINE", &[0.0, 0.5], &values);
    let capture = glb.read();
    let clip = &capture.clips[0];
    assert_eq!(clip.rate_hz(), 60.0);
    let (leaving, arriving, gap) = (2.0, -1.0, 0.5);
    for frame in 0..clip.frames() {
        let u = frame as f64 / 30.0;
        let (u2, u3) = (u * u, u * u * u);
        let x = gap * leaving * (u3 - 2.0 * u2 + u) + (-2.0 * u3 + 3.0 * u2) + gap * arriving * (u3 - u2);
        let found = clip.translations().values[frame];
        assert!((found - Vec3::new(x, 0.0, 0.0)).norm() < 1e-6, "frame {frame}: {found} against {x}");
    }
}

#[test]
fn cubic_rotations_are_normalised_after_the_spline() {
    let mut glb = arm();
    let clip = glb.animation("curve");
    let zero = [0.0f32; 4];
    let (a, b) = (about_z(0.0), about_z(2.0));
    glb.channel(clip, 1, "rotation", "CUBICSPLINE", &[0.0, 1.0], &[zero, a, zero, zero, b, zero].concat());
    // Half-way the basis gives (a + b)/2, which points to half the angle.
    let half = rotation(&glb, 1, 0.5);
    assert!((half.angle() - 1.0).abs() < 1e-6 && (half.norm() - 1.0).abs() < 1e-12);
}

#[test]
fn before_the_first_key_and_after_the_last_the_value_holds() {
    let mut glb = arm();
    let clip = glb.animation("late");
    glb.channel(clip, 0, "rotation", "LINEAR", &[0.5, 1.0], &[about_z(0.2), about_z(0.8)].concat());
    glb.channel(clip, 1, "rotation", "LINEAR", &[0.0, 2.0], &[about_z(0.0), about_z(0.4)].concat());
    assert_eq!(glb.read().clips[0].duration(), 2.0);
    for (time, angle) in [(0.0, 0.2), (0.5, 0.2), (1.0, 0.8), (2.0, 0.8)] {
        assert!((rotation(&glb, 0, time).angle() - angle).abs() < 1e-6, "at {time} s");
    }
}

#[test]
fn normalized_integers_are_fractions() {
    let mut glb = arm();
    let clip = glb.animation("short");
    // Not a rotation, which would be normalised anyway; the most negative integer is −1 too.
    let bytes: Vec<u8> = [32767i16, -32768, 0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let view = glb.view(&bytes);
    let output = glb
        .accessor(json!({"bufferView": view, "componentType": 5122, "normalized": true, "count": 1, "type": "VEC3"}));
    let input = glb.floats("SCALAR", &[0.0]);
    glb.link(clip, 0, "translation", "LINEAR", input, output);
    assert_eq!(glb.read().clips[0].translations().values, [Vec3::new(1.0, -1.0, 0.0)]);
}

#[test]
fn sparse_and_strided_accessors_are_read_in_place() {
    let mut glb = arm();
    let clip = glb.animation("sparse");
    let input = glb.floats("SCALAR", &[0.0, 1.0, 2.0]);
    // No view: zeros, of which element 2 becomes (3, 4, 5).
    let places = glb.view(&2u16.to_le_bytes());
    let values: Vec<u8> = [3.0f32, 4.0, 5.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let values = glb.view(&values);
    let output = glb.accessor(json!({
        "componentType": 5126, "count": 3, "type": "VEC3",
        "sparse": {"count": 1, "indices": {"bufferView": places, "componentType": 5123}, "values": {"bufferView": values}}
    }));
    glb.link(clip, 0, "translation", "LINEAR", input, output);
    // Every element is followed by four bytes of something else.
    let mut bytes = Vec::new();
    for key in [1.0f32, 2.0, 7.0] {
        for x in [key, 0.0, 0.0, 99.0] {
            bytes.extend(x.to_le_bytes());
        }
    }
    let view = glb.view(&bytes);
    glb.json["bufferViews"][view]["byteStride"] = json!(16);
    let strided = glb.accessor(json!({"bufferView": view, "componentType": 5126, "count": 3, "type": "VEC3"}));
    glb.link(clip, 1, "translation", "LINEAR", input, strided);
    let capture = glb.read();
    let tracks = capture.clips[0].translations();
    let last = capture.clips[0].frames() - 1;
    assert_eq!(tracks.values[2 * last], Vec3::new(3.0, 4.0, 5.0));
    assert_eq!(tracks.values[0], Vec3::zeros());
    assert_eq!(tracks.values[2 * last + 1], Vec3::new(7.0, 0.0, 0.0));
}

#[test]
fn clips_keep_names_durations_and_rates_and_move_only_what_they_name() {
    let mut glb = arm();
    let hz = |rate: f32, frames: usize| (0..frames).map(|k| k as f32 / rate).collect::<Vec<f32>>();
    for (name, rate, frames) in [("slow", 24.0, 49), ("fast", 120.0, 241), ("one", 30.0, 1)] {
        let clip = glb.animation(name);
        let keys: Vec<f32> = (0..frames).flat_map(|k| about_z(0.01 * k as f64)).collect();
        glb.channel(clip, 1, "rotation", "LINEAR", &hz(rate, frames), &keys);
    }
    let weights = glb.animation("face");
    let input = glb.floats("SCALAR", &[0.0, 1.0]);
    let output = glb.floats("SCALAR", &[0.0, 1.0]);
    glb.link(weights, 0, "weights", "LINEAR", input, output);
    let capture = glb.read();
    let found: Vec<_> =
        capture.clips.iter().map(|c| (c.name.as_str(), c.rate_hz(), c.frames(), c.duration())).collect();
    assert_eq!(found, [("slow", 24.0, 49, 2.0), ("fast", 120.0, 241, 2.0), ("one", 30.0, 1, 0.0)]);
    assert!(capture.clips.iter().all(|c| c.translations().joints == [0] && c.scales().joints.is_empty()));
    assert!(capture.report.warnings.iter().any(|w| w.message.contains("\"face\" moves no joint")));
}
