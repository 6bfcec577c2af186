//! Moves clips between all bodies of some files and says how well it went, one line per pair.
//!
//! `cargo run --release -p sinew-tools --bin retarget_survey -- [--shuffled] [--joints] FILE… [--clips FILE…] [--rigs FILE…]`
//!
//! Files are both moved and moved to; those after `--clips` are only moved, those after `--rigs` only moved to. A line that begins
//! with `=` sums up a clip over all targets, as median / largest: skate of the source, skate, depth on the body it was made for,
//! on one built from the result, on one that finds its ground as well, new spikes, those among them that the source does not jump by,
//! arms, thighs, there and back, the same for joints that both bodies have, cut. `--joints` tells which joints do not come back and which
//! jump.

use sinew::figure::{CaptureOptions, for_skeleton};
use sinew::formats::{self, Capture, ImportOptions, gltf};
use sinew::measure::{BeyondAnatomy, Jumps, Key, Measure, MeasureOptions, Report};
use sinew::motion::{Clip, DetectedRole, Joint, Role, Side, Skeleton, edit};
use sinew::retarget::{Body, BodyOptions, JointMap, Retarget, RetargetOptions};
use sinew::{Quat, Real, Vec3};
use std::error::Error;

struct Rig {
    name: String,
    capture: Capture,
    skin: Option<Vec<Vec<Vec3>>>,
    body: Body,
}

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let files = |flag: Option<&str>| -> Vec<String> {
        let mut under = None;
        let mut files = Vec::new();
        for word in &given {
            match word.starts_with("--") {
                true => under = Some(word.as_str()),
                false if under.filter(|word| !matches!(*word, "--shuffled" | "--joints")) == flag => {
                    files.push(word.clone())
                }
                false => {}
            }
        }
        files
    };
    let both = files(None);
    let joints = given.iter().any(|word| word == "--joints");
    if given.iter().any(|word| word == "--shuffled") {
        return both.iter().try_for_each(|file| shuffle(file));
    }
    let open =
        |others: Vec<String>| both.iter().chain(&others).map(|file| Rig::open(file)).collect::<Result<Vec<_>, _>>();
    let (sources, targets) = (open(files(Some("--clips")))?, open(files(Some("--rigs")))?);
    println!(
        "{:<30} {:<30} {:>5} {:>6} | {:>6} {:>6} | {:>6} {:>6} {:>6} {:>6} | {:>5} {:>5} {:>5} {:>5} | {:>5} {:>5} | {:>5} {:>5} | {:>5} {:>6} {:>8} {:>7}",
        "clip",
        "target",
        "sure",
        "scale",
        "skate",
        "after",
        "deep",
        "after",
        "file",
        "report",
        "spk",
        "after",
        "new",
        "own",
        "float",
        "after",
        "arm°",
        "leg°",
        "back°",
        "shared",
        "cut mm",
        "beyond%"
    );
    for from in &sources {
        let Some(clip) = from.capture.clips.iter().find(|clip| clip.frames() > 0) else { continue };
        let clip = &edit::slice(clip, 0..clip.frames().min(MOST_FRAMES))?;
        let before = report(&from.capture.skeleton, from.skin.as_deref(), clip, None, false)?;
        let mut rows: Vec<Row> = Vec::new();
        for to in &targets {
            let label = format!("{:<30.30} {:<30.30}", from.name, to.name);
            match Row::of(from, to, clip)? {
                Ok(None) => {}
                Ok(Some(mut row)) => {
                    row.beyond = BeyondAnatomy::between(&before, &row.after).map_or(0.0, |new| 100.0 * new.share);
                    row.print(&label, &before);
                    if joints {
                        row.print_joints(to);
                    }
                    rows.push(row);
                }
                Err(refused) => println!("{label} refused: {refused}"),
            }
        }
        summarise(&from.name, &before, &rows);
    }
    Ok(())
}

/// Longer clips are cut.
const MOST_FRAMES: usize = 800;

impl Rig {
    fn open(file: &str) -> Result<Rig, Box<dyn Error>> {
        let capture = formats::read(file.as_ref(), &ImportOptions { drop_tpose: true, ..ImportOptions::default() })?;
        let skin = gltf::skin_vertices(&capture).ok().flatten();
        let example = capture.clips.iter().find(|clip| clip.frames() > 0);
        let body = Body::new(&capture.skeleton, &BodyOptions { example, skin: skin.as_deref(), told: &[] });
        let name = file.rsplit('/').next().unwrap_or(file).to_owned();
        Ok(Rig { name, skin, body, capture })
    }
}

