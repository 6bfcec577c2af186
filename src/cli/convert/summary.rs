//! Summary of `sinew convert`, as text or as the object of `--json`.

use crate::cli::output::{Facts, Paint, count, size, some_of};
use crate::cli::summary::{ClipSummary, GuessSummary, WarningSummary, warning_lines};
use serde::Serialize;

/// Summary of a conversion; its fields are the keys of `--json`.
#[derive(Serialize)]
pub struct ConvertSummary {
    pub input: String,
    pub output: String,
    /// Format of the input.
    pub format: String,
    pub joints: usize,
    /// The clips as written.
    pub clips: Vec<ClipSummary>,
    /// Names of clips that the output format has no room for.
    pub left_out: Vec<String>,
    /// Names of clips that the character of `--into` has already, exactly so; they were not added again.
    pub already_there: Vec<String>,
    /// Unit and up axis of the input.
    pub unit: String,
    pub up: String,
    /// Descriptions of the changes, in the order in which they were made.
    pub changes: Vec<String>,
    pub bytes: u64,
    pub guesses: Vec<GuessSummary>,
    pub warnings: Vec<WarningSummary>,
}

impl ConvertSummary {
    /// Text of the summary: one line about the output, then guesses and warnings about the input.
    pub fn text(&self, paint: Paint) -> String {
        let mut facts = Vec::new();
        match self.clips.as_slice() {
            [] => facts.push("no clip, the skeleton alone".to_owned()),
            [clip] => facts.push(format!("clip {:?}, {}", clip.name, clip.to_text())),
            clips => facts.push(count(clips.len(), "clip")),
        }
        facts.push(count(self.joints, "joint"));
        facts.extend(self.changes.iter().cloned());
        facts.push(size(self.bytes));
        let mut details = Facts::default();
        for guess in &self.guesses {
            details.add(guess.what, format!("{}{}", guess.chosen, paint.faint(&format!(", {}", guess.to_text()))));
        }
        if !self.left_out.is_empty() {
            let (n, names) = (count(self.left_out.len(), "clip"), some_of(&self.left_out));
            details.add("left out", format!("{n}, a BVH file holds one (--clip chooses): {names}"));
        }
        for warning in warning_lines(&self.warnings) {
            details.add("warning", warning);
        }
        format!("{} → {}: {}\n{}", self.input, paint.title(&self.output), facts.join(", "), details.print(paint))
    }
}
