//! Mappings: tasks that talk to each other put on the nodes of a network, what that costs, and the traffic it causes.

mod demand;
mod load;
mod read;

pub use read::{GraphSource, Kind as GraphKind, Mapping, Order, Traffic};

use crate::algorithm::mapping::{self as algorithm, ALGORITHMS, Processors, TaskGraph, lower_bound};
use crate::cancel;
use crate::engine::program::{TraceMessage, TraceProgram};
use crate::kind::diagram::{Placed, most};
use crate::kind::words::{counted, flits, grouped};
use crate::kind::{
    Algorithms, Beside, Cell, Column, Demand, Diagram, DiagramError, Evidence, Format, Graph, Job, Keep, Kind, LINKS,
    LeftOut, Picture, Planned, Read, Remark, ResultLine, Row, RowFailure, RowFile, Template, Unread, Workload,
    WorstCase, measure, then_timed,
};
use crate::machine::Machine;
use crate::random::stream;
use crate::units::Ticks;
use std::sync::Arc;

/// The sum over edges of weight times hops.
const COST: Column = Column::count("cost").shown("cost", 0);
/// What no mapping of this graph can cost less than, where that was asked for.
const BOUND: Column = Column::count("bound");
/// The most packets that cross a link, if every edge sends its weight in packets each way.
const LINK_LOAD: Column = Column::count("link_load").shown("link load", 7);
/// The most packets that a node sends to others, or receives.
const PORT_LOAD: Column = Column::count("port_load");
/// The most tasks on a node, the padding aside.
const TASK_LOAD: Column = Column::count("task_load");

const COLUMNS: [Column; 18] = then_timed([
    COST,
    Column::derived("vs bound", 2, Cell::Computed(|means| means.ratio("cost", "bound"))),
    BOUND,
    LINK_LOAD,
    PORT_LOAD,
    TASK_LOAD,
]);

/// Where each task is.
const MAPPING: RowFile =
    RowFile { name: "mapping.csv", header: &["point", "algorithm", "repetition", "task", "processor"] };
/// What each bit of a hypercube's addresses cuts, and how evenly it divides the tasks.
const CUTS: RowFile = RowFile {
    name: "cuts.csv",
    header: &["point", "algorithm", "repetition", "bit", "cut", "classes", "smallest", "largest"],
};

/// Mappings in the registry.
pub static KIND: Kind = Kind {
    name: "mapping",
    summary: "assignment of communicating tasks to the nodes of a network",
    in_words: "a mapping",
    keys: read::KEYS,
    columns: &COLUMNS,
    files: &[MAPPING, CUTS, LINKS],
    exports: &[Format::Dot],
    diagrams: &[Diagram::Cuts],
    algorithms: Some(Algorithms {
        title: "Mapping algorithms",
        line: |at| ALGORITHMS.get(at).map(|one| vec![one.name, one.summary]),
    }),
    compares: &["measured", "predicted", "cost"],
    // mappings whose traffic is not run have a cost and no time
    note: |unit, columns| match (columns.largest)("measured") {
        Some(_) => (Kind::DEFAULT.note)(unit, columns),
        None => {
            format!("cost: weight times hops, summed over all edges; mean of the repetitions.{}\n", columns.margin())
        }
    },
    remarks,
    read: Read::Workload(read::read),
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    ..Kind::DEFAULT
};

