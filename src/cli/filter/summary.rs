//! Summary of a filtered clip as text and as JSON.

use super::Outcome;
use crate::cli::lead::Lead;
use crate::cli::output::{Facts, Paint, count, kilograms, number, some_of};
use crate::cli::report::{Comparison, summary as report};
use serde_json::{Value, json};
use sinew::filter::{Filtered, PreparationReport};
use sinew::measure::{Acceptance, Concern, Grade, Judgement, Report};
use std::f64::consts::TAU;

/// Way out of contacts that are wrong.
const CONTACTS_HELP: &str = "the motion may rest on something that is not the ground, or contacts are wrong; --save-contacts shows them, \
                             --contacts takes them back edited";

/// Limit of the table.
const LEVEL_ONLY: &str = "the table measures against level ground, which this is not: only distances from the source, velocity spikes, \
                          joint limits and effort apply";

/// Returns the warnings about the result, for JSON.
pub fn warnings(filtered: &Filtered, acceptance: &Acceptance, flat: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    for reason in acceptance.warnings() {
        match reason.concern {
            Concern::Moved => warnings.push(format!("{reason}: {CONTACTS_HELP}")),
            _ if flat => warnings.push(reason.to_string()),
            _ => {}
        }
    }
    warnings.extend(doubts(filtered));
    warnings.extend((!flat).then(|| LEVEL_ONLY.to_owned()));
    warnings
}

/// Returns doubts about the solution and the capture.
fn doubts(filtered: &Filtered) -> Vec<String> {
    let mut doubts = Vec::new();
    let pieces = filtered.solved.windows.iter().filter(|window| !window.converged).count();
    if pieces > 0 {
        let of = filtered.solved.windows.len();
        doubts
            .push(format!("the optimiser was still improving when it stopped, in {pieces} of {}", count(of, "piece")));
    }
    if let Some(fall) = filtered.preparation.flight_acceleration.filter(|fall| !(0.7..1.5).contains(fall)) {
        let rate = filtered.solved.clip.rate_hz();
        doubts.push(format!(
            "in the air the body falls with {} g, so unit or frame rate of the capture are wrong (at {} Hz it would fit)",
            number(fall, 2),
            number(rate / fall.max(1e-3).sqrt(), 1)
        ));
    }
    doubts
}

fn percent(share: f64) -> String {
    format!("{} %", number(100.0 * share, 1))
}

/// Describes the contact intervals of each limb.
fn contacts(preparation: &PreparationReport) -> String {
    let lists = preparation.contacts.features.iter().filter(|(_, runs)| !runs.is_empty());
    let shown: Vec<String> = lists.map(|(name, runs)| format!("{name} {}×", runs.len())).collect();
    if shown.is_empty() { "none: the whole clip is in the air".to_owned() } else { some_of(&shown) }
}

