//! Collectives with reduction: all-reduce and its kin by several algorithms, on any network or under a model.

mod bound;
mod draw;
mod holdings;
mod in_network;
mod load;
mod read;
mod tree;

pub use read::Collective;

use crate::algorithm::collective::{ALGORITHMS, Extent};
use crate::cancel;
use crate::engine::program::CollectiveProgram;
use crate::engine::unloaded::{Passage, Timeline};
use crate::engine::{Outcome, Stop};
use crate::kind::words::{counted, enumerated, flits};
use crate::kind::{
    Algorithms, Beside, COMBINED_HEADER, Carried, Cell, Column, Combining, Demand, Diagram, DiagramError, Evidence,
    FirstWait, Footing, Format, Graph, Held, Job, Keep, Kind, LINKS, LeftOut, LinkLine, LinkLoad, Means, PacketCounts,
    Payload, Picture, Planned, PlannedMessage, Read, Remark, ResultLine, Row, RowFailure, Template, Unread, Workload,
    WorstCase, measure, odd_models, then_timed, with_copies, with_sizes,
};
use crate::machine::Machine;
use crate::model::CollectiveModel;
use crate::schedule;
use crate::schedule::Pace;
use crate::schedule::collective::{CollectiveMessage, CollectiveProof, CollectiveViolation, Operation};
use crate::schedule::goal::Goal;
use crate::units::{Flits, MessageId, NodeId, saturated};
use bound::Bound;
use load::{Carried as CarriedByLink, Load, Shared};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt::Write as _;

/// Steps.
const STARTUPS: Column = Column::count("startups").shown("start-ups", 7);
/// The sum over the steps of the largest message.
const CRITICAL_FLITS: Column = Column::count("critical_flits").shown("step flits", 8).in_unit("flits");
/// The sum over the steps of the most links of a message.
const CRITICAL_HOPS: Column = Column::count("critical_hops").shown("step hops", 10);
/// The sum over the steps of the flits on the busiest directed link between routers.
const CRITICAL_LINK_FLITS: Column = Column::count("critical_link_flits").shown("link flits", 11).in_unit("flits");
/// The flits of all messages.
const TOTAL_FLITS: Column = Column::count("total_flits").in_unit("flits");
/// Flits that are sent to a rank that holds the same already.
const REDUNDANT_FLITS: Column = Column::count("redundant_flits").in_unit("flits");
/// The fewest steps that there can be.
const BOUND_STARTUPS: Column = Column::count("bound_startups");
/// The fewest flits that must follow one another.
const BOUND_FLITS: Column = Column::count("bound_flits").in_unit("flits");
/// The least time.
const BOUND: Column = Column::ticks("bound").shown("bound", 12);
/// How many times the bound the measured time is, or else the predicted one.
const TIMES_THE_BOUND: Column = Column::derived("x bound", 6, Cell::Computed(times_the_bound));

const TIMED_COLUMNS: [Column; 22] = then_timed([
    STARTUPS,
    CRITICAL_FLITS,
    CRITICAL_HOPS,
    CRITICAL_LINK_FLITS,
    TOTAL_FLITS,
    REDUNDANT_FLITS,
    BOUND_STARTUPS,
    BOUND_FLITS,
    BOUND,
    TIMES_THE_BOUND,
]);

const COLUMNS: [Column; 26] = with_copies(TIMED_COLUMNS);

const COLUMNS_WITH_SIZES: [Column; 29] = with_sizes(COLUMNS);

fn times_the_bound(means: &Means<'_>) -> Option<String> {
    means.ratio("measured", "bound").or_else(|| means.ratio("predicted", "bound"))
}

/// Where a run takes less than the bound, which between barriers is that of ports that send once in a step.
fn remarks(lines: &[ResultLine<'_>]) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = odd_models(lines).into_iter().collect();
    let is_beyond = |line: &ResultLine<'_>| {
        let both = line.means.mean("measured").zip(line.means.mean("bound"));
        both.is_some_and(|(measured, bound)| measured < bound)
    };
    let beyond: Vec<usize> = (0..lines.len()).filter(|&at| is_beyond(&lines[at])).collect();
    if !beyond.is_empty() {
        let lines = counted(beyond.len() as u64, "line");
        let text = format!(
            "In {lines} the simulated time is below the bound, which assumes that a port sends at most once per step."
        );
        remarks.push(Remark { text, lines: beyond, doubted: &["x bound"] });
    }
    remarks
}

