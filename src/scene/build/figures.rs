//! Figures: from a captured file to an actor in the world.

use super::muscles::{gains, hold_gains, marker_gains, skin, torque, tune_figure};
use super::{Site, check_name, nobody, refused};
use crate::control::{Animation, MarkerController, RootAxis, Trip, ground_height};
use crate::figure::{Figure as Body, FigureOptions, PlaceOptions};
use crate::formats::{self, Capture, FormatError, ImportOptions, Source, gltf};
use crate::math::{Quat, Real, Vec3};
use crate::motion::edit::moved;
use crate::motion::{Clip, GroundMove, Role, Side, Tracks};
use crate::scene::cast::{CastFigure, CastHold, Pace, Spot, Thing, segment_of};
use crate::scene::desk::Desk;
use crate::scene::number::OneOrMany;
use crate::scene::schema::{Controller, Figure, RootHold};
use crate::scene::unit::{ANGLE, FREQUENCY, LENGTH, MASS, NUMBER, TIME};
use crate::simulation::{Actor, ActorSettings, RagDoll};

/// Reads a capture that a scene names: a file beside it, or a built-in one.
fn capture(desk: &Desk<'_>, keys: &str, name: &str) -> Result<Capture, FormatError> {
    if let Some(path) = desk.files.beside(name) {
        return formats::read(&path, &ImportOptions::default()).map_err(|error| {
            let told = error.to_string();
            desk.fault(keys, format!("the file cannot be used: {told}"))
        });
    }
    let bytes = desk.files.bytes(name).map_err(|message| {
        let error = desk.fault(keys, message);
        match crate::files::nearest(name, super::super::gallery::data_names()) {
            Some(near) => error.help(format!("did you mean the built-in {near:?}?")),
            None => error,
        }
    })?;
    let stem = name.rsplit('/').next().unwrap_or(name).split('.').next().unwrap_or(name);
    formats::read_bytes(&bytes, stem, &ImportOptions::default())
        .map_err(|error| desk.fault(keys, format!("{name:?} cannot be used: {}", error.message)))
}

/// A clip of one frame: the rest pose.
fn still(capture: &Capture) -> Result<Clip, crate::motion::ClipError> {
    let rest = capture.skeleton.rest_pose();
    Clip::new("rest", 30.0, capture.skeleton.len(), rest.rotations, Tracks::default(), Tracks::default())
}

fn clips(desk: &Desk<'_>, entry: &Figure, capture: &Capture) -> Result<Vec<Clip>, FormatError> {
    let mut clips = Vec::new();
    match &entry.clip {
        None => match (capture.clips.first(), entry.controller) {
            (Some(clip), _) => clips.push(clip.clone()),
            (None, Some(Controller::Ragdoll)) => {
                clips.push(still(capture).map_err(|error| desk.fault("from", error.to_string()))?);
            }
            (None, _) => return Err(desk.fault("from", "the file has no clip to follow")),
        },
        Some(names) => {
            for name in names.as_slice() {
                if name == "rest" && !capture.clips.iter().any(|clip| clip.name == "rest") {
                    clips.push(still(capture).map_err(|error| desk.fault("clip", error.to_string()))?);
                    continue;
                }
                let clip = capture.clips.iter().find(|clip| clip.name == *name).ok_or_else(|| {
                    let error = desk.fault("clip", format!("the file has no clip {name:?}"));
                    let names: Vec<&str> = capture.clips.iter().map(|clip| clip.name.as_str()).collect();
                    match crate::files::nearest(name, names.iter().copied()) {
                        Some(near) => error.help(format!("did you mean {near:?}? it has {}", names.join(", "))),
                        None => error.help(format!("it has {}", names.join(", "))),
                    }
                })?;
                clips.push(clip.clone());
            }
        }
    }
    for name in entry.then.as_ref().map_or(&[][..], OneOrMany::as_slice) {
        let next = self::capture(desk, "then", name)?;
        if next.skeleton.len() != capture.skeleton.len() {
            return Err(desk.fault("then", format!("{name:?} has another skeleton")));
        }
        let clip = next.clips.into_iter().next();
        clips.push(clip.ok_or_else(|| desk.fault("then", format!("{name:?} has no clip")))?);
    }
    Ok(clips)
}

