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

mod ahead;
mod rules;
mod start;

pub use rules::Conditions;

use self::rules::{Classic, Extended, Rules};
use super::resources::{Needs, Resources};
use crate::cancel::{self, Counted};
use crate::events::{EventQueue, Kind, QueuedEvent, RingQueue};
use crate::model::MessageTimes;
use crate::schedule::goal::{Action, Goal, GoalViolation, Matching, Operation, truncated};
use crate::timeline::{Activity, Log};
use crate::units::{Ticks, narrow};

/// The result of a run of operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Execution {
    /// Per rank: the time from which its processors are free.
    pub finish: Vec<Ticks>,
    /// The latest of them.
    pub completion: Ticks,
    /// Per rank: the noise that lengthened its operations. Empty without noise.
    pub noise: Vec<Ticks>,
    /// The first message that is longer than the receive that took it, if there is one: like the classic simulator, this one
    /// matches source and tag alone.
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
    Run::new(goal, costs, eager, Classic).run()
}

/// Executes `goal` as [`execute`] does, under `conditions`, and adds the activities of processors to `log`, if there is one.
///
/// # Errors
/// Those of [`execute`].
pub fn execute_under(
    goal: &Goal,
    costs: impl Fn(u64) -> MessageTimes,
    eager: u64,
    conditions: &Conditions<'_>,
    log: Option<&mut Log>,
) -> Result<Execution, GoalViolation> {
    if conditions.are_classic() && log.is_none() {
        return execute(goal, costs, eager);
    }
    Run::new(goal, costs, eager, Extended::new(goal, conditions, log)).run()
}

/// How many events pass before it looks up.
const LOOK: u64 = 1 << 14;

/// The event of a message on its way, rather than of an operation.
const MESSAGE: u32 = 1 << 31;

/// What happens.
#[derive(Clone, Copy)]
struct Happening {
    /// The operation, or the place of a message, marked.
    what: u32,
    /// The rank of the operation or, of a message, where it arrives.
    rank: u32,
}

/// A message on its way: what is asked of its send when it arrives.
#[derive(Clone, Copy)]
struct Message {
    send: u32,
    source: u32,
    tag: u64,
    cpu: u8,
    nic: u8,
    size: u64,
}

/// An operation that waits for nothing any more.
#[derive(Clone, Copy)]
struct Ready {
    rank: u32,
    id: u32,
}

/// What a message costs, remembered as long as messages are of one size.
struct Costs<C> {
    of: C,
    size: u64,
    known: MessageTimes,
}

impl<C: Fn(u64) -> MessageTimes> Costs<C> {
    #[inline]
    fn get(&mut self, size: u64) -> MessageTimes {
        if size != self.size {
            self.size = size;
            self.known = (self.of)(size);
        }
        self.known
    }
}

struct Run<'a, C, R> {
    rules: R,
    goal: &'a Goal,
    operations: &'a [Operation],
    costs: Costs<C>,
    /// The times of a message without bytes, whose overheads noise lengthens.
    empty: MessageTimes,
    eager: u64,
    queue: RingQueue,
    /// By creation.
    events: Vec<Happening>,
    /// Messages on their way, and places of those that have arrived.
    messages: Vec<Message>,
    arrived: Vec<u32>,
    /// Those that are about to happen.
    ahead: Vec<Happening>,
    resources: Resources,
    /// Per operation that waits for several: how many of them have happened.
    happened: Vec<u32>,
    ready: Vec<Ready>,
    matching: Matching<'a>,
    /// Receives that took longer messages, with the sends.
    truncated: Vec<(u32, u32)>,
}

impl<'a, C: Fn(u64) -> MessageTimes, R: Rules> Run<'a, C, R> {
    fn new(goal: &'a Goal, costs: C, eager: u64, rules: R) -> Self {
        let operations = goal.operations();
        Self {
            rules,
            goal,
            operations,
            empty: costs(0),
            costs: Costs { known: costs(0), size: 0, of: costs },
            eager,
            queue: RingQueue::default(),
            events: Vec::with_capacity(operations.len() + goal.messages()),
            messages: Vec::new(),
            arrived: Vec::new(),
            ahead: Vec::new(),
            resources: Resources::new(goal),
            happened: vec![0; operations.len()],
            ready: Vec::new(),
            matching: Matching::new(goal),
            truncated: Vec::new(),
        }
    }

