//! `flitwise schedule`.

use super::ui::Ui;
use super::{PointChoice, Source, Usage};
use anyhow::Result;
use clap::{Args, ValueEnum};
use flitwise::report::{HOLDINGS, exchange_csv, exchange_dot, holdings_csv, schedule_csv, schedule_dot};
use flitwise::run::{RowError, RowId, Rows, exchange_model, exchange_plan, schedule};
use flitwise::scenario::{Experiment, Scenario, Workload};
use std::io::{BufWriter, Write, stdout};

#[derive(Args)]
pub(super) struct Schedule {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    point: PointChoice,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line per message in sending order, with the model's times
    Csv,
    /// Exchanges: who holds which blocks after each step
    Holdings,
    /// A graph per algorithm and repetition, for Graphviz
    Dot,
}

const HEADER: [&str; 10] =
    ["algorithm", "repetition", "step", "src", "dst", "flits", "hops", "send_start", "received", "blocks"];

impl Schedule {
    pub(super) fn execute(&self, _: &Ui) -> Result<()> {
        let scenario = self.source.load()?;
        let point = self.point.choose(&scenario)?;
        let workload = &scenario.points[point].experiment.workload;
        if matches!(workload, Workload::Trace(_)) {
            return Err(Usage("a trace is a list of messages already; it has no schedule".to_owned()).into());
        }
        if self.format == Format::Holdings && !matches!(workload, Workload::Exchange(_)) {
            let why = "--format holdings tells who holds which block; only an exchange has blocks";
            return Err(Usage(why.to_owned()).into());
        }
        let mut output = BufWriter::new(stdout().lock());
        match self.format {
            Format::Csv => lines(&mut output).write_record(HEADER)?,
            Format::Holdings => lines(&mut output).write_record(HOLDINGS)?,
            Format::Dot => {}
        }
        let rows = Rows::of(&scenario);
        for id in (0..rows.count()).map(|index| rows.get(index)).filter(|id| id.point == point) {
            self.print(&mut output, &scenario.points[point].experiment, id)?;
        }
        Ok(output.flush()?)
    }

    fn print(&self, output: &mut impl Write, experiment: &Experiment, id: RowId) -> Result<()> {
        let algorithm = experiment.workload.algorithm(id.algorithm);
        let failed = |cause| RowError { point: id.point, algorithm, repetition: id.repetition, cause };
        let (name, title) = ((algorithm, id.repetition), format!("{algorithm} {}", id.repetition));
        match &experiment.workload {
            Workload::Multicast(multicast) => {
                let Some((planned, _)) = schedule(experiment, id).map_err(failed)? else { return Ok(()) };
                let model = multicast.model(experiment.derived(multicast.flits));
                let prices = model.price(&planned, experiment.node.ports);
                match self.format {
                    Format::Dot => schedule_dot(output, &title, &planned, &prices)?,
                    _ => schedule_csv(&mut lines(output), name, &planned, &prices, experiment.network())?,
                }
            }
            Workload::Exchange(workload) => {
                let planned = exchange_plan(workload, id).map_err(failed)?;
                match self.format {
                    Format::Dot => exchange_dot(output, &title, &planned)?,
                    Format::Holdings => holdings_csv(&mut lines(output), name, &planned)?,
                    Format::Csv => {
                        let prices = exchange_model(experiment, workload).price(&planned);
                        exchange_csv(&mut lines(output), name, &planned, &prices, workload.block_flits.0)?;
                    }
                }
            }
            Workload::Trace(_) => {}
        }
        Ok(())
    }
}

fn lines<W: Write>(output: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().has_headers(false).from_writer(output)
}

impl PointChoice {
    /// The chosen point, or the only one.
    pub(super) fn choose(&self, scenario: &Scenario) -> Result<usize> {
        let points = scenario.points.len();
        match self.point {
            Some(point) if point < points => Ok(point),
            None if points == 1 => Ok(0),
            _ => {
                let why = format!("the scenario has {points} points: choose one with --point 0..{}", points - 1);
                Err(Usage(why).into())
            }
        }
    }
}
