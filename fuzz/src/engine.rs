//! What every fuzzer has: one target of those that it knows, which `FLITWISE_FUZZ` names, and the limits that hold for every
//! reader: no panic, no more memory than ten times the input and 64 MB, no more than a second.
//!
//! There are several fuzzers, because the engine looks at all code that is in the program after every input: one that knows
//! little is fast.

use crate::readers::Target;
use crate::seeds;
use cap::Cap;
use cpu_time::ThreadTime;
use std::alloc::System;
use std::sync::OnceLock;
use std::time::Duration;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes that a reader may take beside ten times its input.
const ROOM: usize = 64 << 20;

/// How long a reader may work, of this thread's own time: other programs make it no slower.
const LONGEST: Duration = Duration::from_secs(1);

static TARGET: OnceLock<&'static Target> = OnceLock::new();

/// Reads `data` by the chosen target, within the limits.
pub(crate) fn one(data: &[u8]) {
    let Some(target) = TARGET.get() else { return };
    let took = limited(target, data);
    if took > LONGEST {
        // once more: the first time may have had something to do once
        let again = limited(target, data);
        assert!(again <= LONGEST, "took {took:?}, then {again:?}");
    }
}

/// Sets one of `targets` up. Without a name, lists them and ends; where `FLITWISE_SEEDS` names a folder, writes seeds there and ends.
pub(crate) fn begin(targets: &'static [Target]) {
    let Ok(name) = std::env::var("FLITWISE_FUZZ") else {
        for target in targets {
            println!("{}\t{}\t{}", target.name, target.longest, target.reads);
        }
        std::process::exit(0);
    };
    let Some(target) = targets.iter().find(|target| target.name == name) else {
        eprintln!("no target is called {name}; without FLITWISE_FUZZ they are listed");
        std::process::exit(2);
    };
    if let Some(folder) = std::env::var_os("FLITWISE_SEEDS") {
        seeds::write(target, folder.as_ref()).expect("seeds can be written");
        std::process::exit(0);
    }
    let _ = TARGET.set(target);
    (target.run)(b""); // what is made once is made now, and counts for no input
}

/// How long `target` takes for `data`. An allocation above the limit is refused, which ends the process.
fn limited(target: &Target, data: &[u8]) -> Duration {
    let before = ThreadTime::now();
    let _ = MEMORY.set_limit(MEMORY.allocated() + 10 * data.len() + ROOM);
    (target.run)(data);
    let _ = MEMORY.set_limit(usize::MAX);
    before.elapsed()
}
