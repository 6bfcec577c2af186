//! Contact of a limb: the place its end is held at, and the blend before the contact.
//!
//! The pass runs backwards (see `source_contacts`). It meets a contact at its last frame; the place from which the end then
//! leaves is held until the contact begins. Before that, while the limb swings, the displacement of the end fades out. A limb
//! so leaves the ground without a velocity spike, and no frame depends on earlier ones.
//!
//! A foot rolls: heel, ball and tip are held one after the other, each where the one before has put it. While heel and ball are
//! in contact the foot lies flat and does not rotate; while ball and tip are, the toes lie flat. Toes that would penetrate the
//! ground bend.

use super::source_contacts::PointContact;
use crate::anatomy::reference::roll;
use crate::figure::SolePart;
use crate::figure::body::{Body, Corner, Limb};
use crate::math::{Quat, Real, Vec3, real};
use nalgebra::Unit;

/// Duration of the blend before a contact, seconds; its extension by the displacement at a speed, m/s; and its limit, seconds.
const FADE: Real = 0.08;
const FADE_SPEED: Real = 0.8;
const LONGEST_FADE: Real = 0.25;
/// Time constant with which the sole settles on the ground in a contact, seconds; twice that before it.
const SETTLE: Real = 0.04;
/// Time constant with which a foot on one point rotates back to its posture, seconds.
const TURN_BACK: Real = 0.1;
/// Time constant with which a limb in contact begins to pull at the body, seconds.
const GRIP: Real = 0.04;
/// Time constant with which a foot begins to adapt to the ground, seconds.
const FOOTING: Real = 0.06;
/// Depth in the ground beyond which a foot that is long for its leg is laid flat, over the length of the limb.
const BEARABLE: Real = 0.15;
/// Time constant with which a foot in contact lies flat, seconds.
const FLATTEN: Real = 0.08;
/// Tilt beyond which a foot keeps its posture, radians. Smaller tilts are laid flat in proportion.
const TILTED: Real = 0.35;
/// Height above the lowest point beyond which a point carries nothing, over the length of the limb.
const HIGH: Real = 0.018;
/// Largest bend of the toes, radians.
const TOES: Real = 1.2;
/// Clearance of a swinging foot, over the length of the limb; half of it where it would touch.
const CLEARS: Real = 0.012;
/// Lever β at which a foot rises as much by its tilt as by its leg, over the length of the limb.
const LIFTS: Real = 0.3;
/// Largest upward tilt of a swinging foot, radians.
const MOST_TILT: Real = 1.2;
/// Width of the rounding with which toes begin to bend, radians.
const TOES_ROUNDED: Real = 0.12;

/// End of a limb in one frame, world space.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub place: Vec3,
    pub rotation: Quat,
    /// Offset from the end joint to the toe joint, frame of the end, metres.
    pub toe_offset: Vec3,
    pub toes: Quat,
}

impl End {
    /// Returns the lowest point of the skin at a corner.
    pub fn point(&self, corner: &Corner) -> Vec3 {
        let point = match corner.on_toes {
            true => self.place + self.rotation * self.toe_offset + self.toes * corner.local,
            false => self.place + self.rotation * corner.local,
        };
        point - Vec3::y() * corner.radius
    }

    fn turned(&self, yaw: Real) -> End {
        let rotation = Quat::from_axis_angle(&Vec3::y_axis(), yaw);
        End { rotation: rotation * self.rotation, toes: rotation * self.toes, ..*self }
    }
}

/// Low-pass of second order, which follows a value without steps in its speed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Eased {
    pub value: Real,
    ahead: Real,
}

impl Eased {
    /// Displaces value and state at once.
    pub fn shift(&mut self, by: Real) {
        self.value += by;
        self.ahead += by;
    }

    pub fn follow(&mut self, wanted: Real, time: Real, step: Real) {
        let share = 1.0 - real::exp(-step / time);
        self.ahead += (wanted - self.ahead) * share;
        self.value += (self.ahead - self.value) * share;
    }
}

