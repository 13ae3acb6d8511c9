//! Applications: operations of ranks, whatever they come from. They are executed under the model and run on the network.
//!
//! ```text
//!   table ──▶ Source (a file, or a generator) ──▶ Program: operations ──▶ Application: ranks on nodes, noise
//!                                                                           │ plan, verify, run
//!                                                                           ▼
//!                                                                         rows, hosts.csv, links.csv
//! ```
//!
//! A kind has a [`Source`] and a registry line. This module knows no kind by name.

mod columns;
pub(crate) mod groups;
mod noise;
mod outline;
mod plan;
mod read;
mod room;
mod tracks;

pub(crate) use columns::{BYTES, COLUMNS, COMPUTE, HOSTS, NOISE, and};
pub use noise::{NoiseTable, Phases};
pub use outline::Outline;
pub(crate) use plan::{Plan, execute};
pub(crate) use read::{
    DETAILS, FLIT_BYTES, NODES, TICKS_PER_US, flit_bytes, no_effect, read, refuse_without_network, ticks_per_us,
};
pub(crate) use room::{has_room, product};

pub(crate) use crate::kind::Scene;
pub use crate::kind::{Program, Report, Source};

use crate::config::{Diagnostic, Reader};
use crate::kind::words::grouped;
use crate::kind::{
    Demand, Format, Job, Kind, LINKS, Planned, Remark, ResultLine, RowFailure, RowFile, Unread, Workload, WorstCase,
};
use crate::machine::Machine;
use crate::model::MessageTimes;
use crate::schedule::goal::AmbiguousTags;
use crate::units::{Flits, NodeId};
use outline::Average;
use serde::{Serialize, Serializer};
use std::any::Any;
use std::sync::Arc;

/// The part of a registry line that kinds of applications have in common.
pub(crate) const KIND: Kind = Kind {
    in_words: "a program of operations",
    counts_bytes: true,
    tables: &[noise::TABLE],
    columns: &COLUMNS,
    files: &[HOSTS, LINKS],
    exports: &[Format::Goal],
    remarks: |lines| remarks(lines, <dyn Workload>::downcast_ref),
    ..Kind::DEFAULT
};

/// Operations of ranks on the nodes of a machine.
#[derive(Clone, Debug)]
pub struct Application {
    /// The kind's part of the table.
    pub source: Arc<dyn Source>,
    /// The bytes of a flit.
    pub flit_bytes: u64,
    /// Per rank its node. Empty without a network.
    pub nodes: Arc<[NodeId]>,
    /// True if links are written.
    pub details: bool,
    /// The noise of the ranks, if there is any.
    pub noise: Option<NoiseTable>,
    /// The outline of the program.
    pub outline: Outline,
    /// A warning about a key without effect, if there is one.
    pub warning: Option<String>,
}

/// The keys of the source, and those of all applications.
impl Serialize for Application {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut json = self.source.to_json().map_err(serde::ser::Error::custom)?;
        json["flit_bytes"] = self.flit_bytes.into();
        json["details"] = self.details.into();
        if let Some(noise) = &self.noise {
            json["noise"] = serde_json::to_value(noise).map_err(serde::ser::Error::custom)?;
        }
        json.serialize(serializer)
    }
}

/// The remarks on `lines` of workloads whose operations `application` returns.
pub(crate) fn remarks(lines: &[ResultLine<'_>], application: FindApplication) -> Vec<Remark> {
    (Kind::DEFAULT.remarks)(lines).into_iter().chain(ambiguous_tags(lines, application)).collect()
}

/// Returns the operations of a workload.
type FindApplication = fn(&dyn Workload) -> Option<&Application>;

/// The source of a line of results, if it is an application with a source of this type.
pub(crate) fn source_of<'a, S: Source>(line: &ResultLine<'a>) -> Option<&'a S> {
    let source: &dyn Any = &*line.workload.downcast_ref::<Application>()?.source;
    source.downcast_ref()
}

