//! Log of the window, one JSON object per line, for bug reports and for tests that drive it from outside.

use crate::files::{FaultKind, FormatError};
use crate::math::Vec3;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::path::Path;

pub(super) struct Log(Option<File>);

impl Log {
    /// Creates the log file; without a path nothing is logged.
    pub fn create(path: Option<&Path>) -> Result<Self, FormatError> {
        let Some(path) = path else { return Ok(Log(None)) };
        let refused = |error: std::io::Error| {
            FormatError::new(format!("cannot be written: {error}")).of_kind(FaultKind::Access).in_file(path)
        };
        File::create(path).map(|file| Log(Some(file))).map_err(refused)
    }

    pub fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// Writes a line immediately. A full disk ends the log, not the window.
    pub fn add(&mut self, event: &Value) {
        if let Some(file) = &mut self.0
            && writeln!(file, "{event}").is_err()
        {
            self.0 = None;
        }
    }
}

pub(super) fn vector(v: &Vec3) -> Value {
    json!([v.x, v.y, v.z])
}
