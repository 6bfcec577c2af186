//! Joint map: the joint of the source that moves each joint of the target, with its confidence.

use crate::Real;
use crate::figure::body::Body;
use crate::motion::{Role, Side, Skeleton};

/// Joint of the target and the joint of the source that moves it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mapping {
    /// Joint of the source.
    pub source: usize,
    /// Joint of the target.
    pub target: usize,
    /// Role of both; chains of different length (spine, neck, tail, fingers) are distributed over each other.
    pub role: Role,
    /// Smaller confidence of both joints, 0 to 1.
    pub confidence: Real,
}

/// Matched joints of two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMap {
    /// Matches, sorted by target joint.
    pub joints: Vec<Mapping>,
    /// Parts that one body has and the other has not, in words.
    pub notes: Vec<String>,
}

/// Least confidence of a trusted joint.
pub const SURE: Real = 0.6;

/// Side of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Body that the motion belongs to.
    Source,
    /// Body that the motion is moved to.
    Target,
}

impl std::fmt::Display for Whose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Whose::Source => "source",
            Whose::Target => "target",
        })
    }
}

/// Joint that is not known well enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// Body of the joint.
    pub whose: Whose,
    /// Name of the joint.
    pub joint: String,
    /// Presumed role.
    pub role: Role,
    /// Confidence in it, 0 to 1; 0 where only its place suggests it.
    pub confidence: Real,
}

/// Reasons why a motion cannot be moved from one body to another.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MapError {
    /// A skeleton is not recognised as a body.
    #[error(
        "no body is recognised in the {whose}: among its {joints} joints, {found} of which say by name or by shape what part of a body they are, \
         there is no {missing}"
    )]
    NoBody {
        /// Body in question.
        whose: Whose,
        /// Joints with a recognised role.
        found: usize,
        /// All joints.
        joints: usize,
        /// Part that was not found.
        missing: &'static str,
    },
    /// Main joints are not known well enough.
    #[error("{} of the {} not known well enough", tell_joints(.0), .0[0].whose)]
    Doubtful(Vec<Doubt>),
    /// A joint of a limb is not attached to that limb.
    #[error(
        "the {role} of the {whose}, {joint:?}, hangs on {on}, not on the limb before it: a motion of the limb would leave it behind"
    )]
    Detached {
        /// Body in question.
        whose: Whose,
        /// Name of the joint.
        joint: String,
        /// Role of the joint.
        role: Role,
        /// Its parent, quoted.
        on: String,
    },
    /// The bodies stand on different numbers of legs.
    #[error("the source stands on {source_legs} and the target on {target_legs}: their limbs do not do the same")]
    Kinds {
        /// Legs of the source, in words.
        source_legs: &'static str,
        /// Legs of the target, in words.
        target_legs: &'static str,
    },
    /// The bodies have too few main joints in common.
    #[error("source and target have too little in common: {0}")]
    Nothing(String),
}

fn tell_joints(doubts: &[Doubt]) -> String {
    let names: Vec<String> = doubts.iter().map(|doubt| format!("{:?} ({})", doubt.joint, doubt.role)).collect();
    format!("{} {}", names.join(", "), if names.len() == 1 { "is" } else { "are" })
}

impl JointMap {
    /// Matches two bodies by the roles of their joints. Refuses where a main joint is in doubt, instead of guessing wrong.
    pub fn between(source: &Body, target: &Body) -> Result<JointMap, MapError> {
        for (whose, body) in [(Whose::Source, source), (Whose::Target, target)] {
            recognised(whose, body)?;
        }
        if source.is_upright() != target.is_upright() {
            let legs = |body: &Body| if body.is_upright() { "two legs" } else { "four legs" };
            return Err(MapError::Kinds { source_legs: legs(source), target_legs: legs(target) });
        }
        let mut joints = Vec::new();
        for (j, guess) in target.guesses.iter().enumerate() {
            let Some(role) = guess.role.filter(|&role| role != Role::Helper) else { continue };
            if let Some(from) = partner(source, target, role) {
                let confidence = guess.confidence.min(source.guesses[from].confidence);
                joints.push(Mapping { source: from, target: j, role, confidence });
            }
        }
        let main = joints.iter().filter(|m| m.role.is_main()).count();
        if main < 4 {
            return Err(MapError::Nothing(format!("{main} main joints are the same part of a body")));
        }
        let mut notes = missing(source, target);
        notes.extend([(Whose::Source, source), (Whose::Target, target)].into_iter().filter_map(facing));
        Ok(JointMap { joints, notes })
    }

