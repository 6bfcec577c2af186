//! Contact at velocity level.
//!
//! The points found at the start of a step stay for all its substeps and move with their bodies; the normals stay, but for balls.
//!
//! ```text
//!   J v ≥ −d/h          while apart: they may meet at the end of the substep, not pass
//!   J v ≥ 0             once they touch
//!   J v ≥ e v⁻          where they hit at v⁻, in a second solve for the velocities alone, after the way was found
//! ```
//!
//! An overlap is removed by displacement, not by speed (`Solver::separate`): it neither throws overlapping bodies apart
//! nor adds to a bounce. All three go through the response of the trees, so
//! joints stay closed.
//!
//! A velocity is that of the middle of its substep, so what a body would hit with, and must leave with to keep its energy, are
//! half a substep's acceleration off what its velocity says: v⁻² = (v + ½ha)² − 2ad, and e v⁻ − ½ha is set. The first ½h
//! is that of the last substep, 0 for a body that was just placed.

use super::TimeStepping;
use crate::body::{BodyId, State};
use crate::collide::{ColliderId, ContactPoint, Manifold, Shape};
use crate::contact_points::{Touch, WarmStart};
use crate::free_rotation::curvature_share;
use crate::math::{Buffer, Mat3, Real, Vec3, Vec6, tangents};
use crate::solve::{Contact, Entry, Row};
use crate::step::Workspace;
use crate::step::island::{Island, StepContext};
use crate::step::workspace::{Corrections, RowState};

/// Speed of a hit, in substeps of free acceleration, below which it counts as resting contact.
const SETTLING: Real = 2.0;

/// Depth, in slops, that a point may sink within a substep before it is lifted out again.
pub(super) const SUNK: Real = 4.0;

/// Heaps of more points than this get fewer sweeps, in proportion, but not fewer than `LEAST_SWEEPS`.
const MANY: usize = 100;
const LEAST_SWEEPS: usize = 30;

pub(super) fn sweeps_for(points: usize, sweeps: usize) -> usize {
    (sweeps * MANY / points.max(MANY)).max(sweeps.min(LEAST_SWEEPS))
}

/// Largest share of the radius of a body that an uncorrected overlap may have. What is small beside a person is not beside
/// a grain.
const SLOP_SHARE: Real = 0.01;

/// Depth of overlap of two bodies that is not corrected, metres.
pub(super) fn slop_of(context: &StepContext<'_>, bodies: [BodyId; 2]) -> Real {
    let radius = |body: BodyId| {
        let moves = context.bodies[body.index()].is_dynamic();
        if moves { context.bounding_radius[body.index()] } else { Real::INFINITY }
    };
    context.contact.slop.min(SLOP_SHARE * radius(bodies[0]).min(radius(bodies[1])))
}

/// Builds the points of the island from its manifolds.
pub(super) fn begin(island: &mut Island, context: &StepContext<'_>, dt: Real) {
    let Island { manifolds, touches, states, spent, refreshed, .. } = island;
    touches.clear();
    spent.clear();
    *refreshed = false;
    let mut found = 0;
    for manifold in manifolds.iter().map(|&m| &context.manifolds[m as usize]) {
        let slots = [manifold.body_a, manifold.body_b].map(|b| context.slots[b.index()]);
        let [a, b] = slots.map(|slot| &states[slot as usize]);
        let normal = manifold.normal;
        let (t1, t2) = tangents(&normal);
        let warm = WarmStart::of(context.warm, manifold, &mut found);
        let slop = slop_of(context, [manifold.body_a, manifold.body_b]);
        let [turn_a, turn_b] = [a, b].map(|state| state.placement.rotation.to_rotation_matrix().into_inner());
        for point in manifold.points() {
            let mut impulse = [0.0; 6];
            if let Some(warm) = WarmStart::find(warm, point) {
                let WarmStart { normal: force, friction: f, turning: t, .. } = warm;
                impulse = [*force, t1.dot(f), t2.dot(f), t1.dot(t), t2.dot(t), normal.dot(t)].map(|x| x * dt);
            }
            let frames = [(&a.placement.position, &turn_a), (&b.placement.position, &turn_b)];
            touches.push(touch(manifold, slots, [normal, t1, t2], frames, point, impulse, slop));
        }
    }
}

