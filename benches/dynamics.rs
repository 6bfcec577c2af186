//! How long one step of the default stepper takes, by the number of bodies: chains, free and with a motor in every joint,
//! a binary tree, and the three solvers side by side.
//!
//! `cargo bench --bench dynamics`; times are per step, throughput is bodies per second. At the end a table says, for
//! motorised chains, how the cost grows: the best time of each size, its share per link, and the exponent p of cost ~ links^p
//! from the shortest chain to this one. `cargo bench --bench dynamics -- growth` prints the table alone.
//!
//! `max_substeps` is 1: otherwise the stepper would take shorter substeps for long chains, whose upper links carry
//! great tension, and the figures would tell how many rather than how long they take.

#![allow(clippy::disallowed_methods)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use sinew::dynamics::{
    Axis, Body, BodyId, Constraint, Element, Joint, Kind, MassProperties, Placement, Response, SolverKind, Stepper,
    TimeStepping, World,
};
use sinew::{Quat, Real, Vec3};
use std::time::{Duration, Instant};

const STEP: Real = 1.0 / 240.0;
const LENGTH: Real = 0.2;
/// Steps before the measured stretch, and its length.
const WARM_UP: usize = 30;
const STRETCH: u64 = 60;
const SIZES: [usize; 6] = [8, 32, 128, 512, 2048, 4096];

fn world() -> World {
    let mut world = World::new();
    world.stepper = Stepper::TimeStepping(TimeStepping { max_substeps: 1, ..TimeStepping::default() });
    world
}

/// A rod that starts at `start` and points along x, held at its start: at the world or at `parent`'s end.
fn add_link(world: &mut World, parent: Option<BodyId>, start: Vec3, motorised: bool) -> BodyId {
    let half = Vec3::new(0.5 * LENGTH, 0.0, 0.0);
    let rod = MassProperties::cylinder(1.0, 0.03, 0.5 * LENGTH);
    let link = world.add_body(Body::dynamic("link", rod, Placement::at(start + half))).expect("a valid body");
    let held_at = if parent.is_some() { half } else { start };
    let mut joint = Joint::ball(parent, Placement::at(held_at), Some(link), Placement::at(-half));
    if motorised {
        let spring = Response::Spring { stiffness: 60.0, damping: 6.0 };
        for axis in Axis::ALL {
            joint = joint.driven(Element::Angular(axis), spring, Real::INFINITY);
        }
    }
    world.add_constraint(Constraint::new(joint)).expect("a valid joint");
    link
}

/// A chain along x, nailed at one end. Falling, only its first links feel more than their own weight.
fn chain(links: usize, motorised: bool) -> World {
    let mut world = world();
    let mut last = None;
    for index in 0..links {
        last = Some(add_link(&mut world, last, Vec3::new(index as Real * LENGTH, 0.0, 0.0), motorised));
    }
    world
}

/// The motorised chain with every motor wanting its joint bent a little, each another way, so that all of it moves.
fn wriggling_chain(links: usize) -> World {
    let mut world = chain(links, true);
    for (index, id) in world.constraint_ids().enumerate() {
        let phase = index as Real;
        if let Kind::Joint(joint) = &mut world.constraint_mut(id).kind {
            joint.target.rotation =
                Quat::from_scaled_axis(Vec3::new(0.0, 0.1 * (1.7 * phase).cos(), 0.1 * phase.sin()));
        }
    }
    world
}

/// Every link but the leaves carries two, the first hangs on the world.
fn binary_tree(links: usize) -> World {
    let mut world = world();
    let mut ids = Vec::new();
    for index in 0..links {
        let parent = index.checked_sub(1).map(|before| ids[before / 2]);
        let depth = (index + 1).ilog2();
        ids.push(add_link(&mut world, parent, Vec3::new(depth as Real * LENGTH, 0.0, 0.0), true));
    }
    world
}

