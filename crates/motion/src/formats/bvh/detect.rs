//! Detection of the conventions that a BVH file does not say, each with a reason.

use super::document::Document;
use super::interpret::{Conventions, JointPlan, Plan};
use crate::formats::detect::{self as body, Bones, Landmarks, Postures, largest_side};
use crate::formats::{Guess, ImportOptions, RootOffset};
use crate::{Quat, Real, Vec3};

/// Largest number of frames that are looked at.
const MOMENTS: usize = 48;

/// Conventions of a file, and the ones of them that were detected.
pub(crate) struct Detected {
    pub conventions: Conventions,
    pub guesses: Vec<Guess>,
}

/// Detects everything that `options` leave open.
pub(crate) fn detect(document: &Document, plan: &Plan, options: &ImportOptions) -> Detected {
    let mut guesses = Vec::new();
    let rows = sampled_rows(document);
    let joints = joint_offsets(plan, &rows, &mut guesses);
    let rest: Vec<Vec3> = plan.joints().iter().map(|joint| *joint.offset()).collect();
    let at_rest = vec![Quat::identity(); rest.len()];
    let rest_points = world_points(document, &rest, &at_rest);
    let mut half = Vec::new();
    let mut locals: Vec<Vec3> = rest.clone();
    let mut moments = Vec::new();
    for row in &rows {
        let mut rotations = Vec::with_capacity(rest.len());
        plan.rotations(row, &mut half, &mut rotations);
        for (local, joint) in locals.iter_mut().zip(plan.joints()) {
            *local = joint.position(row, if joint.is_root() { RootOffset::Replace } else { joints });
        }
        moments.push(world_points(document, &locals, &rotations));
    }
    let names = || document.nodes.iter().map(|node| node.name.as_str());
    let landmarks = Landmarks::find(names());
    // Bones as they are in the motion: position channels may replace OFFSETs that mean nothing.
    let height = stature(document, &locals, landmarks.as_ref()).unwrap_or_else(|| {
        let mut sides: Vec<Real> = moments.iter().map(|points| largest_side(points)).collect();
        sides.sort_by(Real::total_cmp);
        sides.get(sides.len() / 2).copied().unwrap_or_else(|| largest_side(&rest_points))
    });
    let root = plan.joints().iter().find(|joint| joint.is_root() && joint.moves());
    let root_offset = root.map_or(Vec3::zeros(), |joint| *joint.offset());
    let postures = Postures {
        rest: &rest_points,
        moments: &moments,
        shifts: &[Vec3::zeros(), root_offset],
        landmarks: landmarks.as_ref(),
        height,
    };
    let up = options.up.unwrap_or_else(|| {
        let (up, why) = postures.up();
        guesses.push(Guess { what: "up", chosen: up.to_string(), why, option: "--up" });
        up
    });
    let roots = options.root_offset.unwrap_or_else(|| {
        let (meaning, guess) = root_offsets(&postures, &root_offset, &up.vector());
        guesses.extend(guess);
        meaning
    });
    let unit = options.unit.unwrap_or_else(|| {
        let (unit, why) = body::unit(height, body::is_cmu_rig(names()));
        guesses.push(Guess { what: "unit", chosen: unit.to_string(), why, option: "--unit" });
        unit
    });
    Detected { conventions: Conventions { unit, up, roots, joints }, guesses }
}

/// Samples rows evenly over the motion.
fn sampled_rows(document: &Document) -> Vec<&[Real]> {
    let (frames, channels) = (document.frames(), document.channel_count());
    let Some(motion) = document.motion.as_ref().filter(|_| frames > 0) else { return Vec::new() };
    let count = frames.min(MOMENTS);
    (0..count)
        .map(|k| {
            let frame = (2 * k + 1) * frames / (2 * count);
            &motion.values[frame * channels..(frame + 1) * channels]
        })
        .collect()
}

/// Returns world positions of all joints, then of all End Sites.
fn world_points(document: &Document, locals: &[Vec3], rotations: &[Quat]) -> Vec<Vec3> {
    let mut points: Vec<Vec3> = Vec::with_capacity(locals.len());
    let mut world_rotations: Vec<Quat> = Vec::with_capacity(locals.len());
    for (j, node) in document.nodes.iter().enumerate() {
        let (position, rotation) = match node.parent {
            None => (locals[j], rotations[j]),
            Some(parent) => {
                (points[parent] + world_rotations[parent] * locals[j], world_rotations[parent] * rotations[j])
            }
        };
        points.push(position);
        world_rotations.push(rotation);
    }
    for (j, node) in document.nodes.iter().enumerate() {
        for site in &node.end_sites {
            points.push(points[j] + world_rotations[j] * Vec3::from(*site));
        }
    }
    points
}

