//! Velocity limits for the joints of legs.
//!
//! Feet that are held, settled and lifted out of the ground lead legs away from the posture, and a knee that is nearly straight
//! rotates by ten degrees for a centimetre: its velocity changes within a frame. No blending of places prevents that, so that
//! the velocity changes themselves are limited (`velocity_spikes`). Where a joint of a leg would exceed its bound, pelvis,
//! ankles, feet and toes are all adjusted a little, by the least of
//!
//!   Σ (xᵤ − yᵤ)² / sᵤ² + Σ max(0, bₖ(x))² + Σ eₖ(x)²
//!
//! where x is the adjustment, y that of the next frame, decaying to zero, s its tolerance, b the excess of velocity changes,
//! depths, legs that straighten too fast to be stopped, and slowness of swinging feet over their bounds, and e the error of
//! held points, all in units of their tolerances. It is found by Gauss–Newton steps in which bounds that a step would cross
//! count as crossed.

use super::limb_contact::End;
use super::limb_pair::{LimbPair, bend};
use super::source_motion::SourceMotion;
use super::two_bone_ik::ease;
use super::velocity_spikes::{Counterparts, MAX_VELOCITY_CHANGE, NextFrames};
use crate::figure::body::{Body, Limb};
use crate::math::{Quat, Real, Vec3, real};
use nalgebra::{SMatrix, SVector};
use std::ops::AddAssign;

/// Excesses that cost 1: velocity change of a joint, rad/s; slide of a held point and depth of a foot in the ground, metres.
const VELOCITY_CHANGE: Real = 0.05;
const SLIDE: Real = 0.0002;
const DEPTH: Real = 0.00005;
/// Largest depth in the ground, metres.
const DEEPEST: Real = 0.001;
/// Adjustments that cost 1: of the pelvis and of swinging feet, metres; of the height of feet in contact, metres; of the
/// rotations of feet and toes, radians.
const PELVIS: Real = 0.01;
const SWINGS: Real = 0.01;
const STANDS: Real = 0.002;
const FOOT: Real = 0.05;
const TOES: Real = 0.1;
/// Cost below which a solution is accepted, cost above which other starts are tried, and leg lengths of those starts, over the
/// full length.
const NEGLIGIBLE: Real = 1e-3;
const RESTART_COST: Real = 100.0;
const RESTART_LENGTHS: [Real; 3] = [0.9995, 0.998, 0.99];
/// Time constant with which an adjustment decays, seconds.
const RETURN_TIME: Real = 0.05;
const STEPS: usize = 30;
const HALVINGS: u32 = 7;
/// Rounds in which the active bounds of a step are updated.
const ROUNDS: usize = 4;

/// Largest number of bones of a leg.
const MOST_BONES: usize = 6;
/// Unknowns of a leg: three for its place, three for the rotation of the foot and three for that of the toes. The pelvis has
/// three more.
const OF_LEG: usize = 9;
const UNKNOWNS: usize = 3 + 2 * OF_LEG;
type Adjustment = SVector<Real, UNKNOWNS>;

/// Desired end of a leg in a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct LegTarget {
    /// Index among the pairs of limbs.
    pub pair: usize,
    pub end: End,
    /// Held sole point, and its place.
    pub held: Option<(usize, Vec3)>,
    /// Low points of a swinging foot, their places in the next frame, and the least distance from there with which they are not
    /// measured as in contact, metres.
    pub swings: [Option<(usize, Vec3, Real)>; 3],
}

/// Frame to be solved.
pub(super) struct FrameContext<'a> {
    pub target: &'a Body,
    pub pairs: &'a [LimbPair<'a>],
    pub places: &'a [Vec3],
    pub world: &'a [Quat],
    /// Height of the ground, metres.
    pub ground: Real,
    pub rate: Real,
    pub source_motion: &'a SourceMotion,
    pub frame: usize,
    pub partners: &'a Counterparts,
}

/// Joint of a leg: its next frames as solved and as in the posture, and its bound.
#[derive(Clone, Debug, Default)]
struct Joint {
    next: NextFrames,
    posed: NextFrames,
    bound: Real,
}

