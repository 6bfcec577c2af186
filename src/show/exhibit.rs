//! One opened file: what it is, where it stands, and what it shows at a time.

use super::actor::{Actor, Posture};
use super::brush::{Brush, color};
use super::live::{Engine, Live};
use super::meshes::Meshes;
use super::overlay;
use super::picture::Color;
use super::{Action, Layers, MeshId};
use crate::control::{Animation, Stage, StageSettings};
use crate::dynamics::World;
use crate::figure::{Figure, PlaceOptions};
use crate::formats::gltf::film;
use crate::math::{Real, Vec3};
use crate::motion::{PoseMotion, edit};
use crate::scene::{Look, Run};
use std::time::Instant;

/// What was opened.
pub(crate) enum Content {
    Actor(Box<Actor>),
    /// Its run is always live.
    Scene {
        /// Seconds that it says it lasts.
        duration: Real,
    },
}

/// What a body looks like.
#[derive(Clone, Copy, Debug)]
struct BodyLook {
    mesh: Option<MeshId>,
    color: Color,
    /// It is a segment of this figure.
    figure: Option<usize>,
    /// Its number among the bodies of the scene file.
    cast: Option<usize>,
}

/// An opened file in the show.
pub(crate) struct Exhibit {
    pub name: String,
    /// Where it stands in the picture. Its own world knows nothing of it, so that its numbers, and its state hash, are those
    /// of the same file alone.
    pub offset: Vec3,
    pub content: Content,
    pub live: Option<Live>,
    /// By figure, as they are drawn now.
    pub postures: Vec<Posture>,
    /// The capture at the same time, while physics moves the figure.
    pub ghost: Option<Posture>,
    /// By number of the body in the live world.
    looks: Vec<BodyLook>,
    /// A world in which nothing moves, to be asked what a ray hits while there is no other.
    still: Option<Box<World>>,
    /// Where the last pictures of the run were, for the onion skin.
    time: Real,
}

impl Exhibit {
    pub fn actor(name: String, actor: Actor) -> Self {
        let posture = Posture::new(&actor.animation);
        let content = Content::Actor(Box::new(actor));
        Self::with(name, content, None, vec![posture])
    }

    pub fn scene(name: String, run: Run) -> Self {
        let content = Content::Scene { duration: run.duration() };
        let postures = run.cast.figures.iter().map(|figure| Posture::new(&figure.animation)).collect();
        let live = Live::new(Engine::Run(Box::new(run)), 0.0);
        Self::with(name, content, Some(live), postures)
    }

    fn with(name: String, content: Content, live: Option<Live>, postures: Vec<Posture>) -> Self {
        let offset = Vec3::zeros();
        Self { name, offset, content, live, postures, ghost: None, looks: Vec::new(), still: None, time: 0.0 }
    }

    /// Seconds that it lasts.
    pub fn duration(&self) -> Real {
        match &self.content {
            Content::Actor(actor) => actor.duration(),
            Content::Scene { duration } => *duration,
        }
    }

    /// Frames per second.
    pub fn rate_hz(&self) -> Real {
        match (&self.content, &self.live) {
            (Content::Actor(actor), _) => actor.rate_hz(),
            (Content::Scene { .. }, Some(live)) => match &live.play().engine {
                Engine::Run(run) => run.film().rate_hz(),
                Engine::Stage(_) => 60.0,
            },
            _ => 60.0,
        }
    }

    /// The height of its ground, metres.
    pub fn ground(&self) -> Real {
        match &self.content {
            Content::Actor(actor) => actor.ground,
            _ => 0.0,
        }
    }

    /// Whether physics can be switched on and off here.
    pub fn is_actor(&self) -> bool {
        matches!(self.content, Content::Actor(_))
    }

    /// Puts the captured figure into a world of its own, as it is at this time of the clip.
    pub fn start(&mut self, time: Real) -> Result<(), String> {
        let Content::Actor(actor) = &self.content else { return Ok(()) };
        let told = |error: crate::motion::ClipError| error.to_string();
        let clip = actor.animation.clip();
        let first = ((time * clip.rate_hz()).round().max(0.0) as usize).min(clip.frames() - 1);
        let animation = if first == 0 {
            actor.animation.clone()
        } else {
            let rest = edit::slice(clip, first..clip.frames()).map_err(told)?;
            Animation::new(actor.figure.skeleton(), &rest).map_err(told)?
        };
        let settings = StageSettings { ground: actor.ground, moving: !actor.still, ..StageSettings::default() };
        let stage = Stage::new(&actor.figure, animation, settings).map_err(|error| error.to_string())?;
        self.looks.clear();
        self.live = Some(Live::new(Engine::Stage(Box::new(stage)), first as Real / clip.rate_hz()));
        Ok(())
    }

