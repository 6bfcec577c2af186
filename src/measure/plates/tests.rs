//! Readers and comparison on generated plates of known error.

use super::*;
use crate::math::GRAVITY;
use crate::motion::Side;

/// Weight of the person, N.
const WEIGHT: Real = 70.0 * GRAVITY;
const STRIDE: Real = 1.1;
const STANCE: Real = 0.68;

/// Vertical force of a foot over a stance, weights: two humps, 0 at both ends.
fn load(phase: Real) -> Real {
    let pi = std::f64::consts::PI;
    if (0.0..1.0).contains(&phase) { 1.15 * (pi * phase).sin() + 0.33 * (3.0 * pi * phase).sin() } else { 0.0 }
}

/// Force on a foot, N, and its centre of pressure, metres, of a walk along +x; feet come down half a stride apart.
fn walked(time: Real, side: Side) -> (Vec3, Vec3) {
    let late = if side == Side::Left { 0.0 } else { 0.5 * STRIDE };
    let step = ((time - late) / STRIDE).floor();
    let phase = (time - late - step * STRIDE) / STANCE;
    let up = load(phase) * WEIGHT;
    let across = if side == Side::Left { -0.1 } else { 0.1 };
    let from = 1.4 * (step + late / STRIDE);
    let force = Vec3::new(-0.2 * up * (2.0 * std::f64::consts::PI * phase).sin(), up, 0.05 * up);
    (force, Vec3::new(from + 0.22 * phase.clamp(0.0, 1.0), 0.0, across))
}

/// Forces of a clip at 100 Hz.
fn told(frames: usize, change: impl Fn(Real, Side) -> (Vec3, Vec3)) -> FootForces {
    let both = |frame: usize| [Side::Left, Side::Right].map(|side| change(frame as Real / 100.0, side));
    let loaded = |(force, point): (Vec3, Vec3)| (force.y > 0.01 * WEIGHT).then_some(point);
    FootForces {
        rate_hz: 100.0,
        force: (0..frames).map(|frame| Some(both(frame).map(|(force, _)| force))).collect(),
        pressure: (0..frames).map(|frame| both(frame).map(loaded)).collect(),
        soles: (0..frames).map(|frame| both(frame).map(|(_, point)| point)).collect(),
        weight: WEIGHT,
    }
}

/// Plates at 1 kHz, from `start` on.
fn measured(start: Real, seconds: Real, names: [&str; 2]) -> Plates {
    let times: Vec<Real> = (0..(seconds * 1000.0) as usize).map(|k| start + k as Real / 1000.0).collect();
    let plate = |name: &str, side: Side| Plate {
        name: name.to_owned(),
        force: times.iter().map(|time| walked(*time, side).0).collect(),
        point: Some(times.iter().map(|time| walked(*time, side).1).collect()),
    };
    let plates = vec![plate(names[0], Side::Left), plate(names[1], Side::Right)];
    Plates { times, plates, remarks: Vec::new() }
}

fn compared(told: &FootForces, plates: &Plates, options: PlateOptions) -> PlateComparison {
    PlateComparison::between(told, plates, &options).expect("footfalls in common")
}

const KNOWN: PlateOptions = PlateOptions { start: Some(0.0), mass: Some(70.0) };

/// Forces that are the measured ones differ from them by the mean over a frame alone.
#[test]
fn equal_forces_do_not_differ() {
    let found = compared(&told(330, walked), &measured(0.0, 3.4, ["1", "2"]), PlateOptions::default());
    assert!(!found.alignment.start_found && !found.alignment.axes_found);
    assert!((found.alignment.mass - 70.0).abs() < 0.1, "{}", found.alignment.mass);
    for foot in found.feet.iter().flatten() {
        assert!(foot.footfalls >= 3 && foot.rms.iter().all(|rms| *rms < 5e-3), "{:?}", foot.rms);
        assert!(foot.correlation.iter().all(|r| r.is_some_and(|r| r > 0.999)));
        assert!(foot.pressure.is_some_and(|metres| metres < 1e-3));
        let off = foot.events.iter().filter_map(|event| Some((event.told? - event.measured).abs()));
        assert!(foot.events.len() >= 4 && off.fold(0.0, Real::max) < 2e-3, "{:?}", foot.events);
    }
    // Two supports of STANCE − STRIDE/2 each in a stride, without the first and last 20 N.
    let [told, plates] = found.double_support.expect("both feet");
    let expected = 100.0 * (2.0 * STANCE - STRIDE) / STRIDE;
    assert!((told - plates).abs() < 1.5 && (plates - expected).abs() < 4.0, "{told} {plates} {expected}");
}

