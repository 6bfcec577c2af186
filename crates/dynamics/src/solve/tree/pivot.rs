//! The short way for joints that hold a point: ball, hinge, universal, weld, with or without motors.
//!
//! Such a joint has three rows that keep two anchors together, and rows about turning alone. Seen from the anchor, the
//! anchor rows are unit vectors, so nothing has to be factored for them; what is left is the turning that the joint
//! leaves free, at most 3×3 (Featherstone's articulated inertia, with motors as soft rows).
//!
//! ```text
//!   V = (velocity of the anchor, ω)       V_c = V_p + c + (0, F q̇)       F: the free turning axes, q̇ its speeds
//!   Â' = Tᵀ Â T at the anchor             U = Â'[:, ω] F                  D = Fᵀ Â'[ω, ω] F + K = L E Lᵀ
//!   to the parent:  Â' − U D⁻¹ Uᵀ
//! up:    g = Fᵀ (P'_ω + Σ a (k − a·c)/s)         P_p += P' − Â' c − U D⁻¹ (g − Uᵀ c)
//! down:  q̇ = D⁻¹ (g − Uᵀ (V_p + c))       wrench = Â' V_c − P'
//! ```
//!
//! c carries what the exact rows ask for, K = Σ a aᵀ/s and k/s come from the soft rows (motors), n are the exact turning
//! rows, F their complement. Multipliers: the wrench's force for the anchor rows, its torque less the motors' for n.

use super::kernel::{Four, Six};
use super::rows::Rows;
use super::spatial::{Spatial, Symmetric, ZERO3, columns};
use crate::math::{Mat3, Real, Vec3};

/// What only joints with exact turning rows need (hinges, welds), kept apart so that the sweeps over balls, which
/// are most joints of a figure, do not drag it through the caches.
#[derive(Clone, Debug)]
pub(crate) struct Turning {
    /// Directions of the exact rows.
    pub exact: [Vec3; 3],
    /// Free axes, by columns.
    f: Mat3,
    /// U, upper (linear) and lower (angular) half.
    u_linear: Mat3,
    u_angular: Mat3,
    /// n (nᵀn)⁻¹: takes wishes of the exact rows to a spin, and torques back to multipliers.
    q: Mat3,
    /// Between the upward and the downward pass.
    asked_angular: Vec3,
}

impl Turning {
    pub const EMPTY: Turning = Turning {
        exact: [Vec3::new(0.0, 0.0, 0.0); 3],
        f: ZERO3,
        u_linear: ZERO3,
        u_angular: ZERO3,
        q: ZERO3,
        asked_angular: Vec3::new(0.0, 0.0, 0.0),
    };

    /// The free axes and the exact rows' inverse.
    #[inline(always)]
    fn span(&mut self, rows: &Rows) -> Result<(), usize> {
        let [n0, n1, n2] = self.exact;
        let [_, at1, at2] = rows.exact_at;
        match rows.exact_count {
            1 => {
                let n = n0 / n0.norm();
                let side = if n.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
                let first = n.cross(&side).normalize();
                self.f = Mat3::from_columns(&[first, n.cross(&first), Vec3::zeros()]);
                self.q = Mat3::from_columns(&[n0 / n0.norm_squared(), Vec3::zeros(), Vec3::zeros()]);
            }
            2 => {
                let axis = n0.cross(&n1);
                let size = axis.norm_squared();
                if size <= DEPENDENT * n0.norm_squared() * n1.norm_squared() {
                    return Err(at1 as usize);
                }
                self.f = Mat3::from_columns(&[axis / size.sqrt(), Vec3::zeros(), Vec3::zeros()]);
                // The rows' dual basis within their plane.
                self.q = Mat3::from_columns(&[n1.cross(&axis) / size, axis.cross(&n0) / size, Vec3::zeros()]);
            }
            _ => {
                let volume = n0.cross(&n1).dot(&n2);
                let size = n0.norm_squared() * n1.norm_squared() * n2.norm_squared();
                if volume * volume <= DEPENDENT * size {
                    return Err(at2 as usize);
                }
                self.q = Mat3::from_columns(&[n1.cross(&n2) / volume, n2.cross(&n0) / volume, n0.cross(&n1) / volume]);
            }
        }
        Ok(())
    }
}

