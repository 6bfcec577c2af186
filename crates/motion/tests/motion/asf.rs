//! Acclaim files through the public interface.

use sinew_motion::formats::{ImportOptions, Unit, UpAxis, asf};
use sinew_motion::{Quat, Real, Vec3};
use std::fs;

const ASF: &str = "# a comment\r
:version 1.10\r
:name VICON\r
:units\r
  mass 1.0\r
  length 0.45\r
  angle deg\r
:documentation\r
   begin anything end\r
:root\r
   order TX TY TZ RX RY RZ\r
   axis XYZ\r
   position 0 0 0\r
   orientation 0 0 0\r
:bonedata\r
  begin\r
     id 1\r
     name thigh\r
     direction 0.6 -0.8 0\r
     length 7\r
     axis 10 20 30 XYZ\r
     dof rx ry rz\r
     limits (-160.0 20.0)\r
            (-70.0 70.0)\r
            (-60.0 70.0)\r
  end\r
  begin\r
     id 2\r
     name shin\r
     direction 0 -1 0\r
     length 8\r
     axis -40 5 15 ZYX\r
     dof rz rx\r
  end\r
  begin\r
     id 3\r
     name spine\r
     direction 0 1 0\r
     length 15\r
     axis 0 0 0 XYZ\r
  end\r
:hierarchy\r
  begin\r
    root thigh spine\r
    thigh shin\r
  end\r
";

const AMC: &str = "#!OML:ASF\n:FULLY-SPECIFIED\n:DEGREES\n1\nroot 1 2 3 10 20 30\nthigh 11 22 33\nshin 44 55\n2\n\
                   root 1.5 2 3 10 20 30\nthigh 1.1e1 22 -33\nshin 4 5\n";

fn read(asf: &str, amc: Option<&str>) -> Result<sinew_motion::formats::Capture, sinew_motion::formats::FormatError> {
    asf::read(asf.as_bytes(), amc.map(|a| ("clip", a.as_bytes())), &ImportOptions::default())
}

type Matrix = [[Real; 3]; 3];

/// The rotation about axis 0, 1, 2 by degrees, written out.
fn about(axis: usize, degrees: Real) -> Matrix {
    let (s, c) = degrees.to_radians().sin_cos();
    match axis {
        0 => [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]],
        1 => [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]],
        _ => [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]],
    }
}

fn product(factors: &[Matrix]) -> Matrix {
    factors.iter().skip(1).fold(factors[0], |a, b| {
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
    })
}