/// State of the legs, from the last frame on.
#[derive(Clone, Debug)]
pub(super) struct LegSmoothing {
    legs: Vec<Vec<Joint>>,
    adjustment: Adjustment,
    /// Bend of each leg as solved and in the posture, radians.
    bends: Vec<[Real; 2]>,
}

impl LegSmoothing {
    pub fn new() -> LegSmoothing {
        LegSmoothing { legs: Vec::new(), adjustment: Adjustment::zeros(), bends: Vec::new() }
    }

    /// Advances to the frame before; adjusts the ends of the legs and returns the displacement of the pelvis, metres.
    pub fn step(&mut self, scene: &FrameContext, legs: &mut [LegTarget]) -> Vec3 {
        let count = legs.len().min(2);
        let legs = &mut legs[..count];
        self.legs.resize_with(count, Default::default);
        let mut own = Vec::with_capacity(6);
        for (leg, joints) in legs.iter().zip(&mut self.legs) {
            scene.rotations(leg.pair, None, &mut own);
            joints.resize_with(own.len(), Default::default);
            for ((joint, now), j) in joints.iter_mut().zip(&own).zip(joints_of(scene.pairs[leg.pair].target)) {
                let posed = joint.posed.velocity_change(now, scene.rate);
                joint.bound = scene.partners.bound(j, posed, &joint.next, scene.source_motion, scene.frame);
                joint.posed.push(now, scene.rate);
            }
        }
        let keep = real::exp(-1.0 / (RETURN_TIME * scene.rate));
        let mut wanted = self.adjustment * keep;
        if wanted.amax() < 1e-6 {
            wanted = Adjustment::zeros();
        }
        let limb = |leg: &LegTarget| scene.pairs[leg.pair].target;
        let posed = |leg: &LegTarget| scene.bend(limb(leg), &scene.places[limb(leg).end], &Vec3::zeros());
        let posed: Vec<Real> = legs.iter().map(posed).collect();
        let bends = self.bends.iter().zip(&posed).map(|([own, before], now)| [*own, (before - now) * scene.rate]);
        let problem = FrameProblem { scene, legs, joints: &self.legs, wanted, bends: bends.collect() };
        let adjustment = problem.solve();
        self.adjustment = adjustment;
        self.bends.clear();
        for (k, (leg, joints)) in legs.iter_mut().zip(&mut self.legs).enumerate() {
            let end = moved(&leg.end, &adjustment, k);
            let end = lifted(end, scene.pairs[leg.pair].contact.lowest(&end, None) - scene.ground);
            scene.rotations(leg.pair, Some((&end, &pelvis(&adjustment))), &mut own);
            joints.iter_mut().zip(&own).for_each(|(joint, now)| joint.next.push(now, scene.rate));
            self.bends.push([scene.bend(limb(leg), &end.place, &pelvis(&adjustment)), posed[k]]);
            if leg.held.is_some() {
                // A held point is held at its new place.
                self.adjustment.fixed_rows_mut::<3>(3 + OF_LEG * k).fill(0.0);
            }
            leg.end = end;
        }
        pelvis(&adjustment)
    }
}

/// Returns the joints of a leg, from the hip to the toes.
fn joints_of(limb: &Limb) -> impl Iterator<Item = usize> + '_ {
    limb.joints.iter().copied().chain([limb.end]).chain(limb.toes)
}

fn pelvis(adjustment: &Adjustment) -> Vec3 {
    adjustment.fixed_rows::<3>(0).into()
}

/// Returns the speed at which a leg bent by so much may straighten, rad/s, such that the allowed velocity change in every frame
/// stops it in time: v² / 2b − v / 2 of its rotation in a frame are left.
fn stoppable(bend: Real, rate: Real) -> Real {
    0.5 * MAX_VELOCITY_CHANGE
        + (0.25 * MAX_VELOCITY_CHANGE * MAX_VELOCITY_CHANGE + 2.0 * MAX_VELOCITY_CHANGE * bend * rate).sqrt()
}

/// Raises an end whose lowest corner is deeper than allowed, whatever velocity change that causes.
fn lifted(end: End, lowest: Real) -> End {
    End { place: end.place + Vec3::y() * (-DEEPEST - lowest).max(0.0), ..end }
}

