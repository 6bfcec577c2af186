//! Functions of numbers, with exact derivatives.

use crate::math::jet::Jet;
use crate::math::{Real, real};

macro_rules! functions {
    ($($variant:ident $name:literal $least:literal $most:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Function { $($variant),* }
        /// Name, function, minimum and maximum number of arguments.
        pub(super) const FUNCTIONS: &[(&str, Function, usize, usize)] = &[$(($name, Function::$variant, $least, $most)),*];
    };
}

functions! {
    Sin "sin" 1 1, Cos "cos" 1 1, Tan "tan" 1 1, Asin "asin" 1 1, Acos "acos" 1 1, Atan "atan" 1 1, Atan2 "atan2" 2 2,
    Sqrt "sqrt" 1 1, Exp "exp" 1 1, Ln "ln" 1 1, Abs "abs" 1 1, Sign "sign" 1 1, Floor "floor" 1 1, Round "round" 1 1,
    Mod "mod" 2 2, Min "min" 1 99, Max "max" 1 99, Hypot "hypot" 1 3, If "if" 3 3, Step "step" 2 2, Smooth "smooth" 3 3,
    Noise "noise" 1 1, Random "random" 1 1, Clamp "clamp" 3 3,
}

impl Function {
    pub(super) fn at(self, args: &[Jet]) -> Jet {
        let a = args.first().copied().unwrap_or_default();
        let x = a.value;
        match self {
            Function::Sin => a.chain(real::sin(x), real::cos(x), -real::sin(x)),
            Function::Cos => a.chain(real::cos(x), -real::sin(x), -real::cos(x)),
            Function::Tan => {
                let tan = real::tan(x);
                let slope = 1.0 + tan * tan;
                a.chain(tan, slope, 2.0 * tan * slope)
            }
            Function::Asin => {
                let s = (1.0 - x * x).sqrt();
                a.chain(real::asin(x), 1.0 / s, x / (s * s * s))
            }
            Function::Acos => {
                let s = (1.0 - x * x).sqrt();
                a.chain(real::acos(x), -1.0 / s, -x / (s * s * s))
            }
            Function::Atan => {
                let s = 1.0 / (1.0 + x * x);
                a.chain(real::atan(x), s, -2.0 * x * s * s)
            }
            Function::Atan2 => a.atan2(args[1]),
            Function::Sqrt => a.sqrt(),
            Function::Exp => a.chain(real::exp(x), real::exp(x), real::exp(x)),
            Function::Ln => a.chain(real::ln(x), 1.0 / x, -1.0 / (x * x)),
            Function::Abs => a.chain(x.abs(), x.signum(), 0.0),
            Function::Sign => Jet::constant(if x == 0.0 { 0.0 } else { x.signum() }),
            Function::Floor => Jet::constant(x.floor()),
            Function::Round => Jet::constant(x.round()),
            Function::Mod => {
                let m = args[1].value;
                Jet { value: x.rem_euclid(m), ..a }
            }
            Function::Min => args.iter().copied().reduce(|a, b| if b.value < a.value { b } else { a }).unwrap_or(a),
            Function::Max => args.iter().copied().reduce(|a, b| if b.value > a.value { b } else { a }).unwrap_or(a),
            Function::Hypot => {
                let square = args.iter().fold(Jet::default(), |sum, a| sum + *a * *a);
                let s = square.value.sqrt();
                if s > 0.0 { square.chain(s, 0.5 / s, -0.25 / (s * square.value)) } else { Jet::default() }
            }
            Function::If => {
                if x != 0.0 {
                    args[1]
                } else {
                    args[2]
                }
            }
            // step(from, x): 0 below `from`, else 1.
            Function::Step => Jet::constant((args[1].value >= x) as u8 as Real),
            // smooth(from, to, x): rises from 0 to 1 with a continuous acceleration.
            Function::Smooth => {
                let (from, to) = (x, args[1].value);
                let u = (args[2] - a) / (args[1] - a);
                match u.value {
                    v if v <= 0.0 || from == to && args[2].value < from => Jet::constant(0.0),
                    v if v >= 1.0 || v.is_nan() => Jet::constant(1.0),
                    v => u.chain(
                        v * v * v * (10.0 - 15.0 * v + 6.0 * v * v),
                        30.0 * v * v * (1.0 - v) * (1.0 - v),
                        60.0 * v * (1.0 - v) * (1.0 - 2.0 * v),
                    ),
                }
            }
            Function::Noise => noise(a),
            Function::Random => Jet::constant(hashed(x.round() as i64)),
            Function::Clamp => {
                let (low, high) = (args[1], args[2]);
                match x {
                    x if x < low.value => low,
                    x if x > high.value => high,
                    _ => a,
                }
            }
        }
    }
}

/// Pseudo-random number in [−1, 1] of a whole number, equal on every machine.
fn hashed(n: i64) -> Real {
    let mut x = (n as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^= x >> 31;
    (x >> 11) as Real / (1u64 << 52) as Real - 1.0
}

/// Value noise: random values at whole numbers, interpolated by a quintic.
fn noise(a: Jet) -> Jet {
    let cell = a.value.floor();
    let (left, right) = (hashed(cell as i64), hashed(cell as i64 + 1));
    let u = a - Jet::constant(cell);
    let v = u.value;
    let rise = u.chain(
        v * v * v * (10.0 - 15.0 * v + 6.0 * v * v),
        30.0 * v * v * (1.0 - v) * (1.0 - v),
        60.0 * v * (1.0 - v) * (1.0 - 2.0 * v),
    );
    Jet::constant(left) + rise * Jet::constant(right - left)
}
