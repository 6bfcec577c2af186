//! Size of the body in a file: people of a size that no person has were read with a wrong unit.

use super::detect::{SizedBody, SizedMotion, detect_unit, is_cmu_rig};
use super::{Capture, Format, FormatError};
use crate::{BodyPlan, HUMAN, Real, detect_body};
use std::ops::RangeInclusive;

/// Heights of people who are captured, metres, from a newborn to the largest, with room for errors of the bones.
const PEOPLE: RangeInclusive<Real> = 0.45..=3.0;

/// Heights of characters in glTF, whose unit is the metre unless a program forgot it: fairies and robots are drawn there.
const CHARACTERS: RangeInclusive<Real> = 0.3..=10.0;

/// Heights of animals on four legs, metres, from mice to dinosaurs.
const ANIMALS: RangeInclusive<Real> = 0.02..=20.0;

/// Refuses a capture of a person or an animal that is smaller or taller than any, with the unit that would fit.
pub fn check_size(capture: &Capture) -> Result<(), FormatError> {
    let unit = capture.report.unit;
    let body = detect_body(&capture.skeleton, capture.clips.first());
    let person = body.stature.map(|person| person.height);
    let (whose, height, usual) = match (person, capture.report.format) {
        (Some(height), _) if body.human < HUMAN => ("character", height, CHARACTERS),
        (Some(height), Format::Gltf | Format::Glb | Format::Vrm) => ("person", height, CHARACTERS),
        (Some(height), Format::Bvh | Format::AsfAmc) => ("person", height, PEOPLE),
        (None, _) if body.plan == BodyPlan::Quadruped => ("animal", capture.skeleton.height(), ANIMALS),
        (None, _) => return Ok(()),
    };
    if usual.contains(&height) {
        return Ok(());
    }
    let names = capture.skeleton.joints().iter().map(|joint| joint.name.as_str());
    let units = height / unit.metres;
    let sized = match person {
        Some(_) => SizedBody::Person { length: units, human: body.human, certain: true },
        None => SizedBody::Animal { length: units },
    };
    let fitting = detect_unit(sized, &SizedMotion::default(), is_cmu_rig(names)).unit;
    let fits = fitting != unit && usual.contains(&(units * fitting.metres));
    let error = FormatError::new(format!("with the unit {unit} the {whose} in it is {} tall", length(height)));
    Err(error.help(match fits {
        true => format!("--unit {fitting} makes it {}", length(units * fitting.metres)),
        false => "no usual unit fits; --unit takes the length of the file's unit in metres, such as 0.0254".to_owned(),
    }))
}

/// A length with two or three digits.
fn length(metres: Real) -> String {
    match metres {
        ..1.0 => format!("{:.2} m", metres).replace("0.00 m", "less than 1 cm"),
        ..10.0 => format!("{metres:.2} m"),
        _ => format!("{metres:.0} m"),
    }
}
