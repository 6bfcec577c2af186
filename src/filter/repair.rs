//! Faults of the root that contacts alone cannot repair: a sloping floor, a body too high or too low, vertical oscillation of
//! the pelvis that the legs do not share, and travel that does not fit the steps.
//!
//! All of them are detected by the feet. A foot in contact neither rises nor slides. Where all contacts do, and in step with
//! the root, the root is wrong.

use super::feature::Features;
use super::trajectories::{Trajectories, speed_of};
use crate::contacts::signal::{bridged, percentile, rise_of, smoothed_signal};
use crate::contacts::treadmill::{Below, Walker};
use crate::figure::{Figure, SolePart};
use crate::math::{GRAVITY, Real, Vec3};
use crate::measure;
use crate::measure::ground::Ground as Floor;
use crate::measure::points::points;
use crate::motion::root_motion::{offset_clip, vertical_offsets};
use crate::motion::{Clip, ClipError, REFERENCE_HEIGHT};

/// Repairs made to the root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Repairs {
    /// Removed slope of the floor, radians.
    pub slope: Real,
    /// Upward displacement of the whole clip, metres.
    pub lift: Real,
    /// Root mean square of the vertical oscillation removed from the root, metres.
    pub bob: Real,
    /// Factor of the horizontal travel.
    pub travel: Real,
    /// Mean velocity of the treadmill below a body that moves in place, m/s.
    pub treadmill: Vec3,
    /// Mean velocity restored to a root that was fixed in place, m/s.
    pub restored: Vec3,
}

/// Estimates the floor of a clip.
pub(crate) fn floor(figure: &Figure, clip: &Clip) -> Option<Floor> {
    measure::floor(figure, &points(figure), clip).0
}

/// Returns the clip on a level floor.
pub(crate) fn levelled(
    figure: &Figure,
    clip: &Clip,
    floor: &Floor,
    trajectories: &Trajectories,
) -> Result<Clip, ClipError> {
    let steps = trajectories.root.iter().map(|root| floor.height - floor.below(root));
    offset_clip(figure.skeleton(), clip, &vertical_offsets(steps))
}

/// Returns the clip moved up, metres.
pub(crate) fn lifted(figure: &Figure, clip: &Clip, by: Real) -> Result<Clip, ClipError> {
    offset_clip(figure.skeleton(), clip, &vec![Vec3::y() * by; clip.frames()])
}

/// Returns the factor of the horizontal travel with which feet in contact do not slide; `None` where it fits, or where feet do
/// not tell.
///
/// With planted feet that move at k times the velocity of the root, the factor is 1 − k.
pub(crate) fn travel_factor(
    features: &Features,
    trajectories: &Trajectories,
    floor: Real,
    height: Real,
) -> Option<Real> {
    let size_scale = height / REFERENCE_HEIGHT;
    let (mut along, mut root_square, mut foot_square) = (0.0, 0.0, 0.0);
    let mut shares = Vec::new();
    for limb in &features.limbs {
        let soles: Vec<usize> = limb.iter().copied().filter(|&f| features.list[f].is_foot()).collect();
        for t in 1..trajectories.frames.saturating_sub(1) {
            let root = flat(speed_of(&trajectories.root, t, trajectories.rate));
            let Some(&low) =
                soles.iter().min_by(|&&f, &&g| trajectories.place(f, t).y.total_cmp(&trajectories.place(g, t).y))
            else {
                continue;
            };
            let place = |t: usize| trajectories.place(low, t);
            let foot = (place(t + 1) - place(t - 1)) * (0.5 * trajectories.rate);
            let planted = place(t).y - floor < 0.025 * size_scale && foot.norm() < 0.4 * root.norm();
            if planted && root.norm() > 0.3 * size_scale {
                along += flat(foot).dot(&root);
                root_square += root.norm_squared();
                foot_square += flat(foot).norm_squared();
                shares.push(flat(foot).dot(&root) / root.norm_squared());
            }
        }
    }
    // At least a second of contact is required, and feet that move with the root alone.
    if (shares.len() as Real) < trajectories.rate || root_square <= 0.0 {
        return None;
    }
    let k = along / root_square;
    let explained = along * along / (root_square * foot_square).max(1e-12);
    let steady = |share: Real, values: &mut Vec<Real>| percentile(values, share).unwrap_or(0.0);
    let (low, high) = (steady(0.2, &mut shares), steady(0.8, &mut shares));
    let same_way = low.signum() == high.signum();
    (k.abs() > 0.06 && explained > 0.6 && same_way).then_some(1.0 - k)
}

/// Returns the clip with its horizontal travel multiplied; the frame `first` stays in place.
pub(crate) fn travelled(
    figure: &Figure,
    clip: &Clip,
    trajectories: &Trajectories,
    factor: Real,
    first: usize,
) -> Result<Clip, ClipError> {
    let start = trajectories.root[first];
    let steps: Vec<Vec3> = trajectories
        .root
        .iter()
        .map(|root| {
            let way = (root - start) * (factor - 1.0);
            Vec3::new(way.x, 0.0, way.z)
        })
        .collect();
    offset_clip(figure.skeleton(), clip, &steps)
}

