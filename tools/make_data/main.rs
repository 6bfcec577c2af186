//! Makes the files of `data/` again, byte for byte: `cargo run --release -p sinew-tools --bin make_data`.
//!
//! With `--check` nothing is written; it fails if a file differs from what would be made.

mod studio;

use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let check = std::env::args().skip(1).any(|argument| argument == "--check");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    let mut total = 0;
    for file in studio::files::all()? {
        let path = folder.join(&file.path);
        total += file.bytes.len();
        if check {
            if fs::read(&path).ok().as_deref() != Some(&file.bytes) {
                return Err(format!("{} is not what the generator makes", path.display()).into());
            }
        } else {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&path, &file.bytes)?;
        }
        println!("{:>9} {}", file.bytes.len(), file.path);
    }
    println!("{total:>9} bytes in all");
    Ok(())
}
