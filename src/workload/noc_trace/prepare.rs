//! A trace on a chip: what its processors do, step by step, and which transfers that makes.
//!
//! A read or write that is longer than a packet is several transfers, which are issued together. Tiles may be put elsewhere and
//! reads sent over another network than was recorded; who did what, and when, stays.

use super::event::{Event, Processor, Tile as Place, Trace, What};
use crate::engine::program::noc::{Act, Awaited, Step, Transfer};
use crate::machine::device::{Device, Tile};
use crate::units::{NodeId, narrow};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// Which network each transfer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Networks {
    /// The one that was recorded.
    AsRecorded,
    /// Always network 0.
    #[serde(rename = "0")]
    First,
    /// Always network 1.
    #[serde(rename = "1")]
    Second,
    /// The one that was not recorded.
    Swapped,
    /// The one on which data have the shorter way; of two as short the one that was recorded.
    Nearer,
}

/// Where what stood at a place is put.
pub(super) type Map = BTreeMap<Place, Place>;

/// How a trace is run.
pub(super) struct Setting<'a> {
    pub(super) device: &'a Device,
    /// Routers along each dimension.
    pub(super) shape: [u16; 2],
    pub(super) map: &'a Map,
    pub(super) networks: Networks,
    /// Links from one node to another of the same network.
    pub(super) hops: &'a dyn Fn(NodeId, NodeId) -> usize,
}

/// What a transfer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Data that come.
    Read,
    /// Data that go.
    Write,
    /// The same data to several.
    Multicast,
    /// A semaphore elsewhere is incremented.
    Increment,
}

impl Purpose {
    /// What one of its messages is called, and how the core stands to it.
    pub(super) fn in_words(self, is_back: bool) -> (&'static str, &'static str) {
        match (self, is_back) {
            (Self::Read, false) => ("request", "of"),
            (Self::Read, true) => ("reply", "to"),
            (Self::Write, false) => ("write", "of"),
            (Self::Multicast, false) => ("multicast", "of"),
            (Self::Increment, false) => ("increment", "of"),
            (_, true) => ("acknowledgement", "to"),
        }
    }
}

/// An access of a processor to another place, in one transfer or several.
#[derive(Clone, Debug)]
pub struct Access {
    /// What for.
    pub purpose: Purpose,
    /// Which processor.
    pub processor: u32,
    /// Which of its accesses with this purpose, from 0.
    pub index: u32,
    /// Where its core was when it was recorded.
    pub core: Place,
    /// The other place when it was recorded; of a multicast the first corner.
    pub other: Place,
    /// The network that it takes.
    pub network: u8,
    /// How long the data are.
    pub bytes: u64,
    /// When it was issued, in cycles of the trace.
    pub recorded: u64,
    /// Its transfers.
    pub transfers: Range<u32>,
}

/// A barrier of a processor, as it was recorded.
#[derive(Clone, Copy, Debug)]
pub struct Barrier {
    /// Which processor.
    pub processor: u32,
    /// Which of its barriers of this kind, from 0; and of all barriers that it passes.
    pub index: u32,
    /// Which of all that it waits at, flushes among them.
    pub passed: u32,
    /// The network that it asked.
    pub network: u8,
    /// Whether it waits for reads.
    pub of_reads: bool,
    /// Accesses that it waits for which the one before did not; and the last of them.
    pub accesses: u32,
    /// The last of these, by number of all accesses.
    pub last: Option<u32>,
    /// When it ended.
    pub recorded_end: u64,
}

/// A processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    /// Where its core was when it was recorded.
    pub core: Place,
    /// Which of the processors of its core it is.
    pub name: &'static str,
}

/// A trace, ready to run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The processors.
    pub processors: Vec<Who>,
    /// Per processor its steps.
    pub steps: Vec<Vec<Step>>,
    /// Everything that crosses a network.
    pub transfers: Vec<Transfer>,
    /// Where messages of transfers go.
    pub ends: Vec<NodeId>,
    /// What transfers are for.
    pub accesses: Vec<Access>,
    /// The barriers.
    pub barriers: Vec<Barrier>,
    /// When the last event was, in cycles.
    pub length: u64,
}

/// What cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoEnd {
    /// The place where it was recorded, and where it is put.
    pub(super) recorded: Place,
    pub(super) put: Place,
}

impl Prepared {
    /// `trace` as `setting` says.
    ///
    /// # Errors
    /// If processors are, or reads go, where only a router stands.
    pub(super) fn new(trace: &Trace, setting: &Setting<'_>) -> Result<Self, Vec<NoEnd>> {
        let mut builder = Builder { setting, wrong: Vec::new(), prepared: Self::empty(trace) };
        for (processor, number) in trace.processors.iter().zip(0..) {
            let steps = builder.steps(processor, number);
            builder.prepared.steps.push(steps);
        }
        if builder.wrong.is_empty() { Ok(builder.prepared) } else { Err(builder.wrong) }
    }

