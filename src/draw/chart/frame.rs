//! A panel: its frame with a grid, ticks and words, and curves in it, all at their places.

use super::axis::{Axis, Direction};
use super::curve::Drawn;
use super::label;
use super::words::{self, FONT, TICK_FONT, Words};
use super::{Across, Axes, Panel, Point};
use crate::draw::canvas::{Spot, decimal};
use crate::draw::markup::{Element, NAMESPACE};
use crate::draw::sheet::nth;
use crate::draw::text::{Side, shortened, width};

/// Pixels of the data: of a single panel, and of one of several.
const ALONE: [i32; 2] = [460, 290];
const ONE_OF_MANY: [i32; 2] = [320, 210];
/// Pixels that a name along the x axis takes, and one beside the curves.
const NAME: i32 = 18;
pub(super) const NAME_HEIGHT: i32 = 14;
/// Pixels around everything, of a tick, from one line of text to the next, from the data to the names of curves.
const MARGIN: i32 = 8;
const TICK: f64 = 4.0;
const LINE: i32 = 15;
pub(super) const TO_NAME: f64 = 20.0;
/// The widest name of a curve, in pixels.
pub(super) const WIDEST_NAME: i32 = 190;
/// How much of an error bar an axis makes room for: up to so many times the largest value; beyond, it is cut.
const BAR: f64 = 1.6;

/// The frame that all panels have.
pub(super) struct Frame<'a> {
    axes: &'a Axes,
    pub(super) x: Axis,
    pub(super) y: Axis,
    labels: [String; 2],
    /// What stands below the x axis.
    below: words::Names,
    /// Lines above the data.
    title_lines: usize,
    /// Pixels of the data, and its upper left corner.
    data: [i32; 2],
    left: i32,
    top: i32,
}

impl<'a> Frame<'a> {
    /// Of all panels of `axes`, which have points.
    #[expect(clippy::expect_used, reason = "axes without points are refused before")]
    pub(super) fn new(axes: &'a Axes) -> Self {
        let data = data_size(axes);
        let xs: Vec<f64> = axes.points().map(|point| point.x).collect();
        let x = match &axes.across {
            Across::Names(names) => Some(Axis::from_names(names)),
            Across::Numbers { log } => Axis::from_numbers(&xs, *log, Direction::Across(data[0])),
        };
        let x = x.expect("there are points");
        let y = Axis::from_numbers(&heights(axes), axes.log_up, Direction::Up(data[1])).expect("a point has a value");
        let below = words::Names::new(&x, matches!(axes.across, Across::Names(_)), data[0]);
        let title_lines =
            axes.panels.iter().map(|panel| title(panel, data[0] + room_of_names(axes)).len()).max().unwrap_or_default();
        let left = MARGIN + LINE + 8 + words::widest(&y) + 10;
        let left = left.max(below.room_left(&x, data[0]) + MARGIN);
        let top = nth(MARGIN + 4, LINE, title_lines);
        Self { axes, x, y, labels: axes.labels.clone(), below, title_lines, data, left, top }
    }

    pub(super) fn width(&self) -> i32 {
        self.left + self.data[0] + self.room_right() + MARGIN
    }

    /// Pixels beside the data: names of curves, or half of the last word below the axis.
    fn room_right(&self) -> i32 {
        match &self.below {
            _ if names_curves(self.axes) => room_of_names(self.axes),
            words::Names::Lines(_) => words::widest(&self.x) / 2,
            words::Names::Slanted(_) => MARGIN,
        }
    }

    pub(super) fn height(&self) -> i32 {
        self.top + self.data[1] + self.below.height() + LINE + 8 + MARGIN
    }

    /// The picture of `panel`.
    pub(super) fn draw(&self, panel: &Panel) -> Element {
        let name = Axes::name(panel);
        let size = format!("0 0 {} {}", self.width(), self.height());
        let svg = Element::new("svg").with("xmlns", NAMESPACE).with("viewBox", size);
        let svg = svg.with("width", self.width()).with("height", self.height()).with("font-family", "sans-serif");
        let svg = svg.with("role", "img").with("aria-label", self.said(panel, &name));
        let svg = svg.with("data-x", &self.axes.x).with("data-y", &self.axes.y);
        let svg = svg.with("data-scale-x", self.scale_across()).with("data-scale-y", scale(self.axes.log_up));
        let svg = svg.with("data-panel", name).with_children(self.title(panel));
        svg.with_child(self.grid())
            .with_child(self.ticks())
            .with_children(self.words())
            .with_children(self.curves(panel))
    }

