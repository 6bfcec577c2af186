//! Animation curves: translation, rotation or scale of a node at a time, as the standard says.

use super::accessor::{Accessors, Numbers};
use super::key_reduction::mix;
use super::schema::{self, fault};
use crate::formats::FormatError;
use crate::{Quat, Real, Vec3};
use nalgebra::{Quaternion, Vector4};
use std::rc::Rc;

/// Property that a channel animates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    Translation,
    Rotation,
    Scale,
}

impl Path {
    /// Returns the path of a name in the file; `None` for morph weights and extensions.
    pub fn parse(name: &str) -> Option<Path> {
        [Path::Translation, Path::Rotation, Path::Scale].into_iter().find(|path| path.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Path::Translation => "translation",
            Path::Rotation => "rotation",
            Path::Scale => "scale",
        }
    }

    /// Returns how many numbers make a value.
    pub fn width(self) -> usize {
        if self == Path::Rotation { 4 } else { 3 }
    }

    /// Returns the accessor type of values.
    pub fn shape(self) -> &'static str {
        if self == Path::Rotation { "VEC4" } else { "VEC3" }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpolation {
    Step,
    Linear,
    CubicSpline,
}

/// Keys over time with their interpolation.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    times: Rc<Numbers>,
    values: Rc<Numbers>,
    pub interpolation: Interpolation,
}

/// Distance before a key at which a sample is the key, seconds: key times are 32-bit and sample times are not.
const ALMOST: Real = 1e-6;

impl Curve {
    /// Reads and checks one sampler for a channel.
    pub fn read(
        sampler: &schema::Sampler,
        path: Path,
        pointer: &str,
        accessors: &mut Accessors,
    ) -> Result<Curve, FormatError> {
        let interpolation = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicSpline,
            Some(other) => {
                return Err(fault(pointer, format!("has interpolation {other:?}, which glTF does not know")));
            }
        };
        let times = accessors.get(sampler.input)?;
        if times.width != 1 || times.values.is_empty() {
            return Err(fault(pointer, "has an input that is no list of times"));
        }
        if let Some(at) = times.values.windows(2).position(|w| w[1] < w[0]) {
            return Err(fault(pointer, format!("has times that run backwards after key {at}")));
        }
        let values = accessors.get(sampler.output)?;
        let width = path.width();
        let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        if values.width != width || values.values.len() != times.values.len() * width * per_key {
            let found = values.values.len() / values.width;
            let expected = times.values.len() * per_key;
            let message = format!("has {found} output elements of {} numbers, not {expected} of {width}", values.width);
            return Err(fault(pointer, message));
        }
        let curve = Curve { times, values, interpolation };
        if path == Path::Rotation {
            let keys = 0..curve.times.values.len();
            if let Some(bad) = keys.into_iter().find(|&k| curve.vertex::<4>(k).norm() < 1e-6) {
                return Err(fault(pointer, format!("has a rotation of length zero at key {bad}")));
            }
        }
        Ok(curve)
    }

    pub fn times(&self) -> &[f32] {
        &self.times.values
    }

    /// Returns true if some key (or, for splines, some tangent) differs from the given value by more than a share of it.
    pub fn leaves(&self, value: &Vec3, share: Real) -> bool {
        let differs = |k: usize| {
            let d = self.vertex::<3>(k) - value;
            d.iter().zip(value.iter()).any(|(d, v)| d.abs() > share * v.abs().max(1e-9))
        };
        let steep = |k: usize| self.part::<3>(3 * k).norm() > share || self.part::<3>(3 * k + 2).norm() > share;
        let cubic = self.interpolation == Interpolation::CubicSpline;
        (0..self.times.values.len()).any(|k| differs(k) || (cubic && steep(k)))
    }

    pub fn vector(&self, time: Real) -> Vec3 {
        match self.find(time) {
            Place::Key(k) => self.vertex::<3>(k),
            Place::Between { key, u, gap } => match self.interpolation {
                Interpolation::Step => self.vertex::<3>(key),
                Interpolation::Linear => self.vertex::<3>(key).lerp(&self.vertex::<3>(key + 1), u),
                Interpolation::CubicSpline => self.hermite::<3>(key, u, gap),
            },
        }
    }

    pub fn rotation(&self, time: Real) -> Quat {
        let unit = |v: Vector4<Real>| Quat::try_new(Quaternion::from(v), 1e-12).unwrap_or_else(Quat::identity);
        match self.find(time) {
            Place::Key(k) => unit(self.vertex::<4>(k)),
            Place::Between { key, u, gap } => match self.interpolation {
                Interpolation::Step => unit(self.vertex::<4>(key)),
                Interpolation::Linear => mix(&unit(self.vertex::<4>(key)), &unit(self.vertex::<4>(key + 1)), u),
                Interpolation::CubicSpline => unit(self.hermite::<4>(key, u, gap)),
            },
        }
    }

    fn find(&self, time: Real) -> Place {
        let times = &self.times.values;
        let slack = ALMOST + time.abs() * 2.0 * Real::from(f32::EPSILON);
        let after = times.partition_point(|&t| Real::from(t) <= time + slack);
        if after == 0 {
            return Place::Key(0);
        }
        let key = after - 1;
        let Some(&next) = times.get(after) else { return Place::Key(key) };
        let gap = Real::from(next) - Real::from(times[key]);
        let u = ((time - Real::from(times[key])) / gap).clamp(0.0, 1.0);
        if u == 0.0 { Place::Key(key) } else { Place::Between { key, u, gap } }
    }

    fn part<const N: usize>(&self, element: usize) -> nalgebra::SVector<Real, N> {
        let numbers = &self.values.values[element * N..(element + 1) * N];
        nalgebra::SVector::from_fn(|i, _| Real::from(numbers[i]))
    }

    /// The value of a key.
    fn vertex<const N: usize>(&self, key: usize) -> nalgebra::SVector<Real, N> {
        if self.interpolation == Interpolation::CubicSpline { self.part(3 * key + 1) } else { self.part(key) }
    }

    /// The cubic Hermite spline of the standard: tangents are per second and scaled by the gap.
    fn hermite<const N: usize>(&self, key: usize, u: Real, gap: Real) -> nalgebra::SVector<Real, N> {
        let (u2, u3) = (u * u, u * u * u);
        self.vertex::<N>(key) * (2.0 * u3 - 3.0 * u2 + 1.0)
            + self.part::<N>(3 * key + 2) * (gap * (u3 - 2.0 * u2 + u))
            + self.vertex::<N>(key + 1) * (-2.0 * u3 + 3.0 * u2)
            + self.part::<N>(3 * key + 3) * (gap * (u3 - u2))
    }
}

enum Place {
    Key(usize),
    /// `gap` is the time between the two keys, seconds.
    Between {
        key: usize,
        u: Real,
        gap: Real,
    },
}
