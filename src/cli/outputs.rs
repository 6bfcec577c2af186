//! Outputs of a call: all of them are decided on before any work, and written together at its end.
//!
//! No output replaces an input of the same call or another output, whatever its spelling. A file that exists is replaced only with
//! `--force`, or after a question at a terminal. Pipes and devices are written to as they are.

use super::failure::Failure;
use clap::Args;
use sinew::files::{Destination, FileSet, destination};
use sinew::formats;
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Options about outputs that exist already.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct OverwriteArgs {
    /// Overwrite outputs that exist already; inputs of the same call are never overwritten
    #[arg(long)]
    pub force: bool,
}

/// Outputs that a call is to write, in the order of its options.
pub struct Plan {
    inputs: Vec<PathBuf>,
    outputs: Vec<Planned>,
    /// Folders that are made if they do not exist.
    folders: Vec<PathBuf>,
    force: bool,
}

/// A planned output.
struct Planned {
    path: PathBuf,
    /// Input that the output is made from, where there are several.
    source: Option<PathBuf>,
    /// Inputs that the output may replace with `--in-place`: files that are updated.
    updates: Vec<PathBuf>,
    in_place: bool,
}

/// Outputs that were decided on; each gets its bytes, and all are written at once.
#[derive(Default)]
pub struct Outputs {
    /// Path of each output, and permission to replace a file.
    decided: Vec<(PathBuf, bool)>,
    contents: Vec<(PathBuf, Vec<u8>)>,
    folders: Vec<PathBuf>,
}

/// A file independent of the spelling of its path.
#[derive(Clone, PartialEq, Eq)]
enum Identity {
    /// Device and inode.
    #[cfg(unix)]
    Inode(u64, u64),
    /// Canonical folder and name.
    Place(PathBuf),
}

impl Identity {
    /// Identity of an existing file; none if it cannot be found.
    fn of(path: &Path) -> Option<Identity> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            std::fs::metadata(path).ok().map(|found| Identity::Inode(found.dev(), found.ino()))
        }
        #[cfg(not(unix))]
        path.canonicalize().ok().map(Identity::Place)
    }

    /// Identity of a file that does not exist, by the folder that it would be in.
    fn of_new(path: &Path) -> Identity {
        let (folder, name) = (folder_of(path), path.file_name().unwrap_or_default());
        let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder));
        Identity::Place(folder.unwrap_or_default().join(name))
    }
}

/// Folder of a file, `.` for a bare name.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns true if a path means a folder: it exists as one, or ends in a slash.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(['/', '\\'])
}

/// Returns true if the extension of a path is one of `known`, in upper or lower case.
pub fn has_extension(path: &Path, known: &[&str]) -> bool {
    path.extension().is_some_and(|found| known.iter().any(|known| found.eq_ignore_ascii_case(known)))
}

/// The file of an option for one of the inputs: the option's own, or, if it names a folder, one called like the input.
pub fn place(path: &Path, input: &Path, extension: &str) -> PathBuf {
    match is_folder(path) {
        true => path.join(input.file_stem().unwrap_or_default()).with_added_extension(extension),
        false => path.to_owned(),
    }
}

/// Extension of a result beside its input: glTF stays GLB, everything else becomes BVH.
pub fn kind_of_result(input: &Path) -> &'static str {
    if has_extension(input, &["glb", "gltf", "vrm"]) { "glb" } else { "bvh" }
}

/// Refuses options that name one file for the results of several inputs.
pub fn refuse_one_for_many(inputs: &[PathBuf], options: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let one = options.iter().find_map(|(option, path)| path.filter(|path| !is_folder(path)).map(|path| (option, path)));
    match one.filter(|_| inputs.len() > 1) {
        Some((option, path)) => {
            let message = format!("{option} {}: one file for the results of {} inputs", path.display(), inputs.len());
            Err(Failure::usage(message).help("name a folder, with a / at its end: every input gets a file in it"))
        }
        None => Ok(()),
    }
}

/// Returns true for pipes and devices, whose names carry no extension.
fn is_stream(path: &Path) -> bool {
    matches!(destination(path), Ok(Destination::Stream))
}

