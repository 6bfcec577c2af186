//! Map files: what joints are, told by people, as TOML.
//!
//! ```toml
//! [source]
//! "bone_12" = "left upper leg"
//!
//! [target]
//! "thigh.L" = "left upper leg"
//! ```
//!
//! The words are those that `sinew info` prints. A file may name as few joints as needed; the others are recognised as usual.

use super::body::Body;
use super::map::Whose;
use super::roles::all_roles;
use crate::motion::{Role, Skeleton};
use crate::nearest::nearest;

/// What a map file says about both skeletons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapFile {
    pub source: Vec<(usize, Role)>,
    pub target: Vec<(usize, Role)>,
}

/// What is wrong with a map file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct MapFileError {
    /// From 1, where it is known.
    pub line: Option<usize>,
    pub message: String,
    pub help: Option<String>,
}

impl MapFile {
    /// Reads a map file for these skeletons.
    pub fn read(text: &str, source: &Skeleton, target: &Skeleton) -> Result<MapFile, MapFileError> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            MapFileError { line, message: error.message().to_owned(), help: Some(SAMPLE.to_owned()) }
        })?;
        let mut file = MapFile::default();
        for (section, value) in &table {
            let (skeleton, list) = match section.as_str() {
                "source" => (source, &mut file.source),
                "target" => (target, &mut file.target),
                other => {
                    return Err(fault(text, other, format!("there is no section [{other}] in a map file"), SAMPLE));
                }
            };
            let Some(lines) = value.as_table() else {
                return Err(fault(text, section, format!("{section} must be a section with a line per joint"), SAMPLE));
            };
            for (joint, role) in lines {
                list.push((find_joint(text, skeleton, section, joint)?, find_role(text, joint, role)?));
            }
        }
        Ok(file)
    }

    /// The map of two bodies as the text of a file.
    pub fn write(source: &Body, target: &Body) -> String {
        let mut text = "# What joints are, for sinew retarget --map. Lines may be changed or deleted.\n".to_owned();
        for (whose, body) in [(Whose::Source, source), (Whose::Target, target)] {
            text.push_str(&format!("\n[{whose}]\n"));
            for (j, guess) in body.guesses.iter().enumerate() {
                if let Some(role) = guess.role {
                    text.push_str(&line(&body.skeleton.joint(j).name, role));
                    text.push('\n');
                }
            }
        }
        text
    }
}

const SAMPLE: &str =
    "a map file has the sections [source] and [target] with lines such as \"thigh.L\" = \"left upper leg\"";

/// One line of a map file.
pub fn line(joint: &str, role: Role) -> String {
    format!("{} = \"{role}\"", toml::Value::String(joint.to_owned()))
}

fn fault(text: &str, word: &str, message: String, help: &str) -> MapFileError {
    let line = text.lines().position(|line| line.contains(word)).map(|at| at + 1);
    MapFileError { line, message, help: Some(help.to_owned()) }
}

fn find_joint(text: &str, skeleton: &Skeleton, section: &str, name: &str) -> Result<usize, MapFileError> {
    skeleton.find(name).ok_or_else(|| {
        let names = skeleton.joints().iter().map(|joint| joint.name.as_str());
        let help = match nearest(name, names) {
            Some(near) => format!("did you mean {near:?}?"),
            None => "sinew info lists the joints".to_owned(),
        };
        fault(text, name, format!("the {section} has no joint {name:?}"), &help)
    })
}

fn find_role(text: &str, joint: &str, value: &toml::Value) -> Result<Role, MapFileError> {
    let words = "expected a part of the body such as \"hips\", \"spine 0\", \"left upper leg\", or \"helper\"";
    let Some(word) = value.as_str() else {
        return Err(fault(text, joint, format!("{joint:?} has no part of the body"), words));
    };
    let wanted = word.trim().to_lowercase();
    all_roles().find(|role| role.to_string() == wanted).ok_or_else(|| {
        let names: Vec<String> = all_roles().map(|role| role.to_string()).collect();
        let help = nearest(&wanted, names.iter().map(String::as_str)).map(|near| format!("did you mean {near:?}?"));
        fault(text, joint, format!("{word:?} is no part of a body"), help.as_deref().unwrap_or(words))
    })
}
