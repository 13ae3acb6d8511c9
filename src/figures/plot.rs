//! The plot of a figure: which curves of its table and of its claims stand between which axes; refuses to know how they
//! are drawn.

use super::data::{Data, Scope};
use super::naming::Naming;
use super::verdict::about;
use crate::config::{Condition, Diagnostic, Operand};
use crate::draw::clock::Clock;
use crate::draw::plot::{Across, Chart, ChartError, Curve, MOST_CURVES, Point};
use crate::scenario::{Claim, Figure, Plot, Printed, Scenario, Test, Tick};
use rustc_hash::FxHashSet;
use thiserror::Error;

/// Why a plot cannot be drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The table is not CSV.
    #[error(transparent)]
    Table(#[from] csv::Error),
    /// The plot asks for what is not in the table.
    #[error("{}", .0.message)]
    Formula(Diagnostic),
    /// There is nothing to draw, or too much.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// What is along a logarithmic axis is not a number.
    #[error("what is along the x axis is not a number, so the axis cannot be logarithmic")]
    LogOfNames,
    /// The legend has too few or too many names.
    #[error("`legend` has {given} names for {} curves: {}", .curves.len(), .curves.join("; "))]
    Legend {
        /// How many names it has.
        given: usize,
        /// What tells the curves apart.
        curves: Vec<String>,
    },
    /// Lines are asked for between what is not a number.
    #[error("what is along the x axis is not a number, so nothing is between points that lines could show")]
    LinesOfNames,
}

impl PlotError {
    /// What is wrong with `plot`, with its place; the error itself if it is not the plot's.
    ///
    /// # Errors
    /// If the table is not CSV.
    pub fn diagnostic(self, plot: &Plot) -> Result<Diagnostic, Self> {
        match self {
            Self::Table(_) => Err(self),
            Self::Formula(diagnostic) => Ok(diagnostic),
            Self::Chart(error @ ChartError::Crowded(_)) => {
                let wrong = Diagnostic::at(plot.x.place().clone(), error.to_string());
                Ok(wrong.hint("`by` says which columns tell curves apart, `only` which rows are drawn"))
            }
            other => Ok(Diagnostic::at(plot.x.place().clone(), other.to_string())),
        }
    }
}

/// Looks whether `plot` of the summary of `scenario` can be drawn, as far as that can be told before anything has run: whether
/// its formulas compare what can be compared, and whether there are too many curves.
///
/// # Errors
/// What is wrong with it.
pub fn rehearse(plot: &Plot, scenario: &Scenario) -> Result<(), Diagnostic> {
    let Some(scopes) = rehearsed(&plot.formulas(), plot.only.as_ref(), scenario)? else { return Ok(()) };
    let naming = naming(plot, &scopes);
    let mut seen = FxHashSet::default();
    let mut names: Vec<String> = scopes.iter().map(|scope| naming.name(scope)).collect();
    names.retain(|name| seen.insert(name.clone()));
    if let Some(given) = plot.legend.as_ref().map(Vec::len).filter(|&given| given != names.len()) {
        return PlotError::Legend { given, curves: names }.diagnostic(plot).map_or(Ok(()), Err);
    }
    if names.len() <= MOST_CURVES {
        return Ok(());
    }
    let by: Vec<String> =
        naming.columns(&scopes).into_iter().map(|(key, values)| format!("`{key}` ({values})")).collect();
    let wrong = PlotError::from(ChartError::Crowded(names.len())).diagnostic(plot);
    wrong.map_or(Ok(()), |wrong| Err(wrong.note(format!("curves are told apart by {}", by.join(", ")))))
}

/// What `formulas` will see of the summary of `scenario` where `only` holds, with ones in place of numbers; none if that
/// cannot be told before anything has run.
pub(super) fn rehearsed(
    formulas: &[&Condition],
    only: Option<&Condition>,
    scenario: &Scenario,
) -> Result<Option<Vec<Scope>>, Diagnostic> {
    let is_known = |key: &str| key == "algorithm" || scenario.axes.iter().any(|axis| key.starts_with(&axis.key));
    match Data::rehearsal(scenario).chosen(formulas, only) {
        // which rows are drawn is known when their numbers are there
        Ok(scopes) => Ok(Some(scopes).filter(|_| only.is_none_or(|only| only.keys().into_iter().all(is_known)))),
        // ones in place of numbers make zeros that numbers do not
        Err(wrong) if wrong.message.contains("division by zero") => Ok(None),
        Err(wrong) => Err(wrong),
    }
}

