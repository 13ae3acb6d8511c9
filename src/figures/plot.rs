//! The plot of a figure: which curves of its table and of its claims stand between which axes; refuses to know how they
//! are drawn.

use super::data::{Data, Scope};
use super::naming::Naming;
use super::verdict::about;
use crate::config::{Condition, Diagnostic, Operand};
use crate::draw::chart::{
    Bound, Chart, ChartError, Curve, Fields, MOST_CURVES, Origin, Panel, Point, Range, Reference, Series, View, XAxis,
};
use crate::draw::text::significant;
use crate::kind::words::counted;
use crate::output::dominates;
use crate::scenario::{Claim, Figure, Joining, Plot, Printed, Scenario, Test, dimensions, title_of};
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
    #[error("the values along the x axis are not numbers, so the axis cannot be logarithmic")]
    LogOfNames,
    /// The legend has too few or too many names.
    #[error("`legend` has {} for {}: {}", counted(*given as u64, "name"), counted(curves.len() as u64, "curve"), curves.join("; "))]
    Legend {
        /// How many names it has.
        given: usize,
        /// What tells the curves apart.
        curves: Vec<String>,
    },
    /// Lines are asked for between what is not a number.
    #[error("the values along the x axis are not numbers, so lines between points have no meaning")]
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
                Ok(wrong
                    .hint("`by` selects the columns that distinguish curves, `filter` selects the rows that are drawn"))
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
    wrong.map_or(Ok(()), |wrong| Err(wrong.note(format!("curves are distinguished by {}", by.join(", ")))))
}

/// The rows of the summary of `scenario` that meet `filter`, with ones in place of numbers, or `None` if they
/// are not known before the run.
pub(super) fn rehearsed(
    formulas: &[&Condition],
    only: Option<&Condition>,
    scenario: &Scenario,
) -> Result<Option<Vec<Scope>>, Diagnostic> {
    let is_known = |key: &str| key == "algorithm" || scenario.axes.iter().any(|axis| key.starts_with(&axis.column));
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
    let data = Data::parse(text, axes)?;
    let mut curves = Curves::new(plot, &figure.claims, &data)?;
    if let Some(names) = &plot.legend {
        curves.rename(names)?;
    }
    if curves.series.len() > MOST_CURVES {
        return Err(ChartError::Crowded(curves.series.len()).into());
    }
    let mut chart = curves.chart(plot, figure);
    if chart.view == View::default() && !plot.log[1] && chart.joined {
        chart.cut_latency(zero_loads(plot, &data)?.into_iter());
    }
    chart.convert_ticks(&plot.ticks);
    chart.convert_energies();
    let [x, y] = plot.limits.map(|[least, most]| Range { least, most });
    chart.look_at(View { x, y, cut: None });
    Ok(chart.svg()?)
}

/// The zero-load latencies of the rows that are drawn, if a latency that diverges at saturation is along the y axis.
fn zero_loads(plot: &Plot, data: &Data) -> Result<Vec<f64>, PlotError> {
    if !plot.y.key().is_some_and(|column| ["latency_mean", "network_latency_mean"].contains(&column)) {
        return Ok(Vec::new());
    }
    let scopes = data.chosen(&plot.formulas(), plot.only.as_ref())?;
    Ok(scopes.iter().filter_map(|scope| scope.number("unloaded_mean")).collect())
}

#[derive(Clone, Debug, PartialEq)]
struct Curves {
    /// In the order of the table; then those that are printed, in the order of the claims.
    series: Vec<Series>,
    /// The points of each series.
    points: Vec<Vec<Point>>,
    /// The categories along the x axis, at 0, 1, ..., if not numbers.
    names: Option<Vec<String>>,
}

impl Curves {
    /// Those that `plot` draws of `data`, and those that `claims` draw.
    fn new(plot: &Plot, claims: &[Claim], data: &Data) -> Result<Self, PlotError> {
        let mut scopes = data.chosen(&plot.formulas(), plot.only.as_ref())?;
        // a row that has no value has no point, such as a latency where nothing arrived
        scopes.retain(|scope| plot.x.keys().into_iter().chain(plot.y.keys()).all(|key| scope.has(key)));
        let naming = naming(plot, &scopes);
        let (xs, names) = along(plot, &scopes)?;
        let mut curves = Self { series: Vec::new(), points: Vec::new(), names };
        for (scope, x) in scopes.iter().zip(xs) {
            let point = point(plot, scope, x)?;
            curves.insert(naming.name(scope), point);
        }
        if curves.series.is_empty() {
            return Err(ChartError::Empty.into());
        }
        if plot.joining == Joining::Front {
            curves.add_front();
        }
        for claim in claims {
            if let Some((series, points)) = printed(plot, claim, data, &mut curves.names)? {
                curves.series.push(series);
                curves.points.push(points);
            }
        }
        // a measure may fall while a swept key rises: its points are joined in the order of the table
        if !plot.x.key().is_some_and(|column| column.ends_with("_mean")) {
            curves.points.iter_mut().for_each(|points| points.sort_by(|a, b| a.x.total_cmp(&b.x)));
        }
        curves.describe();
        Ok(curves)
    }

