//! Moves clips between all bodies of some files and says how well it went, one line per pair.
//!
//!     cargo run --release --example retarget_survey -- [--shuffled] FILE… [--clips FILE…] [--rigs FILE…]
//!
//! Files are both moved and moved to; those after `--clips` are only moved, those after `--rigs` only moved to. A line that begins
//! with `=` sums up a clip over all targets, as median / largest: skate of the source, skate, depth on the body it was made for,
//! on one built from the result, on one that finds its ground as well, new spikes, arms, thighs, there and back, cut.

use sinew::figure::FigureOptions;
use sinew::formats::{self, Capture, ImportOptions, gltf};
use sinew::measure::{Key, Measure, MeasureOptions, Report};
use sinew::motion::{Clip, Joint, Role, RoleGuess, Side, Skeleton, edit};
use sinew::retarget::{Body, BodyOptions, JointMap, Retarget, RetargetOptions, embody};
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
                false if under.filter(|word| *word != "--shuffled") == flag => files.push(word.clone()),
                false => {}
            }
        }
        files
    };
    let both = files(None);
    if given.iter().any(|word| word == "--shuffled") {
        return both.iter().try_for_each(|file| shuffle(file));
    }
    let open =
        |others: Vec<String>| both.iter().chain(&others).map(|file| Rig::open(file)).collect::<Result<Vec<_>, _>>();
    let (sources, targets) = (open(files(Some("--clips")))?, open(files(Some("--rigs")))?);
    println!(
        "{:<30} {:<30} {:>5} {:>6} | {:>6} {:>6} | {:>6} {:>6} {:>6} {:>6} | {:>5} {:>5} {:>5} | {:>5} {:>5} | {:>5} {:>5} | {:>5} {:>8}",
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
        "float",
        "after",
        "arm°",
        "leg°",
        "back°",
        "cut mm"
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
                Ok(Some(row)) => {
                    row.print(&label, &before);
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
    new_spikes: usize,
    arm: Real,
    leg: Real,
    back: Real,
    cut: Real,
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
            new_spikes: new_spikes((&from.body, clip), (&to.body, &moved.clip)),
            arm,
            leg,
            back: angles(&from.body, clip, &back.clip),
            cut: 1e3 * apart(skeleton, &moved.clip, &cut.clip, start),
        })))
    }

    fn print(&self, label: &str, before: &Report) {
        let [own, file, found] = self.deep.map(shown);
        println!(
            "{label} {:>5.2} {:>6.3} | {:>6} {:>6} | {:>6} {own:>6} {file:>6} {found:>6} | {:>5} {:>5} {:>5} | {:>5} {:>5} | {:>5.2} {:>5.2} | {:>5.2} {:>8.1e}",
            self.sure,
            self.scale,
            shown(before.get(Key::SkateFoot)),
            shown(self.after.get(Key::SkateFoot)),
            shown(before.get(Key::PenetrationMax)),
            shown(before.get(Key::Spikes)),
            shown(self.after.get(Key::Spikes)),
            self.new_spikes,
            shown(before.get(Key::FloatShare)),
            shown(self.after.get(Key::FloatShare)),
            self.arm,
            self.leg,
            self.back,
            self.cut,
        );
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
        "= | {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1e} |",
        shown(before.get(Key::SkateFoot)),
        both(&|row| row.after.get(Key::SkateFoot)),
        both(&|row| row.deep[0]),
        both(&|row| row.deep[1]),
        both(&|row| row.deep[2]),
        both(&|row| Some(row.new_spikes as Real)),
        both(&|row| Some(row.arm)),
        both(&|row| Some(row.leg)),
        both(&|row| Some(row.back)),
        rows.iter().map(|row| row.cut).fold(0.0, Real::max),
    );
}

