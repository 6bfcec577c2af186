//! The text of an AMC file: frames of values for the bones of an ASF.

use super::super::{FormatError, Warning};
use super::skeleton::Document;
use super::text::{Line, lines};
use crate::Real;
use crate::files::limits::LARGEST_ANGLE;
use std::collections::HashMap;

/// All frames of an AMC file.
pub(super) struct Motion {
    /// Values of all degrees of freedom, bone after bone in the order of the document, frame after frame.
    pub values: Vec<Real>,
    pub frames: usize,
    pub degrees: bool,
    /// Frame rate that the file says, Hz.
    pub rate: Option<Real>,
    pub warnings: Vec<Warning>,
}

struct Reader<'d> {
    document: &'d Document,
    named: HashMap<&'d str, usize>,
    /// Index of each bone's first value in a frame.
    starts: Vec<usize>,
    width: usize,
    values: Vec<Real>,
    /// Per bone, the frame (from 1) that last had values for it.
    seen: Vec<usize>,
    frames: usize,
    /// The line of the current frame's number.
    frame_line: usize,
    frame_number: i64,
    /// Number and line of the first frame.
    first_frame: (i64, usize),
    /// Bones that the first frame leaves out, and with it all others.
    absent: Vec<usize>,
    warnings: Vec<Warning>,
}

/// Reads the bytes of an AMC file. With `keep_complete`, the whole frames before an error are kept.
pub(super) fn parse(bytes: &[u8], document: &Document, keep_complete: bool) -> Result<Motion, FormatError> {
    let text = String::from_utf8_lossy(bytes);
    let mut starts = Vec::with_capacity(document.bones.len());
    let mut width = 0;
    for bone in &document.bones {
        starts.push(width);
        width += bone.dofs.len();
    }
    let mut reader = Reader {
        document,
        named: document.bones.iter().enumerate().map(|(k, b)| (b.name.as_str(), k)).collect(),
        starts,
        width,
        values: Vec::new(),
        seen: vec![0; document.bones.len()],
        frames: 0,
        frame_line: 0,
        frame_number: 0,
        first_frame: (0, 0),
        absent: Vec::new(),
        warnings: Vec::new(),
    };
    let (mut degrees, mut rate) = (None, None);
    let mut outcome = Ok(());
    for line in lines(text.trim_start_matches('\u{feff}')) {
        if let Some(header) = line.text.strip_prefix(':') {
            let mut words = header.split_ascii_whitespace();
            match words.next().unwrap_or_default().to_ascii_lowercase().as_str() {
                "degrees" => degrees = Some(true),
                "radians" => degrees = Some(false),
                "samples-per-second" | "fps" => rate = Some(rate_of(&line, words.next())?),
                _ => {}
            }
            continue;
        }
        outcome = reader.line(&line);
        if outcome.is_err() {
            break;
        }
    }
    // The frame that was being read when the file ended must be whole, too.
    let outcome = outcome.and_then(|()| reader.close_frame(true));
    if let Err(error) = outcome {
        let whole = reader.frames.saturating_sub(1);
        if !keep_complete || whole == 0 {
            let help = format!("the {whole} complete frames before it can be kept with --keep-complete");
            return Err(if whole > 0 && error.help.is_none() { error.help(help) } else { error });
        }
        reader.values.truncate(whole * width);
        reader.frames = whole;
        let message = format!("{}; only the {whole} complete frames before it are kept", error.message);
        reader.warnings.push(Warning { line: error.line, message });
    }
    if reader.frames == 0 {
        return Err(FormatError::new("has no frames").help("an AMC frame starts with a line that is its number"));
    }
    let mut warnings = reader.warnings;
    for &bone in &reader.absent {
        let message = format!("no frame has values for bone {}; it keeps its rest pose", document.bones[bone].name);
        warnings.push(Warning { line: None, message });
    }
    let degrees = degrees.unwrap_or(document.degrees);
    Ok(Motion { values: reader.values, frames: reader.frames, degrees, rate, warnings })
}

