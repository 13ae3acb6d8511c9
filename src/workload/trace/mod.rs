//! Traces: messages that are requested at fixed times, without node overheads.

mod given;
mod read;
mod trees;

pub use read::Trace;

use crate::config::{Diagnostic, Reader};
use crate::engine::MessageSet;
use crate::engine::program::{TraceMessage, TraceProgram};
use crate::engine::{Outcome, Stop};
use crate::kind::words::grouped;
use crate::kind::{
    Beside, Demand, Evidence, FirstWait, Job, Keep, Kind, LINKS, Planned, Read, Remark, ResultLine, Row, RowFailure,
    RowFile, Template, Unread, Workload, WorstCase, measure,
};
use crate::machine::Machine;
use crate::routing::tree::Tree;
use crate::units::{Flits, Ticks};
use std::borrow::Cow;
use trees::{GroupKind, NoTree, RunMessages};

/// Traces in the registry.
pub static KIND: Kind = Kind {
    name: "trace",
    summary: "messages with fixed times from a CSV file",
    in_words: "a trace",
    keys: read::KEYS,
    files: &[LINKS],
    remarks,
    copying: Some(read::copying),
    read: Read::Workload(read::read),
    template: Template {
        scenario: include_str!("template.toml"),
        files: &[("messages.csv", include_bytes!("messages.csv"))],
    },
    ..Kind::DEFAULT
};

/// Where a file has no messages, nothing was measured.
fn remarks(lines: &[ResultLine<'_>]) -> Vec<Remark> {
    let is_empty = |trace: &Trace| trace.messages.is_empty();
    let empty = |line: &ResultLine<'_>| line.workload.downcast_ref().is_some_and(is_empty);
    let lines: Vec<usize> = (0..lines.len()).filter(|&at| empty(&lines[at])).collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let text = "The trace has no messages.".to_owned();
    vec![Remark { text, lines, doubted: &["predicted", "measured"] }]
}

impl Workload for Trace {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    /// Each message is from a node.
    fn participants(&self) -> usize {
        self.messages.len()
    }

    fn copies(&self, _: usize) -> bool {
        !self.groups.is_empty()
    }

    fn demand(&self, machine: &Machine, _: usize) -> Demand {
        let messages = self.messages.len();
        let flits: u64 = self.messages.iter().map(|message| message.flits.on_wire()).fold(0, u64::saturating_add);
        let demand = Demand {
            nodes: machine.network_nodes(),
            messages,
            planning: 48 * messages as u64 + self.tree_memory(machine),
            planning_time: 50 * messages as u64,
            ..Demand::default()
        };
        demand.run_on(machine, flits / (messages as u64).max(1)).with_links(machine, self.details)
    }

    fn message_ids(&self, machine: &Machine) -> Option<Cow<'_, [u64]>> {
        Some(self.with_path(machine).1)
    }

    /// All messages one after the other, from the latest start on.
    fn worst_case(&self, machine: &Machine) -> Option<WorstCase> {
        let latest = self.messages.iter().map(|m| u128::from(m.start.0)).max().unwrap_or(0);
        let interval = machine.flit_interval();
        let wires: u128 = self.messages.iter().map(|m| u128::from(m.flits.on_wire()) * interval).sum();
        let combined: u128 = self.reductions().map(|flits| machine.combining_time(1, flits.on_wire().into())).sum();
        let all = latest + wires + combined + self.messages.len() as u128 * machine.path_time();
        let offset = self.messages.iter().map(|m| machine.largest_offset(m.flits)).max().unwrap_or(0);
        Some(WorstCase { ticks: all.max(offset), key: "file", what: "this trace" })
    }

    /// Reports the first multicast or reduction without a tree.
    fn check(&self, root: &Reader<'_>, machine: &Machine) {
        if let Err(error) = self.run_messages(machine) {
            let key = if matches!(error, NoTree::Copying(_)) { "file" } else { "multicast" };
            root.error(Diagnostic::at(root.place_within(&["workload", "trace", key]), error.to_string()));
        }
    }

    fn unread(&self, _: &Machine) -> Vec<Unread> {
        vec![Unread { path: &["model"], why: "predictions for a trace use the costs of channels" }]
    }

    fn title(&self, _: &dyn Fn(&str) -> bool) -> Vec<String> {
        let messages = match self.messages.len() {
            1 => "1 message".to_owned(),
            count => format!("{} messages", grouped(count as u64)),
        };
        match self.file.as_str() {
            "" => vec![messages],
            file => vec![format!("{messages} of {file}")],
        }
    }

    fn writes(&self, _: bool) -> &'static [RowFile] {
        if self.details { KIND.files } else { &[] }
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        let run = self.run_messages(job.machine).map_err(RowFailure::plan)?;
        Ok(Box::new(Plan { workload: self, job, run }))
    }
}

