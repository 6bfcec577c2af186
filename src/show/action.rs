//! A person's wishes, as data: a list of them with their times is a session that can be repeated exactly.

use super::Workspace;
use super::item::Item;
use crate::math::{Real, Vec3};

/// The place where a segment is held by the mouse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Number of the item in the workspace.
    pub item: usize,
    /// Number of its body.
    pub body: usize,
    /// In the axes of the body.
    pub at: Vec3,
}

/// What can be asked of a workspace.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Play,
    Pause,
    /// One frame (playback) or one step (live) on.
    StepForward,
    /// One frame or step back: the state is the earlier one, bit for bit.
    StepBack,
    /// To a time, seconds. With physics on, only what was simulated already can be gone to.
    Seek(Real),
    /// Seconds of the workspace per second of real time; negative plays clips backwards.
    Speed(Real),
    Loop(bool),
    /// Of a result and its source, the one that was a ghost is drawn, and the other way round.
    Swap,
    /// Physics on or off. It begins with the posture and the velocities that the clip has now; scenes always have it.
    Live(bool),
    /// Back to the state at the start, with nothing done.
    Reset,
    /// A bounded spring pulls the grip to a place of the picture: critically damped, with at most one and a half times the
    /// figure's weight along each axis. The joints between it and the trunk give way while it is held.
    Grab {
        grip: Grip,
        to: Vec3,
    },
    Drag(Vec3),
    /// While held: turn the wanted orientation of the segment on by this rotation vector in the world.
    Twist(Vec3),
    Release,
    /// A ball from here with this velocity.
    Throw {
        from: Vec3,
        velocity: Vec3,
        mass: Real,
        radius: Real,
    },
    /// A box let go here.
    Drop {
        at: Vec3,
        mass: Real,
        size: Real,
    },
    /// An impulse in N·s at the grip.
    Push {
        grip: Grip,
        impulse: Vec3,
    },
    RagDoll {
        item: usize,
        limp: bool,
    },
    /// Share of the full muscle strength of a segment (numbered as by [`super::Workspace::segments`]), or of all.
    Strength {
        item: usize,
        segment: Option<usize>,
        share: Real,
    },
    /// m/s², of all running worlds.
    Gravity(Vec3),
    /// Coulomb's µ of all surfaces.
    Friction(Real),
    Substeps(u32),
    /// m/s, on all that moves.
    Wind(Vec3),
}

impl Workspace {
    /// Does what a person asks for; says why it cannot be done.
    pub fn act(&mut self, action: Action) -> Result<(), String> {
        match action {
            Action::Play => self.clock.playing = true,
            Action::Pause => {
                self.clock.playing = false;
                // Those that were ahead wait for the slowest.
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
                self.tell(grip.item, Action::Grab { grip, to })?;
                self.held = Some(grip.item);
            }
            Action::Drag(to) => {
                let held = self.held.ok_or("nothing is held")?;
                self.tell(held, Action::Drag(to - self.items[held].offset))?;
            }
            Action::Twist(_) => self.tell(self.held.ok_or("nothing is held")?, action)?,
            Action::Release => {
                if let Some(held) = self.held.take() {
                    self.tell(held, action)?;
                }
            }
            Action::Throw { from, velocity, mass, radius } => {
                let target = self.target(&from, &velocity)?;
                let from = from - self.items[target].offset;
                self.tell(target, Action::Throw { from, velocity, mass, radius })?;
            }
            Action::Drop { at, mass, size } => {
                let target = self.target(&(at + Vec3::y()), &-Vec3::y())?;
                let at = at - self.items[target].offset;
                self.tell(target, Action::Drop { at, mass, size })?;
            }
            Action::Push { grip, .. } => {
                self.item(&grip)?;
                self.tell(grip.item, action)?;
            }
            Action::RagDoll { item, .. } | Action::Strength { item, .. } => self.tell(item, action)?,
            Action::Gravity(_) | Action::Friction(_) | Action::Substeps(_) | Action::Wind(_) => {
                let running: Vec<usize> = self.running().collect();
                if running.is_empty() {
                    return Err("physics is off".to_owned());
                }
                running.into_iter().try_for_each(|item| self.tell(item, action.clone()))?;
            }
        }
        Ok(())
    }

    fn item(&self, grip: &Grip) -> Result<&Item, String> {
        self.items.get(grip.item).ok_or_else(|| format!("there is no item {}", grip.item))
    }

    fn tell(&mut self, item: usize, action: Action) -> Result<(), String> {
        let told = self.items.get_mut(item).ok_or_else(|| format!("there is no item {item}"))?;
        told.act(action)?;
        told.refresh(&mut self.meshes);
        Ok(())
    }

    /// Items whose world runs.
    fn running(&self) -> impl Iterator<Item = usize> {
        self.items.iter().enumerate().filter(|(_, item)| item.live.is_some()).map(|(number, _)| number)
    }

    /// Whom something thrown from here is meant for: the running item that its straight way comes nearest to.
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
                // All or none.
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

    /// All worlds at their start with nothing done to them; without physics, the first frame.
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

    /// One frame of the item with the most frames per second; with physics on, one step of the world whose turn it is.
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
