//! Broken scene files: each is refused with the place and the message that a person needs, and nothing panics.

use sinew::formats::FormatError;
use sinew::scene::{Files, SceneError, SceneRun};
use std::path::Path;

const BALL: &str = "[[body]]\nname = \"ball\"\nmass = 1\nshape = { kind = \"sphere\", radius = 0.1 }\n";

fn refused(text: &str) -> FormatError {
    let result = Files::read(text, Path::new("broken.toml"), None)
        .map_err(SceneError::Text)
        .and_then(|files| SceneRun::new(files, None));
    match result {
        Err(SceneError::Text(error)) => error,
        Err(other) => panic!("refused without a place: {other}\n{text}"),
        Ok(_) => panic!("nothing is wrong with\n{text}"),
    }
}

/// What is wrong, the text, the line and column that are pointed at, what the message says, and what the help says.
type Broken = (&'static str, &'static str, (usize, usize), &'static str, &'static str);

const BROKEN: &[Broken] = &[
    (
        "a table with a typo",
        "[[bdoy]]\nname = \"ball\"\n",
        (1, 3),
        "\"bdoy\" is no entry of a scene",
        "did you mean \"body\"?",
    ),
    (
        "an entry with a typo",
        "[[body]]\nname = \"a\"\nmas = 3\n",
        (3, 1),
        "\"mas\" is no entry of a scene",
        "did you mean \"mass\"?",
    ),
    (
        "a kind with a typo",
        "BALL[[joint]]\nkind = \"hige\"\nb = \"ball\"\n",
        (6, 8),
        "\"hige\" is no word",
        "did you mean \"hinge\"?",
    ),
    (
        "a shape with a typo",
        "[[body]]\nname = \"a\"\nmass = 1\nshape = { kind = \"spere\", radius = 1 }\n",
        (4, 18),
        "\"spere\" is no word",
        "did you mean \"sphere\"?",
    ),
    ("no TOML", "[[body]\nname = 3\n", (1, 8), "", ""),
    ("a text for a list", "[[body]]\nname = \"a\"\nat = \"here\"\n", (3, 6), "invalid type: string \"here\"", ""),
    ("two numbers for a place", "[[body]]\nname = \"a\"\nmass = 1\nat = [1, 2]\n", (4, 6), "invalid length 2", ""),
    (
        "a wrong unit",
        "[[body]]\nname = \"a\"\nmass = \"3 s\"\nshape = { kind = \"sphere\", radius = 1 }\n",
        (3, 8),
        "\"mass\" is a mass in kg, but \"3 s\" is a time in s",
        "expected a mass in kg",
    ),
    (
        "an unknown unit",
        "[[body]]\nname = \"a\"\nmass = \"3 kgs\"\nshape = { kind = \"sphere\", radius = 1 }\n",
        (3, 11),
        "\"kgs\" is no unit",
        "did you mean \"kg\"?",
    ),
    (
        "a negative mass",
        "[[body]]\nname = \"a\"\nmass = -2\nshape = { kind = \"sphere\", radius = 1 }\n",
        (3, 8),
        "the mass must be a positive number, not -2",
        "",
    ),
    (
        "a radius of nothing",
        "[[body]]\nname = \"a\"\nmass = 1\nshape = { kind = \"sphere\", radius = 0 }\n",
        (4, 37),
        "the radius must be a positive number, not 0",
        "",
    ),
    (
        "a shape without its size",
        "[[body]]\nname = \"a\"\nmass = 1\nshape = { kind = \"box\" }\n",
        (4, 9),
        "a box needs \"size\"",
        "",
    ),
    (
        "no mass",
        "[[body]]\nname = \"a\"\nshape = { kind = \"sphere\", radius = 1 }\n",
        (1, 1),
        "neither \"mass\" nor \"density\"",
        "give it one of them",
    ),
    ("no name", "[[body]]\nmass = 1\n", (1, 1), "this body has no name", "name = "),
    (
        "a name that formulas cannot read",
        "[[body]]\nname = \"my ball\"\nmass = 1\n",
        (2, 8),
        "\"my ball\" is no name",
        "letters, digits and _",
    ),
    ("two of one name", "BALLBALL", (6, 8), "there is something called \"ball\" already", ""),
    (
        "a missing body",
        "BALL[[joint]]\nkind = \"ball\"\nb = \"bal\"\n",
        (7, 5),
        "there is no body or point \"bal\"",
        "did you mean \"ball\"?",
    ),
    (
        "a joint between nothing and nothing",
        "[[joint]]\nkind = \"ball\"\n",
        (1, 1),
        "both ends of this are the world",
        "name at least one",
    ),
    (
        "a joint on one body",
        "BALL[[joint]]\nkind = \"ball\"\na = \"ball\"\nb = \"ball\"\n",
        (8, 5),
        "on the same body",
        "",
    ),
    (
        "an entry of another kind",
        "BALL[[joint]]\nkind = \"ball\"\nb = \"ball\"\nradius = 1\n",
        (8, 10),
        "\"radius\" says nothing to a joint of kind \"ball\"",
        "expected a, b, at",
    ),
    ("a hinge without axis", "BALL[[joint]]\nkind = \"hinge\"\nb = \"ball\"\n", (5, 1), "a hinge needs \"axis\"", ""),
    (
        "an axis of no length",
        "BALL[[joint]]\nkind = \"hinge\"\nb = \"ball\"\naxis = [0, 0, 0]\n",
        (8, 8),
        "a direction must not be zero",
        "",
    ),
    (
        "a range upside down",
        "BALL[[joint]]\nname = \"h\"\nkind = \"hinge\"\nb = \"ball\"\naxis = [0, 0, 1]\n[[joint]]\nkind = \"limit\"\nof = \"h\"\nlower = 1\nupper = 0\n",
        (14, 9),
        "this range ends at 0, below its beginning at 1",
        "",
    ),
    (
        "held in two ways",
        "BALL[[joint]]\nkind = \"ball\"\nb = \"ball\"\ntau = 1\nstiffness = 5\n",
        (8, 7),
        "held in two ways at once",
        "give \"tau\", or",
    ),
    (
        "an end before the start",
        "BALL[[joint]]\nkind = \"ball\"\nb = \"ball\"\nstart = 3\nend = 2\n",
        (9, 7),
        "this ends at 2 s, before it starts at 3 s",
        "",
    ),
    (
        "a formula with a typo",
        "BALL[[force]]\nkind = \"push\"\non = \"ball\"\nforce = [\"sni(t)\", 0, 0]\n",
        (8, 11),
        "there is no function \"sni\"",
        "did you mean \"sin\"?",
    ),
    (
        "a formula that does not end",
        "[let]\na = \"2*(3 + 1\"\n",
        (2, 14),
        "a parenthesis is not closed",
        "expected \")\"",
    ),
    ("constants that need each other", "[let]\na = \"b + 1\"\nb = \"a + 1\"\n", (2, 6), "there is no name \"b\"", ""),
    (
        "a curve that goes back in time",
        "[world]\ngravity = [0, { points = [[0, 1], [0, 2]] }, 0]\n",
        (2, 26),
        "the times of a curve rise",
        "",
    ),
    (
        "a reading that does not exist",
        "BALL[expect.e]\nvalue = \"ball.hieght\"\nabove = 0\n",
        (6, 10),
        "\"ball\" has no reading \"hieght\"",
        "",
    ),
    (
        "a reading of nobody",
        "BALL[expect.e]\nvalue = \"bal.x\"\nabove = 0\n",
        (6, 10),
        "there is nothing called \"bal\"",
        "",
    ),
    (
        "an expectation of nothing",
        "BALL[expect.e]\nabove = 0\n",
        (5, 1),
        "this expectation looks at nothing",
        "expected exactly one of value",
    ),
    (
        "an expectation without bounds",
        "BALL[expect.e]\nvalue = \"ball.x\"\n",
        (5, 1),
        "does not say what is expected",
        "\"is\" and \"within\"",
    ),
    (
        "an expectation behind the end",
        "BALL[world]\nduration = 1\n[expect.e]\nvalue = \"ball.x\"\nat = 2\nabove = 0\n",
        (9, 6),
        "the scene ends at 1 s, before this",
        "longer \"duration\"",
    ),
    (
        "a missing clip",
        "[[figure]]\nname = \"man\"\nfrom = \"wakl\"\n",
        (3, 8),
        "there is no built-in file \"wakl\"",
        "did you mean the built-in \"walk\"?",
    ),
    (
        "a missing sound",
        "BALL[[force]]\nkind = \"wind\"\nfrom = [0, 0, 0]\ntowards = [1, 0, 0]\nstrength = 1\nblow = \"voice.wav\"\n",
        (10, 8),
        "there is no built-in file \"voice.wav\"",
        "",
    ),
    (
        "a part that the figure has not",
        "[[figure]]\nname = \"man\"\nfrom = \"walk\"\nparts = { arsm = 0 }\n",
        (4, 18),
        "the figure has no part \"arsm\"",
        "did you mean \"arms\"?",
    ),
    ("a step of nothing", "[world]\nstep = 0\n", (2, 8), "a step of 0 s is not possible", ""),
    (
        "constraints that contradict each other",
        "BALL[[joint]]\nname = \"here\"\nkind = \"ball\"\nb = \"ball\"\nat_a = [0, 0, 0]\nat_b = [0, 0, 0]\n[[joint]]\nname = \"there\"\nkind = \"ball\"\nb = \"ball\"\nat_a = [1, 0, 0]\nat_b = [0, 0, 0]\n[world]\nassemble = 1e-4\n",
        (18, 12),
        "the joints cannot be brought together: here, there stay apart",
        "contradict",
    ),
    (
        "an include that does not exist",
        "include = [\"nowhere.toml\"]\n",
        (1, 12),
        "there is no built-in file \"nowhere.toml\" to include",
        "",
    ),
    (
        "a setting of another stepper",
        "[world]\ntolerance = 1e-3\n",
        (2, 13),
        "says nothing to the default stepper",
        "rk4",
    ),
];

