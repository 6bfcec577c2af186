//! Contact lists as text files: written, edited by hand, and read again.
//!
//! ```toml
//! format = "sinew contacts 1"
//!
//! [[contact]]
//! feature = "LeftFoot heel"
//! seconds = [[0.0, 0.533], [1.067, 1.6]]   # or frames = [[1, 33], [65, 97]], counted from 1
//! ```
//!
//! Both ends of an interval belong to it.

use crate::files::FormatError;
use crate::files::text_error::{error_at, from_toml_error, unknown_word};
use crate::math::Real;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

const FORMAT: &str = "sinew contacts 1";

/// Contact intervals of every feature. Frames count from 0; the end of a range is not part of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactList {
    /// Name and contact intervals of each feature.
    pub features: Vec<(String, Vec<Range<usize>>)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    format: Spanned<String>,
    #[serde(default)]
    contact: Vec<ContactText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContactText {
    feature: Spanned<String>,
    #[serde(default)]
    seconds: Vec<Spanned<[Real; 2]>>,
    #[serde(default)]
    frames: Vec<Spanned<[i64; 2]>>,
}

impl ContactList {
    /// Writes the list as TOML, for a clip of this frame rate. Features without contacts are listed as well, so that their
    /// names are at hand.
    pub fn to_toml(&self, rate_hz: Real) -> String {
        let mut text = format!("format = {FORMAT:?}\n# Seconds from the first frame; both ends belong to a contact.\n");
        for (name, intervals) in &self.features {
            let second = |frame: usize| format!("{:.4}", frame as Real / rate_hz);
            let pairs = intervals.iter().map(|run| format!("[{}, {}]", second(run.start), second(run.end - 1)));
            let pairs = pairs.collect::<Vec<_>>().join(", ");
            let name = toml::Value::String(name.clone());
            text.push_str(&format!("\n[[contact]]\nfeature = {name}\nseconds = [{pairs}]\n"));
        }
        text
    }

    /// Reads a list as written by [`ContactList::to_toml`]. `known` are the features of the figure; those without an entry have
    /// no contacts.
    pub fn from_toml(text: &str, known: &[&str], rate_hz: Real, frames: usize) -> Result<Self, FormatError> {
        let file: FileText = toml::from_str(text).map_err(|error| from_toml_error(text, &error, "contact list"))?;
        if file.format.as_ref() != FORMAT {
            return Err(unknown_word(text, file.format.span(), "format", file.format.as_ref(), &[FORMAT]));
        }
        let mut features: Vec<(String, Vec<Range<usize>>)> =
            known.iter().map(|name| ((*name).to_owned(), Vec::new())).collect();
        for contact in file.contact {
            let name = contact.feature.as_ref();
            let Some(at) = known.iter().position(|word| word == name) else {
                return Err(unknown_word(text, contact.feature.span(), "feature", name, known));
            };
            let mut add = |span: Range<usize>, first: Real, last: Real, unit: &str| {
                if !(first.is_finite() && last.is_finite() && first >= -0.5 && first <= last) {
                    return Err(error_at(
                        text,
                        span,
                        "a contact begins at the first frame or later and ends after it begins",
                    )
                    .help("expected [begin, end]"));
                }
                if first > frames as Real - 0.5 {
                    let message = format!("this contact begins behind the end of the clip, which has {frames} frames");
                    return Err(error_at(text, span, message).help(format!("times are {unit}")));
                }
                // Bounded before the conversion: an end behind the clip may be any number.
                let [first, last] = [first, last].map(|frame| frame.round().clamp(0.0, frames as Real - 1.0) as usize);
                features[at].1.push(first..last + 1);
                Ok(())
            };
            for pair in &contact.seconds {
                let [begin, end] = *pair.as_ref();
                add(pair.span(), begin * rate_hz, end * rate_hz, "seconds from the first frame")?;
            }
            for pair in &contact.frames {
                let [begin, end] = *pair.as_ref();
                add(pair.span(), begin as Real - 1.0, end as Real - 1.0, "frames, counted from 1")?;
            }
        }
        for (_, intervals) in &mut features {
            intervals.sort_by_key(|run| run.start);
            let mut joined: Vec<Range<usize>> = Vec::new();
            for run in intervals.drain(..) {
                match joined.last_mut().filter(|last| last.end >= run.start) {
                    Some(last) => last.end = last.end.max(run.end),
                    None => joined.push(run),
                }
            }
            *intervals = joined;
        }
        Ok(Self { features })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 2] = ["LeftFoot heel", "LeftFoot ball"];

    #[test]
    fn what_is_written_is_read_again() {
        let list = ContactList {
            features: vec![(KNOWN[0].to_owned(), vec![0..32, 64..97]), (KNOWN[1].to_owned(), Vec::new())],
        };
        for rate in [24.0, 60.0, 119.88] {
            assert_eq!(ContactList::from_toml(&list.to_toml(rate), &KNOWN, rate, 100), Ok(list.clone()));
        }
    }

    /// The end of a contact may be any number, also one that no integer holds.
    #[test]
    fn contacts_end_with_the_clip_however_late_they_are_said_to_end() {
        for end in ["99.99", "1e3", "1e18", "1e300"] {
            let text = format!(
                "format = \"sinew contacts 1\"\n[[contact]]\nfeature = \"LeftFoot heel\"\nseconds = [[0.5, {end}]]\n"
            );
            let list = ContactList::from_toml(&text, &KNOWN, 60.0, 100).expect("a list");
            assert_eq!(list.features[0].1, std::slice::from_ref(&(30..100)), "{end}");
        }
        let text = "format = \"sinew contacts 1\"\n[[contact]]\nfeature = \"LeftFoot heel\"\nframes = [[1, 9223372036854775807]]\n";
        assert_eq!(
            ContactList::from_toml(text, &KNOWN, 60.0, 100).expect("a list").features[0].1,
            std::slice::from_ref(&(0..100))
        );
    }

    #[test]
    fn frames_count_from_one_and_overlapping_contacts_join() {
        let text = "format = \"sinew contacts 1\"\n[[contact]]\nfeature = \"LeftFoot heel\"\nframes = [[5, 9], [1, 6], [20, 400]]\n";
        let list = ContactList::from_toml(text, &KNOWN, 30.0, 100).expect("reads");
        assert_eq!(list.features[0].1, vec![0..9, 19..100]);
    }

    #[test]
    fn faults_name_their_line() {
        let wrong = [
            ("format = \"sinew contacts 2\"\n", 1, "sinew contacts 1"),
            ("format = \"sinew contacts 1\"\n[[contact]]\nfeature = \"LeftFoot heal\"\n", 3, "LeftFoot heel"),
            (
                "format = \"sinew contacts 1\"\n[[contact]]\nfeature = \"LeftFoot heel\"\nseconds = [[2, 1]]\n",
                4,
                "begin",
            ),
            (
                "format = \"sinew contacts 1\"\n[[contact]]\nfeature = \"LeftFoot heel\"\nframes = [[101, 120]]\n",
                4,
                "frames",
            ),
            ("format = \"sinew contacts 1\"\n[[contact]]\nfeatures = \"LeftFoot heel\"\n", 3, "feature"),
        ];
        for (text, line, help) in wrong {
            let error = ContactList::from_toml(text, &KNOWN, 30.0, 100).expect_err(text);
            assert_eq!(error.line, Some(line), "{text}");
            assert!(error.help.as_deref().unwrap_or_default().contains(help), "{text}: {:?}", error.help);
        }
    }
}
