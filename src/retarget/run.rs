//! One transfer from beginning to end.
//!
//! First, from the first frame to the last: the posture of the source on the target. Then, from the last to the first, so that
//! no frame depends on one before it: what stands in the source stands on the target, the pelvis comes down where a leg would
//! be too short, and limbs reach for their places.

use super::body::Body;
use super::hands::Hands;
use super::leg_smoothing::{Calm, Leg, Scene};
use super::limb_contact::{Asked, End};
use super::limb_pair::{Pair, end_of, pair_limbs, reach, too_far};
use super::pelvis_compensation::{Bearing, Sway};
use super::source_contacts::{Level, Released, Thresholds};
use super::source_motion::Seen;
use super::transfer::Transfer;
use super::velocity_spikes::{Counterparts, Smooth};
use super::{Path, Whose};
use crate::math::{Quat, Real, Vec3};
use crate::motion::{Clip, ClipError, REFERENCE_HEIGHT, Side, Tracks};

/// Moves a clip from one body to another.
#[derive(Clone, Copy, Debug)]
pub struct Retarget<'a> {
    /// Whose motion it is.
    pub source: &'a Body,
    /// Who is to move so. [`JointMap::between`](super::JointMap::between) says whether the two can be told apart limb by limb;
    /// what it refuses is not worth moving.
    pub target: &'a Body,
    /// Captured motion of the source, metres, world space.
    pub clip: &'a Clip,
    pub options: RetargetOptions,
}

/// How a clip is moved; the defaults suit most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetargetOptions {
    pub path: Path,
    /// Height of the ground, metres; 0, or where the feet of the source are, where it is not given.
    pub ground: Option<Real>,
    /// Holds what stands on the ground, sets soles on it and lifts them out of it.
    pub hold_contacts: bool,
    /// Keeps the distance of the hands from each other and from the body where they come near.
    pub keep_hands: bool,
    /// Keeps joints of the target within their limits as far as the source is within its own.
    pub limits: bool,
}

impl Default for RetargetOptions {
    fn default() -> Self {
        Self { path: Path::default(), ground: None, hold_contacts: true, keep_hands: false, limits: true }
    }
}

/// Why a clip cannot be moved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RetargetError {
    #[error("the clip was made for {found} joints, the source has {expected}")]
    Joints { found: usize, expected: usize },
    #[error("the clip has no frames")]
    NoFrames,
    #[error("no joint of the {0} is known as its hips")]
    NoHips(Whose),
    #[error("the ground must be a height in metres, not {0}")]
    Ground(Real),
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// A clip on its new body.
#[derive(Clone, Debug, PartialEq)]
pub struct Retargeted {
    /// Motion of the target's skeleton, metres, world space.
    pub clip: Clip,
    /// Length of the target's legs over that of the source's; of the trunks, or of all, where one of them has no legs.
    pub scale: Real,
    /// Whether it is that of the legs.
    pub by_legs: bool,
    /// Height of the ground that was assumed, metres.
    pub ground: Real,
    /// Velocity of the belt that a clip in place goes on, on the target, m/s; 0 for all others.
    pub belt: Vec3,
    /// Source and target are the same skeleton: the clip is as it was.
    pub same: bool,
}

