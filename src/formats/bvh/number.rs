//! Decimal numbers, read fast and always correctly rounded.
//!
//! Most captured values have few digits: an integer below 2⁵³ times or over a power of ten up to 10²² is one
//! correctly rounded operation on exact operands (Clinger 1990). Everything else goes to `fast-float2`.

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Reads the number at the start of `bytes`; gives its value and length. `None` where no finite number stands.
/// What follows the number is not looked at.
#[inline(always)]
pub(crate) fn parse(bytes: &[u8]) -> Option<(f64, usize)> {
    let digit = |i: usize| -> Option<u64> {
        let value = bytes.get(i)?.wrapping_sub(b'0');
        (value < 10).then_some(u64::from(value))
    };
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut at = start;
    let mut mantissa = 0u64;
    while let Some(value) = digit(at) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(value);
        at += 1;
    }
    let mut digits = at - start;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let point = at;
        while let Some(value) = digit(at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(value);
            at += 1;
        }
        fraction = at - point;
        digits += fraction;
    }
    // Nineteen digits cannot wrap the mantissa; an exponent, a plus sign or a word is for the slow path.
    let plain = !matches!(bytes.get(at), Some(b'e' | b'E'));
    if plain && digits.wrapping_sub(1) < 19 && fraction < POWERS.len() && mantissa <= 1 << 53 {
        let magnitude = mantissa as f64 / POWERS[fraction];
        return Some((if negative { -magnitude } else { magnitude }, at));
    }
    slow(bytes)
}

#[cold]
#[inline(never)]
fn slow(bytes: &[u8]) -> Option<(f64, usize)> {
    let (value, length) = fast_float2::parse_partial::<f64, _>(bytes).ok()?;
    // `inf` and `nan` are words, `1e999` is no number that a joint can have.
    (value.is_finite() && length > 0).then_some((value, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The value of the whole of `text`.
    fn whole(text: &str) -> Option<f64> {
        parse(text.as_bytes()).filter(|&(_, length)| length == text.len()).map(|(value, _)| value)
    }

    #[test]
    fn odd_spellings_are_numbers() {
        for (text, value) in [
            ("0", 0.0),
            (".0083333", 0.0083333),
            ("-.5", -0.5),
            ("+3", 3.0),
            ("7.", 7.0),
            ("-9.03919179143e-24", -9.03919179143e-24),
            ("1E3", 1000.0),
            ("00012.5", 12.5),
            ("123456789012345678901234567890", 123456789012345678901234567890.0),
            ("0.000000000000000000000000000001", 1e-30),
            ("9007199254740993", 9007199254740993.0),
        ] {
            assert_eq!(whole(text).map(f64::to_bits), Some(value.to_bits()), "{text}");
        }
        assert_eq!(whole("-0").map(f64::to_bits), Some((-0.0f64).to_bits()));
    }

    #[test]
    fn words_and_bare_signs_are_not_numbers() {
        for text in ["", "-", "+", ".", "-.", "e5", "nan", "inf", "-inf", "1e999", "x", "--1"] {
            assert_eq!(whole(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_decimal_text_reads_as_the_nearest_double(text in "-?[0-9]{0,20}\\.?[0-9]{1,22}([eE][+-]?[0-9]{1,2})?") {
            let expected: f64 = text.parse().unwrap();
            prop_assert_eq!(whole(&text).map(f64::to_bits), Some(expected.to_bits()));
        }

        #[test]
        fn every_double_survives_being_written(value in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL) {
            prop_assert_eq!(whole(&format!("{value:e}")).map(f64::to_bits), Some(value.to_bits()));
        }
    }
}
