//! Ground forces that the filter finds, as numbers that people's gait is known by.
//!
//! ```text
//! cargo run --release -p sinew-tools --bin force_survey -- FILE…
//! ```
//!
//! For every complete stance: peak and valley of the vertical force, number of humps. For every clip: share of double support, largest change
//! of a foot's load within 1/120 s, share of the load on parts more than 3 mm up, slide weighted by load, residual, skate, depth, distance
//! from the capture, and time over duration.

use sinew::Real;
use sinew::figure::{CaptureOptions, Figure, for_capture};
use sinew::filter::{Filter, FilterOptions, Filtered};
use sinew::formats::{self, ImportOptions};
use sinew::measure::{Cutoff, Key, Measure, MeasureOptions, Moved};
use sinew::motion::{Clip, Side};
use std::path::Path;
use std::time::Instant;

/// Standard gravity of the library, m/s².
const GRAVITY: Real = 9.81;
/// Load from which a foot is down, and rise on both sides of a hump, body weights.
const DOWN: Real = 0.05;
const HUMP: Real = 0.05;
/// Height above which a part does not touch the ground, metres for the reference height.
const UP: Real = 0.003;
/// Shortest stance that is counted, seconds.
const SHORTEST: Real = 0.15;

fn main() {
    println!(
        "| clip | peaks, BW | valleys, BW | humps | double support, % | change in 1/120 s, BW | load in the air, % | slide by load, mm/s | residual, BW | skate, mm/s | depth, mm | moved, mm | time / duration |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for file in std::env::args().skip(1) {
        let name = file.rsplit('/').next().unwrap_or(&file).to_owned();
        if let Err(error) = survey(Path::new(&file), &name) {
            println!("| {name} | {error} |");
        }
    }
}

fn survey(file: &Path, name: &str) -> Result<(), Box<dyn std::error::Error>> {
    let capture = formats::read(file, &ImportOptions { drop_tpose: true, ..ImportOptions::default() })?;
    let body = for_capture(&capture, &CaptureOptions::default())?;
    let (figure, clip) = (&body.figure, &body.clip);
    let start = Instant::now();
    let filtered = Filter { figure, clip, options: FilterOptions::default() }.run(&mut |_| true)?;
    let spent = start.elapsed().as_secs_f64();
    let options = MeasureOptions {
        cutoff: Cutoff::None,
        made: true,
        source: Some(Moved { skeleton: figure.skeleton(), clip: &filtered.source }),
        ..MeasureOptions::default()
    };
    // The source travels where the result moves in place.
    let report = Measure { figure, clip: &filtered.solved.clip, options }.run()?;
    let of = |key: Key| report.get(key).unwrap_or(Real::NAN);
    let loads = loads(figure, &filtered);
    let rate = clip.rate_hz();
    let stances: Vec<Vec<Real>> = (0..2).flat_map(|foot| stances(&loads, foot, rate)).collect();
    let listed = |values: Vec<Real>| {
        let low = values.iter().copied().fold(Real::INFINITY, Real::min);
        let high = values.iter().copied().fold(Real::NEG_INFINITY, Real::max);
        if values.is_empty() { "–".to_owned() } else { format!("{low:.2} to {high:.2}") }
    };
    let peaks = stances.iter().map(|stance| stance.iter().copied().fold(0.0, Real::max)).collect();
    let humps: Vec<String> = stances.iter().map(|stance| humps(stance).len().to_string()).collect();
    let both = loads.iter().filter(|load| load.iter().all(|load| *load > DOWN)).count();
    let change = loads.windows(2).flat_map(|w| [0, 1].map(|foot| (w[1][foot] - w[0][foot]).abs())).fold(0.0, Real::max);
    let [up, slide] = carried(figure, &filtered);
    println!(
        "| {name} | {} | {} | {} | {:.0} | {:.2} | {:.1} | {:.0} | {:.4} / {:.3} | {:.1} | {:.1} | {:.1} | {:.2} |",
        listed(peaks),
        listed(stances.iter().filter_map(|stance| valley(stance)).collect()),
        humps.join(" "),
        100.0 * both as Real / loads.len().max(1) as Real,
        change * rate / 120.0,
        100.0 * up,
        1e3 * slide,
        of(Key::ResidualForceMean),
        of(Key::ResidualForceMax),
        of(Key::SkateFoot),
        of(Key::PenetrationMax),
        of(Key::PositionMean),
        spent / duration(clip),
    );
    Ok(())
}

