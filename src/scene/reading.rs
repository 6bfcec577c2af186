//! Readings: quantities that formulas of expectations and controllers can name, such as `ball.x`, `nail.force`,
//! `man.left_hand.speed`, `world.energy`.

use super::context::Constants;
use super::expression::{Expression, Names};
use super::objects::{Attachment, ObjectId, Objects, matches};
use super::schema::Event;
use crate::dynamics::{BodyId, World};
use crate::files::nearest;
use crate::math::{Quat, Real, Vec3};

/// Quantity of a running scene.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reading {
    Body {
        id: BodyId,
        turned: Quat,
        what: OfBody,
    },
    Point {
        attachment: Attachment,
        what: OfPoint,
    },
    Joint {
        which: usize,
        what: OfJoint,
    },
    Force {
        which: usize,
        what: OfForce,
    },
    Figure {
        which: usize,
        what: OfFigure,
    },
    /// Quantity of the muscle at a segment of a figure.
    Muscle {
        figure: usize,
        segment: usize,
        what: OfMuscle,
    },
    World(OfWorld),
    Distance(Attachment, Attachment),
    /// Angle between the x axes of two bodies, radians.
    Angle(BodyId, BodyId),
    /// Fold over all objects whose names match a pattern, including those created later.
    Over {
        fold: Fold,
        pattern: String,
        what: String,
        found: Vec<Reading>,
    },
}

macro_rules! words {
    ($name:ident { $($variant:ident $word:literal),* $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name { $($variant),* }
        impl $name {
            pub const WORDS: &[(&str, $name)] = &[$(($word, $name::$variant)),*];
            fn find(word: &str) -> Option<Self> {
                Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, what)| *what)
            }
        }
    };
}

words!(OfBody {
    X "x", Y "y", Z "z", Vx "vx", Vy "vy", Vz "vz", Speed "speed", Wx "wx", Wy "wy", Wz "wz", Spin "spin", AngleX "angle_x",
    AngleY "angle_y", AngleZ "angle_z", Turned "turned", Tilt "tilt", Xx "xaxis_x", Xy "xaxis_y", Xz "xaxis_z", Yx "yaxis_x", Yy "yaxis_y", Yz "yaxis_z",
    Zx "zaxis_x", Zy "zaxis_y", Zz "zaxis_z", Kinetic "kinetic", Asleep "asleep", Contact "contact", ContactX "contact_x", ContactY "contact_y",
    ContactZ "contact_z", Depth "depth", Mass "mass",
});
words!(OfPoint { X "x", Y "y", Z "z", Vx "vx", Vy "vy", Vz "vz", Speed "speed" });
words!(OfJoint {
    Force "force", Fx "fx", Fy "fy", Fz "fz", Torque "torque", Tx "tx", Ty "ty", Tz "tz", Gap "gap", Value "value", Multiplier "multiplier", On "on", Length "length", Way "way",
    OffAxis "off_axis",
});
words!(OfForce { Length "length", On "on", Output "output" });
words!(OfFigure {
    X "x", Y "y", Z "z", Speed "speed", Mass "mass", Tracking "tracking", FreeTracking "free_tracking", Error "error", Gap "gap", Depth "depth", Residual "residual",
    Torque "torque", Fallen "fallen", Asleep "asleep", LimitExcess "limit_excess", MarkerError "marker_error", Activation "activation", Load "load", Acceleration "acceleration", PeakAcceleration "peak_acceleration",
});
words!(OfMuscle { Error "error", Effort "effort", Stiffness "stiffness" });
words!(OfWorld {
    Time "time", Energy "energy", Kinetic "kinetic", Potential "potential", Px "momentum_x", Py "momentum_y", Pz "momentum_z", Lx "angular_momentum_x",
    Ly "angular_momentum_y", Lz "angular_momentum_z", Contacts "contacts", Depth "depth", Awake "awake", Gap "gap", WorstError "worst_error", Substeps "substeps",
    Iterations "iterations", Rollbacks "rollbacks", Bodies "bodies",
});
words!(Fold { Lowest "lowest", Highest "highest", Total "total", Average "average" });

/// Kind of an object that an event creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PendingKind {
    Body,
    Joint,
    Force,
}

/// Object that an event will create, with its name as written: `ball{i}`.
#[derive(Clone, Debug)]
pub(crate) struct PendingObject {
    pub name: String,
    pub kind: PendingKind,
}