    fn empty(trace: &Trace) -> Self {
        Self {
            processors: trace.processors.iter().map(|&Processor { core, name, .. }| Who { core, name }).collect(),
            steps: Vec::new(),
            transfers: Vec::new(),
            ends: Vec::new(),
            accesses: Vec::new(),
            barriers: Vec::new(),
            length: trace.length,
        }
    }

    /// How many messages all transfers are.
    pub fn messages(&self) -> usize {
        self.transfers.iter().map(|transfer| 2 * transfer.ends.len()).sum()
    }

    /// The reads, with the number that each has among all accesses.
    pub fn reads(&self) -> impl Iterator<Item = (usize, &Access)> {
        self.accesses.iter().enumerate().filter(|(_, access)| access.purpose == Purpose::Read)
    }
}

struct Builder<'a> {
    setting: &'a Setting<'a>,
    wrong: Vec<NoEnd>,
    prepared: Prepared,
}

/// What is counted of a processor while its steps are made.
#[derive(Default)]
struct Counts {
    /// Which processor.
    processor: u32,
    reads: u32,
    writes: u32,
    multicasts: u32,
    increments: u32,
    read_barriers: u32,
    write_barriers: u32,
    passed: u32,
    /// Reads, and others, since the last barrier for them, and the last of each.
    since: [u32; 2],
    last: [Option<u32>; 2],
    /// When the barrier began that it is in.
    began: u64,
}

impl Counts {
    fn of(&mut self, purpose: Purpose) -> &mut u32 {
        match purpose {
            Purpose::Read => &mut self.reads,
            Purpose::Write => &mut self.writes,
            Purpose::Multicast => &mut self.multicasts,
            Purpose::Increment => &mut self.increments,
        }
    }
}

