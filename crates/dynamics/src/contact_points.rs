//! Points of contact: settings, state within a step, warm starts, and read-out.

use super::body::BodyId;
use super::collide::{ColliderId, ContactPoint, Manifold};
use super::solve::FrictionBound;
use super::world::{SolverState, World};
use crate::math::{Real, Vec3};

/// Treatment of contact by the default stepper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Distance below which colliders have points of contact even if nothing moves, metres.
    pub margin: Real,
    /// Depth of overlap that is not corrected, metres.
    pub slop: Real,
    /// Share of a deeper overlap that is removed per substep, by displacement alone.
    pub push_out: Real,
    /// Largest speed at which overlap is removed, m/s.
    pub push_out_speed: Real,
    /// Speed of approach below which hits do not bounce, m/s.
    pub bounce_speed: Real,
    /// Residual to which contact forces are solved, m/s.
    pub tolerance: Real,
    /// Most sweeps per solve; heaps of more than a hundred points get fewer, in proportion.
    pub sweeps: usize,
    /// Impulse from which hits are reported as impacts, N·s.
    pub impact_impulse: Real,
    /// Bound of friction; tree solver only.
    pub friction_bound: FrictionBound,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            margin: 2e-3,
            slop: 1e-4,
            push_out: 0.2,
            push_out_speed: 1.0,
            bounce_speed: 0.1,
            tolerance: 1e-10,
            sweeps: 400,
            impact_impulse: 1e-3,
            friction_bound: FrictionBound::Load,
        }
    }
}

/// Point of contact while its island steps. A heap has many, and half of them do not act: the fields that most passes
/// read come first, in cache lines of their own.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Touch {
    // Activity and distance.
    /// True if it has rows in this substep.
    pub acting: bool,
    /// Place among the contacts of the problem.
    pub place: u32,
    /// Slots of the bodies.
    pub slots: [u32; 2],
    /// Distance along the normal, metres.
    pub gap: Real,
    /// Distance after the substep that is being tried, metres.
    pub next_gap: Real,
    /// Distance of the `centres` along the normal less the gap, metres.
    pub padding: Real,
    /// Normal from A to B, world axes.
    pub normal: Vec3,
    // Motion.
    /// Centres of the rounded features (corners: the corners themselves), in the frames of the bodies. These points rotate
    /// with the bodies; the surface of a rolling ball does not.
    pub centres: [Vec3; 2],
    /// The radii of the features, metres.
    pub rounding: [Real; 2],
    // Speed.
    /// Vectors from the centres of mass to the point, metres, world axes.
    pub levers: [Vec3; 2],
    /// Speed along the normal due to bodies that forces do not move, m/s.
    pub known: Real,
    /// Speed along the normal at the start of the substep, and how the free motion changes it, m/s and m/s².
    pub approach: Real,
    pub pull: Real,
    pub restitution: Real,
    /// Depth of overlap that is not corrected, metres.
    pub slop: Real,
    // Forces.
    /// Multipliers of the last substep, N·s: normal, tangents, rolling, spinning.
    pub impulse: [Real; 6],
    /// Multipliers summed over the step, N·s.
    pub total: [Real; 6],
    pub colliders: [ColliderId; 2],
    pub feature: u32,
    /// Point in the frame of body A.
    pub on_a: Vec3,
    /// Beside the normal, world axes.
    pub tangents: [Vec3; 2],
    pub friction: Real,
    pub rolling: Real,
    pub spinning: Real,
    pub bodies: [BodyId; 2],
    pub point: Vec3,
    /// The speed at which a bounce must leave, if this is one.
    pub rebound: Option<Real>,
    /// The fastest approach that was stopped in this step, m/s, and when.
    pub hit: Option<(Real, Real)>,
    /// Velocity of B against A across the normal at the end of the step, of a point that carries anything.
    pub slip: Vec3,
}

impl Touch {
    pub fn turning(&self) -> bool {
        self.rolling > 0.0 || self.spinning > 0.0
    }

