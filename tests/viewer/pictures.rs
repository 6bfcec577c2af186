//! Pictures without a display.

use super::support::{Folder, can_draw, data, text};
use image::RgbImage;

/// How many pixels differ clearly.
fn differing(a: &RgbImage, b: &RgbImage) -> usize {
    assert_eq!(a.dimensions(), b.dimensions());
    let far = |(p, q): (&image::Rgb<u8>, &image::Rgb<u8>)| p.0.iter().zip(q.0).any(|(x, y)| x.abs_diff(y) > 24);
    a.pixels().zip(b.pixels()).filter(|pair| far(*pair)).count()
}

fn drawn(folder: &Folder, arguments: &[&str]) {
    let output = folder.view(arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// The camera frames the figure: it covers a good part of the picture and leaves its border free.
#[test]
fn a_character_stands_in_the_middle_of_its_picture() {
    if !can_draw() {
        return;
    }
    let folder = Folder::new();
    let actor = data("characters/actor.glb");
    drawn(&folder, &[&actor, "-o", "actor.png", "--size", "240x240", "--plain", "--layers", "mesh"]);
    drawn(&folder, &[&actor, "-o", "empty.png", "--size", "240x240", "--plain", "--layers", "none"]);
    let (actor, empty) = (folder.picture("actor.png"), folder.picture("empty.png"));
    let covered = differing(&actor, &empty) as f64 / (240.0 * 240.0);
    assert!((0.05..0.6).contains(&covered), "{covered}");
    let tall = (0..240).filter(|y| (0..240).any(|x| actor.get_pixel(x, *y) != empty.get_pixel(x, *y))).count();
    assert!((140..239).contains(&tall), "{tall} rows");
}

/// Same input, same pixels; and a walk moves.
#[test]
fn frames_follow_each_other_and_come_out_the_same_again() {
    if !can_draw() {
        return;
    }
    let folder = Folder::new();
    let walk = data("clips/walk.bvh");
    for name in ["once.png", "again.png"] {
        let arguments = ["--frames", "3", "--fps", "10", "--size", "160x120", "--camera", "side", "--simulate"];
        drawn(&folder, &[&[walk.as_str(), "-o", name], &arguments[..]].concat());
    }
    let all = ["again_0001.png", "again_0002.png", "again_0003.png", "once_0001.png", "once_0002.png", "once_0003.png"];
    assert_eq!(folder.files(), all);
    for number in 1..=3 {
        let [once, again] = ["once", "again"].map(|name| folder.picture(&format!("{name}_000{number}.png")));
        assert_eq!(differing(&once, &again), 0, "frame {number}");
    }
    assert!(differing(&folder.picture("once_0001.png"), &folder.picture("once_0003.png")) > 100);
}

/// Every kind of input and every layer gets as far as a picture.
#[test]
fn scenes_and_all_layers_are_drawn() {
    if !can_draw() {
        return;
    }
    let folder = Folder::new();
    let arguments = ["--size", "160x120", "--layers", "all", "--frames", "2", "--simulate"];
    for (input, name) in [("falling_objects", "scene.png"), (&data("clips/jump.bvh"), "clip.png")] {
        drawn(&folder, &[&[input, "-o", name], &arguments[..]].concat());
    }
    assert_eq!(folder.files().len(), 4);
}

#[test]
fn ffmpeg_writes_videos() {
    // Optional for users, so it is for the tests.
    if !can_draw() || !sinew::viewer::has_ffmpeg() {
        return println!("skipped: ffmpeg is not installed");
    }
    let folder = Folder::new();
    drawn(&folder, &[&data("clips/walk.bvh"), "-o", "walk.mp4", "--frames", "4", "--size", "161x121"]);
    assert_eq!(folder.files(), ["walk.mp4"]);
    let bytes = std::fs::read(folder.path("walk.mp4")).expect("the video is there");
    assert_eq!(&bytes[4..8], b"ftyp", "it is no MP4");
}
