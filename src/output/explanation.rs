//! Why rows took as long as they did, for people and as JSON.

use super::table::grid;
use crate::kind::RowId;
use crate::kind::words::grouped;
use crate::recording::{Explanation, Held, Interval, Recording, Root};
use crate::scenario::Scenario;
use crate::units::{ChannelId, Ticks};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;

/// So many lines of blame are told to people.
const LINES: usize = 20;

/// A row that was recorded, and why it took as long as it did.
pub struct Explained<'a> {
    /// Which row.
    pub id: RowId,
    /// The name of its algorithm.
    pub algorithm: &'a str,
    /// What happened.
    pub recording: Recording<'a>,
    /// Why.
    pub explanation: Explanation,
}

impl<'a> Explained<'a> {
    /// Of the row `id` of `scenario`, which was recorded.
    ///
    /// # Panics
    /// If the scenario has no such row.
    pub fn new(scenario: &'a Scenario, id: RowId, recording: Recording<'a>) -> Self {
        let algorithm = scenario.points[id.point].experiment.workload.variant(id.algorithm);
        let explanation = Explanation::new(algorithm, &recording);
        Self { id, algorithm, recording, explanation }
    }

    fn channel(&self, channel: ChannelId) -> String {
        self.recording.machine.channel_name(channel)
    }

    /// It for people: what there is to say of it, its critical path, and who is to blame.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for sentence in &self.explanation.words {
            let _ = writeln!(text, "{sentence}"); // a string takes everything
        }
        text += &self.path();
        text + &self.blame()
    }

    fn path(&self) -> String {
        let path = &self.explanation.path;
        if path.is_empty() {
            return String::new();
        }
        let heading = ["what", "message", "channel", "from", "to", "ticks"].map(str::to_owned).to_vec();
        let line = |interval: &Interval| {
            vec![
                interval.kind.name().to_owned(),
                interval.message.map(|message| self.recording.id(message).to_string()).unwrap_or_default(),
                interval.channel.map(|channel| self.channel(channel)).unwrap_or_default(),
                grouped(interval.from.0),
                grouped(interval.to.0),
                grouped(interval.ticks().0),
            ]
        };
        let lines = std::iter::once(heading).chain(path.iter().map(line)).collect();
        format!("\nThe critical path:\n{}\n", grid(lines, 3))
    }

    fn blame(&self) -> String {
        let blame = &self.explanation.blame;
        if blame.is_empty() {
            return "\nNo head flit ever waited.\n".to_owned();
        }
        let heading = ["message", "on", "ticks"].map(str::to_owned).to_vec();
        let line = |root: &Root| {
            vec![self.recording.id(root.message).to_string(), self.channel(root.channel), grouped(root.ticks.0)]
        };
        let lines = std::iter::once(heading).chain(blame.iter().take(LINES).map(line)).collect();
        let more = match blame.len().saturating_sub(LINES) {
            0 => String::new(),
            more => format!(".. and {} more; --format json tells all\n", grouped(more as u64)),
        };
        let all: Ticks = blame.iter().map(|root| root.ticks).sum();
        let all = grouped(all.0);
        format!("\nWho moved while others waited, of {all} ticks of waits in all:\n{}\n{more}", grid(lines, 2))
    }

    /// It as JSON.
    pub fn json(&self) -> Json {
        let Self { id, algorithm, recording, explanation } = self;
        let message = |message| recording.id(message);
        let interval = |interval: &Interval| {
            json!({
                "kind": interval.kind.name(),
                "from": interval.from.0,
                "to": interval.to.0,
                "message": interval.message.map(message),
                "channel": interval.channel.map(|channel| self.channel(channel)),
            })
        };
        let held = |held: &Held| json!([message(held.message), held.ticks.0]);
        let root = |root: &Root| json!([message(root.message), self.channel(root.channel), root.ticks.0]);
        let waits = explanation.waits.iter().map(|wait| {
            json!({
                "message": message(wait.message),
                "channel": self.channel(wait.channel),
                "from": wait.from.0,
                "to": wait.to.0,
                "holders": wait.holders.iter().map(held).collect::<Vec<_>>(),
                "roots": wait.roots.iter().map(root).collect::<Vec<_>>(),
            })
        });
        let blame = explanation.blame.iter().map(|root| {
            json!({ "message": message(root.message), "channel": self.channel(root.channel), "ticks": root.ticks.0 })
        });
        let shares: Map<String, Json> =
            explanation.shares.iter().map(|(kind, ticks)| (kind.name().to_owned(), ticks.0.into())).collect();
        json!({
            "point": id.point,
            "algorithm": algorithm,
            "repetition": id.repetition,
            "completion": recording.completion.0,
            "path": explanation.path.iter().map(interval).collect::<Vec<_>>(),
            "shares": shares,
            "waits": waits.collect::<Vec<_>>(),
            "blame": blame.collect::<Vec<_>>(),
            "words": explanation.words,
        })
    }
}
