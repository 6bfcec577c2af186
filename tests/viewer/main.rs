//! The viewer as people use it: the real binary draws pictures without a display, and opens a real window on a virtual one,
//! where `xdotool` moves the mouse and presses keys. What the window did is read from its `--log`.
//!
//! Needs a Vulkan driver (Mesa's on the processor will do), `Xvfb` and `xdotool`. Where they are missing the tests say so and
//! pass, except in the checks of a change (`CI=true`), where they must be there.

mod pictures;
mod refusals;
mod support;
mod window;
