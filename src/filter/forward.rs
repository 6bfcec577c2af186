//! Forward simulation of a physical clip: a figure in a world with real contacts follows it. The torques of the filter are
//! fed forward, springs correct deviations, and the root gets bounded assistance.
//!
//! The bound holds for the whole assistance vector, not only for each axis, and the assistance is recorded. Springs are
//! limited axis by axis: each step shares the bound out anew, to those axes that reached their limit. Without assistance
//! there is no balance control; the time until balance is lost measures the quality of the clip.

use crate::control::{Animation, Backend, Gains, RootAxis, Terrain};

use crate::dynamics::Material;
use crate::figure::Figure;
use crate::math::{GRAVITY, Real, Vec3};
use crate::motion::{Clip, ClipError};
use crate::record::Recording;
use crate::simulation::{ActorSettings, Run, RunError, RunSettings, clip_of};

/// Plays a clip in a simulated world.
#[derive(Clone, Copy, Debug)]
pub struct Forward<'a> {
    /// Body of the character.
    pub figure: &'a Figure,
    /// Physical motion on the figure's skeleton.
    pub clip: &'a Clip,
    /// Torques by frame and segment, each that of the segment's joint, N·m, world axes (see [`Solved::torques`](super::Solved)).
    pub torques: &'a [Vec<Vec3>],
    /// Assistance, gains and ground.
    pub options: ForwardOptions,
}

/// Options of a forward simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForwardOptions {
    /// Bound of the assistance at the root, as a share of the body weight (of weight times height for torques); 0 for none.
    pub assistance: Real,
    /// Gains of the root within that bound.
    pub root: Gains,
    /// Gains of the joints.
    pub joints: Gains,
    /// Coulomb's µ of the ground.
    pub friction: Real,
    /// Height of the ground where the figure starts, metres.
    pub ground: Real,
    /// Shape of the ground.
    pub terrain: Terrain,
    /// Least number of steps per second.
    pub rate: Real,
}

impl Default for ForwardOptions {
    fn default() -> Self {
        Self {
            assistance: 0.05,
            root: Gains::critical(2.0),
            joints: Gains::critical(30.0),
            friction: 0.8,
            ground: 0.0,
            terrain: Terrain::Flat,
            rate: 960.0,
        }
    }
}

/// Result of a forward simulation.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// Simulated motion.
    pub clip: Clip,
    /// Recording of the run, forces included.
    pub recording: Recording,
    /// Mean assistance at the root over all steps until balance was lost: force over weight, torque over weight and height.
    pub assistance_mean: [Real; 2],
    /// Largest assistance at the root until balance was lost, in the same units.
    pub assistance_max: [Real; 2],
    /// Time at which the root had left its path, seconds; none where it followed to the end.
    pub lost: Option<Real>,
}

/// Errors of a forward simulation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ForwardError {
    /// Torques and clip differ in length.
    #[error("torques are given for {found} frames, the clip has {expected}")]
    Torques {
        /// Number of frames of the torques.
        found: usize,
        /// Number of frames of the clip.
        expected: usize,
    },
    /// An option is out of range.
    #[error("{what} must be {expected}, not {value}")]
    Option {
        /// Name of the option.
        what: &'static str,
        /// Range of values that it may have.
        expected: &'static str,
        /// Value that was given.
        value: Real,
    },
    /// The simulation failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A clip cannot be made or sampled.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Distance of the root from its path beyond which balance is lost, metres for a figure of 1.75 m.
const OFF: Real = 0.25;

impl Forward<'_> {
    /// Simulates the whole clip. `progress` gets the share done, 0 to 1, and returns false to stop; the part simulated by
    /// then is returned.
    pub fn run(&self, progress: &mut dyn FnMut(Real) -> bool) -> Result<Simulated, ForwardError> {
        self.check()?;
        let (figure, clip, options) = (self.figure, self.clip, &self.options);
        let animation = Animation::new(figure.skeleton(), clip)?;
        let weight = figure.mass() * GRAVITY;
        let share = [1.0, figure.height].map(|arm| weight * arm);
        let bounds = share.map(|share| options.assistance * share);
        let axis = RootAxis { gains: options.root, on: bounds[0] > 0.0, ..RootAxis::default() };
        let actor = ActorSettings {
            gains: options.joints,
            backend: Backend::Row,
            root: [axis; 6],
            assist: Some(bounds),
            ..ActorSettings::default()
        };
        let settings = RunSettings {
            actor,
            terrain: options.terrain,
            ground: options.ground,
            material: Material { friction: options.friction, ..Material::default() },
            rate: options.rate,
            settle: false,
            ..RunSettings::default()
        };
        let mut run = Run::new(figure, animation.clone(), settings)?;
        run.start_recording(clip.name.clone());
        run.followers[0].plan_torques(self.torques);
        let (mut sums, mut most, mut steps, mut lost) = ([0.0; 2], [0.0_f64; 2], 0, None);
        let near = figure.scaled_length(OFF);
        for frame in 1..clip.frames() {
            run.step_frame(|run| {
                let help = run.followers[0].actor.residual(&run.world);
                if lost.is_none() {
                    let parts = [help.fixed_rows::<3>(0).norm() / share[0], help.fixed_rows::<3>(3).norm() / share[1]];
                    for k in 0..2 {
                        sums[k] += parts[k];
                        most[k] = most[k].max(parts[k]);
                    }
                    steps += 1;
                }
            })?;
            let actor = &run.followers[0].actor;
            let root = figure.segment(0).joint_frame(&run.world.state(actor.instance().bodies[0]).placement);
            let off = (root.position - actor.wanted()[0].position).norm();
            if lost.is_none() && (off >= near || off.is_nan()) {
                lost = Some((frame * run.steps_per_frame()) as Real * run.step_length());
            }
            if !progress(frame as Real / (clip.frames() - 1) as Real) {
                break;
            }
        }
        let mean = |sum: Real| sum / steps.max(1) as Real;
        let recording = run.finish_recording();
        Ok(Simulated {
            clip: clip_of(&recording, figure, &animation)?,
            recording,
            assistance_mean: sums.map(mean),
            assistance_max: most,
            lost,
        })
    }

    fn check(&self) -> Result<(), ForwardError> {
        let (found, expected) = (self.torques.len(), self.clip.frames());
        if found != expected || self.torques.iter().any(|row| row.len() != self.figure.segments().len()) {
            return Err(ForwardError::Torques { found, expected });
        }
        if expected == 0 {
            return Err(ClipError::NoFrames.into());
        }
        let refuse = |what, expected, value| Err(ForwardError::Option { what, expected, value });
        let ForwardOptions { assistance, friction, rate, ground, .. } = self.options;
        match () {
            () if !(assistance.is_finite() && assistance >= 0.0) => {
                refuse("the help at the root", "zero or more", assistance)
            }
            () if !(friction.is_finite() && friction >= 0.0) => refuse("friction", "zero or more", friction),
            () if !(rate.is_finite() && rate > 0.0) => refuse("the rate", "a positive number", rate),
            () if !ground.is_finite() => refuse("the ground", "a number", ground),
            () => Ok(()),
        }
    }
}