/// Returns the adjusted end of leg `k`.
fn moved(end: &End, adjustment: &Adjustment, k: usize) -> End {
    let of = |part: usize| -> Vec3 { adjustment.fixed_rows::<3>(3 + OF_LEG * k + 3 * part).into() };
    let (foot, toes) = (Quat::from_scaled_axis(of(1)), Quat::from_scaled_axis(of(2)));
    End { place: end.place + of(0), rotation: foot * end.rotation, toes: toes * foot * end.toes, ..*end }
}

impl FrameContext<'_> {
    /// Returns the total bend of a leg whose end is at a place, radians.
    fn bend(&self, limb: &Limb, place: &Vec3, pelvis: &Vec3) -> Real {
        let root = self.places[limb.upper] + pelvis;
        let end = self.places[limb.end] + pelvis;
        let reach = (ease(&root, &end, limb.length, place) - root).norm() / limb.length;
        2.0 * real::acos(reach.clamp(0.0, 1.0))
    }

    /// Computes the rotations of a leg's joints against their parents: as in the posture, or with its end led elsewhere.
    fn rotations(&self, pair: usize, led: Option<(&End, &Vec3)>, rotations: &mut Vec<Quat>) {
        let pair = &self.pairs[pair];
        let limb = pair.target;
        let mut world_changes = [Quat::identity(); MOST_BONES + 2];
        if let Some((end, pelvis)) = led {
            bend(pair, end, pelvis, self.places, self.world, self.target, |zone, by| {
                world_changes.iter_mut().skip(zone).take(1).for_each(|rotation| *rotation = by);
            });
        }
        rotations.clear();
        let mut above = Quat::identity();
        for (joint, by) in joints_of(limb).zip(world_changes) {
            let parent = self.target.skeleton().joint(joint).parent;
            let from = parent.map_or(Quat::identity(), |parent| above * self.world[parent]);
            rotations.push(from.inverse() * by * self.world[joint]);
            above = by;
        }
    }
}

/// Least-squares problem of a frame.
struct FrameProblem<'a> {
    scene: &'a FrameContext<'a>,
    legs: &'a [LegTarget],
    joints: &'a [Vec<Joint>],
    /// Adjustment without any excess.
    wanted: Adjustment,
    /// Bend of each leg in the next frame, radians, and speed at which the posture straightens, rad/s.
    bends: Vec<[Real; 2]>,
}

