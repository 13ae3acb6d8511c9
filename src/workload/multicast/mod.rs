//! Multicasts: one message from one node to a group, by several algorithms.

mod draw;
mod read;
mod tree_file;
mod trees;

pub use crate::workload::group::Group;
pub use read::Multicast;
pub use tree_file::TreeFile;

use crate::algorithm::multicast::ALGORITHMS;
use crate::cancel;
use crate::config::{Diagnostic, Reader, listed};
use crate::engine::program::ScheduleProgram;
use crate::engine::{MessageSet, Outcome, Stop};
use crate::kind::words::{counted, flits};
use crate::kind::{
    Algorithms, Beside, Column, Demand, Diagram, DiagramError, Evidence, FirstWait, Format, Graph, Job, Keep, Kind,
    LINKS, LeftOut, PacketCounts, Payload, Picture, Planned, PlannedMessage, Read, Row, RowFailure, RowFile, TIMED,
    Template, TreeLine, Unfit, Unread, Workload, WorstCase, measure, with_copies, with_sizes,
};
use crate::machine::Machine;
use crate::model::{Parameterised, Prices, uncontended};
use crate::schedule::goal::Goal;
use crate::schedule::{Message, Proof, Schedule};
use crate::units::NodeId;
use std::borrow::Cow;
use trees::{Site, copying_network};

const COLUMNS: [Column; 16] = with_copies(TIMED);
const COLUMNS_WITH_SIZES: [Column; 19] = with_sizes(COLUMNS);

/// Multicasts in the registry.
pub static KIND: Kind = Kind {
    name: "multicast",
    summary: "one message from a source to a group of nodes",
    in_words: "a multicast",
    keys: read::KEYS,
    columns: &COLUMNS,
    columns_with_sizes: &COLUMNS_WITH_SIZES,
    files: &[LINKS],
    exports: &[Format::Csv, Format::Trees, Format::Dot, Format::Goal],
    diagrams: &[Diagram::Tree, Diagram::Timing, Diagram::Paths],
    algorithms: Some(Algorithms {
        title: "Multicast algorithms and the networks that they support",
        line: |at| ALGORITHMS.get(at).map(|one| vec![one.name, one.fits.networks(), one.summary]),
    }),
    copying: Some(read::copying),
    read: Read::Workload(read::read),
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    ..Kind::DEFAULT
};

impl Multicast {
    /// The times of the model on `machine`, but for those that the workload sets itself.
    fn times(&self, machine: &Machine) -> Parameterised {
        let derived = machine.times(self.flits);
        Parameterised { t_hold: self.t_hold.unwrap_or(derived.t_hold), t_end: self.t_end.unwrap_or(derived.t_end) }
    }

    /// Channels that a message takes on average along the chain of a network: half of all messages go to the next of the
    /// group, a quarter twice as far, and so on until it is as far as between any two nodes.
    fn near(&self, machine: &Machine) -> u64 {
        let any = machine.mean_path().saturating_sub(2);
        let nodes = machine.nodes().unwrap_or(0) as u64;
        let next = (nodes / (self.group.size() as u64).max(1)).max(1);
        let doublings = u64::from((any / next).max(1).ilog2());
        2 + (next * (doublings + 2)).div_ceil(2).min(any)
    }

    /// The algorithms that fit `machine`, as a note.
    fn fitting(&self, machine: &Machine) -> String {
        let fitting = ALGORITHMS.iter().filter(|algorithm| self.admits(algorithm, machine).is_ok());
        format!("accepted here: {}", listed(fitting.map(|algorithm| algorithm.name)))
    }

    /// The nodes that are numbered.
    fn span(&self, machine: &Machine) -> usize {
        machine.nodes().unwrap_or_else(|| self.group.span())
    }
}

