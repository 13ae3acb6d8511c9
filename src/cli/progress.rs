//! How far work on rows is, how fast it goes, and how long it will take.
//!
//! A thread of its own shows it, so that a row that takes hours shows that it lives: on a terminal as a bar, elsewhere as
//! lines of a log, the first after ten seconds, then at growing distances.

use super::ui::Ui;
use flitwise::cancel::{Counted, Report};
use flitwise::kind::words::counted;
use flitwise::run::Unit;
use flitwise::scenario::Scenario;
use indicatif::ProgressBar;
use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// When a log gets its first line, and the longest time between two.
pub(super) const FIRST_LOGGED: Duration = Duration::from_secs(10);
pub(super) const MOST_LOGGED: Duration = Duration::from_secs(60);

/// How often a terminal is written to.
pub(super) const SHOWN: Duration = Duration::from_millis(200);

/// Looks at the clock, of which the library knows nothing.
#[expect(clippy::disallowed_methods, reason = "how long a run takes is told to its user; no result depends on it")]
pub(super) fn now() -> Instant {
    Instant::now()
}

/// What is worked on, and what is done of it.
pub(super) struct Progress<'a> {
    ui: &'a Ui,
    scenario: &'a Scenario,
    units: &'a [Unit],
    /// The work of each unit by its estimate; none of those that are not to be done.
    work: Vec<u64>,
    all: Done,
    bar: ProgressBar,
    quiet: bool,
    done: Mutex<Done>,
    ended: Condvar,
}

#[derive(Clone, Copy, Default)]
struct Done {
    rows: u64,
    work: u64,
    /// Whether there is nothing to show any more.
    ended: bool,
}

impl<'a> Progress<'a> {
    /// Of those `units` of `scenario` that are given with their work, shown unless `quiet`.
    pub(super) fn new(
        ui: &'a Ui,
        scenario: &'a Scenario,
        units: &'a [Unit],
        tasks: impl Iterator<Item = (usize, u64)>,
        quiet: bool,
    ) -> Self {
        let mut work = vec![0; units.len()];
        let mut all = Done::default();
        for (unit, time) in tasks {
            work[unit] = time.max(1);
            all.rows += units[unit].rows;
            all.work = all.work.saturating_add(work[unit]);
        }
        let bar = ui.bar();
        Self { ui, scenario, units, work, all, bar, quiet, done: Mutex::default(), ended: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// These units are done.
    pub(super) fn done(&self, units: impl Iterator<Item = usize>) {
        let mut done = self.lock();
        for unit in units {
            done.rows += self.units[unit].rows;
            done.work = done.work.saturating_add(self.work[unit]);
        }
    }

    /// How many rows are done.
    pub(super) fn rows(&self) -> u64 {
        self.lock().rows
    }

    /// Does `work`, and shows how far it is.
    pub(super) fn show<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.quiet {
            return work();
        }
        std::thread::scope(|scope| {
            scope.spawn(|| self.paint());
            let _ended = Ended(self);
            work()
        })
    }

    fn paint(&self) {
        let mut watch = Watch { started: now(), speed: Speed::default(), units: BTreeMap::new() };
        let mut next_line = FIRST_LOGGED;
        let mut gap = FIRST_LOGGED;
        let mut done = self.lock();
        while !done.ended {
            done = self.ended.wait_timeout(done, SHOWN).unwrap_or_else(PoisonError::into_inner).0;
            let so_far = *done;
            drop(done);
            let elapsed = watch.started.elapsed();
            let status = watch.look(self, so_far, &self.ui.interrupts().token().at_work());
            if !self.bar.is_hidden() {
                show_on(&self.bar, &status);
            } else if elapsed >= next_line {
                self.ui.note(&status.in_words());
                next_line = elapsed + gap;
                gap = (gap * 2).min(MOST_LOGGED);
            }
            done = self.lock();
        }
        self.bar.finish_and_clear();
    }

    /// How much of a unit is done that is at work.
    fn of_unit(&self, report: &Report) -> f64 {
        let Some(&Unit { point, algorithm, .. }) = self.units.get(report.task) else { return 0.0 };
        let experiment = &self.scenario.points[point].experiment;
        let demand = experiment.demand(algorithm);
        let planning = as_float(demand.planning_time);
        let share = match as_float(demand.running_time) {
            0.0 => 1.0,
            running => (planning / (planning + running)).min(0.99),
        };
        match report.ran {
            Some(ran) => share + (1.0 - share) * ran,
            None => share * report.planned,
        }
    }
}

/// Does `work` before there are rows, such as reading a large scenario; if that takes long, says so in between, unless
/// `quiet`.
pub(super) fn patient<T>(ui: &Ui, what: &str, quiet: bool, work: impl FnOnce() -> T) -> T {
    let (ended, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        if !quiet {
            scope.spawn(move || {
                let mut elapsed = Duration::ZERO;
                let mut gap = FIRST_LOGGED;
                while wait.recv_timeout(gap) == Err(RecvTimeoutError::Timeout) {
                    elapsed += gap;
                    gap = elapsed.min(MOST_LOGGED);
                    ui.note(&format!("{what}: {} so far", duration(elapsed.as_secs_f64())));
                }
            });
        }
        let made = work();
        drop(ended);
        made
    })
}

