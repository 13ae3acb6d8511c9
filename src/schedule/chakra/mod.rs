//! Chakra execution traces: the nodes of each rank of a training step, and the nodes on which each depends.
//!
//! The format is that of `schema/protobuf/et_def.proto` of mlcommons/chakra: a file for each rank, in which messages of protocol buffers
//! follow each other, each behind its length. Nine tenths of a file are unknown fields. The reader
//! steps over them, for which it needs no generated code. It does not depend on the meaning of a trace in a simulation.

mod node;
mod read;
mod wire;

use std::fmt;

/// The nodes of a rank, by ascending id.
#[derive(Clone, Default)]
pub(crate) struct RankTrace {
    pub(crate) nodes: Vec<Node>,
    /// The ids of all dependencies, node by node.
    dependencies: Vec<u64>,
    names: String,
    /// The names of the groups of all collectives, each once.
    pub(crate) groups: Vec<String>,
    /// The texts of metadata nodes that may define groups: JSON with the key `pg_name`.
    pub(crate) definitions: Vec<String>,
}

/// A node. Ranges refer to lists of its [`RankTrace`].
#[derive(Clone)]
pub(crate) struct Node {
    /// The number that the file gives it.
    pub(crate) id: u64,
    /// The recorded duration, in microseconds.
    pub(crate) duration: u64,
    pub(crate) work: Work,
    /// The ends of the control dependencies of the node before, of its own, and of its data dependencies.
    dependencies: [u32; 3],
    name: [u32; 2],
}

/// The work of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Metadata, or no valid node.
    Nothing,
    /// A computation or a memory access on a CPU.
    Cpu,
    /// A computation or a memory access on a GPU.
    Gpu,
    /// A computation on a GPU with known numbers of operations and bytes.
    Kernel {
        operations: u64,
        bytes: u64,
    },
    Send(Message),
    Receive(Message),
    Collective(Collective),
    /// A collective of unknown type.
    UnknownCollective,
    /// A storage access, the loading of a batch or a checkpoint.
    Storage,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) bytes: u64,
    /// The receiver of a send or the sender of a receive, if the file states it.
    pub(crate) peer: Option<u32>,
    pub(crate) tag: u32,
}

/// A collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Collective {
    /// The operation, as an index into [`COLLECTIVES`].
    pub(crate) kind: u8,
    /// The bytes that the file states.
    pub(crate) bytes: u64,
    /// The group, as an index into [`RankTrace::groups`].
    pub(crate) group: u32,
}

/// The operations of collectives, by their numbers in files.
pub(crate) const COLLECTIVES: [&str; 10] = [
    "all-reduce",
    "reduce",
    "all-gather",
    "gather",
    "scatter",
    "broadcast",
    "all-to-all",
    "reduce-scatter",
    "reduce-scatter",
    "barrier",
];

/// In one line, as a trace may have a million nodes.
impl fmt::Debug for RankTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RankTrace of {} nodes", self.nodes.len())
    }
}

impl RankTrace {
    /// The name of `node`.
    pub(crate) fn name(&self, node: &Node) -> &str {
        let [start, end] = node.name;
        &self.names[start as usize..end as usize]
    }

    /// The ids of the data dependencies of `node`.
    pub(crate) fn data(&self, node: &Node) -> &[u64] {
        let [_, start, end] = node.dependencies;
        &self.dependencies[start as usize..end as usize]
    }

    /// The ids of the control dependencies of `node`, and of its data dependencies.
    pub(crate) fn control_and_data(&self, node: &Node) -> &[u64] {
        let [start, _, end] = node.dependencies;
        &self.dependencies[start as usize..end as usize]
    }

    /// The index of the node with `id`, which is found at once if ids between it and the node number `near` are consecutive.
    pub(crate) fn index(&self, id: u64, near: usize) -> Option<usize> {
        let distance = usize::try_from(self.nodes[near].id.wrapping_sub(id)).ok();
        match distance.and_then(|distance| near.checked_sub(distance)) {
            Some(index) if self.nodes[index].id == id => Some(index),
            _ => self.nodes.binary_search_by_key(&id, |node| node.id).ok(),
        }
    }
}