/// The factors of one such joint. Where all turning is free, the free axes are the world's, and U is Â'[:, ω] itself:
/// neither is written down then. Else both are in the joint's `Turning`, which the methods want.
#[derive(Clone, Debug)]
pub(crate) struct Pivot {
    /// To be filled before factoring.
    pub rows: Rows,
    inertia: Spatial,
    /// L below the diagonal of D = L E Lᵀ: l21, l31, l32.
    l: [Real; 3],
    /// 1/E, zero where there is no free axis.
    pub e_inverse: Vec3,
    /// Between the upward and the downward pass.
    asked: Vec3,
}

impl Pivot {
    pub const EMPTY: Pivot = Pivot {
        rows: Rows::NONE,
        inertia: Spatial::ZERO,
        l: [0.0; 3],
        e_inverse: Vec3::new(0.0, 0.0, 0.0),
        asked: Vec3::new(0.0, 0.0, 0.0),
    };

    /// Factors; gives back what the parent carries, about the parent's centre of mass. `Err(r)`: turning row r (its place)
    /// repeats others.
    #[inline(always)]
    pub fn factor(&mut self, turning: Option<&mut Turning>, child: &Spatial) -> Result<Spatial, usize> {
        let inertia = child.shifted(&self.rows.child_lever);
        let mut stiffness = Symmetric::ZERO;
        if self.rows.soft_count > 0 {
            let [x, y, z] = columns(&self.rows.soft);
            let by = &self.rows.stiffness;
            stiffness = stiffness.plus_square(&x, by.x).plus_square(&y, by.y).plus_square(&z, by.z);
        }
        self.inertia = inertia;
        let to_parent = -self.rows.parent_lever;
        let (u_linear, u_angular) = match turning.filter(|_| self.rows.exact_count > 0) {
            None => {
                self.factor_free(&inertia.c.plus(&stiffness).full());
                if self.rows.soft_count == 0 {
                    // D is the whole angular block: nothing but the point's inertia is handed on.
                    let pieces = self.pieces(&columns(&inertia.b));
                    let a = relieved(inertia.a, &pieces, &self.e_inverse);
                    return Ok(Spatial::of_point(a, &to_parent));
                }
                (inertia.b, inertia.c.full())
            }
            Some(turning) => {
                turning.span(&self.rows)?;
                let free = 3 - self.rows.exact_count as usize;
                if free == 0 {
                    self.e_inverse = Vec3::zeros();
                    return Ok(inertia.shifted(&to_parent));
                }
                turning.u_linear = inertia.b * turning.f;
                turning.u_angular = inertia.c.full() * turning.f;
                let mut d = turning.f.transpose() * (turning.u_angular + stiffness.full() * turning.f);
                for k in free..3 {
                    d[(k, k)] = 1.0;
                }
                self.factor_free(&d);
                for k in free..3 {
                    self.e_inverse[k] = 0.0;
                }
                (turning.u_linear, turning.u_angular)
            }
        };
        // Â' − U D⁻¹ Uᵀ in three rank-one pieces along the columns of U L⁻ᵀ.
        let (x, y) = (self.pieces(&columns(&u_linear)), self.pieces(&columns(&u_angular)));
        let mut b = inertia.b;
        for k in 0..3 {
            b -= x[k] * self.e_inverse[k] * y[k].transpose();
        }
        let a = relieved(inertia.a, &x, &self.e_inverse);
        let c = relieved(inertia.c, &y, &self.e_inverse);
        Ok(Spatial { a, b, c }.shifted(&to_parent))
    }

