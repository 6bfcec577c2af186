//! A show onto pictures and films, with no window and no display: for documents and tests.

use super::ViewError;
use super::camera::{Bounds, Camera, View};
use super::film::Film;
use super::graphics;
use super::studio::Studio;
use crate::math::{Real, Vec3};
use crate::show::{Action, Layers, Picture, Show};
use std::path::{Path, PathBuf};

/// What is to be drawn.
#[derive(Clone, Debug)]
pub struct Photograph {
    /// Width and height, pixels.
    pub size: (u32, u32),
    pub layers: Layers,
    /// From where; without it as a scene wants to be seen, else from before and above.
    pub view: Option<View>,
    /// How many pictures; the show plays on between them.
    pub frames: usize,
    /// Pictures per second of the show.
    pub rate: Real,
    /// Without words and scale.
    pub plain: bool,
}

/// Draws the show as it is now and as it goes on, and tells which files were written. `done` hears how many frames are drawn
/// and the time of the show.
pub fn photograph(
    show: &mut Show,
    options: &Photograph,
    path: &Path,
    mut done: impl FnMut(usize, Real),
) -> Result<Vec<PathBuf>, ViewError> {
    let graphics = graphics::probe()?;
    let mut film = Film::create(path, options.frames, options.rate, options.size)?;
    let mut studio = Studio::new(&graphics, options.size)?;
    // Forces of a clip are drawn as soon as they are worked out; a picture waits for them.
    let Layers { contacts, contact_forces, residual, support, zero_moment_point, .. } = options.layers;
    if contacts || contact_forces || residual || support || zero_moment_point {
        show.analyse();
        show.wait_for_analysis();
    }
    let mut picture = Picture::default();
    show.paint(&options.layers, &mut picture);
    let bounds = framed(show, &picture);
    let directed = options.view.is_none() && direct(show, &mut studio.camera);
    if !directed {
        studio.camera.look_from(options.view.unwrap_or(View::Oblique));
        studio.camera.frame(bounds);
    }
    studio.fit(bounds, show.lowest_ground());
    // A show that is not asked for physics plays; a film ends where it ends.
    let _ = show.act(Action::Play);
    let _ = show.act(Action::Loop(false));
    for frame in 0..options.frames {
        if frame > 0 {
            pass(show, 1.0 / options.rate);
            show.paint(&options.layers, &mut picture);
            if !(directed && direct(show, &mut studio.camera)) {
                let (low, high) = framed(show, &picture);
                studio.camera.follow(&((low + high) * 0.5), 0.15);
            }
        }
        let words = if options.plain { String::new() } else { caption(show) };
        let caption = (!options.plain).then_some(words.as_str());
        film.add(&studio.shoot(show.meshes(), show.textures(), &picture, caption))?;
        done(frame + 1, show.status().time);
    }
    film.finish()
}

/// Lets time pass, all of it, however long the computer takes.
fn pass(show: &mut Show, seconds: Real) {
    let until = show.status().time + seconds;
    // A show moves on by at most a tenth of a second at a time, and gives up a step that takes too long.
    for _ in 0..10_000 {
        let status = show.status();
        let left = until - status.time;
        if left <= 1e-6 || !status.playing || status.trouble.is_some() {
            return;
        }
        show.advance(left);
    }
}

/// Looks as the scene wants it, if it wants something.
pub(super) fn direct(show: &Show, camera: &mut Camera) -> bool {
    let wanted = show.camera();
    if let Some((eye, at, angle)) = &wanted {
        camera.look_between(eye, at, *angle);
    }
    wanted.is_some()
}

/// What the picture has to hold: the show's own box, widened by all that is drawn and is no landscape.
pub(super) fn framed(show: &Show, picture: &Picture) -> Bounds {
    let (mut low, mut high) = padded(show.bounds());
    for solid in &picture.solids {
        let corners = show.meshes().get(solid.mesh.0).into_iter().flat_map(|mesh| &mesh.positions);
        let corners = corners.map(|p| solid.placement.point(&Vec3::new(p[0].into(), p[1].into(), p[2].into())));
        let around = corners.map(|p| (p, p)).reduce(|(a, b), (p, _)| (a.inf(&p), b.sup(&p)));
        if let Some((a, b)) = around.filter(|(a, b)| (b - a).amax() < 30.0) {
            (low, high) = (low.inf(&a), high.sup(&b));
        }
    }
    for p in picture.skins.iter().flat_map(|skin| &skin.positions) {
        let p = Vec3::new(p[0].into(), p[1].into(), p[2].into());
        (low, high) = (low.inf(&p), high.sup(&p));
    }
    let heads = picture.arrows.iter().map(|arrow| arrow.to);
    // An arrow that is longer than everything else is tall may leave the picture.
    let (room, middle) = ((high - low).norm(), (low + high) * 0.5);
    for point in heads.filter(|point| (point - middle).norm() < room) {
        (low, high) = (low.inf(&point), high.sup(&point));
    }
    (low, high)
}

/// A box of joints with the flesh around them.
fn padded((low, high): Bounds) -> Bounds {
    let flesh = 0.05 * (high - low).amax();
    let side = Vec3::new(flesh, 0.0, flesh);
    (low - side, high + side + Vec3::new(0.0, 2.0 * flesh, 0.0))
}

fn caption(show: &Show) -> String {
    let names: Vec<&str> = (0..show.len()).map(|exhibit| show.name(exhibit)).collect();
    let status = show.status();
    let time = if status.duration > 0.0 { format!("   {:.2} s", status.time) } else { String::new() };
    format!("{}{time}", names.join("   ·   "))
}
