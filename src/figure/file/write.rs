//! The text of a figure.

use super::schema::FORMAT;
use crate::dynamics::Shape;
use crate::figure::{AttachmentKind, Figure, Limits, Segment, SegmentSource};
use crate::math::{Quat, Real, Vec3};
use crate::motion::{Side, Skeleton};
use std::fmt::Write;

pub(super) fn write(figure: &Figure, capture: Option<&str>) -> String {
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = write_all(figure, capture, &mut text);
    text
}

/// A joint's name, with its number where the name alone does not tell it.
pub(super) fn joint_name(skeleton: &Skeleton, joint: usize) -> String {
    let name = &skeleton.joint(joint).name;
    let alone = skeleton.joints().iter().filter(|j| j.name == *name).count() == 1;
    if alone { name.clone() } else { format!("{name}#{joint}") }
}

pub(super) fn masses_word(source: SegmentSource) -> &'static str {
    match source {
        SegmentSource::Anthropometric => "anthropometric",
        SegmentSource::Volume => "volume",
    }
}

fn write_all(figure: &Figure, capture: Option<&str>, out: &mut String) -> std::fmt::Result {
    let name = |segment: usize| quoted(&joint_name(&figure.skeleton, figure.segments[segment].joint));
    writeln!(out, "# A figure for sinew; docs/figures.md tells what may be written here.")?;
    writeln!(out, "# Metres, kilograms, radians; every segment in the frame of the joint that carries it.")?;
    writeln!(out, "format = {}", quoted(FORMAT))?;
    writeln!(out, "name = {}", quoted(&figure.name))?;
    if let Some(capture) = capture {
        writeln!(
            out,
            "# A file with its skeleton, from the folder of this one; any other capture of the actor will do."
        )?;
        writeln!(out, "capture = {}", quoted(capture))?;
    }
    writeln!(out, "height = {:?}", figure.height)?;
    writeln!(out, "masses = {}", quoted(masses_word(figure.source)))?;
    writeln!(out, "# Pairs of segments that never touch each other.\napart = [")?;
    for [a, b] in &figure.apart {
        writeln!(out, "  [{}, {}],", name(*a), name(*b))?;
    }
    writeln!(out, "]")?;
    for (k, segment) in figure.segments.iter().enumerate() {
        let folded: Vec<&str> = figure.folded(k).map(|j| figure.skeleton.joint(j).name.as_str()).collect();
        writeln!(out, "\n[[segment]]\njoint = {}", name(k))?;
        if !folded.is_empty() {
            let list: String = folded.join(", ").chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            writeln!(out, "# with {list}")?;
        }
        write_segment(segment, out)?;
    }
    for sole in &figure.soles {
        writeln!(out, "\n[[sole]]\nsegment = {}\npart = \"{}\"", name(sole.segment), sole.part.word())?;
        if let Some(side) = sole.side {
            writeln!(out, "side = \"{}\"", side_word(side))?;
        }
        writeln!(out, "point = {}\nacross = {}", vector(&sole.point), vector(&sole.across))?;
    }
    Ok(())
}

fn write_segment(segment: &Segment, out: &mut String) -> std::fmt::Result {
    if let Some(role) = segment.role {
        writeln!(out, "role = \"{role}\"")?;
    }
    let i = &segment.mass.inertia;
    writeln!(out, "mass = {:?}\ncentre = {}", segment.mass.mass, vector(&segment.centre))?;
    writeln!(out, "# xx, yy, zz, xy, xz, yz about the centre of mass")?;
    writeln!(out, "inertia = {}", numbers(&[i.m11, i.m22, i.m33, i.m12, i.m13, i.m23]))?;
    writeln!(out, "end = {}", vector(&segment.end))?;
    let attachment = &segment.attachment;
    writeln!(out, "\n[segment.attachment]\nkind = \"{}\"", attachment.kind.word())?;
    if attachment.kind != AttachmentKind::Free {
        writeln!(out, "at = {}", vector(&attachment.frame_a.position))?;
        writeln!(out, "frame_a = {}\nframe_b = {}", turn(&attachment.frame_a.rotation), turn(&attachment.frame_b))?;
    }
    write_limits(&attachment.limits, out)?;
    if attachment.anatomy != attachment.limits {
        writeln!(out, "# Limits of the anatomy, which reports count against; those above are wider, for a clip.")?;
        writeln!(out, "[segment.attachment.anatomy]")?;
        write_limits(&attachment.anatomy, out)?;
    }
    for shape in &segment.shapes {
        writeln!(out, "\n[[segment.shape]]")?;
        match &shape.shape {
            Shape::Sphere { radius } => writeln!(out, "kind = \"sphere\"\nradius = {radius:?}")?,
            Shape::Capsule { a, b, radius } => {
                writeln!(out, "kind = \"capsule\"\na = {}\nb = {}\nradius = {radius:?}", vector(a), vector(b))?;
            }
            Shape::Box { half_extents } => {
                writeln!(out, "kind = \"box\"\nhalf_extents = {}", vector(half_extents))?;
            }
            Shape::Hull { points } => {
                writeln!(out, "kind = \"hull\"\npoints = [")?;
                for point in points.iter() {
                    writeln!(out, "  {},", vector(point))?;
                }
                writeln!(out, "]")?;
            }
            // Shapes of the ground, which no segment has: a point stands for them.
            Shape::HalfSpace { .. } | Shape::HeightField { .. } | Shape::Mesh { .. } => {
                writeln!(out, "kind = \"sphere\"\nradius = 0.001")?;
            }
        }
        if shape.placement != crate::dynamics::Placement::IDENTITY {
            writeln!(out, "position = {}", vector(&shape.placement.position))?;
            writeln!(out, "rotation = {}", turn(&shape.placement.rotation))?;
        }
    }
    Ok(())
}

fn write_limits(limits: &Limits, out: &mut String) -> std::fmt::Result {
    match limits {
        Limits::None => Ok(()),
        Limits::SwingTwist { swing, twist } => {
            writeln!(out, "swing = {} # {}", numbers(swing), degrees(swing))?;
            writeln!(out, "twist = {} # {}", numbers(twist), degrees(twist))
        }
        Limits::Hinge { range } => writeln!(out, "range = {} # {}", numbers(range), degrees(range)),
    }
}

pub(super) fn side_word(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn numbers(values: &[Real]) -> String {
    format!("{values:?}")
}

fn vector(v: &Vec3) -> String {
    numbers(v.as_slice())
}

fn turn(q: &Quat) -> String {
    numbers(&[q.w, q.i, q.j, q.k])
}

fn degrees(values: &[Real]) -> String {
    values.iter().map(|v| format!("{:.1}°", v.to_degrees())).collect::<Vec<_>>().join(" ")
}
