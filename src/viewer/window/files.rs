//! What the window writes: pictures, films, recordings.

use super::{FILM_RATE, Viewer};
use crate::files::write_atomically;
use crate::show::Show;
use crate::viewer::film::{Film, Frame, has_ffmpeg};
use serde_json::json;
use std::path::{Path, PathBuf};

impl Viewer {
    /// A name in the folder that is not taken: sinew-001.png and on.
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

    pub(super) fn save(&mut self, ending: &str, write: impl Fn(&Show, &Path) -> Result<(), crate::files::FormatError>) {
        let path = self.new_name(ending);
        let written = write(&self.show, &path).map_err(|error| error.to_string());
        self.tell_written(&path, written);
    }

    fn tell_written(&mut self, path: &Path, written: Result<(), String>) {
        if self.log.is_kept() && written.is_ok() {
            self.log.add(&json!({ "wrote": path.display().to_string(), "frame": self.frames }));
        }
        match written {
            Ok(()) => self.tell(format!("wrote {}", path.display())),
            Err(why) => self.tell(why),
        }
    }

    /// A video where `ffmpeg` is there, else numbered pictures.
    pub(super) fn begin_or_end_film(&mut self) {
        if let Some(film) = self.film.take() {
            match film.finish() {
                Ok(files) => {
                    let last = files.last().map_or(String::new(), |path| path.display().to_string());
                    self.tell(format!("the film ends: {} files, {last}", files.len()));
                }
                Err(error) => self.tell(error.to_string()),
            }
            return;
        }
        let path = self.new_name(if has_ffmpeg() { "mp4" } else { "png" });
        let size = (self.window.width(), self.window.height());
        match Film::create(&path, usize::MAX, FILM_RATE, size) {
            Ok(film) => {
                self.film = Some(film);
                self.film_size = Some(size);
                self.tell(format!("filming to {}", path.display()));
            }
            Err(error) => self.tell(error.to_string()),
        }
    }

    pub(super) fn add_to_film(&mut self) {
        if self.film.is_none() {
            return;
        }
        let frame = self.picture_of_window();
        if Some((frame.width, frame.height)) != self.film_size {
            self.begin_or_end_film();
            return self.tell("the window changed its size: the film ends");
        }
        let added = self.film.as_mut().map(|film| film.add(&frame));
        if let Some(Err(error)) = added {
            self.film = None;
            self.tell(error.to_string());
        }
    }
}
