//! Detection of the conventions that a BVH file does not say, each with a reason.

use super::document::Document;
use super::interpret::{self, Conventions, Plan};
use super::positions::Positions;
use crate::formats::detect::{self as body, Bones, Observation, SizedBody, SizedMotion, UnitGuess, UpGuess};
use crate::formats::{Guess, ImportOptions, PositionChannels, Unit, UpAxis};
use crate::stature::PEOPLE;
use crate::{BodyPlan, Clip, Joint, Quat, Real, Skeleton, Tracks, Vec3, detect_body};

/// Conventions of a file, and the ones of them that were detected.
pub(crate) struct Detected {
    pub conventions: Conventions,
    pub guesses: Vec<Guess>,
    pub up_likelihoods: Option<[Real; 6]>,
}

/// Document whose meaning is looked for.
struct Reading<'a> {
    document: &'a Document,
    plan: &'a Plan,
    /// Rows of the frames that are looked at.
    rows: Vec<&'a [Real]>,
    options: &'a ImportOptions,
    guesses: Vec<Guess>,
    up_likelihoods: Option<[Real; 6]>,
}

/// Detects everything that `options` leave open.
pub(crate) fn detect(document: &Document, plan: &Plan, options: &ImportOptions) -> Detected {
    let channels = document.channel_count();
    let values = document.motion.as_ref().map_or(&[][..], |motion| &motion.values[..]);
    let rate = document.motion.as_ref().map_or(1.0, |motion| interpret::rate(motion.frame_time));
    // A pose that was put before the motion is none of it.
    let first = usize::from(has_inserted_tpose(document, plan));
    let sampling = body::sample(first, document.frames(), rate);
    let rows = sampling.frames.iter().map(|frame| &values[frame * channels..(frame + 1) * channels]).collect();
    let mut reading = Reading { document, plan, rows, options, guesses: Vec::new(), up_likelihoods: None };

    let mut positions = Positions::of_joints(plan, &reading.rows);
    reading.guesses.extend(positions.guess(document));
    if let Some(meaning) = options.root_offset {
        positions.set_open(meaning);
    }
    let (frames, locals) = reading.frames(&positions.meanings);
    let mut seen = reading.observe(frames, &locals, sampling);
    seen.shifts.extend(reading.root_offset());
    let up = reading.up(&seen);
    reading.root_meaning(&mut positions, &seen, up);
    reading.open_meaning(&mut positions, &seen, up);
    let unit = reading.unit(&seen, &positions.meanings, up);
    let conventions = Conventions { unit, up, positions: positions.meanings };
    Detected { conventions, guesses: reading.guesses, up_likelihoods: reading.up_likelihoods }
}

