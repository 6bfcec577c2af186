//! Contact sheet: one row for each file, one column for each moment, as one picture.

use super::ViewError;
use super::camera::{Bounds, View};
use super::frames::Frame;
use super::graphics;
use super::offscreen::Offscreen;
use super::render::{painted_bounds, wait_for_forces, with_margin};
use crate::files::write_atomically;
use crate::math::{Real, Vec3};
use crate::show::{Action, Layers, Picture, Workspace};
use std::path::Path;

/// Options of a contact sheet.
#[derive(Clone, Debug)]
pub struct SheetOptions {
    /// Width and height of one picture of the sheet, pixels.
    pub size: (u32, u32),
    /// Layers to draw.
    pub layers: Layers,
    /// Camera position; oblique if absent.
    pub view: Option<View>,
    /// Number of moments, spread evenly over each motion.
    pub times: usize,
    /// Leaves out names and times.
    pub plain: bool,
}

/// Space between the pictures of a sheet, pixels.
const GAP: u32 = 2;

/// Renders a contact sheet of all items from the current time of the workspace on. Pictures of one row have the same scale
/// and the body in their middle. `done` is called with the number of pictures drawn.
pub fn render_sheet(
    workspace: &mut Workspace,
    options: &SheetOptions,
    path: &Path,
    mut done: impl FnMut(usize),
) -> Result<(), ViewError> {
    let graphics = graphics::probe()?;
    let mut offscreen = Offscreen::new(&graphics, options.size)?;
    offscreen.camera.look_from(options.view.unwrap_or(View::Oblique));
    wait_for_forces(workspace, &options.layers);
    let mut sheet = Sheet::new(options.size, options.times, workspace.len());
    let start = workspace.status().time;
    let mut picture = Picture::default();
    let _ = workspace.act(Action::Pause);
    for row in 0..workspace.len() {
        let times = moments(start, workspace.duration_of(row), options.times);
        let reach = reach(workspace, row, &times, options, &mut picture);
        for (column, &time) in times.iter().enumerate() {
            seek(workspace, time);
            workspace.paint_item(row, &options.layers, &mut picture);
            let middle = workspace.middle_at(row..row + 1, time);
            let ground = workspace.ground(row).map_or((middle + reach.0).y, |ground| ground + workspace.offset(row).y);
            let seen = (middle + reach.0, middle + reach.1);
            offscreen.camera.frame(seen);
            offscreen.fit(seen, ground);
            let words = match (options.plain, column) {
                (true, _) => String::new(),
                (false, 0) => format!("{time:.2} s  {}", workspace.name(row)),
                _ => format!("{time:.2} s"),
            };
            // The scale is the same in the whole row, and told where no name is in its way.
            let bar = !options.plain && column > 0 && column + 1 == times.len();
            let (meshes, textures) = (workspace.meshes(), workspace.textures());
            sheet.put(row, column, &offscreen.render(meshes, textures, &picture, &words, bar));
            done(row * options.times + column + 1);
        }
    }
    Ok(write_atomically(path, &sheet.frame.to_png()?)?)
}

/// Goes to a time; a simulation that is not there yet runs until it is.
fn seek(workspace: &mut Workspace, time: Real) {
    if !workspace.status().live {
        let _ = workspace.act(Action::Seek(time));
        return;
    }
    if workspace.status().time > time {
        let _ = workspace.act(Action::Seek(time));
    }
    let _ = workspace.act(Action::Play);
    super::render::advance_by(workspace, time - workspace.status().time);
    let _ = workspace.act(Action::Pause);
}

/// Moments of a row, seconds: the first and the last one of the motion, and others evenly between them.
fn moments(start: Real, duration: Real, count: usize) -> Vec<Real> {
    let end = duration.max(start);
    (0..count).map(|k| start + (end - start) * k as Real / (count - 1).max(1) as Real).collect()
}

/// Box about the middle of an item that holds it at all moments, metres: all that is drawn of a clip, the joints of a
/// simulation, which would have to run for it.
fn reach(
    workspace: &mut Workspace,
    row: usize,
    times: &[Real],
    options: &SheetOptions,
    picture: &mut Picture,
) -> Bounds {
    let is_played = workspace.is_played_back();
    let boxes = times.iter().map(|&time| {
        let mut bounds = with_margin(workspace.bounds_at(row..row + 1, time));
        if is_played {
            seek(workspace, time);
            workspace.paint_item(row, &options.layers, picture);
            bounds = painted_bounds(workspace, picture, workspace.bounds_at(row..row + 1, time));
        }
        let middle = workspace.middle_at(row..row + 1, time);
        (bounds.0 - middle, bounds.1 - middle)
    });
    let all = boxes.reduce(|(low, high), (a, b)| (low.inf(&a), high.sup(&b)));
    all.unwrap_or((Vec3::repeat(-1.0), Vec3::repeat(1.0)))
}

struct Sheet {
    frame: Frame,
    tile: (u32, u32),
}

impl Sheet {
    fn new(tile: (u32, u32), columns: usize, rows: usize) -> Self {
        let width = columns as u32 * (tile.0 + GAP) - GAP;
        let height = (rows as u32 * (tile.1 + GAP)).saturating_sub(GAP).max(1);
        Sheet { frame: Frame { width, height, rgb: vec![255; 3 * (width * height) as usize] }, tile }
    }

    fn put(&mut self, row: usize, column: usize, tile: &Frame) {
        let (left, top) = (column as u32 * (self.tile.0 + GAP), row as u32 * (self.tile.1 + GAP));
        let bytes = 3 * tile.width as usize;
        for (y, line) in tile.rgb.chunks_exact(bytes).enumerate() {
            let at = 3 * ((top as usize + y) * self.frame.width as usize + left as usize);
            self.frame.rgb[at..at + bytes].copy_from_slice(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_begin_with_the_first_and_end_with_the_last() {
        assert_eq!(moments(0.0, 3.0, 4), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(moments(1.0, 3.0, 1), [1.0]);
    }

    #[test]
    fn pictures_lie_side_by_side_with_a_gap() {
        let mut sheet = Sheet::new((2, 1), 2, 2);
        sheet.put(1, 1, &Frame { width: 2, height: 1, rgb: vec![1, 2, 3, 4, 5, 6] });
        assert_eq!((sheet.frame.width, sheet.frame.height), (6, 4));
        let at = 3 * (3 * 6 + 4);
        assert_eq!(sheet.frame.rgb[at..], [1, 2, 3, 4, 5, 6]);
        assert!(sheet.frame.rgb[..at].iter().all(|byte| *byte == 255));
    }
}
