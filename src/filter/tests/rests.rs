//! Support of a body where heights alone do not decide it.

use super::super::contact_targets::TargetPlacer;
use super::super::detect::Detector;
use super::super::feature::Features;
use super::super::surface::{Ground, Plane};
use super::super::trajectories::Trajectories;
use super::*;
use crate::math::Quat;
use crate::motion::root_motion::{offset_clip, vertical_offsets};

/// The built-in fall, higher by 3 cm while it kneels: knees hover as captured ones do, toes seem to stand.
fn kneeling_too_high() -> (Figure, Clip) {
    let (figure, clip) = read(Path::new("data/clips/fall.bvh"));
    let ramp = |t: Real| {
        let t = t.clamp(0.0, 1.0);
        t * t * t * (10.0 - 15.0 * t + 6.0 * t * t)
    };
    let up = (0..clip.frames()).map(|frame| {
        let t = frame as Real / clip.rate_hz();
        0.03 * (ramp((t - 0.7) / 0.3) - ramp((t - 1.35) / 0.3))
    });
    let higher = offset_clip(figure.skeleton(), &clip, &vertical_offsets(up)).unwrap();
    (figure, higher)
}

fn prepared(figure: &Figure, clip: &Clip) -> Prepared {
    Prepare { figure, clip, options: PrepareOptions::default() }.run().unwrap()
}

/// Returns true if a feature is in contact throughout a time span, seconds.
fn in_contact(prepared: &Prepared, feature: &str, seconds: [Real; 2]) -> bool {
    let rate = prepared.clip.rate_hz();
    let [from, to] = seconds.map(|t| (t * rate) as usize);
    let list = &prepared.preparation.contacts.features;
    let (_, runs) = list.iter().find(|(name, _)| name == feature).unwrap();
    runs.iter().any(|run| run.start <= from && run.end > to)
}

/// Toes behind the body cannot carry it: the knees must, although they are 3 cm up. The thighs' ends are as still, but higher, and
/// what only comes along does not carry.
#[test]
fn knees_that_hover_carry_what_feet_cannot() {
    let (figure, clip) = kneeling_too_high();
    let found = prepared(&figure, &clip);
    for knee in ["LeftLowerLeg 1", "RightLowerLeg 1"] {
        assert!(in_contact(&found, knee, [1.2, 1.5]), "{knee} does not stand: {:?}", found.preparation.contacts);
        assert!(found.preparation.lowered.iter().any(|(name, up)| name == knee && (0.02..0.05).contains(up)));
    }
    assert!(!in_contact(&found, "LeftUpperLeg 2", [1.2, 1.2]) && !in_contact(&found, "Hips 1", [1.2, 1.2]));
}

/// Soles that are up while knees or hands are down say nothing of the root.
#[test]
fn a_root_that_kneels_does_not_bob() {
    let (figure, clip) = kneeling_too_high();
    assert_eq!(prepared(&figure, &clip).preparation.repairs.bob, 0.0);
}

/// A hand that the capture left in the air is held before it carries, so that it is at rest by then; others are not.
#[test]
fn hands_that_are_brought_down_are_there_before_they_carry() {
    let (figure, clip) = read(Path::new("data/clips/fall.bvh"));
    let features = Features::of(&figure);
    let trajectories = Trajectories::of(&figure, &features, &clip);
    let palm = features.list.iter().position(|feature| feature.name == "LeftHand palm").unwrap();
    let mut intervals = vec![Vec::new(); features.list.len()];
    intervals[palm].push(100..150);
    let plane = Plane { origin: Vec3::zeros(), normal: Vec3::y() };
    let loads = |hanging: &[(usize, Real)]| -> Vec<Option<Real>> {
        let placer = TargetPlacer {
            figure: &figure,
            features: &features,
            clip: &clip,
            trajectories: &trajectories,
            ground: &Ground::Plane(plane),
            surface: &plane,
            intervals: &intervals,
            hanging,
            window: 0..clip.frames(),
        };
        placer.run().targets.iter().map(|targets| targets.first().map(|target| target.load)).collect()
    };
    let (usual, hangs) = (loads(&[]), loads(&[(palm, 0.1)]));
    let early = (0.025 * clip.rate_hz()).round() as usize;
    assert!(early > 0 && usual[99].is_none() && usual[150].is_none() && usual[100] > Some(0.0));
    assert_eq!(usual[100..150], hangs[100..150]);
    for frame in (100 - early..100).chain(150..150 + early) {
        assert_eq!(hangs[frame], Some(0.0), "frame {frame}");
    }
    assert!(hangs[99 - early].is_none() && hangs[150 + early].is_none());
}

/// An unloaded contact supplies no force.
#[test]
fn a_corner_without_load_carries_nothing() {
    use super::super::forces::{Amounts, Demand, Edges};
    let mut edges = Edges::default();
    for load in [1.0, 0.0] {
        edges.add(&Vec3::new(0.0, -0.5, 0.0), &Vec3::y(), 0.8, load);
    }
    let mut amounts = Amounts::default();
    let wanted = crate::math::Vec6::new(0.0, 1.0, 0.0, 0.0, 0.0, 0.0);
    edges.response(&wanted, &Demand { residual: 2e-3, barrier: 1e-3, firmness: 1.0 }, &mut amounts);
    assert!(edges.force(&amounts, 1).y < 1e-3, "{}", edges.force(&amounts, 1));
    assert!(edges.force(&amounts, 0).y > 0.95);
}

