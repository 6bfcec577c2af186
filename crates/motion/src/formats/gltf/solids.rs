//! Rigid solids in motion: nodes with plain meshes and one animation, alone or beside a character.

use super::assembly::{Assembly, Kind, Use};
use super::container::Container;
use super::new_file;
use crate::formats::FormatError;
use crate::math::{Placement, Quat, Real, Vec3, real};
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Triangles of one colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    indices: Vec<u32>,
    color: [f32; 3],
}

/// Rigid mesh that moves.
pub struct Part {
    /// Name of its node.
    pub name: String,
    /// Shape and colour.
    pub mesh: Mesh,
    /// Placement in the world, frame by frame.
    pub frames: Vec<Placement>,
    /// Visibility, frame by frame; always visible if absent.
    pub visible: Option<Vec<bool>>,
}

/// Camera that may move.
pub struct CameraTrack {
    /// Placement in the world, frame by frame; it looks along its −Z axis.
    pub frames: Vec<Placement>,
    /// Vertical field of view, radians.
    pub field_of_view: f32,
}

/// Points around a round solid.
const AROUND: usize = 16;
/// Rings on a round end.
const RINGS: usize = 5;

impl Mesh {
    /// Makes an empty mesh of a colour: red, green, blue, 0 … 1.
    pub fn new(color: [f32; 3]) -> Self {
        Self { positions: Vec::new(), normals: Vec::new(), indices: Vec::new(), color }
    }

    fn vertex(&mut self, placement: &Placement, position: &Vec3, normal: &Vec3) -> u32 {
        let (p, n) = (placement.point(position), (placement.rotation * normal).normalize());
        self.positions.push([p.x as f32, p.y as f32, p.z as f32]);
        self.normals.push([n.x as f32, n.y as f32, n.z as f32]);
        self.positions.len() as u32 - 1
    }

    /// Adds flat triangles, metres, counter-clockwise seen from outside.
    pub fn triangles(&mut self, placement: &Placement, faces: impl Iterator<Item = [Vec3; 3]>) {
        for corners in faces {
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            let Some(normal) = normal.try_normalize(1e-15) else { continue };
            for corner in &corners {
                let index = self.vertex(placement, corner, &normal);
                self.indices.push(index);
            }
        }
    }

    /// Adds a box with half edges `half`, metres.
    pub fn cuboid(&mut self, placement: &Placement, half: &Vec3) {
        for k in 0..3 {
            let (u, v) = ((k + 1) % 3, (k + 2) % 3);
            for sign in [-1.0, 1.0] {
                let normal = Vec3::ith(k, sign);
                let corner = |a: Real, b: Real| {
                    let mut p = normal * half[k];
                    (p[u], p[v]) = (a * half[u], b * half[v]);
                    p
                };
                let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
                let first = self.positions.len() as u32;
                for corner in &corners {
                    self.vertex(placement, corner, &normal);
                }
                let order: [u32; 6] = if sign > 0.0 { [0, 1, 2, 0, 2, 3] } else { [0, 2, 1, 0, 3, 2] };
                self.indices.extend(order.map(|k| first + k));
            }
        }
    }

    /// Adds a surface of revolution about x through rings of (x, radius, latitude of the normal).
    fn revolved(&mut self, placement: &Placement, rings: &[(Real, Real, Real)]) {
        let first = self.positions.len() as u32;
        for &(x, radius, latitude) in rings {
            for k in 0..AROUND {
                let (sin, cos) = real::sin_cos(TAU * k as Real / AROUND as Real);
                let normal = Vec3::new(real::sin(latitude), real::cos(latitude) * cos, real::cos(latitude) * sin);
                self.vertex(placement, &Vec3::new(x, radius * cos, radius * sin), &normal);
            }
        }
        let around = AROUND as u32;
        for band in 0..rings.len() as u32 - 1 {
            let (thin, thick) = (rings[band as usize].1 <= 1e-12, rings[band as usize + 1].1 <= 1e-12);
            for k in 0..around {
                let (a, b) = (first + band * around + k, first + band * around + (k + 1) % around);
                let (c, d) = (a + around, b + around);
                // At a pole one of the two triangles has no area.
                if !thin {
                    self.indices.extend([a, d, b]);
                }
                if !thick {
                    self.indices.extend([a, c, d]);
                }
            }
        }
    }

    /// Adds a capsule from `a` to `b`, metres; a ball if both are equal.
    pub fn capsule(&mut self, placement: &Placement, a: &Vec3, b: &Vec3, radius: Real) {
        let way = b - a;
        let half = way.norm() / 2.0;
        let rotation = Quat::rotation_between(&Vec3::x(), &way)
            .unwrap_or_else(|| if way.x < 0.0 { Quat::from_axis_angle(&Vec3::y_axis(), PI) } else { Quat::identity() });
        let frame = placement.then(&Placement::new((a + b) / 2.0, rotation));
        let mut rings = Vec::new();
        for end in [-1.0, 1.0] {
            for ring in 0..=RINGS {
                let share = if end < 0.0 { ring as Real / RINGS as Real - 1.0 } else { ring as Real / RINGS as Real };
                let latitude = share * FRAC_PI_2;
                let around = if share.abs() == 1.0 { 0.0 } else { radius * real::cos(latitude) };
                rings.push((end * half + radius * real::sin(latitude), around, latitude));
            }
        }
        if half == 0.0 {
            rings.remove(RINGS);
        }
        self.revolved(&frame, &rings);
    }

