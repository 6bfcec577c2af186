//! Units of numbers: `"30 deg"`, `"85 km/h"`, `"0.2 N*s/m"`.

use crate::math::Real;
use std::fmt;

/// Powers of metre, kilogram and second; radians are dimensionless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    pub metre: i8,
    pub kilogram: i8,
    pub second: i8,
    pub angle: i8,
}

const fn dimension(metre: i8, kilogram: i8, second: i8) -> Dimension {
    Dimension { metre, kilogram, second, angle: 0 }
}

pub const NUMBER: Dimension = dimension(0, 0, 0);
pub const LENGTH: Dimension = dimension(1, 0, 0);
pub const MASS: Dimension = dimension(0, 1, 0);
pub const TIME: Dimension = dimension(0, 0, 1);
pub const ANGLE: Dimension = Dimension { metre: 0, kilogram: 0, second: 0, angle: 1 };
pub const FREQUENCY: Dimension = dimension(0, 0, -1);
pub const SPEED: Dimension = dimension(1, 0, -1);
pub const SPIN: Dimension = Dimension { metre: 0, kilogram: 0, second: -1, angle: 1 };
pub const ACCELERATION: Dimension = dimension(1, 0, -2);
pub const FORCE: Dimension = dimension(1, 1, -2);
pub const TORQUE: Dimension = dimension(2, 1, -2);
pub const STIFFNESS: Dimension = dimension(0, 1, -2);
pub const DAMPING: Dimension = dimension(0, 1, -1);
pub const IMPULSE: Dimension = dimension(1, 1, -1);
pub const INERTIA: Dimension = dimension(2, 1, 0);
pub const DENSITY: Dimension = dimension(-3, 1, 0);
/// Any dimension.
pub const ANY: Dimension = Dimension { metre: 99, kilogram: 0, second: 0, angle: 0 };

/// Units that may follow a number: name, factor to SI, dimension.
pub const UNITS: [(&str, Real, Dimension); 25] = [
    ("m", 1.0, LENGTH),
    ("cm", 0.01, LENGTH),
    ("mm", 0.001, LENGTH),
    ("km", 1000.0, LENGTH),
    ("in", 0.0254, LENGTH),
    ("ft", 0.3048, LENGTH),
    ("kg", 1.0, MASS),
    ("g", 0.001, MASS),
    ("lb", 0.453_592_37, MASS),
    ("s", 1.0, TIME),
    ("ms", 0.001, TIME),
    ("min", 60.0, TIME),
    ("h", 3600.0, TIME),
    ("rad", 1.0, ANGLE),
    ("deg", std::f64::consts::PI / 180.0, ANGLE),
    ("turns", std::f64::consts::TAU, ANGLE),
    ("Hz", 1.0, FREQUENCY),
    ("rpm", std::f64::consts::TAU / 60.0, SPIN),
    ("N", 1.0, FORCE),
    ("kN", 1000.0, FORCE),
    ("J", 1.0, TORQUE),
    ("W", 1.0, dimension(2, 1, -3)),
    ("Pa", 1.0, dimension(-1, 1, -2)),
    ("mph", 0.447_04, SPEED),
    ("%", 0.01, NUMBER),
];

impl Dimension {
    pub fn times(self, other: Dimension, power: i8) -> Dimension {
        Dimension {
            metre: self.metre + power * other.metre,
            kilogram: self.kilogram + power * other.kilogram,
            second: self.second + power * other.second,
            angle: self.angle + power * other.angle,
        }
    }

    /// Returns true if a quantity of this dimension is accepted where `wanted` is expected. Radians are pure numbers
    /// (N·m/rad is N·m), so angles are distinguished from other dimensions only.
    pub fn fits(self, wanted: Dimension) -> bool {
        wanted == ANY
            || (self.metre, self.kilogram, self.second) == (wanted.metre, wanted.kilogram, wanted.second)
            // Angular stiffness and damping: N·m/rad where the entry is named in N/m.
            || (matches!(wanted, STIFFNESS | DAMPING) && self.times(LENGTH, -2).fits_plain(wanted))
            || (wanted == FORCE && self.fits_plain(TORQUE))
    }

    fn fits_plain(self, wanted: Dimension) -> bool {
        (self.metre, self.kilogram, self.second) == (wanted.metre, wanted.kilogram, wanted.second)
    }

    /// Name of the dimension with its unit.
    pub fn name(self) -> &'static str {
        match self {
            NUMBER => "a plain number",
            LENGTH => "a length in m",
            MASS => "a mass in kg",
            TIME => "a time in s",
            ANGLE => "an angle in rad",
            FREQUENCY => "a frequency in Hz",
            SPEED => "a speed in m/s",
            SPIN => "a turning speed in rad/s",
            ACCELERATION => "an acceleration in m/s²",
            FORCE => "a force in N",
            TORQUE => "a torque in N·m",
            STIFFNESS => "a stiffness in N/m or N·m/rad",
            DAMPING => "a damping in N·s/m or N·m·s/rad",
            IMPULSE => "a blow in N·s",
            INERTIA => "a moment of inertia in kg·m²",
            DENSITY => "a density in kg/m³",
            _ => "a quantity",
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
