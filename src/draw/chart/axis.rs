//! An axis: its span and its ticks.
//!
//! Ticks of the x axis are at the data if these are few and each has room for its label, or at every second, third, ... of
//! evenly spaced data; else at round numbers. Sizes in bytes have units at their ticks, and where the data are those of
//! computers, powers of two are round. Independent of the curves along the axis. Logarithms are those of libm, so that
//! every machine draws the same bytes.

use super::scale::exact_integer;
use super::view;
use crate::draw::text::{number, width};
use crate::kind::words::size_text;
use crate::scenario::Label;
use std::ops::Range;

/// Pixels of the letters of ticks.
pub(super) const TICK_FONT: i32 = 11;
/// Pixels between labels that are next to each other.
const GAP: i32 = 6;
/// The largest number of values that each have a tick, and the largest number of ticks at evenly spaced values.
const MOST_AT_DATA: usize = 8;
const MOST_EVEN: usize = 10;
/// Doublings between ticks at powers of two: these are powers of 2, 4, 16, 32 or 1024.
const DOUBLINGS: [usize; 5] = [1, 2, 4, 5, 10];
/// The largest number of ticks at round numbers.
const MOST_ROUND: f64 = 8.0;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) text: String,
}

#[derive(Clone, Debug)]
pub(super) struct Axis {
    span: Range<f64>,
    log: bool,
    quantity: Quantity,
    pub(super) ticks: Vec<Tick>,
    /// Places of faint lines.
    pub(super) minor: Vec<f64>,
}

/// The quantity along an axis, which decides on round numbers and on the text of ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    /// Plain numbers.
    Number,
    /// Sizes in bytes, in powers of 1000.
    Size,
    /// Sizes that are powers of two or multiples of 1 KiB.
    BinarySize,
}

/// The scale of an axis, and the unit of its numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scale {
    /// True if it is logarithmic.
    pub(super) log: bool,
    /// True if its numbers are bytes.
    pub(super) bytes: bool,
}

/// The direction of an axis, and its length in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) enum Direction {
    /// From left to right; labels are side by side.
    Across(i32),
    /// From bottom to top; labels are stacked.
    Up(i32),
}

impl Scale {
    /// The scale of an axis with this label.
    pub(super) fn new(log: bool, label: &Label) -> Self {
        Self { log, bytes: label.is_in_bytes() }
    }
}

impl Axis {
    /// The axis of `names`, which are at 0, 1, ...
    #[expect(clippy::cast_precision_loss, reason = "names are few")]
    pub(super) fn from_names(names: &[String]) -> Self {
        let ticks = names.iter().enumerate().map(|(at, name)| Tick { value: at as f64, text: name.clone() });
        let span = -0.5..names.len() as f64 - 0.5;
        Self { span, log: false, quantity: Quantity::Number, ticks: ticks.collect(), minor: Vec::new() }
    }

