//! Muscle and brain: what makes a figure follow captured motion, and what it does when it cannot.
//!
//! *Raw controllers* act on one thing: [`AngleController`] on a joint, [`RootController`] on the root, [`MarkerController`]
//! on a point. They share their parameters: [`Gains`] (frequency and damping, scaled by the inertia they move), a limit, a
//! target with its velocity. [`Backend`] says how an angle controller makes its torque.
//! *Task controllers* set targets: [`Animation`] plays clips, [`RagDoll`] lets go, [`Trip`] decides between them.
//! A [`Puppet`] is a figure with all of its raw controllers; a [`Stage`] is a world with a puppet, a ground, and things that
//! happen to it, which is all that `sinew simulate` runs.
//!
//! ```
//! use sinew::control::{Animation, Puppet, PuppetSettings};
//! use sinew::dynamics::World;
//! use sinew::figure::{Figure, FigureOptions};
//! use sinew::formats;
//!
//! let capture = formats::read("data/clips/wave.bvh".as_ref(), &Default::default())?;
//! let figure = Figure::build(&capture.skeleton, &FigureOptions { clip: capture.clips.first(), ..Default::default() })?;
//! let animation = Animation::new(&capture.skeleton, &capture.clips[0])?;
//! let mut world = World::new();
//! let mut puppet = Puppet::place(&mut world, &figure, &animation.sample(0.0), &PuppetSettings::default())?;
//! let (mut wanted, step) = (animation.buffer(), 1.0 / 240.0);
//! for _ in 0..24 {
//!     animation.sample_into(world.time() + step, &mut wanted);
//!     puppet.aim(&mut world, &wanted, step)?;
//!     world.step(step)?;
//! }
//! assert!(puppet.control_error(&world) < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ahead;
mod angle;
mod animation;
mod foresight;
mod gains;
mod inertia;
mod marker;
mod prop;
mod puppet;
mod root;
mod sensor;
mod stage;
mod start;
mod terrain;
mod torque;
mod trip;

pub use angle::{AngleController, Backend, Turns};
pub use animation::Animation;
pub use gains::Gains;
pub use inertia::carried_inertia;
pub use marker::MarkerController;
pub use prop::{Grip, Prop, PropInstance};
pub use puppet::{Puppet, PuppetSettings, RagDoll};
pub use root::{RootAxis, RootController};
pub use sensor::{JointReading, push_joint, read_joint};
pub use stage::{Event, Happening, Stage, StageError, StageSettings};
pub use start::Calmed;
pub use terrain::{Terrain, depth_below, ground_height, held_ground_height};
pub use torque::joint_strengths;
pub use trip::{Phase, Trip};
