//! Everything that takes part in a running scene, by name.

use super::expression::{Expression, Variables};
use super::schema;
use crate::control::{Animation, MarkerController, Trip};
use crate::dynamics::{BodyId, ConstraintId, ForceId, Placement, Shape, World};
use crate::files::nearest;
use crate::formats::Capture;
use crate::math::{Quat, Real, Vec3};
use crate::motion::PoseMotion;
use crate::simulation::Actor;
use std::collections::HashMap;
use std::sync::Arc;

/// A body of the scene.
#[derive(Clone, Debug)]
pub(crate) struct SceneBody {
    pub name: String,
    pub id: BodyId,
    /// Its centre of mass, from its own origin, its own axes.
    pub centre: Vec3,
    /// What it looks like, from its centre of mass.
    pub visuals: Vec<(Visual, Placement)>,
    pub color: Option<[f64; 3]>,
    /// How it was turned at the start.
    pub turned: Quat,
    /// When it appeared, and when it was taken away.
    pub created: Real,
    pub removed: Option<Real>,
    pub entry: schema::Body,
    pub origin: Origin,
    /// Its mass, damping or surface changes with time.
    pub varies: bool,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Visual {
    Solid(Shape),
    /// Along x.
    Cylinder {
        length: Real,
        radius: Real,
    },
}

/// Which entry something came from, and which of its repetitions it is.
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

/// A controller from a reading to a push, and what it remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pid {
    /// Which of the formulas of readings it senses.
    pub sense: usize,
    pub on: bool,
    /// From when to when it may push, seconds.
    pub acts: (Real, Real),
    pub integral: Real,
    pub last_error: Option<Real>,
    /// What it pushed with last.
    pub output: Real,
}

#[derive(Clone)]
pub(crate) struct SceneFigure {
    pub name: String,
    pub actor: Actor,
    pub animation: Animation,
    pub capture: Arc<Capture>,
    pub wanted: PoseMotion,
    pub trip: Option<Trip>,
    pub holds: Vec<SceneHold>,
    pub markers: Vec<(usize, Vec3, MarkerController)>,
    pub entry: schema::Figure,
    /// What comes from a glTF file can be written into it again.
    pub has_skin: bool,
    pub relaxed: bool,
    /// Its muscles or holds change with time.
    pub varies: bool,
    /// The fastest change of speed that was wanted of a joint so far, rad/s².
    pub peak_acceleration: Real,
    /// How fast it plays, where that changes.
    pub playback: Option<PlaybackSpeed>,
}

impl SceneFigure {
    /// The fastest change of speed that is wanted of a joint now, rad/s².
    pub fn wanted_acceleration(&self) -> Real {
        self.wanted.angular_accelerations.iter().map(|change| change.norm()).fold(0.0, Real::max)
    }
}

/// How fast a clip plays as a function of time.
#[derive(Clone)]
pub(crate) struct PlaybackSpeed {
    pub speed: Expression,
    /// How much of the clip has been played at a time, both in seconds.
    pub played: Real,
    pub until: Real,
}

impl PlaybackSpeed {
    pub fn speed_at(&self, time: Real) -> Real {
        self.speed.value(&Variables { time, count: 1.0, ..Variables::default() })
    }

    /// What is played from one time to another, by Simpson's rule.
    pub fn between(&self, from: Real, to: Real) -> Real {
        let sum = self.speed_at(from) + 4.0 * self.speed_at(0.5 * (from + to)) + self.speed_at(to);
        sum * (to - from) / 6.0
    }
}

/// A part of a figure that is drawn somewhere.
#[derive(Clone)]
pub(crate) struct SceneHold {
    pub marker: MarkerController,
    pub which: usize,
    pub near: Option<Attachment>,
}

/// A place on a body, from its centre of mass; or in the world.
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

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectId {
    Body(usize),
    Point(usize),
    Joint(usize),
    Force(usize),
    Figure(usize),
    /// A segment of a figure.
    Segment(usize, usize),
}

/// Everything that takes part.
#[derive(Clone, Default)]
pub(crate) struct Objects {
    pub bodies: Vec<SceneBody>,
    pub points: Vec<ScenePoint>,
    pub joints: Vec<SceneJoint>,
    pub forces: Vec<SceneForce>,
    pub figures: Vec<SceneFigure>,
    /// Looked up only, never gone through.
    names: HashMap<String, ObjectId>,
}

impl Objects {
    /// Gives a name to something; false if it is taken.
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

    /// A segment by its name, or by its role with underscores.
    pub fn segment(&self, figure: usize, part: &str) -> Option<usize> {
        segment_of(self.figures[figure].actor.figure(), part)
    }

    /// The bodies that a pattern names, figures and their segments among them.
    pub fn bodies_like(&self, pattern: &str) -> Vec<BodyId> {
        let mut found: Vec<BodyId> = self
            .bodies
            .iter()
            .filter(|body| body.removed.is_none() && matches(pattern, &body.name))
            .map(|b| b.id)
            .collect();
        for figure in &self.figures {
            let bodies = &figure.actor.instance().bodies;
            for (segment, id) in figure.actor.figure().segments().iter().zip(bodies) {
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

    /// Names that may have been meant.
    pub fn nearest(&self, word: &str) -> Option<String> {
        let mut names: Vec<&str> = self.names.keys().map(String::as_str).collect();
        names.sort_unstable();
        nearest(word, names).map(str::to_owned)
    }

    /// All names of the scene, in order.
    pub fn all_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.names.keys().cloned().collect();
        names.sort_unstable();
        names
    }
}

/// A segment of a figure by its bone's name, or by its role with underscores for blanks.
pub(crate) fn segment_of(figure: &crate::figure::Figure, part: &str) -> Option<usize> {
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

/// Whether a name fits a pattern in which * stands for any letters.
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
