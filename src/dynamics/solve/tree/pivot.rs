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
use super::spatial::{Spatial, Symmetric, ZERO3, columns};
use crate::math::{Mat3, Real, Vec3, Vec6};

/// What the rows of one joint say, gathered before factoring. Signs are those of the child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// +1 where the anchor rows read child minus parent, −1 the other way round.
    pub sign: Real,
    /// Anchor from the centre of mass, world axes.
    pub child_lever: Vec3,
    pub parent_lever: Vec3,
    /// Exact turning rows: direction and place among the joint's rows.
    pub exact: [(Vec3, u8); 3],
    pub exact_count: usize,
    /// Soft turning rows: direction, 1/s, place.
    pub soft: [(Vec3, Real, u8); 3],
    pub soft_count: usize,
}

impl Rows {
    pub const NONE: Rows = Rows {
        sign: 1.0,
        child_lever: Vec3::new(0.0, 0.0, 0.0),
        parent_lever: Vec3::new(0.0, 0.0, 0.0),
        exact: [(Vec3::new(0.0, 0.0, 0.0), 0); 3],
        exact_count: 0,
        soft: [(Vec3::new(0.0, 0.0, 0.0), 0.0, 0); 3],
        soft_count: 0,
    };

    /// Whether all of a joint's rows are here; those held at their limits are not.
    #[inline(always)]
    pub fn are_complete(&self, count: usize) -> bool {
        3 + self.exact_count + self.soft_count == count
    }

    /// k −= J v, for the velocities of the two bodies.
    #[inline(always)]
    pub fn take_rates(&self, child: &Vec6, parent: Option<&Vec6>, k: &mut [Real]) {
        let halves = |v: &Vec6| (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]));
        let (linear, mut spin) = halves(child);
        let mut opening = linear + spin.cross(&self.child_lever);
        if let Some(parent) = parent {
            let (linear, parent_spin) = halves(parent);
            opening -= linear + parent_spin.cross(&self.parent_lever);
            spin -= parent_spin;
        }
        for (k, opening) in k.iter_mut().zip(opening.iter()) {
            *k -= opening * self.sign;
        }
        for (a, at) in &self.exact[..self.exact_count] {
            k[*at as usize] -= a.dot(&spin);
        }
        for (a, _, at) in &self.soft[..self.soft_count] {
            k[*at as usize] -= a.dot(&spin);
        }
    }
}

/// The factors of one such joint.
#[derive(Clone, Debug)]
pub(crate) struct Pivot {
    /// To be filled before factoring.
    pub rows: Rows,
    inertia: Spatial,
    /// Free axes, by columns; `free` of them. Where all turning is free they are the world's, and U is Â'[:, ω] itself:
    /// neither is written down then.
    f: Mat3,
    free: usize,
    /// U, upper (linear) and lower (angular) half.
    u_linear: Mat3,
    u_angular: Mat3,
    /// L below the diagonal of D = L E Lᵀ: l21, l31, l32.
    l: [Real; 3],
    /// 1/E, zero where there is no free axis.
    pub e_inverse: Vec3,
    /// n (nᵀn)⁻¹: takes wishes of the exact rows to a spin, and torques back to multipliers.
    q: Mat3,
    /// Between the upward and the downward pass.
    asked: Vec3,
    asked_linear: Vec3,
    asked_angular: Vec3,
}

impl Pivot {
    pub const EMPTY: Pivot = Pivot {
        rows: Rows::NONE,
        inertia: Spatial::ZERO,
        f: ZERO3,
        free: 0,
        u_linear: ZERO3,
        u_angular: ZERO3,
        l: [0.0; 3],
        e_inverse: Vec3::new(0.0, 0.0, 0.0),
        q: ZERO3,
        asked: Vec3::new(0.0, 0.0, 0.0),
        asked_linear: Vec3::new(0.0, 0.0, 0.0),
        asked_angular: Vec3::new(0.0, 0.0, 0.0),
    };