impl Plan {
    /// A plan for a call that reads these files; files beside them that reading opens are found later.
    pub fn new(inputs: impl IntoIterator<Item = impl AsRef<Path>>, overwrite: OverwriteArgs) -> Self {
        let inputs = inputs.into_iter().map(|input| input.as_ref().to_owned()).collect();
        Self { inputs, outputs: Vec::new(), folders: Vec::new(), force: overwrite.force }
    }

    /// Adds a folder of outputs, which is made if it does not exist.
    pub fn folder(mut self, path: &Path) -> Self {
        self.folders.push(path.to_owned());
        self
    }

    /// Adds a motion file, whose extension names its format.
    pub fn motion(self, path: &Path) -> Result<Self, Failure> {
        formats::check_writable(path)?;
        Ok(self.file(path))
    }

    /// Adds the file of an option that writes one kind of file.
    pub fn option(self, option: &str, path: Option<&Path>, extension: &str) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(self) };
        if !has_extension(path, &[extension]) && !is_stream(path) {
            let message = format!("{}: {option} writes a .{extension} file", path.display());
            let name = path.with_extension(extension);
            return Err(Failure::usage(message).help(format!("call it {}", name.display())));
        }
        Ok(self.file(path))
    }

    /// Adds any file.
    pub fn file(mut self, path: &Path) -> Self {
        self.outputs.push(Planned { path: path.to_owned(), source: None, updates: Vec::new(), in_place: false });
        self
    }

    /// Names the input that the last output is made from.
    pub fn made_from(mut self, input: &Path) -> Self {
        if let Some(last) = self.outputs.last_mut() {
            last.source = Some(input.to_owned());
        }
        self
    }

    /// Adds a motion file that `--in-place` lets replace some of the inputs, because these are updated.
    pub fn update(mut self, path: &Path, inputs: &[&Path], in_place: bool) -> Result<Self, Failure> {
        formats::check_writable(path)?;
        let updates = inputs.iter().map(|input| input.to_path_buf()).collect();
        self.outputs.push(Planned { path: path.to_owned(), source: None, updates, in_place });
        Ok(self)
    }

    /// Decides on all outputs. Nothing has been read or written before.
    pub fn decide(self) -> Result<Outputs, Failure> {
        let mut taken: Vec<(Identity, &Planned)> = Vec::new();
        let mut outputs = Outputs::default();
        let (mut existing, mut inputs) = (Vec::new(), None);
        for planned in &self.outputs {
            let Planned { path, updates, in_place, .. } = planned;
            let show = path.display();
            let found =
                destination(path).map_err(|error| Failure::usage(format!("{show}: cannot be written: {error}")))?;
            let (identity, replaces) = match &found {
                Destination::Stream => {
                    outputs.decided.push((path.clone(), true));
                    continue;
                }
                Destination::Folder => return Err(Failure::usage(format!("{show}: is a folder, not a file"))),
                Destination::New(file) => {
                    outputs.folders.extend(self.new_folder(path, file)?);
                    (Identity::of_new(file), self.force)
                }
                Destination::Existing(file) => {
                    let identity = Identity::of(file).unwrap_or_else(|| Identity::of_new(file));
                    let is_update = updates.iter().any(|input| Identity::of(input).as_ref() == Some(&identity));
                    if !(is_update && *in_place) {
                        let inputs = inputs.get_or_insert_with(|| self.identities());
                        if let Some((_, input)) = inputs.iter().find(|(other, _)| *other == identity) {
                            return Err(overwrites_input(path, input, is_update));
                        }
                        existing.push(path.as_path());
                    }
                    (identity, true)
                }
            };
            if let Some((_, other)) = taken.iter().find(|(other, _)| *other == identity) {
                return Err(same_output(planned, other));
            }
            taken.push((identity, planned));
            outputs.decided.push((path.clone(), replaces));
        }
        if !self.force && !existing.is_empty() {
            permit(&existing)?;
        }
        Ok(outputs)
    }

    /// Returns the folder to make for a new file; refuses a folder that does not exist and is not one of the plan.
    fn new_folder(&self, path: &Path, file: &Path) -> Result<Option<PathBuf>, Failure> {
        let folder = folder_of(file);
        let absolute = |path: &Path| std::path::absolute(path).map(|path| path.components().collect::<PathBuf>()).ok();
        if folder.is_dir() {
            return Ok(None);
        }
        let message = match folder.exists() {
            true => format!("{}: {} is a file, not a folder", path.display(), folder.display()),
            false if self.folders.iter().any(|made| absolute(made) == absolute(folder)) => {
                return Ok(Some(folder.to_owned()));
            }
            false => format!("{}: there is no folder {}", path.display(), folder.display()),
        };
        Err(Failure::usage(message).help("make the folder first, or write to one that exists"))
    }

    /// Identities of all inputs and of the files beside them that reading opens, with the input that each belongs to.
    fn identities(&self) -> Vec<(Identity, PathBuf)> {
        let files = self.inputs.iter().flat_map(|input| formats::files_read(input));
        files.filter_map(|file| Identity::of(&file).map(|identity| (identity, file))).collect()
    }
}

