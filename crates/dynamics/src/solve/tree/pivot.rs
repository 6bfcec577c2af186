//! Elimination of joints that hold a point: ball, hinge, universal, weld, with or without motors.
//!
//! Such a joint has three rows that keep two anchors together, and rows of rotation alone. About the anchor, the anchor
//! rows are unit vectors and need no factorisation; what remains is the rotation that the joint leaves free, at most
//! 3×3 (Featherstone's articulated inertia, with motors as soft rows).
//!
//! ```text
//!   V = (velocity of the anchor, ω)       V_c = V_p + c + (0, F q̇)       F: the free axes of rotation, q̇ its speeds
//!   Â' = Tᵀ Â T at the anchor             U = Â'[:, ω] F                  D = Fᵀ Â'[ω, ω] F + K = L E Lᵀ
//!   to the parent:  Â' − U D⁻¹ Uᵀ
//! up:    g = Fᵀ (P'_ω + Σ a (k − a·c)/s)         P_p += P' − Â' c − U D⁻¹ (g − Uᵀ c)
//! down:  q̇ = D⁻¹ (g − Uᵀ (V_p + c))       wrench = Â' V_c − P'
//! ```
//!
//! c holds the targets of the exact rows, K = Σ a aᵀ/s and k/s come from the soft rows (motors), n are the exact
//! rotation rows, F their complement. Multipliers: the wrench's force for the anchor rows, its torque less the motors'
//! for n.

use super::kernel::{Lanes, Six};
use super::rows::Rows;
use super::spatial::{Spatial, Symmetric, ZERO3, columns};
use crate::math::{Mat3, Real, Vec3};

/// Factors that only joints with exact rotation rows need (hinges, welds). They are kept apart so that the sweeps over
/// balls, which are most joints of a figure, do not load them into the caches.
#[derive(Clone, Debug)]
pub(crate) struct ExactRotation {
    /// Directions of the exact rows.
    pub directions: [Vec3; 3],
    /// Free axes, by columns.
    f: Mat3,
    /// Linear (upper) and angular (lower) half of U.
    u_linear: Mat3,
    u_angular: Mat3,
    /// Matrix n (nᵀn)⁻¹, which maps targets of the exact rows to an angular velocity, and torques to multipliers.
    q: Mat3,
    /// Between the upward and the downward pass.
    asked_angular: Vec3,
}

impl ExactRotation {
    pub const EMPTY: ExactRotation = ExactRotation {
        directions: [Vec3::new(0.0, 0.0, 0.0); 3],
        f: ZERO3,
        u_linear: ZERO3,
        u_angular: ZERO3,
        q: ZERO3,
        asked_angular: Vec3::new(0.0, 0.0, 0.0),
    };

