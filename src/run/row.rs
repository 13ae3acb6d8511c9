//! One row: a schedule is made, proved, priced and run.

use super::RowId;
use super::alike::Alike;
use super::broadcast::{self, BroadcastCounts, BroadcastDetails};
use super::exchange::{self, ExchangeCounts};
use super::mapping::{self, MappingCounts, MappingDetails};
use super::operations;
use super::traffic::{self, LinkLoad, TrafficCounts};
use crate::algorithm::mapping::{GraphError, MappingError};
use crate::engine::node::ScheduleProgram;
use crate::engine::program::TraceProgram;
use crate::engine::router::Jam;
use crate::engine::{MessageOutcome, Outcome, Program, Stop};
use crate::scenario::{Experiment, Multicast, Scenario, Trace, Workload};
use crate::schedule::goal::GoalViolation;
use crate::schedule::{ExchangeViolation, Proof, Schedule, TreeViolation, Violation};
use crate::topology::CostError;
use crate::units::{Flits, Ticks};
use thiserror::Error;

/// What one algorithm did in one repetition of one point.
#[derive(Clone, Debug)]
pub struct Row {
    /// Which row.
    pub id: RowId,
    /// The algorithm's name, or the workload's if it has none.
    pub algorithm: &'static str,
    /// The seed of the point.
    pub seed: u64,
    /// Nodes that take part.
    pub nodes: usize,
    /// Messages sent.
    pub messages: usize,
    /// When the model says that the last message is received; none where nothing is predicted.
    pub predicted: Option<Ticks>,
    /// What the engine measured; none without a network.
    pub measured: Option<Measured>,
    /// What an exchange counts besides.
    pub exchange: Option<ExchangeCounts>,
    /// What a broadcast counts besides.
    pub broadcast: Option<BroadcastCounts>,
    /// What happened in a broadcast, where that was asked for.
    pub spread: Option<BroadcastDetails>,
    /// What a mapping counts besides.
    pub mapping: Option<MappingCounts>,
    /// Of a mapping: where tasks are, where that was asked for.
    pub placed: Option<MappingDetails>,
    /// Of operations: when each rank has finished, under the model.
    pub hosts: Vec<Ticks>,
    /// What open-loop traffic counts.
    pub traffic: Option<TrafficCounts>,
    /// Of open-loop traffic: how busy the channels between routers were.
    pub links: Vec<LinkLoad>,
    /// The engine that ran, where nothing is measured but what traffic counts.
    pub engine: Option<&'static str>,
    /// Every message with its id and length, where that was asked for.
    pub details: Vec<(u64, Flits, MessageOutcome)>,
}

impl Row {
    /// A row of which nothing is known but what it is.
    pub(super) fn new(id: RowId, algorithm: &'static str, seed: u64) -> Self {
        Self {
            id,
            algorithm,
            seed,
            nodes: 0,
            messages: 0,
            predicted: None,
            measured: None,
            exchange: None,
            broadcast: None,
            spread: None,
            mapping: None,
            placed: None,
            hosts: Vec::new(),
            traffic: None,
            links: Vec::new(),
            engine: None,
            details: Vec::new(),
        }
    }
}

/// What an engine measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// When the last message was received.
    pub completion: Ticks,
    /// Who was blocked; none where there are no channels.
    pub blocked: Option<Blocked>,
    /// The engine that ran.
    pub engine: &'static str,
}

/// Headers that waited for channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Messages whose header waited at least once.
    pub messages: u64,
    /// Times that a header waited.
    pub headers: u64,
    /// How long headers waited in all.
    pub time: Ticks,
}

/// Why a row failed.
#[derive(Debug, Error)]
#[error("point {point}, {algorithm}, repetition {repetition}: {cause}")]
pub struct RowError {
    /// Index of the point.
    pub point: usize,
    /// The algorithm.
    pub algorithm: &'static str,
    /// The repetition.
    pub repetition: u64,
    /// What happened.
    #[source]
    pub cause: RowFailure,
}

