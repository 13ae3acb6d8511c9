//! A second, slow simulation of a chip with two wormhole-routed one-way tori, on which processors read from other tiles. It
//! goes from cycle to cycle and looks at everything in each. It shares nothing with the engine, not even what a torus is.
//!
//! ```text
//!   device    tiles, constants, ways
//!   network   one of the two networks, with its routers and ends
//!   npe       a trace as the chip's makers write it
//! ```
//!
//! A cycle goes in this order: what has come arrives, processors issue and barriers end; ends send; routers grant virtual
//! channels; each output channel moves a flit. What starts in a cycle comes in a later one, and a place that a flit leaves is
//! free from the next cycle on.

mod device;
mod network;
mod npe;

pub use device::{Device, Memory, Step, Tile};
pub use npe::npe;

use network::{Network, Packet};

/// What a processor does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Asks for so many bytes of a tile.
    Read {
        /// Which.
        from: Tile,
        /// How many, at least 1.
        bytes: u64,
    },
    /// Waits until all its reads are back.
    Barrier {
        /// When it went on in the trace.
        end: u64,
    },
}

/// An action in a trace, when it begins and on which network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, in cycles.
    pub at: u64,
    /// 0 or 1.
    pub network: usize,
    /// What it does.
    pub action: Action,
}

/// A processor of a trace, with its events in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Where it is.
    pub tile: Tile,
    /// Which of those of its tile it is: `BRISC` or `NCRISC`.
    pub name: &'static str,
    /// What it does, in order, with a barrier at the end.
    pub events: Vec<Event>,
}

impl Processor {
    /// Its reads in order.
    pub fn reads(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(|event| matches!(event.action, Action::Read { .. }))
    }
}

/// When processors act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issue {
    /// As long after the action before as in the trace.
    React,
    /// At the times of the trace, or when the last barrier ends if that is later.
    Replay,
}

/// The times of a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadTimes {
    /// When its processor issued it.
    pub issued: u64,
    /// When its last request came to the end.
    pub requested: u64,
    /// When its first reply started.
    pub answered: u64,
    /// When its last reply had come.
    pub done: u64,
    /// Links on the way of a request and of its reply.
    pub hops: usize,
}

/// When a barrier began and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierTimes {
    /// When its processor began to wait.
    pub start: u64,
    /// When it went on.
    pub end: u64,
}

/// What a run did.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// In the order of the trace.
    pub reads: Vec<ReadTimes>,
    /// Of each processor.
    pub barriers: Vec<Vec<BarrierTimes>>,
}

impl Outcome {
    /// The last end of a barrier; 0 if there are none.
    pub fn length(&self) -> u64 {
        self.barriers.iter().flatten().map(|barrier| barrier.end).max().unwrap_or_default()
    }
}

/// Nothing moves any more, and packets are under way.
#[derive(Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The cycle in which a processor acted or a flit moved last.
    pub at: u64,
    /// Packets that have not arrived.
    pub packets: usize,
}

/// A barrier that has not ended.
#[derive(Clone, Copy)]
struct Waits {
    since: u64,
    /// Its end in the trace.
    traced: u64,
}

/// What a processor is about.
struct State<'a> {
    processor: &'a Processor,
    /// The number of its next read, of all reads of the trace.
    next_read: usize,
    next_event: usize,
    /// The end of its last action in the trace and in this run.
    traced: u64,
    simulated: u64,
    /// The barrier in which it is.
    waits: Option<Waits>,
    last_reply: Option<u64>,
    /// Replies that have not come.
    outstanding: usize,
    barriers: Vec<BarrierTimes>,
}

impl<'a> State<'a> {
    fn new(processor: &'a Processor, next_read: usize) -> Self {
        Self {
            processor,
            next_read,
            next_event: 0,
            traced: 0,
            simulated: 0,
            waits: None,
            last_reply: None,
            outstanding: 0,
            barriers: Vec::new(),
        }
    }

    fn is_done(&self) -> bool {
        self.waits.is_none() && self.next_event == self.processor.events.len()
    }

    /// Whether it does nothing more, or nothing before a reply comes.
    fn is_idle(&self) -> bool {
        self.is_done() || self.waits.is_some() && self.outstanding > 0
    }

    /// Ends the barrier in which it is, if there is one that ends by `now`; whether it may go on.
    fn leaves_barrier(&mut self, device: &Device, now: u64) -> bool {
        let Some(Waits { since: start, traced }) = self.waits else { return true };
        let least = start + device.barrier;
        let end = self.last_reply.map_or(least, |last| least.max(last + device.after_last));
        if self.outstanding > 0 || now < end {
            return false;
        }
        assert_eq!(end, now, "barriers end in their cycle");
        self.waits = None;
        self.traced = traced;
        self.simulated = end;
        self.barriers.push(BarrierTimes { start, end });
        true
    }