/// Ends what is shown, also when what is shown panics.
struct Ended<'a>(&'a Progress<'a>);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.ended.notify_all();
    }
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn as_float(number: u64) -> f64 {
    number as f64
}

/// What has been seen of units at work.
struct Watch {
    started: Instant,
    speed: Speed,
    /// By thread and unit.
    units: BTreeMap<(usize, usize), Seen>,
}

/// A unit at work.
#[derive(Clone)]
struct Seen {
    since: Instant,
    /// What its runs have counted in all, and what the last one has.
    counted: u64,
    last: u64,
    what: Counted,
    speed: Speed,
}

/// How long ago how much was done: the later half of it, as what comes is more like that than like the beginning.
#[derive(Clone, Default)]
struct Speed(VecDeque<(f64, f64)>);

impl Speed {
    /// How long it will take from now on, with a `share` done after so many seconds; none if that cannot be said.
    fn left(&mut self, elapsed: f64, share: f64) -> Option<f64> {
        self.0.push_back((elapsed, share));
        while self.0.get(1).is_some_and(|&(then, _)| then <= elapsed / 2.0) {
            self.0.pop_front();
        }
        let &(then, before) = self.0.front()?;
        (elapsed > 1.0 && share > before).then(|| (elapsed - then) * (1.0 - share) / (share - before))
    }
}

impl Watch {
    fn look(&mut self, progress: &Progress<'_>, done: Done, at_work: &[Report]) -> Status {
        let mut units = BTreeMap::new();
        let mut work = as_float(done.work);
        let mut longest: f64 = 0.0;
        let mut rate = None;
        for report in at_work.iter().filter(|report| progress.work.get(report.task).is_some_and(|&work| work > 0)) {
            let key = (report.thread, report.task);
            let (count, what) = report.count;
            let fresh = || Seen { since: now(), counted: 0, last: 0, what, speed: Speed::default() };
            let mut seen = self.units.remove(&key).unwrap_or_else(fresh);
            // a run after another begins to count anew
            seen.counted += if count < seen.last { count } else { count - seen.last };
            seen.last = count;
            seen.what = what;
            let share = progress.of_unit(report);
            work += share * as_float(progress.work[report.task]);
            let elapsed = seen.since.elapsed().as_secs_f64();
            longest = longest.max(seen.speed.left(elapsed, share).unwrap_or(0.0));
            if seen.counted > 0 && elapsed > 1.0 {
                let others = rate.filter(|&(_, other)| other == what).map_or(0.0, |(rate, _)| rate);
                rate = Some((others + as_float(seen.counted) / elapsed, what));
            }
            units.insert(key, seen);
        }
        self.units = units;
        let share = (work / as_float(progress.all.work).max(1.0)).clamp(0.0, 1.0);
        let elapsed = self.started.elapsed().as_secs_f64();
        let left = self.speed.left(elapsed, share).map(|left| left.max(longest));
        Status { rows: done.rows, all: progress.all.rows, share, elapsed, rate, left }
    }
}

/// How far everything is.
struct Status {
    rows: u64,
    all: u64,
    /// Of all work, from 0 to 1.
    share: f64,
    /// Seconds.
    elapsed: f64,
    /// What runs at work count in a second.
    rate: Option<(f64, Counted)>,
    /// Seconds, if that can be said.
    left: Option<f64>,
}

