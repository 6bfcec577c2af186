//! Ground that is not level: slopes, stairs, the fixed things of a world.

use crate::Take;
use sinew::control::Terrain;
use sinew::dynamics::{Body, Collider, Placement, Shape, World};
use sinew::filter::{FilterOptions, Filtered, PrepareError, PrepareOptions, Scenery};
use sinew::{Real, Vec3};

/// Newton and Euler: all of the wrench that the motion asks for comes from the ground, but for 0.002 body weights on average and
/// 0.05 at most. The poses are those of the solver, the forces act on the ground, and nothing else does.
fn leaves_nothing_to_the_root(take: &Take, filtered: &Filtered) {
    let weight = take.figure.mass() * 9.81;
    let left: Vec<Real> = filtered.solved.residual.iter().map(|r| r.fixed_rows::<3>(0).norm() / weight).collect();
    let (mean, most) = (left.iter().sum::<Real>() / left.len() as Real, left.iter().copied().fold(0.0, Real::max));
    assert!(mean <= 0.002 && most <= 0.05, "mean {mean}, largest {most} body weights");
}

/// A walk carried to a slope of 6° stands on the slope, with the slope's normal.
#[test]
fn a_walk_is_carried_to_a_slope() {
    let take = Take::read("clips/walk.bvh");
    let angle = 6.0_f64.to_radians();
    let options = PrepareOptions { terrain: Terrain::Slope { angle }, ..Default::default() };
    let filtered = take.filter(FilterOptions { prepare: options, ..Default::default() }).expect("filters");
    assert!(
        filtered.preparation.mapped_to_terrain && !filtered.preparation.looped,
        "what ends higher up than it began is no loop"
    );
    leaves_nothing_to_the_root(&take, &filtered);
    let rise = filtered.plan.targets.iter().flatten().map(|pin| pin.place.y).fold(0.0, Real::max);
    assert!((rise - 4.0 * angle.tan()).abs() < 0.15, "climbs {rise} m");
    assert!(filtered.plan.targets.iter().flatten().all(|pin| (pin.normal.y - angle.cos()).abs() < 1e-9));
    let deepest = (0..take.clip.frames()).map(|t| {
        let placements = take.figure.placements(&filtered.clip.pose(take.figure.skeleton(), t));
        let corners = filtered.plan.corners.iter().map(|corner| {
            let segment = take.figure.segment(corner.segment);
            let at = placements[corner.segment].point(&(corner.local + segment.centre));
            filtered.plan.ground.under(&at).height - corner.radius
        });
        corners.fold(Real::INFINITY, Real::min)
    });
    let deepest = deepest.fold(Real::INFINITY, Real::min);
    assert!(deepest > -0.005, "{deepest} m in the slope");
}

/// A walk down stairs puts no corner of a planted foot over an edge.
#[test]
fn a_walk_is_carried_down_stairs() {
    let take = Take::read("clips/walk.bvh");
    let options = PrepareOptions { terrain: Terrain::STAIRS, ..Default::default() };
    let prepared = take.prepare(options).expect("prepares");
    let lowest = prepared.plan.targets.iter().flatten().map(|pin| pin.place.y).fold(0.0, Real::min);
    assert!(lowest < -1.0, "down to {lowest} m");
    for pins in &prepared.plan.targets {
        for pin in pins {
            assert!(prepared.plan.ground.under(&pin.place).height.abs() < 1e-9);
        }
    }
}

/// A floor, and a step of 15 cm from z = 1.3 m on, where a foot of the walk has room before it.
fn a_step() -> Scenery {
    let mut world = World::new();
    let floor = world.add_body(Body::fixed("floor", Placement::at(Vec3::zeros()))).expect("a floor");
    world.add_collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::y() })).expect("a plane");
    let step = world.add_body(Body::fixed("step", Placement::at(Vec3::new(0.0, 0.0, 6.3)))).expect("a step");
    let half_extents = Vec3::new(3.0, 0.15, 5.0);
    world.add_collider(step, Collider::new(Shape::Box { half_extents })).expect("a box");
    Scenery::of(&world).expect("fits").expect("something fixed")
}

/// A walk is carried up a step of a scene: feet stand on the floor before it and on its top behind it, nowhere else, and the ground
/// gives all forces.
#[test]
fn a_walk_is_carried_up_a_step_of_a_scene() {
    let take = Take::read("clips/walk.bvh");
    let scenery = a_step();
    let options = PrepareOptions { scenery: Some(&scenery), ..Default::default() };
    let filtered = take.filter(FilterOptions { prepare: options, ..Default::default() }).expect("filters");
    assert!(filtered.preparation.mapped_to_terrain && !filtered.preparation.looped);
    for pin in filtered.plan.targets.iter().flatten() {
        let expected = if pin.place.z < 1.3 { 0.0 } else { 0.15 };
        assert!((pin.place.y - expected).abs() < 1e-9, "stands at {}", pin.place);
    }
    let tops = filtered.plan.targets.iter().flatten().filter(|pin| pin.place.y > 0.1).count();
    assert!(tops > 100, "{tops} pins on the step");
    leaves_nothing_to_the_root(&take, &filtered);
}

/// What was captured on the ground of a scene is not carried, only put down on it.
#[test]
fn a_walk_on_the_floor_of_a_scene_is_a_walk() {
    let take = Take::read("clips/walk.bvh");
    let mut world = World::new();
    let floor = world.add_body(Body::fixed("floor", Placement::at(Vec3::y() * -0.3))).expect("a floor");
    world.add_collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::y() })).expect("a plane");
    let scenery = Scenery::of(&world).expect("fits").expect("something fixed");
    let prepared = take.prepare(PrepareOptions { scenery: Some(&scenery), ..Default::default() }).expect("prepares");
    assert!(!prepared.preparation.mapped_to_terrain && (prepared.preparation.repairs.lift + 0.3).abs() < 5e-3);
    assert!(prepared.plan.targets.iter().flatten().all(|pin| (pin.place.y + 0.3).abs() < 1e-9));
    assert!(prepared.plan.targets.iter().all(|pins| !pins.is_empty()), "whoever walks always stands");
}

/// A loop that ends higher up than it began cannot be closed.
#[test]
fn a_loop_uphill_is_refused() {
    let take = Take::read("clips/walk.bvh");
    let terrain = Terrain::Slope { angle: 0.1 };
    let error = take.prepare(PrepareOptions { terrain, looped: Some(true), ..Default::default() }).err();
    assert_eq!(error, Some(PrepareError::LoopUphill));
}