    /// Adds a cylinder along x, centred, metres.
    pub fn cylinder(&mut self, placement: &Placement, length: Real, radius: Real) {
        let h = length / 2.0;
        let rings = [
            (-h, 0.0, -FRAC_PI_2),
            (-h, radius, -FRAC_PI_2),
            (-h, radius, 0.0),
            (h, radius, 0.0),
            (h, radius, FRAC_PI_2),
            (h, 0.0, FRAC_PI_2),
        ];
        self.revolved(placement, &rings[..2]);
        self.revolved(placement, &rings[2..4]);
        self.revolved(placement, &rings[4..]);
    }

    /// Takes the mesh apart: positions, normals, and vertex indices three by three.
    pub fn into_parts(self) -> (Vec<[f32; 3]>, Vec<[f32; 3]>, Vec<u32>) {
        (self.positions, self.normals, self.indices)
    }
}

/// Writes a GLB of parts that move at `times` (seconds), in one animation called `name`. `figure` is a GLB to add them to,
/// whose animation has the same times.
pub fn write_solids(
    figure: Option<&[u8]>,
    name: &str,
    times: &[f32],
    parts: &[Part],
    camera: Option<&CameraTrack>,
) -> Result<Vec<u8>, FormatError> {
    let container = match figure {
        Some(bytes) => Container::open(bytes, &|_| Err("is not there".to_owned()))?,
        None => new_file::empty(),
    };
    let mut file = Assembly::new(&container, Kind::Glb);
    let mut roots = Vec::new();
    let mut tracks = AnimationBuilder { samplers: Vec::new(), channels: Vec::new(), input: None };
    let mut meshes: Vec<(&Mesh, usize)> = Vec::new();
    let mut materials: Vec<([f32; 3], usize)> = Vec::new();
    for part in parts {
        let mut node = placed(&part.name, part.frames.first());
        if !part.mesh.indices.is_empty() {
            let known = meshes.iter().find(|(mesh, _)| **mesh == part.mesh).map(|(_, index)| *index);
            node["mesh"] = json!(known.unwrap_or_else(|| {
                let index = mesh(&mut file, &part.mesh, &part.name, &mut materials);
                meshes.push((&part.mesh, index));
                index
            }));
        }
        let hidden = part.visible.as_ref().is_some_and(|visible| !visible.first().copied().unwrap_or(true));
        if hidden {
            node["scale"] = json!([0.0, 0.0, 0.0]);
        }
        let node = file.push("nodes", node);
        roots.push(node);
        tracks.placements(&mut file, node, times, &part.frames);
        if let Some(visible) = &part.visible {
            tracks.visibility(&mut file, node, times, visible);
        }
    }
    if let Some(camera) = camera {
        let index = file.push(
            "cameras",
            json!({"name": "Camera", "type": "perspective", "perspective": {"yfov": camera.field_of_view, "znear": 0.01, "zfar": 1000.0}}),
        );
        let mut node = placed("Camera", camera.frames.first());
        node["camera"] = json!(index);
        let node = file.push("nodes", node);
        roots.push(node);
        tracks.placements(&mut file, node, times, &camera.frames);
    }
    if !roots.is_empty() {
        let scene = file.json.get("scene").and_then(Value::as_u64).unwrap_or(0) as usize;
        if file.array("scenes").is_empty() {
            file.push("scenes", json!({"nodes": []}));
            file.json.insert("scene".into(), json!(0));
        }
        let scenes = file.array("scenes");
        let place = scene.min(scenes.len() - 1);
        let mut nodes = scenes[place].get("nodes").and_then(Value::as_array).cloned().unwrap_or_default();
        nodes.extend(roots.iter().map(|root| json!(root)));
        scenes[place]["nodes"] = Value::Array(nodes);
    }
    tracks.finish(&mut file, name);
    file.finish()
}

fn placed(name: &str, at: Option<&Placement>) -> Value {
    let at = at.copied().unwrap_or(Placement::IDENTITY);
    let (t, q) = (at.position, unit(&at.rotation));
    json!({"name": name, "translation": [t.x as f32, t.y as f32, t.z as f32], "rotation": q})
}

/// Returns a quaternion of unit length in single precision.
fn unit(q: &Quat) -> [f32; 4] {
    [q.i as f32, q.j as f32, q.k as f32, q.w as f32]
}

