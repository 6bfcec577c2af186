//! A workspace onto pictures and films, with no window and no display: for documents and tests.

use super::ViewError;
use super::camera::{Bounds, Camera, View};
use super::frames::FrameWriter;
use super::graphics;
use super::offscreen::Offscreen;
use crate::math::{Real, Vec3};
use crate::show::{Action, Layers, Picture, Workspace};
use std::path::{Path, PathBuf};

/// What is to be drawn.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// Width and height, pixels.
    pub size: (u32, u32),
    pub layers: Layers,
    /// From where; without it as a scene wants to be seen, else from before and above.
    pub view: Option<View>,
    /// How many pictures; the workspace plays on between them.
    pub frames: usize,
    /// Pictures per second of the workspace.
    pub rate: Real,
    /// Without words and scale.
    pub plain: bool,
}

/// Draws the workspace as it is now and as it goes on, and tells which files were written. `done` hears how many frames are drawn
/// and the time of the workspace.
pub fn render(
    workspace: &mut Workspace,
    options: &RenderOptions,
    path: &Path,
    mut done: impl FnMut(usize, Real),
) -> Result<Vec<PathBuf>, ViewError> {
    let graphics = graphics::probe()?;
    let mut video = FrameWriter::create(path, options.frames, options.rate, options.size)?;
    let mut offscreen = Offscreen::new(&graphics, options.size)?;
    // Forces of a clip are drawn as soon as they are worked out; a picture waits for them.
    let Layers { contacts, contact_forces, residual, support, zero_moment_point, .. } = options.layers;
    if contacts || contact_forces || residual || support || zero_moment_point {
        workspace.analyse();
        workspace.wait_for_analysis();
    }
    let mut picture = Picture::default();
    workspace.paint(&options.layers, &mut picture);
    let bounds = framed(workspace, &picture);
    let directed = options.view.is_none() && direct(workspace, &mut offscreen.camera);
    if !directed {
        offscreen.camera.look_from(options.view.unwrap_or(View::Oblique));
        offscreen.camera.frame(bounds);
    }
    offscreen.fit(bounds, workspace.lowest_ground());
    // A workspace that is not asked for physics plays; a video ends where it ends.
    let _ = workspace.act(Action::Play);
    let _ = workspace.act(Action::Loop(false));
    for frame in 0..options.frames {
        if frame > 0 {
            pass(workspace, 1.0 / options.rate);
            workspace.paint(&options.layers, &mut picture);
            if !(directed && direct(workspace, &mut offscreen.camera)) {
                let (low, high) = framed(workspace, &picture);
                offscreen.camera.follow(&((low + high) * 0.5), 0.15);
            }
        }
        let words = if options.plain { String::new() } else { caption(workspace) };
        let caption = (!options.plain).then_some(words.as_str());
        video.add(&offscreen.shoot(workspace.meshes(), workspace.textures(), &picture, caption))?;
        done(frame + 1, workspace.status().time);
    }
    video.finish()
}

/// Lets time pass, all of it, however long the computer takes.
fn pass(workspace: &mut Workspace, seconds: Real) {
    let until = workspace.status().time + seconds;
    // A workspace moves on by at most a tenth of a second at a time, and gives up a step that takes too long.
    for _ in 0..10_000 {
        let status = workspace.status();
        let left = until - status.time;
        if left <= 1e-6 || !status.playing || status.failure.is_some() {
            return;
        }
        workspace.advance(left);
    }
}

/// Looks as the scene wants it, if it wants something.
pub(super) fn direct(workspace: &Workspace, camera: &mut Camera) -> bool {
    let wanted = workspace.camera();
    if let Some((eye, at, angle)) = &wanted {
        camera.look_between(eye, at, *angle);
    }
    wanted.is_some()
}

/// What the picture has to hold: the workspace's own box, widened by all that is drawn and is no landscape.
pub(super) fn framed(workspace: &Workspace, picture: &Picture) -> Bounds {
    let (mut low, mut high) = padded(workspace.bounds());
    for solid in &picture.solids {
        let corners = workspace.meshes().get(solid.mesh.0).into_iter().flat_map(|mesh| &mesh.positions);
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

fn caption(workspace: &Workspace) -> String {
    let names: Vec<&str> = (0..workspace.len()).map(|item| workspace.name(item)).collect();
    let status = workspace.status();
    let time = if status.duration > 0.0 { format!("   {:.2} s", status.time) } else { String::new() };
    format!("{}{time}", names.join("   ·   "))
}
