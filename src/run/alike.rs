//! Exchanges with a barrier between steps that differ in set-ups alone: run once.
//!
//! When a barrier lets nodes go on, the network is empty, and no node's last send keeps it from starting the next. So a
//! step passes in the same way whenever it starts. The set-up of a send delays all requests of a step alike, that of a
//! receive all receipts; neither changes what happens between them. An exchange of `S` steps with set-ups `s_s` and `r_s` is
//! therefore the one without set-ups, `S (s_s + r_s)` later.

use super::row::{Measured, RowFailure};
use crate::engine::exchange::Pace;
use crate::engine::node::NodeCosts;
use crate::engine::{ChannelCosts, Engine};
use crate::scenario::{self, Experiment};
use crate::topology::Torus;
use crate::units::{Flits, Ticks};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All that the run of an exchange without set-ups depends on.
#[derive(PartialEq, Eq, Hash)]
struct Kind {
    algorithm: &'static str,
    torus: Torus,
    channel: ChannelCosts,
    node: NodeCosts,
    block_flits: Flits,
    engine: Engine,
}

/// What was measured of an exchange without set-ups, once it is.
type Bare = Arc<Mutex<Option<Measured>>>;

/// The exchanges that have been run.
#[derive(Default)]
pub(super) struct Alike {
    kept: Mutex<FxHashMap<Kind, Bare>>,
}

impl Alike {
    /// What is measured of an exchange of so many steps. `measure` proves and runs it with given costs of nodes; none where
    /// that is to be told of the very run: because set-ups matter, or because it does not come to its end.
    pub(super) fn measured(
        &self,
        experiment: &Experiment,
        workload: &scenario::Exchange,
        algorithm: &'static str,
        steps: u64,
        measure: impl FnOnce(NodeCosts) -> Result<Option<Measured>, RowFailure>,
    ) -> Option<Measured> {
        let costs = experiment.node;
        let holds = costs.hold_setup > costs.send_setup || costs.hold_per_flit > costs.send_per_flit;
        if workload.pace != Pace::Synchronous || holds {
            return None;
        }
        let node = NodeCosts { send_setup: 0, receive_setup: 0, hold_setup: 0, ..costs };
        let kind = Kind {
            algorithm,
            torus: workload.torus.clone(),
            channel: experiment.channel,
            node,
            block_flits: workload.block_flits,
            engine: experiment.engine,
        };
        let bare = Arc::clone(whole(&self.kept).entry(kind).or_default());
        // whoever else wants the same waits for it
        let mut bare = whole(&bare);
        if bare.is_none() {
            *bare = measure(node).ok().flatten();
        }
        let setups = Ticks(steps * (costs.send_setup + costs.receive_setup));
        bare.map(|bare| Measured { completion: bare.completion + setups, ..bare })
    }
}

/// What a thread that panicked has left is whole.
fn whole<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
