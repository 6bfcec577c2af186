//! The text of an ASF file: units, root, bones, hierarchy. Nothing is interpreted yet.

use super::super::{FormatError, Warning};
use super::text::{Line, lines};
use crate::{Quat, Real, Vec3};
use std::collections::HashMap;

/// One value of an AMC line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dof {
    /// Translation along axis 0, 1, 2.
    Translate(usize),
    /// Rotation about axis 0, 1, 2.
    Rotate(usize),
    /// Stretch of the bone; read and not used.
    Length,
}

impl Dof {
    fn parse(word: &str) -> Option<Dof> {
        Some(match word.to_ascii_lowercase().as_str() {
            "tx" => Dof::Translate(0),
            "ty" => Dof::Translate(1),
            "tz" => Dof::Translate(2),
            "rx" => Dof::Rotate(0),
            "ry" => Dof::Rotate(1),
            "rz" => Dof::Rotate(2),
            "l" => Dof::Length,
            _ => return None,
        })
    }
}

/// A bone, or the root as bone 0 of no length.
#[derive(Clone, Debug)]
pub(super) struct Bone {
    pub name: String,
    pub parent: Option<usize>,
    /// Vector from the start of the bone to its end in world axes, file units.
    pub span: Vec3,
    /// Axes that the degrees of freedom rotate about.
    pub axes: Quat,
    pub dofs: Vec<Dof>,
    line: usize,
}

/// An ASF file as written. Parents come before their children.
#[derive(Clone, Debug)]
pub(super) struct Document {
    pub bones: Vec<Bone>,
    /// Rest place of the root, file units.
    pub position: Vec3,
    /// `length` of `:units`.
    pub length: Option<Real>,
    pub degrees: bool,
    pub warnings: Vec<Warning>,
}

/// Returns the rotation by angles that are applied one after the other about fixed axes.
pub(super) fn rotation(angles: impl IntoIterator<Item = (usize, Real)>) -> Quat {
    let axes = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    angles.into_iter().fold(Quat::identity(), |q, (axis, angle)| Quat::from_axis_angle(&axes[axis], angle) * q)
}

fn order(line: &Line<'_>, word: &str) -> Result<[usize; 3], FormatError> {
    let axes: Vec<usize> =
        word.bytes().filter_map(|b| b"xyz".iter().position(|&a| a == b.to_ascii_lowercase())).collect();
    let mut seen = axes.clone();
    seen.sort_unstable();
    if seen != [0, 1, 2] || word.len() != 3 {
        return Err(line.error_at(word, format!("{word:?} is no order of axes")).help("an order is XYZ, ZYX, …"));
    }
    Ok([axes[0], axes[1], axes[2]])
}

#[derive(Default)]
struct RawBone {
    name: Option<String>,
    direction: Option<Vec3>,
    length: Option<Real>,
    angles: [Real; 3],
    order: [usize; 3],
    dofs: Vec<Dof>,
}

struct Parser {
    bones: Vec<Bone>,
    named: HashMap<String, usize>,
    position: Vec3,
    orientation: [Real; 3],
    root_order: [usize; 3],
    length: Option<Real>,
    degrees: bool,
    warnings: Vec<Warning>,
    has_root: bool,
}

