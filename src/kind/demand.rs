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

/// About how long a unit should take, in nanoseconds: long against the microseconds that a line of a journal costs, short
/// against the seconds that a user waits for the last one.
const GRAIN: u64 = 4_000_000;

/// The most rows of a unit, whose lines are held in memory.
const MOST_ROWS: u64 = 1024;

impl Estimate {
    /// How many rows that need as much make a unit of work.
    pub fn rows_at_once(&self) -> u64 {
        (GRAIN / self.time.max(1)).clamp(1, MOST_ROWS)
    }
}

/// What a row asks of its planner and of the engine.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Demand {
    /// Nodes that are numbered.
    pub nodes: usize,
    /// Messages that are sent.
    pub messages: usize,
    /// Channels that a message takes on average, both ends included; 0 where the two nodes have nothing in common.
    pub hops: u64,
    /// How often a head flit waits for another message on its way, on average.
    pub waits: u64,
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
const LEAST: Estimate = Estimate { time: 3_500, memory: 1 << 20 };

/// What a message takes on the wormhole engines besides its hops, what a hop of its head flit takes and each time that it
/// waits, what a hop of any flit takes on the flit engine and what a hop of a message on the sleep engine, in nanoseconds.
const MESSAGE: u64 = 300;
const HEAD_HOP: u64 = 35;
const WAIT: u64 = 400;
const FLIT_HOP: u64 = 30;
const SLEEP_HOP: u64 = 2500;

/// Bytes of an engine beyond which it no longer fits a processor's caches.
const CACHE: u64 = 32 << 20;

/// Bytes of a channel that is watched, its line included.
const LINK_BYTES: u64 = 400;

impl Demand {
    /// All bytes, those of a thread aside.
    pub fn memory(&self) -> u64 {
        self.planning.saturating_add(self.running)
    }

    /// The bytes of a timeline of a program with this demand, which are in proportion to those of its operations: slices under the
    /// model and on the network, and their lines.
    pub fn timeline(&self) -> u64 {
        self.planning.saturating_mul(4)
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
        let messages = self.messages as u64;
        let hops = if self.hops == 0 { machine.mean_path() } else { self.hops };
        let mut running = machine.engine_memory(self.messages);
        let moved = match (&machine.routers, machine.engine) {
            (Some(routers), _) => messages.saturating_mul(hops).saturating_mul(routers.hop_nanoseconds(flits, running)),
            (None, Engine::Flit) => messages.saturating_mul(flits).saturating_mul(hops).saturating_mul(FLIT_HOP),
            (None, Engine::Sleep) => {
                messages.saturating_mul(hops).saturating_mul(SLEEP_HOP.min(flits.saturating_mul(FLIT_HOP)))
            }
            (None, _) => 0,
        };
        let head = MESSAGE + HEAD_HOP * hops + WAIT * self.waits;
        let head = if running > CACHE { 3 * head / 2 } else { head };
        // one that waits remembers where it waited
        if self.waits > 0 && machine.routers.is_none() {
            running = running.saturating_add(5 * hops.min(64) * messages);
        }
        let channels = network.channels().count() as u64;
        let running_time = channels.saturating_add(messages.saturating_mul(head)).saturating_add(moved);
        Self { running, running_time, ..self }
    }

    /// With what it takes to tell of the links, if they are `asked` for: what is seen of each channel, and a line.
    #[must_use]
    pub fn with_links(self, machine: &Machine, asked: bool) -> Self {
        let Some(network) = machine.network().filter(|_| asked) else { return self };
        let channels = network.channels().count() as u64;
        Self { running: self.running.saturating_add(LINK_BYTES.saturating_mul(channels)), ..self }
    }
}
