//! Header of the motion block: the two lines between MOTION and the rows.

use super::cursor::{Cursor, is_blank, is_line_end, quoted};
use super::number;
use super::parse::DECIMAL_COMMA;
use super::text::Text;
use crate::formats::{FormatError, Warning};

/// Content of the header, with the bytes where it stands.
#[derive(Default)]
pub(super) struct Header {
    pub frames: Option<usize>,
    pub frames_at: usize,
    pub frame_time: Option<f64>,
    pub frame_time_at: usize,
}

/// Reads `Frames:` and `Frame Time:` in any order, with blanks anywhere, either one possibly missing.
pub(super) fn read(text: &Text, cursor: &mut Cursor, warnings: &mut Vec<Warning>) -> Result<Header, FormatError> {
    let mut header = Header::default();
    loop {
        cursor.skip_blank();
        let at = cursor.at;
        let line = &cursor.bytes[at..];
        let line = &line[..line.iter().position(|&byte| is_line_end(byte)).unwrap_or(line.len())];
        let Some(colon) = line.iter().position(|&byte| byte == b':').filter(|_| line[0].is_ascii_alphabetic()) else {
            break;
        };
        let key: Vec<u8> = line[..colon].iter().filter(|byte| !is_blank(**byte)).map(u8::to_ascii_lowercase).collect();
        cursor.at = at + colon + 1;
        let mut value_at = Cursor { bytes: &cursor.bytes[..at + line.len()], at: cursor.at };
        let word = value_at.peek();
        let value = number::parse(word).filter(|&(_, length)| length == word.len()).map(|(value, _)| value);
        cursor.at = value_at.at + word.len();
        match key.as_slice() {
            b"frames" | b"frame" => {
                header.frames_at = at;
                header.frames = value.filter(|&n| n >= 0.0 && n.fract() == 0.0 && n < 1e15).map(|n| n as usize);
                if header.frames.is_none() {
                    let message = format!("{} is not a number of frames; the rows are counted instead", quoted(word));
                    warnings.push(text.warning(at, message));
                }
            }
            b"frametime" => {
                header.frame_time_at = at;
                header.frame_time = value;
                if value.is_none() {
                    let error = text.error(value_at.at, format!("the frame time is not a number: {}", quoted(word)));
                    return Err(if word.contains(&b',') { error.help(DECIMAL_COMMA) } else { error });
                }
            }
            _ => {
                let message = format!("{} is not expected here", quoted(line[..colon].trim_ascii()));
                return Err(text.error(at, message).help("after MOTION come \"Frames:\" and \"Frame Time:\""));
            }
        }
    }
    if header.frames_at == 0 {
        warnings.push(text.warning(cursor.at, "the motion block has no \"Frames:\" line; the rows are counted"));
    }
    Ok(header)
}
