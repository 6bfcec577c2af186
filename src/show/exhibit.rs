//! One opened file: what it is, where it stands, and what it shows at a time.

use super::actor::{Actor, Posture};
use super::analysis::Analysis;
use super::brush::{Brush, color};
use super::live::{Engine, Live};
use super::meshes::Meshes;
use super::overlay;
use super::picture::Color;
use super::recorded::Recorded;
use super::skin::Dress;
use super::{Action, Layers, MeshId};
use crate::control::{Animation, Stage, StageSettings};
use crate::dynamics::World;
use crate::figure::{Figure, PlaceOptions};
use crate::formats::FormatError;
use crate::formats::gltf::film;
use crate::math::{Real, Vec3};
use crate::motion::{PoseMotion, edit};
use crate::scene::{Look, Run};
use std::path::Path;
use std::time::Instant;

/// What was opened.
pub(crate) enum Content {
    Actor(Box<Actor>),
    /// Its run is always live.
    Scene {
        /// Seconds that it says it lasts.
        duration: Real,
    },
    /// A glTF file without any skeleton.
    Things {
        duration: Real,
    },
    Recorded(Box<Recorded>),
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
    /// By figure, the skins of those that have one; a file without figures may have one all the same.
    pub dresses: Vec<Option<Dress>>,
    /// The capture at the same time, while physics moves the figure.
    pub ghost: Option<Posture>,
    /// By number of the body in the live world.
    looks: Vec<BodyLook>,
    /// A world in which nothing moves, to be asked what a ray hits while there is no other.
    still: Option<Box<World>>,
    /// The captured figure a little before and after, the farthest first.
    onion: Vec<Posture>,
    /// What the clip asks for.
    pub analysis: Analysis,
    /// What this is the result of: drawn at the same place as a ghost.
    pub source: Option<Box<Exhibit>>,
    /// The source is drawn, and the result is its ghost.
    pub swapped: bool,
    /// Of the show.
    time: Real,
}

/// Onion skins are so far apart, seconds; so many before and so many after.
pub(crate) const ONION: (Real, usize) = (0.2, 3);

impl Exhibit {
    pub fn actor(name: String, actor: Actor, dress: Option<Dress>) -> Self {
        let posture = Posture::new(&actor.animation);
        let content = Content::Actor(Box::new(actor));
        Self::with(name, content, None, vec![posture], vec![dress])
    }

    pub fn scene(name: String, run: Run, dresses: Vec<Option<Dress>>) -> Self {
        let content = Content::Scene { duration: run.duration() };
        let postures = run.cast.figures.iter().map(|figure| Posture::new(&figure.animation)).collect();
        let live = Live::new(Engine::Run(Box::new(run)), 0.0);
        Self::with(name, content, Some(live), postures, dresses)
    }

    /// Things without a skeleton, drawn as their file has them.
    pub fn things(name: String, dress: Dress) -> Self {
        let duration = dress.duration();
        Self::with(name, Content::Things { duration }, None, Vec::new(), vec![Some(dress)])
    }

    fn with(
        name: String,
        content: Content,
        live: Option<Live>,
        postures: Vec<Posture>,
        dresses: Vec<Option<Dress>>,
    ) -> Self {
        Self {
            name,
            offset: Vec3::zeros(),
            content,
            live,
            postures,
            dresses,
            ghost: None,
            looks: Vec::new(),
            still: None,
            onion: Vec::new(),
            analysis: Analysis::default(),
            source: None,
            swapped: false,
            time: 0.0,
        }
    }

    pub fn recorded(name: String, recorded: Recorded) -> Self {
        Self::with(name, Content::Recorded(Box::new(recorded)), None, Vec::new(), Vec::new())
    }

    /// Seconds that it lasts.
    pub fn duration(&self) -> Real {
        match &self.content {
            Content::Actor(actor) => actor.duration(),
            Content::Scene { duration } | Content::Things { duration } => *duration,
            Content::Recorded(recorded) => recorded.take.duration(),
        }
    }

