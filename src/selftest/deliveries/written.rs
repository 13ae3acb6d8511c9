//! Tasks that are smaller or plainer by a step, in words, and as scenarios.

use super::damage::Damage;
use super::plan::{Blocks, Broadcast, Delivery, Multicast, Task, Vectors, torus};
use crate::algorithm::multicast::Inside;
use crate::kind::words::counted;
use crate::model::Parameterised;
use crate::schedule::Pace;
use crate::selftest::case::{Machine, in_scenario, matrix, smaller_machines};
use crate::selftest::minimise::{fewer, lower};
use crate::selftest::report::CaseFile;
use crate::selftest::subject::Specimen;
use crate::units::{NodeId, Ticks};

impl Specimen for Delivery {
    fn smaller(&self) -> Vec<Self> {
        let mut cases: Vec<Self> =
            fewer_damages(&self.damages).into_iter().map(|damages| Self { damages, ..self.clone() }).collect();
        for task in self.task.smaller() {
            let mut machine = self.machine.clone();
            if let Task::Exchange(Blocks { shape, on_paths: false, .. }) = &task {
                machine.topology = torus(shape);
            }
            cases.push(Self { machine, task, ..self.clone() });
        }
        if self.pace == Pace::Asynchronous {
            cases.push(Self { pace: Pace::Synchronous, ..self.clone() });
        }
        for machine in smaller_machines(&self.machine) {
            let Some(nodes) = machine.network().map(|network| network.channels().nodes()) else { continue };
            if nodes > 0 {
                cases.push(Self { machine, task: self.task.on(nodes), ..self.clone() });
            }
        }
        cases
    }

    fn in_words(&self) -> String {
        let damages = self.damages.len();
        let nodes = self.machine.network().map_or(0, |network| network.channels().nodes());
        let damaged = match damages {
            0 => String::new(),
            1 => ", damaged once".to_owned(),
            times => format!(", damaged {times} times"),
        };
        let nodes = counted(nodes as u64, "node");
        format!("{} on {} of {nodes}{damaged}", self.task.in_words(), self.machine.topology.kind())
    }

    fn written(&self, name: &str, about: &str) -> Vec<CaseFile> {
        let mut about = about.to_owned();
        for Damage { how, at, by } in &self.damages {
            about += &format!(
                "\nfor the verification, message {at} (modulo the number of messages) {}, by {by}",
                how.in_words()
            );
        }
        let overheads = true;
        let (mut head, mut files) = in_scenario(&self.machine_alone(), name, &about, overheads);
        if let Task::Exchange(_) = &self.task {
            // an exchange says itself which way its messages go
            head = head.lines().filter(|line| !line.starts_with("order = ")).map(|line| format!("{line}\n")).collect();
        }
        if let Task::Broadcast(broadcast) = &self.task {
            head = format!(
                "# the tree of {}, planned from costs, as a multicast by this group\n{head}",
                broadcast.algorithm.name
            );
        }
        head += &self.task.in_toml(self.pace == Pace::Synchronous);
        files.insert(0, CaseFile { name: "case.toml", text: head });
        files
    }
}

impl Delivery {
    /// The machine without what the task has no use for.
    fn machine_alone(&self) -> Machine {
        let mut machine = self.machine.clone();
        if !matches!(self.task, Task::Collective(_)) {
            machine.node.reduce_setup = 0;
            machine.node.reduce_per_flit = 0;
        }
        machine
    }
}

/// Without one of the damages, or with smaller numbers.
fn fewer_damages(damages: &[Damage]) -> Vec<Vec<Damage>> {
    let mut all = Vec::new();
    for at in 0..damages.len() {
        let mut without = damages.to_vec();
        without.remove(at);
        all.push(without);
    }
    for at in 0..damages.len() {
        let Damage { how, at: message, by } = damages[at];
        let mut with = |damage: Damage| {
            let mut changed = damages.to_vec();
            changed[at] = damage;
            all.push(changed);
        };
        fewer(message, 0).for_each(|message| with(Damage { how, at: message, by }));
        fewer(by, 0).for_each(|by| with(Damage { how, at: message, by }));
    }
    all
}

