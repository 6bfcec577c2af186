//! Summary of `sinew convert`, as text or as the object of `--json`.

use crate::cli::lead::Lead;
use crate::cli::output::{Facts, count, size, some_of};
use crate::cli::summary::{ClipSummary, GuessSummary, WarningSummary};
use serde::Serialize;
use sinew::formats::ImportReport;
use sinew::measure::{Grade, Judgement};

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
    /// The first lines: whole or not, and why not.
    pub fn lead<'a>(&self, import: &'a ImportReport) -> Lead<'a> {
        let mut judgement = Judgement::good("everything in it was converted");
        if !self.left_out.is_empty() {
            let (n, names) = (count(self.left_out.len(), "clip"), some_of(&self.left_out));
            let reason = format!("{n} were left out, a BVH file holds one (--clip chooses): {names}");
            judgement.statement = "the motion was converted".to_owned();
            judgement.add(Grade::Usable, reason.replacen("1 clip were", "1 clip was", 1));
        }
        for clip in self.clips.iter().filter(|clip| clip.frames == 1) {
            judgement.add(Grade::Usable, format!("clip {:?} is one frame, a pose without motion", clip.name));
        }
        Lead { subject: format!("{} → {}", self.input, self.output), judgement, import: Some(import) }
    }

    /// The content of the output, and what was changed.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        let content = match self.clips.as_slice() {
            [] => "no clip, the skeleton alone".to_owned(),
            [clip] => format!("clip {:?}, {}", clip.name, clip.to_text()),
            clips => count(clips.len(), "clip"),
        };
        facts.add("written", format!("{content}, {}, {}", count(self.joints, "joint"), size(self.bytes)));
        if !self.changes.is_empty() {
            facts.add("changed", self.changes.join(", "));
        }
        facts
    }
}