    /// The columns of X L⁻ᵀ for those of X.
    #[inline(always)]
    fn pieces(&self, [x, y, z]: &[Vec3; 3]) -> [Vec3; 3] {
        let [l21, l31, l32] = self.l;
        let second = y - x * l21;
        [*x, second, z - x * l31 - second * l32]
    }

    #[inline(always)]
    fn factor_free(&mut self, d: &Mat3) {
        let e0 = 1.0 / d.m11;
        let (l21, l31) = (d.m21 * e0, d.m31 * e0);
        let e1 = 1.0 / (d.m22 - l21 * d.m21);
        let below = d.m32 - l31 * d.m21;
        let l32 = below * e1;
        let e2 = 1.0 / (d.m33 - l31 * d.m31 - l32 * below);
        self.l = [l21, l31, l32];
        self.e_inverse = Vec3::new(e0, e1, e2);
    }

    /// L x = y by forward substitution.
    #[inline(always)]
    fn forward(&self, y: Vec3) -> Vec3 {
        let [l21, l31, l32] = self.l;
        let y1 = y.y - l21 * y.x;
        Vec3::new(y.x, y1, y.z - l31 * y.x - l32 * y1)
    }

    /// D⁻¹ y.
    #[inline(always)]
    fn solve_free(&self, y: Vec3) -> Vec3 {
        let [l21, l31, l32] = self.l;
        let x = self.forward(y).component_mul(&self.e_inverse);
        let x1 = x.y - l32 * x.z;
        Vec3::new(x.x - l21 * x1 - l31 * x.z, x1, x.z)
    }

    /// `momentum` about the child's centre of mass in, about the anchor out; gives what the parent feels about its own
    /// centre of mass. `k`: wishes of the rows.
    #[inline(always)]
    pub fn up(&mut self, turning: Option<&mut Turning>, momentum: &mut Six, k: &[Real]) -> (Vec3, Vec3) {
        let linear = Vec3::new(momentum[0], momentum[1], momentum[2]);
        let angular = Vec3::new(momentum[3], momentum[4], momentum[5]) - self.rows.child_lever.cross(&linear);
        momentum[3..].copy_from_slice(angular.as_slice());
        let asked_linear = self.rows.asked_linear(k);
        let Some(turning) = turning.filter(|_| self.rows.exact_count > 0) else {
            self.asked = angular;
            if self.rows.soft_count > 0 {
                self.asked += self.rows.soft * self.rows.asked_turning(k).component_mul(&self.rows.stiffness);
            }
            let Spatial { a, b, c } = &self.inertia;
            let held = b.tr_mul(&asked_linear);
            let speed = self.solve_free(self.asked - held);
            let force = linear - a.times(&asked_linear) - b * speed;
            let torque = angular - held - c.times(&speed);
            return (force, torque + self.rows.parent_lever.cross(&force));
        };
        turning.asked_angular = Vec3::zeros();
        for (i, at) in self.rows.exact().enumerate() {
            turning.asked_angular += turning.q.column(i) * k[at];
        }
        let mut pushed = angular;
        if self.rows.soft_count > 0 {
            pushed += self.rows.soft * self.rows.pushes(k, &turning.asked_angular);
        }
        self.asked = turning.f.tr_mul(&pushed);
        let (kept_linear, kept_angular) = self.inertia.times(&asked_linear, &turning.asked_angular);
        let wish =
            self.asked - turning.u_linear.tr_mul(&asked_linear) - turning.u_angular.tr_mul(&turning.asked_angular);
        let speed = self.solve_free(wish);
        let force = linear - kept_linear - turning.u_linear * speed;
        let torque = angular - kept_angular - turning.u_angular * speed;
        (force, torque + self.rows.parent_lever.cross(&force))
    }

