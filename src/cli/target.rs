//! The output of a subcommand: standard output or a file.

use anyhow::{Context, Result, bail};
use flitwise::output::{clear, temporary_file};
use std::fs::File;
use std::io::{BufWriter, Stdout, Write, stdout};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Standard output, a device or a pipe, or a file that is there only if all is written.
pub(super) enum Target {
    Standard(BufWriter<Stdout>),
    Device(BufWriter<File>, PathBuf),
    File(BufWriter<NamedTempFile>, PathBuf),
}

impl Target {
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Standard(BufWriter::new(stdout()))) };
        let unwritten = || format!("cannot write {}", path.display());
        // what a link leads to is written, not the link
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if target.exists() && !target.is_file() {
            let file = File::options().write(true).open(&target).with_context(unwritten)?;
            return Ok(Self::Device(BufWriter::new(file), path.to_owned()));
        }
        let folder = folder_of(&target);
        // what a run left that was killed; what cannot be removed stays, and is in the way of nothing
        let _ = clear(folder);
        Ok(Self::File(BufWriter::new(temporary(folder, path)?), target))
    }

    /// Puts a file in place that is complete, and removes one that is not.
    pub(super) fn finish(mut self, printed: Result<()>) -> Result<()> {
        let printed = printed.and_then(|()| Ok(self.flush()?));
        match self {
            Self::Standard(_) => printed,
            Self::Device(_, path) => printed.with_context(|| format!("{} was not written", path.display())),
            Self::File(output, path) => {
                printed.and_then(|()| put(output, &path)).with_context(|| format!("{} was not written", path.display()))
            }
        }
    }
}

/// Puts what was written to `output` in place, at `path`.
fn put(output: BufWriter<NamedTempFile>, path: &Path) -> Result<()> {
    let file = output.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A temporary file in `folder`, which will be moved to `path`.
fn temporary(folder: &Path, path: &Path) -> Result<NamedTempFile> {
    let place = path.display();
    if !folder.is_dir() {
        bail!("cannot write {place}: there is no directory {}", folder.display());
    }
    temporary_file(folder).with_context(|| format!("cannot write {place}"))
}

/// The folder in which `path` is.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Puts `bytes` into the file `path`, all of them or none: what was there before stays if they cannot be written.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let unwritten = || format!("cannot write {}", path.display());
    // what a link leads to is written, not the link; devices and pipes have no whole
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if target.exists() && !target.is_file() {
        return std::fs::write(&target, bytes).with_context(unwritten);
    }
    let folder = folder_of(&target);
    // what a run left that was killed; what cannot be removed stays, and is in the way of nothing
    let _ = clear(folder);
    let mut file = temporary(folder, path)?;
    file.write_all(bytes).with_context(unwritten)?;
    file.persist(&target).map_err(|error| error.error).with_context(unwritten)?;
    Ok(())
}

/// The same of what `write` writes, of which memory need not hold all.
pub(super) fn write_file(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let unwritten = || format!("cannot write {}", path.display());
    let folder = folder_of(path);
    let mut file = temporary(folder, path)?;
    write(file.as_file_mut()).with_context(unwritten)?;
    file.persist(path).map_err(|error| error.error).with_context(unwritten)?;
    Ok(())
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Standard(output) => output.write(bytes),
            Self::Device(output, _) => output.write(bytes),
            Self::File(output, _) => output.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Standard(output) => output.flush(),
            Self::Device(output, _) => output.flush(),
            Self::File(output, _) => output.flush(),
        }
    }
}
