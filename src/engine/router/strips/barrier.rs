//! A barrier for threads that meet in every cycle.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{available_parallelism, yield_now};

/// Looks at the barrier before a thread lets others use its core, where each has a core of its own: that others are late for longer
/// is rare.
const SPINS: u32 = 1 << 12;

/// A thread that was to meet others has panicked or was cancelled.
pub(super) struct Broken;

/// A barrier for a fixed number of threads.
pub(super) struct Barrier {
    threads: usize,
    /// Looks before a thread lets others use its core.
    spins: u32,
    waiting: AtomicUsize,
    /// The number of times that all threads have met.
    met: AtomicUsize,
    is_broken: AtomicBool,
}

impl Barrier {
    /// Creates a barrier for a number of `threads`.
    pub(super) fn new(threads: usize) -> Self {
        let has_cores = available_parallelism().is_ok_and(|cores| threads <= cores.get());
        Self {
            threads,
            spins: if has_cores { SPINS } else { 0 },
            waiting: AtomicUsize::new(0),
            met: AtomicUsize::new(0),
            is_broken: AtomicBool::new(false),
        }
    }

    /// Waits until all threads have called it. What they wrote before is visible to all of them after it.
    ///
    /// # Errors
    /// If a thread will not come.
    pub(super) fn meet(&self) -> Result<(), Broken> {
        let met = self.met.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.waiting.store(0, Ordering::Relaxed);
            self.met.store(met.wrapping_add(1), Ordering::Release);
            return Ok(());
        }
        let mut spins = 0;
        while self.met.load(Ordering::Acquire) == met {
            if self.is_broken.load(Ordering::Relaxed) {
                return Err(Broken);
            }
            if spins < self.spins {
                spins += 1;
                spin_loop();
            } else {
                yield_now();
            }
        }
        Ok(())
    }

    /// Breaks the barrier when the thread that holds the guard unwinds.
    pub(super) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }
}

/// The membership of a thread.
pub(super) struct Guard<'a>(&'a Barrier);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn no_thread_passes_before_all_have_met() {
        let barrier = Barrier::new(3);
        let count = AtomicUsize::new(0);
        let visit = || {
            for round in 1..=100 {
                count.fetch_add(1, Ordering::Relaxed);
                assert!(barrier.meet().is_ok());
                assert_eq!(count.load(Ordering::Relaxed), 3 * round);
                assert!(barrier.meet().is_ok());
            }
        };
        thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(visit))));
        assert_eq!(count.into_inner(), 300);
    }

    #[test]
    fn a_thread_that_unwinds_breaks_the_barrier() {
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            let lost = scope.spawn(|| {
                let _guard = barrier.guard();
                std::panic::resume_unwind(Box::new(()));
            });
            assert!(lost.join().is_err());
            assert!(barrier.meet().is_err());
        });
    }
}