/// Adds a figure. `ground` is how high the ground is, for figures that stand on it.
pub(crate) fn add_figure(
    site: &mut Site<'_>,
    desk: &Desk<'_>,
    entry: &Figure,
    ground: Option<Real>,
) -> Result<(), FormatError> {
    check_name(desk, &entry.name, "figure")?;
    if entry.from.is_empty() {
        return Err(desk.lacks("figure", "from"));
    }
    let capture = capture(desk, "from", &entry.from)?;
    let clips = clips(desk, entry, &capture)?;
    let (figure, mut clips) = body(desk, entry, &capture, clips)?;
    // The feet stand on the ground, whatever height they were captured at.
    let heading = desk.or("heading", &entry.heading, ANGLE, 0.0)?;
    let at = desk.maybe_vector("at", &entry.at, LENGTH)?.unwrap_or_else(Vec3::zeros);
    let lift = ground.zip(ground_height(&figure, &clips[0])).map_or(0.0, |(ground, feet)| ground - feet);
    let by = GroundMove { step: at + Vec3::new(0.0, lift, 0.0), turn: heading };
    let wrong = |error: crate::motion::ClipError| desk.fault("from", error.to_string());
    clips[0] = moved(&capture.skeleton, &clips[0], &by).map_err(wrong)?;
    let (speed, pace) = pace(desk, entry)?;
    let animation = if clips.len() > 1 {
        let all: Vec<&Clip> = clips.iter().collect();
        Animation::sequence(&capture.skeleton, &all, desk.fixed("overlap", &entry.overlap, TIME)?.unwrap_or(0.3))
    } else if entry.looped == Some(true) {
        Animation::looped(&capture.skeleton, &clips[0])
    } else {
        Animation::new(&capture.skeleton, &clips[0])
    };
    let animation = animation.map_err(wrong)?.at_speed(speed);
    let controller = entry.controller.unwrap_or_default();
    let mut settings = settings(desk, entry, controller)?;
    settings.place.family = site.cast.figures.len() as u32 + 1;
    let mut start = animation.sample(0.0);
    if entry.at_rest.unwrap_or(controller == Controller::Ragdoll) {
        start.stop();
    }
    let mut actor = Actor::place(site.world, &figure, &start, &settings).map_err(|error| refused(desk, &error))?;
    let mut markers = Vec::new();
    match controller {
        Controller::Animation => {}
        Controller::Ragdoll => actor.relax(site.world, RagDoll::default()),
        Controller::Markers => {
            actor.set_activation(site.world, 0.0);
            markers = marked(site, desk, entry, &actor)?;
        }
    }
    let trip = desk.maybe("trip", &entry.trip, ANGLE)?.map(|angle| desk.positive("trip", angle)).transpose()?;
    let holds = holds(site, desk, entry, &actor)?;
    let has_skin = matches!(capture.source, Some(Source::Gltf(_)));
    let thing = Thing::Figure(site.cast.figures.len());
    if !site.cast.name(&entry.name, thing) {
        return Err(desk.fault("name", format!("there is something called {:?} already", entry.name)));
    }
    let mut figure = CastFigure {
        name: entry.name.clone(),
        wanted: animation.buffer(),
        actor,
        animation,
        capture: std::sync::Arc::new(capture),
        trip: trip.map(Trip::at),
        holds,
        markers,
        entry: entry.clone(),
        has_skin,
        relaxed: controller == Controller::Ragdoll,
        moves: false,
        peak_acceleration: 0.0,
        pace,
    };
    figure.moves = tune_figure(site.world, &desk.inside(""), &mut figure)?;
    site.cast.figures.push(figure);
    Ok(())
}

/// How fast the clip plays: at the start, and, where that changes with time, as a function of it.
fn pace(desk: &Desk<'_>, entry: &Figure) -> Result<(Real, Option<Pace>), FormatError> {
    let Some(number) = &entry.speed else { return Ok((1.0, None)) };
    let speed = desk.positive("speed", desk.number("speed", number, NUMBER)?)?;
    let expression = desk.expression("speed", number, NUMBER)?;
    let moves = expression.moves();
    Ok((speed, moves.then_some(Pace { speed: expression, played: 0.0, until: 0.0 })))
}