impl FrameProblem<'_> {
    /// Computes the excesses of leg `k` over their bounds, in units of their tolerances; negative ones are within bounds. The
    /// last two are errors of the held point, which should be zero.
    fn excess(&self, adjustment: &Adjustment, k: usize, excess: &mut Vec<Real>) {
        excess.clear();
        let leg = &self.legs[k];
        let end = moved(&leg.end, adjustment, k);
        let mut now = Vec::with_capacity(6);
        self.scene.rotations(leg.pair, Some((&end, &pelvis(adjustment))), &mut now);
        let jump = |(joint, now): (&Joint, &Quat)| {
            (joint.next.velocity_change(now, self.scene.rate) - joint.bound) / VELOCITY_CHANGE
        };
        excess.extend(self.joints[k].iter().zip(&now).map(jump));
        let limb = self.scene.pairs[leg.pair].target;
        let bend = self.scene.bend(limb, &end.place, &pelvis(adjustment));
        excess.push(self.bends.get(k).map_or(-1.0, |[after, posed]| {
            let speed = (after - bend) * self.scene.rate;
            (speed - stoppable(bend, self.scene.rate).max(*posed)) / VELOCITY_CHANGE
        }));
        let contact = &self.scene.pairs[leg.pair].contact;
        for of_toes in [false, true] {
            let height = contact.lowest(&end, Some(of_toes)) - self.scene.ground;
            excess.push(if height.is_finite() { -height / DEPTH } else { -1.0 });
        }
        excess.extend(
            leg.swings
                .iter()
                .flatten()
                .map(|(point, after, least)| (least - (end.point(&limb.soles[*point].at) - after).norm()) / SLIDE),
        );
        let aside = leg.held.map_or(Vec3::zeros(), |(point, place)| end.point(&limb.soles[point].at) - place);
        excess.extend([aside.x / SLIDE, aside.z / SLIDE]);
    }

    /// Returns the tolerance of an unknown.
    fn tolerance(&self, unknown: usize) -> Real {
        if unknown < 3 {
            return PELVIS;
        }
        let (leg, part) = ((unknown - 3) / OF_LEG, (unknown - 3) % OF_LEG);
        match part {
            _ if leg >= self.legs.len() => 1.0,
            1 if self.legs[leg].held.is_some() => STANDS,
            0..3 => SWINGS,
            3..6 => FOOT,
            _ => TOES,
        }
    }

    /// Returns the sums of squares without and with the adjustment itself.
    fn cost(&self, adjustment: &Adjustment, excess: &mut Vec<Real>) -> (Real, Real) {
        let mut wrong = 0.0;
        for k in 0..self.legs.len() {
            self.excess(adjustment, k, excess);
            let bounded = excess.len() - 2;
            wrong += excess[..bounded].iter().map(|excess| excess.max(0.0).powi(2)).sum::<Real>();
            wrong += excess[bounded..].iter().map(|aside| aside * aside).sum::<Real>();
        }
        let off = adjustment - self.wanted;
        (wrong, wrong + (0..UNKNOWNS).map(|u| (off[u] / self.tolerance(u)).powi(2)).sum::<Real>())
    }

    fn solve(&self) -> Adjustment {
        let (wrong, cost) = self.cost(&self.wanted, &mut Vec::with_capacity(16));
        if wrong < NEGLIGIBLE {
            return self.wanted;
        }
        let (adjustment, cost) = self.descend(self.wanted, cost);
        // A straight leg that does not reach has no gradient. A bent one has.
        let mut best = (adjustment, cost);
        if cost > RESTART_COST {
            for length in RESTART_LENGTHS {
                let Some(bent) = self.bent(&adjustment, length) else { continue };
                let other = self.descend(bent, self.cost(&bent, &mut Vec::with_capacity(16)).1);
                if other.1 < best.1 {
                    best = other;
                }
            }
        }
        best.0
    }

    /// Returns a start with the pelvis nearer to feet whose legs are straight; `None` where there are none.
    fn bent(&self, adjustment: &Adjustment, length: Real) -> Option<Adjustment> {
        let mut nearer = Vec3::zeros();
        for (k, leg) in self.legs.iter().enumerate() {
            let limb = self.scene.pairs[leg.pair].target;
            let way =
                moved(&leg.end, adjustment, k).place - self.scene.places[limb.upper] - pelvis(adjustment) - nearer;
            let too_long = way.norm() - length * limb.length;
            nearer += way * (too_long.max(0.0) / way.norm().max(1e-9));
        }
        let mut bent = *adjustment;
        bent.fixed_rows_mut::<3>(0).add_assign(&nearer);
        (nearer.norm() > 0.0).then_some(bent)
    }

    /// Descends from a start with this cost as long as it helps.
    fn descend(&self, mut adjustment: Adjustment, mut cost: Real) -> (Adjustment, Real) {
        let (mut room, mut rows) = (Vec::with_capacity(16), Vec::with_capacity(32));
        for _ in 0..STEPS {
            self.slopes(&adjustment, &mut rows);
            let Some(by) = self.step(&adjustment, &rows) else { break };
            // Angles of straight legs grow with the root of the distance, so that the best step is often shorter than the
            // linear one.
            let mut best: Option<(Adjustment, Real)> = None;
            for next in (0..HALVINGS).map(|k| adjustment + by * real::exp2(Real::from(k)).recip()) {
                let (_, then) = self.cost(&next, &mut room);
                match best {
                    Some((_, least)) if then >= least => break,
                    _ if then < cost => best = Some((next, then)),
                    _ => {}
                }
            }
            let Some((next, then)) = best else { break };
            let gained = cost - then;
            (adjustment, cost) = (next, then);
            if gained < 1e-3 * cost + 1e-6 {
                break;
            }
        }
        (adjustment, cost)
    }

    /// Computes excesses and their derivatives by the adjustment.
    fn slopes(&self, adjustment: &Adjustment, rows: &mut Vec<Bound>) {
        const DIFFERENCE: Real = 1e-6;
        rows.clear();
        let (mut here, mut there) = (Vec::with_capacity(16), Vec::with_capacity(16));
        for k in 0..self.legs.len() {
            self.excess(adjustment, k, &mut here);
            let (first, bounded) = (rows.len(), here.len() - 2);
            let row = |(n, excess): (usize, &Real)| Bound {
                excess: *excess,
                exact: n >= bounded,
                slope: Adjustment::zeros(),
            };
            rows.extend(here.iter().enumerate().map(row));
            for u in (0..3).chain(3 + OF_LEG * k..3 + OF_LEG * (k + 1)) {
                let mut other = *adjustment;
                other[u] += DIFFERENCE;
                self.excess(&other, k, &mut there);
                for (row, (there, here)) in rows[first..].iter_mut().zip(there.iter().zip(&here)) {
                    row.slope[u] = (there - here) / DIFFERENCE;
                }
            }
        }
    }

    /// Solves for the step of the linearised problem, in which bounds that the step would cross are active as well.
    fn step(&self, adjustment: &Adjustment, rows: &[Bound]) -> Option<Adjustment> {
        let mut counts: Vec<bool> = rows.iter().map(|row| row.exact || row.excess > 0.0).collect();
        let mut by = Adjustment::zeros();
        for _ in 0..ROUNDS {
            let (mut matrix, mut side) = (SMatrix::<Real, UNKNOWNS, UNKNOWNS>::zeros(), Adjustment::zeros());
            for u in 0..UNKNOWNS {
                let weight = self.tolerance(u).powi(-2);
                matrix[(u, u)] = weight;
                side[u] = weight * (self.wanted[u] - adjustment[u]);
            }
            for (row, _) in rows.iter().zip(&counts).filter(|(_, counts)| **counts) {
                matrix.ger(1.0, &row.slope, &row.slope, 1.0);
                side -= row.slope * row.excess;
            }
            by = matrix.cholesky()?.solve(&side);
            let crosses = |row: &Bound| row.exact || row.excess + row.slope.dot(&by) > 0.0;
            let now: Vec<bool> = rows.iter().map(crosses).collect();
            if now == counts {
                break;
            }
            counts = now;
        }
        Some(by)
    }
}

