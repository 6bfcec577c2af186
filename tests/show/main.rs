//! The model behind the window, without any window: everything a person can do there, done here.

mod files;
mod live;
mod out;
mod playback;
mod skins;
mod ties;

use sinew::show::{Action, Layers, OpenOptions, Picture, Show};
use std::path::PathBuf;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

/// Opens files and waits for physics as long as it takes, so that a loaded machine sees the same as a quick one.
fn opened(names: &[&str]) -> Show {
    let paths: Vec<PathBuf> = names.iter().map(|name| data(name)).collect();
    Show::open(&paths, &patient()).expect("the files open")
}

fn patient() -> OpenOptions {
    OpenOptions { patience: f64::INFINITY, ..OpenOptions::default() }
}

fn act(show: &mut Show, action: Action) {
    show.act(action.clone()).unwrap_or_else(|why| panic!("{action:?}: {why}"));
}

fn painted(show: &Show, layers: &Layers) -> Picture {
    let mut picture = Picture::default();
    show.paint(layers, &mut picture);
    picture
}

/// Steps with physics on for so many seconds.
fn pass(show: &mut Show, seconds: f64) {
    let end = show.status().time + seconds;
    while show.status().time < end - 1e-9 {
        act(show, Action::StepForward);
    }
}

/// Steps with physics on.
fn step(show: &mut Show, steps: usize) {
    (0..steps).for_each(|_| act(show, Action::StepForward));
}
