//! Execution of commands from keys and buttons.

use super::Viewer;
use crate::math::Vec3;
use crate::show::Action;
use crate::viewer::keys::{Command, Layer};
use crate::viewer::mouse;

impl Viewer {
    pub(super) fn execute(&mut self, command: Command) {
        let status = self.workspace.status();
        match command {
            Command::PlayOrPause => self.act(if status.playing { Action::Pause } else { Action::Play }),
            Command::StepForward => self.act(Action::StepForward),
            Command::StepBack => self.act(Action::StepBack),
            Command::ToStart => self.act(Action::Seek(0.0)),
            Command::ToEnd => self.act(Action::Seek(status.duration)),
            Command::Slower => self.act(Action::Speed((status.speed * 0.5).max(1.0 / 64.0))),
            Command::Faster => self.act(Action::Speed((status.speed * 2.0).min(8.0))),
            Command::Loop => self.act(Action::Loop(!status.looping)),
            Command::WorstFrame => self.seek_worst(),
            Command::SourceOrResult => self.act(Action::Swap),
            Command::Live => {
                self.act(Action::Live(!status.live));
                if !status.live {
                    self.act(Action::Play);
                }
            }
            Command::Reset => {
                self.panels.limp.clear();
                self.panels.strength.clear();
                self.act(Action::Reset);
            }
            Command::RagDoll => self.go_limp(),
            Command::Throw => self.throw(),
            Command::Drop => self.drop_box(),
            Command::Push => self.push(),
            Command::View(view) => {
                self.camera.look_from(view);
                self.frame_all();
            }
            Command::Follow => self.panels.follow = !self.panels.follow,
            Command::FrameAll => self.frame_all(),
            Command::Layer(layer) => self.toggle(layer),
            Command::Screenshot => self.screenshot(),
            Command::Video => self.toggle_video(),
            Command::SaveRecording => self.save("json", |workspace, path| workspace.save_recording(path)),
            Command::ExportGlb => self.save("glb", |workspace, path| workspace.export_glb(path)),
            Command::Panels => self.panels.panels = !self.panels.panels,
            Command::Help => self.panels.help = !self.panels.help,
            Command::Quit if self.panels.help => self.panels.help = false,
            Command::Quit => self.leaving = true,
        }
    }

    fn seek_worst(&mut self) {
        self.timeline = self.workspace.timeline();
        let worst: Vec<_> =
            self.timeline.curves.iter().filter_map(|curve| Some((curve.name, curve.worst?.0))).collect();
        if worst.is_empty() {
            return self.notify("there is no measure to look for");
        }
        let (name, time) = worst[self.worst % worst.len()];
        self.worst += 1;
        self.act(Action::Pause);
        self.act(Action::Seek(time));
        self.notify(format!("worst moment of {name}"));
    }

    /// Item that a command applies to: that of the selected body, else the one under the pointer, else the first.
    fn meant(&self) -> usize {
        self.panels.chosen.or(self.under).map_or(0, |pick| pick.grip.item)
    }

    fn go_limp(&mut self) {
        let item = self.meant();
        self.panels.limp.resize(self.workspace.len(), false);
        let limp = !self.panels.limp[item];
        self.panels.limp[item] = limp;
        self.act(Action::RagDoll { item, limp });
    }

    /// Target of a throw: the body under the pointer, or the point there at the depth of the scene's centre.
    fn aimed_at(&mut self) -> Vec3 {
        let there = self.camera.on_facing_plane(self.mouse.at.0, self.mouse.at.1, &self.camera.target());
        self.pick().map_or(there, |pick| pick.point)
    }

    fn throw(&mut self) {
        let target = self.aimed_at();
        let (eye, direction) = self.camera.ray(self.mouse.at.0, self.mouse.at.1);
        // Balls start at the camera, but no farther away than a ball can be thrown.
        let from = eye + direction * ((target - eye).norm() - 4.0).max(0.4);
        let ball = self.panels.ball;
        let velocity = mouse::aim(&from, &target, ball.speed, &self.workspace.status().gravity);
        self.act(Action::Throw { from, velocity, mass: ball.mass, radius: ball.radius });
    }

    fn drop_box(&mut self) {
        let (_, high) = self.workspace.bounds();
        let under = self.aimed_at();
        let size = 2.0 * self.panels.ball.radius;
        let at = Vec3::new(under.x, high.y.max(under.y) + 0.5 + size, under.z);
        self.act(Action::Drop { at, mass: self.panels.ball.mass, size });
    }

    fn push(&mut self) {
        let (_, direction) = self.camera.ray(self.mouse.at.0, self.mouse.at.1);
        let Some(pick) = self.pick().or(self.panels.chosen) else {
            return self.notify("nothing under the mouse to push");
        };
        self.act(Action::Push { grip: pick.grip, impulse: direction * self.panels.push });
    }

    fn toggle(&mut self, layer: Layer) {
        let layers = &mut self.panels.layers;
        let flip = |group: &mut [&mut bool]| {
            let on = !*group[0];
            group.iter_mut().for_each(|layer| **layer = on);
        };
        match layer {
            Layer::Mesh => flip(&mut [&mut layers.mesh]),
            Layer::Shapes => flip(&mut [&mut layers.shapes]),
            Layer::Skeleton => flip(&mut [&mut layers.skeleton]),
            Layer::Ghost => flip(&mut [&mut layers.ghost]),
            Layer::Onion => flip(&mut [&mut layers.onion]),
            Layer::Forces => flip(&mut [&mut layers.contact_forces, &mut layers.contacts]),
            Layer::Torques => flip(&mut [&mut layers.torques, &mut layers.reactions, &mut layers.residual]),
            Layer::Balance => {
                flip(&mut [&mut layers.centre_of_mass, &mut layers.support, &mut layers.zero_moment_point]);
            }
            Layer::Limits => flip(&mut [&mut layers.limits]),
        }
    }
}
