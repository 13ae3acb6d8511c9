//! Rows of exchanges: planned, proved, priced and run; and what can be shown of them.

use super::RowId;
use super::alike::Alike;
use super::row::{Measured, Row, RowFailure, engage, measure};
use crate::algorithm::exchange::printed;
use crate::engine::exchange::ExchangeProgram;
use crate::engine::node::NodeCosts;
use crate::engine::{Observer, Outcome, Stop};
use crate::model::ExchangeModel;
use crate::scenario::{self, Experiment};
use crate::schedule::dependency::{Dependencies, StepLoad, dependencies, loads};
use crate::schedule::{Exchange, ExchangeProof};
use crate::topology::{Channels, Torus};
use crate::units::{Flits, MessageId, Ticks};

/// What stands on the critical path of an exchange, and what its paper says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeCounts {
    /// Steps, counted.
    pub startups: u64,
    /// The sum over the steps of the largest message's blocks, counted.
    pub critical_blocks: u64,
    /// The sum over the steps of the most hops of a message, counted.
    pub critical_hops: u64,
    /// The paper's model `S t_s + B t_d` with the numbers that it prints; none where it prints none.
    pub paper_printed: Option<Ticks>,
    /// The same with the right numbers, in closed form.
    pub paper_corrected: Ticks,
}

/// The exchange of the row `id`, not proved.
///
/// # Errors
/// If the algorithm cannot do the torus.
///
/// # Panics
/// If there is no such row.
pub fn plan(workload: &scenario::Exchange, id: RowId) -> Result<Exchange, RowFailure> {
    Ok(workload.algorithms[id.algorithm].plan(workload.torus.shape())?)
}

/// The model that prices the exchanges of `experiment`.
#[must_use]
pub fn model(experiment: &Experiment, workload: &scenario::Exchange) -> ExchangeModel {
    let (block_flits, pace) = (workload.block_flits, workload.pace);
    ExchangeModel { node: experiment.node, channel: experiment.channel, chosen: experiment.model, block_flits, pace }
}

fn program<'a>(node: &NodeCosts, workload: &'a scenario::Exchange, exchange: &'a Exchange) -> ExchangeProgram<'a> {
    ExchangeProgram::new(exchange, &workload.torus, node, workload.block_flits, workload.pace)
}

pub(super) fn row(
    experiment: &Experiment,
    workload: &scenario::Exchange,
    id: RowId,
    details: bool,
    alike: &Alike,
) -> Result<Row, RowFailure> {
    let (algorithm, shape) = (workload.algorithms[id.algorithm], workload.torus.shape());
    let exchange = plan(workload, id)?;
    let model = model(experiment, workload);
    let counts = ExchangeCounts {
        startups: exchange.steps() as u64,
        critical_blocks: exchange.critical_blocks(),
        critical_hops: exchange.critical_hops(),
        paper_printed: printed(algorithm, shape).map(|path| model.transmission(path)),
        paper_corrected: model.transmission(algorithm.critical_path(shape)?),
    };
    let row = Row {
        nodes: exchange.nodes(),
        messages: exchange.len(),
        predicted: Some(model.completion(&exchange)),
        exchange: Some(counts),
        ..Row::new(id, algorithm.name, experiment.seed)
    };
    if !workload.simulate {
        return Ok(row);
    }
    let bare = |node| proved_and_measured(experiment, workload, &exchange, &node);
    let steps = (id.algorithm, counts.startups);
    if !details && let Some(measured) = alike.measured(experiment, workload, steps, bare) {
        return Ok(Row { measured: Some(measured), ..row });
    }
    exchange.check()?;
    let flits = |id: MessageId| Flits(exchange.message(id).blocks * workload.block_flits.0);
    let name = |message: usize| (message as u64, flits(MessageId::new(message)));
    measure(experiment, row, program(&experiment.node, workload, &exchange), details.then_some(&name))
}

/// Proves an exchange and runs it between nodes that cost `node`.
fn proved_and_measured(
    experiment: &Experiment,
    workload: &scenario::Exchange,
    exchange: &Exchange,
    node: &NodeCosts,
) -> Result<Option<Measured>, RowFailure> {
    exchange.check()?;
    Ok(engage(experiment, program(node, workload, exchange))?.map(|(measured, _)| measured))
}

/// What was shown of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeFindings {
    /// What its schedule proves.
    pub proof: ExchangeProof,
    /// What its steps ask of the links.
    pub loads: Vec<StepLoad>,
    /// The first step, from 0, in which two messages share a physical channel, in words.
    pub shared: Option<(usize, String)>,
    /// Its channel dependencies with one virtual channel and with two.
    pub dependencies: [Dependencies; 2],
}

/// Proves the exchange of the row `id` and looks at what it asks of the channels.
pub(super) fn findings(workload: &scenario::Exchange, exchange: &Exchange) -> Result<ExchangeFindings, RowFailure> {
    let proof = exchange.check()?;
    let loads = loads(exchange, &workload.torus);
    let shared = loads.iter().enumerate().find_map(|(step, load)| Some((step, load.shared?)));
    let shared = shared.map(|(step, shared)| {
        let (first, second) = shared.messages;
        let (first, second) = (ends(&workload.torus, exchange, first), ends(&workload.torus, exchange, second));
        (step, format!("{first} and {second} share {}", workload.torus.name(shared.channel)))
    });
    let dependencies = [dependencies(exchange, 1)?, dependencies(exchange, 2)?];
    Ok(ExchangeFindings { proof, loads, shared, dependencies })
}

fn ends(torus: &Torus, exchange: &Exchange, id: MessageId) -> String {
    let message = exchange.message(id);
    format!("message {id} ({}->{})", torus.node_name(message.src), torus.node_name(message.dst))
}

/// Runs `exchange`, unless the scenario says not to.
pub(super) fn run_watched<O: Observer>(
    experiment: &Experiment,
    workload: &scenario::Exchange,
    exchange: &Exchange,
    watch: &mut O,
) -> Option<Result<Outcome, Stop>> {
    let network = experiment.network().filter(|_| workload.simulate)?;
    Some(experiment.engine.run(network, experiment.channel, program(&experiment.node, workload, exchange), watch))
}
