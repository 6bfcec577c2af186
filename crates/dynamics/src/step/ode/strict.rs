//! Contact at acceleration level: no overlap is ever stepped into.
//!
//! ```text
//!   touching, at rest:   J_n a ≥ −J̇v − β ḋ − α d,   λ_n ≥ 0          (J̇v of the distance: `bend`)
//!                        J_t a = −J̇v − v_t / h,     ‖λ_t‖ ≤ µ λ_n     slides against v_t, or sticks
//!   touching, closing:   v⁺ ≥ e v⁻,  v_t⁺ = 0 within the cone         impulses, all points and joints at once
//!   a step into others:  rolled back and halved until they touch      (`rollback`)
//! ```
//!
//! The set of touching points is found at the start of an inner step and kept over its stages.

use super::derivative::PARTING;
use super::distance_curvature::{Bend, Core};
use super::{Integration, Memory, critical};
use crate::body::{BodyId, State};
use crate::collide::{Collider, ColliderId, CollisionScene, Material};
use crate::contact_points::{Contact as Reading, Impact};
use crate::math::{Buffer, Real, Vec3, Vec6};
use crate::solve::{Contact, Entry, Problem, Row};
use crate::world::{BodySet, ColliderSet, SolverState, World};

/// Treatment of contact by the acceleration-level stepper.
///
/// A shape thinner than the path of one inner step can be passed unseen: choose the `max_step` of the stepper accordingly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strict {
    /// Colliders this near, or this deep in each other, touch; metres.
    pub tolerance: Real,
    /// Depth at which bodies are stopped if no shorter step avoids it, metres.
    pub depth_limit: Real,
    /// Steps are not cut shorter than this, seconds.
    pub min_step: Real,
}

impl Default for Strict {
    fn default() -> Self {
        Self { tolerance: 1e-5, depth_limit: 1e-3, min_step: 1e-7 }
    }
}

/// Share of the tolerance that a point below its floor may sink further in an inner step: rounding.
const CREEP: Real = 1.0 - 1e-6;

/// A pair of opposite points on two colliders, as it is at one moment.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    colliders: [ColliderId; 2],
    pub bodies: [BodyId; 2],
    feature: u32,
    point: Vec3,
    /// Normal from the first body to the second, then two tangents, the first of them along the slip.
    axes: [Vec3; 3],
    levers: [Vec3; 2],
    pub gap: Real,
    material: Material,
    /// Speed of the second body against the first along the axes.
    speed: [Real; 3],
    bend: Bend,
    /// Place of its multipliers, if it has rows.
    first: Option<usize>,
}

/// State of a point at the start of an inner step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    colliders: [ColliderId; 2],
    feature: u32,
    touching: bool,
    /// Lowest distance that the step may reach, metres.
    floor: Real,
}

/// Points of contact of the inner step.
#[derive(Clone, Debug, Default)]
pub(super) struct Touching {
    pub spots: Vec<Spot>,
    pub known: Vec<Known>,
    /// True if `known` belongs to the inner step under way.
    pub judged: bool,
    /// Length of the inner step, seconds.
    pub span: Real,
}

impl Spot {
    fn jacobian(&self, which: usize, row: usize) -> Vec6 {
        let sign = [-1.0, 1.0][which];
        if row >= 3 {
            let axis = self.axes[(row - 2) % 3] * sign;
            return Vec6::new(0.0, 0.0, 0.0, axis.x, axis.y, axis.z);
        }
        let axis = self.axes[row] * sign;
        let moment = self.levers[which].cross(&axis);
        Vec6::new(axis.x, axis.y, axis.z, moment.x, moment.y, moment.z)
    }

    pub fn rate(&self) -> Real {
        self.speed[0]
    }

    fn angular(&self) -> bool {
        self.material.rolling > 0.0 || self.material.spinning > 0.0
    }

    /// Adds the rows of this point; `target` gives what each must reach from the part that immovable bodies have in it.
    fn add_rows(
        &mut self,
        problem: &mut Problem,
        movable: &[bool],
        known: impl Fn(usize) -> Vec6,
        target: impl Fn(&Spot, usize) -> Real,
    ) {
        if !self.bodies.iter().any(|b| movable[b.index()]) {
            return;
        }
        let first = problem.rows.len();
        let angular = self.angular();
        for row in 0..if angular { 6 } else { 3 } {
            let start = problem.entries.len() as u32;
            let mut given = 0.0;
            for which in 0..2 {
                let (body, jacobian) = (self.bodies[which], self.jacobian(which, row));
                if movable[body.index()] {
                    problem.entries.push(Entry { body: body.0, jacobian });
                } else {
                    given += jacobian.dot(&known(body.index()));
                }
            }
            let count = problem.entries.len() as u32 - start;
            let target = target(self, row) - given;
            problem.rows.push(Row { first: start, count, target, softness: 0.0, lo: 0.0, hi: 0.0 });
        }
        self.first = Some(first);
        let Material { friction, rolling, spinning, .. } = self.material;
        problem.contacts.push(Contact { first: first as u32, angular, friction, rolling, spinning });
    }
}