    /// Computes the free axes and the exact rows' inverse.
    #[inline(always)]
    fn span(&mut self, rows: &Rows) -> Result<(), usize> {
        let [n0, n1, n2] = self.directions;
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
                // Dual basis of the rows within their plane.
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

/// Factors of one such joint. If all rotation is free, the free axes are the world's, U is Â'[:, ω] itself, and neither
/// is stored. Else both are in the joint's `ExactRotation`, which the methods take.
#[derive(Clone, Debug)]
pub(crate) struct Pivot {
    /// Rows of the joint, to be filled before factoring.
    pub rows: Rows,
    inertia: Spatial,
    /// Entries of L below the diagonal of D = L E Lᵀ: l21, l31, l32.
    l: [Real; 3],
    /// Inverse of E, zero without a free axis.
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

    /// Factors the joint; returns the inertia it adds to the parent, about the parent's centre of mass. `Err(r)`:
    /// rotation row r (its place) repeats others.
    #[inline(always)]
    pub fn factor(&mut self, exact: Option<&mut ExactRotation>, child: &Spatial) -> Result<Spatial, usize> {
        let inertia = child.shifted(&self.rows.child_lever);
        let mut stiffness = Symmetric::ZERO;
        if self.rows.soft_count > 0 {
            let [x, y, z] = columns(&self.rows.soft);
            let by = &self.rows.stiffness;
            stiffness = stiffness.plus_square(&x, by.x).plus_square(&y, by.y).plus_square(&z, by.z);
        }
        self.inertia = inertia;
        let to_parent = -self.rows.parent_lever;
        let (u_linear, u_angular) = match exact.filter(|_| self.rows.exact_count > 0) {
            None => {
                self.factor_free(&inertia.c.plus(&stiffness).full());
                if self.rows.soft_count == 0 {
                    // D is the whole angular block: only the inertia of a point is passed to the parent.
                    let pieces = self.pieces(&columns(&inertia.b));
                    let a = relieved(inertia.a, &pieces, &self.e_inverse);
                    return Ok(Spatial::of_point(a, &to_parent));
                }
                (inertia.b, inertia.c.full())
            }
            Some(exact) => {
                exact.span(&self.rows)?;
                let free = 3 - self.rows.exact_count as usize;
                if free == 0 {
                    self.e_inverse = Vec3::zeros();
                    return Ok(inertia.shifted(&to_parent));
                }
                exact.u_linear = inertia.b * exact.f;
                exact.u_angular = inertia.c.full() * exact.f;
                let mut d = exact.f.transpose() * (exact.u_angular + stiffness.full() * exact.f);
                for k in free..3 {
                    d[(k, k)] = 1.0;
                }
                self.factor_free(&d);
                for k in free..3 {
                    self.e_inverse[k] = 0.0;
                }
                (exact.u_linear, exact.u_angular)
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

    /// Returns the columns of X L⁻ᵀ for those of X.
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

    /// Solves L x = y by forward substitution.
    #[inline(always)]
    fn forward(&self, y: Vec3) -> Vec3 {
        let [l21, l31, l32] = self.l;
        let y1 = y.y - l21 * y.x;
        Vec3::new(y.x, y1, y.z - l31 * y.x - l32 * y1)
    }

    /// Returns D⁻¹ y.
    #[inline(always)]
    fn solve_free(&self, y: Vec3) -> Vec3 {
        let [l21, l31, l32] = self.l;
        let x = self.forward(y).component_mul(&self.e_inverse);
        let x1 = x.y - l32 * x.z;
        Vec3::new(x.x - l21 * x1 - l31 * x.z, x1, x.z)
    }

    /// Moves `momentum` from the child's centre of mass to the anchor; returns the momentum passed to the parent about
    /// its own centre of mass. `k`: targets of the rows.
    #[inline(always)]
    pub fn up(&mut self, exact: Option<&mut ExactRotation>, momentum: &mut Six, k: &[Real]) -> (Vec3, Vec3) {
        let linear = Vec3::new(momentum[0], momentum[1], momentum[2]);
        let angular = Vec3::new(momentum[3], momentum[4], momentum[5]) - self.rows.child_lever.cross(&linear);
        momentum[3..].copy_from_slice(angular.as_slice());
        let asked_linear = self.rows.asked_linear(k);
        let Some(exact) = exact.filter(|_| self.rows.exact_count > 0) else {
            self.asked = angular;
            if self.rows.soft_count > 0 {
                self.asked += self.rows.soft * self.rows.asked_rotation(k).component_mul(&self.rows.stiffness);
            }
            let Spatial { a, b, c } = &self.inertia;
            let held = b.tr_mul(&asked_linear);
            let speed = self.solve_free(self.asked - held);
            let force = linear - a.times(&asked_linear) - b * speed;
            let torque = angular - held - c.times(&speed);
            return (force, torque + self.rows.parent_lever.cross(&force));
        };
        exact.asked_angular = Vec3::zeros();
        for (i, at) in self.rows.exact().enumerate() {
            exact.asked_angular += exact.q.column(i) * k[at];
        }
        let mut pushed = angular;
        if self.rows.soft_count > 0 {
            pushed += self.rows.soft * self.rows.pushes(k, &exact.asked_angular);
        }
        self.asked = exact.f.tr_mul(&pushed);
        let (kept_linear, kept_angular) = self.inertia.times(&asked_linear, &exact.asked_angular);
        let target = self.asked - exact.u_linear.tr_mul(&asked_linear) - exact.u_angular.tr_mul(&exact.asked_angular);
        let speed = self.solve_free(target);
        let force = linear - kept_linear - exact.u_linear * speed;
        let torque = angular - kept_angular - exact.u_angular * speed;
        (force, torque + self.rows.parent_lever.cross(&force))
    }

    /// Adds momentum after an upward pass and returns the addition for the parent, in the frames of [`Pivot::up`]; the
    /// whole momentum about the anchor is summed in `flow`.
    #[inline(always)]
    pub fn up_more(&mut self, exact: Option<&ExactRotation>, more: &Six, flow: &mut Six) -> (Vec3, Vec3) {
        let linear = Vec3::new(more[0], more[1], more[2]);
        let angular = Vec3::new(more[3], more[4], more[5]) - self.rows.child_lever.cross(&linear);
        for k in 0..3 {
            flow[k] += linear[k];
            flow[3 + k] += angular[k];
        }
        let (force, torque) = match exact.filter(|_| self.rows.exact_count > 0) {
            None => {
                self.asked += angular;
                let speed = self.solve_free(angular);
                (linear - self.inertia.b * speed, angular - self.inertia.c.times(&speed))
            }
            Some(exact) => {
                let asked = exact.f.tr_mul(&angular);
                self.asked += asked;
                let speed = self.solve_free(asked);
                (linear - exact.u_linear * speed, angular - exact.u_angular * speed)
            }
        };
        (force, torque + self.rows.parent_lever.cross(&force))
    }

    /// Returns the velocity of the anchor, the angular velocity of the child, and that relative to the parent, for the
    /// velocity of the parent and `k` of the upward pass.
    #[inline(always)]
    fn moved(&self, exact: Option<&ExactRotation>, parent: Option<&Six>, k: &[Real]) -> [Vec3; 3] {
        let mut linear = self.rows.asked_linear(k);
        let mut angular = exact.map_or_else(Vec3::zeros, |exact| exact.asked_angular);
        if let Some(v) = parent {
            let spin = Vec3::new(v[3], v[4], v[5]);
            linear += Vec3::new(v[0], v[1], v[2]) + spin.cross(&self.rows.parent_lever);
            angular += spin;
        }
        if let Some(exact) = exact {
            let target = self.asked - exact.u_linear.tr_mul(&linear) - exact.u_angular.tr_mul(&angular);
            let free = exact.f * self.solve_free(target);
            [linear, angular + free, exact.asked_angular + free]
        } else {
            let Spatial { b, c, .. } = &self.inertia;
            let speed = self.solve_free(self.asked - b.tr_mul(&linear) - c.times(&angular));
            [linear, angular + speed, speed]
        }
    }

    /// Computes the velocity of the child, in place of the momentum, from that of the parent and `k` of the upward
    /// pass. The rows' multipliers go to `lambda`, but for those of rows held at their limits.
    #[inline(always)]
    pub fn down(
        &self,
        exact: Option<&ExactRotation>,
        parent: Option<&Six>,
        flow: &mut Six,
        k: &[Real],
        lambda: &mut [Real],
    ) {
        let exact = exact.filter(|_| self.rows.exact_count > 0);
        let [linear, angular, relative] = self.moved(exact, parent, k);
        let before = Vec3::new(flow[0], flow[1], flow[2]);
        let mut pushes = Vec3::zeros();
        if self.rows.soft_count > 0 {
            pushes = self.rows.pushes(k, &relative);
            self.rows.soft_places().zip(pushes.iter()).for_each(|(at, push)| lambda[at] = *push);
        }
        let force = if let Some(exact) = exact {
            let (force, torque) = self.inertia.times(&linear, &angular);
            let torque = torque - Vec3::new(flow[3], flow[4], flow[5]) - self.rows.soft * pushes;
            for (i, at) in self.rows.exact().enumerate() {
                lambda[at] = exact.q.column(i).dot(&torque);
            }
            force
        } else {
            self.inertia.a.times(&linear) + self.inertia.b * angular
        };
        lambda[..3].copy_from_slice(((force - before) * self.rows.sign()).as_slice());
        *flow = self.at_centre(&linear, &angular);
    }

    /// Returns the child's velocity alone.
    #[inline(always)]
    pub fn glance(&self, exact: Option<&ExactRotation>, parent: Option<&Six>, k: &[Real]) -> Six {
        let exact = exact.filter(|_| self.rows.exact_count > 0);
        let [linear, angular, _] = self.moved(exact, parent, k);
        self.at_centre(&linear, &angular)
    }

    /// Returns the child's velocity about its centre of mass, from that of the anchor.
    #[inline(always)]
    fn at_centre(&self, linear: &Vec3, angular: &Vec3) -> Six {
        let centre = linear + self.rows.child_lever.cross(angular);
        [centre.x, centre.y, centre.z, angular.x, angular.y, angular.z]
    }

    /// Runs the upward pass of momenta alone, for four auxiliary rows side by side. `momentum` is that of the child on
    /// entry and that of the parent on exit; returns L⁻¹ g.
    #[inline(always)]
    pub fn walk(&self, exact: Option<&ExactRotation>, momentum: &mut [Lanes; 6]) -> [Lanes; 3] {
        // Unrolled by hand: mapped arrays go through memory, one number at a time.
        let [x, y, z, a, b, c] = *momentum;
        let linear = [x, y, z];
        let angular = less(&[a, b, c], &crossed(&self.rows.child_lever, &linear));
        let (g, u_linear, u_angular) = match exact.filter(|_| self.rows.exact_count > 0) {
            Some(exact) => (product(&exact.f.transpose(), &angular), exact.u_linear, exact.u_angular),
            None => (angular, self.inertia.b, self.inertia.c.full()),
        };
        let [l21, l31, l32] = self.l;
        let g1 = minus(&g[1], l21, &g[0]);
        let forward = [g[0], g1, minus(&minus(&g[2], l31, &g[0]), l32, &g1)];
        let weighted = |k: usize| -> Lanes { std::array::from_fn(|i| forward[k][i] * self.e_inverse[k]) };
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

/// Returns x − c y.
#[inline(always)]
fn minus(x: &Lanes, c: Real, y: &Lanes) -> Lanes {
    std::array::from_fn(|i| x[i] - c * y[i])
}

/// Returns x − y of three components.
#[inline(always)]
fn less(x: &[Lanes; 3], y: &[Lanes; 3]) -> [Lanes; 3] {
    std::array::from_fn(|k| std::array::from_fn(|i| x[k][i] - y[k][i]))
}

/// Returns M v for four vectors side by side.
#[inline(always)]
fn product(m: &Mat3, v: &[Lanes; 3]) -> [Lanes; 3] {
    std::array::from_fn(|k| std::array::from_fn(|i| m[(k, 0)] * v[0][i] + m[(k, 1)] * v[1][i] + m[(k, 2)] * v[2][i]))
}

/// Returns r × v for four vectors side by side.
#[inline(always)]
fn crossed(r: &Vec3, [x, y, z]: &[Lanes; 3]) -> [Lanes; 3] {
    [
        std::array::from_fn(|i| r.y * z[i] - r.z * y[i]),
        std::array::from_fn(|i| r.z * x[i] - r.x * z[i]),
        std::array::from_fn(|i| r.x * y[i] - r.y * x[i]),
    ]
}

/// Squared sine below which rotation rows repeat each other.
const DEPENDENT: Real = 1e-11;

/// Returns S less the squares of the pieces, each with its weight.
#[inline(always)]
fn relieved(s: Symmetric, [x, y, z]: &[Vec3; 3], weight: &Vec3) -> Symmetric {
    s.plus_square(x, -weight.x).plus_square(y, -weight.y).plus_square(z, -weight.z)
}
