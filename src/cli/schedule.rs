//! `flitwise schedule`.

use super::ui::Ui;
use super::{Source, Usage, available_memory, told};
use anyhow::{Error, Result};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use flitwise::draw::{DrawError, draw};
use flitwise::kind::{self, Diagram, RowId};
use flitwise::output::{Listing, ListingError, write_dot};
use flitwise::run::rows_of_point;
use flitwise::scenario::{Experiment, Scenario};
use std::io::{BufWriter, Write, stdout};
use std::num::NonZeroU64;

/// Rows in a picture.
const MOST_DRAWN: usize = 24;

#[derive(Args)]
pub(super) struct Schedule {
    #[command(flatten)]
    source: Source,
    /// Which point of a sweep, counted from 0, the last key fastest
    #[arg(long, value_name = "INDEX")]
    point: Option<usize>,
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
    /// Exchanges: which node holds which blocks after each step
    Holdings,
    /// A graph per algorithm and repetition, for Graphviz
    Dot,
    /// Diagrams of a small schedule: trees, timing, paths over the network, tables of blocks, cuts of a mapping
    Svg,
    /// The operations of one algorithm and repetition, as the LogGOPS simulators read them
    Goal,
    /// The same in binary
    GoalBinary,
}

impl Schedule {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let scenario = self.source.load(available_memory())?;
        let point = self.choose(&scenario)?;
        let experiment = &scenario.points[point].experiment;
        let ids = rows_of_point(&scenario, point);
        self.refuse(experiment, ids.len())?;
        if self.format == Format::Svg {
            return self.draw(ui, &scenario, &ids).map_err(|error| told(&scenario, error));
        }
        let mut output = BufWriter::new(stdout().lock());
        if let Some(listing) = self.format.listing() {
            lines(&mut output).write_record(listing.header())?;
        }
        for id in ids {
            self.print(&mut output, experiment, id).map_err(|error| told(&scenario, error))?;
        }
        Ok(output.flush()?)
    }

    /// What cannot be printed of a point with so many `schedules`.
    fn refuse(&self, experiment: &Experiment, schedules: usize) -> Result<(), Usage> {
        let goal = self.format.planned() == kind::Format::Goal;
        let svg = self.format == Format::Svg;
        let formats = experiment.workload.kind().formats();
        let why = if !svg && !self.diagrams.is_empty() {
            "only --format svg reads --diagram".to_owned()
        } else if svg && schedules > MOST_DRAWN {
            format!(
                "{schedules} schedules make no picture, at most {MOST_DRAWN} do: choose algorithms and repetitions with --set"
            )
        } else if !formats.contains(&self.format.planned()) {
            lacks(experiment, self.format, &formats)
        } else if goal && schedules > 1 {
            format!("a GOAL file has one schedule, not {schedules}: choose one algorithm and repetition with --set")
        } else if !goal && self.flit_bytes.is_some() {
            "only the GOAL formats read --flit-bytes".to_owned()
        } else {
            return Ok(());
        };
        Err(Usage(why))
    }

    fn draw(&self, ui: &Ui, scenario: &Scenario, ids: &[RowId]) -> Result<()> {
        let drawing = draw(scenario, ids, &self.diagrams).map_err(|error| match error {
            DrawError::Row(row) => Error::new(*row),
            none => Usage(none.to_string()).into(),
        })?;
        for diagram in drawing.left_out {
            ui.note(&format!("left out: {diagram}"));
        }
        ui.print(&drawing.svg)
    }

    fn print(&self, output: &mut impl Write, experiment: &Experiment, id: RowId) -> Result<()> {
        if let Some(listing) = self.format.listing() {
            return listing.write(&mut lines(output), experiment, id).map_err(|error| match error {
                ListingError::Row(error) => Error::new(*error),
                ListingError::Csv(error) => error.into(),
                other => Error::new(other),
            });
        }
        let planned = experiment.plan(id).map_err(|error| Error::new(*error))?;
        if self.format == Format::Dot {
            let title = format!("{} {}", experiment.workload.variant(id.algorithm), id.repetition);
            return Ok(planned.graph().map_or(Ok(()), |graph| write_dot(output, &title, &graph))?);
        }
        let Some(goal) = planned.goal(self.flit_bytes.map(NonZeroU64::get)) else { return Ok(()) };
        let goal = goal.map_err(Usage)?;
        Ok(if self.format == Format::Goal { goal.write_text(output) } else { goal.write_binary(output) }?)
    }
}

/// Why a workload cannot be printed in a format.
fn lacks(experiment: &Experiment, format: Format, formats: &[kind::Format]) -> String {
    let workload = experiment.workload.kind().in_words;
    let format = format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    let accepted: Vec<&str> = formats.iter().map(|format| format.names()).collect();
    match accepted.as_slice() {
        [] => format!("{workload} has no schedule to print: what it sends is known only when it runs, or is given"),
        accepted => format!("{workload} has no --format {format}; accepted: --format {}", accepted.join(", ")),
    }
}

impl Format {
    /// What it prints of a plan.
    fn planned(self) -> kind::Format {
        match self {
            Self::Csv => kind::Format::Csv,
            Self::Holdings => kind::Format::Holdings,
            Self::Dot => kind::Format::Dot,
            Self::Svg => kind::Format::Svg,
            Self::Goal | Self::GoalBinary => kind::Format::Goal,
        }
    }

    fn listing(self) -> Option<Listing> {
        Listing::of_format(self.planned())
    }
}

fn diagram() -> impl TypedValueParser<Value = Diagram> {
    let known = |name: String| Diagram::ALL.into_iter().find(|(known, _)| *known == name);
    PossibleValuesParser::new(Diagram::ALL.map(|(name, _)| name))
        .try_map(move |name| known(name).map(|(_, diagram)| diagram).ok_or("no diagram"))
}

fn lines<W: Write>(output: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().has_headers(false).from_writer(output)
}

impl Schedule {
    /// The chosen point, or the only one.
    fn choose(&self, scenario: &Scenario) -> Result<usize> {
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
