//! The tables of a figure file.

use crate::math::Real;
use serde::Deserialize;
use toml::Spanned;

pub(super) type Word = Spanned<String>;
pub(super) type Vector = Spanned<[Real; 3]>;
/// w, x, y, z.
pub(super) type Turn = Spanned<[Real; 4]>;

/// The first line of every file says this.
pub(super) const FORMAT: &str = "sinew figure 1";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FigureText {
    pub format: Word,
    pub name: String,
    /// Read by itself, before there is a skeleton: see [`CaptureText`].
    #[serde(default, rename = "capture")]
    pub _capture: Option<String>,
    pub height: Spanned<Real>,
    pub masses: Word,
    #[serde(default)]
    pub apart: Vec<[Word; 2]>,
    #[serde(default)]
    pub segment: Vec<SegmentText>,
    #[serde(default)]
    pub sole: Vec<SoleText>,
}

/// Whose body it is.
#[derive(Deserialize)]
pub(super) struct CaptureText {
    pub capture: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SegmentText {
    pub joint: Word,
    pub role: Option<Word>,
    pub mass: Spanned<Real>,
    pub centre: Vector,
    /// xx, yy, zz, xy, xz, yz.
    pub inertia: Spanned<[Real; 6]>,
    pub end: Vector,
    pub attachment: AttachmentText,
    #[serde(default)]
    pub shape: Vec<ShapeText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AttachmentText {
    pub kind: Word,
    pub at: Option<Vector>,
    pub frame_a: Option<Turn>,
    pub frame_b: Option<Turn>,
    pub swing: Option<Spanned<[Real; 2]>>,
    pub twist: Option<Spanned<[Real; 2]>>,
    pub range: Option<Spanned<[Real; 2]>>,
    /// Limits of the anatomy, where those in use are wider.
    pub anatomy: Option<LimitsText>,
}

/// Limits of a joint: swing and twist of a ball, or the range of a hinge.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsText {
    pub swing: Option<Spanned<[Real; 2]>>,
    pub twist: Option<Spanned<[Real; 2]>>,
    pub range: Option<Spanned<[Real; 2]>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShapeText {
    pub kind: Word,
    pub a: Option<Vector>,
    pub b: Option<Vector>,
    pub radius: Option<Spanned<Real>>,
    pub half_extents: Option<Vector>,
    pub points: Option<Spanned<Vec<[Real; 3]>>>,
    pub position: Option<Vector>,
    pub rotation: Option<Turn>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SoleText {
    pub segment: Word,
    pub part: Word,
    pub side: Option<Word>,
    pub point: Vector,
    pub across: Vector,
}
