//! Joints that act on other joints: limits, gears, ranges of angles.

use super::joints::{axis_word, max_load};
use super::keys::word;
use super::{Scope, unknown_name};
use crate::dynamics::{
    self, Axis, Coordinate, EulerLimit, Freedom, Gear, Kind, Limit, LimitedSpring, Power, PoweredAxis, Response,
    SwingTwist,
};
use crate::formats::FormatError;
use crate::math::Real;
use crate::scene::number::OneOrMany;
use crate::scene::objects::ObjectId;
use crate::scene::schema::{Joint, JointKind};
use crate::scene::unit::{ANGLE, ANY, DAMPING, FORCE, STIFFNESS, TORQUE};

/// Joint that an entry acts on.
pub(super) fn of_joint(scope: Scope<'_>, entry: &Joint, which: usize) -> Result<dynamics::Joint, FormatError> {
    let Scope { world, objects, context, .. } = scope;
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
pub(super) fn coordinate(scope: Scope<'_>, entry: &Joint, which: usize) -> Result<Coordinate, FormatError> {
    let Scope { objects, context, .. } = scope;
    let joint = of_joint(scope, entry, which)?;
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

pub(super) fn stops(scope: Scope<'_>, entry: &Joint) -> Result<Limit, FormatError> {
    let context = scope.context;
    let lower = context.or("lower", &entry.lower, ANY, Real::NEG_INFINITY)?;
    let upper = context.or("upper", &entry.upper, ANY, Real::INFINITY)?;
    if lower > upper {
        return Err(context.fault("upper", format!("this range ends at {upper}, below its beginning at {lower}")));
    }
    Ok(Limit::new(coordinate(scope, entry, 0)?, lower, upper))
}

pub(super) fn gear(scope: Scope<'_>, entry: &Joint) -> Result<Kind, FormatError> {
    let context = scope.context;
    let coordinates = [coordinate(scope, entry, 0)?, coordinate(scope, entry, 1)?];
    let [first, second] = entry.factors.as_ref().ok_or_else(|| context.missing("gear", "factors"))?;
    let factors = [context.number("factors.0", first, ANY)?, context.number("factors.1", second, ANY)?];
    if factors.contains(&0.0) {
        return Err(context.fault("factors", "a factor of 0 couples nothing"));
    }
    let gear = Gear::new(coordinates, factors);
    Ok(if entry.toothed == Some(true) { gear.toothed() } else { gear }.into())
}

pub(super) fn euler(scope: Scope<'_>, entry: &Joint, firm: Response) -> Result<Kind, FormatError> {
    let context = scope.context;
    let joint = of_joint(scope, entry, 0)?;
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

/// Spring along or about an axis, between stops.
pub(super) fn limited_spring(scope: Scope<'_>, entry: &Joint) -> Result<Kind, FormatError> {
    let context = scope.context;
    let stops = stops(scope, entry)?;
    let stiffness = context.needed("stiffness", &entry.stiffness, STIFFNESS, "limited spring")?;
    let spring = LimitedSpring {
        stops,
        rest: context.or("rest", &entry.rest, ANY, 0.0)?,
        stiffness: context.not_negative("stiffness", stiffness)?,
        damping: context.non_negative_or("damping", &entry.damping, DAMPING, 0.0)?,
    };
    Ok(spring.into())
}

/// Motor along or about an axis, between stops.
pub(super) fn powered_axis(scope: Scope<'_>, entry: &Joint, firm: Response) -> Result<Kind, FormatError> {
    let context = scope.context;
    let stops = stops(scope, entry)?;
    let power = match (&entry.speed, &entry.position) {
        (Some(_), Some(_)) => {
            return Err(context.fault("speed", "a powered axis keeps a speed or a position, not both"));
        }
        (Some(speed), None) => Power::Speed(context.number("speed", speed, ANY)?),
        (None, Some(position)) => {
            let jet = context.jet("position", position, ANY)?;
            Power::Position { time: context.time, position: jet.value, speed: jet.rate, acceleration: jet.second }
        }
        (None, None) => Power::Off,
    };
    let max_force = max_load(context, "max_force", &entry.max_force, FORCE)?;
    Ok(PoweredAxis { stops, power, response: firm, max_force }.into())
}

/// Cone of swing and range of twist.
pub(super) fn swing_twist(scope: Scope<'_>, entry: &Joint, firm: Response) -> Result<Kind, FormatError> {
    let context = scope.context;
    let joint = of_joint(scope, entry, 0)?;
    let pair = |keys: &str, pair: &Option<[_; 2]>| -> Result<Option<[Real; 2]>, FormatError> {
        let Some([low, high]) = pair else { return Ok(None) };
        Ok(Some([
            context.number(&format!("{keys}.0"), low, ANGLE)?,
            context.number(&format!("{keys}.1"), high, ANGLE)?,
        ]))
    };
    let swing = pair("swing", &entry.swing)?.ok_or_else(|| context.missing("swing_twist", "swing"))?;
    if !swing.iter().all(|half| *half > 0.0 && *half < std::f64::consts::PI) {
        return Err(context.fault("swing", "the half angles of a cone lie between 0 and π"));
    }
    let twist = pair("twist", &entry.twist)?.unwrap_or([Real::NEG_INFINITY, Real::INFINITY]);
    if twist[0] > twist[1] {
        return Err(context.fault("twist", "this range ends below its beginning"));
    }
    let mut limit = SwingTwist::new(joint.orientations(), swing, twist).responding(firm);
    limit.max_torque = max_load(context, "max_torque", &entry.max_torque, TORQUE)?;
    Ok(limit.into())
}
