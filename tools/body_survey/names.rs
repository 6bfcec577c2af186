//! Names of joints, as programs and people of many countries write them.

use super::variants::Base;
use sinew::motion::{Role, Side};

/// Ways of naming joints; the first one keeps the names of the file.
pub const STYLES: [&str; 20] = [
    "as they are",
    "numbers",
    "prefix",
    "Joint_12",
    "Biovision",
    "Unreal",
    "Biped",
    "German",
    "French",
    "Spanish",
    "Mixamo",
    "Xsens",
    "Acclaim",
    "Rigify",
    "VRM",
    "SMPL",
    "MMD",
    "Chinese",
    "Italian",
    "Daz",
];

/// Words of one way of naming.
struct Style {
    name: &'static str,
    /// Words for left and right.
    sides: [&'static str; 2],
    /// Pattern of a name: `S` stands for the side, `W` for the word, `N` for the number in a chain.
    pattern: &'static str,
    /// Hips, spine, neck, head, collar bone, upper arm, forearm, hand, thigh, shank, foot, toes.
    words: [&'static str; 12],
}

#[rustfmt::skip]
const WORDS: [Style; 16] = [
    Style { name: "Biovision", sides: ["Left", "Right"], pattern: "SWN",
        words: ["Hips", "Chest", "Neck", "Head", "Collar", "Shoulder", "Elbow", "Wrist", "Hip", "Knee", "Ankle", "Toe"] },
    Style { name: "Unreal", sides: ["l", "r"], pattern: "W_SN",
        words: ["pelvis", "spine", "neck", "head", "clavicle", "upperarm", "lowerarm", "hand", "thigh", "calf", "foot", "ball"] },
    Style { name: "Biped", sides: ["L ", "R "], pattern: "Bip01 SWN",
        words: ["Pelvis", "Spine", "Neck", "Head", "Clavicle", "UpperArm", "Forearm", "Hand", "Thigh", "Calf", "Foot", "Toe0"] },
    Style { name: "German", sides: ["_links", "_rechts"], pattern: "WSN",
        words: ["Becken", "Wirbel", "Hals", "Kopf", "Schulter", "Oberarm", "Unterarm", "Hand", "Oberschenkel", "Unterschenkel", "Fuss", "Zehen"] },
    Style { name: "French", sides: ["Gauche", "Droite"], pattern: "WSN",
        words: ["Bassin", "Colonne", "Cou", "Tete", "Clavicule", "Bras", "AvantBras", "Main", "Cuisse", "Jambe", "Pied", "Orteils"] },
    Style { name: "Spanish", sides: ["Izq", "Der"], pattern: "WSN",
        words: ["Cadera", "Columna", "Cuello", "Cabeza", "Clavicula", "Brazo", "Antebrazo", "Mano", "Muslo", "Pierna", "Pie", "Dedos"] },
    Style { name: "Mixamo", sides: ["Left", "Right"], pattern: "mixamorig:SWN",
        words: ["Hips", "Spine", "Neck", "Head", "Shoulder", "Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot", "ToeBase"] },
    Style { name: "Xsens", sides: ["Left", "Right"], pattern: "SWN",
        words: ["Pelvis", "T", "Neck", "Head", "Shoulder", "UpperArm", "ForeArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toe"] },
    Style { name: "Acclaim", sides: ["l", "r"], pattern: "SWN",
        words: ["root", "thorax", "lowerneck", "head", "clavicle", "humerus", "radius", "hand", "femur", "tibia", "foot", "toes"] },
    Style { name: "Rigify", sides: [".L", ".R"], pattern: "DEF-WSN",
        words: ["spine", "spine", "neck", "head", "shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe"] },
    Style { name: "VRM", sides: ["L", "R"], pattern: "J_Bip_S_WN",
        words: ["Hips", "Spine", "Neck", "Head", "Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "ToeBase"] },
    Style { name: "SMPL", sides: ["L_", "R_"], pattern: "SWN",
        words: ["Pelvis", "Spine", "Neck", "Head", "Collar", "Shoulder", "Elbow", "Wrist", "Hip", "Knee", "Ankle", "Foot"] },
    Style { name: "MMD", sides: ["左", "右"], pattern: "SWN",
        words: ["下半身", "上半身", "首", "頭", "肩", "腕", "ひじ", "手首", "足", "ひざ", "足首", "つま先"] },
    Style { name: "Chinese", sides: ["左", "右"], pattern: "SWN",
        words: ["骨盆", "脊柱", "颈", "头", "锁骨", "上臂", "前臂", "手", "大腿", "小腿", "脚", "脚趾"] },
    Style { name: "Italian", sides: ["_sx", "_dx"], pattern: "WSN",
        words: ["bacino", "colonna", "collo", "testa", "clavicola", "braccio", "avambraccio", "mano", "coscia", "gamba", "piede", "dita"] },
    Style { name: "Daz", sides: ["l", "r"], pattern: "SWN",
        words: ["hip", "abdomen", "neck", "head", "Collar", "ShldrBend", "ForearmBend", "Hand", "ThighBend", "Shin", "Foot", "Toe"] },
];

/// Returns the names of all joints of a body in a style.
pub fn named(base: &Base, style: &str) -> Vec<String> {
    let joints = base.skeleton.joints();
    let words = WORDS.iter().find(|known| known.name == style);
    let of = |j: usize| {
        let (Some(style), Some(role)) = (words, base.truth[j]) else { return None };
        let (word, number) = match role {
            Role::Hips => (0, None),
            Role::Spine(k) => (1, Some(k + 1)),
            Role::Neck(k) => (2, Some(k + 1)),
            Role::Head => (3, None),
            Role::Shoulder(_) => (4, None),
            Role::UpperArm(_) => (5, None),
            Role::LowerArm(_) => (6, None),
            Role::Hand(_) => (7, None),
            Role::UpperLeg(_) => (8, None),
            Role::LowerLeg(_) => (9, None),
            Role::Foot(_) => (10, None),
            Role::Toes(_) => (11, None),
            _ => return None,
        };
        let number = number.map_or(String::new(), |k| k.to_string());
        let side = match role.side() {
            Some(Side::Left) => style.sides[0],
            Some(Side::Right) => style.sides[1],
            None if style.name == "VRM" => "C",
            None => "",
        };
        let mut name = String::new();
        for letter in style.pattern.chars() {
            match letter {
                'S' => name += side,
                'W' => name += style.words[word],
                'N' => name += &number,
                other => name.push(other),
            }
        }
        Some(name.trim_end_matches('_').to_owned())
    };
    (0..joints.len())
        .map(|j| match style {
            "as they are" => joints[j].name.clone(),
            "prefix" => format!("Actor_07:{}", joints[j].name),
            "numbers" => format!("j{j}"),
            "Joint_12" => format!("Joint_{}", (7 * j + 12) % 1009),
            // Joints that only serve a rig keep their names.
            _ if joints[j].name.starts_with("ik_") || joints[j].name.ends_with("Twist") => joints[j].name.clone(),
            _ => of(j).unwrap_or_else(|| format!("j{j}")),
        })
        .collect()
}
