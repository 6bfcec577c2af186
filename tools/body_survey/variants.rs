//! Made-up variants of a captured body: the same motion as other programs would have written it.

use sinew::formats::bvh::{self, Channel, Document, Node};
use sinew::formats::{Unit, UpAxis};
use sinew::motion::edit::{axes_along, clip_with_joint_axes, with_joint_axes};
use sinew::motion::{Clip, Joint, Pose, Role, Side, Skeleton, Tracks};
use sinew::{Quat, Real, Vec3};

use super::names;

/// Body whose joints are known, in metres and Y up.
#[derive(Clone)]
pub struct Base {
    pub skeleton: Skeleton,
    pub clip: Clip,
    /// Role of each joint.
    pub truth: Vec<Option<Role>>,
}

/// Factors of a variant; each has a list of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant {
    pub tree: &'static str,
    pub build: &'static str,
    pub start: &'static str,
    pub rest: &'static str,
    pub names: &'static str,
    pub channels: &'static str,
    pub up: UpAxis,
    pub unit: Unit,
}

#[rustfmt::skip]
pub const TREES: [&str; 12] = [
    "as it is", "no fingers", "no head", "twist bones", "trajectory root", "two roots above",
    "ik bones", "face bones", "five fingers", "hip joints", "skirt", "no toes",
];
pub const BUILDS: [&str; 5] = ["as it is", "chibi", "tall", "child", "long arms"];
#[rustfmt::skip]
pub const STARTS: [&str; 10] = [
    "as it is", "starts lying", "starts crawling", "starts head down", "starts in a T",
    "sits", "lies", "crawls", "one frame", "no motion",
];
pub const RESTS: [&str; 8] = ["as it is", "+X", "-Y", "+Z", "spine +X", "legs -Y, rest +X", "own axes", "cube axes"];
pub const CHANNELS: [&str; 5] = ["rotations", "replace", "add", "mixed", "root offset"];
pub const UNITS: [Unit; 6] = [Unit::CENTIMETRE, Unit::METRE, Unit::INCH, Unit::DECIMETRE, Unit::FOOT, Unit::MILLIMETRE];
pub const UPS: [UpAxis; 2] = [UpAxis::PlusY, UpAxis::PlusZ];

/// Plain form that variants are compared with.
pub const PLAIN: Variant = Variant {
    tree: TREES[0],
    build: BUILDS[0],
    start: STARTS[0],
    rest: RESTS[0],
    names: names::STYLES[0],
    channels: CHANNELS[0],
    up: UpAxis::PlusY,
    unit: Unit::CENTIMETRE,
};

impl Variant {
    /// Value of every factor, with the name of the factor.
    pub fn factors(&self) -> Vec<(&'static str, String)> {
        vec![
            ("tree", self.tree.into()),
            ("build", self.build.into()),
            ("start", self.start.into()),
            ("rest", self.rest.into()),
            ("names", self.names.into()),
            ("channels", self.channels.into()),
            ("up", self.up.to_string()),
            ("unit", self.unit.to_string()),
        ]
    }

    /// The same body in the form that says everything.
    pub fn plain(&self) -> Variant {
        Variant { tree: self.tree, build: self.build, ..PLAIN }
    }
}

/// Body of a variant, in metres and Y up: its tree, its build, its start, its rest pose and its names.
pub fn body(base: &Base, variant: &Variant, seed: usize) -> Result<Base, Box<dyn std::error::Error>> {
    let base = with_tree(base, variant.tree)?;
    let base = with_build(&base, variant.build)?;
    let base = with_start(&base, variant.start)?;
    let base = with_rest(&base, variant.rest, seed)?;
    let names = names::named(&base, variant.names);
    let joints =
        base.skeleton.joints().iter().zip(names).map(|(joint, name)| Joint { name, role: None, ..joint.clone() });
    Ok(Base { skeleton: Skeleton::new(joints.collect())?, ..base })
}

