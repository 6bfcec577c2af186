//! Removal of animations that changed clips replace.

use super::schema::array;
use super::{Document, fingerprint};
use crate::Clip;
use serde_json::Value;
use std::sync::Arc;

impl Document {
    /// Removes every animation that became a clip on reading and is not, unchanged, among `kept`; otherwise writing keeps
    /// it beside the clips of the capture. Animations that move no joint never became clips and stay.
    ///
    /// Returns the names of clips whose animation moved more than joints (morph weights, props): that part is in
    /// no clip and is gone from the document.
    ///
    /// ```no_run
    /// # use sinew_motion::formats::{self, ImportOptions, Source};
    /// let mut capture = formats::read("hero.glb".as_ref(), &ImportOptions::default())?;
    /// capture.clips.retain(|clip| clip.name == "Run");
    /// if let Some(Source::Gltf(document)) = &mut capture.source {
    ///     document.keep_only(&capture.clips);
    /// }
    /// formats::write("run.glb".as_ref(), &capture, &Default::default())?;
    /// # Ok::<(), formats::FormatError>(())
    /// ```
    pub fn keep_only(&mut self, kept: &[Clip]) -> Vec<String> {
        let kept: Vec<u64> = kept.iter().map(fingerprint).collect();
        let mut lost = Vec::new();
        // From the last on, so that the indices of those before stay true.
        for k in (0..self.originals.len()).rev() {
            if kept.contains(&self.originals[k]) {
                continue;
            }
            let index = self.animations[k];
            let json = Arc::make_mut(&mut self.container.json);
            let Some(animations) = json.get_mut("animations").and_then(Value::as_array_mut) else { continue };
            if index >= animations.len() {
                continue;
            }
            let animation = animations.remove(index);
            if self.moves_more_than_joints(&animation) {
                lost.push(name(&animation, index));
            }
            self.originals.remove(k);
            self.animations.remove(k);
            self.animations[k..].iter_mut().for_each(|later| *later -= 1);
        }
        lost.reverse();
        lost
    }

    fn moves_more_than_joints(&self, animation: &Value) -> bool {
        let channels = array(animation, "channels").unwrap_or_default();
        channels.iter().any(|channel| {
            let target = &channel["target"];
            let node = target["node"].as_u64().map(|node| node as usize);
            let is_joint = self.rig.joints.iter().any(|joint| Some(joint.node) == node);
            let is_carrier = self.rig.carriers.iter().any(|carrier| Some(carrier.node) == node);
            target["path"] == "weights" || !(is_joint || is_carrier)
        })
    }
}

/// Returns the clip name of an animation.
pub(super) fn name(animation: &Value, index: usize) -> String {
    let given = animation["name"].as_str().filter(|name| !name.is_empty());
    given.map_or_else(|| format!("animation_{index}"), str::to_owned)
}
