//! Cases on all threads, until one breaks a law, enough were run, or the time is over.

use super::Area;
use super::features::{FeatureSet, Pairs};
use super::laws::{Broken, NO_PANIC};
use super::report::Finding;
use super::subject::Effort;
use crate::cancel::{Cancelled, Token};
use std::any::Any;
use std::cell::Cell;
use std::num::{NonZeroU64, NonZeroUsize};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A hunt for a case that breaks a law of an area.
#[derive(Clone, Copy)]
pub struct Hunt {
    /// Of what.
    pub area: Area,
    /// The number of the first case.
    pub seed: u64,
    /// How many cases at most.
    pub cases: u64,
    /// How many threads.
    pub threads: NonZeroUsize,
}

/// How far a hunt is, for others to look at.
#[derive(Debug)]
pub struct Progress {
    cases: AtomicU64,
    messages: AtomicU64,
    /// What each thread is at.
    workers: Vec<Worker>,
}

/// What a thread is at.
#[derive(Debug, Default)]
struct Worker {
    /// The number of the case; any before the first.
    case: AtomicU64,
    /// How many it has begun, those included that are tried to make one smaller.
    begun: AtomicU64,
}

impl Worker {
    fn begins(&self, case: u64) {
        self.case.store(case, Ordering::Relaxed);
        self.begun.fetch_add(1, Ordering::Relaxed);
    }
}

/// What a thread is at: where both stay the same, it is still at the same case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtWork {
    /// The number of the case, or of the one that is made smaller.
    pub case: u64,
    /// How many it has begun; none before the first and after the last.
    pub begun: Option<NonZeroU64>,
}

impl Progress {
    /// Of a hunt with so many threads that has not begun.
    pub fn new(threads: NonZeroUsize) -> Self {
        let workers = std::iter::repeat_with(Worker::default).take(threads.get()).collect();
        Self { cases: AtomicU64::new(0), messages: AtomicU64::new(0), workers }
    }

    /// What each thread is at.
    pub fn at_work(&self) -> Vec<AtWork> {
        let at_work = |worker: &Worker| AtWork {
            case: worker.case.load(Ordering::Relaxed),
            begun: NonZeroU64::new(worker.begun.load(Ordering::Relaxed)),
        };
        self.workers.iter().map(at_work).collect()
    }

    /// Cases that were run.
    pub fn cases(&self) -> u64 {
        self.cases.load(Ordering::Relaxed)
    }

    /// Messages that arrived in them.
    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }
}

/// What a hunt has found, and what it has seen.
#[derive(Clone, Debug, Default)]
pub struct Hunted {
    /// Cases that were run.
    pub cases: u64,
    /// Messages that arrived in them.
    pub messages: u64,
    /// Cases in which messages waited for others, and for ever.
    pub blocked: u64,
    /// Cases in which messages waited for each other for ever.
    pub deadlocks: u64,
    /// What they had.
    pub met: Pairs,
    /// The first case that breaks a law, made small; the same with any number of threads.
    pub finding: Option<Finding>,
}

/// A case that was run.
pub(super) struct Checked {
    pub(super) met: FeatureSet,
    pub(super) judged: Result<Effort, Broken>,
}

/// The first case that broke a law, by its place in the hunt.
type First = Mutex<Option<(u64, Broken)>>;

thread_local! {
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is within a case, in which a panic is a finding and not the end.
pub fn is_within_case() -> bool {
    WITHIN.get()
}

/// What `work` gives; that it panicked breaks a law, too. Being cancelled goes on through it.
pub(super) fn caught<T>(work: impl FnOnce() -> Result<T, Broken>) -> Result<T, Broken> {
    let before = WITHIN.replace(true);
    let worked = catch_unwind(AssertUnwindSafe(work));
    WITHIN.set(before);
    worked.unwrap_or_else(|payload| {
        if payload.is::<Cancelled>() {
            resume_unwind(payload);
        }
        Err(NO_PANIC.broken(said(payload.as_ref())))
    })
}

/// What a panic says.
fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
}

