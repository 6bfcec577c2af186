//! The part of a clip that is used, between two points as people write them: seconds (`1.5`, `1.5s`) or a frame number from 1 (`120f`).

use super::failure::Failure;
use super::output::number;
use clap::Args;
use sinew::motion::{Clip, edit};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Options of the part of a clip that is used.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct CutArgs {
    /// Begin here: seconds such as 1.5, or a frame such as 120f; 1f is the first frame that is left after --keep-complete and
    /// an inserted T-pose that is dropped
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub start: Option<Moment>,
    /// End here, this frame included
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub end: Option<Moment>,
}

impl CutArgs {
    /// Cuts a clip of a file. Returns a description of what was kept, if anything was asked for.
    pub fn cut(&self, file: &Path, clip: &mut Clip) -> Result<Option<String>, Failure> {
        if self.start.is_none() && self.end.is_none() {
            return Ok(None);
        }
        let file = file.display();
        let reach = |moment: Moment, option: &str| {
            moment.frame(clip).ok_or_else(|| {
                let (last, end) = (clip.frames(), number(clip.duration(), 4));
                Failure::usage(format!("{file}: {option} {moment} lies behind the end of the clip"))
                    .help(format!("its last frame is {last}f, at {end} s"))
            })
        };
        let first = self.start.map_or(Ok(0), |moment| reach(moment, "--start"))?;
        let last = self.end.map_or(Ok(clip.frames().saturating_sub(1)), |moment| reach(moment, "--end"))?;
        // People count from 1.
        let (from, to) = (first + 1, last + 1);
        if first > last {
            return Err(Failure::usage(format!("{file}: --start is frame {from}, behind --end, frame {to}"))
                .help("give --end a later time"));
        }
        *clip = edit::slice(clip, first..last + 1).map_err(|error| Failure::usage(format!("{file}: {error}")))?;
        Ok(Some(format!("frames {from} to {to} kept")))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    Seconds(f64),
    /// Index of a frame, counted from 0; the command line counts from 1.
    Frame(usize),
}

impl Moment {
    /// The frame at or nearest to this moment, when the clip reaches it. A moment less than half a frame behind
    /// the last one is the last one.
    pub fn frame(self, clip: &Clip) -> Option<usize> {
        let frame = match self {
            Moment::Frame(frame) => frame,
            Moment::Seconds(seconds) => (seconds * clip.rate_hz()).round() as usize,
        };
        (frame < clip.frames()).then_some(frame)
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected seconds such as 1.5, or a frame number such as 120f".to_owned();
        if let Some(frame) = text.strip_suffix('f') {
            let number: usize = frame.parse().map_err(|_| expected())?;
            let index = number.checked_sub(1).ok_or("frames are counted from 1, the first is 1f")?;
            return Ok(Moment::Frame(index));
        }
        let seconds: f64 = text.strip_suffix('s').unwrap_or(text).parse().map_err(|_| expected())?;
        if seconds.is_finite() && seconds >= 0.0 { Ok(Moment::Seconds(seconds)) } else { Err(expected()) }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Seconds(seconds) => write!(f, "{} s", number(*seconds, 4)),
            Moment::Frame(frame) => write!(f, "frame {}", frame.saturating_add(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::Quat;
    use sinew::motion::Tracks;

    #[test]
    fn seconds_and_frames_are_told_apart() {
        assert_eq!("1.5".parse(), Ok(Moment::Seconds(1.5)));
        assert_eq!("2s".parse(), Ok(Moment::Seconds(2.0)));
        assert_eq!("120f".parse(), Ok(Moment::Frame(119)));
        assert_eq!(Moment::Frame(119).to_string(), "frame 120");
        for wrong in ["", "f", "0f", "-1", "nan", "1.5f", "one"] {
            assert!(wrong.parse::<Moment>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_moment_is_the_nearest_frame_within_the_clip() {
        let none = Tracks::default;
        let clip = Clip::new("", 30.0, 1, vec![Quat::identity(); 31], none(), none()).expect("a clip of one second");
        assert_eq!(Moment::Seconds(0.5).frame(&clip), Some(15));
        assert_eq!(Moment::Seconds(1.01).frame(&clip), Some(30));
        assert_eq!(Moment::Seconds(1.02).frame(&clip), None);
        assert_eq!(Moment::Frame(30).frame(&clip), Some(30));
        assert_eq!(Moment::Frame(31).frame(&clip), None);
    }
}
