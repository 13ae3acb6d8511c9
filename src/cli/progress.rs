//! How far a sweep is, how fast it goes, and how long it will take.

use super::ui::Ui;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// How often a log gets a line.
const LOGGED: Duration = Duration::from_secs(60);

/// How often a terminal is written to.
const SHOWN: Duration = Duration::from_millis(200);

/// Looks at the clock, of which the library knows nothing.
#[expect(clippy::disallowed_methods, reason = "how long a run takes is told to its user; no result depends on it")]
pub(super) fn now() -> Instant {
    Instant::now()
}

/// Counts what is done. The time left is that of what is left by its estimate, at the speed so far.
pub(super) struct Progress {
    bar: ProgressBar,
    logs: bool,
    started: Instant,
    spoken: Instant,
    rows: (u64, u64),
    work: (u64, u64),
}

impl Progress {
    /// Of units with so many rows and so much work, shown unless `quiet`: on a terminal as a bar, else now and then as
    /// a line of a log.
    pub(super) fn new(ui: &Ui, units: impl Iterator<Item = (u64, u64)>, quiet: bool) -> Self {
        let (rows, work) = units.fold((0, 0), |(rows, work), unit| (rows + unit.0, work + u128::from(unit.1)));
        let bar = ui.progress(usize::try_from(rows).unwrap_or(usize::MAX), quiet);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} rows, {elapsed} elapsed, {msg}") {
            bar.set_style(style);
        }
        let logs = !quiet && bar.is_hidden();
        let now = now();
        let work = u64::try_from(work).unwrap_or(u64::MAX);
        Self { bar, logs, started: now, spoken: now, rows: (0, rows), work: (0, work) }
    }

    /// A unit with so many rows and so much work is done.
    pub(super) fn done(&mut self, (rows, work): (u64, u64)) {
        self.rows.0 += rows;
        self.work.0 = self.work.0.saturating_add(work);
    }

    /// Shows how far it is, if it is time to.
    pub(super) fn show(&mut self, ui: &Ui) {
        if self.spoken.elapsed() < if self.logs { LOGGED } else { SHOWN } {
            return;
        }
        self.spoken = now();
        self.bar.set_position(self.rows.0);
        self.bar.set_message(self.in_words());
        if self.logs {
            ui.note(&format!("{} of {} rows, {}", self.rows.0, self.rows.1, self.in_words()));
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    fn in_words(&self) -> String {
        let elapsed = self.started.elapsed().as_secs_f64();
        let rate = self.rows.0 as f64 / elapsed.max(1e-9);
        let left = elapsed * self.work.1.saturating_sub(self.work.0) as f64 / (self.work.0 as f64).max(1.0);
        format!("{rate:.0} rows/s, {} left", HumanDuration(Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX)))
    }

    /// Ends it, and tells how many rows were done.
    pub(super) fn finish(self) -> u64 {
        self.bar.finish_and_clear();
        self.rows.0
    }
}