/// Same clip with other rotations and places of the tracked joints.
fn clip_of(
    rate: Real,
    joints: usize,
    rotations: Vec<Quat>,
    tracks: Tracks,
) -> Result<Clip, Box<dyn std::error::Error>> {
    Ok(Clip::new("variant", rate, joints, rotations, tracks, Tracks::default())?)
}

/// Keeps some joints and puts others between; `from` gives for each new joint the old one, or `None` for an inserted one, its new parent, its
/// offset and its tip.
fn rebuilt(base: &Base, from: Vec<(Option<usize>, Joint)>) -> Result<Base, Box<dyn std::error::Error>> {
    let old: Vec<Option<usize>> = from.iter().map(|(old, _)| *old).collect();
    let skeleton = Skeleton::new(from.into_iter().map(|(_, joint)| joint).collect())?;
    let truth = old.iter().map(|old| old.and_then(|j| base.truth[j])).collect();
    let rotation = |frame: usize, j: usize| match old[j] {
        Some(j) => base.clip.rotations(frame)[j],
        None => skeleton.joint(j).rest,
    };
    let frames = base.clip.frames();
    let rotations =
        (0..frames).flat_map(|f| (0..old.len()).map(move |j| (f, j))).map(|(f, j)| rotation(f, j)).collect();
    let tracks = base.clip.translations();
    let kept: Vec<(usize, usize)> = (0..old.len())
        .filter_map(|new| Some((new, tracks.joints.iter().position(|&j| Some(j) == old[new])?)))
        .collect();
    let each = tracks.joints.len();
    let values =
        (0..frames).flat_map(|f| kept.iter().map(move |(_, k)| f * each + k)).map(|k| tracks.values[k]).collect();
    let tracks = Tracks { joints: kept.iter().map(|(new, _)| *new).collect(), values };
    let clip = clip_of(base.clip.rate_hz(), skeleton.len(), rotations, tracks)?;
    Ok(Base { skeleton, clip, truth })
}

/// Puts joints in the order in which a hierarchy is written, below one root.
pub fn in_order(base: &Base) -> Result<Base, Box<dyn std::error::Error>> {
    let mut order = Vec::new();
    let mut open: Vec<usize> = base.skeleton.roots().take(1).collect();
    while let Some(j) = open.pop() {
        order.push(j);
        let children: Vec<usize> = base.skeleton.children(j).collect();
        open.extend(children.into_iter().rev());
    }
    let place = |j: usize| order.iter().position(|&k| k == j);
    let joint = |&j: &usize| {
        let joint = base.skeleton.joint(j).clone();
        (Some(j), Joint { parent: joint.parent.and_then(place), ..joint })
    };
    rebuilt(base, order.iter().map(joint).collect())
}

fn with_tree(base: &Base, tree: &str) -> Result<Base, Box<dyn std::error::Error>> {
    let below = |j: usize, top: &dyn Fn(usize) -> bool| {
        std::iter::successors(Some(j), |&j| base.skeleton.joint(j).parent).any(top)
    };
    let is_head = |j: usize| matches!(base.truth[j], Some(Role::Head | Role::Neck(_)));
    let is_finger = |j: usize| matches!(base.truth[j], Some(Role::Finger(..)));
    let gone = |j: usize| match tree {
        "no fingers" => below(j, &is_finger),
        "no head" => below(j, &is_head),
        "five fingers" => below(j, &is_finger),
        "no toes" => below(j, &|j| matches!(base.truth[j], Some(Role::Toes(_)))),
        _ => false,
    };
    let (mut new, mut place) = (Vec::new(), vec![0; base.skeleton.len()]);
    let still = |name: &str, parent: Option<usize>| (None, Joint::new(name, parent, Vec3::zeros()));
    match tree {
        "trajectory root" => new.push(still("Trajectory", None)),
        "two roots above" => new.extend([still("Reference", None), still("Character1", Some(0))]),
        _ => {}
    }
    let above = new.len().checked_sub(1);
    for j in (0..base.skeleton.len()).filter(|&j| !gone(j)) {
        let mut joint = base.skeleton.joint(j).clone();
        joint.parent = joint.parent.map_or(above, |p| Some(place[p]));
        place[j] = new.len();
        if tree == "hip joints" && matches!(base.truth[j], Some(Role::UpperLeg(_))) {
            let side = if base.truth[j].and_then(Role::side) == Some(Side::Left) { "L" } else { "R" };
            new.push((None, Joint::new(format!("{side}HipJoint"), joint.parent, Vec3::zeros())));
            joint.parent = Some(new.len() - 1);
            place[j] = new.len();
        }
        let twists = tree == "twist bones"
            && matches!(base.truth[j], Some(Role::LowerArm(_) | Role::Hand(_) | Role::LowerLeg(_) | Role::Foot(_)));
        if let (true, Some(parent)) = (twists, joint.parent) {
            // A bone beside the limb, half way along it.
            let name = format!("{}Twist", base.skeleton.joint(base.skeleton.joint(j).parent.unwrap_or(0)).name);
            new.push((None, Joint::new(name, Some(parent), joint.offset * 0.5)));
            place[j] = new.len();
        }
        new.push((Some(j), joint));
    }
    add_extras(base, tree, &place, &mut new);
    let new = depth_first(new);
    rebuilt(base, new)
}

