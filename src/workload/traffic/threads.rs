//! The number of threads of a steady stream.

use crate::cores;
use crate::engine::router::needs_one_thread;
use crate::machine::{DeadlockPolicy, Machine, Routers};
use std::num::NonZeroUsize;

/// The fewest routers whose simulation takes a thread so long that it is worth meeting the others in every cycle.
const FEWEST_ROUTERS: usize = 256;

/// The number of threads that simulate a stream on `routers` of `machine`.
pub(super) fn threads(machine: &Machine, routers: &Routers) -> usize {
    if one_thread(machine, routers).is_some() {
        return 1;
    }
    let worthwhile = (routers.routes.wiring().routers() / FEWEST_ROUTERS).max(1);
    machine.threads.map_or_else(|| cores::available().get().min(worthwhile), NonZeroUsize::get)
}

/// The reason why one thread simulates a stream on `routers` of `machine`, if it does.
pub(super) fn one_thread(machine: &Machine, routers: &Routers) -> Option<&'static str> {
    if machine.energy.is_some() {
        Some("flits are counted for [energy]")
    } else if machine.deadlock == DeadlockPolicy::Allow {
        Some("`router.allow_deadlock` is true, and only one thread detects deadlocks")
    } else {
        needs_one_thread(&routers.costs)
    }
}
