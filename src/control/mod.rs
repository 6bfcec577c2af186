//! Controllers: what makes a figure follow captured motion.
//!
//! *Raw controllers* act on one thing: [`AngleController`] on a joint, [`RootController`] on the root, [`MarkerController`]
//! on a point. They share their parameters: [`Gains`] (frequency and damping, scaled by the inertia they move), a limit, a
//! target with its velocity. [`Backend`] selects how an angle controller makes its torque.
//! *Task controllers* set targets: [`Animation`] plays clips, [`Trip`] decides when a figure stops following.
//! [`Actor`](crate::simulation::Actor) puts all of them on a figure.

mod angle;
mod animation;
mod gains;
mod inertia;
mod marker;
mod root;
mod sensor;
mod terrain;
mod torque;
mod trip;

pub use angle::{AngleController, Backend, RotationAxes};
pub use animation::Animation;
pub use gains::Gains;
pub use inertia::carried_inertia;
pub(crate) use inertia::{carried_mass, holder};
pub use marker::MarkerController;
pub use root::{RootAxis, RootController};
pub use sensor::{JointReading, push_joint, read_joint};
pub use terrain::{Terrain, depth_below, ground_height, held_ground_height};
pub use torque::joint_strengths;
pub use trip::{Phase, Trip};
