//! A folder that a target lays files in, in memory where the machine has that: the same one for all inputs.

use std::cell::RefCell;
use std::path::Path;
use tempfile::TempDir;

/// A folder in memory on most machines.
const IN_MEMORY: &str = "/dev/shm";

/// The folder of this thread, and what is in it.
struct Laid {
    folder: TempDir,
    names: Vec<String>,
}

thread_local! {
    static LAID: RefCell<Option<Laid>> = const { RefCell::new(None) };
}

/// Calls `look` with a folder that has the files `parts`, and whatever `look` leaves there, until the next call.
pub(super) fn with_files<T>(parts: &[(&str, &[u8])], look: impl FnOnce(&Path) -> T) -> T {
    LAID.with_borrow_mut(|laid| {
        let laid = laid.get_or_insert_with(|| Laid { folder: folder(), names: Vec::new() });
        for name in laid.names.drain(..) {
            let _ = std::fs::remove_file(laid.folder.path().join(name));
        }
        for (name, bytes) in parts {
            std::fs::write(laid.folder.path().join(name), bytes).unwrap();
            laid.names.push((*name).to_owned());
        }
        look(laid.folder.path())
    })
}

fn folder() -> TempDir {
    tempfile::tempdir_in(IN_MEMORY).unwrap_or_else(|_| tempfile::tempdir().unwrap())
}
