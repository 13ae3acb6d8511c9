//! Operations executed under LogGOPS, by the rules of the classic simulator.
//!
//! A rank has processors and interfaces, each free from some time on. Events are handled by time, and at the same time
//! by creation. At `t`:
//!
//! - a computation waits for its processor and occupies it; who requires it may be queued at once, for when their own
//!   processor is free. Over processors of one rank a dependency is therefore not one in time, as in the original;
//! - a send waits for processor and interface, occupies them for `o + e O` and `g + e G`, and its first byte arrives at
//!   `t + o + L`. Up to `S` bytes it has then finished; a longer one when it is matched, and not before is its sender
//!   free;
//! - a receive costs nothing. It takes the first message there that fits, or is posted;
//! - a message waits for processor and interface of the receiver (with the sender's numbers), occupies them for
//!   `o + max(e O, e G)` and `g + e G`, and is taken by the first receive posted that fits, or kept.
//!
//! Operations that become ready together are started by rank, sends first, then receives, then computations, and in the
//! order in which their dependencies are written, where the original leaves it to an unstable sort; those that waited
//! for a start come before those that waited for an end. A rank has finished when its processors are free.
//!
//! O(operations + dependencies) events, whatever waits for what.

use super::super::MessageTimes;
use super::waiting::Waiting;
use crate::cancel::{self, Counted};
use crate::events::{Event, EventQueue, Kind, RingQueue};
use crate::schedule::goal::{Action, Goal, GoalViolation, Matching, Operation, truncated};
use crate::units::{Ticks, narrow};

/// What a run of operations took.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Execution {
    /// Per rank: when its processors are free for good.
    pub finish: Vec<Ticks>,
    /// The latest of them.
    pub completion: Ticks,
    /// Messages that are longer than the receives that took them, if there are any: the classic simulator, like this
    /// one, matches source and tag alone.
    pub truncated: Option<GoalViolation>,
}

/// Executes `goal`, which must have passed [`Goal::check`]; `costs` tells what a message of so many bytes costs, and
/// messages longer than `eager` bytes wait for their receive.
///
/// ```
/// use flitwise::model::{LogGops, execute};
/// use flitwise::schedule::goal::Goal;
/// let model = LogGops { latency: 2500, overhead: 1500, gap: 1000, gap_per_byte: 6, overhead_per_byte: 0, eager: 65_535 };
/// let text = b"num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from 0\n}\n";
/// let goal = Goal::read(text).map_err(|errors| errors[0].clone())?;
/// let execution = execute(&goal, |bytes| model.parts(bytes), model.eager)?;
/// assert_eq!(execution.completion.0, 1500 + 2500 + 1500);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If operations are left when nothing happens any more, with those that found no match.
pub fn execute(goal: &Goal, costs: impl Fn(u64) -> MessageTimes, eager: u64) -> Result<Execution, GoalViolation> {
    let mut run = Run::new(goal, costs, eager);
    run.start();
    let mut handled: u64 = 0;
    while let Some(event) = run.queue.pop() {
        handled += 1;
        if handled.is_multiple_of(LOOK) {
            run.look_up();
        }
        run.fetch_ahead();
        run.handle(event.number, event.time.0);
    }
    run.end()
}

/// How many events pass before it looks up.
const LOOK: u64 = 1 << 14;

/// The event of a message on its way, rather than of an operation.
const MESSAGE: u32 = 1 << 31;

struct Run<'a, C> {
    goal: &'a Goal,
    costs: C,
    eager: u64,
    queue: RingQueue,
    /// Per event, by creation: the operation, or the send of a message, marked.
    events: Vec<u32>,
    rank: Vec<u32>,
    /// Per rank: when its processors, its interfaces for sends, and those for receives are free.
    free: Vec<u64>,
    cpus: usize,
    nics: usize,
    /// Per operation: how many it still waits for.
    waits: Vec<u32>,
    ready: Vec<u32>,
    matching: Matching,
    /// Receives that took longer messages, with the sends.
    truncated: Vec<(u32, u32)>,
    waiting: Waiting,
}

