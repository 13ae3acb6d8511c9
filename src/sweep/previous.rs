//! Results of another scenario in the output directory of a run: they are moved to `NAME.previous`, which is one backup.
//!
//! ```text
//!   NAME.previous -> NAME/.flitwise-x/    the older backup, removed in the end
//!   NAME          -> NAME.previous
//! ```
//!
//! Both moves are renames, so that a run that is killed leaves either directory whole.

use super::journal::{Contents, journals};
use super::lock::{Hold, lock};
use super::store::{LOCK, StoreError, at, locked};
use crate::output::{Manifest, TemporaryFolder, outputs};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Computing time in seconds above which a backup is not replaced.
const PRECIOUS: f64 = 600.0;

/// State of the results in an output directory, whatever scenario they belong to.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// The number of rows that are done.
    done: u64,
    /// The number of rows of all shards that have begun.
    rows: u64,
    /// True if all rows are done, or if the run ended with an error, so that resuming it does not complete it.
    has_ended: bool,
    /// Computing time of the runs that ended, in seconds.
    seconds: f64,
}

impl Progress {
    fn read(directory: &Path) -> io::Result<Self> {
        let mut progress = Self { has_ended: true, ..Self::default() };
        let journals = journals(directory)?;
        let mut shards = 1;
        for journal in &journals {
            let contents = Contents::read(journal)?;
            let done = contents.rows();
            let rows = contents.began.as_ref().map_or(done, |began| began.rows);
            progress.done += done;
            progress.rows += rows;
            progress.has_ended &= done >= rows || contents.failed.is_some();
            shards = contents.began.map_or(shards, |began| began.shard.of().get());
            progress.seconds += contents.ended.iter().map(|ending| ending.seconds).sum::<f64>();
        }
        // without a journal only output files are left, which are written when all rows are done
        progress.has_ended &= journals.is_empty() || journals.len() >= shards;
        Ok(progress)
    }
}

/// Returns true if `directory` has an output file of a run.
pub fn has_outputs(directory: &Path) -> bool {
    outputs().into_iter().any(|name| directory.join(name).is_file())
}

/// Moves the results in `directory`, which are those of another scenario, to `NAME.previous` beside it, and returns that
/// path, or `None` if `directory` has no results. `differences` describes how the scenarios differ.
///
/// # Errors
/// Returns an error if another run writes the directory, if the results there are incomplete, if the backup that would be
/// replaced took more than ten minutes or is not an output of flitwise, or if a directory cannot be renamed.
pub fn set_aside(directory: &Path, differences: &[String]) -> Result<Option<PathBuf>, StoreError> {
    let lock_file = directory.join(LOCK);
    let _held = lock(&lock_file, Hold::Alone).map_err(|error| locked(&lock_file, error))?;
    let progress = Progress::read(directory).map_err(at(directory))?;
    if progress.done == 0 && !has_outputs(directory) {
        return Ok(None);
    }
    if !progress.has_ended {
        let Progress { done, rows, .. } = progress;
        let differences = differences.to_vec();
        return Err(StoreError::Incomplete { directory: directory.to_owned(), done, rows, differences });
    }
    let backup = backup_of(directory);
    check_replaceable(&backup)?;
    replace(directory, &backup).map_err(at(directory))?;
    Ok(Some(backup))
}

/// Returns the path of the backup of `directory`. Names of scenarios have no dots, so no scenario writes to it.
pub fn backup_of(directory: &Path) -> PathBuf {
    let mut name = directory.as_os_str().to_owned();
    name.push(".previous");
    PathBuf::from(name)
}

/// Returns true if `directory` is a backup.
pub fn is_backup(directory: &Path) -> bool {
    directory.extension().is_some_and(|extension| extension == "previous")
}

fn check_replaceable(backup: &Path) -> Result<(), StoreError> {
    if fs::symlink_metadata(backup).is_err() {
        return Ok(());
    }
    let is_output =
        backup.is_dir() && (backup.join(Manifest::NAME).is_file() || !journals(backup).map_err(at(backup))?.is_empty());
    if !is_output {
        return Err(StoreError::NotABackup(backup.to_owned()));
    }
    let seconds = Progress::read(backup).map_err(at(backup))?.seconds;
    if seconds > PRECIOUS {
        return Err(StoreError::PreciousBackup { backup: backup.to_owned(), minutes: (seconds / 60.0).round() });
    }
    Ok(())
}

fn replace(directory: &Path, backup: &Path) -> io::Result<()> {
    let trash = TemporaryFolder::new(directory)?;
    if backup.is_dir() {
        fs::rename(backup, trash.path().join("older"))?;
    }
    fs::rename(directory, backup)?;
    // the temporary directory has moved with the results
    fs::remove_dir_all(backup.join(trash.path().file_name().unwrap_or_default()))
}
