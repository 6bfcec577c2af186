//! Objects of a running scene, by name.

use super::expression::{Expression, Variables};
use super::schema;
use crate::control::MarkerController;
use crate::dynamics::{BodyId, ConstraintId, ForceId, Placement, Shape, World};
use crate::figure::{Figure, FigureInstance};
use crate::files::nearest;
use crate::formats::Capture;
use crate::math::{Quat, Real, Vec3};
use std::collections::HashMap;
use std::sync::Arc;

/// Body of the scene.
#[derive(Clone, Debug)]
pub(crate) struct SceneBody {
    pub name: String,
    pub id: BodyId,
    /// Centre of mass, metres from the body's origin, body axes.
    pub centre: Vec3,
    /// Visuals, relative to the centre of mass.
    pub visuals: Vec<(Visual, Placement)>,
    pub color: Option<[f64; 3]>,
    /// Initial rotation.
    pub turned: Quat,
    /// Times of creation and removal, seconds.
    pub created: Real,
    pub removed: Option<Real>,
    pub entry: schema::Body,
    pub origin: Origin,
    /// True if mass, damping or surface depend on time.
    pub varies: bool,
}

/// Visual of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Visual {
    Solid(Shape),
    /// Cylinder along x.
    Cylinder {
        length: Real,
        radius: Real,
    },
}

/// Origin of an object: its entry in the scene file and the repetition.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub key_path: super::files::KeyPath,
    pub index: u32,
    pub count: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct ScenePoint {
    pub attachment: Attachment,
}

#[derive(Clone, Debug)]
pub(crate) struct SceneJoint {
    pub name: String,
    pub id: ConstraintId,
    pub entry: schema::Joint,
    pub origin: Origin,
    pub varies: bool,
    pub removed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct SceneForce {
    pub name: String,
    pub ids: Vec<ForceId>,
    pub entry: schema::Force,
    pub origin: Origin,
    pub varies: bool,
    pub pid: Option<Pid>,
    pub removed: bool,
}

/// State of a PID controller from a reading to a force.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pid {
    /// Number of the formula that it senses.
    pub sense: usize,
    pub on: bool,
    /// Start and end of its action, seconds.
    pub acts: (Real, Real),
    pub integral: Real,
    pub last_error: Option<Real>,
    /// Last output, N or N·m.
    pub output: Real,
}

/// Figure of the scene.
#[derive(Clone)]
pub(crate) struct SceneFigure {
    pub name: String,
    /// Body of the figure, and its place in the world. Its actor is the follower of the same index in the run.
    pub figure: Arc<Figure>,
    pub instance: Arc<FigureInstance>,
    pub capture: Arc<Capture>,
    pub holds: Vec<SceneHold>,
    pub entry: schema::Figure,
    /// True if the figure comes from a glTF file, whose skin can be exported.
    pub has_skin: bool,
    /// True if muscles or holds depend on time.
    pub varies: bool,
    /// Largest target angular acceleration of a joint so far, rad/s².
    pub peak_acceleration: Real,
    /// Playback speed, if it depends on time.
    pub playback: Option<PlaybackSpeed>,
}

/// Playback speed of a clip as a function of time.
#[derive(Clone)]
pub(crate) struct PlaybackSpeed {
    pub speed: Expression,
    /// Time within the clip and the simulated time that it belongs to, seconds.
    pub played: Real,
    pub until: Real,
}

impl PlaybackSpeed {
    pub fn speed_at(&self, time: Real) -> Real {
        self.speed.value(&Variables { time, count: 1.0, ..Variables::default() })
    }

    /// Time within the clip that passes between two times, by Simpson's rule.
    pub fn between(&self, from: Real, to: Real) -> Real {
        let sum = self.speed_at(from) + 4.0 * self.speed_at(0.5 * (from + to)) + self.speed_at(to);
        sum * (to - from) / 6.0
    }
}

/// Hold: a part of a figure that is pulled to a target.
#[derive(Clone)]
pub(crate) struct SceneHold {
    pub marker: MarkerController,
    pub which: usize,
    pub near: Option<Attachment>,
}

/// Point on a body, metres from its centre of mass; or in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Attachment {
    pub body: Option<BodyId>,
    pub local: Vec3,
}