/// What an event needs: a rank's processor and, unless it computes, an interface.
#[derive(Clone, Copy)]
struct Needs {
    cpu: usize,
    nic: Option<usize>,
}

impl<'a, C: Fn(u64) -> MessageTimes> Run<'a, C> {
    fn new(goal: &'a Goal, costs: C, eager: u64) -> Self {
        let most =
            |of: fn(&Operation) -> u8| goal.operations().iter().map(of).max().map_or(1, |most| 1 + usize::from(most));
        let cpus = most(|operation| operation.cpu);
        let nics = most(|operation| operation.nic);
        let rank = (0..).zip(0..goal.ranks()).flat_map(|(number, rank)| goal.of_rank(rank).map(move |_| number));
        Self {
            goal,
            costs,
            eager,
            queue: RingQueue::default(),
            events: Vec::with_capacity(goal.operations().len() + goal.messages()),
            rank: rank.collect(),
            free: vec![0; goal.ranks() * (cpus + 2 * nics)],
            cpus,
            nics,
            waits: goal.waits().to_vec(),
            ready: Vec::new(),
            matching: Matching::new(goal),
            truncated: Vec::new(),
            waiting: Waiting::default(),
        }
    }

    fn start(&mut self) {
        for rank in 0..self.goal.ranks() {
            let mut roots: Vec<u32> = self.goal.of_rank(rank).filter(|&id| self.waits[id as usize] == 0).collect();
            roots.sort_by_key(|&id| self.goal.operations()[id as usize].action);
            for id in roots {
                self.create(id, 0);
            }
        }
    }

    /// Tells how far the run is.
    #[cold]
    fn look_up(&self) {
        let begun = self.events.len() as u64;
        let all = (self.goal.operations().len() + self.goal.messages()) as u64;
        cancel::ran((begun, Counted::Operations), begun, all);
    }

    fn create(&mut self, what: u32, time: u64) {
        let number =
            narrow(self.events.len(), "an operation has two events, and the highest bit of its number is free");
        self.events.push(what);
        self.put(number, time);
    }

    fn put(&mut self, number: u32, time: u64) {
        self.queue.push(Event { time: Ticks(time), kind: Kind::Request, number });
    }

    /// Touches what the events to come need, so that their cache misses overlap.
    #[inline]
    fn fetch_ahead(&mut self) {
        let mut touched = 0;
        for event in self.queue.announce() {
            let what = self.events[event.number as usize];
            let operation = &self.goal.operations()[(what & !MESSAGE) as usize];
            if what & MESSAGE != 0 {
                touched ^= self.free[operation.peer as usize * (self.cpus + 2 * self.nics)];
                touched ^= self.matching.touch(operation.peer);
            }
        }
        std::hint::black_box(touched);
    }

    fn handle(&mut self, number: u32, now: u64) {
        let what = self.events[number as usize];
        let id = what & !MESSAGE;
        let operation = self.goal.operations()[id as usize];
        let message = what & MESSAGE != 0;
        if operation.action == Action::Receive {
            return self.receive(id, &operation, now);
        }
        let needs = self.needs(id, &operation, message);
        let key = needs.cpu as u64 | (needs.nic.map_or(0, |nic| nic + 1) as u64) << 32;
        if self.free_from(needs) > now {
            if self.waiting.wait(key, number) {
                self.put(number, self.free_from(needs));
            }
            return;
        }
        match operation.action {
            _ if message => self.arrive(id, &operation, needs, now),
            Action::Send => self.send(id, &operation, needs, now),
            Action::Compute | Action::Receive => {
                self.free[needs.cpu] = now + operation.size;
                self.started(id);
                self.finish(id);
            }
        }
        if let Some(next) = self.waiting.went_on(key, number) {
            self.put(next, self.free_from(needs).max(now));
        }
        self.queue_ready(now);
    }