/// Linearised bound.
struct Bound {
    excess: Real,
    /// True for an equation, false for an inequality.
    exact: bool,
    slope: Adjustment,
}

#[cfg(test)]
mod tests {
    use super::super::limb_pair::{end_of, pair_limbs};
    use super::super::transfer::Transfer;
    use super::super::{Path, Retarget, RetargetOptions};
    use super::*;
    use crate::formats::{self, ImportOptions};
    use crate::motion::Clip;
    use crate::retarget::BodyOptions;

    /// Returns the body of the built-in walk, and the walk.
    fn walker() -> (Body, Clip) {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/data/clips/walk.bvh");
        let mut capture = formats::read(file.as_ref(), &ImportOptions::default()).unwrap();
        (Body::new(&capture.skeleton, &BodyOptions::default()), capture.clips.remove(0))
    }

    /// Straight legs, feet held three millimetres out of reach, and knees that have been straightening: to be straight now,
    /// their velocity would change by 6 rad/s. A small displacement of the pelvis has no effect, as a straight leg stays
    /// straight; it has to go where the knees bend.
    #[test]
    fn legs_that_do_not_reach_bend_where_a_knee_would_jump() {
        let (body, clip) = walker();
        let job = Retarget { source: &body, target: &body, clip: &clip, options: RetargetOptions::default() };
        let transfer = Transfer::new(&body, &body, Path::Scaled, 0.0).unwrap();
        let pairs = pair_limbs(&body, &body);
        let (source_motion, rate) = (SourceMotion::of(&job, &transfer, &pairs, None), 60.0);
        let partners = Counterparts::new(&body, &body, rate);
        let world = body.references.clone();
        let mut places = Vec::new();
        transfer.places(&Vec3::y(), &world, &mut places);
        let scene = FrameContext {
            target: &body,
            pairs: &pairs,
            places: &places,
            world: &world,
            ground: -1.0,
            rate,
            source_motion: &source_motion,
            frame: 0,
            partners: &partners,
        };
        let leg = |(pair, limb): (usize, &Limb)| {
            let mut end = end_of(limb, |j| places[j], |j| world[j]);
            end.place.y -= 0.003;
            LegTarget { pair, end, held: Some((0, end.point(&limb.soles[0].at))), swings: [None; 3] }
        };
        let limbs = pairs.iter().map(|pair| pair.target).enumerate().filter(|(_, limb)| limb.is_leg);
        let mut legs: Vec<LegTarget> = limbs.map(leg).collect();
        // Knee angles in the next frames: half a radian, then three tenths.
        let (mut smoothing, mut own) = (LegSmoothing::new(), Vec::new());
        for bent in [0.5, 0.3] {
            smoothing.legs.resize_with(legs.len(), Default::default);
            for (leg, joints) in legs.iter().zip(&mut smoothing.legs) {
                scene.rotations(leg.pair, Some((&leg.end, &Vec3::zeros())), &mut own);
                own[1] *= Quat::from_axis_angle(&Vec3::x_axis(), bent);
                joints.resize_with(own.len(), Default::default);
                joints.iter_mut().zip(&own).for_each(|(joint, now)| joint.next.push(now, rate));
            }
        }
        let knee = |smoothing: &LegSmoothing, legs: &[LegTarget], pelvis: &Vec3| {
            let mut now = Vec::new();
            scene.rotations(legs[0].pair, Some((&legs[0].end, pelvis)), &mut now);
            smoothing.legs[0][1].next.velocity_change(&now[1], rate)
        };
        let before = smoothing.clone();
        assert!((knee(&before, &legs, &Vec3::zeros()) - 6.0).abs() < 0.2, "{}", knee(&before, &legs, &Vec3::zeros()));
        let pelvis = smoothing.step(&scene, &mut legs);
        assert!(knee(&before, &legs, &pelvis) < 4.6, "{}", knee(&before, &legs, &pelvis));
        assert!(pelvis.y < -0.001 && pelvis.norm() < 0.02, "{pelvis}");
        let limb = scene.pairs[legs[0].pair].target;
        let (point, place) = legs[0].held.unwrap();
        let aside = legs[0].end.point(&limb.soles[point].at) - place;
        assert!(aside.x.hypot(aside.z) < 1e-4, "{aside}");
    }