impl From<Diagnostic> for PlotError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Formula(diagnostic)
    }
}

/// Draws `plot` of the summary `text` of `figure` as SVG, with the printed values that its claims draw; `axes` are the
/// swept keys.
///
/// # Errors
/// If the plot asks for columns that are not there, or there is nothing to draw.
pub fn plot(plot: &Plot, figure: &Figure, text: &str, axes: &[&str]) -> Result<String, PlotError> {
    let mut curves = Curves::new(plot, &figure.claims, &Data::parse(text, axes)?)?;
    if let Some(names) = &plot.legend {
        curves.rename(names)?;
    }
    let [log_across, log_up] = plot.log;
    let joined = curves.joined(plot);
    let mut chart = Chart {
        title: figure.title.clone().unwrap_or_else(|| made_title(&plot.labels)),
        subtitle: subtitle(figure, &curves.all),
        labels: plot.labels.clone(),
        across: curves.names.map_or(Across::Numbers { log: log_across }, Across::Names),
        log_up,
        curves: curves.all,
        joined,
        line: plot.line.clone(),
        least: plot.least,
    };
    if let Some(tick) = &plot.tick {
        in_units(&mut chart, tick);
    }
    Ok(chart.svg()?)
}

/// Which paper a picture is of, and what arrows in it are.
fn subtitle(figure: &Figure, curves: &[Curve]) -> String {
    let bounds = curves.iter().flat_map(|curve| &curve.points).any(|point| point.at_least);
    let arrows = if bounds { "arrows: at least so much" } else { "" };
    let parts = [figure.source.as_str(), arrows].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("; ")
}

/// What is to be seen between axes with these labels.
fn made_title([x, y]: &[String; 2]) -> String {
    let without_unit = |label: &str| label.split([',', ':']).next().unwrap_or_default().to_owned();
    let mut title = format!("{} over {}", without_unit(y), without_unit(x));
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    title
}

