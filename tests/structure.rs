//! The shape of the tree: `docs/ARCHITECTURE.md` names paths that exist, rooms use only the rooms that it allows them, and
//! texts keep to the project's prose rules (`CONTRIBUTING.md`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../docs/ARCHITECTURE.md");

/// Edges against the table that are still there, each with the room and what it uses. The list only gets shorter.
const EDGES_LEFT: [(&str, &str); 0] = [];

/// Words of doc comments that name no subject.
const OPENERS: [&str; 5] = ["What", "How", "Where", "Whether", "Who"];

/// Words that a newcomer would have to learn, and the field has others for.
const PRIVATE_WORDS: [&str; 9] =
    ["belt", "exhibit", "vigour", "embody", "puppet", "girth", "sought", "who stands", "nobody gives"];
/// Places that still have one: scene files may say `girth` (a key) and `vigour` (a reading). The number only falls.
const PRIVATE_WORDS_LEFT: usize = 6;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files with an extension in a folder and all folders in it, in the order of their names.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Code without comments and without the unit tests at its end.
fn code(path: &Path) -> String {
    let text = read(path);
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A row of the table of rooms: name, path, rooms that it may use.
struct Room {
    name: &'static str,
    path: &'static str,
    may_use: BTreeSet<&'static str>,
}

fn rooms() -> Vec<Room> {
    let table = PAGE.split("\n## ").find(|part| part.starts_with("Rooms")).expect("a table of rooms");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .collect();
    let all: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
    let uses = |cell: &'static str| match cell {
        "all" => all.clone(),
        "–" => BTreeSet::new(),
        list => list.split(", ").collect(),
    };
    rows.iter().map(|row| Room { name: row[0], path: row[1], may_use: uses(row[3]) }).collect()
}

/// Names right behind `crate::` or `sinew::`, those of a group in braces included.
fn used_rooms(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let word = |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    for start in ["crate::", "sinew::"] {
        for rest in code.split(start).skip(1) {
            let Some(group) = rest.strip_prefix('{') else {
                used.insert(word(rest));
                continue;
            };
            let mut depth = 1;
            let mut fresh = true;
            for (at, letter) in group.char_indices() {
                match letter {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 1 => fresh = true,
                    _ if fresh && letter.is_alphabetic() => {
                        used.insert(word(&group[at..]));
                        fresh = false;
                    }
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        }
    }
    used
}

/// Every path in backticks exists, and holds the function behind its colon.
#[test]
fn the_architecture_names_what_exists() {
    let mut gone = Vec::new();
    for named in PAGE.split('`').skip(1).step_by(2) {
        if !named.contains('/') || named.contains(' ') {
            continue;
        }
        let (path, function) = named.split_once(':').map_or((named, None), |(path, function)| (path, Some(function)));
        let path = root().join(path);
        let is_there = path.exists()
            && function.is_none_or(|name| {
                let text = read(&path);
                text.contains(&format!("fn {name}(")) || text.contains(&format!("fn {name}<"))
            });
        if !is_there {
            gone.push(named);
        }
    }
    assert!(gone.is_empty(), "docs/ARCHITECTURE.md names what is gone: {gone:?}");
}

/// Each folder of `src` and `crates` has a row, and each row a folder.
#[test]
fn every_room_has_a_row() {
    let listed: BTreeSet<String> = rooms().iter().map(|room| room.path.to_owned()).collect();
    let folders = ["src", "crates"].iter().flat_map(|parent| {
        let entries = fs::read_dir(root().join(parent)).expect("a readable folder").flatten();
        entries.filter(|e| e.path().is_dir()).map(move |e| format!("{parent}/{}", e.file_name().display()))
    });
    assert_eq!(folders.collect::<BTreeSet<_>>(), listed);
}

/// The compiler keeps crates apart; this keeps the rooms of a crate apart.
#[test]
fn rooms_use_only_what_they_may() {
    let rooms = rooms();
    // Rooms of `sinew-motion` that the root package re-exports under their own names.
    let aliases = BTreeMap::from([("formats", "motion"), ("files", "motion")]);
    let mut wrong = BTreeSet::new();
    for room in &rooms {
        for file in files(&root().join(room.path), "rs") {
            if file.components().any(|part| part.as_os_str() == "tests") || file.ends_with("tests.rs") {
                continue;
            }
            if room.path.starts_with("crates/") {
                continue;
            }
            for used in used_rooms(&code(&file)) {
                let used = aliases.get(used.as_str()).copied().unwrap_or(&used);
                let is_room = rooms.iter().any(|other| other.name == used);
                let is_left = EDGES_LEFT.contains(&(room.name, used));
                if is_room && used != room.name && !room.may_use.contains(used) && !is_left {
                    let place = file.strip_prefix(root()).unwrap_or(&file);
                    wrong.insert(format!("{} uses {used} in {}", room.name, place.display()));
                }
            }
        }
        if let Some(crate_name) = room.path.strip_prefix("crates/") {
            let manifest = read(&root().join(room.path).join("Cargo.toml"));
            let own = manifest.split("[dev-dependencies]").next().unwrap_or_default();
            for other in rooms.iter().filter(|other| other.path.starts_with("crates/")) {
                let depends = own.contains(&format!("\nsinew-{}", other.name)) && other.name != crate_name;
                if depends && !room.may_use.contains(other.name) {
                    wrong.insert(format!("{} depends on {}", room.name, other.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "edges that docs/ARCHITECTURE.md does not allow: {wrong:#?}");
}

/// A doc comment begins with a noun or a verb that names its subject.
#[test]
fn doc_comments_name_their_subject() {
    let mut found = Vec::new();
    for file in ["src", "crates"].iter().flat_map(|folder| files(&root().join(folder), "rs")) {
        let text = read(&file);
        let mut before = "";
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            for mark in ["///", "//!"] {
                let opens = line.starts_with(mark) && !before.starts_with(mark);
                let first = line.trim_start_matches(mark).split_whitespace().next().unwrap_or_default();
                if opens && OPENERS.contains(&first.trim_end_matches(|c: char| !c.is_alphabetic())) {
                    found.push(format!("{}:{}", file.strip_prefix(root()).unwrap_or(&file).display(), number + 1));
                }
            }
            before = line;
        }
    }
    assert!(found.is_empty(), "{} doc comments open with {OPENERS:?}: {found:#?}", found.len());
}

/// The field's own words stand in code and guides. CHANGELOG and CONTRIBUTING, which list the old ones, are left out.
#[test]
fn private_words_are_gone() {
    let code = ["src", "crates", "examples", "tools"].iter().flat_map(|folder| files(&root().join(folder), "rs"));
    let texts = files(&root().join("docs"), "md").into_iter().chain([root().join("README.md")]);
    let mut found = Vec::new();
    for file in code.chain(texts) {
        for (number, line) in read(&file).to_lowercase().lines().enumerate() {
            let has = |word: &&&str| {
                let starts = line.match_indices(**word).map(|(at, _)| &line[..at]);
                starts.into_iter().any(|before| !before.ends_with(|c: char| c.is_ascii_alphabetic()))
            };
            for word in PRIVATE_WORDS.iter().filter(has) {
                let place = file.strip_prefix(root()).unwrap_or(&file);
                found.push(format!("{}:{} {word}", place.display(), number + 1));
            }
        }
    }
    assert!(found.len() <= PRIVATE_WORDS_LEFT, "{} places have a private word: {found:#?}", found.len());
}
