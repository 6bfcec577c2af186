//! State of a workspace beside its picture, by name: camera, held point, positions and touching bodies, for the window, its
//! log and tests.

use super::Workspace;
use crate::math::{Real, Vec3};

impl Workspace {
    /// Camera of a scene that is open alone: eye and target (metres), vertical field of view (radians).
    pub fn camera(&self) -> Option<(Vec3, Vec3, Real)> {
        let [item] = self.items() else { return None };
        item.live.as_ref()?.play().scene.camera_now()
    }

    /// Height of the lowest ground in the picture, metres. Without ground it is 0 if all is above it, else low enough for hanging bodies
    /// to swing.
    pub fn lowest_ground(&self) -> Real {
        let ground = self.items().iter().filter_map(|item| Some(item.ground()? + item.offset.y)).reduce(Real::min);
        ground.unwrap_or_else(|| {
            let (low, high) = self.bounds();
            if low.y > -0.03 { 0.0 } else { low.y - 0.5 * (high - low).norm() }
        })
    }

    /// Point held by the mouse and the target that it is pulled to, metres in the picture.
    pub fn held(&self) -> Option<(Vec3, Vec3)> {
        self.items().iter().find_map(|item| {
            let live = item.live.as_ref()?;
            let hand = live.play().hand.as_ref()?;
            Some((hand.point(live.world()) + item.offset, hand.to + item.offset))
        })
    }

    /// Bodies of an item with their centres of mass in the picture.
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
