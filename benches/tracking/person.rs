//! A person of 18 solids who marches by formulas, as other engines run it too: 17 joints with motors of 10 Hz, the pelvis led, and
//! a reference whose feet go 10 mm into the ground, which no body can follow to the end.
//!
//! What is timed is telling every joint its target, and a step. Lengths are metres, masses kilograms, angles degrees.

use sinew::dynamics::solve::FrictionBound;
use sinew::dynamics::{
    Axis, Body, BodyId, Collider, Constraint, ConstraintId, Element, Joint, JointTarget, MassProperties, Material,
    Placement, Response, Shape, World,
};
use sinew::{Quat, Real, Vec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A capsule along an axis, with radius and half of its straight part; a box with its half extents.
enum Solid {
    Along(Axis, Real, Real),
    Box(Real, Real, Real),
}

/// A segment with its mass and centre, and the joint above it: the segment that holds it, whether it is a hinge, where it is, and
/// its reference c + a·sin(2πt + πp) about y in the trunk and about x in the limbs. Limbs are those of the left, at +x.
type Segment = (Real, [Real; 3], Solid, Option<(usize, bool, [Real; 3], [Real; 3])>);

const TRUNK: [Segment; 4] = [
    (8.4, [0.0, 0.96, 0.0], Solid::Along(Axis::X, 0.09, 0.07), None),
    (12.225, [0.0, 1.12, 0.0], Solid::Along(Axis::X, 0.09, 0.05), Some((0, false, [0.0, 1.04, 0.0], [0.0, 5.0, 0.0]))),
    (12.0, [0.0, 1.34, 0.0], Solid::Along(Axis::X, 0.11, 0.08), Some((1, false, [0.0, 1.2, 0.0], [0.0, -8.0, 0.0]))),
    (5.175, [0.0, 1.62, 0.0], Solid::Along(Axis::Y, 0.09, 0.04), Some((2, false, [0.0, 1.49, 0.0], [0.0, 3.0, 0.0]))),
];

/// Held by segments of the trunk (0 to 3) or by limbs before them (4 is the first).
const LIMBS: [Segment; 7] = [
    (
        10.65,
        [0.09, 0.7, 0.0],
        Solid::Along(Axis::Y, 0.07, 0.14),
        Some((0, false, [0.09, 0.91, 0.0], [0.0, -30.0, 0.0])),
    ),
    (
        3.225,
        [0.09, 0.285, 0.0],
        Solid::Along(Axis::Y, 0.045, 0.16),
        Some((4, true, [0.09, 0.49, 0.0], [30.0, 30.0, 0.5])),
    ),
    (0.825, [0.09, 0.04, 0.03], Solid::Box(0.045, 0.04, 0.09), Some((5, false, [0.09, 0.08, 0.0], [0.0, 10.0, 0.0]))),
    (0.225, [0.09, 0.02, 0.155], Solid::Box(0.045, 0.02, 0.035), Some((6, true, [0.09, 0.02, 0.12], [0.0, 8.0, 0.0]))),
    (
        2.025,
        [0.2, 1.28, 0.0],
        Solid::Along(Axis::Y, 0.045, 0.105),
        Some((2, false, [0.2, 1.43, 0.0], [0.0, 25.0, 0.0])),
    ),
    (
        1.2,
        [0.2, 1.005, 0.0],
        Solid::Along(Axis::Y, 0.035, 0.09),
        Some((8, true, [0.2, 1.13, 0.0], [-20.0, -15.0, 0.0])),
    ),
    (0.45, [0.2, 0.79, 0.0], Solid::Box(0.02, 0.09, 0.04), Some((9, false, [0.2, 0.88, 0.0], [0.0, 5.0, 0.0]))),
];

/// How fast and how high the pelvis goes; the last lets the feet of the reference reach 10 mm into the ground.
const SPEED: Real = 2.0;
const BOB: Real = 0.03;
const LIFT: Real = 0.026_307_86;
/// The march is taken up within this time, seconds.
const RAMP: Real = 0.5;

pub struct Person {
    world: World,
    holder: BodyId,
    joints: Vec<(ConstraintId, [Real; 3])>,
    steps: usize,
}

impl Solid {
    fn shape(&self) -> Shape {
        match *self {
            Self::Along(axis, radius, half) => {
                let end = axis.vector() * half;
                Shape::Capsule { a: -end, b: end, radius }
            }
            Self::Box(x, y, z) => Shape::Box { half_extents: Vec3::new(x, y, z) },
        }
    }

    fn mass(&self, mass: Real) -> MassProperties {
        match *self {
            // As made it lies along y.
            Self::Along(Axis::X, radius, half) => {
                let turn = Quat::from_axis_angle(&Vec3::z_axis(), FRAC_PI_2);
                MassProperties::capsule(mass, radius, half).rotated(&turn)
            }
            Self::Along(_, radius, half) => MassProperties::capsule(mass, radius, half),
            Self::Box(x, y, z) => MassProperties::cuboid(mass, Vec3::new(x, y, z)),
        }
    }
}

impl Person {
    pub fn new() -> Self {
        let mut world = World::new();
        world.parallel = false;
        world.sleeping.enabled = false;
        // Friction by the load without it, as the engines do that run this march.
        world.contact.friction_bound = FrictionBound::SmoothLoad;
        let material = Material { friction: 0.6, ..Material::default() };
        let floor = world.add_body(Body::fixed("ground", Placement::IDENTITY)).expect("a ground");
        let ground = Collider::new(Shape::HalfSpace { normal: Vec3::y() }).with_material(material);
        world.add_collider(floor, ground).expect("a ground");
        // Both sides; the right one half a cycle later.
        let all: Vec<(&Segment, Real)> = TRUNK
            .iter()
            .map(|s| (s, 1.0))
            .chain(LIMBS.iter().map(|s| (s, 1.0)))
            .chain(LIMBS.iter().map(|s| (s, -1.0)))
            .collect();
        let place = |at: &[Real; 3], side: Real| Vec3::new(side * at[0], at[1], at[2]);
        let holder_of =
            |held: usize, side: Real| if held >= TRUNK.len() && side < 0.0 { held + LIMBS.len() } else { held };
        let mut bodies = Vec::new();
        for ((mass, centre, solid, _), side) in &all {
            let body = Body::dynamic("segment", solid.mass(*mass), Placement::at(place(centre, *side)));
            let body = world.add_body(body).expect("a body");
            let collider = Collider::new(solid.shape()).with_material(material).of_family(1);
            world.add_collider(body, collider).expect("a shape");
            bodies.push(body);
        }
        let mut joints = Vec::new();
        for (k, ((_, centre, _, joint), side)) in all.iter().enumerate() {
            let Some((held, hinge, at, [c, a, p])) = joint else { continue };
            let (holder, at) = (holder_of(*held, *side), place(at, *side));
            // Everything it carries, about it: motors are as strong as the greatest of its moments asks for.
            let mut carried = vec![false; all.len()];
            let mut moments = Vec3::zeros();
            for (i, ((mass, centre, solid, above), side)) in all.iter().enumerate().skip(k) {
                carried[i] = i == k || above.as_ref().is_some_and(|(held, ..)| carried[holder_of(*held, *side)]);
                if carried[i] {
                    let arm = place(centre, *side) - at;
                    let own = solid.mass(*mass).inertia.diagonal();
                    moments += own + (Vec3::repeat(arm.norm_squared()) - arm.component_mul(&arm)) * *mass;
                }
            }
            let (inertia, pace) = (moments.max().max(0.05), TAU * 10.0);
            let spring = Response::Spring { stiffness: inertia * pace * pace, damping: 2.0 * inertia * pace };
            let axis = if k < TRUNK.len() { Vec3::y() } else { Vec3::x() };
            let turn = Quat::rotation_between(&Vec3::z(), &axis).expect("no half turn");
            let frame_a = Placement::new(at - place(&all[holder].0.1, all[holder].1), turn);
            let frame_b = Placement::new(at - place(centre, *side), turn);
            let make = if *hinge { Joint::hinge } else { Joint::ball };
            let mut joint = make(Some(bodies[holder]), frame_a, Some(bodies[k]), frame_b);
            for &axis in if *hinge { &[Axis::Z][..] } else { &Axis::ALL } {
                joint = joint.driven(Element::Angular(axis), spring, Real::INFINITY);
            }
            let joint = world.add_constraint(Constraint::new(joint)).expect("a joint");
            let later = if *side < 0.0 { 1.0 } else { 0.0 };
            joints.push((joint, [c.to_radians(), a.to_radians(), p + later]));
        }
        let place = world.state(bodies[0]).placement.position;
        let holder = world.add_body(Body::kinematic("holder", Placement::at(place))).expect("a body");
        let weld = Joint::ball(Some(holder), Placement::IDENTITY, Some(bodies[0]), Placement::IDENTITY);
        let weld = weld.holding(&Axis::ALL.map(Element::Angular));
        world.add_constraint(Constraint::new(weld)).expect("a joint");
        Self { world, holder, joints, steps: 0 }
    }

    pub fn step(&mut self, h: Real) {
        self.steps += 1;
        let t = h * self.steps as Real;
        let u = (t / RAMP).min(1.0);
        let (r, growth) = (u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / RAMP);
        // What has been walked while it was taken up is half of what the speed asks for.
        let way = if t < RAMP { RAMP * u.powi(3) * (1.0 - 0.5 * u) } else { t - 0.5 * RAMP };
        let high = 0.96 + r * (BOB * (2.0 * TAU * t).cos() + LIFT);
        let mut state = *self.world.state(self.holder);
        let speed = (Vec3::new(0.0, high, SPEED * way) - state.placement.position) / h;
        state.velocity.fixed_rows_mut::<3>(0).copy_from(&speed);
        self.world.set_state(self.holder, state).expect("a place");
        for &(joint, [c, a, p]) in &self.joints {
            let (sine, cosine) = (TAU * t + PI * p).sin_cos();
            let (angle, rate) = (r * (c + a * sine), growth * (c + a * sine) + r * a * TAU * cosine);
            let target = JointTarget {
                time: t,
                rotation: Quat::from_axis_angle(&Vec3::z_axis(), angle),
                angular_velocity: Vec3::z() * rate,
                ..JointTarget::default()
            };
            self.world.aim(joint, target);
        }
        self.world.step(h).expect("a finite step");
    }
}
