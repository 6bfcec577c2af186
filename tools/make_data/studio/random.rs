//! Seeded noise that is the same on every machine: SplitMix64 (Steele, Lea and Flood 2014) and the sum of twelve
//! uniform numbers as a normal one, so that no transcendental function is needed.

use sinew::Real;

pub struct Random(u64);

impl Random {
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0..1.
    pub fn uniform(&mut self) -> Real {
        (self.next() >> 11) as Real / (1u64 << 53) as Real
    }

    /// Mean 0, standard deviation 1, never beyond ±6.
    pub fn normal(&mut self) -> Real {
        (0..12).map(|_| self.uniform()).sum::<Real>() - 6.0
    }
}
