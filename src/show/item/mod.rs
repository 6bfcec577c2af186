//! Item of the workspace: one opened file with its place, its world and its drawing state.

mod paint;
mod refresh;

use super::analysis::Analysis;
use super::character::{Character, Posture};
use super::live::Live;
use super::mannequin::{Look, mannequin};
use super::meshes::Meshes;
use super::picture::Color;
use super::recorded::Recorded;
use super::skin::SkinMeshes;
use super::{Action, MeshId};
use crate::control::Animation;
use crate::dynamics::World;
use crate::figure::{CaptureError, CaptureOptions, Figure, FigureFile, PlaceOptions, for_skeleton};
use crate::formats::FormatError;
use crate::math::{Real, Vec3};
use crate::motion::{PoseMotion, edit};
use crate::scene::SceneRun;
use crate::simulation::{Run, RunSettings};
use std::path::Path;
use std::time::Instant;

/// Content of an opened file.
pub(crate) enum Content {
    Character(Box<Character>),
    /// Scene; its run is always live.
    Scene {
        /// Duration according to the scene file, seconds.
        duration: Real,
    },
    /// glTF file without a skeleton.
    Meshes {
        duration: Real,
    },
    Recorded(Box<Recorded>),
}

/// Appearance of a body.
#[derive(Clone, Copy, Debug)]
struct BodyAppearance {
    mesh: Option<MeshId>,
    color: Color,
    /// Number of the figure that the body is a segment of.
    figure: Option<usize>,
    /// Number of the body among those of the scene file.
    object: Option<usize>,
}

/// Opened file in the workspace.
pub(crate) struct Item {
    pub name: String,
    /// Position in the picture, metres. The item's world does not include it, so that its numbers and its state hash equal
    /// those of the same file alone.
    pub offset: Vec3,
    pub content: Content,
    pub live: Option<Live>,
    /// Poses drawn now, by figure.
    pub postures: Vec<Posture>,
    /// Skins, by figure; a file without figures may have one as well.
    pub skins: Vec<Option<SkinMeshes>>,
    /// Mannequins: the parts of each segment, by figure.
    looks: Vec<Vec<Vec<Look>>>,
    /// Captured poses at the same time while physics moves the figures, by figure; none for a figure that follows no
    /// motion.
    ghosts: Vec<Option<Posture>>,
    /// Appearance by number of the body in the live world.
    appearances: Vec<BodyAppearance>,
    /// World without motion for ray casts while there is no live world.
    still: Option<Box<World>>,
    /// Captured poses before and after the current time, the most distant first.
    onion: Vec<Posture>,
    /// Measurement of the clip.
    pub analysis: Analysis,
    /// Source that this item is the result of, drawn at the same place as a ghost.
    pub source: Option<Box<Item>>,
    /// True if the source is drawn solid and the result as its ghost.
    pub swapped: bool,
    /// Time of the workspace, seconds.
    time: Real,
}

/// Spacing of onion skins in seconds, and their number before and after the current time.
pub(crate) const ONION: (Real, usize) = (0.2, 3);

impl Item {
    pub fn character(name: String, character: Character, skin: Option<SkinMeshes>) -> Self {
        let posture = Posture::new(&character.animation);
        let content = Content::Character(Box::new(character));
        Self::with(name, content, None, vec![posture], vec![skin])
    }

    pub fn scene(name: String, run: SceneRun, skins: Vec<Option<SkinMeshes>>) -> Self {
        let content = Content::Scene { duration: run.duration() };
        let postures = run.run.followers.iter().map(|follower| Posture::new(&follower.animation)).collect();
        let live = Live::new(run, 0.0);
        Self::with(name, content, Some(live), postures, skins)
    }

