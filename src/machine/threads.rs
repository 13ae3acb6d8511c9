//! The number of threads of a run on routers.

use super::{DeadlockPolicy, Machine, Routers};
use crate::cores;
use crate::engine::router::needs_one_thread;
use std::num::NonZeroUsize;

/// The fewest routers whose simulation takes a thread so long that it is worth meeting the others in every cycle.
const FEWEST_ROUTERS: usize = 256;

impl Machine {
    /// The number of threads that simulate `routers` of this machine.
    pub(crate) fn threads_of(&self, routers: &Routers) -> usize {
        if self.one_thread(routers).is_some() {
            return 1;
        }
        let worthwhile = (routers.routes.wiring().routers() / FEWEST_ROUTERS).max(1);
        self.threads.map_or_else(|| cores::available().get().min(worthwhile), NonZeroUsize::get)
    }

    /// The reason why one thread simulates `routers` of this machine, if it does.
    pub(crate) fn one_thread(&self, routers: &Routers) -> Option<&'static str> {
        if self.deadlock == DeadlockPolicy::Allow {
            Some("`router.allow_deadlock` is true, and only one thread detects deadlocks")
        } else {
            needs_one_thread(&routers.costs)
        }
    }
}
