//! A panel: its frame with a grid, ticks and words, and curves in it, all at their places.

use super::axis::{Axis, Direction, Scale, size};
use super::clip::Window;
use super::curve::Drawn;
use super::labels::{self, FONT, TICK_FONT, TextStyle};
use super::legend::{self, NAME_HEIGHT};
use super::{Bound, Chart, ChartError, Origin, Panel, Point, XAxis};
use crate::draw::canvas::{Spot, decimal};
use crate::draw::markup::{Element, NAMESPACE};
use crate::draw::sheet::nth;
use crate::draw::text::{Side, balanced, lines, shortened, significant, width};
use crate::scenario::Label;

/// Pixels of the data in a single panel, and in one of several.
const ALONE: [i32; 2] = [460, 290];
const ONE_OF_MANY: [i32; 2] = [320, 210];
/// Pixels that a category along the x axis takes, and the points of a curve there.
const NAME: i32 = 18;
const POINT: i32 = 9;
/// Pixels around everything, of a tick, from one line of text to the next.
const MARGIN: i32 = 8;
const TICK: f64 = 4.0;
const LINE: i32 = 15;
/// The multiple of the largest value up to which an axis has room for error bars. They are cut above.
const BAR: f64 = 1.6;
/// The room that an arrow needs above its point, as a part of the axis.
const ARROW: f64 = 0.07;

/// The frame that all panels have.
pub(super) struct Frame<'a> {
    pub(super) chart: &'a Chart,
    x: Axis,
    y: Axis,
    /// Text below the x axis.
    below: labels::Names,
    /// Lines above the data.
    title_lines: usize,
    /// Pixels of the data, and its upper left corner.
    data: [i32; 2],
    left: i32,
    top: i32,
}

impl<'a> Frame<'a> {
    /// The frame of all panels of `chart`.
    pub(super) fn new(chart: &'a Chart) -> Result<Self, ChartError> {
        if chart.is_empty() {
            return Err(ChartError::Empty);
        }
        let data = data_size(chart);
        // points above the view have a place along x: their curves leave through the upper edge
        let xs: Vec<f64> = chart.points().filter(|point| point.y.is_some()).map(|point| point.x).collect();
        let x = match &chart.x_axis {
            XAxis::Names(names) => Some(Axis::from_names(names)),
            XAxis::Numbers { log } => {
                let scale = Scale::new(*log, &chart.labels[0]);
                Axis::from_numbers(&xs, scale, Direction::Across(data[0]), chart.view.x)
            }
        };
        let is_limited = chart.view.x.is_limited() || chart.view.y.is_limited();
        let nothing = if is_limited { ChartError::OutOfView } else { ChartError::Empty };
        let x = x.ok_or(nothing)?;
        let scale = Scale::new(chart.log_up, &chart.labels[1]);
        let y = Axis::from_numbers(&heights(chart), scale, Direction::Up(data[1]), chart.view.y).ok_or(nothing)?;
        let below = labels::Names::new(&x, matches!(chart.x_axis, XAxis::Names(_)), data[0]);
        let widest = data[0] + legend::width(chart);
        let title_lines = chart.panels.iter().map(|panel| title(panel, widest).len()).max().unwrap_or_default();
        let left = MARGIN + LINE * label_lines(chart, data[1]) + 8 + labels::widest(&y) + 10;
        let left = left.max(below.room_left(&x, data[0]) + MARGIN);
        let top = nth(MARGIN + 4, LINE, title_lines);
        Ok(Self { chart, x, y, below, title_lines, data, left, top })
    }

    pub(super) fn width(&self) -> i32 {
        self.left + self.data[0] + self.room_right() + MARGIN
    }

    /// Pixels to the right of the data: names of curves, or half of the last word below the axis.
    fn room_right(&self) -> i32 {
        match &self.below {
            _ if self.chart.has_legend() => legend::width(self.chart),
            labels::Names::Lines(_) => labels::widest(&self.x) / 2,
            labels::Names::Slanted(_) => MARGIN,
        }
    }

