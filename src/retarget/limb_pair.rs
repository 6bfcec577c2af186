//! Pairs of limbs: contacts of the source, and the limb of the target that reaches for them.

use super::chain_ik::Chain;
use super::limb_contact::{End, Flat, LimbContact, rounded};
use super::source_contacts::PointContact;
use super::two_bone_ik::{Bones, ease};
use crate::figure::body::{Body, Limb};
use crate::math::{Quat, Real, Vec3, real};

/// Limb of the target and the limb of the source that moves it.
pub(super) struct LimbPair<'a> {
    pub source: &'a Limb,
    pub target: &'a Limb,
    /// Sole point of the source for every sole point of the target.
    pub soles: Vec<usize>,
    /// Index of the first sole point of the source's limb among all points.
    pub first: usize,
    /// Joints that move with each of the bones, with the end and with the toes.
    zones: Vec<Vec<usize>>,
    pub contacts: Vec<PointContact>,
    pub contact: LimbContact<'a>,
}

impl LimbPair<'_> {
    /// Returns true if the pair moves a joint of the target.
    pub fn moves(&self, joint: usize) -> bool {
        self.zones.iter().any(|zone| zone.contains(&joint))
    }
}

/// Returns the lowering of the root with which a limb reaches a place, metres. Nothing for the place of the posture itself,
/// even where that straightens the limb: 2 mm would bend its knee by 4°.
pub(super) fn too_far(limb: &Limb, root: &Vec3, posed: &Vec3, place: &Vec3) -> Real {
    let width = 0.004 * limb.length;
    let most = (posed - root).norm().max(0.99 * limb.length).min(limb.length * (1.0 - 1e-6));
    let missing = |place: &Vec3| {
        let (down, aside) = (root.y - place.y, real::hypot(root.x - place.x, root.z - place.z));
        rounded(down - (most * most - aside * aside).max(0.0).sqrt(), width)
    };
    let more = missing(place) - missing(posed);
    if place.y >= root.y || more <= 0.0 {
        return 0.0;
    }
    // The lowering starts without a step in its speed.
    (more * more / (more + 0.5 * width)).min(0.3 * limb.length)
}

/// Bends a limb so that its end reaches its place.
pub(super) fn reach(pair: &LimbPair, end: &End, places: &[Vec3], world: &mut [Quat], target: &Body) {
    let mut rotations = Vec::with_capacity(pair.zones.len());
    bend(pair, end, &Vec3::zeros(), places, world, target, |_, rotation| rotations.push(rotation));
    for (zone, rotation) in pair.zones.iter().zip(rotations) {
        zone.iter().for_each(|&j| world[j] = rotation * world[j]);
    }
}

/// Calls `turn` with the world rotation of each zone that brings the end to its place, with the body displaced by `moved`.
pub(super) fn bend(
    pair: &LimbPair,
    asked: &End,
    moved: &Vec3,
    places: &[Vec3],
    world: &[Quat],
    target: &Body,
    mut rotate: impl FnMut(usize, Quat),
) {
    let limb = pair.target;
    // Knees point to the front, elbows to the back.
    let ahead = if limb.is_leg { Vec3::z() } else { -Vec3::z() };
    let towards = world[limb.upper] * target.references[limb.upper].inverse() * ahead;
    let (root, now) = (places[limb.upper] + moved, places[limb.end] + moved);
    let place = ease(&root, &now, limb.length, &asked.place);
    let end = asked.rotation * world[limb.end].inverse();
    let toes = limb.toes.map_or(end, |toes| asked.toes * world[toes].inverse());
    match limb.joints[..] {
        [_, lower] => {
            let reached = Bones { root, middle: places[lower] + moved, end: now }.reach(&place, &towards);
            rotate(0, reached.upper);
            rotate(1, reached.lower);
        }
        ref joints => {
            let stops = joints.iter().skip(1).chain([&limb.end]);
            let bones: Vec<Vec3> = joints.iter().zip(stops).map(|(&a, &b)| places[b] - places[a]).collect();
            let rotations = Chain::new(&bones, &towards).reach(&(place - root));
            rotations.into_iter().enumerate().for_each(|(zone, by)| rotate(zone, by));
        }
    }
    rotate(limb.joints.len(), end);
    rotate(limb.joints.len() + 1, toes);
}

pub(super) fn end_of(limb: &Limb, place: impl Fn(usize) -> Vec3, rotation: impl Fn(usize) -> Quat) -> End {
    let (at, turned) = (place(limb.end), rotation(limb.end));
    let (toe_offset, toes) = match limb.toes {
        Some(toes) => (turned.inverse() * (place(toes) - at), rotation(toes)),
        None => (Vec3::zeros(), turned),
    };
    End { place: at, rotation: turned, toe_offset, toes }
}

pub(super) fn pair_limbs<'a>(source: &'a Body, target: &'a Body) -> Vec<LimbPair<'a>> {
    let mut pairs = Vec::new();
    let mut first = 0;
    for limb in &target.limbs {
        let Some(from) = source.limb(limb.is_leg, limb.side) else { continue };
        let matching = |part| {
            from.soles.iter().position(|sole| sole.part == part).or(if from.soles.is_empty() { None } else { Some(0) })
        };
        let soles: Option<Vec<usize>> = limb.soles.iter().map(|sole| matching(sole.part)).collect();
        // Without sole points on the source no contact is known.
        let Some(soles) = soles else { continue };
        let n = soles.len();
        let flat = Flat::of(target, limb);
        pairs.push(LimbPair {
            source: from,
            target: limb,
            soles,
            first,
            zones: zones(target, limb),
            contacts: vec![PointContact::default(); n],
            contact: LimbContact::new(limb, flat),
        });
        first += from.soles.len();
    }
    pairs
}

fn zones(body: &Body, limb: &Limb) -> Vec<Vec<usize>> {
    let bones = limb.joints.len();
    let mut zones = vec![Vec::new(); bones + 2];
    for j in limb.upper..body.skeleton.len() {
        let mut way = std::iter::successors(Some(j), |&j| body.skeleton.joint(j).parent);
        let zone = way.find_map(|j| match j {
            _ if Some(j) == limb.toes => Some(bones + 1),
            _ if j == limb.end => Some(bones),
            _ => limb.joints.iter().position(|&joint| joint == j),
        });
        if let Some(zone) = zone {
            zones[zone].push(j);
        }
    }
    zones
}
