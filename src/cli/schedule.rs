//! `flitwise schedule`.

use super::ui::Ui;
use super::{PointChoice, Source, Usage, available_memory};
use anyhow::Result;
use clap::{Args, ValueEnum};
use flitwise::report::{
    HOLDINGS, SCHEDULE, exchange_csv, exchange_dot, holdings_csv, schedule_csv, schedule_dot, trees_csv,
};
use flitwise::run::{RowError, RowId, Rows, broadcast_plan, exchange_model, exchange_plan, schedule};
use flitwise::scenario::{Experiment, Scenario, Workload};
use flitwise::schedule::goal::Goal;
use std::io::{BufWriter, Write, stdout};
use std::num::NonZeroU64;

#[derive(Args)]
pub(super) struct Schedule {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    point: PointChoice,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,
    /// GOAL formats: bytes of a flit [default: 1]
    #[arg(long, value_name = "N")]
    flit_bytes: Option<NonZeroU64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line per message in sending order, with the model's times
    Csv,
    /// Exchanges: who holds which blocks after each step
    Holdings,
    /// A graph per algorithm and repetition, for Graphviz
    Dot,
    /// The operations of one algorithm and repetition, as the LogGOPS simulators read them
    Goal,
    /// The same in binary
    GoalBinary,
}

impl Schedule {
    pub(super) fn execute(&self, _: &Ui) -> Result<()> {
        let scenario = self.source.load(available_memory())?;
        let point = self.point.choose(&scenario)?;
        let experiment = &scenario.points[point].experiment;
        let rows = Rows::of(&scenario);
        let ids: Vec<RowId> = (0..rows.count()).map(|index| rows.get(index)).filter(|id| id.point == point).collect();
        self.refuse(experiment, ids.len())?;
        let mut output = BufWriter::new(stdout().lock());
        match self.format {
            Format::Csv => lines(&mut output).write_record(SCHEDULE)?,
            Format::Holdings => lines(&mut output).write_record(HOLDINGS)?,
            Format::Dot | Format::Goal | Format::GoalBinary => {}
        }
        for id in ids {
            self.print(&mut output, experiment, id)?;
        }
        Ok(output.flush()?)
    }

    /// What cannot be printed of a point with so many `schedules`.
    fn refuse(&self, experiment: &Experiment, schedules: usize) -> Result<(), Usage> {
        let goal = matches!(self.format, Format::Goal | Format::GoalBinary);
        let why = match &experiment.workload {
            Workload::Mapping(_) => "a mapping is no schedule; `flitwise run` writes mapping.csv".to_owned(),
            Workload::Traffic(_) => "traffic is drawn as it runs; it has no schedule".to_owned(),
            Workload::Trace(_) => "a trace is a list of messages already; it has no schedule".to_owned(),
            Workload::Broadcast(_) if self.format != Format::Csv => {
                "the trees of a broadcast are printed as CSV only: a grid has no flits and no bytes".to_owned()
            }
            Workload::Operations(_) if !goal => {
                "operations have no schedule to list; --format goal or goal-binary prints them".to_owned()
            }
            Workload::Operations(_) if self.flit_bytes.is_some() => {
                "operations are in bytes already, so --flit-bytes would be ignored".to_owned()
            }
            Workload::Multicast(_) if self.format == Format::Holdings => {
                "--format holdings tells who holds which block; only an exchange has blocks".to_owned()
            }
            _ if goal && schedules > 1 => {
                format!("a GOAL file has one schedule, not {schedules}: choose one algorithm and repetition with --set")
            }
            _ if !goal && self.flit_bytes.is_some() => "only the GOAL formats read --flit-bytes".to_owned(),
            _ => return Ok(()),
        };
        Err(Usage(why))
    }

    fn goal(&self, output: &mut impl Write, goal: &Goal) -> std::io::Result<()> {
        if self.format == Format::Goal { goal.write_text(output) } else { goal.write_binary(output) }
    }

    fn print(&self, output: &mut impl Write, experiment: &Experiment, id: RowId) -> Result<()> {
        let algorithm = experiment.workload.algorithm(id.algorithm);
        let failed = |cause| RowError { point: id.point, algorithm, repetition: id.repetition, cause };
        let bytes = self.flit_bytes.map_or(1, NonZeroU64::get);
        let (name, title) = ((algorithm, id.repetition), format!("{algorithm} {}", id.repetition));
        match &experiment.workload {
            Workload::Multicast(multicast) => {
                let Some((planned, _)) = schedule(experiment, id).map_err(failed)? else { return Ok(()) };
                let model = multicast.model(experiment.times(multicast.flits));
                let prices = model.price(&planned, experiment.node.ports);
                match self.format {
                    Format::Goal | Format::GoalBinary => self.goal(output, &Goal::of_multicast(&planned, bytes))?,
                    Format::Dot => schedule_dot(output, &title, &planned, &prices)?,
                    Format::Csv | Format::Holdings => {
                        schedule_csv(&mut lines(output), name, &planned, &prices, experiment.network())?;
                    }
                }
            }
            Workload::Exchange(workload) => {
                let planned = exchange_plan(workload, id).map_err(failed)?;
                match self.format {
                    Format::Goal | Format::GoalBinary => {
                        self.goal(output, &Goal::of_exchange(&planned, bytes * workload.block_flits.0))?;
                    }
                    Format::Dot => exchange_dot(output, &title, &planned)?,
                    Format::Holdings => holdings_csv(&mut lines(output), name, &planned)?,
                    Format::Csv => {
                        let prices = exchange_model(experiment, workload).price(&planned);
                        exchange_csv(&mut lines(output), name, &planned, &prices, workload.block_flits.0)?;
                    }
                }
            }
            Workload::Broadcast(workload) => {
                let (costs, trees) = broadcast_plan(experiment.seed, workload, id).map_err(failed)?;
                trees_csv(&mut lines(output), name, &costs.predicted, workload.root, &trees)?;
            }
            Workload::Operations(operations) => self.goal(output, &operations.goal)?,
            Workload::Mapping(_) | Workload::Trace(_) | Workload::Traffic(_) => {}
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
