//! What figures are made of: masses, shapes, soles, and which joints they fold.

use super::*;

#[test]
fn every_file_of_the_project_gets_a_sound_body() {
    for (name, capture) in all() {
        assert_sound(&name, &build(&capture));
        let skin = gltf::skin_vertices(&capture).unwrap();
        assert_eq!(skin.is_some(), name.ends_with(".glb"), "{name}");
        let options = FigureOptions { skin: skin.as_deref(), mass_by_volume: true, ..FigureOptions::default() };
        assert_sound(&name, &Figure::build(&capture.skeleton, &options).unwrap());
    }
}

#[test]
fn a_point_a_bone_a_star_and_long_chains_get_a_sound_body() {
    let point = Skeleton::new(vec![Joint::new("point", None, Vec3::zeros())]).unwrap();
    let mut star = vec![Joint::new("middle", None, Vec3::zeros())];
    star.extend((0..20).map(|k| {
        let mut ray = Joint::new("ray", Some(0), Quat::from_euler_angles(0.0, 0.3 * Real::from(k), 0.0) * Vec3::x());
        ray.tip = Some(Vec3::x());
        ray
    }));
    for (skeleton, segments) in
        [(point, 1), (chain(1), 1), (chain(2), 2), (chain(300), 300), (Skeleton::new(star).unwrap(), 21)]
    {
        let figure = Figure::build(&skeleton, &FigureOptions::default()).unwrap();
        assert_eq!(figure.segments().len(), segments);
        assert_eq!(figure.source, SegmentSource::Volume);
        assert_sound("generic", &figure);
    }
}

#[test]
fn masses_sum_to_the_total_asked_for() {
    let capture = read("clips/walk.bvh");
    for table in [Table::Male, Table::Female] {
        let options = FigureOptions { mass: Some(81.5), table, ..FigureOptions::default() };
        let figure = Figure::build(&capture.skeleton, &options).unwrap();
        let sum: Real = figure.segments().iter().map(|s| s.mass.mass).sum();
        assert!((sum - 81.5).abs() < 1e-9 && (figure.mass() - sum).abs() < 1e-12);
    }
}

/// People's centre of mass stands at 54 to 58 % of their height (de Leva's own subjects: 55 to 57 %).
#[test]
fn the_standing_actor_has_a_persons_centre_of_mass() {
    let capture = read("clips/idle.bvh");
    let figure = build(&capture);
    let placements = figure.placements(&capture.clips[0].pose(&capture.skeleton, 0));
    let centre = figure.centre_of_mass(&placements);
    let share = (centre.y - figure.lowest_point(&placements)) / figure.height;
    assert!((0.54..=0.58).contains(&share), "{share}");
    assert!((1.70..1.80).contains(&figure.height), "{}", figure.height);
}

#[test]
fn left_and_right_weigh_the_same() {
    for (name, capture) in all() {
        let figure = build(&capture);
        for segment in figure.segments() {
            let Some(role) = segment.role.filter(|role| role.side() == Some(Side::Left)) else { continue };
            let other = figure.with_role(role.mirrored()).map(|k| figure.segment(k).mass.mass);
            let other = other.unwrap_or_else(|| panic!("{name}: {role} has no partner"));
            assert!((segment.mass.mass / other - 1.0).abs() < 1e-6, "{name}: {role}");
        }
    }
}

/// What lacks a joint is flesh of the next part inwards; what lacks a limb weighs less.
#[test]
fn a_body_without_hands_weighs_the_same_and_one_without_arms_weighs_less() {
    let whole = read("clips/idle.bvh").skeleton;
    let without = |gone: &dyn Fn(Role) -> bool| {
        let mut place = vec![None; whole.len()];
        let mut joints: Vec<Joint> = Vec::new();
        for (j, joint) in whole.joints().iter().enumerate() {
            if !joint.role.is_some_and(gone) && joint.parent.is_none_or(|p| place[p].is_some()) {
                place[j] = Some(joints.len());
                joints.push(Joint { parent: joint.parent.and_then(|p| place[p]), ..joint.clone() });
            }
        }
        let options = FigureOptions { height: Some(1.75), ..FigureOptions::default() };
        Figure::build(&Skeleton::new(joints).unwrap(), &options).unwrap()
    };
    let full = without(&|_| false).mass();
    let handless = without(&|role| matches!(role, Role::Hand(_)));
    assert!((handless.mass() / full - 1.0).abs() < 1e-9);
    let forearm = handless.with_role(Role::LowerArm(Side::Left)).unwrap();
    assert!((handless.segment(forearm).mass.mass / full - 0.0162 - 0.0061).abs() < 1e-4);
    let armless = without(&|role| matches!(role, Role::Shoulder(_) | Role::UpperArm(_)));
    assert!((armless.mass() / full - (1.0 - 2.0 * (0.0271 + 0.0162 + 0.0061))).abs() < 2e-3);
}

