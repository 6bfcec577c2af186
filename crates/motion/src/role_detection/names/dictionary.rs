//! Words for parts of a body in the usual rigs: Mixamo, CMU, Acclaim, LAFAN1, DAZ and Poser, Rokoko, Perception Neuron,
//! Xsens, Unreal, Unity and VRM, 3ds Max Biped, MakeHuman, SMPL, Biovision, Rigify, Kinect, OptiTrack, MikuMikuDance; and the words that
//! people write by hand in Chinese, French, German, Italian and Spanish.

/// Part of a body that a name gives; the tree decides on the role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A root above everything, or the pelvis itself.
    Root,
    Pelvis,
    /// The pelvis, or with a side the upper leg.
    Hip,
    /// CMU's helper between pelvis and upper leg; elsewhere the upper leg.
    HipJoint,
    Spine,
    Neck,
    Head,
    Jaw,
    Eye,
    Collar,
    /// The collar bone, or the upper arm where the elbow follows.
    Shoulder,
    UpperArm,
    /// The upper arm, or any joint of an arm.
    Arm,
    LowerArm,
    Hand,
    /// The hand where nothing else is.
    Palm,
    UpperLeg,
    /// The lower leg below an upper leg, or any joint of a leg.
    Leg,
    LowerLeg,
    Foot,
    Toes,
    Tail,
    Helper,
}

impl Part {
    pub fn is_leg(self) -> bool {
        matches!(self, Part::UpperLeg | Part::Leg | Part::LowerLeg | Part::Foot | Part::Toes)
    }

    pub fn of_front_leg(self) -> Part {
        match self {
            Part::UpperLeg => Part::UpperArm,
            Part::Leg => Part::Arm,
            Part::LowerLeg => Part::LowerArm,
            Part::Foot => Part::Hand,
            Part::Toes => Part::Helper,
            other => other,
        }
    }
}

/// Names of vertebrae that look like a side.
pub(super) const VERTEBRAE: &[&str] = &["l5", "l4", "l3", "l1", "t12", "t10", "t8", "t4", "t1", "c7"];

