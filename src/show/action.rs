//! User actions as data, and their execution. A list of actions with their times is a session that can be repeated exactly.

use super::Workspace;
use super::item::Item;
use crate::math::{Real, Vec3};

/// Point of a body that the mouse holds or pushes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Number of the item in the workspace.
    pub item: usize,
    /// Number of the body in the item's world.
    pub body: usize,
    /// Point in the axes of the body, metres from its centre of mass.
    pub at: Vec3,
}

/// User action on a workspace.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Starts the clock.
    Play,
    /// Stops the clock.
    Pause,
    /// Advances by one frame (playback) or one step (live).
    StepForward,
    /// Goes back by one frame or step; the state equals the earlier one bit for bit.
    StepBack,
    /// Goes to a time, seconds. With physics on, the range ends where the simulation was last.
    Seek(Real),
    /// Sets the playback speed, seconds of the workspace per second of real time; a negative speed plays clips backwards.
    Speed(Real),
    /// Repeats playback from the start at the end, or stops there.
    Loop(bool),
    /// Swaps a result and its source: the one that was the ghost is drawn solid.
    Swap,
    /// Turns physics on or off. A clip starts with its current pose and velocities; a scene is always simulated.
    Live(bool),
    /// Restores the initial state and forgets all actions.
    Reset,
    /// Pulls the grip to a place of the picture by a bounded spring: critically damped, at most one and a half times the
    /// figure's weight along each axis. The joints between grip and trunk are compliant while it is held.
    Grab {
        /// Point to hold.
        grip: Grip,
        /// Position to pull it to, metres in the picture.
        to: Vec3,
    },
    /// Moves the target of the held grip to a position in the picture, metres.
    Drag(Vec3),
    /// Turns the target orientation of the held segment by a rotation vector, radians in world axes.
    Twist(Vec3),
    /// Releases the grip.
    Release,
    /// Throws a ball.
    Throw {
        /// Initial position, metres in the picture.
        from: Vec3,
        /// Initial velocity, m/s.
        velocity: Vec3,
        /// Mass, kg.
        mass: Real,
        /// Radius, metres.
        radius: Real,
    },
    /// Drops a box.
    Drop {
        /// Initial position of the centre, metres in the picture.
        at: Vec3,
        /// Mass, kg.
        mass: Real,
        /// Edge length, metres.
        size: Real,
    },
    /// Applies an impulse.
    Push {
        /// Point of application.
        grip: Grip,
        /// Impulse, N·s in world axes.
        impulse: Vec3,
    },
    /// Makes the figures of an item limp, or lets them follow their motion again.
    RagDoll {
        /// Number of the item in the workspace.
        item: usize,
        /// True for a rag-doll.
        limp: bool,
    },
    /// Scales the muscle strength of segments.
    Strength {
        /// Number of the item in the workspace.
        item: usize,
        /// Segment, numbered as by [`super::Workspace::segments`]; all segments if absent.
        segment: Option<usize>,
        /// Share of the full strength, 0 to 1.
        share: Real,
    },
    /// Sets the gravity of all running worlds, m/s².
    Gravity(Vec3),
    /// Sets Coulomb's friction coefficient µ of all surfaces.
    Friction(Real),
    /// Sets the number of substeps of all running worlds.
    Substeps(u32),
    /// Sets the wind that acts on all moving bodies, m/s.
    Wind(Vec3),
}

impl Workspace {
    /// Executes an action; the error explains why it is impossible.
    pub fn act(&mut self, action: Action) -> Result<(), String> {
        match action {
            Action::Play => self.clock.playing = true,
            Action::Pause => {
                self.clock.playing = false;
                // Items that ran ahead go back to the time of the slowest.
                self.go_to(self.clock.time, None);
            }
            Action::StepForward => self.step(true),
            Action::StepBack => self.step(false),
            Action::Seek(time) if time.is_finite() => self.go_to(time.clamp(0.0, self.duration()), None),
            Action::Speed(speed) if speed.is_finite() => self.clock.speed = speed.clamp(-8.0, 8.0),
            Action::Seek(_) | Action::Speed(_) => return Err("this is no number".to_owned()),
            Action::Loop(on) => self.clock.looping = on,
            Action::Swap => self.items.iter_mut().for_each(|item| item.swapped = !item.swapped),
            Action::Live(on) => self.set_live(on)?,
            Action::Reset => self.reset(),
            Action::Grab { grip, to } => {
                let to = to - self.item(&grip)?.offset;
                self.dispatch(grip.item, Action::Grab { grip, to })?;
                self.held = Some(grip.item);
            }
            Action::Drag(to) => {
                let held = self.held.ok_or("nothing is held")?;
                self.dispatch(held, Action::Drag(to - self.items[held].offset))?;
            }
            Action::Twist(_) => self.dispatch(self.held.ok_or("nothing is held")?, action)?,
            Action::Release => {
                if let Some(held) = self.held.take() {
                    self.dispatch(held, action)?;
                }
            }
            Action::Throw { from, velocity, mass, radius } => {
                let target = self.target(&from, &velocity)?;
                let from = from - self.items[target].offset;
                self.dispatch(target, Action::Throw { from, velocity, mass, radius })?;
            }
            Action::Drop { at, mass, size } => {
                let target = self.target(&(at + Vec3::y()), &-Vec3::y())?;
                let at = at - self.items[target].offset;
                self.dispatch(target, Action::Drop { at, mass, size })?;
            }
            Action::Push { grip, .. } => {
                self.item(&grip)?;
                self.dispatch(grip.item, action)?;
            }
            Action::RagDoll { item, .. } | Action::Strength { item, .. } => self.dispatch(item, action)?,
            Action::Gravity(_) | Action::Friction(_) | Action::Substeps(_) | Action::Wind(_) => {
                let running: Vec<usize> = self.running().collect();
                if running.is_empty() {
                    return Err("physics is off".to_owned());
                }
                running.into_iter().try_for_each(|item| self.dispatch(item, action.clone()))?;
            }
        }
        Ok(())
    }

