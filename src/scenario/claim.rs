//! `[[claim]]`: what a paper says of its table or figure, or a user expects, as data that results can be compared with.
//!
//! A claim is about the columns of a table that the scenario gives, each called as in its header; at a point of a sweep
//! the columns of one algorithm are called `algorithm.column`, with `_` for `-`. With both in it, as in
//! `cost_mean / random.cost_mean`, it is about each row beside the rows of its point. This file knows what claims can
//! say; it refuses to know what tables say, and whether a claim is true.

use super::figure_table::FigureTable;
use crate::config::{Condition, Diagnostic, Node, Place, Reader, Value};
use crate::units::Key;

/// A column, by its name.
#[derive(Clone, Debug)]
pub struct Column {
    /// As in the header.
    pub name: String,
    /// Where it is named.
    pub place: Place,
}

impl Column {
    /// The one that a key names, which stands at `place`.
    pub(super) fn named((name, place): (&str, &Place)) -> Self {
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

    /// Whether it has printed values, all of them numbers.
    pub(super) fn prints_numbers(&self) -> bool {
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

pub(crate) const COURSES: [(&str, Course); 3] =
    [("rises", Course::Rises), ("falls", Course::Falls), ("linear", Course::Linear)];

const SAYS: Key = Key::text("text").aliases(&["says"]).says("statement of the paper, with its value");
const TABLE: Key = Key::word("table", |at| FigureTable::all().get(at).map(|(name, _)| *name))
    .or_else("the summary")
    .says("table that the claim is about");
const HOLDS: Key = Key::formula("holds").or_else("none").says(
    "condition that must hold for every row or point, such as \"opt_mesh.measured_mean <= u_mesh.measured_mean\"",
);
const PRINTED: Key = Key::values("printed")
    .or_else("none")
    .says("values in the paper, one for each row; a single value applies to every row");
const COURSE: Key = Key::word("trend", |at| COURSES.get(at).map(|(name, _)| *name))
    .aliases(&["course"])
    .or_else("none")
    .says("trend of the value along a column");
const IRREPRODUCIBLE: Key =
    Key::text("irreproducible").or_else("none").says("reason why the statement cannot be reproduced");
const CLAIM_ONLY: Key = Key::formula("filter")
    .aliases(&["only"])
    .or_else("all")
    .beside(&["holds", "printed", "trend"])
    .says("condition on the rows or points that the claim is about");
const VALUE: Key = Key::formula("value").beside(&["printed", "trend"]).says("column, or an expression over columns");
const TOLERANCE: Key = Key::number("tolerance", 0.0..=10.0)
    .or_number(0.0)
    .beside(&["printed", "trend"])
    .says("largest accepted deviation, relative to the printed or the largest value");
const CLAIM_SPREAD: Key = Key::formula("spread")
    .or_else("none")
    .beside(&["printed"])
    .says("half-width of the 95 % confidence interval of the value; deviations of up to twice that are accepted");
const ALONG: Key = Key::text("along").beside(&["trend"]).says("column along which the value changes");
const SHOW: Key = Key::formula("show")
    .or_else("none")
    .beside(&["holds", "printed", "trend"])
    .says("number to report, as its smallest and largest value");
const DRAW: Key = Key::text("draw")
    .or_else("not drawn")
    .beside(&["printed"])
    .says("legend entry of the printed numbers, which are then shown in the plot");
const NOTE: Key = Key::text("note").or_else("none").says("reason for a failure, or another remark");
const EXPECTATIONS: [(&str, bool); 2] = [("holds", false), ("fails", true)];
const EXPECTED: Key = Key::word("expected", |at| EXPECTATIONS.get(at).map(|(name, _)| *name)).or_word("holds").says(
    "expected verdict; a claim that `fails` as expected, such as an error of the paper, does not make the run fail",
);

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

/// The claims of `root`.
pub(super) fn read(root: &Reader<'_>) -> Vec<Claim> {
    root.tables("claim").iter().filter_map(claim).collect()
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
    let along = table.string(&ALONG).map(Column::named);
    let course = table.optional_choice(&COURSE, &COURSES);
    let tolerance = table.number(&TOLERANCE);
    let irreproducible = text(table, &IRREPRODUCIBLE);
    let given: Vec<&Key> = TESTS.iter().filter(|key| table.gives(key)).collect();
    let [kind] = given.as_slice() else {
        let message = if given.is_empty() { "the claim has no test" } else { "the claim has more than one test" };
        let note = "accepted: exactly one of `holds`, `printed`, `trend`, `irreproducible`";
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
        "trend" => Test::Course { value: value?, along: along?, course: course?, tolerance },
        _ => Test::Irreproducible(irreproducible?),
    })
}

fn required(table: &Reader<'_>, key: &Key) -> Option<String> {
    table.demand(key);
    text(table, key)
}

/// The text at `key`, if it is given.
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
            table.error(wrong.note("accepted: one value for all rows, or an array with one value for each row"));
            None
        }
    };
    nodes.into_iter().filter_map(read).collect()
}
