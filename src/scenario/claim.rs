//! `[figure]` and `[[claim]]`: what a paper's table or figure says, or a user expects, as data that results can be compared
//! with.
//!
//! A claim is about the columns of a table that the scenario gives, each called as in its header; at a point of a sweep
//! the columns of one algorithm are called `algorithm.column`, with `_` for `-`. With both in it, as in
//! `cost_mean / random.cost_mean`, it is about each row beside the rows of its point. This file knows what claims can
//! say; it refuses to know what tables say, and whether a claim is true.

use super::Tick;
use super::decision_map::{self, DecisionMap, PANELS, TOLERANCE as MAP_TOLERANCE, VALUE as MAP_VALUE};
use crate::config::{Condition, Diagnostic, Node, Place, Reader, Value};
use crate::kind::Diagram;
use crate::units::Key;
use crate::workload::KINDS;
use std::ops::RangeInclusive;

/// A table or figure of a paper, or a user's own; without a `[figure]`, claims alone.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What is to be seen in its picture; none if the axes or the diagrams say it.
    pub title: Option<String>,
    /// Which paper, and which of its tables or figures; empty if it is of none.
    pub source: String,
    /// Tables besides the summary.
    pub tables: Vec<FigureTable>,
    /// How it is drawn; none if it is no plot of curves.
    pub plot: Option<Plot>,
    /// How it is drawn, if it is a map of what is best.
    pub map: Option<DecisionMap>,
    /// Diagrams of what its rows plan, each with the place that names it; none if it is a plot or a map.
    pub diagrams: Vec<(Diagram, Place)>,
    /// What the paper says of it.
    pub claims: Vec<Claim>,
    /// Where it stands, or its `tables` do.
    pub place: Place,
}

impl Figure {
    /// Whether there is a picture of it.
    pub fn is_drawn(&self) -> bool {
        self.plot.is_some() || self.map.is_some() || !self.diagrams.is_empty()
    }
}

/// A table that a figure can have besides the summary, by its name: every message of a schedule, which node holds which
/// blocks after each step, or a file that the rows of a kind add lines to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureTable(&'static str);

impl FigureTable {
    /// Every message of a schedule, or every edge of the trees of a broadcast.
    pub const SCHEDULE: Self = Self("schedule");
    /// Which node holds which blocks after each step.
    pub const HOLDINGS: Self = Self("holdings");

    /// All that any kind of workload gives, by name.
    pub fn all() -> Vec<(&'static str, Self)> {
        let files = KINDS.iter().flat_map(|kind| kind.files).map(|file| Self(file.table()));
        let mut all: Vec<Self> = [Self::SCHEDULE, Self::HOLDINGS].into_iter().chain(files).collect();
        let mut seen = Vec::new();
        all.retain(|table| {
            let is_new = !seen.contains(table);
            seen.push(*table);
            is_new
        });
        all.into_iter().map(|table| (table.0, table)).collect()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// How a figure is drawn: a curve for each algorithm and each combination of the keys that are not along the x axis.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The column, or what is computed of columns, along the x axis: numbers, or names.
    pub x: Condition,
    /// The same along the y axis.
    pub y: Condition,
    /// Half the length of error bars.
    pub spread: Option<Condition>,
    /// Rows that are drawn; all without one.
    pub only: Option<Condition>,
    /// What is along the axes, with units: as the scenario says, or made from the names of columns.
    pub labels: [String; 2],
    /// Which of these the scenario says.
    pub(super) labelled: [bool; 2],
    /// The column that makes what is along the y axis a lower bound where it is above zero.
    pub least_while: Option<String>,
    /// Which axes are logarithmic.
    pub log: [bool; 2],
    /// Whether the points of a curve are joined by lines; if nothing is said, those along numbers are.
    pub joined: Option<bool>,
    /// What tells curves apart, `algorithm` or swept keys; none for all that are not along the x axis.
    pub by: Option<Vec<Column>>,
    /// What curves are called, in the order of the table; none for what tells them apart.
    pub legend: Option<Vec<String>>,
    /// A line of reference along the y axis, and what the legend says of it.
    pub line: Option<(f64, String)>,
    /// What no value along the y axis is below: error bars end there.
    pub least: Option<f64>,
    /// The length of a tick, in which axes are written that are said to be in ticks; none to leave them.
    pub tick: Option<Tick>,
}

impl Plot {
    /// Everything that reads columns.
    pub(crate) fn formulas(&self) -> Vec<&Condition> {
        let formulas = [Some(&self.x), Some(&self.y), self.spread.as_ref(), self.only.as_ref()];
        formulas.into_iter().flatten().collect()
    }