    /// Returns the smallest confidence of the main joints.
    pub fn confidence(&self) -> Real {
        self.joints.iter().filter(|m| m.role.is_main()).map(|m| m.confidence).fold(1.0, Real::min)
    }
}

/// Returns the joint of the source for a role of the target; along chains of different length the one at the same relative
/// position.
fn partner(source: &Body, target: &Body, role: Role) -> Option<usize> {
    let along = |numbered: fn(u8) -> Role, k: u8| {
        let (from, to) = (source.chain(numbered), target.chain(numbered));
        let place = (Real::from(k) + 1.0) / to.len().max(1) as Real * from.len() as Real;
        from.get((place.ceil() as usize).max(1) - 1).copied()
    };
    match role {
        Role::Spine(k) => along(Role::Spine, k),
        Role::Neck(k) => along(Role::Neck, k),
        Role::Tail(k) => along(Role::Tail, k),
        role => source.joint(role),
    }
}

/// Refuses skeletons that are no body, or whose main joints are in doubt.
fn recognised(whose: Whose, body: &Body) -> Result<(), MapError> {
    let main: Vec<(usize, Role)> =
        body.guesses.iter().enumerate().filter_map(|(j, g)| Some((j, g.role.filter(|&r| r.is_main())?))).collect();
    let has = |role: Role| body.joint(role).is_some();
    let limbs = [Side::Left, Side::Right].into_iter().flat_map(|s| [Role::LowerArm(s), Role::LowerLeg(s)]);
    if !has(Role::Hips) || !limbs.clone().any(has) || main.len() < 4 {
        let found = body.guesses.iter().filter(|g| g.role.is_some_and(|r| r != Role::Helper)).count();
        let missing = match () {
            _ if !has(Role::Hips) => "pelvis",
            _ if !limbs.clone().any(has) => "arm or leg of two bones",
            _ => "trunk with limbs of two bones",
        };
        return Err(MapError::NoBody { whose, found, joints: body.skeleton.len(), missing });
    }
    let name = |j: usize| body.skeleton.joint(j).name.clone();
    for &(j, role) in &main {
        let before = match role {
            Role::LowerArm(s) => Role::UpperArm(s),
            Role::Hand(s) => Role::LowerArm(s),
            Role::LowerLeg(s) => Role::UpperLeg(s),
            Role::Foot(s) => Role::LowerLeg(s),
            _ => continue,
        };
        let mut above = std::iter::successors(body.skeleton.joint(j).parent, |&p| body.skeleton.joint(p).parent);
        if body.joint(before).is_some_and(|before| !above.any(|p| p == before)) {
            let on = body.skeleton.joint(j).parent.map_or("nothing".to_owned(), |p| format!("{:?}", name(p)));
            return Err(MapError::Detached { whose, joint: name(j), role, on });
        }
    }
    let mut doubts: Vec<Doubt> = main
        .iter()
        .filter(|(j, _)| body.guesses[*j].confidence < SURE)
        .map(|&(j, role)| Doubt { whose, joint: name(j), role, confidence: body.guesses[j].confidence })
        .collect();
    doubts.extend(unread_limbs(body).into_iter().map(|(j, role)| Doubt {
        whose,
        joint: name(j),
        role,
        confidence: 0.0,
    }));
    if doubts.is_empty() { Ok(()) } else { Err(MapError::Doubtful(doubts)) }
}

/// Returns long chains without a role where a limb is missing, as that limb.
fn unread_limbs(body: &Body) -> Vec<(usize, Role)> {
    let mut open: Vec<[Role; 3]> = Vec::new();
    for side in [Side::Left, Side::Right] {
        for limb in [
            [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)],
            [Role::UpperArm(side), Role::LowerArm(side), Role::Hand(side)],
        ] {
            if limb.iter().all(|&role| body.joint(role).is_none()) {
                open.push(limb);
            }
        }
    }
    let skeleton = &body.skeleton;
    let long = 0.3 * body.trunk_length().or(body.leg_length()).unwrap_or_else(|| skeleton.height());
    let unread = |j: usize| body.guesses[j].role.is_none();
    let legless = open.iter().filter(|limb| matches!(limb[0], Role::UpperLeg(_))).count() == 2;
    let rest = skeleton.rest_pose().world(skeleton);
    let mut found = Vec::new();
    for j in 0..skeleton.len() {
        let on_a_part = |p: &usize| !unread(*p) && body.guesses[*p].role != Some(Role::Helper);
        let Some(parent) = skeleton.joint(j).parent.filter(|p| unread(j) && on_a_part(p)) else { continue };
        let Some(limb) = open.first().copied() else { continue };
        let (chain, length) = chain_from(skeleton, j);
        // Twins that hang down from a body without legs are its legs, even if short.
        let is_twin = |k: usize| {
            let (other, its) = chain_from(skeleton, k);
            k != j && unread(k) && other.len() == chain.len() && (its - length).abs() < 0.1 * length
        };
        let down = rest[j].position.y - rest[chain[chain.len() - 1]].position.y;
        let is_leg = legless && down > 0.7 * length && skeleton.children(parent).any(is_twin);
        if chain.len() >= 2 && length > if is_leg { 0.5 * long } else { long } {
            found.extend(chain.into_iter().zip(limb));
            open.remove(0);
        }
    }
    found
}

