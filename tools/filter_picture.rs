//! Filters a clip and draws what became of it, as SVG: where the feet are over time, and what the ground gives.
//!
//! `cargo run --release -p sinew-tools --bin filter_picture [IN [OUT.svg]]`

use sinew::figure::{Figure, FigureOptions, SolePart};
use sinew::filter::{Filter, FilterOptions};
use sinew::formats::{self, ImportOptions};
use sinew::motion::{Clip, Side};
use sinew::{Real, Vec3};
use std::error::Error;
use std::fmt::Write;

const COLOURS: [(Side, &str, &str); 2] = [(Side::Left, "#2f6db5", "left"), (Side::Right, "#c8553d", "right")];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let built_in = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/damaged/walk_skating.bvh").to_owned();
    let file = arguments.first().unwrap_or(&built_in);
    let capture = formats::read(file.as_ref(), &ImportOptions { drop_tpose: true, ..ImportOptions::default() })?;
    let clip = capture.clips.first().ok_or("the file holds no clip")?;
    let figure = Figure::build(&capture.skeleton, &FigureOptions { clip: Some(clip), ..FigureOptions::default() })?;
    let filtered = Filter { figure: &figure, clip, options: FilterOptions::default() }.run(&mut |_| true)?;

    let seconds = clip.duration().max(1e-9);
    let forward = travel(&figure, &filtered.clip);
    let mut svg = String::new();
    let panels = [("captured", clip), ("filtered", &filtered.clip)];
    let paths: Vec<Vec<Vec<Real>>> = panels.iter().map(|(_, clip)| balls(&figure, clip, &forward)).collect();
    let all = paths.iter().flatten().flatten();
    let (low, high) = all.fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    for (n, (title, _)) in panels.iter().enumerate() {
        let top = 30.0 + 190.0 * n as Real;
        writeln!(
            svg,
            r##"<text x="60" y="{:.0}">{title}: how far ahead the balls of the feet are, metres</text>"##,
            top - 8.0
        )?;
        for ((_, colour, _), path) in COLOURS.iter().zip(&paths[n]) {
            curve(&mut svg, path, [low, high], top, colour)?;
        }
        axis(&mut svg, top, [low, high])?;
    }
    let weight = figure.mass() * 9.81;
    let reactions = COLOURS.map(|(side, ..)| {
        let frames = filtered.plan.targets.iter().zip(&filtered.solved.forces);
        let of_side = |corner: usize| {
            let role = figure.segment(filtered.plan.corners[corner].segment).role;
            role.and_then(|role| role.side()) == Some(side)
        };
        frames
            .map(|(pins, forces)| {
                let own = pins.iter().zip(forces).filter(|(pin, _)| of_side(pin.corner));
                own.map(|(_, force)| force.y).sum::<Real>() / weight
            })
            .collect::<Vec<Real>>()
    });
    let peak = reactions.iter().flatten().fold(1.2, |m: Real, v| m.max(*v));
    let top = 410.0;
    writeln!(svg, r##"<text x="60" y="{:.0}">filtered: what the ground gives, body weights</text>"##, top - 8.0)?;
    for ((_, colour, _), reaction) in COLOURS.iter().zip(&reactions) {
        curve(&mut svg, reaction, [0.0, peak], top, colour)?;
    }
    axis(&mut svg, top, [0.0, peak])?;
    for (n, (_, colour, word)) in COLOURS.iter().enumerate() {
        writeln!(svg, r##"<text x="{}" y="600" fill="{colour}">{word} foot</text>"##, 60 + 90 * n)?;
    }
    writeln!(svg, r##"<text x="620" y="600">{seconds:.1} s</text>"##)?;
    let page = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 700 615\" font-family=\"sans-serif\" font-size=\"13\" \
         fill=\"#5b5f66\">\n<rect width=\"700\" height=\"615\" fill=\"#f7f5f0\"/>\n{svg}</svg>\n"
    );
    match arguments.get(1) {
        Some(out) => formats::write_atomically(out.as_ref(), page.as_bytes())?,
        None => print!("{page}"),
    }
    Ok(())
}

/// Which way the body gets on, level.
fn travel(figure: &Figure, clip: &Clip) -> Vec3 {
    let at = |frame: usize| figure.placements(&clip.pose(figure.skeleton(), frame))[0].position;
    let way = at(clip.frames() - 1) - at(0);
    Vec3::new(way.x, 0.0, way.z).try_normalize(0.1).unwrap_or_else(Vec3::z)
}

/// How far ahead the balls of both feet are in every frame, metres.
fn balls(figure: &Figure, clip: &Clip, forward: &Vec3) -> Vec<Vec<Real>> {
    let ball = |side: Side| {
        figure.sole_points().iter().find(move |s| s.part == SolePart::Ball && s.side == Some(side)).map(|sole| {
            let place =
                |frame: usize| figure.placements(&clip.pose(figure.skeleton(), frame))[sole.segment].point(&sole.point);
            (0..clip.frames()).map(|frame| place(frame).dot(forward)).collect()
        })
    };
    COLOURS.iter().map(|(side, ..)| ball(*side).unwrap_or_default()).collect()
}

fn curve(svg: &mut String, values: &[Real], [low, high]: [Real; 2], top: Real, colour: &str) -> std::fmt::Result {
    let x = |t: usize| 60.0 + 620.0 * t as Real / (values.len().max(2) - 1) as Real;
    let y = |v: Real| top + 140.0 * (1.0 - (v - low) / (high - low).max(1e-9));
    let points: Vec<String> = values.iter().enumerate().map(|(t, v)| format!("{:.1} {:.1}", x(t), y(*v))).collect();
    writeln!(svg, r##"<path d="M{}" stroke="{colour}" stroke-width="2" fill="none"/>"##, points.join("L"))
}

fn axis(svg: &mut String, top: Real, [low, high]: [Real; 2]) -> std::fmt::Result {
    writeln!(svg, r##"<path d="M60 {top}V{0}H680" stroke="#b9b2a3" fill="none"/>"##, top + 140.0)?;
    writeln!(svg, r##"<text x="52" y="{:.0}" text-anchor="end">{high:.1}</text>"##, top + 10.0)?;
    writeln!(svg, r##"<text x="52" y="{:.0}" text-anchor="end">{low:.1}</text>"##, top + 140.0)
}
