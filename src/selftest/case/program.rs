//! Random programs: messages at fixed times, or operations of ranks that wait for each other.

use crate::costs::NodeCosts;
use crate::engine::program::TraceMessage;
use crate::schedule::goal::{ANY, ANY_TAG, Goal, GoalBuilder, Operation};
use crate::selftest::features::{Feature, Swarm};
use crate::units::{Flits, NodeId, Ticks, narrow};

/// A message of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) src: u32,
    pub(crate) dst: u32,
    pub(crate) flits: u64,
    /// When it is requested; of operations what its sender computes before.
    pub(crate) start: u64,
    /// Of operations: earlier messages to its sender that must have arrived, or been received for.
    pub(crate) after: Vec<After>,
    /// Of operations: whether its receiver takes any message in its place.
    pub(crate) any: bool,
}

/// What a send waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct After {
    /// An earlier message, by its place in the list.
    pub(crate) message: usize,
    /// Whether it is enough that its receive has started.
    pub(crate) started: bool,
}

/// The messages of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Messages {
    pub(crate) list: Vec<Message>,
    /// Whether they are operations of ranks, a rank a node, and not messages at fixed times.
    pub(crate) operations: bool,
}

impl Messages {
    /// Messages between so many nodes, whose overheads they draw, too.
    pub(crate) fn draw(swarm: &mut Swarm, nodes: usize, node: &mut NodeCosts) -> Self {
        let nodes: u32 = narrow(nodes, "networks of cases are small");
        let operations = swarm.has(Feature::Operations, 0.7);
        if operations && swarm.has(Feature::NodeCosts, 0.7) {
            *node = overheads(swarm, *node);
        }
        let most = if swarm.has(Feature::ManyMessages, 0.4) { 40 } else { 10 };
        let longest = if swarm.has(Feature::LongMessages, 0.4) { 120 } else { swarm.one_of(&[1, 3, 9]) };
        let least = u64::from(!swarm.has(Feature::EmptyMessages, 0.6));
        let latest = if swarm.has(Feature::AtOnce, 0.5) { 0 } else { swarm.one_of(&[3, 12, 60]) };
        let computes = !operations || swarm.has(Feature::Computations, 0.6);
        let hot = swarm.has(Feature::HotSpot, 0.4).then(|| swarm.draw(0..nodes));
        let wild = operations && swarm.has(Feature::Wildcards, 0.4);
        let loose = operations && swarm.has(Feature::StartDependencies, 0.4);
        // the receives of a rank are all wild or none: else one takes what another waits for
        let wild_ranks: u32 = if wild { swarm.draw(1..=u32::MAX) } else { 0 };
        let mut list: Vec<Message> = Vec::new();
        for _ in 0..swarm.draw(1..=most) {
            let src = swarm.draw(0..nodes);
            let dst = hot.unwrap_or_else(|| swarm.draw(0..nodes));
            let after = if operations { after(swarm, &list, src, loose) } else { Vec::new() };
            list.push(Message {
                src,
                dst,
                flits: swarm.draw(least..=longest),
                start: if computes { swarm.draw(0..=latest) } else { 0 },
                after,
                any: wild_ranks >> (dst % 32) & 1 == 1,
            });
        }
        Self { list, operations }
    }

    /// Long messages from every node at once, so that channels are held while others are waited for.
    pub(crate) fn draw_dense(swarm: &mut Swarm, nodes: usize) -> Self {
        let nodes: u32 = narrow(nodes, "networks of cases are small");
        let distance = swarm.toss(0.5).then(|| swarm.draw(0..nodes));
        let of_each = swarm.draw(1..=3);
        let longest = swarm.draw(4..=30);
        let message = |swarm: &mut Swarm, src: u32| Message {
            src,
            dst: distance.map_or_else(|| swarm.draw(0..nodes), |distance| (src + distance) % nodes),
            flits: swarm.draw(3..=longest),
            start: 0,
            after: Vec::new(),
            any: false,
        };
        let srcs = (0..of_each).flat_map(|_| 0..nodes.min(64));
        Self { list: srcs.map(|src| message(swarm, src)).collect(), operations: false }
    }

    /// As messages of a trace.
    pub(crate) fn trace(&self) -> Vec<TraceMessage> {
        let message = |message: &Message| TraceMessage {
            src: NodeId(message.src),
            dst: NodeId(message.dst),
            flits: Flits(message.flits),
            start: Ticks(message.start),
        };
        self.list.iter().map(message).collect()
    }

    /// As operations of so many ranks, with bytes of a flit each.
    pub(crate) fn goal(&self, ranks: usize) -> Goal {
        let mut builder = GoalBuilder::default();
        for rank in 0..ranks {
            builder.next_rank();
            // per message to this rank, its receive
            let mut receives: Vec<Option<u32>> = vec![None; self.list.len()];
            for (at, message) in self.list.iter().enumerate() {
                let tag = at as u64 + 1;
                if message.src as usize == rank {
                    let send = Operation::send(message.flits, message.dst, tag);
                    let computed = (message.start > 0).then(|| builder.push(Operation::compute(message.start)));
                    let send = builder.push(send);
                    let first = computed.unwrap_or(send);
                    if computed.is_some() {
                        builder.requires(send, first);
                    }
                    for after in &message.after {
                        // of a message that went to another rank before the case was made smaller there is none
                        match (receives[after.message], after.started) {
                            (Some(receive), true) => builder.irequires(first, receive),
                            (Some(receive), false) => builder.requires(first, receive),
                            (None, _) => {}
                        }
                    }
                }
                if message.dst as usize == rank {
                    let receive = match message.any {
                        true => Operation::receive(message.flits, ANY, ANY_TAG),
                        false => Operation::receive(message.flits, message.src, tag),
                    };
                    receives[at] = Some(builder.push(receive));
                }
            }
        }
        builder.finish()
    }
}

/// One or two of the messages so far that went to `src`, for which its next one waits.
fn after(swarm: &mut Swarm, list: &[Message], src: u32, loose: bool) -> Vec<After> {
    let to_src: Vec<usize> = (0..list.len()).filter(|&at| list[at].dst == src).collect();
    if to_src.is_empty() || swarm.toss(0.3) {
        return Vec::new();
    }
    let mut after: Vec<After> = Vec::new();
    for _ in 0..swarm.draw(1..=2) {
        let message = swarm.one_of(&to_src);
        if after.iter().all(|other| other.message != message) {
            after.push(After { message, started: loose && swarm.toss(0.5) });
        }
    }
    after
}

/// Overheads of nodes, of which each part may be none.
pub(crate) fn overheads(swarm: &mut Swarm, node: NodeCosts) -> NodeCosts {
    let mut ticks = |most| if swarm.toss(0.3) { 0 } else { swarm.draw(1..=most) };
    NodeCosts {
        send_setup: ticks(20),
        send_per_flit: ticks(2),
        receive_setup: ticks(20),
        receive_per_flit: ticks(2),
        hold_setup: ticks(20),
        hold_per_flit: ticks(2),
        ..node
    }
}