impl Retarget<'_> {
    /// The clip on the target.
    pub fn run(&self) -> Result<Retargeted, RetargetError> {
        let (found, expected) = (self.clip.joints(), self.source.skeleton.len());
        if found != expected {
            return Err(RetargetError::Joints { found, expected });
        }
        if self.clip.frames() == 0 {
            return Err(RetargetError::NoFrames);
        }
        if let Some(ground) = self.options.ground.filter(|ground| !ground.is_finite()) {
            return Err(RetargetError::Ground(ground));
        }
        if is_same(self.source, self.target) {
            let ground = self.options.ground.unwrap_or(0.0);
            let (clip, belt) = (self.clip.clone(), Vec3::zeros());
            return Ok(Retargeted { clip, scale: 1.0, by_legs: true, ground, belt, same: true });
        }
        let mut transfer =
            Transfer::new(self.source, self.target, self.options.path, 0.0).map_err(RetargetError::NoHips)?;
        let mut pairs = pair_limbs(self.source, self.target);
        let hands = if self.options.keep_hands { Hands::new(self.source, self.target) } else { None };
        let seen = Seen::of(self, &transfer, &pairs, hands.as_ref());
        transfer.ground = self.options.ground.unwrap_or_else(|| seen.ground(&pairs, self.source));
        let clip = self.set_down(&transfer, &mut pairs, &seen, hands.as_ref())?;
        let by_legs = self.source.leg_length().is_some() && self.target.leg_length().is_some();
        let belt = seen.belt * transfer.way();
        Ok(Retargeted { clip, scale: transfer.scale, by_legs, ground: transfer.ground, belt, same: false })
    }

    /// From the last frame to the first: stances, and limbs that reach for them.
    fn set_down(
        &self,
        transfer: &Transfer,
        pairs: &mut [Pair],
        seen: &Seen,
        hands: Option<&Hands>,
    ) -> Result<Clip, RetargetError> {
        let joints = self.target.skeleton.len();
        let mut rotations = vec![Quat::identity(); seen.frames * joints];
        let mut places_of_hips = vec![Vec3::zeros(); seen.frames];
        let step = self.clip.frame_time();
        // The target may be smaller in its legs than as a whole: what is slow for it counts.
        let size = |body: &Body| body.height() / REFERENCE_HEIGHT;
        let size_scale = (size(self.target) / transfer.scale).clamp(size(self.source), 1.5 * size(self.source));
        let thresholds = Thresholds::of(size_scale);
        // By which the result will be judged.
        let own = Thresholds::of(size(self.target));
        let mut level = Level::new(size(self.source), thresholds);
        let leg = self.target.leg_length().filter(|_| self.target.is_upright());
        let mut sway = Sway::new(leg, self.options.path == Path::Kept);
        let partners = Counterparts::new(self.source, self.target, self.clip.rate_hz());
        let mut smooth = Smooth::new(self.target, |j| pairs.iter().any(|pair| pair.target.is_leg && pair.moves(j)));
        let mut calm = Calm::new();
        let mut places = Vec::with_capacity(joints);
        let mut asked: Vec<Asked> = Vec::with_capacity(pairs.len());
        let mut posed: Vec<Vec3> = Vec::with_capacity(pairs.len());
        let mut legs: Vec<Bearing> = Vec::with_capacity(pairs.len());
        let mut world = vec![Quat::identity(); joints];
        for frame in (0..seen.frames).rev() {
            world.copy_from_slice(&seen.world[frame * joints..(frame + 1) * joints]);
            smooth.step(&partners, seen, frame, &mut world);
            let mut floor = 0.0;
            if self.options.hold_contacts {
                seen.follow(pairs, &mut level, transfer.ground, self.source.is_upright(), frame);
                floor = level.error();
            }
            let point = transfer.target_point(&seen.carried[frame], floor);
            let mut hips = transfer.hips_place(&point, &world) + sway.now();
            transfer.places(&hips, &world, &mut places);
            asked.clear();
            posed.clear();
            legs.clear();
            let carried = transfer.scale * seen.carried_speed(frame);
            let stands_on = transfer.ground + transfer.scale * level.terrain();
            let not_below = transfer.ground + transfer.scale * level.terrain().min(0.0);
            let (mut lower, mut lift, mut stands): (Real, Real, Real) = (0.0, 0.0, 0.0);
            for pair in pairs.iter_mut() {
                let limb = pair.target;
                let mut end = end_of(limb, |j| places[j], |j| world[j]);
                end.place += transfer.longer_steps(&places[limb.upper], &end.place);
                if !self.options.hold_contacts || limb.soles.is_empty() {
                    asked.push(Asked { end, weight: 0.0, pull: 0.0, posed: end.place.y, free: end.place, loose: end });
                    posed.push(end.place);
                    continue;
                }
                let released = |k: usize| {
                    let (place, speed) = pair.stance.released(&end, k, not_below, step)?;
                    Some(own.released(place.y - stands_on, speed, carried))
                };
                let released: Vec<Released> = (0..pair.soles.len()).map(|k| released(k).unwrap_or_default()).collect();
                seen.touch(pair, &thresholds, transfer.ground + level.height(), frame, |k| released[k]);
                let now = pair.stance.step(&end, &pair.touches, stands_on, not_below, step);
                match limb.is_leg {
                    true => {
                        let root = places[limb.upper];
                        let (as_posed, as_free) = ((end.place - root).norm(), (now.free - root).norm());
                        let length = as_free + now.pull * (as_posed - as_free);
                        if now.weight > 0.0 {
                            legs.push(Bearing { root, place: now.end.place, length, weight: now.weight });
                        }
                        stands = Real::max(stands, now.pull);
                        sway.ask(&(now.end.place - end.place), now.pull);
                    }
                    false => lift = Real::max(lift, now.end.place.y - end.place.y),
                }
                asked.push(now);
                posed.push(end.place);
            }
            let at_once = sway.at_once(&legs);
            let by = at_once.all();
            let eased = sway.follow(step);
            for ((pair, asked), posed) in
                pairs.iter().zip(&asked).zip(&posed).filter(|((_, asked), _)| asked.weight > 0.0)
            {
                let limb = pair.target;
                let root = places[limb.upper] + by;
                lower = Real::max(lower, asked.weight * too_far(limb, &root, &(posed + by), &asked.end.place));
            }
            // A body that stands on its hands is as high as they carry it.
            let raise = lift * (1.0 - stands);
            hips += by + Vec3::y() * (raise - lower);
            transfer.places(&hips, &world, &mut places);
            let mut ends: Vec<End> = Vec::with_capacity(pairs.len());
            for (pair, asked) in pairs.iter().zip(&asked) {
                let limb = pair.target;
                // What does not stand goes with the body, as far as the ground has not lifted it already.
                let lifted = if limb.is_leg { 0.0 } else { (asked.end.place.y - asked.posed).max(0.0) };
                let sunk = if limb.is_leg { 0.0 } else { lower };
                let swings = self.options.hold_contacts && limb.is_leg && asked.weight < 1.0;
                let mut end = if swings { asked.loose } else { asked.end };
                // A foot that leaves a body on its hands goes up with it: the ground lets go of it as its leg does of the body.
                let stays = if limb.is_leg { asked.pull } else { asked.weight };
                end.place += by * (1.0 - asked.weight) + Vec3::y() * ((raise - lifted).max(0.0) - sunk) * (1.0 - stays);
                if swings {
                    pair.stance.stay_above(&mut end, not_below);
                }
                ends.push(end);
            }
            if self.options.hold_contacts {
                let (low, fast) = (stands_on + own.most_height(), own.most_speed(carried) * step);
                let leg = |(k, pair): (usize, &Pair)| {
                    let (end, held) = (ends[k], pair.stance.held());
                    let swings = if held.is_some() { [None; 3] } else { pair.stance.swings(&end, low, fast) };
                    let stands_on_it = pair.target.is_leg && !pair.target.soles.is_empty();
                    stands_on_it.then_some(Leg { pair: k, end, held, swings })
                };
                let mut legs: Vec<Leg> = pairs.iter().enumerate().filter_map(leg).collect();
                let scene = Scene {
                    target: self.target,
                    pairs,
                    places: &places,
                    world: &world,
                    ground: not_below,
                    rate: self.clip.rate_hz(),
                    seen,
                    frame,
                    partners: &partners,
                };
                let gives = calm.step(&scene, &mut legs);
                for (k, _) in pairs.iter().enumerate().filter(|(_, pair)| !pair.target.is_leg) {
                    ends[k].place += gives * (1.0 - asked[k].weight);
                }
                legs.iter().for_each(|leg| ends[leg.pair] = leg.end);
                hips += gives;
                transfer.places(&hips, &world, &mut places);
            }
            let moves = hands.map(|hands| hands.moves(&seen.near[frame], &|j| places[j], &|j| world[j]));
            for ((pair, asked), mut end) in pairs.iter_mut().zip(&asked).zip(ends) {
                let limb = pair.target;
                if let (false, Some(moves)) = (limb.is_leg, &moves) {
                    end.place += moves[if limb.side == Side::Left { 0 } else { 1 }] * (1.0 - asked.weight);
                }
                pair.stance.stood(&end);
                reach(pair, &end, &places, &mut world, self.target);
            }
            pairs.iter_mut().for_each(|pair| pair.stance.go_with(&(at_once.agreed + eased)));
            self.write(&world, &mut rotations[frame * joints..(frame + 1) * joints]);
            let gone = seen.gone(frame) * transfer.way();
            places_of_hips[frame] = self.in_parent(transfer.hips(), &(hips + gone), &world, &places);
        }
        let translations = Tracks { joints: vec![transfer.hips()], values: places_of_hips };
        let name = self.clip.name.clone();
        Ok(Clip::new(name, self.clip.rate_hz(), joints, rotations, translations, Tracks::default())?)
    }

    /// World orientations as those in the parents' frames.
    fn write(&self, world: &[Quat], rotations: &mut [Quat]) {
        for (j, joint) in self.target.skeleton.joints().iter().enumerate() {
            let mut local = joint.parent.map_or(world[j], |p| world[p].inverse() * world[j]);
            local.renormalize_fast();
            rotations[j] = local;
        }
    }

    fn in_parent(&self, joint: usize, place: &Vec3, world: &[Quat], places: &[Vec3]) -> Vec3 {
        match self.target.skeleton.joint(joint).parent {
            Some(p) => world[p].inverse() * (place - places[p]),
            None => *place,
        }
    }
}

/// Whether two bodies have the same joints in the same rest pose: nothing has to be moved.
fn is_same(a: &Body, b: &Body) -> bool {
    let (a, b) = (&a.given, &b.given);
    let size = a.bone_lengths().iter().sum::<Real>().max(1e-9);
    a.len() == b.len()
        && a.joints().iter().zip(b.joints()).all(|(a, b)| {
            let apart = if a.parent.is_some() { (a.offset - b.offset).norm() } else { 0.0 };
            a.parent == b.parent && apart < 1e-5 * size && a.rest.angle_to(&b.rest) < 1e-4
        })
}
