//! Mouse state: camera drags, and grabbing of bodies.

use super::camera::Camera;
use crate::math::Vec3;
use crate::show::{Action, Pick};
use kiss3d::event::MouseButton;

/// Kind of a drag.
#[derive(Clone, Debug)]
enum Drag {
    Orbit,
    Pan,
    /// Pulls a body at the grabbed point.
    Hold {
        grabbed: Vec3,
        to: Vec3,
    },
}

#[derive(Default)]
pub(super) struct Mouse {
    /// Position of the pointer, pixels.
    pub at: (f64, f64),
    drag: Option<(MouseButton, Drag)>,
    /// Distance moved since the button was pressed, pixels; a click stays below [`CLICK`].
    travelled: f64,
    /// Body under the pointer when the button was pressed.
    pressed_on: Option<Pick>,
}

/// Maximum movement between press and release of a click, pixels.
const CLICK: f64 = 4.0;
/// Rotation of a held body, radians per pixel.
const TWIST: f64 = 0.01;

impl Mouse {
    pub fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    /// Handles a pressed button over the picture. `touchable` is true if the body is simulated.
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

    /// Handles a movement; with `turning` a held body is rotated instead of pulled.
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

    /// Handles a released button: the action, and the picked body of a click.
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

/// Velocity of a ball thrown from `from` that meets `target` at about this speed, in this gravity.
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
