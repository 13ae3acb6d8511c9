//! `[node]`, `[channel]` and `[engine]`: what nodes and channels cost, and which engine moves messages over them.

use crate::config::{Diagnostic, Reader};
use crate::costs::{Buffer, ChannelCosts, NodeCosts};
use crate::engine::Engine;
use crate::engine::router::MOST_ROUTER_VCS;
use crate::topology::{Ejection, Ports};
use crate::units::{Key, saturated};
use std::num::NonZeroUsize;

/// The largest overhead of a node, in ticks.
const LARGEST: u64 = 1 << 40;

/// A time.
pub(super) const fn ticks(name: &'static str) -> Key {
    Key::integer(name, 0..=LARGEST).unit("ticks")
}

/// A time for each byte, in place of the key `per_flit`.
const fn per_byte(name: &'static str, per_flit: &'static str) -> Key {
    Key::integer(name, 0..=LARGEST).or_else("none").unit("ticks per byte").fills(per_flit)
}

const SEND_SETUP: Key = ticks("send_setup").or(0).says("time to set up a send");
const SEND_PER_FLIT: Key = ticks("send_per_flit").or(0).says("time per flit sent, except for messages without payload");
const RECEIVE_SETUP: Key = ticks("receive_setup").or(0).says("time to set up a receive");
const RECEIVE_PER_FLIT: Key = ticks("receive_per_flit").or(0).says("time per flit received");
const HOLD_SETUP: Key =
    ticks("hold_setup").or_else("send_setup").says("time between the starts of two sends of a port");
const HOLD_PER_FLIT: Key =
    ticks("hold_per_flit").or_else("send_per_flit").says("additional time per flit between two sends of a port");
const REDUCE_SETUP: Key = ticks("reduce_setup")
    .or(0)
    .says("time to combine a received message of a collective with the data of its receiver");
const REDUCE_PER_FLIT: Key =
    ticks("reduce_per_flit").or(0).says("additional time per flit to combine a received message");
const SEND_PER_BYTE: Key =
    per_byte("send_per_byte", "send_per_flit").says("time per byte sent, instead of `send_per_flit`");
const RECEIVE_PER_BYTE: Key =
    per_byte("receive_per_byte", "receive_per_flit").says("time per byte received, instead of `receive_per_flit`");
const HOLD_PER_BYTE: Key = per_byte("hold_per_byte", "hold_per_flit")
    .says("additional time per byte between two sends of a port, instead of `hold_per_flit`");
const REDUCE_PER_BYTE: Key =
    per_byte("reduce_per_byte", "reduce_per_flit").says("time to combine a byte, instead of `reduce_per_flit`");
const PORTS: Key = Key::integer("ports", 1..=u16::MAX as u64)
    .or(1)
    .says("number of simultaneous sends, and of simultaneous receives, of a node");
const EJECTION_PORTS: Key = Key::integer_or("ejection_ports", 1..=u16::MAX as u64, "unlimited")
    .or_else("the value of `ports`")
    .says("number of messages that can arrive at a node at the same time");

/// The keys of `[node]`.
pub(crate) const NODE: &[Key] = &[
    SEND_SETUP,
    SEND_PER_FLIT,
    SEND_PER_BYTE,
    RECEIVE_SETUP,
    RECEIVE_PER_FLIT,
    RECEIVE_PER_BYTE,
    HOLD_SETUP,
    HOLD_PER_FLIT,
    HOLD_PER_BYTE,
    REDUCE_SETUP,
    REDUCE_PER_FLIT,
    REDUCE_PER_BYTE,
    PORTS,
    EJECTION_PORTS,
];

const FLIT_TIME: Key =
    Key::integer("flit_time", 1..=1 << 32).or(1).unit("ticks").says("time for a flit to cross a channel");
const BANDWIDTH: Key = Key::quantity("bandwidth")
    .or_else("none")
    .unit("GB/s")
    .fills("flit_time")
    .says("bandwidth of a channel instead of `flit_time`, which then is `flit_bytes` / `bandwidth`");
const FLIT_BYTES: Key = Key::integer("flit_bytes", 1..=1 << 40)
    .or_else("none")
    .unit("bytes")
    .says("payload of a flit; converts sizes to flits, and adds sizes and bandwidths to the results");
const FLIT_BITS: Key = Key::integer("flit_bits", 1..=1 << 16)
    .or_else("8 * `flit_bytes`")
    .unit("bits")
    .says("width of a flit, headers included; required by [energy] and by the `width` of links");
const BUFFER: Key = Key::integer("buffer", 1..=LARGEST)
    .or_else("1; on links with a delay, the credit round trip")
    .unit("flits")
    .called("buffer size")
    .says("capacity of the buffer at the end of a channel, for each virtual channel");
const ROUTING_DELAY: Key = Key::integer("routing_delay", 0..=1 << 32)
    .or(0)
    .unit("ticks")
    .says("time from the arrival of a head flit to its request for the next channel");
const VIRTUAL_CHANNELS: Key = Key::integer("virtual_channels", 1..=MOST_ROUTER_VCS).or_else("1; 2 on a torus").says(
    "number of virtual channels of a link; more than 2 on a torus, or more than 1 elsewhere, select the router engine, whose \
     routers have at most 4096, all ports together",
);

/// The keys of `[channel]`.
pub(crate) const CHANNEL: &[Key] =
    &[FLIT_TIME, BANDWIDTH, FLIT_BYTES, FLIT_BITS, BUFFER, ROUTING_DELAY, VIRTUAL_CHANNELS];

const KIND: Key = Key::word("kind", |at| Engine::ALL.get(at).map(|(_, name, _)| *name))
    .or_word("auto")
    .says("engine of the simulation; see `flitwise list engines`");

