//! Diagrams as data: what is to be seen, before anything is laid out.
//!
//! A kind says what stands in a diagram; where it stands, and how it is drawn, is for [`crate::draw`] to know. What is
//! too large to be read is refused before it is made.

pub use super::ground::{Ground, Ways, is_flat};
use super::row::RowFailure;
use super::view::BlockHoldings;
use crate::engine::{Event, Interest, MessageOutcome, Observer};
use crate::model::MessageTimes;
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;
use thiserror::Error;

/// A sort of diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagram {
    /// Senders above those they send to.
    Tree,
    /// A lane per node: what keeps it busy when.
    Timing,
    /// The paths of messages over the network.
    Paths,
    /// What nodes hold after each step.
    Blocks,
    /// What each bit of the addresses of a mapping cuts.
    Cuts,
}

impl Diagram {
    /// All, by name.
    pub const ALL: [(&'static str, Self); 5] = [
        ("tree", Self::Tree),
        ("timing", Self::Timing),
        ("paths", Self::Paths),
        ("blocks", Self::Blocks),
        ("cuts", Self::Cuts),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// Refuses a diagram of `count` things that are called `what`, if they are more than can be read.
    ///
    /// # Errors
    /// If there are more than `most`.
    pub fn within(self, count: usize, what: &'static str, most: usize) -> Result<(), DiagramError> {
        if count <= most { Ok(()) } else { Err(DiagramError::TooLarge { diagram: self, count, what, most }) }
    }
}

/// Limits of what can be read.
pub mod most {
    /// Nodes of a tree.
    pub const TREE_NODES: usize = 128;
    /// Lanes of a timing diagram.
    pub const LANES: usize = 64;
    /// Messages of a timing diagram.
    pub const TRANSFERS: usize = 128;
    /// Messages over a network.
    pub const PATHS: usize = 64;
    /// Nodes with tables of blocks.
    pub const BLOCK_NODES: usize = 64;
    /// Steps of an exchange or a collective.
    pub const STEPS: usize = 32;
    /// Pieces of a vector, columns of its tables.
    pub const PIECES: usize = 64;
    /// Cells of all tables of a collective.
    pub const CELLS: usize = 1 << 15;
    /// Tasks on the sides of a cut.
    pub const TASKS: usize = 64;
}

/// Why a plan has no such diagram.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DiagramError {
    /// It cannot be run.
    #[error(transparent)]
    Row(#[from] RowFailure),
    /// The network has no places on paper.
    #[error("path diagrams need a network with known links, and at most 256 nodes and routers")]
    NoPlaces,
    /// The network is no hypercube.
    #[error("cut diagrams need a hypercube: each cut belongs to a bit of the node addresses")]
    NoBits,
    /// Routers copy and combine its packets.
    #[error("routers copy and combine its packets, so that there is no `{}` diagram; accepted: `paths`", .diagram.name())]
    InRouters {
        /// The diagram.
        diagram: Diagram,
    },
    /// It could not be read.
    #[error("the `{}` diagram would have {count} {what}, but at most {most} are legible", .diagram.name())]
    TooLarge {
        /// What was to be drawn.
        diagram: Diagram,
        /// How many there are of something that it shows.
        count: usize,
        /// Of what.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
}

/// What a picture shows.
#[derive(Clone, Debug)]
pub enum Picture {
    /// A tree.
    Tree(Tree),
    /// Timing diagrams on one time axis.
    Timing(Timing),
    /// Paths over a network.
    Paths(Paths),
    /// Which node holds which blocks.
    Blocks {
        /// The blocks.
        holdings: BlockHoldings,
        /// What nodes are called.
        names: Vec<String>,
    },
    /// Which rank holds whose contributions.
    Vectors(Vectors),
    /// A graph of tasks, bit by bit.
    Cuts(Placed),
}

/// Which node sends to which, and when each has the message.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// What it is.
    pub title: String,
    /// When the last node has the message.
    pub end: Ticks,
    /// The node that holds the message at the start.
    pub root: usize,
    /// The receivers of each node, by number, in sending order.
    pub receivers: Vec<Vec<usize>>,
    /// What nodes are called, by number.
    pub names: Vec<String>,
    /// When each node has the message; none of a node that has no part in it.
    pub informed: Vec<Option<Ticks>>,
    /// What goes along the edges.
    pub course: Course,
    /// Edges beside those of the tree, from the root's side to the other, that some of what is sent takes instead.
    pub further: Vec<[usize; 2]>,
}

/// What goes along the edges of a tree, and what the time of a node is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Course {
    /// A message from the root: when a node has it.
    #[default]
    Message,
    /// Messages from the root: when a node has the first that it receives.
    Down,
    /// Messages to the root: when the first that a node sends is received; of the root, when all are.
    Up,
    /// Messages to the root, and what becomes of them back: when a node has the first of the result.
    UpAndDown,
    /// What ranks combine: when a node first has something that the root contributed to.
    Contribution,
}

impl Tree {
    /// Whether the same nodes send to the same at the same times as in `other`.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.root, &self.receivers, &self.informed) == (other.root, &other.receivers, &other.informed)
    }
}

/// Lanes and what is sent between them.
#[derive(Clone, Debug)]
pub struct Timing {
    /// The names of the lanes, from the top.
    pub lanes: Vec<String>,
    /// Ports of a node.
    pub ports: usize,
    /// What the model says, if it says anything.
    pub predicted: Vec<Transfer>,
    /// What was measured, if anything was.
    pub measured: Vec<Transfer>,
}

