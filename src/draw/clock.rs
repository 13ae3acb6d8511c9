//! Times of a picture: in the unit in which its longest is a handful of digits, if the scenario says how long a tick is;
//! else in ticks.
//!
//! The clock refuses to know where times stand in a picture.

use super::text::{fixed, number};
use crate::kind::words::thousands;
use crate::scenario::Tick;
use crate::units::TimeUnit;

/// How times are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clock {
    /// The unit, such as `µs`.
    pub(crate) unit: &'static str,
    /// So many units are a tick.
    pub(crate) per_tick: f64,
    decimals: usize,
}

impl Clock {
    /// For times of at most `longest` ticks, each as long as `tick` says.
    pub(crate) fn new(tick: Option<&Tick>, longest: f64) -> Self {
        let Some(tick) = tick else { return Self { unit: "ticks", per_tick: 1.0, decimals: 0 } };
        let nanoseconds = longest * tick.nanoseconds;
        let TimeUnit { symbol: unit, nanoseconds: length } = TimeUnit::fitting(nanoseconds);
        let shown = nanoseconds / length;
        let per_tick = tick.nanoseconds / length;
        // four digits, or more where the whole part has more, as far as a tick resolves them
        let digits = [10.0, 100.0, 1000.0].into_iter().filter(|power| shown < *power).count();
        let powers = [1.0, 10.0, 100.0].map(|power| per_tick * power);
        let resolved = powers.iter().position(|part| (part - part.round()).abs() < 1e-9).unwrap_or(3);
        Self { unit, per_tick, decimals: digits.min(resolved) }
    }

    /// `ticks` in its unit, which is left out.
    #[expect(clippy::cast_precision_loss, reason = "more digits than are shown")]
    pub(super) fn number(&self, ticks: u64) -> String {
        if ticks == 0 { "0".to_owned() } else { fixed(ticks as f64 * self.per_tick, self.decimals) }
    }

    /// `ticks` with the unit.
    pub(super) fn text(&self, ticks: u64) -> String {
        format!("{} {}", self.number(ticks), self.unit)
    }

    /// `ticks` with the unit, and in ticks where that says more.
    pub(super) fn exact(&self, ticks: u64) -> String {
        let text = self.text(ticks);
        if self.unit == "ticks" { text } else { format!("{text} ({} ticks)", thousands(&ticks.to_string())) }
    }

    /// Times up to `end`, round in its unit and at most `most` or so, and what is written there.
    #[expect(clippy::cast_precision_loss, reason = "places on paper")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times are not negative")]
    pub(super) fn round(&self, end: u64, most: u32) -> Vec<(u64, String)> {
        let length = end as f64 * self.per_tick;
        let powers = (-6_i32..=20).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| (digit, power)));
        let mut powers = powers.map(|(digit, power)| (digit * libm::exp10(f64::from(power)), power));
        let fits = |(step, _): &(f64, i32)| step * f64::from(most) >= length && (self.per_tick < 1.0 || *step >= 1.0);
        let Some((step, power)) = powers.find(fits) else { return vec![(0, "0".to_owned())] };
        let decimals = usize::try_from(-power).unwrap_or(0);
        let times = (0..=most).map(|at| step * f64::from(at)).filter(|time| *time <= length * (1.0 + 1e-9));
        times.map(|time| ((time / self.per_tick).round() as u64, number(time, decimals))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(nanoseconds: f64, longest: f64) -> Clock {
        Clock::new(Some(&Tick { text: String::new(), nanoseconds }), longest)
    }

    #[test]
    fn times_are_in_the_unit_of_the_longest() {
        for (nanoseconds, ticks, expected) in [
            (1.0, 42_160_355, "42.16 ms"),
            (1.0, 999, "999 ns"),
            (10.0, 130, "1.30 µs"),
            (10.0, 0, "0 ps"),
            (10.0, 119_347, "1.193 ms"),
            (0.5, 1, "500 ps"),
            (1.0, 49_165_739_837, "49.17 s"),
            (1.0, 123_456_000_000_000, "123,456 s"),
        ] {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let longest = ticks as f64;
            assert_eq!(clock(nanoseconds, longest).text(ticks), expected);
        }
        assert_eq!(Clock::new(None, 1e9).text(42_160_355), "42,160,355 ticks");
    }

    #[test]
    fn an_axis_has_round_times() {
        let words = |clock: Clock, end: u64| clock.round(end, 6).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(words(clock(1.0, 42_160_355.0), 42_160_355), ["0", "10", "20", "30", "40"]);
        assert_eq!(words(clock(10.0, 130.0), 130), ["0", "0.5", "1"]);
        assert_eq!(words(Clock::new(None, 3.0), 3), ["0", "1", "2", "3"]);
        assert_eq!(clock(10.0, 130.0).round(130, 6)[1].0, 50);
    }
}
