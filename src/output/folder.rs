//! A folder of outputs that appear whole or not at all.
//!
//! Files are written in a staging folder inside the target and moved into place when all of them are complete. A run
//! that fails leaves the outputs of the run before untouched and nothing of its own; what one leaves that is killed, the next
//! one removes. Other files in the folder are never touched.

use super::staging::{TemporaryFolder, clear};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The folder, in the staging folder, of outputs that are replaced.
const EARLIER: &str = ".earlier";

/// An output that is being written.
pub type Output = BufWriter<File>;

/// The folder that outputs are moved to, with the staging folder that they are written in.
#[derive(Debug)]
pub struct Folder {
    target: PathBuf,
    /// The folders that had to be made, outermost first; they are removed again if nothing comes of it.
    made: Vec<PathBuf>,
    staging: Option<TemporaryFolder>,
}

impl Folder {
    /// Makes `target` where it does not exist, and a staging folder in it.
    ///
    /// # Errors
    /// If a folder cannot be made.
    pub fn open(target: &Path) -> io::Result<Self> {
        let missing = target.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let mut made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        made.reverse();
        fs::create_dir_all(target)?;
        let mut folder = Self { target: target.to_owned(), made, staging: None };
        // what cannot be removed stays, and is in the way of nothing
        let _ = clear(target);
        folder.staging = Some(TemporaryFolder::new(target)?);
        Ok(folder)
    }

    /// A new output called `name`.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn output(&self, name: &str) -> io::Result<Output> {
        let staging = self.staging.as_ref().ok_or(io::ErrorKind::NotFound)?;
        File::create_new(staging.path().join(name)).map(BufWriter::new)
    }

    /// Completes an output.
    ///
    /// # Errors
    /// If what is buffered cannot be written, such as on a full disk.
    pub fn close(output: Output) -> io::Result<()> {
        let mut file = output.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.flush()?;
        file.sync_all()
    }

    /// Moves the outputs called `names` into place, and removes those called `stale` that an earlier run left. If one
    /// cannot be moved, the earlier outputs are put back. A single output replaces the earlier one at once.
    ///
    /// # Errors
    /// If something other than a file stands in the way, or a file cannot be moved.
    pub fn commit(mut self, names: &[&str], stale: &[&str]) -> io::Result<()> {
        let staging = self.staging.take().ok_or(io::ErrorKind::NotFound)?;
        let earlier = staging.path().join(EARLIER);
        fs::create_dir(&earlier)?;
        let is_single = names.len() == 1 && stale.is_empty();
        let mut moves = Vec::new();
        for name in names.iter().chain(stale) {
            let target = self.target.join(name);
            match fs::symlink_metadata(&target) {
                Ok(found) if found.is_dir() => {
                    let message = format!("{} is a directory", target.display());
                    return Err(io::Error::new(io::ErrorKind::IsADirectory, message));
                }
                Ok(_) if is_single => {}
                Ok(_) => moves.push((target, earlier.join(name))),
                Err(_) => {} // nothing is in the way
            }
        }
        moves.extend(names.iter().map(|name| (staging.path().join(name), self.target.join(name))));
        move_all(&moves)?;
        self.made.clear();
        staging.close()
    }
}

/// Renames each (from, to), or nothing at all.
fn move_all(moves: &[(PathBuf, PathBuf)]) -> io::Result<()> {
    for (at, (from, to)) in moves.iter().enumerate() {
        if let Err(error) = fs::rename(from, to) {
            for (from, to) in moves[..at].iter().rev() {
                fs::rename(to, from)?;
            }
            return Err(error);
        }
    }
    Ok(())
}

impl Drop for Folder {
    /// Leaves no trace of outputs that were not committed.
    fn drop(&mut self) {
        drop(self.staging.take());
        for folder in self.made.iter().rev() {
            // a folder that is not empty any more stays
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_appear_whole() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let target = root.path().join("a/b");
        let folder = Folder::open(&target)?;
        let mut output = folder.output("rows.csv")?;
        output.write_all(b"1")?;
        Folder::close(output)?;
        assert!(!target.join("rows.csv").exists());
        fs::write(target.join("messages.csv"), "stale")?;
        fs::write(target.join("notes.txt"), "mine")?;
        folder.commit(&["rows.csv"], &["messages.csv"])?;
        let mut names: Vec<_> =
            fs::read_dir(&target)?.map(|entry| entry.map(|e| e.file_name())).collect::<Result<_, _>>()?;
        names.sort();
        assert_eq!(names, ["notes.txt", "rows.csv"]);
        Ok(())
    }

    #[test]
    fn moves_that_cannot_all_be_made_are_taken_back() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let path = |name: &str| root.path().join(name);
        fs::write(path("a"), "1")?;
        let moves = [(path("a"), path("b")), (path("missing"), path("c"))];
        assert!(move_all(&moves).is_err());
        assert_eq!(fs::read_to_string(path("a"))?, "1");
        assert!(!path("b").exists());
        Ok(())
    }

    #[test]
    fn nothing_is_left_of_what_was_not_committed() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let folder = Folder::open(&root.path().join("a/b"))?;
        Folder::close(folder.output("rows.csv")?)?;
        drop(folder);
        assert_eq!(fs::read_dir(root.path())?.count(), 0);
        Ok(())
    }
}
