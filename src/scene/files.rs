//! Scene files: reading, including, merging, and positions of entries in the text.

use super::gallery;
use super::schema::Scene;
use crate::files::limits::within_folder;
use crate::files::text_error;
use crate::files::{FaultKind, FormatError, load, load_text, write_atomically};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// Source file of a scene.
#[derive(Clone, Debug)]
struct Source {
    /// Path as shown in messages.
    path: PathBuf,
    text: String,
}

/// Scene with all included files and their texts.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Merged scene without includes.
    pub scene: Scene,
    sources: Vec<Source>,
    /// Origin of list entries: source file and number in that file.
    origins: BTreeMap<&'static str, Vec<(usize, usize)>>,
    /// Folder that file names are relative to; none for built-in scenes.
    folder: Option<PathBuf>,
}

/// Step of a key path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Key(String),
    Index(usize),
}

/// Path of keys to an entry, from the top of the scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPath(pub Vec<Step>);

impl KeyPath {
    /// Path of a list entry.
    pub fn entry(list: &str, index: usize) -> Self {
        KeyPath(vec![Step::Key(list.to_owned()), Step::Index(index)])
    }

    pub fn table(name: &str) -> Self {
        KeyPath(vec![Step::Key(name.to_owned())])
    }

    /// Extends the path by keys separated by points; numbers are indices.
    pub fn to(&self, keys: &str) -> Self {
        let mut steps = self.0.clone();
        for key in keys.split('.').filter(|key| !key.is_empty()) {
            steps.push(key.parse().map_or_else(|_| Step::Key(key.to_owned()), Step::Index));
        }
        KeyPath(steps)
    }

    pub fn key(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(key.to_owned()));
        KeyPath(steps)
    }

    pub fn index(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Index(index));
        KeyPath(steps)
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for step in &self.0 {
            match step {
                Step::Key(key) if first => write!(f, "{key}")?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
            first = false;
        }
        Ok(())
    }
}

/// Maximum depth of includes.
const DEEPEST: usize = 16;

impl Scene {
    /// Parses the text of one file; [`Files::open`] resolves its includes.
    pub fn from_toml(text: &str) -> Result<Scene, FormatError> {
        toml::from_str(text).map_err(|error| from_parser(text, &error))
    }

    /// Serialises the scene. Parsed again, it is equal to the last bit.
    pub fn to_toml(&self) -> Result<String, FormatError> {
        toml::to_string_pretty(self).map_err(|error| FormatError::new(format!("the scene cannot be written: {error}")))
    }

    /// Writes [`Scene::to_toml`] to a file, atomically.
    pub fn save(&self, path: &Path) -> Result<(), FormatError> {
        write_atomically(path, self.to_toml().map_err(|error| error.in_file(path))?.as_bytes())
    }
}

impl Files {
    /// Opens a scene file, or a built-in scene if there is no such file.
    pub fn open(name: &Path) -> Result<Files, FormatError> {
        if name.exists() || name.extension().is_some() {
            return Self::of(name, &mut Vec::new());
        }
        match gallery::find(&name.to_string_lossy()) {
            Some(entry) => Self::read(entry.text, Path::new(entry.file), None),
            None => {
                let word = name.to_string_lossy();
                let near = crate::files::nearest(&word, gallery::ALL.iter().map(|entry| entry.name));
                let error = FormatError::new("there is no such file and no built-in scene of that name")
                    .of_kind(FaultKind::Access)
                    .in_file(name);
                Err(match near {
                    Some(near) => {
                        error.help(format!("did you mean {near:?}? sinew run --list shows the built-in scenes"))
                    }
                    None => error.help("sinew run --list shows the built-in scenes"),
                })
            }
        }
    }

    /// Parses the text of a scene. `path` names it in messages; files that it names are searched in `folder` and among the
    /// built-in data.
    pub fn read(text: &str, path: &Path, folder: Option<&Path>) -> Result<Files, FormatError> {
        Self::gather(text.to_owned(), path, folder, &mut Vec::new())
    }

    fn of(path: &Path, above: &mut Vec<PathBuf>) -> Result<Files, FormatError> {
        if path.is_dir() {
            return Err(FormatError::new("is a folder, not a scene file")
                .of_kind(FaultKind::Access)
                .help("name a .toml file in it; sinew run --list shows the built-in scenes")
                .in_file(path));
        }
        let text = load_text(path)?;
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        Self::gather(text, path, Some(&folder), above)
    }

