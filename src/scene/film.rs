//! What a run showed, frame by frame, and the files it becomes: a GLB of everything that varies, a JSON of everything that
//! was felt.

use super::context::Context;
use super::expect::Outcome;
use super::files::KeyPath;
use super::objects::{Objects, Visual};
use super::run::SceneRun;
use super::schema::LookAt;
use super::unit::{ANGLE, LENGTH};
use crate::dynamics::{BodyId, Placement, World};
use crate::formats::gltf::solids::{CameraTrack, Mesh, Part, write_solids};
use crate::formats::{FormatError, Source, gltf};
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::record::add_shape;
use crate::record::take::shapes_of;
use crate::record::{Form, Recording, TakeShape};
use serde_json::{Value, json};

/// Everything that moved, frame by frame.
#[derive(Clone, Debug)]
pub struct Film {
    rate: Real,
    times: Vec<Real>,
    /// Frame by frame, by number of the body in the world.
    placements: Vec<Vec<Placement>>,
    /// Frame by frame, by joint of the scene: force on B, torque about its centre of mass.
    reactions: Vec<Vec<[Real; 6]>>,
    recordings: Vec<Recording>,
}

impl Film {
    pub(crate) fn new(rate: Real) -> Self {
        Self { rate, times: Vec::new(), placements: Vec::new(), reactions: Vec::new(), recordings: Vec::new() }
    }

    pub fn frames(&self) -> usize {
        self.times.len()
    }

    /// Frames per second.
    pub fn rate_hz(&self) -> Real {
        self.rate
    }

    /// An empty one of the same rate.
    pub(crate) fn blank(&self) -> Film {
        Film::new(self.rate)
    }

    /// Forgets the frames behind a time.
    pub(crate) fn cut(&mut self, time: Real) {
        let (taken, kept) = (self.times.len(), self.times.partition_point(|t| *t <= time + 1e-9));
        self.times.truncate(kept);
        self.placements.truncate(kept);
        self.reactions.truncate(kept);
        // A figure that came later than the first frame has a shorter recording.
        for recording in &mut self.recordings {
            let missed = taken.saturating_sub(recording.frames());
            recording.truncate(kept.saturating_sub(missed));
        }
    }

    /// Takes a frame if its time has come.
    pub(crate) fn take(&mut self, world: &World, objects: &Objects) {
        if world.time() < self.times.len() as Real / self.rate - 1e-9 {
            return;
        }
        self.times.push(world.time());
        self.placements.push(world.bodies().map(|(id, _)| world.state(id).placement).collect());
        let reaction = |joint: &super::objects::SceneJoint| {
            let wrenches = world.reaction(joint.id).wrenches;
            wrenches.last().map_or([0.0; 6], |(_, w)| [w[0], w[1], w[2], w[3], w[4], w[5]])
        };
        self.reactions.push(objects.joints.iter().map(reaction).collect());
        for figure in objects.figures.iter().skip(self.recordings.len()) {
            self.recordings.push(Recording::new(&figure.actor, self.rate));
        }
        for (figure, recording) in objects.figures.iter().zip(&mut self.recordings) {
            recording.take(world, &figure.actor);
        }
    }

    /// Where a body was in a frame; where it was first for frames before it appeared.
    fn placement(&self, frame: usize, body: BodyId) -> Placement {
        let at = |frame: &Vec<Placement>| frame.get(body.index()).copied();
        at(&self.placements[frame]).or_else(|| self.placements.iter().find_map(at)).unwrap_or(Placement::IDENTITY)
    }
}

