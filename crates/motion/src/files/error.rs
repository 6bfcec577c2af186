//! Error type of all files: what is wrong, where, and what would be right.

use std::path::PathBuf;

/// Kind of a fault; it decides what is worth trying next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FaultKind {
    /// Wrong content: another file, or a mended one, would pass.
    #[default]
    Content,
    /// File that cannot be opened, read or written.
    Access,
    /// Kind of file that sinew does not read or write.
    Unsupported,
}

/// Error of reading or writing a file.
///
/// The message says what was wrong, `line` and `column` (from 1) where, `help` what to do about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{}: {message}", path.display(), line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct FormatError {
    /// File; empty until [`FormatError::in_file`] names it.
    pub path: PathBuf,
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Description of the fault, a sentence without a full stop.
    pub message: String,
    /// Line in the file, from 1.
    pub line: Option<usize>,
    /// Column in the line, in characters, from 1.
    pub column: Option<usize>,
    /// Offending line, cut to a readable length.
    pub excerpt: Option<String>,
    /// Character of the excerpt that is at fault, from 0. Not the column: an excerpt can begin anywhere.
    pub mark: Option<usize>,
    /// Advice on how to mend it.
    pub help: Option<String>,
}

impl FormatError {
    /// Makes an error of wrong content without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            path: PathBuf::new(),
            kind: FaultKind::Content,
            message: message.into(),
            line: None,
            column: None,
            excerpt: None,
            mark: None,
            help: None,
        }
    }

    /// Sets the kind; [`FaultKind::Content`] otherwise.
    pub fn of_kind(mut self, kind: FaultKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the line, from 1.
    pub fn at_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// Sets the column, in characters, from 1.
    pub fn at_column(mut self, column: usize) -> Self {
        self.column = Some(column);
        self
    }

    /// Sets the text to show.
    pub fn excerpt(mut self, text: impl Into<String>) -> Self {
        self.excerpt = Some(text.into());
        self
    }

    /// Sets the character of the excerpt that is at fault, from 0.
    pub fn marked(mut self, character: usize) -> Self {
        self.mark = Some(character);
        self
    }

    /// Sets the advice.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Sets the file; readers that work on bytes leave this to their caller.
    pub fn in_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.path = path.into();
        self
    }
}