fn transpose(m: Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

fn apply(m: Matrix, v: [Real; 3]) -> Vec3 {
    Vec3::from_fn(|i, _| (0..3).map(|k| m[i][k] * v[k]).sum())
}

/// Positions by plain matrices from the definition of the format: L = C M C⁻¹, first listed axis first.
#[test]
fn world_positions_match_the_matrix_definition_of_the_format() {
    let capture = read(ASF, Some(AMC)).unwrap();
    let (skeleton, clip) = (&capture.skeleton, &capture.clips[0]);
    assert_eq!((clip.frames(), clip.rate_hz(), clip.name.as_str()), (2, 120.0, "clip"));
    let root = product(&[about(2, 30.0), about(1, 20.0), about(0, 10.0)]);
    let thigh_axes = product(&[about(2, 30.0), about(1, 20.0), about(0, 10.0)]);
    let thigh_turn = product(&[about(2, 33.0), about(1, 22.0), about(0, 11.0)]);
    let shin_axes = product(&[about(0, -40.0), about(1, 5.0), about(2, 15.0)]);
    let shin_turn = product(&[about(0, 55.0), about(2, 44.0)]);
    let thigh = product(&[root, thigh_axes, thigh_turn, transpose(thigh_axes)]);
    let shin = product(&[thigh, shin_axes, shin_turn, transpose(shin_axes)]);
    let hip = Vec3::new(1.0, 2.0, 3.0);
    let knee = hip + apply(thigh, [0.6 * 7.0, -0.8 * 7.0, 0.0]);
    let ankle = knee + apply(shin, [0.0, -8.0, 0.0]);
    let crown = hip + apply(root, [0.0, 15.0, 0.0]);

    let frames = clip.pose(skeleton, 0).world(skeleton);
    let at = |name: &str| skeleton.find(name).unwrap();
    let tip = |name: &str| {
        let f = frames[at(name)];
        f.position + f.rotation * skeleton.joint(at(name)).tip.unwrap()
    };
    let unit = 0.0254 / 0.45;
    for (found, expected) in [
        (frames[at("root")].position, hip),
        (frames[at("thigh")].position, hip),
        (frames[at("shin")].position, knee),
        (tip("shin"), ankle),
        (tip("spine"), crown),
    ] {
        assert!((found / unit - expected).norm() < 1e-9, "{found:?} {expected:?}");
    }
}

#[test]
fn an_asf_alone_is_a_skeleton_with_its_unit_and_up_axis() {
    let capture = read(ASF, None).unwrap();
    assert!(capture.clips.is_empty());
    assert_eq!(capture.report.unit, Unit::CMU);
    assert_eq!(capture.report.up, UpAxis::PlusY);
    assert!(capture.report.guesses.iter().any(|g| g.what == "unit" && g.chosen == "cmu" && g.option == "--unit"));
    assert!(capture.report.guesses.iter().any(|g| g.what == "up" && g.option == "--up"));
    let names: Vec<_> = capture.skeleton.joints().iter().map(|j| (j.name.as_str(), j.parent)).collect();
    assert_eq!(names, [("root", None), ("thigh", Some(0)), ("shin", Some(1)), ("spine", Some(0))]);
    assert!(capture.skeleton.joint(1).tip.is_none() && capture.skeleton.joint(2).tip.is_some());
}

#[test]
fn unit_up_and_rate_given_by_the_user_are_obeyed() {
    let options = ImportOptions {
        unit: Some(Unit::CENTIMETRE),
        up: Some(UpAxis::PlusZ),
        rate: Some(60.0),
        ..ImportOptions::default()
    };
    let plain = asf::read(ASF.as_bytes(), Some(("a", AMC.as_bytes())), &ImportOptions::default()).unwrap();
    let turned = asf::read(ASF.as_bytes(), Some(("a", AMC.as_bytes())), &options).unwrap();
    assert!(turned.report.guesses.is_empty());
    assert_eq!(turned.clips[0].rate_hz(), 60.0);
    let scale = 0.01 / Unit::CMU.metres;
    let (a, b) = (plain.clips[0].pose(&plain.skeleton, 1), turned.clips[0].pose(&turned.skeleton, 1));
    for (p, q) in a.world(&plain.skeleton).iter().zip(b.world(&turned.skeleton)) {
        // Z up to Y up: (x, y, z) → (x, z, −y).
        let expected = Vec3::new(p.position.x, p.position.z, -p.position.y) * scale;
        assert!((q.position - expected).norm() < 1e-12);
    }
}

#[test]
fn radians_and_degrees_mean_the_same_motion() {
    let to_radians = |text: &str, keys: &[&str], skip: usize| -> String {
        let convert = |line: &str| {
            let mut words = line.split_whitespace();
            match words.next() {
                Some(first) if keys.contains(&first) => {
                    let skip = if first == "root" { skip } else { 0 };
                    let word = |(k, w): (usize, &str)| match w.parse::<Real>() {
                        Ok(v) if k >= skip => format!("{:.17}", v.to_radians()),
                        _ => w.to_string(),
                    };
                    let rest: Vec<_> = words.enumerate().map(word).collect();
                    format!("{first} {}", rest.join(" "))
                }
                _ => line.to_string(),
            }
        };
        text.lines().map(convert).collect::<Vec<_>>().join("\n")
    };
    let asf = to_radians(ASF, &["axis"], 0).replace("angle deg", "angle rad");
    let amc = to_radians(AMC, &["root", "thigh", "shin"], 3).replace(":DEGREES", ":RADIANS");
    let (a, b) = (read(ASF, Some(AMC)).unwrap(), read(&asf, Some(&amc)).unwrap());
    for f in 0..2 {
        for (p, q) in a.clips[0].rotations(f).iter().zip(b.clips[0].rotations(f)) {
            assert!(p.angle_to(q) < 1e-9);
        }
    }
}

/// The root's orientation is its rest pose; a frame without turn shows it.
#[test]
fn the_orientation_of_the_root_is_its_rest_pose() {
    let asf = ASF.replace("orientation 0 0 0", "orientation 0 90 0");
    let amc = "1\nroot 0 0 0 0 0 0\nthigh 0 0 0\nshin 0 0\n";
    let capture = read(&asf, Some(amc)).unwrap();
    let quarter = Quat::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2);
    assert!(capture.skeleton.joint(0).rest.angle_to(&quarter) < 1e-12);
    assert!(capture.clips[0].rotations(0)[0].angle_to(&quarter) < 1e-12);
}

