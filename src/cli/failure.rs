//! Failure of a verb: one diagnostic with file, line, excerpt and help, and an exit code.

use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteHandlerOpts, MietteSpanContents, Report, SourceCode, SourceSpan,
    SpanContents,
};
use sinew::formats::{FaultKind, FormatError};
use std::fmt;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// Exit code of the process, ordered from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// The verb succeeded.
    Success = 0,
    /// A file's content is wrong.
    BadInput = 1,
    /// The command line is wrong, or a file cannot be reached or is of an unsupported kind.
    Usage = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// A failed verb, ready to be printed.
#[derive(Clone, Debug)]
pub struct Failure {
    message: String,
    line: Option<usize>,
    excerpt: Option<Excerpt>,
    help: Option<String>,
    exit: Exit,
    told: bool,
}

impl Failure {
    /// Something is wrong with what was typed, or with typing it for this file.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), line: None, excerpt: None, help: None, exit: Exit::Usage, told: false }
    }

    /// Failure caused by the content of a file.
    pub fn content(message: impl Into<String>) -> Self {
        Self { exit: Exit::BadInput, ..Self::usage(message) }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names the file that a failure is about.
    pub fn about(mut self, file: &Path) -> Self {
        self.message = format!("{}: {}", file.display(), self.message);
        self
    }

    /// Marks a failure that the object of `--json` holds already.
    pub fn told(mut self) -> Self {
        self.told = true;
        self
    }

    /// Returns true if the object of `--json` holds the failure already.
    pub fn is_told(&self) -> bool {
        self.told
    }

    /// The same with another exit code.
    #[cfg(feature = "viewer")]
    pub fn ending(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// The failure as a value for `--json`.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({ "message": self.message, "line": self.line, "help": self.help })
    }

    /// Prints the diagnostic to stderr. Errors of writing are ignored: stderr may be closed.
    pub fn print(&self) {
        let _ = writeln!(std::io::stderr(), "{:?}", Report::new(self.clone()));
    }
}

/// Chooses how diagnostics look: no wrapping where no terminal sets a width, so that logs stay searchable.
/// Colours and line drawing follow the terminal and `NO_COLOR` by themselves.
pub fn install_printer() {
    // Fails only when a printer is set twice; the first one then stays.
    let _ = miette::set_hook(Box::new(|_| {
        let wrap = std::io::stderr().is_terminal();
        Box::new(MietteHandlerOpts::new().context_lines(0).wrap_lines(wrap).break_words(false).build())
    }));
}

impl From<FormatError> for Failure {
    fn from(error: FormatError) -> Self {
        let file = error.path.display().to_string();
        let exit = match error.kind {
            FaultKind::Content => Exit::BadInput,
            FaultKind::Access | FaultKind::Unsupported => Exit::Usage,
        };
        // With an excerpt the line stands above it; without, it belongs to the message.
        let message = match (error.line, &error.excerpt) {
            (Some(line), None) => format!("{file}:{line}: {}", error.message),
            _ => format!("{file}: {}", error.message),
        };
        let excerpt = match (error.line, error.excerpt) {
            (Some(line), Some(text)) => Some(Excerpt::new(file, line, error.column, error.mark, &text)),
            _ => None,
        };
        Self { message, line: error.line, excerpt, help: error.help, exit, told: false }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl Diagnostic for Failure {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let excerpt = self.excerpt.as_ref()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, excerpt.marked))))
    }
}

/// One line of a file that is shown under its own line number, without the rest of the file at hand.
#[derive(Clone, Debug)]
struct Excerpt {
    file: String,
    /// Line, counted from 1.
    line: usize,
    /// Column, counted from 1.
    column: usize,
    text: String,
    /// The bytes of `text` to point at.
    marked: SourceSpan,
}

impl Excerpt {
    fn new(file: String, line: usize, column: Option<usize>, mark: Option<usize>, text: &str) -> Self {
        // Control characters of a damaged file must not reach the terminal; each keeps its place.
        let text: String = text.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let marked = match mark {
            Some(mark) => {
                let start = text.char_indices().nth(mark).map_or(text.len(), |(at, _)| at);
                let word = text[start..].split(' ').next().map_or(0, str::len);
                (start, word.max(1)).into()
            }
            None => {
                let indent = text.len() - text.trim_start().len();
                (indent, text.len() - indent).into()
            }
        };
        // A place just behind the text can be pointed at only if something is there.
        let text = text + " ";
        Self { file, line, column: column.unwrap_or(1), text, marked }
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        _span: &SourceSpan,
        _lines_before: usize,
        _lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let whole = SourceSpan::from((0, self.text.len()));
        let (line, column) = (self.line.saturating_sub(1), self.column.saturating_sub(1));
        let name = self.file.clone();
        Ok(Box::new(MietteSpanContents::new_named(name, self.text.as_bytes(), whole, line, column, 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(error: FormatError) -> String {
        let mut text = String::new();
        let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor());
        handler.with_context_lines(0).render_report(&mut text, &Failure::from(error)).expect("renders");
        text
    }

    #[test]
    fn an_excerpt_stands_under_its_own_line_number_with_the_word_marked() {
        let text = shown(
            FormatError::new("an angle is no number")
                .in_file("walk.bvh")
                .at_line(603)
                .at_column(407)
                .excerpt("… 17,31 4")
                .marked(2)
                .help("write it with a point"),
        );
        assert!(text.contains("walk.bvh: an angle is no number"), "{text}");
        assert!(text.contains("[walk.bvh:603:407]"), "{text}");
        assert!(text.contains("603 │ … 17,31 4"), "{text}");
        assert!(text.contains("·   ─────"), "{text}");
        assert!(text.contains("help: write it with a point"), "{text}");
    }

    #[test]
    fn a_column_behind_the_line_end_and_control_characters_do_not_hurt() {
        let text = shown(FormatError::new("cut off").in_file("a.bvh").at_line(1).marked(90).excerpt("1 2\u{1b}[31m 3"));
        assert!(text.contains("1 │ 1 2 [31m 3"), "{text}");
    }

    #[test]
    fn the_side_of_the_fault_decides_the_exit_code() {
        let exit = |kind| Failure::from(FormatError::new("x").of_kind(kind)).exit();
        assert_eq!(exit(FaultKind::Content), Exit::BadInput);
        assert_eq!(exit(FaultKind::Access), Exit::Usage);
        assert_eq!(exit(FaultKind::Unsupported), Exit::Usage);
    }
}
