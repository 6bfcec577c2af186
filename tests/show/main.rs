//! The model behind the window, without any window: everything a person can do there, done here.

#![allow(clippy::disallowed_methods)] // Expectations are computed with the functions of the system.

mod files;
mod links;
mod live;
mod out;
mod playback;
mod skins;

use sinew::show::{Action, Layers, OpenOptions, Picture, Workspace};
use std::path::PathBuf;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

/// Opens files and waits for physics as long as it takes, so that a loaded machine sees the same as a quick one.
fn opened(names: &[&str]) -> Workspace {
    let paths: Vec<PathBuf> = names.iter().map(|name| data(name)).collect();
    Workspace::open(&paths, &patient()).expect("the files open")
}

fn patient() -> OpenOptions {
    OpenOptions { step_budget: f64::INFINITY, ..OpenOptions::default() }
}

fn act(workspace: &mut Workspace, action: Action) {
    workspace.act(action.clone()).unwrap_or_else(|why| panic!("{action:?}: {why}"));
}

fn painted(workspace: &Workspace, layers: &Layers) -> Picture {
    let mut picture = Picture::default();
    workspace.paint(layers, &mut picture);
    picture
}

/// Steps with physics on for so many seconds.
fn pass(workspace: &mut Workspace, seconds: f64) {
    let end = workspace.status().time + seconds;
    while workspace.status().time < end - 1e-9 {
        act(workspace, Action::StepForward);
    }
}

/// Steps with physics on.
fn step(workspace: &mut Workspace, steps: usize) {
    (0..steps).for_each(|_| act(workspace, Action::StepForward));
}
