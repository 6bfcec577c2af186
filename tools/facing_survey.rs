//! Motion of skeletons whose rest pose is no posture, moved to other bodies, against the same motion of the skeleton as it was.
//!
//! ```text
//! cargo run --release -p sinew-tools --bin facing_survey -- CLIP… --rigs FILE…
//! ```
//!
//! Every clip is rewritten for joints with other axes ([`sinew::motion::edit::with_joint_axes`]): no point and no segment moves otherwise, and the rest
//! pose says nothing. A line tells by how many degrees, at most over the frames, the segments of the target then face elsewhere than in the
//! result of the clip as it was. `alike` compares with the result of the first form, which must be the same for all forms in axes
//! that follow no convention: nothing depends on the axes.

use sinew::formats::{self, ImportOptions, gltf};
use sinew::motion::edit::{axes_along, clip_with_joint_axes, with_joint_axes};
use sinew::motion::{Clip, Joint, Role, Skeleton, Tracks, detect_body};
use sinew::retarget::{Body, BodyOptions, JointMap, Retarget, RetargetOptions};
use sinew::{Quat, Real, Vec3};
use std::error::Error;
use std::path::Path;

/// Longer clips are cut.
const MOST_FRAMES: usize = 300;

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let at = given.iter().position(|word| word == "--rigs").unwrap_or(given.len());
    println!(
        "{:<18} {:<22} {:<22} {} {:>7} {:>8}",
        "clip",
        "form",
        "target",
        PARTS.map(|(name, _)| format!("{name:>7}")).join(""),
        "mm",
        "alike"
    );
    for file in &given[..at] {
        for rig in given.iter().skip(at + 1) {
            if let Err(error) = survey(file, rig) {
                println!("{:<18.18} {:<22} {:<22.22} {error}", name(file), "", name(rig));
            }
        }
    }
    Ok(())
}