/// Returns the usual remarks, and one for each file whose tasks seem to be counted from 1.
fn remarks(lines: &[ResultLine<'_>]) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = (Kind::DEFAULT.remarks)(lines);
    let text =
        |line: &ResultLine<'_>| line.workload.downcast_ref::<Mapping>().and_then(|mapping| mapping.graph.remark());
    for (at, text) in lines.iter().enumerate().filter_map(|(at, line)| Some((at, text(line)?))) {
        match remarks.iter_mut().find(|remark| remark.text == text) {
            Some(known) => known.lines.push(at),
            None => remarks.push(Remark { text, lines: vec![at], doubted: &[] }),
        }
    }
    remarks
}

impl Workload for Mapping {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn variants(&self) -> Vec<&'static str> {
        self.algorithms.iter().map(|algorithm| algorithm.name).collect()
    }

    fn participants(&self) -> usize {
        self.graph.tasks()
    }

    fn demand(&self, machine: &Machine, variant: usize) -> Demand {
        let mapper = demand::Mapper::new(self, machine, variant);
        let packets = self.packets();
        let lines = if self.details { 100 * mapper.tasks } else { 0 };
        let demand = Demand {
            nodes: machine.network_nodes(),
            messages: packets,
            waits: machine.mean_waits(),
            planning: mapper.memory().saturating_add(120 * packets as u64 + lines),
            planning_time: mapper.nanoseconds().saturating_add(200 * packets as u64),
            ..Demand::default()
        };
        match self.traffic {
            Some(traffic) => demand.run_on(machine, traffic.flits.on_wire()).with_links(machine, self.details),
            None => demand,
        }
    }

    fn size_in_words(&self, machine: &Machine, _: &Demand) -> (String, &'static str) {
        let tasks = self.graph.tasks() as u64;
        let edges = counted(self.graph.most_edges(), "edge");
        let title = machine.title().unwrap_or_default();
        let packets = match self.packets() {
            0 => String::new(),
            packets => format!(" and {}", counted(packets as u64, "packet")),
        };
        (format!("a mapping of {} with up to {edges}{packets} on a {title}", counted(tasks, "task")), "workload")
    }

    /// All packets one after the other.
    fn worst_case(&self, machine: &Machine) -> Option<WorstCase> {
        let traffic = self.traffic?;
        let packets = 2 * u128::from(self.graph.most_weight());
        let wire = u128::from(traffic.flits.on_wire()) * machine.flit_interval();
        let ticks = (packets * (wire + machine.path_time())).max(machine.largest_offset(traffic.flits));
        Some(WorstCase { ticks, key: "packet_flits", what: "this traffic" })
    }

    fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    fn unread(&self, _: &Machine) -> Vec<Unread> {
        let mut unread =
            vec![Unread { path: &["model"], why: "predictions for a mapping use the loads of ports and links" }];
        if self.traffic.is_none() {
            let why = "nothing is sent without `simulate = true`";
            unread.push(Unread { path: &["node", "ejection_ports"], why });
        }
        unread
    }

    fn title(&self, swept: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut parts = Vec::new();
        if !swept(".tasks") && !swept(".shape") {
            parts.push(match self.graph.tasks() {
                1 => "1 task".to_owned(),
                tasks => format!("{} tasks", grouped(tasks as u64)),
            });
        }
        if let Some(traffic) = &self.traffic {
            parts.push(format!("packets of {}", flits(traffic.flits)));
        }
        parts
    }

    fn runs_on_engine(&self) -> bool {
        self.traffic.is_some()
    }

    fn writes(&self, _: bool) -> &'static [RowFile] {
        let is_cube = matches!(self.graph.processors(), Processors::Cube(_));
        match (self.details, is_cube, self.traffic.is_some()) {
            (false, ..) => &[],
            (true, true, true) => KIND.files,
            (true, true, false) => &[MAPPING, CUTS],
            (true, false, true) => &[MAPPING, LINKS],
            (true, false, false) => &[MAPPING],
        }
    }

    fn findings(&self, evidence: &Evidence) -> Vec<String> {
        let cost = evidence.shown("cost");
        let share = match evidence.shown("task load").most {
            0 | 1 => "at most one task per node".to_owned(),
            tasks => format!("at most {tasks} tasks per node"),
        };
        let bound = evidence.number("bound").map(|bound| format!(", lower bound {}", bound.least));
        let cost = match cost.least == cost.most {
            true => cost.least.to_string(),
            false => format!("{} to {}", cost.least, cost.most),
        };
        let proved = format!(
            "proved for {}: every task has a node, {share}; cost {cost}{}",
            counted(evidence.repetitions as u64, "repetition"),
            bound.unwrap_or_default(),
        );
        std::iter::once(proved).chain(self.graph.remark()).collect()
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        let graph = cancel::within(0.0..0.05, || self.graph.graph(job.seed, job.repetition));
        let graph = graph.map_err(RowFailure::wrong("the task graph cannot be generated"))?;
        let graph = on_machine(graph, job.machine)?;
        let algorithm = self.algorithms[job.variant];
        let mut random = stream(job.seed, &format!("mapping/{}", algorithm.name), job.repetition);
        let mapping = cancel::within(0.05..1.0, || algorithm.map(&graph, &self.options, &mut random));
        let mapping = mapping.map_err(RowFailure::wrong("the mapping is invalid"))?;
        Ok(Box::new(Plan { workload: self, job, graph, mapping }))
    }
}

/// `graph` with the distances of the nodes of `machine`, where these depend on the failures of a repetition.
fn on_machine(graph: Arc<TaskGraph>, machine: &Machine) -> Result<Arc<TaskGraph>, RowFailure> {
    let is_cube = matches!(graph.processors(), Processors::Cube(_));
    match machine.network().filter(|_| machine.faults.is_some() && !is_cube) {
        Some(network) => {
            let processors = read::distances_on(network).map_err(RowFailure::plan)?;
            Ok(Arc::new(TaskGraph::clone(&graph).onto_network(processors)))
        }
        None => Ok(graph),
    }
}

