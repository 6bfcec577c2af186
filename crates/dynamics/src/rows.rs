//! Rows: the equations that constraints state, before a stepper turns them into numbers.
//!
//! A row is one scalar equation about C, a function of the poses (and of time) that should be zero, or at least
//! not negative. The constraint states C, J = ∂Ċ/∂v, how fast C may change by itself (`rate`, `acceleration`) and
//! the velocity product J̇v. The stepper derives targets and softness from them.

use super::body::{BodyId, State};
use super::solve::{Block, Entry, Problem, Row};
use crate::Placement;
use crate::math::{Mat3, Real, Vec3, Vec6};

/// Stiffness of a row, and decay of its deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Response {
    /// Held exactly, whatever force that takes.
    Hard,
    /// Holds the speed only: Ċ = rate, whatever C is (motors, gears, rolling).
    Rate,
    /// A deviation dies out like a critically damped oscillator: C̈ + (2/τ) Ċ + C/τ² = 0.
    Decay {
        /// Time constant τ, seconds.
        tau: Real,
    },
    /// A spring and a damper with physical constants.
    Spring {
        /// Stiffness, N/m or N·m/rad.
        stiffness: Real,
        /// Damping, N·s/m or N·m·s/rad.
        damping: Real,
    },
    /// A spring and a damper chosen so that the mass that the row moves oscillates at this frequency.
    Oscillator {
        /// Frequency, Hz.
        frequency: Real,
        /// Damping ratio; 1 is critical.
        damping_ratio: Real,
    },
}

/// Equality or inequality of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// C = 0.
    Equal,
    /// C ≥ 0, the multiplier only pushes.
    AtLeast,
}

/// Properties of a row beside its Jacobian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RowSpec {
    /// C at the poses given, against the target at the time given.
    pub error: Real,
    /// Wanted Ċ.
    pub rate: Real,
    /// Wanted C̈.
    pub acceleration: Real,
    /// J̇ v.
    pub curvature: Real,
    /// Limits of the multiplier, N or N·m.
    pub lo: Real,
    pub hi: Real,
    pub response: Response,
    pub sense: Sense,
    /// J v and J a of the scripted bodies, which are no unknowns of the solver.
    pub known_rate: Real,
    pub known_acceleration: Real,
}

impl RowSpec {
    #[inline(always)]
    pub fn held(error: Real) -> Self {
        Self {
            error,
            rate: 0.0,
            acceleration: 0.0,
            curvature: 0.0,
            lo: Real::NEG_INFINITY,
            hi: Real::INFINITY,
            response: Response::Hard,
            sense: Sense::Equal,
            known_rate: 0.0,
            known_acceleration: 0.0,
        }
    }
}

/// View of the bodies of one island, each in a slot, for constraints that state their rows.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// The slot of every body of the world; meaningless for bodies of other islands.
    pub slots: &'a [u32],
    pub states: &'a [State],
    /// Acceleration of every body that is not moved by forces.
    pub scripted: &'a [Vec6],
    pub movable: &'a [bool],
    /// The time that targets and paths are taken at.
    pub time: Real,
}

/// The state of the world body: at the origin, at rest.
pub(crate) const WORLD: State =
    State { placement: Placement::IDENTITY, velocity: Vec6::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0) };

impl<'a> Scope<'a> {
    /// A body's state; `None` is the world.
    #[inline]
    pub fn state(&self, body: Option<BodyId>) -> &'a State {
        match body {
            Some(id) => &self.states[self.slot(id)],
            None => &WORLD,
        }
    }

    #[inline(always)]
    pub fn slot(&self, id: BodyId) -> usize {
        self.slots[id.index()] as usize
    }

    /// The slot of a body that forces move.
    #[inline(always)]
    pub fn movable_slot(&self, body: Option<BodyId>) -> Option<u32> {
        body.map(|id| self.slots[id.index()]).filter(|slot| self.movable[*slot as usize])
    }
}

/// Receiver of rows. A sink that needs C alone never runs the part that builds the Jacobian.
pub(crate) trait RowSink {
    /// Returns true if the sink needs the errors of rows with this response; if not, `skip` stands for the row.
    fn wants(&self, response: Response) -> bool;

    fn skip(&mut self) {
        self.row(0.0, |_| ());
    }

    fn row(&mut self, error: Real, build: impl FnOnce(&mut RowBuilder));

    /// Returns true if `muscle` may stand for three rows.
    #[inline(always)]
    fn takes_muscles(&self) -> bool {
        false
    }

    /// The three soft rows of a joint with a motor about every axis, for sinks that take them in one go.
    #[inline(always)]
    fn muscle(&mut self, _muscle: &Muscle) {}