/// Orientation of the end of a limb flat on the ground, in the common reference posture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flat {
    end: Quat,
    toes: Quat,
}

impl Flat {
    pub fn of(body: &Body, limb: &Limb) -> Flat {
        let end = body.references[limb.end];
        Flat { end, toes: limb.toes.map_or(end, |toes| body.references[toes]) }
    }
}

/// State of the contact of a limb.
#[derive(Clone, Debug)]
pub(super) struct LimbContact<'a> {
    limb: &'a Limb,
    flat: Flat,
    /// Blend towards flat of the end and of the toes.
    flatness: [Eased; 2],
    /// Index of the held sole point, and its place.
    held: Option<(usize, Vec3)>,
    /// Displacement of the end, and its rotation about the vertical, at the first frame of the contact.
    moved: Vec3,
    turned: Real,
    /// Time before the contact, seconds.
    since: Real,
    /// Duration of the blend, seconds.
    fade: Real,
    /// Blend of the pull at the body.
    grip: Eased,
    /// Blend of the adaptation of the foot.
    footing: Eased,
    /// Rise of the end to the ground, metres.
    lift: Eased,
    /// Sole points in the next frame, already solved.
    next_points: Vec<Vec3>,
    /// Direction from heel to ball, or along the end, its own frame.
    along: Vec3,
    /// Held world direction of it.
    heading: Option<Vec3>,
}

/// Request of the ground for the end of a limb.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactRequest {
    pub end: End,
    /// Weight of the contact: 1 within it, blending out before it.
    pub weight: Real,
    /// Weight with which it may pull at the body, rising from the end of a contact.
    pub pull: Real,
    /// Height of the end in the posture, metres.
    pub posed: Real,
    /// Place of the end without contact, above the ground.
    pub free: Vec3,
    /// End before it is kept out of the ground, for limbs that still move with the body.
    pub loose: End,
}

impl ContactRequest {
    /// Request of a limb without contact: its end stays where the posture has it.
    pub fn none(end: End) -> Self {
        Self { end, weight: 0.0, pull: 0.0, posed: end.place.y, free: end.place, loose: end }
    }
}

impl<'a> LimbContact<'a> {
    pub fn new(limb: &'a Limb, flat: Flat) -> Self {
        let find =
            |part| limb.soles.iter().find(|sole| sole.part == part && !sole.at.on_toes).map(|sole| sole.at.local);
        let along = find(SolePart::Ball).zip(find(SolePart::Heel)).map(|(ball, heel)| ball - heel);
        LimbContact {
            limb,
            flat,
            flatness: Default::default(),
            held: None,
            moved: Vec3::zeros(),
            turned: 0.0,
            since: Real::INFINITY,
            fade: FADE,
            grip: Eased::default(),
            footing: Eased::default(),
            lift: Eased::default(),
            next_points: Vec::new(),
            along: along.unwrap_or_else(Vec3::z),
            heading: None,
        }
    }

    /// Advances to the frame before. `contacts` are those of the sole points, `floor` is the height of the support and `lowest`
    /// that of the ground, metres.
    pub fn step(
        &mut self,
        posed: &End,
        contacts: &[PointContact],
        floor: Real,
        lowest: Real,
        step: Real,
    ) -> ContactRequest {
        let touching = contacts.iter().any(|point| point.on);
        if !touching {
            self.since += step;
        }
        let mut free = *posed;
        self.stay_above(&mut free, lowest);
        // Orientation first, then height, then place.
        let mut end = self.flattened(posed, contacts, step);
        end = end.turned(self.heading_change(&end, contacts, touching, step));
        self.settle(&mut end, contacts, floor, step);
        let mut loose = end;
        self.stay_above(&mut end, lowest);
        let by = if touching { self.hold(&end, contacts) } else { self.moved * self.weight() };
        end.place += by;
        loose.place += by;
        if !touching {
            self.held = None;
        }
        self.grip.follow(if touching { 1.0 } else { 0.0 }, GRIP, step);
        self.footing.follow(if touching { 1.0 } else { 0.0 }, FOOTING, step);
        let weight = if touching { 1.0 } else { self.weight() };
        ContactRequest { end, weight, pull: weight * self.grip.value, posed: posed.place.y, free: free.place, loose }
    }