/// Collectives in the registry.
pub static KIND: Kind = Kind {
    name: "collective",
    summary: "collective operations on vectors, such as all-reduce, all-gather and broadcast",
    in_words: "a collective",
    keys: read::KEYS,
    columns: &COLUMNS,
    columns_with_sizes: &COLUMNS_WITH_SIZES,
    files: &[LINKS],
    combining: Combining::Always,
    exports: &[Format::Csv, Format::Trees, Format::Holdings, Format::Dot, Format::Goal],
    diagrams: &[Diagram::Tree, Diagram::Timing, Diagram::Paths, Diagram::Blocks],
    schedule_header: &COMBINED_HEADER,
    algorithms: Some(Algorithms {
        title: "Collective algorithms and their requirements",
        line: |at| ALGORITHMS.get(at).map(|one| vec![one.name, one.takes, one.summary]),
    }),
    note: |unit, columns| format!("{}{}", on_the_path(columns), (Kind::DEFAULT.note)(unit, columns)),
    remarks,
    copying: Some(read::copying),
    read: Read::Workload(read::read),
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    ..Kind::DEFAULT
};

/// What counts along the critical path mean, as far as they are shown.
fn on_the_path(columns: &Footing<'_>) -> String {
    let titles = ["step flits", "step hops", "link flits"].into_iter().filter(|title| (columns.shows)(title));
    let shown: Vec<String> = titles.map(str::to_owned).collect();
    let bound = if (columns.shows)("x bound") {
        "x bound: time divided by a lower bound for schedules that send at most one message per port and step. Predicted \
         times ignore contention and may be below the bound. "
    } else {
        ""
    };
    let counted = match shown.as_slice() {
        [] => String::new(),
        _ => format!("{}: largest value of each step, summed over the steps. ", enumerated(&shown)),
    };
    format!("{counted}{bound}")
}

impl Collective {
    fn extent(&self, variant: usize) -> Extent {
        let algorithm = self.algorithms[variant];
        if algorithm.in_routers {
            return self.tree_extent();
        }
        let request = self.request();
        let extent = algorithm.extent(&request).unwrap_or_default();
        // segments of messages that are cut
        let cut = match self.segment_flits {
            0 => 0,
            segment => extent.vectors.saturating_mul(self.flits) / segment,
        };
        let messages = extent.messages.saturating_add(cut);
        let pieces = extent.pieces.saturating_add(cut.min(self.flits)).min(self.flits.max(1));
        Extent { messages, pieces, ..extent }
    }
}