    /// The three exact rows that keep two anchors together, along the world's axes. They are most of what figures
    /// state, so a sink may take them in one go.
    #[inline(always)]
    fn anchor(&mut self, anchor: &Anchor) {
        for k in 0..3 {
            self.row(anchor.gap[k], |row| {
                let (linear, [lever_a, lever_b]) = anchor.jacobian(k);
                row.on(anchor.a, -linear, -lever_a);
                row.on(anchor.b, linear, lever_b);
                row.curvature(|| anchor.curvature()[k]);
            });
        }
    }
}

/// The three rows of a joint that springs and dampers turn towards a target, along the axes of its frame A.
pub(crate) struct Muscle<'a> {
    pub a: Option<BodyId>,
    pub b: Option<BodyId>,
    /// Axes of frame A, by columns.
    pub axes: &'a Mat3,
    /// Rotation vector from the target, frame A.
    pub error: &'a Vec3,
    /// Wanted angular velocity, frame A.
    pub rate: Vec3,
    /// (stiffness, damping, limit), axis by axis.
    pub springs: [(Real, Real, Real); 3],
}

/// Anchor on body A and anchor on body B that should coincide.
pub(crate) struct Anchor<'a> {
    pub a: Option<BodyId>,
    pub b: Option<BodyId>,
    pub state_a: &'a State,
    pub state_b: &'a State,
    /// Vectors from the centres of mass to the anchors, metres, world axes.
    pub lever_a: Vec3,
    pub lever_b: Vec3,
    /// P_b − P_a.
    pub gap: Vec3,
}

impl Anchor<'_> {
    /// e_k, and r × e_k for both levers.
    #[inline(always)]
    fn jacobian(&self, k: usize) -> (Vec3, [Vec3; 2]) {
        let mut e = Vec3::zeros();
        e[k] = 1.0;
        (e, [&self.lever_a, &self.lever_b].map(|r| r.cross(&e)))
    }

    /// ω_b×(ω_b×r_b) − ω_a×(ω_a×r_a).
    #[inline(always)]
    pub fn curvature(&self) -> Vec3 {
        let (w_a, w_b) = (self.state_a.angular(), self.state_b.angular());
        w_b.cross(&w_b.cross(&self.lever_b)) - w_a.cross(&w_a.cross(&self.lever_a))
    }

    /// The entries of the three rows for one body: (±e, r × ±e), `one` being ±1.
    #[inline(always)]
    pub fn entries(slot: u32, r: &Vec3, one: Real) -> [Entry; 3] {
        let r = r * one;
        let entry = |jacobian: Vec6| Entry { body: slot, jacobian };
        [
            entry(Vec6::new(one, 0.0, 0.0, 0.0, r.z, -r.y)),
            entry(Vec6::new(0.0, one, 0.0, -r.z, 0.0, r.x)),
            entry(Vec6::new(0.0, 0.0, one, r.y, -r.x, 0.0)),
        ]
    }
}

/// Builder of the row that was just begun.
pub(crate) struct RowBuilder<'a> {
    pub spec: &'a mut RowSpec,
    entries: &'a mut Vec<Entry>,
    first: usize,
    scope: &'a Scope<'a>,
    with_curvature: bool,
}

impl<'a> RowBuilder<'a> {
    /// Begins a row whose entries go to the end of `entries`.
    #[inline(always)]
    pub fn new(spec: &'a mut RowSpec, entries: &'a mut Vec<Entry>, scope: &'a Scope<'a>, with_curvature: bool) -> Self {
        let first = entries.len();
        Self { spec, entries, first, scope, with_curvature }
    }

    /// Sets J̇ v; computed only for steppers that need it.
    #[inline(always)]
    pub fn curvature(&mut self, value: impl FnOnce() -> Real) {
        if self.with_curvature {
            self.spec.curvature = value();
        }
    }

    /// ∂Ċ/∂(v, ω) of one body; the world (`None`) takes none, and a body named twice gets the sum.
    #[inline(always)]
    pub fn on(&mut self, body: Option<BodyId>, linear: Vec3, angular: Vec3) {
        let Some(id) = body else { return };
        let jacobian = Vec6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
        let index = self.scope.slot(id);
        if !self.scope.movable[index] {
            self.spec.known_rate += jacobian.dot(&self.scope.states[index].velocity);
            self.spec.known_acceleration += jacobian.dot(&self.scope.scripted[index]);
        } else if let Some(entry) = self.entries[self.first..].iter_mut().find(|e| e.body == index as u32) {
            entry.jacobian += jacobian;
        } else {
            self.entries.push(Entry { body: index as u32, jacobian });
        }
    }

    /// Limits of the multiplier: at most `force` either way.
    #[inline]
    pub fn limit(&mut self, force: Real) {
        (self.spec.lo, self.spec.hi) = (-force, force);
    }

    /// Sets the response, and the most that the multiplier may be either way.
    #[inline]
    pub fn respond(&mut self, response: Response, force: Real) {
        self.spec.response = response;
        self.limit(force);
    }

