//! What a window needs to know of a show beside its picture: where to look from, where everything is and what touches, by
//! name, for logs and for tests that look at a show from outside.

use super::Show;
use super::live::Engine;
use crate::math::{Real, Vec3};

impl Show {
    /// From where a scene that is alone wants to be seen: the eye, what it looks at (metres), and the angle from top to bottom
    /// (radians).
    pub fn camera(&self) -> Option<(Vec3, Vec3, Real)> {
        let [exhibit] = self.exhibits() else { return None };
        match &exhibit.live.as_ref()?.play().engine {
            Engine::Run(run) => run.camera_now(),
            Engine::Stage(_) => None,
        }
    }

    /// Height of the lowest ground that something stands on, metres. Where there is none, 0 if all is above it, else low enough for
    /// what hangs to swing.
    pub fn lowest_ground(&self) -> Real {
        let ground = (0..self.len()).filter_map(|exhibit| self.ground(exhibit)).reduce(Real::min);
        ground.unwrap_or_else(|| {
            let (low, high) = self.bounds();
            if low.y > -0.03 { 0.0 } else { low.y - 0.5 * (high - low).norm() }
        })
    }

    /// The point that the mouse holds, where it is now and where it is pulled to, in the picture.
    pub fn held(&self) -> Option<(Vec3, Vec3)> {
        self.exhibits().iter().find_map(|exhibit| {
            let live = exhibit.live.as_ref()?;
            let hand = live.play().hand.as_ref()?;
            Some((hand.point(live.world()) + exhibit.offset, hand.to + exhibit.offset))
        })
    }

    /// All bodies of an exhibit with their centres of mass in the picture.
    pub fn places(&mut self, exhibit: usize) -> Vec<(String, Vec3)> {
        let Some(exhibit) = self.exhibits_mut().get_mut(exhibit) else { return Vec::new() };
        let offset = exhibit.offset;
        let Some(world) = exhibit.world() else { return Vec::new() };
        world.bodies().map(|(id, body)| (body.name.clone(), world.state(id).placement.position + offset)).collect()
    }

    /// Names of the bodies of an exhibit that press on each other now, each pair once.
    pub fn touching(&self, exhibit: usize) -> Vec<[String; 2]> {
        let live = self.exhibits().get(exhibit).and_then(|exhibit| exhibit.live.as_ref());
        let Some(world) = live.map(|live| live.world()) else { return Vec::new() };
        let pressing = world.contacts().iter().filter(|contact| contact.normal_force > 0.0);
        let mut pairs: Vec<[String; 2]> =
            pressing.map(|contact| contact.bodies.map(|body| world.body(body).name.clone())).collect();
        pairs.sort();
        pairs.dedup();
        pairs
    }
}
