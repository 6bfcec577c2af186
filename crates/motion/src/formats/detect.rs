//! Detection of unit and up axis of a file from the body in it.
//!
//! People have similar heights and hold their heads above their feet. Everything here works in the file's own unit and
//! axes and gives its reason in words; the user can overrule every result.

use super::{Unit, UpAxis};
use crate::{Real, Vec3};

/// Joints that show the posture of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Landmarks {
    pub head: usize,
    pub feet: Vec<usize>,
}

impl Landmarks {
    /// Finds head and feet by their names; `None` where either is missing.
    pub fn find<'a>(names: impl Iterator<Item = &'a str>) -> Option<Landmarks> {
        let names: Vec<String> = names.map(str::to_ascii_lowercase).collect();
        let all = |words: &[&str]| -> Vec<usize> {
            let holds = |name: &String| words.iter().any(|word| name.contains(word));
            names.iter().enumerate().filter(|(_, name)| holds(name)).map(|(j, _)| j).collect()
        };
        let first_found = |choices: &[&[&str]]| choices.iter().map(|words| all(words)).find(|found| !found.is_empty());
        let head = *first_found(&[&["head", "頭"], &["neck", "首"]])?.first()?;
        let feet = first_found(&[
            &["foot", "ankle", "足首"],
            &["toe", "つま先"],
            &["lowleg", "lowerleg", "shin", "calf", "knee"],
        ])?;
        Some(Landmarks { head, feet })
    }
}

/// Tree of joints with the length of every bone, in the file's unit.
pub(crate) struct Bones<'a> {
    pub parents: &'a [Option<usize>],
    /// Distances from the parent joint; 0 for a root.
    pub lengths: &'a [Real],
    /// Distances to the end of the bone, for joints that have one.
    pub tips: &'a [Option<Real>],
}

impl Bones<'_> {
    /// Returns the length of the body along its bones, ankle to hip to the top of the head.
    pub fn stature(&self, landmarks: &Landmarks) -> Option<Real> {
        let mut above_head = vec![None; self.parents.len()];
        let mut distance = self.tips[landmarks.head].unwrap_or(0.0);
        let mut at = Some(landmarks.head);
        while let Some(joint) = at {
            above_head[joint] = Some(distance);
            distance += self.lengths[joint];
            at = self.parents[joint];
        }
        let leg = |foot: usize| {
            let mut distance = 0.0;
            let mut joint = foot;
            loop {
                if let Some(rest) = above_head[joint] {
                    return Some(distance + rest);
                }
                distance += self.lengths[joint];
                joint = self.parents[joint]?;
            }
        };
        let longest = landmarks.feet.iter().filter_map(|&foot| leg(foot)).fold(0.0, Real::max);
        (longest > 0.0 && longest.is_finite()).then_some(longest)
    }
}

/// Height of an adult along the bones of a usual rig, metres.
const USUAL: Real = 1.65;

/// Units of files, each with a cost for being less usual than centimetres.
const UNITS: [(Unit, Real); 6] = [
    (Unit::CENTIMETRE, 0.0),
    (Unit::METRE, 0.0),
    (Unit::INCH, 0.2),
    (Unit::CMU, 0.2),
    (Unit::DECIMETRE, 0.4),
    (Unit::MILLIMETRE, 0.5),
];

/// Cost of an unusual size, from the logarithm of its ratio to the usual one. Children and small rigs are
/// common, people of more than two metres are not, so that a little too tall counts more than a little too small.
/// Beyond that, the cost grows linearly.
fn size_cost(ratio: Real) -> Real {
    const SPREAD_BELOW: Real = 0.3;
    const SPREAD_ABOVE: Real = 0.17;
    /// Ratio from which the cost is linear, in spreads; 2.1 m.
    const GIANT: Real = 1.5;
    match ratio {
        ..0.0 => (ratio / SPREAD_BELOW).powi(2),
        _ if ratio < GIANT * SPREAD_ABOVE => (ratio / SPREAD_ABOVE).powi(2),
        _ => GIANT * (2.0 * ratio / SPREAD_ABOVE - GIANT),
    }
}

/// Detects the unit that makes a body of this height most like a person; of two equal ones, the more usual one.
pub(crate) fn unit(height: Real, is_cmu_rig: bool) -> (Unit, String) {
    if !(height.is_finite() && height > 0.0) {
        return (Unit::CENTIMETRE, "nothing in the file has a length; most files are in cm".to_owned());
    }
    let cost = |&(unit, rarity): &(Unit, Real)| {
        let ratio = (height * unit.metres / USUAL).ln();
        let known = if is_cmu_rig && unit == Unit::CMU { -1.0 } else { 0.0 };
        size_cost(ratio) + rarity + known
    };
    let best = UNITS.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).map_or(Unit::CENTIMETRE, |best| best.0);
    let name = if is_cmu_rig && best == Unit::CMU { ", and its joints have the names of the CMU database" } else { "" };
    let decimals = match height {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    let why = format!(
        "the body measures {height:.decimals$} units along its bones, {:.2} m in this unit{name}",
        height * best.metres
    );
    (best, why)
}