/// Frames in which a joint spikes and its counterpart in the source neither spikes within 50 ms, by the law of `sinew report`, nor
/// jumps by as much: a jump that the source has too may become a spike because all around it became calmer. What a joint does is seen
/// from the joint it hangs on, so the counterpart is all that lies between the same two joints of the source; and joints of spine and
/// neck, which are spread over each other, have all of these for counterparts.
fn new_spikes(source: (&Body, &Clip), target: (&Body, &Clip)) -> usize {
    let rate = source.1.rate_hz();
    let near = (0.05 * rate).ceil() as usize;
    let with_role = |role: Role| source.0.guesses().iter().position(|guess| guess.role == Some(role));
    let parent = |body: &Body, j: usize| body.skeleton().joint(j).parent;
    let is_trunk = |role: Role| matches!(role, Role::Spine(_) | Role::Neck(_) | Role::Head);
    let mut frames = std::collections::BTreeSet::new();
    for (j, guess) in target.0.guesses().iter().enumerate() {
        let own = jumps(&rotations_of(target.1, j), rate);
        let mut known: Vec<Vec<Real>> = Vec::new();
        if let Some(k) = guess.role.and_then(with_role) {
            let above = std::iter::successors(parent(target.0, j), |&j| parent(target.0, j));
            let roles = above.filter_map(|j| target.0.guesses()[j].role);
            let hangs_on = roles.filter(|role| *role != Role::Helper).find_map(with_role);
            let way = std::iter::successors(Some(k), |&k| parent(source.0, k));
            let between: Vec<usize> = way.take_while(|&k| Some(k) != hangs_on).collect();
            known.extend(between.iter().map(|&k| jumps(&rotations_of(source.1, k), rate)));
            let whole = |f: usize| between.iter().rev().fold(Quat::identity(), |q, &k| q * source.1.rotations(f)[k]);
            known.push(jumps(&(0..source.1.frames()).map(whole).collect::<Vec<Quat>>(), rate));
        }
        if guess.role.is_some_and(is_trunk) {
            let trunk = source.0.guesses().iter().enumerate().filter(|(_, guess)| guess.role.is_some_and(is_trunk));
            known.extend(trunk.map(|(k, _)| jumps(&rotations_of(source.1, k), rate)));
        }
        let has = |other: &Vec<Real>, frame: usize| {
            let around = frame.saturating_sub(near)..(frame + near + 1).min(other.len());
            around.into_iter().any(|f| other[f] > 0.8 * own[frame] || is_spike(other, f, rate))
        };
        let spikes = (1..own.len()).filter(|&frame| is_spike(&own, frame, rate));
        frames.extend(spikes.filter(|&frame| !known.iter().any(|other| has(other, frame))));
    }
    frames.len()
}

/// By how much the angular velocity of a joint jumps at each frame, rad/s.
fn jumps(rotations: &[Quat], rate: Real) -> Vec<Real> {
    let turn = |pair: &[Quat]| (pair[1] * pair[0].inverse()).scaled_axis() * rate;
    let speeds: Vec<Vec3> = rotations.windows(2).map(turn).collect();
    std::iter::once(0.0).chain(speeds.windows(2).map(|pair| (pair[1] - pair[0]).norm())).collect()
}

/// A jump of more than 5 rad/s and of four times what it is around.
fn is_spike(jumps: &[Real], frame: usize, rate: Real) -> bool {
    let at = |f: usize| jumps.get(f).copied().unwrap_or(0.0);
    let own = at(frame);
    if frame == 0 || own <= 5.0 || own <= at(frame - 1) || own < at(frame + 1) {
        return false;
    }
    let around = ((0.25 * rate).round() as usize).max(3);
    let mut near: Vec<Real> = jumps[frame.saturating_sub(around)..(frame + around + 1).min(jumps.len())].to_vec();
    near.sort_by(Real::total_cmp);
    own > 4.0 * near[near.len() / 2]
}

fn rotations_of(clip: &Clip, joint: usize) -> Vec<Quat> {
    (0..clip.frames()).map(|frame| clip.rotations(frame)[joint]).collect()
}

/// The same joints under names that say nothing, in the same order.
fn nameless(skeleton: &Skeleton) -> Result<Skeleton, Box<dyn Error>> {
    let rename =
        |(k, joint): (usize, &Joint)| Joint { name: format!("qx{}", k * 7919 % 1000), role: None, ..joint.clone() };
    Ok(Skeleton::new(skeleton.joints().iter().enumerate().map(rename).collect())?)
}

/// Which main joints shape alone takes for something else than names and shape together.
fn compare(name: &str, skeleton: &Skeleton, full: &[RoleGuess], shape: &[RoleGuess]) {
    let main = full.iter().enumerate().filter(|(_, guess)| guess.role.is_some_and(sinew::retarget::is_main));
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
    let least =
        full.iter().filter(|g| g.role.is_some_and(sinew::retarget::is_main)).map(|g| g.confidence).fold(1.0, Real::min);
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
    let figure = embody(skeleton, &FigureOptions { clip: Some(clip), skin, ..FigureOptions::default() })?;
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

/// Mean angle between the joint rotations of two clips of one body, over the joints that are a part of it, degrees.
fn angles(body: &Body, a: &Clip, b: &Clip) -> Real {
    let known = |j: &usize| {
        body.guesses()[*j].role.is_some_and(|r| !matches!(r, Role::Helper | Role::Finger(..) | Role::Tail(_)))
    };
    let joints: Vec<usize> = (0..a.joints()).filter(known).collect();
    let mut sum = 0.0;
    for frame in 0..a.frames() {
        sum +=
            joints.iter().map(|&j| a.rotations(frame)[j].angle_to(&b.rotations(frame)[j]).to_degrees()).sum::<Real>();
    }
    sum / (a.frames() * joints.len()).max(1) as Real
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