#[test]
fn a_root_without_an_order_has_the_usual_one() {
    let without = ASF.replace("   order TX TY TZ RX RY RZ\r\n", "");
    let (a, b) = (read(ASF, Some(AMC)).unwrap(), read(&without, Some(AMC)).unwrap());
    assert_eq!(a.clips, b.clips);
}

#[test]
fn an_implausible_length_unit_is_replaced_by_a_plausible_one_and_said_so() {
    // 15 + 13.6 units tall; with `length 100` inches would make 7 mm.
    let capture = read(&ASF.replace("length 0.45", "length 100"), None).unwrap();
    assert_eq!(capture.report.unit, Unit::CMU);
    assert!(capture.report.guesses.iter().any(|g| g.what == "unit" && g.why.contains("plausible")));
}

#[test]
fn a_motion_finds_its_skeleton_by_name_by_first_part_or_as_the_only_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let options = ImportOptions::default();
    fs::write(path("05_01.amc"), AMC).unwrap();
    let error = asf::read_files(&path("05_01.amc"), &options).unwrap_err();
    assert!(error.message.contains("no .asf") && error.path == path("05_01.amc"), "{error}");

    let skeleton_of = |name: &str| {
        let capture = asf::read_files(&path(name), &options).unwrap();
        assert_eq!(capture.clips.len(), 1);
        capture.report.guesses.iter().find(|g| g.what == "skeleton").unwrap().chosen.clone()
    };
    fs::write(path("other.asf"), ASF).unwrap();
    assert_eq!(skeleton_of("05_01.amc"), "other.asf");
    fs::write(path("05.asf"), ASF).unwrap();
    assert_eq!(skeleton_of("05_01.amc"), "05.asf");
    fs::write(path("05_01.ASF"), ASF).unwrap();
    assert_eq!(skeleton_of("05_01.amc"), "05_01.ASF");
    fs::write(path("unknown.amc"), AMC).unwrap();
    let error = asf::read_files(&path("unknown.amc"), &options).unwrap_err();
    assert!(error.message.contains("05.asf, 05_01.ASF, other.asf"), "{error}");
    assert!(asf::read_files(&path("05.asf"), &options).unwrap().clips.is_empty());
    assert!(asf::read_files(&path("missing.asf"), &options).is_err());
}

/// Every damage is told with its line.
#[test]
fn damaged_motions_are_refused_at_the_line() {
    for (from, to, line, words) in [
        ("shin 44 55\n2", "2", 4, "frame 1 has no values for bone shin"),
        ("shin 4 5\n", "", 8, "frame 2 has no values for bone shin"),
        ("shin 4 5", "shin 4", 11, "has 1 values, the skeleton says 2"),
        ("shin 4 5", "shin 4 5 6", 11, "has 3 values, the skeleton says 2"),
        ("shin 4 5", "shin 4 NaN", 11, "not a finite number"),
        ("shin 4 5", "shin 4 x", 11, "not a number"),
        ("shin 4 5", "shin 4 1e999", 11, "not a finite number"),
        ("shin 4 5", "calf 4 5", 11, "no bone of the skeleton"),
        ("shin 4 5", "thigh 1 2 3", 11, "twice"),
        ("1\nroot", "root", 4, "expected a frame number"),
    ] {
        assert!(AMC.contains(from));
        let error = read(ASF, Some(&AMC.replacen(from, to, 1))).unwrap_err();
        assert!(error.message.contains(words), "{from:?} → {to:?}: {error}");
        assert_eq!(error.line, Some(line), "{from:?} → {to:?}: {error}");
    }
    assert!(read(ASF, Some("")).unwrap_err().message.contains("no frames"));
}

