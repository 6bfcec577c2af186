//! Elementary functions with one implementation for all machines.
//!
//! `f64::sin` and its like call the C library of the system, whose results differ in the last bit between systems, between
//! versions, and between processors with and without fused multiplication. A simulation turns such a bit into centimetres.
//! These are the functions of the crate `libm`: plain Rust, only the operations that IEEE 754 defines exactly, in one order.
//! Where `libm` uses a fused multiplication it rounds once, in software if need be. `nalgebra` and `parry` are built to
//! call the same crate.
//!
//! Square roots, rounding, remainders and whole powers (`f64::powi`, a product) are exact or made of exact operations; the
//! methods of `f64` are used for them. `clippy.toml` refuses the others outside of tests.

use crate::Real;

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($argument:ident),+) = $function:ident;)+) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name($($argument: Real),+) -> Real {
            libm::$function($($argument),+)
        }
    )+};
}

functions! {
    /// Returns the sine of an angle, radians.
    sin(angle) = sin;
    /// Returns the cosine of an angle, radians.
    cos(angle) = cos;
    /// Returns the tangent of an angle, radians.
    tan(angle) = tan;
    /// Returns the angle with this sine, −π/2 to π/2.
    asin(x) = asin;
    /// Returns the angle with this cosine, 0 to π.
    acos(x) = acos;
    /// Returns the angle with this tangent, −π/2 to π/2.
    atan(x) = atan;
    /// Returns the angle of the point (x, y), −π to π.
    atan2(y, x) = atan2;
    /// Returns eˣ.
    exp(x) = exp;
    /// Returns 2ˣ.
    exp2(x) = exp2;
    /// Returns the natural logarithm.
    ln(x) = log;
    /// Returns the logarithm to base 10.
    log10(x) = log10;
    /// Returns `base` to the power of `exponent`.
    powf(base, exponent) = pow;
    /// Returns √(x² + y²) without overflow in between.
    hypot(x, y) = hypot;
    /// Returns the cube root.
    cbrt(x) = cbrt;
}

/// Returns the sine and the cosine of an angle, radians.
#[inline]
pub fn sin_cos(angle: Real) -> (Real, Real) {
    libm::sincos(angle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Quat, Vec3};

    /// All bits of 230 000 values, as one number. Another processor or system gives the same; the C library does not. A
    /// version of `libm` that changes a bit changes the results of every user, and is told in CHANGELOG.md.
    #[test]
    fn elementary_functions_have_the_same_bits_everywhere() {
        let (mut bits, mut x) = (0_u64, 1e-3);
        let mut mix = |value: Real| bits = bits.rotate_left(7) ^ value.to_bits();
        while x < 1e4 {
            for f in [sin, cos, tan, atan, ln, log10, cbrt] {
                mix(f(x));
            }
            for f in [asin, acos, exp, exp2] {
                mix(f(1.0 / (1.0 + x)));
            }
            for f in [atan2, powf, hypot] {
                mix(f(x, 0.7));
            }
            x *= 1.0009765625;
        }
        assert_eq!(bits, 0x0f40_6251_7870_1844, "{bits:#x}");
    }

    /// Errors stay within one unit in the last place of the system's functions, which are within one of the truth.
    #[test]
    fn elementary_functions_agree_with_the_system_to_two_units_in_the_last_place() {
        type Function = fn(Real) -> Real;
        let pairs: [(Function, Function); 7] = [
            (sin, Real::sin),
            (cos, Real::cos),
            (tan, Real::tan),
            (atan, Real::atan),
            (ln, Real::ln),
            (cbrt, Real::cbrt),
            (log10, Real::log10),
        ];
        for k in 1..4000 {
            let x = Real::from(k) * 0.0173;
            for (ours, system) in pairs {
                let (a, b) = (ours(x), system(x));
                assert!((a - b).abs() <= 2.0 * Real::EPSILON * b.abs().max(1e-3), "{x}: {a} {b}");
            }
        }
    }

    /// Printing counts digits by floor(log₁₀), so powers of ten must not fall below their exponent.
    #[test]
    fn logarithm_of_a_power_of_ten_is_its_exponent() {
        for k in -12..=15 {
            let power: Real = format!("1e{k}").parse().expect("a number");
            assert_eq!(log10(power), Real::from(k));
        }
    }

    /// nalgebra calls the same functions: its rotations have the bits of the formula.
    #[test]
    fn nalgebra_computes_with_the_same_functions() {
        for k in 1..2000 {
            let angle = Real::from(k) * 0.00157;
            let q = Quat::from_axis_angle(&Vec3::y_axis(), angle);
            assert_eq!((q.j.to_bits(), q.w.to_bits()), (sin(angle / 2.0).to_bits(), cos(angle / 2.0).to_bits()));
            assert_eq!(q.angle().to_bits(), (2.0 * atan2(q.imag().norm(), q.w.abs())).to_bits());
        }
    }
}
