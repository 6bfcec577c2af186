//! Content of a file in metres, Y up, with a report of the conversion.

use crate::{Clip, Skeleton};
use crate::{Quat, Real, Vec3};
use std::fmt;

/// File format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Biovision hierarchy.
    Bvh,
    /// JSON glTF.
    Gltf,
    /// Binary glTF.
    Glb,
    /// glTF with a humanoid bone map.
    Vrm,
    /// Acclaim skeleton and motion.
    AsfAmc,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Bvh => "BVH",
            Format::Gltf => "glTF",
            Format::Glb => "GLB",
            Format::Vrm => "VRM",
            Format::AsfAmc => "ASF/AMC",
        })
    }
}

/// Length unit of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Length of the unit, metres; `Display` gives the usual name where there is one.
    pub metres: Real,
}

impl Unit {
    /// 1 m, the unit of glTF.
    pub const METRE: Unit = Unit { metres: 1.0 };
    /// 0.1 m.
    pub const DECIMETRE: Unit = Unit { metres: 0.1 };
    /// 0.01 m, the usual unit of BVH.
    pub const CENTIMETRE: Unit = Unit { metres: 0.01 };
    /// 0.001 m.
    pub const MILLIMETRE: Unit = Unit { metres: 0.001 };
    /// 0.0254 m.
    pub const INCH: Unit = Unit { metres: 0.0254 };
    /// 0.3048 m.
    pub const FOOT: Unit = Unit { metres: 0.3048 };
    /// Unit of the CMU motion capture database: 1/0.45 inch.
    pub const CMU: Unit = Unit { metres: 0.0254 / 0.45 };

    const NAMED: [(&'static str, Unit); 7] = [
        ("m", Unit::METRE),
        ("dm", Unit::DECIMETRE),
        ("cm", Unit::CENTIMETRE),
        ("mm", Unit::MILLIMETRE),
        ("inch", Unit::INCH),
        ("foot", Unit::FOOT),
        ("cmu", Unit::CMU),
    ];

    /// Other spellings of a name.
    const SPELLINGS: [(&'static str, &'static [&'static str]); 6] = [
        ("m", &["metre", "metres", "meter", "meters"]),
        ("dm", &["decimetre", "decimetres", "decimeter", "decimeters"]),
        ("cm", &["centimetre", "centimetres", "centimeter", "centimeters"]),
        ("mm", &["millimetre", "millimetres", "millimeter", "millimeters"]),
        ("inch", &["in", "inches"]),
        ("foot", &["ft", "feet"]),
    ];

    /// Parses `cm`, `centimetres`, `inch`, `in`, `cmu`, … or a number of metres.
    ///
    /// ```
    /// use sinew_motion::formats::Unit;
    /// assert_eq!(Unit::parse("feet"), Some(Unit::FOOT));
    /// assert_eq!(Unit::parse("Centimeters"), Some(Unit::CENTIMETRE));
    /// assert_eq!(Unit::parse("0.0254"), Some(Unit::INCH));
    /// assert_eq!(Unit::parse("furlong"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Unit> {
        let lower = text.trim().to_ascii_lowercase();
        let spelt = Self::SPELLINGS.iter().find(|(_, others)| others.contains(&lower.as_str()));
        let short = spelt.map_or(lower.as_str(), |(name, _)| name);
        if let Some((_, unit)) = Self::NAMED.iter().find(|(name, _)| *name == short) {
            return Some(*unit);
        }
        let metres: Real = lower.strip_suffix('m').unwrap_or(&lower).trim().parse().ok()?;
        (metres.is_finite() && metres > 0.0).then_some(Unit { metres })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Self::NAMED.iter().find(|(_, unit)| unit == self) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "{} m", self.metres),
        }
    }
}

/// Up direction of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// +X.
    PlusX,
    /// −X.
    MinusX,
    /// +Y, that of glTF and of most BVH files.
    PlusY,
    /// −Y, of camera trackers.
    MinusY,
    /// +Z, of many engineering programs.
    PlusZ,
    /// −Z.
    MinusZ,
}

impl UpAxis {
    /// All directions.
    pub const ALL: [UpAxis; 6] =
        [UpAxis::PlusX, UpAxis::MinusX, UpAxis::PlusY, UpAxis::MinusY, UpAxis::PlusZ, UpAxis::MinusZ];

    /// Parses `+y`, `z`, `-Y`, ….
    pub fn parse(text: &str) -> Option<UpAxis> {
        let lower = text.trim().to_ascii_lowercase();
        Some(match lower.as_str() {
            "x" | "+x" => UpAxis::PlusX,
            "-x" => UpAxis::MinusX,
            "y" | "+y" => UpAxis::PlusY,
            "-y" => UpAxis::MinusY,
            "z" | "+z" => UpAxis::PlusZ,
            "-z" => UpAxis::MinusZ,
            _ => return None,
        })
    }

    /// Returns the unit vector in the file's axes.
    pub fn vector(self) -> Vec3 {
        match self {
            UpAxis::PlusX => Vec3::x(),
            UpAxis::MinusX => -Vec3::x(),
            UpAxis::PlusY => Vec3::y(),
            UpAxis::MinusY => -Vec3::y(),
            UpAxis::PlusZ => Vec3::z(),
            UpAxis::MinusZ => -Vec3::z(),
        }
    }

