//! Why rows took as long as they did, for people and as JSON.

use super::table::grid;
use super::text::wrapped;
use crate::kind::RowId;
use crate::kind::words::grouped;
use crate::recording::{Explanation, Held, Interval, IntervalKind, Recording, Root, ShownTimes};
use crate::scenario::Scenario;
use crate::timeline::{Activity, Totals, Track};
use crate::units::{ChannelId, Ticks};
use serde_json::{Map, Value as Json, json};
use std::cmp::Reverse;

/// So many lines of blame are told to people.
const LINES: usize = 20;

/// The activities of the processors of a rank that are shown.
const RANK_COLUMNS: [Activity; 5] =
    [Activity::Compute, Activity::Noise, Activity::Send, Activity::Wait, Activity::Idle];

/// The line with the number of lines that are left out of `count`. Empty if all are shown.
fn left_out(count: usize) -> String {
    match count.saturating_sub(LINES) {
        0 => String::new(),
        rest => format!("... and {} more; --format json lists all\n", grouped(rest as u64)),
    }
}

/// The measured time of a rank with these `tracks`.
fn rank_json((rank, tracks): (usize, &Vec<Track>)) -> Json {
    let totals = Totals::new(tracks);
    let busy = tracks.iter().flat_map(|track| &track.slices).filter(|slice| slice.activity != Activity::Idle);
    let finish = busy.map(|slice| slice.end.0).max().unwrap_or(0);
    let times = RANK_COLUMNS.map(|activity| (activity.name().to_owned(), totals.get(activity).0.into()));
    let mut json = Map::from_iter([("rank".to_owned(), rank.into()), ("finish".to_owned(), finish.into())]);
    json.extend(times);
    json.into()
}

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
    /// The unit in which people read its times.
    shown: ShownTimes,
}

impl<'a> Explained<'a> {
    /// Of the row `id` of `scenario`, which was recorded.
    ///
    /// # Panics
    /// If the scenario has no such row.
    pub fn new(scenario: &'a Scenario, id: RowId, recording: Recording<'a>) -> Self {
        let algorithm = scenario.points[id.point].experiment.workload.variant(id.algorithm);
        let tick = scenario.tick.as_ref().filter(|_| scenario.shows_units);
        let shown = ShownTimes(tick.map(|tick| tick.nanoseconds));
        let explanation = Explanation::new(algorithm, &recording, shown);
        Self { id, algorithm, recording, explanation, shown }
    }

    fn channel(&self, channel: ChannelId) -> String {
        self.recording.machine.channel_name(channel)
    }

    /// It for people: what there is to say of it in lines of at most `width` columns if that is given, its critical path, and
    /// who is to blame.
    pub fn text(&self, width: Option<u16>) -> String {
        let lines = self.explanation.words.iter().map(|sentence| match width {
            Some(width) => wrapped(sentence, "", "    ", width.into()),
            None => format!("{sentence}\n"),
        });
        let words: String = lines.collect();
        words + &self.path() + &self.blame() + &self.ranks()
    }

    /// The measured time of each rank in each activity, as a table of the ranks that wait longest.
    fn ranks(&self) -> String {
        let Some(timeline) = &self.recording.timeline else { return String::new() };
        let mut ranks: Vec<(usize, Totals)> =
            timeline.measured.iter().map(|tracks| Totals::new(tracks)).enumerate().collect();
        ranks.sort_by_key(|(_, totals)| Reverse(totals.get(Activity::Wait)));
        let shown: Vec<Activity> = RANK_COLUMNS
            .into_iter()
            .filter(|&of| ranks.iter().any(|(_, totals)| totals.get(of) > Ticks::ZERO))
            .collect();
        let names = shown.iter().map(|activity| activity.name());
        let heading = std::iter::once("rank").chain(names).map(str::to_owned).collect();
        let line = |(rank, totals): &(usize, Totals)| {
            let times = shown.iter().map(|&activity| self.shown.text(totals.get(activity)));
            std::iter::once(rank.to_string()).chain(times).collect()
        };
        let lines = std::iter::once(heading).chain(ranks.iter().take(LINES).map(line)).collect();
        let note = left_out(ranks.len());
        let unit = if self.shown.0.is_some() { "" } else { " in ticks" };
        format!("\nTime of the processors of each rank{unit}, the longest wait first:\n{}\n{note}", grid(lines, 0))
    }

    fn path(&self) -> String {
        let path = &self.explanation.path;
        if path.is_empty() {
            return String::new();
        }
        let heading = ["part", "message", "place", "from", "to", self.unit()].map(str::to_owned).to_vec();
        // a head flit on its way is told once, however many channels it passes
        let together =
            |a: &Interval, b: &Interval| a.kind == IntervalKind::Hop && (a.kind, a.message) == (b.kind, b.message);
        let lines = std::iter::once(heading).chain(path.chunk_by(together).map(|part| self.line(part))).collect();
        format!("\nThe critical path:\n{}\n", grid(lines, 3))
    }

    /// A part of the path of one kind.
    fn line(&self, part: &[Interval]) -> Vec<String> {
        let first = part[0];
        let last = part[part.len() - 1];
        let name = |interval: &Interval| match (interval.channel, interval.rank) {
            (Some(channel), _) => self.channel(channel),
            (None, rank) => rank.map(|rank| format!("rank {rank}")).unwrap_or_default(),
        };
        let channels = if part.len() > 1 { format!("{} .. {}", name(&first), name(&last)) } else { name(&first) };
        vec![
            first.kind.name().to_owned(),
            first.message.map(|message| self.recording.id(message).to_string()).unwrap_or_default(),
            channels,
            self.shown.text(first.from),
            self.shown.text(last.to),
            self.shown.text(last.to - first.from),
        ]
    }

    /// The title of a column of durations.
    fn unit(&self) -> &'static str {
        if self.shown.0.is_some() { "time" } else { "ticks" }
    }

    fn blame(&self) -> String {
        let blame = &self.explanation.blame;
        if blame.is_empty() {
            return "\nNo head flit waited.\n".to_owned();
        }
        let heading = ["message", "channel", self.unit()].map(str::to_owned).to_vec();
        let line = |root: &Root| {
            vec![self.recording.id(root.message).to_string(), self.channel(root.channel), self.shown.text(root.ticks)]
        };
        let lines = std::iter::once(heading).chain(blame.iter().take(LINES).map(line)).collect();
        let more = left_out(blame.len());
        let all: Ticks = blame.iter().map(|root| root.ticks).sum();
        let all = self.shown.text_with_unit(all);
        format!("\nMessages that caused waits of others ({all} in total):\n{}\n{more}", grid(lines, 2))
    }

    /// It as JSON.
    pub fn json(&self) -> Json {
        let Self { id, algorithm, recording, explanation, shown: _ } = self;
        let message = |message| recording.id(message);
        let interval = |interval: &Interval| {
            json!({
                "kind": interval.kind.name(),
                "from": interval.from.0,
                "to": interval.to.0,
                "message": interval.message.map(message),
                "channel": interval.channel.map(|channel| self.channel(channel)),
                "rank": interval.rank,
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
        let ranks = recording.timeline.iter().flat_map(|timeline| timeline.measured.iter().enumerate()).map(rank_json);
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
            "ranks": ranks.collect::<Vec<_>>(),
            "words": explanation.words,
        })
    }
}
