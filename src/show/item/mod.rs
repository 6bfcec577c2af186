//! One opened file: what it is, where it stands, and what it shows at a time.

mod paint;
mod refresh;

use super::analysis::Analysis;
use super::character::{Character, Posture};
use super::live::{Engine, Live};
use super::meshes::Meshes;
use super::picture::Color;
use super::recorded::Recorded;
use super::skin::SkinMeshes;
use super::{Action, MeshId};
use crate::control::Animation;
use crate::dynamics::World;
use crate::figure::{Figure, PlaceOptions};
use crate::formats::FormatError;
use crate::math::{Real, Vec3};
use crate::motion::{PoseMotion, edit};
use crate::scene::SceneRun;
use crate::simulation::{Run, RunSettings};
use std::path::Path;
use std::time::Instant;

/// What was opened.
pub(crate) enum Content {
    Character(Box<Character>),
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
    object: Option<usize>,
}

/// An opened file in the workspace.
pub(crate) struct Item {
    pub name: String,
    /// Where it stands in the picture. Its own world knows nothing of it, so that its numbers, and its state hash, are those
    /// of the same file alone.
    pub offset: Vec3,
    pub content: Content,
    pub live: Option<Live>,
    /// By figure, as they are drawn now.
    pub postures: Vec<Posture>,
    /// By figure, the skins of those that have one; a file without figures may have one all the same.
    pub skins: Vec<Option<SkinMeshes>>,
    /// By figure, the capture at the same time while physics moves the figure; none for those that do not follow one.
    ghosts: Vec<Option<Posture>>,
    /// By number of the body in the live world.
    looks: Vec<BodyLook>,
    /// A world in which nothing moves, to be asked what a ray hits while there is no other.
    still: Option<Box<World>>,
    /// The captured figure a little before and after, the farthest first.
    onion: Vec<Posture>,
    /// What the clip asks for.
    pub analysis: Analysis,
    /// What this is the result of: drawn at the same place as a ghost.
    pub source: Option<Box<Item>>,
    /// The source is drawn, and the result is its ghost.
    pub swapped: bool,
    /// Of the workspace.
    time: Real,
}

/// Onion skins are so far apart, seconds; so many before and so many after.
pub(crate) const ONION: (Real, usize) = (0.2, 3);

impl Item {
    pub fn character(name: String, character: Character, skin: Option<SkinMeshes>) -> Self {
        let posture = Posture::new(&character.animation);
        let content = Content::Character(Box::new(character));
        Self::with(name, content, None, vec![posture], vec![skin])
    }

    pub fn scene(name: String, run: SceneRun, skins: Vec<Option<SkinMeshes>>) -> Self {
        let content = Content::Scene { duration: run.duration() };
        let postures = run.objects.figures.iter().map(|figure| Posture::new(&figure.animation)).collect();
        let live = Live::new(Engine::Scene(Box::new(run)), 0.0);
        Self::with(name, content, Some(live), postures, skins)
    }

    /// Things without a skeleton, drawn as their file has them.
    pub fn things(name: String, skin: SkinMeshes) -> Self {
        let duration = skin.duration();
        Self::with(name, Content::Things { duration }, None, Vec::new(), vec![Some(skin)])
    }

    fn with(
        name: String,
        content: Content,
        live: Option<Live>,
        postures: Vec<Posture>,
        skins: Vec<Option<SkinMeshes>>,
    ) -> Self {
        Self {
            name,
            offset: Vec3::zeros(),
            content,
            live,
            postures,
            skins,
            ghosts: Vec::new(),
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
            Content::Character(character) => character.duration(),
            Content::Scene { duration } | Content::Things { duration } => *duration,
            Content::Recorded(recorded) => recorded.take.duration(),
        }
    }

    /// Frames per second.
    pub fn rate_hz(&self) -> Real {
        match (&self.content, &self.live) {
            (Content::Character(character), _) => character.rate_hz(),
            (Content::Recorded(recorded), _) => recorded.take.rate_hz,
            (Content::Scene { .. }, Some(live)) => match &live.play().engine {
                Engine::Scene(run) => run.film().rate_hz(),
                Engine::Capture(_) => 60.0,
            },
            _ => 60.0,
        }
    }

