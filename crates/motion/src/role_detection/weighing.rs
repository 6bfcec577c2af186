//! Roles of joints, from names and shape together.
//!
//! Each is evaluated on its own ([`roles_by_name`], [`roles_by_shape`](super::shape::roles_by_shape)). Agreement raises the confidence. On disagreement the
//! more confident one is taken, with less confidence. Where they describe different bodies, only one of them is used: the names if the tree can
//! be that body, else the shape.

use super::DetectedRole;
use super::names::roles_by_name;
use crate::{Real, Role, Skeleton};

/// Factor on the confidence of a role that the other evidence contradicts, and of one that was not clear by itself.
const CONTRADICTED: Real = 0.95;
const DOUBTED: Real = 0.85;
/// Factor on the confidence of a role by shape that another joint has by name.
const CLAIMED: Real = 0.6;

/// Determines roles from names and shape. Roles that come from neither (a VRM's own map, a map file) are certain.
pub(super) fn weigh_evidence(skeleton: &Skeleton, mut shaped: Vec<DetectedRole>) -> Vec<DetectedRole> {
    let mut nameless = skeleton.clone();
    (0..skeleton.len()).for_each(|j| nameless.set_role(j, None));
    let mut named = roles_by_name(&nameless);
    if !agree(&named, &mut shaped) {
        let ignored = if names_fit(skeleton, &named) { &mut shaped } else { &mut named };
        ignored.fill(DetectedRole::UNKNOWN);
    }
    for j in 0..shaped.len() {
        let claimed = |other: &DetectedRole| other.role == shaped[j].role && other.confidence >= 0.9;
        if named[j].role != shaped[j].role && shaped[j].role != Some(Role::Helper) && named.iter().any(claimed) {
            shaped[j].confidence *= CLAIMED;
        }
    }
    let mut guesses: Vec<DetectedRole> =
        named.iter().zip(&shaped).map(|(named, shaped)| weigh(named, shaped)).collect();
    for (guess, joint) in guesses.iter_mut().zip(skeleton.joints()) {
        if joint.role.is_some() && joint.role != guess.role {
            *guess = DetectedRole { role: joint.role, confidence: 1.0 };
        }
    }
    keep_one_each(&mut guesses);
    count_chains(skeleton, &mut guesses);
    guesses
}

/// Returns true for the same part of the body, whatever its number in a chain.
fn alike(a: Role, b: Role) -> bool {
    use Role::*;
    match (a, b) {
        (Spine(_), Spine(_)) | (Neck(_), Neck(_)) | (Tail(_), Tail(_)) => true,
        (Finger(s, ..), Finger(t, ..)) => s == t,
        _ => a == b,
    }
}

/// Returns true if the tree can be the body that names describe: each part hangs on the one before it, and twins are about as long.
fn names_fit(skeleton: &Skeleton, named: &[DetectedRole]) -> bool {
    /// Share of the statements that must hold: feet of some rigs hang on controls.
    const MOST: Real = 0.75;
    /// Difference of twins, over their length.
    const ALIKE: Real = 0.15;
    let find = |role: Role| named.iter().position(|guess| guess.role == Some(role));
    let hangs = |joint: usize, above: usize| {
        std::iter::successors(Some(joint), |&j| skeleton.joint(j).parent).any(|j| j == above)
    };
    let (mut all, mut held) = (0, 0);
    let mut state = |holds: bool| {
        all += 1;
        held += usize::from(holds);
    };
    for (joint, role) in named.iter().enumerate().filter_map(|(j, guess)| Some((j, guess.role?))) {
        let before = match role {
            Role::LowerArm(side) => Role::UpperArm(side),
            Role::Hand(side) => Role::LowerArm(side),
            Role::LowerLeg(side) => Role::UpperLeg(side),
            Role::Foot(side) => Role::LowerLeg(side),
            Role::UpperLeg(_) | Role::Spine(0) => Role::Hips,
            Role::UpperArm(_) | Role::Head => Role::Spine(0),
            _ => continue,
        };
        if let Some(before) = find(before) {
            state(hangs(joint, before));
        }
        if let Some(twin) = find(role.mirrored()).filter(|&twin| twin > joint) {
            let [one, other] = [joint, twin].map(|j| skeleton.bone_length(j));
            state((one - other).abs() <= ALIKE * one.max(other));
        }
    }
    held as Real >= MOST * all as Real
}

