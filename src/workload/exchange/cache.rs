//! Exchanges with a barrier between steps that differ in set-ups alone: run once.
//!
//! When a barrier lets nodes go on, the network is empty, and no node's last send keeps it from starting the next. So a
//! step passes in the same way whenever it starts. The set-up of a send delays all requests of a step alike, that of a
//! receive all receipts; neither changes what happens between them. An exchange of `S` steps with set-ups `s_s` and `r_s` is
//! therefore the one without set-ups, `S (s_s + r_s)` later.

use super::Exchange;
use crate::engine::exchange::Pace;
use crate::engine::node::NodeCosts;
use crate::engine::{ChannelCosts, Engine};
use crate::kind::{Measured, RowFailure};
use crate::machine::Machine;
use crate::topology::Torus;
use crate::units::{Flits, Ticks};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All that the run of an exchange without set-ups depends on.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Work {
    algorithm: &'static str,
    torus: Torus,
    channel: ChannelCosts,
    node: NodeCosts,
    block_flits: Flits,
    engine: Engine,
}

impl Work {
    /// That of an algorithm; none where set-ups matter.
    fn without_setups(machine: &Machine, workload: &Exchange, algorithm: usize) -> Option<Self> {
        let costs = machine.node;
        let holds = costs.hold_setup > costs.send_setup || costs.hold_per_flit > costs.send_per_flit;
        (workload.pace == Pace::Synchronous && workload.simulate && !holds).then(|| Self {
            algorithm: workload.algorithms[algorithm].name,
            torus: workload.torus.clone(),
            channel: machine.channel,
            node: NodeCosts { send_setup: 0, receive_setup: 0, hold_setup: 0, ..costs },
            block_flits: workload.block_flits,
            engine: machine.engine,
        })
    }
}

/// A number that rows of one and the same run have in common; none where set-ups matter.
pub(super) fn shared_work(machine: &Machine, workload: &Exchange, algorithm: usize) -> Option<u64> {
    let mut hasher = FxHasher::default();
    Work::without_setups(machine, workload, algorithm)?.hash(&mut hasher);
    Some(hasher.finish())
}

/// What was measured of an exchange without set-ups, once it is.
type Bare = Arc<Mutex<Option<Measured>>>;

/// The exchanges of a scenario that have been run.
#[derive(Debug, Default)]
pub(super) struct ExchangeCache {
    kept: Mutex<FxHashMap<Work, Bare>>,
}

/// Which row asks the cache.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) machine: &'a Machine,
    pub(super) workload: &'a Exchange,
    pub(super) algorithm: usize,
    pub(super) steps: u64,
}

impl ExchangeCache {
    /// What is measured of an exchange. `measure` proves and runs it with given costs of nodes; none where the run itself
    /// must tell: because set-ups matter, or because it does not come to its end.
    pub(super) fn measured(
        &self,
        question: Question<'_>,
        measure: impl FnOnce(NodeCosts) -> Result<Option<Measured>, RowFailure>,
    ) -> Option<Measured> {
        let Question { machine, workload, algorithm, steps } = question;
        let work = Work::without_setups(machine, workload, algorithm)?;
        let node = work.node;
        let bare = Arc::clone(locked(&self.kept).entry(work).or_default());
        // other threads that want the same wait for it here
        let mut bare = locked(&bare);
        if bare.is_none() {
            *bare = measure(node).ok().flatten();
        }
        let setups = Ticks(steps * (machine.node.send_setup + machine.node.receive_setup));
        bare.map(|bare| Measured { completion: bare.completion + setups, ..bare })
    }
}

/// What a thread that panicked has left is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
