//! Outputs: nothing is lost, nothing is half written, and what stands at an output stays what it is.

use super::{Desk, err, out, person_bvh};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};

const DROP: &str = "title = 'A drop'\n[world]\nduration = 0.1\n[[body]]\nname = 'ball'\nmass = 1\nshape = { kind = 'sphere', radius = 0.1 }\n";

fn data(name: &str) -> String {
    format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A folder with a short capture, `in.bvh`.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("in.bvh", person_bvh(12));
    desk
}

#[test]
fn an_existing_output_is_overwritten_only_with_force() {
    let desk = desk();
    desk.put("out.glb", "precious");
    for words in
        [&["convert", "in.bvh", "-o", "out.glb"][..], &["retarget", "in.bvh", "--to", "in.bvh", "-o", "out.glb"]]
    {
        let refused = desk.sinew(words).code(2);
        assert!(
            err(&refused).contains("out.glb: exists already") && err(&refused).contains("--force"),
            "{}",
            err(&refused)
        );
        assert_eq!(fs::read(desk.path("out.glb")).expect("is there"), b"precious");
    }
    desk.sinew(&["convert", "in.bvh", "-o", "out.glb", "--force"]).success();
    assert!(fs::read(desk.path("out.glb")).expect("is there").starts_with(b"glTF"));
    desk.put("body.toml", "precious");
    desk.sinew(&["info", "in.bvh", "--save-figure", "body.toml"]).code(2);
    desk.sinew(&["info", "in.bvh", "--save-figure", "body.toml", "--force"]).success();
}

/// The same file by another name, through a link of either kind, or through a folder is the same file.
#[test]
fn no_output_overwrites_an_input_by_any_spelling() {
    let desk = desk();
    fs::create_dir(desk.path("folder")).expect("a folder");
    symlink("in.bvh", desk.path("soft.bvh")).expect("a link");
    fs::hard_link(desk.path("in.bvh"), desk.path("hard.bvh")).expect("a link");
    let whole = fs::read(desk.path("in.bvh")).expect("is there");
    let absolute = desk.path("in.bvh").display().to_string();
    for name in ["in.bvh", "./in.bvh", "folder/../in.bvh", &absolute, "soft.bvh", "hard.bvh"] {
        for verb in ["convert", "filter", "simulate"] {
            let refused = desk.sinew(&[verb, "in.bvh", "-o", name, "--force"]).code(2);
            assert!(
                err(&refused).contains("would overwrite an input of this call"),
                "{verb} {name}: {}",
                err(&refused)
            );
        }
    }
    assert_eq!(fs::read(desk.path("in.bvh")).expect("is there"), whole);
    desk.sinew(&["convert", "in.bvh", "-o", "in.bvh", "--in-place"]).success();
}

/// Options that write beside the motion are outputs like any other.
#[test]
fn no_option_overwrites_what_the_call_reads() {
    let desk = desk();
    desk.put("drop.toml", DROP);
    desk.put("drop.json", DROP);
    desk.sinew(&["info", "in.bvh", "--save-figure", "figure.json"]).code(2);
    desk.sinew(&["info", "in.bvh", "--save-figure", "figure.toml"]).success();
    fs::copy(desk.path("figure.toml"), desk.path("figure.json")).expect("copies");
    let before: Vec<Vec<u8>> = desk.files().iter().map(|name| fs::read(desk.path(name)).expect("reads")).collect();
    for words in [
        &["filter", "in.bvh", "--report", "in.bvh"][..],
        &["filter", "in.bvh", "--curves", "in.bvh"],
        &["filter", "in.bvh", "--save-contacts", "in.bvh"],
        &["filter", "in.bvh", "--scene", "drop.toml", "--save-contacts", "drop.toml"],
        &["simulate", "in.bvh", "--figure", "figure.json", "--report", "figure.json"],
        &["run", "drop.json", "--record", "drop.json"],
        &["info", "in.bvh", "drop.toml", "--save-figure", "drop.toml"],
    ] {
        desk.sinew(&[words, &["--force"]].concat()).code(2);
    }
    let after: Vec<Vec<u8>> = desk.files().iter().map(|name| fs::read(desk.path(name)).expect("reads")).collect();
    assert_eq!(before, after);
}