/// Adds joints that carry no part of the body; `place` holds the new index of every old joint.
fn add_extras(base: &Base, tree: &str, place: &[usize], new: &mut Vec<(Option<usize>, Joint)>) {
    let height = base.skeleton.height();
    let rest = base.skeleton.rest_pose().world(&base.skeleton);
    let find = |role: Role| base.truth.iter().position(|&r| r == Some(role));
    let mut add = |name: String, parent: usize, offset: Vec3| {
        new.push((None, Joint::new(name, Some(parent), offset)));
        new.len() - 1
    };
    match tree {
        "ik bones" => {
            let root = place[base.skeleton.root()];
            let local = |j: usize| {
                let frame = &rest[base.skeleton.root()];
                frame.rotation.inverse() * (rest[j].position - frame.position)
            };
            for (limb, role) in [("foot", Role::Foot as fn(Side) -> Role), ("hand", Role::Hand)] {
                let base = add(format!("ik_{limb}_root"), root, Vec3::zeros());
                for (side, letter) in [(Side::Left, "l"), (Side::Right, "r")] {
                    find(role(side)).map(|j| add(format!("ik_{limb}_{letter}"), base, local(j)));
                }
            }
        }
        "face bones" => {
            let Some(head) = find(Role::Head) else { return };
            for k in 0..14 {
                let angle = k as Real * 0.449;
                let (sin, cos) = angle.sin_cos();
                let offset = Vec3::new(0.04 * cos, 0.05 + 0.03 * sin, 0.055) * (height / 1.75);
                let first = add(format!("face_{k}"), place[head], offset);
                add(format!("face_{k}_end"), first, Vec3::z() * (0.01 * height));
            }
        }
        "five fingers" => {
            for side in [Side::Left, Side::Right] {
                let (Some(hand), Some(arm)) = (find(Role::Hand(side)), find(Role::LowerArm(side))) else { continue };
                let way = rest[hand].rotation.inverse() * (rest[hand].position - rest[arm].position);
                let across = way.cross(&Vec3::y()).try_normalize(1e-9).unwrap_or_else(Vec3::z) * (0.012 * height);
                let way = way.normalize() * height;
                for finger in 0..5 {
                    let (reach, aside) = if finger == 0 { (0.02, 2.5) } else { (0.05, 2.5 - finger as Real) };
                    let mut at = add(format!("f{finger}"), place[hand], way * reach + across * aside);
                    for bone in [0.025, 0.015] {
                        at = add(format!("f{finger}"), at, way * bone);
                    }
                }
            }
        }
        "skirt" => {
            let Some(hips) = find(Role::Hips) else { return };
            for k in 0..8 {
                let (sin, cos) = (k as Real * std::f64::consts::FRAC_PI_4).sin_cos();
                let mut at = add(format!("skirt_{k}"), place[hips], Vec3::new(0.08 * cos, 0.0, 0.08 * sin) * height);
                for _ in 0..3 {
                    at = add(format!("skirt_{k}"), at, Vec3::new(0.02 * cos, -0.08, 0.02 * sin) * height);
                }
            }
        }
        _ => {}
    }
}

