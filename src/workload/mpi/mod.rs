//! Traces of MPI programs: calls become operations, and the time between them computation.
//!
//! Collectives consist of the operations of Schedgen, the trace converter of LogGOPSim, or of those of algorithms that are selected.

mod expand;
mod program;
mod read;

pub use read::{Expand, Mpi};

use crate::kind::words::grouped;
use crate::kind::{Column, Combining, Job, Kind, Read, Remark, ResultLine, Row, Template};
use crate::schedule::goal::Names;
use crate::workload::application::{self, COLUMNS, Program, Report, Source};
use std::sync::Arc;

/// The number of calls that communicate and are skipped.
const SKIPPED_CALLS: Column = Column::count("skipped_calls").called("calls that are skipped");
/// The time of these calls in the trace.
const SKIPPED_TIME: Column = Column::ticks("skipped_time").called("time of calls that are skipped");

const ALL_COLUMNS: [Column; COLUMNS.len() + 2] = application::and([SKIPPED_CALLS, SKIPPED_TIME]);

/// MPI traces in the registry.
pub static KIND: Kind = Kind {
    name: "mpi",
    summary: "calls of an MPI program from the text traces of liballprof",
    in_words: "an MPI trace",
    combining: Combining::With { key: "expand", word: "algorithms" },
    columns: &ALL_COLUMNS,
    keys: read::KEYS,
    remarks: |lines| (application::KIND.remarks)(lines).into_iter().chain(skipped_calls(lines)).collect(),
    template: Template {
        scenario: include_str!("template.toml"),
        files: &[
            ("ring-0.txt", include_bytes!("ring-0.txt")),
            ("ring-1.txt", include_bytes!("ring-1.txt")),
            ("ring-2.txt", include_bytes!("ring-2.txt")),
            ("ring-3.txt", include_bytes!("ring-3.txt")),
        ],
    },
    read: Read::Source(read::read),
    ..application::KIND
};

/// A remark on calls that communicate and are skipped.
fn skipped_calls(lines: &[ResultLine<'_>]) -> Option<Remark> {
    let skipped = |line: &ResultLine<'_>| {
        let skipped = &application::source_of::<Mpi>(line)?.loaded.skipped;
        (!skipped.counts.is_empty()).then(|| skipped.clone())
    };
    let about: Vec<usize> = (0..lines.len()).filter(|&at| skipped(&lines[at]).is_some()).collect();
    let first = lines.iter().find_map(skipped)?;
    let names: Vec<String> = first.counts.iter().map(|(name, count)| format!("{name} ({})", grouped(*count))).collect();
    let text = format!(
        "Calls that communicate but are not simulated: {}. Their {} ticks count as computation.",
        names.join(", "),
        grouped(first.ticks)
    );
    Some(Remark { text, lines: about, doubted: &[] })
}

impl Source for Mpi {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn program(&self) -> Arc<Program> {
        Arc::clone(&self.loaded.program)
    }

    fn draw(&self, _: Job<'_>) -> (Arc<Program>, Report) {
        let (calls, ticks) = (self.loaded.skipped.counts.values().sum(), self.loaded.skipped.ticks);
        let report = move |row: &mut Row| {
            row.set(&SKIPPED_CALLS, calls);
            row.set(&SKIPPED_TIME, ticks);
        };
        (self.program(), Box::new(report))
    }

    fn called(&self) -> String {
        format!("the trace of `{}`", self.trace)
    }

    fn names(&self) -> Names {
        self.loaded.names()
    }

    fn longest_key(&self) -> &'static str {
        "trace"
    }

    fn cuts_vectors(&self) -> bool {
        self.expand == Expand::Algorithms
    }
}
