//! Times of samples. Forecasts take samples as equally spaced; a remark names those that are not.

use std::ops::Range;

/// Names of columns that have times.
const TIMES: [&str; 11] =
    ["time", "times", "timestamp", "t", "date", "datetime", "second", "seconds", "sec", "epoch", "when"];

/// The longest interval between samples that count as equally spaced, in shortest ones.
const JITTER: f64 = 1.5;

/// The times of a series as it is read. Memory does not grow with it.
#[derive(Default)]
pub(super) struct Spacing {
    /// The field with the times, counted from 0, and its name.
    column: Option<(usize, String)>,
    values: u64,
    last: Option<f64>,
    /// The shortest and the longest interval.
    interval: Option<Range<f64>>,
    /// The line after the longest interval, counted from 1.
    longest: u64,
    /// The line whose time is not after the one before it.
    back: Option<u64>,
    /// Places between values with blank lines, and the first such line.
    blanks: u64,
    first_blank: u64,
    /// The first blank line after the last value so far.
    pending: Option<u64>,
}

impl Spacing {
    /// Finds the times by the names of the columns, of which `values` has the values.
    pub(super) fn find_column(&mut self, names: &[&str], values: usize) {
        let bare = |name: &str| name.split(['(', '[', '_', ' ']).next().unwrap_or_default().to_ascii_lowercase();
        let is_time = |at: &usize| *at != values && TIMES.contains(&bare(names[*at]).as_str());
        self.column = (0..names.len()).find(is_time).map(|at| (at, names[at].to_owned()));
    }

    /// Takes the first of several columns without names for the times.
    pub(super) fn assume_first(&mut self, values: usize) {
        self.column = (values > 0).then(|| (0, "1".to_owned()));
    }

    /// The field with the times, if there is one.
    pub(super) fn column(&self) -> Option<usize> {
        self.column.as_ref().map(|(at, _)| *at)
    }

    /// Adds a blank line.
    pub(super) fn blank(&mut self, line: u64) {
        if self.values > 0 {
            self.pending.get_or_insert(line);
        }
    }

    /// Adds a value in `line`, with the text of its time.
    pub(super) fn value(&mut self, line: u64, time: Option<&str>) {
        self.values += 1;
        if let Some(first) = self.pending.take() {
            if self.blanks == 0 {
                self.first_blank = first;
            }
            self.blanks += 1;
        }
        let Some(time) = time else { return };
        let Some(time) = seconds(time) else {
            self.column = None;
            return;
        };
        if let Some(last) = self.last.replace(time) {
            self.interval(line, time - last);
        }
    }

    fn interval(&mut self, line: u64, interval: f64) {
        if interval <= 0.0 {
            self.back.get_or_insert(line);
        }
        let known = self.interval.get_or_insert(interval..interval);
        if interval > known.end || self.longest == 0 {
            self.longest = line;
        }
        *known = known.start.min(interval)..known.end.max(interval);
    }

    /// The remarks on the values so far, a sentence each.
    pub(super) fn remarks(&self) -> Vec<String> {
        self.unequal().into_iter().chain(self.missing()).collect()
    }

    fn unequal(&self) -> Option<String> {
        let (_, name) = self.column.as_ref()?;
        let interval = self.interval.as_ref()?;
        if let Some(line) = self.back {
            // columns without names are times only if they grow
            let named = name.parse::<u64>().is_err();
            return named.then(|| {
                format!("the times in column {name} do not increase in line {line}; samples are assumed to be equally spaced")
            });
        }
        (interval.end > JITTER * interval.start).then(|| {
            format!(
                "the times in column {name} are unequally spaced, {} to {} apart, with the largest gap before line {}; forecasts \
                 assume equal spacing",
                rounded(interval.start),
                rounded(interval.end),
                self.longest
            )
        })
    }

