//! Open linkages: the same motion whatever the order of elimination.

use super::scenes::*;
use sinew_dynamics::{Body, BodyId, Joint, MassProperties, Ode, Placement, Stepper, World};
use sinew_dynamics::{Real, Vec3};

/// A 10 × 1 × 0.5 m box of mass 1, as in Schröder 1990, §7.2.
fn beam() -> MassProperties {
    MassProperties::new(1.0, v(0.104_167, 8.354_17, 8.416_67))
}

/// Three beams hinged 4 m from their centres, in line along x; the +x one turns about its hinge at 0.1 rad/s. `order` says in
/// which order they are added, and so where the solver's tree has its root.
fn three_bars(order: [usize; 3], idle: bool) -> (World, [BodyId; 3]) {
    let mut world = space(rk4());
    let mut ids = [None; 3];
    for i in order {
        let mut bar = Body::dynamic(format!("bar {i}"), beam(), at(8.0 * i as Real, 0.0, 0.0));
        if i == 2 {
            bar = bar.with_velocity(v(0.0, 0.4, 0.0), v(0.0, 0.0, 0.1));
        }
        ids[i] = Some(world.add_body(bar).unwrap());
    }
    if idle {
        add(&mut world, "idle", beam(), at(0.0, 50.0, 0.0));
    }
    let ids = ids.map(|id| id.expect("each bar is in the order"));
    for pair in [(0, 1), (1, 2)] {
        join(&mut world, Joint::hinge(Some(ids[pair.0]), at(4.0, 0.0, 0.0), Some(ids[pair.1]), at(-4.0, 0.0, 0.0)));
    }
    (world, ids)
}

/// The middle beam at 1 s and 10 s, by a high-accuracy integration of the planar equations: ω = 3.19274e-4,
/// v = (1.326665e-2, 9.19491e-4), and ω = 2.0443e-2, v = (9.2661e-2, 6.1737e-2). The same from every root, and with an idle body.
#[test]
fn three_bar_linkage_moves_alike_from_every_root() {
    let mut seen = Vec::new();
    for (order, idle) in [([0, 1, 2], false), ([2, 1, 0], false), ([1, 0, 2], false), ([1, 2, 0], true)] {
        let (mut world, ids) = three_bars(order, idle);
        run(&mut world, 1.0, 0.02, |_| ());
        let state = *world.state(ids[1]);
        close(state.angular().z, 3.192_74e-4, 1e-3);
        close(state.linear().x, 1.326_665e-2, 1e-3);
        close(state.linear().y, 9.194_91e-4, 1e-3);
        seen.push(state);
        run(&mut world, 9.0, 0.02, |_| ());
        let state = world.state(ids[1]);
        close(state.angular().z, 2.0443e-2, 5e-3);
        close(state.linear().x, 9.2661e-2, 5e-3);
        close(state.linear().y, 6.1737e-2, 5e-3);
    }
    for pair in seen.windows(2) {
        small((pair[0].velocity - pair[1].velocity).norm(), 1e-8);
    }
}

/// Nine undamped minutes neither gain nor lose energy.
#[test]
fn three_bar_linkage_keeps_its_energy_for_nine_minutes() {
    let (mut world, _) = three_bars([0, 1, 2], false);
    let energy = world.energy();
    run(&mut world, 540.0, 0.1, |_| ());
    close(world.energy(), energy, 1e-4);
}

/// Four beams in line, the first one welded to the world, a couple on the second. `reversed` adds them the other way round.
fn nailed_bars(stabilisation: Option<Real>, reversed: bool) -> (World, Vec<BodyId>) {
    let mut world = space(Stepper::Ode(Ode { stabilisation, ..Ode::default() }));
    let mut order: Vec<usize> = (0..4).collect();
    if reversed {
        order.reverse();
    }
    let mut ids = vec![None; 4];
    for i in order {
        ids[i] = Some(add(&mut world, &format!("bar {i}"), beam(), at(8.0 * i as Real, 0.0, 0.0)));
    }
    let ids: Vec<BodyId> = ids.into_iter().flatten().collect();
    join(&mut world, Joint::weld(None, Placement::IDENTITY, Some(ids[0]), Placement::IDENTITY));
    for i in 0..3 {
        let (a, b) = if reversed { (i + 1, i) } else { (i, i + 1) };
        let side = if reversed { -4.0 } else { 4.0 };
        join(&mut world, Joint::hinge(Some(ids[a]), at(side, 0.0, 0.0), Some(ids[b]), at(-side, 0.0, 0.0)));
    }
    (world, ids)
}

fn pushed(world: &mut World, ids: &[BodyId]) -> Vec<Vec3> {
    for _ in 0..750 {
        world.apply(ids[1], Vec3::zeros(), v(0.0, 0.0, 1.0)).unwrap();
        world.step(0.02).unwrap();
    }
    ids.iter().map(|&id| position(world, id)).collect()
}

/// A linkage nailed by one end: fifteen seconds of motion leave the nailed beam where it was, and it makes no difference
/// whether that end is the root or the tip.
#[test]
fn nailed_linkage_stays_nailed_from_root_or_tip() {
    let (mut world, ids) = nailed_bars(None, false);
    let moved = pushed(&mut world, &ids);
    small(moved[0].norm(), 2e-2);
    let (mut world, ids) = nailed_bars(Some(0.2), false);
    let as_root = pushed(&mut world, &ids);
    small(as_root[0].norm(), 1e-5);
    assert!((as_root[3] - v(24.0, 0.0, 0.0)).norm() > 1.0, "it does move");
    let (mut world, ids) = nailed_bars(Some(0.2), true);
    let as_tip = pushed(&mut world, &ids);
    for (a, b) in as_root.iter().zip(&as_tip) {
        small((a - b).norm(), 1e-6);
    }
}
