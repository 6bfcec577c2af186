//! Files that reading a file opens: itself, the skeleton of an AMC, buffers and images of a glTF.

use super::{HEAD, asf, extension, format_of, gltf};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Lists the files that [`read`](super::read()) opens for a path, the path first. Whatever must not be lost while its result is
/// written is among them. Pipes are not opened: they have nothing beside them.
pub fn files_read(path: &Path) -> Vec<PathBuf> {
    let mut files = vec![path.to_owned()];
    files.extend(beside(path).unwrap_or_default());
    files
}

fn beside(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut bytes)?;
    match format_of(&bytes, &extension(path)) {
        "amc" => Ok(asf::find_skeleton(path).map(|(skeleton, _)| skeleton).into_iter().collect()),
        "glb" | "gltf" | "vrm" => {
            file.read_to_end(&mut bytes)?;
            Ok(gltf::linked_files(&bytes).iter().map(|name| path.with_file_name("").join(name)).collect())
        }
        _ => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skeletons_buffers_and_images_belong_to_their_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("writes");
            path
        };
        put("02.asf", ":version 1.10\n:units\n");
        let motion = put("02_01.amc", ":FULLY-SPECIFIED\n:DEGREES\n1\n");
        assert_eq!(files_read(&motion), [motion.clone(), folder.path().join("02.asf")]);
        let links = "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"a%20b.bin\",\"byteLength\":4}],\
                     \"images\":[{\"uri\":\"skin.png\"},{\"uri\":\"data:image/png;base64,\"}]}";
        let character = put("hero.gltf", links);
        assert_eq!(files_read(&character)[1..], ["a b.bin", "skin.png"].map(|name| folder.path().join(name)));
        let missing = folder.path().join("missing.bvh");
        assert_eq!(files_read(&missing), std::slice::from_ref(&missing));
    }
}
