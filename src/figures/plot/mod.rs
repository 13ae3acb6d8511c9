//! Curves of a figure as SVG: axes with units, error bars, and a legend beside the data.
//!
//! Curves are told apart by their marks and dashes, not by colour alone. A y axis starts at zero unless all values are in
//! the upper part of what it would then show. The same table gives the same bytes.

mod axis;
mod curve;
mod mark;
mod text;

use super::data::Data;
use crate::config::Diagnostic;
use crate::draw::ink;
use crate::scenario::{Figure, Plot};
use axis::{Axis, TICK_FONT, Way};
use curve::{Curve, Curves, Point};
use mark::{Mark, line, stroke};
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use text::{lines, width};
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
    /// What is along a logarithmic axis is no number.
    #[error("what is along the x axis is no number, so the axis cannot be logarithmic")]
    LogOfNames,
    /// Lines are asked for between what is no number.
    #[error("what is along the x axis is no number, so nothing is between points that lines could show")]
    LinesOfNames,
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

/// Pixels of the data.
const DATA: (u32, u32) = (520, 320);
/// Pixels around everything.
const MARGIN: u32 = 10;
/// Pixels of fonts: the title, what is along the axes, names of curves.
const TITLE_FONT: u32 = 16;
const AXIS_FONT: u32 = 15;
const LEGEND_FONT: u32 = 14;
/// Pixels from one line of text to the next.
const LINE: u32 = 21;
/// Pixels below the data.
const BELOW: u32 = 48;
/// Pixels of a line in the legend, and of a mark alone.
const SAMPLES: [u32; 2] = [40, 12];
/// As many names fit in the legend.
const MOST_CURVES: usize = 16;

/// Draws `plot` of the summary `text` of `figure`, with the printed values that its claims draw; `axes` are the swept keys.
///
/// # Errors
/// If the plot asks for columns that are not there, or there is nothing to draw.
pub fn plot(plot: &Plot, figure: &Figure, text: &str, axes: &[&str]) -> Result<String, PlotError> {
    let curves = Curves::of(plot, &figure.claims, &Data::parse(text, axes)?)?;
    if curves.all.len() > MOST_CURVES {
        return Err(PlotError::Crowded(curves.all.len()));
    }
    let picture = Picture::of(plot, &figure.source, &curves)?;
    let mut svg = String::new();
    picture.draw(&mut svg)?;
    Ok(ink::dashed(svg))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Everything that is drawn, and where.
struct Picture<'a> {
    plot: &'a Plot,
    curves: &'a [Curve],
    joined: bool,
    title: Vec<String>,
    x: Axis,
    y: Axis,
    /// Pixels left of the data, right of it up to the legend, and of the legend.
    left: u32,
    right: u32,
    legend: u32,
}

impl<'a> Picture<'a> {
    fn of(plot: &'a Plot, title: &str, curves: &'a Curves) -> Result<Self, PlotError> {
        let points = || curves.all.iter().flat_map(|curve| &curve.points);
        let xs: Vec<f64> = points().map(|point| point.x).collect();
        let ys: Vec<f64> = points().flat_map(|point| [point.low(), point.high()]).collect();
        let x = match &curves.names {
            Some(names) => Some(Axis::of_names(names)),
            None => Axis::of_numbers(&xs, plot.log[0], Way::Across(DATA.0)),
        };
        let x = x.ok_or(PlotError::Empty)?;
        let y = Axis::of_numbers(&ys, plot.log[1], Way::Up(DATA.1)).ok_or(PlotError::Empty)?;
        let widest = |axis: &Axis| axis.ticks().iter().map(|tick| width(&tick.text, TICK_FONT)).max().unwrap_or(0);
        let left = widest(&y) + AXIS_FONT + 22;
        let right = MARGIN.max(widest(&x) / 2);
        let joined = curves.joined(plot);
        let names = curves.all.iter().map(|curve| width(&curve.name, LEGEND_FONT)).max().unwrap_or(0);
        let legend = if curves.all.len() > 1 { SAMPLES[usize::from(!joined)] + 22 + names } else { 0 };
        let title = lines(title, TITLE_FONT, DATA.0 + right + legend);
        Ok(Self { plot, curves: &curves.all, joined, title, x, y, left, right, legend })
    }