fn same_output(one: &Planned, other: &Planned) -> Failure {
    if let (Some(a), Some(b)) = (&other.source, &one.source) {
        return Failure::usage(format!(
            "{} and {}: both would be written to {}",
            a.display(),
            b.display(),
            one.path.display()
        ))
        .help("write them to folders of their own");
    }
    let same = if other.path == one.path { String::new() } else { format!(", also called {}", other.path.display()) };
    Failure::usage(format!("{}{same}: two outputs would be written to this one file", one.path.display()))
        .help("give each output a name of its own")
}

fn overwrites_input(output: &Path, input: &Path, is_update: bool) -> Failure {
    let spelt = if input == output { String::new() } else { format!(", {}", input.display()) };
    Failure::usage(format!("{}: would overwrite an input of this call{spelt}", output.display())).help(
        match is_update {
            true => "give the output another name, or add --in-place if the original need not be kept",
            false => "give the output another name; --force does not allow this",
        },
    )
}

/// Asks at a terminal for permission to overwrite files; refuses without one.
fn permit(existing: &[&Path]) -> Result<(), Failure> {
    let names: Vec<String> = existing.iter().map(|path| path.display().to_string()).collect();
    let names = names.join(", ");
    let (verb, them) = if existing.len() == 1 { ("exists", "it") } else { ("exist", "them") };
    let (stdin, mut stderr) = (std::io::stdin(), std::io::stderr());
    if !(stdin.is_terminal() && stderr.is_terminal()) {
        return Err(Failure::usage(format!("{names}: {verb} already"))
            .help(format!("give another name, or add --force to overwrite {them}")));
    }
    let _ = stderr.write_all(format!("{names} {verb} already. Overwrite {them}? [y/N] ").as_bytes());
    let mut answer = String::new();
    let _ = stdin.lock().read_line(&mut answer);
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::usage(format!("{names}: not overwritten, nothing was done"))),
    }
}

impl Outputs {
    /// Sets the content of an output. Nothing is written before [`Outputs::write`].
    pub fn put(&mut self, path: &Path, bytes: impl Into<Vec<u8>>) {
        self.contents.retain(|(other, _)| other != path);
        self.contents.push((path.to_owned(), bytes.into()));
    }

    /// Writes all contents: all files appear, or none. What is put afterwards can be written by another call.
    pub fn write(&mut self) -> Result<(), Failure> {
        let wanted = |folder: &PathBuf| self.contents.iter().any(|(path, _)| folder_of(path) == folder.as_path());
        for folder in self.folders.iter().filter(|folder| wanted(folder)) {
            std::fs::create_dir_all(folder)
                .map_err(|error| Failure::usage(format!("{}: cannot be made: {error}", folder.display())))?;
        }
        let mut set = FileSet::default();
        for (path, bytes) in &self.contents {
            let replaces = self.decided.iter().any(|(decided, replaces)| decided == path && *replaces);
            set.add(path, bytes, replaces)?;
        }
        self.contents.clear();
        Ok(set.commit()?)
    }
}