    /// Factors; gives back what the parent carries, about the parent's centre of mass. `Err(r)`: turning row r (its place)
    /// repeats others.
    #[inline(always)]
    pub fn factor(&mut self, child: &Spatial) -> Result<Spatial, usize> {
        self.span()?;
        let inertia = child.shifted(&self.rows.child_lever);
        let mut stiffness = Symmetric::ZERO;
        for (a, inverse, _) in &self.rows.soft[..self.rows.soft_count] {
            stiffness = stiffness.plus_square(a, *inverse);
        }
        self.inertia = inertia;
        let to_parent = -self.rows.parent_lever;
        match self.free {
            0 => {
                self.e_inverse = Vec3::zeros();
                return Ok(inertia.shifted(&to_parent));
            }
            3 => {
                self.factor_free(&inertia.c.plus(&stiffness).full());
                if self.rows.soft_count == 0 {
                    // D is the whole angular block: nothing but the point's inertia is handed on.
                    let pieces = self.pieces(&columns(&inertia.b));
                    let a = relieved(inertia.a, &pieces, &self.e_inverse);
                    return Ok(Spatial::of_point(a, &to_parent));
                }
            }
            _ => {
                let c = inertia.c.full();
                self.u_linear = inertia.b * self.f;
                self.u_angular = c * self.f;
                let mut d = self.f.transpose() * (self.u_angular + stiffness.full() * self.f);
                for k in self.free..3 {
                    d[(k, k)] = 1.0;
                }
                self.factor_free(&d);
                for k in self.free..3 {
                    self.e_inverse[k] = 0.0;
                }
            }
        }
        // Â' − U D⁻¹ Uᵀ in three rank-one pieces along the columns of U L⁻ᵀ.
        let (u_linear, u_angular) = self.u();
        let (x, y) = (self.pieces(&columns(&u_linear)), self.pieces(&columns(&u_angular)));
        let mut b = inertia.b;
        for k in 0..3 {
            b -= x[k] * self.e_inverse[k] * y[k].transpose();
        }
        let a = relieved(inertia.a, &x, &self.e_inverse);
        let c = relieved(inertia.c, &y, &self.e_inverse);
        Ok(Spatial { a, b, c }.shifted(&to_parent))
    }

