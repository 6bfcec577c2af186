//! Feet: what a figure stands on.
//!
//! Captures show an ankle and a toe joint, neither of which is on the ground. The sole is found from a moment at which the
//! foot stands flat: the rest pose, where it stands on y = 0; else the frames of the clip in which ankle and toes are lowest,
//! unless the clip stands better on the soles of the rest pose; else the reference pose, with the toe joint 2.5 cm above the ground. From there, scaled by a = height / 1.75 m: the heel
//! lies behind the ankle by 0.35 of the way to the toe joint and is 5 cm wide, the ball below the toe joint and 8 cm wide,
//! the tip 5 cm wide. A skin, where there is one, says where sole, heel and tip are.

use super::anthropometry::lengths;
use super::build::{Draft, Part};
use super::posture::SIDES;
use super::segment_shapes::{axes, share};
use super::{SegmentShape, SolePart, SolePoint};
use crate::dynamics::{MassProperties, Placement, Shape};
use crate::math::{Real, Vec3, real};
use crate::motion::{Frame, Pose, REFERENCE_HEIGHT, Role, Side};

/// A foot at a moment when it stands flat, world space.
struct Flat {
    frames: Vec<Frame>,
    up: Vec3,
    /// Height of the ground below the ankle, where the moment tells.
    ground: Option<Real>,
}

/// A foot in a frame of the clip.
struct Seen {
    frame: usize,
    ankle: Frame,
    toe: Option<Frame>,
    /// Ankle and toes are about as low as they ever are.
    low: bool,
}

/// Fit of candidate soles to the contacts of a clip.
struct Standing {
    /// Depth of the soles below their usual height in contact, metres.
    sinks: Real,
    /// Share of the contact time in which they are at their lowest, all contact intervals weighted alike; 0 where there
    /// is but one, as a body that stands still is at its lowest on any soles.
    firmly: Real,
}

impl Standing {
    fn is_firmer_than(&self, other: &Standing) -> bool {
        self.firmly > FIRMLY && self.firmly > 1.1 * other.firmly
    }
}

/// Height above the lowest position that still counts as lowest, over the standing height.
const EXACT: Real = 0.0006;
/// Share of the contact time at the lowest position above which soles are those that a motion was made for.
const FIRMLY: Real = 0.35;
/// Frames that are looked at for soles.
const CANDIDATES: usize = 24;

/// Measures of a sole from the ankle: down to it, back to the heel, on to ball and tip; metres.
struct Sole {
    forward: Vec3,
    up: Vec3,
    drop: Real,
    heel: Real,
    ball: Real,
    tip: Real,
}

