//! Motion block: a header of two lines and one row of numbers per frame, in a single pass.
//!
//! Rows that are short, long or hold something else than finite numbers are damage. They never reach the
//! document; whether the rest is kept is the caller's choice ([`Damage`]).

use super::Damage;
use super::cursor::{Cursor, is_blank, is_line_end, quoted};
use super::document::{Document, Motion};
use super::motion_header;
use super::number;
use super::parse::DECIMAL_COMMA;
use super::text::Text;
use crate::formats::{FormatError, Warning};

/// Place of a document's rows in its text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Byte after the header.
    pub start: usize,
    /// Byte of the `Frame Time:` line, where there is one.
    pub frame_time: Option<usize>,
    /// Number of rows that were cut away before the document's first.
    pub skipped: usize,
    /// True if frames are spread over several lines or share one.
    reflowed: bool,
}

impl Rows {
    /// Returns the byte at which the row of a frame of the document begins; the start of the block if that is unclear.
    pub fn place(&self, bytes: &[u8], frame: usize) -> usize {
        let mut at = self.start;
        if self.reflowed {
            return at;
        }
        let mut wanted = frame + self.skipped;
        loop {
            while bytes.get(at).is_some_and(|&byte| is_blank(byte)) {
                at += 1;
            }
            if wanted == 0 || at >= bytes.len() {
                return at.min(bytes.len());
            }
            while bytes.get(at).is_some_and(|&byte| !is_line_end(byte)) {
                at += 1;
            }
            wanted -= 1;
        }
    }
}

/// Fault of a row.
enum Fault {
    /// Number of values that is not the number of channels.
    Count(usize),
    /// Word that is no finite number.
    Word,
}

/// Reads from the byte after MOTION.
pub(super) fn read(
    text: &Text,
    at: usize,
    document: &Document,
    damage: Damage,
    warnings: &mut Vec<Warning>,
    rows: &mut Rows,
) -> Result<Motion, FormatError> {
    let channels = document.channel_count();
    let mut cursor = Cursor { bytes: &text.bytes, at };
    let header = motion_header::read(text, &mut cursor, warnings)?;
    rows.start = cursor.at;
    let mut reader = Reader::new(&text.bytes, channels, header.frames);
    reader.run(cursor.at);
    if let Some(at) = reader.trailing {
        let message = "what stands after the last declared frame is not motion and was ignored";
        warnings.push(text.warning(at, message));
    }
    if !reader.faults.is_empty() && reader.reflow(header.frames) {
        rows.reflowed = true;
        let message = "the frames are not one to a line; the values were read one after the other";
        warnings.push(text.warning(rows.start, message));
    }
    let declared = header.frames;
    if !reader.faults.is_empty() {
        let kept = reader.longest_run();
        let error = reader.damage_error(text, document, &kept);
        if damage == Damage::Refuse || kept.is_empty() {
            return Err(error);
        }
        rows.skipped = reader.file_row(kept.start);
        let (first, last) = (rows.skipped + 1, rows.skipped + kept.len());
        let message = format!("{}; only frames {first} to {last} were kept", error.message);
        warnings.push(Warning { line: error.line, message });
        reader.keep(kept);
    } else if let Some(declared) = declared.filter(|_| channels > 0) {
        let found = reader.values.len() / channels;
        if declared != found {
            let message =
                format!("the header promises {declared} frames, the file holds {found}; all {found} are read");
            warnings.push(text.warning(header.frames_at, message));
        }
    }
    let mut values = reader.values;
    values.shrink_to_fit();
    rows.frame_time = header.frame_time.map(|_| header.frame_time_at);
    Ok(Motion { frame_time: header.frame_time.unwrap_or(0.0), values })
}

struct Reader<'a> {
    bytes: &'a [u8],
    channels: usize,
    declared: Option<usize>,
    /// Complete rows, one after the other.
    values: Vec<f64>,
    /// Rows that are not among `values`: number of complete rows before it, byte, what is wrong.
    faults: Vec<(usize, usize, Fault)>,
    /// Number of values of every line from the first fault on; for [`Reader::reflow`].
    lines: Vec<usize>,
    /// True while the faulty lines hold nothing but numbers; for [`Reader::reflow`].
    all_numbers: bool,
    /// Byte at which something else follows a complete motion block.
    trailing: Option<usize>,
}

