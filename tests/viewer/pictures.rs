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

/// One row a file, one column a moment, two pixels between them; and nothing is printed by libraries that look for a display.
#[test]
fn a_contact_sheet_has_a_row_for_each_file() {
    if !can_draw() {
        return;
    }
    let folder = Folder::new();
    let (walk, dog) = (data("clips/walk.bvh"), data("clips/dog_walk.bvh"));
    let arguments = [&walk, &dog, "-o", "sheet.png", "--times", "3", "--size", "100x120", "--layers", "mannequin"];
    let output = folder.command(&arguments).env_remove("XDG_RUNTIME_DIR").output().expect("it runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    let sheet = folder.picture("sheet.png");
    assert_eq!(sheet.dimensions(), (304, 242));
    let tile = |x: u32, y: u32| image::imageops::crop_imm(&sheet, 102 * x, 122 * y, 100, 100).to_image();
    assert!(differing(&tile(0, 0), &tile(1, 0)) > 100, "a walk moves");
    assert!(differing(&tile(0, 0), &tile(0, 1)) > 500, "a dog is no man");
}

/// A walker of 2 s stays in the picture: small in one that holds the whole way, in the middle of one that follows.
#[test]
fn films_hold_the_whole_motion_or_follow_it() {
    if !can_draw() {
        return;
    }
    let folder = Folder::new();
    let walk = data("clips/walk.bvh");
    let arguments = ["--frames", "2", "--fps", "0.5", "--size", "160x120", "--plain", "--camera", "side"];
    let drawn_in = |name: &str, more: &[&str]| {
        drawn(&folder, &[&[walk.as_str(), "-o", name], &arguments[..], more].concat());
        let [first, last] = [1, 2].map(|k| folder.picture(&name.replace(".png", &format!("_000{k}.png"))));
        // Saturated pixels are those of the limbs.
        let limbs = |picture: &RgbImage| -> Vec<u32> {
            let colorful = |p: &image::Rgb<u8>| p.0.iter().max().unwrap() - p.0.iter().min().unwrap() > 70;
            picture.enumerate_pixels().filter(|(_, _, p)| colorful(p)).map(|(x, ..)| x).collect()
        };
        [limbs(&first), limbs(&last)].map(|xs| {
            assert!(xs.len() > 20, "{name}: {} pixels of limbs", xs.len());
            xs.iter().sum::<u32>() as f64 / xs.len() as f64
        })
    };
    let [start, end] = drawn_in("held.png", &[]);
    assert!((start - end).abs() > 30.0, "the camera stands still: {start} {end}");
    for at in drawn_in("followed.png", &["--follow"]) {
        assert!((at - 80.0).abs() < 20.0, "the body is in the middle: {at}");
    }
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
