//! Options of `run` and `submit` for additional files: messages and hops.

use super::Usage;
use super::rerun::refuse_unexplained;
use clap::Args;
use flitwise::scenario::Scenario;
use flitwise::sweep::Kept;

#[derive(Args, Clone, Copy)]
pub(super) struct KeptFlags {
    /// Also write messages.csv (for a broadcast: events.csv), with the times of every message
    #[arg(long)]
    messages: bool,
    /// Also write hops.csv: when each message requested, was granted and released each channel
    #[arg(long)]
    hops: bool,
}

impl KeptFlags {
    /// What is asked for of `scenario`.
    ///
    /// # Errors
    /// If it has nothing of the kind.
    pub(super) fn checked(self, scenario: &Scenario) -> Result<Kept, Usage> {
        let Self { messages, hops } = self;
        let predicted = scenario.points.iter().any(|point| point.experiment.machine.network.is_none());
        if messages && predicted && scenario.kind().keeps_messages {
            let message = "--messages needs a [network.*]: without one, messages are predicted but not simulated";
            return Err(Usage(message.to_owned()));
        }
        if hops {
            refuse_unexplained(scenario)?;
        }
        Ok(Kept { messages, hops })
    }

    /// The flags as they are written.
    pub(super) fn words(self) -> impl Iterator<Item = &'static str> {
        let flags = [("--messages", self.messages), ("--hops", self.hops)];
        flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag)
    }
}
