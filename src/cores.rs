//! The threads that a task may use.
//!
//! A [`WorkerPool`](crate::run::WorkerPool) divides its threads among the tasks that are left. A task that can use several of them reads
//! here how many it has. Results never depend on that number.

use std::cell::Cell;
use std::num::NonZeroUsize;

thread_local! {
    static THREADS: Cell<NonZeroUsize> = const { Cell::new(NonZeroUsize::MIN) };
}

/// The number of threads that the current task may use, its own among them: 1 outside of [`with_threads`].
pub fn available() -> NonZeroUsize {
    THREADS.get()
}

/// Does `work`, a task that may use a number of `threads`.
pub fn with_threads<T>(threads: NonZeroUsize, work: impl FnOnce() -> T) -> T {
    let _before = Restore(THREADS.replace(threads));
    work()
}

/// Restores the number of threads when a task ends or is cancelled.
struct Restore(NonZeroUsize);

impl Drop for Restore {
    fn drop(&mut self) {
        THREADS.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_has_its_own_number_of_threads() {
        let [two, three] = [2, 3].map(|threads| NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN));
        with_threads(two, || {
            with_threads(three, || assert_eq!(available(), three));
            assert_eq!(available(), two);
        });
        assert_eq!(available(), NonZeroUsize::MIN);
    }
}