    /// Physics off: the capture as it is.
    pub fn stop(&mut self) {
        if self.is_actor() {
            self.live = None;
            self.ghost = None;
        }
    }

    /// Moves on (or back) to a time of the show, as far as the time allows; says how far it came.
    pub fn go_to(&mut self, time: Real, deadline: Option<Instant>) -> Real {
        self.time = time;
        let mut reached = time;
        if let Some(live) = &mut self.live {
            let wanted = live.steps_at(time);
            live.go_to(wanted, deadline);
            if live.steps() < wanted {
                reached = live.time();
            }
        }
        reached
    }

    pub fn act(&mut self, action: Action) -> Result<(), String> {
        match &mut self.live {
            Some(live) => live.act(action),
            None => Err("physics is off here".to_owned()),
        }
    }

    /// Brings everything that is drawn up to date.
    pub fn dress(&mut self, meshes: &mut Meshes) {
        let time = self.time;
        match (&self.content, &self.live) {
            (Content::Actor(actor), None) => {
                self.postures[0].capture(&actor.figure, &actor.animation, time);
            }
            (Content::Actor(actor), Some(live)) => {
                let (engine, now) = (&live.play().engine, live.time());
                if let Some(puppet) = engine.puppet(0) {
                    self.postures[0].simulated(puppet, &actor.animation, now, live.world());
                }
                let ghost = self.ghost.get_or_insert_with(|| Posture::new(&actor.animation));
                ghost.capture(&actor.figure, &actor.animation, now);
            }
            (Content::Scene { .. }, Some(live)) => {
                if let Engine::Run(run) = &live.play().engine {
                    for (figure, posture) in run.cast.figures.iter().zip(&mut self.postures) {
                        posture.simulated(&figure.puppet, &figure.animation, live.world().time(), live.world());
                    }
                }
            }
            (Content::Scene { .. }, None) => {}
        }
        self.dress_bodies(meshes);
    }

    /// Bodies that came get their looks, those that went lose them.
    fn dress_bodies(&mut self, meshes: &mut Meshes) {
        let Some(live) = &self.live else { return };
        let (world, engine) = (live.world(), &live.play().engine);
        let count = world.bodies().count();
        self.looks.truncate(count);
        let first = self.looks.len();
        if first == count {
            return;
        }
        let mut drawn: Vec<Option<film::Mesh>> = vec![None; count - first];
        let mut looks = vec![BodyLook { mesh: None, color: color::GROUND, figure: None, cast: None }; count - first];
        for (k, look) in looks.iter_mut().enumerate() {
            look.figure = engine.segment_of(first + k).map(|(figure, _)| figure);
            look.color = if look.figure.is_some() { color::FIGURE } else { color::thing(first + k) };
        }
        if let Engine::Run(run) = engine {
            for (k, body) in run.cast.bodies.iter().enumerate().filter(|(_, body)| body.id.index() >= first) {
                let at = body.id.index() - first;
                looks[at].cast = Some(k);
                let fixed = !world.body(body.id).is_dynamic();
                looks[at].color = match body.color {
                    Some([r, g, b]) => [r as f32, g as f32, b as f32, 1.0],
                    None if fixed => color::GROUND,
                    None => color::thing(k),
                };
                let mesh = drawn[at].get_or_insert_with(|| film::Mesh::new([1.0; 3]));
                for (look, placement) in &body.looks {
                    match look {
                        Look::Cylinder { length, radius } => mesh.cylinder(placement, *length, *radius),
                        Look::Solid(shape) => mesh.shape(placement, shape),
                    }
                }
            }
        }
        let is_stage = matches!(engine, Engine::Stage(_));
        for (_, body, collider) in world.colliders().filter(|(_, body, _)| body.index() >= first) {
            let at = body.index() - first;
            // The ground under a captured figure is the window's to draw.
            let ground = is_stage && !world.body(body).is_dynamic();
            if looks[at].cast.is_none() && !ground {
                let mesh = drawn[at].get_or_insert_with(|| film::Mesh::new([1.0; 3]));
                mesh.shape(&collider.placement, &collider.shape);
            }
        }
        for (look, mesh) in looks.iter_mut().zip(drawn) {
            look.mesh = mesh.and_then(|mesh| meshes.add_drawn(mesh));
        }
        self.looks.extend(looks);
    }