fn name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// Name of a part of the body, and its joints.
type Part = (&'static str, fn(Role) -> bool);

/// Parts of the body that are told apart.
const PARTS: [Part; 8] = [
    ("trunk", |role| matches!(role, Role::Hips | Role::Spine(_))),
    ("head", |role| matches!(role, Role::Neck(_) | Role::Head)),
    ("collar", |role| matches!(role, Role::Shoulder(_))),
    ("arms", |role| matches!(role, Role::UpperArm(_))),
    ("palms", |role| matches!(role, Role::LowerArm(_) | Role::Hand(_))),
    ("legs", |role| matches!(role, Role::UpperLeg(_) | Role::LowerLeg(_))),
    ("feet", |role| matches!(role, Role::Foot(_))),
    ("toes", |role| matches!(role, Role::Toes(_))),
];

fn survey(file: &str, rig: &str) -> Result<(), Box<dyn Error>> {
    let options = ImportOptions { drop_tpose: true, ..ImportOptions::default() };
    let (capture, goal) = (formats::read(Path::new(file), &options)?, formats::read(Path::new(rig), &options)?);
    let whole = capture.clips.first().ok_or("no clip")?;
    let clip = sinew::motion::edit::slice(whole, 0..whole.frames().min(MOST_FRAMES))?;
    let skin = gltf::skin_vertices(&goal).ok().flatten();
    let example = goal.clips.iter().find(|clip| clip.frames() > 0);
    let target = Body::new(&goal.skeleton, &BodyOptions { example, skin: skin.as_deref(), ..BodyOptions::default() });
    let result = |skeleton: &Skeleton, clip: &Clip| -> Result<Clip, Box<dyn Error>> {
        let source = Body::new(skeleton, &BodyOptions { example: Some(clip), ..BodyOptions::default() });
        JointMap::between(&source, &target)?;
        Ok(Retarget { source: &source, target: &target, clip, options: RetargetOptions::default() }.run()?.clip)
    };
    let plain = result(&capture.skeleton, &clip)?;
    let mut first = None;
    for (form, axes) in forms(&capture.skeleton) {
        let (other, moved) =
            (with_joint_axes(&capture.skeleton, &axes)?, clip_with_joint_axes(&capture.skeleton, &clip, &axes)?);
        for scrambled in [false, true] {
            let (other, moved) = if scrambled {
                (nameless(&other)?.scaled(1.1), scaled(&moved, 1.1)?)
            } else {
                (other.clone(), moved.clone())
            };
            let label = format!("{form}{}", if scrambled { ", nameless" } else { "" });
            let line = match result(&other, &moved) {
                Err(error) => format!("refused: {error:.120}"),
                Ok(clip) => {
                    let parts = PARTS.map(|(_, part)| format!("{:>7.2}", turned(&target, &plain, &clip, part).0));
                    let first = first.get_or_insert_with(|| clip.clone());
                    let (alike, far) =
                        (turned(&target, first, &clip, |_| true).0, turned(&target, &plain, &clip, |_| true).1);
                    format!("{} {:>7.2} {alike:>8.1e}", parts.join(""), 1e3 * far)
                }
            };
            println!("{:<18.18} {label:<22} {:<22.22} {line}", name(file), name(rig));
        }
    }
    Ok(())
}

/// Largest angle between the segments of two results, degrees, and distance of their joints, metres.
fn turned(target: &Body, a: &Clip, b: &Clip, part: impl Fn(Role) -> bool) -> (Real, Real) {
    let (mut angle, mut far): (Real, Real) = (0.0, 0.0);
    for frame in 0..a.frames() {
        let [a, b] = [a, b].map(|clip| clip.pose(target.skeleton(), frame).world(target.skeleton()));
        for (j, guess) in target.guesses().iter().enumerate() {
            if guess.role.is_some_and(&part) {
                angle = angle.max(a[j].rotation.angle_to(&b[j].rotation).to_degrees());
                far = far.max((a[j].position - b[j].position).norm());
            }
        }
    }
    (angle, far)
}

/// A rotation for every number, the same at every call.
fn turn(seed: usize) -> Quat {
    let angle = |k: usize| ((seed * 3 + k) as Real * 0.754_877_666).fract() * 6.0 - 3.0;
    Quat::from_euler_angles(angle(0), angle(1), angle(2))
}

/// Joint axes of the rest poses that recorders write, and of others.
fn forms(skeleton: &Skeleton) -> Vec<(&'static str, Vec<Quat>)> {
    let roles = detect_body(skeleton, None).sure_roles();
    let is = |part: fn(Role) -> bool| {
        let roles = roles.clone();
        move |j: usize| roles[j].is_some_and(part)
    };
    let along = |direction: Vec3| axes_along(skeleton, &direction, |_| true);
    let spine: fn(Role) -> bool = |role| matches!(role, Role::Hips | Role::Spine(_) | Role::Neck(_));
    let leg: fn(Role) -> bool = |role| matches!(role, Role::UpperLeg(_) | Role::LowerLeg(_));
    let foot: fn(Role) -> bool = |role| matches!(role, Role::Foot(_) | Role::Toes(_));
    // Legs down, feet ahead, spine and arms to the side.
    let (x, y, z) = (along(Vec3::x()), along(Vec3::new(2.6, -44.7, -7.9).normalize()), along(Vec3::z()));
    let mixed = (0..skeleton.len()).map(|j| match () {
        () if is(leg)(j) => y[j],
        () if is(foot)(j) => z[j],
        () => x[j],
    });
    let rolled = |by: &dyn Fn(usize) -> Real| -> Vec<Quat> {
        (0..skeleton.len()).map(|j| x[j] * Quat::from_axis_angle(&Vec3::x_axis(), by(j))).collect()
    };
    vec![
        ("own axes", (0..skeleton.len()).map(turn).collect()),
        ("other axes", (0..skeleton.len()).map(|j| turn(7 * j + 100)).collect()),
        ("along +X, rolled", rolled(&|j| j as Real)),
        ("along +X", x.clone()),
        ("along -Y", along(-Vec3::y())),
        ("along +Z", along(Vec3::z())),
        ("spine along +X", axes_along(skeleton, &Vec3::x(), is(spine))),
        ("legs -Y, rest +X", mixed.collect()),
        ("along +X, quarters", rolled(&|j| std::f64::consts::FRAC_PI_2 * (j * 7 % 4) as Real)),
    ]
}

fn nameless(skeleton: &Skeleton) -> Result<Skeleton, Box<dyn Error>> {
    let rename =
        |(k, joint): (usize, &Joint)| Joint { name: format!("qx{}", k * 7919 % 1000), role: None, ..joint.clone() };
    Ok(Skeleton::new(skeleton.joints().iter().enumerate().map(rename).collect())?)
}

fn scaled(clip: &Clip, by: Real) -> Result<Clip, Box<dyn Error>> {
    let tracks = clip.translations();
    let values = tracks.values.iter().map(|value| value * by).collect();
    let rotations = (0..clip.frames()).flat_map(|frame| clip.rotations(frame).to_vec()).collect();
    let tracks = Tracks { joints: tracks.joints.clone(), values };
    Ok(Clip::new(&clip.name, clip.rate_hz(), clip.joints(), rotations, tracks, Tracks::default())?)
}
