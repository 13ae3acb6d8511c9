//! Broadcasts over a grid: trees planned under forecasts, proved, executed under forecasts and under what links cost.

mod draw;
mod faults;
mod grid;
mod read;
mod wrong;

pub use faults::FaultSpec;
pub use grid::Grid;
pub use read::{Alpha, Broadcast};
pub use wrong::Wrong;

use crate::algorithm::broadcast::{ALGORITHMS, Removed, Tree, ecef, lower_bound};
use crate::engine::grid::faults::Faults;
use crate::engine::grid::{Happening, Patience, Rules, Spread, TreeBroadcast};
use crate::kind::words::{counted, number};
use crate::kind::{
    Algorithms, BLOCKED_HEADERS, BLOCKED_MESSAGES, BLOCKED_TIME, CONFIDENCE, Cell, Column, DURATION, Demand, Diagram,
    DiagramError, Evidence, Format, Graph, Job, Keep, Kind, MARGIN, MEASURED, Means, PREDICTED, Picture, Planned,
    PlannedMessage, QUEUED_MESSAGES, QUEUED_TIME, Read, Row, RowFailure, RowFile, Template, VS_BEST, VS_MODEL,
    Workload, WorstCase,
};
use crate::machine::Machine;
use crate::network::grid::Costs;
use crate::schedule::goal::Goal;
use crate::schedule::{Proof, Schedule, Violation};
use crate::topology::CostMatrix;
use crate::units::{Flits, Key, NodeId, Ticks};
use std::borrow::Cow;
use thiserror::Error;

/// What ECEF takes if it is planned from what links cost: the yardstick for wrong forecasts.
const PERFECT: Column = Column::ticks("perfect");
/// The mean time at which nodes had the message, the root aside, in whole ticks.
const MEAN_INFORMED: Column = Column::ticks("mean_informed");
/// Sends that a node refused because it had the message.
const REFUSED: Column = Column::count("refused");
/// Contests that the second sender won.
const SWITCHED: Column = Column::count("switched");
/// Contests that the first sender won.
const KEPT: Column = Column::count("kept");
/// Sends that were given up.
const GIVEN_UP: Column = Column::count("given_up");
/// Nodes that live to the end.
const SURVIVING: Column = Column::count("surviving");
/// Of these, the ones that had the message at the end.
const INFORMED: Column = Column::count("informed");

const COLUMNS: [Column; 23] = [
    PREDICTED,
    MEASURED,
    CONFIDENCE,
    Column::derived("median", 7, Cell::Computed(median)),
    Column::derived("delay", 4, Cell::Computed(delay)),
    Column::derived("cover", 1, Cell::Computed(cover)),
    PERFECT,
    MEAN_INFORMED,
    REFUSED,
    SWITCHED,
    KEPT,
    GIVEN_UP,
    SURVIVING,
    INFORMED,
    VS_MODEL,
    BLOCKED_MESSAGES,
    BLOCKED_HEADERS,
    BLOCKED_TIME,
    QUEUED_MESSAGES,
    QUEUED_TIME,
    DURATION,
    VS_BEST,
    MARGIN,
];

/// Times of broadcasts have long tails.
fn median(means: &Means<'_>) -> Option<String> {
    Some(number(means.statistics("measured")?.median))
}

/// How much longer than ECEF planned from what links cost.
fn delay(means: &Means<'_>) -> Option<String> {
    let perfect = means.mean("perfect")?;
    let delay = (means.mean("measured")? - perfect) / perfect;
    delay.is_finite().then(|| format!("{delay:+.3}"))
}

/// The part of the surviving nodes that the broadcast reaches, where it does not always reach all.
fn cover(means: &Means<'_>) -> Option<String> {
    let surviving = means.statistics("surviving")?;
    let informed = means.statistics("informed")?;
    let always_all = informed.minimum >= surviving.maximum;
    (!always_all).then(|| format!("{:.4}", informed.mean / surviving.mean))
}

/// A line per send of every tree.
const TREES: RowFile =
    RowFile { name: "trees.csv", header: &["point", "algorithm", "repetition", "tree", "order", "src", "dst"] };
/// A line per node: when it had the message, and from which node.
const NODES: RowFile =
    RowFile { name: "nodes.csv", header: &["point", "algorithm", "repetition", "node", "parent", "informed"] };
/// A line per transfer and contest.
const EVENTS: RowFile = RowFile {
    name: "events.csv",
    header: &["point", "algorithm", "repetition", "time", "event", "src", "dst", "other"],
};

/// What is read of a grid beside its costs.
const TABLES: [Key; 1] = [Key::table("error", wrong::KEYS)
    .beside(&["network.grid"])
    .because("only the links of a [network.grid] are forecast")
    .says("errors of the forecasts that the planner of a broadcast uses")];

