//! Command line: parses the options, calls the library, prints the result.
//!
//! One file per verb. Results go to stdout, errors and progress to stderr. A verb gives back [`failure::Failure`] and
//! never ends the process itself. Nothing is written unless the whole verb succeeded.

mod batch;
mod clip_choice;
mod convert;
mod cut;
mod failure;
mod figure;
mod filter;
mod import;
mod info;
mod lead;
mod motion_file;
mod output;
mod outputs;
mod parts;
mod progress;
mod ragdoll;
mod report;
mod retarget;
mod run;
mod simulate;
mod simulate_run;
mod summary;
mod tree;
mod values;
mod view;

use clap::{Parser, Subcommand};
use failure::Exit;
use std::process::ExitCode;

const EXIT_CODES: &str = "Exit codes:
  0  success
  1  a file's content is wrong, or an expectation of a scene fails
  2  the command line is wrong, or a file cannot be opened, written or is of an unsupported kind";

/// Inspect, convert, measure, filter, retarget and simulate captured motion.
#[derive(Parser)]
#[command(name = "sinew", version, arg_required_else_help = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Info(info::InfoArgs),
    Convert(convert::ConvertArgs),
    Report(report::ReportArgs),
    Retarget(retarget::RetargetArgs),
    Filter(filter::FilterArgs),
    Simulate(simulate::SimulateArgs),
    Ragdoll(ragdoll::RagdollArgs),
    Run(run::RunArgs),
    View(view::ViewArgs),
}

/// Parses the command line and runs its verb.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    failure::install_printer();
    let result = match cli.verb {
        Verb::Info(args) => args.run(),
        Verb::Convert(args) => args.run().map(|()| Exit::Success),
        Verb::Report(args) => args.run(),
        Verb::Retarget(args) => args.run().map(|()| Exit::Success),
        Verb::Filter(args) => args.run(),
        Verb::Simulate(args) => args.run(),
        Verb::Ragdoll(args) => args.run(),
        Verb::Run(args) => args.run(),
        Verb::View(args) => args.run().map(|()| Exit::Success),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.print();
            failure.exit().into()
        }
    }
}