    /// What a panel shows, in words.
    fn said(&self, panel: &Panel, name: &str) -> String {
        let [x, y] = &self.labels;
        let place = if name.is_empty() { String::new() } else { format!(", where {name}") };
        let curves: Vec<&str> =
            panel.curves.iter().map(|curve| self.axes.algorithms[curve.algorithm].as_str()).collect();
        format!("{y}, over {x}{place}: {}", curves.join(", "))
    }

    fn scale_across(&self) -> &'static str {
        match self.axes.across {
            Across::Numbers { log } => scale(log),
            Across::Names(_) => "names",
        }
    }

    fn title(&self, panel: &Panel) -> Vec<Element> {
        let text = Words { class: "ink", font: FONT, side: Side::Left };
        let lines = title(panel, self.data[0] + room_of_names(self.axes)).into_iter().enumerate().map(|(at, line)| {
            let up = nth(0, LINE, self.title_lines - at);
            text.at(Spot { x: f64::from(self.left), y: f64::from(self.top - up) }, &line)
        });
        lines.collect()
    }

    /// Faint lines at the ticks, and fainter ones between those of a logarithmic y axis; ticks of x are at the data.
    fn grid(&self) -> Element {
        let group = Element::new("g").with("class", "grid").with("stroke-width", 1).with("fill", "none");
        let fine = Element::new("g").with("stroke-opacity", "0.5");
        let fine = fine.with_children(self.lines(&[], &self.y.minor));
        let at = |axis: &Axis| axis.ticks.iter().map(|tick| tick.at).collect::<Vec<_>>();
        let names = matches!(self.axes.across, Across::Names(_));
        let xs = if names { Vec::new() } else { at(&self.x) };
        group.with_child(fine).with_children(self.lines(&xs, &at(&self.y)))
    }

    fn lines(&self, xs: &[f64], ys: &[f64]) -> Vec<Element> {
        let upright = xs.iter().map(|&x| format!("M{},{}V{}", decimal(self.along(x)), self.bottom(), self.top));
        let flat = ys.iter().map(|&y| format!("M{},{}H{}", self.left, decimal(self.up(y)), self.right()));
        let paths: String = upright.chain(flat).collect();
        if paths.is_empty() { Vec::new() } else { vec![Element::new("path").with("d", paths)] }
    }

    /// Both axes with their ticks.
    fn ticks(&self) -> Element {
        let mut d = format!("M{},{}V{}H{}", self.left, self.top, self.bottom(), self.right());
        for tick in &self.x.ticks {
            d += &format!("M{},{}v{TICK}", decimal(self.along(tick.at)), self.bottom());
        }
        for tick in &self.y.ticks {
            d += &format!("M{},{}h-{TICK}", self.left, decimal(self.up(tick.at)));
        }
        Element::new("path").with("class", "axis").with("d", d).with("fill", "none").with("stroke-width", 1)
    }

    /// What stands at ticks and along axes.
    fn words(&self) -> Vec<Element> {
        let corner = Spot { x: f64::from(self.left), y: f64::from(self.bottom()) };
        let feet = self.x.ticks.iter().map(|tick| Spot { x: self.along(tick.at), ..corner });
        let mut words = self.below.draw(feet);
        let beside = Words { class: "ink", font: TICK_FONT, side: Side::Right };
        for tick in &self.y.ticks {
            words.push(beside.at(Spot { x: corner.x - 8.0, y: self.up(tick.at) }, &tick.text));
        }
        let [x_label, y_label] = &self.labels;
        let middle = Words { class: "ink", font: FONT, side: Side::Middle };
        let below = corner.y + f64::from(self.below.height() + LINE / 2 + 4);
        words.push(middle.at(Spot { x: corner.x + f64::from(self.data[0]) / 2.0, y: below }, x_label));
        let beside = Spot { x: f64::from(MARGIN + LINE / 2), y: corner.y - f64::from(self.data[1]) / 2.0 };
        words.push(middle.upwards(beside, 90, y_label));
        words
    }

    fn curves(&self, panel: &Panel) -> Vec<Element> {
        let drawn: Vec<Drawn<'_>> = panel.curves.iter().map(|curve| Drawn { frame: self, curve }).collect();
        let mut groups: Vec<Element> = drawn.iter().map(Drawn::draw).collect();
        if names_curves(self.axes) {
            for (group, name) in groups.iter_mut().zip(super::curve::names(&drawn)) {
                *group = std::mem::replace(group, Element::new("g")).with_child(name);
            }
        }
        groups
    }

    /// The name of the algorithm with this index.
    pub(super) fn name(&self, index: usize) -> &str {
        &self.axes.algorithms[index]
    }

    /// Whether points are joined: nothing is between names.
    pub(super) fn joins(&self) -> bool {
        matches!(self.axes.across, Across::Numbers { .. })
    }

    /// What appears beside the pointer on `point` of the algorithm called `name`.
    pub(super) fn tip(&self, name: &str, point: &Point) -> String {
        let [x_label, y_label] = &self.labels;
        let spread = if point.spread.is_some() { format!(" ± {}", point.fields.spread) } else { String::new() };
        let along = if names_curves(self.axes) { format!("{x_label}: {}; ", point.fields.x) } else { String::new() };
        format!("{name}; {along}{y_label}: {}{spread}", point.fields.y)
    }

    /// Where `x` is; of algorithms that share names, each beside the others.
    pub(super) fn along(&self, x: f64) -> f64 {
        f64::from(self.left) + self.x.place(x) * f64::from(self.data[0])
    }

    /// Where points of the algorithm with this index are at `x`: beside those of others if names are there.
    #[expect(clippy::cast_precision_loss, reason = "algorithms are few")]
    pub(super) fn beside(&self, x: f64, index: usize) -> f64 {
        let all = self.axes.algorithms.len() as f64;
        let apart = if self.joins() || !names_curves(self.axes) { 0.0 } else { 0.6 / all };
        self.along(x + (index as f64 - (all - 1.0) / 2.0) * apart)
    }

    pub(super) fn up(&self, y: f64) -> f64 {
        f64::from(self.bottom()) - self.y.place(y) * f64::from(self.data[1])
    }

    pub(super) fn top(&self) -> i32 {
        self.top
    }

    pub(super) fn bottom(&self) -> i32 {
        self.top + self.data[1]
    }

    pub(super) fn right(&self) -> i32 {
        self.left + self.data[0]
    }
}

