//! Length unit of a file, from the body in it and its motion: a likelihood for each unit.
//!
//! People have similar sizes, and gravity is the same for all: the stride of a body that walks goes with the square root of its legs, and a body in
//! the air falls with g. A cartoon has any size, and its proportions tell that it is one. Each piece of evidence costs twice the negative
//! logarithm of its likelihood, so that costs add up and a Gaussian costs its squared deviation.

use crate::Real;
use crate::Vec3;
use crate::formats::Unit;
use crate::math::real;

/// Usual height of a person, sole to crown, metres.
pub(super) const USUAL: Real = 1.7;

/// Standard gravity, m/s².
const GRAVITY: Real = 9.81;

/// Units of files, each with a cost for being less usual than centimetres. Inches are those of old files.
const UNITS: [(Unit, Real); 7] = [
    (Unit::CENTIMETRE, 0.0),
    (Unit::METRE, 0.0),
    (Unit::INCH, 1.8),
    // Files of that database mostly keep its names.
    (Unit::CMU, 2.2),
    (Unit::DECIMETRE, 0.4),
    (Unit::MILLIMETRE, 0.5),
    // No known program writes feet: only a size that fits nothing else tells them.
    (Unit::FOOT, 3.0),
];

/// Cost of CMU's unit where the joints have the names of that database.
const CMU_BY_NAME: Real = -0.8;

/// Lead of the cheapest unit from which it is certain: odds of 10 to 1.
const CERTAIN: Real = 4.6;

/// Difference of costs from which a piece of evidence is told.
const TOLD: Real = 1.0;

/// Body by which a unit is judged, with its length in file units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SizedBody {
    /// Body on two legs; its length is its stature. `human` is the probability that it has the size of a person. `certain` is false where it may be
    /// an animal or show too little of itself.
    Person { length: Real, human: Real, certain: bool },
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

/// Motion by which a unit is judged, in file units and seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct SizedMotion {
    /// Height of the hips over the ground, and strides per second, of a body that walks or runs.
    pub gait: Option<[Real; 2]>,
    /// Accelerations of the centre of the body in runs of frames, a thirtieth of a second apart.
    pub accelerations: Vec<Vec<Vec3>>,
    /// Direction of up.
    pub up: Vec3,
}

/// Unit with its rival.
pub(crate) struct UnitGuess {
    pub unit: Unit,
    pub why: String,
    /// Second best unit, if it is too likely to be ruled out.
    pub runner_up: Option<Unit>,
}

/// Cost of a length, metres.
fn size_cost(length: Real, body: SizedBody) -> Real {
    /// Usual length of animals and things, metres, and the spread of its logarithm, from cat to horse.
    const ANIMAL: [Real; 2] = [1.0, 0.9];
    /// The same of cartoons and toys that walk on two legs, from 0.5 m to 3 m.
    const CARTOON: [Real; 2] = [1.3, 0.45];
    let deviation = |[usual, spread]: [Real; 2]| (real::ln(length / usual) / spread).powi(2);
    let SizedBody::Person { human, .. } = body else { return deviation(ANIMAL) };
    // Densities over the logarithm of the length, each over that of a usual person at its most likely size.
    let person = human * real::exp(-0.5 * person_cost(length));
    let cartoon = (1.0 - human) * real::exp(-0.5 * deviation(CARTOON)) * 0.5 * (SPREAD[0] + SPREAD[1]) / CARTOON[1];
    // Beyond the range of numbers only the slope of the cost counts.
    if person + cartoon > 1e-300 { -2.0 * real::ln(person + cartoon) } else { person_cost(length) }
}

/// Spread of the logarithm of the stature of people below and above the usual one. Children and small rigs are common, people of more than two
/// metres are not, so that a little too tall counts more than a little too small.
const SPREAD: [Real; 2] = [0.3, 0.17];

/// Cost of a stature, metres; linear beyond 2.2 m.
fn person_cost(length: Real) -> Real {
    /// Ratio from which the cost is linear, in spreads.
    const GIANT: Real = 1.5;
    match real::ln(length / USUAL) {
        ratio @ ..0.0 => (ratio / SPREAD[0]).powi(2),
        ratio if ratio < GIANT * SPREAD[1] => (ratio / SPREAD[1]).powi(2),
        ratio => GIANT * (2.0 * ratio / SPREAD[1] - GIANT),
    }
}

/// Cost of hips this high, metres, for this many strides per second.
///
/// Bodies of all sizes walk and run alike in units of √(h/g) (R. McN. Alexander and A. S. Jayes, *A dynamic similarity hypothesis for the gaits of
/// quadrupedal mammals*, Journal of Zoology 201, 135–152, 1983). In captured walks and runs of people and dogs f √(h/g) is 0.14, very slow, to 0.45.
fn gait_cost(height: Real, stride_hz: Real) -> Real {
    /// Mean of these, and the spread of the logarithm of the height that follows: twice that of the frequency, 0.31.
    const RELATIVE: Real = 0.27;
    const SPREAD: Real = 0.62;
    /// Degrees of freedom of the distribution: dances and cartoons keep to no gait.
    const TAILS: Real = 4.0;
    let expected = GRAVITY * (RELATIVE / stride_hz).powi(2);
    let deviation = real::ln(height / expected) / SPREAD;
    (TAILS + 1.0) * real::ln(1.0 + deviation * deviation / TAILS)
}

