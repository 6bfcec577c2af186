//! The files of `data/`, as bytes.

use super::balance;
use super::body::Body;
use super::cast;
use super::clip::{RATE, from_poses, of_postures};
use super::curve::Fourier;
use super::damage;
use super::dog::Dog;
use super::dog_walk::{self, DogWalk};
use super::fall::Fall;
use super::flesh;
use super::gait::Gait;
use super::jump::Jump;
use super::rig::Rig;
use super::run;
use super::standing;
use super::turn::turn;
use super::walk;
use sinew::Real;
use sinew::figure::{Figure, FigureOptions};
use sinew::formats::bvh::{self, Damage, Document};
use sinew::formats::{Capture, ExportOptions, Format, ImportReport, Unit, UpAxis, gltf};
use sinew::motion::{Clip, Skeleton};
use std::error::Error;

/// A file: its path below `data/`, and what is in it.
pub struct DataFile {
    pub path: String,
    pub bytes: Vec<u8>,
}

/// Strides in a walk and a run: whole ones, so that the last pose is the first one, farther on.
pub const STRIDES: Real = 3.0;
pub const RUN_STRIDES: Real = 5.0;

/// Everything that belongs in `data/` but its README.
pub fn all() -> Result<Vec<DataFile>, Box<dyn Error>> {
    let mut files = Vec::new();
    let mut add = |path: String, bytes: Vec<u8>| files.push(DataFile { path, bytes });

    let actor = cast::actor()?;
    let clips = actor_clips(&actor)?;
    add("characters/actor.glb".into(), glb(&actor.skeleton, &clips)?);
    for clip in &clips {
        add(format!("clips/{}.bvh", clip.name), bvh_text(&actor.skeleton, clip)?);
    }
    let walk_clip = clips.iter().find(|clip| clip.name == "walk").ok_or("the actor has no walk")?;
    for damage in &damage::ALL {
        let harmed = damage.apply(&actor.skeleton, walk_clip)?;
        add(format!("damaged/{}.bvh", harmed.name), bvh_text(&actor.skeleton, &harmed)?);
    }
    add("damage.toml".into(), damage::table("walk").into_bytes());

    let heavy = cast::heavy()?;
    let rig = Rig::along_bones(&heavy)?;
    let style = walk::Style::heavy();
    let gait = walk::walk(&heavy, &style, as_drawn());
    let walking = of_postures("heavy_walk", &heavy, STRIDES * style.period, |t| gait.posture(t / style.period))?;
    let idling = of_postures("heavy_idle", &heavy, 5.0, |t| standing::idle(&heavy, 5.0, t))?;
    let clips_of_heavy = [rig.clip(&heavy, &walking)?, rig.clip(&heavy, &idling)?];
    let slim = glb(&rig.skeleton, &clips_of_heavy)?;
    add("characters/heavy.glb".into(), flesh::thicken(&slim, &rig.skeleton, flesh::heavy)?);
    for clip in &clips_of_heavy {
        add(format!("clips/{}.bvh", clip.name), bvh_text(&rig.skeleton, clip)?);
    }

    let dog = Dog::new()?;
    let walking = DogWalk::new(&dog);
    let frames = (STRIDES * dog_walk::PERIOD * RATE).round() as usize + 1;
    let clip = from_poses("dog_walk", (0..frames).map(|k| walking.pose(k as Real / RATE / dog_walk::PERIOD)))?;
    add("characters/dog.glb".into(), glb(&dog.skeleton, std::slice::from_ref(&clip))?);
    add(format!("clips/{}.bvh", clip.name), bvh_text(&dog.skeleton, &clip)?);
    for (name, skeleton, clip) in [("heavy", &rig.skeleton, &clips_of_heavy[0]), ("dog", &dog.skeleton, &clip)] {
        add(format!("figures/{name}.toml"), figure_text(name, skeleton, clip)?);
    }
    add("scenes/blow.wav".into(), super::sound::breath());
    Ok(files)
}

