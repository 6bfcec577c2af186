//! Rows of a pivot: its levers, its rotation rows and their rates.

use super::Side;
use super::pivot::ExactRotation;
use super::spatial::ZERO3;
use crate::math::{Mat3, Real, Vec3, Vec6};
use crate::solve::Problem;

/// Rotation rows and anchors of one joint, read before factoring. Signs are those of the child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// Anchor from the centre of mass, metres, world axes.
    pub child_lever: Vec3,
    pub parent_lever: Vec3,
    /// Soft rotation rows: directions by columns, and 1/s; zero for unused places.
    pub soft: Mat3,
    pub stiffness: Vec3,
    /// Places of the soft and of the exact rotation rows among the joint's rows.
    pub soft_at: [u8; 3],
    pub exact_at: [u8; 3],
    pub soft_count: u8,
    pub exact_count: u8,
    /// Set if the anchor rows are parent minus child.
    pub flipped: bool,
}

impl Rows {
    pub const NONE: Rows = Rows {
        child_lever: Vec3::new(0.0, 0.0, 0.0),
        parent_lever: Vec3::new(0.0, 0.0, 0.0),
        soft: ZERO3,
        stiffness: Vec3::new(0.0, 0.0, 0.0),
        soft_at: [0; 3],
        exact_at: [0; 3],
        soft_count: 0,
        exact_count: 0,
        flipped: false,
    };

    /// Reads the levers and rotation rows of a pivot off its Jacobians; returns the directions of the exact ones.
    #[inline(always)]
    pub fn read(&mut self, problem: &Problem, body: u32, numbers: &[u32], side: &[Side]) -> [Vec3; 3] {
        self.parent_lever = Vec3::zeros();
        let (along_x, along_y) = (problem.entries(numbers[0] as usize), problem.entries(numbers[1] as usize));
        for (x, y) in along_x.iter().zip(along_y) {
            // ±(e, r × e): r × x = (0, z, −y) and r × y = (−z, 0, x).
            let sign = x.jacobian[0].signum();
            let lever = Vec3::new(y.jacobian[5], -x.jacobian[5], x.jacobian[4]) * sign;
            if x.body == body {
                (self.flipped, self.child_lever) = (sign < 0.0, lever);
            } else {
                self.parent_lever = lever;
            }
        }
        (self.exact_count, self.soft_count) = (0, 0);
        (self.soft, self.stiffness, self.soft_at) = (ZERO3, Vec3::zeros(), [0; 3]);
        let mut exact = [Vec3::zeros(); 3];
        for (r, &row) in numbers.iter().enumerate().skip(3) {
            if side[row as usize] != Side::Free {
                continue;
            }
            let entries = problem.entries(row as usize);
            let j = &entries[(entries[0].body != body) as usize].jacobian;
            let direction = Vec3::new(j[3], j[4], j[5]);
            let softness = problem.rows[row as usize].softness;
            if softness > 0.0 {
                let at = self.soft_count as usize;
                self.soft.set_column(at, &direction);
                (self.stiffness[at], self.soft_at[at]) = (1.0 / softness, r as u8);
                self.soft_count += 1;
            } else {
                let at = self.exact_count as usize;
                (exact[at], self.exact_at[at]) = (direction, r as u8);
                self.exact_count += 1;
            }
        }
        exact
    }

    /// Returns true if all of a joint's rows are here; those held at their limits are not.
    #[inline(always)]
    pub fn are_complete(&self, count: usize) -> bool {
        3 + (self.exact_count + self.soft_count) as usize == count
    }

    /// Returns the impulses of the soft rows for their targets and the angular velocity of the child relative to the
    /// parent: all three at once, since most joints with any have three.
    #[inline(always)]
    pub fn pushes(&self, k: &[Real], exact: &Vec3) -> Vec3 {
        (self.asked_rotation(k) - self.soft.tr_mul(exact)).component_mul(&self.stiffness)
    }

    /// Returns the targets of the soft rows.
    #[inline(always)]
    pub fn asked_rotation(&self, k: &[Real]) -> Vec3 {
        Vec3::from_fn(|i, _| k[self.soft_at[i] as usize])
    }

    /// Lists the places of the soft rows.
    #[inline(always)]
    pub fn soft_places(&self) -> impl Iterator<Item = usize> {
        self.soft_at[..self.soft_count as usize].iter().map(|at| *at as usize)
    }

    /// Lists the places of the exact rotation rows.
    #[inline(always)]
    pub fn exact(&self) -> impl Iterator<Item = usize> {
        self.exact_at[..self.exact_count as usize].iter().map(|at| *at as usize)
    }

    /// Returns +1 if the anchor rows are child minus parent, else −1.
    #[inline(always)]
    pub fn sign(&self) -> Real {
        if self.flipped { -1.0 } else { 1.0 }
    }

    /// Returns the targets of the anchor rows, as child minus parent.
    #[inline(always)]
    pub fn asked_linear(&self, k: &[Real]) -> Vec3 {
        Vec3::new(k[0], k[1], k[2]) * self.sign()
    }

    /// Subtracts J v from k, for the velocities of the two bodies; `exact` if there are exact rotation rows.
    #[inline(always)]
    pub fn take_rates(&self, exact: Option<&ExactRotation>, child: &Vec6, parent: Option<&Vec6>, k: &mut [Real]) {
        let halves = |v: &Vec6| (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]));
        let (linear, mut spin) = halves(child);
        let mut opening = linear + spin.cross(&self.child_lever);
        if let Some(parent) = parent {
            let (linear, parent_spin) = halves(parent);
            opening -= linear + parent_spin.cross(&self.parent_lever);
            spin -= parent_spin;
        }
        let sign = self.sign();
        for (k, opening) in k.iter_mut().zip(opening.iter()) {
            *k -= opening * sign;
        }
        if let Some(exact) = exact {
            for (a, at) in exact.directions.iter().zip(self.exact()) {
                k[at] -= a.dot(&spin);
            }
        }
        if self.soft_count > 0 {
            let rates = self.soft.tr_mul(&spin);
            self.soft_places().zip(rates.iter()).for_each(|(at, rate)| k[at] -= rate);
        }
    }
}
