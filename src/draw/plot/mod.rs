//! Plots of curves as SVG: axes with units, error bars, and a legend beside the data.
//!
//! Curves are told apart by their marks and dashes, not by colour alone. A y axis starts at zero unless all values are
//! in the upper part of what it would then show. The same chart gives the same bytes. A plot refuses to know where its
//! points come from.

mod axis;
mod dodge;
mod frame;
mod legend;
mod mark;

use super::canvas::{Canvas, Caption, Lettering, Spot};
use super::ink::Rgb;
use super::text::{Side, lines};
use axis::{Axis, Direction};
use frame::{DATA_HEIGHT, DATA_WIDTH, Frame};
use legend::Legend;
pub(crate) use legend::MOST_CURVES;
use thiserror::Error;

/// What a plot shows, as data.
///
/// ```
/// use flitwise::draw::plot::{Across, Chart, Curve, Point};
///
/// let points = [(2.0, 30.0), (4.0, 50.0), (8.0, 65.0)].map(|(x, y)| Point { x, y, spread: None });
/// let curve = Curve { name: "opt-tree".to_owned(), points: points.to_vec(), printed: false };
/// let chart = Chart {
///     title: "Completion of a multicast".to_owned(),
///     labels: ["nodes".to_owned(), "ticks".to_owned()],
///     across: Across::Numbers { log: true },
///     log_up: false,
///     curves: vec![curve],
///     joined: true,
/// };
/// let svg = chart.svg()?;
/// assert!(svg.starts_with("<svg") && svg.contains("Completion of a multicast"));
/// # Ok::<(), flitwise::draw::plot::ChartError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Stands above the data, in as many lines as it takes.
    pub title: String,
    /// What is along the x axis and along the y axis, with units.
    pub labels: [String; 2],
    /// What is along the x axis.
    pub across: Across,
    /// Whether the y axis is logarithmic.
    pub log_up: bool,
    /// At most 16; the first is drawn above the others.
    pub curves: Vec<Curve>,
    /// Whether lines join the points of a curve that is not printed.
    pub joined: bool,
}

/// What is along the x axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Across {
    /// Numbers.
    Numbers {
        /// Whether the axis is logarithmic.
        log: bool,
    },
    /// Names, from left to right: x is the index of one. Curves with points at one name are drawn beside each other.
    Names(Vec<String>),
}

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What tells it from the others; empty if it is alone.
    pub name: String,
    /// From left to right.
    pub points: Vec<Point>,
    /// Whether a paper prints them: such points have large marks and no line.
    pub printed: bool,
}

/// A point of a curve, in the units of the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where it is along the x axis: a number, or the index of a name.
    pub x: f64,
    /// Where it is along the y axis.
    pub y: f64,
    /// Half the length of its error bar.
    pub spread: Option<f64>,
}

/// Why a chart cannot be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ChartError {
    /// There is nothing to draw.
    #[error("the plot has no points")]
    Empty,
    /// The legend has no room for so many curves.
    #[error("a plot of {0} curves cannot be read: at most {MOST_CURVES}")]
    Crowded(usize),
}

/// Pixels of letters: the title, what is along the axes.
const TITLE_FONT: i32 = 14;
const AXIS_FONT: i32 = 12;
/// Pixels around everything.
const MARGIN: i32 = 10;
/// Pixels from one line of text to the next.
const LINE: i32 = 21;

impl Chart {
    /// The picture of it.
    ///
    /// # Errors
    /// If there is no finite point, or none that a logarithmic axis has room for; or too many curves.
    pub fn svg(&self) -> Result<String, ChartError> {
        if self.curves.len() > MOST_CURVES {
            return Err(ChartError::Crowded(self.curves.len()));
        }
        let mut curves = self.curves.clone();
        if let Across::Names(_) = self.across {
            dodge::dodge(&mut curves);
        }
        Ok(Picture::new(self, &curves)?.paint())
    }

    fn x_axis(&self, curves: &[Curve]) -> Option<Axis> {
        let xs = curves.iter().flat_map(|curve| &curve.points).map(|point| point.x);
        match &self.across {
            Across::Names(names) => Some(Axis::from_names(names)),
            Across::Numbers { log } => Axis::from_numbers(&xs.collect::<Vec<_>>(), *log, Direction::Across(DATA_WIDTH)),
        }
    }

    /// The y axis, over the points of `curves` and their error bars.
    fn y_axis(&self, curves: &[Curve]) -> Option<Axis> {
        let points = curves.iter().flat_map(|curve| &curve.points);
        let ys: Vec<f64> = points.flat_map(|point| [point.low(), point.high()]).collect();
        Axis::from_numbers(&ys, self.log_up, Direction::Up(DATA_HEIGHT))
    }

