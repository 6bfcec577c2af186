//! Evaluation context of one entry of a scene: evaluates its numbers at a time and for one repetition, and reports faults
//! with their position in the text.

use super::curve::TimeCurve;
use super::expression::{Expression, ExpressionError, Names, Variables};
use super::files::{Files, KeyPath};
use super::number::{Number, OneOrMany, Triple};
use super::objects::Origin;
use super::schema::Turn;
use super::unit::{ANGLE, ANY, Dimension, NUMBER};
use super::wav::Sound;
use crate::formats::FormatError;
use crate::math::jet::Jet;
use crate::math::{Quat, Real, Vec3};
use nalgebra as na;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Constants of `[let]`, parsed.
pub(crate) type Constants = BTreeMap<String, Expression>;

/// Evaluation context of an entry.
pub(crate) struct Context<'a> {
    pub files: &'a Files,
    constants: &'a Constants,
    key_path: KeyPath,
    pub time: Real,
    index: Real,
    count: Real,
    /// True if any number evaluated so far depends on time.
    varies: Cell<bool>,
}

type Fault = FormatError;

impl<'a> Context<'a> {
    pub fn new(files: &'a Files, constants: &'a Constants, key_path: KeyPath, time: Real) -> Self {
        Self { files, constants, key_path, time, index: 0.0, count: 1.0, varies: Cell::new(false) }
    }

    /// Context of an existing object.
    pub fn of(files: &'a Files, constants: &'a Constants, origin: &Origin, time: Real) -> Self {
        Self::new(files, constants, origin.key_path.clone(), time).repetition(origin.index, origin.count)
    }

    /// Sets the repetition.
    pub fn repetition(mut self, index: u32, count: u32) -> Self {
        (self.index, self.count) = (Real::from(index), Real::from(count));
        self
    }