impl Status {
    fn in_words(&self) -> String {
        let Self { rows, all, share, .. } = *self;
        let of = if all == 1 && rows < all { " of the row" } else { "" };
        // all is done when all rows are
        let percent = if rows == all { 100.0 } else { (share * 100.0).min(99.9) };
        let digits = match percent {
            _ if rows == all => 0,
            percent if percent < 0.1 => 3,
            percent if percent < 1.0 => 2,
            _ => 1,
        };
        let mut words = format!("{rows} of {}, {percent:.digits$} %{of}", counted(all, "row"));
        let rate = match self.rate {
            _ if rows > 0 => Some(rows_in_words(as_float(rows) / self.elapsed.max(1e-3))),
            Some((rate, what)) => Some(format!("{} {}/s", in_short(rate), what.name())),
            None => None,
        };
        let left = self.left.map(|left| format!("about {} left", duration(left)));
        for more in rate.into_iter().chain(left) {
            words += ", ";
            words += &more;
        }
        words
    }
}

fn show_on(bar: &ProgressBar, status: &Status) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a thousand")]
    bar.set_position((status.share * 1000.0) as u64);
    bar.set_message(status.in_words());
}

/// So many rows in a second; of slow ones, how long one takes.
fn rows_in_words(rate: f64) -> String {
    match rate {
        rate if rate >= 10.0 => format!("{rate:.0} rows/s"),
        rate if rate >= 1.0 => format!("{rate:.1} rows/s"),
        rate if rate > 0.1 => format!("{:.1} s/row", 1.0 / rate),
        rate => format!("{}/row", duration(1.0 / rate)),
    }
}

pub(super) fn in_short(number: f64) -> String {
    match number {
        n if n >= 1e9 => format!("{:.1} billion", n / 1e9),
        n if n >= 1e6 => format!("{:.1} million", n / 1e6),
        n if n >= 1e4 => format!("{:.0} thousand", n / 1e3),
        n => format!("{n:.0}"),
    }
}

/// `seconds` in words.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for people to read")]
pub(super) fn duration(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        _ if minutes < 100 => format!("{minutes} min"),
        _ if minutes < 48 * 60 => format!("{} h {:02} min", minutes / 60, minutes % 60),
        _ => format!("{} days", (minutes + 12 * 60) / (24 * 60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_how_far_how_fast_and_how_long() {
        let one = Status {
            rows: 0,
            all: 1,
            share: 0.372,
            elapsed: 24.0,
            rate: Some((1.9e6, Counted::Flits)),
            left: Some(40.4),
        };
        assert_eq!(one.in_words(), "0 of 1 row, 37.2 % of the row, 1.9 million flits/s, about 40 s left");
        let many = Status { rows: 3, all: 105, share: 0.05, elapsed: 12.0, left: Some(6000.0), ..one };
        assert_eq!(many.in_words(), "3 of 105 rows, 5.0 %, 4.0 s/row, about 1 h 40 min left");
        let little = Status { share: 0.000_123, ..one };
        assert!(little.in_words().starts_with("0 of 1 row, 0.012 % of the row, "));
        let none = Status { rows: 0, share: 1.0, rate: None, left: None, ..many };
        assert_eq!(none.in_words(), "0 of 105 rows, 99.9 %");
    }

    #[test]
    fn the_time_left_follows_the_later_half() {
        // a tenth at once, then a hundredth each second
        let mut speed = Speed::default();
        let left: Vec<_> = (0..=40).map(|at| speed.left(f64::from(at), 0.1 + f64::from(at) / 100.0)).collect();
        assert_eq!(left[0], None);
        assert!((left[40].unwrap_or(0.0) - 50.0).abs() < 1e-9, "{:?}", left[40]);
    }

    #[test]
    fn slow_rows_are_not_0_rows_in_a_second() {
        let words = [250.4, 3.12, 0.5, 0.01, 1e-4].map(rows_in_words);
        assert_eq!(words, ["250 rows/s", "3.1 rows/s", "2.0 s/row", "2 min/row", "2 h 47 min/row"]);
    }
}
