//! What a window needs to know of a workspace beside its picture: where to look from, where everything is and what touches, by
//! name, for logs and for tests that look at a workspace from outside.

use super::Workspace;
use super::live::Engine;
use crate::math::{Real, Vec3};

impl Workspace {
    /// From where a scene that is alone wants to be seen: the eye, what it looks at (metres), and the angle from top to bottom
    /// (radians).
    pub fn camera(&self) -> Option<(Vec3, Vec3, Real)> {
        let [item] = self.items() else { return None };
        match &item.live.as_ref()?.play().engine {
            Engine::Scene(run) => run.camera_now(),
            Engine::Capture(_) => None,
        }
    }

    /// Height of the lowest ground that something stands on, metres. Where there is none, 0 if all is above it, else low enough for
    /// what hangs to swing.
    pub fn lowest_ground(&self) -> Real {
        let ground = (0..self.len()).filter_map(|item| self.ground(item)).reduce(Real::min);
        ground.unwrap_or_else(|| {
            let (low, high) = self.bounds();
            if low.y > -0.03 { 0.0 } else { low.y - 0.5 * (high - low).norm() }
        })
    }

    /// The point that the mouse holds, where it is now and where it is pulled to, in the picture.
    pub fn held(&self) -> Option<(Vec3, Vec3)> {
        self.items().iter().find_map(|item| {
            let live = item.live.as_ref()?;
            let hand = live.play().hand.as_ref()?;
            Some((hand.point(live.world()) + item.offset, hand.to + item.offset))
        })
    }

    /// All bodies of an item with their centres of mass in the picture.
    pub fn places(&mut self, item: usize) -> Vec<(String, Vec3)> {
        let Some(item) = self.items_mut().get_mut(item) else { return Vec::new() };
        let offset = item.offset;
        let Some(world) = item.world() else { return Vec::new() };
        world.bodies().map(|(id, body)| (body.name.clone(), world.state(id).placement.position + offset)).collect()
    }

    /// Names of the bodies of an item that press on each other now, each pair once.
    pub fn touching(&self, item: usize) -> Vec<[String; 2]> {
        let live = self.items().get(item).and_then(|item| item.live.as_ref());
        let Some(world) = live.map(|live| live.world()) else { return Vec::new() };
        let pressing = world.contacts().iter().filter(|contact| contact.normal_force > 0.0);
        let mut pairs: Vec<[String; 2]> =
            pressing.map(|contact| contact.bodies.map(|body| world.body(body).name.clone())).collect();
        pairs.sort();
        pairs.dedup();
        pairs
    }
}
