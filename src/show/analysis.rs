//! Background measurement of clips: contacts, metric curves, and estimated forces.

use super::timeline::{ContactTrack, Curve};
use crate::figure::Figure;
use crate::math::Real;
use crate::measure::{Contact, Curves, Measure, MeasureOptions};
use crate::motion::Clip;
use std::sync::mpsc::{Receiver, channel};

/// State of a background measurement.
#[derive(Default)]
pub(crate) enum Analysis {
    #[default]
    NotAsked,
    UnderWay(Receiver<Option<Curves>>),
    /// Result; none if the clip cannot be measured.
    Done(Option<Box<Curves>>),
}

impl Analysis {
    /// Starts the measurement on its own thread, unless it was started before.
    pub fn begin(&mut self, figure: &Figure, clip: &Clip) {
        if !matches!(self, Analysis::NotAsked) {
            return;
        }
        let (tell, told) = channel();
        let (figure, clip) = (figure.clone(), clip.clone());
        std::thread::spawn(move || {
            let curves = Measure { figure: &figure, clip: &clip, options: MeasureOptions::default() }.curves().ok();
            // The receiver is gone if the item was closed.
            let _ = tell.send(curves);
        });
        *self = Analysis::UnderWay(told);
    }

    /// Collects the result if it is ready; with `wait`, blocks until it is. Returns true while it is pending.
    pub fn poll(&mut self, wait: bool) -> bool {
        if let Analysis::UnderWay(told) = self {
            let result = if wait { told.recv().ok() } else { told.try_recv().ok() };
            match result {
                Some(curves) => *self = Analysis::Done(curves.map(Box::new)),
                None if wait => *self = Analysis::Done(None),
                None => return true,
            }
        }
        false
    }

    pub fn curves(&self) -> Option<&Curves> {
        match self {
            Analysis::Done(Some(curves)) => Some(curves),
            _ => None,
        }
    }
}

/// Adds the curves and contact intervals of a measured clip to a timeline.
pub(crate) fn add_to_timeline(
    number: usize,
    figure: &Figure,
    found: &Curves,
    contacts: &mut Vec<ContactTrack>,
    out: &mut Vec<Curve>,
) {
    let mut add = |name, unit, values: &[f32], factor: f32| {
        if values.iter().any(|value| value.is_finite()) {
            let values = values.iter().map(|value| value * factor).collect();
            out.push(Curve::new(number, name, unit, 0.0, found.rate_hz, values));
        }
    };
    add("penetration", "mm", &found.depth, 1e3);
    add("skate", "mm/s", &found.slide, 1e3);
    add("residual force", "BW", &found.residual, 1.0);
    add("ground reaction", "BW", &found.reaction, 1.0);
    add("balance", "mm", &found.balance, 1e3);
    add("power", "W", &found.power, 1.0);
    for contact in &found.contacts {
        let label = label(figure, contact);
        let interval = [contact.frames.start as Real / found.rate_hz, contact.frames.end as Real / found.rate_hz];
        let known = contacts.iter_mut().find(|track| track.item == number && track.label == label);
        match known {
            Some(track) => track.intervals.push(interval),
            None => contacts.push(ContactTrack { item: number, label, intervals: vec![interval] }),
        }
    }
}

fn label(figure: &Figure, contact: &Contact) -> String {
    let side = contact.side.map_or("", |side| match side {
        crate::motion::Side::Left => "left ",
        crate::motion::Side::Right => "right ",
    });
    match contact.part {
        Some(part) => format!("{side}{}", part.word()),
        None => figure.segment(contact.segment).name.clone(),
    }
}
