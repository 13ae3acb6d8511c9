//! Charts: curves between two axes, in one panel or several, as a tree of SVG elements.
//!
//! One model for `flitwise plot`, the page of a run, Python and `[figure]`. Curves differ in colour, dash and marker.
//! Colours are names of classes (`c0` to `c7`, `ink`, `muted`, `grid`, `axis`), which the picture or the page around it
//! gives a meaning. All panels have the same scales. The same chart gives the same elements. Independent of the source of
//! the points.

mod axis;
mod clip;
mod curve;
mod document;
mod dodge;
mod frame;
mod labels;
mod legend;
mod names;
mod notes;
mod scale;
mod style;
mod units;
mod view;

use crate::scenario::Label;
pub use document::Plots;
pub(crate) use document::style_rules;
use frame::Frame;
pub use scale::XAxis;
pub(in crate::draw) use scale::{are_powers_of_two, is_log_across, is_log_up};
use thiserror::Error;
pub use view::{Cut, Range, View};

/// Curves between axes.
///
/// ```
/// use flitwise::draw::chart::{XAxis, Chart, Curve, Panel, Point, Series};
/// use flitwise::scenario::Label;
///
/// let points = [(2.0, 30.0), (4.0, 50.0), (8.0, 65.0)].map(|(x, y)| Point::new(x, y));
/// let chart = Chart {
///     title: "Completion time against nodes".to_owned(),
///     labels: [Label::new("nodes", ""), Label::new("completion time", "ticks")],
///     x_axis: XAxis::Numbers { log: true },
///     series: vec![Series::measured("opt-tree")],
///     panels: vec![Panel { curves: vec![Curve { series: 0, points: points.to_vec() }], ..Panel::default() }],
///     ..Chart::default()
/// };
/// let svg = chart.svg()?;
/// assert!(svg.starts_with("<svg") && svg.contains("completion time (ticks)"));
/// # Ok::<(), flitwise::draw::chart::ChartError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Text above everything.
    pub title: String,
    /// Text below the title, a sentence each.
    pub notes: Vec<String>,
    /// Text along the x axis and along the y axis.
    pub labels: [Label; 2],
    /// Names of the columns along the axes, for programs that read the picture.
    pub columns: [String; 2],
    /// The kind of x axis.
    pub x_axis: XAxis,
    /// True if the y axis is logarithmic.
    pub log_up: bool,
    /// The series of all panels, in the order of their looks.
    pub series: Vec<Series>,
    /// The panels, which have the same scales.
    pub panels: Vec<Panel>,
    /// True if lines join the points of measured series.
    pub joined: bool,
    /// A line of reference along the y axis.
    pub line: Option<Reference>,
    /// A value that nothing along the y axis is below: error bars end there.
    pub least: Option<f64>,
    /// The part of the axes that is shown.
    pub view: View,
}

/// A line of reference at a height.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Its place along the y axis.
    pub height: f64,
    /// Its name in the legend.
    pub name: String,
}

/// Points with one name and one style in all panels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// Its name; empty if it is alone.
    pub name: String,
    /// The origin of its values.
    pub origin: Origin,
}

/// The origin of the values of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Results of a run: markers, joined by lines.
    Measured,
    /// The best of all results: a line without markers.
    Front,
    /// Values that a paper prints: short strokes around the markers of others, never joined.
    Printed,
}

impl Series {
    /// A series of results called `name`.
    pub fn measured(name: impl Into<String>) -> Self {
        Self { name: name.into(), origin: Origin::Measured }
    }

    /// A series called `name` that joins the best of all results.
    pub fn front(name: impl Into<String>) -> Self {
        Self { name: name.into(), origin: Origin::Front }
    }

    /// A series of printed values called `name`.
    pub fn printed(name: impl Into<String>) -> Self {
        Self { name: name.into(), origin: Origin::Printed }
    }
}

/// Curves that share a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Keys and values that distinguish it from other panels, a text each; empty if it is alone.
    pub settings: Vec<String>,
    /// The settings with whole keys, for programs that read the picture.
    pub name: String,
    /// Its curves, at most one for each series.
    pub curves: Vec<Curve>,
}

