//! One transfer from beginning to end.
//!
//! First, from the first frame to the last: the posture of the source on the target. Then, from the last to the first, so that
//! no frame depends on one before it: what stands in the source stands on the target, the pelvis comes down where a leg would
//! be too short, and limbs reach for their places.

use super::body::{Body, Limb};
use super::ground::{Level, Step, Thresholds, Touch, ground_height};
use super::hands::{Hands, Near};
use super::limits::LimitCheck;
use super::reach::Bones;
use super::stance::{Asked, End, Flat, Stance, rounded};
use super::transfer::Transfer;
use super::{Path, Whose};
use crate::math::{Quat, Real, Vec3};
use crate::motion::{Clip, ClipError, Frame, Pose, Side, Tracks};

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
    /// Length of the target's legs over that of the source's.
    pub scale: Real,
    /// Height of the ground that was assumed, metres.
    pub ground: Real,
    /// Source and target are the same skeleton: the clip is as it was.
    pub same: bool,
}

/// A limb of the target and the one of the source that moves it.
struct Pair<'a> {
    source: &'a Limb,
    target: &'a Limb,
    /// For every sole point of the target that of the source.
    soles: Vec<usize>,
    /// Where the points of the source's limb begin among all points.
    first: usize,
    /// Joints that move with the upper bone, the lower bone, the end and the toes.
    zones: [Vec<usize>; 4],
    touches: Vec<Touch>,
    stance: Stance<'a>,
}