    /// A leg that straightens at the allowed speed, and is decelerated by the allowed velocity change in every frame, stops
    /// before it is straight; one that is a fifth faster does not.
    #[test]
    fn a_leg_that_gets_straight_can_be_stopped_before_it_is() {
        for rate in [24.0, 30.0, 120.0] {
            for bend in [0.02, 0.1, 0.5, 1.2] {
                let left = |mut speed: Real| {
                    let mut bend: Real = bend;
                    while speed > MAX_VELOCITY_CHANGE {
                        speed -= MAX_VELOCITY_CHANGE;
                        bend -= speed / rate;
                    }
                    bend
                };
                // The last step is shorter than a frame.
                assert!(left(stoppable(bend, rate)) > -MAX_VELOCITY_CHANGE / rate / 7.0, "{rate} Hz, {bend}");
                let faster = 1.2 * stoppable(bend, rate) + MAX_VELOCITY_CHANGE;
                assert!(left(faster) < 0.0, "{rate} Hz, {bend}: {}", left(faster));
            }
        }
    }

    /// Three millimetres in the ground become one, straight up; a smaller depth stays unchanged.
    #[test]
    fn nothing_is_more_than_a_millimetre_in_the_ground_whatever_jumps() {
        let turned = Quat::from_axis_angle(&Vec3::x_axis(), 0.3);
        let end = End { place: Vec3::new(0.1, 0.08, 0.2), rotation: turned, toe_offset: Vec3::zeros(), toes: turned };
        let by = |lowest: Real| lifted(end, lowest).place - end.place;
        assert!((by(-0.003) - Vec3::y() * 0.002).norm() < 1e-12, "{}", by(-0.003));
        assert!(by(-0.0009) == Vec3::zeros() && by(0.02) == Vec3::zeros());
        assert!(lifted(end, -0.003).rotation == turned);
    }
}
