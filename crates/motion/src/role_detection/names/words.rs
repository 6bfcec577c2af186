//! Words of a joint's name: side, numbers, and the rest.

use super::dictionary::{self, Part};
use crate::Side;

/// A name taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Words {
    /// Lower-case words that carry meaning, without side and numbers.
    pub words: Vec<String>,
    pub side: Option<Side>,
    /// The numbers in the name, as written.
    pub numbers: Vec<String>,
    /// The whole name with a `*` in place of the side: equal for a left-right pair.
    pub key: String,
    /// The name starts with `__`, which exporters put before joints they insert.
    pub inserted: bool,
}

/// Words that rigs put around the name of a joint.
#[rustfmt::skip]
const NOISE: &[&str] = &[
    "jnt", "jt", "bone", "bn", "bip", "def", "org", "mixamorig", "skeleton", "skel", "character", "rig", "avg",
    "valve", "biped", "valvebiped", "fk", "armature", "cc", "b", "p", "j", "c", "m", "f", "g", "sk", "jo",
    "bnd", "bind", "grp", "x", "stretch",
];

#[rustfmt::skip]
const SIDES: &[(&str, Side)] = &[
    ("left", Side::Left), ("right", Side::Right),
    ("lft", Side::Left), ("rgt", Side::Right),
    ("lf", Side::Left), ("rt", Side::Right),
    ("l", Side::Left), ("r", Side::Right),
    ("左", Side::Left), ("右", Side::Right),
    ("links", Side::Left), ("rechts", Side::Right),
    ("linker", Side::Left), ("rechter", Side::Right),
    ("linke", Side::Left), ("rechte", Side::Right),
    ("linkes", Side::Left), ("rechtes", Side::Right),
    ("gauche", Side::Left), ("droite", Side::Right), ("droit", Side::Right),
    ("sinistro", Side::Left), ("destro", Side::Right),
    ("sinistra", Side::Left), ("destra", Side::Right),
    ("sx", Side::Left), ("dx", Side::Right),
    ("izquierdo", Side::Left), ("derecho", Side::Right),
    ("izquierda", Side::Left), ("derecha", Side::Right),
    ("izq", Side::Left), ("der", Side::Right),
];

/// Takes a name apart: name spaces off, words at separators, at changes of case and at digits.
pub(super) fn words(name: &str) -> Words {
    let own = name.rsplit([':', '|', '/']).find(|part| !part.trim().is_empty()).unwrap_or(name).trim();
    let mut result = Words {
        words: Vec::new(),
        side: None,
        numbers: Vec::new(),
        key: String::new(),
        inserted: own.starts_with("__"),
    };
    let mut tokens = split(own);
    // Vertebrae of some suits are called L5, L3, T12: a whole name that is known beats the reading as a side.
    let whole: String = tokens.concat();
    if dictionary::VERTEBRAE.contains(&whole.as_str()) {
        return Words { words: vec![whole.clone()], key: whole, ..result };
    }
    // Character Creator writes CC_Base before everything.
    if tokens.len() > 2 && tokens[0] == "cc" && tokens[1] == "base" {
        tokens.drain(..2);
    }
    // Characters' own names come with their number: Bip01, mixamorig1, Character1.
    let mut after_noise = false;
    for token in &tokens {
        if token.bytes().all(|b| b.is_ascii_digit()) {
            if !after_noise {
                result.numbers.push(token.clone());
            }
            result.key.push_str(token);
            continue;
        }
        let side = SIDES.iter().find(|(word, _)| word == token).map(|(_, side)| *side);
        match (side, glued_side(token)) {
            (Some(side), _) if result.side.is_none() => {
                result.side = Some(side);
                result.key.push('*');
            }
            (None, Some((side, rest))) if result.side.is_none() => {
                result.side = Some(side);
                result.key.push('*');
                result.key.push_str(&rest);
                result.words.push(rest);
            }
            _ => {
                result.key.push_str(token);
                after_noise = NOISE.contains(&token.as_str());
                if !after_noise {
                    result.words.push(token.clone());
                }
                continue;
            }
        }
        after_noise = false;
    }
    // LUArm has no small letter between its words.
    if result.side.is_none()
        && let Some((side, rest)) = glued_side(&result.words.concat())
    {
        result.side = Some(side);
        result.key = format!("*{rest}{}", result.numbers.concat());
        result.words = vec![rest];
    }
    result
}

/// `lfemur` and `lefteye` are a side and a known word; `leg` and `ring` are not.
fn glued_side(token: &str) -> Option<(Side, String)> {
    if dictionary::part(token).is_some() || dictionary::is_helper(token) {
        return None;
    }
    SIDES.iter().find_map(|(word, side)| {
        let rest = token.strip_prefix(word).filter(|_| *word != "lf" && *word != "rt")?;
        let finger = dictionary::finger(rest).is_some() || matches!(rest, "finger" | "fingers");
        let known = dictionary::part(rest).is_some() || finger;
        known.then(|| (*side, rest.to_string()))
    })
}

