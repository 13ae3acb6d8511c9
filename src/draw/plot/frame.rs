//! The data of a plot between its axes: a faint grid, ticks with their words, error bars, lines and marks.

use super::axis::{Axis, TICK_FONT, Tick};
use super::{AXIS_FONT, Curve, MARGIN, Point, mark};
use crate::draw::canvas::{Canvas, Lettering, Spot, Stroke};
use crate::draw::ink::Rgb;
use crate::draw::text::{Side, width};

/// Pixels of the data.
pub(super) const DATA_WIDTH: i32 = 520;
pub(super) const DATA_HEIGHT: i32 = 320;
/// Pixels below the data: ticks and what is along the axis.
pub(super) const ROOM_BELOW: i32 = 46;

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
    pub(super) curves: &'a [Curve],
    pub(super) joined: bool,
    /// The upper left corner of the data, in pixels.
    pub(super) left: i32,
    pub(super) top: i32,
}

impl Frame<'_> {
    /// Pixels that the words of the y axis take.
    pub(super) fn room_left(&self) -> i32 {
        widest(&self.y) + AXIS_FONT + 22
    }

    /// Pixels that the last word of the x axis may take beyond the data.
    pub(super) fn room_right(&self) -> i32 {
        MARGIN.max(widest(&self.x) / 2)
    }

    /// Paints everything, what is along the axes called `labels`.
    pub(super) fn paint(&self, canvas: &mut Canvas, labels: &[String; 2]) {
        self.grid(canvas, &self.x.minor, &self.y.minor, FINE_GRID);
        self.grid(canvas, &places(&self.x.ticks), &places(&self.y.ticks), GRID);
        self.axes(canvas, labels);
        for (at, curve) in self.curves.iter().enumerate() {
            self.curve(canvas, at, curve);
        }
        // what is printed comes last among the curves, and belongs behind all others
        for (at, curve) in self.curves.iter().enumerate().rev() {
            for point in &curve.points {
                mark::paint(canvas, self.spot(point.x, point.y), at, curve);
            }
        }
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

    fn axes(&self, canvas: &mut Canvas, [x_label, y_label]: &[String; 2]) {
        let corner = Spot { x: f64::from(self.left), y: self.bottom() };
        let upper = Spot { y: f64::from(self.top), ..corner };
        canvas.line(&[upper, corner, Spot { x: self.right(), ..corner }], AXIS);
        let small = Lettering { size: TICK_FONT, side: Side::Middle, colour: Rgb::BLACK };
        for tick in &self.x.ticks {
            let foot = Spot { x: self.along(tick.at), ..corner };
            canvas.line(&[foot, foot.moved(0.0, TICK)], AXIS);
            canvas.text(foot.moved(0.0, 14.0), small, &tick.text);
        }
        for tick in &self.y.ticks {
            let foot = Spot { y: self.up(tick.at), ..corner };
            canvas.line(&[foot, foot.moved(-TICK, 0.0)], AXIS);
            canvas.text(foot.moved(-9.0, 0.0), Lettering { side: Side::Right, ..small }, &tick.text);
        }
        let lettering = Lettering { size: AXIS_FONT, ..small };
        let middle = Spot { x: corner.x.midpoint(self.right()), y: corner.y.midpoint(upper.y) };
        canvas.text(Spot { y: corner.y + 39.0, ..middle }, lettering, x_label);
        canvas.text_upwards(Spot { x: f64::from(MARGIN + AXIS_FONT / 2), ..middle }, lettering, y_label);
    }

    /// The line and the error bars of the curve `at`.
    fn curve(&self, canvas: &mut Canvas, at: usize, curve: &Curve) {
        if self.joined && !curve.printed {
            let spots: Vec<Spot> = curve.points.iter().map(|point| self.spot(point.x, point.y)).collect();
            canvas.line(&spots, mark::line(at));
        }
        for point in curve.points.iter().filter(|point| point.spread.is_some_and(|spread| spread > 0.0)) {
            self.error_bar(canvas, point, mark::bar(at));
        }
    }

    fn error_bar(&self, canvas: &mut Canvas, point: &Point, stroke: Stroke) {
        let ends = [point.low(), point.high()].map(|y| self.spot(point.x, y));
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

fn places(ticks: &[Tick]) -> Vec<f64> {
    ticks.iter().map(|tick| tick.at).collect()
}
