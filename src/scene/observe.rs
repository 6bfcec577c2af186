//! Values of readings.

use super::objects::Objects;
use super::reading::{Fold, OfBody, OfForce, OfJoint, OfPoint, OfWorld, Reading};
use crate::dynamics::{BodyId, Coordinate, Kind, Placement, StepReport, World};
use crate::math::{Quat, Real, Vec3, real};
use crate::simulation::Follower;

/// Running scene to observe.
pub(crate) struct Observer<'a> {
    pub world: &'a World,
    pub followers: &'a [Follower],
    pub objects: &'a Objects,
    pub report: &'a StepReport,
}

impl Observer<'_> {
    pub fn read(&self, reading: &Reading) -> Real {
        match reading {
            Reading::Body { id, turned, what } => self.body(*id, turned, *what),
            Reading::Point { attachment, what } => {
                let (p, v) = (attachment.position(self.world), attachment.velocity(self.world));
                match what {
                    OfPoint::X => p.x,
                    OfPoint::Y => p.y,
                    OfPoint::Z => p.z,
                    OfPoint::Vx => v.x,
                    OfPoint::Vy => v.y,
                    OfPoint::Vz => v.z,
                    OfPoint::Speed => v.norm(),
                }
            }
            Reading::Joint { which, what } => self.joint(*which, *what),
            Reading::Force { which, what } => self.force(*which, *what),
            Reading::Figure { which, what } => self.figure(*which, *what),
            Reading::Muscle { figure, segment, what } => self.muscle(*figure, *segment, *what),
            Reading::World(what) => self.whole(*what),
            Reading::Distance(a, b) => (a.position(self.world) - b.position(self.world)).norm(),
            Reading::Angle(a, b) => {
                let axis = |id: &BodyId| self.world.state(*id).placement.rotation * Vec3::x();
                axis(a).angle(&axis(b))
            }
            Reading::Over { fold, found, .. } => {
                let values = found.iter().map(|reading| self.read(reading));
                match fold {
                    Fold::Lowest => values.fold(Real::INFINITY, Real::min),
                    Fold::Highest => values.fold(Real::NEG_INFINITY, Real::max),
                    Fold::Total => values.sum(),
                    Fold::Average => values.sum::<Real>() / found.len() as Real,
                }
            }
        }
    }

    fn body(&self, id: BodyId, turned: &Quat, what: OfBody) -> Real {
        let state = self.world.state(id);
        let (p, q, v, w) = (state.placement.position, state.placement.rotation, state.linear(), state.angular());
        let since = || (q * turned.inverse()).scaled_axis();
        let contact = || self.world.contact_load(id).0;
        match what {
            OfBody::X => p.x,
            OfBody::Y => p.y,
            OfBody::Z => p.z,
            OfBody::Vx => v.x,
            OfBody::Vy => v.y,
            OfBody::Vz => v.z,
            OfBody::Speed => v.norm(),
            OfBody::Wx => w.x,
            OfBody::Wy => w.y,
            OfBody::Wz => w.z,
            OfBody::Spin => w.norm(),
            OfBody::AngleX => since().x,
            OfBody::AngleY => since().y,
            OfBody::AngleZ => since().z,
            OfBody::Turned => since().norm(),
            OfBody::Tilt => (q * turned.inverse() * Vec3::y()).angle(&Vec3::y()),
            OfBody::Xx => (q * Vec3::x()).x,
            OfBody::Xy => (q * Vec3::x()).y,
            OfBody::Xz => (q * Vec3::x()).z,
            OfBody::Yx => (q * Vec3::y()).x,
            OfBody::Yy => (q * Vec3::y()).y,
            OfBody::Yz => (q * Vec3::y()).z,
            OfBody::Zx => (q * Vec3::z()).x,
            OfBody::Zy => (q * Vec3::z()).y,
            OfBody::Zz => (q * Vec3::z()).z,
            OfBody::Kinetic => self.kinetic(id),
            OfBody::Asleep => self.world.is_asleep(id) as u8 as Real,
            OfBody::Contact => contact().norm(),
            OfBody::ContactX => contact().x,
            OfBody::ContactY => contact().y,
            OfBody::ContactZ => contact().z,
            OfBody::Depth => self.depth(|ids| ids.contains(&id)),
            OfBody::Mass => self.world.body(id).mass.mass,
        }
    }

    fn kinetic(&self, id: BodyId) -> Real {
        let (body, state) = (self.world.body(id), self.world.state(id));
        if !body.is_dynamic() {
            return 0.0;
        }
        let spin = state.placement.rotation.inverse_transform_vector(&state.angular());
        0.5 * body.mass.mass * state.linear().norm_squared() + 0.5 * spin.dot(&(body.mass.inertia * spin))
    }

    pub(super) fn depth(&self, ours: impl Fn(&[BodyId; 2]) -> bool) -> Real {
        self.world.contacts().iter().filter(|c| ours(&c.bodies)).map(|c| -c.distance).fold(0.0, Real::max)
    }

    fn joint(&self, which: usize, what: OfJoint) -> Real {
        let objects = &self.objects.joints[which];
        let constraint = self.world.constraint(objects.id);
        let wrench = || {
            let reaction = self.world.reaction(objects.id);
            let of = |body: Option<BodyId>| {
                let found = reaction.wrenches.iter().find(|(id, _)| Some(*id) == body);
                found.map(|(_, wrench)| *wrench)
            };
            // Load on B; if B is the world, the negated load on A.
            let (a, b) = constraint.joint().map_or((None, None), |joint| (joint.a, joint.b));
            of(b)
                .or_else(|| of(a).map(|w| -w))
                .or_else(|| reaction.wrenches.last().map(|(_, w)| *w))
                .unwrap_or_default()
        };
        let force = || Vec3::new(wrench()[0], wrench()[1], wrench()[2]);
        let torque = || Vec3::new(wrench()[3], wrench()[4], wrench()[5]);
        match what {
            OfJoint::Force => force().norm(),
            OfJoint::Fx => force().x,
            OfJoint::Fy => force().y,
            OfJoint::Fz => force().z,
            OfJoint::Torque => torque().norm(),
            OfJoint::Tx => torque().x,
            OfJoint::Ty => torque().y,
            OfJoint::Tz => torque().z,
            OfJoint::Gap => gap(self.world, objects.id),
            OfJoint::Value => self.coordinate(which).map_or(Real::NAN, |coordinate| coordinate.read(self.world)),
            OfJoint::Multiplier => {
                let values = self.world.reaction(objects.id).multipliers;
                values.iter().map(|x| x * x).sum::<Real>().sqrt()
            }
            OfJoint::On => (constraint.acts_at(self.world.time()) && !objects.removed) as u8 as Real,
            OfJoint::Length => match &constraint.kind {
                Kind::Distance(distance) => distance.read(self.world),
                _ => gap(self.world, objects.id),
            },
            OfJoint::Way => match &constraint.kind {
                Kind::OnCurve(on) => on.parameter().unwrap_or(Real::NAN),
                _ => Real::NAN,
            },
            OfJoint::OffAxis => constraint.joint().map_or(Real::NAN, |joint| {
                let turn =
                    |body: Option<BodyId>| body.map_or(Quat::identity(), |id| self.world.state(id).placement.rotation);
                let axis = if objects.entry.kind == super::schema::JointKind::Hinge { Vec3::z() } else { Vec3::x() };
                let (a, b) =
                    (turn(joint.a) * joint.frame_a.rotation * axis, turn(joint.b) * joint.frame_b.rotation * axis);
                real::atan2(a.cross(&b).norm(), a.dot(&b))
            }),
        }
    }

    /// Coordinate of a joint, or of the joint that a limit acts on.
    fn coordinate(&self, which: usize) -> Option<Coordinate> {
        use super::schema::JointKind;
        use crate::dynamics::Axis;
        let objects = &self.objects.joints[which];
        match &self.world.constraint(objects.id).kind {
            Kind::Limit(limit) => Some(limit.coordinate),
            Kind::LimitedSpring(spring) => Some(spring.stops.coordinate),
            Kind::PoweredAxis(axis) => Some(axis.stops.coordinate),
            Kind::Joint(joint) => match objects.entry.kind {
                JointKind::Hinge => Some(joint.rotation(Axis::Z)),
                JointKind::Slider | JointKind::Cylinder | JointKind::Line => Some(joint.slide(Axis::X)),
                _ => None,
            },
            _ => None,
        }
    }

    fn force(&self, which: usize, what: OfForce) -> Real {
        use crate::dynamics::Law;
        let objects = &self.objects.forces[which];
        match what {
            OfForce::On => match (&objects.pid, objects.ids.first()) {
                (Some(pid), _) => pid.on as u8 as Real,
                (None, Some(id)) => self.world.force(*id).acts_at(self.world.time()) as u8 as Real,
                (None, None) => 0.0,
            },
            OfForce::Output => objects.pid.as_ref().map_or(Real::NAN, |pid| pid.output),
            OfForce::Length => match objects.ids.first().map(|id| &self.world.force(*id).law) {
                Some(Law::Spring { a, b, .. } | Law::Rubber { a, b, .. }) => {
                    (self.world.place(a) - self.world.place(b)).norm()
                }
                _ => Real::NAN,
            },
        }
    }

    fn whole(&self, what: OfWorld) -> Real {
        let world = self.world;
        let kinetic = || world.bodies().map(|(id, _)| self.kinetic(id)).sum::<Real>();
        match what {
            OfWorld::Time => world.time(),
            OfWorld::Energy => world.energy(),
            OfWorld::Kinetic => kinetic(),
            OfWorld::Potential => world.energy() - kinetic(),
            OfWorld::Px => world.momentum().0.x,
            OfWorld::Py => world.momentum().0.y,
            OfWorld::Pz => world.momentum().0.z,
            OfWorld::Lx => world.momentum().1.x,
            OfWorld::Ly => world.momentum().1.y,
            OfWorld::Lz => world.momentum().1.z,
            OfWorld::Contacts => world.contacts().len() as Real,
            OfWorld::Depth => self.depth(|_| true),
            OfWorld::Awake => world.bodies().filter(|(id, b)| b.is_dynamic() && !world.is_asleep(*id)).count() as Real,
            OfWorld::Gap => self
                .objects
                .joints
                .iter()
                .filter(|j| !j.removed && world.constraint(j.id).acts_at(world.time()))
                .map(|j| gap(world, j.id))
                .fold(0.0, Real::max),
            OfWorld::WorstError => self.report.worst_error,
            OfWorld::Substeps => self.report.substeps as Real,
            OfWorld::Iterations => self.report.iterations as Real,
            OfWorld::Rollbacks => self.report.rollbacks as Real,
            OfWorld::Bodies => self.objects.bodies.iter().filter(|body| body.removed.is_none()).count() as Real,
        }
    }
}

/// Distance between the two points of a joint, metres; 0 for joints without points.
pub(crate) fn gap(world: &World, id: crate::dynamics::ConstraintId) -> Real {
    use crate::dynamics::Element;
    let Some(joint) = world.constraint(id).joint() else { return 0.0 };
    let end = |body: Option<BodyId>, frame: &Placement| body.map_or(*frame, |b| world.state(b).placement.then(frame));
    let (a, b) = (end(joint.a, &joint.frame_a), end(joint.b, &joint.frame_b));
    let apart = b.position - a.position;
    let mut square = 0.0;
    for drive in &joint.drives {
        let along = match drive.element {
            Element::Point(axis) => apart[axis.index()],
            Element::Linear(axis) => (a.rotation * axis.vector()).dot(&apart) - joint.target.position[axis.index()],
            _ => 0.0,
        };
        square += along * along;
    }
    square.sqrt()
}
