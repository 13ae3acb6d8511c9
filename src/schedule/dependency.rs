//! What an exchange does to the channels of a torus, step by step, without being run: how many messages share a
//! channel, and whether headers can wait for each other in a cycle.
//!
//! A cycle of dependencies within one step can deadlock even with a barrier between steps; one that closes only over
//! several steps needs nodes that run ahead. [`DependencyGraph`] says what depends on what.

use super::Exchange;
use crate::routing::{DependencyGraph, follow};
use crate::topology::{Channels, TopologyError, Torus};
use crate::units::{ChannelId, MessageId};

/// What a step puts on the channels between routers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepLoad {
    /// The most messages of the step that take one physical channel.
    pub messages: u32,
    /// The most blocks that they carry over one physical channel.
    pub blocks: u64,
    /// The first two messages that share a physical channel, if any do.
    pub shared: Option<Shared>,
}

/// Two messages of a step that take the same physical channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The channel, numbered as on the torus whose loads these are.
    pub channel: ChannelId,
    /// The messages.
    pub messages: (MessageId, MessageId),
}

/// The load of every step of `exchange` on the links of `torus`.
///
/// O(hops of all messages) time.
pub fn loads(exchange: &Exchange, torus: &Torus) -> Vec<StepLoad> {
    /// What a channel carries, and in which step it was last looked at.
    #[derive(Clone, Copy)]
    struct Use {
        step: usize,
        messages: u32,
        blocks: u64,
        first: MessageId,
    }
    let idle = Use { step: usize::MAX, messages: 0, blocks: 0, first: MessageId(0) };
    let mut uses = vec![idle; torus.count()];
    let mut path = Vec::new();
    let mut load = |step| {
        let mut load = StepLoad::default();
        for message in exchange.messages(step) {
            path.clear();
            follow(torus, message.src, message.moves, &mut path);
            for &vc in &path {
                let channel = torus.physical(vc);
                let used = &mut uses[channel.index()];
                if used.step != step {
                    *used = Use { step, first: message.id, ..idle };
                } else if load.shared.is_none() {
                    load.shared = Some(Shared { channel, messages: (used.first, message.id) });
                }
                used.messages += 1;
                used.blocks += message.blocks;
                load.messages = load.messages.max(used.messages);
                load.blocks = load.blocks.max(used.blocks);
            }
        }
        load
    };
    (0..exchange.steps()).map(&mut load).collect()
}

/// Whether the channel dependency graph of an exchange has a cycle, with a number of virtual channels.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dependencies {
    /// Virtual channels a link.
    pub virtual_channels: usize,
    /// The first step, from 0, whose messages alone close a cycle, and the channels of one.
    pub within_a_step: Option<(usize, Vec<String>)>,
    /// The channels of a cycle that messages of all steps close together.
    pub over_all_steps: Option<Vec<String>>,
}

/// The channel dependencies of `exchange` on a torus with `virtual_channels` a link.
///
/// O(hops of all messages) time; where all steps together close a cycle, every step up to the first that closes one by
/// itself is looked at alone, in O(its hops + the channels it takes).
///
/// # Errors
/// If the torus has more channels than can be numbered.
pub fn dependencies(exchange: &Exchange, virtual_channels: usize) -> Result<Dependencies, TopologyError> {
    let torus = Torus::new(exchange.shape(), 1, virtual_channels)?;
    let cycle = |graph: &DependencyGraph<ChannelId>| -> Option<Vec<String>> {
        Some(graph.shortest_cycle()?.into_iter().map(|channel| torus.name(channel)).collect())
    };
    let mut graph = DependencyGraph::default();
    for step in 0..exchange.steps() {
        add_step(&mut graph, exchange, step, &torus);
    }
    let over_all_steps = cycle(&graph);
    let mut within_a_step = None;
    if over_all_steps.is_some() {
        within_a_step = (0..exchange.steps()).find_map(|step| {
            let mut graph = DependencyGraph::default();
            add_step(&mut graph, exchange, step, &torus);
            Some((step, cycle(&graph)?))
        });
    }
    Ok(Dependencies { virtual_channels, within_a_step, over_all_steps })
}

/// Adds what the messages of a step hold and request on `torus`.
fn add_step(graph: &mut DependencyGraph<ChannelId>, exchange: &Exchange, step: usize, torus: &Torus) {
    let mut path = Vec::new();
    for message in exchange.messages(step) {
        path.clear();
        follow(torus, message.src, message.moves, &mut path);
        // one that is the only channel of its path depends on nothing yet, but has its place
        for &channel in &path {
            graph.number(channel);
        }
        graph.extend(path.iter().copied().zip(path.iter().copied().skip(1)));
    }
}
