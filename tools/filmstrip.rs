//! Draws a clip as a strip of figures, as SVG.
//!
//! `cargo run -p sinew-tools --bin filmstrip [IN [OUT.svg [FIGURES]]]`

use sinew::formats::{self, ImportOptions};
use sinew::motion::{Role, Side};
use sinew::{Quat, Real, Vec3};
use std::error::Error;
use std::fmt::Write;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let built_in = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/clips/walk.bvh").to_owned();
    let file = arguments.first().unwrap_or(&built_in);
    let capture = formats::read(file.as_ref(), &ImportOptions { drop_tpose: true, ..ImportOptions::default() })?;
    let (skeleton, clip) = (&capture.skeleton, capture.clips.first().ok_or("the file holds no clip")?);
    let figures: usize = arguments.get(2).map_or(Ok(9), |n| n.parse())?;

    // Seen from the side, a little from the front; pixels per metre, and room between figures.
    let view = Quat::from_euler_angles(0.0, 1.1, 0.0);
    let (scale, spacing, ground) = (110.0, 120.0, 215.0);
    let mut svg = String::new();
    for n in 0..figures {
        let frame = n * (clip.frames() - 1) / (figures - 1).max(1);
        let world = clip.pose(skeleton, frame).world(skeleton);
        let middle = Vec3::new(world[0].position.x, 0.0, world[0].position.z);
        // Bones as (depth, line), drawn from the back to the front.
        let mut lines: Vec<(Real, String)> = Vec::new();
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let tip = joint.tip.map(|tip| (index, world[index].position + world[index].rotation * tip));
            for (owner, end) in joint.parent.map(|p| (p, world[index].position)).into_iter().chain(tip) {
                let role = skeleton.joint(owner).role;
                let (from, to) = (view * (world[owner].position - middle), view * (end - middle));
                let (x, y) = (spacing * (n as Real + 0.5), ground);
                let line = format!(
                    r#"<path d="M{:.1} {:.1}L{:.1} {:.1}" stroke="{}" stroke-width="{}"/>"#,
                    x + scale * from.x,
                    y - scale * from.y,
                    x + scale * to.x,
                    y - scale * to.y,
                    colour(role),
                    width(role)
                );
                lines.push((from.z + to.z, line));
            }
        }
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        lines.iter().try_for_each(|(_, line)| writeln!(svg, "{line}"))?;
    }
    let wide = spacing * figures as Real;
    let page = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} 240\" stroke-linecap=\"round\" fill=\"none\">\n\
         <rect width=\"{wide}\" height=\"240\" fill=\"#f7f5f0\"/>\n<path d=\"M0 {ground}H{wide}\" stroke=\"#b9b2a3\" stroke-width=\"2\"/>\n{svg}</svg>\n"
    );
    match arguments.get(1) {
        Some(out) => formats::write_atomically(out.as_ref(), page.as_bytes())?,
        None => print!("{page}"),
    }
    Ok(())
}

fn colour(role: Option<Role>) -> &'static str {
    match role.and_then(Role::side) {
        Some(Side::Left) => "#2f6db5",
        Some(Side::Right) => "#c8553d",
        None => "#5b5f66",
    }
}

fn width(role: Option<Role>) -> u32 {
    match role {
        Some(Role::Hips | Role::Spine(_)) => 22,
        Some(Role::Head) => 18,
        Some(Role::UpperLeg(_) | Role::Neck(_)) => 12,
        Some(Role::LowerLeg(_) | Role::UpperArm(_)) => 9,
        Some(Role::Finger(..)) => 3,
        _ => 6,
    }
}