    /// The axis of those of `numbers` that are in `range`, whose limits are its ends; `None` if there is nothing to show.
    pub(super) fn from_numbers(
        numbers: &[f64],
        scale: Scale,
        direction: Direction,
        range: view::Range,
    ) -> Option<Self> {
        let Scale { log, bytes } = scale;
        let is_shown = |number: &f64| number.is_finite() && range.contains(*number) && (!log || *number > 0.0);
        let shown = numbers.iter().copied().filter(is_shown);
        let mut shown: Vec<f64> = shown.collect();
        shown.sort_by(f64::total_cmp);
        shown.dedup();
        let least = *shown.first()?;
        let most = *shown.last()?;
        let span = if log { log_span(least, most) } else { span(least, most, direction) };
        let span = limited(span, range);
        let quantity = if bytes { Quantity::of_sizes(&shown) } else { Quantity::Number };
        let mut axis = Self { span, log, quantity, ticks: Vec::new(), minor: Vec::new() };
        let at_data = if matches!(direction, Direction::Across(_)) { axis.at_data(&shown, direction) } else { None };
        axis.ticks = match at_data {
            Some(ticks) => ticks,
            None if log => axis.at_powers(direction),
            None => axis.at_round_numbers(),
        };
        if log {
            let every = match quantity {
                Quantity::BinarySize => powers_of_two(&axis.span, 1),
                _ => mantissas(&axis.span, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]),
            };
            axis.minor = every.into_iter().filter(|at| !axis.has_tick(*at)).collect();
        }
        Some(axis)
    }

    fn has_tick(&self, value: f64) -> bool {
        self.ticks.iter().any(|tick| tick.value.total_cmp(&value).is_eq())
    }

    /// The place of `value`: 0 and 1 at the ends of the axis, beyond them outside. What has no logarithm is at the lower end
    /// of a logarithmic axis.
    pub(super) fn position(&self, value: f64) -> f64 {
        let value = if self.log && value <= 0.0 { self.span.start } else { value };
        let scale = |value: f64| if self.log { libm::log10(value) } else { value };
        let low = scale(self.span.start);
        let high = scale(self.span.end);
        (scale(value) - low) / (high - low)
    }

    /// Ticks at each of `data`, sorted, or at some of them with the same steps between; `None` if others would be clearer.
    fn at_data(&self, data: &[f64], direction: Direction) -> Option<Vec<Tick>> {
        let every = |stride: usize| self.ticks_at(data.iter().copied().step_by(stride));
        if !data.iter().copied().all(is_whole) {
            return None;
        }
        if data.len() <= MOST_AT_DATA && self.fits(&every(1), direction) {
            return Some(every(1));
        }
        let steps = data.len() - 1;
        let is_round = |stride: &usize| self.quantity != Quantity::BinarySize || DOUBLINGS.contains(stride);
        let strides = (1..=steps / 3).filter(|stride| steps.is_multiple_of(*stride) || self.log).filter(is_round);
        let fitting = |ticks: &Vec<Tick>| ticks.len() <= MOST_EVEN && self.fits(ticks, direction);
        self.is_even(data).then(|| strides.map(every).find(fitting)).flatten()
    }

    /// True if neighbours among `data`, sorted, have the same distance on the axis.
    fn is_even(&self, data: &[f64]) -> bool {
        let places: Vec<f64> = data.iter().map(|value| self.position(*value)).collect();
        let step = places.get(1).map_or(0.0, |second| second - places[0]);
        places.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() < 1e-9)
    }

    /// True if neighbours among the labels of `ticks` do not overlap.
    fn fits(&self, ticks: &[Tick], direction: Direction) -> bool {
        let room = |pair: &[Tick]| {
            let apart = (self.position(pair[1].value) - self.position(pair[0].value)).abs();
            match direction {
                Direction::Across(pixels) => {
                    let both = width(&pair[0].text, TICK_FONT) + width(&pair[1].text, TICK_FONT);
                    apart * f64::from(pixels) >= f64::from(both) / 2.0 + f64::from(GAP)
                }
                Direction::Up(pixels) => apart * f64::from(pixels) >= f64::from(TICK_FONT + GAP),
            }
        };
        ticks.windows(2).all(room)
    }

    /// A tick at each of `values`.
    fn ticks_at(&self, values: impl Iterator<Item = f64>) -> Vec<Tick> {
        values.map(|value| Tick { value, text: self.quantity.text(value, 4) }).collect()
    }

    /// The multiples of 1, 2, 2.5 or 5 times a power of ten, 2.5 itself left out; those of a power of two if these are round.
    fn at_round_numbers(&self) -> Vec<Tick> {
        let length = self.span.end - self.span.start;
        if self.quantity == Quantity::BinarySize {
            let step = (0..=52).map(|power| libm::exp2(f64::from(power))).find(|step| step * MOST_ROUND >= length);
            return step.map_or_else(Vec::new, |step| self.at_multiples(step, 0));
        }
        let powers = (-12_i32..=18).flat_map(|power| [1.0, 2.0, 2.5, 5.0].map(|digit| (digit, power)));
        let mut powers = powers.filter(|step| *step != (2.5, 0));
        let step_of = |(digit, power): (f64, i32)| digit * libm::exp10(f64::from(power));
        let Some(step) = powers.find(|&step| step_of(step) * MOST_ROUND >= length) else {
            return Vec::new();
        };
        let decimals = usize::try_from(1 - step.1).unwrap_or(0);
        self.at_multiples(step_of(step), decimals)
    }

    /// The multiples of `step`, with `decimals` decimals at most.
    fn at_multiples(&self, step: f64, decimals: usize) -> Vec<Tick> {
        let length = self.span.end - self.span.start;
        let mut ticks = Vec::new();
        let mut at = (self.span.start / step - 1e-9).ceil();
        while at * step <= self.span.end + 1e-9 * length {
            ticks.push(Tick { value: at * step, text: self.quantity.text(at * step, decimals) });
            at += 1.0;
        }
        ticks
    }

    /// Powers of ten, and between them as many digits as there is room for. Where powers of two are round, as many of these.
    fn at_powers(&self, direction: Direction) -> Vec<Tick> {
        let candidates: Vec<Vec<f64>> = if self.quantity == Quantity::BinarySize {
            DOUBLINGS.iter().map(|doublings| powers_of_two(&self.span, *doublings)).collect()
        } else {
            let digits: [&[f64]; 4] =
                [&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], &[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
            digits.iter().map(|digits| mantissas(&self.span, digits)).collect()
        };
        let mut ticks = candidates.into_iter().map(|values| self.ticks_at(values.into_iter()));
        let fitting = ticks.find(|ticks| ticks.len() <= 10 && self.fits(ticks, direction));
        // a span of less than a decade may have too few
        fitting.filter(|ticks| ticks.len() > 2).unwrap_or_else(|| self.at_round_numbers())
    }
}

