//! Left and right of twin limbs, by the facing direction of the body.
//!
//! Feet point to the front, knees bend to the front and elbows to the back, and bodies travel forward more than backward. Each of these
//! votes in every view in which the body is upright; the mean vote, from −1 to 1, weighs as the logarithm of the odds that such
//! evidence has. An animal on four legs faces along its trunk.

use super::limb::Limb;
use super::tree::Tree;
use crate::math::real;
use crate::role_detection::posture::View;
use crate::{Real, Vec3};

/// Flags of pairs whose twins have to be exchanged so that the left one comes first.
pub(super) struct Order {
    pub legs: bool,
    pub arms: bool,
    /// Confidence that arms and legs of one side belong together.
    pub same: Real,
}

/// Logarithms of the odds of evidence on which all views agree: feet or the trunk of a four-legged animal (right in 9 of 10 bodies),
/// knees, the way of travel (4 of 5), elbows (3 of 4).
const ODDS: [Real; 4] = [2.2, 1.4, 1.4, 1.1];
/// The same for facing +Z, as glTF characters do and most others with them (3 of 5); used where nothing else is known.
const USUAL: Real = 0.4;
/// Odds from which further views are not needed.
const ENOUGH: Real = 2.0;

/// Mean cosine of the angle between the lines of the hips and of the shoulders from which a group of views shows their order.
const SHOWS: Real = 0.2;

/// Logarithm of the odds that the mean cosine of a body with parallel hips and shoulders gives their order: it is 0.9 or more in nearly all motions,
/// and what remains of it in one that twists or tumbles may as well be chance.
const TOGETHER: Real = 4.0;

/// Probability of these odds, by their logarithm.
fn chance(odds: Real) -> Real {
    1.0 / (1.0 + real::exp(-odds))
}

/// Twin limbs of a body.
pub(super) struct Twins<'a> {
    pub tree: &'a Tree<'a>,
    pub hips: usize,
    pub legs: Option<&'a [Limb; 2]>,
    pub arms: Option<&'a [Limb; 2]>,
    pub on_four: bool,
}

