//! Reader of figure files, with every word and number checked against the skeleton.

use super::schema::{AttachmentText, FORMAT, FigureText, SegmentText, ShapeText, Turn, Vector, Word};
use super::write::{joint_name, masses_word, side_word};
use crate::dynamics::{MassProperties, Placement, Shape};
use crate::figure::detached_limbs::{order, reattachments};
use crate::figure::{
    Attachment, AttachmentKind, Figure, Limits, Segment, SegmentShape, SegmentSource, SolePart, SolePoint,
};
use crate::files::FormatError;
use crate::files::text_error::{error_at, from_toml_error, unknown_word};
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::motion::{Role, Side, Skeleton};
use std::ops::Range;
use toml::Spanned;

pub(super) fn read(text: &str, skeleton: &Skeleton) -> Result<Figure, FormatError> {
    let file: FigureText = toml::from_str(text).map_err(|error| from_toml_error(text, &error, "figure"))?;
    Reader { text, skeleton }.figure(file)
}

struct Reader<'a> {
    text: &'a str,
    skeleton: &'a Skeleton,
}

impl Reader<'_> {
    fn figure(&self, file: FigureText) -> Result<Figure, FormatError> {
        if file.format.as_ref() != FORMAT {
            return Err(unknown_word(
                self.text,
                file.format.span(),
                "format of a figure",
                file.format.as_ref(),
                &[FORMAT],
            ));
        }
        let sources = [SegmentSource::Anthropometric, SegmentSource::Volume];
        let source = self.choose(&file.masses, "source of masses", &sources, |s| masses_word(*s).to_owned())?;
        let height = self.positive(&file.height, "height")?;
        if file.segment.is_empty() {
            return Err(FormatError::new("the figure has no segment").help("a segment begins with [[segment]]"));
        }
        let mut segments = Vec::with_capacity(file.segment.len());
        let mut carrier = vec![false; self.skeleton.len()];
        for segment in file.segment {
            let span = segment.joint.span();
            let segment = self.segment(segment)?;
            if std::mem::replace(&mut carrier[segment.joint], true) {
                return Err(error_at(self.text, span, format!("joint {:?} carries two segments", segment.name)));
            }
            segments.push(segment);
        }
        let mut roles = vec![None; self.skeleton.len()];
        segments.iter().for_each(|s: &Segment| roles[s.joint] = s.role);
        let reattachments = reattachments(self.skeleton, &roles);
        let order = order(self.skeleton, &reattachments);
        segments.sort_by_key(|s: &Segment| order.iter().position(|&j| j == s.joint));
        // What hangs on what, and what rides on what, is the skeleton's to say.
        let mut rides: Vec<Option<usize>> = vec![None; self.skeleton.len()];
        for j in order {
            let above = reattachments[j].or(self.skeleton.joint(j).parent).and_then(|p| rides[p]);
            let own = segments.iter().position(|s| s.joint == j);
            if let Some(own) = own {
                segments[own].parent = above;
                if above.is_none() {
                    segments[own].attachment = Attachment::free();
                }
            }
            rides[j] = own.or(above);
        }
        let find = |word: &Word| -> Result<usize, FormatError> {
            let joint = self.joint(word)?;
            let missing = || error_at(self.text, word.span(), format!("no segment is carried by {:?}", word.as_ref()));
            segments.iter().position(|s| s.joint == joint).ok_or_else(missing)
        };
        let mut apart = Vec::new();
        for [a, b] in &file.apart {
            let (a, b) = (find(a)?, find(b)?);
            apart.push([a.min(b), a.max(b)]);
        }
        apart.sort_unstable();
        apart.dedup();
        let mut soles = Vec::new();
        for sole in &file.sole {
            let sides = [Side::Left, Side::Right];
            let side = sole.side.as_ref().map(|w| self.choose(w, "side", &sides, |s| side_word(*s).to_owned()));
            soles.push(SolePoint {
                segment: find(&sole.segment)?,
                part: self.choose(&sole.part, "part of a sole", &SolePart::ALL, |p| p.word().to_owned())?,
                side: side.transpose()?,
                point: self.vector(&sole.point)?,
                across: self.vector(&sole.across)?,
            });
        }
        let skeleton = self.skeleton.clone();
        Ok(Figure { name: file.name, height, source, notes: Vec::new(), skeleton, segments, rides, apart, soles })
    }

    fn segment(&self, text: SegmentText) -> Result<Segment, FormatError> {
        let joint = self.joint(&text.joint)?;
        let role = text
            .role
            .as_ref()
            .map(|word| self.choose(word, "role", &Role::all().collect::<Vec<_>>(), |r| r.to_string()));
        let kilograms = self.positive(&text.mass, "mass")?;
        let [xx, yy, zz, xy, xz, yz] = *text.inertia.as_ref();
        let mass = MassProperties { mass: kilograms, inertia: Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) };
        if !mass.is_valid() {
            let message = "the inertia is not that of a body: it must be positive definite";
            return Err(error_at(self.text, text.inertia.span(), message));
        }
        let mut shapes = Vec::with_capacity(text.shape.len());
        for shape in &text.shape {
            shapes.push(self.shape(shape)?);
        }
        Ok(Segment {
            name: self.skeleton.joint(joint).name.clone(),
            joint,
            parent: None,
            role: role.transpose()?,
            mass,
            centre: self.vector(&text.centre)?,
            end: self.vector(&text.end)?,
            shapes,
            attachment: self.attachment(&text.attachment)?,
        })
    }

    fn attachment(&self, text: &AttachmentText) -> Result<Attachment, FormatError> {
        let kind = self.choose(&text.kind, "kind of joint", &AttachmentKind::ALL, |k| k.word().to_owned())?;
        let turn = |turn: &Option<Turn>| turn.as_ref().map_or(Ok(Quat::identity()), |turn| self.turn(turn));
        let at = text.at.as_ref().map_or(Ok(Vec3::zeros()), |at| self.vector(at))?;
        let limits = self.limits([&text.swing, &text.twist, &text.range], text.kind.span())?;
        let anatomy = match &text.anatomy {
            Some(own) => self.limits([&own.swing, &own.twist, &own.range], text.kind.span())?,
            None => limits,
        };
        let frame_a = Placement::new(at, turn(&text.frame_a)?);
        Ok(Attachment { kind, frame_a, frame_b: turn(&text.frame_b)?, limits, anatomy })
    }

    /// Limits from the keys `swing`, `twist` and `range`; `at` is where a fault points.
    fn limits(
        &self,
        [swing, twist, range]: [&Option<Spanned<[Real; 2]>>; 3],
        at: Range<usize>,
    ) -> Result<Limits, FormatError> {
        let ordered = |range: &Spanned<[Real; 2]>| {
            let [low, high] = *range.as_ref();
            if low <= high {
                Ok([low, high])
            } else {
                Err(error_at(self.text, range.span(), "this range ends below its beginning"))
            }
        };
        Ok(match (swing, twist, range) {
            (None, None, None) => Limits::None,
            (None, None, Some(hinge)) => Limits::Hinge { range: ordered(hinge)? },
            (Some(swing), twist, None) => {
                let half = *swing.as_ref();
                if !half.iter().all(|a| *a > 0.0 && *a < std::f64::consts::PI) {
                    return Err(error_at(self.text, swing.span(), "the half angles of a cone lie between 0 and π"));
                }
                let free = [Real::NEG_INFINITY, Real::INFINITY];
                Limits::SwingTwist { swing: half, twist: twist.as_ref().map_or(Ok(free), ordered)? }
            }
            _ => {
                let help = "give \"swing\" (and \"twist\") for a ball, or \"range\" for a hinge";
                return Err(error_at(self.text, at, "these limits do not go together").help(help));
            }
        })
    }

    fn shape(&self, text: &ShapeText) -> Result<SegmentShape, FormatError> {
        let lacks = |what: &str| {
            let message = format!("a {} needs {what:?}", text.kind.as_ref());
            error_at(self.text, text.kind.span(), message)
        };
        let vector =
            |v: &Option<Vector>, what: &str| v.as_ref().ok_or_else(|| lacks(what)).and_then(|v| self.vector(v));
        let radius = || {
            let radius = text.radius.as_ref().ok_or_else(|| lacks("radius"))?;
            self.positive(radius, "radius")
        };
        let kinds = ["sphere", "capsule", "box", "hull"];
        let shape = match self.choose(&text.kind, "shape", &kinds, |k| (*k).to_owned())? {
            "sphere" => Shape::Sphere { radius: radius()? },
            "capsule" => Shape::Capsule { a: vector(&text.a, "a")?, b: vector(&text.b, "b")?, radius: radius()? },
            "box" => Shape::Box { half_extents: vector(&text.half_extents, "half_extents")? },
            _ => {
                let points = text.points.as_ref().ok_or_else(|| lacks("points"))?;
                if points.as_ref().len() < 4 || !points.as_ref().iter().flatten().all(|x| x.is_finite()) {
                    return Err(error_at(
                        self.text,
                        points.span(),
                        "a hull needs four or more points of finite numbers",
                    ));
                }
                Shape::Hull { points: points.as_ref().iter().map(|p| Vec3::from(*p)).collect() }
            }
        };
        let position = text.position.as_ref().map_or(Ok(Vec3::zeros()), |v| self.vector(v))?;
        let rotation = text.rotation.as_ref().map_or(Ok(Quat::identity()), |q| self.turn(q))?;
        Ok(SegmentShape { shape, placement: Placement::new(position, rotation) })
    }

    /// A joint by its name, or by name and number where several share one.
    fn joint(&self, word: &Word) -> Result<usize, FormatError> {
        let name = word.as_ref();
        let known = |j: &usize| joint_name(self.skeleton, *j) == *name;
        if let Some(joint) = (0..self.skeleton.len()).find(known) {
            return Ok(joint);
        }
        let names: Vec<String> = (0..self.skeleton.len()).map(|j| joint_name(self.skeleton, j)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut error = unknown_word(self.text, word.span(), "joint of a figure", name, &names);
        error.message = format!("the skeleton has no joint {name:?}");
        Err(error)
    }

    fn choose<T: Copy>(
        &self,
        word: &Word,
        what: &str,
        known: &[T],
        spelt: impl Fn(&T) -> String,
    ) -> Result<T, FormatError> {
        if let Some(found) = known.iter().find(|k| spelt(k) == *word.as_ref()) {
            return Ok(*found);
        }
        let words: Vec<String> = known.iter().map(spelt).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Err(unknown_word(self.text, word.span(), &format!("{what} of a figure"), word.as_ref(), &words))
    }

    fn positive(&self, number: &Spanned<Real>, what: &str) -> Result<Real, FormatError> {
        let value = *number.as_ref();
        let wrong = || error_at(self.text, number.span(), format!("a {what} is a positive number, not {value}"));
        (value.is_finite() && value > 0.0).then_some(value).ok_or_else(wrong)
    }

    fn vector(&self, vector: &Vector) -> Result<Vec3, FormatError> {
        let value = Vec3::from(*vector.as_ref());
        let finite = value.iter().all(|x| x.is_finite());
        finite.then_some(value).ok_or_else(|| error_at(self.text, vector.span(), "these are not finite numbers"))
    }

    fn turn(&self, turn: &Turn) -> Result<Quat, FormatError> {
        let [w, x, y, z] = *turn.as_ref();
        let q = nalgebra::Quaternion::new(w, x, y, z);
        let norm = q.norm();
        if !(norm.is_finite() && norm > 1e-6) {
            return Err(error_at(self.text, turn.span(), "a turn is a quaternion (w, x, y, z) other than zero"));
        }
        // One that is as good as of unit length keeps its bits.
        Ok(if (norm - 1.0).abs() < 1e-9 { Quat::new_unchecked(q) } else { Quat::from_quaternion(q) })
    }
}
