//! Virtual-channel routers, cycle by cycle, on any network.
//!
//! This engine runs what [`Traffic`] offers, node by node, through routers with input buffers, virtual channels (`vc` in
//! names), credits and round-robin allocation. Open-loop traffic is one [`Traffic`]; every [`Program`](super::Program) of
//! the wormhole engines is another ([`run_program`]), with what its nodes cost. Packets find their way under a
//! [`Routing`](crate::routing::Routing): of a lattice or of any network of links, or on a path that is told when they are sent.
//! The engine knows nothing of patterns, schedules and statistics. Unlike the wormhole engines it is driven by cycles, but
//! only routers with something to do are looked at, and cycles in which nothing can happen are left out.
//!
//! # The router
//!
//! Every router has an output port for each link that leaves and an input port for each that arrives
//! ([`Wiring`](crate::routing::Wiring)), and for each of its nodes an input port for each injection channel and an output port
//! for each ejection channel; every input port has a buffer of `buffer` flits for each virtual channel.
//! A packet leaves by an ejection channel that fewest others leave by.
//! In a cycle
//!
//! 1. flits and credits arrive; sources send at most a flit each, given a credit, and every packet by the next virtual
//!    channel with room after that of the packet before (the first packet by virtual channel 1, if there are several);
//! 2. head flits in front of a buffer request an output virtual channel: each one that is free, round robin (where routing
//!    is adaptive, the one with most credits, off lattices of a link that fewest packets share, and the escape only if nothing
//!    else is free); each output virtual channel grants one of those requests, round robin;
//! 3. every input port with flits that have a virtual channel and a credit requests the switch on behalf of one of its
//!    virtual channels, round robin over the outputs they want, and of one output over the virtual channels; head flits
//!    that request a virtual channel in this cycle request the switch too (*speculation*), for every output with a
//!    virtual channel that is free to them and has a credit, but come after all others; each output grants one input,
//!    round robin; a head flit that wins without having been granted a virtual channel there with a credit has wasted it;
//! 4. winners send a flit. Their virtual channel is free for the next packet when it was the tail: that packet may
//!    enter a buffer that still holds the last one, unless buffers are `atomic`.
//!
//! Round robin begins with the first port and virtual channel; one that has been granted what it requested, wasted or
//! not, passes the turn on to the one after it. A head flit stands in front of its buffer from its arrival, or from the
//! cycle after that in which the tail before it has left.
//!
//! [`Timing`] says how long flits and credits take. Pipelined: one cycle each for allocation, the switch and a link, so
//! that a flit arrives three cycles after it was allocated and its slot can be used again five cycles after it was;
//! ideal: one cycle for everything. A link whose flits take `c` cycles, with a delay of `d`
//! ([`Pace`]), takes `c - 1 + d` more, keeps its output port for `c` cycles, and its credits take `d`
//! more.
//!
//! Source: the input-queued router of W. J. Dally and B. Towles, Principles and Practices of Interconnection Networks,
//! 2004, chapters 16 to 19, with separable input-first allocation of one iteration.
//!
//! # Allocators
//!
//! These are the rules of the default of both allocators, which is separable and input-first. Others of [`ALLOCATORS`] can take
//! its place ([`RouterCosts::vc_allocator`], [`RouterCosts::switch_allocator`]). Then a head flit requests all the virtual channels
//! that are equally good, and it bids for the switch even at an input port with other flits that can leave. Where several virtual
//! channels of an input port request the same output, the next one in turn represents them, ordinary requests before bids. An
//! allocator with priorities serves bids after all other requests; iSLIP has none.
//!
//! # First come, first served
//!
//! Ideal routers with atomic buffers follow the rules of the wormhole engines ([`crate::engine`]) with any number of virtual
//! channels and any routing ([`RouterCosts::first_come`]): a slot can be used again in the very cycle in which its flit
//! leaves; virtual channels are granted to the head flit that has waited longest, of several the one of the message with
//! the smallest number (of open-loop traffic, of the packet that was made first, at the smaller node), before the switch
//! is, and it takes the lowest that is free (where routing is adaptive, of those with most credits); injection and ejection
//! channels have one virtual channel. A cycle goes on, round by round, as long as a flit can move that has not moved in this
//! cycle. Where no two worms share a physical channel a run takes exactly as long as on those engines, to the tick.
//!
//! # Outputs that decide by themselves
//!
//! The routers of some chips have a way through the crossbar for every virtual channel of every input port
//! ([`RouterCosts::full_crossbar`]), so that no output has to wait for what another one does. Each output port then
//!
//! 1. grants its virtual channels to head flits that request them, round robin over the input virtual channels, as many in
//!    a cycle as there are free ones, to each the lowest that it may take; head flits that are refused wait where they are;
//! 2. sends one flit, round robin over the input virtual channels that have been granted one of its own, have a flit and a
//!    credit. A head flit may be granted a virtual channel and leave in the same cycle.
//!
//! Nothing else happens between the arrival of a flit and its start, so that [`Timing`] says what wires and registers take.
//! [`Interfaces`] says what else such chips have: virtual channels that are shared out unevenly, injection channels for
//! different kinds of packets, and ends that send more slowly than a link or take in a packet only when they are ready for it.
//!
//! # Parts
//!
//! - `engine`: the parts and the loop, with a guide to them in `cycle.md`; `config`: parameters that hold for a whole run.
//! - `stage`: one file for each stage of a cycle. `build`: the choice of parts.
//! - `discipline`: the order in which requests are served: in turn, first come, or by outputs that decide by themselves.
//! - `state`: the state of routers; `vcset`, `relation`, `layout`: the vocabulary in which stages are written.
//! - `routing`, `allocator`, `flow`: traits with an implementation per file; `ports`: ports as allocators see them.
//! - `packets`, `source`, `delay`, `active`: packets, injection channels, and events of later cycles.
//! - `watchdog`: packets that will never arrive.
//! - `strips`: one run on several threads.
//! - `traffic`: nodes as the engine sees them, and its events; `nodes`, `stepping`: the nodes of a program, and its run.
//! - `hosts`, `held_slots`, `side_by_side`: live runs: injection queues, messages that are held at nodes, several networks.
//!
//! # What it costs
//!
//! Time in proportion to the flits that move and head flits that try. Where ports have one virtual channel, no other
//! packet can come between the flits of a packet, and all that are there and have a credit leave as one *run*: what
//! others see of it, a flit a cycle, is told to them when it begins, which is exact because nothing can stop it. Where ports
//! have several, flits move one by one, but by sets of virtual channels, a word of 64 bits at a time: bids are compared only
//! among flits that share a port with another that could leave, too.
//! Buffers hold counts, not flits: memory does not depend on the length of packets, and packets that wait at their
//! source are not there at all until it is their turn.