    pub(super) fn formulas_mut(&mut self) -> impl Iterator<Item = &mut Condition> {
        [Some(&mut self.x), Some(&mut self.y), self.spread.as_mut(), self.only.as_mut()].into_iter().flatten()
    }
}

/// A column, by its name.
#[derive(Clone, Debug)]
pub struct Column {
    /// As in the header.
    pub name: String,
    /// Where it is named.
    pub place: Place,
}

impl Column {
    pub(super) fn of((name, place): (&str, &Place)) -> Self {
        Self { name: name.to_owned(), place: place.clone() }
    }
}

/// One thing that a paper says.
#[derive(Clone, Debug)]
pub struct Claim {
    /// In words, with the paper's number.
    pub says: String,
    /// The table that it is about; none for the summary.
    pub table: Option<FigureTable>,
    /// The rows, or points, that it is about; all without one.
    pub only: Option<Condition>,
    /// What is to be found.
    pub test: Test,
    /// A number that tells how it comes out, reported from the least to the largest.
    pub show: Option<Condition>,
    /// What its printed values are called in the plot, where they are drawn; none if they are not.
    pub draw: Option<String>,
    /// Why it fails, or what to know of it.
    pub note: Option<String>,
    /// Whether it is known to fail: then that is a finding, and no failure of the run.
    pub fails: bool,
    /// Where it stands.
    pub place: Place,
}

impl Claim {
    /// Everything that reads columns.
    pub(crate) fn formulas(&self) -> Vec<&Condition> {
        let (value, spread) = match &self.test {
            Test::Holds(condition) => (Some(condition), None),
            Test::Values { value, spread, .. } => (Some(value), spread.as_ref()),
            Test::Course { value, .. } => (Some(value), None),
            Test::Irreproducible(_) => (None, None),
        };
        [value, spread, self.only.as_ref(), self.show.as_ref()].into_iter().flatten().collect()
    }

    pub(super) fn formulas_mut(&mut self) -> impl Iterator<Item = &mut Condition> {
        let (value, spread) = match &mut self.test {
            Test::Holds(condition) => (Some(condition), None),
            Test::Values { value, spread, .. } => (Some(value), spread.as_mut()),
            Test::Course { value, .. } => (Some(value), None),
            Test::Irreproducible(_) => (None, None),
        };
        [value, spread, self.only.as_mut(), self.show.as_mut()].into_iter().flatten()
    }

    fn prints_numbers(&self) -> bool {
        let number = |printed: &Printed| matches!(printed, Printed::Number(_));
        matches!(&self.test, Test::Values { printed, .. } if printed.iter().all(number))
    }
}

/// What is to be found in the rows of a table.
#[derive(Clone, Debug)]
pub enum Test {
    /// A condition that holds everywhere.
    Holds(Condition),
    /// Values that are printed, row by row.
    Values {
        /// What is compared.
        value: Condition,
        /// The paper's values; a single one is that of every row.
        printed: Vec<Printed>,
        /// How far off a value may be, relative to the printed one.
        tolerance: f64,
        /// Half the width of the 95 % confidence interval of the value; it may be off by twice that.
        spread: Option<Condition>,
    },
    /// How a value changes along a column, all else the same.
    Course {
        /// What changes.
        value: Condition,
        /// The swept key.
        along: Column,
        /// How.
        course: Course,
        /// How far off it may be, relative to the largest value.
        tolerance: f64,
    },
    /// It cannot be reproduced, for this reason.
    Irreproducible(String),
}

/// A value as a paper prints it.
#[derive(Clone, Debug, PartialEq)]
pub enum Printed {
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
}

/// How `[figure]` draws the values of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Curves, whose points are joined by lines.
    Lines,
    /// The points of curves.
    Points,
    /// A map of what is best.
    Map,
}

