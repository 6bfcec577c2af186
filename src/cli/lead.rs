//! First lines of every verb: the judgement in one sentence, then what was guessed about the input and how certain that is.

use super::output::{Facts, Paint};
use super::summary::{GuessSummary, warning_lines};
use serde_json::{Value, json};
use sinew::formats::{Guess, ImportReport};
use sinew::measure::{Grade, Judgement};
use std::path::Path;

/// The first lines about one file.
pub struct Lead<'a> {
    /// Files that the sentence is about: `in.bvh`, or `in.bvh → out.glb`.
    pub subject: String,
    /// Judgement of the result, without doubts about the input.
    pub judgement: Judgement,
    /// Report of reading the input; none for scenes.
    pub import: Option<&'a ImportReport>,
}

impl Lead<'_> {
    /// Returns the judgement with the faults of the input and the doubts about it.
    pub fn whole(&self) -> Judgement {
        let mut judgement = self.judgement.clone();
        if let Some(import) = self.import {
            let warnings: Vec<_> = import.warnings.iter().map(Into::into).collect();
            warning_lines(&warnings).into_iter().for_each(|warning| judgement.add(Grade::Usable, warning));
            add_doubts(&mut judgement, import, None);
        }
        judgement
    }

    fn guesses(&self) -> &[Guess] {
        self.import.map_or(&[], |import| &import.guesses)
    }

    /// The sentence, then a line for each reason that it has no room for, for the guesses (with their reasons if `verbose`), and for
    /// the facts.
    pub fn to_text(&self, facts: Facts, verbose: bool, paint: Paint) -> String {
        let mut rows = self.untold();
        let (certain, uncertain): (Vec<&Guess>, Vec<&Guess>) =
            self.guesses().iter().partition(|guess| guess.runner_up.is_none() && !verbose);
        if !certain.is_empty() {
            let all: Vec<String> = certain.iter().map(|guess| format!("{} {}", guess.what, guess.chosen)).collect();
            rows.add("guessed", format!("{}{}", all.join(", "), paint.faint(" (-v tells why)")));
        }
        for guess in uncertain {
            let why = paint.faint(&format!(", {}", GuessSummary::from(guess).to_text()));
            rows.add(guess.what, format!("{}{why}", guess.chosen));
        }
        format!("{}\n{}", self.sentence(paint), rows.then(facts).print(paint))
    }

    /// The reasons that the sentence has no room for.
    pub fn untold(&self) -> Facts {
        let mut facts = Facts::default();
        self.whole().untold().for_each(|reason| facts.add("also", reason));
        facts
    }

    /// The sentence alone.
    pub fn sentence(&self, paint: Paint) -> String {
        let judgement = self.whole();
        let (word, said) = (judgement.grade().word(), judgement.to_string());
        let rest = said.strip_prefix(word).unwrap_or_default();
        format!("{}: {}{rest}.", paint.title(&self.subject), paint.grade(judgement.grade()))
    }

    /// Puts grade, sentence and guesses into an object.
    pub fn put_into(&self, object: &mut Value) {
        let judgement = self.whole();
        object["grade"] = json!(judgement.grade().word());
        object["sentence"] = json!(format!("{judgement}."));
        if self.import.is_some() {
            object["guesses"] = json!(self.guesses().iter().map(GuessSummary::from).collect::<Vec<_>>());
        }
    }
}

/// Adds guesses with a close rival to the reasons against a result: of the input, or of another file that it rests on.
pub fn add_doubts(judgement: &mut Judgement, import: &ImportReport, other: Option<&Path>) {
    for guess in &import.guesses {
        let Some(rival) = &guess.runner_up else { continue };
        let what = if guess.what == "up" { "up axis" } else { guess.what };
        let chosen = &guess.chosen;
        judgement.add(
            Grade::Usable,
            match other {
                Some(file) => format!("the {what} of {} may be {rival} instead of {chosen}", file.display()),
                None if guess.option.is_empty() => format!("its {what} may be {rival} instead of {chosen}"),
                None => format!("its {what} may be {rival} instead of {chosen} ({} sets it)", guess.option),
            },
        );
    }
}
