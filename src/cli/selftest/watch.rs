//! What is seen of a hunt from outside: how far it is, and whether a case never ends.

use super::super::progress::{FIRST_LOGGED, MOST_LOGGED, SHOWN, duration};
use super::super::ui::Ui;
use super::super::{Failed, exit_code};
use super::Limit;
use super::told::rate;
use anyhow::Result;
use flitwise::kind::words::grouped;
use flitwise::selftest::{AtWork, Finding, Hunt, Progress};
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::DirEntry;
use std::process::exit;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How many looks in a row may find a thread at the same case: of [`SHOWN`] each, 12 seconds, where the longest cases take some
/// hundredths of one. Looks are counted and not seconds, as a machine may sleep, and those alone between which every thread at a
/// case had a processor, as other programs may have kept it, or its disk, from one.
const MOST_LOOKS: u32 = 60;

/// The least processor time of a thread between two looks that count, in hundredths of a second: a quarter of [`SHOWN`].
const LEAST_TIME: u64 = 5;

/// The processor time that each thread of the process has taken so far, in hundredths of a second.
type Times = BTreeMap<OsString, u64>;

/// The processor times of all threads, where the system reports them.
fn processor_times() -> Option<Times> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    // a thread that has just ended has no time any more
    Some(threads.filter_map(|thread| processor_time(&thread.ok()?)).collect())
}

/// The number of `thread` and its processor time.
fn processor_time(thread: &DirEntry) -> Option<(OsString, u64)> {
    let stat = std::fs::read_to_string(thread.path().join("stat")).ok()?;
    let (_, behind_name) = stat.rsplit_once(')')?;
    let mut times = behind_name.split_whitespace().skip(11);
    let user: u64 = times.next()?.parse().ok()?;
    let system: u64 = times.next()?.parse().ok()?;
    Some((thread.file_name(), user + system))
}

/// Returns true if at least `threads` threads had a processor between two looks at their times, or if the system does not report
/// these.
fn have_worked(before: Option<&Times>, now: Option<&Times>, threads: usize) -> bool {
    let Some((before, now)) = before.zip(now) else { return true };
    let has_worked = |(thread, time): &(&OsString, &u64)| {
        let since = before.get(*thread).map_or(**time, |before| time.saturating_sub(*before));
        since >= LEAST_TIME
    };
    now.iter().filter(has_worked).count() >= threads
}

/// How often threads were seen at the same case.
#[derive(Default)]
struct Patience {
    seen: Vec<AtWork>,
    looks: Vec<u32>,
}

impl Patience {
    /// Looks at what threads are at, which counts if they have `worked` since; a case that does not end, if there is one.
    fn look(&mut self, at_work: &[AtWork], worked: bool) -> Option<u64> {
        self.looks.resize(at_work.len(), 0);
        for (at, now) in at_work.iter().enumerate() {
            let is_same = now.begun.is_some() && self.seen.get(at) == Some(now);
            self.looks[at] = if is_same { self.looks[at] + u32::from(worked) } else { 0 };
        }
        self.seen = at_work.to_vec();
        let stuck = self.looks.iter().position(|&looks| looks >= MOST_LOOKS)?;
        Some(at_work[stuck].case)
    }
}

/// Shows how far a hunt is.
pub(super) struct Watch<'a> {
    pub(super) ui: &'a Ui,
    pub(super) hunt: Hunt,
    pub(super) limit: Limit,
    pub(super) progress: &'a Progress,
    pub(super) started: Instant,
    /// Whether nothing is shown.
    pub(super) quiet: bool,
}