/// The skeleton of an AMC and the buffers of a glTF are read, though nobody names them.
#[test]
fn files_beside_an_input_are_inputs() {
    let desk = Desk::new();
    let skeleton = ":version 1.10\n:name bones\n:units\nlength 0.45\nangle deg\n:root\norder TX TY TZ RX RY RZ\naxis XYZ\n\
                    position 0 0 0\norientation 0 0 0\n:bonedata\nbegin\nid 1\nname lowerback\ndirection 0 1 0\n\
                    length 2\naxis 0 0 0 XYZ\ndof rx ry rz\nend\n:hierarchy\nbegin\nroot lowerback\nend\n";
    desk.put("01.asf", skeleton);
    desk.put("01_01.amc", ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\nlowerback 0 0 0\n");
    fs::hard_link(desk.path("01.asf"), desk.path("skeleton.glb")).expect("a link");
    let refused = desk.sinew(&["convert", "01_01.amc", "-o", "skeleton.glb", "--force"]).code(2);
    assert!(err(&refused).contains("01.asf"), "{}", err(&refused));
    assert_eq!(fs::read_to_string(desk.path("01.asf")).expect("is there"), skeleton);
    desk.put("hero.gltf", "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"hero.json\",\"byteLength\":4}]}");
    desk.put("hero.json", "data");
    desk.sinew(&["simulate", "hero.gltf", "--report", "hero.json", "--force"]).code(2);
    assert_eq!(fs::read(desk.path("hero.json")).expect("is there"), b"data");
}

#[test]
fn no_output_overwrites_another() {
    let desk = desk();
    symlink("b.json", desk.path("a.json")).expect("a link");
    for words in [
        &["simulate", "in.bvh", "--report", "r.json", "--record", "./r.json"][..],
        &["simulate", "in.bvh", "--report", "a.json", "--record", "b.json"],
        &["run", "gears", "-o", "a.glb", "--record", "a.glb"],
        &["filter", "in.bvh", "-o", "o.glb", "--report", "o.glb"],
    ] {
        desk.sinew(&[words, &["--force"]].concat()).code(2);
    }
    assert_eq!(desk.files(), ["a.json", "in.bvh"]);
}

/// A second output that cannot be written keeps the first from appearing.
#[test]
fn outputs_of_a_call_appear_together_or_not_at_all() {
    let desk = desk();
    desk.put("record.json", "precious");
    fs::set_permissions(desk.path("record.json"), fs::Permissions::from_mode(0o444)).expect("sets");
    let words =
        ["simulate", "in.bvh", "--for", "0.1", "-o", "out.bvh", "--report", "r.json", "--record", "record.json"];
    let refused = desk.sinew(&[&words[..], &["--force"]].concat()).code(2);
    assert!(err(&refused).contains("write-protected"), "{}", err(&refused));
    assert_eq!(desk.files(), ["in.bvh", "record.json"]);
    assert_eq!(fs::read(desk.path("record.json")).expect("is there"), b"precious");
}

#[test]
fn links_permissions_and_pipes_stay_what_they_are() {
    let desk = desk();
    desk.put("real.glb", "old");
    fs::set_permissions(desk.path("real.glb"), fs::Permissions::from_mode(0o600)).expect("sets");
    symlink("real.glb", desk.path("link.glb")).expect("a link");
    desk.sinew(&["convert", "in.bvh", "-o", "link.glb", "--force"]).success();
    assert!(desk.path("link.glb").is_symlink());
    assert!(fs::read(desk.path("real.glb")).expect("is there").starts_with(b"glTF"));
    assert_eq!(fs::metadata(desk.path("real.glb")).expect("is there").mode() & 0o777, 0o600);
    let made = Command::new("mkfifo").arg(desk.path("pipe.glb")).status().expect("mkfifo runs");
    assert!(made.success());
    let pipe = desk.path("pipe.glb");
    let reader = std::thread::spawn(move || fs::read(pipe).expect("reads"));
    desk.sinew(&["convert", "in.bvh", "-o", "pipe.glb"]).success();
    assert!(reader.join().expect("ends").starts_with(b"glTF"));
    assert!(fs::symlink_metadata(desk.path("pipe.glb")).expect("is there").file_type().is_fifo());
}

#[test]
fn curves_can_go_to_stdout_in_a_pipe_and_in_a_file() {
    let desk = Desk::new();
    let turn = data("clips/turn.bvh");
    let words = ["filter", &turn, "--curves", "/dev/stdout"];
    let piped = out(&desk.sinew(&words).success());
    assert!(piped.starts_with("time_s,"), "{piped}");
    let file = fs::File::create(desk.path("all.txt")).expect("creates");
    let run = Command::new(env!("CARGO_BIN_EXE_sinew")).args(words).stdout(file).status().expect("runs");
    assert!(run.success());
    let whole = fs::read_to_string(desk.path("all.txt")).expect("is there");
    let without_times = |text: &str| text.lines().filter(|line| !line.contains("real time")).count();
    assert_eq!(without_times(&whole), without_times(&piped), "the table stands behind the curves");
    desk.sinew(&["filter", &turn, "--curves", "/dev/null"]).success();
    assert!(fs::metadata("/dev/null").expect("is there").file_type().is_char_device());
}

/// Answers `words` at a pseudo-terminal that is stdin and stderr, and gives the exit code and all that was shown.
fn at_a_terminal(desk: &Desk, words: &[&str], answer: &str) -> (Option<i32>, String) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let host = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&host).expect("is granted");
    unlockpt(&host).expect("is unlocked");
    let name = ptsname(&host, Vec::new()).expect("has a name");
    let open = || {
        let name = name.to_str().expect("UTF-8");
        Stdio::from(fs::OpenOptions::new().read(true).write(true).open(name).expect("opens"))
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command.current_dir(desk.0.path()).args(words).stdin(open()).stderr(open()).stdout(Stdio::null());
    let mut child = command.spawn().expect("runs");
    drop(command);
    let mut host = fs::File::from(host);
    host.write_all(answer.as_bytes()).expect("is typed");
    let code = child.wait().expect("ends").code();
    let mut shown = Vec::new();
    // The end of a pseudo-terminal is an error.
    let _ = host.read_to_end(&mut shown);
    (code, String::from_utf8_lossy(&shown).into_owned())
}