/// How a value changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// It never falls.
    Rises,
    /// It never rises.
    Falls,
    /// It lies on a line.
    Linear,
}

pub(crate) const COURSES: [(&str, Course); 3] =
    [("rises", Course::Rises), ("falls", Course::Falls), ("linear", Course::Linear)];

const TITLE: Key = Key::text("title").or_else("from the axes").says("what is to be seen in the picture");
const SOURCE: Key = Key::text("source").or_else("none").says("the paper, and which of its tables or figures this is");
const TABLES: Key = Key::names("tables", "table of a figure", |at| FigureTable::all().get(at).map(|(name, _)| *name))
    .or_else("none")
    .says("tables besides the summary");
const DIAGRAMS: Key = Key::names("diagrams", "diagram", |at| Diagram::ALL.get(at).map(|(name, _)| *name))
    .or_else("none")
    .says("diagrams of what is planned, in place of a plot");
pub(super) const X: Key = Key::formula("x")
    .or_else("no plot")
    .says("what is along the x axis of a plot, such as \"flits\" where that is swept: numbers, or names");
pub(super) const Y: Key =
    Key::formula("y").or_else("no plot").says("what is along its y axis, such as \"measured\"; of a map a swept key");
pub(super) const SPREAD: Key = Key::formula("spread")
    .or_else("none")
    .says("half the length of error bars; in a map, what differs by less is tied");
pub(super) const ONLY: Key = Key::formula("only").or_else("all").says("a condition on the rows that are drawn");
pub(super) const X_LABEL: Key =
    Key::text("x_label").or_else("from `x`").says("what is along the x axis, with its unit");
pub(super) const Y_LABEL: Key =
    Key::text("y_label").or_else("from `y`").says("what is along the y axis, with its unit");
const SCALES: [(&str, [bool; 2]); 4] =
    [("none", [false; 2]), ("x", [true, false]), ("y", [false, true]), ("both", [true; 2])];
const LOG: Key =
    Key::word("log", |at| SCALES.get(at).map(|(name, _)| *name)).or_word("none").says("which axes are logarithmic");
const STYLES: [(&str, Style); 3] = [("lines", Style::Lines), ("points", Style::Points), ("map", Style::Map)];
const STYLE: Key = Key::word("style", |at| STYLES.get(at).map(|(name, _)| *name))
    .or_else("lines along numbers, points along names")
    .says("whether the points of a curve are joined; or a map of what is best over two swept keys");
pub(super) const BY: Key = Key::strings("by")
    .or_else("all that is not along x; `algorithm` in a map")
    .says("what tells curves, or the candidates of a map, apart: `algorithm`, swept keys");
pub(super) const LEGEND: Key =
    Key::strings("legend").or_else("what tells them apart").says("what these are called, in the order of the table");
const VALUES: RangeInclusive<f64> = -1e18..=1e18;
const LINE: Key =
    Key::number("line", VALUES).or_else("none").says("where along the y axis a line of reference is, such as 1");
const LINE_LABEL: Key = Key::text("line_label").beside(&["line"]).says("what the line of reference is");
const LEAST: Key =
    Key::number("least", VALUES).or_else("none").says("what nothing along the y axis is below: error bars end there");

