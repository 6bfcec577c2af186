//! Bodies that are found in files, and a check of the confidence in their joints.
//!
//! ```text
//! cargo run --release -p sinew-tools --bin body_survey -- [--variants COUNT] [--kinds] FILE…
//! ```
//!
//! The first table lists plan, stature and mass of every file. The second one takes the roles found with names as the truth, and detects them again
//! in the same bodies with names that say nothing, with bones along one axis, and with axes of its own for every joint: for each range of
//! confidence, the share of answers that are right.
//!
//! The third table writes so many made-up variants of each file, with factors chosen at random (`variants`), reads them, and compares each with
//! the same body in its plain form: the share of variants in which a fact is wrong, and in which it is wrong without a word of doubt. A fact
//! is doubted if a second guess is told, and a role if its confidence is below 0.9. The fourth table does the same with
//! kinds of files that data sets and programs write (`kinds`).

mod kinds;
mod names;
mod variants;

use sinew::figure::{CaptureOptions, for_capture};
use sinew::formats::{self, Capture, ImportOptions, bvh};
use sinew::motion::edit::{axes_along, clip_with_joint_axes, with_joint_axes};
use sinew::motion::{BodyPlan, Clip, DetectedBody, Joint, Role, SURE, Skeleton, detect_body};
use sinew::{Quat, Real, Vec3};
use std::path::Path;
use variants::{Base, Variant, turn};

/// Lower ends of the ranges of confidence.
const RANGES: [Real; 6] = [0.0, 0.5, 0.6, 0.7, 0.8, 0.9];

/// Right and all answers by range of confidence.
type Counts = [[usize; 2]; RANGES.len()];

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let mut count = 0;
    if let Some(at) = files.iter().position(|word| word == "--variants") {
        count = files.get(at + 1).and_then(|word| word.parse().ok()).unwrap_or(20);
        files.drain(at..(at + 2).min(files.len()));
    }
    let with_kinds = files.iter().position(|word| word == "--kinds").map(|at| files.remove(at)).is_some();
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
    let (mut table, mut kinds) = (Vec::new(), Vec::new());
    for file in &files {
        let told = |error: Box<dyn std::error::Error>| eprintln!("{}: {error}", name(file));
        vary(Path::new(file), count, with_kinds, &mut table, &mut kinds).unwrap_or_else(told);
    }
    print_variants(&table);
    print_variants(&kinds);
}

/// Facts of an import: wrong, and wrong without a word of doubt.
const FACTS: [&str; 6] = ["up", "unit", "plan", "roles", "stature", "mass"];

/// Faults of one fact.
#[derive(Clone, Copy, Default)]
struct Fault {
    wrong: bool,
    certain: bool,
}

/// Faults of all variants with one value of one factor.
struct Row {
    factor: &'static str,
    value: String,
    all: usize,
    faults: [[usize; 2]; FACTS.len()],
}

fn print_variants(table: &[Row]) {
    if table.is_empty() {
        return;
    }
    println!("\nwrong, and (wrong without doubt), of so many variants\n");
    println!("| factor | value | variants | {} |\n|---|---|---|{}", FACTS.join(" | "), "---|".repeat(FACTS.len()));
    let mut rows: Vec<&Row> = table.iter().collect();
    rows.sort_by_key(|row| (row.factor, row.value.clone()));
    for row in rows {
        let cells: Vec<String> = row.faults.iter().map(|[wrong, certain]| format!("{wrong} ({certain})")).collect();
        println!("| {} | {} | {} | {} |", row.factor, row.value, row.all, cells.join(" | "));
    }
}

/// What an import says of a body.
struct Facts {
    plan: BodyPlan,
    height: Real,
    mass: Real,
}

fn facts(capture: &Capture) -> Result<(Facts, DetectedBody), Box<dyn std::error::Error>> {
    let body = detect_body(&capture.skeleton, capture.clips.first());
    let figure = for_capture(capture, &CaptureOptions::default())?.figure;
    Ok((Facts { plan: body.plan, height: figure.height, mass: figure.mass() }, body))
}

/// Compares variants of a file, and the kinds that it can be written in, with its plain form.
fn vary(
    file: &Path,
    count: usize,
    with_kinds: bool,
    table: &mut Vec<Row>,
    kinds: &mut Vec<Row>,
) -> Result<(), Box<dyn std::error::Error>> {
    if count == 0 && !with_kinds {
        return Ok(());
    }
    let capture = formats::read(file, &ImportOptions::default())?;
    let Some(clip) = capture.clips.first().filter(|clip| clip.frames() > 10) else { return Ok(()) };
    let truth = detect_body(&capture.skeleton, Some(clip)).sure_roles();
    if !truth.iter().flatten().any(|role| matches!(role, Role::UpperLeg(_))) {
        return Ok(());
    }
    // Longer clips say more and take longer.
    let clip = sinew::motion::edit::slice(clip, 0..clip.frames().min(600))?;
    let base = variants::in_order(&Base { skeleton: capture.skeleton.clone(), clip, truth })?;
    let file = file.display().to_string();
    let mut seed = name(&file).bytes().fold(17usize, |sum, b| sum.wrapping_mul(31).wrapping_add(b.into()));
    let mut pick = |count: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % count
    };
    for k in 0..count {
        // Half of the factors of a variant are plain, so that faults can be told apart.
        let mut any =
            |values: &'static [&'static str]| if pick(2) == 0 { values[0] } else { values[pick(values.len())] };
        let [tree, build, start] = [any(&variants::TREES), any(&variants::BUILDS), any(&variants::STARTS)];
        let [rest, names, channels] = [any(&variants::RESTS), any(&names::STYLES), any(&variants::CHANNELS)];
        let (up, unit) = (variants::UPS[pick(2)], variants::UNITS[pick(2) * pick(variants::UNITS.len())]);
        let variant = Variant { tree, build, start, rest, names, channels, up, unit };
        count_faults(table, variant.factors(), tell(name(&file), &base, &variant, k));
    }
    for kind in kinds::all().iter().filter(|_| with_kinds) {
        let faults = tell(&format!("{} {}", name(&file), kind.name), &base, &kind.variant, 1);
        count_faults(kinds, vec![("kind", kind.name.to_owned())], faults);
    }
    Ok(())
}

