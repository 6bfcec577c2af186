//! What a file held, in our own units and axes, with the story of the conversion.

use crate::{Clip, Skeleton};
use crate::{Quat, Real, Vec3};
use std::fmt;

/// The kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
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

/// The length unit of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Its length; `Display` gives the usual name where there is one.
    pub metres: Real,
}

impl Unit {
    pub const METRE: Unit = Unit { metres: 1.0 };
    pub const DECIMETRE: Unit = Unit { metres: 0.1 };
    pub const CENTIMETRE: Unit = Unit { metres: 0.01 };
    pub const MILLIMETRE: Unit = Unit { metres: 0.001 };
    pub const INCH: Unit = Unit { metres: 0.0254 };
    pub const FOOT: Unit = Unit { metres: 0.3048 };
    /// The unit of the CMU motion capture database: 1/0.45 inch.
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

    /// The other ways to write a name.
    const SPELLINGS: [(&'static str, &'static [&'static str]); 6] = [
        ("m", &["metre", "metres", "meter", "meters"]),
        ("dm", &["decimetre", "decimetres", "decimeter", "decimeters"]),
        ("cm", &["centimetre", "centimetres", "centimeter", "centimeters"]),
        ("mm", &["millimetre", "millimetres", "millimeter", "millimeters"]),
        ("inch", &["in", "inches"]),
        ("foot", &["ft", "feet"]),
    ];

    /// Reads `cm`, `centimetres`, `inch`, `in`, `cmu`, … or a number of metres.
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

/// The direction a file calls up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    PlusX,
    MinusX,
    PlusY,
    MinusY,
    PlusZ,
    MinusZ,
}

impl UpAxis {
    pub const ALL: [UpAxis; 6] =
        [UpAxis::PlusX, UpAxis::MinusX, UpAxis::PlusY, UpAxis::MinusY, UpAxis::PlusZ, UpAxis::MinusZ];

    /// Reads `+y`, `z`, `-Y`, ….
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

    /// The unit vector in the file's axes.
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

    /// The turn that takes the file's axes to Y up: −90° about X for Z up, and its kin.
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

/// What a BVH root's position channels mean beside its OFFSET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootOffset {
    /// The channels are the position; the OFFSET is only a rest pose. Most producers.
    Replace,
    /// The channels add to the OFFSET.
    Add,
}

/// What the user says about a file; what is left open is guessed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    pub unit: Option<Unit>,
    pub up: Option<UpAxis>,
    pub root_offset: Option<RootOffset>,
    /// Frames per second, for files that do not say it (AMC).
    pub rate: Option<Real>,
    /// Drops a T-pose that was inserted before the motion, when one is found.
    pub drop_tpose: bool,
    /// Keeps the complete frames of a file whose motion block is damaged, instead of refusing it.
    pub keep_complete: bool,
}

/// Something the file does not say and we decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// What was decided: `unit`, `up`, `root offset`, ….
    pub what: &'static str,
    pub chosen: String,
    pub why: String,
    /// The option that overrides it, such as `--unit`.
    pub option: &'static str,
}

/// Something wrong with the file that could be lived with.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Line in the file, from 1, for text formats.
    pub line: Option<usize>,
    pub message: String,
}

/// The story of a conversion.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportReport {
    pub format: Format,
    /// The file's length unit.
    pub unit: Unit,
    /// The file's up axis.
    pub up: UpAxis,
    pub guesses: Vec<Guess>,
    pub warnings: Vec<Warning>,
    /// Frame number (from 0) of an inserted T-pose, per clip that has one; the clip still holds it unless
    /// [`ImportOptions::drop_tpose`] was set.
    pub inserted_tpose: Option<usize>,
}

/// A file's skeleton and clips in metres, Y up.
#[derive(Clone, Debug)]
pub struct Capture {
    pub skeleton: Skeleton,
    /// May be empty: a file can hold a skeleton alone.
    pub clips: Vec<Clip>,
    pub report: ImportReport,
    /// The file itself, for writing back into it.
    pub source: Option<Source>,
}

/// The file as it was, kept so that writing it back changes only what was asked.
#[derive(Clone, Debug)]
pub enum Source {
    Bvh(super::bvh::Document),
    Gltf(super::gltf::Document),
}
