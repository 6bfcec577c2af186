//! Atomic writing: files appear whole or not at all, several of them together.
//!
//! Each file is written to a temporary beside its destination and renamed when all are complete. What stands at a destination
//! stays what it is: links are followed, permissions are kept, pipes and devices are written to.

use super::{FaultKind, FormatError};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// Beginning and end of the names of temporaries.
const PREFIX: &str = ".sinew-";
const SUFFIX: &str = ".part";
/// Age from which on a temporary without a living writer is removed: longer than a writer needs from creating it to locking it.
const LEFTOVER_AGE: Duration = Duration::from_secs(10);
/// Links that are followed before a ring is assumed; the limit of Linux.
const MOST_LINKS: usize = 40;

/// Kind of what a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Nothing yet, at this path behind all links.
    New(PathBuf),
    /// A regular file, at this path behind all links.
    Existing(PathBuf),
    /// A pipe, a device or an open stream of the process: written to as it is, never replaced.
    Stream,
    /// A folder, which no file can replace.
    Folder,
}

/// Follows a path to what a writer of it would write.
pub fn destination(path: &Path) -> std::io::Result<Destination> {
    if is_own_stream(path) {
        return Ok(Destination::Stream);
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(Destination::Folder),
        Ok(found) if found.is_file() => Ok(Destination::Existing(path.canonicalize()?)),
        Ok(_) => Ok(Destination::Stream),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => behind_links(path).map(Destination::New),
        Err(error) => Err(error),
    }
}

/// Path behind links that lead to no file.
fn behind_links(path: &Path) -> std::io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(std::io::Error::other("too many links"))
}

/// Returns true for names of the open files of this process. Where a shell has sent such a stream to a file, the file must not be
/// replaced below it.
fn is_own_stream(path: &Path) -> bool {
    let names = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"];
    cfg!(unix) && names.iter().any(|name| path.starts_with(name)) && path != Path::new("/dev/fd")
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Files that are to appear together.
#[derive(Debug, Default)]
pub struct FileSet {
    files: Vec<Pending>,
    streams: Vec<(PathBuf, Vec<u8>)>,
}

/// A temporary that holds the content of a file.
#[derive(Debug)]
struct Pending {
    path: PathBuf,
    destination: PathBuf,
    temporary: NamedTempFile,
    replaces: bool,
}

/// A file that was put at its destination, and its predecessor.
struct Placed {
    destination: PathBuf,
    predecessor: Option<PathBuf>,
}

impl FileSet {
    /// Adds a file. Its bytes go to a temporary beside the destination; pipes and devices get theirs on [`FileSet::commit`]. A file
    /// that exists is refused unless it `replaces` it, also if it comes into being only before the commit.
    pub fn add(&mut self, path: &Path, bytes: &[u8], replaces: bool) -> Result<(), FormatError> {
        let fault = |message: String| FormatError::new(message).of_kind(FaultKind::Access).in_file(path);
        let cannot = |error: std::io::Error| fault(format!("cannot be written: {error}"));
        if path.file_name().is_none() {
            return Err(fault("is not a file name".into()));
        }
        let (destination, permissions) = match destination(path).map_err(cannot)? {
            Destination::Folder => return Err(fault("is a folder, not a file".into())),
            Destination::Stream => {
                self.streams.push((path.to_owned(), bytes.to_owned()));
                return Ok(());
            }
            Destination::New(file) => (file, None),
            Destination::Existing(_) if !replaces => return Err(exists(path)),
            Destination::Existing(file) => {
                let permissions = fs::metadata(&file).map_err(cannot)?.permissions();
                if permissions.readonly() {
                    return Err(fault("is write-protected".into()).help("make it writable, or give another name"));
                }
                (file, Some(permissions))
            }
        };
        let folder = folder_of(&destination);
        remove_leftovers(folder);
        let temporary = new_temporary(folder).map_err(cannot)?;
        // A file system without locks leaves its temporaries to the user.
        let _ = temporary.as_file().try_lock();
        let mut file = temporary.as_file();
        file.write_all(bytes).map_err(cannot)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions).map_err(cannot)?;
        }
        file.sync_all().map_err(cannot)?;
        self.files.push(Pending { path: path.to_owned(), destination, temporary, replaces });
        Ok(())
    }

    /// Writes the streams and puts all files at their destinations. A failure takes back what was put before it.
    pub fn commit(self) -> Result<(), FormatError> {
        for (path, bytes) in &self.streams {
            write_stream(path, bytes).map_err(|error| {
                FormatError::new(format!("cannot be written: {error}")).of_kind(FaultKind::Access).in_file(path)
            })?;
        }
        let mut placed = Vec::new();
        for pending in self.files {
            match pending.put() {
                Ok(done) => placed.push(done),
                Err(error) => {
                    placed.into_iter().rev().for_each(Placed::take_back);
                    return Err(error);
                }
            }
        }
        placed.into_iter().for_each(Placed::keep);
        Ok(())
    }
}