    /// C ≥ 0 with a multiplier that only pushes.
    #[inline]
    pub fn one_sided(&mut self) {
        self.spec.sense = Sense::AtLeast;
        self.spec.lo = 0.0;
    }
}

/// All rows of one moment, in the solvers' layout.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assembly {
    pub problem: Problem,
    /// Properties of each row, for steppers that derive numbers later.
    pub specs: Vec<RowSpec>,
    /// The constraint each block belongs to.
    pub owners: Vec<u32>,
    /// Names the pattern of all blocks.
    pub pattern: u64,
    /// True if J̇ v is needed: acceleration level only.
    pub with_curvature: bool,
}

impl Assembly {
    pub fn clear(&mut self) {
        self.problem.rows.clear();
        self.problem.entries.clear();
        self.problem.blocks.clear();
        self.problem.contacts.clear();
        self.specs.clear();
        self.owners.clear();
    }

    /// Collects the rows that `emit` states as one block; a constraint without rows leaves no block.
    pub fn block(&mut self, owner: u32, pivot: bool, scope: Scope<'_>, emit: impl FnOnce(&mut FullSink<'_>)) {
        let first = self.problem.rows.len() as u32;
        emit(&mut FullSink { assembly: self, scope: &scope });
        let count = self.problem.rows.len() as u32 - first;
        if count > 0 {
            self.problem.blocks.push(Block { first, count, pivot });
            self.owners.push(owner);
        }
    }

    /// Names the pattern of blocks, rows and bodies, so that solvers know when their symbolic work is stale: of the
    /// first `problem.persistent_rows` rows for the problem's topology, and of all of them.
    pub fn stamp_topology(&mut self, movable: &[bool]) {
        // FNV-1a over the pattern; a collision would need two patterns of one world with the same 64 bits.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mix = |hash: &mut u64, value: u64| {
            *hash = (*hash ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
        };
        mix(&mut hash, movable.len() as u64);
        for (body, _) in movable.iter().enumerate().filter(|(_, moves)| !**moves) {
            mix(&mut hash, body as u64);
        }
        let problem = &self.problem;
        let kind = |row: &Row| (row.is_equality() as u64) << 1 | (row.softness > 0.0) as u64;
        let mut persistent_rows = None;
        for block in &problem.blocks {
            if block.first >= problem.persistent_rows && persistent_rows.is_none() {
                persistent_rows = Some(hash);
            }
            let mut shape = 0xb10c << 40 ^ (block.count as u64) << 1 | block.pivot as u64;
            let rows = &problem.rows[block.rows()];
            if block.pivot {
                // All its rows name the same bodies, and its anchor rows are all alike.
                for row in &rows[3..] {
                    shape = shape << 2 | kind(row);
                }
                let bodies = match problem.entries(block.first as usize) {
                    [] => u64::MAX,
                    [one] => one.body as u64 | (u32::MAX as u64) << 32,
                    [one, other, ..] => one.body as u64 | (other.body as u64) << 32,
                };
                mix(&mut hash, bodies);
                mix(&mut hash, shape);
                continue;
            }
            let mut bodies: &[Entry] = &[];
            for row in rows {
                let entries = &problem.entries[row.first as usize..(row.first + row.count) as usize];
                shape = shape << 4 | (row.count as u64 & 3) << 2 | kind(row);
                // Rows of one constraint nearly always name the same bodies: say them once.
                if entries.len() != bodies.len() || entries.iter().zip(bodies).any(|(x, y)| x.body != y.body) {
                    for entry in entries {
                        mix(&mut hash, entry.body as u64);
                    }
                    bodies = entries;
                }
            }
            mix(&mut hash, shape);
        }
        (self.problem.topology, self.pattern) = (persistent_rows.unwrap_or(hash), hash);
    }
}

/// Builds the whole row.
pub(crate) struct FullSink<'a> {
    assembly: &'a mut Assembly,
    scope: &'a Scope<'a>,
}

impl RowSink for FullSink<'_> {
    #[inline(always)]
    fn wants(&self, _response: Response) -> bool {
        true
    }

    #[inline(always)]
    fn row(&mut self, error: Real, build: impl FnOnce(&mut RowBuilder)) {
        let Assembly { problem, specs, with_curvature, .. } = &mut *self.assembly;
        specs.push(RowSpec::held(error));
        let first = problem.entries.len();
        let spec = specs.last_mut().expect("just pushed");
        build(&mut RowBuilder::new(spec, &mut problem.entries, self.scope, *with_curvature));
        let count = (problem.entries.len() - first) as u32;
        problem.rows.push(Row { first: first as u32, count, target: 0.0, softness: 0.0, lo: spec.lo, hi: spec.hi });
    }
}
