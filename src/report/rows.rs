//! Files that rows add lines to: which there are, when, and what they say of a row.
//!
//! A file is a header and the lines of all rows, in order. Lines are made of a row alone, so that rows can be computed
//! anywhere and in any order and their lines put together later.

use super::broadcast::{EVENTS, NODES, TREES};
use super::summary::{METRICS, Metric, in_millionths, special};
use crate::run::{Blocked, Row};
use crate::scenario::Scenario;
use crate::units::Millionths;

/// Lines in memory.
pub type Lines = csv::Writer<Vec<u8>>;

/// A file that rows add lines to.
pub struct RowFile {
    /// Its name.
    pub name: &'static str,
    /// Whether a scenario has it, with what happened to every message if that is asked for.
    pub(super) given: fn(&Scenario, bool) -> bool,
    /// Writes its header.
    pub(super) header: fn(&Scenario, &mut Lines) -> csv::Result<()>,
    /// Writes what it says of a row.
    pub(super) lines: fn(&Scenario, &Row, &mut Lines) -> csv::Result<()>,
}

/// Every file that rows add lines to; a new one is a line here.
pub const ROW_FILES: [RowFile; 9] = [ROWS, MESSAGES, HOSTS, TREES, NODES, EVENTS, MAPPING, CUTS, LINKS];

impl RowFile {
    /// Those that `scenario` has, with what happened to every message if `details`.
    pub fn of(scenario: &Scenario, details: bool) -> impl Iterator<Item = &'static Self> {
        ROW_FILES.iter().filter(move |file| (file.given)(scenario, details))
    }

    /// The header, a line.
    ///
    /// # Errors
    /// If it is no text.
    pub fn header(&self, scenario: &Scenario) -> csv::Result<String> {
        text(|lines| (self.header)(scenario, lines))
    }

    /// The lines of `rows`.
    ///
    /// # Errors
    /// If they are no text.
    pub fn lines(&self, scenario: &Scenario, rows: &[Row]) -> csv::Result<String> {
        text(|lines| rows.iter().try_for_each(|row| (self.lines)(scenario, row, lines)))
    }
}

/// What `write` writes.
fn text(write: impl FnOnce(&mut Lines) -> csv::Result<()>) -> csv::Result<String> {
    let mut lines = csv::WriterBuilder::new().has_headers(false).buffer_capacity(1 << 10).from_writer(Vec::new());
    write(&mut lines)?;
    let bytes = lines.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    String::from_utf8(bytes).map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error).into())
}

/// The columns that only the workload of `scenario` has.
fn special_metrics(scenario: &Scenario) -> &'static [Metric] {
    &METRICS[special(scenario)]
}

/// A line per point, algorithm and repetition. Times are in ticks; what was not measured is empty.
const ROWS: RowFile = RowFile {
    name: "rows.csv",
    given: |_, _| true,
    header: |scenario, csv| {
        let what = ["algorithm", "repetition", "seed", "nodes", "messages"];
        let times = ["predicted", "measured", "blocked_messages", "blocked_headers", "blocked_time", "engine"];
        let axes = scenario.axes.iter().map(|axis| axis.key.as_str());
        let counted = special_metrics(scenario).iter().map(|(name, _)| *name);
        let before = std::iter::once("scenario").chain(axes).chain(what);
        if scenario.is_traffic() {
            csv.write_record(before.chain(counted).chain(["engine"]))
        } else {
            csv.write_record(before.chain(times).chain(counted))
        }
    },
    lines: row_line,
};