    /// Returns the sole point held in this frame, and its place.
    pub fn held(&self) -> Option<(usize, Vec3)> {
        self.held
    }

    /// Returns points of a swinging end below `height`, their places in the next frame, and the distance they should keep from
    /// there: their own, up to `most`, metres.
    pub fn swings(&self, end: &End, height: Real, most: Real) -> [Option<(usize, Vec3, Real)>; 3] {
        let low = |k: usize| {
            let now = end.point(&self.limb.soles.get(k)?.at);
            let after = self.next_points.get(k).filter(|_| now.y < height)?;
            Some((k, *after, (now - after).norm().min(most)))
        };
        [low(0), low(1), low(2)]
    }

    /// Records the end in this frame. The held point is held there from now on.
    pub fn finish_frame(&mut self, end: &End) {
        if let Some((point, place)) = &mut self.held {
            let now = end.point(&self.limb.soles[*point].at);
            (place.x, place.z) = (now.x, now.z);
        }
        self.next_points.clear();
        self.next_points.extend(self.limb.soles.iter().map(|sole| end.point(&sole.at)));
    }

    /// Accounts for a displacement of the pelvis, so that held points stay in place.
    pub fn follow_pelvis(&mut self, by: &Vec3) {
        self.moved -= Vec3::new(by.x, 0.0, by.z);
        self.lift.shift(-by.y * self.weight());
    }

    /// Returns the place of a sole point without contact, and its speed from there, m/s; `None` in the last frame.
    pub fn released(&self, posed: &End, point: usize, lowest: Real, step: Real) -> Option<(Vec3, Real)> {
        let next = self.next_points.get(point)?;
        let weight = self.weight_at(self.since + step);
        let mut end = self.lying(posed);
        end = end.turned(self.turned * weight);
        end.place += self.moved * weight + Vec3::y() * self.lift.value;
        self.stay_above(&mut end, lowest);
        let now = end.point(&self.limb.soles[point].at);
        Some((now, (next - now).norm() / step))
    }

    /// Lays the end flat while heel and ball are in contact, and the toes while ball and tip are.
    fn flattened(&mut self, posed: &End, contacts: &[PointContact], step: Real) -> End {
        use SolePart::{Ball, Heel, Tip};
        let any = |part, of: fn(&PointContact) -> bool| {
            self.limb.soles.iter().zip(contacts).any(|(sole, point)| sole.part == part && of(point))
        };
        let foot = any(Heel, |t| t.at_rest) && any(Ball, |t| t.at_rest);
        let toes = any(Ball, |t| t.on) && any(Tip, |t| t.on);
        for (flatness, flat) in self.flatness.iter_mut().zip([foot, toes]) {
            flatness.follow(if flat { 1.0 } else { 0.0 }, FLATTEN, step);
        }
        self.lying(posed)
    }

    /// Returns the end at its current flatness.
    fn lying(&self, posed: &End) -> End {
        let [end, toes] = [self.flatness[0].value, self.flatness[1].value];
        if !self.limb.is_leg || end.max(toes) < 1e-6 {
            return *posed;
        }
        let heading = roll(&Vec3::y(), &(self.flat.end * self.along), &(posed.rotation * self.along));
        let towards = |from: &Quat, to: Quat, share: Real| {
            let left = (1.0 - from.angle_to(&to) / TILTED).max(0.0);
            from.try_slerp(&to, share * left * left, 1e-9).unwrap_or(*from)
        };
        End {
            rotation: towards(&posed.rotation, heading * self.flat.end, end),
            toes: towards(&posed.toes, heading * self.flat.toes, toes),
            ..*posed
        }
    }

