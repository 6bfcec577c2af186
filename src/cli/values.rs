//! Values of options, read from words: each says what it expects.

/// Height of the ground, metres.
pub fn height(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('m').trim().parse().ok().filter(|v: &f64| v.is_finite());
    value.ok_or_else(|| "expected a height in metres".to_owned())
}

/// Time, seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('s').trim().parse().ok().filter(|v: &f64| v.is_finite());
    value.ok_or_else(|| "expected a time in seconds".to_owned())
}

/// Coefficient of friction.
pub fn friction(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|v: &f64| v.is_finite() && *v >= 0.0);
    value.ok_or_else(|| "expected a number from 0 on".to_owned())
}

/// Slope of the ground, degrees.
pub fn slope(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('°').trim().parse().ok().filter(|v: &f64| v.abs() <= 80.0);
    value.ok_or_else(|| "expected an angle between -80 and 80 degrees".to_owned())
}

/// Number of inner steps.
pub fn substeps(text: &str) -> Result<usize, String> {
    let value = text.trim().parse().ok().filter(|v| (1..=64).contains(v));
    value.ok_or_else(|| "expected a whole number from 1 to 64".to_owned())
}

/// Standing height, metres.
pub fn stature(text: &str) -> Result<f64, String> {
    /// Height above which no body is; heights in centimetres are.
    const TALLEST: f64 = 40.0;
    match quantity(text) {
        Ok(value) if value > TALLEST => {
            Err(format!("expected metres, and no body is {value} m tall; {} m, perhaps?", value / 100.0))
        }
        parsed => parsed,
    }
}

/// Positive quantity, with its unit or without.
pub fn quantity(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches(['k', 'g', 'm']).trim().parse().ok().filter(|v: &f64| v.is_finite() && *v > 0.0);
    value.ok_or_else(|| "expected a positive number".to_owned())
}
