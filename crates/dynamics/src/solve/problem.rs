//! Rows and masses of one step, laid out flat so that every solver reads the same memory.

use crate::math::{Mat3, Real, Vec3, Vec6};

/// Mass matrix of one body at its centre of mass, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass, kg; undefined if `inverse_mass` is 0.
    pub mass: Real,
    /// Inverse mass, 1/kg; 0 for immovable bodies.
    pub inverse_mass: Real,
    /// Inertia tensor, kg·m², world axes.
    pub inertia: Mat3,
    /// Inverse of the inertia tensor, 1/(kg·m²), world axes; 0 for immovable bodies.
    pub inverse_inertia: Mat3,
}

impl Inertia {
    /// Mass matrix of an immovable body.
    pub const IMMOVABLE: Inertia = Inertia {
        mass: 0.0,
        inverse_mass: 0.0,
        inertia: Mat3::new(0., 0., 0., 0., 0., 0., 0., 0., 0.),
        inverse_inertia: Mat3::new(0., 0., 0., 0., 0., 0., 0., 0., 0.),
    };

    /// Returns it with the mass and the inertia tensor multiplied by factors.
    pub fn scaled(&self, mass: Real, inertia: Real) -> Inertia {
        Inertia {
            mass: self.mass * mass,
            inverse_mass: self.inverse_mass / mass,
            inertia: self.inertia * inertia,
            inverse_inertia: self.inverse_inertia / inertia,
        }
    }

    /// Returns M⁻¹ p for a momentum (or force) p.
    #[inline]
    pub fn apply_inverse(&self, p: &Vec6) -> Vec6 {
        let linear = p.fixed_rows::<3>(0) * self.inverse_mass;
        let angular: Vec3 = self.inverse_inertia * p.fixed_rows::<3>(3);
        Vec6::new(linear[0], linear[1], linear[2], angular.x, angular.y, angular.z)
    }

    /// Returns M v.
    #[inline]
    pub fn apply(&self, v: &Vec6) -> Vec6 {
        let linear = v.fixed_rows::<3>(0) * self.mass;
        let angular: Vec3 = self.inertia * v.fixed_rows::<3>(3);
        Vec6::new(linear[0], linear[1], linear[2], angular.x, angular.y, angular.z)
    }
}

/// Part of a row that belongs to one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Index of a movable body; immovable ones have no entries.
    pub body: u32,
    /// Jacobian ∂Ċ/∂(v, ω), linear part first.
    pub jacobian: Vec6,
}

/// Scalar equation `J v + s λ = k` with `lo ≤ λ ≤ hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Index of the first entry; each body occurs at most once.
    pub first: u32,
    /// Number of entries.
    pub count: u32,
    /// Target k, in velocity units.
    pub target: Real,
    /// Softness s ≥ 0.
    pub softness: Real,
    /// Lower bound of λ, ≤ 0, may be −∞.
    pub lo: Real,
    /// Upper bound of λ, ≥ 0, may be ∞.
    pub hi: Real,
}

impl Row {
    /// Returns true if λ has no bounds.
    pub fn is_equality(&self) -> bool {
        self.lo == Real::NEG_INFINITY && self.hi == Real::INFINITY
    }

    /// Returns true if its multiplier may have either sign, as that of a motor.
    #[inline]
    pub fn has_inner_bounds(&self) -> bool {
        self.lo < 0.0 && self.hi > 0.0
    }

    /// Returns the bounds of its multiplier in [`Solver::separate`](super::Solver::separate), given the target speed and
    /// whether it was at a bound in the last solve.
    pub(crate) fn separation_bounds(&self, held: bool, target: Real) -> (Real, Real) {
        let inner = self.has_inner_bounds();
        match held && (inner || target <= 0.0) {
            true => (0.0, 0.0),
            false if inner => (Real::NEG_INFINITY, Real::INFINITY),
            false => (self.lo, self.hi),
        }
    }
}

/// Rows of one constraint: `rows[first..first + count]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Index of the first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
    /// Set if the first three rows keep two anchors together along the world's x, y and z without limits and the others
    /// are of rotation alone: ±(e, r × e) on each body, then (0, n). The tree solver eliminates such joints faster.
    pub pivot: bool,
}

impl Block {
    /// Returns the numbers of its rows.
    #[inline]
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// Contact point of two bodies: a cone over rows of its own.
///
/// `rows[first]` is the normal (λ ≥ 0). The next two are tangents: ‖λ_t‖ ≤ friction · λ_n, and where the point slides
/// λ_t opposes the sliding at that bound. With `angular`, three more rows follow: two for rolling about the tangents,
/// ‖λ_r‖ ≤ rolling · λ_n, and one for spinning about the normal, |λ_s| ≤ spinning · λ_n. The rows' own `lo` and `hi`
/// are ignored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Index of the normal row.
    pub first: u32,
    /// Three rows of rolling and spinning follow the tangents, if true.
    pub angular: bool,
    /// Coulomb's µ.
    pub friction: Real,
    /// Lever of the normal force that resists rolling, metres.
    pub rolling: Real,
    /// Lever of the normal force that resists spinning, metres.
    pub spinning: Real,
}

impl Contact {
    /// Returns the rows of this contact, the normal first.
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + if self.angular { 6 } else { 3 }
    }
}

/// Masses, rows and contacts of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// Mass matrices, one per body of the world, movable or not.
    pub inertias: Vec<Inertia>,
    /// Rows of all constraints, then those of all contacts.
    pub rows: Vec<Row>,
    /// Entries of all rows.
    pub entries: Vec<Entry>,
    /// Rows grouped by constraint, in order, without gaps.
    pub blocks: Vec<Block>,
    /// Contact points. Their rows follow those of the blocks, in order, without gaps.
    pub contacts: Vec<Contact>,
    /// Changes whenever the pattern (blocks, rows per block, bodies per row, movable bodies) of the first
    /// `persistent_rows` rows changes. The rows after them (one-sided limits, contacts) come and go freely.
    pub topology: u64,
    /// Number of rows that `topology` covers; whole blocks.
    pub persistent_rows: u32,
}

impl Problem {
    /// Returns the index of the first row of a contact.
    #[inline]
    pub fn contact_start(&self) -> usize {
        self.contacts.first().map_or(self.rows.len(), |contact| contact.first as usize)
    }

    /// Returns the entries of one row.
    #[inline]
    pub fn entries(&self, row: usize) -> &[Entry] {
        let row = &self.rows[row];
        &self.entries[row.first as usize..(row.first + row.count) as usize]
    }

    /// Returns J v of one row.
    #[inline]
    pub fn rate(&self, row: usize, velocity: &[Vec6]) -> Real {
        let mut rate = 0.0;
        for Entry { body, jacobian: j } in self.entries(row) {
            let v = &velocity[*body as usize];
            rate += (j[0] * v[0] + j[1] * v[1] + j[2] * v[2]) + (j[3] * v[3] + j[4] * v[4] + j[5] * v[5]);
        }
        rate
    }

    /// Adds M⁻¹ Jᵀ λ of one row to v.
    #[inline]
    pub fn apply(&self, row: usize, lambda: Real, velocity: &mut [Vec6]) {
        for entry in self.entries(row) {
            let body = entry.body as usize;
            velocity[body] += self.inertias[body].apply_inverse(&(entry.jacobian * lambda));
        }
    }

    /// Adds the impulses of all rows to the velocities.
    pub(crate) fn apply_all(&self, lambda: &[Real], velocity: &mut [Vec6]) {
        lambda.iter().enumerate().for_each(|(row, &lambda)| self.apply(row, lambda, velocity));
    }
}
