//! Curves of a figure as SVG: axes with units, error bars, and a legend beside the data.
//!
//! Curves are told apart by their marks and dashes, not by colour alone. The same table gives the same bytes.

use super::data::Data;
use crate::scenario::{Diagnostic, Plot};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::{DashedPathElement, Drawable, PointCollection};
use plotters::prelude::*;
use plotters_backend::DrawingErrorKind;
use thiserror::Error;

/// Why a plot cannot be drawn.
#[derive(Debug, Error)]
pub enum PlotError {
    /// The table is no CSV.
    #[error(transparent)]
    Table(#[from] csv::Error),
    /// The plot asks for what is not in the table.
    #[error("{}", .0.message)]
    Formula(Diagnostic),
    /// There is nothing to draw.
    #[error("the plot has no points")]
    Empty,
    /// The legend has no room for so many curves.
    #[error("a plot of {0} curves cannot be read: at most {MOST_CURVES}, which `only` chooses")]
    Crowded(usize),
    /// The library fails.
    #[error("the plot cannot be drawn: {0}")]
    Drawing(String),
}

impl From<Diagnostic> for PlotError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Formula(diagnostic)
    }
}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for PlotError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self::Drawing(error.to_string())
    }
}

/// Points by x, each with half the length of its error bar.
struct Curve {
    name: String,
    points: Vec<(f64, f64, Option<f64>)>,
}

/// Pixels of a plot.
const SIZE: (u32, u32) = (900, 500);
/// Of that for axes and data; the rest is the legend's.
const DATA_WIDTH: u32 = 600;
const MARK: i32 = 4;
/// As many names fit in the legend.
const MOST_CURVES: usize = 18;

/// Draws `plot` of the summary `text`, under `title`; `axes` are the swept keys.
///
/// # Errors
/// If the plot asks for columns that are not there, or there is nothing to draw.
pub fn plot(plot: &Plot, title: &str, text: &str, axes: &[&str]) -> Result<String, PlotError> {
    let curves = curves(plot, &Data::parse(text, axes)?)?;
    if curves.len() > MOST_CURVES {
        return Err(PlotError::Crowded(curves.len()));
    }
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let (data, legend) = root.split_horizontally(DATA_WIDTH);
        let xs: Vec<f64> = curves.iter().flat_map(|curve| curve.points.iter().map(|p| p.0)).collect();
        let ys = curves.iter().flat_map(|curve| &curve.points);
        let ys: Vec<f64> =
            ys.flat_map(|&(_, y, spread)| [y - spread.unwrap_or(0.0), y + spread.unwrap_or(0.0)]).collect();
        let (x, y) = (range(&xs, plot.log[0], false)?, range(&ys, plot.log[1], true)?);
        let chart = (&data, title, plot, curves.as_slice());
        match plot.log {
            [false, false] => draw(chart, x, y)?,
            [true, false] => draw(chart, x.log_scale(), y)?,
            [false, true] => draw(chart, x, y.log_scale())?,
            [true, true] => draw(chart, x.log_scale(), y.log_scale())?,
        }
        draw_legend(&legend, &curves)?;
        root.present()?;
    }
    Ok(svg)
}

/// A curve for each algorithm and setting, in the order of the table; settings that never change are not named.
fn curves(plot: &Plot, data: &Data) -> Result<Vec<Curve>, PlotError> {
    let formulas: Vec<_> =
        [Some(&plot.x), Some(&plot.y), plot.spread.as_ref(), plot.only.as_ref()].into_iter().flatten().collect();
    let mut scopes = Vec::new();
    for scope in data.scopes(&formulas) {
        if plot.only.as_ref().map_or(Ok(true), |only| only.holds(&scope.columns))? {
            scopes.push(scope);
        }
    }
    let along = |key: &str| plot.x.keys().iter().any(|column| *column == key || column.starts_with(&format!("{key}.")));
    let first = scopes.first().ok_or(PlotError::Empty)?.settings.clone();
    let varies = |at: usize| scopes.iter().any(|scope| scope.settings[at] != first[at]);
    let kept: Vec<usize> = (0..first.len()).filter(|&at| !along(&first[at].0) && varies(at)).collect();
    let mut curves: Vec<Curve> = Vec::new();
    for scope in &scopes {
        let mut named = scope.clone();
        named.settings = kept.iter().map(|&at| scope.settings[at].clone()).collect();
        let name = named.in_words();
        let spread = plot.spread.as_ref().filter(|spread| spread.keys().iter().all(|key| scope.has(key)));
        let spread = spread.map(|spread| spread.number(&scope.columns)).transpose()?;
        let point = (plot.x.number(&scope.columns)?, plot.y.number(&scope.columns)?, spread);
        match curves.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { name, points: vec![point] }),
        }
    }
    curves.iter_mut().for_each(|curve| curve.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    Ok(curves)
}

