//! `rows.csv` and `messages.csv`.

use super::summary::{METRICS, Metric, special};
use crate::run::{Blocked, Row};
use crate::scenario::Scenario;
use std::io::Write;

/// A file, or several, that takes rows.
pub trait RowSink<W> {
    /// Writes what it takes of a row.
    ///
    /// # Errors
    /// If it cannot be written.
    fn write(&mut self, row: &Row) -> csv::Result<()>;

    /// Ends the files and gives them back.
    ///
    /// # Errors
    /// If what is buffered cannot be written.
    fn finish(self: Box<Self>) -> std::io::Result<Vec<W>>;
}

/// The end of one file.
pub(super) fn end<W: Write>(csv: csv::Writer<W>) -> std::io::Result<W> {
    csv.into_inner().map_err(csv::IntoInnerError::into_error)
}

/// The columns that only the workload of `scenario` has.
fn special_metrics(scenario: &Scenario) -> &'static [Metric] {
    &METRICS[special(scenario)]
}

/// Writes `rows.csv`: a line per point, algorithm and repetition. Times are in ticks; what was not measured is empty.
pub struct RowsCsv<'a, W: Write> {
    scenario: &'a Scenario,
    csv: csv::Writer<W>,
}

impl<'a, W: Write> RowsCsv<'a, W> {
    /// Begins with the header.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(scenario: &'a Scenario, output: W) -> csv::Result<Self> {
        let mut csv = csv::Writer::from_writer(output);
        let header = ["algorithm", "repetition", "seed", "nodes", "messages", "predicted", "measured"];
        let blocked = ["blocked_messages", "blocked_headers", "blocked_time", "engine"];
        let axes = scenario.axes.iter().map(|axis| axis.key.as_str());
        let counted = special_metrics(scenario).iter().map(|(name, _)| *name);
        csv.write_record(std::iter::once("scenario").chain(axes).chain(header).chain(blocked).chain(counted))?;
        Ok(Self { scenario, csv })
    }
}

impl<W: Write> RowSink<W> for RowsCsv<'_, W> {
    fn write(&mut self, row: &Row) -> csv::Result<()> {
        self.csv.write_field(&self.scenario.name)?;
        for setting in &self.scenario.points[row.id.point].settings {
            self.csv.write_field(setting)?;
        }
        let measured =
            |value: fn(&crate::run::Measured) -> String| row.measured.as_ref().map_or_else(String::new, value);
        let blocked = |value: fn(&Blocked) -> String| {
            row.measured.as_ref().and_then(|m| m.blocked.as_ref()).map_or_else(String::new, value)
        };
        let counted = special_metrics(self.scenario).iter();
        let counted = counted.map(|(_, value)| value(row).map_or_else(String::new, |value| value.to_string()));
        let fields = [
            row.algorithm,
            &row.id.repetition.to_string(),
            &row.seed.to_string(),
            &row.nodes.to_string(),
            &row.messages.to_string(),
            &row.predicted.map_or_else(String::new, |at| at.to_string()),
            &measured(|m| m.completion.to_string()),
            &blocked(|b| b.messages.to_string()),
            &blocked(|b| b.headers.to_string()),
            &blocked(|b| b.time.to_string()),
            &measured(|m| m.engine.to_owned()),
        ];
        self.csv.write_record(fields.into_iter().map(str::to_owned).chain(counted))
    }

    fn finish(self: Box<Self>) -> std::io::Result<Vec<W>> {
        Ok(vec![end(self.csv)?])
    }
}

/// Writes `messages.csv`: a line per message of every row.
pub struct MessagesCsv<W: Write> {
    csv: csv::Writer<W>,
}

impl<W: Write> MessagesCsv<W> {
    /// Begins with the header.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(output: W) -> csv::Result<Self> {
        let mut csv = csv::Writer::from_writer(output);
        csv.write_record([
            "point",
            "algorithm",
            "repetition",
            "id",
            "src",
            "dst",
            "flits",
            "requested",
            "injected",
            "delivered",
            "received",
            "hops",
            "blocked",
        ])?;
        Ok(Self { csv })
    }
}