fn body(
    desk: &Desk<'_>,
    entry: &Figure,
    capture: &Capture,
    clips: Vec<Clip>,
) -> Result<(Body, Vec<Clip>), FormatError> {
    let skin = gltf::skin_vertices(capture).ok().flatten();
    let options = FigureOptions {
        mass: desk.maybe("mass", &entry.mass, MASS)?.map(|m| desk.positive("mass", m)).transpose()?,
        height: desk.maybe("height", &entry.height, LENGTH)?.map(|h| desk.positive("height", h)).transpose()?,
        clip: clips.first(),
        skin: skin.as_deref(),
        ..FigureOptions::default()
    };
    let mut figure = match &entry.figure_file {
        Some(file) => {
            let bytes = desk.files.bytes(file).map_err(|message| desk.fault("figure_file", message))?;
            let text =
                String::from_utf8(bytes).map_err(|_| desk.fault("figure_file", format!("{file:?} is no text")))?;
            Body::from_toml(&text, &capture.skeleton)
                .map_err(|error| desk.fault("figure_file", format!("{file:?}: {error}")))?
        }
        None => Body::build(&capture.skeleton, &options).map_err(|error| desk.fault("from", error.to_string()))?,
    };
    if figure.segments().is_empty() {
        return Err(desk.fault("from", "no joint of the skeleton carries a body"));
    }
    if let Some(girth) = desk.maybe("girth", &entry.girth, NUMBER)? {
        thicken(&mut figure, desk.positive("girth", girth)?);
    }
    for clip in &clips {
        figure.widen_to_hold(clip);
    }
    if entry.girth.is_some() {
        part_the_flesh(&mut figure, &clips[0]).map_err(|error| refused(desk, &error))?;
    }
    Ok((figure, clips))
}

/// Makes flesh thicker across its bones; masses stay.
fn thicken(figure: &mut Body, factor: Real) {
    use crate::dynamics::Shape;
    for segment in figure.segments_mut() {
        for part in &mut segment.shapes {
            match &mut part.shape {
                Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius *= factor,
                Shape::Box { half_extents } => {
                    // The longest side lies along the bone.
                    let long = half_extents.imax();
                    (0..3).filter(|k| *k != long).for_each(|k| half_extents[k] *= factor);
                }
                _ => {}
            }
        }
    }
}

/// Segments whose thickened flesh overlaps where the motion starts never touch each other, as with any figure.
fn part_the_flesh(figure: &mut Body, clip: &Clip) -> Result<(), crate::dynamics::DynamicsError> {
    let mut world = crate::dynamics::World::new();
    world.gravity = Vec3::zeros();
    let pose = crate::motion::PoseMotion::at_rest(clip.pose(figure.skeleton(), 0));
    let settings = ActorSettings { self_contact: true, ..ActorSettings::limp() };
    let actor = Actor::place(&mut world, figure, &pose, &settings)?;
    world.step(1e-4)?;
    let segment = |id| actor.instance().bodies.iter().position(|body| *body == id);
    for contact in world.contacts().iter().filter(|contact| contact.distance < 0.0) {
        if let [Some(a), Some(b)] = contact.bodies.map(segment) {
            figure.set_may_meet(a, b, false);
        }
    }
    Ok(())
}

fn settings(desk: &Desk<'_>, entry: &Figure, controller: Controller) -> Result<ActorSettings, FormatError> {
    let mut settings = match controller {
        Controller::Animation => ActorSettings::default(),
        Controller::Ragdoll | Controller::Markers => {
            ActorSettings { self_contact: controller == Controller::Ragdoll, ..ActorSettings::limp() }
        }
    };
    settings.gains = gains(desk, entry, settings.gains)?;
    if let Some(torque) = torque(desk, entry)? {
        settings.torque = torque;
    }
    match entry.root {
        None => {}
        Some(RootHold::Held) => settings.root = [RootAxis::default(); 6],
        Some(RootHold::Free) => settings.root = [RootAxis { on: false, ..RootAxis::default() }; 6],
    }
    if let Some(on) = entry.self_contact {
        settings.self_contact = on;
    }
    settings.looseness = desk.or("looseness", &entry.looseness, FREQUENCY, settings.looseness)?;
    settings.place = PlaceOptions { material: skin(desk, entry)?, ..PlaceOptions::default() };
    Ok(settings)
}

