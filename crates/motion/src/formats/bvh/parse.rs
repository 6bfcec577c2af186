//! Parsing of bytes into a [`Document`]: the hierarchy, without recursion.

use super::cursor::{Cursor, Keyword, quoted};
use super::document::{Channel, Document, LineEnd, Node};
use super::motion_block::{self, Rows};
use super::text::Text;
use super::{Damage, number};
use crate::files::limits::{DEEPEST_JOINT, MOST_JOINTS};
use crate::files::nearest;
use crate::formats::{FormatError, Warning};

/// Document with the places of its parts in the text.
pub(crate) struct Parsed<'a> {
    pub document: Document,
    pub warnings: Vec<Warning>,
    pub text: Text<'a>,
    /// Byte at which each joint begins.
    pub joint_places: Vec<usize>,
    /// Place of the motion rows.
    pub rows: Rows,
}

/// Asks for the keyword that a misspelt word was to be; empty for a word that is like none.
fn meant(word: &[u8]) -> String {
    const KNOWN: [&str; 12] = [
        "ROOT",
        "JOINT",
        "OFFSET",
        "CHANNELS",
        "MOTION",
        "End Site",
        "Xposition",
        "Yposition",
        "Zposition",
        "Xrotation",
        "Yrotation",
        "Zrotation",
    ];
    nearest(&String::from_utf8_lossy(word), KNOWN).map_or(String::new(), |near| format!("did you mean {near}? "))
}

impl Document {
    /// Parses a file. Faults whose meaning is certain give a warning with the line; a damaged motion block is refused, or
    /// cut to its longest unbroken run of complete rows if `damage` says so.
    pub fn parse(bytes: &[u8], damage: Damage) -> Result<(Document, Vec<Warning>), FormatError> {
        let parsed = parse(bytes, damage)?;
        Ok((parsed.document, parsed.warnings))
    }
}

pub(crate) fn parse(bytes: &[u8], damage: Damage) -> Result<Parsed<'_>, FormatError> {
    let text = Text::decode(bytes)?;
    let mut reader = Hierarchy {
        cursor: Cursor { bytes: &text.bytes, at: 0 },
        text: &text,
        nodes: Vec::new(),
        places: Vec::new(),
        has_offset: Vec::new(),
        has_channels: Vec::new(),
        open: Vec::new(),
        warnings: Vec::new(),
    };
    let motion_at = reader.run()?;
    let Hierarchy { nodes, places: joint_places, mut warnings, .. } = reader;
    let line_end = match text.bytes.iter().position(|&byte| byte == b'\n') {
        Some(at) if at > 0 && text.bytes[at - 1] == b'\r' => LineEnd::CrLf,
        _ => LineEnd::Lf,
    };
    let mut document = Document { nodes, motion: None, line_end };
    let mut rows = Rows::default();
    match motion_at {
        Some(at) => document.motion = Some(motion_block::read(&text, at, &document, damage, &mut warnings, &mut rows)?),
        None => warnings.push(text.warning(text.bytes.len(), "the file ends without a MOTION block")),
    }
    Ok(Parsed { document, warnings, text, joint_places, rows })
}

struct Hierarchy<'a> {
    cursor: Cursor<'a>,
    text: &'a Text<'a>,
    nodes: Vec<Node>,
    places: Vec<usize>,
    has_offset: Vec<bool>,
    has_channels: Vec<bool>,
    /// Joints whose closing brace is still to come, innermost last.
    open: Vec<usize>,
    warnings: Vec<Warning>,
}