    fn weight(&self) -> Real {
        self.weight_at(self.since)
    }

    /// Weight this many seconds before the contact.
    fn weight_at(&self, since: Real) -> Real {
        let share = (1.0 - since / self.fade).clamp(0.0, 1.0);
        share * share * (3.0 - 2.0 * share)
    }

    /// Returns the rotation about the vertical, radians. A flat foot does not rotate. One with a raised heel may, about its
    /// toes.
    fn heading_change(&mut self, posed: &End, contacts: &[PointContact], touching: bool, step: Real) -> Real {
        if !touching {
            self.heading = None;
            return self.turned * self.weight();
        }
        let at_rest = || self.limb.soles.iter().zip(contacts).filter(|(_, point)| point.at_rest);
        let heel = !self.limb.is_leg || at_rest().any(|(sole, _)| sole.part == SolePart::Heel);
        let flat = heel && at_rest().count() >= 2;
        self.turned = match self.heading.filter(|_| flat) {
            Some(heading) => about_vertical(&(posed.rotation * self.along), &heading),
            None if self.held.is_none() => self.turned * self.weight(),
            None => self.turned * real::exp(-step / TURN_BACK),
        };
        self.heading = flat.then(|| posed.turned(self.turned).rotation * self.along);
        self.turned
    }

    /// Returns the horizontal displacement that brings the held point to its place, metres.
    fn hold(&mut self, end: &End, contacts: &[PointContact]) -> Vec3 {
        let pivot = self.pivot(end, contacts);
        let current = self.held.filter(|(k, _)| *k == pivot);
        let (point, place) = current.unwrap_or_else(|| {
            // The point takes the place from which it leaves, or where the point held until now has put it.
            let place = self.next_points.get(pivot).copied();
            (pivot, place.unwrap_or_else(|| end.point(&self.limb.soles[pivot].at)))
        });
        self.held = Some((point, place));
        self.since = 0.0;
        let now = end.point(&self.limb.soles[point].at);
        self.moved = Vec3::new(place.x - now.x, 0.0, place.z - now.z);
        self.fade = (FADE + self.moved.norm() / FADE_SPEED).min(LONGEST_FADE);
        self.moved
    }

    /// Returns the point that a limb pivots about. A foot touches down on its heel, lies on its ball, and with a raised heel
    /// pivots about its toes, which lie on the ground up to the tip: the ball then rolls, and the tip stays.
    fn pivot(&self, end: &End, contacts: &[PointContact]) -> usize {
        use SolePart::*;
        let parts = || self.limb.soles.iter().zip(contacts);
        let any = |part, of: fn(&PointContact) -> bool| parts().any(|(sole, point)| sole.part == part && of(point));
        let heel_is_down = any(Heel, |t| t.at_rest);
        let comes_down = heel_is_down && !any(Ball, |t| t.at_rest);
        let lies = any(Ball, |t| t.at_rest) && (heel_is_down || !any(Tip, |t| t.on));
        let rank = |k: usize| match self.limb.soles[k].part {
            Heel if comes_down => 0,
            Ball if lies && contacts[k].at_rest => 1,
            Tip => 2,
            Ball => 3,
            Heel => 4,
            Palm => 5,
        };
        // A point high above another one in contact carries nothing.
        let height = |k: usize| end.point(&self.limb.soles[k].at).y;
        let touching = || (0..contacts.len()).filter(|&k| contacts[k].on);
        let lowest = touching().map(height).fold(Real::INFINITY, Real::min);
        let high = lowest + HIGH * self.limb.length;
        touching().min_by_key(|&k| (height(k) > high, rank(k))).unwrap_or(0)
    }