/// A direction across the normal along the slip, so that friction that is a pyramid opposes it as well.
fn tangents(n: &Vec3, slip: &Vec3) -> (Vec3, Vec3) {
    match (slip - n * n.dot(slip)).try_normalize(PARTING) {
        Some(along) => (along, n.cross(&along)),
        None => crate::math::tangents(n),
    }
}

impl Strict {
    /// Finds the points near each other where the bodies are now.
    pub(super) fn find_spots(&self, world: &mut World, spots: &mut Vec<Spot>) {
        let BodySet { list: bodies, states, .. } = &mut world.bodies;
        let ColliderSet { list: colliders, engine, pair_filter, .. } = &mut world.colliders;
        let World { contacts, contact, .. } = world;
        spots.clear();
        if colliders.is_empty() {
            return;
        }
        // Bodies that are held count as well: what runs into them must be seen.
        contacts.active.assign(bodies.iter().map(|body| body.is_dynamic()));
        contacts.reach.reset(states.len(), 0.0);
        let margin = contact.margin.max(2.0 * self.tolerance);
        let (active, reach) = (&contacts.active, &contacts.reach);
        let scene = CollisionScene { colliders, states, active, reach, margin, filter: pair_filter };
        engine.collide(&scene, &mut contacts.manifolds);
        for manifold in &contacts.manifolds {
            let bodies = [manifold.body_a, manifold.body_b];
            let [a, b] = bodies.map(|id| &states[id.index()]);
            let [one, other]: [&Collider; 2] = [manifold.a, manifold.b].map(|id| &colliders[id.index()].1);
            let normal = manifold.normal;
            for point in manifold.points() {
                let place = (a.placement.point(&point.on_a) + b.placement.point(&point.on_b)) * 0.5;
                let velocity = b.velocity_at(&place) - a.velocity_at(&place);
                let (t1, t2) = tangents(&normal, &(velocity - normal * normal.dot(&velocity)));
                let cores = (Core::of(one, a, &point.on_a, &normal), Core::of(other, b, &point.on_b, &-normal));
                spots.push(Spot {
                    colliders: [manifold.a, manifold.b],
                    bodies,
                    feature: point.feature,
                    point: place,
                    axes: [normal, t1, t2],
                    levers: [place - a.placement.position, place - b.placement.position],
                    gap: point.distance,
                    material: manifold.material,
                    speed: [normal, t1, t2].map(|axis| axis.dot(&velocity)),
                    bend: Bend::between((a, cores.0), (b, cores.1), &normal),
                    first: None,
                });
            }
        }
    }

    /// Returns true if the bodies close in at a point.
    pub(super) fn closes(&self, spot: &Spot, stabilisation: Option<Real>) -> bool {
        // What the stabiliser itself brings together needs no blow.
        let brought = stabilisation.map_or(0.0, |tau| 2.0 / tau) * spot.gap.max(0.0);
        spot.gap <= self.tolerance && spot.rate() < -PARTING - brought
    }

    fn touches(&self, spot: &Spot, stabilisation: Option<Real>) -> bool {
        let taken_out = stabilisation.map_or(0.0, |tau| 2.0 / tau) * (-spot.gap).max(0.0);
        spot.gap <= self.tolerance && spot.rate() <= PARTING + taken_out
    }

    /// Judges the points at the start of an inner step.
    pub(super) fn judge(&self, touching: &mut Touching, stabilisation: Option<Real>) {
        let Touching { spots, known, judged, .. } = touching;
        *judged = true;
        known.assign(spots.iter().map(|spot| {
            let Spot { colliders, feature, gap, .. } = *spot;
            let touching = self.touches(spot, stabilisation);
            // What is in touch, or inside and on its way out, may sink as far as the limit; the rest may not pass.
            let floor = if touching || gap < -self.tolerance { self.tolerance - self.depth_limit } else { 0.0 };
            let floor = floor.min(gap + CREEP * self.tolerance);
            Known { colliders, feature, touching, floor }
        }));
    }

    /// Returns the depth of a point below its floor; negative above.
    pub(super) fn excess(&self, known: &[Known], spot: &Spot) -> Real {
        let of_pair = || known.iter().filter(|k| k.colliders == spot.colliders);
        let own = of_pair().find(|k| k.feature == spot.feature).map(|k| k.floor);
        // Features of a pair that touches may change their numbers.
        let floor = own.unwrap_or_else(|| of_pair().map(|k| k.floor).fold(0.0, Real::min));
        floor - spot.gap
    }
}

