//! Where in the text something is wrong, and what would be right.

use super::FormatError;
use crate::files::nearest;
use std::ops::Range;

/// An error that points at a place in the text.
pub fn fault(text: &str, span: Range<usize>, message: impl Into<String>) -> FormatError {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let before = &text[..start];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    let column = text[line_start..start].chars().count();
    let excerpt = text[line_start..].lines().next().unwrap_or("");
    // Long lines are shown from a little before the fault.
    let skipped = column.saturating_sub(60);
    let shown: String = excerpt.chars().skip(skipped).take(120).collect();
    FormatError::new(message).at_line(line).at_column(column + 1).excerpt(shown).marked(column - skipped)
}

/// What the parser says, in our words, with the word that was probably meant.
pub fn from_parser(text: &str, error: &toml::de::Error, of: &str) -> FormatError {
    let message = error.message();
    let span = error.span().unwrap_or(0..0);
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if let (true, Some((word, known))) = (message.starts_with("unknown field"), quoted.split_first()) {
        return unknown(text, span, &format!("entry of a {of}"), word, known);
    }
    if let (true, Some((word, known))) = (message.starts_with("unknown variant"), quoted.split_first()) {
        return unknown(text, span, &format!("word for this entry of a {of}"), word, known);
    }
    if let (true, Some(name)) = (message.starts_with("missing field"), quoted.first()) {
        return fault(text, span, format!("this table has no {name:?}"));
    }
    fault(text, span, message.replace('`', "\"").trim_end().replace('\n', ", "))
}

/// The error of a word that is none of those known.
pub fn unknown(text: &str, span: Range<usize>, what: &str, word: &str, known: &[&str]) -> FormatError {
    let error = fault(text, span, format!("{word:?} is no {what}"));
    let listed = || {
        let shown = known.len().min(12);
        let more = if known.len() > shown { ", …" } else { "" };
        format!("expected {}{more}", known[..shown].join(", "))
    };
    match nearest(word, known.iter().copied()) {
        Some(meant) if known.len() > 12 => error.help(format!("did you mean {meant:?}?")),
        Some(meant) => error.help(format!("did you mean {meant:?}? {}", listed())),
        None => error.help(listed()),
    }
}