/// Returns true for joint names of the CMU motion capture database in its usual BVH conversion.
pub(crate) fn is_cmu_rig<'a>(mut names: impl Iterator<Item = &'a str>) -> bool {
    let mut found = [false; 2];
    names.any(|name| {
        found[0] |= name.eq_ignore_ascii_case("LHipJoint");
        found[1] |= name.eq_ignore_ascii_case("LowerBack");
        found == [true; 2]
    })
}

/// World positions of everything in a file at some moments.
pub(crate) struct Postures<'a> {
    /// Joints first, then the ends of bones, in the rest pose.
    pub rest: &'a [Vec3],
    /// The same points at moments of the motion; may be empty.
    pub moments: &'a [Vec<Vec3>],
    /// Offsets by which the whole motion may have to be moved, one for each meaning of the root offset.
    pub shifts: &'a [Vec3],
    pub landmarks: Option<&'a Landmarks>,
    /// Length of the body.
    pub height: Real,
}

impl Postures<'_> {
    /// Returns the lowest point along a direction: its median over the moments and how far the middle half of them spreads.
    pub fn floor(&self, up: &Vec3) -> Option<(Real, Real)> {
        let lowest = |points: &Vec<Vec3>| points.iter().map(|p| p.dot(up)).fold(Real::INFINITY, Real::min);
        let mut floors: Vec<Real> = self.moments.iter().map(lowest).filter(|x| x.is_finite()).collect();
        floors.sort_by(Real::total_cmp);
        let at = |share: usize| floors.get(floors.len() * share / 4).copied();
        Some((at(2)?, floors.get((floors.len() * 3 / 4).min(floors.len() - 1))? - at(1)?))
    }

    /// Cosine between the body, feet to head, and a direction.
    fn uprightness(&self, points: &[Vec3], up: &Vec3) -> Option<Real> {
        let landmarks = self.landmarks?;
        let feet: Vec3 = landmarks.feet.iter().map(|&foot| points[foot]).sum::<Vec3>() / landmarks.feet.len() as Real;
        let cosine = (points[landmarks.head] - feet).try_normalize(1e-9)?.dot(up);
        cosine.is_finite().then_some(cosine)
    }

    /// Score of the ground along a direction, 0 … 1: near height 0, and steady.
    fn grounded(&self, up: &Vec3) -> Real {
        let Some((floor, spread)) = self.floor(up) else { return 0.0 };
        let height = self.height.max(1e-9);
        // Joints lie inside a body, so they float above the ground more often than they dip below it.
        let near = |floor: Real| (-floor.abs() / (height * if floor > 0.0 { 0.08 } else { 0.03 })).exp();
        let near = self.shifts.iter().map(|shift| near(floor + shift.dot(up)));
        near.fold(0.0, Real::max) * (-spread / (0.05 * height)).exp()
    }

    /// Detects the up axis of the motion.
    pub fn up(&self) -> (UpAxis, String) {
        if self.landmarks.is_none() {
            return self.up_by_extent();
        }
        let motion = |up: &Vec3| mean(self.moments.iter().filter_map(|points| self.uprightness(points, up)));
        let rest = |up: &Vec3| self.uprightness(self.rest, up);
        let score = |axis: UpAxis| {
            let up = axis.vector();
            // What producers use: Y mostly, Z often, −Y from camera trackers.
            let usual = match axis {
                UpAxis::PlusY => 0.15,
                UpAxis::PlusZ => 0.1,
                UpAxis::MinusY => 0.0,
                UpAxis::MinusZ => -0.1,
                UpAxis::PlusX | UpAxis::MinusX => -0.5,
            };
            // A rest pose that stands on its head says nothing: trackers turn the motion and leave the rest pose.
            let resting = rest(&up).unwrap_or(0.0).max(0.0);
            motion(&up).unwrap_or(0.0) + 0.6 * resting + 0.8 * self.grounded(&up) + usual
        };
        let best = UpAxis::ALL.into_iter().max_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap_or(UpAxis::PlusY);
        let resting = rest(&best.vector()).unwrap_or(0.0);
        let upright = motion(&best.vector());
        let mut why = match upright {
            Some(cosine) if cosine > 0.5 => "the head is above the feet along it through the motion".to_owned(),
            Some(_) => "the ground and the rest pose agree with it best".to_owned(),
            None => "the head is above the feet along it in the rest pose".to_owned(),
        };
        if upright.is_some() && resting < 0.5 {
            why += "; the rest pose alone does not stand that way";
        }
        (best, why)
    }

    /// Detects the up axis without a known head and feet: Y, unless the extent along Z is clearly larger.
    fn up_by_extent(&self) -> (UpAxis, String) {
        let extent = |points: &[Vec3], axis: usize| {
            let (low, high) = points
                .iter()
                .fold((Real::INFINITY, Real::NEG_INFINITY), |(low, high), p| (low.min(p[axis]), high.max(p[axis])));
            high - low
        };
        let size = |axis: usize| {
            let moving = mean(self.moments.iter().map(|points| extent(points, axis)).filter(|x| x.is_finite()));
            moving.unwrap_or_else(|| extent(self.rest, axis))
        };
        if size(2) > 1.5 * size(1) && size(2) > size(0) {
            (UpAxis::PlusZ, "no head and feet were found by name, and it is tallest along Z".to_owned())
        } else {
            (UpAxis::PlusY, "no head and feet were found by name; most files are Y up".to_owned())
        }
    }
}