/// Objects that the events of a scene create.
pub(crate) fn pending_objects(events: &[Event]) -> Vec<PendingObject> {
    let brought = |event: &Event| {
        let bodies = event.body.iter().map(|body| (body.name.clone(), PendingKind::Body));
        let joints = event.joint.iter().filter_map(|joint| Some((joint.name.clone()?, PendingKind::Joint)));
        let forces = event.force.iter().filter_map(|force| Some((force.name.clone()?, PendingKind::Force)));
        bodies.chain(joints).chain(forces).collect::<Vec<_>>()
    };
    events.iter().flat_map(brought).map(|(name, kind)| PendingObject { name, kind }).collect()
}

/// Resolver of names in formulas.
pub(crate) struct Finder<'a> {
    pub world: &'a World,
    pub objects: &'a Objects,
    pub constants: &'a Constants,
    /// Objects that events will create.
    pub pending: &'a [PendingObject],
    /// Readings found so far.
    pub readings: &'a mut Vec<Reading>,
    /// Formulas to be evaluated at a time, with that time in seconds.
    pub memories: &'a mut Vec<(Real, Expression)>,
}

impl Names for Finder<'_> {
    fn constant(&self, name: &str) -> Option<Expression> {
        self.constants.get(name).cloned()
    }

    fn reading(&mut self, name: &str) -> Result<usize, String> {
        let reading = self.find(name)?;
        Ok(self.keep(reading))
    }

    fn reading_between(&mut self, function: &str, names: &[String]) -> Result<usize, String> {
        let reading = match (function, names) {
            ("distance", [a, b]) => Reading::Distance(self.attachment(a)?, self.attachment(b)?),
            ("angle", [a, b]) => Reading::Angle(self.body(a)?, self.body(b)?),
            (word, [pattern]) if Fold::find(word).is_some() => {
                let (pattern, what) = pattern
                    .rsplit_once('.')
                    .ok_or_else(|| format!("{pattern:?} has no reading behind a point, such as .x"))?;
                let names = self.objects.all_names();
                let found: Result<Vec<Reading>, String> = names
                    .iter()
                    .filter(|name| matches(pattern, name))
                    .map(|name| self.find(&format!("{name}.{what}")))
                    .collect();
                let found = found?;
                if found.is_empty() {
                    self.check_pending(pattern, what)?;
                }
                let fold = Fold::find(word).unwrap_or(Fold::Lowest);
                Reading::Over { fold, pattern: pattern.into(), what: what.into(), found }
            }
            _ => {
                return Err(format!(
                    "{function} takes two names of bodies or points, or, for lowest, highest, total and average, a pattern such as ball*.y"
                ));
            }
        };
        Ok(self.keep(reading))
    }

    fn memory(&mut self, time: Real, formula: Expression) -> Result<usize, String> {
        if !(time.is_finite() && time >= 0.0) {
            return Err(format!("at({time}, …): times count from 0"));
        }
        self.memories.push((time, formula));
        Ok(self.memories.len() - 1)
    }

    fn known(&self) -> Vec<String> {
        let mut known: Vec<String> = self.constants.keys().cloned().collect();
        known.extend(self.objects.all_names());
        known.extend(OfWorld::WORDS.iter().map(|(word, _)| format!("world.{word}")));
        known
    }
}