/// A message between two lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The lane of the sender, from 0.
    pub src: usize,
    /// The lane of the receiver.
    pub dst: usize,
    /// Which of the sender's ports it leaves by, from 0.
    pub port: usize,
    /// Which of the receiver's ports its receipt is shown on; none for all of them.
    pub landing: Option<usize>,
    /// When its send starts.
    pub start: u64,
    /// How long it keeps its sender, the network and its receiver busy.
    pub times: MessageTimes,
    /// For how much of the receipt, at its end, the receiver combines it with what it holds.
    pub combine: u64,
    /// Whether it ends with the receipt of the message, rather than being broken off.
    pub received: bool,
    /// Whether its head flit waited for a channel beyond its own injection channel.
    pub blocked: bool,
}

impl Transfer {
    /// Whether it keeps sender, network and receiver busy at the same times as `other`.
    pub fn is_like(&self, other: &Self) -> bool {
        let visible = |transfer: &Self| {
            let MessageTimes { send, arrival, receive, .. } = transfer.times;
            (transfer.start, send, arrival, receive, transfer.blocked, transfer.received)
        };
        visible(self) == visible(other)
    }

    /// When its receiver has it, or it is broken off.
    pub fn end(&self) -> u64 {
        self.start + self.times.arrival + self.times.receive
    }
}

impl Transfer {
    /// What became of the message that it stands for: `send` ticks of its sender before it requested its channel.
    pub fn measured(&self, outcome: &MessageOutcome, send: u64) -> Self {
        let start = outcome.requested.0.saturating_sub(send);
        let times = MessageTimes {
            send,
            hold: send,
            arrival: outcome.delivered.0 - start,
            receive: outcome.received.0 - outcome.delivered.0,
            receive_hold: 0,
        };
        Self { start, times, blocked: outcome.blocked_time > outcome.queued(), ..*self }
    }
}

/// The paths of messages over a network.
#[derive(Clone, Debug)]
pub struct Paths {
    /// What they are.
    pub title: String,
    /// The network.
    pub ground: Ground,
    /// The messages.
    pub routes: Vec<Route>,
    /// The nodes that take part.
    pub members: Vec<Member>,
    /// Where head flits waited, by the numbers of the messages in `routes`.
    pub waits: Vec<Wait>,
}

/// A message's path.
#[derive(Clone, Debug)]
pub struct Route {
    /// The vertices of the ground from its source to its destination.
    pub vertices: Vec<u32>,
    /// What the list says of it: its source and its destination, and what it carries.
    pub label: String,
    /// From when to when it is on its way, as far as that is known.
    pub during: Option<[Ticks; 2]>,
    /// What it has in common with others, where there are too many to tell one from the other.
    pub group: String,
}

/// A head flit that waited on its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Its message, by number.
    pub message: usize,
    /// Channels of its path before the one that it waited for: injection is 0, the first link 1.
    pub hop: usize,
    /// For how long.
    pub ticks: Ticks,
    /// The message that had the channel before it, by number.
    pub holder: Option<usize>,
}

/// Notes where head flits wait.
#[derive(Debug, Default)]
pub struct Waits {
    owners: FxHashMap<ChannelId, MessageId>,
    seen: Vec<Wait>,
}

impl Observer for Waits {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Restarted => *self = Self::default(),
            Event::Granted { message, hop, channel, requested, start } => {
                let holder = self.owners.insert(channel, message).map(MessageId::index);
                if start > requested {
                    self.seen.push(Wait { message: message.index(), hop, ticks: start - requested, holder });
                }
            }
            _ => {}
        }
    }
}

impl Waits {
    /// Those beyond the injection channel.
    pub fn on_the_way(self) -> impl Iterator<Item = Wait> {
        self.seen.into_iter().filter(|wait| wait.hop > 0)
    }
}

/// A node that takes part.
#[derive(Clone, Debug)]
pub struct Member {
    /// The vertex of the ground that it is.
    pub vertex: u32,
    /// Its name.
    pub name: String,
    /// Whether the message comes from it.
    pub is_source: bool,
}

/// What ranks hold of a vector, before the first step and after each.
#[derive(Clone, Debug)]
pub struct Vectors {
    /// What ranks are called, row by row.
    pub names: Vec<String>,
    /// The positions of each column, such as `0-3`.
    pub pieces: Vec<String>,
    /// The most contributions that a rank can hold at a position.
    pub most: usize,
    /// Whether ranks only hear of each other, rather than hold a vector.
    pub is_heard: bool,
    /// Per number of steps done, rank and column what is held.
    pub after: Vec<Vec<Vec<HeldPiece>>>,
}

/// What a rank holds at some positions of a vector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeldPiece {
    /// The ranks whose contributions are combined there, by number.
    pub contributors: Vec<usize>,
    /// Whether the last step changed it.
    pub is_changed: bool,
}

/// A graph of tasks on nodes.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The node of each task, the padding included.
    pub processors: Vec<u32>,
    /// Two tasks and the weight between them.
    pub edges: Vec<(u32, u32, u32)>,
    /// Tasks that are none, but fill up the nodes, come after so many.
    pub tasks: usize,
    /// Bits of a node's address.
    pub dimensions: u32,
}
