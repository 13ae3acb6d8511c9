//! Options of `run` and `submit` for additional files: messages, hops and timelines.

use super::Usage;
use super::rerun::refuse_unexplained;
use clap::Args;
use flitwise::scenario::Scenario;
use flitwise::sweep::DetailFiles;

#[derive(Args, Clone, Copy)]
pub(super) struct KeptFlags {
    /// Also write messages.csv (for a broadcast: events.csv), with the times of every message
    #[arg(long)]
    messages: bool,
    /// Also write hops.csv: when each message requested, was granted and released each channel
    #[arg(long)]
    hops: bool,
    /// Also write timeline.csv: when each processor of each rank computes, sends, receives and waits
    #[arg(long)]
    timeline: bool,
}

impl KeptFlags {
    /// What is asked for of `scenario`.
    ///
    /// # Errors
    /// If it has nothing of the kind.
    pub(super) fn checked(self, scenario: &Scenario) -> Result<DetailFiles, Usage> {
        let Self { messages, hops, timeline } = self;
        let predicted = scenario.points.iter().any(|point| point.experiment.machine.network.is_none());
        // a timeline has the messages that are predicted
        if messages && !timeline && predicted && scenario.kind().keeps_messages {
            let message = "--messages needs a [network.*]: without one, messages are predicted but not simulated";
            return Err(Usage(message.to_owned()));
        }
        if hops {
            refuse_unexplained(scenario)?;
        }
        if timeline && !scenario.points.iter().all(|point| point.experiment.workload.runs_operations()) {
            let message = format!(
                "--timeline has no effect on [workload.{}]: only kinds that run operations of ranks have timelines, such as goal, \
                 halo and training",
                scenario.kind().name
            );
            return Err(Usage(message));
        }
        Ok(DetailFiles { messages, hops, timeline })
    }

    /// The flags as they are written.
    pub(super) fn words(self) -> impl Iterator<Item = &'static str> {
        let flags = [("--messages", self.messages), ("--hops", self.hops), ("--timeline", self.timeline)];
        flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag)
    }
}
