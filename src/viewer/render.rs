//! Rendering of a workspace to pictures and videos without a display, for documents and tests.

use super::ViewError;
use super::camera::{Bounds, Camera, View};
use super::frames::FrameWriter;
use super::graphics;
use super::offscreen::Offscreen;
use super::shot::Shot;
use crate::math::{Real, Vec3};
use crate::show::{Action, Layers, Picture, Workspace};
use std::path::{Path, PathBuf};

/// Options of rendering.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// Width and height, pixels.
    pub size: (u32, u32),
    /// Layers to draw.
    pub layers: Layers,
    /// Camera position; without it that of the scene, else oblique.
    pub view: Option<View>,
    /// Number of frames; the workspace plays on between them.
    pub frames: usize,
    /// Frames per second of the workspace.
    pub rate: Real,
    /// Moves the camera with the body. Otherwise it stands still where it sees all frames.
    pub follow: bool,
    /// Leaves out caption and scale bar.
    pub plain: bool,
}

/// Renders the workspace from its current time on; returns the files written. `done` is called with the number of frames
/// drawn and the time of the workspace.
pub fn render(
    workspace: &mut Workspace,
    options: &RenderOptions,
    path: &Path,
    mut done: impl FnMut(usize, Real),
) -> Result<Vec<PathBuf>, ViewError> {
    let graphics = graphics::probe()?;
    let mut video = FrameWriter::create(path, options.frames, options.rate, options.size)?;
    let mut offscreen = Offscreen::new(&graphics, options.size)?;
    wait_for_forces(workspace, &options.layers);
    let mut picture = Picture::default();
    workspace.paint(&options.layers, &mut picture);
    let now = view_bounds(workspace, &picture);
    let has_scene_camera = options.view.is_none() && apply_scene_camera(workspace, &mut offscreen.camera);
    let start = workspace.status().time;
    let shot = (options.frames > 1 && workspace.is_played_back())
        .then(|| Shot::new(workspace, start, options.frames, options.rate, options.follow));
    let bounds = shot.as_ref().map_or(now, |shot| shot.bounds(&now));
    if !has_scene_camera {
        offscreen.camera.look_from(options.view.unwrap_or(View::Oblique));
        offscreen.camera.frame(bounds);
    }
    offscreen.fit(bounds, workspace.lowest_ground());
    let first_target = offscreen.camera.target();
    // The workspace plays without repeating: a video ends at the end of the motion.
    let _ = workspace.act(Action::Play);
    let _ = workspace.act(Action::Loop(false));
    for frame in 0..options.frames {
        if frame > 0 {
            advance_by(workspace, 1.0 / options.rate);
            workspace.paint(&options.layers, &mut picture);
            if !(has_scene_camera && apply_scene_camera(workspace, &mut offscreen.camera)) {
                match &shot {
                    Some(shot) => offscreen.camera.follow(&(first_target + shot.travel(frame)), 1.0),
                    // A simulation is followed as it happens.
                    None => {
                        let (low, high) = view_bounds(workspace, &picture);
                        offscreen.camera.follow(&((low + high) * 0.5), 0.15);
                    }
                }
            }
        }
        let words = if options.plain { String::new() } else { caption(workspace) };
        let (meshes, textures) = (workspace.meshes(), workspace.textures());
        video.add(&offscreen.render(meshes, textures, &picture, &words, !options.plain))?;
        done(frame + 1, workspace.status().time);
    }
    video.finish()
}

/// Waits for the estimated forces of clips if a layer shows them.
pub(super) fn wait_for_forces(workspace: &mut Workspace, layers: &Layers) {
    let Layers { contacts, contact_forces, residual, support, zero_moment_point, .. } = *layers;
    if contacts || contact_forces || residual || support || zero_moment_point {
        workspace.analyse();
        workspace.wait_for_analysis();
    }
}

/// Advances by all of the seconds, however long that takes.
pub(super) fn advance_by(workspace: &mut Workspace, seconds: Real) {
    let until = workspace.status().time + seconds;
    // A workspace advances by at most a tenth of a second at a time, and may stop early at its time budget.
    for _ in 0..10_000 {
        let status = workspace.status();
        let left = until - status.time;
        if left <= 1e-6 || !status.playing || status.failure.is_some() {
            return;
        }
        workspace.advance(left);
    }
}

/// Sets the camera of the scene; returns true if there is one.
pub(super) fn apply_scene_camera(workspace: &Workspace, camera: &mut Camera) -> bool {
    let wanted = workspace.camera();
    if let Some((eye, at, angle)) = &wanted {
        camera.set_pose(eye, at, *angle);
    }
    wanted.is_some()
}

/// Box to be seen: that of the workspace, extended by everything drawn except landscapes.
pub(super) fn view_bounds(workspace: &Workspace, picture: &Picture) -> Bounds {
    painted_bounds(workspace, picture, with_margin(workspace.bounds()))
}

/// Extends a box by everything drawn except landscapes.
pub(super) fn painted_bounds(workspace: &Workspace, picture: &Picture, (mut low, mut high): Bounds) -> Bounds {
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
    // Arrows longer than the scene may leave the picture.
    let (room, middle) = ((high - low).norm(), (low + high) * 0.5);
    for point in heads.filter(|point| (point - middle).norm() < room) {
        (low, high) = (low.inf(&point), high.sup(&point));
    }
    (low, high)
}

/// Extends a box of joints by the flesh around them.
pub(super) fn with_margin((low, high): Bounds) -> Bounds {
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