/// Lower-case words and numbers.
fn split(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut tokens: Vec<String> = Vec::new();
    let mut token = String::new();
    for (k, &c) in letters.iter().enumerate() {
        let (before, after) = (k.checked_sub(1).map(|k| letters[k]), letters.get(k + 1).copied());
        let starts = match before {
            None => false,
            Some(b) if b.is_ascii_digit() != c.is_ascii_digit() => true,
            Some(b) if b.is_lowercase() && c.is_uppercase() => true,
            // LThumb: the second capital starts a word, as a small letter follows it.
            Some(b) => b.is_uppercase() && c.is_uppercase() && after.is_some_and(char::is_lowercase),
        };
        if (starts || !c.is_alphanumeric()) && !token.is_empty() {
            tokens.push(std::mem::take(&mut token));
        }
        if c.is_alphanumeric() {
            token.extend(c.to_lowercase());
        }
    }
    if !token.is_empty() {
        tokens.push(token);
    }
    tokens
}

/// Returns true for the name of a part of a hind leg, which only rigs of four-legged animals have.
pub(super) fn is_hind(words: &Words) -> bool {
    words.words.iter().any(|word| matches!(word.as_str(), "hind" | "rear"))
}

/// Returns the part that a name gives, and true if the whole name gives it. A fore foot is a foot where there are hind feet, else it is toes.
pub(super) fn named_part(words: &Words, has_hind: bool) -> Option<(Part, bool)> {
    let list: Vec<&str> = words.words.iter().map(String::as_str).collect();
    let is_ball = !has_hind && list.concat() == "forefoot";
    let front = !is_ball && list.iter().any(|w| matches!(*w, "front" | "fore"));
    let hind = |w: &&str| matches!(*w, "hind" | "rear" | "back" | "front") || (has_hind && *w == "fore");
    let legs = list.iter().any(|w| dictionary::part(w).is_some_and(Part::is_leg));
    let mut parts: Vec<&str> = list.clone();
    if legs {
        parts.retain(|w| !hind(w));
    }
    let found = if let Some(part) = dictionary::part(&parts.concat()) {
        Some((part, true))
    } else {
        // The longest run of words that is known, the last such: Genesis LeftUpLeg, Hips Root.
        (1..parts.len())
            .rev()
            .flat_map(|length| parts.windows(length).rev().collect::<Vec<_>>())
            .find_map(|run| dictionary::part(&run.concat()))
            .map(|part| (part, false))
    };
    // Four-legged animals walk on what a biped calls arms.
    found.map(|(part, exact)| if front && legs { (part.of_front_leg(), exact) } else { (part, exact) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_rigs_come_apart() {
        for (name, side, rest) in [
            ("mixamorig:LeftUpLeg", Some(Side::Left), "up leg"),
            ("LHipJoint", Some(Side::Left), "hip joint"),
            ("lfemur", Some(Side::Left), "femur"),
            ("rThumb1", Some(Side::Right), "thumb"),
            ("thigh_l", Some(Side::Left), "thigh"),
            ("upperleg01.L", Some(Side::Left), "upperleg"),
            ("DEF-thigh.L.001", Some(Side::Left), "thigh"),
            ("Skeleton_arm_joint_L__4_", Some(Side::Left), "arm joint"),
            ("Bip01 R Calf", Some(Side::Right), "calf"),
            ("b_LeftLeg01_015", Some(Side::Left), "leg"),
            ("lefteye", Some(Side::Left), "eye"),
            ("lowerback", None, "lowerback"),
            ("ring", None, "ring"),
            ("L5", None, "l5"),
            ("Skeleton_001:LUArm", Some(Side::Left), "uarm"),
            ("CC_Base_R_Thigh", Some(Side::Right), "thigh"),
            ("左ひざ", Some(Side::Left), "ひざ"),
            ("右大腿", Some(Side::Right), "大腿"),
            ("Oberarm_links", Some(Side::Left), "oberarm"),
            ("CuisseDroite", Some(Side::Right), "cuisse"),
            ("BrazoIzq", Some(Side::Left), "brazo"),
            ("gamba_dx", Some(Side::Right), "gamba"),
            ("J_Bip_C_Hips", None, "hips"),
        ] {
            let words = words(name);
            assert_eq!((words.side, words.words.join(" ").as_str()), (side, rest), "{name}");
        }
    }

    #[test]
    fn pairs_share_a_key_and_nothing_else_does() {
        for (left, right) in [("LeftFoot", "RightFoot"), ("lfoot", "rfoot"), ("hand.l.002", "hand.r.002")] {
            assert_eq!(words(left).key, words(right).key);
        }
        assert_ne!(words("LeftToe1").key, words("RightToe2").key);
    }
}
