//! Update of the drawing state: poses, ghosts, and the appearance of bodies that were created or removed.

use super::{BodyAppearance, Content, Item, ONION};
use crate::formats::gltf::solids;
use crate::math::Real;
use crate::record::add_shape;
use crate::scene::Visual;
use crate::show::character::Posture;
use crate::show::meshes::Meshes;
use crate::show::painter::color;
use crate::simulation::Follower;

impl Item {
    /// Updates everything that is drawn.
    pub fn refresh(&mut self, meshes: &mut Meshes) {
        let time = self.time;
        self.analysis.poll(false);
        if let Some(source) = &mut self.source {
            source.refresh(meshes);
        }
        match (&self.content, &self.live) {
            (Content::Character(character), None) => {
                self.postures[0].capture(&character.figure, &character.animation, time);
                let (apart, count) = ONION;
                let moments = (1..=count).rev().flat_map(|k| [-(k as Real) * apart, k as Real * apart]);
                self.onion.resize_with(2 * count, || Posture::new(&character.animation));
                for (posture, off) in self.onion.iter_mut().zip(moments) {
                    posture.capture(&character.figure, &character.animation, time + off);
                }
            }
            (Content::Character(character), Some(live)) => {
                let now = live.time();
                if let Some(actor) = live.play().actors().next() {
                    self.postures[0].simulated(actor, &character.animation, now, live.world());
                }
                self.ghosts.resize(1, None);
                let ghost = self.ghosts[0].get_or_insert_with(|| Posture::new(&character.animation));
                ghost.capture(&character.figure, &character.animation, now);
            }
            (Content::Scene { .. }, Some(live)) => {
                let (world, time) = (live.world(), live.world().time());
                let followers = &live.play().scene.run.followers;
                self.ghosts.resize(followers.len(), None);
                let shown = self.postures.iter_mut().zip(&mut self.ghosts);
                for (Follower { actor, animation, .. }, (posture, ghost)) in followers.iter().zip(shown) {
                    posture.simulated(actor, animation, time, world);
                    // A limp figure follows no motion, so it has no ghost.
                    if actor.activation() == 0.0 {
                        *ghost = None;
                        continue;
                    }
                    let ghost = ghost.get_or_insert_with(|| Posture::new(animation));
                    ghost.capture(actor.figure(), animation, time);
                }
            }
            _ => {}
        }
        self.model_figures(meshes);
        self.refresh_bodies(meshes);
    }

    /// Creates the appearance of new bodies and drops that of removed ones.
    fn refresh_bodies(&mut self, meshes: &mut Meshes) {
        let Some(live) = &self.live else { return };
        let (world, play) = (live.world(), live.play());
        let count = world.bodies().count();
        self.appearances.truncate(count);
        let first = self.appearances.len();
        if first == count {
            return;
        }
        let mut drawn: Vec<Option<solids::Mesh>> = vec![None; count - first];
        let mut appearances =
            vec![BodyAppearance { mesh: None, color: color::GROUND, figure: None, object: None }; count - first];
        for (k, appearance) in appearances.iter_mut().enumerate() {
            appearance.figure = play.segment_of(first + k).map(|(figure, _)| figure);
            appearance.color = if appearance.figure.is_some() { color::FIGURE } else { color::thing(first + k) };
        }
        for (k, body) in play.scene.objects.bodies.iter().enumerate().filter(|(_, body)| body.id.index() >= first) {
            let at = body.id.index() - first;
            appearances[at].object = Some(k);
            let fixed = !world.body(body.id).is_dynamic();
            appearances[at].color = match body.color {
                Some([r, g, b]) => [r as f32, g as f32, b as f32, 1.0],
                None if fixed => color::GROUND,
                None => color::thing(k),
            };
            let mesh = drawn[at].get_or_insert_with(|| solids::Mesh::new([1.0; 3]));
            for (appearance, placement) in &body.visuals {
                match appearance {
                    Visual::Cylinder { length, radius } => mesh.cylinder(placement, *length, *radius),
                    Visual::Solid(shape) => add_shape(mesh, placement, shape),
                }
            }
        }
        let under_capture = self.is_character();
        for (_, body, collider) in world.colliders().filter(|(_, body, _)| body.index() >= first) {
            let at = body.index() - first;
            // The window draws the ground under a captured figure.
            let ground = under_capture && !world.body(body).is_dynamic();
            if appearances[at].object.is_none() && !ground {
                let mesh = drawn[at].get_or_insert_with(|| solids::Mesh::new([1.0; 3]));
                add_shape(mesh, &collider.placement, &collider.shape);
            }
        }
        for (appearance, mesh) in appearances.iter_mut().zip(drawn) {
            appearance.mesh = mesh.and_then(|mesh| meshes.add_drawn(mesh));
        }
        self.appearances.extend(appearances);
    }
}