    /// Context of a nested table.
    pub fn inside(&self, keys: &str) -> Context<'a> {
        Context { key_path: self.key_path.to(keys), varies: Cell::new(false), ..*self }
    }

    /// Returns true if any number evaluated so far depends on time.
    pub fn varies(&self) -> bool {
        self.varies.get()
    }

    /// Origin of objects that this entry creates.
    pub fn origin(&self) -> Origin {
        Origin { key_path: self.key_path.clone(), index: self.index as u32, count: self.count as u32 }
    }

    /// Error about a key path of this table, or about the table itself.
    pub fn fault(&self, keys: &str, message: impl Into<String>) -> Fault {
        self.files.fault(&self.key_path.to(keys), message)
    }

    fn variables(&self) -> Variables<'static> {
        Variables { time: self.time, index: self.index, count: self.count, ..Default::default() }
    }

    /// Parses a number without evaluating it.
    pub fn expression(&self, keys: &str, number: &Number, dimension: Dimension) -> Result<Expression, Fault> {
        let expression = read_number(self.files, self.constants, &self.key_path.to(keys), number, dimension)?;
        if expression.varies() {
            self.varies.set(true);
        }
        Ok(expression)
    }

    /// Number as a function of time.
    pub fn function(
        &self,
        keys: &str,
        number: &Number,
        dimension: Dimension,
    ) -> Result<impl Fn(Real) -> Jet + Clone + Send + Sync + use<>, Fault> {
        let expression = self.expression(keys, number, dimension)?;
        let (index, count) = (self.index, self.count);
        Ok(move |time: Real| expression.at(&Variables { time, index, count, ..Default::default() }))
    }

    /// Value and time derivatives now.
    pub fn jet(&self, keys: &str, number: &Number, dimension: Dimension) -> Result<Jet, Fault> {
        let jet = self.expression(keys, number, dimension)?.at(&self.variables());
        if jet.value.is_nan() {
            return Err(self.fault(keys, format!("this is no number at {} s", self.time)));
        }
        Ok(jet)
    }

    pub fn number(&self, keys: &str, number: &Number, dimension: Dimension) -> Result<Real, Fault> {
        let value = self.jet(keys, number, dimension)?.value;
        if value.is_finite() { Ok(value) } else { Err(self.fault(keys, "this is not a finite number")) }
    }

    pub fn maybe(&self, keys: &str, number: &Option<Number>, dimension: Dimension) -> Result<Option<Real>, Fault> {
        number.as_ref().map(|number| self.number(keys, number, dimension)).transpose()
    }

    /// Evaluates a number that must not depend on time.
    pub fn fixed(&self, keys: &str, number: &Option<Number>, dimension: Dimension) -> Result<Option<Real>, Fault> {
        let Some(number) = number else { return Ok(None) };
        let expression = read_number(self.files, self.constants, &self.key_path.to(keys), number, dimension)?;
        if expression.varies() {
            let help = "give it a number, or a formula of i, n and the constants of [let]";
            return Err(self.fault(keys, "this cannot change with time").help(help));
        }
        self.number(keys, number, dimension).map(Some)
    }

    /// Evaluates a number, with a default.
    pub fn or(&self, keys: &str, number: &Option<Number>, dimension: Dimension, default: Real) -> Result<Real, Fault> {
        Ok(self.maybe(keys, number, dimension)?.unwrap_or(default))
    }

    /// Evaluates a number of at least 0, with a default.
    pub fn non_negative_or(
        &self,
        keys: &str,
        number: &Option<Number>,
        dimension: Dimension,
        default: Real,
    ) -> Result<Real, Fault> {
        self.not_negative(keys, self.or(keys, number, dimension, default)?)
    }

    /// Evaluates a positive number, if it is given.
    pub fn maybe_positive(
        &self,
        keys: &str,
        number: &Option<Number>,
        dimension: Dimension,
    ) -> Result<Option<Real>, Fault> {
        self.maybe(keys, number, dimension)?.map(|value| self.positive(keys, value)).transpose()
    }

    /// Evaluates a required number.
    pub fn needed(
        &self,
        keys: &str,
        number: &Option<Number>,
        dimension: Dimension,
        owner: &str,
    ) -> Result<Real, Fault> {
        match number {
            Some(number) => self.number(keys, number, dimension),
            None => Err(self.missing(owner, keys)),
        }
    }

    /// Requires a positive number.
    pub fn positive(&self, keys: &str, value: Real) -> Result<Real, Fault> {
        self.required(keys, value, value > 0.0, "a positive number")
    }

    /// Requires a number of at least 0.
    pub fn not_negative(&self, keys: &str, value: Real) -> Result<Real, Fault> {
        self.required(keys, value, value >= 0.0, "a number from 0 on")
    }

    fn required(&self, keys: &str, value: Real, holds: bool, wanted: &str) -> Result<Real, Fault> {
        if holds {
            return Ok(value);
        }
        let what = keys.rsplit('.').next().unwrap_or(keys).replace('_', " ");
        Err(self.fault(keys, format!("the {what} must be {wanted}, not {value}")))
    }

    pub fn missing(&self, owner: &str, what: &str) -> Fault {
        let what = what.rsplit('.').next().unwrap_or(what);
        self.fault("", format!("a {owner} needs {what:?}"))
    }

    pub fn vector(&self, keys: &str, triple: &Triple, dimension: Dimension) -> Result<Vec3, Fault> {
        let part = |k: usize| self.number(&format!("{keys}.{k}"), &triple[k], dimension);
        Ok(Vec3::new(part(0)?, part(1)?, part(2)?))
    }

    pub fn maybe_vector(
        &self,
        keys: &str,
        triple: &Option<Triple>,
        dimension: Dimension,
    ) -> Result<Option<Vec3>, Fault> {
        triple.as_ref().map(|triple| self.vector(keys, triple, dimension)).transpose()
    }

    /// Evaluates a vector, zero by default.
    pub fn vector_or_zero(&self, keys: &str, triple: &Option<Triple>, dimension: Dimension) -> Result<Vec3, Fault> {
        Ok(self.maybe_vector(keys, triple, dimension)?.unwrap_or_else(Vec3::zeros))
    }

    /// Evaluates a direction, normalised.
    pub fn direction(&self, keys: &str, triple: &Triple) -> Result<Vec3, Fault> {
        let vector = self.vector(keys, triple, ANY)?;
        vector.try_normalize(1e-12).ok_or_else(|| self.fault(keys, "a direction must not be zero"))
    }

    pub fn maybe_direction(&self, keys: &str, triple: &Option<Triple>) -> Result<Option<Vec3>, Fault> {
        triple.as_ref().map(|triple| self.direction(keys, triple)).transpose()
    }

    /// Vector as a function of time: position, velocity, acceleration.
    pub fn vector_function(
        &self,
        keys: &str,
        triple: &Triple,
        dimension: Dimension,
    ) -> Result<impl Fn(Real) -> [Vec3; 3] + Clone + Send + Sync + use<>, Fault> {
        let part = |k: usize| self.function(&format!("{keys}.{k}"), &triple[k], dimension);
        let (x, y, z) = (part(0)?, part(1)?, part(2)?);
        Ok(move |time: Real| {
            let (x, y, z) = (x(time), y(time), z(time));
            [
                Vec3::new(x.value, y.value, z.value),
                Vec3::new(x.rate, y.rate, z.rate),
                Vec3::new(x.second, y.second, z.second),
            ]
        })
    }

    pub fn turn(&self, keys: &str, turn: &Option<Turn>) -> Result<Quat, Fault> {
        match turn {
            None => Ok(Quat::identity()),
            Some(Turn::Axis(one)) => {
                let axis = self.direction(&format!("{keys}.axis"), &one.axis)?;
                let angle = self.number(&format!("{keys}.angle"), &one.angle, ANGLE)?;
                Ok(Quat::from_scaled_axis(axis * angle))
            }
            Some(Turn::Several(several)) => {
                let mut whole = Quat::identity();
                for (k, one) in several.iter().enumerate() {
                    let axis = self.direction(&format!("{keys}.{k}.axis"), &one.axis)?;
                    let angle = self.number(&format!("{keys}.{k}.angle"), &one.angle, ANGLE)?;
                    whole *= Quat::from_scaled_axis(axis * angle);
                }
                Ok(whole)
            }
            Some(Turn::Quaternion([w, x, y, z])) => {
                let q = na::Quaternion::new(*w, *x, *y, *z);
                if !(q.norm().is_finite() && q.norm() > 1e-6) {
                    return Err(self.fault(keys, "a turn is a quaternion [w, x, y, z] other than zero"));
                }
                Ok(Quat::from_quaternion(q))
            }
        }
    }

    /// Replaces every {formula} of a name by its whole number.
    pub fn fill(&self, keys: &str, text: &str) -> Result<String, Fault> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            let Some((formula, after)) = behind.split_once('}') else {
                return Err(self.fault(keys, "a { of this name is not closed"));
            };
            let number = Number::Formula(formula.to_owned());
            let value = self.number(keys, &number, NUMBER)?;
            filled.push_str(before);
            filled.push_str(&format!("{}", value.round() as i64));
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    pub fn fill_all(&self, keys: &str, texts: &OneOrMany<String>) -> Result<Vec<String>, Fault> {
        texts.as_slice().iter().map(|text| self.fill(keys, text)).collect()
    }
}