impl Twins<'_> {
    /// Returns the order of twins and its confidence; `None` where they coincide. `groups` holds views, the best first.
    pub fn left_first(&self, groups: &[&[View]]) -> Option<(Order, Real)> {
        let first = groups.iter().find_map(|group| group.first())?;
        let pairs: Vec<&[Limb; 2]> = [self.legs, self.arms].into_iter().flatten().collect();
        // The first limbs of both pairs are on the same side, or on opposite ones; one answer holds for both pairs. The best group that shows
        // it decides: a posture is never twisted by half a turn, a damaged motion may be.
        let (same, together) = match pairs[..] {
            [legs, arms] => {
                let dot = |view: &View| Some(self.across(legs, view)?.dot(&self.across(arms, view)?));
                let mean = |group: &&[View]| {
                    let dots: Vec<Real> = group.iter().filter(|v| self.is_upright(v)).filter_map(dot).collect();
                    dots.iter().sum::<Real>() / dots.len().max(1) as Real
                };
                let shown = groups.iter().map(mean).find(|mean| mean.abs() > SHOWS);
                let mean = shown.unwrap_or(0.0);
                (if mean < 0.0 { -1.0 } else { 1.0 }, chance(TOGETHER * mean.abs()))
            }
            _ => (1.0, 1.0),
        };
        let sides: Vec<(&[Limb; 2], Real)> = pairs.into_iter().zip([1.0, same]).collect();
        let mut odds: Real = 0.0;
        for group in groups {
            odds += self.odds(&sides, group);
            if odds.abs() >= ENOUGH {
                break;
            }
        }
        if odds.abs() < USUAL {
            odds = USUAL * self.across(sides.first()?.0, first)?.dot(&Vec3::x()).signum();
        }
        let legs = odds < 0.0;
        let arms = if self.legs.is_some() { same * odds < 0.0 } else { legs };
        Some((Order { legs, arms, same: together }, chance(odds.abs())))
    }

    /// Logarithm of the odds that the first limb of the first pair is the left one. `sides` holds the pairs, with −1 for one whose first
    /// limb is on the other side.
    fn odds(&self, sides: &[(&[Limb; 2], Real)], views: &[View]) -> Real {
        let (mut sum, mut count) = ([0.0; 4], [0.0; 4]);
        for view in views.iter().filter(|view| self.is_upright(view)) {
            let across: Vec3 = sides.iter().filter_map(|(pair, side)| Some(self.across(pair, view)? * *side)).sum();
            let Some(across) = across.try_normalize(0.1) else { continue };
            for (kind, forward) in self.forward(view).iter().enumerate() {
                let Some(forward) = forward else { continue };
                sum[kind] += Vec3::y().cross(forward).dot(&across);
                count[kind] += 1.0;
            }
        }
        // Evidence that few views show is chance.
        let least = 0.05 * views.len() as Real;
        (0..4).filter(|&kind| count[kind] > least).map(|kind| ODDS[kind] * sum[kind] / count[kind]).sum()
    }

    fn middle(&self, limbs: &[Limb; 2], at: usize, view: &View) -> Vec3 {
        0.5 * (view.frames[limbs[0].joints[at]].position + view.frames[limbs[1].joints[at]].position)
    }

    fn is_upright(&self, view: &View) -> bool {
        let legs = self.legs.map(|legs| self.middle(legs, 2, view) - self.middle(legs, 0, view));
        let low = self.legs.map_or(view.frames[self.hips].position, |legs| self.middle(legs, 0, view));
        let trunk = self.arms.map(|arms| self.middle(arms, 0, view) - low);
        legs.is_none_or(|legs| legs.y < -0.5 * legs.norm())
            && (self.on_four || trunk.is_none_or(|trunk| trunk.y > -0.1 * self.tree.size()))
    }

    /// Level unit vector from the second limb of a pair to the first.
    fn across(&self, limbs: &[Limb; 2], view: &View) -> Option<Vec3> {
        let way = |at: usize| view.frames[limbs[0].joints[at]].position - view.frames[limbs[1].joints[at]].position;
        level(way(0) + 0.2 * way(2)).try_normalize(1e-3 * self.tree.size())
    }

    /// Level unit vectors to the front, by feet (or trunk), knees, travel and elbows; `None` where they do not tell.
    fn forward(&self, view: &View) -> [Option<Vec3>; 4] {
        let size = self.tree.size();
        let place = |joint: usize| view.frames[joint].position;
        let sum = |limbs: Option<&[Limb; 2]>, of: &dyn Fn(&Limb) -> Vec3| {
            limbs.map_or(Vec3::zeros(), |limbs| level(limbs.iter().map(of).sum::<Vec3>()))
        };
        let bend = |limb: &Limb| {
            let [a, b, c] = limb.joints.map(place);
            b - 0.5 * (a + c)
        };
        let travel = level(view.travel).try_normalize(0.01 * size);
        if self.on_four {
            let trunk = match (self.legs, self.arms) {
                (Some(legs), Some(arms)) => self.middle(arms, 0, view) - self.middle(legs, 0, view),
                _ => Vec3::zeros(),
            };
            return [level(trunk).try_normalize(0.05 * size), None, travel, None];
        }
        let feet = sum(self.legs, &|leg| {
            let (joint, tip) = self.tree.far_end(leg.joints[2]);
            view.frames[joint].position + view.frames[joint].rotation * tip - place(leg.joints[2])
        });
        let knees = sum(self.legs, &bend).try_normalize(0.008 * size);
        let elbows = sum(self.arms, &bend).try_normalize(0.008 * size).map(|way| -way);
        [feet.try_normalize(0.03 * size), knees, travel, elbows]
    }
}

fn level(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}
