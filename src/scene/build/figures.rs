//! Figures: from a captured file to an actor in the world.

use super::muscles::{gains, hold_gains, marker_gains, skin, torque, tune_figure};
use super::{Builder, check_name, refused, unknown_name};
use crate::control::{Animation, MarkerController, RootAxis, Trip, ground_height};
use crate::figure::{CaptureError, CaptureOptions, Figure as Body, FigureFile, PlaceOptions, for_clips, rest_clip};
use crate::formats::{self, Capture, FormatError, ImportOptions, Source};
use crate::math::{Quat, Real, Vec3};
use crate::motion::edit::moved;
use crate::motion::{Clip, GroundMove, Role, Side};
use crate::scene::context::Context;
use crate::scene::number::OneOrMany;
use crate::scene::objects::{Attachment, ObjectId, PlaybackSpeed, SceneFigure, SceneHold, segment_of};
use crate::scene::schema::{Controller, Figure, RootHold};
use crate::scene::unit::{ANGLE, FREQUENCY, LENGTH, MASS, NUMBER, TIME};
use crate::simulation::{Actor, ActorSettings, Follower, FollowingMarker, RagDoll};

/// Reads a capture that a scene names: a file beside it, or a built-in one.
fn capture(context: &Context<'_>, keys: &str, name: &str) -> Result<Capture, FormatError> {
    if let Some(path) = context.files.beside(name) {
        return formats::read(&path, &ImportOptions::default()).map_err(|error| {
            let told = error.to_string();
            context.fault(keys, format!("the file cannot be used: {told}"))
        });
    }
    let bytes = context.files.bytes(name).map_err(|message| {
        let error = context.fault(keys, message);
        match crate::files::nearest(name, super::super::gallery::data_names()) {
            Some(near) => error.help(format!("did you mean the built-in {near:?}?")),
            None => error,
        }
    })?;
    let stem = name.rsplit('/').next().unwrap_or(name).split('.').next().unwrap_or(name);
    formats::read_bytes(&bytes, stem, &ImportOptions::default())
        .map_err(|error| context.fault(keys, format!("{name:?} cannot be used: {}", error.message)))
}