    fn gather(
        text: String,
        path: &Path,
        folder: Option<&Path>,
        above: &mut Vec<PathBuf>,
    ) -> Result<Files, FormatError> {
        let mut scene = Scene::from_toml(&text).map_err(|error| error.in_file(path))?;
        let includes = std::mem::take(&mut scene.include);
        let own = Files::single(scene, Source { path: path.to_owned(), text }, folder.map(Path::to_path_buf));
        above.push(path.canonicalize().unwrap_or_else(|_| path.to_owned()));
        let mut whole: Option<Files> = None;
        for (k, name) in includes.iter().enumerate() {
            let place = |message: String| own.fault(&KeyPath::table("include").index(k), message);
            let inner = match folder {
                Some(folder) if folder.join(name).exists() || gallery::find_file(name).is_none() => {
                    let file = folder.join(name);
                    let same = file.canonicalize().unwrap_or_else(|_| file.clone());
                    if let Some(at) = above.iter().position(|a| *a == same) {
                        let ring: Vec<String> = above[at..].iter().map(|p| short(p)).collect();
                        let message =
                            format!("including {name:?} goes round in a circle: {} → {name}", ring.join(" → "));
                        return Err(place(message).help("take one of these includes out"));
                    }
                    if above.len() >= DEEPEST {
                        return Err(place(format!("scenes include each other more than {DEEPEST} deep")));
                    }
                    if !file.exists() {
                        return Err(place(format!("the file {name:?} to include does not exist"))
                            .help(format!("it is looked for in {:?}", folder.display().to_string())));
                    }
                    if !is_within(folder, name) {
                        return Err(place(format!("{name:?} lies outside of the folder of the scene")).help(
                            "put it beside the scene, or into a folder there; links out of it are not followed",
                        ));
                    }
                    Self::of(&file, above)?
                }
                _ => match gallery::find_file(name) {
                    Some(entry) if above.len() < DEEPEST => {
                        Self::gather(entry.text.to_owned(), Path::new(entry.file), None, above)?
                    }
                    Some(_) => return Err(place(format!("scenes include each other more than {DEEPEST} deep"))),
                    None => return Err(place(format!("there is no built-in file {name:?} to include"))),
                },
            };
            whole = Some(match whole {
                None => inner,
                Some(before) => before.with(inner)?,
            });
        }
        above.pop();
        let folder = own.folder.clone();
        let mut whole = match whole {
            None => own,
            Some(before) => before.with(own)?,
        };
        whole.folder = folder;
        Ok(whole)
    }

    fn single(scene: Scene, source: Source, folder: Option<PathBuf>) -> Files {
        let own = |count: usize| (0..count).map(|k| (0, k)).collect();
        let origins = BTreeMap::from([
            ("body", own(scene.body.len())),
            ("point", own(scene.point.len())),
            ("figure", own(scene.figure.len())),
            ("joint", own(scene.joint.len())),
            ("force", own(scene.force.len())),
            ("event", own(scene.event.len())),
        ]);
        Files { scene, sources: vec![source], origins, folder }
    }

    /// Appends the entries of another file to this one; single tables override each other.
    fn with(mut self, other: Files) -> Result<Files, FormatError> {
        let shift = self.sources.len();
        self.sources.extend(other.sources);
        for (list, places) in other.origins {
            self.origins.entry(list).or_default().extend(places.into_iter().map(|(file, k)| (file + shift, k)));
        }
        let (whole, new) = (&mut self.scene, other.scene);
        if !new.title.is_empty() {
            whole.title = new.title;
        }
        whole.constants.extend(new.constants);
        whole.world = laid_over(&whole.world, &new.world)?;
        whole.ground = new.ground.or(whole.ground.take());
        whole.camera = new.camera.or(whole.camera.take());
        whole.body.extend(new.body);
        whole.point.extend(new.point);
        whole.figure.extend(new.figure);
        whole.joint.extend(new.joint);
        whole.force.extend(new.force);
        whole.event.extend(new.event);
        whole.expect.extend(new.expect);
        Ok(self)
    }