impl Reading<'_> {
    /// Returns world points at every row, and the places of the joints in their parents in the last one.
    fn frames(&self, meanings: &[PositionChannels]) -> (Vec<Vec<Vec3>>, Vec<Vec3>) {
        let mut locals: Vec<Vec3> = self.plan.joints().iter().map(|joint| *joint.offset()).collect();
        let (mut half, mut rotations) = (Vec::new(), Vec::with_capacity(locals.len()));
        let at_row = |row: &&[Real]| {
            rotations.clear();
            self.plan.rotations(row, &mut half, &mut rotations);
            for ((local, joint), &meaning) in locals.iter_mut().zip(self.plan.joints()).zip(meanings) {
                *local = joint.position(row, meaning);
            }
            world_points(self.document, &locals, &rotations)
        };
        (self.rows.iter().map(at_row).collect(), locals)
    }

    fn observe(&self, frames: Vec<Vec<Vec3>>, locals: &[Vec3], sampling: body::Sampling) -> Observation {
        let nodes = &self.document.nodes;
        let rest: Vec<Vec3> = self.plan.joints().iter().map(|joint| *joint.offset()).collect();
        let rest = world_points(self.document, &rest, &vec![Quat::identity(); rest.len()]);
        let ends: Vec<usize> = (0..nodes.len()).flat_map(|j| nodes[j].end_sites.iter().map(move |_| j)).collect();
        let skeleton = self.skeleton(locals);
        let bones = skeleton.as_ref().map(|skeleton| Bones { skeleton, ends: &ends });
        Observation::new(bones.as_ref(), rest, frames, sampling)
    }

    /// Returns the skeleton with joints at `locals` in their parents, as they are in the motion: position channels may replace OFFSETs that
    /// mean nothing.
    fn skeleton(&self, locals: &[Vec3]) -> Option<Skeleton> {
        let joint = |(node, place): (&super::Node, &Vec3)| {
            let mut joint = Joint::new(node.name.clone(), node.parent, *place);
            joint.tip = node.end_sites.first().map(|&site| site.into());
            joint
        };
        Skeleton::new(self.document.nodes.iter().zip(locals).map(joint).collect()).ok()
    }

    /// Returns the body in the frames that are looked at, by which a unit is judged: the same one that the capture will show.
    fn sized_body(&self, seen: &Observation, meanings: &[PositionChannels], up: UpAxis) -> SizedBody {
        /// Confidence in a plan, and share of a stature shown by bones, from which a size is certain.
        const SURE: Real = 0.9;
        const SHOWN: Real = 0.6;
        let (joints, to_y_up) = (self.plan.joints(), up.to_y_up());
        let found = || {
            let mut skeleton = self.skeleton(&self.frames(meanings).1)?;
            let tracked: Vec<usize> = (0..joints.len()).filter(|&j| joints[j].is_root() || joints[j].moves()).collect();
            skeleton = skeleton.turned(&to_y_up);
            let (mut half, mut rotations, mut values) = (Vec::new(), Vec::new(), Vec::new());
            for row in &self.rows {
                let first = rotations.len();
                self.plan.rotations(row, &mut half, &mut rotations);
                for j in (0..joints.len()).filter(|&j| joints[j].is_root()) {
                    rotations[first + j] = to_y_up * rotations[first + j];
                }
                for &j in &tracked {
                    let place = joints[j].position(row, meanings[j]);
                    values.push(if joints[j].is_root() { to_y_up * place } else { place });
                }
            }
            let tracks = Tracks { joints: tracked, values };
            let clip = Clip::new("seen", 30.0, joints.len(), rotations, tracks, Tracks::default()).ok();
            Some(detect_body(&skeleton, clip.as_ref()))
        };
        let body = found();
        let length = seen.height;
        match body.map(|body| (body.plan, body.plan_confidence, body.stature, body.human)) {
            Some((BodyPlan::Biped, confidence, Some(stature), human)) => {
                let certain = confidence >= SURE && stature.shown >= SHOWN;
                SizedBody::Person { length: stature.height, human, certain }
            }
            Some((BodyPlan::Quadruped, ..)) => SizedBody::Animal { length },
            // Feet and head without limbs between them.
            _ if seen.landmarks.as_ref().is_some_and(|found| found.head.is_some() && found.length.is_some()) => {
                SizedBody::Person { length, human: PEOPLE, certain: false }
            }
            _ => SizedBody::Unknown { length },
        }
    }

    /// Returns the part of the first moving root's OFFSET that its channels replace or add to; `None` where there is nothing to decide.
    fn root_offset(&self) -> Option<Vec3> {
        let root = self.plan.joints().iter().find(|joint| joint.is_root() && joint.moves())?;
        root.is_ambiguous().then(|| root.open_offset())
    }

    fn up(&mut self, seen: &Observation) -> UpAxis {
        let UpGuess { up, why, runner_up, likelihoods } = body::detect_up(seen);
        self.up_likelihoods = Some(likelihoods);
        if let Some(told) = self.options.up {
            return told;
        }
        self.guesses.push(Guess::new("up", up, why, "--up").rivalled_by(runner_up));
        up
    }

    fn unit(&mut self, seen: &Observation, meanings: &[PositionChannels], up: UpAxis) -> Unit {
        if let Some(unit) = self.options.unit {
            return unit;
        }
        let is_cmu_rig = body::is_cmu_rig(self.document.nodes.iter().map(|node| node.name.as_str()));
        let sized = self.sized_body(seen, meanings, up);
        let up = up.vector();
        let gait = seen.hip_height(&up).zip(seen.stride_hz()).map(|(height, hertz)| [height, hertz]);
        let motion = SizedMotion { gait, accelerations: seen.accelerations(), up };
        let UnitGuess { unit, why, runner_up } = body::detect_unit(sized, &motion, is_cmu_rig);
        self.guesses.push(Guess::new("unit", unit, why, "--unit").rivalled_by(runner_up));
        unit
    }

    /// Decides the meaning of the channels of roots, which `seen` takes for the position.
    fn root_meaning(&mut self, positions: &mut Positions, seen: &Observation, up: UpAxis) {
        let roots: Vec<usize> = (0..self.plan.joints().len()).filter(|&j| self.plan.joints()[j].is_root()).collect();
        let meaning = self.options.root_offset.or_else(|| {
            let offset = self.root_offset().filter(|offset| offset.norm() > 1e-6 * seen.height)?;
            let root = roots.iter().map(|&j| &self.plan.joints()[j]).find(|joint| joint.moves())?;
            let usual = positions.of_root(root, &self.rows);
            let replaced = seen.ground(&up.vector())?.0;
            let added = replaced + offset.dot(&up.vector()) / seen.height;
            let floors = if usual == PositionChannels::Replace { [replaced, added] } else { [added, replaced] };
            let (meaning, guess) = by_ground("root offset", usual, floors);
            self.guesses.push(guess);
            Some(meaning)
        });
        for &root in &roots {
            positions.meanings[root] = meaning.unwrap_or(PositionChannels::Replace);
        }
    }

    /// Decides the meaning of joints that travel where nothing else shows it.
    fn open_meaning(&mut self, positions: &mut Positions, seen: &Observation, up: UpAxis) {
        if positions.open.is_empty() || self.options.root_offset.is_some() {
            return;
        }
        let floors = [PositionChannels::Replace, PositionChannels::Add].map(|meaning| {
            positions.set_open(meaning);
            seen.ground_of(&self.frames(&positions.meanings).0, &up.vector()).map_or(0.0, |ground| ground.0)
        });
        let (meaning, guess) = by_ground("joint offset", PositionChannels::Replace, floors);
        positions.set_open(meaning);
        self.guesses.push(guess);
    }
}

