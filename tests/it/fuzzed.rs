//! What fuzzing found, read again by the same targets: `tests/data/fuzz/TARGET/..`, each file an input that was a panic, too
//! slow or too large once. `fuzz/README.md` says how they are found.

use crate::readers::targets;
use crate::support::data_path;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The inputs of the target called `name`.
fn inputs(name: &str) -> Vec<PathBuf> {
    let folder = data_path("fuzz").join(name);
    let mut inputs: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    inputs
}

#[test]
fn what_was_found_is_read_without_a_panic_and_soon() {
    let mut read = 0;
    for target in targets() {
        for path in inputs(target.name) {
            let bytes = std::fs::read(&path).unwrap();
            assert!(bytes.len() <= target.longest, "{}", path.display());
            #[expect(clippy::disallowed_methods, reason = "how long it takes is what is asked")]
            let begin = Instant::now();
            (target.run)(&bytes);
            // a second is the limit of the fuzzer; here other tests run beside it, and code that is not optimised
            assert!(begin.elapsed() < Duration::from_secs(20), "{} takes {:?}", path.display(), begin.elapsed());
            read += 1;
        }
    }
    assert!(read >= 5, "{read}");
}

#[test]
fn each_folder_is_of_a_target_and_targets_have_names_of_their_own() {
    let names: Vec<&str> = targets().map(|target| target.name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for folder in std::fs::read_dir(data_path("fuzz")).unwrap() {
        let name = folder.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(&name.as_str()), "{name}");
    }
    assert!(targets().all(|target| !target.reads.is_empty() && target.longest >= 64));
}

/// Shipped files that corpora begin with are where they are looked for.
#[test]
fn seeds_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for seed in targets().flat_map(|target| target.seeds).filter(|seed| !seed.starts_with('\n')) {
        let path = root.join(seed);
        let found = if seed.contains('*') { path.parent().is_some_and(Path::is_dir) } else { path.is_file() };
        assert!(found, "{seed}");
    }
}

/// What is made for a corpus is what the reader takes; so is nothing at all.
#[test]
fn what_runs_leave_is_read() {
    for target in targets() {
        (target.run)(b"");
        for seed in (target.made)() {
            (target.run)(&seed);
        }
    }
}