const FILES: [RowFile; 3] = [TREES, NODES, EVENTS];

/// Broadcasts in the registry. What happens to their messages is written to files of their own.
pub static KIND: Kind = Kind {
    name: "broadcast",
    summary: "broadcast of one message over a grid, planned from forecasts",
    in_words: "a broadcast",
    keys: read::KEYS,
    tables: &TABLES,
    columns: &COLUMNS,
    files: &FILES,
    keeps_messages: false,
    needs_grid: true,
    exports: &[Format::Csv, Format::Dot, Format::Goal],
    diagrams: &[Diagram::Tree, Diagram::Timing],
    algorithms: Some(Algorithms {
        title: "Broadcast algorithms for grids",
        line: |at| ALGORITHMS.get(at).map(|one| vec![one.name, one.summary]),
    }),
    note: |unit, columns| {
        let delay = (columns.shows)("delay").then_some("delay: relative excess over ECEF with exact forecasts. ");
        let cover =
            (columns.shows)("cover").then_some("cover: fraction of the surviving nodes that receive the message. ");
        format!("{}{}{}\n", delay.unwrap_or_default(), cover.unwrap_or_default(), columns.times(unit))
    },
    read: Read::Workload(read::read),
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    ..Kind::DEFAULT
};

impl Workload for Broadcast {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn variants(&self) -> Vec<&'static str> {
        self.algorithms.iter().map(|algorithm| algorithm.name).collect()
    }

    fn participants(&self) -> usize {
        self.grid.nodes()
    }

    fn demand(&self, _: &Machine, variant: usize) -> Demand {
        let nodes = self.grid.nodes();
        let squares = (nodes as u64).saturating_mul(nodes as u64);
        let trees = self.options.trees.max(1) as u64;
        Demand {
            nodes,
            messages: nodes,
            // as it is drawn, its costs, forecasts, and the rows that planners sort
            planning: squares.saturating_mul(8 * size_of::<u64>() as u64),
            planning_time: squares.saturating_mul(match self.algorithms[variant].name {
                "ecef" | "ecef-lookahead" => 110,
                "ttcc" => 75 + 15 * trees,
                _ => 65,
            }),
            ..Demand::default()
        }
    }

    fn size_in_words(&self, _: &Machine, demand: &Demand) -> (String, &'static str) {
        (format!("a grid of {} nodes", demand.nodes), "network")
    }

    /// Costs are limited so that those of all sends add up.
    fn worst_case(&self, _: &Machine) -> Option<WorstCase> {
        None
    }

    fn title(&self, swept: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut parts = Vec::new();
        if !swept("network.") {
            parts.push(self.grid.title());
        }
        match &self.grid.error {
            Some(wrong) if !swept("error.") => parts.push(wrong.title()),
            _ => {}
        }
        parts
    }

    fn writes(&self, messages: bool) -> &'static [RowFile] {
        match (messages, self.details) {
            (true, _) => &FILES,
            (false, true) => &FILES[..2],
            (false, false) => &[],
        }
    }

    fn findings(&self, evidence: &Evidence) -> Vec<String> {
        let most = |name| evidence.shown(name).most;
        let hundredths = most("times the bound");
        let reach = match most("trees") {
            1 => "the tree reaches every node",
            _ => "no send is in two trees; the first tree reaches every node",
        };
        vec![format!(
            "proved for {}: {} with {}; {reach}; every sender has the message before it sends; with exact forecasts, the \
             broadcast takes at most {}.{:02} times the lower bound",
            counted(evidence.repetitions as u64, "repetition"),
            counted(most("trees"), "tree"),
            counted(most("sends"), "send"),
            hundredths / 100,
            hundredths % 100,
        )]
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        let costs = self
            .grid
            .costs(job.seed, job.repetition)
            .map_err(RowFailure::wrong("the costs of the grid cannot be computed"))?;
        let trees = self.algorithms[job.variant].plan(&costs.predicted, self.root, &self.options);
        let schedules = self.proved(&trees).map_err(RowFailure::wrong("the tree is invalid"))?;
        let rules = self.rules(&trees, &costs.predicted);
        Ok(Box::new(Plan { workload: self, job, costs, trees, schedules, rules }))
    }
}