    /// Frames per second.
    pub fn rate_hz(&self) -> Real {
        match (&self.content, &self.live) {
            (Content::Actor(actor), _) => actor.rate_hz(),
            (Content::Recorded(recorded), _) => recorded.take.rate_hz,
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

    /// Takes the body of a figure file; none where there is no skeleton for it.
    pub fn wear(&mut self, path: &Path, meshes: &mut Meshes) -> Option<Result<(), FormatError>> {
        let Content::Actor(actor) = &mut self.content else { return None };
        Some(Figure::load(path, actor.figure.skeleton()).map(|figure| {
            actor.wear(figure, meshes);
            self.still = None;
            self.analysis = Analysis::default();
        }))
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
        if let Some(source) = &mut self.source {
            source.go_to(time, deadline);
        }
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
        self.analysis.poll(false);
        if let Some(source) = &mut self.source {
            source.dress(meshes);
        }
        match (&self.content, &self.live) {
            (Content::Actor(actor), None) => {
                self.postures[0].capture(&actor.figure, &actor.animation, time);
                let (apart, count) = ONION;
                let moments = (1..=count).rev().flat_map(|k| [-(k as Real) * apart, k as Real * apart]);
                self.onion.resize_with(2 * count, || Posture::new(&actor.animation));
                for (posture, off) in self.onion.iter_mut().zip(moments) {
                    posture.capture(&actor.figure, &actor.animation, time + off);
                }
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
            _ => {}
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
        if let Content::Recorded(recorded) = &self.content {
            recorded.extent(self.time).into_iter().for_each(&mut add);
        }
        if let (Content::Things { .. }, Some(Some(dress))) = (&self.content, self.dresses.first()) {
            dress.extent(self.time).into_iter().for_each(&mut add);
        }
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

    /// Paints it with the ghost of its source, or the other way round.
    pub fn paint(&self, layers: &Layers, brush: &mut Brush) {
        brush.offset = self.offset;
        match &self.source {
            Some(source) if self.swapped => {
                source.paint_own(layers, brush);
                if layers.ghost {
                    self.paint_ghost(layers, brush);
                }
            }
            other => {
                self.paint_own(layers, brush);
                if let (true, Some(source)) = (layers.ghost, other) {
                    source.paint_ghost(layers, brush);
                }
            }
        }
    }

    /// Everything in the colour of ghosts.
    fn paint_ghost(&self, layers: &Layers, brush: &mut Brush) {
        let tint = color::GHOST;
        match (&self.content, &self.live) {
            (Content::Actor(actor), _) => self.paint_tinted(actor, &self.postures[0], tint, layers, brush),
            (Content::Recorded(recorded), _) => recorded.paint(self.time, Some(tint), layers, brush),
            (Content::Things { .. }, _) => {
                self.dresses.iter().flatten().for_each(|dress| dress.paint(None, self.time, Some(tint), brush));
            }
            (Content::Scene { .. }, Some(live)) => {
                for ((id, _), look) in live.world().bodies().zip(&self.looks) {
                    if let Some(mesh) = look.mesh {
                        brush.solid(mesh, &live.world().state(id).placement, tint);
                    }
                }
            }
            (Content::Scene { .. }, None) => {}
        }
    }

    fn paint_own(&self, layers: &Layers, brush: &mut Brush) {
        if let Content::Recorded(recorded) = &self.content {
            recorded.paint(self.time, None, layers, brush);
        }
        if let Some(live) = &self.live {
            self.paint_bodies(live, layers, brush);
            overlay::paint_live(live, layers, brush);
        }
        if let Content::Actor(actor) = &self.content {
            let posture = &self.postures[0];
            if self.live.is_none() && self.shows_shapes(0, layers) {
                brush.figure(&actor.figure, &actor.looks, &posture.placements, color::FIGURE);
            }
            if let (true, Some(ghost), true) = (layers.ghost, &self.ghost, self.live.is_some()) {
                self.paint_tinted(actor, ghost, color::GHOST, layers, brush);
            }
            if layers.onion {
                self.paint_onion(actor, brush);
            }
            if let (Some(found), None) = (self.analysis.curves(), &self.live) {
                overlay::paint_estimate(found, self.time, &actor.figure, posture, layers, brush);
            }
            if layers.centre_of_mass && self.live.is_none() {
                overlay::paint_centre(&actor.figure, &posture.placements, actor.ground, brush);
            }
            if layers.limits {
                overlay::paint_limits(&actor.figure, &posture.placements, brush);
            }
        }
        if layers.mesh {
            self.paint_skins(brush);
        }
        if layers.skeleton {
            for (figure, posture) in self.figures() {
                brush.skeleton(figure.skeleton(), &posture.frames, color::BONE, 2.0);
            }
        }
    }

    /// Fading with the distance in time: before and after in a clip, before in a run.
    fn paint_onion(&self, actor: &Actor, brush: &mut Brush) {
        let faded = |far: Real| {
            let mut paint = color::ONION;
            paint[3] *= 1.0 - far as f32;
            paint
        };
        if let Some(live) = &self.live {
            for (step, places) in live.past() {
                let far = (live.steps() - step) as Real * live.step_length() / (ONION.0 * (ONION.1 + 1) as Real);
                for (look, place) in actor.looks.iter().zip(places) {
                    if let Some(mesh) = look {
                        brush.solid(*mesh, place, faded(far.min(1.0)));
                    }
                }
            }
            return;
        }
        for (k, posture) in self.onion.iter().enumerate() {
            let far = (ONION.1 - k / 2) as Real / (ONION.1 + 1) as Real;
            brush.figure(&actor.figure, &actor.looks, &posture.placements, faded(far));
        }
    }

    /// Whether a figure is drawn by its shapes.
    fn shows_shapes(&self, figure: usize, layers: &Layers) -> bool {
        layers.shapes || (layers.mesh && self.dresses.get(figure).is_none_or(Option::is_none))
    }

    fn paint_skins(&self, brush: &mut Brush) {
        let mut figures = self.figures();
        for dress in &self.dresses {
            let figure = figures.next().map(|(figure, posture)| (figure.skeleton(), posture));
            if let Some(dress) = dress {
                dress.paint(figure, self.time, None, brush);
            }
        }
    }

    /// A captured figure in one colour: by its skin where skins are shown, else by its shapes.
    fn paint_tinted(&self, actor: &Actor, posture: &Posture, tint: Color, layers: &Layers, brush: &mut Brush) {
        match self.dresses.first().filter(|_| layers.mesh) {
            Some(Some(dress)) => dress.paint(Some((actor.figure.skeleton(), posture)), self.time, Some(tint), brush),
            _ => brush.figure(&actor.figure, &actor.looks, &posture.placements, tint),
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
            if look.figure.is_some_and(|figure| !self.shows_shapes(figure, layers)) {
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
        if let Content::Recorded(recorded) = &self.content {
            let world = self.still.get_or_insert_with(|| Box::new(recorded.world()));
            let bodies: Vec<_> = world.bodies().map(|(id, _)| id).collect();
            for (k, id) in bodies.into_iter().enumerate() {
                // What is not there is out of sight.
                let away = || crate::dynamics::Placement::at(Vec3::repeat(1e6));
                let mut state = *world.state(id);
                state.placement = recorded.placement(k, self.time).unwrap_or_else(away);
                world.set_state(id, state).ok()?;
            }
            return self.still.as_deref();
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
        for ((id, segment), placement) in
            bodies.into_iter().zip(actor.figure.segments()).zip(&self.postures[0].placements)
        {
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