fn stature(document: &Document, locals: &[Vec3], landmarks: Option<&Landmarks>) -> Option<Real> {
    let parents: Vec<Option<usize>> = document.nodes.iter().map(|node| node.parent).collect();
    let lengths: Vec<Real> =
        parents.iter().zip(locals).map(|(parent, local)| if parent.is_some() { local.norm() } else { 0.0 }).collect();
    let tips: Vec<Option<Real>> =
        document.nodes.iter().map(|node| node.end_sites.first().map(|&site| Vec3::from(site).norm())).collect();
    Bones { parents: &parents, lengths: &lengths, tips: &tips }.stature(landmarks?)
}

/// Detects the meaning of position channels below the root: near the OFFSET they replace it, near zero they add to it.
fn joint_offsets(plan: &Plan, rows: &[&[Real]], guesses: &mut Vec<Guess>) -> RootOffset {
    let (mut from_offset, mut from_zero, mut count) = (0.0, 0.0, 0);
    // Beside a zero OFFSET both readings are the same.
    let is_open = |joint: &&JointPlan| !joint.is_root() && joint.moves() && *joint.offset() != Vec3::zeros();
    for joint in plan.joints().iter().filter(is_open) {
        count += 1;
        for row in rows {
            let replaced = joint.position(row, RootOffset::Replace);
            from_offset += (replaced - joint.offset()).norm();
            from_zero += joint.channel_position(row).norm();
        }
    }
    let meaning = if from_zero < from_offset { RootOffset::Add } else { RootOffset::Replace };
    if count > 0 && !rows.is_empty() {
        let (joints, offsets) = if count == 1 {
            ("1 joint".to_owned(), "its OFFSET")
        } else {
            (format!("{count} joints"), "their OFFSETs")
        };
        let (chosen, why) = match meaning {
            RootOffset::Replace => ("replace", format!("lie near {offsets}, so they are meant instead")),
            RootOffset::Add => ("add", format!("lie near zero, so they add to {offsets}")),
        };
        guesses.push(Guess {
            what: "joint offset",
            chosen: chosen.to_owned(),
            why: format!("the positions of {joints} below the root {why}"),
            option: "",
        });
    }
    meaning
}

/// Detects the meaning of the root's position channels: the one that puts the feet on the ground, replacing in doubt.
fn root_offsets(postures: &Postures, offset: &Vec3, up: &Vec3) -> (RootOffset, Option<Guess>) {
    let height = postures.height;
    let Some((replaced, _)) = postures.floor(up).filter(|_| offset.norm() > 1e-6 * height) else {
        // Both readings are the same.
        return (RootOffset::Replace, None);
    };
    let added = replaced + offset.dot(up);
    let adds = replaced.abs() > 0.2 * height && added.abs() < 0.5 * replaced.abs();
    let (meaning, chosen, here, there) = if adds {
        (RootOffset::Add, "add", added, replaced)
    } else {
        (RootOffset::Replace, "replace", replaced, added)
    };
    let share = |floor: Real| (100.0 * floor / height.max(1e-9)).round();
    let side = |share: Real| match share {
        ..0.0 => format!("{:.0} % below", -share),
        0.0 => "at".to_owned(),
        _ => format!("{share:.0} % above"),
    };
    let why = format!(
        "the lowest point is then {} height 0, else {} height 0 (percent of the body's length)",
        side(share(here)),
        side(share(there))
    );
    let guess = Guess { what: "root offset", chosen: chosen.to_owned(), why, option: "--root-offset" };
    (meaning, Some(guess))
}

/// Returns true if the first frame is a pose that was put before the motion: it differs from the next one many times
/// more than the following frames do.
pub(crate) fn has_inserted_tpose(document: &Document, plan: &Plan) -> bool {
    let (frames, channels) = (document.frames(), document.channel_count());
    let Some(motion) = document.motion.as_ref().filter(|_| frames >= 3) else { return false };
    let rotating = document.nodes.iter().filter(|node| node.channels.iter().any(|c| c.is_rotation())).count();
    if rotating == 0 {
        return false;
    }
    let mut half = Vec::new();
    let mut previous: Vec<Quat> = Vec::new();
    let mut steps: Vec<Real> = Vec::new();
    for row in motion.values.chunks_exact(channels).take(MOMENTS) {
        let mut rotations = Vec::with_capacity(plan.joints().len());
        plan.rotations(row, &mut half, &mut rotations);
        let step: Real = previous.iter().zip(&rotations).map(|(a, b)| a.angle_to(b)).sum();
        if !previous.is_empty() {
            steps.push(step / rotating as Real);
        }
        previous = rotations;
    }
    let largest_after = steps[1..].iter().fold(0.0, |most: Real, &step| most.max(step));
    steps[0] > Real::to_radians(4.0) && steps[0] > 4.0 * largest_after
}
