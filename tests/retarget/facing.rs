//! What faces forward in the source faces forward on the target, whatever the rest pose of the source: kneecaps, toes, palms, chest, face.
//!
//! Clips of the actor are rewritten for joints with other axes. No point and no segment moves otherwise; the rest pose says nothing any more.

use super::bodies::{clip, nameless, open};
use sinew::motion::edit::{axes_along, clip_with_joint_axes, slice, with_joint_axes};
use sinew::motion::{Clip, Role, Skeleton};
use sinew::retarget::{Body, BodyOptions, JointMap, Retarget, RetargetOptions};
use sinew::{Quat, Real, Vec3};

/// A rotation for every number, the same at every call.
fn turn(seed: usize) -> Quat {
    let angle = |k: usize| ((seed * 3 + k) as Real * 0.754_877_666).fract() * 6.0 - 3.0;
    Quat::from_euler_angles(angle(0), angle(1), angle(2))
}

fn shown(skeleton: &Skeleton, clip: &Clip) -> Body {
    Body::new(skeleton, &BodyOptions { example: Some(clip), ..BodyOptions::default() })
}

fn result(source: (&Skeleton, &Clip), target: &Body) -> Clip {
    let body = shown(source.0, source.1);
    JointMap::between(&body, target).unwrap();
    Retarget { source: &body, target, clip: source.1, options: RetargetOptions::default() }.run().unwrap().clip
}

/// The result of a clip that was rewritten for other axes of the joints.
fn rewritten(source: (&Skeleton, &Clip), axes: &[Quat], target: &Body) -> Clip {
    let moved = clip_with_joint_axes(source.0, source.1, axes).unwrap();
    result((&with_joint_axes(source.0, axes).unwrap(), &moved), target)
}

/// The largest angle between the segments of some roles in two results, degrees, and distance of their joints, millimetres.
fn apart(target: &Body, a: &Clip, b: &Clip, roles: impl Fn(Role) -> bool) -> (Real, Real) {
    let (mut angle, mut far): (Real, Real) = (0.0, 0.0);
    for frame in (0..a.frames()).step_by(3) {
        let [a, b] = [a, b].map(|clip| clip.pose(target.skeleton(), frame).world(target.skeleton()));
        for (j, guess) in target.guesses().iter().enumerate().filter(|(_, guess)| guess.role.is_some_and(&roles)) {
            let _ = guess;
            angle = angle.max(a[j].rotation.angle_to(&b[j].rotation).to_degrees());
            far = far.max(1e3 * (a[j].position - b[j].position).norm());
        }
    }
    (angle, far)
}

fn is_leg(role: Role) -> bool {
    matches!(role, Role::UpperLeg(_) | Role::LowerLeg(_) | Role::Foot(_) | Role::Toes(_))
}

fn is_forearm(role: Role) -> bool {
    matches!(role, Role::LowerArm(_) | Role::Hand(_))
}

fn heavy() -> Body {
    Body::new(&open("characters/heavy.glb").skeleton, &BodyOptions::default())
}

/// Two steps of a walk, a raised arm, a squat: clips that bend knees and elbows.
fn clips() -> Vec<(&'static str, Skeleton, Clip)> {
    ["walk", "wave", "crouch"]
        .map(|name| {
            let (skeleton, whole) = clip(&format!("clips/{name}.bvh"));
            let frames = whole.frames().min(120);
            (name, skeleton, slice(&whole, 0..frames).unwrap())
        })
        .to_vec()
}

/// Rest poses with all bones along an axis, with the spine along one, and with legs down and the rest to the side: rigs that lay the axes of
/// their joints along the bones. Trunk, arms and palms come out as from the plain skeleton; legs as far as soles are level in contact.
#[test]
fn bones_along_one_axis_face_as_in_the_plain_rest_pose() {
    let target = heavy();
    for (name, skeleton, clip) in clips() {
        let plain = result((&skeleton, &clip), &target);
        let along = |direction: Vec3| axes_along(&skeleton, &direction, |_| true);
        let role = |j: usize| skeleton.joint(j).role;
        let is_spine = |j: usize| matches!(role(j), Some(Role::Hips | Role::Spine(_) | Role::Neck(_)));
        let (x, down, ahead) = (along(Vec3::x()), along(Vec3::new(2.6, -44.7, -7.9).normalize()), along(Vec3::z()));
        let mixed = |j: usize| match role(j) {
            Some(Role::UpperLeg(_) | Role::LowerLeg(_)) => down[j],
            Some(Role::Foot(_) | Role::Toes(_)) => ahead[j],
            _ => x[j],
        };
        let quarter =
            |j: usize| x[j] * Quat::from_axis_angle(&Vec3::x_axis(), 0.5 * std::f64::consts::PI * (j * 7 % 4) as Real);
        let forms = [
            ("along +X", x.clone()),
            ("along -Y", along(-Vec3::y())),
            ("along +Z", ahead.clone()),
            ("spine along +X", axes_along(&skeleton, &Vec3::x(), is_spine)),
            ("legs down, feet ahead, the rest along +X", (0..skeleton.len()).map(mixed).collect()),
            ("along +X, by quarters", (0..skeleton.len()).map(quarter).collect()),
        ];
        for (form, axes) in forms {
            let other = rewritten((&skeleton, &clip), &axes, &target);
            let (upper, _) = apart(&target, &plain, &other, |role| !is_leg(role));
            let (legs, far) = apart(&target, &plain, &other, |_| true);
            assert!(upper < 0.1, "{name}, {form}: {upper}° from the hips up");
            assert!(legs < 0.4 && far < 1.0, "{name}, {form}: {legs}°, {far} mm");
        }
    }
}

