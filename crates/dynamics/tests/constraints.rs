//! The kinds of constraints against closed forms, through the public interface, with the default stepper.

mod constraints {
    pub mod decay;
    pub mod limits;
    pub mod lines;
    pub mod pendulums;
    pub mod scenes;
    pub mod terms;
    pub mod wheels;
}
