//! `[device]`: a chip whose network has been looked into: routers whose outputs decide by themselves, ends that answer, and what
//! processors take. Every constant is a key, so that another chip is a table and not code; the chips that are known have names.
//!
//! A device knows what is where and how long it takes. It refuses to know what processors read.

mod machine;
mod preset;
mod read;

pub(crate) use machine::machine;
pub(crate) use preset::PRESETS;
pub(crate) use read::KEYS;
use read::read;

use crate::costs::{Buffer, Timing};
use crate::engine::program::noc::{End, Overheads};
use crate::engine::router::{Interfaces, RouterCosts, VcClass};
use crate::routing::one_way::BITS;
use crate::units::{NodeId, Ticks, narrow};
use serde::Serialize;

/// Returns the bytes of a flit of the chip called `like`, or of the default one, or `None` if no chip has this name.
pub(crate) fn flit_bytes(like: Option<&str>) -> Option<u64> {
    let preset = like.map_or(PRESETS.first(), |name| PRESETS.iter().find(|preset| preset.name == name));
    preset.map(|preset| preset.constants.flit_bytes)
}

/// What stands at a place of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tile {
    /// A core, with processors and a memory of its own.
    Worker,
    /// A port of a large memory.
    Dram,
    /// A router alone.
    Router,
}

/// What an end of the network is like.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EndCosts {
    /// From the arrival of a request until its reply can set out, in cycles.
    pub memory: u64,
    /// Flits of a reply that leave in a thousand cycles.
    pub rate: u32,
    /// Requests that it holds at most whose replies have not begun.
    pub requests: u32,
}

/// Virtual channels of a kind of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VcCosts {
    /// Virtual channels of a link for each value of the dateline bit.
    pub buddies: u16,
    /// Flits that the buffer of each holds, those on their way to it included.
    pub buffer: u32,
}

/// The constants of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Constants {
    /// Bytes of a flit.
    pub flit_bytes: u64,
    /// The most flits of a packet, its head flit aside.
    pub packet_flits: u64,
    /// From the start of a flit on a link until it can start on the next, in cycles.
    pub hop: u64,
    /// From an end to its router, in cycles.
    pub inject: u64,
    /// From a router to an end, in cycles.
    pub eject: u64,
    /// Virtual channels of requests and of what is written.
    pub request: VcCosts,
    /// Virtual channels of replies.
    pub reply: VcCosts,
    /// Virtual channels of multicasts.
    pub multicast: VcCosts,
    /// What the end of a core is like.
    pub worker: EndCosts,
    /// What a port of a large memory is like.
    pub dram: EndCosts,
    /// Bytes that a port of a large memory gives in a cycle: starts of replies are at least so far apart.
    pub dram_bytes_per_cycle: u64,
    /// From the issue of a read until its request can leave, in cycles.
    pub issue: u64,
    /// From the last flit that a barrier waits for until it ends, in cycles.
    pub wake: u64,
    /// The least that a barrier takes, in cycles.
    pub barrier: u64,
}

/// A chip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Device {
    /// The chip whose constants hold where nothing else is said.
    pub like: &'static str,
    /// Routers of a column.
    #[serde(skip)]
    pub rows: u32,
    /// What stands at each router, column by column.
    #[serde(skip)]
    pub tiles: Vec<Tile>,
    /// Its constants.
    #[serde(flatten)]
    pub constants: Constants,
}

/// Kinds of messages with virtual channels of their own: requests, replies, multicasts.
pub(crate) const KINDS: u8 = 3;

impl Device {
    /// The kinds of messages in the order of their virtual channels.
    fn kinds(&self) -> [VcCosts; KINDS as usize] {
        [self.constants.request, self.constants.reply, self.constants.multicast]
    }

    /// Virtual channels of a link.
    pub fn virtual_channels(&self) -> u16 {
        u16::from(BITS) * self.kinds().iter().map(|kind| kind.buddies).sum::<u16>()
    }

    /// What its routers are like.
    pub fn routers(&self) -> RouterCosts {
        let Constants { hop, inject, eject, .. } = self.constants;
        RouterCosts {
            timing: Timing { hop, inject, eject, ..Timing::ideal(0) },
            buffer: Buffer::Flits(self.kinds().iter().map(|kind| kind.buffer).fold(self.entry(), u32::max).into()),
            atomic: false,
            speculative: false,
            injection_ports: 2,
            ejection_ports: 1,
            full_crossbar: true,
            ..RouterCosts::default()
        }
    }