impl<W: Write> RowSink<W> for MessagesCsv<W> {
    fn write(&mut self, row: &Row) -> csv::Result<()> {
        for (id, flits, message) in &row.details {
            self.csv.serialize((
                (row.id.point, row.algorithm, row.id.repetition, id),
                (message.src.0, message.dst.0, flits.0),
                (message.requested.0, message.injected.0, message.delivered.0, message.received.0),
                (message.hops, message.blocked_time.0),
            ))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> std::io::Result<Vec<W>> {
        Ok(vec![end(self.csv)?])
    }
}

/// Writes `hosts.csv`: when each rank has finished, of the first repetition at each point.
pub struct HostsCsv<W: Write> {
    csv: csv::Writer<W>,
}

impl<W: Write> HostsCsv<W> {
    /// Begins with the header.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(output: W) -> csv::Result<Self> {
        let mut csv = csv::Writer::from_writer(output);
        csv.write_record(["point", "host", "finish"])?;
        Ok(Self { csv })
    }
}

impl<W: Write> RowSink<W> for HostsCsv<W> {
    fn write(&mut self, row: &Row) -> csv::Result<()> {
        let hosts = row.hosts.iter().filter(|_| row.id.repetition == 0);
        hosts.enumerate().try_for_each(|(host, finish)| self.csv.serialize((row.id.point, host, finish.0)))
    }

    fn finish(self: Box<Self>) -> std::io::Result<Vec<W>> {
        Ok(vec![end(self.csv)?])
    }
}

/// Writes `mapping.csv`: where each task is.
pub struct MappingCsv<W: Write> {
    csv: csv::Writer<W>,
}

impl<W: Write> MappingCsv<W> {
    /// Begins with the header.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(output: W) -> csv::Result<Self> {
        let mut csv = csv::Writer::from_writer(output);
        csv.write_record(["point", "algorithm", "repetition", "task", "processor"])?;
        Ok(Self { csv })
    }
}

impl<W: Write> RowSink<W> for MappingCsv<W> {
    fn write(&mut self, row: &Row) -> csv::Result<()> {
        let name = (row.id.point, row.algorithm, row.id.repetition);
        let places = row.placed.iter().flat_map(|placed| placed.processors.iter().enumerate());
        places.map(|(task, processor)| (name, task, processor)).try_for_each(|line| self.csv.serialize(line))
    }

    fn finish(self: Box<Self>) -> std::io::Result<Vec<W>> {
        Ok(vec![end(self.csv)?])
    }
}

/// Writes `cuts.csv`: what each bit of the addresses cuts, and how evenly it divides the tasks.
pub struct CutsCsv<W: Write> {
    csv: csv::Writer<W>,
}

impl<W: Write> CutsCsv<W> {
    /// Begins with the header.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(output: W) -> csv::Result<Self> {
        let mut csv = csv::Writer::from_writer(output);
        csv.write_record(["point", "algorithm", "repetition", "bit", "cut", "classes", "smallest", "largest"])?;
        Ok(Self { csv })
    }
}

impl<W: Write> RowSink<W> for CutsCsv<W> {
    fn write(&mut self, row: &Row) -> csv::Result<()> {
        let name = (row.id.point, row.algorithm, row.id.repetition);
        let cuts = row.placed.iter().flat_map(|placed| placed.cuts.iter().enumerate());
        cuts.map(|(bit, cut)| (name, bit, cut.weight, cut.classes, cut.smallest, cut.largest))
            .try_for_each(|line| self.csv.serialize(line))
    }

    fn finish(self: Box<Self>) -> std::io::Result<Vec<W>> {
        Ok(vec![end(self.csv)?])
    }
}
