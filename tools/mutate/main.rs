//! Feeds damaged files to every reader, from a seed, and tells panics and slow readings.
//!
//! ```text
//! cargo run -p sinew-tools --bin mutate -- 100000             mutants for each reader, overflow checks on
//! cargo run -p sinew-tools --bin mutate -- 100000 bvh 7       one reader, another seed
//! cargo run -p sinew-tools --bin mutate -- 10000 deep         captures that open: body, measures, fall, retarget, filter
//! cargo run -p sinew-tools --bin mutate -- --corpus fuzz/corpus    writes the seeds as a corpus for cargo-fuzz
//! ```
//!
//! A mutant that panics or takes longer than two seconds is written to the folder for temporary files.

mod deep;
mod mutation;
mod readers;

use mutation::{Dice, mutant};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Time that a reading may take, and a deep run.
const MOST: Duration = Duration::from_secs(2);
const MOST_DEEP: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [option, folder] = &words[..]
        && option == "--corpus"
    {
        return corpus(Path::new(folder));
    }
    let count: u64 = words.first().and_then(|word| word.parse().ok()).unwrap_or(10_000);
    let only = words.get(1).map(String::as_str);
    let seed: u64 = words.get(2).and_then(|word| word.parse().ok()).unwrap_or(1);
    std::panic::set_hook(Box::new(|_| ()));
    let mut faults = 0;
    if only == Some("deep") {
        faults += feed("deep", &[deep::seed()], count, seed, MOST_DEEP, &deep::run);
    }
    for reader in readers::ALL.iter().filter(|reader| only.is_none_or(|name| name == reader.name)) {
        faults += feed(reader.name, &(reader.seeds)(), count, seed, MOST, &reader.read);
    }
    println!("{faults} faults{}", peak_memory().map_or(String::new(), |peak| format!(", peak memory {peak}")));
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Feeds mutants to a function and tells each that panics or takes longer than `most`. Returns their number.
fn feed(
    name: &str,
    seeds: &[Vec<u8>],
    count: u64,
    seed: u64,
    most: Duration,
    read: &(impl Fn(&[u8]) + std::panic::RefUnwindSafe),
) -> u64 {
    let (start, mut slowest, mut faults) = (Instant::now(), Duration::ZERO, 0);
    for number in 0..count {
        let bytes = mutant(seeds, &mut Dice(seed.wrapping_mul(0x1_0000_0001) ^ (number << 20)));
        let begin = Instant::now();
        let outcome = std::panic::catch_unwind(|| read(&bytes));
        slowest = slowest.max(begin.elapsed());
        let fault = match &outcome {
            Err(message) => message.downcast_ref::<String>().cloned().unwrap_or_else(|| "panic".to_owned()),
            Ok(()) if begin.elapsed() > most => format!("takes {:.1} s", begin.elapsed().as_secs_f64()),
            Ok(()) => continue,
        };
        faults += 1;
        let file = std::env::temp_dir().join(format!("sinew-mutant-{name}-{seed}-{number}"));
        let kept =
            std::fs::write(&file, &bytes).map_or_else(|error| error.to_string(), |()| file.display().to_string());
        println!("{name}: {fault} ({kept})");
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{name:<10} {count} mutants in {seconds:.1} s, slowest {:.3} s", slowest.as_secs_f64());
    faults
}

/// Largest memory that the process had, where the system tells it.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map(|peak| peak.trim().to_owned())
}

fn corpus(folder: &Path) -> ExitCode {
    for reader in &readers::ALL {
        let own = folder.join(reader.name);
        for (number, seed) in (reader.seeds)().iter().enumerate() {
            let written =
                std::fs::create_dir_all(&own).and_then(|()| std::fs::write(own.join(number.to_string()), seed));
            if let Err(error) = written {
                eprintln!("{}: {error}", own.display());
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
