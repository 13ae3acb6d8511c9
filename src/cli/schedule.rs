//! `flitwise schedule`.

use super::ui::Ui;
use super::{PointChoice, Source, Usage};
use anyhow::Result;
use clap::{Args, ValueEnum};
use flitwise::report::{schedule_csv, schedule_dot};
use flitwise::run::{RowError, RowId, Rows, schedule};
use flitwise::scenario::{Scenario, Workload};
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

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// A line per message in sending order, with the model's times
    Csv,
    /// A graph per algorithm and repetition, for Graphviz
    Dot,
}

const HEADER: [&str; 10] =
    ["algorithm", "repetition", "step", "src", "dst", "flits", "hops", "send_start", "received", "blocks"];

impl Schedule {
    pub(super) fn execute(&self, _: &Ui) -> Result<()> {
        let scenario = self.source.load()?;
        let point = self.point.choose(&scenario)?;
        let experiment = &scenario.points[point].experiment;
        let Workload::Multicast(multicast) = &experiment.workload else {
            return Err(Usage("a trace is a list of messages already; it has no schedule".to_owned()).into());
        };
        let mut output = BufWriter::new(stdout().lock());
        if matches!(self.format, Format::Csv) {
            lines(&mut output).write_record(HEADER)?;
        }
        let rows = Rows::of(&scenario);
        for id in (0..rows.count()).map(|index| rows.get(index)).filter(|id| id.point == point) {
            let algorithm = multicast.algorithms[id.algorithm].name;
            let Some(planned) = planned(&scenario, id, algorithm)? else { continue };
            let model = multicast.model(experiment.derived(multicast.flits));
            let prices = model.price(&planned, experiment.node.ports);
            let (network, name) = (experiment.network(), (algorithm, id.repetition));
            match self.format {
                Format::Csv => schedule_csv(&mut lines(&mut output), name, &planned, &prices, network)?,
                Format::Dot => schedule_dot(&mut output, &format!("{algorithm} {}", id.repetition), &planned, &prices)?,
            }
        }
        Ok(output.flush()?)
    }
}

fn lines<W: Write>(output: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().has_headers(false).from_writer(output)
}

fn planned(scenario: &Scenario, id: RowId, algorithm: &'static str) -> Result<Option<flitwise::schedule::Schedule>> {
    let experiment = &scenario.points[id.point].experiment;
    let failed = |cause| RowError { point: id.point, algorithm, repetition: id.repetition, cause };
    Ok(schedule(experiment, id).map_err(failed)?.map(|(schedule, _)| schedule))
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
