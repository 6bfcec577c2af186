//! Makes the built-in data.

pub mod body;
pub mod cast;
pub mod clip;
pub mod curve;
pub mod fall;
pub mod foot;
pub mod gait;
pub mod ik;
pub mod jump;
pub mod mass;
pub mod posture;
pub mod random;
pub mod run;
pub mod standing;
pub mod turn;
pub mod walk;
