//! What the mouse is doing: looking around, or holding a body.

use super::camera::Camera;
use crate::math::Vec3;
use crate::show::{Action, Pick};
use kiss3d::event::MouseButton;

/// What a drag does.
#[derive(Clone, Debug)]
enum Drag {
    Orbit,
    Pan,
    /// A body is held at the point that was grabbed.
    Hold {
        grabbed: Vec3,
        to: Vec3,
    },
}

#[derive(Default)]
pub(super) struct Mouse {
    /// Pixels.
    pub at: (f64, f64),
    drag: Option<(MouseButton, Drag)>,
    /// How far the mouse went since the button went down, pixels: a click goes nowhere.
    travelled: f64,
    /// What was under it when the button went down.
    pressed_on: Option<Pick>,
}

/// Up to so many pixels of movement a press and a release are a click.
const CLICK: f64 = 4.0;
/// Turning of a held body, radians per pixel.
const TWIST: f64 = 0.01;

impl Mouse {
    pub fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    /// A button goes down over the picture, perhaps over a body; `touchable` where physics is on.
    pub fn press(&mut self, button: MouseButton, under: Option<Pick>, touchable: bool) -> Option<Action> {
        if self.drag.is_some() {
            return None;
        }
        self.travelled = 0.0;
        self.pressed_on = under;
        let (drag, action) = match (button, under) {
            (MouseButton::Button1, Some(pick)) if touchable && pick.movable => (
                Drag::Hold { grabbed: pick.point, to: pick.point },
                Some(Action::Grab { grip: pick.grip, to: pick.point }),
            ),
            (MouseButton::Button1, _) => (Drag::Orbit, None),
            _ => (Drag::Pan, None),
        };
        self.drag = Some((button, drag));
        action
    }

    /// The mouse moves; with `turning` a held body is turned instead of pulled.
    pub fn move_to(&mut self, x: f64, y: f64, camera: &mut Camera, turning: bool) -> Option<Action> {
        let (dx, dy) = (x - self.at.0, y - self.at.1);
        self.at = (x, y);
        self.travelled += dx.hypot(dy);
        match &mut self.drag.as_mut()?.1 {
            Drag::Orbit => {
                camera.orbit(dx as f32, dy as f32);
                None
            }
            Drag::Pan => {
                camera.pan(dx as f32, dy as f32);
                None
            }
            Drag::Hold { .. } if turning => {
                let (right, up, _) = camera.axes();
                let turn = super::convert::back(up) * (dx * TWIST) + super::convert::back(right) * (dy * TWIST);
                Some(Action::Twist(turn))
            }
            Drag::Hold { grabbed, to } => {
                *to = camera.on_facing_plane(x, y, grabbed);
                Some(Action::Drag(*to))
            }
        }
    }

    /// A button goes up: what to do, and what was clicked if it was a click.
    pub fn release(&mut self, button: MouseButton) -> (Option<Action>, Option<Option<Pick>>) {
        let Some((pressed, drag)) = self.drag.take() else { return (None, None) };
        if pressed != button {
            self.drag = Some((pressed, drag));
            return (None, None);
        }
        let action = matches!(drag, Drag::Hold { .. }).then_some(Action::Release);
        let clicked = button == MouseButton::Button1 && self.travelled <= CLICK;
        (action, clicked.then(|| self.pressed_on.take()))
    }
}

/// The velocity with which a ball from `from` meets `target` at about this speed, in this gravity.
pub(super) fn aim(from: &Vec3, target: &Vec3, speed: f64, gravity: &Vec3) -> Vec3 {
    let way = target - from;
    let time = (way.norm() / speed.max(0.1)).max(1e-3);
    way / time - gravity * (0.5 * time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x(t) = x₀ + v t + g t²/2 passes through the target.
    #[test]
    fn a_thrown_ball_flies_through_its_target() {
        let (from, target, gravity) = (Vec3::new(3.0, 1.5, 4.0), Vec3::new(0.2, 1.1, -0.1), Vec3::new(0.0, -9.81, 0.0));
        let velocity = aim(&from, &target, 8.0, &gravity);
        let time = (target - from).norm() / 8.0;
        let there = from + velocity * time + gravity * (0.5 * time * time);
        assert!((there - target).norm() < 1e-12);
    }
}
