//! BVH file as written: hierarchy, channels, numbers. Units, axes and the meaning of an OFFSET are interpreted elsewhere.

use std::io::Write;

/// Column of the motion block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Position along X, file units.
    Xposition,
    /// Position along Y, file units.
    Yposition,
    /// Position along Z, file units.
    Zposition,
    /// Rotation about X, degrees.
    Xrotation,
    /// Rotation about Y, degrees.
    Yrotation,
    /// Rotation about Z, degrees.
    Zrotation,
}

impl Channel {
    /// Positions X, Y, Z, then rotations X, Y, Z.
    pub const ALL: [Channel; 6] = [
        Channel::Xposition,
        Channel::Yposition,
        Channel::Zposition,
        Channel::Xrotation,
        Channel::Yrotation,
        Channel::Zrotation,
    ];

    /// Returns the keyword of the file.
    pub fn name(self) -> &'static str {
        match self {
            Channel::Xposition => "Xposition",
            Channel::Yposition => "Yposition",
            Channel::Zposition => "Zposition",
            Channel::Xrotation => "Xrotation",
            Channel::Yrotation => "Yrotation",
            Channel::Zrotation => "Zrotation",
        }
    }

    /// Returns the axis: 0, 1, 2 for X, Y, Z.
    pub fn axis(self) -> usize {
        match self {
            Channel::Xposition | Channel::Xrotation => 0,
            Channel::Yposition | Channel::Yrotation => 1,
            Channel::Zposition | Channel::Zrotation => 2,
        }
    }

    /// Returns true for a rotation channel.
    pub fn is_rotation(self) -> bool {
        matches!(self, Channel::Xrotation | Channel::Yrotation | Channel::Zrotation)
    }

    /// Returns the position channel along an axis.
    pub fn position(axis: usize) -> Channel {
        Self::ALL[axis % 3]
    }

    /// Returns the rotation channel about an axis.
    pub fn rotation(axis: usize) -> Channel {
        Self::ALL[3 + axis % 3]
    }

    pub(crate) fn from_keyword(word: &[u8]) -> Option<Channel> {
        Self::ALL.into_iter().find(|channel| channel.name().as_bytes().eq_ignore_ascii_case(word))
    }
}

/// ROOT or JOINT.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Name; may repeat.
    pub name: String,
    /// Index of the enclosing joint; always smaller than the joint's own. `None` for a ROOT.
    pub parent: Option<usize>,
    /// OFFSET from the parent, file units.
    pub offset: [f64; 3],
    /// Channels in file order, in which rotations are composed.
    pub channels: Vec<Channel>,
    /// Offsets of the End Sites; ordinary files have one on each leaf.
    pub end_sites: Vec<[f64; 3]>,
}

/// MOTION block.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Frame time that the file says, seconds; may be 0.
    pub frame_time: f64,
    /// Values row by row; a row has one value for each channel of each joint, in file order.
    pub values: Vec<f64>,
}

/// Line ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LineEnd {
    /// Unix: line feed.
    #[default]
    Lf,
    /// Windows: carriage return and line feed.
    CrLf,
}

/// BVH file: [`Document::to_bytes`] writes what [`Document::parse`] read, number for number.
///
/// ```
/// use sinew_motion::formats::bvh::{Damage, Document};
/// let text = "HIERARCHY\nROOT hips\n{\n OFFSET 0 0 0\n CHANNELS 1 Yposition\n}\nMOTION\nFrames: 2\nFrame Time: .04\n0.9\n1e0\n";
/// let (document, warnings) = Document::parse(text.as_bytes(), Damage::Refuse)?;
/// assert!(warnings.is_empty());
/// assert_eq!(document.motion.as_ref().unwrap().values, [0.9, 1.0]);
/// let (again, _) = Document::parse(&document.to_bytes(), Damage::Refuse)?;
/// assert_eq!(again, document);
/// # Ok::<(), sinew_motion::formats::FormatError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Joints in file order: depth first, parents before their children.
    pub nodes: Vec<Node>,
    /// Motion; absent if the file stops after the hierarchy.
    pub motion: Option<Motion>,
    /// Line ending of the file.
    pub line_end: LineEnd,
}