    fn run(mut self) -> Result<Execution, GoalViolation> {
        self.start();
        let mut handled: u64 = 0;
        let mut fetched = 0; // the number of events to come for which that is done
        while let Some(event) = self.queue.pop() {
            handled += 1;
            if handled.is_multiple_of(LOOK) {
                self.look_up();
            }
            if fetched == 0 {
                fetched = self.fetch_ahead();
            }
            fetched = fetched.saturating_sub(1);
            self.handle(event.number, event.time.0);
        }
        self.end()
    }

    /// Puts what is ready in the order in which it starts.
    #[inline]
    fn sort(&self, ready: &mut [Ready]) {
        let order = |ready: &Ready| (ready.rank, self.operations[ready.id as usize].action);
        if !ready.is_sorted_by_key(order) {
            ready.sort_by_key(order);
        }
    }

    /// Tells how far the run is.
    #[cold]
    fn look_up(&self) {
        let begun = self.events.len() as u64;
        let all = (self.operations.len() + self.goal.messages()) as u64;
        cancel::ran((begun, Counted::Operations), begun, all);
    }

    /// The number of a new event.
    #[inline]
    fn create(&mut self, event: Happening) -> u32 {
        let number =
            narrow(self.events.len(), "an operation has two events, and the highest bit of its number is free");
        self.events.push(event);
        number
    }

    #[inline]
    fn put(&mut self, number: u32, time: u64) {
        self.queue.push(QueuedEvent { time: Ticks(time), kind: Kind::Request, number });
    }

    #[inline]
    fn handle(&mut self, number: u32, now: u64) {
        let Happening { what, rank } = self.events[number as usize];
        if what & MESSAGE != 0 {
            return self.arrive(number, what & !MESSAGE, rank, now);
        }
        let operation = &self.operations[what as usize];
        if operation.action == Action::Receive {
            return self.receive(what, rank, now);
        }
        let needs = self.resources.of_operation(rank, operation);
        if self.is_busy(needs, number, now) {
            return;
        }
        if operation.action == Action::Send {
            self.send(what, rank, needs, now);
        } else {
            let noise = self.rules.noise(rank, now, operation.size);
            let end = now + operation.size + noise;
            self.rules.occupied(Activity::Compute, (rank, operation.cpu), what, now, [operation.size, noise]);
            self.resources.occupy(needs, end, end);
            self.started(what, rank);
            self.finish(what, rank, end);
        }
        self.went_on(needs, number, now);
    }

    /// Whether event `number` has to wait for what it needs.
    #[inline]
    fn is_busy(&mut self, needs: Needs, number: u32, now: u64) -> bool {
        let from = self.resources.free_from(needs);
        if from <= now {
            return false;
        }
        if self.resources.wait(needs, number) {
            self.put(number, from);
        }
        true
    }

    /// Event `number` has taken what it needs: lets others go on.
    #[inline]
    fn went_on(&mut self, needs: Needs, number: u32, now: u64) {
        if let Some(next) = self.resources.went_on(needs, number) {
            self.put(next, self.resources.free_from(needs).max(now));
        }
        self.queue_ready(now);
    }

    fn send(&mut self, id: u32, rank: u32, needs: Needs, now: u64) {
        let Operation { size, peer, tag, cpu, nic, .. } = self.operations[id as usize];
        let costs = self.costs.get(size);
        let noise = self.rules.noise(rank, now, self.empty.send);
        let end = now + costs.send + noise;
        self.rules.occupied(Activity::Send, (rank, cpu), id, now, [costs.send, noise]);
        self.resources.occupy(needs, end, now + costs.hold);
        let place = self.place(Message { send: id, source: rank, tag, cpu, nic, size });
        let number = self.create(Happening { what: place | MESSAGE, rank: peer });
        self.put(number, now + costs.arrival);
        if self.goal.is_awaited(id) {
            self.started(id, rank);
        }
        if size <= self.eager {
            self.finish(id, rank, end);
        }
    }

    /// Where a message is kept that is on its way.
    #[inline]
    fn place(&mut self, message: Message) -> u32 {
        if let Some(place) = self.arrived.pop() {
            self.messages[place as usize] = message;
            return place;
        }
        self.messages.push(message);
        narrow(self.messages.len() - 1, "a message has a send, and the highest bit of its number is free")
    }

    fn receive(&mut self, id: u32, rank: u32, now: u64) {
        if self.goal.is_awaited(id) {
            self.started(id, rank);
        }
        if let Some(message) = self.matching.post(id, rank) {
            let size = self.operations[message as usize].size;
            let end = self.rules.left(message).max(now);
            let send = Ready { rank: self.matching.source(message), id: message };
            self.matched(Ready { rank, id }, end, send, size, now);
        }
        self.queue_ready(now);
    }

