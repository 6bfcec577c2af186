//! Ray picking, and the facts about a picked body.

use super::item::{Content, Item};
use super::{Grip, Workspace};
use crate::control::read_joint;
use crate::dynamics::Ray;
use crate::math::{Real, Vec3};

/// First hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// Item, body and local point, as [`super::Action::Grab`] and [`super::Action::Push`] take them.
    pub grip: Grip,
    /// Figure of the item and segment of the figure, if the body is a segment.
    pub segment: Option<(usize, usize)>,
    /// Hit point in the picture, metres.
    pub point: Vec3,
    /// Outward unit normal.
    pub normal: Vec3,
    /// Distance from the ray's start, metres.
    pub distance: Real,
    /// True if the body can be moved while physics is on.
    pub movable: bool,
}

impl Workspace {
    /// Finds the first hit of a ray in the picture.
    pub fn pick(&mut self, from: Vec3, direction: Vec3) -> Option<Pick> {
        let mut best: Option<Pick> = None;
        for (number, item) in self.items_mut().iter_mut().enumerate() {
            let offset = item.offset;
            let Some(world) = item.world() else { continue };
            let Some(hit) = world.cast_ray(&Ray::new(from - offset, direction)) else { continue };
            let at = world.state(hit.body).placement.local_point(&hit.point);
            let movable = world.body(hit.body).is_dynamic();
            let body = hit.body.index();
            if best.is_none_or(|best| hit.distance < best.distance) {
                best = Some(Pick {
                    grip: Grip { item: number, body, at },
                    segment: item.segment_of(body),
                    point: hit.point + offset,
                    normal: hit.normal,
                    distance: hit.distance,
                    movable,
                });
            }
        }
        best
    }

    /// Facts about a picked body, as pairs of name and value with its unit.
    pub fn describe(&mut self, pick: &Pick) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        if let Some(item) = self.items_mut().get_mut(pick.grip.item) {
            describe(item, pick, &mut facts);
        }
        facts
    }
}

fn describe(item: &mut Item, pick: &Pick, facts: &mut Vec<(String, String)>) {
    let live = item.live.is_some();
    let name = item.name.clone();
    let mut say = |what: &str, value: String| facts.push((what.to_owned(), value));
    say("file", name);
    if let Some(world) = item.world()
        && let Some((id, body)) = world.bodies().nth(pick.grip.body)
    {
        say("body", body.name.clone());
        if body.is_dynamic() {
            say("mass", format!("{:.3} kg", body.mass.mass));
        }
        let state = world.state(id);
        let p = state.placement.position;
        say("place", format!("{:.3}, {:.3}, {:.3} m", p.x, p.y, p.z));
        if live {
            say("speed", format!("{:.3} m/s", state.linear().norm()));
            say("spin", format!("{:.3} rad/s", state.angular().norm()));
            let load = world.contact_load(id).0.norm();
            if load > 0.0 {
                say("contact force", format!("{load:.1} N"));
            }
        }
    }
    let Some((which, k)) = pick.segment else { return };
    if let Some((figure, posture)) = item.figures().nth(which) {
        let segment = figure.segment(k);
        if let Some(role) = segment.role {
            say("role", role.to_string());
        }
        say("joint", segment.attachment.kind.word().to_owned());
        if let Some(parent) = segment.parent {
            let turn = posture.placements[parent].rotation.inverse() * posture.placements[k].rotation;
            let angle = segment.attachment.relative(&turn).angle();
            say("joint angle", format!("{:.1}°", angle.to_degrees()));
        }
    }
    if let (Content::Character(_), None) = (&item.content, &item.live) {
        let posture = &item.postures[0];
        if let Content::Character(character) = &item.content {
            let (mut frames, mut motions) = (Vec::new(), Vec::new());
            character.figure.motions_into(&posture.motion, &mut frames, &mut motions);
            let speed = motions[k].point(&character.figure.segment(k).centre).0.norm();
            say("speed", format!("{speed:.3} m/s"));
        }
    }
    let Some(live) = &item.live else { return };
    let (world, play) = (live.world(), live.play());
    let Some(actor) = play.actors().nth(which) else { return };
    say("strength", format!("{:.0} %", 100.0 * play.wanted_strength(which, k) * actor.activation()));
    if let Some(muscle) = actor.muscle(k) {
        say("torque", format!("{:.1} N·m", muscle.torque(world).norm()));
        say("off target", format!("{:.2}°", actor.error(world, k).to_degrees()));
        if let Some(reading) = read_joint(world, muscle.joint()) {
            say("joint rate", format!("{:.2} rad/s", reading.rate.norm()));
        }
    }
    if let Some(joint) = actor.instance().joints[k] {
        let wrench = world.wrench_on(joint, actor.instance().bodies[k]);
        say("joint reaction", format!("{:.1} N", wrench.fixed_rows::<3>(0).norm()));
    }
    if actor.roots().any(|(root, _)| root == k) {
        let help = actor.residual(world);
        say(
            "root assistance",
            format!("{:.1} N, {:.1} N·m", help.fixed_rows::<3>(0).norm(), help.fixed_rows::<3>(3).norm()),
        );
    }
}