/// A point of contact between two bodies with these positions and rotations.
#[inline(always)]
pub(super) fn touch(
    manifold: &Manifold,
    slots: [u32; 2],
    axes: [Vec3; 3],
    [(place_a, turn_a), (place_b, turn_b)]: [(&Vec3, &Mat3); 2],
    point: &ContactPoint,
    impulse: [Real; 6],
    slop: Real,
) -> Touch {
    let (normal, rounding) = (axes[0], manifold.rounding);
    let (on_a, on_b) = (place_a + turn_a * point.on_a, place_b + turn_b * point.on_b);
    let middle = (on_a + on_b) * 0.5;
    // From the surface to the centre of the rounded feature, in the frames of the bodies.
    let inwards = [turn_a.tr_mul(&normal) * -rounding[0], turn_b.tr_mul(&normal) * rounding[1]];
    Touch {
        colliders: [manifold.a, manifold.b],
        bodies: [manifold.body_a, manifold.body_b],
        feature: point.feature,
        on_a: point.on_a,
        slots,
        normal,
        tangents: [axes[1], axes[2]],
        centres: [point.on_a + inwards[0], point.on_b + inwards[1]],
        padding: normal.dot(&(on_b - on_a)) + rounding[0] + rounding[1] - point.distance,
        rounding,
        levers: [middle - place_a, middle - place_b],
        point: middle,
        acting: false,
        place: NOWHERE,
        slop,
        gap: point.distance,
        next_gap: point.distance,
        friction: manifold.material.friction,
        restitution: manifold.material.restitution,
        rolling: manifold.material.rolling,
        spinning: manifold.material.spinning,
        impulse,
        total: [0.0; 6],
        known: 0.0,
        approach: 0.0,
        pull: 0.0,
        rebound: None,
        hit: None,
        slip: Vec3::zeros(),
    }
}

/// Scales the warm start, which is for the whole step at first, to one substep of a new length.
pub(super) fn rescale(touches: &mut [Touch], factor: Real) {
    if factor == 1.0 {
        return;
    }
    touches.iter_mut().for_each(|touch| touch.impulse.iter_mut().for_each(|x| *x *= factor));
}

/// Velocity of B against A at the point; bodies that nothing moves have the velocity of their state.
#[inline(always)]
fn closing(touch: &Touch, velocity: &[Vec6], movable: &[bool], states: &[State]) -> Vec3 {
    let of = |which: usize| {
        let slot = touch.slots[which] as usize;
        let moves = if movable[slot] { &velocity[slot] } else { &states[slot].velocity };
        at_lever(moves, &touch.levers[which])
    };
    of(1) - of(0)
}

/// Velocity of the point of a body at a lever from its centre of mass.
#[inline(always)]
fn at_lever(moves: &Vec6, lever: &Vec3) -> Vec3 {
    Vec3::new(moves[0], moves[1], moves[2]) + Vec3::new(moves[3], moves[4], moves[5]).cross(lever)
}

#[inline]
fn jacobian(touch: &Touch, which: usize, axis: &Vec3, angular: bool) -> Vec6 {
    if angular {
        return Vec6::new(0.0, 0.0, 0.0, axis.x, axis.y, axis.z);
    }
    let moment = touch.levers[which].cross(axis);
    Vec6::new(axis.x, axis.y, axis.z, moment.x, moment.y, moment.z)
}

/// Selects the points that may meet within the substep at their current speed. Impacts elsewhere may bring the others in;
/// [`activate_overrun`] adds those.
pub(super) fn select_acting(island: &mut Island, context: &StepContext<'_>, h: Real) {
    let Island { touches, states, workspace, movable, .. } = island;
    let velocity = &workspace.velocity;
    for touch in touches {
        let near = context.contact.margin.min(0.5e-3);
        // Free velocities and those before: whichever closes faster.
        let normal = &touch.normal;
        let free = normal.dot(&closing(touch, velocity, movable, states));
        let before = |which: usize| at_lever(&states[touch.slots[which] as usize].velocity, &touch.levers[which]);
        let now = normal.dot(&(before(1) - before(0)));
        touch.acting = touch.gap <= near - h * free.min(now).min(0.0);
        touch.place = NOWHERE;
        if !touch.acting {
            touch.impulse = [0.0; 6];
        }
    }
}