const THREADS: Key = Key::integer_or("threads", 1..=1024, "auto").or_word("auto").says(
    "threads of a run on pipelined routers; auto uses idle cores for large networks. Results do not depend on it",
);

/// The keys of `[engine]`.
pub(crate) const ENGINE: &[Key] = &[KIND, THREADS];

/// The engine that a scenario selects.
#[derive(Default)]
pub(crate) struct EngineTable {
    pub(crate) kind: Engine,
    /// The number of threads of a run, unless it follows from the size of the network.
    pub(crate) threads: Option<NonZeroUsize>,
}

/// What a scenario says of its nodes.
pub(crate) struct NodeTable {
    /// The overheads, and how many ports there are.
    pub(crate) costs: NodeCosts,
    /// Ejection channels, if the scenario says how many.
    pub(crate) ejection: Option<Ejection>,
}

impl NodeTable {
    /// The injection and ejection channels of a node.
    pub(crate) fn ports(&self) -> Ports {
        Ports { injection: self.costs.ports, ejection: self.ejection.unwrap_or(Ejection::Channels(self.costs.ports)) }
    }
}

/// Reads `[node]`; what is wrong has been reported.
pub(crate) fn read_node(root: &Reader<'_>) -> NodeTable {
    let Some(table) = root.table("node") else {
        return NodeTable { costs: NodeCosts::default(), ejection: None };
    };
    let send_setup = table.integer(&SEND_SETUP);
    let send_per_flit = table.integer(&SEND_PER_FLIT);
    let costs = NodeCosts {
        send_setup,
        send_per_flit,
        receive_setup: table.integer(&RECEIVE_SETUP),
        receive_per_flit: table.integer(&RECEIVE_PER_FLIT),
        hold_setup: table.optional_integer(&HOLD_SETUP).unwrap_or(send_setup),
        hold_per_flit: table.optional_integer(&HOLD_PER_FLIT).unwrap_or(send_per_flit),
        reduce_setup: table.integer(&REDUCE_SETUP),
        reduce_per_flit: table.integer(&REDUCE_PER_FLIT),
        ports: usize::try_from(table.integer(&PORTS)).unwrap_or(usize::MAX),
    };
    let ejection = table.integer_or(&EJECTION_PORTS).map(|count| match count {
        Some(count) => Ejection::Channels(usize::try_from(count).unwrap_or(usize::MAX)),
        None => Ejection::Unlimited,
    });
    table.finish();
    NodeTable { costs, ejection }
}

/// What a scenario says of its channels.
pub(crate) struct ChannelTable {
    /// The costs.
    pub(crate) costs: ChannelCosts,
    /// Virtual channels of a link, if the scenario says how many.
    pub(crate) virtual_channels: Option<u64>,
    /// Bits of a flit, if they are known.
    pub(crate) flit_bits: Option<u64>,
}

/// Reads the width of a flit, by its bytes if no bits are given. Reports bits and bytes that contradict each other.
fn flit_bits(table: &Reader<'_>) -> Option<u64> {
    let bytes = table.optional_integer(&FLIT_BYTES);
    let bits = table.optional_integer(&FLIT_BITS);
    let by_bytes = bytes.map(|bytes| 8 * bytes);
    if let Some(((bits, by_bytes), bytes)) =
        bits.zip(by_bytes).zip(bytes).filter(|((bits, by_bytes), _)| bits != by_bytes)
    {
        let message = format!("`channel.flit_bits` is {bits}, but `channel.flit_bytes` = {bytes} makes it {by_bytes}");
        let diagnostic = Diagnostic::at(table.place_of(FLIT_BITS.name), message);
        table.error(diagnostic.note(format!("accepted: {by_bytes}, or no `flit_bits`")));
    }
    bits.or(by_bytes)
}

/// Reads `[channel]`, of which little is read without a network; what is wrong has been reported.
pub(crate) fn read_channel(root: &Reader<'_>, has_network: bool) -> ChannelTable {
    let Some(table) = root.table("channel") else {
        return ChannelTable { costs: ChannelCosts::default(), virtual_channels: None, flit_bits: None };
    };
    let costs = ChannelCosts {
        flit_time: table.integer(&FLIT_TIME),
        buffer: table.optional_integer(&BUFFER).map_or(Buffer::RoundTrip, Buffer::Flits),
        routing_delay: table.integer(&ROUTING_DELAY),
    };
    let flit_bits = flit_bits(&table);
    let virtual_channels = table.optional_integer(&VIRTUAL_CHANNELS);
    for key in
        [FLIT_BITS, BUFFER, ROUTING_DELAY, VIRTUAL_CHANNELS].into_iter().filter(|key| !has_network && table.gives(key))
    {
        let message = format!("`channel.{}` has no effect without a table [network.*]", key.name);
        let wrong = Diagnostic::at(table.place_of(key.name), message);
        table.error(
            wrong.note("accepted without a network: `channel.flit_time` or `channel.bandwidth`, for predictions"),
        );
    }
    table.finish();
    ChannelTable { costs, virtual_channels, flit_bits }
}

/// Reads `[engine]`, which needs a network; what is wrong has been reported.
pub(crate) fn read_engine(root: &Reader<'_>, has_network: bool) -> EngineTable {
    let Some(table) = root.table("engine") else {
        return EngineTable::default();
    };
    if !has_network {
        let message = "an engine needs a table [network.*]; without one, the model only predicts the schedule";
        table.error(Diagnostic::at(table.place(), message));
    }
    let kind = table.choice(&KIND, &Engine::ALL.map(|(engine, name, _)| (name, engine)));
    let threads = table.integer_or(&THREADS).flatten();
    let threads = threads.and_then(|threads| NonZeroUsize::new(saturated(threads)));
    table.finish();
    EngineTable { kind, threads }
}
