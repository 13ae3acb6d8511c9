//! `flitwise schedule`.

use super::memory::Memory;
use super::picture::PictureFile;
use super::target::Target;
use super::ui::Ui;
use super::{Source, Usage, positive, told, whole_number};
use anyhow::{Error, Result};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use flitwise::config::closest;
use flitwise::draw::{DrawError, draw, raster as picture};
use flitwise::kind::words::counted;
use flitwise::kind::{self, Diagram, RowId};
use flitwise::output::{Listing, ListingError, Names, write_dot, write_npe};
use flitwise::run::rows_of_point;
use flitwise::scenario::{Experiment, Scenario};
use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// Rows in a picture.
const MOST_DRAWN: usize = 24;

#[derive(Args)]
pub(super) struct Schedule {
    #[command(flatten)]
    source: Source,
    /// Point of a sweep, counted from 0. The last key varies fastest [default: the first]
    #[arg(long, value_name = "INDEX", value_parser = whole_number::<usize>)]
    point: Option<usize>,
    /// Algorithms, separated by commas [default: all, or the first for formats with a single schedule]
    #[arg(long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    algorithms: Vec<String>,
    /// Repetition, counted from 0 [default: all, or the first for pictures and formats with a single schedule]
    #[arg(long, value_name = "INDEX", value_parser = whole_number::<u64>)]
    repetition: Option<u64>,
    /// Output format [default: csv, or svg if FILE ends with .svg, .png or .pdf]
    #[arg(long = "format", value_name = "FORMAT")]
    chosen_format: Option<Format>,
    /// Diagrams of an SVG, separated by commas [default: all that are small enough to be legible]
    #[arg(long = "diagram", value_name = "KIND", value_delimiter = ',', value_parser = diagram())]
    diagrams: Vec<Diagram>,
    /// Output file. A picture is SVG, PNG or PDF by its extension [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Do not report omitted rows and diagrams
    #[arg(short, long)]
    quiet: bool,
    /// Bytes per flit for GOAL formats [default: `channel.flit_bytes`, or 1]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroU64>)]
    flit_bytes: Option<NonZeroU64>,
    #[command(flatten)]
    memory: Memory,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line per message in sending order, with the times that the model predicts
    Csv,
    /// Data that each node holds after each step, for exchanges and collectives
    Holdings,
    /// One line per channel of the trees of packets that routers copy or combine
    Trees,
    /// One graph per algorithm and repetition, for Graphviz
    Dot,
    /// Diagrams of a small schedule: trees, timing, paths, tables of blocks, cuts of a mapping
    Svg,
    /// Operations of one algorithm and repetition, as text for the LogGOPS simulators
    Goal,
    /// The same operations in binary form
    GoalBinary,
    /// Timeline of a chip trace for Tenstorrent's npe, schema 1.0.0
    Npe,
    /// The same timeline with the names that the npe visualiser reads
    NpeVisualiser,
}