impl Workload for Collective {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn variants(&self) -> Vec<&'static str> {
        self.algorithms.iter().map(|algorithm| algorithm.name).collect()
    }

    fn participants(&self) -> usize {
        self.ranks()
    }

    fn copies(&self, variant: usize) -> bool {
        self.algorithms[variant].in_routers
    }

    fn demand(&self, machine: &Machine, variant: usize) -> Demand {
        let Extent { messages, vectors, pieces, .. } = self.extent(variant);
        let ranks = self.ranks() as u64;
        // pieces that messages carry, all together
        let carried = vectors.saturating_mul(pieces);
        let cells = ranks.saturating_mul(pieces);
        let heard = if self.operation == Operation::Barrier { ranks * ranks / 8 } else { 0 };
        let proof = 48 * cells.min(1 << 20) + heard;
        let program = match self.pace {
            Pace::Synchronous => 8 * messages,
            Pace::Asynchronous => {
                20_u64.saturating_mul(messages).saturating_add(4 * cells).saturating_add(12 * carried)
            }
        };
        let demand = Demand {
            nodes: self.ranks(),
            messages: saturated(messages),
            waits: 1,
            planning: 64_u64
                .saturating_mul(messages)
                .saturating_add(carried.saturating_mul(8))
                .saturating_add(proof)
                .saturating_add(program),
            planning_time: 250_u64.saturating_mul(messages).saturating_add(carried.saturating_mul(6)),
            ..Demand::default()
        };
        let network = machine.network().filter(|_| self.copies(variant));
        let trees = network.map_or(0, |network| machine.tree_memory(network, self.ranks()));
        let demand = Demand { planning: demand.planning.saturating_add(trees), ..demand };
        if !self.simulate {
            return demand;
        }
        let flits = Flits(vectors.saturating_mul(self.flits) / messages.max(1)).on_wire();
        demand.run_on(machine, flits).with_links(machine, self.details)
    }

    /// All messages one after the other.
    fn worst_case(&self, machine: &Machine) -> Option<WorstCase> {
        let extents = (0..self.algorithms.len()).map(|variant| self.extent(variant));
        let largest = extents.reduce(|a, b| Extent {
            messages: a.messages.max(b.messages),
            vectors: a.vectors.max(b.vectors),
            ..a
        })?;
        let costs = machine.sequential_costs();
        let messages = u128::from(largest.messages);
        let flits = u128::from(largest.vectors) * u128::from(self.flits) + messages;
        let setup = costs.setup + u128::from(machine.node.reduce_setup) + machine.path_time();
        let per_flit = costs.per_flit + u128::from(machine.node.reduce_per_flit);
        // what a model takes for a length is linear in it
        let modelled = messages * machine.modelled(0) + (machine.modelled(2) - machine.modelled(1)) * flits;
        let in_routers = self.algorithms.iter().any(|algorithm| algorithm.in_routers);
        let combined = if in_routers { machine.combining_time(messages, flits) } else { 0 };
        let all = messages * setup + per_flit * flits + modelled + combined;
        let ticks = all.max(machine.largest_offset(Flits(self.flits)));
        Some(WorstCase { ticks, key: "flits", what: "this collective" })
    }

    fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    fn unread(&self, _: &Machine) -> Vec<Unread> {
        if self.simulate {
            return Vec::new();
        }
        vec![Unread { path: &["node", "ejection_ports"], why: "nothing is sent with `simulate = false`" }]
    }

    /// The factors of nccl-tests (PERFORMANCE.md), by the operation.
    fn payload(&self, _: &Machine) -> Option<Payload> {
        let ranks = self.ranks() as u64;
        let bus = match self.operation {
            Operation::Barrier => return None,
            Operation::Allreduce => [2 * (ranks - 1), ranks],
            Operation::Broadcast | Operation::Reduce => [1, 1],
            Operation::Scatter | Operation::Gather | Operation::Allgather | Operation::ReduceScatter => {
                [ranks - 1, ranks]
            }
        };
        Some(Payload { key: "flits", flits: Flits(self.flits), count: 1, bus })
    }

    fn title(&self, swept: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut parts = Vec::new();
        if !swept(".operation") {
            parts.push(format!("{} of {}", self.operation.name(), counted(self.ranks() as u64, "rank")));
        }
        if !swept(".flits") && self.operation != Operation::Barrier {
            parts.push(flits(Flits(self.flits)));
        }
        if !swept(".synchronous") {
            parts.push(match self.pace {
                Pace::Synchronous => "barrier between steps".to_owned(),
                Pace::Asynchronous => "no barriers".to_owned(),
            });
        }
        parts
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        let algorithm = self.algorithms[job.variant];
        if algorithm.in_routers {
            return self.plan_trees(job);
        }
        let collective = algorithm.plan(&self.request()).map_err(RowFailure::plan)?;
        let proof = cancel::within(0.3..0.6, || collective.check());
        if let Err(violation) = &proof
            && !(self.unproved && algorithm.unproved)
        {
            return Err(wrong(violation.clone()));
        }
        let machine = job.machine;
        let model = CollectiveModel {
            node: machine.node,
            network: machine.network_time(),
            chosen: machine.model,
            pace: self.pace,
        };
        let nodes = self.nodes(machine, job.seed, job.repetition);
        Ok(Box::new(Plan { workload: self, job, collective, proof, model, nodes, load: OnceCell::new() }))
    }
}

impl Collective {
    /// Per rank its node.
    fn nodes(&self, machine: &Machine, seed: u64, repetition: u64) -> Vec<NodeId> {
        let nodes = machine.nodes();
        match &self.group {
            Some(group) => group.members(seed, repetition, nodes.unwrap_or_default(), nodes.is_some()),
            None => (0..self.ranks()).map(NodeId::new).collect(),
        }
    }
}

fn wrong(violation: CollectiveViolation) -> RowFailure {
    RowFailure::wrong("the schedule is invalid")(violation)
}

/// A schedule, and what its proof showed.
struct Plan<'a> {
    workload: &'a Collective,
    job: Job<'a>,
    collective: schedule::collective::Collective,
    proof: Result<CollectiveProof, CollectiveViolation>,
    model: CollectiveModel,
    /// Per rank its node.
    nodes: Vec<NodeId>,
    /// What it asks of links, once that is counted.
    load: OnceCell<Option<Load>>,
}

