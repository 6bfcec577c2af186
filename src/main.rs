//! The `sinew` command. Everything it can do is in the library; see `cli` for how the words typed become calls.

#![deny(unsafe_code)]

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