    fn needs(&self, id: u32, operation: &Operation, message: bool) -> Needs {
        let rank = if message { operation.peer } else { self.rank[id as usize] };
        let base = rank as usize * (self.cpus + 2 * self.nics);
        let side = if message { self.nics } else { 0 };
        let nic = base + self.cpus + side + usize::from(operation.nic);
        let nic = (operation.action != Action::Compute).then_some(nic);
        Needs { cpu: base + usize::from(operation.cpu), nic }
    }

    fn free_from(&self, needs: Needs) -> u64 {
        self.free[needs.cpu].max(needs.nic.map_or(0, |nic| self.free[nic]))
    }

    fn occupy(&mut self, needs: Needs, cpu_until: u64, nic_until: u64) {
        self.free[needs.cpu] = cpu_until;
        if let Some(nic) = needs.nic {
            self.free[nic] = nic_until;
        }
    }

    fn send(&mut self, id: u32, operation: &Operation, needs: Needs, now: u64) {
        let costs = (self.costs)(operation.size);
        self.occupy(needs, now + costs.send, now + costs.hold);
        self.create(id | MESSAGE, now + costs.arrival);
        self.started(id);
        if operation.size <= self.eager {
            self.finish(id);
        }
    }

    fn receive(&mut self, id: u32, operation: &Operation, now: u64) {
        self.started(id);
        if let Some(message) = self.matching.post(id, self.rank[id as usize], operation) {
            self.matched(id, message, now);
        }
        self.queue_ready(now);
    }

    fn arrive(&mut self, id: u32, operation: &Operation, needs: Needs, now: u64) {
        let costs = (self.costs)(operation.size);
        self.occupy(needs, now + costs.receive, now + costs.receive_hold);
        if let Some(receive) = self.matching.arrive(id, self.rank[id as usize], operation) {
            self.matched(receive, id, now);
        }
    }

    /// Receive `receive` takes the message of send `id`; the sender of a long one is free from now on.
    fn matched(&mut self, receive: u32, id: u32, now: u64) {
        self.finish(receive);
        let operation = self.goal.operations()[id as usize];
        if operation.size > self.goal.operations()[receive as usize].size {
            self.truncated.push((receive, id));
        }
        if operation.size > self.eager {
            let needs = self.needs(id, &operation, false);
            let nic = needs.nic.map_or(0, |nic| self.free[nic]);
            self.occupy(needs, self.free[needs.cpu].max(now), nic.max(now));
            self.finish(id);
        }
    }

    fn started(&mut self, id: u32) {
        let goal = self.goal;
        self.let_go(goal.after_start(id));
    }

    fn finish(&mut self, id: u32) {
        let goal = self.goal;
        self.let_go(goal.after_finish(id));
    }

    fn let_go(&mut self, waiting: &[u32]) {
        for &id in waiting {
            let waits = &mut self.waits[id as usize];
            *waits -= 1;
            if *waits == 0 {
                self.ready.push(id);
            }
        }
    }

    fn queue_ready(&mut self, now: u64) {
        if self.ready.is_empty() {
            return;
        }
        let mut ready = std::mem::take(&mut self.ready);
        ready.sort_by_key(|&id| (self.rank[id as usize], self.goal.operations()[id as usize].action));
        for id in ready.drain(..) {
            let operation = self.goal.operations()[id as usize];
            let mut needs = self.needs(id, &operation, false);
            if operation.action != Action::Send {
                needs.nic = None;
            }
            self.create(id, self.free_from(needs).max(now));
        }
        self.ready = ready;
    }

    fn end(self) -> Result<Execution, GoalViolation> {
        if let Some(violation) = self.matching.unmatched(self.goal, self.eager) {
            return Err(violation);
        }
        let stride = self.cpus + 2 * self.nics;
        let finish = self.free.chunks(stride).map(|free| Ticks(free[..self.cpus].iter().copied().fold(0, u64::max)));
        let finish: Vec<Ticks> = finish.collect();
        let completion = finish.iter().copied().fold(Ticks::ZERO, Ticks::max);
        let truncated = self.truncated.iter().map(|&(receive, send)| truncated(self.goal, receive, send));
        Ok(Execution { finish, completion, truncated: GoalViolation::first_of(truncated) })
    }
}