impl Plan<'_> {
    fn program(&self) -> CollectiveProgram<'_> {
        self.model.program_with_stragglers(&self.collective, &self.nodes, self.job.machine.stragglers())
    }

    /// What it asks of the links of the network, if there is one.
    fn load(&self) -> Option<&Load> {
        let count = || self.job.machine.network().map(|network| Load::new(&self.collective, network, &self.nodes));
        self.load.get_or_init(count).as_ref()
    }

    fn predict(&self) -> Timeline {
        match self.load() {
            Some(load) => self.model.predict(&self.collective, &self.nodes, Some(&|id| self.passage(id, load))),
            None => self.model.predict(&self.collective, &self.nodes, None),
        }
    }

    /// What the network takes for a message where nothing is in its way.
    fn passage(&self, id: MessageId, load: &Load) -> Passage {
        let CollectiveMessage { src, dst, flits, .. } = self.collective.message(id);
        let along_path = self.job.machine.passage(self.nodes[src], self.nodes[dst], flits);
        along_path.unwrap_or_else(|| self.model.over_links(flits, load.links(id)))
    }

    fn all_messages(&self) -> impl Iterator<Item = (usize, CollectiveMessage)> + '_ {
        let collective = &self.collective;
        (0..collective.steps()).flat_map(|step| collective.messages(step).map(move |message| (step, message)))
    }

    /// The sum over the steps of the largest message.
    fn critical_flits(&self) -> u64 {
        let largest = |step| self.collective.messages(step).map(|message| message.listed_flits()).max();
        (0..self.collective.steps()).filter_map(largest).sum()
    }

    /// What stands on the critical path, and what no schedule can go below.
    fn count(&self, row: &mut Row) {
        row.set(&STARTUPS, self.collective.steps() as u64);
        row.set(&CRITICAL_FLITS, self.critical_flits());
        row.set(&TOTAL_FLITS, self.all_messages().map(|(_, message)| message.listed_flits()).sum());
        if let Ok(proof) = &self.proof {
            row.set(&REDUNDANT_FLITS, proof.redundant_flits);
        }
        if let Some(load) = self.load() {
            row.set(&CRITICAL_HOPS, load.critical_hops);
            row.set(&CRITICAL_LINK_FLITS, load.critical_link_flits);
        }
        let bound = Bound::new(self.workload, self.job.machine);
        row.set(&BOUND_STARTUPS, bound.startups);
        row.set(&BOUND_FLITS, bound.flits);
        row.set(&BOUND, bound.ticks.0);
        row.set_packets(self.collective.len() as u64);
    }

    /// What each link carries along the paths that the network's own routing fixes, as lines.
    fn planned_links(&self, row: &mut Row) {
        let Some(network) = self.job.machine.network() else { return };
        let Some(load) = self.load() else { return };
        let flit_time = self.job.machine.channel.flit_time;
        let measured = row.measured();
        let line = |&CarriedByLink { link, flits, messages }: &CarriedByLink| {
            let channel = network.channels().physical_name(link);
            let line = LinkLine { channel, used: LinkLoad { flits, messages: Some(messages), ..LinkLoad::default() } };
            if self.workload.simulate { line.within(measured, flit_time) } else { line }
        };
        row.add_links(load.carried.iter().map(line));
    }

    /// A message in a few words.
    fn in_words(&self, id: MessageId) -> String {
        let CollectiveMessage { src, dst, .. } = self.collective.message(id);
        format!("message {id} ({}->{})", self.nodes[src], self.nodes[dst])
    }

    /// What the steps ask of links, in a sentence.
    fn load_in_words(&self, load: &Load) -> String {
        let Some(Shared { step, link, messages, first, second }) = load.busiest else {
            return "no two messages of a step share a link".to_owned();
        };
        let name =
            self.job.machine.network().map_or_else(String::new, |network| network.channels().physical_name(link));
        format!(
            "busiest link: {name}, with {messages} messages in step {step}, including {} and {}",
            self.in_words(first),
            self.in_words(second)
        )
    }
}

