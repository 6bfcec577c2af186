//! Loudness of a sound: root mean square of a WAV file over short windows, as a curve.
//!
//! RIFF/WAVE with PCM of 8, 16, 24 or 32 bits, or 32-bit floats, any number of channels. Full scale is 1.

use super::curve::TimeCurve;
use crate::math::Real;

/// Sound of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Sound {
    /// Sampling rate, Hz.
    pub rate: Real,
    /// Mean of the channels, −1 to 1.
    pub samples: Vec<Real>,
}

/// Window of the root mean square, seconds: long for a voice, short for a gust.
const WINDOW: Real = 0.05;

impl Sound {
    /// Reads the bytes of a WAV file.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let word = |at: usize, size: usize| -> Option<usize> {
            let bytes = bytes.get(at..at.checked_add(size)?)?;
            Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte)))
        };
        if bytes.get(0..4) != Some(b"RIFF") || bytes.get(8..12) != Some(b"WAVE") {
            return Err("is no WAV file: it does not begin with RIFF and WAVE".into());
        }
        let (mut format, mut at) = (None, 12);
        while let (Some(name), Some(size)) = (bytes.get(at..at + 4), word(at + 4, 4)) {
            let start = at + 8;
            if name == b"fmt " {
                let field =
                    |offset: usize, size: usize| word(start + offset, size).ok_or("its format chunk is cut short");
                let (kind, channels, rate, bits) = (field(0, 2)?, field(2, 2)?, field(4, 4)?, field(14, 2)?);
                // The extensible format names the actual one in its sub-format.
                let kind = if kind == 0xFFFE { field(24, 2)? } else { kind };
                if channels == 0 || rate == 0 || !matches!((kind, bits), (1, 8 | 16 | 24 | 32) | (3, 32)) {
                    return Err(format!(
                        "holds {bits}-bit sound of kind {kind} in {channels} channels; PCM of 8 to 32 bits or 32-bit floats are read"
                    ));
                }
                format = Some((kind, channels, rate, bits / 8));
            }
            if name == b"data" {
                let (kind, channels, rate, width) = format.ok_or("its sound comes before its format")?;
                let end = start.saturating_add(size).min(bytes.len());
                let frames = bytes[start.min(end)..end].chunks_exact(width * channels);
                let sample = |bytes: &[u8]| -> Real {
                    let raw = bytes.iter().rev().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
                    match (kind, width) {
                        (3, _) => Real::from(f32::from_bits(raw)),
                        (_, 1) => (Real::from(raw) - 128.0) / 128.0,
                        (_, width) => {
                            let shift = 32 - 8 * width as u32;
                            Real::from((raw << shift) as i32) / 2_147_483_648.0
                        }
                    }
                };
                let mean = |frame: &[u8]| frame.chunks_exact(width).map(sample).sum::<Real>() / channels as Real;
                let samples: Vec<Real> = frames.map(mean).map(|s| if s.is_finite() { s } else { 0.0 }).collect();
                if samples.is_empty() {
                    return Err("holds no sound".into());
                }
                return Ok(Self { rate: rate as Real, samples });
            }
            at = match start.checked_add(size.next_multiple_of(2)) {
                Some(next) => next,
                None => break,
            };
        }
        Err("has no data chunk; its end may be missing".into())
    }

    /// Root mean square at the middle of each window; silence before and after.
    pub fn loudness(&self, gain: Real) -> Result<TimeCurve, String> {
        let window = (self.rate * WINDOW).round().max(1.0) as usize;
        let mut points = vec![[0.0, 0.0]];
        for (k, chunk) in self.samples.chunks(window).enumerate() {
            let square = chunk.iter().map(|s| s * s).sum::<Real>() / chunk.len() as Real;
            points.push([(k as Real + 0.5) * window as Real / self.rate, gain * square.sqrt()]);
        }
        points.push([(points.len() as Real) * window as Real / self.rate, 0.0]);
        TimeCurve::new(&points, false, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A WAV file of 16-bit samples.
    fn wav(rate: u32, samples: &[i16]) -> Vec<u8> {
        let data: Vec<u8> = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
        let mut bytes = b"RIFF".to_vec();
        bytes.extend((36 + data.len() as u32).to_le_bytes());
        bytes.extend(b"WAVEfmt ");
        bytes.extend(16u32.to_le_bytes());
        bytes.extend([1, 0, 1, 0]);
        bytes.extend(rate.to_le_bytes());
        bytes.extend((2 * rate).to_le_bytes());
        bytes.extend([2, 0, 16, 0]);
        bytes.extend(b"data");
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(data);
        bytes
    }

    /// A sine of amplitude a has the loudness a/√2; silence has none.
    #[test]
    fn a_sine_is_as_loud_as_its_amplitude_over_root_two() {
        let samples: Vec<i16> =
            (0..8000).map(|k| if k < 4000 { (16384.0 * (k as Real * 0.5).sin()) as i16 } else { 0 }).collect();
        let sound = Sound::read(&wav(8000, &samples)).expect("a sound");
        let loudness = sound.loudness(1.0).expect("a curve");
        assert!((loudness.at(0.25).value - 0.5 / 2.0_f64.sqrt()).abs() < 1e-2, "{:?}", loudness.at(0.25));
        assert_eq!(loudness.at(0.75).value, 0.0);
        assert_eq!(loudness.at(5.0).value, 0.0);
    }

    #[test]
    fn damaged_files_are_refused_and_never_panic() {
        let whole = wav(8000, &[1, 2, 3, 4]);
        for cut in 0..whole.len() {
            let _ = Sound::read(&whole[..cut]);
            let mut changed = whole.clone();
            changed[cut] = 0xFF;
            let _ = Sound::read(&changed);
        }
        assert!(Sound::read(b"RIFFxxxxWAVE").is_err());
    }
}
