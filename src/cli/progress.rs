//! A sign of life for long work.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Work shorter than this stays silent.
const PATIENCE: Duration = Duration::from_millis(500);

/// A spinner on stderr that appears when the work takes long and a person is watching; gone when dropped.
pub struct Spinner {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    pub fn start(what: String) -> Self {
        let (done, finished) = channel();
        let thread = std::thread::spawn(move || {
            if finished.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                // Draws only on a terminal.
                let bar = ProgressBar::new_spinner().with_message(what);
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                    bar.set_style(style);
                }
                bar.enable_steady_tick(Duration::from_millis(100));
                // Waits for the sender to go away.
                let _ = finished.recv();
                bar.finish_and_clear();
            }
        });
        Self { done: Some(done), thread: Some(thread) }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // A panic in drawing a spinner is not worth a second one.
            let _ = thread.join();
        }
    }
}