/// What shape alone makes of a rig.
fn shuffle(file: &str) -> Result<(), Box<dyn Error>> {
    let rig = Rig::open(file)?;
    let example = rig.capture.clips.iter().find(|clip| clip.frames() > 0);
    let options = BodyOptions { example, skin: rig.skin.as_deref(), told: &[] };
    let nameless = Body::new(&nameless(&rig.capture.skeleton)?, &options);
    compare(&rig.name, &rig.capture.skeleton, rig.body.guesses(), nameless.guesses());
    for (kind, known) in [("named", &rig.body), ("nameless", &nameless)] {
        match JointMap::between(known, known) {
            Ok(map) => println!("    {kind}: is moved, least sure {:.2}", map.confidence()),
            Err(error) => println!("    {kind}: is refused, {error:.120}"),
        }
    }
    Ok(())
}

/// How well one pair went.
struct Row {
    sure: Real,
    scale: Real,
    after: Report,
    /// Depth on the body it was made for, on one built anew from the result, and that with the ground it finds itself, mm.
    deep: [Option<Real>; 3],
    spikes: Vec<NewSpike>,
    arm: Real,
    leg: Real,
    /// What each joint of the source is off by, there and back, degrees.
    back: Vec<Turned>,
    cut: Real,
    /// Joint-frames beyond the anatomy that the source does not have, percent.
    beyond: Real,
}

impl Row {
    /// None for the same skeleton, the reason where it is refused.
    fn of(from: &Rig, to: &Rig, clip: &Clip) -> Result<Result<Option<Row>, String>, Box<dyn Error>> {
        let map = match JointMap::between(&from.body, &to.body) {
            Ok(map) => map,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let run = |source: &Body, target: &Body, clip: &Clip| {
            Retarget { source, target, clip, options: RetargetOptions::default() }.run()
        };
        let moved = run(&from.body, &to.body, clip)?;
        if moved.same {
            return Ok(Ok(None));
        }
        let skeleton = &to.capture.skeleton;
        let after = report(skeleton, to.skin.as_deref(), &moved.clip, Some(moved.ground), true)?;
        let found = report(skeleton, to.skin.as_deref(), &moved.clip, None, true)?;
        let options = MeasureOptions { ground: Some(moved.ground), made: true, ..MeasureOptions::default() };
        let own = to.body.figure().and_then(|figure| Measure { figure, clip: &moved.clip, options }.run().ok());
        let depth = |of: &Report| of.get(Key::PenetrationMax);
        let deep = [own.as_ref().and_then(depth), depth(&after), depth(&found)];
        let back = run(&to.body, &from.body, &moved.clip)?;
        let start = clip.frames() * 2 / 5;
        let cut = run(&from.body, &to.body, &edit::slice(clip, start..clip.frames())?)?;
        let [arm, leg] = [[Role::UpperArm as fn(Side) -> Role, Role::LowerArm], [Role::UpperLeg, Role::LowerLeg]]
            .map(|roles| directions(from, &to.body, clip, &moved.clip, roles));
        Ok(Ok(Some(Row {
            sure: map.confidence(),
            scale: moved.scale,
            after,
            deep,
            spikes: new_spikes((&from.body, clip), (&to.body, &moved.clip)),
            arm,
            leg,
            back: there_and_back((&from.body, clip), &back.clip, &to.body),
            cut: 1e3 * apart(skeleton, &moved.clip, &cut.clip, start),
            beyond: 0.0,
        })))
    }

    fn print(&self, label: &str, before: &Report) {
        let [own, file, found] = self.deep.map(shown);
        println!(
            "{label} {:>5.2} {:>6.3} | {:>6} {:>6} | {:>6} {own:>6} {file:>6} {found:>6} | {:>5} {:>5} {:>5} {:>5} | {:>5} {:>5} | {:>5.2} {:>5.2} | {:>5.2} {:>6.2} {:>8.1e} {:>7.1}",
            self.sure,
            self.scale,
            shown(before.get(Key::SkateFoot)),
            shown(self.after.get(Key::SkateFoot)),
            shown(before.get(Key::PenetrationMax)),
            shown(before.get(Key::Spikes)),
            shown(self.after.get(Key::Spikes)),
            frames_of(self.spikes.iter()),
            frames_of(self.spikes.iter().filter(|spike| !spike.is_jump_of_source())),
            shown(before.get(Key::FloatShare)),
            shown(self.after.get(Key::FloatShare)),
            self.arm,
            self.leg,
            mean(self.back.iter().map(|turned| turned.by)),
            mean(self.back.iter().filter_map(|turned| turned.shared)),
            self.cut,
            self.beyond,
        );
    }

    /// Which joints do not come back, and which jump.
    fn print_joints(&self, to: &Rig) {
        let told = self.back.iter().map(|turned| {
            let shared = turned.shared.map_or("–".to_owned(), |by| format!("{by:.1}"));
            format!("{} {:.1} {shared}", turned.role, turned.by)
        });
        println!("    back: {}", told.collect::<Vec<_>>().join(", "));
        for spike in &self.spikes {
            println!(
                "    jump: {} at {} by {:.1}, source {:.1} rad/s",
                to.capture.skeleton.joint(spike.joint).name,
                spike.frame,
                spike.jump,
                spike.source
            );
        }
    }
}

fn shown(value: Option<Real>) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.1}"))
}