mod active;
mod allocator;
mod blocks;
mod build;
mod candidates;
mod channel_timing;
mod channels;
mod combining;
mod config;
mod delay;
mod discipline;
mod engine;
mod flow;
mod forward;
mod held_slots;
mod holders;
mod hosts;
mod interfaces;
mod layout;
mod matrix;
mod microarchitecture;
mod names;
mod networks;
mod nodes;
mod outcome;
mod packets;
mod ports;
mod relation;
mod routing;
mod setup;
mod side_by_side;
mod size;
mod source;
mod stage;
mod staged;
mod state;
mod stepping;
mod strips;
mod traffic;
mod trees;
mod vcset;
mod waiting;
mod watchdog;
mod worms;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot continue")]
mod tests;

pub use allocator::{
    ALLOCATORS, ARBITERS, AllocatorChoice, AllocatorKind, ArbiterChoice, ArbiterRule, Parameters, REPEATING, SEPARABLE,
};
pub use build::{run, run_any, run_classes};
pub use channel_timing::{ChannelCycles, ChannelTiming};
pub use combining::Combining;
pub use hosts::LiveNetwork;
pub use interfaces::{Interfaces, Member, VcClass};
pub use microarchitecture::{
    AdaptiveChoice, BidChecks, BidMask, Bids, BufferPolicy, Connection, Crossbar, Microarchitecture, Priority,
    PriorityRule, SharedBuffer, StageCycles, StageEntry, Switching, VcGrant, VcRequests,
};
pub use names::{channel_count, channel_name, channel_place, node_channel_name, origin};
pub use networks::ClassTraffic;
pub use nodes::{Nodes, program_memory};
pub use outcome::{Delivery, Ended};
pub use setup::Setup;
pub use size::{MOST_ROUTER_VCS, Size, memory};
pub use stage::MOST_CROSSED;
pub use stepping::{LiveRouters, run_program, run_program_in_strips, start_hosts, start_live, start_program};
pub use strips::{Divisible, Ending, needs_one_thread, run_any_in_strips, run_in_strips};
pub use trees::TreePacket;

