//! Detection of graphics devices. The graphics library aborts the program on failure, so that devices and displays are
//! checked first and their absence becomes an error.

use super::ViewError;
use kiss3d::context::Context;
use kiss3d::pollster::block_on;
use kiss3d::window::{CanvasSetup, NumSamples, OffscreenSurface, Window};
use std::panic::{self, AssertUnwindSafe};

/// Graphics device.
#[derive(Clone, Debug)]
pub struct Graphics {
    /// Name given by its maker.
    pub name: String,
    /// True if the processor renders, which is slow.
    pub software: bool,
    /// Maximum width and height of a picture, pixels.
    pub largest: u32,
}

/// Finds a graphics card or a software renderer.
pub fn probe() -> Result<Graphics, ViewError> {
    let (_, adapter) = find()?;
    let info = adapter.get_info();
    Ok(Graphics {
        software: info.device_type == wgpu::DeviceType::Cpu,
        name: info.name,
        largest: adapter.limits().max_texture_dimension_2d,
    })
}

/// Prefers Vulkan, Metal or DirectX. OpenGL is the fallback, since its libraries print to the terminal if there is no
/// display.
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

/// Creates a surface without a window. Given a device, the graphics library does not abort in search of one.
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
    // A software renderer goes without multisampling.
    let setup = setup(if graphics.software { NumSamples::One } else { NumSamples::Four });
    contained(
        || block_on(Window::new_with_setup(title, width, height, setup)),
        |said| {
            // The library's message ends with a position in its own sources, which is cut off.
            let short = said.split('(').next().unwrap_or_default().trim();
            let named = ["WAYLAND_DISPLAY", "DISPLAY"].into_iter().find_map(std::env::var_os);
            let named = named.map_or_else(String::new, |name| format!(" {}", name.display()));
            ViewError::NoDisplay(format!("the display{named} does not answer: {short}"))
        },
    )
}

/// Canvas with multisampled edges.
fn setup(samples: NumSamples) -> CanvasSetup {
    CanvasSetup { samples, ..CanvasSetup::default() }
}

fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(all(unix, not(target_os = "macos")))) || set("WAYLAND_DISPLAY") || set("WAYLAND_SOCKET") || set("DISPLAY")
}

/// Runs a call into the graphics library that may panic; returns the panic's message as an error.
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