impl Draft<'_> {
    /// The sole points; feet and toes get their shapes and inertia from them.
    pub(super) fn soles(&mut self, parts: &mut [Part]) -> Vec<SolePoint> {
        let mut soles = Vec::new();
        if !self.plan.humanoid {
            self.ends_on_the_ground(parts, &mut soles);
            return soles;
        }
        for side in SIDES {
            if let Some(foot) = self.with_role(Role::Foot(side)) {
                self.foot(side, foot, parts, &mut soles);
            } else if let Some(shank) = self.with_role(Role::LowerLeg(side)) {
                let point = parts[shank].end;
                let part = SolePart::Tip;
                soles.push(SolePoint { segment: shank, part, side: Some(side), point, across: Vec3::zeros() });
            }
        }
        for side in SIDES {
            if let Some(hand) = self.with_role(Role::Hand(side)) {
                let point = 0.5 * parts[hand].end;
                let part = SolePart::Palm;
                soles.push(SolePoint { segment: hand, part, side: Some(side), point, across: Vec3::zeros() });
            }
        }
        soles
    }

    fn foot(&self, side: Side, foot: usize, parts: &mut [Part], soles: &mut Vec<SolePoint>) {
        let size_scale = self.height / REFERENCE_HEIGHT;
        let toes = self.with_role(Role::Toes(side));
        let flat = self.flat(foot, toes);
        let sole = self.sole(foot, toes, &flat, size_scale);
        let at = |k: usize| &flat.frames[self.plan.joints[k]];
        let local = |k: usize, p: &Vec3| at(k).rotation.inverse_transform_vector(&(p - at(k).position));
        let turned = |k: usize, v: &Vec3| at(k).rotation.inverse_transform_vector(v);
        let ankle = at(foot).position;
        let lateral = sole.up.cross(&sole.forward);
        let ground = |forward: Real| ankle - sole.up * sole.drop + sole.forward * forward;
        let (heel, ball, tip) = (ground(-sole.heel), ground(sole.ball), ground(sole.tip));
        let holder = toes.unwrap_or(foot);
        for (segment, part, point, half_width) in [
            (foot, SolePart::Heel, heel, 0.025 * size_scale),
            (foot, SolePart::Ball, ball, 0.04 * size_scale),
            (holder, SolePart::Tip, tip, 0.025 * size_scale),
        ] {
            let across = turned(segment, &(lateral * half_width));
            soles.push(SolePoint { segment, part, side: Some(side), point: local(segment, &point), across });
        }
        // Pairs of corners: where, and how far to both sides.
        let tall = |share: Real| sole.up * (share * sole.drop);
        let top_of_toes = sole.up * (0.022 * size_scale).min(0.5 * sole.drop);
        let mut outline = vec![
            (heel, 0.025 * size_scale),
            (heel + tall(0.6), 0.022 * size_scale),
            (ankle + sole.up * (0.01 * size_scale), 0.025 * size_scale),
            (ball, 0.04 * size_scale),
            (ball + sole.up * (0.035 * size_scale).min(0.7 * sole.drop), 0.033 * size_scale),
        ];
        let to_toes = [(tip, 0.025 * size_scale), (tip + top_of_toes, 0.02 * size_scale)];
        let hull = |k: usize, outline: &[(Vec3, Real)]| {
            let corner = |(p, w): &(Vec3, Real)| [local(k, &(p + lateral * *w)), local(k, &(p - lateral * *w))];
            let points = outline.iter().flat_map(corner).collect();
            SegmentShape { shape: Shape::Hull { points }, placement: Placement::IDENTITY }
        };
        // Centre of mass of the whole foot on the way from heel to tip, a third up to the ankle.
        let row = self.options.table.body().foot;
        let whole = heel + (tip - heel) * row.centre + tall(0.35);
        let solid = |k: usize, length: Real, height: Real, mass: Real| {
            let half = 0.5 * Vec3::new(length.max(0.01 * size_scale), height, 0.075 * size_scale);
            MassProperties::cuboid(mass, half).rotated(&axes(&turned(k, &sole.forward), &turned(k, &sole.up)))
        };
        if let Some(toes) = toes {
            let (foot_mass, toe_mass) = (parts[foot].mass.mass, parts[toes].mass.mass);
            let toe_centre = 0.5 * (ball + tip) + 0.5 * top_of_toes;
            let foot_centre = (whole * (foot_mass + toe_mass) - toe_centre * toe_mass) / foot_mass;
            parts[toes].shapes = vec![hull(
                toes,
                &[(ball, 0.038 * size_scale), (ball + top_of_toes, 0.033 * size_scale), to_toes[0], to_toes[1]],
            )];
            parts[toes].centre = local(toes, &toe_centre);
            parts[toes].end = local(toes, &(tip + 0.5 * top_of_toes));
            parts[toes].mass = solid(toes, sole.tip - sole.ball, top_of_toes.norm(), toe_mass);
            parts[foot].centre = local(foot, &foot_centre);
            parts[foot].mass = solid(foot, sole.ball + sole.heel, 0.8 * sole.drop, foot_mass);
        } else {
            outline.extend(to_toes);
            parts[foot].end = local(foot, &(tip + 0.5 * top_of_toes));
            parts[foot].centre = local(foot, &whole);
            parts[foot].mass = solid(foot, sole.tip + sole.heel, 0.7 * sole.drop, parts[foot].mass.mass);
        }
        parts[foot].shapes = vec![hull(foot, &outline)];
    }

    fn sole(&self, foot: usize, toes: Option<usize>, flat: &Flat, size_scale: Real) -> Sole {
        let frame = &flat.frames[self.plan.joints[foot]];
        let ankle = frame.position;
        let ahead = toes.map(|k| flat.frames[self.plan.joints[k]].position).or_else(|| {
            let ends = self.loose_ends(foot).into_iter().max_by(|a, b| a.norm().total_cmp(&b.norm()));
            ends.map(|end| ankle + frame.rotation * end)
        });
        let up = flat.up;
        let level = |v: Vec3| v - up * v.dot(&up);
        let usual = frame.rotation * self.turned_in(foot, &self.posture.forward);
        let reach = ahead.map(|p| level(p - ankle)).filter(|v| v.norm() > 0.02 * self.height);
        let forward = reach.unwrap_or_else(|| level(usual)).try_normalize(1e-9).unwrap_or(self.posture.forward);
        let toe_drop = ahead.map(|p| (ankle - p).dot(&up) + if toes.is_some() { 0.025 } else { 0.015 } * size_scale);
        let drop = flat.ground.or(toe_drop).unwrap_or(lengths::ANKLE * self.height);
        let drop = drop.clamp(0.02 * self.height, 0.08 * self.height);
        let length = lengths::FOOT * self.height;
        let way = reach.map_or(0.72 * length, |v| v.norm());
        let mut sole = match toes {
            Some(k) => {
                let heel = 0.35 * way;
                let toe = &flat.frames[self.plan.joints[k]];
                let ends = self.loose_ends(k).into_iter().map(|e| (toe.rotation * e).dot(&forward));
                let shown = ends.fold(0.0, Real::max);
                let usual = (length - heel - way).clamp(0.03 * size_scale, 0.09 * size_scale);
                let toe_length = if shown > 0.02 * size_scale { shown } else { usual };
                Sole { forward, up, drop, heel, ball: way, tip: way + toe_length }
            }
            None => Sole { forward, up, drop, heel: 0.3 * way, ball: 0.7 * way, tip: way },
        };
        if let Some(skin) = self.options.skin {
            let mut vertices = Vec::new();
            for k in [Some(foot), toes].into_iter().flatten() {
                let at = &flat.frames[self.plan.joints[k]];
                vertices.extend(self.skin_of(k, skin).iter().map(|v| at.position + at.rotation * v - ankle));
            }
            if vertices.len() >= 12 {
                let low = share(vertices.iter().map(|v| v.dot(&up)), 0.02);
                sole.drop = (-low).max(0.005 * self.height);
                sole.heel = (-share(vertices.iter().map(|v| v.dot(&forward)), 0.01)).max(0.01 * size_scale);
                sole.tip = share(vertices.iter().map(|v| v.dot(&forward)), 0.99).max(0.02 * size_scale);
                sole.ball = if toes.is_some() { sole.ball.min(0.95 * sole.tip) } else { 0.65 * sole.tip };
            }
        }
        sole
    }

    /// A moment when the foot stands flat.
    fn flat(&self, foot: usize, toes: Option<usize>) -> Flat {
        let frames = &self.posture.frames;
        let (ankle, toe) = (self.plan.joints[foot], toes.map(|k| self.plan.joints[k]));
        let size_scale = self.height / REFERENCE_HEIGHT;
        let rest_stands = self.posture.stands && !self.posture.from_clip;
        let reference = |up: Vec3, ground: Option<Real>| Flat { frames: frames.clone(), up, ground };
        // Rest poses that stand on y = 0 are made so on purpose.
        if rest_stands && self.skeleton.rests_on_ground(self.height) {
            return reference(self.posture.up, Some(frames[ankle].position.y));
        }
        let rest = reference(if rest_stands { self.up_with_shank(foot, toe) } else { self.posture.up }, None);
        let Some(clip) = self.options.clip.filter(|clip| clip.frames() > 0) else { return rest };
        let step = clip.frames().div_ceil(400).max(1);
        let mut seen: Vec<Seen> = Vec::new();
        let mut world = Vec::new();
        for frame in (0..clip.frames()).step_by(step) {
            let pose = Pose { scales: None, ..clip.pose(self.skeleton, frame) };
            pose.world_into(self.skeleton, &mut world);
            seen.push(Seen { frame, ankle: world[ankle], toe: toe.map(|toe| world[toe]), low: false });
        }
        let toe_height = |s: &Seen| s.toe.map_or(0.0, |toe| toe.position.y);
        let low_ankle = share(seen.iter().map(|s| s.ankle.position.y), 0.05) + 0.012 * size_scale;
        let low_toe = share(seen.iter().map(toe_height), 0.05) + 0.025 * size_scale;
        seen.iter_mut().for_each(|s| s.low = s.ankle.position.y <= low_ankle && toe_height(s) <= low_toe);
        let low = || seen.iter().filter(|s| s.low);
        let up = |s: &Seen| s.ankle.rotation.inverse_transform_vector(&Vec3::y());
        let mean: Vec3 = low().map(up).sum();
        let Some(nearest) = low().max_by(|a, b| up(a).dot(&mean).total_cmp(&up(b).dot(&mean))) else { return rest };
        let pose = Pose { scales: None, ..clip.pose(self.skeleton, nearest.frame) };
        let found = Flat { frames: pose.world(self.skeleton), up: Vec3::y(), ground: None };
        // In motions that hardly ever stand (a dance on the toes) the lowest foot is not a flat one. A motion that was made for the
        // soles of the rest pose hardly sinks with them. One that was made for those of another moment is as low as ever in many
        // frames with them. Captures do neither; they get the soles of the rest pose where they sink far less with them.
        let judged = |flat: &Flat| self.stands_on(foot, toes, flat, &seen);
        let by_motion = judged(&found);
        let by_rest = rest_stands.then(|| judged(&rest));
        let every = low().count().div_ceil(CANDIDATES).max(1);
        let moments = low().step_by(every).map(|s| {
            let pose = Pose { scales: None, ..clip.pose(self.skeleton, s.frame) };
            Flat { frames: pose.world(self.skeleton), up: Vec3::y(), ground: None }
        });
        let firmest = moments.map(|flat| (judged(&flat), flat)).max_by(|(a, _), (b, _)| a.firmly.total_cmp(&b.firmly));
        let firmest = firmest.filter(|(by, _)| by.is_firmer_than(&by_motion));
        if let Some(by_rest) = by_rest {
            let as_firm = by_rest.firmly >= firmest.as_ref().map_or(0.0, |(by, _)| 0.95 * by.firmly);
            let made_for_it = as_firm && by_rest.firmly > FIRMLY && by_rest.firmly >= by_motion.firmly;
            let hardly = made_for_it
                && by_rest.sinks < 0.003 * size_scale
                && by_rest.sinks + 0.002 * size_scale < by_motion.sinks;
            let firmer = as_firm && by_rest.is_firmer_than(&by_motion);
            if hardly || firmer || by_rest.sinks + 0.015 * size_scale < by_motion.sinks {
                return rest;
            }
        }
        firmest.map_or(found, |(_, flat)| flat)
    }

    /// The way up from a foot as it rests. A rest pose that is not set on the ground says how a foot slopes, but not how it tilts: with
    /// legs that rest spread it is tilted as its shank is, because ankles hardly tilt.
    fn up_with_shank(&self, foot: usize, toe: Option<usize>) -> Vec3 {
        let (up, frames) = (self.posture.up, &self.posture.frames);
        let ankle = frames[self.plan.joints[foot]].position;
        let knee = self.role(foot).and_then(Role::side).and_then(|side| self.with_role(Role::LowerLeg(side)));
        let ahead = toe.map_or(self.posture.forward, |toe| frames[toe].position - ankle);
        let ahead = (ahead - up * ahead.dot(&up)).try_normalize(1e-9);
        let (Some(knee), Some(ahead)) = (knee, ahead) else { return up };
        let shank = frames[self.plan.joints[knee]].position - ankle;
        let left = up.cross(&ahead);
        let tilt = real::atan2(shank.dot(&left), shank.dot(&up));
        // What leads elsewhere than up is no leg that stands.
        if tilt.abs() > 0.8 { up } else { up * real::cos(tilt) + left * real::sin(tilt) }
    }

    /// Fit of soles of this shape to the contacts of a clip.
    fn stands_on(&self, foot: usize, toes: Option<usize>, flat: &Flat, seen: &[Seen]) -> Standing {
        let sole = self.sole(foot, toes, flat, self.height / REFERENCE_HEIGHT);
        let at = |k: usize| &flat.frames[self.plan.joints[k]];
        let local = |k: usize, p: &Vec3| at(k).rotation.inverse_transform_vector(&(p - at(k).position));
        let point = |forward: Real| at(foot).position - sole.up * sole.drop + sole.forward * forward;
        let on_foot = [-sole.heel, sole.ball, if toes.is_none() { sole.tip } else { sole.ball }];
        let on_foot = on_foot.map(|forward| local(foot, &point(forward)));
        let on_toes = toes.map(|toes| local(toes, &point(sole.tip)));
        let height = |frame: &Frame, p: &Vec3| (frame.position + frame.rotation * p).y;
        let lowest = |s: &Seen| {
            let toes = s.toe.as_ref().zip(on_toes.as_ref()).map(|(frame, p)| height(frame, p));
            on_foot.iter().map(|p| height(&s.ankle, p)).chain(toes).fold(Real::INFINITY, Real::min)
        };
        let heights: Vec<Real> = seen.iter().map(lowest).collect();
        let least = heights.iter().copied().fold(Real::INFINITY, Real::min);
        let frames: Vec<(bool, Real)> = seen.iter().zip(&heights).map(|(s, height)| (s.low, height - least)).collect();
        let stances = frames.chunk_by(|one, next| one.0 == next.0).filter(|stance| stance[0].0);
        let firm = |stance: &[(bool, Real)]| stance.iter().filter(|(_, over)| *over < EXACT * self.height).count();
        let shares: Vec<Real> = stances.map(|stance| firm(stance) as Real / stance.len() as Real).collect();
        let firmly = if shares.len() < 2 { 0.0 } else { shares.iter().sum::<Real>() / shares.len() as Real };
        Standing { sinks: share(heights.into_iter(), 0.05) - least, firmly }
    }

    /// Legs that end near the lowest point of the body stand on their ends.
    fn ends_on_the_ground(&self, parts: &[Part], soles: &mut Vec<SolePoint>) {
        let world = |k: usize, p: &Vec3| {
            let frame = &self.posture.frames[self.plan.joints[k]];
            frame.position + frame.rotation * p
        };
        let leaves = (0..parts.len()).filter(|&k| self.children(k).next().is_none());
        let ends: Vec<(usize, Vec3, Real)> = leaves
            .map(|k| {
                let ends = std::iter::once(parts[k].end).chain(self.loose_ends(k));
                let lowest = ends.map(|p| (p, world(k, &p).y)).min_by(|a, b| a.1.total_cmp(&b.1));
                let (point, height) = lowest.unwrap_or((Vec3::zeros(), world(k, &Vec3::zeros()).y));
                (k, point, height)
            })
            .collect();
        // A snake that rears up does not stand on its head.
        let joints = (0..parts.len()).map(|k| self.origin(k).y);
        let lowest = ends.iter().map(|e| e.2).chain(joints).fold(Real::INFINITY, Real::min);
        for (segment, point, _) in ends.into_iter().filter(|e| e.2 < lowest + 0.12 * self.height) {
            let side = self.role(segment).and_then(Role::side);
            soles.push(SolePoint { segment, part: SolePart::Tip, side, point, across: Vec3::zeros() });
        }
    }
}
