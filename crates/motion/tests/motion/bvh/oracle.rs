//! The `bvh_anim` crate as a second opinion on files that it reads correctly.

use super::{parse, standing};
use proptest::prelude::*;

/// A file in the spelling that every reader knows.
fn plain_file(values: &[f32]) -> String {
    let rows = values.len() / 15;
    let mut text = standing(0).replace("Frames: 0", &format!("Frames: {rows}"));
    for row in values.chunks_exact(15) {
        let words: Vec<String> = row.iter().map(f32::to_string).collect();
        text += &(words.join(" ") + "\n");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn hierarchy_and_values_agree_with_bvh_anim(values in prop::collection::vec(-500.0f32..500.0, 15..150)) {
        let values = &values[..values.len() / 15 * 15];
        let text = plain_file(values);
        let (ours, warnings) = parse(&text);
        prop_assert!(warnings.is_empty());
        let theirs = bvh_anim::from_bytes(text.as_bytes()).unwrap();
        let names: Vec<String> = theirs.joints().map(|joint| joint.data().name().to_string()).collect();
        prop_assert_eq!(names, ours.nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>());
        for (joint, node) in theirs.joints().zip(&ours.nodes) {
            let offset = joint.data().offset();
            prop_assert_eq!([offset.x, offset.y, offset.z], node.offset.map(|x| x as f32));
            prop_assert_eq!(joint.data().channels().len(), node.channels.len());
        }
        let motion = ours.motion.as_ref().unwrap();
        prop_assert_eq!(theirs.frames().len(), ours.frames());
        let theirs: Vec<f32> = theirs.frames().flat_map(|frame| frame.as_slice().to_vec()).collect();
        prop_assert_eq!(theirs, motion.values.iter().map(|&x| x as f32).collect::<Vec<_>>());
    }
}
