//! Damaged files of every kind: a reader may refuse them, and never panics. A short slice of what `tools/mutate` runs by the
//! million, with the same seeds on every machine.

#[path = "../tools/mutate/mutation.rs"]
mod mutation;
#[path = "../tools/mutate/readers.rs"]
mod readers;

use mutation::{Dice, mutant};

/// Mutants of each reader; building a scene or a figure costs more than reading a sound.
const MUTANTS: u64 = 1500;

#[test]
fn no_reader_panics_on_a_damaged_file() {
    for reader in &readers::ALL {
        let seeds = (reader.seeds)();
        seeds.iter().for_each(|seed| (reader.read)(seed));
        let count = if matches!(reader.name, "scene" | "gltf" | "recording") { MUTANTS / 5 } else { MUTANTS };
        for number in 0..count {
            let bytes = mutant(&seeds, &mut Dice(number << 20));
            let outcome = std::panic::catch_unwind(|| (reader.read)(&bytes));
            assert!(outcome.is_ok(), "mutant {number} of {} makes its reader panic", reader.name);
        }
    }
}