/// Puts joints in the order in which a hierarchy is written.
fn depth_first(joints: Vec<(Option<usize>, Joint)>) -> Vec<(Option<usize>, Joint)> {
    let mut order = Vec::with_capacity(joints.len());
    let mut open = vec![0];
    while let Some(j) = open.pop() {
        order.push(j);
        open.extend((0..joints.len()).rev().filter(|&child| joints[child].1.parent == Some(j)));
    }
    let place = |j: usize| order.iter().position(|&k| k == j);
    let moved = |&j: &usize| {
        let (old, joint) = joints[j].clone();
        (old, Joint { parent: joint.parent.and_then(place), ..joint })
    };
    order.iter().map(moved).collect()
}

/// Factor on a bone that ends at a joint.
fn growth(build: &str, ends: Option<Role>, leaves: Option<Role>) -> Real {
    let leg = |role| matches!(role, Some(Role::LowerLeg(_) | Role::Foot(_)));
    let arm = |role| matches!(role, Some(Role::LowerArm(_) | Role::Hand(_)));
    let trunk = |role| matches!(role, Some(Role::Spine(_) | Role::Neck(_)));
    match build {
        "chibi" if leg(ends) => 0.45,
        "chibi" if arm(ends) => 0.55,
        "chibi" if trunk(ends) => 0.7,
        "chibi" if matches!(leaves, Some(Role::Head)) => 1.8,
        "tall" if leg(ends) => 1.2,
        "tall" => 1.1,
        "child" if leg(ends) || arm(ends) => 0.6,
        "child" if matches!(leaves, Some(Role::Head)) => 0.9,
        "child" => 0.68,
        "long arms" if arm(ends) => 1.3,
        _ => 1.0,
    }
}

fn with_build(base: &Base, build: &str) -> Result<Base, Box<dyn std::error::Error>> {
    if build == BUILDS[0] {
        return Ok(base.clone());
    }
    let legs = growth(build, Some(Role::Foot(Side::Left)), None);
    let joints = base.skeleton.joints().iter().enumerate().map(|(j, joint)| {
        let factor = joint.parent.map_or(legs, |parent| growth(build, base.truth[j], base.truth[parent]));
        let tip = joint.tip.map(|tip| tip * growth(build, None, base.truth[j]));
        Joint { offset: joint.offset * factor, tip, ..joint.clone() }
    });
    let skeleton = Skeleton::new(joints.collect())?;
    let mut tracks = base.clip.translations().clone();
    tracks.values.iter_mut().for_each(|value| *value *= legs);
    let rotations = (0..base.clip.frames()).flat_map(|f| base.clip.rotations(f).to_vec()).collect();
    let clip = clip_of(base.clip.rate_hz(), skeleton.len(), rotations, tracks)?;
    Ok(Base { skeleton, clip, truth: base.truth.clone() })
}