/// Largest number of faults that are listed.
const MOST_FAULTS: usize = 10_000;

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], channels: usize, declared: Option<usize>) -> Self {
        Self {
            bytes,
            channels,
            declared,
            values: Vec::new(),
            faults: Vec::new(),
            lines: Vec::new(),
            all_numbers: true,
            trailing: None,
        }
    }

    /// Reads all rows in one pass.
    fn run(&mut self, mut at: usize) {
        let bytes = self.bytes;
        let rest = bytes.len() - at.min(bytes.len());
        // A value takes two bytes at least, whatever the header promises.
        let most = rest / 2 + 1;
        let wanted = self.declared.and_then(|frames| frames.checked_mul(self.channels)).unwrap_or(most);
        let mut values: Vec<f64> = Vec::with_capacity(wanted.min(most));
        while at < bytes.len() {
            let row_at = at;
            let row_start = values.len();
            let mut bad_word = None;
            // One line.
            loop {
                match bytes.get(at) {
                    None => break,
                    Some(&byte) if byte > b' ' => match number::parse(&bytes[at..]) {
                        Some((value, length)) if bytes.get(at + length).is_none_or(|&next| is_blank(next)) => {
                            values.push(value);
                            at += length;
                        }
                        _ => {
                            bad_word.get_or_insert(at);
                            while bytes.get(at).is_some_and(|&byte| !is_blank(byte)) {
                                at += 1;
                            }
                        }
                    },
                    Some(b'\n' | b'\r') => {
                        at += 1;
                        break;
                    }
                    Some(&byte) if is_blank(byte) => at += 1,
                    // Control characters, NUL among them, are no part of a number.
                    Some(_) => {
                        bad_word.get_or_insert(at);
                        at += 1;
                    }
                }
            }
            let count = values.len() - row_start;
            if count == self.channels && bad_word.is_none() {
                continue;
            }
            if count == 0 && bad_word.is_none() {
                // A blank line.
                continue;
            }
            let rows = row_start.checked_div(self.channels).unwrap_or(0);
            values.truncate(row_start);
            if self.faults.is_empty() && self.declared.is_some_and(|frames| rows >= frames) {
                self.trailing = Some(bad_word.unwrap_or(row_at));
                break;
            }
            self.all_numbers &= bad_word.is_none();
            let fault = if bad_word.is_some() { Fault::Word } else { Fault::Count(count) };
            self.faults.push((rows, bad_word.unwrap_or(row_at), fault));
            if self.faults.len() == MOST_FAULTS {
                break;
            }
        }
        self.values = values;
    }

    /// Reads the block again as one stream of values, where lines are only cut differently: every frame starts
    /// on a new line, or every line holds whole frames, and the total is what the header promises.
    fn reflow(&mut self, declared: Option<usize>) -> bool {
        let Some(total) = declared.and_then(|frames| frames.checked_mul(self.channels)) else { return false };
        if !self.all_numbers || self.channels == 0 || total == 0 || total > self.bytes.len() {
            return false;
        }
        let start = self.faults.first().map_or(0, |fault| fault.1);
        // Only the part from the first fault on has to be read again.
        let kept = self.faults.first().map_or(0, |fault| fault.0) * self.channels;
        let mut stream: Vec<f64> = self.values[..kept].to_vec();
        self.lines.clear();
        let mut at = start;
        while at < self.bytes.len() {
            let before = stream.len();
            while let Some(&byte) = self.bytes.get(at).filter(|&&byte| !is_line_end(byte)) {
                if is_blank(byte) {
                    at += 1;
                } else {
                    let Some((value, length)) = number::parse(&self.bytes[at..]) else { return false };
                    stream.push(value);
                    at += length;
                }
            }
            at += 1;
            if stream.len() > before {
                self.lines.push(stream.len() - before);
            }
        }
        let width = self.channels;
        let mut filled = 0;
        let wrapped = self.lines.iter().all(|&count| {
            filled = if filled == width { count } else { filled + count };
            filled <= width
        }) && filled == width;
        let joined = self.lines.iter().all(|count| count % width == 0);
        if stream.len() != total || !(wrapped || joined) {
            return false;
        }
        self.values = stream;
        self.faults.clear();
        true
    }

    /// Returns the longest run of complete rows between two faults, as a range of rows of `values`.
    fn longest_run(&self) -> std::ops::Range<usize> {
        let rows = self.values.len().checked_div(self.channels).unwrap_or(0);
        let cuts = self.faults.iter().map(|fault| fault.0).chain([rows]);
        let mut best = 0..0;
        let mut start = 0;
        for cut in cuts {
            if cut - start > best.len() {
                best = start..cut;
            }
            start = cut;
        }
        best
    }

    /// Returns the number of rows in the file before the given complete row.
    fn file_row(&self, row: usize) -> usize {
        row + self.faults.iter().take_while(|fault| fault.0 <= row).count()
    }

    fn keep(&mut self, rows: std::ops::Range<usize>) {
        self.values.truncate(rows.end * self.channels);
        self.values.drain(..rows.start * self.channels);
    }

    fn damage_error(&self, text: &Text, document: &Document, kept: &std::ops::Range<usize>) -> FormatError {
        let (rows, at, fault) = &self.faults[0];
        let row = rows + 1;
        let mut error = match fault {
            Fault::Count(found) => {
                let values = if *found == 1 { "value" } else { "values" };
                let channels = self.channels;
                let message =
                    format!("row {row} of the motion block has {found} {values}, the skeleton has {channels} channels");
                let missing = if found + 1 == channels { last_channel(document) } else { None };
                let error = text.error(*at, message);
                let bare = document.nodes.iter().find(|node| node.channels.is_empty() && *found > channels);
                match (missing, bare) {
                    (Some(name), _) => error.help(format!("the last channel of {name} is missing")),
                    (None, Some(node)) => error.help(format!("joint {:?} has no CHANNELS", node.name)),
                    (None, None) => error,
                }
            }
            Fault::Word => self.word_error(text, *at, row),
        };
        let before = kept.start == 0 && kept.end == *rows;
        let keep = match kept.len() {
            0 => None,
            n if before && n == 1 => Some("the complete frame before it can be kept with --keep-complete".to_owned()),
            n if before => Some(format!("the {n} complete frames before it can be kept with --keep-complete")),
            n => {
                let first = self.file_row(kept.start) + 1;
                let last = first + n - 1;
                Some(format!("the longest unbroken run, frames {first} to {last}, can be kept with --keep-complete"))
            }
        };
        let parts: Vec<String> = error.help.take().into_iter().chain(keep).collect();
        if parts.is_empty() { error } else { error.help(parts.join("; ")) }
    }

    fn word_error(&self, text: &Text, at: usize, row: usize) -> FormatError {
        let rest = &self.bytes[at..];
        let word = &rest[..rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len()).max(1)];
        let lower = word.to_ascii_lowercase();
        let holds = |part: &[u8]| lower.windows(part.len()).any(|window| window == part);
        // Windows programs print 1.#IND, 1.#QNAN and 1.#INF.
        let is_number_word = holds(b"nan") || holds(b"inf") || holds(b"#ind");
        let overflows = fast_float2::parse::<f64, _>(word).is_ok();
        if is_number_word || overflows {
            return text.error(at, format!("frame {row} holds {}, which is no finite number", quoted(word)));
        }
        let error = text.error(at, format!("row {row} of the motion block holds {}, which is no number", quoted(word)));
        if word.contains(&b',') { error.help(DECIMAL_COMMA) } else { error }
    }
}

fn last_channel(document: &Document) -> Option<String> {
    let node = document.nodes.iter().rev().find(|node| !node.channels.is_empty())?;
    Some(format!("{} ({})", node.name, node.channels.last()?.name()))
}
