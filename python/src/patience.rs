//! Long work without the lock of the interpreter. Ctrl-C stops it, and a callback receives its progress.

use flitwise::cancel::{Cancelled, Token};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Interval between checks for signals, and between calls of the progress callback.
const LOOK: Duration = Duration::from_millis(50);

/// Amount of finished work.
#[derive(Default)]
pub(crate) struct Done(AtomicU64);

impl Done {
    /// Adds `more` to the finished work.
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A receiver of progress: `tell(done, all)`.
pub(crate) struct Progress<'a> {
    /// The callable, if there is one.
    pub(crate) tell: Option<Py<PyAny>>,
    /// Amount of finished work.
    pub(crate) done: &'a Done,
    /// Amount of all work.
    pub(crate) all: u64,
}

impl Progress<'_> {
    /// Calls the receiver if the progress differs from `told`.
    fn look(&self, py: Python<'_>, told: &mut Option<u64>) -> PyResult<()> {
        let now = self.done.now();
        if let Some(tell) = self.tell.as_ref().filter(|_| *told != Some(now)) {
            tell.call1(py, (now, self.all))?;
            *told = Some(now);
        }
        Ok(())
    }
}

/// A flag that a thread can wait for.
#[derive(Default)]
struct Ended {
    flag: Mutex<bool>,
    changed: Condvar,
}

impl Ended {
    fn set(&self) {
        *self.flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits for at most one [`LOOK`]. Returns true if the flag is set.
    fn wait(&self) -> bool {
        let flag = self.flag.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(flag, LOOK, |ended| !*ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Sets the flag when it is dropped, so that a panic sets it, too.
struct SetAtEnd<'a>(&'a Ended);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Runs `work` on another thread. Meanwhile, other threads can use the interpreter.
///
/// # Errors
/// Returns the exception that a signal handler or the callback of `progress` raises. It stops the work first.
pub(crate) fn patiently<T: Send>(
    py: Python<'_>,
    progress: Option<Progress<'_>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let token = Token::new();
    let ended = Ended::default();
    let worker_token = token.clone();
    let mut told = None;
    let look = |told: &mut Option<u64>| {
        py.check_signals()?;
        progress.as_ref().map_or(Ok(()), |progress| progress.look(py, told))
    };
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _end = SetAtEnd(&ended);
            worker_token.run(work)
        });
        let mut raised = None;
        while !py.detach(|| ended.wait()) {
            if let Err(error) = look(&mut told) {
                token.cancel();
                raised = Some(error);
                break;
            }
        }
        let done = py.detach(|| worker.join()).unwrap_or_else(|panic| resume_unwind(panic));
        match (raised, done) {
            (Some(error), _) => Err(error),
            (None, Ok(done)) => {
                look(&mut told)?;
                Ok(done)
            }
            (None, Err(Cancelled)) => Err(PyKeyboardInterrupt::new_err("cancelled")),
        }
    })
}
