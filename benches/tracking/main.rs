//! One step of figures that follow a capture with ground under their feet: in the air, walking, standing; one and ten.
//!
//! A step is what `simulate` does: sample the clip, aim every muscle and the root, step the world. Ten figures share one world
//! and one ground and never touch, so that ten should cost ten times one. The march of [`person`] is what a step costs beside other
//! engines: targets told, one step.

#![allow(clippy::disallowed_methods)]

mod person;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use person::Person;
use sinew::Vec3;
use sinew::control::{Animation, Terrain, ground_height};
use sinew::dynamics::{Material, World};
use sinew::figure::{Figure, FigureOptions};
use sinew::formats;
use sinew::motion::{Clip, PoseMotion, Skeleton};
use sinew::simulation::{Actor, ActorSettings, Run, RunSettings};

fn capture(clip: &str) -> (Skeleton, Clip) {
    let file = format!("{}/data/clips/{clip}.bvh", env!("CARGO_MANIFEST_DIR"));
    let mut capture = formats::read(file.as_ref(), &Default::default()).expect("a clip");
    (capture.skeleton, capture.clips.swap_remove(0))
}

fn figure(skeleton: &Skeleton, clip: &Clip) -> Figure {
    Figure::build(skeleton, &FigureOptions { clip: Some(clip), ..Default::default() }).expect("a figure")
}

/// The actor with shoulders, neck and one of its spine joints folded away: 18 segments (legs 2×4, arms 2×3, trunk 3, head),
/// as in Vondrák 2005.
fn eighteen(skeleton: &Skeleton, clip: &Clip) -> Figure {
    let text = figure(skeleton, clip).to_toml();
    let (head, segments) = text.split_once("[[segment]]").expect("segments");
    let folded = ["LeftShoulder", "RightShoulder", "Neck", "UpperChest"];
    let keep = |part: &&str| !folded.iter().any(|name| part.contains(&format!("joint = \"{name}\"")));
    let kept: Vec<&str> = segments.split("[[segment]]").filter(keep).collect();
    let pairs = head.find("apart").map_or(head, |at| &head[..at]);
    let figure = Figure::from_toml(&format!("{pairs}\n[[segment]]{}", kept.join("[[segment]]")), skeleton);
    let figure = figure.expect("a figure without those");
    assert_eq!(figure.segments().len(), 18);
    figure
}

/// Figures that walk side by side, two metres apart.
struct Crowd {
    world: World,
    actors: Vec<(Actor, Vec3)>,
    animation: Animation,
    wanted: PoseMotion,
    root: usize,
}

impl Crowd {
    fn new(count: usize) -> Self {
        let (skeleton, clip) = capture("walk");
        let figure = eighteen(&skeleton, &clip);
        let animation = Animation::looped(&skeleton, &clip).expect("a clip");
        let root = skeleton.roots().next().expect("a root");
        let mut world = World::new();
        world.parallel = false;
        world.contact.tolerance = 1e-4;
        let ground = Vec3::y() * ground_height(&figure, &clip).expect("frames");
        let material = Material { friction: 0.8, ..Material::default() };
        Terrain::Flat.build(&mut world, &ground, &Vec3::z(), material).expect("a ground");
        let start = animation.sample(0.0);
        let mut place = |k: usize| {
            let aside = Vec3::new(2.0 * (k % 5) as f64, 0.0, 8.0 * (k / 5) as f64);
            let mut start = start.clone();
            start.pose.translations[root] += aside;
            let settings = ActorSettings::default();
            (Actor::place(&mut world, &figure, &start, &settings).expect("a actor"), aside)
        };
        let actors = (0..count).map(&mut place).collect();
        Self { world, actors, wanted: animation.buffer(), animation, root }
    }

    fn step(&mut self, h: f64) {
        let time = self.world.time() + h;
        for (actor, aside) in &mut self.actors {
            self.animation.sample_into(time, &mut self.wanted);
            self.wanted.pose.translations[self.root] += *aside;
            actor.aim(&mut self.world, &self.wanted, h).expect("a sound target");
        }
        self.world.step(h).expect("a finite step");
    }
}

/// Three seconds of walking at 240 steps a second, whole: the cost of a step changes with the feet on the ground.
fn walking(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tracking, 18 segments walking, 720 steps");
    group.sample_size(10);
    for count in [1, 10] {
        group.throughput(Throughput::Elements(720 * count as u64));
        group.bench_function(format!("{count} figures"), |bencher| {
            bencher.iter_batched_ref(
                || Crowd::new(count),
                |crowd| (0..720).for_each(|_| crowd.step(1.0 / 240.0)),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// Five seconds, as in the scenes that engines are compared by.
fn marching(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tracking, 18 segments marching by formulas");
    group.sample_size(20);
    for rate in [120, 240] {
        group.throughput(Throughput::Elements(5 * rate));
        group.bench_function(format!("{} steps of 1/{rate} s", 5 * rate), |bencher| {
            bencher.iter_batched_ref(
                Person::new,
                |person| (0..5 * rate).for_each(|_| person.step(1.0 / rate as f64)),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn run(clip: &str, terrain: Terrain) -> Run {
    let (skeleton, clip) = capture(clip);
    let figure = figure(&skeleton, &clip);
    let ground = ground_height(&figure, &clip).expect("frames");
    let animation = Animation::looped(&skeleton, &clip).expect("a clip");
    Run::new(&figure, animation, RunSettings { ground, terrain, ..Default::default() }).expect("a run")
}

fn tracking(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tracking");
    for (name, clip, terrain) in [
        ("22 segments in the air", "walk", Terrain::Nothing),
        ("22 segments walking", "walk", Terrain::Flat),
        ("22 segments standing", "idle", Terrain::Flat),
        ("28 segments of a dog walking", "dog_walk", Terrain::Flat),
    ] {
        let mut run = run(clip, terrain);
        run.world.parallel = false;
        group.bench_function(name, |bencher| bencher.iter(|| run.step().expect("a finite step")));
    }
    group.finish();
}

criterion_group!(benches, marching, walking, tracking);
criterion_main!(benches);
