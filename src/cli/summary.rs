//! Summary of a capture, printed by [`info`](super::info) and serialised for `--json`.

use super::output::{count, number};
use serde::Serialize;
use sinew::figure::{CaptureOptions, Figure, for_capture};
use sinew::formats::{Capture, Guess, Warning};
use sinew::motion::Clip;
use std::collections::HashMap;
use std::path::Path;

/// The facts of one file. Lengths are metres, times seconds, whatever the file used.
#[derive(Serialize)]
pub struct Summary {
    pub file: String,
    pub format: String,
    /// Number of joints; `skeleton` lists them.
    pub joints: usize,
    /// Frames of the first clip, 0 when the file holds a skeleton alone.
    pub frames: usize,
    /// Rate of the first clip.
    pub rate_hz: Option<f64>,
    /// Duration from the first to the last frame of the first clip, seconds.
    pub duration_s: Option<f64>,
    /// The file's unit by name, and its length.
    pub unit: String,
    pub unit_m: f64,
    /// The file's up axis.
    pub up: String,
    /// Height of the figure that every verb builds for the file; of a skeleton without a figure, see [`sinew::motion::Skeleton::height`].
    pub height_m: f64,
    /// Mass of that figure; `None` without one.
    pub mass_kg: Option<f64>,
    pub clips: Vec<ClipSummary>,
    /// Frame of an inserted T-pose, from 1.
    pub inserted_tpose: Option<usize>,
    pub skeleton: Vec<JointSummary>,
    pub guesses: Vec<GuessSummary>,
    pub warnings: Vec<WarningSummary>,
}

#[derive(Serialize)]
pub struct ClipSummary {
    pub name: String,
    pub frames: usize,
    pub rate_hz: f64,
    pub duration_s: f64,
}

#[derive(Serialize)]
pub struct JointSummary {
    pub name: String,
    /// Index of the parent in this list.
    pub parent: Option<usize>,
    pub role: Option<String>,
    /// Distance from the parent joint at rest; 0 for a root. Not the length of the bone that the joint carries.
    pub length_m: f64,
}

#[derive(Serialize)]
pub struct GuessSummary {
    pub what: &'static str,
    pub chosen: String,
    pub why: String,
    /// The option that overrides it.
    pub option: &'static str,
    /// Second best value, where it cannot be ruled out.
    pub runner_up: Option<String>,
}

#[derive(Serialize)]
pub struct WarningSummary {
    pub line: Option<usize>,
    pub message: String,
}

impl Summary {
    /// Sums up a file, with the body that the options ask for.
    pub fn of(path: &Path, capture: &Capture, body: &CaptureOptions) -> Self {
        let Capture { skeleton, clips, report, .. } = capture;
        let first = clips.first();
        let figure = for_capture(capture, &CaptureOptions { allow_rest: true, ..*body });
        let figure = figure.ok().map(|built| built.figure);
        Self {
            file: path.display().to_string(),
            format: report.format.to_string(),
            joints: skeleton.len(),
            frames: first.map_or(0, Clip::frames),
            rate_hz: first.map(Clip::rate_hz),
            duration_s: first.map(Clip::duration),
            unit: report.unit.to_string(),
            unit_m: report.unit.metres,
            up: report.up.to_string(),
            height_m: figure.as_ref().map_or_else(|| skeleton.height(), |figure| figure.height),
            mass_kg: figure.as_ref().map(Figure::mass),
            clips: clips.iter().map(ClipSummary::from).collect(),
            inserted_tpose: report.inserted_tpose.map(|frame| frame + 1),
            skeleton: (0..skeleton.len())
                .map(|index| {
                    let joint = skeleton.joint(index);
                    JointSummary {
                        name: joint.name.clone(),
                        parent: joint.parent,
                        role: joint.role.map(|role| role.to_string()),
                        length_m: skeleton.bone_length(index),
                    }
                })
                .collect(),
            guesses: report.guesses.iter().map(GuessSummary::from).collect(),
            warnings: report.warnings.iter().map(WarningSummary::from).collect(),
        }
    }
}

impl ClipSummary {
    /// `344 frames at 120 Hz, 2.86 s`
    pub fn to_text(&self) -> String {
        let (rate, duration) = (number(self.rate_hz, 3), number(self.duration_s, 3));
        format!("{} at {rate} Hz, {duration} s", count(self.frames, "frame"))
    }
}

impl GuessSummary {
    /// `guessed: the bones fit a grown person (--unit overrides)`, or with a close rival `uncertain, perhaps inch: …`
    pub fn to_text(&self) -> String {
        let option = if self.option.is_empty() { String::new() } else { format!(" ({} overrides)", self.option) };
        match &self.runner_up {
            Some(rival) => format!("uncertain, perhaps {rival}: {}{option}", self.why),
            None => format!("guessed: {}{option}", self.why),
        }
    }
}

/// Formats warnings: `line 603: …`, or `line 603 and 13 more: …` where the same is said of several lines.
pub fn warning_lines(warnings: &[WarningSummary]) -> Vec<String> {
    let mut lines: Vec<(&WarningSummary, usize)> = Vec::new();
    let mut indices: HashMap<&str, usize> = HashMap::new();
    for warning in warnings {
        let index = *indices.entry(&warning.message).or_insert(lines.len());
        match lines.get_mut(index) {
            Some((_, again)) => *again += 1,
            None => lines.push((warning, 0)),
        }
    }
    let line = |(warning, again): (&WarningSummary, usize)| match (warning.line, again) {
        (Some(line), 0) => format!("line {line}: {}", warning.message),
        (Some(line), more) => format!("line {line} and {more} more: {}", warning.message),
        (None, 0) => warning.message.clone(),
        (None, more) => format!("{} ({} times)", warning.message, more + 1),
    };
    lines.into_iter().map(line).collect()
}

impl From<&Clip> for ClipSummary {
    fn from(clip: &Clip) -> Self {
        Self { name: clip.name.clone(), frames: clip.frames(), rate_hz: clip.rate_hz(), duration_s: clip.duration() }
    }
}

impl From<&Guess> for GuessSummary {
    fn from(guess: &Guess) -> Self {
        Self {
            what: guess.what,
            chosen: guess.chosen.clone(),
            why: guess.why.clone(),
            option: guess.option,
            runner_up: guess.runner_up.clone(),
        }
    }
}

impl From<&Warning> for WarningSummary {
    fn from(warning: &Warning) -> Self {
        Self { line: warning.line, message: warning.message.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_warnings_are_told_once_with_their_number() {
        let warning = |line, message: &str| WarningSummary { line, message: message.to_owned() };
        let all = [warning(Some(3), "odd"), warning(None, "torn"), warning(Some(7), "odd"), warning(None, "torn")];
        assert_eq!(warning_lines(&all), ["line 3 and 1 more: odd", "torn (2 times)"]);
        assert_eq!(warning_lines(&all[..2]), ["line 3: odd", "torn"]);
    }
}