    /// More momentum after an upward pass: what it adds to that pass. In and out as there; the whole momentum about the anchor
    /// is gathered in `flow`.
    #[inline(always)]
    pub fn up_more(&mut self, turning: Option<&Turning>, more: &Six, flow: &mut Six) -> (Vec3, Vec3) {
        let linear = Vec3::new(more[0], more[1], more[2]);
        let angular = Vec3::new(more[3], more[4], more[5]) - self.rows.child_lever.cross(&linear);
        for k in 0..3 {
            flow[k] += linear[k];
            flow[3 + k] += angular[k];
        }
        let (force, torque) = match turning.filter(|_| self.rows.exact_count > 0) {
            None => {
                self.asked += angular;
                let speed = self.solve_free(angular);
                (linear - self.inertia.b * speed, angular - self.inertia.c.times(&speed))
            }
            Some(turning) => {
                let asked = turning.f.tr_mul(&angular);
                self.asked += asked;
                let speed = self.solve_free(asked);
                (linear - turning.u_linear * speed, angular - turning.u_angular * speed)
            }
        };
        (force, torque + self.rows.parent_lever.cross(&force))
    }

    /// Velocity of the anchor, spin of the child, and its turning against the parent, for the velocity of the parent and `k`
    /// as it was on the way up.
    #[inline(always)]
    fn moved(&self, turning: Option<&Turning>, parent: Option<&Six>, k: &[Real]) -> [Vec3; 3] {
        let mut linear = self.rows.asked_linear(k);
        let mut angular = turning.map_or_else(Vec3::zeros, |turning| turning.asked_angular);
        if let Some(v) = parent {
            let spin = Vec3::new(v[3], v[4], v[5]);
            linear += Vec3::new(v[0], v[1], v[2]) + spin.cross(&self.rows.parent_lever);
            angular += spin;
        }
        if let Some(turning) = turning {
            let wish = self.asked - turning.u_linear.tr_mul(&linear) - turning.u_angular.tr_mul(&angular);
            let turned = turning.f * self.solve_free(wish);
            [linear, angular + turned, turning.asked_angular + turned]
        } else {
            let Spatial { b, c, .. } = &self.inertia;
            let speed = self.solve_free(self.asked - b.tr_mul(&linear) - c.times(&angular));
            [linear, angular + speed, speed]
        }
    }

    /// Velocity of the parent in, of the child out (in place of the momentum). `k` as it was on the way up; the rows'
    /// multipliers go to `lambda`, but for those of rows held at their limits.
    #[inline(always)]
    pub fn down(
        &self,
        turning: Option<&Turning>,
        parent: Option<&Six>,
        flow: &mut Six,
        k: &[Real],
        lambda: &mut [Real],
    ) {
        let turning = turning.filter(|_| self.rows.exact_count > 0);
        let [linear, angular, relative] = self.moved(turning, parent, k);
        let before = Vec3::new(flow[0], flow[1], flow[2]);
        let mut pushes = Vec3::zeros();
        if self.rows.soft_count > 0 {
            pushes = self.rows.pushes(k, &relative);
            self.rows.soft_places().zip(pushes.iter()).for_each(|(at, push)| lambda[at] = *push);
        }
        let force = if let Some(turning) = turning {
            let (force, torque) = self.inertia.times(&linear, &angular);
            let torque = torque - Vec3::new(flow[3], flow[4], flow[5]) - self.rows.soft * pushes;
            for (i, at) in self.rows.exact().enumerate() {
                lambda[at] = turning.q.column(i).dot(&torque);
            }
            force
        } else {
            self.inertia.a.times(&linear) + self.inertia.b * angular
        };
        lambda[..3].copy_from_slice(((force - before) * self.rows.sign()).as_slice());
        *flow = self.at_centre(&linear, &angular);
    }

    /// The child's velocity alone.
    #[inline(always)]
    pub fn glance(&self, turning: Option<&Turning>, parent: Option<&Six>, k: &[Real]) -> Six {
        let turning = turning.filter(|_| self.rows.exact_count > 0);
        let [linear, angular, _] = self.moved(turning, parent, k);
        self.at_centre(&linear, &angular)
    }