impl Finder<'_> {
    /// Adds new objects of these names to the folds that they match.
    pub fn join_patterns(&mut self, names: &[String]) -> Result<(), String> {
        let mut readings = std::mem::take(self.readings);
        let mut outcome = Ok(());
        for reading in &mut readings {
            if let Reading::Over { pattern, what, found, .. } = reading {
                for name in names.iter().filter(|name| matches(pattern, name)) {
                    match self.find(&format!("{name}.{what}")) {
                        Ok(one) => found.push(one),
                        Err(error) => outcome = outcome.and(Err(error)),
                    }
                }
            }
        }
        *self.readings = readings;
        outcome
    }

    /// Checks that an event will create an object that matches the pattern and has such a reading.
    fn check_pending(&self, pattern: &str, what: &str) -> Result<(), String> {
        let has = |pending: &PendingObject| match pending.kind {
            PendingKind::Body => OfBody::find(what).is_some(),
            PendingKind::Joint => OfJoint::find(what).is_some(),
            PendingKind::Force => OfForce::find(what).is_some(),
        };
        let mut pending = self.pending.iter().filter(|pending| matches(pattern, &pending.name)).peekable();
        if pending.peek().is_none() {
            return Err(format!("nothing is called {pattern:?}"));
        }
        match pending.find(|pending| !has(pending)) {
            Some(pending) => Err(format!("{:?}, which an event brings, has no reading {what:?}", pending.name)),
            None => Ok(()),
        }
    }

    fn keep(&mut self, reading: Reading) -> usize {
        let known = self.readings.iter().position(|r| *r == reading);
        known.unwrap_or_else(|| {
            self.readings.push(reading);
            self.readings.len() - 1
        })
    }

    fn attachment(&self, name: &str) -> Result<Attachment, String> {
        match self.objects.find(name) {
            Some(ObjectId::Point(k)) => Ok(self.objects.points[k].attachment),
            Some(ObjectId::Body(k)) => {
                let body = &self.objects.bodies[k];
                Ok(Attachment { body: Some(body.id), local: -body.centre })
            }
            Some(ObjectId::Segment(figure, segment)) => {
                let body = self.objects.figures[figure].instance.bodies[segment];
                Ok(Attachment { body: Some(body), local: Vec3::zeros() })
            }
            _ => Err(format!("there is no body or point {name:?}")),
        }
    }

    fn body(&self, name: &str) -> Result<BodyId, String> {
        self.attachment(name)?.body.ok_or_else(|| format!("{name:?} is a point of the world, not a body"))
    }

    fn find(&self, name: &str) -> Result<Reading, String> {
        fn known<T: Copy>(words: &[(&'static str, T)], what: &str, of: &str) -> String {
            let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            match nearest(what, all.iter().copied()) {
                Some(near) => format!("{of} has no reading {what:?}; did you mean {near:?}? it has {}", all.join(", ")),
                None => format!("{of} has no reading {what:?}; it has {}", all.join(", ")),
            }
        }
        let Some((thing, what)) = name.rsplit_once('.') else {
            return Err(match self.objects.find(name) {
                Some(_) => format!("{name:?} is no number: say what of it, such as {name}.x"),
                None => format!("there is no name {name:?}"),
            });
        };
        if thing == "world" {
            return OfWorld::find(what).map(Reading::World).ok_or_else(|| known(OfWorld::WORDS, what, "the world"));
        }
        let found = self.objects.find(thing).ok_or_else(|| format!("there is nothing called {thing:?}"))?;
        let told = format!("{thing:?}");
        match found {
            ObjectId::Body(k) => {
                let body = &self.objects.bodies[k];
                let what = OfBody::find(what).ok_or_else(|| known(OfBody::WORDS, what, &told))?;
                Ok(Reading::Body { id: body.id, turned: body.turned, what })
            }
            ObjectId::Segment(figure, segment) => {
                if let Some(what) = OfMuscle::find(what) {
                    return Ok(Reading::Muscle { figure, segment, what });
                }
                let id = self.objects.figures[figure].instance.bodies[segment];
                let what = OfBody::find(what).ok_or_else(|| known(OfBody::WORDS, what, &told))?;
                Ok(Reading::Body { id, turned: self.world.state(id).placement.rotation, what })
            }
            ObjectId::Point(k) => {
                let what = OfPoint::find(what).ok_or_else(|| known(OfPoint::WORDS, what, &told))?;
                Ok(Reading::Point { attachment: self.objects.points[k].attachment, what })
            }
            ObjectId::Joint(which) => {
                let what = OfJoint::find(what).ok_or_else(|| known(OfJoint::WORDS, what, &told))?;
                Ok(Reading::Joint { which, what })
            }
            ObjectId::Force(which) => {
                let what = OfForce::find(what).ok_or_else(|| known(OfForce::WORDS, what, &told))?;
                Ok(Reading::Force { which, what })
            }
            ObjectId::Figure(which) => {
                // Scene files written for earlier versions call the activation so.
                let what = if what == "vigour" { "activation" } else { what };
                let what = OfFigure::find(what).ok_or_else(|| known(OfFigure::WORDS, what, &told))?;
                Ok(Reading::Figure { which, what })
            }
        }
    }
}