    /// Normal and tangents.
    #[inline(always)]
    pub fn axes(&self) -> [Vec3; 3] {
        [self.normal, self.tangents[0], self.tangents[1]]
    }
}

/// Points of contact are the same from step to step within this, metres.
const SAME_PLACE: Real = 0.02;

/// Forces of a point of contact in the last step, to start the next one with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarmStart {
    pub colliders: [ColliderId; 2],
    pub feature: u32,
    /// The point, in the frame of body A.
    pub on_a: Vec3,
    /// Force along the normal, N.
    pub normal: Real,
    /// Friction across the normal, N, and rolling and spinning torque, N·m, world axes.
    pub friction: Vec3,
    pub turning: Vec3,
}

impl WarmStart {
    /// The entries of a manifold, among entries sorted by colliders. `from` is where those of the manifold before were
    /// found: manifolds come in order, so that the next ones are near.
    pub fn of<'a>(all: &'a [WarmStart], manifold: &Manifold, from: &mut usize) -> &'a [WarmStart] {
        let pair = [manifold.a, manifold.b];
        let earlier = |at: usize| all[at].colliders < pair;
        let mut low = if *from == 0 || earlier(*from - 1) { *from } else { 0 };
        let mut ahead = 1;
        while low + ahead <= all.len() && earlier(low + ahead - 1) {
            low += ahead;
            ahead *= 2;
        }
        let high = all.len().min(low + ahead);
        *from = low + all[low..high].partition_point(|w| w.colliders < pair);
        let own = &all[*from..];
        &own[..own.iter().take_while(|w| w.colliders == pair).count()]
    }

    /// The entry of a point, among those of its manifold. Which features of two faces make the points may change with a
    /// hair's breadth of turning, so a point without an entry of its own takes that of its place.
    pub fn find<'a>(own: &'a [WarmStart], point: &ContactPoint) -> Option<&'a WarmStart> {
        let own = own.iter();
        let off = |w: &WarmStart| (w.on_a - point.on_a).norm_squared();
        let place =
            || own.clone().min_by(|v, w| off(v).total_cmp(&off(w))).filter(|w| off(w) < SAME_PLACE * SAME_PLACE);
        own.clone().find(|w| w.feature == point.feature && off(w) < SAME_PLACE * SAME_PLACE).or_else(place)
    }
}

/// Point of contact of two bodies with its forces: averaged over the last step, or, with the acceleration-level stepper, at
/// its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Colliders that touch.
    pub colliders: [ColliderId; 2],
    /// Bodies of the colliders.
    pub bodies: [BodyId; 2],
    /// Point between the two surfaces, metres, world space.
    pub point: Vec3,
    /// Unit normal from the first body towards the second.
    pub normal: Vec3,
    /// Distance at the end of the step, metres; negative where they overlap.
    pub distance: Real,
    /// Force on the second body along the normal, N.
    pub normal_force: Real,
    /// Friction on the second body, N, across the normal.
    pub friction_force: Vec3,
    /// Velocity of the second body's surface relative to the first one's, across the normal, m/s.
    pub slip: Vec3,
}

/// Hit of two bodies: all its points together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Time of the hit, seconds.
    pub time: Real,
    /// Colliders that hit.
    pub colliders: [ColliderId; 2],
    /// Bodies of the colliders.
    pub bodies: [BodyId; 2],
    /// Mean point, weighted by impulse, metres, world space.
    pub point: Vec3,
    /// Unit normal from the first body towards the second.
    pub normal: Vec3,
    /// Impulse along the normal, N·s.
    pub impulse: Real,
    /// Speed of approach, m/s.
    pub speed: Real,
}

impl Impact {
    /// Adds another part of the same hit.
    pub(crate) fn join(&mut self, other: &Impact) {
        let both = self.impulse + other.impulse;
        self.point += (other.point - self.point) * (other.impulse / both);
        (self.impulse, self.speed, self.time) = (both, self.speed.max(other.speed), self.time.min(other.time));
    }
}