use crate::costs::{Buffer, Timing};
use crate::routing::Pace;
use crate::topology::{Channels, Hop};
use serde::Serialize;

/// What routers are like.
///
/// ```
/// use flitwise::costs::{Buffer, Timing};
/// use flitwise::engine::router::RouterCosts;
/// let routers = RouterCosts { buffer: Buffer::Flits(4), ..RouterCosts::default() };
/// assert_eq!(routers.timing, Timing::pipelined(1, 0));
/// assert!(!routers.first_come());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RouterCosts {
    /// How long things take.
    pub timing: Timing,
    /// Flits that the buffer of a virtual channel holds, at most [`MOST_BUFFER`].
    pub buffer: Buffer,
    /// Whether a virtual channel is free for the next packet only when its buffer is empty.
    pub atomic: bool,
    /// Whether head flits request the switch in the cycle in which they request a virtual channel.
    pub speculative: bool,
    /// The allocator of output virtual channels. First come, first served, and with outputs that decide by themselves, none is read.
    #[serde(skip_serializing_if = "AllocatorChoice::is_default")]
    pub vc_allocator: AllocatorChoice,
    /// The allocator of the switch.
    #[serde(skip_serializing_if = "AllocatorChoice::is_default")]
    pub switch_allocator: AllocatorChoice,
    /// Injection channels of a node, at least 1.
    #[serde(skip_serializing_if = "is_one")]
    pub injection_ports: u32,
    /// Ejection channels of a node, at least 1.
    #[serde(skip_serializing_if = "is_one")]
    pub ejection_ports: u32,
    /// Whether every virtual channel of an input port has its own way through the crossbar: outputs decide by themselves.
    #[serde(skip_serializing_if = "is_not")]
    pub full_crossbar: bool,
    /// The size of the buffers behind injection and ejection channels.
    #[serde(skip_serializing_if = "NodeBuffers::is_default")]
    pub node_buffers: NodeBuffers,
    /// The time that routers take to combine packets.
    #[serde(skip_serializing_if = "Combining::is_default")]
    pub combining: Combining,
    /// All else that pipelined routers can be like.
    #[serde(skip_serializing_if = "Microarchitecture::is_default")]
    pub microarchitecture: Microarchitecture,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks")]
fn is_not(said: &bool) -> bool {
    !said
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks")]
fn is_one(ports: &u32) -> bool {
    *ports == 1
}

/// Pipelined routers with buffers of eight flits, and one port for their node.
impl Default for RouterCosts {
    fn default() -> Self {
        let timing = Timing::pipelined(1, 0);
        Self {
            timing,
            buffer: Buffer::Flits(8),
            atomic: false,
            speculative: true,
            vc_allocator: AllocatorChoice::default(),
            switch_allocator: AllocatorChoice::default(),
            injection_ports: 1,
            ejection_ports: 1,
            full_crossbar: false,
            node_buffers: NodeBuffers::default(),
            combining: Combining::default(),
            microarchitecture: Microarchitecture::default(),
        }
    }
}

/// The size of the buffers behind injection and ejection channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeBuffers {
    /// That of the buffers behind links.
    #[default]
    AsLinks,
    /// The size that covers the round trip of a flit and its credit, so that nodes do not slow down links whose buffers do.
    RoundTrip,
}

