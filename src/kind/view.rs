//! What was planned, in one form for every exporter: messages, holdings, a graph.

use crate::units::{Flits, NodeId, Ticks};
use std::fmt::Write as _;

/// What `flitwise schedule` can print of a plan or of its run, in the order in which it is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// A line per message in sending order, with the model's times.
    Csv,
    /// What nodes hold after each step.
    Holdings,
    /// A line for each channel of the trees of packets that routers copy or combine.
    Trees,
    /// A graph for Graphviz.
    Dot,
    /// Diagrams.
    Svg,
    /// Operations of ranks.
    Goal,
    /// What moved over a chip in a run, step by step, with the names of the published schema.
    Npe,
    /// The same with the names that the visualiser of the chip's makers reads.
    NpeVisualiser,
}

impl Format {
    /// The names of its `--format`s.
    pub fn names(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Holdings => "holdings",
            Self::Trees => "trees",
            Self::Dot => "dot",
            Self::Svg => "svg",
            Self::Goal => "goal, goal-binary",
            Self::Npe => "npe",
            Self::NpeVisualiser => "npe-visualiser",
        }
    }
}

/// The header of lists of planned messages.
pub(crate) const SCHEDULE_HEADER: [&str; 10] =
    ["algorithm", "repetition", "step", "src", "dst", "flits", "hops", "send_start", "received", "blocks"];

/// The header of lists of messages of which receivers combine some.
pub(crate) const COMBINED_HEADER: [&str; 13] = [
    "algorithm",
    "repetition",
    "step",
    "src",
    "dst",
    "flits",
    "hops",
    "send_start",
    "received",
    "blocks",
    "id",
    "part",
    "action",
];

/// The header of lists of holdings.
pub(crate) const HOLDINGS_HEADER: [&str; 5] = ["algorithm", "repetition", "after", "node", "blocks"];

/// A message as it is planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedMessage {
    /// Its number in the plan.
    pub id: usize,
    /// The step it belongs to, or the tree; none where a plan has neither.
    pub step: Option<usize>,
    /// Its sender.
    pub src: NodeId,
    /// Its receiver.
    pub dst: NodeId,
    /// Its length; none where messages have no flits.
    pub flits: Option<Flits>,
    /// Channels between routers on its path; none without a network.
    pub hops: Option<u64>,
    /// When its send starts, by the model.
    pub send_start: Ticks,
    /// When it is received, by the model.
    pub received: Ticks,
    /// What it carries of a vector, where receivers combine messages with what they hold.
    pub carried: Option<Carried>,
}

/// What a message carries of a vector, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The positions, such as `0-3;7`.
    pub positions: String,
    /// Which part of the vector it belongs to.
    pub part: usize,
    /// What the receiver does with it.
    pub action: &'static str,
}

/// A block of an exchange: its source and its destination.
pub type Block = (NodeId, NodeId);

/// What a node holds after some steps, a line of a list of holdings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// How many steps are done.
    pub after: usize,
    /// The node.
    pub node: NodeId,
    /// Its blocks, such as `0>3 1>3`; or where receivers combine messages the positions of a vector, each with whose
    /// contributions are combined there, such as `0-3:0,1,2;4-7:5`.
    pub blocks: String,
}

/// Which node holds which blocks at first, and which messages of a step move which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockHoldings {
    /// Nodes along each dimension of the network.
    pub shape: Vec<usize>,
    /// Nodes in all; at first a node holds the blocks of which it is the source.
    pub nodes: usize,
    /// Step by step the blocks that move, each with the node that holds it then.
    pub steps: Vec<Vec<(Block, NodeId)>>,
}

impl BlockHoldings {
    /// Tells what every node holds, before the first step and after each.
    pub fn tell(&self, tell: &mut dyn FnMut(&Held)) {
        let nodes = self.nodes;
        let mut holders: Vec<NodeId> = (0..nodes * nodes).map(|block| NodeId::new(block / nodes)).collect();
        for after in 0..=self.steps.len() {
            let moved = after.checked_sub(1).map_or(&[][..], |step| &self.steps[step]);
            for &((source, destination), holder) in moved {
                holders[source.index() * nodes + destination.index()] = holder;
            }
            let mut held = vec![Vec::new(); nodes];
            for (block, holder) in holders.iter().enumerate() {
                held[holder.index()].push((NodeId::new(block / nodes), NodeId::new(block % nodes)));
            }
            for (node, blocks) in held.iter().enumerate() {
                tell(&Held { after, node: NodeId::new(node), blocks: listed(blocks) });
            }
        }
    }
}

/// `blocks` as lists have them: `0>3 1>3`.
pub fn listed(blocks: &[Block]) -> String {
    let mut text = String::with_capacity(10 * blocks.len());
    for (at, (source, destination)) in blocks.iter().enumerate() {
        let space = if at > 0 { " " } else { "" };
        let _ = write!(text, "{space}{source}>{destination}"); // a string takes everything
    }
    text
}

/// A graph in the terms of Graphviz.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Whether edges have a direction.
    pub directed: bool,
    /// Nodes that say more than their number: the number, and attributes such as `shape=doublecircle`.
    pub nodes: Vec<(u32, String)>,
    /// Edges: two nodes, and attributes such as `label="3"`.
    pub edges: Vec<(u32, u32, String)>,
}
