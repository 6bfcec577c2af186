//! Moves clips between all bodies of some files and says how well it went, one line per pair.
//!
//!     cargo run --release --example retarget_survey -- [--shuffled] FILE…

use sinew::figure::{Figure, FigureOptions};
use sinew::formats::{self, Capture, ImportOptions, gltf};
use sinew::measure::{Key, Measure, MeasureOptions};
use sinew::motion::{Clip, Joint, Role, RoleGuess, Side, Skeleton, edit};
use sinew::retarget::{Body, BodyOptions, JointMap, Retarget, RetargetOptions};
use sinew::{Real, Vec3};
use std::error::Error;

struct Rig {
    name: String,
    capture: Capture,
    skin: Option<Vec<Vec<Vec3>>>,
    body: Body,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let shuffled = files.iter().any(|file| file == "--shuffled");
    files.retain(|file| !file.starts_with("--"));
    let mut rigs = Vec::new();
    for file in &files {
        let capture = formats::read(file.as_ref(), &ImportOptions { drop_tpose: true, ..ImportOptions::default() })?;
        let skin = gltf::skin_vertices(&capture).ok().flatten();
        let example = capture.clips.iter().find(|clip| clip.frames() > 0);
        let options = BodyOptions { example, skin: skin.as_deref(), told: &[] };
        let body = Body::new(&capture.skeleton, &options);
        let name = file.rsplit('/').next().unwrap_or(file).to_owned();
        if shuffled {
            let nameless = Body::new(&nameless(&capture.skeleton)?, &options);
            compare(&name, &capture.skeleton, body.guesses(), nameless.guesses());
            for (kind, known) in [("named", &body), ("nameless", &nameless)] {
                match JointMap::between(known, known) {
                    Ok(map) => println!("    {kind}: is moved, least sure {:.2}", map.confidence()),
                    Err(error) => println!("    {kind}: is refused, {error:.120}"),
                }
            }
        }
        rigs.push(Rig { name, skin, body, capture });
    }
    if shuffled {
        return Ok(());
    }
    println!(
        "{:<34} {:<30} {:>5} {:>6} | {:>7} {:>7} | {:>6} {:>6} | {:>4} {:>4} | {:>5} {:>5} | {:>5} {:>5} | {:>5} {:>8}",
        "clip",
        "target",
        "sure",
        "scale",
        "skate",
        "after",
        "deep",
        "after",
        "spk",
        "aft",
        "float",
        "after",
        "arm°",
        "leg°",
        "back°",
        "cut mm"
    );
    for from in &rigs {
        let Some(clip) = from.capture.clips.iter().find(|clip| clip.frames() > 0) else { continue };
        let before = report(&from.capture.skeleton, from.skin.as_deref(), clip, None)?;
        for to in &rigs {
            let label = format!("{:<34.34} {:<30.30}", from.name, to.name);
            let map = match JointMap::between(&from.body, &to.body) {
                Ok(map) => map,
                Err(error) => {
                    println!("{label} refused: {error}");
                    continue;
                }
            };
            let run = |source: &Body, target: &Body, clip: &Clip| {
                Retarget { source, target, clip, options: RetargetOptions::default() }.run()
            };
            let moved = run(&from.body, &to.body, clip)?;
            let after = report(&to.capture.skeleton, to.skin.as_deref(), &moved.clip, Some(moved.ground))?;
            let back = run(&to.body, &from.body, &moved.clip)?;
            let start = clip.frames() * 2 / 5;
            let cut = run(&from.body, &to.body, &edit::slice(clip, start..clip.frames())?)?;
            let [arm, leg] = [[Role::UpperArm as fn(Side) -> Role, Role::LowerArm], [Role::UpperLeg, Role::LowerLeg]]
                .map(|roles| directions(from, &to.body, clip, &moved.clip, roles));
            let show =
                |key: Key, of: &sinew::measure::Report| of.get(key).map_or("–".to_owned(), |v| format!("{v:.1}"));
            println!(
                "{label} {:>5.2} {:>6.3} | {:>7} {:>7} | {:>6} {:>6} | {:>4.4} {:>4.4} | {:>5} {:>5} | {arm:>5.2} {leg:>5.2} | {:>5.2} {:>8.1e}",
                map.confidence(),
                moved.scale,
                show(Key::SkateFoot, &before),
                show(Key::SkateFoot, &after),
                show(Key::PenetrationMax, &before),
                show(Key::PenetrationMax, &after),
                show(Key::Spikes, &before),
                show(Key::Spikes, &after),
                show(Key::FloatShare, &before),
                show(Key::FloatShare, &after),
                angles(&from.body, clip, &back.clip),
                apart(&to.capture.skeleton, &moved.clip, &cut.clip, start) * 1e3,
            );
        }
    }
    Ok(())
}