fn mesh(file: &mut Assembly, mesh: &Mesh, name: &str, materials: &mut Vec<([f32; 3], usize)>) -> usize {
    let known = materials.iter().find(|(color, _)| *color == mesh.color).map(|(_, index)| *index);
    let material = known.unwrap_or_else(|| {
        let [r, g, b] = mesh.color;
        let look = json!({"baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.75});
        let index = file
            .push("materials", json!({"name": format!("Color {}", materials.len() + 1), "pbrMetallicRoughness": look}));
        materials.push((mesh.color, index));
        index
    });
    let positions = file.vectors(&mesh.positions, true);
    let normals = file.vectors(&mesh.normals, false);
    let indices = file.triangles(&mesh.indices);
    let primitive = json!({
        "attributes": {"POSITION": positions, "NORMAL": normals}, "indices": indices, "material": material
    });
    file.push("meshes", json!({"name": name, "primitives": [primitive]}))
}

/// Animation under construction.
struct AnimationBuilder {
    samplers: Vec<Value>,
    channels: Vec<Value>,
    input: Option<usize>,
}

impl AnimationBuilder {
    /// Returns the accessor of the times, made once.
    fn times(&mut self, file: &mut Assembly, times: &[f32]) -> usize {
        *self.input.get_or_insert_with(|| {
            let bytes: Vec<u8> = times.iter().flat_map(|t| t.to_le_bytes()).collect();
            let view = file.view(&bytes, Use::Other);
            let input = file.floats(view, 0, times.len(), "SCALAR");
            let accessor = &mut file.array("accessors")[input];
            (accessor["min"], accessor["max"]) = (json!([times[0]]), json!([times[times.len() - 1]]));
            input
        })
    }

    fn channel(&mut self, file: &mut Assembly, node: usize, times: &[f32], path: &str, values: &[f32], step: bool) {
        let input = self.times(file, times);
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = file.view(&bytes, Use::Other);
        let output = file.floats(view, 0, times.len(), if path == "rotation" { "VEC4" } else { "VEC3" });
        self.channels.push(json!({"sampler": self.samplers.len(), "target": {"node": node, "path": path}}));
        let how = if step { "STEP" } else { "LINEAR" };
        self.samplers.push(json!({"input": input, "output": output, "interpolation": how}));
    }

    /// Adds the channels of a node's placements; none for a node that does not move.
    fn placements(&mut self, file: &mut Assembly, node: usize, times: &[f32], frames: &[Placement]) {
        let Some(first) = frames.first().filter(|_| frames.len() == times.len() && times.len() > 1) else { return };
        if frames.iter().any(|frame| frame.position != first.position) {
            let values: Vec<f32> =
                frames.iter().flat_map(|f| f.position.iter().map(|x| *x as f32).collect::<Vec<_>>()).collect();
            self.channel(file, node, times, "translation", &values, false);
        }
        if frames.iter().any(|frame| frame.rotation != first.rotation) {
            let mut values: Vec<f32> = Vec::with_capacity(frames.len() * 4);
            for frame in frames {
                let q = unit(&frame.rotation);
                // On one side of the sphere, so that viewers take the short way.
                let opposite = values.len() >= 4
                    && values[values.len() - 4..].iter().zip(q).map(|(a, b)| a * b).sum::<f32>() < 0.0;
                values.extend(q.map(|x| if opposite { -x } else { x }));
            }
            self.channel(file, node, times, "rotation", &values, false);
        }
    }

    /// Adds the visibility of a node as a scale of 1 or 0.
    fn visibility(&mut self, file: &mut Assembly, node: usize, times: &[f32], visible: &[bool]) {
        if times.len() > 1 {
            let values: Vec<f32> = visible.iter().flat_map(|visible| [*visible as u8 as f32; 3]).collect();
            self.channel(file, node, times, "scale", &values, true);
        }
    }

    /// Adds the channels to the last animation of the file, or as a new one.
    fn finish(self, file: &mut Assembly, name: &str) {
        if self.channels.is_empty() {
            return;
        }
        match file.array("animations").last_mut() {
            Some(animation) => {
                let mut samplers = animation.get("samplers").and_then(Value::as_array).cloned().unwrap_or_default();
                let mut channels = animation.get("channels").and_then(Value::as_array).cloned().unwrap_or_default();
                let shift = samplers.len();
                channels.extend(self.channels.into_iter().map(|mut channel| {
                    channel["sampler"] = json!(channel["sampler"].as_u64().unwrap_or(0) as usize + shift);
                    channel
                }));
                samplers.extend(self.samplers);
                animation["samplers"] = Value::Array(samplers);
                animation["channels"] = Value::Array(channels);
            }
            None => {
                if file.array("animations").is_empty() {
                    file.json.shift_remove("animations");
                }
                let animation = json!({"name": name, "channels": self.channels, "samplers": self.samplers});
                file.push("animations", animation);
            }
        }
    }
}
