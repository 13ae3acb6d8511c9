//! Threads that work on tasks, as many at once as fit into memory.
//!
//! All idle threads take from one queue, so that none is idle while there is work: what work stealing gives, with one
//! order for all. This file knows neither units nor rows.

use crate::cancel::{self, Token};
use crate::cores;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

/// Something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// What.
    pub unit: usize,
    /// Roughly how long it takes, in nanoseconds.
    pub time: u64,
    /// The most memory that it takes, in bytes.
    pub memory: u64,
}

/// `tasks` in the order in which all threads are busy longest: those that take longest first.
pub(super) fn longest_first(mut tasks: Vec<Task>) -> Vec<Task> {
    tasks.sort_by_key(|task| (Reverse(task.time), task.unit));
    tasks
}

/// Threads that work. A task may use several of them where there are more threads than tasks ([`cores::available`]).
#[derive(Clone, Copy, Debug)]
pub struct WorkerPool {
    /// How many threads.
    pub threads: NonZeroUsize,
    /// The memory that all tasks at work may take, in bytes. A task that takes more is done alone.
    pub memory: u64,
}

/// How many tasks are looked at for one that fits.
const LOOK_AHEAD: usize = 256;

/// How many batches of results are handed on at once.
const MOST_AT_ONCE: usize = 64;

/// The most work, by its estimate in nanoseconds, whose results a thread holds before it hands them on: so much that
/// waking the thread that takes them does not matter, so little that repeating it does not. A longer task is not begun
/// before they are handed on.
const HELD: u64 = 2_000_000;

/// How soon a thread that waits for memory sees that it is to stop.
const PATIENCE: Duration = Duration::from_millis(100);

struct Queue {
    waiting: VecDeque<Task>,
    working: usize,
    memory: u64,
}

struct Shared<'a> {
    queue: Mutex<Queue>,
    freed: Condvar,
    /// Threads of all tasks together.
    threads: NonZeroUsize,
    memory: u64,
    stop: &'a AtomicBool,
    /// What cancels all work, if anything does.
    token: Option<Token>,
    closed: AtomicBool,
}