/// A remark where LogGOPSim, which has tags of 32 bits, would take other messages for these.
fn ambiguous_tags(lines: &[ResultLine<'_>], application: FindApplication) -> Option<Remark> {
    let ambiguous = |line: &ResultLine<'_>| application(line.workload)?.outline.ambiguous;
    let about: Vec<usize> = (0..lines.len()).filter(|&at| ambiguous(&lines[at]).is_some()).collect();
    let text = in_loggopsim(&lines.iter().find_map(ambiguous)?);
    Some(Remark { text, lines: about, doubted: &[] })
}

/// The sentence that LogGOPSim takes two tags for one.
fn in_loggopsim(tags: &AmbiguousTags) -> String {
    format!("LogGOPSim stores tags modulo 2^32, so {tags}; flitwise stores all 64 bits.")
}

impl Workload for Application {
    fn kind(&self) -> &'static Kind {
        self.source.kind()
    }

    fn participants(&self) -> usize {
        self.outline.ranks
    }

    fn warnings(&self) -> Vec<String> {
        self.warning.iter().cloned().collect()
    }

    fn runs_operations(&self) -> bool {
        true
    }

    fn demand(&self, machine: &Machine, _: usize) -> Demand {
        let Outline { ranks, operations, messages, .. } = self.outline;
        let Average { hops, flits } = self.outline.average(machine, &self.nodes, self.flit_bytes);
        let demand = Demand {
            nodes: ranks,
            messages,
            hops,
            planning: 120 * operations as u64,
            planning_time: 300 * operations as u64,
            ..Demand::default()
        };
        demand.run_on(machine, flits).with_links(machine, self.details)
    }

    /// All operations one after the other.
    fn worst_case(&self, machine: &Machine) -> Option<WorstCase> {
        let costs = machine.sequential_costs();
        let mut longest = Flits(0);
        let mut all = self.outline.computed;
        for (bytes, count) in self.outline.sizes() {
            let flits = Flits::from_bytes(bytes, self.flit_bytes);
            longest = longest.max(flits);
            let sent = costs.setup + u128::from(flits.on_wire()) * costs.per_flit;
            all += u128::from(count) * (sent + machine.path_time() + machine.modelled(bytes));
        }
        if let Some(noise) = &self.noise {
            all = all.saturating_add(noise.most_added(all, (self.outline.operations + self.outline.messages) as u128));
        }
        let ticks = all.max(machine.largest_offset(longest));
        Some(WorstCase { ticks, key: self.source.longest_key(), what: "these operations" })
    }

    fn check(&self, root: &Reader<'_>, machine: &Machine) {
        if machine.model.is_none() && machine.network.is_none() {
            let message = "operations need a [network.*] or a model that predicts them";
            let note = "needed: [network.*], [model.loggops], [model.logp] or [model.parameterised]";
            root.error(Diagnostic::at(root.place_within(&["workload"]), message).note(note));
        }
        if let Some(noise) = &self.noise {
            let MessageTimes { send, receive, .. } = machine.parts(0, self.flit_bytes);
            let overhead = |(bytes, _)| machine.node.send(Flits::from_bytes(bytes, self.flit_bytes)).0;
            let longest =
                self.outline.sizes().map(overhead).fold(self.outline.longest.max(send).max(receive), u64::max);
            noise.check(root, self.outline.ranks, longest);
        }
    }

    fn unread(&self, machine: &Machine) -> Vec<Unread> {
        if machine.network.is_some() || machine.model.is_none() {
            return Vec::new();
        }
        let reason = "without a [network.*] the operations specify their interfaces";
        vec![Unread { path: &["node", "ports"], why: reason }]
    }

    fn title(&self, _: &dyn Fn(&str) -> bool) -> Vec<String> {
        let number = |count: usize, noun: &str| match count {
            1 => format!("1 {noun}"),
            _ => format!("{} {noun}s", grouped(count as u64)),
        };
        let messages = number(self.outline.messages, "message");
        vec![format!("{messages} of {} in {}", number(self.outline.ranks, "rank"), self.source.called())]
    }

    fn writes(&self, _: bool) -> &'static [RowFile] {
        let files = self.source.files();
        if self.details { files } else { &files[..files.len() - 1] }
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        plan::plan(self, job)
    }
}