/// Activates points that overlap after a try; returns true if there are any.
pub(super) fn activate_overrun(island: &mut Island) -> bool {
    let mut any = false;
    for touch in island.touches.iter_mut().filter(|touch| !touch.acting) {
        touch.acting = touch.next_gap < -touch.slop;
        any |= touch.acting;
    }
    any
}

/// Place of a point without rows.
const NOWHERE: u32 = u32::MAX;

/// Adds the rows of the acting touches that have none yet after those of the constraints. `workspace.velocity` holds the free velocities.
pub(super) fn state_rows(island: &mut Island, h: Real) {
    let time = island.impulse_time(h);
    let Island { touches, states, movable, workspace, .. } = island;
    let Workspace { assembly, velocity, free, rows: RowState { exact, .. }, lambda, .. } = workspace;
    let problem = &mut assembly.problem;
    for touch in touches.iter_mut().filter(|touch| touch.acting && touch.place == NOWHERE) {
        touch.place = problem.contacts.len() as u32;
        let first = problem.rows.len() as u32;
        let (angular, axes) = (touch.turning(), touch.axes());
        // What the point goes beside its speed at the start of the substep, m/s.
        let [a, b] = [0, 1].map(|which| free.ahead[touch.slots[which] as usize].cross(&touch.levers[which]));
        let aside = b - a + path_curvature(touch, states, movable, h) * (0.5 * h);
        for row in 0..if angular { 6 } else { 3 } {
            let (axis, angular) = if row < 3 { (axes[row], false) } else { (axes[(row - 2) % 3], true) };
            let start = problem.entries.len() as u32;
            let mut known = 0.0;
            for (which, sign) in [(0, -1.0), (1, 1.0)] {
                let slot = touch.slots[which];
                let jacobian = jacobian(touch, which, &axis, angular) * sign;
                if movable[slot as usize] {
                    problem.entries.push(Entry { body: slot, jacobian });
                } else {
                    known += jacobian.dot(&states[slot as usize].velocity);
                }
            }
            let mut target = -known;
            if row < 3 {
                target -= axis.dot(&aside);
            }
            if row == 0 {
                target += if touch.gap > 0.0 { -touch.gap / h } else { 0.0 };
                let before: Real = (problem.entries[start as usize..].iter())
                    .map(|e| e.jacobian.dot(&states[e.body as usize].velocity))
                    .sum();
                let free: Real = (problem.entries[start as usize..].iter())
                    .map(|e| e.jacobian.dot(&velocity[e.body as usize]))
                    .sum();
                touch.known = known;
                touch.approach = before + known;
                touch.pull = (free - before) / time;
            }
            let count = problem.entries.len() as u32 - start;
            problem.rows.push(Row { first: start, count, target, softness: 0.0, lo: 0.0, hi: 0.0 });
            exact.push(false);
            // Warm start.
            lambda.push(touch.impulse[row]);
        }
        let Touch { friction, rolling, spinning, .. } = *touch;
        problem.contacts.push(Contact { first, angular, friction, rolling, spinning });
    }
}

/// Centripetal acceleration of the point, B relative to A, m/s²: ω × (ω × c), c from the centre of mass to the centre of the
/// rounded feature. Joints have the same term (½h J̇v). Without it a body that rotates on the ground sinks in by ½(hω)² c in
/// every step and is lifted out again, which adds energy. Corners have none: while one rises, the next one comes down. It is
/// zero where nothing pressed before, because the impact is about to change the spin, and where both bodies move, because
/// the normal rotates as well.
fn path_curvature(touch: &Touch, states: &[State], movable: &[bool], h: Real) -> Vec3 {
    let [a, b] = touch.slots.map(|slot| slot as usize);
    let way = |slot: usize, centre: &Vec3| {
        let (spin, c) = (states[slot].angular(), states[slot].placement.rotation * centre);
        spin.cross(&spin.cross(&c)) * curvature_share(spin.norm_squared() * h * h)
    };
    let rounded = touch.rounding.map(|radius| radius > 0.0 && touch.impulse[0] > 0.0);
    match (movable[a], movable[b]) {
        (false, true) if rounded[1] => way(b, &touch.centres[1]),
        (true, false) if rounded[0] => -way(a, &touch.centres[0]),
        _ => Vec3::zeros(),
    }
}