impl Shared<'_> {
    /// Whether nothing is to be begun any more.
    fn ends(&self) -> bool {
        let cancelled = self.token.as_ref().is_some_and(Token::is_cancelled);
        cancelled || self.stop.load(Ordering::Relaxed) || self.closed.load(Ordering::Relaxed)
    }

    /// The queue; a thread that panicked has left it whole.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next task that fits, and the number of threads that it may use, or `None` if nothing is left or all are to stop.
    fn take(&self) -> Option<(Task, NonZeroUsize)> {
        let mut queue = self.queue();
        loop {
            if self.ends() {
                return None;
            }
            let fits = |task: &Task| queue.working == 0 || queue.memory.saturating_add(task.memory) <= self.memory;
            let at = queue.waiting.iter().take(LOOK_AHEAD).position(fits);
            if let Some(task) = at.and_then(|at| queue.waiting.remove(at)) {
                queue.working += 1;
                queue.memory = queue.memory.saturating_add(task.memory);
                // as many as tasks that begin later, so that all together never use more than there are
                let unfinished = queue.working + queue.waiting.len();
                return Some((task, NonZeroUsize::new(self.threads.get() / unfinished).unwrap_or(NonZeroUsize::MIN)));
            }
            if queue.waiting.is_empty() {
                return None;
            }
            queue = self.freed.wait_timeout(queue, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn done(&self, task: Task) {
        let mut queue = self.queue();
        queue.working -= 1;
        queue.memory = queue.memory.saturating_sub(task.memory);
        drop(queue);
        self.freed.notify_all();
    }
}

/// Results that a thread has not handed on yet.
struct ResultBuffer<T> {
    held: Vec<(usize, T)>,
    /// The work in them.
    time: u64,
    sender: mpsc::SyncSender<Vec<(usize, T)>>,
}

impl<T> ResultBuffer<T> {
    /// Hands on what is held before a task is begun that takes long. False if it is not taken any more.
    fn make_room(&mut self, time: u64) -> bool {
        self.time.saturating_add(time) < HELD || self.flush()
    }

    /// Takes what was made of a task, and hands it on if that is worth it. False if it is not taken any more.
    fn take(&mut self, task: Task, made: T) -> bool {
        self.held.push((task.unit, made));
        self.time = self.time.saturating_add(task.time);
        self.time < HELD || self.flush()
    }

    /// Hands on what is held. False if it is not taken any more.
    fn flush(&mut self) -> bool {
        self.time = 0;
        self.held.is_empty() || self.sender.send(std::mem::take(&mut self.held)).is_ok()
    }
}

impl WorkerPool {
    /// Does `tasks`, begun in their order as far as memory allows, and hands what `compute` makes of their units to `sink`,
    /// several at once, as they are done. Once `stop` is set, what is at work is finished and handed on, and nothing is
    /// begun. There are never more threads than tasks.
    ///
    /// The threads are within the [`Token`] that the caller is within. When it is cancelled, what is at work ends, what is
    /// done is handed on, and then the caller is unwound, too.
    ///
    /// # Errors
    /// The first of `sink`, after which nothing is handed on.
    pub fn work<T: Send, E>(
        &self,
        tasks: Vec<Task>,
        stop: &AtomicBool,
        compute: impl Fn(usize) -> T + Sync,
        mut sink: impl FnMut(Vec<(usize, T)>) -> Result<(), E>,
    ) -> Result<(), E> {
        let threads = self.threads.get().min(tasks.len());
        let queue = Mutex::new(Queue { waiting: tasks.into(), working: 0, memory: 0 });
        let closed = AtomicBool::new(false);
        let token = Token::current();
        let shared =
            Shared { queue, freed: Condvar::new(), threads: self.threads, memory: self.memory, stop, token, closed };
        let (sender, receiver) = mpsc::sync_channel(4 * self.threads.get().min(4096));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (shared, compute, sender) = (&shared, &compute, sender.clone());
                scope.spawn(move || {
                    let mut buffer = ResultBuffer { held: Vec::new(), time: 0, sender };
                    match &shared.token {
                        // what it has held is handed on whether it has ended early or not
                        Some(token) => drop(token.run(|| shared.work(compute, &mut buffer))),
                        None => shared.work(compute, &mut buffer),
                    }
                    buffer.flush();
                });
            }
            drop(sender);
            while let Ok(first) = receiver.recv() {
                let more = std::iter::from_fn(|| receiver.try_recv().ok()).take(MOST_AT_ONCE - 1);
                if let Err(error) = sink(std::iter::once(first).chain(more).flatten().collect()) {
                    shared.closed.store(true, Ordering::Relaxed);
                    drop(receiver); // lets threads that wait to hand on go
                    return Err(error);
                }
            }
            Ok(())
        })?;
        cancel::checkpoint();
        Ok(())
    }
}

