//! Recording of a run as JSON: placements of bodies, joint forces and contacts, frame by frame.
//!
//! Numbers survive to the last bit. `docs/recordings.md` describes the format.

use super::FigureRecording;
use crate::dynamics::{BodyId, Placement, Shape, State, World};
use crate::files::{FormatError, load, write_atomically};
use crate::math::{Quat, Real, Vec3, Vec6};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Motion and forces of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Title for display; may be empty.
    #[serde(default)]
    pub title: String,
    /// Frames per second.
    pub rate_hz: Real,
    /// Time of each frame, seconds, ascending.
    pub times_s: Vec<Real>,
    /// All bodies; other lists refer to them by index.
    pub bodies: Vec<RecordedBody>,
    /// Figures made of some of the bodies.
    #[serde(default)]
    pub figures: Vec<RecordedFigure>,
    /// Joints with their forces.
    #[serde(default)]
    pub joints: Vec<RecordedJoint>,
    /// Contacts of each frame.
    #[serde(default)]
    pub contacts: Vec<Vec<RecordedContact>>,
}

/// One body over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedBody {
    /// Name of the body.
    pub name: String,
    /// Mass, kg; 0 for bodies that nothing moves.
    #[serde(default)]
    pub mass_kg: Real,
    /// Position of the centre of mass, metres, world space, frame by frame.
    pub position_m: Vec<[Real; 3]>,
    /// Rotation from body to world axes as a unit quaternion, frame by frame.
    pub rotation_wxyz: Vec<[Real; 4]>,
    /// Velocity of the centre of mass, m/s, world axes, frame by frame; empty in files that do not have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub velocity_m_s: Vec<[Real; 3]>,
    /// Angular velocity, rad/s, world axes, frame by frame; empty in files that do not have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub angular_velocity_rad_s: Vec<[Real; 3]>,
    /// Shapes, relative to the centre of mass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<RecordedShape>,
    /// Colour for display: red, green and blue, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<[Real; 3]>,
    /// Time at which the body appears, seconds; none if it is there from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_s: Option<Real>,
    /// Time at which the body is removed, seconds; none if it stays to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_s: Option<Real>,
}

/// A solid on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedShape {
    /// Geometry.
    #[serde(flatten)]
    pub form: Form,
    /// Position in the body, metres, from its centre of mass.
    #[serde(default)]
    pub position_m: [Real; 3],
    /// Rotation from shape to body axes as a unit quaternion.
    #[serde(default = "unturned")]
    pub rotation_wxyz: [Real; 4],
}

fn unturned() -> [Real; 4] {
    [1.0, 0.0, 0.0, 0.0]
}

/// The solids of [`Shape`], and cylinders; metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Form {
    /// Ball about the origin.
    Sphere {
        /// Radius, metres.
        radius: Real,
    },
    /// All points within a radius of a line segment.
    Capsule {
        /// First end of the line segment, metres.
        a: [Real; 3],
        /// Second end of the line segment, metres.
        b: [Real; 3],
        /// Radius, metres.
        radius: Real,
    },
    /// Box about the origin.
    Box {
        /// Half of the edge lengths along x, y and z, metres.
        half_extents: [Real; 3],
    },
    /// Convex hull of points.
    Hull {
        /// Points, metres.
        points: Vec<[Real; 3]>,
    },
    /// All points below a plane through the origin.
    HalfSpace {
        /// Outward direction, of any length but zero.
        normal: [Real; 3],
    },
    /// Heights above the xz-plane on a regular grid, centred at the origin; solid below.
    HeightField {
        /// Number of points along z.
        rows: usize,
        /// Number of points along x.
        columns: usize,
        /// Heights row by row, metres.
        heights: Vec<Real>,
        /// Whole extent along x and z, metres.
        size: [Real; 2],
    },
    /// Triangle mesh.
    Mesh {
        /// Vertices, metres.
        vertices: Vec<[Real; 3]>,
        /// Vertex indices of each triangle.
        triangles: Vec<[u32; 3]>,
    },
    /// Cylinder along x, for display only.
    Cylinder {
        /// Length along x, metres.
        length: Real,
        /// Radius, metres.
        radius: Real,
    },
}