/// Cost, none or negative, of gravity of this size in file units: the centre of a body in the air falls with it for a while.
fn fall_cost(gravity: Real, motion: &SizedMotion) -> Real {
    /// Acceleration that still passes for gravity, over gravity: the centre of mass is only an estimate.
    const TOLERANCE: Real = 0.25;
    /// Frames in a row that are no chance.
    const ROW: usize = 3;
    /// Cost of one frame, and at most.
    const EACH: Real = 0.5;
    const MOST: Real = 5.0;
    let mut frames = 0;
    for run in &motion.accelerations {
        let falls = |a: &Vec3| (a + motion.up * gravity).norm() < TOLERANCE * gravity;
        let rows = run.chunk_by(|a, b| falls(a) == falls(b)).filter(|row| falls(&row[0]) && row.len() >= ROW);
        frames += rows.map(<[Vec3]>::len).sum::<usize>();
    }
    -(EACH * frames as Real).min(MOST)
}

/// Detects the unit in which a body, its length and its motion are most like those of a living one.
pub(crate) fn detect(body: SizedBody, motion: &SizedMotion, is_cmu_rig: bool) -> UnitGuess {
    let length = body.length();
    if !(length.is_finite() && length > 0.0) {
        let why = "nothing in the file has a length; most files are in cm".to_owned();
        return UnitGuess { unit: Unit::CENTIMETRE, why, runner_up: None };
    }
    let gait = |unit: Unit| motion.gait.map_or(0.0, |[height, stride_hz]| gait_cost(height * unit.metres, stride_hz));
    let fall = |unit: Unit| fall_cost(GRAVITY / unit.metres, motion);
    let cost = |&(unit, rarity): &(Unit, Real)| {
        let rarity = if is_cmu_rig && unit == Unit::CMU { CMU_BY_NAME } else { rarity };
        size_cost(length * unit.metres, body) + gait(unit) + fall(unit) + rarity
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
    // Evidence is worth telling where it speaks for this unit and against the next one.
    let speaks = |of: &dyn Fn(Unit) -> Real| of(second) - of(best) > TOLD;
    let moves = match (speaks(&gait), speaks(&fall)) {
        (_, true) => ", and it falls with g in the air",
        (true, false) => ", and its strides are those of a body of this size",
        (false, false) => "",
    };
    let why = why + moves;
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
        SizedBody::Person { length, human: 0.999, certain: true }
    }

    /// Detects the unit of a body of which nothing but its size is known.
    fn by_size(body: SizedBody, is_cmu_rig: bool) -> UnitGuess {
        detect(body, &SizedMotion::default(), is_cmu_rig)
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
            let found = by_size(person(height), false);
            assert_eq!(found.unit, unit, "{height}");
            if rival.is_some() {
                assert_eq!(found.runner_up, rival, "{height}");
            }
        }
        for nothing in [0.0, Real::NAN] {
            assert_eq!(by_size(person(nothing), false).unit, Unit::CENTIMETRE);
        }
        assert_eq!(by_size(person(25.0), true).runner_up, None);
    }

    #[test]
    fn the_size_of_an_animal_or_a_thing_says_little_of_its_unit() {
        for length in [60.0, 90.0, 140.0] {
            for body in [SizedBody::Animal { length }, SizedBody::Unknown { length }] {
                let found = by_size(body, false);
                assert_eq!(found.unit, Unit::CENTIMETRE, "{length}");
                assert!(found.runner_up.is_some(), "{length}");
            }
        }
    }

    /// A cartoon of 75 cm in any unit may be a person in another one: both are told.
    #[test]
    fn the_unit_of_a_cartoon_is_told_to_be_in_doubt() {
        for unit in [Unit::CENTIMETRE, Unit::METRE, Unit::INCH, Unit::FOOT] {
            let body = SizedBody::Person { length: 0.75 / unit.metres, human: 0.05, certain: true };
            let found = by_size(body, false);
            assert!(found.unit == unit || found.runner_up == Some(unit), "{unit}");
            // In metres it would be a giant or a mouse in any other unit.
            assert_eq!(found.runner_up.is_some(), unit != Unit::METRE, "{unit}");
        }
    }

    /// Strides go with √(h/g): a dog that makes 1.2 strides per second has hips at 0.45 m, whatever the unit of its file.
    #[test]
    fn the_stride_of_an_animal_shows_its_size() {
        for unit in [Unit::CENTIMETRE, Unit::METRE, Unit::INCH, Unit::FOOT] {
            let body = SizedBody::Animal { length: 1.0 / unit.metres };
            let gait = Some([0.45 / unit.metres, 1.2]);
            assert_eq!(detect(body, &SizedMotion { gait, ..SizedMotion::default() }, false).unit, unit);
        }
    }

    /// Half a second in the air, in any unit: the centre of the body falls with g there and nowhere else.
    #[test]
    fn a_body_in_the_air_shows_its_unit() {
        for unit in [Unit::CENTIMETRE, Unit::METRE, Unit::INCH] {
            let fall = Vec3::y() * (-9.81 / unit.metres);
            let run = (0..30).map(|k| if (8..18).contains(&k) { fall } else { -fall * 0.4 }).collect();
            let motion = SizedMotion { gait: None, accelerations: vec![run], up: Vec3::y() };
            let body = SizedBody::Person { length: 1.05 / unit.metres, human: 0.5, certain: true };
            let found = detect(body, &motion, false);
            assert_eq!((found.unit, found.runner_up), (unit, None));
        }
    }
}
