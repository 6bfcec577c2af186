//! Simulation behind a live item: a run with one captured figure, or a running scene.

use crate::control::Trip;

use crate::dynamics::World;
use crate::math::{Real, Vec3};
use crate::scene::SceneRun;
use crate::simulation::{Actor, Run};

pub(crate) enum Engine {
    Capture(Box<Run>),
    Scene(Box<SceneRun>),
}

impl Engine {
    pub fn world(&self) -> &World {
        match self {
            Engine::Capture(run) => &run.world,
            Engine::Scene(run) => run.world(),
        }
    }

    pub fn world_mut(&mut self) -> &mut World {
        match self {
            Engine::Capture(run) => &mut run.world,
            Engine::Scene(run) => &mut run.world,
        }
    }

    /// Seconds.
    pub fn step_length(&self) -> Real {
        match self {
            Engine::Capture(run) => run.step_length(),
            Engine::Scene(run) => run.step_length(),
        }
    }

    /// Takes one step, exactly as the same file does without a window.
    pub fn step(&mut self) -> Result<(), String> {
        match self {
            Engine::Capture(run) => run.step().map(|_| ()).map_err(|error| error.to_string()),
            Engine::Scene(run) => run.step().map_err(|error| error.to_string()),
        }
    }

    /// All that the future depends on.
    pub fn snapshot(&self) -> Engine {
        match self {
            Engine::Capture(run) => Engine::Capture(run.clone()),
            Engine::Scene(run) => Engine::Scene(Box::new(run.snapshot())),
        }
    }

    pub fn restore(&mut self, kept: &Engine) {
        match (self, kept) {
            (Engine::Capture(run), Engine::Capture(kept)) => run.clone_from(kept),
            (Engine::Scene(run), Engine::Scene(kept)) => run.restore(kept),
            (own, kept) => *own = kept.snapshot(),
        }
    }

    pub fn set_gravity(&mut self, gravity: Vec3) {
        match self {
            Engine::Capture(run) => run.world.gravity = gravity,
            Engine::Scene(run) => run.set_gravity(gravity),
        }
        self.world_mut().wake_all();
    }

    /// Figures, in the order they came.
    pub fn actors(&self) -> impl Iterator<Item = &Actor> {
        let (capture, scene) = match self {
            Engine::Capture(run) => (Some(&run.actor), None),
            Engine::Scene(run) => (None, Some(run.objects.figures.iter().map(|figure| &figure.actor))),
        };
        capture.into_iter().chain(scene.into_iter().flatten())
    }

    pub fn actor(&self, which: usize) -> Option<&Actor> {
        self.actors().nth(which)
    }

    /// The world with one of its figures and what makes it fall.
    pub fn actor_mut(&mut self, which: usize) -> Option<(&mut World, &mut Actor, &mut Option<Trip>)> {
        match self {
            Engine::Capture(run) if which == 0 => {
                let Run { world, actor, trip, .. } = &mut **run;
                Some((world, actor, trip))
            }
            Engine::Capture(_) => None,
            Engine::Scene(run) => {
                let (world, mut figures) = run.actors_mut();
                figures.nth(which).map(|(actor, trip)| (world, actor, trip))
            }
        }
    }

    /// Index of the figure, and of its segment, that a body belongs to.
    pub fn segment_of(&self, body: usize) -> Option<(usize, usize)> {
        self.actors().enumerate().find_map(|(figure, actor)| {
            let place = actor.instance().bodies.iter().position(|id| id.index() == body);
            place.map(|segment| (figure, segment))
        })
    }
}
