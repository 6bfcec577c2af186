//! Setup of a scene: settings of the world, and the initial objects.

use super::build::{Builder, add_body, add_figure, add_force, add_ground, add_joint, add_point};
use super::context::{Constants, Context};
use super::files::{Files, KeyPath};
use super::schema;
use super::unit::{ACCELERATION, ANY, LENGTH, NUMBER, TIME};
use crate::dynamics::{Method, Ode, SolverKind, StepControl, Stepper, Strict, TimeStepping, World};
use crate::formats::FormatError;
use crate::math::Real;
use crate::simulation::rest_like_limbs;

pub(crate) fn world(context: &Context<'_>, settings: &schema::World) -> Result<World, FormatError> {
    let mut world = World::new();
    if let Some(gravity) = &settings.gravity {
        world.gravity = context.vector("gravity", gravity, ACCELERATION)?;
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
                let error = context.fault(key, format!("{key:?} says nothing to the default stepper"));
                return Err(error.help("it belongs to stepper = \"euler\", \"midpoint\" or \"rk4\""));
            }
            let substeps = settings.substeps.unwrap_or(1);
            if !(1..=64).contains(&substeps) {
                return Err(context.fault("substeps", "expected 1 to 64 substeps"));
            }
            world.stepper =
                Stepper::TimeStepping(TimeStepping { substeps: substeps as usize, ..TimeStepping::default() });
        }
        Some(method) => {
            if settings.substeps.is_some() {
                let error = context.fault("substeps", "the acceleration-level steppers have no substeps");
                return Err(error.help("give a shorter \"step\", or a \"tolerance\""));
            }
            let mut ode = Ode::new(method);
            if let Some(tolerance) = context.fixed("tolerance", &settings.tolerance, ANY)? {
                ode.control = StepControl::adaptive(context.positive("tolerance", tolerance)?);
            }
            if let Some(tau) = context.fixed("stabilisation", &settings.stabilisation, TIME)? {
                ode.stabilisation = (context.not_negative("stabilisation", tau)? > 0.0).then_some(tau);
            }
            if let Some(share) = context.fixed("velocity_level", &settings.velocity_level, NUMBER)? {
                ode.velocity_level = Some(context.not_negative("velocity_level", share)?);
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
    if let Some(slop) = context.fixed("slop", &settings.slop, LENGTH)? {
        world.contact.slop = context.not_negative("slop", slop)?;
    }
    if let Some(on) = settings.sleeping {
        world.sleeping.enabled = on;
    }
    Ok(world)
}

/// Adds the initial objects.
pub(crate) fn populate(builder: &mut Builder<'_>, files: &Files, constants: &Constants) -> Result<(), FormatError> {
    let scene = &files.scene;
    check_count(files)?;
    let mut ground = None;
    if let Some(entry) = &scene.ground {
        let context = Context::new(files, constants, KeyPath::table("ground"), 0.0);
        add_ground(builder, &context, entry)?;
        ground = Some(context.or("height", &entry.height, LENGTH, 0.0)?);
    }
    // Figures come first, so that joints can attach objects to their hands.
    for (k, entry) in scene.figure.iter().enumerate() {
        add_figure(builder, &Context::new(files, constants, KeyPath::entry("figure", k), 0.0), entry, ground)?;
    }
    if !scene.figure.is_empty() {
        rest_like_limbs(&mut builder.run.world);
    }
    for (k, entry) in scene.body.iter().enumerate() {
        each(files, constants, "body", k, entry.repeat, 0.0, |context| {
            add_body(builder, context, entry, Real::NEG_INFINITY)
        })?;
    }
    for (k, entry) in scene.point.iter().enumerate() {
        each(files, constants, "point", k, entry.repeat, 0.0, |context| add_point(builder, context, entry))?;
    }
    for (k, entry) in scene.joint.iter().enumerate() {
        each(files, constants, "joint", k, entry.repeat, 0.0, |context| add_joint(builder, context, entry))?;
    }
    for (k, entry) in scene.force.iter().enumerate() {
        each(files, constants, "force", k, entry.repeat, 0.0, |context| add_force(builder, context, entry))?;
    }
    Ok(())
}

/// Maximum number of repetitions of an entry, and of objects that all entries and events of a scene make.
pub(crate) const MOST_REPETITIONS: u32 = 100_000;

/// Refuses a scene of too many objects before the first is made: repetitions within repeated events multiply.
fn check_count(files: &Files) -> Result<(), FormatError> {
    let scene = &files.scene;
    let times = |repeat: Option<u32>| u64::from(repeat.unwrap_or(1));
    let mut counts: Vec<(KeyPath, u64)> = Vec::new();
    let mut list = |name: &str, repeats: &mut dyn Iterator<Item = Option<u32>>| {
        counts.extend(repeats.enumerate().map(|(k, repeat)| (KeyPath::entry(name, k).key("repeat"), times(repeat))));
    };
    list("body", &mut scene.body.iter().map(|entry| entry.repeat));
    list("point", &mut scene.point.iter().map(|entry| entry.repeat));
    list("joint", &mut scene.joint.iter().map(|entry| entry.repeat));
    list("force", &mut scene.force.iter().map(|entry| entry.repeat));
    for (k, event) in scene.event.iter().enumerate() {
        let bodies = event.body.iter().map(|entry| entry.repeat);
        let inner = bodies.chain(event.joint.iter().map(|e| e.repeat)).chain(event.force.iter().map(|e| e.repeat));
        let made = inner.map(times).fold(1, u64::saturating_add).saturating_mul(times(event.repeat));
        counts.push((KeyPath::entry("event", k).key("repeat"), made));
    }
    let mut total = 0_u64;
    for (key_path, count) in counts {
        total = total.saturating_add(count);
        if total > u64::from(MOST_REPETITIONS) {
            let message = format!("the scene makes more than {MOST_REPETITIONS} objects");
            return Err(files.fault(&key_path, message).help("lower the number of repetitions"));
        }
    }
    Ok(())
}

fn each(
    files: &Files,
    constants: &Constants,
    list: &str,
    index: usize,
    repeat: Option<u32>,
    time: Real,
    mut add: impl FnMut(&Context<'_>) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let count = repeat.unwrap_or(1);
    let key_path = KeyPath::entry(list, index);
    if count > MOST_REPETITIONS {
        return Err(files.fault(&key_path.key("repeat"), format!("at most {MOST_REPETITIONS} repetitions are made")));
    }
    for k in 0..count {
        add(&Context::new(files, constants, key_path.clone(), time).repetition(k, count))?;
    }
    Ok(())
}
