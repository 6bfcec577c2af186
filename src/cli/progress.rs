//! A sign of life for long work.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Work shorter than this stays silent.
const PATIENCE: Duration = Duration::from_millis(500);

/// A spinner on stderr that appears when the work takes long and a person is watching; gone when dropped.
pub struct Spinner {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    pub fn start(what: String) -> Self {
        let (stop, finished) = channel();
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
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic in drawing a spinner is not worth a second one.
            let _ = thread.join();
        }
    }
}

/// A bar on stderr for work of known length, with how much faster than real time it goes; silent for short work.
pub struct Bar {
    bar: Option<ProgressBar>,
    what: String,
    length: u64,
    begun: std::time::Instant,
}

impl Bar {
    pub fn start(what: String, length: u64) -> Self {
        Self { bar: None, what, length, begun: std::time::Instant::now() }
    }

    /// Says how far the work is, and how many seconds of motion that are.
    pub fn at(&mut self, position: u64, seconds: f64) {
        let spent = self.begun.elapsed();
        if self.bar.is_none() && spent > PATIENCE {
            let bar = ProgressBar::new(self.length);
            if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} frames, {msg}, {eta} left") {
                bar.set_style(style);
            }
            self.bar = Some(bar.with_prefix(self.what.clone()));
        }
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{:.1} × real time", seconds / spent.as_secs_f64().max(1e-9)));
            bar.set_position(position);
        }
    }

    /// Shows the finished share of the work, 0 to 1, of so many seconds of motion.
    pub fn at_share(&mut self, share: f64, seconds: f64) {
        self.at((share.clamp(0.0, 1.0) * self.length as f64) as u64, share * seconds);
    }

    /// Seconds since it was started.
    pub fn spent(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