impl Hierarchy<'_> {
    /// Reads up to MOTION and gives the byte after that word, or `None` where the file ends before.
    fn run(&mut self) -> Result<Option<usize>, FormatError> {
        self.start()?;
        loop {
            let word = self.cursor.peek();
            let at = self.cursor.at;
            self.cursor.advance(word);
            match Keyword::of(word) {
                Keyword::End if self.nodes.is_empty() => {
                    return Err(self.text.error(at, "the file ends before the first joint").help(TRUNCATED));
                }
                Keyword::End if self.open.is_empty() => return Ok(None),
                Keyword::End => return Err(self.unclosed(at, "the file ends")),
                Keyword::Motion if !self.open.is_empty() => return Err(self.unclosed(at, "MOTION begins")),
                Keyword::Motion if self.nodes.is_empty() => {
                    return Err(self.text.error(at, "MOTION begins before any joint was described"));
                }
                Keyword::Motion => return Ok(Some(self.cursor.at)),
                Keyword::Root => self.root(at)?,
                Keyword::Joint => self.joint(at)?,
                Keyword::EndSite => self.end_site(at)?,
                Keyword::Offset => self.offset(at)?,
                Keyword::Channels => self.channels(at)?,
                Keyword::Close => self.close(at)?,
                Keyword::Other => {
                    let message = format!("{} is not expected here", quoted(word));
                    let expected = if self.open.is_empty() {
                        "between joints, a hierarchy holds ROOT, then MOTION ends it"
                    } else {
                        "inside a joint, a hierarchy holds OFFSET, CHANNELS, JOINT, End Site or }"
                    };
                    return Err(self.text.error(at, message).help(format!("{}{expected}", meant(word))));
                }
            }
        }
    }

    fn start(&mut self) -> Result<(), FormatError> {
        let word = self.cursor.peek();
        let at = self.cursor.at;
        if word.eq_ignore_ascii_case(b"HIERARCHY") {
            self.cursor.advance(word);
            Ok(())
        } else if Keyword::of(word) == Keyword::Root {
            self.warnings.push(self.text.warning(at, "the word HIERARCHY is missing before the first ROOT"));
            Ok(())
        } else if word.is_empty() {
            Err(FormatError::new("the file is empty").help("a BVH file starts with the word HIERARCHY"))
        } else {
            let message = format!("this is not a BVH file: it starts with {}", quoted(word));
            Err(self.text.error(at, message).help("a BVH file starts with the word HIERARCHY"))
        }
    }

    fn root(&mut self, at: usize) -> Result<(), FormatError> {
        if let Some(&inside) = self.open.last() {
            let name = &self.nodes[inside].name;
            let message = format!("ROOT stands inside joint {name:?}, which is not closed");
            return Err(self.text.error(at, message).help("a } is missing before it"));
        }
        self.begin_joint(at, None)
    }

    fn joint(&mut self, at: usize) -> Result<(), FormatError> {
        match self.open.last() {
            Some(&parent) => self.begin_joint(at, Some(parent)),
            None => Err(self
                .text
                .error(at, "JOINT stands outside of every ROOT")
                .help("either a } before it is one too many, or this joint should be a ROOT")),
        }
    }

    fn begin_joint(&mut self, at: usize, parent: Option<usize>) -> Result<(), FormatError> {
        if self.nodes.len() == MOST_JOINTS {
            let message = format!("the file has more than {MOST_JOINTS} joints");
            return Err(self.text.error(at, message).help("no rig has so many; is this file what it should be?"));
        }
        if self.open.len() == DEEPEST_JOINT {
            let message = format!("more than {DEEPEST_JOINT} joints stand within each other");
            return Err(self.text.error(at, message).help("no rig is so deep; is this file what it should be?"));
        }
        let raw = self.cursor.rest_of_line();
        let mut name = match std::str::from_utf8(raw) {
            Ok(name) => name.to_owned(),
            Err(_) => {
                let warning = "a joint name is not UTF-8 and was read as Latin-1";
                self.warnings.push(self.text.warning(at, warning));
                raw.iter().map(|&byte| char::from(byte)).collect()
            }
        };
        if name.is_empty() {
            name = format!("joint{}", self.nodes.len());
            let warning = format!("a joint without a name is called {name:?}");
            self.warnings.push(self.text.warning(at, warning));
        }
        self.expect(b"{", || format!("joint {name:?} needs an opening brace"))?;
        self.open.push(self.nodes.len());
        self.nodes.push(Node { name, parent, offset: [0.0; 3], channels: Vec::new(), end_sites: Vec::new() });
        self.places.push(at);
        self.has_offset.push(false);
        self.has_channels.push(false);
        Ok(())
    }

    fn close(&mut self, at: usize) -> Result<(), FormatError> {
        let Some(joint) = self.open.pop() else {
            self.warnings.push(self.text.warning(at, "a } closes nothing and was ignored"));
            return Ok(());
        };
        let name = &self.nodes[joint].name;
        if !self.has_offset[joint] {
            let message = format!("joint {name:?} has no OFFSET");
            return Err(self
                .text
                .error(self.places[joint], message)
                .help("every joint needs one, such as OFFSET 0 0 0"));
        }
        if !self.has_channels[joint] {
            let warning = format!("joint {name:?} has no CHANNELS line; it does not move");
            self.warnings.push(self.text.warning(self.places[joint], warning));
        }
        Ok(())
    }

    fn offset(&mut self, at: usize) -> Result<(), FormatError> {
        let Some(&joint) = self.open.last() else {
            return Err(self.text.error(at, "OFFSET stands outside of every joint"));
        };
        if self.has_offset[joint] {
            let message = format!("joint {:?} has a second OFFSET", self.nodes[joint].name);
            return Err(self.text.error(at, message).help("a } or a JOINT line may be missing before it"));
        }
        self.nodes[joint].offset = self.three_numbers()?;
        self.has_offset[joint] = true;
        Ok(())
    }

    fn three_numbers(&mut self) -> Result<[f64; 3], FormatError> {
        let mut offset = [0.0; 3];
        for value in &mut offset {
            let word = self.cursor.peek();
            match number::parse(word).filter(|&(_, length)| length == word.len()) {
                Some((number, _)) => *value = number,
                None => {
                    let message = format!("OFFSET needs three numbers; {} is not one", quoted(word));
                    let error = self.text.error(self.cursor.at, message);
                    return Err(if word.contains(&b',') { error.help(DECIMAL_COMMA) } else { error });
                }
            }
            self.cursor.advance(word);
        }
        Ok(offset)
    }

    fn channels(&mut self, at: usize) -> Result<(), FormatError> {
        let Some(&joint) = self.open.last() else {
            return Err(self.text.error(at, "CHANNELS stands outside of every joint"));
        };
        let name = self.nodes[joint].name.clone();
        if self.has_channels[joint] {
            return Err(self.text.error(at, format!("joint {name:?} has a second CHANNELS line")));
        }
        if joint + 1 != self.nodes.len() {
            let message = format!("the CHANNELS of joint {name:?} come after its child joints");
            let help = "whether its columns come before or after theirs cannot be told; move the line up";
            return Err(self.text.error(at, message).help(help));
        }
        let word = self.cursor.peek();
        let declared = number::parse(word).filter(|&(_, length)| length == word.len()).map(|(value, _)| value);
        if declared.is_some() {
            self.cursor.advance(word);
        }
        let channels = self.channel_names(&name)?;
        if declared != Some(channels.len() as f64) {
            let said = declared.map_or("no number".to_owned(), |value| value.to_string());
            let warning =
                format!("CHANNELS of joint {name:?} says {said} and names {}; the names count", channels.len());
            self.warnings.push(self.text.warning(at, warning));
        }
        self.nodes[joint].channels = channels;
        self.has_channels[joint] = true;
        Ok(())
    }

    fn channel_names(&mut self, joint: &str) -> Result<Vec<Channel>, FormatError> {
        let mut channels: Vec<Channel> = Vec::new();
        loop {
            let word = self.cursor.peek();
            let Some(channel) = Channel::from_keyword(word) else {
                if Keyword::of(word) != Keyword::Other {
                    return Ok(channels);
                }
                let message = format!("{} is not a channel", quoted(word));
                let known = "channels are Xposition, Yposition, Zposition, Xrotation, Yrotation and Zrotation";
                return Err(self.text.error(self.cursor.at, message).help(format!("{}{known}", meant(word))));
            };
            if !channel.is_rotation() && channels.contains(&channel) {
                let message = format!("joint {joint:?} has the channel {} twice", channel.name());
                return Err(self.text.error(self.cursor.at, message));
            }
            if channels.len() == 64 {
                let message = format!("joint {joint:?} has more than 64 channels");
                return Err(self.text.error(self.cursor.at, message));
            }
            self.cursor.advance(word);
            channels.push(channel);
        }
    }

    fn end_site(&mut self, at: usize) -> Result<(), FormatError> {
        let Some(&joint) = self.open.last() else {
            return Err(self.text.error(at, "End Site stands outside of every joint"));
        };
        self.cursor.rest_of_line();
        self.expect(b"{", || "an End Site needs an opening brace".to_owned())?;
        let word = self.cursor.peek();
        if Keyword::of(word) != Keyword::Offset {
            let message = format!("an End Site holds one OFFSET, not {}", quoted(word));
            return Err(self.text.error(self.cursor.at, message));
        }
        self.cursor.advance(word);
        let offset = self.three_numbers()?;
        self.nodes[joint].end_sites.push(offset);
        // Some exporters give End Sites an empty channel list.
        let word = self.cursor.peek();
        if Keyword::of(word) == Keyword::Channels {
            self.cursor.advance(word);
            let zero = self.cursor.peek();
            if zero != b"0" {
                return Err(self.text.error(self.cursor.at, "an End Site cannot have channels"));
            }
            self.cursor.advance(zero);
        }
        self.expect(b"}", || "an End Site holds one OFFSET and then closes".to_owned())
    }

    fn expect(&mut self, brace: &[u8], message: impl FnOnce() -> String) -> Result<(), FormatError> {
        let word = self.cursor.peek();
        if word != brace {
            let message = format!("{}; {} stands there", message(), quoted(word));
            return Err(self.text.error(self.cursor.at, message));
        }
        self.cursor.advance(word);
        Ok(())
    }

    fn unclosed(&self, at: usize, event: &str) -> FormatError {
        let names: Vec<&str> = self.open.iter().rev().take(3).map(|&joint| &*self.nodes[joint].name).collect();
        let more = if self.open.len() > 3 { ", …" } else { "" };
        let message = match self.open.len() {
            1 => format!("{event} while joint {:?} is still open", names[0]),
            n => format!("{event} while {n} joints are still open ({}{more})", names.join(", ")),
        };
        let help = if event == "the file ends" {
            TRUNCATED
        } else {
            "a } is missing; where it belongs decides which joint carries which, so it is not guessed"
        };
        self.text.error(at, message).help(help)
    }
}

const TRUNCATED: &str = "the file was probably cut off while it was written or copied";
pub(super) const DECIMAL_COMMA: &str = "sinew reads decimal points; replace the decimal commas";
