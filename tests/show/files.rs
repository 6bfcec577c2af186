//! Whatever is opened.

use super::{act, data, painted, patient};
use sinew::scene::gallery;
use sinew::show::{Action, Layers, Workspace};
use std::path::{Path, PathBuf};

/// Opens something, looks at it, lets it run a little with physics, and looks again.
fn visit(path: &Path) {
    let name = path.display();
    let mut workspace =
        Workspace::open(&[path.to_path_buf()], &patient()).unwrap_or_else(|error| panic!("{name}: {error}"));
    act(&mut workspace, Action::Play);
    workspace.advance(0.05);
    let looked = |workspace: &Workspace| {
        let picture = painted(workspace, &Layers::ALL);
        let seen = picture.solids.len() + picture.skins.len() + picture.lines.len();
        assert!(seen > 0, "{name}: nothing to be seen");
        let finite = picture.solids.iter().all(|solid| solid.placement.position.iter().all(|x| x.is_finite()));
        assert!(finite, "{name}");
        let meshes = workspace.meshes().len();
        assert!(picture.solids.iter().all(|solid| solid.mesh.0 < meshes), "{name}");
        let (low, high) = workspace.bounds();
        assert!((high - low).iter().all(|x| *x >= 0.0 && x.is_finite()), "{name}: {low} {high}");
    };
    looked(&workspace);
    act(&mut workspace, Action::Live(true));
    workspace.advance(0.05);
    assert!(workspace.status().failure.is_none(), "{name}: {:?}", workspace.status().failure);
    looked(&workspace);
}

fn all_in(folder: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(data(folder)).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_none_or(|e| e != "wav")).collect();
    files.sort();
    files
}

#[test]
fn every_built_in_file_opens_moves_and_is_painted() {
    ["clips", "damaged", "characters", "figures"]
        .iter()
        .flat_map(|folder| all_in(folder))
        .for_each(|path| visit(&path));
}

#[test]
fn every_built_in_scene_opens_moves_and_is_painted() {
    gallery::ALL.iter().for_each(|entry| visit(Path::new(entry.name)));
}

fn refusal(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    let error = Workspace::open(&[path], &patient()).err().unwrap_or_else(|| panic!("{name} opens"));
    error.to_string()
}

#[test]
fn broken_files_are_refused_with_their_name_and_reason() {
    for (name, bytes, reason) in [
        ("cut.bvh", &b"HIERARCHY\nROOT hips\n{\n"[..], "cut.bvh"),
        ("cut.glb", &b"glTF\x02\0\0\0\xff\xff\0\0"[..], "cut short"),
        ("bad.toml", &b"title = \n"[..], "bad.toml:1"),
        ("unknown.toml", &b"[[bodi]]\n"[..], "bodi"),
        ("notes.txt", &b"hello"[..], ".txt is not a kind of file"),
    ] {
        let told = refusal(name, bytes);
        assert!(told.contains(name) && told.contains(reason), "{name}: {told}");
    }
    let told = Workspace::open(&["nowhere.bvh".into()], &patient()).err().expect("no file").to_string();
    assert!(told.contains("nowhere.bvh"), "{told}");
}
