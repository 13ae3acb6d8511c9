//! Exchanges: a block from every node of a torus to every node, by several algorithms.

mod cache;
mod draw;
mod read;

pub use read::Exchange;

use crate::algorithm::exchange::{ALGORITHMS, printed};
use crate::cancel;
use crate::costs::NodeCosts;
use crate::engine::program::ExchangeProgram;
use crate::engine::{Outcome, Stop};
use crate::kind::words::{counted, first_of, flits};
use crate::kind::{
    Algorithms, Beside, Block, Column, Demand, Diagram, DiagramError, Evidence, FirstWait, Footing, Format, Graph,
    Held, Job, Keep, Kind, LINKS, LeftOut, Payload, Picture, Planned, PlannedMessage, Read, Row, RowFailure, RowFile,
    Template, Unread, Workload, WorstCase, measure, then_timed, with_sizes,
};
use crate::machine::Machine;
use crate::model::ExchangeModel;
use crate::schedule::Pace;
use crate::schedule::dependency::{Dependencies, StepLoad, dependencies, loads};
use crate::schedule::goal::Goal;
use crate::schedule::{self, ExchangeMessage, ExchangeProof};
use crate::topology::{Channels, Torus};
use crate::units::{Flits, MessageId, saturated};
use rustc_hash::FxBuildHasher;
use std::borrow::Cow;
use std::hash::BuildHasher;

/// The most bytes of holders that `check` remembers at a time.
const MOST_HOLDERS: u64 = 4 << 20;

/// Steps, counted.
const STARTUPS: Column = Column::count("startups").shown("start-ups", 7);
/// The sum over the steps of the largest message's blocks, counted.
const CRITICAL_BLOCKS: Column = Column::count("critical_blocks").shown("blocks", 8);
/// The sum over the steps of the most hops of a message, counted.
const CRITICAL_HOPS: Column = Column::count("critical_hops").shown("hops", 9);
/// The paper's model `S t_s + B t_d` with the numbers that it prints; none where it prints none.
const PAPER_PRINTED: Column = Column::ticks("paper_printed");
/// The same with the right numbers, in closed form.
const PAPER_CORRECTED: Column = Column::ticks("paper_corrected");

const COLUMNS: [Column; 17] = then_timed([STARTUPS, CRITICAL_BLOCKS, CRITICAL_HOPS, PAPER_PRINTED, PAPER_CORRECTED]);

const COLUMNS_WITH_SIZES: [Column; 20] = with_sizes(COLUMNS);

/// Exchanges in the registry.
pub static KIND: Kind = Kind {
    name: "exchange",
    summary: "all-to-all exchange of blocks on a torus, or with some algorithms on any network",
    in_words: "an exchange",
    keys: read::KEYS,
    columns: &COLUMNS,
    columns_with_sizes: &COLUMNS_WITH_SIZES,
    files: &[LINKS],
    exports: &[Format::Csv, Format::Holdings, Format::Dot, Format::Goal],
    diagrams: &[Diagram::Paths, Diagram::Blocks, Diagram::Timing],
    algorithms: Some(Algorithms {
        title: "Exchange algorithms and the tori that they support",
        line: |at| ALGORITHMS.get(at).map(|one| vec![one.name, one.sizes.in_words(), one.summary]),
    }),
    note: |unit, columns| format!("{}{}", on_the_path(columns), (Kind::DEFAULT.note)(unit, columns)),
    read: Read::Workload(read::read),
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    ..Kind::DEFAULT
};

