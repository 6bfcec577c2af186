//! Parameters of a figure's muscles and holds, set at the start and updated at every step if they vary.

use super::Builder;
use super::figures::{group, no_part};
use crate::control::Gains;
use crate::dynamics::Material;
use crate::figure::PlaceOptions;
use crate::formats::FormatError;
use crate::math::Real;
use crate::scene::context::Context;
use crate::scene::schema::{Controller, Figure, Hold};
use crate::scene::unit::{ANGLE, FORCE, FREQUENCY, NUMBER};

/// Frequency and damping of the muscles; `default` for missing entries.
pub(super) fn gains(context: &Context<'_>, entry: &Figure, default: Gains) -> Result<Gains, FormatError> {
    let frequency = context.or("frequency", &entry.frequency, FREQUENCY, default.frequency)?;
    let damping_ratio = context.or("damping_ratio", &entry.damping_ratio, NUMBER, default.damping_ratio)?;
    Ok(Gains {
        frequency: context.positive("frequency", frequency)?,
        damping_ratio: context.not_negative("damping_ratio", damping_ratio)?,
    })
}

/// Gains of the markers of a figure.
pub(super) fn marker_gains(context: &Context<'_>, entry: &Figure) -> Result<Gains, FormatError> {
    gains(context, entry, Gains::critical(10.0))
}

/// Torque limits, in multiples of a strong person's.
pub(super) fn torque(context: &Context<'_>, entry: &Figure) -> Result<Option<Real>, FormatError> {
    context.maybe_positive("strength", &entry.strength, NUMBER)
}

/// Gains and maximum force of a hold. `context` is that of the hold's own table.
pub(super) fn hold_gains(context: &Context<'_>, hold: &Hold) -> Result<(Gains, Real), FormatError> {
    let frequency = context.positive("frequency", context.or("frequency", &hold.frequency, FREQUENCY, 5.0)?)?;
    let limit = context.or("limit", &hold.limit, FORCE, Real::INFINITY)?;
    Ok((Gains::critical(frequency), context.not_negative("limit", limit)?))
}

/// Surface of the figure. A limp body has rolling resistance.
pub(super) fn skin(context: &Context<'_>, entry: &Figure) -> Result<Material, FormatError> {
    let friction = context.non_negative_or("friction", &entry.friction, NUMBER, 0.8)?;
    let mut material = Material { friction, ..PlaceOptions::default().material };
    if entry.controller == Some(Controller::Ragdoll) {
        (material.rolling, material.spinning) = (0.01, 0.01);
    }
    Ok(material)
}

/// Updates everything that may vary while a figure moves; returns true if any of it depends on time.
pub(crate) fn tune_figure(builder: &mut Builder<'_>, context: &Context<'_>, which: usize) -> Result<bool, FormatError> {
    let figure = &builder.objects.figures[which];
    let (world, follower, entry) = (&mut builder.run.world, &mut builder.run.followers[which], &figure.entry);
    match entry.controller.unwrap_or_default() {
        Controller::Markers => {
            let gains = marker_gains(context, entry)?;
            for marker in &follower.markers {
                marker.controller.tune(world, gains, Real::INFINITY);
            }
        }
        Controller::Animation | Controller::Ragdoll => {
            follower.actor.set_gains(gains(context, entry, Gains::default())?);
        }
    }
    if let Some(torque) = torque(context, entry)? {
        follower.actor.set_torque(torque);
    }
    if entry.looseness.is_some() {
        let looseness = context.or("looseness", &entry.looseness, FREQUENCY, 0.0)?;
        follower.actor.set_looseness(context.not_negative("looseness", looseness)?);
    }
    for (part, share) in entry.parts.iter().flatten() {
        let share = context.number(&format!("parts.{part}"), share, NUMBER)?;
        let segments = group(&figure.figure, part).ok_or_else(|| no_part(context, &figure.figure, "parts", part))?;
        for segment in segments {
            follower.actor.set_strength(segment, share.clamp(0.0, 1.0));
        }
    }
    if let (Some(trip), Some(angle)) = (&mut follower.trip, context.maybe("trip", &entry.trip, ANGLE)?) {
        trip.set_threshold(context.positive("trip", angle)?);
    }
    let mut varies = context.varies();
    for hold in &figure.holds {
        let inner = context.inside(&format!("hold.{}", hold.which));
        let (gains, limit) = hold_gains(&inner, &entry.hold[hold.which])?;
        hold.marker.tune(world, gains, limit);
        varies |= inner.varies();
    }
    let surface = context.inside("");
    let material = skin(&surface, entry)?;
    if surface.varies() {
        for id in &figure.instance.bodies {
            world.set_material(*id, material);
        }
    }
    Ok(varies || surface.varies())
}
