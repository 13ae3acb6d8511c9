//! Where a verb writes what it prints.

use anyhow::{Context, Result};
use flitwise::output::{clear, temporary_file};
use std::fs::File;
use std::io::{BufWriter, Stdout, Write, stdout};
use std::path::{Path, PathBuf};

/// Standard output, or a file that is there only if all is written.
pub(super) enum Target {
    Standard(BufWriter<Stdout>),
    File(BufWriter<File>, PathBuf),
}

impl Target {
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Standard(BufWriter::new(stdout()))) };
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self::File(BufWriter::new(file), path.to_owned()))
    }

    /// Removes a file that is not complete.
    pub(super) fn finish(self, printed: Result<()>) -> Result<()> {
        let Self::File(_, path) = &self else { return printed };
        if printed.is_err() {
            // the reason why it was not written is told in any case
            let _ = std::fs::remove_file(path);
        }
        printed.with_context(|| format!("{} was not written", path.display()))
    }
}

/// Puts `bytes` into the file `path`, all of them or none: what was there before stays if they cannot be written.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let unwritten = || format!("cannot write {}", path.display());
    // what a link leads to is written, not the link; devices and pipes have no whole
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if target.exists() && !target.is_file() {
        return std::fs::write(&target, bytes).with_context(unwritten);
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // what a run left that was killed; what cannot be removed stays, and is in the way of nothing
    let _ = clear(folder);
    let mut file = temporary_file(folder).with_context(unwritten)?;
    file.write_all(bytes).with_context(unwritten)?;
    file.persist(&target).map_err(|error| error.error).with_context(unwritten)?;
    Ok(())
}

/// The same of what `write` writes, of which memory need not hold all.
pub(super) fn write_file(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let unwritten = || format!("cannot write {}", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary_file(folder).with_context(unwritten)?;
    write(file.as_file_mut()).with_context(unwritten)?;
    file.persist(path).map_err(|error| error.error).with_context(unwritten)?;
    Ok(())
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Standard(output) => output.write(bytes),
            Self::File(output, _) => output.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Standard(output) => output.flush(),
            Self::File(output, _) => output.flush(),
        }
    }
}