/// Steps a world that has been moving for a while, so that buffers are grown and joints have work to do. The same
/// stretch of its motion is taken again and again: long chains whip about sooner or later, which is another subject.
fn measure(c: &mut Criterion, group: &str, id: BenchmarkId, bodies: usize, mut world: World) {
    for _ in 0..WARM_UP {
        world.step(STEP).expect("the scene stays finite");
    }
    let mut group = c.benchmark_group(group);
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group.throughput(Throughput::Elements(bodies as u64));
    group.bench_function(id, |b| {
        b.iter_custom(|steps| {
            let mut spent = Duration::ZERO;
            let mut left = steps;
            while left > 0 {
                let mut world = world.clone();
                // A copy has tight buffers in cold memory: its first steps are no steady ones.
                for _ in 0..3 {
                    world.step(STEP).expect("the scene stays finite");
                }
                let stretch = left.min(STRETCH);
                let start = Instant::now();
                for _ in 0..stretch {
                    world.step(STEP).expect("the scene stays finite");
                }
                spent += start.elapsed();
                left -= stretch;
            }
            spent
        });
    });
    group.finish();
}

fn growth(c: &mut Criterion) {
    for links in SIZES {
        for (name, motorised) in [("free", false), ("motorised", true)] {
            measure(c, "chain", BenchmarkId::new(name, links), links, chain(links, motorised));
        }
    }
    measure(c, "tree", BenchmarkId::new("motorised", 127), 127, binary_tree(127));
}

fn solvers(c: &mut Criterion) {
    let iterative = SolverKind::Iterative { max_sweeps: 50, tolerance: 1e-6 };
    for (name, kind) in [("tree", SolverKind::Tree), ("dense", SolverKind::Dense), ("iterative", iterative)] {
        let mut world = chain(32, true);
        world.set_solver(kind);
        measure(c, "solver", BenchmarkId::new(name, 32), 32, world);
    }
}

/// The cost of motorised chains by length, from the best of many short stretches: on a machine that others use too, the
/// least disturbed stretch says most about the program. The sizes take turns, so that a busy minute meets them all.
fn print_growth(title: &str, scene: impl Fn(usize) -> World) {
    const ROUNDS: usize = 15;
    const STEPS: u32 = 10;
    let mut chains: Vec<(World, Real)> = SIZES.map(|links| (scene(links), Real::INFINITY)).into();
    for (world, _) in &mut chains {
        for _ in 0..WARM_UP {
            world.step(STEP).expect("the scene stays finite");
        }
    }
    for _ in 0..ROUNDS {
        for (world, best) in &mut chains {
            let mut world = world.clone();
            for stretch in 0..=STRETCH as u32 / STEPS {
                let start = Instant::now();
                for _ in 0..STEPS {
                    world.step(STEP).expect("the scene stays finite");
                }
                // The first one grows the copy's buffers.
                if stretch > 0 {
                    *best = best.min(start.elapsed().as_secs_f64() / STEPS as Real);
                }
            }
        }
    }
    let shortest = chains[0].1;
    println!("\n{title}\n  links    µs/step   µs/step/link   exponent");
    for (links, (_, best)) in SIZES.into_iter().zip(&chains) {
        let exponent = (best / shortest).ln() / (links as Real / SIZES[0] as Real).ln();
        let exponent = if links == SIZES[0] { String::new() } else { format!("{exponent:.3}") };
        println!("{links:7} {:10.2} {:14.3} {exponent:>10}", best * 1e6, best * 1e6 / links as Real);
    }
}

criterion_group!(benches, growth, solvers);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    let arguments: Vec<String> = std::env::args().collect();
    let given = |name: &str| arguments.iter().any(|argument| argument == name);
    // Without `--bench` the benchmarks are only tried once, as tests.
    if given("--bench") && !given("--test") && !given("--list") {
        print_growth("motorised chain, falling", |links| chain(links, true));
        print_growth("motorised chain, wriggling", wriggling_chain);
    }
}
