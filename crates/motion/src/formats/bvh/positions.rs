//! Meaning of position channels, joint by joint: they replace the OFFSET, or they add to it.
//!
//! The series of a joint shows it by itself where it stays near the OFFSET (replace) or near zero (add). A joint that travels
//! is far from both: it takes the meaning that the other joints of the file show. Where none shows any, the meaning that puts
//! the lowest point of the body near height 0 is taken, and in doubt the usual one, replace.

use super::document::Document;
use super::interpret::{JointPlan, Plan};
use crate::formats::{Guess, PositionChannels};
use crate::{Real, Vec3};

/// Meaning of the position channels of every joint, while the file is looked at.
pub(super) struct Positions {
    /// Meaning of each joint; that of an open joint is provisional.
    pub meanings: Vec<PositionChannels>,
    /// Joints that are no roots and travel, where no other joint shows a meaning.
    pub open: Vec<usize>,
    /// Joints below the roots that show their meaning.
    shown: Vec<usize>,
    /// Joints below the roots that took the meaning of the others.
    followers: Vec<usize>,
}

/// Distance from the OFFSET, or from zero, that counts as near, over the length of the OFFSET.
const NEAR: Real = 0.4;

/// Travel below which a joint keeps its place, over the length of its OFFSET.
const STILL: Real = 0.01;

/// Travel from which a joint is no bone that stretches, over the longest bone that keeps its length.
const FAR: Real = 0.5;

/// Returns the distance from the middle of the series within which nine frames of ten are, file units.
fn travel(joint: &JointPlan, rows: &[&[Real]]) -> Real {
    let places: Vec<Vec3> = rows.iter().map(|row| joint.channel_position(row)).collect();
    let Some(first) = places.first() else { return 0.0 };
    let (low, high) = places.iter().fold((*first, *first), |(low, high), p| (low.inf(p), high.sup(p)));
    let mut distances: Vec<Real> = places.iter().map(|place| (place - (low + high) / 2.0).norm()).collect();
    distances.sort_by(Real::total_cmp);
    distances[(distances.len() - 1) * 9 / 10]
}

/// Returns the meaning that the series of a joint shows; `None` where it is near neither OFFSET nor zero in most frames. A
/// joint that travels may pass by both, so nine frames of ten must be near.
fn shown(joint: &JointPlan, rows: &[&[Real]]) -> Option<PositionChannels> {
    let offset = joint.open_offset();
    let is_near = |from: &Vec3| {
        let near = rows.iter().filter(|row| (joint.channel_position(row) - from).norm() < NEAR * offset.norm());
        10 * near.count() >= 9 * rows.len() && !rows.is_empty()
    };
    match () {
        _ if is_near(&offset) => Some(PositionChannels::Replace),
        _ if is_near(&Vec3::zeros()) => Some(PositionChannels::Add),
        _ => None,
    }
}

impl Positions {
    /// Decides what the series of the joints below the roots show; roots replace, provisionally.
    pub fn of_joints(plan: &Plan, rows: &[&[Real]]) -> Positions {
        let joints = plan.joints();
        let mut found = Positions {
            meanings: vec![PositionChannels::Replace; joints.len()],
            open: Vec::new(),
            shown: Vec::new(),
            followers: Vec::new(),
        };
        let is_asked = |(_, joint): &(usize, &JointPlan)| !joint.is_root() && joint.is_ambiguous();
        let travels: Vec<Real> = joints.iter().map(|joint| travel(joint, rows)).collect();
        let longest =
            joints.iter().enumerate().filter(is_asked).filter(|(j, joint)| travels[*j] < STILL * joint.offset().norm());
        let longest = longest.map(|(_, joint)| joint.offset().norm()).fold(0.0, Real::max);
        for (j, joint) in joints.iter().enumerate().filter(is_asked) {
            let is_traveller = longest > 0.0 && travels[j] > FAR * longest;
            match shown(joint, rows).filter(|_| !is_traveller) {
                Some(meaning) => {
                    found.meanings[j] = meaning;
                    found.shown.push(j);
                }
                None => found.open.push(j),
            }
        }
        if let Some(usual) = found.most_shown() {
            found.followers = std::mem::take(&mut found.open);
            for &j in &found.followers {
                found.meanings[j] = usual;
            }
        }
        found
    }

    /// Returns the meaning that most joints show.
    fn most_shown(&self) -> Option<PositionChannels> {
        let adding = self.shown.iter().filter(|&&j| self.meanings[j] == PositionChannels::Add).count();
        let adds = 2 * adding > self.shown.len();
        (!self.shown.is_empty()).then_some(if adds { PositionChannels::Add } else { PositionChannels::Replace })
    }

    /// Sets the meaning of all open joints.
    pub fn set_open(&mut self, meaning: PositionChannels) {
        for &j in &self.open {
            self.meanings[j] = meaning;
        }
    }

    /// Returns the meaning of a root's channels without a look at the ground: that of its own series, else that of the other
    /// joints, else the usual one.
    pub fn of_root(&self, joint: &JointPlan, rows: &[&[Real]]) -> PositionChannels {
        shown(joint, rows).or(self.most_shown()).unwrap_or(PositionChannels::Replace)
    }

    /// Tells what the joints below the roots showed.
    pub fn guess(&self, document: &Document) -> Option<Guess> {
        let of = |meaning: PositionChannels| -> Vec<usize> {
            self.shown.iter().copied().filter(|&j| self.meanings[j] == meaning).collect()
        };
        let (replacing, adding) = (of(PositionChannels::Replace), of(PositionChannels::Add));
        let (chosen, mut why) = match (replacing.len(), adding.len()) {
            (0, 0) => return None,
            (count, 0) => {
                ("replace", format!("the positions of {} below the root {}", joints(count), nears_offset(count)))
            }
            (0, count) => ("add", format!("the positions of {} below the root {}", joints(count), nears_zero(count))),
            (r, a) if r >= a => (
                "replace and add",
                format!(
                    "the positions of {} below the root {}; those of {} {}",
                    joints(r),
                    nears_offset(r),
                    named(document, &adding),
                    nears_zero(a)
                ),
            ),
            (r, a) => (
                "add and replace",
                format!(
                    "the positions of {} below the root {}; those of {} {}",
                    joints(a),
                    nears_zero(a),
                    named(document, &replacing),
                    nears_offset(r)
                ),
            ),
        };
        if let Some(&first) = self.followers.first() {
            let (verb, meaning) = (if self.followers.len() == 1 { "travels" } else { "travel" }, self.meanings[first]);
            why += &format!("; {} {verb} and {meaning} like most others", named(document, &self.followers));
        }
        Some(Guess::new("joint offset", chosen, why, ""))
    }
}

fn joints(count: usize) -> String {
    if count == 1 { "1 joint".to_owned() } else { format!("{count} joints") }
}

fn nears_offset(count: usize) -> String {
    format!("lie near {}, so they are meant instead", offsets(count))
}

fn nears_zero(count: usize) -> String {
    format!("lie near zero, so they add to {}", offsets(count))
}

fn offsets(count: usize) -> &'static str {
    if count == 1 { "its OFFSET" } else { "their OFFSETs" }
}

/// Lists joints by name, the first ones if there are many.
fn named(document: &Document, joints: &[usize]) -> String {
    /// Names in one sentence.
    const SHOWN: usize = 3;
    let names: Vec<String> = joints.iter().take(SHOWN).map(|&j| format!("{:?}", document.nodes[j].name)).collect();
    match joints.len() - names.len() {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