impl NodeBuffers {
    /// The size of the buffers of nodes of `channels`. `covering` is true where the buffers behind links cover round trips by default;
    /// those of nodes then do, too, if a channel has a round trip.
    pub fn fitting(channels: &dyn Channels, covering: bool) -> Self {
        let has_round_trips = channels.own_costs().is_some_and(|costs| costs.has_round_trip());
        if covering && has_round_trips { Self::RoundTrip } else { Self::AsLinks }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde requires")]
    fn is_default(&self) -> bool {
        *self == Self::AsLinks
    }
}

/// Most flits of the buffer of a virtual channel.
pub const MOST_BUFFER: u32 = 1 << 15;

impl RouterCosts {
    /// Flits that the buffers of virtual channels hold behind a channel that takes `pace`.
    pub fn buffer_behind(&self, pace: Pace) -> u32 {
        let flits = match (pace.own_buffer, self.buffer) {
            (Some(flits), _) => flits.get().into(),
            (None, Buffer::RoundTrip) if pace.has_round_trip() => pace.covering_buffer(&self.timing),
            (None, buffer) => buffer.without_delay(),
        };
        in_range(flits)
    }

    /// Flits that the buffer of a virtual channel holds behind an injection channel that takes `pace`.
    pub fn buffer_at_entry(&self, pace: Pace) -> u32 {
        match (pace.own_buffer, self.node_buffers) {
            (None, NodeBuffers::RoundTrip) => in_range(self.timing.covering_entry(pace.flit.into(), pace.delay.into())),
            _ => self.buffer_behind(pace),
        }
    }

    /// Flits that a node holds for each virtual channel of an ejection channel that takes `pace`.
    pub fn buffer_at_exit(&self, pace: Pace) -> u32 {
        let pace = Pace { own_buffer: None, ..pace };
        if self.node_buffers == NodeBuffers::AsLinks {
            return self.buffer_behind(pace);
        }
        let Pace { flit, delay, .. } = pace;
        let requests = u64::from(self.microarchitecture.stages.switch) - 1;
        let cycles = self.timing.sink_credit_after(flit.into(), delay.into()) + requests;
        in_range(cycles.div_ceil(flit.into()))
    }

    /// The flits of the longest packet that fits into a buffer, if packets have to. Returns `None` if packets are spread over several
    /// buffers.
    pub(crate) fn longest_packet(&self, vcs: u16) -> Option<u32> {
        let Microarchitecture { switching, buffers, .. } = self.microarchitecture;
        let of_others = |reserved: u32| u32::from(vcs - 1).saturating_mul(reserved);
        let shared = buffers.shared().map(|buffer| buffer.slots.saturating_sub(of_others(buffer.reserved)));
        let limit = if let BufferPolicy::Limited(_, limit) = buffers { limit } else { u32::MAX };
        let longest = shared.unwrap_or(u32::MAX).min(limit).min(self.buffer_behind(Pace::EVEN));
        (switching != Switching::Wormhole).then_some(longest)
    }

    /// Returns true for routers without options: virtual channels and the switch are allocated input-first or without allocators, and
    /// the microarchitecture is the default.
    pub(crate) fn is_plain(&self) -> bool {
        let allocators = [self.vc_allocator, self.switch_allocator];
        let has_defaults = allocators.iter().all(AllocatorChoice::is_default) && self.microarchitecture.is_default();
        self.first_come() || has_defaults
    }