impl Hunt {
    /// Runs cases as long as there are any and `goes_on` says so, which is asked now and then. Where the token of this thread is
    /// cancelled, what was seen so far is what is returned.
    pub fn run(&self, progress: &Progress, goes_on: &(dyn Fn() -> bool + Sync)) -> Hunted {
        let token = Token::current().unwrap_or_default();
        let next = AtomicU64::new(0);
        let limit = AtomicU64::new(self.cases);
        let first = First::default();
        let all = Mutex::new(Hunted::default());
        let work = &|worker: &Worker| {
            let mut seen = Hunted::default();
            // that it was cancelled is seen by the caller, who has cancelled it
            let _ = token.run(|| {
                self.work(&mut seen, Shared { next: &next, limit: &limit, first: &first, progress, worker, goes_on });
            });
            worker.begun.store(0, Ordering::Relaxed);
            all.lock().unwrap_or_else(PoisonError::into_inner).join(&seen);
        };
        std::thread::scope(|scope| {
            let mut workers = progress.workers.iter();
            let own = workers.next();
            for worker in workers {
                scope.spawn(move || work(worker));
            }
            own.into_iter().for_each(work);
        });
        let mut hunted = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
        hunted.finding = first.map(|(at, broken)| self.minimise(self.seed.wrapping_add(at), broken, progress));
        hunted
    }

    /// Case `number`, which is `broken`, made small.
    fn minimise(&self, number: u64, broken: Broken, progress: &Progress) -> Finding {
        let begins = || progress.workers.iter().take(1).for_each(|worker| worker.begins(number));
        self.area.minimise(number, broken, &begins)
    }

    /// One thread's cases. After one that breaks a law only those before it are of interest.
    fn work(&self, seen: &mut Hunted, shared: Shared<'_>) {
        loop {
            let from = shared.next.fetch_add(BATCH, Ordering::Relaxed);
            let limit = shared.limit.load(Ordering::Relaxed);
            if from >= limit || !(shared.goes_on)() {
                return;
            }
            for at in from..from.saturating_add(BATCH).min(limit) {
                let number = self.seed.wrapping_add(at);
                shared.worker.begins(number);
                let Checked { met, judged } = self.area.check(number);
                shared.progress.cases.fetch_add(1, Ordering::Relaxed);
                match judged {
                    Ok(effort) => {
                        shared.progress.messages.fetch_add(effort.messages, Ordering::Relaxed);
                        seen.add(met, effort);
                    }
                    Err(broken) => {
                        seen.add(met, Effort::default());
                        shared.found(at, broken);
                        break;
                    }
                }
            }
        }
    }
}

/// How many cases a thread takes at a time.
const BATCH: u64 = 32;

/// What the threads of a hunt share.
#[derive(Clone, Copy)]
struct Shared<'a> {
    /// The next case that is not taken, from 0.
    next: &'a AtomicU64,
    /// The first case that is not to be run.
    limit: &'a AtomicU64,
    first: &'a First,
    progress: &'a Progress,
    /// The thread's own.
    worker: &'a Worker,
    goes_on: &'a (dyn Fn() -> bool + Sync),
}

impl Shared<'_> {
    fn found(&self, at: u64, broken: Broken) {
        self.limit.fetch_min(at, Ordering::Relaxed);
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(before, _)| at < *before) {
            *first = Some((at, broken));
        }
    }
}

impl Hunted {
    fn add(&mut self, met: FeatureSet, effort: Effort) {
        self.cases += 1;
        self.messages += effort.messages;
        self.blocked += u64::from(effort.blocked);
        self.deadlocks += u64::from(effort.deadlocked);
        self.met.add(met);
    }

    fn join(&mut self, other: &Self) {
        self.cases += other.cases;
        self.messages += other.messages;
        self.blocked += other.blocked;
        self.deadlocks += other.deadlocks;
        self.met.join(&other.met);
    }
}
