//! Points of contact of bodies that rotate far within a step, found anew for each of its substeps.
//!
//! The points of a step are found at its start and move with their bodies. A coin that spins at 250 rad/s has turned by a
//! radian at its end, and stands on another part of its rim. Such bodies get substeps in which they turn by [`TURN`] at
//! most, and the engine runs for their pairs at the start of each.

use super::contact_rows;
use crate::collide::Manifold;
use crate::contact_points::Touch;
use crate::math::{Real, Vec3, tangents};
use crate::step::island::{Island, StepContext};

/// Largest rotation of a point of contact about the centre of mass within a substep, radians: the arc is then within three
/// per cent of the chord that rows are about.
const TURN: Real = 0.25;

/// Points nearer to the centre of mass than this share of the body's radius do not go round: the centre of a ball.
const CENTRAL: Real = 1e-3;

/// Number of substeps that the spins of bodies near others call for.
pub(super) fn wanted_substeps(island: &Island, context: &StepContext<'_>, dt: Real) -> usize {
    let mut fastest: Real = 0.0;
    for touch in &island.touches {
        for (slot, centre) in touch.slots.map(|slot| slot as usize).into_iter().zip(&touch.centres) {
            let radius = context.bounding_radius[island.members[slot] as usize];
            let length = centre.norm();
            if island.movable[slot] && length > CENTRAL * radius {
                let state = &island.states[slot];
                let speed = state.angular().cross(&(state.placement.rotation * centre)).norm();
                fastest = fastest.max(speed / length);
            }
        }
    }
    (fastest * dt / TURN).ceil().min(1e6) as usize
}

/// Finds the points of the next substep, of length `h`. Points that are still there keep their impulses.
pub(super) fn refresh(island: &mut Island, context: &StepContext<'_>, h: Real) {
    let Island { manifolds, touches, states, fresh, earlier, spent, refreshed, .. } = island;
    *refreshed = true;
    fresh.clear();
    std::mem::swap(touches, earlier);
    touches.clear();
    let mut last = None;
    let fall = context.gravity.norm() * h * h;
    for manifold in manifolds.iter().map(|&m| &context.manifolds[m as usize]) {
        let pair = [manifold.a, manifold.b];
        if last.replace(pair) == Some(pair) {
            continue;
        }
        let bodies = [manifold.body_a, manifold.body_b];
        let reach = bodies.map(|body| {
            let state = &states[context.slots[body.index()] as usize];
            let spin = state.angular().norm() * context.bounding_radius[body.index()];
            if state.velocity.amax() > 0.0 { (state.linear().norm() + spin) * h + fall } else { fall }
        });
        let places = bodies.map(|body| &states[context.slots[body.index()] as usize].placement);
        let limit = context.contact.margin + reach[0] + reach[1];
        context.engine.manifolds_of(context.colliders, pair, places, limit, fresh);
    }
    for manifold in fresh.iter() {
        add_points(touches, earlier, manifold, states, context);
    }
    spent.extend(earlier.drain(..).filter(|touch| touch.total[0] > 0.0));
}

fn add_points(
    touches: &mut Vec<Touch>,
    earlier: &mut [Touch],
    manifold: &Manifold,
    states: &[crate::body::State],
    context: &StepContext<'_>,
) {
    let bodies = [manifold.body_a, manifold.body_b];
    let slots = bodies.map(|body| context.slots[body.index()]);
    let [a, b] = slots.map(|slot| &states[slot as usize].placement);
    let [turn_a, turn_b] = [a, b].map(|place| place.rotation.to_rotation_matrix().into_inner());
    let frames = [(&a.position, &turn_a), (&b.position, &turn_b)];
    let (t1, t2) = tangents(&manifold.normal);
    let slop = contact_rows::slop_of(context, bodies);
    for point in manifold.points() {
        let axes = [manifold.normal, t1, t2];
        let mut touch = contact_rows::touch(manifold, slots, axes, frames, point, [0.0; 6], slop);
        let same = |old: &&mut Touch| old.colliders == touch.colliders && old.feature == touch.feature;
        if let Some(old) = earlier.iter_mut().find(same) {
            touch.hit = old.hit.take();
            for (first, kept) in [(old.impulse, &mut touch.impulse), (std::mem::take(&mut old.total), &mut touch.total)]
            {
                // The same force along axes that have changed a little.
                let [n, a, b, ra, rb, s] = first;
                let along = |force: Vec3| [t1.dot(&force), t2.dot(&force)];
                let [a, b] = along(old.tangents[0] * a + old.tangents[1] * b);
                let [ra, rb] = along(old.tangents[0] * ra + old.tangents[1] * rb);
                *kept = [n, a, b, ra, rb, s];
            }
        }
        touches.push(touch);
    }
}
