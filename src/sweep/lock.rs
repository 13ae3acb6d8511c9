//! Locks on outputs: two runs never write the same one.
//!
//! Locks are the operating system's, held by an open file, so they end with the process however it ends. Between machines
//! they hold where the file system passes them on, as NFS does unless it is mounted `nolock` or `local_lock`.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;
use thiserror::Error;

/// Why a lock was not taken.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process holds it.
    #[error("another run is writing to it")]
    Busy,
    /// The file system has no locks.
    #[error("its file system has no locks ({0}); mount it with locks, or choose another --out")]
    Unsupported(io::Error),
    /// The file cannot be opened or locked.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Which other processes may hold the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Those that share it.
    Shared,
    /// None.
    Alone,
}

/// A process that only looks whether a lock is held lets go of it at once; so a lock is tried a few times.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Opens `path`, makes it if there is none, and locks it for as long as the file is open.
pub(super) fn lock(path: &Path, hold: Hold) -> Result<File, LockError> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
    for _ in 0..TRIES {
        let locked = match hold {
            Hold::Shared => file.try_lock_shared(),
            Hold::Alone => file.try_lock(),
        };
        match locked {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Err(LockError::Unsupported(error));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
    Err(LockError::Busy)
}

/// Whether a run is writing the journal `path`, here or where the file system passes locks on.
pub fn is_being_written(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The kind of network file system that `path` is on and its options, where the system tells, as Linux does.
pub fn network_mount(path: &Path) -> Option<(String, String)> {
    let path = path.canonicalize().ok()?;
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    let mounts = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        // spaces and the like are written in octal
        let point = fields.next()?.replace("\\040", " ");
        path.starts_with(&point).then_some((point.len(), fields.next()?.to_owned(), fields.next()?.to_owned()))
    });
    // of two mounts at one place the later one hides the other
    let (_, kind, options) = mounts.max_by_key(|(length, ..)| *length)?;
    ["nfs", "nfs4", "lustre", "gpfs", "beegfs", "ceph", "cifs", "smb3"].contains(&&*kind).then_some((kind, options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_excludes_and_ends_with_its_file() -> Result<(), LockError> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("lock");
        let first = lock(&path, Hold::Alone)?;
        assert!(is_being_written(&path));
        assert!(matches!(lock(&path, Hold::Alone), Err(LockError::Busy)));
        assert!(matches!(lock(&path, Hold::Shared), Err(LockError::Busy)));
        drop(first);
        assert!(!is_being_written(&path));
        let _one = lock(&path, Hold::Shared)?;
        let _other = lock(&path, Hold::Shared)?;
        assert!(matches!(lock(&path, Hold::Alone), Err(LockError::Busy)));
        Ok(())
    }
}
