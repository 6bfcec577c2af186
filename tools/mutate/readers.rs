//! Readers of the project as functions of bytes, with small valid inputs of each.
//!
//! The mutation program, its short slice in `cargo test` and the targets of `fuzz/` share this file. A reader may refuse, and
//! must not panic. What it accepts is used: what was read can be written, and what was written can be read.

use sinew::figure::{Figure, FigureOptions};
use sinew::filter::{ContactList, Prepare};
use sinew::formats::{Capture, ExportOptions, ImportOptions, asf, bvh, gltf};
use sinew::motion::{Clip, Skeleton};
use sinew::record::Recording;
use sinew::retarget::MapFile;
use sinew::scene::{Files, SceneRun, Sound, gallery};
use std::path::Path;
use std::sync::OnceLock;

/// A reader and what it reads.
pub struct Reader {
    /// Name, also of its fuzz target.
    pub name: &'static str,
    /// Reads bytes; panics on a fault of the project, never on one of the bytes.
    pub read: fn(&[u8]),
    /// Valid inputs to start from, at most some kilobytes each.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All readers.
pub const ALL: [Reader; 10] = [
    Reader { name: "bvh", read: read_bvh, seeds: || vec![walk().to_vec()] },
    Reader { name: "gltf", read: read_gltf, seeds: gltf_seeds },
    Reader { name: "asf", read: read_asf, seeds: || vec![ASF.into()] },
    Reader { name: "amc", read: read_amc, seeds: || vec![AMC.into()] },
    Reader { name: "scene", read: read_scene, seeds: scene_seeds },
    Reader { name: "figure", read: read_figure, seeds: || vec![body().figure.to_toml().into()] },
    Reader { name: "map", read: read_map, seeds: map_seeds },
    Reader { name: "contacts", read: read_contacts, seeds: contact_seeds },
    Reader { name: "recording", read: read_recording, seeds: recording_seeds },
    Reader { name: "wav", read: read_wav, seeds: wav_seeds },
];

/// The reader of this name.
#[allow(dead_code)]
pub fn named(name: &str) -> &'static Reader {
    ALL.iter().find(|reader| reader.name == name).expect("a reader of that name")
}

const ASF: &str = "# a body\n:version 1.10\n:name body\n:units\nmass 1.0\nlength 0.45\nangle deg\n:documentation\nsmall\n:root\n\
order TX TY TZ RX RY RZ\naxis XYZ\nposition 0 0 0\norientation 0 10 0\n:bonedata\nbegin\nid 1\nname lowerback\n\
direction 0.0 1.0 0.0\nlength 2.05\naxis 0 0 20 XYZ\ndof rx ry rz\nlimits (-20.0 45.0)\n(-30.0 30.0)\n(-30.0 30.0)\nend\n\
begin\nid 2\nname head\ndirection 0.1 1.0 0.0\nlength 1.5\naxis 0 30 0 XYZ\ndof rx\nlimits (-20.0 45.0)\nend\n\
:hierarchy\nbegin\nroot lowerback\nlowerback head\nend\n";

const AMC: &str = "#!OML:ASF a.asf\n:FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 17.2 0 1 2 3\nlowerback 1.5 -2 0.3\nhead 4\n\
2\nroot 0.1 17.1 0 1 2.5 3\nlowerback 1.6 -2.1 0.2\nhead 4.5\n3\nroot 0.2 17.0 0 1 3 3\nlowerback 1.7 -2.2 0.1\nhead 5\n";

/// A person with a figure, for texts that are about one.
struct Person {
    skeleton: Skeleton,
    clip: Clip,
    figure: Figure,
    features: Vec<String>,
}

/// The first frames of the built-in walk, as a file.
fn walk() -> &'static [u8] {
    static WALK: OnceLock<Vec<u8>> = OnceLock::new();
    WALK.get_or_init(|| {
        let text = String::from_utf8_lossy(include_bytes!("../../data/clips/walk.bvh")).into_owned();
        let (hierarchy, motion) = text.split_once("MOTION").expect("a motion block");
        let mut lines = motion.lines().skip(2);
        let time = lines.next().expect("a frame time");
        let rows: Vec<&str> = lines.take(4).collect();
        format!("{hierarchy}MOTION\nFrames: {}\n{time}\n{}\n", rows.len(), rows.join("\n")).into_bytes()
    })
}

fn body() -> &'static Person {
    static BODY: OnceLock<Person> = OnceLock::new();
    BODY.get_or_init(|| {
        let mut capture = bvh::read(walk(), &ImportOptions::default()).expect("the built-in walk");
        let clip = capture.clips.swap_remove(0);
        let options = FigureOptions { clip: Some(&clip), ..FigureOptions::default() };
        let figure = Figure::build(&capture.skeleton, &options).expect("a figure");
        let features = Prepare::feature_names(&figure);
        Person { skeleton: capture.skeleton, clip, figure, features }
    })
}

fn without_files(_: &str) -> Result<Vec<u8>, String> {
    Err("is not there".to_owned())
}

