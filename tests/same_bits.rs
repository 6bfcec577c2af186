//! Results have the same bits on every processor: none of them depends on the path that the C library takes, nor on the
//! width of vectors. `.ci/run` runs the same commands on an emulated processor of 2008.

use sinew::figure::{Figure, FigureOptions};
use sinew::filter::{Filter, FilterOptions};
use sinew::formats::{self, ImportOptions};
use sinew::scene::{Files, SceneRun};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::process::Command;

/// Commands whose output is compared: a machine that amplifies the last bit, contacts, a tracked walk, the filter, a
/// retargeted clip.
const COMMANDS: [&[&str]; 5] = [
    &["run", "space_station", "--record", "out.json"],
    &["run", "card_house", "--record", "out.json"],
    &["simulate", "data/clips/walk.bvh", "--for", "1", "--record", "out.json"],
    &["filter", "data/damaged/walk_skating.bvh", "-o", "out.bvh"],
    &["retarget", "data/clips/turn.bvh", "--to", "data/characters/heavy.glb", "-o", "out.bvh"],
];

/// Runs a command in a new folder and returns what it wrote.
fn output(words: &[&str], tunables: Option<&str>) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let data = Path::new(env!("CARGO_MANIFEST_DIR"));
    let word = |word: &&str| if word.starts_with("data/") { data.join(word) } else { word.into() };
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command.current_dir(folder.path()).args(words.iter().map(word));
    if let Some(tunables) = tunables {
        command.env("GLIBC_TUNABLES", tunables);
    }
    let run = command.output().expect("runs");
    assert!(run.status.success(), "{words:?}: {}", String::from_utf8_lossy(&run.stderr));
    let written = words.iter().find(|word| word.starts_with("out.")).expect("an output");
    std::fs::read(folder.path().join(written)).expect("is written")
}

/// glibc has other sines and powers for processors without fused multiplication; no result may come from them.
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
#[test]
fn results_do_not_depend_on_the_elementary_functions_of_the_c_library() {
    for words in COMMANDS {
        let as_it_is = output(words, None);
        let other = output(words, Some("glibc.cpu.hwcaps=-FMA,-AVX2,-AVX,-FMA4"));
        assert!(as_it_is == other, "{words:?}");
    }
}

fn scene_hash(name: &str) -> u64 {
    let files = Files::open(Path::new(name)).expect("a built-in scene");
    let mut run = SceneRun::new(files, Some(1.0)).expect("a scene");
    while !run.is_over() {
        run.step().expect("a step");
    }
    run.world().state_hash()
}

fn filter_hash(clip: &str) -> u64 {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(clip);
    let capture = formats::read(&file, &ImportOptions::default()).expect("a clip");
    let clip = &capture.clips[0];
    let options = FigureOptions { clip: Some(clip), ..FigureOptions::default() };
    let figure = Figure::build(&capture.skeleton, &options).expect("a figure");
    let filtered = Filter { figure: &figure, clip, options: FilterOptions::default() };
    let filtered = filtered.run(&mut |_| true).expect("a result").clip;
    let mut hasher = DefaultHasher::new();
    for frame in 0..filtered.frames() {
        let rotations = filtered.rotations(frame).iter().flat_map(|q| q.coords.iter());
        rotations.for_each(|part| part.to_bits().hash(&mut hasher));
    }
    hasher.finish()
}

/// Every kernel that has code for wide vectors, by the runs that go through it:
///
/// | kernel | run |
/// |---|---|
/// | step of an island, factorisation of the tree, sweep over the tree | all scenes |
/// | auxiliary rows, relaxation of contacts | contacts, loops |
/// | aiming of an actor | the tracked walk |
/// | forward and backward substitution, dense product | the filter |
#[test]
fn wide_and_plain_code_give_the_same_bits_in_every_kernel() {
    let all = || {
        let scenes = ["card_house", "falling_objects", "umbrella", "combined_animation", "space_station"];
        let hashes: Vec<u64> = scenes.iter().map(|name| scene_hash(name)).collect();
        (hashes, filter_hash("data/damaged/walk_skating.bvh"))
    };
    let wide = all();
    sinew::math::use_wide_vectors(false);
    let plain = all();
    sinew::math::use_wide_vectors(true);
    assert_eq!(wide, plain);
}