    pub(super) fn height(&self) -> i32 {
        let label = i32::try_from(self.label_across().len()).unwrap_or(1);
        self.top + self.data[1] + self.below.height() + LINE * label + 8 + MARGIN
    }

    /// Text along the x axis, in lines.
    fn label_across(&self) -> Vec<String> {
        lines(&self.chart.labels[0].axis_title(), FONT, self.width() - self.left)
    }

    /// The picture of `panel`.
    pub(super) fn draw(&self, panel: &Panel) -> Element {
        let size = format!("0 0 {} {}", self.width(), self.height());
        let [x, y] = &self.chart.columns;
        let svg = Element::new("svg").with("xmlns", NAMESPACE).with("viewBox", size);
        let svg = svg.with("width", self.width()).with("height", self.height()).with("font-family", "sans-serif");
        let svg = svg.with("role", "img").with("aria-label", self.description(panel));
        let svg = svg.with("data-x", x).with("data-y", y);
        let svg = svg.with("data-scale-x", self.scale_across()).with("data-scale-y", scale(self.chart.log_up));
        let svg = svg.with("data-panel", &panel.name).with_children(self.title(panel));
        svg.with_child(self.grid())
            .with_child(self.ticks())
            .with_children(self.words())
            .with_children(legend::line(self))
            .with_children(self.curves(panel))
    }

    /// The contents of a panel, for readers who cannot see it.
    fn description(&self, panel: &Panel) -> String {
        let [x, y] = &self.chart.labels;
        let place = if panel.name.is_empty() { String::new() } else { format!(", where {}", panel.name) };
        let curves: Vec<&str> = panel.curves.iter().map(|curve| self.name(curve.series)).collect();
        format!("{y} against {x}{place}: {}", curves.join(", "))
    }