/// Median and largest of all that matters over the targets of one clip, as a row of a table.
fn summarise(name: &str, before: &Report, rows: &[Row]) {
    let both = |of: &dyn Fn(&Row) -> Option<Real>| {
        let mut all: Vec<Real> = rows.iter().filter_map(of).collect();
        all.sort_by(Real::total_cmp);
        all.last().map_or("–".to_owned(), |most| format!("{:.1} / {most:.1}", all[all.len() / 2]))
    };
    println!(
        "= | {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1e} |",
        shown(before.get(Key::SkateFoot)),
        both(&|row| row.after.get(Key::SkateFoot)),
        both(&|row| row.deep[0]),
        both(&|row| row.deep[1]),
        both(&|row| row.deep[2]),
        both(&|row| Some(frames_of(row.spikes.iter()) as Real)),
        both(&|row| Some(frames_of(row.spikes.iter().filter(|spike| !spike.is_jump_of_source())) as Real)),
        both(&|row| Some(row.arm)),
        both(&|row| Some(row.leg)),
        both(&|row| Some(mean(row.back.iter().map(|turned| turned.by)))),
        both(&|row| Some(mean(row.back.iter().filter_map(|turned| turned.shared)))),
        rows.iter().map(|row| row.cut).fold(0.0, Real::max),
    );
}

/// A frame in which a joint of the target spikes, by the law of `sinew report`, and its counterpart in the source does not within 50 ms.
struct NewSpike {
    joint: usize,
    frame: usize,
    /// rad/s.
    jump: Real,
    /// The most that the counterpart jumps by around there, rad/s.
    source: Real,
}

impl NewSpike {
    /// A jump that the source has too, but for a fifth of it, may become a spike because all around it became calmer.
    fn is_jump_of_source(&self) -> bool {
        self.source > 0.8 * self.jump
    }
}

