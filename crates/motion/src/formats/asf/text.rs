//! Lines of words, and errors that point at them.

use super::super::FormatError;
use crate::Real;

/// Longest excerpt of a line shown in an error.
const EXCERPT: usize = 120;

/// One line that is not blank and not a comment.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Line number, from 1.
    pub number: usize,
    pub text: &'a str,
}

impl<'a> Line<'a> {
    pub fn words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.text.split_ascii_whitespace()
    }

    pub fn first(&self) -> &'a str {
        self.words().next().unwrap_or_default()
    }

    /// Makes an error at this line.
    pub fn error(&self, message: impl Into<String>) -> FormatError {
        let cut: String = self.text.chars().take(EXCERPT).collect();
        FormatError::new(message).at_line(self.number).excerpt(cut)
    }

    /// Makes an error at a word of this line.
    pub fn error_at(&self, word: &str, message: impl Into<String>) -> FormatError {
        let before = (word.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        let column = before.and_then(|b| self.text.get(..b)).map_or(1, |t| t.chars().count() + 1);
        self.error(message).at_column(column).marked(column - 1)
    }

    /// Parses a finite number.
    pub fn number(&self, word: &str) -> Result<Real, FormatError> {
        match fast_float2::parse::<Real, _>(word.trim_matches(|c| matches!(c, '(' | ')' | ','))) {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.error_at(word, format!("{word:?} is not a finite number"))),
            Err(_) => Err(self.error_at(word, format!("{word:?} is not a number"))),
        }
    }

    /// Parses exactly `N` numbers after the first word.
    pub fn numbers<const N: usize>(&self, what: &str) -> Result<[Real; N], FormatError> {
        let mut values = [0.0; N];
        let mut words = self.words().skip(1);
        for (k, value) in values.iter_mut().enumerate() {
            let word = words.next().ok_or_else(|| self.error(format!("{what} needs {N} numbers, there are {k}")))?;
            *value = self.number(word)?;
        }
        Ok(values)
    }
}

/// Returns the meaningful lines of a text; `#` starts a comment.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    // Windows and Unix line ends, and the lone carriage returns of old Macintosh files.
    let mut rest = text;
    let mut number = 0;
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            number += 1;
            let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
            let line = &rest[..end];
            let step = if rest[end..].starts_with("\r\n") { 2 } else { 1 };
            rest = rest.get(end + step..).unwrap_or("");
            let text = line.split('#').next().unwrap_or_default().trim();
            if !text.is_empty() {
                return Some(Line { number, text });
            }
        }
    })
}