    /// Lowers or raises the sole to the floor in a contact, and releases it before.
    fn settle(&mut self, end: &mut End, contacts: &[PointContact], floor: Real, step: Real) {
        let standing = self.limb.soles.iter().zip(contacts).filter(|(_, point)| point.at_rest);
        let height = standing.map(|(sole, _)| end.point(&sole.at).y - floor).fold(Real::INFINITY, Real::min);
        let at_rest = height.is_finite();
        let wanted = if at_rest { -height } else { 0.0 };
        let time = if at_rest { SETTLE } else { 2.0 * SETTLE };
        self.lift.follow(wanted, time, step);
        end.place.y += self.lift.value;
    }

    /// Keeps an end out of the ground. A swinging foot tilts its toes up and a foot in contact bends them; the rest lifts it. A
    /// swinging foot begins before it touches, so that its path has no corner.
    pub fn stay_above(&self, end: &mut End, ground: Real) {
        let footing = if self.limb.is_leg { self.footing.value.clamp(0.0, 1.0) } else { 1.0 };
        self.lie_down(end, ground);
        let height = self.lowest(end, None) - ground;
        let wanted = rounded(height, CLEARS * self.limb.length * (1.0 - footing));
        if wanted - height < 1e-6 {
            return;
        }
        if footing < 1.0 {
            let tilt = self.tilt(end, wanted - height) * (1.0 - footing);
            let rotation = Quat::from_axis_angle(&self.across(end), tilt);
            *end = End { rotation: rotation * end.rotation, toes: rotation * end.toes, ..*end };
        }
        let own = self.lowest(end, Some(false)) - ground;
        if own < 0.0 {
            end.place.y -= own;
        }
        self.bend_toes(end, ground, footing);
        end.place.y += (ground + wanted - self.lowest(end, None)).max(0.0);
    }

    /// Lays a foot flatter, toes included, that is long for its leg and too deep in the ground for the leg to lift it out.
    fn lie_down(&self, end: &mut End, ground: Real) {
        let bearable = ground - BEARABLE * self.limb.length;
        if !self.limb.is_leg || self.lowest(end, None) >= bearable {
            return;
        }
        let flat = roll(&Vec3::y(), &(self.flat.end * self.along), &(end.rotation * self.along)) * self.flat.end;
        let laid = |share: Real| {
            let rotation = end.rotation.try_slerp(&flat, share, 1e-9).unwrap_or(flat);
            End { rotation, toes: rotation * end.rotation.inverse() * end.toes, ..*end }
        };
        let (mut too_steep, mut enough) = (0.0, 1.0);
        for _ in 0..12 {
            let middle = 0.5 * (too_steep + enough);
            if self.lowest(&laid(middle), None) < bearable { too_steep = middle } else { enough = middle }
        }
        *end = laid(enough);
    }

    /// Returns the height of the lowest corner of an end, of its toes, or of all but its toes, metres.
    pub fn lowest(&self, end: &End, of_toes: Option<bool>) -> Real {
        let corners = self.limb.corners.iter().filter(|corner| of_toes.is_none_or(|toes| corner.on_toes == toes));
        corners.map(|corner| end.point(corner).y).fold(Real::INFINITY, Real::min)
    }

    /// Returns the axis across a foot; a positive rotation about it raises the toes.
    fn across(&self, end: &End) -> Unit<Vec3> {
        let across = self.flat.end.inverse() * (self.flat.end * self.along).cross(&Vec3::y());
        Unit::try_new(end.rotation * across, 1e-9).unwrap_or_else(Vec3::x_axis)
    }

    /// Returns the tilt by which a foot contributes to a rise d: with a lever b, φ = d b / (b² + β²).
    fn tilt(&self, end: &End, rise: Real) -> Real {
        let axis = self.across(end);
        let lowest = self.lowest(end, None);
        let near = 0.012 * self.limb.length;
        let (mut sum, mut lever) = (0.0, 0.0);
        for corner in &self.limb.corners {
            let point = end.point(corner);
            let weight = real::exp((lowest - point.y) / near);
            sum += weight;
            lever += weight * axis.cross(&(point - end.place)).y;
        }
        let lever = (lever / sum).max(0.0);
        let shared = LIFTS * self.limb.length;
        (rise * lever / (lever * lever + shared * shared)).min(MOST_TILT)
    }