/// The same joints under names that say nothing, in the same order.
fn nameless(skeleton: &Skeleton) -> Result<Skeleton, Box<dyn Error>> {
    let rename =
        |(k, joint): (usize, &Joint)| Joint { name: format!("qx{}", k * 7919 % 1000), role: None, ..joint.clone() };
    Ok(Skeleton::new(skeleton.joints().iter().enumerate().map(rename).collect())?)
}

/// Which main joints shape alone takes for something else than names and shape together.
fn compare(name: &str, skeleton: &Skeleton, full: &[RoleGuess], shape: &[RoleGuess]) {
    let main = full.iter().enumerate().filter(|(_, guess)| guess.role.is_some_and(sinew::retarget::is_main));
    let spine = |role: Option<Role>| matches!(role, Some(Role::Spine(_)));
    let (mut all, mut wrong) = (0, Vec::new());
    for (j, guess) in main {
        all += 1;
        if shape[j].role != guess.role && !(spine(guess.role) && spine(shape[j].role)) {
            let other = shape[j].role.map_or("?".to_owned(), |role| role.to_string());
            wrong.push(format!(
                "{} is {} not {other}",
                skeleton.joint(j).name,
                guess.role.map_or_else(String::new, |r| r.to_string())
            ));
        }
    }
    let least =
        full.iter().filter(|g| g.role.is_some_and(sinew::retarget::is_main)).map(|g| g.confidence).fold(1.0, Real::min);
    println!(
        "{name:<40} {all:>3} main joints, least sure {least:.2}, {} differ by shape alone: {}",
        wrong.len(),
        wrong.join(", ")
    );
}

fn report(
    skeleton: &Skeleton,
    skin: Option<&[Vec<Vec3>]>,
    clip: &Clip,
    ground: Option<Real>,
) -> Result<sinew::measure::Report, Box<dyn Error>> {
    let figure = Figure::build(skeleton, &FigureOptions { clip: Some(clip), skin, ..FigureOptions::default() })?;
    let options = MeasureOptions { ground, made: ground.is_some(), ..MeasureOptions::default() };
    Ok(Measure { figure: &figure, clip, options }.run()?)
}

/// Mean angle between bones of source and target, seen from the body (hips to shoulders, hip to hip), degrees.
fn directions(from: &Rig, to: &Body, clip: &Clip, moved: &Clip, roles: [fn(Side) -> Role; 2]) -> Real {
    let (mut sum, mut count) = (0.0, 0);
    for frame in (0..clip.frames()).step_by(3) {
        let seen = |body: &Body, clip: &Clip| {
            let world = clip.pose(body.skeleton(), frame).world(body.skeleton());
            let at = |role: Role| body.guesses().iter().position(|g| g.role == Some(role)).map(|j| world[j].position);
            let legs = [Side::Left, Side::Right].map(|s| at(Role::UpperLeg(s)));
            let arms = [Side::Left, Side::Right].map(|s| at(Role::UpperArm(s)));
            let ([Some(l), Some(r)], [Some(a), Some(b)]) = (legs, arms) else { return None };
            let up = (0.5 * (a + b) - 0.5 * (l + r)).normalize();
            let left = (l - r - up * (l - r).dot(&up)).normalize();
            let bones = [Side::Left, Side::Right].map(|s| {
                let bone = (at(roles[1](s))? - at(roles[0](s))?).normalize();
                Some(Vec3::new(bone.dot(&left), bone.dot(&up), bone.dot(&left.cross(&up))))
            });
            Some(bones)
        };
        let (Some(a), Some(b)) = (seen(&from.body, clip), seen(to, moved)) else { continue };
        for (a, b) in a.iter().zip(&b) {
            if let (Some(a), Some(b)) = (a, b) {
                sum += a.angle(b).to_degrees();
                count += 1;
            }
        }
    }
    sum / count.max(1) as Real
}

/// Mean angle between the joint rotations of two clips of one body, over the joints that are a part of it, degrees.
fn angles(body: &Body, a: &Clip, b: &Clip) -> Real {
    let known = |j: &usize| {
        body.guesses()[*j].role.is_some_and(|r| !matches!(r, Role::Helper | Role::Finger(..) | Role::Tail(_)))
    };
    let joints: Vec<usize> = (0..a.joints()).filter(known).collect();
    let mut sum = 0.0;
    for frame in 0..a.frames() {
        sum +=
            joints.iter().map(|&j| a.rotations(frame)[j].angle_to(&b.rotations(frame)[j]).to_degrees()).sum::<Real>();
    }
    sum / (a.frames() * joints.len()).max(1) as Real
}

/// The farthest that a joint of the second clip is from where the first, whose frame `start` it begins at, has it, metres.
fn apart(skeleton: &Skeleton, whole: &Clip, cut: &Clip, start: usize) -> Real {
    let mut most: Real = 0.0;
    for frame in 0..cut.frames() {
        let a = whole.pose(skeleton, start + frame).world(skeleton);
        let b = cut.pose(skeleton, frame).world(skeleton);
        most = a.iter().zip(&b).map(|(a, b)| (a.position - b.position).norm()).fold(most, Real::max);
    }
    most
}
