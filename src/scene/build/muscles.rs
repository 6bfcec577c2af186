//! What a figure's muscles and holds are worth: taken at the start, and anew at every step where it changes with time.

use super::figures::{group, no_part};
use crate::control::Gains;
use crate::dynamics::{Material, World};
use crate::figure::PlaceOptions;
use crate::formats::FormatError;
use crate::math::Real;
use crate::scene::cast::CastFigure;
use crate::scene::desk::Desk;
use crate::scene::schema::{Controller, Figure, Hold};
use crate::scene::unit::{ANGLE, FORCE, FREQUENCY, NUMBER};

/// Frequency and damping of the muscles, `default` where the entry does not say.
pub(super) fn gains(desk: &Desk<'_>, entry: &Figure, default: Gains) -> Result<Gains, FormatError> {
    let frequency = desk.or("frequency", &entry.frequency, FREQUENCY, default.frequency)?;
    let damping_ratio = desk.or("damping_ratio", &entry.damping_ratio, NUMBER, default.damping_ratio)?;
    Ok(Gains {
        frequency: desk.positive("frequency", frequency)?,
        damping_ratio: desk.not_negative("damping_ratio", damping_ratio)?,
    })
}

/// Those of all markers of a figure that markers lead.
pub(super) fn marker_gains(desk: &Desk<'_>, entry: &Figure) -> Result<Gains, FormatError> {
    gains(desk, entry, Gains::critical(10.0))
}

/// Torque limits, in multiples of a strong person's.
pub(super) fn torque(desk: &Desk<'_>, entry: &Figure) -> Result<Option<Real>, FormatError> {
    desk.maybe("strength", &entry.strength, NUMBER)?.map(|strength| desk.positive("strength", strength)).transpose()
}

/// Gains and most force of a hold. `desk` is at the hold's own table.
pub(super) fn hold_gains(desk: &Desk<'_>, hold: &Hold) -> Result<(Gains, Real), FormatError> {
    let frequency = desk.positive("frequency", desk.or("frequency", &hold.frequency, FREQUENCY, 5.0)?)?;
    let limit = desk.or("limit", &hold.limit, FORCE, Real::INFINITY)?;
    Ok((Gains::critical(frequency), desk.not_negative("limit", limit)?))
}

/// What its flesh is like to touch. Limp flesh does not roll.
pub(super) fn skin(desk: &Desk<'_>, entry: &Figure) -> Result<Material, FormatError> {
    let friction = desk.not_negative("friction", desk.or("friction", &entry.friction, NUMBER, 0.8)?)?;
    let mut material = Material { friction, ..PlaceOptions::default().material };
    if entry.controller == Some(Controller::Ragdoll) {
        (material.rolling, material.spinning) = (0.01, 0.01);
    }
    Ok(material)
}

/// Sets everything that may change while a figure moves as it is now, and tells whether any of it changes with time.
pub(crate) fn tune_figure(world: &mut World, desk: &Desk<'_>, figure: &mut CastFigure) -> Result<bool, FormatError> {
    let entry = &figure.entry;
    match entry.controller.unwrap_or_default() {
        Controller::Markers => {
            let gains = marker_gains(desk, entry)?;
            for (_, _, marker) in &figure.markers {
                marker.tune(world, gains, Real::INFINITY);
            }
        }
        Controller::Animation | Controller::Ragdoll => {
            figure.actor.set_gains(gains(desk, entry, Gains::default())?);
        }
    }
    if let Some(torque) = torque(desk, entry)? {
        figure.actor.set_torque(torque);
    }
    if entry.looseness.is_some() {
        let looseness = desk.or("looseness", &entry.looseness, FREQUENCY, 0.0)?;
        figure.actor.set_looseness(desk.not_negative("looseness", looseness)?);
    }
    for (part, share) in entry.parts.iter().flatten() {
        let share = desk.number(&format!("parts.{part}"), share, NUMBER)?;
        let segments =
            group(figure.actor.figure(), part).ok_or_else(|| no_part(desk, figure.actor.figure(), "parts", part))?;
        for segment in segments {
            figure.actor.set_strength(segment, share.clamp(0.0, 1.0));
        }
    }
    if let (Some(trip), Some(angle)) = (&mut figure.trip, desk.maybe("trip", &entry.trip, ANGLE)?) {
        trip.set_threshold(desk.positive("trip", angle)?);
    }
    let mut moves = desk.moves();
    for hold in &figure.holds {
        let inner = desk.inside(&format!("hold.{}", hold.which));
        let (gains, limit) = hold_gains(&inner, &entry.hold[hold.which])?;
        hold.marker.tune(world, gains, limit);
        moves |= inner.moves();
    }
    let surface = desk.inside("");
    let material = skin(&surface, entry)?;
    if surface.moves() {
        for id in &figure.actor.instance().bodies {
            world.set_material(*id, material);
        }
    }
    Ok(moves || surface.moves())
}