impl Workload for Multicast {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn variants(&self) -> Vec<&'static str> {
        self.algorithms.iter().map(|algorithm| algorithm.name).collect()
    }

    fn participants(&self) -> usize {
        self.group.size()
    }

    fn copies(&self, variant: usize) -> bool {
        self.algorithms[variant].needs_routers()
    }

    fn demand(&self, machine: &Machine, variant: usize) -> Demand {
        let nodes = self.span(machine);
        let size = self.group.size();
        let algorithm = self.algorithms[variant];
        // the messages of one sender, or of one at a time, are in no other's way
        let crosses = !algorithm.along_chain && !["sequential", "chain"].contains(&algorithm.name);
        // labels are sorted
        let each = if algorithm.name == "logp-optimal" { [104, 250] } else { [56, 150] };
        // what is not run is not made into a program either
        let planning_time = if machine.network.is_some() { each[1] } else { each[1] / 2 };
        let demand = Demand {
            nodes,
            messages: size,
            hops: if algorithm.along_chain { self.near(machine) } else { 0 },
            waits: if crosses { machine.mean_waits() } else { 0 },
            planning: 8 * nodes as u64 + each[0] * size as u64 + self.tree_memory(machine, variant),
            planning_time: 2 * nodes as u64 + planning_time * size as u64,
            ..Demand::default()
        };
        demand.run_on(machine, self.flits.on_wire()).with_links(machine, self.details)
    }

    /// All messages follow one another.
    fn worst_case(&self, machine: &Machine) -> Option<WorstCase> {
        let costs = machine.sequential_costs();
        let set = u128::from(self.t_hold.unwrap_or_default().0) + u128::from(self.t_end.unwrap_or_default().0);
        // a bound: the head flit of a message without payload is counted as if it paid overheads
        let data = costs.per_flit * u128::from(self.flits.on_wire());
        let each = costs.setup + set + data + machine.path_time() + machine.modelled(self.flits.0);
        let ticks = (self.group.size() as u128 * each).max(machine.largest_offset(self.flits));
        Some(WorstCase { ticks, key: "flits", what: "this multicast" })
    }

    fn check(&self, root: &Reader<'_>, machine: &Machine) {
        for (position, algorithm) in self.algorithms.iter().enumerate() {
            if let Err(error) = self.admits(algorithm, machine) {
                let place = root.place_within_array(&["workload", "multicast", "algorithms"], position);
                let wrong = Diagnostic::at(place, format!("`{}` {error}", algorithm.name));
                root.error(Unfit::rejected(
                    wrong.note(self.fitting(machine)),
                    "workload.multicast",
                    self.algorithms.len(),
                ));
            } else {
                self.refuse_trees(root, machine, position);
            }
        }
    }

    fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    fn unread(&self, machine: &Machine) -> Vec<Unread> {
        if machine.model.is_some() && self.t_hold.is_some() && self.t_end.is_some() {
            return vec![Unread { path: &["model"], why: "`t_hold` and `t_end` of the workload replace the model" }];
        }
        Vec::new()
    }

    fn payload(&self, _: &Machine) -> Option<Payload> {
        Some(Payload { key: "flits", flits: self.flits, count: 1, bus: [1, 1] })
    }

    fn title(&self, swept: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut parts = Vec::new();
        if !swept(".group") && !swept(".nodes") {
            parts.push(format!("group of {}", self.group.size()));
        }
        if !swept(".flits") {
            parts.push(flits(self.flits));
        }
        parts
    }

    fn writes(&self, _: bool) -> &'static [RowFile] {
        if self.details { KIND.files } else { &[] }
    }

    fn findings(&self, evidence: &Evidence) -> Vec<String> {
        let most = |name| evidence.shown(name).most;
        let proof = format!(
            "proved for {}: every destination ({} in all) receives the message exactly once; no other node receives it; \
             every sender holds the message before it sends; no node sends to itself; a port sends one message at a time",
            counted(evidence.repetitions as u64, "schedule"),
            most("destinations"),
        );
        vec![proof, format!("depth {}, at most {} per node", most("depth"), counted(most("fan_out"), "send"))]
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        let machine = job.machine;
        let nodes = machine.nodes().unwrap_or(0);
        let group = self.group.members(job.seed, job.repetition, nodes, machine.network.is_some());
        cancel::checkpoint();
        let algorithm = self.algorithms[job.variant];
        let routers = copying_network(algorithm, machine).map_err(RowFailure::plan)?;
        let site = Site { group: &group, machine, routers: routers.as_ref() };
        let schedule = self.schedule(algorithm, &site).map_err(RowFailure::plan)?;
        let proof = schedule.check(&group[1..]).map_err(RowFailure::wrong("the schedule is invalid"))?;
        Ok(Box::new(Plan { workload: self, job, schedule, proof }))
    }
}

/// A schedule, proved.
struct Plan<'a> {
    workload: &'a Multicast,
    job: Job<'a>,
    schedule: Schedule,
    proof: Proof,
}

