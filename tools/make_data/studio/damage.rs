//! Known harm done to a clean clip, so that a measure or a repair can be told how much it should find.

use super::body::HIPS;
use super::random::Random;
use sinew::motion::{Clip, ClipError, Pose, Skeleton};
use sinew::{Quat, Real, Vec3};
use std::f64::consts::TAU;

/// One kind of damage with its amount.
pub struct Damage {
    pub name: &'static str,
    /// What a person would see.
    pub looks: &'static str,
    /// Keys and amounts as they stand in `damage.toml`.
    pub amounts: &'static [(&'static str, Real)],
    harm: fn(&mut Pose, Moment),
}

struct Moment<'a> {
    /// Seconds.
    time: Real,
    random: &'a mut Random,
    /// Where the hips were in the first frame.
    start: Vec3,
}

/// Travel of the hips is multiplied by this.
const SKATE: Real = 0.85;
/// Metres.
const SHIFT: Real = 0.04;
/// Degrees, standard deviation about each of three axes.
const JITTER: Real = 1.0;
const SEED: u64 = 1966;
/// Metres and hertz.
const BOB: (Real, Real) = (0.02, 3.0);

pub const ALL: [Damage; 5] = [
    Damage {
        name: "skating",
        looks: "the hips travel less than the legs walk, so standing feet slide backwards against the travel",
        amounts: &[("travel_factor", SKATE)],
        harm: |pose, moment| {
            let hips = &mut pose.translations[HIPS];
            hips.x = moment.start.x + (hips.x - moment.start.x) * SKATE;
            hips.z = moment.start.z + (hips.z - moment.start.z) * SKATE;
        },
    },
    Damage {
        name: "sinking",
        looks: "the whole body is too low, so the feet are in the ground",
        amounts: &[("height_m", -SHIFT)],
        harm: |pose, _| pose.translations[HIPS].y -= SHIFT,
    },
    Damage {
        name: "floating",
        looks: "the whole body is too high, so the feet never touch the ground",
        amounts: &[("height_m", SHIFT)],
        harm: |pose, _| pose.translations[HIPS].y += SHIFT,
    },
    Damage {
        name: "jittering",
        looks: "every joint trembles from frame to frame: white noise on each joint's rotation vector",
        amounts: &[("deviation_deg_per_axis", JITTER), ("seed", SEED as Real)],
        harm: |pose, moment| {
            for rotation in &mut pose.rotations {
                let noise = Vec3::from_fn(|_, _| moment.random.normal() * JITTER.to_radians());
                *rotation *= Quat::from_scaled_axis(noise);
            }
        },
    },
    Damage {
        name: "bobbing",
        looks: "the hips go up and down on a sine that the legs know nothing of",
        amounts: &[("amplitude_m", BOB.0), ("frequency_hz", BOB.1)],
        harm: |pose, moment| pose.translations[HIPS].y += BOB.0 * (TAU * BOB.1 * moment.time).sin(),
    },
];

impl Damage {
    pub fn apply(&self, skeleton: &Skeleton, clip: &Clip) -> Result<Clip, ClipError> {
        let mut random = Random::seeded(SEED);
        let start = clip.pose(skeleton, 0).translations[HIPS];
        let poses = (0..clip.frames()).map(|frame| {
            let mut pose = clip.pose(skeleton, frame);
            let time = frame as Real / clip.rate_hz();
            (self.harm)(&mut pose, Moment { time, random: &mut random, start });
            pose
        });
        super::clip::from_poses(&format!("{}_{}", clip.name, self.name), poses)
    }
}

/// The text of `damage.toml`.
pub fn table(clip: &str) -> String {
    let mut text =
        format!("# Made by `cargo run --release -p sinew-tools --bin make_data`. What was done to clips/{clip}.bvh.\n");
    for damage in &ALL {
        text += &format!("\n[{}]\n", damage.name);
        text += &format!("file = \"damaged/{clip}_{}.bvh\"\nsource = \"clips/{clip}.bvh\"\n", damage.name);
        text += &format!("looks = \"{}\"\n", damage.looks);
        for (key, amount) in damage.amounts {
            text += &format!("{key} = {amount}\n");
        }
    }
    text
}