    /// U, upper and lower half.
    #[inline(always)]
    fn u(&self) -> (Mat3, Mat3) {
        if self.free == 3 { (self.inertia.b, self.inertia.c.full()) } else { (self.u_linear, self.u_angular) }
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

    /// The free axes and the exact rows' inverse.
    #[inline(always)]
    fn span(&mut self) -> Result<(), usize> {
        let [(n0, _), (n1, at1), (n2, at2)] = self.rows.exact;
        self.free = 3 - self.rows.exact_count;
        match self.rows.exact_count {
            0 => {}
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
    pub fn up(&mut self, momentum: &mut Six, k: &Six) -> (Vec3, Vec3) {
        let linear = Vec3::new(momentum[0], momentum[1], momentum[2]);
        let angular = Vec3::new(momentum[3], momentum[4], momentum[5]) - self.rows.child_lever.cross(&linear);
        momentum[3..].copy_from_slice(angular.as_slice());
        self.asked_linear = Vec3::new(k[0], k[1], k[2]) * self.rows.sign;
        if self.free == 3 {
            self.asked = angular;
            for (a, inverse, at) in &self.rows.soft[..self.rows.soft_count] {
                self.asked += a * (k[*at as usize] * inverse);
            }
            let Spatial { a, b, c } = &self.inertia;
            let held = b.tr_mul(&self.asked_linear);
            let speed = self.solve_free(self.asked - held);
            let force = linear - a.times(&self.asked_linear) - b * speed;
            let torque = angular - held - c.times(&speed);
            return (force, torque + self.rows.parent_lever.cross(&force));
        }
        self.asked_angular = Vec3::zeros();
        for (i, (_, at)) in self.rows.exact[..self.rows.exact_count].iter().enumerate() {
            self.asked_angular += self.q.column(i) * k[*at as usize];
        }
        let mut pushed = angular;
        for (a, inverse, at) in &self.rows.soft[..self.rows.soft_count] {
            pushed += a * ((k[*at as usize] - a.dot(&self.asked_angular)) * inverse);
        }
        self.asked = self.f.tr_mul(&pushed);
        let (kept_linear, kept_angular) = self.inertia.times(&self.asked_linear, &self.asked_angular);
        let wish = self.asked - self.u_linear.tr_mul(&self.asked_linear) - self.u_angular.tr_mul(&self.asked_angular);
        let speed = self.solve_free(wish);
        let force = linear - kept_linear - self.u_linear * speed;
        let torque = angular - kept_angular - self.u_angular * speed;
        (force, torque + self.rows.parent_lever.cross(&force))
    }

    /// Velocity of the parent in, of the child out (in place of the momentum), multipliers in place of the wishes.
    #[inline(always)]
    pub fn down(&self, parent: Option<&Six>, flow: &mut Six, k: &mut Six) {
        let mut linear = self.asked_linear;
        let mut angular = if self.free == 3 { Vec3::zeros() } else { self.asked_angular };
        if let Some(v) = parent {
            let spin = Vec3::new(v[3], v[4], v[5]);
            linear += Vec3::new(v[0], v[1], v[2]) + spin.cross(&self.rows.parent_lever);
            angular += spin;
        }
        let before = Vec3::new(flow[0], flow[1], flow[2]);
        let force = if self.free == 3 {
            let Spatial { a, b, c } = &self.inertia;
            let speed = self.solve_free(self.asked - b.tr_mul(&linear) - c.times(&angular));
            angular += speed;
            for (a, inverse, at) in &self.rows.soft[..self.rows.soft_count] {
                k[*at as usize] = (k[*at as usize] - a.dot(&speed)) * inverse;
            }
            a.times(&linear) + b * angular
        } else {
            let wish = self.asked - self.u_linear.tr_mul(&linear) - self.u_angular.tr_mul(&angular);
            let turning = self.f * self.solve_free(wish);
            angular += turning;
            let (force, torque) = self.inertia.times(&linear, &angular);
            let mut torque = torque - Vec3::new(flow[3], flow[4], flow[5]);
            let relative = self.asked_angular + turning;
            for (a, inverse, at) in &self.rows.soft[..self.rows.soft_count] {
                let lambda = (k[*at as usize] - a.dot(&relative)) * inverse;
                k[*at as usize] = lambda;
                torque -= a * lambda;
            }
            for (i, (_, at)) in self.rows.exact[..self.rows.exact_count].iter().enumerate() {
                k[*at as usize] = self.q.column(i).dot(&torque);
            }
            force
        };
        k[..3].copy_from_slice(((force - before) * self.rows.sign).as_slice());
        let centre = linear + self.rows.child_lever.cross(&angular);
        *flow = [centre.x, centre.y, centre.z, angular.x, angular.y, angular.z];
    }

    /// The upward pass of a lone momentum, for four rows side by side: the way of auxiliary rows. What the child feels in,
    /// what the parent feels out; gives L⁻¹ g.
    #[inline(always)]
    pub fn walk(&self, momentum: &mut [Four; 6]) -> [Four; 3] {
        let [linear, angular] = [&momentum[..3], &momentum[3..]].map(|half| [half[0], half[1], half[2]]);
        let angular = less(&angular, &crossed(&self.rows.child_lever, &linear));
        let g = if self.free == 3 { angular } else { product(&self.f.transpose(), &angular) };
        let [l21, l31, l32] = self.l;
        let g1 = minus(&g[1], l21, &g[0]);
        let forward = [g[0], g1, minus(&minus(&g[2], l31, &g[0]), l32, &g1)];
        let [x, y, z]: [Four; 3] = std::array::from_fn(|k| forward[k].map(|g| g * self.e_inverse[k]));
        let y = minus(&y, l32, &z);
        let speed = [minus(&minus(&x, l21, &y), l31, &z), y, z];
        let (u_linear, u_angular) = self.u();
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
