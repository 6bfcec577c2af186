//! Joints that are about other joints: limits, gears, ranges of angles.

use super::joints::axis_word;
use super::kinds::word;
use super::nobody;
use crate::dynamics::{self, Axis, Coordinate, EulerLimit, Freedom, Gear, Kind, Limit, Response, World};
use crate::formats::FormatError;
use crate::math::Real;
use crate::scene::cast::{Cast, Thing};
use crate::scene::desk::Desk;
use crate::scene::number::OneOrMany;
use crate::scene::schema::{Joint, JointKind};
use crate::scene::unit::{ANGLE, ANY};

/// The joint that an entry is about.
pub(super) fn of_joint(
    world: &World,
    cast: &Cast,
    desk: &Desk<'_>,
    entry: &Joint,
    which: usize,
) -> Result<dynamics::Joint, FormatError> {
    let of = entry.of.as_ref().ok_or_else(|| desk.lacks(&word(&entry.kind), "of"))?;
    let names = desk.fill_all("of", of)?;
    let whom = word(&entry.kind);
    let name = names.get(which).ok_or_else(|| desk.fault("of", format!("a {whom} needs {} joints here", which + 1)))?;
    let Some(Thing::Joint(k)) = cast.find(name) else { return Err(nobody(cast, desk, "of", name, "joint")) };
    let joint = world.constraint(cast.joints[k].id).joint();
    joint.cloned().ok_or_else(|| desk.fault("of", format!("{name:?} is no joint between two frames")))
}

/// The freedom of a joint that an entry is about.
pub(super) fn coordinate(
    world: &World,
    cast: &Cast,
    desk: &Desk<'_>,
    entry: &Joint,
    which: usize,
) -> Result<Coordinate, FormatError> {
    let joint = of_joint(world, cast, desk, entry, which)?;
    let told = match &entry.freedom {
        Some(OneOrMany::One(word)) => Some(word.clone()),
        Some(OneOrMany::Many(words)) => words.get(which).cloned(),
        None => None,
    };
    let freedom = match told {
        Some(told) => match told.split_whitespace().collect::<Vec<_>>()[..] {
            ["turn", axis] => Freedom::Turn(axis_word(desk, "freedom", axis)?),
            ["slide", axis] => Freedom::Slide(axis_word(desk, "freedom", axis)?),
            _ => {
                let help = "expected \"turn x\", \"turn y\", \"turn z\", \"slide x\", \"slide y\" or \"slide z\"";
                return Err(desk.fault("freedom", format!("{told:?} is no freedom of a joint")).help(help));
            }
        },
        None => {
            let Some(Thing::Joint(k)) = desk
                .fill_all("of", entry.of.as_ref().unwrap_or(&OneOrMany::default()))?
                .get(which)
                .and_then(|name| cast.find(name))
            else {
                return Err(desk.lacks(&word(&entry.kind), "of"));
            };
            match cast.joints[k].entry.kind {
                JointKind::Hinge => Freedom::Turn(Axis::Z),
                JointKind::Slider | JointKind::Cylinder | JointKind::Line => Freedom::Slide(Axis::X),
                _ => {
                    let help = "say which: freedom = \"turn z\", \"slide x\", …";
                    return Err(desk.fault("of", "this joint has no single freedom of its own").help(help));
                }
            }
        }
    };
    Ok(match freedom {
        Freedom::Turn(axis) => joint.turn(axis),
        Freedom::Slide(axis) => joint.slide(axis),
    })
}

pub(super) fn stops(world: &World, cast: &Cast, desk: &Desk<'_>, entry: &Joint) -> Result<Limit, FormatError> {
    let lower = desk.or("lower", &entry.lower, ANY, Real::NEG_INFINITY)?;
    let upper = desk.or("upper", &entry.upper, ANY, Real::INFINITY)?;
    if lower > upper {
        return Err(desk.fault("upper", format!("this range ends at {upper}, below its beginning at {lower}")));
    }
    Ok(Limit::new(coordinate(world, cast, desk, entry, 0)?, lower, upper))
}

pub(super) fn gear(world: &World, cast: &Cast, desk: &Desk<'_>, entry: &Joint) -> Result<Kind, FormatError> {
    let coordinates = [coordinate(world, cast, desk, entry, 0)?, coordinate(world, cast, desk, entry, 1)?];
    let [first, second] = entry.factors.as_ref().ok_or_else(|| desk.lacks("gear", "factors"))?;
    let factors = [desk.number("factors.0", first, ANY)?, desk.number("factors.1", second, ANY)?];
    if factors.contains(&0.0) {
        return Err(desk.fault("factors", "a factor of 0 couples nothing"));
    }
    let gear = Gear::new(coordinates, factors);
    Ok(if entry.toothed == Some(true) { gear.toothed() } else { gear }.into())
}

pub(super) fn euler(
    world: &World,
    cast: &Cast,
    desk: &Desk<'_>,
    entry: &Joint,
    firm: Response,
) -> Result<Kind, FormatError> {
    let joint = of_joint(world, cast, desk, entry, 0)?;
    let order: Vec<Axis> = entry
        .order
        .as_deref()
        .unwrap_or("xyz")
        .chars()
        .map(|letter| axis_word(desk, "order", &letter.to_string()))
        .collect::<Result<_, _>>()?;
    let order: [Axis; 3] =
        order.try_into().map_err(|_| desk.fault("order", "an order has three axes, such as \"xyz\""))?;
    let texts = entry.ranges.as_ref().ok_or_else(|| desk.lacks("limit of Euler angles", "ranges"))?;
    let mut ranges = [[0.0; 2]; 3];
    for k in 0..3 {
        for end in 0..2 {
            ranges[k][end] = desk.number(&format!("ranges.{k}.{end}"), &texts[k][end], ANGLE)?;
        }
        if ranges[k][0] > ranges[k][1] {
            return Err(desk.fault(&format!("ranges.{k}"), "this range ends below its beginning"));
        }
    }
    let limit = EulerLimit::new(joint.orientations(), order, ranges);
    let limit = limit.ok_or_else(|| desk.fault("order", "the three axes of an order are different ones"))?;
    Ok(limit.responding(firm).into())
}
