//! Bars, ropes and struts between two points, and pulleys: statements about lengths.
//!
//! ```text
//!  d = p_b − p_a,   n = d/|d|
//!  |d|          J_a = (−n, −r_a×n)   J_b = (n, r_b×n)
//!               J̇v  = n·(ω_b×(ω_b×r_b) − ω_a×(ω_a×r_a)) + (|ḋ|² − (n·ḋ)²)/|d|
//!
//!  bar     C = |d| − l = 0        rope   C = l − |d| ≥ 0        strut   C = |d| − l ≥ 0
//!  pulley  C = |d₁| + ρ|d₂| − l = 0, or the rope   l − |d₁| − ρ|d₂| ≥ 0
//! ```

use super::MARGIN;
use super::point::Anchor;
use crate::math::{Real, Vec3};
use crate::rows::{Response, RowBuilder, RowSink, Scope};
use crate::world::World;

/// Sense in which a length may differ from its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Bar: exactly the length.
    Exactly,
    /// Rope: at most the length.
    AtMost,
    /// Strut: at least the length.
    AtLeast,
}

/// Distance between two points: one row.
///
/// ```
/// use sinew_dynamics::Vec3;
/// use sinew_dynamics::{Anchor, Body, Constraint, Distance, MassProperties, Placement, World};
///
/// // A ball on a slack rope falls freely.
/// let mut world = World::new();
/// let ball = world.add_body(Body::dynamic("ball", MassProperties::sphere(1.0, 0.1), Placement::at(-Vec3::y())))?;
/// let rope = Distance::rope(Anchor::world(Vec3::zeros()), Anchor::centre(ball), 2.0);
/// world.add_constraint(Constraint::new(rope))?;
/// world.step(0.1)?;
/// assert!((world.state(ball).linear().y + 0.981).abs() < 1e-12);
/// # Ok::<(), sinew_dynamics::DynamicsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// First point.
    pub a: Anchor,
    /// Second point.
    pub b: Anchor,
    /// Length of the bar, rope or strut, metres.
    pub length: Real,
    /// Sense in which the distance may differ from the length.
    pub span: Span,
    /// Response of the row.
    pub response: Response,
    /// Slack below which the row of a rope or strut is stated, metres.
    pub margin: Real,
}

impl Distance {
    /// Makes a hard row with a margin of 0.2 m.
    fn new(a: Anchor, b: Anchor, length: Real, span: Span) -> Self {
        Self { a, b, length, span, response: Response::Hard, margin: MARGIN }
    }

    /// Makes a bar: |d| = length, metres.
    pub fn bar(a: Anchor, b: Anchor, length: Real) -> Self {
        Self::new(a, b, length, Span::Exactly)
    }

    /// Makes a rope: |d| ≤ length, metres.
    pub fn rope(a: Anchor, b: Anchor, length: Real) -> Self {
        Self::new(a, b, length, Span::AtMost)
    }

    /// Makes a strut: |d| ≥ length, metres.
    pub fn strut(a: Anchor, b: Anchor, length: Real) -> Self {
        Self::new(a, b, length, Span::AtLeast)
    }

    /// Returns the present distance, metres.
    pub fn read(&self, world: &World) -> Real {
        Reach::new(&self.a, &self.b, &world.scope()).length
    }

    /// States the row, unless a rope or strut is slack.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let reach = Reach::new(&self.a, &self.b, scope);
        let terms = LengthTerms { span: self.span, response: self.response, margin: self.margin };
        terms.emit(reach.length - self.length, sink, |row, sign| reach.push(scope, row, sign));
    }
}

/// Rope over two wheels (or one): |p₁ − w₁| + ratio·|p₂ − w₂| is its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulley {
    /// Point where the rope leaves the first wheel, and point of the first load.
    pub first: [Anchor; 2],
    /// Point where the rope leaves the second wheel, and point of the second load.
    pub second: [Anchor; 2],
    /// Number of strands that carry the second load; 1 for a plain rope.
    pub ratio: Real,
    /// Length of the rope, metres.
    pub length: Real,
    /// [`Span::Exactly`], or [`Span::AtMost`] for a rope that may be slack.
    pub span: Span,
    /// Response of the row.
    pub response: Response,
    /// Slack below which the row is stated, metres.
    pub margin: Real,
}

impl Pulley {
    /// Makes a rope that is always taut; `length` in metres.
    pub fn new(first: [Anchor; 2], second: [Anchor; 2], length: Real) -> Self {
        Self { first, second, ratio: 1.0, length, span: Span::Exactly, response: Response::Hard, margin: MARGIN }
    }

    /// Makes a rope that may be slack; `length` in metres.
    pub fn rope(first: [Anchor; 2], second: [Anchor; 2], length: Real) -> Self {
        Self { span: Span::AtMost, ..Self::new(first, second, length) }
    }

    /// Sets the number of strands that carry the second load.
    pub fn geared(mut self, ratio: Real) -> Self {
        self.ratio = ratio;
        self
    }

    /// States the row, unless the rope is slack.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let [one, two] = [&self.first, &self.second].map(|[wheel, load]| Reach::new(wheel, load, scope));
        let terms = LengthTerms { span: self.span, response: self.response, margin: self.margin };
        terms.emit(one.length + self.ratio * two.length - self.length, sink, |row, sign| {
            one.push(scope, row, sign);
            two.push(scope, row, sign * self.ratio);
        });
    }
}

/// Sense, response and margin of a length.
struct LengthTerms {
    span: Span,
    response: Response,
    margin: Real,
}

impl LengthTerms {
    /// States the row of a length that is too long by `excess`; `build` adds the length's rate, times a sign.
    fn emit(&self, excess: Real, sink: &mut impl RowSink, build: impl FnOnce(&mut RowBuilder<'_>, Real)) {
        let sign = if self.span == Span::AtMost { -1.0 } else { 1.0 };
        let one_sided = self.span != Span::Exactly;
        let margin = if self.response == Response::Hard { self.margin } else { 0.0 };
        if one_sided && sign * excess >= margin {
            return;
        }
        sink.row(sign * excess, |row| {
            build(row, sign);
            row.spec.response = self.response;
            if one_sided {
                row.one_sided();
            }
        });
    }
}

/// Line from one anchor to another at one moment.
struct Reach {
    a: super::point::Spot,
    b: super::point::Spot,
    length: Real,
    n: Vec3,
}

impl Reach {
    fn new(a: &Anchor, b: &Anchor, scope: &Scope<'_>) -> Self {
        let (a, b) = (a.spot(scope), b.spot(scope));
        let d = b.position - a.position;
        let length = d.norm();
        // Coincident points have no direction: any will do.
        let n = if length > 1e-12 { d / length } else { Vec3::x() };
        Self { a, b, length, n }
    }

    fn push(&self, scope: &Scope<'_>, row: &mut RowBuilder<'_>, factor: Real) {
        let n = self.n * factor;
        self.a.push(row, &-n);
        self.b.push(row, &n);
        let opening = self.b.velocity(scope) - self.a.velocity(scope);
        let along = self.n.dot(&opening);
        let sweep = (opening.norm_squared() - along * along).max(0.0) / self.length.max(1e-12);
        row.spec.curvature += n.dot(&(self.b.centripetal(scope) - self.a.centripetal(scope))) + factor * sweep;
    }
}