    fn missing(&self) -> Option<String> {
        // a blank line after each value is a way to write
        if self.blanks == 0 || self.blanks + 1 == self.values && self.values > 2 {
            return None;
        }
        let lines = if self.blanks == 1 { "a blank line is" } else { "blank lines are" };
        let first = if self.blanks == 1 { "in line" } else { "the first in line" };
        Some(format!(
            "{lines} between values, {first} {}; forecasts assume equal spacing, so a value that is missing there shifts the \
             values after it",
            self.first_blank,
        ))
    }
}

/// `seconds` without digits that are noise.
fn rounded(seconds: f64) -> String {
    if seconds.abs() >= 1e12 {
        return format!("{seconds:e}");
    }
    let text = format!("{seconds:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The time that `text` is: a number, or a date and a time of day, in seconds.
fn seconds(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('Z');
    if let Ok(number) = text.parse::<f64>() {
        return number.is_finite().then_some(number);
    }
    let (date, clock) = match text.split_once(['T', ' ']) {
        Some((date, clock)) => (day(date)?, clock),
        None => (0.0, text),
    };
    let mut parts = clock.split(':').map(str::parse::<f64>);
    let mut next = || parts.next();
    let (hours, minutes) = (next()?.ok()?, next()?.ok()?);
    let rest = next().transpose().ok()?.unwrap_or(0.0);
    Some(((date * 24.0 + hours) * 60.0 + minutes) * 60.0 + rest)
}

/// The number of the day `year-month-day`, as in H. Hinnant's `days_from_civil`.
fn day(text: &str) -> Option<f64> {
    let parts: Vec<i64> = text.split(['-', '/']).map(str::parse).collect::<Result<_, _>>().ok()?;
    let &[year @ 0..=9999, month @ 1..=12, day @ 1..=31] = parts.as_slice() else { return None };
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    Some(days as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The remarks on values with these times. A line without a time is blank.
    fn remarks(times: &[&str]) -> Vec<String> {
        let mut spacing = Spacing::default();
        spacing.find_column(&["Time (s)", "bw"], 1);
        for (line, time) in (2..).zip(times) {
            if time.is_empty() { spacing.blank(line) } else { spacing.value(line, Some(time)) }
        }
        spacing.remarks()
    }

    #[test]
    fn unequal_periods_and_gaps_are_remarked_upon() {
        let joined = |times: &[&str]| remarks(times).join("\n");
        assert_eq!(joined(&["0", "10", "20", "30"]), "");
        assert_eq!(joined(&["0", "9.5", "20", "30.2"]), "", "jitter");
        assert!(joined(&["0", "10", "20", "300"]).starts_with(
            "the times in column Time (s) are unequally spaced, 10 to 280 apart, with the largest gap before line 5"
        ));
        assert!(joined(&["0", "10", "5"]).contains("do not increase in line 4"));
        assert_eq!(joined(&["2024-02-28T23:59:50Z", "2024-02-29T00:00:00Z", "2024-02-29 00:00:10"]), "");
        assert!(joined(&["23:59:50", "23:59:51.5", "23:59:59"]).contains("1.5 to 7.5 apart"));
        assert_eq!(joined(&["x", "y", "z"]), "", "no times");
        assert_eq!(joined(&["9223372036854775807-1-1 1:1", "1-9223372036854775807-1 1:1"]), "", "no dates");
        assert!(joined(&["0", "1", "1e300"]).contains("1 to 1e300 apart"));
    }

    #[test]
    fn blank_lines_between_values_are_remarked_upon() {
        let joined = |times: &[&str]| remarks(times).join("\n");
        assert!(joined(&["0", "1", "", "2", "3"]).starts_with("a blank line is between values, in line 4; "));
        assert!(
            joined(&["0", "", "1", "", "", "2", "3"])
                .starts_with("blank lines are between values, the first in line 3; ")
        );
        assert_eq!(joined(&["", "0", "1", "2", "", ""]), "", "none is between values");
        assert_eq!(joined(&["0", "", "1", "", "2"]), "", "every second line is blank");
    }
}