/// Groups without one of their nodes, or without half of them; the first stays.
fn smaller_groups(group: &[NodeId]) -> Vec<Vec<NodeId>> {
    let mut groups: Vec<Vec<NodeId>> = fewer(group.len(), 1).map(|count| group[..count].to_vec()).collect();
    for gone in 1..group.len() {
        let mut without = group.to_vec();
        without.remove(gone);
        groups.push(without);
    }
    groups.push((0..group.len()).map(NodeId::new).collect());
    groups.retain(|other| other != group);
    groups
}

/// The nodes of `group` that there are among so many, at least one.
fn within(group: &[NodeId], nodes: usize) -> Vec<NodeId> {
    let mut left: Vec<NodeId> = group.iter().copied().filter(|node| node.index() < nodes).collect();
    if left.is_empty() {
        left.push(NodeId(0));
    }
    left
}

impl Task {
    fn smaller(&self) -> Vec<Self> {
        match self {
            Self::Multicast(multicast) => multicast.smaller().into_iter().map(Self::Multicast).collect(),
            Self::Broadcast(broadcast) => broadcast.smaller().into_iter().map(Self::Broadcast).collect(),
            Self::Exchange(blocks) => blocks.smaller().into_iter().map(Self::Exchange).collect(),
            Self::Collective(vectors) => vectors.smaller().into_iter().map(Self::Collective).collect(),
        }
    }

    /// The same on a machine of so many nodes; those that it has not do not take part.
    fn on(&self, nodes: usize) -> Self {
        match self {
            Self::Multicast(multicast) => {
                Self::Multicast(Multicast { group: within(&multicast.group, nodes), ..multicast.clone() })
            }
            Self::Collective(vectors) => Self::Collective(vectors.with_group(within(&vectors.group, nodes))),
            Self::Exchange(blocks) if blocks.on_paths => {
                Self::Exchange(Blocks { shape: vec![nodes], ..blocks.clone() })
            }
            other => other.clone(),
        }
    }

    pub(super) fn algorithm(&self) -> &'static str {
        match self {
            Self::Multicast(multicast) => multicast.algorithm.name,
            Self::Broadcast(broadcast) => broadcast.algorithm.name,
            Self::Exchange(blocks) => blocks.algorithm.name,
            Self::Collective(vectors) => vectors.algorithm.name,
        }
    }

    fn in_words(&self) -> String {
        let name = self.algorithm();
        match self {
            Self::Multicast(Multicast { group, flits, .. }) => {
                let nodes = counted(group.len() as u64 - 1, "node");
                format!("{name} multicast to {nodes}, {},", counted(*flits, "flit"))
            }
            Self::Broadcast(Broadcast { costs, .. }) => {
                format!("{name} broadcast among {}", counted(costs.nodes() as u64, "node"))
            }
            Self::Exchange(Blocks { shape, .. }) => format!("{name} exchange in the shape {shape:?}"),
            Self::Collective(Vectors { operation, group, flits, .. }) => {
                let ranks = counted(group.len() as u64, "rank");
                format!("{name} {} of {ranks}, {},", operation.name(), counted(*flits, "flit"))
            }
        }
    }

    /// The table of the workload.
    fn in_toml(&self, synchronous: bool) -> String {
        let name = self.algorithm();
        let numbers = |group: &[NodeId]| group.iter().map(|node| node.0).collect::<Vec<_>>();
        match self {
            Self::Multicast(Multicast { group, flits, model, block, inside, .. }) => {
                let inside = if *inside == Inside::Flat { "flat" } else { "binomial" };
                let Parameterised { t_hold, t_end } = model;
                let own = if name == "block-binomial" {
                    format!("block = {block}\ninside = \"{inside}\"\n")
                } else {
                    String::new()
                };
                format!(
                    "[workload.multicast]\nalgorithms = [\"{name}\"]\nflits = {flits}\nnodes = {:?}\nt_hold = {t_hold}\nt_end = {t_end}\n{own}",
                    numbers(group)
                )
            }
            Self::Broadcast(Broadcast { costs, root, flits, .. }) => {
                let mut group: Vec<NodeId> = (0..costs.nodes()).map(NodeId::new).collect();
                group.swap(0, root.index());
                format!(
                    "[workload.multicast]\nalgorithms = [\"sequential\"]\nflits = {flits}\nnodes = {:?}\n",
                    numbers(&group)
                )
            }
            Self::Exchange(Blocks { flits, .. }) => format!(
                "[workload.exchange]\nalgorithms = [\"{name}\"]\nblock_flits = {flits}\nsynchronous = {synchronous}\n"
            ),
            Self::Collective(vectors) => vectors.in_toml(synchronous),
        }
    }
}