/// Returns the joints from one outwards along the longest bones, and their length, metres.
fn chain_from(skeleton: &Skeleton, start: usize) -> (Vec<usize>, Real) {
    let (mut chain, mut length) = (vec![start], 0.0);
    while let Some(next) = skeleton
        .children(chain[chain.len() - 1])
        .max_by(|&a, &b| skeleton.bone_length(a).total_cmp(&skeleton.bone_length(b)))
    {
        length += skeleton.bone_length(next);
        chain.push(next);
    }
    (chain, length)
}

/// Standard deviation beyond which the facing of a segment is told as uncertain, radians.
const VAGUE: Real = 0.2;

/// Tells which segments of a body were understood from its motion, and which of them are uncertain.
fn facing((whose, body): (Whose, &Body)) -> Option<String> {
    let shown = |j: usize| body.uncertainty[j].filter(|_| body.guesses[j].role.is_some_and(Role::is_main));
    let joints: Vec<usize> = (0..body.skeleton.len()).filter(|&j| shown(j).is_some()).collect();
    let main = body.guesses.iter().filter(|guess| guess.role.is_some_and(Role::is_main)).count();
    let what = match joints.len() {
        0 => return None,
        all if all == main => "its segments face".to_owned(),
        _ => {
            let roles = joints.iter().filter_map(|&j| body.guesses[j].role).map(|role| role.to_string());
            format!("its {} face", roles.collect::<Vec<_>>().join(", "))
        }
    };
    let vague = joints.iter().filter(|&&j| shown(j).is_some_and(|deviation| deviation > VAGUE));
    let vague = vague.map(|&j| {
        let degrees = shown(j).unwrap_or(0.0).to_degrees().min(180.0);
        format!("{} within about {degrees:.0}°", body.guesses[j].role.map_or_else(String::new, |role| role.to_string()))
    });
    let vague: Vec<String> = vague.collect();
    let vague = if vague.is_empty() { String::new() } else { format!("; least sure: {}", vague.join(", ")) };
    Some(format!("the rest pose of the {whose} does not show what {what}; taken from its motion{vague}"))
}

/// Lists the parts that one body has and the other has not.
fn missing(source: &Body, target: &Body) -> Vec<String> {
    let mut notes = Vec::new();
    for side in [Side::Left, Side::Right] {
        let word = if side == Side::Left { "left" } else { "right" };
        for (part, role) in [("leg", Role::LowerLeg(side)), ("arm", Role::LowerArm(side))] {
            match (source.joint(role).is_some(), target.joint(role).is_some()) {
                (true, false) => notes.push(format!("the target has no {word} {part}: that of the source is left out")),
                (false, true) => notes.push(format!("the source has no {word} {part}: that of the target rests")),
                _ => {}
            }
        }
    }
    let tails = (source.chain(Role::Tail).len(), target.chain(Role::Tail).len());
    match tails {
        (0, n) if n > 0 => notes.push("the source has no tail: that of the target rests".to_owned()),
        (n, 0) if n > 0 => notes.push("the target has no tail: that of the source is left out".to_owned()),
        _ => {}
    }
    let counts = [("spine", Role::Spine as fn(u8) -> Role), ("neck", Role::Neck)];
    for (part, numbered) in counts {
        let (from, to) = (source.chain(numbered).len(), target.chain(numbered).len());
        if from != to && from > 0 && to > 0 {
            notes.push(format!(
                "joints of the {part}: {from} in the source, {to} in the target; its bend is spread over them"
            ));
        }
    }
    notes
}
