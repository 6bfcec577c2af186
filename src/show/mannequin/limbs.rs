//! Arms, legs, hands and feet of a person.

use super::facing::sole_axes;
use super::{Loft, Parts, Sculptor, Shade, Station, across, ellipsoid};
use crate::figure::SolePart;
use crate::math::{Real, Vec3};
use crate::motion::proportions::{FOOT, HAND};
use crate::motion::{REFERENCE_HEIGHT, Role, Side};

impl Sculptor<'_> {
    /// Models an upper or lower arm or leg, with the muscles that show its front and back, the kneecap and the tip of the
    /// elbow.
    pub(super) fn limb(&self, k: usize, parts: &mut Parts) {
        let segment = self.figure.segment(k);
        let next = self.children(k).max_by(|a, b| {
            let far = |c: &usize| self.joint_on_parent(*c).norm();
            far(a).total_cmp(&far(b))
        });
        let to = next.map_or(segment.end, |child| self.joint_on_parent(child));
        let (own, front) = (self.thickness[k].mean(), self.front(k));
        let start = self.joint_radius(k);
        let end = next.map_or(0.66 * own, |child| self.end_radius(child));
        let station = |share, side: Real, front: Real, back: Real| Station {
            share,
            side: side * own,
            front: front * own,
            back: back * own,
        };
        let muscles: &[Station] = match segment.role {
            Some(Role::UpperLeg(_)) => &[station(0.3, 1.0, 1.08, 0.98)],
            Some(Role::LowerLeg(_)) => &[station(0.28, 1.02, 0.86, 1.32), station(0.62, 0.82, 0.78, 0.9)],
            Some(Role::UpperArm(_)) => &[station(0.45, 0.92, 1.08, 0.98)],
            _ => &[station(0.25, 1.08, 1.02, 0.98)],
        };
        let mut stations = vec![Station::round(0.0, start)];
        stations.extend(muscles);
        stations.push(Station::round(1.0, end));
        parts.loft(&Loft { from: Vec3::zeros(), to, front, stations: &stations, ends: [start, end] });
        let Some((along, front)) = across(&to, &front) else { return };
        let side = front.cross(&along);
        let disc = |wide: Real, tall: Real, deep: Real| {
            [side * (wide * start), front * (deep * start), along * (tall * start)]
        };
        match segment.role {
            Some(Role::LowerLeg(_)) => {
                ellipsoid(parts.of(Shade::Mark), &(front * (0.72 * start)), &disc(0.62, 0.78, 0.5))
            }
            Some(Role::LowerArm(_)) => {
                ellipsoid(parts.of(Shade::Hair), &(-front * (0.72 * start)), &disc(0.5, 0.6, 0.5))
            }
            _ => {}
        }
    }

    /// Models a hand: flat, light on the palm, with the thumb apart.
    pub(super) fn hand(&self, k: usize, wrist: &Vec3, side: Side, parts: &mut Parts) {
        let segment = self.figure.segment(k);
        let (along, palm) = (self.facing.along[k], self.front(k));
        let is_hand = matches!(segment.role, Some(Role::Hand(_)));
        let length = if is_hand { segment.end.norm() } else { HAND * self.figure.height };
        let Some((along, palm)) = across(&along, &palm) else { return };
        let outward = palm.cross(&along) * if side == Side::Left { 1.0 } else { -1.0 };
        let thumb = self.facing.thumb[k].unwrap_or(outward);
        let joint = if is_hand { self.joint_radius(k) } else { 0.66 * self.thickness[k].mean() };
        let stations = [
            Station::oval(0.0, joint, joint),
            Station::oval(0.25, 0.19 * length, 0.085 * length),
            Station::oval(0.55, 0.22 * length, 0.075 * length),
            Station::oval(1.0, 0.13 * length, 0.045 * length),
        ];
        let to = wrist + along * (0.94 * length);
        parts.loft(&Loft { from: *wrist, to, front: palm, stations: &stations, ends: [joint, 0.06 * length] });
        let from = wrist + along * (0.2 * length) + thumb * (0.12 * length);
        let to = wrist + along * (0.52 * length) + thumb * (0.4 * length) + palm * (0.06 * length);
        let stations = [Station::round(0.0, 0.09 * length), Station::round(1.0, 0.055 * length)];
        parts.loft(&Loft { from, to, front: palm, stations: &stations, ends: [0.09 * length, 0.055 * length] });
    }

    /// Models a foot on its sole, with light toes.
    pub(super) fn foot(&self, k: usize, parts: &mut Parts) {
        let Some((forward, up)) = sole_axes(self.figure, k) else { return self.shapes(k, parts) };
        let points = || self.figure.sole_points().iter().filter(move |sole| sole.segment == k);
        let of = |part: SolePart| points().find(|sole| sole.part == part);
        let size = self.figure.height / REFERENCE_HEIGHT;
        let lateral = up.cross(&forward);
        // Ends are round: the centres of the first and the last ring lie inside of the sole.
        let station = |share: Real, side: Real, top: Real, drop: Real| Station { share, side, front: top, back: drop };
        if let Some(heel) = of(SolePart::Heel) {
            let (ball, is_whole) = match (of(SolePart::Tip), of(SolePart::Ball)) {
                (Some(tip), _) => (tip, true),
                (None, Some(ball)) => (ball, false),
                _ => return self.shapes(k, parts),
            };
            // Height of the ankle above the sole.
            let ankle = -up.dot(&heel.point);
            let low = 0.3 * ankle;
            let (width, length) = (heel.across.norm(), (ball.point - heel.point).dot(&forward));
            let middle = |p: &Vec3| p + up * low;
            let back = 1.1 * width;
            let from = middle(&heel.point) + forward * back.min(0.3 * length);
            let tip = if is_whole { 0.018 * size } else { 0.0 };
            let to = middle(&ball.point) - forward * tip;
            let at_ankle = (-from.dot(&forward) / (to - from).norm().max(1e-6)).clamp(0.1, 0.6);
            let broad = points().map(|sole| sole.across.norm()).fold(0.0, Real::max);
            let stations = [
                station(0.0, 1.15 * width, 0.55 * ankle, low),
                station(at_ankle, 1.2 * width, 0.78 * ankle, low),
                station(0.75, 1.08 * broad, (0.03 * size).min(0.5 * ankle), low),
                station(1.0, if is_whole { 0.75 * broad } else { broad }, (0.02 * size).min(0.4 * ankle), low),
            ];
            parts.loft(&Loft { from, to, front: up, stations: &stations, ends: [back, tip.max(0.3 * broad)] });
            let radius = self.joint_radius(k);
            let ball_of = |r: Real| [lateral * r, up * r, forward * r];
            ellipsoid(parts.of(Shade::Back), &Vec3::zeros(), &ball_of(radius));
            if is_whole {
                let toes = ball.point - forward * (0.035 * size) + up * (0.7 * low);
                let axes = [lateral * (0.95 * broad), up * (0.8 * low + 0.008 * size), forward * (0.04 * size)];
                ellipsoid(parts.of(Shade::Mark), &toes, &axes);
            }
        } else if let Some(tip) = of(SolePart::Tip) {
            let drop = -up.dot(&tip.point);
            let (low, half) = (0.45 * drop, tip.across.norm());
            let middle = |along: Real| forward * along - up * (drop - low);
            let reach = tip.point.dot(&forward);
            let stations = [station(0.0, 1.75 * half, 0.62 * drop, low), station(1.0, 1.2 * half, 0.45 * drop, low)];
            let to = middle((reach - 0.02 * size).max(0.3 * reach));
            let front = parts.0.split_at_mut(Shade::Mark as usize);
            let loft = Loft { from: middle(0.0), to, front: up, stations: &stations, ends: [0.03 * size, 0.02 * size] };
            loft.add(&mut front.1[0], &mut front.0[Shade::Back as usize]);
        }
    }

    /// Models a foot below a shank that has no ankle.
    pub(super) fn block_foot(&self, k: usize, parts: &mut Parts) {
        let (end, front, along) = (self.figure.segment(k).end, self.front(k), self.facing.along[k]);
        let (length, own) = (0.5 * FOOT * self.figure.height, self.thickness[k].mean());
        let axes = [front.cross(&along) * (0.8 * own), along * (0.5 * own), front * length];
        ellipsoid(parts.of(Shade::Mark), &(end + front * (0.5 * length)), &axes);
    }
}
