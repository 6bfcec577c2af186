//! Map files: roles of joints assigned by hand, as TOML.
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

use super::map::Whose;
use crate::figure::body::Body;
use crate::files::FormatError;
use crate::files::nearest;
use crate::files::text_error::{error_at, from_toml_error};
use crate::motion::{Role, Skeleton};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Roles that a map file assigns to the joints of both skeletons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapFile {
    /// Joints of the source with their roles.
    pub source: Vec<(usize, Role)>,
    /// Joints of the target with their roles.
    pub target: Vec<(usize, Role)>,
}

impl MapFile {
    /// Reads a map file for these skeletons. Errors have line and column; the caller adds the name of the file.
    pub fn read(text: &str, source: &Skeleton, target: &Skeleton) -> Result<MapFile, FormatError> {
        let table = DeTable::parse(text).map_err(|error| from_toml_error(text, &error, "map file").help(SAMPLE))?;
        let mut file = MapFile::default();
        for (section, value) in table.get_ref() {
            let (skeleton, list) = match section.get_ref().as_ref() {
                "source" => (source, &mut file.source),
                "target" => (target, &mut file.target),
                other => {
                    let message = format!("there is no section [{other}] in a map file");
                    return Err(error_at(text, section.span(), message).help(SAMPLE));
                }
            };
            let DeValue::Table(lines) = value.get_ref() else {
                let message = format!("{} must be a section with a line per joint", section.get_ref());
                return Err(error_at(text, section.span(), message).help(SAMPLE));
            };
            for (joint, role) in lines {
                let whose = section.get_ref();
                list.push((find_joint(text, skeleton, whose, joint)?, find_role(text, joint, role)?));
            }
        }
        Ok(file)
    }

    /// Writes the map of two bodies as a file.
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

/// Formats one line of a map file.
pub fn line(joint: &str, role: Role) -> String {
    format!("{} = \"{role}\"", toml::Value::String(joint.to_owned()))
}

fn find_joint(
    text: &str,
    skeleton: &Skeleton,
    section: &str,
    joint: &Spanned<DeString<'_>>,
) -> Result<usize, FormatError> {
    let name = joint.get_ref().as_ref();
    skeleton.find(name).ok_or_else(|| {
        let error = error_at(text, joint.span(), format!("the {section} has no joint {name:?}"));
        match nearest(name, skeleton.joints().iter().map(|joint| joint.name.as_str())) {
            Some(near) => error.help(format!("did you mean {near:?}?")),
            None => error.help("sinew info lists the joints"),
        }
    })
}

fn find_role(text: &str, joint: &Spanned<DeString<'_>>, value: &Spanned<DeValue<'_>>) -> Result<Role, FormatError> {
    let words = "expected a part of the body such as \"hips\", \"spine 0\", \"left upper leg\", or \"helper\"";
    let DeValue::String(word) = value.get_ref() else {
        return Err(error_at(text, value.span(), format!("{:?} has no part of the body", joint.get_ref())).help(words));
    };
    let wanted = word.trim().to_lowercase();
    Role::all().find(|role| role.to_string() == wanted).ok_or_else(|| {
        let names: Vec<String> = Role::all().map(|role| role.to_string()).collect();
        let error = error_at(text, value.span(), format!("{word:?} is no part of a body"));
        match nearest(&wanted, names.iter().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean {near:?}?")),
            None => error.help(words),
        }
    })
}
