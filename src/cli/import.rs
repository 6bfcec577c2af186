//! Options about a file that the file itself does not state. Every verb that reads captures has them.

use clap::{Args, ValueEnum};
use sinew::formats::{ImportOptions, PositionChannels, Unit, UpAxis};

/// Options of reading the input.
#[derive(Args, Debug)]
#[command(next_help_heading = "Reading")]
pub struct ImportArgs {
    /// Length unit of the file: m, dm, cm, mm, inch, foot (also written out), cmu, or its length in metres
    /// such as 0.0254
    /// [default: guessed]
    #[arg(long, value_name = "UNIT", value_parser = unit, allow_negative_numbers = true)]
    unit: Option<Unit>,
    /// Direction that is up in the file: x, y, z, or with a sign, -y [default: guessed]
    #[arg(long, value_name = "AXIS", value_parser = up, allow_hyphen_values = true)]
    up: Option<UpAxis>,
    /// Meaning of the position channels of a BVH root relative to its OFFSET [default: guessed]
    #[arg(long, value_name = "MEANING")]
    root_offset: Option<RootOffsetWord>,
    /// Frames per second of a file that does not say it: AMC, a BVH without frame time, sparse glTF keys
    /// [default: guessed]
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    source_rate: Option<f64>,
    /// Keep the complete frames of a file whose motion block is damaged, instead of refusing it
    #[arg(long)]
    keep_complete: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RootOffsetWord {
    /// The channels are the position
    Replace,
    /// The channels add to the OFFSET
    Add,
}

impl ImportArgs {
    /// Returns true if the options name the unit or the up axis.
    pub fn names_unit_or_axes(&self) -> bool {
        self.unit.is_some() || self.up.is_some()
    }

    /// The library's options; only verbs that write may drop an inserted T-pose.
    pub fn options(&self, drop_tpose: bool) -> ImportOptions {
        ImportOptions {
            unit: self.unit,
            up: self.up,
            root_offset: self.root_offset.map(|word| match word {
                RootOffsetWord::Replace => PositionChannels::Replace,
                RootOffsetWord::Add => PositionChannels::Add,
            }),
            rate: self.source_rate,
            drop_tpose,
            keep_complete: self.keep_complete,
        }
    }
}

fn unit(text: &str) -> Result<Unit, String> {
    Unit::parse(text).ok_or_else(|| "expected m, dm, cm, mm, inch, foot, cmu or a length in metres".to_owned())
}

fn up(text: &str) -> Result<UpAxis, String> {
    UpAxis::parse(text).ok_or_else(|| "expected x, y, z, -x, -y or -z".to_owned())
}

/// Frames per second.
pub fn rate(text: &str) -> Result<f64, String> {
    let rate = text.trim_end_matches("Hz").trim().parse().ok().filter(|hz| (0.01..=10_000.0).contains(hz));
    rate.ok_or_else(|| "expected frames per second between 0.01 and 10000".to_owned())
}