impl Delivery {
    #[cfg(test)]
    pub(super) fn algorithm(&self) -> &'static str {
        self.task.algorithm()
    }
}

impl Multicast {
    fn smaller(&self) -> Vec<Self> {
        let mut all: Vec<Self> =
            smaller_groups(&self.group).into_iter().map(|group| Self { group, ..self.clone() }).collect();
        all.extend(lower(self.flits, 1).map(|flits| Self { flits, ..self.clone() }));
        let Parameterised { t_hold, t_end } = self.model;
        let with = |t_hold: u64, t_end: u64| Self {
            model: Parameterised { t_hold: Ticks(t_hold), t_end: Ticks(t_end) },
            ..self.clone()
        };
        all.extend(lower(t_hold.0, 0).map(|hold| with(hold, t_end.0)));
        all.extend(lower(t_end.0, 0).map(|end| with(t_hold.0, end)));
        all.extend(fewer(self.block, 1).map(|block| Self { block, ..self.clone() }));
        all
    }
}

impl Broadcast {
    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for nodes in fewer(self.costs.nodes(), 1) {
            let costs = matrix(nodes, |from, to| self.costs.row(from)[to]);
            all.push(Self { costs, root: NodeId::new(self.root.index().min(nodes - 1)), ..self.clone() });
        }
        if self.root != NodeId(0) {
            all.push(Self { root: NodeId(0), ..self.clone() });
        }
        all.extend(lower(self.flits, 1).map(|flits| Self { flits, ..self.clone() }));
        all
    }
}

impl Blocks {
    fn smaller(&self) -> Vec<Self> {
        let mut all: Vec<Self> = lower(self.flits, 0).map(|flits| Self { flits, ..self.clone() }).collect();
        if self.on_paths {
            return all;
        }
        for dimension in 0..self.shape.len() {
            let mut with = |shape: Vec<usize>| all.push(Self { shape, ..self.clone() });
            if self.shape.len() > 1 {
                let mut shape = self.shape.clone();
                shape.remove(dimension);
                with(shape);
            }
            for side in fewer(self.shape[dimension], 1) {
                let mut shape = self.shape.clone();
                shape[dimension] = side;
                with(shape);
            }
        }
        all
    }
}

impl Vectors {
    /// The same among other ranks, in a row; the root is one of them.
    fn with_group(&self, group: Vec<NodeId>) -> Self {
        let is_as_large = group.len() == self.group.len();
        let shape = if is_as_large { self.shape.clone() } else { vec![group.len()] };
        Self { root: self.root.min(group.len() - 1), shape, group, ..self.clone() }
    }

    fn smaller(&self) -> Vec<Self> {
        let mut all: Vec<Self> = smaller_groups(&self.group).into_iter().map(|group| self.with_group(group)).collect();
        all.extend(lower(self.flits, 1).map(|flits| Self { flits, ..self.clone() }));
        all.extend(fewer(self.root, 0).map(|root| Self { root, ..self.clone() }));
        if self.parts.is_some() {
            all.push(Self { parts: None, ..self.clone() });
        }
        if self.segment_flits > 0 {
            all.push(Self { segment_flits: 0, ..self.clone() });
        }
        if self.shape.len() > 1 {
            all.push(Self { shape: vec![self.group.len()], ..self.clone() });
        }
        all
    }

    fn in_toml(&self, synchronous: bool) -> String {
        let Self { algorithm, operation, group, root, flits, shape, parts, segment_flits } = self;
        let nodes: Vec<u32> = group.iter().map(|node| node.0).collect();
        let mut text = format!(
            "[workload.collective]\noperation = \"{}\"\nalgorithms = [\"{}\"]\nnodes = {nodes:?}\nshape = {shape:?}\n",
            operation.name(),
            algorithm.name
        );
        if *flits > 0 {
            text += &format!("flits = {flits}\nsegment_flits = {segment_flits}\n");
        }
        if operation.has_root() {
            text += &format!("root = {root}\n");
        }
        if let Some(parts) = parts.filter(|_| algorithm.reads_parts()) {
            text += &format!("parts = {parts}\n");
        }
        if algorithm.unproved {
            text += "unproved = true\n";
        }
        text + &format!("synchronous = {synchronous}\n")
    }
}
