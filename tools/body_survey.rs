//! Bodies that are found in files, and a check of the confidence in their joints.
//!
//! ```text
//! cargo run --release -p sinew-tools --bin body_survey -- FILE…
//! ```
//!
//! The first table lists plan, stature and mass of every file. The second one takes the roles found with names as the truth, and detects them again
//! in the same bodies with names that say nothing, with bones along one axis, and with axes of its own for every joint: for each range of
//! confidence, the share of answers that are right.

use sinew::figure::{CaptureOptions, for_capture};
use sinew::formats::{self, ImportOptions};
use sinew::motion::edit::{axes_along, clip_with_joint_axes, with_joint_axes};
use sinew::motion::{Clip, Joint, Role, SURE, Skeleton, detect_body};
use sinew::{Quat, Real, Vec3};
use std::path::Path;

/// Lower ends of the ranges of confidence.
const RANGES: [Real; 6] = [0.0, 0.5, 0.6, 0.7, 0.8, 0.9];

/// Right and all answers by range of confidence.
type Counts = [[usize; 2]; RANGES.len()];

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "| file | joints | plan | confidence | stature, m | mass, kg | least confidence of a main joint |\n|---|---|---|---|---|---|---|"
    );
    let mut forms: Vec<(&str, Counts)> = Vec::new();
    for file in &files {
        if let Err(error) = survey(Path::new(file), &mut forms) {
            println!("| {} | {error} |", name(file));
        }
    }
    let heads: Vec<String> = RANGES.iter().map(|least| format!("≥ {least}")).collect();
    println!("\n| form | {} |\n|---|{}", heads.join(" | "), "---|".repeat(RANGES.len()));
    for (form, counts) in forms {
        let share = |[right, all]: &[usize; 2]| match all {
            0 => "–".to_owned(),
            _ => format!("{:.0} % of {all}", 100.0 * *right as Real / *all as Real),
        };
        println!("| {form} | {} |", counts.iter().map(share).collect::<Vec<_>>().join(" | "));
    }
}

fn name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

fn survey(file: &Path, forms: &mut Vec<(&'static str, Counts)>) -> Result<(), Box<dyn std::error::Error>> {
    let capture = formats::read(file, &ImportOptions::default())?;
    let clip = capture.clips.first();
    let body = detect_body(&capture.skeleton, clip);
    let options = CaptureOptions { allow_rest: true, ..CaptureOptions::default() };
    let built = for_capture(&capture, &options);
    let (height, mass) = built.as_ref().map_or((Real::NAN, Real::NAN), |b| (b.figure.height, b.figure.mass()));
    let main = body.roles.iter().filter(|detected| detected.role.is_some_and(Role::is_main));
    let least = main.map(|detected| detected.confidence).fold(1.0, Real::min);
    println!(
        "| {} | {} | {:?} | {:.2} | {height:.3} | {mass:.1} | {least:.2} |",
        name(&file.display().to_string()),
        capture.skeleton.len(),
        body.plan,
        body.plan_confidence
    );
    let truth = body.sure_roles();
    if !truth.iter().flatten().any(|role| matches!(role, Role::UpperLeg(_))) {
        return Ok(());
    }
    let skeleton = &capture.skeleton;
    let random: Vec<Quat> = (0..skeleton.len()).map(turn).collect();
    let spine = |j: usize| matches!(truth[j], Some(Role::Spine(_) | Role::Neck(_) | Role::Hips));
    let cases: [(&'static str, bool, Option<Vec<Quat>>); 9] = [
        ("names", true, None),
        ("names, along +X", true, Some(axes_along(skeleton, &Vec3::x(), |_| true))),
        ("names, own axes", true, Some(random.clone())),
        ("no names", false, None),
        ("no names, along +X", false, Some(axes_along(skeleton, &Vec3::x(), |_| true))),
        ("no names, along −Y", false, Some(axes_along(skeleton, &-Vec3::y(), |_| true))),
        ("no names, along +Z", false, Some(axes_along(skeleton, &Vec3::z(), |_| true))),
        ("no names, spine along +X", false, Some(axes_along(skeleton, &Vec3::x(), spine))),
        ("no names, own axes", false, Some(random)),
    ];
    for (form, named, axes) in cases {
        let (other, moved) = form_of(skeleton, clip, named, axes.as_deref())?;
        let found = detect_body(&other, moved.as_ref());
        let at = forms.iter().position(|(known, _)| *known == form).unwrap_or_else(|| {
            forms.push((form, Counts::default()));
            forms.len() - 1
        });
        let mut wrong = Vec::new();
        for (j, detected) in found.roles.iter().enumerate() {
            // A joint that carries no part of the body in the truth, or that gets none, is no answer.
            let (Some(role), Some(expected)) = (detected.role, truth[j]) else { continue };
            if !role.is_main() && !expected.is_main() {
                continue;
            }
            let alike = role == expected || matches!((role, expected), (Role::Spine(_), Role::Spine(_)));
            let range = RANGES.iter().rposition(|least| detected.confidence >= *least).unwrap_or(0);
            forms[at].1[range][1] += 1;
            forms[at].1[range][0] += usize::from(alike);
            if !alike && detected.confidence >= SURE {
                wrong.push(format!(
                    "{} is {expected}, not {role} ({:.2})",
                    skeleton.joint(j).name,
                    detected.confidence
                ));
            }
        }
        if !wrong.is_empty() || found.plan != body.plan {
            eprintln!("{} {form}: {:?}; {}", name(&file.display().to_string()), found.plan, wrong.join("; "));
        }
    }
    Ok(())
}

/// The skeleton and its clip with other axes, and without names and roles if `named` is false.
fn form_of(
    skeleton: &Skeleton,
    clip: Option<&Clip>,
    named: bool,
    axes: Option<&[Quat]>,
) -> Result<(Skeleton, Option<Clip>), Box<dyn std::error::Error>> {
    let strip = |(j, joint): (usize, &Joint)| Joint {
        name: if named { joint.name.clone() } else { format!("j{j}") },
        role: None,
        ..joint.clone()
    };
    let plain = Skeleton::new(skeleton.joints().iter().enumerate().map(strip).collect())?;
    let Some(axes) = axes else { return Ok((plain, clip.cloned())) };
    let moved = clip.map(|clip| clip_with_joint_axes(skeleton, clip, axes)).transpose()?;
    Ok((with_joint_axes(&plain, axes)?, moved))
}

/// A rotation for every number, the same at every call.
fn turn(seed: usize) -> Quat {
    let angle = |k: usize| ((seed * 3 + k) as Real * 0.754_877_666).fract() * 6.0 - 3.0;
    Quat::from_euler_angles(angle(0), angle(1), angle(2))
}