fn row_line(scenario: &Scenario, row: &Row, csv: &mut Lines) -> csv::Result<()> {
    csv.write_field(&scenario.name)?;
    for setting in &scenario.points[row.id.point].settings {
        csv.write_field(setting)?;
    }
    let what =
        [&row.id.repetition.to_string(), &row.seed.to_string(), &row.nodes.to_string(), &row.messages.to_string()];
    csv.write_field(row.algorithm)?;
    what.into_iter().try_for_each(|field| csv.write_field(field))?;
    let counted = special_metrics(scenario).iter().map(|(name, value)| match value(row) {
        Some(value) if in_millionths(name) => Millionths(value).to_string(),
        value => value.map_or_else(String::new, |value| value.to_string()),
    });
    if scenario.is_traffic() {
        return csv.write_record(counted.chain([row.engine.unwrap_or_default().to_owned()]));
    }
    let measured = |value: fn(&crate::run::Measured) -> String| row.measured.as_ref().map_or_else(String::new, value);
    let blocked = |value: fn(&Blocked) -> String| {
        row.measured.as_ref().and_then(|m| m.blocked.as_ref()).map_or_else(String::new, value)
    };
    let fields = [
        row.predicted.map_or_else(String::new, |at| at.to_string()),
        measured(|m| m.completion.to_string()),
        blocked(|b| b.messages.to_string()),
        blocked(|b| b.headers.to_string()),
        blocked(|b| b.time.to_string()),
        measured(|m| m.engine.to_owned()),
    ];
    csv.write_record(fields.into_iter().chain(counted))
}

/// A line per message of every row.
const MESSAGES: RowFile = RowFile {
    name: "messages.csv",
    given: |scenario, details| details && !scenario.is_broadcast(),
    header: |_, csv| {
        let row = ["point", "algorithm", "repetition"];
        let message =
            ["id", "src", "dst", "flits", "requested", "injected", "delivered", "received", "hops", "blocked"];
        csv.write_record(row.into_iter().chain(message))
    },
    lines: |_, row, csv| {
        for (id, flits, message) in &row.details {
            csv.serialize((
                (row.id.point, row.algorithm, row.id.repetition, id),
                (message.src.0, message.dst.0, flits.0),
                (message.requested.0, message.injected.0, message.delivered.0, message.received.0),
                (message.hops, message.blocked_time.0),
            ))?;
        }
        Ok(())
    },
};

/// When each rank has finished, of the first repetition at each point.
const HOSTS: RowFile = RowFile {
    name: "hosts.csv",
    given: |scenario, _| scenario.is_operations(),
    header: |_, csv| csv.write_record(["point", "host", "finish"]),
    lines: |_, row, csv| {
        let hosts = row.hosts.iter().filter(|_| row.id.repetition == 0);
        hosts.enumerate().try_for_each(|(host, finish)| csv.serialize((row.id.point, host, finish.0)))
    },
};

/// Where each task is.
const MAPPING: RowFile = RowFile {
    name: "mapping.csv",
    given: |scenario, _| scenario.is_mapping() && scenario.has_details(),
    header: |_, csv| csv.write_record(["point", "algorithm", "repetition", "task", "processor"]),
    lines: |_, row, csv| {
        let name = (row.id.point, row.algorithm, row.id.repetition);
        let places = row.placed.iter().flat_map(|placed| placed.processors.iter().enumerate());
        places.map(|(task, processor)| (name, task, processor)).try_for_each(|line| csv.serialize(line))
    },
};

/// What each bit of the addresses cuts, and how evenly it divides the tasks.
const CUTS: RowFile = RowFile {
    name: "cuts.csv",
    given: |scenario, _| scenario.is_mapping() && scenario.has_details(),
    header: |_, csv| {
        csv.write_record(["point", "algorithm", "repetition", "bit", "cut", "classes", "smallest", "largest"])
    },
    lines: |_, row, csv| {
        let name = (row.id.point, row.algorithm, row.id.repetition);
        let cuts = row.placed.iter().flat_map(|placed| placed.cuts.iter().enumerate());
        cuts.map(|(bit, cut)| (name, bit, cut.weight, cut.classes, cut.smallest, cut.largest))
            .try_for_each(|line| csv.serialize(line))
    },
};

/// How busy each channel between routers was while it was measured.
const LINKS: RowFile = RowFile {
    name: "links.csv",
    given: |scenario, _| scenario.is_traffic() && scenario.has_details(),
    header: |_, csv| csv.write_record(["point", "algorithm", "repetition", "channel", "flits", "utilisation"]),
    lines: |_, row, csv| {
        let (point, repetition) = (row.id.point.to_string(), row.id.repetition.to_string());
        row.links.iter().try_for_each(|link| {
            let load = [&link.channel, &link.flits.to_string(), &link.utilisation.to_string()];
            csv.write_record([&point, row.algorithm, &repetition].into_iter().chain(load.map(String::as_str)))
        })
    },
};
