//! Errors that point at a place in a text, with the word that was probably meant.

use super::{FormatError, nearest};
use std::ops::Range;

/// Makes an error that points at a byte range of a text: line, column, excerpt and mark.
pub fn error_at(text: &str, span: Range<usize>, message: impl Into<String>) -> FormatError {
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

/// Translates an error of the TOML parser; `of` names the kind of file. Unknown words get the nearest known one as help.
pub fn from_toml_error(text: &str, error: &toml::de::Error, of: &str) -> FormatError {
    let message = error.message();
    let span = error.span().unwrap_or(0..0);
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if let (true, Some((word, known))) = (message.starts_with("unknown field"), quoted.split_first()) {
        return unknown_word(text, span, &format!("entry of a {of}"), word, known);
    }
    if let (true, Some((word, known))) = (message.starts_with("unknown variant"), quoted.split_first()) {
        return unknown_word(text, span, &format!("word for this entry of a {of}"), word, known);
    }
    if let (true, Some(name)) = (message.starts_with("missing field"), quoted.first()) {
        return error_at(text, span, format!("this table has no {name:?}"));
    }
    error_at(text, span, message.replace('`', "\"").trim_end().replace('\n', ", "))
}

/// Makes the error of a word that is none of those known; `what` names the kind of word.
pub fn unknown_word(text: &str, span: Range<usize>, what: &str, word: &str, known: &[&str]) -> FormatError {
    let error = error_at(text, span, format!("{word:?} is no {what}"));
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