/// A clip that is 10 % too heavy with 0.02 weights of alternating noise has exactly that root mean square.
#[test]
fn known_errors_are_told() {
    let noise = |time: Real| if ((time * 100.0).round() as i64) % 2 == 0 { 0.02 } else { -0.02 };
    let wrong = |time: Real, side: Side| {
        let (force, point) = walked(time, side);
        let loaded = force.y > 1.0;
        let force = if loaded { force * 1.1 + Vec3::y() * (noise(time) * WEIGHT) } else { force };
        (force, point + Vec3::new(0.012, 0.0, 0.005))
    };
    let found = compared(&told(330, wrong), &measured(0.0, 3.4, ["1", "2"]), KNOWN);
    for foot in found.feet.iter().flatten() {
        let exact: Real = foot
            .curve
            .iter()
            .map(|at| (0.1 * at.measured[0]).powi(2) + if at.measured[0] > 0.01 { 4e-4 } else { 0.0 })
            .sum();
        let exact = (exact / foot.curve.len() as Real).sqrt();
        assert!((foot.rms[0] - exact).abs() < 4e-3, "{} instead of {exact}", foot.rms[0]);
        assert!((foot.peak[0] / foot.peak[1] - 1.1).abs() < 0.03, "{:?}", foot.peak);
        assert!(foot.pressure.is_some_and(|metres| (metres - 0.013).abs() < 1e-3), "{:?}", foot.pressure);
    }
}

/// Events of a clip that loads its feet 30 ms late are 30 ms late where the clocks are stated.
#[test]
fn late_events_are_told_where_the_clock_is_stated() {
    let late = |time: Real, side: Side| walked(time - 0.03, side);
    let found = compared(&told(330, late), &measured(0.0, 3.4, ["1", "2"]), KNOWN);
    let events: Vec<&EventPair> = found.feet.iter().flatten().flat_map(|foot| &foot.events).collect();
    assert!(
        events.iter().all(|event| event.told.is_some_and(|told| (told - event.measured - 0.03).abs() < 3e-3)),
        "{events:?}"
    );
}

/// A clip cut out of the recording, on other axes and of another mass, is found again: time to 2 ms, axes to a degree.
#[test]
fn clock_axes_and_mass_are_found() {
    let (yaw, shift) = (1.2, Vec3::new(2.0, 0.0, -1.0));
    let rotation = crate::math::Quat::from_axis_angle(&Vec3::y_axis(), yaw);
    let moved = |time: Real, side: Side| {
        let (force, point) = walked(time + 0.7345, side);
        (rotation * force * 1.25, rotation * point + shift)
    };
    let found =
        compared(&told(200, moved), &measured(0.0, 3.4, ["ground_force_l", "ground_force_r"]), PlateOptions::default());
    let alignment = found.alignment;
    assert!(alignment.start_found && (alignment.start - 0.7345).abs() < 2e-3, "{}", alignment.start);
    assert!(
        alignment.axes_found && (alignment.yaw - yaw).abs() < 0.02 && (alignment.shift - shift).norm() < 0.05,
        "{alignment:?}"
    );
    assert!((alignment.mass - 56.0).abs() < 0.5, "{}", alignment.mass);
    assert!(
        found.feet.iter().flatten().all(|foot| foot.rms.iter().all(|rms| *rms < 0.01)),
        "{:?}",
        found.feet[0].as_ref().map(|f| f.rms)
    );
}

