//! Left and right of twin limbs, by the facing direction of the body.

use super::limb::Limb;
use super::tree::Tree;
use crate::{Real, Vec3};

/// Flags of pairs whose twins have to be exchanged so that the left one comes first.
pub(super) struct Order {
    pub legs: bool,
    pub arms: bool,
}

/// Returns the order of twins and its confidence; `None` where they coincide.
pub(super) fn left_first(
    tree: &Tree,
    hips: usize,
    legs: Option<&[Limb; 2]>,
    arms: Option<&[Limb; 2]>,
) -> Option<(Order, Real)> {
    let middle =
        |limbs: &[Limb; 2], at: usize| 0.5 * (tree.place(limbs[0].joints[at]) + tree.place(limbs[1].joints[at]));
    let size = tree.size();
    let low = legs.map_or(tree.place(hips), |legs| middle(legs, 0));
    let high = arms.map(|arms| middle(arms, 0)).unwrap_or(tree.place(hips) + Vec3::y());
    let trunk = (high - low).try_normalize(1e-9)?;
    // A standing body has its feet below, whatever the direction of its trunk; a lying one is up along its trunk.
    let stands = legs.is_none_or(|legs| low.y - middle(legs, 2).y > 0.5 * (low - middle(legs, 2)).norm());
    let up = if stands { Vec3::y() } else { trunk };
    let (forward, sure) = forward(tree, legs, arms, &up, &trunk, size);
    let left = up.cross(&forward);
    let order = |limbs: Option<&[Limb; 2]>| {
        let across = |at: usize, limbs: &[Limb; 2]| {
            (tree.place(limbs[0].joints[at]) - tree.place(limbs[1].joints[at])).dot(&left)
        };
        limbs.map(|limbs| across(0, limbs) + 0.2 * across(2, limbs))
    };
    let (legs, arms) = (order(legs), order(arms));
    let apart = |across: Option<Real>| across.is_none_or(|across| across.abs() > 1e-3 * size);
    (apart(legs) && apart(arms))
        .then(|| (Order { legs: legs.is_some_and(|a| a < 0.0), arms: arms.is_some_and(|a| a < 0.0) }, sure))
}

/// Returns the facing direction, perpendicular to `up`, and its confidence.
fn forward(
    tree: &Tree,
    legs: Option<&[Limb; 2]>,
    arms: Option<&[Limb; 2]>,
    up: &Vec3,
    trunk: &Vec3,
    size: Real,
) -> (Vec3, Real) {
    let level = |v: Vec3| v - up * v.dot(up);
    // An animal on four legs faces along its trunk.
    if trunk.dot(up).abs() < 0.5 {
        return (level(*trunk).normalize(), 0.9);
    }
    let sum = |limbs: Option<&[Limb; 2]>, of: &dyn Fn(&Limb) -> Vec3| {
        limbs.map_or(Vec3::zeros(), |limbs| level(limbs.iter().map(of).sum::<Vec3>()))
    };
    let feet = sum(legs, &|leg| tree.far_end(leg.joints[2]) - tree.place(leg.joints[2]));
    if feet.norm() > 0.03 * size {
        return (feet.normalize(), 0.9);
    }
    let bend = |limb: &Limb| {
        let [a, b, c] = limb.joints.map(|j| tree.place(j));
        b - 0.5 * (a + c)
    };
    // Knees bend to the front, elbows to the back.
    let knees = sum(legs, &bend);
    if knees.norm() > 0.008 * size {
        return (knees.normalize(), 0.8);
    }
    let elbows = -sum(arms, &bend);
    if elbows.norm() > 0.008 * size {
        return (elbows.normalize(), 0.75);
    }
    // glTF characters look along +Z, and most others with them.
    let usual = level(Vec3::z()).try_normalize(1e-3).unwrap_or_else(|| level(Vec3::x()).normalize());
    (usual, 0.6)
}