/// Turns the whole body about its hips, for the first third of the clip or for all of it, seats it, or keeps few poses of it; then it is set on
/// the ground.
fn with_start(base: &Base, start: &str) -> Result<Base, Box<dyn std::error::Error>> {
    let about = |axis: Vec3, degrees: Real| Quat::from_scaled_axis(axis * degrees.to_radians());
    let turn = match start {
        "starts lying" | "lies" => about(Vec3::x(), -88.0),
        "starts crawling" | "crawls" => about(Vec3::x(), 75.0),
        "starts head down" => about(Vec3::x(), 178.0),
        "starts in a T" | "sits" | "no motion" => Quat::identity(),
        "one frame" => {
            let middle = base.clip.frames() / 2;
            let clip = sinew::motion::edit::slice(&base.clip, middle..middle + 1)?;
            return Ok(Base { clip, ..base.clone() });
        }
        _ => return Ok(base.clone()),
    };
    let (skeleton, clip) = (&base.skeleton, &base.clip);
    let lowest = |pose: &Pose| pose.world(skeleton).iter().map(|f| f.position.y).fold(Real::INFINITY, Real::min);
    let ground = (0..clip.frames()).map(|f| lowest(&clip.pose(skeleton, f))).fold(Real::INFINITY, Real::min);
    let carrier = clip.translations().joints.first().copied().unwrap_or(skeleton.root());
    let (mut rotations, mut values) = (Vec::new(), Vec::new());
    for frame in 0..clip.frames() {
        let mut pose = clip.pose(skeleton, if start == "no motion" { 0 } else { frame });
        if start == "starts in a T" && frame == 0 {
            let place = pose.translations[carrier];
            pose = skeleton.rest_pose();
            pose.translations[carrier] = place;
        } else if start == "sits" {
            seat(base, &mut pose);
            pose.translations[carrier].y += ground - lowest(&pose);
        } else if matches!(start, "lies" | "crawls") || (start.starts_with("starts") && 3 * frame < clip.frames()) {
            pose.rotations[carrier] = turn * pose.rotations[carrier];
            pose.translations[carrier].y += ground - lowest(&pose);
        }
        values.extend(clip.translations().joints.iter().map(|&j| pose.translations[j]));
        rotations.extend(pose.rotations);
    }
    let tracks = Tracks { joints: clip.translations().joints.clone(), values };
    Ok(Base { clip: clip_of(clip.rate_hz(), skeleton.len(), rotations, tracks)?, ..base.clone() })
}

/// Lifts both thighs to the front by 80°, with the shanks as they were.
fn seat(base: &Base, pose: &mut Pose) {
    let find = |role: Role| base.truth.iter().position(|&r| r == Some(role));
    let world = pose.world(&base.skeleton);
    for side in [Side::Left, Side::Right] {
        let (Some(hip), Some(knee)) = (find(Role::UpperLeg(side)), find(Role::LowerLeg(side))) else { return };
        let Some(other) = find(Role::UpperLeg(side.other())) else { return };
        let across = if side == Side::Left {
            world[hip].position - world[other].position
        } else {
            world[other].position - world[hip].position
        };
        let Some(axis) = across.try_normalize(1e-9) else { return };
        let thigh = Quat::from_scaled_axis(axis * -Real::to_radians(80.0)) * world[hip].rotation;
        let above = base.skeleton.joint(hip).parent.map_or_else(Quat::identity, |p| world[p].rotation);
        pose.rotations[hip] = above.inverse() * thigh;
        // Joints between hip and knee turn with the thigh.
        let between = world[hip].rotation.inverse()
            * base.skeleton.joint(knee).parent.map_or(world[hip].rotation, |p| world[p].rotation);
        pose.rotations[knee] = (thigh * between).inverse() * world[knee].rotation;
    }
}

fn with_rest(base: &Base, rest: &str, seed: usize) -> Result<Base, Box<dyn std::error::Error>> {
    let skeleton = &base.skeleton;
    let is_spine = |j: usize| matches!(base.truth[j], Some(Role::Spine(_) | Role::Neck(_) | Role::Hips | Role::Head));
    let is_leg =
        |j: usize| matches!(base.truth[j], Some(Role::UpperLeg(_) | Role::LowerLeg(_) | Role::Foot(_) | Role::Toes(_)));
    let axes: Vec<Quat> = match rest {
        "+X" => axes_along(skeleton, &Vec3::x(), |_| true),
        "-Y" => axes_along(skeleton, &-Vec3::y(), |_| true),
        "+Z" => axes_along(skeleton, &Vec3::z(), |_| true),
        "spine +X" => axes_along(skeleton, &Vec3::x(), is_spine),
        "legs -Y, rest +X" => axes_along(skeleton, &Vec3::x(), |j| !is_leg(j)),
        "own axes" => (0..skeleton.len()).map(|j| turn(7 * j + seed)).collect(),
        "cube axes" => {
            let along = axes_along(skeleton, &Vec3::x(), |_| true);
            let quarter = |k: usize| std::f64::consts::FRAC_PI_2 * (k % 4) as Real;
            let turned =
                |j: usize| along[j] * Quat::from_euler_angles(quarter(j * 5 + seed), quarter(j * 3 + seed), 0.0);
            (0..skeleton.len()).map(turned).collect()
        }
        _ => return Ok(base.clone()),
    };
    let clip = clip_with_joint_axes(skeleton, &base.clip, &axes)?;
    Ok(Base { skeleton: with_joint_axes(skeleton, &axes)?, clip, truth: base.truth.clone() })
}

