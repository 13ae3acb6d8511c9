//! Long work: that it can be told to end, and how far it is.
//!
//! ```text
//!   who waits                             who works
//!   token.cancel()    ── a flag ────▶     checkpoint() in every loop that may take long: unwinds
//!   token.at_work()   ◀── gauges ────     planned(), ran(): how far, and a checkpoint
//!   token.run(work)   ◀── Err(Cancelled)
//! ```
//!
//! There is one way in which work ends early: the [`checkpoint`] that finds the flag set unwinds with [`Cancelled`], without a
//! panic and its message, up to the [`Token::run`] that the work began in. Planners and engines need no errors for it, and
//! what they have made is dropped on the way. A [`WorkerPool`](crate::run::WorkerPool) passes the token of its caller on to
//! its threads. Work outside of any token is never cancelled; nor is it where panics abort, as there nothing unwinds.
//!
//! This file knows neither clocks nor terminals, nor what the work is.
//!
//! ```
//! # #[cfg(feature = "config")] {
//! use flitwise::cancel::{Cancelled, Token};
//! use flitwise::run;
//! use flitwise::scenario::{DEFAULT, Scenario};
//!
//! let scenario: Scenario = DEFAULT.parse()?;
//! let token = Token::new(); // a clone of it in another thread, or a signal's handler, cancels the run
//! let mut rows = 0;
//! let ended = token.run(|| {
//!     run::run(&scenario, std::num::NonZeroUsize::MIN, false, |_| {
//!         rows += 1;
//!         token.cancel();
//!         Ok::<(), ()>(())
//!     })
//! });
//! assert!(matches!(ended, Err(Cancelled)) && rows > 0);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::cell::RefCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use thiserror::Error;

/// Work was told to end before it was done.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("cancelled")]
pub struct Cancelled;

/// Tells work to end, and sees how far it is. Clones are the same token.
#[derive(Clone, Debug, Default)]
pub struct Token(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    /// One for each thread that is within [`Token::run`].
    gauges: Mutex<Vec<Arc<Gauge>>>,
}

impl Shared {
    /// The gauges; a thread that panicked has left them whole.
    fn gauges(&self) -> MutexGuard<'_, Vec<Arc<Gauge>>> {
        self.gauges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is counted of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Counted {
    /// Messages that have arrived.
    Messages = 0,
    /// Flits that have moved.
    Flits = 1,
    /// Operations of ranks.
    Operations = 2,
}

impl Counted {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Flits => "flits",
            Self::Operations => "operations",
        }
    }

    fn from_number(number: u8) -> Self {
        match number {
            0 => Self::Messages,
            1 => Self::Flits,
            _ => Self::Operations,
        }
    }
}

/// How far a thread is with a task.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The thread: the same number as long as it is within [`Token::run`].
    pub thread: usize,
    /// The number of the task.
    pub task: usize,
    /// How much of the planning is done, from 0 to 1.
    pub planned: f64,
    /// How much of the run is done, from 0 to 1; none before it has begun to tell.
    pub ran: Option<f64>,
    /// How much of what the run has counted.
    pub count: (u64, Counted),
}

/// No task.
const IDLE: usize = usize::MAX;

/// How far a thread is. Fractions are kept as the bits of an `f64`, whose order is theirs, so that they only grow.
#[derive(Debug, Default)]
struct Gauge {
    task: AtomicUsize,
    planned: AtomicU64,
    ran: AtomicU64,
    count: AtomicU64,
    counted: AtomicU8,
}

/// What a thread is within.
struct Current {
    token: Token,
    gauge: Arc<Gauge>,
    /// The part of a task that steps are told of.
    part: Range<f64>,
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

/// Puts back what a thread was within before.
struct Restore(Option<Current>);

impl Drop for Restore {
    fn drop(&mut self) {
        let ended = CURRENT.replace(self.0.take());
        if let Some(Current { token, gauge, .. }) = ended {
            token.0.gauges().retain(|other| !Arc::ptr_eq(other, &gauge));
        }
    }
}

impl Token {
    /// A token that nothing has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells all work within the token to end.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether work within the token has been told to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// True if there are clones of the token, whose holders may cancel it.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// The innermost token that this thread is within.
    pub fn current() -> Option<Self> {
        CURRENT.with_borrow(|current| current.as_ref().map(|current| current.token.clone()))
    }

    /// Does `work` within the token. What of it outlives its being cancelled must be whole at every checkpoint.
    ///
    /// # Errors
    /// If the token was cancelled before the work was done.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        let gauge = Arc::new(Gauge { task: AtomicUsize::new(IDLE), ..Gauge::default() });
        self.0.gauges().push(Arc::clone(&gauge));
        let current = Current { token: self.clone(), gauge, part: 0.0..1.0 };
        let before = Restore(CURRENT.replace(Some(current)));
        let worked = catch_unwind(AssertUnwindSafe(work));
        drop(before);
        worked.or_else(|payload| if payload.is::<Cancelled>() { Err(Cancelled) } else { resume_unwind(payload) })
    }

    /// How far the tasks are that threads within the token have begun.
    pub fn at_work(&self) -> Vec<Report> {
        let gauges = self.0.gauges();
        let report = |gauge: &Arc<Gauge>| {
            let task = Some(gauge.task.load(Ordering::Relaxed)).filter(|&task| task != IDLE)?;
            let fraction = |bits: &AtomicU64| f64::from_bits(bits.load(Ordering::Relaxed));
            let counted = Counted::from_number(gauge.counted.load(Ordering::Relaxed));
            Some(Report {
                thread: Arc::as_ptr(gauge).addr(),
                task,
                planned: fraction(&gauge.planned),
                ran: Some(fraction(&gauge.ran)).filter(|&ran| ran > 0.0),
                count: (gauge.count.load(Ordering::Relaxed), counted),
            })
        };
        gauges.iter().filter_map(report).collect()
    }
}

