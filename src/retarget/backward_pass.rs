//! Contacts and limbs of the target, solved from the last frame to the first.
//!
//! No frame depends on one before it, so that a clip whose beginning was cut off gives the same poses. In each frame the sole
//! points that touch the ground in the source request places for the ends of the limbs, the pelvis compensates for what legs
//! cannot reach, legs are smoothed where a joint would show a velocity spike, and the limbs bend to their ends.

use super::ground_clearance::Clearance;
use super::hands::Hands;
use super::leg_smoothing::{FrameContext, LegSmoothing, LegTarget};
use super::limb_contact::{ContactRequest, End};
use super::limb_pair::{LimbPair, end_of, pair_limbs, reach, too_far};
use super::pelvis_compensation::{PelvisCompensation, SupportLeg};
use super::source_contacts::{FloorLevel, Released, Thresholds};
use super::source_motion::SourceMotion;
use super::transfer::Transfer;
use super::velocity_spikes::{Counterparts, UpperBodySmoothing};
use super::{Path, Retarget};
use crate::figure::body::Body;
use crate::math::{Quat, Real, Vec3};
use crate::motion::{Clip, ClipError, REFERENCE_HEIGHT, Side, Tracks};

/// State of the pass, carried from each frame to the one before it.
pub(super) struct BackwardPass<'a> {
    job: Retarget<'a>,
    transfer: &'a Transfer<'a>,
    source_motion: &'a SourceMotion,
    hands: Option<&'a Hands>,
    clearance: &'a Clearance,
    pairs: Vec<LimbPair<'a>>,
    /// Contact thresholds for the motion of the source.
    thresholds: Thresholds,
    /// Contact thresholds of the target, by which the result is measured.
    own: Thresholds,
    level: FloorLevel,
    compensation: PelvisCompensation,
    partners: Counterparts,
    upper_body: UpperBodySmoothing,
    legs: LegSmoothing,
    /// World positions and orientations of the target's joints in the current frame.
    places: Vec<Vec3>,
    world: Vec<Quat>,
    /// World position of the pelvis joint in the current frame, metres.
    hips: Vec3,
}

/// Ground below the target in a frame.
struct FrameGround {
    /// Height that limbs stand on, metres.
    support: Real,
    /// Height that nothing may sink below, metres.
    lowest: Real,
    /// Speed of the root point, m/s, at the target's scale.
    root_speed: Real,
}

/// Clip of the target, with what is known of it frame by frame.
pub(super) struct Solution {
    pub clip: Clip,
    /// World heights of the pelvis joint, metres.
    pub heights: Vec<Real>,
    /// Heights that nothing may sink below, metres.
    pub grounds: Vec<Real>,
    /// Heights of the ground below the source, metres.
    pub source_grounds: Vec<Real>,
}

/// Contact requests of all limbs in a frame.
#[derive(Default)]
struct FrameRequests {
    /// One for each pair of limbs.
    list: Vec<ContactRequest>,
    /// End of each limb as the posture has it, metres.
    posed: Vec<Vec3>,
    legs: Vec<SupportLeg>,
    /// Largest rise that an arm in contact asks for, metres.
    lift: Real,
    /// Largest share to which a leg supports the body.
    supported: Real,
}

impl<'a> BackwardPass<'a> {
    pub fn new(
        job: Retarget<'a>,
        transfer: &'a Transfer<'a>,
        source_motion: &'a SourceMotion,
        hands: Option<&'a Hands>,
        clearance: &'a Clearance,
    ) -> Self {
        let Retarget { source, target, clip, options } = job;
        let pairs = pair_limbs(source, target);
        // The target may be smaller in its legs than as a whole: its own slow speeds decide.
        let size = |body: &Body| body.height() / REFERENCE_HEIGHT;
        let size_scale = (size(target) / transfer.scale).clamp(size(source), 1.5 * size(source));
        let thresholds = Thresholds::of(size_scale);
        let leg = target.leg_length().filter(|_| target.is_upright());
        let joints = target.skeleton.len();
        let in_leg = |j: usize| pairs.iter().any(|pair| pair.target.is_leg && pair.moves(j));
        BackwardPass {
            thresholds,
            own: Thresholds::of(size(target)),
            level: FloorLevel::new(size(source), thresholds),
            compensation: PelvisCompensation::new(leg, options.path == Path::Kept),
            partners: Counterparts::new(source, target, clip.rate_hz()),
            upper_body: UpperBodySmoothing::new(target, in_leg),
            legs: LegSmoothing::new(),
            places: Vec::with_capacity(joints),
            world: vec![Quat::identity(); joints],
            hips: Vec3::zeros(),
            job,
            transfer,
            source_motion,
            hands,
            clearance,
            pairs,
        }
    }

