//! What moves a live item: a stage with one captured figure, or a running scene.

use crate::control::{Puppet, Stage, Trip};
use crate::dynamics::World;
use crate::math::{Real, Vec3};
use crate::scene::Run;

pub(crate) enum Engine {
    Stage(Box<Stage>),
    Run(Box<Run>),
}

impl Engine {
    pub fn world(&self) -> &World {
        match self {
            Engine::Stage(stage) => &stage.world,
            Engine::Run(run) => run.world(),
        }
    }

    pub fn world_mut(&mut self) -> &mut World {
        match self {
            Engine::Stage(stage) => &mut stage.world,
            Engine::Run(run) => &mut run.world,
        }
    }

    /// Seconds.
    pub fn step_length(&self) -> Real {
        match self {
            Engine::Stage(stage) => stage.step_length(),
            Engine::Run(run) => run.step_length(),
        }
    }

    /// Takes one step, exactly as the same file does without a window.
    pub fn step(&mut self) -> Result<(), String> {
        match self {
            Engine::Stage(stage) => stage.step().map(|_| ()).map_err(|error| error.to_string()),
            Engine::Run(run) => run.step().map_err(|error| error.to_string()),
        }
    }

    /// All that the future depends on.
    pub fn snapshot(&self) -> Engine {
        match self {
            Engine::Stage(stage) => Engine::Stage(stage.clone()),
            Engine::Run(run) => Engine::Run(Box::new(run.snapshot())),
        }
    }

    pub fn restore(&mut self, kept: &Engine) {
        match (self, kept) {
            (Engine::Stage(stage), Engine::Stage(kept)) => stage.clone_from(kept),
            (Engine::Run(run), Engine::Run(kept)) => run.restore(kept),
            (own, kept) => *own = kept.snapshot(),
        }
    }

    pub fn set_gravity(&mut self, gravity: Vec3) {
        match self {
            Engine::Stage(stage) => stage.world.gravity = gravity,
            Engine::Run(run) => run.set_gravity(gravity),
        }
        self.world_mut().wake_all();
    }

    /// Figures, in the order they came.
    pub fn puppets(&self) -> impl Iterator<Item = &Puppet> {
        let (stage, run) = match self {
            Engine::Stage(stage) => (Some(&stage.puppet), None),
            Engine::Run(run) => (None, Some(run.cast.figures.iter().map(|figure| &figure.puppet))),
        };
        stage.into_iter().chain(run.into_iter().flatten())
    }

    pub fn puppet(&self, which: usize) -> Option<&Puppet> {
        self.puppets().nth(which)
    }

    /// The world with one of its figures and what makes it fall.
    pub fn puppet_mut(&mut self, which: usize) -> Option<(&mut World, &mut Puppet, &mut Option<Trip>)> {
        match self {
            Engine::Stage(stage) if which == 0 => {
                let Stage { world, puppet, trip, .. } = &mut **stage;
                Some((world, puppet, trip))
            }
            Engine::Stage(_) => None,
            Engine::Run(run) => {
                let (world, mut figures) = run.puppets_mut();
                figures.nth(which).map(|(puppet, trip)| (world, puppet, trip))
            }
        }
    }

    /// Which figure, and which of its segments, a body is.
    pub fn segment_of(&self, body: usize) -> Option<(usize, usize)> {
        self.puppets().enumerate().find_map(|(figure, puppet)| {
            let place = puppet.instance().bodies.iter().position(|id| id.index() == body);
            place.map(|segment| (figure, segment))
        })
    }
}