impl RowError {
    /// Of the row `id`, one of those of `experiment`.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn of(experiment: &Experiment, id: RowId, cause: RowFailure) -> Self {
        let algorithm = experiment.workload.algorithm(id.algorithm);
        Self { point: id.point, algorithm, repetition: id.repetition, cause }
    }
}

/// What made a row fail.
#[derive(Debug, Error)]
pub enum RowFailure {
    /// The run did not come to its end.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// Packets wait for each other for ever.
    #[error(transparent)]
    Jam(#[from] Box<Jam>),
    /// Traffic without a network; scenarios refuse it.
    #[error("traffic needs a network")]
    NoNetwork,
    /// The schedule is wrong.
    #[error("the schedule is wrong: {0}")]
    Schedule(#[from] Violation),
    /// The algorithm does not take the request.
    #[error(transparent)]
    Plan(#[from] crate::algorithm::multicast::PlanError),
    /// The exchange is wrong.
    #[error("the schedule is wrong: {0}")]
    Exchange(#[from] ExchangeViolation),
    /// The exchange algorithm cannot do the torus.
    #[error(transparent)]
    ExchangePlan(#[from] crate::algorithm::exchange::PlanError),
    /// The task graph cannot be.
    #[error("the task graph cannot be: {0}")]
    Graph(#[from] GraphError),
    /// The mapping is wrong.
    #[error("the mapping is wrong: {0}")]
    Mapping(#[from] MappingError),
    /// The broadcast tree is wrong.
    #[error("the tree is wrong: {0}")]
    Tree(#[from] TreeViolation),
    /// A cost cannot be.
    #[error("the grid cannot be: {0}")]
    Costs(#[from] CostError),
    /// The operations cannot be executed.
    #[error("the operations cannot be executed: {0}")]
    Operations(#[from] GoalViolation),
    /// The torus with two virtual channels cannot be numbered.
    #[error(transparent)]
    Topology(#[from] crate::topology::TopologyError),
}

/// Computes the rows of a scenario. A row is what its experiment alone makes it; what several have in common is computed
/// once.
pub struct Runner<'a> {
    scenario: &'a Scenario,
    alike: Alike,
}

impl<'a> Runner<'a> {
    /// Of the rows of `scenario`.
    #[must_use]
    pub fn new(scenario: &'a Scenario) -> Self {
        Self { scenario, alike: Alike::default() }
    }

    /// The scenario.
    #[must_use]
    pub fn scenario(&self) -> &'a Scenario {
        self.scenario
    }

    /// Computes the row `id`, with what happened to every message if `details`.
    ///
    /// # Errors
    /// If the schedule proves wrong or the run ends in a deadlock.
    ///
    /// # Panics
    /// If the scenario has no such row.
    pub fn compute(&self, id: RowId, details: bool) -> Result<Row, Box<RowError>> {
        let experiment = &self.scenario.points[id.point].experiment;
        let row = match &experiment.workload {
            Workload::Multicast(multicast) => multicast_row(experiment, multicast, id, details),
            Workload::Exchange(workload) => exchange::row(experiment, workload, id, details, &self.alike),
            Workload::Broadcast(workload) => broadcast::row(experiment, workload, id, details),
            Workload::Mapping(workload) => mapping::row(experiment, workload, id, details),
            Workload::Operations(workload) => operations::row(experiment, workload, id, details),
            Workload::Trace(trace) => trace_row(experiment, trace, id, details),
            Workload::Traffic(workload) => traffic::row(experiment, workload, id, details),
        };
        row.map_err(|cause| Box::new(RowError::of(experiment, id, cause)))
    }
}

/// The multicast schedule of the row `id` and what it proves. None if the workload is no multicast.
///
/// # Errors
/// If the algorithm does not take the request or its schedule is wrong.
///
/// # Panics
/// If there is no such row.
pub fn schedule(experiment: &Experiment, id: RowId) -> Result<Option<(Schedule, Proof)>, RowFailure> {
    match &experiment.workload {
        Workload::Multicast(multicast) => proved(experiment, multicast, id).map(Some),
        _ => Ok(None),
    }
}

fn proved(experiment: &Experiment, multicast: &Multicast, id: RowId) -> Result<(Schedule, Proof), RowFailure> {
    let machine = experiment.machine.as_ref();
    let nodes = machine.map_or(0, crate::scenario::Machine::nodes);
    let group = multicast.group.members(experiment.seed, id.repetition, nodes, machine.is_some());
    let schedule = multicast.algorithms[id.algorithm].plan(&experiment.request(multicast, &group))?;
    let proof = schedule.check(&group[1..])?;
    Ok((schedule, proof))
}

fn multicast_row(experiment: &Experiment, multicast: &Multicast, id: RowId, details: bool) -> Result<Row, RowFailure> {
    let (schedule, _) = proved(experiment, multicast, id)?;
    let model = multicast.model(experiment.times(multicast.flits));
    let row = Row {
        nodes: schedule.len() + 1,
        messages: schedule.len(),
        predicted: Some(model.price(&schedule, experiment.node.ports).completion),
        ..Row::new(id, multicast.algorithms[id.algorithm].name, experiment.seed)
    };
    let name = |message: usize| (message as u64, schedule.flits());
    measure(experiment, row, ScheduleProgram::new(&schedule, &experiment.node), details.then_some(&name))
}

/// A trace is predicted to complete when its last message would if none were ever blocked.
fn trace_row(experiment: &Experiment, trace: &Trace, id: RowId, details: bool) -> Result<Row, RowFailure> {
    let mut nodes: Vec<_> = trace.messages.iter().flat_map(|message| [message.src, message.dst]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let unloaded = experiment.network().and_then(|network| {
        let alone = trace.messages.iter().map(|message| {
            let channels = network.hops(message.src, message.dst) + 2;
            message.start + experiment.channel.unloaded(message.flits, channels)
        });
        alone.max()
    });
    let row = Row {
        nodes: nodes.len(),
        messages: trace.messages.len(),
        predicted: Some(unloaded.unwrap_or(Ticks::ZERO)),
        ..Row::new(id, "trace", experiment.seed)
    };
    let name = |message: usize| (trace.ids[message], trace.messages[message].flits);
    measure(experiment, row, TraceProgram::new(&trace.messages), details.then_some(&name))
}

/// Runs `program` where there is a network; `name` tells a message's id and length if details are asked for.
pub(super) fn measure<P: Program + Clone>(
    experiment: &Experiment,
    mut row: Row,
    program: P,
    name: Option<&dyn Fn(usize) -> (u64, Flits)>,
) -> Result<Row, RowFailure> {
    let Some((measured, messages)) = engage(experiment, program)? else {
        return Ok(row);
    };
    row.measured = Some(measured);
    if let Some(name) = name {
        let detail = |(number, outcome)| {
            let (id, flits) = name(number);
            (id, flits, outcome)
        };
        row.details = messages.into_iter().enumerate().map(detail).collect();
    }
    Ok(row)
}

/// What the engine measures of `program`, and what happens to each message; none without a network.
pub(super) fn engage<P: Program + Clone>(
    experiment: &Experiment,
    program: P,
) -> Result<Option<(Measured, Vec<MessageOutcome>)>, RowFailure> {
    let Some(network) = experiment.network() else { return Ok(None) };
    let Outcome { messages, completion, blocked_messages, blocked_headers, blocked_time, engine, .. } =
        experiment.engine.run(network, experiment.channel, program, &mut ())?;
    let blocked = Blocked { messages: blocked_messages, headers: blocked_headers, time: blocked_time };
    Ok(Some((Measured { completion, blocked: Some(blocked), engine: engine.name() }, messages)))
}
