//! The table that `run` prints.

use super::buffers::default_buffers;
use super::energy::energy_notes;
use super::remarks::{left_out, remarks};
use super::summary::Summary;
use super::text::{hidden_columns, wrapped};
use super::verdict::{comparison, decisive};
use crate::kind::words::{counted, flits, number, size_text};
use crate::kind::{Cell, Column, Footing, MARGIN_TITLE, Means, Remark, Shown};
use crate::machine::Routers;
use crate::scenario::{Experiment, Scenario, Tick};
use crate::units::{aligned_time_text, energy_text};
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use std::fmt::Write;
use std::sync::Arc;

/// Lines of the table beyond which it is cut short; `summary.csv` has them all.
const LINES: usize = 60;

/// How wide the lines below the table are where the width is not known.
const WIDTH: usize = 120;

/// The blanks between two columns.
const GAP: usize = 3;

/// A line under the header and one at the end.
const STYLE: TableStyle = TableStyle::new()
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .bottom_border(LineStyle::none().fill('─').junction('─'));

/// What a line of the table is made from.
struct Line<'a> {
    summary: &'a Summary,
    /// The mean of the best variant at the point; none where there is no other.
    best: Option<f64>,
    /// The columns that decide which is best.
    compares: &'static [&'static str],
    scenario: &'a Scenario,
}

impl Line<'_> {
    /// The cell of the line in `column`, which is `shown`.
    fn cell(&self, column: &Column, shown: &Shown) -> Option<String> {
        let summary = self.summary;
        let name = column.name;
        match shown.cell {
            Cell::Mean => Some(self.quantity(column, summary.of(name)?.mean)),
            Cell::Confidence(of) => {
                let column = self.scenario.result_columns().iter().find(|column| column.name == of)?;
                Some(self.quantity(column, summary.of(of)?.confidence?))
            }
            Cell::AtLeast => {
                let sign = if summary.of(column.least_while)?.mean > 0.0 { "> " } else { "" };
                Some(format!("{sign}{}", self.quantity(column, summary.of(name)?.mean)))
            }
            Cell::Bandwidth => Some(bandwidth(summary.of(name)?.mean)),
            Cell::Energy => Some(energy_text(summary.of(name)?.mean)),
            Cell::Fraction => Some(format!("{:.4}", summary.of(name)?.mean)),
            Cell::Percent => Some(signed_percent(summary.of(name)?.mean)),
            Cell::Text => Some(self.scenario.text(summary.point, name)).filter(|text| !text.is_empty()),
            Cell::Computed(compute) => compute(&Means::new(&|column| summary.of(column))),
            // times are durations themselves
            Cell::Duration if self.scenario.shows_units => None,
            Cell::Duration => {
                Some(duration(decisive(summary, &["measured", "predicted"])?, self.scenario.tick.as_ref()?))
            }
            Cell::TimesTheBest => {
                let times = decisive(summary, self.compares)? / self.best?;
                times.is_finite().then(|| format!("{times:.3}"))
            }
            Cell::Margin => {
                let margin = summary.behind?.confidence? / self.best?;
                let margin = (margin.is_finite() && margin > 0.0).then_some(margin)?;
                Some(if margin < 0.0005 { "< 0.001".to_owned() } else { format!("{margin:.3}") })
            }
        }
    }
}

impl Line<'_> {
    /// `value` of `column`: with a unit of time if it is in ticks and the scenario has units, else as a number.
    fn quantity(&self, column: &Column, value: f64) -> String {
        match &self.scenario.tick {
            Some(tick) if self.scenario.shows_units && column.unit_name == "ticks" => {
                aligned_time_text(value * tick.nanoseconds)
            }
            _ => number(value),
        }
    }
}

fn best(summaries: &[Summary], columns: &[&str]) -> f64 {
    summaries.iter().filter_map(|summary| decisive(summary, columns)).fold(f64::INFINITY, f64::min)
}

