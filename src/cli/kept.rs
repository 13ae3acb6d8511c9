//! Options of `run` and `submit` for additional files: messages, hops and timelines.

use super::Usage;
use super::rerun::refuse_unexplained;
use super::ui::Ui;
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
    /// The files that a run of `scenario` writes. Warns of messages that only a timeline has.
    ///
    /// # Errors
    /// If the scenario has no such details.
    pub(super) fn checked(self, ui: &Ui, scenario: &Scenario) -> Result<DetailFiles, Usage> {
        let Self { mut messages, hops, timeline } = self;
        let mut networks = scenario.points.iter().map(|point| point.experiment.machine.network.is_some());
        if messages && scenario.kind().keeps_messages && networks.clone().any(|has_network| !has_network) {
            if !timeline {
                let message = "--messages needs a [network.*]: without one, messages are predicted but not simulated";
                return Err(Usage(message.to_owned()));
            }
            messages = networks.any(|has_network| has_network);
            if !messages {
                ui.warn("--messages has no effect without a [network.*]: timeline.csv has the predicted messages");
            }
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
