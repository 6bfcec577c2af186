//! Motion moved from one skeleton to another.
//!
//! A [`Body`] is a skeleton whose joints are known, by name and by shape; [`JointMap`] joins two of them or says why not;
//! [`Retarget`] moves a clip. The result is a plain clip of the target's skeleton and can be written, measured or filtered like any
//! other.
//!
//! - What joints are: `roles` weighs names against `shape`; `map_file` lets people say it.
//! - How bodies are compared: `reference`, one posture for all, whatever they rest in.
//! - How they move: `seen` reads the source, `transfer` carries it over, `ground` and `stance` hold what stands, limb by limb
//!   (`pair`), `sway` moves
//!   the pelvis with them, `reach` and `chain` bend limbs to it, and `calm` gives where joints would jump (`jumps`).
//!
//! Nothing said of a frame depends on frames before it, so that a clip cut later gives the same poses.
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
mod body;
mod chain_ik;
mod hands;
mod leg_smoothing;
mod limb_contact;
mod limb_pair;
mod limits;
mod map;
mod map_file;
mod pelvis_compensation;
mod reference;
mod rest_pose;
mod roles;
mod run;
mod shape;
mod source_contacts;
mod source_motion;
mod transfer;
mod two_bone_ik;
mod unmapped_joints;
mod velocity_spikes;

pub use body::{Body, BodyOptions};
pub use map::{Doubt, JointMap, MapError, Mapping, SURE, Whose};
pub use map_file::{MapFile, line as map_line};
pub use roles::is_main;
pub use run::{Retarget, RetargetError, RetargetOptions, Retargeted};
pub(crate) use source_contacts::ground_height;

/// Where the root goes on the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Path {
    /// As far as the legs of the target carry it: the way of the source, scaled by the length of the legs.
    #[default]
    Scaled,
    /// Along the very way of the source, with longer or shorter steps.
    Kept,
}