/// Writes axes of `chart` that are said to be in ticks, each as long as `tick`, in a unit of time.
fn in_units(chart: &mut Chart, tick: &Tick) {
    let [x_label, y_label] = &mut chart.labels;
    let points = || chart.curves.iter().flat_map(|curve| &curve.points);
    let is_in_ticks = |label: &str| label == "ticks" || label.ends_with(", ticks");
    let longest = |values: &mut dyn Iterator<Item = f64>| values.map(f64::abs).fold(0.0, f64::max);
    let along = matches!(chart.across, Across::Numbers { .. }) && is_in_ticks(x_label);
    let x = along.then(|| Clock::new(Some(tick), longest(&mut points().map(|point| point.x))));
    let y = is_in_ticks(y_label).then(|| Clock::new(Some(tick), longest(&mut points().map(|point| point.y))));
    for point in chart.curves.iter_mut().flat_map(|curve| &mut curve.points) {
        point.x *= x.map_or(1.0, |clock| clock.per_tick);
        point.y *= y.map_or(1.0, |clock| clock.per_tick);
        point.spread = point.spread.map(|spread| spread * y.map_or(1.0, |clock| clock.per_tick));
    }
    for (label, clock) in [(x_label, x), (y_label, y)] {
        if let Some(clock) = clock {
            label.truncate(label.len() - "ticks".len());
            label.push_str(clock.unit);
        }
    }
    if let Some(Clock { per_tick, .. }) = y {
        chart.least = chart.least.map(|least| least * per_tick);
        chart.line = chart.line.take().map(|(at, says)| (at * per_tick, says));
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Curves {
    /// In the order of the table; then those that are printed, in the order of the claims.
    all: Vec<Curve>,
    /// What is along the x axis, at 0, 1, ..., if not numbers.
    names: Option<Vec<String>>,
}

impl Curves {
    /// Those that `plot` draws of `data`, and those that `claims` draw.
    fn new(plot: &Plot, claims: &[Claim], data: &Data) -> Result<Self, PlotError> {
        let mut scopes = data.chosen(&plot.formulas(), plot.only.as_ref())?;
        // a row that has no value has no point, such as a latency where nothing arrived
        scopes.retain(|scope| plot.x.keys().into_iter().chain(plot.y.keys()).all(|key| scope.has(key)));
        let naming = naming(plot, &scopes);
        let (xs, mut names) = along(plot, &scopes)?;
        let mut all: Vec<Curve> = Vec::new();
        for (scope, x) in scopes.iter().zip(xs) {
            let spread = plot.spread.as_ref().filter(|spread| spread.keys().iter().all(|key| scope.has(key)));
            let spread = spread.map(|spread| spread.number(&scope.columns)).transpose()?;
            let name = naming.name(scope);
            let at_least = plot.least_while.as_ref().is_some_and(|column| scope.is_positive(column));
            let point = Point { x, y: plot.y.number(&scope.columns)?, spread, at_least };
            match all.iter_mut().find(|curve| curve.name == name) {
                Some(curve) => curve.points.push(point),
                None => all.push(Curve { name, points: vec![point], printed: false }),
            }
        }
        if all.is_empty() {
            return Err(ChartError::Empty.into());
        }
        for claim in claims {
            all.extend(printed(plot, claim, data, &mut names)?);
        }
        all.iter_mut().for_each(|curve| curve.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
        Ok(Self { all, names })
    }

    /// Calls the curves that are not printed by `names`, in order.
    fn rename(&mut self, names: &[String]) -> Result<(), PlotError> {
        let measured = || self.all.iter().filter(|curve| !curve.printed);
        if measured().count() != names.len() {
            let curves = measured().map(|curve| curve.name.clone()).collect();
            return Err(PlotError::Legend { given: names.len(), curves });
        }
        for (curve, name) in self.all.iter_mut().filter(|curve| !curve.printed).zip(names) {
            curve.name.clone_from(name);
        }
        Ok(())
    }

    /// Whether points are joined; names have no order, so nothing is between them.
    fn joined(&self, plot: &Plot) -> bool {
        plot.joined.unwrap_or(self.names.is_none())
    }
}

/// The values that `claim` prints and draws, where its rows are along the x axis; new names are added to `names`.
fn printed(
    plot: &Plot,
    claim: &Claim,
    data: &Data,
    names: &mut Option<Vec<String>>,
) -> Result<Option<Curve>, PlotError> {
    let (Some(name), Test::Values { printed, .. }) = (&claim.draw, &claim.test) else { return Ok(None) };
    let mut points = Vec::new();
    for (at, scope) in about(claim, data)?.iter().enumerate() {
        let x = match (plot.x.value(&scope.columns)?, &mut *names) {
            (Operand::Number(x), None) => x,
            (value, names) => place(value.in_words(), names.get_or_insert_default()),
        };
        if let Some(&Printed::Number(y)) = printed.get(at).or(printed.first()) {
            points.push(Point { x, y, spread: None, at_least: false });
        }
    }
    Ok(Some(Curve { name: name.clone(), points, printed: true }))
}

/// The place of `name` among `names`, at the end if it is new.
#[expect(clippy::cast_precision_loss, reason = "names are few")]
fn place(name: String, names: &mut Vec<String>) -> f64 {
    let known = names.iter().position(|known| *known == name);
    known.unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    }) as f64
}

/// Where each of `scopes` is along the x axis, and the names there if they are not all numbers.
fn along(plot: &Plot, scopes: &[Scope]) -> Result<(Vec<f64>, Option<Vec<String>>), PlotError> {
    let values: Vec<Operand> =
        scopes.iter().map(|scope| plot.x.value(&scope.columns)).collect::<Result<_, Diagnostic>>()?;
    let numbers: Option<Vec<f64>> =
        values.iter().map(|value| if let Operand::Number(x) = value { Some(*x) } else { None }).collect();
    if let Some(numbers) = numbers {
        return Ok((numbers, None));
    }
    if plot.log[0] {
        return Err(PlotError::LogOfNames);
    }
    if plot.joined == Some(true) {
        return Err(PlotError::LinesOfNames);
    }
    let mut names: Vec<String> = Vec::new();
    let places = values.iter().map(|value| place(value.in_words(), &mut names)).collect();
    Ok((places, Some(names)))
}

/// Curves are told apart by what `plot` says, or all that is not along the x axis.
fn naming(plot: &Plot, scopes: &[Scope]) -> Naming {
    let part_of = |column: &str, key: &str| column == key || column.starts_with(&format!("{key}."));
    let along = |key: &str| plot.x.keys().iter().any(|column| part_of(column, key));
    Naming::new(scopes, |key| match &plot.by {
        Some(by) => by.iter().any(|column| column.name == key),
        None => !along(key),
    })
}