/// Returns the other meaning.
fn other(meaning: PositionChannels) -> PositionChannels {
    match meaning {
        PositionChannels::Replace => PositionChannels::Add,
        PositionChannels::Add => PositionChannels::Replace,
    }
}

/// Returns world positions of all joints, then of all End Sites.
fn world_points(document: &Document, locals: &[Vec3], rotations: &[Quat]) -> Vec<Vec3> {
    let mut points: Vec<Vec3> = Vec::with_capacity(locals.len());
    let mut world_rotations: Vec<Quat> = Vec::with_capacity(locals.len());
    for (j, node) in document.nodes.iter().enumerate() {
        let (position, rotation) = match node.parent {
            None => (locals[j], rotations[j]),
            Some(parent) => {
                (points[parent] + world_rotations[parent] * locals[j], world_rotations[parent] * rotations[j])
            }
        };
        points.push(position);
        world_rotations.push(rotation);
    }
    for (j, node) in document.nodes.iter().enumerate() {
        for site in &node.end_sites {
            points.push(points[j] + world_rotations[j] * Vec3::from(*site));
        }
    }
    points
}

/// Detects a meaning by the ground: the other one than `usual` only if it alone puts the lowest point near height 0.
/// `floors` are the heights of the lowest point with `usual` and with the other meaning, over the length of the body.
fn by_ground(what: &'static str, usual: PositionChannels, floors: [Real; 2]) -> (PositionChannels, Guess) {
    /// Height of the lowest point that no ground has, over the length of the body.
    const OFF_GROUND: Real = 0.2;
    let [here, there] = floors;
    let changes = here.abs() > OFF_GROUND && there.abs() < 0.5 * here.abs();
    let (meaning, here, there) = if changes { (other(usual), there, here) } else { (usual, here, there) };
    let side = |floor: Real| match (100.0 * floor).round() {
        share @ ..0.0 => format!("{:.0} % below", -share),
        0.0 => "at".to_owned(),
        share => format!("{share:.0} % above"),
    };
    let why = format!(
        "the lowest point is then {} height 0, else {} height 0 (percent of the body's length)",
        side(here),
        side(there)
    );
    (meaning, Guess::new(what, meaning, why, "--root-offset"))
}

/// Returns true if the first frame is a pose that was put before the motion: it differs from the next one many times
/// more than the following frames do.
pub(crate) fn has_inserted_tpose(document: &Document, plan: &Plan) -> bool {
    /// Frames whose steps are compared with the first one.
    const FRAMES: usize = 48;
    let (frames, channels) = (document.frames(), document.channel_count());
    let Some(motion) = document.motion.as_ref().filter(|_| frames >= 3) else { return false };
    let rotating = document.nodes.iter().filter(|node| node.channels.iter().any(|c| c.is_rotation())).count();
    if rotating == 0 {
        return false;
    }
    let mut half = Vec::new();
    let mut previous: Vec<Quat> = Vec::new();
    let mut steps: Vec<Real> = Vec::new();
    for row in motion.values.chunks_exact(channels).take(FRAMES) {
        let mut rotations = Vec::with_capacity(plan.joints().len());
        plan.rotations(row, &mut half, &mut rotations);
        let step: Real = previous.iter().zip(&rotations).map(|(a, b)| a.angle_to(b)).sum();
        if !previous.is_empty() {
            steps.push(step / rotating as Real);
        }
        previous = rotations;
    }
    let largest_after = steps[1..].iter().fold(0.0, |most: Real, &step| most.max(step));
    steps[0] > Real::to_radians(4.0) && steps[0] > 4.0 * largest_after
}
