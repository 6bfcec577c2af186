//! Body parts of a humanoid, by role: mass from the table, shape from mass and bone length.
//!
//! Where the skeleton lacks a part, the next one inwards takes its share: without a hand joint the forearm ends in a
//! hand. A limb of which nothing is there is not there, and the body weighs less.

use super::anthropometry::{self, Row, lengths};
use super::build::{Draft, Part};
use super::posture::SIDES;
use super::segment_shapes::{along, axes, capsule, cuboid, radius_for};
use crate::dynamics::MassProperties;
use crate::math::{Real, Vec3};
use crate::motion::Role;
use std::f64::consts::PI;

impl Draft<'_> {
    pub(super) fn humanoid_parts(&mut self) -> Vec<Part> {
        let shares = self.shares();
        let table = self.options.table.body();
        let slices = self.trunk_slices(&table.trunk);
        let mut parts = Vec::with_capacity(shares.len());
        for (k, share) in shares.iter().enumerate() {
            let kilograms = share * self.usual_mass;
            let part = match self.role(k) {
                Some(Role::UpperArm(_)) => self.limb(k, &table.upper_arm, kilograms, lengths::UPPER_ARM),
                Some(Role::LowerArm(_)) => self.limb(k, &table.forearm, kilograms, lengths::FOREARM),
                Some(Role::UpperLeg(_)) => self.limb(k, &table.thigh, kilograms, lengths::THIGH),
                Some(Role::LowerLeg(_)) => self.limb(k, &table.shank, kilograms, lengths::SHANK),
                Some(Role::Hand(_)) => self.hand(k, kilograms),
                Some(Role::Head) => self.head(k, kilograms),
                Some(Role::Neck(_)) => self.rod(k, kilograms, lengths::NECK),
                Some(Role::Shoulder(_)) => self.rod(k, kilograms, lengths::CLAVICLE),
                Some(Role::Foot(_)) => self.rod(k, kilograms, 0.6 * lengths::FOOT),
                Some(Role::Toes(_)) => self.rod(k, kilograms, 0.3 * lengths::FOOT),
                Some(Role::Tail(_)) => {
                    let end = self.main_end(k, 0.05);
                    self.rod(k, 1000.0 * PI * 0.01 * end.norm().powi(3), 0.05)
                }
                _ => self.trunk_part(k, kilograms, &slices),
            };
            parts.push(part);
        }
        parts
    }

    /// Each segment's share of the body's mass.
    fn shares(&self) -> Vec<Real> {
        let table = self.options.table.body();
        let mut shares = vec![0.0; self.plan.joints.len()];
        let mut give = |chain: &[Role], part: usize, mass: Real| -> bool {
            let inwards = (0..=part).rev().chain(part + 1..chain.len());
            let taker = inwards.into_iter().find_map(|at| self.with_role(chain[at]));
            if let Some(taker) = taker {
                shares[taker] += mass;
            }
            taker.is_some()
        };
        for side in SIDES {
            let arm = [Role::UpperArm(side), Role::LowerArm(side), Role::Hand(side)];
            for (part, mass) in [table.upper_arm.mass, table.forearm.mass, table.hand].into_iter().enumerate() {
                give(&arm, part, mass);
            }
            let leg = [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side), Role::Toes(side)];
            let foot = table.foot.mass - anthropometry::TOES;
            let masses = [table.thigh.mass, table.shank.mass, foot, anthropometry::TOES];
            for (part, mass) in masses.into_iter().enumerate() {
                give(&leg, part, mass);
            }
        }
        let necks: Vec<usize> = self.necks();
        let neck_mass = if necks.is_empty() { 0.0 } else { anthropometry::NECK };
        let has_head = give(&[Role::Head], 0, table.head - neck_mass);
        let lengths: Vec<Real> = necks.iter().map(|&k| self.main_end(k, lengths::NECK).norm()).collect();
        let rest = if has_head { neck_mass } else { table.head };
        for (&k, length) in necks.iter().zip(&lengths) {
            shares[k] += rest * length / lengths.iter().sum::<Real>().max(1e-9);
        }
        let mut clavicles = 0.0;
        for side in SIDES {
            if let Some(k) = self.with_role(Role::Shoulder(side)) {
                shares[k] += anthropometry::CLAVICLE;
                clavicles += anthropometry::CLAVICLE;
            }
        }
        let mut top = None;
        for (k, slice) in self.trunk_slices(&table.trunk) {
            shares[k] += slice.mass;
            top = Some(k);
        }
        if let Some(top) = top {
            // Clavicles are cut out of the chest; a head that no joint carries sits on it.
            shares[top] = (shares[top] - clavicles).max(0.25 * shares[top]);
            if !has_head && necks.is_empty() {
                shares[top] += table.head;
            }
        }
        shares
    }

    fn necks(&self) -> Vec<usize> {
        (0..self.plan.joints.len()).filter(|&k| matches!(self.role(k), Some(Role::Neck(_)))).collect()
    }

    /// End of the main bone of a segment: at the farthest segment that hangs on it, else at its farthest loose end,
    /// else on along the bone that leads to it, for a share of the standing height.
    pub(super) fn main_end(&self, segment: usize, fallback: Real) -> Vec3 {
        let next = self.children(segment).map(|c| self.local(segment, &self.origin(c)));
        let longest = |ends: &mut dyn Iterator<Item = Vec3>| ends.max_by(|a, b| a.norm().total_cmp(&b.norm()));
        let enough = |end: &Vec3| end.norm() > 0.008 * self.height;
        longest(&mut next.into_iter())
            .filter(enough)
            .or_else(|| longest(&mut self.loose_ends(segment).into_iter()).filter(enough))
            .unwrap_or_else(|| {
                let down = self.turned_in(segment, &-self.posture.up);
                self.incoming(segment).unwrap_or(down) * (fallback * self.height)
            })
    }

    fn limb(&self, segment: usize, row: &Row, kilograms: Real, fallback: Real) -> Part {
        let end = self.main_end(segment, fallback);
        let length = end.norm();
        let [across, long] = row.radii.map(|radius| kilograms * (radius * length).powi(2));
        let mass = MassProperties::new(kilograms, Vec3::new(long, across, across)).rotated(&along(&end));
        let shapes = vec![capsule(Vec3::zeros(), end, radius_for(kilograms, length))];
        Part { mass, centre: end * row.centre, end, shapes }
    }

    /// A round bone of even mass.
    fn rod(&self, segment: usize, kilograms: Real, fallback: Real) -> Part {
        let end = self.main_end(segment, fallback);
        // A neck is at most as thick as long bones are; a shorter one is a disc that a ball must stand for.
        let radius = radius_for(kilograms, end.norm()).min(0.04 * self.height);
        let shape = capsule(Vec3::zeros(), end, radius);
        let half = (0.5 * end.norm() - radius).max(0.0);
        let mass = MassProperties::capsule(kilograms, radius, half).rotated(&along(&end));
        Part { mass, centre: 0.5 * end, end, shapes: vec![shape] }
    }

    fn head(&self, segment: usize, kilograms: Real) -> Part {
        let up = self.turned_in(segment, &self.posture.up);
        let ends = self.loose_ends(segment);
        let crown = ends.into_iter().max_by(|a, b| a.dot(&up).total_cmp(&b.dot(&up)));
        let crown = crown.filter(|c| c.dot(&up) > 0.05 * self.height && c.dot(&up) > 0.7 * c.norm());
        let crown = crown.unwrap_or(up * (lengths::SKULL * self.height));
        let (length, way) = (crown.norm(), crown.normalize());
        let skull = lengths::HEAD * self.height;
        let radius = 0.35 * skull;
        let shape = capsule(crown - way * skull, crown, radius);
        let centre = (length - lengths::CROWN_TO_CENTRE * self.height).clamp(0.3 * length, 0.8 * length);
        let mass = MassProperties::capsule(kilograms, radius, 0.5 * skull - radius).rotated(&along(&way));
        Part { mass, centre: way * centre, end: crown, shapes: vec![shape] }
    }

    /// A flat box; in any ordinary rest pose the hand is wide from front to back.
    fn hand(&self, segment: usize, kilograms: Real) -> Part {
        let usual = lengths::HAND * self.height;
        let end = self.main_end(segment, lengths::HAND);
        let way = end.normalize();
        let length = if end.norm() < 0.5 * usual { usual } else { end.norm().min(1.3 * usual) };
        let thin = (kilograms / (1000.0 * length * 2.9)).sqrt();
        let half = Vec3::new(0.5 * length, 1.45 * thin, 0.5 * thin);
        let rotation = axes(&way, &self.turned_in(segment, &self.posture.forward));
        let shape = cuboid(way * (0.5 * length), rotation, half);
        let centre = way * (lengths::WRIST_TO_CENTRE * self.height).min(0.5 * length);
        let mass = MassProperties::cuboid(kilograms, half).rotated(&rotation);
        Part { mass, centre, end: way * length, shapes: vec![shape] }
    }
}