fn on_the_path(columns: &Footing<'_>) -> &'static str {
    match ((columns.shows)("blocks"), (columns.shows)("hops")) {
        (true, true) => {
            "blocks and hops: largest message (in blocks) and longest path (in links) of each step, summed over the steps. "
        }
        (true, false) => "blocks: number of blocks in the largest message of each step, summed over the steps. ",
        (false, true) => "hops: number of links of the longest path of each step, summed over the steps. ",
        (false, false) => "",
    }
}

impl Workload for Exchange {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn variants(&self) -> Vec<&'static str> {
        self.algorithms.iter().map(|algorithm| algorithm.name).collect()
    }

    fn participants(&self) -> usize {
        self.shape.iter().product()
    }

    fn demand(&self, machine: &Machine, variant: usize) -> Demand {
        let shape = &self.shape;
        let nodes: usize = shape.iter().product();
        let Ok(path) = self.algorithms[variant].critical_path(shape) else { return Demand::default() };
        let messages = saturated(path.startups).saturating_mul(nodes);
        let blocks = path.blocks.saturating_mul(nodes as u64);
        // algorithms that number the nodes know no boxes of blocks: each block is told
        let numbers = ["bruck", "hypercube"].contains(&self.algorithms[variant].name);
        let each_block = if numbers { 650 } else { 2 };
        // what every node sends to every other meets on its way
        let crosses = ["direct", "pairwise"].contains(&self.algorithms[variant].name);
        let demand = Demand {
            nodes,
            messages,
            waits: if crosses { 8 } else { 0 },
            // a message with its boxes and moves, what is held, and the holders that `check` remembers
            planning: (100 * messages as u64).saturating_add((2 * nodes as u64 * nodes as u64).min(MOST_HOLDERS)),
            planning_time: (200 * messages as u64).saturating_add(each_block * blocks),
            ..Demand::default()
        };
        if !self.simulate {
            return demand;
        }
        let flits = Flits(path.blocks.saturating_mul(self.block_flits.0) / path.startups.max(1)).on_wire();
        demand.run_on(machine, flits).with_links(machine, self.details)
    }

    /// All messages one after the other.
    fn worst_case(&self, machine: &Machine) -> Option<WorstCase> {
        let shape = &self.shape;
        let paths = self.algorithms.iter().filter_map(|algorithm| algorithm.critical_path(shape).ok());
        let worst = paths.map(|path| (path.startups, path.blocks)).reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)));
        let (startups, blocks) = worst?;
        let costs = machine.sequential_costs();
        // a message of blocks without flits has one flit on the wire, which is no more than one for each of its blocks
        let flits = u128::from(blocks) * u128::from(self.block_flits.on_wire());
        let length = u64::try_from(flits).unwrap_or(u64::MAX);
        let each = costs.setup + machine.path_time() + machine.modelled(length);
        let nodes = self.participants() as u128;
        let all = nodes * (u128::from(startups) * each + flits * costs.per_flit);
        let ticks = all.max(machine.largest_offset(Flits(length)));
        Some(WorstCase { ticks, key: "block_flits", what: "this exchange" })
    }

    fn prescribes_paths(&self) -> bool {
        self.torus.is_some()
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

    /// The factors of an all-to-all of nccl-tests (PERFORMANCE.md); a node's vector is a block for each node.
    fn payload(&self, machine: &Machine) -> Option<Payload> {
        let nodes = machine.nodes()? as u64;
        Some(Payload { key: "block_flits", flits: self.block_flits, count: nodes, bus: [nodes - 1, nodes] })
    }

    fn title(&self, swept: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut parts = Vec::new();
        if !swept(".block_flits") {
            parts.push(format!("blocks of {}", flits(self.block_flits)));
        }
        if !swept(".synchronous") {
            parts.push(match self.pace {
                Pace::Synchronous => "barrier between steps".to_owned(),
                Pace::Asynchronous => "no barriers".to_owned(),
            });
        }
        parts
    }

    fn writes(&self, _: bool) -> &'static [RowFile] {
        if self.details { KIND.files } else { &[] }
    }

    /// The same for all rows of one and the same run; none where set-ups matter.
    fn shared_work(&self, machine: &Machine, variant: usize) -> Option<u64> {
        let work = self.without_setups(machine, variant)?;
        Some(FxBuildHasher.hash_one(work))
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        let exchange = self.algorithms[job.variant].plan(&self.shape).map_err(RowFailure::plan)?;
        let exchange = match job.machine.network() {
            Some(network) if self.torus.is_none() => exchange.on_paths(|src, dst| network.hops(src, dst)),
            _ => exchange,
        };
        let model = ExchangeModel {
            node: job.machine.node,
            network: job.machine.network_time(),
            chosen: job.machine.model,
            block_flits: self.block_flits,
            pace: self.pace,
        };
        Ok(Box::new(Plan { workload: self, job, exchange, model }))
    }
}