struct Shows {
    column: &'static Column,
    shown: Shown,
    cells: Vec<Option<String>>,
}

impl Shows {
    fn width(&self) -> usize {
        let cells = self.cells.iter().flatten().map(|cell| cell.chars().count());
        cells.max().unwrap_or(0).max(self.shown.title.chars().count())
    }

    /// Marks the cells that `remarks` doubt.
    fn mark(&mut self, remarks: &[Remark]) {
        for remark in remarks.iter().filter(|remark| remark.doubted.contains(&self.shown.title)) {
            for &line in &remark.lines {
                if let Some(Some(cell)) = self.cells.get_mut(line) {
                    cell.insert_str(0, "? ");
                }
            }
        }
    }
}

/// `summaries` as a table for people, at most `width` columns wide if that is given and can be, with a line on top that
/// says what ran and lines below that say what came out; of many lines the first.
pub fn table(scenario: &Scenario, summaries: &[Summary], width: Option<u16>) -> String {
    print(scenario, summaries, width, LINES)
}

/// The same with all lines.
pub fn whole_table(scenario: &Scenario, summaries: &[Summary], width: Option<u16>) -> String {
    print(scenario, summaries, width, usize::MAX)
}

fn print(scenario: &Scenario, summaries: &[Summary], width: Option<u16>, lines: usize) -> String {
    let shown = &summaries[..summaries.len().min(lines)];
    let remarks = remarks(scenario, summaries);
    let mut labels = labels(scenario, shown);
    let mut columns = columns(scenario, shown);
    columns.iter_mut().for_each(|column| column.mark(&remarks));
    insert_parts(scenario, shown, &mut labels, &mut columns);
    let dropped = width.map_or_else(Vec::new, |width| drop_to_fit(width.into(), &labels, &mut columns));
    if let Some(width) = width {
        let numbers: usize = columns.iter().map(|column| column.width() + GAP).sum();
        shorten(&mut labels, usize::from(width).saturating_sub(numbers));
    }
    let more = match summaries.len() - shown.len() {
        0 => String::new(),
        more => format!("... and {}; use --all, or see summary.csv\n", counted(more as u64, "more line")),
    };
    let mut below = comparison(scenario.kind().compares, summaries) + &notes(scenario, summaries, &remarks, &columns);
    if let Some(width) = width.filter(|_| !dropped.is_empty()) {
        below += &(hidden_columns(&dropped, width.into(), "summary.csv") + "\n");
    }
    let title_width = width.map_or(usize::MAX, usize::from);
    let width = width.map_or(WIDTH, usize::from);
    let below: String = below.lines().map(|line| wrapped(line, "", "", width)).collect();
    let title = wrapped(&title(scenario), "", "  ", title_width);
    format!("{title}{}\n{more}{below}", render(&labels, &columns))
}

/// The table in parts, for pages with a layout of their own.
pub struct TableParts {
    /// The line above the table, without the name of the scenario.
    pub title: String,
    /// The columns of results, in order.
    pub columns: Vec<ResultColumn>,
    /// The lines below, but for the verdict.
    pub notes: Vec<String>,
}

/// A column of results.
pub struct ResultColumn {
    /// The column of the files, or empty for a column of the table only.
    pub name: &'static str,
    /// The title of the column.
    pub title: &'static str,
    /// A cell for each summary, empty if there is no value.
    pub cells: Vec<String>,
}

/// The parts of the table of `summaries`.
pub fn table_parts(scenario: &Scenario, summaries: &[Summary]) -> TableParts {
    let remarks = remarks(scenario, summaries);
    let mut columns = columns(scenario, summaries);
    columns.iter_mut().for_each(|column| column.mark(&remarks));
    let notes = notes(scenario, summaries, &remarks, &columns).lines().map(str::to_owned).collect();
    let result = |Shows { column, shown, cells }: Shows| ResultColumn {
        name: column.name,
        title: shown.title,
        cells: cells.into_iter().map(Option::unwrap_or_default).collect(),
    };
    TableParts { title: settings(scenario).join(", "), columns: columns.into_iter().map(result).collect(), notes }
}