    /// The names of the parts of routers with allocators whose options are not the defaults.
    pub(crate) fn changed_parts(&self) -> Vec<&'static str> {
        if self.is_plain() {
            return Vec::new();
        }
        let allocators = [
            (!self.vc_allocator.is_default(), "the allocator of virtual channels"),
            (!self.switch_allocator.is_default(), "the allocator of the switch"),
        ];
        let changed = allocators.into_iter().filter_map(|(differs, part)| differs.then_some(part));
        changed.chain(self.microarchitecture.changed_parts()).collect()
    }

    /// Returns true if head flits with several directions choose by credits.
    pub(crate) fn prefers_credits(&self) -> bool {
        self.microarchitecture.vc_requests.adaptive == AdaptiveChoice::Credits
    }

    /// Whether the rules of the wormhole engines hold, which come with slots that can be used again at once.
    pub fn first_come(&self) -> bool {
        self.timing.credit == 0
    }
}

/// The flits of a buffer as routers count them.
fn in_range(flits: u64) -> u32 {
    u32::try_from(flits).unwrap_or(MOST_BUFFER).min(MOST_BUFFER)
}

/// A packet that a node wants to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its number: of a program's messages their own, of open-loop traffic that of its node.
    pub number: u32,
    /// The cycle in which it was made.
    pub created: u64,
    /// Where it goes.
    pub dst: u32,
    /// Its length, at least 1.
    pub flits: u32,
    /// Random bits for routing.
    pub random_bits: u64,
    /// Its class, a number of one of [`Traffic::classes`].
    pub class: u8,
    /// The number of packets that its source has generated before it, which a router's priority may depend on.
    pub sequence: u32,
}

/// A class of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageClass {
    /// The virtual channels that its packets take, first and last.
    pub first: u16,
    /// The last virtual channel.
    pub last: u16,
    /// Its priority, of which the larger one goes first, where routers serve packets by class.
    pub priority: u16,
}

/// What a head flit was granted, and when it requested it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    /// The number of the packet.
    pub number: u32,
    /// Which channel of its path it is: 0 is the injection channel.
    pub hop: u32,
    /// The virtual channel, as the engine numbers them.
    pub vc: u32,
    /// The cycle of the request.
    pub requested: u64,
    /// The cycle in which it was granted.
    pub granted: u64,
}

/// An event on a channel of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEvent {
    /// The first message of the worm.
    pub worm: u32,
    /// The place of the channel in the tree.
    pub place: u32,
    /// The virtual channel, as the engine numbers them.
    pub vc: u32,
    /// The event.
    pub step: TreeStep,
}

/// The kinds of events on channels of trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeStep {
    /// The packet is granted the channel.
    Granted {
        /// The cycle of the request.
        requested: u64,
        /// The cycle of the grant.
        granted: u64,
    },
    /// The head flit starts on the channel, as [`HeadStart`] describes. Reported if everything is [watched](Traffic::is_watched).
    Started {
        /// The cycle.
        at: u64,
    },
}

/// A head flit that starts on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadStart {
    /// The number of the packet.
    pub number: u32,
    /// Which channel of its path it is: 0 is the injection channel.
    pub hop: u32,
    /// The virtual channel, as the engine numbers them.
    pub vc: u32,
    /// The last cycle in which it can have started on this channel and still have requested the next one when it did. On an
    /// ejection channel, the cycle in which it started.
    pub at: u64,
}

