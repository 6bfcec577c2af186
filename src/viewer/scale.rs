//! Scale bar and captions.

use super::camera::Camera;
use crate::math::{Real, Vec3};
use kiss3d::egui::{Align2, Color32, Context, FontId, Id, LayerId, Order, Painter, Pos2, Rect, Stroke, vec2};

const INK: Color32 = Color32::from_rgb(58, 66, 78);

fn painter(context: &Context) -> Painter {
    context.layer_painter(LayerId::new(Order::Background, Id::new("sinew marks")))
}

/// Draws a scale bar as long as the spacing of the ground's lines, at the depth of the camera's target.
pub(super) fn draw(context: &Context, camera: &Camera, spacing: Real) {
    let points = context.pixels_per_point();
    let (right, _, _) = camera.axes();
    let target = camera.target();
    let step = Vec3::new(right.x.into(), right.y.into(), right.z.into()) * spacing;
    let (Some(from), Some(to)) = (camera.pixel(&target), camera.pixel(&(target + step))) else { return };
    let length = (to.0 - from.0).abs() / points;
    let (free_left, _, free_right, free_bottom) = camera.free_rect();
    // It leaves room for a caption at its left.
    if !(12.0..=0.62 * (free_right - free_left) / points).contains(&length) {
        return;
    }
    let painter = painter(context);
    let end = Pos2::new(free_right / points - 16.0, free_bottom / points - 16.0);
    let start = Pos2::new(end.x - length, end.y);
    let stroke = Stroke::new(2.0, INK);
    painter.line_segment([start, end], stroke);
    for at in [start, end] {
        painter.line_segment([Pos2::new(at.x, at.y - 5.0), Pos2::new(at.x, at.y + 5.0)], stroke);
    }
    let middle = Pos2::new((start.x + end.x) * 0.5, end.y - 4.0);
    write(&painter, middle, Align2::CENTER_BOTTOM, length_in_words(spacing), 13.0);
}

/// Draws a caption at the lower left.
pub(super) fn caption(context: &Context, camera: &Camera, words: &str) {
    let (left, _, _, bottom) = camera.free_rect();
    let points = context.pixels_per_point();
    let at = Pos2::new(left / points + 14.0, bottom / points - 12.0);
    write(&painter(context), at, Align2::LEFT_BOTTOM, words.to_owned(), 14.0);
}

fn length_in_words(metres: Real) -> String {
    if metres < 1.0 { format!("{:.0} cm", 100.0 * metres) } else { format!("{metres:.0} m") }
}

/// Draws dark text on a light background, readable before anything.
fn write(painter: &Painter, at: Pos2, align: Align2, words: String, size: f32) {
    let text = painter.layout_no_wrap(words, FontId::proportional(size), INK);
    let place = align.anchor_size(at, text.size());
    painter.rect_filled(place.expand2(vec2(5.0, 1.0)), 4.0, Color32::from_white_alpha(120));
    painter.galley(place.min, text, INK);
}

/// Draws a label beside a point of the scene.
pub(super) fn tag(context: &Context, camera: &Camera, at: &Vec3, words: &str) {
    let Some((x, y)) = camera.pixel(at) else { return };
    let points = context.pixels_per_point();
    let painter = context.layer_painter(LayerId::new(Order::Foreground, Id::new("sinew tag")));
    let at = Pos2::new(x / points + 14.0, y / points - 10.0);
    let text = painter.layout_no_wrap(words.to_owned(), FontId::proportional(13.0), Color32::WHITE);
    let place = Rect::from_min_size(at, text.size()).expand2(vec2(6.0, 3.0));
    painter.rect_filled(place, 4.0, Color32::from_black_alpha(170));
    painter.galley(at, text, Color32::WHITE);
}