/// What a joint does is seen from the joint it hangs on, so the counterpart is all that lies between the same two joints of the source;
/// and joints of spine and neck, which are spread over each other, have all of these for counterparts.
fn new_spikes(source: (&Body, &Clip), target: (&Body, &Clip)) -> Vec<NewSpike> {
    let rate = source.1.rate_hz();
    let near = (0.05 * rate).ceil() as usize;
    let with_role = |role: Role| source.0.guesses().iter().position(|guess| guess.role == Some(role));
    let parent = |body: &Body, j: usize| body.skeleton().joint(j).parent;
    let is_trunk = |role: Role| matches!(role, Role::Spine(_) | Role::Neck(_) | Role::Head);
    let mut found = Vec::new();
    for (j, guess) in target.0.guesses().iter().enumerate() {
        let own = Jumps::of_joint(target.1, j);
        let mut known: Vec<Jumps> = Vec::new();
        if let Some(k) = guess.role.and_then(with_role) {
            let above = std::iter::successors(parent(target.0, j), |&j| parent(target.0, j));
            let roles = above.filter_map(|j| target.0.guesses()[j].role);
            let hangs_on = roles.filter(|role| *role != Role::Helper).find_map(with_role);
            let way = std::iter::successors(Some(k), |&k| parent(source.0, k));
            let between: Vec<usize> = way.take_while(|&k| Some(k) != hangs_on).collect();
            known.extend(between.iter().map(|&k| Jumps::of_joint(source.1, k)));
            let whole = |f: usize| between.iter().rev().fold(Quat::identity(), |q, &k| q * source.1.rotations(f)[k]);
            known.push(Jumps::of((0..source.1.frames()).map(whole), rate));
        }
        if guess.role.is_some_and(is_trunk) {
            let trunk = source.0.guesses().iter().enumerate().filter(|(_, guess)| guess.role.is_some_and(is_trunk));
            known.extend(trunk.map(|(k, _)| Jumps::of_joint(source.1, k)));
        }
        for frame in own.spikes() {
            let around = || frame.saturating_sub(near)..=frame + near;
            let spikes = |other: &Jumps| around().any(|frame| other.is_spike(frame));
            if !known.iter().any(spikes) {
                let jumps = known.iter().flat_map(|other| around().filter_map(|frame| other.sizes.get(frame)));
                let source = jumps.copied().fold(0.0, Real::max);
                found.push(NewSpike { joint: j, frame, jump: own.sizes[frame], source });
            }
        }
    }
    found
}

fn frames_of<'a>(spikes: impl Iterator<Item = &'a NewSpike>) -> usize {
    spikes.map(|spike| spike.frame).collect::<std::collections::BTreeSet<_>>().len()
}

/// The same joints under names that say nothing, in the same order.
fn nameless(skeleton: &Skeleton) -> Result<Skeleton, Box<dyn Error>> {
    let rename =
        |(k, joint): (usize, &Joint)| Joint { name: format!("qx{}", k * 7919 % 1000), role: None, ..joint.clone() };
    Ok(Skeleton::new(skeleton.joints().iter().enumerate().map(rename).collect())?)
}

/// Which main joints shape alone takes for something else than names and shape together.
fn compare(name: &str, skeleton: &Skeleton, full: &[DetectedRole], shape: &[DetectedRole]) {
    let main = full.iter().enumerate().filter(|(_, guess)| guess.role.is_some_and(sinew::motion::Role::is_main));
    let spine = |role: Option<Role>| matches!(role, Some(Role::Spine(_)));
    let (mut all, mut wrong) = (0, Vec::new());
    for (j, guess) in main {
        all += 1;
        if shape[j].role != guess.role && !(spine(guess.role) && spine(shape[j].role)) {
            let other = shape[j].role.map_or("?".to_owned(), |role| role.to_string());
            wrong.push(format!(
                "{} is {} not {other}",
                skeleton.joint(j).name,
                guess.role.map_or_else(String::new, |r| r.to_string())
            ));
        }
    }
    let least = full
        .iter()
        .filter(|g| g.role.is_some_and(sinew::motion::Role::is_main))
        .map(|g| g.confidence)
        .fold(1.0, Real::min);
    println!(
        "{name:<40} {all:>3} main joints, least sure {least:.2}, {} differ by shape alone: {}",
        wrong.len(),
        wrong.join(", ")
    );
}

fn report(
    skeleton: &Skeleton,
    skin: Option<&[Vec<Vec3>]>,
    clip: &Clip,
    ground: Option<Real>,
    made: bool,
) -> Result<Report, Box<dyn Error>> {
    let (figure, _) = for_skeleton(skeleton, Some(clip), skin, &CaptureOptions::default())?;
    let options = MeasureOptions { ground, made, ..MeasureOptions::default() };
    Ok(Measure { figure: &figure, clip, options }.run()?)
}

