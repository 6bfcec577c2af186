//! Wrench that a clip requires of the ground, and the part of it that some contacts leave.

use super::Surface;
use super::trajectories::Trajectories;
use crate::contacts::low_pass::LowPass;
use crate::figure::Figure;
use crate::math::{GRAVITY, Real, Vec3, Vec6};
use crate::measure::ConeFit;
use crate::measure::kinetics::for_each_instant;
use crate::motion::Clip;

/// Bandwidth of the accelerations of whole bodies, Hz.
const BODY_HZ: Real = 6.0;
const FRICTION: Real = 0.8;

/// Required wrench of each frame.
pub(crate) struct RequiredWrench<'a> {
    trajectories: &'a Trajectories,
    surface: &'a dyn Surface,
    height: Real,
    /// Centre of mass and the wrench about it: force over weight, torque over weight times height.
    frames: Vec<Option<(Vec3, Vec6)>>,
}

impl<'a> RequiredWrench<'a> {
    /// Computes the wrenches of a clip with its trajectories.
    pub fn of(figure: &Figure, clip: &Clip, trajectories: &'a Trajectories, surface: &'a dyn Surface) -> Self {
        let segments = figure.segments();
        let weight = figure.mass() * GRAVITY;
        let mut frames = vec![None; trajectories.frames];
        let low_pass = LowPass::new(BODY_HZ, trajectories.rate);
        for_each_instant(figure, clip, low_pass.as_ref(), |frame, bodies| {
            let with_mass = || segments.iter().zip(bodies).map(|(segment, body)| (segment.mass.mass, segment, body));
            let centre = with_mass().map(|(mass, _, body)| body.centre * mass).sum::<Vec3>() / figure.mass();
            let (mut force, mut torque) = (Vec3::zeros(), Vec3::zeros());
            for (mass, segment, body) in with_mass() {
                let own = (body.acceleration + Vec3::y() * GRAVITY) * mass;
                force += own;
                torque += (body.centre - centre).cross(&own) + body.torque(&segment.mass.inertia);
            }
            let (f, t) = (force / weight, torque / (weight * figure.height));
            frames[frame] = Some((centre, Vec6::new(f.x, f.y, f.z, t.x, t.y, t.z)));
        });
        Self { trajectories, surface, height: figure.height, frames }
    }

    /// Returns the norm of what forces on some features leave of the wrench in a frame, over weight and height.
    pub fn deficit(&self, t: usize, carries: impl Iterator<Item = usize>, fit: &mut ConeFit) -> Real {
        let Some((centre, wanted)) = &self.frames[t] else { return 0.0 };
        let arms = carries.map(|f| {
            let place = self.trajectories.place(f, t);
            (place - Vec3::y() * self.surface.under(place).height - centre) / self.height
        });
        fit.solve(wanted, arms, FRICTION).norm()
    }
}