impl Watch<'_> {
    /// Does `work`, and shows how far it is: on a terminal as a bar, elsewhere now and then as a line. Where a case never ends,
    /// `never_ends` is told of it, and the process ends, as nothing else could end it.
    pub(super) fn over<T>(&self, never_ends: impl Fn(&Finding) -> Result<()> + Sync, work: impl FnOnce() -> T) -> T {
        let (ended, wait) = mpsc::channel::<()>();
        let never_ends = &never_ends;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if let Some(case) = self.look(&wait) {
                    self.give_up(case, never_ends);
                }
            });
            let worked = work();
            drop(ended);
            worked
        })
    }

    /// Until the work has ended; or to the first case that does not end.
    fn look(&self, wait: &mpsc::Receiver<()>) -> Option<u64> {
        let bar = self.ui.bar();
        let mut next_line = FIRST_LOGGED;
        let mut gap = FIRST_LOGGED;
        let mut patience = Patience::default();
        let mut endless = None;
        let mut times = processor_times();
        while endless.is_none() && wait.recv_timeout(SHOWN) == Err(RecvTimeoutError::Timeout) {
            let elapsed = self.started.elapsed();
            let before = std::mem::replace(&mut times, processor_times());
            let at_work = self.progress.at_work();
            let threads = at_work.iter().filter(|thread| thread.begun.is_some()).count();
            endless = patience.look(&at_work, have_worked(before.as_ref(), times.as_ref(), threads));
            if self.quiet {
                continue;
            }
            if !bar.is_hidden() {
                self.show_on(&bar, elapsed);
            } else if elapsed >= next_line {
                self.ui.note(&self.in_words(elapsed));
                next_line = elapsed + gap;
                gap = (gap * 2).min(MOST_LOGGED);
            }
        }
        bar.finish_and_clear();
        endless
    }

    /// Tells of a case that does not end, and ends.
    fn give_up(&self, case: u64, never_ends: &dyn Fn(&Finding) -> Result<()>) -> ! {
        let finding = self.hunt.area.endless(case, SHOWN * MOST_LOOKS);
        let broken = || Failed(format!("violated invariant: {}", finding.broken.law.name)).into();
        let error = never_ends(&finding).err().unwrap_or_else(broken);
        self.ui.error(&error);
        exit(exit_code(&error).into())
    }

    fn show_on(&self, bar: &ProgressBar, elapsed: Duration) {
        let share = self.limit.share(self.progress.cases(), elapsed);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a thousand")]
        bar.set_position((share * 1000.0) as u64);
        bar.set_message(self.in_words(elapsed));
    }

    fn in_words(&self, elapsed: Duration) -> String {
        let cases = self.progress.cases();
        let share = self.limit.share(cases, elapsed);
        let seconds = elapsed.as_secs_f64();
        let mut words = format!("{}: {} cases, {}", self.hunt.area.name(), grouped(cases), rate(cases, seconds));
        if share >= 1.0 {
            words += ", shrinking a failing case";
        } else if share > 0.0 {
            let _ = write!(words, ", about {} left", duration(seconds * (1.0 - share) / share)); // a string takes everything
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU64;

    #[test]
    fn a_case_that_is_seen_too_often_never_ends() {
        let at = |case: u64, begun: u64| AtWork { case, begun: NonZeroU64::new(begun) };
        let mut patience = Patience::default();
        let mut looks =
            |count: u32, first: AtWork, second: AtWork| (0..count).find_map(|_| patience.look(&[first, second], true));
        assert_eq!(looks(MOST_LOOKS, at(7, 1), at(8, 1)), None);
        assert_eq!(looks(MOST_LOOKS, at(7, 2), at(9, 2)), None, "the same case again is another begun");
        assert_eq!(looks(10 * MOST_LOOKS, at(7, 0), at(9, 0)), None, "threads that have ended are at nothing");
        assert_eq!(looks(MOST_LOOKS + 1, at(11, 4), at(9, 3)), Some(11));
        let mut patience = Patience::default();
        let idle = (0..10 * MOST_LOOKS).find_map(|_| patience.look(&[at(7, 1)], false));
        assert_eq!(idle, None, "a thread without a processor does not get on");
    }

    #[test]
    fn a_thread_that_computes_takes_time() {
        let Some(begun) = processor_times() else {
            return; // another system
        };
        while !have_worked(Some(&begun), processor_times().as_ref(), 1) {
            std::hint::spin_loop();
        }
        assert!(!have_worked(Some(&begun), Some(&begun), 1));
        assert!(have_worked(None, Some(&begun), 1) && have_worked(Some(&begun), None, 1));
    }

    #[test]
    fn every_thread_has_to_work() {
        let times = |times: [u64; 2]| Times::from([("1".into(), times[0]), ("2".into(), times[1])]);
        let worked = |now, threads| have_worked(Some(&times([7, 9])), Some(&times(now)), threads);
        assert!(worked([7 + LEAST_TIME, 9], 1) && worked([7 + LEAST_TIME, 9 + LEAST_TIME], 2));
        assert!(!worked([60, 9], 2), "one of two waits for its disk");
    }
}