/// In axes that follow no convention the motion alone shows what segments face. Whatever the axes, and without names, it shows the same,
/// within what is told: kneecaps, toes, chest and face to a few degrees, palms as far as forearms are held between palm up and palm down.
#[test]
fn axes_of_joints_change_nothing() {
    let target = heavy();
    for (name, skeleton, clip) in clips() {
        let plain = result((&skeleton, &clip), &target);
        let first = rewritten((&skeleton, &clip), &(0..skeleton.len()).map(turn).collect::<Vec<_>>(), &target);
        let axes: Vec<Quat> = (0..skeleton.len()).map(|j| turn(7 * j + 100)).collect();
        let second = rewritten((&nameless(&skeleton), &clip), &axes, &target);
        let (angle, far) = apart(&target, &first, &second, |_| true);
        assert!(angle < 1e-3 && far < 1e-3, "{name}: {angle}°, {far} mm");
        let (palms, _) = apart(&target, &plain, &second, is_forearm);
        let (others, _) = apart(&target, &plain, &second, |role| !is_forearm(role));
        assert!(others < 8.0 && palms < 20.0, "{name}: {others}°, palms {palms}°");
    }
}

/// A rest pose that looks like a posture may be wrong about what its bones face: thighs that rest with their kneecaps behind, or forearms
/// with their palms forward. Knees and elbows that bend tell.
#[test]
fn joints_that_bend_are_believed_before_the_rest_pose() {
    let target = heavy();
    let (_, skeleton, clip) = clips().remove(0);
    let plain = result((&skeleton, &clip), &target);
    let half = std::f64::consts::PI;
    let part: fn(Role) -> &'static str = |role| match role {
        Role::UpperLeg(_) => "thighs",
        Role::UpperArm(_) => "upper arms",
        _ => "",
    };
    for (what, about, angle) in [("thighs", Vec3::y_axis(), half), ("upper arms", Vec3::x_axis(), -half)] {
        let roll = |j: usize| {
            let is_part = skeleton.joint(j).role.is_some_and(|role| part(role) == what);
            if is_part { Quat::from_axis_angle(&about, angle) } else { Quat::identity() }
        };
        let axes: Vec<Quat> = (0..skeleton.len()).map(roll).collect();
        let (was, is) = (skeleton.rest_pose(), with_joint_axes(&skeleton, &axes).unwrap());
        let same = was
            .world(&skeleton)
            .iter()
            .zip(is.rest_pose().world(&is))
            .all(|(a, b)| (a.position - b.position).norm() < 1e-9);
        assert!(same, "the rest pose looks as it did");
        let other = rewritten((&skeleton, &clip), &axes, &target);
        let (off, _) = apart(&target, &plain, &other, |role| part(role) == what);
        assert!(off < 5.0, "{what}: {off}°");
    }
}

/// What the motion does not show is told: arms that never bend.
#[test]
fn straight_arms_are_told_as_uncertain() {
    let (_, skeleton, clip) = clips().remove(0);
    let rotations = (0..clip.frames()).flat_map(|frame| {
        let turned = |(j, q): (usize, &Quat)| match skeleton.joint(j).role {
            Some(Role::LowerArm(_)) => Quat::identity(),
            _ => *q,
        };
        clip.rotations(frame).iter().enumerate().map(turned).collect::<Vec<_>>()
    });
    let clip = Clip::new(
        "straight",
        clip.rate_hz(),
        skeleton.len(),
        rotations.collect(),
        clip.translations().clone(),
        clip.scales().clone(),
    )
    .unwrap();
    let axes: Vec<Quat> = (0..skeleton.len()).map(turn).collect();
    let moved = clip_with_joint_axes(&skeleton, &clip, &axes).unwrap();
    let source = shown(&with_joint_axes(&skeleton, &axes).unwrap(), &moved);
    let notes = JointMap::between(&source, &heavy()).unwrap().notes.join("\n");
    assert!(notes.contains("left upper arm within about") && !notes.contains("left upper leg within"), "{notes}");
    assert!(
        JointMap::between(&shown(&skeleton, &clip), &heavy())
            .unwrap()
            .notes
            .iter()
            .all(|note| !note.contains("rest pose"))
    );
}