fn clips(context: &Context<'_>, entry: &Figure, capture: &Capture) -> Result<Vec<Clip>, FormatError> {
    let mut clips = Vec::new();
    match &entry.clip {
        None => match (capture.clips.first(), entry.controller) {
            (Some(clip), _) => clips.push(clip.clone()),
            (None, Some(Controller::Ragdoll)) => {
                clips.push(rest_clip(&capture.skeleton).map_err(|error| context.fault("from", error.to_string()))?);
            }
            (None, _) => return Err(context.fault("from", "the file has no clip to follow")),
        },
        Some(names) => {
            for name in names.as_slice() {
                if name == "rest" && !capture.clips.iter().any(|clip| clip.name == "rest") {
                    clips.push(rest_clip(&capture.skeleton).map_err(|error| context.fault("clip", error.to_string()))?);
                    continue;
                }
                let clip = capture.clips.iter().find(|clip| clip.name == *name).ok_or_else(|| {
                    let error = context.fault("clip", format!("the file has no clip {name:?}"));
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
        let next = self::capture(context, "then", name)?;
        if next.skeleton.len() != capture.skeleton.len() {
            return Err(context.fault("then", format!("{name:?} has another skeleton")));
        }
        let clip = next.clips.into_iter().next();
        clips.push(clip.ok_or_else(|| context.fault("then", format!("{name:?} has no clip")))?);
    }
    Ok(clips)
}

/// Adds a figure. `ground` is the height of the ground, metres, if there is one.
pub(crate) fn add_figure(
    builder: &mut Builder<'_>,
    context: &Context<'_>,
    entry: &Figure,
    ground: Option<Real>,
) -> Result<(), FormatError> {
    check_name(context, &entry.name, "figure")?;
    if entry.from.is_empty() {
        return Err(context.missing("figure", "from"));
    }
    let capture = capture(context, "from", &entry.from)?;
    let mut clips = clips(context, entry, &capture)?;
    let figure = body(context, entry, &capture, &clips)?;
    // The feet are placed on the ground, whatever height they were captured at.
    let heading = context.or("heading", &entry.heading, ANGLE, 0.0)?;
    let at = context.vector_or_zero("at", &entry.at, LENGTH)?;
    let lift = ground.zip(ground_height(&figure, &clips[0])).map_or(0.0, |(ground, feet)| ground - feet);
    let by = GroundMove { translation: at + Vec3::new(0.0, lift, 0.0), yaw: heading };
    let wrong = |error: crate::motion::ClipError| context.fault("from", error.to_string());
    clips[0] = moved(&capture.skeleton, &clips[0], &by).map_err(wrong)?;
    let (speed, playback) = playback(context, entry)?;
    let animation = if clips.len() > 1 {
        let all: Vec<&Clip> = clips.iter().collect();
        Animation::sequence(&capture.skeleton, &all, context.fixed("overlap", &entry.overlap, TIME)?.unwrap_or(0.3))
    } else if entry.looped == Some(true) {
        Animation::looped(&capture.skeleton, &clips[0])
    } else {
        Animation::new(&capture.skeleton, &clips[0])
    };
    let animation = animation.map_err(wrong)?.at_speed(speed);
    let controller = entry.controller.unwrap_or_default();
    let mut settings = settings(context, entry, controller)?;
    settings.place.family = builder.objects.figures.len() as u32 + 1;
    let mut start = animation.sample(0.0);
    if entry.at_rest.unwrap_or(controller == Controller::Ragdoll) {
        start.stop();
    }
    let mut actor = Actor::place(&mut builder.run.world, &figure, &start, &settings).map_err(refused(context))?;
    let mut markers = Vec::new();
    match controller {
        Controller::Animation => {}
        Controller::Ragdoll => actor.relax(&mut builder.run.world, RagDoll::default()),
        Controller::Markers => {
            actor.set_activation(&mut builder.run.world, 0.0);
            markers = marked(builder, context, entry, &actor)?;
        }
    }
    let trip = context.maybe_positive("trip", &entry.trip, ANGLE)?;
    let holds = holds(builder, context, entry, &actor)?;
    let has_skin = matches!(capture.source, Some(Source::Gltf(_)));
    let thing = ObjectId::Figure(builder.objects.figures.len());
    builder.claim_name(context, &entry.name, thing)?;
    let (figure, instance) = actor.shared();
    let mut follower = Follower::new(entry.name.clone(), actor, animation);
    (follower.trip, follower.markers) = (trip.map(Trip::at), markers);
    builder.run.followers.push(follower);
    builder.objects.figures.push(SceneFigure {
        name: entry.name.clone(),
        figure,
        instance,
        capture: std::sync::Arc::new(capture),
        holds,
        entry: entry.clone(),
        has_skin,
        varies: false,
        peak_acceleration: 0.0,
        playback,
    });
    let which = builder.objects.figures.len() - 1;
    builder.objects.figures[which].varies = tune_figure(builder, &context.inside(""), which)?;
    Ok(())
}

/// Playback speed: at the start, and as a function of time if it varies.
fn playback(context: &Context<'_>, entry: &Figure) -> Result<(Real, Option<PlaybackSpeed>), FormatError> {
    let Some(number) = &entry.speed else { return Ok((1.0, None)) };
    let speed = context.positive("speed", context.number("speed", number, NUMBER)?)?;
    let expression = context.expression("speed", number, NUMBER)?;
    let varies = expression.varies();
    Ok((speed, varies.then_some(PlaybackSpeed { speed: expression, played: 0.0, until: 0.0 })))
}

/// Builds or loads the figure for all clips that it follows.
fn body(context: &Context<'_>, entry: &Figure, capture: &Capture, clips: &[Clip]) -> Result<Body, FormatError> {
    let text = match &entry.figure_file {
        Some(file) => {
            let bytes = context.files.bytes(file).map_err(|message| context.fault("figure_file", message))?;
            let text = String::from_utf8(bytes);
            Some(text.map_err(|_| context.fault("figure_file", format!("{file:?} is no text")))?)
        }
        None => None,
    };
    let options = CaptureOptions {
        mass: context.maybe_positive("mass", &entry.mass, MASS)?,
        height: context.maybe_positive("height", &entry.height, LENGTH)?,
        thickness: context.maybe_positive("girth", &entry.girth, NUMBER)?,
        file: text.as_deref().map(FigureFile::Text),
        ..CaptureOptions::default()
    };
    match for_clips(capture, clips, &options) {
        Ok((figure, _)) => Ok(figure),
        Err(CaptureError::File(error)) => {
            let file = entry.figure_file.as_deref().unwrap_or_default();
            Err(context.fault("figure_file", format!("{file:?}: {error}")))
        }
        Err(error) => Err(context.fault("from", error.to_string())),
    }
}

fn settings(context: &Context<'_>, entry: &Figure, controller: Controller) -> Result<ActorSettings, FormatError> {
    let mut settings = match controller {
        Controller::Animation => ActorSettings::default(),
        Controller::Ragdoll | Controller::Markers => {
            ActorSettings { self_contact: controller == Controller::Ragdoll, ..ActorSettings::limp() }
        }
    };
    settings.gains = gains(context, entry, settings.gains)?;
    if let Some(torque) = torque(context, entry)? {
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
    settings.looseness = context.or("looseness", &entry.looseness, FREQUENCY, settings.looseness)?;
    settings.place = PlaceOptions { material: skin(context, entry)?, ..PlaceOptions::default() };
    Ok(settings)
}

/// Segments of a group of parts, or of one part.
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

pub(super) fn no_part(context: &Context<'_>, figure: &Body, keys: &str, part: &str) -> FormatError {
    let error = context.fault(&format!("{keys}.{part}"), format!("the figure has no part {part:?}"));
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

fn holds(
    builder: &mut Builder<'_>,
    context: &Context<'_>,
    entry: &Figure,
    actor: &Actor,
) -> Result<Vec<SceneHold>, FormatError> {
    let mut holds = Vec::new();
    for (which, hold) in entry.hold.iter().enumerate() {
        let inner = context.inside(&format!("hold.{which}"));
        let segment = segment_of(actor.figure(), &hold.part)
            .ok_or_else(|| inner.fault("part", format!("the figure has no part {:?}", hold.part)))?;
        let (gains, limit) = hold_gains(&inner, hold)?;
        let end = actor.figure().segment(segment).end;
        let marker = actor.pin(&mut builder.run.world, segment, &end, gains, limit).map_err(refused(&inner))?;
        let near = match &hold.near {
            None => None,
            Some(near) => {
                let own = near.split_once('.').filter(|(figure, _)| *figure == entry.name);
                let body = match own {
                    Some((_, part)) => segment_of(actor.figure(), part).map(|k| actor.instance().bodies[k]),
                    None => super::frames::body_of(builder.objects, near).map(|(id, _)| id),
                };
                let body = body.ok_or_else(|| unknown_name(builder.objects, &inner, "near", near, "body or part"))?;
                Some(Attachment { body: Some(body), local: Vec3::zeros() })
            }
        };
        if hold.at.is_none() && near.is_none() {
            return Err(inner.missing("hold", "at"));
        }
        if let Some(at) = &hold.at {
            inner.vector("at", at, LENGTH)?;
        }
        holds.push(SceneHold { marker, which, near });
    }
    Ok(holds)
}

/// Creates three non-collinear markers on each segment that follow the clip.
fn marked(
    builder: &mut Builder<'_>,
    context: &Context<'_>,
    entry: &Figure,
    actor: &Actor,
) -> Result<Vec<FollowingMarker>, FormatError> {
    let gains = marker_gains(context, entry)?;
    let mut markers = Vec::new();
    for (k, segment) in actor.figure().segments().iter().enumerate() {
        let along = segment.end.try_normalize(1e-9).unwrap_or_else(Vec3::y);
        let side = Quat::rotation_between(&Vec3::y(), &along).unwrap_or_else(Quat::identity) * Vec3::x();
        let reach = segment.length().max(0.05);
        for point in [Vec3::zeros(), segment.end, segment.end * 0.5 + side * (0.3 * reach)] {
            let body = actor.instance().bodies[k];
            let controller = MarkerController::new(
                &mut builder.run.world,
                body,
                point - segment.centre,
                segment.mass.mass,
                gains,
                Real::INFINITY,
            )
            .map_err(refused(context))?;
            markers.push(FollowingMarker { segment: k, point, controller });
        }
    }
    Ok(markers)
}
