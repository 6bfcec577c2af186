//! Style of the panels.

use kiss3d::egui::{Color32, Context, CornerRadius, FontId, Stroke, TextStyle, Visuals};

pub(in super::super) const ACCENT: Color32 = Color32::from_rgb(255, 170, 64);
pub(super) const FAINT: Color32 = Color32::from_rgb(150, 158, 170);
pub(super) const GOOD: Color32 = Color32::from_rgb(120, 200, 130);
pub(super) const BAD: Color32 = Color32::from_rgb(240, 110, 90);

/// Colours of curves that are distinguishable with red-green blindness as well (Okabe and Ito 2008).
pub(super) const CURVES: [Color32; 7] = [
    Color32::from_rgb(86, 180, 233),
    Color32::from_rgb(230, 159, 0),
    Color32::from_rgb(0, 158, 115),
    Color32::from_rgb(240, 228, 66),
    Color32::from_rgb(204, 121, 167),
    Color32::from_rgb(213, 94, 0),
    Color32::from_rgb(190, 196, 206),
];

/// Sets the style of the panels: dark and quiet beside a bright picture.
pub(in super::super) fn apply_style(context: &Context) {
    let mut visuals = Visuals::dark();
    visuals.panel_fill = Color32::from_rgb(30, 33, 39);
    visuals.window_fill = Color32::from_rgb(36, 40, 47);
    visuals.extreme_bg_color = Color32::from_rgb(21, 23, 27);
    visuals.override_text_color = Some(Color32::from_rgb(224, 228, 234));
    visuals.selection.bg_fill = Color32::from_rgb(200, 120, 30);
    visuals.slider_trailing_fill = true;
    visuals.window_stroke = Stroke::new(1.0, Color32::from_rgb(62, 68, 78));
    for widget in [&mut visuals.widgets.inactive, &mut visuals.widgets.hovered, &mut visuals.widgets.active] {
        widget.corner_radius = CornerRadius::same(3);
    }
    context.set_visuals(visuals);
    context.all_styles_mut(|style| {
        style.spacing.item_spacing.y = 3.0;
        style.spacing.slider_width = 92.0;
        style.text_styles.insert(TextStyle::Body, FontId::proportional(13.0));
        style.text_styles.insert(TextStyle::Button, FontId::proportional(13.0));
        style.text_styles.insert(TextStyle::Small, FontId::proportional(11.0));
        style.text_styles.insert(TextStyle::Heading, FontId::proportional(15.0));
    });
}