/// This thread begins the task with this number.
pub fn begin(task: usize) {
    CURRENT.with_borrow_mut(|current| {
        let Some(Current { gauge, part, .. }) = current else { return };
        *part = 0.0..1.0;
        for number in [&gauge.planned, &gauge.ran, &gauge.count] {
            number.store(0, Ordering::Relaxed);
        }
        gauge.task.store(task, Ordering::Relaxed);
    });
}

/// Ends this thread's work here if it is within a token that has been cancelled: unwinds with [`Cancelled`]. It costs about
/// twenty instructions.
pub fn checkpoint() {
    let cancelled = |current: &Option<Current>| current.as_ref().is_some_and(|current| current.token.is_cancelled());
    if CURRENT.with_borrow(cancelled) {
        unwind();
    }
}

#[cold]
fn unwind() {
    if cfg!(panic = "unwind") {
        resume_unwind(Box::new(Cancelled));
    }
}

/// Tells how many of `all` steps of planning are done; a [`checkpoint`].
pub fn planned(done: u64, all: u64) {
    tell(done, all, |gauge| &gauge.planned);
    checkpoint();
}

/// Tells how many of `all` steps of a run are done, and so much as `count` of what; a [`checkpoint`].
pub fn ran(count: (u64, Counted), done: u64, all: u64) {
    tell(done, all, |gauge| {
        gauge.count.store(count.0, Ordering::Relaxed);
        gauge.counted.store(count.1 as u8, Ordering::Relaxed);
        &gauge.ran
    });
    checkpoint();
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn tell(done: u64, all: u64, fraction: impl FnOnce(&Gauge) -> &AtomicU64) {
    CURRENT.with_borrow(|current| {
        let Some(Current { gauge, part, .. }) = current else { return };
        let share = (done as f64 / all.max(1) as f64).clamp(f64::MIN_POSITIVE, 1.0);
        let whole = part.start + (part.end - part.start) * share;
        fraction(gauge).fetch_max(whole.to_bits(), Ordering::Relaxed);
    });
}

/// Does `step`, whose own steps are told of as the `part` of what this thread is at, from 0 to 1.
pub fn within<T>(part: Range<f64>, step: impl FnOnce() -> T) -> T {
    let outer = CURRENT.with_borrow_mut(|current| {
        let current = current.as_mut()?;
        let outer = current.part.clone();
        let at = |share: f64| outer.start + (outer.end - outer.start) * share;
        current.part = at(part.start)..at(part.end);
        Some(outer)
    });
    let made = step();
    if let Some(outer) = outer {
        CURRENT.with_borrow_mut(|current| current.iter_mut().for_each(|current| current.part = outer.clone()));
    }
    made
}

/// The steps of planning over `items`, each of which is told of, and begins with a [`checkpoint`].
pub fn steps<I: ExactSizeIterator>(items: I) -> impl Iterator<Item = I::Item> {
    let all = items.len() as u64;
    (0..).zip(items).map(move |(done, item)| {
        planned(done, all);
        item
    })
}

/// Looks at the flag once in so many small steps.
const EVERY: u32 = 1 << 12;

/// Small steps, of which every few thousandth is a [`checkpoint`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace(u32);

impl Pace {
    /// A small step.
    #[inline]
    pub fn step(&mut self) {
        self.0 += 1;
        if self.0 == EVERY {
            self.0 = 0;
            checkpoint();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_is_cancelled_unwinds_to_its_token_and_no_farther() {
        let (outer, inner) = (Token::new(), Token::new());
        let ended = outer.run(|| {
            let ended = inner.run(|| {
                checkpoint();
                inner.cancel();
                checkpoint();
            });
            checkpoint(); // of the outer one
            ended
        });
        assert_eq!(ended, Ok(Err(Cancelled)));
        assert!(outer.at_work().is_empty() && Token::current().is_none());
        checkpoint(); // of none
    }

    #[test]
    fn a_panic_goes_on_through_a_token() {
        let token = Token::new();
        let panicked = catch_unwind(AssertUnwindSafe(|| token.run(|| resume_unwind(Box::new("another")))));
        assert!(panicked.is_err_and(|payload| payload.is::<&str>()));
        assert!(Token::current().is_none());
    }

    #[test]
    fn a_task_tells_how_far_it_is_and_never_goes_back() -> Result<(), Cancelled> {
        let token = Token::new();
        let at = || token.at_work().first().map(|report| (report.task, report.planned, report.ran));
        token.run(|| {
            assert_eq!(at(), None);
            begin(3);
            within(0.5..1.0, || steps([7, 8].iter()).for_each(|_| {}));
            assert_eq!(at(), Some((3, 0.75, None)));
            planned(1, 4);
            assert_eq!(at(), Some((3, 0.75, None)));
            ran((5, Counted::Flits), 1, 4);
            assert_eq!(at(), Some((3, 0.75, Some(0.25))));
            assert_eq!(token.at_work()[0].count, (5, Counted::Flits));
            begin(4);
            assert_eq!(at(), Some((4, 0.0, None)));
        })
    }
}