/// The segments of a group of parts, or of one part.
pub(crate) fn group(figure: &Body, word: &str) -> Option<Vec<usize>> {
    let arm = |role| matches!(role, Role::UpperArm(_) | Role::LowerArm(_) | Role::Hand(_) | Role::Finger(..));
    let leg = |role| matches!(role, Role::UpperLeg(_) | Role::LowerLeg(_) | Role::Foot(_) | Role::Toes(_));
    let on = |role: Role, side| role.side() == Some(side);
    let member = |role: Role| match word {
        "arms" => arm(role),
        "legs" => leg(role),
        "left_arm" => arm(role) && on(role, Side::Left),
        "right_arm" => arm(role) && on(role, Side::Right),
        "left_leg" => leg(role) && on(role, Side::Left),
        "right_leg" => leg(role) && on(role, Side::Right),
        "trunk" => matches!(role, Role::Spine(_)),
        "head" => matches!(role, Role::Head | Role::Neck(_)),
        "upper_body" => !leg(role) && role != Role::Hips,
        _ => false,
    };
    if word == "all" {
        return Some((0..figure.segments().len()).collect());
    }
    let found: Vec<usize> =
        (0..figure.segments().len()).filter(|&k| figure.segment(k).role.is_some_and(member)).collect();
    if found.is_empty() { segment_of(figure, word).map(|one| vec![one]) } else { Some(found) }
}

pub(super) fn no_part(desk: &Desk<'_>, figure: &Body, keys: &str, part: &str) -> FormatError {
    let error = desk.fault(&format!("{keys}.{part}"), format!("the figure has no part {part:?}"));
    let groups =
        ["all", "arms", "legs", "left_arm", "right_arm", "left_leg", "right_leg", "trunk", "head", "upper_body"];
    let roles: Vec<String> =
        figure.segments().iter().filter_map(|s| s.role.map(|role| role.to_string().replace(' ', "_"))).collect();
    let names = figure.segments().iter().map(|s| s.name.as_str());
    let all = groups.into_iter().chain(roles.iter().map(String::as_str)).chain(names);
    match crate::files::nearest(part, all) {
        Some(near) => error.help(format!("did you mean {near:?}?")),
        None => error.help(format!("parts are {}, bones and roles such as left_hand", groups.join(", "))),
    }
}

fn holds(site: &mut Site<'_>, desk: &Desk<'_>, entry: &Figure, actor: &Actor) -> Result<Vec<CastHold>, FormatError> {
    let mut holds = Vec::new();
    for (which, hold) in entry.hold.iter().enumerate() {
        let inner = desk.inside(&format!("hold.{which}"));
        let segment = segment_of(actor.figure(), &hold.part)
            .ok_or_else(|| inner.fault("part", format!("the figure has no part {:?}", hold.part)))?;
        let (gains, limit) = hold_gains(&inner, hold)?;
        let end = actor.figure().segment(segment).end;
        let marker = actor.pin(site.world, segment, &end, gains, limit).map_err(|error| refused(&inner, &error))?;
        let near = match &hold.near {
            None => None,
            Some(near) => {
                let own = near.split_once('.').filter(|(figure, _)| *figure == entry.name);
                let body = match own {
                    Some((_, part)) => segment_of(actor.figure(), part).map(|k| actor.instance().bodies[k]),
                    None => super::frames::body_of(site.cast, near).map(|(id, _)| id),
                };
                let body = body.ok_or_else(|| nobody(site.cast, &inner, "near", near, "body or part"))?;
                Some(Spot { body: Some(body), local: Vec3::zeros() })
            }
        };
        if hold.at.is_none() && near.is_none() {
            return Err(inner.lacks("hold", "at"));
        }
        if let Some(at) = &hold.at {
            inner.vector("at", at, LENGTH)?;
        }
        holds.push(CastHold { marker, which, near });
    }
    Ok(holds)
}

/// Three points around each segment, not in a line, that are drawn to where the clip has them.
fn marked(
    site: &mut Site<'_>,
    desk: &Desk<'_>,
    entry: &Figure,
    actor: &Actor,
) -> Result<Vec<(usize, Vec3, MarkerController)>, FormatError> {
    let gains = marker_gains(desk, entry)?;
    let mut markers = Vec::new();
    for (k, segment) in actor.figure().segments().iter().enumerate() {
        let along = segment.end.try_normalize(1e-9).unwrap_or_else(Vec3::y);
        let side = Quat::rotation_between(&Vec3::y(), &along).unwrap_or_else(Quat::identity) * Vec3::x();
        let reach = segment.length().max(0.05);
        for point in [Vec3::zeros(), segment.end, segment.end * 0.5 + side * (0.3 * reach)] {
            let body = actor.instance().bodies[k];
            let marker = MarkerController::new(
                site.world,
                body,
                point - segment.centre,
                segment.mass.mass,
                gains,
                Real::INFINITY,
            )
            .map_err(|error| refused(desk, &error))?;
            markers.push((k, point, marker));
        }
    }
    Ok(markers)
}