#[test]
fn a_person_at_a_terminal_is_asked() {
    let desk = desk();
    for (answer, code, replaced) in [("n\n", Some(2), false), ("\n", Some(2), false), ("y\n", Some(0), true)] {
        desk.put("out.glb", "precious");
        let (found, shown) = at_a_terminal(&desk, &["convert", "in.bvh", "-o", "out.glb"], answer);
        assert_eq!(found, code, "{shown}");
        assert!(shown.contains("out.glb exists already. Overwrite it? [y/N]"), "{shown}");
        let content = fs::read(desk.path("out.glb")).expect("is there");
        assert_eq!(content.starts_with(b"glTF"), replaced);
        assert_eq!(content == b"precious", !replaced);
    }
}

/// A run that is killed at any moment leaves the old output or the new one, whole, and the next run clears its traces away.
#[test]
fn a_killed_run_leaves_the_old_file_or_the_new_one() {
    let desk = desk();
    let old: &[u8] = b"old";
    desk.sinew(&["convert", "in.bvh", "-o", "new.glb"]).success();
    let new = fs::read(desk.path("new.glb")).expect("is there");
    let mut killed = 0;
    for k in 0..40_u64 {
        desk.put("out.glb", old);
        let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"));
        let child = child.current_dir(desk.0.path()).args(["convert", "in.bvh", "-o", "out.glb", "--force"]);
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("runs");
        // Moments from the start of the process to beyond its end, closer together than a write takes.
        std::thread::sleep(std::time::Duration::from_micros(500 * k));
        let _ = child.kill();
        killed += u32::from(!child.wait().expect("ends").success());
        let found = fs::read(desk.path("out.glb")).expect("is there");
        assert!(found == old || found == new, "{} bytes after {k} half milliseconds", found.len());
    }
    assert!(killed > 0);
    // Traces of killed runs are hidden, and gone once they are old.
    let is_trace = |name: &String| name.starts_with(".sinew-");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    for trace in desk.files().iter().filter(|name| is_trace(name)) {
        fs::File::options()
            .write(true)
            .open(desk.path(trace))
            .and_then(|file| file.set_modified(long_ago))
            .expect("ages");
    }
    desk.sinew(&["convert", "in.bvh", "-o", "out.glb", "--force"]).success();
    assert_eq!(desk.files(), ["in.bvh", "new.glb", "out.glb"]);
}

/// No space left: an error with its cause, the old file as it was, and no trace. `/dev/full` is such a disk that can be
/// written to as a stream; a limit on the size of files stands for one that holds files.
#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    let desk = desk();
    let refused = desk.sinew(&["convert", "in.bvh", "-o", "/dev/full"]).failure();
    assert!(!err(&refused).contains("panicked"), "{}", err(&refused));
    desk.put("out.bvh", "old");
    let run = Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 1; exec \"$0\" convert in.bvh -o out.bvh --force --rate 120",
            env!("CARGO_BIN_EXE_sinew"),
        ])
        .current_dir(desk.0.path())
        .output()
        .expect("runs");
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.code() == Some(1) || run.status.code() == Some(2), "{told}");
    assert!(told.contains("cannot be written"), "{told}");
    assert_eq!(desk.files(), ["in.bvh", "out.bvh"]);
    assert_eq!(fs::read(desk.path("out.bvh")).expect("is there"), b"old");
}
