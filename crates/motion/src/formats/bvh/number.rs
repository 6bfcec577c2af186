//! Decimal numbers, read fast and always correctly rounded.
//!
//! Most captured values have few digits: an integer below 2⁵³ times or over a power of ten up to 10²² is one
//! correctly rounded operation on exact operands (Clinger 1990). Everything else goes to `fast-float2`.

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// The same as integers, for as many digits as are read at once.
const SHIFTS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Parses the number at the start of `bytes` and returns its value and length; `None` if there is no finite number. The
/// bytes after the number do not matter.
#[inline(always)]
pub(crate) fn parse(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut mantissa = 0u64;
    let mut at = digits(bytes, start, &mut mantissa);
    let mut count = at - start;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        let point = at + 1;
        at = digits(bytes, point, &mut mantissa);
        fraction = at - point;
        count += fraction;
    }
    // Nineteen digits cannot wrap the mantissa; an exponent, a plus sign or a word is for the slow path.
    let plain = !matches!(bytes.get(at), Some(b'e' | b'E'));
    if plain && count.wrapping_sub(1) < 19 && fraction < POWERS.len() && mantissa <= 1 << 53 {
        let magnitude = mantissa as f64 / POWERS[fraction];
        return Some((if negative { -magnitude } else { magnitude }, at));
    }
    slow(bytes)
}

/// Appends the digits from `at` on to the mantissa (which may wrap) and returns the place after them.
///
/// Eight bytes are looked at together, so that the usual short numbers take no branch per digit: where numbers
/// differ in length, a mispredicted branch costs more than all of the arithmetic.
#[inline(always)]
fn digits(bytes: &[u8], mut at: usize, mantissa: &mut u64) -> usize {
    while let Some(chunk) = bytes.get(at..at + 8).and_then(|chunk| chunk.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*chunk);
        let count = leading_digits(word);
        *mantissa = mantissa.wrapping_mul(SHIFTS[count]).wrapping_add(value_of(word, count));
        at += count;
        if count < 8 {
            return at;
        }
    }
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        *mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    at
}

/// Returns the number of leading digits among the eight bytes, first one lowest.
#[inline(always)]
fn leading_digits(word: u64) -> usize {
    // Digits become 0 to 9; adding 0x76 carries everything above 9 into the top bit, where bytes that were
    // above 0x7F already have it. No carry can leave a byte: the top bit is taken out first.
    const TOP: u64 = 0x8080_8080_8080_8080;
    let values = word ^ 0x3030_3030_3030_3030;
    let others = (((values & !TOP) + 0x7676_7676_7676_7676) | values) & TOP;
    (others.trailing_zeros() / 8) as usize
}

/// Returns the number that the first `count` digits make.
#[inline(always)]
fn value_of(word: u64, count: usize) -> u64 {
    // The digits move to the top, what is shifted in below counts as leading zeros.
    let digits = (word & 0x0F0F_0F0F_0F0F_0F0F).checked_shl(64 - 8 * count as u32).unwrap_or(0);
    // Neighbours are joined to pairs, fours, eight: the earlier digit is the lower byte and the greater weight.
    let pairs = (digits.wrapping_mul(10).wrapping_add(digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xFFFF_FFFF
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
            assert_eq!(whole(text).map(f64::to_bits), Some(f64::to_bits(value)), "{text}");
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
