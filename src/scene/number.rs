//! Number of a scene file: plain, a formula, a curve over time, or the loudness of a sound.

use crate::math::Real;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Number that may depend on time.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// Plain number: `mass = 2.5`.
    Plain(Real),
    /// Formula: `length = "0.3 + 0.1*sin(2*pi*t)"`, `angle = "30 deg"`.
    Formula(String),
    /// Curve over time: `speed = { points = [[0, 0], [2, 5]], smooth = true }`.
    Curve {
        /// Times in seconds, ascending, with the values.
        points: Vec<[Real; 2]>,
        /// True for a cubic spline instead of straight lines.
        smooth: bool,
        /// True if the curve repeats after its end.
        repeats: bool,
    },
    /// Loudness of a sound: `strength = { loudness = "take.wav", gain = 8 }`, root mean square, full scale is 1.
    Loudness {
        /// WAV file beside the scene.
        file: String,
        /// Factor of the loudness.
        gain: Real,
    },
}

impl From<Real> for Number {
    fn from(value: Real) -> Self {
        Number::Plain(value)
    }
}

impl Default for Number {
    fn default() -> Self {
        Number::Plain(0.0)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Number::Plain(value) => serializer.serialize_f64(*value),
            Number::Formula(text) => serializer.serialize_str(text),
            Number::Curve { points, smooth, repeats } => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("points", points)?;
                if *smooth {
                    map.serialize_entry("smooth", smooth)?;
                }
                if *repeats {
                    map.serialize_entry("repeats", repeats)?;
                }
                map.end()
            }
            Number::Loudness { file, gain } => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("loudness", file)?;
                map.serialize_entry("gain", gain)?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a formula in quotes, or a curve { points = [[seconds, value], …] }")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Number, E> {
        Ok(Number::Plain(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number::Plain(value as Real))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Number, E> {
        Ok(Number::Plain(value as Real))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
        Ok(Number::Formula(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Number, A::Error> {
        let (mut points, mut smooth, mut repeats, mut file, mut gain) = (None, false, false, None, 1.0);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "points" => points = Some(map.next_value()?),
                "smooth" => smooth = map.next_value()?,
                "repeats" => repeats = map.next_value()?,
                "loudness" => file = Some(map.next_value()?),
                "gain" => gain = map.next_value()?,
                other => {
                    return Err(de::Error::unknown_field(other, &["points", "smooth", "repeats", "loudness", "gain"]));
                }
            }
        }
        match (points, file) {
            (Some(points), None) => Ok(Number::Curve { points, smooth, repeats }),
            (None, Some(file)) => Ok(Number::Loudness { file, gain }),
            _ => Err(de::Error::custom("a number that changes has either \"points\" or \"loudness\"")),
        }
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number, a formula of time in quotes, a curve, or the loudness of a sound",
            "anyOf": [
                { "type": "number" },
                { "type": "string" },
                {
                    "type": "object",
                    "properties": {
                        "points": {
                            "type": "array",
                            "items": { "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 }
                        },
                        "smooth": { "type": "boolean" },
                        "repeats": { "type": "boolean" },
                        "loudness": { "type": "string" },
                        "gain": { "type": "number" }
                    },
                    "additionalProperties": false
                }
            ]
        })
    }
}

/// Three numbers: a position, a direction, a velocity.
pub type Triple = [Number; 3];

/// One value or a list of values.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// Single value.
    One(T),
    /// List of values.
    Many(Vec<T>),
}

/// Implemented by hand, so that errors name the entry and its position instead of the choice.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one entry or a list of them")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                T::deserialize(de::value::StrDeserializer::new(text)).map(OneOrMany::One)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(map)).map(OneOrMany::One)
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(seq)).map(OneOrMany::Many)
            }
        }

        deserializer.deserialize_any(Either(std::marker::PhantomData))
    }
}

impl<T> OneOrMany<T> {
    /// Values as a slice.
    pub fn as_slice(&self) -> &[T] {
        match self {
            OneOrMany::One(one) => std::slice::from_ref(one),
            OneOrMany::Many(many) => many,
        }
    }
}

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        OneOrMany::Many(Vec::new())
    }
}