impl Builder<'_> {
    fn steps(&mut self, processor: &Processor, number: u32) -> Vec<Step> {
        let mut counts = Counts { processor: number, ..Counts::default() };
        let mut steps = Vec::with_capacity(processor.events.len());
        for event in &processor.events {
            let at = event.time;
            let act = match event.what {
                What::Begin | What::SemaphoreSet | What::SemaphoreWait => Act::Pass,
                What::Read { from, bytes } => {
                    self.access(event, &mut counts, Asked { purpose: Purpose::Read, other: from, bytes })
                }
                What::Write { to, bytes } => {
                    self.access(event, &mut counts, Asked { purpose: Purpose::Write, other: to, bytes })
                }
                What::Multicast { first, last, bytes } => {
                    self.multicast(event, &mut counts, Rectangle { first, last }, bytes)
                }
                What::SemaphoreIncrement { to } => {
                    self.access(event, &mut counts, Asked { purpose: Purpose::Increment, other: to, bytes: 0 })
                }
                What::ReadBarrierStart | What::WriteBarrierStart => {
                    counts.began = at;
                    continue;
                }
                What::WriteFlush => {
                    counts.passed += 1;
                    Act::Barrier { awaited: Awaited::Sent, until: at }
                }
                What::ReadBarrierEnd | What::WriteBarrierEnd => {
                    let act = self.barrier(event, &mut counts);
                    steps.push(Step { at: counts.began, act });
                    continue;
                }
            };
            steps.push(Step { at, act });
        }
        steps
    }

    fn barrier(&mut self, event: &Event, counts: &mut Counts) -> Act {
        let processor = counts.processor;
        let of_reads = event.what == What::ReadBarrierEnd;
        let which = usize::from(!of_reads);
        let index = if of_reads { &mut counts.read_barriers } else { &mut counts.write_barriers };
        self.prepared.barriers.push(Barrier {
            processor,
            index: *index,
            passed: counts.passed,
            network: event.network,
            of_reads,
            accesses: std::mem::take(&mut counts.since[which]),
            last: counts.last[which],
            recorded_end: event.time,
        });
        *index += 1;
        counts.passed += 1;
        let awaited = if of_reads { Awaited::Reads } else { Awaited::Writes };
        Act::Barrier { awaited, until: event.time }
    }

    /// Where what stood at `place` is put, if there is an end; else that is noted.
    fn put(&mut self, place: Place) -> Place {
        let put = self.setting.map.get(&place).copied().unwrap_or(place);
        let has_end = self.tile(put).is_some_and(|tile| tile != Tile::Router);
        let wrong = NoEnd { recorded: place, put };
        if !has_end && !self.wrong.contains(&wrong) {
            self.wrong.push(wrong);
        }
        put
    }

    /// What stands at `place`; nothing beyond the chip.
    fn tile(&self, place: Place) -> Option<Tile> {
        let tile = usize::from(place.x) * usize::from(self.setting.shape[1]) + usize::from(place.y);
        self.setting.device.tiles.get(tile).copied()
    }

    /// The end of network `network` at `place`.
    fn node(&self, place: Place, network: u8) -> NodeId {
        let [width, height] = self.setting.shape.map(usize::from);
        let tile = usize::from(place.x) * height + usize::from(place.y);
        NodeId::new(usize::from(network) * width * height + tile)
    }

    /// The network that data take which go from `from` to `to`.
    fn network(&self, recorded: u8, from: Place, to: Place) -> u8 {
        match self.setting.networks {
            Networks::AsRecorded => recorded,
            Networks::First => 0,
            Networks::Second => 1,
            Networks::Swapped => 1 - recorded,
            Networks::Nearer => {
                let hops = |network| (self.setting.hops)(self.node(from, network), self.node(to, network));
                if hops(1 - recorded) < hops(recorded) { 1 - recorded } else { recorded }
            }
        }
    }

    /// An access for one end.
    fn access(&mut self, event: &Event, counts: &mut Counts, asked: Asked) -> Act {
        let Asked { purpose, other, .. } = asked;
        let core = self.put(event.core);
        let end = self.put(other);
        let network = match purpose {
            Purpose::Read => self.network(event.network, end, core),
            _ => self.network(event.network, core, end),
        };
        let first = self.ends();
        self.prepared.ends.push(self.node(end, network));
        self.note(event, counts, &Going { asked, core, network, ends: first..self.ends() })
    }

    /// A worm to all cores of a rectangle but the one that sends it; nothing if there are none.
    fn multicast(&mut self, event: &Event, counts: &mut Counts, to: Rectangle, bytes: u64) -> Act {
        let core = self.put(event.core);
        // one worm goes to all, and which way is nearer differs from one to the other
        let network = match self.setting.networks {
            Networks::Nearer => event.network,
            _ => self.network(event.network, core, core),
        };
        let first = self.ends();
        for place in to.places().filter(|&place| place != core) {
            if self.tile(place) == Some(Tile::Worker) {
                self.prepared.ends.push(self.node(place, network));
            }
        }
        let ends = first..self.ends();
        if ends.is_empty() {
            return Act::Pass;
        }
        let asked = Asked { purpose: Purpose::Multicast, other: to.first, bytes };
        self.note(event, counts, &Going { asked, core, network, ends })
    }

    /// How many ends have been named.
    fn ends(&self) -> u32 {
        narrow(self.prepared.ends.len(), "the endpoints that fit into memory are fewer than 2^32")
    }

    /// Notes an access, and what crosses the network for it.
    fn note(&mut self, event: &Event, counts: &mut Counts, going: &Going) -> Act {
        let Asked { purpose, other, bytes } = going.asked;
        let number = narrow(self.prepared.accesses.len(), "accesses are fewer than ends");
        let transfers = self.transfers(going);
        let processor = counts.processor;
        let index = counts.of(purpose);
        self.prepared.accesses.push(Access {
            purpose,
            processor,
            index: *index,
            core: event.core,
            other,
            network: going.network,
            bytes,
            recorded: event.time,
            transfers: transfers.clone(),
        });
        *index += 1;
        let which = usize::from(purpose != Purpose::Read);
        counts.since[which] += 1;
        counts.last[which] = Some(number);
        Act::Issue(transfers)
    }

    /// The transfers of an access: one for each packet.
    fn transfers(&mut self, going: &Going) -> Range<u32> {
        let device = self.setting.device;
        let constants = &device.constants;
        let longest = constants.packet_flits * constants.flit_bytes;
        let first = self.prepared.transfers.len();
        let Asked { purpose, bytes: mut left, .. } = going.asked;
        let core = self.node(going.core, going.network);
        let reads = purpose == Purpose::Read;
        loop {
            let bytes = left.min(longest);
            let payload = device.payload(bytes);
            let with_data = 1 + payload;
            self.prepared.transfers.push(Transfer {
                core,
                ends: going.ends.clone(),
                there: if reads { 1 } else { with_data },
                back: if reads { with_data } else { 1 },
                bytes,
                reads,
                is_multicast: purpose == Purpose::Multicast,
            });
            left -= bytes;
            if left == 0 {
                break;
            }
        }
        let end = narrow(self.prepared.transfers.len(), "transfers are numbered with 32 bits");
        narrow::<u32, _>(first, "transfers are numbered with 32 bits")..end
    }
}

/// A rectangle of places.
#[derive(Clone, Copy)]
struct Rectangle {
    first: Place,
    last: Place,
}

impl Rectangle {
    fn places(self) -> impl Iterator<Item = Place> {
        let rows = self.first.y..=self.last.y;
        (self.first.x..=self.last.x).flat_map(move |x| rows.clone().map(move |y| Place { x, y }))
    }
}

/// What a processor asks for.
#[derive(Clone, Copy)]
struct Asked {
    purpose: Purpose,
    /// The other place; of a multicast the first corner.
    other: Place,
    bytes: u64,
}

/// What goes over the network for an access.
struct Going {
    asked: Asked,
    /// Where the core is put.
    core: Place,
    network: u8,
    ends: Range<u32>,
}