    fn top(&self) -> u32 {
        // as many lines as a title has fit in 32 bits
        LINE * u32::try_from(self.title.len()).unwrap_or(0) + 8
    }

    fn draw(&self, svg: &mut String) -> Result<(), PlotError> {
        let (across, up) = (MARGIN + self.left + DATA.0 + self.right, MARGIN + self.top() + DATA.1 + BELOW + MARGIN);
        let root = SVGBackend::with_string(svg, (across + self.legend, up)).into_drawing_area();
        root.fill(&WHITE)?;
        let at_data = signed(MARGIN + self.left);
        for (at, line) in (0..).zip(&self.title) {
            let place = (at_data, signed(MARGIN) + at * signed(LINE));
            root.draw(&Text::new(line.clone(), place, ("sans-serif", TITLE_FONT)))?;
        }
        let (data, legend) = root.split_horizontally(across);
        self.draw_data(&data)?;
        if self.legend > 0 {
            self.draw_legend(&legend)?;
        }
        Ok(root.present()?)
    }

    fn draw_data(&self, area: &Area<'_>) -> Result<(), PlotError> {
        let mut builder = ChartBuilder::on(area);
        builder.margin(MARGIN).margin_top(MARGIN + self.top()).margin_right(self.right);
        builder.x_label_area_size(BELOW).y_label_area_size(self.left);
        let mut chart = builder.build_cartesian_2d(self.x.clone(), self.y.clone())?;
        let [x_label, y_label] = &self.plot.labels;
        let (along, up) = (|value: &f64| self.x.says(*value), |value: &f64| self.y.says(*value));
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(x_label).y_desc(y_label).x_label_formatter(&along).y_label_formatter(&up);
        mesh.light_line_style(BLACK.mix(0.05)).bold_line_style(BLACK.mix(0.13));
        mesh.axis_desc_style(("sans-serif", AXIS_FONT)).label_style(("sans-serif", TICK_FONT)).draw()?;
        for (at, curve) in self.curves.iter().enumerate() {
            if self.joined && !curve.printed {
                let points = curve.points.iter().map(|point| (point.x, point.y));
                chart.draw_series(LineSeries::new(points, line(at)))?;
            }
            let style = stroke(at);
            for point in curve.points.iter().filter(|point| point.spread.is_some_and(|spread| spread > 0.0)) {
                let ends = [point.low(), point.high()].map(|y| (point.x, y));
                chart.draw_series([PathElement::new(ends, style)])?;
                let cap = |end| EmptyElement::at(end) + PathElement::new([(-3, 0), (3, 0)], style);
                chart.draw_series(ends.map(cap))?;
            }
        }
        // what is printed stands last among the curves, and behind all others
        for (at, curve) in self.curves.iter().enumerate().rev() {
            let points = curve.points.iter().map(|point| (point.x, point.y));
            chart.draw_series(points.map(|at_point| EmptyElement::at(at_point) + curve.mark(at)))?;
        }
        Ok(())
    }

    fn draw_legend(&self, area: &Area<'_>) -> Result<(), PlotError> {
        let sample = signed(SAMPLES[usize::from(!self.joined)]);
        for (at, curve) in self.curves.iter().enumerate() {
            let row = signed(LINE) * i32::try_from(at).unwrap_or(0);
            let y = signed(MARGIN + self.top()) + 8 + row;
            if self.joined && !curve.printed {
                area.draw(&PathElement::new([(8, y), (8 + sample, y)], line(at)))?;
            }
            area.draw(&(EmptyElement::at((8 + sample / 2, y)) + curve.mark(at)))?;
            area.draw(&Text::new(curve.name.clone(), (16 + sample, y - 7), ("sans-serif", LEGEND_FONT)))?;
        }
        Ok(())
    }
}

impl Curve {
    fn mark(&self, at: usize) -> Mark {
        if self.printed { Mark::Printed(at) } else { Mark::Measured(at) }
    }
}

impl Point {
    fn low(&self) -> f64 {
        self.y - self.spread.unwrap_or(0.0)
    }

    fn high(&self) -> f64 {
        self.y + self.spread.unwrap_or(0.0)
    }
}

/// Pixels of a picture, which are few, as coordinates.
fn signed(pixels: u32) -> i32 {
    i32::try_from(pixels).unwrap_or(i32::MAX)
}