    fn scale_across(&self) -> &'static str {
        match self.chart.x_axis {
            XAxis::Numbers { log } => scale(log),
            XAxis::Names(_) => "names",
        }
    }

    fn title(&self, panel: &Panel) -> Vec<Element> {
        let text = TextStyle { class: "ink", font: FONT, side: Side::Left };
        let lines = title(panel, self.data[0] + legend::width(self.chart)).into_iter().enumerate().map(|(at, line)| {
            let up = nth(0, LINE, self.title_lines - at);
            text.element(Spot { x: f64::from(self.left), y: f64::from(self.top - up) }, &line)
        });
        lines.collect()
    }

    /// Faint lines at the ticks, and fainter ones between those of a logarithmic y axis.
    fn grid(&self) -> Element {
        let group = Element::new("g").with("class", "grid").with("stroke-width", 1).with("fill", "none");
        let fine = Element::new("g").with("stroke-opacity", "0.5");
        let fine = fine.with_children(self.lines(&[], &self.y.minor));
        let at = |axis: &Axis| axis.ticks.iter().map(|tick| tick.value).collect::<Vec<_>>();
        let names = matches!(self.chart.x_axis, XAxis::Names(_));
        let xs = if names { Vec::new() } else { at(&self.x) };
        group.with_child(fine).with_children(self.lines(&xs, &at(&self.y)))
    }

    fn lines(&self, xs: &[f64], ys: &[f64]) -> Vec<Element> {
        let upright = xs.iter().map(|&x| format!("M{},{}V{}", decimal(self.x_position(x)), self.bottom(), self.top));
        let flat = ys.iter().map(|&y| format!("M{},{}H{}", self.left, decimal(self.y_position(y)), self.right()));
        let paths: String = upright.chain(flat).collect();
        if paths.is_empty() { Vec::new() } else { vec![Element::new("path").with("d", paths)] }
    }

    /// Both axes with their ticks.
    fn ticks(&self) -> Element {
        let mut d = format!("M{},{}V{}H{}", self.left, self.top, self.bottom(), self.right());
        for tick in &self.x.ticks {
            d += &format!("M{},{}v{TICK}", decimal(self.x_position(tick.value)), self.bottom());
        }
        for tick in &self.y.ticks {
            d += &format!("M{},{}h-{TICK}", self.left, decimal(self.y_position(tick.value)));
        }
        Element::new("path").with("class", "axis").with("d", d).with("fill", "none").with("stroke-width", 1)
    }

    /// Text at ticks and along axes.
    fn words(&self) -> Vec<Element> {
        let corner = Spot { x: f64::from(self.left), y: f64::from(self.bottom()) };
        let feet = self.x.ticks.iter().map(|tick| Spot { x: self.x_position(tick.value), ..corner });
        let mut words = self.below.draw(feet);
        let tick_style = TextStyle { class: "ink", font: TICK_FONT, side: Side::Right };
        for tick in &self.y.ticks {
            words.push(tick_style.element(Spot { x: corner.x - 8.0, y: self.y_position(tick.value) }, &tick.text));
        }
        words.extend(self.labels());
        words
    }

    /// Text along both axes.
    fn labels(&self) -> Vec<Element> {
        let middle = TextStyle { class: "ink", font: FONT, side: Side::Middle };
        let below = self.bottom() + self.below.height() + LINE / 2 + 4;
        let centre = Spot { x: f64::from(self.left) + f64::from(self.data[0]) / 2.0, y: f64::from(below) };
        let mut words: Vec<Element> = Vec::new();
        for (at, line) in self.label_across().iter().enumerate() {
            words.push(middle.element(centre.moved(0.0, f64::from(nth(0, LINE, at))), line));
        }
        let beside = Spot { x: f64::from(MARGIN + LINE / 2), y: f64::from(self.bottom() - self.data[1] / 2) };
        for (at, line) in balanced(&self.chart.labels[1].axis_title(), FONT, self.data[1]).iter().enumerate() {
            words.push(middle.upwards(beside.moved(f64::from(nth(0, LINE, at)), 0.0), 90, line));
        }
        words
    }

    fn curves(&self, panel: &Panel) -> Vec<Element> {
        let drawn: Vec<Drawn<'_>> = panel.curves.iter().map(|curve| Drawn { frame: self, curve }).collect();
        let mut groups: Vec<Element> = drawn.iter().map(Drawn::draw).collect();
        if self.chart.has_legend() {
            let mut names = legend::names(self, &drawn);
            let reference = names.split_off(groups.len());
            groups = groups.into_iter().zip(names).map(|(group, name)| group.with_child(name)).collect();
            groups.extend(reference);
        }
        groups
    }

    /// The name of the series with this index.
    pub(super) fn name(&self, series: usize) -> &str {
        &self.chart.series[series].name
    }

    /// The tooltip of `point` of the series with this index, in the units of the axes.
    pub(super) fn tip(&self, series: usize, point: &Point) -> String {
        let [x, y] = &self.chart.labels;
        let place = match &self.chart.x_axis {
            XAxis::Numbers { .. } => format!("{}: {}", x.name, in_unit(point.x, x)),
            XAxis::Names(_) => format!("{}: {}", x.name, point.fields.x),
        };
        let name = self.name(series);
        let parts = [name, place.as_str()].into_iter().filter(|part| !part.is_empty());
        let spread = point.spread.filter(|spread| *spread > 0.0);
        let least = if point.bound == Bound::Lower { "at least " } else { "" };
        let height = point.y.unwrap_or_default();
        let value = match spread {
            Some(spread) if y.is_in_bytes() => format!("{} ± {}", in_unit(height, y), in_unit(spread, y)),
            Some(spread) => in_words(format!("{} ± {}", significant(height), significant(spread)), &y.unit),
            None => in_unit(height, y),
        };
        format!("{}; {}: {least}{value}", parts.collect::<Vec<_>>().join("; "), y.name)
    }

    /// The rectangle of the data.
    pub(super) fn window(&self) -> Window {
        let [left, right, top, bottom] = [self.left, self.right(), self.top, self.bottom()].map(f64::from);
        Window { left, right, top, bottom }
    }

    pub(super) fn x_position(&self, x: f64) -> f64 {
        f64::from(self.left) + self.x.position(x) * f64::from(self.data[0])
    }

    pub(super) fn y_position(&self, y: f64) -> f64 {
        f64::from(self.bottom()) - self.y.position(y) * f64::from(self.data[1])
    }

    pub(super) fn bottom(&self) -> i32 {
        self.top + self.data[1]
    }

    pub(super) fn right(&self) -> i32 {
        self.left + self.data[0]
    }
}