/// Reads a variant and prints its faults.
fn tell(file: &str, base: &Base, variant: &Variant, seed: usize) -> [Fault; FACTS.len()] {
    let (faults, message) = match judge(base, variant, seed) {
        Ok(found) => found,
        Err(error) => ([Fault { wrong: true, certain: false }; FACTS.len()], error.to_string()),
    };
    if faults.iter().any(|fault| fault.wrong) {
        let factors: Vec<String> = variant.factors().into_iter().map(|(_, value)| value).collect();
        let certain = if faults.iter().any(|fault| fault.certain) { "CERTAIN " } else { "" };
        eprintln!("{certain}{file} [{}]: {message}", factors.join(" · "));
    }
    faults
}

/// Adds the faults of a variant to the rows of its factors.
fn count_faults(table: &mut Vec<Row>, factors: Vec<(&'static str, String)>, faults: [Fault; FACTS.len()]) {
    for (factor, value) in factors.into_iter().chain([("all", String::new())]) {
        let at = table.iter().position(|row| row.factor == factor && row.value == value).unwrap_or_else(|| {
            table.push(Row { factor, value, all: 0, faults: Default::default() });
            table.len() - 1
        });
        table[at].all += 1;
        for (count, fault) in table[at].faults.iter_mut().zip(&faults) {
            count[0] += usize::from(fault.wrong);
            count[1] += usize::from(fault.certain);
        }
    }
}

/// Reads a variant and compares it with its plain form.
fn judge(
    base: &Base,
    variant: &Variant,
    seed: usize,
) -> Result<([Fault; FACTS.len()], String), Box<dyn std::error::Error>> {
    let plain = variants::body(base, &variant.plain(), seed)?;
    let told =
        ImportOptions { unit: Some(variants::PLAIN.unit), up: Some(variants::PLAIN.up), ..ImportOptions::default() };
    let expected = facts(&bvh::read(&variants::document(&plain, &variants::PLAIN).to_bytes(), &told)?)?.0;
    let body = variants::body(base, variant, seed)?;
    let capture = bvh::read(&variants::document(&body, variant).to_bytes(), &ImportOptions::default())?;
    let (found, detected) = facts(&capture)?;
    let doubted =
        |what: &str| capture.report.guesses.iter().any(|guess| guess.what == what && guess.runner_up.is_some());
    let fault = |wrong: bool, doubt: bool| Fault { wrong, certain: wrong && !doubt };
    let mut message = String::new();
    let up = fault(capture.report.up != variant.up, doubted("up"));
    let unit = fault(capture.report.unit != variant.unit, doubted("unit"));
    if up.wrong || unit.wrong {
        message += &format!("read as {} {}; ", capture.report.up, capture.report.unit);
    }
    let plan = fault(found.plan != expected.plan, detected.plan_confidence < 0.9);
    if plan.wrong {
        message += &format!("{:?}, not {:?} ({:.2}); ", found.plan, expected.plan, detected.plan_confidence);
    }
    let (mut roles, mut wrong) = (Fault::default(), Vec::new());
    for (j, guess) in detected.roles.iter().enumerate() {
        let expected = body.truth[j].filter(|role| role.is_main());
        let role = guess.role.filter(|role| role.is_main() && guess.confidence >= SURE);
        let alike = role == expected || matches!((role, expected), (Some(Role::Spine(_)), Some(Role::Spine(_))));
        if !alike {
            roles.wrong = true;
            roles.certain |= role.is_some() && guess.confidence >= 0.9;
            let word = |role: Option<Role>| role.map_or("nothing".to_owned(), |role| role.to_string());
            wrong.push(format!("{} for {} ({:.2})", word(role), word(expected), guess.confidence));
        }
    }
    if roles.wrong {
        message += &format!("{}; ", wrong.join(", "));
    }
    let off = |a: Real, b: Real| (a / b - 1.0).abs() > 0.05;
    // A size that is wrong because of a unit that is told to be doubtful is doubtful as well.
    let doubt = (unit.wrong && !unit.certain) || detected.plan_confidence < 0.9;
    let stature = fault(off(found.height, expected.height), doubt);
    let mass = fault(off(found.mass, expected.mass), doubt);
    if stature.wrong || mass.wrong {
        let Facts { height, mass, .. } = expected;
        message += &format!("{:.2} m for {height:.2}, {:.1} kg for {mass:.1}", found.height, found.mass);
    }
    Ok(([up, unit, plan, roles, stature, mass], message))
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
            let rests = if found.standing.is_some() { "" } else { " (rest pose)" };
            eprintln!("{} {form}: {:?}{rests}; {}", name(&file.display().to_string()), found.plan, wrong.join("; "));
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