/// A rotation for every number, the same at every call.
pub fn turn(seed: usize) -> Quat {
    let angle = |k: usize| ((seed * 3 + k) as Real * 0.754_877_666).fract() * 6.0 - 3.0;
    Quat::from_euler_angles(angle(0), angle(1), angle(2))
}

/// Document of a body in other units and axes, with other channels.
pub fn document(base: &Base, variant: &Variant) -> Document {
    let (skeleton, clip) = (&base.skeleton, &base.clip);
    let (world, scale) = (variant.up.to_y_up().inverse(), 1.0 / variant.unit.metres);
    let axes = [2, 0, 1].map(Channel::rotation);
    // Rest rotations are applied to offsets and rotations, as BVH has none.
    let rest: Vec<Quat> = skeleton.rest_pose().world(skeleton).iter().map(|frame| world * frame.rotation).collect();
    let above = |j: usize| skeleton.joint(j).parent.map_or(world, |parent| rest[parent]);
    let six = ["replace", "add", "mixed"].contains(&variant.channels);
    let adds = |j: usize| match variant.channels {
        "add" => true,
        "mixed" => j.is_multiple_of(3),
        _ => false,
    };
    let tracked = |j: usize| clip.translations().joints.contains(&j);
    let moves = |j: usize| skeleton.joint(j).parent.is_none() || tracked(j) || six;
    let offset = |j: usize| {
        let is_root = skeleton.joint(j).parent.is_none();
        if is_root && variant.channels == "rotations" {
            Vec3::zeros()
        } else {
            above(j) * skeleton.joint(j).offset * scale
        }
    };
    let node = |j: usize| {
        let joint = skeleton.joint(j);
        let positions = if moves(j) { vec![0, 1, 2] } else { Vec::new() };
        Node {
            name: joint.name.clone(),
            parent: joint.parent,
            offset: offset(j).into(),
            channels: positions.into_iter().map(Channel::position).chain(axes).collect(),
            end_sites: joint.tip.map(|tip| (rest[j] * tip * scale).into()).into_iter().collect(),
        }
    };
    let mut values = Vec::new();
    for frame in 0..clip.frames() {
        let pose = clip.pose(skeleton, frame);
        for (j, rest) in rest.iter().enumerate() {
            if moves(j) {
                let place = above(j) * pose.translations[j] * scale;
                let from = if adds(j) { offset(j) } else { Vec3::zeros() };
                values.extend((place - from).iter());
            }
            values.extend(zxy(&(above(j) * pose.rotations[j] * rest.inverse())));
        }
    }
    let motion = Some(bvh::Motion { frame_time: clip.frame_time(), values });
    Document { nodes: (0..skeleton.len()).map(node).collect(), motion, line_end: Default::default() }
}

/// Angles about Z, X and Y in this order, degrees.
fn zxy(rotation: &Quat) -> [Real; 3] {
    let m = rotation.to_rotation_matrix();
    let (z, y) = ((-m[(0, 1)]).atan2(m[(1, 1)]), (-m[(2, 0)]).atan2(m[(2, 2)]));
    [z, m[(2, 1)].clamp(-1.0, 1.0).asin(), y].map(Real::to_degrees)
}