impl SceneRun {
    /// A GLB of everything there is, with one animation of all that moved. The first figure that comes from a glTF file keeps
    /// its skin; all else is drawn as it collides.
    pub fn to_glb(&self) -> Result<Vec<u8>, FormatError> {
        let film = self.film();
        let mut parts = Vec::new();
        let mut skinned = None;
        let mut drawn: Vec<BodyId> = Vec::new();
        for (k, figure) in self.objects.figures.iter().enumerate() {
            let bodies = &figure.actor.instance().bodies;
            drawn.extend(bodies);
            if figure.has_skin && skinned.is_none() && film.frames() > 0 {
                skinned = Some(k);
                continue;
            }
            for (segment, &id) in figure.actor.figure().segments().iter().zip(bodies) {
                let colliders = self.world.colliders().filter(|(_, body, _)| *body == id);
                let visuals: Vec<(Visual, Placement)> =
                    colliders.map(|(_, _, c)| (Visual::Solid(c.shape.clone()), c.placement)).collect();
                let name = format!("{}.{}", figure.name, segment.name);
                parts.push(self.part(name, id, &visuals, [0.56, 0.66, 0.76], None));
            }
        }
        for (k, body) in self.objects.bodies.iter().enumerate() {
            let fixed = !self.world.body(body.id).is_dynamic();
            let color = body.color.unwrap_or(if fixed { [0.45, 0.45, 0.43] } else { PALETTE[k % PALETTE.len()] });
            parts.push(self.part(body.name.clone(), body.id, &body.visuals, color, Some((body.created, body.removed))));
        }
        let times: Vec<f32> = film.times.iter().map(|t| *t as f32).collect();
        let name = if self.scene().title.is_empty() { "scene" } else { &self.scene().title };
        let capture = match skinned {
            None => None,
            Some(k) => {
                let figure = &self.objects.figures[k];
                let told = |error: crate::motion::ClipError| FormatError::new(error.to_string());
                let mut clip = film.recordings[k].to_clip(figure.actor.figure(), &figure.animation).map_err(told)?;
                clip.name = name.to_owned();
                let mut capture = (*figure.capture).clone();
                if let Some(Source::Gltf(document)) = &mut capture.source {
                    document.keep_only(&[]);
                }
                capture.clips = vec![clip];
                Some(gltf::write_glb(&capture, &Default::default())?)
            }
        };
        write_solids(capture.as_deref(), name, &times, &parts, self.camera_track()?.as_ref())
    }

    fn part(
        &self,
        name: String,
        id: BodyId,
        visuals: &[(Visual, Placement)],
        color: [f64; 3],
        life: Option<(Real, Option<Real>)>,
    ) -> Part {
        let film = self.film();
        let mut mesh = Mesh::new(color.map(|c| c.clamp(0.0, 1.0) as f32));
        for (look, placement) in visuals {
            draw(look, placement, &mut mesh);
        }
        let frames = (0..film.frames()).map(|frame| film.placement(frame, id)).collect();
        let seen = life.filter(|(created, removed)| *created > 0.0 || removed.is_some()).map(|(created, removed)| {
            film.times.iter().map(|t| *t >= created - 1e-9 && removed.is_none_or(|removed| *t < removed)).collect()
        });
        Part { name, mesh, frames, visible: seen }
    }

    /// From where the scene is seen now and what it looks at, metres, and the angle from top to bottom, radians; none where
    /// the scene does not say it.
    pub(crate) fn camera_now(&self) -> Option<(Vec3, Vec3, Real)> {
        let camera = self.scene().camera.as_ref()?;
        let context = Context::new(&self.files, &self.constants, KeyPath::table("camera"), self.world.time());
        let target = match &camera.look_at {
            LookAt::Place(place) => context.vector("look_at", place, LENGTH).ok()?,
            LookAt::Name(name) => {
                let id = match (super::build::body_of(&self.objects, name), self.objects.find(name)) {
                    (Some((id, _)), _) => id,
                    (None, Some(super::objects::ObjectId::Figure(k))) => {
                        self.objects.figures[k].actor.instance().bodies[0]
                    }
                    _ => return None,
                };
                self.world.state(id).placement.position
            }
        };
        let angle = context.or("field_of_view", &camera.field_of_view, ANGLE, std::f64::consts::FRAC_PI_4).ok()?;
        Some((context.vector("at", &camera.at, LENGTH).ok()?, target, angle.clamp(0.05, 3.0)))
    }

    fn camera_track(&self) -> Result<Option<CameraTrack>, FormatError> {
        let Some(camera) = &self.scene().camera else { return Ok(None) };
        let film = self.film();
        let mut frames = Vec::with_capacity(film.frames());
        let mut angle = std::f64::consts::FRAC_PI_4;
        for (frame, &time) in film.times.iter().enumerate() {
            let context = Context::new(&self.files, &self.constants, KeyPath::table("camera"), time);
            let at = context.vector("at", &camera.at, LENGTH)?;
            let target = match &camera.look_at {
                LookAt::Place(place) => context.vector("look_at", place, LENGTH)?,
                LookAt::Name(name) => match super::build::body_of(&self.objects, name) {
                    Some((id, _)) => film.placement(frame, id).position,
                    None => match self.objects.find(name) {
                        Some(super::objects::ObjectId::Figure(k)) => {
                            film.placement(frame, self.objects.figures[k].actor.instance().bodies[0]).position
                        }
                        _ => {
                            return Err(super::build::unknown_name(
                                &self.objects,
                                &context,
                                "look_at",
                                name,
                                "body or figure",
                            ));
                        }
                    },
                },
            };
            angle = context.or("field_of_view", &camera.field_of_view, ANGLE, angle)?;
            frames.push(Placement::new(at, looking(&(target - at))));
        }
        Ok(Some(CameraTrack { frames, field_of_view: angle.clamp(0.05, 3.0) as f32 }))
    }