impl Integration<'_> {
    /// Adds the rows of the touching points at acceleration level.
    pub(super) fn touch_rows(&mut self) {
        let Some(strict) = self.ode.strict else { return };
        let Memory { touching: Touching { spots, known, judged, span }, reduced, .. } = &mut self.memory;
        strict.find_spots(self.world, spots);
        let (alpha, beta) = self.ode.stabilisation.map_or((0.0, 0.0), critical);
        let h = if *span > 0.0 { *span } else { strict.min_step };
        let BodySet { movable, states, .. } = &mut self.world.bodies;
        let SolverState { workspace, .. } = &mut self.world.solver_state;
        for spot in spots {
            let of_pair = || known.iter().filter(|k| k.colliders == spot.colliders);
            // What a stage runs into is for the end of the step to see; only features of a pair that touches may change.
            let own = || (!*judged || of_pair().any(|k| k.touching)) && strict.touches(spot, self.ode.stabilisation);
            if of_pair().find(|k| k.feature == spot.feature).map_or_else(own, |k| k.touching) {
                let given = |body: usize| workspace.scripted[body];
                let spin = states[spot.bodies[1].index()].angular() - states[spot.bodies[0].index()].angular();
                spot.add_rows(&mut reduced.problem, movable, given, |spot, row| match row {
                    0 => -spot.bend.normal - beta * spot.speed[0] - alpha * spot.gap,
                    1 | 2 => -spot.axes[row].dot(&spot.bend.across) - spot.speed[row] / h,
                    _ => -spot.axes[(row - 2) % 3].dot(&spin) / h,
                });
            }
        }
    }

    /// Adds the rows of the touching points at velocity level, with the rebound speeds of hits.
    pub(super) fn blow_rows(&mut self) {
        let Some(strict) = self.ode.strict else { return };
        let BodySet { movable, states, .. } = &mut self.world.bodies;
        let contact = &self.world.contact;
        for spot in self.memory.touching.spots.iter_mut().filter(|s| s.gap <= strict.tolerance) {
            let bounces = spot.rate() < -contact.bounce_speed;
            let leave = if bounces { -spot.material.restitution * spot.rate() } else { 0.0 };
            let given = |body: usize| states[body].velocity;
            let target = |_: &Spot, row: usize| if row == 0 { leave } else { 0.0 };
            spot.add_rows(&mut self.memory.reduced.problem, movable, given, target);
        }
    }

    /// Records the hits of an impulse just solved for.
    pub(super) fn record_blows(&mut self) {
        let World { contacts, contact, time, .. } = self.world;
        if !contacts.impacts_wanted {
            return;
        }
        let start = contacts.impacts.len();
        for spot in &self.memory.touching.spots {
            let impulse = spot.first.map_or(0.0, |first| self.memory.lambda[first]);
            let speed = -spot.rate();
            if impulse < contact.impact_impulse || speed <= contact.bounce_speed {
                continue;
            }
            let Spot { colliders, bodies, point, axes: [normal, ..], .. } = *spot;
            let impact = Impact { time: *time, colliders, bodies, point, normal, impulse, speed };
            match contacts.impacts[start..].iter_mut().find(|i| i.colliders == colliders) {
                Some(same) => same.join(&impact),
                None => contacts.impacts.push(impact),
            }
        }
    }

    /// Reads out the forces of the touching points at the moment just evaluated.
    pub(super) fn read_touches(&mut self) {
        self.world.contacts.points.clear();
        self.world.contacts.warm.clear();
        for spot in &self.memory.touching.spots {
            let Some(first) = spot.first else { continue };
            let [n, a, b] = [0, 1, 2].map(|k| self.memory.lambda[first + k]);
            if n > 0.0 {
                let [normal, t1, t2] = spot.axes;
                self.world.contacts.points.push(Reading {
                    colliders: spot.colliders,
                    bodies: spot.bodies,
                    point: spot.point,
                    normal,
                    distance: spot.gap,
                    normal_force: n,
                    friction_force: t1 * a + t2 * b,
                    slip: t1 * spot.speed[1] + t2 * spot.speed[2],
                });
            }
        }
    }
}

/// Speeds of the points after velocities changed.
pub(super) fn refresh(spots: &mut [Spot], states: &[State]) {
    for spot in spots {
        let [a, b] = spot.bodies.map(|id| &states[id.index()]);
        let velocity = b.velocity_at(&spot.point) - a.velocity_at(&spot.point);
        spot.speed = spot.axes.map(|axis| axis.dot(&velocity));
        spot.first = None;
    }
}