impl Pending {
    fn put(self) -> Result<Placed, FormatError> {
        let Pending { path, destination, temporary, replaces } = self;
        let predecessor = if replaces { second_name(&destination) } else { None };
        let put = match replaces {
            true => temporary.persist(&destination),
            false => temporary.persist_noclobber(&destination),
        };
        let error = match put {
            Ok(_) => return Ok(Placed { destination, predecessor }),
            Err(error) => error.error,
        };
        if let Some(second) = predecessor {
            let _ = fs::remove_file(second);
        }
        Err(match error.kind() {
            std::io::ErrorKind::AlreadyExists => exists(&path),
            _ => FormatError::new(format!("cannot be written: {error}")).of_kind(FaultKind::Access).in_file(path),
        })
    }
}

impl Placed {
    fn take_back(self) {
        // The first error is the one to tell.
        let _ = match self.predecessor {
            Some(second) => fs::rename(second, self.destination),
            None => fs::remove_file(self.destination),
        };
    }

    fn keep(self) {
        if let Some(second) = self.predecessor {
            let _ = fs::remove_file(second);
        }
    }
}

/// Writes one file, so that an interrupted run leaves the old file or none.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FormatError> {
    let mut set = FileSet::default();
    set.add(path, bytes, true)?;
    set.commit()
}

/// Makes the error of a file that may not be replaced.
fn exists(path: &Path) -> FormatError {
    FormatError::new("exists already").of_kind(FaultKind::Access).in_file(path)
}

/// A second name for an existing file, by which it can be put back; none where there is no file or no hard links.
fn second_name(file: &Path) -> Option<PathBuf> {
    // The random name of a temporary that is gone again; hard links never replace anything.
    let name = new_temporary(folder_of(file)).ok()?.path().to_owned();
    fs::hard_link(file, &name).ok().map(|()| name)
}

/// A new file with a random name and the permissions that any new file gets.
fn new_temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(12);
    #[cfg(unix)]
    builder.permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Removes temporaries whose writers were killed: those of living writers are locked.
fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = name.starts_with(PREFIX) && name.ends_with(SUFFIX);
        let is_old = |found: &fs::Metadata| {
            found.modified().ok().and_then(|time| time.elapsed().ok()).is_some_and(|age| age > LEFTOVER_AGE)
        };
        // The metadata of an entry are those of the link, if it is one: only plain files are opened.
        if is_ours && entry.metadata().is_ok_and(|found| found.is_file() && is_old(&found)) {
            let path = entry.path();
            if File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Writes to a pipe, a device, or a stream of this process. Standard streams are written through their own handles, which share
/// their position in a file with all else that is printed.
fn write_stream(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let is = |names: [&str; 3]| names.iter().any(|name| path == Path::new(name));
    if is(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]) {
        let mut stdout = std::io::stdout().lock();
        // A reader that has seen enough is no failure.
        return match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        };
    }
    if is(["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"]) {
        return std::io::stderr().lock().write_all(bytes);
    }
    OpenOptions::new().append(true).open(path)?.write_all(bytes)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::time::SystemTime;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_of_a_set_appear_together_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let [old, new, taken] = ["old", "new", "taken"].map(|name| folder.path().join(name));
        fs::write(&old, "before").expect("writes");
        let mut set = FileSet::default();
        set.add(&old, b"after", true).expect("is staged");
        set.add(&new, b"new", false).expect("is staged");
        set.add(&taken, b"lost", false).expect("is staged");
        // Comes into being between the decision and the commit.
        fs::write(&taken, "precious").expect("writes");
        let refused = set.commit().expect_err("one of them cannot be put");
        assert!(refused.to_string().contains("exists already"), "{refused}");
        assert_eq!(names(folder.path()), ["old", "taken"]);
        assert_eq!(fs::read(&old).expect("is there"), b"before");
        assert_eq!(fs::read(&taken).expect("is there"), b"precious");
    }

    #[test]
    fn links_are_followed_and_permissions_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, link, dangling] = ["file", "link", "dangling"].map(|name| folder.path().join(name));
        fs::write(&file, "before").expect("writes");
        fs::set_permissions(&file, Permissions::from_mode(0o640)).expect("sets");
        symlink("file", &link).expect("links");
        symlink("missing", &dangling).expect("links");
        write_atomically(&link, b"after").expect("writes");
        write_atomically(&dangling, b"made").expect("writes");
        assert_eq!(fs::read(&file).expect("is there"), b"after");
        assert_eq!(fs::metadata(&file).expect("is there").mode() & 0o777, 0o640);
        assert_eq!(fs::read(folder.path().join("missing")).expect("is there"), b"made");
        assert!([&link, &dangling].iter().all(|path| path.is_symlink()));
        assert_eq!(names(folder.path()), ["dangling", "file", "link", "missing"]);
        fs::set_permissions(&file, Permissions::from_mode(0o440)).expect("sets");
        let refused = write_atomically(&file, b"never").expect_err("is write-protected");
        assert!(refused.to_string().contains("write-protected"), "{refused}");
    }

    #[test]
    fn new_files_get_the_permissions_of_any_new_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let [ours, other] = ["ours", "other"].map(|name| folder.path().join(name));
        write_atomically(&ours, b"x").expect("writes");
        fs::write(&other, "x").expect("writes");
        let mode = |path: &Path| fs::metadata(path).expect("is there").mode();
        assert_eq!(mode(&ours), mode(&other));
    }

    #[test]
    fn the_longest_names_can_be_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("n".repeat(255));
        write_atomically(&path, b"x").expect("writes");
        write_atomically(&path, b"y").expect("writes again");
        assert_eq!(fs::read(&path).expect("is there"), b"y");
    }

    #[test]
    fn threads_that_write_one_file_leave_one_of_their_contents() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::thread::scope(|scope| {
            for letter in b'a'..b'i' {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..20 {
                        write_atomically(path, &[letter; 4096]).expect("writes");
                    }
                });
            }
        });
        let content = fs::read(&path).expect("is there");
        assert!(content.len() == 4096 && content.iter().all(|letter| *letter == content[0]));
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn temporaries_of_killed_writers_are_removed_and_those_of_living_ones_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let temporary = |name: &str, age: u64| {
            let file = File::create(folder.path().join(format!("{PREFIX}{name}{SUFFIX}"))).expect("creates");
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).expect("sets the time");
            file
        };
        drop(temporary("killed", 60));
        drop(temporary("young", 0));
        let living = temporary("living", 60);
        living.lock().expect("locks");
        fs::write(folder.path().join("target"), "precious").expect("writes");
        symlink("target", folder.path().join(format!("{PREFIX}planted{SUFFIX}"))).expect("links");
        write_atomically(&folder.path().join("file"), b"x").expect("writes");
        let left = [".sinew-living.part", ".sinew-planted.part", ".sinew-young.part", "file", "target"];
        assert_eq!(names(folder.path()), left);
        assert_eq!(fs::read(folder.path().join("target")).expect("is there"), b"precious");
    }

    #[test]
    fn devices_are_written_to_and_stay_devices() {
        let before = fs::metadata("/dev/null").expect("is there").mode();
        write_atomically(Path::new("/dev/null"), b"x").expect("writes");
        assert_eq!(fs::metadata("/dev/null").expect("is there").mode(), before);
        assert_eq!(destination(Path::new("/dev/null")).expect("is found"), Destination::Stream);
        assert_eq!(destination(Path::new("/dev/stdout")).expect("is found"), Destination::Stream);
    }
}
