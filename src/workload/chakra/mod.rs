//! Chakra execution traces: computations and communication of training steps, recorded for each rank.

mod collectives;
mod groups;
mod links;
mod program;
mod read;

pub use read::{Chakra, Communication, Dependencies, Roofline};

use crate::kind::words::counted;
use crate::kind::{Column, Combining, Job, Kind, Read, Remark, ResultLine, Row, Template};
use crate::schedule::goal::Names;
use crate::workload::application::{self, COLUMNS, Program, Report, Source};
use std::sync::Arc;

/// The nodes of all ranks in the trace.
const TRACE_NODES: Column = Column::count("trace_nodes");
/// The collectives that are simulated, each counted once for all its ranks.
const COLLECTIVES: Column = Column::count("collectives");

const ALL_COLUMNS: [Column; COLUMNS.len() + 2] = application::and([TRACE_NODES, COLLECTIVES]);

/// Chakra traces in the registry.
pub static KIND: Kind = Kind {
    name: "chakra",
    summary: "computations and communication of a training step, from Chakra execution traces",
    in_words: "a Chakra trace",
    combining: Combining::Always,
    columns: &ALL_COLUMNS,
    keys: read::KEYS,
    template: Template {
        scenario: include_str!("template.toml"),
        files: &[
            ("step.0.et", include_bytes!("step.0.et")),
            ("step.1.et", include_bytes!("step.1.et")),
            ("step.2.et", include_bytes!("step.2.et")),
            ("step.3.et", include_bytes!("step.3.et")),
        ],
    },
    remarks: |lines| (application::KIND.remarks)(lines).into_iter().chain(remarks(lines)).collect(),
    read: Read::Source(read::read),
    ..application::KIND
};

/// Remarks on nodes that are not simulated as what they are.
fn remarks(lines: &[ResultLine<'_>]) -> Vec<Remark> {
    let remark = |count: fn(&Chakra) -> usize, text: fn(usize) -> String| {
        let count_of = |line: &ResultLine<'_>| application::source_of(line).map_or(0, count);
        let about: Vec<usize> = (0..lines.len()).filter(|&index| count_of(&lines[index]) > 0).collect();
        let text = text(lines.iter().map(count_of).max()?);
        (!about.is_empty()).then_some(Remark { text, lines: about, doubted: &[] })
    };
    const INSTEAD: &str = "simulated as computation on the CPU for the recorded duration.";
    let storage = remark(Chakra::storage_nodes, |count| {
        format!("The trace has {}, {INSTEAD}", counted(count as u64, "storage, batch or checkpoint node"))
    });
    let unknown = remark(Chakra::unknown_collectives, |count| match count {
        1 => format!("The trace has 1 collective without `comm_type`, {INSTEAD}"),
        count => format!("The trace has {count} collectives without `comm_type`, {INSTEAD}"),
    });
    storage.into_iter().chain(unknown).collect()
}

impl Source for Chakra {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn program(&self) -> Arc<Program> {
        Arc::clone(&self.operations.program)
    }

    fn draw(&self, _: Job<'_>) -> (Arc<Program>, Report) {
        let (nodes, collectives) = (self.traces.nodes(), self.operations.collectives);
        let report = move |row: &mut Row| {
            row.set(&TRACE_NODES, nodes as u64);
            row.set(&COLLECTIVES, collectives as u64);
        };
        (self.program(), Box::new(report))
    }

    fn called(&self) -> String {
        format!("the trace {}", self.settings.trace)
    }

    fn names(&self) -> Names {
        self.operation_names()
    }

    fn longest_key(&self) -> &'static str {
        "trace"
    }

    fn cuts_vectors(&self) -> bool {
        true
    }
}
