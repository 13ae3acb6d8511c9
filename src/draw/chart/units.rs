//! Axes in ticks and in picojoules, written in the unit that suits the values.

use super::{Chart, XAxis};
use crate::draw::clock::Clock;
use crate::scenario::{Label, Tick, TickLength};
use crate::units::fitting_unit;

/// The unit of columns of energies.
const PICOJOULES: &str = "pJ";

impl Chart {
    /// Converts axes in ticks: to the unit of time that suits the values shown, or to cycles, as the length of a tick is.
    pub(crate) fn convert_ticks(&mut self, length: &TickLength) {
        match length {
            TickLength::Unknown => {}
            TickLength::Cycle => self.labels.iter_mut().filter(|label| label.is_in_ticks()).for_each(|label| {
                *label = Label::new(&label.name, "cycles");
            }),
            TickLength::Time(tick) => self.convert_times(tick),
        }
    }

    fn convert_times(&mut self, tick: &Tick) {
        let [x, y] = &self.labels;
        let longest = |values: &mut dyn Iterator<Item = f64>| values.map(f64::abs).fold(0.0, f64::max);
        let is_time = matches!(self.x_axis, XAxis::Numbers { .. }) && x.is_in_ticks();
        let x = is_time.then(|| Clock::new(Some(tick), longest(&mut self.shown().map(|point| point.x))));
        let up = y.is_in_ticks();
        let y = up.then(|| Clock::new(Some(tick), longest(&mut self.shown().filter_map(|point| point.y))));
        let [x_factor, y_factor] = [x, y].map(|clock| clock.map_or(1.0, |clock| clock.per_tick));
        self.scale(x_factor, y_factor);
        for (label, clock) in self.labels.iter_mut().zip([x, y]) {
            if let Some(clock) = clock {
                *label = Label::new(&label.name, clock.unit);
            }
        }
    }

    /// Converts axes in picojoules to the unit of energy that suits the values shown.
    pub(crate) fn convert_energies(&mut self) {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.map(f64::abs).fold(0.0, f64::max);
        let is_numeric = matches!(self.x_axis, XAxis::Numbers { .. });
        let x =
            (is_numeric && self.labels[0].unit == PICOJOULES).then(|| largest(&mut self.shown().map(|point| point.x)));
        let up = self.labels[1].unit == PICOJOULES;
        let y = up.then(|| largest(&mut self.shown().filter_map(|point| point.y)));
        let units = [x, y].map(|largest| largest.map(fitting_unit));
        let [x_factor, y_factor] = units.map(|unit| unit.map_or(1.0, |(_, picojoules)| 1.0 / picojoules));
        self.scale(x_factor, y_factor);
        for (label, unit) in self.labels.iter_mut().zip(units) {
            if let Some((unit, _)) = unit {
                *label = Label::new(&label.name, unit);
            }
        }
    }

    fn scale(&mut self, x: f64, y: f64) {
        for point in self.points_mut() {
            point.x *= x;
            point.y = point.y.map(|value| value * y);
            point.spread = point.spread.map(|spread| spread * y);
        }
        self.least = self.least.map(|least| least * y);
        if let Some(line) = &mut self.line {
            line.height *= y;
        }
        self.view.x = self.view.x.scaled(x);
        self.view.y = self.view.y.scaled(y);
    }
}
