//! What can be shown of a row: its schedule's proof, and whether its headers ever wait.

use super::row::{RowFailure, schedule};
use super::{RowError, RowId};
use crate::engine::node::ScheduleProgram;
use crate::engine::program::TraceProgram;
use crate::engine::{Observer, Outcome};
use crate::scenario::{Scenario, Workload};
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
    /// What the schedule proves; none if the workload has no schedule.
    pub proof: Option<Proof>,
    /// What happened on the network; none without one.
    pub contention: Option<Contention>,
}

/// Whether headers waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contention {
    /// How many times a header waited.
    pub blocked_headers: u64,
    /// The first that was let go, in words.
    pub first: Option<String>,
}

/// Makes and proves the schedule of the row `id`, runs it where there is a network, and looks for contention.
///
/// # Errors
/// If the schedule proves wrong or the run ends in a deadlock.
///
/// # Panics
/// If the scenario has no such row.
pub fn examine(scenario: &Scenario, id: RowId) -> Result<Examination, Box<RowError>> {
    let algorithm = match &scenario.points[id.point].experiment.workload {
        Workload::Multicast(multicast) => multicast.algorithms[id.algorithm].name,
        Workload::Trace(_) => "trace",
    };
    let failed = |cause| Box::new(RowError { point: id.point, algorithm, repetition: id.repetition, cause });
    let (proof, contention) = shown(scenario, id).map_err(failed)?;
    Ok(Examination { id, algorithm, proof, contention })
}

fn shown(scenario: &Scenario, id: RowId) -> Result<(Option<Proof>, Option<Contention>), RowFailure> {
    let experiment = &scenario.points[id.point].experiment;
    let (planned, proof) = schedule(experiment, id)?.unzip();
    let Some(network) = experiment.network() else {
        return Ok((proof, None));
    };
    let mut watch = FirstWait::default();
    let outcome = match (&planned, &experiment.workload) {
        (Some(planned), _) => experiment.engine.run(
            network,
            experiment.channel,
            ScheduleProgram::new(planned, &experiment.node),
            &mut watch,
        )?,
        (None, Workload::Trace(trace)) => {
            experiment.engine.run(network, experiment.channel, TraceProgram::new(&trace.messages), &mut watch)?
        }
        (None, Workload::Multicast(_)) => return Ok((proof, None)),
    };
    let first = watch.first.map(|wait| wait.in_words(&outcome, &network.channels().name(wait.channel)));
    Ok((proof, Some(Contention { blocked_headers: outcome.blocked_headers, first })))
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
