//! The kinds of constraints against closed forms, through the public interface, with the default stepper.

mod decay;
mod limits;
mod lines;
mod pendulums;
mod scenes;
mod terms;
mod wheels;