impl Broadcast {
    /// The schedules of `trees`: the first informs every node, the others those to which they send.
    fn proved(&self, trees: &[Tree]) -> Result<Vec<Schedule>, Violation> {
        let mut schedules = Vec::with_capacity(trees.len());
        for tree in trees {
            // a grid tells what messages cost and not how long they are
            let schedule = tree.schedule(self.grid.nodes(), self.root, Flits(0));
            if schedules.is_empty() {
                self.reaches_every_node(&schedule)?;
            } else {
                let receivers: Vec<NodeId> = tree.edges().iter().map(|&(_, dst)| dst).collect();
                schedule.check(&receivers)?;
            }
            schedules.push(schedule);
        }
        Ok(schedules)
    }

    fn reaches_every_node(&self, tree: &Schedule) -> Result<Proof, Violation> {
        let others = (0..self.grid.nodes()).map(NodeId::new).filter(|&node| node != self.root);
        tree.check(&others.collect::<Vec<NodeId>>())
    }
}

/// Two trees have a send in common.
#[derive(Debug, Error)]
#[error("two trees send from node {src} to node {dst}")]
struct SharedSend {
    src: NodeId,
    dst: NodeId,
}

/// Trees, proved, and the costs that they are for.
struct Plan<'a> {
    workload: &'a Broadcast,
    job: Job<'a>,
    costs: Costs,
    /// In the order in which they were planned.
    trees: Vec<Tree>,
    /// The same to be executed.
    schedules: Vec<Schedule>,
    rules: Rules,
}

/// Something that happened in a broadcast: when, what, sender and receiver.
type Event = (Ticks, Happening, NodeId, NodeId);

/// What an execution under the actual costs gave.
struct Executed {
    spread: Spread,
    log: Vec<Event>,
    /// Nodes that live to the end.
    surviving: usize,
    /// When those had the message that ever had it.
    reached: Vec<Ticks>,
    perfect: Ticks,
}

impl Plan<'_> {
    fn nodes(&self) -> usize {
        self.costs.actual.nodes()
    }

    /// When the last node has the message if the forecasts come true.
    fn promised(&self) -> Ticks {
        self.broadcast(&self.costs.predicted).run(&mut ()).completion
    }

    /// Its trees under `costs`, with nothing that fails.
    fn broadcast<'b>(&'b self, costs: &'b CostMatrix) -> TreeBroadcast<'b> {
        TreeBroadcast::new(costs, &self.schedules).rules(self.rules)
    }

    fn execute(&self) -> Executed {
        let Costs { actual, predicted } = &self.costs;
        let root = self.workload.root;
        let perfect = ecef(actual, root, &Removed::nothing()).completion(actual, root);
        let (faults, patience) = match &self.workload.faults {
            Some(spec) => {
                let faults = spec.draw(self.job, perfect, self.nodes(), root);
                (faults, spec.give_up.map(|factor| Patience { forecast: predicted, factor }))
            }
            None => (Faults::default(), None),
        };
        let mut log = Vec::new();
        let mut spread = self.broadcast(actual).faults(&faults).patience(patience).run(&mut log);
        let surviving: Vec<usize> = (0..self.nodes()).filter(|&node| faults.survives(NodeId::new(node))).collect();
        let reached: Vec<Ticks> = surviving.iter().filter_map(|&node| spread.informed[node]).collect();
        spread.completion = reached.iter().copied().max().unwrap_or_default();
        Executed { spread, log, surviving: surviving.len(), reached, perfect }
    }

    fn count(&self, executed: &Executed, row: &mut Row) {
        let Executed { spread, log, surviving, reached, perfect } = executed;
        let sum: Ticks = reached.iter().copied().sum();
        let informed = reached.len() as u64;
        row.set(&MEASURED, spread.completion.0);
        row.set(&PERFECT, perfect.0);
        // the root, which has the message from the start, is always reached
        row.set(&MEAN_INFORMED, sum.0 / (informed - 1).max(1));
        for (column, word) in [(REFUSED, "refused"), (SWITCHED, "switch"), (KEPT, "keep"), (GIVEN_UP, "gave-up")] {
            let times = log.iter().filter(|(_, what, ..)| what.name() == word).count();
            row.set(&column, times as u64);
        }
        row.set(&SURVIVING, *surviving as u64);
        row.set(&INFORMED, informed);
    }

    fn write(&self, executed: &Executed, events: bool, row: &mut Row) {
        let trees = self.trees.iter().enumerate();
        let sends = trees.flat_map(|(number, tree)| {
            tree.edges().iter().enumerate().map(move |(order, (src, dst))| (number, order, src.0, dst.0))
        });
        row.add_lines(&TREES, sends);
        let spread = &executed.spread;
        let nodes = spread.informed.iter().zip(&spread.parent).enumerate();
        row.add_lines(&NODES, nodes.map(|(node, (at, parent))| (node, parent.map(|p| p.0), at.map(|at| at.0))));
        if events {
            let line = |&(at, what, src, dst): &Event| {
                let other = match what {
                    Happening::Switch(other) | Happening::Keep(other) => Some(other.0),
                    _ => None,
                };
                (at.0, what.name(), src.0, dst.0, other)
            };
            row.add_lines(&EVENTS, executed.log.iter().map(line));
        }
    }

    /// Its trees with an equal share of the message each: operations can refuse nothing, so what is to come along
    /// several trees has to be several parts.
    fn shares(&self) -> Result<Vec<Schedule>, String> {
        let bytes = self.workload.grid.source.bytes();
        let bytes = bytes.ok_or("costs from files do not include the size of the message; set `network.grid.bytes`")?;
        let trees = self.schedules.len() as u64;
        let mut shares = Vec::new();
        for (number, tree) in (0..trees).zip(&self.schedules) {
            if let Err(violation) = self.workload.reaches_every_node(tree) {
                return Err(format!(
                    "tree {number} cannot carry a share of the message: {violation}; reduce `workload.broadcast.trees`"
                ));
            }
            // the first shares are a byte larger where bytes are left over
            let share = bytes / trees + u64::from(number < bytes % trees);
            shares.push(tree.clone().with_flits(Flits(share)));
        }
        Ok(shares)
    }

    /// Two trees share no send.
    fn prove_disjoint(&self) -> Result<usize, RowFailure> {
        let mut sends: Vec<_> = self.trees.iter().flat_map(|tree| tree.edges().iter().copied()).collect();
        sends.sort_unstable();
        match sends.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(sends.len()),
            Some(pair) => {
                let (src, dst) = pair[0];
                Err(RowFailure::wrong("the trees are invalid")(SharedSend { src, dst }))
            }
        }
    }
}