/// An event that routers report. Events of later cycles are reported as soon as they are certain, in no particular order.
///
/// VCs are numbered as [`channel_name`] knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouterEvent {
    /// A head flit is granted a VC.
    Granted(Granted),
    /// Something happens on a channel of a tree. Only nodes with [trees](Traffic::tree) receive it.
    Tree(TreeEvent),
    /// A head flit starts on a channel, which is reported when it is granted the next one.
    HeadStarted(HeadStart),
    /// Flits of packet `number` leave by VC `vc`, one a cycle from cycle `at` on.
    Sent {
        /// The number of the packet.
        number: u32,
        /// The VC.
        vc: u32,
        /// The cycle of the first flit.
        at: u64,
        /// The number of flits.
        flits: u32,
    },
    /// A head flit that came by VC `from` is granted VC `vc`: the next flits that are [sent](Self::Sent) by that VC are those of its
    /// packet. Only nodes that [count flits](Traffic::counts_flits) receive it.
    Connected {
        /// The VC by which the packet comes to the router.
        from: u32,
        /// The VC by which it leaves.
        vc: u32,
    },
    /// A VC that a packet has held can be granted again from a cycle on.
    Freed {
        /// The VC.
        vc: u32,
        /// The cycle.
        at: u64,
    },
    /// The head flit of a packet leaves the router of its node for a link, or for a node there.
    Departed {
        /// The number of the packet.
        number: u32,
        /// The cycle.
        at: u64,
    },
    /// The tail of a packet leaves its source.
    LeftSource {
        /// The number of the packet.
        number: u32,
        /// The cycle.
        at: u64,
    },
    /// The source of a packet knows that its tail has left its injection channel: in the cycle after that, or in the same one where
    /// slots can be used again at once.
    TailLeft {
        /// The number of the packet.
        number: u32,
        /// The cycle in which the source knows.
        at: u64,
    },
    /// Flits arrive at nodes, the same number in each of several cycles.
    Accepted {
        /// The first cycle.
        at: u64,
        /// The number of flits in a cycle.
        flits: u32,
        /// The number of cycles.
        cycles: u32,
    },
    /// Flits of a packet leave their source, one a cycle from a cycle on. Only nodes that [count them](Traffic::counts_queues) receive it.
    Injecting {
        /// The number of the packet.
        number: u32,
        /// The cycle of the first flit.
        at: u64,
        /// The number of flits.
        flits: u32,
    },
    /// A packet that is about to arrive holds slots of its node. Only nodes that [hold packets](Traffic::held_slots) receive it.
    SlotsHeld {
        /// The number of the packet.
        number: u32,
        /// The VC of the ejection channel behind which the slots are.
        vc: u32,
        /// The number of slots.
        slots: u32,
    },
    /// A packet arrives at its node.
    Delivered(Delivery),
}

/// Packets that nodes send, with an observer of their routers.
///
/// Open-loop traffic does not depend on the network. In a [closed](Self::is_closed) loop packets depend on deliveries: nodes act
/// before every cycle ([`Traffic::advance`]), and all events are reported. Open loops receive [`RouterEvent::Accepted`] and
/// [`RouterEvent::Delivered`] alone.
pub trait Traffic {
    /// Returns true if packets depend on the network, for the whole run.
    fn is_closed(&self) -> bool {
        false
    }

    /// Returns the next packet of injection channel `channel` of `node`, in the order in which they are made. `None` if there are no
    /// more, or in a closed loop none at the moment. Where an injection channel has several queues, `channel` numbers all queues of
    /// the node.
    fn next(&mut self, node: u32, channel: u32) -> Option<Offer>;

    /// Returns true if a closed loop has a packet for [`Traffic::next`] now.
    fn waits(&self, node: u32, channel: u32) -> bool {
        let _ = (node, channel);
        false
    }

    /// The number of queues of an injection channel of a node, at least 1. Each sends its packets in order.
    fn queues(&self) -> u32 {
        1
    }

    /// The classes of packets. Empty if all packets are alike and take any virtual channel.
    fn classes(&self) -> Vec<MessageClass> {
        Vec::new()
    }

    /// The slots of a node for each VC of its ejection channels, if packets keep them after their arrival until the node returns them.
    /// `None` if a slot is free as soon as its flit has arrived.
    fn held_slots(&self) -> Option<u32> {
        None
    }

    /// The number by which reports of a closed loop name packet `number`.
    fn name(&self, number: u32) -> u32 {
        number
    }

