//! Key bindings: one table for the window and for its help, so that both always agree.

use super::camera::View;
use kiss3d::event::Key;

/// Command of a key or button.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Command {
    PlayOrPause,
    StepForward,
    StepBack,
    ToStart,
    ToEnd,
    Slower,
    Faster,
    Loop,
    WorstFrame,
    SourceOrResult,
    Live,
    Reset,
    RagDoll,
    Throw,
    Drop,
    Push,
    View(View),
    Follow,
    FrameAll,
    Layer(Layer),
    Screenshot,
    Video,
    SaveRecording,
    ExportGlb,
    Panels,
    Help,
    Quit,
}

/// Layers with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    Mesh,
    Shapes,
    Skeleton,
    Ghost,
    Onion,
    Forces,
    Torques,
    Balance,
    Limits,
}

pub(super) struct Binding {
    pub key: Key,
    /// Name of the key in the help.
    pub name: &'static str,
    pub command: Command,
    pub does: &'static str,
}

pub(super) struct Section {
    pub title: &'static str,
    pub bindings: &'static [Binding],
}

const fn key(key: Key, name: &'static str, command: Command, does: &'static str) -> Binding {
    Binding { key, name, command, does }
}

pub(super) const SECTIONS: &[Section] = &[
    Section {
        title: "Time",
        bindings: &[
            key(Key::Space, "Space", Command::PlayOrPause, "play or pause"),
            key(Key::Right, "→", Command::StepForward, "one frame or step on"),
            key(Key::Left, "←", Command::StepBack, "one frame or step back"),
            key(Key::Home, "Home", Command::ToStart, "to the start"),
            key(Key::End, "End", Command::ToEnd, "to the end"),
            key(Key::Down, "↓", Command::Slower, "half the speed"),
            key(Key::Up, "↑", Command::Faster, "twice the speed"),
            key(Key::O, "O", Command::Loop, "play over and over"),
            key(Key::W, "W", Command::WorstFrame, "to the worst moment of the next measure"),
            key(Key::C, "C", Command::SourceOrResult, "change between source and result"),
        ],
    },
    Section {
        title: "Physics",
        bindings: &[
            key(Key::L, "L", Command::Live, "physics on or off"),
            key(Key::R, "R", Command::Reset, "back to the start"),
            key(Key::G, "G", Command::RagDoll, "go limp, or pull oneself together"),
            key(Key::T, "T", Command::Throw, "throw a ball at what is under the mouse"),
            key(Key::D, "D", Command::Drop, "drop a box over what is under the mouse"),
            key(Key::P, "P", Command::Push, "push what is under the mouse"),
        ],
    },
    Section {
        title: "View",
        bindings: &[
            key(Key::Key1, "1", Command::View(View::Front), "from the front"),
            key(Key::Key2, "2", Command::View(View::Side), "from the side"),
            key(Key::Key3, "3", Command::View(View::Top), "from above"),
            key(Key::Key4, "4", Command::View(View::Oblique), "from before, left and above"),
            key(Key::Key5, "5", Command::View(View::Back), "from behind"),
            key(Key::F, "F", Command::FrameAll, "everything into view"),
            key(Key::V, "V", Command::Follow, "follow what moves"),
        ],
    },
    Section {
        title: "Seen",
        bindings: &[
            key(Key::M, "M", Command::Layer(Layer::Mesh), "skin"),
            key(Key::H, "H", Command::Layer(Layer::Shapes), "collision shapes"),
            key(Key::K, "K", Command::Layer(Layer::Skeleton), "skeleton"),
            key(Key::J, "J", Command::Layer(Layer::Ghost), "ghost of the captured pose"),
            key(Key::N, "N", Command::Layer(Layer::Onion), "poses before and after"),
            key(Key::E, "E", Command::Layer(Layer::Forces), "contacts and their forces"),
            key(Key::Q, "Q", Command::Layer(Layer::Torques), "joint torques and reactions"),
            key(Key::B, "B", Command::Layer(Layer::Balance), "centre of mass, support, zero-moment point"),
            key(Key::I, "I", Command::Layer(Layer::Limits), "joint limits"),
        ],
    },
    Section {
        title: "Out",
        bindings: &[
            key(Key::F2, "F2", Command::Screenshot, "picture of the window"),
            key(Key::F3, "F3", Command::Video, "start or stop a video"),
            key(Key::F4, "F4", Command::SaveRecording, "save the recording"),
            key(Key::F5, "F5", Command::ExportGlb, "write a GLB of what happened"),
            key(Key::Tab, "Tab", Command::Panels, "panels on or off"),
            key(Key::Slash, "?", Command::Help, "this help"),
            key(Key::Escape, "Esc", Command::Quit, "close the help, then the window"),
        ],
    },
];

/// Mouse gestures and their effects, for the help.
pub(super) const MOUSE: &[(&str, &str)] = &[
    ("drag a body", "pull it (physics on); with Shift turn it"),
    ("drag elsewhere", "look from another side"),
    ("right drag", "shift the view"),
    ("wheel", "nearer or farther"),
    ("click a body", "choose it, see its state"),
    ("drop a file", "open it beside the others"),
];

/// Finds the command of a key.
pub(super) fn command(pressed: Key) -> Option<Command> {
    let all = SECTIONS.iter().flat_map(|section| section.bindings);
    all.into_iter().find(|binding| binding.key == pressed).map(|binding| binding.command)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two meanings of a key would hide one of them, in the window and in the help.
    #[test]
    fn every_key_has_one_meaning() {
        let all: Vec<&Binding> = SECTIONS.iter().flat_map(|section| section.bindings).collect();
        for (k, binding) in all.iter().enumerate() {
            assert_eq!(command(binding.key), Some(binding.command));
            assert!(all[k + 1..].iter().all(|other| other.key != binding.key), "{} twice", binding.name);
            assert!(!binding.does.is_empty());
        }
    }
}
