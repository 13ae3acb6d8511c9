//! What a row needs: memory, and roughly how long it takes.
//!
//! Both follow from the scenario alone, never from the machine that runs it or its clock: shards are balanced by them,
//! and every computer must cut the same shards. Memory is an upper bound that a run relies on. Time is a guess within a
//! small factor, from measurements of one computer; it decides which rows go first, never what comes out.

use crate::engine::Engine;
use crate::machine::Machine;

/// What a row needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Estimate {
    /// Roughly how long it takes, in nanoseconds of one core.
    pub time: u64,
    /// The most memory that it takes, in bytes.
    pub memory: u64,
}

/// What a row asks of its planner and of the engine.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Demand {
    /// Nodes that are numbered.
    pub nodes: usize,
    /// Messages that are sent.
    pub messages: usize,
    /// Bytes that planning takes.
    pub planning: u64,
    /// Nanoseconds that planning takes.
    pub planning_time: u64,
    /// Bytes that running takes.
    pub running: u64,
    /// Nanoseconds that running takes.
    pub running_time: u64,
}

/// What a row takes however small it is: a thread's stack and buffers, in bytes; and its bookkeeping, in nanoseconds.
const LEAST: Estimate = Estimate { time: 5_000, memory: 1 << 20 };

impl Demand {
    /// All bytes, those of a thread aside.
    pub fn memory(&self) -> u64 {
        self.planning.saturating_add(self.running)
    }

    /// What a row with this demand needs in all.
    pub fn estimate(&self) -> Estimate {
        let time = LEAST.time.saturating_add(self.planning_time).saturating_add(self.running_time);
        Estimate { time, memory: LEAST.memory.saturating_add(self.memory()) }
    }

    /// With what `machine` takes to run the messages, of `flits` flits on the wire on average, if it has a
    /// network.
    #[must_use]
    pub fn run_on(self, machine: &Machine, flits: u64) -> Self {
        let Some(network) = machine.network() else { return self };
        let channels = network.channels().count() as u64;
        let messages = self.messages as u64;
        // a message crosses about a third of the longest path, but in large networks trees are made of near nodes
        let hops = (machine.longest_path() / 3).min(50) + 2;
        let heads = messages.saturating_mul(100 + 40 * hops);
        let flit_hops = messages.saturating_mul(flits).saturating_mul(hops);
        let moved = match (&machine.routers, machine.engine) {
            (Some(routers), _) => flit_hops.saturating_mul(routers.flit_nanoseconds()),
            (None, Engine::Flit) => flit_hops.saturating_mul(12),
            (None, _) => 0,
        };
        let running_time = channels.saturating_add(heads).saturating_add(moved);
        Self { running: machine.engine_memory(self.messages), running_time, ..self }
    }
}
