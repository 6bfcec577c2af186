//! The breath of the mobile: noise that is loud for a while, and then silence.

/// Samples per second.
const RATE: u32 = 4000;
/// Seconds of silence, of breath, and of silence again.
const PARTS: [u32; 3] = [1, 7, 2];

/// A WAV file of 8-bit noise: half a second of silence, three and a half of breath, one of silence.
pub fn breath() -> Vec<u8> {
    let half = RATE / 2;
    let mut state: u32 = 1966;
    let mut samples = Vec::new();
    for (part, halves) in PARTS.into_iter().enumerate() {
        for _ in 0..halves * half {
            // Numerical Recipes' linear congruential generator; its upper bits are noise enough.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = (state >> 24) as i32 - 128;
            samples.push(if part == 1 { (128 + noise / 2) as u8 } else { 128 });
        }
    }
    let length = samples.len() as u32;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + length).to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    bytes.extend(16u32.to_le_bytes());
    // PCM, one channel, rate, bytes per second, bytes per frame, bits.
    bytes.extend(1u16.to_le_bytes());
    bytes.extend(1u16.to_le_bytes());
    bytes.extend(RATE.to_le_bytes());
    bytes.extend(RATE.to_le_bytes());
    bytes.extend(1u16.to_le_bytes());
    bytes.extend(8u16.to_le_bytes());
    bytes.extend(b"data");
    bytes.extend(length.to_le_bytes());
    bytes.extend(samples);
    bytes
}