/// An exchange, not proved yet.
struct Plan<'a> {
    workload: &'a Exchange,
    job: Job<'a>,
    exchange: schedule::Exchange,
    model: ExchangeModel,
}

impl Plan<'_> {
    fn program(&self, node: &NodeCosts) -> ExchangeProgram<'_> {
        let Exchange { torus, block_flits, pace, .. } = self.workload;
        let program = match torus {
            Some(torus) => ExchangeProgram::new(&self.exchange, torus, node, *block_flits, *pace),
            None => ExchangeProgram::on_paths(&self.exchange, node, *block_flits, *pace),
        };
        program.with_stragglers(self.job.machine.stragglers())
    }

    fn prove(&self) -> Result<ExchangeProof, RowFailure> {
        cancel::within(0.4..1.0, || self.exchange.check()).map_err(RowFailure::wrong("the schedule is invalid"))
    }

    fn flits(&self, id: MessageId) -> Flits {
        Flits(self.exchange.message(id).blocks * self.workload.block_flits.0)
    }

    fn all_messages(&self) -> impl Iterator<Item = (usize, ExchangeMessage<'_>)> {
        (0..self.exchange.steps()).flat_map(|step| self.exchange.messages(step).map(move |message| (step, message)))
    }

    /// What stands on the critical path, and what the paper says of it.
    fn count(&self, row: &mut Row) -> Result<(), RowFailure> {
        let algorithm = self.workload.algorithms[self.job.variant];
        let shape = &self.workload.shape;
        row.set(&STARTUPS, self.exchange.steps() as u64);
        row.set(&CRITICAL_BLOCKS, self.exchange.critical_blocks());
        row.set(&CRITICAL_HOPS, self.exchange.critical_hops());
        if let Some(path) = printed(algorithm, shape) {
            row.set(&PAPER_PRINTED, self.model.transmission(path).0);
        }
        let path = algorithm.critical_path(shape).map_err(RowFailure::plan)?;
        row.set(&PAPER_CORRECTED, self.model.transmission(path).0);
        Ok(())
    }

    fn ends(&self, torus: &Torus, id: MessageId) -> String {
        let message = self.exchange.message(id);
        format!("message {id} ({}->{})", torus.node_name(message.src), torus.node_name(message.dst))
    }

    /// What the steps ask of the links, in a sentence.
    fn load_in_words(&self, torus: &Torus, loads: &[StepLoad]) -> String {
        let Some((step, shared)) = loads.iter().enumerate().find_map(|(step, load)| Some((step, load.shared?))) else {
            return "no two messages of a step share a link".to_owned();
        };
        let (first, second) = shared.messages;
        let link = torus.name(shared.channel);
        let busiest = loads.iter().map(|load| load.messages).max().unwrap_or(0);
        let shown: Vec<String> = loads.iter().take(64).map(|load| load.messages.to_string()).collect();
        let more = if loads.len() > shown.len() { " .." } else { "" };
        format!(
            "up to {busiest} messages of a step share a link; first, in step {step}, counted from 0: {} and {} share {link}; \
             messages on the busiest link of each step: {}{more}",
            self.ends(torus, first),
            self.ends(torus, second),
            shown.join(" ")
        )
    }
}