/// Reads the bytes of an ASF file.
pub(super) fn parse(bytes: &[u8]) -> Result<Document, FormatError> {
    let text = String::from_utf8_lossy(bytes);
    let root = Bone {
        name: "root".into(),
        parent: None,
        span: Vec3::zeros(),
        axes: Quat::identity(),
        // What everybody writes, should `order` be missing.
        dofs: (0..3).map(Dof::Translate).chain((0..3).map(Dof::Rotate)).collect(),
        line: 0,
    };
    let mut parser = Parser {
        bones: vec![root],
        named: HashMap::from([("root".to_string(), 0)]),
        position: Vec3::zeros(),
        orientation: [0.0; 3],
        root_order: [0, 1, 2],
        length: None,
        // Bones may come before `:units` in no known file; degrees are what everybody writes.
        degrees: true,
        warnings: Vec::new(),
        has_root: false,
    };
    let mut section = String::new();
    let mut open: Option<(Line<'_>, RawBone)> = None;
    let mut placed = vec![];
    for line in lines(text.trim_start_matches('\u{feff}')) {
        if let Some(name) = line.text.strip_prefix(':') {
            if let Some((begin, _)) = &open {
                return Err(begin.error("this bone has no `end`"));
            }
            section = name.split_ascii_whitespace().next().unwrap_or_default().to_ascii_lowercase();
            parser.has_root |= section == "root";
            continue;
        }
        match section.as_str() {
            "units" => parser.unit(&line)?,
            "root" => parser.root(&line)?,
            "bonedata" => parser.bone_line(line, &mut open)?,
            "hierarchy" => parser.hierarchy(&line, &mut placed)?,
            _ => {}
        }
    }
    if let Some((begin, _)) = &open {
        return Err(begin.error("this bone has no `end`; the file is cut off"));
    }
    if !parser.has_root {
        return Err(FormatError::new("has no :root section, so it is no Acclaim skeleton"));
    }
    parser.finish()
}

impl Parser {
    fn angle(&self) -> Real {
        if self.degrees { 1.0 } else { 180.0 / std::f64::consts::PI }
    }

    fn unit(&mut self, line: &Line<'_>) -> Result<(), FormatError> {
        match line.first().to_ascii_lowercase().as_str() {
            "length" => {
                let [length] = line.numbers("length")?;
                if length <= 0.0 {
                    return Err(line.error("a length unit must be above zero"));
                }
                self.length = Some(length);
            }
            "angle" => {
                let word = line.words().nth(1).unwrap_or_default();
                self.degrees = match word.to_ascii_lowercase().as_str() {
                    "deg" | "degree" | "degrees" => true,
                    "rad" | "radian" | "radians" => false,
                    _ => {
                        return Err(line
                            .error(format!("{word:?} is no unit of angle"))
                            .help("`angle deg` or `angle rad`"));
                    }
                };
            }
            _ => {}
        }
        Ok(())
    }

    fn root(&mut self, line: &Line<'_>) -> Result<(), FormatError> {
        match line.first().to_ascii_lowercase().as_str() {
            "order" => self.bones[0].dofs = dofs(line)?,
            "axis" => self.root_order = order(line, line.words().nth(1).unwrap_or_default())?,
            "position" => self.position = Vec3::from(line.numbers("position")?),
            "orientation" => self.orientation = line.numbers("orientation")?,
            _ => {}
        }
        Ok(())
    }

    fn bone_line<'a>(&mut self, line: Line<'a>, open: &mut Option<(Line<'a>, RawBone)>) -> Result<(), FormatError> {
        let word = line.first().to_ascii_lowercase();
        let Some((begin, raw)) = open else {
            if word != "begin" {
                return Err(line.error(format!("expected `begin` of a bone, found {word:?}")));
            }
            *open = Some((line, RawBone { order: [0, 1, 2], ..RawBone::default() }));
            return Ok(());
        };
        match word.as_str() {
            "begin" => return Err(begin.error("this bone has no `end`")),
            "end" => {
                let begin = *begin;
                if let Some((_, raw)) = open.take() {
                    self.add_bone(&begin, raw)?;
                }
            }
            "name" => {
                let name = line.text.get(4..).unwrap_or_default().trim();
                if name.is_empty() {
                    return Err(line.error("the bone has an empty name"));
                }
                raw.name = Some(name.to_string());
            }
            "direction" => raw.direction = Some(Vec3::from(line.numbers("direction")?)),
            "length" => raw.length = Some(line.numbers::<1>("length")?[0]),
            "axis" => {
                raw.angles = line.numbers("axis")?;
                if let Some(word) = line.words().nth(4) {
                    raw.order = order(&line, word)?;
                }
            }
            "dof" => raw.dofs = dofs(&line)?,
            // id, limits and their continuation lines, body mass, centre of mass: not needed for the motion.
            _ => {}
        }
        Ok(())
    }

    fn add_bone(&mut self, begin: &Line<'_>, raw: RawBone) -> Result<(), FormatError> {
        let name = raw.name.ok_or_else(|| begin.error("this bone has no name"))?;
        let direction = raw.direction.ok_or_else(|| begin.error(format!("bone {name} has no direction")))?;
        let length = raw.length.ok_or_else(|| begin.error(format!("bone {name} has no length")))?;
        if self.named.contains_key(&name) {
            return Err(begin.error(format!("there are two bones called {name}")));
        }
        if raw.dofs.contains(&Dof::Length) {
            let message = format!("bone {name} has a length channel, which is not used");
            self.warnings.push(Warning { line: Some(begin.number), message });
        }
        // The direction is a unit vector by definition; files carry it with six digits.
        let span = direction.try_normalize(1e-9).unwrap_or_else(Vec3::zeros) * length;
        if !span.iter().all(|x| x.is_finite()) {
            return Err(begin.error(format!("bone {name} has a direction or length that is out of range")));
        }
        let scale = self.angle().to_radians();
        let axes = rotation(raw.order.map(|axis| (axis, raw.angles[axis] * scale)));
        self.named.insert(name.clone(), self.bones.len());
        self.bones.push(Bone { name, parent: None, span, axes, dofs: raw.dofs, line: begin.number });
        Ok(())
    }

    fn hierarchy(&mut self, line: &Line<'_>, placed: &mut Vec<bool>) -> Result<(), FormatError> {
        let first = line.first();
        if matches!(first.to_ascii_lowercase().as_str(), "begin" | "end") && line.words().count() == 1 {
            return Ok(());
        }
        placed.resize(self.bones.len(), false);
        let find = |word: &str| {
            let unknown = || line.error_at(word, format!("{word:?} is no bone of this file"));
            self.named.get(word).copied().ok_or_else(unknown)
        };
        let parent = find(first)?;
        for word in line.words().skip(1) {
            let child = find(word)?;
            if child == 0 || placed[child] {
                return Err(line.error_at(word, format!("{word} already has a parent")));
            }
            placed[child] = true;
            self.bones[child].parent = Some(parent);
        }
        Ok(())
    }

    /// Puts parents before children, in the order of the file otherwise.
    fn finish(mut self) -> Result<Document, FormatError> {
        let scale = self.angle().to_radians();
        let orientation = self.orientation;
        self.bones[0].axes = rotation(self.root_order.map(|axis| (axis, orientation[axis] * scale)));
        let mut children = vec![Vec::new(); self.bones.len()];
        for (k, bone) in self.bones.iter().enumerate().skip(1) {
            match bone.parent {
                Some(parent) => children[parent].push(k),
                None => {
                    let message = format!("bone {} does not appear as a child in the :hierarchy", bone.name);
                    return Err(FormatError::new(message).at_line(bone.line));
                }
            }
        }
        let (mut sorted, mut stack) = (Vec::with_capacity(self.bones.len()), vec![(0, None)]);
        let mut reached = vec![false; self.bones.len()];
        while let Some((k, parent)) = stack.pop() {
            reached[k] = true;
            let index = sorted.len();
            sorted.push(Bone { parent, ..self.bones[k].clone() });
            stack.extend(children[k].iter().rev().map(|&child| (child, Some(index))));
        }
        if let Some(k) = reached.iter().position(|r| !r) {
            let lost = &self.bones[k];
            let message = format!("bone {} is its own ancestor in the :hierarchy", lost.name);
            return Err(FormatError::new(message).at_line(lost.line));
        }
        Ok(Document {
            bones: sorted,
            position: self.position,
            length: self.length,
            degrees: self.degrees,
            warnings: self.warnings,
        })
    }
}

fn dofs(line: &Line<'_>) -> Result<Vec<Dof>, FormatError> {
    let read = |word: &str| {
        let help = "known are tx ty tz rx ry rz and l";
        Dof::parse(word).ok_or_else(|| line.error_at(word, format!("{word:?} is no degree of freedom")).help(help))
    };
    let dofs: Vec<Dof> = line.words().skip(1).map(read).collect::<Result<_, _>>()?;
    if let Some(k) = (1..dofs.len()).find(|&k| dofs[..k].contains(&dofs[k])) {
        let word = line.words().nth(k + 1).unwrap_or_default();
        return Err(line.error_at(word, format!("{word} is listed twice")));
    }
    Ok(dofs)
}