#[test]
fn soles_lie_flat_below_the_standing_feet() {
    let capture = read("clips/idle.bvh");
    let figure = build(&capture);
    let placements = figure.placements(&capture.clips[0].pose(&capture.skeleton, 0));
    let feet: Vec<_> = figure.sole_points().iter().filter(|s| s.part != SolePart::Palm).collect();
    assert_eq!(feet.len(), 6);
    for sole in feet {
        let height = placements[sole.segment].point(&sole.point).y;
        assert!(height.abs() < 0.02, "{:?} {:?} at {height}", sole.side, sole.part);
        assert!(sole.across.norm() > 0.02);
    }
}

/// Feet that stand flat for a while in every stance and roll onto their heels for longer: their mean tilt belongs to no
/// moment at which they stand, and the soles are those of the while. The rest pose hangs in the air and tells nothing.
#[test]
fn soles_are_those_that_a_motion_stands_on_in_every_stance() {
    let capture = read("clips/idle.bvh");
    let skeleton = &capture.skeleton;
    let known = Figure::build(skeleton, &FigureOptions::default()).unwrap();
    let heights = |figure: &Figure, pose: &Pose| -> Vec<Real> {
        let placements = figure.placements(pose);
        let feet = figure.sole_points().iter().filter(|s| s.part == SolePart::Heel || s.part == SolePart::Ball);
        feet.map(|sole| placements[sole.segment].point(&sole.point).y).collect()
    };
    let feet = ["LeftFoot", "RightFoot"].map(|name| skeleton.find(name).unwrap());
    let (mut rotations, mut values) = (Vec::new(), Vec::new());
    for frame in 0..4 * 30 {
        let (pitch, lift) = match frame % 30 {
            0..10 => (0.0, 0.0),
            at @ 10..24 => (0.5 * (at - 9) as Real, 0.0),
            _ => (0.0, 0.1),
        };
        let mut pose = skeleton.rest_pose();
        for foot in feet {
            pose.rotations[foot] *= Quat::from_scaled_axis(Vec3::x() * -Real::to_radians(pitch));
        }
        let lowest = heights(&known, &pose).into_iter().fold(Real::INFINITY, Real::min);
        values.push(pose.translations[0] + Vec3::y() * (lift - lowest));
        rotations.extend_from_slice(&pose.rotations);
    }
    let tracks = Tracks { joints: vec![0], values };
    let clip = Clip::new("rolls", 60.0, skeleton.len(), rotations, tracks, Tracks::default()).unwrap();
    let figure = Figure::build(skeleton, &FigureOptions { clip: Some(&clip), ..FigureOptions::default() }).unwrap();
    let flat = heights(&figure, &clip.pose(skeleton, 0));
    assert!(flat.len() == 4 && flat.iter().all(|height| height.abs() < 2e-3), "{flat:?}");
}

/// Roles are people's: forefeet of a dog are spare feet by name, and limbs all the same.
#[test]
fn a_dog_has_four_jointed_legs_and_stands_on_them() {
    let capture = read("clips/dog_walk.bvh");
    let figure = build(&capture);
    for name in ["LeftForeFoot", "RightForeFoot", "LeftHindFoot", "RightHindFoot"] {
        assert!(figure.find(name).is_some(), "{name}");
    }
    assert_eq!(figure.sole_points().len(), 4);
    assert_eq!(figure.source, SegmentSource::Volume);
}

/// Rigs of games carry the hips by a root on the ground, which is no part of the body.
#[test]
fn a_root_on_the_ground_is_not_flesh() {
    let whole = read("clips/idle.bvh").skeleton;
    let mut joints = vec![Joint::new("root", None, Vec3::zeros())];
    joints.extend(whole.joints().iter().map(|j| Joint { parent: Some(j.parent.map_or(0, |p| p + 1)), ..j.clone() }));
    let figure = Figure::build(&Skeleton::new(joints).unwrap(), &FigureOptions::default()).unwrap();
    assert_eq!(figure.segments().len(), whole.len());
    assert!(figure.segment_of(0).is_none() && figure.segment(0).role == Some(Role::Hips));
    assert_eq!(figure.segment(0).attachment.kind, AttachmentKind::Free);
}