impl Outcome<'_> {
    /// The first lines: good or not, and why not.
    pub fn lead(&self) -> Lead<'_> {
        let written = self.output.filter(|_| self.refused.is_none());
        let target = written.map_or(String::new(), |output| format!(" → {}", output.display()));
        let mut judgement = match self.flat {
            true => self.acceptance.judgement(),
            false => Judgement::good("the motion is on its ground, on which feet cannot be judged"),
        };
        if !self.flat {
            let moved = self.acceptance.warnings().filter(|reason| reason.concern == Concern::Moved);
            moved.for_each(|reason| judgement.add(Grade::Usable, reason.to_string()));
        }
        if let Some(lost) = self.simulated.as_ref().and_then(|simulated| simulated.lost) {
            judgement.add(Grade::Bad, format!("the simulated body lost its balance at {} s", number(lost, 2)));
        }
        doubts(&self.filtered).into_iter().for_each(|doubt| judgement.add(Grade::Usable, doubt));
        Lead { subject: format!("{}{target}", self.input.display()), judgement, import: Some(&self.import) }
    }

    pub fn to_text(&self, verbose: bool, paint: Paint) -> String {
        let (figure, clip) = (&self.figure, &self.filtered.solved.clip);
        let (before, after) = (&self.measured.before.1, &self.measured.after.1);
        let mut facts = Facts::default();
        facts.add("clip", format!("{}, {} s", count(clip.frames(), "frame"), number(clip.duration(), 2)));
        facts.add("figure", format!("{}, {}", count(figure.segments().len(), "segment"), kilograms(figure.mass())));
        self.notes.iter().for_each(|note| facts.add("note", note.clone()));
        if self.refused.is_some() && self.output.is_some() {
            facts.add("written", "nothing");
        }
        self.found(verbose, &mut facts);
        let (spent, factor) = (number(self.spent, 2), number(clip.duration() / self.spent.max(1e-9), 2));
        facts.add("time", format!("filtered in {spent} s, {factor} × real time"));
        if self.acceptance.warnings().any(|reason| reason.concern == Concern::Moved) {
            facts.add("help", CONTACTS_HELP);
        }
        if !self.flat {
            facts.add("note", LEVEL_ONLY);
        }
        let mut text = self.lead().to_text(facts, verbose, paint);
        text.push_str(&report::table(before, Some(after), verbose, paint));
        let smoothed = |report: &Report| match report.basis.cutoff_hz {
            Some(hz) => format!("smoothed at {} Hz", number(hz, 2)),
            None => "not smoothed".to_owned(),
        };
        let basis = match verbose {
            true => format!("  poses before are {} for accelerations, after {}\n", smoothed(before), smoothed(after)),
            false => "  -v shows all figures and everything that was found\n".to_owned(),
        };
        text + &paint.faint(&basis)
    }

    /// Lists what was detected, levelled and repaired.
    fn found(&self, verbose: bool, facts: &mut Facts) {
        let preparation = &self.filtered.preparation;
        if verbose {
            let noise = format!("{} mm of noise", number(1e3 * preparation.noise, 2));
            facts.add(
                "capture",
                match preparation.cutoff_hz {
                    Some(hz) => format!("{noise}, smoothed at {} Hz", number(hz, 2)),
                    None => format!("{noise}, not smoothed"),
                },
            );
        }
        if !preparation.outlier_frames.is_empty() {
            let numbers: Vec<String> = preparation.outlier_frames.iter().map(|frame| (frame + 1).to_string()).collect();
            facts.add("repaired", format!("drawn again, because they jump: frames {}", some_of(&numbers)));
        }
        let mut ground = format!("y = {} m", number(preparation.ground, 3));
        let repairs = &preparation.repairs;
        if repairs.slope != 0.0 {
            ground.push_str(&format!(", a slope of {}° taken out", number(repairs.slope.to_degrees(), 2)));
        }
        if repairs.lift.abs() > 5e-4 {
            let way = if repairs.lift > 0.0 { "up" } else { "down" };
            ground.push_str(&format!(", the motion moved {way} by {} mm", number(1e3 * repairs.lift.abs(), 1)));
        }
        if preparation.mapped_to_terrain {
            ground.push_str(", the motion mapped from level ground");
        }
        let is_moved = repairs.slope != 0.0 || repairs.lift.abs() > 5e-4 || preparation.mapped_to_terrain;
        if verbose || is_moved {
            facts.add("ground", ground);
        }
        if repairs.travel != 1.0 {
            let factor = number(repairs.travel, 3);
            facts.add("repaired", format!("standing feet slid: travel of the root multiplied by {factor}"));
        }
        let treadmill = repairs.treadmill.norm();
        if treadmill > 0.0 {
            facts.add(
                "in place",
                format!(
                    "feet in contact slide at {} m/s: filtered, and measured, as on a treadmill",
                    number(treadmill, 2)
                ),
            );
        }
        let restored = repairs.restored.norm();
        if restored > 0.0 {
            let speed = number(restored, 2);
            let message = "the root stays in place and feet in contact slide: travel restored";
            facts.add("repaired", format!("{message}, {speed} m/s on average"));
        }
        if repairs.bob > 0.0 {
            let amount = number(1e3 * repairs.bob, 1);
            facts.add("repaired", format!("standing feet went up and down: {amount} mm (RMS) taken out of the root"));
        }
        if verbose {
            self.contacts_found(facts);
        }
        if preparation.looped {
            facts.add("loop", if preparation.closed { "closed, and kept closed" } else { "found, and kept closed" });
        }
        facts.add("moved", format!("{} mm on average from the prepared capture", number(1e3 * self.moved, 1)));
        if let Some(simulated) = &self.simulated {
            let [mean, most] = [simulated.mean, simulated.most].map(percent);
            let help = format!("help at the root {mean} of the weight on average and {most} at most");
            let allowed = percent(simulated.allowed);
            facts.add(
                "simulated",
                match simulated.lost {
                    Some(seconds) => format!("lost its balance at {} s, {help}, {allowed} allowed", number(seconds, 2)),
                    None => format!("kept to its way to the end, {help}, {allowed} allowed"),
                },
            );
        }
        if preparation.physical {
            facts.add("physical", "already: only its forces had to be found");
        }
        if verbose {
            let steps: usize = self.filtered.solved.windows.iter().map(|window| window.iterations).sum();
            let pieces = count(self.filtered.solved.windows.len(), "piece");
            facts.add("solved", format!("{} in {pieces}", count(steps, "step")));
        }
    }

    /// Lists the contacts, those that were added or lowered, and those that move.
    fn contacts_found(&self, facts: &mut Facts) {
        let preparation = &self.filtered.preparation;
        let rate = self.filtered.solved.clip.rate_hz();
        facts.add("contacts", contacts(preparation));
        if preparation.added > 0 {
            let frames = count(preparation.added, "frame");
            facts.add("", format!("{frames} of them added because the body does not fall there"));
        }
        for (name, height) in &preparation.lowered {
            let (far, way) = (number(100.0 * height.abs(), 1), if *height > 0.0 { "above" } else { "below" });
            facts.add("", format!("{name} rests {far} cm {way} the ground: brought to it"));
        }
        for contact in &preparation.moving_contacts {
            let second = |frame: usize| number(frame as f64 / rate, 2);
            let mut what = Vec::new();
            if contact.rotation > 0.0 {
                what.push(format!("turns by {}°", number(360.0 * contact.rotation / TAU, 0)));
            }
            if contact.slide > 1e-3 {
                what.push(format!("slides by {} cm", number(100.0 * contact.slide, 1)));
            }
            let (from, to) = (second(contact.frames.start), second(contact.frames.end.saturating_sub(1)));
            facts.add("moving contact", format!("{} {}, {from} to {to} s", contact.feature, what.join(" and ")));
        }
    }

    pub fn to_json(&self) -> Value {
        let Comparison { before, after } = &self.measured;
        let mut summary = report::to_json((&before.0, &before.1), Some((&after.0, &after.1)));
        let preparation = &self.filtered.preparation;
        let rate = self.filtered.solved.clip.rate_hz();
        let seconds = |frames: &std::ops::Range<usize>| [frames.start, frames.end - 1].map(|f| f as f64 / rate);
        summary["input"] = json!(self.input.display().to_string());
        let written = self.output.filter(|_| self.refused.is_none());
        summary["output"] = json!(written.map(|o| o.display().to_string()));
        summary["frames"] = json!(self.filtered.solved.clip.frames());
        summary["mass_kg"] = json!(self.figure.mass());
        summary["found"] = json!({
            "physical": preparation.physical,
            "noise_mm": 1e3 * preparation.noise,
            "cutoff_hz": preparation.cutoff_hz,
            "ground_m": preparation.ground,
            "slope_deg": preparation.repairs.slope.to_degrees(),
            "lift_mm": 1e3 * preparation.repairs.lift,
            "travel_factor": preparation.repairs.travel,
            "treadmill_m_s": preparation.repairs.treadmill.norm(),
            "restored_m_s": preparation.repairs.restored.norm(),
            "fall_g": preparation.flight_acceleration,
            "bob_rms_mm": 1e3 * preparation.repairs.bob,
            "redrawn_frames": preparation.outlier_frames.iter().map(|frame| frame + 1).collect::<Vec<_>>(),
            "looped": preparation.looped,
            "mapped_to_terrain": preparation.mapped_to_terrain,
            "frames_added": preparation.added,
            "contacts": preparation.contacts.features.iter().filter(|(_, runs)| !runs.is_empty()).map(|(name, runs)| json!({
                "feature": name,
                "seconds": runs.iter().map(seconds).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "lowered": preparation.lowered.iter().map(|(name, height)| json!({ "feature": name, "height_mm": 1e3 * height })).collect::<Vec<_>>(),
            "moving_contacts": preparation.moving_contacts.iter().map(|contact| json!({
                "feature": contact.feature,
                "seconds": seconds(&contact.frames),
                "turn_deg": contact.rotation.to_degrees(),
                "slide_mm": 1e3 * contact.slide,
            })).collect::<Vec<_>>(),
        });
        summary["moved_mm"] = json!(1e3 * self.moved);
        summary["solver"] = self
            .filtered
            .solved
            .windows
            .iter()
            .map(|window| {
                json!({
                    "frames": [window.frames[0] + 1, window.frames[1]],
                    "steps": window.iterations,
                    "converged": window.converged,
                })
            })
            .collect();
        summary["seconds_spent"] = json!(self.spent);
        summary["time_factor"] = json!(self.filtered.solved.clip.duration() / self.spent.max(1e-9));
        summary["simulated"] = json!(self.simulated.as_ref().map(|simulated| json!({
            "assistance_allowed_bw": simulated.allowed,
            "assistance_mean_bw": simulated.mean,
            "assistance_max_bw": simulated.most,
            "lost_at_s": simulated.lost,
        })));
        summary["warnings"] = json!(self.warnings);
        summary["remarks"] = json!(self.notes);
        self.lead().put_into(&mut summary);
        if let Some(refused) = &self.refused {
            summary["error"] = refused.to_json();
        }
        summary
    }
}
