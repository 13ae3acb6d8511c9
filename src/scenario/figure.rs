//! `[figure]`: a table or figure of a paper, or a user's own: which tables belong to it, and how it is drawn.
//!
//! This file knows what figures can say, and which claims a figure can have; it refuses to know what tables say, and how
//! anything is painted.

use super::claim::{self, Claim, Column, formula, text};
use super::decision_map::{self, DecisionMap, PANELS, TOLERANCE, VALUE};
use super::figure_table::FigureTable;
use super::{Label, TickLength};
use crate::config::{Condition, Diagnostic, Place, Reader};
use crate::kind::Diagram;
use crate::references::{ALL, Reference};
use crate::units::Key;
use std::ops::RangeInclusive;

/// A table or figure of a paper, or a user's own; without a `[figure]`, claims alone.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What is to be seen in its picture; none if the axes or the diagrams say it.
    pub title: Option<String>,
    /// Which paper, and which of its tables or figures; empty if it is of none.
    pub source: String,
    /// The publications whose figure it is.
    pub cites: Vec<Reference>,
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
    /// `claims`, which stand at `place`, without a `[figure]`.
    fn of_claims(claims: Vec<Claim>, place: Place) -> Self {
        Self {
            title: None,
            source: String::new(),
            cites: Vec::new(),
            tables: Vec::new(),
            plot: None,
            map: None,
            diagrams: Vec::new(),
            claims,
            place,
        }
    }

    /// Whether there is a picture of it.
    pub fn is_drawn(&self) -> bool {
        self.plot.is_some() || self.map.is_some() || !self.diagrams.is_empty()
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
    pub labels: [Label; 2],
    /// Which of these the scenario says.
    pub(super) labelled: [bool; 2],
    /// The column that makes what is along the y axis a lower bound where it is above zero.
    pub least_while: Option<String>,
    /// Which axes are logarithmic.
    pub log: [bool; 2],
    /// The points that lines join.
    pub joining: Joining,
    /// What tells curves apart, `algorithm` or swept keys; none for all that are not along the x axis.
    pub by: Option<Vec<Column>>,
    /// What curves are called, in the order of the table; none for what tells them apart.
    pub legend: Option<Vec<String>>,
    /// A line of reference along the y axis, and what the legend says of it.
    pub line: Option<(f64, String)>,
    /// What no value along the y axis is below: error bars end there.
    pub least: Option<f64>,
    /// Ends of the axes, in their units: the least and the most along x, then along y.
    pub limits: [[Option<f64>; 2]; 2],
    /// The length of a tick, for axes in ticks.
    pub ticks: TickLength,
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

/// The points of a plot that lines join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joining {
    /// Those of a curve, if the values along the x axis are numbers.
    Numbers,
    /// Those of a curve.
    Curves,
    /// None.
    Nothing,
    /// Those for which no other point is as small along both axes and smaller along one.
    Front,
}

/// How `[figure]` draws the values of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Curves, whose points are joined by lines.
    Lines,
    /// The points of curves.
    Points,
    /// Points, and the front of those that no other dominates.
    Pareto,
    /// A map of what is best.
    Map,
}

/// The columns of a Pareto front, unless the scenario states others.
const PARETO_AXES: [&str; 2] = ["measured", "energy"];

const TITLE: Key = Key::text("title").or_else("from the axes").says("title of the figure");
const SOURCE: Key = Key::text("source").or_else("none").says("paper, and its table or figure that is reproduced");
const CITES: Key = Key::names("cites", "reference", |at| ALL.get(at).map(|reference| reference.key))
    .or_else("none")
    .says("keys of the publications that the figure is from; `flitwise cite --bibtex` lists them");
const TABLES: Key = Key::names("tables", "table of a figure", |at| FigureTable::all().get(at).map(|(name, _)| *name))
    .or_else("none")
    .says("tables in addition to the summary");
const DIAGRAMS: Key = Key::names("diagrams", "diagram", |at| Diagram::ALL.get(at).map(|(name, _)| *name))
    .or_else("none")
    .says("diagrams of schedules and mappings, in place of a plot");
pub(super) const X: Key = Key::formula("x")
    .or_else("no plot")
    .says("value along the x axis of a plot, such as \"flits\" if that key is swept; a number or a name");
pub(super) const Y: Key =
    Key::formula("y").or_else("no plot").says("value along the y axis, such as \"measured\"; in a map, a swept key");
pub(super) const SPREAD: Key = Key::formula("spread")
    .or_else("none")
    .says("half the length of error bars; in a map, candidates that differ by less are tied");
pub(super) const ONLY: Key =
    Key::formula("filter").aliases(&["only"]).or_else("all").says("condition on the rows that are drawn");
