//! Filters a walk whose feet skate, measures it before and after, and writes it.
//!
//!     cargo run --release --example filter

use sinew::figure::{Figure, FigureOptions};
use sinew::filter::{Filter, FilterOptions};
use sinew::formats::{self, ExportOptions, ImportOptions};
use sinew::measure::{Cutoff, Key, Measure, MeasureOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/data/damaged/walk_skating.bvh");
    let mut capture = formats::read(input.as_ref(), &ImportOptions::default())?;
    for guess in &capture.report.guesses {
        println!("guessed {} {}: {}", guess.what, guess.chosen, guess.why);
    }

    // A figure is a skeleton with mass, shapes and joint limits.
    let clip = &capture.clips[0];
    let figure = Figure::build(&capture.skeleton, &FigureOptions { clip: Some(clip), ..FigureOptions::default() })?;
    println!("{:.1} kg in {} segments, {} frames", figure.mass(), figure.segments().len(), clip.frames());

    // The closure is told the share done; `false` stops the filter.
    let filtered = Filter { figure: &figure, clip, options: FilterOptions::default() }.run(&mut |_share| true)?;

    // A captured clip is smoothed before accelerations are taken, a computed one is not.
    let before = Measure { figure: &figure, clip, options: MeasureOptions::default() }.run()?;
    let options = MeasureOptions { made: true, cutoff: Cutoff::None, ..MeasureOptions::default() };
    let after = Measure { figure: &figure, clip: &filtered.clip, options }.run()?;
    for key in [Key::SkatePath, Key::PenetrationMax, Key::ResidualForceMean, Key::BalanceMean] {
        let value = |number: Option<f64>| number.map_or("–".to_owned(), |number| format!("{number:.4}"));
        println!("{:<24} {:>9} → {:>9} {}", key.name(), value(before.get(key)), value(after.get(key)), key.unit());
    }

    let output = std::env::temp_dir().join("sinew-example-filtered.glb");
    capture.clips = vec![filtered.clip];
    formats::write(&output, &capture, &ExportOptions::default())?;
    println!("wrote {}", output.display());
    Ok(())
}
