//! Runs a scene of the exchange format for side-by-side benchmarks:
//! `bench_scene SCENE.flat TRAJECTORY.bin [SUBSTEPS] [--coulomb]`. Without arguments it times a falling chain of ten links.
//!
//! Where a reference drives the figure, friction is bounded by the load without friction, in two passes, as the engines do
//! that such scenes are compared with; `--coulomb` has the law itself. The two differ widely if the reference leads a toe into
//! the ground ahead of it: at µ = 0.6 it catches, by Coulomb's law, and the leg folds over it.
//!
//! Reads the expanded numbers of a scene, writes the trajectory (little-endian f64, `[step][body][13]`: centre of mass,
//! quaternion w x y z, linear and angular velocity after each step) and prints, on one line, the number of timed
//! steps and the microseconds per step of each repetition.

use sinew::dynamics::solve::FrictionBound;
use sinew::dynamics::{
    Axis, Body, BodyId, Collider, Constraint, ConstraintId, DynamicsError, Element, Joint, JointTarget, MassProperties,
    Material, Placement, Response, Shape, Stepper, TimeStepping, World,
};
use sinew::{Quat, Real, Vec3};
use std::time::{Duration, Instant};

struct Scene {
    h: Real,
    steps: usize,
    world: World,
    bodies: Vec<BodyId>,
    joints: Vec<ConstraintId>,
    /// What holds the driven body, and where it and the joints should be at the end of each step.
    holder: Option<BodyId>,
    targets: Vec<Vec<Real>>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let coulomb = arguments.iter().position(|word| word == "--coulomb").map(|at| arguments.remove(at)).is_some();
    let (text, out, substeps) = match &arguments[..] {
        [] => (chain(10), None, None),
        [scene, out] => (std::fs::read_to_string(scene)?, Some(out), None),
        [scene, out, substeps] => (std::fs::read_to_string(scene)?, Some(out), Some(substeps.parse()?)),
        _ => return Err("usage: bench_scene SCENE.flat TRAJECTORY.bin [SUBSTEPS] [--coulomb]".into()),
    };
    let numbers = text.split_whitespace().map(str::parse).collect::<Result<Vec<Real>, _>>()?;
    let mut trajectory = Vec::new();
    let mut times = Vec::new();
    let mut steps = 0;
    for repetition in 0..5 {
        let mut scene = load(&numbers, substeps)?;
        if scene.holder.is_some() && !coulomb {
            scene.world.contact.friction_bound = FrictionBound::SmoothLoad;
        }
        steps = scene.steps;
        let mut spent = Duration::ZERO;
        for step in 0..scene.steps {
            let start = Instant::now();
            aim(&mut scene, step)?;
            scene.world.step(scene.h)?;
            spent += start.elapsed();
            if repetition == 0 {
                record(&scene, &mut trajectory);
            }
        }
        times.push(spent.as_secs_f64() * 1e6 / scene.steps as Real);
    }
    if let Some(out) = out {
        std::fs::write(out, trajectory)?;
    }
    println!("{steps} {}", times.iter().map(|t| format!("{t:.3}")).collect::<Vec<_>>().join(" "));
    Ok(())
}

/// Gives the joints their targets for the end of the coming step.
fn aim(scene: &mut Scene, step: usize) -> Result<(), DynamicsError> {
    let Some(row) = scene.targets.get(step) else { return Ok(()) };
    let time = scene.h * (step + 1) as Real;
    if let Some(holder) = scene.holder {
        // It moves evenly from the last place to the next one.
        let mut state = *scene.world.state(holder);
        let speed = (Vec3::new(row[0], row[1], row[2]) - state.placement.position) / scene.h;
        state.velocity.fixed_rows_mut::<3>(0).copy_from(&speed);
        scene.world.set_state(holder, state)?;
    }
    for (&joint, target) in scene.joints.iter().zip(row[3..].chunks(2)) {
        let target = JointTarget {
            time,
            rotation: Quat::from_axis_angle(&Vec3::z_axis(), target[0]),
            angular_velocity: Vec3::new(0.0, 0.0, target[1]),
            ..JointTarget::default()
        };
        scene.world.aim(joint, target);
    }
    Ok(())
}

fn record(scene: &Scene, trajectory: &mut Vec<u8>) {
    for &body in &scene.bodies {
        let state = scene.world.state(body);
        let (p, q) = (state.placement.position, state.placement.rotation);
        let pose = [p.x, p.y, p.z, q.w, q.i, q.j, q.k];
        for value in pose.iter().chain(state.velocity.iter()) {
            trajectory.extend_from_slice(&value.to_le_bytes());
        }
    }
}

