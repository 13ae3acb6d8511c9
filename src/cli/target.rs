//! Where a verb writes what it prints.

use anyhow::{Context, Result};
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