impl Trace {
    /// The messages that have a path on `machine`, and their ids: all of them unless some are left out.
    fn with_path(&self, machine: &Machine) -> (Cow<'_, [TraceMessage]>, Cow<'_, [u64]>) {
        let is_left_out = |message: &TraceMessage| machine.leaves_out(message.src, message.dst);
        if !self.messages.iter().any(is_left_out) {
            return (Cow::Borrowed(&self.messages), Cow::Borrowed(&self.ids));
        }
        let messages = self.messages.iter().zip(&*self.ids).filter(|(message, _)| !is_left_out(message));
        let (messages, ids): (Vec<TraceMessage>, Vec<u64>) = messages.unzip();
        (Cow::Owned(messages), Cow::Owned(ids))
    }

    /// The flits of the packets of each reduction.
    fn reductions(&self) -> impl Iterator<Item = Flits> + '_ {
        let reductions = self.groups.iter().filter(|group| group.kind == GroupKind::Reduction);
        reductions.map(|group| self.messages[group.messages.start as usize].flits)
    }

    /// A bound on the bytes of the trees of multicasts and reductions.
    fn tree_memory(&self, machine: &Machine) -> u64 {
        let ends: u64 = self.groups.iter().map(|group| group.messages.len() as u64).sum();
        let channels = machine.network().map_or(0, |network| network.channels().count() as u64);
        let most = channels.saturating_mul(self.groups.len() as u64);
        ends.saturating_mul(machine.mean_path()).min(most).saturating_mul(CHANNEL_BYTES)
    }
}

/// Bytes of a channel of a tree.
const CHANNEL_BYTES: u64 = 120;

struct Plan<'a> {
    workload: &'a Trace,
    job: Job<'a>,
    run: RunMessages<'a>,
}

impl Plan<'_> {
    fn program(&self) -> TraceProgram<'_> {
        let RunMessages { messages, ids, worms } = &self.run;
        TraceProgram::new(messages).with_worms(worms, if worms.is_empty() { &[] } else { ids })
    }

    /// When the last message would be delivered if none were ever blocked.
    fn unloaded(&self) -> Option<Ticks> {
        let machine = self.job.machine;
        let network = machine.network()?;
        let alone = |message: &TraceMessage| match machine.passage(message.src, message.dst, message.flits) {
            Some(passage) => passage.delivered,
            None => machine.network_time().unloaded(message.flits, network.hops(message.src, message.dst)),
        };
        let messages = &self.run.messages;
        let is_in_worm = |number: usize| {
            let worms = &self.run.worms;
            let index = worms.partition_point(|worm| worm.messages.end as usize <= number);
            worms.get(index).is_some_and(|worm| worm.messages.start as usize <= number)
        };
        let unicasts = messages.iter().enumerate().filter(|&(number, _)| !is_in_worm(number));
        let unicasts = unicasts.map(|(_, message)| message.start + alone(message));
        let worms = self.run.worms.iter().map(|worm| {
            let message = &messages[worm.messages.start as usize];
            message.start + self.unloaded_tree(&worm.tree, message.flits)
        });
        unicasts.chain(worms).max()
    }

    /// The time at which packets that request their injection channels at tick 0 have arrived at all destinations of `tree`, if none is
    /// blocked.
    fn unloaded_tree(&self, tree: &Tree, flits: Flits) -> Ticks {
        self.job.machine.tree_time().completion(tree, flits)
    }
}

impl Planned for Plan<'_> {
    /// There is nothing to prove of messages that are given.
    fn verify(&self) -> Result<Evidence, RowFailure> {
        Ok(Evidence::new())
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        let RunMessages { messages: all, ids, .. } = &self.run;
        let mut nodes: Vec<_> = all.iter().flat_map(|message| [message.src, message.dst]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        row.nodes = nodes.len();
        row.messages = all.len();
        row.predict(self.unloaded().unwrap_or(Ticks::ZERO));
        let name = |message: usize| (ids[message], all[message].flits);
        row.leave_out((self.workload.messages.len() - all.len()) as u64);
        measure(self.job.machine, self.program(), row, Beside { keep, links: self.workload.details, name: &name })?;
        Ok(())
    }

    fn watch(&self, watch: &mut FirstWait) -> Option<Result<Outcome, Stop>> {
        self.job.machine.run(self.program(), self.job.draw(), watch)
    }

    fn copied(&self, see: &mut dyn FnMut(&dyn MessageSet)) {
        let program = self.program();
        if program.has_worms() {
            see(&program);
        }
    }
}