fn load(numbers: &[Real], substeps: Option<usize>) -> Result<Scene, Box<dyn std::error::Error>> {
    let mut values = numbers.iter().copied();
    let mut next = || values.next().ok_or("the scene file ends early");
    let (h, steps) = (next()?, next()? as usize);
    let (ground, friction) = (next()? != 0.0, next()?);
    let (body_count, joint_count) = (next()? as usize, next()? as usize);
    let (driven, target_count) = (next()?, next()? as usize);
    let mut world = World::new();
    let free_contact = ground && driven < 0.0;
    // Rag-dolls are not a matter of microns: a tenth of a millimetre is plenty. One limb that whirls is no reason to look
    // at a whole heap twice.
    let exact = TimeStepping::default();
    let loose = TimeStepping { tolerance: 1e-4, max_substeps: 1, ..exact };
    let mut stepper = if free_contact { loose } else { exact };
    stepper.substeps = substeps.unwrap_or(stepper.substeps);
    world.stepper = Stepper::TimeStepping(stepper);
    world.parallel = false;
    world.sleeping.enabled = false;
    if free_contact {
        // Nor is a heap: contacts are settled to centimetres per second, and overlaps of a millimetre are left alone. Steps
        // are long, so that half of a deeper one is taken back in each: what is left of it would be settled once more.
        (world.contact.tolerance, world.contact.sweeps) = (2e-2, 12);
        (world.contact.slop, world.contact.push_out) = (1e-3, 0.5);
    }
    let material = Material { friction, ..Material::default() };
    if ground {
        let floor = world.add_body(Body::fixed("ground", Placement::IDENTITY))?;
        world.add_collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::y() }).with_material(material))?;
    }
    let mut bodies = Vec::new();
    for index in 0..body_count {
        let figure = next()?;
        let mass = next()?;
        let principal = Vec3::new(next()?, next()?, next()?);
        let position = Vec3::new(next()?, next()?, next()?);
        let rotation = Quat::from_quaternion(nalgebra::Quaternion::new(next()?, next()?, next()?, next()?));
        let (shape, size) = (next()? as i32, [next()?, next()?, next()?]);
        let mass = MassProperties::new(mass, principal);
        bodies.push(world.add_body(Body::dynamic(
            format!("body {index}"),
            mass,
            Placement::new(position, rotation),
        ))?);
        if let Some(shape) = shape_of(shape, size).filter(|_| ground) {
            let collider = Collider::new(shape).with_material(material).of_family(1 + figure as u32);
            world.add_collider(bodies[index], collider)?;
        }
    }
    let mut joints = Vec::new();
    for _ in 0..joint_count {
        let (hinge, parent, child) = (next()? != 0.0, next()?, next()? as usize);
        let anchor_parent = Vec3::new(next()?, next()?, next()?);
        let anchor_child = Vec3::new(next()?, next()?, next()?);
        let axis = Vec3::new(next()?, next()?, next()?);
        let (stiffness, damping) = (next()?, next()?);
        // Frames whose z axis is the hinge's; half a turn about x where the axis points the other way.
        let half_turn = || Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI);
        let turn = Quat::rotation_between(&Vec3::z(), &axis).unwrap_or_else(half_turn);
        let (frame_a, frame_b) = (Placement::new(anchor_parent, turn), Placement::new(anchor_child, turn));
        let a = (parent >= 0.0).then(|| bodies[parent as usize]);
        let make = if hinge { Joint::hinge } else { Joint::ball };
        let mut joint = make(a, frame_a, Some(bodies[child]), frame_b);
        if stiffness > 0.0 {
            let axes: &[Axis] = if hinge { &[Axis::Z] } else { &Axis::ALL };
            for &axis in axes {
                joint = joint.driven(Element::Angular(axis), Response::Spring { stiffness, damping }, Real::INFINITY);
            }
        }
        joints.push(world.add_constraint(Constraint::new(joint))?);
    }
    let targets = (0..target_count)
        .map(|_| (0..3 + 2 * joint_count).map(|_| next()).collect::<Result<Vec<Real>, _>>())
        .collect::<Result<Vec<_>, _>>()?;
    let holder = if driven >= 0.0 {
        let body = bodies[driven as usize];
        let place = world.state(body).placement.position;
        let holder = world.add_body(Body::kinematic("holder", Placement::at(place)))?;
        // Six rows: the centre and all turns.
        let weld = Joint::ball(Some(holder), Placement::IDENTITY, Some(body), Placement::IDENTITY);
        world.add_constraint(Constraint::new(weld.holding(&Axis::ALL.map(Element::Angular))))?;
        Some(holder)
    } else {
        None
    };
    Ok(Scene { h, steps, world, bodies, joints, holder, targets })
}

fn shape_of(kind: i32, [d1, d2, d3]: [Real; 3]) -> Option<Shape> {
    match kind {
        1 => Some(Shape::Capsule { a: Vec3::new(-d2, 0.0, 0.0), b: Vec3::new(d2, 0.0, 0.0), radius: d1 }),
        2 => Some(Shape::Capsule { a: Vec3::new(0.0, -d2, 0.0), b: Vec3::new(0.0, d2, 0.0), radius: d1 }),
        3 => Some(Shape::Box { half_extents: Vec3::new(d1, d2, d3) }),
        4 => Some(Shape::Sphere { radius: d1 }),
        _ => None,
    }
}

/// A chain of links along +x, hung up at the origin, as a flat scene.
fn chain(links: usize) -> String {
    let mut text = format!("{} 480 0 0 {links} {links} -1 0\n", 1.0 / 240.0);
    for i in 0..links {
        let x = 0.3 * i as Real + 0.15;
        text += &format!("0 1 0.000437 0.0068 0.0068 {x} 0 0 1 0 0 0 1 0.03 0.12 0\n");
    }
    for i in 0..links {
        let (parent, anchor) = if i == 0 { (-1, 0.0) } else { (i as i32 - 1, 0.15) };
        text += &format!("0 {parent} {i} {anchor} 0 0 -0.15 0 0 1 0 0 0 0\n");
    }
    text
}
