//! Scenes as text files: bodies, joints, forces, figures, events and expectations.
//!
//! A scene file is TOML; [`Scene`] mirrors it table by table, and a scene that is written and read again is equal to the
//! last bit. [`Files`] reads a scene with its includes and knows the position of every entry, so that every error points at
//! its line and column. [`SceneRun`] builds the scene in a [`crate::dynamics::World`], steps it, and judges its `[expect]`
//! table. [`json_schema`] is derived from the same types. `docs/scenes.md` is the guide.
//!
//! ```
//! use sinew::scene::{Files, SceneRun};
//!
//! let text = r#"
//! title = "A ball is let go"
//! [[body]]
//! name = "ball"
//! mass = 1
//! shape = { kind = "sphere", radius = "5 cm" }
//! at = [0, 10, 0]
//! [world]
//! duration = 1
//! [expect.it_falls]
//! value = "ball.vy"
//! is = "-g"
//! within = "0.1 %"
//! "#;
//! let mut run = SceneRun::new(Files::read(text, "ball.toml".as_ref(), None)?, None)?;
//! run.finish(|_| ())?;
//! assert!(run.holds());
//! # Ok::<(), sinew::scene::SceneError>(())
//! ```

mod build;
mod context;
mod curve;
mod edit;
mod expect;
mod export;
mod expression;
mod files;
pub mod gallery;
mod number;
mod objects;
mod observe;
mod observe_figure;
mod reading;
mod run;
pub mod schema;
mod setup;
mod timeline;
mod unit;
mod wav;

pub use expect::{Outcome, Verdict};
pub(crate) use export::PALETTE;
pub use files::Files;
pub use number::{Number, OneOrMany, Triple};
pub(crate) use objects::Visual;
pub use run::{SceneError, SceneRun};
pub use schema::Scene;
pub use wav::Sound;

/// Result of an expectation as a JSON object: name, formula, observed and expected value, outcome.
pub fn verdict_json(verdict: &Verdict) -> serde_json::Value {
    export::verdict_json(verdict)
}

/// JSON Schema of scene files, for editors.
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(Scene).to_value()
}
