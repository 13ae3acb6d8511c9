//! Exchanges with a barrier between steps that differ in set-ups alone: run once.
//!
//! When a barrier lets nodes go on, the network is empty, and no node's last send keeps it from starting the next. So a
//! step passes in the same way whenever it starts. The set-up of a send delays all requests of a step alike, that of a
//! receive all receipts; neither changes what happens between them. An exchange of `S` steps with set-ups `s_s` and
//! `r_s` is therefore the one without set-ups, `S (s_s + r_s)` later.

use super::{Exchange, Plan};
use crate::costs::{ChannelCosts, NodeCosts};
use crate::engine::{Engine, Outcome};
use crate::kind::Job;
use crate::machine::Machine;
use crate::schedule::Pace;
use crate::topology::Torus;
use crate::units::{Flits, Ticks};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All that the run of an exchange without set-ups depends on.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Work {
    algorithm: &'static str,
    torus: Torus,
    channel: ChannelCosts,
    node: NodeCosts,
    block_flits: Flits,
    engine: Engine,
}

/// What was measured of an exchange without set-ups, its messages aside, once it is.
type Bare = Arc<Mutex<Option<Outcome>>>;

/// The exchanges of a scenario that have been run.
#[derive(Debug, Default)]
pub(super) struct ExchangeCache(Mutex<FxHashMap<Work, Bare>>);

impl Exchange {
    /// What the run of a variant depends on; none where set-ups matter.
    pub(super) fn without_setups(&self, machine: &Machine, variant: usize) -> Option<Work> {
        let costs = machine.node;
        let holds = costs.hold_setup > costs.send_setup || costs.hold_per_flit > costs.send_per_flit;
        // on virtual-channel routers a step finds the turns and credits that the one before has left
        let begins_anew = machine.routers.is_none();
        // what is known of another network does not tell its paths from those of a third
        let torus = self.torus.as_ref()?;
        // energies are those of messages, which are not kept
        let is_shared = self.simulate && !self.details && machine.energy.is_none();
        // slow nodes delay only some of the messages of a step, and slow links are not part of the torus
        let is_whole = machine.faults.is_none();
        let has_barriers = self.pace == Pace::Synchronous;
        (has_barriers && is_shared && !holds && begins_anew && is_whole).then(|| Work {
            algorithm: self.algorithms[variant].name,
            torus: torus.clone(),
            channel: machine.channel,
            node: NodeCosts { send_setup: 0, receive_setup: 0, hold_setup: 0, ..costs },
            block_flits: self.block_flits,
            engine: machine.engine,
        })
    }
}

impl Plan<'_> {
    /// What is measured of it, from its run without set-ups, which is proved and run once for all rows; none where the
    /// run itself must tell: because set-ups matter, or because it does not come to its end.
    pub(super) fn measured_without_setups(&self) -> Option<Outcome> {
        let Job { machine, variant, .. } = self.job;
        let work = self.workload.without_setups(machine, variant)?;
        let node = work.node;
        let bare = Arc::clone(locked(&self.workload.cache.0).entry(work).or_default());
        // other threads that want the same wait for it here
        let mut bare = locked(&bare);
        if bare.is_none() {
            self.prove().ok()?;
            let outcome = machine.run(self.program(&node), self.job.draw(), &mut ())?.ok()?;
            *bare = Some(Outcome { messages: Vec::new(), ..outcome });
        }
        let setups = Ticks(self.exchange.steps() as u64 * (machine.node.send_setup + machine.node.receive_setup));
        bare.clone().map(|bare| Outcome { completion: bare.completion + setups, ..bare })
    }
}

/// What a thread that panicked has left is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