/// Pixels of the data: as much as names need.
fn data_size(axes: &Axes) -> [i32; 2] {
    let [wide, high] = if axes.panels.len() > 1 { ONE_OF_MANY } else { ALONE };
    let names = if let Across::Names(names) = &axes.across { nth(0, NAME, names.len()) } else { 0 };
    let curves = if names_curves(axes) { nth(0, NAME_HEIGHT, axes.algorithms.len()) } else { 0 };
    [wide.max(names), high.max(curves)]
}

/// Whether names stand beside curves: where algorithms are along the x axis, they are there.
fn names_curves(axes: &Axes) -> bool {
    axes.x != "algorithm"
}

/// Pixels that the names of curves take, with their markers.
fn room_of_names(axes: &Axes) -> i32 {
    let widths = axes.algorithms.iter().map(|name| width(name, TICK_FONT));
    let widest = widths.max().unwrap_or_default().min(WIDEST_NAME);
    if names_curves(axes) { 32 + widest } else { 0 }
}

/// What is above `panel`, in lines of at most so many pixels.
fn title(panel: &Panel, widest: i32) -> Vec<String> {
    let settings = panel.settings.iter().map(|setting| shortened(&label::setting(setting), FONT, widest));
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

/// What the y axis has to show: all values and zero, or of a logarithmic axis no zero; of error bars not more than makes
/// sense of the values.
fn heights(axes: &Axes) -> Vec<f64> {
    let values = || axes.points().filter_map(|point| point.y);
    let most = values().fold(0.0, f64::max) * BAR;
    let least = values().fold(f64::INFINITY, f64::min) / BAR;
    let mut heights: Vec<f64> = values().collect();
    for point in axes.points() {
        if let (Some(y), Some(spread)) = (point.y, point.spread) {
            heights.push((y + spread).min(most).max(y));
            if axes.log_up {
                heights.push((y - spread).max(least).min(y));
            }
        }
    }
    if !axes.log_up {
        heights.push(0.0);
    }
    heights
}