/// A mapping, proved by its construction.
struct Plan<'a> {
    workload: &'a Mapping,
    job: Job<'a>,
    graph: Arc<TaskGraph>,
    mapping: algorithm::Mapping,
}

/// What is counted of a mapping.
struct Counts {
    cost: u64,
    bound: Option<u64>,
    link_load: u64,
    node: load::NodeLoad,
}

impl Plan<'_> {
    fn counts(&self) -> Counts {
        Counts {
            cost: self.graph.cost(&self.mapping),
            bound: if self.workload.bound { lower_bound(&self.graph) } else { None },
            link_load: self.link_load(),
            node: load::node_load(&self.graph, &self.mapping, self.workload.graph.tasks()),
        }
    }

    /// The most packets that cross a link, if every edge sends its weight in packets each way.
    fn link_load(&self) -> u64 {
        match (self.graph.processors(), self.job.machine.network()) {
            (Processors::Network(_), Some(network)) => load::routed_load(&self.graph, &self.mapping, network),
            _ => load::link_load(&self.graph, &self.mapping),
        }
    }

    /// Every packet of the busiest link follows the one before it, and the busiest node has only so many ports.
    fn bound(&self, counts: &Counts, traffic: Traffic) -> Ticks {
        let machine = self.job.machine;
        let ports = machine.network().map_or(1, |network| {
            let channels = network.channels();
            channels.ports().min(channels.ejection_ports()) as u64
        });
        let most = counts.link_load.max(counts.node.packets.div_ceil(ports));
        machine.channel.wire_time(traffic.flits) * most
    }

    fn write(&self, row: &mut Row) {
        row.add_lines(&MAPPING, self.mapping.processors().iter().enumerate());
        let Processors::Cube(_) = self.graph.processors() else { return };
        let cuts = load::cuts(&self.graph, &self.mapping).into_iter().enumerate();
        row.add_lines(&CUTS, cuts.map(|(bit, cut)| (bit, cut.weight, cut.classes, cut.smallest, cut.largest)));
    }
}

impl Planned for Plan<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        let counts = self.counts();
        let evidence = Evidence::new().fact("cost", counts.cost).fact("task load", counts.node.tasks);
        Ok(counts.bound.into_iter().fold(evidence, |evidence, bound| evidence.fact("bound", bound)))
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        let counts = self.counts();
        row.nodes = self.graph.nodes();
        row.set(&COST, counts.cost);
        if let Some(bound) = counts.bound {
            row.set(&BOUND, bound);
        }
        row.set(&LINK_LOAD, counts.link_load);
        row.set(&PORT_LOAD, counts.node.packets);
        row.set(&TASK_LOAD, counts.node.tasks);
        if self.workload.details {
            self.write(row);
        }
        let Some(traffic) = self.workload.traffic else { return Ok(()) };
        row.predict(self.bound(&counts, traffic));
        let Job { machine, seed, repetition, .. } = self.job;
        let packets: Vec<TraceMessage> = load::packets(&self.graph, &self.mapping, traffic, seed, repetition);
        row.messages = packets.len();
        let name = |message: usize| (message as u64, traffic.flits);
        measure(machine, TraceProgram::new(&packets), row, Beside { keep, links: self.workload.details, name: &name })?;
        Ok(())
    }

    fn could_contend(&self) -> bool {
        false
    }

    /// A node per task, labelled with it and where it is put; an edge per pair that talks, labelled with its weight.
    fn graph(&self) -> Option<Graph> {
        let placed = (0..).zip(self.mapping.processors()).take(self.graph.tasks());
        let nodes = placed.map(|(task, node)| (task, format!("label=\"{task} on {node}\""))).collect();
        let edge = |(one, other, weight)| (one, other, format!("label=\"{weight}\""));
        Some(Graph { directed: false, nodes, edges: self.graph.edges().map(edge).collect() })
    }

    fn diagram(&self, diagram: Diagram) -> Result<Vec<Picture>, DiagramError> {
        let Processors::Cube(dimensions) = *self.graph.processors() else { return Err(DiagramError::NoBits) };
        diagram.within(self.mapping.processors().len(), "tasks", most::TASKS)?;
        Ok(vec![Picture::Cuts(Placed {
            processors: self.mapping.processors().to_vec(),
            edges: self.graph.edges().collect(),
            tasks: self.workload.graph.tasks(),
            dimensions,
        })])
    }
}
