//! What went wrong with a file, where, and what would be right.

use std::path::PathBuf;

/// The side on which the fault lies; it decides what is worth trying next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FaultKind {
    /// The file's content is wrong: another file, or a mended one, would pass.
    #[default]
    Content,
    /// The file cannot be opened, read or written at all.
    Access,
    /// The file may be right, but it is of a kind that sinew does not read or write.
    Unsupported,
}

/// A file that cannot be read or written.
///
/// The message says what was wrong, `line` and `column` (from 1) where, `help` what to do about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{}: {message}", path.display(), line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct FormatError {
    pub path: PathBuf,
    pub kind: FaultKind,
    /// What was wrong, a sentence without a full stop.
    pub message: String,
    /// Line in the file, from 1.
    pub line: Option<usize>,
    /// Column in the line, in characters, from 1.
    pub column: Option<usize>,
    /// The offending line, cut to a readable length.
    pub excerpt: Option<String>,
    /// Which character of the excerpt is at fault, from 0. Not the column: an excerpt can begin anywhere.
    pub mark: Option<usize>,
    /// How to mend it.
    pub help: Option<String>,
}

impl FormatError {
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

    /// Says on which side the fault lies; [`FaultKind::Content`] unless told.
    pub fn of_kind(mut self, kind: FaultKind) -> Self {
        self.kind = kind;
        self
    }

    pub fn at_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    pub fn at_column(mut self, column: usize) -> Self {
        self.column = Some(column);
        self
    }

    pub fn excerpt(mut self, text: impl Into<String>) -> Self {
        self.excerpt = Some(text.into());
        self
    }

    /// Says which character of the excerpt is at fault, from 0.
    pub fn marked(mut self, character: usize) -> Self {
        self.mark = Some(character);
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Names the file; readers that work on bytes leave this to their caller.
    pub fn in_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.path = path.into();
        self
    }
}