#[test]
fn broken_scenes_say_where_and_what() {
    assert!(BROKEN.len() >= 20);
    let mut wrong = Vec::new();
    for (what, text, place, message, help) in BROKEN {
        let text = text.replace("BALL", BALL);
        let error = refused(&text);
        let found = (error.line.unwrap_or(0), error.column.unwrap_or(0));
        let helped = error.help.clone().unwrap_or_default();
        if found != *place || !error.message.contains(message) || !helped.contains(help) {
            wrong.push(format!("{what}: {found:?} {:?} help {helped:?}", error.message));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn circles_of_includes_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.toml"), "title = 'a'\ninclude = ['b.toml']\n").expect("written");
    std::fs::write(path("b.toml"), "include = ['c.toml']\n").expect("written");
    std::fs::write(path("c.toml"), "include = ['a.toml']\n").expect("written");
    let error = Files::open(&path("a.toml")).expect_err("a circle");
    assert!(error.message.contains("goes round in a circle: a.toml → b.toml → c.toml → a.toml"), "{error}");
    assert!(error.path.ends_with("c.toml") && error.line == Some(1), "{error:?}");
    std::fs::write(path("d.toml"), "include = ['d.toml']\n").expect("written");
    assert!(Files::open(&path("d.toml")).expect_err("a circle").message.contains("circle"));
}

#[test]
fn names_that_are_no_scene_are_told_with_the_nearest_one() {
    let error = Files::open(Path::new("mobiel")).expect_err("no scene");
    assert!(error.help.unwrap_or_default().contains("\"mobile\""));
    assert!(Files::open(Path::new("nowhere/at_all.toml")).is_err());
    assert!(Files::open(Path::new("/")).is_err());
}

/// Any byte of a scene changed, cut or doubled gives a scene or an error, never a panic.
#[test]
fn damaged_scenes_never_panic() {
    let text = sinew::scene::gallery::find("mobile").expect("a scene").text;
    let mut state = 7u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..300 {
        let mut bytes = text.as_bytes().to_vec();
        let at = random(bytes.len());
        match random(4) {
            0 => bytes[at] = b" \"[]{}=.,-+*/()0123456789abcxyz\n"[random(32)],
            1 => bytes.truncate(at),
            2 => {
                bytes.remove(at);
            }
            _ => {
                let end = (at + random(40)).min(bytes.len());
                let piece: Vec<u8> = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
        let Ok(text) = String::from_utf8(bytes) else { continue };
        if let Ok(files) = Files::read(&text, Path::new("damaged.toml"), None)
            && let Ok(mut run) = SceneRun::new(files, Some(0.02))
        {
            let _ = run.finish(|_| ());
        }
    }
}