pub(crate) const FIGURE: &[Key] = &[
    TITLE,
    SOURCE,
    TABLES,
    DIAGRAMS,
    X,
    Y,
    SPREAD,
    ONLY,
    X_LABEL,
    Y_LABEL,
    LOG,
    STYLE,
    BY,
    LEGEND,
    LINE,
    LINE_LABEL,
    LEAST,
    MAP_VALUE,
    PANELS,
    MAP_TOLERANCE,
];

/// What belongs to curves, and not to a map.
const OF_CURVES: [Key; 4] = [LOG, LINE, LINE_LABEL, LEAST];

/// What belongs to a plot, and nothing else.
const OF_PLOTS: [Key; 13] = [X, Y, X_LABEL, Y_LABEL, SPREAD, ONLY, LOG, STYLE, BY, LEGEND, LINE, LINE_LABEL, LEAST];

const SAYS: Key = Key::text("says").says("what the paper says, with its number");
const TABLE: Key = Key::word("table", |at| FigureTable::all().get(at).map(|(name, _)| *name))
    .or_else("the summary")
    .says("the table that the claim is about");
const HOLDS: Key = Key::formula("holds")
    .or_else("none")
    .says("a condition that holds everywhere, such as \"opt_mesh.measured_mean <= u_mesh.measured_mean\"");
const PRINTED: Key =
    Key::values("printed").or_else("none").says("the paper's values, row by row; a single one is that of every row");
const COURSE: Key = Key::word("course", |at| COURSES.get(at).map(|(name, _)| *name))
    .or_else("none")
    .says("how the value changes along a column");
const IRREPRODUCIBLE: Key = Key::text("irreproducible").or_else("none").says("why it cannot be reproduced");
const CLAIM_ONLY: Key = Key::formula("only")
    .or_else("all")
    .beside(&["holds", "printed", "course"])
    .says("a condition on the rows, or points, that the claim is about");
const VALUE: Key =
    Key::formula("value").beside(&["printed", "course"]).says("a column, or what is computed of columns");
const TOLERANCE: Key = Key::number("tolerance", 0.0..=10.0)
    .or_number(0.0)
    .beside(&["printed", "course"])
    .says("how far off it may be, relative to the printed or the largest value");
const CLAIM_SPREAD: Key = Key::formula("spread")
    .or_else("none")
    .beside(&["printed"])
    .says("half the width of the 95 % confidence interval of the value; twice that is within it");
const ALONG: Key = Key::text("along").beside(&["course"]).says("the column along which the value changes");
const SHOW: Key = Key::formula("show")
    .or_else("none")
    .beside(&["holds", "printed", "course"])
    .says("a number to report from the least to the largest");
const DRAW: Key = Key::text("draw")
    .or_else("not drawn")
    .beside(&["printed"])
    .says("what the printed numbers are called in the plot, which shows them");
const NOTE: Key = Key::text("note").or_else("none").says("why it fails, or what to know");
const EXPECTATIONS: [(&str, bool); 2] = [("holds", false), ("fails", true)];
const EXPECTED: Key = Key::word("expected", |at| EXPECTATIONS.get(at).map(|(name, _)| *name))
    .or_word("holds")
    .says("what becomes of it: one that `fails` as expected, such as a paper's error, is no failure of the run");

pub(crate) const CLAIM: &[Key] = &[
    SAYS,
    TABLE,
    HOLDS,
    PRINTED,
    COURSE,
    IRREPRODUCIBLE,
    CLAIM_ONLY,
    VALUE,
    TOLERANCE,
    CLAIM_SPREAD,
    ALONG,
    SHOW,
    DRAW,
    NOTE,
    EXPECTED,
];

