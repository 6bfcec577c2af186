//! Drawing of an item: bodies, skins, ghost, onion skins and overlays.

use super::{Content, Item, ONION};
use crate::dynamics::{BodyId, Placement};
use crate::figure::Figure;
use crate::math::Real;
use crate::show::Layers;
use crate::show::character::{Character, Posture};
use crate::show::live::Live;
use crate::show::painter::{Painter, color};
use crate::show::picture::Color;
use crate::show::{links, overlay};

impl Item {
    /// Paints the item with the ghost of its source, or the source with the item's ghost.
    pub fn paint(&self, layers: &Layers, painter: &mut Painter) {
        painter.offset = self.offset;
        match &self.source {
            Some(source) if self.swapped => {
                source.paint_own(layers, painter);
                if layers.ghost {
                    self.paint_ghost(layers, painter);
                }
            }
            other => {
                self.paint_own(layers, painter);
                if let (true, Some(source)) = (layers.ghost, other) {
                    source.paint_ghost(layers, painter);
                }
            }
        }
    }

    /// Paints the item in the colour of ghosts.
    fn paint_ghost(&self, layers: &Layers, painter: &mut Painter) {
        let tint = color::GHOST;
        match (&self.content, &self.live) {
            (Content::Character(character), _) => {
                self.paint_tinted(character, &self.postures[0], tint, layers, painter)
            }
            (Content::Recorded(recorded), _) => recorded.paint(self.time, Some(tint), layers, painter),
            (Content::Meshes { .. }, _) => {
                self.skins.iter().flatten().for_each(|skin| skin.paint(None, self.time, Some(tint), painter));
            }
            (Content::Scene { .. }, Some(live)) => {
                for ((id, _), appearance) in live.world().bodies().zip(&self.appearances) {
                    if let Some(mesh) = appearance.mesh {
                        painter.solid(mesh, &live.world().state(id).placement, tint);
                    }
                }
            }
            (Content::Scene { .. }, None) => {}
        }
    }

    fn paint_own(&self, layers: &Layers, painter: &mut Painter) {
        if let Content::Recorded(recorded) = &self.content {
            recorded.paint(self.time, None, layers, painter);
        }
        if let Some(live) = &self.live {
            self.paint_bodies(live, layers, painter);
            if layers.mesh || layers.mannequin || layers.shapes {
                let is_member = |body: BodyId| live.play().segment_of(body.index()).is_some();
                links::paint_links(live.world(), is_member, painter);
            }
            overlay::paint_live(live, layers, painter);
        }
        if let Content::Character(character) = &self.content {
            let posture = &self.postures[0];
            if self.live.is_none() && layers.shapes {
                painter.figure(&character.figure, &character.meshes, &posture.placements, color::FIGURE);
            }
            if self.live.is_none() && self.shows_mannequin(0, layers) {
                self.paint_mannequin(0, &character.figure, &posture.placements, None, painter);
            }
            if layers.onion {
                self.paint_onion(character, layers, painter);
            }
            if let (Some(found), None) = (self.analysis.curves(), &self.live) {
                overlay::paint_estimate(found, self.time, &character.figure, posture, layers, painter);
            }
            if layers.centre_of_mass && self.live.is_none() {
                overlay::paint_centre(&character.figure, &posture.placements, character.ground, painter);
            }
        }
        if layers.limits {
            for (figure, posture) in self.figures() {
                overlay::paint_limits(figure, &posture.placements, painter);
            }
        }
        if let (true, Some(live)) = (layers.ghost, &self.live) {
            self.paint_captured(live, layers, painter);
        }
        if layers.mesh {
            self.paint_skins(painter);
        }
        if layers.skeleton {
            for (figure, posture) in self.figures() {
                painter.skeleton(figure.skeleton(), &posture.frames, color::BONE, 2.0);
            }
        }
    }

    /// Paints onion skins, fading with the distance in time: before and after in a clip, before in a run.
    fn paint_onion(&self, character: &Character, layers: &Layers, painter: &mut Painter) {
        let faded = |far: Real| {
            let mut paint = color::ONION;
            paint[3] *= 1.0 - far as f32;
            paint
        };
        if let Some(live) = &self.live {
            for (step, places) in live.past() {
                let far = (live.steps() - step) as Real * live.step_length() / (ONION.0 * (ONION.1 + 1) as Real);
                for (looks, place) in self.looks.iter().flatten().zip(places) {
                    looks.iter().for_each(|look| painter.solid(look.mesh, place, faded(far.min(1.0))));
                }
            }
            return;
        }
        for (k, posture) in self.onion.iter().enumerate() {
            let far = (ONION.1 - k / 2) as Real / (ONION.1 + 1) as Real;
            self.paint_tinted(character, posture, faded(far), layers, painter);
        }
    }

