//! `sinew simulate`: a captured clip gets a body and follows the capture with muscles, while things happen to it.

use super::batch;
use super::cut::CutArgs;
use super::failure::{Exit, Failure};
use super::import::Reader;
use super::output::{number, some_of};
use super::outputs::Outputs;
use super::parts;
use super::ragdoll::limited_start_note;
use super::simulate_run::{self, CommonArgs, Finished, Loaded, Stairs, clip_depth, run_failure};
use clap::Args;
use sinew::control::{Animation, Gains, RootAxis, Terrain, Trip, held_ground_height};
use sinew::dynamics::Material;
use sinew::math::GRAVITY;
use sinew::math::real;
use sinew::measure::Grade;
use sinew::simulation::{ActorSettings, Event, EventKind, Grip, Prop, Run, RunSettings, Verdict};
use sinew::{Real, Vec3};
use std::path::{Path, PathBuf};
use std::str::FromStr;

const EXAMPLES: &str = "Examples:
  sinew simulate walk.bvh -o walk.glb
  sinew simulate walk.bvh -o loose.glb --loose arms --start 0.5 --end 2
  sinew simulate takes/*.bvh -o simulated/
  sinew simulate idle.bvh -o hit.bvh --push chest:0,0,-60@1.5 --strength 1 --trip 4
  sinew simulate hero.glb -o ball.glb --clip Idle --throw 3:8@1 --strength 1 --trip 4
  sinew simulate walk.bvh --root-assist y=0 --report walk.json
  sinew simulate wave.bvh -o load.glb --attach 'right hand:2' --strength 1

Parts of the body are bones of the file (sinew info lists them), roles such as \"left hand\", or, for --loose, groups:
all, arms, left arm, right arm, hands, legs, left leg, right leg, feet, head, trunk, upper body, left, right, tail.
Vectors are X,Y,Z in the world, Y up. Times are seconds from the first frame, with --start from that. Other clips of a character are
kept.";

/// Simulate a physical body that follows a clip: pushes, thrown balls, loose limbs, loads, slopes
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", super::EXIT_CODES))]
pub struct SimulateArgs {
    /// Files with the motion: .bvh, .glb, .gltf, .vrm or .amc
    #[arg(value_name = "CLIP", required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    cut: CutArgs,
    #[command(flatten)]
    acts: ActionArgs,
}

#[derive(Args)]
#[command(next_help_heading = "Actions")]
struct ActionArgs {
    /// Hit a part of the body with an impulse in N·s at a time, such as chest:0,0,-60@1.5; may be given several times
    #[arg(long, value_name = "PART:X,Y,Z@T", allow_hyphen_values = true)]
    push: Vec<Blow>,
    /// Throw a ball of so many kg at the chest with so many m/s so that it arrives at a time, such as 3:8@1.5
    #[arg(long, value_name = "KG:SPEED@T", allow_hyphen_values = true)]
    throw: Vec<Ball>,
    /// Let parts of the body hang loose, or follow with a share of the strength (arms=0.2); may be given several times
    #[arg(long, value_name = "PART[=SHARE]")]
    loose: Vec<Share>,
    /// Limit muscles to so many times the strength of a strong person [default: no limit]
    #[arg(long, value_name = "X", value_parser = positive, allow_negative_numbers = true)]
    strength: Option<f64>,
    /// Frequency with which muscles follow their targets, in Hz
    #[arg(long, value_name = "HZ", value_parser = positive, default_value_t = 30.0, allow_negative_numbers = true)]
    stiffness: f64,
    /// Root assistance: 1 exact, 0 none, any other number limits it to that many body weights; or axis by axis, such as
    /// y=0 or x,z,ry (x y z and the rotations rx ry rz; others stay held, or free if only names are given)
    #[arg(long, value_name = "X|AXES", default_value = "1", allow_negative_numbers = true)]
    root_assist: RootAssist,
    /// Switch all muscles off at this time
    #[arg(long, value_name = "T", value_parser = moment, allow_negative_numbers = true)]
    ragdoll_at: Option<f64>,
    /// Switch all muscles off when a joint stays this many degrees off its target
    #[arg(long, value_name = "DEG", value_parser = positive, allow_negative_numbers = true)]
    trip: Option<f64>,
    /// Attach a load of so many kg to a part of the body, such as 'right hand:2'; swinging with :swing at the end
    #[arg(long, value_name = "PART:KG[:swing]")]
    attach: Vec<Load>,
    /// Stop after so many seconds, or go on after the clip's end [default: the clip's length]
    #[arg(long = "for", value_name = "S", value_parser = positive, allow_negative_numbers = true)]
    duration: Option<f64>,
}

#[derive(Clone, Debug)]
struct Blow {
    part: String,
    impulse: Vec3,
    time: f64,
}

impl FromStr for Blow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected PART:X,Y,Z@T, such as chest:0,0,-60@1.5".to_owned();
        let (rest, time) = text.rsplit_once('@').ok_or_else(expected)?;
        let (part, vector) = rest.rsplit_once(':').ok_or_else(expected)?;
        let numbers: Vec<f64> =
            vector.split(',').map(|n| n.trim().parse().map_err(|_| expected())).collect::<Result<_, _>>()?;
        let [x, y, z] = numbers[..] else { return Err(expected()) };
        let impulse = Vec3::new(x, y, z);
        let finite = impulse.iter().all(|n| n.is_finite()) && !part.trim().is_empty();
        if !finite {
            return Err(expected());
        }
        Ok(Self { part: part.trim().to_owned(), impulse, time: moment(time)? })
    }
}

#[derive(Clone, Copy, Debug)]
struct Ball {
    mass: f64,
    speed: f64,
    time: f64,
}

impl FromStr for Ball {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected KG:SPEED@T, such as 3:8@1.5".to_owned();
        let (rest, time) = text.rsplit_once('@').ok_or_else(expected)?;
        let (mass, speed) = rest.split_once(':').ok_or_else(expected)?;
        let number = |text: &str| positive(text).map_err(|_| expected());
        Ok(Self { mass: number(mass)?, speed: number(speed)?, time: moment(time)? })
    }
}

#[derive(Clone, Debug)]
struct Share {
    part: String,
    share: f64,
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((part, share)) = text.rsplit_once('=') else {
            return Ok(Self { part: text.to_owned(), share: 0.0 });
        };
        let share = share.trim().parse().ok().filter(|s| (0.0..=1.0).contains(s));
        let share = share.ok_or_else(|| "expected a share of strength between 0 and 1, such as arms=0.2".to_owned())?;
        Ok(Self { part: part.to_owned(), share })
    }
}

#[derive(Clone, Debug)]
struct Load {
    part: String,
    mass: f64,
    grip: Grip,
}

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected PART:KG or PART:KG:swing, such as 'right hand:2'".to_owned();
        let (text, grip) = match text.strip_suffix(":swing") {
            Some(rest) => (rest, Grip::Swinging),
            None => (text, Grip::Firm),
        };
        let (part, mass) = text.rsplit_once(':').ok_or_else(expected)?;
        Ok(Self { part: part.trim().to_owned(), mass: positive(mass).map_err(|_| expected())?, grip })
    }
}

/// Body weights (1 or more: without limit) by axis.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RootAssist([f64; 6]);

impl FromStr for RootAssist {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const AXES: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];
        let expected = || {
            "expected a number from 0 on (1 holds, 0 frees), or axes among x, y, z, rx, ry, rz such as y=0 or x,z,ry"
                .to_owned()
        };
        let amount = |text: &str| text.trim().parse().ok().filter(|a: &f64| a.is_finite() && *a >= 0.0);
        if let Some(all) = amount(text) {
            return Ok(Self([all; 6]));
        }
        // Only names: these are held. Any number: the others stay held.
        let mut item = [if text.contains('=') { 1.0 } else { 0.0 }; 6];
        for word in text.split(',').map(str::trim) {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name.trim(), amount(value).ok_or_else(expected)?),
                None => (word, 1.0),
            };
            let axis = AXES.iter().position(|axis| axis.eq_ignore_ascii_case(name)).ok_or_else(expected)?;
            item[axis] = value;
        }
        Ok(Self(item))
    }
}

impl RootAssist {
    fn axes(&self, weight: Real, height: Real) -> [RootAxis; 6] {
        std::array::from_fn(|k| {
            let amount = self.0[k];
            let unit = if k < 3 { weight } else { weight * height };
            let limit = if amount == 1.0 { Real::INFINITY } else { amount * unit };
            RootAxis { on: amount > 0.0, limit, ..RootAxis::default() }
        })
    }

    /// Bound of the assistance as a whole, force (N) and torque (N·m), where one number was given for all axes.
    fn bound(&self, weight: Real, height: Real) -> Option<[Real; 2]> {
        let amount = self.0[0];
        let whole = self.0 == [amount; 6] && amount > 0.0 && amount != 1.0;
        whole.then_some([amount * weight, amount * weight * height])
    }

    /// Describes an assistance other than the exact one.
    fn note(&self) -> Option<String> {
        if self.0 == [1.0; 6] {
            return None;
        }
        if self.0 == [0.0; 6] {
            return Some("root free".to_owned());
        }
        Some(format!("root held {}", self.0.map(|amount| number(amount, 2)).join("/")))
    }
}

fn positive(text: &str) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|v: &f64| v.is_finite() && *v > 0.0);
    value.ok_or_else(|| "expected a positive number".to_owned())
}

/// Seconds from the first frame.
pub fn moment(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let value = text.strip_suffix('s').unwrap_or(text).parse().ok().filter(|v: &f64| v.is_finite() && *v >= 0.0);
    value.ok_or_else(|| "expected a time in seconds, such as 1.5".to_owned())
}

/// Rotation of a joint from one frame to the next above which the capture is faulty, degrees.
const SPIKE_DEGREES: Real = 60.0;

/// Describes the largest velocity spike of the clip: a joint that rotates by more than [`SPIKE_DEGREES`] within a frame.
fn velocity_spike_note(loaded: &Loaded) -> Option<String> {
    let (clip, segments) = (&loaded.clip, loaded.figure.segments());
    let turn = |frame: usize, joint: usize| clip.rotations(frame - 1)[joint].angle_to(&clip.rotations(frame)[joint]);
    let turns = (1..clip.frames()).flat_map(|frame| segments.iter().map(move |s| (turn(frame, s.joint), frame, s)));
    let (angle, frame, segment) = turns.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (degrees, time) = (angle.to_degrees(), number(frame as Real / clip.rate_hz(), 2));
    let note = format!(
        "the capture jumps: {} turns by {degrees:.0}° within a frame at {time} s (--strength 1 bounds what follows it)",
        segment.name
    );
    Some(note).filter(|_| degrees > SPIKE_DEGREES)
}

/// Returns the option that asks for an event.
fn option_of(what: &EventKind) -> &'static str {
    match what {
        EventKind::Push { .. } => "--push",
        EventKind::Throw { .. } => "--throw",
        _ => "--ragdoll-at",
    }
}

/// Returns the terrain that the options ask for.
pub fn terrain(args: &CommonArgs) -> Terrain {
    match (args.stairs, args.slope) {
        (Some(Stairs::Down), _) => Terrain::STAIRS,
        (Some(Stairs::Up), _) => Terrain::STAIRS_UP,
        (None, Some(degrees)) => Terrain::Slope { angle: degrees.to_radians() },
        (None, None) => Terrain::Flat,
    }
}

/// Mean root assistance (body weights) and tracking error (degrees) above which the held root and the ground conflict.
const ROOT_CONFLICT: (Real, Real) = (5.0, 2.0);

impl SimulateArgs {
    /// Runs the verb. With `--json` a failure is printed as an object, too, beside the diagnostic on stderr.
    pub fn run(self) -> Result<Exit, Failure> {
        let mut outputs = self.common.refuse_early(&self.inputs)?;
        let reader = self.common.import.reader(&self.inputs, true)?;
        let failed = |file: &Path, failure: &Failure| serde_json::json!({ "input": file.display().to_string(), "error": failure.to_json() });
        batch::each(&self.inputs, self.common.json, failed, |input| self.simulate(input, &reader, &mut outputs))
            .map(batch::partly)
    }

    fn simulate(&self, input: &Path, reader: &Reader, outputs: &mut Outputs) -> Result<Grade, Failure> {
        let mut loaded = self.common.load(input, reader, &self.cut, false)?;
        let mut notes = Vec::new();
        if self.stays_held() {
            let lower = held_ground_height(&loaded.figure, &loaded.clip).filter(|height| *height < loaded.ground);
            if let Some(height) = lower {
                let by = number((loaded.ground - height) * 1e3, 1);
                notes.push(format!(
                    "ground {by} mm below the feet, just under the lowest captured point (--ground sets it)"
                ));
                loaded.ground = height;
            }
        }
        notes.extend(velocity_spike_note(&loaded));
        let refuse = |error: sinew::motion::ClipError| Failure::content(format!("{}: {error}", input.display()));
        let animation = Animation::new(&loaded.capture.skeleton, &loaded.clip).map_err(refuse)?;
        let mut run = self.build(&loaded, &animation, &mut notes).map_err(|failure| failure.about(input))?;
        let before = clip_depth(&loaded, terrain(&self.common), &run);
        let frames = match self.acts.duration {
            Some(seconds) => (seconds * loaded.clip.rate_hz()).round().min(1e7) as usize + 1,
            None => loaded.clip.frames(),
        };
        let what = format!("simulating {}", input.display());
        let outcome =
            simulate_run::drive(&mut run, input, what, frames, false).map_err(|failure| failure.about(input))?;
        notes.extend(limited_start_note(&loaded.figure, run.followers[0].limited_velocities()));
        let mut judgement = outcome.replay_judgement(&loaded.figure);
        if let Some(conflict) = self.root_conflict_note(&outcome.verdict) {
            judgement.add(Grade::Bad, conflict);
        }
        if loaded.clip.frames() < 2 {
            judgement.add(Grade::Usable, "the clip is a single pose, in which nothing moves");
        }
        let (places, animation, outcome) = (self.common.places(input), &animation, &outcome);
        let finished = Finished { input, places, loaded, animation, outcome, before, judgement, notes };
        simulate_run::finish(&self.common, outputs, finished)
    }

    /// Describes a conflict between the ground and a root held without limit: forces are far too large and the joints between
    /// them give way. (A root that jerks needs as much force, but its joints follow.)
    fn root_conflict_note(&self, verdict: &Verdict) -> Option<String> {
        let held = self.acts.root_assist.0.contains(&1.0);
        let residual = verdict.residual_mean;
        (held && residual > ROOT_CONFLICT.0 && verdict.tracking_rms.to_degrees() > ROOT_CONFLICT.1).then(|| {
            format!(
                "the held root and {} push against each other with {} body weights (--root-assist y=0 lets the \
                 ground carry the figure, --root-assist 0.5 lets the root give way)",
                self.opponents(),
                number(residual, 0)
            )
        })
    }

    /// Names what may push against a held root.
    fn opponents(&self) -> String {
        let acts = &self.acts;
        let asked = [
            ("--push", acts.push.is_empty()),
            ("--throw", acts.throw.is_empty()),
            ("--attach", acts.attach.is_empty()),
        ];
        let asked: Vec<&str> = asked.iter().filter(|(_, none)| !none).map(|(option, _)| *option).collect();
        let ground =
            self.common.ground.map_or("the ground".to_owned(), |y| format!("the ground at {} m", number(y, 2)));
        match asked.as_slice() {
            [] => ground,
            asked => format!("{ground} or {}", asked.join(" or ")),
        }
    }

    /// Returns true if the root is held exactly for the whole run, over ground that no option sets.
    fn stays_held(&self) -> bool {
        let acts = &self.acts;
        let let_go = acts.trip.is_some() || acts.ragdoll_at.is_some();
        let chosen = self.common.ground.is_some() || !matches!(terrain(&self.common), Terrain::Flat);
        acts.root_assist.note().is_none() && !let_go && !chosen
    }

    fn build(&self, loaded: &Loaded, animation: &Animation, notes: &mut Vec<String>) -> Result<Run, Failure> {
        let (figure, acts) = (&loaded.figure, &self.acts);
        let root = acts.root_assist.axes(figure.mass() * GRAVITY, figure.height);
        let assist = acts.root_assist.bound(figure.mass() * GRAVITY, figure.height);
        let settings = RunSettings {
            actor: ActorSettings {
                root,
                assist,
                gains: Gains::critical(acts.stiffness),
                torque: acts.strength.unwrap_or(Real::INFINITY),
                ..ActorSettings::default()
            },
            terrain: terrain(&self.common),
            ground: loaded.ground,
            material: Material { friction: self.common.friction, ..Material::default() },
            rate: self.common.rate,
            substeps: self.common.substeps,
            trip: acts.trip.map(|degrees| Trip::at(degrees.to_radians())),
            ..RunSettings::default()
        };
        let events = self.events(loaded)?;
        let mut loose = Vec::new();
        for item in &acts.loose {
            for part in item.part.split(',') {
                loose.extend(parts::segments(figure, part)?.into_iter().map(|k| (k, item.share)));
            }
        }
        let mut loads = Vec::new();
        for load in &acts.attach {
            loads.push((parts::segment(figure, &load.part)?, load));
        }
        let mut run = Run::new(figure, animation.clone(), settings).map_err(|error| run_failure(&error))?;
        for (segment, share) in loose {
            run.followers[0].actor.set_strength(segment, share);
        }
        for (segment, load) in loads {
            let radius = real::cbrt(3.0 * load.mass / (4.0 * std::f64::consts::PI * 1000.0));
            let prop = Prop::ball(load.mass, radius, figure.segment(segment).end, load.grip);
            run.attach(&prop, 0, segment).map_err(|error| run_failure(&error))?;
            notes.push(format!("{} kg on {}", number(load.mass, 2), figure.segment(segment).name));
        }
        for event in events {
            run.schedule(event).map_err(|error| run_failure(&error))?;
        }
        if !acts.loose.is_empty() {
            let parts: Vec<String> = acts.loose.iter().map(|item| item.part.clone()).collect();
            notes.push(format!("loose: {}", some_of(&parts)));
        }
        notes.extend(acts.root_assist.note());
        Ok(run)
    }

    fn events(&self, loaded: &Loaded) -> Result<Vec<Event>, Failure> {
        let figure = &loaded.figure;
        let mut events = Vec::new();
        for blow in &self.acts.push {
            let segment = parts::segment(figure, &blow.part)?;
            events.push(Event {
                time: blow.time,
                follower: 0,
                what: EventKind::Push { segment, impulse: blow.impulse },
            });
        }
        let chest = parts::chest(figure).unwrap_or(0);
        for ball in &self.acts.throw {
            let what = EventKind::Throw { segment: chest, mass: ball.mass, speed: ball.speed };
            events.push(Event { time: ball.time, follower: 0, what });
        }
        events.extend(self.acts.ragdoll_at.map(|time| Event { time, follower: 0, what: EventKind::LetGo }));
        let end = self.acts.duration.unwrap_or_else(|| loaded.clip.duration());
        if let Some(late) = events.iter().find(|event| event.time > end) {
            let message = format!("{} is set to {} s, behind the end", option_of(&late.what), number(late.time, 3));
            return Err(Failure::usage(message).help(format!(
                "the run ends at {} s; --for makes it longer, and times count from --start",
                number(end, 3)
            )));
        }
        Ok(events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_assistance_is_a_number_or_axes() {
        assert_eq!("1".parse(), Ok(RootAssist([1.0; 6])));
        assert_eq!("0.5".parse(), Ok(RootAssist([0.5; 6])));
        assert_eq!("y=0".parse(), Ok(RootAssist([1.0, 0.0, 1.0, 1.0, 1.0, 1.0])));
        assert_eq!("x,z,ry".parse(), Ok(RootAssist([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])));
        assert_eq!("y=0.3,rx=0".parse(), Ok(RootAssist([1.0, 0.3, 1.0, 0.0, 1.0, 1.0])));
        for wrong in ["", "-1", "w", "y=", "y=-1", "nan", "inf"] {
            assert!(wrong.parse::<RootAssist>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn blows_balls_loads_and_shares_are_read_as_written() {
        let blow: Blow = "left hand:1,-2,3.5@0.25".parse().expect("a blow");
        assert_eq!((blow.part.as_str(), blow.impulse, blow.time), ("left hand", Vec3::new(1.0, -2.0, 3.5), 0.25));
        let ball: Ball = "3:8@1.5s".parse().expect("a ball");
        assert_eq!((ball.mass, ball.speed, ball.time), (3.0, 8.0, 1.5));
        let load: Load = "right hand:2:swing".parse().expect("a load");
        assert_eq!((load.part.as_str(), load.mass, load.grip), ("right hand", 2.0, Grip::Swinging));
        let share: Share = "arms=0.2".parse().expect("a share");
        assert_eq!((share.part.as_str(), share.share), ("arms", 0.2));
        assert!("chest:1,2@1".parse::<Blow>().is_err() && ":1,2,3@1".parse::<Blow>().is_err());
        assert!("3:0@1".parse::<Ball>().is_err() && "arms=2".parse::<Share>().is_err());
    }
}
