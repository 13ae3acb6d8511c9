//! What can be shown of a row: its schedule's proof, and whether its headers ever wait.

use super::broadcast::{self, BroadcastFindings};
use super::exchange::{self, ExchangeFindings};
use super::mapping::{self, MappingCounts};
use super::operations;
use super::row::{RowFailure, schedule};
use super::{RowError, RowId};
use crate::engine::node::ScheduleProgram;
use crate::engine::program::TraceProgram;
use crate::engine::{Observer, Outcome, Program, Stop};
use crate::routing::relation::{Dependence, dependence};
use crate::scenario::{Experiment, Scenario, Workload};
use crate::schedule::Proof;
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;

/// What was shown of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// Which row.
    pub id: RowId,
    /// The algorithm's name, or the workload's if it has none.
    pub algorithm: &'static str,
    /// What a multicast schedule proves.
    pub proof: Option<Proof>,
    /// What was shown of an exchange.
    pub exchange: Option<ExchangeFindings>,
    /// What was shown of operations.
    pub operations: Option<OperationFindings>,
    /// What was shown of a broadcast.
    pub broadcast: Option<BroadcastFindings>,
    /// What was counted of a mapping, which is one-to-one.
    pub mapping: Option<MappingCounts>,
    /// What was shown of the routing of virtual-channel routers.
    pub routing: Option<RoutingFindings>,
    /// What happened on the network; none without one.
    pub contention: Option<Contention>,
}

/// What was shown of operations: all name ranks that exist, none waits for itself, and under the model all are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationFindings {
    /// How many there are.
    pub operations: usize,
    /// Messages that they send.
    pub messages: usize,
    /// When the last rank has finished, under the model.
    pub completion: Ticks,
}

/// Whether packets can wait for each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutingFindings {
    /// How virtual channels depend on each other.
    pub dependence: Dependence,
    /// Virtual channels of a link.
    pub lanes: u8,
    /// Whether headers choose between ports.
    pub adaptive: bool,
}

/// Whether headers waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contention {
    /// How many times a header waited; none if the run did not come to its end.
    pub blocked_headers: Result<u64, Stop>,
    /// The first that was let go, in words.
    pub first: Option<String>,
}

/// Makes and proves the schedule of the row `id`, runs it where there is a network, and looks for contention. A run that
/// deadlocks is a finding.
///
/// # Errors
/// If the schedule proves wrong.
///
/// # Panics
/// If the scenario has no such row.
pub fn examine(scenario: &Scenario, id: RowId) -> Result<Examination, Box<RowError>> {
    let experiment = &scenario.points[id.point].experiment;
    let algorithm = experiment.workload.algorithm(id.algorithm);
    shown(scenario, id, algorithm).map_err(|cause| Box::new(RowError::of(experiment, id, cause)))
}

fn shown(scenario: &Scenario, id: RowId, algorithm: &'static str) -> Result<Examination, RowFailure> {
    let experiment = &scenario.points[id.point].experiment;
    let mut watch = FirstWait::default();
    let (mut proof, mut exchange, mut operations, mut broadcast) = (None, None, None, None);
    let (mut counted, mut routing) = (None, None);
    let run = match &experiment.workload {
        Workload::Multicast(_) => {
            let (planned, proved) = schedule(experiment, id)?.unzip();
            proof = proved;
            planned.and_then(|planned| run(experiment, ScheduleProgram::new(&planned, &experiment.node), &mut watch))
        }
        Workload::Exchange(workload) => {
            let planned = exchange::plan(workload, id)?;
            exchange = Some(exchange::findings(workload, &planned)?);
            exchange::run_watched(experiment, workload, &planned, &mut watch)
        }
        Workload::Broadcast(workload) => {
            broadcast = Some(broadcast::findings(experiment, workload, id)?);
            None
        }
        Workload::Mapping(workload) => {
            counted = mapping::row(experiment, workload, id, false)?.mapping;
            None
        }
        Workload::Operations(workload) => {
            let execution = operations::predict(experiment, workload)?;
            operations = Some(OperationFindings {
                operations: workload.goal.operations().len(),
                messages: workload.goal.messages(),
                completion: execution.completion,
            });
            operations::run_watched(experiment, workload, &mut watch)
        }
        Workload::Trace(trace) => run(experiment, TraceProgram::new(&trace.messages), &mut watch),
        Workload::Traffic(traffic) => {
            routing = traffic.routers.as_ref().map(|routers| RoutingFindings {
                dependence: dependence(&routers.relation),
                lanes: routers.virtual_channels,
                adaptive: routers.relation.is_adaptive(),
            });
            None
        }
    };
    let contention = run.map(|ended| {
        let name = |wait: &Wait| experiment.network().map_or_else(String::new, |n| n.channels().name(wait.channel));
        let first = ended.as_ref().ok().and_then(|outcome| Some(watch.first?.in_words(outcome, &name(&watch.first?))));
        Contention { blocked_headers: ended.map(|outcome| outcome.blocked_headers), first }
    });
    Ok(Examination { id, algorithm, proof, exchange, operations, broadcast, mapping: counted, routing, contention })
}

/// Runs `program` where there is a network.
fn run<P: Program + Clone>(
    experiment: &Experiment,
    program: P,
    watch: &mut FirstWait,
) -> Option<Result<Outcome, Stop>> {
    Some(experiment.engine.run(experiment.network()?, experiment.channel, program, watch))
}

/// Notes the first header that waited, and who held the channel.
#[derive(Default)]
struct FirstWait {
    owners: FxHashMap<ChannelId, MessageId>,
    first: Option<Wait>,
}

#[derive(Clone, Copy)]
struct Wait {
    message: MessageId,
    channel: ChannelId,
    requested: Ticks,
    granted: Ticks,
    holder: MessageId,
}

impl Observer for FirstWait {
    fn restarted(&mut self) {
        *self = Self::default();
    }

    fn granted(&mut self, message: MessageId, _: usize, channel: ChannelId, requested: Ticks, granted: Ticks) {
        let before = self.owners.insert(channel, message);
        if granted > requested
            && self.first.is_none()
            && let Some(holder) = before
        {
            self.first = Some(Wait { message, channel, requested, granted, holder });
        }
    }
}

impl Wait {
    fn in_words(&self, outcome: &Outcome, channel: &str) -> String {
        let ends = |id: MessageId| {
            let message = &outcome.messages[id.index()];
            format!("message {id} ({}->{})", message.src, message.dst)
        };
        format!(
            "{} asks at tick {} for the channel {channel},\n    which {} holds, and gets it at {}",
            ends(self.message),
            self.requested,
            ends(self.holder),
            self.granted,
        )
    }
}
