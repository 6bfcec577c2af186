//! Parts of a body as people name them: a bone of the file, a role such as "left hand", or a group such as "arms".

use super::failure::Failure;
use super::output::some_of;
use sinew::figure::Figure;
use sinew::files::nearest;
use sinew::motion::{Role, Side};

const GROUPS: [&str; 15] = [
    "all",
    "arms",
    "left arm",
    "right arm",
    "hands",
    "legs",
    "left leg",
    "right leg",
    "feet",
    "head",
    "trunk",
    "upper body",
    "left",
    "right",
    "tail",
];

/// The one segment of this name: a bone, or a role.
pub fn segment(figure: &Figure, name: &str) -> Result<usize, Failure> {
    let name = name.trim();
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    let by_bone = || {
        let skeleton = figure.skeleton();
        let joint = skeleton.find(name).or_else(|| skeleton.joints().iter().position(|joint| same(&joint.name)));
        joint.and_then(|joint| figure.segment_of(joint))
    };
    let by_role = || figure.segments().iter().position(|s| s.role.is_some_and(|role| same(&role.to_string())));
    let chest = || same("chest").then(|| chest(figure)).flatten();
    by_bone().or_else(by_role).or_else(chest).ok_or_else(|| unknown(figure, name, &[]))
}

/// All segments meant by a word.
pub fn segments(figure: &Figure, name: &str) -> Result<Vec<usize>, Failure> {
    let word = name.trim().to_lowercase();
    if GROUPS.contains(&word.as_str()) {
        let member = |k: &usize| in_group(&word, figure.segment(*k).role) || word == "all";
        let found: Vec<usize> = (0..figure.segments().len()).filter(member).collect();
        if found.is_empty() {
            return Err(Failure::usage(format!("this figure has no {word}")).help(known(figure)));
        }
        return Ok(found);
    }
    segment(figure, name).map(|one| vec![one]).map_err(|_| unknown(figure, name.trim(), &GROUPS))
}

/// The segment a ball is thrown at: the uppermost of the spine, else the heaviest.
pub fn chest(figure: &Figure) -> Option<usize> {
    let spine = |k: &usize| match figure.segment(*k).role {
        Some(Role::Spine(level)) => Some(level),
        _ => None,
    };
    let all = 0..figure.segments().len();
    let upper = all.clone().filter(|k| spine(k).is_some()).max_by_key(|k| spine(k));
    upper.or_else(|| all.max_by(|a, b| figure.segment(*a).mass.mass.total_cmp(&figure.segment(*b).mass.mass)))
}

fn in_group(word: &str, role: Option<Role>) -> bool {
    let Some(role) = role else { return false };
    let arm = matches!(role, Role::UpperArm(_) | Role::LowerArm(_) | Role::Hand(_) | Role::Finger(..));
    let leg = matches!(role, Role::UpperLeg(_) | Role::LowerLeg(_) | Role::Foot(_) | Role::Toes(_));
    let (left, right) = (role.side() == Some(Side::Left), role.side() == Some(Side::Right));
    match word {
        "arms" => arm,
        "left arm" => arm && left,
        "right arm" => arm && right,
        "hands" => matches!(role, Role::Hand(_) | Role::Finger(..)),
        "legs" => leg,
        "left leg" => leg && left,
        "right leg" => leg && right,
        "feet" => matches!(role, Role::Foot(_) | Role::Toes(_)),
        "head" => matches!(role, Role::Neck(_) | Role::Head),
        "trunk" => matches!(role, Role::Spine(_)),
        "upper body" => !leg && role != Role::Hips && !matches!(role, Role::Tail(_)),
        "left" => left,
        "right" => right,
        "tail" => matches!(role, Role::Tail(_)),
        _ => false,
    }
}

fn names(figure: &Figure) -> Vec<String> {
    figure.segments().iter().map(|s| s.name.clone()).collect()
}

fn known(figure: &Figure) -> String {
    format!("its segments are {}", some_of(&names(figure)))
}

fn unknown(figure: &Figure, name: &str, groups: &[&str]) -> Failure {
    let roles: Vec<String> = figure.segments().iter().filter_map(|s| s.role.map(|role| role.to_string())).collect();
    let skeleton = figure.skeleton();
    let bones = skeleton.joints().iter().map(|joint| joint.name.as_str());
    let candidates = bones.chain(roles.iter().map(String::as_str)).chain(groups.iter().copied());
    if groups.is_empty() && GROUPS.contains(&name.trim().to_lowercase().as_str()) {
        return Failure::usage(format!("{name:?} are several segments, and one is expected")).help(known(figure));
    }
    let failure = Failure::usage(format!("there is no bone or part {name:?}"));
    match nearest(name, candidates) {
        Some(near) => failure.help(format!("did you mean {near:?}? {}", known(figure))),
        None => failure.help(known(figure)),
    }
}