pub(super) const X_LABEL: Key = Key::text("x_label").or_else("from `x`").says("label of the x axis, with its unit");
pub(super) const Y_LABEL: Key = Key::text("y_label").or_else("from `y`").says("label of the y axis, with its unit");
const SCALES: [(&str, [bool; 2]); 4] =
    [("none", [false; 2]), ("x", [true, false]), ("y", [false, true]), ("both", [true; 2])];
const LOG: Key = Key::word("log", |at| SCALES.get(at).map(|(name, _)| *name)).or_word("none").says("logarithmic axes");
const STYLES: [(&str, Style); 4] =
    [("lines", Style::Lines), ("points", Style::Points), ("pareto", Style::Pareto), ("map", Style::Map)];
const STYLE: Key = Key::word("style", |at| STYLES.get(at).map(|(name, _)| *name))
    .or_else("lines if x is a number, points if it is a name")
    .says("curves with lines, curves with points only, points with the Pareto front of those that no other dominates, or a map of the \
         best candidate over two swept keys");
pub(super) const BY: Key = Key::strings("by")
    .or_else("everything that varies except x; in a map, `algorithm`")
    .says("columns that distinguish the curves, or the candidates of a map: `algorithm`, swept keys");
pub(super) const LEGEND: Key = Key::strings("legend")
    .or_else("values of `by`")
    .says("names of the curves or candidates, in the order of the table");
const VALUES: RangeInclusive<f64> = -1e18..=1e18;
const LINE: Key =
    Key::number("line", VALUES).or_else("none").says("position of a reference line along the y axis, such as 1");
const LINE_LABEL: Key = Key::text("line_label").beside(&["line"]).says("label of the reference line");
const LEAST: Key = Key::number("least", VALUES)
    .or_else("none")
    .says("lower bound of the values along the y axis; error bars end there");

const X_MIN: Key = Key::number("x_min", VALUES).or_else("from the values").says("lower end of the x axis, in its unit");
const X_MAX: Key = Key::number("x_max", VALUES).or_else("from the values").says("upper end of the x axis, in its unit");
const Y_MIN: Key = Key::number("y_min", VALUES).or_else("from the values").says("lower end of the y axis, in its unit");
const Y_MAX: Key = Key::number("y_max", VALUES)
    .or_else("from the values; for latencies, about 4 times the zero-load latency")
    .says("upper end of the y axis, in its unit");

pub(crate) const FIGURE: &[Key] = &[
    TITLE, SOURCE, CITES, TABLES, DIAGRAMS, X, Y, SPREAD, ONLY, X_LABEL, Y_LABEL, LOG, STYLE, BY, LEGEND, LINE,
    LINE_LABEL, LEAST, X_MIN, X_MAX, Y_MIN, Y_MAX, VALUE, PANELS, TOLERANCE,
];

/// What belongs to curves, and not to a map.
const OF_CURVES: [Key; 8] = [LOG, LINE, LINE_LABEL, LEAST, X_MIN, X_MAX, Y_MIN, Y_MAX];

/// What belongs to a plot, and nothing else.
const OF_PLOTS: [Key; 17] =
    [X, Y, X_LABEL, Y_LABEL, SPREAD, ONLY, LOG, STYLE, BY, LEGEND, LINE, LINE_LABEL, LEAST, X_MIN, X_MAX, Y_MIN, Y_MAX];

/// Reads `[figure]` and the claims, if there are any.
pub(super) fn read(root: &Reader<'_>) -> Option<Figure> {
    let claims = claim::read(root);
    let Some(table) = root.table("figure") else {
        let place = root.has("claim").then(|| root.place_of("claim"))?;
        let figure = Figure::of_claims(claims, place);
        check_claims(root, &figure);
        return Some(figure);
    };
    let title = text(&table, &TITLE);
    let source = text(&table, &SOURCE).unwrap_or_default();
    let references: Vec<(&str, Reference)> = ALL.iter().map(|reference| (reference.key, *reference)).collect();
    let cites = chosen(&table, &CITES, &references).into_iter().map(|(reference, _)| reference).collect();
    let tables = chosen(&table, &TABLES, &FigureTable::all());
    let tables: Vec<FigureTable> = tables.into_iter().map(|(table, _)| table).collect();
    let diagrams = chosen(&table, &DIAGRAMS, &Diagram::ALL);
    let style = table.optional_choice(&STYLE, &STYLES);
    let is_map = style == Some(Style::Map);
    let map = if is_map { decision_map::read(&table, root, &OF_CURVES) } else { None };
    let plot = if is_map { None } else { plot(&table, style) };
    if (plot.is_some() || is_map) && !diagrams.is_empty() {
        let message = "a figure has either a plot, with `x` and `y`, or `diagrams`";
        table.error(Diagnostic::at(table.place_of("diagrams"), message));
    }
    let place = if table.has("tables") { table.place_of("tables") } else { table.place() };
    table.finish();
    let figure = Figure { title, source, cites, tables, plot, map, diagrams, claims, place };
    check_claims(root, &figure);
    Some(figure)
}

