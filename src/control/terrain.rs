//! Ground under a figure: terrain of a run, and its height found from a clip.

use crate::dynamics::{Body, BodyId, Collider, DynamicsError, Material, Placement, Shape, World};
use crate::figure::Figure;
use crate::math::{Quat, Real, Vec3, real};
use crate::motion::{Clip, Sampler};

/// The ground around the place where a figure starts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Terrain {
    /// Level everywhere.
    #[default]
    Flat,
    /// Rises (or falls, if negative) by this angle, radians, in the direction the figure faces.
    Slope {
        /// Angle of the rise, radians.
        angle: Real,
    },
    /// Leads down (up, if `rise` is negative) in the direction the figure faces, from a level landing that reaches this far
    /// ahead of it; metres.
    Stairs {
        /// Length of the landing ahead of the figure, metres.
        landing: Real,
        /// Height of a step, metres; positive leads down.
        rise: Real,
        /// Depth of a step, metres.
        going: Real,
        /// Number of steps.
        steps: usize,
    },
    /// No ground.
    Nothing,
}

impl Terrain {
    /// Twelve ordinary steps, half a metre ahead.
    pub const STAIRS: Terrain = Terrain::Stairs { landing: 0.5, rise: 0.17, going: 0.29, steps: 12 };
    /// The same, upwards.
    pub const STAIRS_UP: Terrain = Terrain::Stairs { landing: 0.5, rise: -0.17, going: 0.29, steps: 12 };

    /// Puts the ground into a world; `origin` is the place on it where the figure starts, `forward` where it faces (level).
    pub fn build(
        &self,
        world: &mut World,
        origin: &Vec3,
        forward: &Vec3,
        material: Material,
    ) -> Result<Option<BodyId>, DynamicsError> {
        let plane = |normal: Vec3| Collider::new(Shape::HalfSpace { normal }).with_material(material);
        match *self {
            Terrain::Nothing => Ok(None),
            Terrain::Flat | Terrain::Slope { .. } => {
                let body = world.add_body(Body::fixed("ground", Placement::at(*origin)))?;
                world.add_collider(body, plane(self.normal(forward)))?;
                Ok(Some(body))
            }
            Terrain::Stairs { landing, rise, going, steps } => {
                let facing = Quat::rotation_between(&Vec3::z(), forward)
                    .unwrap_or_else(|| Quat::from_axis_angle(&Vec3::y_axis(), std::f64::consts::PI));
                let body = world.add_body(Body::fixed("stairs", Placement::new(*origin, facing)))?;
                let (wide, deep) = (20.0, 2.0 + rise.abs() * steps as Real);
                // The landing, the steps, and the floor at their end; each block reaches down below all others.
                let mut edge = landing;
                for step in 0..=steps + 1 {
                    let back = if step == 0 { landing - 20.0 } else { edge - going };
                    let front = if step > steps { edge + 20.0 } else { edge };
                    let top = -rise * step as Real;
                    let half_extents = Vec3::new(wide, deep, front - back) / 2.0;
                    let place = Vec3::new(0.0, top - deep / 2.0, (front + back) / 2.0);
                    let block = Collider::new(Shape::Box { half_extents }).at(Placement::at(place));
                    world.add_collider(body, block.with_material(material))?;
                    edge += going;
                }
                Ok(Some(body))
            }
        }
    }

    /// Returns the normal of ground that is a plane, the vertical for other ground.
    pub fn normal(&self, forward: &Vec3) -> Vec3 {
        match *self {
            Terrain::Slope { angle } => Vec3::y() * real::cos(angle) - forward * real::sin(angle),
            _ => Vec3::y(),
        }
    }

    /// Returns true if the ground is one plane.
    pub fn is_plane(&self) -> bool {
        matches!(self, Terrain::Flat | Terrain::Slope { .. })
    }
}