/// Mean angle between bones of source and target, seen from the body (hips to shoulders, hip to hip), degrees.
fn directions(from: &Rig, to: &Body, clip: &Clip, moved: &Clip, roles: [fn(Side) -> Role; 2]) -> Real {
    let (mut sum, mut count) = (0.0, 0);
    for frame in (0..clip.frames()).step_by(3) {
        let seen = |body: &Body, clip: &Clip| {
            let world = clip.pose(body.skeleton(), frame).world(body.skeleton());
            let at = |role: Role| body.guesses().iter().position(|g| g.role == Some(role)).map(|j| world[j].position);
            let legs = [Side::Left, Side::Right].map(|s| at(Role::UpperLeg(s)));
            let arms = [Side::Left, Side::Right].map(|s| at(Role::UpperArm(s)));
            let ([Some(l), Some(r)], [Some(a), Some(b)]) = (legs, arms) else { return None };
            let up = (0.5 * (a + b) - 0.5 * (l + r)).normalize();
            let left = (l - r - up * (l - r).dot(&up)).normalize();
            let bones = [Side::Left, Side::Right].map(|s| {
                let bone = (at(roles[1](s))? - at(roles[0](s))?).normalize();
                Some(Vec3::new(bone.dot(&left), bone.dot(&up), bone.dot(&left.cross(&up))))
            });
            Some(bones)
        };
        let (Some(a), Some(b)) = (seen(&from.body, clip), seen(to, moved)) else { continue };
        for (a, b) in a.iter().zip(&b) {
            if let (Some(a), Some(b)) = (a, b) {
                sum += a.angle(b).to_degrees();
                count += 1;
            }
        }
    }
    sum / count.max(1) as Real
}

/// What a joint of the source is off by, there and back.
struct Turned {
    role: Role,
    /// Against the joint it hangs on, mean over the frames, degrees.
    by: Real,
    /// Against the next joint above that the other body has too; none for joints that it does not have.
    shared: Option<Real>,
}

fn mean(all: impl Iterator<Item = Real>) -> Real {
    let (sum, count) = all.fold((0.0, 0.0), |(sum, count), one| (sum + one, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Angles between two clips of one body, for the joints that are a part of it: hips, spine, neck, head, collar bones, arms, hands, legs,
/// feet and toes. Of spines and necks of another number of joints only what they do as a whole can come back: the last one of the spine
/// is then seen from the hips, and the head from there.
fn there_and_back(source: (&Body, &Clip), back: &Clip, other: &Body) -> Vec<Turned> {
    let (body, clip) = source;
    let with_role = |body: &Body, role: Role| body.guesses().iter().position(|guess| guess.role == Some(role));
    let count =
        |body: &Body, role: fn(u8) -> Role| (0..u8::MAX).take_while(|&k| with_role(body, role(k)).is_some()).count();
    let alike = |role: fn(u8) -> Role| count(body, role) == count(other, role);
    let last = count(body, Role::Spine).max(1) as u8 - 1;
    let shared = |role: Role| match role {
        Role::Spine(k) => alike(Role::Spine) || (k == last && count(other, Role::Spine) > 0),
        Role::Neck(_) => alike(Role::Neck),
        role => with_role(other, role).is_some(),
    };
    let role = |j: usize| {
        body.guesses()[j].role.filter(|role| !matches!(role, Role::Helper | Role::Finger(..) | Role::Tail(_)))
    };
    let parent = |j: usize| body.skeleton().joint(j).parent;
    // From a joint up to one that both have.
    let from_shared = |clip: &Clip, frame: usize, j: usize| {
        let above = std::iter::successors(parent(j), |&j| parent(j)).take_while(|&j| !role(j).is_some_and(shared));
        above.fold(clip.rotations(frame)[j], |q, j| clip.rotations(frame)[j] * q)
    };
    let mean_angle = |of: &dyn Fn(&Clip, usize) -> Quat| {
        mean((0..clip.frames()).map(|f| of(clip, f).angle_to(&of(back, f)))).to_degrees()
    };
    let turned = |j: usize| {
        let role = role(j)?;
        let by = mean_angle(&|clip, frame| clip.rotations(frame)[j]);
        Some(Turned { role, by, shared: shared(role).then(|| mean_angle(&|clip, frame| from_shared(clip, frame, j))) })
    };
    (0..clip.joints()).filter_map(turned).collect()
}

/// The farthest that a joint of the second clip is from where the first, whose frame `start` it begins at, has it, metres.
fn apart(skeleton: &Skeleton, whole: &Clip, cut: &Clip, start: usize) -> Real {
    let mut most: Real = 0.0;
    for frame in 0..cut.frames() {
        let a = whole.pose(skeleton, start + frame).world(skeleton);
        let b = cut.pose(skeleton, frame).world(skeleton);
        most = a.iter().zip(&b).map(|(a, b)| (a.position - b.position).norm()).fold(most, Real::max);
    }
    most
}
