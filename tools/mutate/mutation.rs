//! Damage to files, from a seed: the same number gives the same bytes everywhere.

/// SplitMix64 (Steele et al. 2014): small, seeded, the same everywhere.
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Numbers at which arithmetic changes its ways.
const NUMBERS: [&str; 24] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "1e-300",
    "1e-9",
    "0.5",
    "1e9",
    "1e18",
    "1e30",
    "1e160",
    "-1e160",
    "1e300",
    "1.8e308",
    "nan",
    "inf",
    "255",
    "65535",
    "65536",
    "2147483648",
    "4294967295",
    "9223372036854775807",
    "18446744073709551615",
];

/// Damages a copy of one of the seeds, at one to six places.
pub fn mutant(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seeds[dice.below(seeds.len())].clone();
    let is_glb = bytes.starts_with(b"glTF");
    for _ in 0..1 + dice.below(6) {
        damage(&mut bytes, seeds, dice);
    }
    // The lengths of a GLB are set right half of the time, or its content would hardly ever be read.
    if is_glb && bytes.len() >= 20 && bytes.starts_with(b"glTF") && dice.below(2) == 0 {
        let total = (bytes.len() as u32).to_le_bytes();
        bytes[8..12].copy_from_slice(&total);
        let binary = bytes.windows(4).skip(20).position(|word| word == b"BIN\0").map(|at| at + 20 - 4);
        if let Some(at) = binary.filter(|at| *at >= 20) {
            let (json, rest) = ((at - 20) as u32, (bytes.len() - at - 8) as u32);
            bytes[12..16].copy_from_slice(&json.to_le_bytes());
            bytes[at..at + 4].copy_from_slice(&rest.to_le_bytes());
        }
    }
    bytes
}

fn damage(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], dice: &mut Dice) {
    if bytes.is_empty() {
        return;
    }
    let at = dice.below(bytes.len());
    match dice.below(10) {
        0 => bytes[at] ^= 1 << dice.below(8),
        1 => bytes[at] = dice.next() as u8,
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..(at + 1 + dice.below(40)).min(bytes.len()))),
        4 => {
            let part = bytes[at..(at + 1 + dice.below(60)).min(bytes.len())].to_vec();
            let to = dice.below(bytes.len());
            bytes.splice(to..to, part);
        }
        5 => {
            let other = &seeds[dice.below(seeds.len())];
            let from = dice.below(other.len());
            let part = other[from..(from + 1 + dice.below(200)).min(other.len())].to_vec();
            let to = (at + dice.below(part.len() + 1)).min(bytes.len());
            bytes.splice(at..to, part);
        }
        6 => {
            // Four bytes of a binary: an extreme integer or float.
            let word = [0, 1, u32::MAX, 0x7FFF_FFFF, 0x7F80_0000, 0x7FC0_0000, 0x0080_0000, 0x7F00_0000][dice.below(8)];
            let end = (at + 4).min(bytes.len());
            bytes[at..end].copy_from_slice(&u32::to_le_bytes(word)[..end - at]);
        }
        // A number of a text.
        _ => {
            let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e');
            let Some(start) = bytes[at..].iter().position(|byte| byte.is_ascii_digit()).map(|k| at + k) else { return };
            let start = bytes[..start].iter().rposition(|byte| !is_number(byte)).map_or(0, |k| k + 1);
            let end = bytes[start..].iter().position(|byte| !is_number(byte)).map_or(bytes.len(), |k| start + k);
            bytes.splice(start..end, NUMBERS[dice.below(NUMBERS.len())].bytes());
        }
    }
}
