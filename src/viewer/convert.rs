//! Conversion between the numbers of the crate (`f64`, display colours) and those of the graphics card (`f32`, linear
//! light).

use crate::dynamics::Placement;
use crate::math::Vec3;
use crate::show::Color;
use kiss3d::color::Color as LinearColor;
use kiss3d::glamx;

pub(super) fn point(v: &Vec3) -> glamx::Vec3 {
    glamx::Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

pub(super) fn back(v: glamx::Vec3) -> Vec3 {
    Vec3::new(v.x.into(), v.y.into(), v.z.into())
}

pub(super) fn pose(placement: &Placement) -> glamx::Pose3 {
    let q = placement.rotation.coords;
    let rotation = glamx::Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32);
    glamx::Pose3::from_parts(point(&placement.position), rotation.normalize())
}

/// Converts a colour channel from display value (sRGB, IEC 61966-2-1) to linear light.
pub(super) fn light(channel: f32) -> f32 {
    if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
}

pub(super) fn linear(color: Color) -> LinearColor {
    LinearColor::new(light(color[0]), light(color[1]), light(color[2]), color[3])
}