    /// Returns true if [`RouterEvent::Injecting`] is to be reported, for the whole run.
    fn counts_queues(&self) -> bool {
        false
    }

    /// Returns true if [`RouterEvent::LeftSource`] is to be reported, for the whole run.
    fn observes_sources(&self) -> bool {
        false
    }

    /// Returns true if [`RouterEvent::TailLeft`] is to be reported, for the whole run. By default closed loops use it.
    fn observes_tails(&self) -> bool {
        self.is_closed()
    }

    /// Returns true if [`RouterEvent::Departed`] is to be reported, for the whole run.
    fn observes_departures(&self) -> bool {
        false
    }

    /// Returns true if nodes may refuse packets ([`Traffic::has_room`]), for the whole run.
    fn is_limited(&self) -> bool {
        false
    }

    /// Returns true if the node of packet `number` would admit it now. Head flits of other packets request no ejection channel.
    fn has_room(&self, number: u32) -> bool {
        let _ = number;
        true
    }

    /// The packet that [`Traffic::next`] of a closed loop would return. An open loop has none, as its packets are known before.
    fn front(&self, node: u32, channel: u32) -> Option<Offer> {
        let _ = (node, channel);
        None
    }

    /// Returns true if the node of packet `number` admits it, when nothing else keeps it from being granted an ejection channel. It is
    /// granted that if so. Only outputs that decide by themselves, and routers of a limited traffic ([`Traffic::is_limited`]), call it.
    fn admits(&mut self, number: u32) -> bool {
        let _ = number;
        true
    }

    /// Advances the nodes of a closed loop to cycle `now`, and adds those that have a packet then to `woken`.
    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        let _ = (now, woken);
    }

    /// The next cycle in which a node of a closed loop acts by itself.
    fn next_event(&self) -> Option<u64> {
        None
    }

    /// The cycle before which a closed loop changes only by its own events ([`Traffic::next_event`]) and by those that the engine
    /// reports, and does not end either, so that the engine may simulate the cycles until then at once. Returns `None` if the
    /// engine has to return after each cycle.
    fn horizon(&self) -> Option<u64> {
        None
    }

    /// Appends the links of the path of packet `number` of a closed loop to `path`, if it is fixed.
    fn path(&mut self, number: u32, path: &mut Vec<Hop>) {
        let _ = (number, path);
    }

    /// Appends the packets of a closed loop with [`Interfaces`] that go as one worm with packet `number`, which sets out. They are
    /// not offered themselves.
    fn worm(&mut self, number: u32, others: &mut Vec<Member>) {
        let _ = (number, others);
    }

    /// The tree of packet `number` of a closed loop, which sets out, if routers copy and combine packets.
    fn tree(&mut self, number: u32) -> Option<TreePacket> {
        let _ = number;
        None
    }

    /// Returns true if a closed loop observes every flit: [`RouterEvent::HeadStarted`], [`RouterEvent::Sent`] and
    /// [`RouterEvent::Freed`] are reported only then.
    fn is_watched(&self) -> bool {
        false
    }

    /// Returns true if [`RouterEvent::Sent`] and [`RouterEvent::Connected`] are to be reported in any loop, for the whole run.
    fn counts_flits(&self) -> bool {
        false
    }

    /// Reports an event.
    fn event(&mut self, event: RouterEvent);

    /// Returns true if cycle `now` is to be simulated.
    fn goes_on(&self, now: u64) -> bool;

    /// The end of the run as these nodes determine it. `None` if nodes cannot be divided among threads.
    fn ending(&self) -> Option<Ending> {
        None
    }

    /// The progress at cycle `now`: the work that is done, and all of it.
    fn progress(&self, now: u64) -> (u64, u64) {
        let _ = now;
        (0, 1)
    }

    /// The cycles in which flits on links are counted.
    fn counted(&self) -> std::ops::Range<u64>;
}