/// The points of a series in a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The index of the series.
    pub series: usize,
    /// The points, in the order in which they are joined.
    pub points: Vec<Point>,
}

/// A point of a curve, in the units of the axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its place along the x axis: a number, or the index of a category.
    pub x: f64,
    /// Its place along the y axis; `None` leaves a gap.
    pub y: Option<f64>,
    /// Half the length of its error bar.
    pub spread: Option<f64>,
    /// The relation of the true value to `y`.
    pub bound: Bound,
    /// Its values as its table has them.
    pub fields: Fields,
}

/// The relation of the true value to the drawn one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Equal.
    Exact,
    /// At least as large: an arrow goes up from the marker.
    Lower,
}

/// The values of a point as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Along the x axis.
    pub x: String,
    /// Along the y axis; empty if there is no value.
    pub y: String,
    /// Half the length of the error bar; empty if there is none.
    pub spread: String,
}

impl Point {
    /// An exact point without an error bar.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y: Some(y), spread: None, bound: Bound::Exact, fields: Fields::default() }
    }
}

/// An error that prevents a chart from being drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChartError {
    /// There is nothing to draw.
    #[error("the plot has no points")]
    Empty,
    /// No point is within the part of the axes that is shown.
    #[error("the plot has no points between the limits of its axes")]
    OutOfView,
    /// The curves are too many for a legend.
    #[error("a plot of {0} curves is not readable; the maximum is {MOST_CURVES}")]
    Crowded(usize),
}

/// The largest number of curves that a reader can distinguish.
pub(crate) const MOST_CURVES: usize = 16;

impl Chart {
    /// The panels, drawn.
    ///
    /// # Errors
    /// If no point has a place on the axes.
    pub fn plots(&self) -> Result<Plots, ChartError> {
        let mut chart = self.clone();
        if let XAxis::Names(_) = chart.x_axis {
            chart.panels.iter_mut().for_each(|panel| dodge::dodge(&mut panel.curves));
        }
        let frame = Frame::new(&chart)?;
        let panels = chart.panels.iter().map(|panel| frame.draw(panel)).collect();
        let size = [frame.width(), frame.height()];
        Ok(Plots { title: chart.title.clone(), notes: chart.all_notes(), panels, width: size[0], height: size[1] })
    }

    /// The whole picture as an SVG file.
    ///
    /// # Errors
    /// As [`plots`](Self::plots).
    pub fn svg(&self) -> Result<String, ChartError> {
        Ok(self.plots()?.document())
    }

    /// The points of all panels.
    pub(in crate::draw) fn points(&self) -> impl Iterator<Item = &Point> {
        self.panels.iter().flat_map(|panel| &panel.curves).flat_map(|curve| &curve.points)
    }

    fn points_mut(&mut self) -> impl Iterator<Item = &mut Point> {
        let curves = self.panels.iter_mut().flat_map(|panel| &mut panel.curves);
        curves.flat_map(|curve| &mut curve.points)
    }

    /// True if no point has a value.
    pub(in crate::draw) fn is_empty(&self) -> bool {
        self.points().all(|point| point.y.is_none())
    }

    /// The points with a value that the view shows.
    fn shown(&self) -> impl Iterator<Item = &Point> {
        self.points().filter(|point| point.y.is_some_and(|y| self.view.contains(point.x, y)))
    }

    /// True if the points of a series are joined by lines: nothing is between categories.
    fn joins(&self, series: usize) -> bool {
        match self.series[series].origin {
            Origin::Measured => self.joined,
            Origin::Front => true,
            Origin::Printed => false,
        }
    }

    /// True if names of series are written at the curves. Categories along the x axis are not written twice.
    fn has_legend(&self) -> bool {
        let named = self.series.iter().any(|series| !series.name.is_empty());
        self.line.is_some() || (named && !self.series_are_categories())
    }

    fn series_are_categories(&self) -> bool {
        let XAxis::Names(names) = &self.x_axis else { return false };
        self.series.iter().all(|series| names.contains(&series.name))
    }
}