    /// What a body looks like, and when it was there.
    fn tell_looks(&self, id: BodyId, told: &mut Value) {
        let objects = self.objects.bodies.iter().find(|body| body.id == id);
        let shapes: Vec<TakeShape> = match objects {
            Some(body) => body.visuals.iter().map(|(look, placement)| match look {
                Visual::Solid(shape) => TakeShape::of(shape, placement),
                Visual::Cylinder { length, radius } => {
                    TakeShape::at(Form::Cylinder { length: *length, radius: *radius }, placement)
                }
            }),
            None => return told["shapes"] = json!(shapes_of(&self.world, id)),
        }
        .collect();
        told["shapes"] = json!(shapes);
        if let Some(body) = objects {
            if let Some(color) = body.color {
                told["color"] = json!(color);
            }
            if body.created > 0.0 {
                told["from_s"] = json!(body.created);
            }
            if let Some(removed) = body.removed {
                told["until_s"] = json!(removed);
            }
        }
    }

    /// Everything that was recorded, as JSON: where bodies were, what joints bore, what became of the expectations.
    pub fn to_json(&self) -> Value {
        let film = self.film();
        let bodies: Vec<Value> = self
            .objects
            .bodies
            .iter()
            .map(|body| (body.name.clone(), body.id))
            .chain(self.objects.figures.iter().flat_map(|figure| {
                let segments = figure.actor.figure().segments().iter().zip(&figure.actor.instance().bodies);
                segments.map(|(segment, id)| (format!("{}.{}", figure.name, segment.name), *id))
            }))
            .map(|(name, id)| {
                let places: Vec<Placement> = (0..film.frames()).map(|frame| film.placement(frame, id)).collect();
                let positions: Vec<[Real; 3]> = places.iter().map(|p| p.position.into()).collect();
                let rotations: Vec<[Real; 4]> =
                    places.iter().map(|p| [p.rotation.w, p.rotation.i, p.rotation.j, p.rotation.k]).collect();
                let mut told = json!({ "name": name, "mass_kg": self.world.body(id).mass.mass, "position_m": positions, "rotation_wxyz": rotations });
                self.tell_looks(id, &mut told);
                told
            })
            .collect();
        let joints: Vec<Value> = self
            .objects
            .joints
            .iter()
            .enumerate()
            .map(|(k, joint)| {
                let series: Vec<[Real; 6]> =
                    film.reactions.iter().map(|frame| frame.get(k).copied().unwrap_or_default()).collect();
                json!({ "name": joint.name, "force_torque_on_b": series })
            })
            .collect();
        json!({
            "title": self.scene().title,
            "rate_hz": film.rate,
            "times_s": film.times,
            "bodies": bodies,
            "joints": joints,
            "expect": self.verdicts().iter().map(verdict_json).collect::<Vec<_>>(),
        })
    }
}

/// A verdict as a JSON object.
pub(crate) fn verdict_json(verdict: &super::expect::Verdict) -> Value {
    let outcome = match verdict.outcome {
        Outcome::Held => "held",
        Outcome::Failed => "failed",
        Outcome::NotReached => "not reached",
    };
    let found = verdict.found.filter(|value| value.is_finite());
    json!({ "name": verdict.name, "what": verdict.what, "found": found, "wanted": verdict.wanted, "outcome": outcome })
}

/// The turn of a camera, which looks along its −z with y up.
fn looking(way: &Vec3) -> Quat {
    let back = (-way).try_normalize(1e-9).unwrap_or_else(Vec3::z);
    let right = Vec3::y().cross(&back).try_normalize(1e-6).unwrap_or_else(Vec3::x);
    let matrix = Mat3::from_columns(&[right, back.cross(&right), back]);
    Quat::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(matrix))
}

/// Colours of things that have none of their own.
pub(crate) const PALETTE: [[f64; 3]; 6] = [
    [0.80, 0.36, 0.25],
    [0.24, 0.47, 0.66],
    [0.87, 0.66, 0.24],
    [0.36, 0.60, 0.40],
    [0.58, 0.40, 0.62],
    [0.30, 0.62, 0.63],
];

fn draw(look: &Visual, placement: &Placement, mesh: &mut Mesh) {
    match look {
        Visual::Cylinder { length, radius } => mesh.cylinder(placement, *length, *radius),
        Visual::Solid(shape) => add_shape(mesh, placement, shape),
    }
}