    fn item(&self, grip: &Grip) -> Result<&Item, String> {
        self.items.get(grip.item).ok_or_else(|| format!("there is no item {}", grip.item))
    }

    fn dispatch(&mut self, item: usize, action: Action) -> Result<(), String> {
        let told = self.items.get_mut(item).ok_or_else(|| format!("there is no item {item}"))?;
        told.act(action)?;
        told.refresh(&mut self.meshes);
        Ok(())
    }

    /// Items with a running world.
    fn running(&self) -> impl Iterator<Item = usize> {
        self.items.iter().enumerate().filter(|(_, item)| item.live.is_some()).map(|(number, _)| number)
    }

    /// Running item whose centre is nearest to the straight line of a throw.
    fn target(&self, from: &Vec3, way: &Vec3) -> Result<usize, String> {
        let way = way.try_normalize(1e-9).unwrap_or_else(|| -Vec3::y());
        let off = |number: &usize| {
            let (low, high) = self.items[*number].bounds();
            let to = (low + high) / 2.0 - from;
            (to - way * to.dot(&way).max(0.0)).norm()
        };
        let nearest = self.running().min_by(|a, b| off(a).total_cmp(&off(b)));
        nearest.ok_or_else(|| "physics is off: there is no world to throw into".to_owned())
    }

    fn set_live(&mut self, on: bool) -> Result<(), String> {
        if on == self.live {
            return Ok(());
        }
        self.held = None;
        if on {
            let time = self.clock.time.min(self.duration());
            let mut started = Ok(());
            for item in &mut self.items {
                started = started.and_then(|()| item.start(time).map_err(|error| format!("{}: {error}", item.name)));
            }
            if started.is_err() {
                // Either all items start or none does.
                self.items.iter_mut().for_each(Item::stop);
                return started;
            }
        } else {
            self.items.iter_mut().for_each(Item::stop);
            self.clock.time = self.clock.time.min(self.duration());
        }
        self.live = on;
        self.go_to(self.clock.time, None);
        Ok(())
    }

    /// Restores the initial state of all worlds; without physics, the first frame.
    fn reset(&mut self) {
        self.held = None;
        let mut start: Real = 0.0;
        for item in &mut self.items {
            let character = item.is_character();
            if let Some(live) = &mut item.live {
                live.reset();
                start = if character { start.max(live.began) } else { start };
            }
        }
        self.go_to(start, None);
    }

    /// Advances or goes back by one frame of the item with the highest frame rate; with physics on, by the next step of any
    /// world.
    fn step(&mut self, on: bool) {
        self.clock.playing = false;
        let worlds = self.items.iter().filter_map(|item| item.live.as_ref());
        let time = if self.live {
            let near = 1e-9;
            match on {
                true => worlds.map(|live| live.time_of(live.steps_at(self.clock.time + near) + 1)).reduce(Real::min),
                false => {
                    // The last step of any world that ends before now.
                    let before = |live: &super::live::Live| {
                        let steps = live.steps_at(self.clock.time + near);
                        let done = live.time_of(steps) < self.clock.time - near;
                        live.time_of(if done { steps } else { steps.saturating_sub(1) })
                    };
                    worlds.map(before).reduce(Real::max)
                }
            }
        } else {
            let rate = self.frame_rate();
            let frame = (self.clock.time * rate).round() + if on { 1.0 } else { -1.0 };
            Some((frame / rate).clamp(0.0, self.duration()))
        };
        if let Some(time) = time {
            self.go_to(time, None);
        }
    }
}
