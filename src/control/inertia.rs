//! Inertia that a joint moves: that of all segments it carries.
//!
//! With mass m, first moment s = Σ m c and second moment I₀ about the origin of a set of segments, the moment about p is
//!
//! ```text
//!  I_p = I₀ − 2 (p·s) 1 + m |p|² 1 + p sᵀ + s pᵀ − m p pᵀ
//! ```

use crate::dynamics::Placement;
use crate::figure::{AttachmentKind, Figure};
use crate::math::{Mat3, Real, Vec3};

/// Mass, first and second moment of some segments about the origin.
#[derive(Clone, Copy)]
struct Composite {
    mass: Real,
    first: Vec3,
    second: Mat3,
}

impl Composite {
    fn plus(&self, other: &Composite, sign: Real) -> Composite {
        Composite {
            mass: self.mass + sign * other.mass,
            first: self.first + other.first * sign,
            second: self.second + other.second * sign,
        }
    }

    /// The largest moment about a point.
    fn largest_about(&self, p: &Vec3) -> Real {
        let (m, s) = (self.mass, &self.first);
        let one = Mat3::identity();
        let about =
            self.second - one * (2.0 * p.dot(s)) + one * (m * p.norm_squared()) + p * s.transpose() + s * p.transpose()
                - p * p.transpose() * m;
        (0.5 * (about + about.transpose())).symmetric_eigenvalues().max().max(0.0)
    }
}

/// Returns for each segment the largest moment about its joint of everything the joint carries, kg·m², with the joints at
/// these placements. Where the figure floats, what is on the other side of the joint gives way as well, and both sides
/// count in series: 1/I = 1/I_below + 1/I_above.
///
/// ```
/// # use sinew::control::carried_inertia;
/// # use sinew::figure::{Figure, FigureOptions};
/// # use sinew::motion::{Joint, Skeleton};
/// # use sinew::Vec3;
/// # let mut tail = Joint::new("tail", Some(0), Vec3::new(0.4, 0.0, 0.0));
/// # tail.tip = Some(Vec3::new(0.3, 0.0, 0.0));
/// # let skeleton = Skeleton::new(vec![Joint::new("trunk", None, Vec3::y()), tail])?;
/// let figure = Figure::build(&skeleton, &FigureOptions::default())?;
/// let placements = figure.placements(&skeleton.rest_pose());
/// let (held, floating) =
///     (carried_inertia(&figure, &placements, false), carried_inertia(&figure, &placements, true));
/// assert!(floating[1] < held[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn carried_inertia(figure: &Figure, placements: &[Placement], floating: bool) -> Vec<Real> {
    let segments = figure.segments();
    let mut below: Vec<Composite> = segments
        .iter()
        .zip(placements)
        .map(|(segment, placement)| {
            let centre = placement.point(&segment.centre);
            let mass = segment.mass.rotated(&placement.rotation);
            let spread = Mat3::identity() * centre.norm_squared() - centre * centre.transpose();
            Composite { mass: mass.mass, first: centre * mass.mass, second: mass.inertia + spread * mass.mass }
        })
        .collect();
    // The root of each segment's own tree: separate trees do not lean on each other.
    let mut top: Vec<usize> = (0..segments.len()).collect();
    for k in 0..segments.len() {
        if let Some(parent) = holder(figure, k) {
            top[k] = top[parent];
        }
    }
    for k in (0..segments.len()).rev() {
        if let Some(parent) = holder(figure, k) {
            below[parent] = below[parent].plus(&below[k], 1.0);
        }
    }
    let largest = |k: usize| {
        let own = below[k].largest_about(&placements[k].position);
        if !floating || top[k] == k {
            return own;
        }
        let above = below[top[k]].plus(&below[k], -1.0).largest_about(&placements[k].position);
        own * above / (own + above)
    };
    (0..segments.len()).map(largest).collect()
}

/// Mass of each segment with everything it carries, kg.
pub(crate) fn carried_mass(figure: &Figure) -> Vec<Real> {
    let mut mass: Vec<Real> = figure.segments().iter().map(|s| s.mass.mass).collect();
    for k in (0..mass.len()).rev() {
        if let Some(parent) = holder(figure, k) {
            mass[parent] += mass[k];
        }
    }
    mass
}

/// The segment that holds this one, unless it is free.
pub(crate) fn holder(figure: &Figure, segment: usize) -> Option<usize> {
    let segment = figure.segment(segment);
    segment.parent.filter(|_| segment.attachment.kind != AttachmentKind::Free)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::MassProperties;

    /// Steiner: a ball of mass m at distance d has ⅖mr² + md² about a point across the way to it.
    #[test]
    fn moments_follow_the_parallel_axis_theorem() {
        let ball = MassProperties::sphere(2.0, 0.1);
        let centre = Vec3::new(3.0, -1.0, 2.0);
        let spread = Mat3::identity() * centre.norm_squared() - centre * centre.transpose();
        let alone = Composite { mass: 2.0, first: centre * 2.0, second: ball.inertia + spread * 2.0 };
        let about = alone.largest_about(&(centre + Vec3::new(0.0, 0.5, 0.0)));
        assert!((about - (0.008 + 0.5)).abs() < 1e-12, "{about}");
        assert!(alone.plus(&alone, -1.0).largest_about(&centre).abs() < 1e-12);
    }
}