/// Reads `[figure]` and the claims, if there are any.
pub(super) fn read(root: &Reader<'_>, tick: Option<&Tick>) -> Option<Figure> {
    let claims: Vec<Claim> = root.tables("claim").iter().filter_map(claim).collect();
    let Some(table) = root.table("figure") else {
        let place = root.has("claim").then(|| root.place_of("claim"))?;
        let (tables, diagrams) = (Vec::new(), Vec::new());
        let figure =
            Figure { title: None, source: String::new(), tables, plot: None, map: None, diagrams, claims, place };
        check_claims(root, &figure);
        return Some(figure);
    };
    let title = text(&table, &TITLE);
    let source = text(&table, &SOURCE).unwrap_or_default();
    let tables = chosen(&table, &TABLES, &FigureTable::all());
    let tables: Vec<FigureTable> = tables.into_iter().map(|(table, _)| table).collect();
    let diagrams = chosen(&table, &DIAGRAMS, &Diagram::ALL);
    let style = table.optional_choice(&STYLE, &STYLES);
    let is_map = style == Some(Style::Map);
    let map = if is_map { decision_map::read(&table, root, &OF_CURVES) } else { None };
    let plot = if is_map { None } else { plot(&table, style, tick) };
    if (plot.is_some() || is_map) && !diagrams.is_empty() {
        let message = "a figure is either a plot, with `x` and `y`, or has `diagrams`";
        table.error(Diagnostic::at(table.place_of("diagrams"), message));
    }
    let place = if table.has("tables") { table.place_of("tables") } else { table.place() };
    table.finish();
    let figure = Figure { title, source, tables, plot, map, diagrams, claims, place };
    check_claims(root, &figure);
    Some(figure)
}

/// Refuses claims about tables that `figure` does not have, and printed values that no plot shows.
fn check_claims(root: &Reader<'_>, figure: &Figure) {
    for claim in &figure.claims {
        if let Some(absent) = claim.table.filter(|table| !figure.tables.contains(table)) {
            let message = format!("the figure has no table `{0}`: [figure] lacks tables = [\"{0}\"]", absent.name());
            root.error(Diagnostic::at(claim.place.clone(), message));
        }
        if claim.draw.is_some() && (figure.plot.is_none() || claim.table.is_some() || !claim.prints_numbers()) {
            let message = "`claim.draw` needs a plot, and printed numbers that are about the summary";
            root.error(Diagnostic::at(claim.place.clone(), message));
        }
    }
}

/// Those of `all` that the array at `key` names, with their places; none without it.
fn chosen<T: Copy>(figure: &Reader<'_>, key: &Key, all: &[(&'static str, T)]) -> Vec<(T, Place)> {
    let chosen = figure.names(key).into_iter();
    chosen.map(|(position, at)| (all[at].1, figure.place_within_array(&[key.name], position))).collect()
}

fn plot(figure: &Reader<'_>, style: Option<Style>, tick: Option<&Tick>) -> Option<Plot> {
    let [x, y, spread, only] = [X, Y, SPREAD, ONLY].map(|key| formula(figure, &key));
    let labels = [X_LABEL, Y_LABEL].map(|key| text(figure, &key));
    let written = [X, Y].map(|key| text(figure, &key).unwrap_or_default());
    let log = figure.choice(&LOG, &SCALES);
    let joined = style.map(|style| style == Style::Lines);
    let by = figure.strings(&BY).map(|names| names.into_iter().map(Column::of).collect());
    let legend = figure.strings(&LEGEND).map(|names| names.into_iter().map(|(name, _)| name.to_owned()).collect());
    let line = figure.optional_number(&LINE);
    if line.is_some() {
        figure.demand(&LINE_LABEL);
    }
    let line = line.zip(text(figure, &LINE_LABEL));
    let least = figure.optional_number(&LEAST);
    if !OF_PLOTS.iter().any(|key| figure.gives(key)) {
        return None;
    }
    for key in [X, Y].into_iter().filter(|key| !figure.gives(key)) {
        figure.missing(key.name, "both x and y for a plot, or none of its keys");
    }
    let labelled = [labels[0].is_some(), labels[1].is_some()];
    let [x_written, y_written] = written;
    let [x_label, y_label] = labels;
    let labels = [x_label.unwrap_or(x_written), y_label.unwrap_or(y_written)];
    Some(Plot {
        x: x?,
        y: y?,
        spread,
        only,
        labels,
        labelled,
        least_while: None,
        log,
        joined,
        by,
        legend,
        line,
        least,
        tick: tick.cloned(),
    })
}

