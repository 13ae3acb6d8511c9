//! Diagrams as data: what is to be seen, before anything is laid out.
//!
//! A kind says what stands in a diagram; where it stands, and how it is drawn, is for [`crate::draw`] to know. What is
//! too large to be read is refused before it is made.

use super::row::RowFailure;
use super::view::Holdings;
use crate::engine::MessageOutcome;
use crate::model::MessageTimes;
use crate::routing::Lattice;
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
    /// Steps of an exchange.
    pub const STEPS: usize = 32;
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
    #[error(
        "paths are drawn over meshes and tori of one or two dimensions and hypercubes of up to four, of 256 nodes at most"
    )]
    NoPlaces,
    /// It could not be read.
    #[error("the {} would have {count} {what}, and more than {most} cannot be read", .diagram.name())]
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
    /// A tree under a title.
    Tree {
        /// The title.
        title: String,
        /// Which node sends to which.
        sends: Sends,
    },
    /// Timing diagrams on one time axis.
    Timing(Timing),
    /// Paths over a network under a title.
    Paths {
        /// The title.
        title: String,
        /// The network.
        lattice: Lattice,
        /// The messages.
        routes: Vec<Route>,
        /// The nodes that take part.
        members: Vec<Member>,
    },
    /// Which node holds which blocks.
    Blocks {
        /// The blocks.
        holdings: Holdings,
        /// What nodes are called.
        names: Vec<String>,
    },
    /// A graph of tasks, bit by bit.
    Cuts(Placed),
}

/// Which node sends to which.
#[derive(Clone, Debug)]
pub struct Sends {
    /// The node that holds the message at the start.
    pub root: usize,
    /// The receivers of each node, by number, in sending order.
    pub receivers: Vec<Vec<usize>>,
    /// What is written at each node: its name, and when it has the message.
    pub labels: Vec<[String; 2]>,
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
    /// When its send starts.
    pub start: u64,
    /// How long it keeps its sender, the network and its receiver busy.
    pub times: MessageTimes,
    /// Whether it ends with the receipt of the message, rather than being broken off.
    pub received: bool,
    /// Whether its head flit waited for a channel.
    pub blocked: bool,
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
        Self { start, times, blocked: outcome.blocked_headers > 0, ..*self }
    }
}

/// A message's path.
#[derive(Clone, Debug)]
pub struct Route {
    /// The nodes from its source to its destination.
    pub nodes: Vec<u32>,
    /// What the list says of it.
    pub label: String,
}

/// A node that takes part.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its number.
    pub node: u32,
    /// Its name.
    pub name: String,
    /// Whether the message comes from it.
    pub is_source: bool,
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

/// Whether `lattice` has places on paper: one or two dimensions, or a hypercube of no more than four.
pub fn is_flat(lattice: &Lattice) -> bool {
    const MOST_NODES: usize = 256;
    lattice.nodes() <= MOST_NODES && lattice.dimensions() <= 2
        || (lattice.dimensions() <= 4 && lattice.shape().iter().all(|&n| n == 2))
}
