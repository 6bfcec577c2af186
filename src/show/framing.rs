//! Places of items over time, for a camera that holds a whole motion or follows it.

use super::Workspace;
use super::character::Posture;
use super::item::{Content, Item};
use crate::math::{Real, Vec3};

/// Lowest and highest corner, metres.
type Bounds = (Vec3, Vec3);

impl Item {
    /// Box around the joints at a time of the motion, metres in the picture. A simulated item is only known now.
    fn bounds_at(&self, time: Real) -> Bounds {
        let found = match (&self.content, &self.live) {
            (Content::Character(_), None) => self.posture_at(time).and_then(|posture| posture.extent()),
            (Content::Recorded(recorded), _) => recorded.extent(time),
            (Content::Meshes { .. }, _) => self.skins.first().and_then(|skin| skin.as_ref()?.extent(time)),
            _ => None,
        };
        let here = |(low, high): Bounds| (low + self.offset, high + self.offset);
        let own = found.map_or_else(|| self.bounds(), here);
        match &self.source {
            Some(source) => {
                let other = source.bounds_at(time);
                (own.0.inf(&(other.0 + self.offset)), own.1.sup(&(other.1 + self.offset)))
            }
            None => own,
        }
    }

    /// Middle of the body at a time of the motion, metres in the picture: the mean of its joints, which swinging limbs
    /// hardly move.
    fn middle_at(&self, time: Real) -> Vec3 {
        let posture = self.posture_at(time).filter(|posture| !posture.frames.is_empty());
        let mean = posture.map(|posture| {
            let sum: Vec3 = posture.frames.iter().map(|frame| frame.position).sum();
            sum / posture.frames.len() as Real + self.offset
        });
        mean.unwrap_or_else(|| {
            let (low, high) = self.bounds_at(time);
            0.5 * (low + high)
        })
    }

    fn posture_at(&self, time: Real) -> Option<Posture> {
        match (&self.content, &self.live) {
            (Content::Character(character), None) => {
                let mut posture = Posture::new(&character.animation);
                posture.capture(&character.figure, &character.animation, time);
                Some(posture)
            }
            _ => None,
        }
    }
}

impl Workspace {
    /// Returns true if places can be told for every time: no item is simulated.
    pub fn is_played_back(&self) -> bool {
        self.items.iter().all(|item| item.live.is_none())
    }

    /// Duration of an item, seconds.
    pub fn duration_of(&self, item: usize) -> Real {
        self.items[item].duration()
    }

    /// Box around the joints of some items at a time of their motion, metres in the picture.
    pub fn bounds_at(&self, items: std::ops::Range<usize>, time: Real) -> (Vec3, Vec3) {
        let boxes = self.items[items].iter().map(|item| item.bounds_at(time));
        let all = boxes.reduce(|(low, high), (a, b)| (low.inf(&a), high.sup(&b)));
        all.unwrap_or_else(|| self.bounds())
    }

    /// Middle of some items at a time of their motion, metres in the picture.
    pub fn middle_at(&self, items: std::ops::Range<usize>, time: Real) -> Vec3 {
        let count = items.len().max(1) as Real;
        self.items[items].iter().map(|item| item.middle_at(time)).sum::<Vec3>() / count
    }
}