    /// The height of its ground, metres; none where it hangs in the void.
    pub fn ground(&self) -> Option<Real> {
        match (&self.content, &self.live) {
            (Content::Character(character), None) => Some(character.ground),
            (Content::Character(character), Some(_)) => Some(character.held_ground),
            (Content::Scene { .. }, Some(live)) => match &live.play().engine {
                Engine::Scene(run) if run.scene().ground.is_none() => None,
                _ => Some(0.0),
            },
            _ => Some(0.0),
        }
    }

    /// Whether physics can be switched on and off here.
    pub fn is_character(&self) -> bool {
        matches!(self.content, Content::Character(_))
    }

    /// Takes the body of a figure file; none where there is no skeleton for it.
    pub fn set_figure(&mut self, path: &Path, meshes: &mut Meshes) -> Option<Result<(), FormatError>> {
        let Content::Character(character) = &mut self.content else { return None };
        Some(Figure::load(path, character.figure.skeleton()).map(|figure| {
            character.set_figure(figure, meshes);
            self.still = None;
            self.analysis = Analysis::default();
        }))
    }

    /// Puts the captured figure into a world of its own, as it is at this time of the clip.
    pub fn start(&mut self, time: Real) -> Result<(), String> {
        let Content::Character(character) = &self.content else { return Ok(()) };
        let told = |error: crate::motion::ClipError| error.to_string();
        let clip = character.animation.clip();
        let first = ((time * clip.rate_hz()).round().max(0.0) as usize).min(clip.frames() - 1);
        let animation = if first == 0 {
            character.animation.clone()
        } else {
            let rest = edit::slice(clip, first..clip.frames()).map_err(told)?;
            Animation::new(character.figure.skeleton(), &rest).map_err(told)?
        };
        let settings =
            RunSettings { ground: character.held_ground, moving: !character.still, ..RunSettings::default() };
        let run = Run::new(&character.figure, animation, settings).map_err(|error| error.to_string())?;
        self.looks.clear();
        self.live = Some(Live::new(Engine::Capture(Box::new(run)), first as Real / clip.rate_hz()));
        Ok(())
    }

    /// Physics off: the capture as it is.
    pub fn stop(&mut self) {
        if self.is_character() {
            self.live = None;
            self.ghosts.clear();
        }
    }

    /// Moves on (or back) to a time of the workspace, as far as the time allows; says how far it came.
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
        if let (Content::Things { .. }, Some(Some(skin))) = (&self.content, self.skins.first()) {
            skin.extent(self.time).into_iter().for_each(&mut add);
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

    /// All figures with their postures.
    pub fn figures(&self) -> impl Iterator<Item = (&Figure, &Posture)> {
        let character = match &self.content {
            Content::Character(character) => Some(&character.figure),
            _ => None,
        };
        let live = self.live.as_ref().filter(|_| character.is_none());
        let actors = live.into_iter().flat_map(|live| live.play().engine.actors());
        character.into_iter().chain(actors.map(|actor| actor.figure())).zip(&self.postures)
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
        let Content::Character(character) = &self.content else { return None };
        if self.still.is_none() {
            let mut world = World::new();
            let origin = Vec3::new(0.0, character.ground, 0.0);
            let terrain = RunSettings::default().terrain;
            terrain.build(&mut world, &origin, &Vec3::z(), RunSettings::default().material).ok()?;
            let rest = PoseMotion::at_rest(character.figure.skeleton().rest_pose());
            character.figure.place(&mut world, &rest, &PlaceOptions::default()).ok()?;
            self.still = Some(Box::new(world));
        }
        let world = self.still.as_mut()?;
        let bodies: Vec<_> = world.bodies().map(|(id, _)| id).skip(1).collect();
        for ((id, segment), placement) in
            bodies.into_iter().zip(character.figure.segments()).zip(&self.postures[0].placements)
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
            (None, Content::Character(character)) => {
                body.checked_sub(1).filter(|k| *k < character.figure.segments().len()).map(|k| (0, k))
            }
            _ => None,
        }
    }
}