impl Quantity {
    /// The kind of `sizes` in bytes.
    fn of_sizes(sizes: &[f64]) -> Self {
        let is_binary =
            |size: &f64| exact_integer(*size).is_some_and(|size| size.is_power_of_two() || size.is_multiple_of(1024));
        if sizes.iter().all(is_binary) { Self::BinarySize } else { Self::Size }
    }

    /// The text of a tick at `value`, with at most `decimals` decimals where it is not a whole size.
    fn text(self, value: f64, decimals: usize) -> String {
        match self {
            Self::Number => number(value, decimals),
            Self::Size | Self::BinarySize => size(value, decimals),
        }
    }
}

/// A size of `bytes`, with a unit. If it is not whole, it has at most `decimals` decimals.
pub(super) fn size(bytes: f64, decimals: usize) -> String {
    exact_integer(bytes).map_or_else(|| format!("{} B", number(bytes, decimals)), size_text)
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-9
}

/// `span`, ended by the limits of `range`.
fn limited(span: Range<f64>, range: view::Range) -> Range<f64> {
    let start = range.least.unwrap_or(span.start);
    start..range.most.unwrap_or(span.end).max(start)
}

/// The numbers of `span` that are one of `digits` times a power of ten.
fn mantissas(span: &Range<f64>, digits: &[f64]) -> Vec<f64> {
    let all = (-12_i32..=18).flat_map(|power| digits.iter().map(move |digit| digit * libm::exp10(f64::from(power))));
    all.filter(|value| (span.start..=span.end).contains(value)).collect()
}

/// The powers of two in `span`, as many `doublings` apart.
fn powers_of_two(span: &Range<f64>, doublings: usize) -> Vec<f64> {
    let all = (0_i32..=62).step_by(doublings).map(|power| libm::exp2(f64::from(power)));
    all.filter(|value| (span.start..=span.end).contains(value)).collect()
}

/// A little more than the numbers take. Up, an axis starts at zero, unless the numbers differ and are all far from it.
fn span(least: f64, most: f64, direction: Direction) -> Range<f64> {
    let from_zero = matches!(direction, Direction::Up(_)) && least >= 0.0 && (least <= 0.6 * most || least >= most);
    let low = if from_zero { 0.0 } else { least };
    let margin = if most > low { 0.04 * (most - low) } else { 1.0 };
    (if from_zero { 0.0 } else { low - margin })..most + margin
}

