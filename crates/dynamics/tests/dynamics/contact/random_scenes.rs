//! Random scenes at the limits of what bodies may be: from a millimetre to ten metres, as thin as 1:1000, spinning at up to
//! 1000 rad/s, steps from 1/1000 to 1/30 s. Nothing works on them, so their energy may only fall.

use sinew_dynamics::{Body, Collider, DynamicsError, MassProperties, Material, Placement, Shape, World};
use sinew_dynamics::{Quat, Real, Vec3};
use std::sync::Arc;

/// Sequence of numbers from a seed (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as Real / (1u64 << 53) as Real
    }

    fn between(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.next()
    }

    /// Evenly distributed logarithms.
    fn magnitude(&mut self, low: Real, high: Real) -> Real {
        low * (high / low).powf(self.next())
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            if (0.01..1.0).contains(&v.norm_squared()) {
                return v.normalize();
            }
        }
    }
}

/// World with its step.
pub struct RandomScene {
    pub world: World,
    /// Length of a step, seconds.
    pub step: Real,
    /// Words about it, for messages.
    pub title: String,
}

/// Result of a run.
#[derive(Debug)]
pub struct Run {
    /// Energy at the start, J, heights counted from the ground.
    pub energy: Real,
    /// Largest energy less the least one before it, J.
    pub rise: Real,
    /// Time of that, seconds.
    pub when: Real,
}

/// Builds the scene with a number.
pub fn random_scene(number: u64) -> RandomScene {
    let mut random = Random(number.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ 0x1405_7b7e_f767_814f);
    let mut world = World::new();
    let step = random.magnitude(1e-3, 1.0 / 30.0);
    let material = |random: &mut Random| {
        // Values at the ends of the range are the ones that fail.
        let share = |random: &mut Random| random.between(-0.25, 1.25).clamp(0.0, 1.0);
        Material { friction: share(random), restitution: share(random), ..Material::default() }
    };
    if random.next() < 0.1 {
        world.gravity = Vec3::zeros();
    }
    let ground = world.add_body(Body::fixed("ground", Placement::IDENTITY)).expect("a fixed body");
    let floor = Collider { material: material(&mut random), ..Collider::new(Shape::HalfSpace { normal: Vec3::y() }) };
    world.add_collider(ground, floor).expect("a half-space");
    let scale = random.magnitude(1e-3, 3.0);
    let count = 1 + (random.next() * 4.0) as usize;
    let mut height = 0.0;
    let mut kinds = String::new();
    for number in 0..count {
        let size = scale * random.magnitude(0.5, 3.0);
        let thin = if random.next() < 0.5 { random.magnitude(1e-3, 1.0) } else { 1.0 };
        let (shape, mass, kind) = solid(&mut random, size, thin);
        height += 1.2 * size;
        let aside = Vec3::new(random.between(-0.3, 0.3), 0.0, random.between(-0.3, 0.3)) * scale;
        let turn = Quat::from_scaled_axis(random.direction() * random.between(0.0, 3.0));
        let place = Placement::new(aside + Vec3::new(0.0, height, 0.0), turn);
        let spin = random.direction() * if random.next() < 0.7 { random.magnitude(0.1, 1000.0) } else { 0.0 };
        let speed = random.direction() * (random.between(0.0, 2.0) * (9.81 * size).sqrt());
        let body = Body::dynamic(format!("{kind}{number}"), mass, place).with_velocity(speed, spin);
        let body = world.add_body(body).expect("a sound body");
        let collider = Collider { material: material(&mut random), ..Collider::new(shape) };
        world.add_collider(body, collider).expect("a sound shape");
        height += size;
        kinds += &format!(" {kind}({size:.2e} m, 1:{:.0}, {:.0} rad/s)", 1.0 / thin, spin.norm());
    }
    RandomScene { world, step, title: format!("scene {number}: step {step:.5} s,{kinds}") }
}

/// Solid of a largest extent, metres, thinned along one axis or two.
fn solid(random: &mut Random, size: Real, thin: Real) -> (Shape, MassProperties, &'static str) {
    let density = random.magnitude(100.0, 8000.0);
    let half = 0.5 * size;
    match (random.next() * 5.0) as usize {
        0 => {
            let mass = density * 4.0 / 3.0 * std::f64::consts::PI * half.powi(3);
            (Shape::Sphere { radius: half }, MassProperties::sphere(mass, half), "sphere")
        }
        1 => {
            let radius = 0.5 * half * thin;
            let length = size - 2.0 * radius;
            let mass = density * std::f64::consts::PI * radius * radius * size;
            let end = Vec3::new(0.5 * length, 0.0, 0.0);
            let properties = MassProperties::cuboid(mass, Vec3::new(size, 2.0 * radius, 2.0 * radius));
            (Shape::Capsule { a: -end, b: end, radius }, properties, "capsule")
        }
        2 | 3 => {
            let wide = if random.next() < 0.5 { thin } else { random.between(0.3, 1.0) };
            let extent = Vec3::new(size, size * thin, size * wide);
            let mass = density * extent.product();
            (Shape::Box { half_extents: extent * 0.5 }, MassProperties::cuboid(mass, extent), "box")
        }
        _ => {
            // A disc: a coin lies flat, a drum stands.
            let (radius, thick) = (half, size * thin.max(0.01));
            let points: Vec<Vec3> = (0..24)
                .map(|k| {
                    let angle = (k / 2) as Real * std::f64::consts::TAU / 12.0;
                    let side = if k % 2 == 0 { 0.5 } else { -0.5 };
                    Vec3::new(radius * angle.cos(), side * thick, radius * angle.sin())
                })
                .collect();
            let mass = density * std::f64::consts::PI * radius * radius * thick;
            let properties = MassProperties::cuboid(mass, Vec3::new(1.7 * radius, thick, 1.7 * radius));
            (Shape::Hull { points: Arc::from(points) }, properties, "disc")
        }
    }
}

/// Steps a scene and watches its energy.
pub fn watch(scene: &mut RandomScene, steps: usize) -> Result<Run, DynamicsError> {
    let energy = scene.world.energy();
    let mut run = Run { energy, rise: 0.0, when: 0.0 };
    let mut least = energy;
    for _ in 0..steps {
        scene.world.step(scene.step)?;
        let now = scene.world.energy();
        if now - least > run.rise || now.is_nan() {
            (run.rise, run.when) = (now - least, scene.world.time());
        }
        least = least.min(now);
    }
    Ok(run)
}
