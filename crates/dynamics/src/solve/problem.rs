//! The rows and masses of one step, laid out flat so that every solver reads the same memory.

use crate::math::{Mat3, Real, Vec3, Vec6};

/// The mass matrix of one body at its centre of mass, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// kg; meaningless where `inverse_mass` is 0.
    pub mass: Real,
    /// 0 for bodies that nothing moves.
    pub inverse_mass: Real,
    /// kg·m², world axes.
    pub inertia: Mat3,
    pub inverse_inertia: Mat3,
}

impl Inertia {
    /// A body that nothing moves.
    pub const IMMOVABLE: Inertia = Inertia {
        mass: 0.0,
        inverse_mass: 0.0,
        inertia: Mat3::new(0., 0., 0., 0., 0., 0., 0., 0., 0.),
        inverse_inertia: Mat3::new(0., 0., 0., 0., 0., 0., 0., 0., 0.),
    };

    /// The same body, heavier by one factor and harder to turn by another.
    pub fn scaled(&self, mass: Real, turn: Real) -> Inertia {
        Inertia {
            mass: self.mass * mass,
            inverse_mass: self.inverse_mass / mass,
            inertia: self.inertia * turn,
            inverse_inertia: self.inverse_inertia / turn,
        }
    }

    /// M⁻¹ p for a momentum (or force) p.
    #[inline]
    pub fn apply_inverse(&self, p: &Vec6) -> Vec6 {
        let linear = p.fixed_rows::<3>(0) * self.inverse_mass;
        let angular: Vec3 = self.inverse_inertia * p.fixed_rows::<3>(3);
        Vec6::new(linear[0], linear[1], linear[2], angular.x, angular.y, angular.z)
    }

    /// M v.
    #[inline]
    pub fn apply(&self, v: &Vec6) -> Vec6 {
        let linear = v.fixed_rows::<3>(0) * self.mass;
        let angular: Vec3 = self.inertia * v.fixed_rows::<3>(3);
        Vec6::new(linear[0], linear[1], linear[2], angular.x, angular.y, angular.z)
    }
}

/// The part of a row that belongs to one body: ∂Ċ/∂(v, ω), linear part first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Index of a movable body; immovable ones have no entries.
    pub body: u32,
    pub jacobian: Vec6,
}

/// One scalar equation `J v + s λ = k` with `lo ≤ λ ≤ hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Its entries are `entries[first..first + count]`, each body at most once.
    pub first: u32,
    pub count: u32,
    /// k.
    pub target: Real,
    /// s ≥ 0.
    pub softness: Real,
    /// ≤ 0, may be −∞.
    pub lo: Real,
    /// ≥ 0, may be ∞.
    pub hi: Real,
}

impl Row {
    pub fn is_equality(&self) -> bool {
        self.lo == Real::NEG_INFINITY && self.hi == Real::INFINITY
    }
}

/// The rows of one constraint: `rows[first..first + count]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub first: u32,
    pub count: u32,
    /// The first three rows keep two anchors together along the world's x, y and z without limits, the others are about
    /// turning alone: ±(e, r × e) on each body, then (0, n). The tree solver has a short way for such joints.
    pub pivot: bool,
}

/// One point where two bodies touch: a cone over rows of its own.
///
/// `rows[first]` is the normal (λ ≥ 0). The next two are tangents: ‖λ_t‖ ≤ friction · λ_n, and where the point slides
/// λ_t opposes the sliding at that bound. With `turning`, three more rows follow: two for rolling about the tangents,
/// ‖λ_r‖ ≤ rolling · λ_n, and one for spinning about the normal, |λ_s| ≤ spinning · λ_n. The rows' own `lo` and `hi` are
/// not looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    pub first: u32,
    pub turning: bool,
    /// Coulomb's µ.
    pub friction: Real,
    /// Metres.
    pub rolling: Real,
    /// Metres.
    pub spinning: Real,
}

impl Contact {
    /// Rows of this contact, the normal first.
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + if self.turning { 6 } else { 3 }
    }
}

/// Everything a solver may look at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// One per body of the world, movable or not.
    pub inertias: Vec<Inertia>,
    pub rows: Vec<Row>,
    pub entries: Vec<Entry>,
    /// Rows grouped by constraint, in order, without gaps.
    pub blocks: Vec<Block>,
    /// Points of contact. Their rows follow those of the blocks, in order, without gaps.
    pub contacts: Vec<Contact>,
    /// Changes whenever the pattern (blocks, rows per block, bodies per row, movable bodies) of the first `persistent_rows` rows
    /// changes. The rows after them (one-sided limits, contacts) come and go freely.
    pub topology: u64,
    /// How many rows `topology` speaks of; whole blocks.
    pub persistent_rows: u32,
}

impl Problem {
    /// Rows from here on belong to contacts.
    #[inline]
    pub fn contact_start(&self) -> usize {
        self.contacts.first().map_or(self.rows.len(), |contact| contact.first as usize)
    }

    /// The entries of one row.
    #[inline]
    pub fn entries(&self, row: usize) -> &[Entry] {
        let row = &self.rows[row];
        &self.entries[row.first as usize..(row.first + row.count) as usize]
    }

    /// J v of one row.
    #[inline]
    pub fn rate(&self, row: usize, velocity: &[Vec6]) -> Real {
        let mut rate = 0.0;
        for Entry { body, jacobian: j } in self.entries(row) {
            let v = &velocity[*body as usize];
            rate += (j[0] * v[0] + j[1] * v[1] + j[2] * v[2]) + (j[3] * v[3] + j[4] * v[4] + j[5] * v[5]);
        }
        rate
    }

    /// v += M⁻¹ Jᵀ λ for one row.
    #[inline]
    pub fn apply(&self, row: usize, lambda: Real, velocity: &mut [Vec6]) {
        for entry in self.entries(row) {
            let body = entry.body as usize;
            velocity[body] += self.inertias[body].apply_inverse(&(entry.jacobian * lambda));
        }
    }
}