/// What an axis shows: a little more than the numbers take; from zero if `from_zero` and it is linear.
fn range(numbers: &[f64], log: bool, from_zero: bool) -> Result<std::ops::Range<f64>, PlotError> {
    let shown = || numbers.iter().copied().filter(|&number| number.is_finite() && (!log || number > 0.0));
    let (least, most) = (shown().fold(f64::INFINITY, f64::min), shown().fold(f64::NEG_INFINITY, f64::max));
    if least > most {
        return Err(PlotError::Empty);
    }
    if log {
        return Ok(least / 1.15..most * 1.15);
    }
    let low = if from_zero { least.min(0.0) } else { least };
    let margin = if most > low { 0.04 * (most - low) } else { 1.0 };
    Ok(if from_zero && least >= 0.0 { 0.0 } else { low - margin }..most + margin)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw<X, Y>((area, title, plot, curves): (&Area<'_>, &str, &Plot, &[Curve]), x: X, y: Y) -> Result<(), PlotError>
where
    X: AsRangedCoord<Value = f64>,
    Y: AsRangedCoord<Value = f64>,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let mut builder = ChartBuilder::on(area);
    builder.caption(title, ("sans-serif", 17)).margin(14).x_label_area_size(48).y_label_area_size(80);
    let mut chart = builder.build_cartesian_2d(x, y)?;
    let [x_label, y_label] = &plot.labels;
    let number = |value: &f64| tick(*value);
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(x_label).y_desc(y_label).x_label_formatter(&number).y_label_formatter(&number);
    mesh.x_labels(9).y_labels(9).light_line_style(TRANSPARENT).bold_line_style(BLACK.mix(0.12));
    mesh.axis_desc_style(("sans-serif", 15)).label_style(("sans-serif", 13)).draw()?;
    for (at, curve) in curves.iter().enumerate() {
        let (style, points) = (line(at), curve.points.iter().map(|&(x, y, _)| (x, y)));
        match DASHES[at % DASHES.len()] {
            None => drop(chart.draw_series(LineSeries::new(points.clone(), style))?),
            Some((dash, gap)) => drop(chart.draw_series(DashedLineSeries::new(points.clone(), dash, gap, style))?),
        }
        let bars = curve.points.iter().filter_map(|&(x, y, spread)| Some((x, y, spread.filter(|s| *s > 0.0)?)));
        let bar = |(x, y, spread)| ErrorBar::new_vertical(x, y - spread, y, y + spread, style.filled(), 7);
        chart.draw_series(bars.map(bar))?;
        chart.draw_series(points.map(|at_point| EmptyElement::at(at_point) + Mark(at)))?;
    }
    Ok(())
}

/// The mark of a curve, drawn around a point.
struct Mark(usize);

impl<'a> PointCollection<'a, (i32, i32)> for &'a Mark {
    type Point = (i32, i32);
    type IntoIter = std::iter::Once<(i32, i32)>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once((0, 0))
    }
}

impl<DB: DrawingBackend> Drawable<DB> for Mark {
    fn draw<I: Iterator<Item = (i32, i32)>>(
        &self,
        mut at: I,
        backend: &mut DB,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<DB::ErrorType>> {
        let Some((x, y)) = at.next() else { return Ok(()) };
        let colour = COLOURS[self.0 % COLOURS.len()];
        let corners = |offsets: &[(i32, i32)]| offsets.iter().map(|(dx, dy)| (x + dx, y + dy)).collect::<Vec<_>>();
        let (square, diamond) =
            ([(-MARK, -MARK), (MARK, -MARK), (MARK, MARK), (-MARK, MARK)], [(0, -6), (6, 0), (0, 6), (-6, 0)]);
        match self.0 % 6 {
            0 => backend.draw_circle((x, y), 4, &colour, true),
            1 => backend.fill_polygon(corners(&[(0, -5), (5, 4), (-5, 4)]), &colour),
            2 => backend.fill_polygon(corners(&square), &colour),
            3 => {
                backend.draw_circle((x, y), 4, &WHITE, true)?;
                backend.draw_circle((x, y), 4, &colour, false)
            }
            4 => backend.fill_polygon(corners(&diamond), &colour),
            _ => {
                backend.draw_line((x - 4, y - 4), (x + 4, y + 4), &colour)?;
                backend.draw_line((x - 4, y + 4), (x + 4, y - 4), &colour)
            }
        }
    }
}

/// Dark enough to be read in black and white.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 0, 0),
    RGBColor(0, 90, 160),
    RGBColor(190, 60, 0),
    RGBColor(0, 110, 80),
    RGBColor(130, 50, 120),
    RGBColor(90, 90, 90),
];

/// Lengths of dashes and gaps; none for a whole line.
const DASHES: [Option<(i32, i32)>; 4] = [None, Some((9, 5)), Some((3, 4)), Some((14, 4))];

fn line(at: usize) -> ShapeStyle {
    COLOURS[at % COLOURS.len()].stroke_width(1)
}

fn draw_legend(area: &Area<'_>, curves: &[Curve]) -> Result<(), PlotError> {
    for (at, curve) in curves.iter().enumerate() {
        let y = 50 + 24 * i32::try_from(at).unwrap_or(0);
        let (ends, style) = ([(4, y), (44, y)], line(at));
        match DASHES[at % DASHES.len()] {
            None => area.draw(&PathElement::new(ends.to_vec(), style))?,
            Some((dash, gap)) => area.draw(&DashedPathElement::new(ends, dash, gap, style))?,
        }
        area.draw(&(EmptyElement::at((24, y)) + Mark(at)))?;
        area.draw(&Text::new(curve.name.clone(), (52, y - 7), ("sans-serif", 14)))?;
    }
    Ok(())
}

/// A number at an axis.
fn tick(value: f64) -> String {
    let text = if value.abs() >= 1e6 { format!("{}M", value / 1e6) } else { format!("{value:.4}") };
    if text.contains('.') && !text.ends_with('M') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