impl Schedule {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let format = self.format()?;
        let scenario = self.source.load(self.memory.limit())?;
        let point = self.choose(ui, &scenario)?;
        let experiment = &scenario.points[point].experiment;
        self.refuse(experiment, format)?;
        let picture = if format == Format::Svg { Some(PictureFile::chosen(self.out.as_deref())?) } else { None };
        let ids = self.chosen(ui, experiment, rows_of_point(&scenario, point), format)?;
        if let Some(file) = picture {
            let svg = self.draw(ui, &scenario, &ids).map_err(|error| told(&scenario, error))?;
            return file.write(ui, &svg);
        }
        let mut output = Target::open(self.out.as_deref())?;
        let printed = self.print_all(&mut output, &scenario, &ids, format);
        output.finish(printed)
    }

    /// The format that is chosen, or that the name of the file calls for.
    fn format(&self) -> Result<Format, Usage> {
        let is_picture = self.out.as_deref().is_some_and(|path| picture::Format::of_file(path).is_ok());
        match self.chosen_format {
            None if is_picture => Ok(Format::Svg),
            None => Ok(Format::Csv),
            Some(format) if !is_picture || format == Format::Svg => Ok(format),
            Some(format) => {
                let name = format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
                let path = self.out.as_deref().unwrap_or(Path::new("")).display().to_string();
                Err(Usage(format!(
                    "`{path}` is the name of a picture, but --format {name} is not a picture\naccepted: --format svg, or another file name"
                )))
            }
        }
    }

    fn print_all(&self, output: &mut Target, scenario: &Scenario, ids: &[RowId], format: Format) -> Result<()> {
        if let Some(listing) = format.listing() {
            lines(&mut *output).write_record(listing.header(scenario.kind()))?;
        }
        for &id in ids {
            let printed = self.print(output, &scenario.points[id.point].experiment, id, format);
            printed.map_err(|error| told(scenario, error))?;
        }
        Ok(output.flush()?)
    }

    /// Which of the rows `all` of a point are printed: those that are asked for and, of a format that takes no more, the
    /// first.
    fn chosen(&self, ui: &Ui, experiment: &Experiment, all: Vec<RowId>, format: Format) -> Result<Vec<RowId>> {
        let variants = experiment.workload.variants();
        if let Some(name) = self.algorithms.iter().find(|name| !variants.contains(&name.as_str())) {
            let hint = closest(name, variants.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
            let accepted = variants.join(", ");
            let hint = hint.unwrap_or_default();
            return Err(Usage(format!(
                "the scenario has no algorithm `{name}`{hint}\naccepted: --algorithm {accepted}"
            ))
            .into());
        }
        let repetitions = experiment.repetitions;
        if let Some(wanted) = self.repetition.filter(|&wanted| wanted >= repetitions) {
            let what = counted(repetitions, "repetition");
            return Err(Usage(format!("there is no repetition {wanted}: a point has {what}, counted from 0")).into());
        }
        let wanted = |id: &RowId| {
            let name = variants[id.algorithm];
            (self.algorithms.is_empty() || self.algorithms.iter().any(|chosen| chosen == name))
                && self.repetition.is_none_or(|wanted| wanted == id.repetition)
        };
        let mut ids: Vec<RowId> = all.into_iter().filter(wanted).collect();
        let most = format.most();
        let is_one_enough = format == Format::Svg && self.repetition.is_none() && repetitions > 1;
        if ids.len() > most || is_one_enough {
            ids.retain(|id| id.repetition == self.repetition.unwrap_or_default());
            ids.truncate(most);
            let shown: Vec<&str> = ids.iter().map(|id| variants[id.algorithm]).collect();
            let repetition = ids.first().map_or(0, |id| id.repetition);
            self.note(ui, &selection(&shown, &variants, repetition, repetitions));
        }
        Ok(ids)
    }

    /// What cannot be printed of a point.
    fn refuse(&self, experiment: &Experiment, format: Format) -> Result<(), Usage> {
        let goal = format.planned() == kind::Format::Goal;
        let svg = format == Format::Svg;
        let formats = experiment.workload.kind().formats();
        let why = if !svg && !self.diagrams.is_empty() {
            "--diagram requires --format svg".to_owned()
        } else if !formats.contains(&format.planned()) {
            lacks(experiment, format, &formats)
        } else if !goal && self.flit_bytes.is_some() {
            "--flit-bytes requires a GOAL format".to_owned()
        } else {
            return Ok(());
        };
        Err(Usage(why))
    }

    /// The bytes of a flit in GOAL: those that the scenario states, or the option.
    fn flit_bytes(&self, experiment: &Experiment) -> Result<Option<u64>, Usage> {
        let given = self.flit_bytes.map(NonZeroU64::get);
        let stated = experiment.sizes.as_ref().map(|sizes| sizes.flit_bytes);
        match (given, stated) {
            (Some(given), Some(stated)) if given != stated => Err(Usage(format!(
                "--flit-bytes is {given}, but a flit of the scenario has {stated} bytes\naccepted: {stated}, or no --flit-bytes"
            ))),
            _ if experiment.workload.kind().counts_bytes => Ok(given),
            _ => Ok(given.or(stated)),
        }
    }

    /// The diagrams of the rows, as SVG.
    fn draw(&self, ui: &Ui, scenario: &Scenario, ids: &[RowId]) -> Result<String> {
        let drawing = draw(scenario, ids, &self.diagrams).map_err(|error| match error {
            DrawError::Row(row) => Error::new(*row),
            none => Usage(none.to_string()).into(),
        })?;
        for diagram in drawing.left_out {
            self.note(ui, &format!("omitted: {diagram}"));
        }
        Ok(drawing.svg)
    }

    fn print(&self, output: &mut impl Write, experiment: &Experiment, id: RowId, format: Format) -> Result<()> {
        if let Some(listing) = format.listing() {
            return listing.write(&mut lines(output), experiment, id).map_err(|error| match error {
                ListingError::Row(error) => Error::new(*error),
                ListingError::Csv(error) => error.into(),
                other => Error::new(other),
            });
        }
        let experiment = experiment.in_repetition(id).map_err(|error| Error::new(*error))?;
        let planned = experiment.plan(id).map_err(|error| Error::new(*error))?;
        if format == Format::Dot {
            let title = format!("{} {}", experiment.workload.variant(id.algorithm), id.repetition);
            return Ok(planned.graph().map_or(Ok(()), |graph| write_dot(output, &title, &graph))?);
        }
        if let Some(names) = format.names() {
            let Some(timeline) = planned.timeline() else { return Ok(()) };
            let timeline = timeline.map_err(|cause| Error::new(*experiment.failed(id, cause)))?;
            return Ok(write_npe(output, &timeline, names).map_err(io::Error::from)?);
        }
        let Some(goal) = planned.goal(self.flit_bytes(&experiment)?) else { return Ok(()) };
        let goal = goal.map_err(Usage)?;
        let written = if format == Format::Goal { goal.write_text(output) } else { goal.write_binary(output) };
        written.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => Usage(format!("{error}\naccepted: --format goal")).into(),
            _ => error.into(),
        })
    }
}

