//! What a scene is before its first step: the world's settings, and everything that is there from the start.

use super::build::{Site, add_body, add_figure, add_force, add_ground, add_joint, add_point};
use super::desk::{Constants, Desk};
use super::files::{Files, Trail};
use super::schema;
use super::unit::{ACCELERATION, ANY, LENGTH, NUMBER, TIME};
use crate::dynamics::{Method, Ode, SolverKind, StepControl, Stepper, Strict, TimeStepping, World};
use crate::formats::FormatError;
use crate::math::Real;

pub(crate) fn world(desk: &Desk<'_>, settings: &schema::World) -> Result<World, FormatError> {
    let mut world = World::new();
    if let Some(gravity) = &settings.gravity {
        world.gravity = desk.vector("gravity", gravity, ACCELERATION)?;
    }
    let method = match settings.stepper.unwrap_or_default() {
        schema::Stepper::Default => None,
        schema::Stepper::Euler => Some(Method::Euler),
        schema::Stepper::Midpoint => Some(Method::Midpoint),
        schema::Stepper::Rk4 => Some(Method::RungeKutta4),
    };
    match method {
        None => {
            let own = [
                ("tolerance", settings.tolerance.is_some()),
                ("stabilisation", settings.stabilisation.is_some()),
                ("velocity_level", settings.velocity_level.is_some()),
                ("strict_contact", settings.strict_contact.is_some()),
            ];
            if let Some((key, _)) = own.iter().find(|(_, told)| *told) {
                let error = desk.fault(key, format!("{key:?} says nothing to the default stepper"));
                return Err(error.help("it belongs to stepper = \"euler\", \"midpoint\" or \"rk4\""));
            }
            let substeps = settings.substeps.unwrap_or(1);
            if !(1..=64).contains(&substeps) {
                return Err(desk.fault("substeps", "expected 1 to 64 substeps"));
            }
            world.stepper =
                Stepper::TimeStepping(TimeStepping { substeps: substeps as usize, ..TimeStepping::default() });
        }
        Some(method) => {
            if settings.substeps.is_some() {
                let error = desk.fault("substeps", "the acceleration-level steppers have no substeps");
                return Err(error.help("give a shorter \"step\", or a \"tolerance\""));
            }
            let mut ode = Ode::new(method);
            if let Some(tolerance) = desk.fixed("tolerance", &settings.tolerance, ANY)? {
                ode.control = StepControl::adaptive(desk.positive("tolerance", tolerance)?);
            }
            if let Some(tau) = desk.fixed("stabilisation", &settings.stabilisation, TIME)? {
                ode.stabilisation = (desk.not_negative("stabilisation", tau)? > 0.0).then_some(tau);
            }
            if let Some(share) = desk.fixed("velocity_level", &settings.velocity_level, NUMBER)? {
                ode.velocity_level = Some(desk.not_negative("velocity_level", share)?);
            }
            if settings.strict_contact == Some(true) {
                ode.strict = Some(Strict::default());
            }
            world.stepper = Stepper::Ode(ode);
        }
    }
    world.set_solver(match settings.solver.unwrap_or_default() {
        schema::Solver::Tree => SolverKind::Tree,
        schema::Solver::Dense => SolverKind::Dense,
        schema::Solver::Iterative => SolverKind::Iterative { max_sweeps: 1000, tolerance: 1e-9 },
    });
    if let Some(slop) = desk.fixed("slop", &settings.slop, LENGTH)? {
        world.contact.slop = desk.not_negative("slop", slop)?;
    }
    if let Some(on) = settings.sleeping {
        world.sleeping.enabled = on;
    }
    Ok(world)
}

/// Adds everything that is there from the start.
pub(crate) fn populate(site: &mut Site<'_>, files: &Files, constants: &Constants) -> Result<(), FormatError> {
    let scene = &files.scene;
    let mut ground = None;
    if let Some(entry) = &scene.ground {
        let desk = Desk::new(files, constants, Trail::table("ground"), 0.0);
        add_ground(site, &desk, entry)?;
        ground = Some(desk.or("height", &entry.height, LENGTH, 0.0)?);
    }
    // Figures first, so that anything can be put into their hands.
    for (k, entry) in scene.figure.iter().enumerate() {
        add_figure(site, &Desk::new(files, constants, Trail::entry("figure", k), 0.0), entry, ground)?;
    }
    if !scene.figure.is_empty() {
        // A heap of light limbs creeps a little for a long time, which nobody sees.
        (site.world.sleeping.speed, site.world.sleeping.spin) = (0.03, 0.25);
        site.world.contact.tolerance = 1e-4;
    }
    for (k, entry) in scene.body.iter().enumerate() {
        each(files, constants, "body", k, entry.repeat, 0.0, |desk| add_body(site, desk, entry, Real::NEG_INFINITY))?;
    }
    for (k, entry) in scene.point.iter().enumerate() {
        each(files, constants, "point", k, entry.repeat, 0.0, |desk| add_point(site, desk, entry))?;
    }
    for (k, entry) in scene.joint.iter().enumerate() {
        each(files, constants, "joint", k, entry.repeat, 0.0, |desk| add_joint(site, desk, entry))?;
    }
    for (k, entry) in scene.force.iter().enumerate() {
        each(files, constants, "force", k, entry.repeat, 0.0, |desk| add_force(site, desk, entry))?;
    }
    Ok(())
}

/// Entries are repeated at most so often.
pub(crate) const MOST_REPETITIONS: u32 = 100_000;

fn each(
    files: &Files,
    constants: &Constants,
    list: &str,
    index: usize,
    repeat: Option<u32>,
    time: Real,
    mut add: impl FnMut(&Desk<'_>) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let count = repeat.unwrap_or(1);
    let trail = Trail::entry(list, index);
    if count > MOST_REPETITIONS {
        return Err(files.fault(&trail.key("repeat"), format!("at most {MOST_REPETITIONS} repetitions are made")));
    }
    for k in 0..count {
        add(&Desk::new(files, constants, trail.clone(), time).repetition(k, count))?;
    }
    Ok(())
}