/// Figure made of some of the bodies, with the assistance of its root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedFigure {
    /// Name of the figure.
    pub name: String,
    /// Standing height, metres.
    pub height_m: Real,
    /// Indices of its segments among the bodies; the first is the root.
    pub bodies: Vec<usize>,
    /// Force (N) and torque (N·m) about the root's centre of mass, world axes, frame by frame.
    #[serde(default)]
    pub root_force_torque: Vec<[Real; 6]>,
}

/// A joint over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedJoint {
    /// Name of the joint.
    pub name: String,
    /// Force (N) on the second body and torque (N·m) about its centre of mass, world axes, frame by frame.
    #[serde(default)]
    pub force_torque_on_b: Vec<[Real; 6]>,
    /// Index of the second body; none for joints outside of figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<usize>,
    /// Position of the joint on the second body, metres, axes of that body.
    #[serde(default)]
    pub at_m: [Real; 3],
    /// Torque of the muscle, N·m, world axes, frame by frame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub muscle_nm: Vec<[Real; 3]>,
}

/// A point where two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedContact {
    /// Indices of the two bodies.
    pub bodies: [usize; 2],
    /// Contact point, metres, world space.
    pub point_m: [Real; 3],
    /// Force on the second body, N, world axes.
    pub force_n: [Real; 3],
}

impl Recording {
    /// An empty one.
    pub fn new(title: impl Into<String>, rate_hz: Real) -> Self {
        Self { title: title.into(), rate_hz, ..Self::default() }
    }

