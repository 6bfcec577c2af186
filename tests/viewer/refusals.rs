//! What cannot be shown is said in a sentence, with exit code 2 and without a trace of a panic.

use super::support::{Folder, can_draw, data, text};
use std::process::Output;

fn assert_refused(output: &Output, words: &[&str]) {
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    for word in words {
        assert!(told.contains(word), "{word:?} is missing in\n{told}");
    }
    assert!(!told.contains("panicked"), "{told}");
}

#[test]
fn without_a_display_there_is_no_window() {
    if can_draw() {
        let folder = Folder::new();
        assert_refused(&folder.view(&[&data("clips/walk.bvh")]), &["no window can be opened", "-o picture.png"]);
    }
}

/// A display that is named but not there fails inside the window library, which would end the program by itself.
#[test]
fn a_display_that_is_not_there_is_no_panic() {
    if can_draw() {
        let folder = Folder::new();
        let output = folder.command(&[&data("clips/walk.bvh")]).env("DISPLAY", ":4711").output().expect("it runs");
        assert_refused(&output, &["no window can be opened", "the display :4711 does not answer"]);
        assert!(!text(&output.stderr).contains(".rs"), "{}", text(&output.stderr));
    }
}

/// The drivers are hidden from the loaders of Vulkan and EGL.
#[test]
fn without_a_driver_nothing_is_drawn() {
    let folder = Folder::new();
    let mut command = folder.command(&[&data("clips/walk.bvh"), "-o", "walk.png"]);
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES"] {
        command.env(variable, "/nowhere/driver.json");
    }
    let output = command.env("EGL_PLATFORM", "nowhere").output().expect("it runs");
    assert_refused(&output, &["nothing here can draw", "mesa-vulkan-drivers"]);
    assert!(folder.files().is_empty(), "{:?}", folder.files());
}

#[test]
fn files_that_cannot_be_shown_are_refused() {
    let folder = Folder::new();
    assert_refused(&folder.view(&["nowhere.bvh", "-o", "a.png"]), &["nowhere.bvh", "there is no such file"]);
    std::fs::write(folder.path("torn.bvh"), "HIERARCHY\nROOT Hips\n{\n").expect("written");
    assert_refused(&folder.view(&["torn.bvh", "-o", "a.png"]), &["torn.bvh"]);
    std::fs::write(folder.path("odd.xyz"), "?").expect("written");
    assert_refused(&folder.view(&["odd.xyz", "-o", "a.png"]), &["odd.xyz"]);
    // A cube: a mesh, but neither joints nor a skin.
    let cube = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"name":"cube"}]}"#;
    std::fs::write(folder.path("cube.gltf"), cube).expect("written");
    assert_refused(&folder.view(&["cube.gltf", "-o", "a.png"]), &["cube.gltf"]);
    assert!(!folder.files().contains(&"a.png".to_owned()));
}

#[test]
fn wrong_words_are_refused_with_the_right_ones() {
    let folder = Folder::new();
    let walk = data("clips/walk.bvh");
    assert_refused(&folder.view(&[&walk, "-o", "a.png", "--layers", "meshes"]), &["meshes", "did you mean mesh?"]);
    assert_refused(&folder.view(&[&walk, "-o", "a.png", "--camera", "sid"]), &["did you mean side?"]);
    assert_refused(&folder.view(&[&walk, "-o", "a.bmp"]), &["neither a picture nor a video"]);
    assert_refused(&folder.view(&[&walk, "-o", "no/where/a.png"]), &["there is no folder"]);
    assert_refused(&folder.view(&[&walk, "-o", "a.png", "--at", "99"]), &["behind the end"]);
    assert_refused(&folder.view(&[&walk, "-o", "a.png", "--size", "big"]), &["1280x800"]);
    assert_refused(&folder.view(&["-o", "a.png"]), &["nothing to draw"]);
}