/// Describes which schedules are shown: `shown` of the algorithms `all`, and one of the repetitions.
fn selection(shown: &[&str], all: &[&str], repetition: u64, repetitions: u64) -> String {
    let total =
        if repetitions > 1 { format!(" of {repetitions} (--repetition selects another)") } else { String::new() };
    let algorithms = match (shown.len(), all.len()) {
        (_, 1) => shown.join(", "),
        (some, all) if some == all => format!("all {all} algorithms"),
        (_, all) => format!("{} of {all} algorithms: {} (--algorithm selects others)", shown.len(), shown.join(", ")),
    };
    format!("note: showing repetition {repetition}{total}, {algorithms}")
}

/// Why a workload cannot be printed in a format.
fn lacks(experiment: &Experiment, format: Format, formats: &[kind::Format]) -> String {
    let workload = experiment.workload.kind().in_words;
    let format = format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    let accepted: Vec<&str> = formats.iter().map(|format| format.names()).collect();
    match accepted.as_slice() {
        [] if experiment.workload.kind().open_loop => {
            "open-loop traffic has no schedule: its packets are generated during the run".to_owned()
        }
        [] => format!("{workload} has no schedule: a file contains its messages"),
        accepted => {
            format!("{workload} has no schedule in format {format}; accepted: --format {}", accepted.join(", "))
        }
    }
}

impl Format {
    /// What it prints of a plan.
    fn planned(self) -> kind::Format {
        match self {
            Self::Csv => kind::Format::Csv,
            Self::Holdings => kind::Format::Holdings,
            Self::Trees => kind::Format::Trees,
            Self::Dot => kind::Format::Dot,
            Self::Svg => kind::Format::Svg,
            Self::Goal | Self::GoalBinary => kind::Format::Goal,
            Self::Npe => kind::Format::Npe,
            Self::NpeVisualiser => kind::Format::NpeVisualiser,
        }
    }

    /// How many schedules it has room for.
    fn most(self) -> usize {
        match self {
            Self::Csv | Self::Holdings | Self::Trees | Self::Dot => usize::MAX,
            Self::Svg => MOST_DRAWN,
            Self::Goal | Self::GoalBinary | Self::Npe | Self::NpeVisualiser => 1,
        }
    }

    /// What networks and links are called in it, if it has any.
    fn names(self) -> Option<Names> {
        match self {
            Self::Npe => Some(Names::Schema),
            Self::NpeVisualiser => Some(Names::Visualiser),
            _ => None,
        }
    }

    fn listing(self) -> Option<Listing> {
        Listing::of_format(self.planned())
    }
}

fn diagram() -> impl TypedValueParser<Value = Diagram> {
    let known = |name: String| Diagram::ALL.into_iter().find(|(known, _)| *known == name);
    PossibleValuesParser::new(Diagram::ALL.map(|(name, _)| name))
        .try_map(move |name| known(name).map(|(_, diagram)| diagram).ok_or("unknown diagram"))
}

fn lines<W: Write>(output: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().has_headers(false).from_writer(output)
}

impl Schedule {
    fn note(&self, ui: &Ui, text: &str) {
        if !self.quiet {
            ui.note(text);
        }
    }

    /// The chosen point, or the first.
    fn choose(&self, ui: &Ui, scenario: &Scenario) -> Result<usize> {
        let points = scenario.points.len();
        let last = points - 1;
        match self.point {
            Some(point) if point <= last => Ok(point),
            Some(point) => {
                let accepted = if last == 0 { "0".to_owned() } else { format!("0 to {last}") };
                let points = counted(points as u64, "point");
                let why = format!("there is no point {point}: the scenario has {points}; accepted: --point {accepted}");
                Err(Usage(why).into())
            }
            None => {
                if last > 0 {
                    self.note(
                        ui,
                        &format!(
                            "note: showing point 0 of {points}; --point selects 0 to {last}, numbered as in `flitwise plan`"
                        ),
                    );
                }
                Ok(0)
            }
        }
    }
}
