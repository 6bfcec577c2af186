//! Files that the recording of a scene becomes: a GLB of everything that moves, a JSON of everything that was recorded.

use super::context::Context;
use super::expect::Outcome;
use super::files::KeyPath;
use super::objects::Visual;
use super::run::SceneRun;
use super::schema::LookAt;
use super::unit::{ANGLE, LENGTH};
use crate::dynamics::{BodyId, Placement};
use crate::formats::gltf::solids::{CameraTrack, Mesh, Part, write_solids};
use crate::formats::{FormatError, Source, gltf};
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::record::{Form, RecordedShape, Recording, add_shape};
use serde_json::{Value, json};

impl SceneRun {
    /// A GLB of everything there is, with one animation of all that moved. The first figure that comes from a glTF file keeps
    /// its skin; all else is drawn as it collides.
    pub fn to_glb(&self) -> Result<Vec<u8>, FormatError> {
        let recording = self.run.recording();
        let mut parts = Vec::new();
        let mut skinned = None;
        let mut drawn: Vec<BodyId> = Vec::new();
        for (k, figure) in self.objects.figures.iter().enumerate() {
            let bodies = &figure.instance.bodies;
            drawn.extend(bodies);
            if figure.has_skin && skinned.is_none() && recording.frames() > 0 {
                skinned = Some(k);
                continue;
            }
            for (segment, &id) in figure.figure.segments().iter().zip(bodies) {
                let colliders = self.run.world.colliders().filter(|(_, body, _)| *body == id);
                let visuals: Vec<(Visual, Placement)> =
                    colliders.map(|(_, _, c)| (Visual::Solid(c.shape.clone()), c.placement)).collect();
                let name = format!("{}.{}", figure.name, segment.name);
                parts.push(self.part(name, id, &visuals, [0.56, 0.66, 0.76], None));
            }
        }
        for (k, body) in self.objects.bodies.iter().enumerate() {
            let fixed = !self.run.world.body(body.id).is_dynamic();
            let color = body.color.unwrap_or(if fixed { [0.45, 0.45, 0.43] } else { PALETTE[k % PALETTE.len()] });
            parts.push(self.part(body.name.clone(), body.id, &body.visuals, color, Some((body.created, body.removed))));
        }
        let times: Vec<f32> = recording.times_s.iter().map(|t| *t as f32).collect();
        let name = if self.scene().title.is_empty() { "scene" } else { &self.scene().title };
        let capture = match skinned {
            None => None,
            Some(k) => {
                let figure = &self.objects.figures[k];
                let told = |error: crate::motion::ClipError| FormatError::new(error.to_string());
                let animation = &self.run.followers[k].animation;
                let recorded = recording.figure(k).ok_or_else(|| FormatError::new("the figure was not recorded"))?;
                let sample = |time| animation.sample(time).pose;
                let mut clip = recorded.to_clip(&figure.figure, animation.clip(), sample).map_err(told)?;
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
        let recording = self.run.recording();
        let mut mesh = Mesh::new(color.map(|c| c.clamp(0.0, 1.0) as f32));
        for (look, placement) in visuals {
            draw(look, placement, &mut mesh);
        }
        let frames = (0..recording.frames()).map(|frame| recording.placement(id.index(), frame)).collect();
        let seen = life.filter(|(created, removed)| *created > 0.0 || removed.is_some()).map(|(created, removed)| {
            recording
                .times_s
                .iter()
                .map(|t| *t >= created - 1e-9 && removed.is_none_or(|removed| *t < removed))
                .collect()
        });
        Part { name, mesh, frames, visible: seen }
    }

    /// Current position and target of the scene's camera, metres, and its vertical field of view, radians; none where the
    /// scene has no camera.
    pub(crate) fn camera_now(&self) -> Option<(Vec3, Vec3, Real)> {
        let camera = self.scene().camera.as_ref()?;
        let context = Context::new(&self.files, &self.constants, KeyPath::table("camera"), self.run.world.time());
        let target = match &camera.look_at {
            LookAt::Place(place) => context.vector("look_at", place, LENGTH).ok()?,
            LookAt::Name(name) => {
                let id = match (super::build::body_of(&self.objects, name), self.objects.find(name)) {
                    (Some((id, _)), _) => id,
                    (None, Some(super::objects::ObjectId::Figure(k))) => self.objects.figures[k].instance.bodies[0],
                    _ => return None,
                };
                self.run.world.state(id).placement.position
            }
        };
        let angle = context.or("field_of_view", &camera.field_of_view, ANGLE, std::f64::consts::FRAC_PI_4).ok()?;
        Some((context.vector("at", &camera.at, LENGTH).ok()?, target, angle.clamp(0.05, 3.0)))
    }

    fn camera_track(&self) -> Result<Option<CameraTrack>, FormatError> {
        let Some(camera) = &self.scene().camera else { return Ok(None) };
        let recording = self.run.recording();
        let mut frames = Vec::with_capacity(recording.frames());
        let mut angle = std::f64::consts::FRAC_PI_4;
        for (frame, &time) in recording.times_s.iter().enumerate() {
            let context = Context::new(&self.files, &self.constants, KeyPath::table("camera"), time);
            let at = context.vector("at", &camera.at, LENGTH)?;
            let target = match &camera.look_at {
                LookAt::Place(place) => context.vector("look_at", place, LENGTH)?,
                LookAt::Name(name) => match super::build::body_of(&self.objects, name) {
                    Some((id, _)) => recording.placement(id.index(), frame).position,
                    None => match self.objects.find(name) {
                        Some(super::objects::ObjectId::Figure(k)) => {
                            recording.placement(self.objects.figures[k].instance.bodies[0].index(), frame).position
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

    /// Everything that was recorded so far, with the names, colours and shapes of the scene.
    pub fn recording(&self) -> Recording {
        let mut recording = self.run.recording().into_owned();
        self.dress(&mut recording);
        recording
    }

    /// Gives the bodies of a recording of this scene their names, colours, shapes and lifetimes.
    pub(crate) fn dress(&self, recording: &mut Recording) {
        for body in &self.objects.bodies {
            let Some(told) = recording.bodies.get_mut(body.id.index()) else { continue };
            let shape = |(look, placement): &(Visual, Placement)| match look {
                Visual::Solid(shape) => RecordedShape::of(shape, placement),
                Visual::Cylinder { length, radius } => {
                    RecordedShape::at(Form::Cylinder { length: *length, radius: *radius }, placement)
                }
            };
            told.name.clone_from(&body.name);
            told.shapes = body.visuals.iter().map(shape).collect();
            told.color = body.color;
            told.from_s = (body.created > 0.0).then_some(body.created);
            told.until_s = body.removed;
        }
        for figure in &self.objects.figures {
            for (segment, id) in figure.figure.segments().iter().zip(&figure.instance.bodies) {
                if let Some(told) = recording.bodies.get_mut(id.index()) {
                    told.name = format!("{}.{}", figure.name, segment.name);
                }
            }
        }
    }

    /// Everything that was recorded, as JSON, with what became of the expectations (see `docs/recordings.md`).
    pub fn to_json(&self) -> Result<Value, FormatError> {
        let told = serde_json::to_value(self.recording());
        let mut told = told.map_err(|error| FormatError::new(error.to_string()))?;
        told["expect"] = self.verdicts().iter().map(verdict_json).collect();
        Ok(told)
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

/// The turn of a camera, which visuals along its −z with y up.
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
