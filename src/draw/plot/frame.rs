//! The data of a plot between its axes: a faint grid, ticks with their words, error bars, lines and marks.

use crate::draw::chart::axis::{Axis, TICK_FONT, Tick};
use super::{AXIS_FONT, Across, Chart, Curve, MARGIN, Point, mark};
use crate::draw::canvas::{Canvas, Lettering, Spot, Stroke};
use crate::draw::ink::Rgb;
use crate::draw::sheet::nth;
use crate::draw::text::{Side, broken, lines, significant, width};

/// Pixels of the data.
pub(super) const DATA_WIDTH: i32 = 520;
pub(super) const DATA_HEIGHT: i32 = 320;
/// Pixels from the data to the middle of the first line of words below it, from one line to the next, and from the last
/// to what is along the axis.
const FIRST_LINE: i32 = 14;
const NEXT_LINE: i32 = 13;
const TO_LABEL: i32 = 25;
/// Degrees by which names go up that have no room beside each other; and sine and cosine.
const SLANT: i32 = 40;
const SINE: f64 = 0.643;
const COSINE: f64 = 0.766;

/// Pixels of a tick, and of half a cap of an error bar.
const TICK: f64 = 5.0;
const CAP: f64 = 3.0;
/// Lines of the grid, at ticks and between them.
const GRID: Stroke = Stroke::thin(Rgb(222, 222, 222));
const FINE_GRID: Stroke = Stroke::thin(Rgb(242, 242, 242));
const AXIS: Stroke = Stroke::thin(Rgb::BLACK);

pub(super) struct Frame<'a> {
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) chart: &'a Chart,
    /// The curves of the chart, at their places.
    pub(super) curves: &'a [Curve],
    /// The upper left corner of the data, in pixels.
    pub(super) left: i32,
    pub(super) top: i32,
}