impl Shared<'_> {
    /// What a thread does: one task after the other, until there is none, or what it makes is not taken any more.
    fn work<T>(&self, compute: &impl Fn(usize) -> T, buffer: &mut ResultBuffer<T>) {
        while let Some((task, threads)) = self.take() {
            if !buffer.make_room(task.time) {
                return;
            }
            cancel::begin(task.unit);
            let result = cores::with_threads(threads, || compute(task.unit));
            self.done(task);
            if !buffer.take(task, result) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    fn pool(threads: usize, memory: u64) -> WorkerPool {
        WorkerPool { threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN), memory }
    }

    /// What was done, in order of completion.
    fn done(pool: WorkerPool, tasks: Vec<Task>, compute: impl Fn(usize) + Sync) -> Vec<usize> {
        let mut done = Vec::new();
        let worked = pool.work(tasks, &AtomicBool::new(false), compute, |batch| {
            done.extend(batch.into_iter().map(|(unit, ())| unit));
            Ok::<(), ()>(())
        });
        assert_eq!(worked, Ok(()));
        done
    }

    #[test]
    fn the_longest_goes_first() {
        let tasks = [3, 9, 1, 9].iter().enumerate().map(|(unit, &time)| Task { unit, time, memory: 0 }).collect();
        assert_eq!(done(pool(1, 0), longest_first(tasks), |_| {}), [1, 3, 0, 2]);
    }

    #[test]
    fn no_more_is_at_work_than_fits() {
        let sizes: Vec<u64> = (0..200).map(|at| 1 + at * 37 % 60).collect();
        let tasks = sizes.iter().enumerate().map(|(unit, &memory)| Task { unit, time: 1, memory }).collect();
        let (used, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let mut done = done(pool(8, 64), tasks, |unit| {
            let now = used.fetch_add(sizes[unit], Ordering::SeqCst) + sizes[unit];
            most.fetch_max(now, Ordering::SeqCst);
            std::thread::sleep(Duration::from_micros(300));
            used.fetch_sub(sizes[unit], Ordering::SeqCst);
        });
        done.sort_unstable();
        assert!(done.into_iter().eq(0..200));
        assert!((1..=64).contains(&most.load(Ordering::SeqCst)), "{most:?}");
    }

    #[test]
    fn what_does_not_fit_at_all_is_done_alone() {
        let tasks = vec![Task { unit: 0, time: 1, memory: 100 }, Task { unit: 1, time: 1, memory: 100 }];
        let at_work = AtomicU64::new(0);
        let done = done(pool(2, 10), tasks, |_| {
            assert_eq!(at_work.fetch_add(1, Ordering::SeqCst), 0);
            std::thread::sleep(Duration::from_millis(5));
            at_work.fetch_sub(1, Ordering::SeqCst);
        });
        assert_eq!(done.len(), 2);
    }

    #[test]
    fn after_stop_nothing_is_begun_and_all_that_was_is_handed_on() {
        let tasks = (0..1000).map(|unit| Task { unit, time: 1, memory: 0 }).collect();
        let (stop, begun) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut handed = 0;
        let compute = |unit| {
            begun.fetch_add(1, Ordering::SeqCst);
            stop.store(unit >= 20, Ordering::SeqCst);
        };
        let worked = pool(3, 0).work(tasks, &stop, compute, |batch| {
            handed += batch.len() as u64;
            Ok::<(), ()>(())
        });
        assert_eq!((worked, handed), (Ok(()), begun.load(Ordering::SeqCst)));
        assert!(handed < 1000);
    }

    #[test]
    fn a_token_that_is_cancelled_ends_tasks_at_work_and_what_was_done_is_handed_on() {
        let tasks = (0..100).map(|unit| Task { unit, time: HELD, memory: 0 }).collect();
        let token = Token::new();
        let mut handed = Vec::new();
        let compute = |unit| {
            if unit >= 3 {
                token.cancel();
                cancel::checkpoint();
            }
        };
        let worked = token.run(|| {
            pool(1, 0).work(tasks, &AtomicBool::new(false), compute, |batch| {
                handed.extend(batch.into_iter().map(|(unit, ())| unit));
                Ok::<(), ()>(())
            })
        });
        assert_eq!((worked, handed), (Err(cancel::Cancelled), vec![0, 1, 2]));
    }

    #[test]
    fn there_are_no_more_threads_than_tasks() {
        let tasks = (0..3).map(|unit| Task { unit, time: HELD, memory: 0 }).collect();
        let threads = Mutex::new(std::collections::BTreeSet::new());
        done(pool(100_000, 0), tasks, |_| {
            threads.lock().unwrap_or_else(PoisonError::into_inner).insert(format!("{:?}", std::thread::current().id()));
        });
        assert!((1..=3).contains(&threads.into_inner().unwrap_or_else(PoisonError::into_inner).len()));
    }

    #[test]
    fn a_sink_that_refuses_ends_the_work() {
        let tasks = (0..1000).map(|unit| Task { unit, time: 1, memory: 0 }).collect();
        let worked = pool(3, 0).work(tasks, &AtomicBool::new(false), |_| {}, |_| Err("full"));
        assert_eq!(worked, Err("full"));
    }
}