    /// Adds the front of the points that no other dominates.
    fn add_front(&mut self) {
        let costs = |point: &Point| Some([point.x, point.y?]);
        let all: Vec<[f64; 2]> = self.points.iter().flatten().filter_map(costs).collect();
        let is_dominated = |own: [f64; 2]| all.iter().any(|&other| dominates(other, own));
        let front = self.points.iter().flatten().filter(|point| costs(point).is_some_and(|own| !is_dominated(own)));
        let mut front: Vec<Point> = front.cloned().collect();
        front.sort_by(|a, b| a.x.total_cmp(&b.x).then(b.y.unwrap_or_default().total_cmp(&a.y.unwrap_or_default())));
        self.series.push(Series::front("Pareto front"));
        self.points.push(front);
    }

    fn insert(&mut self, name: String, point: Point) {
        match self.series.iter().position(|series| series.name == name) {
            Some(at) => self.points[at].push(point),
            None => {
                self.series.push(Series::measured(name));
                self.points.push(vec![point]);
            }
        }
    }

    /// Writes the values of points as text.
    fn describe(&mut self) {
        let names = self.names.as_ref();
        for point in self.points.iter_mut().flatten() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the index of a category")]
            let x = names.map_or_else(|| significant(point.x), |names| names[point.x as usize].clone());
            let [y, spread] = [point.y, point.spread].map(|value| value.map_or_else(String::new, significant));
            point.fields = Fields { x, y, spread };
        }
    }

    /// Calls the curves that are not printed by `names`, in order.
    fn rename(&mut self, names: &[String]) -> Result<(), PlotError> {
        let measured = self.series.iter().filter(|series| series.origin == Origin::Measured).count();
        if measured != names.len() {
            let curves = self.series[..measured].iter().map(|series| series.name.clone()).collect();
            return Err(PlotError::Legend { given: names.len(), curves });
        }
        for (series, name) in self.series.iter_mut().zip(names) {
            series.name.clone_from(name);
        }
        Ok(())
    }

    /// The chart of `plot`, without a cut or limits.
    fn chart(self, plot: &Plot, figure: &Figure) -> Chart {
        let [log_across, log_up] = plot.log;
        let columns = [&plot.x, &plot.y].map(|formula| formula.key().unwrap_or_default().to_owned());
        let curves = self.points.into_iter().enumerate().map(|(series, points)| Curve { series, points });
        Chart {
            title: figure.title.clone().unwrap_or_else(|| title_of(&plot.labels)),
            notes: Some(figure.source.clone()).into_iter().filter(|source| !source.is_empty()).collect(),
            labels: plot.labels.clone(),
            columns,
            // categories have no order, so nothing is between them
            joined: match plot.joining {
                Joining::Numbers => self.names.is_none(),
                Joining::Curves => true,
                Joining::Nothing | Joining::Front => false,
            },
            x_axis: self.names.map_or(XAxis::Numbers { log: log_across }, XAxis::Names),
            log_up,
            series: self.series,
            panels: vec![Panel { curves: curves.collect(), ..Panel::default() }],
            line: plot.line.clone().map(|(at, name)| Reference { height: at, name }),
            least: plot.least,
            view: View::default(),
        }
    }
}

/// The point of a row at `x`.
fn point(plot: &Plot, scope: &Scope, x: f64) -> Result<Point, PlotError> {
    let spread = plot.spread.as_ref().filter(|spread| spread.keys().iter().all(|key| scope.has(key)));
    let spread = spread.map(|spread| spread.number(&scope.columns)).transpose()?;
    let is_bound =
        plot.least_while.as_ref().is_some_and(|column| scope.number(column).is_some_and(|value| value > 0.0));
    let bound = if is_bound { Bound::Lower } else { Bound::Exact };
    Ok(Point { spread, bound, ..Point::new(x, plot.y.number(&scope.columns)?) })
}

/// The values that `claim` prints and draws, where its rows are along the x axis; new names are added to `names`.
fn printed(
    plot: &Plot,
    claim: &Claim,
    data: &Data,
    names: &mut Option<Vec<String>>,
) -> Result<Option<(Series, Vec<Point>)>, PlotError> {
    let (Some(name), Test::Values { printed, .. }) = (&claim.draw, &claim.test) else { return Ok(None) };
    let mut points = Vec::new();
    for (at, scope) in about(claim, data)?.iter().enumerate() {
        let x = match (plot.x.value(&scope.columns)?, &mut *names) {
            (Operand::Number(x), None) => x,
            (value, names) => place(dimensions(&value.in_words()), names.get_or_insert_default()),
        };
        if let Some(&Printed::Number(y)) = printed.get(at).or(printed.first()) {
            points.push(Point::new(x, y));
        }
    }
    Ok(Some((Series::printed(name), points)))
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
    if matches!(plot.joining, Joining::Curves | Joining::Front) {
        return Err(PlotError::LinesOfNames);
    }
    let mut names: Vec<String> = Vec::new();
    let places = values.iter().map(|value| place(dimensions(&value.in_words()), &mut names)).collect();
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