    /// The next event, if it is time for it.
    fn next(&mut self, issue: Issue, now: u64) -> Option<&'a Event> {
        let event = self.processor.events.get(self.next_event)?;
        let at = match issue {
            Issue::React => self.simulated + (event.at - self.traced),
            Issue::Replay => event.at.max(self.simulated),
        };
        if now < at {
            return None;
        }
        assert_eq!(at, now, "events happen in their cycle");
        self.next_event += 1;
        self.traced = event.at;
        self.simulated = at;
        Some(event)
    }
}

struct Chip<'a> {
    device: &'a Device,
    issue: Issue,
    networks: [Network<'a>; 2],
    states: Vec<State<'a>>,
    /// The processor of each read.
    readers: Vec<usize>,
    reads: Vec<ReadTimes>,
    packets: Vec<Packet>,
    /// Packets that have not arrived.
    under_way: usize,
    now: u64,
    stirred_last: u64,
}

/// Runs the trace of `processors` on `device` until every reply has come.
///
/// # Errors
/// If nothing moves any more before.
pub fn simulate(device: &Device, issue: Issue, processors: &[Processor]) -> Result<Outcome, Deadlock> {
    let mut chip = Chip::new(device, issue, processors);
    while !chip.is_done() {
        chip.cycle();
        chip.now += 1;
        if chip.now > chip.stirred_last + device.patience() && chip.states.iter().all(State::is_idle) {
            return Err(Deadlock { at: chip.stirred_last, packets: chip.under_way });
        }
    }
    Ok(chip.outcome())
}

impl<'a> Chip<'a> {
    fn new(device: &'a Device, issue: Issue, processors: &'a [Processor]) -> Self {
        let mut states = Vec::new();
        let mut readers = Vec::new();
        for (number, processor) in processors.iter().enumerate() {
            states.push(State::new(processor, readers.len()));
            readers.extend(processor.reads().map(|_| number));
        }
        Self {
            device,
            issue,
            networks: [Network::new(device, 0), Network::new(device, 1)],
            states,
            reads: vec![ReadTimes::default(); readers.len()],
            readers,
            packets: Vec::new(),
            under_way: 0,
            now: 0,
            stirred_last: 0,
        }
    }

    fn is_done(&self) -> bool {
        self.under_way == 0 && self.states.iter().all(State::is_done)
    }

    fn cycle(&mut self) {
        self.arrive();
        for number in 0..self.states.len() {
            while self.states[number].leaves_barrier(self.device, self.now) {
                let Some(event) = self.states[number].next(self.issue, self.now) else { break };
                self.act(number, event);
            }
        }
        for network in &mut self.networks {
            let sent = network.send(self.now, &mut self.packets);
            network.grant(&self.packets);
            let moved = network.forward(self.now, &self.packets);
            if sent + moved > 0 {
                self.stirred_last = self.now;
            }
        }
    }

    fn arrive(&mut self) {
        for network in &mut self.networks {
            for arrived in network.arrive(self.now, &mut self.packets) {
                self.under_way -= 1;
                let packet = &self.packets[arrived];
                if packet.is_reply {
                    let state = &mut self.states[self.readers[packet.read]];
                    state.outstanding -= 1;
                    state.last_reply = Some(self.now);
                }
            }
        }
    }

    fn act(&mut self, number: usize, event: &Event) {
        self.stirred_last = self.now;
        match event.action {
            Action::Barrier { end } => self.states[number].waits = Some(Waits { since: self.now, traced: end }),
            Action::Read { from, bytes } => self.read(number, event.network, from, bytes),
        }
    }

    /// Queues a request for each packet of a read.
    fn read(&mut self, number: usize, network: usize, from: Tile, bytes: u64) {
        let state = &mut self.states[number];
        let read = state.next_read;
        let reader = state.processor.tile;
        state.next_read += 1;
        let there = self.device.way(network, reader, from);
        let back = self.device.way(network, from, reader);
        self.reads[read].issued = self.now;
        // the last step of a way is ejection
        self.reads[read].hops = there.len() + back.len() - 2;
        for bytes in self.device.packets(bytes) {
            let payload = bytes.div_ceil(self.device.flit_bytes);
            let packet = |is_reply, flits, steps: &[_]| {
                let steps = steps.to_vec();
                Packet { read, is_reply, bytes, flits, steps, sent: None, arrived: None }
            };
            self.networks[network].queue(self.now + self.device.issue, self.packets.len(), reader);
            self.packets.push(packet(false, 1, &there));
            self.packets.push(packet(true, 1 + payload, &back));
            self.under_way += 2;
            state.outstanding += 1;
        }
    }

    fn outcome(self) -> Outcome {
        let mut reads = self.reads;
        for packet in &self.packets {
            let times = &mut reads[packet.read];
            // where all is done, all have been sent and have arrived
            let (Some(sent), Some(arrived)) = (packet.sent, packet.arrived) else { continue };
            if !packet.is_reply {
                times.requested = times.requested.max(arrived);
                continue;
            }
            // a request may overtake another on a second virtual channel; no reply arrives in cycle 0
            times.answered = if times.done == 0 { sent } else { times.answered.min(sent) };
            times.done = times.done.max(arrived);
        }
        Outcome { reads, barriers: self.states.into_iter().map(|state| state.barriers).collect() }
    }
}