pub(crate) fn mean(values: impl Iterator<Item = Real>) -> Option<Real> {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / count as Real)
}

/// Returns the largest side of the box around some points, a height for things that are no bodies.
pub(crate) fn largest_side(points: &[Vec3]) -> Real {
    let Some(first) = points.first() else { return 0.0 };
    let (low, high) = points.iter().fold((*first, *first), |(low, high), p| (low.inf(p), high.sup(p)));
    (high - low).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_of_usual_height_give_their_unit() {
        for (height, unit_expected) in [
            (1.7, Unit::METRE),
            (1.4, Unit::METRE),
            (17.0, Unit::DECIMETRE),
            (157.0, Unit::CENTIMETRE),
            (185.0, Unit::CENTIMETRE),
            (110.0, Unit::CENTIMETRE),
            (1720.0, Unit::MILLIMETRE),
            (62.0, Unit::INCH),
            (71.0, Unit::INCH),
            (25.0, Unit::CMU),
            (29.0, Unit::CMU),
            // Giants and dwarfs: the nearer one, and in doubt the usual unit.
            (390.0, Unit::CENTIMETRE),
            (400.0, Unit::CENTIMETRE),
            (450.0, Unit::CENTIMETRE),
            (800.0, Unit::MILLIMETRE),
            (4.0, Unit::METRE),
            (0.5, Unit::METRE),
        ] {
            assert_eq!(unit(height, false).0, unit_expected, "{height}");
        }
        assert_eq!(unit(0.0, false).0, Unit::CENTIMETRE);
        assert_eq!(unit(Real::NAN, false).0, Unit::CENTIMETRE);
    }

    #[test]
    fn stature_runs_from_the_ankle_over_the_hips_to_the_top_of_the_head() {
        // hips, leg, foot, spine, head
        let bones = Bones {
            parents: &[None, Some(0), Some(1), Some(0), Some(3)],
            lengths: &[0.0, 0.5, 0.4, 0.3, 0.3],
            tips: &[None, None, Some(0.2), None, Some(0.15)],
        };
        let landmarks = Landmarks::find(["Hips", "UpLeg", "mixamorig:LeftFoot", "Spine", "Head"].into_iter()).unwrap();
        assert!((bones.stature(&landmarks).unwrap() - 1.65).abs() < 1e-12);
    }

    /// Someone who lies on the floor along Z for a whole take is not a file with Z up.
    #[test]
    fn a_sleeper_on_the_floor_does_not_turn_the_world() {
        let landmarks = Landmarks { head: 0, feet: vec![1] };
        let rest = [Vec3::new(0.0, 1.6, 0.0), Vec3::zeros()];
        let lying = vec![Vec3::new(0.0, 0.1, 4.6), Vec3::new(0.0, 0.05, 3.0)];
        let moments = vec![lying; 5];
        let shifts = [Vec3::zeros()];
        let postures =
            Postures { rest: &rest, moments: &moments, shifts: &shifts, landmarks: Some(&landmarks), height: 1.6 };
        assert_eq!(postures.up().0, UpAxis::PlusY);
    }

    #[test]
    fn every_usual_up_axis_is_found_whatever_the_rest_pose_says() {
        let landmarks = Landmarks { head: 0, feet: vec![1] };
        let rest = [Vec3::new(0.0, 1.6, 0.0), Vec3::zeros()];
        let around = [
            [0.2, 0.0, 0.0],
            [-0.2, 0.0, 0.0],
            [0.0, 0.0, 0.15],
            [0.0, 0.0, -0.12],
            [0.0, 0.15, 0.0],
            [0.0, -0.12, 0.0],
        ];
        for up in [UpAxis::PlusY, UpAxis::PlusZ, UpAxis::MinusY] {
            // On the ground, and with the hips held at the origin as trackers do that see no ground.
            for hips in [0.0, -0.9] {
                let mut standing = vec![up.vector() * (1.6 + hips), up.vector() * (0.02 + hips)];
                standing.extend(around.map(|point| Vec3::from(point) + up.vector() * (0.9 + hips)));
                let moments = vec![standing; 5];
                let postures = Postures {
                    rest: &rest,
                    moments: &moments,
                    shifts: &[Vec3::zeros()],
                    landmarks: Some(&landmarks),
                    height: 1.6,
                };
                assert_eq!(postures.up().0, up, "hips {hips}");
            }
        }
    }
}
