//! Length unit of a file, from the length of the body along its bones.

use crate::Real;
use crate::formats::Unit;
use crate::math::real;

/// Usual height of a person, sole to crown, metres.
pub(super) const USUAL: Real = 1.7;

/// Units of files, each with a cost for being less usual than centimetres: twice the logarithm of the odds. Inches are those of old files.
const UNITS: [(Unit, Real); 7] = [
    (Unit::CENTIMETRE, 0.0),
    (Unit::METRE, 0.0),
    (Unit::INCH, 1.8),
    (Unit::CMU, 1.5),
    (Unit::DECIMETRE, 0.4),
    (Unit::MILLIMETRE, 0.5),
    // No known program writes feet: only a size that fits nothing else tells them.
    (Unit::FOOT, 3.0),
];

/// Cost of CMU's unit where the joints have the names of that database.
const CMU_BY_NAME: Real = -0.8;

/// Lead of the cheapest unit from which it is certain: twice the logarithm of odds of 10 to 1.
const CERTAIN: Real = 4.6;

/// Body by which a unit is judged, with its length in file units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SizedBody {
    /// Body on two legs; its length is its stature. `certain` is false where it may be an animal or show too little of itself.
    Person { length: Real, certain: bool },
    /// Body on four legs; its length is that along its bones.
    Animal { length: Real },
    /// Nothing is known; its length is the largest side of its box.
    Unknown { length: Real },
}

impl SizedBody {
    fn length(self) -> Real {
        let (SizedBody::Person { length, .. } | SizedBody::Animal { length } | SizedBody::Unknown { length }) = self;
        length
    }
}

/// Unit with its rival.
pub(crate) struct UnitGuess {
    pub unit: Unit,
    pub why: String,
    /// Second best unit, if it is too likely to be ruled out.
    pub runner_up: Option<Unit>,
}

/// Cost of a length, metres. Children and small rigs are common, people of more than two metres are not, so that a little too tall
/// counts more than a little too small. Beyond that, the cost grows linearly.
fn size_cost(length: Real, body: SizedBody) -> Real {
    /// Usual length of animals and things, metres, and the spread of its logarithm, from cat to horse.
    const ANIMAL: Real = 1.0;
    const SPREAD_OF_ANIMALS: Real = 0.9;
    const SPREAD_BELOW: Real = 0.3;
    const SPREAD_ABOVE: Real = 0.17;
    /// Ratio from which the cost is linear, in spreads; 2.2 m.
    const GIANT: Real = 1.5;
    match real::ln(length / USUAL) {
        _ if !matches!(body, SizedBody::Person { .. }) => (real::ln(length / ANIMAL) / SPREAD_OF_ANIMALS).powi(2),
        ratio @ ..0.0 => (ratio / SPREAD_BELOW).powi(2),
        ratio if ratio < GIANT * SPREAD_ABOVE => (ratio / SPREAD_ABOVE).powi(2),
        ratio => GIANT * (2.0 * ratio / SPREAD_ABOVE - GIANT),
    }
}

/// Detects the unit that makes a body of this length, in file units, most like a person; of two equal ones, the more usual one.
pub(crate) fn detect(body: SizedBody, is_cmu_rig: bool) -> UnitGuess {
    let length = body.length();
    if !(length.is_finite() && length > 0.0) {
        let why = "nothing in the file has a length; most files are in cm".to_owned();
        return UnitGuess { unit: Unit::CENTIMETRE, why, runner_up: None };
    }
    let cost = |&(unit, rarity): &(Unit, Real)| {
        let rarity = if is_cmu_rig && unit == Unit::CMU { CMU_BY_NAME } else { rarity };
        size_cost(length * unit.metres, body) + rarity
    };
    let mut costs = UNITS.map(|unit| (unit.0, cost(&unit)));
    costs.sort_by(|a, b| a.1.total_cmp(&b.1));
    let [(best, least), (second, next), ..] = costs;
    let decimals = match length {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    let measured = |unit: Unit| format!("{:.2} m", length * unit.metres);
    let why = match body {
        SizedBody::Unknown { .. } => {
            format!("it is {length:.decimals$} units long, {} in this unit; no person was found in it", measured(best))
        }
        _ => {
            let name = if is_cmu_rig && best == Unit::CMU {
                ", and its joints have the names of the CMU database"
            } else {
                ""
            };
            format!(
                "the body measures {length:.decimals$} units along its bones, {} in this unit{name}",
                measured(best)
            )
        }
    };
    let is_doubtful = matches!(body, SizedBody::Person { certain: false, .. });
    let runner_up = (is_doubtful || next - least < CERTAIN).then_some(second);
    let why = match runner_up {
        Some(unit) => format!("{why}, and {} in {unit}", measured(unit)),
        None => why,
    };
    UnitGuess { unit: best, why, runner_up }
}

/// Returns true for joint names of the CMU motion capture database in its usual BVH conversion.
pub(crate) fn is_cmu_rig<'a>(mut names: impl Iterator<Item = &'a str>) -> bool {
    let mut found = [false; 2];
    names.any(|name| {
        found[0] |= name.eq_ignore_ascii_case("LHipJoint");
        found[1] |= name.eq_ignore_ascii_case("LowerBack");
        found == [true; 2]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(length: Real) -> SizedBody {
        SizedBody::Person { length, certain: true }
    }

    #[test]
    fn people_of_usual_height_give_their_unit() {
        for (height, unit, rival) in [
            (1.7, Unit::METRE, None),
            (1.4, Unit::METRE, None),
            (17.0, Unit::DECIMETRE, None),
            (157.0, Unit::CENTIMETRE, None),
            (185.0, Unit::CENTIMETRE, None),
            (110.0, Unit::CENTIMETRE, None),
            (1720.0, Unit::MILLIMETRE, None),
            (62.0, Unit::INCH, None),
            (71.0, Unit::INCH, None),
            (5.4, Unit::FOOT, None),
            // A child in inches, or a tall man in CMU's unit.
            (42.4, Unit::INCH, Some(Unit::CMU)),
            (25.0, Unit::CMU, Some(Unit::DECIMETRE)),
            // Giants and dwarfs: the nearer one, and in doubt the usual unit.
            (390.0, Unit::CENTIMETRE, None),
            (450.0, Unit::CENTIMETRE, None),
            (800.0, Unit::MILLIMETRE, None),
            (0.5, Unit::METRE, None),
        ] {
            let found = detect(person(height), false);
            assert_eq!(found.unit, unit, "{height}");
            if rival.is_some() {
                assert_eq!(found.runner_up, rival, "{height}");
            }
        }
        for nothing in [0.0, Real::NAN] {
            assert_eq!(detect(person(nothing), false).unit, Unit::CENTIMETRE);
        }
        assert_eq!(detect(person(25.0), true).runner_up, None);
    }

    #[test]
    fn the_size_of_an_animal_or_a_thing_says_little_of_its_unit() {
        for length in [60.0, 90.0, 140.0] {
            for body in [SizedBody::Animal { length }, SizedBody::Unknown { length }] {
                let found = detect(body, false);
                assert_eq!(found.unit, Unit::CENTIMETRE, "{length}");
                assert!(found.runner_up.is_some(), "{length}");
            }
        }
    }
}