fn log_span(least: f64, most: f64) -> Range<f64> {
    let margin = libm::pow(most / least, 0.04).max(1.02);
    least / margin..most * margin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(numbers: &[f64], log: bool, direction: Direction) -> Vec<String> {
        shown(numbers, Scale { log, bytes: false }, direction)
    }

    fn shown(numbers: &[f64], scale: Scale, direction: Direction) -> Vec<String> {
        let mut ticks = Axis::from_numbers(numbers, scale, direction, view::Range::default())
            .map_or_else(Vec::new, |axis| axis.ticks);
        ticks.sort_by(|a, b| a.value.total_cmp(&b.value));
        ticks.into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn ticks_are_at_the_data_where_there_is_room() {
        let every: Vec<f64> = (4..=32).map(f64::from).collect();
        let powers: Vec<f64> = (4..=18).map(|power| libm::exp2(f64::from(power))).collect();
        let rates = [0.02, 0.06, 0.1, 0.3, 0.34, 0.38];
        let cases: [(&[f64], bool, &[&str]); 8] = [
            (&[0.59123, 0.62345, 0.801], false, &["0.6", "0.65", "0.7", "0.75", "0.8"]),
            (&[8.0, 12.0, 18.0], false, &["8", "12", "18"]),
            (&[7.0, 11.0, 15.0, 33.0, 63.0], true, &["7", "11", "15", "33", "63"]),
            (&every, false, &["4", "8", "12", "16", "20", "24", "28", "32"]),
            (&[0.0, 1000.0, 1001.0, 9000.0], false, &["0", "2,000", "4,000", "6,000", "8,000"]),
            (&powers, true, &["16", "64", "256", "1,024", "4,096", "16,384", "65,536", "262,144"]),
            (&rates, false, &["0.05", "0.1", "0.15", "0.2", "0.25", "0.3", "0.35"]),
            (&[1.0, 2.0, 3.0, 4.0, 1000.0], false, &["0", "200", "400", "600", "800", "1,000"]),
        ];
        for (numbers, log, expected) in cases {
            assert_eq!(texts(numbers, log, Direction::Across(500)), expected);
        }
    }

    #[test]
    fn limits_are_the_ends_of_an_axis() {
        let range = view::Range { least: Some(0.0), most: Some(100.0) };
        let axis = Axis::from_numbers(&[20.0, 90.0, 5000.0], Scale::default(), Direction::Up(300), range);
        let ends = axis.map(|axis| (axis.position(0.0), axis.position(100.0), axis.position(200.0)));
        assert_eq!(ends, Some((0.0, 1.0, 2.0)));
    }

    #[test]
    fn numbers_go_up_in_round_steps() {
        assert_eq!(texts(&[3.0, 260.0], false, Direction::Up(300)), ["0", "50", "100", "150", "200", "250"]);
        assert_eq!(texts(&[0.93, 0.97], false, Direction::Up(300)), ["0.93", "0.94", "0.95", "0.96", "0.97"]);
        assert_eq!(texts(&[1.0, 25.0], true, Direction::Up(300)), ["1", "2", "5", "10", "20"]);
        assert_eq!(texts(&[1.0, 1.2], true, Direction::Up(300)), ["1", "1.05", "1.1", "1.15", "1.2"]);
        let scale = Scale { log: true, bytes: false };
        assert!(Axis::from_numbers(&[-1.0, 0.0], scale, Direction::Up(300), view::Range::default()).is_none());
    }

    #[test]
    fn sizes_have_units_and_powers_of_two_are_round() {
        let doubled = |powers: std::ops::RangeInclusive<i32>| powers.map(|power| libm::exp2(f64::from(power)));
        let every: Vec<f64> = doubled(0..=20).collect();
        let short: Vec<f64> = doubled(10..=14).collect();
        let uneven: Vec<f64> = doubled(3..=12).chain(doubled(16..=20)).collect();
        let multiples: Vec<f64> = (0..=40).map(|at| f64::from(at) * 3072.0).collect();
        let cases: [(&[f64], bool, &[&str]); 6] = [
            (&every, true, &["1 B", "16 B", "256 B", "4 KiB", "64 KiB", "1 MiB"]),
            (&short, true, &["1 KiB", "2 KiB", "4 KiB", "8 KiB", "16 KiB"]),
            (&uneven, true, &["16 B", "256 B", "4 KiB", "64 KiB", "1 MiB"]),
            (&multiples, false, &["0 B", "30 KiB", "60 KiB", "90 KiB", "120 KiB"]),
            (&[100.0, 10_000.0, 1e6], true, &["100 B", "10 kB", "1 MB"]),
            (&[0.5, 250_000.0, 1e6], false, &["0 B", "200 kB", "400 kB", "600 kB", "800 kB", "1 MB"]),
        ];
        for (numbers, log, expected) in cases {
            assert_eq!(shown(numbers, Scale { log, bytes: true }, Direction::Across(460)), expected);
        }
        let up = shown(&[1024.0, 65536.0, 1_048_576.0], Scale { log: true, bytes: true }, Direction::Up(300));
        assert_eq!(up, ["1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"]);
    }
}
