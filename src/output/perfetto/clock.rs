//! What a tick is on the clock of a trace, which counts nanoseconds.

use crate::scenario::Tick;
use crate::units::Ticks;

/// Whole nanoseconds a tick.
pub(super) struct Clock {
    nanoseconds: u64,
    /// What is to be said of it, if a nanosecond of the trace is none.
    pub(super) remark: Option<String>,
}

impl Clock {
    /// That of a trace that is over at `end`, where a tick is as long as `tick` says. Where this is not known, no number of whole
    /// nanoseconds, or too long for the clock, a tick counts as a nanosecond.
    pub(super) fn new(tick: Option<&Tick>, end: Ticks) -> Self {
        // times of traces have a sign
        let fits = |&nanoseconds: &u64| end.0.checked_mul(nanoseconds).is_some_and(|end| i64::try_from(end).is_ok());
        if let Some(nanoseconds) = tick.and_then(|tick| whole(tick.nanoseconds)).filter(fits) {
            return Self { nanoseconds, remark: None };
        }
        let long = tick.map(|tick| format!(" of {}", tick.text)).unwrap_or_default();
        Self { nanoseconds: 1, remark: Some(format!("here 1 ns stands for 1 tick{long}")) }
    }

    /// The time on the clock.
    pub(super) fn time(&self, ticks: Ticks) -> u64 {
        ticks.0 * self.nanoseconds
    }
}

/// `nanoseconds` if they are whole, but for what their unit has been rounded by.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a tick is at most 1000 s")]
fn whole(nanoseconds: f64) -> Option<u64> {
    let whole = nanoseconds.round();
    let is_whole = whole >= 1.0 && (nanoseconds - whole).abs() <= 2.0 * f64::EPSILON * whole;
    is_whole.then_some(whole as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(tick: &str, end: u64) -> Clock {
        Clock::new(Tick::parse(tick).as_ref(), Ticks(end))
    }

    #[test]
    fn ticks_of_whole_nanoseconds_are_told_as_such() {
        for (tick, nanoseconds) in
            [("1ns", 1), ("10ns", 10), ("3000ps", 3), ("1.001us", 1001), ("2.3us", 2300), ("1000s", 1_000_000_000_000)]
        {
            let clock = clock(tick, 1000);
            assert_eq!((clock.time(Ticks(3)), clock.remark), (3 * nanoseconds, None), "{tick}");
        }
    }

    #[test]
    fn other_ticks_count_as_a_nanosecond_each() {
        for (tick, end, remark) in [
            ("100ps", 1000, "here 1 ns stands for 1 tick of 100ps"),
            ("1.5ns", 1000, "here 1 ns stands for 1 tick of 1.5ns"),
            ("1000s", 10_000_000, "here 1 ns stands for 1 tick of 1000s"),
        ] {
            let clock = clock(tick, end);
            assert_eq!((clock.time(Ticks(3)), clock.remark.as_deref()), (3, Some(remark)));
        }
        assert_eq!(Clock::new(None, Ticks(5)).remark.as_deref(), Some("here 1 ns stands for 1 tick"));
    }
}