impl Frame<'_> {
    /// Pixels that the words of the y axis take, or the first that go up from below the x axis.
    pub(super) fn room_left(&self) -> i32 {
        let beside = widest(&self.y) + NEXT_LINE * self.label_up().1 + 21;
        let first = self.x.ticks.first().filter(|_| self.names_in_lines().is_none());
        let below = first.map_or(0.0, |tick| {
            COSINE * f64::from(width(&tick.text, TICK_FONT)) - self.x.place(tick.at) * f64::from(DATA_WIDTH)
        });
        beside.max(whole(below) + AXIS_FONT)
    }

    /// Pixels that the last word of the x axis may take beyond the data.
    pub(super) fn room_right(&self) -> i32 {
        match &self.chart.across {
            Across::Names(_) => MARGIN,
            Across::Numbers { .. } => MARGIN.max(widest(&self.x) / 2),
        }
    }

    /// Pixels below the data: ticks and what is along the axis.
    pub(super) fn room_below(&self) -> i32 {
        let [x_label, _] = &self.chart.labels;
        let lines = lines(x_label, AXIS_FONT, DATA_WIDTH).len();
        self.words_below() + nth(TO_LABEL + 7, NEXT_LINE, lines.max(1) - 1)
    }

    /// What is along the y axis, in lines, and how many these are.
    fn label_up(&self) -> (Vec<String>, i32) {
        let [_, y_label] = &self.chart.labels;
        let lines = lines(y_label, AXIS_FONT, DATA_HEIGHT);
        let count = i32::try_from(lines.len()).unwrap_or(1);
        (lines, count)
    }

    /// Pixels from the data to the last line of words below it.
    fn words_below(&self) -> i32 {
        match self.names_in_lines() {
            Some(names) => {
                let lines = names.iter().map(Vec::len).max().unwrap_or(1).max(1);
                nth(FIRST_LINE, NEXT_LINE, lines - 1)
            }
            None => FIRST_LINE + whole(SINE * f64::from(widest(&self.x))),
        }
    }

    /// The words below the x axis in lines that stand beside each other; none if names have no room to.
    fn names_in_lines(&self) -> Option<Vec<Vec<String>>> {
        let ticks = &self.x.ticks;
        if let Across::Numbers { .. } = self.chart.across {
            return Some(ticks.iter().map(|tick| vec![tick.text.clone()]).collect());
        }
        let room = DATA_WIDTH / i32::try_from(ticks.len()).unwrap_or(1).max(1) - 6;
        ticks.iter().map(|tick| broken(&tick.text, TICK_FONT, room)).collect()
    }

    /// Paints everything.
    pub(super) fn paint(&self, canvas: &mut Canvas) {
        self.grid(canvas, &self.x.minor, &self.y.minor, FINE_GRID);
        self.grid(canvas, &places(&self.x.ticks), &places(&self.y.ticks), GRID);
        self.axes(canvas);
        if let Some((y, says)) = &self.chart.line {
            let y = self.up(*y);
            let ends = [Spot { x: f64::from(self.left), y }, Spot { x: self.right(), y }];
            canvas.tipped(says, |canvas| canvas.line(&ends, mark::REFERENCE));
        }
        // what is printed comes last among the curves, and belongs behind all others
        for (at, curve) in self.curves.iter().enumerate().filter(|(_, curve)| curve.printed) {
            self.marks(canvas, at, curve);
        }
        for (at, curve) in self.curves.iter().enumerate() {
            self.curve(canvas, at, curve);
        }
        for (at, curve) in self.curves.iter().enumerate().filter(|(_, curve)| !curve.printed).rev() {
            self.marks(canvas, at, curve);
        }
    }

    fn marks(&self, canvas: &mut Canvas, at: usize, curve: &Curve) {
        for (point, shown) in curve.points.iter().zip(&self.chart.curves[at].points) {
            let spot = self.spot(point.x, point.y);
            canvas.tipped(&self.said(curve, shown), |canvas| match point.at_least {
                true => mark::arrow(canvas, spot, at),
                false => mark::paint(canvas, spot, at, self.curves),
            });
        }
    }

    /// What a point says to who points at it: its curve, and where it is along both axes.
    fn said(&self, curve: &Curve, point: &Point) -> String {
        let [x_label, y_label] = &self.chart.labels;
        let name = if curve.name.is_empty() { String::new() } else { format!("{}; ", curve.name) };
        let x = match &self.chart.across {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index of a name")]
            Across::Names(names) => names.get(point.x as usize).cloned().unwrap_or_default(),
            Across::Numbers { .. } => significant(point.x),
        };
        let spread = point.spread.filter(|spread| *spread > 0.0);
        let spread = spread.map_or_else(String::new, |spread| format!(" ± {}", significant(spread)));
        let least = if point.at_least { "at least " } else { "" };
        format!("{name}{x_label}: {x}; {y_label}: {least}{}{spread}", significant(point.y))
    }

    /// Lines over all of the data at some `xs` and `ys`.
    fn grid(&self, canvas: &mut Canvas, xs: &[f64], ys: &[f64], stroke: Stroke) {
        for &x in xs {
            let x = self.along(x);
            canvas.line(&[Spot { x, y: self.bottom() }, Spot { x, y: f64::from(self.top) }], stroke);
        }
        for &y in ys {
            let y = self.up(y);
            canvas.line(&[Spot { x: f64::from(self.left), y }, Spot { x: self.right(), y }], stroke);
        }
    }

    fn axes(&self, canvas: &mut Canvas) {
        let [x_label, _] = &self.chart.labels;
        let corner = Spot { x: f64::from(self.left), y: self.bottom() };
        let upper = Spot { y: f64::from(self.top), ..corner };
        canvas.line(&[upper, corner, Spot { x: self.right(), ..corner }], AXIS);
        let small = Lettering { size: TICK_FONT, side: Side::Middle, colour: Rgb::BLACK };
        let names = self.names_in_lines();
        for (at, tick) in self.x.ticks.iter().enumerate() {
            let foot = Spot { x: self.along(tick.at), ..corner };
            canvas.line(&[foot, foot.moved(0.0, TICK)], AXIS);
            let Some(names) = &names else {
                let ends_here = Lettering { side: Side::Right, ..small };
                canvas.text_upwards(foot.moved(4.0, 10.0), SLANT, ends_here, &tick.text);
                continue;
            };
            for (line, words) in names[at].iter().enumerate() {
                canvas.text(foot.moved(0.0, f64::from(nth(FIRST_LINE, NEXT_LINE, line))), small, words);
            }
        }
        for tick in &self.y.ticks {
            let foot = Spot { y: self.up(tick.at), ..corner };
            canvas.line(&[foot, foot.moved(-TICK, 0.0)], AXIS);
            canvas.text(foot.moved(-9.0, 0.0), Lettering { side: Side::Right, ..small }, &tick.text);
        }
        let lettering = Lettering { size: AXIS_FONT, ..small };
        let middle = Spot { x: corner.x.midpoint(self.right()), y: corner.y.midpoint(upper.y) };
        let below = self.words_below() + TO_LABEL;
        for (at, words) in lines(x_label, AXIS_FONT, DATA_WIDTH).iter().enumerate() {
            let y = corner.y + f64::from(nth(below, NEXT_LINE, at));
            canvas.text(Spot { y, ..middle }, lettering, words);
        }
        for (at, words) in self.label_up().0.iter().enumerate() {
            let x = f64::from(nth(MARGIN + AXIS_FONT / 2, NEXT_LINE, at));
            canvas.text_upwards(Spot { x, ..middle }, 90, lettering, words);
        }
    }

    /// The line and the error bars of the curve `at`.
    fn curve(&self, canvas: &mut Canvas, at: usize, curve: &Curve) {
        if self.chart.joined && !curve.printed {
            let spots: Vec<Spot> = curve.points.iter().map(|point| self.spot(point.x, point.y)).collect();
            canvas.line(&spots, mark::line(at));
        }
        for point in curve.points.iter().filter(|point| point.spread.is_some_and(|spread| spread > 0.0)) {
            self.error_bar(canvas, point, mark::bar(at));
        }
    }

    fn error_bar(&self, canvas: &mut Canvas, point: &Point, stroke: Stroke) {
        let ends = [self.chart.low(point), point.high()].map(|y| self.spot(point.x, y));
        canvas.line(&ends, stroke);
        for end in ends {
            canvas.line(&[end.moved(-CAP, 0.0), end.moved(CAP, 0.0)], stroke);
        }
    }

    fn spot(&self, x: f64, y: f64) -> Spot {
        Spot { x: self.along(x), y: self.up(y) }
    }

    fn along(&self, x: f64) -> f64 {
        f64::from(self.left) + self.x.place(x) * f64::from(DATA_WIDTH)
    }

    fn up(&self, y: f64) -> f64 {
        self.bottom() - self.y.place(y) * f64::from(DATA_HEIGHT)
    }

    fn right(&self) -> f64 {
        f64::from(self.left + DATA_WIDTH)
    }

    fn bottom(&self) -> f64 {
        f64::from(self.top + DATA_HEIGHT)
    }
}

/// Pixels of the widest word of an axis.
fn widest(axis: &Axis) -> i32 {
    axis.ticks.iter().map(|tick| width(&tick.text, TICK_FONT)).max().unwrap_or(0)
}

#[expect(clippy::cast_possible_truncation, reason = "pixels of a picture")]
fn whole(pixels: f64) -> i32 {
    libm::ceil(pixels) as i32
}

fn places(ticks: &[Tick]) -> Vec<f64> {
    ticks.iter().map(|tick| tick.at).collect()
}
