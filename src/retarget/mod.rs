//! Retargeting: motion moved from one skeleton to another.
//!
//! A [`Body`] is a skeleton whose joints are recognised by name and shape. [`JointMap`] matches two bodies or tells why it
//! cannot. [`Retarget`] moves a clip. The result is a plain clip of the target's skeleton and can be written, measured or
//! filtered like any other.
//!
//! - Joints: `anatomy` recognises them; `map_file` reads assignments made by hand; `unmapped_joints` treats
//!   those without a counterpart.
//! - Motion: `source_motion` reads the source, `transfer` maps its postures, `source_contacts` detects contacts and
//!   `limb_contact` holds them limb by limb (`limb_pair`), `pelvis_compensation` moves the pelvis, `two_bone_ik` and
//!   `chain_ik` bend limbs, and `leg_smoothing` limits velocity spikes (`velocity_spikes`). `backward_pass` runs them from the
//!   last frame to the first, and again where `ground_clearance` finds the body in the ground.
//!
//! No frame depends on frames before it, so that a clip whose beginning is cut off gives the same poses.
//!
//! ```
//! use sinew::formats::{self, ImportOptions};
//! use sinew::retarget::{Body, BodyOptions, JointMap, Retarget, RetargetOptions};
//! use std::path::Path;
//!
//! let walk = formats::read(Path::new("data/clips/walk.bvh"), &ImportOptions::default())?;
//! let hero = formats::read(Path::new("data/characters/heavy.glb"), &ImportOptions::default())?;
//! let source = Body::new(&walk.skeleton, &BodyOptions::default());
//! let target = Body::new(&hero.skeleton, &BodyOptions::default());
//! assert!(JointMap::between(&source, &target)?.confidence() > 0.9);
//! let moved = Retarget { source: &source, target: &target, clip: &walk.clips[0], options: RetargetOptions::default() }.run()?;
//! assert_eq!(moved.clip.frames(), walk.clips[0].frames());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backward_pass;
mod chain_ik;
mod ground_clearance;
mod hands;
mod leg_smoothing;
mod limb_contact;
mod limb_pair;
mod limits;
mod map;
mod map_file;
mod pelvis_compensation;
mod run;
mod source_contacts;
mod source_motion;
mod transfer;
mod two_bone_ik;
mod unmapped_joints;
mod velocity_spikes;

pub use crate::figure::{Body, BodyOptions};
pub use map::{Doubt, JointMap, MapError, Mapping, SURE, Whose};
pub use map_file::{MapFile, line as map_line};
pub use run::{Retarget, RetargetError, RetargetOptions, Retargeted};

/// Path of the root along the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Path {
    /// Path of the source, scaled by the length of the legs.
    #[default]
    Scaled,
    /// Path of the source itself, with longer or shorter steps.
    Kept,
}
