//! Bound on the energy of bodies that nothing but gravity works on.
//!
//! Contact takes energy, it gives none. Its discrete form may: bodies are stopped at gaps along straight ways, are lifted out
//! where a rotation brought them in, bounce at several points at once with friction (Newton's law of restitution then
//! has no bound, Kane 1984). An island without constraints, force laws, loads and moving supports has a law that can be stated:
//!
//! ```text
//!   ½ w'·M w' − Σ m g·x' ≤ ½ w·M w − Σ m g·x,   w = v + ½h g      the velocity at the time of the position
//! ```
//!
//! for bodies in flight, and w = v for those that press on something. Where a substep breaks it, bounces are taken back
//! towards the motion without them as far as needed. What is still too much is taken by impulses between the bodies that press on
//! each other, as a little more inelasticity, friction and resistance to rolling would: momentum stays, and nothing is
//! braked along what has no friction.
//!
//! Where a body rolls over its corners, the same energy goes and comes from substep to substep. What was just taken may come
//! back, up to [`CREDIT`].

use crate::contact_points::Touch;
use crate::math::{Buffer, Real, Vec3, Vec6};
use crate::solve::Inertia;
use crate::step::Workspace;
use crate::step::island::{Island, StepContext};

/// Rounding of energies, as a share of them.
const ROUNDING: Real = 1e-13;

/// Returns true if only gravity and contact with what stands still act on the island.
fn nothing_works(island: &Island, context: &StepContext<'_>) -> bool {
    let stands = |slot: u32| island.movable[slot as usize] || island.states[slot as usize].velocity == Vec6::zeros();
    island.flies()
        && island.touches.iter().all(|touch| touch.slots.into_iter().all(stands))
        && island.own().iter().all(|&body| context.loads[body as usize] == Vec6::zeros())
}

/// Product of two velocities of a body by its mass matrix.
fn product(inertia: &Inertia, a: &Vec6, b: &Vec6) -> Real {
    a.dot(&inertia.apply(b))
}

/// Largest share of the kinetic energy that may come back after it was taken.
const CREDIT: Real = 0.001;

/// Takes back what a substep of length `h` gained; returns true if there was anything. `bounced` says that
/// `corrections.velocity` holds the velocities before bounces.
pub(super) fn enforce(island: &mut Island, context: &StepContext<'_>, h: Real, bounced: bool) -> bool {
    if !island.touches.iter().any(|touch| touch.acting) || !nothing_works(island, context) {
        return false;
    }
    let Island { states, staggers, fixed, workspace, touches, .. } = island;
    let Workspace { assembly, velocity, trial, corrections, free, .. } = workspace;
    let (gravity, inertias, presses) = (context.gravity, &assembly.problem.inertias, &free.presses);
    let own = *fixed..states.len();
    let fall = Vec6::new(gravity.x, gravity.y, gravity.z, 0.0, 0.0, 0.0) * (0.5 * h);
    let leads = |index: usize| if presses[index] { Vec6::zeros() } else { fall };
    // Twice the kinetic energies: before, and a + 2bs + cs² after with the share s of bounces.
    let (mut allowed, mut scale, mut a, mut b, mut c) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for index in own.clone() {
        let (inertia, stagger) = (&inertias[index], &staggers[index]);
        let before = states[index].velocity + stagger.lead;
        let kinetic = product(inertia, &before, &before);
        let way = trial[index].placement.position - states[index].placement.position;
        let fall = 2.0 * inertia.mass * gravity.dot(&way);
        allowed += kinetic + fall + stagger.credit;
        scale += kinetic + fall.abs();
        let plain = if bounced { &corrections.velocity[index] } else { &velocity[index] };
        let more = velocity[index] - plain;
        let plain = plain + leads(index);
        a += product(inertia, &plain, &plain);
        b += product(inertia, &plain, &more);
        c += product(inertia, &more, &more);
    }
    allowed = allowed.max(0.0) + ROUNDING * scale;
    let mut kinetic = a + 2.0 * b + c;
    let too_much = kinetic > allowed;
    if too_much {
        let share = if a < allowed && c > 0.0 { ((b * b + c * (allowed - a)).sqrt() - b) / c } else { 0.0 };
        let share = share.clamp(0.0, 1.0);
        for index in own.clone().filter(|_| bounced) {
            let plain = corrections.velocity[index];
            velocity[index] = plain + (velocity[index] - plain) * share;
        }
        kinetic = a + share * (2.0 * b + share * c);
        let changes = &mut corrections.velocity;
        for _ in 0..ROUNDS {
            if kinetic <= allowed * (1.0 + ROUNDING) {
                break;
            }
            resist(touches, inertias, velocity, leads, changes);
            // Twice the energy is k + 2ds + es² with the share s of the changes.
            let (mut d, mut e) = (0.0, 0.0);
            for index in own.clone() {
                d += product(&inertias[index], &(velocity[index] + leads(index)), &changes[index]);
                e += product(&inertias[index], &changes[index], &changes[index]);
            }
            if !(d < 0.0 && e > 0.0) {
                break;
            }
            let root = (d * d - e * (kinetic - allowed)).max(0.0).sqrt();
            let share = (-d - root) / e;
            own.clone().for_each(|index| velocity[index] += changes[index] * share);
            kinetic += share * (2.0 * d + share * e);
        }
    }
    let credit = (allowed - kinetic).clamp(0.0, CREDIT * kinetic) / (own.len() as Real);
    staggers[own].iter_mut().for_each(|stagger| stagger.credit = credit);
    too_much
}

