//! An exhibit as it is drawn: bodies, skins, the ghost, onion skins, and what cannot be seen.

use super::{Content, Exhibit, ONION};
use crate::dynamics::BodyId;
use crate::math::Real;
use crate::show::Layers;
use crate::show::actor::{Actor, Posture};
use crate::show::brush::{Brush, color};
use crate::show::live::{Engine, Live};
use crate::show::picture::Color;
use crate::show::{overlay, ties};

impl Exhibit {
    /// Paints it with the ghost of its source, or the other way round.
    pub fn paint(&self, layers: &Layers, brush: &mut Brush) {
        brush.offset = self.offset;
        match &self.source {
            Some(source) if self.swapped => {
                source.paint_own(layers, brush);
                if layers.ghost {
                    self.paint_ghost(layers, brush);
                }
            }
            other => {
                self.paint_own(layers, brush);
                if let (true, Some(source)) = (layers.ghost, other) {
                    source.paint_ghost(layers, brush);
                }
            }
        }
    }

    /// Everything in the colour of ghosts.
    fn paint_ghost(&self, layers: &Layers, brush: &mut Brush) {
        let tint = color::GHOST;
        match (&self.content, &self.live) {
            (Content::Actor(actor), _) => self.paint_tinted(actor, &self.postures[0], tint, layers, brush),
            (Content::Recorded(recorded), _) => recorded.paint(self.time, Some(tint), layers, brush),
            (Content::Things { .. }, _) => {
                self.dresses.iter().flatten().for_each(|dress| dress.paint(None, self.time, Some(tint), brush));
            }
            (Content::Scene { .. }, Some(live)) => {
                for ((id, _), look) in live.world().bodies().zip(&self.looks) {
                    if let Some(mesh) = look.mesh {
                        brush.solid(mesh, &live.world().state(id).placement, tint);
                    }
                }
            }
            (Content::Scene { .. }, None) => {}
        }
    }

    fn paint_own(&self, layers: &Layers, brush: &mut Brush) {
        if let Content::Recorded(recorded) = &self.content {
            recorded.paint(self.time, None, layers, brush);
        }
        if let Some(live) = &self.live {
            self.paint_bodies(live, layers, brush);
            if layers.mesh || layers.shapes {
                let is_member = |body: BodyId| live.play().engine.segment_of(body.index()).is_some();
                ties::paint_ties(live.world(), is_member, brush);
            }
            overlay::paint_live(live, layers, brush);
        }
        if let Content::Actor(actor) = &self.content {
            let posture = &self.postures[0];
            if self.live.is_none() && self.shows_shapes(0, layers) {
                brush.figure(&actor.figure, &actor.looks, &posture.placements, color::FIGURE);
            }
            if layers.onion {
                self.paint_onion(actor, brush);
            }
            if let (Some(found), None) = (self.analysis.curves(), &self.live) {
                overlay::paint_estimate(found, self.time, &actor.figure, posture, layers, brush);
            }
            if layers.centre_of_mass && self.live.is_none() {
                overlay::paint_centre(&actor.figure, &posture.placements, actor.ground, brush);
            }
        }
        if layers.limits {
            for (figure, posture) in self.figures() {
                overlay::paint_limits(figure, &posture.placements, brush);
            }
        }
        if let (true, Some(live)) = (layers.ghost, &self.live) {
            self.paint_captured(live, layers, brush);
        }
        if layers.mesh {
            self.paint_skins(brush);
        }
        if layers.skeleton {
            for (figure, posture) in self.figures() {
                brush.skeleton(figure.skeleton(), &posture.frames, color::BONE, 2.0);
            }
        }
    }

    /// Fading with the distance in time: before and after in a clip, before in a run.
    fn paint_onion(&self, actor: &Actor, brush: &mut Brush) {
        let faded = |far: Real| {
            let mut paint = color::ONION;
            paint[3] *= 1.0 - far as f32;
            paint
        };
        if let Some(live) = &self.live {
            for (step, places) in live.past() {
                let far = (live.steps() - step) as Real * live.step_length() / (ONION.0 * (ONION.1 + 1) as Real);
                for (look, place) in actor.looks.iter().zip(places) {
                    if let Some(mesh) = look {
                        brush.solid(*mesh, place, faded(far.min(1.0)));
                    }
                }
            }
            return;
        }
        for (k, posture) in self.onion.iter().enumerate() {
            let far = (ONION.1 - k / 2) as Real / (ONION.1 + 1) as Real;
            brush.figure(&actor.figure, &actor.looks, &posture.placements, faded(far));
        }
    }

    /// The ghosts of figures that physics moves: where the capture has them now.
    fn paint_captured(&self, live: &Live, layers: &Layers, brush: &mut Brush) {
        for (which, (puppet, ghost)) in live.play().engine.puppets().zip(&self.ghosts).enumerate() {
            let (Some(ghost), figure) = (ghost, puppet.figure()) else { continue };
            match self.dresses.get(which).filter(|_| layers.mesh) {
                Some(Some(dress)) => {
                    dress.paint(Some((figure.skeleton(), ghost)), self.time, Some(color::GHOST), brush);
                }
                _ => {
                    let bodies = puppet.instance().bodies.iter();
                    for ((segment, body), place) in figure.segments().iter().zip(bodies).zip(&ghost.placements) {
                        if let Some(mesh) = self.looks.get(body.index()).and_then(|look| look.mesh) {
                            brush.solid(mesh, &segment.body(place), color::GHOST);
                        }
                    }
                }
            }
        }
    }

    /// Whether a figure is drawn by its shapes.
    fn shows_shapes(&self, figure: usize, layers: &Layers) -> bool {
        layers.shapes || (layers.mesh && self.dresses.get(figure).is_none_or(Option::is_none))
    }

    fn paint_skins(&self, brush: &mut Brush) {
        let mut figures = self.figures();
        for dress in &self.dresses {
            let figure = figures.next().map(|(figure, posture)| (figure.skeleton(), posture));
            if let Some(dress) = dress {
                dress.paint(figure, self.time, None, brush);
            }
        }
    }

    /// A captured figure in one colour: by its skin where skins are shown, else by its shapes.
    fn paint_tinted(&self, actor: &Actor, posture: &Posture, tint: Color, layers: &Layers, brush: &mut Brush) {
        match self.dresses.first().filter(|_| layers.mesh) {
            Some(Some(dress)) => dress.paint(Some((actor.figure.skeleton(), posture)), self.time, Some(tint), brush),
            _ => brush.figure(&actor.figure, &actor.looks, &posture.placements, tint),
        }
    }

    fn paint_bodies(&self, live: &Live, layers: &Layers, brush: &mut Brush) {
        let world = live.world();
        for ((id, _), look) in world.bodies().zip(&self.looks) {
            let gone = match (&live.play().engine, look.cast) {
                (Engine::Run(run), Some(k)) => run.cast.bodies[k].gone.is_some(),
                _ => false,
            };
            let Some(mesh) = look.mesh.filter(|_| !gone) else { continue };
            if look.figure.is_some_and(|figure| !self.shows_shapes(figure, layers)) {
                continue;
            }
            brush.solid(mesh, &world.state(id).placement, look.color);
        }
    }
}
