//! Forces, torques and the residual, frame by frame.

use serde_json::{Value, json};
use sinew::Vec3;
use sinew::figure::Figure;
use sinew::filter::Filtered;

/// Force on each feature, summed over its corners; by feature.
fn by_feature(filtered: &Filtered, frame: usize) -> Vec<Vec3> {
    let corners = &filtered.preparation.corners;
    let mut sums = vec![Vec3::zeros(); corners.len()];
    for (pin, force) in filtered.plan.targets[frame].iter().zip(&filtered.solved.forces[frame]) {
        if let Some(f) = corners.iter().position(|range| range.contains(&pin.corner)) {
            sums[f] += force;
        }
    }
    sums
}

/// One row per frame; columns of features that never stand are left out.
pub fn to_csv(figure: &Figure, filtered: &Filtered) -> String {
    let solved = &filtered.solved;
    let features = &filtered.preparation.contacts.features;
    let used: Vec<usize> = (0..features.len()).filter(|&f| !features[f].1.is_empty()).collect();
    let held: Vec<usize> = (0..figure.segments().len()).filter(|&k| figure.segment(k).parent.is_some()).collect();
    let mut header = vec!["time_s".to_owned()];
    let axes = ["x", "y", "z"];
    for &f in &used {
        header.extend(axes.map(|axis| quoted(&format!("{} force {axis} N", features[f].0))));
    }
    for &k in &held {
        header.extend(axes.map(|axis| quoted(&format!("{} torque {axis} Nm", figure.segment(k).name))));
    }
    header.extend(axes.map(|axis| quoted(&format!("residual force {axis} N"))));
    header.extend(axes.map(|axis| quoted(&format!("residual torque {axis} Nm"))));
    let mut text = header.join(",") + "\n";
    for frame in 0..solved.clip.frames() {
        let mut row = vec![format!("{:.5}", frame as f64 / solved.clip.rate_hz())];
        let forces = by_feature(filtered, frame);
        let mut add = |v: &Vec3| row.extend(v.iter().map(|x| format!("{x:.4}")));
        used.iter().for_each(|&f| add(&forces[f]));
        held.iter().for_each(|&k| add(&solved.torques[frame][k]));
        row.extend(solved.residual[frame].iter().map(|x| format!("{x:.5}")));
        text.push_str(&row.join(","));
        text.push('\n');
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// The body, how it moves and what acts on it: enough for another engine to judge.
pub fn to_json(figure: &Figure, filtered: &Filtered) -> Value {
    let solved = &filtered.solved;
    let three = |v: &Vec3| json!([v.x, v.y, v.z]);
    let segments: Vec<Value> = figure
        .segments()
        .iter()
        .map(|segment| {
            let i = &segment.mass.inertia;
            json!({
                "name": segment.name,
                "parent": segment.parent,
                "joint_in_parent": three(&segment.attachment.frame_a.position),
                "mass_kg": segment.mass.mass,
                "centre": three(&segment.centre),
                "inertia": [i[(0, 0)], i[(1, 1)], i[(2, 2)], i[(0, 1)], i[(0, 2)], i[(1, 2)]],
            })
        })
        .collect();
    let (mut poses, mut forces) = (Vec::new(), Vec::new());
    for frame in 0..solved.clip.frames() {
        let placements = figure.placements(&solved.clip.pose(figure.skeleton(), frame));
        poses.push(
            placements
                .iter()
                .map(|p| {
                    let (x, q) = (p.position, p.rotation);
                    json!([x.x, x.y, x.z, q.w, q.i, q.j, q.k])
                })
                .collect::<Vec<_>>(),
        );
        let acting = filtered.plan.targets[frame].iter().zip(&solved.forces[frame]);
        forces.push(
            acting
                .map(|(pin, force)| {
                    json!({
                        "segment": filtered.plan.corners[pin.corner].segment,
                        "at": three(&pin.place),
                        "force_n": three(force),
                    })
                })
                .collect::<Vec<_>>(),
        );
    }
    json!({
        "rate_hz": solved.clip.rate_hz(),
        "segments": segments,
        "segment_frames_xyz_wxyz": poses,
        "contact_forces": forces,
        "joint_torques_nm": solved.torques.iter().map(|row| row.iter().map(three).collect::<Vec<_>>()).collect::<Vec<_>>(),
        "root_residual_n_nm": solved.residual.iter().map(|r| r.as_slice().to_vec()).collect::<Vec<_>>(),
    })
}
