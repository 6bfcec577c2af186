//! Acceptance scenes of the rigid-body core: each test states a law with a closed form (or a converged number) and holds
//! the steppers to it through the public interface alone.
//!
//! Scenes are built in `scenes`, checked in one file per subject. The sources of numbers: closed forms are given in place;
//! converged numbers come from independent integrations of the same equations at higher accuracy.

mod assembly;
mod chains;
mod drives;
mod extremes;
mod flight;
mod forces;

mod limits;
mod linkages;
mod loops;
mod pendulums;
mod precision;
mod prescribed_joints;
mod refusals;
pub mod scenes;
mod singular;