    /// The message at `place` arrives at `rank`, which is event `number`.
    fn arrive(&mut self, number: u32, place: u32, rank: u32, now: u64) {
        let Message { send, source, tag, cpu, nic, size } = self.messages[place as usize];
        let needs = self.resources.of_message(rank, cpu, nic);
        if self.is_busy(needs, number, now) {
            return;
        }
        self.arrived.push(place);
        let costs = self.costs.get(size);
        let noise = self.rules.noise(rank, now, self.empty.receive);
        let end = now + costs.receive + noise;
        self.rules.occupied(Activity::Receive, (rank, cpu), send, now, [costs.receive, noise]);
        self.resources.occupy(needs, end, now + costs.receive_hold);
        match self.matching.arrive(send, source, rank, tag) {
            Some(receive) => {
                self.matched(Ready { rank, id: receive }, end, Ready { rank: source, id: send }, size, now);
            }
            None => self.rules.leaves(send, end),
        }
        self.went_on(needs, number, now);
    }

    /// Lets a receive, which ends at `end`, take the message of a send, of `bytes` bytes. The sender of a long message is free from now on.
    fn matched(&mut self, receive: Ready, end: u64, send: Ready, bytes: u64, now: u64) {
        self.rules.matched(receive.id, send.id);
        self.finish(receive.id, receive.rank, end);
        if bytes > self.operations[receive.id as usize].size {
            self.truncated.push((receive.id, send.id));
        }
        if bytes > self.eager {
            let needs = self.resources.of_operation(send.rank, &self.operations[send.id as usize]);
            self.resources.hold(needs, now);
            self.finish(send.id, send.rank, now);
        }
    }

    #[inline]
    fn started(&mut self, id: u32, rank: u32) {
        let goal = self.goal;
        self.let_go(goal.after_start(id), rank, 0);
    }

    /// Counts operation `id` of `rank` as finished for those that require it. In time it ends at `end`.
    #[inline]
    fn finish(&mut self, id: u32, rank: u32, end: u64) {
        self.rules.ended(rank, id, end);
        let goal = self.goal;
        if goal.is_awaited(id) {
            self.let_go(goal.after_finish(id), rank, end);
        }
    }

    /// Lets those in `waiting`, all of `rank`, wait for one thing less, which ends at `end`.
    #[inline]
    fn let_go(&mut self, waiting: &[u32], rank: u32, end: u64) {
        for &id in waiting {
            self.rules.require(id, end);
            let waits = self.goal.waits_of(id);
            if waits > 1 {
                let happened = &mut self.happened[id as usize];
                *happened += 1;
                if *happened < waits {
                    continue;
                }
            }
            self.ready.push(Ready { rank, id });
        }
    }

    #[inline]
    fn queue_ready(&mut self, now: u64) {
        if !self.ready.is_empty() {
            self.queue_all_ready(now);
        }
    }

    /// Creates the events of all that is ready, each for when what it needs is free.
    fn queue_all_ready(&mut self, now: u64) {
        let mut ready = std::mem::take(&mut self.ready);
        self.sort(&mut ready);
        let several = ready.len() > 1;
        for ready in ready.drain(..) {
            let operation = &self.operations[ready.id as usize];
            let needs = self.resources.of_operation(ready.rank, operation);
            let number = self.create(ready.event());
            let from = self.rules.ready(ready.id).max(now);
            if operation.action == Action::Receive {
                self.put(number, self.resources.processor_free_from(needs).max(from));
            } else if from > now && from > self.resources.free_from(needs) {
                self.put(number, from); // it joins those that wait, if any do, when it comes
            } else if self.resources.join(needs, number, several) {
                self.put(number, self.resources.free_from(needs).max(from));
            }
        }
        self.ready = ready;
    }

    fn end(self) -> Result<Execution, GoalViolation> {
        if let Some(violation) = self.matching.unmatched(self.goal, self.eager) {
            return Err(violation);
        }
        let mut finish = self.resources.finish();
        let (ends, noise) = self.rules.end();
        finish.iter_mut().zip(ends).for_each(|(finish, end)| *finish = end.max(*finish));
        let completion = finish.iter().copied().fold(Ticks::ZERO, Ticks::max);
        let truncated = self.truncated.iter().map(|&(receive, send)| truncated(self.goal, receive, send));
        Ok(Execution { finish, completion, noise, truncated: GoalViolation::first_of(truncated) })
    }
}

impl Ready {
    fn is_receive(&self, operations: &[Operation]) -> bool {
        operations[self.id as usize].action == Action::Receive
    }

    fn event(&self) -> Happening {
        Happening { what: self.id, rank: self.rank }
    }
}