    fn caption(&self) -> Caption {
        let [x, y] = &self.labels;
        let names: Vec<&str> = self.curves.iter().map(|curve| curve.name.as_str()).collect();
        let curves = if names.len() > 1 { format!(": {}", names.join("; ")) } else { String::new() };
        Caption { title: self.title.clone(), description: format!("{y}, over {x}{curves}.") }
    }
}

/// A chart with its curves and its words at their places.
struct Picture<'a> {
    chart: &'a Chart,
    title: Vec<String>,
    frame: Frame<'a>,
    legend: Option<Legend<'a>>,
    width: i32,
    height: i32,
}

impl<'a> Picture<'a> {
    fn new(chart: &'a Chart, curves: &'a [Curve]) -> Result<Self, ChartError> {
        let x = chart.x_axis(curves).ok_or(ChartError::Empty)?;
        let y = chart.y_axis(curves).ok_or(ChartError::Empty)?;
        let mut frame = Frame { x, y, curves, joined: chart.joined, left: 0, top: 0 };
        frame.left = MARGIN + frame.room_left();
        let across = frame.left + DATA_WIDTH + frame.room_right();
        let legend_width = if curves.len() > 1 { Legend::width(curves, chart.joined) } else { 0 };
        let title = lines(&chart.title, TITLE_FONT, across + legend_width - frame.left - MARGIN);
        frame.top = MARGIN + title.iter().map(|_| LINE).sum::<i32>() + 8;
        let place = Spot { x: f64::from(across), y: f64::from(frame.top) };
        let legend = (curves.len() > 1).then_some(Legend { curves, joined: chart.joined, place });
        let below = curves.iter().map(|_| LINE).sum::<i32>().max(DATA_HEIGHT + frame::ROOM_BELOW);
        let height = frame.top + below + MARGIN;
        Ok(Self { chart, title, frame, legend, width: across + legend_width, height })
    }

    fn paint(&self) -> String {
        let mut canvas = Canvas::new(self.width, self.height, &self.chart.caption());
        let lettering = Lettering { size: TITLE_FONT, side: Side::Left, colour: Rgb::BLACK };
        let mut at = Spot { x: f64::from(self.frame.left), y: f64::from(MARGIN + LINE / 2) };
        for line in &self.title {
            canvas.text(at, lettering, line);
            at = at.moved(0.0, f64::from(LINE));
        }
        self.frame.paint(&mut canvas, &self.chart.labels);
        if let Some(legend) = &self.legend {
            legend.paint(&mut canvas);
        }
        canvas.into_svg()
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn chart(curves: usize, y: f64) -> Chart {
        let curve = |number: usize| Curve {
            name: format!("curve {number}"),
            points: vec![Point { x: 1.0, y, spread: Some(0.5) }],
            printed: false,
        };
        Chart {
            title: "a title".to_owned(),
            labels: ["across".to_owned(), "up".to_owned()],
            across: Across::Numbers { log: false },
            log_up: true,
            curves: (0..curves).map(curve).collect(),
            joined: true,
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        assert_eq!(chart(17, 2.0).svg(), Err(ChartError::Crowded(17)));
        assert_eq!(chart(0, 2.0).svg(), Err(ChartError::Empty));
        assert_eq!(chart(1, -2.0).svg(), Err(ChartError::Empty));
    }

    /// The last row of the longest legend is above the lower edge, and the widest name ends before the right one.
    #[test]
    fn a_picture_has_room_for_its_legend() {
        let curves = chart(MOST_CURVES, 2.0);
        let picture = Picture::new(&curves, &curves.curves).unwrap();
        let legend = picture.legend.as_ref().map(|legend| legend.place);
        let end = legend.map(|place| place.moved(0.0, f64::from(LINE) * 16.0));
        assert!(end.is_some_and(|end| end.y <= f64::from(picture.height)), "{end:?} of {}", picture.height);
        let wide = legend.map(|place| place.x + f64::from(Legend::width(&curves.curves, true)));
        assert!(wide.is_some_and(|wide| wide <= f64::from(picture.width)), "{wide:?} of {}", picture.width);
    }

    /// The same chart gives the same bytes, and curves alone have no legend.
    #[test]
    fn names_are_listed_beside_the_data() {
        let svg = chart(2, 2.0).svg();
        assert_eq!(svg, chart(2, 2.0).svg());
        let words = |svg: &str| svg.matches(">\ncurve ").count();
        assert_eq!(svg.map(|svg| words(&svg)), Ok(2));
        assert_eq!(chart(1, 2.0).svg().map(|svg| words(&svg)), Ok(0));
    }
}
