//! Temporary files and folders, which outlive no run for long: whatever a run that was killed leaves, the next one removes.
//!
//! Each is locked as long as the run lives that made it. The lock is the operating system's, so it ends with its process
//! however that ends, and on whichever machine. What has the name of a temporary file and can be locked was left behind:
//!
//! ```text
//!   a run that writes          another one that clears
//!   makes .flitwise-a1B2c3     finds it, locks it, removes it
//!   locks it  ............     if the lock came first, lets it be
//!   is it still there?         (if not: it makes another one)
//! ```
//!
//! Where the file system has no locks, nothing can be told apart, and nothing is removed.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use tempfile::{Builder, NamedTempFile, TempDir};

/// How the names of temporary files and folders begin.
const PREFIX: &str = ".flitwise-";

/// The file in a temporary folder that is locked.
const LOCK: &str = ".lock";

/// How often something is made again that another run took for something left behind, which takes a coincidence each.
const TRIES: usize = 16;

/// A temporary folder, which is removed with all that is in it when this is dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    folder: TempDir,
    // dropped last, so that what is being removed is not taken for something left behind
    _lock: File,
}

impl TemporaryFolder {
    /// A new one in `parent`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        for _ in 0..TRIES {
            let folder = named().tempdir_in(parent)?;
            let path = folder.path().join(LOCK);
            match File::create_new(&path) {
                Ok(lock) if is_ours(&lock, &path) => return Ok(Self { folder, _lock: lock }),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Err(taken_away())
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Removes it.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(super) fn close(self) -> io::Result<()> {
        self.folder.close()
    }
}

/// A temporary file in `folder` with the permissions that new files have; it is removed when it is dropped before it is put
/// in place.
///
/// # Errors
/// If it cannot be made.
pub fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    for _ in 0..TRIES {
        let file = with_usual_permissions(&mut named()).tempfile_in(folder)?;
        if is_ours(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
    Err(taken_away())
}

/// Removes the temporary files and folders in `folder` that runs have left which were killed.
///
/// # Errors
/// If the folder cannot be read, or something in it not removed.
pub fn clear(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        let kind = entry.file_type()?;
        let removed = if kind.is_dir() {
            clear_folder(&entry.path())
        } else if kind.is_file() {
            clear_file(&entry.path())
        } else {
            Ok(())
        };
        // another run may have removed it
        removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })?;
    }
    Ok(())
}

fn clear_folder(path: &Path) -> io::Result<()> {
    match File::options().write(true).open(path.join(LOCK)) {
        Ok(lock) if lock.try_lock().is_ok() => fs::remove_dir_all(path),
        Ok(_) => Ok(()),
        // it has no lock yet, or not any more: it is left alone unless it is empty
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::remove_dir(path).or(Ok(())),
        Err(error) => Err(error),
    }
}

fn clear_file(path: &Path) -> io::Result<()> {
    let file = File::options().write(true).open(path)?;
    if file.try_lock().is_ok() { fs::remove_file(path) } else { Ok(()) }
}

/// Locks `file` at `path`, which was just made; false if another run took it for something left behind.
fn is_ours(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => path.exists(),
        Err(TryLockError::WouldBlock) => false,
        // without locks nothing is cleared
        Err(TryLockError::Error(_)) => true,
    }
}

fn taken_away() -> io::Error {
    io::Error::new(io::ErrorKind::ResourceBusy, "another process removes temporary files as soon as they are made")
}

fn named() -> Builder<'static, 'static> {
    let mut named = Builder::new();
    named.prefix(PREFIX);
    named
}

/// Temporary files are private; outputs are as other files are.
fn with_usual_permissions<'a>(file: &'a mut Builder<'static, 'static>) -> &'a mut Builder<'static, 'static> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.permissions(fs::Permissions::from_mode(0o666));
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(folder: &Path) -> io::Result<usize> {
        Ok(fs::read_dir(folder)?.count())
    }

    #[test]
    fn what_a_killed_run_left_is_cleared_and_what_is_at_work_is_not() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let file = temporary_file(root.path())?;
        let folder = TemporaryFolder::new(root.path())?;
        clear(root.path())?;
        assert!(file.path().exists() && folder.path().exists());
        // as kill -9 does it: the locks end, the files stay
        let (_, file) = file.keep()?;
        let TemporaryFolder { folder, _lock: lock } = folder;
        fs::write(folder.path().join("rows.csv"), "1")?;
        let folder = folder.keep();
        drop(lock);
        assert!(file.exists() && folder.exists());
        clear(root.path())?;
        assert_eq!(count(root.path())?, 0);
        Ok(())
    }

    #[test]
    fn names_of_others_are_let_alone() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        fs::write(root.path().join(".partial-mine"), "1")?;
        fs::create_dir(root.path().join(".flitwise-new"))?;
        fs::create_dir(root.path().join(".flitwise-full"))?;
        fs::write(root.path().join(".flitwise-full/mine"), "1")?;
        clear(root.path())?;
        // a folder without a lock goes if it is empty
        assert_eq!(count(root.path())?, 2);
        Ok(())
    }
}
