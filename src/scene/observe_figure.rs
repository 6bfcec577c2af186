//! Values of readings of figures and their muscles.

use super::observe::{Observer, gap};
use super::reading::{OfFigure, OfMuscle};
use crate::control::read_joint;
use crate::math::{GRAVITY, Real, Vec3};
use crate::simulation::{Follower, FollowingMarker};

impl Observer<'_> {
    pub(super) fn figure(&self, which: usize, what: OfFigure) -> Real {
        let follower = &self.followers[which];
        let actor = &follower.actor;
        let (figure, instance) = (actor.figure(), actor.instance());
        let centre = || instance.centre_of_mass(figure, self.world);
        match what {
            OfFigure::X => centre().x,
            OfFigure::Y => centre().y,
            OfFigure::Z => centre().z,
            OfFigure::Speed => {
                let sum: Vec3 = figure
                    .segments()
                    .iter()
                    .zip(&instance.bodies)
                    .map(|(segment, &id)| self.world.state(id).linear() * segment.mass.mass)
                    .sum();
                sum.norm() / figure.mass()
            }
            OfFigure::Mass => figure.mass(),
            OfFigure::Tracking => root_mean_square(self.strays(follower)),
            OfFigure::FreeTracking => {
                // A touching segment is held off its target, and with it every joint that carries it.
                let mut touched: Vec<bool> =
                    instance.bodies.iter().map(|id| self.world.contact_load(*id).0 != Vec3::zeros()).collect();
                for k in (0..touched.len()).rev() {
                    if let Some(parent) = figure.segment(k).parent.filter(|_| touched[k]) {
                        touched[parent] = true;
                    }
                }
                let free = (0..touched.len()).filter(|&k| !touched[k]);
                root_mean_square(free.filter_map(|k| self.stray(follower, k)))
            }
            OfFigure::Error => self.strays(follower).fold(0.0, Real::max),
            OfFigure::Gap => instance.joints.iter().flatten().map(|id| gap(self.world, *id)).fold(0.0, Real::max),
            OfFigure::Depth => self.depth(|ids| ids.iter().any(|id| instance.bodies.contains(id))),
            OfFigure::Residual => {
                let wrench = actor.residual(self.world);
                Vec3::new(wrench[0], wrench[1], wrench[2]).norm() / (figure.mass() * GRAVITY)
            }
            OfFigure::Torque => {
                let torques =
                    (0..figure.segments().len()).filter_map(|k| actor.muscle(k)).map(|m| m.torque(self.world).norm());
                torques.fold(0.0, Real::max)
            }
            OfFigure::Fallen => (actor.activation() == 0.0) as u8 as Real,
            OfFigure::Asleep => instance.bodies.iter().all(|id| self.world.is_asleep(*id)) as u8 as Real,
            OfFigure::LimitExcess => {
                let excess = figure.segments().iter().zip(&instance.joints).filter_map(|(segment, joint)| {
                    let reading = read_joint(self.world, (*joint)?)?;
                    Some(segment.attachment.limits.excess(&reading.rotation))
                });
                excess.fold(0.0, Real::max)
            }
            OfFigure::MarkerError => {
                let wanted = actor.wanted();
                let off = follower.markers.iter().map(|FollowingMarker { segment, point, controller }| {
                    let frame = &wanted[*segment];
                    (controller.position(self.world) - frame.position - frame.rotation * point).norm()
                });
                off.fold(0.0, Real::max)
            }
            OfFigure::Activation => actor.activation(),
            OfFigure::Load => {
                let loads = (0..figure.segments().len()).filter_map(|k| {
                    let muscle = actor.muscle(k)?;
                    Some(muscle.torque(self.world).amax() / muscle.limit())
                });
                loads.fold(0.0, Real::max)
            }
            OfFigure::Acceleration => follower.wanted_acceleration(),
            OfFigure::PeakAcceleration => self.objects.figures[which].peak_acceleration,
        }
    }

    pub(super) fn muscle(&self, which: usize, segment: usize, what: OfMuscle) -> Real {
        let follower = &self.followers[which];
        let Some(muscle) = follower.actor.muscle(segment) else { return 0.0 };
        match what {
            OfMuscle::Error => self.stray(follower, segment).unwrap_or(0.0),
            OfMuscle::Effort => muscle.torque(self.world).norm(),
            OfMuscle::Stiffness => muscle.spring().0,
        }
    }

    /// Angles between joints and their targets, radians: of the joints with muscles, or of all if markers lead the figure.
    fn strays(&self, follower: &Follower) -> impl Iterator<Item = Real> {
        (0..follower.actor.figure().segments().len()).filter_map(move |segment| self.stray(follower, segment))
    }

    fn stray(&self, follower: &Follower, segment: usize) -> Option<Real> {
        let actor = &follower.actor;
        let muscle = actor.muscle(segment)?;
        if follower.markers.is_empty() {
            return (muscle.strength() > 0.5).then(|| actor.error(self.world, segment));
        }
        // Muscles have no targets under markers: the joint is compared with the clip.
        let parent = actor.figure().segment(segment).parent?;
        let turn = |k: usize| self.world.state(actor.instance().bodies[k]).placement.rotation;
        let wanted = actor.wanted();
        let (is, should) =
            (turn(parent).inverse() * turn(segment), wanted[parent].rotation.inverse() * wanted[segment].rotation);
        Some(is.angle_to(&should))
    }
}

/// Root mean square; 0 without values.
fn root_mean_square(values: impl Iterator<Item = Real>) -> Real {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value * value, count + 1));
    if count == 0 { 0.0 } else { (sum / Real::from(count)).sqrt() }
}
