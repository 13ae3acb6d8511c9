//! `[figure]` and `[[claim]]`: what a paper's table or figure says, as data that results can be compared with.
//!
//! A claim is about the columns of a table that the scenario gives, each called as in its header; at a point of a sweep
//! the columns of one algorithm are called `algorithm.column`, with `_` for `-`. With both in it, as in
//! `cost_mean / random.cost_mean`, it is about each row beside the rows of its point. This file knows what claims can say;
//! it refuses to know what tables say, and whether a claim is true.

use crate::config::Condition;
use crate::config::Diagnostic;
use crate::config::Reader;
use crate::config::{Node, Place, Value};
use crate::kind::Diagram;
use crate::workload::KINDS;

/// A table or figure of a paper.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Which paper, and which of its tables or figures.
    pub source: String,
    /// Tables besides the summary.
    pub tables: Vec<FigureTable>,
    /// How it is drawn; none if it is no plot.
    pub plot: Option<Plot>,
    /// Diagrams of what its rows plan, each with the place that names it; none if it is a plot.
    pub diagrams: Vec<(Diagram, Place)>,
    /// What the paper says of it.
    pub claims: Vec<Claim>,
    /// Where it stands, or its `tables` do.
    pub place: Place,
}

impl Figure {
    /// Whether there is a picture of it.
    #[must_use]
    pub fn is_drawn(&self) -> bool {
        self.plot.is_some() || !self.diagrams.is_empty()
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
    #[must_use]
    pub fn all() -> Vec<(&'static str, Self)> {
        let files = KINDS.iter().flat_map(|kind| kind.files()).map(|file| Self(file.table()));
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
    #[must_use]
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
    /// What is along the axes, with units.
    pub labels: [String; 2],
    /// Which axes are logarithmic.
    pub log: [bool; 2],
    /// Whether the points of a curve are joined by lines; if nothing is said, those along numbers are.
    pub joined: Option<bool>,
    /// What tells curves apart, `algorithm` or swept keys; none for all that are not along the x axis.
    pub by: Option<Vec<Column>>,
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
    fn of((name, place): (&str, Place)) -> Self {
        Self { name: name.to_owned(), place }
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
    /// Where it stands.
    pub place: Place,
}

impl Claim {
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

/// The courses by name.
const COURSES: [(&str, Course); 3] = [("rises", Course::Rises), ("falls", Course::Falls), ("linear", Course::Linear)];

/// Reads `[figure]` and the claims, if there are any.
pub(super) fn read(root: &Reader<'_>) -> Option<Figure> {
    let claims: Vec<Claim> = root.tables("claim").iter().filter_map(claim).collect();
    let Some(table) = root.table("figure") else {
        if root.has("claim") {
            let message = "claims need a [figure], which says what they are about";
            let wrong = Diagnostic::at(root.place_of("claim"), message);
            root.error(wrong.note("needed: [figure] with source = \"...\", the paper and its table or figure"));
        }
        return None;
    };
    let source = required(&table, "source", "the paper, and which of its tables or figures");
    let tables = chosen(&table, "tables", "table of a figure", &FigureTable::all());
    let tables: Vec<FigureTable> = tables.into_iter().map(|(table, _)| table).collect();
    let diagrams = chosen(&table, "diagrams", "diagram", &Diagram::ALL);
    let plot = plot(&table);
    if plot.is_some() && !diagrams.is_empty() {
        let message = "a figure is either a plot, with `x` and `y`, or has `diagrams`";
        table.error(Diagnostic::at(table.place_of("diagrams"), message));
    }
    let place = if table.has("tables") { table.place_of("tables") } else { table.place() };
    table.finish();
    for claim in &claims {
        if let Some(absent) = claim.table.filter(|table| !tables.contains(table)) {
            let message = format!("the figure has no table `{0}`: [figure] lacks tables = [\"{0}\"]", absent.name());
            root.error(Diagnostic::at(claim.place.clone(), message));
        }
        if claim.draw.is_some() && (plot.is_none() || claim.table.is_some() || !claim.prints_numbers()) {
            let message = "`claim.draw` needs a plot, and printed numbers that are about the summary";
            root.error(Diagnostic::at(claim.place.clone(), message));
        }
    }
    Some(Figure { source: source?, tables, plot, diagrams, claims, place })
}

/// Those of `all` that the array at `key` names, each a `what`, with their places; none without it.
fn chosen<T: Copy>(
    figure: &Reader<'_>,
    key: &'static str,
    what: &'static str,
    all: &[(&'static str, T)],
) -> Vec<(T, Place)> {
    if !figure.has(key) {
        figure.skip(key);
        return Vec::new();
    }
    let names: Vec<&'static str> = all.iter().map(|(name, _)| *name).collect();
    let chosen = figure.registered(key, what, &names).into_iter();
    chosen.map(|(position, at)| (all[at].1, figure.place_within_array(&[key], position))).collect()
}

fn plot(figure: &Reader<'_>) -> Option<Plot> {
    let [x, y, spread, only] = ["x", "y", "spread", "only"].map(|key| formula(figure, key));
    let labels = ["x_label", "y_label"].map(|key| figure.string(key).map(|(text, _)| text.to_owned()));
    let scales = [("none", [false; 2]), ("x", [true, false]), ("y", [false, true]), ("both", [true; 2])];
    let log = figure.choice("log", &scales, [false; 2]);
    let joined = figure.choice("style", &[("lines", Some(true)), ("points", Some(false))], None);
    let by = figure.strings("by").map(|names| names.into_iter().map(Column::of).collect());
    let keys = ["x", "y", "x_label", "y_label"];
    let given = keys.iter().chain(&["spread", "only", "log", "style", "by"]).any(|key| figure.has(key));
    if !given {
        return None;
    }
    for key in keys.into_iter().filter(|key| !figure.has(key)) {
        figure.missing(key, "all of x, y, x_label and y_label for a plot, or none of them");
    }
    let [x_label, y_label] = labels;
    Some(Plot { x: x?, y: y?, spread, only, labels: [x_label?, y_label?], log, joined, by })
}

fn claim(table: &Reader<'_>) -> Option<Claim> {
    let says = required(table, "says", "what the paper says, with its number");
    let choices: Vec<_> = FigureTable::all().into_iter().map(|(name, which)| (name, Some(which))).collect();
    let about = table.choice("table", &choices, None);
    let [only, show] = ["only", "show"].map(|key| formula(table, key));
    let [note, draw] = ["note", "draw"].map(|key| table.string(key).map(|(text, _)| text.to_owned()));
    let test = test(table);
    table.finish();
    Some(Claim { says: says?, table: about, only, test: test?, show, draw, note, place: table.place() })
}

/// The keys that say what kind of claim it is, and those that belong to each.
const TESTS: [(&str, &[&str]); 4] = [
    ("holds", &["show", "only"]),
    ("printed", &["value", "tolerance", "spread", "show", "only", "draw"]),
    ("course", &["value", "along", "tolerance", "show", "only"]),
    ("irreproducible", &[]),
];

fn test(table: &Reader<'_>) -> Option<Test> {
    let holds = formula(table, "holds");
    let [value, spread] = ["value", "spread"].map(|key| formula(table, key));
    let printed = table.values("printed").map(|nodes| printed(table, nodes));
    let along = table.string("along").map(Column::of);
    let course = table.string("course").is_some().then(|| table.choice("course", &COURSES, Course::Rises));
    let tolerance = table.optional_number("tolerance", 0.0..=10.0).unwrap_or(0.0);
    let irreproducible = table.string("irreproducible").map(|(text, _)| text.to_owned());
    let given: Vec<_> = TESTS.iter().filter(|(key, _)| table.has(key)).collect();
    let [(kind, read)] = given.as_slice() else {
        let message =
            if given.is_empty() { "the claim cannot be judged" } else { "the claim says more than one thing" };
        let note = "accepted: exactly one of `holds`, `printed`, `course`, `irreproducible`";
        table.error(Diagnostic::at(table.place(), message).note(note));
        return None;
    };
    let every = ["value", "along", "tolerance", "spread", "show", "only", "draw"];
    for key in every.into_iter().filter(|key| table.has(key) && !read.contains(key)) {
        let message = format!("`claim.{key}` would be ignored beside `{kind}`");
        table.error(Diagnostic::at(table.place_of(key), message));
    }
    for key in ["value", "along"].into_iter().filter(|key| read.contains(key) && !table.has(key)) {
        table.missing(key, &format!("beside `{kind}`"));
    }
    Some(match *kind {
        "holds" => Test::Holds(holds?),
        "printed" => Test::Values { value: value?, printed: printed?, tolerance, spread },
        "course" => Test::Course { value: value?, along: along?, course: course?, tolerance },
        _ => Test::Irreproducible(irreproducible?),
    })
}

fn required(table: &Reader<'_>, key: &'static str, what: &str) -> Option<String> {
    let text = table.string(key).map(|(text, _)| text.to_owned());
    if !table.has(key) {
        table.missing(key, &format!("a string: {what}"));
    }
    text
}

/// A condition, or a value that is computed the same way, if it is given.
fn formula(table: &Reader<'_>, key: &'static str) -> Option<Condition> {
    let (text, place) = table.string(key)?;
    Condition::parse(text, &place).map_err(|wrong| table.error(wrong)).ok()
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