/// The notes below the table: remarks, skipped algorithms, and the meaning of columns.
fn notes(scenario: &Scenario, summaries: &[Summary], remarks: &[Remark], columns: &[Shows]) -> String {
    let mut notes = String::new();
    for Remark { text, doubted, .. } in remarks {
        notes += &format!("{}{text}\n", if doubted.is_empty() { "" } else { "? " });
    }
    notes += &default_buffers(scenario).map(|line| line + "\n").unwrap_or_default();
    notes + &left_out(scenario) + &energy_notes(scenario, summaries) + &note(scenario, summaries, columns)
}

/// Removes those of `columns` that matter least, until the table is at most `width` columns wide if that can be; their
/// titles in the order in which they stood.
fn drop_to_fit(width: usize, labels: &[Vec<String>], columns: &mut Vec<Shows>) -> Vec<&'static str> {
    let widest = |at: usize| labels.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let labels: usize = (0..labels[0].len()).map(|at| widest(at) + GAP).sum();
    let mut dropped: Vec<(usize, &str)> = Vec::new();
    let mut places: Vec<usize> = (0..columns.len()).collect();
    while labels + columns.iter().map(|column| column.width() + GAP).sum::<usize>() > width + GAP {
        let ranked = (0..columns.len()).filter(|&at| columns[at].shown.rank > 0);
        let Some(at) = ranked.max_by_key(|&at| columns[at].shown.rank) else { break };
        dropped.push((places.remove(at), columns.remove(at).shown.title));
    }
    dropped.sort_unstable();
    dropped.into_iter().map(|(_, title)| if title == MARGIN_TITLE { "± (vs best)" } else { title }).collect()
}

/// Fewest characters of a label that are left when it is shortened.
const LEAST_LABEL: usize = 12;

/// Shortens the labels of the widest columns until all columns of labels fit into `room`, if that is possible.
fn shorten(labels: &mut [Vec<String>], room: usize) {
    let columns = labels[0].len();
    let width =
        |labels: &[Vec<String>], at: usize| labels.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    loop {
        let widths: Vec<usize> = (0..columns).map(|at| width(labels, at)).collect();
        let excess = widths.iter().map(|width| width + GAP).sum::<usize>().saturating_sub(room + GAP);
        let widest = (0..columns).max_by_key(|&at| widths[at]).filter(|&at| widths[at] > LEAST_LABEL);
        let Some(at) = widest.filter(|_| excess > 0) else { return };
        let most = widths[at].saturating_sub(excess).max(LEAST_LABEL);
        for line in labels.iter_mut().filter(|line| line[at].chars().count() > most) {
            line[at] = line[at].chars().take(most - 2).chain("..".chars()).collect();
        }
    }
}

/// What the kind says below the table.
fn note(scenario: &Scenario, summaries: &[Summary], columns: &[Shows]) -> String {
    let unit = match &scenario.tick {
        Some(_) if scenario.shows_units => "the units shown".to_owned(),
        Some(tick) => format!("ticks of {}", tick.text),
        None => "ticks".to_owned(),
    };
    let largest = |column: &str| {
        let means = summaries.iter().filter_map(|summary| Some(summary.of(column)?.mean));
        means.reduce(f64::max)
    };
    let shows = |title: &str| columns.iter().any(|column| column.shown.title == title);
    (scenario.kind().note)(&unit, &Footing { largest: &largest, shows: &shows })
}

/// The columns on the left with their titles: the swept keys, where they change, and the algorithm.
fn labels(scenario: &Scenario, summaries: &[Summary]) -> Vec<Vec<String>> {
    let axes = scenario.axes.iter().map(|axis| axis.key.rsplit('.').next().unwrap_or(&axis.key).to_owned());
    let mut lines = vec![axes.chain(["algorithm".to_owned()]).collect::<Vec<_>>()];
    let mut last = None;
    for summary in summaries {
        let settings = scenario.points[summary.point].written();
        let shown = |setting: &Arc<str>| if last == Some(summary.point) { String::new() } else { setting.to_string() };
        lines.push(settings.iter().map(shown).chain([summary.algorithm.clone()]).collect());
        last = Some(summary.point);
    }
    lines
}