#[test]
fn plates_without_load_and_clips_without_forces_are_refused() {
    let mut none = measured(0.0, 2.0, ["1", "2"]);
    none.plates.iter_mut().for_each(|plate| plate.force.fill(Vec3::zeros()));
    let walk = told(100, walked);
    assert_eq!(PlateComparison::between(&walk, &none, &KNOWN), Err(PlateError::NoLoad));
    let floats = told(100, |_, _| (Vec3::zeros(), Vec3::zeros()));
    assert_eq!(PlateComparison::between(&floats, &measured(0.0, 2.0, ["1", "2"]), &KNOWN), Err(PlateError::NoForces));
}

const MOT: &str = "forces\nversion=1\nnRows=2\nnColumns=7\ninDegrees=no\nendheader\n\
    time\tground_force_vx\tground_force_vy\tground_force_vz\tground_force_px\tground_force_py\tground_force_pz\n\
    0\t1\t700\t2\t0.1\t0\t0.2\n0.01\t1\t710\t2\tnan\t0\t0.2\n";

#[test]
fn motion_files_of_opensim_are_read() {
    let plates = Plates::parse(MOT, true).expect("a plate");
    assert_eq!((plates.plates.len(), plates.times.len()), (1, 2));
    let plate = &plates.plates[0];
    assert_eq!((plate.name.as_str(), plate.force[1]), ("ground_force", Vec3::new(1.0, 710.0, 2.0)));
    assert_eq!(plate.point.as_ref().map(|p| p[0]), Some(Vec3::new(0.1, 0.0, 0.2)));
}

/// A file with z up, millimetres and forces on the plate is turned around, and says so.
#[test]
fn tables_state_their_axes_and_units() {
    let text = "# up = z\n# length = mm\n# rate = 1000\nright_fx,right_fy,right_fz,right_px,right_py,right_pz\n1,2,-700,100,200,0\n1,2,-700,100,200,0\n";
    let plates = Plates::parse(text, false).expect("a plate");
    assert_eq!(plates.times, [0.0, 0.001]);
    assert_eq!(plates.plates[0].force[0], Vec3::new(-1.0, 700.0, 2.0));
    let point = plates.plates[0].point.as_ref().map(|p| p[0]).expect("a point");
    assert!((point - Vec3::new(0.1, 0.0, -0.2)).norm() < 1e-12, "{point}");
    assert_eq!(plates.remarks.len(), 2);
}

#[test]
fn faults_are_refused_with_their_line() {
    let fault = |text: &str, opensim: bool| {
        let error = Plates::parse(text, opensim).expect_err("a fault");
        (error.message, error.line)
    };
    let with = |from: &str, to: &str| fault(&MOT.replace(from, to), true);
    assert_eq!(with("nRows=2", "nRows=3"), ("the header promises 3 rows, the table has 2".to_owned(), Some(3)));
    assert_eq!(with("\t710\t", "\tmany\t").1, Some(9));
    assert_eq!(with("\t710\t", "\t").1, Some(9));
    assert_eq!(with("\t710\t", "\tnan\t"), ("the force of \"ground_force\" is missing".to_owned(), Some(9)));
    assert!(with("0.01\t", "0\t").0.starts_with("time does not go on"));
    assert!(with("endheader", "end").0.contains("endheader"));
    assert!(with("ground_force_vz", "z").0.starts_with("has no forces"));
    assert!(fault("time,a_fx,a_fy,a_fz\n", false).0.contains("0 rows"));
    assert!(fault("a_fx,a_fy,a_fz\n1,2,3\n1,2,3\n", false).0.contains("\"time\""));
    assert!(fault("# up = left\ntime,a_fx,a_fy,a_fz\n0,2,3,4\n1,2,3,4\n", false).0.contains("up axis"));
    assert!(fault("", false).0.contains("column names"));
}

/// No cut of a file makes the reader panic.
#[test]
fn files_that_are_cut_off_are_read_or_refused() {
    for end in 0..MOT.len() {
        let _ = Plates::parse(&MOT[..end], true);
        let _ = Plates::parse(&MOT[..end], false);
    }
}
