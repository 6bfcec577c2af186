//! Files written by the window: pictures, videos, recordings.

use super::{VIDEO_RATE, Viewer};
use crate::files::write_atomically;
use crate::show::Workspace;
use crate::viewer::frames::{Frame, FrameWriter, has_ffmpeg};
use serde_json::json;
use std::path::{Path, PathBuf};

impl Viewer {
    /// Finds a free name in the folder: sinew-001.png and on.
    fn new_name(&self, ending: &str) -> PathBuf {
        let names = (1..).map(|k| self.folder.join(format!("sinew-{k:03}.{ending}")));
        let mut free = names.filter(|path| !path.exists());
        free.next().unwrap_or_else(|| self.folder.join(format!("sinew.{ending}")))
    }

    fn picture_of_window(&self) -> Frame {
        let image = self.window.snap_image();
        Frame { width: image.width(), height: image.height(), rgb: image.into_raw() }
    }

    pub(super) fn screenshot(&mut self) {
        let path = self.new_name("png");
        let written = self.picture_of_window().to_png().and_then(|png| write_atomically(&path, &png));
        self.tell_written(&path, written.map_err(|error| error.to_string()));
    }

    pub(super) fn save(
        &mut self,
        ending: &str,
        write: impl Fn(&Workspace, &Path) -> Result<(), crate::files::FormatError>,
    ) {
        let path = self.new_name(ending);
        let written = write(&self.workspace, &path).map_err(|error| error.to_string());
        self.tell_written(&path, written);
    }

    fn tell_written(&mut self, path: &Path, written: Result<(), String>) {
        if self.log.is_kept() && written.is_ok() {
            self.log.add(&json!({ "wrote": path.display().to_string(), "frame": self.frames }));
        }
        match written {
            Ok(()) => self.notify(format!("wrote {}", path.display())),
            Err(why) => self.notify(why),
        }
    }

    /// Starts a video if `ffmpeg` is installed, else numbered pictures; or ends the current one.
    pub(super) fn toggle_video(&mut self) {
        if let Some(video) = self.video.take() {
            match video.finish() {
                Ok(files) => {
                    let last = files.last().map_or(String::new(), |path| path.display().to_string());
                    self.notify(format!("the video ends: {} files, {last}", files.len()));
                }
                Err(error) => self.notify(error.to_string()),
            }
            return;
        }
        let path = self.new_name(if has_ffmpeg() { "mp4" } else { "png" });
        let size = (self.window.width(), self.window.height());
        match FrameWriter::create(&path, usize::MAX, VIDEO_RATE, size) {
            Ok(video) => {
                self.video = Some(video);
                self.video_size = Some(size);
                self.notify(format!("capturing to {}", path.display()));
            }
            Err(error) => self.notify(error.to_string()),
        }
    }

    pub(super) fn write_video_frame(&mut self) {
        if self.video.is_none() {
            return;
        }
        let frame = self.picture_of_window();
        if Some((frame.width, frame.height)) != self.video_size {
            self.toggle_video();
            return self.notify("the window changed its size: the video ends");
        }
        let added = self.video.as_mut().map(|video| video.add(&frame));
        if let Some(Err(error)) = added {
            self.video = None;
            self.notify(error.to_string());
        }
    }
}