    /// The box around it now, where it stands.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let mut all: Option<(Vec3, Vec3)> = None;
        let mut add = |(low, high): (Vec3, Vec3)| {
            all = Some(all.map_or((low, high), |(a, b)| (a.inf(&low), b.sup(&high))));
        };
        self.postures.iter().filter_map(Posture::extent).for_each(&mut add);
        if let (Content::Scene { .. }, Some(live)) = (&self.content, &self.live) {
            let world = live.world();
            for (_, body, collider) in world.colliders().filter(|(_, _, c)| c.shape.is_solid()) {
                let placed = world.state(body).placement.then(&collider.placement);
                let (low, high) = collider.shape.aabb(&placed);
                // What is as large as a landscape does not tell where to look.
                if (high - low).amax() < 50.0 || world.body(body).is_dynamic() {
                    add((low, high));
                }
            }
        }
        let (low, high) = all.unwrap_or((Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 1.0, 1.0)));
        (low + self.offset, high + self.offset)
    }

    pub fn paint(&self, layers: &Layers, brush: &mut Brush) {
        brush.offset = self.offset;
        if let Some(live) = &self.live {
            self.paint_bodies(live, layers, brush);
            overlay::paint_live(live, layers, brush);
        }
        if let Content::Actor(actor) = &self.content {
            let posture = &self.postures[0];
            if self.live.is_none() && (layers.shapes || layers.mesh) {
                brush.figure(&actor.figure, &actor.looks, &posture.placements, color::FIGURE);
            }
            if let (true, Some(ghost), true) = (layers.ghost, &self.ghost, self.live.is_some()) {
                brush.figure(&actor.figure, &actor.looks, &ghost.placements, color::GHOST);
            }
            if layers.centre_of_mass && self.live.is_none() {
                overlay::paint_centre(&actor.figure, &posture.placements, actor.ground, brush);
            }
            if layers.limits {
                overlay::paint_limits(&actor.figure, &posture.placements, brush);
            }
        }
        if layers.skeleton {
            for (figure, posture) in self.figures() {
                brush.skeleton(figure.skeleton(), &posture.frames, color::BONE, 2.0);
            }
        }
    }

    fn paint_bodies(&self, live: &Live, layers: &Layers, brush: &mut Brush) {
        let world = live.world();
        for ((id, _), look) in world.bodies().zip(&self.looks) {
            let gone = match (&live.play().engine, look.cast) {
                (Engine::Run(run), Some(k)) => run.cast.bodies[k].gone.is_some(),
                _ => false,
            };
            let Some(mesh) = look.mesh.filter(|_| !gone) else { continue };
            if look.figure.is_some() && !(layers.shapes || layers.mesh) {
                continue;
            }
            brush.solid(mesh, &world.state(id).placement, look.color);
        }
    }

    /// All figures with their postures.
    pub fn figures(&self) -> impl Iterator<Item = (&Figure, &Posture)> {
        let actor = match &self.content {
            Content::Actor(actor) => Some(&actor.figure),
            _ => None,
        };
        let live = self.live.as_ref().filter(|_| actor.is_none());
        let puppets = live.into_iter().flat_map(|live| live.play().engine.puppets());
        actor.into_iter().chain(puppets.map(|puppet| puppet.figure())).zip(&self.postures)
    }

    /// The world that a ray is cast in: the live one, or one in which the captured figure stands as it is drawn. Bodies have
    /// the same numbers in both.
    pub fn world(&mut self) -> Option<&World> {
        if self.live.is_some() {
            return self.live.as_ref().map(Live::world);
        }
        let Content::Actor(actor) = &self.content else { return None };
        if self.still.is_none() {
            let mut world = World::new();
            let origin = Vec3::new(0.0, actor.ground, 0.0);
            let terrain = StageSettings::default().terrain;
            terrain.build(&mut world, &origin, &Vec3::z(), StageSettings::default().material).ok()?;
            let rest = PoseMotion::at_rest(actor.figure.skeleton().rest_pose());
            actor.figure.place(&mut world, &rest, &PlaceOptions::default()).ok()?;
            self.still = Some(Box::new(world));
        }
        let world = self.still.as_mut()?;
        let bodies: Vec<_> = world.bodies().map(|(id, _)| id).skip(1).collect();
        for ((id, segment), placement) in bodies.into_iter().zip(actor.figure.segments()).zip(&self.postures[0].placements) {
            let mut state = *world.state(id);
            state.placement = segment.body(placement);
            world.set_state(id, state).ok()?;
        }
        self.still.as_deref()
    }

    /// Which figure, and which of its segments, a body is.
    pub fn segment_of(&self, body: usize) -> Option<(usize, usize)> {
        match (&self.live, &self.content) {
            (Some(live), _) => live.play().engine.segment_of(body),
            (None, Content::Actor(actor)) => {
                body.checked_sub(1).filter(|k| *k < actor.figure.segments().len()).map(|k| (0, k))
            }
            _ => None,
        }
    }
}