/// Pixels of the data: as much as names need.
fn data_size(chart: &Chart) -> [i32; 2] {
    let [wide, high] = if chart.panels.len() > 1 { ONE_OF_MANY } else { ALONE };
    let names = match &chart.x_axis {
        XAxis::Names(names) => nth(0, NAME.max(nth(POINT, POINT, most_at_a_name(chart))), names.len()),
        XAxis::Numbers { .. } => 0,
    };
    [wide.max(names), high.max(nth(0, NAME_HEIGHT, legend::rows(chart)))]
}

/// The largest number of points in one category of a panel.
fn most_at_a_name(chart: &Chart) -> usize {
    let in_panel = |panel: &Panel| {
        panel.curves.iter().filter(|curve| chart.series[curve.series].origin == Origin::Measured).count()
    };
    chart.panels.iter().map(in_panel).max().unwrap_or_default()
}

/// A value of the quantity `label`.
fn in_unit(value: f64, label: &Label) -> String {
    if label.is_in_bytes() { size(value, 1) } else { in_words(significant(value), &label.unit) }
}

fn in_words(number: String, unit: &str) -> String {
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// Lines of text along the y axis, which has `high` pixels.
fn label_lines(chart: &Chart, high: i32) -> i32 {
    i32::try_from(balanced(&chart.labels[1].axis_title(), FONT, high).len()).unwrap_or(1)
}

/// Text above `panel`, in lines of at most `widest` pixels.
fn title(panel: &Panel, widest: i32) -> Vec<String> {
    let settings = panel.settings.iter().map(|setting| shortened(setting, FONT, widest));
    let mut title: Vec<String> = Vec::new();
    for setting in settings {
        match title.last_mut() {
            Some(line) if width(&format!("{line}, {setting}"), FONT) <= widest => *line += &format!(", {setting}"),
            _ => title.push(setting),
        }
    }
    title
}

fn scale(log: bool) -> &'static str {
    if log { "log" } else { "linear" }
}

/// The values that the y axis shows: all points and zero, or no zero on a logarithmic axis; error bars as far as they are
/// in proportion to the values; and room for arrows.
fn heights(chart: &Chart) -> Vec<f64> {
    let values = || chart.shown().filter_map(|point| point.y);
    let most = values().fold(0.0, f64::max);
    let least = values().fold(f64::INFINITY, f64::min);
    let mut heights: Vec<f64> = values().collect();
    for point in chart.shown() {
        let Some(y) = point.y else { continue };
        if let Some(spread) = point.spread {
            heights.push((y + spread).min(most * BAR).max(y));
            let end = chart.least.unwrap_or(0.0).min(y);
            let low = (y - spread).max(end);
            heights.push(if chart.log_up { low.max(least / BAR).min(y) } else { low });
        }
        if point.bound == Bound::Lower {
            let room = if chart.log_up { libm::pow(most / least, ARROW) } else { 1.0 };
            heights.push(if chart.log_up { y * room } else { y + ARROW * most });
        }
    }
    heights.extend(chart.view.y.most);
    heights.extend(chart.line.as_ref().map(|line| line.height));
    heights
}
