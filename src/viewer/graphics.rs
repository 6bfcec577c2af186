//! Whether pictures can be made here at all, found out before the graphics library is asked: it ends the program where it
//! fails, and a person without a display deserves a sentence instead.

use super::ViewError;
use kiss3d::context::Context;
use kiss3d::pollster::block_on;
use kiss3d::window::{CanvasSetup, NumSamples, OffscreenSurface, Window};
use std::panic::{self, AssertUnwindSafe};

/// What draws.
#[derive(Clone, Debug)]
pub struct Graphics {
    /// As its maker calls it.
    pub name: String,
    /// The processor draws: everything works, slowly.
    pub software: bool,
    /// The widest and highest picture, pixels.
    pub largest: u32,
}

/// Looks for a graphics card, or a program that acts as one.
pub fn probe() -> Result<Graphics, ViewError> {
    let (_, adapter) = find()?;
    let info = adapter.get_info();
    Ok(Graphics {
        software: info.device_type == wgpu::DeviceType::Cpu,
        name: info.name,
        largest: adapter.limits().max_texture_dimension_2d,
    })
}

/// Vulkan, Metal or DirectX where there is one; OpenGL, whose libraries talk to the terminal where they find no display, only
/// else.
fn find() -> Result<(wgpu::Instance, wgpu::Adapter), ViewError> {
    let mut why = String::new();
    for backends in [wgpu::Backends::PRIMARY, wgpu::Backends::SECONDARY] {
        let descriptor =
            wgpu::InstanceDescriptor { backends, ..wgpu::InstanceDescriptor::new_without_display_handle() };
        let instance = wgpu::Instance::new(descriptor);
        match block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())) {
            Ok(adapter) => return Ok((instance, adapter)),
            Err(error) => why = error.to_string(),
        }
    }
    Err(ViewError::NoGraphics(why))
}

/// A surface without a window. The graphics library takes a device that is there already instead of looking for one and
/// giving up where it finds none.
pub(super) fn offscreen(graphics: &Graphics, width: u32, height: u32) -> Result<OffscreenSurface, ViewError> {
    let largest = graphics.largest;
    if width.max(height) > largest {
        return Err(ViewError::TooLarge { width, height, largest });
    }
    if !Context::is_initialized() {
        let (instance, adapter) = find()?;
        let wish = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..wgpu::DeviceDescriptor::default() };
        let device = block_on(adapter.request_device(&wish));
        let (device, queue) = device.map_err(|error| ViewError::NoGraphics(error.to_string()))?;
        Context::init(instance, device, queue, adapter, wgpu::TextureFormat::Rgba8Unorm);
    }
    contained(|| block_on(OffscreenSurface::with_setup(width, height, setup(NumSamples::Four))), ViewError::NoGraphics)
}

pub(super) fn window(graphics: &Graphics, title: &str, (width, height): (u32, u32)) -> Result<Window, ViewError> {
    if !has_display() {
        return Err(ViewError::NoDisplay("neither WAYLAND_DISPLAY nor DISPLAY is set".to_owned()));
    }
    // A processor that draws has enough to do without smooth edges.
    let setup = setup(if graphics.software { NumSamples::One } else { NumSamples::Four });
    contained(
        || block_on(Window::new_with_setup(title, width, height, setup)),
        |said| {
            // What the library says goes on with where in its own sources it failed.
            let short = said.split('(').next().unwrap_or_default().trim();
            let named = ["WAYLAND_DISPLAY", "DISPLAY"].into_iter().find_map(std::env::var_os);
            let named = named.map_or_else(String::new, |name| format!(" {}", name.display()));
            ViewError::NoDisplay(format!("the display{named} does not answer: {short}"))
        },
    )
}

/// Edges are smoothed by several samples per pixel.
fn setup(samples: NumSamples) -> CanvasSetup {
    CanvasSetup { samples, ..CanvasSetup::default() }
}

fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(all(unix, not(target_os = "macos")))) || set("WAYLAND_DISPLAY") || set("WAYLAND_SOCKET") || set("DISPLAY")
}

/// Runs a call into the graphics library that panics where it cannot go on, and gives back what it said.
fn contained<T>(work: impl FnOnce() -> T, error: impl FnOnce(String) -> ViewError) -> Result<T, ViewError> {
    let printer = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(printer);
    result.map_err(|said| {
        let text = said.downcast_ref::<String>().cloned();
        error(text.or_else(|| said.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default())
    })
}
