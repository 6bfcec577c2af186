#![no_main]

#[path = "../../tools/mutate/readers.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| (readers::named("recording").read)(bytes));
