//! Simulation: a world with actors, scheduled events, and the step that advances them.
//!
//! An [`Actor`] is a figure in a world with a muscle on every joint and an assistance on its root. A [`Run`] is a world with
//! [`Follower`]s (actors, each with the animation it follows), a ground and scheduled [`Event`]s; `sinew simulate`, `ragdoll`, `run`, `filter --simulate` and the viewer all drive it.
//!
//! ```
//! use sinew::control::Animation;
//! use sinew::dynamics::World;
//! use sinew::figure::{Figure, FigureOptions};
//! use sinew::formats;
//! use sinew::simulation::{Actor, ActorSettings};
//!
//! let capture = formats::read("data/clips/wave.bvh".as_ref(), &Default::default())?;
//! let figure = Figure::build(&capture.skeleton, &FigureOptions { clip: capture.clips.first(), ..Default::default() })?;
//! let animation = Animation::new(&capture.skeleton, &capture.clips[0])?;
//! let mut world = World::new();
//! let mut actor = Actor::place(&mut world, &figure, &animation.sample(0.0), &ActorSettings::default())?;
//! let (mut wanted, step) = (animation.buffer(), 1.0 / 240.0);
//! for _ in 0..24 {
//!     animation.sample_into(world.time() + step, &mut wanted);
//!     actor.aim(&mut world, &wanted, step)?;
//!     world.step(step)?;
//! }
//! assert!(actor.control_error(&world) < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod actor;
mod assist;
mod event;
mod fall;
mod feed_forward;
mod follower;
mod ground;
mod prop;
mod recorder;
mod run;
mod start;
mod tally;
mod target_dynamics;

pub use actor::{Actor, ActorSettings, RagDoll};
pub use event::{Event, EventKind};
pub use fall::FallMonitor;
pub use follower::{Follower, FollowingMarker};
pub use prop::{Grip, Prop, PropInstance};
pub use recorder::Recorder;
pub(crate) use run::rest_like_limbs;
pub use run::{Run, RunError, RunSettings, clip_of};
pub use start::LimitedVelocity;
pub(crate) use tally::lift;
pub use tally::{Tally, Verdict};