fn duration(clip: &Clip) -> Real {
    clip.duration().max(1e-9)
}

/// Vertical force on the left and right foot in each frame, body weights.
fn loads(figure: &Figure, filtered: &Filtered) -> Vec<[Real; 2]> {
    let weight = figure.mass() * GRAVITY;
    let of = |(targets, forces): (&Vec<sinew::filter::ContactTarget>, &Vec<sinew::Vec3>)| {
        let mut loads = [0.0; 2];
        for (target, force) in targets.iter().zip(forces) {
            let corner = &filtered.plan.corners[target.corner];
            let side = figure.segments()[corner.segment].role.and_then(|role| role.side());
            match side {
                Some(Side::Left) => loads[0] += force.y / weight,
                Some(Side::Right) => loads[1] += force.y / weight,
                None => {}
            }
        }
        loads
    };
    filtered.plan.targets.iter().zip(&filtered.solved.forces).map(of).collect()
}

/// Share of the load on parts that are more than [`UP`] above the ground, and mean horizontal speed of loaded parts weighted by load, m/s.
fn carried(figure: &Figure, filtered: &Filtered) -> [Real; 2] {
    let (plan, clip) = (&filtered.plan, &filtered.solved.clip);
    let (mut all, mut high, mut way) = (0.0, 0.0, 0.0);
    let placed = |t: usize| figure.placements(&clip.pose(figure.skeleton(), t));
    let mut next = placed(0);
    for t in 0..clip.frames().saturating_sub(1) {
        let now = std::mem::replace(&mut next, placed(t + 1));
        for (target, force) in plan.targets[t].iter().zip(&filtered.solved.forces[t]) {
            let corner = &plan.corners[target.corner];
            let local = corner.local + figure.segment(corner.segment).centre;
            let [here, there] = [&now, &next].map(|placements| placements[corner.segment].point(&local));
            let load = force.dot(&target.normal);
            all += load;
            if plan.ground.under(&here).height - corner.radius > UP * figure.size_scale() {
                high += load;
            }
            way += load * (there.x - here.x).hypot(there.z - here.z);
        }
    }
    [high / all, way / all * clip.rate_hz()]
}

/// Loads of each complete stance of a foot.
fn stances(loads: &[[Real; 2]], foot: usize, rate: Real) -> Vec<Vec<Real>> {
    let mut found = Vec::new();
    let mut open: Option<Vec<Real>> = None;
    for pair in loads.windows(2) {
        let (before, now) = (pair[0][foot], pair[1][foot]);
        if before <= DOWN && now > DOWN {
            open = Some(Vec::new());
        }
        if now > DOWN {
            open.iter_mut().for_each(|stance| stance.push(now));
        } else if let Some(stance) = open.take().filter(|stance| stance.len() as Real >= SHORTEST * rate) {
            found.push(stance);
        }
    }
    found
}

/// Frames of maxima that stand out by more than [`HUMP`] on both sides.
fn humps(stance: &[Real]) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut top, mut low, mut rises) = (0, 0.0, true);
    for (t, &load) in stance.iter().chain(&[0.0]).enumerate() {
        match rises {
            true if stance.get(top).is_none_or(|most| load > *most) => top = t,
            true if stance[top] - load > HUMP => {
                found.push(top);
                (rises, low) = (false, load);
            }
            false if load < low => low = load,
            false if load - low > HUMP => (rises, top) = (true, t),
            _ => {}
        }
    }
    found
}

/// Least load between the first and the last hump.
fn valley(stance: &[Real]) -> Option<Real> {
    match humps(stance)[..] {
        [first, .., last] => stance[first..=last].iter().copied().min_by(Real::total_cmp),
        _ => None,
    }
}
