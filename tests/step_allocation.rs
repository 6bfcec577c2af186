//! A steady step allocates nothing: the workspaces have grown, the topology stays.

use sinew::dynamics::{Axis, Body, Constraint, Element, Joint, MassProperties, Placement, Response, World};
use sinew::{Quat, Real, Vec3};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A zigzag of motorised links whose far end is tied back to the world, so that trees, saturating motors and a loop
/// closure all take part.
fn chain(links: usize) -> World {
    let mut world = World::new();
    let end = |x: Real| Placement::at(Vec3::new(x, 0.0, 0.0));
    let mut joint_at = Vec3::zeros();
    let mut parent = None;
    for index in 0..links {
        let turn = Quat::from_axis_angle(&Vec3::z_axis(), if index % 2 == 0 { 0.5 } else { -0.5 });
        let along = turn * Vec3::new(0.3, 0.0, 0.0);
        let at = Placement::new(joint_at + along / 2.0, turn);
        let link = Body::dynamic(format!("link {index}"), MassProperties::capsule(1.0, 0.03, 0.12), at);
        let link = world.add_body(link).expect("a sound body");
        let from = if parent.is_some() { end(0.15) } else { Placement::IDENTITY };
        let mut joint = Joint::ball(parent, from, Some(link), end(-0.15));
        for axis in Axis::ALL {
            let motor = Response::Spring { stiffness: 20.0, damping: 1.0 };
            joint = joint.driven(Element::Angular(axis), motor, if index % 3 == 0 { 2.0 } else { Real::INFINITY });
        }
        world.add_constraint(Constraint::new(joint)).expect("a sound joint");
        joint_at += along;
        parent = Some(link);
    }
    let tie = Joint::ball(None, Placement::at(joint_at), parent, end(0.15));
    world.add_constraint(Constraint::new(tie)).expect("a sound joint");
    world
}

#[test]
fn a_steady_step_allocates_nothing() {
    let mut world = chain(24);
    for _ in 0..240 {
        world.step(1.0 / 240.0).expect("a finite step");
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for _ in 0..240 {
        world.step(1.0 / 240.0).expect("a finite step");
    }
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
}
