//! Runs random scenes at the limits of what bodies may be and tells those whose energy rises: `extreme_scenes [COUNT] [STEPS]
//! [FIRST]`, 200 scenes of 10 000 steps from number 0 without numbers.
//!
//! Nothing works on the bodies of these scenes, so that their energy may only fall; a rise of more than a hundredth of
//! the first energy is a fault, and so is a step that ends in an error.

#[path = "../crates/dynamics/tests/dynamics/contact/random_scenes.rs"]
mod random_scenes;

use random_scenes::{random_scene, watch};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number = |place: usize, default: u64| -> Result<u64, std::num::ParseIntError> {
        std::env::args().nth(place).map_or(Ok(default), |text| text.parse())
    };
    let (count, steps, first) = (number(1, 200)?, number(2, 10_000)?, number(3, 0)?);
    let mut faults = 0;
    for number in first..first + count {
        let mut scene = random_scene(number);
        let fault = match watch(&mut scene, steps as usize) {
            Ok(run) if run.rise <= 0.01 * run.energy => continue,
            Ok(run) => format!("rise of {:.4} of {:.3e} J at {:.3} s", run.rise / run.energy, run.energy, run.when),
            Err(error) => error.to_string(),
        };
        faults += 1;
        println!("{}\n    {fault}", scene.title);
    }
    println!("{faults} of {count} scenes of {steps} steps gained energy or stopped");
    if faults > 0 { Err("energy rose without work".into()) } else { Ok(()) }
}
