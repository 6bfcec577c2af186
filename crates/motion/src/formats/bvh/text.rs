//! Decoded bytes of a text file, and errors that show a place in it.

use super::super::{FormatError, Warning};
use std::borrow::Cow;

/// Longest excerpt shown with an error, in characters.
const EXCERPT: usize = 72;

/// Text that is UTF-8 as far as its markup goes; names may hold anything.
pub(crate) struct Text<'a> {
    pub bytes: Cow<'a, [u8]>,
}

impl<'a> Text<'a> {
    /// Drops a byte order mark and converts UTF-16 to UTF-8.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let plain = |bytes| Ok(Self { bytes: Cow::Borrowed(bytes) });
        match bytes {
            [0xEF, 0xBB, 0xBF, rest @ ..] => plain(rest),
            [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Err(FormatError::new("the text is UTF-32")
                .help("save it as UTF-8, which every program that reads BVH understands")),
            [0xFF, 0xFE, rest @ ..] => Self::from_utf16(rest, u16::from_le_bytes),
            [0xFE, 0xFF, rest @ ..] => Self::from_utf16(rest, u16::from_be_bytes),
            // UTF-16 without a mark shows in its first letter.
            [letter, 0, next, 0, ..] if letter.is_ascii_alphabetic() && next.is_ascii() => {
                Self::from_utf16(bytes, u16::from_le_bytes)
            }
            [0, letter, 0, next, ..] if letter.is_ascii_alphabetic() && next.is_ascii() => {
                Self::from_utf16(bytes, u16::from_be_bytes)
            }
            _ => plain(bytes),
        }
    }

    fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Self, FormatError> {
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Ok(Self { bytes: Cow::Owned(text.into_bytes()) })
    }

    /// Returns the line number of a byte, from 1. CRLF, LF and lone CR each end a line.
    pub fn line(&self, at: usize) -> usize {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let next = |i: usize| self.bytes.get(i + 1).copied();
        1 + before
            .iter()
            .enumerate()
            .filter(|&(i, &byte)| byte == b'\n' || (byte == b'\r' && next(i) != Some(b'\n')))
            .count()
    }

    /// Makes an error that points at a byte.
    pub fn error(&self, at: usize, message: impl Into<String>) -> FormatError {
        let at = at.min(self.bytes.len());
        let ends_line = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let start = self.bytes[..at].iter().rposition(ends_line).map_or(0, |i| i + 1);
        let end = self.bytes[at..].iter().position(ends_line).map_or(self.bytes.len(), |i| at + i);
        // A motion row can be megabytes long; only the part around the place is decoded.
        let window = start.max(at.saturating_sub(4 * EXCERPT))..end.min(at + 4 * EXCERPT);
        let before = String::from_utf8_lossy(&self.bytes[window.start..at]);
        let after = String::from_utf8_lossy(&self.bytes[at..window.end]);
        let column =
            if window.start == start { before.chars().count() } else { char_count(&self.bytes[start..at]) } + 1;
        let mut error = FormatError::new(message).at_line(self.line(at)).at_column(column);
        let (text, mark) = excerpt(&before, &after);
        if !text.is_empty() {
            error = error.excerpt(text).marked(mark);
        }
        error
    }

    /// Makes a warning that names the line of a byte.
    pub fn warning(&self, at: usize, message: impl Into<String>) -> Warning {
        Warning { line: Some(self.line(at)), message: message.into() }
    }
}

/// Characters in UTF-8 text: every byte but the continuation bytes starts one.
fn char_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Returns the text around a place, cut to a readable length and without control characters, and the index of the
/// character at the place.
fn excerpt(before: &str, after: &str) -> (String, usize) {
    let printable = |c: char| match c {
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    let head: Vec<char> = before.trim_start().chars().map(printable).collect();
    let tail: Vec<char> = after.trim_end().chars().map(printable).collect();
    let from = if head.len() + tail.len() > EXCERPT { head.len().saturating_sub(EXCERPT / 3) } else { 0 };
    let until = tail.len().min(EXCERPT - (head.len() - from).min(EXCERPT));
    let mut text = String::from(if from > 0 { "…" } else { "" });
    text.extend(&head[from..]);
    let mark = text.chars().count();
    text.extend(&tail[..until]);
    if until < tail.len() {
        text.push('…');
    }
    (text, mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_over_every_kind_of_line_end() {
        let text = Text::decode(b"a\nb\r\nc\rd").unwrap();
        assert_eq!([0, 2, 5, 7].map(|at| text.line(at)), [1, 2, 3, 4]);
    }

    #[test]
    fn an_error_deep_in_a_long_line_shows_its_surroundings_only() {
        let row = "1.5 ".repeat(10_000) + "bad " + &"2.5 ".repeat(10_000);
        let text = Text::decode(row.as_bytes()).unwrap();
        let error = text.error(40_000, "oops");
        assert_eq!((error.line, error.column), (Some(1), Some(40_001)));
        let shown = error.excerpt.unwrap();
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("bad"), "{shown}");
        assert!(shown.chars().count() <= EXCERPT + 2);
        let marked: String = shown.chars().skip(error.mark.unwrap()).take(3).collect();
        assert_eq!(marked, "bad");
    }

    #[test]
    fn utf16_is_decoded_with_and_without_a_mark() {
        let text = "HIERARCHY é";
        let units = || text.encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        let marked = [&[0xFF, 0xFE][..], &little].concat();
        for bytes in [little, big, marked] {
            assert_eq!(&*Text::decode(&bytes).unwrap().bytes, text.as_bytes());
        }
    }
}