    /// Solves all frames.
    pub fn run(mut self) -> Result<Solution, ClipError> {
        let (clip, frames) = (self.job.clip, self.source_motion.frames);
        let joints = self.world.len();
        let mut rotations = vec![Quat::identity(); frames * joints];
        let mut places_of_hips = vec![Vec3::zeros(); frames];
        let [mut heights, mut grounds, mut source_grounds] = [(); 3].map(|()| vec![0.0; frames]);
        for frame in (0..frames).rev() {
            let ground = self.pose(frame);
            let requests = self.request_contacts(frame, &ground);
            let immediate = self.compensation.immediate_shift(&requests.legs);
            let eased = self.compensation.follow(clip.frame_time());
            let mut ends = self.place_ends(frame, &requests, &immediate.all(), &ground);
            if self.job.options.hold_contacts {
                self.smooth_legs(frame, &requests, &ground, &mut ends);
            }
            self.reach_ends(frame, &requests, ends);
            self.pairs.iter_mut().for_each(|pair| pair.contact.follow_pelvis(&(immediate.common + eased)));
            self.write_rotations(&mut rotations[frame * joints..(frame + 1) * joints]);
            (heights[frame], grounds[frame]) = (self.hips.y, ground.lowest);
            source_grounds[frame] = self.transfer.ground + self.level.height();
            let treadmill_offset = self.source_motion.treadmill_offset(frame) * self.transfer.way();
            places_of_hips[frame] = self.in_parent(self.transfer.hips(), &(self.hips + treadmill_offset));
        }
        let translations = Tracks { joints: vec![self.transfer.hips()], values: places_of_hips };
        let clip = Clip::new(clip.name.clone(), clip.rate_hz(), joints, rotations, translations, Tracks::default())?;
        Ok(Solution { clip, heights, grounds, source_grounds })
    }

    /// Takes the posture of the source, smooths the upper body and follows the level of the floor.
    fn pose(&mut self, frame: usize) -> FrameGround {
        let (transfer, source_motion, joints) = (self.transfer, self.source_motion, self.world.len());
        self.world.copy_from_slice(&source_motion.world[frame * joints..(frame + 1) * joints]);
        self.upper_body.step(&self.partners, source_motion, frame, &mut self.world);
        let mut floor = 0.0;
        if self.job.options.hold_contacts {
            let upright = self.job.source.is_upright();
            source_motion.follow(&self.pairs, &mut self.level, transfer.ground, upright, frame);
            floor = self.level.error();
        }
        let point = transfer.target_point(&source_motion.root_points[frame], floor);
        self.hips = transfer.hips_place(&point, &self.world) + self.compensation.now();
        transfer.places(&self.hips, &self.world, &mut self.places);
        FrameGround {
            root_speed: transfer.scale * source_motion.root_speed(frame),
            support: transfer.ground + transfer.scale * self.level.terrain(),
            lowest: transfer.ground + transfer.scale * self.level.terrain().min(0.0),
        }
    }

    /// Updates the contacts of all limbs and collects the places they request.
    fn request_contacts(&mut self, frame: usize, ground: &FrameGround) -> FrameRequests {
        let (transfer, step) = (self.transfer, self.job.clip.frame_time());
        let (places, world) = (&self.places, &self.world);
        let mut requests = FrameRequests::default();
        for pair in &mut self.pairs {
            let limb = pair.target;
            let mut end = end_of(limb, |j| places[j], |j| world[j]);
            end.place += transfer.longer_steps(&places[limb.upper], &end.place);
            requests.posed.push(end.place);
            if !self.job.options.hold_contacts || limb.soles.is_empty() {
                requests.list.push(ContactRequest::none(end));
                continue;
            }
            let released = |k: usize| {
                let (place, speed) = pair.contact.released(&end, k, ground.lowest, step)?;
                Some(self.own.released(place.y - ground.support, speed, ground.root_speed))
            };
            let released: Vec<Released> = (0..pair.soles.len()).map(|k| released(k).unwrap_or_default()).collect();
            let level = transfer.ground + self.level.height();
            self.source_motion.update_contacts(pair, &self.thresholds, level, frame, |k| released[k]);
            let now = pair.contact.step(&end, &pair.contacts, ground.support, ground.lowest, step);
            if limb.is_leg {
                let root = places[limb.upper];
                let (as_posed, as_free) = ((end.place - root).norm(), (now.free - root).norm());
                let length = as_free + now.pull * (as_posed - as_free);
                if now.weight > 0.0 {
                    requests.legs.push(SupportLeg { root, place: now.end.place, length, weight: now.weight });
                }
                requests.supported = Real::max(requests.supported, now.pull);
                self.compensation.ask(&(now.end.place - end.place), now.pull);
            } else {
                requests.lift = Real::max(requests.lift, now.end.place.y - end.place.y);
            }
            requests.list.push(now);
        }
        requests
    }