/// Parses a number of a scene.
pub(crate) fn read_number(
    files: &Files,
    constants: &Constants,
    key_path: &KeyPath,
    number: &Number,
    dimension: Dimension,
) -> Result<Expression, Fault> {
    match number {
        Number::Plain(value) => Ok(Expression::number(*value)),
        Number::Formula(text) => {
            let mut names = Plain { constants };
            let expression =
                Expression::parse(text, &mut names).map_err(|error| formula_fault(files, key_path, error))?;
            if let Some(found) = expression.quantity.filter(|found| !found.fits(dimension)) {
                let what = match &key_path.0.last() {
                    Some(super::files::Step::Key(key)) => format!("{:?}", key),
                    _ => "this".to_owned(),
                };
                let message = format!("{what} is {dimension}, but {text:?} is {found}");
                return Err(files.fault(key_path, message).help(format!("expected {dimension}")));
            }
            Ok(expression)
        }
        Number::Curve { points, smooth, repeats } => TimeCurve::new(points, *smooth, *repeats)
            .map(Expression::curve)
            .map_err(|message| files.fault(&key_path.key("points"), message)),
        Number::Loudness { file, gain } => {
            let fault = |message: String| files.fault(&key_path.key("loudness"), message);
            loudness(files, file, *gain).map(Expression::curve).map_err(fault)
        }
    }
}

/// Loudness curve of a sound file that a scene names.
pub(crate) fn loudness(files: &Files, name: &str, gain: Real) -> Result<TimeCurve, String> {
    let bytes = files.bytes(name)?;
    Sound::read(&bytes).and_then(|sound| sound.loudness(gain)).map_err(|message| format!("{name:?} {message}"))
}

pub(crate) fn formula_fault(files: &Files, key_path: &KeyPath, error: ExpressionError) -> Fault {
    let fault = files.fault_within(key_path, Some(error.at), error.message);
    match error.help {
        Some(help) => fault.help(help),
        None => fault,
    }
}

/// Parses all constants, which may use each other.
pub(crate) fn constants(files: &Files) -> Result<Constants, Fault> {
    let mut known = Constants::new();
    let mut open: Vec<(&String, &Number)> = files.scene.constants.iter().collect();
    // Passes are repeated until all are parsed or none of the rest can be.
    while !open.is_empty() {
        let before = open.len();
        let mut failed = None;
        open.retain(|(name, number)| {
            let key_path = KeyPath::table("let").key(name);
            match read_number(files, &known, &key_path, number, ANY) {
                Ok(expression) => {
                    known.insert((*name).clone(), expression);
                    false
                }
                Err(error) => {
                    failed.get_or_insert(error);
                    true
                }
            }
        });
        if let (true, Some(error)) = (open.len() == before, failed) {
            return Err(error);
        }
    }
    Ok(known)
}

/// Resolver for formulas that may not use readings.
struct Plain<'a> {
    constants: &'a Constants,
}

impl Names for Plain<'_> {
    fn constant(&self, name: &str) -> Option<Expression> {
        self.constants.get(name).cloned()
    }

    fn reading(&mut self, name: &str) -> Result<usize, String> {
        Err(if name.contains('.') {
            format!("{name:?} cannot be read here: only expectations and controllers look at the scene")
        } else {
            format!("there is no name {name:?}")
        })
    }

    fn reading_between(&mut self, function: &str, _: &[String]) -> Result<usize, String> {
        Err(format!("{function}(…) cannot be read here: only expectations and controllers look at the scene"))
    }

    fn memory(&mut self, _: Real, _: Expression) -> Result<usize, String> {
        Err("at(…) stands in expectations only".into())
    }

    fn known(&self) -> Vec<String> {
        self.constants.keys().cloned().collect()
    }
}