    /// One figure of the recording, by segment; none where there is no such figure.
    pub fn figure(&self, which: usize) -> Option<FigureRecording<'_>> {
        FigureRecording::new(self, which)
    }

    /// Forgets the frames behind a time, and bodies that appeared later.
    pub(crate) fn cut(&mut self, time: Real) {
        let kept = self.times_s.partition_point(|t| *t <= time + 1e-9);
        self.times_s.truncate(kept);
        self.bodies.retain(|body| body.from_s.is_none_or(|from| from <= time + 1e-9));
        for body in &mut self.bodies {
            body.position_m.truncate(kept);
            body.rotation_wxyz.truncate(kept);
            body.velocity_m_s.truncate(kept);
            body.angular_velocity_rad_s.truncate(kept);
        }
        self.figures.iter_mut().for_each(|figure| figure.root_force_torque.truncate(kept));
        for joint in &mut self.joints {
            joint.force_torque_on_b.truncate(kept);
            joint.muscle_nm.truncate(kept);
        }
        self.contacts.truncate(kept);
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.times_s.len()
    }

    /// Time of the last frame, seconds.
    pub fn duration(&self) -> Real {
        self.times_s.last().copied().unwrap_or(0.0)
    }

    /// Placement of a body in a frame.
    pub fn placement(&self, body: usize, frame: usize) -> Placement {
        let body = &self.bodies[body];
        let [w, i, j, k] = body.rotation_wxyz[frame];
        // As written: normalising would change bits.
        let rotation = Quat::new_unchecked(nalgebra::Quaternion::new(w, i, j, k));
        Placement { position: body.position_m[frame].into(), rotation }
    }

    /// State of a body in a frame; at rest where the recording has no velocities.
    pub fn state(&self, body: usize, frame: usize) -> State {
        let of = |series: &[[Real; 3]]| series.get(frame).copied().unwrap_or_default();
        let told = &self.bodies[body];
        let ([x, y, z], [rx, ry, rz]) = (of(&told.velocity_m_s), of(&told.angular_velocity_rad_s));
        State { placement: self.placement(body, frame), velocity: Vec6::new(x, y, z, rx, ry, rz) }
    }

    /// The frame that a time falls into, and how far it is to the next one, 0 to 1.
    pub fn place_of(&self, time: Real) -> (usize, Real) {
        let after = self.times_s.partition_point(|t| *t <= time + 1e-9);
        let frame = after.saturating_sub(1);
        let share = match (self.times_s.get(frame), self.times_s.get(frame + 1)) {
            (Some(a), Some(b)) if b > a => ((time - a) / (b - a)).clamp(0.0, 1.0),
            _ => 0.0,
        };
        (frame, if share < 1e-6 { 0.0 } else { share })
    }

    /// Reads a recording that [`Recording::save`] or `sinew run --record` wrote.
    pub fn load(path: &Path) -> Result<Recording, FormatError> {
        let bytes = load(path)?;
        Recording::read(&bytes).map_err(|error| error.in_file(path))
    }

    /// Reads the bytes of a recording and checks that everything in it fits together.
    pub fn read(bytes: &[u8]) -> Result<Recording, FormatError> {
        let recording: Recording = serde_json::from_slice(bytes).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default();
            let told = FormatError::new(format!("is no recording: {reason}"));
            let told = if error.line() == 0 { told } else { told.at_line(error.line()).at_column(error.column()) };
            told.help("sinew simulate --record and sinew run --record write recordings")
        })?;
        recording.check().map_err(FormatError::new)?;
        Ok(recording)
    }

    fn check(&self) -> Result<(), String> {
        let frames = self.times_s.len();
        if frames == 0 {
            return Err("the recording has no frames".to_owned());
        }
        if !(self.rate_hz.is_finite() && self.rate_hz > 0.0) {
            return Err(format!("the recording's rate must be above 0 Hz, not {}", self.rate_hz));
        }
        if !self.times_s.iter().all(|t| t.is_finite()) || self.times_s.windows(2).any(|w| w[1] <= w[0]) {
            return Err("the times of the recording do not ascend".to_owned());
        }
        let length = |what: String, found: usize| match found == frames {
            true => Ok(()),
            false => Err(format!("{what} has {found} entries, the recording {frames} frames")),
        };
        let body = |of: &str, number: usize| match number < self.bodies.len() {
            true => Ok(()),
            false => Err(format!("{of} names body {number}, but the recording has {}", self.bodies.len())),
        };
        for one in &self.bodies {
            length(format!("position_m of {:?}", one.name), one.position_m.len())?;
            length(format!("rotation_wxyz of {:?}", one.name), one.rotation_wxyz.len())?;
            let rates = [("velocity_m_s", &one.velocity_m_s), ("angular_velocity_rad_s", &one.angular_velocity_rad_s)];
            for (key, series) in rates.into_iter().filter(|(_, series)| !series.is_empty()) {
                length(format!("{key} of {:?}", one.name), series.len())?;
                if !series.iter().flatten().all(|x| x.is_finite()) {
                    return Err(format!("{key} of {:?} has a value that is not a number", one.name));
                }
            }
            let turned = |q: &[Real; 4]| (q.iter().map(|x| x * x).sum::<Real>() - 1.0).abs() < 1e-3;
            if !one.position_m.iter().flatten().all(|x| x.is_finite()) || !one.rotation_wxyz.iter().all(turned) {
                return Err(format!("{:?} has a place or turn that is none", one.name));
            }
            for shape in &one.shapes {
                if let Some((solid, _)) = shape.solid() {
                    solid.validate().map_err(|error| format!("a shape of {:?}: {error}", one.name))?;
                }
            }
        }
        for figure in &self.figures {
            figure.bodies.iter().try_for_each(|number| body(&figure.name, *number))?;
            if !figure.root_force_torque.is_empty() {
                length(format!("root_force_torque of {:?}", figure.name), figure.root_force_torque.len())?;
            }
        }
        for joint in &self.joints {
            joint.body.iter().try_for_each(|number| body(&joint.name, *number))?;
            length(format!("force_torque_on_b of {:?}", joint.name), joint.force_torque_on_b.len())?;
            if !joint.muscle_nm.is_empty() {
                length(format!("muscle_nm of {:?}", joint.name), joint.muscle_nm.len())?;
            }
        }
        if !self.contacts.is_empty() {
            length("contacts".to_owned(), self.contacts.len())?;
        }
        self.contacts.iter().flatten().flat_map(|c| c.bodies).try_for_each(|number| body("a contact", number))
    }

    /// The text of the file.
    pub fn to_json(&self) -> Result<Vec<u8>, FormatError> {
        let mut bytes = serde_json::to_vec(self).map_err(|error| FormatError::new(error.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Writes it to a file, which appears whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), FormatError> {
        write_atomically(path, &self.to_json().map_err(|error| error.in_file(path))?)
    }
}

/// The shapes of a body.
pub(crate) fn shapes_of(world: &World, body: BodyId) -> Vec<RecordedShape> {
    let own = world.colliders().filter(|(_, on, _)| *on == body);
    own.map(|(_, _, collider)| RecordedShape::of(&collider.shape, &collider.placement)).collect()
}

pub(crate) fn wxyz(q: &Quat) -> [Real; 4] {
    [q.w, q.i, q.j, q.k]
}

impl RecordedShape {
    pub(crate) fn of(shape: &Shape, placement: &Placement) -> Self {
        let list = |points: &[Vec3]| points.iter().map(|p| (*p).into()).collect();
        let form = match shape {
            Shape::Sphere { radius } => Form::Sphere { radius: *radius },
            Shape::Capsule { a, b, radius } => Form::Capsule { a: (*a).into(), b: (*b).into(), radius: *radius },
            Shape::Box { half_extents } => Form::Box { half_extents: (*half_extents).into() },
            Shape::Hull { points } => Form::Hull { points: list(points) },
            Shape::HalfSpace { normal } => Form::HalfSpace { normal: (*normal).into() },
            Shape::HeightField { rows, columns, heights, size } => {
                Form::HeightField { rows: *rows, columns: *columns, heights: heights.to_vec(), size: *size }
            }
            Shape::Mesh { vertices, triangles } => {
                Form::Mesh { vertices: list(vertices), triangles: triangles.to_vec() }
            }
        };
        Self::at(form, placement)
    }

    pub(crate) fn at(form: Form, placement: &Placement) -> Self {
        Self { form, position_m: placement.position.into(), rotation_wxyz: wxyz(&placement.rotation) }
    }

    /// Placement on its body.
    pub fn placement(&self) -> Placement {
        let [w, i, j, k] = self.rotation_wxyz;
        Placement::new(self.position_m.into(), Quat::from_quaternion(nalgebra::Quaternion::new(w, i, j, k)))
    }

    /// The solid and its placement on the body; none for forms that are only drawn.
    pub fn solid(&self) -> Option<(Shape, Placement)> {
        let list = |points: &[[Real; 3]]| points.iter().map(|p| Vec3::from(*p)).collect();
        let shape = match &self.form {
            Form::Sphere { radius } => Shape::Sphere { radius: *radius },
            Form::Capsule { a, b, radius } => Shape::Capsule { a: (*a).into(), b: (*b).into(), radius: *radius },
            Form::Box { half_extents } => Shape::Box { half_extents: (*half_extents).into() },
            Form::Hull { points } => Shape::Hull { points: list(points) },
            Form::HalfSpace { normal } => Shape::HalfSpace { normal: (*normal).into() },
            Form::HeightField { rows, columns, heights, size } => {
                Shape::HeightField { rows: *rows, columns: *columns, heights: heights.clone().into(), size: *size }
            }
            Form::Mesh { vertices, triangles } => {
                Shape::Mesh { vertices: list(vertices), triangles: triangles.clone().into() }
            }
            Form::Cylinder { .. } => return None,
        };
        Some((shape, self.placement()))
    }
}
