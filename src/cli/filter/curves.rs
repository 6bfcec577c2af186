//! Forces, torques and the residual, frame by frame.

use serde_json::{Value, json};
use sinew::Vec3;
use sinew::dynamics::Placement;
use sinew::figure::Figure;
use sinew::filter::{ContactTarget, Filtered};
use sinew::math::Vec6;
use sinew::record::{FigureRecording, Recording};

/// Contact force on one segment.
struct Contact {
    /// Contact feature it acts on; none where the segment has none.
    feature: Option<usize>,
    segment: usize,
    /// Point, metres, world space.
    at: Vec3,
    /// Force on the body, N, world axes.
    force: Vec3,
}

/// One frame of the result.
struct Frame {
    placements: Vec<Placement>,
    contacts: Vec<Contact>,
    /// Torques of the joints by segment, N·m, world axes.
    torques: Vec<Vec3>,
    /// Root residual: N, and N·m about the root joint.
    residual: Vec6,
}

/// Poses and forces of a result, frame by frame, at one rate.
pub struct Curves {
    rate_hz: f64,
    frames: Vec<Frame>,
}

impl Curves {
    /// Curves of a result at the rate of the written poses, Hz: those that were planned, or those of its simulation.
    pub fn new(figure: &Figure, filtered: &Filtered, simulated: Option<&Recording>, rate_hz: f64) -> Self {
        let clip = &filtered.solved.clip;
        let every = (clip.rate_hz() / rate_hz).round().max(1.0) as usize;
        let recorded = simulated.and_then(|recording| recording.figure(0));
        let frame = |t: usize| {
            let placements = figure.placements(&clip.pose(figure.skeleton(), t));
            match &recorded {
                Some(recorded) => recorded_frame(figure, filtered, recorded, t, placements),
                None => planned_frame(filtered, t, placements),
            }
        };
        Self { rate_hz: clip.rate_hz() / every as f64, frames: (0..clip.frames()).step_by(every).map(frame).collect() }
    }
}

fn planned_frame(filtered: &Filtered, frame: usize, placements: Vec<Placement>) -> Frame {
    let solved = &filtered.solved;
    let feature = |corner: usize| filtered.preparation.corners.iter().position(|range| range.contains(&corner));
    let acting = filtered.plan.targets[frame].iter().zip(&solved.forces[frame]);
    let contact = |(target, force): (&ContactTarget, &Vec3)| Contact {
        feature: feature(target.corner),
        segment: filtered.plan.corners[target.corner].segment,
        at: target.place,
        force: *force,
    };
    let contacts = acting.map(contact).collect();
    Frame { placements, contacts, torques: solved.torques[frame].clone(), residual: solved.residual[frame] }
}

fn recorded_frame(
    figure: &Figure,
    filtered: &Filtered,
    recorded: &FigureRecording<'_>,
    frame: usize,
    placements: Vec<Placement>,
) -> Frame {
    let contacts = recorded.contacts(frame).map(|(segment, at, force)| {
        let body = recorded.placement(frame, segment);
        let away = |corner: usize| (body.point(&filtered.plan.corners[corner].local) - at).norm();
        let features = filtered.preparation.corners.iter().enumerate();
        let own = features.flat_map(|(f, range)| range.clone().map(move |corner| (f, corner)));
        let own = own.filter(|(_, corner)| filtered.plan.corners[*corner].segment == segment);
        let feature = own.min_by(|a, b| away(a.1).total_cmp(&away(b.1))).map(|(f, _)| f);
        Contact { feature, segment, at, force }
    });
    let mut residual = recorded.residual(frame);
    let force: Vec3 = residual.fixed_rows::<3>(0).into();
    let body = recorded.placement(frame, 0);
    let lever = body.position - figure.segment(0).joint_frame(&body).position;
    let moved = lever.cross(&force);
    (0..3).for_each(|k| residual[3 + k] += moved[k]);
    let torques = (0..recorded.segments()).map(|k| recorded.torque(frame, k)).collect();
    Frame { contacts: contacts.collect(), placements, torques, residual }
}

/// One row per frame; columns of features that are never in contact are left out.
pub fn to_csv(figure: &Figure, filtered: &Filtered, curves: &Curves) -> String {
    let features = &filtered.preparation.contacts.features;
    let touches = |f: Option<usize>| curves.frames.iter().flat_map(|frame| &frame.contacts).any(|c| c.feature == f);
    let used: Vec<usize> = (0..features.len()).filter(|&f| !features[f].1.is_empty() || touches(Some(f))).collect();
    let others = touches(None);
    let held: Vec<usize> = (0..figure.segments().len()).filter(|&k| figure.segment(k).parent.is_some()).collect();
    let mut header = vec!["time_s".to_owned()];
    let axes = ["x", "y", "z"];
    for &f in &used {
        header.extend(axes.map(|axis| quoted(&format!("{} force {axis} N", features[f].0))));
    }
    if others {
        header.extend(axes.map(|axis| quoted(&format!("other contacts force {axis} N"))));
    }
    for &k in &held {
        header.extend(axes.map(|axis| quoted(&format!("{} torque {axis} Nm", figure.segment(k).name))));
    }
    header.extend(axes.map(|axis| quoted(&format!("residual force {axis} N"))));
    header.extend(axes.map(|axis| quoted(&format!("residual torque {axis} Nm"))));
    let mut text = header.join(",") + "\n";
    for (t, frame) in curves.frames.iter().enumerate() {
        let mut row = vec![format!("{:.5}", t as f64 / curves.rate_hz)];
        let on = |f: Option<usize>| {
            frame.contacts.iter().filter(|c| c.feature == f).fold(Vec3::zeros(), |sum, contact| sum + contact.force)
        };
        let mut add = |v: &Vec3| row.extend(v.iter().map(|x| format!("{x:.4}")));
        used.iter().for_each(|&f| add(&on(Some(f))));
        if others {
            add(&on(None));
        }
        held.iter().for_each(|&k| add(&frame.torques[k]));
        row.extend(frame.residual.iter().map(|x| format!("{x:.5}")));
        text.push_str(&row.join(","));
        text.push('\n');
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// The body, how it moves and what acts on it: enough for another engine to judge.
pub fn to_json(figure: &Figure, curves: &Curves) -> Value {
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
    for frame in &curves.frames {
        let pose = |p: &Placement| {
            let (x, q) = (p.position, p.rotation);
            json!([x.x, x.y, x.z, q.w, q.i, q.j, q.k])
        };
        poses.push(frame.placements.iter().map(pose).collect::<Vec<_>>());
        let contact = |c: &Contact| json!({ "segment": c.segment, "at": three(&c.at), "force_n": three(&c.force) });
        forces.push(frame.contacts.iter().map(contact).collect::<Vec<_>>());
    }
    json!({
        "rate_hz": curves.rate_hz,
        "segments": segments,
        "segment_frames_xyz_wxyz": poses,
        "contact_forces": forces,
        "joint_torques_nm": curves.frames.iter().map(|frame| frame.torques.iter().map(three).collect::<Vec<_>>()).collect::<Vec<_>>(),
        "root_residual_n_nm": curves.frames.iter().map(|frame| frame.residual.as_slice().to_vec()).collect::<Vec<_>>(),
    })
}
