//! `flitwise schedule`.

use super::ui::Ui;
use super::{PointChoice, Source, Usage, available_memory};
use anyhow::{Error, Result};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use flitwise::diagram::{DiagramError, draw};
use flitwise::report::{DotError, Listing, ListingError, dot};
use flitwise::run::{RowError, RowId, Rows, exchange_plan, schedule};
use flitwise::scenario::{Diagram, Experiment, Scenario, Workload};
use flitwise::schedule::goal::Goal;
use std::io::{BufWriter, Write, stdout};
use std::num::NonZeroU64;

/// Rows in a picture.
const MOST_DRAWN: usize = 24;

#[derive(Args)]
pub(super) struct Schedule {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    point: PointChoice,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,
    /// SVG: which diagrams [default: all that can be read]
    #[arg(long = "diagram", value_name = "KIND", value_delimiter = ',', value_parser = diagram())]
    diagrams: Vec<Diagram>,
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
    /// Diagrams of a small schedule: trees, timing, ways over the network, tables of blocks, cuts of a mapping
    Svg,
    /// The operations of one algorithm and repetition, as the LogGOPS simulators read them
    Goal,
    /// The same in binary
    GoalBinary,
}

impl Schedule {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let scenario = self.source.load(available_memory())?;
        let point = self.point.choose(&scenario)?;
        let experiment = &scenario.points[point].experiment;
        let rows = Rows::of(&scenario);
        let ids: Vec<RowId> = (0..rows.count()).map(|index| rows.get(index)).filter(|id| id.point == point).collect();
        self.refuse(experiment, ids.len())?;
        if self.format == Format::Svg {
            return self.draw(ui, &scenario, &ids);
        }
        let mut output = BufWriter::new(stdout().lock());
        if let Some(listing) = self.format.listing() {
            lines(&mut output).write_record(listing.header())?;
        }
        for id in ids {
            self.print(&mut output, experiment, id)?;
        }
        Ok(output.flush()?)
    }

    /// What cannot be printed of a point with so many `schedules`.
    fn refuse(&self, experiment: &Experiment, schedules: usize) -> Result<(), Usage> {
        let (goal, svg) = (matches!(self.format, Format::Goal | Format::GoalBinary), self.format == Format::Svg);
        let drawn = svg || self.format == Format::Dot;
        let why = match &experiment.workload {
            _ if !svg && !self.diagrams.is_empty() => "only --format svg reads --diagram".to_owned(),
            _ if svg && schedules > MOST_DRAWN => format!(
                "{schedules} schedules make no picture, at most {MOST_DRAWN} do: choose algorithms and repetitions with --set"
            ),
            Workload::Mapping(_) if !drawn => {
                "a mapping is no schedule; --format svg and dot draw it, and `flitwise run` writes mapping.csv"
                    .to_owned()
            }
            Workload::Traffic(_) => "traffic is drawn as it runs; it has no schedule".to_owned(),
            Workload::Trace(_) => "a trace is a list of messages already; it has no schedule".to_owned(),
            Workload::Broadcast(_) if !drawn && self.format != Format::Csv => {
                "the trees of a broadcast are CSV, DOT or SVG: a grid has no flits, no bytes and no blocks".to_owned()
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

    fn draw(&self, ui: &Ui, scenario: &Scenario, ids: &[RowId]) -> Result<()> {
        let drawing = draw(scenario, ids, &self.diagrams).map_err(|error| match error {
            DiagramError::Row(row) => Error::new(*row),
            DiagramError::Painting(_) => Error::new(error),
            none => Usage(none.to_string()).into(),
        })?;
        for diagram in drawing.left_out {
            ui.note(&format!("left out: {diagram}"));
        }
        ui.print(&drawing.svg)
    }

    fn goal(&self, output: &mut impl Write, goal: &Goal) -> std::io::Result<()> {
        if self.format == Format::Goal { goal.write_text(output) } else { goal.write_binary(output) }
    }

    fn print(&self, output: &mut impl Write, experiment: &Experiment, id: RowId) -> Result<()> {
        if let Some(listing) = self.format.listing() {
            return match listing.write(&mut lines(output), experiment, id) {
                Ok(_) => Ok(()),
                Err(ListingError::Row(error)) => Err(Error::new(*error)),
                Err(ListingError::Csv(error)) => Err(error.into()),
            };
        }
        if self.format == Format::Dot {
            return match dot(output, experiment, id) {
                Ok(_) => Ok(()),
                Err(DotError::Row(error)) => Err(Error::new(*error)),
                Err(DotError::Write(error)) => Err(error.into()),
            };
        }
        let failed = |cause| RowError::of(experiment, id, cause);
        let bytes = self.flit_bytes.map_or(1, NonZeroU64::get);
        match &experiment.workload {
            Workload::Multicast(_) => {
                let Some((planned, _)) = schedule(experiment, id).map_err(failed)? else { return Ok(()) };
                self.goal(output, &Goal::of_multicast(&planned, bytes))?;
            }
            Workload::Exchange(workload) => {
                let planned = exchange_plan(workload, id).map_err(failed)?;
                self.goal(output, &Goal::of_exchange(&planned, bytes * workload.block_flits.0))?;
            }
            Workload::Operations(operations) => self.goal(output, &operations.goal)?,
            Workload::Broadcast(_) | Workload::Mapping(_) | Workload::Trace(_) | Workload::Traffic(_) => {}
        }
        Ok(())
    }
}

impl Format {
    /// What it lists as CSV, if it does.
    fn listing(self) -> Option<Listing> {
        match self {
            Self::Csv => Some(Listing::Schedule),
            Self::Holdings => Some(Listing::Holdings),
            Self::Dot | Self::Svg | Self::Goal | Self::GoalBinary => None,
        }
    }
}

/// Reads the name of a diagram.
fn diagram() -> impl TypedValueParser<Value = Diagram> {
    let known = |name: String| Diagram::ALL.into_iter().find(|(known, _)| *known == name);
    PossibleValuesParser::new(Diagram::ALL.map(|(name, _)| name))
        .try_map(move |name| known(name).map(|(_, diagram)| diagram).ok_or("no diagram"))
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
