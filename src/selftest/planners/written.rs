//! Problems that are smaller by a step, in words, and as scenarios.

use super::case::{Grid, Group, Onto, Planning, Ring, Tasks};
use super::mappings::is_slow;
use crate::algorithm::{broadcast, mapping, multicast};
use crate::kind::words::counted;
use crate::model::Parameterised;
use crate::selftest::case::matrix;
use crate::selftest::minimise::{fewer, lower};
use crate::selftest::report::CaseFile;
use crate::selftest::subject::Specimen;
use crate::units::Ticks;
use std::fmt::Write as _;

impl Specimen for Planning {
    fn smaller(&self) -> Vec<Self> {
        match self {
            Self::Trees(group) => group.smaller().into_iter().map(Self::Trees).collect(),
            Self::Grid(grid) => grid.smaller().into_iter().map(Self::Grid).collect(),
            Self::Exchange(ring) => ring.smaller().into_iter().map(Self::Exchange).collect(),
            Self::Mapping(tasks) => tasks.smaller().into_iter().map(Self::Mapping).collect(),
        }
    }

    fn is_sayable(&self) -> bool {
        // a scenario has something to map
        !matches!(self, Self::Mapping(tasks) if tasks.edges.is_empty())
    }

    fn in_words(&self) -> String {
        match self {
            Self::Trees(Group { size, source, .. }) => {
                format!("a group of size {size} with the source at position {source}")
            }
            Self::Grid(Grid { costs, .. }) => format!("a grid of {}", counted(costs.nodes() as u64, "node")),
            Self::Exchange(Ring { algorithm, shape }) => format!("{} on a torus of {shape:?}", algorithm.name),
            Self::Mapping(Tasks { tasks, edges, onto, .. }) => {
                let [tasks, edges, nodes] = [(*tasks, "task"), (edges.len(), "edge"), (onto.nodes(), "node")]
                    .map(|(count, what)| counted(count as u64, what));
                format!("{tasks} with {edges} on {nodes}")
            }
        }
    }

    fn written(&self, name: &str, about: &str) -> Vec<CaseFile> {
        let mut text = String::new();
        about.lines().for_each(|line| text += &format!("# {line}\n"));
        let _ = writeln!(text, "\nname = \"{name}\"\n"); // a string takes everything
        let mut files = Vec::new();
        match self {
            Self::Trees(group) => text += &group.in_toml(),
            Self::Grid(Grid { costs, root }) => {
                let takes = |name: &&str| *name != "optimal" || costs.nodes() <= broadcast::MOST_FOR_OPTIMAL;
                let names = quoted(broadcast::ALGORITHMS.iter().map(|algorithm| algorithm.name).filter(takes));
                text += "[network.grid]\nactual = \"costs.csv\"\n\n";
                let _ = writeln!(text, "[workload.broadcast]\nalgorithms = [{names}]\nroot = {root}");
                let row = |node: usize| costs.row(node).iter().map(u64::to_string).collect::<Vec<_>>().join(",") + "\n";
                files.push(CaseFile { name: "costs.csv", text: (0..costs.nodes()).map(row).collect() });
            }
            Self::Exchange(Ring { algorithm, shape }) => {
                let _ = writeln!(
                    text,
                    "[network.torus]\nshape = {shape:?}\n\n[workload.exchange]\nalgorithms = [\"{}\"]",
                    algorithm.name
                );
            }
            Self::Mapping(tasks) => {
                text += &tasks.in_toml();
                let mut edges = "a,b,weight\n".to_owned();
                for (one, other, weight) in &tasks.edges {
                    let _ = writeln!(edges, "{one},{other},{weight}");
                }
                files.push(CaseFile { name: "edges.csv", text: edges });
            }
        }
        files.insert(0, CaseFile { name: "case.toml", text });
        files
    }
}