/// Most rounds of resistance; bodies that press on several others need more than one.
const ROUNDS: usize = 8;

/// Finds the changes of velocities by impulses and couples, equal and opposite, that would end the relative motion of
/// each two bodies that press on each other, if they were alone: along the normal and about the axes across it, and where there is
/// friction along the plane of contact, within Coulomb's bound, and about the normal.
fn resist(
    touches: &[Touch],
    inertias: &[Inertia],
    velocity: &[Vec6],
    leads: impl Fn(usize) -> Vec6,
    changes: &mut Vec<Vec6>,
) {
    changes.reset(velocity.len(), Vec6::zeros());
    let parts = |v: &Vec6| (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]));
    for touch in touches.iter().filter(|touch| touch.acting && touch.impulse[0] > 0.0) {
        let (normal, slots) = (touch.normal, touch.slots.map(|slot| slot as usize));
        let moves = |which: usize| {
            let slot = slots[which];
            let still = inertias[slot].inverse_mass == 0.0;
            let (linear, spin) = parts(&if still { Vec6::zeros() } else { velocity[slot] + leads(slot) });
            (linear + spin.cross(&touch.levers[which]), spin)
        };
        let ((one, spin_one), (other, spin_other)) = (moves(0), moves(1));
        let (mut slip, mut spin) = (other - one, spin_other - spin_one);
        if touch.friction == 0.0 {
            slip = normal * normal.dot(&slip);
            spin -= normal * normal.dot(&spin);
        }
        // Inverses of the masses that the impulse along the slip and the couple about the spin have to move, times slip² and spin².
        let (mut ease, mut turn_ease) = (0.0, 0.0);
        for which in [0, 1] {
            let inertia = &inertias[slots[which]];
            let moment = touch.levers[which].cross(&slip);
            ease += inertia.inverse_mass * slip.norm_squared() + moment.dot(&(inertia.inverse_inertia * moment));
            turn_ease += spin.dot(&(inertia.inverse_inertia * spin));
        }
        let mut impulse = if ease > 0.0 { slip * (-slip.norm_squared() / ease) } else { Vec3::zeros() };
        let couple = if turn_ease > 0.0 { spin * (-spin.norm_squared() / turn_ease) } else { Vec3::zeros() };
        let along = normal * normal.dot(&impulse);
        let (across, bound) = (impulse - along, touch.friction * touch.impulse[0]);
        if across.norm_squared() > bound * bound {
            impulse = along + across * (bound / across.norm());
        }
        for (which, sign) in [(0, -1.0), (1, 1.0)] {
            let (impulse, couple) = (impulse * sign, couple * sign);
            let moment = touch.levers[which].cross(&impulse) + couple;
            let blow = Vec6::new(impulse.x, impulse.y, impulse.z, moment.x, moment.y, moment.z);
            changes[slots[which]] += inertias[slots[which]].apply_inverse(&blow);
        }
    }
}