/// Returns true if names and shape describe the same body. Mirrors the shape if it faces the other way.
fn agree(named: &[DetectedRole], shaped: &mut [DetectedRole]) -> bool {
    let both = |shaped: &[DetectedRole], same: fn(Role, Role) -> bool| {
        let pairs = named.iter().zip(shaped).filter_map(|(n, s)| Some((n.role?, s.role?)));
        let main: Vec<(Role, Role)> = pairs.filter(|(n, s)| n.is_main() && s.is_main()).collect();
        (main.iter().filter(|(n, s)| same(*n, *s)).count(), main.len())
    };
    let (straight, all) = both(shaped, alike);
    let (mirrored, _) = both(shaped, |n, s| alike(n, s.mirrored()));
    if mirrored > straight {
        shaped.iter_mut().for_each(|guess| guess.role = guess.role.map(Role::mirrored));
    }
    let recognised = shaped.iter().filter(|s| s.role.is_some_and(Role::is_main)).count();
    recognised < 10 || all < 4 || 2 * straight.max(mirrored) >= all
}

fn weigh(named: &DetectedRole, shaped: &DetectedRole) -> DetectedRole {
    match (named.role, shaped.role) {
        (None, _) => *shaped,
        (Some(_), None) => *named,
        (Some(n), Some(s)) if alike(n, s) => {
            DetectedRole { role: Some(n), confidence: 1.0 - (1.0 - named.confidence) * (1.0 - shaped.confidence) }
        }
        // A helper does not rival a part of the body.
        (Some(Role::Helper), Some(_)) if named.confidence < shaped.confidence => *shaped,
        (Some(_), Some(Role::Helper)) => *named,
        // Names decide where the spine ends and the neck begins.
        (Some(Role::Spine(_) | Role::Neck(_)), Some(Role::Spine(_) | Role::Neck(_))) => *named,
        _ => {
            let surer = if shaped.confidence > named.confidence { shaped } else { named };
            let left = if surer.confidence >= 0.95 { CONTRADICTED } else { DOUBTED };
            DetectedRole { confidence: surer.confidence * left, ..*surer }
        }
    }
}

/// Keeps the most confident of several joints with one role.
fn keep_one_each(guesses: &mut [DetectedRole]) {
    for j in 0..guesses.len() {
        let Some(role) = guesses[j].role.filter(|&role| role != Role::Helper) else { continue };
        if matches!(role, Role::Spine(_) | Role::Neck(_) | Role::Tail(_)) {
            continue;
        }
        let rival = (0..guesses.len()).find(|&k| {
            k != j && guesses[k].role == Some(role) && (guesses[k].confidence, j) > (guesses[j].confidence, k)
        });
        if rival.is_some() {
            guesses[j] = DetectedRole { role: None, confidence: 0.0 };
        }
    }
}

/// Numbers spine, neck and tail along the tree.
fn count_chains(skeleton: &Skeleton, guesses: &mut [DetectedRole]) {
    let depth: Vec<usize> = {
        let mut depth: Vec<usize> = Vec::new();
        skeleton.joints().iter().for_each(|joint| depth.push(joint.parent.map_or(0, |p| depth[p] + 1)));
        depth
    };
    for numbered in [Role::Spine as fn(u8) -> Role, Role::Neck, Role::Tail] {
        let belongs = |guess: &DetectedRole| guess.role.is_some_and(|role| alike(role, numbered(0)));
        let mut chain: Vec<usize> = (0..guesses.len()).filter(|&j| belongs(&guesses[j])).collect();
        chain.sort_by_key(|&j| (depth[j], j));
        for (k, j) in chain.into_iter().enumerate() {
            guesses[j].role = Some(numbered(k.min(u8::MAX as usize) as u8));
        }
    }
}
