//! Plots of curves as SVG: axes with units, error bars, and a legend beside the data.
//!
//! Curves are told apart by their marks and dashes, not by colour alone. A y axis starts at zero unless all values are
//! in the upper part of what it would then show. The same chart gives the same bytes. A plot refuses to know where its
//! points come from.

mod dodge;
mod frame;
mod legend;
mod mark;

use super::canvas::{Canvas, Caption, Lettering, Spot};
use super::ink::Rgb;
use super::text::{Side, lines};
use super::chart::axis::{Axis, Direction};
use frame::{DATA_HEIGHT, DATA_WIDTH, Frame};
use legend::Legend;
pub(crate) use legend::MOST_CURVES;
use thiserror::Error;

/// What a plot shows, as data.
///
/// ```
/// use flitwise::draw::plot::{Across, Chart, Curve, Point};
///
/// let points = [(2.0, 30.0), (4.0, 50.0), (8.0, 65.0)].map(|(x, y)| Point { x, y, spread: None, at_least: false });
/// let curve = Curve { name: "opt-tree".to_owned(), points: points.to_vec(), printed: false };
/// let chart = Chart {
///     title: "Completion of a multicast".to_owned(),
///     subtitle: "measured on a mesh".to_owned(),
///     labels: ["nodes".to_owned(), "ticks".to_owned()],
///     across: Across::Numbers { log: true },
///     log_up: false,
///     curves: vec![curve],
///     joined: true,
///     line: None,
///     least: Some(0.0),
/// };
/// let svg = chart.svg()?;
/// assert!(svg.starts_with("<svg") && svg.contains("Completion of a multicast"));
/// # Ok::<(), flitwise::draw::plot::ChartError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Stands above the data, in as many lines as it takes.
    pub title: String,
    /// Stands below it in smaller letters; nothing if it is empty.
    pub subtitle: String,
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
    /// A line of reference along the y axis, and what it is.
    pub line: Option<(f64, String)>,
    /// What no value along the y axis is below: error bars end there.
    pub least: Option<f64>,
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
    /// Whether a paper prints them: such points have thin hollow marks behind those of others, and no line.
    pub printed: bool,
}

/// A point of a curve, in the units of the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where it is along the x axis: a number, or the index of a name.
    pub x: f64,
    /// Where it is along the y axis.
    pub y: f64,
    /// Half the length of its error bar, before it is cut.
    pub spread: Option<f64>,
    /// Whether the value is at least `y` rather than `y`: drawn as an arrow.
    pub at_least: bool,
}

/// Why a chart cannot be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChartError {
    /// There is nothing to draw.
    #[error("the plot has no points")]
    Empty,
    /// The legend has no room for so many curves.
    #[error("a plot of {0} curves cannot be read: at most {MOST_CURVES}")]
    Crowded(usize),
}

/// Pixels of letters: the title, what is below it, what is along the axes.
const TITLE_FONT: i32 = 14;
const SUBTITLE_FONT: i32 = 11;
const AXIS_FONT: i32 = 12;
/// Pixels around everything.
const MARGIN: i32 = 10;
/// Pixels from one line of text to the next.
const LINE: i32 = 21;
const SUBLINE: i32 = 16;
/// Of what is below the title.
const FAINT: Rgb = Rgb(90, 90, 90);

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
        let ends = points.flat_map(|point| [self.low(point), point.high()]);
        let ys: Vec<f64> = ends.chain(self.line.as_ref().map(|line| line.0)).collect();
        Axis::from_numbers(&ys, self.log_up, Direction::Up(DATA_HEIGHT))
    }

    /// Where the error bar of `point` begins.
    fn low(&self, point: &Point) -> f64 {
        let low = point.y - point.spread.unwrap_or(0.0);
        // a point that is there all the same keeps its place
        self.least.map_or(low, |least| low.max(least.min(point.y)))
    }

    fn caption(&self) -> Caption {
        let [x, y] = &self.labels;
        let names: Vec<&str> = self.curves.iter().map(|curve| curve.name.as_str()).collect();
        let curves = if names.len() > 1 { format!(": {}", names.join("; ")) } else { String::new() };
        let description = format!("{y}, over {x}{curves}.");
        Caption { title: self.title.clone(), subtitle: self.subtitle.clone(), description }
    }
}

/// A chart with its curves and its words at their places.
struct Picture<'a> {
    chart: &'a Chart,
    title: Vec<String>,
    subtitle: Vec<String>,
    frame: Frame<'a>,
    legend: Option<Legend<'a>>,
    width: i32,
    height: i32,
}