    /// The child's velocity about its centre of mass, from that of the anchor.
    #[inline(always)]
    fn at_centre(&self, linear: &Vec3, angular: &Vec3) -> Six {
        let centre = linear + self.rows.child_lever.cross(angular);
        [centre.x, centre.y, centre.z, angular.x, angular.y, angular.z]
    }

    /// The upward pass of a lone momentum, for four rows side by side: the way of auxiliary rows. What the child feels in,
    /// what the parent feels out; gives L⁻¹ g.
    #[inline(always)]
    pub fn walk(&self, turning: Option<&Turning>, momentum: &mut [Four; 6]) -> [Four; 3] {
        // Taken apart by hand: arrays that are mapped go through memory, one number at a time.
        let [x, y, z, a, b, c] = *momentum;
        let linear = [x, y, z];
        let angular = less(&[a, b, c], &crossed(&self.rows.child_lever, &linear));
        let (g, u_linear, u_angular) = match turning.filter(|_| self.rows.exact_count > 0) {
            Some(turning) => (product(&turning.f.transpose(), &angular), turning.u_linear, turning.u_angular),
            None => (angular, self.inertia.b, self.inertia.c.full()),
        };
        let [l21, l31, l32] = self.l;
        let g1 = minus(&g[1], l21, &g[0]);
        let forward = [g[0], g1, minus(&minus(&g[2], l31, &g[0]), l32, &g1)];
        let weighted = |k: usize| -> Four { std::array::from_fn(|i| forward[k][i] * self.e_inverse[k]) };
        let [x, y, z] = [weighted(0), weighted(1), weighted(2)];
        let y = minus(&y, l32, &z);
        let speed = [minus(&minus(&x, l21, &y), l31, &z), y, z];
        let force = less(&linear, &product(&u_linear, &speed));
        let torque = less(&angular, &product(&u_angular, &speed));
        let moment = crossed(&self.rows.parent_lever, &force);
        momentum[..3].copy_from_slice(&force);
        for k in 0..3 {
            momentum[3 + k] = std::array::from_fn(|i| torque[k][i] + moment[k][i]);
        }
        forward
    }
}

/// x − c y.
#[inline(always)]
fn minus(x: &Four, c: Real, y: &Four) -> Four {
    std::array::from_fn(|i| x[i] - c * y[i])
}

/// Three components less three others.
#[inline(always)]
fn less(x: &[Four; 3], y: &[Four; 3]) -> [Four; 3] {
    std::array::from_fn(|k| std::array::from_fn(|i| x[k][i] - y[k][i]))
}

/// M v for four vectors side by side.
#[inline(always)]
fn product(m: &Mat3, v: &[Four; 3]) -> [Four; 3] {
    std::array::from_fn(|k| std::array::from_fn(|i| m[(k, 0)] * v[0][i] + m[(k, 1)] * v[1][i] + m[(k, 2)] * v[2][i]))
}

/// r × v for four vectors side by side.
#[inline(always)]
fn crossed(r: &Vec3, [x, y, z]: &[Four; 3]) -> [Four; 3] {
    [
        std::array::from_fn(|i| r.y * z[i] - r.z * y[i]),
        std::array::from_fn(|i| r.z * x[i] - r.x * z[i]),
        std::array::from_fn(|i| r.x * y[i] - r.y * x[i]),
    ]
}

/// Squared sine below which turning rows repeat each other.
const DEPENDENT: Real = 1e-11;

/// S less the squares of the pieces, each with its weight.
#[inline(always)]
fn relieved(s: Symmetric, [x, y, z]: &[Vec3; 3], weight: &Vec3) -> Symmetric {
    s.plus_square(x, -weight.x).plus_square(y, -weight.y).plus_square(z, -weight.z)
}