/// Refuses claims about tables that `figure` does not have, and printed values that no plot shows.
fn check_claims(root: &Reader<'_>, figure: &Figure) {
    for claim in &figure.claims {
        if let Some(absent) = claim.table.filter(|table| !figure.tables.contains(table)) {
            let message = format!("the figure has no table `{0}`; add tables = [\"{0}\"] to [figure]", absent.name());
            root.error(Diagnostic::at(claim.place.clone(), message));
        }
        if claim.draw.is_some() && (figure.plot.is_none() || claim.table.is_some() || !claim.prints_numbers()) {
            let message = "`claim.draw` needs a plot, and printed numbers of the summary table";
            root.error(Diagnostic::at(claim.place.clone(), message));
        }
    }
}

/// Those of `all` that the array at `key` names, with their places; none without it.
fn chosen<T: Copy>(figure: &Reader<'_>, key: &Key, all: &[(&'static str, T)]) -> Vec<(T, Place)> {
    let chosen = figure.names(key).chosen.into_iter();
    chosen.map(|(position, at)| (all[at].1, figure.place_within_array(&[key.name], position))).collect()
}

fn plot(figure: &Reader<'_>, style: Option<Style>) -> Option<Plot> {
    let default = |axis: usize| (style == Some(Style::Pareto)).then_some(PARETO_AXES[axis]);
    let x = formula_or(figure, &X, default(0));
    let y = formula_or(figure, &Y, default(1));
    let [spread, only] = [SPREAD, ONLY].map(|key| formula(figure, &key));
    let labels = [X_LABEL, Y_LABEL].map(|key| text(figure, &key));
    let written = [0, 1].map(|axis| {
        let written = text(figure, [&X, &Y][axis]).or_else(|| default(axis).map(str::to_owned));
        written.unwrap_or_default()
    });
    let log = figure.choice(&LOG, &SCALES);
    let joining = match style {
        None | Some(Style::Map) => Joining::Numbers,
        Some(Style::Lines) => Joining::Curves,
        Some(Style::Points) => Joining::Nothing,
        Some(Style::Pareto) => Joining::Front,
    };
    let by = figure.strings(&BY).map(|names| names.into_iter().map(Column::named).collect());
    let legend = figure.strings(&LEGEND).map(|names| names.into_iter().map(|(name, _)| name.to_owned()).collect());
    let line = figure.optional_number(&LINE);
    if line.is_some() {
        figure.demand(&LINE_LABEL);
    }
    let line = line.zip(text(figure, &LINE_LABEL));
    let least = figure.optional_number(&LEAST);
    let limits = limits(figure, log);
    if !OF_PLOTS.iter().any(|key| figure.gives(key)) {
        return None;
    }
    for (key, _) in [(X, &x), (Y, &y)].into_iter().filter(|(key, formula)| formula.is_none() && !figure.gives(key)) {
        figure.missing(key.name, "both x and y for a plot, or none of its keys");
    }
    let labelled = [labels[0].is_some(), labels[1].is_some()];
    let [x_written, y_written] = written;
    let [x_label, y_label] = labels;
    let labels = [x_label.unwrap_or(x_written), y_label.unwrap_or(y_written)].map(|text| Label::written(&text));
    Some(Plot {
        x: x?,
        y: y?,
        spread,
        only,
        labels,
        labelled,
        least_while: None,
        log,
        joining,
        by,
        legend,
        line,
        least,
        limits,
        ticks: TickLength::default(),
    })
}

/// The formula at `key`, or the one of a `default` column if it is not given.
fn formula_or(figure: &Reader<'_>, key: &Key, default: Option<&str>) -> Option<Condition> {
    match default {
        Some(column) if !figure.gives(key) => Condition::parse(column, &figure.place_of(STYLE.name)).ok(),
        _ => formula(figure, key),
    }
}

/// The ends of both axes, which must leave room, and on logarithmic axes be positive.
fn limits(figure: &Reader<'_>, log: [bool; 2]) -> [[Option<f64>; 2]; 2] {
    let limits = [[X_MIN, X_MAX], [Y_MIN, Y_MAX]].map(|ends| ends.map(|key| figure.optional_number(&key)));
    for ((keys, ends), log) in [[X_MIN, X_MAX], [Y_MIN, Y_MAX]].into_iter().zip(limits).zip(log) {
        let crossed = matches!(ends, [Some(least), Some(most)] if least >= most);
        let unreal = log && ends.into_iter().flatten().any(|end| end <= 0.0);
        let key = if figure.gives(&keys[1]) { &keys[1] } else { &keys[0] };
        let message = match (crossed, unreal) {
            (true, _) => format!("`{}` must be above `{}`", keys[1].name, keys[0].name),
            (false, true) => "the limits of a logarithmic axis must be above zero".to_owned(),
            (false, false) => continue,
        };
        figure.error(Diagnostic::at(figure.place_of(key.name), message));
    }
    limits
}