    /// Creates an item of meshes without a skeleton.
    pub fn meshes(name: String, skin: SkinMeshes) -> Self {
        let duration = skin.duration();
        Self::with(name, Content::Meshes { duration }, None, Vec::new(), vec![Some(skin)])
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
            looks: Vec::new(),
            ghosts: Vec::new(),
            appearances: Vec::new(),
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

    /// Duration, seconds.
    pub fn duration(&self) -> Real {
        match &self.content {
            Content::Character(character) => character.duration(),
            Content::Scene { duration } | Content::Meshes { duration } => *duration,
            Content::Recorded(recorded) => recorded.recording.duration(),
        }
    }

    /// Frame rate, Hz.
    pub fn rate_hz(&self) -> Real {
        match (&self.content, &self.live) {
            (Content::Character(character), _) => character.rate_hz(),
            (Content::Recorded(recorded), _) => recorded.recording.rate_hz,
            (Content::Scene { .. }, Some(live)) => live.play().scene.run.recording().rate_hz,
            _ => 60.0,
        }
    }

    /// Height of the ground, metres; none in a scene without ground. Meshes that nothing is known of stand on it.
    pub fn ground(&self) -> Option<Real> {
        match (&self.content, &self.live) {
            (Content::Character(character), None) => Some(character.ground),
            (Content::Character(character), Some(_)) => Some(character.held_ground),
            (Content::Scene { .. }, Some(live)) => live.play().scene.scene().ground.is_some().then_some(0.0),
            (Content::Recorded(recorded), _) => recorded.ground(),
            (Content::Meshes { .. }, _) => self.skins.first()?.as_ref()?.extent(0.0).map(|(low, _)| low.y),
            (Content::Scene { .. }, None) => None,
        }
    }

    /// Name of the clip that is played.
    pub fn clip_name(&self) -> Option<String> {
        match &self.content {
            Content::Character(character) if !character.still => Some(character.animation.clip().name.clone()),
            _ => None,
        }
    }

    /// Names of all clips of the file and of its source.
    pub fn clip_names(&self) -> impl Iterator<Item = &str> {
        let captures =
            [Some(self), self.source.as_deref()].into_iter().flatten().filter_map(|item| match &item.content {
                Content::Character(character) => Some(&character.capture),
                _ => None,
            });
        captures.flat_map(|capture| capture.clips.iter().map(|clip| clip.name.as_str()))
    }

    /// Returns true if physics can be switched on and off.
    pub fn is_character(&self) -> bool {
        matches!(self.content, Content::Character(_))
    }

    /// Loads a figure file for this item; none if the item has no skeleton.
    pub fn set_figure(&mut self, path: &Path, meshes: &mut Meshes) -> Option<Result<(), FormatError>> {
        let Content::Character(character) = &mut self.content else { return None };
        let options = CaptureOptions { file: Some(FigureFile::Path(path)), ..CaptureOptions::default() };
        let (skeleton, clip) = (character.figure.skeleton(), character.animation.clip());
        let read = for_skeleton(skeleton, Some(clip), None, &options).map_err(|error| match error {
            CaptureError::File(error) => error,
            other => FormatError::new(other.to_string()).in_file(path),
        });
        Some(read.map(|(figure, _)| {
            character.set_figure(figure, meshes);
            self.looks.clear();
            self.still = None;
            self.analysis = Analysis::default();
        }))
    }

    /// Places the captured figure into its own world, in its pose at a time of the clip.
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
        let mut run = Run::new(&character.figure, animation, settings).map_err(|error| error.to_string())?;
        run.followers[0].name = self.name.split('.').next().unwrap_or(&self.name).to_owned();
        self.appearances.clear();
        self.live = Some(Live::new(SceneRun::unscripted(run), first as Real / clip.rate_hz()));
        Ok(())
    }

    /// Turns physics off and shows the capture.
    pub fn stop(&mut self) {
        if self.is_character() {
            self.live = None;
            self.ghosts.clear();
        }
    }

    /// Goes to a time of the workspace as far as the deadline allows; returns the time reached.
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

    /// Bounding box in the picture, metres.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let mut all: Option<(Vec3, Vec3)> = None;
        let mut add = |(low, high): (Vec3, Vec3)| {
            all = Some(all.map_or((low, high), |(a, b)| (a.inf(&low), b.sup(&high))));
        };
        self.postures.iter().filter_map(Posture::extent).for_each(&mut add);
        if let Content::Recorded(recorded) = &self.content {
            recorded.extent(self.time).into_iter().for_each(&mut add);
        }
        if let (Content::Meshes { .. }, Some(Some(skin))) = (&self.content, self.skins.first()) {
            skin.extent(self.time).into_iter().for_each(&mut add);
        }
        if let (Content::Scene { .. }, Some(live)) = (&self.content, &self.live) {
            let world = live.world();
            for (_, body, collider) in world.colliders().filter(|(_, _, c)| c.shape.is_solid()) {
                let placed = world.state(body).placement.then(&collider.placement);
                let (low, high) = collider.shape.aabb(&placed);
                // A body of the size of a landscape says nothing about where to look.
                if (high - low).amax() < 50.0 || world.body(body).is_dynamic() {
                    add((low, high));
                }
            }
        }
        let (low, high) = all.unwrap_or((Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 1.0, 1.0)));
        (low + self.offset, high + self.offset)
    }

    /// Figures with their poses.
    pub fn figures(&self) -> impl Iterator<Item = (&Figure, &Posture)> {
        let character = match &self.content {
            Content::Character(character) => Some(&character.figure),
            _ => None,
        };
        let live = self.live.as_ref().filter(|_| character.is_none());
        let actors = live.into_iter().flat_map(|live| live.play().actors());
        character.into_iter().chain(actors.map(|actor| actor.figure())).zip(&self.postures)
    }

    /// Models the figures as mannequins where that was not done yet.
    fn model_figures(&mut self, meshes: &mut Meshes) {
        if self.looks.len() == self.postures.len() {
            return;
        }
        self.looks = self.figures().map(|(figure, _)| mannequin(figure, meshes)).collect();
    }

    /// World for ray casts: the live one, or one in which the captured figure has its drawn pose. Bodies have the same
    /// numbers in both.
    pub fn world(&mut self) -> Option<&World> {
        if self.live.is_some() {
            return self.live.as_ref().map(Live::world);
        }
        if let Content::Recorded(recorded) = &self.content {
            let world = self.still.get_or_insert_with(|| Box::new(recorded.world()));
            let bodies: Vec<_> = world.bodies().map(|(id, _)| id).collect();
            for (k, id) in bodies.into_iter().enumerate() {
                // Absent bodies are moved out of reach.
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

    /// Figure and segment that a body belongs to.
    pub fn segment_of(&self, body: usize) -> Option<(usize, usize)> {
        match (&self.live, &self.content) {
            (Some(live), _) => live.play().segment_of(body),
            (None, Content::Character(character)) => {
                body.checked_sub(1).filter(|k| *k < character.figure.segments().len()).map(|k| (0, k))
            }
            _ => None,
        }
    }
}
