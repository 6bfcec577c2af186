//! Terms of constraints: start, end, breaking, removal, elements added and taken away.

use super::scenes::*;
use sinew_dynamics::Real;
use sinew_dynamics::{
    Anchor, Axis, Constraint, ConstraintId, Distance, Drive, Element, Joint, MassProperties, Placement, Response, World,
};

/// A pendulum let go horizontally pulls with 3 mg sinφ, φ below the horizontal: 1.5 mg is reached 60° from hanging.
#[test]
fn horizontal_pendulum_breaks_at_sixty_degrees() {
    let mut world = World::new();
    let bob = ball(&mut world, 2.0, v(1., 0., 0.));
    let bar = Distance::bar(Anchor::world(v(0., 0., 0.)), Anchor::centre(bob), 1.0);
    let id = world.add_constraint(Constraint::new(bar).breaking_at(1.5 * 2.0 * G)).expect("valid");
    let mut broken_at = None;
    run(&mut world, 1.0, H, |w| {
        if !w.constraint(id).enabled && broken_at.is_none() {
            let p = position(w, bob);
            broken_at = Some(p.x.atan2(-p.y).to_degrees());
        }
    });
    let degrees = broken_at.expect("it breaks");
    let tolerance = (2.0 * H * G.sqrt()).to_degrees();
    assert!((degrees - 60.0).abs() < tolerance, "broke at {degrees}° ± {tolerance}");
}

/// A body whose nail is switched off or taken away flies on along the parabola x₀ + v₀t + ½gt², and no energy jumps. Where it
/// expires, the nail is still there as one that may act again, and the parabola is that of whole steps, ½gt(t + h).
#[test]
fn nail_that_ends_leaves_ballistic_motion() {
    leaves_ballistic_motion(0.5, H, |_, _| ());
    leaves_ballistic_motion(Real::INFINITY, 0.0, |world, nail| world.constraint_mut(nail).enabled = false);
    leaves_ballistic_motion(Real::INFINITY, 0.0, |world, nail| drop(world.remove_constraint(nail)));
}

fn leaves_ballistic_motion(end: Real, ahead: Real, let_go: impl Fn(&mut World, ConstraintId)) {
    let mut world = World::new();
    let rod = body(&mut world, MassProperties::rod(1.0, 1.0), at(0.5, 0., 0.));
    let nail = Joint::nail(Anchor::on(rod, v(-0.5, 0., 0.)), v(0., 0., 0.));
    let id = world.add_constraint(Constraint::new(nail).during(0.0, end)).expect("valid");
    run(&mut world, 0.5, H, |_| ());
    let_go(&mut world, id);
    let (x_0, v_0, energy) = (position(&world, rod), world.state(rod).linear(), world.energy());
    let spin = world.state(rod).angular();
    run(&mut world, 1.0, H, |w| {
        let t = w.time() - 0.5;
        let parabola = x_0 + v_0 * t + w.gravity * (0.5 * t * (t + ahead));
        assert!((position(w, rod) - parabola).norm() < 1e-9, "off by {}", (position(w, rod) - parabola).norm());
        assert!(w.reaction(id).multipliers.is_empty());
    });
    assert!((world.state(rod).angular() - spin).norm() < 1e-9);
    // What is left is the parabola's own first-order term, ½ g² h t.
    assert!((world.energy() - energy).abs() < 0.51 * G * G * ahead + 1e-9, "{} J", world.energy() - energy);
}

/// A removed constraint has no rows; the others keep their numbers.
#[test]
fn removed_constraint_lets_go_and_the_others_stay() {
    let mut world = World::new();
    let bodies = [0.0, 1.0].map(|x| ball(&mut world, 1.0, v(x, 0., 0.)));
    let nails = [0, 1].map(|i| add(&mut world, Joint::nail(Anchor::centre(bodies[i]), v(i as Real, 0., 0.))));
    run(&mut world, 0.1, H, |_| ());
    assert!(world.remove_constraint(nails[0]).joint().is_some());
    run(&mut world, 0.5, H, |_| ());
    assert!(position(&world, bodies[0]).y < -1.0);
    assert!(position(&world, bodies[1]).y.abs() < 1e-9);
    assert!(world.reaction(nails[0]).multipliers.is_empty());
    assert_close("the other nail", world.reaction(nails[1]).multipliers[1], G, 1e-9);
}

/// Point-to-point plus two perpendicular rows is a hinge: rank 5, and the axis stays.
#[test]
fn hinge_put_together_has_rank_five() {
    let mut world = World::new();
    let blade = body(&mut world, MassProperties::cuboid(1.0, v(0.3, 0.1, 0.05)), at(0.3, 0., 0.));
    add(&mut world, Joint::nail(Anchor::on(blade, v(-0.3, 0., 0.)), v(0., 0., 0.)));
    for axis in [v(1., 0., 0.), v(0., 1., 0.)] {
        add(&mut world, Joint::perpendicular(None, v(0., 0., 1.), Some(blade), axis));
    }
    set_velocity(&mut world, blade, v(0., 0., 0.3), v(1., -1., 2.));
    run(&mut world, 10.0, H, |w| {
        let off = axis(w, blade, v(0., 0., 1.)).cross(&v(0., 0., 1.)).norm();
        assert!(off < 1e-6, "off the axis by {off}");
    });
    let diagnosis = world.diagnose();
    assert_eq!((diagnosis.rows, diagnosis.rank), (5, 5));
}