impl Planned for Plan<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        let sends = self.prove_disjoint()?;
        let bound = lower_bound(&self.costs.predicted, self.workload.root).max(1);
        // rounded to hundredths, half up
        let hundredths = (u128::from(self.promised().0) * 200 + u128::from(bound)) / (2 * u128::from(bound));
        let evidence = Evidence::new().fact("trees", self.trees.len() as u64).fact("sends", sends as u64);
        Ok(evidence.fact("times the bound", u64::try_from(hundredths).unwrap_or(u64::MAX)))
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        row.nodes = self.nodes();
        row.messages = self.trees.iter().map(|tree| tree.edges().len()).sum();
        row.predict(self.promised());
        row.engine = Some("grid");
        let executed = self.execute();
        self.count(&executed, row);
        if self.workload.details || keep.messages {
            self.write(&executed, keep.messages, row);
        }
        Ok(())
    }

    fn could_contend(&self) -> bool {
        false
    }

    /// Times are those of each tree alone under the forecasts; the step is the number of the tree.
    fn messages(&self, tell: &mut dyn FnMut(&PlannedMessage)) {
        let predicted = &self.costs.predicted;
        let mut id = 0;
        for (number, tree) in self.trees.iter().enumerate() {
            let informed = tree.informed(predicted, self.workload.root);
            for &(src, dst) in tree.edges() {
                let received = informed[dst.index()].unwrap_or_default();
                let send_start = received - predicted.cost(src, dst).min(received);
                let step = Some(number);
                tell(&PlannedMessage {
                    id,
                    step,
                    src,
                    dst,
                    flits: None,
                    hops: None,
                    send_start,
                    received,
                    carried: None,
                });
                id += 1;
            }
        }
    }

    /// An edge per send, labelled with its tree and its place in the tree's order; trees after the first are dashed.
    fn graph(&self) -> Option<Graph> {
        let mut edges = Vec::new();
        for (number, tree) in self.trees.iter().enumerate() {
            let style = if number > 0 { ", style=dashed" } else { "" };
            for (order, (src, dst)) in tree.edges().iter().enumerate() {
                edges.push((src.0, dst.0, format!("label=\"{number}: {order}\"{style}")));
            }
        }
        let nodes = vec![(self.workload.root.0, "shape=doublecircle".to_owned())];
        Some(Graph { directed: true, nodes, edges })
    }

    fn goal(&self, flit_bytes: Option<u64>) -> Option<Result<Cow<'_, Goal>, String>> {
        if flit_bytes.is_some() {
            return Some(Err("--flit-bytes has no effect: the message is already in bytes".to_owned()));
        }
        Some(self.shares().map(|trees| Cow::Owned(Goal::of_trees(&trees, 1))))
    }

    fn diagram(&self, diagram: Diagram) -> Result<Vec<Picture>, DiagramError> {
        match diagram {
            Diagram::Tree => self.tree_pictures(),
            _ => self.timing(),
        }
    }
}