/// Writes what was read and reads it again.
fn use_capture(capture: &Capture) {
    let options = ExportOptions::default();
    // A capture may have what a format cannot hold; the writer then says so.
    if let Ok(bytes) = gltf::write_glb(capture, &options)
        && let Err(error) = gltf::read(&bytes, &without_files, &ImportOptions::default())
    {
        panic!("a GLB that was written cannot be read: {error}");
    }
    let finite =
        |clip: &Clip| (0..clip.frames()).all(|f| clip.rotations(f).iter().all(|q| q.coords.amax().is_finite()));
    assert!(capture.clips.iter().all(finite), "a clip that is not finite was read");
    if let Ok(bytes) = bvh::write(capture, &options) {
        // The unit that was read is told: what is guessed from a damaged body may be another.
        let told = ImportOptions { unit: Some(capture.report.unit), ..ImportOptions::default() };
        let unit = if capture.report.format == sinew::formats::Format::Bvh {
            told
        } else {
            ImportOptions { unit: Some(sinew::formats::Unit::CENTIMETRE), ..ImportOptions::default() }
        };
        if let Err(error) = bvh::read(&bytes, &unit) {
            panic!("a BVH that was written cannot be read: {error}");
        }
    }
}

fn read_bvh(bytes: &[u8]) {
    for keep_complete in [false, true] {
        if let Ok(capture) = bvh::read(bytes, &ImportOptions { keep_complete, ..ImportOptions::default() }) {
            use_capture(&capture);
            break;
        }
    }
}

fn read_gltf(bytes: &[u8]) {
    if let Ok(capture) = gltf::read(bytes, &without_files, &ImportOptions::default()) {
        use_capture(&capture);
    }
}

fn read_asf(bytes: &[u8]) {
    if let Ok(capture) = asf::read(bytes, Some(("clip", AMC.as_bytes())), &ImportOptions::default()) {
        use_capture(&capture);
    }
}

fn read_amc(bytes: &[u8]) {
    let options = ImportOptions { keep_complete: true, ..ImportOptions::default() };
    if let Ok(capture) = asf::read(ASF.as_bytes(), Some(("clip", bytes)), &options) {
        use_capture(&capture);
    }
}

/// The text of bytes; readers of settings get text, as their callers refuse anything else.
fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn read_scene(bytes: &[u8]) {
    if let Ok(files) = Files::read(&text(bytes), Path::new("scene.toml"), None) {
        let _ = SceneRun::new(files, Some(0.1));
    }
}

fn read_figure(bytes: &[u8]) {
    if let Ok(figure) = Figure::from_toml(&text(bytes), &body().skeleton) {
        let again = Figure::from_toml(&figure.to_toml(), &body().skeleton);
        assert!(again.is_ok(), "a figure that was written cannot be read: {}", again.expect_err("a fault"));
    }
}

fn read_map(bytes: &[u8]) {
    let _ = MapFile::read(&text(bytes), &body().skeleton, &body().skeleton);
}

fn read_contacts(bytes: &[u8]) {
    let Person { clip, features, .. } = body();
    let names: Vec<&str> = features.iter().map(String::as_str).collect();
    if let Ok(list) = ContactList::from_toml(&text(bytes), &names, clip.rate_hz(), 100) {
        assert!(list.features.iter().flat_map(|(_, runs)| runs).all(|run| run.start < run.end && run.end <= 100));
    }
}

fn read_recording(bytes: &[u8]) {
    let _ = Recording::read(bytes);
}

fn read_wav(bytes: &[u8]) {
    if let Ok(sound) = Sound::read(bytes) {
        let _ = sound.loudness(1.0);
    }
}

fn gltf_seeds() -> Vec<Vec<u8>> {
    let capture = bvh::read(walk(), &ImportOptions::default()).expect("the built-in walk");
    let options = ExportOptions::default();
    vec![gltf::write_glb(&capture, &options).expect("a GLB"), gltf::write_gltf(&capture, &options).expect("a glTF")]
}

fn scene_seeds() -> Vec<Vec<u8>> {
    // Scenes with captures cost a figure each; a few of them are enough.
    let is_light = |text: &&str| !text.contains("[[figure]]");
    let texts: Vec<&str> = gallery::ALL.iter().map(|entry| entry.text).collect();
    let light = texts.iter().copied().filter(is_light);
    let heavy = texts.iter().copied().filter(|text| !is_light(text)).take(2);
    light.chain(heavy).map(|text| text.as_bytes().to_vec()).collect()
}

fn map_seeds() -> Vec<Vec<u8>> {
    vec![
        b"[source]\nHips = \"hips\"\nSpine = \"spine 0\"\n[target]\nLeftHand = \"left hand\"\nHead = \"none\"\n"
            .to_vec(),
    ]
}

fn contact_seeds() -> Vec<Vec<u8>> {
    let features: Vec<_> = body().features.iter().take(6).map(|name| (name.clone(), vec![0..32, 64..97])).collect();
    vec![ContactList { features }.to_toml(60.0).into_bytes()]
}

fn recording_seeds() -> Vec<Vec<u8>> {
    let files = Files::open(Path::new("gears")).expect("a built-in scene");
    let mut run = SceneRun::new(files, Some(0.05)).expect("a scene");
    run.finish(|_| ()).expect("a run");
    vec![serde_json::to_vec(&run.recording()).expect("JSON")]
}

fn wav_seeds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (kind, bits) in [(1_u16, 8_u16), (1, 16), (1, 24), (3, 32)] {
        let data: Vec<u8> = (0..96_u32).map(|k| (k * 37 % 251) as u8).collect();
        let mut bytes = b"RIFF\x84\0\0\0WAVEfmt \x10\0\0\0".to_vec();
        bytes.extend([kind.to_le_bytes(), 2_u16.to_le_bytes()].concat());
        bytes.extend([8000_u32.to_le_bytes(), (2000 * u32::from(bits)).to_le_bytes()].concat());
        bytes.extend([(bits / 4).to_le_bytes(), bits.to_le_bytes()].concat());
        bytes.extend(b"data");
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(data);
        all.push(bytes);
    }
    all
}