/// Restores the free velocities; the rows stay.
pub(super) fn restore_free_velocities(island: &mut Island) {
    let Workspace { velocity, shift, free, .. } = &mut island.workspace;
    velocity.copy_from_slice(&free.velocity);
    shift.fill(Vec6::zeros());
}

/// Reads the impulses of the solver and finds hits; returns true if one bounces.
pub(super) fn read_impulses(island: &mut Island, context: &StepContext<'_>, h: Real) -> bool {
    let lag = island.longest_lag();
    let Workspace { assembly, lambda, .. } = &mut island.workspace;
    let mut bounces = false;
    for touch in island.touches.iter_mut().filter(|t| t.acting) {
        let rows = assembly.problem.contacts[touch.place as usize].rows();
        let count = rows.len();
        touch.impulse[..count].copy_from_slice(&lambda[rows]);
        touch.rebound = None;
        if touch.impulse[0] > 0.0 && touch.approach < 0.0 {
            let (v, a) = (touch.approach + lag * touch.pull, touch.pull);
            let speed = (v * v - 2.0 * a * touch.gap.max(0.0)).max(0.0).sqrt();
            if speed > context.contact.bounce_speed.max(SETTLING * h * a.abs()) {
                if touch.restitution > 0.0 {
                    touch.rebound = Some(touch.restitution * speed - 0.5 * h * a);
                    bounces = true;
                }
                if touch.hit.is_none_or(|(fastest, _)| speed > fastest) {
                    touch.hit = Some((speed, island.time));
                }
            }
        }
    }
    bounces
}

impl TimeStepping {
    /// Moves overlapping bodies apart, and violated one-sided rows back, by displacement alone. Returns true if there was
    /// anything to move.
    pub(super) fn push_apart(island: &mut Island, context: &StepContext<'_>, h: Real) -> bool {
        let settings = context.contact;
        let overlaps = |touch: &Touch| touch.gap < -touch.slop;
        let wanted = |touch: &Touch| {
            let depth = -touch.gap - 0.5 * touch.slop;
            if depth > 0.0 { (settings.push_out * depth / h).min(settings.push_out_speed) } else { depth / h }
        };
        Self::shift_apart(island, true, overlaps, wanted)
    }

    /// Removes overlap that rotation brought in and the straight rows did not see, all but the slop. Points that were pushed
    /// out in this substep stay out: others must not be lifted at their cost.
    pub(super) fn lift_out(island: &mut Island, h: Real) -> bool {
        let sunk = |touch: &Touch| touch.gap.max(touch.next_gap).min(0.0) - touch.next_gap;
        Self::shift_apart(
            island,
            false,
            |touch| sunk(touch) > SUNK * touch.slop,
            |touch| (sunk(touch) - touch.slop) / h,
        )
    }

    /// Shifts bodies so that every acting point moves by `wanted` m/s at least, if any of them `calls` for it; with the
    /// one-sided rows that were past their `ends`.
    fn shift_apart(
        island: &mut Island,
        ends: bool,
        calls: impl Fn(&Touch) -> bool,
        wanted: impl Fn(&Touch) -> Real,
    ) -> bool {
        let Island { touches, workspace, solver, .. } = island;
        let Workspace { assembly, corrections, shift, rows: RowState { past_ends, .. }, lambda, .. } = workspace;
        let Corrections { targets, velocity: shifts, .. } = corrections;
        let ends = ends && !past_ends.is_empty();
        let called = touches.iter().any(|touch| touch.acting && calls(touch));
        if !ends && !called {
            return false;
        }
        let problem = &assembly.problem;
        targets.reset(problem.rows.len(), 0.0);
        for touch in touches.iter().filter(|touch| touch.acting) {
            targets[problem.contacts[touch.place as usize].first as usize] =
                // Bodies are not lifted for the sake of ends alone, only not driven in.
                if called { wanted(touch) } else { wanted(touch).min(0.0) };
        }
        // Ends that gave way because they are weak do not come back by shifting.
        for &(row, speed) in
            past_ends.iter().filter(|(row, _)| ends && lambda[*row as usize] < problem.rows[*row as usize].hi)
        {
            targets[row as usize] = speed;
        }
        shifts.reset(shift.len(), Vec6::zeros());
        solver.as_dyn().separate(&assembly.problem, targets, shifts);
        shift.iter_mut().zip(&*shifts).for_each(|(way, more)| *way += more);
        true
    }

