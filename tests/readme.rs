//! The front page and the guide to files tell the truth: their commands print what they say, paths exist. The program of the
//! front page is a documentation test of the library.

use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../README.md");
const CONVERT: &str = include_str!("../docs/convert.md");

/// Fenced blocks of a language in both pages.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let of_page = |page: &'static str| -> Vec<&'static str> {
        page.split(fence.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
    };
    [README, CONVERT].into_iter().flat_map(of_page).collect()
}

/// Without the sizes of files, which change with every better encoding.
fn without_sizes(text: &str) -> String {
    let words = text.split_inclusive(' ').collect::<Vec<_>>();
    let is_size = |k: usize| words.get(k + 1).is_some_and(|unit| unit.trim_end() == "kB");
    words.iter().enumerate().filter(|(k, _)| !is_size(*k)).map(|(_, word)| *word).collect()
}

#[test]
fn every_command_prints_what_the_readme_shows() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let shown = blocks("console");
    assert!(shown.len() >= 6, "{shown:?}");
    for block in shown {
        let (command, expected) = block.split_once('\n').expect("a command and its output");
        let words: Vec<String> = command
            .strip_prefix("$ sinew ")
            .expect("a sinew command")
            .split_whitespace()
            // The data stays where it is; only the output goes to the temporary folder.
            .map(|word| {
                word.strip_prefix("data/").map_or(word.to_owned(), |file| data.join(file).display().to_string())
            })
            .collect();
        let output = Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(&words)
            .current_dir(folder.path())
            .output()
            .expect("the binary runs");
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).expect("UTF-8").replace(&format!("{}/", data.display()), "data/");
        let printed = without_sizes(&printed);
        // A lone … stands for the rest.
        let (expected, cut) = match expected.trim_end().strip_suffix("\n…") {
            Some(head) => (head, true),
            None => (expected.trim_end(), false),
        };
        let printed = printed.trim_end();
        let expected = without_sizes(expected);
        assert!(
            printed == expected || cut && printed.starts_with(&expected),
            "{command} prints\n{printed}\nbut the page says\n{expected}"
        );
    }
}

#[test]
fn every_path_of_the_layout_exists() {
    let cells = README.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
    let paths: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    assert!(paths.len() >= 8, "{paths:?}");
    for path in paths {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(path).exists(), "{path} is gone");
    }
}