#[rustfmt::skip]
const PARTS: &[(Part, &[&str])] = &[
    (Part::Root, &["root", "rootjoint", "world", "reference", "base", "bodyworld", "motion", "trajectory", "com", "センター", "腰", "グルーブ"]),
    (Part::Pelvis, &["hips", "pelvis", "pelvisjoint", "hipsjoint", "下半身",
        "骨盆", "臀部", "bassin", "becken", "bacino"]),
    (Part::Hip, &["hip",
        "hanche", "hüfte", "huefte", "anca", "cadera"]),
    (Part::HipJoint, &["hipjoint"]),
    (Part::Spine, &["spine", "spinejoint", "chest", "upperchest", "lowerchest", "torso", "torsojoint", "abdomen",
        "abdomenlower", "abdomenupper", "chestlower", "chestupper", "lowerback", "upperback", "thorax", "back", "waist",
        "stomach", "belly", "trunk", "lumbar", "body", "ribcage", "ribs", "spinebase", "spinemid", "spineshoulder",
        "spinelower", "spineupper", "lowertorso", "uppertorso", "ab", "上半身", "lowerspine", "upperspine", "spinechest", "chestjoint",
        "l5", "l4", "l3", "l1", "t12", "t10", "t8", "t4", "t1", "c7",
        "脊柱", "脊椎", "胸", "colonne", "torse", "poitrine", "wirbel", "wirbelsäule", "wirbelsaeule",
        "brust", "bauch", "colonna", "torace", "columna", "pecho"]),
    (Part::Neck, &["neck", "neckjoint", "lowerneck", "upperneck", "necklower", "neckupper", "cervical", "necktwist", "首",
        "颈", "脖子", "cou", "hals", "nacken", "collo", "cuello"]),
    (Part::Head, &["head", "headjoint", "skull", "頭",
        "头", "tête", "tete", "kopf", "testa", "cabeza"]),
    (Part::Jaw, &["jaw", "lowerjaw", "mandible"]),
    (Part::Eye, &["eye", "eyeball", "eyejoint"]),
    (Part::Collar, &["collar", "clavicle", "clav", "collarbone", "scapula", "shoulderblade",
        "锁骨", "clavicule", "schlüsselbein", "schluesselbein", "clavicola", "clavicula"]),
    (Part::Shoulder, &["shoulder", "shldr", "shoulderjoint", "肩",
        "épaule", "epaule", "schulter", "spalla", "hombro"]),
    (Part::UpperArm, &["upperarm", "uparm", "uarm", "humerus", "shldrbend", "bicep", "腕",
        "上臂", "大臂", "oberarm"]),
    (Part::Arm, &["arm", "armjoint",
        "bras", "braccio", "brazo"]),
    (Part::LowerArm, &["forearm", "lowerarm", "lowarm", "loarm", "elbow", "radius", "ulna", "farm", "forearmbend",
        "elbowjoint", "ひじ",
        "前臂", "小臂", "avantbras", "coude", "unterarm", "ellbogen", "avambraccio", "gomito", "antebrazo", "codo"]),
    (Part::Hand, &["hand", "wrist", "handjoint", "wristjoint", "手首",
        "手", "手腕", "main", "poignet", "handgelenk", "mano", "polso", "muñeca"]),
    (Part::Palm, &["palm", "fist"]),
    (Part::UpperLeg, &["upleg", "upperleg", "uppleg", "uleg", "thigh", "femur", "thighbend", "upperlegjoint",
        "大腿", "cuisse", "oberschenkel", "coscia", "muslo"]),
    (Part::Leg, &["leg", "legjoint", "足",
        "jambe", "bein", "gamba", "pierna"]),
    (Part::LowerLeg, &["lowerleg", "lowleg", "loleg", "lleg", "calf", "shin", "tibia", "knee", "kneejoint", "crus", "shank", "ひざ",
        "小腿", "genou", "unterschenkel", "knie", "schienbein", "ginocchio", "rodilla"]),
    (Part::Foot, &["foot", "ankle", "anklejoint", "footjoint", "paw", "talocrural", "talus", "足首",
        "脚", "脚踝", "pied", "cheville", "fuß", "fuss", "knöchel", "knoechel", "piede", "caviglia", "pie", "tobillo"]),
    (Part::Toes, &["toe", "toes", "toebase", "ball", "football", "forefoot", "toejoint", "bigtoe", "つま先",
        "脚趾", "orteils", "orteil", "zehen", "zeh"]),
    (Part::Tail, &["tail", "tailjoint"]),
    (Part::Helper, &["buttock", "fingerbase", "heel", "metacarpal", "carpal", "metatarsal", "tarsal"]),
];

/// Returns the part that a compact lower-case word names.
pub(super) fn part(word: &str) -> Option<Part> {
    PARTS.iter().find(|(_, words)| words.contains(&word)).map(|(part, _)| *part)
}

/// Returns the finger that a word names, 0 for the thumb; `None` for other words.
pub(super) fn finger(word: &str) -> Option<u8> {
    Some(match word {
        "thumb" => 0,
        "index" | "indexfinger" | "pointer" => 1,
        "middle" | "mid" | "middlefinger" => 2,
        "ring" | "ringfinger" => 3,
        "pinky" | "little" | "pinkie" | "littlefinger" | "pinkyfinger" => 4,
        _ => return None,
    })
}

/// Words of joints that only help a rig, also at the end of a longer word.
#[rustfmt::skip]
const HELPERS: &[&str] = &[
    "twist", "roll", "ik", "pole", "target", "poletarget", "ctrl", "control", "slot", "socket", "prop",
    "weapon", "null", "helper", "holder", "attach", "mch", "locator", "dummy", "effector", "goal", "ｉｋ",
];

/// Returns true for a word of joints that only serve the rig.
pub(super) fn is_helper(word: &str) -> bool {
    HELPERS.iter().any(|&helper| word == helper || (helper.len() > 2 && word.ends_with(helper)))
}

/// Returns true for a word for the end of a bone, which is no joint if nothing follows.
pub(super) fn is_end(word: &str) -> bool {
    matches!(word, "end" | "nub" | "tip" | "top" | "site" | "leaf")
}
