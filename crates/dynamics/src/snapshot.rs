//! Snapshots of the whole world: stored, restored, compared.
//!
//! A snapshot holds everything that later steps depend on, warm starts and factorisations included, so that a restored
//! world goes on to the same bits.

use super::body::State;
use super::world::World;
use std::collections::VecDeque;

/// Copy of a world at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot(Box<World>);

impl Snapshot {
    /// Returns the stored world.
    pub fn world(&self) -> &World {
        &self.0
    }
}

impl World {
    /// Stores the world as it is now.
    ///
    /// ```
    /// use sinew_dynamics::Vec3;
    /// use sinew_dynamics::{Body, MassProperties, Placement, World};
    ///
    /// let mut world = World::new();
    /// world.add_body(Body::dynamic("ball", MassProperties::sphere(1.0, 0.1), Placement::IDENTITY))?;
    /// let before = world.snapshot();
    /// world.step(0.1)?;
    /// let hash = world.state_hash();
    /// world.restore(&before);
    /// assert_eq!(world.time(), 0.0);
    /// world.step(0.1)?;
    /// assert_eq!(world.state_hash(), hash);
    /// # Ok::<(), sinew_dynamics::DynamicsError>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(Box::new(self.clone()))
    }

    /// Restores the stored world.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.clone_from(&snapshot.0);
    }

    /// Returns a hash of the clock and all states: equal bits give equal hashes.
    pub fn state_hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut mix = |value: f64| {
            for byte in value.to_bits().to_le_bytes() {
                hash = (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        mix(self.time);
        for State { placement, velocity } in &self.bodies.states {
            placement.position.iter().chain(&placement.rotation.coords).chain(velocity).for_each(|x| mix(*x));
        }
        hash
    }
}

/// Last snapshots of a world, to step back through.
#[derive(Clone, Debug)]
pub struct History {
    kept: VecDeque<Snapshot>,
    capacity: usize,
}

impl History {
    /// Creates a history of at most `capacity` snapshots.
    pub fn new(capacity: usize) -> Self {
        Self { kept: VecDeque::with_capacity(capacity), capacity }
    }

    /// Returns the number of snapshots.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Returns true if there is no snapshot.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Stores the world; the oldest snapshot is dropped if there is no room.
    pub fn keep(&mut self, world: &World) {
        if self.kept.len() >= self.capacity {
            self.kept.pop_front();
        }
        if self.capacity > 0 {
            self.kept.push_back(world.snapshot());
        }
    }

    /// Restores and removes the last snapshot; returns false if there is none.
    pub fn step_back(&mut self, world: &mut World) -> bool {
        let last = self.kept.pop_back();
        if let Some(last) = &last {
            world.restore(last);
        }
        last.is_some()
    }
}