#[test]
fn complete_frames_of_a_damaged_motion_can_be_kept() {
    let damaged = AMC.replace("shin 4 5\n", "shin 4");
    let options = ImportOptions { keep_complete: true, ..ImportOptions::default() };
    let capture = asf::read(ASF.as_bytes(), Some(("a", damaged.as_bytes())), &options).unwrap();
    assert_eq!(capture.clips[0].frames(), 1);
    assert_eq!(capture.report.warnings[0].line, Some(11));
}

#[test]
fn a_bone_that_no_frame_moves_rests_with_a_warning() {
    let amc = AMC.replace("shin 44 55\n", "").replace("shin 4 5\n", "");
    let capture = read(ASF, Some(&amc)).unwrap();
    assert!(capture.report.warnings.iter().any(|w| w.message.contains("bone shin")));
    assert_eq!(capture.clips[0].rotations(1)[2], Quat::identity());
}

#[test]
fn damaged_skeletons_are_refused_at_the_line() {
    for (from, to, line, words) in [
        ("length 7", "length", 20, "needs 1 numbers"),
        ("direction 0.6 -0.8 0", "direction 0.6 -0.8", 19, "needs 3 numbers"),
        ("name shin", "name thigh", 27, "two bones called thigh"),
        ("axis 10 20 30 XYZ", "axis 10 20 30 XYY", 21, "no order of axes"),
        ("dof rz rx", "dof rz qx", 33, "no degree of freedom"),
        ("dof rz rx", "dof rz rz", 33, "listed twice"),
        ("thigh shin\r", "thigh calf\r", 45, "no bone of this file"),
        ("thigh shin\r", "shin shin\r", 27, "its own ancestor"),
        ("    thigh shin\r\n", "", 27, "does not appear as a child"),
        ("angle deg", "angle grad", 7, "no unit of angle"),
    ] {
        assert!(ASF.contains(from), "{from:?}");
        let error = read(&ASF.replacen(from, to, 1), None).unwrap_err();
        assert!(error.message.contains(words), "{from:?} → {to:?}: {error}");
        assert_eq!(error.line, Some(line), "{from:?} → {to:?}: {error}");
    }
    assert!(read("garbage", None).unwrap_err().message.contains("no :root"));
    assert!(read(&ASF[..ASF.find("dof rz rx").unwrap()], None).unwrap_err().message.contains("cut off"));
}

/// Whatever bytes come in, an answer or an error comes out. Seeded, so that a failure repeats.
#[test]
fn mutated_files_never_panic() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let splices: [&[u8]; 12] = [
        b"1e999",
        b"-",
        b"\n",
        b"begin",
        b"end",
        b":root",
        b"999999999999999999999",
        b"\xff\xfe",
        b"NaN",
        b"#",
        b"root",
        b"1000000000\n",
    ];
    for round in 0..4000 {
        let (mut asf, mut amc) = (ASF.as_bytes().to_vec(), AMC.as_bytes().to_vec());
        for _ in 0..1 + random(4) {
            let target = if random(2) == 0 { &mut asf } else { &mut amc };
            let at = random(target.len());
            match random(5) {
                0 => target.truncate(at),
                1 => target[at] = random(256) as u8,
                2 => {
                    let splice = splices[random(splices.len())];
                    target.splice(at..at, splice.iter().copied());
                }
                3 => {
                    let end = (at + random(40)).min(target.len());
                    target.drain(at..end);
                }
                _ => {
                    let end = (at + random(60)).min(target.len());
                    let copy = target[at..end].to_vec();
                    target.splice(at..at, copy);
                }
            }
            if target.is_empty() {
                target.push(b'1');
            }
        }
        let options = ImportOptions { keep_complete: round % 2 == 0, ..ImportOptions::default() };
        if let Ok(capture) = asf::read(&asf, Some(("m", &amc)), &options) {
            let skeleton = &capture.skeleton;
            let world = capture.clips[0].pose(skeleton, 0).world(skeleton);
            assert_eq!(world.len(), skeleton.len());
        }
    }
}
