//! Mass properties of solids.

use crate::math::{Mat3, Quat, Real, Vec3};

/// Mass and rotational inertia about the centre of mass, in the body's own axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: Real,
    /// Inertia about the centre of mass, kg·m², body axes.
    pub inertia: Mat3,
}

impl MassProperties {
    /// Combines mass (kg) and principal moments (kg·m²) along the body axes.
    pub fn new(mass: Real, principal: Vec3) -> Self {
        Self { mass, inertia: Mat3::from_diagonal(&principal) }
    }

    /// Returns a solid ball; kg, metres.
    pub fn sphere(mass: Real, radius: Real) -> Self {
        Self::new(mass, Vec3::repeat(0.4 * mass * radius * radius))
    }

    /// Returns a solid box; kg, metres.
    pub fn cuboid(mass: Real, half_extents: Vec3) -> Self {
        let sq = half_extents.component_mul(&half_extents);
        Self::new(mass, Vec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y) * (mass / 3.0))
    }

    /// Returns a solid cylinder along its own x axis; kg, metres.
    pub fn cylinder(mass: Real, radius: Real, half_length: Real) -> Self {
        let across = mass * (radius * radius / 4.0 + half_length * half_length / 3.0);
        Self::new(mass, Vec3::new(mass * radius * radius / 2.0, across, across))
    }

    /// Returns a thin rod along its own x axis; kg, metres. Its moment about x is that of a rod a thousandth of its length thick, so
    /// that the inertia stays invertible.
    pub fn rod(mass: Real, length: Real) -> Self {
        Self::cylinder(mass, length * 1e-3, length / 2.0)
    }

    /// Returns a solid capsule along its own x axis; kg, metres; `half_length` is half of the straight part.
    pub fn capsule(mass: Real, radius: Real, half_length: Real) -> Self {
        let (r, l) = (radius, 2.0 * half_length);
        let cylinder_volume = std::f64::consts::PI * r * r * l;
        let ball_volume = 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        let cylinder = mass * cylinder_volume / (cylinder_volume + ball_volume);
        let ball = mass - cylinder;
        let along = cylinder * r * r / 2.0 + ball * 0.4 * r * r;
        // A hemisphere's own centre lies 3r/8 from its flat face; its moment about that centre is 83/320 m r².
        let to_centre = half_length + 0.375 * r;
        let across = cylinder * (r * r / 4.0 + l * l / 12.0) + ball * (83.0 / 320.0 * r * r + to_centre * to_centre);
        Self::new(mass, Vec3::new(along, across, across))
    }

    /// Rotates the solid within the body's axes.
    pub fn rotated(self, rotation: &Quat) -> Self {
        let r = rotation.to_rotation_matrix().into_inner();
        Self { mass: self.mass, inertia: r * self.inertia * r.transpose() }
    }

    /// Combines solids: returns the centre of mass, in the axes the parts were given in, and the properties about it.
    pub fn combined(parts: &[(MassProperties, Vec3)]) -> (MassProperties, Vec3) {
        let mass: Real = parts.iter().map(|(p, _)| p.mass).sum();
        let centre = parts.iter().map(|(p, at)| at * p.mass).sum::<Vec3>() / mass;
        let inertia = parts
            .iter()
            .map(|(p, at)| {
                let d = at - centre;
                p.inertia + (Mat3::identity() * d.norm_squared() - d * d.transpose()) * p.mass
            })
            .sum();
        (MassProperties { mass, inertia }, centre)
    }

    /// Returns true if the mass is positive and finite and the inertia symmetric and positive definite.
    pub fn is_valid(&self) -> bool {
        let i = &self.inertia;
        let scale = i.amax();
        self.mass.is_finite()
            && self.mass > 0.0
            && i.iter().all(|x| x.is_finite())
            && (i - i.transpose()).amax() <= 1e-9 * scale
            && i.cholesky().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed forms against a sum over half a million equal point masses of the same capsule.
    #[test]
    fn capsule_inertia_matches_the_volume_integral() {
        let (radius, half) = (0.3, 0.5);
        let n = 80;
        let (mut count, mut sum) = (0.0, Vec3::zeros());
        for i in 0..n * 3 {
            for j in 0..n {
                for k in 0..n {
                    let p = Vec3::new(
                        (half + radius) * (2.0 * (i as Real + 0.5) / (3 * n) as Real - 1.0),
                        radius * (2.0 * (j as Real + 0.5) / n as Real - 1.0),
                        radius * (2.0 * (k as Real + 0.5) / n as Real - 1.0),
                    );
                    let over = (p.x.abs() - half).max(0.0);
                    if over * over + p.y * p.y + p.z * p.z <= radius * radius {
                        count += 1.0;
                        sum += Vec3::new(p.y * p.y + p.z * p.z, p.x * p.x + p.z * p.z, p.x * p.x + p.y * p.y);
                    }
                }
            }
        }
        let closed = MassProperties::capsule(2.0, radius, half).inertia.diagonal();
        let integral = sum * (2.0 / count);
        assert!(((closed - integral).component_div(&closed)).amax() < 2e-3, "{closed} {integral}");
    }

    /// Two half boxes side by side are one box (parallel-axis theorem).
    #[test]
    fn two_half_boxes_make_the_whole_box() {
        let half = MassProperties::cuboid(1.0, Vec3::new(0.5, 0.2, 0.3));
        let (whole, centre) =
            MassProperties::combined(&[(half, Vec3::new(-0.5, 1.0, 0.0)), (half, Vec3::new(0.5, 1.0, 0.0))]);
        let expected = MassProperties::cuboid(2.0, Vec3::new(1.0, 0.2, 0.3));
        assert!((whole.inertia - expected.inertia).amax() < 1e-14);
        assert!((centre - Vec3::new(0.0, 1.0, 0.0)).amax() < 1e-15);
    }
}
