//! A picture costs no memory once its lists have grown.

mod counting;

use counting::allocations;
use sinew::show::{Action, Layers, OpenOptions, Picture, Workspace};

#[test]
fn painting_allocates_nothing_once_the_lists_have_grown() {
    for (file, live) in [("clips/walk.bvh", false), ("characters/actor.glb", false), ("characters/actor.glb", true)] {
        let path = format!("{}/data/{file}", env!("CARGO_MANIFEST_DIR"));
        let options = OpenOptions { step_budget: f64::INFINITY, ..OpenOptions::default() };
        let mut workspace = Workspace::open(&[path.into()], &options).expect("it opens");
        workspace.act(Action::Live(live)).expect("physics");
        workspace.act(Action::Play).expect("it plays");
        let mut picture = Picture::default();
        // Onion skins of a run gather over 0.8 s.
        for _ in 0..60 {
            workspace.advance(1.0 / 60.0);
            workspace.paint(&Layers::ALL, &mut picture);
        }
        // Contacts come and go; room for a few more.
        picture.dots.reserve(100);
        picture.arrows.reserve(100);
        picture.arcs.reserve(100);
        picture.lines.reserve(100);
        let mut painting = 0;
        for _ in 0..30 {
            workspace.advance(1.0 / 60.0);
            let before = allocations().0;
            workspace.paint(&Layers::ALL, &mut picture);
            painting += allocations().0 - before;
        }
        assert_eq!(painting, 0, "{file}, live: {live}");
    }
}