/// Height of the ground under a clip, metres: the 5th percentile over frames of the lowest point that the figure stands on,
/// because captures sink in a little here and there.
pub fn ground_height(figure: &Figure, clip: &Clip) -> Option<Real> {
    let mut pose = figure.skeleton().rest_pose();
    let (mut frames, mut placements) = (Vec::new(), Vec::new());
    let mut lowest: Vec<Real> = (0..clip.frames())
        .map(|frame| {
            clip.pose_into(frame, &mut pose);
            figure.placements_into(&pose, &mut frames, &mut placements);
            figure.close_joints(&mut placements);
            if figure.sole_points().is_empty() {
                lowest_of_shapes(figure, &placements)
            } else {
                figure.lowest_point(&placements)
            }
        })
        .filter(|height| height.is_finite())
        .collect();
    let place = lowest.len().checked_sub(1)? as Real * 0.05;
    let at = place.floor() as usize;
    let (_, low, above) = lowest.select_nth_unstable_by(at, Real::total_cmp);
    let low = *low;
    let next = above.iter().copied().min_by(Real::total_cmp).unwrap_or(low);
    Some(low + (next - low) * (place - at as Real))
}

/// Height of the ground under a clip whose root is held, metres. Where the clip would sink into [`ground_height`] by more than
/// 2 mm (less for figures smaller than people), ground and captured posture contradict each other, and a held root gives
/// neither a way out: the legs would bend. The ground then is as far below the lowest point of the motion as it is played:
/// a fast foot between two frames goes farther than in either.
pub fn held_ground_height(figure: &Figure, clip: &Clip) -> Option<Real> {
    let level = ground_height(figure, clip)?;
    let sampler = Sampler::new(figure.skeleton(), clip).ok()?;
    let mut motion = sampler.buffer();
    let (mut frames, mut placements) = (Vec::new(), Vec::new());
    let between = (SAMPLING_RATE / clip.rate_hz()).ceil().clamp(1.0, 16.0) as usize;
    let lowest = (0..=(clip.frames() - 1) * between)
        .map(|look| {
            sampler.sample_into(look as Real * clip.frame_time() / between as Real, &mut motion);
            figure.placements_into(&motion.pose, &mut frames, &mut placements);
            figure.close_joints(&mut placements);
            lowest_of_shapes(figure, &placements)
        })
        .fold(level, Real::min);
    let sinks = ALLOWED_DEPTH * figure.size_scale().min(1.0);
    Some(if level - lowest > sinks { lowest - sinks } else { level })
}

/// Depth to which a captured posture may sink before a held root asks for lower ground, metres, for a figure of 1.75 m or
/// more.
const ALLOWED_DEPTH: Real = 2e-3;
/// Least rate at which a motion is sampled between its frames, Hz.
const SAMPLING_RATE: Real = 120.0;

/// Height of the lowest point of any shape, metres; infinite without shapes.
fn lowest_of_shapes(figure: &Figure, placements: &[Placement]) -> Real {
    let heights = figure.segments().iter().zip(placements).flat_map(|(segment, frame)| {
        segment.shapes.iter().filter_map(|part| {
            let placed = frame.then(&part.placement);
            let down = placed.rotation.inverse_transform_vector(&-Vec3::y());
            part.shape.support(&down).map(|lowest| placed.point(&lowest).y)
        })
    });
    heights.fold(Real::INFINITY, Real::min)
}

/// Returns the depth of a figure below a plane, metres, with its segments' joints at these placements; 0 above it.
pub fn depth_below(figure: &Figure, placements: impl Iterator<Item = Placement>, origin: &Vec3, normal: &Vec3) -> Real {
    let mut depth: Real = 0.0;
    for (segment, frame) in figure.segments().iter().zip(placements) {
        for part in &segment.shapes {
            let placed = frame.then(&part.placement);
            let down = placed.rotation.inverse_transform_vector(&-normal);
            if let Some(lowest) = part.shape.support(&down) {
                depth = depth.max(-(placed.point(&lowest) - origin).dot(normal));
            }
        }
    }
    depth
}
