//! Conversion of an ASF and an AMC document to joints and a clip in metres, Y up.

use super::super::{FormatError, Guess, Unit, UpAxis};
use super::motion::Motion;
use super::skeleton::{Bone, Document, Dof, rotation};
use crate::{Clip, Joint, Skeleton, Tracks};
use crate::{Quat, Real, Vec3};

/// Heights a figure may have, metres: a small child to a giant.
const PLAUSIBLE_HEIGHT: std::ops::Range<Real> = 0.5..2.8;

/// Detects the unit: from the `length` of the file, unless that makes no plausible figure.
pub(super) fn detect_unit(document: &Document, guesses: &mut Vec<Guess>) -> Unit {
    let extent = extent(document);
    let said = Unit { metres: 0.0254 / document.length.unwrap_or(1.0) };
    let candidates =
        [said, Unit::CMU, Unit::INCH, Unit::CENTIMETRE, Unit::METRE, Unit::MILLIMETRE, Unit::DECIMETRE, Unit::FOOT];
    let fits = |unit: &&Unit| PLAUSIBLE_HEIGHT.contains(&(extent * unit.metres));
    let chosen = candidates.iter().find(fits).copied().unwrap_or(said);
    let height = extent * chosen.metres;
    let why = match document.length {
        Some(length) if chosen == said => {
            format!(
                "the file says length {length}, that is 1/{length} inch; the figure then measures {height:.2} m at its longest"
            )
        }
        None if chosen == said => format!("inches are usual; the figure then measures {height:.2} m at its longest"),
        _ => format!(
            "the inches that the file implies make no plausible figure; this makes it {height:.2} m at its longest"
        ),
    };
    guesses.push(Guess::new("unit", chosen, why, "--unit"));
    chosen
}

/// The largest side of the box around the rest pose, file units: standing height or arm span.
fn extent(document: &Document) -> Real {
    let (mut low, mut high) = (Vec3::zeros(), Vec3::zeros());
    let mut ends: Vec<Vec3> = Vec::with_capacity(document.bones.len());
    for bone in &document.bones {
        let end = bone.parent.map_or(Vec3::zeros(), |p| ends[p]) + bone.span;
        (low, high) = (low.inf(&end), high.sup(&end));
        ends.push(end);
    }
    (high - low).max()
}

/// Joints and frames from what the files say.
pub(super) struct Builder<'d> {
    pub document: &'d Document,
    /// Metres per unit of the file.
    pub metres: Real,
    pub up: UpAxis,
}

impl Builder<'_> {
    /// A vector of the file in metres, Y up.
    fn vector(&self, v: &Vec3) -> Vec3 {
        self.up.to_y_up() * v * self.metres
    }

    /// A rotation of the file seen from axes in which Y is up.
    fn rotation(&self, q: &Quat) -> Quat {
        let up = self.up.to_y_up();
        up * q * up.inverse()
    }

    /// Start of a bone in the frame of its parent, file units.
    fn start(&self, bone: &Bone) -> Vec3 {
        bone.parent.map_or(self.document.position, |p| self.document.bones[p].span)
    }

    /// The root turns its rest pose by its `orientation`; all other frames are unturned at rest.
    fn rest(bone: &Bone) -> Quat {
        if bone.parent.is_none() { bone.axes } else { Quat::identity() }
    }

    pub fn skeleton(&self) -> Result<Skeleton, FormatError> {
        let bones = &self.document.bones;
        let mut joints: Vec<Joint> = bones
            .iter()
            .map(|bone| {
                let mut joint = Joint::new(bone.name.clone(), bone.parent, self.vector(&self.start(bone)));
                joint.rest = self.rotation(&Self::rest(bone));
                joint.tip = (bone.parent.is_some() && bone.span != Vec3::zeros()).then(|| self.vector(&bone.span));
                joint
            })
            .collect();
        // A bone that goes on in another needs no tip.
        for bone in bones {
            if let Some(parent) = bone.parent {
                joints[parent].tip = None;
            }
        }
        Skeleton::new(joints).map_err(|error| FormatError::new(error.to_string()))
    }

    pub fn clip(&self, name: &str, rate: Real, motion: &Motion) -> Result<Clip, FormatError> {
        let bones = &self.document.bones;
        let slides = |bone: &Bone| bone.parent.is_none() || bone.dofs.iter().any(|d| matches!(d, Dof::Translate(_)));
        let moved: Vec<usize> = (0..bones.len()).filter(|&k| slides(&bones[k])).collect();
        let width: usize = bones.iter().map(|b| b.dofs.len()).sum();
        let scale = if motion.degrees { 1.0_f64.to_radians() } else { 1.0 };
        let mut rotations = Vec::with_capacity(motion.frames * bones.len());
        let mut translations = Vec::with_capacity(motion.frames * moved.len());
        for frame in 0..motion.frames {
            let mut values = &motion.values[frame * width..(frame + 1) * width];
            for bone in bones {
                let (own, rest) = values.split_at(bone.dofs.len());
                values = rest;
                let mut slide = Vec3::zeros();
                let mut angles = [(0, 0.0); 3];
                let mut count = 0;
                for (dof, &value) in bone.dofs.iter().zip(own) {
                    match *dof {
                        Dof::Translate(axis) => slide[axis] = value,
                        Dof::Rotate(axis) => {
                            angles[count] = (axis, value * scale);
                            count += 1;
                        }
                        Dof::Length => {}
                    }
                }
                let own = rotation(angles[..count].iter().copied());
                // The root rotates in the world and starts out in its orientation: M C. Any other bone: C M C⁻¹.
                let rotation = match bone.parent {
                    None => own * bone.axes,
                    Some(_) => bone.axes * own * bone.axes.inverse(),
                };
                rotations.push(self.rotation(&rotation));
                if slides(bone) {
                    let slide = if bone.parent.is_none() { slide } else { bone.axes * slide };
                    translations.push(self.vector(&(self.start(bone) + slide)));
                }
            }
        }
        let translations = Tracks { joints: moved, values: translations };
        Clip::new(name, rate, bones.len(), rotations, translations, Tracks::default())
            .map_err(|error| FormatError::new(error.to_string()))
    }
}