fn claim(table: &Reader<'_>) -> Option<Claim> {
    let says = required(table, &SAYS);
    let about = table.optional_choice(&TABLE, &FigureTable::all());
    let only = formula(table, &CLAIM_ONLY);
    let show = formula(table, &SHOW);
    let note = text(table, &NOTE);
    let draw = text(table, &DRAW);
    let fails = table.choice(&EXPECTED, &EXPECTATIONS);
    let test = test(table);
    table.finish();
    Some(Claim { says: says?, table: about, only, test: test?, show, draw, note, fails, place: table.place() })
}

/// The keys that say what kind of claim it is.
const TESTS: [Key; 4] = [HOLDS, PRINTED, COURSE, IRREPRODUCIBLE];

fn test(table: &Reader<'_>) -> Option<Test> {
    let holds = formula(table, &HOLDS);
    let value = formula(table, &VALUE);
    let spread = formula(table, &CLAIM_SPREAD);
    let printed = table.values(&PRINTED).map(|nodes| printed(table, nodes));
    let along = table.string(&ALONG).map(Column::of);
    let course = table.optional_choice(&COURSE, &COURSES);
    let tolerance = table.number(&TOLERANCE);
    let irreproducible = text(table, &IRREPRODUCIBLE);
    let given: Vec<&Key> = TESTS.iter().filter(|key| table.gives(key)).collect();
    let [kind] = given.as_slice() else {
        let message =
            if given.is_empty() { "the claim cannot be judged" } else { "the claim says more than one thing" };
        let note = "accepted: exactly one of `holds`, `printed`, `course`, `irreproducible`";
        table.error(Diagnostic::at(table.place(), message).note(note));
        return None;
    };
    if kind.name == PRINTED.name || kind.name == COURSE.name {
        table.demand(&VALUE);
    }
    if kind.name == COURSE.name {
        table.demand(&ALONG);
    }
    Some(match kind.name {
        "holds" => Test::Holds(holds?),
        "printed" => Test::Values { value: value?, printed: printed?, tolerance, spread },
        "course" => Test::Course { value: value?, along: along?, course: course?, tolerance },
        _ => Test::Irreproducible(irreproducible?),
    })
}

fn required(table: &Reader<'_>, key: &Key) -> Option<String> {
    table.demand(key);
    text(table, key)
}

pub(super) fn text(table: &Reader<'_>, key: &Key) -> Option<String> {
    table.string(key).map(|(text, _)| text.to_owned())
}

/// A condition, or a value that is computed the same way, if it is given.
pub(super) fn formula(table: &Reader<'_>, key: &Key) -> Option<Condition> {
    let (text, place) = table.string(key)?;
    Condition::parse(text, place).map_err(|wrong| table.error(wrong)).ok()
}

fn printed(table: &Reader<'_>, nodes: Vec<&Node>) -> Vec<Printed> {
    let read = |node: &Node| match &node.value {
        Value::Integer(Some(value)) => value.to_string().parse().ok().map(Printed::Number),
        Value::Float(text) => text.replace('_', "").parse().ok().map(Printed::Number),
        Value::String(text) => Some(Printed::Text(text.clone())),
        other => {
            let message = format!("`claim.printed` must be numbers or strings, not {}", other.kind());
            let wrong = Diagnostic::at(node.place.clone(), message);
            table.error(wrong.note("accepted: one value for all rows, or an array with a value for each"));
            None
        }
    };
    nodes.into_iter().filter_map(read).collect()
}