    /// Moves the pelvis by `shift` and by what limbs are too short for; returns the ends of all limbs.
    fn place_ends(&mut self, frame: usize, requests: &FrameRequests, shift: &Vec3, ground: &FrameGround) -> Vec<End> {
        let mut lower: Real = 0.0;
        for ((pair, request), posed) in self.pairs.iter().zip(&requests.list).zip(&requests.posed) {
            if request.weight > 0.0 {
                let root = self.places[pair.target.upper] + shift;
                let missing = too_far(pair.target, &root, &(posed + shift), &request.end.place);
                lower = Real::max(lower, request.weight * missing);
            }
        }
        // A body that stands on its hands is as high as its arms hold it.
        let mut raise = requests.lift * (1.0 - requests.supported);
        let height = self.hips.y + shift.y + raise - lower;
        let bounded = self.clearance.bounded(frame, height) - height;
        raise += bounded.max(0.0);
        let settled = (-bounded).max(0.0);
        self.hips += shift + Vec3::y() * (raise - lower - settled);
        self.transfer.places(&self.hips, &self.world, &mut self.places);
        let end = |(pair, request): (&LimbPair, &ContactRequest)| {
            let is_leg = pair.target.is_leg;
            // A limb without contact goes with the body, less what the ground has lifted it by already.
            let lifted = if is_leg { 0.0 } else { (request.end.place.y - request.posed).max(0.0) };
            let sunk = settled + if is_leg { 0.0 } else { lower };
            let swings = self.job.options.hold_contacts && is_leg && request.weight < 1.0;
            let mut end = if swings { request.loose } else { request.end };
            // A foot that leaves a body on its hands rises with it: the ground releases it as its leg releases the body.
            let stays = if is_leg { request.pull } else { request.weight };
            end.place +=
                shift * (1.0 - request.weight) + Vec3::y() * ((raise - lifted).max(0.0) - sunk) * (1.0 - stays);
            if swings {
                pair.contact.stay_above(&mut end, ground.lowest);
            }
            end
        };
        self.pairs.iter().zip(&requests.list).map(end).collect()
    }

    /// Adjusts pelvis and ends of the legs where a joint would show a velocity spike.
    fn smooth_legs(&mut self, frame: usize, requests: &FrameRequests, ground: &FrameGround, ends: &mut [End]) {
        let (clip, pairs) = (self.job.clip, &self.pairs);
        let low = ground.support + self.own.most_height();
        let fast = self.own.most_speed(ground.root_speed) * clip.frame_time();
        let leg = |(k, pair): (usize, &LimbPair)| {
            let (end, held) = (ends[k], pair.contact.held());
            let swings = if held.is_some() { [None; 3] } else { pair.contact.swings(&end, low, fast) };
            let has_sole = pair.target.is_leg && !pair.target.soles.is_empty();
            has_sole.then_some(LegTarget { pair: k, end, held, swings })
        };
        let mut legs: Vec<LegTarget> = pairs.iter().enumerate().filter_map(leg).collect();
        let context = FrameContext {
            target: self.job.target,
            pairs,
            places: &self.places,
            world: &self.world,
            ground: ground.lowest,
            rate: clip.rate_hz(),
            source_motion: self.source_motion,
            frame,
            partners: &self.partners,
        };
        let mut pelvis = self.legs.step(&context, &mut legs);
        let height = self.hips.y + pelvis.y;
        pelvis.y += self.clearance.bounded(frame, height) - height;
        for (k, pair) in pairs.iter().enumerate().filter(|(_, pair)| !pair.target.is_leg) {
            ends[k].place += pelvis * (1.0 - requests.list[k].weight);
            pair.contact.stay_above(&mut ends[k], ground.lowest);
        }
        legs.iter().for_each(|leg| ends[leg.pair] = leg.end);
        self.hips += pelvis;
        self.transfer.places(&self.hips, &self.world, &mut self.places);
    }

    /// Bends all limbs to their ends, hands last at the distance they keep.
    fn reach_ends(&mut self, frame: usize, requests: &FrameRequests, ends: Vec<End>) {
        let (places, world) = (&self.places, &self.world);
        let near = |hands: &Hands| hands.moves(&self.source_motion.near[frame], &|j| places[j], &|j| world[j]);
        let moves = self.hands.map(near);
        for ((pair, request), mut end) in self.pairs.iter_mut().zip(&requests.list).zip(ends) {
            let limb = pair.target;
            if let (false, Some(moves)) = (limb.is_leg, &moves) {
                end.place += moves[if limb.side == Side::Left { 0 } else { 1 }] * (1.0 - request.weight);
            }
            pair.contact.finish_frame(&end);
            reach(pair, &end, &self.places, &mut self.world, self.job.target);
        }
    }

    /// Writes world orientations as orientations in the parents' frames.
    fn write_rotations(&self, rotations: &mut [Quat]) {
        for (j, joint) in self.job.target.skeleton.joints().iter().enumerate() {
            let mut local = joint.parent.map_or(self.world[j], |p| self.world[p].inverse() * self.world[j]);
            local.renormalize_fast();
            rotations[j] = local;
        }
    }

    fn in_parent(&self, joint: usize, place: &Vec3) -> Vec3 {
        match self.job.target.skeleton.joint(joint).parent {
            Some(p) => self.world[p].inverse() * (place - self.places[p]),
            None => *place,
        }
    }
}