    /// Paths of the files that were read, included files first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().map(|source| source.path.as_path())
    }

    /// Paths of the files that were read, and of those beside the scene that it names.
    pub fn all_paths(&self) -> Vec<PathBuf> {
        let mut names = Vec::new();
        // A name can stand in any entry; whatever is a file beside the scene counts.
        let mut open: Vec<toml::Value> = toml::Value::try_from(&self.scene).into_iter().collect();
        while let Some(value) = open.pop() {
            match value {
                toml::Value::String(name) => names.extend(self.beside(&name)),
                toml::Value::Array(entries) => open.extend(entries),
                toml::Value::Table(table) => open.extend(table.into_iter().map(|(_, value)| value)),
                _ => {}
            }
        }
        self.paths().map(Path::to_owned).chain(names).collect()
    }

    /// Reads a file that the scene names: beside it, or built in.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, String> {
        if let Some(path) = self.beside(name) {
            if !is_within(self.folder.as_deref().unwrap_or(Path::new("")), name) {
                return Err(format!("{name:?} lies outside of the folder of the scene; put it beside the scene"));
            }
            return load(&path).map_err(|error| format!("{name:?} {}", error.message));
        }
        match gallery::data(name) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => Err(match &self.folder {
                Some(folder) => {
                    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                    format!("there is no file {name:?} in {:?}, and none of that name is built in", folder.display())
                }
                None => format!("there is no built-in file {name:?}"),
            }),
        }
    }

    /// Path of the file of that name beside the scene, if it exists.
    pub fn beside(&self, name: &str) -> Option<PathBuf> {
        let path = self.folder.as_ref()?.join(name);
        path.is_file().then_some(path)
    }

    /// Error that points at an entry, or at its nearest ancestor in the text.
    pub fn fault(&self, key_path: &KeyPath, message: impl Into<String>) -> FormatError {
        self.fault_within(key_path, None, message)
    }

    /// Error that points at a byte within the text of an entry.
    pub fn fault_within(&self, key_path: &KeyPath, at: Option<usize>, message: impl Into<String>) -> FormatError {
        let (source, steps) = self.origin(key_path);
        let Source { path, text } = &self.sources[source];
        let mut span = locate(text, &steps).unwrap_or(0..0);
        if let Some(at) = at {
            // The position is counted from behind the quotation marks; escapes before it would shift it, which formulas
            // hardly have.
            let quotes = text[span.clone()].chars().take_while(|c| matches!(c, '"' | '\'')).count();
            let start = span.start + quotes + at;
            span = start.min(span.end.saturating_sub(1).max(span.start))..span.end;
        }
        text_error::error_at(text, span, message).in_file(path)
    }

    /// Source file and key path there of an entry.
    fn origin(&self, key_path: &KeyPath) -> (usize, Vec<Step>) {
        let mut steps = key_path.0.clone();
        if let [Step::Key(list), Step::Index(k), ..] = &steps[..]
            && let Some(&(source, own)) = self.origins.get(list.as_str()).and_then(|places| places.get(*k))
        {
            steps[1] = Step::Index(own);
            return (source, steps);
        }
        // The last file with the entry overrides the others.
        let has = |source: &&usize| locate_exactly(&self.sources[**source].text, &steps).is_some();
        let numbers: Vec<usize> = (0..self.sources.len()).rev().collect();
        let source = numbers.iter().find(has).copied().unwrap_or(self.sources.len() - 1);
        (source, steps)
    }
}

/// Returns true if a file lies in a folder or below it, links followed. Messages show lines of the files they are about: a
/// stranger's scene must not name files of the machine.
fn is_within(folder: &Path, name: &str) -> bool {
    within_folder(folder, Path::new(name)).is_ok_and(|found| found.is_some())
}

fn short(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Merges two tables: the entries of `over`, and those of `under` that it lacks.
fn laid_over<T: serde::Serialize + serde::de::DeserializeOwned>(under: &T, over: &T) -> Result<T, FormatError> {
    let table = |value: &T| toml::Table::try_from(value).map_err(|error| FormatError::new(error.to_string()));
    let mut both = table(under)?;
    both.extend(table(over)?);
    both.try_into().map_err(|error: toml::de::Error| FormatError::new(error.message().to_owned()))
}

/// Span of an entry in the text, or of its nearest ancestor.
fn locate(text: &str, steps: &[Step]) -> Option<Range<usize>> {
    (0..=steps.len()).rev().find_map(|count| locate_exactly(text, &steps[..count]))
}

fn locate_exactly(text: &str, steps: &[Step]) -> Option<Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let mut span = table.span();
    let mut value: Option<&DeValue<'_>> = None;
    for step in steps {
        let next = match (step, value) {
            (Step::Key(key), None) => table.get_ref().get(key.as_str()),
            (Step::Key(key), Some(DeValue::Table(table))) => table.get(key.as_str()),
            (Step::Index(index), Some(DeValue::Array(array))) => array.get(*index),
            _ => None,
        }?;
        (span, value) = (next.span(), Some(next.get_ref()));
    }
    Some(span)
}

/// Rewords an error of the parser, with a suggestion.
fn from_parser(text: &str, error: &toml::de::Error) -> FormatError {
    let message = error.message();
    for (name, meaning) in [
        ("enum Turn", "a turn is { axis = [x, y, z], angle = … }, a list of such turns, or a quaternion [w, x, y, z]"),
        ("enum LookAt", "a camera looks at a place [x, y, z] or at something by its name"),
    ] {
        if message.contains(name) {
            return text_error::error_at(text, error.span().unwrap_or(0..0), "this cannot be read").help(meaning);
        }
    }
    text_error::from_toml_error(text, error, "scene")
}