    /// Paints the captured poses of figures that physics moves.
    fn paint_captured(&self, live: &Live, layers: &Layers, painter: &mut Painter) {
        for (which, (actor, ghost)) in live.play().actors().zip(&self.ghosts).enumerate() {
            let (Some(ghost), figure) = (ghost, actor.figure()) else { continue };
            match self.skins.get(which).filter(|_| layers.mesh) {
                Some(Some(skin)) => {
                    skin.paint(Some((figure.skeleton(), ghost)), self.time, Some(color::GHOST), painter);
                }
                _ if only_shapes(layers) => {
                    let bodies = actor.instance().bodies.iter();
                    for ((segment, body), place) in figure.segments().iter().zip(bodies).zip(&ghost.placements) {
                        if let Some(mesh) = self.appearances.get(body.index()).and_then(|appearance| appearance.mesh) {
                            painter.solid(mesh, &segment.body(place), color::GHOST);
                        }
                    }
                }
                _ => self.paint_mannequin(which, figure, &ghost.placements, Some(color::GHOST), painter),
            }
        }
    }

    /// Returns true if a figure is drawn as a mannequin.
    fn shows_mannequin(&self, figure: usize, layers: &Layers) -> bool {
        layers.mannequin || (layers.mesh && self.skins.get(figure).is_none_or(Option::is_none))
    }

    /// Paints a figure as a mannequin, in its own colours or in one.
    fn paint_mannequin(
        &self,
        which: usize,
        figure: &Figure,
        placements: &[Placement],
        tint: Option<Color>,
        painter: &mut Painter,
    ) {
        let looks = self.looks.get(which).map_or(&[][..], Vec::as_slice);
        for ((segment, looks), placement) in figure.segments().iter().zip(looks).zip(placements) {
            for look in looks {
                painter.solid(look.mesh, &segment.body(placement), tint.unwrap_or(look.color));
            }
        }
    }

    fn paint_skins(&self, painter: &mut Painter) {
        let mut figures = self.figures();
        for skin in &self.skins {
            let figure = figures.next().map(|(figure, posture)| (figure.skeleton(), posture));
            if let Some(skin) = skin {
                skin.paint(figure, self.time, None, painter);
            }
        }
    }

    /// Paints a captured figure in one colour, by what is shown of it: its skin, its shapes, or the mannequin.
    fn paint_tinted(
        &self,
        character: &Character,
        posture: &Posture,
        tint: Color,
        layers: &Layers,
        painter: &mut Painter,
    ) {
        match self.skins.first().filter(|_| layers.mesh) {
            Some(Some(skin)) => {
                skin.paint(Some((character.figure.skeleton(), posture)), self.time, Some(tint), painter)
            }
            _ if only_shapes(layers) => {
                painter.figure(&character.figure, &character.meshes, &posture.placements, tint);
            }
            _ => self.paint_mannequin(0, &character.figure, &posture.placements, Some(tint), painter),
        }
    }

    fn paint_bodies(&self, live: &Live, layers: &Layers, painter: &mut Painter) {
        let world = live.world();
        for ((id, _), appearance) in world.bodies().zip(&self.appearances) {
            let bodies = &live.play().scene.objects.bodies;
            let gone = appearance.object.is_some_and(|k| bodies[k].removed.is_some());
            let placement = &world.state(id).placement;
            let member = live.play().segment_of(id.index());
            if let Some((figure, segment)) = member.filter(|(figure, _)| self.shows_mannequin(*figure, layers)) {
                let looks = self.looks.get(figure).and_then(|looks| looks.get(segment));
                looks.into_iter().flatten().for_each(|look| painter.solid(look.mesh, placement, look.color));
            }
            let Some(mesh) = appearance.mesh.filter(|_| !gone) else { continue };
            if appearance.figure.is_none() || layers.shapes {
                painter.solid(mesh, placement, appearance.color);
            }
        }
    }
}

/// Returns true if figures are drawn by their collision shapes alone.
fn only_shapes(layers: &Layers) -> bool {
    layers.shapes && !layers.mesh && !layers.mannequin
}
