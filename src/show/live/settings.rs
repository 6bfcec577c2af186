//! Settings that can be changed while a world runs: friction, substeps, wind. Settings left alone keep the scene's values.

use crate::dynamics::{Air, BodyId, DynamicsError, Force, ForceId, Law, Sail, Stepper, World};
use crate::math::{Real, Vec3};

/// Density of air, kg/m³.
const DENSITY: Real = 1.2;
/// Drag coefficient of limbs and boxes across the wind.
const DRAG: Real = 1.0;

#[derive(Clone, Debug, Default)]
pub(crate) struct LiveSettings {
    /// Coulomb's µ of all surfaces, once it was set.
    pub friction: Option<Real>,
    pub substeps: u32,
    /// Velocity of the wind, m/s.
    pub wind: Vec3,
    /// The force of the wind on each body.
    sails: Vec<(BodyId, ForceId)>,
}

impl LiveSettings {
    pub fn of(world: &World) -> Self {
        let substeps = match &world.stepper {
            Stepper::TimeStepping(stepper) => stepper.substeps as u32,
            _ => 1,
        };
        Self { substeps, ..Self::default() }
    }

    pub fn set_friction(&mut self, world: &mut World, friction: Real) {
        let friction = if friction.is_finite() { friction.max(0.0) } else { 0.0 };
        self.friction = Some(friction);
        world.set_friction(friction);
    }

    pub fn set_substeps(&mut self, world: &mut World, substeps: u32) -> Result<(), String> {
        match &mut world.stepper {
            Stepper::TimeStepping(stepper) => {
                self.substeps = substeps.clamp(1, 64);
                stepper.substeps = self.substeps as usize;
                Ok(())
            }
            _ => Err("the stepper of this scene has no substeps".to_owned()),
        }
    }

    pub fn set_wind(&mut self, world: &mut World, wind: Vec3) -> Result<(), DynamicsError> {
        self.wind = wind.map(|x| if x.is_finite() { x } else { 0.0 });
        for (body, force) in std::mem::take(&mut self.sails) {
            // The new sail takes the place of the old one; calm air is no force at all.
            let law = Law::Wind(sail(world, body, self.wind));
            let known = world.force_mut(force);
            (known.law, known.enabled) = (law, self.wind != Vec3::zeros());
            self.sails.push((body, force));
        }
        let bodies: Vec<BodyId> = world.bodies().filter(|(_, body)| body.is_dynamic()).map(|(id, _)| id).collect();
        bodies.into_iter().try_for_each(|body| self.blow_at(world, body))
    }

    /// Lets the wind blow at a body that it does not blow at yet.
    pub fn blow_at(&mut self, world: &mut World, body: BodyId) -> Result<(), DynamicsError> {
        if self.wind != Vec3::zeros() && !self.sails.iter().any(|(known, _)| *known == body) {
            let law = Law::Wind(sail(world, body, self.wind));
            let force = world.add_force(Force::new(law).named("wind"))?;
            self.sails.push((body, force));
        }
        Ok(())
    }
}

fn sail(world: &World, body: BodyId, wind: Vec3) -> Sail {
    let shapes = world.colliders().filter(|(_, on, _)| *on == body).map(|(_, _, c)| (&c.shape, c.placement));
    Sail::new(body, shapes, DENSITY, DRAG, Air::uniform(wind))
}
