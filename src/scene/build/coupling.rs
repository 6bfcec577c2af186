//! Joints that act on other joints: limits, gears, ranges of angles.

use super::joints::axis_word;
use super::keys::word;
use super::unknown_name;
use crate::dynamics::{self, Axis, Coordinate, EulerLimit, Freedom, Gear, Kind, Limit, Response, World};
use crate::formats::FormatError;
use crate::math::Real;
use crate::scene::context::Context;
use crate::scene::number::OneOrMany;
use crate::scene::objects::{ObjectId, Objects};
use crate::scene::schema::{Joint, JointKind};
use crate::scene::unit::{ANGLE, ANY};

/// Joint that an entry acts on.
pub(super) fn of_joint(
    world: &World,
    objects: &Objects,
    context: &Context<'_>,
    entry: &Joint,
    which: usize,
) -> Result<dynamics::Joint, FormatError> {
    let of = entry.of.as_ref().ok_or_else(|| context.missing(&word(&entry.kind), "of"))?;
    let names = context.fill_all("of", of)?;
    let owner = word(&entry.kind);
    let name =
        names.get(which).ok_or_else(|| context.fault("of", format!("a {owner} needs {} joints here", which + 1)))?;
    let Some(ObjectId::Joint(k)) = objects.find(name) else {
        return Err(unknown_name(objects, context, "of", name, "joint"));
    };
    let joint = world.constraint(objects.joints[k].id).joint();
    joint.cloned().ok_or_else(|| context.fault("of", format!("{name:?} is no joint between two frames")))
}

/// Degree of freedom of a joint that an entry acts on.
pub(super) fn coordinate(
    world: &World,
    objects: &Objects,
    context: &Context<'_>,
    entry: &Joint,
    which: usize,
) -> Result<Coordinate, FormatError> {
    let joint = of_joint(world, objects, context, entry, which)?;
    let told = match &entry.freedom {
        Some(OneOrMany::One(word)) => Some(word.clone()),
        Some(OneOrMany::Many(words)) => words.get(which).cloned(),
        None => None,
    };
    let freedom = match told {
        Some(told) => match told.split_whitespace().collect::<Vec<_>>()[..] {
            ["turn", axis] => Freedom::Rotation(axis_word(context, "freedom", axis)?),
            ["slide", axis] => Freedom::Slide(axis_word(context, "freedom", axis)?),
            _ => {
                let help = "expected \"turn x\", \"turn y\", \"turn z\", \"slide x\", \"slide y\" or \"slide z\"";
                return Err(context.fault("freedom", format!("{told:?} is no freedom of a joint")).help(help));
            }
        },
        None => {
            let Some(ObjectId::Joint(k)) = context
                .fill_all("of", entry.of.as_ref().unwrap_or(&OneOrMany::default()))?
                .get(which)
                .and_then(|name| objects.find(name))
            else {
                return Err(context.missing(&word(&entry.kind), "of"));
            };
            match objects.joints[k].entry.kind {
                JointKind::Hinge => Freedom::Rotation(Axis::Z),
                JointKind::Slider | JointKind::Cylinder | JointKind::Line => Freedom::Slide(Axis::X),
                _ => {
                    let help = "say which: freedom = \"turn z\", \"slide x\", …";
                    return Err(context.fault("of", "this joint has no single freedom of its own").help(help));
                }
            }
        }
    };
    Ok(match freedom {
        Freedom::Rotation(axis) => joint.rotation(axis),
        Freedom::Slide(axis) => joint.slide(axis),
    })
}

pub(super) fn stops(
    world: &World,
    objects: &Objects,
    context: &Context<'_>,
    entry: &Joint,
) -> Result<Limit, FormatError> {
    let lower = context.or("lower", &entry.lower, ANY, Real::NEG_INFINITY)?;
    let upper = context.or("upper", &entry.upper, ANY, Real::INFINITY)?;
    if lower > upper {
        return Err(context.fault("upper", format!("this range ends at {upper}, below its beginning at {lower}")));
    }
    Ok(Limit::new(coordinate(world, objects, context, entry, 0)?, lower, upper))
}

pub(super) fn gear(
    world: &World,
    objects: &Objects,
    context: &Context<'_>,
    entry: &Joint,
) -> Result<Kind, FormatError> {
    let coordinates = [coordinate(world, objects, context, entry, 0)?, coordinate(world, objects, context, entry, 1)?];
    let [first, second] = entry.factors.as_ref().ok_or_else(|| context.missing("gear", "factors"))?;
    let factors = [context.number("factors.0", first, ANY)?, context.number("factors.1", second, ANY)?];
    if factors.contains(&0.0) {
        return Err(context.fault("factors", "a factor of 0 couples nothing"));
    }
    let gear = Gear::new(coordinates, factors);
    Ok(if entry.toothed == Some(true) { gear.toothed() } else { gear }.into())
}

pub(super) fn euler(
    world: &World,
    objects: &Objects,
    context: &Context<'_>,
    entry: &Joint,
    firm: Response,
) -> Result<Kind, FormatError> {
    let joint = of_joint(world, objects, context, entry, 0)?;
    let order: Vec<Axis> = entry
        .order
        .as_deref()
        .unwrap_or("xyz")
        .chars()
        .map(|letter| axis_word(context, "order", &letter.to_string()))
        .collect::<Result<_, _>>()?;
    let order: [Axis; 3] =
        order.try_into().map_err(|_| context.fault("order", "an order has three axes, such as \"xyz\""))?;
    let texts = entry.ranges.as_ref().ok_or_else(|| context.missing("limit of Euler angles", "ranges"))?;
    let mut ranges = [[0.0; 2]; 3];
    for k in 0..3 {
        for end in 0..2 {
            ranges[k][end] = context.number(&format!("ranges.{k}.{end}"), &texts[k][end], ANGLE)?;
        }
        if ranges[k][0] > ranges[k][1] {
            return Err(context.fault(&format!("ranges.{k}"), "this range ends below its beginning"));
        }
    }
    let limit = EulerLimit::new(joint.orientations(), order, ranges);
    let limit = limit.ok_or_else(|| context.fault("order", "the three axes of an order are different ones"))?;
    Ok(limit.responding(firm).into())
}