fn quoted(names: impl Iterator<Item = &'static str>) -> String {
    names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

impl Group {
    fn smaller(&self) -> Vec<Self> {
        let Self { size, source, model: Parameterised { t_hold, t_end }, ports } = *self;
        let mut all: Vec<Self> =
            fewer(size, 1).map(|size| Self { size, source: source.min(size - 1), ..self.clone() }).collect();
        all.extend(fewer(source, 0).map(|source| Self { source, ..self.clone() }));
        all.extend(fewer(ports, 1).map(|ports| Self { ports, ..self.clone() }));
        let with = |t_hold, t_end| Self { model: Parameterised { t_hold, t_end }, ..self.clone() };
        all.extend(lower(t_hold.0, 0).map(|hold| with(Ticks(hold), t_end)));
        all.extend(lower(t_end.0, 0).map(|end| with(t_hold, Ticks(end))));
        all
    }

    fn in_toml(&self) -> String {
        let mut nodes: Vec<usize> = (0..self.size).collect();
        nodes.swap(0, self.source);
        let Parameterised { t_hold, t_end } = self.model;
        let fits = |algorithm: &&multicast::Algorithm| algorithm.admits(None, None, self.model, self.ports).is_ok();
        let names = quoted(multicast::ALGORITHMS.iter().filter(fits).map(|algorithm| algorithm.name));
        format!(
            "[node]\nports = {}\n\n[workload.multicast]\nalgorithms = [{names}]\nflits = 1\nnodes = {nodes:?}\nt_hold = {t_hold}\n\
             t_end = {t_end}\n",
            self.ports
        )
    }
}

impl Grid {
    fn smaller(&self) -> Vec<Self> {
        let Self { costs, root } = self;
        let nodes = costs.nodes();
        let mut all = Vec::new();
        for gone in (0..nodes).filter(|&gone| nodes > 1 && gone != *root) {
            let left = |node: usize| if node < gone { node } else { node + 1 };
            let costs = matrix(nodes - 1, |from, to| costs.row(left(from))[left(to)]);
            all.push(Self { costs, root: root - usize::from(gone < *root) });
        }
        all.extend(fewer(*root, 0).map(|root| Self { root, ..self.clone() }));
        if costs.costs().iter().any(|&cost| cost > 1) {
            all.push(Self { costs: matrix(nodes, |_, _| 1), root: *root });
            all.push(Self { costs: matrix(nodes, |from, to| costs.row(from)[to].div_ceil(2)), root: *root });
        }
        for at in (0..nodes * nodes).filter(|at| costs.costs()[*at] > 1) {
            for less in lower(costs.costs()[at], 1) {
                let cost = |from: usize, to: usize| if from * nodes + to == at { less } else { costs.row(from)[to] };
                all.push(Self { costs: matrix(nodes, cost), root: *root });
            }
        }
        all
    }
}

impl Ring {
    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for dimension in 0..self.shape.len() {
            for side in fewer(self.shape[dimension], 1) {
                let mut shape = self.shape.clone();
                shape[dimension] = side;
                all.push(Self { shape, ..self.clone() });
            }
            if self.shape.len() > 1 {
                let mut shape = self.shape.clone();
                shape.remove(dimension);
                all.push(Self { shape, ..self.clone() });
            }
        }
        let sides: Vec<usize> = self.shape.iter().map(|side| (side - 1).max(1)).collect();
        if sides != self.shape {
            all.push(Self { shape: sides, ..self.clone() });
        }
        all
    }
}

impl Tasks {
    fn smaller(&self) -> Vec<Self> {
        let Self { tasks, edges, onto, seed } = self;
        let mut all = Vec::new();
        for tasks in fewer(*tasks, 1) {
            let within = |edge: &&(u32, u32, u32)| (edge.1 as usize) < tasks;
            all.push(Self { tasks, edges: edges.iter().filter(within).copied().collect(), ..self.clone() });
        }
        for gone in 0..edges.len() {
            let mut edges = edges.clone();
            edges.remove(gone);
            all.push(Self { edges, ..self.clone() });
        }
        for at in 0..edges.len() {
            for weight in lower(edges[at].2.into(), 1) {
                let mut edges = edges.clone();
                edges[at].2 = crate::units::narrow(weight, "it is smaller than a weight");
                all.push(Self { edges, ..self.clone() });
            }
        }
        all.retain(|smaller| !smaller.edges.is_empty());
        all.extend(onto.smaller().into_iter().map(|onto| Self { onto, ..self.clone() }));
        all.extend(lower(*seed, 0).map(|seed| Self { seed, ..self.clone() }));
        all
    }

    fn in_toml(&self) -> String {
        let network = match self.onto {
            Onto::Cube(dimension) => format!("[network.hypercube]\ndimension = {dimension}\n"),
            Onto::Row(nodes) => format!("[network.mesh]\nshape = [{nodes}]\n"),
            Onto::Ring(nodes) => format!("[network.torus]\nshape = [{nodes}]\n"),
            Onto::OneWayRing(nodes) => format!("[network.torus]\nshape = [{nodes}]\ndirections = \"one-way\"\n"),
        };
        let graph = self.graph();
        let is_slow = |name: &&str| graph.as_ref().is_some_and(|graph| is_slow(self, graph, name));
        let names = quoted(mapping::ALGORITHMS.iter().map(|algorithm| algorithm.name).filter(|name| !is_slow(name)));
        format!(
            "{network}\n[workload.mapping]\nalgorithms = [{names}]\ngraph = \"edges.csv\"\ntasks = {}\nunfit = \"skip\"\n",
            self.tasks
        )
    }
}

impl Onto {
    /// Plainer ones, and the same of fewer nodes.
    fn smaller(self) -> Vec<Self> {
        let less = |nodes: u32| (1..nodes).rev().take(1);
        match self {
            Self::Cube(dimensions) => (0..dimensions).rev().take(1).map(Self::Cube).collect(),
            Self::Row(nodes) => less(nodes).map(Self::Row).collect(),
            Self::Ring(nodes) => less(nodes).map(Self::Ring).chain([Self::Row(nodes)]).collect(),
            Self::OneWayRing(nodes) => {
                less(nodes).map(Self::OneWayRing).chain([Self::Ring(nodes), Self::Row(nodes)]).collect()
            }
        }
    }
}
