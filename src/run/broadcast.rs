//! Rows of broadcasts: planned under forecasts, proved, executed under forecasts and under what links cost.

use super::RowId;
use super::row::{Measured, Row, RowFailure};
use crate::algorithm::broadcast::{Removed, ecef, lower_bound};
use crate::engine::broadcast::{Happening, Patience, Spread, Watch, spread, spread_with};
use crate::engine::faults::Faults;
use crate::scenario::{Broadcast, Costs, Experiment};
use crate::schedule::{Tree, TreeViolation};
use crate::units::{NodeId, Ticks};

/// What is counted of a broadcast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BroadcastCounts {
    /// What ECEF takes if it is planned from what links cost: the yardstick for wrong forecasts.
    pub perfect: Ticks,
    /// The mean time at which nodes had the message, the root aside, in whole ticks.
    pub mean_informed: Ticks,
    /// Sends that a node refused because it had the message.
    pub refused: u64,
    /// Contests that the second sender won.
    pub switched: u64,
    /// Contests that the first sender won.
    pub kept: u64,
    /// Sends that were given up.
    pub given_up: u64,
    /// Nodes that live to the end.
    pub surviving: u64,
    /// Of these, the ones that had the message at the end.
    pub informed: u64,
}

/// All that happened in a broadcast.
#[derive(Clone, Debug)]
pub struct BroadcastDetails {
    /// The trees that were planned.
    pub trees: Vec<Tree>,
    /// Who had the message when, under what links cost.
    pub spread: Spread,
    /// What happened, in order: when, what, sender and receiver; empty unless asked for.
    pub log: Vec<(Ticks, Happening, NodeId, NodeId)>,
}

/// Counts what happens, and notes it if asked.
struct Counter {
    counts: BroadcastCounts,
    log: Option<Vec<(Ticks, Happening, NodeId, NodeId)>>,
}

impl Watch for Counter {
    fn happens(&mut self, at: Ticks, what: Happening, src: NodeId, dst: NodeId) {
        match what {
            Happening::Refused => self.counts.refused += 1,
            Happening::Switch(_) => self.counts.switched += 1,
            Happening::Keep(_) => self.counts.kept += 1,
            Happening::GaveUp => self.counts.given_up += 1,
            Happening::Start | Happening::Done => {}
        }
        if let Some(log) = &mut self.log {
            log.push((at, what, src, dst));
        }
    }
}

/// The costs and the trees of the row `id`, proved.
///
/// # Errors
/// If a cost comes out too large or a tree is wrong.
///
/// # Panics
/// If there is no such row.
pub fn plan(seed: u64, broadcast: &Broadcast, id: RowId) -> Result<(Costs, Vec<Tree>), RowFailure> {
    let costs = broadcast.grid.costs(seed, id.repetition)?;
    let trees = broadcast.algorithms[id.algorithm].plan(&costs.predicted, broadcast.root, &broadcast.options);
    for (at, tree) in trees.iter().enumerate() {
        tree.check(costs.actual.nodes(), broadcast.root, at == 0)?;
    }
    Ok((costs, trees))
}

pub(super) fn row(experiment: &Experiment, broadcast: &Broadcast, id: RowId, details: bool) -> Result<Row, RowFailure> {
    let (Costs { actual, predicted }, trees) = plan(experiment.seed, broadcast, id)?;
    let (root, rules) = (broadcast.root, broadcast.rules(&trees, &predicted));
    let promised = spread(&predicted, root, &trees, rules, &mut ()).completion;
    let perfect = ecef(&actual, root, &Removed::nothing()).completion(&actual, root);
    let (faults, patience) = match &broadcast.faults {
        Some(spec) => {
            let faults = spec.draw(experiment.seed, id.repetition, (actual.nodes(), root), perfect);
            (faults, spec.give_up.map(|factor| Patience { forecast: &predicted, factor }))
        }
        None => (Faults::default(), None),
    };
    let mut counter = Counter { counts: BroadcastCounts::default(), log: details.then(Vec::new) };
    let mut spread = spread_with(&actual, root, &trees, rules, (&faults, patience), &mut counter);
    let survive = |node: &usize| faults.survives(NodeId::new(*node));
    let reached: Vec<Ticks> = (0..actual.nodes()).filter(survive).filter_map(|node| spread.informed[node]).collect();
    spread.completion = reached.iter().copied().max().unwrap_or_default();
    let sum: Ticks = reached.iter().copied().sum();
    let counts = BroadcastCounts {
        perfect,
        mean_informed: Ticks(sum.0 / (reached.len() as u64 - 1).max(1)),
        surviving: (0..actual.nodes()).filter(survive).count() as u64,
        informed: reached.len() as u64,
        ..counter.counts
    };
    let measured = Measured { completion: spread.completion, blocked: None, engine: "grid" };
    let kept = broadcast.details || details;
    Ok(Row {
        nodes: actual.nodes(),
        messages: trees.iter().map(|tree| tree.edges().len()).sum(),
        predicted: Some(promised),
        measured: Some(measured),
        broadcast: Some(counts),
        spread: kept.then(|| BroadcastDetails { trees, spread, log: counter.log.unwrap_or_default() }),
        ..Row::new(id, broadcast.algorithms[id.algorithm].name, experiment.seed)
    })
}

/// What can be shown of a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BroadcastFindings {
    /// How many trees, each of which informs a node once at most, from one that has the message.
    pub trees: usize,
    /// Their sends in all, none of which is in two trees.
    pub sends: usize,
    /// When the last node has the message if the forecasts come true.
    pub promised: Ticks,
    /// No broadcast is faster if the forecasts come true.
    pub bound: Ticks,
}

/// Proves the trees of the row `id`, which share no send.
pub(super) fn findings(
    experiment: &Experiment,
    broadcast: &Broadcast,
    id: RowId,
) -> Result<BroadcastFindings, RowFailure> {
    let (costs, trees) = plan(experiment.seed, broadcast, id)?;
    let mut sends: Vec<_> = trees.iter().flat_map(|tree| tree.edges().iter().copied()).collect();
    sends.sort_unstable();
    if let Some(pair) = sends.windows(2).find(|pair| pair[0] == pair[1]) {
        let (src, dst) = pair[0];
        return Err(TreeViolation::Again { src, dst }.into());
    }
    let rules = broadcast.rules(&trees, &costs.predicted);
    let promised = spread(&costs.predicted, broadcast.root, &trees, rules, &mut ()).completion;
    let bound = Ticks(lower_bound(&costs.predicted, broadcast.root));
    Ok(BroadcastFindings { trees: trees.len(), sends: sends.len(), promised, bound })
}