    /// Bends toes below the ground out of it, in proportion to the contact of the foot.
    fn bend_toes(&self, end: &mut End, ground: Real, footing: Real) {
        if self.limb.toes.is_none() || self.lowest(end, Some(true)) - ground > 0.05 || footing < 1e-6 {
            return;
        }
        // Toes bend about the axis across the foot until their lowest corner is on the ground.
        let joint = end.place + end.rotation * end.toe_offset;
        let tip = self.limb.soles.iter().find(|sole| sole.at.on_toes).map(|sole| sole.at.local);
        let ahead = end.toes * tip.unwrap_or_else(Vec3::z);
        if let Some(across) = Vec3::y().cross(&Vec3::new(ahead.x, 0.0, ahead.z)).try_normalize(1e-6) {
            let axis = Unit::new_unchecked(-across);
            let bend = |angle: Real| End { toes: Quat::from_axis_angle(&axis, angle) * end.toes, ..*end };
            let needed = self.limb.corners.iter().filter(|corner| corner.on_toes).filter_map(|corner| {
                let arm = end.toes * corner.local;
                let (reach, height) = (arm.dot(&across.cross(&Vec3::y())), arm.y);
                let sine = (ground - joint.y) / real::hypot(reach, height).max(1e-9);
                let forward = reach.abs();
                // Only corners well ahead of the joint rise when the toes bend.
                let rises = arm.dot(&ahead) > 0.5 * ahead.norm_squared();
                rises.then(|| real::asin(sine.clamp(-1.0, 1.0)) - real::atan2(height, forward))
            });
            // Toes that lie flat are not bent at all.
            let width = TOES_ROUNDED * (1.0 - self.flatness[1].value.clamp(0.0, 0.9));
            let angle = rounded(needed.fold(-1.0, Real::max), width).min(TOES);
            *end = bend(footing * angle);
        }
    }
}

/// Positive part of a value, with the corner at zero rounded over about this width, so that speeds have no steps.
pub(super) fn rounded(value: Real, width: Real) -> Real {
    0.5 * (value + real::hypot(value, width))
}