/// Inserts a line for each part of the rows below their line.
fn insert_parts(scenario: &Scenario, summaries: &[Summary], labels: &mut Vec<Vec<String>>, columns: &mut [Shows]) {
    let compares = scenario.kind().compares;
    for (at, summary) in summaries.iter().enumerate().rev() {
        for part in summary.parts.iter().rev() {
            let mut names = vec![String::new(); scenario.axes.len()];
            names.push(format!("  {}", part.algorithm));
            labels.insert(at + 2, names); // the first has the titles
            let line = Line { summary: part, best: None, compares, scenario };
            columns.iter_mut().for_each(|column| column.cells.insert(at + 1, line.cell(column.column, &column.shown)));
        }
    }
}

/// The columns of numbers that are not empty.
fn columns(scenario: &Scenario, summaries: &[Summary]) -> Vec<Shows> {
    let compares = scenario.kind().compares;
    let points = summaries.chunk_by(|a, b| a.point == b.point);
    let lines: Vec<Line<'_>> = points
        .flat_map(|point| {
            let best = (point.len() > 1).then(|| best(point, compares));
            point.iter().map(move |summary| Line { summary, best, compares, scenario })
        })
        .collect();
    let shown = scenario.result_columns().iter().filter_map(|column| Some((column, column.shown?)));
    let column = |(column, shown): (&'static Column, Shown)| {
        let cells = lines.iter().map(|line| line.cell(column, &shown)).collect();
        Shows { column, shown, cells }
    };
    shown.map(column).filter(|column| column.cells.iter().any(Option::is_some)).collect()
}

fn render(labels: &[Vec<String>], columns: &[Shows]) -> String {
    let titles = columns.iter().map(|column| column.shown.title.to_owned());
    let mut lines = vec![labels[0].iter().cloned().chain(titles).collect()];
    for (at, labels) in labels[1..].iter().enumerate() {
        let cells = columns.iter().map(|column| column.cells[at].clone().unwrap_or_default());
        lines.push(labels.iter().cloned().chain(cells).collect());
    }
    grid(lines, labels[0].len())
}