/// What the source does, frame by frame.
struct Seen {
    frames: usize,
    /// World orientations of the target's joints, frame by frame.
    world: Vec<Quat>,
    /// The carried point of the source.
    carried: Vec<Vec3>,
    /// Sole points of the source, frame by frame.
    points: Vec<Vec3>,
    width: usize,
    /// Hands and what they are near to, where that is asked for.
    near: Vec<Near>,
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
            return Ok(Retargeted { clip: self.clip.clone(), scale: 1.0, ground, same: true });
        }
        let mut transfer =
            Transfer::new(self.source, self.target, self.options.path, 0.0).map_err(RetargetError::NoHips)?;
        let mut pairs = pair_limbs(self.source, self.target);
        let hands = if self.options.keep_hands { Hands::new(self.source, self.target) } else { None };
        let seen = self.see(&transfer, &pairs, hands.as_ref());
        transfer.ground = self.options.ground.unwrap_or_else(|| self.find_ground(&pairs, &seen));
        let clip = self.set_down(&transfer, &mut pairs, &seen, hands.as_ref())?;
        Ok(Retargeted { clip, scale: transfer.scale, ground: transfer.ground, same: false })
    }

    /// Reads the source.
    fn see(&self, transfer: &Transfer, pairs: &[Pair], hands: Option<&Hands>) -> Seen {
        let frames = self.clip.frames();
        let width = pairs.iter().map(|pair| pair.source.soles.len()).sum();
        let mut seen = Seen {
            frames,
            world: Vec::with_capacity(frames * self.target.skeleton.len()),
            carried: Vec::with_capacity(frames),
            points: Vec::with_capacity(frames * width),
            width,
            near: Vec::new(),
        };
        let limits =
            if self.options.limits { LimitCheck::new(self.source, self.target, |j| transfer.follows(j)) } else { None };
        let joints = self.target.skeleton.len();
        let mut pose: Pose = self.source.skeleton.rest_pose();
        let mut world: Vec<Frame> = Vec::new();
        for frame in 0..frames {
            self.clip.pose_into(frame, &mut pose);
            pose.world_into(&self.source.skeleton, &mut world);
            transfer.orientations(&world, &mut seen.world);
            if let Some(limits) = &limits {
                limits.apply(&world, &mut seen.world[frame * joints..]);
            }
            if let Some(hands) = hands {
                seen.near.push(hands.see(&|j| world[j].position, &|j| world[j].rotation));
            }
            seen.carried.push(transfer.source_point(&world));
            for pair in pairs {
                let end = end_of(pair.source, |j| world[j].position, |j| world[j].rotation);
                seen.points.extend(pair.source.soles.iter().map(|sole| end.point(&sole.at)));
            }
        }
        seen
    }

    fn find_ground(&self, pairs: &[Pair], seen: &Seen) -> Real {
        let feet: Vec<usize> = pairs
            .iter()
            .filter(|pair| pair.source.is_leg || !self.source.is_upright())
            .flat_map(|pair| pair.first..pair.first + pair.source.soles.len())
            .collect();
        if feet.is_empty() {
            return 0.0;
        }
        let lowest =
            |frame: usize| feet.iter().map(|&k| seen.points[frame * seen.width + k].y).fold(Real::INFINITY, Real::min);
        // The last second tells: it is there however the clip was cut before.
        let first = seen.frames.saturating_sub((self.clip.rate_hz().round() as usize).max(1));
        let mut heights: Vec<Real> = (first..seen.frames).map(lowest).collect();
        ground_height(&mut heights, self.source.height() / 1.75)
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
        let size = |body: &Body| body.height() / 1.75;
        let a = (size(self.target) / transfer.scale).clamp(size(self.source), 1.5 * size(self.source));
        let thresholds = Thresholds::of(a);
        let mut level = Level::new(size(self.source), thresholds);
        let mut places = Vec::with_capacity(joints);
        let mut asked: Vec<Asked> = Vec::with_capacity(pairs.len());
        let mut world = vec![Quat::identity(); joints];
        for frame in (0..seen.frames).rev() {
            world.copy_from_slice(&seen.world[frame * joints..(frame + 1) * joints]);
            let mut floor = 0.0;
            if self.options.hold_contacts {
                self.touch(pairs, &mut level, &thresholds, transfer.ground, seen, frame);
                floor = level.error();
            }
            let point = transfer.target_point(&seen.carried[frame], floor);
            let mut hips = transfer.hips_place(&point, &world);
            transfer.places(&hips, &world, &mut places);
            asked.clear();
            let stands_on = transfer.ground + transfer.scale * level.terrain();
            let not_below = transfer.ground + transfer.scale * level.terrain().min(0.0);
            let (mut lower, mut lift, mut stands): (Real, Real, Real) = (0.0, 0.0, 0.0);
            for pair in pairs.iter_mut() {
                let limb = pair.target;
                let mut end = end_of(limb, |j| places[j], |j| world[j]);
                end.place += transfer.longer_steps(&places[limb.upper], &end.place);
                if !self.options.hold_contacts || limb.soles.is_empty() {
                    asked.push(Asked { end, weight: 0.0, pull: 0.0, posed: end.place.y });
                    continue;
                }
                let now = pair.stance.step(&end, &pair.touches, stands_on, not_below, step);
                let posed = (places[limb.end] - places[limb.upper]).norm();
                let root = &places[limb.upper];
                lower = Real::max(lower, now.pull * too_far(limb, root, &now.end.place, posed));
                match limb.is_leg {
                    true => stands = Real::max(stands, now.pull),
                    false => lift = Real::max(lift, now.end.place.y - end.place.y),
                }
                asked.push(now);
            }
            // A body that stands on its hands is as high as they carry it.
            let raise = lift * (1.0 - stands);
            hips.y += raise - lower;
            transfer.places(&hips, &world, &mut places);
            let moves = hands.map(|hands| hands.moves(&seen.near[frame], &|j| places[j], &|j| world[j]));
            for (pair, asked) in pairs.iter().zip(&asked) {
                let limb = pair.target;
                let mut end = asked.end;
                // What does not stand goes with the body, as far as the ground has not lifted it already.
                let lifted = if limb.is_leg { 0.0 } else { (asked.end.place.y - asked.posed).max(0.0) };
                let sunk = if limb.is_leg { 0.0 } else { lower };
                end.place.y += ((raise - lifted).max(0.0) - sunk) * (1.0 - asked.weight);
                if let (false, Some(moves)) = (limb.is_leg, &moves) {
                    end.place += moves[if limb.side == Side::Left { 0 } else { 1 }] * (1.0 - asked.weight);
                }
                reach(pair, &Asked { end, ..*asked }, &places, &mut world, self.target);
            }
            self.write(&world, &mut rotations[frame * joints..(frame + 1) * joints]);
            places_of_hips[frame] = self.in_parent(transfer.hips(), &hips, &world, &places);
        }
        let translations = Tracks { joints: vec![transfer.hips()], values: places_of_hips };
        let name = self.clip.name.clone();
        Ok(Clip::new(name, self.clip.rate_hz(), joints, rotations, translations, Tracks::default())?)
    }

    /// What touches the ground in a frame of the source.
    fn touch(
        &self,
        pairs: &mut [Pair],
        level: &mut Level,
        thresholds: &Thresholds,
        ground: Real,
        seen: &Seen,
        frame: usize,
    ) {
        let rate = self.clip.rate_hz();
        let last = seen.frames - 1;
        // The way to the next frame; the last frame has only the one to it.
        let speed = |of: &dyn Fn(usize) -> Vec3, far: usize| {
            let to = (frame + far).min(last);
            let from = if to > frame { frame } else { last.saturating_sub(1) };
            (of(to) - of(from)).norm() * rate / (to - from).max(1) as Real
        };
        // Single steps of fast captures are full of noise; what stands does so for a thirtieth of a second.
        let far = ((rate / 30.0).round() as usize).max(1);
        let carried = speed(&|frame| seen.carried[frame], far);
        let point = |k: usize| {
            let at = |frame: usize| seen.points[frame * seen.width + k];
            let calm = speed(&at, far);
            Step { height: at(frame).y - ground, speed: calm, next_speed: calm.min(speed(&at, 1)) }
        };
        let upright = self.source.is_upright();
        let standing: Vec<(Real, Real)> = pairs
            .iter()
            .filter(|pair| pair.source.is_leg || !upright)
            .flat_map(|pair| pair.first..pair.first + pair.source.soles.len())
            .map(point)
            .map(|step| (step.height, step.speed))
            .collect();
        level.update(standing.iter().copied(), self.falls(seen, frame), carried, self.clip.frame_time());
        for pair in pairs {
            for (k, &sole) in pair.soles.iter().enumerate() {
                let step = point(pair.first + sole);
                let step = Step { height: step.height - level.height(), ..step };
                pair.touches[k].update(thresholds, &step, carried, self.clip.frame_time());
            }
        }
    }

    /// Whether the body is in free fall: its carried point accelerates downwards by more than half of g.
    fn falls(&self, seen: &Seen, frame: usize) -> bool {
        let far = ((0.05 * self.clip.rate_hz()).round() as usize).max(1);
        let (Some(b), Some(c)) = (seen.carried.get(frame + far), seen.carried.get(frame + 2 * far)) else {
            return false;
        };
        let time = far as Real * self.clip.frame_time();
        (seen.carried[frame].y - 2.0 * b.y + c.y) / (time * time) < -0.5 * 9.81
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

/// How much lower the root of a limb must be so that the limb reaches a place without being stretched more than it was.
fn too_far(limb: &Limb, root: &Vec3, place: &Vec3, posed: Real) -> Real {
    let most = posed.max(0.985 * limb.length).min(limb.length * (1.0 - 1e-6));
    let (down, aside) = (root.y - place.y, (root.x - place.x).hypot(root.z - place.z));
    if down <= 0.0 {
        return 0.0;
    }
    let straight = (most * most - aside * aside).max(0.0).sqrt();
    rounded(down - straight, 0.004 * limb.length).min(0.3 * limb.length)
}

/// Bends a limb so that its end comes to be where it is asked to be.
fn reach(pair: &Pair, asked: &Asked, places: &[Vec3], world: &mut [Quat], target: &Body) {
    let limb = pair.target;
    let bones = Bones { root: places[limb.upper], middle: places[limb.lower], end: places[limb.end] };
    // Knees point to the front, elbows to the back.
    let ahead = if limb.is_leg { Vec3::z() } else { -Vec3::z() };
    let towards = world[limb.upper] * target.references[limb.upper].inverse() * ahead;
    let Asked { end: asked, weight, .. } = asked;
    let place = bones.ease(&asked.place, *weight);
    let reached = bones.reach(&place, &towards);
    let end = asked.rotation * world[limb.end].inverse();
    let toes = limb.toes.map_or(end, |toes| asked.toes * world[toes].inverse());
    for (zone, turn) in pair.zones.iter().zip([reached.upper, reached.lower, end, toes]) {
        zone.iter().for_each(|&j| world[j] = turn * world[j]);
    }
}

fn end_of(limb: &Limb, place: impl Fn(usize) -> Vec3, rotation: impl Fn(usize) -> Quat) -> End {
    let (at, turned) = (place(limb.end), rotation(limb.end));
    let (toe_offset, toes) = match limb.toes {
        Some(toes) => (turned.inverse() * (place(toes) - at), rotation(toes)),
        None => (Vec3::zeros(), turned),
    };
    End { place: at, rotation: turned, toe_offset, toes }
}

fn pair_limbs<'a>(source: &'a Body, target: &'a Body) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    let mut first = 0;
    for limb in &target.limbs {
        let Some(from) = source.limb(limb.is_leg, limb.side) else { continue };
        let matching = |part| {
            from.soles.iter().position(|sole| sole.part == part).or(if from.soles.is_empty() { None } else { Some(0) })
        };
        let soles: Option<Vec<usize>> = limb.soles.iter().map(|sole| matching(sole.part)).collect();
        // Without points on the source nothing is known to stand.
        let Some(soles) = soles else { continue };
        let n = soles.len();
        let flat = Flat::of(target, limb);
        pairs.push(Pair {
            source: from,
            target: limb,
            soles,
            first,
            zones: zones(target, limb),
            touches: vec![Touch::default(); n],
            stance: Stance::new(limb, flat),
        });
        first += from.soles.len();
    }
    pairs
}

fn zones(body: &Body, limb: &Limb) -> [Vec<usize>; 4] {
    let mut zones: [Vec<usize>; 4] = Default::default();
    for j in limb.upper..body.skeleton.len() {
        let mut way = std::iter::successors(Some(j), |&j| body.skeleton.joint(j).parent);
        let zone = way.find_map(|j| match j {
            _ if Some(j) == limb.toes => Some(3),
            _ if j == limb.end => Some(2),
            _ if j == limb.lower => Some(1),
            _ if j == limb.upper => Some(0),
            _ => None,
        });
        if let Some(zone) = zone {
            zones[zone].push(j);
        }
    }
    zones
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