/// Returns the rotation about the vertical from one direction to another, radians.
fn about_vertical(from: &Vec3, to: &Vec3) -> Real {
    let rotation = roll(&Vec3::y(), from, to);
    2.0 * real::atan2(rotation.j, rotation.w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Side;

    fn foot() -> Limb {
        let corner = |z: Real| Corner { on_toes: false, local: Vec3::new(0.0, -0.08, z), radius: 0.0 };
        let sole = |part, z| crate::figure::body::Sole { part, at: corner(z) };
        Limb {
            side: Side::Left,
            is_leg: true,
            upper: 0,
            end: 2,
            joints: vec![0, 1],
            toes: None,
            length: 0.85,
            drop: 0.08,
            soles: vec![sole(SolePart::Heel, -0.06), sole(SolePart::Ball, 0.12)],
            corners: vec![corner(-0.06), corner(0.12), corner(0.2)],
        }
    }

    fn swinging(pitch: Real, height: Real) -> End {
        let rotation = Quat::from_axis_angle(&Vec3::x_axis(), pitch);
        End { place: Vec3::new(0.0, height, 0.0), rotation, toe_offset: Vec3::zeros(), toes: rotation }
    }

    /// A foot in contact lies flat where its tilt is small, and keeps a large tilt, as at heel strike. Between them the tilt is
    /// monotonic and without steps.
    #[test]
    fn small_tilts_are_laid_flat_and_large_ones_stay() {
        let limb = foot();
        let identity = Quat::identity();
        let mut contact = LimbContact::new(&limb, Flat { end: identity, toes: identity });
        contact.flatness[0].shift(1.0);
        let tilt = |tilt: Real| contact.lying(&swinging(-tilt, 0.1)).rotation.angle();
        assert!(tilt(0.1 * TILTED) < 0.024 * TILTED, "{}", tilt(0.1 * TILTED));
        assert!((tilt(0.6) - 0.6).abs() < 1e-9 && (tilt(1.1 * TILTED) - 1.1 * TILTED).abs() < 1e-9);
        for k in 0..60 {
            let slope = (tilt(0.01 * Real::from(k + 1)) - tilt(0.01 * Real::from(k))) / 0.01;
            assert!((-1e-6..1.4).contains(&slope), "{k}: {slope}");
        }
    }

    /// Low points of a swinging foot keep their distance from their next places, up to the speed that is fast anyway; high
    /// points are ignored.
    #[test]
    fn low_points_of_a_foot_that_swings_are_to_stay_fast() {
        let limb = foot();
        let identity = Quat::identity();
        let mut contact = LimbContact::new(&limb, Flat { end: identity, toes: identity });
        let after = swinging(0.0, 0.1);
        assert_eq!(contact.swings(&after, 0.04, 0.004), [None; 3]);
        contact.finish_frame(&after);
        let heel_up = End { place: Vec3::new(0.0, 0.11, 0.003), ..swinging(0.3, 0.1) };
        let [heel, ball, none] = contact.swings(&heel_up, 0.04, 0.004);
        assert!(heel.is_none() && none.is_none());
        let (point, place, least) = ball.unwrap();
        assert!(point == 1 && place == after.point(&limb.soles[1].at) && least == 0.004, "{ball:?}");
        let slow = End { place: Vec3::new(0.0, 0.1, 0.001), ..after };
        assert!((contact.swings(&slow, 0.04, 0.004)[1].unwrap().2 - 0.001).abs() < 1e-12);
    }

    /// A foot that swings down at a constant speed is deflected over some centimetres, not within a step.
    #[test]
    fn a_foot_that_swings_meets_no_corner_at_the_ground() {
        let limb = foot();
        let identity = Quat::identity();
        let contact = LimbContact::new(&limb, Flat { end: identity, toes: identity });
        for pitch in [0.0, 0.3, 0.6] {
            let heights: Vec<(Real, Real)> = (0..50)
                .map(|k| {
                    let mut end = swinging(pitch, 0.35 - 0.005 * Real::from(k));
                    contact.stay_above(&mut end, 0.0);
                    (contact.lowest(&end, None), end.place.y)
                })
                .collect();
            assert!(heights.iter().all(|(lowest, _)| *lowest >= 0.0), "{pitch}");
            for three in heights.windows(3) {
                let bend = three[2].1 - 2.0 * three[1].1 + three[0].1;
                assert!(bend.abs() < 0.0025, "{pitch}: {bend:.4}");
            }
        }
    }

    /// A swinging foot with its toes in the ground raises them by its ankle as well, and a foot in contact does not.
    #[test]
    fn toes_of_a_foot_that_swings_are_tilted_out_of_the_ground() {
        let limb = foot();
        let identity = Quat::identity();
        let mut contact = LimbContact::new(&limb, Flat { end: identity, toes: identity });
        let next_points = swinging(0.4, 0.1);
        let mut end = next_points;
        contact.stay_above(&mut end, 0.0);
        let tip = |end: &End| (end.rotation * Vec3::z()).y;
        assert!(tip(&end) > tip(&next_points) + 0.02, "{} {}", tip(&end), tip(&next_points));
        contact.footing.shift(1.0);
        let mut end = next_points;
        contact.stay_above(&mut end, 0.0);
        assert!((tip(&end) - tip(&next_points)).abs() < 1e-12 && contact.lowest(&end, None).abs() < 1e-12);
    }
}
