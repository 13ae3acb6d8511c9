//! The common part of all fuzzers: it runs the target that `FLITWISE_FUZZ` names, and enforces the limits of every reader: no
//! panic, at most ten times the input plus 64 MB of memory, at most one second.
//!
//! There are several fuzzers because the engine examines all code of the program after every input, so that small programs are
//! faster.

use crate::readers::Target;
use crate::seeds;
use cap::Cap;
use cpu_time::ThreadTime;
use std::alloc::System;
use std::sync::OnceLock;
use std::time::Duration;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes that a reader may allocate in addition to ten times its input.
const ROOM: usize = 64 << 20;

/// Maximum CPU time of a reader. It does not depend on other programs.
const LONGEST: Duration = Duration::from_secs(1);

static TARGET: OnceLock<&'static Target> = OnceLock::new();

/// Reads `data` with the selected target, within the limits.
pub(crate) fn one(data: &[u8]) {
    let Some(target) = TARGET.get() else { return };
    let took = limited(target, data);
    if took > LONGEST {
        // again, because the first time may include initialisation
        let again = limited(target, data);
        assert!(again <= LONGEST, "took {took:?}, then {again:?}");
    }
}

/// Selects one of `targets`. Without a name, lists them and exits. If `FLITWISE_SEEDS` names a directory, writes seeds there and exits.
pub(crate) fn begin(targets: &'static [Target]) {
    let Ok(name) = std::env::var("FLITWISE_FUZZ") else {
        for target in targets {
            println!("{}\t{}\t{}", target.name, target.longest, target.reads);
        }
        std::process::exit(0);
    };
    let Some(target) = targets.iter().find(|target| target.name == name) else {
        eprintln!("there is no target {name}; the program lists its targets if FLITWISE_FUZZ is not set");
        std::process::exit(2);
    };
    if let Some(folder) = std::env::var_os("FLITWISE_SEEDS") {
        seeds::write(target, folder.as_ref()).expect("the seeds can be written");
        std::process::exit(0);
    }
    let _ = TARGET.set(target);
    (target.run)(b""); // initialisation happens here and not during the first input
}

/// Returns the CPU time of `target` for `data`. An allocation above the limit fails, which ends the process.
fn limited(target: &Target, data: &[u8]) -> Duration {
    let before = ThreadTime::now();
    let _ = MEMORY.set_limit(MEMORY.allocated() + 10 * data.len() + ROOM);
    (target.run)(data);
    let _ = MEMORY.set_limit(usize::MAX);
    before.elapsed()
}