/// `lines`, the first of which has the titles, as a table whose first `labels` columns are text and the others numbers.
pub fn grid(lines: Vec<Vec<String>>, labels: usize) -> String {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled);
    let mut lines = lines.into_iter();
    table.set_header(lines.next().unwrap_or_default()).add_rows(lines);
    let last = table.column_count().saturating_sub(1);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if at == last { 0 } else { 2 }));
        if at >= labels {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// The line above the table: the name and the settings of the scenario.
fn title(scenario: &Scenario) -> String {
    if scenario.points.is_empty() {
        return scenario.name.clone();
    }
    format!("{}: {}", scenario.name, settings(scenario).join(", "))
}

/// The network, workload and engine, as far as they are the same at every point.
fn settings(scenario: &Scenario) -> Vec<String> {
    let mut points = scenario.points.iter().map(|point| title_parts(scenario, &point.experiment));
    let mut parts = points.next().unwrap_or_default();
    for others in points {
        parts.retain(|part| others.contains(part));
    }
    parts
}

/// The parts of the title at one point, without the swept keys, which columns show.
fn title_parts(scenario: &Scenario, experiment: &Experiment) -> Vec<String> {
    // a key that is given in bytes is swept in bytes
    let swept = |part: &str| {
        scenario.is_swept(part) || part.ends_with("flits") && scenario.is_swept(&part.replace("flits", "bytes"))
    };
    let machine = &experiment.machine;
    let workload = &experiment.workload;
    let mut parts = Vec::new();
    match machine.title() {
        Some(title) if !swept("network.") => parts.push(title),
        Some(_) => {}
        None if workload.kind().needs_grid => {}
        None => parts.push("model only".to_owned()),
    }
    parts.extend(workload.title(&swept).into_iter().map(|part| in_bytes(experiment, part)));
    if experiment.repetitions > 1 && !swept("repetitions") {
        parts.push(format!("{} repetitions", experiment.repetitions));
    }
    if machine.network.is_some() && workload.runs_on_engine() && !swept("router.model") && !swept("engine.kind") {
        parts.push(engines(experiment, &swept));
    }
    parts
}

/// The engines that run the variants, which are several if routers copy or combine packets of some.
fn engines(experiment: &Experiment, swept: &dyn Fn(&str) -> bool) -> String {
    let mut engines: Vec<String> = Vec::new();
    for variant in 0..experiment.workload.variants().len() {
        let machine = experiment.machine_of(variant);
        let engine = match &machine.routers {
            Some(routers) => routers_in_words(routers, swept),
            None => format!("{} engine", machine.engine().name()),
        };
        if !engines.contains(&engine) {
            engines.push(engine);
        }
    }
    engines.join(" and ")
}

/// `part` of a title with the length in bytes where it is in flits, if the scenario states the size of a flit.
fn in_bytes(experiment: &Experiment, part: String) -> String {
    let payload = experiment.workload.payload(&experiment.machine);
    let requested = experiment.sizes.as_ref().and_then(|sizes| sizes.requested);
    match payload.zip(requested) {
        Some((payload, bytes)) => part.replace(&flits(payload.flits), &size_text(bytes)),
        None => part,
    }
}

/// Routers in a few words, as far as they are the same at every point.
fn routers_in_words(routers: &Routers, swept: &dyn Fn(&str) -> bool) -> String {
    let mut words = format!("{} routers", routers.model);
    if !swept("channel.virtual_channels") {
        let _ = write!(words, " with {}", counted(routers.virtual_channels.into(), "virtual channel"));
    }
    if !swept("router.routing") {
        let _ = write!(words, ", {} routing", routers.routing);
    }
    words
}

/// `part` as a per cent with its sign; what is rounded to nothing is not below it.
fn signed_percent(part: f64) -> String {
    let tenths = (part * 1000.0).round() + 0.0; // of -0 and 0 the sum is 0
    format!("{:+.1} %", tenths / 10.0)
}

/// A bandwidth in GB/s with four significant digits.
fn bandwidth(gigabytes: f64) -> String {
    format!("{} GB/s", four_digits(gigabytes))
}

/// `value` with four significant digits, and six decimals at most.
fn four_digits(value: f64) -> String {
    const POWERS: [f64; 6] = [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0];
    let decimals = POWERS.into_iter().filter(|power| value < *power).count();
    format!("{value:.decimals$}")
}

fn duration(ticks: f64, tick: &Tick) -> String {
    let nanoseconds = ticks * tick.nanoseconds;
    let (scale, unit) = match nanoseconds {
        n if n >= 1e9 => (1e9, "s"),
        n if n >= 1e6 => (1e6, "ms"),
        n if n >= 1e3 => (1e3, "µs"),
        _ => (1.0, "ns"),
    };
    format!("{:.3} {unit}", nanoseconds / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_made_for_people() {
        assert_eq!([0.0, 7.04, 999.96, 1_234_567.25].map(number), ["0", "7", "1,000", "1,234,567"]);
        assert_eq!([-0.04, -7.06, -999.96].map(number), ["0", "-7.1", "-1,000"]);
        let tick = Tick { text: "10ns".to_owned(), nanoseconds: 10.0 };
        assert_eq!(duration(119_347.0, &tick), "1.193 ms");
        let percents = [0.012, -0.1234, 0.0, -0.0004, 12.5].map(signed_percent);
        assert_eq!(percents, ["+1.2 %", "-12.3 %", "+0.0 %", "+0.0 %", "+1250.0 %"]);
    }
}