impl Planned for Plan<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        let ExchangeProof { blocks, startups, critical_blocks, critical_hops, .. } = self.prove()?;
        let evidence = Evidence::new().note(format!(
            "proved: every block ({blocks} in all) is delivered exactly once; every sender holds the blocks that it \
             sends; a node sends at most once and receives at most once per step ({}); {} and {} on the critical path",
            counted(startups as u64, "step"),
            counted(critical_blocks, "block"),
            counted(critical_hops, "hop"),
        ));
        let Some(torus) = &self.workload.torus else {
            return Ok(evidence.note(
                "messages follow the routing of the network; the algorithm uses only the numbers of the nodes"
                    .to_owned(),
            ));
        };
        let evidence = evidence.note(self.load_in_words(torus, &loads(&self.exchange, torus)));
        let mut all = Vec::new();
        for virtual_channels in [1, 2] {
            all.push(dependencies(&self.exchange, virtual_channels).map_err(RowFailure::plan)?);
        }
        Ok(deadlock_freedom(&all).into_iter().fold(evidence, Evidence::note))
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        row.nodes = self.exchange.nodes();
        row.messages = self.exchange.len();
        row.predict(self.model.completion(&self.exchange));
        self.count(row)?;
        if !self.workload.simulate {
            return Ok(());
        }
        if !keep.wants_messages()
            && let Some(measured) = self.measured_without_setups()
        {
            row.measure(&measured);
            return Ok(());
        }
        self.prove()?;
        let machine = self.job.machine;
        let name = |message: usize| (message as u64, self.flits(MessageId::new(message)));
        measure(machine, self.program(&machine.node), row, Beside { keep, links: self.workload.details, name: &name })?;
        Ok(())
    }

    fn watch(&self, watch: &mut FirstWait) -> Option<Result<Outcome, Stop>> {
        if !self.workload.simulate {
            return None;
        }
        self.job.machine.run(self.program(&self.job.machine.node), self.job.draw(), watch)
    }

    fn messages(&self, tell: &mut dyn FnMut(&PlannedMessage)) {
        let prices = self.model.price(&self.exchange);
        for (step, message) in self.all_messages() {
            let at = message.id.index();
            tell(&PlannedMessage {
                id: at,
                step: Some(step),
                src: message.src,
                dst: message.dst,
                flits: Some(self.flits(message.id)),
                hops: Some(message.hops()),
                send_start: prices.send_start[at],
                received: prices.received[at],
                carried: None,
            });
        }
    }

    fn blocks(&self, id: usize) -> Vec<Block> {
        self.exchange.blocks(MessageId::new(id))
    }

    fn holdings(&self, tell: &mut dyn FnMut(&Held)) -> Result<(), RowFailure> {
        self.block_holdings().tell(tell);
        Ok(())
    }

    /// An edge per message, labelled with its step and how many blocks it carries.
    fn graph(&self) -> Option<Graph> {
        let edge = |(step, message): (usize, ExchangeMessage<'_>)| {
            (message.src.0, message.dst.0, format!("label=\"{step}: {}\"", message.blocks))
        };
        Some(Graph { directed: true, nodes: Vec::new(), edges: self.all_messages().map(edge).collect() })
    }

    fn goal(&self, flit_bytes: Option<u64>) -> Option<Result<Cow<'_, Goal>, String>> {
        let block_bytes = flit_bytes.unwrap_or(1) * self.workload.block_flits.0;
        Some(Ok(Cow::Owned(Goal::of_exchange(&self.exchange, block_bytes))))
    }

    fn diagram(&self, diagram: Diagram) -> Result<Vec<Picture>, DiagramError> {
        match diagram {
            Diagram::Blocks => self.block_tables(),
            Diagram::Timing => self.timing(),
            _ => self.paths(),
        }
    }
}

/// Whether the channel dependency graph has a cycle with each number of virtual channels, in sentences.
fn deadlock_freedom(all: &[Dependencies]) -> Vec<String> {
    let (safe, risky): (Vec<_>, Vec<_>) = all.iter().partition(|d| d.over_all_steps.is_none());
    let mut sentences: Vec<String> = risky.into_iter().map(cycle).collect();
    if !safe.is_empty() {
        let numbers: Vec<String> = safe.into_iter().map(|d| d.virtual_channels.to_string()).collect();
        let numbers = numbers.join(" or ");
        let channels = if numbers == "1" { "channel" } else { "channels" };
        sentences.push(format!(
            "with {numbers} virtual {channels} the channel dependency graph is acyclic, so the exchange is deadlock-free \
             with and without barriers"
        ));
    }
    sentences
}

fn cycle(dependencies: &Dependencies) -> String {
    let number = counted(dependencies.virtual_channels as u64, "virtual channel");
    match (&dependencies.within_a_step, &dependencies.over_all_steps) {
        (Some((step, cycle)), _) => {
            format!("with {number} the channel dependency graph of step {step} has a cycle: {}", first_of(cycle))
        }
        (None, Some(cycle)) => {
            format!(
                "with {number} the channel dependency graph of each step is acyclic, but that of all steps has a cycle: {}",
                first_of(cycle)
            )
        }
        (None, None) => format!("with {number} the channel dependency graph is acyclic"),
    }
}