impl<'a> Picture<'a> {
    fn new(chart: &'a Chart, curves: &'a [Curve]) -> Result<Self, ChartError> {
        let x = chart.x_axis(curves).ok_or(ChartError::Empty)?;
        let y = chart.y_axis(curves).ok_or(ChartError::Empty)?;
        let mut frame = Frame { x, y, chart, curves, left: 0, top: 0 };
        frame.left = MARGIN + frame.room_left();
        let across = frame.left + DATA_WIDTH + frame.room_right();
        let mut legend =
            Legend { curves, joined: chart.joined, line: chart.line.as_ref(), place: Spot { x: 0.0, y: 0.0 } };
        let has_legend = legend.rows() > 1;
        let legend_width = if has_legend { legend.width() } else { 0 };
        let widest = across + legend_width - frame.left - MARGIN;
        let title = lines(&chart.title, TITLE_FONT, widest);
        let subtitle =
            if chart.subtitle.is_empty() { Vec::new() } else { lines(&chart.subtitle, SUBTITLE_FONT, widest) };
        let words = title.iter().map(|_| LINE).sum::<i32>() + subtitle.iter().map(|_| SUBLINE).sum::<i32>();
        frame.top = MARGIN + words + 8;
        legend.place = Spot { x: f64::from(across), y: f64::from(frame.top) };
        let below = if has_legend { legend.height() } else { 0 };
        let height = frame.top + below.max(DATA_HEIGHT + frame.room_below()) + MARGIN;
        let legend = has_legend.then_some(legend);
        Ok(Self { chart, title, subtitle, frame, legend, width: across + legend_width, height })
    }

    fn paint(&self) -> String {
        let mut canvas = Canvas::new(self.width, self.height, &self.chart.caption());
        let mut at = Spot { x: f64::from(self.frame.left), y: f64::from(MARGIN + LINE / 2) };
        let large = Lettering { size: TITLE_FONT, side: Side::Left, colour: Rgb::BLACK };
        for line in &self.title {
            canvas.text(at, large, line);
            at = at.moved(0.0, f64::from(LINE));
        }
        let small = Lettering { size: SUBTITLE_FONT, side: Side::Left, colour: FAINT };
        for line in &self.subtitle {
            canvas.text(at, small, line);
            at = at.moved(0.0, f64::from(SUBLINE));
        }
        self.frame.paint(&mut canvas);
        if let Some(legend) = &self.legend {
            legend.paint(&mut canvas);
        }
        canvas.into_svg()
    }
}

impl Point {
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
            points: vec![Point { x: 1.0, y, spread: Some(0.5), at_least: false }],
            printed: false,
        };
        Chart {
            title: "a title".to_owned(),
            subtitle: String::new(),
            labels: ["across".to_owned(), "up".to_owned()],
            across: Across::Numbers { log: false },
            log_up: true,
            curves: (0..curves).map(curve).collect(),
            joined: true,
            line: None,
            least: None,
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
        let legend = picture.legend.as_ref().unwrap();
        let end = legend.place.moved(f64::from(legend.width()), f64::from(LINE) * 16.0);
        assert!(end.y <= f64::from(picture.height), "{end:?} of {}", picture.height);
        assert!(end.x <= f64::from(picture.width), "{end:?} of {}", picture.width);
    }

    /// An error bar ends where nothing can be, and a line of reference is within the axis.
    #[test]
    fn bars_are_cut_and_lines_of_reference_are_seen() {
        let mut chart = chart(1, 2.0);
        chart.least = Some(1.9);
        let point = chart.curves[0].points[0];
        assert_eq!((chart.low(&point), point.high()), (1.9, 2.5));
        chart.log_up = false;
        chart.line = Some((7.0, "seven".to_owned()));
        let axis = chart.y_axis(&chart.curves).unwrap();
        assert!(axis.place(7.0) < 1.0, "{axis:?}");
        assert!(chart.svg().unwrap().contains(">\nseven\n"), "a line has a legend, though there is one curve");
    }

    /// Names along the x axis that are too long to stand beside each other are broken, or else go up.
    #[test]
    fn long_names_do_not_overlap() {
        let with = |names: &[&str]| {
            let mut chart = chart(1, 2.0);
            chart.across = Across::Names(names.iter().map(|name| (*name).to_owned()).collect());
            chart.svg().unwrap()
        };
        let turned = |svg: &str| svg.matches("rotate(-40").count();
        let broken = with(&["double-hop-bidirectional", "split-and-merge", "a", "b", "c"]);
        assert_eq!((turned(&broken), broken.contains(">\nbidirectional\n")), (0, true), "{broken}");
        assert_eq!(turned(&with(&["modified-double-hop-bidirectional"; 12])), 12);
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