    /// Velocities after bounces: solved once more from the free velocities, with the speeds that hits must leave with.
    /// What stage 3 added since `plain` stays.
    pub(super) fn bounce(island: &mut Island) {
        let Island { touches, workspace, solver, .. } = island;
        let Workspace { assembly, lambda, velocity, free, corrections, .. } = workspace;
        let Corrections { plain, plain_lambda, tangent, .. } = corrections;
        for touch in touches.iter().filter(|t| t.acting) {
            if let Some(speed) = touch.rebound {
                let normal = assembly.problem.contacts[touch.place as usize].first;
                assembly.problem.rows[normal as usize].target = speed - touch.known;
            }
        }
        plain.iter_mut().zip(&*velocity).for_each(|(plain, v)| *plain = v - *plain);
        plain_lambda.iter_mut().zip(&*lambda).for_each(|(plain, l)| *plain = l - *plain);
        velocity.copy_from_slice(&free.velocity);
        solver.as_dyn().solve(&assembly.problem, lambda, velocity);
        tangent.clone_from(velocity);
        velocity.iter_mut().zip(&*plain).for_each(|(v, added)| *v += added);
        lambda.iter_mut().zip(&*plain_lambda).for_each(|(l, added)| *l += added);
        for touch in touches.iter_mut().filter(|t| t.acting) {
            let rows = assembly.problem.contacts[touch.place as usize].rows();
            let count = rows.len();
            touch.impulse[..count].copy_from_slice(&lambda[rows]);
        }
    }
}

/// Updates the gaps at the end of the substep on trial.
pub(super) fn update_next_gaps(island: &mut Island) {
    let Island { touches, workspace, .. } = island;
    for touch in touches {
        let [a, b] = centres(touch, &workspace.trial);
        touch.next_gap = touch.normal.dot(&(b - a)) - touch.padding;
    }
}

/// The centres of both features, world space.
#[inline(always)]
fn centres(touch: &Touch, states: &[State]) -> [Vec3; 2] {
    let [a, b] = touch.slots;
    let at = |slot: u32, centre: &Vec3| states[slot as usize].placement.point(centre);
    [at(a, &touch.centres[0]), at(b, &touch.centres[1])]
}

/// Moves the points with their bodies between substeps. The normal of two balls is the line of their centres: if it stayed behind,
/// their points would have levers across it, and their spins would count as approach.
pub(super) fn move_points(island: &mut Island, context: &StepContext<'_>) {
    let Island { touches, states, .. } = island;
    let is_ball = |id: &ColliderId| matches!(context.colliders[id.index()].1.shape, Shape::Sphere { .. });
    for touch in touches {
        let [a, b] = centres(touch, states);
        if touch.colliders.iter().all(is_ball)
            && let Some(normal) = (b - a).try_normalize(Real::MIN_POSITIVE)
        {
            let (t1, t2) = tangents(&normal);
            (touch.normal, touch.tangents) = (normal, [t1, t2]);
            touch.gap = normal.dot(&(b - a)) - touch.padding;
        }
        let normal = touch.normal;
        touch.point = (a + normal * touch.rounding[0] + b - normal * touch.rounding[1]) * 0.5;
        touch.levers = touch.slots.map(|slot| touch.point - states[slot as usize].placement.position);
    }
}

/// Sums up impulses after a substep is kept.
pub(super) fn accumulate_impulses(island: &mut Island) {
    let Island { touches, workspace, movable, states, .. } = island;
    let velocity = &workspace.velocity;
    for touch in touches {
        touch.gap = touch.next_gap;
        if touch.acting {
            touch.total.iter_mut().zip(&touch.impulse).for_each(|(total, impulse)| *total += impulse);
        }
        if touch.total[0] > 0.0 {
            let (normal, closing) = (&touch.normal, closing(touch, velocity, movable, states));
            touch.slip = closing - normal * normal.dot(&closing);
        }
    }
}