fn rate_of(line: &Line<'_>, word: Option<&str>) -> Result<Real, FormatError> {
    let rate = line.number(word.unwrap_or_default())?;
    if rate > 0.0 { Ok(rate) } else { Err(line.error("a frame rate must be above zero")) }
}

impl Reader<'_> {
    fn line(&mut self, line: &Line<'_>) -> Result<(), FormatError> {
        let mut words = line.words();
        let first = words.next().unwrap_or_default();
        if let Ok(number) = first.parse::<i64>() {
            if words.next().is_some() {
                return Err(line.error("a frame number must stand alone on its line"));
            }
            self.close_frame(false)?;
            if self.frames > 0 && Some(number) != self.frame_number.checked_add(1) {
                let message = format!("frame {number} follows frame {}; the gap is not filled", self.frame_number);
                // One of many is enough to know.
                if self.warnings.len() < 8 {
                    self.warnings.push(Warning { line: Some(line.number), message });
                }
            }
            self.frames += 1;
            self.frame_number = number;
            self.frame_line = line.number;
            if self.frames == 1 {
                self.first_frame = (number, line.number);
            }
            self.values.resize(self.frames * self.width, 0.0);
            return Ok(());
        }
        if self.frames == 0 {
            return Err(line.error(format!("expected a frame number, found {first:?}")));
        }
        let bone = *self.named.get(first).ok_or_else(|| {
            line.error_at(first, format!("frame {}: {first:?} is no bone of the skeleton", self.frame_number))
                .help("the .asf may be that of another subject")
        })?;
        if self.seen[bone] == self.frames {
            return Err(line.error(format!("frame {}: bone {first} has values twice", self.frame_number)));
        }
        self.seen[bone] = self.frames;
        let expected = self.document.bones[bone].dofs.len();
        let found = line.words().count() - 1;
        if found != expected {
            return Err(line.error(format!(
                "frame {}: bone {first} has {found} values, the skeleton says {expected}",
                self.frame_number
            )));
        }
        let start = (self.frames - 1) * self.width + self.starts[bone];
        for (value, word) in self.values[start..start + expected].iter_mut().zip(words) {
            *value = line.number(word)?;
            if value.abs() > LARGEST_ANGLE {
                let message = format!("frame {}: bone {first} has a value of {value:.1e}", self.frame_number);
                return Err(line
                    .error_at(word, message)
                    .help("no joint is turned by a million revolutions or so far away"));
            }
        }
        Ok(())
    }

    /// Checks that the current frame has values for every bone that moves. A bone may be left out of a file as a
    /// whole, but one frame alone cannot show that it was meant so.
    fn close_frame(&mut self, at_end: bool) -> Result<(), FormatError> {
        if self.frames == 0 {
            return Ok(());
        }
        let missing = |k: &usize| !self.document.bones[*k].dofs.is_empty() && self.seen[*k] != self.frames;
        let missing: Vec<usize> = (0..self.seen.len()).filter(missing).collect();
        if self.frames == 1 && !at_end && missing.first() != Some(&0) {
            self.absent = missing;
            return Ok(());
        }
        // `absent` and `missing` are both ascending; the first difference is what is wrong.
        let expected = |k: &&usize| !self.absent.contains(k);
        if let Some(&bone) = missing.iter().find(expected) {
            let name = &self.document.bones[bone].name;
            let message = format!("frame {} has no values for bone {name}", self.frame_number);
            return Err(FormatError::new(message).at_line(self.frame_line));
        }
        if let Some(&bone) = self.absent.iter().find(|k| !missing.contains(k)) {
            // The damage is in the first frame, so no whole frame comes before it.
            self.frames = 1;
            let (number, line) = self.first_frame;
            let message = format!("frame {number} has no values for bone {}", self.document.bones[bone].name);
            return Err(FormatError::new(message).at_line(line));
        }
        Ok(())
    }
}