    /// Returns the rotation from the file's axes to Y up: −90° about X for Z up, and so on.
    pub fn to_y_up(self) -> Quat {
        use std::f64::consts::{FRAC_PI_2, PI};
        match self {
            UpAxis::PlusY => Quat::identity(),
            UpAxis::MinusY => Quat::from_axis_angle(&Vec3::x_axis(), PI),
            UpAxis::PlusZ => Quat::from_axis_angle(&Vec3::x_axis(), -FRAC_PI_2),
            UpAxis::MinusZ => Quat::from_axis_angle(&Vec3::x_axis(), FRAC_PI_2),
            UpAxis::PlusX => Quat::from_axis_angle(&Vec3::z_axis(), FRAC_PI_2),
            UpAxis::MinusX => Quat::from_axis_angle(&Vec3::z_axis(), -FRAC_PI_2),
        }
    }
}

impl fmt::Display for UpAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UpAxis::PlusX => "+X",
            UpAxis::MinusX => "-X",
            UpAxis::PlusY => "+Y",
            UpAxis::MinusY => "-Y",
            UpAxis::PlusZ => "+Z",
            UpAxis::MinusZ => "-Z",
        })
    }
}

/// Meaning of the position channels of a BVH joint beside its OFFSET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionChannels {
    /// Channels that are the position; the OFFSET is only a rest pose. Most producers.
    Replace,
    /// Channels that add to the OFFSET.
    Add,
}

impl fmt::Display for PositionChannels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PositionChannels::Replace => "replace",
            PositionChannels::Add => "add",
        })
    }
}

/// Options of reading a file; what is left open is detected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// Length unit.
    pub unit: Option<Unit>,
    /// Up direction.
    pub up: Option<UpAxis>,
    /// Meaning of the position channels of roots, and of joints that travel like one (BVH).
    pub root_offset: Option<PositionChannels>,
    /// Frames per second, for files that do not say it (AMC, BVH without a frame time, glTF with sparse keys).
    pub rate: Option<Real>,
    /// Drops a T-pose that was inserted before the motion, if one is detected.
    pub drop_tpose: bool,
    /// Keeps the complete frames of a file whose motion block is damaged, instead of refusing it.
    pub keep_complete: bool,
}

/// Property that the file does not say and that was detected.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Name of the property: `unit`, `up`, `root offset`, ….
    pub what: &'static str,
    /// Detected value.
    pub chosen: String,
    /// Reason, a sentence without a full stop.
    pub why: String,
    /// Command-line option that overrides it, such as `--unit`; empty where there is none.
    pub option: &'static str,
    /// Second best value, where it is too likely to be ruled out: the guess is uncertain.
    pub runner_up: Option<String>,
}

impl Guess {
    /// Returns a guess without a rival.
    pub fn new(what: &'static str, chosen: impl fmt::Display, why: impl Into<String>, option: &'static str) -> Guess {
        Guess { what, chosen: chosen.to_string(), why: why.into(), option, runner_up: None }
    }

    /// Names the second best value, if there is one that cannot be ruled out.
    pub fn rivalled_by(mut self, runner_up: Option<impl fmt::Display>) -> Guess {
        self.runner_up = runner_up.map(|value| value.to_string());
        self
    }
}

/// Fault of a file that did not prevent reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Line in the file, from 1, for text formats.
    pub line: Option<usize>,
    /// Description, a sentence without a full stop.
    pub message: String,
}

/// Report of a conversion.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportReport {
    /// Format of the file.
    pub format: Format,
    /// Length unit of the file.
    pub unit: Unit,
    /// Up direction of the file.
    pub up: UpAxis,
    /// Properties that were detected.
    pub guesses: Vec<Guess>,
    /// Faults that did not prevent reading.
    pub warnings: Vec<Warning>,
    /// Frame number (from 0) of an inserted T-pose, per clip that has one; the clip still holds it unless
    /// [`ImportOptions::drop_tpose`] was set.
    pub inserted_tpose: Option<usize>,
    /// Meaning of the position channels of each joint of a BVH; empty for other formats.
    pub position_channels: Vec<PositionChannels>,
    /// Logarithms of the likelihood of each direction to be up, nats, in the order of [`UpAxis::ALL`]; `None` where the motion
    /// was not asked.
    pub up_likelihoods: Option<[Real; 6]>,
}

impl ImportReport {
    /// Returns the report of a file in which nothing was detected and nothing was wrong.
    pub fn new(format: Format, unit: Unit, up: UpAxis) -> ImportReport {
        ImportReport {
            format,
            unit,
            up,
            guesses: Vec::new(),
            warnings: Vec::new(),
            inserted_tpose: None,
            position_channels: Vec::new(),
            up_likelihoods: None,
        }
    }
}

/// Skeleton and clips of a file, in metres, Y up.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Joint tree with its rest pose.
    pub skeleton: Skeleton,
    /// Motions; empty for a file that holds a skeleton alone.
    pub clips: Vec<Clip>,
    /// Report of the conversion.
    pub report: ImportReport,
    /// Content of the file, for writing back into it.
    pub source: Option<Source>,
}

/// Content of a file as it was, kept so that writing it back changes only what was asked.
#[derive(Clone, Debug)]
pub enum Source {
    /// BVH file.
    Bvh(super::bvh::Document),
    /// glTF, GLB or VRM file.
    Gltf(super::gltf::Document),
}