/// A body that lies on its back, with its heels raised on an object that was not captured, has the floor below its back. The
/// heels are 9 cm up, lower than the centre of mass.
#[test]
fn the_floor_of_a_body_that_lies_is_below_its_back() {
    let (figure, clip) = read(Path::new("data/clips/idle.bvh"));
    let skeleton = figure.skeleton();
    let points = crate::measure::points::points(&figure);
    let turned = |angle: Real| crate::math::Quat::from_axis_angle(&Vec3::x_axis(), angle);
    let lying = |lift: Real| -> Clip {
        let mut row = clip.rotations(0).to_vec();
        row[0] = turned(-std::f64::consts::FRAC_PI_2) * row[0];
        for leg in ["LeftUpperLeg", "RightUpperLeg"].map(|name| skeleton.find(name).unwrap()) {
            row[leg] = turned(-lift) * row[leg];
        }
        let tracks = crate::motion::Tracks { joints: vec![0], values: vec![Vec3::y(); 20] };
        let none = crate::motion::Tracks::default();
        Clip::new("lies", 60.0, clip.joints(), row.repeat(20), tracks, none).unwrap()
    };
    // Heights of the lowest sole, the lowest flesh, and the centre of mass.
    let heights = |clip: &Clip| {
        let placements = figure.placements(&clip.pose(skeleton, 0));
        let lowest = |sole: bool| {
            let those = points.iter().filter(|point| point.is_foot() == sole).map(|point| point.world(&placements).y);
            those.fold(Real::INFINITY, Real::min)
        };
        [lowest(true), lowest(false), figure.centre_of_mass(&placements).y]
    };
    let lifts = (0..100).map(|k| lying(0.005 * k as Real));
    let clip = lifts.into_iter().find(|clip| heights(clip)[0] - heights(clip)[1] > 0.09).unwrap();
    let [heel, back, centre] = heights(&clip);
    assert!(centre > heel, "the centre of mass is above the heels: {heel} {back} {centre}");
    let found = prepared(&figure, &clip).preparation;
    assert!((found.ground - back).abs() < 5e-3, "the floor is at {}, the back at {back}", found.ground);
    let report = Measure { figure: &figure, clip: &clip, options: MeasureOptions::default() }.run().unwrap();
    assert_eq!(report.get(crate::measure::Key::Ground), Some(found.ground), "a report finds the same floor");
}

/// A body upside down whose hands hang 10 cm above the ground for a second, and then rise within another: as much as said with the body, and
/// the right one as much as said by an elbow that bends.
fn on_hanging_hands(with_body: Real, by_elbow: Real) -> Vec<(String, Vec<bool>)> {
    let (figure, idle) = read(Path::new("data/clips/idle.bvh"));
    let skeleton = figure.skeleton();
    let (frames, rate) = (120, 60.0);
    let find = |name: &str| skeleton.find(name).unwrap();
    let [left, right, elbow, wrist] = ["LeftUpperArm", "RightUpperArm", "RightLowerArm", "RightHand"].map(find);
    let hands = ["LeftHand", "RightHand"];
    let (mut rotations, mut values) = (Vec::new(), Vec::new());
    let about_z = |angle: Real| Quat::from_axis_angle(&Vec3::z_axis(), angle);
    for t in 0..frames {
        let late = ((t as Real - 60.0) / 60.0).clamp(0.0, 1.0);
        let mut row = idle.rotations(0).to_vec();
        row[0] = Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI) * row[0];
        // Two halves of 0.28 m, each out of the plumb by the same angle.
        let bent = (1.0 - by_elbow * late / 0.56).acos();
        (row[left], row[right]) = (about_z(1.4), about_z(-1.4 - bent));
        (row[elbow], row[wrist]) = (about_z(2.0 * bent) * row[elbow], about_z(-bent) * row[wrist]);
        rotations.extend(row);
        values.push(Vec3::y() * (1.0 + with_body * late));
    }
    let tracks = crate::motion::Tracks { joints: vec![0], values };
    let clip = Clip::new("hands", rate, skeleton.len(), rotations, tracks, Default::default()).unwrap();
    let features = Features::of(&figure);
    let trajectories = Trajectories::of(&figure, &features, &clip);
    let is_hand = |f: &usize| hands.iter().any(|hand| features.list[*f].name.starts_with(hand));
    let palms: Vec<usize> = (0..features.list.len()).filter(is_hand).collect();
    let lowest = palms.iter().map(|&f| trajectories.place(f, 0).y).fold(Real::INFINITY, Real::min);
    let contacts = Detector::new(&features, &trajectories, &Level(lowest - 0.1), figure.height, false).run();
    let mask = |f: usize| (0..frames).map(|t| contacts.intervals[f].iter().any(|run| run.contains(&t))).collect();
    palms.into_iter().map(|f| (features.list[f].name.clone(), mask(f))).collect()
}

/// A hand that is on its way up does not carry where the other does; where both are, both do.
#[test]
fn a_hand_on_its_way_up_leaves_the_body_to_the_other() {
    let carries = |found: &[(String, Vec<bool>)], side: &str, t: usize| {
        found.iter().any(|(name, mask)| name.starts_with(side) && mask[t])
    };
    let one = on_hanging_hands(0.0, 0.06);
    assert!(carries(&one, "Left", 30) && carries(&one, "Right", 30), "{one:?}");
    assert!(carries(&one, "Left", 115) && !carries(&one, "Right", 115), "{one:?}");
    let both = on_hanging_hands(0.06, 0.0);
    assert!(carries(&both, "Left", 115) && carries(&both, "Right", 115), "{both:?}");
}