/// Contacts of the last step, warm starts for the next, and recorded impacts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contacts {
    pub manifolds: Vec<Manifold>,
    pub warm: Vec<WarmStart>,
    /// Read-out of the last step.
    pub points: Vec<Contact>,
    /// Colliders, island and number there of each point, ascending.
    order: Vec<([ColliderId; 2], u32, u32)>,
    /// Hits since they were last taken.
    pub impacts: Vec<Impact>,
    /// Impacts are recorded; false at first.
    pub impacts_wanted: bool,
    /// Largest distance each body may move in a step, metres, and true for those that may, for the collision engine.
    pub reach: Vec<Real>,
    pub active: Vec<bool>,
}

impl World {
    /// Returns the points of contact of the last step, with their forces.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts.points
    }

    /// Removes and returns the impacts recorded so far, in the order of time; see [`World::record_impacts`].
    pub fn take_impacts(&mut self) -> Vec<Impact> {
        std::mem::take(&mut self.contacts.impacts)
    }

    /// Switches the recording of impacts on or off. It is off at first: impacts pile up until they are taken.
    pub fn record_impacts(&mut self, on: bool) {
        self.contacts.impacts_wanted = on;
    }

    /// Returns force and torque of all contacts on a body about its centre of mass, N and N·m, averaged over the last step.
    pub fn contact_load(&self, body: BodyId) -> (Vec3, Vec3) {
        let centre = self.bodies.states[body.index()].placement.position;
        let mut load = (Vec3::zeros(), Vec3::zeros());
        for contact in &self.contacts.points {
            for (which, sign) in [(0, -1.0), (1, 1.0)] {
                if contact.bodies[which] == body {
                    let force = (contact.normal * contact.normal_force + contact.friction_force) * sign;
                    load.0 += force;
                    load.1 += (contact.point - centre).cross(&force);
                }
            }
        }
        load
    }

    /// Reads out the contacts of all islands after a step of length `dt`, seconds.
    pub(crate) fn read_contacts(&mut self, dt: Real) {
        let SolverState { islands, .. } = &mut self.solver_state;
        let World { contacts, contact, .. } = self;
        let Contacts { warm, points, impacts, impacts_wanted, order, .. } = contacts;
        warm.clear();
        points.clear();
        order.clear();
        for &place in &islands.active {
            let touches = islands.pool[place as usize].touches.iter().enumerate();
            order.extend(touches.map(|(at, touch)| (touch.colliders, place, at as u32)));
        }
        // One island gives them in order; else their short keys are sorted.
        if !order.is_sorted() {
            order.sort_unstable();
        }
        for &(_, place, at) in order.iter() {
            let island = &islands.pool[place as usize];
            let touch = &island.touches[at as usize];
            let [normal, t1, t2] = touch.axes();
            let [n, a, b, ra, rb, s] = touch.total.map(|impulse| impulse / island.covered);
            let friction = t1 * a + t2 * b;
            let Touch { colliders, bodies, feature, .. } = *touch;
            let turning = t1 * ra + t2 * rb + normal * s;
            warm.push(WarmStart { colliders, feature, on_a: touch.on_a, normal: n, friction, turning });
            if n > 0.0 {
                points.push(Contact {
                    colliders,
                    bodies,
                    point: touch.point,
                    normal,
                    distance: touch.gap,
                    normal_force: n,
                    friction_force: friction,
                    slip: touch.slip,
                });
            }
            if let (true, true, Some((speed, time))) = (*impacts_wanted, island.awake, touch.hit)
                && touch.total[0] >= contact.impact_impulse
            {
                let (point, impulse) = (touch.point, touch.total[0]);
                let impact = Impact { time, colliders, bodies, point, normal, impulse, speed };
                // All points of a pair are one hit, and so are the two steps that a hit may take.
                let mut recent = impacts.iter_mut().rev().take_while(|i| i.time >= time - 1.5 * dt);
                match recent.find(|i| i.colliders == colliders) {
                    Some(known) => known.join(&impact),
                    None => impacts.push(impact),
                }
            }
        }
        impacts.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.colliders.cmp(&b.colliders)));
    }
}