impl Planned for Plan<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        let proof = self.proof.as_ref().map_err(|violation| wrong(violation.clone()))?;
        let operation = self.workload.operation;
        let transfer = match operation {
            Operation::Barrier => "",
            _ => "; each contribution arrives exactly once, and every sender holds the data at the start of the step",
        };
        let mut sentence = format!(
            "proved: {}: {} ({}){transfer}; {} in {}, {} on the critical path",
            operation.name(),
            operation.postcondition(),
            counted(self.workload.ranks() as u64, "rank"),
            counted(proof.messages as u64, "message"),
            counted(self.collective.steps() as u64, "step"),
            counted(self.critical_flits(), "flit"),
        );
        if proof.redundant_flits > 0 {
            let redundant = flits(Flits(proof.redundant_flits));
            // a string takes everything
            let _ = write!(sentence, "; redundant: {redundant}, sent to ranks that already hold the data");
        }
        let evidence = Evidence::new().note(sentence);
        let evidence = match self.workload.operation.combines() {
            true if self.collective.keeps_order() => {
                evidence.note("combines only neighbouring intervals of ranks, so the operation need not be commutative")
            }
            true => evidence.note("combines ranks out of order, so the operation must be commutative"),
            false => evidence,
        };
        Ok(match self.load() {
            Some(load) => evidence.note(self.load_in_words(load)),
            None => evidence,
        })
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        row.nodes = self.collective.ranks();
        row.messages = self.collective.len();
        row.predict(self.predict().completion);
        self.count(row);
        if !self.workload.simulate {
            self.planned_links(row);
            return Ok(());
        }
        let flits = |message: usize| self.collective.message(MessageId::new(message)).flits;
        let name = |message: usize| (message as u64, flits(message));
        let links = self.workload.details || keep.links;
        if let Some(outcome) = measure(self.job.machine, self.program(), row, Beside { keep, links, name: &name })? {
            let messages = outcome.messages.iter().enumerate();
            row.set_packet_counts(PacketCounts::of_messages(messages.map(|(id, message)| (message, flits(id)))));
        }
        if !links {
            self.planned_links(row);
        }
        Ok(())
    }

    fn watch(&self, watch: &mut FirstWait) -> Option<Result<Outcome, Stop>> {
        if !self.workload.simulate {
            return None;
        }
        self.job.machine.run(self.program(), self.job.draw(), watch)
    }

    fn could_contend(&self) -> bool {
        self.job.machine.network.is_some()
    }

    fn messages(&self, tell: &mut dyn FnMut(&PlannedMessage)) {
        let timeline = self.predict();
        for (step, message) in self.all_messages() {
            let id = message.id;
            let send = self.model.send_overhead(message.flits);
            tell(&PlannedMessage {
                id: id.index(),
                step: Some(step),
                src: self.nodes[message.src],
                dst: self.nodes[message.dst],
                flits: Some(Flits(message.listed_flits())),
                hops: self.load().map(|load| load.links(id) as u64),
                send_start: timeline.requested[id.index()] - send,
                received: timeline.received[id.index()],
                carried: Some(Carried {
                    positions: self.positions(id),
                    part: message.part,
                    action: message.action.name(),
                }),
            });
        }
    }

    /// An edge per message, labelled with its step and what it carries.
    fn graph(&self) -> Option<Graph> {
        let edge = |(step, message): (usize, CollectiveMessage)| {
            let action = message.action.name();
            let positions = self.positions(message.id);
            let label = format!("{step}: {action} {positions}");
            (self.nodes[message.src].0, self.nodes[message.dst].0, format!("label=\"{}\"", label.trim_end()))
        };
        Some(Graph { directed: true, nodes: Vec::new(), edges: self.all_messages().map(edge).collect() })
    }

    fn holdings(&self, tell: &mut dyn FnMut(&Held)) -> Result<(), RowFailure> {
        self.tell_holdings(tell)
    }

    fn diagram(&self, diagram: Diagram) -> Result<Vec<Picture>, DiagramError> {
        self.picture(diagram)
    }

    fn goal(&self, flit_bytes: Option<u64>) -> Option<Result<Cow<'_, Goal>, String>> {
        let reduce = |flits: Flits| self.model.node.reduce(flits).0;
        let goal = Goal::of_collective(&self.collective, &self.nodes, flit_bytes.unwrap_or(1), reduce);
        Some(Ok(Cow::Owned(goal)))
    }
}

impl Plan<'_> {
    /// The positions that a message carries, as `0-3;7`.
    fn positions(&self, id: MessageId) -> String {
        let mut text = String::new();
        for range in self.collective.positions(id) {
            let separator = if text.is_empty() { "" } else { ";" };
            let last = range.end - 1;
            // a string takes everything
            let _ = match range.start == last {
                true => write!(text, "{separator}{last}"),
                false => write!(text, "{separator}{}-{last}", range.start),
            };
        }
        text
    }
}
