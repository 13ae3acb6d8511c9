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
use crate::scenario::{self, Experiment, Workload};
use crate::topology::Torus;
use crate::units::{Flits, Ticks};
use rustc_hash::{FxHashMap, FxHashSet};
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

impl Kind {
    /// Of the `algorithm`-th algorithm; none where set-ups matter.
    fn of(experiment: &Experiment, workload: &scenario::Exchange, algorithm: usize) -> Option<Self> {
        let costs = experiment.node;
        let holds = costs.hold_setup > costs.send_setup || costs.hold_per_flit > costs.send_per_flit;
        (workload.pace == Pace::Synchronous && workload.simulate && !holds).then(|| Self {
            algorithm: workload.algorithms[algorithm].name,
            torus: workload.torus.clone(),
            channel: experiment.channel,
            node: NodeCosts { send_setup: 0, receive_setup: 0, hold_setup: 0, ..costs },
            block_flits: workload.block_flits,
            engine: experiment.engine,
        })
    }
}

/// What was measured of an exchange without set-ups, once it is.
type Bare = Arc<Mutex<Option<Measured>>>;

/// The exchanges that have been run.
#[derive(Default)]
pub(super) struct Alike {
    kept: Mutex<FxHashMap<Kind, Bare>>,
}

impl Alike {
    /// What is measured of the exchange of the `algorithm`-th algorithm, which has so many steps. `measure` proves and runs it
    /// with given costs of nodes; none where that is to be told of the very run: because set-ups matter, or because it
    /// does not come to its end.
    pub(super) fn measured(
        &self,
        experiment: &Experiment,
        workload: &scenario::Exchange,
        (algorithm, steps): (usize, u64),
        measure: impl FnOnce(NodeCosts) -> Result<Option<Measured>, RowFailure>,
    ) -> Option<Measured> {
        let kind = Kind::of(experiment, workload, algorithm)?;
        let node = kind.node;
        let bare = Arc::clone(whole(&self.kept).entry(kind).or_default());
        // whoever else wants the same waits for it
        let mut bare = whole(&bare);
        if bare.is_none() {
            *bare = measure(node).ok().flatten();
        }
        let setups = Ticks(steps * (experiment.node.send_setup + experiment.node.receive_setup));
        bare.map(|bare| Measured { completion: bare.completion + setups, ..bare })
    }
}

/// What a thread that panicked has left is whole.
fn whole<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells which rows need little once others have been computed.
#[derive(Default)]
pub struct Repeats {
    seen: FxHashSet<Kind>,
}

impl Repeats {
    /// Whether what takes long of the rows of the `algorithm`-th algorithm is the same as of some asked for before.
    ///
    /// # Panics
    /// If there is no such algorithm.
    pub fn is_repeat(&mut self, experiment: &Experiment, algorithm: usize) -> bool {
        let Workload::Exchange(workload) = &experiment.workload else { return false };
        Kind::of(experiment, workload, algorithm).is_some_and(|kind| !self.seen.insert(kind))
    }
}