impl Plan<'_> {
    fn prices(&self) -> Prices {
        if self.has_tree_times() {
            return self.tree_prices();
        }
        self.workload.times(self.job.machine).price(&self.schedule, self.job.machine.node.ports)
    }

    /// When messages are sent and received where each takes the time of its own path: on pipelined routers, unless a model or
    /// the workload says what messages take.
    fn timeline(&self) -> Prices {
        let Self { job: Job { machine, .. }, workload, .. } = self;
        let time = machine.network_time();
        let derived = machine.model.is_none() && workload.t_hold.is_none() && workload.t_end.is_none();
        match machine.network().filter(|_| derived && time.is_pipelined() && !self.has_tree_times()) {
            Some(network) => uncontended(&self.schedule, network, &machine.node, time),
            None => self.prices(),
        }
    }

    fn program(&self) -> ScheduleProgram<'_> {
        let machine = self.job.machine;
        ScheduleProgram::new(&self.schedule, &machine.node).with_stragglers(machine.stragglers(), &machine.node)
    }

    /// The messages in the order in which the model has them sent.
    fn in_sending_order(&self, prices: &Prices) -> Vec<Message> {
        let mut order: Vec<Message> = self.schedule.messages().collect();
        order.sort_by_key(|message| (prices.send_start[message.id.index()], message.id));
        order
    }
}

impl Planned for Plan<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        let Proof { destinations, depth, fan_out, .. } = self.proof;
        let evidence = Evidence::new().fact("destinations", destinations as u64).fact("depth", depth as u64);
        Ok(evidence.fact("fan_out", fan_out as u64))
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        row.nodes = self.schedule.len() + 1;
        row.messages = self.schedule.len();
        row.predict(self.prices().completion);
        row.set_packets(self.schedule.packets() as u64);
        let flits = self.schedule.flits();
        let name = |message: usize| (message as u64, flits);
        let files = Beside { keep, links: self.workload.details, name: &name };
        if let Some(outcome) = measure(self.job.machine, self.program(), row, files)? {
            let messages = outcome.messages.iter().map(|message| (message, flits));
            let has_trees = self.schedule.has_worms();
            row.set_packet_counts(if has_trees { self.packet_counts() } else { PacketCounts::of_messages(messages) });
        }
        Ok(())
    }

    fn watch(&self, watch: &mut FirstWait) -> Option<Result<Outcome, Stop>> {
        self.job.machine.run(self.program(), self.job.draw(), watch)
    }

    fn messages(&self, tell: &mut dyn FnMut(&PlannedMessage)) {
        let prices = self.timeline();
        let network = self.job.machine.network();
        let tree_hops = self.tree_hops();
        for message in self.in_sending_order(&prices) {
            let at = message.id.index();
            tell(&PlannedMessage {
                id: at,
                step: None,
                src: message.src,
                dst: message.dst,
                flits: Some(message.flits),
                hops: tree_hops
                    .get(at)
                    .copied()
                    .or_else(|| network.map(|network| network.hops(message.src, message.dst)))
                    .map(|hops| hops as u64),
                send_start: prices.send_start[at],
                received: prices.received[at],
                carried: None,
            });
        }
    }

    /// Chips prove their trees themselves.
    fn copied(&self, see: &mut dyn FnMut(&dyn MessageSet)) {
        if self.workload.copies(self.job.variant) {
            see(&self.program());
        }
    }

    fn trees(&self, tell: &mut dyn FnMut(&TreeLine)) {
        self.tell_trees(tell);
    }

    /// An edge per message, labelled with when it is sent and received.
    fn graph(&self) -> Option<Graph> {
        let prices = self.timeline();
        let edge = |message: Message| {
            let start = prices.send_start[message.id.index()];
            let received = prices.received[message.id.index()];
            (message.src.0, message.dst.0, format!("label=\"{start}..{received}\""))
        };
        let nodes = vec![(self.schedule.source().0, "shape=doublecircle".to_owned())];
        Some(Graph { directed: true, nodes, edges: self.schedule.messages().map(edge).collect() })
    }

    fn goal(&self, flit_bytes: Option<u64>) -> Option<Result<Cow<'_, Goal>, String>> {
        if self.schedule.has_worms() {
            return Some(Err("GOAL has no operations of ranks for packets that routers copy".to_owned()));
        }
        Some(Ok(Cow::Owned(Goal::of_multicast(&self.schedule, flit_bytes.unwrap_or(1)))))
    }

    fn diagram(&self, diagram: Diagram) -> Result<Vec<Picture>, DiagramError> {
        match diagram {
            Diagram::Tree => self.tree(),
            Diagram::Timing => self.timing(),
            _ => self.paths(),
        }
    }
}

/// The nodes that take part in a schedule, its source first.
fn members(schedule: &Schedule) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::once(schedule.source()).chain(schedule.messages().map(|message| message.dst))
}
