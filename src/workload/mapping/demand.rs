//! What mappings take: the graph, the mapper, and the packets.
//!
//! The formulas follow what the mappers' documentation says they cost; the constants were measured on graphs of 256 to
//! 16384 tasks, those of `mrb` up to 262144. They hold within a factor of about two.

use super::Mapping;
use crate::algorithm::mapping::{MANY_FOR_MRB, Processors, positions};
use crate::machine::Machine;
use crate::units::saturated;

/// A mapper at work.
pub(super) struct Mapper {
    name: &'static str,
    /// Those of the padding included.
    pub(super) tasks: u64,
    edges: u64,
    dimensions: u64,
    starts: u64,
    /// Whether `mrb` merges tasks, which it does of many tasks anyhow.
    merges: bool,
    many: bool,
    proposals: u64,
    /// Bytes and nanoseconds of the graph, as it is drawn.
    graph: (u64, u64),
    bound: bool,
    /// Of processors that are no hypercube, of which all distances are kept.
    processors: u64,
    /// Channels of a path.
    path: u64,
}

impl Mapping {
    /// Packets that are sent, one drawn in millions aside.
    pub(super) fn packets(&self) -> usize {
        if self.traffic.is_none() {
            return 0;
        }
        let packets = 2.1 * self.graph.most_edges() as f64 * self.graph.mean_weight();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        saturated(packets as u64).min(usize::MAX / 1024)
    }
}

impl Mapper {
    pub(super) fn new(mapping: &Mapping, machine: &Machine, variant: usize) -> Self {
        let nodes = machine.network_nodes();
        let is_cube = matches!(mapping.graph.processors(), Processors::Cube(_));
        let tasks = positions(mapping.graph.tasks(), nodes);
        let many = tasks > MANY_FOR_MRB;
        Self {
            name: mapping.algorithms[variant].name,
            tasks: tasks as u64,
            edges: mapping.graph.most_edges(),
            dimensions: u64::from(nodes.ilog2()).max(1),
            starts: mapping.options.starts as u64,
            merges: mapping.options.multilevel || many,
            many,
            proposals: mapping.options.proposals as u64,
            graph: mapping.graph.demand(),
            bound: mapping.bound,
            processors: if is_cube { 0 } else { nodes as u64 },
            path: machine.mean_path(),
        }
    }

    /// Whether cuts are improved on a table of all pairs.
    fn is_dense(&self) -> bool {
        self.tasks <= 1 << 16 && 16 * self.edges >= self.tasks * self.tasks
    }

    /// Bytes: the rows of the graph, and what it is made from or the mapper works on, whichever is more.
    pub(super) fn memory(&self) -> u64 {
        let Self { tasks, edges, dimensions, .. } = *self;
        let squares = tasks.saturating_mul(tasks);
        let works_on = match self.name {
            "recursive" | "mrb" if self.is_dense() => 2 * squares + 64 * tasks,
            // graphs of merged tasks, which have nearly as many edges at first
            "mrb" if self.merges => 200 * edges + 64 * tasks,
            "recursive" | "mrb" => 8 * edges + 64 * tasks,
            "swap" | "anneal" if self.processors > 0 => 32 * tasks,
            "swap" | "anneal" => 8 * tasks * dimensions,
            "greedy" => 12 * edges + 8 * tasks,
            _ => 0,
        };
        let bound = if self.bound { 9 * squares } else { 0 };
        let distances = 8 * self.processors * self.processors;
        (16 * edges + 40 * tasks + distances).saturating_add(works_on.max(self.graph.0).max(bound))
    }

    /// Nanoseconds.
    pub(super) fn nanoseconds(&self) -> u64 {
        let Self { tasks, edges, dimensions, starts, .. } = *self;
        let squares = tasks.saturating_mul(tasks);
        let cuts = |each_task: u64, each_edge: u64| {
            let each_edge = if self.is_dense() { each_edge } else { 5 * each_edge };
            dimensions * (each_task * tasks + each_edge * edges)
        };
        let map = match self.name {
            "greedy" if self.processors > 0 => 4 * squares + edges.saturating_mul(self.processors),
            "greedy" => 4 * squares + 45 * edges,
            "recursive" => cuts(1700, 8),
            "mrb" if self.many => starts.saturating_mul(cuts(3100, 28)) / 3,
            "mrb" => starts.saturating_mul(cuts(3100, 28)),
            "swap" => self.descent(),
            "anneal" => self.annealing().saturating_add(self.descent()),
            "exhaustive" => tasks.min(16).pow(6),
            _ => 0,
        };
        let bound = if self.bound { squares * tasks } else { 0 };
        // cost, loads of links and of nodes
        let counts = 20 * edges + 20 * tasks * dimensions;
        let counts = if self.processors > 0 { counts + 20 * edges * self.path } else { counts };
        map.saturating_add(self.graph.1).saturating_add(bound + counts)
    }

    /// Exchanges until none gains.
    fn descent(&self) -> u64 {
        if self.processors > 0 {
            return 2 * self.tasks.saturating_mul(self.tasks + self.edges);
        }
        10 * self.tasks.saturating_mul(self.tasks) + 400 * self.edges
    }

    /// An exchange that is made touches all neighbours of both tasks. Where nearly all tasks talk to each other most
    /// exchanges change little, and are made.
    fn annealing(&self) -> u64 {
        let proposals = self.proposals.saturating_mul(self.tasks).max(200_000);
        let degree = 2 * self.edges / self.tasks;
        let crowded = if 4 * degree > 3 * self.tasks { 2 } else { 1 };
        let far = if self.edges > 1 << 21 { 2 } else { 1 };
        proposals.saturating_mul(80 + 4 * degree * crowded * far / 5)
    }
}