    /// Flits of the buffer behind an injection channel: as many as let flits follow each other without a pause.
    fn entry(&self) -> u32 {
        narrow(self.constants.inject + 1, "times of a device are small")
    }

    /// What its ends ask of so many networks.
    pub fn interfaces(&self, networks: usize) -> Interfaces {
        let mut classes = Vec::new();
        let mut first = 0;
        for VcCosts { buddies, buffer } in self.kinds() {
            for _ in 0..BITS {
                classes.push(VcClass { vcs: first..=first + buddies - 1, buffer });
                first += buddies;
            }
        }
        let rate = |tile: &Tile| self.of(*tile).rate;
        let rates = (0..networks).flat_map(|_| self.tiles.iter().map(rate)).collect();
        Interfaces { classes, entry: self.entry(), rates }
    }

    /// What the end of `tile` is like; one without an end is never asked for anything.
    fn of(&self, tile: Tile) -> EndCosts {
        if tile == Tile::Dram { self.constants.dram } else { self.constants.worker }
    }

    /// The ends of so many networks, by node.
    pub fn ends(&self, networks: usize) -> Vec<End> {
        let end = |tile: &Tile| {
            let EndCosts { memory, requests, .. } = self.of(*tile);
            let bytes_per_tick = if *tile == Tile::Dram { self.constants.dram_bytes_per_cycle } else { 0 };
            End { memory, limit: requests, bytes_per_tick, interface: self.constants.inject }
        };
        (0..networks).flat_map(|_| self.tiles.iter().map(end)).collect()
    }

    /// What processors take.
    pub fn overheads(&self) -> Overheads {
        let Constants { issue, wake, barrier, .. } = self.constants;
        Overheads { issue, wake, barrier }
    }

    /// Flits that carry `bytes` bytes, the head flit aside.
    pub fn payload(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.constants.flit_bytes)
    }

    /// How many cycles after the first flit of a reply its last one leaves the end of `node`, if nothing keeps it, and that has
    /// saved up for a flit and a part before.
    pub fn sending(&self, node: NodeId, flits: u64) -> u64 {
        let tile = self.tiles[node.index() % self.tiles.len()];
        let rate = u64::from(self.of(tile).rate);
        let saved = if rate < 1000 { rate } else { 0 };
        ((flits - 1) * 1000).saturating_sub(saved).div_ceil(rate)
    }

    /// Bytes a cycle that the end of `node` sends at most where it replies.
    pub fn reply_rate(&self, node: NodeId) -> f64 {
        let tile = self.tiles[node.index() % self.tiles.len()];
        self.link_rate() * f64::from(self.of(tile).rate) / 1000.0
    }

    /// Bytes a cycle that cross a link at most, and that the processors of a core send.
    pub fn link_rate(&self) -> f64 {
        self.constants.flit_bytes as f64
    }

    /// A bound on the cycles for which a transfer of so many flits, there and back, keeps its ends and channels busy, but for the
    /// way of its head flits: what processors and memories take, and for each flit that ends are slow and that its slot is only
    /// free again when the credit has come back.
    pub fn busy(&self, flits: u64) -> u128 {
        let Constants { worker, dram, flit_bytes, dram_bytes_per_cycle, issue, wake, barrier, .. } = self.constants;
        let slowest = u128::from(worker.rate.min(dram.rate).max(1));
        let credits = u128::from(self.routers().timing.longest_credit_loop());
        let apart = u128::from(flit_bytes.div_ceil(dram_bytes_per_cycle.max(1)));
        let each = 1000_u128.div_ceil(slowest) + credits + apart;
        let once = [issue, wake, barrier, worker.memory, dram.memory].map(u128::from).iter().sum::<u128>();
        once + u128::from(flits) * each
    }

    /// What a message of so many flits, its head flit included, takes over `hops` links of an empty network.
    pub fn unloaded(&self, hops: usize, flits: u64) -> Ticks {
        let Constants { hop, inject, eject, .. } = self.constants;
        Ticks(inject + eject + hop * hops as u64 + flits - 1)
    }
}