/// Returns the excess height of the root in each frame, metres; `None` where the feet show no vertical oscillation.
///
/// The lowest sole is on the ground unless the body is in flight. Its error is removed if that makes the motion of the centre
/// of mass much smoother, or if it is slow and too large to be anything else.
pub(crate) fn bob(features: &Features, trajectories: &Trajectories, floor: Real, height: Real) -> Option<Vec<Real>> {
    let size_scale = height / REFERENCE_HEIGHT;
    let soles: Vec<usize> = (0..features.list.len())
        .filter(|&f| matches!(features.list[f].part, Some(SolePart::Heel | SolePart::Ball)))
        .collect();
    if soles.is_empty() || trajectories.frames < 8 {
        return None;
    }
    let lowest = |t: usize| soles.iter().map(|&f| trajectories.place(f, t).y - floor).fold(Real::INFINITY, Real::min);
    let off: Vec<Real> = (0..trajectories.frames).map(lowest).collect();
    let rise = rise_of(smoothed_signal(&heights(trajectories), 8.0, trajectories.rate).into_iter(), trajectories.rate);
    // A body that kneels, crawls or lies does not rest on its soles.
    let others: Vec<usize> = (0..features.list.len()).filter(|&f| !features.list[f].is_foot()).collect();
    let upright = |t: usize| others.iter().all(|&f| trajectories.place(f, t).y - floor > off[t] + 0.1 * size_scale);
    let told: Vec<bool> = (0..trajectories.frames)
        .map(|t| {
            let flies = rise[t] < -0.6 * GRAVITY && off[t] > 0.025 * size_scale;
            !flies && off[t].abs() < 0.12 * size_scale && upright(t)
        })
        .collect();
    // The feet of a body that leaps, falls or rolls do not suffice as evidence.
    if 10 * told.iter().filter(|t| **t).count() < 8 * trajectories.frames {
        return None;
    }
    let wanted = bridged(&off, &told);
    let centre = heights(trajectories);
    let (loose, shaken) = judge(&off, &told, &centre, trajectories.rate);
    let taken = |hz: Real| {
        let mut taken = smoothed_signal(&wanted, hz, trajectories.rate);
        let mean = taken.iter().sum::<Real>() / taken.len() as Real;
        taken.iter_mut().for_each(|y| *y -= mean);
        let left: Vec<Real> = off.iter().zip(&taken).map(|(y, by)| y - by).collect();
        let steadied: Vec<Real> = centre.iter().zip(&taken).map(|(y, by)| y - by).collect();
        (judge(&left, &told, &steadied, trajectories.rate), taken)
    };
    let ((loose_fast, shaken_fast), fast) = taken(6.0);
    if loose > 0.006 * size_scale && loose_fast < 0.6 * loose && shaken_fast < 0.5 * shaken {
        return Some(fast);
    }
    let ((loose_slow, shaken_slow), slow) = taken(1.5);
    (loose > 0.02 * size_scale && loose_slow < 0.5 * loose && shaken_slow < 1.02 * shaken).then_some(slow)
}

/// Returns the root mean squares of the height of the soles, metres, and of the acceleration of the body, m/s², where the soles
/// tell.
fn judge(off: &[Real], told: &[bool], centre: &[Real], rate: Real) -> (Real, Real) {
    let on = off.iter().zip(told).filter(|(_, told)| **told).map(|(y, _)| *y);
    let mean = on.clone().sum::<Real>() / on.clone().count().max(1) as Real;
    let rise = rise_of(smoothed_signal(centre, 8.0, rate).into_iter(), rate);
    let shaken = rise.iter().zip(told).filter(|(_, told)| **told).map(|(y, _)| *y);
    (rms(on.map(|y| y - mean)), rms(shaken))
}

fn rms(values: impl Iterator<Item = Real> + Clone) -> Real {
    let count = values.clone().count().max(1) as Real;
    (values.map(|y| y * y).sum::<Real>() / count).sqrt()
}

fn heights(trajectories: &Trajectories) -> Vec<Real> {
    trajectories.centre.iter().map(|c| c.y).collect()
}

/// Returns the path of the ground below a body that moves in place; `None` where the body travels or stands. Loops whose root
/// is fixed in place come out better without.
pub(crate) fn below(
    features: &Features,
    trajectories: &Trajectories,
    floor: Real,
    height: Real,
    looped: bool,
) -> Option<Below> {
    let soles: Vec<usize> = (0..features.list.len()).filter(|&f| features.list[f].is_foot()).collect();
    let limb =
        |sole: &usize| features.limbs.iter().position(|limb| limb.contains(sole)).unwrap_or(features.limbs.len());
    let limbs: Vec<usize> = soles.iter().map(limb).collect();
    let walker = Walker {
        rate: trajectories.rate,
        root: &trajectories.root,
        rise: &trajectories.rise(),
        limbs: &limbs,
        place: &|sole, frame| *trajectories.place(soles[sole], frame),
        floor,
        size_scale: height / REFERENCE_HEIGHT,
    };
    walker.below().filter(|below| below.steady || !looped)
}

fn flat(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}

/// Returns the clip displaced along a path, metres; the frame `first` stays in place.
pub(crate) fn moved_along(figure: &Figure, clip: &Clip, way: &[Vec3], first: usize) -> Result<Clip, ClipError> {
    let start = way.get(first).copied().unwrap_or_else(Vec3::zeros);
    let steps: Vec<Vec3> = way.iter().map(|at| at - start).collect();
    offset_clip(figure.skeleton(), clip, &steps)
}

/// Returns the clip without its vertical oscillation.
pub(crate) fn steadied(figure: &Figure, clip: &Clip, bob: &[Real]) -> Result<Clip, ClipError> {
    offset_clip(figure.skeleton(), clip, &vertical_offsets(bob.iter().map(|y| -y)))
}

/// Returns the root mean square, metres.
pub(crate) fn amount(bob: &[Real]) -> Real {
    rms(bob.iter().copied())
}
