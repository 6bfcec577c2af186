//! A person's wishes carried out: by the clock, by all worlds, or by the one that is meant.

use super::exhibit::Exhibit;
use super::{Action, Grip, Show};
use crate::math::{Real, Vec3};

impl Show {
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
            Action::Swap => self.exhibits.iter_mut().for_each(|exhibit| exhibit.swapped = !exhibit.swapped),
            Action::Live(on) => self.set_live(on)?,
            Action::Reset => self.reset(),
            Action::Grab { grip, to } => {
                let to = to - self.exhibit(&grip)?.offset;
                self.tell(grip.exhibit, Action::Grab { grip, to })?;
                self.held = Some(grip.exhibit);
            }
            Action::Drag(to) => {
                let held = self.held.ok_or("nothing is held")?;
                self.tell(held, Action::Drag(to - self.exhibits[held].offset))?;
            }
            Action::Twist(_) => self.tell(self.held.ok_or("nothing is held")?, action)?,
            Action::Release => {
                if let Some(held) = self.held.take() {
                    self.tell(held, action)?;
                }
            }
            Action::Throw { from, velocity, mass, radius } => {
                let target = self.target(&from, &velocity)?;
                let from = from - self.exhibits[target].offset;
                self.tell(target, Action::Throw { from, velocity, mass, radius })?;
            }
            Action::Drop { at, mass, size } => {
                let target = self.target(&(at + Vec3::y()), &-Vec3::y())?;
                let at = at - self.exhibits[target].offset;
                self.tell(target, Action::Drop { at, mass, size })?;
            }
            Action::Push { grip, .. } => {
                self.exhibit(&grip)?;
                self.tell(grip.exhibit, action)?;
            }
            Action::RagDoll { exhibit, .. } | Action::Strength { exhibit, .. } => self.tell(exhibit, action)?,
            Action::Gravity(_) | Action::Friction(_) | Action::Substeps(_) | Action::Wind(_) => {
                let running: Vec<usize> = self.running().collect();
                if running.is_empty() {
                    return Err("physics is off".to_owned());
                }
                running.into_iter().try_for_each(|exhibit| self.tell(exhibit, action.clone()))?;
            }
        }
        Ok(())
    }

    fn exhibit(&self, grip: &Grip) -> Result<&Exhibit, String> {
        self.exhibits.get(grip.exhibit).ok_or_else(|| format!("there is no exhibit {}", grip.exhibit))
    }

    fn tell(&mut self, exhibit: usize, action: Action) -> Result<(), String> {
        let told = self.exhibits.get_mut(exhibit).ok_or_else(|| format!("there is no exhibit {exhibit}"))?;
        told.act(action)?;
        told.dress(&mut self.meshes);
        Ok(())
    }

    /// Exhibits whose world runs.
    fn running(&self) -> impl Iterator<Item = usize> {
        self.exhibits.iter().enumerate().filter(|(_, exhibit)| exhibit.live.is_some()).map(|(number, _)| number)
    }

    /// Whom something thrown from here is meant for: the running exhibit that its straight way comes nearest to.
    fn target(&self, from: &Vec3, way: &Vec3) -> Result<usize, String> {
        let way = way.try_normalize(1e-9).unwrap_or_else(|| -Vec3::y());
        let off = |number: &usize| {
            let (low, high) = self.exhibits[*number].bounds();
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
            for exhibit in &mut self.exhibits {
                started =
                    started.and_then(|()| exhibit.start(time).map_err(|error| format!("{}: {error}", exhibit.name)));
            }
            if started.is_err() {
                // All or none.
                self.exhibits.iter_mut().for_each(Exhibit::stop);
                return started;
            }
        } else {
            self.exhibits.iter_mut().for_each(Exhibit::stop);
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
        for exhibit in &mut self.exhibits {
            let actor = exhibit.is_actor();
            if let Some(live) = &mut exhibit.live {
                live.reset();
                start = if actor { start.max(live.began) } else { start };
            }
        }
        self.go_to(start, None);
    }

    /// One frame of the exhibit with the most frames per second; with physics on, one step of the world whose turn it is.
    fn step(&mut self, on: bool) {
        self.clock.playing = false;
        let worlds = self.exhibits.iter().filter_map(|exhibit| exhibit.live.as_ref());
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