impl Attachment {
    pub fn position(&self, world: &World) -> Vec3 {
        self.body.map_or(self.local, |id| world.state(id).placement.point(&self.local))
    }

    pub fn velocity(&self, world: &World) -> Vec3 {
        self.body.map_or_else(Vec3::zeros, |id| world.state(id).velocity_at(&self.position(world)))
    }
}

/// Object that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectId {
    Body(usize),
    Point(usize),
    Joint(usize),
    Force(usize),
    Figure(usize),
    /// Figure and segment.
    Segment(usize, usize),
}

/// All objects of a scene.
#[derive(Clone, Default)]
pub(crate) struct Objects {
    pub bodies: Vec<SceneBody>,
    pub points: Vec<ScenePoint>,
    pub joints: Vec<SceneJoint>,
    pub forces: Vec<SceneForce>,
    pub figures: Vec<SceneFigure>,
    /// Objects by name; used for look-up only, since its order is random.
    names: HashMap<String, ObjectId>,
}

impl Objects {
    /// Names an object; returns false if the name is taken.
    pub fn name(&mut self, name: &str, thing: ObjectId) -> bool {
        if self.names.contains_key(name) {
            return false;
        }
        self.names.insert(name.to_owned(), thing);
        true
    }

    pub fn find(&self, name: &str) -> Option<ObjectId> {
        if let Some(thing) = self.names.get(name) {
            return Some(*thing);
        }
        let (figure, part) = name.split_once('.')?;
        match self.names.get(figure) {
            Some(ObjectId::Figure(k)) => self.segment(*k, part).map(|segment| ObjectId::Segment(*k, segment)),
            _ => None,
        }
    }

    /// Finds a segment by its name, or by its role with underscores.
    pub fn segment(&self, figure: usize, part: &str) -> Option<usize> {
        segment_of(&self.figures[figure].figure, part)
    }

    /// Bodies whose names match a pattern, including segments of figures.
    pub fn bodies_like(&self, pattern: &str) -> Vec<BodyId> {
        let mut found: Vec<BodyId> = self
            .bodies
            .iter()
            .filter(|body| body.removed.is_none() && matches(pattern, &body.name))
            .map(|b| b.id)
            .collect();
        for figure in &self.figures {
            for (segment, id) in figure.figure.segments().iter().zip(&figure.instance.bodies) {
                let role = segment.role.map(|role| format!("{}.{}", figure.name, role).replace(' ', "_"));
                let named = matches(pattern, &figure.name)
                    || matches(pattern, &format!("{}.{}", figure.name, segment.name))
                    || role.is_some_and(|role| matches(pattern, &role));
                if named {
                    found.push(*id);
                }
            }
        }
        found
    }

    /// Nearest existing name, for error messages.
    pub fn nearest(&self, word: &str) -> Option<String> {
        let mut names: Vec<&str> = self.names.keys().map(String::as_str).collect();
        names.sort_unstable();
        nearest(word, names).map(str::to_owned)
    }

    /// All names in alphabetical order.
    pub fn all_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.names.keys().cloned().collect();
        names.sort_unstable();
        names
    }
}

/// Finds a segment of a figure by the name of its bone, or by its role with underscores for blanks.
pub(crate) fn segment_of(figure: &Figure, part: &str) -> Option<usize> {
    let told = part.replace('_', " ");
    let by_name = figure.segments().iter().position(|s| s.name == part);
    let by_role = || figure.segments().iter().position(|s| s.role.is_some_and(|role| role.to_string() == told));
    let chest = || {
        (part == "chest")
            .then(|| figure.segments().iter().rposition(|s| matches!(s.role, Some(crate::motion::Role::Spine(_)))))
            .flatten()
    };
    by_name.or_else(by_role).or_else(chest)
}

/// Returns true if a name matches a pattern, in which * stands for any characters.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|behind| {
            (0..=behind.len()).filter(|at| behind.is_char_boundary(*at)).any(|at| matches(rest, &behind[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_letters() {
        assert!(matches("link*", "link12") && matches("*", "") && matches("a*c*e", "abcde") && matches("x", "x"));
        assert!(!matches("link*", "lin") && !matches("a*c", "abcd") && !matches("x", "xy"));
    }
}