/// The actor's skin is a body of known girth: shapes fitted to it stay within the flesh, and lie around the bones.
#[test]
fn shapes_fit_the_skin() {
    let capture = read("characters/heavy.glb");
    let skin = gltf::skin_vertices(&capture).unwrap().unwrap();
    let plain =
        Figure::build(&capture.skeleton, &FigureOptions { mass_by_volume: true, ..Default::default() }).unwrap();
    let options = FigureOptions { skin: Some(&skin), mass_by_volume: true, ..Default::default() };
    let fleshy = Figure::build(&capture.skeleton, &options).unwrap();
    assert!(fleshy.mass() > plain.mass(), "{} {}", fleshy.mass(), plain.mass());
    // The capsule of a thigh runs along its bone, and its side is where the skin is.
    for side in [Side::Left, Side::Right] {
        let thigh = fleshy.segment(fleshy.with_role(Role::UpperLeg(side)).unwrap());
        let Shape::Capsule { a, b, radius } = &thigh.shapes[0].shape else { panic!("a thigh is a capsule") };
        assert!((b - a).angle(&thigh.end) < 0.05);
        let axis = (b - a).normalize();
        let mut far: Vec<Real> = skin[thigh.joint].iter().map(|v| (v - a - axis * axis.dot(&(v - a))).norm()).collect();
        far.sort_by(Real::total_cmp);
        let (low, high) = (far[far.len() / 2], far[far.len() - 1]);
        assert!((low..=high).contains(radius) && (0.06..0.2).contains(radius), "{low} {radius} {high}");
    }
}

/// Thicker flesh: capsules and balls get larger radii, bones and masses stay as they are, and pairs of segments that overlap for it
/// never touch each other. A body followed through several clips has limits in use that hold them all.
#[test]
fn thicker_flesh_keeps_bones_and_masses_and_does_not_push_itself_apart() {
    let (capture, wave) = (read("clips/walk.bvh"), read("clips/wave.bvh"));
    let clips = [&capture, &wave].map(|capture| capture.clips[0].clone());
    let build = |thickness| {
        let options = sinew::figure::CaptureOptions { thickness, ..Default::default() };
        sinew::figure::for_clips(&capture, &clips, &options).expect("a figure").0
    };
    let (plain, thick) = (build(None), build(Some(1.6)));
    assert!((plain.mass() - thick.mass()).abs() < 1e-12);
    for (a, b) in plain.segments().iter().zip(thick.segments()) {
        for (a, b) in a.shapes.iter().zip(&b.shapes) {
            match (&a.shape, &b.shape) {
                (Shape::Capsule { a, b, radius }, Shape::Capsule { a: c, b: d, radius: wide }) => {
                    assert!(a == c && b == d && (wide / radius - 1.6).abs() < 1e-12);
                }
                (Shape::Sphere { radius }, Shape::Sphere { radius: wide }) => {
                    assert!((wide / radius - 1.6).abs() < 1e-12)
                }
                _ => {}
            }
        }
    }
    assert!(plain.apart().iter().all(|[a, b]| !thick.may_meet(*a, *b)));
    assert!(thick.apart().len() > plain.apart().len(), "{} pairs", thick.apart().len());
    for clip in &clips {
        assert!(thick.clone().widen_to_hold(clip).is_empty(), "{}", clip.name);
    }
}

/// A skin that holds more than the usual body of its height is a heavier body, and the flesh is where the skin is: heads and feet stay as they
/// are. A slender skin, and one that is given its mass, change nothing.
#[test]
fn a_stout_skin_weighs_what_it_holds() {
    let build = |file: &str, mass: Option<Real>| {
        let capture = read(file);
        let skin = gltf::skin_vertices(&capture).unwrap().unwrap();
        let [bare, skinned] = [None, Some(&skin[..])]
            .map(|skin| Figure::build(&capture.skeleton, &FigureOptions { skin, mass, ..Default::default() }).unwrap());
        (bare, skinned)
    };
    let (bare, stout) = build("characters/heavy.glb", None);
    assert!((70.0..110.0).contains(&stout.mass()), "{} kg", stout.mass());
    let share = |figure: &Figure, role: Role| figure.segment(figure.with_role(role).unwrap()).mass.mass / figure.mass();
    let spine = Role::Spine(2);
    assert!(share(&stout, spine) > share(&bare, spine) && share(&stout, Role::Head) < share(&bare, Role::Head));
    let (bare, slender) = build("characters/actor.glb", None);
    let index = |figure: &Figure| figure.mass() / figure.height.powi(2);
    assert!((index(&bare) - index(&slender)).abs() < 1e-9);
    assert!((build("characters/heavy.glb", Some(60.0)).1.mass() - 60.0).abs() < 1e-9);
}