/// Isaac's Fig. 3.11: a hinge about z turns into one about y while the wheel is at 30°. x·Y starts at ½ and
/// follows [C₀ + (Ċ₀ + C₀/τ)t]e^(−t/τ).
#[test]
fn morphing_hinge_follows_the_decay_law() {
    let (tau, h) = (0.1, 1.0 / 2000.0);
    let mut world = World::new();
    let spin = 30f64.to_radians() / 0.5;
    let wheel = body(&mut world, MassProperties::cylinder(1.0, 0.3, 0.05), Placement::IDENTITY);
    add(&mut world, Joint::nail(Anchor::centre(wheel), v(0., 0., 0.)));
    let (x, y, z) = (v(1., 0., 0.), v(0., 1., 0.), v(0., 0., 1.));
    let mut perpendicular = |space, own, from, to| {
        let row = Joint::perpendicular(None, space, Some(wheel), own).responding(Response::Decay { tau });
        world.add_constraint(Constraint::new(row).during(from, to)).expect("valid")
    };
    perpendicular(z, x, 0.0, 0.5);
    perpendicular(z, y, 0.0, 0.5);
    perpendicular(y, x, 0.5, 5.0);
    perpendicular(y, z, 0.5, 5.0);
    set_velocity(&mut world, wheel, v(0., 0., 0.), z * spin);
    run(&mut world, 0.5, h, |_| ());
    let start = axis(&world, wheel, x).y;
    assert!((start - 0.5).abs() < 1e-6, "x·Y starts at {start}");
    let rate = spin * 30f64.to_radians().cos();
    run(&mut world, 1.2, h, |w| {
        let t = w.time() - 0.5;
        let law = (start + (rate + start / tau) * t) * (-t / tau).exp();
        let here = axis(w, wheel, x).y;
        assert!((here - law).abs() < 0.01 * start, "at {t}: {here}, law {law}");
    });
    assert!(axis(&world, wheel, x).y.abs() < 1e-3 && axis(&world, wheel, z).y.abs() < 1e-3);
}

/// A weld loses its elements one after the other while it runs, and gets them back.
#[test]
fn elements_come_and_go_while_the_world_runs() {
    let mut world = World::new();
    let arm = body(&mut world, MassProperties::cuboid(1.0, v(0.3, 0.1, 0.05)), at(0.3, 0., 0.));
    let weld = Joint::weld(None, Placement::IDENTITY, Some(arm), at(-0.3, 0., 0.));
    let id = add(&mut world, weld);
    run(&mut world, 0.5, H, |_| ());
    assert!((position(&world, arm) - v(0.3, 0., 0.)).norm() < 1e-6);
    assert_eq!(world.diagnose().rank, 6);
    // Without the turn about z it is a hinge.
    let joint = world.constraint_mut(id).joint_mut().expect("a joint");
    joint.drives.retain(|d| d.element != Element::Angular(Axis::Z));
    run(&mut world, 0.3, H, |_| ());
    assert_eq!(world.diagnose().rank, 5);
    let swung = axis(&world, arm, v(1., 0., 0.));
    assert!(swung.y < -0.2 && swung.z.abs() < 1e-6, "{swung}");
    // Welded again where it is, softly, then where it was.
    let joint = world.constraint_mut(id).joint_mut().expect("a joint");
    joint.drives.push(Drive {
        element: Element::Angular(Axis::Z),
        response: Response::Decay { tau: 0.05 },
        max_force: Real::INFINITY,
    });
    run(&mut world, 1.0, H, |_| ());
    assert!((axis(&world, arm, v(1., 0., 0.)) - v(1., 0., 0.)).norm() < 1e-4);
    assert_eq!(world.diagnose().rank, 6);
}

/// A body in two constraints of which one names a body that does not exist is refused by name.
#[test]
fn unknown_bodies_are_refused() {
    let mut world = World::new();
    let here = ball(&mut world, 1.0, v(0., 0., 0.));
    let mut other = World::new();
    let elsewhere = (0..3).map(|_| ball(&mut other, 1.0, v(0., 0., 0.))).last().expect("three bodies");
    let bar = Distance::bar(Anchor::centre(here), Anchor::centre(elsewhere), 1.0);
    let error = world.add_constraint(Constraint::new(bar).named("bar")).expect_err("body 2 is not here");
    assert!(error.to_string().contains("bar"), "{error}");
    // Geometry that is no numbers is refused too.
    let plane = Joint::point_on_plane(Anchor::world(v(0., 0., 0.)), v(0., 0., 0.), Anchor::centre(here));
    let error = world.add_constraint(Constraint::new(plane).named("ground")).expect_err("a normal of length 0");
    assert!(error.to_string().contains("ground"), "{error}");
}