fn actor_clips(actor: &Body) -> Result<Vec<Clip>, Box<dyn Error>> {
    let walking = walk::Style::actor();
    let walk = carried_walk(actor, &walking)?;
    let running = run::Style::actor();
    let run = run::run(actor, &running);
    let jump = Jump::new(actor);
    let fall = Fall::new(actor);
    Ok(vec![
        of_postures("idle", actor, 6.0, |t| standing::idle(actor, 6.0, t))?,
        of_postures("walk", actor, STRIDES * walking.period, |t| walk.posture(t / walking.period))?,
        of_postures("run", actor, RUN_STRIDES * running.period, |t| run.posture(t / running.period))?,
        of_postures("jump", actor, 3.3, |t| jump.posture(t))?,
        of_postures("turn", actor, 3.8, |t| turn(actor, t))?,
        of_postures("wave", actor, 4.0, |t| standing::wave(actor, t))?,
        of_postures("crouch", actor, 3.8, |t| standing::crouch(actor, t))?,
        of_postures("fall", actor, 3.0, |t| fall.posture(t))?,
    ])
}

fn as_drawn() -> [Fourier; 2] {
    [0; 2].map(|_| Fourier::new(0.0, Vec::new()))
}

/// A walk whose feet can carry the body that sinew gives its skeleton.
fn carried_walk<'a>(body: &'a Body, style: &'a walk::Style) -> Result<Gait<'a>, Box<dyn Error>> {
    let drawn = walk::walk(body, style, as_drawn());
    let clip = of_postures("drawn", body, STRIDES * style.period, |t| drawn.posture(t / style.period))?;
    let figure = Figure::build(&body.skeleton, &FigureOptions { clip: Some(&clip), ..FigureOptions::default() })?;
    let frames = (style.period * RATE).round() as usize;
    let tilt = balance::tilt(body, &figure, frames, |tilt| walk::walk(body, style, tilt));
    Ok(walk::walk(body, style, tilt))
}

fn capture(skeleton: &Skeleton, clips: &[Clip]) -> Capture {
    Capture {
        skeleton: skeleton.clone(),
        clips: clips.to_vec(),
        report: ImportReport::new(Format::Glb, Unit::METRE, UpAxis::PlusY),
        source: None,
    }
}

/// A skinned body with all clips; keys that move no joint by more than a tenth of a millimetre are left out.
fn glb(skeleton: &Skeleton, clips: &[Clip]) -> Result<Vec<u8>, Box<dyn Error>> {
    let options = ExportOptions { reduce: Some(1e-4), ..ExportOptions::default() };
    flesh::own(&gltf::write_glb(&capture(skeleton, clips), &options)?)
}

/// One clip, rounded to a thousandth of a degree and a micrometre, so that the file is small.
fn bvh_text(skeleton: &Skeleton, clip: &Clip) -> Result<Vec<u8>, Box<dyn Error>> {
    let exact = bvh::write(&capture(skeleton, std::slice::from_ref(clip)), &ExportOptions::default())?;
    let (mut document, _) = Document::parse(&exact, Damage::Refuse)?;
    let micrometres = |value: &mut f64| round(value, 1e4);
    let mut channels: Vec<bvh::Channel> = Vec::new();
    for node in &mut document.nodes {
        node.offset.iter_mut().for_each(micrometres);
        node.end_sites.iter_mut().flatten().for_each(micrometres);
        channels.extend(&node.channels);
    }
    if let Some(motion) = &mut document.motion {
        round(&mut motion.frame_time, 1e8);
        for (value, channel) in motion.values.iter_mut().zip(channels.iter().cycle()) {
            round(value, if channel.is_rotation() { 1e3 } else { 1e4 });
        }
    }
    Ok(document.to_bytes())
}

/// To a multiple of 1/`parts`; never minus zero.
fn round(value: &mut f64, parts: f64) {
    *value = (*value * parts).round() / parts + 0.0;
}

/// The body that sinew gives a skeleton, wide enough for a clip, as a file to edit. The last digits of sines depend on the
/// machine; they are rounded away.
fn figure_text(name: &str, skeleton: &Skeleton, clip: &Clip) -> Result<Vec<u8>, Box<dyn Error>> {
    let options = FigureOptions { clip: Some(clip), ..FigureOptions::default() };
    let mut figure = Figure::build(skeleton, &options)?;
    figure.widen_to_hold(clip);
    figure.name = name.to_owned();
    let text = figure.to_toml_of(&format!("../characters/{name}.glb"));
    let rounded = |word: &str| match word.trim_matches(['[', ']', ',']).parse::<Real>() {
        Ok(number) if word.contains('.') => {
            let near = (number * 1e9).round() / 1e9 + 0.0;
            word.replace(word.trim_matches(['[', ']', ',']), &format!("{near:?}"))
        }
        _ => word.to_owned(),
    };
    let line = |line: &str| line.split(' ').map(rounded).collect::<Vec<_>>().join(" ");
    Ok((text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n").into_bytes())
}
