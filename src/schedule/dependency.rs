//! What an exchange does to the channels of a torus, step by step, without being run: how many messages share a
//! channel, and whether headers can wait for each other in a cycle.
//!
//! A header that holds a channel and waits for the next makes the first *depend* on the second. As long as these
//! dependencies form no cycle, some header can always go on and nothing deadlocks (Dally and Seitz 1987). A cycle
//! within one step can deadlock even with a barrier between steps; one that closes only over several steps needs nodes
//! that run ahead. The converse is not true: a cycle of dependencies need not come about.

use super::Exchange;
use crate::routing::follow;
use crate::topology::{Channels, TopologyError, Torus};
use crate::units::{ChannelId, MessageId};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::VecDeque;

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
            for &lane in &path {
                let channel = torus.physical(lane);
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
    let mut graph = Graph::new(torus);
    for step in 0..exchange.steps() {
        graph.add(exchange, step);
    }
    let over_all_steps = graph.cycle();
    let mut within_a_step = None;
    if over_all_steps.is_some() {
        within_a_step = (0..exchange.steps()).find_map(|step| {
            graph.clear();
            graph.add(exchange, step);
            Some((step, graph.cycle()?))
        });
    }
    Ok(Dependencies { virtual_channels, within_a_step, over_all_steps })
}

/// Which channels depend on which.
struct Graph {
    torus: Torus,
    /// Per channel, those that are requested while it is held; there are few.
    next: Vec<Vec<ChannelId>>,
    /// Channels that are requested or held, each once.
    taken: Vec<ChannelId>,
    /// Per channel, its place in `taken`.
    place: Vec<Option<u32>>,
    path: Vec<ChannelId>,
}

impl Graph {
    fn new(torus: Torus) -> Self {
        let count = torus.count();
        Self { torus, next: vec![Vec::new(); count], taken: Vec::new(), place: vec![None; count], path: Vec::new() }
    }

    fn clear(&mut self) {
        for channel in self.taken.drain(..) {
            self.next[channel.index()].clear();
            self.place[channel.index()] = None;
        }
    }

    fn add(&mut self, exchange: &Exchange, step: usize) {
        for message in exchange.messages(step) {
            self.path.clear();
            follow(&self.torus, message.src, message.moves, &mut self.path);
            for &channel in &self.path {
                let place = &mut self.place[channel.index()];
                if place.is_none() {
                    *place = Some(ChannelId::new(self.taken.len()).0);
                    self.taken.push(channel);
                }
            }
            for pair in self.path.windows(2) {
                let next = &mut self.next[pair[0].index()];
                if !next.contains(&pair[1]) {
                    next.push(pair[1]);
                }
            }
        }
    }

    /// The names of the channels of a cycle, each of which depends on the next and the last on the first.
    fn cycle(&self) -> Option<Vec<String>> {
        let edges = self.taken.iter().enumerate().flat_map(|(place, channel)| {
            let from = ChannelId::new(place).0;
            self.next[channel.index()].iter().filter_map(move |next| Some((from, self.place[next.index()]?)))
        });
        let graph: DiGraph<(), ()> = DiGraph::from_edges(edges);
        let knot = tarjan_scc(&graph).into_iter().find(|component| component.len() > 1)?;
        let cycle = shortest_cycle(&graph, *knot.iter().min()?);
        Some(cycle.into_iter().map(|place| self.torus.name(self.taken[place.index()])).collect())
    }
}

/// A shortest cycle through `start`, which lies on one.
fn shortest_cycle(graph: &DiGraph<(), ()>, start: NodeIndex) -> Vec<NodeIndex> {
    let mut before = vec![None; graph.node_count()];
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for next in graph.neighbors(at) {
            if next == start {
                let back = std::iter::successors(Some(at), |at| before[at.index()]);
                let mut cycle: Vec<NodeIndex> = back.collect();
                cycle.reverse();
                return cycle;
            }
            if before[next.index()].is_none() {
                before[next.index()] = Some(at);
                queue.push_back(next);
            }
        }
    }
    vec![start]
}
