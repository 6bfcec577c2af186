//! Input that can be read only once.

use crate::{Desk, path_of, person_bvh};
use assert_cmd::Command;
use assert_cmd::assert::Assert;

fn piped(desk: &Desk, input: Vec<u8>, output: &str) -> Assert {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command
        .current_dir(desk.0.path())
        .args(["convert", "/dev/stdin", "-o", output, "--force"])
        .write_stdin(input)
        .assert()
}

#[test]
fn a_pipe_is_read_like_the_file_that_is_in_it() {
    let desk = Desk::new();
    // Longer than what a pipe holds at once.
    let walk = desk.put("walk.bvh", person_bvh(600));
    for kind in ["glb", "gltf", "bvh"] {
        piped(&desk, std::fs::read(&walk).unwrap(), &format!("first.{kind}")).success();
        let first = std::fs::read(desk.path(&format!("first.{kind}"))).unwrap();
        piped(&desk, first, "second.bvh").success();
        let (ours, theirs) = (path_of(&walk, "LeftHand"), path_of(&desk.path("second.bvh"), "LeftHand"));
        assert_eq!(ours.len(), theirs.len());
        assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).norm() < 1e-5), "{kind}");
    }
}

#[test]
fn a_pipe_with_something_else_in_it_is_refused_by_its_content() {
    for content in ["", "what is this?"] {
        let desk = Desk::new();
        let assert = piped(&desk, content.into(), "out.glb").failure();
        let told = crate::err(&assert);
        assert!(told.contains("does not begin like any file that sinew reads"), "{told}");
        assert!(desk.files().is_empty());
    }
}