/// Deepest indentation, so that a long chain of joints does not fill a disk with tabs.
const DEEPEST_INDENT: usize = 40;

impl Document {
    /// Returns the number of values in a row.
    pub fn channel_count(&self) -> usize {
        self.nodes.iter().map(|node| node.channels.len()).sum()
    }

    /// Returns the number of complete rows of the motion block.
    pub fn frames(&self) -> usize {
        let channels = self.channel_count();
        self.motion.as_ref().map_or(0, |motion| motion.values.len().checked_div(channels).unwrap_or(0))
    }

    /// Writes the file, every number in the shortest form that reads back to the same bits.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Text { bytes: Vec::new(), end: if self.line_end == LineEnd::CrLf { "\r\n" } else { "\n" } };
        out.line(0, "HIERARCHY");
        // Depth of the joints that are still open, innermost last.
        let mut open: Vec<usize> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            while open.last().copied() != node.parent {
                match open.pop() {
                    Some(_) => out.line(open.len(), "}"),
                    None => break,
                }
            }
            let depth = open.len();
            let keyword = if node.parent.is_none() { "ROOT" } else { "JOINT" };
            out.line(depth, &format!("{keyword} {}", node.name));
            out.line(depth, "{");
            out.offset(depth + 1, &node.offset);
            out.channels(depth + 1, &node.channels);
            for site in &node.end_sites {
                out.line(depth + 1, "End Site");
                out.line(depth + 1, "{");
                out.offset(depth + 2, site);
                out.line(depth + 1, "}");
            }
            open.push(index);
        }
        for depth in (0..open.len()).rev() {
            out.line(depth, "}");
        }
        if let Some(motion) = &self.motion {
            out.motion(motion, self.frames(), self.channel_count());
        }
        out.bytes
    }
}

/// Text that grows line by line.
struct Text {
    bytes: Vec<u8>,
    end: &'static str,
}

impl Text {
    fn indent(&mut self, depth: usize) {
        self.bytes.extend(std::iter::repeat_n(b'\t', depth.min(DEEPEST_INDENT)));
    }

    fn finish_line(&mut self) {
        self.bytes.extend_from_slice(self.end.as_bytes());
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.indent(depth);
        self.bytes.extend_from_slice(text.as_bytes());
        self.finish_line();
    }

    fn offset(&mut self, depth: usize, offset: &[f64; 3]) {
        self.indent(depth);
        self.bytes.extend_from_slice(b"OFFSET");
        for &value in offset {
            self.bytes.push(b' ');
            self.number(value);
        }
        self.finish_line();
    }

    fn channels(&mut self, depth: usize, channels: &[Channel]) {
        let names: String = channels.iter().flat_map(|channel| [" ", channel.name()]).collect();
        self.line(depth, &format!("CHANNELS {}{names}", channels.len()));
    }

    fn motion(&mut self, motion: &Motion, frames: usize, channels: usize) {
        self.line(0, "MOTION");
        self.line(0, &format!("Frames: {frames}"));
        self.bytes.extend_from_slice(b"Frame Time: ");
        self.number(motion.frame_time);
        self.finish_line();
        if channels == 0 {
            return;
        }
        for row in motion.values.chunks_exact(channels) {
            for (k, &value) in row.iter().enumerate() {
                if k > 0 {
                    self.bytes.push(b' ');
                }
                self.number(value);
            }
            self.finish_line();
        }
    }

    /// Writes the shortest exact form; with an exponent where plain digits would be long.
    fn number(&mut self, value: f64) {
        let size = value.abs();
        let result = if size != 0.0 && !(1e-5..1e16).contains(&size) {
            write!(self.bytes, "{value:e}")
        } else {
            write!(self.bytes, "{value}")
        };
        // Writing to a Vec cannot fail.
        debug_assert!(result.is_ok());
    }
}
